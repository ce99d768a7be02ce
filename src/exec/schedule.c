/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule.c: a run whose warps go on in another order than the usual one (each to its next
 * barrier). Code of these runs returns before every access to memory (jit_request.scheduled). Of
 * the blocks in flight the one whose warp is due first (turns.c) has the next turn. One thread runs
 * all of it, so that a run follows from the schedule alone.
 */
#include "exec/exec_priv.h"

#include <string.h>

bool
exec_schedule_parse(const char *text, struct exec_schedule *out, struct ls_error *err)
{
    static const char *const names[] = {"default", "gpu", NULL, "adversarial"};
    *out = (struct exec_schedule){0};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k] && !strcmp(text, names[k])) {
            out->kind = (enum exec_order_kind)k;
            return true;
        }
    if (!strncmp(text, "random:", 7) && ls_parse_u64(text + 7, &out->seed)) {
        out->kind = EXEC_RANDOM;
        return true;
    }
    return ls_fail(err, LS_ERR_USAGE,
                   "default, gpu, random:SEED or adversarial is a schedule, not \"%s\"", text);
}

enum {
    STEP_SHARE =
        64, /* EXEC_GPU: blocks are abreast up to this part of the time that they have run, */
    STEP_MOST = 4096, /*   and up to so many cycles: SMs do not go in step, and what a block uses
                         stays in the cache */
};

/* -- turns of blocks: a heap ------------------------------------------------------------------- */

static bool
goes_before(const struct exec_slot *a, const struct exec_slot *b)
{
    uint64_t x = exec_due(a), y = exec_due(b);
    return x != y ? x < y : a->block.index < b->block.index;
}

static void
swap(struct exec_run *run, size_t a, size_t b)
{
    struct exec_slot *s = run->turns.heap.at[a];
    run->turns.heap.at[a] = run->turns.heap.at[b];
    run->turns.heap.at[b] = s;
}

static void
sink(struct exec_run *run, size_t k)
{
    for (;;) {
        size_t least = k;
        for (size_t child = 2 * k + 1; child < 2 * k + 3 && child < run->turns.heap.count; child++)
            if (goes_before(run->turns.heap.at[child], run->turns.heap.at[least]))
                least = child;
        if (least == k)
            return;
        swap(run, k, least);
        k = least;
    }
}

static void
add(struct exec_run *run, struct exec_slot *s)
{
    size_t k = run->turns.heap.count;
    VEC_PUSH(&run->turns.heap, s);
    for (; k && goes_before(run->turns.heap.at[k], run->turns.heap.at[(k - 1) / 2]);
         k = (k - 1) / 2)
        swap(run, k, (k - 1) / 2);
}

/* As many blocks as the device has room for. */
static void
begin_blocks(struct exec_run *run, uint64_t now)
{
    struct exec_slot *s;
    while ((s = exec_resident_next(run))) {
        exec_turns_begin(s, now);
        add(run, s);
    }
}

/* A turn of a block that is in flight, or, until another block is due,
 * several; false: it has left. */
static bool
take_turn(struct exec_run *run, struct exec_worker *w, struct exec_slot *s, uint64_t until)
{
    run->turns.until = until;
    enum block_outcome outcome = exec_block_run(s, w);
    if (outcome == BLOCK_YIELDED)
        return true;
    run->turns.idle = 0;
    exec_resident_ran(run, s, outcome);
    return false;
}

/* How far the first block of the heap may go. */
static uint64_t
until_next(const struct exec_run *run)
{
    uint64_t next = UINT64_MAX, step = exec_due(run->turns.heap.at[0]) / STEP_SHARE;
    for (size_t k = 1; k < 3 && k < run->turns.heap.count; k++)
        if (exec_due(run->turns.heap.at[k]) < next)
            next = exec_due(run->turns.heap.at[k]);
    if (next == UINT64_MAX || run->request->schedule.kind != EXEC_GPU)
        return next;
    return next + (step < STEP_MOST ? step : STEP_MOST);
}

/* Block k of the heap has left. */
static void
leave(struct exec_run *run, size_t k, uint64_t now)
{
    run->turns.heap.at[k] = run->turns.heap.at[--run->turns.heap.count];
    for (size_t n = run->turns.heap.count; n-- > 0;)
        sink(run, n);
    begin_blocks(run, now);
}

/* -- whether anything can happen at all -------------------------------------------------------- */

enum {
    LOOK_TURNS = 4096, /* of each warp, without a barrier or an end, before rounds of all warps are
                          looked at; */
    LOOK_ROUNDS = 1024,
    LOOK_STATES =
        16, /*   and so many states, which are hashed where all warps stand where they stood */
};

/* Where all warps stand. */
static uint64_t
hash_places(struct exec_run *run)
{
    uint64_t h = 1;
    for (struct exec_slot *leader = run->flight.flying; leader; leader = leader->next_in_flight)
        for (uint32_t r = 0; r < leader->cluster.blocks; r++) {
            const struct exec_slot *s = leader->cluster.peer[r];
            for (uint32_t i = 0; i < s->warps; i++)
                h = exec_hash_bytes(h, &s->warp[i].resume, sizeof s->warp[i].resume);
        }
    return h;
}

/* A hash of the whole state: warps, shared and local memory of the blocks in flight, and the
 * device's memory. */
static uint64_t
hash_state(struct exec_run *run)
{
    uint64_t h = exec_hash_memory(run);
    for (struct exec_slot *s = run->flight.flying; s; s = s->next_in_flight) {
        uint64_t slot = exec_hash_slot(s);
        h = exec_hash_bytes(h, &slot, sizeof slot);
    }
    return h;
}

/* Each warp that can go on has a turn; false: something happened. */
static bool
same_round(struct exec_run *run, struct exec_worker *w)
{
    for (size_t k = 0; k < run->turns.heap.count; k++) {
        struct exec_slot *leader = run->turns.heap.at[k];
        for (uint32_t n = 0; n < leader->cluster.blocks * EXEC_MAX_WARPS; n++) {
            const struct exec_slot *s = leader->cluster.peer[n / EXEC_MAX_WARPS];
            uint32_t i = n % EXEC_MAX_WARPS;
            if (i >= s->warps || s->state[i] != WARP_READY)
                continue;
            leader->turn = n;
            uint64_t now = s->due[i];
            if (!take_turn(run, w, leader, 0))
                leave(run, k, now);
            if (!run->turns.idle)
                return false;
        }
    }
    return true;
}

/* Rounds in which every warp goes on, until they come to a state that was there before (as in
 * livelock.c): then nobody who is waited for comes, in no order that lets all go on. */
static void
look(struct exec_run *run, struct exec_worker *w)
{
    uint64_t places = 0, state = 0;
    uint32_t states = 0;
    for (uint32_t round = 0, next = 1;
         round < LOOK_ROUNDS && states < LOOK_STATES && same_round(run, w); round++) {
        uint64_t now = hash_places(run);
        if (round && now == places && ++states && hash_state(run) == state) {
            struct exec_slot *s = run->turns.heap.at[0];
            s->look.found = true;
            exec_resident_ran(run, s, exec_block_run(s, w));
            return;
        }
        if (round + 1 == next) {
            places = now;
            state = hash_state(run);
            next *= 2;
        }
    }
    for (size_t n = run->turns.heap.count; n-- > 0;)
        sink(run, n);
}

void
exec_schedule_work(struct exec_run *run, struct exec_worker *w)
{
    uint64_t each = LOOK_TURNS;
    begin_blocks(run, 0);
    while (run->turns.heap.count && atomic_load(&run->stop) == UINT64_MAX) {
        uint64_t now = exec_due(run->turns.heap.at[0]);
        if (take_turn(run, w, run->turns.heap.at[0], until_next(run)))
            sink(run, 0);
        else
            leave(run, 0, now);
        if (!run->turns.heap.count ||
            run->turns.idle < each * run->turns.heap.count * run->launch.warps)
            continue;
        each *= 2;
        if (exec_livelock_can_be_known(run))
            look(run, w);
        run->turns.idle = 0;
    }
}
