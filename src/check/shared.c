/* SPDX-License-Identifier: Apache-2.0
 *
 * shared.c: shared memory of a block: who wrote and read each word last, and whether it was written
 * at all. A cell stands for a word as long as all accesses are words; the first narrower or
 * unaligned one cuts all cells into bytes, so that neighbours in one word are never confused.
 *
 * A cell holds the last plain write, the last atomic or volatile one, the last read, and the last
 * read by another warp than that. That is enough for a write to find a reader it races with: of two
 * warps that read, one is not the writer's. Plain writes are kept apart, since an atomic operation
 * does not race with the atomic one that its thread did since.
 */
#include "check/shared_cells.h"
#include "check/strong.h"
#include "check/transfers.h"

#include <string.h>

uint64_t
pack_at(const struct visit *v, uint64_t stamp)
{
    bool write = v->facts->flags & PLACE_STRONG && v->op != JIT_LOAD;
    bool fenced = write && order_fenced(v->b, v->warp, SCOPE_BLOCK);
    bool widely = fenced && order_fenced(v->b, v->warp, SCOPE_CLUSTER);
    return stamp << STAMP_SHIFT | (uint64_t)(v->place & 0x3fffff) << PLACE_SHIFT |
           (uint64_t)v->warp << PACK_WARP | (v->facts->flags & PLACE_STRONG ? PACK_STRONG : 0) |
           (fenced ? PACK_FENCED : 0) | (widely ? PACK_FENCED_CLUSTER : 0);
}

uint64_t
pack_of(const struct visit *v)
{
    bool transfer = v->facts->flags & (v->op == JIT_LOAD ? PLACE_BULK_SOURCE : PLACE_TRANSFER);
    return pack_at(v, transfer ? transfer_begin(v) : v->b->order.stamp);
}

/* -- cells ------------------------------------------------------------------------------------- */

static void
need_shared_cells(struct block_state *b)
{
    uint64_t words = (b->launch->shared_bytes + 3) / 4;
    if (b->shared.write || !words)
        return;
    b->shared.shift = 2;
    b->shared.cells = b->shared.room = words;
    b->shared.write = ls_alloc(8 * words);
    b->shared.read = ls_alloc(8 * words);
    b->shared.other = ls_alloc(8 * words);
    b->shared.strong = ls_alloc(8 * words);
    b->shared.logs = ls_alloc(sizeof *b->shared.logs);
}

void
shared_begin(struct block_state *b)
{
    need_shared_cells(b);
    b->shared.any_strong = b->shared.any_unset = false;
    b->shared.stamp = b->shared.plain_stamp = 0;
    if (b->shared.logs)
        strong_logs_empty(b->shared.logs);
}

void
shared_forget(struct block_state *b)
{
    uint64_t *all[] = {b->shared.write, b->shared.read, b->shared.other, b->shared.strong};
    for (int k = 0; k < 4; k++)
        if (all[k])
            memset(all[k], 0, b->shared.room * sizeof *all[k]);
}

void
shared_free(struct block_state *b)
{
    ls_release(b->shared.write);
    ls_release(b->shared.read);
    ls_release(b->shared.other);
    ls_release(b->shared.strong);
    if (b->shared.logs)
        strong_logs_free(b->shared.logs);
    ls_release(b->shared.logs);
}

bool
shared_word_written(const struct block_state *b, uint64_t word)
{
    return pack_stamp(b->shared.strong[word]) >= b->order.first ||
           (pack_stamp(b->shared.write[word]) >= b->order.first &&
            !(b->shared.write[word] & PACK_UNSET));
}

void
shared_word_was_written(struct block_state *b, uint64_t word)
{
    if (!shared_word_written(b, word))
        shared_word_of_peer(b, word);
}

void
shared_word_of_peer(struct block_state *b, uint64_t word)
{
    b->shared.write[word] = (uint64_t)b->order.first << STAMP_SHIFT | PACK_PEER;
}

void
shared_word_unset(struct block_state *b, uint64_t word)
{
    b->shared.write[word] |= PACK_UNSET;
    b->shared.any_unset = true;
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
cut_shared_cells(struct block_state *b)
{
    b->shared.write = cut(b->shared.write, b->shared.cells);
    b->shared.read = cut(b->shared.read, b->shared.cells);
    b->shared.other = cut(b->shared.other, b->shared.cells);
    b->shared.strong = cut(b->shared.strong, b->shared.cells);
    b->shared.cells = b->shared.room = 4 * b->shared.cells;
    b->shared.shift = 0;
}

/* -- one cell ---------------------------------------------------------------------------------- */

struct shared_touch {
    struct touch touch;
    uint64_t base;          /* of shared memory */
    uint64_t offset, cell;  /* of the lane's access; the cell */
    struct strong_log *log; /* of the cell; NULL: none, and then no marks */
    struct strong_marks marks;
};

static bool
is_volatile(const struct block_state *b, uint64_t m)
{
    return b->facts[pack_place(m)].flags & PLACE_VOLATILE;
}

static void
compare_write(const struct visit *v, const struct shared_touch *t, uint64_t w)
{
    struct mark m = unpack(v->b, w);
    race_with_write(v, &t->touch, &m);
}

static bool
is_before(const struct visit *v, uint32_t lane, uint64_t m)
{
    return !order_unordered(v->b, v->warp, lane, pack_warp(m), pack_lane(m), m & PACK_MANY,
                            pack_stamp(m));
}

/* last: the cell's last plain write, or a mark from before the block began. */
static void
read_unset(const struct visit *v, const struct shared_touch *t, uint64_t last)
{
    struct mark by = unpack(v->b, last);
    race_unset_read(v, &t->touch, pack_stamp(last) < v->b->order.first ? NULL : &by);
}

/* The mark of a cell to compare with: where a transfer made it, when that was over; 0: there is
 * nothing to compare with. */
static uint64_t
transfer_over(const struct visit *v, const struct shared_touch *t, uint64_t *m)
{
    uint32_t since = 0;
    if (pack_stamp(*m) < TRANSFER_STAMP)
        return *m;
    enum transfer_state state =
        transfer_state(v, t->touch.lane, pack_stamp(*m), pack_lane(*m), &since);
    if (state == TRANSFER_PAST)
        *m = 0;
    else if (state == TRANSFER_DONE)
        *m = (*m & ((1ull << STAMP_SHIFT) - 1)) | (uint64_t)since << STAMP_SHIFT;
    if (state == TRANSFER_RUNNING || state == TRANSFER_UNKNOWN) {
        struct mark made = unpack(v->b, *m);
        report_transfer(v, &t->touch, v->b, &made, state);
    }
    return state <= TRANSFER_DONE ? *m : 0;
}

/* An earlier read of the same warp, since all met, that races with more than this one does. */
static inline bool
is_weaker(const struct block_state *b, uint64_t old, uint64_t new)
{
    return new &PACK_STRONG &&pack_stamp(old) >= b->order.floor &&pack_warp(old) ==
               pack_warp(new) &&
           (!(old & PACK_STRONG) || (is_volatile(b, old) && !is_volatile(b, new)));
}

/* A plain read that nothing orders before the lane stays, where a strong one would take its place:
 * it races with more. */
static inline bool
is_kept(const struct visit *v, uint32_t lane, uint64_t other, uint64_t r)
{
    return r & PACK_STRONG && !(other & PACK_STRONG) && pack_stamp(other) >= v->b->order.floor &&
           pack_stamp(other) < TRANSFER_STAMP && !is_before(v, lane, other);
}

static void
note_read(const struct visit *v, const struct shared_touch *t, enum strong_stays stays,
          uint64_t mark)
{
    struct block_state *b = v->b;
    uint64_t r = b->shared.read[t->cell], o = b->shared.other[t->cell];
    if (stays == STAYS_BOTH)
        return;
    mark |= (uint64_t)t->touch.lane << PACK_LANE;
    if (stays == STAYS_OTHER)
        (void)0;
    else if (pack_stamp(r) >= TRANSFER_STAMP)
        b->shared.other[t->cell] = r;
    else if (pack_stamp(r) >= b->order.floor && pack_warp(r) != pack_warp(mark))
        b->shared.other[t->cell] = is_weaker(b, o, r) || is_kept(v, t->touch.lane, o, r) ? o : r;
    else if (pack_stamp(o) < b->order.floor && is_weaker(b, r, mark))
        b->shared.other[t->cell] = r;
    else if (pack_stamp(r) >= b->order.floor &&
             pack_stamp(r) >= b->order.warp_floor[pack_warp(r)] &&
             (pack_lane(r) != t->touch.lane || (r & PACK_MANY)))
        mark = (mark & ~(31ull << PACK_LANE2)) | pack_second(r, mark);
    b->shared.read[t->cell] = mark;
}

/* -- who has seen the last strong write, as seen.c has it for device memory ---------------------
 */

static bool
saw(const struct block_state *b, uint64_t r)
{
    return r & PACK_SAW && pack_stamp(r) >= b->order.floor && pack_stamp(r) < TRANSFER_STAMP;
}

/* Of several lanes of a warp one has the mark: then it counts for the warp. */
static bool
is_warps(uint64_t r)
{
    return r & (PACK_MANY | PACK_SAW_WARP);
}

/* The read has seen the cell's last strong write, and the lane comes behind it. */
static bool
is_behind(const struct visit *v, uint32_t lane, uint64_t r)
{
    return saw(v->b, r) && ((pack_warp(r) == v->warp && is_warps(r)) || is_before(v, lane, r));
}

/* The lane's mark, about to take the place of one of its warp, has to say that the others come
 * behind, too. */
static bool
has_met(const struct visit *v, uint64_t r)
{
    const struct block_state *b = v->b;
    return saw(b, r) && pack_warp(r) == v->warp &&
           (is_warps(r) || pack_stamp(r) < b->order.warp_floor[v->warp] ||
            b->order.lanes_met[v->warp]);
}

/* PTX ISA 8.9.5: the strong write comes before all that is ordered behind a read that saw it. Of a
 * read that the cell has no longer nothing is known: then nothing is said. */
static bool
was_seen(const struct visit *v, const struct shared_touch *t, uint64_t strong)
{
    const struct block_state *b = v->b;
    return strong & PACK_SEEN &&
           (strong & PACK_LOST || is_behind(v, t->touch.lane, b->shared.read[t->cell]) ||
            is_behind(v, t->touch.lane, b->shared.other[t->cell]));
}

static bool
stands_for(uint64_t m, uint64_t old)
{
    return m & PACK_SAW && pack_warp(m) == pack_warp(old) &&
           (pack_lane(m) == pack_lane(old) || is_warps(m));
}

/* A read where the last strong write, made since all met, may have been seen. */
static void
note_seen(const struct visit *v, const struct shared_touch *t, enum strong_stays stays,
          uint64_t mark)
{
    struct block_state *b = v->b;
    uint64_t *s = &b->shared.strong[t->cell], *r = &b->shared.read[t->cell],
             *o = &b->shared.other[t->cell];
    bool sees = mark & PACK_STRONG || was_seen(v, t, *s);
    bool all = sees && (has_met(v, *r) || has_met(v, *o));
    mark |= (sees ? PACK_SAW : 0) | (all ? PACK_SAW_WARP : 0);
    *s |= sees ? PACK_SEEN : 0;
    const uint64_t old[3] = {*r, *o, mark | (uint64_t)t->touch.lane << PACK_LANE};
    note_read(v, t, stays, mark);
    for (int k = 0; k < 3; k++)
        if (old[k] & PACK_SAW && pack_stamp(old[k]) >= b->order.floor && !stands_for(*r, old[k]) &&
            !stands_for(*o, old[k]))
            *s |= PACK_LOST;
}

/* A strong write that nobody has seen yet. */
static void
note_strong(struct block_state *b, uint64_t cell, uint64_t mark)
{
    b->shared.strong[cell] = mark;
    b->shared.read[cell] &= ~(uint64_t)PACK_SAW;
    b->shared.other[cell] &= ~(uint64_t)PACK_SAW;
    b->shared.any_strong = true;
}

/* A copy in the background or a matrix unit sees what threads have written behind a proxy fence on
 * the way from the write (PTX ISA 8.3): one of the writer's warp since, or one of this warp's since
 * the block's last barrier. */
static bool
missed_by_proxy(const struct visit *v, uint64_t last)
{
    const struct block_state *b = v->b;
    uint32_t stamp = pack_stamp(last);
    if (v->op != JIT_LOAD || !(v->facts->flags & PLACE_BULK_SOURCE) || stamp < b->order.first ||
        stamp >= TRANSFER_STAMP || (last & (PACK_PEER | PACK_MANY)) == PACK_PEER)
        return false;
    const uint32_t *fenced = transfers_need(v->b)->fenced;
    return stamp >= fenced[pack_warp(last)] &&
           !(stamp < fenced[v->warp] && fenced[v->warp] >= b->order.floor);
}

static void
report_proxy(const struct visit *v, const struct touch *t, uint64_t last)
{
    struct mark by = unpack(v->b, last);
    race_proxy(v, t, &by);
}

/* A mark since the stamp `least`; 0: it is older. */
static struct mark
unpack_since(const struct block_state *b, uint64_t m, uint32_t least)
{
    return pack_stamp(m) >= least ? unpack(b, m) : (struct mark){0};
}

/* The mark of a thread's read since all met; 0: it is older, or a transfer's. */
static struct mark
unpack_read(const struct block_state *b, uint64_t m)
{
    return pack_stamp(m) < TRANSFER_STAMP ? unpack_since(b, m, b->order.floor) : (struct mark){0};
}

/* s: the cell's last strong write; joins: the access joins the log. */
static struct strong_log *
log_of(const struct visit *v, struct shared_touch *t, uint64_t s, bool joins)
{
    struct block_state *b = v->b;
    if (!b->launch->facts->uneven_inside)
        return NULL;
    t->marks = (struct strong_marks){
        unpack_since(b, s, b->order.first),
        {unpack_read(b, b->shared.read[t->cell]), unpack_read(b, b->shared.other[t->cell])}};
    t->marks.write.when |= t->marks.write.who && s & PACK_SEEN ? MARK_SEEN : 0;
    return strong_log_of(v, b->shared.logs, (uint32_t)(t->cell << b->shared.shift), &t->marks,
                         joins);
}

static void
check_strong(const struct visit *v, const struct shared_touch *t, uint64_t s)
{
    struct mark strong = unpack_since(v->b, s, v->b->order.floor);
    if (t->log && (!strong.who || strong_log_holds(t->log, &strong)))
        strong_log_judge(v, &t->touch, t->log);
    else if (strong.who && !was_seen(v, t, s))
        compare_write(v, t, s);
}

static void
touch_cell(const struct visit *v, struct shared_touch *t, uint64_t mark)
{
    struct block_state *b = v->b;
    t->touch.at = t->base + (t->cell << b->shared.shift);
    t->touch.shift = b->shared.shift;
    b->shared.doubtful = true;
    uint64_t w = transfer_over(v, t, &b->shared.write[t->cell]), s = b->shared.strong[t->cell];
    t->log = log_of(v, t, s, mark & PACK_STRONG);
    uint64_t last = b->shared.write[t->cell];
    if (v->op != JIT_STORE && (pack_stamp(last) < b->order.first || last & PACK_UNSET) &&
        pack_stamp(s) < b->order.first)
        read_unset(v, t, last);
    if (pack_stamp(w) >= b->order.floor)
        compare_write(v, t, w);
    else if (missed_by_proxy(v, last))
        report_proxy(v, &t->touch, last);
    check_strong(v, t, s);
    enum strong_stays stays = STAYS_NONE;
    if (t->log) {
        struct mark m = unpack(b, mark | (uint64_t)t->touch.lane << PACK_LANE);
        strong_log_note(v, t->log, &m, b->order.floor);
        stays = v->op == JIT_LOAD ? strong_log_stays(v, t->log, &t->marks, &m) : STAYS_NONE;
    }
    if (v->op == JIT_LOAD) {
        (pack_stamp(s) >= b->order.floor ? note_seen : note_read)(v, t, stays, mark);
        return;
    }
    uint64_t r = transfer_over(v, t, &b->shared.read[t->cell]),
             o = transfer_over(v, t, &b->shared.other[t->cell]);
    struct mark read, other;
    bool has_read = pack_stamp(r) >= b->order.floor, has_other = pack_stamp(o) >= b->order.floor;
    if (has_read)
        read = unpack(b, r);
    if (has_other)
        other = unpack(b, o);
    race_with_reads(v, &t->touch, has_read ? &read : NULL, has_other ? &other : NULL);
    uint32_t bytes = (1u << (1u << b->shared.shift)) - 1;
    if (t->touch.unset &&
        ((t->touch.unset >> ((t->cell << b->shared.shift) - t->offset)) & bytes) == bytes) {
        mark |= PACK_UNSET;
        b->shared.any_unset = true;
    }
    mark |= (uint64_t)t->touch.lane << PACK_LANE;
    if (mark & PACK_STRONG)
        note_strong(b, t->cell, mark);
    else
        b->shared.write[t->cell] = mark;
}

/* touch_cell for cells with which nothing is wrong; false: not surely, nothing was done. */
static inline bool
quick_cell(const struct visit *v, const struct quick *q, const struct shared_touch *t,
           uint64_t mark)
{
    struct block_state *b = v->b;
    uint64_t new = mark | (uint64_t)t->touch.lane << PACK_LANE, w = b->shared.write[t->cell];
    uint64_t s = b->shared.any_strong ? b->shared.strong[t->cell] : 0;
    if (!quick_before(q, w, new) || (s >= q->floor && !q->alike))
        return false;
    if (q->reads && ((w < q->low && s < q->low) || w & PACK_UNSET))
        return false;
    if (q->load) {
        (s >= q->floor ? note_seen : note_read)(v, t, STAYS_NONE, mark);
        return true;
    }
    if (!quick_before(q, b->shared.read[t->cell], new) || b->shared.other[t->cell] >= q->floor)
        return false;
    if (q->strong)
        note_strong(b, t->cell, new);
    else
        b->shared.write[t->cell] = new;
    return true;
}

/* -- accesses ---------------------------------------------------------------------------------- */

/* Lanes of `left` from its first on whose words lie one behind the other; 1 or more. */
static uint32_t
lanes_in_run(const uint64_t *address, uint32_t left)
{
    uint32_t first = (uint32_t)__builtin_ctz(left), n = 1;
    while (first + n < JIT_LANES && left >> (first + n) & 1 &&
           address[first + n] == address[first] + 4ull * n)
        n++;
    return n;
}

/* Lanes of a run, all at once; false: something may be wrong, nothing was done. */
static bool
quick_run(const struct visit *v, const struct shared_touch *t, uint32_t count, uint64_t mark)
{
#define LANE(n) (uint64_t)(n) << PACK_LANE
#define LANES4(n) LANE(n), LANE(n + 1), LANE(n + 2), LANE(n + 3)
    static const uint64_t own[JIT_LANES] = {LANES4(0),  LANES4(4),  LANES4(8),  LANES4(12),
                                            LANES4(16), LANES4(20), LANES4(24), LANES4(28)};
#undef LANES4
#undef LANE
    struct block_state *b = v->b;
    return v->op == JIT_LOAD ? shared_load_run(b, own + t->touch.lane, count, t->offset / 4, mark)
                             : shared_store_run(b, own + t->touch.lane, count, t->offset / 4, mark);
}

/* Of whole words, unless cells are bytes. */
static void
access_cells(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    struct block_state *b = v->b;
    struct shared_touch t = {.touch = {.address = address, .shared = true},
                             .base = (uint64_t)(uintptr_t)b->block->shared};
    if (v->facts->flags & PLACE_STRONG)
        order_strong(v, lanes, address, true);
    if (v->op != JIT_LOAD || v->facts->flags)
        b->shared.stamp = b->order.stamp;
    if (v->op != JIT_ATOMIC)
        b->shared.plain_stamp = b->order.stamp;
    uint64_t mark = pack_of(v);
    order_released(v);
    if (v->op == JIT_LOAD && v->facts->flags & PLACE_BULK && v->facts->flags & PLACE_BULK_SOURCE)
        transfer_source(v, lanes, address);
    bool copying = copies_begin(v);
    bool quick = !(mark >> 63) && !copying &&
                 !(v->facts->flags & PLACE_STRONG && b->launch->facts->uneven_inside);
    const struct quick q = {.low = (uint64_t)b->order.first << STAMP_SHIFT,
                            .floor = (uint64_t)b->order.floor << STAMP_SHIFT,
                            .met = (uint64_t)b->order.warp_floor[v->warp] << STAMP_SHIFT,
                            .load = v->op == JIT_LOAD,
                            .reads = v->op != JIT_STORE,
                            .strong = v->facts->flags & PLACE_STRONG,
                            .alike =
                                v->facts->flags & PLACE_STRONG && !b->launch->facts->uneven_inside};
    if (v->op == JIT_ATOMIC && quick && q.alike && b->shared.shift == 2 && v->bytes == 4 &&
        shared_quick_atomics(b, &q, lanes, address, mark))
        return;
    enum { RUN = 4 }; /* shorter ones are not worth it */
    bool runs = quick && !q.strong && v->op != JIT_ATOMIC && !b->shared.any_strong &&
                !b->shared.any_unset && b->launch->check->wide && b->shared.shift == 2 &&
                v->bytes == 4;
    uint32_t alone = 0; /* lanes of a run that is looked at lane by lane */
    for (uint32_t left = lanes; left; left &= left - 1) {
        t.touch.lane = (uint32_t)__builtin_ctz(left);
        t.offset = address[t.touch.lane] - t.base;
        uint32_t count = runs && !(alone >> t.touch.lane & 1) ? lanes_in_run(address, left) : 1;
        uint32_t some = (count < JIT_LANES ? (1u << count) - 1 : ~0u) << t.touch.lane;
        if (count >= RUN && quick_run(v, &t, count, mark)) {
            left &= ~some | 1u << t.touch.lane;
            continue;
        }
        alone |= some;
        t.touch.unset = copying ? copies_stored(v, t.touch.lane) : 0;
        uint64_t last = (t.offset + v->bytes - 1) >> b->shared.shift;
        for (t.cell = t.offset >> b->shared.shift; t.cell <= last; t.cell++)
            if (!quick || !quick_cell(v, &q, &t, mark))
                touch_cell(v, &t, mark);
    }
}

void
shared_access(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    struct block_state *b = v->b;
    uint64_t bits = 0;
    if (!b->shared.write)
        return;
    shared_farthest(b->launch->check, address, lanes, 0, &bits);
    if (b->shared.shift && (bits | v->bytes) & 3)
        cut_shared_cells(b);
    access_cells(v, lanes, address);
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
    uint64_t odd = 0, most = shared_farthest(b->launch->check, address, v->lanes, own + low, &odd);
    if (most > end - low - v->bytes || odd & (v->bytes - 1) || v->bytes & (v->bytes - 1))
        return false;
    if (v->bytes & 3)
        shared_access(v, v->lanes, address);
    else if (b->shared.write)
        access_cells(v, v->lanes, address);
    return true;
}
