// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = -2; k <= 2; k++)
        if (i + k >= 0 && i + k < n)
            sum += in[i + k];
    out[i] = sum;
}

// What is compared was loaded: no test of bounds says how all of them will end.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (in[i + k] > 0.5f)
            sum += in[i + k + 1];
    out[i] = sum;
}

// Conditions and indices from before a loop with barriers: y < n, y * n, and an index that the loop
// steps on.
// block of fires_tile: 16,16
extern "C" __global__ void fires_tile(const float *in, float *out, int n)
{
    __shared__ float a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int at = 0; at < n; at += 16) {
        a[ty][tx] = y < n && at + tx < n ? in[y * n + at + tx] : 0;
        b[ty][tx] = x < n && at + ty < n ? in[(at + ty) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    out[y * 32 + x] = sum;
}
