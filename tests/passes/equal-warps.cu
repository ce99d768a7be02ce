// SPDX-License-Identifier: Apache-2.0
// block: 32,8
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i] + 1;
}

// Warps that keep step add once, each to what all of them have loaded.
// block of fires_sums: 16,8
extern "C" __global__ void fires_sums(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0;
    for (int k = 0; k < n; k++)
        out[i] += in[i * n + k];
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + threadIdx.y * n] = in[i];
}

// Rows longer than a warp.
// block of silent_rows: 64,2
extern "C" __global__ void silent_rows(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + n];
}

// Each warp adds.
extern "C" __global__ void silent_atomic(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd((int *)&out[i], __float_as_int(in[i]) >> 8);
}

// Each warp has its number.
extern "C" __global__ void silent_number(const float *in, float *out, int n)
{
    unsigned warp;
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    out[warp * n + threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void silent_volatile(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ((volatile float *)out)[i] = in[i + n];
}
