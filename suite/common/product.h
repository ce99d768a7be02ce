/* SPDX-License-Identifier: Apache-2.0
 *
 * product.h: the main program of all matrix products C(m x n) = A(m x k) B(k x n): a program fills
 * in a suite_product (its name and how to launch its kernel) and calls suite_product_main().
 */
#ifndef SUITE_PRODUCT_H
#define SUITE_PRODUCT_H

#include "suite.h"

struct suite_product {
    const char *name;  /* "matmul/tiled" */
    const char *title; /* "tiled product in shared memory" */
    int default_tile;  /* 0: has none */
    int most_tile;     /* 0: the tile cannot be chosen at run time */
    /* Launches the kernel once. m, n > 0; k may be 0. */
    void (*launch)(const float *a, const float *b, float *c, int m, int k, int n, int tile);
};

typedef void suite_product_kernel(const float *a, const float *b, float *c, int m, int k, int n);

/* A launch of blocks of x by y threads, each for `wide` columns and `high` rows of C. */
template <suite_product_kernel *kernel, int x, int y, int wide = x, int high = y>
static inline void
suite_product_blocks(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    dim3 block(x, y), grid(suite_div_up(n, wide), suite_div_up(m, high));
    kernel<<<grid, block>>>(a, b, c, m, k, n);
}

/* Compares C with A B computed in double, row by row. All rows where that is at most 2^26
 * multiply-adds, else evenly spaced ones, the first and the last among them. An element may be off
 * by 2 (1 + sqrt k) 2^-24 times the sum of |a b|: several times what k roundings of random sign
 * give, and far below one missing or wrong term. */
static inline void
suite_compare_product(struct suite *s, const float *a, const float *b, const float *c, int m, int k,
                      int n)
{
    const double work = 67108864.0, unit = 1.0 / 16777216.0;
    double per_row = (double)k * n + 1;
    int rows = per_row * m <= work ? m : (int)(work / per_row) + 2;
    if (rows > m)
        rows = m;
    double *sum = suite_host<double>(n), *size = suite_host<double>(n);
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
        for (int j = 0; j < n; j++)
            suite_compare_one(s, "C", (size_t)row * n + j, c[(size_t)row * n + j], sum[j],
                              2 * (1 + sqrt((double)k)) * unit * size[j]);
    }
    suite_free_host(sum, size);
}

/* --sets S: as many copies of the three matrices, which the launches take in turn: with more than
 * the last-level cache holds each launch reads device memory, as a program's first one does. */
struct suite_product_sets {
    float *a, *b, *c; /* the first one's, then copies one behind the other */
    float *more;
    size_t count_a, count_b, count_c, each;
    int sets;
};

static inline size_t
suite_product_up(size_t count) /* to 256 bytes: each copy begins as an allocation does */
{
    return (count + 63) / 64 * 64;
}

static inline struct suite_product_sets
suite_product_sets(float *a, float *b, float *c, size_t count_a, size_t count_b, size_t count_c,
                   int sets)
{
    size_t wide_a = suite_product_up(count_a), wide_b = suite_product_up(count_b);
    size_t each = wide_a + wide_b + suite_product_up(count_c);
    struct suite_product_sets s = {a, b, c, NULL, wide_a, wide_b, count_c, each, sets};
    if (sets > 1)
        s.more = suite_device<float>(each * (sets - 1));
    for (int i = 0; i < sets - 1; i++) {
        float *at = s.more + each * i;
        CHECK(cudaMemcpy(at, a, count_a * sizeof *a, cudaMemcpyDeviceToDevice));
        CHECK(cudaMemcpy(at + wide_a, b, count_b * sizeof *b, cudaMemcpyDeviceToDevice));
    }
    return s;
}

static inline void
suite_product_launch(const struct suite_product *p, const struct suite_product_sets *s, int turn,
                     int m, int k, int n, int tile)
{
    float *at = s->sets > 1 && turn % s->sets ? s->more + s->each * (turn % s->sets - 1) : NULL;
    if (at)
        p->launch(at, at + s->count_a, at + s->count_a + s->count_b, m, k, n, tile);
    else
        p->launch(s->a, s->b, s->c, m, k, n, tile);
}

/* --m and --k beside --size (n, or m x k x n): rows of A, columns of A. */
static inline void
suite_product_sizes(struct suite *s, int given_m, int given_k)
{
    if (!strchr(s->size_text, 'x')) {
        if (given_m >= 0)
            s->size[0] = given_m;
        if (given_k >= 0)
            s->size[1] = given_k;
    }
}

static inline int
suite_product_main(const struct suite_product *p, int argc, char **argv)
{
    int tile = 0, given_m = -1, given_k = -1, copies = 1;
    const struct suite_extra extra[] = {
        {"--m", &given_m, 0, 1 << 20, "rows of A and C", NULL},
        {"--k", &given_k, 0, 1 << 20, "columns of A, rows of B", NULL},
        {"--sets", &copies, 0, 4096, "sets of matrices, taken in turn; 0: four times L2 (1)", NULL},
        {"--tile", &tile, 1, 1 << 20, "tile size, where the program takes one", NULL}};
    struct suite s = suite_begin(p->name, p->title, 1024, extra, 4, argc, argv);
    suite_product_sizes(&s, given_m, given_k);
    int m = s.size[0], k = s.size[1], n = s.size[2];
    if (tile && !p->most_tile && tile != p->default_tile) {
        fprintf(stderr, "%s: the tile is fixed when it is compiled\n", argv[0]);
        return 2;
    }
    if (!tile)
        tile = p->default_tile;
    if (p->most_tile && tile > p->most_tile) {
        fprintf(stderr, "%s: --tile is at most %d\n", argv[0], p->most_tile);
        return 2;
    }
    size_t count_a = (size_t)m * k, count_b = (size_t)k * n, count_c = (size_t)m * n;
    float *host_a = suite_host<float>(count_a), *host_b = suite_host<float>(count_b);
    float *host_c = suite_host<float>(count_c);
    suite_fill(host_a, count_a, 1);
    suite_fill(host_b, count_b, 2);
    float *a = suite_upload(host_a, count_a), *b = suite_upload(host_b, count_b);
    float *c = suite_device<float>(count_c);
    if (copies == 0 || (copies == 1 && s.batch == 0)) {
        double bytes = 4.0 * (count_a + count_b + count_c) + 1;
        copies = 1 + (int)(4.0 * s.device.l2CacheSize / bytes);
    }
    struct suite_product_sets sets = suite_product_sets(a, b, c, count_a, count_b, count_c, copies);
    if (count_c) /* an empty grid cannot be launched, and there is nothing to do */
        SUITE_TIME(&s, suite_product_launch(p, &sets, s.turn, m, k, n, tile));
    suite_download(host_c, c, count_c);
    if (s.verify)
        suite_compare_product(&s, host_a, host_b, host_c, m, k, n);
    double madds = s.best_ms > 0 ? (double)m * k * n / (1e-3 * s.best_ms) : 0;
    snprintf(s.size_text, sizeof s.size_text, "%dx%dx%d", m, k, n);
    if (tile)
        suite_figure(&s, "tile", tile);
    suite_figure(&s, "gflops", 2e-9 * madds);
    suite_figure(&s, "madds_per_second", madds);
    suite_figure(&s, "flops_per_byte",
                 2.0 * m * k * n / (4.0 * (count_a + count_b + count_c) + 1e-9));
    suite_free_device(a, b, c);
    if (sets.more)
        CHECK(cudaFree(sets.more));
    suite_free_host(host_a, host_b, host_c);
    return suite_end(&s);
}

#endif
