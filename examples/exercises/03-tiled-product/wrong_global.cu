// SPDX-License-Identifier: Apache-2.0
// Right, but every thread fetches its whole row and column from global memory.
__global__ void product(const float *a, const float *b, float *c, int m, int k, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    if (y >= m || x >= n)
        return;
    for (int i = 0; i < k; i++)
        sum += a[y * k + i] * b[i * n + x];
    c[y * n + x] = sum;
}

void multiply(const float *a, const float *b, float *c, int m, int k, int n)
{
    product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, k, n);
}
