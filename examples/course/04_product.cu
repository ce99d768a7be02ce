// SPDX-License-Identifier: Apache-2.0
// 4: the product of two matrices, straight from global memory.
#include "course.h"

#define TILE (BLOCK >= 1024 ? 32 : BLOCK >= 256 ? 16 : 8)

__global__ void product(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    if (x >= n || y >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
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
