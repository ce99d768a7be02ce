/* SPDX-License-Identifier: Apache-2.0
 *
 * cooperative_groups/reduce.h: reduce() over tiles and coalesced groups, for any type that can be
 * copied bytewise and any operation; and the operations plus, less, greater, bit_and, bit_or, bit_xor.
 */
#ifndef LOCKSTEP_COOPERATIVE_GROUPS_REDUCE_H
#define LOCKSTEP_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__clang__)
#include "../crt/quiet_begin.h"

namespace cooperative_groups
{

#define LOCKSTEP_OPERATION(name, expression)                                                       \
    template <class ty_> struct name {                                                               \
        __device__ __inline__ ty_ operator()(const ty_ &a, const ty_ &b) const                           \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
LOCKSTEP_OPERATION(plus, a + b)
LOCKSTEP_OPERATION(less, b < a ? b : a)
LOCKSTEP_OPERATION(greater, a < b ? b : a)
LOCKSTEP_OPERATION(bit_and, a &b)
LOCKSTEP_OPERATION(bit_or, a | b)
LOCKSTEP_OPERATION(bit_xor, a ^ b)
#undef LOCKSTEP_OPERATION

/* Halving steps; a partner beyond the end takes no part. Every thread gets the result of rank 0. */
template <class Group, class ty_, class Operation>
__device__ __inline__ ty_
reduce(const Group &group, ty_ value, Operation operation)
{
    unsigned int size = group.size(), rank = group.thread_rank(), span = 1;
    while (span < size)
        span *= 2;
    for (span /= 2; span > 0; span /= 2) {
        ty_ other = group.shfl_down(value, span);
        if (rank < span && rank + span < size)
            value = operation(value, other);
        size = size < span ? size : span;
    }
    return group.shfl(value, 0);
}

template <class Group, class ty_, class val_, class Operation>
__device__ __inline__ void
reduce_update_async(const Group &group, ty_ &destination, val_ value, Operation operation)
{
    val_ sum = reduce(group, value, operation);
    if (group.thread_rank() == 0)
        destination.fetch_add(sum);
}

} // namespace cooperative_groups

#include "../crt/quiet_end.h"
#endif

#endif
