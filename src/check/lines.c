/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c: 32 words of device memory at once (lines.h). Each function does to a line's records what
 * global.c does to the cells of the same words, or nothing.
 */
#include "check/lines.h"

static uint32_t
mark_stamp(const struct mark *m)
{
    return (uint32_t)(m->when >> STAMP_SHIFT);
}

static bool
same_map(struct lane_map a, struct lane_map b)
{
    return a.shift == b.shift && a.add == b.add;
}

/* Of words of both: a word alone has one lane under any map. */
static bool
same_lanes(struct lane_map a, struct lane_map b, uint32_t words)
{
    if (same_map(a, b))
        return true;
    uint32_t word = (uint32_t)__builtin_ctz(words);
    return !(words & (words - 1)) && (((word >> a.shift) + a.add) & 31) == (((word >> b.shift) + b.add) & 31);
}

/* Surely before the access: what global.c's judge would call ordered, told from the record alone. */
static inline bool
is_ordered(const struct line_touch *t, const struct line_mark *m, uint32_t words)
{
    const struct block_state *b = t->v->b;
    uint32_t work = mark_work(&m->mark), warp = t->v->warp, stamp = mark_stamp(&m->mark);
    if (work != b->launch->work)
        return work < b->launch->floor;
    if ((m->mark.who ^ t->mark.who) >> BLOCK_SHIFT)
        return false;
    if (stamp < b->floor)
        return true;
    if ((m->mark.who ^ t->mark.who) >> LANE_BITS)
        return false;
    return b->launch->check->lock_step || stamp < b->warp_floor[warp] ||
           (!((m->mark.when | t->mark.when) & MARK_MANY) && same_lanes(m->lane, t->lane, words));
}

static void
drop_empty(struct line *l)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < l->count; k++)
        if (l->at[k].words) {
            if (n != k)
                l->at[n] = l->at[k];
            n++;
        }
    l->count = n;
}

static void
drop_words(struct line *l, enum line_kind kind, uint32_t words)
{
    for (uint32_t k = 0; k < l->count; k++)
        if (l->at[k].kind == kind)
            l->at[k].words &= ~words;
}

/* There is room. */
static void
add_mark(struct line *l, const struct line_mark *m)
{
    for (uint32_t k = 0; k < l->count; k++) {
        struct line_mark *a = &l->at[k];
        if (a->words && a->kind == m->kind && a->mark.who == m->mark.who &&
            a->mark.when == m->mark.when && same_map(a->lane, m->lane) &&
            (!(m->mark.when & MARK_MANY) || same_map(a->lane2, m->lane2))) {
            a->words |= m->words;
            return;
        }
    }
    l->at[l->count++] = *m;
}

/* Words that two blocks of this work have read since they were written. */
static uint32_t
read_enough(const struct line *l, const struct line_touch *t)
{
    const struct launch *launch = t->v->b->launch;
    uint32_t enough = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct line_mark *r = &l->at[k];
        if (r->kind != LINE_READ || mark_work(&r->mark) != launch->work)
            continue;
        for (uint32_t n = 0; n < l->count; n++) {
            const struct line_mark *o = &l->at[n];
            if (o->kind == LINE_OTHER && mark_work(&o->mark) == launch->work &&
                (o->mark.who ^ r->mark.who) >> BLOCK_SHIFT)
                enough |= r->words & o->words;
        }
    }
    return enough;
}

/* Records that come in besides the plain one. */
struct readers {
    struct line_mark many[LINE_MARKS], other[LINE_MARKS];
    uint32_t manys, others;
};

static void
sort_reader(const struct line_touch *t, const struct line_mark *r, uint32_t words, struct readers *out)
{
    const struct block_state *b = t->v->b;
    uint32_t stamp = mark_stamp(&r->mark);
    bool again = mark_work(&r->mark) == b->launch->work;
    if (again && (r->mark.who ^ t->mark.who) >> LANE_BITS) {
        struct line_mark *o = &out->other[out->others++];
        *o = *r;
        o->kind = LINE_OTHER;
        o->words = words;
        return;
    }
    bool differ = !same_lanes(r->lane, t->lane, words);
    if (!again || stamp < b->floor || stamp < b->warp_floor[t->v->warp] ||
        !(differ || r->mark.when & MARK_MANY) || t->mark.when & MARK_MANY)
        return;
    struct line_mark *m = &out->many[out->manys++];
    *m = (struct line_mark){.mark = t->mark, .words = words, .kind = LINE_READ, .lane = t->lane,
                            .lane2 = differ ? r->lane : r->lane2};
    m->mark.when |= MARK_MANY;
}

/* False: something may race, or is not known. *words: those to be noted; what the warp has noted since
 * anything was ordered need not be noted again. */
static bool
look_at(const struct line *l, const struct line_touch *t, uint32_t *words)
{
    uint32_t seen = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct line_mark *m = &l->at[k];
        uint32_t some = m->words & *words;
        if (!some || m->kind == LINE_OTHER)
            continue;
        if (m->kind == LINE_WRITE && !is_ordered(t, m, some))
            return false;
        if (m->kind == LINE_READ && !((m->mark.who ^ t->mark.who) >> LANE_BITS) &&
            mark_stamp(&m->mark) == mark_stamp(&t->mark) &&
            (m->mark.when & MARK_MANY || same_map(m->lane, t->lane)))
            seen |= some;
    }
    *words &= ~seen;
    return true;
}

/* The same. */
static bool
sort_readers(const struct line *l, const struct line_touch *t, uint32_t words, struct readers *out)
{
    const struct launch *launch = t->v->b->launch;
    out->manys = out->others = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct line_mark *m = &l->at[k];
        if (!(m->words & words) || m->kind != LINE_READ)
            continue;
        if (mark_work(&m->mark) != launch->work && mark_work(&m->mark) >= launch->floor)
            return false;
        sort_reader(t, m, m->words & words, out);
    }
    return true;
}

/* Reads of earlier work that is over: they matter for copies on other streams only. */
static void
drop_reads(struct line *l, uint32_t floor)
{
    for (uint32_t k = 0; k < l->count; k++)
        if (l->at[k].kind != LINE_WRITE && mark_work(&l->at[k].mark) < floor)
            l->at[k].words = 0;
}

static bool
has_room(struct line *l, const struct launch *launch, uint32_t more)
{
    drop_empty(l);
    if (l->count + more > LINE_MARKS && launch->alone) {
        drop_reads(l, launch->floor);
        drop_empty(l);
    }
    return l->count + more <= LINE_MARKS;
}

bool
line_load(struct line *l, const struct line_touch *t, bool *out_calm)
{
    uint32_t words = t->words, work = t->v->b->launch->work;
    struct readers r;
    *out_calm = false;
    if (words & ~l->written)
        return false;
    if (t->lone) {
        if (l->calm_work != work) {
            l->calm = 0;
            l->calm_work = work;
        }
        words &= ~l->calm;
        *out_calm = !words;
        if (!words)
            return true;
    }
    if (!look_at(l, t, &words))
        return false;
    if (!words)
        return true;
    if (!sort_readers(l, t, words, &r) || !has_room(l, t->v->b->launch, r.manys + r.others + 1))
        return false;
    drop_words(l, LINE_READ, words);
    for (uint32_t k = 0; k < r.others; k++) {
        drop_words(l, LINE_OTHER, r.other[k].words);
        add_mark(l, &r.other[k]);
    }
    struct line_mark plain = {.mark = t->mark, .words = words, .kind = LINE_READ, .lane = t->lane,
                              .lane2 = t->lane2};
    for (uint32_t k = 0; k < r.manys; k++) {
        plain.words &= ~r.many[k].words;
        add_mark(l, &r.many[k]);
    }
    if (plain.words)
        add_mark(l, &plain);
    if (t->lone && r.others)
        l->calm |= words & read_enough(l, t);
    return true;
}

bool
line_store(struct line *l, const struct line_touch *t)
{
    for (uint32_t k = 0; k < l->count; k++)
        if ((l->at[k].words & t->words) && !is_ordered(t, &l->at[k], l->at[k].words & t->words))
            return false;
    if (!has_room(l, t->v->b->launch, 1))
        return false;
    drop_words(l, LINE_WRITE, t->words);
    struct line_mark m = {.mark = t->mark, .words = t->words, .kind = LINE_WRITE, .lane = t->lane};
    m.mark.when |= MARK_WRITTEN;
    add_mark(l, &m);
    l->written |= t->words;
    l->calm &= ~t->words;
    return true;
}

bool
line_range(struct line *l, uint32_t words, uint32_t work, bool known)
{
    for (uint32_t k = 0; k < l->count; k++)
        l->at[k].words &= ~words;
    drop_empty(l);
    if (l->count == LINE_MARKS)
        return false;
    struct line_mark m = {.mark = {.who = (uint64_t)work << WORK_SHIFT, .when = known ? MARK_WRITTEN : 0},
                          .words = words, .kind = LINE_WRITE};
    if (work)
        add_mark(l, &m);
    l->written = known ? l->written | words : l->written & ~words;
    l->calm &= ~words;
    return true;
}

static struct mark
mark_of_word(const struct line_mark *m, uint32_t word)
{
    struct mark out = m->mark;
    if (!(out.when >> STAMP_SHIFT)) /* no kernel's */
        return out;
    out.who |= ((word >> m->lane.shift) + m->lane.add) & 31;
    if (out.when & MARK_MANY)
        out.when |= (uint64_t)(((word >> m->lane2.shift) + m->lane2.add) & 31) << LANE2_SHIFT;
    return out;
}

struct cell
line_cell(const struct line *l, uint32_t word)
{
    struct cell c = {.write = {.when = l->written >> word & 1 ? MARK_WRITTEN : 0}};
    for (uint32_t k = 0; k < l->count; k++) {
        const struct line_mark *m = &l->at[k];
        if (!(m->words >> word & 1))
            continue;
        struct mark *to = m->kind == LINE_READ ? &c.read : m->kind == LINE_OTHER ? &c.other : &c.write;
        *to = mark_of_word(m, word);
    }
    return c;
}
