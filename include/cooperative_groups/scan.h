/* SPDX-License-Identifier: Apache-2.0
 *
 * cooperative_groups/scan.h: inclusive_scan() and exclusive_scan() over tiles and coalesced groups.
 */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_SCAN_H
#define LOCKSTEP_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__) && defined(__clang__)
#include "../crt/quiet_begin.h"

namespace cooperative_groups
{

template <class Group, class T, class Operation>
__device__ __inline__ T
inclusive_scan(const Group &group, T value, Operation operation)
{
    unsigned int rank = group.thread_rank();
    for (unsigned int step = 1; step < group.size(); step *= 2) {
        T before = group.shfl_up(value, step);
        if (rank >= step)
            value = operation(before, value);
    }
    return value;
}
template <class Group, class T>
__device__ __inline__ T
inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
/* The first thread gets T(), as the documentation leaves it for operations without identity. */
template <class Group, class T, class Operation>
__device__ __inline__ T
exclusive_scan(const Group &group, T value, Operation operation)
{
    T shifted = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : shifted;
}
template <class Group, class T>
__device__ __inline__ T
exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#include "../crt/quiet_end.h"
#endif

#endif
