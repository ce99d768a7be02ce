/* SPDX-License-Identifier: Apache-2.0
 *
 * hgemm.h: products of halves summed in floats, C(m x n) = A(m x k) B(k x n): the instructions of
 * wgmma (PTX ISA 9.7.15), where a warpgroup's results go, and the main program. README.md explains.
 *
 * -DBFLOAT: bfloat16 for half.
 */
#ifndef HGEMM_H
#define HGEMM_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../common/tensor.h"

#ifdef BFLOAT
typedef __nv_bfloat16 element;
#define HGEMM_TYPE "bf16"
#define HGEMM_MAP CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
#else
typedef __half element;
#define HGEMM_TYPE "f16"
#define HGEMM_MAP CU_TENSOR_MAP_DATA_TYPE_FLOAT16
#endif

enum {
    GROUP = 128,   /* threads of a warpgroup */
    DEPTH = 64,    /* of k in a tile: rows of A of 128 bytes, what a swizzle spans */
    STEP = 16,     /* of k that one wgmma multiplies */
    CHUNK = 64,    /* columns of B in a box: rows of 128 bytes, too */
    ATOM = 8 * 128 /* bytes of eight rows: the pattern of the swizzle repeats */
};

/* A walk over the stages of a ring of tiles, the same in all roles: the phase of a stage's barriers
 * is over every STAGES steps. */
struct walk {
    int stage, phase;
};

template <int STAGES>
static __device__ __forceinline__ void
walk_on(struct walk *w)
{
    if (++w->stage == STAGES) {
        w->stage = 0;
        w->phase ^= 1;
    }
}

/* -- wgmma ------------------------------------------------------------------------------------- */

/* A matrix in shared memory, swizzled by 128 bytes. leading: from 64 columns of B to the next 64
 * (A's rows are no longer than that: not used). stride: from eight rows to the next eight. */
static __device__ __forceinline__ uint64_t
matrix_descriptor(const void *at, int leading, int stride)
{
    uint64_t address = shared_address(at);
    return (address & 0x3ffff) >> 4 | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 62;
}

static __device__ __forceinline__ void
wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void
wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Until at most LEFT of the groups committed are not done. */
template <int LEFT>
static __device__ __forceinline__ void
wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* Names of 128 operands, "%0" to "%127", and the operands. */
#define TEN(t)                                                                                     \
    "%" t "0, %" t "1, %" t "2, %" t "3, %" t "4, %" t "5, %" t "6, %" t "7, %" t "8, %" t "9, "
#define SIXTY TEN("") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5")
#define NAMES_64 SIXTY "%60, %61, %62, %63"
#define NAMES_128                                                                                  \
    SIXTY TEN("6") TEN("7") TEN("8") TEN("9") TEN("10")                                            \
        TEN("11") "%120, %121, %122, %123, %124, %125, %126, %127"
#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
#define OPERANDS_64(i) SIXTEEN(i), SIXTEEN(i + 16), SIXTEEN(i + 32), SIXTEEN(i + 48)
#define OPERANDS_128(i) OPERANDS_64(i), OPERANDS_64(i + 64)

/* d += A B, 64 x n of them, n = 128 or 256; by all threads of a warpgroup. A lies along k, B along
 * n: rows of B in memory are rows here ("transposed", the last operand). p: add to d. */
#define WGMMA(n, names, a, b)                                                                      \
    "{\n.reg .pred p;\nsetp.eq.b32 p, 0, 0;\n"                                                     \
    "wgmma.mma_async.sync.aligned.m64n" n "k16.f32." HGEMM_TYPE "." HGEMM_TYPE " {" names "}, %" a \
    ", %" b ", p, 1, 1, 0, 1;\n}"

static __device__ __forceinline__ void
wgmma(float (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile(WGMMA("128", NAMES_64, "64", "65") : OPERANDS_64(0) : "l"(a), "l"(b));
}

static __device__ __forceinline__ void
wgmma(float (&d)[128], uint64_t a, uint64_t b)
{
    asm volatile(WGMMA("256", NAMES_128, "128", "129") : OPERANDS_128(0) : "l"(a), "l"(b));
}

/* -- tiles ------------------------------------------------------------------------------------- */

/* HIGH x DEPTH of A, and DEPTH x WIDE of B as boxes of CHUNK columns one behind the other. */
template <int HIGH, int WIDE> struct __align__(1024) tiles
{
    element a[HIGH][DEPTH], b[WIDE / CHUNK][DEPTH][CHUNK];
};

/* Both tiles at k = at, by one thread. */
template <int HIGH, int WIDE>
static __device__ __forceinline__ void
tiles_bring(tiles<HIGH, WIDE> *to, barrier *full, const CUtensorMap *a, const CUtensorMap *b,
            int row, int col, int at)
{
    barrier_expect(full, sizeof *to);
    tensor_load(to->a, a, at, row, full);
    for (int i = 0; i < WIDE / CHUNK; i++)
        tensor_load(to->b[i], b, col + i * CHUNK, at, full);
}

/* d += rows `first` to `first` + 63 of A's tile times B's: a group of wgmma is begun. */
template <int HIGH, int WIDE>
static __device__ __forceinline__ void
tiles_multiply(float (&d)[WIDE / 2], const tiles<HIGH, WIDE> *t, int first)
{
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < DEPTH; k += STEP)
        wgmma(d, matrix_descriptor(&t->a[first][k], 16, ATOM),
              matrix_descriptor(t->b[0][k], sizeof t->b[0], ATOM));
    wgmma_commit();
}

/* A warpgroup's 64 x 2 COUNT sums to C from row, col on: a warp has 16 rows, lane l the rows l / 4
 * and l / 4 + 8 and of every eight columns two, from 2 (l % 4) on. */
template <int COUNT>
static __device__ __forceinline__ void
tiles_put(const float (&d)[COUNT], float *c, int row, int col, int m, int n)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP / 32;
    int r = row + warp * 16 + lane / 4, q = col + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < COUNT; i += 2) {
        int to_row = r + i / 2 % 2 * 8, to_col = q + i / 4 * 8;
        float *to = c + (size_t)to_row * n + to_col;
        if (to_row < m && to_col + 1 < n && n % 2 == 0) {
            *(float2 *)to = make_float2(d[i], d[i + 1]);
        } else if (to_row < m) {
            if (to_col < n)
                to[0] = d[i];
            if (to_col + 1 < n)
                to[1] = d[i + 1];
        }
    }
}

#ifndef BAND
#define BAND 8 /* rows of tiles */
#endif

/* Tile t of a walk over tiles_y x tiles_x in bands of BAND rows: tiles that are multiplied at the
 * same time share rows and columns, which are then in L2. */
static __device__ __forceinline__ void
tiles_place(int t, int tiles_y, int tiles_x, int *y, int *x)
{
    int top = t / (BAND * tiles_x) * BAND, high = min(BAND, tiles_y - top);
    *y = top + t % (BAND * tiles_x) % high;
    *x = t % (BAND * tiles_x) / high;
}

/* -- the main program -------------------------------------------------------------------------- */

/* Rows of A and B begin at multiples of 16 bytes, as tensor maps want them: lda, ldb elements. */
struct hgemm {
    const element *a, *b;
    float *c;
    int m, k, n, lda, ldb;
};

static inline CUtensorMap
hgemm_map_a(const struct hgemm *p, int box_rows)
{
    return suite_map(HGEMM_MAP, p->a, p->m, p->k, sizeof(element) * p->lda, box_rows, DEPTH,
                     CU_TENSOR_MAP_SWIZZLE_128B);
}

static inline CUtensorMap
hgemm_map_b(const struct hgemm *p)
{
    return suite_map(HGEMM_MAP, p->b, p->k, p->n, sizeof(element) * p->ldb, DEPTH, CHUNK,
                     CU_TENSOR_MAP_SWIZZLE_128B);
}

/* Random numbers, `from` as the device gets them and rounded: `to`, rows of `pitch`. */
static inline void
hgemm_fill(float *from, element *to, int rows, int columns, int pitch, uint32_t seed)
{
    suite_fill(from, (size_t)rows * columns, seed);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            element e = (element)from[(size_t)y * columns + x];
            to[(size_t)y * pitch + x] = e;
            from[(size_t)y * columns + x] = (float)e;
        }
}

/* As suite_compare_product, at most 2^26 multiply-adds. The matrix unit aligns the products of a
 * step and cuts them off: a sum of k may be off by some 2^-23 of sum |a b| for each of k / 16
 * steps. */
static inline void
hgemm_compare(struct suite *s, const float *a, const float *b, const float *c, int m, int k, int n)
{
    double per_row = (double)k * n + 1;
    int rows = per_row * m <= 67108864.0 ? m : (int)(67108864.0 / per_row) + 2;
    double *sum = suite_host<double>(n), *size = suite_host<double>(n);
    rows = rows < m ? rows : m;
    for (int i = 0; s->verify && i < rows; i++) {
        int row = rows > 1 ? (int)((int64_t)i * (m - 1) / (rows - 1)) : 0;
        memset(sum, 0, n * sizeof *sum);
        memset(size, 0, n * sizeof *size);
        for (int l = 0; l < k; l++)
            for (int j = 0; j < n; j++) {
                double product = (double)a[(size_t)row * k + l] * b[(size_t)l * n + j];
                sum[j] += product;
                size[j] += fabs(product);
            }
        for (int j = 0; j < n; j++)
            suite_compare_one(s, "C", (size_t)row * n + j, c[(size_t)row * n + j], sum[j],
                              (2 + k / 16) / 8388608.0 * size[j]);
    }
    suite_free_host(sum, size);
}

/* For a kernel with more shared memory than a block has unasked. The multiprocessors: as many
 * blocks of it run at a time, one on each. */
template <typename K>
static int
hgemm_prepare(K *kernel, int shared)
{
    int device, sms;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    return sms;
}

static int
hgemm_main(const char *name, const char *title, void (*launch)(const struct hgemm *p), int argc,
           char **argv)
{
    struct suite s = suite_begin(name, title, 512, NULL, 0, argc, argv);
    int m = s.size[0], k = s.size[1], n = s.size[2], lda = (k + 7) / 8 * 8, ldb = (n + 7) / 8 * 8;
    size_t count_c = (size_t)m * n;
    float *from_a = suite_host<float>((size_t)m * k), *from_b = suite_host<float>((size_t)k * n);
    element *host_a = suite_host<element>((size_t)m * lda);
    element *host_b = suite_host<element>((size_t)k * ldb);
    float *host_c = suite_host<float>(count_c), *c = suite_device<float>(count_c);
    hgemm_fill(from_a, host_a, m, k, lda, 1);
    hgemm_fill(from_b, host_b, k, n, ldb, 2);
    element *a = suite_upload(host_a, (size_t)m * lda), *b = suite_upload(host_b, (size_t)k * ldb);
    struct hgemm p = {a, b, c, m, k, n, lda, ldb};
    if (count_c)
        SUITE_TIME(&s, launch(&p));
    suite_download(host_c, c, count_c);
    hgemm_compare(&s, from_a, from_b, host_c, m, k, n);
    double madds = s.median_ms > 0 ? (double)m * k * n / (1e-3 * s.median_ms) : 0;
    suite_figure(&s, "gflops", 2e-9 * madds);
    suite_figure(&s, "madds_per_second", madds);
    suite_free_device(a, b, c);
    suite_free_host(from_a, from_b, host_a, host_b, host_c);
    return suite_end(&s);
}

#endif
