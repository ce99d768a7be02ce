// SPDX-License-Identifier: Apache-2.0
// block: 256
// Three conditions of which each is known for a whole warp; the carry keeps the warps from being
// interleaved.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned low, high;
    asm("add.cc.u32 %0, %2, %2; addc.u32 %1, 0, 0;" : "=r"(low), "=r"(high) : "r"(i));
    float sum = (float)(low + high);
    if (i - 1 >= 0 && i - 1 < n)
        sum += in[i - 1];
    if (i < n)
        sum += in[i];
    if (i + 1 < n)
        sum += in[i + 1];
    out[i] = sum;
}

// One condition is no run.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned low, high;
    asm("add.cc.u32 %0, %2, %2; addc.u32 %1, 0, 0;" : "=r"(low), "=r"(high) : "r"(i));
    float sum = (float)(low + high);
    if (i + 1 < n)
        sum += in[i + 1];
    out[i] = sum;
}
