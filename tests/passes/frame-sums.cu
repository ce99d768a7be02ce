// SPDX-License-Identifier: Apache-2.0
// block: 128
// Products of 64 x 16 by 16 x 8 in a loop in which warps wait for each other, out of shared memory:
// cores of 8 rows of 16 bytes, one behind the other.
#define TILES                                                                                      \
    __shared__ __align__(128) unsigned s[1024];                                                    \
    unsigned t = threadIdx.x;                                                                      \
    for (int k = t; k < 1024; k += 128)                                                            \
        s[k] = 0x38003800u + (unsigned)(in[k] * 2000) * 0x00010003u % 0x07ff07ffu;                 \
    __syncthreads();                                                                               \
    float d[4] = {in[t], in[t + 1], in[t + 2], in[t + 3]};
#define LEAVE                                                                                      \
    for (int k = 0; k < 4; k++)                                                                    \
        out[(blockIdx.x * 128 + t) * 4 + k] = d[k];

extern "C" __global__ void fires(const float *in, float *out, int n)
{
    TILES
    unsigned long long at = (unsigned)__cvta_generic_to_shared(s) >> 4 | 8ull << 16 | 16ull << 32;
    asm volatile("fence.proxy.async;" ::: "memory");
    for (int k = 0; k < n % 8 + 3; k++) {
        asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, "
                     "%4, %4, 1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(at));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
        at += 8;
    }
    LEAVE
}

// The sums of a warp's own product: in registers.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    TILES
    for (int k = 0; k < n % 8 + 3; k++) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%5, %6}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(s[t + k]), "r"(s[t + k + 128]), "r"(s[t + k + 256]),
                       "r"(s[t + k + 384]));
        __syncthreads();
    }
    LEAVE
}
