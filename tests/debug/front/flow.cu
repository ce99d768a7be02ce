// SPDX-License-Identifier: Apache-2.0
// Branches, calls, recursion, barriers, shared memory: for steps, forth and back.
#include <cstdio>

__device__ int
factorial(int n)
{
    if (n < 2)
        return 1;
    int below = factorial(n - 1);
    return n * below;
}

template <class T>
__device__ T
larger(T a, T b)
{
    return a > b ? a : b;
}

__global__ void
flow(int *out, int n)
{
    __shared__ int sum[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = 0;
    sum[threadIdx.x] = i;
    if (threadIdx.x < 8) {
        total = factorial(4);
    } else {
        total = larger(i, 20);
    }
    for (int k = 0; k < 3; k++) {
        total += k;
        sum[threadIdx.x] += total;
    }
    __syncthreads();
    out[i] = sum[63 - threadIdx.x];
}

int
main()
{
    int *out;
    cudaMallocManaged(&out, 128 * sizeof *out);
    flow<<<2, 64>>>(out, 128);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[127]);
    return out[0] == 0;
}
