/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/functions.c: functions of kernels that defer theirs (engine/callees.c): in memory, from
 * disk, or compiled when a warp first calls one. All kernels of a module that are compiled alike
 * share them. Quick code comes first (pass quick-first); where a kernel's launches take long, a
 * thread makes better code of what they have called, and calls go there from then on: even a launch
 * that is under way changes to it.
 */
#include "jit/engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 64 << 20 }; /* what LLVM may take; the stack of a warp that calls may be small */

struct function_code {
    struct jit_code code; /* what loading took: one of these */
    LLVMOrcResourceTrackerRef orc_code;
    void *at; /* NULL: not made */
};

struct function {
    struct jit_request request; /* kernel: the function */
    struct function_code quick, better;
    bool failed;   /* better cannot be made */
    double enough; /* seconds of launches that call the quick code, until better code pays */
    struct function *next;
};

/* What a kernel may call. */
struct jit_deferred {
    struct jit_request request;
    void **functions;  /* jit_kernel.functions */
    bool *may;         /* by ptx_func.index */
    double enough;     /* of the functions that it has called, together */
    double ran, since; /* seconds of launches that are over; when the first that is not began */
    uint32_t running;  /* launches */
    bool improved;     /* all that it has called so far is */
    struct jit_deferred *next;
};

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- making one -------------------------------------------------------------------------------- */

/* One function, handed to the thread that makes it. */
struct making {
    struct jit_engine *engine;
    struct function *function;
    bool quick, ok;
    struct ls_error *err;
};

static bool
load(struct jit_engine *e, const struct jit_image *image, const char *stem,
     const struct ptx_func *f, struct function_code *to, struct ls_error *err)
{
    struct jit_wanted wanted;
    struct arena names = {0};
    snprintf(wanted.name, sizeof wanted.name, "function_%u_%s", f->index, stem);
    const char *name = e->debugger ? ls_readable_name(&names, f->name) : NULL;
    bool ok = jit_link(image->code, image->size, &wanted, 1, e->debugger, name, &to->code) ||
              (to->orc_code = jit_orc_link(e, image, stem, &wanted, 1, err)) != NULL;
    arena_free(&names);
    to->at = ok ? wanted.at : NULL;
    return ok;
}

static bool
compile(const struct making *m, const char *stem, struct jit_image *image)
{
    struct jit_engine *e = m->engine;
    const struct jit_request *r = &m->function->request;
    if (!jit_may_compile(e, m->err))
        return false;
    if (e->watch.begin)
        e->watch.begin(e->watch.user, r);
    double start = seconds();
    bool ok = jit_compile_function(e, r, stem, m->quick, image, m->err);
    double spent = seconds() - start;
    if (e->watch.end)
        e->watch.end(e->watch.user, r);
    image->quick_ms = m->quick ? (uint32_t)(1e3 * spent) + 1 : 0;
    if (ok && e->compiled)
        e->compiled();
    pthread_mutex_lock(&e->lock);
    e->counts.functions += ok;
    e->counts.improved += ok && !m->quick && jit_on(e->off, PASS_QUICK_FIRST);
    e->counts.compile_seconds += spent;
    pthread_mutex_unlock(&e->lock);
    return ok;
}

static bool
make(const struct making *m)
{
    struct jit_engine *e = m->engine;
    struct function *f = m->function;
    const struct ptx_func *func = f->request.kernel;
    const char *kind = m->quick ? "quick function" : "function";
    struct jit_image image = {0};
    char stem[33];
    struct hash128 key = ls_hash(jit_key(e, &f->request), kind, strlen(kind));
    ls_hash_text(key, stem);
    bool found = !e->remarks && jit_cache_load(e, key, &image);
    if (!found)
        image = (struct jit_image){0};
    bool ok = found || compile(m, stem, &image);
    if (ok && !found)
        jit_cache_store(e, key, &image);
    ok = ok && load(e, &image, stem, func, m->quick ? &f->quick : &f->better, m->err);
    f->enough = 1e-3 * image.quick_ms * (found ? 1.0 / JIT_QUICK_AGAIN : 1 + JIT_QUICK_ENOUGH);
    ls_release(image.code);
    VEC_FREE(&image.functions);
    return ok;
}

static void *
make_it(void *making)
{
    struct making *m = making;
    m->ok = make(m);
    return NULL;
}

static bool
start_thread(pthread_t *thread, void *(*what)(void *), void *with)
{
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, STACK);
    bool ok = !pthread_create(thread, &a, what, with);
    pthread_attr_destroy(&a);
    return ok;
}

static bool
make_on_thread(struct making *m)
{
    pthread_t thread;
    if (!start_thread(&thread, make_it, m))
        return ls_fail(m->err, LS_ERR_SYSTEM, "%s: no thread to compile it",
                       m->function->request.kernel->name);
    pthread_join(thread, NULL);
    return m->ok;
}

static void
unload(struct function_code *m)
{
    jit_unlink(&m->code);
    jit_orc_unlink(m->orc_code);
}

static void
free_function(struct function *f)
{
    unload(&f->quick);
    unload(&f->better);
    ls_release(f);
}

/* -- those in memory, with functions_lock held ------------------------------------------------- */

static struct function *
find(const struct jit_engine *e, const struct jit_deferred *d, uint32_t function)
{
    struct jit_request r = d->request;
    r.kernel = r.module->funcs[function];
    struct function *f = e->functions;
    while (f && !jit_same_request(&f->request, &r))
        f = f->next;
    return f;
}

static struct function *
find_or_make(struct jit_engine *e, const struct jit_deferred *d, uint32_t function,
             struct ls_error *err)
{
    struct function *f = find(e, d, function);
    if (f)
        return f;
    f = ls_alloc(sizeof *f);
    f->request = d->request;
    f->request.kernel = d->request.module->funcs[function];
    struct making m = {
        .engine = e, .function = f, .quick = jit_on(e->off, PASS_QUICK_FIRST), .err = err};
    if (!make_on_thread(&m)) {
        free_function(f);
        return NULL;
    }
    f->next = e->functions;
    e->functions = f;
    return f;
}

static void
call_from_now_on(struct jit_deferred *d, uint32_t function, const struct function *f)
{
    void *at = f->better.at ? f->better.at : f->quick.at;
    __atomic_store_n(&d->functions[function], at, __ATOMIC_RELEASE);
}

/* -- better code ------------------------------------------------------------------------------- */

/* Seconds until better code pays; 0: it does; less: nothing of that is known. */
static double
until_due(const struct jit_deferred *d)
{
    double ran = d->ran + (d->running ? seconds() - d->since : 0), left = d->enough - ran;
    return d->improved || !(d->enough > 0) ? -1 : left <= 0 ? 0 : d->running ? left : -1;
}

/* Better code of one function that the kernel has called; false: there is none to be made. */
static bool
improve_one(struct jit_engine *e, struct jit_deferred *d)
{
    for (uint32_t k = 0; k < d->request.module->func_count; k++) {
        struct function *f = d->may[k] && d->functions[k] ? find(e, d, k) : NULL;
        if (!f || f->failed || d->functions[k] == f->better.at)
            continue;
        struct ls_error ignored;
        struct making m = {.engine = e, .function = f, .err = &ignored};
        f->failed = !f->better.at && !make(&m);
        call_from_now_on(d, k, f);
        return true;
    }
    return false;
}

/* The process must not end meanwhile: LLVM's objects would. */
static void
improve_while_open(struct jit_engine *e, struct jit_deferred *d)
{
    atomic_store(&e->improving, getpid());
    if (atomic_load(&e->closed) || !improve_one(e, d))
        d->improved = true;
    atomic_store(&e->improving, 0);
}

/* The thread: with functions_lock held, but while it waits and between functions. */
static void *
improve(void *engine)
{
    struct jit_engine *e = engine;
    pthread_mutex_lock(&e->functions_lock);
    while (!e->ends) {
        double next = -1;
        struct jit_deferred *d = e->deferred;
        for (; d && (next < 0 || next > 0); d = d->next) {
            double left = until_due(d);
            next = left >= 0 && (next < 0 || left < next) ? left : next;
            if (left == 0)
                break;
        }
        if (d) {
            improve_while_open(e, d);
            pthread_mutex_unlock(&e->functions_lock);
            sched_yield(); /* calls wait for functions, too */
            pthread_mutex_lock(&e->functions_lock);
        } else if (next < 0) {
            pthread_cond_wait(&e->due, &e->functions_lock);
        } else {
            struct timespec t;
            clock_gettime(CLOCK_REALTIME, &t);
            double until = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + next;
            t = (struct timespec){(time_t)until, (long)(1e9 * (until - (double)(time_t)until))};
            pthread_cond_timedwait(&e->due, &e->functions_lock, &t);
        }
    }
    pthread_mutex_unlock(&e->functions_lock);
    return NULL;
}

/* -- what kernels and launches ask ------------------------------------------------------------- */

bool
jit_function(struct jit_engine *e, const struct jit_kernel *k, uint32_t function, void **code,
             struct ls_error *err)
{
    struct jit_deferred *d = k->deferred;
    *code = NULL;
    if (!d || function >= d->request.module->func_count || !d->may[function])
        return true;
    pthread_mutex_lock(&e->functions_lock);
    struct function *f = find_or_make(e, d, function, err);
    if (f && !d->functions[function]) {
        call_from_now_on(d, function, f);
        d->enough += f->enough;
        d->improved &= f->better.at != NULL;
        if (!e->improver_runs)
            e->improver_runs = start_thread(&e->improver, improve, e);
        pthread_cond_signal(&e->due);
    }
    *code = f ? d->functions[function] : NULL;
    pthread_mutex_unlock(&e->functions_lock);
    return f != NULL;
}

void
jit_runs(struct jit_engine *e, const struct jit_kernel *k)
{
    struct jit_deferred *d = k->deferred;
    if (!d)
        return;
    pthread_mutex_lock(&e->functions_lock);
    if (!d->running++)
        d->since = seconds();
    pthread_mutex_unlock(&e->functions_lock);
}

void
jit_functions_ran(struct jit_engine *e, const struct jit_kernel *k)
{
    struct jit_deferred *d = k->deferred;
    if (!d)
        return;
    pthread_mutex_lock(&e->functions_lock);
    if (!--d->running)
        d->ran += seconds() - d->since;
    pthread_cond_signal(&e->due);
    pthread_mutex_unlock(&e->functions_lock);
}

struct jit_deferred *
jit_defer(struct jit_engine *e, const struct jit_request *r, const struct jit_image *image,
          void **functions)
{
    struct jit_deferred *d = ls_alloc(sizeof *d);
    d->request = *r;
    d->functions = functions;
    d->may = ls_alloc(r->module->func_count * sizeof *d->may);
    for (size_t n = 0; n < image->functions.count; n++)
        d->may[image->functions.at[n]] = true;
    pthread_mutex_lock(&e->functions_lock);
    d->next = e->deferred;
    e->deferred = d;
    pthread_mutex_unlock(&e->functions_lock);
    return d;
}

void
jit_undefer(struct jit_engine *e, struct jit_deferred *d)
{
    if (!d)
        return;
    pthread_mutex_lock(&e->functions_lock);
    struct jit_deferred **at = &e->deferred;
    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    pthread_mutex_unlock(&e->functions_lock);
    ls_release(d->may);
    ls_release(d);
}

void
jit_functions_forget(struct jit_engine *e, const struct ptx_module *m)
{
    pthread_mutex_lock(&e->functions_lock);
    for (struct function **at = &e->functions, *f; (f = *at);) {
        if (m && f->request.module != m) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        free_function(f);
    }
    pthread_mutex_unlock(&e->functions_lock);
}

void
jit_functions_end(struct jit_engine *e)
{
    pthread_mutex_lock(&e->functions_lock);
    e->ends = true;
    pthread_cond_signal(&e->due);
    pthread_mutex_unlock(&e->functions_lock);
    if (e->improver_runs)
        pthread_join(e->improver, NULL);
    jit_functions_forget(e, NULL);
}
