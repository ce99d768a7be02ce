/* SPDX-License-Identifier: Apache-2.0
 *
 * cooperative_groups/memcpy_async.h: memcpy_async(), wait(), wait_prior(): a copy by all threads of a
 * group. The copy is done at once; waiting is the group's barrier.
 */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define LOCKSTEP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)
#include "../crt/quiet_begin.h"

namespace cooperative_groups
{

/* Whole elements by turns; size is in bytes. */
template <class Group, class T, class Source>
__device__ __inline__ void
memcpy_async(const Group &group, T *destination, const Source *source, size_t size)
{
    size_t n = group.size(), rank = group.thread_rank();
    if (((size_t)destination | (size_t)source | size) % 4 == 0) {
        for (size_t i = rank; i < size / 4; i += n)
            ((unsigned int *)destination)[i] = ((const unsigned int *)source)[i];
    } else {
        for (size_t i = rank; i < size; i += n)
            ((unsigned char *)destination)[i] = ((const unsigned char *)source)[i];
    }
}
/* Sizes in elements: as many as both sides have. */
template <class Group, class T, class Source>
__device__ __inline__ void
memcpy_async(const Group &group, T *destination, size_t destination_count, const Source *source,
             size_t source_count)
{
    size_t count = destination_count < source_count ? destination_count : source_count;
    memcpy_async(group, destination, source, count * sizeof(T));
}
template <class Group>
__device__ __inline__ void
wait(const Group &group)
{
    group.sync();
}
template <unsigned int Stages, class Group>
__device__ __inline__ void
wait_prior(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#include "../crt/quiet_end.h"
#endif

#endif
