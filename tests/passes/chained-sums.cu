// SPDX-License-Identifier: Apache-2.0
// block: 128
// A warpgroup's products of 64 x 16 by 16 x 8, one after the other, out of shared memory: cores of
// 8 rows of 16 bytes, one behind the other.
#define PRODUCT(d)                                                                                 \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, "            \
                 "%4, %4, 1, 1, 1, 0, 0;"                                                          \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "l"(at++));
#define PRODUCTS(products)                                                                         \
    __shared__ __align__(128) unsigned s[1024];                                                    \
    unsigned t = threadIdx.x;                                                                      \
    for (int k = t; k < 1024; k += 128)                                                            \
        s[k] = 0x38003800u + (unsigned)(in[k] * 2000) * 0x00010003u % 0x07ff07ffu;                 \
    __syncthreads();                                                                               \
    unsigned long long at = (unsigned)__cvta_generic_to_shared(s) >> 4 | 8ull << 16 | 16ull << 32; \
    float d[4] = {in[t], in[t + 1], in[t + 2], in[t + 3]}, e[4] = {in[t]};                         \
    asm volatile("fence.proxy.async;\nwgmma.fence.sync.aligned;\n" ::: "memory");                  \
    products asm volatile(                                                                         \
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");        \
    for (int k = 0; k < 4; k++)                                                                    \
        out[(blockIdx.x * 128 + t) * 4 + k] = d[k] + e[k];

extern "C" __global__ void fires(const float *in, float *out, int n)
{
    PRODUCTS(PRODUCT(d) PRODUCT(d) PRODUCT(d))
}

// Between the first two somebody reads and writes the sums.
extern "C" __global__ void fires_late(const float *in, float *out, int n)
{
    PRODUCTS(PRODUCT(d) d[1] = d[0] * 0.5f + d[1]; PRODUCT(d) PRODUCT(d))
}

// Each adds to other sums than the one before it.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    PRODUCTS(PRODUCT(d) PRODUCT(e) PRODUCT(d))
}

// Each adds to the last one's, which somebody reads and writes.
extern "C" __global__ void silent_written(const float *in, float *out, int n)
{
    PRODUCTS(PRODUCT(d) d[1] = d[0] * 0.5f + d[1]; PRODUCT(d))
}
