/* SPDX-License-Identifier: Apache-2.0
 *
 * runs.c: accesses of a warp to device memory in which lanes follow each other at one distance, as
 * most do: the run is looked at as a whole, its bounds once, its words a line at a time (lines.c).
 */
#include "check/constants.h"
#include "check/lines.h"

#include <stdlib.h>

enum { MOST_RUNS = 8 };

/* Lanes first .. first + count - 1; the first one's address, from base; the distance of two. */
struct run {
    int64_t at, step;
    uint8_t first, count;
};

struct runs {
    const int32_t *offset;
    uint32_t lanes, bytes;
    bool usable;
    bool side_by_side; /* a store of whole words, one run, and all that runs_store may do is wanted
                        */
    uint32_t count;
    int64_t low, high; /* of all bytes */
    uint64_t all;      /* the distances and bits of the addresses: for alignment */
    struct run run[MOST_RUNS];
};

/* False: too many. The lanes' places are at[]. */
static bool
find_runs(struct runs *r, const int64_t *at, uint32_t lanes, uint32_t bytes)
{
    struct run *now = NULL;
    r->count = 0;
    r->low = INT64_MAX;
    r->high = INT64_MIN;
    r->all = 0;
    bool few = true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        r->low = at[l] < r->low ? at[l] : r->low;
        r->high = at[l] > r->high ? at[l] : r->high;
        r->all |= (uint64_t)at[l];
        bool next = now && now->first + now->count == l;
        if (next && now->count == 1)
            now->step = at[l] - now->at;
        if (next && at[l] == now->at + now->step * now->count) {
            now->count++;
            continue;
        }
        few = few && r->count < MOST_RUNS;
        now = &r->run[few ? r->count++ : 0];
        *now = (struct run){.at = at[l], .first = (uint8_t)l, .count = 1};
    }
    r->high += bytes;
    return few;
}

/* -- a run, line by line ----------------------------------------------------------------------- */

struct walker {
    struct held held;
    struct line_stamp stamp; /* of stores */
    struct line_touch touch; /* words 0: nothing is waiting */
    uint64_t line;           /* where it belongs */
    uint32_t rest;           /* lanes left to do some other way, */
    uint32_t waiting;        /*   and those of touch */
};

static void
flush(struct walker *w)
{
    if (w->touch.words && !held_touch(&w->held, w->line << LINE_BITS, &w->touch))
        w->rest |= w->waiting;
    w->touch.words = w->waiting = 0;
}

static void
add_words(struct walker *w, uint64_t line, uint32_t words, struct lane_map map, uint32_t lanes)
{
    struct line_touch *t = &w->touch;
    if (t->words && (w->line != line || t->lane.shift != map.shift || t->lane.add != map.add))
        flush(w);
    w->line = line;
    t->lane = map;
    t->words |= words;
    w->waiting |= lanes;
}

static uint32_t
bits(uint32_t from, uint32_t count)
{
    return count >= 32 ? ~0u : ((1u << count) - 1) << from;
}

/* All lanes at one place. */
static void
add_same(struct walker *w, const struct run *r, uint64_t a, uint32_t bytes)
{
    struct line_touch *t = &w->touch;
    uint32_t last = r->first + r->count - 1u;
    flush(w);
    t->mark.when |= MARK_MANY;
    t->lane2 = (struct lane_map){5, (uint8_t)(last - 1)};
    add_words(w, a >> LINE_BITS, bits(a / 4 % 32, bytes / 4), (struct lane_map){5, (uint8_t)last},
              bits(r->first, r->count));
    flush(w);
    t->mark.when &= ~(uint64_t)MARK_MANY;
}

/* Lanes 2^shift words from each other. */
static void
add_strided(struct walker *w, const struct run *r, uint64_t a, uint32_t bytes, uint32_t shift)
{
    uint64_t word = a / 4, step = 1ull << shift;
    uint32_t count = bytes / 4, lane = r->first, left = r->count;
    while (left) {
        uint64_t line = word / 32;
        uint32_t from = word % 32, n = (uint32_t)((32 - from + step - 1) >> shift), words;
        n = n < left ? n : left;
        struct lane_map map = {(uint8_t)shift, (uint8_t)((lane - (from >> shift)) & 31)};
        words = bits(from, count == step ? n * count : count);
        for (uint32_t k = 1; k < n && count != step; k++)
            words |= bits(from + (k << shift), count);
        add_words(w, line, words, map, bits(lane, n));
        word += step * n;
        lane += n;
        left -= n;
    }
}

/* A store of a lane whose line others of its block write, too, a word each. */
static bool
continue_column(struct walker *w, uint64_t a, uint32_t lane)
{
    const struct visit *v = w->touch.v;
    if (v->op != JIT_STORE)
        return false;
    flush(w);
    struct line *lines = held_lines(&w->held, v->b, a);
    return lines &&
           line_continue(&lines[(a & (CHUNK - 1)) >> LINE_BITS], &w->stamp, a / 4 % 32, lane);
}

static void
add_run(struct walker *w, const struct run *r, uint64_t base, uint32_t bytes)
{
    uint64_t a = base + (uint64_t)r->at;
    uint64_t step = r->count > 1 ? (uint64_t)r->step : bytes;
    if (!step) {
        add_same(w, r, a, bytes);
        return;
    }
    if (step >= bytes && step <= 64 && !(step & (step - 1))) {
        add_strided(w, r, a, bytes, (uint32_t)__builtin_ctzll(step) - 2);
        return;
    }
    for (uint32_t l = 0; l < r->count; l++, a += step)
        if (bytes != 4 || !continue_column(w, a, r->first + l))
            add_words(w, a >> LINE_BITS, bits(a / 4 % 32, bytes / 4),
                      (struct lane_map){5, (uint8_t)(r->first + l)}, 1u << (r->first + l));
}

/* -- a warp's access --------------------------------------------------------------------------- */

/* Whether the access may be kept as runs of words: plain, of global memory, each lane on whole
 * words, and no transfer begins with it. */
static bool
may_run(const struct visit *v)
{
    return v->space == PTX_SPACE_GLOBAL && v->op != JIT_ATOMIC &&
           !(v->facts->flags & ~PLACE_STORE) && !(v->bytes & 3) && v->bytes <= 16 &&
           !(v->bytes & (v->bytes - 1)) && !copies_begin(v);
}

static bool
may_bound(const struct visit *v)
{
    return (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) && v->facts->align &&
           v->facts->align == v->bytes;
}

/* The allocation that all of it has to lie in; false: it does not, or another one may do, too. */
static bool
in_bounds(const struct visit *v, uint64_t low, uint64_t high)
{
    const struct block_state *b = v->b;
    const struct range *e = v->expect, *r = e;
    if (!e->base) {
        r = &b->found.last;
        if (b->found.version !=
            __atomic_load_n(&b->launch->check->memory_version, __ATOMIC_RELAXED))
            return false;
    }
    return low <= high && !(r->base >> 62) && low >= r->base && high <= r->end;
}

static struct line_stamp
stamp_of(const struct block_state *b, uint32_t warp, uint32_t place)
{
    return (struct line_stamp){.mark.who = (uint64_t)b->launch->work << WORK_SHIFT |
                                           (uint64_t)(uint32_t)b->block->index << BLOCK_SHIFT |
                                           warp << WARP_SHIFT,
                               .mark.when = (uint64_t)b->order.stamp << STAMP_SHIFT |
                                            (uint64_t)(place & 0x3fffff) << PLACE_SHIFT,
                               .work_floor = b->launch->floor,
                               .floor = b->order.floor};
}

static bool
is_dense(const struct runs *r, uint32_t bytes)
{
    return r->usable && r->count == 1 && (r->run[0].count == 1 || r->run[0].step == bytes);
}

/* False: some line has to be looked at in full; others may have been done, and may be again. */
static bool
store_words(struct block_state *b, const struct runs *r, const struct line_stamp *s, uint64_t base,
            uint32_t bytes)
{
    struct held held = {.base = 1};
    uint64_t word = (base + (uint64_t)r->low) / 4;
    uint32_t shift = (uint32_t)__builtin_ctz(bytes) - 2, lane = r->run[0].first;
    uint32_t left = (uint32_t)(r->high - r->low) / 4;
    bool good = true;
    while (left && good) {
        uint32_t from = word % 32, n = 32 - from < left ? 32 - from : left;
        struct lane_map map = {(uint8_t)shift, (uint8_t)((lane - (from >> shift)) & 31)};
        struct line *lines = held_lines(&held, b, 4 * word);
        good = lines && line_renew(&lines[word / 32 % LINE_COUNT], s, bits(from, n), map);
        lane += n >> shift;
        word += n;
        left -= n;
    }
    held_release(&held);
    return good;
}

/* The lanes that something is left to do for. */
static uint32_t
walk(const struct visit *v, const struct runs *r, uint64_t base)
{
    struct block_state *b = v->b;
    struct walker w = {.held.base = 1, .touch.v = v};
    bool store = v->op == JIT_STORE;
    w.touch.lone = !store && !b->launch->facts->blocks_meet;
    w.stamp = stamp_of(b, v->warp, v->place);
    w.touch.mark = w.stamp.mark;
    w.stamp.mark.when |= MARK_WRITTEN;
    if (store && is_dense(r, v->bytes) && store_words(b, r, &w.stamp, base, v->bytes))
        return 0;
    for (uint32_t k = 0; k < r->count; k++)
        if (store && r->run[k].count > 1 && llabs(r->run[k].step) < v->bytes)
            w.rest |= bits(r->run[k].first, r->run[k].count);
        else
            add_run(&w, &r->run[k], base, v->bytes);
    flush(&w);
    held_release(&w.held);
    return w.rest;
}

/* All lanes are where they may be. */
static void
touch(const struct visit *v, const struct runs *r, uint64_t base, const uint64_t *address)
{
    bool plain =
        v->space == PTX_SPACE_CONST || !(v->b->launch->check->groups & (CHECK_RACE | CHECK_INIT));
    if (v->space == PTX_SPACE_CONST)
        constants_read(v);
    if (v->op == JIT_LOAD && v->expect->base && (plain || read_only_place(v))) {
        gate_open_wide(v);
        return;
    }
    if (plain)
        return;
    uint32_t rest = r->usable && may_run(v) ? walk(v, r, base) : v->lanes;
    uint64_t own[JIT_LANES];
    for (uint32_t l = 0; rest && !address && l < JIT_LANES; l++)
        own[l] = base + (uint64_t)(int64_t)(r->offset ? r->offset[l] : 0);
    if (rest)
        counters_access(v, rest, address ? address : own);
}

static bool
is_side_by_side(const struct visit *v, const struct runs *r)
{
    return is_dense(r, v->bytes) && v->op == JIT_STORE && may_run(v) && v->expect->base &&
           !(v->expect->base >> 62) && (v->b->launch->check->groups & (CHECK_RACE | CHECK_INIT));
}

bool
runs_pattern(const struct visit *v, uint64_t base, const int32_t *offset)
{
    struct runs *r = v->b->runs[v->place];
    int64_t at[JIT_LANES];
    if (!may_bound(v))
        return false;
    if (!r)
        r = v->b->runs[v->place] = ls_alloc(sizeof *r);
    if (r->offset != offset || r->lanes != v->lanes || r->bytes != v->bytes) {
        for (uint32_t l = 0; l < JIT_LANES; l++)
            at[l] = offset ? offset[l] : 0;
        r->usable = find_runs(r, at, v->lanes, v->bytes);
        r->offset = offset;
        r->lanes = v->lanes;
        r->bytes = v->bytes;
        r->side_by_side = is_side_by_side(v, r);
    }
    if (((base | r->all) & (v->bytes - 1)) ||
        !in_bounds(v, base + (uint64_t)r->low, base + (uint64_t)r->high))
        return false;
    touch(v, r, base, NULL);
    return true;
}

bool
runs_lanes(const struct visit *v, const uint64_t *address)
{
    struct runs r;
    if (!may_bound(v))
        return false;
    r.usable = find_runs(&r, (const int64_t *)address, v->lanes, v->bytes);
    if ((r.all & (v->bytes - 1)) || !in_bounds(v, (uint64_t)r.low, (uint64_t)r.high))
        return false;
    touch(v, &r, 0, address);
    return true;
}

/* Nothing waits for the warp's next access, and the run lies where it may. */
static bool
may_store(const struct block_state *b, const struct runs *r, uint32_t warp, uint64_t base,
          uint32_t place)
{
    const struct range *e = &b->expect[place];
    uint64_t low = base + (uint64_t)r->low, end = base + (uint64_t)r->high;
    return !((base | r->all) & (r->bytes - 1)) && low >= e->base && low < end && end <= e->end &&
           !b->pending[warp].count && !b->copied.of[warp] && b->block->note != b->block->note_end;
}

bool
runs_store(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset, uint32_t bytes,
           uint32_t place)
{
    struct block_state *b = w->block->tool;
    const struct runs *r = b ? b->runs[place] : NULL;
    if (!r || !r->side_by_side || r->offset != offset || r->lanes != lanes || r->bytes != bytes ||
        !may_store(b, r, w->warp, base, place))
        return false;
    struct line_stamp s = stamp_of(b, w->warp, place);
    s.mark.when |= MARK_WRITTEN;
    if (!store_words(b, r, &s, base, bytes))
        return false;
    w->denied = 0;
    w->values = NULL;
    return true;
}
