/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.c: accesses to what is watched, or asked about. They are told before they are made
 * (jit_steps.tell), and looked at before the next instruction, when they have been.
 */
#include "debug/debug_priv.h"

#include <string.h>

bool
debug_watch_set(struct debug *d, const struct debug_watch *w, struct ls_error *err)
{
    struct debug_watching x = {.watch = *w};
    struct debug_shared *all = d->shared;
    uint32_t n = 0;
    if (w->at.bytes && w->at.space == PTX_SPACE_REG) {
        if (!debug_register_at(d, &w->at, &x, err))
            return false;
    } else if (w->at.bytes) {
        x.low = (uint64_t)(uintptr_t)debug_memory_at(d, &w->at, &x.block, err);
        if (!x.low)
            return false;
        x.high = x.low + w->at.bytes;
    }
    for (uint32_t k = 0; k < all->watch_count; k++)
        if (all->watch[k].watch.number != w->number)
            all->watch[n++] = all->watch[k];
    all->watch_count = n;
    if (w->at.bytes && n == WATCHES)
        return ls_fail(err, LS_ERR_INPUT, "%d watches are all there can be", WATCHES);
    if (w->at.bytes)
        all->watch[all->watch_count++] = x;
    return true;
}

void
debug_watch_forget(struct debug *d)
{
    struct debug_shared *all = d->shared;
    uint32_t n = 0;
    for (uint32_t k = 0; k < all->watch_count; k++)
        if (all->watch[k].block == UINT64_MAX)
            all->watch[n++] = all->watch[k];
    all->watch_count = n;
    d->hits.count = 0;
}

/* The first bytes of what lies at [low, high); of a predicate a byte, 0 or 1. */
static void
look(uint64_t low, uint64_t high, const struct debug_register *reg, uint8_t out[16])
{
    const void *at = (const void *)(uintptr_t)low;
    memset(out, 0, 16);
    if (reg->predicate)
        out[0] = *(const uint32_t *)at >> reg->lane & 1;
    else
        memcpy(out, at, high - low < 16 ? high - low : 16);
}

/* What is kept of an access to what x watches, or, x NULL, the question for the last write is
 * about. position: the instruction's. */
static void
note(struct debug *d, const struct jit_warp *w, const struct debug_watching *x, uint64_t position,
     struct debug_hit hit)
{
    const struct debug_order *o = &d->shared->order;
    hit.watch = x ? x->watch.number : UINT32_MAX;
    if (x)
        look(x->low, x->high, &x->reg, hit.before);
    else
        look(o->low, o->high, &o->reg, hit.before);
    memcpy(hit.at, w->block->ctaid, sizeof hit.at);
    hit.warp = w->warp;
    hit.depth = debug_depth(d, w->activation);
    hit.position = position;
    VEC_PUSH(&d->hits, hit);
    d->steps.flags = d->run->code->all;
}

static bool
touches(const struct debug_hit *h, uint64_t low, uint64_t high, uint64_t block, uint64_t own)
{
    return h->address < high && low < h->address + h->bytes &&
           (block == UINT64_MAX || block == own);
}

/* Whether such an access may make the watch stop. */
static bool
wants(const struct debug_watching *x, const struct debug_hit *h)
{
    return (h->read && x->watch.kinds & DEBUG_WATCH_READ) ||
           (h->write && x->watch.kinds & (DEBUG_WATCH_WRITE | DEBUG_WATCH_CHANGE));
}

void
debug_on_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                uint32_t space, uint32_t op, uint32_t place)
{
    struct debug_run *run = w->block->launch->tool;
    struct debug *d = run->debug;
    const struct debug_order *o = &d->shared->order;
    uint64_t own = w->block->index;
    bool shared = space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER;
    if (space == PTX_SPACE_PARAM)
        return;
    if (d->mode == MODE_LAST && o->polls) {
        debug_poll_note(d, w, lanes, address, bytes, place);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        struct debug_hit h = {.lane = l, .place = place, .bytes = bytes, .address = address[l]};
        h.write = op != JIT_LOAD;
        h.read = op != JIT_STORE;
        if (shared)
            h.address = memory_window_place(w->block->window, h.address);
        if (d->mode == MODE_LAST) {
            if (h.write && touches(&h, o->low, o->high, o->block, own))
                note(d, w, NULL, d->steps.position - 1, h);
            continue;
        }
        for (uint32_t k = 0; k < d->shared->watch_count; k++) {
            const struct debug_watching *x = &d->shared->watch[k];
            if (!x->reg.frame && wants(x, &h) && touches(&h, x->low, x->high, x->block, own))
                note(d, w, x, d->steps.position - 1, h);
        }
    }
}

void
debug_on_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                 uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    uint64_t address[JIT_LANES];
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        uint64_t own = space == PTX_SPACE_LOCAL ? (uint64_t)l * w->block->launch->local_stride : 0;
        address[l] = base + own + (uint64_t)(int64_t)(offset ? offset[l] : 0);
    }
    debug_on_access(w, lanes, address, bytes, space, op, place);
}

/* -- registers --------------------------------------------------------------------------------- */

bool
debug_watches_registers(const struct debug *d)
{
    const struct debug_shared *all = d->shared;
    if (d->mode == MODE_LAST)
        return !all->order.polls && all->order.reg.frame;
    for (uint32_t k = 0; k < all->watch_count; k++)
        if (all->watch[k].reg.frame)
            return true;
    return false;
}

/* Whether the warp's next instruction accesses it: what its PTX instruction has become. */
static bool
is_of(struct debug *d, const struct jit_warp *w, const struct debug_register *r, uint64_t block,
      struct debug_hit *h)
{
    const struct jit_activation *a = w->activation;
    if (r->frame != (uint64_t)(uintptr_t)a || r->function != a->function || r->warp != w->warp ||
        block != w->block->index || !(debug_lanes(d, a) >> r->lane & 1))
        return false;
    const struct wir_insn *first = debug_next(d, a);
    const struct wir *f =
        debug_map_of(d, d->run->code, d->run->of.module->funcs[a->function])->code->wir;
    uint32_t n = a->site;
    *h = (struct debug_hit){.lane = r->lane, .place = first->place};
    do {
        struct span defs = wir_defs(f, n), uses = wir_uses(f, n);
        for (uint32_t k = 0; k < defs.count; k++)
            h->write |= defs.at[k] == r->reg;
        for (uint32_t k = 0; k < uses.count; k++)
            h->read |= uses.at[k] == r->reg;
    } while (++n < f->insn_count && !f->insns[n].begins);
    return h->read || h->write;
}

void
debug_on_registers(struct debug *d, const struct jit_warp *w)
{
    const struct debug_order *o = &d->shared->order;
    uint64_t here = d->steps.position;
    struct debug_hit h;
    if (!debug_watches_registers(d) || (d->mode == MODE_TARGET && d->why != DEBUG_WHY_WATCH))
        return;
    if (d->mode == MODE_LAST) {
        if (is_of(d, w, &o->reg, o->block, &h) && h.write)
            note(d, w, NULL, here, h);
        return;
    }
    for (uint32_t k = 0; k < d->shared->watch_count; k++) {
        const struct debug_watching *x = &d->shared->watch[k];
        if (x->reg.frame && is_of(d, w, &x->reg, x->block, &h) && wants(x, &h))
            note(d, w, x, here, h);
    }
}

/* -- what has come of them --------------------------------------------------------------------- */

static void
thread_of(const struct debug *d, const struct debug_hit *h, struct debug_thread *out)
{
    const uint32_t *dim = d->run->of.launch->block;
    uint32_t n = h->warp * JIT_LANES + h->lane;
    memcpy(out->block, h->at, sizeof out->block);
    out->thread[0] = n % dim[0];
    out->thread[1] = n / dim[0] % dim[1];
    out->thread[2] = n / dim[0] / dim[1];
}

/* Of several lanes whose compare-and-swap names the same word only the first can have swapped it:
 * the others compare with the value it left. True: such a write by an earlier lane is already
 * noted. */
static bool
is_later_swap(const struct debug *d, const struct debug_hit *h)
{
    const struct debug_write *w = &d->shared->order.write;
    const struct ptx_func *func;
    const struct ptx_insn *i;
    return w->found && w->position == h->position && w->address == h->address &&
           jit_place(d->run->of.module, h->place, &func, &i) && ptx_has(i, PTX_M_CAS);
}

/* The question for the last write: this is the last so far. */
static void
note_write(struct debug *d, const struct debug_hit *h)
{
    struct debug_order *o = &d->shared->order;
    struct debug_write w = {.found = 1,
                            .place = h->place,
                            .position = h->position,
                            .address = h->address,
                            .bytes = h->bytes};
    look(o->low, o->high, &o->reg, w.after);
    bool changed = memcmp(h->before, w.after, sizeof w.after) != 0;
    if (h->read && h->write && !o->reg.frame && (!changed || is_later_swap(d, h)))
        return; /* an atomic that changed nothing */
    thread_of(d, h, &w.thread);
    memcpy(w.before, h->before, sizeof w.before);
    o->write = w;
}

static const struct debug_watching *
numbered(const struct debug *d, uint32_t number)
{
    for (uint32_t k = 0; k < d->shared->watch_count; k++)
        if (d->shared->watch[k].watch.number == number)
            return &d->shared->watch[k];
    return NULL;
}

/* Whether the watch stops for it. */
static bool
is_hit(const struct debug_hit *h, const struct debug_watching *x, struct debug_stop *s)
{
    uint8_t now[16];
    look(x->low, x->high, &x->reg, now);
    bool changed = memcmp(now, h->before, sizeof now) != 0;
    if (!(h->read && x->watch.kinds & DEBUG_WATCH_READ) &&
        !(h->write && x->watch.kinds & DEBUG_WATCH_WRITE) &&
        !(changed && x->watch.kinds & DEBUG_WATCH_CHANGE))
        return false;
    s->why = DEBUG_WHY_WATCH;
    s->place = h->place;
    s->watch = x->watch.number;
    s->watch_lane = h->lane;
    s->address = h->address;
    s->warp = h->warp;
    s->lanes = 1u << h->lane;
    s->depth = h->depth;
    memcpy(s->at, h->at, sizeof s->at);
    memcpy(s->before, h->before, sizeof s->before);
    memcpy(s->after, now, sizeof now);
    return true;
}

bool
debug_watch_hit(struct debug *d, struct debug_stop *s)
{
    bool found = false;
    size_t n = 0;
    while (n < d->hits.count && !found) {
        const struct debug_hit *h = &d->hits.at[n++];
        const struct debug_watching *x = numbered(d, h->watch);
        if (h->watch == UINT32_MAX)
            note_write(d, h);
        else
            found = x && is_hit(h, x, s);
    }
    d->hits.count -= n;
    if (d->hits.count)
        memmove(d->hits.at, d->hits.at + n, sizeof *d->hits.at * d->hits.count);
    return found;
}
