// SPDX-License-Identifier: Apache-2.0
// block: 16,16
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float tile[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int at = 0; at < n; at += 16) {
        tile[y][x] = at + y < n ? in[(at + y) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += tile[k][x] * tile[y][k];
        __syncthreads();
    }
    out[(blockIdx.y * 2 + blockIdx.x) * 256 + y * 16 + x] = sum;
}

// No barrier in the loop.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    float sum = 0;
    int i = threadIdx.y * n + threadIdx.x;
    for (int k = 0; k < 8; k++, i += 16 * n)
        sum += in[i];
    out[(blockIdx.y * 2 + blockIdx.x) * 256 + threadIdx.y * 16 + threadIdx.x] = sum;
}
