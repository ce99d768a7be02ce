// SPDX-License-Identifier: Apache-2.0
// block: 16,16
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int at = 0; at < n; at += 16) {
        tile[y][x] = at + x < n ? in[y * n + at + x] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += tile[k][x] * tile[y][k];
        __syncthreads();
    }
    out[(blockIdx.y * 2 + blockIdx.x) * 256 + y * 16 + x] = sum;
}

// The index is a sum of the thread's coordinates.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ float tile[256];
    int i = threadIdx.y * 16 + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < n; at += 16) {
        tile[i] = in[at + i];
        __syncthreads();
        sum += tile[255 - i];
        __syncthreads();
    }
    out[(blockIdx.y * 2 + blockIdx.x) * 256 + i] = sum;
}
