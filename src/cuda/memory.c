/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: device memory, pinned and managed memory, pointers' attributes, stream-ordered
 * allocation and its pools.
 */
#include "cuda/driver.h"

#include <string.h>

enum { PITCH = 512 };

/* -- device memory ----------------------------------------------------------------------------- */

static int
allocate(CUdeviceptr *out, size_t size, enum allocation_kind kind)
{
    struct device *d;
    uint64_t address = 0;
    int r = out ? cu_use(&d) : cu_null("dptr");
    if (r == CUDA_SUCCESS && !size) /* the runtime gives NULL for nothing, the driver an error */
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
    if (r == CUDA_SUCCESS)
        r = (int)device_capture_unsafe();
    if (r == CUDA_SUCCESS)
        r = (int)device_alloc(d, size, kind, &address);
    if (r == CUDA_SUCCESS) {
        cu_own(CU_OWNED_MEMORY, address);
        *out = address;
    }
    return r;
}

CUresult
cuMemAlloc_v2(CUdeviceptr *dptr, size_t size)
{
    CU(allocate(dptr, size, ALLOCATION_DEVICE), "dptr=0x%llx bytesize=%zu", dptr ? *dptr : 0, size);
}

static int
allocate_pitched(CUdeviceptr *dptr, size_t *pitch, size_t width, size_t height, unsigned element)
{
    size_t bytes;
    if (!pitch || !width || !height || width > SIZE_MAX - PITCH)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%zu x %zu bytes", width, height);
    if (element != 4 && element != 8 && element != 16)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "elements of %u bytes: 4, 8 or 16", element);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (__builtin_mul_overflow(*pitch, height, &bytes))
        return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "an absurd size");
    return allocate(dptr, bytes, ALLOCATION_DEVICE);
}

CUresult
cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pitch, size_t width, size_t height,
                   unsigned int element)
{
    CU(allocate_pitched(dptr, pitch, width, height, element), "width=%zu height=%zu element=%u",
       width, height, element);
}

static int
release(CUdeviceptr at)
{
    struct device *d;
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS)
        r = (int)device_capture_unsafe();
    if (r == CUDA_SUCCESS)
        r = (int)device_free(at);
    if (r == CUDA_SUCCESS)
        cu_disown(CU_OWNED_MEMORY, at);
    return r;
}

CUresult
cuMemFree_v2(CUdeviceptr dptr)
{
    CU(release(dptr), "dptr=0x%llx", dptr);
}

CUresult
cuMemGetInfo_v2(size_t *left, size_t *total)
{
    struct device *d;
    uint64_t a = 0, b = 0;
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS)
        device_memory_info(d, &a, &b);
    if (r == CUDA_SUCCESS && left)
        *left = a;
    if (r == CUDA_SUCCESS && total)
        *total = b;
    CU(r, "free=%llu total=%llu", (unsigned long long)a, (unsigned long long)b);
}

static int
find(CUdeviceptr at, struct allocation *out)
{
    struct device *d;
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS && !device_find(at, out))
        r = cu_fail(CUDA_ERROR_NOT_FOUND, "0x%llx lies in no allocation", at);
    return r;
}

CUresult
cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr dptr)
{
    struct allocation a;
    int r = find(dptr, &a);
    if (r == CUDA_SUCCESS && base)
        *base = a.base;
    if (r == CUDA_SUCCESS && size)
        *size = a.size;
    CU(r, "dptr=0x%llx", dptr);
}

/* -- host memory ------------------------------------------------------------------------------- */

static int
host_alloc(void **pp, size_t size, unsigned flags)
{
    struct device *d;
    if (!pp || flags & ~7u)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "pp %p, flags 0x%x", (void *)pp, flags);
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS)
        r = (int)device_capture_unsafe();
    return r == CUDA_SUCCESS ? (int)device_host_alloc(size, flags, pp) : r;
}

CUresult
cuMemAllocHost_v2(void **pp, size_t size)
{
    CU(host_alloc(pp, size, 0), "pp=%p bytesize=%zu", pp ? *pp : NULL, size);
}

CUresult
cuMemHostAlloc(void **pp, size_t size, unsigned int flags)
{
    CU(host_alloc(pp, size, flags), "pp=%p bytesize=%zu flags=0x%x", pp ? *pp : NULL, size, flags);
}

CUresult
cuMemFreeHost(void *p)
{
    int r = (int)device_capture_unsafe();
    CU(r == CUDA_SUCCESS ? (int)device_host_free(p) : r, "p=%p", p);
}

CUresult
cuMemHostRegister_v2(void *p, size_t size, unsigned int flags)
{
    struct device *d;
    int r = cu_use(&d);
    CU(r == CUDA_SUCCESS ? (int)device_host_register(p, size, flags) : r,
       "p=%p bytesize=%zu flags=0x%x", p, size, flags);
}

CUresult
cuMemHostUnregister(void *p)
{
    CU(device_host_unregister(p), "p=%p", p);
}

static int
host_pointer(CUdeviceptr *out, void *p)
{
    struct allocation a;
    if (!out)
        return cu_null("pdptr");
    int r = find((CUdeviceptr)p, &a);
    if (r == CUDA_SUCCESS ? a.kind != ALLOCATION_HOST : r == CUDA_ERROR_NOT_FOUND)
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no pinned host memory", p);
    if (r == CUDA_SUCCESS)
        *out = (CUdeviceptr)p;
    return r;
}

CUresult
cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int flags)
{
    CU(host_pointer(pdptr, p), "p=%p flags=%u", p, flags);
}

CUresult
cuMemHostGetFlags(unsigned int *flags, void *p)
{
    uint32_t value = 0;
    int r = flags ? (int)device_host_flags(p, &value) : cu_null("pFlags");
    if (r == CUDA_SUCCESS)
        *flags = value | CU_MEMHOSTALLOC_DEVICEMAP;
    CU(r, "p=%p", p);
}

/* -- managed memory ---------------------------------------------------------------------------- */

CUresult
cuMemAllocManaged(CUdeviceptr *dptr, size_t size, unsigned int flags)
{
    CU(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST
           ? allocate(dptr, size, ALLOCATION_MANAGED)
           : cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags),
       "dptr=0x%llx bytesize=%zu flags=%u", dptr ? *dptr : 0, size, flags);
}

/* Where managed memory lies makes no difference here; what is asked is checked all the same. */
static int
check_managed(CUdeviceptr at, size_t count, CUdevice place)
{
    struct allocation a;
    struct device *d;
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS && place >= 0)
        r = cu_device(place, &d);
    if (r != CUDA_SUCCESS)
        return r;
    if (!count || !device_find(at, &a) || a.kind != ALLOCATION_MANAGED)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx is no managed memory", at);
    if (count > a.size - (at - a.base))
        return cu_fail(CUDA_ERROR_INVALID_VALUE,
                       "%zu bytes at 0x%llx run past the allocation's end", count, at);
    return CUDA_SUCCESS;
}

CUresult
cuMemPrefetchAsync(CUdeviceptr at, size_t count, CUdevice place, CUstream stream)
{
    struct device_stream *s;
    int r = cu_stream(stream, &s);
    CU(r == CUDA_SUCCESS ? check_managed(at, count, place) : r,
       "devPtr=0x%llx count=%zu dstDevice=%d", at, count, place);
}

CUresult
cuMemAdvise(CUdeviceptr at, size_t count, CUmem_advise advice, CUdevice place)
{
    bool placeless = advice == CU_MEM_ADVISE_SET_READ_MOSTLY ||
                     advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY ||
                     advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
    CU(check_managed(at, count, placeless ? CU_DEVICE_CPU : place),
       "devPtr=0x%llx count=%zu advice=%d device=%d", at, count, (int)advice, place);
}

static int
range_attribute(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr at,
                size_t count)
{
    int value = attribute == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ? 0 : CU_DEVICE_INVALID;
    int r = check_managed(at, count, CU_DEVICE_CPU);
    if (r == CUDA_SUCCESS && (!data || size < sizeof value))
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "no room for the answer");
    for (size_t k = 0; r == CUDA_SUCCESS && k + sizeof value <= size; k += sizeof value)
        memcpy((char *)data + k, &value, sizeof value);
    return r;
}

CUresult
cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute, CUdeviceptr at,
                       size_t count)
{
    CU(range_attribute(data, size, attribute, at, count), "attribute=%d devPtr=0x%llx count=%zu",
       (int)attribute, at, count);
}

CUresult
cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t n,
                        CUdeviceptr at, size_t count)
{
    int r = data && sizes && attributes ? (int)CUDA_SUCCESS : cu_null("a list");
    for (size_t k = 0; r == CUDA_SUCCESS && k < n; k++)
        r = range_attribute(data[k], sizes[k], attributes[k], at, count);
    CU(r, "numAttributes=%zu devPtr=0x%llx count=%zu", n, at, count);
}

/* -- what a pointer is ------------------------------------------------------------------------- */

static int
pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr at)
{
    struct allocation a = {0};
    if (!data)
        return cu_null("data");
    if (!device_find(at, &a))
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx lies in no allocation", at);
    bool host = a.kind == ALLOCATION_HOST, managed = a.kind == ALLOCATION_MANAGED;
    struct device *d = device_at(a.device);
    unsigned type = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    unsigned long long number = a.number, size = a.size, base = a.base;
    CUcontext c = d ? cu_primary(d) : NULL;
    void *on_host = (void *)at;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: memcpy(data, &c, sizeof c); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: memcpy(data, &type, sizeof type); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: memcpy(data, &at, sizeof at); break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host && !managed)
            return cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx is memory of a device alone", at);
        memcpy(data, &on_host, sizeof on_host);
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: memset(data, 0, sizeof(int)); break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: memcpy(data, &number, sizeof number); break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)data = managed; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = a.device; break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(unsigned *)data = a.kind == ALLOCATION_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: memcpy(data, &base, sizeof base); break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: memcpy(data, &size, sizeof size); break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)data = 1; break;
    default: return cu_fail(CUDA_ERROR_INVALID_VALUE, "attribute %d is not known", (int)attribute);
    }
    return CUDA_SUCCESS;
}

CUresult
cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    CU(pointer_attribute(data, attribute, ptr), "attribute=%d ptr=0x%llx", (int)attribute, ptr);
}

/* Unlike the call for one attribute, a pointer that is not known is no error: its values are 0. */
CUresult
cuPointerGetAttributes(unsigned int n, CUpointer_attribute *attributes, void **data,
                       CUdeviceptr ptr)
{
    int r = attributes && data ? (int)CUDA_SUCCESS : cu_null("attributes or data");
    struct allocation a;
    bool known = device_find(ptr, &a);
    for (unsigned k = 0; r == CUDA_SUCCESS && k < n; k++)
        if (!known)
            memset(data[k], 0, sizeof(int));
        else if (pointer_attribute(data[k], attributes[k], ptr) != CUDA_SUCCESS)
            memset(data[k], 0, sizeof(void *));
    CU(r, "numAttributes=%u ptr=0x%llx", n, ptr);
}

/* Copies are in order with the host here: the one attribute that can be set asks for that. */
CUresult
cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct allocation a;
    int r = value ? find(ptr, &a) : cu_null("value");
    if (r == CUDA_SUCCESS && attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "attribute %d cannot be set", (int)attribute);
    CU(r, "attribute=%d ptr=0x%llx", (int)attribute, ptr);
}

/* -- stream-ordered allocation ----------------------------------------------------------------- */

/* A pool is device's, the same in both APIs. */
static struct device_pool *
pool_of(CUmemoryPool pool)
{
    return (struct device_pool *)pool;
}

static int
allocate_async(CUdeviceptr *out, size_t size, CUstream stream)
{
    struct device_stream *s;
    uint64_t address;
    int r = out ? cu_stream(stream, &s) : cu_null("dptr");
    if (r == CUDA_SUCCESS)
        r = (int)device_alloc_ordered(s, size, &address);
    if (r == CUDA_SUCCESS)
        *out = address;
    return r;
}

CUresult
cuMemAllocAsync(CUdeviceptr *dptr, size_t size, CUstream stream)
{
    CU(allocate_async(dptr, size, stream), "dptr=0x%llx bytesize=%zu stream=%p", dptr ? *dptr : 0,
       size, (void *)stream);
}

CUresult
cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t size, CUmemoryPool pool, CUstream stream)
{
    int r = (int)device_pool_check(pool_of(pool));
    CU(r == CUDA_SUCCESS ? allocate_async(dptr, size, stream) : r, "bytesize=%zu pool=%p stream=%p",
       size, (void *)pool, (void *)stream);
}

CUresult
cuMemFreeAsync(CUdeviceptr dptr, CUstream stream)
{
    struct device_stream *s;
    struct device_op op = {.kind = DEVICE_OP_FREE, .storage = {.address = dptr}};
    int r = cu_stream(stream, &s);
    if (r == CUDA_SUCCESS)
        r = (int)device_submit(s, &op);
    if (r == CUDA_SUCCESS)
        cu_disown(CU_OWNED_MEMORY, dptr);
    CU(r, "dptr=0x%llx stream=%p", dptr, (void *)stream);
}

CUresult
cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev)
{
    CU_DEVICE_PROPERTY(pool, dev, (CUmemoryPool)device_pool_own(d));
}

CUresult
cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    CU_DEVICE_PROPERTY(pool, dev, (CUmemoryPool)device_pool_chosen(d));
}

CUresult
cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    struct device *d;
    int r = cu_device(dev, &d);
    CU(r == CUDA_SUCCESS ? (int)device_pool_choose(d, pool_of(pool)) : r, "dev=%d pool=%p", dev,
       (void *)pool);
}

static int
pool_create(CUmemoryPool *pool, const CUmemPoolProps *p)
{
    struct device *d;
    if (!pool || !p)
        return cu_null("pool or poolProps");
    if (p->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return cu_refuse("handles other than file descriptors");
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "the pool's location is no device");
    int r = cu_device(p->location.id, &d);
    if (r == CUDA_SUCCESS)
        *pool = (CUmemoryPool)device_pool_new(d, p->handleTypes != CU_MEM_HANDLE_TYPE_NONE);
    return r;
}

CUresult
cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    CU(pool_create(pool, props), "pool=%p", pool ? (void *)*pool : NULL);
}

CUresult
cuMemPoolDestroy(CUmemoryPool pool)
{
    CU(device_pool_free(pool_of(pool)), "pool=%p", (void *)pool);
}

/* Freed memory goes back at once: there is nothing to trim. */
CUresult
cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
    CU(device_pool_check(pool_of(pool)), "pool=%p minBytesToKeep=%zu", (void *)pool, keep);
}

CUresult
cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    CU(device_pool_attribute(pool_of(pool), (int)attr, value, true), "pool=%p attr=%d",
       (void *)pool, (int)attr);
}

CUresult
cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    CU(device_pool_attribute(pool_of(pool), (int)attr, value, false), "pool=%p attr=%d",
       (void *)pool, (int)attr);
}

/* Every device sees all memory; check is told. */
CUresult
cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    int r = map ? (int)device_pool_check(pool_of(pool)) : cu_null("map");
    for (size_t k = 0; r == CUDA_SUCCESS && k < count; k++)
        if (map[k].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE)
            r = (int)device_pool_show(pool_of(pool), map[k].location.id);
    CU(r, "pool=%p count=%zu", (void *)pool, count);
}

CUresult
cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
    int r =
        flags && location ? (int)device_pool_check(pool_of(pool)) : cu_null("flags or location");
    if (r == CUDA_SUCCESS)
        *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CU(r, "pool=%p", (void *)pool);
}
