/* SPDX-License-Identifier: Apache-2.0
 *
 * stand.c: where lanes are. A warp's record says what it executes and with which lanes; the others
 * are in the sets of lanes behind it: pending at a block, waiting before one, or held at one's
 * first instruction. Functions that are really called have records of their own, the inner ones say
 * where lanes are that the outer ones have in the call.
 */
#include "debug/debug_priv.h"

#include <string.h>

/* -- maps -------------------------------------------------------------------------------------- */

struct debug_map *
debug_map_of(struct debug *d, struct debug_code *c, const struct ptx_func *f)
{
    struct ls_error err;
    struct debug_map **m = &c->map[f->index];
    if (*m)
        return *m;
    struct jit_code_map *code = jit_code_map_new(c->ptx, f, &err);
    if (!code)
        return NULL;
    *m = ls_alloc(sizeof **m);
    (*m)->code = code;
    return *m;
}

static const struct debug_map *
map_at(struct debug *d, const struct debug_run *run, const struct jit_activation *a)
{
    uint32_t function = a ? a->function : run->of.kernel->index;
    return debug_map_of(d, run->code, run->of.module->funcs[function]);
}

/* -- one warp ---------------------------------------------------------------------------------- */

/* The instruction at which block b begins; UINT32_MAX: the kernel ends there. */
static uint32_t
first_site(const struct wir *f, uint32_t b)
{
    for (uint32_t k = 0; k <= f->block_count; k++) {
        const struct wir_block *blk = &f->blocks[b];
        if (blk->count)
            return blk->first;
        if (blk->end_insn != UINT32_MAX)
            return blk->end_insn;
        if (!blk->succ_count)
            return UINT32_MAX;
        b = blk->succ[0];
    }
    return UINT32_MAX;
}

/* The barrier before block b. */
static uint32_t
barrier_site(const struct wir *f, uint32_t b)
{
    for (uint32_t k = 0; k < f->blocks[b].pred_count; k++)
        if (f->blocks[f->blocks[b].pred[k]].end == WIR_BARRIER)
            return f->blocks[f->blocks[b].pred[k]].end_insn;
    return first_site(f, b);
}

static void
put(struct debug_stand out[JIT_LANES], uint32_t lanes, const struct debug_map *map,
    const struct jit_activation *a, uint32_t site)
{
    for (; lanes; lanes &= lanes - 1)
        out[__builtin_ctz(lanes)] =
            (struct debug_stand){.map = map, .at = a, .site = site, .exited = site == UINT32_MAX};
}

static void
put_activation(struct debug *d, const struct jit_activation *a, uint32_t alive,
               struct debug_stand out[JIT_LANES])
{
    const struct debug_map *map = map_at(d, d->run, a);
    const uint8_t *base = (const uint8_t *)a;
    if (!map)
        return;
    const struct jit_code_map *code = map->code;
    const struct wir *f = code->wir;
    alive &= a->alive;
    put(out, alive, map, a, a->site);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const uint32_t *lanes = (const uint32_t *)(const void *)(base + code->lanes + 8 * b);
        if (lanes[0])
            put(out, lanes[0] & alive & ~a->mask, map, a, first_site(f, b));
        if (lanes[1])
            put(out, lanes[1] & alive & ~a->mask, map, a, barrier_site(f, b));
        if (code->held[b] != UINT32_MAX) {
            uint32_t held = *(const uint32_t *)(const void *)(base + code->held[b]);
            put(out, held & alive & ~a->mask, map, a, f->blocks[b].first);
        }
    }
}

/* Where each lane of a warp is. */
static void
debug_stands(struct debug *d, const struct jit_block *b, uint32_t warp,
             struct debug_stand out[JIT_LANES])
{
    enum { DEEPEST = 1024 }; /* it may be a signal's stack */
    struct jit_standing st;
    uint32_t depth = 0;
    d->run->of.look(b, warp, &st);
    for (uint32_t l = 0; l < JIT_LANES; l++)
        out[l] = (struct debug_stand){.map = map_at(d, d->run, NULL), .exited = true};
    if (!st.warp->activation) {
        put(out, st.alive, out[0].map, NULL, first_site(out[0].map->code->wir, 0));
        return;
    }
    const struct jit_activation *chain[DEEPEST];
    for (const struct jit_activation *a = st.warp->activation; a && depth < DEEPEST; a = a->caller)
        chain[depth++] = a;
    while (depth--)
        put_activation(d, chain[depth], st.alive, out);
}

/* -- threads ----------------------------------------------------------------------------------- */

struct jit_block *
debug_find(const struct debug *d, const struct debug_thread *t, uint32_t *warp, uint32_t *lane)
{
    const struct debug_run *run = d->run;
    if (!run)
        return NULL;
    const uint32_t *dim = run->of.launch->block;
    if (t->thread[0] >= dim[0] || t->thread[1] >= dim[1] || t->thread[2] >= dim[2])
        return NULL;
    uint32_t n = t->thread[0] + dim[0] * (t->thread[1] + dim[1] * t->thread[2]);
    *warp = n / JIT_LANES;
    *lane = n % JIT_LANES;
    for (size_t k = 0; k < run->blocks.count; k++)
        if (!memcmp(run->blocks.at[k]->ctaid, t->block, sizeof t->block))
            return run->blocks.at[k];
    return NULL;
}

const struct wir_insn *
debug_next(struct debug *d, const struct jit_activation *a)
{
    return &map_at(d, d->run, a)->code->wir->insns[a->site];
}

uint32_t
debug_depth(struct debug *d, const struct jit_activation *a)
{
    uint32_t frames = 0;
    for (; a; a = a->caller) {
        const struct wir *f = map_at(d, d->run, a)->code->wir;
        for (uint32_t k = f->insns[a->site].frame; k != UINT32_MAX; k = f->frames[k].caller)
            frames++;
    }
    return frames - 1;
}

bool
debug_locate(struct debug *d, const struct debug_who *who, struct debug_place *out,
             struct ls_error *err)
{
    struct debug_stand all[JIT_LANES];
    out->block = debug_find(d, &who->thread, &out->warp, &out->lane);
    if (!out->block)
        return ls_fail(err, LS_ERR_INPUT, "the thread's block is not running");
    debug_stands(d, out->block, out->warp, all);
    const struct debug_stand *s = &all[out->lane];
    if (s->exited)
        return ls_fail(err, LS_ERR_INPUT, "the thread has exited");
    out->map = s->map;
    out->at = s->at;
    out->site = s->site;
    out->frame = s->map->code->wir->insns[s->site].frame;
    for (uint32_t n = who->frame; n; n--) {
        uint32_t caller = out->map->code->wir->frames[out->frame].caller;
        if (caller != UINT32_MAX) {
            out->frame = caller;
        } else if (out->at && out->at->caller) {
            out->at = out->at->caller;
            out->map = map_at(d, d->run, out->at);
            out->site = out->at->site;
            out->frame = out->map->code->wir->insns[out->site].frame;
        } else {
            return ls_fail(err, LS_ERR_INPUT, "no frame %u", who->frame);
        }
    }
    return true;
}

/* -- what is told of them ---------------------------------------------------------------------- */

static void
add_warp(struct debug *d, const struct jit_block *b, uint32_t warp, struct text *out)
{
    struct jit_standing st;
    struct debug_stand at[JIT_LANES];
    static const uint32_t states[] = {[JIT_STANDS_READY] = DEBUG_W_READY,
                                      [JIT_STANDS_BARRIER] = DEBUG_W_BARRIER,
                                      [JIT_STANDS_WAITS] = DEBUG_W_WAITS,
                                      [JIT_STANDS_DONE] = DEBUG_W_DONE};
    d->run->of.look(b, warp, &st);
    debug_stands(d, b, warp, at);
    struct debug_warp w = {.warp = warp, .alive = st.alive, .state = states[st.what]};
    memcpy(w.block, b->ctaid, sizeof w.block);
    if (st.what == JIT_STANDS_READY && st.warp == d->runs)
        w.state = DEBUG_W_RUNS;
    uint32_t waits = 0, first = UINT32_MAX; /* lanes at one barrier */
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        w.place[l] = at[l].exited ? NO_PLACE : at[l].map->code->wir->insns[at[l].site].place;
        if (at[l].exited)
            w.alive &= ~(1u << l);
        if (st.barrier[l] != UINT32_MAX && first == UINT32_MAX)
            first = w.barrier = st.barrier[l];
        waits |= st.barrier[l] != UINT32_MAX && st.barrier[l] == first ? 1u << l : 0;
    }
    if (w.state == DEBUG_W_WAITS && w.alive && !(w.alive & ~waits))
        w.state = DEBUG_W_BARRIER;
    text_add_bytes(out, (const char *)&w, sizeof w);
}

uint32_t
debug_warps(struct debug *d, struct text *out)
{
    uint32_t count = 0;
    const struct debug_run *run = d->run;
    for (size_t k = 0; run && k < run->blocks.count; k++)
        for (uint32_t w = 0; w < run->of.launch->warps; w++, count++)
            add_warp(d, run->blocks.at[k], w, out);
    return count;
}

static void
add_frame(const struct wir_frame *f, uint32_t place, struct text *out)
{
    struct debug_frame x = {.function = f->func->index, .place = place};
    text_add_bytes(out, (const char *)&x, sizeof x);
}

void
debug_frames(struct debug *d, const struct debug_place *p, struct text *out)
{
    const struct debug_map *map = p->map;
    const struct jit_activation *a = p->at;
    uint32_t site = p->site;
    for (;;) {
        const struct wir *f = map->code->wir;
        const struct wir_frame *frame = &f->frames[f->insns[site].frame];
        add_frame(frame, f->insns[site].place, out);
        for (; frame->caller != UINT32_MAX; frame = &f->frames[frame->caller])
            add_frame(&f->frames[frame->caller], frame->call, out);
        if (!a || !a->caller)
            return;
        a = a->caller;
        map = map_at(d, d->run, a);
        site = a->site;
    }
}

void
debug_registers(const struct debug_place *p, struct text *out)
{
    const struct jit_code_map *code = p->map->code;
    const struct wir_frame *f = &code->wir->frames[p->frame];
    uint32_t n = f->func->reg_count;
    for (uint32_t k = 0; k < n; k++) {
        bool known = p->at && debug_known((struct debug_map *)p->map, f->reg_base + k, p->site);
        char state = known ? DEBUG_VALUE : DEBUG_NO_VALUE;
        text_add_bytes(out, &state, 1);
    }
    for (uint32_t k = 0; k < n; k++) {
        uint64_t value[2] = {0};
        uint32_t bytes = jit_code_map_bytes(code, f->reg_base + k);
        const uint8_t *home = p->at ? (const uint8_t *)p->at + code->reg[f->reg_base + k] : NULL;
        if (p->at && bytes)
            memcpy(value, home + (size_t)bytes * p->lane, bytes < 16 ? bytes : 16);
        else if (p->at)
            value[0] = *(const uint32_t *)(const void *)home >> p->lane & 1;
        text_add_bytes(out, (const char *)value, sizeof value);
    }
}

/* -- variables --------------------------------------------------------------------------------- */

static bool
of_wir(const struct debug_place *p, const struct ptx_var *v, struct debug_symbol *out,
       struct ls_error *err)
{
    const struct wir *f = p->map->code->wir;
    const struct wir_var *w = v && v->index < f->var_count ? &f->vars[v->index] : NULL;
    if (!w || w->var != v)
        return ls_fail(err, LS_ERR_INPUT, "not kept in memory");
    out->bytes = v->size;
    out->address = w->offset;
    switch (w->place) {
    case WIR_KERNEL_PARAM: out->space = PTX_SPACE_PARAM; return true;
    case WIR_SHARED: out->space = PTX_SPACE_SHARED; return true;
    case WIR_LOCAL:
        out->space = PTX_SPACE_LOCAL;
        out->address += p->at ? p->at->stack : 0;
        return true;
    default: return ls_fail(err, LS_ERR_INPUT, "%s is kept in registers", v->name);
    }
}

/* The variable that stands for the one of that name in the frame; NULL: none. */
static const struct ptx_var *
named(const struct wir_frame *f, const char *name)
{
    const struct ptx_func *g = f->func;
    for (uint32_t k = 0; k < g->var_count; k++)
        if (g->vars[k]->name && !strcmp(g->vars[k]->name, name))
            return f->vars[k];
    for (uint32_t k = 0; k < g->param_count; k++)
        if (g->params[k]->name && !strcmp(g->params[k]->name, name))
            return f->params[k];
    for (uint32_t k = 0; k < g->result_count; k++)
        if (g->results[k]->name && !strcmp(g->results[k]->name, name))
            return f->results[k];
    return NULL;
}

bool
debug_symbol(struct debug *d, const struct debug_place *p, const char *name,
             struct debug_symbol *out, struct ls_error *err)
{
    const struct wir *f = p->map->code->wir;
    const struct ptx_var *v = named(&f->frames[p->frame], name);
    *out = (struct debug_symbol){0};
    if (v && v->func)
        return of_wir(p, v, out, err);
    v = v ? v : ptx_find_var(d->run->of.module, name);
    if (!v)
        return ls_fail(err, LS_ERR_INPUT, "no variable %s", name);
    out->space = v->space;
    out->bytes = v->size;
    if (v->space == PTX_SPACE_SHARED) {
        out->address = f->shared_offset[v->index];
        if (v->unsized)
            out->bytes = d->run->of.shared_bytes - out->address;
        return f->shared_used[v->index] ||
               ls_fail(err, LS_ERR_INPUT, "the kernel does not use %s", name);
    }
    out->address = d->run->of.launch->symbols[v->index];
    return true;
}

uint32_t
debug_line(const struct debug *d, uint32_t place)
{
    const struct debug_code *c = d->run->code;
    return place < c->places ? c->line[place] & ~(uint32_t)DEBUG_BREAK : 0;
}
