/* SPDX-License-Identifier: Apache-2.0
 *
 * image.h: pictures for the programs of the suite: PGM and PPM (plain and raw, 8 bit) read and
 * written here, PNG by libpng where its header was there when the program was compiled and the
 * library is there when it runs. A picture is rows of pixels of one (grey) or three (red, green,
 * blue) bytes.
 *
 *     struct image in = path ? image_read(path, 1) : image_make(640, 480, 1);
 *     ...
 *     image_write("out.pgm", &out);
 *
 * What cannot be read or written is said with the file's name, exit status 1.
 */
#ifndef SUITE_IMAGE_H
#define SUITE_IMAGE_H

#include "suite.h"

#include <ctype.h>

#if __has_include(<png.h>)
#include <dlfcn.h>
#include <png.h>
#define SUITE_PNG 1
#endif

struct image {
    int width, height, channels;
    unsigned char *pixels;
};

static inline size_t
image_bytes(const struct image *i)
{
    return (size_t)i->width * i->height * i->channels;
}

static inline struct image
image_new(int width, int height, int channels)
{
    struct image i = {width, height, channels, NULL};
    i.pixels = suite_host<unsigned char>(image_bytes(&i));
    return i;
}

static inline void
image_free(struct image *i)
{
    free(i->pixels);
    i->pixels = NULL;
}

static inline void __attribute__((noreturn)) image_fail(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

/* A picture when none is given: rings, a ramp and some noise, different in every channel. */
static inline struct image
image_make(int width, int height, int channels)
{
    struct image i = image_new(width, height, channels);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) {
                size_t at = ((size_t)y * width + x) * channels + c;
                double u = x - 0.5 * width, v = y - (0.3 + 0.2 * c) * height;
                double ring = 60 * sin(0.15 * sqrt(u * u + v * v)), ramp = 100.0 * x / width;
                i.pixels[at] = (unsigned char)(70 + ring + ramp + suite_random(at, 7) % 16);
            }
    return i;
}

/* One channel to three or three to one (the usual weights); frees the first. */
static inline struct image
image_convert(struct image from, int channels)
{
    if (!channels || from.channels == channels)
        return from;
    struct image to = image_new(from.width, from.height, channels);
    for (size_t k = 0; k < (size_t)from.width * from.height; k++)
        if (channels == 3)
            memset(to.pixels + 3 * k, from.pixels[k], 3);
        else {
            const unsigned char *p = from.pixels + 3 * k;
            to.pixels[k] = (unsigned char)(0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] + 0.5);
        }
    image_free(&from);
    return to;
}

/* The next number of a PNM header or of a plain PNM's pixels; comments begin with #. */
static inline int
image_number(FILE *f, const char *path)
{
    int c, n = 0;
    while ((c = getc(f)) == '#' || isspace(c))
        while (c == '#' && (c = getc(f)) != '\n' && c != EOF)
            c = '#';
    if (!isdigit(c))
        image_fail(path, "a number is missing");
    for (; isdigit(c); c = getc(f))
        if ((n = 10 * n + c - '0') > 65536)
            image_fail(path, "a number is too large");
    return n;
}

static inline struct image
image_read_pnm(FILE *f, const char *path)
{
    int kind = getc(f) == 'P' ? getc(f) - '0' : 0;
    if (kind != 2 && kind != 3 && kind != 5 && kind != 6)
        image_fail(path, "neither PGM (P2, P5) nor PPM (P3, P6) nor PNG");
    int width = image_number(f, path), height = image_number(f, path), most = image_number(f, path);
    if (most < 1 || most > 255 || (size_t)width * height > SUITE_MOST)
        image_fail(path, "not 8 bits a value, or too large");
    struct image i = image_new(width, height, kind == 2 || kind == 5 ? 1 : 3);
    if (kind < 4)
        for (size_t k = 0; k < image_bytes(&i); k++)
            i.pixels[k] = (unsigned char)image_number(f, path);
    else if (fread(i.pixels, 1, image_bytes(&i), f) != image_bytes(&i))
        image_fail(path, "ends too early");
    for (size_t k = 0; most != 255 && k < image_bytes(&i); k++)
        i.pixels[k] = (unsigned char)(i.pixels[k] * 255 / most);
    return i;
}

static inline int
image_is_png(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".png") == 0;
}

#ifdef SUITE_PNG
static inline void *
image_png_function(const char *path, const char *name)
{
    static void *library;
    if (!library && !(library = dlopen("libpng16.so.16", RTLD_NOW)))
        image_fail(path, "PNG needs libpng16.so.16");
    return dlsym(library, name);
}

static inline struct image
image_read_png(const char *path)
{
    typedef int begin_function(png_imagep, const char *);
    typedef int finish_function(png_imagep, png_const_colorp, void *, png_int_32, void *);
    begin_function *begin =
        (begin_function *)image_png_function(path, "png_image_begin_read_from_file");
    finish_function *finish = (finish_function *)image_png_function(path, "png_image_finish_read");
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    if (!begin(&png, path))
        image_fail(path, png.message);
    png.format = png.format & PNG_FORMAT_FLAG_COLOR ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    struct image i =
        image_new((int)png.width, (int)png.height, png.format == PNG_FORMAT_RGB ? 3 : 1);
    png_color black = {};
    if (!finish(&png, &black, i.pixels, 0, NULL))
        image_fail(path, png.message);
    return i;
}

static inline void
image_write_png(const char *path, const struct image *i)
{
    typedef int write_function(png_imagep, const char *, int, const void *, png_int_32,
                               const void *);
    write_function *write = (write_function *)image_png_function(path, "png_image_write_to_file");
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)i->width;
    png.height = (png_uint_32)i->height;
    png.format = i->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    if (!write(&png, path, 0, i->pixels, 0, NULL))
        image_fail(path, png.message);
}
#else
static inline struct image
image_read_png(const char *path)
{
    image_fail(path, "this program was compiled without png.h");
}
static inline void
image_write_png(const char *path, const struct image *i)
{
    (void)i;
    image_fail(path, "this program was compiled without png.h");
}
#endif

/* channels: 1 or 3, what the caller wants; 0: as the file has them. */
static inline struct image
image_read(const char *path, int channels)
{
    FILE *f = image_is_png(path) ? NULL : fopen(path, "rb");
    if (image_is_png(path))
        return image_convert(image_read_png(path), channels);
    if (!f)
        image_fail(path, "cannot be opened");
    struct image i = image_read_pnm(f, path);
    fclose(f);
    return image_convert(i, channels);
}

/* PNG where the name ends so, else raw PGM or PPM. */
static inline void
image_write(const char *path, const struct image *i)
{
    if (image_is_png(path)) {
        image_write_png(path, i);
        return;
    }
    FILE *f = fopen(path, "wb");
    if (!f)
        image_fail(path, "cannot be written");
    fprintf(f, "P%d\n%d %d\n255\n", i->channels == 3 ? 6 : 5, i->width, i->height);
    int ok = fwrite(i->pixels, 1, image_bytes(i), f) == image_bytes(i);
    if (fclose(f) != 0 || !ok)
        image_fail(path, "cannot be written");
}

#endif
