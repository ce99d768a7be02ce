/* SPDX-License-Identifier: Apache-2.0
 *
 * flatten.h: the main program of the flattened arrays. A kernel adds 100 * row + col to every
 * element of a rows x cols array that lies in memory by rows or by columns; --size ROWSxCOLS. For a
 * small array the program shows where each element lies.
 */
#ifndef FLATTEN_H
#define FLATTEN_H

#include "../common/suite.h"

enum { WIDE = 32, HIGH = 8 };

static inline void
flatten_picture(const struct suite *s, int rows, int cols, bool by_columns)
{
    for (int row = 0; row < rows; row++) {
        for (int col = 0; col < cols; col++)
            suite_say(s, "  M%d,%d @%-3d", row, col,
                      by_columns ? col * rows + row : row * cols + col);
        suite_say(s, "\n");
    }
    suite_say(s, "in memory:");
    for (int i = 0; i < rows * cols; i++)
        suite_say(s, " M%d,%d", by_columns ? i % rows : i / cols, by_columns ? i / rows : i % cols);
    suite_say(s, "\n\n");
}

/* Threads along a row. */
template <void (*kernel)(float *m, int rows, int cols)>
static void
flatten_rows(float *m, int rows, int cols)
{
    dim3 grid(suite_div_up(cols, WIDE), suite_div_up(rows, HIGH));
    kernel<<<grid, dim3(WIDE, HIGH)>>>(m, rows, cols);
}

static int
flatten_main(const char *name, const char *title, bool by_columns,
             void (*launch)(float *m, int rows, int cols), int argc, char **argv)
{
    struct suite s = suite_begin(name, title, 4, NULL, 0, argc, argv);
    int rows = s.size[0], cols = s.size[1];
    size_t count = (size_t)rows * cols;
    float *host = suite_host<float>(count), *right = suite_host<float>(count);
    float *found = suite_host<float>(count);
    suite_fill(host, count, 1);
    for (int row = 0; row < rows; row++)
        for (int col = 0; col < cols; col++) {
            size_t at = by_columns ? (size_t)col * rows + row : (size_t)row * cols + col;
            right[at] = host[at] + (float)(100 * row + col);
        }
    float *m = suite_device<float>(count);
    if (count)
        SUITE_TIME_AFTER(&s, suite_to_device(m, host, count), launch(m, rows, cols));
    suite_download(found, m, count);
    suite_compare_equal(&s, "M", found, right, count);
    if (count <= 32)
        flatten_picture(&s, rows, cols, by_columns);
    CHECK(cudaFree(m));
    suite_free_host(host, right, found);
    return suite_end(&s);
}

#endif
