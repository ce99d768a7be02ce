/* SPDX-License-Identifier: Apache-2.0
 *
 * host.c: what the host's calls say: memory that comes and goes, work on streams and its order,
 * errors, leaks.
 *
 * Streams: work has a number in its stream; a stream and the host each know, per stream, up to which
 * number work was over (vector clocks). Work knows what its stream and the host knew when it was
 * submitted. The legacy stream waits for all blocking ones, and they for it.
 */
#include "check/check_priv.h"

#include <stdio.h>
#include <string.h>

struct clock {
    uint32_t at[STREAMS];
};

struct stream_clock {
    uint64_t id;
    bool used, legacy, blocking;
    uint32_t seq;
    struct clock knows;
};

struct event_clock {
    const void *event;
    struct clock knows;
};

struct streams {
    pthread_mutex_t lock;
    struct stream_clock stream[STREAMS];
    uint32_t count;
    bool made; /* the program has made one */
    struct clock host;
    VEC(struct event_clock) events;
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
    bool continued;            /* a node goes on where that stream was */
    struct clock begin;
    VEC(struct graph_node) nodes;
};

static _Thread_local struct check_graph *this_graph;

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

static struct clock
host_clock(struct check *c)
{
    pthread_mutex_lock(&c->streams->lock);
    struct clock now = c->streams->host;
    pthread_mutex_unlock(&c->streams->lock);
    return now;
}

void
check_host(struct jit_tool *t, uint32_t (*here)(void),
           const struct host_place *(*place)(uint32_t number))
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    c->host_here = here;
    c->host_place = place;
}

/* -- work ------------------------------------------------------------------------------------------------ */

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
    struct job w = {.kernel = k, .what = what, .stream = STREAMS, .host = l ? l->host : host_here(c)};
    if (next_work.given && next_work.check == c) {
        w.stream = next_work.stream;
        w.seq = next_work.seq;
    }
    if (l) {
        memcpy(w.block, l->launch->block, sizeof w.block);
        memcpy(w.grid, l->launch->grid, sizeof w.grid);
    }
    pthread_mutex_lock(&c->lock);
    VEC_PUSH(&c->work, w);
    uint32_t number = (uint32_t)c->work.count;
    pthread_mutex_unlock(&c->lock);
    return number;
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

/* True: shadow memory knows whose work it was. Of the host's memory it knows what kernels do. */
static bool
touch_row(struct check *c, uint64_t address, uint64_t size, unsigned how, const char *what)
{
    bool writes = how & CHECK_TOUCH_WRITE, notes = writes && !(how & CHECK_TOUCH_HOST);
    bool alone = true;
    struct streams *s = c->streams;
    pthread_mutex_lock(&s->lock);
    for (uint32_t k = 0; k < s->count; k++)
        alone = alone && (k == next_work.stream || next_work.knows.at[k] >= s->stream[k].seq);
    bool several = s->count > 1;
    pthread_mutex_unlock(&s->lock);
    if (!next_work.given || next_work.check != c || !several) {
        if (notes)
            global_range(c->global, address, size, 0, true);
        return false;
    }
    uint32_t work = work_new(c, NULL, what, NULL);
    if (!alone && (c->groups & CHECK_RACE))
        global_compare(c, address, size, writes, work, next_work.knows.at);
    if (notes)
        global_range(c->global, address, size, work, true);
    return notes;
}

void
check_touched(struct jit_tool *t, const struct check_rows *rows, unsigned how, const char *what)
{
    struct check *c = (struct check *)t;
    bool writes = how & CHECK_TOUCH_WRITE;
    if (!c || !rows->width || !rows->count)
        return;
    struct flight f = {.rows = *rows, .writes = writes, .what = what};
    for (uint64_t row = 0; row < rows->count; row++)
        f.marked |= touch_row(c, rows->at + row * rows->pitch, rows->width, how, what);
    work_flight(c, &f);
}

void
work_flight(struct check *c, struct flight *f)
{
    struct clock host = {0};
    bool ours = next_work.given && next_work.check == c;
    const uint32_t *known = next_work.knows.at;
    f->stream = ours ? next_work.stream : STREAMS;
    f->seq = next_work.seq;
    if (f->frees && !f->ordered) {
        host = host_clock(c);
        known = host.at;
        f->stream = STREAMS;
    } else if (!ours || f->stream == STREAMS) {
        return;
    }
    if (f->frees && (c->groups & CHECK_RACE)) {
        pthread_mutex_lock(&c->lock);
        VEC_PUSH(&c->work, (struct job){.what = f->what, .stream = f->stream, .seq = f->seq});
        uint32_t work = (uint32_t)c->work.count;
        pthread_mutex_unlock(&c->lock);
        if (global_compare(c, f->rows.at, f->rows.width, true, work, known))
            return;
    }
    f->host = host_here(c);
    flight_add(c, f, known);
}

void
check_fetched(struct jit_tool *t, const struct allocation *from, uint64_t address, uint64_t size)
{
    struct check *c = (struct check *)t;
    uint64_t first = 0;
    if (!c || from->kind != ALLOCATION_DEVICE || !(c->groups & CHECK_INIT))
        return;
    struct holes holes = {0};
    uint64_t count = global_unwritten(c->global, address, size, &first, &holes);
    if (!count || holes_are_padding(&holes, address + size))
        return;
    struct finding f = {.kind = FINDING_UNINITIALIZED, .severity = SEVERITY_WARNING, .space = "global"};
    f.access = (struct side){.valid = true, .op = "copy to the host", .address = first,
                             .size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
                             .host = host_here(c)};
    f.made = from->place;
    snprintf(f.message, sizeof f.message,
             "a copy of %llu bytes to the host takes %llu along that nothing has written, the first at "
             "byte %llu of allocation %llu (%llu bytes)",
             (unsigned long long)size, (unsigned long long)count,
             (unsigned long long)(first - from->base), (unsigned long long)from->number,
             (unsigned long long)from->size);
    finding_add(c, &f);
}

/* By halves: most copies are of what is written throughout, or nowhere. */
static void
copy_unwritten(struct check *c, uint64_t from, uint64_t to, uint64_t size)
{
    uint64_t first = from;
    struct holes holes = {0};
    uint64_t count = size ? global_unwritten(c->global, from, size, &first, &holes) : 0, before = first - from;
    if (!count)
        return;
    if (count == size - before) {
        global_range(c->global, to + before, count, 0, false);
        return;
    }
    uint64_t half = (size - before + 1) / 2;
    copy_unwritten(c, first, to + before, half);
    copy_unwritten(c, first + half, to + before + half, size - before - half);
}

void
check_copied(struct jit_tool *t, uint64_t from, uint64_t to, uint64_t size)
{
    struct check *c = (struct check *)t;
    if (c && (c->groups & CHECK_INIT))
        copy_unwritten(c, from, to, size);
}

/* The node of a graph that this thread runs; NULL: none. */
static struct graph_node *
node_of(const struct check *c)
{
    struct check_graph *g = this_graph;
    return g && g->check == c && g->nodes.count ? &g->nodes.at[g->nodes.count - 1] : NULL;
}

void
check_record(struct jit_tool *t, uint64_t stream, const void *event)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    struct streams *s = c->streams;
    pthread_mutex_lock(&s->lock);
    struct graph_node *in = node_of(c);
    struct stream_clock *own = find_stream(s, stream);
    struct clock now = in ? in->knows : own ? own->knows : s->host;
    size_t k = 0;
    while (k < s->events.count && s->events.at[k].event != event)
        k++;
    if (k < s->events.count)
        s->events.at[k].knows = now;
    else
        VEC_PUSH(&s->events, (struct event_clock){event, now});
    pthread_mutex_unlock(&s->lock);
}

static const struct clock *
event_clock(const struct streams *s, const void *event)
{
    for (size_t k = 0; k < s->events.count; k++)
        if (s->events.at[k].event == event)
            return &s->events.at[k].knows;
    return NULL;
}

void
check_wait(struct jit_tool *t, uint64_t stream, const void *event)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    struct streams *s = c->streams;
    pthread_mutex_lock(&s->lock);
    struct graph_node *in = node_of(c);
    struct stream_clock *own = find_stream(s, stream);
    const struct clock *e = event_clock(s, event);
    if (e && (in || own))
        clock_join(in ? &in->knows : &own->knows, e);
    pthread_mutex_unlock(&s->lock);
}

/* What the host knows to be over needs no look any more. */
static void
host_learned(struct check *c)
{
    struct clock host = host_clock(c);
    flights_land(c, host.at);
}

void
check_joined_stream(struct jit_tool *t, uint64_t stream)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    pthread_mutex_lock(&c->streams->lock);
    struct stream_clock *own = find_stream(c->streams, stream);
    if (own)
        clock_join(&c->streams->host, &own->knows);
    pthread_mutex_unlock(&c->streams->lock);
    host_learned(c);
}

void
check_joined_event(struct jit_tool *t, const void *event)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    pthread_mutex_lock(&c->streams->lock);
    const struct clock *e = event_clock(c->streams, event);
    if (e)
        clock_join(&c->streams->host, e);
    pthread_mutex_unlock(&c->streams->lock);
    host_learned(c);
}

void
check_joined_all(struct jit_tool *t)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    struct streams *s = c->streams;
    pthread_mutex_lock(&s->lock);
    for (uint32_t k = 0; k < s->count; k++)
        clock_join(&s->host, &s->stream[k].knows);
    pthread_mutex_unlock(&s->lock);
    host_learned(c);
}

/* -- graphs ---------------------------------------------------------------------------------------------- */

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

/* -- memory --------------------------------------------------------------------------------------------- */

void
check_allocated(struct jit_tool *t, const struct allocation *a)
{
    struct check *c = (struct check *)t;
    bool plain = a->kind == ALLOCATION_DEVICE || a->kind == ALLOCATION_HEAP;
    if (c)
        global_range(c->global, a->base, (a->size + 3) & ~3ull, 0, !plain);
}

void
check_freed(struct jit_tool *t, const struct allocation *a)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    __atomic_fetch_add(&c->memory_version, 1, __ATOMIC_RELAXED);
    flights_forget(c, a->base, a->size);
}

bool
check_heap(struct jit_warp *w, uint32_t lane, uint64_t address, uint64_t size, uint32_t place)
{
    struct block_state *b = w->block->tool;
    struct allocation a = {.base = address, .size = size, .kind = ALLOCATION_HEAP}, found, near;
    if (!b)
        return true;
    struct check *c = b->launch->check;
    if (size) {
        check_allocated(&c->tool, &a);
        return true;
    }
    check_freed(&c->tool, &a);
    bool live = memory_find(b->launch->memory, address, &found, &near);
    if (live && found.base == address && found.kind == ALLOCATION_HEAP)
        return true;
    struct finding f = {.kind = FINDING_INVALID_FREE, .space = "global"};
    if (!finding_wanted(b->launch, f.kind, f.rank, b->launch->facts, place, NULL, 0, NULL))
        return false;
    struct visit v = {.b = b, .w = w, .place = place, .warp = w->warp};
    f.access = side_of(&v, lane, address);
    f.access.op = "free";
    snprintf(f.message, sizeof f.message, "free of 0x%llx, %s", (unsigned long long)address,
             near.freed && near.base == address ? "which was freed already"
             : live ? "which malloc in a kernel did not give"
                    : "where nothing is allocated");
    finding_add(c, &f);
    return false;
}

/* -- what calls say ---------------------------------------------------------------------------------------- */

void
check_bad_free(struct jit_tool *t, const char *call, uint64_t address,
               const struct allocation *nearest)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    struct finding f = {.kind = FINDING_INVALID_FREE};
    f.space = "";
    f.access = (struct side){.valid = true, .op = call, .address = address, .host = host_here(c)};
    const char *why = "no allocation starts there";
    if (nearest && nearest->freed && nearest->base == address) {
        why = "it was freed already";
        f.made = nearest->place;
    }
    snprintf(f.message, sizeof f.message, "%s(0x%llx): %s", call, (unsigned long long)address, why);
    finding_add(c, &f);
}

void
check_kernel_failed(struct jit_tool *t, enum check_end how, const struct ptx_module *m,
                    const struct ptx_func *kernel, bool has_place, uint32_t place,
                    const uint32_t block[3], const uint32_t thread[3], const char *text)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    static const enum finding_kind kind[] = {FINDING_DEADLOCK, FINDING_DIVERGENCE, FINDING_OUT_OF_BOUNDS,
                                             FINDING_API_ERROR, FINDING_API_ERROR};
    struct finding f = {.kind = kind[how]};
    if (how >= CHECK_END_ASSERT)
        f.title = how == CHECK_END_ASSERT ? "Assertion failed" : "Kernel ended in an error";
    struct jit_tool_launch l = {.module = m, .kernel = kernel};
    const struct kernel_facts *k = facts_of_kernel(c, &l);
    f.space = "";
    if (has_place && !finding_is_new(c, f.kind, f.rank, k, place, NULL, 0, NULL))
        return;
    const char *op = how <= CHECK_END_BARRIER ? "barrier" : how == CHECK_END_ASSERT ? "assert" : "kernel";
    f.access = (struct side){.valid = true, .op = op,
                             .kernel = k, .place = place, .has_place = has_place,
                             .has_thread = true, .host = host_here(c)};
    memcpy(f.access.block, block, sizeof f.access.block);
    memcpy(f.access.thread, thread, sizeof f.access.thread);
    snprintf(f.message, sizeof f.message, "%s", text);
    if (how == CHECK_END_DEADLOCK)
        snprintf(f.missing, sizeof f.missing, "%s",
                 strstr(text, " what does not change")
                     ? "a store, an unlock or an arrival that comes before somebody waits for it"
                     : "all threads of the block at the same barrier");
    finding_add(c, &f);
}

void
check_call_failed(struct jit_tool *t, const char *call, const char *error, const char *why)
{
    struct check *c = (struct check *)t;
    if (!c)
        return;
    struct finding f = {.kind = FINDING_API_ERROR, .severity = SEVERITY_ERROR};
    f.space = "";
    f.access = (struct side){.valid = true, .op = call, .host = host_here(c)};
    f.error = error;
    snprintf(f.message, sizeof f.message, "%s returned %s%s%s", call, error, why && *why ? ": " : "",
             why ? why : "");
    finding_add(c, &f);
}

void
check_lost_output(struct jit_tool *t, const char *kernel, uint32_t host)
{
    struct check *c = (struct check *)t;
    struct finding f = {.kind = FINDING_LOST_OUTPUT, .severity = SEVERITY_WARNING, .space = ""};
    if (!c)
        return;
    f.access = (struct side){.valid = true, .op = "printf", .host = host};
    snprintf(f.message, sizeof f.message,
             "kernel %.200s printed, and nothing waits for it before the program ends", kernel);
    snprintf(f.missing, sizeof f.missing, "cudaDeviceSynchronize() after the launch");
    finding_add(c, &f);
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

bool
check_in_use(struct jit_tool *t, uint64_t page)
{
    struct check *c = (struct check *)t;
    struct clock known = host_clock(c);
    struct side side;
    const char *what;
    return global_host_race(c, page, 4096, CHECK_HOST_WRITE, known.at, &side) ||
           flight_host(c, page, 4096, true, known.at, &what);
}

bool
check_host_access(struct jit_tool *t, const struct allocation *a, uint64_t address,
                  enum check_host_op op, const char *at, uint32_t host)
{
    struct check *c = (struct check *)t;
    bool writes = op != CHECK_HOST_READ;
    const char *does = writes ? "writes" : "reads";
    struct finding f = {.kind = FINDING_WRONG_SPACE, .space = "global"};
    char name[80], where[400];
    const struct host_place *p = host && c->host_place ? c->host_place(host) : NULL;
    const char *function = p && p->count && p->frame[0].function ? p->frame[0].function : "";
    snprintf(where, sizeof where, "%.200s%s%.150s%s", function, *function ? " (" : "", at,
             *function ? ")" : "");
    if (a->name && (a->kind == ALLOCATION_VARIABLE || a->kind == ALLOCATION_MANAGED))
        snprintf(name, sizeof name, "variable \"%.60s\"", a->name);
    else
        snprintf(name, sizeof name, "allocation %llu", (unsigned long long)a->number);
    f.access = (struct side){.valid = true, .op = writes ? "host store" : "host load", .address = address,
                             .host = host};
    f.made = a->place;
    if (a->kind != ALLOCATION_MANAGED) {
        snprintf(f.message, sizeof f.message,
                 "host code in %s %s byte %llu of %s, which is device memory: on a GPU the program ends here",
                 where, does, (unsigned long long)(address - a->base), name);
        snprintf(f.missing, sizeof f.missing, "cudaMemcpy, or managed memory (cudaMallocManaged)");
        finding_add(c, &f);
        return true;
    }
    struct clock known = host_clock(c);
    f.kind = FINDING_HOST_RACE;
    const char *what = NULL;
    if (!global_host_race(c, address, 1, op, known.at, &f.other) &&
        !flight_host(c, address, 1, writes, known.at, &what))
        return false;
    bool read = what ? false : !strcmp(f.other.op, "load");
    if (what)
        f.other = (struct side){.valid = true, .op = what, .address = address};
    snprintf(f.message, sizeof f.message,
             "host code in %s %s byte %llu of managed %s while %s%s may still %s it", where, does,
             (unsigned long long)(address - a->base), name, what ? "a " : "kernel ",
             what ? what : f.other.kernel->name, what ? "use" : read ? "read" : "write");
    snprintf(f.missing, sizeof f.missing,
             "a wait of the host after the launch: cudaDeviceSynchronize(), or for its stream or event");
    finding_add(c, &f);
    return true;
}

void
check_leak(struct jit_tool *t, const struct allocation *a)
{
    struct check *c = (struct check *)t;
    static const char *const call[] = {"cudaMalloc", "variable", "cudaMallocHost", "cudaMallocManaged",
                                       "malloc in a kernel", "cudaMallocArray"};
    if (!c)
        return;
    struct finding f = {.kind = FINDING_LEAK, .severity = SEVERITY_WARNING, .bytes = a->size};
    f.space = a->kind == ALLOCATION_HOST ? "host" : "global";
    f.access = (struct side){.valid = true, .op = call[a->kind], .address = a->base,
                             .size = a->size > UINT32_MAX ? UINT32_MAX : (uint32_t)a->size,
                             .host = a->place};
    snprintf(f.message, sizeof f.message, "allocation %llu, %llu bytes of %s, was never freed",
             (unsigned long long)a->number, (unsigned long long)a->size, call[a->kind]);
    finding_add(c, &f);
}
