// SPDX-License-Identifier: Apache-2.0
// block: 16,16
// A column of the second matrix is the same words in all warps.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += in[y * n + k] * in[k * n + x];
    out[y * n + x] = s;
}

// Loaded behind a branch that parts warps, and read where they have met again.
extern "C" __global__ void fires_tangled(const float *in, float *out, int n)
{
    float s = 0;
    if (threadIdx.y > 2)
        for (int k = 0; k < threadIdx.y; k++)
            s += in[k * n + threadIdx.x] + in[threadIdx.x];
    out[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x] = s;
}

// What is loaded before a barrier is each warp's own behind it: the words have changed in between.
extern "C" __global__ void fires_barrier(const float *in, float *out, int n)
{
    __shared__ float row[2][16];
    int x = threadIdx.x, y = threadIdx.y;
    row[y & 1][x] = in[x] + (float)(y & 1);
    __syncthreads();
    float s = 0;
    for (int k = 0; k < 8; k++) {
        float v = row[k & 1][x];
        __syncthreads();
        if (y == k)
            row[k & 1][x] = v + in[y * n + x];
        __syncthreads();
        s += v + row[k & 1][x];
    }
    out[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = s;
}

// The lane's number in a row of threads.
// block of fires_lane: 256
extern "C" __global__ void fires_lane(const float *in, float *out, int n)
{
    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += in[(blockIdx.x * 8 + y) * n + k] * in[k * n + x];
    out[blockIdx.x * 256 + threadIdx.x] = s;
}

// Warps side by side in a row: nothing but what all threads agree on is the same.
// block of silent: 256
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += in[k * 512 + i];
    out[i] = s;
}
