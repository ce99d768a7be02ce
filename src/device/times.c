/* SPDX-License-Identifier: Apache-2.0
 *
 * times.c: how long this process's kernels ran, for `lockstep tune`. LOCKSTEP_TIMES=FILE asks for
 * it; when the process exits the file has
 *
 *     {"launches": [{"kernel", "grid", "block", "count", "milliseconds": [...]}]}
 *
 * one element for each kernel and shape. On the virtual GPU a launch is timed by the clock from its
 * first block to its last (not its compilation); on a real one by two events around it, and the
 * process waits for each launch.
 */
#include "device/device_priv.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 4096 }; /* launches of one shape whose times are written; all are counted */

struct timed {
    struct timed *next;
    const char *kernel;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared, count;
    VEC(double) milliseconds;
};

static struct {
    char *out;
    pid_t process; /* children made by fork do not write */
    pthread_mutex_t lock;
    struct arena arena;
    struct timed *first, **last;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static json_t *
timed_json(const struct timed *t)
{
    json_t *list = json_array();
    for (size_t k = 0; k < t->milliseconds.count; k++)
        json_array_append_new(list, json_real(t->milliseconds.at[k]));
    return json_pack("{s:s, s:[i,i,i], s:[i,i,i], s:I, s:o}", "kernel", t->kernel, "grid",
                     (int)t->grid[0], (int)t->grid[1], (int)t->grid[2], "block", (int)t->block[0],
                     (int)t->block[1], (int)t->block[2], "count", (json_int_t)t->count,
                     "milliseconds", list);
}

static void
write_times(void)
{
    struct ls_error err = {0};
    if (getpid() != state.process)
        return;
    pthread_mutex_lock(&state.lock);
    json_t *all = json_array();
    for (const struct timed *t = state.first; t; t = t->next)
        json_array_append_new(all, timed_json(t));
    json_t *j = json_pack("{s:o}", "launches", all);
    char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(j);
    if (!text || !ls_write_file(state.out, text, strlen(text), &err))
        ls_warn("the times of kernels could not be written: %s", text ? err.text : "out of memory");
    free(text);
    pthread_mutex_unlock(&state.lock);
}

void
times_start(void)
{
    const char *out = getenv("LOCKSTEP_TIMES");
    if (!out || !*out || state.out)
        return;
    state.out = strdup(out);
    state.process = getpid();
    state.last = &state.first;
    atexit(write_times);
}

bool
times_wanted(void)
{
    return state.out != NULL;
}

double
times_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static struct timed *
timed_of(const struct device_launch *l)
{
    const char *kernel = l->function->func->name;
    struct timed *t;
    for (t = state.first; t; t = t->next)
        if (!memcmp(t->grid, l->grid, sizeof t->grid) &&
            !memcmp(t->block, l->block, sizeof t->block) &&
            t->dynamic_shared == l->dynamic_shared && !strcmp(t->kernel, kernel))
            return t;
    *state.last = t = ARENA_NEW(&state.arena, struct timed);
    state.last = &t->next;
    t->kernel = arena_strdup(&state.arena, kernel);
    t->dynamic_shared = l->dynamic_shared;
    memcpy(t->grid, l->grid, sizeof t->grid);
    memcpy(t->block, l->block, sizeof t->block);
    return t;
}

void
times_launched(const struct device_launch *l, double milliseconds)
{
    pthread_mutex_lock(&state.lock);
    struct timed *t = timed_of(l);
    t->count++;
    if (t->milliseconds.count < KEPT)
        VEC_PUSH(&t->milliseconds, milliseconds);
    pthread_mutex_unlock(&state.lock);
}
