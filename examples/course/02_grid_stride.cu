// SPDX-License-Identifier: Apache-2.0
// 2: y = a x + y with as many threads as one likes: each goes on by the size of the grid.
#include "course.h"

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] += a * x[i];
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000);
    std::vector<float> x(n), y(n, 1), expected(n);
    for (int i = 0; i < n; i++) {
        x[i] = i % 10;
        expected[i] = 2.5f * x[i] + 1;
    }
    float *dx = to_device(x), *dy = to_device(y);
    saxpy<<<2, BLOCK>>>(2.5f, dx, dy, n);
    CHECK(cudaFree(dx));
    return verified(from_device(dy, n), expected);
}
