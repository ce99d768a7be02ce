// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

// A predicate that is the same in all lanes is one scalar without it.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (in[n] > 0.5f)
        out[i] = x;
}
