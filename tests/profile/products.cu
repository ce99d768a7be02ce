/* SPDX-License-Identifier: Apache-2.0
 *
 * products.cu: matrix units under `lockstep profile`: tcgen05.mma of some kinds, of one block and
 * of two (compute capability 10.0), or wgmma (9.0). Nobody looks at the results.
 */
#include <cuda_runtime.h>

#if !WGMMA

enum { KIB = 1024 };
typedef unsigned long long u64;

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Matrices all begin at the tile's start. */
__device__ u64
descriptor(const void *p)
{
    return (shared(p) & 0x3ffff) >> 4 | (u64)8 << 16 | (u64)16 << 32 | (u64)1 << 46;
}

#define ALLOC(group, columns)                                                                      \
    if (threadIdx.x < 32)                                                                          \
        asm volatile("tcgen05.alloc.cta_group::" #group                                            \
                     ".sync.aligned.shared::cta.b32 [%0], " #columns ";" ::"r"(shared(&at))        \
                     : "memory");                                                                  \
    __syncthreads();
#define FREE(group, columns)                                                                       \
    __syncthreads();                                                                               \
    if (threadIdx.x < 32)                                                                          \
        asm volatile("tcgen05.dealloc.cta_group::" #group ".sync.aligned.b32 %0, " #columns        \
                     ";" ::"r"(at));
/* A kernel of one instruction: [%0] is D, %1 A's and B's descriptor, %2 the instruction's; 64
 * columns on are metadata, 72 and 80 scales. Thread t executes it where t < threads. */
#define KERNEL(name, threads, times, text, word)                                                   \
    __global__ void name()                                                                         \
    {                                                                                              \
        __shared__ __align__(1024) char tile[16 * KIB];                                            \
        __shared__ unsigned at;                                                                    \
        ALLOC(1, 128)                                                                              \
        for (int k = 0; k < times; k++)                                                            \
            if (threadIdx.x < threads)                                                             \
                asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n" text "}" ::"r"(at),          \
                             "l"(descriptor(tile)), "r"(word)                                      \
                             : "memory");                                                          \
        FREE(1, 128)                                                                               \
    }
#define WORD(m, n, more) ((unsigned)(n) >> 3 << 17 | (unsigned)(m) >> 4 << 24 | (more))
enum { F32 = 1 << 4, TF32 = 2 << 7 | 2 << 10, S32 = 2 << 4, SPARSE = 1 << 2 };

KERNEL(f16, 1, 3, "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %2, p;", WORD(128, 32, F32))
KERNEL(lanes, 2, 1, "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %2, p;", WORD(128, 32, F32))
KERNEL(tf32, 1, 1, "tcgen05.mma.cta_group::1.kind::tf32 [%0], %1, %1, %2, p;",
       WORD(64, 24, F32 | TF32))
KERNEL(i8, 1, 1, "tcgen05.mma.cta_group::1.kind::i8 [%0], %1, %1, %2, p;", WORD(128, 32, S32))
KERNEL(weights, 1, 1, "tcgen05.mma.ws.cta_group::1.kind::f8f6f4 [%0], %1, %1, %2, p;",
       WORD(32, 64, F32))
KERNEL(sparse, 1, 1, "tcgen05.mma.sp.cta_group::1.kind::f16 [%0], %1, %1, [%0+64], %2, p;",
       WORD(128, 32, F32 | SPARSE))
KERNEL(scaled, 1, 1,
       "tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%0], %1, %1, %2, [%0+72], [%0+80], p;",
       1u << 7 | 1u << 10 | 16u >> 3 << 17 | 1u << 23 | 1u << 27)

/* Two pairs of blocks; one thread of each pair. */
__global__ void __cluster_dims__(2, 1, 1) pair()
{
    __shared__ __align__(1024) char tile[16 * KIB];
    __shared__ unsigned at;
    ALLOC(2, 128)
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    if (blockIdx.x % 2 == 1 && threadIdx.x == 0)
        asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
                     "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %1, %2, p; }" ::"r"(at),
                     "l"(descriptor(tile)), "r"(WORD(256, 64, F32))
                     : "memory");
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    FREE(2, 128)
}

int
main()
{
    f16<<<2, 32>>>();
    lanes<<<1, 32>>>();
    tf32<<<1, 32>>>();
    i8<<<1, 32>>>();
    weights<<<1, 32>>>();
    sparse<<<1, 32>>>();
    scaled<<<1, 32>>>();
    pair<<<4, 32>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}

#else

/* A warpgroup of each of two blocks. */
__global__ void
warpgroups(float *out)
{
    __shared__ __align__(1024) char tile[4096];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile);
    unsigned long long d = (at & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
    float r[4] = {};
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 0, "
                 "1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                 : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3])
                 : "l"(d)
                 : "memory");
    out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}

int
main()
{
    float *out;
    cudaMalloc(&out, 128 * sizeof *out);
    warpgroups<<<2, 128>>>(out);
    cudaFree(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}

#endif
