// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i] + 1;
}

// The carry of an addition is one register of the warp.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    unsigned a = __float_as_uint(in[threadIdx.x]), low, high;
    asm("add.cc.u32 %0, %2, %2; addc.u32 %1, 0, 0;" : "=r"(low), "=r"(high) : "r"(a));
    out[threadIdx.x] = __uint_as_float(low / 2 + high);
}
