// SPDX-License-Identifier: Apache-2.0
// Right, but the pairs of the tree lie ever further apart: strides of 2, 4, 8 words meet in few
// banks.
#define BLOCK 256

__global__ void tree(const int *data, int n, int *result)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? data[i] : 0;
    for (int step = 1; step < BLOCK; step *= 2) {
        __syncthreads();
        if (2 * step * t < BLOCK)
            s[2 * step * t] += s[2 * step * t + step];
    }
    if (t == 0)
        atomicAdd(result, s[0]);
}

void sum(const int *data, int n, int *result)
{
    cudaMemset(result, 0, sizeof *result);
    tree<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(data, n, result);
}
