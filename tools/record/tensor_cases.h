/* SPDX-License-Identifier: Apache-2.0
 *
 * Random tensor maps and the copies that use them, made from a number: the same on a GPU and here.
 * tensor_case_make draws one; the contents of memory are tensor_fill's. Numbers of types, modes and
 * operations are those of cuda.h. A map's tensor lies in a buffer of TENSOR_BUFFER bytes.
 */
#ifndef TENSOR_CASES_H
#define TENSOR_CASES_H

#include <stdint.h>
#include <string.h>

enum { TENSOR_BUFFER = 256 << 10, TENSOR_TILE = 48 << 10, TENSOR_BASE = 64 << 10 };
enum tensor_what { TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE, TENSOR_WHATS };
enum tensor_reduction { T_ADD, T_MIN, T_MAX, T_INC, T_DEC, T_AND, T_OR, T_XOR, T_REDUCTIONS };

struct tensor_case {
    uint32_t what, im2col, reduction;
    uint32_t type, rank, interleave, swizzle, fill;
    uint64_t offset; /* of the tensor in the buffer */
    uint64_t dim[5], stride[5];
    uint32_t box[5], step[5];
    int32_t at[5];
    int32_t lower[3], upper[3]; /* im2col: W, H, D */
    uint32_t channels, pixels, shift[3];
    uint32_t tile; /* where in shared memory */
    uint32_t bytes;
    uint64_t seed;
};

static const uint8_t tensor_type_bytes[13] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

struct tensor_random {
    uint64_t state;
};

static inline uint64_t
tensor_next(struct tensor_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static inline uint32_t
tensor_draw(struct tensor_random *r, uint32_t least, uint32_t most)
{
    return least + (uint32_t)(tensor_next(r) % (most - least + 1));
}

static inline int
tensor_floats(uint32_t type)
{
    return type >= 6;
}

/* Random bits; floating-point elements are small numbers mostly, as sums of any bits are NaN. */
static inline void
tensor_fill(uint64_t seed, uint32_t type, void *to, size_t bytes)
{
    struct tensor_random r = {seed};
    uint8_t *at = to;
    for (size_t k = 0; k < bytes; k += 8) {
        uint64_t x = tensor_next(&r);
        /* exponents into a range around 1 for seven of eight words */
        if (x % 8 && (type == 6 || type == 9))
            x = (x & 0x8fff8fff8fff8fff) | (type == 6 ? 0x3000300030003000 : 0x3f803f803f803f80);
        else if (x % 8 && (type == 7 || type >= 10))
            x = (x & 0x81ffffff81ffffff) | 0x3e0000003e000000;
        memcpy(at + k, &x, 8);
    }
}

static inline uint64_t
tensor_hash(const void *from, size_t bytes)
{
    const uint8_t *at = from;
    uint64_t h = 0x243f6a8885a308d3;
    for (size_t k = 0; k + 8 <= bytes; k += 8) {
        uint64_t x;
        memcpy(&x, at + k, 8);
        h = (h ^ x) * 0x9fb21c651e98df25;
        h ^= h >> 32;
    }
    return h;
}

static inline uint32_t
tensor_span(uint32_t swizzle)
{
    return swizzle == 0 ? 0 : swizzle == 1 ? 32 : swizzle == 2 ? 64 : 128;
}

/* Along each dimension: mostly inside, over an edge, now and then far away. */
static inline int32_t
tensor_place(struct tensor_random *r, uint64_t dim, uint32_t box)
{
    uint32_t kind = tensor_draw(r, 0, 19);
    if (kind == 0)
        return (int32_t)tensor_draw(r, 0, 200000) - 100000;
    if (kind < 8)
        return (int32_t)tensor_draw(r, 0, (uint32_t)dim + box) - (int32_t)box;
    return dim > box ? (int32_t)tensor_draw(r, 0, (uint32_t)dim - box) : 0;
}

/* The hardware refuses rows that do not begin at a multiple of 16 bytes. */
static inline void
tensor_align(struct tensor_case *c)
{
    if (!c->interleave)
        c->at[0] &= ~(16 / tensor_type_bytes[c->type] - 1);
}

/* Rows of up to a kilobyte, the dimensions' order in memory as it comes, within TENSOR_BASE bytes. */
static inline void
tensor_shape(struct tensor_random *r, struct tensor_case *c)
{
    uint32_t size = tensor_type_bytes[c->type], unit = c->interleave == 2 ? 32 : 16;
    uint64_t room = 96 << 10, step;
    c->dim[0] = tensor_draw(r, 1, 1024 / size);
    if (c->interleave)
        c->dim[0] = tensor_draw(r, 1, 3 * unit / size);
    step = (c->dim[0] * size + unit - 1) / unit * unit;
    uint32_t order[5] = {0, 1, 2, 3, 4};
    for (uint32_t k = 1; k + 1 < c->rank; k++)
        if (tensor_draw(r, 0, 3) == 0) {
            uint32_t t = order[k];
            order[k] = order[k + 1], order[k + 1] = t;
        }
    for (uint32_t k = 1; k < c->rank; k++) {
        uint32_t d = order[k];
        step += tensor_draw(r, 0, 3) ? 0 : unit * tensor_draw(r, 1, 3);
        uint64_t most = room / step;
        c->dim[d] = tensor_draw(r, 1, most > 40 ? 40 : most < 1 ? 1 : (uint32_t)most);
        if (c->rank > 3 && c->dim[d] > 12)
            c->dim[d] = 12;
        c->stride[d - 1] = step;
        step *= c->dim[d];
    }
    c->offset = TENSOR_BASE + 32 * tensor_draw(r, 0, 31) + (unit == 16 ? 16 * tensor_draw(r, 0, 1) : 0);
}

static inline void
tensor_box(struct tensor_random *r, struct tensor_case *c)
{
    uint32_t size = tensor_type_bytes[c->type], span = tensor_span(c->swizzle);
    uint32_t row = span ? span : 512, left = 32 << 10, inner = row / 16;
    if (c->interleave) {
        c->box[0] = tensor_draw(r, 1, 2) * 16 / size;
        inner = 0;
    } else {
        while (inner * 16 / size > 256)
            inner--;
        c->box[0] = (tensor_draw(r, 0, 2) ? tensor_draw(r, 1, inner) : inner) * 16 / size;
    }
    left /= c->interleave ? c->box[0] * 32 * 4 : span ? span : c->box[0] * size;
    for (uint32_t k = 0; k < 5; k++)
        c->step[k] = 1;
    for (uint32_t k = 1; k < c->rank; k++) {
        uint32_t most = left > 64 ? 64 : left;
        c->box[k] = tensor_draw(r, 1, most > 8 && tensor_draw(r, 0, 1) ? most / 4 : most);
        c->step[k] = tensor_draw(r, 0, 5) ? 1 : tensor_draw(r, 1, 8);
        left /= (c->box[k] + c->step[k] - 1) / c->step[k];
    }
    c->bytes = c->interleave ? c->box[0] * 16 * c->interleave : c->box[0] * size;
    /* Interleaved channels as the manual might be read, in slices: hardware copies one of them. */
    for (uint32_t k = 1; k < c->rank; k++) {
        uint32_t count = (c->box[k] + c->step[k] - 1) / c->step[k], each = 16 * c->interleave / size;
        c->bytes *= c->interleave && k + 2 == c->rank ? (count + each - 1) / each : count;
    }
    for (uint32_t k = 0; k < c->rank; k++)
        c->at[k] = tensor_place(r, c->dim[k], c->box[k]);
    tensor_align(c);
}

static inline void
tensor_pixels(struct tensor_random *r, struct tensor_case *c)
{
    static const int32_t reach[6] = {0, 0, 0, 20, 20, 7};
    uint32_t size = tensor_type_bytes[c->type], span = tensor_span(c->swizzle), n = c->rank - 2;
    uint32_t inner = (span ? span : 256) / 16;
    c->channels = tensor_draw(r, 1, inner) * 16 / size;
    uint32_t most = (16 << 10) / (span ? span : c->channels * size);
    c->pixels = tensor_draw(r, 1, most > 128 ? 128 : most);
    for (uint32_t k = 0; k < 5; k++)
        c->step[k] = 1;
    for (uint32_t k = 0; k < n; k++) {
        int32_t dim = (int32_t)c->dim[k + 1], low = (int32_t)tensor_draw(r, 0, 4) - 2,
                high = (int32_t)tensor_draw(r, 0, 4) - 2;
        if (low + 1 > dim + high || low > reach[c->rank] || tensor_draw(r, 0, 3) == 0)
            low = 0, high = 0;
        c->lower[k] = low, c->upper[k] = high;
        c->shift[k] = tensor_draw(r, 0, 3);
        c->step[k + 1] = tensor_draw(r, 0, 4) ? 1 : tensor_draw(r, 1, 3);
        c->at[k + 1] = low + (int32_t)tensor_draw(r, 0, (uint32_t)(dim + high - low - 1));
    }
    c->at[0] = tensor_place(r, c->dim[0], c->channels);
    c->at[c->rank - 1] = (int32_t)tensor_draw(r, 0, (uint32_t)c->dim[c->rank - 1]);
    tensor_align(c);
    c->bytes = c->channels * size * c->pixels;
}

/* Which reductions a type has on the hardware (cp.reduce.async.bulk.tensor, measured). */
static inline void
tensor_reduction_draw(struct tensor_random *r, struct tensor_case *c)
{
    static const uint8_t types[T_REDUCTIONS][6] = {
        [T_ADD] = {2, 3, 10, 6, 9, 7}, [T_MIN] = {2, 3, 4, 5, 6, 9}, [T_MAX] = {2, 3, 4, 5, 6, 9},
        [T_INC] = {2, 2, 2, 2, 2, 2}, [T_DEC] = {2, 2, 2, 2, 2, 2}, [T_AND] = {2, 3, 4, 2, 3, 4},
        [T_OR] = {2, 3, 4, 2, 3, 4},  [T_XOR] = {2, 3, 4, 2, 3, 4},
    };
    c->reduction = tensor_draw(r, 0, T_REDUCTIONS - 1);
    c->type = types[c->reduction][tensor_draw(r, 0, 5)];
}

static inline void
tensor_case_make(uint64_t seed, uint32_t index, struct tensor_case *c)
{
    struct tensor_random one = {seed * 1000003 + index}, *r = &one;
    memset(c, 0, sizeof *c);
    c->seed = tensor_next(r);
    uint32_t kind = tensor_draw(r, 0, 9);
    c->what = kind < 6 ? TENSOR_LOAD : kind < 8 ? TENSOR_STORE : TENSOR_REDUCE;
    c->type = tensor_draw(r, 0, 12);
    if (c->what == TENSOR_REDUCE)
        tensor_reduction_draw(r, c);
    c->rank = tensor_draw(r, 1, 5);
    c->im2col = c->rank > 2 && tensor_draw(r, 0, 3) == 0;
    c->interleave = c->rank > 2 && !c->im2col && tensor_draw(r, 0, 3) == 0 ? tensor_draw(r, 1, 2) : 0;
    c->swizzle = c->interleave == 2 ? 1 : tensor_draw(r, 0, 3);
    c->fill = tensor_floats(c->type) && tensor_draw(r, 0, 2) == 0;
    tensor_shape(r, c);
    if (c->im2col)
        tensor_pixels(r, c);
    else
        tensor_box(r, c);
    c->tile = 128 * tensor_draw(r, 0, 15);
}

#endif
