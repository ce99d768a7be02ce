// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at;
    if (i + 32 < n) {
        at = i + 7;
        for (int k = 0; k < n; k++)
            out[i] += in[k + i];
    } else {
        at = (int)threadIdx.x + n;
        for (int k = 0; k < n; k++)
            out[i] -= in[k];
    }
    out[at + 1024] = in[i];
}

// Written on one side only, as it is on the other.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < n; k++)
            out[i] += in[k + i];
    out[i + 1024] = in[i];
}
