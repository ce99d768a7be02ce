/* SPDX-License-Identifier: Apache-2.0
 *
 * cooperative_groups/memcpy_async.h: memcpy_async(), wait(), wait_prior(): a copy by all threads of a
 * group (CUDA C++ Programming Guide, "Cooperative Groups", "Data Transfer"). Each call is a stage:
 * from 8.0 on a group of cp.async of each thread, where its addresses allow that; before that the
 * copy is over when the call returns.
 */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define LOCKSTEP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

#if defined(__CUDA__) && defined(__clang__)
#include "../crt/quiet_begin.h"

namespace cooperative_groups
{

/* Whole elements by turns; size is in bytes. */
template <class Group, class T, class Source>
__device__ __inline__ void
memcpy_async(const Group &group, T *destination, const Source *source, size_t size)
{
    __lockstep_copy((char *)destination, (const char *)source, size, group.thread_rank(), group.size());
#if __CUDA_ARCH__ >= 800
    __pipeline_commit();
#endif
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
/* Waits until all stages but the last `Stages` ones are over, for all threads of the group. */
template <unsigned int Stages, class Group>
__device__ __inline__ void
wait_prior(const Group &group)
{
#if __CUDA_ARCH__ >= 800
    __pipeline_wait_prior(Stages);
#endif
    group.sync();
}
template <class Group>
__device__ __inline__ void
wait(const Group &group)
{
    wait_prior<0>(group);
}

} // namespace cooperative_groups

#include "../crt/quiet_end.h"
#endif

#endif
