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

/* A number of seconds; 0 switches off, and so does what is no number. */
static uint32_t
milliseconds_of(const char *name, double usual)
{
    const char *text = getenv(name);
    double seconds = text && *text ? strtod(text, NULL) : usual;
    return seconds > 0 && seconds < 1e6 ? (uint32_t)(seconds * 1000 < 1 ? 1 : seconds * 1000) : 0;
}

static void
begin_pool(struct process *p, struct ls_error *err)
{
    uint64_t workers = 0;
    process_number("LOCKSTEP_WORKERS", 1, 4096, &workers);
    p->pool = exec_new((uint32_t)workers, err);
    if (p->pool)
        exec_set_options(p->pool, &(struct exec_options){
            .endless_ms = milliseconds_of("LOCKSTEP_ENDLESS", 2),
            .heartbeat_ms = milliseconds_of("LOCKSTEP_HEARTBEAT", !device_quiet() && isatty(2) ? 30 : 0)});
    ending_say(say_where);
    if (p->pool && dlsym(RTLD_DEFAULT, "MPI_Init")) /* which moves data between processes */
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
        struct jit_options options = {.cache = cached ? cache : NULL,
                                      .remarks = getenv("LOCKSTEP_REMARKS")};
        const char *passes = getenv("LOCKSTEP_JIT");
        if (!passes || jit_passes_off(passes, &options.off, err))
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

uint32_t
device_workers(void)
{
    struct process *p = device_process();
    struct ls_error err;
    return process_engine(p, &err) ? exec_workers(p->pool) : 0;
}
