// SPDX-License-Identifier: Apache-2.0
// block: 256
// The phases of a tree part their warps at branches that the block's shape decides.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 128)
        s[t] += s[t + 128];
    __syncthreads();
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    out[t] = s[t];
}

// A loop inside the region.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[threadIdx.x + k];
    out[threadIdx.x] = sum;
}
