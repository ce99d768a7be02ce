// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    out[threadIdx.x] = powf(in[threadIdx.x], 5.0f);
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    out[threadIdx.x] = powf(in[threadIdx.x], 2.5f);
}
