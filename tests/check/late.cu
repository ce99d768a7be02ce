/* SPDX-License-Identifier: Apache-2.0
 *
 * Mistakes that come late: the instruction has run many times without fault, so that check has
 * stopped looking at each time it does (gates.c, lines.c). Beside each the kernel without the
 * mistake.
 */
#include <cstdio>

enum { THREADS = 256, STEPS = 64, BLOCKS = 8 };

/* Without the barrier of one step, words are stored to that others still load. */
template <int MISSING>
__device__ int
pass_on(int *s)
{
    int t = threadIdx.x, sum = 0;
    for (int step = 0; step < STEPS; step++) {
        s[t] = step + t;
        __syncthreads();
        sum += s[(t + 32) % THREADS];
        if (step != MISSING)
            __syncthreads();
    }
    return sum;
}
__global__ void
bad_missing_barrier(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = pass_on<STEPS / 2>(s);
}
__global__ void
good_barriers(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = pass_on<STEPS>(s);
}

/* More loads between two barriers than there is room for notes, then a store. */
template <bool ORDERED>
__device__ int
many_loads(int *s)
{
    int t = threadIdx.x, sum = 0;
    s[t] = t;
    __syncthreads();
    for (int k = 0; k < 3 * THREADS; k++)
        sum += s[((t & ~31) ^ k) % THREADS];
    if (ORDERED)
        __syncthreads();
    s[t] = sum;
    __syncthreads();
    return s[t];
}
__global__ void
bad_store_after_loads(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = many_loads<false>(s);
}
__global__ void
good_store_after_loads(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = many_loads<true>(s);
}

/* Words behind the ones that were written, and in the last block alone. */
__device__ int
sum_words(int *s, int count)
{
    int t = threadIdx.x, sum = 0;
    if (t < THREADS / 2)
        s[t] = t;
    __syncthreads();
    for (int k = 0; k < count; k++)
        sum += s[(t % 32) + k];
    return sum;
}
__global__ void
bad_unwritten(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] =
        sum_words(s, blockIdx.x + 1 < gridDim.x ? THREADS / 2 - 31 : THREADS / 2 - 30);
}
__global__ void
good_written(int *out)
{
    __shared__ int s[THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = sum_words(s, THREADS / 2 - 31);
}

/* A trap ends the block while its loads are only noted. */
__global__ void
bad_unwritten_before_trap(int *out)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, sum = 0;
    if (t < 32)
        s[t] = t;
    __syncthreads();
    for (int k = 0; k < 4; k++)
        sum += s[t % 32 + 32 * (k == 3)];
    out[t] = sum;
    __syncthreads();
    if (t == 0)
        asm volatile("trap;");
}

/* All blocks read `in` over and over; one writes to it in the end. */
template <bool WRITES>
__device__ void
read_all(int *in, int n, int *out)
{
    int sum = 0;
    for (int k = 0; k < n / 32; k++)
        sum += in[k * 32 + threadIdx.x % 32];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
    if (WRITES && blockIdx.x + 1 == gridDim.x && threadIdx.x == 0)
        in[5] = sum;
}
__global__ void
bad_late_write(int *in, int n, int *out)
{
    read_all<true>(in, n, out);
}
__global__ void
good_reads(int *in, int n, int *out)
{
    read_all<false>(in, n, out);
}
__global__ void
bad_past_end(int *in, int n, int *out)
{
    read_all<false>(in, blockIdx.x + 1 == gridDim.x ? n + 32 : n, out);
}

/* Each thread its own elements, many times; then one its neighbour's. */
__global__ void
bad_neighbour(int *a, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int k = 0; k < STEPS; k++)
        a[i] += k;
    if (i == n / 2)
        a[i - 1] = 0;
}
__global__ void
good_own(int *a, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int k = 0; k < STEPS; k++)
        a[i] += k;
}

int
main()
{
    const int n = BLOCKS * THREADS, many = 1 << 14;
    int *in, *out;
    cudaMalloc(&in, many * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemset(in, 0, many * sizeof *in);
    good_barriers<<<BLOCKS, THREADS>>>(out);
    bad_missing_barrier<<<BLOCKS, THREADS>>>(out);
    good_store_after_loads<<<BLOCKS, THREADS>>>(out);
    bad_store_after_loads<<<BLOCKS, THREADS>>>(out);
    good_written<<<BLOCKS, THREADS>>>(out);
    bad_unwritten<<<BLOCKS, THREADS>>>(out);
    good_reads<<<BLOCKS, THREADS>>>(in, many, out);
    bad_late_write<<<BLOCKS, THREADS>>>(in, many, out);
    bad_past_end<<<BLOCKS, THREADS>>>(in, many, out);
    good_own<<<BLOCKS, THREADS>>>(out, n);
    bad_neighbour<<<BLOCKS, THREADS>>>(out, n);
    cudaDeviceSynchronize();
    cudaFree(in);
    bad_unwritten_before_trap<<<1, THREADS>>>(out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
