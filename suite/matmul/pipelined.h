/* SPDX-License-Identifier: Apache-2.0
 *
 * pipelined.h: the kernel of the top rungs of the product, for any shape of tile: C (+)= A B in
 * float32. suite/matmul/pipelined.cu says how it works; suite/devices/product.cu splits it over
 * GPUs.
 */
#ifndef PIPELINED_H
#define PIPELINED_H

#include "../common/product.h"

/* A block computes BM x BN elements, BK of k at a time, STAGES deep; a thread TM x TN of them; a
 * warp's threads stand WX wide. AHEAD: the operands of the next k are read before those of this one
 * are multiplied, across the barrier, too. */
template <int BM_, int BN_, int BK_, int TM_, int TN_, int WX_, int STAGES_, int PER_SM_,
          int AHEAD_ = 0>
struct shape {
    enum {
        BM = BM_,
        BN = BN_,
        BK = BK_,
        TM = TM_,
        TN = TN_,
        WX = WX_,
        WY = 32 / WX,
        STAGES = STAGES_,
        PER_SM = PER_SM_,
        AHEAD = AHEAD_,
        THREADS = (BM / TM) * (BN / TN),
        WARPS_X = BN / (TN * WX),
        WIDE_A = BM + 4, /* words from one column of A's tile to the next: other banks */
        STAGE = WIDE_A * BK + BN * BK,
        SHARED = STAGES * STAGE * 4
    };
};

/* For devices whose blocks have 16 KB of shared memory and few registers (1.x). */
typedef shape<32, 64, 8, 4, 4, 8, 3, 1> least;

enum { GROUP = 8, MOST_SPLIT = 32 };

struct product {
    const float *a, *b;
    float *c, *parts;                   /* parts: split x tiles x BM x BN */
    int *arrived;                       /* a tile's blocks that have put their part aside */
    int m, k, n, lda;                   /* lda: words from one row of A to the next */
    int add;                            /* C += A B */
    int tiles_x, tiles_y, split, depth; /* depth: of k that a block sums, a multiple of BK */
};

template <int WORDS>
static __device__ __forceinline__ void
product_copy(unsigned to, const float *from, bool inside)
{
    int bytes = inside ? 4 * WORDS : 0; /* the rest is filled with zeros */
    if (WORDS == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes)
                     : "memory");
}

template <typename S, int WORDS>
static __device__ __forceinline__ void
product_bring(const struct product &p, unsigned tile, int row, int col, int at, int end)
{
    enum { A_COPIES = S::BM * S::BK, B_COPIES = S::BN * S::BK / WORDS };
#pragma unroll
    for (int i = 0; i < A_COPIES; i += S::THREADS) {
        int e = i + threadIdx.x, y = e / S::BK, x = e % S::BK;
        bool inside = row + y < p.m && at + x < end;
        if (A_COPIES % S::THREADS == 0 || e < A_COPIES)
            product_copy<1>(tile + 4 * (x * S::WIDE_A + y),
                            inside ? p.a + (size_t)(row + y) * p.lda + at + x : p.a, inside);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; i += S::THREADS) {
        int e = (i + threadIdx.x) * WORDS, y = e / S::BN, x = e % S::BN;
        bool inside = at + y < end && col + x < p.n;
        if (B_COPIES % S::THREADS == 0 || i + threadIdx.x < B_COPIES)
            product_copy<WORDS>(tile + 4 * (S::WIDE_A * S::BK + e),
                                inside ? p.b + (size_t)(at + y) * p.n + col + x : p.b, inside);
    }
}

/* The operands of one k. */
template <typename S>
static __device__ __forceinline__ void
product_operands(float a[S::TM], float b[S::TN], const float *tile, int k, int y, int x)
{
    const float *tile_b = tile + S::WIDE_A * S::BK;
#pragma unroll
    for (int i = 0; i < S::TM; i += 4) {
        float4 v = *(const float4 *)(tile + k * S::WIDE_A + y + i * S::WY);
        a[i] = v.x, a[i + 1] = v.y, a[i + 2] = v.z, a[i + 3] = v.w;
    }
#pragma unroll
    for (int j = 0; j < S::TN; j += 4) {
        float4 v = *(const float4 *)(tile_b + k * S::BN + x + j * S::WX);
        b[j] = v.x, b[j + 1] = v.y, b[j + 2] = v.z, b[j + 3] = v.w;
    }
}

template <typename S>
static __device__ __forceinline__ void
product_madd(float sum[S::TM][S::TN], const float a[S::TM], const float b[S::TN])
{
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            sum[i][j] += a[i] * b[j];
    }
}

/* Four sums to row r, columns c on; those outside C are left out. */
template <int WORDS>
static __device__ __forceinline__ void
product_put(const struct product &p, const float sum[4], int r, int c)
{
    float *to = p.c + (size_t)r * p.n + c;
    if (r >= p.m)
        return;
    if (WORDS == 4 && c < p.n) {
        float4 old = p.add ? *(float4 *)to : make_float4(0, 0, 0, 0);
        *(float4 *)to = make_float4(sum[0] + old.x, sum[1] + old.y, sum[2] + old.z, sum[3] + old.w);
    }
#pragma unroll
    for (int l = 0; l < 4; l++)
        if (WORDS == 1 && c + l < p.n)
            to[l] = p.add ? to[l] + sum[l] : sum[l];
}

/* Puts a block's part aside; true in the block that came last and now has the whole sum. */
template <typename S>
static __device__ __forceinline__ bool
product_combine(const struct product &p, float sum[S::TM][S::TN], int tile, int part)
{
    __shared__ int last;
    size_t step = (size_t)p.tiles_x * p.tiles_y * S::BM * S::BN;
    float4 *own = (float4 *)(p.parts + (size_t)tile * S::BM * S::BN);
    int at = threadIdx.x;
#pragma unroll
    for (int i = 0; i < S::TM * S::TN; i += 4) {
        const float *from = &sum[i / S::TN][i % S::TN];
        own[(part * step + i * S::THREADS) / 4 + at] =
            make_float4(from[0], from[1], from[2], from[3]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&p.arrived[tile], 1) == p.split - 1;
    __syncthreads();
    if (!last)
        return false;
    __threadfence();
#pragma unroll
    for (int i = 0; i < S::TM * S::TN; i++)
        sum[i / S::TN][i % S::TN] = 0;
    for (int s = 0; s < p.split; s++) {
#pragma unroll
        for (int i = 0; i < S::TM * S::TN; i += 4) {
            float4 v = __ldcg(&own[(s * step + i * S::THREADS) / 4 + at]);
            float *to = &sum[i / S::TN][i % S::TN];
            to[0] += v.x, to[1] += v.y, to[2] += v.z, to[3] += v.w;
        }
    }
    if (threadIdx.x == 0)
        p.arrived[tile] = 0; /* for the next launch */
    return true;
}

/* Over k, while the stages are brought: the first ones are on their way. */
template <typename S, int WORDS>
static __device__ __forceinline__ void
product_loop(const struct product &p, float sum[S::TM][S::TN], const float *tiles, unsigned shared,
             int row, int col, int begin, int end, int y, int x)
{
    int from = 0, to = S::STAGES - 1;
    for (int at = begin; at < end; at += S::BK) {
        asm volatile("cp.async.wait_group %0;" ::"n"(S::STAGES - 2) : "memory");
        __syncthreads();
        product_bring<S, WORDS>(p, shared + to * S::STAGE * 4, row, col,
                                at + (S::STAGES - 1) * S::BK, end);
        asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
        for (int k = 0; k < S::BK; k++) {
            float a[S::TM], b[S::TN];
            product_operands<S>(a, b, tiles + from * S::STAGE, k, y, x);
            product_madd<S>(sum, a, b);
        }
        from = from + 1 < S::STAGES ? from + 1 : 0;
        to = to + 1 < S::STAGES ? to + 1 : 0;
    }
}

/* The same with operands read ahead: the next stage must be there, and the barrier passed, before
 * the last k of this one is multiplied. */
template <typename S, int WORDS>
static __device__ __forceinline__ void
product_loop_ahead(const struct product &p, float sum[S::TM][S::TN], const float *tiles,
                   unsigned shared, int row, int col, int begin, int end, int y, int x)
{
    int next = 1, to = S::STAGES - 1;
    const float *tile = tiles;
    float a[2][S::TM], b[2][S::TN];
    asm volatile("cp.async.wait_group %0;" ::"n"(S::STAGES - 2) : "memory");
    __syncthreads();
    product_operands<S>(a[0], b[0], tile, 0, y, x);
    for (int at = begin; at < end; at += S::BK) {
#pragma unroll
        for (int k = 0; k < S::BK; k++) {
            if (k == S::BK - 1) {
                asm volatile("cp.async.wait_group %0;" ::"n"(S::STAGES - 2) : "memory");
                __syncthreads();
                tile = tiles + next * S::STAGE;
                next = next + 1 < S::STAGES ? next + 1 : 0;
            }
            product_operands<S>(a[(k + 1) & 1], b[(k + 1) & 1], tile, (k + 1) % S::BK, y, x);
            if (k == 0) {
                product_bring<S, WORDS>(p, shared + to * S::STAGE * 4, row, col,
                                        at + (S::STAGES - 1) * S::BK, end);
                asm volatile("cp.async.commit_group;" ::: "memory");
                to = to + 1 < S::STAGES ? to + 1 : 0;
            }
            product_madd<S>(sum, a[k & 1], b[k & 1]);
        }
    }
}

template <typename S, int WORDS>
__global__ void
__launch_bounds__(S::THREADS, S::PER_SM) product(const __grid_constant__ struct product p)
{
    extern __shared__ float4 tiles[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(tiles);
    /* Tiles in bands of GROUP rows: blocks that run together share rows and columns. */
    int band = GROUP * p.tiles_x, tile = blockIdx.x, top = tile / band * GROUP;
    int high = min(GROUP, p.tiles_y - top);
    int row = (top + tile % band % high) * S::BM, col = tile % band / high * S::BN;
    int begin = blockIdx.y * p.depth, end = min(p.k, begin + p.depth);
    /* Lanes n and n ^ 1 read the same words of B, n and n ^ 2 the same words of A: then a read of
     * 16 bytes a lane takes two wavefronts instead of four. */
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int lane_y = (lane & 1) | lane / (2 * S::WX) * 2, lane_x = lane / 2 % S::WX;
    int y = warp / S::WARPS_X * (S::TM * S::WY) + lane_y * 4;
    int x = warp % S::WARPS_X * (S::TN * S::WX) + lane_x * 4;
    float sum[S::TM][S::TN] = {};

#pragma unroll
    for (int s = 0; s < S::STAGES - 1; s++) {
        product_bring<S, WORDS>(p, shared + s * S::STAGE * 4, row, col, begin + s * S::BK, end);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    if (S::AHEAD)
        product_loop_ahead<S, WORDS>(p, sum, (const float *)tiles, shared, row, col, begin, end, y,
                                     x);
    else
        product_loop<S, WORDS>(p, sum, (const float *)tiles, shared, row, col, begin, end, y, x);
    if (p.split > 1 && !product_combine<S>(p, sum, tile, blockIdx.y))
        return;
#pragma unroll
    for (int i = 0; i < S::TM; i++) {
#pragma unroll
        for (int j = 0; j < S::TN; j += 4)
            product_put<WORDS>(p, sum[i] + j, row + y + i / 4 * 4 * S::WY + i % 4,
                               col + x + j * S::WX);
    }
}

/* Whether the device has room for blocks of that shape. */
template <typename S>
static bool
product_fits(void)
{
    static int fits = -1;
    if (fits < 0)
        fits = suite_fits(product<S, 4>, S::THREADS, S::SHARED) &&
               suite_fits(product<S, 1>, S::THREADS, S::SHARED);
    return fits;
}

/* What a device needs to run products of one shape. */
struct product_room {
    int blocks;   /* resident at once */
    float *parts; /* for split sums */
    int *arrived;
    size_t parts_count, arrived_count;
};

/* Blocks a tile: as many as still find room, each with at least 4 tiles of k. */
template <typename S>
static inline int
product_split(int tiles, int k, int room)
{
    int split = tiles > 0 ? room / tiles : 1, most = suite_div_up(k, 4 * S::BK);
    split = split < most ? split : most;
    return split < 1 ? 1 : split > MOST_SPLIT ? MOST_SPLIT : split;
}

template <typename S, int WORDS>
static void
product_prepare(struct product_room *room)
{
    int device, sms, each;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaFuncSetAttribute(product<S, WORDS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               S::SHARED));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, product<S, WORDS>, S::THREADS,
                                                        S::SHARED));
    room->blocks = sms * (each ? each : 1);
}

/* parts and arrived grow as needed; arrived is zero between launches. */
static void
product_reserve(struct product_room *room, size_t parts, size_t tiles)
{
    if (parts > room->parts_count) {
        CHECK(cudaFree(room->parts));
        room->parts = suite_device<float>(parts);
        room->parts_count = parts;
    }
    if (tiles > room->arrived_count) {
        CHECK(cudaFree(room->arrived));
        room->arrived = suite_device<int>(tiles);
        CHECK(cudaMemset(room->arrived, 0, tiles * sizeof(int)));
        room->arrived_count = tiles;
    }
}

/* a, b, c, m, k, n, lda and add of p are set. */
template <typename S, int WORDS>
static void
product_launch(struct product p, struct product_room *room, cudaStream_t stream)
{
    if (!room->blocks)
        product_prepare<S, WORDS>(room);
    p.tiles_x = suite_div_up(p.n, S::BN);
    p.tiles_y = suite_div_up(p.m, S::BM);
    int tiles = p.tiles_x * p.tiles_y;
    p.split = product_split<S>(tiles, p.k, room->blocks);
    p.depth = suite_div_up(suite_div_up(p.k, p.split), S::BK) * S::BK;
    p.split = p.depth ? suite_div_up(p.k, p.depth) : 1;
    if (p.split > 1)
        product_reserve(room, (size_t)p.split * tiles * S::BM * S::BN, tiles);
    p.parts = room->parts;
    p.arrived = room->arrived;
    dim3 grid(tiles, p.split);
    product<S, WORDS><<<grid, S::THREADS, S::SHARED, stream>>>(p);
}

/* 128 sums and 24 operands in 254 registers. On an H200 at n = 4096, in TFLOP/s: huge 48.0,
 * large 47.2; 8 x 8 a thread 39, deeper tiles 45.8, huge without AHEAD 43.5, large with it 47.0. */
typedef shape<256, 128, 8, 16, 8, 8, 3, 1, 1> huge;
typedef shape<128, 128, 8, 16, 8, 8, 4, 2> large;
typedef shape<64, 64, 16, 4, 8, 8, 3, 5> small;

template <typename S>
static void
product_launch_shape(const struct product &p, struct product_room *room, cudaStream_t stream)
{
    if (p.n % 4 == 0)
        product_launch<S, 4>(p, room, stream);
    else
        product_launch<S, 1>(p, room, stream);
}

/* By the shape that fits the device and the size: large ones only where there are tiles enough for
 * 132 multiprocessors. All launches with one room have the same size. */
static void
product_launch_any(const struct product &p, struct product_room *room, cudaStream_t stream)
{
    enum { FEW = 48, MANY = 120 };
    int64_t halves = (int64_t)suite_div_up(p.m, huge::BM) * suite_div_up(p.n, huge::BN);
    int64_t tiles = (int64_t)suite_div_up(p.m, large::BM) * suite_div_up(p.n, large::BN);
    if (!product_fits<large>() || !product_fits<small>())
        product_launch_shape<least>(p, room, stream);
    else if (p.m <= small::BM || p.n <= small::BN || tiles < FEW)
        product_launch_shape<small>(p, room, stream);
    else if (halves < MANY || !product_fits<huge>())
        product_launch_shape<large>(p, room, stream);
    else
        product_launch_shape<huge>(p, room, stream);
}

static void
product_release(struct product_room *room)
{
    suite_free_device(room->parts, room->arrived);
    *room = {};
}

#endif
