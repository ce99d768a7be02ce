// SPDX-License-Identifier: Apache-2.0
// 12: memory that host and device share.
#include "course.h"

__global__ void roots(float *a, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        a[i] = sqrtf(a[i]);
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000);
    float *a;
    std::vector<float> expected(n);
    CHECK(cudaMallocManaged(&a, n * sizeof *a));
    for (int i = 0; i < n; i++)
        expected[i] = std::sqrt(a[i] = i);
    roots<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, n);
    CHECK(cudaDeviceSynchronize());
    std::vector<float> found(a, a + n);
    CHECK(cudaFree(a));
    return verified(found, expected);
}
