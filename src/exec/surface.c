/* SPDX-License-Identifier: Apache-2.0
 *
 * surface.c: reading, writing and reducing texels of a surface (suld, sust, sured). A surface is an
 * array's storage: the place of an access is checked against its size, and outside the instruction
 * says what happens: .trap ends the kernel, .clamp takes the nearest place, .zero reads 0 and
 * writes nothing (PTX ISA 9.7.11).
 */
#include "exec/exec_priv.h"
#include "memory/texture.h"

#include <stdio.h>
#include <string.h>

struct surface {
    struct jit_warp *warp;
    struct jit_image_insn what;
    uint32_t place;
    const struct texture *texture;
    struct jit_image_data *data;
    uint32_t bytes; /* of an access */
};

static _Noreturn void
fail(const struct surface *s, uint32_t lane, enum exec_status status, const char *what,
     const char *detail)
{
    exec_escape(s->warp->owner, s->warp->warp, 1u << lane, s->place, true, status, what, detail);
}

static _Noreturn void
out_of_bounds(const struct surface *s, uint32_t lane, const int64_t at[4], const int64_t size[4])
{
    char detail[200];
    snprintf(
        detail, sizeof detail,
        "byte %lld of a row, row %lld, slice %lld, layer %lld; the surface has %lld bytes a row, "
        "%lld rows, %lld slices, %lld layers",
        (long long)at[0], (long long)at[1], (long long)at[2], (long long)at[3], (long long)size[0],
        (long long)size[1], (long long)size[2], (long long)size[3]);
    fail(s, lane, EXEC_SURFACE, "surface access out of bounds", detail);
}

/* The address of a lane's texel; 0: outside, and not to be touched. */
static uint64_t
locate(const struct surface *s, uint32_t lane)
{
    const struct texture_level *l = &s->texture->level[0];
    const struct jit_image_data *d = s->data;
    uint32_t element = s->texture->channels * s->texture->bits / 8u;
    bool texels = s->what.flags & JIT_IMAGE_FORMATTED;
    uint32_t geometry = s->what.geometry;
    int64_t at[4] = {(int32_t)d->coordinate[0][lane], 0, 0, 0};
    const int64_t size[4] = {(int64_t)l->width * element, l->height, l->depth, l->layers};
    if (texels)
        at[0] *= element;
    if (geometry == JIT_2D || geometry == JIT_3D || geometry == JIT_A2D)
        at[1] = (int32_t)d->coordinate[1][lane];
    if (geometry == JIT_3D)
        at[2] = (int32_t)d->coordinate[2][lane];
    if (geometry == JIT_A1D || geometry == JIT_A2D)
        at[3] = (int32_t)d->layer[lane];
    for (uint32_t k = 0; k < 4; k++) {
        int64_t most = size[k] - (k == 0 ? (int64_t)s->bytes : 1);
        if (at[k] >= 0 && at[k] <= most)
            continue;
        if (s->what.detail == JIT_BOUND_TRAP)
            out_of_bounds(s, lane, at, size);
        if (s->what.detail == JIT_BOUND_ZERO || most < 0)
            return 0;
        at[k] = at[k] < 0 ? 0 : most;
    }
    if (at[0] % s->bytes)
        fail(s, lane, EXEC_MISALIGNED, "misaligned surface access",
             "x is in bytes, a multiple of the size of what is accessed");
    return l->base + (uint64_t)(at[2] + at[3]) * l->slice + (uint64_t)at[1] * l->pitch +
           (uint64_t)at[0];
}

/* Addresses of the lanes that access memory, made known to whoever watches. */
static uint32_t
locate_all(const struct surface *s, uint32_t lanes, enum jit_access_op op,
           uint64_t address[JIT_LANES])
{
    uint32_t inside = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        address[lane] = locate(s, lane);
        inside |= (uint32_t)(address[lane] != 0) << lane;
    }
    const struct jit_services *services = s->warp->block->launch->services;
    if (inside && services->access)
        services->access(s->warp, inside, address, s->bytes, PTX_SPACE_GLOBAL, op, s->place);
    return inside;
}

/* -- bytes as they are (.b) -------------------------------------------------------------------- */

static void
load(const struct surface *s, uint32_t lane, uint64_t address)
{
    const uint8_t *from = (const uint8_t *)(uintptr_t)address;
    uint32_t part = s->what.bytes < 4 ? s->what.bytes : 4;
    for (uint32_t at = 0, row = 0; at < s->bytes; at += part, row++) {
        uint32_t v = 0;
        if (address)
            memcpy(&v, from + at, part);
        s->data->result[row][lane] = v;
    }
}

static void
store(const struct surface *s, uint32_t lane, uint64_t address)
{
    uint8_t *to = (uint8_t *)(uintptr_t)address;
    uint32_t part = s->what.bytes < 4 ? s->what.bytes : 4;
    for (uint32_t at = 0, row = 0; at < s->bytes; at += part, row++)
        memcpy(to + at, &s->data->extra[row][lane], part);
}

/* -- values converted (.p) --------------------------------------------------------------------- */

static int64_t
bounded(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Components are 32 bits; the surface's format says what they are and how wide they end up. */
static void
store_formatted(const struct surface *s, uint32_t lane, uint64_t address)
{
    const struct texture *t = s->texture;
    uint8_t *to = (uint8_t *)(uintptr_t)address;
    for (uint32_t k = 0; k < t->channels; k++) {
        uint32_t v = k < s->what.components ? s->data->extra[k][lane] : 0;
        if (t->kind == TEXTURE_FLOAT && t->bits == 16)
            v = texture_half_of(v);
        else if (t->kind == TEXTURE_SIGNED && t->bits < 32)
            v = (uint32_t)bounded((int32_t)v, -(1 << (t->bits - 1)), (1 << (t->bits - 1)) - 1);
        else if (t->kind == TEXTURE_UNSIGNED && t->bits < 32)
            v = (uint32_t)bounded(v, 0, (1 << t->bits) - 1);
        memcpy(to + k * t->bits / 8, &v, t->bits / 8);
    }
}

/* -- reductions -------------------------------------------------------------------------------- */

static uint64_t
combine(const struct surface *s, uint64_t a, uint64_t b)
{
    bool is_signed = s->what.flags & JIT_IMAGE_SIGNED, wide = s->what.bytes == 8;
    int64_t x = wide ? (int64_t)a : (int32_t)a, y = wide ? (int64_t)b : (int32_t)b;
    bool less = is_signed ? x < y : a < b;
    switch (s->what.action) {
    case JIT_RED_ADD: return a + b;
    case JIT_RED_MIN: return less ? a : b;
    case JIT_RED_MAX: return less ? b : a;
    case JIT_RED_AND: return a & b;
    default: return a | b;
    }
}

static void
reduce(const struct surface *s, uint32_t lane, uint64_t address)
{
    uint64_t value = s->data->extra[0][lane];
    if (s->what.bytes == 8) {
        uint64_t *at = (uint64_t *)(uintptr_t)address, old = __atomic_load_n(at, __ATOMIC_RELAXED);
        value |= (uint64_t)s->data->extra[1][lane] << 32;
        while (!__atomic_compare_exchange_n(at, &old, combine(s, old, value), true,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
        return;
    }
    uint32_t *at = (uint32_t *)(uintptr_t)address, old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, (uint32_t)combine(s, old, value), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void
exec_surface(struct jit_warp *w, uint32_t lanes, struct jit_image_insn what, uint32_t place,
             const struct texture *t, struct jit_image_data *data)
{
    struct surface s = {.warp = w, .what = what, .place = place, .texture = t, .data = data};
    uint64_t address[JIT_LANES] = {0};
    bool formatted = what.flags & JIT_IMAGE_FORMATTED;
    s.bytes = formatted ? t->channels * t->bits / 8u : (uint32_t)what.bytes * what.components;
    if (!t->surface)
        fail(&s, (uint32_t)__builtin_ctz(lanes), EXEC_ILLEGAL_ADDRESS, "illegal surface",
             "the handle is a texture's");
    enum jit_access_op op = what.op == JIT_SURF_LOAD    ? JIT_LOAD
                            : what.op == JIT_SURF_STORE ? JIT_STORE
                                                        : JIT_ATOMIC;
    uint32_t inside = locate_all(&s, lanes, op, address);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        if (what.op == JIT_SURF_LOAD)
            load(&s, lane, address[lane]);
        else if (!(inside >> lane & 1))
            continue;
        else if (what.op == JIT_SURF_REDUCE)
            reduce(&s, lane, address[lane]);
        else if (formatted)
            store_formatted(&s, lane, address[lane]);
        else
            store(&s, lane, address[lane]);
    }
}
