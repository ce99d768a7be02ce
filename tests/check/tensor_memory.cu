/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_memory.cu: D = A * B by tcgen05.mma, read back, and mistakes with it. Kernels named bad_
 * have one; good_ is the right way.
 */
#include <cstdio>
#include <cuda_fp16.h>

#include "tcgen05.h"

enum { N = 16, COLUMNS = 32 };

struct alignas(1024) tiles {
    __half a[M * K], b[N * K];
    u64 full, unused;
    unsigned columns;
};

__device__ void
begin(tiles &t)
{
    for (int k = threadIdx.x; k < (M + N) * K; k += blockDim.x)
        (k < M * K ? t.a[k] : t.b[k - M * K]) = __half(1.0f);
    if (threadIdx.x == 0)
        init(&t.full, 1), init(&t.unused, 1);
    allocate<COLUMNS>(&t.columns);
    proxy_fence();
    synchronize();
}

__device__ void
multiply(tiles &t)
{
    multiply(t.columns, descriptor(t.a), descriptor(t.b), N);
}

__device__ void
end(tiles &t)
{
    give_back<COLUMNS>(t.columns);
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
            commit(&t.full);
        }
        wait_unit(&t.full, turn & 1);
        unsigned r = load(t.columns);
        wait_loads();
        out[threadIdx.x] = r + 1;
        synchronize();
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
        commit(&t.full);
    }
    if (threadIdx.x < 32)
        wait_unit(&t.full, 0);
    __syncthreads();
    unsigned r = load(t.columns);
    wait_loads();
    out[threadIdx.x] = r + 1;
    end(t);
}

/* A commit is about all that is before it, whatever commits were about it already. */
__global__ void
good_again(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (threadIdx.x == 0) {
        multiply(t);
        commit(&t.unused);
        commit(&t.full);
    }
    wait_unit(&t.full, 0);
    unsigned r = load(t.columns);
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
        commit(&t.full);
    }
    __syncthreads();
    unsigned r = load(t.columns);
    wait_loads();
    wait_unit(&t.full, 0);
    out[threadIdx.x] = r + 1;
    end(t);
}

__global__ void
bad_uncommitted(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (threadIdx.x == 0) {
        commit(&t.full);
        multiply(t);
    }
    wait_unit(&t.full, 0);
    unsigned r = load(t.columns);
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
        commit(&t.full);
    }
    out[threadIdx.x] = 1;
    end(t);
    wait_unit(&t.full, 0);
}

__global__ void
bad_no_wait_ld(unsigned *out)
{
    __shared__ tiles t;
    begin(t);
    if (threadIdx.x == 0) {
        multiply(t);
        commit(&t.full);
    }
    wait_unit(&t.full, 0);
    unsigned r = load(t.columns);
    out[threadIdx.x] = r + 1;
    wait_loads();
    end(t);
}

int
main()
{
    unsigned *out, host[M];
    cudaMalloc(&out, sizeof host);
    void (*kernels[])(unsigned *) = {good,      good_told,       good_again,     bad_early,
                                     bad_uncommitted, bad_given_back, bad_no_wait_ld};
    for (auto kernel : kernels) {
        kernel<<<1, M>>>(out);
        if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
            return 2;
        bool right = kernel == good || kernel == good_told || kernel == good_again;
        if (right && host[77] != 0x41800001u) /* 16.0f, and 1 */
            printf("wrong: %x\n", host[77]);
    }
    cudaFree(out);
}
