/* SPDX-License-Identifier: Apache-2.0
 *
 * phases.c: for a small launch every access by itself: which thread loads and stores which element
 * of which array, between which barriers. A phase of a block ends when a barrier of the block is
 * complete. Recording stands before counting: phases_access() hands on to verdict_access().
 */
#include "profile/profile_priv.h"

#include "analysis/analysis.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* More would neither be read by anybody nor fit on a page. */
enum { MOST_THREADS = 4096, MOST_RECORDS = 16384 };

bool
phases_fit(const struct jit_launch *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] <= MOST_THREADS / threads;
}

/* -- recording --------------------------------------------------------------------------------- */

void
phases_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
              uint32_t space, uint32_t op, uint32_t place)
{
    struct sheet *s = w->block->tool;
    if (s->watch->phases && space != PTX_SPACE_PARAM && s->records.count < MOST_RECORDS) {
        struct record r = {.block = w->block->index,
                           .phase = s->phase,
                           .warp = w->warp,
                           .place = place,
                           .op = op,
                           .space = space,
                           .lanes = lanes};
        uint64_t shared = (uintptr_t)w->block->shared;
        uint64_t local = (uintptr_t)w->block->local, own = w->block->launch->local_stride;
        for (uint32_t l = 0; l < JIT_LANES; l++) {
            if (space == PTX_SPACE_LOCAL) { /* from the lane's first byte on */
                r.address[l] = address[l] - local - (w->warp * JIT_LANES + l) * own;
                continue;
            }
            bool inside = address[l] - shared < s->watch->launch.shared_bytes;
            r.address[l] = inside ? address[l] - shared : address[l];
            r.shared |= inside && (lanes >> l & 1);
        }
        VEC_PUSH(&s->records, r);
    }
    verdict_access(w, lanes, address, bytes, space, op, place);
}

void
phases_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
               uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    uint64_t address[JIT_LANES],
        apart = space == PTX_SPACE_LOCAL ? w->block->launch->local_stride : 0;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        address[l] = base + (uint64_t)(int64_t)(offset ? offset[l] : 0) + l * apart;
    phases_access(w, lanes, address, bytes, space, op, place);
}

void
phases_barrier(struct jit_block *b, uint32_t barrier, const uint32_t *arrived,
               const uint32_t *waiting, uint32_t place)
{
    struct sheet *s = b->tool;
    if (!s->watch->phases || s->records.count >= MOST_RECORDS)
        return;
    VEC_PUSH(&s->records, (struct record){.block = b->index, .phase = s->phase, .place = place});
    s->phase++;
}

/* -- names ------------------------------------------------------------------------------------- */

struct place_name {
    const char *name;
    uint64_t base;
};

static bool
any_function(const char *name)
{
    return true;
}

/* Shared variables by their places in the block's memory. */
static void
name_shared(const struct watch *w, uint64_t at, struct arena *a, struct place_name *out)
{
    const struct wir *f = w->wir;
    *out = (struct place_name){"shared", 0};
    for (uint32_t k = 0; f && k < f->module->var_count; k++) {
        const struct ptx_var *v = f->module->vars[k];
        if (v->space == PTX_SPACE_SHARED && f->shared_offset[k] <= at &&
            f->shared_offset[k] >= out->base && (v->unsized || at < f->shared_offset[k] + v->size))
            *out = (struct place_name){ls_readable_name(a, v->name), f->shared_offset[k]};
    }
    for (uint32_t k = 0; f && k < f->var_count; k++) {
        const struct wir_var *v = &f->vars[k];
        if (v->place == WIR_SHARED && v->offset <= at && v->offset >= out->base &&
            (v->var->unsized || at < v->offset + v->var->size))
            *out = (struct place_name){ls_readable_name(a, v->var->name), v->offset};
    }
}

/* Global memory by the pointer among the kernel's arguments, or the variable, that lies nearest
 * below. */
static void
name_global(const struct watch *w, uint64_t at, const char *const *names, struct arena *a,
            struct place_name *out)
{
    const struct ptx_func *f = w->launch.kernel;
    *out = (struct place_name){"memory", 0};
    for (uint32_t k = 0; k < f->param_count; k++)
        for (uint64_t at_byte = 0; at_byte + 8 <= f->params[k]->size;
             at_byte += 8) { /* members of a structure, too */
            uint64_t base = 0;
            memcpy(&base, w->launch.launch->params + f->params[k]->param_offset + at_byte,
                   sizeof base);
            if (base > out->base && base <= at)
                *out = (struct place_name){
                    at_byte ? arena_printf(a, "%s+%u", names[k], (uint32_t)at_byte) : names[k],
                    base};
        }
    for (uint32_t k = 0; k < f->module->var_count; k++) {
        uint64_t base = w->launch.launch->symbols[k];
        const struct ptx_var *v = f->module->vars[k];
        if (v->space != PTX_SPACE_SHARED && base > out->base && base <= at && at < base + v->size)
            *out = (struct place_name){ls_readable_name(a, v->name), base};
    }
}

/* -- the table --------------------------------------------------------------------------------- */

static int
by_block(const void *x, const void *y)
{
    const struct record *a = x, *b = y;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static json_t *
elements(const struct watch *w, const struct record *r, const char *const *names, struct arena *a)
{
    const struct ptx_func *f;
    const struct ptx_insn *i = NULL;
    struct place_name at;
    json_t *list = json_array();
    jit_place(w->launch.module, r->place, &f, &i);
    uint32_t bytes = i && i->type_count ? ptx_type_bytes(i->type[i->type_count - 1]) : 1;
    bytes = bytes ? bytes : 1;
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        if (!(r->lanes >> l & 1))
            continue;
        if (r->shared)
            name_shared(w, r->address[l], a, &at);
        else if (r->space == PTX_SPACE_LOCAL)
            at = (struct place_name){"local", 0};
        else
            name_global(w, r->address[l], names, a, &at);
        json_array_append_new(list, json_pack("[i, s, I]", (int)(r->warp * JIT_LANES + l), at.name,
                                              (json_int_t)((r->address[l] - at.base) / bytes)));
    }
    return list;
}

static const char *
operation_name(const struct record *r)
{
    return r->op == JIT_LOAD ? "load" : r->op == JIT_STORE ? "store" : "atomic";
}

static const char *
space_name(const struct record *r)
{
    return r->shared                     ? "shared"
           : r->space == PTX_SPACE_CONST ? "constant"
           : r->space == PTX_SPACE_LOCAL ? "local"
                                         : "global";
}

static json_t *
record_json(const struct watch *w, const struct record *r, const char *const *names,
            struct arena *a)
{
    char where[512];
    jit_place_text(w->launch.module, r->place, where, sizeof where);
    const char *colon = strrchr(where, ':');
    int line = colon ? atoi(colon + 1) : 0;
    if (!r->lanes)
        return json_pack("{s:I, s:i, s:b, s:i}", "block", (json_int_t)r->block, "phase",
                         (int)r->phase, "barrier", 1, "line", line);
    return json_pack("{s:I, s:i, s:s, s:s, s:i, s:o}", "block", (json_int_t)r->block, "phase",
                     (int)r->phase, "op", operation_name(r), "space", space_name(r), "line", line,
                     "elements", elements(w, r, names, a));
}

json_t *
phases_json(struct watch *w)
{
    VEC(struct record) all = {0};
    struct arena a = {0};
    json_t *list = json_array();
    w->wir = wir_new(w->launch.module, w->launch.kernel, any_function, NULL);
    for (const struct sheet *s = w->sheets; s; s = s->next)
        for (size_t k = 0; k < s->records.count; k++) {
            struct record r = s->records.at[k];
            r.order = k;
            VEC_PUSH(&all, r);
        }
    if (all.count)
        qsort(all.at, all.count, sizeof *all.at, by_block);
    const char **names = profile_argument_names(w->launch.kernel, &a);
    for (size_t k = 0; k < all.count && k < MOST_RECORDS; k++)
        json_array_append_new(list, record_json(w, &all.at[k], names, &a));
    if (w->wir)
        wir_free(w->wir);
    VEC_FREE(&all);
    arena_free(&a);
    return list;
}
