/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of figures over the device model, one a row of figure_functions.def: bank
 * conflicts, transactions, occupancy, rounds of blocks, texture reads.
 */
#include "cli/access/access_pattern.h"
#include "cli/suite/figure.h"

#include "model/model.h"
#include "model/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
number(struct figure *out, double value)
{
    *out = (struct figure){.number = value};
    return true;
}

/* -- patterns ---------------------------------------------------------------------------------- */

/* The pattern that the words describe, on the heap: it is large. */
static struct access_pattern *
read_pattern(struct figure_context *c, const struct figure_words *w, enum access_space space,
             struct ls_error *err)
{
    uint64_t width, threads;
    struct access_pattern *p = ls_alloc(sizeof *p);
    p->device = c->device;
    p->space = space;
    if (!figure_number(w, "--width", 4, &width, err) ||
        !figure_number(w, "--block", 32, &threads, err) ||
        !figure_number(w, "--base", 0, &p->base, err) ||
        !figure_number(w, "--pad", 0, &p->pad, err))
        goto fail;
    if (!width || width > 16 || (width & (width - 1)) || !threads || threads > PATTERN_THREADS) {
        ls_fail(err, LS_ERR_USAGE, "%s{}: --width 1, 2, 4, 8 or 16, --block at most %d",
                w->function, PATTERN_THREADS);
        goto fail;
    }
    const char *op = figure_word(w, "--op");
    if (op && !access_op_by_name(op, &p->op)) {
        ls_fail(err, LS_ERR_USAGE, "%s{}: no operation \"%s\"", w->function, op);
        goto fail;
    }
    p->width = (uint32_t)width;
    p->threads = (uint32_t)threads;
    p->block[0] = p->threads;
    p->block[1] = p->block[2] = 1;
    p->warps = (p->threads + 31) / 32;
    p->bank8 = figure_word(w, "--bank8");
    p->bypass_l1 = figure_word(w, "--uncached");
    p->use_l1 = figure_word(w, "--cached");
    if (pattern_fill(p, figure_word(w, "--stride"), figure_word(w, "--expr"),
                     figure_word(w, "--list"), err))
        return p;
fail:
    ls_release(p);
    return NULL;
}

static bool
first_warp(struct figure_context *c, const struct figure_words *w, enum access_space space,
           struct access_cost *cost, struct ls_error *err)
{
    struct access a;
    struct access_pattern *p = read_pattern(c, w, space, err);
    if (!p)
        return false;
    pattern_warp(p, 0, &a);
    model_access(p->device, &a, cost);
    ls_release(p);
    return true;
}

bool
figure_degree(struct figure_context *c, const struct figure_words *w, struct figure *out,
              struct ls_error *err)
{
    struct access_pattern *p = read_pattern(c, w, ACCESS_SHARED, err);
    if (p)
        number(out, pattern_degree(p));
    ls_release(p);
    return p;
}

bool
figure_degrees(struct figure_context *c, const struct figure_words *w, struct figure *out,
               struct ls_error *err)
{
    struct access_pattern *p = read_pattern(c, w, ACCESS_SHARED, err);
    if (!p)
        return false;
    *out = (struct figure){.text = ""};
    for (uint32_t i = 0; i < p->warps; i++) {
        struct access a;
        struct access_cost cost;
        pattern_warp(p, i, &a);
        model_access(p->device, &a, &cost);
        out->text = arena_printf(c->arena, "%s%s%u", out->text, i ? " " : "",
                                 cost.bank_conflicts ? cost.degree : 1);
    }
    ls_release(p);
    return true;
}

bool
figure_wavefronts(struct figure_context *c, const struct figure_words *w, struct figure *out,
                  struct ls_error *err)
{
    struct access_cost cost;
    return first_warp(c, w, ACCESS_SHARED, &cost, err) && number(out, cost.wavefronts);
}

/* The byte address of thread --thread. */
static bool
address_of(struct figure_context *c, const struct figure_words *w, uint64_t *address,
           uint32_t *width, struct ls_error *err)
{
    uint64_t thread;
    struct access a;
    struct access_pattern *p = NULL;
    if (!figure_number(w, "--thread", 0, &thread, err) ||
        !(p = read_pattern(c, w, ACCESS_SHARED, err)))
        return false;
    bool inside = thread < p->threads;
    if (inside) {
        pattern_warp(p, (uint32_t)thread / 32, &a);
        *address = a.address[thread % 32];
        *width = p->width;
    } else
        ls_fail(err, LS_ERR_USAGE, "%s{}: the block has no thread %llu", w->function,
                (unsigned long long)thread);
    ls_release(p);
    return inside;
}

bool
figure_bank(struct figure_context *c, const struct figure_words *w, struct figure *out,
            struct ls_error *err)
{
    uint64_t address;
    uint32_t width;
    return address_of(c, w, &address, &width, err) &&
           number(out, model_shared_bank(c->device, figure_word(w, "--bank8"), address));
}

bool
figure_element(struct figure_context *c, const struct figure_words *w, struct figure *out,
               struct ls_error *err)
{
    uint64_t address;
    uint32_t width;
    return address_of(c, w, &address, &width, err) && number(out, (double)(address / width));
}

bool
figure_banks_used(struct figure_context *c, const struct figure_words *w, struct figure *out,
                  struct ls_error *err)
{
    struct access a;
    struct access_pattern *p = read_pattern(c, w, ACCESS_SHARED, err);
    uint32_t used = 0;
    if (!p)
        return false;
    pattern_warp(p, 0, &a);
    for (uint32_t lane = 0; lane < 32; lane++)
        if (a.mask >> lane & 1)
            used |= 1u << model_shared_bank(p->device, p->bank8, a.address[lane]);
    ls_release(p);
    return number(out, __builtin_popcount(used));
}

static uint32_t
common_factor(uint32_t a, uint32_t b)
{
    return b ? common_factor(b, a % b) : a;
}

bool
figure_uncoprime(struct figure_context *c, const struct figure_words *w, struct figure *out,
                 struct ls_error *err)
{
    uint64_t most;
    uint32_t exceptions = 0;
    if (!figure_number(w, "--strides", 64, &most, err))
        return false;
    for (uint32_t s = 1; s <= most; s++) {
        struct access_cost cost;
        struct access a = {.space = ACCESS_SHARED, .width = 4, .mask = UINT32_MAX};
        for (uint32_t lane = 0; lane < 32; lane++)
            a.address[lane] = 4ull * s * lane;
        model_access(c->device, &a, &cost);
        exceptions +=
            (cost.bank_conflicts == 0) != (common_factor(s, c->device->shared_banks) == 1);
    }
    return number(out, exceptions);
}

bool
figure_transactions(struct figure_context *c, const struct figure_words *w, struct figure *out,
                    struct ls_error *err)
{
    struct access_cost cost;
    if (!first_warp(c, w, ACCESS_GLOBAL, &cost, err))
        return false;
    *out = (struct figure){.text = ""};
    for (uint32_t i = 0; i < cost.transaction_count; i++) {
        const struct transaction *t = &cost.transactions[i];
        out->text = arena_printf(c->arena, "%s%s%ux%u@%llu", out->text, i ? " " : "", t->count,
                                 t->size, (unsigned long long)t->address);
    }
    if (!model_has_transactions(c->device))
        out->text = arena_printf(c->arena, "%u sectors", cost.sectors);
    return true;
}

bool
figure_bytes(struct figure_context *c, const struct figure_words *w, struct figure *out,
             struct ls_error *err)
{
    struct access_cost cost;
    if (!first_warp(c, w, ACCESS_GLOBAL, &cost, err))
        return false;
    double bytes = 32.0 * cost.sectors;
    for (uint32_t i = 0; i < cost.transaction_count; i++)
        bytes += (double)cost.transactions[i].size * cost.transactions[i].count;
    return number(out, bytes);
}

bool
figure_serial(struct figure_context *c, const struct figure_words *w, struct figure *out,
              struct ls_error *err)
{
    struct access_cost cost;
    return first_warp(c, w, ACCESS_CONSTANT, &cost, err) && number(out, cost.wavefronts);
}

/* -- launches ---------------------------------------------------------------------------------- */

static bool
occupancy_of(struct figure_context *c, const struct figure_words *w, struct occupancy *out,
             struct ls_error *err)
{
    uint64_t threads, registers, shared;
    if (!figure_number(w, "--threads", 256, &threads, err) ||
        !figure_number(w, "--regs", 0, &registers, err) ||
        !figure_number(w, "--smem", 0, &shared, err))
        return false;
    struct occupancy_query q = {.threads_per_block = (uint32_t)threads,
                                .registers_per_thread = (uint32_t)registers,
                                .static_shared = (uint32_t)shared};
    model_occupancy(c->device, &q, out);
    return true;
}

bool
figure_blocks(struct figure_context *c, const struct figure_words *w, struct figure *out,
              struct ls_error *err)
{
    struct occupancy o;
    return occupancy_of(c, w, &o, err) && number(out, o.blocks_per_sm);
}

bool
figure_fits(struct figure_context *c, const struct figure_words *w, struct figure *out,
            struct ls_error *err)
{
    struct occupancy o;
    return occupancy_of(c, w, &o, err) && number(out, o.limit_shared);
}

bool
figure_limit(struct figure_context *c, const struct figure_words *w, struct figure *out,
             struct ls_error *err)
{
    struct occupancy o;
    if (!occupancy_of(c, w, &o, err))
        return false;
    *out = (struct figure){.text = o.limited_by};
    return true;
}

bool
figure_rounds(struct figure_context *c, const struct figure_words *w, struct figure *out,
              struct ls_error *err)
{
    uint64_t blocks;
    struct occupancy o;
    if (!figure_number(w, "--blocks", 1, &blocks, err) || !occupancy_of(c, w, &o, err))
        return false;
    if (!blocks || !o.blocks_per_sm)
        return number(out, 0);
    struct placement *places = ls_alloc(blocks * sizeof *places);
    double end = model_schedule(c->device->sm_count, o.blocks_per_sm, blocks, NULL, NULL, places);
    ls_release(places);
    return number(out, end);
}

/* -- textures ---------------------------------------------------------------------------------- */

bool
figure_texel(struct figure_context *c, const struct figure_words *w, struct figure *out,
             struct ls_error *err)
{
    enum { MOST = 256 };
    float data[MOST], value;
    uint32_t bits[4];
    uint64_t width;
    double at;
    const char *text = figure_word(w, "--at");
    (void)c;
    if (!figure_number(w, "--width", 16, &width, err))
        return false;
    if (!width || width > MOST || !text || !ls_parse_f64(text, &at))
        return ls_fail(err, LS_ERR_USAGE, "texel{}: --at X, --width 1 to %d", MOST);
    for (uint32_t i = 0; i < width; i++)
        data[i] = (float)(i * i);
    struct texture_view t = {.data = data,
                             .dims = 1,
                             .width = (uint32_t)width,
                             .height = 1,
                             .pitch = sizeof data,
                             .element = TEXEL_F32,
                             .channels = 1,
                             .linear = true,
                             .address = {TEXTURE_CLAMP, TEXTURE_CLAMP, TEXTURE_CLAMP}};
    texture_sample(&t, (float[3]){(float)at, 0, 0}, bits);
    memcpy(&value, bits, sizeof value);
    return number(out, value);
}
