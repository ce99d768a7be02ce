// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] + 1;
}

// Other threads may look at what is stored before the launch ends: they are told by an atomic.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] + 1;
    if (in[i] > 2)
        atomicAdd((int *)out, 1);
}
