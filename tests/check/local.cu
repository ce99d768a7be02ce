/* SPDX-License-Identifier: Apache-2.0
 *
 * Local memory at places that are known when the kernel is compiled (tools/sure.c): what was stored
 * above in the same block of code is loaded unseen, everything else is looked at.
 */
#include <cstdio>

#define LOCAL(text)                                                                                \
    asm volatile(                                                                                  \
        "{ .local .align 16 .b8 b[64]; .reg .b64 p; .reg .b32 t; .reg .b16 h; .reg .pred q;"       \
        "mov.u64 p, b; mov.u32 t, %%tid.x; and.b32 t, t, 1; setp.eq.u32 q, t, 0;" text "}"         \
        : "=r"(r)::"memory");
#define KERNEL(name, text)                                                                         \
    __global__ void name(int *out)                                                                 \
    {                                                                                              \
        int r;                                                                                     \
        LOCAL(text)                                                                                \
        out[blockIdx.x * blockDim.x + threadIdx.x] = 3 * r;                                        \
    }

KERNEL(good_same, "st.local.u32 [p+4], 7; ld.local.u32 %0, [p+4]; st.local.u32 [p+4], 5;")
KERNEL(good_parts, "st.local.v2.u32 [p+8], {t, t}; st.local.u8 [p+16], 1; st.local.u8 [p+17], 1;"
                   "ld.local.u16 h, [p+16]; ld.local.u32 %0, [p+12]; ld.local.u32 t, [b+8];")
KERNEL(good_both, "@q st.local.u32 [p], 1; @!q st.local.u32 [p], 2; ld.local.u32 %0, [p];")
KERNEL(bad_beside, "st.local.u32 [p], 7; ld.local.u32 %0, [p+4];")
KERNEL(bad_before, "ld.local.u32 %0, [p]; st.local.u32 [p], 7; ld.local.u32 t, [p];")
KERNEL(bad_part, "st.local.u16 [p+8], 7; ld.local.u32 %0, [p+8];")
KERNEL(bad_guarded, "@q st.local.u32 [p+12], 7; ld.local.u32 %0, [p+12];")
KERNEL(bad_branch, "@!q bra L1; st.local.u32 [p+12], 7; L1: ld.local.u32 %0, [p+12];")
KERNEL(bad_moved, "st.local.u32 [p], 7; add.u64 p, p, 4; ld.local.u32 %0, [p];")
KERNEL(bad_outside, "st.local.u32 [p+8192], 7; ld.local.u32 %0, [p+8192];")
KERNEL(bad_misaligned, "st.local.u32 [p+2], 7; st.local.u32 [p], 7; ld.local.u32 %0, [p];")

int
main()
{
    int *out;
    cudaMalloc(&out, 4 * 160);
    void (*kernels[])(int *) = {good_same,  good_parts,  good_both,     bad_beside,
                                bad_before, bad_part,    bad_guarded,   bad_branch,
                                bad_moved,  bad_outside, bad_misaligned};
    for (auto k : kernels)
        k<<<2, 80>>>(out);
    good_same<<<2, 80>>>(out);
    int is[160];
    cudaMemcpy(is, out, sizeof is, cudaMemcpyDeviceToHost);
    if (is[0] != 21 || is[159] != 21)
        printf("wrong: %d, %d\n", is[0], is[159]);
    cudaFree(out);
}
