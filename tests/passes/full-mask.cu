// SPDX-License-Identifier: Apache-2.0
// block: 256
// Not interleaved because of the carry; the conditional block is under a mask.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    unsigned a = __float_as_uint(in[threadIdx.x]), low, high;
    asm("add.cc.u32 %0, %2, %2; addc.u32 %1, 0, 0;" : "=r"(low), "=r"(high) : "r"(a));
    if (in[threadIdx.x] > 0.5f)
        out[threadIdx.x] = (float)(low / 2 + high);
}

// All lanes run every block.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    unsigned a = __float_as_uint(in[threadIdx.x]), low, high;
    asm("add.cc.u32 %0, %2, %2; addc.u32 %1, 0, 0;" : "=r"(low), "=r"(high) : "r"(a));
    out[threadIdx.x] = (float)(low / 2 + high);
}
