/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_awbarrier_primitives.h: __mbarrier_init and its kin (CUDA C++ Programming Guide, "Memory
 * Barrier Primitives Interface"), by mbarrier.
 */
#ifndef LOCKSTEP_CUDA_AWBARRIER_PRIMITIVES_H
#define LOCKSTEP_CUDA_AWBARRIER_PRIMITIVES_H

#include "cuda_runtime.h"

#include "crt/quiet_begin.h"

#if defined(__CUDA__) && defined(__clang__)

/* Addresses in their own space, by instructions that the compiler does not look into: it cannot cast
 * what it knows to be elsewhere, not even where that is never executed. */
__device__ __forceinline__ unsigned
__lockstep_shared(const void *p)
{
    unsigned r;
    __asm__("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(r) : "l"(p));
    return r;
}
__device__ __forceinline__ unsigned long long
__lockstep_global(const void *p)
{
    unsigned long long r;
    __asm__("cvta.to.global.u64 %0, %1;" : "=l"(r) : "l"(p));
    return r;
}

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

__device__ __forceinline__ unsigned
__mbarrier_maximum_count()
{
    return (1 << 20) - 1;
}

__device__ __forceinline__ void
__mbarrier_init(__mbarrier_t *barrier, unsigned expected)
{
    __asm__ __volatile__("mbarrier.init.shared.b64 [%0], %1;" ::"r"(__lockstep_shared(barrier)),
                         "r"(expected)
                         : "memory");
}

__device__ __forceinline__ void
__mbarrier_inval(__mbarrier_t *barrier)
{
    __asm__ __volatile__("mbarrier.inval.shared.b64 [%0];" ::"r"(__lockstep_shared(barrier))
                         : "memory");
}

__device__ __forceinline__ __mbarrier_token_t
__mbarrier_arrive(__mbarrier_t *barrier)
{
    __mbarrier_token_t token;
    __asm__ __volatile__("mbarrier.arrive.shared.b64 %0, [%1];"
                         : "=l"(token)
                         : "r"(__lockstep_shared(barrier))
                         : "memory");
    return token;
}

__device__ __forceinline__ __mbarrier_token_t
__mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
    __mbarrier_token_t token;
    __asm__ __volatile__("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                         : "=l"(token)
                         : "r"(__lockstep_shared(barrier))
                         : "memory");
    return token;
}

__device__ __forceinline__ bool
__mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
    unsigned over;
    __asm__ __volatile__("{ .reg .pred over; mbarrier.test_wait.shared.b64 over, [%1], %2; "
                         "selp.u32 %0, 1, 0, over; }"
                         : "=r"(over)
                         : "r"(__lockstep_shared(barrier)), "l"(token)
                         : "memory");
    return over;
}

__device__ __forceinline__ bool
__mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity)
{
    unsigned over;
    __asm__ __volatile__("{ .reg .pred over; mbarrier.test_wait.parity.shared.b64 over, [%1], %2; "
                         "selp.u32 %0, 1, 0, over; }"
                         : "=r"(over)
                         : "r"(__lockstep_shared(barrier)), "r"((unsigned)parity)
                         : "memory");
    return over;
}

__device__ __forceinline__ unsigned
__mbarrier_token_pending_count(__mbarrier_token_t token)
{
    unsigned count;
    __asm__ __volatile__("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}

#endif

#include "crt/quiet_end.h"

#endif
