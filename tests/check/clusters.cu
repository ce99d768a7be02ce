/* SPDX-License-Identifier: Apache-2.0
 *
 * clusters.cu: what is wrong in clusters, each beside its right twin: clusters WHAT [right].
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda.h>
#include <cstring>

#include "instructions.h"

namespace cg = cooperative_groups;
enum { THREADS = 64 };

/* A block reads what another one stores. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) race(int *out)
{
    __shared__ int s[THREADS];
    auto c = cg::this_cluster();
    s[threadIdx.x] = 0;
    c.sync();
    s[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    if (RIGHT)
        c.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = c.map_shared_rank(s, 1 - c.block_rank())[threadIdx.x];
    c.sync();
}

/* A block stores into another one's memory, whose block reads it. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) stores(int *out)
{
    __shared__ int s[THREADS];
    auto c = cg::this_cluster();
    c.sync();
    c.map_shared_rank(s, 1 - c.block_rank())[threadIdx.x] = threadIdx.x;
    if (RIGHT)
        c.sync();
    else
        __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = s[threadIdx.x];
    c.sync();
}

/* The last access, and the end of the block whose memory it is. */
template <bool RIGHT> __global__ void __cluster_dims__(4, 1, 1) ends(int *out)
{
    __shared__ int s[THREADS];
    auto c = cg::this_cluster();
    s[threadIdx.x] = threadIdx.x;
    c.sync();
    out[blockIdx.x * THREADS + threadIdx.x] =
        c.map_shared_rank(s, (c.block_rank() + 1) % 4)[threadIdx.x];
    if (RIGHT)
        c.sync();
}

/* Bytes that the other block waits for, so that it is there; a store behind them it does not
 * wait for. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) bytes(int *out)
{
    __shared__ alignas(8) unsigned long long m;
    __shared__ int s;
    auto c = cg::this_cluster();
    unsigned bar = (unsigned)__cvta_generic_to_shared(&m);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    c.sync();
    if (threadIdx.x || c.block_rank() > 1)
        return;
    if (c.block_rank() == 0) {
        asm volatile("{ .reg .u32 b;\n mapa.shared::cluster.u32 b, %0, 1;\n "
                     "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [b], 4; }" ::"r"(bar)
                     : "memory");
        if (!RIGHT)
            *c.map_shared_rank(&s, 1) = 1;
        return;
    }
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4;" ::"r"(bar) : "memory");
    asm volatile("{ .reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p "
                 "bra WAIT; }" ::"r"(bar)
                 : "memory");
    out[blockIdx.x] = 1;
}

/* The first one, and its begin. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) begins(int *out)
{
    __shared__ int n;
    auto c = cg::this_cluster();
    if (RIGHT)
        c.sync();
    if (threadIdx.x == 0)
        atomicExch(c.map_shared_rank(&n, 1 - c.block_rank()), 5);
    c.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = n;
}

template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) bounds(int *out)
{
    __shared__ int s[THREADS];
    auto c = cg::this_cluster();
    s[threadIdx.x] = 1;
    c.sync();
    int *there = c.map_shared_rank(s, 1 - c.block_rank());
    out[blockIdx.x * THREADS + threadIdx.x] = there[threadIdx.x + (RIGHT ? 0 : THREADS)];
    c.sync();
}

/* Pairs of words at odd ones. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) misaligned(int *out)
{
    __shared__ alignas(8) int s[4 * THREADS];
    auto c = cg::this_cluster();
    for (unsigned k = threadIdx.x; k < 4 * THREADS; k += THREADS)
        s[k] = 1;
    c.sync();
    int2 v = *(const int2 *)(c.map_shared_rank(s, 1 - c.block_rank()) + 2 * threadIdx.x +
                             (RIGHT ? 0 : 1));
    out[blockIdx.x * THREADS + threadIdx.x] = v.x + v.y;
    c.sync();
}

/* Additions of both blocks to one's memory. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) block_scoped(int *out)
{
    __shared__ int n;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        n = 0;
    c.sync();
    int *there = c.map_shared_rank(&n, 0);
    if (RIGHT)
        atomicAdd(there, 1);
    else
        atomicAdd_block(there, 1);
    c.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = n;
}

/* A volatile flag that its owner sets and another block polls; behind a fence. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) owner_sets(int *out)
{
    __shared__ int flag;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        flag = 0;
    c.sync();
    if (c.block_rank() == 0 && threadIdx.x == 0) {
        if (RIGHT)
            __threadfence();
        else
            __threadfence_block();
        *(volatile int *)&flag = 1;
    }
    if (c.block_rank() == 1 && threadIdx.x == 0)
        while (*(volatile int *)c.map_shared_rank(&flag, 0) == 0)
            ;
    c.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = 0;
}

/* One that another block sets. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) peer_sets(int *out)
{
    __shared__ int flag;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        flag = 0;
    c.sync();
    if (c.block_rank() == 0 && threadIdx.x == 0) {
        if (RIGHT)
            __threadfence();
        else
            __threadfence_block();
        *(volatile int *)c.map_shared_rank(&flag, 1) = 1;
    }
    if (c.block_rank() == 1 && threadIdx.x == 0)
        while (*(volatile int *)&flag == 0)
            ;
    c.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = 0;
}

/* One that others read plainly. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) owner_atomic(int *out)
{
    __shared__ int n;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        n = 0;
    c.sync();
    if (c.block_rank() == 0)
        atomicAdd(&n, 1);
    if (RIGHT)
        c.sync();
    int seen = c.block_rank() == 1 ? *c.map_shared_rank(&n, 0) : 0;
    c.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = seen;
}

/* Bytes sent to another block's mbarrier: who waits for it may read them. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) sent(int *out)
{
    __shared__ alignas(16) int s[THREADS];
    __shared__ alignas(8) unsigned long long m;
    auto c = cg::this_cluster();
    unsigned at = (unsigned)__cvta_generic_to_shared(s),
             bar = (unsigned)__cvta_generic_to_shared(&m), peer = 1 - c.block_rank();
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.init.shared.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;" ::"r"(bar)
            : "memory");
    c.sync();
    if (threadIdx.x == 0)
        asm volatile(
            "{ .reg .b64 t;\n mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(bar),
            "r"(4 * THREADS)
            : "memory");
    asm volatile(
        "{ .reg .u32 a, b;\n mapa.shared::cluster.u32 a, %0, %2;\n mapa.shared::cluster.u32 b, %1, "
        "%2;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], %3, [b]; }" ::"r"(
            at + 4 * threadIdx.x),
        "r"(bar), "r"(peer), "r"((int)threadIdx.x)
        : "memory");
    if (RIGHT)
        asm volatile("{ .reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p "
                     "bra WAIT; }" ::"r"(bar)
                     : "memory");
    out[blockIdx.x * THREADS + threadIdx.x] = s[threadIdx.x];
    c.sync();
}

/* Each block has a box of a tensor brought to both. */
template <bool RIGHT>
__global__ void __cluster_dims__(2, 1, 1) boxes(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int s[2][THREADS];
    __shared__ alignas(8) unsigned long long m;
    auto c = cg::this_cluster();
    unsigned rank = c.block_rank(), bar = (unsigned)__cvta_generic_to_shared(&m);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.proxy.async;\n"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                     "r"(2 * THREADS * 4)
                     : "memory");
    c.sync();
    if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
            "multicast::cluster "
            "[%0], [%1, {%2}], [%3], %4;" ::"r"((unsigned)__cvta_generic_to_shared(s[rank])),
            "l"(&map), "r"(rank * THREADS), "r"(bar), "h"((unsigned short)3)
            : "memory");
    if (RIGHT)
        asm volatile("{ .reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p "
                     "bra WAIT; }" ::"r"(bar)
                     : "memory");
    out[blockIdx.x * THREADS + threadIdx.x] = s[0][threadIdx.x] + s[1][threadIdx.x];
    c.sync();
}

/* A copy to the other block, whose mbarrier learns of it, and the end of what it reads: the other
 * block has waited and says so; or a group of bulk copies is waited for, in which it is not. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) source(int *out)
{
    __shared__ alignas(16) int s[THREADS], d[THREADS];
    __shared__ alignas(8) unsigned long long full, empty;
    auto c = cg::this_cluster();
    unsigned t = threadIdx.x, rank = c.block_rank(), other = rank ^ 1;
    s[t] = (int)t;
    if (t == 0) {
        init(&full, 1);
        init(&empty, 1);
        arrive_expecting(&full, sizeof d);
    }
    proxy_fence();
    c.sync();
    if (t == 0) {
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(shared_of(d, other)),
                     "r"(shared(s)), "r"((unsigned)sizeof s), "r"(shared_of(&full, other))
                     : "memory");
        bulk_commit();
        bulk_wait();
        wait_phase(&full, 0);
        arrive_at(shared_of(&empty, other));
        if (RIGHT)
            wait_phase(&empty, 0);
    }
    __syncthreads();
    s[t] = 0;
    out[blockIdx.x * THREADS + t] = d[t];
    c.sync();
}

/* A thread that waits for a phase that nobody completes. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) waits(int *out)
{
    __shared__ alignas(8) unsigned long long m;
    auto c = cg::this_cluster();
    unsigned bar = (unsigned)__cvta_generic_to_shared(&m);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(RIGHT ? 2 : 3)
                     : "memory");
    c.sync();
    if (threadIdx.x == 0) {
        for (unsigned r = 0; r < 2; r++)
            asm volatile("{ .reg .u32 b;\n mapa.shared::cluster.u32 b, %0, %1;\n "
                         "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [b]; }" ::"r"(bar),
                         "r"(r)
                         : "memory");
        asm volatile("{ .reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p "
                     "bra WAIT; }" ::"r"(bar)
                     : "memory");
        out[blockIdx.x] = 1;
    }
    c.sync();
}

/* A message through device memory with fences of cluster scope, to a block of the same cluster. */
__device__ int data, flag, counts[4];
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) message(int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data = 1;
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
        atomicExch(&flag, 1);
    } else if (blockIdx.x == (RIGHT ? 1 : 2)) {
        while (atomicAdd(&flag, 0) == 0)
            ;
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
        out[0] = data;
    }
}
/* The same with accesses of cluster scope, and a block's fence on one side of the wrong one. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) acquires(int *out)
{
    int seen = 0;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data = 1;
        if (RIGHT)
            asm volatile("st.release.cluster.global.u32 [%0], 1;" ::"l"(&flag) : "memory");
        else
            asm volatile("fence.acq_rel.cta;\n st.relaxed.cluster.global.u32 [%0], 1;" ::"l"(&flag)
                         : "memory");
    } else if (blockIdx.x == 1) {
        while (!seen)
            asm volatile("ld.acquire.cluster.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(&flag)
                         : "memory");
        out[0] = data;
    }
}
/* A volatile flag between fences of cluster scope. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) polls(int *out)
{
    volatile int *f = &flag;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data = 1;
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
        *f = 1;
    } else if (blockIdx.x == (RIGHT ? 1 : 2)) {
        while (*f == 0)
            ;
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
        out[0] = data;
    }
}
/* Sums of cluster scope: one for each cluster, or one for all. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) sums(int *out)
{
    asm volatile(
        "red.relaxed.cluster.global.add.u32 [%0], 1;" ::"l"(&counts[RIGHT ? blockIdx.x / 2 : 0])
        : "memory");
}
/* A block's scope for what the blocks of a cluster share. */
template <bool RIGHT> __global__ void __cluster_dims__(2, 1, 1) narrow(int *out)
{
    if (RIGHT)
        asm volatile("red.relaxed.cluster.global.add.u32 [%0], 1;" ::"l"(&counts[blockIdx.x / 2])
                     : "memory");
    else
        asm volatile("red.relaxed.cta.global.add.u32 [%0], 1;" ::"l"(&counts[blockIdx.x / 2])
                     : "memory");
}

static void
launch_boxes(bool right, int *tensor, int *out)
{
    CUtensorMap map;
    cuuint64_t size[1] = {2 * THREADS};
    cuuint32_t box[1] = {THREADS}, step[1] = {1};
    cudaMemset(tensor, 0, 2 * THREADS * sizeof *tensor);
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, tensor, size, NULL, box, step,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (right)
        boxes<true><<<4, THREADS>>>(map, out);
    else
        boxes<false><<<4, THREADS>>>(map, out);
}

int
main(int argc, char **argv)
{
    int *out;
    bool right = argc > 2;
    if (argc < 2)
        return 2;
    cudaMalloc(&out, 4096);
#define CASE(name)                                                                                 \
    if (!strcmp(argv[1], #name)) {                                                                 \
        if (right)                                                                                 \
            name<true><<<4, THREADS>>>(out);                                                       \
        else                                                                                       \
            name<false><<<4, THREADS>>>(out);                                                      \
    }
    if (!strcmp(argv[1], "boxes"))
        launch_boxes(right, out + 512, out);
    /* clang-format off */
    CASE(race) CASE(stores) CASE(ends) CASE(begins) CASE(bounds) CASE(misaligned)
    CASE(sent) CASE(bytes) CASE(source)
    CASE(waits) CASE(message) CASE(acquires) CASE(polls) CASE(sums) CASE(narrow)
    CASE(block_scoped) CASE(owner_sets) CASE(peer_sets) CASE(owner_atomic)
        /* clang-format on */
        cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    cudaFree(out);
    return 0;
}
