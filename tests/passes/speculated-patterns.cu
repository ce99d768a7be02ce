// SPDX-License-Identifier: Apache-2.0
// block: 16,16
// The index is unsigned: widening it is right for all lanes only if none has wrapped.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    unsigned i = y * (unsigned)n + x;
    out[i] = in[i] + 1;
}

// 64 bits from the start.
// block of silent: 256
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i] + 1;
}
