/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.c: the report of threads that cannot go on: who waits where, who has exited, who polls.
 */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <string.h>

/* The thread, which waits at the cluster's barrier, has arrived there. */
static bool
has_come(const struct exec_slot *s, uint32_t t)
{
    const struct exec_barrier *b = &s->barrier[EXEC_CLUSTER_BARRIER];
    return s->barriers_used >> EXEC_CLUSTER_BARRIER & 1 &&
           b->arrived[t / JIT_LANES] >> t % JIT_LANES & 1;
}

/* What a thread that polls executes again and again; NULL: it does not poll. */
static const struct ptx_insn *
polled(const struct exec_slot *s, uint32_t t)
{
    const struct ptx_func *func;
    const struct ptx_insn *i;
    bool polls = s->lane.barrier[t] == EXEC_POLLING || s->lane.barrier[t] == EXEC_TURNING;
    return polls && s->run->request->module &&
                   jit_place(s->run->request->module, s->lane.place[t], &func, &i)
               ? i
               : NULL;
}

/* The phase of an mbarrier that a polling thread asks for; NULL: the thread polls something
 * else. */
static const struct jit_asked *
asked_of(const struct exec_slot *s, uint32_t t)
{
    const struct ptx_insn *i = s->lane.asked[t].address ? polled(s, t) : NULL;
    return i && i->op == PTX_OP_MBARRIER ? &s->lane.asked[t] : NULL;
}

static bool
waits_for_warpgroup(const struct exec_slot *s, uint32_t t)
{
    const struct ptx_insn *i = polled(s, t);
    return i && (i->op == PTX_OP_WGMMA_MMA_ASYNC || i->op == PTX_OP_WGMMA_WAIT_GROUP);
}

static bool
same_asked(const struct jit_asked *a, const struct jit_asked *b)
{
    return (!a && !b) || (a && b && a->address == b->address && a->parity == b->parity);
}

/* Threads in linear order that do the same: [from, to). */
static bool
same_wait(const struct exec_slot *s, uint32_t a, uint32_t b)
{
    bool gone_a = !(exec_alive(s, a / JIT_LANES) >> a % JIT_LANES & 1);
    bool gone_b = !(exec_alive(s, b / JIT_LANES) >> b % JIT_LANES & 1);
    if (gone_a || gone_b)
        return gone_a == gone_b;
    return s->lane.place[a] == s->lane.place[b] && s->lane.barrier[a] == s->lane.barrier[b] &&
           same_asked(asked_of(s, a), asked_of(s, b)) &&
           (a / JIT_LANES / 4 == b / JIT_LANES / 4 || !waits_for_warpgroup(s, a)) &&
           (s->lane.barrier[a] != EXEC_CLUSTER_BARRIER || has_come(s, a) == has_come(s, b));
}

/* " for a phase of parity 0 of the mbarrier at byte 64 of shared memory: 1 of 3 arrivals and 256
 * bytes are missing". */
static void
describe_asked(const struct exec_slot *s, const struct jit_asked *a, struct text *out)
{
    uint64_t word, at = a->address - (uint64_t)(uintptr_t)s->block.window;
    memcpy(&word, (const void *)(uintptr_t)a->address, sizeof word);
    struct jit_mbarrier m = jit_mbarrier_of(word);
    text_add(out, " for a phase of parity %u of the mbarrier at byte %llu of shared memory",
             a->parity, (unsigned long long)(at % MEMORY_WINDOW_STRIDE));
    if (at / MEMORY_WINDOW_STRIDE != s->block.rank)
        text_add(out, " of block %llu of the cluster",
                 (unsigned long long)(at / MEMORY_WINDOW_STRIDE));
    if (!word)
        text_add(out, ", which is not initialised");
    else
        text_add(out, ": %u of %u arrivals%s", m.pending, m.expected,
                 m.bytes > 0 ? "" : " are missing");
    if (m.bytes > 0)
        text_add(out, " and %d bytes are missing", m.bytes);
    if (m.bytes < 0)
        text_add(out, ", and %d bytes more have come than were expected", -m.bytes);
    if (word && m.parity != a->parity)
        text_add(out, ", and its phase is of parity %u", m.parity);
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
    if (!(exec_alive(s, from / JIT_LANES) >> from % JIT_LANES & 1)) {
        text_add(out, to - from == 1 ? " has exited" : " have exited");
        return;
    }
    char place[160];
    uint32_t barrier = s->lane.barrier[from];
    if (barrier == EXEC_ELSEWHERE) {
        text_add(out, " stand%s outside of the call in which others of the warp wait",
                 to - from == 1 ? "s" : "");
        return;
    }
    exec_place_text(s->run, s->lane.place[from], place, sizeof place);
    if (barrier == EXEC_BEHIND) {
        text_add(out, " wait%s behind the loop for others of the warp", to - from == 1 ? "s" : "");
        return;
    }
    if (asked_of(s, from)) {
        text_add(out, to - from == 1 ? " waits" : " wait");
        describe_asked(s, asked_of(s, from), out);
        text_add(out, "%s%s%s", place[0] ? " (" : "", place, place[0] ? ")" : "");
        return;
    }
    if (waits_for_warpgroup(s, from)) {
        text_add(out, " wait%s for all warps of warpgroup %u to come%s%s%s",
                 to - from == 1 ? "s" : "", from / JIT_LANES / 4, place[0] ? " (" : "", place,
                 place[0] ? ")" : "");
        return;
    }
    if (barrier == EXEC_TURNING) {
        text_add(out, to - from == 1 ? " goes" : " go");
        text_add(out, " " EXEC_TURNING_TEXT "%s%s%s", place[0] ? " (" : "", place,
                 place[0] ? ")" : "");
        return;
    }
    if (barrier == EXEC_POLLING) {
        text_add(out, " poll%s what does not change%s%s%s", to - from == 1 ? "s" : "",
                 place[0] ? " (" : "", place, place[0] ? ")" : "");
        return;
    }
    text_add(out, to - from == 1 ? " waits" : " wait");
    if (barrier == EXEC_CLUSTER_BARRIER)
        text_add(out, " at the cluster's barrier%s",
                 has_come(s, from) ? "" : " without having arrived at it");
    else if (barrier == EXEC_OWN_WARP)
        text_add(out, " for others of the warp");
    else
        text_add(out, " at barrier %u", barrier);
    if (barrier < EXEC_BARRIERS && s->barrier[barrier].expected)
        text_add(out, " for %u threads", s->barrier[barrier].expected);
    if (place[0])
        text_add(out, " (%s)", place);
}

static uint32_t
threads_of(const struct exec_slot *s)
{
    const uint32_t *block = s->block.launch->block;
    return block[0] * block[1] * block[2];
}

/* What threads [first, end) of a block do, and the first that waits; `end`: none. */
static uint32_t
describe(const struct exec_slot *s, uint32_t first, uint32_t end, struct text *out)
{
    uint32_t waiting = end;
    for (uint32_t from = first, to; from < end; from = to) {
        for (to = from + 1; to < end && same_wait(s, from, to); to++)
            ;
        if (waiting == end && exec_alive(s, from / JIT_LANES) >> from % JIT_LANES & 1)
            waiting = from;
        describe_range(s, from, to, out);
    }
    return waiting;
}

/* Ends the launch with a deadlock of block s; the message names its thread `waiting`. */
static _Noreturn void
report(struct exec_slot *s, uint32_t waiting, struct text *t)
{
    char detail[sizeof s->worker->fault.detail];
    int n = snprintf(detail, sizeof detail, "%s", t->at);
    if (n >= (int)sizeof detail)
        memcpy(detail + sizeof detail - 4, "...", 4);
    text_free(t);
    exec_escape(s, waiting / JIT_LANES, 1u << waiting % JIT_LANES, s->lane.place[waiting], true,
                EXEC_DEADLOCK, "deadlock", detail);
}

/* Every waiter of every block. */
_Noreturn void
exec_deadlock(struct exec_slot *s)
{
    const struct exec_cluster *c = &s->cluster.leader->cluster;
    uint32_t end = threads_of(s), waiting = end;
    struct exec_slot *named = s;
    struct text t = {0};
    for (uint32_t r = 0; r < c->blocks; r++) {
        struct exec_slot *peer = c->peer[r];
        struct text own = {0};
        uint32_t first = describe(peer, 0, end, &own);
        const uint32_t *at = peer->block.ctaid;
        if (c->blocks > 1)
            text_add(&t, "%sblock (%u,%u,%u): ", t.count ? "; " : "", at[0], at[1], at[2]);
        text_add(&t, "%s", own.at);
        text_free(&own);
        if (waiting == end && first != end) {
            named = peer;
            waiting = first;
        }
    }
    report(named, waiting, &t);
}

_Noreturn void
exec_lanes_deadlock(struct jit_warp *w, uint32_t lanes)
{
    struct exec_slot *s = w->owner;
    uint32_t first = w->warp * JIT_LANES, end = threads_of(s);
    struct text t = {0};
    exec_note_outside(s, w->warp, lanes);
    end = first + JIT_LANES < end ? first + JIT_LANES : end;
    uint32_t waiting = describe(s, first, end, &t);
    report(s, waiting, &t);
}

static void
note_polling(struct exec_slot *s)
{
    for (uint32_t i = 0; i < s->warps; i++) {
        uint32_t waiting = 0;
        for (uint32_t left = s->barriers_used; left; left &= left - 1)
            waiting |= s->barrier[__builtin_ctz(left)].waiting[i];
        if (s->state[i] == WARP_READY)
            (s->run->replay.compared ? exec_note_turning : exec_note_polling)(
                s, i, s->warp[i].lanes & ~waiting, s->warp[i].barrier_place);
    }
}

_Noreturn void
exec_deadlock_polling(struct exec_slot *s)
{
    const struct exec_cluster *c = &s->cluster.leader->cluster;
    for (uint32_t r = 0; r < c->blocks; r++)
        note_polling(c->peer[r]);
    exec_deadlock(s);
}
