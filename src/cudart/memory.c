/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: device memory, pinned and managed memory, stream-ordered allocation and its pools.
 */
#include "cudart/cudart.h"

#include <string.h>

enum { PITCH = 512 };

/* -- device memory ----------------------------------------------------------------------------- */

static int
allocate(void **out, size_t size, enum allocation_kind kind)
{
    struct device *d;
    uint64_t address = 0;
    if (!out)
        return rt_fail(cudaErrorInvalidValue, "the place for the pointer is NULL");
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        r = (int)device_capture_unsafe();
    if (r == cudaSuccess)
        r = (int)device_alloc(d, size, kind, &address);
    if (r == cudaSuccess)
        *out = (void *)address;
    return r;
}

static int
release(void *p)
{
    struct device *d;
    int r = (int)device_use(&d);
    if (r == cudaSuccess && p)
        r = (int)device_capture_unsafe();
    return r == cudaSuccess ? (int)device_free((uint64_t)p) : r;
}

cudaError_t
cudaMalloc(void **p, size_t size)
{
    RT(allocate(p, size, ALLOCATION_DEVICE), "devPtr=%p size=%zu", p ? *p : NULL, size);
}

cudaError_t
cudaFree(void *p)
{
    RT(release(p), "devPtr=%p", p);
}

static int
pitched(void **p, size_t *pitch, size_t width, size_t height)
{
    size_t bytes;
    if (!pitch || !p)
        return rt_fail(cudaErrorInvalidValue, "%s is NULL", p ? "pitch" : "devPtr");
    if (width > SIZE_MAX - PITCH)
        return rt_fail(cudaErrorInvalidValue, "an absurd width");
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (__builtin_mul_overflow(*pitch, height, &bytes))
        return rt_fail(cudaErrorMemoryAllocation, "an absurd size");
    return allocate(p, bytes, ALLOCATION_DEVICE);
}

cudaError_t
cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    RT(pitched(p, pitch, width, height), "devPtr=%p pitch=%zu width=%zu height=%zu", p ? *p : NULL,
       pitch ? *pitch : 0, width, height);
}

static int
allocate_3d(struct cudaPitchedPtr *p, struct cudaExtent e)
{
    size_t rows;
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "pitchedDevPtr is NULL");
    if (__builtin_mul_overflow(e.height, e.depth, &rows))
        return rt_fail(cudaErrorMemoryAllocation, "an absurd size");
    p->xsize = e.width;
    p->ysize = e.height;
    return pitched(&p->ptr, &p->pitch, e.width, rows);
}

cudaError_t
cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e)
{
    RT(allocate_3d(p, e), "extent=(%zu,%zu,%zu)", e.width, e.height, e.depth);
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    struct device *d;
    uint64_t left = 0, all = 0;
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        device_memory_info(d, &left, &all);
    if (r == cudaSuccess && free_bytes)
        *free_bytes = left;
    if (r == cudaSuccess && total)
        *total = all;
    RT(r, "free=%llu total=%llu", (unsigned long long)left, (unsigned long long)all);
}

/* -- managed memory ---------------------------------------------------------------------------- */

static int
allocate_managed(void **p, size_t size, unsigned int flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    if (!size)
        return rt_fail(cudaErrorInvalidValue, "size is 0");
    return allocate(p, size, ALLOCATION_MANAGED);
}

cudaError_t
cudaMallocManaged(void **p, size_t size, unsigned int flags)
{
    RT(allocate_managed(p, size, flags), "devPtr=%p size=%zu flags=%u", p ? *p : NULL, size, flags);
}

/* Where managed memory lies makes no difference here; what is asked is checked all the same. */
static int
check_managed(const void *p, size_t count)
{
    struct allocation a;
    struct device *d;
    int r = (int)device_use(&d);
    if (r != cudaSuccess)
        return r;
    if (!count || !device_find((uint64_t)p, &a) || a.kind != ALLOCATION_MANAGED)
        return rt_fail(cudaErrorInvalidValue, "%p is no managed memory", p);
    if (count > a.size - ((uint64_t)p - a.base))
        return rt_fail(cudaErrorInvalidValue, "%zu bytes at %p run past the allocation's end",
                       count, p);
    return cudaSuccess;
}

static int
check_place(const void *p, size_t count, int device)
{
    int r = check_managed(p, count);
    if (r == cudaSuccess && device != cudaCpuDeviceId && !device_at(device))
        r = cudaErrorInvalidDevice;
    return r;
}

cudaError_t
cudaMemPrefetchAsync(const void *p, size_t count, int device, cudaStream_t stream)
{
    struct device_stream *s;
    int r = rt_stream(stream, &s);
    RT(r == cudaSuccess ? check_place(p, count, device) : r, "devPtr=%p count=%zu device=%d", p,
       count, device);
}

cudaError_t
cudaMemPrefetchAsync_v2(const void *p, size_t count, struct cudaMemLocation to, unsigned int flags,
                        cudaStream_t stream)
{
    (void)flags;
    return cudaMemPrefetchAsync(
        p, count, to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId, stream);
}

cudaError_t
cudaMemAdvise(const void *p, size_t count, enum cudaMemoryAdvise advice, int device)
{
    bool placeless = advice == cudaMemAdviseSetReadMostly ||
                     advice == cudaMemAdviseUnsetReadMostly ||
                     advice == cudaMemAdviseUnsetPreferredLocation;
    RT(placeless ? check_managed(p, count) : check_place(p, count, device),
       "devPtr=%p count=%zu advice=%d device=%d", p, count, (int)advice, device);
}

cudaError_t
cudaMemAdvise_v2(const void *p, size_t count, enum cudaMemoryAdvise advice,
                 struct cudaMemLocation place)
{
    return cudaMemAdvise(p, count, advice,
                         place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId);
}

static int
range_attribute(void *data, size_t size, enum cudaMemRangeAttribute attribute, const void *p,
                size_t count)
{
    int r = check_managed(p, count);
    if (r != cudaSuccess)
        return r;
    if (!data || size < sizeof(int))
        return rt_fail(cudaErrorInvalidValue, "no room for the answer");
    int value = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    for (size_t k = 0; k + sizeof value <= size; k += sizeof value)
        memcpy((char *)data + k, &value, sizeof value);
    return cudaSuccess;
}

cudaError_t
cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                         const void *p, size_t count)
{
    RT(range_attribute(data, size, attribute, p, count), "attribute=%d devPtr=%p count=%zu",
       (int)attribute, p, count);
}

cudaError_t
cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes,
                          size_t n, const void *p, size_t count)
{
    int r = data && sizes && attributes ? cudaSuccess
                                        : rt_fail(cudaErrorInvalidValue, "a list is NULL");
    for (size_t k = 0; r == cudaSuccess && k < n; k++)
        r = range_attribute(data[k], sizes[k], attributes[k], p, count);
    RT(r, "n=%zu devPtr=%p count=%zu", n, p, count);
}

/* -- pinned host memory ------------------------------------------------------------------------ */

static int
host_alloc(void **p, size_t size, unsigned int flags)
{
    struct device *d;
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "the place for the pointer is NULL");
    if (flags & ~7u)
        return rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        r = (int)device_capture_unsafe();
    return r == cudaSuccess ? (int)device_host_alloc(size, flags, p) : r;
}

cudaError_t
cudaHostAlloc(void **p, size_t size, unsigned int flags)
{
    RT(host_alloc(p, size, flags), "ptr=%p size=%zu flags=0x%x", p ? *p : NULL, size, flags);
}

cudaError_t
cudaMallocHost(void **p, size_t size)
{
    RT(host_alloc(p, size, cudaHostAllocDefault), "ptr=%p size=%zu", p ? *p : NULL, size);
}

cudaError_t
cudaFreeHost(void *p)
{
    int r = (int)device_capture_unsafe();
    RT(r == cudaSuccess ? (int)device_host_free(p) : r, "ptr=%p", p);
}

cudaError_t
cudaHostRegister(void *p, size_t size, unsigned int flags)
{
    struct device *d;
    int r = (int)device_use(&d);
    RT(r == cudaSuccess ? (int)device_host_register(p, size, flags) : r,
       "ptr=%p size=%zu flags=0x%x", p, size, flags);
}

cudaError_t
cudaHostUnregister(void *p)
{
    RT(device_host_unregister(p), "ptr=%p", p);
}

static int
host_pointer(void **device, void *host)
{
    struct device *d;
    struct allocation a;
    if (!device)
        return rt_fail(cudaErrorInvalidValue, "pDevice is NULL");
    int r = (int)device_use(&d);
    if (r != cudaSuccess)
        return r;
    if (!device_find((uint64_t)host, &a) || a.kind != ALLOCATION_HOST)
        return rt_fail(cudaErrorInvalidValue, "%p is no pinned host memory", host);
    *device = host;
    return cudaSuccess;
}

cudaError_t
cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    (void)flags;
    RT(host_pointer(device, host), "pHost=%p", host);
}

cudaError_t
cudaHostGetFlags(unsigned int *flags, void *host)
{
    uint32_t value = 0;
    int r = flags ? (int)device_host_flags(host, &value)
                  : rt_fail(cudaErrorInvalidValue, "flags is NULL");
    if (r == cudaSuccess)
        *flags = value | cudaHostAllocMapped;
    RT(r, "pHost=%p", host);
}

cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)
{
    struct allocation a;
    if (!out)
        RT(rt_fail(cudaErrorInvalidValue, "attributes is NULL"), "ptr=%p", p);
    *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                          .device = cudaInvalidDeviceId,
                                          .hostPointer = (void *)(uintptr_t)p};
    if (device_find((uint64_t)p, &a)) {
        bool device_only = a.kind != ALLOCATION_HOST && a.kind != ALLOCATION_MANAGED;
        out->type = a.kind == ALLOCATION_HOST      ? cudaMemoryTypeHost
                    : a.kind == ALLOCATION_MANAGED ? cudaMemoryTypeManaged
                                                   : cudaMemoryTypeDevice;
        out->device = a.device;
        out->devicePointer = (void *)(uintptr_t)p;
        out->hostPointer = device_only ? NULL : (void *)(uintptr_t)p;
    }
    RT(cudaSuccess, "ptr=%p type=%d", p, (int)out->type);
}

/* -- stream-ordered allocation ----------------------------------------------------------------- */

/* A pool is device's, the same in both APIs. */
static struct device_pool *
pool_of(cudaMemPool_t pool)
{
    return (struct device_pool *)pool;
}

static int
allocate_async(void **p, size_t size, cudaStream_t stream)
{
    struct device_stream *s;
    uint64_t address;
    int r = rt_stream(stream, &s);
    if (r == cudaSuccess && !p)
        r = rt_fail(cudaErrorInvalidValue, "the place for the pointer is NULL");
    if (r == cudaSuccess)
        r = (int)device_alloc_ordered(s, size, &address);
    if (r == cudaSuccess)
        *p = (void *)address;
    return r;
}

cudaError_t
cudaMallocAsync(void **p, size_t size, cudaStream_t stream)
{
    RT(allocate_async(p, size, stream), "devPtr=%p size=%zu stream=%p", p ? *p : NULL, size,
       (void *)stream);
}

cudaError_t
cudaMallocFromPoolAsync(void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    int r = (int)device_pool_check(pool_of(pool));
    RT(r == cudaSuccess ? allocate_async(p, size, stream) : r, "size=%zu pool=%p stream=%p", size,
       (void *)pool, (void *)stream);
}

cudaError_t
cudaFreeAsync(void *p, cudaStream_t stream)
{
    struct device_stream *s;
    struct device_op op = {.kind = DEVICE_OP_FREE, .storage = {.address = (uint64_t)p}};
    int r = rt_stream(stream, &s);
    RT(r == cudaSuccess ? (int)device_submit(s, &op) : r, "devPtr=%p stream=%p", p, (void *)stream);
}

cudaError_t
cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    int r = pool && device_at(device) ? cudaSuccess : cudaErrorInvalidDevice;
    if (r == cudaSuccess)
        *pool = (cudaMemPool_t)device_pool_own(device_at(device));
    RT(r, "device=%d", device);
}

cudaError_t
cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    int r = pool && device_at(device) ? cudaSuccess : cudaErrorInvalidDevice;
    if (r == cudaSuccess)
        *pool = (cudaMemPool_t)device_pool_chosen(device_at(device));
    RT(r, "device=%d", device);
}

cudaError_t
cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    struct device *d = device_at(device);
    RT(d ? (int)device_pool_choose(d, pool_of(pool)) : (int)cudaErrorInvalidDevice,
       "device=%d pool=%p", device, (void *)pool);
}

static int
pool_create(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
    if (!pool || !props)
        return rt_fail(cudaErrorInvalidValue, "%s is NULL", pool ? "poolProps" : "memPool");
    if (props->handleTypes & ~cudaMemHandleTypePosixFileDescriptor)
        return rt_refuse("handles other than file descriptors");
    if (props->location.type != cudaMemLocationTypeDevice || !device_at(props->location.id))
        return rt_fail(cudaErrorInvalidValue, "the pool's location is no device");
    *pool = (cudaMemPool_t)device_pool_new(device_at(props->location.id),
                                           props->handleTypes != cudaMemHandleTypeNone);
    return cudaSuccess;
}

cudaError_t
cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
    RT(pool_create(pool, props), "memPool=%p", (void *)pool);
}

cudaError_t
cudaMemPoolDestroy(cudaMemPool_t pool)
{
    RT(device_pool_free(pool_of(pool)), "memPool=%p", (void *)pool);
}

cudaError_t
cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    RT(device_pool_check(pool_of(pool)), "memPool=%p keep=%zu", (void *)pool, keep);
}

cudaError_t
cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    RT(device_pool_attribute(pool_of(pool), (int)attr, value, true), "memPool=%p attr=%d",
       (void *)pool, (int)attr);
}

cudaError_t
cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    RT(device_pool_attribute(pool_of(pool), (int)attr, value, false), "memPool=%p attr=%d",
       (void *)pool, (int)attr);
}

cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)
{
    int r = list ? (int)device_pool_check(pool_of(pool))
                 : rt_fail(cudaErrorInvalidValue, "the list is NULL");
    for (size_t k = 0; r == cudaSuccess && k < count; k++)
        if (list[k].flags != cudaMemAccessFlagsProtNone)
            r = (int)device_pool_show(pool_of(pool), list[k].location.id);
    RT(r, "memPool=%p count=%zu", (void *)pool, count);
}

cudaError_t
cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                     struct cudaMemLocation *location)
{
    int r = flags && location ? (int)device_pool_check(pool_of(pool))
                              : rt_fail(cudaErrorInvalidValue, "the place or its flags are NULL");
    if (r == cudaSuccess)
        *flags = cudaMemAccessFlagsProtReadWrite;
    RT(r, "memPool=%p", (void *)pool);
}

cudaError_t
cudaDeviceGraphMemTrim(int device)
{
    RT(device_at(device) ? cudaSuccess : cudaErrorInvalidDevice, "device=%d", device);
}

cudaError_t
cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    uint64_t used = 0;
    struct device *d = device_at(device);
    int r = d && value ? cudaSuccess : cudaErrorInvalidValue;
    if (r == cudaSuccess) {
        memory_usage(device_memory(d), &used, NULL, NULL);
        memcpy(value, &used, sizeof used);
    }
    RT(r, "device=%d attr=%d", device, (int)attr);
}

cudaError_t
cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    RT(device_at(device) && value ? cudaSuccess : cudaErrorInvalidValue, "device=%d attr=%d",
       device, (int)attr);
}
