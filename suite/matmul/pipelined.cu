/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, the top rung: register blocking with the tiles brought by asynchronous copies
 * STAGES deep. While a block multiplies one pair of tiles the next ones are on their way; one
 * barrier a pair. A thread computes TM x TN elements from words it reads 16 bytes at a time.
 *
 * A's tile keeps its rows (BK words each, chunks of 4 words swizzled by exclusive or so that
 * neighbouring rows lie in different banks), B's tile its rows of BN words: no transposing on the
 * way. A warp owns WY x WX threads: lane y takes rows y, y + WY, ..., lane x chunks x, x + WX, ...
 *
 * Few tiles leave multiprocessors idle: then the sum over k is split among `split` blocks a tile;
 * each puts its part aside, and the last one to come adds them up in order (the same result every
 * time). Pointers or sizes that are no multiple of 4 words take copies of 4 bytes.
 *
 * systems: A6
 * title: register blocking, asynchronous copies in stages, split sums
 * from: 8.0
 * rung: 10
 * sizes: 0 1 17 100 1000 65x300x129 128x1024x96
 * check: 17 50x33x70
 * bench: 4096
 * gpu: 512; 1024; 2048; 4096; 8192; 1048576x64x64; 128x262144x128
 */
#include "../common/product.h"

#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 16
#endif
#ifndef TM
#define TM 8
#endif
#ifndef TN
#define TN 8
#endif
#ifndef WX
#define WX 8
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef PER_SM
#define PER_SM 2
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef SPLIT
#define SPLIT 0
#endif

enum {
    WY = 32 / WX,
    THREADS = (BM / TM) * (BN / TN),
    WARPS_X = BN / (TN * WX),
    CHUNKS_A = BK / 4, /* of 4 words in a row of A's tile */
    CHUNKS_B = BN / 4,
    STAGE = (BM + BN) * BK, /* words */
    SHARED = STAGES * STAGE * 4,
    MOST_SPLIT = 64
};

struct product {
    const float *a, *b;
    float *c, *parts; /* parts: split x tiles x BM x BN */
    int *arrived;     /* a tile's blocks that have put their part aside */
    int m, k, n, tiles_x, tiles_y, split, depth; /* depth: of k that a block sums, a multiple of BK */
};

/* Where chunk x of row y of A's tile lies. */
static __device__ __forceinline__ int
swizzle(int y, int x)
{
    return y * BK + 4 * (x ^ (y * CHUNKS_A / 8 % CHUNKS_A));
}

template <int WORDS>
static __device__ __forceinline__ void
copy(unsigned to, const float *from, bool inside)
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

template <int WORDS>
static __device__ __forceinline__ void
bring(const struct product &p, unsigned tile, int row, int col, int at, int end)
{
    enum { A_COPIES = BM * BK / WORDS, B_COPIES = BN * BK / WORDS };
#pragma unroll
    for (int i = 0; i < A_COPIES; i += THREADS) {
        int e = (i + threadIdx.x) * WORDS, y = e / BK, x = e % BK;
        bool inside = row + y < p.m && at + x < end;
        if (A_COPIES % THREADS == 0 || i + threadIdx.x < A_COPIES)
            copy<WORDS>(tile + 4 * (swizzle(y, x / 4) + x % 4),
                        inside ? p.a + (size_t)(row + y) * p.k + at + x : p.a, inside);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; i += THREADS) {
        int e = (i + threadIdx.x) * WORDS, y = e / BN, x = e % BN;
        bool inside = at + y < end && col + x < p.n;
        if (B_COPIES % THREADS == 0 || i + threadIdx.x < B_COPIES)
            copy<WORDS>(tile + 4 * (BM * BK + e),
                        inside ? p.b + (size_t)(at + y) * p.n + col + x : p.b, inside);
    }
}

/* sum += A's tile * B's tile. */
static __device__ __forceinline__ void
multiply(float sum[TM][TN], const float *tile, int y, int x)
{
    const float *tile_b = tile + BM * BK;
#pragma unroll
    for (int k = 0; k < BK; k += 4) {
        float4 a[TM];
#pragma unroll
        for (int i = 0; i < TM; i++)
            a[i] = *(const float4 *)(tile + swizzle(y + i * WY, k / 4));
#pragma unroll
        for (int l = 0; l < 4; l++) {
            float4 b[TN / 4];
#pragma unroll
            for (int j = 0; j < TN / 4; j++)
                b[j] = *(const float4 *)(tile_b + (k + l) * BN + x + 4 * j * WX);
#pragma unroll
            for (int i = 0; i < TM; i++) {
                float from_a = l == 0 ? a[i].x : l == 1 ? a[i].y : l == 2 ? a[i].z : a[i].w;
#pragma unroll
                for (int j = 0; j < TN / 4; j++) {
                    sum[i][4 * j] += from_a * b[j].x;
                    sum[i][4 * j + 1] += from_a * b[j].y;
                    sum[i][4 * j + 2] += from_a * b[j].z;
                    sum[i][4 * j + 3] += from_a * b[j].w;
                }
            }
        }
    }
}

template <int WORDS>
static __device__ __forceinline__ void
store(const struct product &p, const float sum[TM][TN], int row, int col)
{
#pragma unroll
    for (int i = 0; i < TM; i++) {
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int r = row + i * WY, c = col + j * WX;
            float *to = p.c + (size_t)r * p.n + c;
            if (r < p.m && WORDS == 4 && c < p.n)
                *(float4 *)to =
                    make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
#pragma unroll
            for (int l = 0; l < 4; l++)
                if (WORDS == 1 && r < p.m && c + l < p.n)
                    to[l] = sum[i][j + l];
        }
    }
}

/* Puts a block's part aside; true in the block that came last and now has the whole sum. */
static __device__ __forceinline__ bool
combine(const struct product &p, float sum[TM][TN], int tile, int part)
{
    __shared__ int last;
    size_t step = (size_t)p.tiles_x * p.tiles_y * BM * BN;
    float *own = p.parts + (size_t)tile * BM * BN;
#pragma unroll
    for (int i = 0; i < TM * TN; i += 4)
        *(float4 *)(own + part * step + i * THREADS + 4 * threadIdx.x) =
            make_float4(sum[i / TN][i % TN], sum[i / TN][i % TN + 1], sum[i / TN][i % TN + 2],
                        sum[i / TN][i % TN + 3]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&p.arrived[tile], 1) == p.split - 1;
    __syncthreads();
    if (!last)
        return false;
    __threadfence();
#pragma unroll
    for (int i = 0; i < TM * TN; i++)
        sum[i / TN][i % TN] = 0;
    for (int s = 0; s < p.split; s++) {
#pragma unroll
        for (int i = 0; i < TM * TN; i += 4) {
            float4 v = __ldcg((const float4 *)(own + s * step + i * THREADS + 4 * threadIdx.x));
            sum[i / TN][i % TN] += v.x;
            sum[i / TN][i % TN + 1] += v.y;
            sum[i / TN][i % TN + 2] += v.z;
            sum[i / TN][i % TN + 3] += v.w;
        }
    }
    if (threadIdx.x == 0)
        p.arrived[tile] = 0; /* for the next launch */
    return true;
}

template <int WORDS>
__global__ void
__launch_bounds__(THREADS, PER_SM) product(const __grid_constant__ struct product p)
{
    extern __shared__ float4 tiles[];
    unsigned shared = (unsigned)__cvta_generic_to_shared(tiles);
    /* Tiles in bands of GROUP rows: blocks that run together share rows and columns. */
    int band = GROUP * p.tiles_x, tile = blockIdx.x, top = tile / band * GROUP;
    int high = min(GROUP, p.tiles_y - top);
    int row = (top + tile % band % high) * BM, col = tile % band / high * BN;
    int begin = blockIdx.y * p.depth, end = min(p.k, begin + p.depth);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / WARPS_X * (TM * WY) + lane / WX, x = warp % WARPS_X * (TN * WX) + lane % WX * 4;
    float sum[TM][TN] = {};

#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        bring<WORDS>(p, shared + s * STAGE * 4, row, col, begin + s * BK, end);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    int from = 0, to = STAGES - 1;
    for (int at = begin; at < end; at += BK) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        bring<WORDS>(p, shared + to * STAGE * 4, row, col, at + (STAGES - 1) * BK, end);
        asm volatile("cp.async.commit_group;" ::: "memory");
        multiply(sum, (const float *)tiles + from * STAGE, y, x);
        from = from + 1 < STAGES ? from + 1 : 0;
        to = to + 1 < STAGES ? to + 1 : 0;
    }
    if (p.split == 1 || combine(p, sum, tile, blockIdx.y))
        store<WORDS>(p, sum, row + y, col + x);
}

/* Blocks a tile: as many as still find room, each with at least 4 tiles of k. */
static int
choose_split(int tiles, int k, int room)
{
    int split = tiles > 0 ? room / tiles : 1, most = suite_div_up(k, 4 * BK);
    if (SPLIT)
        split = SPLIT;
    split = split < most ? split : most;
    return split < 1 ? 1 : split > MOST_SPLIT ? MOST_SPLIT : split;
}

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    static int room;
    static float *parts;
    static int *arrived;
    struct product p = {a, b, c, parts, arrived, m, k, n, suite_div_up(n, BN), suite_div_up(m, BM),
                        1, 0};
    (void)tile;
    int tiles = p.tiles_x * p.tiles_y;
    bool wide = k % 4 == 0 && n % 4 == 0;
    if (!room) {
        int device, each;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&room, cudaDevAttrMultiProcessorCount, device));
        CHECK(cudaFuncSetAttribute(product<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
        CHECK(cudaFuncSetAttribute(product<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, product<4>, THREADS, SHARED));
        room *= each;
    }
    p.split = choose_split(tiles, k, room);
    p.depth = suite_div_up(suite_div_up(k, p.split), BK) * BK;
    p.split = p.depth ? suite_div_up(k, p.depth) : 1;
    if (p.split > 1 && !parts) {
        p.parts = parts = suite_device<float>((size_t)p.split * tiles * BM * BN);
        p.arrived = arrived = suite_device<int>(tiles);
        CHECK(cudaMemset(arrived, 0, tiles * sizeof *arrived));
    }
    dim3 grid(tiles, p.split);
    if (wide)
        product<4><<<grid, THREADS, SHARED>>>(p);
    else
        product<1><<<grid, THREADS, SHARED>>>(p);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/pipelined", "product with copies in stages", 0, 0,
                                    launch};
    return suite_product_main(&p, argc, argv);
}
