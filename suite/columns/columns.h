/* SPDX-License-Identifier: Apache-2.0
 *
 * columns.h: the main program of the row sums: out[r] = in[r][0] + ... + in[r][w-1]. A block looks
 * after 32 rows: all its threads bring tiles of 32 x 32 into shared memory, row by row, coalesced;
 * then the first warp adds, each lane along its own row, so that all lanes read one column. Where
 * an element of the tile lies is the program's to say:
 *
 *     #define TILE_WORDS (DIM * DIM)
 *     #define PLACE(row, column) ((row) * DIM + (column))
 *     #include "columns.h"
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "../common/suite.h"

enum { DIM = 32, HIGH = 8 };

__global__ void
row_sums(const float *in, float *out, int w, int h)
{
    __shared__ float tile[TILE_WORDS];
    int x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * DIM;
    float sum = 0;
    for (int at = 0; at < w; at += DIM) {
        for (int r = y; r < DIM; r += HIGH)
            tile[PLACE(r, x)] =
                first + r < h && at + x < w ? in[(size_t)(first + r) * w + at + x] : 0;
        __syncthreads();
        if (y == 0)
            for (int i = 0; i < DIM; i++)
                sum += tile[PLACE(x, i)];
        __syncthreads();
    }
    if (y == 0 && first + x < h)
        out[first + x] = sum;
}

static void
launch(const float *in, float *out, int w, int h)
{
    row_sums<<<suite_div_up(h, DIM), dim3(DIM, HIGH)>>>(in, out, w, h);
}

/* --size WxH. */
static int
columns_main(const char *name, const char *title, int argc, char **argv)
{
    struct suite s = suite_begin(name, title, 256, NULL, 0, argc, argv);
    int w = s.size[0], h = s.size[1];
    size_t count = (size_t)w * h;
    float *host = suite_host<float>(count), *found = suite_host<float>(h);
    double *right = suite_host<double>(h);
    suite_fill(host, count, 1);
    for (int r = 0; r < h; r++)
        for (int c = 0; c < w; c++)
            right[r] += host[(size_t)r * w + c];
    float *in = suite_upload(host, count), *out = suite_device<float>(h);
    if (h)
        SUITE_TIME(&s, launch(in, out, w, h));
    suite_download(found, out, h);
    suite_compare_floats(&s, "sum", found, right, h, 1e-4);
    suite_free_device(in, out);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
