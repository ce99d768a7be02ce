/* SPDX-License-Identifier: Apache-2.0
 *
 * strong.c: the log of a word's strong accesses (strong.h), and what observation order (PTX ISA
 * 8.8.5) makes of it: a write comes before all that the thread of a read does next that got its
 * value, or what atomic operations made of it.
 */
#include "check/strong.h"

#include <string.h>

enum {
    MOST = 32,      /* bits of `seen` */
    MOST_LOGS = 512 /* of a chunk, or of a block's shared memory: no more memory than cells take */
};

struct strong_access {
    struct mark mark;
    uint64_t first; /* mark.when of the first of the reads that this one stands for */
    uint32_t seen;  /* accesses of the log that observe this one, a bit each */
    bool writes, reads;
};

struct strong_log {
    uint32_t cell, age;
    uint32_t newest; /* stamp */
    int32_t last;    /* the write that a read would get; -1: one that is not in the log */
    size_t count, room;
    struct strong_access *at;
};

/* -- who needs a log --------------------------------------------------------------------------- */

enum { IS_UNKNOWN, IS_NO, IS_YES };

static bool
differs(const struct place_facts *p)
{
    return p->device && p->flags & PLACE_STRONG &&
           p->flags & (PLACE_VOLATILE | PLACE_STORE | PLACE_NARROW);
}

static bool
observes(const struct place_facts *p)
{
    return p->device && p->flags & PLACE_ACQUIRE;
}

static bool
is_weak(const struct place_facts *p)
{
    return p->device && !(p->flags & PLACE_STRONG);
}

/* Does such an access go where these do? One to another allocation does not count: with a log for
 * each word a histogram of device memory took 15 times as long. */
static bool
some_goes(const struct launch *l, const struct range *r, bool (*is)(const struct place_facts *))
{
    bool known = r->base && !(r->base >> 62) && !l->facts->opaque;
    for (uint32_t n = 0; n < l->facts->facts_count; n++) {
        const struct range *e = &l->expect[n];
        bool apart = known && e->base && (e->base >= r->end || r->base >= e->end);
        if (is(&l->facts->place[n]) && !apart)
            return true;
    }
    return false;
}

/* Whether it holds of a place, noted in *at (IS_UNKNOWN: not yet). */
static bool
is_noted(uint8_t *at, const struct visit *v,
         bool (*holds)(const struct launch *, const struct range *))
{
    uint8_t known = __atomic_load_n(at, __ATOMIC_RELAXED);
    if (known == IS_UNKNOWN) {
        known = holds(v->b->launch, v->expect) ? IS_YES : IS_NO;
        __atomic_store_n(at, known, __ATOMIC_RELAXED);
    }
    return known == IS_YES;
}

static bool
differ_in(const struct launch *l, const struct range *r)
{
    return some_goes(l, r, differs);
}

static bool
observed_in(const struct launch *l, const struct range *r)
{
    return some_goes(l, r, observes) && some_goes(l, r, is_weak);
}

bool
strong_differ(const struct visit *v)
{
    const struct launch *l = v->b->launch;
    size_t n = (size_t)(v->expect - v->b->expect);
    if (!l->facts->uneven || n >= l->facts->facts_count)
        return l->facts->uneven;
    return is_noted(&l->uneven[n], v, differ_in);
}

bool
strong_observed(const struct visit *v)
{
    const struct launch *l = v->b->launch;
    size_t n = (size_t)(v->expect - v->b->expect);
    return l->spread && (n >= l->facts->facts_count || is_noted(&l->observed[n], v, observed_in));
}

/* Places that reach a cell have to agree on whether it has a log. Those whose allocation is known
 * answered for all of it; for the others it is asked where the access goes. */
bool
strong_differ_at(const struct visit *v, uint64_t address)
{
    const struct launch *l = v->b->launch;
    const struct range *r = v->expect;
    if (l->facts->opaque || (r->base && !(r->base >> 62)))
        return true;
    for (uint32_t n = 0; n < l->facts->facts_count; n++) {
        const struct range *e = &l->expect[n];
        if (differs(&l->facts->place[n]) && (!e->base || (address >= e->base && address < e->end)))
            return true;
    }
    return false;
}

/* -- logs -------------------------------------------------------------------------------------- */

static void
log_free(struct strong_log *log)
{
    if (log)
        VEC_FREE(log);
    ls_release(log);
}

void
strong_logs_free(struct strong_logs *logs)
{
    for (size_t k = 0; k < logs->room; k++)
        log_free(logs->log[k]);
    ls_release(logs->log);
    *logs = (struct strong_logs){0};
}

static struct strong_log **
slot_of(struct strong_log **log, size_t room, uint32_t cell)
{
    size_t k = cell * 0x9e3779b1u >> 7 & (room - 1);
    while (log[k] && log[k]->cell != cell)
        k = (k + 1) & (room - 1);
    return &log[k];
}

static void
logs_grow(struct strong_logs *logs)
{
    size_t room = logs->room ? 2 * logs->room : 16;
    struct strong_log **log = ls_alloc(room * sizeof *log);
    for (size_t k = 0; k < logs->room; k++)
        if (logs->log[k])
            *slot_of(log, room, logs->log[k]->cell) = logs->log[k];
    ls_release(logs->log);
    logs->log = log;
    logs->room = room;
}

static void
empty(struct strong_log *log)
{
    log->count = 0;
    log->newest = 0;
    log->last = -1;
}

/* Begins with the cell's last strong write, unless somebody has seen it already, and with its
 * strong reads, none of which has seen that write then. */
static void
begin_log(const struct visit *v, struct strong_log *log, const struct strong_marks *marks)
{
    uint32_t work = v->b->launch->work, place = mark_place(&marks->write);
    bool reads =
        place < v->b->launch->facts->place_count && v->b->facts[place].flags & PLACE_ACQUIRE;
    empty(log);
    if (mark_work(&marks->write) == work) {
        if (marks->write.when & MARK_SEEN)
            return;
        VEC_PUSH(log, (struct strong_access){marks->write, marks->write.when, 0, true, reads});
        log->last = 0;
        log->newest = mark_stamp(&marks->write);
    }
    for (int k = 0; k < 2; k++) {
        const struct mark *r = &marks->read[k];
        if (mark_work(r) != work || !(r->when & MARK_STRONG))
            continue;
        VEC_PUSH(log, (struct strong_access){*r, r->when, 0, false, true});
        log->newest = log->newest > mark_stamp(r) ? log->newest : mark_stamp(r);
    }
}

struct strong_log *
strong_log_of(const struct visit *v, struct strong_logs *logs, uint32_t cell,
              const struct strong_marks *marks, bool make)
{
    uint32_t work = v->b->launch->work;
    bool writes = mark_work(&marks->write) == work;
    bool full = mark_work(&marks->read[0]) == work && mark_work(&marks->read[1]) == work;
    if (logs->work != work) {
        strong_logs_empty(logs);
        logs->work = work;
    }
    make = make && (writes || full);
    if (make && 2 * logs->count >= logs->room && logs->count < MOST_LOGS)
        logs_grow(logs);
    if (!logs->room)
        return NULL;
    struct strong_log **slot = slot_of(logs->log, logs->room, cell);
    if (!*slot && make && logs->count < MOST_LOGS) {
        *slot = ls_alloc(sizeof **slot);
        (*slot)->cell = cell;
        (*slot)->age = logs->age - 1;
        logs->count++;
    }
    struct strong_log *log = *slot;
    if (!log || (log->age != logs->age && !make))
        return NULL;
    if (log->age != logs->age)
        begin_log(v, log, marks);
    else if (log->count == MOST || (make && writes && !strong_log_holds(log, &marks->write)))
        empty(log);
    log->age = logs->age;
    return log;
}

static bool
has(const struct strong_log *log, const struct mark *mark, bool writes)
{
    for (size_t k = log->count; k-- > 0;)
        if (log->at[k].writes == writes && log->at[k].mark.who == mark->who &&
            mark_stamp(&log->at[k].mark) == mark_stamp(mark))
            return true;
    return false;
}

bool
strong_log_holds(const struct strong_log *log, const struct mark *strong)
{
    return has(log, strong, true);
}

static bool
has_read(const struct strong_log *log, const struct mark *read)
{
    return read->when & MARK_STRONG && has(log, read, false);
}

enum strong_stays
strong_log_stays(const struct visit *v, const struct strong_log *log,
                 const struct strong_marks *marks, const struct mark *read)
{
    const struct mark *last = &marks->read[0], *other = &marks->read[1];
    uint32_t work = v->b->launch->work;
    if (!log || mark_work(last) != work || mark_work(other) != work)
        return STAYS_NONE;
    if (has_read(log, last))
        return STAYS_OTHER;
    /* The other read gives way to the last one, but to one of the new one's own warp. */
    bool gone = !(other->when & MARK_STRONG) || !((last->who ^ read->who) >> LANE_BITS);
    return gone && !(last->when & MARK_STRONG) && has_read(log, read) ? STAYS_BOTH : STAYS_NONE;
}

/* -- one access -------------------------------------------------------------------------------- */

/* The write comes before the access, as it comes before what a thread does that has seen it. */
static bool
observed_before(const struct visit *v, uint32_t lane, const struct strong_log *log,
                const struct strong_access *write)
{
    for (uint32_t seen = write->seen; seen; seen &= seen - 1) {
        const struct strong_access *by = &log->at[__builtin_ctz(seen)];
        struct mark first = {.who = by->mark.who, .when = by->first};
        if (race_is_before(v, lane, &first))
            return true;
    }
    return false;
}

bool
strong_log_judge(const struct visit *v, const struct touch *t, const struct strong_log *log)
{
    bool raced = false;
    for (size_t k = log->count; k-- > 0 && !raced;) {
        const struct strong_access *a = &log->at[k];
        if (a->writes && !observed_before(v, t->lane, log, a)) {
            enum verdict verdict = race_with_write(v, t, &a->mark);
            raced = verdict != ORDERED && verdict != RACE_VOLATILE;
        } else if (!a->writes && v->op != JIT_LOAD) {
            race_with_reads(v, t, &a->mark, NULL);
        }
    }
    return raced;
}

/* Writes that the access observes which comes after the log's last one. */
static uint32_t
observed_by(const struct visit *v, const struct strong_log *log)
{
    if (log->last < 0 || !race_is_morally_strong(v, &log->at[log->last].mark))
        return 0;
    uint32_t observed = 1u << log->last;
    for (uint32_t k = 0; k < log->count && log->at[log->last].reads; k++)
        observed |= (log->at[k].seen >> log->last & 1) << k;
    return observed;
}

static bool
is_alike(const struct strong_access *a, const struct mark *mark)
{
    return a->mark.who == mark->who &&
           !((a->mark.when ^ mark->when) & (MARK_NARROW | MARK_VOLATILE));
}

/* An earlier read in the log, by the same thread and of the same kind, which has observed the same
 * writes: the new read can replace it. NULL: there is none. */
static struct strong_access *
read_before(const struct strong_log *log, const struct mark *mark, uint32_t observed)
{
    for (uint32_t k = 0; k < log->count; k++) {
        uint32_t had = 0;
        for (uint32_t w = 0; w < log->count; w++)
            had |= (log->at[w].seen >> k & 1) << w;
        if (!log->at[k].writes && had == observed && is_alike(&log->at[k], mark))
            return &log->at[k];
    }
    return NULL;
}

static void
forget(struct strong_log *log, uint32_t k)
{
    uint32_t low = (1u << k) - 1;
    memmove(&log->at[k], &log->at[k + 1], (log->count - k - 1) * sizeof log->at[0]);
    log->count--;
    for (uint32_t n = 0; n < log->count; n++)
        log->at[n].seen = (log->at[n].seen & low) | (log->at[n].seen >> 1 & ~low);
    log->last -= log->last > (int32_t)k;
}

/* What races with a write mostly races with the next one of its thread, when both are alike (but
 * for who has seen the next one): in a log that fills up the next one stands for it. What it saw it
 * has seen. */
static void
forget_write_before(struct strong_log *log, uint32_t next)
{
    for (uint32_t k = next; k-- > 0;) {
        struct strong_access *a = &log->at[k];
        if (!a->writes || !is_alike(a, &log->at[next].mark))
            continue;
        a->writes = false;
        a->seen = 0;
        if (!a->reads) {
            forget(log, k);
            next--;
        }
    }
}

void
strong_log_note(const struct visit *v, struct strong_log *log, const struct mark *mark,
                uint32_t floor)
{
    bool writes = v->op != JIT_LOAD, reads = v->facts->flags & PLACE_ACQUIRE;
    if (log->newest < floor)
        empty(log);
    if (!(mark->when & MARK_STRONG)) {
        log->last = writes ? -1 : log->last;
        return;
    }
    log->newest = mark_stamp(mark);
    uint32_t observed = reads ? observed_by(v, log) : 0, k = (uint32_t)log->count;
    struct strong_access *same = writes ? NULL : read_before(log, mark, observed);
    if (same)
        same->mark = *mark;
    if (same || log->count == MOST)
        return;
    VEC_PUSH(log, (struct strong_access){*mark, mark->when, 0, writes, reads});
    for (; observed; observed &= observed - 1)
        log->at[__builtin_ctz(observed)].seen |= 1u << k;
    if (!writes)
        return;
    log->last = (int32_t)k;
    if (k >= MOST / 2)
        forget_write_before(log, k);
}

void
strong_log_seen(const struct visit *v, struct strong_log *log, const struct mark *mark)
{
    uint32_t k = (uint32_t)log->count;
    while (k-- > 0 && log->at[k].mark.who != mark->who)
        ;
    for (uint32_t seen = k < log->count ? observed_by(v, log) & ~(1u << k) : 0; seen;
         seen &= seen - 1)
        log->at[__builtin_ctz(seen)].seen |= 1u << k;
}
