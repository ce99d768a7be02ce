/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c: threads. A job is offered to helpers and worked on by its caller meanwhile; helpers come
 * when they are awake, and leave when nothing is left to hand out. Threads are made when first
 * wanted. Whoever joins a job wakes (or makes) the next helper, so that the caller pays for one
 * wake-up only. Several jobs at once: helpers take the first that wants them; each makes progress
 * by its caller alone.
 */
#define _GNU_SOURCE
#include "exec/exec_priv.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    SPIN_NS = 20000,        /* how long an idle helper watches for the next launch */
    SPIN_LOOK = 64,         /* pauses between looks at the clock */
    KEPT_SLOTS = 256,       /* slots kept for the next launch: any, */
    KEPT_RESIDENT = 1024,   /*   and of blocks that were in flight together, so many, */
    KEPT_FIBERS = 8192,     /*   with so many stacks of warps: two mappings and some 12 KB each */
    MOST_WIDE = 32,         /* slots with wide windows: 4.5 TiB of address space */
    STACK_BYTES = 64 << 20, /* of a helper: recursion in kernels uses it; only reserved */
};

struct exec_helper {
    pthread_t thread;
    struct exec_pool *pool;
    struct exec_worker worker;
};

void
exec_pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* -- helpers ----------------------------------------------------------------------------------- */

static struct exec_job *
find_job(struct exec_pool *p)
{
    for (struct exec_job *j = p->jobs; j; j = j->next)
        if (j->wants(j->context))
            return j;
    return NULL;
}

static void
work_on(struct exec_pool *p, struct exec_job *j, struct exec_worker *w)
{
    struct exec_entry entry;
    exec_thread_enter(p, w, &entry);
    j->work(j->context, w);
    exec_thread_leave(&entry);
}

/* Watches for a new job for a moment, the lock let go. */
static void
spin_for_job(struct exec_pool *p)
{
    uint32_t seen = atomic_load(&p->posted);
    p->awake_idle++;
    pthread_mutex_unlock(&p->lock);
    uint64_t until = exec_now() + SPIN_NS;
    do {
        for (int i = 0; i < SPIN_LOOK && atomic_load(&p->posted) == seen; i++)
            exec_pause_cpu();
    } while (atomic_load(&p->posted) == seen && exec_now() < until);
    pthread_mutex_lock(&p->lock);
    p->awake_idle--;
}

static void summon(struct exec_pool *p);

static void *
helper_main(void *at)
{
    struct exec_helper *h = at;
    struct exec_pool *p = h->pool;
    prctl(PR_SET_NAME, EXEC_THREAD_NAME "run");
    pthread_mutex_lock(&p->lock);
    bool spun = false;
    while (!p->closing) {
        struct exec_job *job = find_job(p);
        if (job) {
            atomic_fetch_add(&job->helpers, 1);
            summon(p);
            pthread_mutex_unlock(&p->lock);
            work_on(p, job, &h->worker);
            pthread_mutex_lock(&p->lock);
            if (atomic_fetch_sub(&job->helpers, 1) == 1)
                pthread_cond_broadcast(&p->left);
            spun = false;
        } else if (!spun) {
            spin_for_job(p);
            spun = true;
        } else {
            p->asleep++;
            pthread_cond_wait(&p->work, &p->lock);
            p->asleep--;
            spun = false;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Faults stay with the thread that makes them; all other signals are for the program's threads. */
static bool
start_helper(struct exec_pool *p)
{
    struct exec_helper *h = &p->helpers[p->started];
    sigset_t block, before;
    pthread_attr_t attributes;
    h->pool = p;
    h->worker.id = p->started + 1;
    sigfillset(&block);
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                 SIGTRAP, SIGABRT, SIGSYS, EXEC_WATCH_SIGNAL};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&block, faults[i]);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    bool made = pthread_create(&h->thread, &attributes, helper_main, h) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    p->started += made;
    return made;
}

/* One more helper if some job wants it. Under the lock. A failure to make a thread is no error:
 * the caller does all the work then. */
static void
summon(struct exec_pool *p)
{
    if (p->awake_idle || !find_job(p))
        return;
    if (p->asleep)
        pthread_cond_signal(&p->work);
    else if (p->started + 1 < p->workers)
        start_helper(p);
}

static void
offer(struct exec_pool *p, struct exec_job *job)
{
    pthread_mutex_lock(&p->lock);
    struct exec_job **end = &p->jobs;
    while (*end)
        end = &(*end)->next;
    *end = job;
    atomic_fetch_add(&p->posted, 1);
    summon(p);
    pthread_mutex_unlock(&p->lock);
}

static void
withdraw(struct exec_pool *p, struct exec_job *job)
{
    pthread_mutex_lock(&p->lock);
    struct exec_job **at = &p->jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    pthread_mutex_unlock(&p->lock);
    /* Nobody can join any more; those inside are at their last blocks. */
    for (int i = 0; i < 2000 && atomic_load(&job->helpers); i++)
        exec_pause_cpu();
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&job->helpers))
        pthread_cond_wait(&p->left, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void
exec_pool_run(struct exec_pool *p, struct exec_job *job, bool alone)
{
    struct exec_worker w = {.id = 0};
    alone = alone || p->workers == 1;
    if (!alone)
        offer(p, job);
    work_on(p, job, &w);
    if (!alone)
        withdraw(p, job);
}

/* -- slots ------------------------------------------------------------------------------------- */

static struct exec_slot *
take_one(struct exec_run *run, struct exec_slot *leader, struct ls_error *err)
{
    struct exec_pool *p = run->pool;
    pthread_mutex_lock(&p->lock);
    struct exec_slot *s = p->free_slots;
    if (s) {
        p->free_slots = s->next;
        p->free_slot_count--;
        p->free_fibers -= s->call.fibers;
    }
    pthread_mutex_unlock(&p->lock);
    if (!s) {
        s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
        if (!s) {
            ls_fail(err, LS_ERR_MEMORY, "out of memory: a block in flight");
            return NULL;
        }
        *s = (struct exec_slot){0};
        pthread_mutex_lock(&p->lock);
        s->memory.wide = p->wide_slots < MOST_WIDE;
        p->wide_slots += s->memory.wide;
        pthread_mutex_unlock(&p->lock);
    }
    if (exec_slot_prepare(s, run, leader ? leader : s, err))
        return s;
    pthread_mutex_lock(&p->lock);
    p->wide_slots -= s->memory.wide;
    pthread_mutex_unlock(&p->lock);
    exec_slot_free(s);
    return NULL;
}

struct exec_slot *
exec_slot_take(struct exec_run *run, struct ls_error *err)
{
    struct exec_slot *leader = take_one(run, NULL, err);
    for (uint32_t r = 1; leader && r < run->cluster; r++)
        if (!take_one(run, leader, err)) {
            exec_slot_give(run->pool, leader);
            return NULL;
        }
    return leader;
}

static void
give_one(struct exec_pool *p, struct exec_slot *s)
{
    s->run = NULL;
    s->out.count = 0;
    pthread_mutex_lock(&p->lock);
    bool keep = p->free_slot_count < KEPT_SLOTS || (p->free_slot_count < KEPT_RESIDENT &&
                                                    p->free_fibers + s->call.fibers <= KEPT_FIBERS);
    if (keep) {
        s->next = p->free_slots;
        p->free_slots = s;
        p->free_slot_count++;
        p->free_fibers += s->call.fibers;
    } else {
        p->wide_slots -= s->memory.wide;
    }
    pthread_mutex_unlock(&p->lock);
    if (!keep)
        exec_slot_free(s);
}

void
exec_slot_give(struct exec_pool *p, struct exec_slot *leader)
{
    for (uint32_t r = leader->cluster.blocks; r-- > 0;) /* the leader last */
        give_one(p, leader->cluster.peer[r]);
}

/* -- the pool ---------------------------------------------------------------------------------- */

static uint32_t
cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
    return 1;
}

struct exec_pool *
exec_new(uint32_t workers, struct ls_error *err)
{
    enum { MOST = 4096 };
    if (workers > MOST) {
        ls_fail(err, LS_ERR_USAGE, "%u workers are too many: at most %d", workers, MOST);
        return NULL;
    }
    struct exec_pool *p = ls_alloc(sizeof *p);
    p->workers = workers ? workers : cores();
    p->helpers = ls_alloc(sizeof *p->helpers * p->workers);
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->print_lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->left, NULL);
    exec_watch_init(p, exec_watch_signal_install);
    exec_signals_install();
    return p;
}

void
exec_free(struct exec_pool *p)
{
    if (!p)
        return;
    exec_watch_fini(p);
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    atomic_fetch_add(&p->posted, 1);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < p->started; i++)
        pthread_join(p->helpers[i].thread, NULL);
    free(atomic_load(&p->spare_progress));
    while (p->free_slots) {
        struct exec_slot *s = p->free_slots;
        p->free_slots = s->next;
        exec_slot_free(s);
    }
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->print_lock);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->left);
    ls_release(p->helpers);
    ls_release(p);
}
