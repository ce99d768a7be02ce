/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations of many threads on few words, whose marks are kept with the block for a while
 * (counters.c): mistakes beside them, which have to be found whatever was kept.
 */
#include <cstdio>

enum { THREADS = 256, BLOCKS = 24, BINS = 64, COUNT = BLOCKS * THREADS };

__global__ void
good_histogram(const int *in, int *bins)
{
    for (int k = 0; k < 4; k++)
        atomicAdd(&bins[in[(blockIdx.x * THREADS + threadIdx.x + k * 100) % COUNT] % BINS], 1);
}
/* One thread of all sets a word by a plain store, in the midst of it. */
__global__ void
bad_store(const int *in, int *bins)
{
    for (int k = 0; k < 4; k++) {
        atomicAdd(&bins[in[(blockIdx.x * THREADS + threadIdx.x + k * 100) % COUNT] % BINS], 1);
        if (blockIdx.x == 11 && threadIdx.x == 77 && k == 2)
            bins[9] = 4;
    }
}
/* Or looks at one. */
__global__ void
bad_load(const int *in, int *bins, int *out)
{
    for (int k = 0; k < 4; k++)
        atomicAdd(&bins[in[(blockIdx.x * THREADS + threadIdx.x + k * 100) % COUNT] % BINS], 1);
    if (blockIdx.x == 3 && threadIdx.x == 200)
        *out = bins[5] + 1;
}
/* Words of the block alone: what its threads counted they may read behind a barrier, */
__global__ void
good_own(const int *in, int *bins, int *out)
{
    int *own = bins + blockIdx.x * BINS;
    for (int k = 0; k < 4; k++)
        atomicAdd(&own[in[(blockIdx.x * THREADS + threadIdx.x + k * 100) % COUNT] % BINS], 1);
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = own[threadIdx.x % BINS] + 1;
}
/*   and not before. */
__global__ void
bad_own(const int *in, int *bins, int *out)
{
    int *own = bins + blockIdx.x * BINS;
    for (int k = 0; k < 4; k++)
        atomicAdd(&own[in[(blockIdx.x * THREADS + threadIdx.x + k * 100) % COUNT] % BINS], 1);
    if (blockIdx.x != 7)
        __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = own[threadIdx.x % BINS] + 1;
}
/* Lanes of a warp: each counts in its own word, and reads its neighbour's. */
__global__ void
bad_lanes(int *bins, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    atomicAdd(&bins[i], 1);
    atomicAdd(&bins[i], 1);
    if (blockIdx.x != 7)
        __syncwarp();
    out[i] = bins[i ^ 1] + 1;
}
__global__ void
bad_unset(const int *in, int *bins)
{
    atomicAdd(&bins[in[blockIdx.x * THREADS + threadIdx.x] % BINS], 1);
}
__global__ void
bad_bounds(const int *in, int *bins)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    atomicAdd(&bins[i == 1234 ? BLOCKS * THREADS : in[i] % BINS], 1);
}
/* Atomic among the threads of a block only. */
__global__ void
bad_scope(const int *in, int *bins)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i == 11 * THREADS)
        atomicAdd_block(&bins[2], 1);
    atomicAdd(&bins[in[i] % BINS], 1);
}
/* More words than are kept at a time. */
__global__ void
bad_many(int *bins)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int k = 0; k < 3; k++)
        for (int n = threadIdx.x; n < BLOCKS * THREADS; n += THREADS)
            atomicAdd(&bins[n], 1);
    if (i == 3333)
        bins[4000] = 1;
}

int
main(void)
{
    static int host[COUNT];
    int *in, *bins, *unset, *out;
    for (int i = 0; i < COUNT; i++)
        host[i] = i * 7 % 1000;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&bins, sizeof host);
    cudaMalloc(&unset, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof host);
    good_histogram<<<BLOCKS, THREADS>>>(in, bins);
    bad_store<<<BLOCKS, THREADS>>>(in, bins);
    bad_load<<<BLOCKS, THREADS>>>(in, bins, out);
    good_own<<<BLOCKS, THREADS>>>(in, bins, out);
    bad_own<<<BLOCKS, THREADS>>>(in, bins, out);
    bad_lanes<<<BLOCKS, THREADS>>>(bins, out);
    bad_unset<<<BLOCKS, THREADS>>>(in, unset);
    bad_bounds<<<BLOCKS, THREADS>>>(in, bins);
    bad_scope<<<BLOCKS, THREADS>>>(in, bins);
    bad_many<<<BLOCKS, THREADS>>>(bins);
    if (cudaDeviceSynchronize())
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(in);
    cudaFree(bins);
    cudaFree(unset);
    cudaFree(out);
    return 0;
}
