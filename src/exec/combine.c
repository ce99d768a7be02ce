/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: sums on their way to global memory (struct jit_pending in jit.h): where the window lies,
 * and when it is not worth having one.
 *
 * Only runs of ordinary code, or of code that a tool guards (JIT_EVENT_GUARD: what is not in bounds
 * is not added) or counts in (JIT_EVENT_COUNT: the tool has been told of the access by then), have
 * one, a slot each: there a thread runs blocks to their end one after the other, and nobody can
 * wait for what is pending. The window lies in one allocation. It moves when lanes miss it too
 * often; after some moves or flushes that brought little it is given up for the rest of the run.
 */
#include "exec/exec_priv.h"

#include <stdlib.h>

enum {
    PAGE = 4096,
    PATIENCE = 64, /* lanes beside the window before it moves; doubled each time */
    LITTLE = 32,   /* sums; a flush of fewer brought little */
    POOR = 12,     /* such flushes before it is given up */
};

/* jit_pending.owner */
enum { OUTSIDE, MISSED_WORTH, RUN, GIVEN_UP };

void
exec_combine_prepare(struct exec_slot *s)
{
    struct exec_run *run = s->run;
    s->block.pending = NULL;
    if (s->cluster.leader != s) { /* who waits for a block of its cluster sees what that added */
        s->block.pending = s->cluster.leader->block.pending;
        return;
    }
    bool fit = !run->tool || run->tool->events & (JIT_EVENT_GUARD | JIT_EVENT_COUNT);
    if (run->resident || !fit || run->replay.on)
        return;
    if (!s->pending)
        s->pending = calloc(1, sizeof *s->pending);
    if (!s->pending) /* without it, atomics go to memory one by one */
        return;
    if (s->pending->owner[RUN] != run->number) {
        s->pending->owner[RUN] = run->number;
        s->pending->owner[OUTSIDE] = s->pending->owner[MISSED_WORTH] = s->pending->owner[GIVEN_UP] =
            0;
    }
    s->block.pending = s->pending;
}

static void
add(uint64_t address, uint32_t x)
{
    __atomic_fetch_add((uint32_t *)address, x, __ATOMIC_RELAXED);
}

void
exec_combine_end(struct jit_pending *p)
{
    if (!p || !p->size)
        return;
    uint32_t words = (uint32_t)(p->size / 4), some = 0;
    for (uint32_t k = 0; k < words; k++)
        if (p->sum[k]) {
            add(p->base + 4 * (uint64_t)k, p->sum[k]);
            p->sum[k] = 0;
            some++;
        }
    p->size = 0;
    if (some >= LITTLE)
        p->owner[MISSED_WORTH] = 0;
    else if (++p->owner[MISSED_WORTH] > POOR)
        p->owner[GIVEN_UP] = 1;
}

void
exec_combine_flush(struct jit_warp *w)
{
    exec_combine_end(w->block->pending);
}

/* A window from the page of the address on, within its allocation. */
static void
open_window(struct exec_slot *s, struct jit_pending *p, uint64_t address)
{
    struct memory *m = s->run->request->memory;
    struct allocation a;
    if (!m || !memory_find(m, address, &a, NULL) || a.read_only)
        return;
    uint64_t base = address & ~(uint64_t)(PAGE - 1), end = a.base + a.size;
    p->base = base < a.base ? a.base : base;
    p->size =
        end - p->base < JIT_PENDING_BYTES ? (end - p->base) & ~UINT64_C(3) : JIT_PENDING_BYTES;
}

/* The lowest address of the lanes. */
static uint64_t
lowest(uint32_t lanes, const uint64_t *address)
{
    uint64_t low = UINT64_MAX;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t a = address[__builtin_ctz(lanes)];
        low = a < low ? a : low;
    }
    return low;
}

static void
place_window(struct exec_slot *s, struct jit_pending *p, uint32_t lanes, const uint64_t *address)
{
    if (p->owner[GIVEN_UP])
        return;
    if (p->size && p->owner[OUTSIDE] > (uint64_t)PATIENCE << p->owner[MISSED_WORTH]) {
        exec_combine_end(p);
        p->owner[OUTSIDE] = 0;
        p->owner[MISSED_WORTH]++;
    }
    if (!p->size && !p->owner[GIVEN_UP])
        open_window(s, p, lowest(lanes, address));
}

void
exec_combine(struct jit_warp *w, uint32_t lanes, const uint64_t *address, const uint32_t *x)
{
    struct jit_pending *p = w->block->pending;
    place_window(w->block->owner, p, lanes, address);
    while (lanes) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes), sum = 0;
        uint64_t at = address[l];
        for (; lanes && address[l = (uint32_t)__builtin_ctz(lanes)] == at; lanes &= lanes - 1)
            sum += x[l]; /* neighbours that want the same place */
        if (at - p->base < p->size && at % 4 == 0) {
            p->sum[(at - p->base) / 4] += sum;
        } else {
            add(at, sum);
            p->owner[OUTSIDE]++;
        }
    }
}
