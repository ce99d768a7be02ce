/* SPDX-License-Identifier: Apache-2.0
 *
 * mapping.c: address reservations and the memory that is mapped into them.
 *
 * A range is reserved address space of this process, memory is an anonymous file, a mapping maps a
 * part of the file. The runs of a range that can be accessed are listed in the device's table of
 * allocations, each as one, so that copies may cross from one mapping into the next. An exported
 * handle is the file's descriptor: another process that imports it sees the same memory.
 */
#define _GNU_SOURCE /* memfd_create */
#include "cuda/driver.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t granularity = 2u << 20; /* that of today's GPUs */

struct physical {
    int file, device;
    size_t size;
    unsigned users; /* the handle, and each mapping */
    CUmemAllocationProp prop;
};

struct mapping {
    CUdeviceptr at;
    size_t size;
    struct physical *memory;
    CUmemAccess_flags access;
};

struct reservation {
    CUdeviceptr at;
    size_t size;
    VEC(struct mapping) mappings; /* by address */
    VEC(CUdeviceptr) listed;      /* runs in the table of allocations */
    struct device *owner;         /* of that table */
    struct reservation *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation *reservations;

static struct reservation *
range_of(CUdeviceptr at, size_t size)
{
    struct reservation *r = reservations;
    while (r && !(at >= r->at && at - r->at < r->size && size <= r->size - (at - r->at)))
        r = r->next;
    return r;
}

/* -- address reservations ---------------------------------------------------------------------- */

static int
reserve(CUdeviceptr *out, size_t size, size_t alignment)
{
    struct device *d;
    int r = out ? cu_use(&d) : cu_null("ptr");
    if (r != CUDA_SUCCESS)
        return r;
    if (device_is_gpu())
        return cu_refuse("address reservations on a real GPU");
    if (!size || size % granularity || alignment & (alignment - 1) || size + alignment < size)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%zu bytes: a multiple of %zu is needed", size,
                       granularity);
    if (alignment < granularity)
        alignment = granularity;
    uint8_t *at =
        mmap(NULL, size + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes of addresses: %s", size,
                       strerror(errno));
    uintptr_t base = ((uintptr_t)at + alignment - 1) & ~(uintptr_t)(alignment - 1);
    munmap(at, base - (uintptr_t)at);
    munmap((void *)(base + size), (uintptr_t)at + alignment - base);
    struct reservation *range = ls_alloc(sizeof *range);
    range->at = base;
    range->size = size;
    range->owner = d;
    pthread_mutex_lock(&lock);
    range->next = reservations;
    reservations = range;
    pthread_mutex_unlock(&lock);
    *out = base;
    return CUDA_SUCCESS;
}

/* The wanted address is a wish, which the API lets us ignore. */
CUresult
cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr wanted,
                    unsigned long long flags)
{
    (void)wanted;
    CU(flags ? cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%llx", flags)
             : reserve(ptr, size, alignment),
       "ptr=0x%llx size=%zu alignment=%zu", ptr ? *ptr : 0, size, alignment);
}

static int
free_range(CUdeviceptr at, size_t size)
{
    pthread_mutex_lock(&lock);
    struct reservation **link = &reservations;
    while (*link && (*link)->at != at)
        link = &(*link)->next;
    struct reservation *r = *link;
    bool fine = r && r->size == size && !r->mappings.count;
    if (fine)
        *link = r->next;
    pthread_mutex_unlock(&lock);
    if (!fine)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx, %zu bytes: %s", at, size,
                       r ? "not the range's size, or memory is still mapped" : "no reserved range");
    munmap((void *)at, size);
    VEC_FREE(&r->mappings);
    VEC_FREE(&r->listed);
    ls_release(r);
    return CUDA_SUCCESS;
}

CUresult
cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    CU(free_range(ptr, size), "ptr=0x%llx size=%zu", ptr, size);
}

/* -- memory ------------------------------------------------------------------------------------ */

static int
check_prop(const CUmemAllocationProp *p)
{
    struct device *d;
    if (!p || p->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return cu_fail(CUDA_ERROR_INVALID_VALUE,
                       "the properties are not those of a device's memory");
    if (p->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return cu_refuse("handles other than file descriptors");
    return cu_device(p->location.id, &d);
}

static struct physical *
physical_new(int file, size_t size, const CUmemAllocationProp *prop)
{
    struct physical *m = ls_alloc(sizeof *m);
    *m = (struct physical){file, prop->location.id, size, 1, *prop};
    return m;
}

static void
physical_put(struct physical *m)
{
    if (--m->users)
        return;
    close(m->file);
    ls_release(m);
}

static int
create(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *prop)
{
    int r = out ? check_prop(prop) : cu_null("handle");
    if (r == CUDA_SUCCESS && (!size || size % granularity))
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "%zu bytes: a multiple of %zu is needed", size,
                    granularity);
    if (r != CUDA_SUCCESS)
        return r;
    if (size > device_profile(device_at(prop->location.id))->memory_bytes)
        return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes", size);
    int file = memfd_create("lockstep", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size) < 0) {
        if (file >= 0)
            close(file);
        return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "%zu bytes: %s", size, strerror(errno));
    }
    *out = (CUmemGenericAllocationHandle)physical_new(file, size, prop);
    return CUDA_SUCCESS;
}

CUresult
cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
            unsigned long long flags)
{
    CU(flags ? cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%llx", flags)
             : create(handle, size, prop),
       "size=%zu", size);
}

static int
need_physical(CUmemGenericAllocationHandle handle)
{
    return handle ? (int)CUDA_SUCCESS : cu_null("handle");
}

CUresult
cuMemRelease(CUmemGenericAllocationHandle handle)
{
    int r = need_physical(handle);
    if (r == CUDA_SUCCESS) {
        pthread_mutex_lock(&lock);
        physical_put((struct physical *)handle);
        pthread_mutex_unlock(&lock);
    }
    CU(r, "handle=0x%llx", handle);
}

CUresult
cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *prop,
                              CUmemAllocationGranularity_flags option)
{
    int r = out ? check_prop(prop) : cu_null("granularity");
    if (r == CUDA_SUCCESS)
        *out = granularity;
    CU(r, "option=%d", (int)option);
}

/* Compressed or not, memory holds the same: granted where the device's attribute says so. */
CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                       CUmemGenericAllocationHandle handle)
{
    int r = prop ? need_physical(handle) : cu_null("prop");
    if (r == CUDA_SUCCESS) {
        *prop = ((const struct physical *)handle)->prop;
        int compresses = 0;
        device_attribute(device_at(prop->location.id),
                         CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, &compresses);
        if (!compresses)
            prop->allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
    }
    CU(r, "handle=0x%llx", handle);
}

/* -- mappings ---------------------------------------------------------------------------------- */

/* Lists the accessible runs anew. Under the lock. */
static void
list_runs(struct reservation *r)
{
    struct memory *m = device_memory(r->owner);
    for (size_t k = 0; k < r->listed.count; k++)
        memory_release(m, r->listed.at[k]);
    r->listed.count = 0;
    for (size_t k = 0; k < r->mappings.count;) {
        CUdeviceptr begin = r->mappings.at[k].at, end = begin;
        if (r->mappings.at[k].access == CU_MEM_ACCESS_FLAGS_PROT_NONE) {
            k++;
            continue;
        }
        for (; k < r->mappings.count && r->mappings.at[k].at == end &&
               r->mappings.at[k].access != CU_MEM_ACCESS_FLAGS_PROT_NONE;
             k++)
            end += r->mappings.at[k].size;
        if (memory_adopt(m, begin, end - begin, ALLOCATION_DEVICE, NULL))
            VEC_PUSH(&r->listed, begin);
    }
}

static int
map(CUdeviceptr at, size_t size, size_t offset, struct physical *m)
{
    struct reservation *r = range_of(at, size);
    if (!r)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx, %zu bytes: no reserved range", at, size);
    if (!size || size % granularity || offset || size > m->size)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%zu bytes from %zu of memory of %zu", size,
                       offset, m->size);
    size_t place = 0;
    while (place < r->mappings.count && r->mappings.at[place].at < at)
        place++;
    bool before = place && r->mappings.at[place - 1].at + r->mappings.at[place - 1].size > at,
         after = place < r->mappings.count && r->mappings.at[place].at < at + size;
    if (before || after)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "memory is already mapped at 0x%llx", at);
    if (mmap((void *)at, size, PROT_NONE, MAP_SHARED | MAP_FIXED, m->file, 0) == MAP_FAILED)
        return cu_fail(CUDA_ERROR_MAP_FAILED, "%s", strerror(errno));
    m->users++;
    struct mapping new = {at, size, m, CU_MEM_ACCESS_FLAGS_PROT_NONE};
    VEC_PUSH(&r->mappings, new);
    memmove(&r->mappings.at[place + 1], &r->mappings.at[place],
            (r->mappings.count - 1 - place) * sizeof new);
    r->mappings.at[place] = new;
    return CUDA_SUCCESS;
}

CUresult
cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
         unsigned long long flags)
{
    int r =
        flags ? cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%llx", flags) : need_physical(handle);
    if (r == CUDA_SUCCESS) {
        pthread_mutex_lock(&lock);
        r = map(ptr, size, offset, (struct physical *)handle);
        pthread_mutex_unlock(&lock);
    }
    CU(r, "ptr=0x%llx size=%zu offset=%zu handle=0x%llx", ptr, size, offset, handle);
}

static int
unmap(CUdeviceptr at, size_t size)
{
    struct reservation *r = range_of(at, size);
    size_t covered = 0, kept = 0;
    for (size_t k = 0; r && k < r->mappings.count; k++)
        if (r->mappings.at[k].at >= at &&
            r->mappings.at[k].at + r->mappings.at[k].size <= at + size)
            covered += r->mappings.at[k].size;
    if (!size || covered != size)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx, %zu bytes: not whole mappings", at, size);
    mmap((void *)at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
    for (size_t k = 0; k < r->mappings.count; k++)
        if (r->mappings.at[k].at >= at && r->mappings.at[k].at < at + size)
            physical_put(r->mappings.at[k].memory);
        else
            r->mappings.at[kept++] = r->mappings.at[k];
    r->mappings.count = kept;
    list_runs(r);
    return CUDA_SUCCESS;
}

CUresult
cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    pthread_mutex_lock(&lock);
    int r = unmap(ptr, size);
    pthread_mutex_unlock(&lock);
    CU(r, "ptr=0x%llx size=%zu", ptr, size);
}

/* All devices are this processor: the widest right that any is given holds for all. */
static int
set_access(CUdeviceptr at, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    struct reservation *r = range_of(at, size);
    unsigned widest = 0;
    size_t covered = 0;
    for (size_t k = 0; k < count; k++)
        widest |= (unsigned)desc[k].flags;
    for (size_t k = 0; r && k < r->mappings.count; k++) {
        struct mapping *m = &r->mappings.at[k];
        if (m->at < at || m->at + m->size > at + size)
            continue;
        covered += m->size;
        m->access = (CUmemAccess_flags)widest;
    }
    if (!size || covered != size)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx, %zu bytes: not whole mappings", at, size);
    int protection = (widest & 1 ? PROT_READ : 0) | (widest & 2 ? PROT_WRITE : 0);
    if (mprotect((void *)at, size, protection) < 0)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s", strerror(errno));
    list_runs(r);
    return CUDA_SUCCESS;
}

CUresult
cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    int r = desc ? (int)CUDA_SUCCESS : cu_null("desc");
    if (r == CUDA_SUCCESS) {
        pthread_mutex_lock(&lock);
        r = set_access(ptr, size, desc, count);
        pthread_mutex_unlock(&lock);
    }
    CU(r, "ptr=0x%llx size=%zu count=%zu", ptr, size, count);
}

static struct mapping *
mapping_at(CUdeviceptr at)
{
    struct reservation *r = range_of(at, 1);
    for (size_t k = 0; r && k < r->mappings.count; k++)
        if (at >= r->mappings.at[k].at && at - r->mappings.at[k].at < r->mappings.at[k].size)
            return &r->mappings.at[k];
    return NULL;
}

CUresult
cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
    pthread_mutex_lock(&lock);
    const struct mapping *m = mapping_at(ptr);
    if (m && flags)
        *flags = m->access;
    pthread_mutex_unlock(&lock);
    CU(m && flags && location
           ? (int)CUDA_SUCCESS
           : cu_fail(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at 0x%llx", ptr),
       "ptr=0x%llx", ptr);
}

CUresult
cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    pthread_mutex_lock(&lock);
    struct mapping *m = mapping_at((CUdeviceptr)addr);
    if (m && handle) {
        m->memory->users++;
        *handle = (CUmemGenericAllocationHandle)m->memory;
    }
    pthread_mutex_unlock(&lock);
    CU(m && handle ? (int)CUDA_SUCCESS
                   : cu_fail(CUDA_ERROR_INVALID_VALUE, "nothing is mapped at %p", addr),
       "addr=%p", addr);
}

/* -- sharing ----------------------------------------------------------------------------------- */

CUresult
cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
                             CUmemAllocationHandleType type, unsigned long long flags)
{
    int file, r = out ? need_physical(handle) : cu_null("shareableHandle");
    if (r == CUDA_SUCCESS && (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags))
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "handle type %d, flags 0x%llx", (int)type, flags);
    if (r == CUDA_SUCCESS && (file = dup(((struct physical *)handle)->file)) < 0)
        r = cu_fail(CUDA_ERROR_OPERATING_SYSTEM, "%s", strerror(errno));
    if (r == CUDA_SUCCESS)
        memcpy(out, &file, sizeof file);
    CU(r, "handle=0x%llx handleType=%d", handle, (int)type);
}

static int
import(CUmemGenericAllocationHandle *out, int file)
{
    struct stat s;
    struct device *d;
    int r = out ? cu_use(&d) : cu_null("handle"), own;
    if (r != CUDA_SUCCESS)
        return r;
    if (fstat(file, &s) < 0 || (own = dup(file)) < 0)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "descriptor %d: %s", file, strerror(errno));
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, device_index(d)}};
    *out = (CUmemGenericAllocationHandle)physical_new(own, (size_t)s.st_size, &prop);
    return CUDA_SUCCESS;
}

/* A descriptor is passed by value, in the pointer. */
CUresult
cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *os_handle,
                               CUmemAllocationHandleType type)
{
    CU(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
           ? import(handle, (int)(uintptr_t)os_handle)
           : cu_fail(CUDA_ERROR_INVALID_VALUE, "handle type %d", (int)type),
       "handleType=%d", (int)type);
}
