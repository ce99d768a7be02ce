/* SPDX-License-Identifier: Apache-2.0
 *
 * livelock.c: grids in which nothing can happen any more: all warps poll, or wait for those that
 * do.
 *
 * When a grid has polled for a while, one round of all its warps is run with the state before and
 * after it compared: registers as they are saved, barriers, shared, local and device memory. What a
 * round does follows from that state alone; where the round leaves it as it was, so will all that
 * come. That holds when nobody else writes to memory and time plays no part: not looked for with
 * clocks in the kernel, with other threads in the process than ours and such as wait for them, and
 * where called functions wait (their registers lie on stacks). Blocks that may wait for each other
 * are run by one thread meanwhile; a block that waits for its own warps alone is looked at by its
 * worker, the others go on.
 */
#include "exec/exec_priv.h"

enum {
    FIRST_MS = 200, /* of polling before the first look */
    SHARE = 20,     /* a look comes after this many times what the last one took */
};

bool
exec_livelock_can_be_known(const struct exec_run *run)
{
    return exec_is_closed(run) && !exec_others_may_write(run->pool);
}

uint64_t
exec_livelock_now(const struct exec_run *run)
{
    enum { STEP_NS = 10 };
    const struct jit_steps *steps = run->launch.steps;
    return steps ? steps->position * STEP_NS + 1 : exec_now();
}

void
exec_livelock_later(const struct exec_run *run, struct exec_look *l, uint64_t since)
{
    uint64_t now = exec_livelock_now(run);
    l->step = 0;
    l->wait *= 2;
    if (l->wait < SHARE * (now - since))
        l->wait = SHARE * (now - since);
    l->at = now + l->wait;
}

bool
exec_livelock_due(const struct exec_run *run, struct exec_look *l)
{
    uint64_t now = exec_livelock_now(run);
    if (!l->at) {
        l->wait = FIRST_MS * 1000000ull;
        l->at = now + l->wait;
    }
    if (now < l->at)
        return false;
    if (exec_livelock_can_be_known(run))
        return true;
    l->at = UINT64_MAX;
    return false;
}

/* -- one block --------------------------------------------------------------------------------- */

/* A round of a replay whose loops give way (exec_replay_loop): its end is compared with the state
 * after round 1, 2, 4, 8, ... (Brent); a state that has come again is a loop that never ends. */
static void
turning_round(struct exec_slot *s)
{
    struct exec_run *run = s->run;
    struct exec_look *l = &s->look;
    if (exec_now() > run->replay.deadline)
        exec_escape(s, 0, 0, 0, false, EXEC_FAILED, "", NULL);
    uint64_t slot = exec_hash_slot(s);
    if (l->rounds && slot == l->slot && exec_hash_memory(run) == l->memory)
        exec_deadlock_polling(s);
    for (uint32_t k = 0; k < s->warps; k++)
        run->replay.compared[k].count = 0;
    if (++l->rounds == l->step) {
        l->slot = slot;
        l->memory = exec_hash_memory(run);
        l->step *= 2;
    }
}

void
exec_livelock_round(struct exec_slot *s, bool yielded)
{
    struct exec_run *run = s->run;
    struct exec_look *l = &s->look;
    if (!yielded && !run->replay.compared) {
        l->step = 0;
        return;
    }
    if (run->replay.compared) {
        turning_round(s);
        return;
    }
    if (l->step == 0) {
        if (!exec_livelock_due(run, l)) /* asked in each: of a busy machine a round takes 20 ms */
            return;
        l->since = exec_livelock_now(run);
        l->slot = exec_hash_slot(s);
        l->step = 1;
    } else if (exec_hash_slot(s) != l->slot) {
        exec_livelock_later(run, l, l->since);
    } else if (l->step == 1) {
        l->memory = exec_hash_memory(run);
        l->step = 2;
    } else if (exec_hash_memory(run) != l->memory) {
        exec_livelock_later(run, l, l->since);
    } else {
        exec_deadlock_polling(s);
    }
}
