/* SPDX-License-Identifier: Apache-2.0
 *
 * turns.c: the warps of one block take turns (schedule.c). Each has a number, `due`, and the one
 * whose number is least goes next, up to its next access. Schedules differ in what a turn adds: as
 * many cycles as an SM would take for it; a random number; little for a load and much for a store.
 */
#include "exec/exec_priv.h"

#include <string.h>

/* -- what a turn costs ------------------------------------------------------------------------- */

enum {
    LATE_STORE = 64,   /* EXEC_ADVERSARIAL: turns of others before a store, and */
    LATE_WARP = 16384, /*   before the first turn of each block's first warp; */
    APART = 64,        /*   between the first turns of neighbouring warps */
    MOST_TURNS = 1024, /* of one block */
};

static uint64_t
mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9fb21c651e98df25ull;
    a = (a ^ a >> 32) * 0xd6e8feb86659fd93ull;
    return a ^ a >> 29;
}

/* The random number of a warp at this time. */
static uint64_t
draw(const struct exec_slot *s, uint32_t i, uint64_t due)
{
    const struct exec_run *run = s->run;
    return mix(
        mix(mix(run->request->schedule.seed, run->number), s->block.index * EXEC_MAX_WARPS + i),
        due);
}

/* A quarter of the seeds has warps that are alike; in the others some are up to 64 times as slow,
 * begin late, or stand still now and then. */
static uint64_t
random_cost(const struct exec_slot *s, uint32_t i, uint64_t due)
{
    uint64_t character = mix(s->run->request->schedule.seed, 1), r = draw(s, i, due);
    uint64_t cost = 1 + r % 64;
    if (character & 1)
        cost <<= draw(s, i, 0) % 7;
    if (character & 2 && !(r >> 32 & 63))
        cost *= 64;
    return cost;
}

static bool
stores_next(const struct exec_slot *s, uint32_t i)
{
    const struct ptx_func *func;
    const struct ptx_insn *next;
    if (!jit_place(s->run->request->module, s->warp[i].barrier_place, &func, &next))
        return false;
    return next->op != PTX_OP_LD && next->op != PTX_OP_LDU && next->op != PTX_OP_LDMATRIX;
}

static uint64_t
cost(const struct exec_slot *s, uint32_t i)
{
    if (s->run->request->schedule.kind == EXEC_RANDOM)
        return random_cost(s, i, s->due[i]);
    return stores_next(s, i) ? LATE_STORE : 1;
}

/* When a block's warp has its first turn, after the block began. */
static uint64_t
begin_late(const struct exec_slot *s, uint32_t i)
{
    uint64_t most = s->run->flight.most_in_flight;
    switch (s->run->request->schedule.kind) {
    case EXEC_RANDOM: return draw(s, i, 1) % (1 + (draw(s, i, 2) & 4095));
    case EXEC_ADVERSARIAL:
        return ((most - 1 - s->block.index % most) * EXEC_MAX_WARPS + s->warps - 1 - i) * APART +
               (i ? 0 : LATE_WARP);
    default: return 0;
    }
}

/* -- turns of a block -------------------------------------------------------------------------- */

/* The turns of a cluster's blocks are its first one's: a warp's number counts through all of them,
 * and the block it is in is this. */
static struct exec_slot *
slot_of_turn(const struct exec_slot *leader)
{
    return leader->cluster.peer[leader->turn / EXEC_MAX_WARPS];
}

static uint64_t
due_of(const struct exec_slot *leader)
{
    return slot_of_turn(leader)->due[leader->turn % EXEC_MAX_WARPS];
}

/* Which warp goes next; UINT32_MAX: none can, which the next turn reports. */
static void
choose(struct exec_slot *leader)
{
    uint64_t least = 0;
    leader->turn = UINT32_MAX;
    for (uint32_t r = 0; r < leader->cluster.blocks; r++) {
        const struct exec_slot *s = leader->cluster.peer[r];
        for (uint32_t i = 0; i < s->warps; i++)
            if (s->state[i] == WARP_READY && (leader->turn == UINT32_MAX || s->due[i] < least)) {
                leader->turn = r * EXEC_MAX_WARPS + i;
                least = s->due[i];
            }
    }
}

void
exec_turns_begin(struct exec_slot *leader, uint64_t now)
{
    for (uint32_t r = 0; r < leader->cluster.blocks; r++) {
        struct exec_slot *s = leader->cluster.peer[r];
        for (uint32_t i = 0; i < s->warps; i++) {
            s->due[i] = now + begin_late(s, i);
            s->warp[i].clock = s->warp[i].ready = now;
        }
    }
    choose(leader);
}

uint64_t
exec_due(const struct exec_slot *s)
{
    return s->turn == UINT32_MAX ? 0 : due_of(s);
}

/* Warps that a barrier let go are due when the last one has come to it. */
static void
release(struct exec_slot *leader, uint8_t before[][EXEC_MAX_WARPS], const struct exec_slot *own,
        uint32_t last)
{
    uint64_t due = own->due[last], clock = own->warp[last].clock;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t r = 0; r < leader->cluster.blocks; r++) {
            struct exec_slot *s = leader->cluster.peer[r];
            for (uint32_t i = 0; i < s->warps; i++) {
                if (!(s == own && i == last) &&
                    (before[r][i] == WARP_READY || s->state[i] != WARP_READY))
                    continue;
                due = due < s->due[i] ? s->due[i] : due;
                clock = clock < s->warp[i].clock ? s->warp[i].clock : clock;
                s->due[i] = due;
                s->warp[i].clock = clock;
            }
        }
}

static uint32_t
parked(const struct exec_slot *leader)
{
    uint32_t n = 0;
    for (uint32_t r = 0; r < leader->cluster.blocks; r++)
        n += leader->cluster.peer[r]->parked;
    return n;
}

/* One turn; false: a warp ended, or came to a barrier. */
static bool
turn(struct exec_slot *leader)
{
    uint8_t before[JIT_CLUSTER_MOST][EXEC_MAX_WARPS];
    if (leader->turn == UINT32_MAX)
        exec_deadlock(leader);
    struct exec_slot *s = slot_of_turn(leader);
    uint32_t i = leader->turn % EXEC_MAX_WARPS, stood = parked(leader);
    for (uint32_t r = 0; r < leader->cluster.blocks; r++)
        memcpy(before[r], leader->cluster.peer[r]->state, s->warps);
    uint32_t outcome = exec_warp_call(s, i);
    s->returned[i] = (uint8_t)outcome;
    s->due[i] =
        s->run->request->schedule.kind == EXEC_GPU ? s->warp[i].clock : s->due[i] + cost(s, i);
    exec_warp_returned(s, i, outcome);
    if (parked(leader) < stood || (outcome != JIT_YIELD && s->state[i] == WARP_READY))
        release(leader, before, s, i);
    choose(leader);
    return outcome == JIT_YIELD && parked(leader) == stood;
}

static bool
is_live(const struct exec_slot *leader)
{
    bool live = false;
    for (uint32_t r = 0; r < leader->cluster.blocks; r++)
        live = live || leader->cluster.peer[r]->live;
    return live;
}

enum block_outcome
exec_block_turns(struct exec_slot *leader)
{
    struct exec_run *run = leader->run;
    do
        run->turns.idle = turn(leader) ? run->turns.idle + 1 : 0;
    while (run->turns.idle % MOST_TURNS && exec_due(leader) < run->turns.until);
    return is_live(leader) ? BLOCK_YIELDED : BLOCK_DONE;
}
