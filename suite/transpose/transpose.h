/* SPDX-License-Identifier: Apache-2.0
 *
 * transpose.h: the main program of the transposes: out (w x h) = in (h x w) transposed, --size HxW.
 * Every element is moved once, so that bytes a second say how well memory is used.
 */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include "../common/suite.h"

/* A block of TILE x ROWS threads moves a tile of TILE x TILE, TILE / ROWS elements each; both can
 * be chosen when it is compiled: -DTILE=16 -DROWS=4. */
#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

/* A launch of such blocks, a tile each. */
template <void (*kernel)(float *out, const float *in, int width, int height)>
static void
transpose_tiles(float *out, const float *in, int width, int height)
{
    dim3 grid(suite_div_up(width, TILE), suite_div_up(height, TILE)), block(TILE, ROWS);
    kernel<<<grid, block>>>(out, in, width, height);
}

static int
transpose_main(const char *name, const char *title,
               void (*launch)(float *out, const float *in, int width, int height), int argc,
               char **argv)
{
    struct suite s = suite_begin(name, title, 1024, NULL, 0, argc, argv);
    int height = s.size[0], width = s.size[1];
    size_t count = (size_t)height * width;
    float *host_in = suite_host<float>(count), *found = suite_host<float>(count);
    float *right = suite_host<float>(count);
    suite_fill(host_in, count, 1);
    for (int y = 0; s.verify && y < height; y++)
        for (int x = 0; x < width; x++)
            right[(size_t)x * height + y] = host_in[(size_t)y * width + x];
    float *in = suite_upload(host_in, count), *out = suite_device<float>(count);
    if (count)
        SUITE_TIME(&s, launch(out, in, width, height));
    suite_download(found, out, count);
    suite_compare_equal(&s, "out", found, right, count);
    if (s.best_ms > 0)
        suite_figure(&s, "gigabytes_per_second", 2e-6 * count * sizeof(float) / s.best_ms);
    suite_free_device(in, out);
    suite_free_host(host_in, found, right);
    return suite_end(&s);
}

#endif
