/* SPDX-License-Identifier: Apache-2.0
 *
 * capture.c: streams whose operations become nodes of a graph. What cannot be a node while a
 * capture goes on (the host waits, memory appears, an implicit order) fails and makes the capture
 * invalid: its streams refuse everything until it is ended, which gives an error and no graph (CUDA
 * C++ Programming Guide, "Prohibited and Unhandled Operations").
 */
#include "device/device_priv.h"

static _Atomic uint64_t capture_ids;
static _Atomic uint32_t capturing;
static _Thread_local enum device_capture_mode thread_mode = DEVICE_CAPTURE_GLOBAL;

void
capture_free(struct capture *c)
{
    if (!c)
        return;
    capturing--;
    VEC_FREE(&c->after.list);
    ls_release(c);
}

enum device_capture_mode
device_capture_thread_mode(enum device_capture_mode mode)
{
    enum device_capture_mode was = thread_mode;
    thread_mode = mode;
    return was;
}

static void
begin(struct device_stream *s, const struct capture *like)
{
    s->capture = ls_alloc(sizeof *s->capture);
    *s->capture = *like;
    s->capture->after = (struct nodes){0};
    capturing++;
}

enum device_result
device_capture_begin(struct device_stream *s, struct device_graph *into,
                     struct device_node *const *after, size_t count, enum device_capture_mode mode)
{
    if (s == s->device->stream)
        return device_fail(DEVICE_CAPTURE_UNSUPPORTED, "the legacy stream cannot be captured");
    if (mode > DEVICE_CAPTURE_RELAXED)
        return device_fail(DEVICE_INVALID_VALUE, "mode %d", (int)mode);
    if (s->capture)
        return device_fail(DEVICE_INVALID_VALUE, "the stream is capturing already");
    struct capture like = {.graph = into ? into : device_graph_new(),
                           .id = ++capture_ids,
                           .origin = s,
                           .mode = mode,
                           .thread = pthread_self(),
                           .given = into != NULL};
    begin(s, &like);
    device_capture_set_after(s, after, count, false);
    return DEVICE_OK;
}

struct device_graph *
device_capture_graph(const struct device_stream *s, uint64_t *out_id)
{
    if (s->capture && out_id)
        *out_id = s->capture->id;
    return s->capture ? s->capture->graph : NULL;
}

bool
device_capture_valid(const struct device_stream *s)
{
    return s->capture && !s->capture->invalid;
}

size_t
device_capture_after(const struct device_stream *s, struct device_node *const **out)
{
    *out = s->capture->after.list.at;
    return s->capture->after.list.count;
}

void
device_capture_set_after(struct device_stream *s, struct device_node *const *after, size_t count,
                         bool add)
{
    struct nodes *mine = &s->capture->after;
    if (!add)
        mine->list.count = 0;
    for (size_t k = 0; k < count; k++)
        if (!nodes_hold(mine, after[k]))
            VEC_PUSH(&mine->list, after[k]);
}

/* -- captures that become invalid -------------------------------------------------------------- */

static void
spoil_stream(void *handle, void *context)
{
    struct device_stream *s = handle;
    if (s->capture && s->capture->id == *(const uint64_t *)context)
        s->capture->invalid = true;
}

static void
spoil(uint64_t id)
{
    handle_each(HANDLE_STREAM, spoil_stream, &id);
}

static enum device_result
already_invalid(void)
{
    return device_fail(DEVICE_CAPTURE_INVALIDATED,
                       "an earlier call has made the stream's capture invalid");
}

enum device_result
capture_refuse(struct device_stream *s, enum device_result r, const char *why)
{
    if (s->capture->invalid)
        return already_invalid();
    spoil(s->capture->id);
    return device_fail(r, "%s", why);
}

struct concerned {
    const struct device *device; /* NULL: any */
    bool blocking;               /* only streams that the legacy stream waits for */
    bool unsafe;                 /* only captures that forbid this thread what is unsafe */
    uint64_t id;                 /* of one; 0: none */
    bool valid;                  /* one that was not invalid yet */
};

static void
ask(void *handle, void *context)
{
    const struct device_stream *s = handle;
    const struct capture *c = s->capture;
    struct concerned *q = context;
    bool wanted = c && (!q->device || s->device == q->device) &&
                  !(q->blocking && s->flags & DEVICE_STREAM_NONBLOCKING);
    if (wanted && q->unsafe) {
        bool mine = pthread_equal(c->thread, pthread_self());
        wanted = mine ? c->mode != DEVICE_CAPTURE_RELAXED
                      : c->mode == DEVICE_CAPTURE_GLOBAL && thread_mode == DEVICE_CAPTURE_GLOBAL;
    }
    if (!wanted || (q->id && (q->valid || c->invalid)))
        return;
    q->id = c->id;
    q->valid = !c->invalid;
}

/* The captures concerned become invalid; OK: there are none. */
static enum device_result
refuse_all(struct concerned q, enum device_result r, const char *why)
{
    enum device_result result = DEVICE_OK;
    if (!capturing)
        return DEVICE_OK;
    for (;;) {
        q.id = 0;
        q.valid = false;
        handle_each(HANDLE_STREAM, ask, &q);
        if (!q.valid)
            break;
        spoil(q.id);
        result = r;
    }
    if (result != DEVICE_OK)
        return device_fail(r, "%s", why);
    return q.id ? already_invalid() : DEVICE_OK;
}

enum device_result
capture_forbids_legacy(const struct device *d)
{
    return refuse_all((struct concerned){.device = d, .blocking = true}, DEVICE_CAPTURE_IMPLICIT,
                      "the legacy stream would wait for a stream that is capturing");
}

enum device_result
capture_forbids_wait(const struct device *d)
{
    return refuse_all((struct concerned){.device = d}, DEVICE_CAPTURE_UNSUPPORTED,
                      "a stream of the device is capturing: nothing that runs could be waited for");
}

enum device_result
device_capture_unsafe(void)
{
    if (!capturing || thread_mode == DEVICE_CAPTURE_RELAXED)
        return DEVICE_OK;
    return refuse_all(
        (struct concerned){.unsafe = true}, DEVICE_CAPTURE_UNSUPPORTED,
        "a stream is capturing, and what this call does would not be part of its graph");
}

/* -- what goes into the graph ------------------------------------------------------------------ */

enum device_result
capture_add(struct device_stream *s, const struct device_op *op)
{
    struct capture *c = s->capture;
    if (c->invalid)
        return already_invalid();
    enum device_result r = device_op_check(op);
    if (r != DEVICE_OK)
        return r;
    struct device_node *n = device_graph_add(c->graph, op, c->after.list.at, c->after.list.count);
    if (!n)
        return capture_refuse(s, DEVICE_CAPTURE_INVALIDATED,
                              "a node that the capture goes on from is gone");
    device_capture_set_after(s, &n, 1, false);
    return DEVICE_OK;
}

/* The capture that an event was recorded in, while it goes on. */
static struct capture *
capture_of(const struct device_event *e)
{
    const struct capture *c = &e->captured;
    bool alive = c->graph && device_stream_is(c->origin) && c->origin->capture &&
                 c->origin->capture->id == c->id;
    return alive ? c->origin->capture : NULL;
}

enum device_result
capture_record(struct device_stream *s, struct device_event *e)
{
    const struct capture *c = s->capture;
    if (c->invalid)
        return already_invalid();
    struct nodes after = e->captured.after;
    e->captured = *c;
    e->captured.after = after;
    for (size_t k = 0; k < c->after.list.count; k++)
        VEC_PUSH(&e->captured.after.list, c->after.list.at[k]);
    return DEVICE_OK;
}

/* A stream that waits for a captured event joins the capture. */
enum device_result
capture_wait(struct device_stream *s, struct device_event *e)
{
    if (s->capture && s->capture->invalid)
        return already_invalid();
    if (!e->captured.graph)
        return capture_refuse(s, DEVICE_CAPTURE_ISOLATION,
                              "the stream is capturing, the event was recorded outside");
    const struct capture *c = capture_of(e);
    if (!c)
        return device_fail(DEVICE_CAPTURE_INVALIDATED,
                           "the event belongs to a capture that has ended");
    if (c->invalid)
        return already_invalid();
    if (s->capture && s->capture->id != c->id) {
        spoil(c->id);
        return capture_refuse(s, DEVICE_CAPTURE_MERGE,
                              "the stream and the event belong to two captures");
    }
    if (s == s->device->stream)
        return device_fail(DEVICE_CAPTURE_IMPLICIT, "the legacy stream cannot join a capture");
    if (!s->capture)
        begin(s, c);
    device_capture_set_after(s, e->captured.after.list.at, e->captured.after.list.count, true);
    return DEVICE_OK;
}

enum device_result
capture_ask_event(const struct device_event *e)
{
    const struct capture *c = capture_of(e);
    if (c && !c->invalid)
        spoil(c->id);
    return device_fail(DEVICE_CAPTURED_EVENT,
                       "the event was recorded in a capturing stream: nothing runs that it "
                       "could stand for");
}

/* -- the end ----------------------------------------------------------------------------------- */

struct ending {
    uint64_t id;
    struct nodes reached; /* from the origin */
    bool unjoined;
};

static void
end_part(void *handle, void *context)
{
    struct device_stream *s = handle;
    struct ending *e = context;
    if (!s->capture || s->capture->id != e->id)
        return;
    for (size_t k = 0; k < s->capture->after.list.count; k++)
        if (!nodes_hold(&e->reached, s->capture->after.list.at[k]))
            e->unjoined = true;
    capture_free(s->capture);
    s->capture = NULL;
}

enum device_result
device_capture_end(struct device_stream *s, struct device_graph **out)
{
    *out = NULL;
    if (!s->capture)
        return device_fail(DEVICE_INVALID_VALUE, "the stream is not capturing");
    const struct capture c = *s->capture;
    if (c.origin != s)
        return c.invalid
                   ? already_invalid()
                   : device_fail(DEVICE_CAPTURE_UNMATCHED, "the capture began in another stream");
    if (c.mode != DEVICE_CAPTURE_RELAXED && !pthread_equal(c.thread, pthread_self()))
        return device_fail(DEVICE_CAPTURE_WRONG_THREAD,
                           "another thread began the capture, not in the relaxed mode");
    struct ending e = {.id = c.id};
    graph_reach(c.graph, &s->capture->after, &e.reached);
    handle_each(HANDLE_STREAM, end_part, &e);
    VEC_FREE(&e.reached.list);
    if ((c.invalid || e.unjoined) && !c.given)
        device_graph_free(c.graph);
    if (c.invalid)
        return already_invalid();
    if (e.unjoined)
        return device_fail(
            DEVICE_CAPTURE_UNJOINED,
            "work of another stream was not joined to the one that began the capture");
    *out = c.graph;
    return DEVICE_OK;
}
