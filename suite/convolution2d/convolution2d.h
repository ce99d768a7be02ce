/* SPDX-License-Identifier: Apache-2.0
 *
 * convolution2d.h: the main program of the 2-D convolutions: out[y][x] = sum over u, v of in[y - 2
 * + v][x - 2 + u] mask[v][u], 5 x 5 weights, elements outside count as 0. --size HxW.
 */
#ifndef CONVOLUTION2D_H
#define CONVOLUTION2D_H

#include "../common/suite.h"

enum { SIDE = 2, TAPS = 2 * SIDE + 1 };

__constant__ float weights[TAPS * TAPS];

static inline double
convolution2d_right(const float *in, const float *mask, int y, int x, int height, int width)
{
    double sum = 0;
    for (int v = 0; v < TAPS; v++)
        for (int u = 0; u < TAPS; u++) {
            int from_y = y - SIDE + v, from_x = x - SIDE + u;
            if (from_y >= 0 && from_y < height && from_x >= 0 && from_x < width)
                sum += (double)in[(size_t)from_y * width + from_x] * mask[v * TAPS + u];
        }
    return sum;
}

/* Every row where the picture is small, else evenly spaced ones, the first and last among them. */
static inline void
convolution2d_compare(struct suite *s, const float *in, const float *mask, const float *found)
{
    int height = s->size[0], width = s->size[1], rows = height;
    if ((size_t)height * width > 1 << 22)
        rows = (1 << 22) / width + 2;
    for (int i = 0; s->verify && i < rows; i++) {
        int y = rows > 1 ? (int)((int64_t)i * (height - 1) / (rows - 1)) : 0;
        for (int x = 0; x < width; x++)
            suite_compare_one(s, "out", (size_t)y * width + x, found[(size_t)y * width + x],
                              convolution2d_right(in, mask, y, x, height, width), 1e-5);
    }
}

static int
convolution2d_main(const char *name, const char *title,
                   void (*launch)(const float *in, float *out, int width, int height), int argc,
                   char **argv)
{
    struct suite s = suite_begin(name, title, 1000, NULL, 0, argc, argv);
    int height = s.size[0], width = s.size[1];
    size_t count = (size_t)height * width;
    float *host = suite_host<float>(count), *found = suite_host<float>(count), mask[TAPS * TAPS];
    suite_fill(host, count, 1);
    suite_fill(mask, TAPS * TAPS, 2);
    CHECK(cudaMemcpyToSymbol(weights, mask, sizeof mask));
    float *in = suite_upload(host, count), *out = suite_device<float>(count);
    if (count)
        SUITE_TIME(&s, launch(in, out, width, height));
    suite_download(found, out, count);
    convolution2d_compare(&s, host, mask, found);
    if (s.best_ms > 0)
        suite_figure(&s, "gigabytes_per_second", 2e-6 * count * sizeof(float) / s.best_ms);
    suite_free_device(in, out);
    suite_free_host(host, found);
    return suite_end(&s);
}

#endif
