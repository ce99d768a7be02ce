/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: allocation, copies, sets, symbols. A device pointer is a host pointer, so a copy is a
 * memcpy once both ends are known to be what the call says they are.
 */
#include "cudart/cudart.h"

#include <stdlib.h>
#include <string.h>

enum { PITCH = 512, HOST_ALIGN = 4096 };

static cudaError_t
allocate(void **out, size_t size, enum allocation_kind kind)
{
    cudaError_t e = cudaSuccess;
    if (!out)
        return rt_fail(cudaErrorInvalidValue, "the place for the pointer is NULL");
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    *out = NULL;
    if (!size)
        return cudaSuccess;
    uint64_t a = memory_alloc(device_memory(d), size, 256, kind, NULL);
    if (!a)
        return rt_fail(cudaErrorMemoryAllocation, "%zu bytes", size);
    *out = (void *)(uintptr_t)a;
    return cudaSuccess;
}

static cudaError_t
release(void *p)
{
    cudaError_t e = cudaSuccess;
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    if (!p)
        return cudaSuccess;
    struct ls_error err;
    for (int k = 0, n = device_count(&err); k < n; k++) {
        struct device *x = device_get(k, &err);
        struct allocation a;
        if (x && memory_find(device_memory(x), (uintptr_t)p, &a, NULL) && a.base == (uintptr_t)p &&
            a.kind != ALLOCATION_HOST && a.kind != ALLOCATION_VARIABLE &&
            memory_release(device_memory(x), (uintptr_t)p))
            return cudaSuccess;
    }
    return rt_fail(cudaErrorInvalidValue, "%p was not allocated, or is freed already", p);
}

cudaError_t
cudaMalloc(void **p, size_t size)
{
    return rt_error(allocate(p, size, ALLOCATION_DEVICE));
}

cudaError_t
cudaMallocManaged(void **p, size_t size, unsigned int flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    if (!size)
        return rt_fail(cudaErrorInvalidValue, "size is 0");
    return rt_error(allocate(p, size, ALLOCATION_MANAGED));
}

cudaError_t
cudaMallocAsync(void **p, size_t size, cudaStream_t s)
{
    if (!rt_stream_valid(s))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no stream", (void *)s);
    return cudaMalloc(p, size);
}

cudaError_t
cudaFree(void *p)
{
    return release(p);
}

cudaError_t
cudaFreeAsync(void *p, cudaStream_t s)
{
    if (!rt_stream_valid(s))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no stream", (void *)s);
    return release(p);
}

cudaError_t
cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    if (!pitch)
        return rt_fail(cudaErrorInvalidValue, "pitch is NULL");
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return cudaMalloc(p, *pitch * height);
}

cudaError_t
cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    size_t pitch;
    void *at = NULL;
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "pitchedDevPtr is NULL");
    cudaError_t e = cudaMallocPitch(&at, &pitch, extent.width, extent.height * extent.depth);
    if (e == cudaSuccess) {
        p->ptr = at;
        p->pitch = pitch;
        p->xsize = extent.width;
        p->ysize = extent.height;
    }
    return e;
}

/* -- host memory -------------------------------------------------------------------------------------- */

cudaError_t
cudaHostAlloc(void **p, size_t size, unsigned int flags)
{
    cudaError_t e = cudaSuccess;
    (void)flags;
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "the place for the pointer is NULL");
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    *p = NULL;
    if (!size)
        return cudaSuccess;
    size_t room = (size + HOST_ALIGN - 1) / HOST_ALIGN * HOST_ALIGN;
    void *at = room >= size ? aligned_alloc(HOST_ALIGN, room) : NULL;
    if (!at || !memory_adopt(device_memory(d), (uintptr_t)at, size, ALLOCATION_HOST)) {
        free(at);
        return rt_fail(cudaErrorMemoryAllocation, "%zu bytes", size);
    }
    *p = at;
    return cudaSuccess;
}

cudaError_t
cudaMallocHost(void **p, size_t size)
{
    return cudaHostAlloc(p, size, cudaHostAllocDefault);
}

static bool
forget_host(void *p)
{
    struct ls_error err;
    for (int k = 0, n = device_count(&err); k < n; k++) {
        struct device *x = device_get(k, &err);
        struct allocation a;
        if (x && memory_find(device_memory(x), (uintptr_t)p, &a, NULL) && a.base == (uintptr_t)p &&
            a.kind == ALLOCATION_HOST)
            return memory_release(device_memory(x), (uintptr_t)p);
    }
    return false;
}

cudaError_t
cudaFreeHost(void *p)
{
    if (!p)
        return cudaSuccess;
    if (!forget_host(p))
        return rt_fail(cudaErrorInvalidValue, "%p is no pinned host memory", p);
    free(p);
    return cudaSuccess;
}

cudaError_t
cudaHostRegister(void *p, size_t size, unsigned int flags)
{
    cudaError_t e = cudaSuccess;
    (void)flags;
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    if (!p || !size)
        return rt_fail(cudaErrorInvalidValue, "ptr is NULL or size is 0");
    if (!memory_adopt(device_memory(d), (uintptr_t)p, size, ALLOCATION_HOST))
        return rt_fail(cudaErrorHostMemoryAlreadyRegistered, "%p", p);
    return cudaSuccess;
}

cudaError_t
cudaHostUnregister(void *p)
{
    return forget_host(p) ? cudaSuccess
                          : rt_fail(cudaErrorHostMemoryNotRegistered, "%p is not registered", p);
}

cudaError_t
cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    cudaError_t e = cudaSuccess;
    (void)flags;
    struct allocation a;
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    if (!device || !memory_find(device_memory(d), (uintptr_t)host, &a, NULL))
        return rt_fail(cudaErrorInvalidValue, "%p is no pinned host memory", host);
    *device = host;
    return cudaSuccess;
}

cudaError_t
cudaHostGetFlags(unsigned int *flags, void *host)
{
    (void)host;
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p)
{
    struct ls_error err;
    struct allocation a;
    if (!out)
        return rt_fail(cudaErrorInvalidValue, "attributes is NULL");
    *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2,
                                          .hostPointer = (void *)(uintptr_t)p};
    for (int k = 0, n = device_count(&err); k < n; k++) {
        struct device *x = device_get(k, &err);
        if (!x || !memory_find(device_memory(x), (uintptr_t)p, &a, NULL))
            continue;
        bool device_only = a.kind != ALLOCATION_HOST && a.kind != ALLOCATION_MANAGED;
        out->type = a.kind == ALLOCATION_HOST      ? cudaMemoryTypeHost
                    : a.kind == ALLOCATION_MANAGED ? cudaMemoryTypeManaged
                                                   : cudaMemoryTypeDevice;
        out->device = k;
        out->devicePointer = (void *)(uintptr_t)p;
        out->hostPointer = device_only ? NULL : (void *)(uintptr_t)p;
        break;
    }
    return cudaSuccess;
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t e = cudaSuccess;
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    uint64_t used, all, n;
    memory_usage(device_memory(d), &used, &all, &n);
    if (free_bytes)
        *free_bytes = all - used;
    if (total)
        *total = all;
    return cudaSuccess;
}

cudaError_t
cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t s)
{
    (void)p, (void)n, (void)device;
    return rt_stream_valid(s) ? rt_sticky() : rt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t
cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise advice, int device)
{
    (void)p, (void)n, (void)advice, (void)device;
    return rt_sticky();
}

/* -- copies --------------------------------------------------------------------------------------------- */

/* Is [p, p+n) device memory? 1: yes, wholly; 0: not at all; -1: it begins in an allocation and runs
 * past its end. */
static int
on_device(const void *p, size_t n)
{
    struct ls_error err;
    struct allocation a;
    for (int k = 0, count = device_count(&err); k < count; k++) {
        struct device *x = device_get(k, &err);
        if (x && memory_find(device_memory(x), (uintptr_t)p, &a, NULL))
            return (uintptr_t)p + n <= a.base + a.size ? 1 : -1;
    }
    return 0;
}

static cudaError_t
check_end(const void *p, size_t n, bool device, const char *which)
{
    int there = on_device(p, n);
    if (there < 0)
        return rt_fail(cudaErrorInvalidValue, "%s: %zu bytes at %p run past the allocation's end", which,
                       n, p);
    if (device && !there)
        return rt_fail(cudaErrorInvalidValue, "%s: %p is no device memory", which, p);
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "%s is NULL", which);
    return cudaSuccess;
}

static cudaError_t
check_copy(const void *dst, const void *src, size_t n, enum cudaMemcpyKind kind)
{
    cudaError_t e = cudaSuccess;
    if (!rt_device(&e))
        return e;
    if ((int)kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return rt_fail(cudaErrorInvalidMemcpyDirection, "kind %d", (int)kind);
    if (!n)
        return cudaSuccess;
    bool to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    e = check_end(dst, n, to, "dst");
    return e != cudaSuccess ? e : check_end(src, n, from, "src");
}

cudaError_t
cudaMemcpy(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind)
{
    cudaError_t e = check_copy(dst, src, n, kind);
    if (e == cudaSuccess && n)
        memmove(dst, src, n);
    return e;
}

cudaError_t
cudaMemcpyAsync(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t s)
{
    if (!rt_stream_valid(s))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no stream", (void *)s);
    return cudaMemcpy(dst, src, n, kind);
}

cudaError_t
cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t n)
{
    (void)dst_device, (void)src_device;
    return cudaMemcpy(dst, src, n, cudaMemcpyDeviceToDevice);
}

cudaError_t
cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t n,
                    cudaStream_t s)
{
    (void)s;
    return cudaMemcpyPeer(dst, dst_device, src, src_device, n);
}

cudaError_t
cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
             enum cudaMemcpyKind kind)
{
    if (width > dpitch || width > spitch)
        return rt_fail(cudaErrorInvalidPitchValue, "width %zu, pitches %zu and %zu", width, dpitch,
                       spitch);
    if (!width || !height)
        return cudaSuccess;
    size_t last = height - 1;
    cudaError_t e = check_copy(dst, src, width, kind);
    if (e == cudaSuccess)
        e = check_copy((char *)dst + last * dpitch, (const char *)src + last * spitch, width, kind);
    for (size_t y = 0; e == cudaSuccess && y < height; y++)
        memmove((char *)dst + y * dpitch, (const char *)src + y * spitch, width);
    return e;
}

cudaError_t
cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                  size_t height, enum cudaMemcpyKind kind, cudaStream_t s)
{
    if (!rt_stream_valid(s))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no stream", (void *)s);
    return cudaMemcpy2D(dst, dpitch, src, spitch, width, height, kind);
}

/* -- sets ------------------------------------------------------------------------------------------------ */

cudaError_t
cudaMemset(void *p, int value, size_t n)
{
    cudaError_t e = cudaSuccess;
    if (!rt_device(&e))
        return e;
    if (!n)
        return cudaSuccess;
    e = check_end(p, n, true, "devPtr");
    if (e == cudaSuccess)
        memset(p, value, n);
    return e;
}

cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s)
{
    if (!rt_stream_valid(s))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no stream", (void *)s);
    return cudaMemset(p, value, n);
}

cudaError_t
cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    cudaError_t e = cudaSuccess;
    if (width > pitch)
        return rt_fail(cudaErrorInvalidValue, "width %zu, pitch %zu", width, pitch);
    for (size_t y = 0; e == cudaSuccess && y < height; y++)
        e = cudaMemset((char *)p + y * pitch, value, width);
    return e;
}

cudaError_t
cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t s)
{
    (void)s;
    return cudaMemset2D(p, pitch, value, width, height);
}

cudaError_t
cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
    return cudaMemset2D(p.ptr, p.pitch, value, extent.width, extent.height * extent.depth);
}

/* -- symbols ------------------------------------------------------------------------------------------------ */

static cudaError_t
symbol(const void *host, size_t offset, size_t n, void **out)
{
    cudaError_t e = cudaSuccess;
    uint64_t size = 0;
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    uint64_t a = rt_variable(d, host, &size);
    if (!a)
        return rt_fail(cudaErrorInvalidSymbol, "%p is no variable of this program", host);
    if (offset > size || n > size - offset)
        return rt_fail(cudaErrorInvalidValue, "%zu bytes from offset %zu: the variable has %llu", n,
                       offset, (unsigned long long)size);
    *out = (void *)(uintptr_t)(a + offset);
    return cudaSuccess;
}

cudaError_t
cudaMemcpyToSymbol(const void *host, const void *src, size_t n, size_t offset,
                   enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = symbol(host, offset, n, &at);
    return e != cudaSuccess ? e : cudaMemcpy(at, src, n, kind);
}

cudaError_t
cudaMemcpyToSymbolAsync(const void *host, const void *src, size_t n, size_t offset,
                        enum cudaMemcpyKind kind, cudaStream_t s)
{
    (void)s;
    return cudaMemcpyToSymbol(host, src, n, offset, kind);
}

cudaError_t
cudaMemcpyFromSymbol(void *dst, const void *host, size_t n, size_t offset, enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = symbol(host, offset, n, &at);
    return e != cudaSuccess ? e : cudaMemcpy(dst, at, n, kind);
}

cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const void *host, size_t n, size_t offset,
                          enum cudaMemcpyKind kind, cudaStream_t s)
{
    (void)s;
    return cudaMemcpyFromSymbol(dst, host, n, offset, kind);
}

cudaError_t
cudaGetSymbolAddress(void **out, const void *host)
{
    return symbol(host, 0, 0, out);
}

cudaError_t
cudaGetSymbolSize(size_t *size, const void *host)
{
    cudaError_t e = cudaSuccess;
    uint64_t n = 0;
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    if (!rt_variable(d, host, &n))
        return rt_fail(cudaErrorInvalidSymbol, "%p is no variable of this program", host);
    *size = n;
    return cudaSuccess;
}
