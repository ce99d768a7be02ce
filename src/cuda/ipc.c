/* SPDX-License-Identifier: Apache-2.0
 *
 * ipc.c: memory, events and pools of other processes (device/ipc.c).
 */
#include "cuda/driver.h"

#include <errno.h>
#include <string.h>

CUresult
cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr dptr)
{
    CU(handle ? (int)device_ipc_export(dptr, (uint8_t *)handle) : cu_null("pHandle"), "dptr=0x%llx",
       dptr);
}

static int
open_memory(CUdeviceptr *out, const uint8_t *handle)
{
    struct device *d;
    uint64_t address = 0;
    int r = out ? cu_use(&d) : cu_null("pdptr");
    if (r == CUDA_SUCCESS)
        r = (int)device_ipc_open(d, handle, &address);
    if (r == CUDA_SUCCESS)
        *out = address;
    return r;
}

CUresult
cuIpcOpenMemHandle_v2(CUdeviceptr *dptr, CUipcMemHandle handle, unsigned int flags)
{
    CU(flags & ~(unsigned)CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
           ? cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags)
           : open_memory(dptr, (const uint8_t *)&handle),
       "dptr=0x%llx flags=%u", dptr ? *dptr : 0, flags);
}

CUresult
cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    CU(device_ipc_close(dptr)
           ? (int)CUDA_SUCCESS
           : cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx was not opened by a handle", dptr),
       "dptr=0x%llx", dptr);
}

CUresult
cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
    struct device_event *e;
    int r = handle ? (int)device_event_of(event, &e) : cu_null("pHandle");
    CU(r == CUDA_SUCCESS ? (int)device_ipc_event_export(e, (uint8_t *)handle) : r, "event=%p",
       (void *)event);
}

CUresult
cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
    struct device *d;
    int r = event ? cu_use(&d) : cu_null("phEvent");
    if (r == CUDA_SUCCESS)
        r = (int)device_ipc_event_open(d, (const uint8_t *)&handle, (struct device_event **)event);
    if (r == CUDA_SUCCESS)
        cu_own(CU_OWNED_EVENT, (uint64_t)*event);
    CU(r, "event=%p", event ? (void *)*event : NULL);
}

/* -- pools ------------------------------------------------------------------------------------- */

static int
export_pool(void *out, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags)
{
    int file;
    if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "handles of type %d, flags 0x%llx", (int)type,
                       flags);
    if (!device_pool_shared((struct device_pool *)pool))
        return cu_fail(CUDA_ERROR_INVALID_VALUE,
                       "%p is no pool that was created with this type of handle", (void *)pool);
    if ((file = device_ipc_pool_export()) < 0)
        return cu_fail(CUDA_ERROR_OPERATING_SYSTEM, "%s", strerror(errno));
    memcpy(out, &file, sizeof file);
    return CUDA_SUCCESS;
}

CUresult
cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                                 unsigned long long flags)
{
    CU(export_pool(handle, pool, type, flags), "pool=%p", (void *)pool);
}

/* A descriptor is passed by value, in the pointer. */
CUresult
cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type,
                                   unsigned long long flags)
{
    struct device *d;
    int r = pool && !flags && type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
                ? cu_use(&d)
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "handles of type %d, flags 0x%llx", (int)type,
                          flags);
    if (r == CUDA_SUCCESS && !device_ipc_pool_is((int)(uintptr_t)handle))
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "descriptor %d is no pool's", (int)(uintptr_t)handle);
    if (r == CUDA_SUCCESS)
        *pool = (CUmemoryPool)device_pool_new(d, true);
    CU(r, "pool=%p", pool ? (void *)*pool : NULL);
}

CUresult
cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr ptr)
{
    CU(data ? (int)device_ipc_export(ptr, data->reserved) : cu_null("shareData"), "ptr=0x%llx",
       ptr);
}

CUresult
cuMemPoolImportPointer(CUdeviceptr *ptr, CUmemoryPool pool, CUmemPoolPtrExportData *data)
{
    int r = data && device_pool_shared((struct device_pool *)pool)
                ? open_memory(ptr, data->reserved)
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no imported pool", (void *)pool);
    CU(r, "ptr=0x%llx pool=%p", ptr ? *ptr : 0, (void *)pool);
}
