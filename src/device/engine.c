/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.c: the jit engine and the workers, made when the first kernel wants them.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "device/device_priv.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

/* Objects that LLVM makes while it compiles end with the process, in the reverse order in which
 * handlers of exit were registered: one registered behind each compilation comes before any of
 * their ends. */
static _Atomic bool ending;

static void
begin_end(void)
{
    ending = true;
    jit_close(device_process()->jit);
}

static void
at_compiled(void)
{
    atexit(begin_end);
}

bool
process_ending(void)
{
    return ending;
}

static void
say_where(void)
{
    exec_say_where(device_process()->pool);
}

void
process_shares_memory(void)
{
    struct ls_error err;
    if (process_engine(device_process(), &err))
        exec_set_shared(device_process()->pool);
}

static void
thread_left(void)
{
    exec_thread_left(device_process()->pool);
}

/* start() has refused what is no number. */
static void
begin_pool(struct process *p, struct ls_error *err)
{
    struct exec_options watched = {.endless_ms = 2000,
                                   .heartbeat_ms = !device_silenced() && isatty(2) ? 30000 : 0};
    uint64_t workers = 0;
    process_number("LOCKSTEP_WORKERS", 1, 4096, &workers);
    process_milliseconds("LOCKSTEP_ENDLESS", &watched.endless_ms);
    process_milliseconds("LOCKSTEP_HEARTBEAT", &watched.heartbeat_ms);
    if (tool_steps()) /* it stands as long as the user likes, and has one thread */
        watched = (struct exec_options){0};
    p->pool = exec_new(tool_steps() ? 1 : (uint32_t)workers, err);
    if (!p->pool)
        return;
    exec_set_options(p->pool, &watched);
    ending_say(say_where);
    if (dlsym(RTLD_DEFAULT, "MPI_Init")) /* which moves data between processes */
        exec_set_shared(p->pool);
}

bool
process_engine(struct process *p, struct ls_error *err)
{
    pthread_mutex_lock(&p->lock);
    if (!p->jit) {
        char cache[4096];
        struct ls_error why = {0};
        bool cached = ls_cache_folder(cache, sizeof cache, &why);
        if (!cached && why.status != LS_OK)
            ls_warn("no cache: %s", why.text);
        const struct jit_debugger *perf = perf_debugger();
        struct jit_options options = {.cache = cached ? cache : NULL,
                                      .remarks = getenv("LOCKSTEP_REMARKS"),
                                      .debugger = perf ? perf : gdb_debugger()};
        const char *passes = getenv("LOCKSTEP_JIT");
        if (jit_vectors(getenv("LOCKSTEP_VECTORS"), &options.narrow, err) &&
            (!passes || jit_passes_off(passes, &options.off, err)))
            p->jit = jit_new(&options, err);
        if (p->jit) {
            progress_watch_compiles(p->jit);
            jit_set_compiled(p->jit, at_compiled);
        }
    }
    if (p->jit && !p->pool)
        begin_pool(p, err);
    bool fine = p->jit && p->pool;
    pthread_mutex_unlock(&p->lock);
    if (fine)
        ending_of_thread(thread_left);
    return fine;
}
