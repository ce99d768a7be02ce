// SPDX-License-Identifier: Apache-2.0
// block: 64
// deals: how blocks are dealt changes, their code does not
#include "boxes.cuh"

// Each block draws a ticket when it begins and one when it ends. Out comes 1 where they follow each
// other: then no other block has begun or ended between. Else 2.
__device__ unsigned ticket;
__device__ void
note(float *out, unsigned begun)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = begun + 1 == atomicAdd(&ticket, 1) ? 1 : 2;
}

// The first warp waits for the second one at an mbarrier.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ unsigned long long full;
    unsigned begun = threadIdx.x == 0 ? atomicAdd(&ticket, 1) : 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&full)) : "memory");
    __syncthreads();
    if (threadIdx.x == 32)
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared(&full)) : "memory");
    if (threadIdx.x < 32)
        wait(&full);
    note(out, begun);
}

// At a word of shared memory.
extern "C" __global__ void fires_word(const float *in, float *out, int n)
{
    __shared__ unsigned word;
    unsigned begun = threadIdx.x == 0 ? atomicAdd(&ticket, 1) : 0, seen = 0;
    word = 0;
    __syncthreads();
    if (threadIdx.x == 32)
        asm volatile("st.volatile.shared.u32 [%0], 1;" ::"r"(shared(&word)) : "memory");
    while (threadIdx.x < 32 && !seen)
        asm volatile("ld.volatile.shared.u32 %0, [%1];"
                     : "=r"(seen)
                     : "r"(shared(&word))
                     : "memory");
    note(out, begun);
}

// Each block waits for the one before it.
__device__ unsigned turn[4];
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    unsigned seen = blockIdx.x == 0;
    while (!seen)
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(seen)
                     : "l"(&turn[blockIdx.x - 1])
                     : "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&turn[blockIdx.x]) : "memory");
    out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
}

// A word of shared memory, behind a generic address: who knows whose it is?
extern "C" __global__ void silent_generic(const float *in, float *out, int n)
{
    __shared__ unsigned word;
    unsigned seen = 0;
    word = 0;
    __syncthreads();
    if (threadIdx.x == 32)
        asm volatile("st.volatile.u32 [%0], 1;" ::"l"(&word) : "memory");
    while (threadIdx.x < 32 && !seen)
        asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(seen) : "l"(&word) : "memory");
    out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
}
