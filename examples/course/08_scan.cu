// SPDX-License-Identifier: Apache-2.0
// 8: running sums: each block's own, then what lies before it.
#include "course.h"

__global__ void scan_blocks(const int *in, int *out, int *total, int n)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, now = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2, now = 1 - now) {
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        __syncthreads();
    }
    if (i < n)
        out[i] = s[now][t];
    if (t == BLOCK - 1)
        total[blockIdx.x] = s[now][t];
}

__global__ void add_before(int *out, const int *total, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, before = 0;
    for (int b = 0; b < blockIdx.x; b++)
        before += total[b];
    if (i < n)
        out[i] += before;
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000), blocks = (n + BLOCK - 1) / BLOCK, sum = 0;
    std::vector<int> in(n), expected(n);
    for (int i = 0; i < n; i++)
        expected[i] = sum += in[i] = i % 9 - 3;
    int *a = to_device(in), *out, *total;
    CHECK(cudaMalloc(&out, n * sizeof *out));
    CHECK(cudaMalloc(&total, blocks * sizeof *total));
    scan_blocks<<<blocks, BLOCK>>>(a, out, total, n);
    add_before<<<blocks, BLOCK>>>(out, total, n);
    CHECK(cudaFree(a));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(total));
    return verified(from_device(out, n), expected);
}
