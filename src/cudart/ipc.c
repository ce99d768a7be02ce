/* SPDX-License-Identifier: Apache-2.0
 *
 * ipc.c: memory, events and pools of other processes (device/ipc.c).
 */
#include "cudart/cudart.h"

#include <errno.h>
#include <string.h>

_Static_assert(sizeof(cudaIpcMemHandle_t) == DEVICE_IPC_BYTES,
               "handles are as large as the device's");

cudaError_t
cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p)
{
    RT(handle ? (int)device_ipc_export((uint64_t)p, (uint8_t *)handle)
              : rt_fail(cudaErrorInvalidValue, "handle is NULL"),
       "devPtr=%p", p);
}

static int
open_memory(void **p, const uint8_t *handle)
{
    struct device *d;
    uint64_t address = 0;
    int r = p ? (int)device_use(&d) : rt_fail(cudaErrorInvalidValue, "devPtr is NULL");
    if (r == cudaSuccess)
        r = (int)device_ipc_open(d, handle, &address);
    if (r == cudaSuccess)
        *p = (void *)address;
    return r;
}

cudaError_t
cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned int flags)
{
    RT(flags & ~(unsigned)cudaIpcMemLazyEnablePeerAccess
           ? rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags)
           : open_memory(p, (const uint8_t *)&handle),
       "devPtr=%p flags=%u", p ? *p : NULL, flags);
}

cudaError_t
cudaIpcCloseMemHandle(void *p)
{
    RT(device_ipc_close((uint64_t)p)
           ? (int)cudaSuccess
           : rt_fail(cudaErrorInvalidValue, "%p was not opened by a handle", p),
       "devPtr=%p", p);
}

cudaError_t
cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    struct device_event *e;
    int r =
        handle ? (int)device_event_of(event, &e) : rt_fail(cudaErrorInvalidValue, "handle is NULL");
    RT(r == cudaSuccess ? (int)device_ipc_event_export(e, (uint8_t *)handle) : r, "event=%p",
       (void *)event);
}

cudaError_t
cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    struct device *d;
    int r = event ? (int)device_use(&d) : rt_fail(cudaErrorInvalidValue, "event is NULL");
    if (r == cudaSuccess)
        r = (int)device_ipc_event_open(d, (const uint8_t *)&handle, (struct device_event **)event);
    RT(r, "event=%p", event ? (void *)*event : NULL);
}

/* -- pools ------------------------------------------------------------------------------------- */

static int
export_pool(void *out, cudaMemPool_t pool, enum cudaMemAllocationHandleType type, unsigned flags)
{
    int file;
    if (!out || flags || type != cudaMemHandleTypePosixFileDescriptor)
        return rt_fail(cudaErrorInvalidValue, "handles of type %d, flags %u", (int)type, flags);
    if (!device_pool_shared((struct device_pool *)pool))
        return rt_fail(cudaErrorInvalidValue,
                       "%p is no pool that was created with this type of handle", (void *)pool);
    if ((file = device_ipc_pool_export()) < 0)
        return rt_fail(cudaErrorMemoryAllocation, "%s", strerror(errno));
    memcpy(out, &file, sizeof file);
    return cudaSuccess;
}

cudaError_t
cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool,
                                   enum cudaMemAllocationHandleType type, unsigned int flags)
{
    RT(export_pool(handle, pool, type, flags), "memPool=%p", (void *)pool);
}

/* A descriptor is passed by value, in the pointer. */
cudaError_t
cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                     enum cudaMemAllocationHandleType type, unsigned int flags)
{
    struct device *d;
    int r = pool && !flags && type == cudaMemHandleTypePosixFileDescriptor
                ? (int)device_use(&d)
                : rt_fail(cudaErrorInvalidValue, "handles of type %d, flags %u", (int)type, flags);
    if (r == cudaSuccess && !device_ipc_pool_is((int)(uintptr_t)handle))
        r = rt_fail(cudaErrorInvalidValue, "descriptor %d is no pool's", (int)(uintptr_t)handle);
    if (r == cudaSuccess)
        *pool = (cudaMemPool_t)device_pool_new(d, true);
    RT(r, "memPool=%p", pool ? (void *)*pool : NULL);
}

cudaError_t
cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *p)
{
    RT(data ? (int)device_ipc_export((uint64_t)p, data->reserved)
            : rt_fail(cudaErrorInvalidValue, "exportData is NULL"),
       "ptr=%p", p);
}

cudaError_t
cudaMemPoolImportPointer(void **p, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data)
{
    int r = data && device_pool_shared((struct device_pool *)pool)
                ? open_memory(p, data->reserved)
                : rt_fail(cudaErrorInvalidValue, "%p is no imported pool", (void *)pool);
    RT(r, "ptr=%p memPool=%p", p ? *p : NULL, (void *)pool);
}
