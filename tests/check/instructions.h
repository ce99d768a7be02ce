/* SPDX-License-Identifier: Apache-2.0
 *
 * instructions.h: what the programs of this folder do by inline assembly: mbarriers, copies in bulk
 * and by tensor maps, and the fence between the two proxies.
 */
#ifndef LOCKSTEP_TESTS_CHECK_INSTRUCTIONS_H
#define LOCKSTEP_TESTS_CHECK_INSTRUCTIONS_H

#include <cuda.h>

typedef unsigned long long u64;

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
/* The same place in another block of the cluster. */
__device__ unsigned
shared_of(const void *p, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared(p)), "r"(rank));
    return there;
}

/* -- mbarriers -------------------------------------------------------------------------------- */

__device__ void
init(u64 *b, unsigned n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(b)), "r"(n) : "memory");
}
__device__ void
inval(u64 *b)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared(b)) : "memory");
}
__device__ void
arrive(u64 *b)
{
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(shared(b))
                 : "memory");
}
__device__ void
arrive_at(unsigned b)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(b)
                 : "memory");
}
__device__ void
arrive_times(u64 *b, unsigned n)
{
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0], %1; }" ::"r"(shared(b)), "r"(n)
                 : "memory");
}
__device__ void
expect(u64 *b, unsigned bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(shared(b)), "r"(bytes)
                 : "memory");
}
__device__ void
arrive_expecting(u64 *b, unsigned bytes)
{
    asm volatile(
        "{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(shared(b)),
        "r"(bytes)
        : "memory");
}
__device__ void
wait_phase(u64 *b, unsigned parity)
{
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(shared(b)), "r"(parity)
                     : "memory");
}

/* -- copies ----------------------------------------------------------------------------------- */

__device__ void
proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void
bulk_load(void *to, const void *from, unsigned bytes, u64 *b)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared(b))
        : "memory");
}
__device__ void
bulk_multicast(void *to, const void *from, unsigned bytes, u64 *b, unsigned short blocks)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1], %2, [%3], %4;" ::"r"(shared(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared(b)), "h"(blocks)
        : "memory");
}
__device__ void
bulk_store(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(to)),
                 "r"(shared(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void
box_load(void *to, const CUtensorMap *map, int x, int y, u64 *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared(b))
                 : "memory");
}
__device__ void
box_multicast(void *to, const CUtensorMap *map, int x, int y, u64 *b, unsigned short blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
                 "multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared(b)), "h"(blocks)
                 : "memory");
}
__device__ void
box_store(const CUtensorMap *map, int x, int y, const void *from)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
            map),
        "r"(x), "r"(y), "r"(shared(from))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void
bulk_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/* What was stored has been read. */
__device__ void
bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* Rows of `wide` 4-byte integers, boxes of `high` of them. */
static inline CUtensorMap
map_of(void *at, unsigned wide, u64 rows, unsigned high,
       CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE)
{
    CUtensorMap map;
    cuuint64_t dim[] = {wide, rows}, stride[] = {wide * 4};
    cuuint32_t box[] = {wide, high}, step[] = {1, 1};
    CUresult r =
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, at, dim, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r)
        printf("map: %d\n", (int)r);
    return map;
}

#endif
