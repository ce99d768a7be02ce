// SPDX-License-Identifier: Apache-2.0
//
// Neighbours: in one to three dimensions, out of caches and of shared memory, in steps with barriers between.
#include "shapes.h"

__global__ void
line3(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}

__global__ void
plane5(float *a, float *b, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1)
        b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + 1 + j] + a[(1 + i) * n + j] + a[(i - 1) * n + j]);
}

__global__ void
plane9(float *a, float *b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    const float c11 = +0.2f, c21 = +0.5f, c31 = -0.8f, c12 = -0.3f, c22 = +0.6f, c32 = -0.9f, c13 = +0.4f, c23 = +0.7f,
                c33 = +0.1f;
    if (i < n - 1 && j < n - 1 && i > 0 && j > 0)
        b[i * n + j] = c11 * a[(i - 1) * n + j - 1] + c21 * a[(i - 1) * n + j] + c31 * a[(i - 1) * n + j + 1] +
                       c12 * a[i * n + j - 1] + c22 * a[i * n + j] + c32 * a[i * n + j + 1] + c13 * a[(i + 1) * n + j - 1] +
                       c23 * a[(i + 1) * n + j] + c33 * a[(i + 1) * n + j + 1];
}

/* Every thread a column of a box, plane after plane. */
__global__ void
box_columns(const float *a, float *b, int nx, int ny, int nz, float cc, float cw)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, c = i + j * nx, plane = nx * ny;
    int w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1, n = j == 0 ? c : c - nx, s = j == ny - 1 ? c : c + nx;
    float t1 = a[c], t2 = a[c], t3 = a[c + plane];
    b[c] = cc * t2 + cw * (a[w] + a[e] + a[s] + a[n] + t1 + t3);
    c += plane, w += plane, e += plane, n += plane, s += plane;
    for (int k = 1; k < nz - 1; k++) {
        t1 = t2;
        t2 = t3;
        t3 = a[c + plane];
        b[c] = cc * t2 + cw * (a[w] + a[e] + a[s] + a[n] + t1 + t3);
        c += plane, w += plane, e += plane, n += plane, s += plane;
    }
}

__global__ void
box_plane(float *a, float *b, int ni, int nj, int nk, int i)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, p = nk * nj;
    if (j < nj - 1 && k < nk - 1 && j > 0 && k > 0)
        b[i * p + j * nk + k] = 0.2f * a[(i - 1) * p + (j - 1) * nk + k - 1] + 0.4f * a[(i + 1) * p + (j - 1) * nk + k - 1] +
                                0.5f * a[(i - 1) * p + j * nk + k - 1] + 0.6f * a[(i + 1) * p + j * nk + k + 1] -
                                0.3f * a[i * p + (j - 1) * nk + k] - 0.9f * a[i * p + (j + 1) * nk + k] + 0.7f * a[i * p + j * nk + k];
}

/* Several steps in shared memory, whose border shrinks. */
__global__ void
pyramid(const float *power, const float *from, float *to, int n, int steps, float k)
{
    __shared__ float now[16][16], next[16][16], p[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, inner = 16 - 2 * steps;
    int y = inner * blockIdx.y - steps + ty, x = inner * blockIdx.x - steps + tx;
    bool inside = y >= 0 && y < n && x >= 0 && x < n, done = false;
    if (inside) {
        now[ty][tx] = from[n * y + x];
        p[ty][tx] = power[n * y + x];
    }
    __syncthreads();
    int north = y > 0 ? ty - 1 : ty, south = y < n - 1 ? ty + 1 : ty, west = x > 0 ? tx - 1 : tx, east = x < n - 1 ? tx + 1 : tx;
    for (int i = 0; i < steps; i++) {
        done = false;
        if (tx > i && tx < 15 - i && ty > i && ty < 15 - i && inside) {
            done = true;
            next[ty][tx] = now[ty][tx] + k * (p[ty][tx] + (now[south][tx] + now[north][tx] - 2.f * now[ty][tx]) * 0.1f +
                                              (now[ty][east] + now[ty][west] - 2.f * now[ty][tx]) * 0.2f + (80.f - now[ty][tx]) * 0.3f);
        }
        __syncthreads();
        if (i == steps - 1)
            break;
        if (done)
            now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (done)
        to[n * y + x] = next[ty][tx];
}

__global__ void
filter_rows(const float *in, float *out, const float *mask, int n, int radius)
{
    extern __shared__ float tile[];
    int row = blockIdx.y, first = blockIdx.x * blockDim.x;
    for (int i = threadIdx.x; i < (int)blockDim.x + 2 * radius; i += blockDim.x) {
        int x = first + i - radius;
        tile[i] = x >= 0 && x < n ? in[row * n + x] : 0.f;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 2 * radius; k++)
        sum += tile[threadIdx.x + k] * mask[k];
    out[row * n + first + threadIdx.x] = sum;
}

/* The least of three above, row after row, within a block. */
__global__ void
paths(const int *wall, const int *from, int *to, int n, int rows)
{
    __shared__ int before[256], after[256];
    int tx = threadIdx.x, small = 256 - 2 * rows, x = small * blockIdx.x - rows + tx;
    bool inside = x >= 0 && x < n, done = false;
    int w = max(tx - 1, 0), e = min(tx + 1, 255);
    if (inside)
        before[tx] = from[x];
    __syncthreads();
    for (int i = 0; i < rows; i++) {
        done = false;
        if (tx > i && tx < 255 - i && inside) {
            done = true;
            after[tx] = min(min(before[w], before[tx]), before[e]) + wall[n * i + x];
        }
        __syncthreads();
        if (i == rows - 1)
            break;
        if (done)
            before[tx] = after[tx];
        __syncthreads();
    }
    if (done)
        to[x] = after[tx];
}

/* A square by one warp, diagonal after diagonal. */
__global__ void
diagonals(const int *reference, int *matrix, int n, int penalty)
{
    __shared__ int s[33][33], r[32][32];
    int tx = threadIdx.x, base = n * 32 * blockIdx.x + 32 * (gridDim.x - 1 - blockIdx.x);
    for (int k = 0; k < 32; k++)
        r[k][tx] = reference[base + n * k + tx];
    __syncthreads();
    s[tx + 1][0] = matrix[base + n * tx];
    s[0][tx + 1] = matrix[base + tx];
    if (tx == 0)
        s[0][0] = matrix[base];
    __syncthreads();
    for (int m = 0; m < 32; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            s[y][x] = max(s[y - 1][x - 1] + r[y - 1][x - 1], max(s[y][x - 1] - penalty, s[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int m = 30; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + 32 - m, y = 32 - tx;
            s[y][x] = max(s[y - 1][x - 1] + r[y - 1][x - 1], max(s[y][x - 1] - penalty, s[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int k = 0; k < 32; k++)
        matrix[base + n * k + tx] = s[k + 1][tx + 1];
}

__global__ void
diffusion(const float *j, float *c, float *dn, float *ds, float *dw, float *de, int rows, int cols, float q0)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x, row = id % rows, col = id / rows;
    if (id >= rows * cols)
        return;
    float jc = j[id], n = j[(row ? row - 1 : 0) + rows * col] - jc, s = j[(row < rows - 1 ? row + 1 : row) + rows * col] - jc,
          w = j[row + rows * (col ? col - 1 : 0)] - jc, e = j[row + rows * (col < cols - 1 ? col + 1 : col)] - jc;
    float g2 = (n * n + s * s + w * w + e * e) / (jc * jc), l = (n + s + w + e) / jc;
    float num = 0.5f * g2 - 1.0f / 16.0f * (l * l), den = 1 + 0.25f * l, q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0));
    float d = 1.0f / (1.0f + den);
    dn[id] = n, ds[id] = s, dw[id] = w, de[id] = e;
    c[id] = d < 0 ? 0 : d > 1 ? 1 : d;
}

int
main(void)
{
    const int most = 2048;
    float *a = numbers<float>(most * most), *b = numbers<float>(most * most), *c = numbers<float>(most * most),
          *d = numbers<float>(most * most), *e = numbers<float>(most * most), *f = numbers<float>(most * most);
    int *wall = numbers<int>(most * most, 10), *other = numbers<int>(most * most, 10);
    for (int n : {512, 1024, 2048}) {
        dim3 block(32, 8), grid(over(n, 32), over(n, 8)), square(16, 16), grid16(over(n, 16), over(n, 16));
        THRICE(line3<<<over(n * n, 256), 256>>>(a, b, n * n));
        THRICE(plane5<<<grid, block>>>(a, b, n));
        THRICE(plane9<<<grid, block>>>(a, b, n));
        THRICE(plane9<<<grid16, square>>>(a, b, n));
        THRICE(diffusion<<<over(n * n, 512), 512>>>(a, b, c, d, e, f, n, n, 0.05f));
        THRICE(filter_rows<<<dim3(n / 256, n), 256, (256 + 16) * 4>>>(a, b, c, n, 8));
        if (n < 2048) {
            THRICE(pyramid<<<dim3(over(n, 12), over(n, 12)), square>>>(a, b, c, n, 2, 0.5f));
            THRICE(pyramid<<<dim3(over(n, 8), over(n, 8)), square>>>(a, b, c, n, 4, 0.5f));
        }
    }
    THRICE(box_columns<<<dim3(8, 64), dim3(64, 8)>>>(a, b, 512, 512, 8, 0.4f, 0.1f));
    THRICE(box_columns<<<dim3(4, 32), dim3(32, 4)>>>(a, b, 128, 128, 128, 0.4f, 0.1f));
    THRICE(box_plane<<<dim3(8, 32), dim3(32, 8)>>>(a, b, 8, 256, 256, 2));
    THRICE(box_plane<<<dim3(32, 128), dim3(32, 8)>>>(a, b, 4, 1024, 1024, 1));
    THRICE(paths<<<over(100000, 256 - 40), 256>>>(wall, other, other + 200000, 100000, 20));
    THRICE(paths<<<over(400000, 256 - 20), 256>>>(wall, other, other + 500000, 400000, 10));
    THRICE(diagonals<<<16, 32>>>(wall, other, 2049, 10));
    THRICE(diagonals<<<60, 32>>>(wall, other, 2040, 10));
    return 0;
}
