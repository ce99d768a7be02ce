/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: one block in flight.
 *
 * A slot holds what a block needs: its warps with their frames, its window of shared memory, its
 * local memory. Slots are kept between blocks and between launches, so a block costs no system
 * call. Memory is handed on as the last block left it, as on a GPU.
 *
 * exec_block_run goes round over the warps. As long as every warp that is not done comes to the
 * same barrier without a thread count (__syncthreads), fast_round is all that runs; anything else
 * goes through barrier.c and comes back here once it is resolved.
 */
#include "exec/exec_priv.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 65536, PAGE = 4096 };

/* -- memory of a slot -------------------------------------------------------------------------- */

static uint64_t
round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static bool
frames_prepare(struct exec_slot *s, size_t size, struct ls_error *err)
{
    if (size <= s->memory.frames_room)
        return true;
    free(s->memory.frames);
    s->memory.frames_room = 0;
    s->memory.frames = aligned_alloc(64, round_up(size, 64));
    if (!s->memory.frames)
        return ls_fail(err, LS_ERR_MEMORY, "out of memory: %zu bytes for the registers of a block",
                       size);
    s->memory.frames_room = size;
    return true;
}

static void
local_free(struct exec_slot *s)
{
    if (s->memory.local_map)
        munmap(s->memory.local_map, s->memory.local_room + 2 * GUARD);
    s->memory.local_map = NULL;
    s->memory.local_room = 0;
}

/* Reserved, not filled: most kernels never touch most of what the stack limit asks for. */
static bool
local_prepare(struct exec_slot *s, uint64_t size, struct ls_error *err)
{
    size = round_up(size, PAGE);
    if (size <= s->memory.local_room)
        return true;
    local_free(s);
    void *map =
        mmap(NULL, size + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return ls_fail(err, LS_ERR_MEMORY, "out of memory: %llu bytes of local memory for a block",
                       (unsigned long long)size);
    s->memory.local_map = map;
    s->memory.local_room = size;
    if (mprotect(s->memory.local_map + GUARD, size, PROT_READ | PROT_WRITE) != 0) {
        local_free(s);
        return ls_fail(err, LS_ERR_MEMORY, "out of memory: %llu bytes of local memory for a block",
                       (unsigned long long)size);
    }
    return true;
}

static bool
shared_prepare(struct exec_slot *s, uint64_t size, uint32_t blocks, struct ls_error *err)
{
    return (s->memory.shared.at || memory_window_init(&s->memory.shared, s->memory.wide, err)) &&
           ((size == s->memory.shared.size && blocks == s->memory.shared.blocks) ||
            memory_window_set(&s->memory.shared, size, blocks, err));
}

bool
exec_slot_prepare(struct exec_slot *s, struct exec_run *run, struct exec_slot *leader,
                  struct ls_error *err)
{
    const struct jit_kernel *k = run->code->kernel;
    const struct jit_launch *l = &run->launch;
    uint64_t local = (uint64_t)l->local_stride * JIT_LANES * l->warps;
    if (!frames_prepare(s, (size_t)k->frame_bytes * l->warps, err) ||
        !local_prepare(s, local, err) ||
        (s == leader && !shared_prepare(s, (uint64_t)k->needs.shared_bytes + l->dynamic_shared,
                                        run->cluster, err)))
        return false;
    exec_apart_free(s);
    s->cluster = (struct exec_cluster){.leader = leader};
    uint32_t rank = leader->cluster.blocks++;
    leader->cluster.peer[rank] = s;
    struct jit_block old = s->block;
    s->run = run;
    s->warps = l->warps;
    s->block = (struct jit_block){.launch = l,
                                  .shared = leader->memory.shared.at + rank * MEMORY_WINDOW_STRIDE,
                                  .window = leader->memory.shared.at,
                                  .rank = rank,
                                  .asked = s->lane.asked,
                                  .wgmma = s->wgmma,
                                  .wgmma_tiles = &s->wgmma_tiles,
                                  .local = s->memory.local_map ? s->memory.local_map + GUARD : NULL,
                                  .owner = s};
    if (s->run_number == run->number) { /* what a tool keeps per jit_block */
        s->block.tool = old.tool;
        s->block.counts = old.counts;
    }
    s->run_number = run->number;
    exec_combine_prepare(s);
    s->look = (struct exec_look){.step = run->replay.compared != NULL};
    s->straight = !run->tool && !run->resident && run->cluster == 1 &&
                  (!k->has_barrier || k->block) && !k->pauses && !k->polls && !k->recursive;
    s->unsettled = true;
    for (uint32_t i = 0; i < s->warps; i++) {
        s->warp[i] = (struct jit_warp){.block = &s->block,
                                       .frame = s->memory.frames + (size_t)k->frame_bytes * i,
                                       .warp = i,
                                       .owner = s};
    }
    return true;
}

void
exec_slot_free(struct exec_slot *s)
{
    exec_apart_free(s);
    exec_fibers_free(s);
    free(s->configuration);
    free(s->memory.frames);
    free(s->pending);
    free(s->memory.tmem);
    free(s->wgmma_tiles);
    local_free(s);
    memory_window_fini(&s->memory.shared);
    text_free(&s->out);
    free(s);
}

/* -- running ----------------------------------------------------------------------------------- */

static void
block_begin(struct exec_slot *s, uint64_t number)
{
    const struct jit_launch *l = s->block.launch;
    uint32_t sms = s->run->request->sm_count;
    const struct jit_kernel *k = s->run->code->kernel;
    bool whole = s->unsettled || s->call.any_apart;
    exec_apart_free(s);
    if (k->pauses)
        exec_fibers_reset(s);
    s->number = number;
    s->block.smid = sms ? (uint32_t)(number % sms) : 0;
    exec_block_place(s->run, number, s->block.ctaid);
    s->block.index = s->block.ctaid[0] +
                     l->grid[0] * (s->block.ctaid[1] + (uint64_t)l->grid[1] * s->block.ctaid[2]);
    for (uint32_t i = 0; i < s->warps; i++) {
        struct jit_warp *w = &s->warp[i];
        w->resume = 0;
        w->lanes = 0xffffffffu;
        w->released = 0;
        s->call.wanted[i] = 0;
        w->stack = 0;
        w->activation = NULL;
        s->state[i] = WARP_READY;
    }
    uint32_t tail = l->block[0] * l->block[1] * l->block[2] % JIT_LANES;
    if (tail)
        s->warp[s->warps - 1].lanes = (1u << tail) - 1;
    for (uint32_t i = 0; whole && i < s->warps; i++) {
        s->warp[i].frame = s->memory.frames + (size_t)k->frame_bytes * i;
        exec_set_code(s, i, tail && i + 1 == s->warps ? k->partial : k->full);
    }
    s->unsettled = false;
    s->look.found = false;
    s->live = s->warps;
    s->parked = 0;
    s->barriers_used = 0;
    exec_tmem_begin(s);
    if (k->polls) /* without a loop that waits no warpgroup meets */
        memset(s->wgmma, 0, sizeof s->wgmma[0] * s->warps);
    jit_wgmma_forget(s->wgmma_tiles);
    memset(s->passed, 0, sizeof s->passed[0] * s->warps);
    if (s->run->tool && s->run->tool->block_begin)
        s->run->tool->block_begin(&s->block);
}

void
exec_block_begin(struct exec_slot *s, uint64_t number)
{
    for (uint32_t r = 0; r < s->cluster.blocks; r++)
        block_begin(s->cluster.peer[r], number + r);
}

/* All warps are at one barrier that the whole block takes part in: what bar.red gives them. */
static void
fast_reduce(struct exec_slot *s, uint32_t kind)
{
    uint32_t votes = 0, voters = 0;
    for (uint32_t i = 0; i < s->warps; i++) {
        if (s->state[i] == WARP_DONE)
            continue;
        votes += (uint32_t)__builtin_popcount(s->warp[i].barrier_votes & s->warp[i].lanes);
        voters += (uint32_t)__builtin_popcount(s->warp[i].lanes);
    }
    uint32_t result = kind == JIT_BAR_RED_POPC  ? votes
                      : kind == JIT_BAR_RED_AND ? votes == voters
                                                : votes != 0;
    for (uint32_t i = 0; i < s->warps; i++)
        s->warp[i].barrier_result = result;
}

/* The same, for a tool: every thread that has not exited came and waits. lanes: of each warp;
 * apart: not all came to the same instruction. */
static void
fast_announce(struct exec_slot *s, const struct jit_warp *first, const uint32_t *lanes, bool apart)
{
    for (uint32_t i = 0; i < s->warps && apart && s->run->tool->arrive; i++)
        if (lanes[i])
            s->run->tool->arrive(&s->warp[i], lanes[i], first->barrier, 0,
                                 s->warp[i].barrier_place);
    s->run->tool->barrier(&s->block, first->barrier, lanes, lanes, first->barrier_place);
}

/* What to do when not all warps came to the same barrier. */
static enum round
fast_round_failed(struct exec_slot *s, const uint8_t *ran)
{
    bool yielded = false;
    for (uint32_t i = 0; i < s->warps; i++) {
        if (!ran[i])
            continue;
        yielded = yielded || s->returned[i] == JIT_YIELD;
        exec_warp_returned(s, i, s->returned[i]);
    }
    if (s->live == 0)
        return ROUND_DONE;
    return yielded ? ROUND_YIELDED : ROUND_ON;
}

/* Every warp that is not done runs; the state arrays are only touched when they do not agree. */
static enum round
fast_round(struct exec_slot *s)
{
    uint32_t fuel = s->block.launch->fuel;
    struct exec_worker *worker = s->worker;
    const struct jit_warp *first = NULL;
    uint8_t ran[EXEC_MAX_WARPS];
    uint32_t lanes[EXEC_MAX_WARPS];
    uint32_t different = 0, places = 0, done = 0;
    void (*warp_ran)(struct jit_warp *) = s->block.ran;
    for (uint32_t i = 0; i < s->warps; i++) {
        ran[i] = s->state[i] != WARP_DONE;
        lanes[i] = 0;
        if (!ran[i])
            continue;
        struct jit_warp *w = &s->warp[i];
        w->fuel = fuel;
        worker->warp = w;
        uint32_t outcome = s->call.code[i](w);
        if (__builtin_expect(outcome == JIT_APART, false)) {
            outcome = exec_warp_apart(s, i);
            worker->warp = w;
        }
        s->returned[i] = (uint8_t)outcome;
        if (warp_ran)
            warp_ran(w);
        if (outcome == JIT_DONE) {
            done++;
            continue;
        }
        if (!first)
            first = w;
        different |= (outcome ^ JIT_BARRIER) | w->barrier_threads | (w->barrier ^ first->barrier) |
                     (w->barrier_kind ^ first->barrier_kind);
        places |= w->barrier_place ^ first->barrier_place;
        lanes[i] = w->lanes;
    }
    worker->warp = NULL;
    if (different || s->barriers_used || (first && first->barrier_kind == JIT_BAR_CLUSTER))
        return fast_round_failed(s, ran);
    if (done == s->live) {
        s->live = 0;
        return ROUND_DONE;
    }
    if (done)
        for (uint32_t i = 0; i < s->warps; i++)
            if (ran[i] && s->returned[i] == JIT_DONE) {
                s->state[i] = WARP_DONE;
                s->live--;
            }
    if (first->barrier_kind != JIT_BAR_SYNC)
        fast_reduce(s, first->barrier_kind);
    if (s->run->tool && s->run->tool->barrier)
        fast_announce(s, first, lanes, places != 0);
    return ROUND_ON;
}

static enum round
block_round(struct exec_slot *s)
{
    /* A debugger asks what each warp does at any time. */
    bool simple = s->parked == 0 && s->barriers_used == 0 && !s->run->launch.steps;
    return simple ? fast_round(s) : exec_general_round(s);
}

/* A round of each block of a cluster: one whose warps wait for another block (barrier.cluster, an
 * mbarrier) gives way to it. */
static enum round
cluster_round(struct exec_slot *leader)
{
    bool ran = false, yielded = false;
    uint32_t live = 0;
    for (uint32_t r = 0; r < leader->cluster.blocks; r++) {
        struct exec_slot *s = leader->cluster.peer[r];
        if (!s->live)
            continue;
        enum round round = block_round(s);
        ran = ran || round != ROUND_WAITS;
        yielded = yielded || round == ROUND_YIELDED;
        live += s->live != 0;
        if (!s->live)
            exec_cluster_barrier(leader);
    }
    if (!live)
        return ROUND_DONE;
    return !ran ? ROUND_WAITS : yielded ? ROUND_YIELDED : ROUND_ON;
}

static enum block_outcome
run_rounds(struct exec_slot *s)
{
    if (s->run->scheduled)
        return exec_block_turns(s);
    for (;;) {
        enum round r = s->cluster.blocks > 1 ? cluster_round(s) : block_round(s);
        if (r == ROUND_DONE)
            return BLOCK_DONE;
        if (r == ROUND_WAITS) /* nothing outside could change that */
            exec_deadlock(s);
        if (exec_stopped(s->run, s->number))
            return BLOCK_STOPPED;
        if (r == ROUND_YIELDED && s->run->resident)
            return BLOCK_YIELDED;
        if (r == ROUND_YIELDED || s->look.step)
            exec_livelock_round(s, r == ROUND_YIELDED);
        if (r == ROUND_YIELDED && s->run->code->kernel->may_wait)
            sched_yield(); /* for a write by the host, or by another launch */
    }
}

enum block_outcome
exec_block_run(struct exec_slot *s, struct exec_worker *w)
{
    for (uint32_t r = 0; r < s->cluster.blocks; r++) {
        struct exec_slot *peer = s->cluster.peer[r];
        peer->worker = w;
        for (uint32_t i = 0; s->run->code->kernel->recursive && i < s->warps; i++)
            peer->warp[i].stack_end = exec_stack_end();
    }
    /* The signal mask is not saved: handlers run with nothing blocked. */
    if (sigsetjmp(w->escape, 0) != 0) {
        exec_fiber_left(w);
        return BLOCK_FAILED;
    }
    if (s->look.found)
        exec_deadlock_polling(s);
    enum block_outcome outcome = run_rounds(s);
    for (uint32_t r = 0; outcome == BLOCK_DONE && r < s->cluster.blocks; r++)
        exec_tmem_end(s->cluster.peer[r]);
    return outcome;
}

void
exec_block_finish(struct exec_slot *s, enum block_outcome outcome)
{
    if (outcome == BLOCK_FAILED)
        exec_run_fail(s->run, &s->worker->fault);
    const struct jit_tool *tool = s->run->tool;
    for (uint32_t r = 0; r < s->cluster.blocks; r++) {
        struct exec_slot *peer = s->cluster.peer[r];
        if (outcome == BLOCK_DONE && tool && tool->block_end)
            tool->block_end(&peer->block);
        if (outcome != BLOCK_DONE && tool && tool->block_dropped) {
            peer->block.deadlocked =
                outcome == BLOCK_FAILED && s->worker->fault.status == EXEC_DEADLOCK;
            tool->block_dropped(&peer->block);
        }
        if (peer->out.count)
            exec_output_done(peer);
    }
}

/* -- blocks without waits ---------------------------------------------------------------------- */

/* The block's number and coordinates; the one after the last is found without dividing. */
static void
straight_begin(struct exec_slot *s, uint64_t index)
{
    struct jit_block *b = &s->block;
    const uint32_t *grid = b->launch->grid;
    if (s->unsettled || index != b->index + 1 || b->ctaid[0] + 1 == grid[0]) {
        exec_block_begin(s, index);
        return;
    }
    s->number = b->index = index;
    b->ctaid[0]++;
    b->smid = b->smid + 1 >= s->run->request->sm_count ? 0 : b->smid + 1;
}

/* Warp `at` has to wait after all: the warps before it are done, the block goes on in rounds. */
static enum block_outcome
straight_waits(struct exec_slot *s, uint32_t at, uint32_t outcome)
{
    struct jit_warp w = s->warp[at];
    exec_block_begin(s, s->block.index);
    s->unsettled = true; /* for the next block */
    s->warp[at] = w;
    for (uint32_t i = 0; i < at; i++)
        s->state[i] = WARP_DONE;
    s->live -= at;
    if (outcome == JIT_APART) {
        s->worker->warp = &s->warp[at];
        outcome = exec_warp_apart(s, at);
        s->worker->warp = NULL;
    }
    s->returned[at] = (uint8_t)outcome;
    exec_warp_returned(s, at, outcome);
    return s->live ? run_rounds(s) : BLOCK_DONE;
}

static enum block_outcome
run_straight(struct exec_slot *s, struct exec_worker *worker)
{
    const struct jit_launch *l = s->block.launch;
    if (s->run->code->kernel->block) {
        worker->warp = &s->warp[0];
        s->run->code->kernel->block(&s->warp[0]);
        worker->warp = NULL;
        return BLOCK_DONE;
    }
    uint32_t fuel = l->fuel, tail = l->block[0] * l->block[1] * l->block[2] % JIT_LANES;
    for (uint32_t i = 0; i < s->warps; i++) {
        struct jit_warp *w = &s->warp[i];
        w->resume = 0;
        w->lanes = tail && i + 1 == s->warps ? (1u << tail) - 1 : 0xffffffffu;
        w->fuel = fuel;
        worker->warp = w;
        uint32_t outcome = s->call.code[i](w);
        worker->warp = NULL;
        if (__builtin_expect(outcome != JIT_DONE, false))
            return straight_waits(s, i, outcome);
    }
    return BLOCK_DONE;
}

/* One place to come back to for all of them: a failed block says by its number where to go on. */
void
exec_blocks_straight(struct exec_slot *s, struct exec_worker *w, uint64_t first, uint64_t end,
                     _Atomic uint64_t *progress)
{
    s->worker = w;
    s->block.index = first - 1;
    s->unsettled = true;
    if (sigsetjmp(w->escape, 0) != 0) {
        exec_fiber_left(w);
        s->unsettled = true;
        exec_run_fail(s->run, &w->fault);
        if (s->out.count)
            exec_output_done(s);
    }
    for (uint64_t i = s->block.index + 1; i < end && !exec_stopped(s->run, i); i++) {
        atomic_store_explicit(progress, i, memory_order_release);
        straight_begin(s, i);
        run_straight(s, w);
        if (s->out.count)
            exec_output_done(s);
    }
}
