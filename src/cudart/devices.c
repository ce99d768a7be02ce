/* SPDX-License-Identifier: Apache-2.0
 *
 * devices.c: devices, their properties and attributes, from the chosen profile.
 */
#include "cudart/cudart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 12050, MOST_DEVICES = 64 };

static _Thread_local int current;
static struct {
    enum cudaFuncCache cache;
    enum cudaSharedMemConfig banks;
    unsigned flags;
    size_t limit[16];
} settings[MOST_DEVICES];

int
rt_ordinal(void)
{
    return current;
}

struct device *
rt_device(cudaError_t *e)
{
    struct ls_error err = {0};
    *e = rt_sticky();
    if (*e != cudaSuccess)
        return NULL;
    struct device *d = device_get(current, &err);
    if (!d) {
        fprintf(stderr, "lockstep: %s\n", err.text);
        *e = rt_error(err.status == LS_ERR_USAGE ? cudaErrorInvalidDevice
                                                 : cudaErrorInitializationError);
    }
    return d;
}

cudaError_t
cudaGetDeviceCount(int *count)
{
    struct ls_error err = {0};
    if (!count)
        return rt_fail(cudaErrorInvalidValue, "count is NULL");
    *count = device_count(&err);
    if (*count)
        return cudaSuccess;
    fprintf(stderr, "lockstep: %s\n", err.text);
    return rt_error(cudaErrorNoDevice);
}

cudaError_t
cudaSetDevice(int device)
{
    struct ls_error err = {0};
    if (device < 0 || device >= device_count(&err))
        return rt_fail(cudaErrorInvalidDevice, "device %d", device);
    current = device;
    return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
    if (!device)
        return rt_fail(cudaErrorInvalidValue, "device is NULL");
    *device = current;
    return cudaSuccess;
}

cudaError_t
cudaDeviceSynchronize(void)
{
    cudaError_t e = cudaSuccess;
    fflush(stdout);
    rt_device(&e);
    return e;
}

cudaError_t
cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t
cudaDeviceReset(void)
{
    struct ls_error err;
    struct device *d = device_get(current, &err);
    fflush(stdout);
    if (d)
        device_reset(d);
    rt_clear_sticky();
    return cudaSuccess;
}

cudaError_t
cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t
cudaSetDeviceFlags(unsigned int flags)
{
    settings[current].flags = flags;
    return cudaSuccess;
}

cudaError_t
cudaGetDeviceFlags(unsigned int *flags)
{
    *flags = settings[current].flags;
    return cudaSuccess;
}

cudaError_t
cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    settings[current].cache = config;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    *config = settings[current].cache;
    return cudaSuccess;
}

cudaError_t
cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    settings[current].banks = config;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    *config = settings[current].banks;
    return cudaSuccess;
}

cudaError_t
cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= 16)
        return rt_fail(cudaErrorUnsupportedLimit, "limit %d", (int)limit);
    settings[current].limit[limit] = value;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    static const size_t defaults[16] = {[cudaLimitStackSize] = 1024,
                                        [cudaLimitPrintfFifoSize] = 1 << 20,
                                        [cudaLimitMallocHeapSize] = 8 << 20};
    if (!value || (unsigned)limit >= 16)
        return rt_fail(cudaErrorUnsupportedLimit, "limit %d", (int)limit);
    size_t set = settings[current].limit[limit];
    *value = set ? set : defaults[limit];
    return cudaSuccess;
}

cudaError_t
cudaDriverGetVersion(int *version)
{
    *version = VERSION;
    return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
    *version = VERSION;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}

cudaError_t
cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct ls_error err;
    int n = device_count(&err);
    if (!can || device < 0 || peer < 0 || device >= n || peer >= n)
        return rt_fail(cudaErrorInvalidDevice, "devices %d and %d of %d", device, peer, n);
    *can = device != peer;
    return cudaSuccess;
}

cudaError_t
cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    struct ls_error err;
    (void)flags;
    if (peer < 0 || peer >= device_count(&err) || peer == current)
        return rt_fail(cudaErrorInvalidDevice, "peer %d", peer);
    return cudaSuccess;
}

cudaError_t
cudaDeviceDisablePeerAccess(int peer)
{
    return cudaDeviceEnablePeerAccess(peer, 0);
}

/* -- properties ---------------------------------------------------------------------------------------- */

static const struct device_profile *
profile_of(int device, cudaError_t *e)
{
    struct ls_error err = {0};
    struct device *d = device_get(device, &err);
    if (!d) {
        *e = rt_fail(cudaErrorInvalidDevice, "%s", err.text);
        return NULL;
    }
    return device_profile(d);
}

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
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *o, int device)
{
    cudaError_t e = cudaSuccess;
    if (!o)
        return rt_fail(cudaErrorInvalidValue, "prop is NULL");
    const struct device_profile *p = profile_of(device, &e);
    if (!p)
        return e;
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
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    struct cudaDeviceProp o;
    if (!value)
        return rt_fail(cudaErrorInvalidValue, "value is NULL");
    cudaError_t e = cudaGetDeviceProperties(&o, device);
    if (e != cudaSuccess)
        return e;
    switch (attr) {
#define ATTRIBUTE(name, expression)                                                                \
    case cudaDevAttr##name:                                                                        \
        *value = (int)(expression);                                                                \
        break;
#include "cudart/attributes.def"
#undef ATTRIBUTE
    default:
        return rt_fail(cudaErrorInvalidValue, "attribute %d is not known", (int)attr);
    }
    return cudaSuccess;
}

cudaError_t
cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    (void)prop;
    *device = 0;
    return cudaSuccess;
}

cudaError_t
cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t
cudaProfilerStop(void)
{
    return cudaSuccess;
}
