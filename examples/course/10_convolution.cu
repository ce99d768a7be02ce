// SPDX-License-Identifier: Apache-2.0
// 10: a mask in constant memory, a tile with its halo in shared memory.
#include "course.h"

#define RADIUS 2
__constant__ float mask[2 * RADIUS + 1];

__global__ void convolve(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK + 2 * RADIUS];
    int first = blockIdx.x * BLOCK - RADIUS;
    for (int k = threadIdx.x; k < BLOCK + 2 * RADIUS; k += BLOCK)
        s[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += mask[k] * s[threadIdx.x + k];
    if (i < n)
        out[i] = sum;
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000);
    const float weights[] = {1, 4, 6, 4, 1};
    std::vector<float> in(n), expected(n);
    for (int i = 0; i < n; i++)
        in[i] = i % 11;
    for (int i = 0; i < n; i++)
        for (int k = -RADIUS; k <= RADIUS; k++)
            expected[i] += i + k >= 0 && i + k < n ? weights[k + RADIUS] * in[i + k] : 0;
    float *a = to_device(in), *b;
    CHECK(cudaMalloc(&b, n * sizeof *b));
    CHECK(cudaMemcpyToSymbol(mask, weights, sizeof weights));
    convolve<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, n);
    CHECK(cudaFree(a));
    return verified(from_device(b, n), expected);
}
