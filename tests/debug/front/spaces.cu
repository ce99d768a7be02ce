// SPDX-License-Identifier: Apache-2.0
// One function is handed pointers to shared, local and global memory: what its access costs depends
// on that alone.
#include <cstdio>

__device__ __noinline__ int element(const int *p, int k)
{
    return p[k];
}

__global__ void spaces(const int *in, int *out)
{
    __shared__ int s[64];
    int own[8], i = threadIdx.x;
    s[i] = i;
    s[i + 32] = -i;
    for (int k = 0; k < 8; k++)
        own[k] = k * i;
    __syncthreads();
    int sum = element(s, 2 * i);
    sum += element(own, 3);
    out[i] = sum + element(in, 4 * i);
}

int main()
{
    int *in, *out, h[32];
    cudaMalloc(&in, 512);
    cudaMalloc(&out, sizeof h);
    cudaMemset(in, 0, 512);
    spaces<<<1, 32>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[1], h[20]);
    cudaFree(in);
    cudaFree(out);
}
