/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_pairs.cu: D = A * B of two blocks of a cluster (tcgen05, .cta_group::2), read back, and
 * mistakes with it. Kernels named bad_ have one; good is the right way.
 */
#include <cstdio>
#include <cuda_fp16.h>

enum { M = 256, N = 32, K = 16, ROWS = M / 2, COLUMNS = 32, LEADING = 128, STRIDE = 256 };
typedef unsigned long long u64;

struct alignas(1024) tiles { /* half of A's rows, half of B's columns */
    __half a[ROWS * K], b[N / 2 * K];
    u64 full;
    unsigned columns;
};

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ u64
descriptor(const void *p)
{
    return (shared(p) & 0x3ffff) >> 4 | (u64)(LEADING >> 4) << 16 | (u64)(STRIDE >> 4) << 32 |
           (u64)1 << 46;
}

__device__ unsigned
rank()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ void
meet()
{
    asm volatile("tcgen05.fence::before_thread_sync;\nbarrier.cluster.arrive;\n"
                 "barrier.cluster.wait;\ntcgen05.fence::after_thread_sync;" ::
                     : "memory");
}

__device__ void
begin(tiles &t)
{
    for (int k = threadIdx.x; k < (ROWS + N / 2) * K; k += blockDim.x)
        (k < ROWS * K ? t.a[k] : t.b[k - ROWS * K]) = __half(rank() ? 2.0f : 1.0f);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&t.full)) : "memory");
    if (threadIdx.x < 32)
        asm volatile(
            "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 32;\n"
            "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::"r"(shared(&t.columns))
            : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    meet();
}

__device__ void
multiply(tiles &t)
{
    const unsigned form = 1u << 4 | (unsigned)(N >> 3) << 17 | (unsigned)(M >> 4) << 24;
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
                 "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(t.columns),
                 "l"(descriptor(t.a)), "l"(descriptor(t.b)), "r"(form)
                 : "memory");
}

__device__ void
commit(tiles &t)
{
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::"
                 "cluster.b64 [%0], %1;" ::"r"(shared(&t.full)),
                 "h"((short)3)
                 : "memory");
}

__device__ void
wait(tiles &t, unsigned parity)
{
    asm volatile("{ .reg .pred over;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@!over bra again; }\n"
                 "tcgen05.fence::after_thread_sync;" ::"r"(shared(&t.full)),
                 "r"(parity)
                 : "memory");
}

__device__ unsigned
load(tiles &t, unsigned column)
{
    unsigned r;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];\n"
                 "tcgen05.wait::ld.sync.aligned;"
                 : "=r"(r)
                 : "r"(t.columns + column + (threadIdx.x / 32 << 21)));
    return r;
}

__device__ void
end(tiles &t)
{
    meet();
    if (threadIdx.x < 32)
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 32;" ::"r"(t.columns));
}

/* In turn the even block's thread asks, and the odd one's. */
__global__ void __cluster_dims__(2, 1, 1) good(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    for (unsigned turn = 0; turn < 4; turn++) {
        if (rank() == turn % 2 && threadIdx.x == 0) {
            multiply(t);
            commit(t);
        }
        wait(t, turn & 1);
        unsigned first = load(t, 0), last = load(t, N - 1);
        out[2 * (rank() * ROWS + threadIdx.x)] = first;
        out[2 * (rank() * ROWS + threadIdx.x) + 1] = last;
        meet();
    }
    end(t);
}

__global__ void __cluster_dims__(2, 1, 1) bad_early(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (rank() == 0 && threadIdx.x == 0)
        multiply(t);
    meet();
    out[rank() * ROWS + threadIdx.x] = load(t, 0);
    if (rank() == 0 && threadIdx.x == 0)
        commit(t);
    wait(t, 0);
    end(t);
}

int
main()
{
    unsigned *out, host[2 * M];
    const float want[] = {16, 32, 32, 64}; /* rows of the even block, of the odd one: 1 and 2 */
    cudaMalloc(&out, sizeof host);
    good<<<2, ROWS>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 2 * M; k++) {
        float got;
        memcpy(&got, &host[k], sizeof got);
        if (got != want[k / M * 2 + k % 2])
            printf("wrong: %d: %g\n", k, got);
    }
    bad_early<<<2, ROWS>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 2;
    cudaFree(out);
}
