/* SPDX-License-Identifier: Apache-2.0
 *
 * pages.c: the numbers of pages. A block notes the first use of each page (page_uses_add); when its
 * wave is played, the pages that no wave before has used are numbered in the order in which the
 * caches meet them.
 */
#include "profile/play_priv.h"

#include <stdlib.h>
#include <string.h>

/* Not numbered yet; the lower bits: which of the uses is its first, NO_USE: that is not known. */
static const uint32_t UNNUMBERED = 1u << 31, NO_USE = UINT32_MAX;

static void
pages_grow(struct pages *p)
{
    struct pages old = *p;
    p->room = old.room ? 2 * old.room : 64;
    p->page = ls_alloc(p->room * sizeof *p->page);
    p->number = ls_alloc(p->room * sizeof *p->number);
    for (uint32_t k = 0; k < old.room; k++)
        if (old.page[k]) {
            uint32_t at = page_slot(p, old.page[k] - 1);
            p->page[at] = old.page[k];
            p->number[at] = old.number[k];
        }
    ls_release(old.page);
    ls_release(old.number);
}

/* The page's number, to be set. */
static uint32_t *
number_of(struct pages *p, uint64_t page)
{
    if (2 * (p->count + 1) > p->room)
        pages_grow(p);
    uint32_t at = page_slot(p, page);
    if (!p->page[at]) {
        p->page[at] = page + 1;
        p->number[at] = NO_USE;
        p->count++;
    }
    return &p->number[at];
}

static void
give_number(struct pages *p, uint64_t page)
{
    uint32_t *number = &p->number[page_slot(p, page)];
    if (*number >= UNNUMBERED)
        *number = p->numbered++;
}

/* By step, then as the streams stand. */
static int
compare_uses(const void *one, const void *other)
{
    const struct first_use *a = one, *b = other;
    const uint64_t x[] = {a->use.step, a->block, a->use.warp, a->use.line};
    const uint64_t y[] = {b->use.step, b->block, b->use.warp, b->use.line};
    for (int k = 0; k < 4; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static void
add_use(struct pages *p, const struct page_use *use, uint64_t block)
{
    uint32_t *number = number_of(p, use->page);
    struct first_use own = {*use, block};
    if (*number < UNNUMBERED)
        return;
    if (*number == NO_USE) {
        *number = UNNUMBERED + (uint32_t)p->uses.count;
        VEC_PUSH(&p->uses, own);
    } else if (compare_uses(&own, &p->uses.at[*number - UNNUMBERED]) < 0) {
        p->uses.at[*number - UNNUMBERED] = own;
    }
}

void
pages_add(struct pages *p, const struct played *b, uint32_t warps, uint64_t block,
          struct outline *const *shape)
{
    for (uint32_t k = 0; b->words && k < b->use_count; k++)
        add_use(p, &b->use[k], block);
    if (!b->words || b->use_count < BLOCK_PAGES)
        return;
    /* More pages than were noted: the whole block is looked at. */
    struct traced t;
    const uint64_t *at = b->words, *end = at + b->start[warps];
    while (at < end) {
        at = trace_next(at, shape, &t);
        for (uint32_t k = 0; k < t.count; k++)
            if (!(t.line[k] & LINE_CONTINUES))
                number_of(p, (t.base + (uint64_t)t.line[k]) >> PAGE_SHIFT);
    }
    p->many = true;
}

/* Where a block uses many pages: going through the wave once, as far as it takes to meet all of
 * them. */
static void
walk_pages(struct pages *p, const struct stream *from, size_t count, struct outline *const *shape)
{
    struct stream *stream = ls_alloc((count + 1) * sizeof *stream);
    memcpy(stream, from, count * sizeof *stream);
    while (count && p->numbered < p->count) {
        size_t left = 0;
        for (size_t k = 0; k < count; k++) {
            struct stream s = stream[k];
            struct traced t;
            s.at = trace_next(s.at, shape, &t);
            for (uint32_t l = 0; l < t.count; l++)
                if (!(t.line[l] & LINE_CONTINUES))
                    give_number(p, (t.base + (uint64_t)t.line[l]) >> PAGE_SHIFT);
            if (s.at < s.end)
                stream[left++] = s;
        }
        count = left;
    }
    ls_release(stream);
}

void
pages_number(struct pages *p, const struct stream *stream, size_t count,
             struct outline *const *shape)
{
    if (p->many) {
        walk_pages(p, stream, count, shape);
    } else if (p->uses.count) {
        qsort(p->uses.at, p->uses.count, sizeof *p->uses.at, compare_uses);
        for (size_t k = 0; k < p->uses.count; k++)
            give_number(p, p->uses.at[k].use.page);
    }
    p->uses.count = 0;
    p->many = false;
}

void
pages_free(struct pages *p)
{
    ls_release(p->page);
    ls_release(p->number);
    VEC_FREE(&p->uses);
}

/* -- a block's own ----------------------------------------------------------------------------- */

/* A page's use, unless there is an earlier one. */
static void
note_use(struct page_uses *u, struct page_use own)
{
    uint32_t at = u->guess[own.page % PAGE_GUESSES];
    if (at >= u->count || u->use[at].page != own.page)
        for (at = 0; at < u->count && u->use[at].page != own.page; at++)
            ;
    if (at == BLOCK_PAGES)
        return;
    u->guess[own.page % PAGE_GUESSES] = (uint8_t)at;
    if (at == u->count || u->use[at].step > own.step)
        u->use[at] = own;
    u->count += at == u->count;
}

/* Known from that step on. */
static inline bool
is_known(const struct known_page *p, uint64_t word, uint64_t step)
{
    return !(is_outside(p->inside, word) >> 63) && step >= p->since;
}

/* Words whose lines lie in one of the two pages that were met last, eight at a time, then one by
 * one. */
static const uint64_t *
skip_known(const uint64_t *at, const uint64_t *end, uint64_t step, const struct known_page known[2])
{
    enum { WORDS = 8 };
    const struct known_page a = known[0], b = known[1];
    for (; end - at >= WORDS && step >= a.since && step >= b.since; at += WORDS, step += WORDS) {
        uint64_t other = 0;
        for (int k = 0; k < WORDS; k++)
            other |= (is_outside(a.inside, at[k]) & is_outside(b.inside, at[k])) |
                     ((at[k] & (SHAPES - 1)) - 1);
        if (other >> 63)
            break;
    }
    for (; at < end && *at & (SHAPES - 1); at++, step++)
        if (!is_known(&a, *at, step) && !is_known(&b, *at, step))
            break;
    return at;
}

void
page_uses_begin(struct page_uses *u, uint64_t reach)
{
    u->count = 0;
    u->reach = reach;
    for (int k = 0; k < 2; k++) /* in no page at all */
        u->known[k] =
            (struct known_page){{UINT64_MAX >> 1, 0}, UINT64_MAX >> PAGE_SHIFT, UINT64_MAX};
    memset(u->guess, 0, sizeof u->guess);
}

/* Of a line in this page, if it may be a page's first one. */
static void
meet_page(struct page_uses *u, struct page_use own)
{
    struct known_page *a = &u->known[0], *b = &u->known[1], other = *b;
    if (own.page == a->page && own.step >= a->since)
        return;
    bool known = own.page == b->page && own.step >= b->since;
    if (own.page != a->page)
        *b = *a;
    if (known) {
        *a = other;
        return;
    }
    note_use(u, own);
    *a = (struct known_page){inside_page(own.page, u->reach, u->reach), own.page, own.step};
}

void
page_uses_add(struct page_uses *u, uint32_t warp, const struct jit_trace *trace,
              struct outline *const *shapes)
{
    uint64_t step = 0;
    for (const uint64_t *at = trace->start; at < trace->at; step++) {
        const uint64_t *from = at;
        struct traced t;
        at = skip_known(at, trace->at, step, u->known);
        step += (uint64_t)(at - from);
        if (at == trace->at)
            break;
        at = trace_next(at, shapes, &t);
        for (uint32_t k = 0; k < t.count; k++)
            if (!(t.line[k] & LINE_CONTINUES))
                meet_page(u, (struct page_use){(t.base + (uint64_t)t.line[k]) >> PAGE_SHIFT, step,
                                               warp, k});
    }
}

uint64_t
page_runs(const struct jit_trace *trace, struct outline *const *shapes)
{
    uint64_t runs = 0;
    struct traced t;
    for (const uint64_t *at = trace->start; at < trace->at;) {
        at = trace_next(at, shapes, &t);
        runs += trace_runs(t.line, t.count);
    }
    return runs;
}
