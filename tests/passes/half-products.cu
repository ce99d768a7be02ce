// SPDX-License-Identifier: Apache-2.0
// block: 128
// A warpgroup's product of 64 x 16 by 16 x 8, out of shared memory: cores of 8 rows of 16 bytes,
// one behind the other.
#define PRODUCT(two_halves, shape, operands)                                                       \
    __shared__ __align__(128) unsigned s[1024];                                                    \
    unsigned t = threadIdx.x;                                                                      \
    for (int k = t; k < 1024; k += 128)                                                            \
        s[k] = two_halves;                                                                         \
    __syncthreads();                                                                               \
    unsigned long long at = (unsigned)__cvta_generic_to_shared(s) >> 4 | 8ull << 16 | 16ull << 32; \
    float d[4] = {in[t], in[t + 1], in[t + 2], in[t + 3]};                                         \
    asm volatile("fence.proxy.async;\nwgmma.fence.sync.aligned;\n" ::: "memory");                  \
    asm volatile(shape operands                                                                    \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "l"(at), "r"(0x44444444));                                                      \
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::           \
                     : "memory");                                                                  \
    for (int k = 0; k < 4; k++)                                                                    \
        out[(blockIdx.x * 128 + t) * 4 + k] = d[k];

// From 0.5 to below 2, of either sign.
#define MIXED                                                                                      \
    (0x38003800u + (unsigned)(in[k] * 2000) * 0x00010003u % 0x07ff07ffu) ^ (k & 1 ? 0x80000000u : 0)

extern "C" __global__ void fires(const float *in, float *out, int n)
{
    PRODUCT(MIXED, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, ",
            "%4, %4, 1, 1, 1, 0, 0;")
}

// The largest below 2: with what was there before the sum has no room in 32 bits.
extern "C" __global__ void fires_large(const float *in, float *out, int n)
{
    PRODUCT(0x3fff3fffu, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, ",
            "%4, %4, 1, 1, 1, 0, 0;")
}

// Sparse products have 32 k.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    PRODUCT(MIXED, "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, ",
            "%4, %4, %5, 0, 1, 1, 1, 0, 0;")
}
