/* SPDX-License-Identifier: Apache-2.0
 *
 * tool.c: the tool that watches this process's launches, if any. The environment says which:
 *
 *     LOCKSTEP_TOOL=profile          one of tool_rows
 *     LOCKSTEP_TOOL_OUT=result.json  where its result goes when the process ends
 *     LOCKSTEP_TOOL_OPTIONS=a=1,b=2  for the tool
 *
 * `lockstep profile` and `lockstep check` set these and read the file. It is written whole or not at
 * all: when the process exits, when a signal ends it (as far as that can be done), and now and then
 * after a launch, so that a process that is killed leaves what it had; "complete" is false there.
 */
#include "device/device_priv.h"

#include "profile/profile.h"

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
};

/* What ends a process without exit(): the result is written first, then the signal takes effect. */
static const int ending[] = {SIGABRT, SIGINT, SIGTERM, SIGHUP};

enum { PAUSE_NS = 1000000000 }; /* between two interim results */

static struct {
    const struct tool_row *row;
    struct jit_tool *tool;
    char *out;
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

/* The tool is not closed: other threads may still launch. */
static void
at_exit(void)
{
    fflush(stdout);
    pthread_mutex_lock(&state.lock);
    write_result(true);
    pthread_mutex_unlock(&state.lock);
}

/* Not safe at every point where a signal may strike (it allocates memory), but what it risks is a
 * process that is about to end, and an interim result may lie there already. */
static void
on_signal(int number)
{
    signal(number, SIG_DFL);
    if (pthread_mutex_trylock(&state.lock) == 0)
        write_result(false);
    raise(number);
}

static void
catch_signals(void)
{
    struct sigaction ours = {.sa_handler = on_signal, .sa_flags = SA_NODEFER}, old;
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

bool
tool_start(const struct device_profile *d)
{
    const char *name = getenv("LOCKSTEP_TOOL"), *out = getenv("LOCKSTEP_TOOL_OUT");
    const char *options = getenv("LOCKSTEP_TOOL_OPTIONS");
    struct ls_error err = {0};
    if (!name || !*name)
        return true;
    const struct tool_row *row = find_row(name);
    if (!row) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_TOOL=%s: no such tool", name);
        return false;
    }
    struct jit_tool *tool = row->open(d, options ? options : "", &err);
    if (!tool) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_TOOL_OPTIONS=%s: %s", options, err.text);
        return false;
    }
    pthread_mutex_lock(&state.lock);
    state.row = row;
    state.tool = tool;
    state.process = getpid();
    state.out = out && *out ? strdup(out) : NULL;
    state.last_ns = now_ns();
    pthread_mutex_unlock(&state.lock);
    catch_signals();
    atexit(at_exit);
    return true;
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
