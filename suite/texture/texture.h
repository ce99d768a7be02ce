/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.h: the main program of the rungs that read a texture of 1, 2 or 3 dimensions at many
 * places, inside and outside, in every way there is: clamp, wrap, mirror and border; nearest texel
 * and linear filter; coordinates in texels and normalised. The reference follows the Programming
 * Guide's appendix "Texture Fetching"; the hardware's filter has weights of 8 bits behind the
 * point, which sets the tolerance.
 */
#ifndef SUITE_TEXTURE_H
#define SUITE_TEXTURE_H

#include "../common/suite.h"

enum { BLOCK = 128, PLACES = 4096, DIMENSIONS_MOST = 3 };

struct sampling {
    const float *texel;
    int size[3], dims;
    enum cudaTextureAddressMode mode;
    int linear, normalized;
};

/* A texel's number along one axis; -1: the border's colour, which is 0. */
static inline long
texture_index(long i, long n, const struct sampling *p)
{
    enum cudaTextureAddressMode mode = p->mode;
    if (!p->normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
        mode = cudaAddressModeClamp; /* these two need normalised coordinates */
    long turn = (i % (2 * n) + 2 * n) % (2 * n);
    switch (mode) {
    case cudaAddressModeWrap: return turn % n;
    case cudaAddressModeMirror: return turn < n ? turn : 2 * n - 1 - turn;
    case cudaAddressModeClamp: return i < 0 ? 0 : i >= n ? n - 1 : i;
    default: return i >= 0 && i < n ? i : -1;
    }
}

/* x: in texels. The hardware filters a 1-D texture as a plane of one row, read at that row's upper
 * edge: with the border mode half of what it mixes is border (readings:
 * tests/data/h200_texture.csv). */
static inline double
texture_reference(const struct sampling *p, const float *x)
{
    double sum = 0, shown = p->dims == 1 && p->linear && p->mode == cudaAddressModeBorder ? 0.5 : 1;
    for (int corner = 0; corner < 1 << p->dims; corner++) {
        double weight = 1;
        long at = 0, inside = 1;
        for (int k = p->dims - 1; k >= 0; k--) {
            double place = x[k] - (p->linear ? 0.5 : 0),
                   part = p->linear ? place - floor(place) : 0;
            int up = corner >> k & 1;
            long i = texture_index((long)floor(place) + up, p->size[k], p);
            weight *= up ? part : 1 - part;
            inside &= i >= 0;
            at = at * p->size[k] + (i < 0 ? 0 : i);
        }
        sum += inside && weight > 0 ? weight * p->texel[at] : 0;
    }
    return shown * sum;
}

static inline cudaTextureObject_t
texture_object(cudaArray_t array, const struct sampling *p)
{
    cudaTextureObject_t t = 0;
    struct cudaResourceDesc from = {};
    struct cudaTextureDesc how = {};
    from.resType = cudaResourceTypeArray;
    from.res.array.array = array;
    for (int k = 0; k < 3; k++)
        how.addressMode[k] = p->mode;
    how.filterMode = p->linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = p->normalized;
    CHECK(cudaCreateTextureObject(&t, &from, &how, NULL));
    return t;
}

/* Places from a size before the texture to a size behind it, an eighth
 * of a texel off any border. */
static inline void
texture_places(float *x, const struct sampling *p)
{
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < p->dims; k++) {
            uint32_t r = suite_random(i * 4 + k, 5);
            x[k * PLACES + i] = (float)((int)(r % (3 * p->size[k])) - p->size[k]) + 0.125f +
                                0.25f * (float)(r >> 30);
        }
}

/* Reads the texture at PLACES places; x[axis * PLACES + i] are their coordinates. */
typedef void texture_kernel(cudaTextureObject_t t, const float *x, float *out);

static inline void
texture_try(struct suite *s, cudaArray_t array, const struct sampling *p, texture_kernel *kernel)
{
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    static float host[DIMENSIONS_MOST * PLACES], scaled[DIMENSIONS_MOST * PLACES], found[PLACES];
    char what[80];
    texture_places(host, p);
    for (int k = 0; k < p->dims; k++)
        for (int i = 0; i < PLACES; i++)
            scaled[k * PLACES + i] = host[k * PLACES + i] / (p->normalized ? (float)p->size[k] : 1);
    float *x = suite_upload(scaled, p->dims * PLACES), *out = suite_device<float>(PLACES);
    cudaTextureObject_t t = texture_object(array, p);
    SUITE_TIME(s, (kernel<<<PLACES / BLOCK, BLOCK>>>(t, x, out)));
    suite_download(found, out, PLACES);
    snprintf(what, sizeof what, "%s, %s, %s", modes[p->mode], p->linear ? "linear" : "point",
             p->normalized ? "normalised" : "in texels");
    for (int i = 0; i < PLACES; i++) {
        float at[3];
        for (int k = 0; k < p->dims; k++)
            at[k] = host[k * PLACES + i];
        suite_compare_one(s, what, i, found[i], texture_reference(p, at),
                          p->linear ? 0.006 * p->dims : 1e-7);
    }
    CHECK(cudaDestroyTextureObject(t));
    suite_free_device(x, out);
}

/* What the four modes make of places outside. */
static inline void
texture_picture(const struct suite *s)
{
    static const float four[4] = {10, 20, 30, 40};
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    suite_say(s, "texels 10 20 30 40, read at -3.5, -2.5, ... 7.5, nearest texel, normalised\n");
    for (int m = 0; m < 4; m++) {
        struct sampling p = {four, {4, 1, 1}, 1, (enum cudaTextureAddressMode)m, 0, 1};
        suite_say(s, "%-8s", modes[m]);
        for (int i = -4; i < 8; i++) {
            float x = (float)i + 0.5f;
            suite_say(s, i == 0 || i == 4 ? " |%4.0f" : "%4.0f", texture_reference(&p, &x));
        }
        suite_say(s, "\n");
    }
}

static int
texture_main(const char *name, const char *title, int dims, texture_kernel *kernel, int argc,
             char **argv)
{
    struct suite s = suite_begin(name, title, 17, NULL, 0, argc, argv);
    struct sampling p = {NULL, {1, 1, 1}, dims, cudaAddressModeWrap, 0, 0};
    size_t count = 1;
    for (int k = 0; k < dims; k++)
        count *= p.size[k] = s.size[k];
    float *host = suite_host<float>(count);
    suite_fill(host, count, 1);
    p.texel = host;
    cudaArray_t array = NULL;
    struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    struct cudaExtent extent =
        make_cudaExtent(p.size[0], dims > 1 ? p.size[1] : 0, dims > 2 ? p.size[2] : 0);
    CHECK(cudaMalloc3DArray(&array, &desc, extent, 0));
    struct cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, p.size[0] * sizeof(float), p.size[0], p.size[1]);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(p.size[0], p.size[1], p.size[2]);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    for (int way = 0; way < 16; way++) {
        p.mode = (enum cudaTextureAddressMode)(way & 3);
        p.linear = way >> 2 & 1;
        p.normalized = way >> 3;
        texture_try(&s, array, &p, kernel);
    }
    texture_picture(&s);
    suite_figure(&s, "ways of reading", 16);
    CHECK(cudaFreeArray(array));
    free(host);
    return suite_end(&s);
}

#endif
