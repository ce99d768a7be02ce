/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.c: copies and fills of one to three dimensions, linear memory and arrays. All become a
 * device_copy or a device_fill, which device checks and runs.
 */
#include "cuda/driver.h"

#include <string.h>

/* -- linear ------------------------------------------------------------------------------------ */

static struct device_side
linear(const void *at, size_t n)
{
    return (struct device_side){.at = (uint8_t *)(uintptr_t)at, .pitch = n, .rows = 1};
}

static struct device_side
in_array(CUarray array, size_t x)
{
    return (struct device_side){.array = (struct device_array *)array, .x = x};
}

static int
submit(struct device_side to, struct device_side from, size_t n, enum device_direction direction,
       CUstream stream)
{
    struct device_stream *s;
    struct device_copy c = {
        .to = to, .from = from, .width = n, .height = 1, .depth = 1, .direction = direction};
    int r = cu_stream(stream, &s);
    return r == CUDA_SUCCESS ? (int)device_copy(s, &c) : r;
}

static int
copy(const void *dst, const void *src, size_t n, enum device_direction direction, CUstream stream)
{
    return submit(linear(dst, n), linear(src, n), n, direction, stream);
}

#define LINEAR "dst=0x%llx src=0x%llx ByteCount=%zu stream=%p"
#define ENDS (unsigned long long)dst, (unsigned long long)src, n

/* One row a call: name, types of both ends, direction, and the stream's place. */
#define COPY(name, to_type, from_type, direction)                                                  \
    CUresult name(to_type dst, from_type src, size_t n)                                            \
    {                                                                                              \
        CU(copy((const void *)dst, (const void *)src, n, direction, NULL), LINEAR, ENDS, NULL);    \
    }
#define COPY_ASYNC(name, to_type, from_type, direction)                                            \
    CUresult name(to_type dst, from_type src, size_t n, CUstream s)                                \
    {                                                                                              \
        CU(copy((const void *)dst, (const void *)src, n, direction, s), LINEAR, ENDS, (void *)s);  \
    }

COPY(cuMemcpy, CUdeviceptr, CUdeviceptr, DEVICE_BY_ADDRESS)
COPY(cuMemcpyHtoD_v2, CUdeviceptr, const void *, DEVICE_HOST_TO_DEVICE)
COPY(cuMemcpyDtoH_v2, void *, CUdeviceptr, DEVICE_DEVICE_TO_HOST)
COPY(cuMemcpyDtoD_v2, CUdeviceptr, CUdeviceptr, DEVICE_DEVICE_TO_DEVICE)
COPY_ASYNC(cuMemcpyAsync, CUdeviceptr, CUdeviceptr, DEVICE_BY_ADDRESS)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, CUdeviceptr, const void *, DEVICE_HOST_TO_DEVICE)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, void *, CUdeviceptr, DEVICE_DEVICE_TO_HOST)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, CUdeviceptr, CUdeviceptr, DEVICE_DEVICE_TO_DEVICE)

static int
copy_peer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t n, CUstream s)
{
    if (!cu_context_is(to) || !cu_context_is(from))
        return cu_fail(CUDA_ERROR_INVALID_CONTEXT, "%p or %p is no context", (void *)to,
                       (void *)from);
    return copy((const void *)dst, (const void *)src, n, DEVICE_DEVICE_TO_DEVICE, s);
}

CUresult
cuMemcpyPeer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t n)
{
    CU(copy_peer(dst, to, src, from, n, NULL), LINEAR, ENDS, NULL);
}

CUresult
cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t n,
                  CUstream s)
{
    CU(copy_peer(dst, to, src, from, n, s), LINEAR, ENDS, (void *)s);
}

/* -- one-dimensional arrays -------------------------------------------------------------------- */

#define ARRAY "array=%p offset=%zu ByteCount=%zu"

CUresult
cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t n)
{
    CU(submit(in_array(dst, offset), linear((void *)src, n), n, DEVICE_DEVICE_TO_DEVICE, NULL),
       ARRAY, (void *)dst, offset, n);
}

CUresult
cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t n)
{
    CU(submit(linear((void *)dst, n), in_array(src, offset), n, DEVICE_DEVICE_TO_DEVICE, NULL),
       ARRAY, (void *)src, offset, n);
}

CUresult
cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t n)
{
    CU(submit(in_array(dst, offset), linear(src, n), n, DEVICE_HOST_TO_DEVICE, NULL), ARRAY,
       (void *)dst, offset, n);
}

CUresult
cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t n)
{
    CU(submit(linear(dst, n), in_array(src, offset), n, DEVICE_DEVICE_TO_HOST, NULL), ARRAY,
       (void *)src, offset, n);
}

CUresult
cuMemcpyAtoA_v2(CUarray dst, size_t to, CUarray src, size_t from, size_t n)
{
    CU(submit(in_array(dst, to), in_array(src, from), n, DEVICE_DEVICE_TO_DEVICE, NULL), ARRAY,
       (void *)dst, to, n);
}

CUresult
cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void *src, size_t n, CUstream s)
{
    CU(submit(in_array(dst, offset), linear(src, n), n, DEVICE_HOST_TO_DEVICE, s), ARRAY,
       (void *)dst, offset, n);
}

CUresult
cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t offset, size_t n, CUstream s)
{
    CU(submit(linear(dst, n), in_array(src, offset), n, DEVICE_DEVICE_TO_HOST, s), ARRAY,
       (void *)src, offset, n);
}

/* -- two and three dimensions ------------------------------------------------------------------ */

static int
side_of(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
        struct device_side *out)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST: out->at = (uint8_t *)(uintptr_t)host; break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED: out->at = (uint8_t *)device; break;
    case CU_MEMORYTYPE_ARRAY: out->array = (struct device_array *)array; break;
    default: return cu_fail(CUDA_ERROR_INVALID_VALUE, "memory type %d", (int)type);
    }
    return CUDA_SUCCESS;
}

static enum device_direction
direction_of(CUmemorytype to, CUmemorytype from)
{
    if (to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED)
        return DEVICE_BY_ADDRESS;
    if (to == CU_MEMORYTYPE_HOST)
        return from == CU_MEMORYTYPE_HOST ? DEVICE_HOST_TO_HOST : DEVICE_DEVICE_TO_HOST;
    return from == CU_MEMORYTYPE_HOST ? DEVICE_HOST_TO_DEVICE : DEVICE_DEVICE_TO_DEVICE;
}

int
cu_copy_of(const CUDA_MEMCPY3D *p, struct device_copy *out)
{
    if (!p)
        return cu_null("pCopy");
    *out = (struct device_copy){.to = {.pitch = p->dstPitch ? p->dstPitch : p->WidthInBytes,
                                       .rows = p->dstHeight ? p->dstHeight : p->Height,
                                       .x = p->dstXInBytes,
                                       .y = p->dstY,
                                       .z = p->dstZ},
                                .from = {.pitch = p->srcPitch ? p->srcPitch : p->WidthInBytes,
                                         .rows = p->srcHeight ? p->srcHeight : p->Height,
                                         .x = p->srcXInBytes,
                                         .y = p->srcY,
                                         .z = p->srcZ},
                                .width = p->WidthInBytes,
                                .height = p->Height,
                                .depth = p->Depth,
                                .direction = direction_of(p->dstMemoryType, p->srcMemoryType)};
    if (p->srcLOD || p->dstLOD)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "a level of detail");
    int r = side_of(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, &out->to);
    return r == CUDA_SUCCESS
               ? side_of(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, &out->from)
               : r;
}

static int
copy_3d(const CUDA_MEMCPY3D *p, CUstream stream)
{
    struct device_stream *s;
    struct device_copy c;
    int r = cu_stream(stream, &s);
    if (r == CUDA_SUCCESS)
        r = cu_copy_of(p, &c);
    return r == CUDA_SUCCESS ? (int)device_copy(s, &c) : r;
}

static int
copy_2d(const CUDA_MEMCPY2D *p, CUstream stream)
{
    if (!p)
        return cu_null("pCopy");
    CUDA_MEMCPY3D q = {.srcXInBytes = p->srcXInBytes,
                       .srcY = p->srcY,
                       .srcMemoryType = p->srcMemoryType,
                       .srcHost = p->srcHost,
                       .srcDevice = p->srcDevice,
                       .srcArray = p->srcArray,
                       .srcPitch = p->srcPitch,
                       .dstXInBytes = p->dstXInBytes,
                       .dstY = p->dstY,
                       .dstMemoryType = p->dstMemoryType,
                       .dstHost = p->dstHost,
                       .dstDevice = p->dstDevice,
                       .dstArray = p->dstArray,
                       .dstPitch = p->dstPitch,
                       .WidthInBytes = p->WidthInBytes,
                       .Height = p->Height,
                       .Depth = 1};
    return copy_3d(&q, stream);
}

CUresult
cuMemcpy2D_v2(const CUDA_MEMCPY2D *p)
{
    CU(copy_2d(p, NULL), "pCopy=%p", (const void *)p);
}

CUresult
cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p)
{
    CU(copy_2d(p, NULL), "pCopy=%p", (const void *)p);
}

CUresult
cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *p, CUstream stream)
{
    CU(copy_2d(p, stream), "pCopy=%p stream=%p", (const void *)p, (void *)stream);
}

CUresult
cuMemcpy3D_v2(const CUDA_MEMCPY3D *p)
{
    CU(copy_3d(p, NULL), "pCopy=%p", (const void *)p);
}

CUresult
cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *p, CUstream stream)
{
    CU(copy_3d(p, stream), "pCopy=%p stream=%p", (const void *)p, (void *)stream);
}

/* Differs from CUDA_MEMCPY3D in its two contexts, which lie where that has reserved pointers. */
static int
copy_3d_peer(const CUDA_MEMCPY3D_PEER *p, CUstream stream)
{
    CUDA_MEMCPY3D q;
    _Static_assert(sizeof q == sizeof *p && offsetof(CUDA_MEMCPY3D, reserved0) ==
                                                offsetof(CUDA_MEMCPY3D_PEER, srcContext),
                   "the layouts agree");
    if (!p)
        return cu_null("pCopy");
    memcpy(&q, p, sizeof q);
    return copy_3d(&q, stream);
}

CUresult
cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *p)
{
    CU(copy_3d_peer(p, NULL), "pCopy=%p", (const void *)p);
}

CUresult
cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *p, CUstream stream)
{
    CU(copy_3d_peer(p, stream), "pCopy=%p stream=%p", (const void *)p, (void *)stream);
}

/* -- fills ------------------------------------------------------------------------------------- */

static int
fill(CUdeviceptr at, size_t pitch, uint32_t value, uint32_t unit, size_t width, size_t height,
     CUstream stream)
{
    struct device_stream *s;
    struct device_fill f = {.at = (uint8_t *)at,
                            .pitch = pitch,
                            .rows = height,
                            .width = width,
                            .height = height,
                            .depth = 1,
                            .value = value,
                            .unit = unit};
    int r = cu_stream(stream, &s);
    return r == CUDA_SUCCESS ? (int)device_fill(s, &f) : r;
}

#define FILL(bits, type)                                                                           \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr dst, type value, size_t n)                           \
    {                                                                                              \
        CU(fill(dst, n * sizeof(type), value, sizeof(type), n, 1, NULL),                           \
           "dst=0x%llx value=%u N=%zu", dst, (unsigned)value, n);                                  \
    }                                                                                              \
    CUresult cuMemsetD##bits##Async(CUdeviceptr dst, type value, size_t n, CUstream s)             \
    {                                                                                              \
        CU(fill(dst, n * sizeof(type), value, sizeof(type), n, 1, s),                              \
           "dst=0x%llx value=%u N=%zu stream=%p", dst, (unsigned)value, n, (void *)s);             \
    }                                                                                              \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr dst, size_t pitch, type value, size_t w, size_t h) \
    {                                                                                              \
        CU(fill(dst, pitch, value, sizeof(type), w, h, NULL),                                      \
           "dst=0x%llx pitch=%zu value=%u %zux%zu", dst, pitch, (unsigned)value, w, h);            \
    }                                                                                              \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr dst, size_t pitch, type value, size_t w,         \
                                      size_t h, CUstream s)                                        \
    {                                                                                              \
        CU(fill(dst, pitch, value, sizeof(type), w, h, s),                                         \
           "dst=0x%llx pitch=%zu value=%u %zux%zu stream=%p", dst, pitch, (unsigned)value, w, h,   \
           (void *)s);                                                                             \
    }

FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned int)
