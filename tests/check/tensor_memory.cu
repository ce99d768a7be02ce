/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_memory.cu: D = A * B by tcgen05.mma, read back, and mistakes with it. Kernels named bad_
 * have one; good_ is the right way.
 */
#include <cstdio>
#include <cuda_fp16.h>

enum { M = 128, N = 16, K = 16, COLUMNS = 32, LEADING = 128, STRIDE = 256 };
typedef unsigned long long u64;

struct alignas(1024) tiles {
    __half a[M * K], b[N * K];
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
    return shared(p) >> 4 | (u64)(LEADING >> 4) << 16 | (u64)(STRIDE >> 4) << 32 | (u64)1 << 46;
}

__device__ void
begin(tiles &t)
{
    for (int k = threadIdx.x; k < (M + N) * K; k += blockDim.x)
        (k < M * K ? t.a[k] : t.b[k - M * K]) = __half(1.0f);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&t.full)) : "memory");
    if (threadIdx.x < 32)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(
                         shared(&t.columns))
                     : "memory");
    asm volatile("fence.proxy.async.shared::cta;\ntcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

__device__ void
multiply(tiles &t)
{
    const unsigned form = 1u << 4 | (unsigned)(N >> 3) << 17 | (unsigned)(M >> 4) << 24;
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(t.columns),
                 "l"(descriptor(t.a)), "l"(descriptor(t.b)), "r"(form)
                 : "memory");
}

__device__ void
commit(tiles &t)
{
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
            shared(&t.full))
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
load(tiles &t)
{
    unsigned r;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];"
                 : "=r"(r)
                 : "r"(t.columns + (threadIdx.x / 32 << 21)));
    return r;
}

__device__ void
wait_loads()
{
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

__device__ void
end(tiles &t)
{
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (threadIdx.x < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(t.columns));
}

__global__ void
good(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    for (unsigned turn = 0; turn < 3; turn++) {
        if (threadIdx.x == 0) {
            multiply(t);
            multiply(t); /* the unit keeps them in order */
            commit(t);
        }
        wait(t, turn & 1);
        unsigned r = load(t);
        wait_loads();
        out[threadIdx.x] = r + 1;
        asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
        __syncthreads();
    }
    end(t);
}

/* One warp waits, the others are told by a barrier. */
__global__ void
good_told(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (threadIdx.x == 0) {
        multiply(t);
        commit(t);
    }
    if (threadIdx.x < 32)
        wait(t, 0);
    __syncthreads();
    unsigned r = load(t);
    wait_loads();
    out[threadIdx.x] = r + 1;
    end(t);
}

__global__ void
bad_early(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (threadIdx.x == 0) {
        multiply(t);
        commit(t);
    }
    __syncthreads();
    unsigned r = load(t);
    wait_loads();
    wait(t, 0);
    out[threadIdx.x] = r + 1;
    end(t);
}

__global__ void
bad_uncommitted(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (threadIdx.x == 0) {
        commit(t);
        multiply(t);
    }
    wait(t, 0);
    unsigned r = load(t);
    wait_loads();
    out[threadIdx.x] = r + 1;
    end(t);
}

__global__ void
bad_given_back(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (threadIdx.x == 0) {
        multiply(t);
        commit(t);
    }
    out[threadIdx.x] = 1;
    end(t);
    wait(t, 0);
}

__global__ void
bad_no_wait_ld(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (threadIdx.x == 0) {
        multiply(t);
        commit(t);
    }
    wait(t, 0);
    unsigned r = load(t);
    out[threadIdx.x] = r + 1;
    wait_loads();
    end(t);
}

int
main()
{
    unsigned *out, host[M];
    cudaMalloc(&out, sizeof host);
    void (*kernels[])(unsigned *) = {good,           good_told,     bad_early, bad_uncommitted,
                                     bad_given_back, bad_no_wait_ld};
    for (auto kernel : kernels) {
        kernel<<<1, M>>>(out);
        if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
            return 2;
        if ((kernel == good || kernel == good_told) && host[77] != 0x41800001u) /* 16.0f, and 1 */
            printf("wrong: %x\n", host[77]);
    }
    cudaFree(out);
}
