/* SPDX-License-Identifier: Apache-2.0
 *
 * order.cu: what the host knows to be over when a call returns. For each row of
 * src/device/order.def a case or several: a kernel writes managed memory, the call is made behind
 * it, and the host writes that memory: which is right only where the call waits for the kernel.
 * order_test.py knows where, by the name of the function that touches. With an argument: one of the
 * cases of streams, below.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

enum { BLOCK = 64, BYTES = 4 * BLOCK };

__global__ void
fill(int *p, int v)
{
    p[threadIdx.x] = v;
}
__global__ void
use(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x] + 1;
}
__device__ int symbol[BLOCK];

static int *m, *d, *e, *pinned, *other_pinned, pageable[BLOCK], other_pageable[BLOCK];
static cudaArray_t array, other_array;
static cudaStream_t s;
static cudaEvent_t event;
static int failures;

#define OK(call)                                                                                   \
    do {                                                                                           \
        int r_ = (int)(call);                                                                      \
        if (r_)                                                                                    \
            failures++, printf("FAIL line %d: %s: %d\n", __LINE__, #call, r_);                     \
    } while (0)

struct host_case {
    const char *name;
    void (*run)();
    host_case *next;
    static host_case *all;
    host_case(const char *n, void (*r)()) : name(n), run(r), next(all)
    {
        all = this;
    }
};
host_case *host_case::all;

/* One function a case, so that each has a finding of its own. */
#define CASE(name, stream, ...)                                                                    \
    extern "C" __attribute__((noinline)) void touch_##name(volatile int *p)                        \
    {                                                                                              \
        p[3] = __LINE__;                                                                           \
    }                                                                                              \
    static void case_##name()                                                                      \
    {                                                                                              \
        fill<<<1, BLOCK, 0, stream>>>(m, 1);                                                       \
        __VA_ARGS__;                                                                               \
        touch_##name(m);                                                                           \
        OK(cudaDeviceSynchronize());                                                               \
    }                                                                                              \
    static host_case row_##name(#name, case_##name);

#define H2D cudaMemcpyHostToDevice
#define D2H cudaMemcpyDeviceToHost
#define D2D cudaMemcpyDeviceToDevice
#define H2H cudaMemcpyHostToHost
#define DEV(p) ((CUdeviceptr)(p))

static cudaMemcpy3DParms
block_3d(void *to, const void *from, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)from, BYTES, BYTES, 1);
    p.dstPtr = make_cudaPitchedPtr(to, BYTES, BYTES, 1);
    p.extent = make_cudaExtent(BYTES, 1, 1);
    p.kind = kind;
    return p;
}
static cudaMemcpy3DPeerParms
peer_3d(void *to, const void *from)
{
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)from, BYTES, BYTES, 1);
    p.dstPtr = make_cudaPitchedPtr(to, BYTES, BYTES, 1);
    p.extent = make_cudaExtent(BYTES, 1, 1);
    return p;
}

/* COPY: by the memory at both ends. The legacy stream's kernel is before the copy; s, which blocks,
 * too. */
/* clang-format off: a row a case */
CASE(cudaMemcpy__pageable_device, 0, OK(cudaMemcpy(d, pageable, BYTES, H2D)))
CASE(cudaMemcpy__pageable_device_s, s, OK(cudaMemcpy(d, pageable, BYTES, H2D)))
CASE(cudaMemcpy__pinned_device, 0, OK(cudaMemcpy(d, pinned, BYTES, H2D)))
CASE(cudaMemcpy__device_pageable, 0, OK(cudaMemcpy(pageable, d, BYTES, D2H)))
CASE(cudaMemcpy__device_pinned, s, OK(cudaMemcpy(pinned, d, BYTES, D2H)))
CASE(cudaMemcpy__device_device, 0, OK(cudaMemcpy(d, e, BYTES, D2D)))
CASE(cudaMemcpy__default_device_device, 0, OK(cudaMemcpy(d, e, BYTES, cudaMemcpyDefault)))
CASE(cudaMemcpy__host_host, 0, OK(cudaMemcpy(pageable, other_pageable, BYTES, H2H)))
CASE(cudaMemcpy__pinned_pinned, 0, OK(cudaMemcpy(pinned, other_pinned, BYTES, H2H)))
CASE(cudaMemcpy2D__device_pageable, 0, OK(cudaMemcpy2D(pageable, 16, d, 32, 16, 8, D2H)))
CASE(cudaMemcpy2D__device_device, 0, OK(cudaMemcpy2D(d, 16, e, 32, 16, 8, D2D)))
CASE(cudaMemcpy3D__device_pageable, 0, { auto p = block_3d(pageable, d, D2H); OK(cudaMemcpy3D(&p)); })
CASE(cudaMemcpy3D__device_device, 0, { auto p = block_3d(e, d, D2D); OK(cudaMemcpy3D(&p)); })
CASE(cudaMemcpyPeer__device_device, 0, OK(cudaMemcpyPeer(d, 0, e, 0, BYTES)))
CASE(cudaMemcpy3DPeer__device_device, 0, { auto p = peer_3d(d, e); OK(cudaMemcpy3DPeer(&p)); })
CASE(cudaMemcpy2DToArray__pageable_device, 0, OK(cudaMemcpy2DToArray(array, 0, 0, pageable, 32, 32, 8, H2D)))
CASE(cudaMemcpy2DToArray__device_device, 0, OK(cudaMemcpy2DToArray(array, 0, 0, d, 32, 32, 8, D2D)))
CASE(cudaMemcpy2DFromArray__device_pageable, 0, OK(cudaMemcpy2DFromArray(pageable, 32, array, 0, 0, 32, 8, D2H)))
CASE(cudaMemcpy2DFromArray__device_device, 0, OK(cudaMemcpy2DFromArray(d, 32, array, 0, 0, 32, 8, D2D)))
CASE(cudaMemcpy2DArrayToArray__device_device, 0,
     OK(cudaMemcpy2DArrayToArray(array, 0, 0, other_array, 0, 0, 32, 8, D2D)))
CASE(cudaMemcpyToArray__pinned_device, 0, OK(cudaMemcpyToArray(array, 0, 0, pinned, BYTES, H2D)))
CASE(cudaMemcpyFromArray__device_pageable, 0, OK(cudaMemcpyFromArray(pageable, array, 0, 0, BYTES, D2H)))
CASE(cudaMemcpyArrayToArray__device_device, 0,
     OK(cudaMemcpyArrayToArray(array, 0, 0, other_array, 0, 0, BYTES, D2D)))
CASE(cudaMemcpyToSymbol__pageable_device, 0, OK(cudaMemcpyToSymbol(symbol, pageable, BYTES)))
CASE(cudaMemcpyToSymbol__device_device, 0, OK(cudaMemcpyToSymbol(symbol, d, BYTES, 0, D2D)))
CASE(cudaMemcpyFromSymbol__device_pageable, 0, OK(cudaMemcpyFromSymbol(pageable, symbol, BYTES)))
CASE(cudaMemcpyFromSymbol__device_device, 0, OK(cudaMemcpyFromSymbol(d, symbol, BYTES, 0, D2D)))
/* clang-format on */

CASE(cuMemcpy__device_device, 0, OK(cuMemcpy(DEV(d), DEV(e), BYTES)))
CASE(cuMemcpy__device_pinned, 0, OK(cuMemcpy(DEV(pinned), DEV(e), BYTES)))
CASE(cuMemcpyHtoD_v2__pageable_device, 0, OK(cuMemcpyHtoD(DEV(d), pageable, BYTES)))
CASE(cuMemcpyDtoH_v2__device_pageable, 0, OK(cuMemcpyDtoH(pageable, DEV(d), BYTES)))
CASE(cuMemcpyDtoD_v2__device_device, 0, OK(cuMemcpyDtoD(DEV(d), DEV(e), BYTES)))
CASE(cuMemcpyDtoHAsync_v2__device_pinned, s, OK(cuMemcpyDtoHAsync(pinned, DEV(d), BYTES, s)))
CASE(cuMemcpyHtoDAsync_v2__pinned_device, s, OK(cuMemcpyHtoDAsync(DEV(d), pinned, BYTES, s)))
CASE(cuMemcpyDtoDAsync_v2__device_device, s, OK(cuMemcpyDtoDAsync(DEV(d), DEV(e), BYTES, s)))
CASE(cuMemcpyAsync__pinned_pinned, s, OK(cuMemcpyAsync(DEV(pinned), DEV(other_pinned), BYTES, s)))

static CUDA_MEMCPY2D
block_2d(void *to, CUmemorytype to_type, const void *from, CUmemorytype from_type)
{
    CUDA_MEMCPY2D p = {};
    p.srcMemoryType = from_type;
    p.dstMemoryType = to_type;
    p.srcHost = from;
    p.dstHost = to;
    p.srcDevice = DEV(from);
    p.dstDevice = DEV(to);
    p.srcPitch = p.dstPitch = 32;
    p.WidthInBytes = 16;
    p.Height = 8;
    return p;
}
static CUDA_MEMCPY3D
cube_3d(void *to, CUmemorytype to_type, const void *from, CUmemorytype from_type)
{
    CUDA_MEMCPY3D p = {};
    p.srcMemoryType = from_type;
    p.dstMemoryType = to_type;
    p.srcHost = from;
    p.dstHost = to;
    p.srcDevice = DEV(from);
    p.dstDevice = DEV(to);
    p.srcPitch = p.dstPitch = 32;
    p.srcHeight = p.dstHeight = 8;
    p.WidthInBytes = 16;
    p.Height = 8;
    p.Depth = 1;
    return p;
}
static CUDA_MEMCPY3D_PEER
peer_cube(void *to, const void *from)
{
    CUDA_MEMCPY3D_PEER p = {};
    p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    p.srcDevice = DEV(from);
    p.dstDevice = DEV(to);
    cuCtxGetCurrent(&p.srcContext);
    p.dstContext = p.srcContext;
    p.WidthInBytes = BYTES;
    p.Height = p.Depth = 1;
    return p;
}
static CUcontext
context()
{
    CUcontext c;
    OK(cuCtxGetCurrent(&c));
    return c;
}
static CUarray line, other_line; /* arrays of one dimension */
#define HOST CU_MEMORYTYPE_HOST
#define DEVICE CU_MEMORYTYPE_DEVICE
/* clang-format off: a row a case */
CASE(cuMemcpy2D_v2__device_pageable, 0, { auto p = block_2d(pageable, HOST, d, DEVICE); OK(cuMemcpy2D(&p)); })
CASE(cuMemcpy2D_v2__device_device, 0, { auto p = block_2d(e, DEVICE, d, DEVICE); OK(cuMemcpy2D(&p)); })
CASE(cuMemcpy2DUnaligned_v2__pinned_device, 0, { auto p = block_2d(d, DEVICE, pinned, HOST); OK(cuMemcpy2DUnaligned(&p)); })
CASE(cuMemcpy2DAsync_v2__device_pinned, s, { auto p = block_2d(pinned, HOST, d, DEVICE); OK(cuMemcpy2DAsync(&p, s)); })
CASE(cuMemcpy2DAsync_v2__host_host, s, { auto p = block_2d(pageable, HOST, other_pageable, HOST);
                                         OK(cuMemcpy2DAsync(&p, s)); })
CASE(cuMemcpy3D_v2__device_pageable, 0, { auto p = cube_3d(pageable, HOST, d, DEVICE); OK(cuMemcpy3D(&p)); })
CASE(cuMemcpy3D_v2__device_device, 0, { auto p = cube_3d(e, DEVICE, d, DEVICE); OK(cuMemcpy3D(&p)); })
CASE(cuMemcpy3DAsync_v2__device_device, s, { auto p = cube_3d(e, DEVICE, d, DEVICE); OK(cuMemcpy3DAsync(&p, s)); })
CASE(cuMemcpyPeer__device_device, 0, OK(cuMemcpyPeer(DEV(d), context(), DEV(e), context(), BYTES)))
CASE(cuMemcpyPeerAsync__device_device, s, OK(cuMemcpyPeerAsync(DEV(d), context(), DEV(e), context(), BYTES, s)))
CASE(cuMemcpy3DPeer__device_device, 0, { auto p = peer_cube(d, e); OK(cuMemcpy3DPeer(&p)); })
CASE(cuMemcpy3DPeerAsync__device_device, s, { auto p = peer_cube(d, e); OK(cuMemcpy3DPeerAsync(&p, s)); })
CASE(cuMemcpyDtoA_v2__device_device, 0, OK(cuMemcpyDtoA(line, 0, DEV(d), BYTES)))
CASE(cuMemcpyAtoD_v2__device_device, 0, OK(cuMemcpyAtoD(DEV(d), line, 0, BYTES)))
CASE(cuMemcpyHtoA_v2__pinned_device, 0, OK(cuMemcpyHtoA(line, 0, pinned, BYTES)))
CASE(cuMemcpyAtoH_v2__device_pageable, 0, OK(cuMemcpyAtoH(pageable, line, 0, BYTES)))
CASE(cuMemcpyAtoA_v2__device_device, 0, OK(cuMemcpyAtoA(line, 0, other_line, 0, BYTES)))
CASE(cuMemcpyHtoAAsync_v2__pinned_device, s, OK(cuMemcpyHtoAAsync(line, 0, pinned, BYTES, s)))
CASE(cuMemcpyAtoHAsync_v2__device_pinned, s, OK(cuMemcpyAtoHAsync(pinned, line, 0, BYTES, s)))
/* clang-format on */

/* COPY_ASYNC: from the host to the host it is over. */
/* clang-format off: a row a case */
CASE(cudaMemcpyAsync__pageable_device, s, OK(cudaMemcpyAsync(d, pageable, BYTES, H2D, s)))
CASE(cudaMemcpyAsync__pinned_device, s, OK(cudaMemcpyAsync(d, pinned, BYTES, H2D, s)))
CASE(cudaMemcpyAsync__device_pinned, s, OK(cudaMemcpyAsync(pinned, d, BYTES, D2H, s)))
CASE(cudaMemcpyAsync__device_pageable, s, OK(cudaMemcpyAsync(pageable, d, BYTES, D2H, s)))
CASE(cudaMemcpyAsync__device_device, s, OK(cudaMemcpyAsync(d, e, BYTES, D2D, s)))
CASE(cudaMemcpyAsync__host_host, s, OK(cudaMemcpyAsync(pageable, other_pageable, BYTES, H2H, s)))
CASE(cudaMemcpyAsync__pinned_pinned, s, OK(cudaMemcpyAsync(pinned, other_pinned, BYTES, H2H, s)))
CASE(cudaMemcpyAsync__host_host_legacy, 0, OK(cudaMemcpyAsync(pageable, other_pageable, BYTES, H2H, 0)))
CASE(cudaMemcpy2DAsync__host_host, s, OK(cudaMemcpy2DAsync(pageable, 16, other_pageable, 32, 16, 8, H2H, s)))
CASE(cudaMemcpy2DAsync__device_pinned, s, OK(cudaMemcpy2DAsync(pinned, 16, d, 32, 16, 8, D2H, s)))
CASE(cudaMemcpy3DAsync__host_host, s, { auto p = block_3d(pageable, other_pageable, H2H); OK(cudaMemcpy3DAsync(&p, s)); })
CASE(cudaMemcpy3DAsync__device_device, s, { auto p = block_3d(d, e, D2D); OK(cudaMemcpy3DAsync(&p, s)); })
CASE(cudaMemcpyPeerAsync__device_device, s, OK(cudaMemcpyPeerAsync(d, 0, e, 0, BYTES, s)))
CASE(cudaMemcpy3DPeerAsync__device_device, s, { auto p = peer_3d(d, e); OK(cudaMemcpy3DPeerAsync(&p, s)); })
CASE(cudaMemcpy2DToArrayAsync__pinned_device, s,
     OK(cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, 32, 32, 8, H2D, s)))
CASE(cudaMemcpy2DFromArrayAsync__device_pinned, s,
     OK(cudaMemcpy2DFromArrayAsync(pinned, 32, array, 0, 0, 32, 8, D2H, s)))
CASE(cudaMemcpyToArrayAsync__pinned_device, s, OK(cudaMemcpyToArrayAsync(array, 0, 0, pinned, BYTES, H2D, s)))
CASE(cudaMemcpyFromArrayAsync__device_pinned, s, OK(cudaMemcpyFromArrayAsync(pinned, array, 0, 0, BYTES, D2H, s)))
CASE(cudaMemcpyToSymbolAsync__pinned_device, s, OK(cudaMemcpyToSymbolAsync(symbol, pinned, BYTES, 0, H2D, s)))
CASE(cudaMemcpyFromSymbolAsync__device_pinned, s, OK(cudaMemcpyFromSymbolAsync(pinned, symbol, BYTES, 0, D2H, s)))
/* clang-format on */

/* FILL */
/* clang-format off: a row a case */
CASE(cudaMemset__device, 0, OK(cudaMemset(d, 0, BYTES)))
CASE(cudaMemset__pinned, 0, OK(cudaMemset(pinned, 0, BYTES)))
CASE(cudaMemset2D__device, 0, OK(cudaMemset2D(d, 32, 0, 16, 8)))
CASE(cudaMemset2D__pinned, 0, OK(cudaMemset2D(pinned, 32, 0, 16, 8)))
CASE(cudaMemset3D__device, 0, OK(cudaMemset3D(make_cudaPitchedPtr(d, 32, 32, 8), 0, make_cudaExtent(16, 8, 1))))
CASE(cuMemsetD8_v2__device, 0, OK(cuMemsetD8(DEV(d), 0, BYTES)))
CASE(cuMemsetD16_v2__device, 0, OK(cuMemsetD16(DEV(d), 0, BYTES / 2)))
CASE(cuMemsetD32_v2__device, 0, OK(cuMemsetD32(DEV(d), 0, BYTES / 4)))
CASE(cuMemsetD32_v2__pinned, 0, OK(cuMemsetD32(DEV(pinned), 0, BYTES / 4)))
CASE(cuMemsetD2D8_v2__device, 0, OK(cuMemsetD2D8(DEV(d), 32, 0, 16, 8)))
CASE(cuMemsetD2D16_v2__device, 0, OK(cuMemsetD2D16(DEV(d), 32, 0, 16, 8)))
CASE(cuMemsetD2D32_v2__device, 0, OK(cuMemsetD2D32(DEV(d), 32, 0, 8, 8)))
CASE(cudaMemsetAsync__device, s, OK(cudaMemsetAsync(d, 0, BYTES, s)))
CASE(cudaMemsetAsync__pinned, s, OK(cudaMemsetAsync(pinned, 0, BYTES, s)))
CASE(cudaMemset2DAsync__device, s, OK(cudaMemset2DAsync(d, 32, 0, 16, 8, s)))
CASE(cudaMemset3DAsync__device, s,
     OK(cudaMemset3DAsync(make_cudaPitchedPtr(d, 32, 32, 8), 0, make_cudaExtent(16, 8, 1), s)))
CASE(cuMemsetD8Async__pinned, s, OK(cuMemsetD8Async(DEV(pinned), 0, BYTES, s)))
CASE(cuMemsetD16Async__device, s, OK(cuMemsetD16Async(DEV(d), 0, BYTES / 2, s)))
CASE(cuMemsetD32Async__device, s, OK(cuMemsetD32Async(DEV(d), 0, BYTES / 4, s)))
CASE(cuMemsetD2D8Async__device, s, OK(cuMemsetD2D8Async(DEV(d), 32, 0, 16, 8, s)))
CASE(cuMemsetD2D16Async__device, s, OK(cuMemsetD2D16Async(DEV(d), 32, 0, 16, 8, s)))
CASE(cuMemsetD2D32Async__device, s, OK(cuMemsetD2D32Async(DEV(d), 32, 0, 8, 8, s)))
/* clang-format on */

/* FREE and NOTHING. Memory of cudaMallocAsync does not make cudaFree wait. */
static int *fresh, *fresh_host;
static void
make_async()
{
    OK(cudaMallocAsync(&fresh, BYTES, s));
    OK(cudaStreamSynchronize(s));
}
static void
run_graph()
{
    static cudaGraphExec_t run;
    cudaGraph_t g;
    cudaGraphNode_t n;
    if (!run) {
        OK(cudaGraphCreate(&g, 0));
        OK(cudaGraphAddEmptyNode(&n, g, NULL, 0));
        OK(cudaGraphInstantiate(&run, g, 0));
        OK(cudaGraphDestroy(g));
    }
    OK(cudaGraphLaunch(run, s));
}
static void
host_function(void *)
{
}

#define FREE_CASE(name, make, free)                                                                \
    extern "C" __attribute__((noinline)) void touch_##name(volatile int *p)                        \
    {                                                                                              \
        p[3] = __LINE__;                                                                           \
    }                                                                                              \
    static void case_##name()                                                                      \
    {                                                                                              \
        make;                                                                                      \
        fill<<<1, BLOCK, 0, s>>>(m, 1);                                                            \
        OK(free);                                                                                  \
        touch_##name(m);                                                                           \
        OK(cudaDeviceSynchronize());                                                               \
    }                                                                                              \
    static host_case row_##name(#name, case_##name);
/* clang-format off: a row a case */
FREE_CASE(cudaFree__device, OK(cudaMalloc(&fresh, BYTES)), cudaFree(fresh))
FREE_CASE(cudaFree__ordered, make_async(), cudaFree(fresh))
FREE_CASE(cuMemFree_v2__device, OK(cudaMalloc(&fresh, BYTES)), cuMemFree(DEV(fresh)))
FREE_CASE(cudaFreeAsync, make_async(), cudaFreeAsync(fresh, s))
FREE_CASE(cuMemFreeAsync, make_async(), cuMemFreeAsync(DEV(fresh), s))
FREE_CASE(cudaFreeHost, OK(cudaMallocHost(&fresh_host, BYTES)), cudaFreeHost(fresh_host))
FREE_CASE(cuMemFreeHost, OK(cudaMallocHost(&fresh_host, BYTES)), cuMemFreeHost(fresh_host))
FREE_CASE(cudaHostUnregister, OK(cudaHostRegister(other_pageable, BYTES, 0)), cudaHostUnregister(other_pageable))
CASE(cudaMallocAsync, s, { OK(cudaMallocAsync(&fresh, BYTES, s)); OK(cudaFreeAsync(fresh, s)); })
CASE(cudaMallocFromPoolAsync, s, { cudaMemPool_t pool; OK(cudaDeviceGetDefaultMemPool(&pool, 0));
                                   OK(cudaMallocFromPoolAsync(&fresh, BYTES, pool, s)); OK(cudaFreeAsync(fresh, s)); })
CASE(cudaMalloc, s, { OK(cudaMalloc(&fresh, BYTES)); })
CASE(cudaMallocHost, s, { OK(cudaMallocHost(&fresh_host, BYTES)); })
CASE(cudaMemPrefetchAsync, s, OK(cudaMemPrefetchAsync(m, BYTES, 0, s)))
CASE(cudaGraphLaunch, s, run_graph())
CASE(cudaLaunchKernel, s, { fill<<<1, BLOCK, 0, s>>>(d, 1); })
CASE(cudaLaunchCooperativeKernel, s, {
    int one = 1;
    void *args[] = {&d, &one};
    OK(cudaLaunchCooperativeKernel((void *)fill, dim3(1), dim3(BLOCK), args, 0, s));
})
CASE(cudaLaunchHostFunc, s, OK(cudaLaunchHostFunc(s, host_function, NULL)))
CASE(cudaStreamWaitEvent, s, { OK(cudaEventRecord(event, s)); OK(cudaStreamWaitEvent(0, event, 0)); })
CASE(cudaEventRecord, s, OK(cudaEventRecord(event, s)))
CASE(cudaStreamDestroy, 0, { cudaStream_t t; OK(cudaStreamCreate(&t)); fill<<<1, BLOCK, 0, t>>>(m, 1);
                             OK(cudaStreamDestroy(t)); })
CASE(cudaEventDestroy, s, { cudaEvent_t x; OK(cudaEventCreate(&x)); OK(cudaEventRecord(x, s));
                            OK(cudaEventDestroy(x)); })
/* clang-format on */

/* STREAM, EVENT, ALL */
/* clang-format off: a row a case */
CASE(cudaStreamSynchronize, s, OK(cudaStreamSynchronize(s)))
CASE(cudaStreamSynchronize__other, s, { cudaStream_t t; OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
                                        OK(cudaStreamSynchronize(t)); OK(cudaStreamDestroy(t)); })
CASE(cudaStreamQuery, s, OK(cudaStreamQuery(s)))
CASE(cuStreamSynchronize, s, OK(cuStreamSynchronize(s)))
CASE(cuStreamQuery, s, OK(cuStreamQuery(s)))
CASE(cudaEventSynchronize, s, { OK(cudaEventRecord(event, s)); OK(cudaEventSynchronize(event)); })
CASE(cudaEventQuery, s, { OK(cudaEventRecord(event, s)); OK(cudaEventQuery(event)); })
CASE(cuEventSynchronize, s, { OK(cudaEventRecord(event, s)); OK(cuEventSynchronize(event)); })
CASE(cuEventQuery, s, { OK(cudaEventRecord(event, s)); OK(cuEventQuery(event)); })
CASE(cudaDeviceSynchronize, s, OK(cudaDeviceSynchronize()))
CASE(cudaThreadSynchronize, s, OK(cudaThreadSynchronize()))
CASE(cuCtxSynchronize, s, OK(cuCtxSynchronize()))
/* clang-format on */

/* -- streams: the right and the wrong ones ----------------------------------------------------- */

static cudaStream_t t; /* does not block, nor does n */
static cudaStream_t n;

static void
then(cudaStream_t first, cudaStream_t second)
{
    OK(cudaEventRecord(event, first));
    OK(cudaStreamWaitEvent(second, event, 0));
}

static void
launch_captured(cudaStream_t stream)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    OK(cudaStreamEndCapture(stream, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int k = 0; k < 2; k++)
        OK(cudaGraphLaunch(x, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

struct stream_case {
    const char *name;
    void (*run)();
};
/* clang-format off: a row a case */
static const stream_case stream_cases[] = {
    /* Memory may be used in the order of the stream that made it. */
    {"alloc-same", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK, 0, n>>>(fresh, 1);
                        OK(cudaFreeAsync(fresh, n)); }},
    {"alloc-other", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK, 0, t>>>(fresh, 1);
                         OK(cudaDeviceSynchronize()); OK(cudaFreeAsync(fresh, n)); }},
    {"alloc-event", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); then(n, t); fill<<<1, BLOCK, 0, t>>>(fresh, 1);
                         then(t, n); OK(cudaFreeAsync(fresh, n)); }},
    {"alloc-waited", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); OK(cudaStreamSynchronize(n));
                          fill<<<1, BLOCK, 0, t>>>(fresh, 1); OK(cudaStreamSynchronize(t)); OK(cudaFree(fresh)); }},
    {"alloc-legacy", [] { OK(cudaMallocAsync(&fresh, BYTES, s)); fill<<<1, BLOCK>>>(fresh, 1);
                          OK(cudaFreeAsync(fresh, s)); }},
    {"alloc-legacy-nonblocking", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK>>>(fresh, 1);
                                      OK(cudaDeviceSynchronize()); OK(cudaFreeAsync(fresh, n)); }},
    {"alloc-copy", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); OK(cudaMemcpyAsync(fresh, d, BYTES, D2D, t));
                        OK(cudaDeviceSynchronize()); OK(cudaFreeAsync(fresh, n)); }},
    {"alloc-fill", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); OK(cudaMemsetAsync(fresh, 0, BYTES, t));
                        OK(cudaDeviceSynchronize()); OK(cudaFreeAsync(fresh, n)); }},
    {"alloc-again", [] { for (int k = 0; k < 3; k++) {
                             OK(cudaMallocAsync(&fresh, BYTES, k & 1 ? n : t));
                             fill<<<1, BLOCK, 0, k & 1 ? n : t>>>(fresh, 1);
                             OK(cudaFreeAsync(fresh, k & 1 ? n : t)); } }},
    {"graph-memory", [] { OK(cudaStreamBeginCapture(n, cudaStreamCaptureModeGlobal));
                          OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK, 0, n>>>(fresh, 1);
                          OK(cudaFreeAsync(fresh, n)); launch_captured(n); }},
    {"graph-memory-branches", [] { OK(cudaStreamBeginCapture(n, cudaStreamCaptureModeGlobal)); then(n, t);
                                   OK(cudaMallocAsync(&fresh, BYTES, n)); then(n, t);
                                   fill<<<1, BLOCK, 0, t>>>(fresh, 1); then(t, n);
                                   OK(cudaFreeAsync(fresh, n)); launch_captured(n); }},
    {"graph-memory-other-branch", [] { OK(cudaStreamBeginCapture(n, cudaStreamCaptureModeGlobal)); then(n, t);
                                       OK(cudaMallocAsync(&fresh, BYTES, n));
                                       fill<<<1, BLOCK, 0, t>>>(fresh, 1); then(t, n);
                                       OK(cudaFreeAsync(fresh, n)); launch_captured(n); }},
    /* And it may go when all that uses it is over. */
    {"free-other", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK, 0, n>>>(fresh, 1);
                        OK(cudaFreeAsync(fresh, t)); }},
    {"free-event", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK, 0, n>>>(fresh, 1); then(n, t);
                        OK(cudaFreeAsync(fresh, t)); }},
    {"free-copy", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK, 0, n>>>(fresh, 1); then(n, t);
                       OK(cudaMemcpyAsync(pinned, fresh, BYTES, D2H, n)); OK(cudaFreeAsync(fresh, t)); }},
    {"free-at-once", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK, 0, n>>>(fresh, 1);
                          OK(cudaFree(fresh)); }},
    {"free-at-once-waited", [] { OK(cudaMallocAsync(&fresh, BYTES, n)); fill<<<1, BLOCK, 0, n>>>(fresh, 1);
                                 OK(cudaStreamSynchronize(n)); OK(cudaFree(fresh)); }},
    {"free-plain", [] { OK(cudaMalloc(&fresh, BYTES)); fill<<<1, BLOCK, 0, n>>>(fresh, 1); OK(cudaFree(fresh)); }},
    {"free-plain-ordered", [] { OK(cudaMalloc(&fresh, BYTES)); fill<<<1, BLOCK, 0, n>>>(fresh, 1);
                                OK(cudaFreeAsync(fresh, t)); }},
    {"free-host-copy", [] { OK(cudaMallocHost(&fresh_host, BYTES)); memset(fresh_host, 0, BYTES);
                            OK(cudaMemcpyAsync(d, fresh_host, BYTES, H2D, n)); OK(cudaFreeHost(fresh_host)); }},
    {"free-host-kernel", [] { OK(cudaMallocHost(&fresh_host, BYTES)); fill<<<1, BLOCK, 0, n>>>(fresh_host, 1);
                              OK(cudaFreeHost(fresh_host)); }},
    {"free-host-waited", [] { OK(cudaMallocHost(&fresh_host, BYTES));
                              OK(cudaMemcpyAsync(fresh_host, d, BYTES, D2H, n));
                              fill<<<1, BLOCK, 0, n>>>(fresh_host, 1); OK(cudaStreamSynchronize(n));
                              OK(cudaFreeHost(fresh_host)); }},
    {"unregister-copy", [] { OK(cudaHostRegister(other_pageable, BYTES, 0));
                             OK(cudaMemcpyAsync(d, other_pageable, BYTES, H2D, n));
                             OK(cudaHostUnregister(other_pageable)); }},
    /* What a copy reads, somebody else may not write meanwhile. */
    {"copy-read", [] { OK(cudaMemcpyAsync(pinned, d, BYTES, D2H, n)); fill<<<1, BLOCK, 0, t>>>(d, 1); }},
    {"copy-read-event", [] { OK(cudaMemcpyAsync(pinned, d, BYTES, D2H, n)); then(n, t);
                             fill<<<1, BLOCK, 0, t>>>(d, 1); }},
    {"copy-reads", [] { OK(cudaMemcpyAsync(pinned, d, BYTES, D2H, n)); use<<<1, BLOCK, 0, t>>>(e, d); }},
    {"copy-copy", [] { OK(cudaMemcpyAsync(pinned, d, BYTES, D2H, n)); OK(cudaMemcpyAsync(d, e, BYTES, D2D, t)); }},
    {"copy-copy-target", [] { OK(cudaMemcpyAsync(pinned, d, BYTES, D2H, n));
                              OK(cudaMemcpyAsync(pinned, e, BYTES, D2H, t)); }},
    {"copy-copy-waited", [] { OK(cudaMemcpyAsync(pinned, d, BYTES, D2H, n)); OK(cudaStreamSynchronize(n));
                              OK(cudaMemcpyAsync(d, e, BYTES, D2D, t)); }},
    {"copy-halves", [] { OK(cudaMemcpyAsync(pinned, d, BYTES / 2, D2H, n));
                         OK(cudaMemcpyAsync(pinned + BLOCK / 2, d + BLOCK / 2, BYTES / 2, D2H, t)); }},
    {"copy-columns", [] { OK(cudaMemcpy2DAsync(pinned, 32, d, 32, 16, 8, D2H, n));
                          OK(cudaMemcpy2DAsync(pinned + 4, 32, d + 4, 32, 16, 8, D2H, t)); }},
    {"copy-columns-overlap", [] { OK(cudaMemcpy2DAsync(pinned, 32, d, 32, 20, 8, D2H, n));
                                  OK(cudaMemcpy2DAsync(pinned + 4, 32, d + 4, 32, 16, 8, D2H, t)); }},
    {"fill-fill", [] { OK(cudaMemsetAsync(d, 0, BYTES, n)); OK(cudaMemsetAsync(d, 1, BYTES, t)); }},
    /* The legacy stream's copies and streams that do not block. */
    {"device-device", [] { OK(cudaMemcpy(d, e, BYTES, D2D)); use<<<1, BLOCK, 0, n>>>(e, d); }},
    {"device-device-waited", [] { OK(cudaMemcpy(d, e, BYTES, D2D)); OK(cudaDeviceSynchronize());
                                  use<<<1, BLOCK, 0, n>>>(e, d); }},
    {"device-device-blocking", [] { OK(cudaMemcpy(d, e, BYTES, D2D)); use<<<1, BLOCK, 0, s>>>(e, d); }},
    {"staged", [] { OK(cudaMemcpy(d, pageable, BYTES, H2D)); use<<<1, BLOCK, 0, n>>>(e, d); }},
    {"staged-waited", [] { OK(cudaMemcpy(d, pageable, BYTES, H2D)); OK(cudaStreamSynchronize(0));
                           use<<<1, BLOCK, 0, n>>>(e, d); }},
    {"staged-blocking", [] { OK(cudaMemcpy(d, pageable, BYTES, H2D)); use<<<1, BLOCK, 0, s>>>(e, d); }},
    {"staged-again", [] { OK(cudaMemcpy(d, pageable, BYTES, H2D)); OK(cudaMemcpy(pageable, d, BYTES, D2H));
                          use<<<1, BLOCK, 0, n>>>(e, d); }},
    {"pinned", [] { OK(cudaMemcpy(d, pinned, BYTES, H2D)); use<<<1, BLOCK, 0, n>>>(e, d); }},
    {"memset", [] { OK(cudaMemset(d, 0, BYTES)); use<<<1, BLOCK, 0, n>>>(e, d); }},
    {"memset-waited", [] { OK(cudaMemset(d, 0, BYTES)); then(0, n); use<<<1, BLOCK, 0, n>>>(e, d); }},
    {"managed-copy", [] { OK(cudaMemcpyAsync(m, d, BYTES, D2D, n)); m[2] = 1; }},
    {"managed-copy-waited", [] { OK(cudaMemcpyAsync(m, d, BYTES, D2D, n)); OK(cudaStreamSynchronize(n)); m[2] = 1; }},
};
/* clang-format on */

static void
set_up()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    OK(cuInit(0));
    OK(cudaMalloc(&d, BYTES));
    OK(cudaMalloc(&e, BYTES));
    OK(cudaMallocManaged(&m, BYTES));
    OK(cudaMallocHost(&pinned, BYTES));
    OK(cudaMallocHost(&other_pinned, BYTES));
    OK(cudaMallocArray(&array, &f, 8, 8));
    OK(cudaMallocArray(&other_array, &f, 8, 8));
    CUDA_ARRAY_DESCRIPTOR a = {};
    a.Width = BLOCK;
    a.Format = CU_AD_FORMAT_SIGNED_INT32;
    a.NumChannels = 1;
    OK(cuArrayCreate(&line, &a));
    OK(cuArrayCreate(&other_line, &a));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    OK(cudaEventCreate(&event));
    OK(cudaMemset(d, 0, BYTES));
    OK(cudaMemset(e, 0, BYTES));
    OK(cudaDeviceSynchronize());
}

int
main(int argc, char **argv)
{
    set_up();
    if (argc > 1) {
        for (const stream_case &c : stream_cases)
            if (!strcmp(c.name, argv[1]))
                c.run();
    } else {
        for (host_case *c = host_case::all; c; c = c->next)
            c->run();
    }
    cudaDeviceSynchronize();
    cudaDeviceReset();
    if (failures)
        printf("%d failed\n", failures);
    return failures != 0;
}
