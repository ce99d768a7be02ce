/* SPDX-License-Identifier: Apache-2.0
 *
 * smooth.h: the main program of image smoothing: every pixel becomes the weighted mean of those
 * within RADIUS in x and y; beyond the border the border's pixel counts again. Pictures are grey;
 * the sums are floats, the result is rounded. --in FILE and --out FILE read and write PGM, PPM or
 * PNG; without --in a picture of --size WxH is made. --radius R: 1 to 8.
 */
#ifndef SMOOTH_H
#define SMOOTH_H

#include "../common/image.h"

enum { TILE = 16, MOST_RADIUS = 8, MOST_WEIGHTS = (2 * MOST_RADIUS + 1) * (2 * MOST_RADIUS + 1) };

struct smooth {
    const unsigned char *in;
    unsigned char *out;
    const float *weights; /* on the device: rows of 2 radius + 1 */
    const float *line;    /* on the device: 2 radius + 1 whose products with one another they are */
    int width, height, radius;
};

struct smooth_program {
    const char *name, *title;
    void (*prepare)(const float *weights, const float *line,
                    int radius); /* on the host; may be NULL */
    void (*launch)(const struct smooth *s);
};

/* A thread a pixel; halo: with shared memory for a block's pixels and those around them. */
template <void (*kernel)(struct smooth), bool halo = false>
static inline void
smooth_launch(const struct smooth *m)
{
    dim3 grid(suite_div_up(m->width, TILE), suite_div_up(m->height, TILE)), block(TILE, TILE);
    int wide = TILE + 2 * m->radius;
    kernel<<<grid, block, halo ? (size_t)wide * wide : 0>>>(*m);
}

static __device__ __forceinline__ int
smooth_pixel(const unsigned char *in, int x, int y, int width, int height)
{
    return in[(size_t)min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)];
}

static __device__ __forceinline__ unsigned char
smooth_round(float value)
{
    return (unsigned char)(value + 0.5f);
}

/* A bell: the same in x and y. */
static inline void
smooth_weights(float *weights, float *line, int radius)
{
    int wide = 2 * radius + 1;
    double sum = 0;
    for (int k = 0; k < wide; k++)
        sum += exp(-2.0 * (k - radius) * (k - radius) / (radius * radius));
    for (int k = 0; k < wide; k++)
        line[k] = (float)(exp(-2.0 * (k - radius) * (k - radius) / (radius * radius)) / sum);
    for (int k = 0; k < wide * wide; k++)
        weights[k] = line[k / wide] * line[k % wide];
}

static inline int
smooth_clamp(int v, int below)
{
    return v < 0 ? 0 : v >= below ? below - 1 : v;
}

static inline void
smooth_reference(const struct image *in, const float *line, int radius, double *out)
{
    int w = in->width, h = in->height;
    double *rows = suite_host<double>((size_t)w * h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = -radius; k <= radius; k++)
                rows[(size_t)y * w + x] +=
                    (double)line[k + radius] * in->pixels[(size_t)y * w + smooth_clamp(x + k, w)];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double sum = 0;
            for (int k = -radius; k <= radius; k++)
                sum += line[k + radius] * rows[(size_t)smooth_clamp(y + k, h) * w + x];
            out[(size_t)y * w + x] = sum;
        }
    free(rows);
}

static inline void
smooth_figures(struct suite *s, int radius)
{
    int wide = TILE + 2 * radius, taps = 2 * radius + 1;
    suite_figure(s, "radius", radius);
    suite_figure(s, "loads of a block without tile", (double)TILE * TILE * taps * taps);
    suite_figure(s, "loads of a block with tile", (double)wide * wide);
    suite_figure(s, "reuse of a loaded pixel", (double)TILE * TILE * taps * taps / (wide * wide));
    suite_figure(s, "reuse without a halo's cost", (double)taps * taps);
}

static int
smooth_main(const struct smooth_program *p, int argc, char **argv)
{
    int radius = 2;
    const char *path = NULL, *out_path = NULL;
    const struct suite_extra extra[] = {
        {"--radius", &radius, 1, MOST_RADIUS, "how far the weights reach (2)", NULL},
        {"--in", NULL, 0, 0, "picture: PGM, PPM or PNG", &path},
        {"--out", NULL, 0, 0, "where the result goes", &out_path}};
    struct suite s = suite_begin(p->name, p->title, 256, extra, 3, argc, argv);
    struct image in = path ? image_read(path, 1) : image_make(s.size[0], s.size[1], 1);
    struct image found = image_new(in.width, in.height, 1);
    size_t count = image_bytes(&in);
    float weights[MOST_WEIGHTS], line[2 * MOST_RADIUS + 1];
    double *right = suite_host<double>(count);
    smooth_weights(weights, line, radius);
    if (s.verify)
        smooth_reference(&in, line, radius, right);
    struct smooth m = {
        suite_upload(in.pixels, count), NULL, NULL, NULL, in.width, in.height, radius};
    m.out = suite_device<unsigned char>(count);
    m.weights = suite_upload(weights, (2 * radius + 1) * (2 * radius + 1));
    m.line = suite_upload(line, 2 * radius + 1);
    if (p->prepare)
        p->prepare(weights, line, radius);
    if (count)
        SUITE_TIME(&s, p->launch(&m));
    suite_download(found.pixels, m.out, count);
    for (size_t k = 0; s.verify && k < count; k++) /* half a step of rounding and the sums' own */
        suite_compare_one(&s, "pixel", k, found.pixels[k], right[k], 0.501);
    snprintf(s.size_text, sizeof s.size_text, "%dx%d", in.width, in.height);
    smooth_figures(&s, radius);
    if (out_path)
        image_write(out_path, &found);
    CHECK(cudaFree((void *)m.in));
    CHECK(cudaFree(m.out));
    CHECK(cudaFree((void *)m.weights));
    CHECK(cudaFree((void *)m.line));
    image_free(&in);
    image_free(&found);
    free(right);
    return suite_end(&s);
}

#endif
