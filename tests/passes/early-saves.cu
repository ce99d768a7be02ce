// SPDX-License-Identifier: Apache-2.0
// block: 64
// What the sum is does not change in the loop's first region.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    for (int at = 0; at < n; at += 8) {
        tile[threadIdx.x] = in[at + i];
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += tile[k] * sum;
        __syncthreads();
    }
    out[i] = sum;
}

// No barrier in a loop.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    tile[threadIdx.x] = in[i + n];
    __syncthreads();
    for (int k = 0; k < 64; k++)
        sum += tile[k] * sum;
    out[i] = sum;
}
