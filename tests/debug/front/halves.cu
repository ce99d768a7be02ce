/* SPDX-License-Identifier: Apache-2.0
 *
 * halves.cu: lanes on two sides of a branch meet in one shuffle.
 */
#include <cstdio>

__global__ void
halves(int *out)
{
    int t = threadIdx.x, v = 7;
    if (t < 3)
        asm volatile("shfl.sync.idx.b32 %0, %1, 5, 31, -1;" : "=r"(v) : "r"(t + 10));
    else
        asm volatile("shfl.sync.idx.b32 %0, %1, 5, 31, -1;" : "=r"(v) : "r"(t + 10));
    out[t] = v;
}

int
main()
{
    int *out, host[32];
    cudaMalloc(&out, sizeof host);
    halves<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[9]);
    return cudaFree(out) != cudaSuccess;
}
