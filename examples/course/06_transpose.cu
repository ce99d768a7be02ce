// SPDX-License-Identifier: Apache-2.0
// 6: the transpose through a padded tile.
#include "course.h"

__global__ void transpose(const float *in, float *out, int rows, int columns)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y)
        if (x < columns && y + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += blockDim.y)
        if (x < rows && y + k < columns)
            out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000), rows = 25, columns = n / rows;
    std::vector<float> in(rows * columns), expected(rows * columns);
    for (int i = 0; i < rows * columns; i++) {
        in[i] = i;
        expected[i % columns * rows + i / columns] = i;
    }
    float *a = to_device(in), *b;
    CHECK(cudaMalloc(&b, rows * columns * sizeof *b));
    transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, BLOCK / 32)>>>(a, b, rows,
                                                                                     columns);
    CHECK(cudaFree(a));
    return verified(from_device(b, rows * columns), expected);
}
