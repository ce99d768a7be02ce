/* SPDX-License-Identifier: Apache-2.0
 *
 * tensors.cu: mistakes with copies of boxes by tensor maps (cp.async.bulk.tensor). Kernels named
 * bad_ have one; beside them stands the right way. With an argument: one that ends the device.
 */
#include <cstdio>
#include <cstring>

#include "instructions.h"

enum { BLOCK = 128, WIDE = 32, HIGH = 16 };

/* -- the instructions ------------------------------------------------------------------------- */

__device__ void
start(u64 *b, unsigned bytes)
{
    if (threadIdx.x == 0) {
        init(b, 1);
        proxy_fence();
        arrive_expecting(b, bytes);
    }
    __syncthreads();
}

/* -- kernels ---------------------------------------------------------------------------------- */

template <bool WAIT>
__device__ void
sum(const CUtensorMap *map, int x, int y, int *out)
{
    __shared__ alignas(128) int s[HIGH][WIDE];
    __shared__ u64 b;
    int t = threadIdx.x, all = 0;
    start(&b, sizeof s);
    if (t == 0)
        box_load(s, map, x, y, &b);
    if (WAIT)
        wait_phase(&b, 0);
    for (int k = 0; k < HIGH; k++)
        all += s[k][t % WIDE];
    out[t] = all;
}
__global__ void
good_load(const __grid_constant__ CUtensorMap map, int *out)
{
    sum<true>(&map, 0, 0, out);
}
__global__ void
good_load_over_the_edge(const __grid_constant__ CUtensorMap map, int *out)
{
    sum<true>(&map, -16, -3, out);
}
__global__ void
bad_load_no_wait(const __grid_constant__ CUtensorMap map, int *out)
{
    sum<false>(&map, 0, 0, out);
}
/* The map's tensor is larger than the memory behind it. */
__global__ void
bad_load_bounds(const __grid_constant__ CUtensorMap map, int *out)
{
    sum<true>(&map, 0, HIGH, out);
}

/* Of each row the first 16 bytes are set; the map swizzles, so that they lie elsewhere in a tile.
 */
template <bool WHERE>
__device__ void
sum_first(const CUtensorMap *map, int *out)
{
    __shared__ alignas(1024) int s[HIGH][WIDE];
    __shared__ u64 b;
    int t = threadIdx.x, all = 0;
    start(&b, sizeof s);
    if (t == 0)
        box_load(s, map, 0, 0, &b);
    wait_phase(&b, 0);
    for (int k = 0; k < HIGH; k++)
        all += s[k][(WHERE ? k % 8 : 0) * 4 + t % 4];
    out[t] = all;
}
__global__ void
good_load_unset(const __grid_constant__ CUtensorMap map, int *out)
{
    sum_first<true>(&map, out);
}
__global__ void
bad_load_unset(const __grid_constant__ CUtensorMap map, int *out)
{
    sum_first<false>(&map, out);
}
/* A tile of which those 16 bytes of each row were written is stored. */
__global__ void
good_store_unset(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(1024) int s[HIGH][WIDE];
    int t = threadIdx.x;
    if (t < HIGH * 4)
        s[t / 4][t / 4 % 8 * 4 + t % 4] = t;
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        box_store(&map, 0, 0, s);
        bulk_wait();
    }
}
__global__ void
good_stored(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x / 4 % HIGH * WIDE + threadIdx.x % 4] + 1;
}
__global__ void
bad_stored(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

template <bool WAIT, bool FENCE = true>
__device__ void
fill(const CUtensorMap *map, int y)
{
    __shared__ alignas(128) int s[HIGH * WIDE];
    int t = threadIdx.x;
    for (int k = t; k < HIGH * WIDE; k += BLOCK)
        s[k] = k;
    if (FENCE)
        proxy_fence();
    __syncthreads();
    if (t == 0) {
        box_store(map, 0, y, s);
        if (WAIT)
            bulk_wait();
    }
    __syncthreads();
    for (int k = t; k < HIGH * WIDE; k += BLOCK)
        s[k] = 0;
}
__global__ void
good_store(const __grid_constant__ CUtensorMap map)
{
    fill<true>(&map, 0);
}
__device__ void
number(int (*s)[WIDE])
{
    for (int k = threadIdx.x; k < HIGH * WIDE; k += blockDim.x)
        s[k / WIDE][k % WIDE] = k;
    proxy_fence();
    __syncthreads();
}
/* All lanes of a warp store one box, as CUTLASS's epilogues do: once is as good as 32 times. */
__global__ void
good_store_by_warp(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int s[HIGH][WIDE];
    number(s);
    if (threadIdx.x < 32) {
        box_store(&map, 0, 0, s);
        bulk_wait();
    }
}
/* Lanes that store different boxes over each other. */
__global__ void
bad_stores_by_warp(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int s[HIGH][WIDE];
    number(s);
    if (threadIdx.x < 2) {
        box_store(&map, 0, (int)threadIdx.x, s);
        bulk_wait();
    }
}
__global__ void
bad_store_overwritten(const __grid_constant__ CUtensorMap map)
{
    fill<false>(&map, 0);
}
__global__ void
bad_store_no_fence(const __grid_constant__ CUtensorMap map)
{
    fill<true, false>(&map, 0);
}
/* A tile goes on as it came: the copies are of one kind. */
__global__ void
good_load_and_store(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int s[HIGH][WIDE];
    __shared__ u64 b;
    start(&b, sizeof s);
    if (threadIdx.x == 0) {
        box_load(s, &map, 0, 0, &b);
        wait_phase(&b, 0);
        box_store(&map, 0, 0, s);
        bulk_wait();
    }
}
__global__ void
bad_store_bounds(const __grid_constant__ CUtensorMap map)
{
    fill<true>(&map, HIGH);
}

/* -- maps that a kernel makes ------------------------------------------------------------------ */

enum { STORES, REPLACES };

template <int HOW, bool FENCE>
__device__ void
made(const CUtensorMap *old, CUtensorMap *map, const int *in, int *out)
{
    __shared__ alignas(128) CUtensorMap m;
    int t = threadIdx.x;
    if (HOW == STORES && t < 32)
        ((int *)map)[t] = ((const int *)old)[t];
    if (HOW == REPLACES && t < 32) {
        ((int *)&m)[t] = ((const int *)old)[t];
        __syncwarp();
        if (t == 0)
            asm volatile(
                "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(
                    shared(&m)),
                "l"(in)
                : "memory");
        __syncwarp();
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu."
                     "sync.aligned [%0], [%1], 128;" ::"l"(map),
                     "r"(shared(&m))
                     : "memory");
    }
    if (HOW == STORES && FENCE)
        asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    __syncthreads();
    if (FENCE)
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    sum<true>(map, 0, 0, out);
}
__global__ void
good_map_stored(const __grid_constant__ CUtensorMap old, CUtensorMap *map, const int *in, int *out)
{
    made<STORES, true>(&old, map, in, out);
}
__global__ void
bad_map_stored(const __grid_constant__ CUtensorMap old, CUtensorMap *map, const int *in, int *out)
{
    made<STORES, false>(&old, map, in, out);
}
__global__ void
good_map_replaced(const __grid_constant__ CUtensorMap old, CUtensorMap *map, const int *in,
                  int *out)
{
    made<REPLACES, true>(&old, map, in, out);
}
__global__ void
bad_map_replaced(const __grid_constant__ CUtensorMap old, CUtensorMap *map, const int *in, int *out)
{
    made<REPLACES, false>(&old, map, in, out);
}
/* Made by the launch before. */
__global__ void
good_map_made_before(const CUtensorMap *map, int *out)
{
    sum<true>(map, 0, 0, out);
}

/* -- what ends the device ---------------------------------------------------------------------- */

__global__ void
ends_expected_more(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int s[HIGH][WIDE];
    __shared__ u64 b;
    start(&b, sizeof s + 16);
    if (threadIdx.x == 0)
        box_load(s, &map, 0, 0, &b);
    wait_phase(&b, 0);
    out[threadIdx.x] = s[0][threadIdx.x % WIDE];
}
__global__ void
ends_misaligned(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int s[HIGH + 1][WIDE];
    __shared__ u64 b;
    start(&b, HIGH * WIDE * 4);
    if (threadIdx.x == 0)
        box_load(&s[0][16], &map, 0, 0, &b);
    wait_phase(&b, 0);
    out[threadIdx.x] = s[1][threadIdx.x % WIDE];
}

int
main(int argc, char **argv)
{
    int *in, *out;
    cudaMalloc(&in, HIGH * WIDE * 4);
    cudaMalloc(&out, BLOCK * 4);
    cudaMemset(in, 0, HIGH * WIDE * 4);
    CUtensorMap map = map_of(in, WIDE, HIGH, HIGH), wrong = map_of(in, WIDE, 2 * HIGH, HIGH);
    if (argc > 1) {
        if (!strcmp(argv[1], "expected"))
            ends_expected_more<<<1, BLOCK>>>(map, out);
        else
            ends_misaligned<<<1, BLOCK>>>(map, out);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    good_load<<<1, BLOCK>>>(map, out);
    good_load_over_the_edge<<<1, BLOCK>>>(map, out);
    bad_load_no_wait<<<1, BLOCK>>>(map, out);
    bad_load_bounds<<<1, BLOCK>>>(wrong, out);
    good_store<<<1, BLOCK>>>(map);
    good_store_by_warp<<<1, BLOCK>>>(map);
    bad_stores_by_warp<<<1, BLOCK>>>(map);
    bad_store_overwritten<<<1, BLOCK>>>(map);
    bad_store_no_fence<<<1, BLOCK>>>(map);
    good_load_and_store<<<1, BLOCK>>>(map);
    bad_store_bounds<<<1, BLOCK>>>(wrong);
    int *part, *stored;
    cudaMalloc(&part, HIGH * WIDE * 4);
    cudaMalloc(&stored, HIGH * WIDE * 4);
    cudaMemset2D(part, WIDE * 4, 0, 16, HIGH);
    CUtensorMap swizzled = map_of(part, WIDE, HIGH, HIGH, CU_TENSOR_MAP_SWIZZLE_128B),
                to = map_of(stored, WIDE, HIGH, HIGH, CU_TENSOR_MAP_SWIZZLE_128B);
    good_load_unset<<<1, BLOCK>>>(swizzled, out);
    bad_load_unset<<<1, BLOCK>>>(swizzled, out);
    good_store_unset<<<1, BLOCK>>>(to);
    good_stored<<<1, BLOCK>>>(stored, out);
    bad_stored<<<1, BLOCK>>>(stored, out);
    CUtensorMap *made;
    cudaMalloc(&made, sizeof *made);
    good_map_stored<<<1, BLOCK>>>(map, made, in, out);
    good_map_made_before<<<1, BLOCK>>>(made, out);
    bad_map_stored<<<1, BLOCK>>>(map, made, in, out);
    good_map_replaced<<<1, BLOCK>>>(map, made, in, out);
    good_map_made_before<<<1, BLOCK>>>(made, out);
    bad_map_replaced<<<1, BLOCK>>>(map, made, in, out);
    cudaDeviceSynchronize();
    cudaFree(made);
    cudaFree(part);
    cudaFree(stored);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
