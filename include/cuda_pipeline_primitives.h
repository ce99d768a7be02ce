/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda_pipeline_primitives.h: __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior,
 * __pipeline_arrive_on (CUDA C++ Programming Guide, "Pipeline Primitives Interface"), by cp.async.
 */
#ifndef LOCKSTEP_CUDA_PIPELINE_PRIMITIVES_H
#define LOCKSTEP_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_awbarrier_primitives.h"

#include "crt/quiet_begin.h"

#if defined(__CUDA__) && defined(__clang__)

/* 4, 8 or 16 bytes, aligned alike; the last zfill ones are zeros instead of the source's. */
__device__ __forceinline__ void
__pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from, size_t size, size_t zfill = 0)
{
    unsigned at = __lockstep_shared(to);
    unsigned long long source = __lockstep_global(from);
    unsigned bytes = (unsigned)(size - zfill);
    if (size == 16)
        __asm__ __volatile__("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(source), "r"(bytes)
                             : "memory");
    else if (size == 8)
        __asm__ __volatile__("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(source), "r"(bytes)
                             : "memory");
    else
        __asm__ __volatile__("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(source), "r"(bytes)
                             : "memory");
}

__device__ __forceinline__ void
__pipeline_commit()
{
    __asm__ __volatile__("cp.async.commit_group;" ::: "memory");
}

/* The instruction takes a constant: more than 8 groups wait for 8. */
__device__ __forceinline__ void
__pipeline_wait_prior(size_t n)
{
    switch (n) {
    case 0: __asm__ __volatile__("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: __asm__ __volatile__("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: __asm__ __volatile__("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: __asm__ __volatile__("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: __asm__ __volatile__("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: __asm__ __volatile__("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: __asm__ __volatile__("cp.async.wait_group 6;" ::: "memory"); break;
    case 7: __asm__ __volatile__("cp.async.wait_group 7;" ::: "memory"); break;
    default: __asm__ __volatile__("cp.async.wait_group 8;" ::: "memory"); break;
    }
}

/* This thread's share of a copy, by the widest steps that addresses and size allow: asynchronous to
 * shared from global memory, from 8.0 on. */
__device__ inline void
__lockstep_copy(char *to, const char *from, size_t size, size_t rank, size_t threads)
{
    size_t bits = (size_t)to | (size_t)from | size;
#if __CUDA_ARCH__ >= 800
    bool async = __isShared(to) && __isGlobal(from);
#else
    bool async = false;
#endif
    if (async && bits % 16 == 0) {
        for (size_t k = 16 * rank; k < size; k += 16 * threads)
            __pipeline_memcpy_async(to + k, from + k, 16);
    } else if (async && bits % 4 == 0) {
        for (size_t k = 4 * rank; k < size; k += 4 * threads)
            __pipeline_memcpy_async(to + k, from + k, 4);
    } else if (bits % 4 == 0) {
        for (size_t k = 4 * rank; k < size; k += 4 * threads)
            *(unsigned int *)(to + k) = *(const unsigned int *)(from + k);
    } else {
        for (size_t k = rank; k < size; k += threads)
            to[k] = from[k];
    }
}

__device__ __forceinline__ void
__pipeline_arrive_on(__mbarrier_t *barrier)
{
    __asm__ __volatile__("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(
                             __lockstep_shared(barrier))
                         : "memory");
}

#endif

#include "crt/quiet_end.h"

#endif
