/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c: streams, events, and the operations they order. An operation is run when it is
 * submitted, so that the order of submission is the order of execution: what every stream promises
 * its user holds, for the legacy stream's implicit waits too. Some launches are put off (chain.c),
 * until anything but another one is submitted or asked: the order stays the same.
 */
#include "device/backend.h"

#include "check/check.h"

#include <string.h>

/* -- operations -------------------------------------------------------------------------------- */

enum device_result
device_op_check(const struct device_op *op)
{
    switch (op->kind) {
    case DEVICE_OP_LAUNCH: return launch_check(&op->launch);
    case DEVICE_OP_COPY: return copy_check(&op->copy);
    case DEVICE_OP_FILL: return fill_check(&op->fill);
    default: return DEVICE_OK;
    }
}

static enum device_result
run_now(struct device_stream *s, const struct device_op *op)
{
    enum device_result r = DEVICE_OK;
    const struct backend_streams *back = s->device->backend->streams;
    switch (op->kind) {
    case DEVICE_OP_LAUNCH: return launch_run(s, &op->launch);
    case DEVICE_OP_COPY:
        r = copy_check(&op->copy);
        if (r != DEVICE_OK || !op->copy.width || !op->copy.height || !op->copy.depth)
            return r;
        return back->copy(s, &op->copy);
    case DEVICE_OP_FILL:
        r = fill_check(&op->fill);
        if (r != DEVICE_OK || !op->fill.width || !op->fill.height || !op->fill.depth)
            return r;
        return back->fill(s, &op->fill);
    case DEVICE_OP_HOST: return back->host_call(s, &op->host);
    case DEVICE_OP_RECORD:
        clock_record(s, op->event, device_process()->jit);
        op->event->recorded = true;
        return back->event_record(s, op->event);
    case DEVICE_OP_FREE:
        r = back->synchronize(s);
        tool_storage(op);
        return r == DEVICE_OK ? device_free_ordered(op->storage.address) : r;
    case DEVICE_OP_GRAPH: return graph_run(s, op->graph);
    case DEVICE_OP_CONDITIONAL: return conditional_run(s, &op->conditional);
    case DEVICE_OP_WAIT:
        clock_wait(s, op->event);
        return op->event->recorded ? back->event_wait(s, op->event) : r;
    case DEVICE_OP_ALLOC: tool_storage(op); break;
    case DEVICE_OP_EMPTY: break;
    }
    return r;
}

static enum device_result
run_function(struct device_stream *s, const struct device_op *op)
{
    check_host_function(tool_check(), true);
    guard_joined(); /* what is over for it */
    enum device_result r = run_now(s, op);
    check_host_function(tool_check(), false);
    guard_joined(); /* but not for the code that goes on */
    return r;
}

enum device_result
op_run(struct device_stream *s, const struct device_op *op)
{
    device_flush();
    if (op->kind == DEVICE_OP_HOST)
        return run_function(s, op);
    guard_open();
    enum device_result r = run_now(s, op);
    guard_close();
    return r;
}

void
device_op_copy(struct device_op *to, const struct device_op *from)
{
    *to = *from;
    if (from->kind == DEVICE_OP_LAUNCH && from->launch.params) {
        uint64_t n = from->launch.function->func->param_bytes;
        to->launch.params = memcpy(ls_alloc_lines(n), from->launch.params, n);
    }
    if (from->kind == DEVICE_OP_GRAPH)
        to->graph = device_graph_clone(from->graph);
    if (from->kind == DEVICE_OP_CONDITIONAL)
        conditional_copy(&to->conditional);
}

void
device_op_fini(struct device_op *op)
{
    if (op->kind == DEVICE_OP_LAUNCH)
        ls_release(op->launch.params);
    if (op->kind == DEVICE_OP_GRAPH)
        device_graph_free(op->graph);
    if (op->kind == DEVICE_OP_CONDITIONAL)
        conditional_fini(&op->conditional);
    op->kind = DEVICE_OP_EMPTY;
}

enum device_result
device_submit(struct device_stream *s, const struct device_op *op)
{
    enum device_result r = device_permitted();
    if (r == DEVICE_OK)
        r = op->kind == DEVICE_OP_LAUNCH ? lost_so_far(s->device) : device_lost(s->device);
    if (r != DEVICE_OK)
        return r;
    if (s->capture)
        return capture_add(s, op);
    r = s == s->device->stream ? capture_forbids_legacy(s->device) : DEVICE_OK;
    if (r != DEVICE_OK)
        return r;
    tool_work(s, op);
    if (op->kind == DEVICE_OP_LAUNCH && chain_put_off(s, &op->launch))
        return DEVICE_OK;
    return op_run(s, op);
}

/* -- streams ----------------------------------------------------------------------------------- */

static _Atomic uint64_t stream_ids;

struct device_stream *
device_stream_default(struct device *d)
{
    return d->stream;
}

struct device_stream *
device_stream_per_thread(struct device *d)
{
    static _Thread_local struct device_stream *mine[DEVICE_MOST];
    struct device_stream **s = &mine[d->index];
    if (!*s || !device_stream_is(*s) || (*s)->device != d)
        *s = device_stream_new(d, 0, 0);
    return *s;
}

struct device_stream *
device_stream_new(struct device *d, uint32_t flags, int priority)
{
    struct device_stream *s = handle_new(HANDLE_STREAM, sizeof *s);
    s->device = d;
    s->flags = flags;
    s->priority = priority < DEVICE_PRIORITY_GREATEST ? DEVICE_PRIORITY_GREATEST
                  : priority > DEVICE_PRIORITY_LEAST  ? DEVICE_PRIORITY_LEAST
                                                      : priority;
    s->id = ++stream_ids;
    if (d->stream && tool_check())
        check_stream(tool_check());
    if (d->stream) /* the first one made is the legacy stream, which every device has */
        d->backend->streams->stream_new(s);
    return s;
}

enum device_result
device_stream_free(struct device_stream *s)
{
    if (!device_stream_is(s))
        return device_fail(DEVICE_INVALID_HANDLE, "%p is no stream", (void *)s);
    device_flush();
    capture_free(s->capture);
    s->device->backend->streams->stream_free(s);
    handle_free(s);
    return DEVICE_OK;
}

bool
device_stream_is(const struct device_stream *s)
{
    return handle_is(s, HANDLE_STREAM);
}

struct device *
device_stream_device(const struct device_stream *s)
{
    return s->device;
}

uint32_t
device_stream_flags(const struct device_stream *s)
{
    return s->flags;
}

int
device_stream_priority(const struct device_stream *s)
{
    return s->priority;
}

uint64_t
device_stream_id(const struct device_stream *s)
{
    return s->id;
}

enum device_result
device_stream_query(struct device_stream *s)
{
    device_flush();
    if (s->capture)
        return capture_refuse(s, DEVICE_CAPTURE_UNSUPPORTED,
                              "the stream is capturing: nothing runs in it");
    enum device_result r = s == s->device->stream ? capture_forbids_legacy(s->device) : DEVICE_OK;
    if (r != DEVICE_OK)
        return r;
    output_seen();
    check_joined_stream(tool_check(), s == s->device->stream ? 0 : s->id);
    guard_joined();
    return s->device->backend->streams->query(s);
}

enum device_result
device_stream_synchronize(struct device_stream *s)
{
    const struct backend *b = s->device->backend;
    return b->in_process || s->capture ? device_stream_query(s) : b->streams->synchronize(s);
}

/* -- events ------------------------------------------------------------------------------------ */

struct device_event *
device_event_new(struct device *d, uint32_t flags)
{
    struct device_event *e = handle_new(HANDLE_EVENT, sizeof *e);
    e->device = d;
    e->flags = flags;
    d->backend->streams->event_new(e);
    return e;
}

enum device_result
device_event_free(struct device_event *e)
{
    if (!device_event_is(e))
        return device_fail(DEVICE_INVALID_HANDLE, "%p is no event", (void *)e);
    VEC_FREE(&e->captured.after.list);
    e->device->backend->streams->event_free(e);
    handle_free(e);
    return DEVICE_OK;
}

bool
device_event_is(const struct device_event *e)
{
    return handle_is(e, HANDLE_EVENT);
}

enum device_result
device_event_of(void *handle, struct device_event **out)
{
    enum device_result r = device_permitted();
    *out = handle;
    if (r == DEVICE_OK && !device_event_is(*out))
        r = device_fail(DEVICE_INVALID_HANDLE, "%p is no event, or was destroyed", handle);
    return r;
}

enum device_result
device_event_call(void *handle, enum device_result (*call)(struct device_event *e))
{
    struct device_event *e;
    enum device_result r = device_event_of(handle, &e);
    return r == DEVICE_OK ? call(e) : r;
}

enum device_result
device_event_record(struct device_event *e, struct device_stream *s)
{
    e->captured.graph = NULL;
    e->captured.after.list.count = 0;
    if (s->capture)
        return capture_record(s, e);
    if (e->device != s->device)
        return device_fail(DEVICE_INVALID_HANDLE,
                           "the event is of device %d, the stream of device %d", e->device->index,
                           s->device->index);
    struct device_op op = {.kind = DEVICE_OP_RECORD, .event = e};
    return device_submit(s, &op);
}

enum device_result
device_event_wait(struct device_stream *s, struct device_event *e)
{
    if (e->captured.graph || s->capture)
        return capture_wait(s, e);
    struct device_op op = {.kind = DEVICE_OP_WAIT, .event = e};
    return device_submit(s, &op);
}

enum device_result
device_event_query(struct device_event *e)
{
    device_flush();
    if (e->captured.graph)
        return capture_ask_event(e);
    enum device_result r = device_capture_unsafe();
    if (r != DEVICE_OK)
        return r;
    output_seen();
    check_joined_event(tool_check(), e);
    guard_joined();
    return e->recorded ? e->device->backend->streams->event_query(e) : device_lost(e->device);
}

enum device_result
device_event_synchronize(struct device_event *e)
{
    const struct backend *b = e->device->backend;
    return e->captured.graph || b->in_process || !e->recorded ? device_event_query(e)
                                                              : b->streams->event_synchronize(e);
}

enum device_result
device_event_elapsed(struct device_event *from, struct device_event *to, float *out_milliseconds)
{
    if (!from->recorded || !to->recorded)
        return device_fail(DEVICE_INVALID_HANDLE, "the %s event was never recorded",
                           from->recorded ? "second" : "first");
    if ((from->flags | to->flags) & DEVICE_EVENT_NO_TIMING)
        return device_fail(DEVICE_INVALID_HANDLE, "the %s event was created without timing",
                           from->flags & DEVICE_EVENT_NO_TIMING ? "first" : "second");
    check_elapsed(tool_check(), from, to);
    return from->device->backend->streams->event_elapsed(from, to, out_milliseconds);
}

/* -- a virtual device's streams ---------------------------------------------------------------- */

static enum device_result
virtual_stream(struct device_stream *s)
{
    return DEVICE_OK;
}

static void
virtual_stream_free(struct device_stream *s)
{
}

static enum device_result
virtual_query(struct device_stream *s)
{
    return device_lost(s->device);
}

static enum device_result
virtual_copy(struct device_stream *s, const struct device_copy *c)
{
    tool_copies(c);
    pageable_copied(s->device, c);
    copy_run(c);
    clock_copied(s, c);
    return DEVICE_OK;
}

static enum device_result
virtual_fill(struct device_stream *s, const struct device_fill *f)
{
    tool_fills(f);
    fill_run(f);
    clock_filled(s, f);
    return DEVICE_OK;
}

static enum device_result
virtual_host_call(struct device_stream *s, const struct device_host_call *c)
{
    device_host_function_begin();
    c->f(c->data);
    device_host_function_end();
    return DEVICE_OK;
}

static enum device_result
virtual_set_word(struct device_stream *s, uint64_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
    return DEVICE_OK;
}

static enum device_result
virtual_event_new(struct device_event *e)
{
    return DEVICE_OK;
}

static void
virtual_event_free(struct device_event *e)
{
}

/* The clock has been told of both. */
static enum device_result
virtual_event(struct device_stream *s, struct device_event *e)
{
    return DEVICE_OK;
}

static enum device_result
virtual_event_query(struct device_event *e)
{
    return device_lost(e->device);
}

static enum device_result
virtual_event_elapsed(struct device_event *from, struct device_event *to, float *out_milliseconds)
{
    int64_t passed = to->nanoseconds - from->nanoseconds;
    bool ordered = to->nanoseconds >= from->nanoseconds ||
                   clock_is_model(); /* compiling in another thread is left out, too */
    *out_milliseconds = ordered ? (float)((double)passed * 1e-6) : 0;
    return device_lost(from->device);
}

const struct backend_streams virtual_streams = {
    .stream_new = virtual_stream,
    .stream_free = virtual_stream_free,
    .query = virtual_query,
    .synchronize = virtual_stream,
    .copy = virtual_copy,
    .fill = virtual_fill,
    .host_call = virtual_host_call,
    .set_word = virtual_set_word,
    .event_new = virtual_event_new,
    .event_free = virtual_event_free,
    .event_record = virtual_event,
    .event_wait = virtual_event,
    .event_query = virtual_event_query,
    .event_synchronize = virtual_event_query,
    .event_elapsed = virtual_event_elapsed,
};
