// SPDX-License-Identifier: Apache-2.0
// Right, but every thread adds its own element to the one result.
__global__ void add(const int *data, int n, int *result)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        atomicAdd(result, data[i]);
}

void sum(const int *data, int n, int *result)
{
    cudaMemset(result, 0, sizeof *result);
    add<<<(n + 255) / 256, 256>>>(data, n, result);
}
