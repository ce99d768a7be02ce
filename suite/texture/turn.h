/* SPDX-License-Identifier: Apache-2.0
 *
 * turn.h: the main program of the rungs that turn and zoom a picture: each output pixel looks up
 * where it comes from and mixes the four pixels around; beyond the border the border's pixel
 * counts. --in FILE and
 * --out FILE: PGM, PPM or PNG, grey; --angle degrees. Textures mix with weights of 8 bits, which
 * makes a difference of up to one step of grey and a bit.
 */
#ifndef SUITE_TURN_H
#define SUITE_TURN_H

#include "../common/image.h"

enum { SIDE = 16 };

struct turn {
    const unsigned char *in; /* on the device, rows of `pitch` bytes */
    size_t pitch;
    float *out;
    int width, height;
    float c, s; /* cosine and sine by the zoom */
};

/* Where output pixel (x, y) comes from, in texels: pixel k's middle is at k + 0.5. */
static __host__ __device__ __forceinline__ void
turn_source(const struct turn *t, int x, int y, float *u, float *v)
{
    float dx = (float)x + 0.5f - 0.5f * (float)t->width,
          dy = (float)y + 0.5f - 0.5f * (float)t->height;
    *u = t->c * dx - t->s * dy + 0.5f * (float)t->width;
    *v = t->s * dx + t->c * dy + 0.5f * (float)t->height;
}

struct turn_program {
    const char *name, *title;
    void (*begin)(const struct turn *t);
    void (*launch)(const struct turn *t, dim3 grid, dim3 block);
    void (*end)(void);
};

static inline double
turn_reference(const struct image *in, const struct turn *t, int x, int y)
{
    float u, v;
    double sum = 0;
    turn_source(t, x, y, &u, &v);
    double fx = u - 0.5 - floor(u - 0.5), fy = v - 0.5 - floor(v - 0.5);
    for (int k = 0; k < 4; k++) {
        int i = (int)floor(u - 0.5) + k % 2, j = (int)floor(v - 0.5) + k / 2;
        i = i < 0 ? 0 : i >= t->width ? t->width - 1 : i;
        j = j < 0 ? 0 : j >= t->height ? t->height - 1 : j;
        sum += (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy) * in->pixels[(size_t)j * t->width + i];
    }
    return sum;
}

static inline void
turn_compare(struct suite *s, const struct image *in, const struct turn *t, const float *found,
             struct image *out)
{
    for (int y = 0; y < t->height; y++)
        for (int x = 0; x < t->width; x++) {
            size_t at = (size_t)y * t->width + x;
            out->pixels[at] = (unsigned char)(found[at] + 0.5f);
            if (s->verify)
                suite_compare_one(s, "pixel", at, found[at], turn_reference(in, t, x, y), 1.3);
        }
}

/* --size WxH */
static int
turn_main(const struct turn_program *p, int argc, char **argv)
{
    int angle = 30;
    const char *path = NULL, *out_path = NULL;
    const struct suite_extra extra[] = {{"--angle", &angle, 0, 360, "degrees (30)", NULL},
                                        {"--in", NULL, 0, 0, "picture: PGM, PPM or PNG", &path},
                                        {"--out", NULL, 0, 0, "where the result goes", &out_path}};
    struct suite s = suite_begin(p->name, p->title, 256, extra, 3, argc, argv);
    struct image in = path ? image_read(path, 1) : image_make(s.size[0], s.size[1], 1);
    struct image out = image_new(in.width, in.height, 1);
    size_t count = image_bytes(&in), pitch = 0;
    float *found = suite_host<float>(count), radians = (float)angle * 0.017453293f;
    unsigned char *at = NULL;
    CHECK(
        cudaMallocPitch((void **)&at, &pitch, in.width ? in.width : 1, in.height ? in.height : 1));
    if (count)
        CHECK(cudaMemcpy2D(at, pitch, in.pixels, in.width, in.width, in.height,
                           cudaMemcpyHostToDevice));
    struct turn t = {at,
                     pitch,
                     suite_device<float>(count),
                     in.width,
                     in.height,
                     0.8f * cosf(radians),
                     0.8f * sinf(radians)};
    if (count) {
        if (p->begin)
            p->begin(&t);
        dim3 grid(suite_div_up(in.width, SIDE), suite_div_up(in.height, SIDE)), block(SIDE, SIDE);
        SUITE_TIME(&s, p->launch(&t, grid, block));
        if (p->end)
            p->end();
    }
    suite_download(found, t.out, count);
    turn_compare(&s, &in, &t, found, &out);
    snprintf(s.size_text, sizeof s.size_text, "%dx%d", in.width, in.height);
    suite_figure(&s, "pitch of the rows, bytes", pitch);
    if (out_path)
        image_write(out_path, &out);
    suite_free_device(at, t.out);
    image_free(&in);
    image_free(&out);
    free(found);
    return suite_end(&s);
}

#endif
