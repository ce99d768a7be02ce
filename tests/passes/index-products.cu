// SPDX-License-Identifier: Apache-2.0
// block: 32,8
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
#pragma unroll
    for (int j = -1; j <= 1; j++)
#pragma unroll
        for (int i = -1; i <= 1; i++)
            if (x + i >= 0 && x + i < n && y + j >= 0 && y + j < n)
                sum += in[(y + j) * n + x + i];
    if (x < n && y < n)
        out[y * n + x] = sum;
}

// Indices are sums.
// block of silent: 256
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = -2; k <= 2; k++)
        if (i + k >= 0 && i + k < n)
            sum += in[i + k];
    out[i] = sum;
}

// One condition, one index of two dimensions.
// block of fires_one: 16,16
extern "C" __global__ void fires_one(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float v = 0;
    if (x < n && y < n)
        v = in[y * n + x];
    out[y * 32 + x] = v * 2;
}
