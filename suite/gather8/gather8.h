/* SPDX-License-Identifier: Apache-2.0
 *
 * gather8.h: the main program of the 8-neighbour gather: every cell becomes the sum of the eight
 * cells around it; cells outside the grid count as 0. A block computes DIM x DIM cells.
 */
#ifndef GATHER8_H
#define GATHER8_H

#include "../common/suite.h"

#ifndef DIM
#define DIM 16
#endif

/* The value of a cell, 0 outside. */
static __device__ __forceinline__ int
cell(const int *in, int x, int y, int w, int h)
{
    return x >= 0 && y >= 0 && x < w && y < h ? in[(size_t)y * w + x] : 0;
}

typedef void gather8_kernel(const int *in, int *out, int w, int h);

/* loads: of an inner block from global memory. side: of a block of threads, which has a tile of DIM
 * by DIM cells. --size WxH */
static int
gather8_main(const char *name, const char *title, double loads, int side, gather8_kernel *kernel,
             int argc, char **argv)
{
    struct suite s = suite_begin(name, title, 256, NULL, 0, argc, argv);
    int w = s.size[0], h = s.size[1];
    size_t count = (size_t)w * h;
    int *host = suite_host<int>(count), *found = suite_host<int>(count);
    int *right = suite_host<int>(count);
    suite_fill_ints(host, count, 1000, 1);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < 9; k++) {
                int u = x + k % 3 - 1, v = y + k / 3 - 1;
                if (k != 4 && u >= 0 && v >= 0 && u < w && v < h)
                    right[(size_t)y * w + x] += host[(size_t)v * w + u];
            }
    int *in = suite_upload(host, count), *out = suite_device<int>(count);
    dim3 grid(suite_div_up(w, DIM), suite_div_up(h, DIM));
    if (count)
        SUITE_TIME(&s, (kernel<<<grid, dim3(side, side)>>>(in, out, w, h)));
    suite_download(found, out, count);
    suite_compare_equal(&s, "out", found, right, count);
    suite_figure(&s, "global loads of an inner block", loads);
    suite_figure(&s, "global loads a cell", loads / (DIM * DIM));
    suite_figure(&s, "share of threads that compute", (double)(DIM * DIM) / (side * side));
    suite_free_device(in, out);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
