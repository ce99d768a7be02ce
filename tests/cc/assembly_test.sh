# SPDX-License-Identifier: Apache-2.0
# Inline assembly as nvcc takes it: one % before a special register, which clang wants doubled; and what must stay.
set -u
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cat >"$work/header.h" <<'C'
static __device__ unsigned lane(void)
{
    unsigned v;
    asm("mov.u32 %0, %laneid;" : "=r"(v)); /* in a header, too */
    return v;
}
C
cat >"$work/a.cu" <<'C'
#include "header.h"
#include <cstdio>
static const char *words = "asm(\"%laneid\" : ";
__global__ void k(unsigned *p)
{
    unsigned a, b, c, d, e = threadIdx.x;
    asm volatile("mov.u32 %0, %tid.x; // : %0"
                 : "=r"(a));
    asm __volatile__("{ .reg .u32 %tmp; mov.u32 %tmp, %%ntid.x;\n\t add.u32 %0, %tmp, %1; }" : "=r"(b) : "r"(e));
    asm("mov.u32 %0, %1;" : "=r"(c) : "r"(e)); // operands alone: "%laneid"
    asm("add.u32 %[sum], %[one], 1;" : [sum] "=r"(d) : [one] "r"(e));
    asm("{ .reg .u32 %alone; mov.u32 %alone, %laneid; }"); /* no operands: taken as it is */
    p[e * 5] = a, p[e * 5 + 1] = b, p[e * 5 + 2] = c, p[e * 5 + 3] = d, p[e * 5 + 4] = lane();
}
int main()
{
    unsigned *p, bad = 0;
    cudaMallocManaged(&p, 40 * 5 * 4);
    k<<<1, 40>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return puts("FAIL launch"), 1;
    for (unsigned i = 0; i < 40; i++)
        bad += p[i * 5] != i || p[i * 5 + 1] != 40 + i || p[i * 5 + 2] != i || p[i * 5 + 3] != i + 1 || p[i * 5 + 4] != i % 32;
    if (bad)
        printf("FAIL %u threads\n", bad);
    if (words[5] != '%' || words[6] != 'l')
        bad = puts("FAIL a string outside of assembly was changed");
    return bad != 0;
}
C
"$LOCKSTEP" cc "$work/a.cu" -o "$work/a" && "$work/a"
