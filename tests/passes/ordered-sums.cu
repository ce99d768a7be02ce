// SPDX-License-Identifier: Apache-2.0
// block: 16,16
// 64 sums a thread, of which each step adds to all.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float a[4][128], b[4][128];
    int x = threadIdx.x, y = threadIdx.y;
    float sum[8][8] = {};
    for (int step = 0; step < n; step += 4) {
        for (int t = y * 16 + x; t < 512; t += 256) {
            a[t / 128][t % 128] = in[step * 128 + t];
            b[t / 128][t % 128] = in[step * 128 + t + 7];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int j = 0; j < 8; j++)
#pragma unroll
                for (int i = 0; i < 8; i++)
                    sum[j][i] += a[k][8 * y + j] * b[k][x + 16 * i];
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int i = 0; i < 8; i++)
            out[(8 * y + j) * 128 + x + 16 * i] = sum[j][i];
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[threadIdx.x + k];
    out[threadIdx.x] = sum;
}
