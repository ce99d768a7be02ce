// SPDX-License-Identifier: Apache-2.0
// 7: a sum: shuffles within each warp, shared memory between warps, one atomic addition a block.
#include "course.h"

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__global__ void sum(const float *in, float *out, int n)
{
    __shared__ float part[32];
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK)
        v += in[i];
    v = warp_sum(v);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = warp_sum(t < BLOCK / 32 ? part[t] : 0);
        if (t == 0)
            atomicAdd(out, v);
    }
}

int main(int argc, char **argv)
{
    int n = size_from(argc, argv, 1000);
    std::vector<float> in(n), expected(1);
    for (int i = 0; i < n; i++)
        expected[0] += in[i] = i % 13;
    float *a = to_device(in), *out;
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemset(out, 0, sizeof *out));
    sum<<<3, BLOCK>>>(a, out, n);
    CHECK(cudaFree(a));
    return verified(from_device(out, 1), expected);
}
