/* SPDX-License-Identifier: Apache-2.0
 *
 * shared.c: shared memory of a block: who wrote and read each word last, and whether it was written
 * at all. A cell stands for a word as long as all accesses are words; the first narrower or
 * unaligned one cuts all cells into bytes, so that neighbours in one word are never confused.
 *
 * A cell holds the last plain write, the last atomic or volatile one, the last read, and the last read
 * by another warp than that. That is enough for a write to find a reader it races with: of two warps
 * that read, one is not the writer's. Plain writes are kept apart, since an atomic operation does not
 * race with the atomic one that its thread did since.
 */
#include "check/check_priv.h"

#include <stdio.h>
#include <string.h>

/* A mark: stamp (24 bits) | place (22) | warp (5) | lane (5) | flags (8). */
enum {
    MARK_MANY = 1,   /* other lanes of the warp, too */
    MARK_STRONG = 2, /* atomic or volatile */
    LANE2_SHIFT = 2, /* MANY: another lane */
    MARK_UNSET = 128, /* a copy of what nobody had written */
    MARK_SEEN = 4,    /* of strong writes: a strong read has seen it, the cell's last one; */
    MARK_FENCED = 8,  /*   behind a fence of its warp */
    LANE_SHIFT = 8,
    WARP_SHIFT = 13,
    PLACE_SHIFT = 18,
    STAMP_SHIFT = 40,
};

static uint64_t
mark_of(const struct visit *v)
{
    bool transfer = v->facts->flags & (v->op == JIT_LOAD ? PLACE_BULK_SOURCE : PLACE_TRANSFER);
    uint64_t stamp = transfer ? transfer_begin(v) : v->b->stamp;
    bool write = v->facts->flags & PLACE_STRONG && v->op != JIT_LOAD;
    bool fenced = write && order_fenced(v->b, v->warp, SCOPE_BLOCK);
    return stamp << STAMP_SHIFT | (uint64_t)(v->place & 0x3fffff) << PLACE_SHIFT |
           (uint64_t)v->warp << WARP_SHIFT | (v->facts->flags & PLACE_STRONG ? MARK_STRONG : 0) |
           (fenced ? MARK_FENCED : 0);
}

static uint32_t
mark_stamp(uint64_t m)
{
    return (uint32_t)(m >> STAMP_SHIFT);
}
static uint32_t
mark_place(uint64_t m)
{
    return (uint32_t)(m >> PLACE_SHIFT) & 0x3fffff;
}
static uint32_t
mark_warp(uint64_t m)
{
    return (uint32_t)(m >> WARP_SHIFT) & 31;
}
static uint32_t
mark_lane(uint64_t m)
{
    return (uint32_t)(m >> LANE_SHIFT) & 31;
}

/* -- cells ------------------------------------------------------------------------------------------ */

static void
need_cells(struct block_state *b)
{
    uint64_t words = (b->launch->shared_bytes + 3) / 4;
    if (b->write || !words)
        return;
    b->shift = 2;
    b->cells = b->room = words;
    b->write = ls_alloc(8 * words);
    b->read = ls_alloc(8 * words);
    b->other = ls_alloc(8 * words);
    b->strong = ls_alloc(8 * words);
}

void
shared_begin(struct block_state *b)
{
    need_cells(b);
    b->any_strong = b->any_unset = b->any_volatile = false;
    b->shared_stamp = b->plain_stamp = 0;
}

bool
shared_word_written(const struct block_state *b, uint64_t word)
{
    return mark_stamp(b->strong[word]) >= b->first ||
           (mark_stamp(b->write[word]) >= b->first && !(b->write[word] & MARK_UNSET));
}

void
shared_word_was_written(struct block_state *b, uint64_t word)
{
    if (!shared_word_written(b, word))
        b->write[word] = (uint64_t)b->first << STAMP_SHIFT;
}

static uint64_t *
cut(uint64_t *cells, uint64_t count)
{
    uint64_t *bytes = ls_alloc(8 * 4 * count);
    for (uint64_t k = 0; k < 4 * count; k++)
        bytes[k] = cells[k / 4];
    ls_release(cells);
    return bytes;
}

static void
cut_cells(struct block_state *b)
{
    b->write = cut(b->write, b->cells);
    b->read = cut(b->read, b->cells);
    b->other = cut(b->other, b->cells);
    b->strong = cut(b->strong, b->cells);
    b->cells = b->room = 4 * b->cells;
    b->shift = 0;
}

/* -- reports ---------------------------------------------------------------------------------------- */

static const char *
variable_at(const struct launch *l, uint64_t offset)
{
    for (uint32_t k = 0; k < l->facts->shared_count; k++) {
        const struct shared_var *s = &l->facts->shared[k];
        uint64_t end = s->size ? s->offset + s->size : l->shared_bytes;
        if (offset >= s->offset && offset < end)
            return s->name;
    }
    return NULL;
}

static void
name_place(const struct launch *l, uint64_t offset, char *out, size_t room)
{
    const char *name = variable_at(l, offset);
    if (!name) {
        snprintf(out, room, "shared memory at offset %llu", (unsigned long long)offset);
        return;
    }
    for (uint32_t k = 0; k < l->facts->shared_count; k++)
        if (l->facts->shared[k].name == name)
            offset -= l->facts->shared[k].offset;
    snprintf(out, room, "\"%s\" at byte %llu", name, (unsigned long long)offset);
}

static struct side
other_side(const struct visit *v, uint32_t lane, uint64_t m, uint64_t offset)
{
    struct visit o = *v;
    o.warp = mark_warp(m);
    o.place = mark_place(m);
    uint32_t their = mark_lane(m), second = (uint32_t)(m >> LANE2_SHIFT) & 31;
    struct side s = side_of(&o, o.warp == v->warp && their == lane && m & MARK_MANY ? second : their,
                            offset);
    s.op = place_op(v->b->launch->facts, o.place);
    s.size = v->b->launch->facts->place[o.place].align;
    return s;
}

enum verdict { ORDERED, RACE, RACE_INSN, RACE_UNFENCED, RACE_VOLATILE, RACE_VOLATILE_WARP };

static const char *
missing_text(enum verdict verdict, bool warp)
{
    switch (verdict) {
    case RACE_INSN:
        return "one thread to do it, or an atomic operation: which thread's value stays is not defined";
    case RACE_UNFENCED:
        return "a fence between reading the flag, or taking the lock, and this access: __threadfence_block()";
    case RACE_VOLATILE:
        return "atomic operations, or a lock, a barrier, or a flag with a fence before it is set: volatile "
               "makes the compiler keep the access, and orders nothing";
    case RACE_VOLATILE_WARP:
        return "__syncwarp() between the two: since compute capability 7.0 the lanes of a warp need not run "
               "in lock-step, and volatile does not order them";
    default:
        return warp ? "__syncwarp() between the two: since compute capability 7.0 the lanes of a warp need "
                      "not run in lock-step"
                    : "a barrier between the two: __syncthreads()";
    }
}

static void
report_race(const struct visit *v, uint32_t lane, uint64_t offset, uint64_t other, enum verdict verdict,
            bool same_value)
{
    const struct launch *l = v->b->launch;
    bool is_volatile = verdict == RACE_VOLATILE || verdict == RACE_VOLATILE_WARP;
    struct finding f = {.kind = is_volatile ? FINDING_VOLATILE_RACE : FINDING_SHARED_RACE,
                        .severity = same_value || verdict == RACE_VOLATILE ? SEVERITY_WARNING
                                                                           : SEVERITY_ERROR,
                        .space = "shared"};
    uint32_t place = mark_place(other);
    bool warp = mark_warp(other) == v->warp;
    f.rank = same_value ? 0 : warp || verdict == RACE_VOLATILE ? 1 : 2;
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, l->facts, place, v->b->block->ctaid))
        return;
    char where[200];
    f.access = side_of(v, lane, offset);
    f.other = other_side(v, lane, other, offset);
    name_place(l, offset, where, sizeof where);
    snprintf(f.message, sizeof f.message, "%s and %s of %s by different threads%s%s%s", f.other.op,
             f.access.op, where,
             verdict == RACE_INSN ? " in one instruction"
             : warp               ? " of one warp"
                                  : " of the block",
             verdict == RACE_INSN       ? ""
             : verdict == RACE_UNFENCED ? ": the flag between them was read without a fence behind it"
             : is_volatile              ? ": volatile, and nothing orders them"
                                        : ", nothing orders them",
             same_value ? " (the same value is written)" : "");
    snprintf(f.missing, sizeof f.missing, "%s", missing_text(verdict, warp));
    finding_add(l->check, &f);
}

/* by: the store that copied something unwritten there; 0: none. */
static void
report_unwritten(const struct visit *v, uint32_t lane, uint64_t offset, uint64_t by)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = FINDING_UNINITIALIZED, .space = "shared"};
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, by ? l->facts : NULL, mark_place(by), v->b->block->ctaid))
        return;
    char where[200];
    f.access = side_of(v, lane, offset);
    if (by)
        f.other = other_side(v, lane, by, offset);
    name_place(l, offset, where, sizeof where);
    snprintf(f.message, sizeof f.message, "%s of %u bytes of %s%s", f.access.op, v->bytes, where,
             by ? ": a copy of what nothing has written"
                : " that no thread of the block has written");
    snprintf(f.missing, sizeof f.missing, "%s",
             by ? "a copy, a fill or a store that writes what is copied before"
                : "a store to it before, and a barrier between");
    finding_add(l->check, &f);
}

/* -- one cell ------------------------------------------------------------------------------------------- */

static bool
is_before(const struct visit *v, uint32_t lane, uint64_t m)
{
    return !order_unordered(v->b, v->warp, lane, mark_warp(m), mark_lane(m), m & MARK_MANY, mark_stamp(m));
}

static bool
is_volatile(const struct block_state *b, uint64_t m)
{
    return b->facts[mark_place(m)].flags & PLACE_VOLATILE;
}

/* global.c has the same. */
static enum verdict
judge_volatile(const struct visit *v, uint64_t m, bool write)
{
    const struct block_state *b = v->b;
    bool mine = v->op == JIT_LOAD || order_fenced(b, v->warp, SCOPE_BLOCK);
    bool theirs = !write || m & MARK_FENCED;
    bool warp = mark_warp(m) == v->warp && v->facts->flags & PLACE_VOLATILE && is_volatile(b, m);
    if (order_seen(b, v->warp, b->block->index, mark_warp(m), mark_stamp(m)))
        return ORDERED;
    if (warp && (v->lanes & (v->lanes - 1) || !(mine && theirs)))
        return RACE_VOLATILE_WARP;
    return mine && theirs ? ORDERED : RACE_VOLATILE;
}

/* write: what the mark tells of is one. */
static enum verdict
judge(const struct visit *v, uint32_t lane, uint64_t m, bool write)
{
    const struct block_state *b = v->b;
    bool strong = (m & MARK_STRONG) && (v->facts->flags & PLACE_STRONG);
    bool loose = strong && (v->facts->flags & PLACE_VOLATILE || is_volatile(b, m));
    if ((strong && !loose) || is_before(v, lane, m))
        return ORDERED;
    if (loose)
        return judge_volatile(v, m, write);
    return order_seen(b, v->warp, b->block->index, mark_warp(m), mark_stamp(m)) ? RACE_UNFENCED : RACE;
}

struct touch {
    const uint64_t *address; /* of all lanes */
    uint64_t base;           /* of shared memory */
    uint32_t lane;
    uint64_t offset, cell;   /* of the lane's access; the cell */
    uint32_t unset;          /* bytes of the lane's store that are copies of unset ones */
};

/* Does the lane of mark m write the same cell in this very instruction? */
static bool
in_this_insn(const struct visit *v, const struct touch *t, uint64_t m)
{
    uint32_t lane = mark_lane(m);
    if (mark_place(m) != v->place || mark_warp(m) != v->warp || mark_stamp(m) != v->b->stamp ||
        lane == t->lane || !(v->lanes >> lane & 1))
        return false;
    uint64_t first = (t->address[lane] - t->base) >> v->b->shift;
    uint64_t last = (t->address[lane] - t->base + v->bytes - 1) >> v->b->shift;
    return t->cell >= first && t->cell <= last;
}

static void
check_last_write(const struct visit *v, const struct touch *t, uint64_t w)
{
    struct block_state *b = v->b;
    bool strong = v->facts->flags & PLACE_STRONG; /* volatile: the order is open, the values are whole */
    bool together = v->op == JIT_STORE && v->w->values && !strong &&
                    in_this_insn(v, t, w);
    enum verdict verdict = together ? RACE_INSN : judge(v, t->lane, w, true);
    if (verdict == ORDERED)
        return;
    uint64_t at = t->cell << b->shift;
    uint32_t bytes = 1u << b->shift;
    uint32_t skip = at > t->offset ? (uint32_t)(at - t->offset) : 0;
    uint8_t theirs[4];
    if (together) {
        uint64_t their_offset = t->address[mark_lane(w)] - t->base;
        for (uint32_t k = 0; k < bytes; k++)
            theirs[k] = *stored_value(v, mark_lane(w), (uint32_t)(at - their_offset) + k);
    } else {
        memcpy(theirs, b->block->shared + at, bytes);
    }
    bool same = stores_same(v, t->lane, skip, bytes, theirs);
    if (together && same && b->launch->facts->replicated)
        return;
    report_race(v, t->lane, at, w, verdict, same);
}

static void
report_transfer(const struct visit *v, const struct touch *t, uint64_t m, enum transfer_state state)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = FINDING_SHARED_RACE, .rank = 3, .space = "shared"};
    uint32_t place = mark_place(m);
    char where[200];
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, l->facts, place, v->b->block->ctaid))
        return;
    uint64_t at = t->cell << v->b->shift;
    f.access = side_of(v, t->lane, at);
    f.other = other_side(v, t->lane, m, at);
    name_place(l, at, where, sizeof where);
    snprintf(f.message, sizeof f.message, "asynchronous copy and %s of %s: %s", f.access.op, where,
             state == TRANSFER_RUNNING ? "nobody has waited for the copy to be done"
                                       : "the thread has not waited for the copy, others have");
    bool group = !(l->facts->place[place].flags & PLACE_BULK);
    snprintf(f.missing, sizeof f.missing, "%s",
             state != TRANSFER_RUNNING
                 ? "a wait of its own on the mbarrier, or a barrier after another thread's"
             : group ? "a wait by the thread that copies (cp.async.wait_group, __pipeline_wait_prior), and "
                       "for other threads a barrier after it"
                     : "a wait for the mbarrier's phase, or for the group (cp.async.bulk.wait_group)");
    finding_add(l->check, &f);
}

/* The mark of a cell to compare with: where a transfer made it, when that was over; 0: there is
 * nothing to compare with. */
static uint64_t
settled(const struct visit *v, const struct touch *t, uint64_t *m)
{
    uint32_t since = 0;
    if (mark_stamp(*m) < TRANSFER_STAMP)
        return *m;
    enum transfer_state state = transfer_state(v, t->lane, mark_stamp(*m), mark_lane(*m), &since);
    if (state == TRANSFER_PAST)
        *m = 0;
    else if (state == TRANSFER_DONE)
        *m = (*m & ((1ull << STAMP_SHIFT) - 1)) | (uint64_t)since << STAMP_SHIFT;
    else if (state != TRANSFER_KNOWN)
        report_transfer(v, t, *m, state);
    return state <= TRANSFER_DONE ? *m : 0;
}

/* What mark `new` of the same warp keeps of the one that it replaces. */
static uint64_t
second_lane(uint64_t old, uint64_t new)
{
    uint64_t lane = (old ^ new) >> LANE_SHIFT & 31 ? old >> LANE_SHIFT : old >> LANE2_SHIFT;
    return MARK_MANY | (lane & 31) << LANE2_SHIFT;
}

/* An earlier read of the same warp, since all met, that races with more than this one does. */
static inline bool
is_weaker(const struct block_state *b, uint64_t old, uint64_t new)
{
    return new & MARK_STRONG && mark_stamp(old) >= b->floor && mark_warp(old) == mark_warp(new) &&
           (!(old & MARK_STRONG) || (is_volatile(b, old) && !is_volatile(b, new)));
}

static void
note_read(struct block_state *b, const struct touch *t, uint64_t mark)
{
    uint64_t r = b->read[t->cell];
    mark |= (uint64_t)t->lane << LANE_SHIFT;
    if (mark_stamp(r) >= TRANSFER_STAMP)
        b->other[t->cell] = r;
    else if (mark_stamp(r) >= b->floor && mark_warp(r) != mark_warp(mark))
        b->other[t->cell] = is_weaker(b, b->other[t->cell], r) ? b->other[t->cell] : r;
    else if (mark_stamp(b->other[t->cell]) < b->floor && is_weaker(b, r, mark))
        b->other[t->cell] = r;
    else if (mark_stamp(r) >= b->floor && mark_stamp(r) >= b->warp_floor[mark_warp(r)] &&
             (mark_lane(r) != t->lane || (r & MARK_MANY)))
        mark |= second_lane(r, mark);
    b->read[t->cell] = mark;
}

static void
read_unset(const struct visit *v, const struct touch *t, uint64_t by)
{
    uint64_t at = t->cell << v->b->shift;
    uint32_t skip = at > t->offset ? (uint32_t)(at - t->offset) : 0;
    uint32_t count = 1u << v->b->shift, bytes = (1u << count) - 1;
    if (bytes_used(v->facts, skip, bytes))
        report_unwritten(v, t->lane, at, by);
    else
        copies_loaded(v, t->lane, skip, count, v->b->block->shared + at);
}

/* PTX ISA 8.9.5: the strong write comes before all that is ordered behind a read that saw it. */
static bool
was_seen(const struct visit *v, const struct touch *t, uint64_t strong)
{
    uint64_t r = v->b->read[t->cell];
    return strong & MARK_SEEN && mark_stamp(r) >= v->b->first && mark_stamp(r) < TRANSFER_STAMP &&
           r & MARK_STRONG && is_before(v, t->lane, r);
}

/* global.c has the same. */
static void
keep_strong(const struct visit *v, const struct touch *t, uint64_t old, uint64_t mark)
{
    struct block_state *b = v->b;
    uint64_t *was = &b->write[t->cell];
    bool own = mark_warp(old) == mark_warp(mark), kept = mark_stamp(*was) >= b->floor;
    bool was_own = mark_warp(*was) == mark_warp(mark);
    if (mark_stamp(old) < b->floor || (kept && !(*was & MARK_STRONG)) ||
        (kept && ((is_volatile(b, *was) && !is_volatile(b, old)) || (own && !was_own))))
        return;
    if (own || !(v->op == JIT_ATOMIC || was_seen(v, t, old) || is_before(v, t->lane, old)))
        *was = old;
}

static void
note_seen(struct block_state *b, const struct touch *t, uint64_t mark)
{
    uint64_t *strong = &b->strong[t->cell];
    if (*strong)
        *strong = mark & MARK_STRONG ? *strong | MARK_SEEN : *strong & ~(uint64_t)MARK_SEEN;
}

static void
touch_cell(const struct visit *v, const struct touch *t, uint64_t mark)
{
    struct block_state *b = v->b;
    b->doubtful = true;
    uint64_t w = settled(v, t, &b->write[t->cell]), s = b->strong[t->cell];
    uint64_t last = b->write[t->cell];
    if (v->op != JIT_STORE && (mark_stamp(last) < b->first || last & MARK_UNSET) &&
        mark_stamp(s) < b->first)
        read_unset(v, t, mark_stamp(last) < b->first ? 0 : last);
    if (mark_stamp(w) >= b->floor)
        check_last_write(v, t, w);
    if (mark_stamp(s) >= b->floor && !was_seen(v, t, s))
        check_last_write(v, t, s);
    if (v->op == JIT_LOAD) {
        note_seen(b, t, mark);
        note_read(b, t, mark);
        return;
    }
    uint64_t r = settled(v, t, &b->read[t->cell]), o = settled(v, t, &b->other[t->cell]);
    enum verdict verdict = mark_stamp(r) >= b->floor ? judge(v, t->lane, r, false) : ORDERED;
    uint64_t other = r;
    if ((verdict == ORDERED || verdict == RACE_VOLATILE) && mark_stamp(o) >= b->floor &&
        judge(v, t->lane, o, false) != ORDERED) {
        other = o;
        verdict = judge(v, t->lane, o, false);
    }
    if (verdict != ORDERED)
        report_race(v, t->lane, t->cell << b->shift, other, verdict, false);
    uint32_t bytes = (1u << (1u << b->shift)) - 1;
    if (t->unset && ((t->unset >> ((t->cell << b->shift) - t->offset)) & bytes) == bytes) {
        mark |= MARK_UNSET;
        b->any_unset = true;
    }
    if (mark & MARK_STRONG && b->launch->facts->uneven)
        keep_strong(v, t, s, mark);
    (mark & MARK_STRONG ? b->strong : b->write)[t->cell] = mark | (uint64_t)t->lane << LANE_SHIFT;
    b->any_strong |= (mark & MARK_STRONG) != 0;
    b->any_volatile |= (v->facts->flags & PLACE_VOLATILE) != 0;
}

/* A mark since all threads met, of the lane that makes `new`, or of its warp before its lanes met (met:
 * the stamp of that, in its place): ordered before it. No transfer's. */
static inline __attribute__((always_inline)) bool
is_own(uint64_t old, uint64_t new, uint64_t met)
{
    uint64_t differ = old ^ new;
    bool warp = !(differ & 31ull << WARP_SHIFT), lane = !(differ & 31ull << LANE_SHIFT);
    return !(old >> 63) & warp & ((old < met) | (lane & !((old | new) & MARK_MANY)));
}

/* What is the same for all lanes of an access. */
struct quick {
    uint64_t low, floor, met; /* stamps of the block's first access, ..., in their places */
    bool load, reads, strong;
    bool alike; /* a strong access, and none of the block's was volatile so far */
};

static inline bool
before(const struct quick *q, uint64_t old, uint64_t new)
{
    return old < q->floor || is_own(old, new, q->met);
}

/* touch_cell for cells with which nothing is wrong; false: not surely, nothing was done. */
static inline bool
quick_cell(struct block_state *b, const struct quick *q, const struct touch *t, uint64_t mark)
{
    uint64_t new = mark | (uint64_t)t->lane << LANE_SHIFT, w = b->write[t->cell];
    uint64_t s = b->any_strong ? b->strong[t->cell] : 0;
    if (!before(q, w, new) || (s >= q->floor && !q->alike))
        return false;
    if (q->reads && ((w < q->low && s < q->low) || w & MARK_UNSET))
        return false;
    if (q->load) {
        if (s >= q->floor)
            note_seen(b, t, mark);
        note_read(b, t, mark);
        return true;
    }
    if (!before(q, b->read[t->cell], new) || b->other[t->cell] >= q->floor)
        return false;
    (q->strong ? b->strong : b->write)[t->cell] = new;
    b->any_strong |= q->strong;
    return true;
}

/* Patterns have few words, mostly 16 or 32: no more at a time than a vector. */
#if defined(__clang__)
#define EIGHT_BY_EIGHT _Pragma("clang loop vectorize_width(8) interleave_count(1)")
#else
#define EIGHT_BY_EIGHT
#endif

/* The same as quick_load for words one behind the other, without branches: clang makes vectors of it. own:
 * each word's lane, as in a mark. */
static inline __attribute__((always_inline)) bool
load_run(struct block_state *b, const uint64_t *restrict own, uint32_t words, uint64_t first, uint64_t mark)
{
    const uint64_t low = (uint64_t)b->first << STAMP_SHIFT, floor = (uint64_t)b->floor << STAMP_SHIFT;
    const uint64_t met = (uint64_t)b->warp_floor[mark_warp(mark)] << STAMP_SHIFT;
    const uint64_t warp = 31ull << WARP_SHIFT, lane = 31ull << LANE_SHIFT;
    const uint64_t *restrict w = b->write + first;
    uint64_t *restrict r = b->read + first, *restrict o = b->other + first;
    uint64_t bad = 0;
    EIGHT_BY_EIGHT
    for (uint32_t k = 0; k < words; k++)
        bad |= (uint64_t)(w[k] < low) | (uint64_t)((w[k] >= floor) & !is_own(w[k], mark | own[k], met));
    if (bad)
        return false;
    EIGHT_BY_EIGHT
    for (uint32_t k = 0; k < words; k++) {
        uint64_t old = r[k], new = mark | own[k], differ = old ^ new;
        uint64_t second = differ & lane ? old >> LANE_SHIFT : old >> LANE2_SHIFT;
        uint64_t both = (new & ~(31ull << LANE2_SHIFT)) | MARK_MANY | (second & 31) << LANE2_SHIFT;
        bool lately = old >= floor, same = !(differ & warp);
        o[k] = lately && !same ? old : o[k];
        r[k] = lately && same && old >= met && ((differ & lane) | (old & MARK_MANY)) ? both : new;
    }
    return true;
}

static inline __attribute__((always_inline)) bool
store_run(struct block_state *b, const uint64_t *restrict own, uint32_t words, uint64_t first, uint64_t mark)
{
    const uint64_t floor = (uint64_t)b->floor << STAMP_SHIFT;
    const uint64_t met = (uint64_t)b->warp_floor[mark_warp(mark)] << STAMP_SHIFT;
    uint64_t *restrict w = b->write + first;
    const uint64_t *restrict r = b->read + first, *restrict o = b->other + first;
    uint64_t bad = 0;
    EIGHT_BY_EIGHT
    for (uint32_t k = 0; k < words; k++)
        bad |= (uint64_t)((w[k] >= floor) & !is_own(w[k], mark | own[k], met)) |
               (uint64_t)((r[k] >= floor) & !is_own(r[k], mark | own[k], met)) | (o[k] >= floor);
    if (bad)
        return false;
    EIGHT_BY_EIGHT
    for (uint32_t k = 0; k < words; k++)
        w[k] = mark | own[k];
    return true;
}

/* Atomic operations of lanes on words. Of one another they do not mind, so that all cells are looked at
 * before the first is changed. Lanes that are not active do as the first one that is. */
static inline __attribute__((always_inline)) bool
atomics_fit(const struct block_state *b, const struct quick *q, uint32_t lanes, const uint64_t *address,
            uint64_t mark, uint64_t *restrict cell)
{
    const uint64_t first = address[__builtin_ctz(lanes)], base = (uint64_t)(uintptr_t)b->block->shared;
    const uint64_t low = q->low, *restrict w = b->write, *restrict s = b->strong;
    uint64_t bad = 0;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        cell[l] = ((lanes >> l & 1 ? address[l] : first) - base) / 4;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        bad |= (uint64_t)((w[cell[l]] < low) & (s[cell[l]] < low)) | (w[cell[l]] & MARK_UNSET);
    for (uint32_t left = b->plain_stamp >= b->floor ? lanes : 0; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint64_t new = mark | (uint64_t)l << LANE_SHIFT;
        bad |= !before(q, w[cell[l]], new) || !before(q, b->read[cell[l]], new) || b->other[cell[l]] >= q->floor;
    }
    return !bad;
}
static WIDE bool
atomics_fit_wide(const struct block_state *b, const struct quick *q, uint32_t lanes, const uint64_t *address,
                 uint64_t mark, uint64_t *cell)
{
    return atomics_fit(b, q, lanes, address, mark, cell);
}

/* False: something may be wrong, nothing was done. */
static bool
quick_atomics(struct block_state *b, const struct quick *q, uint32_t lanes, const uint64_t *address,
              uint64_t mark)
{
    uint64_t cell[JIT_LANES], *strong = b->strong;
    if (!(b->launch->check->wide ? atomics_fit_wide(b, q, lanes, address, mark, cell)
                                 : atomics_fit(b, q, lanes, address, mark, cell)))
        return false;
    for (uint32_t l = 0; l < JIT_LANES && lanes == ~0u; l++)
        strong[cell[l]] = mark | (uint64_t)l << LANE_SHIFT;
    for (uint32_t left = lanes == ~0u ? 0 : lanes; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        strong[cell[l]] = mark | (uint64_t)l << LANE_SHIFT;
    }
    b->any_strong = true;
    return true;
}

/* The largest distance of lanes from a place, and the bits of all their addresses. */
static inline __attribute__((always_inline)) uint64_t
farthest(const uint64_t *address, uint32_t lanes, uint64_t from, uint64_t *out_bits)
{
    uint64_t most = 0, bits = 0;
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        uint64_t on = -(uint64_t)(lanes >> l & 1), at = (address[l] - from) & on;
        bits |= address[l] & on;
        most = most > at ? most : at;
    }
    *out_bits = bits;
    return most;
}
static WIDE uint64_t
farthest_wide(const uint64_t *address, uint32_t lanes, uint64_t from, uint64_t *out_bits)
{
    return farthest(address, lanes, from, out_bits);
}

static WIDE bool
load_run_wide(struct block_state *b, const uint64_t *own, uint32_t words, uint64_t first, uint64_t mark)
{
    return load_run(b, own, words, first, mark);
}
static WIDE bool
store_run_wide(struct block_state *b, const uint64_t *own, uint32_t words, uint64_t first, uint64_t mark)
{
    return store_run(b, own, words, first, mark);
}

/* Lanes of `left` from its first on whose words lie one behind the other; 1 or more. */
static uint32_t
lanes_in_run(const uint64_t *address, uint32_t left)
{
    uint32_t first = (uint32_t)__builtin_ctz(left), n = 1;
    while (first + n < JIT_LANES && left >> (first + n) & 1 && address[first + n] == address[first] + 4ull * n)
        n++;
    return n;
}

/* Lanes of a run, all at once; false: something may be wrong, nothing was done. */
static bool
quick_run(const struct visit *v, const struct touch *t, uint32_t count, uint64_t mark)
{
#define LANE(n) (uint64_t)(n) << LANE_SHIFT
#define LANES4(n) LANE(n), LANE(n + 1), LANE(n + 2), LANE(n + 3)
    static const uint64_t own[JIT_LANES] = {LANES4(0),  LANES4(4),  LANES4(8),  LANES4(12),
                                            LANES4(16), LANES4(20), LANES4(24), LANES4(28)};
#undef LANES4
#undef LANE
    struct block_state *b = v->b;
    return v->op == JIT_LOAD ? load_run_wide(b, own + t->lane, count, t->offset / 4, mark)
                             : store_run_wide(b, own + t->lane, count, t->offset / 4, mark);
}

void
shared_access(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    struct block_state *b = v->b;
    struct touch t = {.address = address, .base = (uint64_t)(uintptr_t)b->block->shared};
    if (!b->write)
        return;
    uint64_t bits = 0;
    if (b->launch->check->wide)
        farthest_wide(address, lanes, t.base, &bits);
    else
        farthest(address, lanes, t.base, &bits);
    if (b->shift && (bits | v->bytes) & 3)
        cut_cells(b);
    if (v->facts->flags & PLACE_STRONG)
        order_strong(v, lanes, address, true);
    if (v->op != JIT_LOAD || v->facts->flags)
        b->shared_stamp = b->stamp;
    if (v->op != JIT_ATOMIC)
        b->plain_stamp = b->stamp;
    uint64_t mark = mark_of(v);
    bool copying = copies_begin(v);
    bool quick = !(mark >> 63) && !copying && !(v->facts->flags & PLACE_VOLATILE);
    const struct quick q = {.low = (uint64_t)b->first << STAMP_SHIFT,
                            .floor = (uint64_t)b->floor << STAMP_SHIFT,
                            .met = (uint64_t)b->warp_floor[v->warp] << STAMP_SHIFT,
                            .load = v->op == JIT_LOAD,
                            .reads = v->op != JIT_STORE,
                            .strong = v->facts->flags & PLACE_STRONG,
                            .alike = v->facts->flags & PLACE_STRONG && !b->any_volatile &&
                                     !(v->facts->flags & PLACE_VOLATILE)};
    if (v->op == JIT_ATOMIC && quick && q.alike && b->shift == 2 && v->bytes == 4 &&
        quick_atomics(b, &q, lanes, address, mark))
        return;
    enum { RUN = 4 }; /* shorter ones are not worth it */
    bool runs = quick && !q.strong && v->op != JIT_ATOMIC && !b->any_strong && !b->any_unset &&
                b->launch->check->wide && b->shift == 2 && v->bytes == 4;
    uint32_t alone = 0; /* lanes of a run that is looked at lane by lane */
    for (uint32_t left = lanes; left; left &= left - 1) {
        t.lane = (uint32_t)__builtin_ctz(left);
        t.offset = address[t.lane] - t.base;
        uint32_t count = runs && !(alone >> t.lane & 1) ? lanes_in_run(address, left) : 1;
        uint32_t some = (count < JIT_LANES ? (1u << count) - 1 : ~0u) << t.lane;
        if (count >= RUN && quick_run(v, &t, count, mark)) {
            left &= ~some | 1u << t.lane;
            continue;
        }
        alone |= some;
        t.unset = copying ? copies_stored(v, t.lane) : 0;
        uint64_t last = (t.offset + v->bytes - 1) >> b->shift;
        for (t.cell = t.offset >> b->shift; t.cell <= last; t.cell++)
            if (!quick || !quick_cell(b, &q, &t, mark))
                touch_cell(v, &t, mark);
    }
}

bool
shared_lanes(const struct visit *v, const uint64_t *address)
{
    const struct block_state *b = v->b;
    const struct range *e = v->expect;
    uint64_t own = (uint64_t)(uintptr_t)b->block->shared;
    uint64_t low = e->base ? e->base & 0xffffffff : 0;
    uint64_t end = e->base ? e->end & 0xffffffff : b->launch->shared_bytes;
    if (v->space != PTX_SPACE_SHARED || !v->facts->align || v->facts->align != v->bytes ||
        (e->base && !(e->base >> 62)) || end - low < v->bytes || low > end)
        return false;
    uint64_t odd = 0, most = b->launch->check->wide ? farthest_wide(address, v->lanes, own + low, &odd)
                                                    : farthest(address, v->lanes, own + low, &odd);
    if (most > end - low - v->bytes || odd & (v->bytes - 1) || v->bytes & (v->bytes - 1))
        return false;
    shared_access(v, v->lanes, address);
    return true;
}

/* -- patterns: the same lanes at the same distances again and again ----------------------------------- */

static void
find_shape(const struct visit *v, struct pattern_shape *s, const int32_t *offset)
{
    uint32_t align = v->facts->align;
    s->offset = offset;
    s->lanes = v->lanes;
    s->words = 0;
    s->twice = false;
    s->low = INT32_MAX;
    s->high = INT32_MIN;
    s->run = true;
    s->usable = v->bytes % 4 == 0 && v->bytes <= 16;
    for (uint32_t left = v->lanes; left && s->usable; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        int32_t at = offset ? offset[lane] : 0;
        s->usable = at % (int32_t)align == 0;
        s->low = at < s->low ? at : s->low;
        s->high = at + (int32_t)v->bytes > s->high ? at + (int32_t)v->bytes : s->high;
        for (uint32_t k = 0; k < v->bytes / 4; k++) {
            int32_t word = at / 4 + (int32_t)k;
            uint32_t n = 0;
            while (n < s->words && s->word[n] != word)
                n++;
            if (n < s->words) {
                s->twice = true;
                s->mark[n] = (s->mark[n] & ~(31ull << LANE2_SHIFT)) | MARK_MANY |
                             (uint64_t)lane << LANE2_SHIFT;
            } else {
                s->word[n] = word;
                s->mark[n] = (uint64_t)lane << LANE_SHIFT;
                s->run = s->run && word == s->word[0] + (int32_t)n;
                s->words++;
            }
        }
    }
}

struct pattern_shape *
shape_of(const struct visit *v, const int32_t *offset)
{
    enum { MOST_SHAPES = 12 }; /* a tree has up to 10; lanes that change more often are not worth it */
    struct pattern_shape **first = &v->b->shape[v->place];
    uint32_t count = 0;
    for (struct pattern_shape **at = first, *s; (s = *at); at = &s->next, count++) {
        if (s->offset != offset || s->lanes != v->lanes)
            continue;
        *at = s->next;
        s->next = *first;
        *first = s;
        return s->usable ? s : NULL;
    }
    if (count == MOST_SHAPES)
        return NULL;
    struct pattern_shape *s = ls_alloc(sizeof *s);
    find_shape(v, s, offset);
    s->next = *first;
    *first = s;
    return s->usable ? s : NULL;
}

void
shapes_free(struct pattern_shape *s)
{
    while (s) {
        struct pattern_shape *next = s->next;
        ls_release(s);
        s = next;
    }
}

static bool
quick_load(struct block_state *b, const struct pattern_shape *s, uint64_t first, uint64_t mark)
{
    if (s->run && !b->any_strong && !b->any_unset && b->launch->check->wide)
        return load_run_wide(b, s->mark, s->words, first + (uint64_t)(int64_t)s->word[0], mark);
    uint64_t low = (uint64_t)b->first << STAMP_SHIFT;
    uint64_t floor = (uint64_t)b->floor << STAMP_SHIFT;
    uint64_t met = (uint64_t)b->warp_floor[mark_warp(mark)] << STAMP_SHIFT;
    const uint64_t *w = b->write + first;
    uint64_t *r = b->read + first, *o = b->other + first;
    const uint64_t warp = 31ull << WARP_SHIFT, lane = 31ull << LANE_SHIFT;
    bool bad = false;
    for (uint32_t k = 0; k < s->words; k++) {
        uint64_t last = w[s->word[k]];
        bad |= last < low || (last >= floor && !is_own(last, mark | s->mark[k], met));
    }
    for (uint32_t k = 0; k < s->words && b->any_unset; k++)
        bad |= (w[s->word[k]] & MARK_UNSET) != 0;
    for (uint32_t k = 0; k < s->words && b->any_strong; k++)
        bad |= b->strong[first + (uint64_t)s->word[k]] >= floor;
    if (bad)
        return false;
    for (uint32_t k = 0; k < s->words; k++) {
        int32_t i = s->word[k];
        uint64_t old = r[i], new = mark | s->mark[k];
        if (old >= floor) {
            if ((old ^ new) & warp)
                o[i] = old;
            else if (old >= met && (((old ^ new) & lane) | (old & MARK_MANY)))
                new = (new & ~(31ull << LANE2_SHIFT)) | second_lane(old, new);
        }
        r[i] = new;
    }
    return true;
}

static bool
quick_store(struct block_state *b, const struct pattern_shape *s, uint64_t first, uint64_t mark)
{
    if (s->run && !b->any_strong && b->launch->check->wide)
        return store_run_wide(b, s->mark, s->words, first + (uint64_t)(int64_t)s->word[0], mark);
    uint64_t floor = (uint64_t)b->floor << STAMP_SHIFT;
    uint64_t met = (uint64_t)b->warp_floor[mark_warp(mark)] << STAMP_SHIFT;
    uint64_t *w = b->write + first;
    const uint64_t *r = b->read + first, *o = b->other + first;
    bool bad = false;
    for (uint32_t k = 0; k < s->words; k++) {
        int32_t i = s->word[k];
        uint64_t new = mark | s->mark[k];
        bad |= (w[i] >= floor && !is_own(w[i], new, met)) || (r[i] >= floor && !is_own(r[i], new, met)) ||
               o[i] >= floor;
        bad |= b->any_strong && b->strong[first + (uint64_t)i] >= floor;
    }
    if (bad)
        return false;
    for (uint32_t k = 0; k < s->words; k++)
        w[s->word[k]] = mark | s->mark[k];
    return true;
}

/* Offsets that the access has to stay in. */
static struct range
shared_range(const struct launch *l, const struct range *e)
{
    return (struct range){e->base ? e->base & 0xffffffff : 0, e->base ? e->end & 0xffffffff : l->shared_bytes};
}

bool
shared_pattern(const struct visit *v, uint64_t base, const int32_t *offset)
{
    struct block_state *b = v->b;
    uint64_t at = base - (uint64_t)(uintptr_t)b->block->shared;
    if (at >= 1ull << 32 || v->space != PTX_SPACE_SHARED || b->shift != 2 || v->op == JIT_ATOMIC ||
        !b->write || !v->facts->align ||
        (v->facts->flags & (PLACE_STRONG | PLACE_TRANSFER | PLACE_BULK_SOURCE | PLACE_MBARRIER)) ||
        (at & (v->facts->align - 1)))
        return false;
    struct pattern_shape *s = shape_of(v, offset);
    if (!s || (v->op == JIT_STORE && (s->twice || copies_begin(v))))
        return false;
    const struct range in = shared_range(b->launch, v->expect);
    if ((int64_t)at + s->low < (int64_t)in.base || (int64_t)at + s->high > (int64_t)in.end)
        return false;
    uint64_t mark = mark_of(v), first = at / 4, own = (uint64_t)(uintptr_t)b->block->shared;
    b->plain_stamp = b->stamp;
    if (v->op == JIT_STORE) {
        b->shared_stamp = b->stamp;
        return quick_store(b, s, first, mark);
    }
    gate_open(v, own + in.base, own + in.end);
    return quick_load(b, s, first, mark);
}

bool
shared_written(const struct block_state *b, const struct jit_note *n)
{
    const struct pattern_shape *s = b->shape[n->place];
    while (s && !(s->offset == n->offset && s->lanes == n->lanes))
        s = s->next;
    uint64_t first = (n->base - (uint64_t)(uintptr_t)b->block->shared) / 4;
    const uint64_t low = (uint64_t)b->first << STAMP_SHIFT;
    const uint64_t span = ((uint64_t)TRANSFER_STAMP << STAMP_SHIFT) - low;
    if (b->shift != 2 || !s || !s->usable)
        return false;
    const uint64_t *w = b->write + first;
    uint64_t bad = 0;
    for (uint32_t k = 0; k < s->words; k++)
        bad |= w[s->word[k]] - low >= span ? 1 : 0;
    return !bad;
}

/* -- local memory: written or not ------------------------------------------------------------------------ */

static void
report_local(const struct visit *v, uint32_t lane, uint64_t offset)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = FINDING_UNINITIALIZED, .space = "local"};
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, NULL, 0, v->b->block->ctaid))
        return;
    f.access = side_of(v, lane, offset);
    snprintf(f.message, sizeof f.message,
             "%s of %u bytes of the thread's local memory that it has not written", f.access.op, v->bytes);
    snprintf(f.missing, sizeof f.missing, "a value for the variable before it is read");
    finding_add(l->check, &f);
}

/* Lanes at one offset of their own memory. */
static void
touch_local(const struct visit *v, uint32_t lanes, uint64_t offset)
{
    struct block_state *b = v->b;
    if (!b->local_init)
        return;
    uint32_t *at = b->local_init + v->warp * (uint64_t)b->block->launch->local_stride + offset;
    uint32_t missing = 0;
    for (uint32_t k = 0; k < v->bytes && v->op != JIT_STORE; k++)
        missing |= bytes_used(v->facts, k, 1) ? lanes & ~at[k] : 0;
    for (uint32_t k = 0; k < v->bytes && v->op != JIT_LOAD; k++)
        at[k] |= lanes;
    for (; missing; missing &= missing - 1)
        report_local(v, (uint32_t)__builtin_ctz(missing), offset);
}

/* What has to be added to a lane's address for its offset. */
static uint64_t
from_local(const struct visit *v, uint32_t lane)
{
    const struct jit_block *k = v->b->block;
    return -(uint64_t)(uintptr_t)k->local -
           (v->warp * (uint64_t)JIT_LANES + lane) * k->launch->local_stride;
}

void
local_access(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    while (lanes) {
        uint32_t first = (uint32_t)__builtin_ctz(lanes), same = 0;
        uint64_t offset = address[first] + from_local(v, first);
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            same |= address[lane] + from_local(v, lane) == offset ? left & -left : 0;
        }
        touch_local(v, same, offset);
        lanes &= ~same;
    }
}

bool
local_lanes(const struct visit *v, const uint64_t *address)
{
    uint32_t stride = v->b->block->launch->local_stride, align = v->facts->align;
    if (v->space != PTX_SPACE_LOCAL || !align || !v->b->block->local || v->bytes < align)
        return false;
    uint32_t first = (uint32_t)__builtin_ctz(v->lanes);
    uint64_t offset = address[first] + from_local(v, first), differ = 0;
    if (v->lanes == ~0u)
        for (uint32_t l = 0; l < JIT_LANES; l++)
            differ |= (address[l] - address[0]) ^ (uint64_t)l * stride;
    for (uint32_t left = v->lanes; left && v->lanes != ~0u; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        differ |= (address[l] - address[first]) ^ (uint64_t)(l - first) * stride;
    }
    if (differ || offset >= stride || stride - offset < v->bytes || (offset & (align - 1)))
        return false;
    touch_local(v, v->lanes, offset);
    return true;
}
