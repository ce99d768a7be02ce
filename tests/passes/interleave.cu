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

// Lanes read along rows of their own, 32 lines a warp: more warps at once are more than the first
// cache keeps.
extern "C" __global__ void silent_rows(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += in[i * n + k];
    out[i] = s;
}

// As far apart as is known when the kernel is compiled, and back.
extern "C" __global__ void silent_back(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0;
    for (int k = n; k-- > 0;)
        out[i] += in[i * 64 + k];
}

// Columns: lanes side by side.
extern "C" __global__ void fires_columns(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += in[k * 512 + i];
    out[i] = s;
}

// A line of each row is read once, the next line is another iteration's.
extern "C" __global__ void fires_lines(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++)
        s += in[(i * 4 + k) * 16];
    out[i] = s;
}
