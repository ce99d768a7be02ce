/* SPDX-License-Identifier: Apache-2.0
 *
 * tool.c: the tool that watches this process's launches, if any. The environment says which:
 *
 *     LOCKSTEP_TOOL=profile          one of tool_rows
 *     LOCKSTEP_TOOL_OUT=result.json  where its result goes when the process ends; %p: its number
 *     LOCKSTEP_TOOL_OPTIONS=a=1,b=2  for the tool
 *     LOCKSTEP_TOOL_JOURNAL=f/%p     check: where findings go as they occur (check/journal.c)
 *     LOCKSTEP_DEBUG_FD=3            debug: the debugger's socket (debug/debug.h)
 *
 * `lockstep profile` and `lockstep check` set these and read the files. The result is written whole
 * or not at all: when the process exits, when a signal ends it (as far as that can be done), and
 * now and then after a launch, so that a process that is killed leaves what it had; "complete" is
 * false there. A journal needs none of that.
 */
#include "device/device_priv.h"

#include "check/check.h"
#include "debug/debug.h"
#include "profile/profile.h"

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
    {"debug", debug_open, debug_write_result},
};

enum { PAUSE_NS = 1000000000 }; /* between two interim results */

static struct {
    const struct tool_row *row;
    struct jit_tool *tool;
    char *out, *options;
    const struct device_profile *profile;
    bool journal;
    pid_t process; /* children made by fork do not write */
    pthread_mutex_t lock;
    int64_t last_ns;
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

bool
tool_steps(void)
{
    return state.tool && state.row->open == debug_open;
}

enum device_tool
device_watched(void)
{
    return !state.tool    ? DEVICE_TOOL_NONE
           : tool_check() ? DEVICE_TOOL_CHECK
           : tool_steps() ? DEVICE_TOOL_DEBUG
                          : DEVICE_TOOL_PROFILE;
}

/* check has reported an invalid free in the API call that this thread is executing, so that the
 * call's error is not reported a second time. */
static _Thread_local bool freed_badly;

void
tool_bad_free(const char *call, uint64_t address, const struct allocation *nearest)
{
    check_bad_free(tool_check(), call, address, nearest);
    freed_badly = true;
}

bool
tool_reported_free(void)
{
    bool reported = freed_badly;
    freed_badly = false;
    return reported;
}

/* Writes the results so far: a program that a signal ends leaves those. */
static void
write_interim(void)
{
    pthread_mutex_lock(&state.lock);
    write_result(false);
    pthread_mutex_unlock(&state.lock);
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
    char *path =
        strdup(arena_printf(&arena, "%.*s%d%s", (int)(at - out), out, (int)getpid(), at + 2));
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

/* As DEBUG_A_HOST has it. */
static void
tell_place(uint32_t number, struct text *out)
{
    const struct host_place *p = device_place(number);
    for (uint32_t k = 0; k < p->count; k++) {
        const struct host_frame *f = &p->frame[k];
        text_add(out, "%s%c%s%c%u%c", f->function ? f->function : "", 0, f->file ? f->file : "", 0,
                 f->line, 0);
    }
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
    const struct tool_row *row =
        find_row(named ? name : "profile"); /* whose estimate is the model's clock */
    if (!row) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_TOOL=%s: no such tool", name);
        return false;
    }
    if (clock_is_model() && row->open != profile_open) {
        device_fail(DEVICE_INVALID_DEVICE,
                    "LOCKSTEP_CLOCK=model goes by the estimate of profile, and %s watches", name);
        return false;
    }
    if (row->open == debug_open && device_process()->schedule.kind != EXEC_USUAL) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_SCHEDULE: a debugger has an order of its own");
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
        ending_write(write_interim);
    check_host(tool_check(), device_here, device_place);
    if (row->open == debug_open)
        debug_host(tool, device_here, tell_place);
    return true;
}

/* Locks of the parent may have been held by threads that are not here. */
void
tool_forked(void)
{
    if (!state.tool)
        return;
    if (tool_steps())
        debug_forked(state.tool);
    pthread_mutex_init(&state.lock, NULL);
    state.tool = NULL;
    state.out = NULL; /* the parent's */
}

/* A child of fork may not call the API. One that does is a finding, which is kept in a journal of
 * the child's own. */
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

bool
tool_is_ours(void)
{
    /* A debugger's program may go on as another process. */
    return state.tool && (tool_steps() || getpid() == state.process);
}

void
tool_finish(void)
{
    pthread_mutex_lock(&state.lock);
    write_result(true);
    if (state.journal)
        check_journal_end(state.tool);
    pthread_mutex_unlock(&state.lock);
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
