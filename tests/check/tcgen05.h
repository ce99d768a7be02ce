/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.h: tensor memory and its matrix unit by inline assembly, for programs of this folder.
 */
#ifndef LOCKSTEP_TESTS_CHECK_TCGEN05_H
#define LOCKSTEP_TESTS_CHECK_TCGEN05_H

#include "instructions.h"

/* Rows of 16 halves in core matrices of 8 x 16 bytes, not swizzled; stride: from 8 rows to the
 * next. */
enum { M = 128, K = 16, LEADING = 128, STRIDE = 256 };

__device__ u64
descriptor(const void *p, unsigned stride = STRIDE)
{
    return (shared(p) & 0x3ffff) >> 4 | (u64)(LEADING >> 4) << 16 | (u64)(stride >> 4) << 32 |
           (u64)1 << 46;
}
/* f16 to f32. */
__device__ unsigned
form(unsigned n)
{
    return 1u << 4 | n >> 3 << 17 | (unsigned)(M >> 4) << 24;
}

/* -- the matrix unit -------------------------------------------------------------------------- */

__device__ void
multiply(unsigned d, u64 a, u64 b, unsigned n, bool add = false)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
                 "l"(a), "l"(b), "r"(form(n)), "r"((unsigned)add)
                 : "memory");
}
__device__ void
multiply_ws(unsigned d, u64 a, u64 b, unsigned n)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
                 "tcgen05.mma.ws.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
                 "l"(a), "l"(b), "r"(form(n))
                 : "memory");
}
/* A has half of its numbers; which ones is in tensor memory. */
__device__ void
multiply_sparse(unsigned d, u64 a, u64 b, unsigned metadata, unsigned n)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0;\n"
                 "tcgen05.mma.sp.cta_group::1.kind::f16 [%0], %1, %2, [%3], %4, p; }" ::"r"(d),
                 "l"(a), "l"(b), "r"(metadata), "r"(form(n) | 4)
                 : "memory");
}
/* 128 rows of 16 bytes. */
__device__ void
copy_rows(unsigned to, u64 from)
{
    asm volatile("tcgen05.cp.cta_group::1.128x128b [%0], %1;" ::"r"(to), "l"(from) : "memory");
}
__device__ void
commit(u64 *b)
{
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
            shared(b))
        : "memory");
}
__device__ void
commit_to(u64 *b, unsigned short blocks)
{
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
                 "multicast::cluster.b64 [%0], %1;" ::"r"(shared(b)),
                 "h"(blocks)
                 : "memory");
}
__device__ void
wait_unit(u64 *b, unsigned parity)
{
    wait_phase(b, parity);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/* -- tensor memory ---------------------------------------------------------------------------- */

__device__ unsigned
load(unsigned at)
{
    unsigned r;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];"
                 : "=r"(r)
                 : "r"(at + (threadIdx.x / 32 << 21)));
    return r;
}
__device__ void
wait_loads()
{
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}
__device__ void
synchronize()
{
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
template <int COLUMNS>
__device__ void
allocate(unsigned *to)
{
    if (threadIdx.x < 32)
        asm volatile(
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared(to)),
            "n"(COLUMNS)
            : "memory");
}
template <int COLUMNS>
__device__ void
give_back(unsigned at)
{
    synchronize();
    if (threadIdx.x < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(at),
                     "n"(COLUMNS));
}

#endif
