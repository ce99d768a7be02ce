/* SPDX-License-Identifier: Apache-2.0
 *
 * What the benchmark's programs share: the rows and their sizes, the data, the reference that every
 * program's results are held against, and the main program. rows.cu runs the rows as CUDA kernels,
 * rows_opencl.c as OpenCL kernels, rows_c.c as C with OpenMP; run.py lays their times side by side.
 *
 *     PROGRAM [--row NAME] [--repeat R] [--scale S]     a line of text a row
 *     PROGRAM --serve                                    commands on stdin, answers begin with "@":
 *         prepare ROW SCALE  ->  @ ready FIRST_MS right|wrong    (or: @ absent)
 *         run                ->  @ ran MS CPU_MS                 (one launch's share of a run)
 *         release            ->  @ released
 *
 * A scale of S divides a row's work by S. Valid C and C++.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    ROW_TAPS = 9,
    ROW_BOX = 5,
    ROW_BLOCK = 256,
    ROW_TURNS = 50,
    ROW_BINS = 256,
    ROW_PER_ROW = 16
};
enum { ROW_BARRIERS = 1000, ROW_BARRIER_BLOCKS = 64 };

enum row_kind {
    ROW_PRODUCT,
    ROW_TRANSPOSE,
    ROW_AVERAGE,
    ROW_CONV1D,
    ROW_SPMV,
    ROW_REDUCE,
    ROW_HISTOGRAM,
    ROW_CONV2D,
    ROW_SUM3,
    ROW_DIFFERENCE,
    ROW_EMPTY,
    ROW_BARRIER,
    ROW_COPY,
    ROW_FMA,
};

/* ROW(name, kind, launches): the workloads; the time is a run's, divided by launches. */
#define ROWS(ROW)                                                                                  \
    ROW(sgemm_naive, ROW_PRODUCT, 1)                                                               \
    ROW(sgemm_tiled16, ROW_PRODUCT, 1)                                                             \
    ROW(sgemm_tiled32, ROW_PRODUCT, 1)                                                             \
    ROW(sgemm_reg4, ROW_PRODUCT, 1)                                                                \
    ROW(sgemm_reg4s, ROW_PRODUCT, 1)                                                               \
    ROW(sgemm_reg8, ROW_PRODUCT, 1)                                                                \
    ROW(transpose_naive, ROW_TRANSPOSE, 1)                                                         \
    ROW(transpose_tiled32, ROW_TRANSPOSE, 1)                                                       \
    ROW(transpose_pad33, ROW_TRANSPOSE, 1)                                                         \
    ROW(transpose_pad33x8, ROW_TRANSPOSE, 1)                                                       \
    ROW(avg_global, ROW_AVERAGE, 1)                                                                \
    ROW(avg_temporal, ROW_AVERAGE, 1)                                                              \
    ROW(conv1d_basic, ROW_CONV1D, 1)                                                               \
    ROW(conv1d_tiled, ROW_CONV1D, 1)                                                               \
    ROW(spmv_csr, ROW_SPMV, 1)                                                                     \
    ROW(reduce_tree, ROW_REDUCE, 1)                                                                \
    ROW(reduce_treemod, ROW_REDUCE, 1)                                                             \
    ROW(reduce_gridstride, ROW_REDUCE, 1)                                                          \
    ROW(reduce_atomic, ROW_REDUCE, 1)                                                              \
    ROW(hist_local, ROW_HISTOGRAM, 1)                                                              \
    ROW(hist_global, ROW_HISTOGRAM, 1)                                                             \
    ROW(conv2d_basic, ROW_CONV2D, 1)                                                               \
    ROW(conv2d_tile20, ROW_CONV2D, 1)                                                              \
    ROW(conv2d_tile16, ROW_CONV2D, 1)                                                              \
    ROW(sum3_direct, ROW_SUM3, 1)                                                                  \
    ROW(sum3_local, ROW_SUM3, 1)                                                                   \
    ROW(fd_direct, ROW_DIFFERENCE, 1)                                                              \
    ROW(fd_local, ROW_DIFFERENCE, 1)

/* What things cost: launches that do nothing, waited for each or together, by number of blocks;
 * blocks of 256 threads that pass a word round, with and without ROW_BARRIERS barriers. */
#define ROWS_COSTS(ROW)                                                                            \
    ROW(empty_waited, ROW_EMPTY, 200)                                                              \
    ROW(empty_queued, ROW_EMPTY, 200)                                                              \
    ROW(empty_blocks, ROW_EMPTY, 10)                                                               \
    ROW(barriers_none, ROW_BARRIER, 1)                                                             \
    ROW(barriers_many, ROW_BARRIER, 1)
enum { ROW_MANY_BLOCKS = 10000 };

/* What the machine can do. Only in C. */
#define ROWS_LIMITS(ROW)                                                                           \
    ROW(copy64, ROW_COPY, 1)                                                                       \
    ROW(copy256, ROW_COPY, 1)                                                                      \
    ROW(fma, ROW_FMA, 1)

#define ROWS_ALL(ROW) ROWS(ROW) ROWS_COSTS(ROW) ROWS_LIMITS(ROW)
enum row_id {
#define ROW_ID(name, kind, launches) ROW_##name,
    ROWS_ALL(ROW_ID)
#undef ROW_ID
        ROW_COUNT
};

static const struct row {
    const char *name;
    enum row_kind kind;
    int launches;
} row_table[] = {
#define ROW_ENTRY(name, kind, launches) {#name, kind, launches},
    ROWS_ALL(ROW_ENTRY)
#undef ROW_ENTRY
};

/* A row's input and the room for its result, on the host. */
struct row_data {
    int n;                   /* elements, or the side of a square */
    size_t count;            /* elements of a, n or n * n; */
    size_t count_b, count_c; /*   of b (products, sparse), of the result */
    float *a, *b, *c;
    int *start, *column;  /* sparse */
    unsigned char *bytes; /* histogram, n of them */
    unsigned bins[ROW_BINS];
    float taps[ROW_BOX * ROW_BOX]; /* of both convolutions */
};

/* A program: what it does with a row. run waits for the end. fetch brings the result into d->c or
 * d->bins. */
struct row_program {
    bool (*prepare)(const struct row *row, struct row_data *d); /* false: it has no such row */
    void (*run)(const struct row *row, struct row_data *d);
    void (*fetch)(const struct row *row, struct row_data *d);
    void (*release)(struct row_data *d);
};

static inline double
row_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- data -------------------------------------------------------------------------------------- */

static inline uint32_t
row_random(uint64_t i, uint32_t seed)
{
    uint64_t x = i * 0x9e3779b97f4a7c15ull + seed;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    return (uint32_t)(x >> 32);
}

static inline void
row_fill(float *at, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        at[i] = (float)(int32_t)row_random(i, seed) * (1.0f / 2147483648.0f);
}

/* On large pages, as lockstep's device memory is: for all programs alike. */
static inline void *
row_memory(size_t bytes)
{
    const size_t page = 2 << 20;
    void *at = aligned_alloc(page, (bytes + page) / page * page);
    if (!at) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(1);
    }
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

/* Elements at scale 1, and by which power of n the work grows. */
static inline int
row_size(enum row_kind kind, int scale)
{
    enum { MI = 1 << 20 };
    static const struct {
        int n, power;
    } sizes[] = {{1024, 3},    {4096, 2},    {16 * MI, 1}, {16 * MI, 1},
                 {MI, 1},      {64 * MI, 1}, {64 * MI, 1}, {2048, 2},
                 {64 * MI, 1}, {64 * MI, 1}, {1, 0},       {ROW_BARRIER_BLOCKS * ROW_BLOCK, 0},
                 {16 * MI, 0}, {4096, 0}};
    double by = sizes[kind].power ? pow(scale, -1.0 / sizes[kind].power) : 1;
    int n = (int)(sizes[kind].n * by);
    return n < 64 && sizes[kind].power ? 64 : n;
}

static inline void
row_make(struct row_data *d, const struct row *row, int scale)
{
    enum row_kind kind = row->kind;
    memset(d, 0, sizeof *d);
    d->n = row_size(kind, scale) * (row - row_table == ROW_copy256 ? 4 : 1);
    bool square = kind == ROW_PRODUCT || kind == ROW_TRANSPOSE || kind == ROW_CONV2D;
    d->count = square ? (size_t)d->n * d->n : (size_t)d->n;
    d->count_b = kind == ROW_PRODUCT ? d->count : kind == ROW_SPMV ? d->count * ROW_PER_ROW : 0;
    d->count_c = kind == ROW_REDUCE ? (d->count + ROW_BLOCK - 1) / ROW_BLOCK : d->count;
    row_fill(d->taps, ROW_BOX * ROW_BOX, 3);
    if (kind == ROW_HISTOGRAM) {
        d->count = d->count_c = 0;
        d->bytes = (unsigned char *)row_memory((size_t)d->n);
        for (int i = 0; i < d->n; i++)
            d->bytes[i] = (unsigned char)(row_random((uint64_t)i, 4) >> 8);
    }
    d->a = (float *)row_memory(d->count * 4);
    d->b = (float *)row_memory(d->count_b * 4);
    d->c = (float *)row_memory(d->count_c * 4);
    row_fill(d->a, d->count, 1);
    row_fill(d->b, d->count_b, 2);
    memset(d->c, 0, d->count_c * 4);
    if (kind == ROW_SPMV) {
        d->start = (int *)row_memory((d->count + 1) * 4);
        d->column = (int *)row_memory(d->count_b * 4);
        for (int r = 0; r <= d->n; r++)
            d->start[r] = ROW_PER_ROW * r;
        for (size_t k = 0; k < d->count_b; k++)
            d->column[k] = (int)(row_random(k, 5) % (uint32_t)d->n);
    }
}

static inline void
row_unmake(struct row_data *d)
{
    free(d->a);
    free(d->b);
    free(d->c);
    free(d->start);
    free(d->column);
    free(d->bytes);
}

/* -- the reference ----------------------------------------------------------------------------- */

/* Element i after ROW_TURNS averages of three: 2 ROW_TURNS + 1 values decide. */
static inline double
row_averaged(const struct row_data *d, size_t i)
{
    double v[2 * ROW_TURNS + 1];
    for (int k = 0; k <= 2 * ROW_TURNS; k++) {
        long g = (long)i + k - ROW_TURNS;
        v[k] = g >= 0 && g < d->n ? (double)d->a[g] : 0;
    }
    for (int s = 0; s < ROW_TURNS; s++) {
        double before = v[s];
        for (int k = s + 1; k < 2 * ROW_TURNS - s; k++) {
            long g = (long)i + k - ROW_TURNS;
            double here = v[k];
            if (g > 0 && g < d->n - 1)
                v[k] = (before + here + v[k + 1]) / 3;
            before = here;
        }
    }
    return v[ROW_TURNS];
}

/* Element i of the right result, for kinds whose elements can be computed one by one. */
static inline double
row_expected(const struct row_data *d, enum row_kind kind, size_t i)
{
    const float *a = d->a, *b = d->b;
    size_t n = (size_t)d->n, x = i % n, y = i / n;
    double sum = 0;
    switch (kind) {
    case ROW_PRODUCT:
        for (size_t k = 0; k < n; k++)
            sum += (double)a[y * n + k] * (double)b[k * n + x];
        return sum;
    case ROW_TRANSPOSE: return (double)a[x * n + y];
    case ROW_AVERAGE: return row_averaged(d, i);
    case ROW_CONV1D:
        for (int k = 0; k < ROW_TAPS; k++) {
            long at = (long)i + k - ROW_TAPS / 2;
            sum += at >= 0 && at < (long)n ? (double)d->taps[k] * (double)a[at] : 0;
        }
        return sum;
    case ROW_CONV2D:
        for (int k = 0; k < ROW_BOX * ROW_BOX; k++) {
            long u = (long)x + k % ROW_BOX - ROW_BOX / 2, v = (long)y + k / ROW_BOX - ROW_BOX / 2;
            bool inside = u >= 0 && u < (long)n && v >= 0 && v < (long)n;
            sum += inside ? (double)d->taps[k] * (double)a[v * (long)n + u] : 0;
        }
        return sum;
    case ROW_SPMV:
        for (int k = d->start[i]; k < d->start[i + 1]; k++)
            sum += (double)b[k] * (double)a[d->column[k]];
        return sum;
    case ROW_SUM3:
        return i == 0 || i == n - 1 ? (double)a[i]
                                    : (double)a[i - 1] + (double)a[i] + (double)a[i + 1];
    case ROW_DIFFERENCE: return i + 1 < n ? (double)a[i + 1] - (double)a[i] : 0;
    default: return (double)a[i];
    }
}

/* All partial sums together against the sum of all, in double. */
static inline bool
row_right_sum(const struct row_data *d)
{
    double sum = 0, want = 0, size = 0;
    for (size_t i = 0; i < d->count_c; i++)
        sum += (double)d->c[i];
    for (size_t i = 0; i < d->count; i++) {
        want += (double)d->a[i];
        size += fabs((double)d->a[i]);
    }
    return fabs(sum - want) <= 1e-6 * size;
}

static inline bool
row_right(const struct row *row, const struct row_data *d)
{
    enum row_kind kind = row->kind;
    if (kind == ROW_HISTOGRAM) {
        unsigned want[ROW_BINS] = {0};
        for (int i = 0; i < d->n; i++)
            want[d->bytes[i]]++;
        return memcmp(d->bins, want, sizeof want) == 0;
    }
    if (kind == ROW_EMPTY || kind == ROW_FMA)
        return true;
    if (kind == ROW_REDUCE)
        return row_right_sum(d);
    for (size_t k = 0; k < 2000; k++) {
        size_t i = k < 100   ? k
                   : k < 200 ? d->count_c - 1 - (k - 100)
                             : k * 2654435761u % d->count_c;
        size_t from = i; /* a barrier row has passed each word half a round of barriers on */
        if (row - row_table == ROW_barriers_many)
            from = i - i % ROW_BLOCK + (i + ROW_BARRIERS / 2) % ROW_BLOCK;
        double e = row_expected(d, kind, from);
        if (!(fabs((double)d->c[i] - e) <= 1e-3 * (1 + fabs(e)))) {
            fprintf(stderr, "%s: element %zu is %g instead of %g\n", row->name, i, (double)d->c[i],
                    e);
            return false;
        }
    }
    return true;
}

/* -- the main program -------------------------------------------------------------------------- */

static inline const struct row *
row_named(const char *name)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (!strcmp(row_table[i].name, name))
            return &row_table[i];
    return NULL;
}

/* One run: milliseconds, and milliseconds of processor time, of one launch. */
static inline void
row_time(const struct row_program *p, const struct row *row, struct row_data *d, double ms[2])
{
    double wall = row_seconds(CLOCK_MONOTONIC), cpu = row_seconds(CLOCK_PROCESS_CPUTIME_ID);
    p->run(row, d);
    ms[0] = 1e3 * (row_seconds(CLOCK_MONOTONIC) - wall) / row->launches;
    ms[1] = 1e3 * (row_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / row->launches;
}

/* Runs it once and looks at the result; the data that only the reference needs goes. */
static inline bool
row_begin(const struct row_program *p, const struct row *row, struct row_data *d, int scale,
          double *first, bool *fine)
{
    double ms[2];
    row_make(d, row, scale);
    if (!p->prepare(row, d)) {
        row_unmake(d);
        return false;
    }
    row_time(p, row, d, ms);
    *first = ms[0] * row->launches;
    p->fetch(row, d);
    *fine = row_right(row, d);
    return true;
}

static inline int
row_serve(const struct row_program *p)
{
    char line[256], name[100];
    struct row_data d;
    const struct row *row = NULL;
    int scale;
    double ms[2];
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "prepare %99s %d", name, &scale) == 2) {
            bool fine = false;
            row = row_named(name);
            if (row && row_begin(p, row, &d, scale, ms, &fine)) {
                printf("@ ready %.4f %s\n", ms[0], fine ? "right" : "wrong");
            } else {
                row = NULL;
                printf("@ absent\n");
            }
        } else if (!strncmp(line, "run", 3) && row) {
            row_time(p, row, &d, ms);
            printf("@ ran %.6f %.6f\n", ms[0], ms[1]);
        } else if (!strncmp(line, "release", 7) && row) {
            p->release(&d);
            row_unmake(&d);
            row = NULL;
            printf("@ released\n");
        } else {
            printf("@ unknown\n");
        }
        fflush(stdout);
    }
    return 0;
}

static inline bool
row_report(const struct row_program *p, const struct row *row, int scale, int repeat)
{
    struct row_data d;
    bool fine = false;
    double first, ms[2], best[2] = {1e30, 1e30};
    if (!row_begin(p, row, &d, scale, &first, &fine))
        return true;
    for (int k = 0; k < repeat; k++) {
        row_time(p, row, &d, ms);
        for (int j = 0; j < 2; j++)
            best[j] = ms[j] < best[j] ? ms[j] : best[j];
    }
    printf("%-18s %10.4f ms %10.4f ms of processor time, first %8.1f ms  %s\n", row->name, best[0],
           best[1], first, fine ? "verified" : "WRONG");
    fflush(stdout);
    p->release(&d);
    row_unmake(&d);
    return fine;
}

/* Options that are not its own it leaves to the program: those have been taken out of argv. */
static inline int
row_main(const struct row_program *p, int argc, char **argv)
{
    const char *only = NULL;
    int repeat = 5, scale = 1, bad = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--serve"))
            return row_serve(p);
        if (!strcmp(argv[i], "--row") && i + 1 < argc) {
            only = argv[++i];
        } else if (!strcmp(argv[i], "--repeat") && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            repeat = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--scale") && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            scale = atoi(argv[++i]);
        } else {
            fprintf(stderr, "usage: %s [--row NAME] [--repeat R] [--scale S] [--serve]\n", argv[0]);
            return 2;
        }
    }
    if (only && !row_named(only)) {
        fprintf(stderr, "%s: no row is called %s\n", argv[0], only);
        return 2;
    }
    for (int i = 0; i < ROW_COUNT; i++)
        if (!only || !strcmp(only, row_table[i].name))
            bad += !row_report(p, &row_table[i], scale, repeat);
    return bad ? 1 : 0;
}

#endif
