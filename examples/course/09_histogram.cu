// SPDX-License-Identifier: Apache-2.0
// 9: atomic additions in shared memory, then one a bin and block in global memory.
#include "course.h"

__global__ void histogram(const unsigned char *data, int n, int *bins)
{
    __shared__ int own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&own[data[i] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000);
    std::vector<unsigned char> data(n);
    std::vector<int> expected(16);
    for (int i = 0; i < n; i++)
        expected[(data[i] = i * i) & 15]++;
    unsigned char *at = to_device(data);
    int *bins = to_device(std::vector<int>(16));
    histogram<<<2, BLOCK>>>(at, n, bins);
    CHECK(cudaFree(at));
    return verified(from_device(bins, 16), expected);
}
