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
    if (w->at.bytes) {
        if (w->at.space == PTX_SPACE_REG)
            return ls_fail(err, LS_ERR_UNSUPPORTED, "a register is watched by steps");
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

/* What is kept of an access that touches [low, high). */
static void
note(struct debug *d, const struct jit_warp *w, uint32_t watch, uint64_t low, uint64_t high,
     struct debug_hit hit)
{
    hit.watch = watch;
    memcpy(hit.before, (const void *)(uintptr_t)low,
           high - low < sizeof hit.before ? high - low : sizeof hit.before);
    memcpy(hit.at, w->block->ctaid, sizeof hit.at);
    hit.warp = w->warp;
    hit.depth = debug_depth(d, w->activation);
    hit.position = d->steps.position - 1;
    VEC_PUSH(&d->hits, hit);
    d->steps.flags = d->run->code->all;
}

static bool
touches(const struct debug_hit *h, uint64_t low, uint64_t high, uint64_t block, uint64_t own)
{
    return h->address < high && low < h->address + h->bytes &&
           (block == UINT64_MAX || block == own);
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
                note(d, w, UINT32_MAX, o->low, o->high, h);
            continue;
        }
        for (uint32_t k = 0; k < d->shared->watch_count; k++) {
            const struct debug_watching *x = &d->shared->watch[k];
            bool reads = h.read && x->watch.kinds & DEBUG_WATCH_READ;
            bool writes = h.write && x->watch.kinds & (DEBUG_WATCH_WRITE | DEBUG_WATCH_CHANGE);
            if ((reads || writes) && touches(&h, x->low, x->high, x->block, own))
                note(d, w, k, x->low, x->high, h);
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
    uint64_t size = o->high - o->low, shown = size < sizeof h->before ? size : sizeof h->before;
    const void *now = (const void *)(uintptr_t)o->low;
    if (h->read && h->write && (!memcmp(h->before, now, shown) || is_later_swap(d, h)))
        return; /* an atomic that changed nothing */
    struct debug_write w = {.found = 1,
                            .place = h->place,
                            .position = h->position,
                            .address = h->address,
                            .bytes = h->bytes};
    thread_of(d, h, &w.thread);
    memcpy(w.before, h->before, sizeof w.before);
    memcpy(w.after, now, shown);
    o->write = w;
}

bool
debug_watch_hit(struct debug *d, struct debug_stop *s)
{
    bool found = false;
    for (size_t k = 0; k < d->hits.count && !found; k++) {
        const struct debug_hit *h = &d->hits.at[k];
        if (h->watch == UINT32_MAX) {
            note_write(d, h);
            continue;
        }
        const struct debug_watching *x = &d->shared->watch[h->watch];
        uint64_t size = x->high - x->low < sizeof s->after ? x->high - x->low : sizeof s->after;
        const uint8_t *now = (const uint8_t *)(uintptr_t)x->low;
        bool changed = memcmp(now, h->before, size) != 0;
        found = (h->read && x->watch.kinds & DEBUG_WATCH_READ) ||
                (h->write && x->watch.kinds & DEBUG_WATCH_WRITE) ||
                (changed && x->watch.kinds & DEBUG_WATCH_CHANGE);
        if (!found)
            continue;
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
        memcpy(s->after, now, size);
    }
    d->hits.count = 0;
    return found;
}
