/* SPDX-License-Identifier: Apache-2.0
 *
 * suite.h: what the programs of the suite share, so that a program's file is mostly its kernel:
 * checked calls, options, test data, timing by events, a reference and a comparison, the report.
 * Host code in plain C style; compiles with any CUDA C compiler.
 *
 * A program fills in a suite_product (its name and how to launch its kernel) and calls
 * suite_product_main(). Exit status: 0 verified, 1 not (or a call failed), 2 usage.
 */
#ifndef SUITE_H
#define SUITE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime.h>

/* A runtime call that must succeed: else its text, its place and the error's name, and exit 1. */
#define CHECK(call) suite_check((call), #call, __FILE__, __LINE__)

static inline void
suite_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s failed: %s (%s)\n", file, line, call, cudaGetErrorName(error),
            cudaGetErrorString(error));
    exit(1);
}

static inline int
suite_div_up(int a, int b)
{
    return (a + b - 1) / b;
}

static inline double
suite_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Test data: the same on every machine, between -1 and 1, without a pattern that hides an index
 * that is off by one row or column. */
static inline void
suite_fill(float *at, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15ull + seed;
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93ull;
        x ^= x >> 32;
        at[i] = (float)((int32_t)(uint32_t)x) * (1.0f / 2147483648.0f);
    }
}

/* -- options --------------------------------------------------------------------------------- */

struct suite_options {
    int m, k, n;  /* C(m x n) = A(m x k) B(k x n) */
    int tile;     /* for programs whose tile is chosen at run time; 0: the program's own */
    int repeat;   /* timed launches; the best one counts */
    int verify;   /* compare with the reference */
    int json;
};

static inline void
suite_usage(const char *program, FILE *to)
{
    fprintf(to,
            "usage: %s [options]\n"
            "  --n N               a square product of size N (1024)\n"
            "  --m M, --k K        C(M x N) = A(M x K) B(K x N)\n"
            "  --tile T            tile size, where the program takes one\n"
            "  --repeat R          timed launches, the best counts (3)\n"
            "  --verify 0|1        compare with plain C (1)\n"
            "  --json              the result as JSON\n",
            program);
}

static inline int
suite_number(const char *program, const char *name, const char *text, int least)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    if (text && *text && !*end && value >= least && value <= 1 << 20)
        return (int)value;
    fprintf(stderr, "%s: %s takes a number from %d to %d\n", program, name, least, 1 << 20);
    exit(2);
}

static inline struct suite_options
suite_parse(int argc, char **argv)
{
    struct suite_options o = {-1, -1, 1024, 0, 3, 1, 0};
    const struct {
        const char *name;
        int *value;
        int least;
    } numbers[] = {{"--m", &o.m, 0},       {"--k", &o.k, 0},           {"--n", &o.n, 0},
                   {"--tile", &o.tile, 1}, {"--repeat", &o.repeat, 1}, {"--verify", &o.verify, 0}};
    for (int i = 1; i < argc; i++) {
        int found = strcmp(argv[i], "--") == 0;
        if (strcmp(argv[i], "--json") == 0)
            found = o.json = 1;
        if (strcmp(argv[i], "--help") == 0) {
            suite_usage(argv[0], stdout);
            exit(0);
        }
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers && !found; j++)
            if (strcmp(argv[i], numbers[j].name) == 0) {
                *numbers[j].value = suite_number(argv[0], numbers[j].name, i + 1 < argc ? argv[i + 1] : NULL,
                                                 numbers[j].least);
                found = 1;
                i++;
            }
        if (!found) {
            fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[i]);
            suite_usage(argv[0], stderr);
            exit(2);
        }
    }
    if (o.m < 0)
        o.m = o.n;
    if (o.k < 0)
        o.k = o.n;
    return o;
}

/* -- the matrix product: reference and comparison ----------------------------------------------- */

struct suite_verdict {
    int good;
    size_t checked;      /* elements compared */
    double worst;        /* largest error as a share of the tolerance */
    int row, col;        /* of the first wrong element */
    double found, right;
};

/* Compares C with A B computed in double, row by row. All rows where that is at most 2^28
 * multiply-adds, else evenly spaced ones, the first and the last among them. An element may be off
 * by 2 (1 + sqrt k) 2^-24 times the sum of |a b|: several times what k roundings of random sign
 * give, and far below one missing or wrong term. */
static inline struct suite_verdict
suite_compare_product(const float *a, const float *b, const float *c, int m, int k, int n)
{
    struct suite_verdict v = {1, 0, 0, 0, 0, 0, 0};
    const double work = 268435456.0, unit = 1.0 / 16777216.0;
    double per_row = (double)k * n + 1;
    int rows = per_row * m <= work ? m : (int)(work / per_row) + 2;
    if (rows > m)
        rows = m;
    double *sum = (double *)malloc(sizeof *sum * ((size_t)n + 1));
    double *size = (double *)malloc(sizeof *size * ((size_t)n + 1));
    if (!sum || !size) {
        fprintf(stderr, "out of memory for the reference\n");
        exit(1);
    }
    for (int i = 0; i < rows; i++) {
        int row = rows > 1 ? (int)((int64_t)i * (m - 1) / (rows - 1)) : 0;
        for (int j = 0; j < n; j++)
            sum[j] = size[j] = 0;
        for (int l = 0; l < k; l++) {
            double x = a[(size_t)row * k + l];
            const float *line = b + (size_t)l * n;
            for (int j = 0; j < n; j++) {
                sum[j] += x * line[j];
                size[j] += fabs(x * line[j]);
            }
        }
        for (int j = 0; j < n; j++) {
            double value = c[(size_t)row * n + j];
            double tolerance = 2 * (1 + sqrt((double)k)) * unit * size[j];
            double error = fabs(value - sum[j]);
            double share = error == 0 ? 0 : error / (tolerance > 0 ? tolerance : 1e-300);
            if (!(share <= 1) && v.good) { /* written so that a NaN counts as wrong */
                v.good = 0;
                v.row = row;
                v.col = j;
                v.found = value;
                v.right = sum[j];
            }
            if (!(share <= v.worst))
                v.worst = share;
            v.checked++;
        }
    }
    free(sum);
    free(size);
    return v;
}

/* -- the main program of a product ---------------------------------------------------------------- */

struct suite_product {
    const char *name;  /* "matmul/tiled" */
    const char *title; /* "tiled product in shared memory" */
    int default_tile;  /* 0: has none */
    int most_tile;     /* 0: the tile cannot be chosen at run time */
    /* Launches the kernel once. m, n > 0; k may be 0. */
    void (*launch)(const float *a, const float *b, float *c, int m, int k, int n, int tile);
};

struct suite_timing {
    double first_ms; /* the first launch on the host's clock: with compiling */
    double best_ms;  /* the best later one, by events */
};

static inline struct suite_timing
suite_time_product(const struct suite_product *p, const struct suite_options *o, const float *a,
                   const float *b, float *c)
{
    struct suite_timing t = {0, 0};
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    double start = suite_seconds();
    p->launch(a, b, c, o->m, o->k, o->n, o->tile);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    t.first_ms = 1e3 * (suite_seconds() - start);
    for (int i = 0; i < o->repeat; i++) {
        float ms = 0;
        CHECK(cudaEventRecord(begin, 0));
        p->launch(a, b, c, o->m, o->k, o->n, o->tile);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end, 0));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i == 0 || ms < t.best_ms)
            t.best_ms = ms;
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return t;
}

static inline void
suite_report_json(const struct suite_product *p, const struct suite_options *o,
                  const struct cudaDeviceProp *d, const struct suite_timing *t,
                  const struct suite_verdict *v, double madds)
{
    printf("{\"version\":1,\"program\":\"%s\",\"m\":%d,\"k\":%d,\"n\":%d,\"tile\":%d,"
           "\"device\":\"%s\",\"verified\":%s,\"checked\":%zu,\"first_milliseconds\":%.4f,"
           "\"milliseconds\":%.4f,\"gflops\":%.4f,\"madds_per_second\":%.0f}\n",
           p->name, o->m, o->k, o->n, o->tile, d->name,
           !o->verify ? "null" : v->good ? "true" : "false", v->checked, t->first_ms, t->best_ms,
           2e-9 * madds, madds);
}

static inline void
suite_report(const struct suite_product *p, const struct suite_options *o,
             const struct cudaDeviceProp *d, const struct suite_timing *t,
             const struct suite_verdict *v, double madds)
{
    printf("%s: C(%d x %d) = A(%d x %d) B(%d x %d)", p->title, o->m, o->n, o->m, o->k, o->k, o->n);
    if (o->tile)
        printf(", tile %d", o->tile);
    printf("\n  device    %s, compute capability %d.%d\n", d->name, d->major, d->minor);
    if (!o->verify)
        printf("  verified  not asked for\n");
    else if (v->good)
        printf("  verified  yes: %zu elements, largest error %.2f of the tolerance\n", v->checked,
               v->worst);
    else
        printf("  verified  NO: C[%d][%d] is %.9g, should be %.9g\n", v->row, v->col, v->found,
               v->right);
    printf("  time      %.3f ms (best of %d; the first launch took %.1f ms)\n", t->best_ms, o->repeat,
           t->first_ms);
    printf("  speed     %.2f GFLOP/s, %.0f million multiply-adds a second\n", 2e-9 * madds,
           1e-6 * madds);
}

static inline float *
suite_host_matrix(size_t count)
{
    float *at = (float *)calloc(count + 1, sizeof *at);
    if (!at) {
        fprintf(stderr, "out of memory: %zu floats\n", count);
        exit(1);
    }
    return at;
}

static inline int
suite_product_main(const struct suite_product *p, int argc, char **argv)
{
    struct suite_options o = suite_parse(argc, argv);
    if (o.tile && !p->most_tile && o.tile != p->default_tile) {
        fprintf(stderr, "%s: the tile is fixed when it is compiled\n", argv[0]);
        return 2;
    }
    if (!o.tile)
        o.tile = p->default_tile;
    if (p->most_tile && o.tile > p->most_tile) {
        fprintf(stderr, "%s: --tile is at most %d\n", argv[0], p->most_tile);
        return 2;
    }
    int device = 0;
    struct cudaDeviceProp properties;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&properties, device));

    size_t count_a = (size_t)o.m * o.k, count_b = (size_t)o.k * o.n, count_c = (size_t)o.m * o.n;
    float *host_a = suite_host_matrix(count_a), *host_b = suite_host_matrix(count_b);
    float *host_c = suite_host_matrix(count_c), *a, *b, *c;
    suite_fill(host_a, count_a, 1);
    suite_fill(host_b, count_b, 2);
    CHECK(cudaMalloc((void **)&a, (count_a + 1) * sizeof *a));
    CHECK(cudaMalloc((void **)&b, (count_b + 1) * sizeof *b));
    CHECK(cudaMalloc((void **)&c, (count_c + 1) * sizeof *c));
    CHECK(cudaMemcpy(a, host_a, count_a * sizeof *a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host_b, count_b * sizeof *b, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(c, 0xff, count_c * sizeof *c)); /* NaN: an element never written shows */

    struct suite_timing timing = {0, 0};
    if (count_c) /* an empty grid cannot be launched, and there is nothing to do */
        timing = suite_time_product(p, &o, a, b, c);
    CHECK(cudaMemcpy(host_c, c, count_c * sizeof *c, cudaMemcpyDeviceToHost));
    struct suite_verdict verdict = {1, 0, 0, 0, 0, 0, 0};
    if (o.verify)
        verdict = suite_compare_product(host_a, host_b, host_c, o.m, o.k, o.n);
    double madds = timing.best_ms > 0 ? (double)o.m * o.k * o.n / (1e-3 * timing.best_ms) : 0;
    (o.json ? suite_report_json : suite_report)(p, &o, &properties, &timing, &verdict, madds);

    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    free(host_a);
    free(host_b);
    free(host_c);
    return verdict.good ? 0 : 1;
}

#endif
