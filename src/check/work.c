/* SPDX-License-Identifier: Apache-2.0
 *
 * work.c: the host's work on streams and its order. Work has a number in its stream; a stream and
 * the host each know, per stream, up to which number work was over (vector clocks). Work knows what
 * its stream and the host knew when it was submitted. The legacy stream waits for all blocking
 * ones, and they for it.
 */
#include "check/host.h"

#include <string.h>

struct stream_clock {
    uint64_t id;
    bool used, legacy, blocking;
    uint32_t seq;
    struct clock knows;
};

struct event_clock {
    const void *event;
    struct clock knows;
    uint64_t stream, number; /* of its last record, counted from 1 */
};

struct streams {
    pthread_mutex_t lock;
    struct stream_clock stream[STREAMS];
    uint32_t count;
    bool made; /* the program has made one */
    struct clock host;
    struct clock called; /* what host functions of streams knew that have run */
    VEC(struct event_clock) events;
    uint64_t records;
};

static _Thread_local struct { /* the work that this thread is about to do */
    struct check *check;
    uint32_t stream, seq;
    bool given;
    struct clock knows;
} next_work;

/* A graph that this thread runs, node by node. Each branch of nodes in a row counts as a stream. */
struct graph_node {
    const void *node;
    uint32_t stream;
    bool continued; /* a later node goes on with its branch */
    struct clock knows;
};
struct check_graph {
    struct check *check;
    struct check_graph *outer; /* whose last node this graph is */
    uint64_t id;               /* of the stream that it was launched to */
    uint32_t stream, branches;
    bool continued; /* a node goes on where that stream was */
    struct clock begin;
    VEC(struct graph_node) nodes;
};

static _Thread_local struct check_graph *this_graph;

static _Thread_local struct { /* host functions of streams that this thread is in */
    uint32_t depth;
    struct clock knows;
} host_function;

struct streams *
streams_new(void)
{
    struct streams *s = ls_alloc(sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void
streams_free(struct streams *s)
{
    VEC_FREE(&s->events);
    pthread_mutex_destroy(&s->lock);
    ls_release(s);
}

static void
clock_join(struct clock *to, const struct clock *from)
{
    for (int k = 0; k < STREAMS; k++)
        if (to->at[k] < from->at[k])
            to->at[k] = from->at[k];
}

/* The stream's row; NULL: there are more streams than rows (its work counts as ordered). */
static struct stream_clock *
find_stream(struct streams *s, uint64_t id)
{
    for (uint32_t k = 0; k < s->count; k++)
        if (s->stream[k].id == id)
            return &s->stream[k];
    if (s->count == STREAMS)
        return NULL;
    s->stream[s->count] = (struct stream_clock){.id = id, .used = true, .knows = s->host};
    return &s->stream[s->count++];
}

struct clock
work_host(struct check *c)
{
    pthread_mutex_lock(&c->streams->lock);
    struct clock now = c->streams->host;
    pthread_mutex_unlock(&c->streams->lock);
    if (host_function.depth)
        clock_join(&now, &host_function.knows);
    return now;
}

struct clock
work_supposed(struct check *c)
{
    struct clock now = work_host(c);
    pthread_mutex_lock(&c->streams->lock);
    clock_join(&now, &c->streams->called);
    pthread_mutex_unlock(&c->streams->lock);
    return now;
}

void
check_host_function(struct jit_tool *t, bool begins)
{
    struct check *c = (struct check *)t;
    struct announced next;
    if (!c)
        return;
    host_function.depth += begins ? 1 : -1;
    if (!host_function.depth)
        host_function.knows = (struct clock){0};
    if (!begins || !work_announced(c, &next))
        return;
    clock_join(&host_function.knows, &next.knows);
    pthread_mutex_lock(&c->streams->lock);
    clock_join(&c->streams->called, &next.knows);
    pthread_mutex_unlock(&c->streams->lock);
}

/* -- work -------------------------------------------------------------------------------------- */

struct job
work_job(struct check *c, uint32_t work)
{
    pthread_mutex_lock(&c->lock);
    struct job w = work && work <= c->work.count ? c->work.at[work - 1] : (struct job){0};
    pthread_mutex_unlock(&c->lock);
    return w;
}

static bool
parts(const struct clock *knows, const struct job *first, const struct job *second)
{
    uint32_t up_to = knows->at[first->stream];
    return up_to >= first->seq && up_to < second->seq;
}

bool
work_parted(struct check *c, uint32_t first, uint32_t second)
{
    struct job a = work_job(c, first), b = work_job(c, second);
    struct streams *s = c->streams;
    if (a.stream != b.stream || a.stream >= STREAMS)
        return true;
    pthread_mutex_lock(&s->lock);
    bool parted = parts(&s->host, &a, &b) || parts(&s->called, &a, &b);
    for (uint32_t k = 0; k < s->count && !parted; k++)
        parted = k != a.stream && parts(&s->stream[k].knows, &a, &b);
    for (size_t k = 0; k < s->events.count && !parted; k++)
        parted = parts(&s->events.at[k].knows, &a, &b);
    pthread_mutex_unlock(&s->lock);
    return parted;
}

uint32_t
work_add(struct check *c, const struct job *w)
{
    pthread_mutex_lock(&c->lock);
    VEC_PUSH(&c->work, *w);
    uint32_t number = (uint32_t)c->work.count;
    pthread_mutex_unlock(&c->lock);
    return number;
}

void
check_stream(struct jit_tool *t)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    pthread_mutex_lock(&c->streams->lock);
    c->streams->made = true;
    pthread_mutex_unlock(&c->streams->lock);
}

void
check_work(struct jit_tool *t, uint64_t stream, bool legacy, bool blocking)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    struct streams *s = c->streams;
    pthread_mutex_lock(&s->lock);
    struct stream_clock *own = find_stream(s, stream);
    next_work.check = c;
    next_work.given = true;
    next_work.stream = STREAMS;
    if (own) {
        own->legacy = legacy;
        own->blocking = blocking;
        clock_join(&own->knows, &s->host);
        for (uint32_t k = 0; k < s->count; k++)
            if ((legacy && s->stream[k].blocking) || (blocking && s->stream[k].legacy))
                clock_join(&own->knows, &s->stream[k].knows);
        next_work.knows = own->knows;
        next_work.stream = (uint32_t)(own - s->stream);
        next_work.seq = ++own->seq;
        own->knows.at[next_work.stream] = own->seq;
    }
    pthread_mutex_unlock(&s->lock);
}

uint32_t
work_new(struct check *c, const struct kernel_facts *k, const char *what, const struct launch *l)
{
    struct job w = {
        .kernel = k, .what = what, .stream = STREAMS, .host = l ? l->host : host_here(c)};
    if (next_work.given && next_work.check == c) {
        w.stream = next_work.stream;
        w.seq = next_work.seq;
    }
    if (l) {
        w.launch = l->number;
        w.memory = l->memory;
        memcpy(w.block, l->launch->block, sizeof w.block);
        memcpy(w.grid, l->launch->grid, sizeof w.grid);
    }
    return work_add(c, &w);
}

/* The launch knows what was announced for it; with nothing announced it is ordered after all. */
void
work_order(struct check *c, struct launch *l)
{
    struct streams *s = c->streams;
    bool all = true;
    l->floor = l->work;
    l->alone = true;
    l->announced = false;
    if (!next_work.given || next_work.check != c || next_work.stream >= STREAMS) {
        next_work.given = false;
        return;
    }
    next_work.given = false;
    memcpy(l->after, next_work.knows.at, sizeof l->after);
    l->announced = true;
    pthread_mutex_lock(&s->lock);
    for (uint32_t k = 0; k < s->count; k++)
        all = all && (k == next_work.stream || l->after[k] >= s->stream[k].seq);
    l->alone = s->count <= 1;
    l->lone = l->alone && !s->made && !this_graph && s->stream[next_work.stream].legacy;
    pthread_mutex_unlock(&s->lock);
    if (!all)
        l->floor = 0;
}

bool
work_announced(struct check *c, struct announced *out)
{
    struct streams *s = c->streams;
    if (!next_work.given || next_work.check != c)
        return false;
    *out = (struct announced){
        .stream = next_work.stream, .seq = next_work.seq, .knows = next_work.knows, .alone = true};
    pthread_mutex_lock(&s->lock);
    for (uint32_t k = 0; k < s->count; k++)
        out->alone =
            out->alone && (k == next_work.stream || next_work.knows.at[k] >= s->stream[k].seq);
    out->several = s->count > 1;
    pthread_mutex_unlock(&s->lock);
    return true;
}

/* -- events and waits -------------------------------------------------------------------------- */

/* The node of a graph that this thread runs; NULL: none. */
static struct graph_node *
node_of(const struct check *c)
{
    struct check_graph *g = this_graph;
    return g && g->check == c && g->nodes.count ? &g->nodes.at[g->nodes.count - 1] : NULL;
}

/* What the node of a graph that submits now knows, or else the stream; NULL: it has no row. */
static struct clock *
submitter(struct check *c, uint64_t stream)
{
    struct graph_node *in = node_of(c);
    struct stream_clock *own = find_stream(c->streams, stream);
    return in ? &in->knows : own ? &own->knows : NULL;
}

static struct event_clock *
find_event(struct streams *s, const void *event)
{
    for (size_t k = 0; k < s->events.count; k++)
        if (s->events.at[k].event == event)
            return &s->events.at[k];
    return NULL;
}

void
check_record(struct jit_tool *t, uint64_t stream, const void *event)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    struct streams *s = c->streams;
    pthread_mutex_lock(&s->lock);
    const struct clock *own = submitter(c, stream);
    struct event_clock now = {event, own ? *own : s->host, stream, ++s->records};
    struct event_clock *known = find_event(s, event);
    if (known)
        *known = now;
    else
        VEC_PUSH(&s->events, now);
    pthread_mutex_unlock(&s->lock);
}

void
check_wait(struct jit_tool *t, uint64_t stream, const void *event)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    pthread_mutex_lock(&c->streams->lock);
    struct clock *own = submitter(c, stream);
    const struct event_clock *e = find_event(c->streams, event);
    if (e && own)
        clock_join(own, &e->knows);
    pthread_mutex_unlock(&c->streams->lock);
}

/* Of events of two streams the time may be negative on purpose. */
void
check_elapsed(struct jit_tool *t, const void *from, const void *to)
{
    struct check *c = (struct check *)t;
    if (!c || !(c->groups & CHECK_API))
        return;
    pthread_mutex_lock(&c->streams->lock);
    const struct event_clock *a = find_event(c->streams, from), *b = find_event(c->streams, to);
    bool swapped = a && b && a->stream == b->stream && b->number < a->number;
    pthread_mutex_unlock(&c->streams->lock);
    if (!swapped)
        return;
    struct finding f = {.kind = FINDING_NEGATIVE_TIME, .severity = SEVERITY_WARNING, .space = ""};
    f.access = (struct side){.valid = true, .op = "elapsed time", .host = host_here(c)};
    snprintf(f.message, sizeof f.message,
             "the time from an event to one that its stream recorded before it: no more than 0");
    snprintf(f.missing, sizeof f.missing,
             "the event that is recorded first in front: "
             "cudaEventElapsedTime(&milliseconds, start, stop)");
    finding_add(c, &f);
}

void
work_join_stream(struct check *c, uint64_t stream)
{
    pthread_mutex_lock(&c->streams->lock);
    struct stream_clock *own = find_stream(c->streams, stream);
    if (own)
        clock_join(&c->streams->host, &own->knows);
    pthread_mutex_unlock(&c->streams->lock);
}

void
work_join_event(struct check *c, const void *event)
{
    pthread_mutex_lock(&c->streams->lock);
    const struct event_clock *e = find_event(c->streams, event);
    if (e)
        clock_join(&c->streams->host, &e->knows);
    pthread_mutex_unlock(&c->streams->lock);
}

void
work_join_job(struct check *c, uint32_t work)
{
    struct job w = work_job(c, work);
    pthread_mutex_lock(&c->streams->lock);
    uint32_t *known = c->streams->host.at;
    if (w.stream < STREAMS && known[w.stream] < w.seq)
        known[w.stream] = w.seq;
    pthread_mutex_unlock(&c->streams->lock);
}

void
work_join_all(struct check *c)
{
    struct streams *s = c->streams;
    pthread_mutex_lock(&s->lock);
    for (uint32_t k = 0; k < s->count; k++)
        clock_join(&s->host, &s->stream[k].knows);
    pthread_mutex_unlock(&s->lock);
}

bool
check_idle(struct jit_tool *t)
{
    struct streams *s = ((struct check *)t)->streams;
    bool idle = true;
    pthread_mutex_lock(&s->lock);
    for (uint32_t k = 0; k < s->count; k++)
        idle = idle && s->host.at[k] >= s->stream[k].seq;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

/* -- graphs ------------------------------------------------------------------------------------ */

struct check_graph *
check_graph_begin(struct jit_tool *t)
{
    struct check *c = (struct check *)t;
    const struct graph_node *in = c ? node_of(c) : NULL;
    if (!c || (!in && (!next_work.given || next_work.check != c)))
        return NULL;
    struct check_graph *g = ls_alloc(sizeof *g);
    pthread_mutex_lock(&c->streams->lock);
    g->check = c;
    g->outer = in ? this_graph : NULL;
    g->stream = in ? in->stream : next_work.stream;
    if (in)
        g->begin = in->knows;
    else if (g->stream < STREAMS)
        g->begin = c->streams->stream[g->stream].knows;
    g->id = in ? this_graph->id : g->stream < STREAMS ? c->streams->stream[g->stream].id : 0;
    g->branches = in ? this_graph->branches : 0;
    pthread_mutex_unlock(&c->streams->lock);
    this_graph = g;
    return g;
}

/* The branch of one of these, the stream's, or a new one. */
static uint32_t
branch_for(struct check_graph *g, const void *const *after, size_t count)
{
    enum { BRANCH_SHIFT = 40 };
    for (size_t k = 0; k < g->nodes.count; k++)
        for (size_t i = 0; i < count; i++)
            if (g->nodes.at[k].node == after[i] && !g->nodes.at[k].continued) {
                g->nodes.at[k].continued = true;
                return g->nodes.at[k].stream;
            }
    if (!g->continued && !count) {
        g->continued = true;
        return g->stream;
    }
    struct streams *s = g->check->streams;
    struct stream_clock *own = find_stream(s, g->id | (uint64_t)++g->branches << BRANCH_SHIFT);
    return own ? (uint32_t)(own - s->stream) : STREAMS;
}

void
check_graph_node(struct check_graph *g, const void *node, const void *const *after, size_t count)
{
    if (!g)
        return;
    struct streams *s = g->check->streams;
    struct graph_node n = {.node = node, .knows = g->begin};
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < g->nodes.count; k++)
        for (size_t i = 0; i < count; i++)
            if (g->nodes.at[k].node == after[i])
                clock_join(&n.knows, &g->nodes.at[k].knows);
    n.stream = branch_for(g, after, count);
    next_work.check = g->check;
    next_work.given = true;
    next_work.stream = n.stream;
    next_work.knows = n.knows;
    if (n.stream < STREAMS)
        next_work.seq = n.knows.at[n.stream] = ++s->stream[n.stream].seq;
    pthread_mutex_unlock(&s->lock);
    VEC_PUSH(&g->nodes, n);
}

void
check_graph_end(struct check_graph *g)
{
    if (!g)
        return;
    struct streams *s = g->check->streams;
    this_graph = g->outer;
    struct graph_node *in = node_of(g->check);
    struct clock *to = in ? &in->knows : g->stream < STREAMS ? &s->stream[g->stream].knows : NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; to && k < g->nodes.count; k++)
        clock_join(to, &g->nodes.at[k].knows);
    pthread_mutex_unlock(&s->lock);
    next_work.given = false;
    VEC_FREE(&g->nodes);
    ls_release(g);
}
