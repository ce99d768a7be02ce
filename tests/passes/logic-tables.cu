// SPDX-License-Identifier: Apache-2.0
// block: 256
// The place in a row and the row's beginning: consecutive with the pass, a gather without.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    unsigned at;
    asm("lop3.b32 %0, %1, 31, %2, 0xea;" : "=r"(at) : "r"(threadIdx.x), "r"(n << 5));
    out[threadIdx.x] = in[at];
}

// A choice by bits takes three operations.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    unsigned at;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(at) : "r"(n), "r"(threadIdx.x), "r"(threadIdx.y));
    out[threadIdx.x] = in[at];
}
