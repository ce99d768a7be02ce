/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.c: blocks that do not come to an end. A thread of its own looks now and then whether a
 * thread that runs blocks has been at one launch for long. Only then it sends signals: first to
 * learn which block that is, and when it is the same for long, to see whether its state comes again
 * (sample.c). Where that is so for all blocks that run, they never end, and are ended by an error.
 * Launches that take less than exec_options.endless_ms meet no signal, and pay two stores each.
 */
#include "exec/exec_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MS 1000000ull /* ns */

enum {
    DEFAULT_ENDLESS_MS = 2000,
    WINDOW_MS = 400,       /* signals are sent for so long at a time, */
    WINDOW_LEAST = 60,     /* at least so many, */
    WINDOW_MOST_MS = 8000, /*  where each takes long, since there is much memory, */
    WINDOW_SHARE = 10,     /* and then not for so many times that long */
    ANSWER_MS = 5000,      /* who does not answer for so long has blocked the signal */
    LOOK_MS = 200,
    LEFT_LOOKS = 20, /* a thread that is about to end takes no longer */
    WATCH_STACK = 256 << 10,
};

/* -- seats: written by the threads that run blocks --------------------------------------------- */

static _Thread_local int32_t own_number;

static void start(struct exec_pool *p);

/* Under the lock: whoever says that it sleeps waits by then. */
static void
wake(struct exec_watch *t)
{
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* outer: the worker whose kernel made the launch, on this thread; it stands still meanwhile. */
void
exec_seat_take(struct exec_pool *p, struct exec_worker *w, struct exec_worker *outer)
{
    struct exec_watch *t = &p->watch;
    w->seat = outer ? outer->seat : NULL;
    if (w->seat) {
        atomic_store(&w->seat->worker, w);
        atomic_fetch_add(&w->seat->entered, 1);
        return;
    }
    struct exec_worker *none = NULL;
    uint32_t first = w->id ? EXEC_CALLERS + w->id - 1 : 0, end = w->id ? first + 1 : EXEC_CALLERS;
    for (uint32_t k = first; k < end && k < t->seat_count; k++, none = NULL)
        if (!atomic_load_explicit(&t->seat[k].worker, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&t->seat[k].worker, &none, w)) {
            w->seat = &t->seat[k];
            break;
        }
    if (!w->seat)
        return;
    if (!own_number)
        own_number = (int32_t)syscall(SYS_gettid);
    atomic_store_explicit(&w->seat->thread, own_number, memory_order_relaxed);
    atomic_store_explicit(&w->seat->entered,
                          atomic_load_explicit(&w->seat->entered, memory_order_relaxed) + 1,
                          memory_order_release);
    if (!atomic_load_explicit(&t->started, memory_order_relaxed))
        start(p);
    else if (atomic_load(&t->asleep))
        wake(t);
}

void
exec_seat_leave(struct exec_worker *w, struct exec_worker *outer)
{
    if (w->seat)
        atomic_store_explicit(&w->seat->worker, outer && outer->seat == w->seat ? outer : NULL,
                              memory_order_release);
}

/* In the thread's handler of the signal. */
bool
exec_obey(struct exec_worker *w, void *context)
{
    uint64_t order = atomic_load(&w->seat->order), number = order >> 2;
    if (atomic_load(&w->seat->answered) == number)
        return false;
    bool end = false;
    switch ((enum exec_order)(order & 3)) {
    case ORDER_LOOK: exec_sample_look(w); break;
    case ORDER_SAMPLE: exec_sample(w, context); break;
    case ORDER_END: end = exec_sample_end(w, context); break;
    }
    atomic_store(&w->seat->answered, number);
    return end;
}

/* -- orders ------------------------------------------------------------------------------------ */

static bool
is_busy(const struct exec_seat *s)
{
    return atomic_load(&s->worker) != NULL;
}

/* False: no answer, since the thread has left its blocks or does not hear. */
static bool
give(struct exec_watch *t, struct exec_seat *s, enum exec_order what, uint32_t wait_ms)
{
    uint64_t number = ++t->number, until = exec_now() + wait_ms * MS;
    if (s->deaf || !is_busy(s))
        return false;
    atomic_store(&s->order, number << 2 | (uint64_t)what);
    if (syscall(SYS_tgkill, getpid(), atomic_load(&s->thread), EXEC_WATCH_SIGNAL) != 0)
        return false;
    for (uint32_t k = 0; atomic_load(&s->answered) != number; k++) {
        if (!is_busy(s))
            return false;
        if (exec_now() > until) {
            s->deaf = wait_ms >= ANSWER_MS;
            return false;
        }
        usleep(k < 20 ? 20 : 500);
    }
    return true;
}

/* Seats with somebody; *longest: for how long the launch that has taken longest. */
static uint32_t
count_busy(struct exec_watch *t, uint64_t now, uint64_t *longest)
{
    uint32_t busy = 0;
    *longest = 0;
    for (uint32_t k = 0; k < t->seat_count; k++) {
        struct exec_seat *s = &t->seat[k];
        uint64_t entered = atomic_load(&s->entered);
        if (!is_busy(s))
            continue;
        busy++;
        if (entered != s->last || !s->since) {
            s->last = entered;
            s->since = now;
            s->seen = (struct exec_sighting){0};
            s->deaf = false;
        }
        if (now - s->since > *longest)
            *longest = now - s->since;
    }
    return busy;
}

/* -- proof ------------------------------------------------------------------------------------- */

/* Each thread that runs blocks has been in one block for long, whose state says all. */
static bool
all_stay(struct exec_watch *t, uint64_t now)
{
    uint32_t stay = 0;
    for (uint32_t k = 0; k < t->seat_count; k++) {
        struct exec_seat *s = &t->seat[k];
        if (!is_busy(s))
            continue;
        if (!give(t, s, ORDER_LOOK, ANSWER_MS) || !s->seen.inside || !s->seen.closed ||
            now < s->seen.since || now - s->seen.since < t->options.endless_ms * MS)
            return false;
        stay++;
    }
    return stay > 0;
}

static void
begin_window(struct exec_watch *t)
{
    for (uint32_t k = 0; k < t->seat_count; k++) {
        struct exec_seat *s = &t->seat[k];
        if (!is_busy(s))
            continue;
        if (!s->samples)
            s->samples = ls_alloc(sizeof *s->samples);
        memset(s->samples, 0, offsetof(struct exec_samples, at));
    }
}

/* One state of each; true: all are known to come again. Of several threads none may see another
 * one's memory change. */
static bool
sample_all(struct exec_watch *t, bool *over)
{
    uint64_t memory = 0;
    uint32_t busy = 0, proven = 0;
    bool differs = false;
    for (uint32_t k = 0; k < t->seat_count; k++) {
        struct exec_seat *s = &t->seat[k];
        if (!is_busy(s))
            continue;
        *over = *over || !s->samples ||
                (!s->samples->proven && !give(t, s, ORDER_SAMPLE, ANSWER_MS)) || s->samples->moved;
        if (*over)
            return false;
        const struct exec_samples *m = s->samples;
        busy++;
        proven += m->proven;
        differs = differs || m->differs || (memory && m->memory && m->memory != memory);
        memory = m->memory ? m->memory : memory;
    }
    *over = *over || (busy > 1 && differs);
    return !*over && proven && proven == busy;
}

static bool
come_again(struct exec_watch *t)
{
    uint64_t begin = exec_now(), spent = 0;
    uint32_t random = (uint32_t)begin | 1;
    bool over = false;
    begin_window(t);
    for (uint32_t k = 0;
         !over && (spent < WINDOW_MS * MS || (k < WINDOW_LEAST && spent < WINDOW_MOST_MS * MS));
         k++) {
        if (sample_all(t, &over))
            return true;
        random = random * 1664525u + 1013904223u; /* so as not to go along with the loop */
        usleep(100 + (random >> 22));
        spent = exec_now() - begin;
    }
    if (t->wait < WINDOW_SHARE * spent)
        t->wait = WINDOW_SHARE * spent;
    return false;
}

static void
end_all(struct exec_watch *t)
{
    enum { MOST = 2000 };
    for (uint32_t k = 0; k < t->seat_count; k++) {
        struct exec_seat *s = &t->seat[k];
        uint64_t entered = atomic_load(&s->entered), since = s->seen.since;
        /* Ended, it is in another block, or in none. */
        for (uint32_t n = 0; n < MOST && is_busy(s) && atomic_load(&s->entered) == entered &&
                             since == s->seen.since;
             n++) {
            give(t, s, ORDER_END, 100);
            usleep(500);
            if (!give(t, s, ORDER_LOOK, 100))
                break;
        }
    }
}

static void
look_for_loops(struct exec_pool *p, uint64_t now)
{
    struct exec_watch *t = &p->watch;
    if (!t->options.endless_ms || now < t->next || !all_stay(t, now))
        return;
    if (!exec_others_may_write(p) && come_again(t))
        end_all(t);
    t->wait = t->wait * 2 > t->options.endless_ms * MS ? t->wait * 2 : t->options.endless_ms * MS;
    t->next = exec_now() + t->wait;
}

/* -- what is said ------------------------------------------------------------------------------ */

static void
say_stand(const struct exec_sighting *at, const struct exec_stand *s, struct text *out)
{
    static const char *const does[][2] = {
        [STANDS_RUNS] = {"runs", "run"},
        [STANDS_BARRIER] = {"waits at a barrier", "wait at a barrier"},
        [STANDS_POLLS] = {"polls", "poll"},
        [STANDS_WAITS] = {"waits for others", "wait for others"},
        [STANDS_READY] = {"has its turn to come", "have their turn to come"},
        [STANDS_DONE] = {"has ended", "have ended"},
    };
    char where[300] = "";
    if ((s->what == STANDS_BARRIER || s->what == STANDS_POLLS) && at->module)
        jit_place_text(at->module, s->place, where, sizeof where);
    if (s->count == 1)
        text_add(out, "warp %u %s", s->first, does[s->what][0]);
    else
        text_add(out, "warps %u to %u %s", s->first, s->first + s->count - 1, does[s->what][1]);
    text_add(out, "%s%s%s", where[0] ? " (" : "", where, where[0] ? ")" : "");
}

/* "kernel k: running 12 s, block 17 of 100: warp 0 runs; warps 1 to 3 wait at a barrier (a.cu:12)",
 * and a line for each block that waits. What the thread saw is copied: its launch may end
 * meanwhile. */
static void
say_seat(const struct exec_seat *s, uint64_t now, bool all)
{
    const struct exec_sighting *at = &s->seen;
    struct arena names = {0};
    struct text out = {0};
    text_add(&out, "kernel %s: running %.0f s, block %llu of %llu",
             ls_readable_name(&names, at->kernel), (double)(now - s->since) * 1e-9,
             (unsigned long long)at->block, (unsigned long long)at->blocks);
    if (!at->stand_count && at->has_warp)
        text_add(&out, ": warp %u runs", at->warp);
    for (uint32_t k = 0; k < at->stand_count && is_busy(s); k++) {
        bool same = at->stand[k].block == (k ? at->stand[k - 1].block : at->block);
        if (!same && !all)
            break;
        if (!same)
            text_add(&out, "\nlockstep:     block %llu", (unsigned long long)at->stand[k].block);
        text_add(&out, "%s", k && same ? "; " : ": ");
        say_stand(at, &at->stand[k], &out);
    }
    if (at->more && all)
        text_add(&out, "\nlockstep:     and %u more blocks", at->more);
    ls_warn("%s", out.at);
    text_free(&out);
    arena_free(&names);
}

bool
exec_say_where(struct exec_pool *p)
{
    enum { MOST = 16 };
    struct exec_watch *t = &p->watch;
    uint64_t now = exec_now(), longest;
    uint32_t said = 0;
    pthread_mutex_lock(&t->lock);
    count_busy(t, now, &longest);
    if (t->seat_count)
        t->install();
    for (uint32_t k = 0; k < t->seat_count && said < MOST; k++)
        if (is_busy(&t->seat[k]) && give(t, &t->seat[k], ORDER_LOOK, 100) &&
            t->seat[k].seen.inside) {
            say_seat(&t->seat[k], now, true);
            said++;
        }
    pthread_mutex_unlock(&t->lock);
    return said > 0;
}

/* -- the thread that watches ------------------------------------------------------------------- */

static uint64_t
pause_of(const struct exec_watch *t)
{
    uint64_t least = atomic_load(&t->left) ? LOOK_MS / 2 : UINT64_MAX;
    if (t->options.endless_ms && t->options.endless_ms / 4 < least)
        least = t->options.endless_ms / 4;
    if (t->options.heartbeat_ms && t->options.heartbeat_ms / 4 < least)
        least = t->options.heartbeat_ms / 4;
    return least < 10 ? 10 : least < LOOK_MS * 5 ? least : LOOK_MS * 5;
}

/* The launch that has taken longest, at most one line each time. */
static void
beat(struct exec_watch *t, uint64_t now, uint64_t longest)
{
    uint64_t every = t->options.heartbeat_ms * MS;
    if (!every || longest < every) {
        t->beat = 0;
        return;
    }
    if (now < t->beat)
        return;
    for (uint32_t k = 0; k < t->seat_count; k++) {
        struct exec_seat *s = &t->seat[k];
        if (!is_busy(s) || now - s->since < longest)
            continue;
        if (!give(t, s, ORDER_LOOK, 1000) || !s->seen.inside)
            return; /* the next time */
        say_seat(s, now, false);
        t->beat = now + every;
        return;
    }
}

/* A process whose main thread has left by pthread_exit() ends with its last thread. That must not
 * be one of ours. */
static void
end_if_left(struct exec_watch *t)
{
    bool main_left = false;
    if (exec_is_left(&main_left)) {
        pthread_mutex_unlock(&t->lock);
        exit(0);
    }
    if (!main_left && ++t->left_looks == LEFT_LOOKS) /* it was another thread */
        atomic_store(&t->left, false);
}

void
exec_thread_left(struct exec_pool *p)
{
    if (atomic_load(&p->watch.started)) {
        p->watch.left_looks = 0;
        atomic_store(&p->watch.left, true);
        wake(&p->watch);
    }
}

static void
look(struct exec_pool *p)
{
    struct exec_watch *t = &p->watch;
    uint64_t now = exec_now(), longest;
    uint32_t busy = count_busy(t, now, &longest);
    if (!busy) {
        if (atomic_load(&t->left)) {
            end_if_left(t);
            return;
        }
        atomic_store(&t->asleep, true);
        if (!count_busy(t, now, &longest) && !atomic_load(&t->left))
            pthread_cond_wait(&t->changed, &t->lock);
        atomic_store(&t->asleep, false);
        return;
    }
    if (longest < t->options.endless_ms * MS)
        t->wait = t->next = 0;
    uint32_t first =
        pause_of(t) * 4 < t->options.endless_ms ? t->options.heartbeat_ms : t->options.endless_ms;
    if (longest >= first * MS)
        t->install();
    if (longest >= t->options.endless_ms * MS)
        look_for_loops(p, now);
    beat(t, now, longest);
}

static void *
watch_main(void *at)
{
    struct exec_pool *p = at;
    struct exec_watch *t = &p->watch;
    prctl(PR_SET_NAME, EXEC_THREAD_NAME "watch");
    pthread_mutex_lock(&t->lock);
    while (!t->closing) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        uint64_t ns = (uint64_t)until.tv_nsec + pause_of(t) * MS;
        until.tv_sec += (time_t)(ns / (1000 * MS));
        until.tv_nsec = (long)(ns % (1000 * MS));
        int woken = 0;
        while (!t->closing && woken != ETIMEDOUT)
            woken = pthread_cond_timedwait(&t->changed, &t->lock, &until);
        if (!t->closing)
            look(p);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* With all signals blocked: they are for the program's threads. */
static void
start(struct exec_pool *p)
{
    struct exec_watch *t = &p->watch;
    sigset_t all, before;
    pthread_attr_t attributes;
    if (!t->options.endless_ms && !t->options.heartbeat_ms)
        return;
    pthread_mutex_lock(&t->lock);
    if (!atomic_load(&t->started) && !t->failed) {
        sigfillset(&all);
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, WATCH_STACK);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        t->failed = pthread_create(&t->thread, &attributes, watch_main, p) != 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
        atomic_store(&t->started, !t->failed);
    }
    pthread_mutex_unlock(&t->lock);
}

void
exec_set_options(struct exec_pool *p, const struct exec_options *o)
{
    p->watch.options = *o;
}

void
exec_set_shared(struct exec_pool *p)
{
    atomic_store(&p->watch.shared, true);
}

void
exec_watch_init(struct exec_pool *p, void (*install)(void))
{
    struct exec_watch *t = &p->watch;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    t->seat_count = EXEC_CALLERS + p->workers - 1;
    t->seat = aligned_alloc(64, t->seat_count * sizeof *t->seat);
    if (!t->seat)
        ls_out_of_memory(t->seat_count * sizeof *t->seat);
    memset(t->seat, 0, t->seat_count * sizeof *t->seat);
    t->options.endless_ms = DEFAULT_ENDLESS_MS;
    t->install = install;
}

void
exec_watch_fini(struct exec_pool *p)
{
    struct exec_watch *t = &p->watch;
    pthread_mutex_lock(&t->lock);
    t->closing = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    if (atomic_load(&t->started))
        pthread_join(t->thread, NULL);
    for (uint32_t k = 0; k < t->seat_count; k++)
        ls_release(t->seat[k].samples);
    free(t->seat);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->changed);
}
