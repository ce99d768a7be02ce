// SPDX-License-Identifier: Apache-2.0
// block: 16,16
// Rows of a tile are loaded, and the block computes on them before it loads the next ones.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float s[16][16];
    int t = threadIdx.y * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n / 16; k++) {
        s[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + k * 16 + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += s[threadIdx.y][j];
        __syncthreads();
    }
    out[t] = sum;
}

// The loop has no barrier: prefetch-loops.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int t = threadIdx.y * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n / 16; k++)
        sum += in[threadIdx.y * n + k * 16 + threadIdx.x];
    out[t] = sum;
}
