/* SPDX-License-Identifier: Apache-2.0
 *
 * The benchmark's rows in C with OpenMP, three programs in one:
 *
 *     rows_c plain ...    as one writes them down, left to the compiler
 *     rows_c tuned ...    blocked, in vectors, with streaming stores; and the machine's limits
 *     rows_c blas ...     products by OpenBLAS (loaded when it is there)
 *
 * followed by rows.h's options. Rows of one kind do the same work here and have the same time.
 * Compile with -O3 -march=native -ffast-math -fopenmp -ldl.
 */
#define _GNU_SOURCE
#include "rows.h"

#include <dlfcn.h>
#include <omp.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { VL = 16, MR = 12 };
#else
enum { VL = 8, MR = 6 };
#endif
enum { NR = 2 * VL };
typedef float vec __attribute__((vector_size(VL * 4)));
typedef float loose __attribute__((vector_size(VL * 4), aligned(4))); /* anywhere in memory */
typedef int ivec __attribute__((vector_size(VL * 4)));

static inline vec
vec_load(const float *at)
{
    return *(const loose *)at;
}

/* A vector of the result that nobody reads soon: past the caches where the machine can. */
static inline void
vec_stream(float *at, vec v)
{
#if defined(__AVX512F__)
    _mm512_stream_ps(at, (__m512)v);
#elif defined(__AVX__)
    _mm256_stream_ps(at, (__m256)v);
#else
    *(vec *)at = v;
#endif
}

static inline size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* -- plain ------------------------------------------------------------------------------------- */

static void
plain_product(const float *a, const float *b, float *c, int n)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++)
            c[(size_t)y * n + x] = 0;
        for (int k = 0; k < n; k++)
            for (int x = 0; x < n; x++)
                c[(size_t)y * n + x] += a[(size_t)y * n + k] * b[(size_t)k * n + x];
    }
}

static void
plain_transpose(const float *in, float *out, int n)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            out[(size_t)y * n + x] = in[(size_t)x * n + y];
}

static void
plain_average(const float *in, float *out, float *spare, int n)
{
    for (int turn = 0; turn < ROW_TURNS; turn++) { /* an even number: the last writes out */
        const float *from = turn == 0 ? in : turn % 2 ? spare : out;
        float *to = turn % 2 ? out : spare;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            to[i] =
                i == 0 || i == n - 1 ? from[i] : (from[i - 1] + from[i] + from[i + 1]) * (1.0f / 3);
    }
}

static void
plain_conv1d(const float *in, float *out, const float *taps, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < ROW_TAPS; k++)
            if (i + k - ROW_TAPS / 2 >= 0 && i + k - ROW_TAPS / 2 < n)
                sum += taps[k] * in[i + k - ROW_TAPS / 2];
        out[i] = sum;
    }
}

static void
plain_conv2d(const float *in, float *out, const float *taps, int n)
{
#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int j = 0; j < ROW_BOX; j++)
                for (int i = 0; i < ROW_BOX; i++) {
                    int u = x + i - ROW_BOX / 2, v = y + j - ROW_BOX / 2;
                    if (u >= 0 && u < n && v >= 0 && v < n)
                        sum += taps[j * ROW_BOX + i] * in[(size_t)v * n + u];
                }
            out[(size_t)y * n + x] = sum;
        }
}

static void
plain_sparse(const struct row_data *d)
{
#pragma omp parallel for
    for (int r = 0; r < d->n; r++) {
        float sum = 0;
        for (int k = d->start[r]; k < d->start[r + 1]; k++)
            sum += d->b[k] * d->a[d->column[k]];
        d->c[r] = sum;
    }
}

static float
plain_sum(const float *in, int n)
{
    float sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += in[i];
    return sum;
}

static void
plain_histogram(const unsigned char *in, unsigned *bins, int n)
{
    memset(bins, 0, ROW_BINS * sizeof *bins);
#pragma omp parallel for reduction(+ : bins[:ROW_BINS])
    for (int i = 0; i < n; i++)
        bins[in[i]]++;
}

static void
plain_sum3(const float *in, float *out, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        out[i] = i == 0 || i == n - 1 ? in[i] : in[i - 1] + in[i] + in[i + 1];
}

static void
plain_difference(const float *in, float *out, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        out[i] = i + 1 < n ? in[i + 1] - in[i] : 0;
}

static void
run_plain(const struct row *row, struct row_data *d, float *spare)
{
    switch (row->kind) {
    case ROW_PRODUCT: plain_product(d->a, d->b, d->c, d->n); break;
    case ROW_TRANSPOSE: plain_transpose(d->a, d->c, d->n); break;
    case ROW_AVERAGE: plain_average(d->a, d->c, spare, d->n); break;
    case ROW_CONV1D: plain_conv1d(d->a, d->c, d->taps, d->n); break;
    case ROW_CONV2D: plain_conv2d(d->a, d->c, d->taps, d->n); break;
    case ROW_SPMV: plain_sparse(d); break;
    case ROW_REDUCE: d->c[0] = plain_sum(d->a, d->n); break;
    case ROW_HISTOGRAM: plain_histogram(d->bytes, d->bins, d->n); break;
    case ROW_SUM3: plain_sum3(d->a, d->c, d->n); break;
    case ROW_DIFFERENCE: plain_difference(d->a, d->c, d->n); break;
    default: break;
    }
}

/* -- tuned: products --------------------------------------------------------------------------- */

enum { KC = 256, MC = 8 * MR }; /* depth of a panel, rows of A a thread holds in its cache */

/* MR x NR elements of C in registers, over `depth` columns of a packed panel of A and rows of B. */
static void
product_kernel(int depth, const float *a, const float *b, float *out)
{
    vec sum[MR][2];
    for (int i = 0; i < MR; i++)
        sum[i][0] = sum[i][1] = (vec){0};
    for (int k = 0; k < depth; k++) {
        vec left = *(const vec *)(b + k * NR), right = *(const vec *)(b + k * NR + VL);
#pragma GCC unroll 16
        for (int i = 0; i < MR; i++) {
            sum[i][0] += a[k * MR + i] * left;
            sum[i][1] += a[k * MR + i] * right;
        }
    }
    for (int i = 0; i < MR; i++) {
        *(vec *)(out + i * NR) = sum[i][0];
        *(vec *)(out + i * NR + VL) = sum[i][1];
    }
}

/* Strips of NR columns of B, one after the other, padded with zeros. */
static void
pack_b(const float *b, float *to, int n, int k0, int depth)
{
#pragma omp for
    for (int x = 0; x < n; x += NR)
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < NR; j++)
                to[(size_t)(x / NR) * KC * NR + k * NR + j] =
                    x + j < n ? b[(size_t)(k0 + k) * n + x + j] : 0;
}

static void
pack_a(const float *a, float *to, int n, int y0, int k0, int depth)
{
    for (int y = 0; y < MC; y += MR)
        for (int i = 0; i < MR; i++)
            for (int k = 0; k < depth; k++)
                to[y * KC + k * MR + i] = y0 + y + i < n ? a[(size_t)(y0 + y + i) * n + k0 + k] : 0;
}

static void
add_tile(float *c, const float *tile, int n, int y, int x, bool first)
{
    for (int i = 0; i < MR && y + i < n; i++)
        for (int j = 0; j < (int)smaller(NR, (size_t)(n - x)); j++) {
            float *at = &c[(size_t)(y + i) * n + x + j];
            *at = (first ? 0 : *at) + tile[i * NR + j];
        }
}

static void
tuned_product(const float *a, const float *b, float *c, int n)
{
    float *panel = row_memory((size_t)((n + NR - 1) / NR) * NR * KC * 4);
#pragma omp parallel
    {
        float *strip = row_memory(MC * KC * 4), tile[MR * NR] __attribute__((aligned(64)));
        for (int k0 = 0; k0 < n; k0 += KC) {
            int depth = (int)smaller(KC, (size_t)(n - k0));
            pack_b(b, panel, n, k0, depth);
#pragma omp for
            for (int y0 = 0; y0 < n; y0 += MC) {
                pack_a(a, strip, n, y0, k0, depth);
                for (int x = 0; x < n; x += NR)
                    for (int y = 0; y < MC && y0 + y < n; y += MR) {
                        product_kernel(depth, strip + y * KC, panel + (size_t)x * KC, tile);
                        add_tile(c, tile, n, y0 + y, x, k0 == 0);
                    }
            }
        }
        free(strip);
    }
    free(panel);
}

/* -- tuned: streams ---------------------------------------------------------------------------- */

/* A square of VL x VL elements in registers: halves change places, then quarters, ... */
static inline __attribute__((always_inline)) void
transpose_step(vec r[VL], int step)
{
    ivec low, high;
#pragma GCC unroll 16
    for (int l = 0; l < VL; l++) {
        low[l] = l & step ? VL + l - step : l;
        high[l] = l & step ? VL + l : l + step;
    }
#pragma GCC unroll 16
    for (int i = 0; i < VL; i++)
        if (!(i & step)) {
            vec first = __builtin_shuffle(r[i], r[i + step], low);
            r[i + step] = __builtin_shuffle(r[i], r[i + step], high);
            r[i] = first;
        }
}

static void
transpose_at(const float *in, float *out, int n, int x, int y)
{
    vec r[VL];
#pragma GCC unroll 16
    for (int i = 0; i < VL; i++)
        r[i] = vec_load(in + (size_t)(x + i) * n + y);
#pragma GCC unroll 4
    for (int step = 1; step < VL; step *= 2)
        transpose_step(r, step);
#pragma GCC unroll 16
    for (int i = 0; i < VL; i++)
        vec_stream(out + (size_t)(y + i) * n + x, r[i]);
}

/* In blocks whose rows' pages stay in the TLB. */
static void
tuned_transpose(const float *in, float *out, int n)
{
    enum { SIDE = 128 };
    int whole = n % VL ? 0 : n; /* streaming stores need aligned rows */
#pragma omp parallel for collapse(2)
    for (int y0 = 0; y0 < whole; y0 += SIDE)
        for (int x0 = 0; x0 < whole; x0 += SIDE)
            for (int y = y0; y < y0 + SIDE && y < whole; y += VL)
                for (int x = x0; x < x0 + SIDE && x < whole; x += VL)
                    transpose_at(in, out, n, x, y);
    if (!whole)
        plain_transpose(in, out, n);
}

/* All turns for a piece that fits the cache; each piece begins with its neighbours' elements. */
static void
tuned_average(const float *in, float *out, int n)
{
    enum { PIECE = 4096, ROOM = PIECE + 2 * ROW_TURNS };
#pragma omp parallel for
    for (int first = 0; first < n; first += PIECE) {
        float s[2][ROOM] __attribute__((aligned(64)));
        int from = first - ROW_TURNS < 0 ? 0 : first - ROW_TURNS;
        int to = (int)smaller((size_t)first + PIECE + ROW_TURNS, (size_t)n), count = to - from;
        memcpy(s[0], in + from, (size_t)count * 4);
        for (int turn = 0; turn < ROW_TURNS; turn++) {
            const float *before = s[turn % 2];
            float *after = s[1 - turn % 2];
            after[0] = before[0];
            after[count - 1] = before[count - 1];
#pragma omp simd
            for (int i = 1; i < count - 1; i++)
                after[i] = (before[i - 1] + before[i] + before[i + 1]) * (1.0f / 3);
        }
        memcpy(out + first, s[ROW_TURNS % 2] + (first - from),
               smaller(PIECE, (size_t)(n - first)) * 4);
    }
}

/* The elements of an aligned inner part, VL at a time by STEP, the rest by the plain formula. */
#define STREAM(out, n, margin, EDGE, STEP)                                                         \
    {                                                                                              \
        int end = (n - margin) / VL * VL;                                                          \
        _Pragma("omp parallel for") for (int i = VL; i < end; i += VL) vec_stream(out + i, STEP);  \
        for (int i = 0; i < n; i += i == VL - 1 && end > VL ? end - VL + 1 : 1)                    \
            out[i] = EDGE;                                                                         \
    }

static float
conv1d_at(const float *in, const float *taps, int n, int i)
{
    float sum = 0;
    for (int k = 0; k < ROW_TAPS; k++)
        if (i + k - ROW_TAPS / 2 >= 0 && i + k - ROW_TAPS / 2 < n)
            sum += taps[k] * in[i + k - ROW_TAPS / 2];
    return sum;
}

static inline vec
conv1d_vector(const float *in, const float *taps)
{
    vec sum = {0};
#pragma GCC unroll 9
    for (int k = 0; k < ROW_TAPS; k++)
        sum += taps[k] * vec_load(in + k - ROW_TAPS / 2);
    return sum;
}

static void
tuned_conv1d(const float *in, float *out, const float *given, int n)
{
    float taps[ROW_TAPS];
    memcpy(taps, given, sizeof taps);
    STREAM(out, n, ROW_TAPS, conv1d_at(in, taps, n, i), conv1d_vector(in + i, taps))
}

static void
tuned_sum3(const float *in, float *out, int n)
{
    STREAM(out, n, VL, i == 0 || i == n - 1 ? in[i] : in[i - 1] + in[i] + in[i + 1],
           vec_load(in + i - 1) + vec_load(in + i) + vec_load(in + i + 1))
}

static void
tuned_difference(const float *in, float *out, int n)
{
    STREAM(out, n, VL, i + 1 < n ? in[i + 1] - in[i] : 0, vec_load(in + i + 1) - vec_load(in + i))
}

static void
tuned_conv2d(const float *in, float *out, const float *given, int n)
{
    float taps[ROW_BOX * ROW_BOX];
    memcpy(taps, given, sizeof taps);
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        bool inner = y >= 2 && y < n - 2;
        int end = inner ? 2 + (n - 4) / VL * VL : 2;
        for (int x = 2; x < end; x += VL) {
            vec sum = {0};
            const float *at = in + (size_t)(y - 2) * n + x - 2;
#pragma GCC unroll 5
            for (int j = 0; j < ROW_BOX; j++)
#pragma GCC unroll 5
                for (int i = 0; i < ROW_BOX; i++)
                    sum += taps[j * ROW_BOX + i] * vec_load(at + (size_t)j * n + i);
            *(loose *)(out + (size_t)y * n + x) = sum;
        }
        for (int x = 0; x < n; x = x == 1 ? end : x + 1) {
            float sum = 0;
            for (int j = 0; j < ROW_BOX; j++)
                for (int i = 0; i < ROW_BOX; i++) {
                    int u = x + i - 2, v = y + j - 2;
                    if (u >= 0 && u < n && v >= 0 && v < n)
                        sum += taps[j * ROW_BOX + i] * in[(size_t)v * n + u];
                }
            out[(size_t)y * n + x] = sum;
        }
    }
}

/* -- tuned: the rest --------------------------------------------------------------------------- */

static void
tuned_sparse(const struct row_data *d)
{
    const int *restrict column = d->column, *restrict start = d->start;
    const float *restrict value = d->b, *restrict x = d->a;
    float *restrict y = d->c;
#pragma omp parallel for schedule(static)
    for (int r = 0; r < d->n; r++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int k = start[r]; k < start[r + 1]; k++)
            sum += value[k] * x[column[k]];
        y[r] = sum;
    }
}

static float
tuned_sum(const float *in, int n)
{
    float sum = 0;
    int whole = n / (8 * VL) * 8 * VL;
#pragma omp parallel reduction(+ : sum)
    {
        vec part[8] = {{0}}, all = {0};
#pragma omp for nowait
        for (int i = 0; i < whole; i += 8 * VL)
#pragma GCC unroll 8
            for (int k = 0; k < 8; k++)
                part[k] += *(const vec *)(in + i + k * VL);
        for (int k = 0; k < 8; k++)
            all += part[k];
        for (int l = 0; l < VL; l++)
            sum += all[l];
    }
    for (int i = whole; i < n; i++)
        sum += in[i];
    return sum;
}

/* Four tables a thread, so that equal neighbours do not wait for each other; eight bytes a load. */
static void
tuned_histogram(const unsigned char *in, unsigned *bins, int n)
{
    enum { TABLES = 4 };
    memset(bins, 0, ROW_BINS * sizeof *bins);
#pragma omp parallel
    {
        unsigned own[TABLES][ROW_BINS] = {{0}};
#pragma omp for nowait
        for (int i = 0; i < n / 8; i++) {
            uint64_t eight;
            memcpy(&eight, in + 8 * (size_t)i, 8);
#pragma GCC unroll 8
            for (int k = 0; k < 8; k++)
                own[k % TABLES][eight >> 8 * k & 255]++;
        }
#pragma omp critical
        for (int b = 0; b < ROW_BINS; b++)
            for (int t = 0; t < TABLES; t++)
                bins[b] += own[t][b];
    }
    for (int i = n / 8 * 8; i < n; i++)
        bins[in[i]]++;
}

/* -- limits ------------------------------------------------------------------------------------ */

static void
limit_copy(const float *in, float *out, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i += VL)
        vec_stream(out + i, *(const vec *)(in + i));
}

/* n^2 / 4 rounds of 12 independent sums: n^2 x 6 x VL operations a thread. */
static void
limit_fma(float *out, int n)
{
#pragma omp parallel
    {
        vec sum[12];
#pragma GCC unroll 12
        for (int i = 0; i < 12; i++)
            sum[i] = (vec){0} + (float)i;
        vec by = (vec){0} + 0.999f, more = (vec){0} + 0.001f;
        for (int k = 0; k < n * n / 4; k++) {
#pragma GCC unroll 12
            for (int i = 0; i < 12; i++) {
                sum[i] = sum[i] * by + more;
                __asm__ volatile("" : "+v"(sum[i])); /* each round is done */
            }
        }
        vec all = {0};
#pragma GCC unroll 12
        for (int i = 0; i < 12; i++)
            all += sum[i];
#pragma omp critical
        for (int l = 0; l < VL; l++)
            out[l] += all[l];
    }
}

static void
run_tuned(const struct row *row, struct row_data *d)
{
    switch (row->kind) {
    case ROW_PRODUCT: tuned_product(d->a, d->b, d->c, d->n); break;
    case ROW_TRANSPOSE: tuned_transpose(d->a, d->c, d->n); break;
    case ROW_AVERAGE: tuned_average(d->a, d->c, d->n); break;
    case ROW_CONV1D: tuned_conv1d(d->a, d->c, d->taps, d->n); break;
    case ROW_CONV2D: tuned_conv2d(d->a, d->c, d->taps, d->n); break;
    case ROW_SPMV: tuned_sparse(d); break;
    case ROW_REDUCE: d->c[0] = tuned_sum(d->a, d->n); break;
    case ROW_HISTOGRAM: tuned_histogram(d->bytes, d->bins, d->n); break;
    case ROW_SUM3: tuned_sum3(d->a, d->c, d->n); break;
    case ROW_DIFFERENCE: tuned_difference(d->a, d->c, d->n); break;
    case ROW_COPY: limit_copy(d->a, d->c, d->n); break;
    case ROW_FMA: limit_fma(d->c, d->n); break;
    default: break;
    }
}

/* -- the program ------------------------------------------------------------------------------- */

enum variant { PLAIN, TUNED, BLAS };
typedef void (*sgemm_fn)(int, int, int, int, int, int, float, const float *, int, const float *,
                         int, float, float *, int); /* cblas_sgemm; its enumerations are ints */
static enum variant variant;
static sgemm_fn sgemm;
static float *spare;

static bool
prepare(const struct row *row, struct row_data *d)
{
    bool limit = row->kind == ROW_COPY || row->kind == ROW_FMA;
    if (row->kind == ROW_EMPTY || row->kind == ROW_BARRIER || (variant == PLAIN && limit))
        return false;
    if (variant == BLAS && (row->kind != ROW_PRODUCT || !sgemm))
        return false;
    spare = row_memory(variant == PLAIN && row->kind == ROW_AVERAGE ? (size_t)d->n * 4 : 0);
    return true;
}

static void
run(const struct row *row, struct row_data *d)
{
    enum { ROW_MAJOR = 101, AS_IT_IS = 111 };
    if (variant == PLAIN)
        run_plain(row, d, spare);
    else if (variant == TUNED)
        run_tuned(row, d);
    else
        sgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, d->n, d->n, d->n, 1, d->a, d->n, d->b, d->n, 0, d->c,
              d->n);
}

static void
fetch(const struct row *row, struct row_data *d)
{
    (void)row, (void)d;
}

static void
release(struct row_data *d)
{
    (void)d;
    free(spare);
}

int
main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    variant = !strcmp(name, "tuned") ? TUNED : !strcmp(name, "blas") ? BLAS : PLAIN;
    if (strcmp(name, "plain") && variant == PLAIN) {
        fprintf(stderr, "usage: %s plain|tuned|blas ...\n", argv[0]);
        return 2;
    }
    void *library = variant == BLAS ? dlopen("libopenblas.so.0", RTLD_NOW) : NULL;
    if (variant == BLAS && library)
        sgemm = (sgemm_fn)dlsym(library, "cblas_sgemm");
    if (variant == BLAS && !sgemm) {
        fprintf(stderr, "OpenBLAS (libopenblas.so.0) is not here\n");
        return 3;
    }
    const struct row_program program = {prepare, run, fetch, release};
    return row_main(&program, argc - 1, argv + 1);
}
