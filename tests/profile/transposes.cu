/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes of an n x n matrix of floats (n a multiple of TILE) by blocks of TILE x 8 threads, for
 * counting: each kernel does one thing that the counters must show.
 */
#include <cstdio>
#include <cstdlib>

#ifndef TILE
#define TILE 32
#endif

__global__ void naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[x * n + y + j] = in[(y + j) * n + x]; /* columns of out */
}

template <int PAD, bool DIAGONAL>
__global__ void tiled(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    int bx = blockIdx.x, by = blockIdx.y;
    if (DIAGONAL) {
        by = blockIdx.x;
        bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    }
    int x = bx * TILE + threadIdx.x, y = by * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = by * TILE + threadIdx.x;
    y = bx * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j]; /* columns of the tile */
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 128;
    float *in, *out, *host = new float[n * n];
    dim3 grid(n / TILE, n / TILE), block(TILE, 8);
    cudaMalloc(&in, sizeof(float) * n * n);
    cudaMalloc(&out, sizeof(float) * n * n);
    for (int i = 0; i < n * n; i++)
        host[i] = i;
    cudaMemcpy(in, host, sizeof(float) * n * n, cudaMemcpyHostToDevice);
    naive<<<grid, block>>>(in, out, n);
    tiled<0, false><<<grid, block>>>(in, out, n);
    tiled<1, false><<<grid, block>>>(in, out, n);
    tiled<1, true><<<grid, block>>>(in, out, n);
    cudaMemcpy(host, out, sizeof(float) * n * n, cudaMemcpyDeviceToHost);
    bool right = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < n * n; i++)
        right = right && host[i] == i % n * n + i / n;
    delete[] host;
    return !right;
}
