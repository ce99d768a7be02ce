// SPDX-License-Identifier: Apache-2.0
// block: 64
// Regions of more than 300 instructions are no functions of whole blocks.
extern "C" __global__ void fires(const int *in, int *out, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x, x = in[i] * 3 + n;
#pragma unroll
    for (int k = 1; k < 1000; k++)
        x = (x ^ (x >> (k % 13 + 1))) * (2 * k + 1) + in[k];
    out[i] = x;
}

extern "C" __global__ void silent(const int *in, int *out, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x, x = in[i] * 3 + n;
#pragma unroll
    for (int k = 1; k < 100; k++)
        x = (x ^ (x >> (k % 13 + 1))) * (2 * k + 1) + in[k];
    out[i] = x;
}
