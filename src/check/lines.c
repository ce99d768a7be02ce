/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c: 32 words of device memory at once (lines.h). Each function does to a line's records what
 * global.c does to the cells of the same words, or nothing.
 */
#include "check/lines.h"

#include "check/host.h"

#include <stdlib.h>
#include <string.h>

static bool
same_map(struct lane_map a, struct lane_map b)
{
    return a.shift == b.shift && a.add == b.add;
}

/* Of words of both, whatever the maps say of others. */
static bool
same_lanes(struct lane_map a, struct lane_map b, uint32_t words)
{
    for (; words && !same_map(a, b); words &= words - 1) {
        uint32_t word = (uint32_t)__builtin_ctz(words);
        if ((((word >> a.shift) + a.add) ^ ((word >> b.shift) + b.add)) & 31)
            return false;
    }
    return true;
}

/* Within its block. */
static uint32_t
thread_of(const struct line_mark *m, uint32_t word)
{
    uint32_t own = (uint32_t)m->mark.who & ((1u << BLOCK_SHIFT) - 1);
    if (m->spread)
        return (own + word * m->spread) & ((1u << BLOCK_SHIFT) - 1);
    return own | (((word >> m->lane.shift) + m->lane.add) & 31);
}

static bool
follows(const struct line_mark *m, uint32_t words, uint32_t first, uint32_t step)
{
    for (; words; words &= words - 1) {
        uint32_t word = (uint32_t)__builtin_ctz(words);
        if (thread_of(m, word) != ((first + word * step) & ((1u << BLOCK_SHIFT) - 1)))
            return false;
    }
    return true;
}

/* Each word was written by the thread that touches it now. */
static bool
same_threads(const struct line_touch *t, const struct line_mark *m, uint32_t words)
{
    struct line_mark own = {.mark = t->mark, .lane = t->lane};
    for (; words && !(t->mark.when & MARK_MANY); words &= words - 1) {
        uint32_t word = (uint32_t)__builtin_ctz(words);
        if (thread_of(m, word) != thread_of(&own, word))
            return false;
    }
    return !words;
}

/* Surely before the access: what global.c's judge would call ordered,
 * told from the record alone. */
static inline bool
is_ordered(const struct line_touch *t, const struct line_mark *m, uint32_t words)
{
    const struct block_state *b = t->v->b;
    uint32_t work = mark_work(&m->mark), warp = t->v->warp, stamp = mark_stamp(&m->mark);
    if (work != b->launch->work)
        return work < b->launch->floor;
    if ((m->mark.who ^ t->mark.who) >> BLOCK_SHIFT)
        return false;
    if (stamp < b->order.floor)
        return true;
    if (m->spread)
        return same_threads(t, m, words);
    if ((m->mark.who ^ t->mark.who) >> LANE_BITS)
        return false;
    return b->launch->facts->lock_step || stamp < b->order.warp_floor[warp] ||
           (!((m->mark.when | t->mark.when) & MARK_MANY) && same_lanes(m->lane, t->lane, words));
}

static void
drop_empty(struct line *l)
{
    struct line_mark *at = line_marks(l);
    uint16_t n = 0;
    for (uint32_t k = 0; k < l->count; k++)
        if (at[k].words) {
            if (n != k)
                at[n] = at[k];
            n++;
        }
    l->count = n;
}

static void
drop_words(struct line *l, enum line_kind kind, uint32_t words)
{
    struct line_mark *at = line_marks(l);
    for (uint32_t k = 0; k < l->count; k++)
        if (at[k].kind == kind)
            at[k].words &= ~words;
}

/* Columns of a matrix: the threads of a block that wrote neighbouring words are of one warp or
 * several, but equally far apart. */
static bool
join_spread(struct line_mark *a, const struct line_mark *m)
{
    const uint32_t all = (1u << BLOCK_SHIFT) - 1;
    uint32_t from = (uint32_t)__builtin_ctz(a->words), to = (uint32_t)__builtin_ctz(m->words);
    uint32_t far = to > from ? to - from : from - to;
    uint32_t threads = (to > from ? thread_of(m, to) - thread_of(a, from)
                                  : thread_of(a, from) - thread_of(m, to)) &
                       all;
    uint32_t step = a->spread ? a->spread : far ? threads / far : 0;
    if (!step || step > UINT8_MAX || step * far != threads)
        return false;
    uint32_t first = (thread_of(a, from) - from * step) & all;
    if (!follows(m, m->words, first, step) || (!a->spread && !follows(a, a->words, first, step)))
        return false;
    a->mark.who = (a->mark.who & ~(uint64_t)all) | first;
    a->spread = (uint8_t)step;
    a->words |= m->words;
    return true;
}

/* Columns of a matrix of longer elements, or that are read: lanes of one warp, one after the other,
 * for which there is one map. */
static bool
join_lanes(struct line_mark *a, const struct line_mark *m)
{
    uint32_t word = (uint32_t)__builtin_ctz(m->words);
    if (a->mark.who != m->mark.who || a->spread || m->mark.when & MARK_MANY)
        return false;
    for (uint8_t shift = 0; shift < 3; shift++) {
        struct lane_map map = {shift,
                               ((word >> m->lane.shift) + m->lane.add - (word >> shift)) & 31};
        if (same_lanes(map, m->lane, m->words) && same_lanes(map, a->lane, a->words)) {
            a->lane = map;
            a->words |= m->words;
            return true;
        }
    }
    return false;
}

static bool
join(struct line_mark *a, const struct line_mark *m)
{
    if (!a->words || a->kind != m->kind || a->mark.when != m->mark.when ||
        (a->mark.who ^ m->mark.who) >> BLOCK_SHIFT)
        return false;
    if (!a->spread && a->mark.who == m->mark.who && same_map(a->lane, m->lane) &&
        (!(m->mark.when & MARK_MANY) || same_map(a->lane2, m->lane2))) {
        a->words |= m->words;
        return true;
    }
    return m->mark.when >> STAMP_SHIFT &&
           ((m->kind == LINE_WRITE && !(m->mark.when & MARK_MANY) && join_spread(a, m)) ||
            join_lanes(a, m));
}

/* There is room. */
static void
add_mark(struct line *l, const struct line_mark *m)
{
    struct line_mark *at = line_marks(l);
    for (uint32_t k = 0; k < l->count; k++)
        if (join(&at[k], m))
            return;
    at[l->count++] = *m;
}

/* Words that two blocks of this work have read since they were written. */
static uint32_t
read_enough(const struct line *l, const struct line_touch *t)
{
    const struct launch *launch = t->v->b->launch;
    const struct line_mark *at = line_records(l);
    uint32_t enough = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct line_mark *r = &at[k];
        if (r->kind != LINE_READ || mark_work(&r->mark) != launch->work)
            continue;
        for (uint32_t n = 0; n < l->count; n++) {
            const struct line_mark *o = &at[n];
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
sort_reader(const struct line_touch *t, const struct line_mark *r, uint32_t words,
            struct readers *out)
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
    if (!again || stamp < b->order.floor || stamp < b->order.warp_floor[t->v->warp] ||
        !(differ || r->mark.when & MARK_MANY) || t->mark.when & MARK_MANY)
        return;
    struct line_mark *m = &out->many[out->manys++];
    *m = (struct line_mark){.mark = t->mark,
                            .words = words,
                            .kind = LINE_READ,
                            .lane = t->lane,
                            .lane2 = differ ? r->lane : r->lane2};
    m->mark.when |= MARK_MANY;
}

/* False: something may race, or is not known. *words: those to be noted; what the warp has noted
 * since anything was ordered need not be noted again. */
static bool
look_at(const struct line *l, const struct line_touch *t, uint32_t *words)
{
    const struct line_mark *at = line_records(l);
    uint32_t seen = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct line_mark *m = &at[k];
        uint32_t some = m->words & *words;
        if (!some || m->kind == LINE_OTHER)
            continue;
        if (m->kind == LINE_WRITE && !is_ordered(t, m, some))
            return false;
        if (m->kind == LINE_READ && !((m->mark.who ^ t->mark.who) >> LANE_BITS) &&
            mark_stamp(&m->mark) == mark_stamp(&t->mark) &&
            (m->mark.when & MARK_MANY || same_lanes(m->lane, t->lane, some)))
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
    const struct line_mark *at = line_records(l);
    out->manys = out->others = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        const struct line_mark *m = &at[k];
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
    struct line_mark *at = line_marks(l);
    for (uint32_t k = 0; k < l->count; k++)
        if (at[k].kind != LINE_WRITE && mark_work(&at[k].mark) < floor)
            at[k].words = 0;
}

static bool
same_place(struct check *c, const struct line_mark *a, const struct line_mark *b)
{
    return mark_place(&a->mark) == mark_place(&b->mark) &&
           work_job(c, mark_work(&a->mark)).kernel == work_job(c, mark_work(&b->mark)).kernel;
}

/* Writes of launches that are over, by one place of one kernel, become one: the first launch's.
 * They matter for work on other streams only. Whoever waits for one of the launches waits for the
 * other: a stream to come knows what the host or an event knows today, and what comes after this
 * launch. */
static void
merge_writes(struct line *l, const struct launch *launch)
{
    struct line_mark *at = line_marks(l);
    for (uint32_t k = 0; k < l->count; k++) {
        struct line_mark *m = &at[k];
        for (uint32_t n = 0; n < l->count && m->kind == LINE_WRITE && m->words; n++) {
            struct line_mark *later = &at[n];
            if (later->kind == LINE_WRITE && mark_work(&later->mark) > mark_work(&m->mark) &&
                mark_work(&later->mark) < launch->floor && mark_stamp(&m->mark) &&
                mark_stamp(&later->mark) && same_place(launch->check, m, later) &&
                !work_parted(launch->check, mark_work(&m->mark), mark_work(&later->mark))) {
                m->words |= later->words;
                later->words = 0;
            }
        }
    }
}

/* -- records outside --------------------------------------------------------------------------- */

static uint64_t
bytes_outside(const struct line *l)
{
    return sizeof(struct line_mark) * l->room;
}

/* False: there are too many, or there is no memory. */
static bool
make_room(struct shadow_room *r, struct line *l, uint32_t count)
{
    uint32_t now = l->room ? l->room : LINE_OWN, room = 2 * now < LINE_MARKS ? 2 * now : LINE_MARKS;
    if (count <= now)
        return true;
    room = room < count ? count : room;
    if (count > LINE_MARKS || !shadow_take(r, sizeof(struct line_mark) * room))
        return false;
    struct line_mark *more = malloc(sizeof *more * room);
    if (!more) {
        shadow_give(r, sizeof *more * room);
        return false;
    }
    memcpy(more, line_records(l), sizeof *more * l->count);
    line_free(r, l);
    l->more = more;
    l->room = (uint16_t)room;
    return true;
}

void
line_free(struct shadow_room *r, struct line *l)
{
    if (!l->room)
        return;
    free(l->more);
    shadow_give(r, bytes_outside(l));
    l->room = 0;
}

/* For `more` records, once the words of this kind are dropped. */
static bool
has_room(struct line *l, const struct launch *launch, enum line_kind kind, uint32_t words,
         uint32_t more)
{
    const struct line_mark *at = line_records(l);
    uint32_t count = more;
    for (uint32_t k = 0; k < l->count; k++)
        count += (at[k].kind == kind ? at[k].words & ~words : at[k].words) != 0;
    if (count > LINE_MARKS && launch->alone) {
        drop_reads(l, launch->floor);
        merge_writes(l, launch);
        drop_empty(l);
        count = l->count + more;
    }
    return make_room(&launch->check->global->room, l, count);
}

bool
line_load(struct line *l, const struct line_touch *t, bool *out_read_shared)
{
    uint32_t words = t->words, work = t->v->b->launch->work;
    struct readers r;
    *out_read_shared = false;
    if (words & ~l->written)
        return false;
    if (t->lone) {
        if (l->read_shared_work != work) {
            l->read_shared = 0;
            l->read_shared_work = work;
        }
        words &= ~l->read_shared;
        *out_read_shared = !words;
        if (!words)
            return true;
    }
    if (!look_at(l, t, &words))
        return false;
    if (!words)
        return true;
    if (!sort_readers(l, t, words, &r) ||
        !has_room(l, t->v->b->launch, LINE_READ, words, r.manys + r.others + 1))
        return false;
    drop_words(l, LINE_READ, words);
    drop_empty(l);
    for (uint32_t k = 0; k < r.others; k++) {
        drop_words(l, LINE_OTHER, r.other[k].words);
        add_mark(l, &r.other[k]);
    }
    struct line_mark plain = {
        .mark = t->mark, .words = words, .kind = LINE_READ, .lane = t->lane, .lane2 = t->lane2};
    for (uint32_t k = 0; k < r.manys; k++) {
        plain.words &= ~r.many[k].words;
        add_mark(l, &r.many[k]);
    }
    if (plain.words)
        add_mark(l, &plain);
    if (t->lone && r.others)
        l->read_shared |= words & read_enough(l, t);
    return true;
}

/* The line's only record, of words that all are written now, makes way. */
static bool
takes_over(const struct line *l, const struct line_touch *t)
{
    const struct line_mark *m = &l->own[0];
    return !l->count || (l->count == 1 && !l->room && m->kind == LINE_WRITE &&
                         !(m->words & ~t->words) && is_ordered(t, m, m->words));
}

/* In the place of the record of the same words, which then may be one with another. */
static void
replace_mark(struct line *l, struct line_mark *old, const struct line_mark *m)
{
    struct line_mark *at = line_marks(l), *end = at + l->count;
    old->words = 0;
    while (at < end && !join(at, m))
        at++;
    if (at == end)
        *old = *m;
    else
        *old = line_marks(l)[--l->count];
}

bool
line_store(struct line *l, const struct line_touch *t)
{
    struct line_mark m = {.mark = t->mark, .words = t->words, .kind = LINE_WRITE, .lane = t->lane};
    m.mark.when |= MARK_WRITTEN;
    if (takes_over(l, t)) {
        line_marks(l)[0] = m;
        l->count = 1;
    } else {
        struct line_mark *at = line_marks(l), *old = NULL;
        for (uint32_t k = 0; k < l->count; k++) {
            if ((at[k].words & t->words) && !is_ordered(t, &at[k], at[k].words & t->words))
                return false;
            old = at[k].kind == LINE_WRITE && at[k].words == t->words ? &at[k] : old;
        }
        if (!old && !has_room(l, t->v->b->launch, LINE_WRITE, t->words, 1))
            return false;
        if (old) {
            replace_mark(l, old, &m);
        } else {
            drop_words(l, LINE_WRITE, t->words);
            drop_empty(l);
            add_mark(l, &m);
        }
    }
    l->written |= t->words;
    l->read_shared &= ~t->words;
    return true;
}

/* -- stores, in short -------------------------------------------------------------------------- */

static inline bool
is_past(const struct line_mark *m, const struct line_stamp *s)
{
    return mark_work(&m->mark) < s->work_floor ||
           (!((m->mark.who ^ s->mark.who) >> BLOCK_SHIFT) && mark_stamp(&m->mark) < s->floor);
}

/* By the same lanes. */
static inline bool
is_own(const struct line_mark *m, const struct line_stamp *s, struct lane_map lane)
{
    return !((m->mark.who ^ s->mark.who) >> LANE_BITS) && !m->spread &&
           !(m->mark.when & MARK_MANY) && same_map(m->lane, lane);
}

bool
line_renew(struct line *l, const struct line_stamp *s, uint32_t words, struct lane_map lane)
{
    struct line_mark *at = line_marks(l), *end = at + l->count;
    struct line_mark *free = l->count < (l->room ? l->room : LINE_OWN) ? end : NULL;
    for (const struct line_mark *m = at; m < end; m++)
        if ((m->words & words) && !is_past(m, s) && !is_own(m, s, lane))
            return false;
    for (struct line_mark *m = at; m < end; m++)
        if (m->kind == LINE_WRITE && !(m->words &= ~words))
            free = m;
    if (!free)
        return false;
    l->count += free == end;
    /* Field by field: a struct put together elsewhere is waited for when
     * it is copied from there. */
    free->mark.who = s->mark.who;
    free->mark.when = s->mark.when;
    free->words = words;
    free->kind = LINE_WRITE;
    free->lane = free->lane2 = lane;
    free->spread = 0;
    l->written |= words;
    l->read_shared &= ~words;
    return true;
}

bool
line_continue(struct line *l, const struct line_stamp *s, uint32_t word, uint32_t lane)
{
    const uint32_t thread = ((uint32_t)s->mark.who & ((1u << BLOCK_SHIFT) - 1)) | lane,
                   bit = 1u << word;
    struct line_mark *at = line_marks(l), *end = at + l->count, *now = NULL, *old = NULL;
    for (struct line_mark *m = at; m < end; m++) {
        if (m->spread && m->mark.when == s->mark.when &&
            !((m->mark.who ^ s->mark.who) >> BLOCK_SHIFT))
            now = m;
        if (!(m->words & bit))
            continue;
        if (old || m->kind != LINE_WRITE || !is_past(m, s))
            return false;
        old = m;
    }
    if (!now || thread_of(now, word) != thread)
        return false;
    if (old)
        old->words &= ~bit;
    now->words |= bit;
    l->written |= bit;
    l->read_shared &= ~bit;
    return true;
}

bool
line_range(struct shadow_room *r, struct line *l, uint32_t words, uint32_t work, bool known)
{
    struct line_mark *at = line_marks(l);
    for (uint32_t k = 0; k < l->count; k++)
        at[k].words &= ~words;
    drop_empty(l);
    if (work && !make_room(r, l, l->count + 1u))
        return false;
    struct line_mark m = {
        .mark = {.who = (uint64_t)work << WORK_SHIFT, .when = known ? MARK_WRITTEN : 0},
        .words = words,
        .kind = LINE_WRITE};
    if (work)
        add_mark(l, &m);
    l->written = known ? l->written | words : l->written & ~words;
    l->read_shared &= ~words;
    return true;
}

static struct mark
mark_of_word(const struct line_mark *m, uint32_t word)
{
    struct mark out = m->mark;
    if (!(out.when >> STAMP_SHIFT)) /* no kernel's */
        return out;
    out.who = (out.who & ~(uint64_t)((1u << BLOCK_SHIFT) - 1)) | thread_of(m, word);
    if (out.when & MARK_MANY)
        out.when |= (uint64_t)(((word >> m->lane2.shift) + m->lane2.add) & 31) << LANE2_SHIFT;
    return out;
}

struct cell
line_cell(const struct line *l, uint32_t word)
{
    struct cell c = {.write = {.when = l->written >> word & 1 ? MARK_WRITTEN : 0}};
    const struct line_mark *at = line_records(l);
    for (uint32_t k = 0; k < l->count; k++) {
        const struct line_mark *m = &at[k];
        if (!(m->words >> word & 1))
            continue;
        struct mark *to = m->kind == LINE_READ    ? &c.read
                          : m->kind == LINE_OTHER ? &c.other
                                                  : &c.write;
        *to = mark_of_word(m, word);
    }
    return c;
}
