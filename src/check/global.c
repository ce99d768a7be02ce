/* SPDX-License-Identifier: Apache-2.0
 *
 * global.c: accesses of kernels to device memory: who wrote and read each word last, in any launch,
 * and whether it was written at all. Where that is kept: shadow.c; what races: race.c.
 */
#include "check/memo.h"
#include "check/seen.h"

/* -- one cell ---------------------------------------------------------------------------------- */

/* True: the access races with an earlier write. Of two strong ones that it races with one is told.
 */
static bool
check_writes(const struct visit *v, const struct global_touch *t, const struct cell *c)
{
    const struct strong_log *log = t->log;
    bool strong = false, write = false, lately = mark_work(&c->strong) == v->b->launch->work;
    if (log && (!lately || strong_log_holds(log, &c->strong)))
        strong = strong_log_judge(v, &t->touch, log);
    else
        log = NULL;
    if (!(log && lately) && c->strong.who && !seen_before(v, t->touch.lane, c))
        strong |= race_with_write(v, &t->touch, &c->strong) != ORDERED;
    if (c->write.who)
        write = race_with_write(v, &t->touch, &c->write) != ORDERED;
    return strong || write;
}

/* True: it races with an earlier write. */
static bool
touch_cell(const struct visit *v, const struct global_touch *t, struct cell *c)
{
    if (v->op != JIT_STORE && !cell_is_written(c))
        race_unset_read(v, &t->touch, c->write.when ? &c->write : NULL);
    bool write = check_writes(v, t, c);
    if (t->log)
        strong_log_note(v, t->log, &t->mark, 0);
    if (v->op == JIT_LOAD) {
        seen_note_read(v, t, c);
        return write;
    }
    bool reported = write | race_with_reads(v, &t->touch, c->read.who ? &c->read : NULL,
                                            c->other.who ? &c->other : NULL);
    struct mark *last = t->mark.when & MARK_STRONG ? &c->strong : &c->write;
    if (last == &c->strong)
        c->read.when &= ~(uint64_t)MARK_SEEN, c->other.when &= ~(uint64_t)MARK_SEEN;
    *last = t->mark;
    last->when |= MARK_WRITTEN | (reported ? MARK_REPORTED : 0);
    uint32_t bytes = (1u << (1u << t->touch.shift)) - 1;
    if (t->touch.unset &&
        ((t->touch.unset >> (t->touch.at - t->touch.address[t->touch.lane])) & bytes) == bytes)
        last->when |= MARK_UNSET;
    return write;
}

/* touch_cell(), whose judgement is memoised where that of lanes behind may be the same. */
static void
judge_cell(const struct visit *v, const struct global_touch *t, struct cell *c)
{
    struct memo *m = t->memo;
    if (t->uneven || t->touch.unset) {
        m->usable = false;
        touch_cell(v, t, c);
        return;
    }
    struct cell from = *c;
    memo_flush(m, v);
    m->repeats = (struct repeats){0};
    struct visit noted = *v;
    noted.repeats = &m->repeats;
    bool write = touch_cell(&noted, t, c);
    m->usable = !(write && v->op == JIT_STORE); /* is it the same value that is written? */
    if (m->usable)
        memo_learn(m, v, t->touch.lane, &from, c);
}

/* Without cells: only whether it was written. */
static void
touch_thin(const struct visit *v, uint32_t lane, struct chunk *k, uint32_t first, uint32_t count,
           uint32_t skip, uint64_t a)
{
    bool missing = false;
    for (uint32_t n = 0; n < count && v->op != JIT_STORE; n++)
        missing |= !(k->written ? chunk_bit(k->written, first + n) : k->all_written) &&
                   bytes_used(v->facts, skip + n, 1);
    if (missing)
        report_unwritten(v, &(struct touch){.at = a, .lane = lane}, NULL);
    if (v->op != JIT_LOAD)
        chunk_mark_bits(k, first, count, true);
}

/* Notes an atomic operation in a cell without touch_cell()'s search for races: no read or plain
 * write of the cell is from this launch or from work that may overlap it, its memory is
 * initialised, and scopes agree. False: not so; the cell is unchanged, touch_cell() has to look. */
static inline bool
quick_atomic(const struct visit *v, const struct global_touch *t, struct cell *c)
{
    const uint64_t floor = (uint64_t)v->b->launch->floor << WORK_SHIFT;
    if (!t->even || c->write.who >= floor || c->read.who >= floor || c->other.who >= floor ||
        (c->strong.when & MARK_NARROW) || !cell_is_written(c))
        return false;
    c->strong = t->mark;
    c->strong.when |= MARK_WRITTEN;
    return true;
}

/* The part of a lane's access that lies in the chunk; locked. */
static void
touch_chunk(const struct visit *v, struct global_touch *t, struct chunk *k, uint64_t a,
            uint32_t count)
{
    struct global_shadow *g = v->b->launch->check->global;
    uint32_t first = a & (CHUNK - 1);
    if (!(k->cells || chunk_need_cells(g, k)) ||
        (k->shift && ((first | count) & 3) && !chunk_cut_cells(g, k))) {
        v->b->shared.rough |= 1u << t->touch.lane;
        touch_thin(v, t->touch.lane, k, first, count,
                   (uint32_t)(a - t->touch.address[t->touch.lane]), a);
        return;
    }
    t->touch.shift = k->shift;
    k->whole = k->whole && !t->touch.unset;
    uint32_t last = (first + count - 1) >> k->shift;
    for (uint32_t n = first >> k->shift; n <= last; n++) {
        if (t->lone && cell_read_enough(v->b->launch, &k->cells[n])) {
            read_shared_note(v->b->launch, k);
            continue;
        }
        read_shared_lose(v->b->launch, k);
        if (quick_atomic(v, t, &k->cells[n]))
            continue;
        struct cell *c = &k->cells[n];
        v->b->shared.rough |= 1u << t->touch.lane;
        if (t->memo->usable && !t->touch.unset && memo_apply(t->memo, c, t->touch.lane)) {
            k->alike++;
            continue;
        }
        t->touch.at = a - first + ((uint64_t)n << k->shift);
        t->log = NULL;
        if (t->uneven && strong_differ_at(v, t->touch.at)) {
            t->marks = (struct strong_marks){c->strong, {c->read, c->other}};
            t->log =
                strong_log_of(v, &k->logs, n << k->shift, &t->marks, t->mark.when & MARK_STRONG);
        }
        judge_cell(v, t, c);
    }
}

/* Cells are sixteen times as large as what they stand for, and mostly not in the cache. */
static __attribute__((no_sanitize("thread"))) void
fetch_cells(struct global_shadow *g, uint32_t lanes, const uint64_t *address)
{
    const struct chunk *k = NULL;
    uint64_t base = 1;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t a = address[__builtin_ctz(left)];
        if ((a & ~(uint64_t)(CHUNK - 1)) != base) {
            k = shadow_chunk(g, a, false);
            base = a & ~(uint64_t)(CHUNK - 1);
        }
        const struct cell *cells = k ? __atomic_load_n(&k->cells, __ATOMIC_RELAXED) : NULL;
        if (cells)
            __builtin_prefetch(&cells[(a & (CHUNK - 1)) >> k->shift], 1);
    }
}

bool
global_is_watched(const struct visit *v)
{
    return v->space != PTX_SPACE_CONST &&
           (v->b->launch->check->groups & (CHECK_RACE | CHECK_INIT)) && !read_only_place(v);
}

void
global_access(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    struct block_state *b = v->b;
    struct global_shadow *g = b->launch->check->global;
    uint32_t flags = v->facts->flags;
    if (flags & PLACE_STRONG)
        order_strong(v, lanes, address, false);
    struct memo memo;
    struct global_touch t = {.touch.address = address, .memo = &memo};
    memo.usable = false;
    memo.again = 0;
    t.lone = v->op == JIT_LOAD && !b->launch->facts->blocks_meet;
    t.uneven = strong_differ(v);
    t.even = v->op == JIT_ATOMIC && flags & PLACE_STRONG && !t.uneven;
    fetch_cells(g, lanes, address);
    bool copying = copies_begin(v);
    t.mark = seen_mark(v, 0, b->order.stamp);
    uint64_t who = t.mark.who;
    order_released(v);
    struct chunk *held = NULL;
    uint64_t held_base = 1;
    for (uint32_t left = lanes; left; left &= left - 1) {
        t.touch.lane = (uint32_t)__builtin_ctz(left);
        t.mark.who = who | t.touch.lane;
        t.touch.unset = copying ? copies_stored(v, t.touch.lane) : 0;
        uint64_t a = address[t.touch.lane], end = a + v->bytes;
        while (a < end) {
            uint64_t base = a & ~(uint64_t)(CHUNK - 1);
            uint64_t stop = end < base + CHUNK ? end : base + CHUNK;
            if (base != held_base) {
                if (held)
                    chunk_unlock(held);
                held = shadow_chunk(g, a, true);
                held_base = base;
                if (held) {
                    chunk_lock(held);
                    held->last_work = b->launch->work;
                }
            }
            if (held)
                touch_chunk(v, &t, held, a, (uint32_t)(stop - a));
            a = stop;
        }
    }
    if (held)
        chunk_unlock(held);
    memo_flush(&memo, v);
}

/* -- whole runs of words: runs.c --------------------------------------------------------------- */

void
held_release(struct held *h)
{
    if (h->chunk)
        chunk_unlock(h->chunk);
    h->chunk = NULL;
    h->base = 1;
}

static void
hold(struct held *h, struct block_state *b, uint64_t address)
{
    uint64_t base = address & ~(uint64_t)(CHUNK - 1);
    if (base == h->base)
        return;
    held_release(h);
    if (b->found.chunk_base != base || !b->found.chunk) {
        b->found.chunk = shadow_chunk(b->launch->check->global, address, true);
        b->found.chunk_base = base;
    }
    h->chunk = b->found.chunk;
    h->base = base;
    if (h->chunk) {
        chunk_lock(h->chunk);
        h->chunk->last_work = b->launch->work;
    }
}

struct line *
held_lines(struct held *h, struct block_state *b, uint64_t address)
{
    hold(h, b, address);
    struct chunk *k = h->chunk;
    return k && !atomic_load_explicit(&k->read_shared, memory_order_relaxed) ? k->lines : NULL;
}

bool
held_touch(struct held *h, uint64_t address, const struct line_touch *t)
{
    const struct visit *v = t->v;
    bool read_shared = false;
    hold(h, v->b, address);
    struct chunk *k = h->chunk;
    if (!k || !chunk_need_lines(v->b->launch->check->global, k))
        return false;
    struct line *l = &k->lines[(address & (CHUNK - 1)) >> LINE_BITS];
    if (!(v->op == JIT_LOAD ? line_load(l, t, &read_shared) : line_store(l, t)))
        return false;
    if (read_shared)
        read_shared_note(v->b->launch, k);
    else
        read_shared_lose(v->b->launch, k);
    return true;
}
