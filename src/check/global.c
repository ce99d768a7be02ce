/* SPDX-License-Identifier: Apache-2.0
 *
 * global.c: device memory: who wrote and read each word last, in any launch, and whether it was
 * written at all. Chunks of 16 KiB get their cells when a kernel first touches them; as in shared.c a
 * cell is a word until an access is narrower. Chunks that only copies and fills touched have a bit
 * per byte. Cells take sixteen times the memory they watch: beyond the limit races in further chunks
 * are not looked for, and the report says so.
 */
#include "check/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TABLE_BITS = 14, /* chunks per table */
    TABLE = 1 << TABLE_BITS,
    TOP = 1 << (47 - CHUNK_BITS - TABLE_BITS),
};

struct global_shadow {
    uint64_t limit;
    _Atomic uint64_t used;
    _Atomic bool thinned;
    _Atomic(struct table *) top[TOP];
};

struct table {
    _Atomic(struct chunk *) chunk[TABLE];
};

struct global_shadow *
global_new(uint64_t most_bytes)
{
    struct global_shadow *g = ls_alloc(sizeof *g);
    g->limit = most_bytes;
    return g;
}

bool
global_take(struct global_shadow *g, uint64_t bytes)
{
    if (atomic_fetch_add(&g->used, bytes) + bytes <= g->limit)
        return true;
    atomic_fetch_sub(&g->used, bytes);
    return false;
}

void
global_give(struct global_shadow *g, uint64_t bytes)
{
    atomic_fetch_sub(&g->used, bytes);
}

static void
drop_lines(struct global_shadow *g, struct chunk *k)
{
    for (uint32_t n = 0; k->lines && n < LINE_COUNT; n++)
        line_free(g, &k->lines[n]);
    if (k->lines)
        global_give(g, sizeof *k->lines * LINE_COUNT);
    free(k->lines);
    k->lines = NULL;
}

static void
chunk_free(struct global_shadow *g, struct chunk *k)
{
    if (!k)
        return;
    free(k->cells);
    drop_lines(g, k);
    free(k->written);
    free(k);
}

void
global_free(struct global_shadow *g)
{
    for (uint32_t t = 0; t < TOP; t++) {
        struct table *table = g->top[t];
        for (uint32_t k = 0; table && k < TABLE; k++)
            chunk_free(g, table->chunk[k]);
        free(table);
    }
    ls_release(g);
}

bool
global_thinned(const struct global_shadow *g)
{
    return g->thinned;
}

/* -- chunks ------------------------------------------------------------------------------------------ */

static struct chunk *
find_chunk(struct global_shadow *g, uint64_t address, bool make)
{
    uint64_t n = address >> CHUNK_BITS;
    if (n >> TABLE_BITS >= TOP)
        return NULL;
    _Atomic(struct table *) *at = &g->top[n >> TABLE_BITS];
    struct table *t = atomic_load_explicit(at, memory_order_acquire), *none = NULL;
    if (!t && !make)
        return NULL;
    if (!t) {
        t = calloc(1, sizeof *t);
        if (!t)
            return NULL;
        if (!atomic_compare_exchange_strong(at, &none, t)) {
            free(t);
            t = none;
        }
    }
    _Atomic(struct chunk *) *slot = &t->chunk[n & (TABLE - 1)];
    struct chunk *k = atomic_load_explicit(slot, memory_order_acquire), *empty = NULL;
    if (k || !make)
        return k;
    k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->shift = 2;
    if (!atomic_compare_exchange_strong(slot, &empty, k)) {
        free(k);
        k = empty;
    }
    return k;
}

static void
chunk_lock(struct chunk *k)
{
    while (atomic_flag_test_and_set_explicit(&k->busy, memory_order_acquire))
        ;
}

static void
chunk_unlock(struct chunk *k)
{
    atomic_flag_clear_explicit(&k->busy, memory_order_release);
}

static bool
is_written(const struct cell *c)
{
    return (c->write.when & (MARK_WRITTEN | MARK_UNSET)) == MARK_WRITTEN || c->strong.when;
}

static bool
bit_of(const uint8_t *bits, uint32_t k)
{
    return bits[k / 8] >> (k & 7) & 1;
}

/* The memory for cells or lines, or thin. */
static void *
room_for(struct global_shadow *g, struct chunk *k, uint64_t bytes)
{
    void *c = NULL;
    if (global_take(g, bytes)) {
        c = aligned_alloc(sizeof(struct line), bytes); /* a multiple of it */
        if (!c)
            global_give(g, bytes);
    }
    if (!c) {
        g->thinned = true;
        k->thin = true;
    }
    return c;
}

static struct cell
cell_of_none(const struct chunk *k, uint32_t byte)
{
    bool written = k->written ? bit_of(k->written, byte) : k->all_written;
    return (struct cell){.write = {.who = written ? (uint64_t)k->by << WORK_SHIFT : 0,
                                   .when = written ? MARK_WRITTEN : 0}};
}

/* A copy of what is known of the chunk's byte, whatever its form. */
static struct cell
cell_at(const struct chunk *k, uint32_t byte)
{
    if (k->cells)
        return k->cells[byte >> k->shift];
    return k->lines ? line_cell(&k->lines[byte >> LINE_BITS], byte / 4 % 32) : cell_of_none(k, byte);
}

static bool
need_cells(struct global_shadow *g, struct chunk *k)
{
    if (k->cells || k->thin)
        return k->cells != NULL;
    bool words = true; /* no word is written in part */
    for (uint32_t n = 0; k->written && n < CHUNK / 8; n++)
        words = words && (k->written[n] & 15) % 15 == 0 && (k->written[n] >> 4) % 15 == 0;
    k->shift = words ? 2 : 0;
    struct cell *cells = room_for(g, k, sizeof *cells * (CHUNK >> k->shift));
    for (uint32_t n = 0; cells && n < CHUNK >> k->shift; n++)
        cells[n] = cell_at(k, n << k->shift);
    if (k->lines && !cells) { /* only what was written is kept */
        k->written = calloc(1, CHUNK / 8);
        k->all_written = !k->written;
        for (uint32_t n = 0; k->written && n < CHUNK / 8; n++)
            k->written[n] = (uint8_t)((k->lines[n / 16].written >> n % 16 * 2 & 1 ? 0x0f : 0) |
                                      (k->lines[n / 16].written >> (n % 16 * 2 + 1) & 1 ? 0xf0 : 0));
    }
    drop_lines(g, k);
    k->cells = cells;
    if (!cells)
        return false;
    free(k->written);
    k->written = NULL;
    return true;
}

/* False: the chunk has cells, or there is no memory. */
static bool
need_lines(struct global_shadow *g, struct chunk *k)
{
    if (k->lines || k->cells || k->thin)
        return k->lines != NULL;
    for (uint32_t n = 0; k->written && n < CHUNK / 8; n++)
        if ((k->written[n] & 15) % 15 || (k->written[n] >> 4) % 15)
            return false;
    k->lines = room_for(g, k, sizeof *k->lines * LINE_COUNT);
    for (uint32_t n = 0; k->lines && n < LINE_COUNT; n++) {
        struct line *l = &k->lines[n];
        *l = (struct line){0};
        uint32_t words = k->all_written ? ~0u : 0;
        for (uint32_t w = 0; k->written && w < 32; w++)
            words |= (uint32_t)bit_of(k->written, n * 128 + 4 * w) << w;
        line_range(g, l, words, words ? k->by : 0, true);
    }
    if (!k->lines)
        return false;
    free(k->written);
    k->written = NULL;
    return true;
}

/* No more than a bit per byte of what the cells knew. */
static void
drop_cells(struct global_shadow *g, struct chunk *k)
{
    uint8_t *bits = calloc(1, CHUNK / 8);
    k->all_written = !bits;
    for (uint32_t n = 0; bits && n < CHUNK; n++)
        bits[n / 8] |= (uint8_t)(is_written(&k->cells[n >> k->shift]) << (n & 7));
    k->written = bits;
    atomic_fetch_sub(&g->used, sizeof(struct cell) * (CHUNK >> k->shift));
    free(k->cells);
    k->cells = NULL;
    k->by = 0;
}

/* False: there is no memory for cells of bytes; the words' are gone, too. */
static bool
cut_cells(struct global_shadow *g, struct chunk *k)
{
    struct cell *bytes = room_for(g, k, sizeof *bytes * CHUNK);
    if (!bytes) {
        drop_cells(g, k);
        return false;
    }
    for (uint32_t n = 0; n < CHUNK; n++)
        bytes[n] = k->cells[n / 4];
    free(k->cells);
    atomic_fetch_sub(&g->used, sizeof(struct cell) * (CHUNK / 4));
    k->cells = bytes;
    k->shift = 0;
    return true;
}

/* -- copies, fills, new memory -------------------------------------------------------------------------- */

static void
mark_bits(struct chunk *k, uint32_t first, uint32_t count, bool known)
{
    if (count == CHUNK) {
        free(k->written);
        k->written = NULL;
        k->all_written = known;
        return;
    }
    if (!k->written) {
        if (k->all_written == known)
            return;
        k->written = calloc(1, CHUNK / 8);
        if (!k->written) {
            k->all_written = true;
            return;
        }
        if (k->all_written)
            memset(k->written, 0xff, CHUNK / 8);
        k->all_written = false;
    }
    for (uint32_t n = first; n < first + count; n++) {
        uint8_t bit = (uint8_t)(1u << (n & 7));
        if (n % 8 == 0 && n + 8 <= first + count) {
            k->written[n / 8] = known ? 0xff : 0;
            n += 7;
        } else if (known) {
            k->written[n / 8] |= bit;
        } else {
            k->written[n / 8] &= (uint8_t)~bit;
        }
    }
}

/* All words of the lines that the range touches; false: they need more records. */
static bool
range_in_lines(struct global_shadow *g, struct chunk *k, uint32_t first, uint32_t count,
               uint32_t work, bool known)
{
    bool good = !((first | count) & 3);
    for (uint32_t at = first; at < first + count && good;) {
        uint32_t stop = (at | 127) + 1, end = stop < first + count ? stop : first + count;
        uint32_t words = (end - at) / 4 == 32 ? ~0u : ((1u << (end - at) / 4) - 1) << at / 4 % 32;
        good = line_range(g, &k->lines[at >> LINE_BITS], words, work, known);
        at = end;
    }
    return good;
}

static void
range_in_chunk(struct global_shadow *g, struct chunk *k, uint32_t first, uint32_t count,
               uint32_t work, bool known)
{
    k->whole = k->whole && known;
    if (count == CHUNK && (!work || known)) {
        if (k->cells)
            atomic_fetch_sub(&g->used, sizeof(struct cell) * (CHUNK >> k->shift));
        free(k->cells);
        k->cells = NULL;
        drop_lines(g, k);
        k->shift = 2;
        mark_bits(k, first, count, known);
        k->by = work;
        return;
    }
    bool noted = work || k->lines || k->by;
    if (!k->cells && noted && need_lines(g, k) && range_in_lines(g, k, first, count, work, known))
        return;
    if (!k->cells && !(noted && need_cells(g, k))) {
        mark_bits(k, first, count, known);
        k->by = 0;
        return;
    }
    if (k->shift && ((first | count) & 3) && !cut_cells(g, k)) {
        mark_bits(k, first, count, known);
        return;
    }
    uint32_t last = (first + count - 1) >> k->shift;
    struct cell c = {.write = {.who = (uint64_t)work << WORK_SHIFT, .when = known ? MARK_WRITTEN : 0}};
    for (uint32_t n = first >> k->shift; n <= last; n++)
        k->cells[n] = c;
}

void
global_range(struct global_shadow *g, uint64_t base, uint64_t size, uint32_t work, bool known)
{
    while (size) {
        uint32_t first = base & (CHUNK - 1);
        uint32_t count = size < CHUNK - first ? (uint32_t)size : CHUNK - first;
        struct chunk *k = find_chunk(g, base, true);
        if (k) {
            chunk_lock(k);
            atomic_store_explicit(&k->calm, 0, memory_order_relaxed);
            range_in_chunk(g, k, first, count, work, known);
            chunk_unlock(k);
        }
        base += count;
        size -= count;
    }
}

/* -- order ------------------------------------------------------------------------------------------------ */

static uint32_t
mark_block(const struct mark *m)
{
    return (uint32_t)(m->who >> BLOCK_SHIFT);
}
static uint32_t
mark_warp(const struct mark *m)
{
    return (uint32_t)(m->who >> WARP_SHIFT) & 31;
}
static uint32_t
mark_lane(const struct mark *m)
{
    return (uint32_t)m->who & 31;
}
static uint32_t
mark_stamp(const struct mark *m)
{
    return (uint32_t)(m->when >> STAMP_SHIFT);
}
static uint32_t
mark_place(const struct mark *m)
{
    return (uint32_t)(m->when >> PLACE_SHIFT) & 0x3fffff;
}

enum verdict { ORDERED, RACE_WORK, RACE_BLOCKS, RACE_SCOPE, RACE_INSIDE, RACE_NESTED, RACE_UNFENCED,
               RACE_VOLATILE, RACE_VOLATILE_WARP };

/* Other work than this launch: over before it began? */
static enum verdict
judge_work(const struct block_state *b, const struct mark *m)
{
    const struct launch *l = b->launch;
    uint32_t work = mark_work(m);
    if (work < l->floor)
        return ORDERED;
    struct check *c = l->check;
    pthread_mutex_lock(&c->lock);
    struct job w = work <= c->work.count ? c->work.at[work - 1] : (struct job){0};
    pthread_mutex_unlock(&c->lock);
    switch (nested_relation(b, &w, work, mark_block(m), mark_warp(m), mark_stamp(m))) {
    case RELATION_ORDERED: return ORDERED;
    case RELATION_RACE: return RACE_NESTED;
    case RELATION_NONE: break;
    }
    return w.stream >= STREAMS || l->after[w.stream] >= w.seq ? ORDERED : RACE_WORK;
}

/* Volatile accesses of one word, one of them a write, that nothing orders. A volatile store behind a
 * fence is a flag's; volatile loads read memory anew, and so need no fence behind the flag that they follow. */
static enum verdict
judge_volatile(const struct visit *v, const struct mark *m, bool inside, bool write)
{
    const struct block_state *b = v->b;
    bool mine = v->op == JIT_LOAD || order_fenced(b, v->warp, inside ? SCOPE_BLOCK : SCOPE_DEVICE);
    bool theirs = !write || m->when & (inside ? MARK_FENCED_BLOCK : MARK_FENCED);
    bool both = m->when & MARK_VOLATILE && v->facts->flags & PLACE_VOLATILE;
    bool warp = both && inside && mark_warp(m) == v->warp;
    if (order_seen(b, v->warp, mark_block(m), mark_warp(m), mark_stamp(m)))
        return ORDERED;
    if (warp && (v->lanes & (v->lanes - 1) || !(mine && theirs)))
        return RACE_VOLATILE_WARP;
    return mine && theirs ? ORDERED : RACE_VOLATILE;
}

/* In this launch. */
static bool
is_before(const struct visit *v, uint32_t lane, const struct mark *m)
{
    const struct block_state *b = v->b;
    if (mark_block(m) == (uint32_t)b->block->index)
        return !order_unordered(b, v->warp, lane, mark_warp(m), mark_lane(m), m->when & MARK_MANY,
                                mark_stamp(m));
    return known_of(b->outside[v->warp], mark_block(m), mark_warp(m)) >= (int64_t)mark_stamp(m);
}

/* write: what the mark tells of is one. */
static enum verdict
judge(const struct visit *v, uint32_t lane, const struct mark *m, bool write)
{
    const struct block_state *b = v->b;
    uint32_t work = mark_work(m);
    if (!work)
        return ORDERED;
    bool both = (m->when & MARK_STRONG) && (v->facts->flags & PLACE_STRONG);
    bool narrow = (m->when & MARK_CTA) || (v->facts->flags & PLACE_SCOPE_CTA);
    if (work != b->launch->work)
        return both && !narrow ? ORDERED : judge_work(b, m);
    bool inside = mark_block(m) == (uint32_t)b->block->index;
    bool strong = both && (inside || !narrow);
    bool is_volatile = strong && ((m->when & MARK_VOLATILE) || (v->facts->flags & PLACE_VOLATILE));
    if (strong && !is_volatile)
        return ORDERED;
    if (is_before(v, lane, m))
        return ORDERED;
    if (is_volatile)
        return judge_volatile(v, m, inside, write);
    if (order_seen(b, v->warp, mark_block(m), mark_warp(m), mark_stamp(m)))
        return RACE_UNFENCED;
    return inside ? RACE_INSIDE : both ? RACE_SCOPE : RACE_BLOCKS;
}

/* -- reports ------------------------------------------------------------------------------------------------ */

static struct side
side_of_mark(const struct visit *v, uint32_t mine, const struct mark *m, uint64_t address)
{
    const struct launch *l = v->b->launch;
    struct check *c = l->check;
    uint32_t number = mark_work(m);
    pthread_mutex_lock(&c->lock);
    struct job w = number && number <= c->work.count ? c->work.at[number - 1] : (struct job){0};
    pthread_mutex_unlock(&c->lock);
    struct side s = {.valid = true, .address = address, .op = w.what ? w.what : "copy", .host = w.host};
    if (!w.kernel)
        return s;
    uint32_t lane = mark_lane(m), n = mark_block(m);
    if (m->when & MARK_MANY && lane == mine && mark_warp(m) == v->warp &&
        n == (uint32_t)v->b->block->index)
        lane = (uint32_t)(m->when >> LANE2_SHIFT) & 31;
    uint32_t t = mark_warp(m) * JIT_LANES + lane;
    s.kernel = w.kernel;
    s.place = mark_place(m);
    s.op = place_op(w.kernel, s.place);
    s.size = s.place < w.kernel->place_count ? w.kernel->place[s.place].align : 0;
    s.has_place = s.has_thread = true;
    for (int d = 0; d < 3; d++) {
        s.thread[d] = d < 2 ? t % w.block[d] : t;
        t /= w.block[d];
        s.block[d] = d < 2 ? n % w.grid[d] : n;
        n /= w.grid[d];
    }
    return s;
}

static void
name_memory(const struct launch *l, uint64_t a, char *out, size_t room)
{
    struct allocation found;
    if (!l->memory || !memory_find_reached(l->memory, a, &found))
        snprintf(out, room, "0x%llx", (unsigned long long)a);
    else if (found.name && found.kind == ALLOCATION_VARIABLE)
        snprintf(out, room, "variable \"%s\" at byte %llu", found.name,
                 (unsigned long long)(a - found.base));
    else
        snprintf(out, room, "allocation %llu (%llu bytes) at byte %llu",
                 (unsigned long long)found.number, (unsigned long long)found.size,
                 (unsigned long long)(a - found.base));
}

static const char *
missing_text(enum verdict verdict, bool same_warp, bool same_insn)
{
    if (same_insn)
        return "one thread to do it, or an atomic operation: which thread's value stays is not defined";
    switch (verdict) {
    case RACE_WORK:
        return "an order between the two: the same stream, an event, or a wait of the host in between";
    case RACE_NESTED:
        return "a kernel and those that it launches run at the same time: what a child reads is written before "
               "its launch (by other threads: before a barrier); what it writes is for later launches of the "
               "block to the same stream, a tail launch, or the host";
    case RACE_SCOPE:
        return "an atomic operation of device scope: one of block scope counts only among the threads of "
               "its block";
    case RACE_UNFENCED:
        return "a fence between reading the flag, or taking the lock, and this access: __threadfence(), or "
               "__threadfence_block() where only threads of the block take part";
    case RACE_VOLATILE:
        return "atomic operations, or a lock, a barrier, or a flag with __threadfence() before it is set: "
               "volatile makes the compiler keep the access, and orders nothing";
    case RACE_VOLATILE_WARP:
        return "__syncwarp() between the two: since compute capability 7.0 the lanes of a warp need not run "
               "in lock-step, and volatile does not order them";
    case RACE_INSIDE:
        return same_warp ? "__syncwarp() between the two: since compute capability 7.0 the lanes of a "
                           "warp need not run in lock-step"
                         : "a barrier between the two: __syncthreads()";
    default:
        return "blocks of one launch run in any order and at the same time: only a new launch, a "
               "grid-wide barrier, or atomics with fences order them";
    }
}

static void
report_race(const struct visit *v, uint32_t lane, uint64_t a, const struct mark *m,
            enum verdict verdict, bool same_insn, bool same_value)
{
    const struct launch *l = v->b->launch;
    bool is_volatile = verdict == RACE_VOLATILE || verdict == RACE_VOLATILE_WARP;
    struct finding f = {.kind = verdict == RACE_WORK ? FINDING_HOST_RACE
                                : is_volatile        ? FINDING_VOLATILE_RACE
                                                     : FINDING_GLOBAL_RACE,
                        .severity = same_value || verdict == RACE_VOLATILE ? SEVERITY_WARNING : SEVERITY_ERROR,
                        .space = "global"};
    static const char *const between[] = {"", " by work of another stream, nothing orders them",
                                          " by different blocks, nothing orders them",
                                          " by different blocks, atomic only inside a block",
                                          " by different threads of a block, nothing orders them",
                                          " by kernels of one tree of launches, nothing orders them",
                                          ": the flag between them was read without a fence behind it",
                                          ": volatile, and nothing orders them",
                                          " by lanes of one warp: volatile, and nothing orders them"};
    f.other = side_of_mark(v, lane, m, a);
    f.rank = same_value ? 0 : verdict == RACE_VOLATILE ? 1 : verdict != RACE_INSIDE ? 3 : mark_warp(m) == v->warp ? 1 : 2;
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, f.other.kernel,
                        f.other.place, v->b->block->ctaid))
        return;
    char where[200];
    f.access = side_of(v, lane, a);
    name_memory(l, a, where, sizeof where);
    snprintf(f.message, sizeof f.message, "%s and %s of %s%s%s", f.other.op, f.access.op, where,
             same_insn ? " by different threads in one instruction" : between[verdict],
             same_value ? " (the same value is written)" : "");
    snprintf(f.missing, sizeof f.missing, "%s",
             missing_text(verdict, mark_warp(m) == v->warp, same_insn));
    finding_add(l->check, &f);
}

/* by: the store that copied something unwritten there; NULL: none. */
static void
report_unwritten(const struct visit *v, uint32_t lane, uint64_t a, const struct mark *by)
{
    const struct launch *l = v->b->launch;
    struct allocation found;
    if (!l->memory || !memory_find_reached(l->memory, a, &found) ||
        (found.kind != ALLOCATION_DEVICE && found.kind != ALLOCATION_HEAP))
        return;
    struct finding f = {.kind = FINDING_UNINITIALIZED, .space = "global"};
    if (by)
        f.other = side_of_mark(v, lane, by, a);
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, f.other.kernel, f.other.place, v->b->block->ctaid))
        return;
    char where[200];
    f.access = side_of(v, lane, a);
    name_memory(l, a, where, sizeof where);
    snprintf(f.message, sizeof f.message, "%s of %u bytes of %s%s", f.access.op, v->bytes, where,
             by ? ": a copy of what nothing has written" : ", which nothing has written");
    snprintf(f.missing, sizeof f.missing, "a copy, a fill or a kernel that writes it before");
    finding_add(l->check, &f);
}

/* -- one cell --------------------------------------------------------------------------------------------------- */

struct touch {
    bool lone; /* a load, where nothing orders blocks */
    bool even; /* an atomic operation, where all strong accesses are alike */
    const uint64_t *address;
    uint32_t lane, shift;
    uint64_t at; /* first byte of the cell */
    uint32_t unset; /* bytes of the lane's store that are copies of unset ones */
    struct mark mark;
};

static bool
in_this_insn(const struct visit *v, const struct touch *t, const struct mark *m)
{
    uint32_t lane = mark_lane(m);
    if (((m->who ^ t->mark.who) >> LANE_BITS) || mark_place(m) != v->place ||
        mark_stamp(m) != v->b->stamp || lane == t->lane || !(v->lanes >> lane & 1))
        return false;
    return t->at + (1u << t->shift) > t->address[lane] && t->at < t->address[lane] + v->bytes;
}

static enum verdict
check_last_write(const struct visit *v, const struct touch *t, const struct mark *w)
{
    bool together = v->op == JIT_STORE && v->w->values && !(v->facts->flags & PLACE_STRONG) &&
                    in_this_insn(v, t, w);
    enum verdict verdict = together ? RACE_INSIDE : judge(v, t->lane, w, true);
    if (verdict == ORDERED)
        return verdict;
    uint64_t own = t->address[t->lane];
    uint32_t skip = t->at > own ? (uint32_t)(t->at - own) : 0, bytes = 1u << t->shift;
    uint8_t theirs[4];
    memcpy(theirs, (const void *)(uintptr_t)t->at, bytes);
    if (together)
        for (uint32_t k = 0; k < bytes; k++)
            theirs[k] = *stored_value(v, mark_lane(w), (uint32_t)(t->at - t->address[mark_lane(w)]) + k);
    report_race(v, t->lane, t->at, w, verdict, together, stores_same(v, t->lane, skip, bytes, theirs));
    return verdict;
}

/* An earlier read of the same warp that races with more than this one does. */
static bool
is_weaker(const struct mark *old, const struct mark *new)
{
    uint64_t lacks = new->when & MARK_STRONG & ~old->when;
    uint64_t has = old->when & (MARK_CTA | MARK_VOLATILE) & ~new->when;
    return !((old->who ^ new->who) >> LANE_BITS) && new->when & MARK_STRONG && (lacks | has);
}

/* The other read may go: it is over, or races with less than r does. */
static bool
makes_room(const struct visit *v, uint32_t lane, const struct mark *other, const struct mark *r)
{
    if (mark_work(other) != v->b->launch->work || (other->when & (MARK_STRONG | MARK_CTA | MARK_VOLATILE)) == MARK_STRONG)
        return true;
    return is_before(v, lane, other) && !(r->when & ~other->when & MARK_STRONG);
}

static void
note_read(const struct visit *v, struct cell *c, struct mark mark)
{
    struct mark *r = &c->read;
    uint32_t lane = mark_lane(&mark);
    if (mark_work(r) == v->b->launch->work) {
        if ((r->who ^ mark.who) >> LANE_BITS)
            c->other = is_weaker(&c->other, r) ? c->other : *r;
        else if (is_weaker(r, &mark) && makes_room(v, lane, &c->other, r))
            c->other = *r;
        else if (mark_stamp(r) >= v->b->floor && mark_stamp(r) >= v->b->warp_floor[v->warp] &&
                 (r->who != mark.who || (r->when & MARK_MANY)))
            mark.when |= MARK_MANY | (r->who != mark.who ? (uint64_t)mark_lane(r) << LANE2_SHIFT
                                                         : r->when & 31 << LANE2_SHIFT);
    } else if (mark_work(r) && judge_work(v->b, r) != ORDERED) {
        c->other = *r;
    }
    *r = mark;
}

static void
read_unset(const struct visit *v, const struct touch *t, const struct cell *c)
{
    uint64_t own = t->address[t->lane];
    uint32_t skip = t->at > own ? (uint32_t)(t->at - own) : 0;
    uint32_t count = 1u << t->shift, bytes = (1u << count) - 1;
    if (bytes_used(v->facts, skip, bytes))
        report_unwritten(v, t->lane, t->at, c->write.when ? &c->write : NULL);
    else
        copies_loaded(v, t->lane, skip, count, (const uint8_t *)(uintptr_t)t->at);
}

/* PTX ISA 8.9.5: a strong write comes before all that is ordered behind a read that saw it, or that its
 * thread does next. */
static bool
was_seen(const struct visit *v, uint32_t lane, const struct cell *c)
{
    return c->strong.when & MARK_SEEN && mark_work(&c->read) == v->b->launch->work &&
           c->read.when & MARK_STRONG && is_before(v, lane, &c->read);
}

static void
note_seen(const struct visit *v, const struct touch *t, struct cell *c)
{
    bool same = mark_block(&c->strong) == (uint32_t)v->b->block->index;
    bool narrow = (c->strong.when | t->mark.when) & MARK_CTA;
    if (t->mark.when & MARK_STRONG && mark_work(&c->strong) == v->b->launch->work && (same || !narrow))
        c->strong.when |= MARK_SEEN;
    else
        c->strong.when &= ~(uint64_t)MARK_SEEN;
}

/* Two strong accesses may race with each other, one of them narrow or volatile, but not with the one in
 * between: the strong write that makes way takes the place of a plain one that is over. One that this
 * operation sees is ordered before all that its thread does. */
static void
keep_strong(const struct visit *v, const struct touch *t, struct cell *c)
{
    const uint64_t uneven = MARK_CTA | MARK_VOLATILE;
    const struct mark *old = &c->strong, *was = &c->write;
    uint32_t work = v->b->launch->work;
    bool own = !((old->who ^ t->mark.who) >> LANE_BITS);
    bool kept = mark_work(was) == work, narrow = (old->when | t->mark.when) & MARK_CTA;
    bool same = mark_block(old) == (uint32_t)v->b->block->index;
    bool sees = v->op == JIT_ATOMIC && (same || !narrow);
    bool was_own = !((was->who ^ t->mark.who) >> LANE_BITS);
    bool narrower = old->when & ~was->when & MARK_CTA;
    bool ends = v->op == JIT_STORE && was->when & MARK_SEEN; /* a store is nobody's who sees */
    if (mark_work(old) != work || !(~old->when & (MARK_TOLD | MARK_CTA)) || (kept && !(was->when & MARK_STRONG)) ||
        (kept && !narrower && (was->when & uneven & ~old->when || (own && !was_own && !ends))))
        return;
    bool before = sees || was_seen(v, t->lane, c) || is_before(v, t->lane, old);
    if (!own && before && !(sees && old->when & MARK_CTA))
        return;
    c->write = *old;
    c->write.when = sees ? old->when | MARK_SEEN : old->when & ~(uint64_t)MARK_SEEN;
}

/* It was kept, and the last strong write saw it, which comes before this access. */
static bool
kept_was_seen(const struct visit *v, uint32_t lane, const struct cell *c)
{
    return (c->write.when & (MARK_STRONG | MARK_SEEN)) == (MARK_STRONG | MARK_SEEN) &&
           mark_work(&c->strong) == v->b->launch->work &&
           (is_before(v, lane, &c->strong) || was_seen(v, lane, c));
}

/* True: the access races with one of the last writes. Of two strong ones that it races with one is told. */
static bool
check_writes(const struct visit *v, const struct touch *t, const struct cell *c)
{
    enum verdict strong = ORDERED, write = ORDERED;
    if (c->strong.who && !was_seen(v, t->lane, c))
        strong = check_last_write(v, t, &c->strong);
    bool again = c->write.when & MARK_STRONG && strong != ORDERED && strong != RACE_VOLATILE;
    if (c->write.who && !again && !kept_was_seen(v, t->lane, c))
        write = check_last_write(v, t, &c->write);
    return strong != ORDERED || write != ORDERED;
}

static void
touch_cell(const struct visit *v, const struct touch *t, struct cell *c)
{
    if (v->op != JIT_STORE && !is_written(c))
        read_unset(v, t, c);
    bool told = check_writes(v, t, c);
    if (v->op == JIT_LOAD) {
        note_seen(v, t, c);
        note_read(v, c, t->mark);
        return;
    }
    enum verdict verdict = c->read.who ? judge(v, t->lane, &c->read, false) : ORDERED;
    const struct mark *other = &c->read;
    if ((verdict == ORDERED || verdict == RACE_VOLATILE) && c->other.who &&
        judge(v, t->lane, &c->other, false) != ORDERED) {
        other = &c->other;
        verdict = judge(v, t->lane, other, false);
    }
    if (verdict != ORDERED)
        report_race(v, t->lane, t->at, other, verdict, false, false);
    if (t->mark.when & MARK_STRONG && v->b->launch->facts->uneven)
        keep_strong(v, t, c);
    struct mark *last = t->mark.when & MARK_STRONG ? &c->strong : &c->write;
    *last = t->mark;
    last->when |= MARK_WRITTEN | (told || verdict != ORDERED ? MARK_TOLD : 0);
    uint32_t bytes = (1u << (1u << t->shift)) - 1;
    if (t->unset && ((t->unset >> (t->at - t->address[t->lane])) & bytes) == bytes)
        last->when |= MARK_UNSET;
}

/* Without cells: only whether it was written. */
static void
touch_thin(const struct visit *v, uint32_t lane, struct chunk *k, uint32_t first, uint32_t count,
           uint32_t skip, uint64_t a)
{
    bool missing = false;
    for (uint32_t n = 0; n < count && v->op != JIT_STORE; n++)
        missing |= !(k->written ? bit_of(k->written, first + n) : k->all_written) &&
                   bytes_used(v->facts, skip + n, 1);
    if (missing)
        report_unwritten(v, lane, a, NULL);
    if (v->op != JIT_LOAD)
        mark_bits(k, first, count, true);
}

/* A load of what was written before this launch, by some thread, and that two blocks have read already:
 * where nothing orders blocks, a later write races with one of the two whatever else reads. Nothing is
 * noted, so that data that all blocks read does not go back to memory each time. */
static inline bool
read_enough(const struct launch *l, const struct cell *c)
{
    uint64_t work = l->work, differ = (c->read.who ^ c->other.who) >> BLOCK_SHIFT;
    return c->read.who >> WORK_SHIFT == work && c->other.who >> WORK_SHIFT == work && differ &&
           !c->strong.who && !c->strong.when && c->write.who >> WORK_SHIFT < l->floor &&
           (c->write.when & (MARK_WRITTEN | MARK_UNSET)) == MARK_WRITTEN;
}

/* One more cell, or line, that was read enough: often, they all are. */
static void
note_calm(const struct launch *l, struct chunk *k)
{
    uint32_t cells = k->lines ? LINE_COUNT : CHUNK >> k->shift, n = 0;
    if (!k->patience)
        k->patience = cells;
    if (++k->hits < k->patience)
        return;
    k->hits = 0;
    while (n < cells && (k->lines ? k->lines[n].calm_work == l->work && k->lines[n].calm == ~0u
                                  : read_enough(l, &k->cells[n])))
        n++;
    if (n == cells)
        atomic_store_explicit(&k->calm, l->work, memory_order_relaxed);
    else
        k->patience = k->patience < UINT32_MAX / 2 ? 2 * k->patience : UINT32_MAX;
}

static void
lose_calm(struct launch *l, struct chunk *k)
{
    uint32_t calm = atomic_load_explicit(&k->calm, memory_order_relaxed);
    if (calm)
        atomic_store_explicit(&k->calm, 0, memory_order_relaxed);
    if (calm == l->work)
        gates_close_all(l);
}

static bool
is_calm(const struct launch *l, uint64_t address)
{
    const struct chunk *k = find_chunk(l->check->global, address, false);
    return k && atomic_load_explicit(&k->calm, memory_order_relaxed) == l->work;
}

/* Loads whose place has one allocation to stay in, of a kernel in which nothing orders blocks. */
static bool
may_be_calm(const struct visit *v)
{
    const struct range *e = v->expect;
    return v->space == PTX_SPACE_GLOBAL && v->op == JIT_LOAD && !v->b->launch->facts->blocks_meet &&
           e->base && !(e->base >> 62) && v->facts->align && !quiet_place(v);
}

bool
global_pattern(const struct visit *v, uint64_t base, const int32_t *offset)
{
    enum { MOST_CHUNKS = 4 };
    if (!may_be_calm(v) || (base & (v->facts->align - 1)))
        return false;
    const struct pattern_shape *s = shape_of(v, offset);
    if (!s)
        return false;
    uint64_t low = base + (uint64_t)(int64_t)s->low, end = base + (uint64_t)(int64_t)s->high;
    if (low < v->expect->base || end > v->expect->end || low >= end ||
        end - low > (uint64_t)MOST_CHUNKS << CHUNK_BITS)
        return false;
    for (uint64_t a = low & ~(uint64_t)(CHUNK - 1); a < end; a += CHUNK)
        if (!is_calm(v->b->launch, a))
            return false;
    uint64_t from = low & ~(uint64_t)(CHUNK - 1), stop = (end + CHUNK - 1) & ~(uint64_t)(CHUNK - 1);
    gate_open(v, from > v->expect->base ? from : v->expect->base,
              stop < v->expect->end ? stop : v->expect->end);
    return true;
}

bool
global_lanes(const struct visit *v, const uint64_t *address)
{
    if (!may_be_calm(v) || v->facts->align != v->bytes)
        return false;
    uint64_t low = v->expect->base, room = v->expect->end - low, held = 1;
    if (room < v->bytes)
        return false;
    for (uint32_t left = v->lanes; left; left &= left - 1) {
        uint64_t a = address[__builtin_ctz(left)];
        if (a - low > room - v->bytes || (a & (v->bytes - 1)))
            return false;
        if (a >> CHUNK_BITS == held)
            continue;
        held = a >> CHUNK_BITS;
        if (!is_calm(v->b->launch, a))
            return false;
    }
    return true;
}

/* touch_cell for an atomic operation on what was written, and by plain accesses only touched by what was
 * over before this launch; false: it is another case. */
static inline bool
quick_atomic(const struct visit *v, const struct touch *t, struct cell *c)
{
    const uint64_t floor = (uint64_t)v->b->launch->floor << WORK_SHIFT;
    if (!t->even || c->write.who >= floor || c->read.who >= floor || c->other.who >= floor ||
        (c->strong.when & MARK_CTA) || !is_written(c))
        return false;
    c->strong = t->mark;
    c->strong.when |= MARK_WRITTEN;
    return true;
}

/* The part of a lane's access that lies in the chunk; locked. */
static void
touch_chunk(const struct visit *v, struct touch *t, struct chunk *k, uint64_t a, uint32_t count)
{
    struct global_shadow *g = v->b->launch->check->global;
    uint32_t first = a & (CHUNK - 1);
    if (!need_cells(g, k) || (k->shift && ((first | count) & 3) && !cut_cells(g, k))) {
        v->b->rough |= 1u << t->lane;
        touch_thin(v, t->lane, k, first, count, (uint32_t)(a - t->address[t->lane]), a);
        return;
    }
    t->shift = k->shift;
    k->whole = k->whole && !t->unset;
    uint32_t last = (first + count - 1) >> k->shift;
    for (uint32_t n = first >> k->shift; n <= last; n++) {
        if (t->lone && read_enough(v->b->launch, &k->cells[n])) {
            note_calm(v->b->launch, k);
            continue;
        }
        lose_calm(v->b->launch, k);
        if (quick_atomic(v, t, &k->cells[n]))
            continue;
        v->b->rough |= 1u << t->lane;
        t->at = a - first + ((uint64_t)n << k->shift);
        touch_cell(v, t, &k->cells[n]);
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
            k = find_chunk(g, a, false);
            base = a & ~(uint64_t)(CHUNK - 1);
        }
        const struct cell *cells = k ? __atomic_load_n(&k->cells, __ATOMIC_RELAXED) : NULL;
        if (cells)
            __builtin_prefetch(&cells[(a & (CHUNK - 1)) >> k->shift], 1);
    }
}

/* A strong access's, in a mark. */
static uint64_t
strong_flags(const struct visit *v)
{
    const struct block_state *b = v->b;
    uint16_t flags = v->facts->flags;
    bool marked = v->op != JIT_LOAD && b->handing;
    return MARK_STRONG | (flags & PLACE_SCOPE_CTA ? MARK_CTA : 0) |
           (flags & PLACE_VOLATILE ? MARK_VOLATILE : 0) |
           (marked && order_fenced(b, v->warp, SCOPE_BLOCK) ? MARK_FENCED_BLOCK : 0) |
           (marked && order_fenced(b, v->warp, SCOPE_DEVICE) ? MARK_FENCED : 0);
}

void
global_access(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    struct block_state *b = v->b;
    struct global_shadow *g = b->launch->check->global;
    uint16_t flags = v->facts->flags;
    if (v->space == PTX_SPACE_CONST || !(b->launch->check->groups & (CHECK_RACE | CHECK_INIT)) ||
        quiet_place(v))
        return;
    counters_before(b);
    if (flags & PLACE_STRONG)
        order_strong(v, lanes, address, false);
    struct touch t = {.address = address};
    t.lone = v->op == JIT_LOAD && !b->launch->facts->blocks_meet;
    t.even = v->op == JIT_ATOMIC && flags & PLACE_STRONG && !b->launch->facts->uneven;
    fetch_cells(g, lanes, address);
    bool copying = copies_begin(v);
    uint64_t who = (uint64_t)b->launch->work << WORK_SHIFT |
                   (uint64_t)(uint32_t)b->block->index << BLOCK_SHIFT | v->warp << WARP_SHIFT;
    t.mark.when = (uint64_t)b->stamp << STAMP_SHIFT | (uint64_t)(v->place & 0x3fffff) << PLACE_SHIFT |
                  (flags & PLACE_STRONG ? strong_flags(v) : 0);
    struct chunk *held = NULL;
    uint64_t held_base = 1;
    for (uint32_t left = lanes; left; left &= left - 1) {
        t.lane = (uint32_t)__builtin_ctz(left);
        t.mark.who = who | t.lane;
        t.unset = copying ? copies_stored(v, t.lane) : 0;
        uint64_t a = address[t.lane], end = a + v->bytes;
        while (a < end) {
            uint64_t base = a & ~(uint64_t)(CHUNK - 1);
            uint64_t stop = end < base + CHUNK ? end : base + CHUNK;
            if (base != held_base) {
                if (held)
                    chunk_unlock(held);
                held = find_chunk(g, a, true);
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
}

/* -- whole runs of words: runs.c ------------------------------------------------------------------------ */

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
    if (b->chunk_base != base || !b->chunk) {
        b->chunk = find_chunk(b->launch->check->global, address, true);
        b->chunk_base = base;
    }
    h->chunk = b->chunk;
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
    return k && !atomic_load_explicit(&k->calm, memory_order_relaxed) ? k->lines : NULL;
}

bool
held_touch(struct held *h, uint64_t address, const struct line_touch *t)
{
    const struct visit *v = t->v;
    bool calm = false;
    hold(h, v->b, address);
    struct chunk *k = h->chunk;
    if (!k || !need_lines(v->b->launch->check->global, k))
        return false;
    struct line *l = &k->lines[(address & (CHUNK - 1)) >> LINE_BITS];
    if (!(v->op == JIT_LOAD ? line_load(l, t, &calm) : line_store(l, t)))
        return false;
    if (calm)
        note_calm(v->b->launch, k);
    else
        lose_calm(v->b->launch, k);
    return true;
}

/* -- copies of what nobody wrote --------------------------------------------------------------------- */

uint64_t
global_unwritten(struct global_shadow *g, uint64_t base, uint64_t size, uint64_t *out_first,
                 struct holes *out)
{
    uint64_t count = 0, hole = 0; /* hole: where one began */
    for (uint64_t a = base; a < base + size;) {
        struct chunk *k = find_chunk(g, a, true);
        uint64_t end = (a & ~(uint64_t)(CHUNK - 1)) + CHUNK;
        end = end < base + size ? end : base + size;
        if (!k || (k->all_written && !k->cells && !k->lines)) {
            if (hole)
                holes_add(out, hole, a - hole);
            hole = 0;
            a = end;
            continue;
        }
        for (; a < end; a++) {
            uint32_t n = a & (CHUNK - 1);
            const struct cell *c = k->cells ? &k->cells[n >> k->shift] : NULL;
            bool known = c            ? is_written(c)
                         : k->lines   ? k->lines[n >> LINE_BITS].written >> n / 4 % 32 & 1
                         : k->written ? bit_of(k->written, n)
                                      : k->all_written;
            if (!known && !count++)
                *out_first = a;
            if (known && hole)
                holes_add(out, hole, a - hole);
            hole = known ? 0 : hole ? hole : a;
        }
    }
    if (hole)
        holes_add(out, hole, base + size - hole);
    return count;
}

/* In a chunk that is all of the range's. */
static bool
chunk_written(struct chunk *k)
{
    if (k->whole || !(k->cells || k->lines))
        return k->whole || k->all_written;
    uint32_t n = 0, end = k->lines ? LINE_COUNT : CHUNK >> k->shift;
    if (k->hole < end && !(k->lines ? k->lines[k->hole].written == ~0u : is_written(&k->cells[k->hole])))
        return false;
    while (n < end && (k->lines ? k->lines[n].written == ~0u : is_written(&k->cells[n])))
        n++;
    k->hole = n;
    k->whole = n == end;
    return k->whole;
}

/* In a part of it. */
static bool
part_written(struct global_shadow *g, const struct chunk *k, uint64_t base, uint64_t size)
{
    uint64_t first = 0;
    struct holes holes = {0};
    uint32_t at = base & (CHUNK - 1), end = (uint32_t)(at + size + 3) & ~3u;
    while (k->lines && at < end) {
        uint32_t stop = (at | 127) + 1, n = ((stop < end ? stop : end) - at + 3) / 4;
        uint32_t words = n >= 32 ? ~0u : ((1u << n) - 1) << at / 4 % 32;
        if (words & ~k->lines[at >> LINE_BITS].written)
            break;
        at = stop;
    }
    return (k->lines && at >= end) || !global_unwritten(g, base, size, &first, &holes);
}

bool
global_written(struct global_shadow *g, uint64_t base, uint64_t size)
{
    uint64_t end = base + size;
    while (base < end) {
        uint64_t stop = (base & ~(uint64_t)(CHUNK - 1)) + CHUNK, part = (stop < end ? stop : end) - base;
        struct chunk *k = find_chunk(g, base, true);
        if (!k || k->thin)
            return false;
        chunk_lock(k);
        bool all = k->whole || (part == CHUNK ? chunk_written(k) : part_written(g, k, base, part));
        chunk_unlock(k);
        if (!all)
            return false;
        base += part;
    }
    return true;
}

/* -- copies and fills against kernels ------------------------------------------------------------------ */

static bool
known_over(struct check *c, uint32_t number, const uint32_t *after)
{
    struct job w = number && number <= c->work.count ? c->work.at[number - 1] : (struct job){0};
    return !number || w.stream >= STREAMS || after[w.stream] >= w.seq;
}

static struct side
side_of_work(const struct job *w, const struct mark *m, uint64_t address)
{
    uint32_t t = mark_warp(m) * JIT_LANES + mark_lane(m), n = mark_block(m);
    return (struct side){.valid = true, .kernel = w->kernel, .place = mark_place(m), .host = w->host,
                         .has_place = true, .has_thread = true,
                         .op = place_op(w->kernel, mark_place(m)), .address = address,
                         .size = w->kernel->place[mark_place(m)].align,
                         .thread = {t % w->block[0], t / w->block[0] % w->block[1],
                                    t / w->block[0] / w->block[1]},
                         .block = {n % w->grid[0], n / w->grid[0] % w->grid[1],
                                   n / w->grid[0] / w->grid[1]}};
}

static void
report_copy(struct check *c, uint64_t a, uint32_t work, const struct mark *m, bool write)
{
    struct finding f = {.kind = FINDING_HOST_RACE, .space = "global"};
    pthread_mutex_lock(&c->lock);
    struct job own = c->work.at[work - 1], w = c->work.at[mark_work(m) - 1];
    pthread_mutex_unlock(&c->lock);
    if (!w.kernel || !finding_is_new(c, f.kind, f.rank, w.kernel, mark_place(m), NULL, 0, NULL))
        return;
    f.access = side_of_work(&w, m, a);
    f.other = (struct side){.valid = true, .op = own.what, .address = a, .host = own.host};
    const char *does = strncmp(own.what, "cudaFree", 8) && strncmp(own.what, "cudaHostU", 9) ? write ? "writes" : "reads" : "frees";
    snprintf(f.message, sizeof f.message, "%s%s %s 0x%llx while a kernel of another stream may still %s it",
             own.what, *does == 'f' ? "" : " of the host", does, (unsigned long long)a,
             strcmp(f.access.op, "load") ? "write" : "read");
    snprintf(f.missing, sizeof f.missing, "%s", missing_text(RACE_WORK, false, false));
    finding_add(c, &f);
}

/* All that it has noted. */
static bool
line_is_over(struct check *c, const struct line *l, uint32_t *lately, const uint32_t *after)
{
    const struct line_mark *at = line_records(l);
    for (uint32_t k = 0; k < l->count; k++) {
        uint32_t work = mark_work(&at[k].mark);
        if (work != *lately && !known_over(c, work, after))
            return false;
        *lately = work;
    }
    return true;
}

bool
global_compare(struct check *c, uint64_t base, uint64_t size, bool writes, uint32_t work,
               const uint32_t *after)
{
    uint32_t lately = 0; /* over, as was found before */
    bool found = false;
    for (uint64_t a = base; a < base + size;) {
        struct chunk *k = find_chunk(c->global, a, false);
        uint64_t end = (a & ~(uint64_t)(CHUNK - 1)) + CHUNK;
        end = end < base + size ? end : base + size;
        if (!k || !(k->cells || k->lines)) {
            a = end;
            continue;
        }
        for (; a < end; a += 1u << k->shift) {
            if (k->lines && line_is_over(c, &k->lines[(a & (CHUNK - 1)) >> LINE_BITS], &lately, after)) {
                a |= (1u << LINE_BITS) - 4;
                continue;
            }
            struct cell one = cell_at(k, a & (CHUNK - 1)), *cell = &one;
            const struct mark *m[] = {&cell->write, &cell->strong, &cell->read, &cell->other};
            for (int i = 0; i < (writes ? 4 : 2); i++) {
                if (mark_work(m[i]) == lately || known_over(c, mark_work(m[i]), after))
                    lately = mark_work(m[i]);
                else
                    report_copy(c, a, work, m[i], writes), found = true;
            }
        }
    }
    return found;
}

static void
report_flight(struct check *c, uint64_t a, const struct flight *by, const struct mark *m)
{
    struct finding f = {.kind = FINDING_HOST_RACE, .space = "global"};
    pthread_mutex_lock(&c->lock);
    struct job w = c->work.at[mark_work(m) - 1];
    pthread_mutex_unlock(&c->lock);
    if (!finding_is_new(c, f.kind, f.rank, w.kernel, mark_place(m), NULL, 0, NULL))
        return;
    f.access = side_of_work(&w, m, a);
    f.other = (struct side){.valid = true, .op = by->what, .address = a, .host = by->host};
    snprintf(f.message, sizeof f.message, "%s of 0x%llx while %s of another stream, which %s it, may not be over",
             f.access.op, (unsigned long long)a, by->what,
             by->allocates ? "makes" : by->writes ? "writes" : "reads");
    snprintf(f.missing, sizeof f.missing, "%s", missing_text(RACE_WORK, false, false));
    finding_add(c, &f);
}

void
global_compare_launch(struct check *c, uint64_t base, uint64_t size, const struct flight *by, uint32_t launch)
{
    uint32_t told = UINT32_MAX; /* place: most cells have the same */
    for (uint64_t a = base; a < base + size;) {
        struct chunk *k = find_chunk(c->global, a, false);
        uint64_t end = (a & ~(uint64_t)(CHUNK - 1)) + CHUNK;
        end = end < base + size ? end : base + size;
        if (!k || !(k->cells || k->lines) || k->last_work < launch) {
            a = end;
            continue;
        }
        for (; a < end; a += 1u << k->shift) {
            struct cell one = cell_at(k, a & (CHUNK - 1));
            const struct mark *m[] = {&one.write, &one.strong, &one.read, &one.other};
            for (int i = 0; i < (by->writes ? 4 : 2); i++)
                if (mark_work(m[i]) == launch && mark_place(m[i]) != told) {
                    told = mark_place(m[i]);
                    report_flight(c, a, by, m[i]);
                }
        }
    }
}

bool
global_host_race(struct check *c, uint64_t address, uint64_t bytes, enum check_host_op op,
                 const uint32_t *known, struct side *out)
{
    struct chunk *k = find_chunk(c->global, address, false);
    uint32_t lately = 0; /* over, as was found before */
    bool found = false;
    if (!k || !(k->cells || k->lines))
        return false;
    pthread_mutex_lock(&c->lock);
    if (known_over(c, k->last_work, known))
        bytes = 0;
    for (uint64_t a = address; a < address + bytes && !found; a += 1u << k->shift) {
        struct cell one = cell_at(k, a & (CHUNK - 1)), *cell = &one;
        const struct mark *m[] = {&cell->write, &cell->strong, &cell->read, &cell->other};
        for (int i = 0; i < (op != CHECK_HOST_READ ? 4 : 2) && !found; i++) {
            uint32_t number = mark_work(m[i]);
            if (op == CHECK_HOST_ATOMIC && (m[i]->when & (MARK_STRONG | MARK_CTA)) == MARK_STRONG)
                continue;
            if (number == lately || known_over(c, number, known) || !c->work.at[number - 1].kernel) {
                lately = number;
                continue;
            }
            *out = side_of_work(&c->work.at[number - 1], m[i], a);
            found = true;
        }
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}
