/* SPDX-License-Identifier: Apache-2.0
 *
 * devices.c: devices, their properties and attributes, from the chosen profile; limits; peers.
 */
#include "cudart/cudart.h"

#include <stdio.h>
#include <string.h>

enum { RUNTIME_VERSION = 12050, DRIVER_VERSION = 12080 };

/* -- choosing ---------------------------------------------------------------------------------- */

int
rt_stream_early(cudaStream_t handle, struct device_stream **out)
{
    struct device *d;
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread) {
        int r = (int)device_use_early(&d);
        if (r == cudaSuccess)
            *out = handle == cudaStreamPerThread ? device_stream_per_thread(d)
                                                 : device_stream_default(d);
        return r;
    }
    *out = (struct device_stream *)handle;
    int r = (int)device_permitted();
    if (r != cudaSuccess)
        return r;
    if (!device_stream_is(*out))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no stream, or was destroyed",
                       (void *)handle);
    return cudaSuccess;
}

int
rt_stream(cudaStream_t handle, struct device_stream **out)
{
    int r = rt_stream_early(handle, out);
    return r == cudaSuccess ? (int)device_lost(device_stream_device(*out)) : r;
}

cudaError_t
cudaGetDeviceCount(int *count)
{
    int r = cudaSuccess;
    if (!count)
        r = rt_fail(cudaErrorInvalidValue, "count is NULL");
    else if (!(*count = device_count()))
        r = device_permitted() == DEVICE_OK ? cudaErrorInvalidDevice : (int)device_permitted();
    RT(r, "count=%d", count ? *count : 0);
}

cudaError_t
cudaSetDevice(int device)
{
    RT(device_set_current(device), "device=%d", device);
}

cudaError_t
cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    (void)flags;
    struct device *d = device_at(device);
    if (d)
        device_settings_of(d)->flags = device_flags;
    RT(d ? cudaSuccess : cudaErrorInvalidDevice, "device=%d", device);
}

cudaError_t
cudaGetDevice(int *device)
{
    if (device)
        *device = device_current();
    RT(device ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "device is NULL"), "device=%d",
       device_current());
}

cudaError_t
cudaSetValidDevices(int *devices, int count)
{
    int r =
        devices && count >= 0 ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "no list of devices");
    for (int k = 0; r == cudaSuccess && k < count; k++)
        if (!device_at(devices[k]))
            r = cudaErrorInvalidDevice;
    RT(r, "count=%d", count);
}

static int
synchronize(void)
{
    struct device *d;
    int r = (int)device_use(&d);
    int s = d ? (int)device_synchronize(d) : r;
    return r != cudaSuccess ? r : s;
}

cudaError_t
cudaDeviceSynchronize(void)
{
    RT(synchronize(), "%s", "");
}

cudaError_t
cudaThreadSynchronize(void)
{
    RT(synchronize(), "%s", "");
}

static int
reset(void)
{
    struct device *d = device_at(device_current());
    int r = (int)device_permitted();
    if (r != cudaSuccess)
        return r;
    return d ? (int)device_reset(d) : cudaErrorInvalidDevice;
}

cudaError_t
cudaDeviceReset(void)
{
    int r = reset();
    if (r == cudaSuccess)
        cudaGetLastError();
    RT(r, "%s", "");
}

cudaError_t
cudaThreadExit(void)
{
    RT(reset(), "%s", "");
}

/* -- settings ---------------------------------------------------------------------------------- */

/* Stores to or loads from the current device's settings. */
#define SETTING(set, field)                                                                        \
    do {                                                                                           \
        struct device *d_;                                                                         \
        int r_ = (int)device_use(&d_);                                                             \
        if (r_ == cudaSuccess)                                                                     \
            set;                                                                                   \
        RT(r_, #field "=%u", r_ == cudaSuccess ? device_settings_of(d_)->field : 0);               \
    } while (0)

cudaError_t
cudaSetDeviceFlags(unsigned int flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        RT(rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags), "flags=0x%x", flags);
    SETTING(device_settings_of(d_)->flags = flags, flags);
}

cudaError_t
cudaGetDeviceFlags(unsigned int *flags)
{
    SETTING(*flags = device_settings_of(d_)->flags | cudaDeviceMapHost, flags);
}

cudaError_t
cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    SETTING(device_settings_of(d_)->cache_config = config, cache_config);
}

cudaError_t
cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    SETTING(*config = (enum cudaFuncCache)device_settings_of(d_)->cache_config, cache_config);
}

cudaError_t
cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

cudaError_t
cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}

cudaError_t
cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    SETTING(device_settings_of(d_)->shared_config = config, shared_config);
}

/* Only 3.x could choose; 4 bytes elsewhere. */
cudaError_t
cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    SETTING(*config = device_profile(d_)->cc_major == 3 && device_settings_of(d_)->shared_config
                          ? (enum cudaSharedMemConfig)device_settings_of(d_)->shared_config
                          : cudaSharedMemBankSizeFourByte,
            shared_config);
}

static int
limit(enum cudaLimit which, size_t *get, size_t set)
{
    struct device *d;
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        r = get ? (int)device_limit_get(d, which, get) : (int)device_limit_set(d, which, set);
    return r;
}

cudaError_t
cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
    RT(limit(which, NULL, value), "limit=%d value=%zu", (int)which, value);
}

cudaError_t
cudaDeviceGetLimit(size_t *value, enum cudaLimit which)
{
    RT(value ? limit(which, value, 0) : rt_fail(cudaErrorInvalidValue, "value is NULL"), "limit=%d",
       (int)which);
}

cudaError_t
cudaThreadSetLimit(enum cudaLimit which, size_t value)
{
    return cudaDeviceSetLimit(which, value);
}

cudaError_t
cudaThreadGetLimit(size_t *value, enum cudaLimit which)
{
    return cudaDeviceGetLimit(value, which);
}

cudaError_t
cudaDriverGetVersion(int *version)
{
    if (version)
        *version = DRIVER_VERSION;
    RT(version ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "driverVersion is NULL"), "%s", "");
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
    if (version)
        *version = RUNTIME_VERSION;
    RT(version ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "runtimeVersion is NULL"), "%s", "");
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    struct device *d;
    int r = (int)device_use(&d);
    bool has = r == cudaSuccess && device_profile(d)->stream_priorities;
    if (least)
        *least = DEVICE_PRIORITY_LEAST;
    if (greatest)
        *greatest = has ? DEVICE_PRIORITY_GREATEST : DEVICE_PRIORITY_LEAST;
    RT(r, "%s", "");
}

cudaError_t
cudaCtxResetPersistingL2Cache(void)
{
    RT(cudaSuccess, "%s", "");
}

/* -- peers ------------------------------------------------------------------------------------- */

static int
two_devices(int a, int b)
{
    return device_at(a) && device_at(b) ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t
cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    int r =
        can ? two_devices(device, peer) : rt_fail(cudaErrorInvalidValue, "canAccessPeer is NULL");
    if (r == cudaSuccess)
        *can = device != peer && device_profile(device_at(device))->unified_addressing;
    RT(r, "device=%d peer=%d", device, peer);
}

static int
peer_access(int peer, bool enabled)
{
    struct device *d;
    int r = (int)device_use(&d);
    return r == cudaSuccess ? (int)device_peer_set(d, peer, enabled) : r;
}

cudaError_t
cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    RT(flags ? rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags) : peer_access(peer, true),
       "peer=%d", peer);
}

cudaError_t
cudaDeviceDisablePeerAccess(int peer)
{
    RT(peer_access(peer, false), "peer=%d", peer);
}

cudaError_t
cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int a, int b)
{
    int r = value && a != b ? two_devices(a, b)
                            : rt_fail(cudaErrorInvalidValue, "devices %d, %d", a, b);
    if (r == cudaSuccess)
        *value = attr != cudaDevP2PAttrPerformanceRank;
    RT(r, "attr=%d src=%d dst=%d", (int)attr, a, b);
}

cudaError_t
cudaDeviceGetPCIBusId(char *text, int room, int device)
{
    int r = cudaSuccess;
    if (!text || room < 13)
        r = rt_fail(cudaErrorInvalidValue, "room for %d characters: 13 are needed", room);
    else if (!device_at(device))
        r = cudaErrorInvalidDevice;
    else
        snprintf(text, (size_t)room, "0000:%02x:00.0", device + 1);
    RT(r, "device=%d", device);
}

cudaError_t
cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    unsigned domain, bus, slot = 0;
    int r = cudaErrorInvalidValue;
    if (device && text &&
        (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3 ||
         sscanf(text, "%x:%x", &bus, &slot) == 2)) {
        r = device_at((int)bus - 1) ? cudaSuccess : cudaErrorInvalidDevice;
        if (r == cudaSuccess)
            *device = (int)bus - 1;
    }
    RT(r, "pciBusId=%s", text ? text : "NULL");
}

/* -- properties -------------------------------------------------------------------------------- */

static void
fill_limits(struct cudaDeviceProp *o, const struct device_profile *p)
{
    for (int d = 0; d < 3; d++) {
        o->maxThreadsDim[d] = (int)p->max_block[d];
        o->maxGridSize[d] = (int)p->max_grid[d];
        o->maxTexture3D[d] = (int)p->max_texture_3d[d];
        o->maxTexture2DLinear[d] = (int)p->max_texture_2d_linear[d];
    }
    o->maxTexture1D = (int)p->max_texture_1d;
    o->maxTexture1DLinear = (int)p->max_texture_1d_linear;
    o->maxTexture2D[0] = (int)p->max_texture_2d[0];
    o->maxTexture2D[1] = (int)p->max_texture_2d[1];
    o->maxTexture1DLayered[0] = (int)p->max_texture_1d;
    o->maxTexture1DLayered[1] = (int)p->max_texture_layers;
    o->maxTexture2DLayered[0] = (int)p->max_texture_2d[0];
    o->maxTexture2DLayered[1] = (int)p->max_texture_2d[1];
    o->maxTexture2DLayered[2] = (int)p->max_texture_layers;
    o->textureAlignment = p->texture_alignment;
    o->texturePitchAlignment = 32;
    o->surfaceAlignment = p->texture_alignment;
    o->maxTexture1DMipmap = (int)p->max_texture_1d;
    memcpy(o->maxTexture2DMipmap, o->maxTexture2D, sizeof o->maxTexture2D);
    memcpy(o->maxTexture2DGather, o->maxTexture2D, sizeof o->maxTexture2D);
    memcpy(o->maxTexture3DAlt, o->maxTexture3D, sizeof o->maxTexture3D);
    memcpy(o->maxSurface2D, o->maxTexture2D, sizeof o->maxTexture2D);
    memcpy(o->maxSurface3D, o->maxTexture3D, sizeof o->maxTexture3D);
    memcpy(o->maxSurface1DLayered, o->maxTexture1DLayered, sizeof o->maxTexture1DLayered);
    memcpy(o->maxSurface2DLayered, o->maxTexture2DLayered, sizeof o->maxTexture2DLayered);
    o->maxTextureCubemap = o->maxSurfaceCubemap = o->maxTexture2D[0];
    o->maxTextureCubemapLayered[0] = o->maxSurfaceCubemapLayered[0] = o->maxTexture2D[0];
    o->maxTextureCubemapLayered[1] = o->maxSurfaceCubemapLayered[1] =
        (int)p->max_texture_layers - 2;
    o->maxSurface1D = o->maxTexture1D;
}

static int
properties(struct cudaDeviceProp *o, int device)
{
    struct device *d = device_at(device);
    if (!o)
        return rt_fail(cudaErrorInvalidValue, "prop is NULL");
    if (!d)
        return cudaErrorInvalidDevice;
    const struct device_profile *p = device_profile(d);
    memset(o, 0, sizeof *o);
    snprintf(o->name, sizeof o->name, "%s", p->name);
    fill_limits(o, p);
    o->totalGlobalMem = p->memory_bytes;
    o->sharedMemPerBlock = p->shared_per_block;
    o->sharedMemPerBlockOptin = p->shared_per_block_optin;
    o->sharedMemPerMultiprocessor = p->shared_per_sm;
    o->reservedSharedMemPerBlock = p->shared_reserved;
    o->regsPerBlock = (int)p->registers_per_block;
    o->regsPerMultiprocessor = (int)p->registers_per_sm;
    o->warpSize = (int)p->warp_size;
    o->memPitch = 2147483647;
    o->maxThreadsPerBlock = (int)p->max_threads_per_block;
    o->maxThreadsPerMultiProcessor = (int)p->max_threads_per_sm;
    o->maxBlocksPerMultiProcessor = (int)p->max_blocks_per_sm;
    o->clockRate = (int)p->clock_khz;
    o->memoryClockRate = (int)p->memory_clock_khz;
    o->memoryBusWidth = (int)p->memory_bus_bits;
    o->totalConstMem = p->constant_bytes;
    o->major = (int)p->cc_major;
    o->minor = (int)p->cc_minor;
    o->multiProcessorCount = (int)p->sm_count;
    o->l2CacheSize = (int)p->l2_bytes;
    device_attribute(d, cudaDevAttrMaxPersistingL2CacheSize, &o->persistingL2CacheMaxSize);
    device_attribute(d, cudaDevAttrMaxAccessPolicyWindowSize, &o->accessPolicyMaxWindowSize);
    o->integrated = p->integrated;
    o->canMapHostMemory = 1;
    o->unifiedAddressing = p->unified_addressing;
    o->managedMemory = p->managed_memory;
    o->concurrentManagedAccess = p->concurrent_managed_access;
    o->concurrentKernels = p->concurrent_kernels;
    o->cooperativeLaunch = p->cooperative_launch;
    o->streamPrioritiesSupported = p->stream_priorities;
    o->ECCEnabled = p->ecc;
    o->asyncEngineCount = (int)p->async_engines;
    o->deviceOverlap = p->async_engines > 0;
    o->globalL1CacheSupported = p->l1_global_loads;
    o->localL1CacheSupported = p->l1_bytes > 0;
    o->hostRegisterSupported = 1;
    o->memoryPoolsSupported = 1;
    o->singleToDoublePrecisionPerfRatio =
        p->fp64_per_clock_sm ? (int)(p->fp32_per_clock_sm / p->fp64_per_clock_sm) : 0;
    o->pciBusID = device + 1;
    o->computePreemptionSupported = p->cc_major >= 6;
    o->canUseHostPointerForRegisteredMem = 1;
    o->hostNativeAtomicSupported = p->integrated && p->cc_major >= 7;
    device_attribute(d, cudaDevAttrPageableMemoryAccess, &o->pageableMemoryAccess);
    o->clusterLaunch = p->clusters;
    o->unifiedFunctionPointers = 0;
    device_uuid(d, (uint8_t *)o->uuid.bytes);
    return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *o, int device)
{
    RT(properties(o, device), "device=%d", device);
}

static int
attribute(int *value, enum cudaDeviceAttr attr, int device)
{
    struct device *d = device_at(device);
    if (!value)
        return rt_fail(cudaErrorInvalidValue, "value is NULL");
    return d ? (int)device_attribute(d, (int)attr, value) : (int)cudaErrorInvalidDevice;
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    RT(attribute(value, attr, device), "attr=%d device=%d value=%d", (int)attr, device,
       value ? *value : 0);
}

/* The devices are alike. */
cudaError_t
cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    if (device && prop)
        *device = 0;
    RT(device && prop ? cudaSuccess
                      : rt_fail(cudaErrorInvalidValue, "%s is NULL", device ? "prop" : "device"),
       "%s", "");
}

cudaError_t
cudaProfilerStart(void)
{
    RT(cudaSuccess, "%s", "");
}

cudaError_t
cudaProfilerStop(void)
{
    RT(cudaSuccess, "%s", "");
}

cudaError_t
cudaProfilerInitialize(const char *config, const char *output, cudaOutputMode_t mode)
{
    (void)config, (void)output, (void)mode;
    RT(cudaSuccess, "%s", "");
}
