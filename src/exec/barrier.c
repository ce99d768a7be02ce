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

/* Lanes of warp i that have not exited. */
static uint32_t
alive(const struct exec_slot *s, uint32_t i)
{
    return s->state[i] == WARP_DONE ? 0 : s->warp[i].lanes;
}

static bool
is_complete(const struct exec_slot *s, const struct exec_barrier *b)
{
    uint32_t count = b->repeated;
    for (uint32_t i = 0; i < s->warps; i++) {
        uint32_t missing = alive(s, i) & ~b->arrived[i];
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
    case JIT_BAR_RED_POPC:
        return b->votes;
    case JIT_BAR_RED_AND:
        return b->votes == b->voters;
    case JIT_BAR_RED_OR:
        return b->votes != 0;
    default:
        return 0;
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
    for (uint32_t i = 0; i < s->warps; i++) {
        if (number == EXEC_CLUSTER_BARRIER)
            s->passed[i] |= b->arrived[i] & ~b->waiting[i];
        if (b->waiting[i])
            release_warp(s, i, b->waiting[i], result);
    }
}

static void
complete_all(struct exec_slot *s)
{
    for (uint32_t left = s->barriers_used; left; left &= left - 1)
        complete(s, (uint32_t)__builtin_ctz(left));
}

/* -- arrivals ---------------------------------------------------------------------------------------- */

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

/* Cluster barriers are split in arrive and wait: lanes that come to the wait after the barrier is
 * complete go on at once. Returns the lanes that still have to wait. */
static uint32_t
cluster_wait(struct exec_slot *s, uint32_t warp, uint32_t lanes)
{
    uint32_t through = s->passed[warp] & lanes;
    s->passed[warp] &= ~through;
    if (!through)
        return lanes;
    if (s->state[warp] == WARP_AT_BARRIER && through == lanes)
        release_warp(s, warp, through, 0);
    else if (s->state[warp] == WARP_AT_BARRIER) {
        /* Only some may go: the warp counts as waiting in parts. */
        s->state[warp] = WARP_WAITING;
        release_warp(s, warp, through, 0);
    } else
        s->warp[warp].released |= through;
    return lanes & ~through;
}

static void
note_waiting(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t barrier, uint32_t place)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t t = warp * JIT_LANES + (uint32_t)__builtin_ctz(left);
        s->lane_place[t] = place;
        s->lane_barrier[t] = (uint8_t)barrier;
    }
}

void
exec_arrive(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t barrier, uint32_t threads,
            uint32_t kind, uint32_t votes, bool waits, uint32_t place)
{
    if (kind == JIT_BAR_CLUSTER) {
        barrier = EXEC_CLUSTER_BARRIER;
        threads = 0;
        if (waits)
            lanes = cluster_wait(s, warp, lanes);
        if (!lanes)
            return;
    } else if (barrier >= JIT_BARRIERS || threads % JIT_LANES != 0) {
        exec_trap(&s->warp[warp], lanes, JIT_TRAP_BARRIER, place);
    }
    if (s->run->tool && s->run->tool->arrive)
        s->run->tool->arrive(&s->warp[warp], lanes, barrier, threads, place);
    struct exec_barrier *b = open_barrier(s, barrier, threads, place);
    check_arrival(s, b, warp, lanes, barrier, threads, place);
    if (kind != JIT_BAR_SYNC && kind != JIT_BAR_CLUSTER) {
        b->kind = kind;
        b->votes += count_lanes(votes & lanes);
        b->voters += count_lanes(lanes);
    }
    if (kind != JIT_BAR_CLUSTER)
        b->repeated += count_lanes(b->arrived[warp] & lanes);
    b->arrived[warp] |= lanes;
    if (waits) {
        b->waiting[warp] |= lanes;
        note_waiting(s, warp, lanes, barrier, place);
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
        if (!(w->released & (s->wanted[i] ? s->wanted[i] : ~0u))) {
            s->state[i] = WARP_WAITING;
            s->parked++;
        }
        break;
    default: /* JIT_YIELD: stays ready */
        break;
    }
    complete_all(s); /* threads may have exited */
}

/* -- deadlock ------------------------------------------------------------------------------------------ */

/* Threads in linear order that do the same: [from, to). */
static bool
same_wait(const struct exec_slot *s, uint32_t a, uint32_t b)
{
    bool gone_a = !(alive(s, a / JIT_LANES) >> a % JIT_LANES & 1);
    bool gone_b = !(alive(s, b / JIT_LANES) >> b % JIT_LANES & 1);
    if (gone_a || gone_b)
        return gone_a == gone_b;
    return s->lane_place[a] == s->lane_place[b] && s->lane_barrier[a] == s->lane_barrier[b];
}

void
exec_held(struct jit_warp *w, uint32_t lanes, uint32_t place)
{
    note_waiting(w->owner, w->warp, lanes, EXEC_OWN_WARP, place);
}

void
exec_note_outside(struct exec_slot *s, uint32_t warp, uint32_t inside)
{
    uint32_t waiting = inside;
    for (uint32_t left = s->barriers_used; left; left &= left - 1)
        waiting |= s->barrier[__builtin_ctz(left)].waiting[warp];
    note_waiting(s, warp, s->warp[warp].lanes & ~waiting, EXEC_ELSEWHERE, 0);
}

static void
describe_range(const struct exec_slot *s, uint32_t from, uint32_t to, struct text *out)
{
    uint32_t a[3], b[3];
    exec_thread_coordinates(s->block.launch->block, from, a);
    exec_thread_coordinates(s->block.launch->block, to - 1, b);
    text_add(out, "%s", out->count ? "; " : "");
    if (to - from == 1)
        text_add(out, "thread (%u,%u,%u)", a[0], a[1], a[2]);
    else
        text_add(out, "threads (%u,%u,%u) to (%u,%u,%u)", a[0], a[1], a[2], b[0], b[1], b[2]);
    if (!(alive(s, from / JIT_LANES) >> from % JIT_LANES & 1)) {
        text_add(out, to - from == 1 ? " has exited" : " have exited");
        return;
    }
    char place[160];
    uint32_t barrier = s->lane_barrier[from];
    if (barrier == EXEC_ELSEWHERE) {
        text_add(out, " stand%s outside of the call in which others of the warp wait",
                 to - from == 1 ? "s" : "");
        return;
    }
    exec_place_text(s->run, s->lane_place[from], place, sizeof place);
    if (barrier == EXEC_BEHIND) {
        text_add(out, " wait%s behind the loop for others of the warp", to - from == 1 ? "s" : "");
        return;
    }
    if (barrier == EXEC_TURNING) {
        text_add(out, to - from == 1 ? " goes" : " go");
        text_add(out, " " EXEC_TURNING_TEXT "%s%s%s", place[0] ? " (" : "", place, place[0] ? ")" : "");
        return;
    }
    if (barrier == EXEC_POLLING) {
        text_add(out, " poll%s what does not change%s%s%s", to - from == 1 ? "s" : "",
                 place[0] ? " (" : "", place, place[0] ? ")" : "");
        return;
    }
    text_add(out, to - from == 1 ? " waits" : " wait");
    if (barrier == EXEC_CLUSTER_BARRIER)
        text_add(out, " at the cluster's barrier");
    else if (barrier == EXEC_OWN_WARP)
        text_add(out, " for others of the warp");
    else
        text_add(out, " at barrier %u", barrier);
    if (barrier < EXEC_BARRIERS && s->barrier[barrier].expected)
        text_add(out, " for %u threads", s->barrier[barrier].expected);
    if (place[0])
        text_add(out, " (%s)", place);
}

/* Threads [first, end) cannot go on; the first that waits is the one named. */
static _Noreturn void
deadlock(struct exec_slot *s, uint32_t first, uint32_t end)
{
    uint32_t waiting = end;
    struct text t = {0};
    for (uint32_t from = first, to; from < end; from = to) {
        for (to = from + 1; to < end && same_wait(s, from, to); to++)
            ;
        if (waiting == end && alive(s, from / JIT_LANES) >> from % JIT_LANES & 1)
            waiting = from;
        describe_range(s, from, to, &t);
    }
    char detail[sizeof s->worker->fault.detail];
    int n = snprintf(detail, sizeof detail, "%s", t.at);
    if (n >= (int)sizeof detail)
        memcpy(detail + sizeof detail - 4, "...", 4);
    text_free(&t);
    exec_escape(s, waiting / JIT_LANES, 1u << waiting % JIT_LANES, s->lane_place[waiting], true,
                EXEC_DEADLOCK, "deadlock", detail);
}

static uint32_t
threads_of(const struct exec_slot *s)
{
    const uint32_t *block = s->block.launch->block;
    return block[0] * block[1] * block[2];
}

void
exec_note_polling(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t place)
{
    note_waiting(s, warp, lanes, EXEC_POLLING, place);
}

/* Of the lanes those in the loop, as the warp said when it gave way, and those behind. */
void
exec_note_turning(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t place)
{
    uint32_t turning = s->returned[warp] == JIT_YIELD ? s->warp[warp].barrier_votes & lanes : lanes;
    note_waiting(s, warp, turning, EXEC_TURNING, place);
    note_waiting(s, warp, lanes & ~turning, EXEC_BEHIND, place);
}

_Noreturn void
exec_deadlock(struct exec_slot *s)
{
    deadlock(s, 0, threads_of(s));
}

_Noreturn void
exec_lanes_stuck(struct jit_warp *w, uint32_t lanes)
{
    struct exec_slot *s = w->owner;
    uint32_t first = w->warp * JIT_LANES, end = threads_of(s);
    exec_note_outside(s, w->warp, lanes);
    deadlock(s, first, first + JIT_LANES < end ? first + JIT_LANES : end);
}

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
    if (!ran) /* nothing outside the block could change that */
        deadlock(s, 0, threads_of(s));
    return yielded ? ROUND_YIELDED : ROUND_ON;
}
