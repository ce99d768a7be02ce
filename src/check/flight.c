/* SPDX-License-Identifier: Apache-2.0
 *
 * flight.c: copies, fills and stream-ordered allocations that the host has not waited for, by the
 * memory that they touch. Shadow memory knows what kernels access and what copies and fills write;
 * here is what it does not hold: what copies read, on the device and in pinned memory, and since
 * when memory of cudaMallocAsync may be used. A kernel is compared when it is over, by the marks
 * that it has left; another copy, a fill, a free, or host code when it begins.
 */
#include "check/host.h"
#include "check/race.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FLIGHTS = 4096 }; /* later ones take the places of the oldest */

struct flights {
    pthread_mutex_t lock;
    VEC(struct flight) list;
    size_t oldest;
    VEC(uint64_t) ordered; /* addresses that cudaMallocAsync gave */
};

struct flights *
flights_new(void)
{
    struct flights *f = ls_alloc(sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

void
flights_free(struct flights *f)
{
    VEC_FREE(&f->list);
    VEC_FREE(&f->ordered);
    pthread_mutex_destroy(&f->lock);
    ls_release(f);
}

/* -- ranges of rows ---------------------------------------------------------------------------- */

static uint64_t
rows_end(const struct check_rows *r)
{
    return r->at + (r->count - 1) * r->pitch + r->width;
}

/* Some byte of [at, end) lies in a row. */
static bool
meets(const struct check_rows *r, uint64_t at, uint64_t end, uint64_t *where)
{
    if (end <= r->at || at >= rows_end(r))
        return false;
    uint64_t row = at > r->at && r->pitch ? (at - r->at) / r->pitch : 0;
    for (; row < r->count && r->at + row * r->pitch < end; row++) {
        uint64_t low = r->at + row * r->pitch, high = low + r->width;
        if (high > at) {
            *where = low > at ? low : at;
            return true;
        }
    }
    return false;
}

static bool
overlap(const struct check_rows *a, const struct check_rows *b, uint64_t *where)
{
    if (rows_end(a) <= b->at || rows_end(b) <= a->at)
        return false;
    for (uint64_t row = 0; row < a->count; row++) {
        uint64_t at = a->at + row * a->pitch;
        if (meets(b, at, at + a->width, where))
            return true;
    }
    return false;
}

/* -- who is over before whom ------------------------------------------------------------------- */

static bool
is_over(const struct flight *f, const uint32_t *known)
{
    return f->stream >= STREAMS || known[f->stream] >= f->seq;
}

void
flights_land(struct check *c, const uint32_t *host)
{
    struct flights *s = c->flights;
    size_t kept = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < s->list.count; k++)
        if (!is_over(&s->list.at[k], host))
            s->list.at[kept++] = s->list.at[k];
    s->list.count = kept;
    s->oldest = 0;
    pthread_mutex_unlock(&s->lock);
}

void
flights_forget(struct check *c, uint64_t at, uint64_t size)
{
    struct flights *s = c->flights;
    uint64_t where;
    size_t kept = 0;
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < s->list.count; k++)
        if (!meets(&s->list.at[k].rows, at, at + size, &where))
            s->list.at[kept++] = s->list.at[k];
    s->list.count = kept;
    s->oldest = 0;
    pthread_mutex_unlock(&s->lock);
}

/* The oldest operation in flight that conflicts with one on `rows`: some byte is common to both,
 * one of the two writes, and the vector clock `known` does not say that the earlier one is over. */
static bool
find_flight(struct check *c, const struct check_rows *rows, bool writes, const uint32_t *known,
            struct flight *out, uint64_t *where)
{
    struct flights *s = c->flights;
    bool found = false;
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < s->list.count && !found; k++) {
        const struct flight *f = &s->list.at[k];
        found = (writes || f->writes) && !is_over(f, known) && overlap(&f->rows, rows, where);
        if (found)
            *out = *f;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* -- reports ----------------------------------------------------------------------------------- */

static const char *
does_text(const struct flight *f)
{
    return f->allocates ? "makes" : f->frees ? "frees" : f->writes ? "writes" : "reads";
}

static void
report_pair(struct check *c, const struct flight *new, const struct flight *old, uint64_t where)
{
    struct finding f = {.kind = FINDING_HOST_RACE, .space = "global"};
    f.access = (struct side){.valid = true, .op = new->what, .address = where, .host = new->host};
    f.other = (struct side){.valid = true, .op = old->what, .address = where, .host = old->host};
    snprintf(f.message, sizeof f.message, "%s %s 0x%llx while %s%s, which %s it, may not be over",
             new->what, does_text(new), (unsigned long long)where, old->what,
             new->frees && !new->ordered ? " that the host has not waited for"
                                         : " of another stream",
             does_text(old));
    snprintf(f.missing, sizeof f.missing, "%s%s", race_work_missing,
             new->frees && !new->ordered ? " (this call does not wait)" : "");
    finding_add(c, &f);
}

/* -- new ones ---------------------------------------------------------------------------------- */

static void
flight_add(struct check *c, const struct flight *f, const uint32_t *known)
{
    struct flights *s = c->flights;
    struct flight old;
    uint64_t where = f->rows.at;
    if ((c->groups & CHECK_RACE) && !f->allocates &&
        find_flight(c, &f->rows, f->writes, known, &old, &where))
        report_pair(c, f, &old, where);
    if (f->frees)
        return;
    pthread_mutex_lock(&s->lock);
    size_t k = 0;
    while (k < s->list.count &&
           !(s->list.at[k].stream == f->stream && s->list.at[k].writes == f->writes &&
             !memcmp(&s->list.at[k].rows, &f->rows, sizeof f->rows)))
        k++;
    if (k < s->list.count)
        s->list.at[k] = *f; /* who knows this one knows the one before it */
    else if (s->list.count < MOST_FLIGHTS)
        VEC_PUSH(&s->list, *f);
    else
        s->list.at[s->oldest++ % MOST_FLIGHTS] = *f;
    pthread_mutex_unlock(&s->lock);
}

void
flight_begin(struct check *c, struct flight *f)
{
    struct clock host = {0};
    struct announced next = {.stream = STREAMS};
    const uint32_t *known = next.knows.at;
    bool ours = work_announced(c, &next);
    f->stream = next.stream;
    f->seq = next.seq;
    if (f->frees && !f->ordered) {
        host = work_host(c);
        known = host.at;
        f->stream = STREAMS;
    } else if (!ours || f->stream == STREAMS) {
        return;
    }
    if (f->frees && (c->groups & CHECK_RACE)) {
        struct job own = {.what = f->what, .stream = f->stream, .seq = f->seq};
        if (global_compare(c, f->rows.at, f->rows.width, true, work_add(c, &own), known))
            return;
    }
    f->host = host_here(c);
    flight_add(c, f, known);
}

bool
flight_host(struct check *c, uint64_t at, uint64_t size, bool writes, const uint32_t *known,
            const char **what)
{
    struct flight f;
    uint64_t where;
    struct check_rows rows = {.at = at, .width = size, .count = 1};
    if (!find_flight(c, &rows, writes, known, &f, &where))
        return false;
    *what = f.what;
    return true;
}

void
flight_launch_over(struct launch *l)
{
    struct check *c = l->check;
    struct flights *s = c->flights;
    VEC(struct flight) open = {0};
    if (!(c->groups & CHECK_RACE) || !l->watched || !l->announced)
        return;
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < s->list.count; k++)
        if (!s->list.at[k].marked && !is_over(&s->list.at[k], l->after))
            VEC_PUSH(&open, s->list.at[k]);
    pthread_mutex_unlock(&s->lock);
    for (size_t k = 0; k < open.count; k++) {
        const struct flight *f = &open.at[k];
        for (uint64_t row = 0; row < f->rows.count; row++)
            global_compare_launch(c, f->rows.at + row * f->rows.pitch, f->rows.width, f, l->work);
    }
    VEC_FREE(&open);
}

/* -- stream-ordered memory --------------------------------------------------------------------- */

void
check_ordered(struct jit_tool *t, uint64_t address, uint64_t size)
{
    struct check *c = (struct check *)t;
    if (!c || !size)
        return;
    pthread_mutex_lock(&c->flights->lock);
    VEC_PUSH(&c->flights->ordered, address);
    pthread_mutex_unlock(&c->flights->lock);
    struct flight f = {.rows = {.at = address, .width = size, .count = 1},
                       .writes = true,
                       .allocates = true,
                       .what = "cudaMallocAsync"};
    flight_begin(c, &f);
}

static bool
take_ordered(struct flights *s, uint64_t address)
{
    bool found = false;
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < s->ordered.count && !found; k++)
        if (s->ordered.at[k] == address) {
            s->ordered.at[k] = s->ordered.at[--s->ordered.count];
            found = true;
        }
    pthread_mutex_unlock(&s->lock);
    return found;
}

bool
check_freeing(struct jit_tool *t, const char *call, uint64_t address, uint64_t size,
              enum check_free how)
{
    struct check *c = (struct check *)t;
    if (!c)
        return true;
    bool ordered = take_ordered(c->flights, address);
    if (how == CHECK_FREE_WAITS && !ordered)
        return true;
    struct flight f = {.rows = {.at = address, .width = size, .count = 1},
                       .writes = true,
                       .frees = true,
                       .ordered = how == CHECK_FREE_ORDERED,
                       .what = call};
    flight_begin(c, &f);
    return false;
}
