/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/kernels.c: the engine's kernels: those in memory, those in work, from disk or compiled.
 * The lock is held to look at the list and to change it, never while a kernel is read, compiled or
 * linked: launches of finished kernels go on meanwhile, and different kernels are made by several
 * threads at once. Who asks for a kernel that another thread makes waits for that one.
 */
#include "jit/engine/engine.h"
#include "jit/engine/budget.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct loaded {
    struct jit_kernel kernel;
    struct jit_code code; /* what loading took: one of these */
    LLVMOrcResourceTrackerRef orc_code;
};

struct entry {
    struct jit_request request;
    struct loaded first, better; /* better: takes over from quick code, whose launches may go on */
    enum { IN_WORK, FINISHED, FAILED } state;
    /* Of quick code: as long as nobody has begun to make better code; that somebody does; what its
     * launches took, in seconds, and what is enough of that. */
    bool quick, improving;
    double ran, enough;
    enum jit_tier aim;   /* of quick code: jit_image.aim */
    uint32_t waiting;    /* threads that wait until it is no longer in work */
    struct ls_error err; /* FAILED */
    struct entry *next;
};

/* -- loading ----------------------------------------------------------------------------------- */

/* The functions that the image holds: those that warps begin with, then those that are called. */
static struct jit_wanted *
wanted_of(const struct jit_image *image, const char *stem, size_t *count)
{
    char full[64], partial[64];
    struct jit_wanted *w = ls_alloc(sizeof *w * (2 + image->functions.count));
    size_t n = 0;
    jit_names(stem, full, partial);
    if (image->has_full)
        snprintf(w[n++].name, sizeof w->name, "%s", full);
    if (image->has_partial)
        snprintf(w[n++].name, sizeof w->name, "%s", partial);
    for (size_t k = 0; k < image->functions.count && !image->deferred; k++)
        snprintf(w[n++].name, sizeof w->name, "function_%u_%s", image->functions.at[k], stem);
    *count = n;
    return w;
}

static void
describe_kernel(struct jit_kernel *k, const struct jit_image *image, const struct jit_wanted *w)
{
    if (image->has_full)
        *(image->has_block ? &k->block : &k->full) = (jit_warp_fn)(w++)->at;
    if (image->has_partial)
        k->partial = (jit_warp_fn)(w++)->at;
    size_t room = k->func->module->func_count;
    k->functions = image->functions.count ? ls_alloc(room * sizeof *k->functions) : NULL;
    for (size_t n = 0; n < image->functions.count && !image->deferred; n++)
        k->functions[image->functions.at[n]] = w[n].at;
    k->recursive = image->recursive;
    k->frame_bytes = image->frame_bytes ? image->frame_bytes : 64;
    k->needs = image->needs;
    k->has_barrier = image->has_barrier;
    k->polls = image->polls;
    k->may_wait = image->may_wait;
    k->pauses = image->pauses;
}

static bool
load_image(struct jit_engine *e, const struct jit_request *r, const struct jit_image *image,
           const char *stem, struct loaded *x, struct ls_error *err)
{
    size_t count;
    struct jit_wanted *wanted = wanted_of(image, stem, &count);
    struct arena names = {0};
    const char *name = e->debugger ? ls_readable_name(&names, x->kernel.func->name) : NULL;
    bool ok = jit_link(image->code, image->size, wanted, count, e->debugger, name, &x->code);
    arena_free(&names);
    if (!ok && atomic_load(&e->closed))
        ls_fail(err, LS_ERR_SYSTEM, "%s: a kernel cannot be linked while the process ends", stem);
    else if (!ok)
        ok = (x->orc_code = jit_orc_link(e, image, stem, wanted, count, err)) != NULL;
    if (ok)
        describe_kernel(&x->kernel, image, wanted);
    if (ok && image->deferred)
        x->kernel.deferred = jit_defer(e, r, image, x->kernel.functions);
    ls_release(wanted);
    return ok;
}

/* -- keys -------------------------------------------------------------------------------------- */

static void
unload(struct jit_engine *e, struct loaded *x)
{
    jit_unlink(&x->code);
    jit_orc_unlink(x->orc_code);
    jit_undefer(e, x->kernel.deferred);
    ls_release(x->kernel.functions);
}

static void
free_entry(struct jit_engine *e, struct entry *x)
{
    unload(e, &x->first);
    unload(e, &x->better);
    ls_release(x);
}

bool
jit_same_request(const struct jit_request *a, const struct jit_request *b)
{
    return a->module == b->module && a->kernel == b->kernel && a->events == b->events &&
           a->small_grid == b->small_grid && a->apart == b->apart && a->whole == b->whole &&
           a->abreast == b->abreast && a->cluster == b->cluster && a->scheduled == b->scheduled &&
           !memcmp(a->block, b->block, sizeof a->block);
}

struct hash128
jit_key(const struct jit_engine *e, const struct jit_request *r)
{
    struct hash128 h = ls_hash(r->module->hash, e->host, strlen(e->host));
    h = ls_hash(h, r->kernel->name, strlen(r->kernel->name));
    h = ls_hash(h, r->block, sizeof r->block);
    h = ls_hash(h, &r->small_grid, sizeof r->small_grid);
    h = ls_hash(h, &r->apart, sizeof r->apart);
    h = ls_hash(h, &r->abreast, sizeof r->abreast);
    h = ls_hash(h, &r->cluster, sizeof r->cluster);
    h = ls_hash(h, &r->whole, sizeof r->whole);
    h = ls_hash(h, &r->scheduled, sizeof r->scheduled);
    h = ls_hash(h, &e->off, sizeof e->off);
    h = ls_hash(h, &(bool){e->debugger != NULL}, sizeof(bool));
    return ls_hash(h, &r->events, sizeof r->events);
}

/* -- making one -------------------------------------------------------------------------------- */

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool
compile(struct jit_engine *e, const struct entry *x, const char *stem, bool better,
        struct jit_image *image, struct ls_error *err)
{
    const struct jit_request *r = &x->request;
    const struct jit_watch *w = &e->watch;
    if (w->begin)
        w->begin(w->user, r);
    bool ok = jit_compile(e, r, stem, better, better ? x->aim : JIT_TIER_FULL, image, err);
    if (w->end)
        w->end(w->user, r);
    return ok;
}

bool
jit_may_compile(struct jit_engine *e, struct ls_error *err)
{
    if (!atomic_load(&e->closed))
        return true;
    pthread_mutex_lock(&e->lock);
    if (!e->reopened) {
        e->reopened = jit_llvm_reopen(err);
        for (unsigned k = 0; k < JIT_EFFORTS; k++)
            e->machines[k].count = 0;
    }
    bool may = e->reopened;
    pthread_mutex_unlock(&e->lock);
    return may;
}

static void
count(struct jit_engine *e, bool found, bool better, const struct jit_image *image, double spent)
{
    pthread_mutex_lock(&e->lock);
    e->counts.reduced += !found && !better && image->tier != JIT_TIER_FULL;
    e->counts.in_memory += !found && !better && image->tier == JIT_TIER_MEMORY;
    e->counts.quick += !found && image->quick_ms;
    e->counts.improved += better;
    ++*(found ? &e->counts.from_disk : &e->counts.compiled);
    *(found ? &e->counts.disk_seconds : &e->counts.compile_seconds) += spent;
    pthread_mutex_unlock(&e->lock);
}

/* The disk keeps the best code that was made. Better code is made where there is quick code. */
static bool
make_kernel(struct jit_engine *e, struct entry *x, bool better, struct ls_error *err)
{
    struct loaded *to = better ? &x->better : &x->first;
    struct jit_image image = {0};
    char stem[33];
    struct hash128 key = jit_key(e, &x->request);
    ls_hash_text(key, stem);
    double start = seconds();
    bool found = !better && !e->remarks && jit_cache_load(e, key, &image), ok = found;
    if (!found) {
        image = (struct jit_image){0};
        ok = jit_may_compile(e, err) && compile(e, x, stem, better, &image, err);
        if (image.quick_ms)
            image.quick_ms = (uint32_t)(1e3 * (seconds() - start)) + 1;
        if (ok)
            jit_cache_store(e, key, &image);
        if (ok && e->compiled)
            e->compiled();
    }
    if (ok) {
        to->kernel.func = x->request.kernel;
        to->kernel.quick = image.quick_ms != 0;
        ok = load_image(e, &x->request, &image, stem, to, err);
        count(e, found, better, &image, seconds() - start);
    }
    x->quick = ok && image.quick_ms;
    x->aim = image.aim;
    x->enough = 1e-3 * image.quick_ms * (found ? 1.0 / JIT_QUICK_AGAIN : JIT_QUICK_ENOUGH);
    ls_release(image.code);
    VEC_FREE(&image.functions);
    return ok;
}

/* -- the list ---------------------------------------------------------------------------------- */

static struct entry *
find(const struct jit_engine *e, const struct jit_request *r)
{
    struct entry *x = e->entries;
    while (x && !jit_same_request(&x->request, r))
        x = x->next;
    return x;
}

static void
remove_entry(struct jit_engine *e, struct entry *x)
{
    struct entry **at = &e->entries;
    while (*at != x)
        at = &(*at)->next;
    *at = x->next;
}

/* Waits, with the lock held, until the thread that compiles the kernel has finished. Where that
 * failed its error is returned, and the last thread that waited frees the entry. */
static struct entry *
wait_for(struct jit_engine *e, struct entry *x, struct ls_error *err)
{
    x->waiting++;
    e->counts.waited += x->state == IN_WORK;
    while (x->state == IN_WORK)
        pthread_cond_wait(&e->changed, &e->lock);
    x->waiting--;
    if (x->state == FINISHED)
        return x;
    if (err)
        *err = x->err;
    if (!x->waiting)
        free_entry(e, x);
    return NULL;
}

/* With the lock held, which is let go meanwhile. */
static struct entry *
make_entry(struct jit_engine *e, const struct jit_request *r, struct ls_error *err)
{
    struct entry *x = ls_alloc(sizeof *x);
    x->request = *r;
    x->next = e->entries;
    e->entries = x;
    pthread_mutex_unlock(&e->lock);
    bool ok = make_kernel(e, x, false, &x->err);
    pthread_mutex_lock(&e->lock);
    x->state = ok ? FINISHED : FAILED;
    pthread_cond_broadcast(&e->changed);
    if (ok)
        return x;
    remove_entry(e, x); /* whoever asks from now on tries anew */
    if (err)
        *err = x->err;
    if (!x->waiting)
        free_entry(e, x);
    return NULL;
}

/* With the lock held, which is let go meanwhile: launches of other threads go on with quick code.
 * If better code cannot be made, quick code stays. */
static void
improve(struct jit_engine *e, struct entry *x)
{
    struct ls_error ignored;
    x->quick = false;
    x->improving = true;
    pthread_mutex_unlock(&e->lock);
    struct entry with = {.request = x->request, .aim = x->aim};
    bool ok = make_kernel(e, &with, true, &ignored);
    pthread_mutex_lock(&e->lock);
    if (ok)
        x->better = with.better;
    else
        unload(e, &with.better);
    x->improving = false;
    pthread_cond_broadcast(&e->changed);
}

static struct entry *
entry_of_quick(const struct jit_kernel *k)
{
    return (struct entry *)((char *)k - offsetof(struct entry, first.kernel));
}

double
jit_enough(struct jit_engine *e, const struct jit_kernel *k)
{
    struct entry *x = entry_of_quick(k);
    pthread_mutex_lock(&e->lock);
    double left = x->enough - x->ran;
    if (!x->quick) /* it is there, is being made, or cannot be made */
        left = x->better.kernel.func ? 0 : x->improving ? x->enough : HUGE_VAL;
    else if (atomic_load(&e->closed))
        left = HUGE_VAL;
    pthread_mutex_unlock(&e->lock);
    return left > 0 ? left : 0;
}

void
jit_ran(struct jit_engine *e, const struct jit_kernel *k, double seconds)
{
    jit_functions_ran(e, k);
    if (!k->quick)
        return;
    struct entry *x = entry_of_quick(k);
    pthread_mutex_lock(&e->lock);
    x->ran += seconds;
    pthread_mutex_unlock(&e->lock);
}

const struct jit_kernel *
jit_get(struct jit_engine *e, const struct jit_request *r, struct ls_error *err)
{
    pthread_mutex_lock(&e->lock);
    struct entry *x = find(e, r);
    if (x) {
        x = wait_for(e, x, err);
        e->counts.from_memory += x != NULL;
    } else {
        x = make_entry(e, r, err);
    }
    if (x && x->quick && (x->ran > x->enough || r->warps > JIT_QUICK_WARPS) &&
        !atomic_load(&e->closed))
        improve(e, x);
    const struct jit_kernel *k = !x                      ? NULL
                                 : x->better.kernel.func ? &x->better.kernel
                                                         : &x->first.kernel;
    pthread_mutex_unlock(&e->lock);
    return k;
}

static struct entry *
first_of(const struct jit_engine *e, const struct ptx_module *m)
{
    struct entry *x = e->entries;
    while (x && x->request.module != m)
        x = x->next;
    return x;
}

void
jit_forget(struct jit_engine *e, const struct ptx_module *m)
{
    struct entry *x;
    pthread_mutex_lock(&e->lock);
    while ((x = first_of(e, m))) {
        if (x->state == IN_WORK || x->improving) {
            pthread_cond_wait(&e->changed, &e->lock);
            continue;
        }
        remove_entry(e, x);
        pthread_mutex_unlock(&e->lock); /* functions_lock comes before it */
        free_entry(e, x);
        pthread_mutex_lock(&e->lock);
    }
    pthread_mutex_unlock(&e->lock);
    jit_functions_forget(e, m);
}

void
jit_set_watch(struct jit_engine *e, const struct jit_watch *watch)
{
    e->watch = *watch;
}

void
jit_set_compiled(struct jit_engine *e, void (*compiled)(void))
{
    e->compiled = compiled;
}

void
jit_close(struct jit_engine *e)
{
    atomic_store(&e->closed, true);
    while (atomic_load(&e->improving) == getpid())
        usleep(100);
}

void
jit_set_budget(struct jit_engine *e, uint64_t emitted, uint64_t optimised)
{
    e->emitted_most = emitted;
    e->optimised_most = optimised;
}

void
jit_counts(struct jit_engine *e, struct jit_counts *out)
{
    pthread_mutex_lock(&e->lock);
    *out = e->counts;
    pthread_mutex_unlock(&e->lock);
}

/* -- the engine -------------------------------------------------------------------------------- */

struct jit_engine *
jit_new(const struct jit_options *o, struct ls_error *err)
{
    struct jit_engine *e = ls_alloc(sizeof *e);
    pthread_mutex_init(&e->lock, NULL);
    pthread_mutex_init(&e->orc_lock, NULL);
    pthread_mutex_init(&e->functions_lock, NULL);
    pthread_cond_init(&e->due, NULL);
    pthread_cond_init(&e->changed, NULL);
    e->cache = o->cache ? strdup(o->cache) : NULL;
    e->off = o->off;
    e->remarks = o->remarks ? strdup(o->remarks) : NULL;
    e->emitted_most = JIT_BUDGET_EMITTED;
    e->optimised_most = JIT_BUDGET_OPTIMISED;
    e->narrow = o->narrow;
    e->debugger = o->debugger;
    e->host = jit_host(o->narrow, err);
    if (!e->host) {
        jit_free(e);
        return NULL;
    }
    return e;
}

void
jit_free(struct jit_engine *e)
{
    if (!e)
        return;
    while (e->entries) {
        struct entry *x = e->entries;
        e->entries = x->next;
        free_entry(e, x);
    }
    jit_functions_end(e);
    jit_orc_end(e);
    jit_machines_end(e);
    pthread_cond_destroy(&e->changed);
    pthread_cond_destroy(&e->due);
    pthread_mutex_destroy(&e->functions_lock);
    pthread_mutex_destroy(&e->orc_lock);
    pthread_mutex_destroy(&e->lock);
    free(e->cache);
    free(e->remarks);
    ls_release(e->host);
    ls_release(e);
}
