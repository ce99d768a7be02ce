// SPDX-License-Identifier: Apache-2.0
// block: 64
#include "boxes.cuh"

// Each warp asks in a loop for a phase that all threads end.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float words[64];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(shared(&full)) : "memory");
    __syncthreads();
    words[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared(&full)) : "memory");
    wait(&full);
    out[blockIdx.x * 64 + threadIdx.x] = words[63 - threadIdx.x];
}

// Lanes ask different mbarriers for different phases; of half of them the phase is over.
extern "C" __global__ void fires_apart(const float *in, float *out, int n)
{
    __shared__ unsigned long long full[2];
    if (threadIdx.x < 2)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&full[threadIdx.x]))
                     : "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared(&full[1])) : "memory");
    __syncthreads();
    unsigned over;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(shared(&full[threadIdx.x & (n != 0)])), "r"(threadIdx.x >> 1 & (n != 0))
                 : "memory");
    out[blockIdx.x * 64 + threadIdx.x] = in[0] + over;
}

// Arrives, and asks nothing.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ unsigned long long full;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(shared(&full)) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared(&full)) : "memory");
    out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
}
