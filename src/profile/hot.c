/* SPDX-License-Identifier: Apache-2.0
 *
 * hot.c: on how few lines the global atomics of a launch meet. L2 adds up what concerns one line
 * one after the other, so that the line with most of them bounds the launch. Counted from the
 * traces that go to the caches; a launch without atomics does not come here. Lines beyond HOT_LINES
 * are only counted as being elsewhere: where there are so many, none is hot.
 */
#include "profile/profile_priv.h"

/* Two lines side by side lie in one slice of L2 (an H200: tools/record/model/atomics.cu, 8 sectors
 * in 256 bytes); which one follows from a hash that nobody has published: here another one, which
 * spreads as evenly. */
enum { SLICE_LINES = 2 };
_Static_assert(HOT_SLICES == 1 << 6, "the hash's upper bits");

static void
add_line(struct hot *h, uint64_t number)
{
    uint32_t k = (uint32_t)((number + 1) * 0x9e3779b97f4a7c15ull >> 52);
    _Static_assert(HOT_LINES == 1 << 12, "the hash's upper bits");
    h->all++;
    h->slice[(number / SLICE_LINES + 1) * 0x9e3779b97f4a7c15ull >> 58]++;
    while (h->line[k] && h->line[k] != number + 1)
        k = (k + 1) % HOT_LINES;
    if (!h->line[k] && h->used > HOT_LINES / 2)
        return;
    h->used += !h->line[k];
    h->line[k] = number + 1;
    h->count[k]++;
}

static void
add_trace(struct hot *h, const struct jit_trace *t, struct outline *const *shape)
{
    struct traced a;
    for (const uint64_t *at = t->start; at < t->at;) {
        at = trace_next(at, shape, &a);
        uint64_t first = a.base + (uint64_t)a.line[0];
        if ((first >> CACHE_OP_SHIFT & 3) < ACCESS_ATOMIC)
            continue;
        for (uint32_t k = 0; k < a.count; k++)
            add_line(h, (a.base + (uint64_t)a.line[k]) >> CACHE_LINE_SHIFT);
    }
}

void
hot_block(struct hot *h, const struct sheet *s, uint32_t warps)
{
    if (!h->line) {
        h->line = ls_alloc(sizeof *h->line * HOT_LINES);
        h->count = ls_alloc(sizeof *h->count * HOT_LINES);
    }
    for (uint32_t w = 0; w < warps; w++)
        add_trace(h, &s->trace[w], s->shape);
}

double
hot_end(struct hot *h, double *slice)
{
    uint64_t busiest = 0;
    for (uint32_t k = 0; k < HOT_SLICES; k++)
        busiest = h->slice[k] > busiest ? h->slice[k] : busiest;
    *slice = h->all ? (double)busiest / (double)h->all : 0;
    uint64_t most = 0;
    for (uint32_t k = 0; h->line && k < HOT_LINES; k++)
        most = h->count[k] > most ? h->count[k] : most;
    double share = h->all ? (double)most / (double)h->all : 0;
    ls_release(h->line);
    ls_release(h->count);
    *h = (struct hot){0};
    return share;
}
