// SPDX-License-Identifier: Apache-2.0
//
// Kernels for mechanisms_test.py, each of which one mechanism of the estimate is about, or its
// twin, of which it is not.
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 1 << 20 };

// Four stores of a warp that follow each other fill four lines.
__global__ void
words_together(float *y)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 4; k++)
        y[i + k] = (float)i;
}

// The same, each word behind a test of its own, as ptxas predicates them.
__global__ void
words_tested(float *y, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (i + k < n)
            ((volatile float *)y)[i + k] = (float)i;
}

// The same with a barrier between them.
__global__ void
words_apart(float *y)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        ((volatile float *)y)[i + k] = (float)i;
        __syncthreads();
    }
}

// A warp's stores lie in eight lines.
__global__ void
words_far(float *y)
{
    int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
    for (int k = 0; k < 8; k++)
        ((volatile float *)y)[i + k] = (float)i;
}

// Chains of multiply-adds, and barriers: eight warps on four schedulers.
__global__ void
chains(float *y, int turns)
{
    float a[16];
    for (int k = 0; k < 16; k++)
        a[k] = (float)(threadIdx.x + k);
    for (int t = 0; t < turns; t++) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            a[k] = a[k] * 0.5f + 1.0f;
        __syncthreads();
    }
    float s = 0;
    for (int k = 0; k < 16; k++)
        s += a[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void
reads(cudaTextureObject_t t, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 16; k++)
        s += tex1Dfetch<float>(t, (i + k) % N);
    y[i] = s;
}

// A third of a million words, once: copies have put them into L2, if L2 is large enough.
__global__ void
once(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}

// A store in every turn, and a load of a line that all warps of the block ask for, ...
__global__ void
all_ask(const float *x, float *y, int turns)
{
    for (int t = 0; t < turns; t++)
        y[blockIdx.x * blockDim.x + threadIdx.x] += x[t * 32 + threadIdx.x % 32];
}

// ... or each for its own.
__global__ void
each_asks(const float *x, float *y, int turns)
{
    for (int t = 0; t < turns; t++)
        y[blockIdx.x * blockDim.x + threadIdx.x] += x[t * 256 + threadIdx.x];
}

// Of a block's eight warps the first alone reads, all do, or each has a part of its own between
// barriers.
__global__ void
first_reads(const float *x, float *y, int turns)
{
    float s = 0;
    if (threadIdx.x < 32)
        for (int t = 0; t < turns; t++)
            s += x[t * 256 + threadIdx.x];
    y[threadIdx.x] = s;
}

__global__ void
all_read(const float *x, float *y, int turns)
{
    float s = 0;
    for (int t = 0; t < turns; t++)
        s += x[t * 256 + threadIdx.x];
    y[threadIdx.x] = s;
}

__global__ void
two_read(const float *x, float *y, int turns)
{
    float s = 0;
    if (threadIdx.x < 32)
        for (int t = 0; t < turns; t++)
            s += x[t * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= 224)
        for (int t = 0; t < turns; t++)
            s += x[t * 256 + threadIdx.x];
    y[threadIdx.x] = s;
}

// 16 MB that one kernel reads and writes, and the next one reads.
__global__ void
in_place(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void
read_back(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    if (v < 0)
        y[i % N] = v;
}

/* Four words of shared memory a thread, side by side: one load of 16 bytes. */
__global__ void
quads(float *y)
{
    __shared__ float s[1024];
    unsigned t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        s[t + 256 * k] = t + k;
    __syncthreads();
    y[t] = s[4 * t] + s[4 * t + 1] * s[4 * t + 2] + s[4 * t + 3];
}

/* The same from where a thread is: most of them are no multiple of 16 bytes. */
__global__ void
neighbours(float *y)
{
    __shared__ float s[1024];
    unsigned t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        s[t + 256 * k] = t + k;
    __syncthreads();
    y[t] = s[t] + s[t + 1] * s[t + 2] + s[t + 3];
}

/* A word a turn: four turns of the loop, once unrolled, are one load. */
__global__ void
along(float *y, int by)
{
    __shared__ float s[1024];
    unsigned t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        s[t + 256 * k] = t + k;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 64; k++)
        sum = sum * y[k * by] + s[t / 32 * 64 + k];
    y[t] = sum;
}

/* Four words a turn by a register that stands in the middle of them: one load a turn, where the
 * first of them is a multiple of 16. */
template <int first>
__global__ void
walked(float *y, int by)
{
    __shared__ float s[1024];
    unsigned t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        s[t + 256 * k] = t + k;
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 32; k++)
        sum = sum * y[k * by] + s[(t & 0xe0) * 2 + first + k];
    y[t] = sum;
}

/* In each turn a line of L2 is loaded before a barrier and another one behind it; the first is
 * added behind both, or before the barrier. */
template <bool behind>
__global__ void
read_lines(const float *x, float *y, int turns)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < turns; k++) {
        float early = __ldcg(x + 512 * k + t);
        if (!behind)
            s[t] = early;
        __syncthreads();
        float late = __ldcg(x + 512 * k + 256 + (t ^ 32));
        sum += behind ? late * early : late * s[t ^ 1];
        __syncthreads();
    }
    y[t] = sum;
}

/* Stores, and much to do behind them: nobody waits for them at its end. */
__global__ void
stores_first(float *y, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i;
    y[i] = v;
#pragma unroll 1
    for (int k = 0; k < turns; k++)
        v = v * 1.5f + 1;
    if (v == 77)
        y[0] = v;
}

/* A block's other warps wait for what its last one writes late, ... */
__global__ void
wait(const float *x, float *y, volatile int *done, int turns)
{
    if (threadIdx.x >= 224) {
        float s = 0;
        for (int t = 0; t < turns; t++)
            s += x[(int)s + t * 256 + threadIdx.x];
        y[threadIdx.x] = s;
        __threadfence();
        if (threadIdx.x == 224)
            *done = 1;
    } else {
        while (!*done)
            ;
    }
}

/* ... and read the same as often as a counter says. */
__global__ void
counted(float *y, volatile int *done, int turns)
{
    int n = 0;
    for (int t = 0; t < turns; t++)
        n += *done == 1;
    y[threadIdx.x] = n;
}

/* Atomics of all lanes on one word: sums and the largest one are combined, an exchange and a
 * counter that wraps are not; a swap that nobody tries again is one pass, not a wait for its
 * success. */
__global__ void
combined(int *at)
{
    atomicMax(at, (int)threadIdx.x);
}

__global__ void
exchanged(int *at)
{
    atomicExch(at, (int)threadIdx.x);
}

__global__ void
wrapped(unsigned *at)
{
    atomicInc(at, 17);
}

__global__ void
swapped_once(int *at)
{
    atomicCAS(at, (int)threadIdx.x, 1);
}

__global__ void
swapped(int *at)
{
    int was = 0, old;
    if (threadIdx.x % 32 == 0)
        while ((old = atomicCAS(at, was, was + 1)) != was)
            was = old;
}

/* A value that two definitions may give: a register's copy stands behind the load. */
__global__ void
either(const float *x, float *y, int test)
{
    __shared__ float tile[256];
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    tile[threadIdx.x] = v;
    if (test) {
        __syncthreads();
        v = tile[threadIdx.x ^ 32];
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

/* Four lines a warp, which L2 has, side by side. */
__global__ void
four_lines(const float *x, float *y)
{
    unsigned i = blockIdx.x * 1024 + threadIdx.x;
    y[blockIdx.x * 256 + threadIdx.x] = x[i] + x[i + 256] + x[i + 512] + x[i + 768];
}

__global__ void
one_line(const float *x, float *y)
{
    y[blockIdx.x * 256 + threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
}

int
main()
{
    float *x, *y, *large;
    cudaMalloc(&x, N * 4);
    cudaMalloc(&y, N * 4);
    cudaMemset(x, 0, N * 4);
    once<<<N / 256, 256>>>(x, y);
    words_together<<<N / 1024, 256>>>(y);
    words_tested<<<N / 1024, 256>>>(y, N);
    words_apart<<<N / 1024, 256>>>(y);
    words_far<<<N / 2048, 256>>>(y);
    chains<<<132, 256>>>(y, 100);
    all_ask<<<16, 256>>>(x, y, 100);
    each_asks<<<16, 256>>>(x, y, 100);
    first_reads<<<1, 256>>>(x, y, 1000);
    all_read<<<1, 256>>>(x, y, 1000);
    two_read<<<1, 256>>>(x, y, 1000);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = x;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = N * 4;
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &resource, &how, nullptr);
    reads<<<N / 256, 256>>>(t, y);
    cudaMalloc(&large, 4 * N * 4);
    in_place<<<4 * N / 256, 256>>>(large);
    read_back<<<4 * N / 256, 256>>>(large, y);
    quads<<<16, 256>>>(y);
    neighbours<<<16, 256>>>(y);
    along<<<16, 256>>>(y, 3);
    read_lines<true><<<1, 256>>>(x, y, 100);
    read_lines<false><<<1, 256>>>(x, y, 100);
    stores_first<<<16, 256>>>(y, 100);
    walked<0><<<16, 256>>>(y, 3);
    walked<1><<<16, 256>>>(y, 3);
    int *word;
    cudaMalloc(&word, 4);
    cudaMemset(word, 0, 4);
    wait<<<1, 256>>>(x, y, word, 2000);
    counted<<<1, 256>>>(y, word, 2000);
    combined<<<16, 256>>>(word);
    exchanged<<<16, 256>>>(word);
    wrapped<<<16, 256>>>((unsigned *)word);
    swapped_once<<<16, 256>>>(word);
    swapped<<<16, 256>>>(word);
    either<<<N / 256, 256>>>(x, y, 0);
    four_lines<<<N / 1024, 256>>>(x, y);
    one_line<<<N / 256, 256>>>(x, y);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
