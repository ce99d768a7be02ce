// SPDX-License-Identifier: Apache-2.0
// block: 256
// tool: check
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[threadIdx.x + k];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    atomicAdd(out, 1.0f);
}
