/* SPDX-License-Identifier: Apache-2.0
 *
 * Straight code with many accesses, which generated code counts together: for seen_test.py. More
 * registers and more accesses than are kept at once, registers that change between two accesses,
 * accesses of other kinds in between, lanes that are off, rows shorter than a warp, alignments that
 * differ from turn to turn.
 */
#include <cstdio>
#include <cuda_runtime.h>

__constant__ float weight[64];

/* Ten arrays, n words further each turn: each warp's accesses lie anew. */
__global__ void
arrays(const float *in, float *out, int n, int pitch)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
        const float *a = in + t + k * pitch;
        float sum = 0;
        for (int j = 0; j < 10; j++)
            sum += a[(long)j * (pitch + 40)] * a[(long)j * (pitch + 40) + 5];
        out[t + k] = sum + weight[k] + weight[k + 3];
        out[t + 3 * k + 1000] = sum * weight[(k + t) % 64];
    }
}

/* Pointers that go on from access to access; loads of one word by all lanes. */
__global__ void
walking(const int *in, int *out, int n, int step)
{
    const int *p = in + threadIdx.x, *q = in + blockIdx.x;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        int v = *p + q[0] + q[1];
        p += step;
        q += 3;
        v += *p * q[2];
        out[threadIdx.x + k * step] = v;
    }
}

/* Rows of blockDim.x: halves of the warp lie apart, in more arrays than are kept together. */
__global__ void
halves(const float *in, float *out, int pitch, int odd)
{
    __shared__ float tile[3][32][33];
    int x = threadIdx.x, y = threadIdx.y, rows = blockDim.y;
    for (int k = 0; k < 7; k++) {
        if (y >= k % 4 || x % 3) {
            tile[0][y][x] = in[y * pitch + x + k * odd];
            tile[1][x][y] = in[(y + 40) * pitch + x + k];
            tile[2][y][x] = in[(y + k) * 64 + x];
        }
        __syncthreads();
        float sum = 0;
        for (int j = 0; j < 4; j++)
            sum += tile[0][y][j] * tile[1][j][x] + tile[2][(y + j) % rows][x];
        out[y * pitch + x] = sum;
        out[(y + 50) * 64 + x + k] = tile[0][rows - 1 - y][x];
        __syncthreads();
    }
}

__device__ __noinline__ int
elsewhere(const int *in, int k)
{
    return in[k] + in[k + 1];
}

/* Own memory, at places known and not; calls, atomics, guards and pointers of any space
 * in between. */
__global__ void
own(const int *in, int *out, int n, const int *any)
{
    volatile int sums[80];
    __shared__ int shared[64];
    const int *generic = n & 1 ? any : shared;
    int t = threadIdx.x;
    shared[t % 64] = t;
    for (int k = 0; k < 80; k++)
        sums[k] = 0;
    __syncthreads();
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int j = 0; j < 72; j++)
            sums[j] += in[t + j];
        sums[k] += elsewhere(in, k) + generic[t % 32];
        sums[k + 3] = sums[2 * k] + sums[2 * k + 1] + in[t + k];
        atomicAdd(&out[k], sums[3]);
        out[64 + t] = sums[k + 1];
        out[65 + t] = shared[(t + k) % 64] + sums[5];
    }
}

int
main()
{
    enum { BYTES = 1 << 20 };
    char *in, *out;
    cudaMalloc(&in, BYTES);
    cudaMalloc(&out, BYTES);
    cudaMemset(in, 0, BYTES);
    cudaMemset(out, 0, BYTES);
    for (int threads = 32; threads <= 80; threads += 48)
        arrays<<<3, threads>>>((float *)in, (float *)out, 37, threads / 2 + 1);
    walking<<<3, 56>>>((int *)in, (int *)out, 22, 19);
    own<<<2, 56>>>((int *)in, (int *)out, 9, (int *)in);
    for (int width = 12; width <= 20; width += 4)
        halves<<<2, dim3(width, 200 / width)>>>((float *)in, (float *)out, 64 + width % 3,
                                                width % 5);
    bool fine = cudaDeviceSynchronize() == cudaSuccess;
    puts(fine ? "fine" : "failed");
    return !fine;
}
