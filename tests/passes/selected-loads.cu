// SPDX-License-Identifier: Apache-2.0
// block: 16,16
// Whether a lane reads the tile or the array is decided by its column, which is known, and its row.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float s[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, w = gridDim.x * 16;
    s[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 3; j++)
#pragma unroll
        for (int i = 0; i < 3; i++) {
            int u = x + i - 1, v = y + j - 1, tu = threadIdx.x + i - 1, tv = threadIdx.y + j - 1;
            if (u < 0 || u >= w || v < 0 || v >= n)
                continue;
            sum += tu >= 0 && tu < 16 && tv >= 0 && tv < 16 ? s[tv][tu] : in[v * w + u];
        }
    out[y * w + x] = sum;
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, w = gridDim.x * 16;
    if (x < w && y < n)
        out[y * w + x] = in[y * w + x];
}
