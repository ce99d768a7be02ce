/* SPDX-License-Identifier: Apache-2.0
 *
 * tool.c: the tool that watches this process's launches, if any. The environment says which:
 *
 *     LOCKSTEP_TOOL=profile          one of tool_rows
 *     LOCKSTEP_TOOL_OUT=result.json  where its result goes when the process ends; %p: its number
 *     LOCKSTEP_TOOL_OPTIONS=a=1,b=2  for the tool
 *     LOCKSTEP_TOOL_JOURNAL=f/%p     check: where findings go as they occur (check/journal.c)
 *
 * `lockstep profile` and `lockstep check` set these and read the files. The result is written whole or not
 * at all: when the process exits, when a signal ends it (as far as that can be done), and now and then
 * after a launch, so that a process that is killed leaves what it had; "complete" is false there. A journal
 * needs none of that.
 *
 * The process's end is the end of this library: destructors of static objects come before.
 */
#define _GNU_SOURCE /* pipe2 */
#include "device/device_priv.h"

#include "check/check.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* open: NULL and the reason when the options make no sense. write: the result so far as JSON text,
 * to be freed by free(); complete: the process has come to its end. It may be called while launches
 * run. */
struct tool_row {
    const char *name;
    struct jit_tool *(*open)(const struct device_profile *d, const char *options,
                             struct ls_error *err);
    char *(*write)(struct jit_tool *t, bool complete);
};

static const struct tool_row tool_rows[] = {
    {"profile", profile_open, profile_write},
    {"check", check_open, check_write},
};

/* What ends a process without exit(): the result is written first, then the signal takes effect. */
static const int ending[] = {SIGABRT, SIGINT, SIGTERM, SIGHUP};

enum {
    PAUSE_NS = 1000000000, /* between two interim results */
    PATIENCE_MS = 5000,    /* how long a signal waits for the result to be written */
};

static struct {
    const struct tool_row *row;
    struct jit_tool *tool;
    char *out, *options;
    const struct device_profile *profile;
    bool journal;
    pid_t process; /* children made by fork do not write */
    pthread_mutex_t lock;
    int64_t last_ns;
    int asked[2], written[2]; /* pipes: to the thread that writes when a signal strikes, and back */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* With the lock held. */
static void
write_result(bool complete)
{
    struct ls_error err = {0};
    if (!state.tool || !state.out || getpid() != state.process)
        return;
    char *text = state.row->write(state.tool, complete);
    if (!text || !ls_write_file(state.out, text, strlen(text), &err))
        ls_warn("%s: the result could not be written: %s", state.row->name,
                text ? err.text : "out of memory");
    free(text);
}

struct jit_tool *
tool_check(void)
{
    return state.tool && state.row->open == check_open ? state.tool : NULL;
}

enum device_tool
device_watched(void)
{
    return !state.tool ? DEVICE_TOOL_NONE : tool_check() ? DEVICE_TOOL_CHECK : DEVICE_TOOL_PROFILE;
}

static void
note_leak(const struct allocation *a, void *context)
{
    bool elsewhere = a->kind == ALLOCATION_HOST && a->device != 0; /* known to all devices */
    /* What has a name is a variable, managed ones too, or belongs to a graph. */
    if (a->kind != ALLOCATION_VARIABLE && !elsewhere && !a->name)
        check_leak(context, a);
}

/* The tool is not closed: other threads may still launch. */
__attribute__((destructor)) static void
at_end(void)
{
    if (!state.tool || getpid() != state.process)
        return;
    fflush(stdout);
    output_over();
    for (int k = 0; tool_check() && !process_forked() && k < DEVICE_MOST; k++) {
        struct device *d = __atomic_load_n(&device_process()->device[k], __ATOMIC_ACQUIRE);
        if (d && !d->lost) /* nothing can be freed on a device that a kernel's error has ended */
            memory_each(d->memory, note_leak, tool_check());
    }
    pthread_mutex_lock(&state.lock);
    write_result(true);
    if (state.journal)
        check_journal_end(state.tool);
    pthread_mutex_unlock(&state.lock);
}

/* A handler may call next to nothing: a thread of its own writes the result. If it cannot, because
 * the signal struck where a lock was held, the process ends without; an interim result may lie
 * there. */
static void *
write_when_asked(void *unused)
{
    char c;
    (void)unused;
    while (read(state.asked[0], &c, 1) == 1) {
        pthread_mutex_lock(&state.lock);
        write_result(false);
        pthread_mutex_unlock(&state.lock);
        if (write(state.written[1], &c, 1) != 1)
            break;
    }
    return NULL;
}

static void
on_signal(int number)
{
    struct pollfd answer = {.fd = state.written[0], .events = POLLIN};
    signal(number, SIG_DFL);
    if (getpid() == state.process && state.asked[1] >= 0 && write(state.asked[1], "", 1) == 1)
        while (poll(&answer, 1, PATIENCE_MS) < 0 && errno == EINTR)
            ;
    raise(number);
}

static void
catch_signals(void)
{
    struct sigaction ours = {.sa_handler = on_signal, .sa_flags = SA_NODEFER}, old;
    sigset_t all, now;
    pthread_t writer;
    if (pipe2(state.asked, O_CLOEXEC) != 0 || pipe2(state.written, O_CLOEXEC) != 0)
        return;
    sigfillset(&all); /* the writer takes no signals of the program's */
    pthread_sigmask(SIG_SETMASK, &all, &now);
    int failed = pthread_create(&writer, NULL, write_when_asked, NULL);
    pthread_sigmask(SIG_SETMASK, &now, NULL);
    if (failed)
        return;
    pthread_detach(writer);
    sigemptyset(&ours.sa_mask);
    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++)
        if (sigaction(ending[k], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(ending[k], &ours, NULL);
}

static const struct tool_row *
find_row(const char *name)
{
    for (size_t k = 0; k < sizeof tool_rows / sizeof *tool_rows; k++)
        if (strcmp(tool_rows[k].name, name) == 0)
            return &tool_rows[k];
    return NULL;
}

/* "%p" in it is this process. */
static char *
result_path(const char *out)
{
    const char *at = out && *out ? strstr(out, "%p") : NULL;
    if (!at)
        return out && *out ? strdup(out) : NULL;
    struct arena arena = {0};
    char *path = strdup(arena_printf(&arena, "%.*s%d%s", (int)(at - out), out, (int)getpid(), at + 2));
    arena_free(&arena);
    return path;
}

/* What this process has replaced by exec has a journal of its own: PID, PID.1, ... */
static bool
begin_journal(struct jit_tool *tool)
{
    enum { MOST = 1000 };
    const char *pattern = getenv("LOCKSTEP_TOOL_JOURNAL");
    struct arena arena = {0};
    struct ls_error err = {0};
    char *path = result_path(pattern);
    bool begun = path && check_journal_begin(tool, path, &err);
    for (int k = 1; path && !begun && err.status == LS_ERR_INPUT && k < MOST; k++)
        begun = check_journal_begin(tool, arena_printf(&arena, "%s.%d", path, k), &err);
    if (path && !begun)
        ls_warn("check: findings cannot be kept: %s", err.text);
    free(path);
    arena_free(&arena);
    return begun;
}

bool
tool_start(const struct device_profile *d)
{
    const char *name = getenv("LOCKSTEP_TOOL"), *out = getenv("LOCKSTEP_TOOL_OUT");
    const char *options = getenv("LOCKSTEP_TOOL_OPTIONS");
    struct ls_error err = {0};
    bool named = name && *name;
    if (!named && !clock_is_model())
        return true;
    const struct tool_row *row = find_row(named ? name : "profile"); /* whose estimate is the model's clock */
    if (!row) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_TOOL=%s: no such tool", name);
        return false;
    }
    if (clock_is_model() && row->open != profile_open) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_CLOCK=model goes by the estimate of profile, and %s watches", name);
        return false;
    }
    struct jit_tool *tool = row->open(d, named && options ? options : "", &err);
    if (!tool) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_TOOL_OPTIONS=%s: %s", options, err.text);
        return false;
    }
    pthread_mutex_lock(&state.lock);
    state.row = row;
    state.tool = tool;
    state.profile = d;
    state.process = getpid();
    state.out = named ? result_path(out) : NULL;
    state.options = strdup(named && options ? options : "");
    state.last_ns = now_ns();
    state.journal = row->open == check_open && begin_journal(tool);
    pthread_mutex_unlock(&state.lock);
    if (state.out)
        catch_signals();
    check_host(tool_check(), device_here, device_place);
    guard_start();
    return true;
}

/* Locks of the parent may have been held by threads that are not here. */
void
tool_forked(void)
{
    if (!state.tool)
        return;
    pthread_mutex_init(&state.lock, NULL);
    guard_forked();
    state.tool = NULL;
    state.out = NULL; /* the parent's */
    state.asked[1] = -1;
}

/* A child that calls what it must not has findings of its own. */
void
tool_start_in_child(void)
{
    struct ls_error err = {0};
    if (state.tool || !state.row || state.row->open != check_open || !state.journal)
        return;
    state.tool = check_open(state.profile, state.options, &err);
    state.process = getpid();
    state.journal = state.tool && begin_journal(state.tool);
    check_host(state.tool, device_here, device_place);
    if (state.journal)
        check_journal_end(state.tool); /* it has nothing that could leak */
}

struct jit_tool *
tool_of_process(void)
{
    return state.tool;
}

void
tool_launched(void)
{
    if (!state.tool || now_ns() - __atomic_load_n(&state.last_ns, __ATOMIC_RELAXED) < PAUSE_NS)
        return;
    pthread_mutex_lock(&state.lock);
    write_result(false);
    __atomic_store_n(&state.last_ns, now_ns(), __ATOMIC_RELAXED);
    pthread_mutex_unlock(&state.lock);
}

/* -- what a call lets the host know ------------------------------------------------------------------ */

enum order { /* order.def */
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
    enum order order;
} orders[] = {
#define ORDER(call, how) {#call, ORDER_##how},
#include "device/order.def"
#undef ORDER
};

/* Of the call that this thread is in: whether its copies and fills, and so their stream, are over once it is,
 * in either form of a copy. */
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
    enum order order = ORDER_NOTHING;
    for (size_t k = 0; moved && k < sizeof orders / sizeof *orders; k++)
        if (!strcmp(orders[k].call, call))
            order = orders[k].order;
    if ((order == ORDER_COPY && in_call.copy) || (order == ORDER_COPY_ASYNC && in_call.copy_async) ||
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
                const struct device_op *op)
{
    struct device_node *const *after;
    if (!g)
        return;
    size_t count = device_node_after(n, &after);
    check_graph_node(g, n, (const void *const *)after, count);
    if (op->kind == DEVICE_OP_RECORD || op->kind == DEVICE_OP_WAIT)
        tool_work(s, op);
}

enum end { END_PAGEABLE, END_PINNED, END_MANAGED, END_DEVICE };

static enum end
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

static void
tell_rows(const struct device_side *side, uint64_t width, uint64_t height, uint64_t depth, bool writes,
          const char *what)
{
    enum end end = end_of(side);
    unsigned how = (writes ? CHECK_TOUCH_WRITE : CHECK_TOUCH_READ) | (end == END_PINNED ? CHECK_TOUCH_HOST : 0);
    if (side->array || end == END_PAGEABLE)
        return;
    for (uint64_t z = 0; z < depth; z++) {
        struct check_rows rows = {
            .at = (uint64_t)side->at + side->x + (side->y + (side->z + z) * side->rows) * side->pitch,
            .width = width, .pitch = side->pitch, .count = height};
        if (height > 1 && side->pitch == width) {
            rows.width *= height;
            rows.count = 1;
        }
        check_touched(tool_check(), &rows, how, what);
    }
}

/* The chapter's two lists. By the first one the last part of a copy from pageable memory may still be on its
 * way to the device; no program minds, NVIDIA's samples among them: it counts as over. */
static void
note_reach(enum end from, enum end to)
{
    in_call.copy |= from != END_DEVICE || to != END_DEVICE;
    in_call.copy_async |= from <= END_PINNED && to <= END_PINNED;
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
    enum end source = end_of(&c->from), target = end_of(&c->to);
    tell_rows(&c->from, c->width, c->height, c->depth, false, "copy");
    tell_rows(&c->to, c->width, c->height, c->depth, true, "copy");
    note_reach(source, target);
    if (c->height == 1 && c->depth == 1 && !c->from.array && !c->to.array && device_only(&c->from) &&
        device_only(&c->to))
        check_copied(tool_check(), (uint64_t)c->from.at + c->from.x, (uint64_t)c->to.at + c->to.x, c->width);
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
    tell_rows(&side, f->width * f->unit, f->height, f->depth, true, "fill");
    in_call.fill |= end_of(&side) == END_PINNED;
}
