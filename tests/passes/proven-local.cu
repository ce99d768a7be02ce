// SPDX-License-Identifier: Apache-2.0
// block: 256
// tool: check
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    float a[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = in[threadIdx.x + k];
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] += in[threadIdx.x];
    a[n & 7] += 1;
    out[threadIdx.x] = a[0] + a[3];
}

// Which word it is, is known when the kernel runs.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    float a[8];
    for (int k = 0; k < 8; k++)
        a[(k + n) & 7] = in[threadIdx.x + k];
    out[threadIdx.x] = a[(int)in[threadIdx.x] & 7];
}
