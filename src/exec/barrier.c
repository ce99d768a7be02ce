/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: barriers in general (PTX ISA 9.7.13.1, bar and barrier): numbers 0..15, thread counts,
 * reductions, bar.arrive, warps whose lanes arrive one by one, threads that have exited, and
 * deadlock.
 *
 * Rules: without a thread count a barrier waits for all threads that have not exited. With one it
 * counts arrivals; a warp all of whose threads have arrived or exited counts as 32 ("the arrival
 * count is incremented by the warp size, not the number of active threads"), a part of a warp as
 * the threads it has. A thread that arrives again (bar.arrive twice) counts again.
 */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <string.h>

static uint32_t
count_lanes(uint32_t lanes)
{
    return (uint32_t)__builtin_popcount(lanes);
}

static bool
is_complete(const struct exec_slot *s, const struct exec_barrier *b)
{
    uint32_t count = b->repeated;
    for (uint32_t i = 0; i < s->warps; i++) {
        uint32_t missing = exec_alive(s, i) & ~b->arrived[i];
        if (b->expected == 0 && missing)
            return false;
        if (b->arrived[i])
            count += missing ? count_lanes(b->arrived[i]) : JIT_LANES;
    }
    return b->expected == 0 || count >= b->expected;
}

static uint32_t
result_of(const struct exec_barrier *b)
{
    switch (b->kind) {
    case JIT_BAR_RED_POPC: return b->votes;
    case JIT_BAR_RED_AND: return b->votes == b->voters;
    case JIT_BAR_RED_OR: return b->votes != 0;
    default: return 0;
    }
}

static void
release_warp(struct exec_slot *s, uint32_t i, uint32_t lanes, uint32_t result)
{
    struct jit_warp *w = &s->warp[i];
    w->barrier_result = result;
    if (s->state[i] == WARP_AT_BARRIER) {
        s->state[i] = WARP_READY;
        s->parked--;
        return;
    }
    w->released |= lanes;
    if (s->state[i] == WARP_WAITING) {
        s->state[i] = WARP_READY;
        s->parked--;
    }
}

/* Lets everyone go if barrier `number` is complete. */
static void
complete(struct exec_slot *s, uint32_t number)
{
    struct exec_barrier *b = &s->barrier[number];
    if (!(s->barriers_used >> number & 1) || !is_complete(s, b))
        return;
    s->barriers_used &= ~(1u << number);
    uint32_t result = result_of(b);
    if (s->run->tool && s->run->tool->barrier)
        s->run->tool->barrier(&s->block, number, b->arrived, b->waiting, b->place);
    for (uint32_t i = 0; i < s->warps; i++)
        if (b->waiting[i])
            release_warp(s, i, b->waiting[i], result);
}

/* -- of a cluster ------------------------------------------------------------------------------ */

static bool
is_used(const struct exec_slot *s, uint32_t number)
{
    return s->barriers_used >> number & 1;
}

/* All threads of all its blocks have come to the cluster's barrier, or exited; false also where
 * none has come. */
static bool
all_came(const struct exec_cluster *c)
{
    bool any = false;
    for (uint32_t r = 0; r < c->blocks; r++) {
        const struct exec_slot *s = c->peer[r];
        bool used = is_used(s, EXEC_CLUSTER_BARRIER);
        any = any || used;
        for (uint32_t i = 0; i < s->warps; i++)
            if (exec_alive(s, i) & ~(used ? s->barrier[EXEC_CLUSTER_BARRIER].arrived[i] : 0))
                return false;
    }
    return any;
}

/* Arrival and wait are apart: who has come and waits later goes on at once then. */
void
exec_cluster_barrier(struct exec_slot *leader)
{
    static const struct exec_barrier none;
    const struct exec_cluster *c = &leader->cluster;
    if (!all_came(c))
        return;
    for (uint32_t r = 0; r < c->blocks; r++) {
        struct exec_slot *s = c->peer[r];
        const struct exec_barrier *b = &s->barrier[EXEC_CLUSTER_BARRIER];
        b = is_used(s, EXEC_CLUSTER_BARRIER) ? b : &none;
        if (s->run->tool && s->run->tool->barrier)
            s->run->tool->barrier(&s->block, EXEC_CLUSTER_BARRIER, b->arrived, b->arrived,
                                  b->place);
    }
    for (uint32_t r = 0; r < c->blocks; r++) {
        struct exec_slot *s = c->peer[r];
        const struct exec_barrier *b = &s->barrier[EXEC_CLUSTER_BARRIER];
        if (!is_used(s, EXEC_CLUSTER_BARRIER))
            continue;
        s->barriers_used &= ~(1u << EXEC_CLUSTER_BARRIER);
        for (uint32_t i = 0; i < s->warps; i++) {
            s->passed[i] |= b->arrived[i] & ~b->waiting[i];
            if (b->waiting[i])
                release_warp(s, i, b->waiting[i], 0);
        }
    }
}

static void
complete_all(struct exec_slot *s)
{
    for (uint32_t left = s->barriers_used & ~(1u << EXEC_CLUSTER_BARRIER); left; left &= left - 1)
        complete(s, (uint32_t)__builtin_ctz(left));
    if (is_used(s, EXEC_CLUSTER_BARRIER) || s->cluster.leader->cluster.blocks > 1)
        exec_cluster_barrier(s->cluster.leader);
}

/* -- arrivals ---------------------------------------------------------------------------------- */

/* "all threads" and the block's size are the same as long as nobody has exited. */
static bool
same_count(const struct exec_slot *s, uint32_t a, uint32_t b)
{
    uint32_t all = s->warps * JIT_LANES;
    return (a ? a : all) == (b ? b : all);
}

static void
check_arrival(struct exec_slot *s, const struct exec_barrier *b, uint32_t warp, uint32_t lanes,
              uint32_t barrier, uint32_t threads, uint32_t place)
{
    char detail[400], there[160];
    if (same_count(s, b->expected, threads))
        return;
    exec_place_text(s->run, b->place, there, sizeof there);
    snprintf(detail, sizeof detail,
             "barrier %u is waited for with %u threads here and with %u at %s (0: all)", barrier,
             threads, b->expected, there[0] ? there : "another place");
    exec_escape(s, warp, lanes, place, true, EXEC_INVALID_BARRIER, "invalid barrier", detail);
}

static struct exec_barrier *
open_barrier(struct exec_slot *s, uint32_t number, uint32_t threads, uint32_t place)
{
    struct exec_barrier *b = &s->barrier[number];
    if (s->barriers_used >> number & 1)
        return b;
    memset(b, 0, sizeof *b);
    b->expected = threads;
    b->place = place;
    s->barriers_used |= 1u << number;
    return b;
}

/* Lanes that come to the wait after the barrier is complete go on at once. Returns those that have
 * to wait. */
static uint32_t
pass(struct exec_slot *s, uint32_t warp, uint32_t lanes)
{
    uint32_t through = s->passed[warp] & lanes;
    s->passed[warp] &= ~through;
    if (!through)
        return lanes;
    if (s->state[warp] == WARP_AT_BARRIER && through != lanes)
        s->state[warp] = WARP_WAITING; /* only some may go: the warp waits in parts */
    if (s->state[warp] == WARP_AT_BARRIER || s->state[warp] == WARP_WAITING)
        release_warp(s, warp, through, 0);
    else
        s->warp[warp].released |= through;
    return lanes & ~through;
}

/* barrier.cluster.arrive; .wait, by threads that have arrived. */
static void
cluster_arrive(struct exec_slot *s, uint32_t warp, uint32_t lanes, bool waits, uint32_t place)
{
    if (waits)
        lanes = pass(s, warp, lanes);
    if (!lanes)
        return;
    if (!waits && s->run->tool && s->run->tool->arrive)
        s->run->tool->arrive(&s->warp[warp], lanes, EXEC_CLUSTER_BARRIER, 0, place);
    struct exec_barrier *b = open_barrier(s, EXEC_CLUSTER_BARRIER, 0, place);
    if (waits) {
        b->waiting[warp] |= lanes;
        exec_note_waiting(s, warp, lanes, EXEC_CLUSTER_BARRIER, place);
    } else {
        b->arrived[warp] |= lanes;
        exec_cluster_barrier(s->cluster.leader);
    }
}

void
exec_arrive(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t barrier, uint32_t threads,
            uint32_t kind, uint32_t votes, bool waits, uint32_t place)
{
    if (kind == JIT_BAR_CLUSTER) {
        cluster_arrive(s, warp, lanes, waits, place);
        return;
    }
    if (barrier >= JIT_BARRIERS || threads % JIT_LANES != 0)
        exec_trap(&s->warp[warp], lanes, JIT_TRAP_BARRIER, place);
    if (s->run->tool && s->run->tool->arrive)
        s->run->tool->arrive(&s->warp[warp], lanes, barrier, threads, place);
    struct exec_barrier *b = open_barrier(s, barrier, threads, place);
    check_arrival(s, b, warp, lanes, barrier, threads, place);
    if (kind != JIT_BAR_SYNC) {
        b->kind = kind;
        b->votes += count_lanes(votes & lanes);
        b->voters += count_lanes(lanes);
    }
    b->repeated += count_lanes(b->arrived[warp] & lanes);
    b->arrived[warp] |= lanes;
    if (waits) {
        b->waiting[warp] |= lanes;
        exec_note_waiting(s, warp, lanes, barrier, place);
    }
    complete(s, barrier);
}

void
exec_warp_returned(struct exec_slot *s, uint32_t i, uint32_t outcome)
{
    struct jit_warp *w = &s->warp[i];
    switch (outcome) {
    case JIT_DONE:
        s->state[i] = WARP_DONE;
        s->live--;
        break;
    case JIT_BARRIER:
        s->state[i] = WARP_AT_BARRIER;
        s->parked++;
        exec_arrive(s, i, w->lanes, w->barrier, w->barrier_threads, w->barrier_kind,
                    w->barrier_votes, true, w->barrier_place);
        break;
    case JIT_WAIT:
        if (!(w->released & (s->call.wanted[i] ? s->call.wanted[i] : ~0u))) {
            s->state[i] = WARP_WAITING;
            s->parked++;
        }
        break;
    default: /* JIT_YIELD: stays ready */ break;
    }
    complete_all(s); /* threads may have exited */
}

/* -- rounds ------------------------------------------------------------------------------------ */

enum round
exec_general_round(struct exec_slot *s)
{
    bool ran = false, yielded = false;
    for (uint32_t i = 0; i < s->warps; i++) {
        if (s->state[i] != WARP_READY)
            continue;
        ran = true;
        uint32_t outcome = exec_warp_call(s, i);
        yielded = yielded || outcome == JIT_YIELD;
        exec_warp_returned(s, i, outcome);
    }
    if (s->live == 0)
        return ROUND_DONE;
    if (!ran)
        return ROUND_WAITS;
    return yielded ? ROUND_YIELDED : ROUND_ON;
}
