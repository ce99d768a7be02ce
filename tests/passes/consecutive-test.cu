// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    long long i = (long long)(200 * in[threadIdx.x]) & 1023;
    out[threadIdx.x] = in[i];
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    out[threadIdx.x] = in[threadIdx.x];
}
