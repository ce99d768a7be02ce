// SPDX-License-Identifier: Apache-2.0
// block: 256
// tool: profile
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 1] + in[threadIdx.x + 2];
}

// Every lane has an address of its own, which follows no pattern.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    out[__popc(threadIdx.x * 77u) + 32 * (__clz(threadIdx.x * 12345u) & 7)] = 1;
}
