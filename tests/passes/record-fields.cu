// SPDX-License-Identifier: Apache-2.0
// block: 64
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    const uchar4 *from = (const uchar4 *)in;
    unsigned char *to = (unsigned char *)out;
    to[4 * threadIdx.x + 1] = from[threadIdx.x].y;
}

extern "C" __global__ void fires_words(const float *in, float *out, int n)
{
    out[3 * threadIdx.x] = in[3 * threadIdx.x + 1] + in[n - 1 - threadIdx.x];
}

extern "C" __global__ void silent(const float *in, float *out, int n)
{
    out[threadIdx.x] = in[32 * threadIdx.x];
}
