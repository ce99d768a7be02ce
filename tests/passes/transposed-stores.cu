// SPDX-License-Identifier: Apache-2.0
// block: 32,8
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

// Of four warps quarters of lines are stored.
// block of fires_four: 32,4
extern "C" __global__ void fires_four(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

// Rows are written as they lie.
// block of silent: 256
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i + n];
}
