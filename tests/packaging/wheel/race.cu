// SPDX-License-Identifier: Apache-2.0
// The README's race, with the host's C++ headers around it (clean_wheel.sh).
#include <cstdio>
#include <numeric>
#include <vector>

__global__ void
race(const int *in, int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x];
}

int
main()
{
    int *in, *out;
    std::vector<int> h(64);
    std::iota(h.begin(), h.end(), 0);
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 256);
    cudaMemset(out, 0, 256);
    cudaMemcpy(in, h.data(), 256, cudaMemcpyHostToDevice);
    race<<<1, 64>>>(in, out);
    cudaMemcpy(h.data(), out, 256, cudaMemcpyDeviceToHost);
    std::printf("sum %d\n", std::accumulate(h.begin(), h.end(), 0));
    cudaFree(in);
    cudaFree(out);
}
