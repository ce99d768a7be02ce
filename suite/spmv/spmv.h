/* SPDX-License-Identifier: Apache-2.0
 *
 * spmv.h: the main program of the sparse products y = A x: --size ROWSxCOLS generates a matrix,
 * --in FILE.mtx reads one. Small matrices are shown with their arrays.
 */
#ifndef SPMV_H
#define SPMV_H

#include "../common/sparse.h"

enum { THREADS = 128 };

/* A matrix in the device's memory. */
struct spmv_device {
    int rows, cols, count;
    int *row_ptr, *col;
    float *data;
};

struct spmv_kernel {
    const char *name, *title;
    /* Another form of the matrix, before the clock runs; NULL: none. Freed by release. */
    void (*prepare)(const struct sparse *m);
    void (*launch)(const struct spmv_device *m, const float *x, float *y);
    void (*release)(void);
};

static inline struct spmv_device
spmv_upload(const struct sparse *m)
{
    struct spmv_device d = {m->rows, m->cols, m->count, NULL, NULL, NULL};
    d.row_ptr = suite_upload(m->row_ptr, m->rows + 1);
    d.col = suite_upload(m->col, m->count);
    d.data = suite_upload(m->data, m->count);
    return d;
}

static inline void
spmv_release(struct spmv_device *d)
{
    suite_free_device(d->row_ptr, d->col, d->data);
}

static inline void
spmv_show(const struct suite *s, const struct sparse *m)
{
    suite_say(s, "data   ");
    for (int i = 0; i < m->count; i++)
        suite_say(s, " %g", m->data[i]);
    suite_say(s, "\ncol    ");
    for (int i = 0; i < m->count; i++)
        suite_say(s, " %d", m->col[i]);
    suite_say(s, "\nrow_ptr");
    for (int i = 0; i <= m->rows; i++)
        suite_say(s, " %d", m->row_ptr[i]);
    suite_say(s, "\n\n");
}

/* Compares y; an element may be off by some roundings of the sum of |a x|. */
static inline void
spmv_compare(struct suite *s, const struct sparse *m, const float *x, const float *found)
{
    double *right = suite_host<double>(m->rows), *size = suite_host<double>(m->rows);
    sparse_multiply(m, x, right, size);
    for (int i = 0; i < m->rows; i++) {
        int terms = m->row_ptr[i + 1] - m->row_ptr[i];
        suite_compare_one(s, "y", i, found[i], right[i],
                          2 * (1 + sqrt((double)terms)) / 16777216 * size[i]);
    }
    suite_free_host(right, size);
}

static int
spmv_main(const struct spmv_kernel *k, int argc, char **argv)
{
    const char *file = NULL, *kind = "mixed";
    int each = 16;
    const struct suite_extra extra[] = {
        {"--in", NULL, 0, 0, "a Matrix Market file", &file},
        {"--matrix", NULL, 0, 0, "mixed, random, banded or power", &kind},
        {"--each", &each, 1, 4096, "values a row of the last three, on average (16)", NULL}};
    struct suite s = suite_begin(k->name, k->title, 1000, extra, 3, argc, argv);
    struct sparse m = file ? sparse_read(file)
                      : strcmp(kind, "mixed") == 0
                          ? sparse_generate(s.size[0], s.size[1])
                          : sparse_generate_kind(kind, s.size[0], s.size[1], each);
    snprintf(s.size_text, sizeof s.size_text, "%dx%d", m.rows, m.cols);
    float *x = suite_host<float>(m.cols), *found = suite_host<float>(m.rows);
    suite_fill(x, m.cols, 1);
    struct spmv_device d = spmv_upload(&m);
    float *device_x = suite_upload(x, m.cols), *y = suite_device<float>(m.rows);
    if (k->prepare)
        k->prepare(&m);
    if (m.rows)
        SUITE_TIME(&s, k->launch(&d, device_x, y));
    suite_download(found, y, m.rows);
    if (s.verify)
        spmv_compare(&s, &m, x, found);
    if (m.count <= 32)
        spmv_show(&s, &m);
    suite_figure(&s, "values", m.count);
    if (s.best_ms > 0)
        suite_figure(&s, "gflops", 2e-6 * m.count / s.best_ms);
    if (s.best_ms > 0) /* values, columns, row ends, x and y once each */
        suite_figure(&s, "gigabytes_per_second",
                     1e-6 * (8.0 * m.count + 8.0 * m.rows + 4.0 * m.cols) / s.best_ms);
    if (k->release)
        k->release();
    spmv_release(&d);
    suite_free_device(device_x, y);
    sparse_free(&m);
    suite_free_host(x, found);
    return suite_end(&s);
}

#endif
