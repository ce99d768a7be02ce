// SPDX-License-Identifier: Apache-2.0
// block: 256
// The index as programs for the first GPUs have it: consecutive with the pass, a gather without.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = __mul24(blockIdx.x, blockDim.x) + __mul24(threadIdx.x, 1);
    out[i] = in[i] + 1;
}

// The upper half of a product.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    unsigned high;
    asm("mul24.hi.u32 %0, %1, %2;" : "=r"(high) : "r"(threadIdx.x << 12), "r"(n << 12));
    out[threadIdx.x] = in[threadIdx.x] + high;
}
