/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks that do in shared memory what the blocks before did are not looked at access by access
 * (stretch.c). Each kernel here comes twice: as good_, in which all blocks are alike, and as bad_,
 * in which one block of many goes another way somewhere, and makes a mistake by that.
 */
#include <cstdio>

enum { THREADS = 256, BLOCKS = 64, ODD = 37 };

#define TWICE(name)                                                                                \
    __global__ void good_##name(const int *in, int *out, int)                                      \
    {                                                                                              \
        name(in, out, false);                                                                      \
    }                                                                                              \
    __global__ void bad_##name(const int *in, int *out, int odd)                                   \
    {                                                                                              \
        name(in, out, blockIdx.x == odd);                                                          \
    }
#define BODY __device__ __forceinline__ void

/* A neighbour's word is read before the barrier. */
BODY
early(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, sum = 0;
    s[t] = in[i];
    if (odd)
        sum = s[(t + 1) % THREADS];
    __syncthreads();
    out[i] = sum + s[(t + 2) % THREADS];
}
TWICE(early)

/* One barrier of a tree is missing. */
BODY
tree(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int step = THREADS / 2; step; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        if (!odd || step != 64)
            __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
TWICE(tree)

/* The last word is not written; what reads it is the same. */
BODY
hole(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    if (!odd || t != THREADS - 1)
        s[t] = in[i];
    __syncthreads();
    out[i] = s[THREADS - 1 - t] + 1;
}
TWICE(hole)

/* The turns of a loop write and read in turn: the other way round it reads what was not written
 * yet. */
BODY
turns(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, sum = 0;
    for (int k = 0; k < 6; k++) {
        if ((k + odd) % 2)
            sum += s[THREADS - 1 - t];
        else
            s[t] = in[i] + k;
        __syncthreads();
    }
    out[i] = sum;
}
TWICE(turns)

/* One of its stores goes beyond the end. */
BODY
beyond(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[t] = in[i];
    __syncthreads();
    int sum = s[(t + 1) % THREADS];
    __syncthreads();
    s[t + odd] = sum;
    __syncthreads();
    out[i] = s[t];
}
TWICE(beyond)

/* The barrier between loads, of which only notes are left, and a store. */
BODY
late_store(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, sum = 0;
    s[t] = in[i];
    __syncthreads();
    for (int k = 1; k < 8; k++)
        sum += s[(t + k) % THREADS];
    if (!odd)
        __syncthreads();
    s[t] = sum;
    __syncthreads();
    out[i] = s[t];
}
TWICE(late_store)

/* Lanes of a warp, one __syncwarp() less. */
BODY
lanes(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[t] = in[i];
    __syncthreads();
    int next = s[t ^ 1];
    if (!odd)
        __syncwarp();
    s[t] = next;
    __syncthreads();
    out[i] = s[t];
}
TWICE(lanes)

/* Counters, of which one thread sets one without an atomic operation. */
BODY
counters(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[t] = 0;
    __syncthreads();
    atomicAdd(&s[in[i] % 32], 1);
    if (odd && t == 100)
        s[7] = 1;
    __syncthreads();
    out[i] = s[t];
}
TWICE(counters)

/* A pointer that goes here or there. */
BODY
either(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[t] = in[i];
    if (!odd)
        __syncthreads();
    const int *from = t < 200 ? &s[(t + 40) % THREADS] : &in[i];
    out[i] = *from;
}
TWICE(either)

/* All threads store the same value to one word, which is worth a warning; then each its own. */
BODY
one_word(const int *in, int *out, bool odd)
{
    __shared__ int s[2];
    int t = threadIdx.x;
    s[0] = in[blockIdx.x] + (odd ? t : 0);
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = s[0];
}
TWICE(one_word)

/* Rows of 20 threads: each lane has an address of its own. */
BODY
rows(const int *in, int *out, bool odd)
{
    __shared__ int s[12][20];
    int x = threadIdx.x % 20, y = threadIdx.x / 20, i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    if (threadIdx.x < 240)
        s[y][x] = in[i];
    if (odd && threadIdx.x == 130)
        s[3][3] = 5;
    __syncthreads();
    if (threadIdx.x < 240)
        for (int k = 0; k < 5; k++)
            sum += s[y][(x + k) % 20] + s[(y + k) % 12][x];
    out[i] = sum;
}
TWICE(rows)

/* Where the value comes from was never written; it is copied everywhere, and used once. */
BODY
copied(const int *in, int *out, bool odd)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[t] = in[BLOCKS * THREADS + t];
    __syncthreads();
    int value = s[THREADS - 1 - t];
    out[i] = odd && t == 3 ? value + 1 : 4;
}
TWICE(copied)

int
main(void)
{
    enum { COUNT = BLOCKS * THREADS };
    static int host[COUNT];
    int *in, *out;
    for (int i = 0; i < COUNT; i++)
        host[i] = i * 7 % 1000;
    cudaMalloc(&in, sizeof host + 4 * THREADS);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
#define RUN(name)                                                                                  \
    good_##name<<<BLOCKS, THREADS>>>(in, out, ODD);                                                \
    bad_##name<<<BLOCKS, THREADS>>>(in, out, ODD);                                                 \
    if (cudaDeviceSynchronize())                                                                   \
        printf("%s: %s\n", #name, cudaGetErrorString(cudaGetLastError()));
    RUN(early)
    RUN(tree)
    RUN(hole)
    RUN(turns)
    RUN(beyond)
    RUN(late_store)
    RUN(lanes)
    RUN(counters)
    RUN(either)
    RUN(one_word)
    RUN(rows)
    RUN(copied)
    cudaFree(in);
    cudaFree(out);
    return 0;
}
