// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = -2; k <= 2; k++)
        if (i + k >= 0 && i + k < n)
            sum += in[i + k];
    out[i] = sum;
}

// What is compared was loaded: no test of bounds says how all of them will end.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (in[i + k] > 0.5f)
            sum += in[i + k + 1];
    out[i] = sum;
}
