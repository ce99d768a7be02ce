/* SPDX-License-Identifier: Apache-2.0
 *
 * gather.c: what of the warps' traces the caches see next. Warps of an SM mostly go the same way,
 * so that a step's accesses have one shape: eight words of each warp are read at once (a line of
 * the host's cache), and a step's lines are made of all its words together.
 */
#include "profile/play_priv.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

/* -- rows -------------------------------------------------------------------------------------- */

enum { AHEAD = 24 };

static inline bool
have_shapes(const uint64_t *at)
{
    uint64_t none = 0;
    for (int q = 0; q < ROWS; q++)
        none |= (at[q] & (SHAPES - 1)) - 1;
    return !(none >> 63);
}

/* One warp's, to the rows' ends. */
static const uint64_t *
gather_warp(struct rows *r, const uint64_t *at, const uint64_t *end)
{
    for (size_t q = 0; q < ROWS && at < end; q++) {
        bool shape = *at & (SHAPES - 1);
        r->word[q * r->room + r->count[q]++] =
            shape ? *at : (uint64_t)(uintptr_t)at << CACHE_LINE_SHIFT;
        at += shape ? 1 : 1 + (*at >> CACHE_LINE_SHIFT);
    }
    return at;
}

size_t
gather_rows(struct rows *r, struct stream *stream, size_t count)
{
    size_t left = 0, full = 0;
    memset(r->count, 0, sizeof r->count);
    while (r->room < count)
        r->word = ls_grow(r->word, &r->room, ROWS * sizeof *r->word);
    for (size_t k = 0; k < count; k++) {
        const uint64_t *at = stream[k].at, *end = stream[k].end;
        __builtin_prefetch(at + AHEAD); /* too many streams for the host to see them */
        if (full == k && end - at >= ROWS && have_shapes(at)) {
            for (size_t q = 0; q < ROWS; q++)
                r->word[q * r->room + k] = at[q];
            at += ROWS;
            full++;
        } else {
            for (size_t q = 0; q < ROWS && full == k; q++)
                r->count[q] = k;
            at = gather_warp(r, at, end);
        }
        if (at < end)
            stream[left++] = (struct stream){at, end};
    }
    for (size_t q = 0; q < ROWS && full == count; q++)
        r->count[q] = count;
    return left;
}

/* -- lines ------------------------------------------------------------------------------------- */

/* An access's lines, a page's number put in for each run of them. */
static size_t
put_lines(struct gather *g, const struct traced *t, uint64_t *to)
{
    uint64_t shift = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        uint64_t word = t->base + (uint64_t)t->line[k];
        if (!(t->line[k] & LINE_CONTINUES))
            shift = page_shift(g->pages, g->turn, word >> PAGE_SHIFT);
        to[k] = word + shift;
    }
    return t->count;
}

static size_t
gather_one(struct gather *g, uint64_t word, uint64_t *to)
{
    uint64_t shape = word & (SHAPES - 1), number = word >> CACHE_LINE_SHIFT;
    struct traced t;
    if (!shape) {
        trace_next((const uint64_t *)(uintptr_t)number, g->shape, &t);
        g->runs += trace_runs(t.line, t.count);
        return put_lines(g, &t, to);
    }
    const struct outline *o = g->shape[shape];
    uint64_t page = (number + (uint64_t)o->low) >> (PAGE_SHIFT - CACHE_LINE_SHIFT);
    g->runs += o->runs;
    if ((number + (uint64_t)o->high) >> (PAGE_SHIFT - CACHE_LINE_SHIFT) != page) {
        t = (struct traced){o->line, word - shape, o->count};
        return put_lines(g, &t, to);
    }
    uint64_t base = word - shape + page_shift(g->pages, g->turn, page);
    for (uint32_t l = 0; l < o->count; l++)
        to[l] = base + (uint64_t)o->line[l];
    return o->count;
}

/* -- one shape --------------------------------------------------------------------------------- */

/* Words that are like the ones before them leave. */
static size_t
drop_words(uint64_t *word, size_t count)
{
    size_t left = 1;
    uint64_t last = word[0];
    for (size_t k = 1; k < count; k++) {
        uint64_t own = word[k];
        word[left] = own;
        left += own != last;
        last = own;
    }
    return left;
}

#ifdef __x86_64__
#define WIDE __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))
/* The same, eight at a time: a word is compared before it may be overwritten. */
WIDE static size_t
drop_words_wide(uint64_t *word, size_t count)
{
    enum { WORDS = 8 };
    size_t left = 1, k = 1;
    uint64_t last = word[0];
    for (; k + WORDS <= count; k += WORDS) {
        __m512i own = _mm512_loadu_si512(word + k);
        __m512i before = _mm512_alignr_epi64(own, _mm512_set1_epi64((int64_t)last), WORDS - 1);
        __mmask8 other = _mm512_cmpneq_epi64_mask(own, before);
        last = word[k + WORDS - 1];
        _mm512_storeu_si512(word + left, _mm512_maskz_compress_epi64(other, own));
        left += (size_t)__builtin_popcount(other);
    }
    for (; k < count; k++) {
        uint64_t own = word[k];
        word[left] = own;
        left += own != last;
        last = own;
    }
    return left;
}
#else
#define WIDE
#define drop_words_wide drop_words
#endif

/* A load of up to as many lines as a set of L1 has ways leaves all of them there, whatever their
 * sets are: the same load again finds them and leaves them in the order in which they are. */
static inline __attribute__((always_inline)) size_t
drop_repeats(struct gather *g, const struct outline *o, uint64_t *word, size_t count, bool wide)
{
    enum { MOST_REPEATED = 4 };
    if (!g->repeats || !o->plain_loads || o->count > MOST_REPEATED)
        return count;
    size_t left = wide ? drop_words_wide(word, count) : drop_words(word, count);
    g->counts->l1_sectors += (count - left) * o->sectors;
    g->counts->l1_hits += (count - left) * o->sectors;
    g->repeated = (count - left) * o->count;
    return left;
}

static inline __attribute__((always_inline)) void
put_alike(const struct outline *o, const uint64_t *word, size_t count, uint64_t shift, uint64_t *to)
{
    uint32_t lines = o->count;
    if (lines == 1) {
        uint64_t more = shift + (uint64_t)o->line[0];
        for (size_t k = 0; k < count; k++)
            to[k] = word[k] + more;
    } else if (lines == 2) {
        uint64_t more[] = {shift + (uint64_t)o->line[0], shift + (uint64_t)o->line[1]};
        for (size_t k = 0; k < count; k++) {
            to[2 * k] = word[k] + more[0];
            to[2 * k + 1] = word[k] + more[1];
        }
    } else {
        for (size_t k = 0; k < count; k++)
            for (uint32_t l = 0; l < lines; l++)
                to[k * lines + l] = word[k] + shift + (uint64_t)o->line[l];
    }
}

/* Lines of words of one shape, all in one page; 0: they are not. */
static inline __attribute__((always_inline)) size_t
gather_alike(struct gather *g, uint64_t *word, size_t count, uint64_t *to, bool wide)
{
    uint64_t shape = word[0] & (SHAPES - 1), page = word[0] >> PAGE_SHIFT, outside = 0, other = 0;
    if (!shape)
        return 0;
    const struct outline *o = g->shape[shape];
    struct inside inside =
        inside_page(page, o->low < 0 ? (uint64_t)-o->low : 0, o->high > 0 ? (uint64_t)o->high : 0);
    for (size_t k = 0; k < count; k++) {
        outside |= is_outside(inside, word[k]);
        other |= word[k] ^ shape;
    }
    if (outside >> 63 || other & (SHAPES - 1))
        return 0;
    g->runs += o->runs * count;
    count = drop_repeats(g, o, word, count, wide);
    put_alike(o, word, count, page_shift(g->pages, g->turn, page) - shape, to);
    return count * o->count;
}

static size_t
gather_alike_plain(struct gather *g, uint64_t *word, size_t count, uint64_t *to)
{
    return gather_alike(g, word, count, to, false);
}

WIDE static size_t
gather_alike_wide(struct gather *g, uint64_t *word, size_t count, uint64_t *to)
{
    return gather_alike(g, word, count, to, true);
}

size_t
gather_lines(struct gather *g, uint64_t *word, size_t count, uint64_t *to)
{
    if (!count)
        return 0;
    size_t n =
        g->wide ? gather_alike_wide(g, word, count, to) : gather_alike_plain(g, word, count, to);
    if (n)
        return n;
    for (size_t k = 0; k < count; k++)
        n += gather_one(g, word[k], to + n);
    return n;
}
