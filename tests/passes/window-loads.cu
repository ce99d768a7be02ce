// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; k++)
        sum += (k + 1) * in[i + k];
    out[i] = sum;
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] + in[i + 256];
}
