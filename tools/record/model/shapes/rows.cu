// SPDX-License-Identifier: Apache-2.0
//
// A thread a row or a column: few warps, long loops of loads, with and without a store in every turn.
#include "shapes.h"

__global__ void
nothing(float *out, int n)
{
    if (n < 0)
        *out = 1;
}

__global__ void
row_dot(const float *a, const float *x, float *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int j = 0; j < m; j++)
        sum += a[(size_t)i * m + j] * x[j];
    y[i] = sum;
}

__global__ void
row_dot_store(float *a, float *x, float *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = 0;
    for (int j = 0; j < m; j++)
        y[i] += a[i * m + j] * x[j];
}

__global__ void
column_dot(const float *a, const float *x, float *y, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i * m + j] * x[i];
    y[j] = sum;
}

__global__ void
column_dot_store(float *a, float *x, float *y, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m)
        return;
    y[j] = 0;
    for (int i = 0; i < n; i++)
        y[j] += a[i * m + j] * x[i];
}

__global__ void
two_sums(float *a, float *b, float *x, float *y, int n, float alpha, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = 0, t = 0;
    for (int j = 0; j < n; j++) {
        t += a[i * n + j] * x[j];
        s += b[i * n + j] * x[j];
    }
    y[i] = alpha * t + beta * s;
}

__global__ void
deviation(float *a, float *mean, float *dev, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m)
        return;
    float s = 0;
    for (int i = 0; i < n; i++)
        s += (a[i * m + j] - mean[j]) * (a[i * m + j] - mean[j]);
    dev[j] = sqrtf(s / n);
}

/* Thread j1 has m - j1 sums: uneven blocks. */
__global__ void
triangle(float *out, float *data, int n, int m)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 >= m)
        return;
    for (int j2 = j1; j2 < m; j2++) {
        float s = 0;
        for (int i = 0; i < n; i++)
            s += data[i * m + j1] * data[i * m + j2];
        out[j1 * m + j2] = s;
        out[j2 * m + j1] = s;
    }
}

__global__ void
product(const float *a, const float *b, float *c, int n, float alpha, float beta)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = alpha * sum + beta * c[i * n + j];
}

__global__ void
product_store(float *a, float *b, float *c, int n, float alpha, float beta)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    c[i * n + j] *= beta;
    for (int k = 0; k < n; k++)
        c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
}

/* Rows times rows: neither a nor b coalesced. */
__global__ void
rank_update(float *a, float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    float s = c[i * n + j];
    for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[j * n + k] + b[i * n + k] * a[j * n + k];
    c[i * n + j] = s;
}

/* Every row by one thread, each element from the one before. */
__global__ void
sweep(float *x, float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 1; k < n; k++) {
        x[i * n + k] = x[i * n + k] - x[i * n + k - 1] * a[i * n + k] / b[i * n + k - 1];
        b[i * n + k] = b[i * n + k] - a[i * n + k] * a[i * n + k] / b[i * n + k - 1];
    }
}

__global__ void
sweep_columns(float *x, float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 1; k < n; k++) {
        x[k * n + i] = x[k * n + i] - x[(k - 1) * n + i] * a[k * n + i] / b[(k - 1) * n + i];
        b[k * n + i] = b[k * n + i] - a[k * n + i] * a[k * n + i] / b[(k - 1) * n + i];
    }
}

__global__ void
eliminate(float *m, float *a, int size, int t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 - t || y >= size - t)
        return;
    a[size * (x + 1 + t) + y + t] -= m[size * (x + 1 + t) + t] * a[size * t + y + t];
}

int
main(void)
{
    const int most = 2048;
    float *a = numbers<float>(most * most), *b = numbers<float>(most * most), *c = numbers<float>(most * most);
    float *x = numbers<float>(most), *y = numbers<float>(most);
    THRICE(nothing<<<1, 32>>>(y, 0));
    THRICE(nothing<<<132, 256>>>(y, 0));
    THRICE(nothing<<<1056, 256>>>(y, 0));
    THRICE(nothing<<<10560, 256>>>(y, 0));
    for (int n : {512, 1024, 2048}) {
        THRICE(row_dot<<<over(n, 256), 256>>>(a, x, y, n, n));
        THRICE(row_dot<<<over(n, 64), 64>>>(a, x, y, n, n));
        THRICE(row_dot_store<<<over(n, 256), 256>>>(a, x, y, n, n));
        THRICE(column_dot<<<over(n, 256), 256>>>(a, x, y, n, n));
        THRICE(column_dot_store<<<over(n, 256), 256>>>(a, x, y, n, n));
        THRICE(two_sums<<<over(n, 256), 256>>>(a, b, x, y, n, 2.f, 3.f));
        THRICE(deviation<<<over(n, 256), 256>>>(a, x, y, n, n));
        THRICE(eliminate<<<dim3(over(n, 16), over(n, 16)), dim3(16, 16)>>>(a, b, n, 1));
    }
    THRICE(triangle<<<2, 128>>>(c, a, 64, 256));
    THRICE(triangle<<<over(512, 256), 256>>>(c, a, 32, 512));
    for (int n : {128, 256, 384}) {
        dim3 block(32, 8), grid(over(n, 32), over(n, 8)), square(16, 16), grid16(over(n, 16), over(n, 16));
        THRICE(product<<<grid, block>>>(a, b, c, n, 2.f, 3.f));
        THRICE(product<<<grid16, square>>>(a, b, c, n, 2.f, 3.f));
        THRICE(product_store<<<grid, block>>>(a, b, c, n, 2.f, 3.f));
        THRICE(rank_update<<<grid, block>>>(a, b, c, n));
    }
    for (int n : {512, 1024}) {
        THRICE(sweep<<<over(n, 256), 256>>>(c, a, b, n));
        THRICE(sweep_columns<<<over(n, 256), 256>>>(c, a, b, n));
    }
    return 0;
}
