/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.c: what check is told of copies, fills, stream-ordered memory and graphs, and what a call
 * lets the host know to be over (order.def).
 */
#include "device/device_priv.h"

#include "check/check.h"

#include <string.h>

enum wait_kind { /* order.def */
                 ORDER_COPY,
                 ORDER_COPY_ASYNC,
                 ORDER_FILL,
                 ORDER_FREE,
                 ORDER_STREAM,
                 ORDER_EVENT,
                 ORDER_ALL,
                 ORDER_NOTHING,
};
static const struct {
    const char *call;
    enum wait_kind order;
} orders[] = {
#define ORDER(call, how) {#call, ORDER_##how},
#include "device/order.def"
#undef ORDER
};

/* Of the call that this thread is in: whether its copies and fills, and so their stream, are over
 * once it is, in either form of a copy. */
static _Thread_local struct {
    uint64_t stream;
    bool copy, copy_async, fill;
} in_call;

void
device_call_over(const char *call)
{
    output_call_over(call);
    if (!tool_check())
        return;
    bool moved = in_call.copy || in_call.copy_async || in_call.fill;
    enum wait_kind order = ORDER_NOTHING;
    for (size_t k = 0; moved && k < sizeof orders / sizeof *orders; k++)
        if (!strcmp(orders[k].call, call))
            order = orders[k].order;
    if ((order == ORDER_COPY && in_call.copy) ||
        (order == ORDER_COPY_ASYNC && in_call.copy_async) ||
        (order == ORDER_FILL && in_call.fill)) {
        check_joined_stream(tool_check(), in_call.stream);
        guard_joined();
    }
    memset(&in_call, 0, sizeof in_call);
}

void
tool_work(const struct device_stream *s, const struct device_op *op)
{
    struct jit_tool *t = tool_check();
    if (!t)
        return;
    bool legacy = s == s->device->stream;
    uint64_t id = legacy ? 0 : s->id;
    in_call.stream = id;
    if (op->kind == DEVICE_OP_RECORD)
        check_record(t, id, op->event);
    else if (op->kind == DEVICE_OP_WAIT)
        check_wait(t, id, op->event);
    else
        check_work(t, id, legacy, !(s->flags & DEVICE_STREAM_NONBLOCKING));
}

struct check_graph *
tool_graph_begin(const struct device_stream *s)
{
    struct device_op op = {.kind = DEVICE_OP_GRAPH};
    tool_work(s, &op);
    return check_graph_begin(tool_check());
}

void
tool_graph_node(struct check_graph *g, const struct device_stream *s, const struct device_node *n,
                struct device_node *const *after, size_t count, const struct device_op *op)
{
    if (!g)
        return;
    check_graph_node(g, n, (const void *const *)after, count);
    if (op->kind == DEVICE_OP_RECORD || op->kind == DEVICE_OP_WAIT)
        tool_work(s, op);
}

enum copy_end { END_PAGEABLE, END_PINNED, END_MANAGED, END_DEVICE };

static enum copy_end
end_of(const struct device_side *side)
{
    struct allocation a;
    if (side->array)
        return END_DEVICE;
    if (!device_find((uint64_t)side->at, &a))
        return END_PAGEABLE;
    return a.kind == ALLOCATION_HOST      ? END_PINNED
           : a.kind == ALLOCATION_MANAGED ? END_MANAGED
                                          : END_DEVICE;
}

static uint64_t
row_of(const struct device_side *side, uint64_t y, uint64_t z)
{
    return (uint64_t)side->at + side->x + (side->y + y + (side->z + z) * side->rows) * side->pitch;
}

static void
tell_rows(const struct device_side *side, uint64_t width, uint64_t height, uint64_t depth,
          bool writes, const char *what)
{
    enum copy_end end = end_of(side);
    unsigned how = (writes ? CHECK_TOUCH_WRITE : CHECK_TOUCH_READ) |
                   (end == END_PINNED ? CHECK_TOUCH_HOST : 0);
    if (side->array || end == END_PAGEABLE)
        return;
    for (uint64_t z = 0; z < depth; z++) {
        struct check_rows rows = {
            .at = row_of(side, 0, z), .width = width, .pitch = side->pitch, .count = height};
        if (height > 1 && side->pitch == width) {
            rows.width *= height;
            rows.count = 1;
        }
        check_touched(tool_check(), &rows, how, what);
    }
}

/* The chapter's two lists. By the first one the last part of a copy from pageable memory may still
 * be on its way to the device; no program minds, NVIDIA's samples among them: it counts as over. */
static void
note_reach(enum copy_end from, enum copy_end to)
{
    in_call.copy |= from != END_DEVICE || to != END_DEVICE;
    in_call.copy_async |= from <= END_PINNED && to <= END_PINNED;
}

/* What is copied inside of device memory, row by row. */
static void
tell_copied(const struct device_copy *c)
{
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++)
            check_copied(tool_check(), row_of(&c->from, y, z), row_of(&c->to, y, z), c->width);
}

static bool
device_only(const struct device_side *side)
{
    struct allocation a;
    return device_find((uint64_t)side->at, &a) && a.kind == ALLOCATION_DEVICE;
}

void
tool_copies(const struct device_copy *c)
{
    if (!tool_check())
        return;
    struct allocation from;
    bool flat = c->height == 1 && c->depth == 1 && !c->from.array; /* rows have padding */
    if (flat && !device_find((uint64_t)c->to.at, &from) && device_find((uint64_t)c->from.at, &from))
        check_fetched(tool_check(), &from, (uint64_t)c->from.at + c->from.x, c->width);
    enum copy_end source = end_of(&c->from), target = end_of(&c->to);
    tell_rows(&c->from, c->width, c->height, c->depth, false, "copy");
    tell_rows(&c->to, c->width, c->height, c->depth, true, "copy");
    note_reach(source, target);
    if (!c->from.array && !c->to.array && device_only(&c->from) && device_only(&c->to))
        tell_copied(c);
}

void
tool_storage(const struct device_op *op)
{
    struct allocation a;
    if (!tool_check())
        return;
    if (op->kind == DEVICE_OP_ALLOC)
        check_ordered(tool_check(), op->storage.address, op->storage.size);
    else if (device_find(op->storage.address, &a) && a.base == op->storage.address)
        check_freeing(tool_check(), "cudaFreeAsync", a.base, a.size, CHECK_FREE_ORDERED);
}

void
tool_fills(const struct device_fill *f)
{
    struct device_side side = {.at = f->at, .pitch = f->pitch, .rows = f->rows};
    if (!tool_check())
        return;
    if (f->unit == 1)
        check_filled(tool_check(), f->value, f->width * f->height * f->depth);
    tell_rows(&side, f->width * f->unit, f->height, f->depth, true, "fill");
    in_call.fill |= end_of(&side) == END_PINNED;
}
