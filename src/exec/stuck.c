/* SPDX-License-Identifier: Apache-2.0
 *
 * stuck.c: grids in which nothing can happen any more: all warps poll, or wait for those that do.
 *
 * When a grid has polled for a while, one round of all its warps is run with the state before and
 * after it compared: registers as they are saved, barriers, shared, local and device memory. What a
 * round does follows from that state alone; where the round leaves it as it was, so will all that
 * come. That holds when nobody else writes to memory and time plays no part: not looked for with
 * clocks in the kernel, with other threads in the process than ours and such as wait for them, and where called functions wait
 * (their registers lie on stacks). Blocks of one grid are run by one thread meanwhile.
 */
#include "exec/exec_priv.h"

#include <unistd.h>

enum {
    FIRST_MS = 200, /* of polling before the first look */
    SHARE = 20,     /* a look comes after this many times what the last one took */
};

static bool
can_be_known(const struct exec_run *run)
{
    return exec_is_closed(run) && !exec_others_may_write(run->pool);
}

static void
look_later(struct exec_run *run, uint64_t since)
{
    uint64_t now = exec_now();
    run->look.step = 0;
    run->look.wait *= 2;
    if (run->look.wait < SHARE * (now - since))
        run->look.wait = SHARE * (now - since);
    run->look.at = now + run->look.wait;
}

bool
exec_stuck_due(struct exec_run *run)
{
    uint64_t now = exec_now();
    if (!run->look.at) {
        run->look.wait = FIRST_MS * 1000000ull;
        run->look.at = now + run->look.wait;
    }
    if (now < run->look.at)
        return false;
    if (can_be_known(run))
        return true;
    run->look.at = UINT64_MAX;
    return false;
}

/* -- reports ------------------------------------------------------------------------------------ */

_Noreturn void
exec_stuck_report(struct exec_slot *s)
{
    for (uint32_t i = 0; i < s->warps; i++) {
        uint32_t waiting = 0;
        for (uint32_t left = s->barriers_used; left; left &= left - 1)
            waiting |= s->barrier[__builtin_ctz(left)].waiting[i];
        if (s->state[i] == WARP_READY)
            (s->run->turning ? exec_note_turning : exec_note_polling)(s, i, s->warp[i].lanes & ~waiting, s->warp[i].barrier_place);
    }
    exec_deadlock(s);
}

/* -- one block --------------------------------------------------------------------------------- */

void
exec_stuck_round(struct exec_slot *s, bool yielded)
{
    struct exec_run *run = s->run;
    struct exec_look *l = &run->look;
    if (!yielded && !run->turning) {
        l->step = 0;
        return;
    }
    if (run->turning) {
        exec_replay_round(s);
        return;
    }
    if (l->step == 0) {
        if (++l->rounds % 64 || !exec_stuck_due(run))
            return;
        l->since = exec_now();
        l->slot = exec_hash_slot(s);
        l->step = 1;
    } else if (exec_hash_slot(s) != l->slot) {
        look_later(run, l->since);
    } else if (l->step == 1) {
        l->memory = exec_hash_memory(run);
        l->step = 2;
    } else if (exec_hash_memory(run) != l->memory) {
        look_later(run, l->since);
    } else {
        exec_stuck_report(s);
    }
}

/* -- many ---------------------------------------------------------------------------------------- */

static uint64_t
count_queue(struct exec_run *run, bool *out_full)
{
    uint64_t n = 0;
    pthread_mutex_lock(&run->lock);
    for (const struct exec_slot *s = run->queue; s; s = s->next)
        n++;
    *out_full = n == run->in_flight && n &&
                (atomic_load(&run->next) >= run->blocks || run->in_flight >= run->most_in_flight);
    pthread_mutex_unlock(&run->lock);
    return n;
}

/* A round of all blocks that leaves their own state as it is. */
static bool
same_round(struct exec_run *run, struct exec_worker *w, uint64_t blocks)
{
    for (uint64_t k = 0; k < blocks; k++) {
        struct exec_slot *s = exec_next_resident(run);
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

void
exec_stuck_look(struct exec_run *run, struct exec_worker *w)
{
    uint64_t since = exec_now(), blocks = 0;
    bool full = false, same = false;
    while (!atomic_load(&run->over) && atomic_load(&run->stop) == UINT64_MAX && !full &&
           exec_now() - since < 1000000000ull) {
        blocks = count_queue(run, &full); /* the other threads finish their turn */
        if (!full)
            usleep(50);
    }
    if (full && same_round(run, w, blocks)) {
        uint64_t memory = exec_hash_memory(run);
        same = same_round(run, w, blocks) && exec_hash_memory(run) == memory;
    }
    if (same) {
        struct exec_slot *s = exec_next_resident(run);
        s->stuck = true;
        exec_resident_ran(run, s, exec_block_run(s, w));
        return;
    }
    look_later(run, since);
}
