// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    s[t ^ 1] += 1;
    __syncthreads();
    out[t] = s[255 - t];
}

// Nothing lives across a barrier.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
