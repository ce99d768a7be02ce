/* SPDX-License-Identifier: Apache-2.0
 *
 * stepped_run.c: run by code for a debugger: a step, a load, a store.
 */
#include "jit/ops/stepped.h"

#include <string.h>

void
jit_stepped(struct jit_warp *w, struct jit_steps *steps, struct jit_activation *a, uint32_t site,
            uint32_t place)
{
    uint64_t position = steps->position;
    a->site = site;
    if (__builtin_expect(position == steps->stop || steps->flags[place], false))
        w->block->launch->services->step(w);
    steps->position = position + 1;
}

struct stepped_access {
    uint32_t flags, bytes, width, space, at, all;
};

static void
find(const struct jit_warp *w, const struct jit_activation *a, const struct stepped_access *x,
     const void *address, uint64_t add, uint64_t out[JIT_LANES])
{
    const struct jit_launch *l = w->block->launch;
    uint64_t local = (uint64_t)(uintptr_t)w->block->local +
                     (uint64_t)w->warp * JIT_LANES * l->local_stride + a->stack;
    for (uint32_t k = 0; k < JIT_LANES; k++) {
        uint64_t reg = !address                    ? 0
                       : x->flags & STEPPED_NARROW ? ((const uint32_t *)address)[k]
                                                   : ((const uint64_t *)address)[k];
        out[k] = reg + add;
        if (x->flags & STEPPED_LOCAL)
            out[k] += local + (uint64_t)k * l->local_stride;
    }
}

/* A register's value from what was loaded. */
static uint64_t
widened(const struct stepped_access *x, uint64_t v)
{
    uint32_t unused = 64 - 8 * x->bytes;
    return x->flags & STEPPED_SIGNED ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

/* Where a kernel's address leads to nothing, the processor says so, and not a sanitizer. */
#define OF_KERNEL __attribute__((no_sanitize("nonnull-attribute")))

/* Everything but the lanes is constant where this is inlined. */
OF_KERNEL static inline __attribute__((always_inline)) void
move_lanes(bool store, uint32_t bytes, uint32_t lanes, const uint64_t *address, uint64_t add,
           uint8_t *values)
{
    if (lanes == UINT32_MAX) {
        for (uint32_t l = 0; l < JIT_LANES; l++) {
            uint8_t *at = (uint8_t *)(uintptr_t)(address[l] + add);
            memcpy(store ? at : values + l * bytes, store ? values + l * bytes : at, bytes);
        }
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        uint8_t *at = (uint8_t *)(uintptr_t)(address[l] + add);
        memcpy(store ? at : values + l * bytes, store ? values + l * bytes : at, bytes);
    }
}

/* A word of 4 bytes into registers of 8. */
OF_KERNEL static inline __attribute__((always_inline)) void
load_wider(bool sign, uint32_t lanes, const uint64_t *address, uint64_t add, uint8_t *values)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes), word;
        memcpy(&word, (const void *)(uintptr_t)(address[l] + add), sizeof word);
        uint64_t v = sign ? (uint64_t)(int64_t)(int32_t)word : word;
        memcpy(values + l * sizeof v, &v, sizeof v);
    }
}

/* Most are words of 4 or 8 bytes from or to registers as wide. False: another kind. */
static bool
move_words(const struct stepped_access *x, uint32_t lanes, const uint64_t *address, uint64_t add,
           uint8_t *values)
{
    switch ((x->flags & (STEPPED_STORE | STEPPED_SIGNED)) | x->bytes << 8 | x->width << 16) {
    case 0x80400: load_wider(false, lanes, address, add, values); return true;
    case 0x80402: load_wider(true, lanes, address, add, values); return true;
    case 0x40402:
    case 0x40400: move_lanes(false, 4, lanes, address, add, values); return true;
    case 0x40401: move_lanes(true, 4, lanes, address, add, values); return true;
    case 0x80802:
    case 0x80800: move_lanes(false, 8, lanes, address, add, values); return true;
    case 0x80801: move_lanes(true, 8, lanes, address, add, values); return true;
    default: return false;
    }
}

OF_KERNEL static void
move_others(const struct stepped_access *x, uint32_t lanes, const uint64_t *address,
            uint8_t *values)
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        uint8_t *at = (uint8_t *)(uintptr_t)(address[l] + x->at), *value = values + l * x->width;
        uint64_t v = 0;
        if (x->flags & STEPPED_STORE) {
            memcpy(at, value, x->bytes);
            continue;
        }
        memcpy(&v, at, x->bytes);
        v = widened(x, v);
        memcpy(value, &v, x->width);
    }
}

void
jit_stepped_access(struct jit_warp *w, struct jit_steps *steps, struct jit_activation *a,
                   const void *address, uint64_t add, void *values, uint64_t what, uint32_t place)
{
    const struct stepped_access x = {.flags = (uint8_t)what,
                                     .bytes = (uint8_t)(what >> 8),
                                     .width = (uint8_t)(what >> 16),
                                     .space = (uint8_t)(what >> 24),
                                     .at = (uint16_t)(what >> 32),
                                     .all = (uint16_t)(what >> 48)};
    uint64_t at[JIT_LANES];
    uint32_t lanes = a->mask;
    bool plain = address && !(x.flags & (STEPPED_LOCAL | STEPPED_NARROW)) && !steps->tell;
    if (plain && move_words(&x, lanes, address, add + x.at, values))
        return;
    find(w, a, &x, address, add, at);
    if (__builtin_expect(steps->tell && !x.at, false))
        w->block->launch->services->access(w, lanes, at, x.all, x.space,
                                           x.flags & STEPPED_STORE ? JIT_STORE : JIT_LOAD, place);
    if (!move_words(&x, lanes, at, x.at, values))
        move_others(&x, lanes, at, values);
}
