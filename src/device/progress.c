/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: on a terminal, for launches that take longer than a second, how many blocks have
 * begun and how long the rest will take if it goes on like that; and which kernel is being compiled
 * for so long. The commands ask for it (LOCKSTEP_PROGRESS: after how many seconds) where their
 * stderr is a terminal and
 * --quiet was not given. Programs run by themselves stay silent about launches; what is compiled is
 * said on a terminal, and elsewhere once, in a line of its own, when it takes half a minute. One
 * thing is shown at a time.
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include "device/device_priv.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 1000, NEXT_MS = 500, LONG_MS = 30000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started;      /* the thread that watches runs */
    bool shown;        /* a line stands on the terminal */
    bool terminal;     /* what is watched has a line that is written again and again */
    bool compiling;    /* a compile, not a launch */
    uint32_t first_ms; /* after so long it is shown */
    uint64_t number;   /* of what is watched; 0: nothing */
    uint64_t last_number;
    uint64_t blocks;
    double begin;
    char kernel[56];
    _Atomic uint64_t begun;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Without its arguments, and without leading namespaces as far as it takes for the line to fit a
 * terminal of 80 columns. */
static void
short_name(const char *symbol, char *out, size_t room)
{
    struct arena names = {0};
    char *name = ls_readable_name(&names, symbol), *next;
    name[strcspn(name, "<(")] = 0;
    while (strlen(name) >= room && (next = strstr(name, "::")))
        name = next + 2;
    snprintf(out, room, "%s", name);
    arena_free(&names);
}

static void
show(void)
{
    uint64_t begun = atomic_load_explicit(&progress.begun, memory_order_relaxed);
    double spent = now() - progress.begin;
    if (progress.compiling && !progress.terminal) {
        ls_warn("compiling kernel \"%s\" for %.0f s", progress.kernel, spent);
        return;
    }
    if (progress.compiling) {
        fprintf(stderr, "\r\033[Kcompiling %s ... %.0f s", progress.kernel, spent);
        fflush(stderr);
        return;
    }
    if (begun > progress.blocks)
        begun = progress.blocks;
    fprintf(stderr, "\r\033[K[%s] %llu of %llu blocks", progress.kernel, (unsigned long long)begun,
            (unsigned long long)progress.blocks);
    if (begun && begun < progress.blocks)
        fprintf(stderr, ", %.0f s left", spent / (double)begun * (double)(progress.blocks - begun));
    fflush(stderr);
}

static void *
watch(void *unused)
{
    pthread_mutex_lock(&progress.lock);
    for (;;) {
        uint64_t number = progress.number;
        struct timespec until;
        if (!number) {
            pthread_cond_wait(&progress.changed, &progress.lock);
            continue;
        }
        while (progress.number == number) {
            clock_gettime(CLOCK_REALTIME, &until);
            uint64_t wait = !progress.shown     ? progress.first_ms
                            : progress.terminal ? NEXT_MS
                                                : LONG_MS;
            uint64_t ns = (uint64_t)until.tv_nsec + wait * 1000000ull;
            until.tv_sec += (time_t)(ns / 1000000000u);
            until.tv_nsec = (long)(ns % 1000000000u);
            if (pthread_cond_timedwait(&progress.changed, &progress.lock, &until) != 0 &&
                progress.number == number) {
                show();
                progress.shown = true;
            }
        }
    }
    return unused;
}

static bool
start(void)
{
    pthread_t thread;
    if (!progress.started && !tool_steps() && pthread_create(&thread, NULL, watch, NULL) == 0) {
        pthread_setname_np(thread, "lockstep/say");
        pthread_detach(thread);
        progress.started = true;
    }
    return progress.started;
}

/* LOCKSTEP_PROGRESS in milliseconds; 0: not wanted, or not set. */
static uint32_t
asked_ms(void)
{
    const char *text = getenv("LOCKSTEP_PROGRESS");
    double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 && seconds < 1e6 ? (uint32_t)(seconds * 1000 < 1 ? 1 : seconds * 1000) : 0;
}

static bool
begin(const char *kernel, uint64_t blocks, bool compiling, uint32_t first_ms, bool terminal)
{
    pthread_mutex_lock(&progress.lock);
    bool ours = !progress.number && start();
    if (ours) {
        progress.number = ++progress.last_number;
        progress.blocks = blocks;
        progress.compiling = compiling;
        progress.first_ms = first_ms;
        progress.terminal = terminal;
        progress.begin = now();
        short_name(kernel, progress.kernel, sizeof progress.kernel);
        atomic_store(&progress.begun, 0);
        pthread_cond_signal(&progress.changed);
    }
    pthread_mutex_unlock(&progress.lock);
    return ours;
}

static void
end(void)
{
    pthread_mutex_lock(&progress.lock);
    progress.number = 0;
    if (progress.shown && progress.terminal) /* here, before the program says anything more */
        fputs("\r\033[K", stderr);
    progress.shown = false;
    pthread_cond_signal(&progress.changed);
    pthread_mutex_unlock(&progress.lock);
}

_Atomic uint64_t *
progress_begin(const char *kernel, uint64_t blocks)
{
    uint32_t first_ms = asked_ms();
    return first_ms && begin(kernel, blocks, false, first_ms, true) ? &progress.begun : NULL;
}

void
progress_end(const _Atomic uint64_t *counter)
{
    if (counter)
        end();
}

/* -- what is compiled -------------------------------------------------------------------------- */

/* The compile of this thread is the one that is watched. */
static _Thread_local bool watched;

static void
compile_begins(void *unused, const struct jit_request *r)
{
    const char *text = getenv("LOCKSTEP_PROGRESS");
    bool refused = text && !asked_ms(), terminal = !refused && (text || isatty(2));
    (void)unused;
    watched = !device_silenced() && begin(r->kernel->name, 0, true,
                                          !terminal ? LONG_MS
                                          : text    ? asked_ms()
                                                    : FIRST_MS,
                                          terminal);
}

static void
compile_ends(void *unused, const struct jit_request *r)
{
    (void)unused, (void)r;
    if (watched)
        end();
    watched = false;
}

void
progress_watch_compiles(struct jit_engine *e)
{
    jit_set_watch(e, &(struct jit_watch){.begin = compile_begins, .end = compile_ends});
}
