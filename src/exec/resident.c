/* SPDX-License-Identifier: Apache-2.0
 *
 * resident.c: blocks that may wait for each other, in flight together. A block (a cluster of them,
 * which its first block stands for) that yields goes to the end of a queue, and its worker starts a
 * new block as long as the device would have room for it, else goes on with the first of the queue.
 * So a single worker is enough for any number of blocks to make progress.
 *
 * Now and then one thread looks whether they are in a livelock (livelock.c): it runs all blocks of
 * the grid while the others stand still.
 */
#include "exec/exec_priv.h"

#include <sched.h>
#include <unistd.h>

static void
leave_flight(struct exec_run *run, struct exec_slot *s)
{
    struct exec_slot **at = &run->flight.flying;
    while (*at != s)
        at = &(*at)->next_in_flight;
    *at = s->next_in_flight;
    run->flight.in_flight--;
    run->flight.finished += run->cluster;
    if (run->flight.finished == run->blocks)
        atomic_store(&run->flight.over, true);
}

/* A new block when the device has room and `start` asks for one first, else the longest waiting
 * one. NULL: nothing to do at the moment. */
static struct exec_slot *
next_resident(struct exec_run *run, bool start)
{
    struct exec_slot *s = NULL;
    pthread_mutex_lock(&run->flight.lock);
    uint64_t next = atomic_load_explicit(&run->next, memory_order_relaxed);
    bool room = next < run->blocks && run->flight.in_flight < run->flight.most_in_flight;
    if (room && (start || !run->flight.queue)) {
        struct ls_error err;
        s = exec_slot_take(run, &err);
        if (s) {
            exec_block_begin(s, next);
            atomic_store_explicit(&run->next, next + run->cluster, memory_order_relaxed);
            if (run->request->begun)
                atomic_store_explicit(run->request->begun, next, memory_order_relaxed);
            run->flight.in_flight++;
            s->next_in_flight = run->flight.flying;
            run->flight.flying = s;
        } else if (!run->flight.in_flight) {
            exec_run_fail_text(run, next, err.text);
        } else {
            run->flight.most_in_flight = run->flight.in_flight; /* as many as memory allows */
        }
    }
    if (!s && run->flight.queue) {
        s = run->flight.queue;
        run->flight.queue = s->next;
        if (!run->flight.queue)
            run->flight.queue_end = &run->flight.queue;
    }
    pthread_mutex_unlock(&run->flight.lock);
    return s;
}

bool
exec_resident_cancel(struct exec_run *run, uint64_t *number)
{
    pthread_mutex_lock(&run->flight.lock);
    *number = atomic_load_explicit(&run->next, memory_order_relaxed);
    bool left = run->resident && *number < run->blocks;
    if (left) {
        atomic_store_explicit(&run->next, *number + run->cluster, memory_order_relaxed);
        run->flight.finished += run->cluster;
    }
    pthread_mutex_unlock(&run->flight.lock);
    return left;
}

static void
put_back(struct exec_run *run, struct exec_slot *s)
{
    s->next = NULL;
    pthread_mutex_lock(&run->flight.lock);
    *run->flight.queue_end = s;
    run->flight.queue_end = &s->next;
    pthread_mutex_unlock(&run->flight.lock);
}

struct exec_slot *
exec_resident_next(struct exec_run *run)
{
    return next_resident(run, false);
}

void
exec_resident_ran(struct exec_run *run, struct exec_slot *s, enum block_outcome outcome)
{
    if (outcome == BLOCK_YIELDED) {
        put_back(run, s);
        return;
    }
    exec_block_finish(s, outcome);
    pthread_mutex_lock(&run->flight.lock);
    leave_flight(run, s);
    pthread_mutex_unlock(&run->flight.lock);
    exec_slot_give(run->pool, s);
}

/* -- whether anything can happen at all -------------------------------------------------------- */

static uint64_t
count_queue(struct exec_run *run, bool *out_full)
{
    uint64_t n = 0;
    pthread_mutex_lock(&run->flight.lock);
    for (const struct exec_slot *s = run->flight.queue; s; s = s->next)
        n++;
    *out_full = n == run->flight.in_flight && n &&
                (atomic_load(&run->next) >= run->blocks ||
                 run->flight.in_flight >= run->flight.most_in_flight);
    pthread_mutex_unlock(&run->flight.lock);
    return n;
}

/* A round of all blocks that leaves their own state as it is. */
static bool
same_round(struct exec_run *run, struct exec_worker *w, uint64_t blocks)
{
    for (uint64_t k = 0; k < blocks; k++) {
        struct exec_slot *s = exec_resident_next(run);
        if (!s)
            return false;
        uint64_t before = exec_hash_slot(s);
        enum block_outcome outcome = exec_block_run(s, w);
        exec_resident_ran(run, s, outcome);
        if (outcome != BLOCK_YIELDED || exec_hash_slot(s) != before)
            return false;
    }
    return true;
}

static void
livelock_look(struct exec_run *run, struct exec_worker *w)
{
    uint64_t since = exec_livelock_now(run), begin = exec_now(), blocks = 0;
    bool full = false, same = false;
    while (!atomic_load(&run->flight.over) && atomic_load(&run->stop) == UINT64_MAX && !full &&
           exec_now() - begin < 1000000000ull) {
        blocks = count_queue(run, &full); /* the other threads finish their turn */
        if (!full)
            usleep(50);
    }
    if (full && same_round(run, w, blocks)) {
        uint64_t memory = exec_hash_memory(run);
        same = same_round(run, w, blocks) && exec_hash_memory(run) == memory;
    }
    if (same) {
        struct exec_slot *s = exec_resident_next(run);
        s->look.found = true;
        exec_resident_ran(run, s, exec_block_run(s, w));
        return;
    }
    exec_livelock_later(run, &run->livelock.look, since);
}

/* Now and then one thread looks whether anything can happen at all. */
static void
look_sometimes(struct exec_run *run, struct exec_worker *w)
{
    if (atomic_flag_test_and_set(&run->livelock.looking))
        return;
    if (exec_livelock_due(run, &run->livelock.look)) {
        atomic_store(&run->livelock.still, true);
        livelock_look(run, w);
        atomic_store(&run->livelock.still, false);
    }
    atomic_flag_clear(&run->livelock.looking);
}

/* -- a worker ---------------------------------------------------------------------------------- */

void
exec_resident_work(struct exec_run *run, struct exec_worker *w)
{
    bool start = true;
    uint32_t idle = 0, yields = 0;
    while (!atomic_load(&run->flight.over) && atomic_load(&run->stop) == UINT64_MAX) {
        struct exec_slot *s = atomic_load(&run->livelock.still) ? NULL : next_resident(run, start);
        if (!s) {
            if (++idle < 100)
                sched_yield();
            else
                usleep(50);
            continue;
        }
        idle = 0;
        enum block_outcome outcome = exec_block_run(s, w);
        start = outcome == BLOCK_YIELDED;
        exec_resident_ran(run, s, outcome);
        if (start && ++yields % 64 == 0)
            look_sometimes(run, w);
    }
}
