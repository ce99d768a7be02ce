/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: on a terminal, for launches that take longer than a second, how many blocks have begun and
 * how long the rest will take if it goes on like that. The commands ask for it (LOCKSTEP_PROGRESS) where
 * their stderr is a terminal and --quiet was not given; programs run by themselves stay silent. One
 * launch is shown at a time.
 */
#include "device/device_priv.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_MS = 1000, NEXT_MS = 500 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started;            /* the thread that watches runs */
    bool shown;              /* a line stands on the terminal */
    uint64_t number;         /* of the launch that is watched; 0: none */
    uint64_t last_number;
    uint64_t blocks;
    double begin;
    char kernel[64];
    _Atomic uint64_t begun;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "transpose" of _Z9transposePKfPf; the symbol itself where it is not of that kind. */
static void
short_name(const char *symbol, char *out, size_t room)
{
    char *rest;
    const char *at = strncmp(symbol, "_Z", 2) == 0 ? symbol + 2 : "";
    at += *at == 'N';
    at += *at == 'L';
    unsigned long n = strtoul(at, &rest, 10);
    if (rest == at || n > strlen(rest))
        snprintf(out, room, "%s", symbol);
    else
        snprintf(out, room, "%.*s", (int)n, rest);
}

static void
show(void)
{
    uint64_t begun = atomic_load_explicit(&progress.begun, memory_order_relaxed);
    double spent = now() - progress.begin;
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
            uint64_t ns = (uint64_t)until.tv_nsec + (progress.shown ? NEXT_MS : FIRST_MS) * 1000000ull;
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
    if (!progress.started && pthread_create(&thread, NULL, watch, NULL) == 0) {
        pthread_detach(thread);
        progress.started = true;
    }
    return progress.started;
}

bool
progress_wanted(void)
{
    const char *text = getenv("LOCKSTEP_PROGRESS");
    return text && *text == '1';
}

_Atomic uint64_t *
progress_begin(const char *kernel, uint64_t blocks)
{
    _Atomic uint64_t *counter = NULL;
    if (!progress_wanted())
        return NULL;
    pthread_mutex_lock(&progress.lock);
    if (!progress.number && start()) {
        progress.number = ++progress.last_number;
        progress.blocks = blocks;
        progress.begin = now();
        short_name(kernel, progress.kernel, sizeof progress.kernel);
        atomic_store(&progress.begun, 0);
        counter = &progress.begun;
        pthread_cond_signal(&progress.changed);
    }
    pthread_mutex_unlock(&progress.lock);
    return counter;
}

void
progress_end(const _Atomic uint64_t *counter)
{
    if (!counter)
        return;
    pthread_mutex_lock(&progress.lock);
    progress.number = 0;
    if (progress.shown) /* here, before the program says anything more */
        fputs("\r\033[K", stderr);
    progress.shown = false;
    pthread_cond_signal(&progress.changed);
    pthread_mutex_unlock(&progress.lock);
}
