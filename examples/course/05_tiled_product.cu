// SPDX-License-Identifier: Apache-2.0
// 5: the same in tiles, which a block brings to shared memory.
#include "course.h"

#define TILE (BLOCK >= 1024 ? 32 : BLOCK >= 256 ? 16 : 8)

__global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int at = 0; at < n; at += TILE) {
        s[ty][tx] = y < n && at + tx < n ? a[y * n + at + tx] : 0;
        t[ty][tx] = at + ty < n && x < n ? b[(at + ty) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += s[ty][k] * t[k][tx];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000), side = (int)std::sqrt((double)n);
    std::vector<float> a(side * side), b(side * side), expected(side * side);
    for (int i = 0; i < side * side; i++) {
        a[i] = i % 7 - 3;
        b[i] = i % 5 - 2;
    }
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            for (int k = 0; k < side; k++)
                expected[y * side + x] += a[y * side + k] * b[k * side + x];
    float *da = to_device(a), *db = to_device(b), *dc;
    CHECK(cudaMalloc(&dc, side * side * sizeof *dc));
    dim3 block(TILE, TILE), grid((side + TILE - 1) / TILE, (side + TILE - 1) / TILE);
    product<<<grid, block>>>(da, db, dc, side);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    return verified(from_device(dc, side * side), expected);
}
