/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of many shapes, which differ from warp to warp and from turn to turn: for seen_test.py.
 * What a warp's lanes do not share depends on n, so that nothing is known when it is compiled.
 */
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float weight[64];

/* Rows of blockDim.x threads: the warp, or its halves or quarters, walk along rows of n + odd
 * words. */
__global__ void
rows(const float *in, float *out, int n, int odd)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        pitch = n + odd;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[y * pitch + k] * in[k * pitch + x] + weight[(k + threadIdx.y) % 64];
    if (x < n - odd && y < n)
        out[y * pitch + x] = sum;
}

/* Both ways to part the halves of a warp, in shared memory, with lanes that are off. */
__global__ void
tiles(const double *in, double *out, int n)
{
    __shared__ double tile[32][17];
    __shared__ unsigned count[16];
    int x = threadIdx.x, y = threadIdx.y;
    if (y == 0)
        count[x] = 0;
    for (int k = 0; k < n; k++) {
        if (x >= k % 16 || y % 2)
            tile[y][x] = in[(y + k) % 32 * 16 + x];
        __syncthreads();
        if (y >= k)
            atomicAdd(&count[(x + y * k) % 16], 1u);
        if (!(y & k))
            out[y * 16 + x] = tile[31 - y][15 - x] + count[x];
        __syncthreads();
    }
}

/* Own memory by words, wide and narrow loads, atomics, steps that grow. */
__global__ void
mixed(const int *in, int *out, int n)
{
    volatile int own[16];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++)
        own[k] = in[t + k];
    for (int k = 0; k < n; k++) {
        int4 four = ((const int4 *)in)[t + k];
        const short *small = (const short *)in;
        own[k % 16] += four.x + four.w + small[3 * t + k] + in[(t * k) % 256];
        if (t % (k + 1) == 0)
            atomicAdd(&out[(t + k) % 64], own[k % 16]);
        for (int step = 16; step > k; step /= 2)
            if ((int)threadIdx.x % 32 < step)
                own[0] += in[t + step];
    }
    out[64 + t] = own[0] + own[n % 16];
}

int
main()
{
    enum { BYTES = 1 << 20, N = 37 };
    char *in, *out;
    cudaMalloc(&in, BYTES);
    cudaMalloc(&out, BYTES);
    cudaMemset(in, 0, BYTES);
    cudaMemset(out, 0, BYTES);
    for (int width = 4; width <= 64; width *= 2)
        rows<<<dim3(2, 2), dim3(width, 96 / width)>>>((float *)in, (float *)out, N, width % 3);
    tiles<<<2, dim3(16, 32)>>>((double *)in, (double *)out, 9);
    mixed<<<3, 80>>>((int *)in, (int *)out, 11);
    bool fine = cudaDeviceSynchronize() == cudaSuccess;
    puts(fine ? "fine" : "failed");
    return !fine;
}
