// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float s[768];
    for (int k = 0; k < 3; k++)
        s[threadIdx.x + 256 * k] = in[threadIdx.x + 256 * k];
    __syncthreads();
    out[threadIdx.x] = s[3 * threadIdx.x];
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[255 - threadIdx.x];
}
