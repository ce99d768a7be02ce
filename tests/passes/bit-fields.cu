// SPDX-License-Identifier: Apache-2.0
// block: 256
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    unsigned warp;
    asm("bfe.u32 %0, %1, 5, 3;" : "=r"(warp) : "r"(threadIdx.x));
    out[threadIdx.x] = in[threadIdx.x] + in[warp];
}

// Where the field begins is not known.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    unsigned part;
    asm("bfe.u32 %0, %1, %2, 3;" : "=r"(part) : "r"(threadIdx.x), "r"(n));
    out[threadIdx.x] = in[part];
}
