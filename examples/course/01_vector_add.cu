// SPDX-License-Identifier: Apache-2.0
// 1: a thread for each element.
#include "course.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000);
    std::vector<float> a(n), b(n), sum(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
        sum[i] = 3 * i;
    }
    float *x = to_device(a), *y = to_device(b), *z;
    CHECK(cudaMalloc(&z, n * sizeof *z));
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, z, n);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return verified(from_device(z, n), sum);
}
