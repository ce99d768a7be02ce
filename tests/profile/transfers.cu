/* SPDX-License-Identifier: Apache-2.0
 *
 * transfers.cu: copies in bulk, boxes of tensors and accesses to other blocks' shared memory, in
 * known numbers, for a profiler: 8 blocks, in clusters of 4 where they have peers; each does one
 * thing TIMES times. tools/record/transfers.sh runs it under a GPU's profiler.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda.h>

namespace cg = cooperative_groups;
enum {
    TIMES = 4,
    THREADS = 32,
    BLOCKS = 8,
    MOST = 4096,
    APART = 16384,
    HIGH = 8,
    ROWS = BLOCKS * TIMES * HIGH
};
typedef unsigned long long u64;

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void
init(u64 *b)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;\n "
                 "fence.proxy.async;" ::"r"(shared(b))
                 : "memory");
}
__device__ void
expect(u64 *b, unsigned bytes)
{
    asm volatile(
        "{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(shared(b)),
        "r"(bytes)
        : "memory");
}
__device__ void
wait(u64 *b, unsigned parity)
{
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 "
                     "%0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(shared(b)), "r"(parity)
                     : "memory");
}
__device__ void
sent()
{
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
__device__ void
fill(unsigned *s)
{
    for (unsigned k = threadIdx.x; k < MOST / 4; k += THREADS)
        s[k] = k;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

/* -- in bulk ----------------------------------------------------------------------------------- */

template <int BYTES, int SKEW> __global__ void
load(const char *in)
{
    __shared__ alignas(128) unsigned s[MOST / 4];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b);
        for (int i = 0; i < TIMES; i++) {
            expect(&b, BYTES);
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
                "[%3];" ::"r"(shared(s)),
                "l"(__cvta_generic_to_global(in + (blockIdx.x * TIMES + i) * APART + SKEW)),
                "n"(BYTES), "r"(shared(&b))
                : "memory");
            wait(&b, i & 1);
        }
    }
}

template <int BYTES, int SKEW> __global__ void
store(char *out)
{
    __shared__ alignas(128) unsigned s[MOST / 4];
    fill(s);
    if (threadIdx.x == 0)
        for (int i = 0; i < TIMES; i++) {
            asm volatile(
                "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                    __cvta_generic_to_global(out + (blockIdx.x * TIMES + i) * APART + SKEW)),
                "r"(shared(s)), "n"(BYTES)
                : "memory");
            sent();
        }
}

template <int BYTES> __global__ void
reduce(char *out)
{
    __shared__ alignas(128) unsigned s[MOST / 4];
    fill(s);
    if (threadIdx.x == 0)
        for (int i = 0; i < TIMES; i++) {
            asm volatile(
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(
                    __cvta_generic_to_global(out + (blockIdx.x * TIMES + i) * APART)),
                "r"(shared(s)), "n"(BYTES)
                : "memory");
            sent();
        }
}

template <int BYTES> __global__ void
prefetch(const char *in)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < TIMES; i++)
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                             __cvta_generic_to_global(in + (blockIdx.x * TIMES + i) * APART)),
                         "n"(BYTES)
                         : "memory");
}

/* From own shared memory to the next block's. */
template <int BYTES> __global__ void __cluster_dims__(4, 1, 1)
to_peer(int)
{
    __shared__ alignas(128) unsigned s[MOST / 4], t[MOST / 4];
    __shared__ u64 b;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        init(&b);
    fill(s);
    c.sync();
    for (int i = 0; i < TIMES; i++) {
        if (threadIdx.x == 0) {
            expect(&b, BYTES);
            asm volatile("{ .reg .u32 a, b;\n mapa.shared::cluster.u32 a, %0, %4;\n "
                         "mapa.shared::cluster.u32 b, %3, %4;\n"
                         "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                         "[a], [%1], %2, [b]; }" ::"r"(shared(t)),
                         "r"(shared(s)), "n"(BYTES), "r"(shared(&b)), "r"((c.block_rank() + 1) % 4)
                         : "memory");
        }
        wait(&b, i & 1);
        c.sync();
    }
}

/* The first block's, to all four. */
template <int BYTES> __global__ void __cluster_dims__(4, 1, 1)
multicast(const char *in)
{
    __shared__ alignas(128) unsigned s[MOST / 4];
    __shared__ u64 b;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        init(&b);
    for (int i = 0; i < TIMES; i++) {
        if (threadIdx.x == 0)
            expect(&b, BYTES);
        c.sync();
        if (threadIdx.x == 0 && c.block_rank() == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                         "multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared(s)),
                         "l"(__cvta_generic_to_global(in + (blockIdx.x * TIMES + i) * APART)),
                         "n"(BYTES), "r"(shared(&b)), "h"((unsigned short)15)
                         : "memory");
        wait(&b, i & 1);
        c.sync();
    }
}

/* -- boxes of HIGH rows of BYTES --------------------------------------------------------------- */

/* OVER: the box's first element stands before the tensor's. */
template <int SWIZZLE, int BYTES, int OVER> __global__ void
box_load(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(1024) unsigned s[MOST / 4];
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b);
        for (int i = 0; i < TIMES; i++) {
            expect(&b, HIGH * BYTES);
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_"
                         "tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared(s)),
                         "l"(&map), "r"(-OVER), "r"((int)(blockIdx.x * TIMES + i) * HIGH),
                         "r"(shared(&b))
                         : "memory");
            wait(&b, i & 1);
        }
    }
}

template <int SWIZZLE, int BYTES> __global__ void
box_store(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(1024) unsigned s[MOST / 4];
    fill(s);
    if (threadIdx.x == 0)
        for (int i = 0; i < TIMES; i++) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, "
                         "%2}], [%3];" ::"l"(&map),
                         "r"(0), "r"((int)(blockIdx.x * TIMES + i) * HIGH), "r"(shared(s))
                         : "memory");
            sent();
        }
}

template <int SWIZZLE, int BYTES> __global__ void
box_reduce(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(1024) unsigned s[MOST / 4];
    fill(s);
    if (threadIdx.x == 0)
        for (int i = 0; i < TIMES; i++) {
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
                         "[%0, {%1, %2}], [%3];" ::"l"(&map),
                         "r"(0), "r"((int)(blockIdx.x * TIMES + i) * HIGH), "r"(shared(s))
                         : "memory");
            sent();
        }
}

template <int SWIZZLE, int BYTES> __global__ void __cluster_dims__(4, 1, 1)
box_multicast(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(1024) unsigned s[MOST / 4];
    __shared__ u64 b;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0)
        init(&b);
    for (int i = 0; i < TIMES; i++) {
        if (threadIdx.x == 0)
            expect(&b, HIGH * BYTES);
        c.sync();
        if (threadIdx.x == 0 && c.block_rank() == 0)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_"
                         "tx::bytes.multicast::cluster "
                         "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared(s)),
                         "l"(&map), "r"(0), "r"((int)(blockIdx.x * TIMES + i) * HIGH),
                         "r"(shared(&b)), "h"((unsigned short)15)
                         : "memory");
        wait(&b, i & 1);
        c.sync();
    }
}

/* -- other blocks' shared memory --------------------------------------------------------------- */

enum { LD, ST, ATOM, RED, LD4, ST4, ST_ASYNC, RED_ASYNC };

template <int WHAT, int PEER, int STRIDE> __global__ void __cluster_dims__(4, 1, 1)
remote(unsigned *out)
{
    __shared__ alignas(128) unsigned s[THREADS * 32];
    __shared__ u64 b;
    auto c = cg::this_cluster();
    for (int i = threadIdx.x; i < THREADS * 32; i += THREADS)
        s[i] = i;
    if (threadIdx.x == 0) {
        init(&b);
        if (WHAT >= ST_ASYNC)
            expect(&b, TIMES * THREADS * 4);
    }
    c.sync();
    unsigned rank = (c.block_rank() + PEER) % 4, there, bar, sum = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared(s)), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(shared(&b)), "r"(rank));
    there += threadIdx.x * STRIDE * 4;
#pragma unroll 1
    for (int i = 0; i < TIMES; i++) {
        unsigned v = i, w = i, x = i, y = i;
        if (WHAT == LD)
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there));
        if (WHAT == ST)
            asm volatile("st.shared::cluster.u32 [%1], %0;" ::"r"(v), "r"(there));
        if (WHAT == ATOM)
            asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(there));
        if (WHAT == RED)
            asm volatile("red.shared::cluster.add.u32 [%1], %0;" ::"r"(v), "r"(there));
        if (WHAT == LD4)
            asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v), "=r"(w), "=r"(x), "=r"(y)
                         : "r"(there));
        if (WHAT == ST4)
            asm volatile("st.shared::cluster.v4.u32 [%4], {%0, %1, %2, %3};" ::"r"(v), "r"(w),
                         "r"(x), "r"(y), "r"(there));
        if (WHAT == ST_ASYNC)
            asm volatile(
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::
                    "r"(there),
                "r"(v), "r"(bar)
                : "memory");
        if (WHAT == RED_ASYNC)
            asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
                         "add.u32 [%0], %1, [%2];" ::"r"(there),
                         "r"(v), "r"(bar)
                         : "memory");
        sum += v + w + x + y;
    }
    if (WHAT >= ST_ASYNC)
        wait(&b, 0);
    c.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

/* -- all --------------------------------------------------------------------------------------- */

static CUtensorMap
map_of(void *at, int bytes, int swizzle, int rows)
{
    CUtensorMap map;
    cuuint64_t dim[] = {(cuuint64_t)bytes / 4, (cuuint64_t)rows}, stride[] = {256};
    cuuint32_t box[] = {(cuuint32_t)bytes / 4, HIGH}, step[] = {1, 1};
    CUresult r =
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, at, dim, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r)
        printf("map: %d\n", (int)r);
    return map;
}

template <int SWIZZLE, int BYTES> static void
boxes(void *at)
{
    CUtensorMap map = map_of(at, BYTES, SWIZZLE, ROWS),
                low = map_of(at, BYTES, SWIZZLE, ROWS - HIGH / 2);
    box_load<SWIZZLE, BYTES, 0><<<BLOCKS, THREADS>>>(map);
    box_load<SWIZZLE, BYTES, 4><<<BLOCKS, THREADS>>>(low);
    box_store<SWIZZLE, BYTES><<<BLOCKS, THREADS>>>(map);
    box_reduce<SWIZZLE, BYTES><<<BLOCKS, THREADS>>>(map);
    box_multicast<SWIZZLE, BYTES><<<BLOCKS, THREADS>>>(map);
}
template <int WHAT> static void
remotes(unsigned *out)
{
    constexpr int SIDE = WHAT == LD4 || WHAT == ST4 ? 4 : 1; /* side by side */
    remote<WHAT, 0, SIDE><<<BLOCKS, THREADS>>>(out);
    remote<WHAT, 1, SIDE><<<BLOCKS, THREADS>>>(out);
    remote<WHAT, 0, 8><<<BLOCKS, THREADS>>>(out);
    remote<WHAT, 1, 8><<<BLOCKS, THREADS>>>(out);
    remote<WHAT, 1, 28><<<BLOCKS, THREADS>>>(out);
}

int
main()
{
    char *d;
    cudaMalloc(&d, (BLOCKS * TIMES + 1) * APART);
    cudaMemset(d, 0, (BLOCKS * TIMES + 1) * APART);
    load<16, 0><<<BLOCKS, THREADS>>>(d);
    load<16, 16><<<BLOCKS, THREADS>>>(d);
    load<48, 0><<<BLOCKS, THREADS>>>(d);
    load<128, 0><<<BLOCKS, THREADS>>>(d);
    load<128, 16><<<BLOCKS, THREADS>>>(d);
    load<1024, 0><<<BLOCKS, THREADS>>>(d);
    load<1040, 112><<<BLOCKS, THREADS>>>(d);
    load<4096, 0><<<BLOCKS, THREADS>>>(d);
    store<16, 0><<<BLOCKS, THREADS>>>(d);
    store<16, 16><<<BLOCKS, THREADS>>>(d);
    store<48, 0><<<BLOCKS, THREADS>>>(d);
    store<128, 16><<<BLOCKS, THREADS>>>(d);
    store<1024, 0><<<BLOCKS, THREADS>>>(d);
    store<1040, 112><<<BLOCKS, THREADS>>>(d);
    store<4096, 0><<<BLOCKS, THREADS>>>(d);
    reduce<16><<<BLOCKS, THREADS>>>(d);
    reduce<48><<<BLOCKS, THREADS>>>(d);
    reduce<1024><<<BLOCKS, THREADS>>>(d);
    prefetch<16><<<BLOCKS, THREADS>>>(d);
    prefetch<1024><<<BLOCKS, THREADS>>>(d);
    to_peer<16><<<BLOCKS, THREADS>>>(0);
    to_peer<48><<<BLOCKS, THREADS>>>(0);
    to_peer<1024><<<BLOCKS, THREADS>>>(0);
    multicast<16><<<BLOCKS, THREADS>>>(d);
    multicast<1024><<<BLOCKS, THREADS>>>(d);
    boxes<0, 16>(d);
    boxes<0, 48>(d);
    boxes<0, 128>(d);
    boxes<1, 32>(d);
    boxes<2, 64>(d);
    boxes<3, 128>(d);
    boxes<3, 64>(d);
    remotes<LD>((unsigned *)d);
    remotes<ST>((unsigned *)d);
    remotes<ATOM>((unsigned *)d);
    remotes<RED>((unsigned *)d);
    remotes<LD4>((unsigned *)d);
    remotes<ST4>((unsigned *)d);
    remotes<ST_ASYNC>((unsigned *)d);
    remotes<RED_ASYNC>((unsigned *)d);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(d);
    return 0;
}
