// SPDX-License-Identifier: Apache-2.0
// block: 64
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32)
        s[t] += s[t + 32];
    __syncthreads();
    if (t < 16)
        s[t] += s[t + 16];
    __syncthreads();
    out[t] = s[t & 15];
}

// What is loaded was stored where an index says: at no address that is known.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[(int)(100 * in[t]) & 63] = in[t];
    __syncthreads();
    out[t] = s[(t + n) & 63];
}
