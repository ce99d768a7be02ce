/* SPDX-License-Identifier: Apache-2.0
 *
 * picture.h: the main program of the picture kernels: every sample doubled, at most 255, --size
 * WIDTHxHEIGHT or --in FILE (PGM, PPM, PNG), --out FILE. It counts the four kinds of blocks:
 * inside; beyond the right edge; beyond the lower edge; both.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "../common/image.h"

enum { SIDE = 16 };

struct picture_kernel {
    const char *name, *title;
    int wide; /* samples of a row that a thread takes */
    /* samples: width times channels, a row; kinds: one of 1 to 4 for each block, row by row. */
    void (*launch)(const unsigned char *in, unsigned char *out, int *kinds, int samples, int rows);
};

/* 1: all threads inside, 2: some beyond the right edge, 3: the lower one, 4: both. */
static __device__ __forceinline__ void
picture_kind(int *kinds, int samples, int rows)
{
    int right = (blockIdx.x + 1) * blockDim.x > samples;
    int below = (blockIdx.y + 1) * blockDim.y > rows;
    if (threadIdx.x == 0 && threadIdx.y == 0)
        kinds[blockIdx.y * gridDim.x + blockIdx.x] = 1 + right + 2 * below;
}

static void
picture_show_kinds(struct suite *s, const int *kinds, int across, int down)
{
    static const char *const names[] = {"inside", "right", "lower", "corner"};
    int counts[5] = {};
    for (int i = 0; i < across * down; i++)
        if (kinds[i] >= 1 && kinds[i] <= 4)
            counts[kinds[i]]++;
        else
            suite_wrong(s, "block %d did not run", i);
    suite_say(s, "%d x %d blocks\n", across, down);
    for (int i = 0; i < across * down && across <= 64; i++)
        suite_say(s, i % across == across - 1 ? " %d\n" : " %d", kinds[i]);
    suite_say(s, "\n");
    suite_figure(s, "blocks", across * down);
    for (int i = 1; i <= 4; i++) {
        char name[40];
        snprintf(name, sizeof name, "blocks_%s", names[i - 1]);
        suite_figure(s, name, counts[i]);
    }
}

static int
picture_main(const struct picture_kernel *k, int argc, char **argv)
{
    int channels = 1;
    const char *in_name = NULL, *out_name = NULL;
    const struct suite_extra extra[] = {
        {"--in", NULL, 0, 0, "picture to read: PGM, PPM, PNG", &in_name},
        {"--out", NULL, 0, 0, "where the result goes", &out_name},
        {"--channels", &channels, 1, 3, "of a generated picture: 1 or 3", NULL}};
    struct suite s = suite_begin_sized(k->name, k->title, "76x62", extra, 3, argc, argv);
    struct image picture =
        in_name ? image_read(in_name, 0) : image_make(s.size[0], s.size[1], channels == 3 ? 3 : 1);
    snprintf(s.size_text, sizeof s.size_text, "%dx%d", picture.width, picture.height);
    int samples = picture.width * picture.channels, rows = picture.height;
    size_t count = image_bytes(&picture);
    int across = suite_div_up(suite_div_up(samples, k->wide), SIDE),
        down = suite_div_up(rows, SIDE);
    unsigned char *found = suite_host<unsigned char>(count);
    unsigned char *right = suite_host<unsigned char>(count);
    int *kinds = suite_host<int>(across * down);
    for (size_t i = 0; i < count; i++)
        right[i] = 2 * picture.pixels[i] > 255 ? 255 : 2 * picture.pixels[i];
    unsigned char *in = suite_upload(picture.pixels, count),
                  *out = suite_device<unsigned char>(count);
    int *device_kinds = suite_device<int>(across * down);
    if (count)
        SUITE_TIME(&s, k->launch(in, out, device_kinds, samples, rows));
    suite_download(found, out, count);
    suite_download(kinds, device_kinds, across * down);
    suite_compare_equal(&s, "picture", found, right, count);
    picture_show_kinds(&s, kinds, across, down);
    if (out_name) {
        memcpy(picture.pixels, found, count);
        image_write(out_name, &picture);
    }
    suite_free_device(in, out, device_kinds);
    image_free(&picture);
    suite_free_host(found, right, kinds);
    return suite_end(&s);
}

#endif
