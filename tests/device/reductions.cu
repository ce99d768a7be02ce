/* SPDX-License-Identifier: Apache-2.0
 *
 * The seven reductions of Mark Harris' course ("Optimizing Parallel Reduction in CUDA", 2007),
 * written from its text: each sums up N words, the next one mends what the one before does wrong.
 * Prints of each its sum's verdict and its time by events. Where warps of a generation do not run
 * in step, the last warp synchronises (__syncwarp).
 */
#include <cstdio>

enum { B = 128 };

/* 1: neighbours first, every other thread, then every fourth: warps part ways. */
__global__ void
interleaved_divergent(const int *in, int *out)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        if (t % (2 * k) == 0)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* 2: the first threads do it, but at strides of powers of two: bank conflicts. */
__global__ void
interleaved_conflicts(const int *in, int *out)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        unsigned i = 2 * k * t;
        if (i < blockDim.x)
            s[i] += s[i + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* 3: halves: neighbouring threads, neighbouring words. */
__global__ void
sequential(const int *in, int *out)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* 4: the first addition while loading: half as many blocks. */
__global__ void
first_add(const int *in, int *out)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x, i = blockIdx.x * 2 * blockDim.x + t;
    s[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__device__ void
last_warp(volatile int *s, unsigned t)
{
    for (unsigned k = 32; k > 0; k /= 2) {
        int v = t + k < B ? s[t + k] : 0;
        __syncwarp();
        s[t] += v;
        __syncwarp();
    }
}

/* 5: the last warp needs no barrier of the block. */
__global__ void
unrolled_warp(const int *in, int *out)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x, i = blockIdx.x * 2 * blockDim.x + t;
    s[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 32; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32)
        last_warp(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}

template <unsigned THREADS>
__device__ void
finish(int *s, unsigned t)
{
    if (THREADS >= 512) {
        if (t < 256)
            s[t] += s[t + 256];
        __syncthreads();
    }
    if (THREADS >= 256) {
        if (t < 128)
            s[t] += s[t + 128];
        __syncthreads();
    }
    if (THREADS >= 128) {
        if (t < 64)
            s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32)
        last_warp(s, t);
}

/* 6: all of it unrolled. */
template <unsigned THREADS>
__global__ void
unrolled(const int *in, int *out)
{
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = blockIdx.x * 2 * THREADS + t;
    s[t] = in[i] + in[i + THREADS];
    __syncthreads();
    finish<THREADS>(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* 7: each thread adds up many elements first. */
template <unsigned THREADS>
__global__ void
many(const int *in, int *out, unsigned n)
{
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * 2 * THREADS + t; i < n; i += 2 * THREADS * gridDim.x)
        sum += in[i] + in[i + THREADS];
    s[t] = sum;
    __syncthreads();
    finish<THREADS>(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}

#ifndef WORDS
#define WORDS (1 << 20)
#endif
static const unsigned n = WORDS;
static int *in, *out, host[n], partial[n / B];

static void
launch(int which)
{
    unsigned blocks = n / B;
    switch (which) {
    case 1: interleaved_divergent<<<blocks, B>>>(in, out); break;
    case 2: interleaved_conflicts<<<blocks, B>>>(in, out); break;
    case 3: sequential<<<blocks, B>>>(in, out); break;
    case 4: first_add<<<blocks / 2, B>>>(in, out); break;
    case 5: unrolled_warp<<<blocks / 2, B>>>(in, out); break;
    case 6: unrolled<B><<<blocks / 2, B>>>(in, out); break;
    case 7: many<B><<<blocks / 16, B>>>(in, out, n); break;
    }
}

int
main()
{
    long long wanted = 0;
    bool fine = true;
    cudaEvent_t from, to;
    for (unsigned i = 0; i < n; i++)
        wanted += host[i] = (int)(i * 2654435761u >> 24);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof partial);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    for (int which = 1; which <= 7; which++) {
        float ms = 0;
        unsigned blocks = which < 4 ? n / B : which < 7 ? n / B / 2 : n / B / 16;
        cudaEventRecord(from);
        launch(which);
        cudaEventRecord(to);
        cudaEventSynchronize(to);
        cudaEventElapsedTime(&ms, from, to);
        cudaMemcpy(partial, out, blocks * sizeof *partial, cudaMemcpyDeviceToHost);
        long long sum = 0;
        for (unsigned i = 0; i < blocks; i++)
            sum += partial[i];
        fine = fine && sum == wanted;
        printf("%d %s %.6f ms\n", which, sum == wanted ? "right" : "wrong", ms);
    }
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    cudaFree(in);
    cudaFree(out);
    return !fine;
}
