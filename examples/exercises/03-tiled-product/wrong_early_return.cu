// SPDX-License-Identifier: Apache-2.0
// Threads without an element leave before the barriers, and fetch nothing.
#define TILE 16

__global__ void product(const float *a, const float *b, float *c, int m, int k, int n)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
    if (y >= m || x >= n)
        return;
    for (int at = 0; at < k; at += TILE) {
        s[ty][tx] = y < m && at + tx < k ? a[y * k + at + tx] : 0;
        t[ty][tx] = at + ty < k && x < n ? b[(at + ty) * n + x] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += s[ty][i] * t[i][tx];
        __syncthreads(); // before the next tile takes this one's place
    }
    if (y < m && x < n)
        c[y * n + x] = sum;
}

void multiply(const float *a, const float *b, float *c, int m, int k, int n)
{
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    product<<<grid, dim3(TILE, TILE)>>>(a, b, c, m, k, n);
}
