// SPDX-License-Identifier: Apache-2.0
// 11: two halves in two streams: copies and kernels of one beside those of the other, from pinned
// memory.
#include "course.h"

__global__ void squares(float *a, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        a[i] *= a[i];
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000), half = n / 2;
    float *host, *device;
    std::vector<float> expected(2 * half);
    cudaStream_t stream[2];
    CHECK(cudaMallocHost(&host, 2 * half * sizeof *host));
    CHECK(cudaMalloc(&device, 2 * half * sizeof *device));
    for (int i = 0; i < 2 * half; i++)
        expected[i] = (host[i] = i % 17) * host[i];
    for (int k = 0; k < 2; k++) {
        float *here = host + k * half, *there = device + k * half;
        CHECK(cudaStreamCreate(&stream[k]));
        CHECK(cudaMemcpyAsync(there, here, half * sizeof *here, cudaMemcpyHostToDevice, stream[k]));
        squares<<<(half + BLOCK - 1) / BLOCK, BLOCK, 0, stream[k]>>>(there, half);
        CHECK(cudaMemcpyAsync(here, there, half * sizeof *here, cudaMemcpyDeviceToHost, stream[k]));
    }
    for (cudaStream_t s : stream) {
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaStreamDestroy(s));
    }
    std::vector<float> found(host, host + 2 * half);
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return verified(found, expected);
}
