/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarriers.cu: mistakes with mbarriers, and with what they learn of. Kernels named bad_ have one;
 * beside them stands the right way. With an argument: one that ends the device.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda/barrier>

#include "instructions.h"

namespace cg = cooperative_groups;
enum { BLOCK = 128, TILE = 64, TILES = 9, WIDE = 32, HIGH = 4 };

/* -- their life -------------------------------------------------------------------------------- */

template <int COUNT> __device__ void
initialise(int *out)
{
    __shared__ u64 b;
    if (threadIdx.x == 0)
        init(&b, COUNT);
    out[threadIdx.x] = 1;
}
__global__ void
good_init(int *out)
{
    initialise<(1 << 20) - 1>(out);
}
__global__ void
bad_init_none(int *out)
{
    initialise<0>(out);
}
__global__ void
bad_init_many(int *out)
{
    initialise<1 << 20>(out);
}

/* PENDING: in the middle of a phase. */
template <bool PENDING> __device__ void
again(int *out)
{
    __shared__ u64 b;
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x == 0)
            init(&b, BLOCK);
        __syncthreads();
        if (!PENDING || threadIdx.x < 32)
            arrive(&b);
        if (!PENDING)
            wait_phase(&b, 0);
        __syncthreads();
        if (threadIdx.x == 0 && !PENDING)
            inval(&b);
        __syncthreads();
    }
    out[threadIdx.x] = 1;
}
__global__ void
good_again(int *out)
{
    again<false>(out);
}
__global__ void
bad_again_pending(int *out)
{
    again<true>(out);
}

/* GONE: used when it is no more; WRITTEN: after something else was put there. */
template <bool GONE, bool WRITTEN> __device__ void
lives(int *out)
{
    __shared__ u64 b;
    if (threadIdx.x == 0)
        init(&b, BLOCK);
    __syncthreads();
    arrive(&b);
    wait_phase(&b, 0);
    __syncthreads();
    if (threadIdx.x == 0 && !WRITTEN)
        inval(&b);
    __syncthreads();
    if (threadIdx.x == 1)
        b = 5;
    __syncthreads();
    if (GONE || WRITTEN)
        arrive(&b);
    out[threadIdx.x] = 1;
}
__global__ void
good_inval(int *out)
{
    lives<false, false>(out);
}
__global__ void
bad_after_inval(int *out)
{
    lives<true, false>(out);
}
__global__ void
bad_overwritten(int *out)
{
    lives<false, true>(out);
}
__global__ void
bad_copy_after_inval(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[BLOCK];
    if (threadIdx.x == 0) {
        init(&b, 1);
        inval(&b);
        bulk_load(s, in, sizeof s, &b);
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = 1;
}
__global__ void
bad_no_init(int *out)
{
    __shared__ u64 b;
    if (threadIdx.x == 0)
        b = BLOCK;
    __syncthreads();
    arrive(&b);
    out[threadIdx.x] = 1;
}

/* -- their counts ------------------------------------------------------------------------------ */

template <int EXPECTED, int ARRIVALS> __device__ void
arrivals(int *out)
{
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b, EXPECTED);
        arrive_times(&b, ARRIVALS);
    }
    out[threadIdx.x] = 1;
}
__global__ void
good_arrivals(int *out)
{
    arrivals<3, 3>(out);
}
__global__ void
bad_arrivals(int *out)
{
    arrivals<2, 3>(out);
}

/* Bytes of a phase: expected in all, brought, and an arrival too many while they are awaited. */
template <unsigned EXPECTED, unsigned BROUGHT, bool MORE, bool WAIT> __device__ void
bytes(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x;
    s[t] = 0;
    if (t == 0)
        init(&b, 1);
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        if (EXPECTED)
            arrive_expecting(&b, EXPECTED);
        if (MORE)
            arrive(&b);
        if (BROUGHT)
            bulk_load(s, in, BROUGHT, &b);
    }
    if (WAIT)
        wait_phase(&b, 0);
    out[blockIdx.x * BLOCK + t] = WAIT ? s[t] : 0;
}
__global__ void
good_bytes(const int *in, int *out)
{
    bytes<256, 256, false, true>(in, out);
}
__global__ void
bad_bytes_arrival(const int *in, int *out)
{
    bytes<256, 256, true, false>(in, out);
}
__global__ void
bad_bytes_less(const int *in, int *out)
{
    bytes<128, 256, false, false>(in, out);
}
__global__ void
bad_bytes_more(const int *in, int *out)
{
    bytes<512, 256, false, false>(in, out);
}
__global__ void
bad_bytes_none(const int *in, int *out)
{
    bytes<0, 256, false, false>(in, out);
}
__global__ void
ends_bytes_less(const int *in, int *out)
{
    bytes<128, 256, false, true>(in, out);
}

/* The copies come first: until the last arrival more bytes may be there than were expected. */
__global__ void
good_bytes_first(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x;
    if (t == 0)
        init(&b, 3);
    __syncthreads();
    if (t % 32 == 0 && t < 64) {
        bulk_load(s + t, in + t, 128, &b);
        arrive_expecting(&b, 128);
    } else if (t == 64) {
        expect(&b, 256);
        bulk_load(s + 64, in + 64, 256, &b);
        arrive(&b);
    }
    wait_phase(&b, 0);
    out[blockIdx.x * BLOCK + t] = s[t];
}
__global__ void
bad_bytes_range(int *out)
{
    __shared__ u64 b;
    if (threadIdx.x == 0) {
        init(&b, 1);
        expect(&b, 1 << 20);
    }
    out[threadIdx.x] = 1;
}

/* -- pipelines: one warp copies tiles, three use them ------------------------------------------ */

template <int STAGES> __device__ void
pipeline(const int *in, int *out)
{
    __shared__ u64 full[STAGES], empty[STAGES];
    __shared__ alignas(16) int s[STAGES][TILE];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        for (int k = 0; k < STAGES; k++)
            init(&full[k], 1), init(&empty[k], 3);
    __syncthreads();
    for (int tile = blockIdx.x, k = 0; tile < TILES; tile += gridDim.x, k++) {
        int stage = k % STAGES, parity = k / STAGES % 2;
        if (t == 0) {
            wait_phase(&empty[stage], parity ^ 1);
            arrive_expecting(&full[stage], sizeof s[0]);
            bulk_load(s[stage], in + tile * TILE, sizeof s[0], &full[stage]);
        } else if (t >= 32) {
            wait_phase(&full[stage], parity);
            sum += s[stage][t % TILE];
            __syncwarp();
            if (t % 32 == 0)
                arrive(&empty[stage]);
        }
    }
    out[blockIdx.x * BLOCK + t] = sum;
}
__global__ void
good_pipeline_of_two(const int *in, int *out)
{
    pipeline<2>(in, out);
}
__global__ void
good_pipeline_of_three(const int *in, int *out)
{
    pipeline<3>(in, out);
}
__global__ void
good_pipeline_of_four(const int *in, int *out)
{
    pipeline<4>(in, out);
}
/* Between tiles the copying thread commits and waits for a group of bulk copies, as those do who
 * change a tensor map: copies of which an mbarrier learns are in no group. EARLY: tiles are given
 * back before they are read. */
template <bool EARLY> __device__ void
pipeline_with_groups(const int *in, int *out)
{
    __shared__ u64 full[2], empty[2];
    __shared__ alignas(16) int s[2][TILE];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        for (int k = 0; k < 2; k++)
            init(&full[k], 1), init(&empty[k], BLOCK - 32);
    __syncthreads();
    for (int k = 0; k < TILES; k++) {
        int stage = k % 2, parity = k / 2 % 2;
        if (t == 0) {
            wait_phase(&empty[stage], parity ^ 1);
            arrive_expecting(&full[stage], sizeof s[0]);
            bulk_load(s[stage], in + k * TILE, sizeof s[0], &full[stage]);
            bulk_commit();
            bulk_wait();
        } else if (t >= 32) {
            wait_phase(&full[stage], parity);
            if (EARLY)
                arrive(&empty[stage]);
            sum += s[stage][t % TILE];
            if (!EARLY)
                arrive(&empty[stage]);
        }
    }
    out[blockIdx.x * BLOCK + t] = sum;
}
__global__ void
good_groups(const int *in, int *out)
{
    pipeline_with_groups<false>(in, out);
}
__global__ void
bad_groups_early(const int *in, int *out)
{
    pipeline_with_groups<true>(in, out);
}
/* The group's end, and a barrier behind it, are no wait for the copy. A group that is waited for
 * after such a copy is one of the stores before it. */
template <bool WAIT> __device__ void
load_in_group(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[BLOCK], old[BLOCK];
    int t = threadIdx.x;
    old[t] = t;
    if (t == 0)
        init(&b, 1);
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        bulk_store(out + blockIdx.x * BLOCK, old, sizeof old);
        arrive_expecting(&b, sizeof s);
        bulk_load(s, in, sizeof s, &b);
        bulk_commit();
        bulk_wait();
    }
    __syncthreads();
    if (WAIT)
        wait_phase(&b, 0);
    old[t] = s[BLOCK - 1 - t];
}
__global__ void
good_load_in_group(const int *in, int *out)
{
    load_in_group<true>(in, out);
}
__global__ void
bad_load_in_group(const int *in, int *out)
{
    load_in_group<false>(in, out);
}
/* The parity of the phase before the first one is over from the start. FIRST: those who wait come
 * first. */
template <bool FIRST, unsigned PARITY> __device__ void
one_tile(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[BLOCK];
    int t = FIRST ? threadIdx.x : BLOCK - 1 - threadIdx.x;
    s[t] = 0;
    if (t == 0)
        init(&b, 1);
    proxy_fence();
    __syncthreads();
    if (t < BLOCK - 32) {
        wait_phase(&b, PARITY);
        out[blockIdx.x * BLOCK + t] = s[t];
    } else if (t == BLOCK - 1) {
        arrive_expecting(&b, sizeof s);
        bulk_load(s, in, sizeof s, &b);
    }
}
__global__ void
good_one_tile(const int *in, int *out)
{
    one_tile<true, 0>(in, out);
}
__global__ void
bad_other_parity(const int *in, int *out)
{
    one_tile<true, 1>(in, out);
}
__global__ void
ends_other_parity(const int *in, int *out)
{
    one_tile<false, 1>(in, out);
}
/* A new mbarrier in the place of one whose phase is over: nobody arrives at it. */
__global__ void
ends_after_init(const int *in, int *out)
{
    __shared__ u64 b;
    int t = threadIdx.x;
    if (t == 0) {
        init(&b, 1);
        arrive(&b);
        inval(&b);
        init(&b, 1);
    }
    __syncthreads();
    wait_phase(&b, 0);
    out[t] = in[t];
}
/* A first launch's threads ask for parity 1 before it is over; those of the last one, whose input
 * is not 0, do not. */
__global__ void
ends_after_others(const int *in, int *out)
{
    __shared__ u64 b;
    int t = threadIdx.x;
    bool last = in[0];
    if (t == 0)
        init(&b, 1), arrive(&b);
    __syncthreads();
    if (!last || t < 32)
        wait_phase(&b, 0);
    __syncthreads();
    if (t < BLOCK - 32 && !last)
        wait_phase(&b, 1);
    else if (t == BLOCK - 1 && !last)
        arrive(&b);
    else if (last && t < 32)
        wait_phase(&b, 1);
    else if (last)
        __syncthreads();
    out[blockIdx.x * BLOCK + t] = in[t];
}
/* Each round waits for parity 0, the second one passes on the first one's phase. */
template <bool FLIPS> __device__ void
rounds(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[2][BLOCK];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&b, 2);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            arrive_expecting(&b, sizeof s[0]);
            bulk_load(s[k], in, sizeof s[0], &b);
        }
        if (t == 64 && k == 0)
            arrive(&b); /* in round 1 once all have seen the phase of round 0 over */
        wait_phase(&b, FLIPS ? k : 0);
        sum += s[k][t];
        __syncthreads();
        if (FLIPS && t == 64 && k == 0)
            arrive(&b);
    }
    out[blockIdx.x * BLOCK + t] = sum;
}
__global__ void
good_rounds(const int *in, int *out)
{
    rounds<true>(in, out);
}
__global__ void
bad_rounds(const int *in, int *out)
{
    rounds<false>(in, out);
}

/* A tile is filled twice. Warp 3 reads it and gives it back; warps 1 and 2, which are told earlier
 * that it is there, do neither. READ: warp 1 reads it, too. */
template <bool READ> __device__ void
refill(const int *in, int *out)
{
    __shared__ u64 full, empty;
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&full, 1), init(&empty, 32);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            wait_phase(&empty, k ^ 1);
            arrive_expecting(&full, sizeof s);
            bulk_load(s, in, sizeof s, &full);
        } else if (t >= 32) {
            wait_phase(&full, k);
            if (t >= 96 || (READ && t < 64))
                sum += s[t];
            if (t >= 96)
                arrive(&empty);
        }
    }
    out[blockIdx.x * BLOCK + t] = sum;
}
__global__ void
good_refill(const int *in, int *out)
{
    refill<false>(in, out);
}
__global__ void
bad_refill(const int *in, int *out)
{
    refill<true>(in, out);
}

/* -- clusters ---------------------------------------------------------------------------------- */

/* The first block's copies go to both, which give them back to it. */
template <bool BOXES> __device__ void
shared_tiles(const int *in, const CUtensorMap *map, int *out)
{
    __shared__ u64 full[2], empty[2];
    __shared__ alignas(128) int s[2][HIGH * WIDE];
    auto c = cg::this_cluster();
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        for (int k = 0; k < 2; k++)
            init(&full[k], 1), init(&empty[k], 2);
    proxy_fence();
    c.sync();
    for (int k = 0; k < 6; k++) {
        int stage = k % 2, parity = k / 2 % 2;
        if (t == 0) {
            arrive_expecting(&full[stage], sizeof s[0]);
            if (c.block_rank() == 0) {
                wait_phase(&empty[stage], parity ^ 1);
                if (BOXES)
                    box_multicast(s[stage], map, 0, k % 2 * HIGH, &full[stage], 3);
                else
                    bulk_multicast(s[stage], in, sizeof s[0], &full[stage], 3);
            }
        }
        wait_phase(&full[stage], parity);
        sum += s[stage][t];
        __syncthreads();
        if (t == 0)
            arrive_at(shared_of(&empty[stage], 0));
    }
    out[blockIdx.x * BLOCK + t] = sum;
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) good_multicast(const int *in, int *out)
{
    shared_tiles<false>(in, nullptr, out);
}
__global__ void __cluster_dims__(2, 1, 1)
    good_multicast_of_boxes(const __grid_constant__ CUtensorMap map, int *out)
{
    shared_tiles<true>(nullptr, &map, out);
}

/* The second block goes without having waited for what the first one sends it. */
template <bool BOXES, bool WAITS> __device__ void
leaves(const int *in, const CUtensorMap *map, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(128) int s[HIGH * WIDE];
    auto c = cg::this_cluster();
    int t = threadIdx.x;
    if (t == 0) {
        init(&b, 1);
        arrive_expecting(&b, sizeof s);
    }
    proxy_fence();
    c.sync();
    if (t == 0 && c.block_rank() == 0) {
        if (BOXES)
            box_multicast(s, map, 0, 0, &b, 3);
        else
            bulk_multicast(s, in, sizeof s, &b, 3);
    }
    if (WAITS || c.block_rank() == 0)
        wait_phase(&b, 0);
    out[blockIdx.x * BLOCK + t] = 1;
}
__global__ void __cluster_dims__(2, 1, 1) good_leaves(const int *in, int *out)
{
    leaves<false, true>(in, nullptr, out);
}
__global__ void __cluster_dims__(2, 1, 1) bad_leaves(const int *in, int *out)
{
    leaves<false, false>(in, nullptr, out);
}
__global__ void __cluster_dims__(2, 1, 1)
    good_leaves_boxes(const __grid_constant__ CUtensorMap map, int *out)
{
    leaves<true, true>(nullptr, &map, out);
}
__global__ void __cluster_dims__(2, 1, 1)
    bad_leaves_boxes(const __grid_constant__ CUtensorMap map, int *out)
{
    leaves<true, false>(nullptr, &map, out);
}

/* -- libcu++ ----------------------------------------------------------------------------------- */

__global__ void
good_barrier(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ int s[BLOCK];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&b, BLOCK);
    __syncthreads();
    for (int k = 0; k < 5; k++) {
        s[t] = in[t] + k;
        b.arrive_and_wait();
        sum += s[BLOCK - 1 - t];
        b.wait(b.arrive());
    }
    if (t < 32)
        b.arrive_and_drop();
    else
        b.arrive_and_wait();
    out[blockIdx.x * BLOCK + t] = sum;
}
__global__ void
good_memcpy(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x;
    if (t == 0)
        init(&b, BLOCK);
    __syncthreads();
    cuda::memcpy_async(&s[t], &in[t], sizeof(int), b);
    b.arrive_and_wait();
    out[blockIdx.x * BLOCK + t] = s[BLOCK - 1 - t];
}

int
main(int argc, char **argv)
{
    int *in, *out;
    cudaMalloc(&in, TILES * TILE * 4);
    cudaMalloc(&out, 4 * BLOCK * 4);
    cudaMemset(in, 0, TILES * TILE * 4);
    CUtensorMap map = map_of(in, WIDE, 2 * HIGH, HIGH);
    if (argc > 1) {
        const struct {
            const char *name;
            void (*kernel)(const int *, int *);
        } ends[] = {{"bytes", ends_bytes_less},
                    {"parity", ends_other_parity},
                    {"init", ends_after_init},
                    {"others", ends_after_others}};
        for (auto &one : ends)
            for (int k = strcmp(one.name, "others") != 0; k < 2 && !strcmp(argv[1], one.name);
                 k++) {
                one.kernel<<<1, BLOCK>>>(in, out);
                cudaDeviceSynchronize();
                cudaMemset(in, 1, 4);
            }
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 1;
    }
    void (*alone[])(int *) = {good_init,         bad_init_none, bad_init_many,   good_again,
                              bad_again_pending, good_inval,    bad_after_inval, bad_overwritten,
                              bad_no_init,       good_arrivals, bad_arrivals,    bad_bytes_range};
    for (auto kernel : alone)
        kernel<<<1, BLOCK>>>(out);
    void (*copies[])(const int *, int *) = {bad_copy_after_inval,
                                            good_bytes,
                                            bad_bytes_arrival,
                                            bad_bytes_less,
                                            bad_bytes_more,
                                            bad_bytes_none,
                                            good_bytes_first,
                                            good_pipeline_of_two,
                                            good_pipeline_of_three,
                                            good_pipeline_of_four,
                                            good_groups,
                                            bad_groups_early,
                                            good_load_in_group,
                                            bad_load_in_group,
                                            good_one_tile,
                                            bad_other_parity,
                                            good_rounds,
                                            bad_rounds,
                                            good_refill,
                                            bad_refill,
                                            good_barrier,
                                            good_memcpy};
    for (auto kernel : copies)
        kernel<<<2, BLOCK>>>(in, out);
    good_multicast<<<2, BLOCK>>>(in, out);
    good_multicast_of_boxes<<<2, BLOCK>>>(map, out);
    good_leaves<<<2, BLOCK>>>(in, out);
    bad_leaves<<<2, BLOCK>>>(in, out);
    good_leaves_boxes<<<2, BLOCK>>>(map, out);
    bad_leaves_boxes<<<2, BLOCK>>>(map, out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
