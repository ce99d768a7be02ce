/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_copies.h: cuda::device::experimental of <cuda/barrier>: copies of boxes by tensor maps and
 * bulk copies, as the programming guide writes them ("Asynchronous Data Copies using the Tensor
 * Memory Accelerator").
 */
#ifndef LOCKSTEP_CRT_TENSOR_COPIES
#define LOCKSTEP_CRT_TENSOR_COPIES

struct CUtensorMap_st; /* cuda.h */
typedef struct CUtensorMap_st CUtensorMap;

namespace cuda
{
namespace device
{
namespace experimental
{

__device__ inline void
fence_proxy_async_shared_cta()
{
    __asm__ __volatile__("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void
cp_async_bulk_commit_group()
{
    __asm__ __volatile__("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Left>
__device__ inline void
cp_async_bulk_wait_group_read()
{
    __asm__ __volatile__("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
}
__device__ inline void
cp_async_bulk_global_to_shared(void *to, const void *from, unsigned size,
                               barrier<thread_scope_block> &b)
{
    __asm__ __volatile__(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            __lockstep_shared(to)),
        "l"(__lockstep_global(from)), "r"(size), "r"(__lockstep_shared(b.handle()))
        : "memory");
}
__device__ inline void
cp_async_bulk_shared_to_global(void *to, const void *from, unsigned size)
{
    __asm__ __volatile__("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                             __lockstep_global(to)),
                         "r"(__lockstep_shared(from)), "r"(size)
                         : "memory");
}

/* For each number of dimensions: its parameters, operands, and where they stand in the text. */
#define LOCKSTEP_TENSOR_COPIES(n, parameters, operands, loaded, stored)                            \
    __device__ inline void cp_async_bulk_tensor_##n##d_global_to_shared(                           \
        void *to, const CUtensorMap *map, parameters, barrier<thread_scope_block> &b)              \
    {                                                                                              \
        __asm__ __volatile__(                                                                      \
            "cp.async.bulk.tensor." #n                                                             \
            "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" loaded       \
            "}], [%2];" ::"r"(__lockstep_shared(to)),                                              \
            "l"(map), "r"(__lockstep_shared(b.handle())), operands                                 \
            : "memory");                                                                           \
    }                                                                                              \
    __device__ inline void cp_async_bulk_tensor_##n##d_shared_to_global(                           \
        const CUtensorMap *map, parameters, const void *from)                                      \
    {                                                                                              \
        __asm__ __volatile__("cp.async.bulk.tensor." #n                                            \
                             "d.global.shared::cta.tile.bulk_group [%0, {" stored                  \
                             "}], [%1];" ::"l"(map),                                               \
                             "r"(__lockstep_shared(from)), operands                                \
                             : "memory");                                                          \
    }
#define LOCKSTEP_LIST(...) __VA_ARGS__
LOCKSTEP_TENSOR_COPIES(1, int c0, "r"(c0), "%3", "%2")
LOCKSTEP_TENSOR_COPIES(2, LOCKSTEP_LIST(int c0, int c1), LOCKSTEP_LIST("r"(c0), "r"(c1)), "%3, %4",
                       "%2, %3")
LOCKSTEP_TENSOR_COPIES(3, LOCKSTEP_LIST(int c0, int c1, int c2),
                       LOCKSTEP_LIST("r"(c0), "r"(c1), "r"(c2)), "%3, %4, %5", "%2, %3, %4")
LOCKSTEP_TENSOR_COPIES(4, LOCKSTEP_LIST(int c0, int c1, int c2, int c3),
                       LOCKSTEP_LIST("r"(c0), "r"(c1), "r"(c2), "r"(c3)), "%3, %4, %5, %6",
                       "%2, %3, %4, %5")
LOCKSTEP_TENSOR_COPIES(5, LOCKSTEP_LIST(int c0, int c1, int c2, int c3, int c4),
                       LOCKSTEP_LIST("r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)),
                       "%3, %4, %5, %6, %7", "%2, %3, %4, %5, %6")
#undef LOCKSTEP_LIST
#undef LOCKSTEP_TENSOR_COPIES

} // namespace experimental
} // namespace device
} // namespace cuda

#endif
