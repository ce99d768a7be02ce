/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: one launch. Ordinary kernels: workers take chunks of blocks from a counter and run each to
 * its end. Kernels whose blocks may wait for each other, and cooperative launches: a block that
 * yields goes to the end of a queue, and its worker starts a new block as long as the device would
 * have room for it, else goes on with the first of the queue. So a single worker is enough for any
 * number of blocks to make progress.
 *
 * When a block fails, blocks before it still run to their end and the lowest failing one is
 * reported: the report does not depend on the number of workers. (Not for resident runs, where
 * blocks may wait for the failed one.)
 */
#include "exec/exec_priv.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    INLINE_NS = 12000,        /* waking a thread costs more than helping with less than this */
    DEFAULT_RESIDENT = 1024,  /* blocks in flight when the request names no limit */
    DEFAULT_STACK = 1024,     /* bytes per thread: CUDA's default for cudaLimitStackSize */
    STREAM_THREADS = 4 << 20, /* launches from which on stores go past the caches: 16 MiB of words */
};

/* -- ordinary ---------------------------------------------------------------------------------------- */

static void
finish_block(struct exec_slot *s, enum block_outcome outcome)
{
    if (outcome == BLOCK_FAILED)
        exec_run_fail(s->run, &s->worker->fault);
    const struct jit_tool *tool = s->run->tool;
    if (outcome == BLOCK_DONE && tool && tool->block_end)
        tool->block_end(&s->block);
    if (outcome != BLOCK_DONE && tool && tool->block_dropped)
        tool->block_dropped(&s->block);
    if (s->out.count)
        exec_output_done(s);
}

static void
work_ordinary(struct exec_run *run, struct exec_worker *w, struct exec_slot *s)
{
    _Atomic uint64_t *progress = &run->progress[w->id].block;
    for (;;) {
        /* Before the claim, so that whoever sees the claim sees a bound at or below it. */
        atomic_store(progress, atomic_load(&run->next));
        uint64_t first = atomic_fetch_add(&run->next, run->chunk);
        if (first >= run->blocks)
            break;
        if (run->request->begun)
            atomic_store_explicit(run->request->begun, first, memory_order_relaxed);
        uint64_t end = first + run->chunk < run->blocks ? first + run->chunk : run->blocks;
        if (s->straight) {
            exec_blocks_straight(s, w, first, end, progress);
            continue;
        }
        for (uint64_t i = first; i < end; i++) {
            if (exec_stopped(run, i))
                break;
            atomic_store_explicit(progress, i, memory_order_release);
            exec_block_begin(s, i);
            finish_block(s, exec_block_run(s, w));
        }
    }
    atomic_store(progress, UINT64_MAX);
}

/* -- resident ---------------------------------------------------------------------------------------- */

static void
leave_flight(struct exec_run *run, struct exec_slot *s)
{
    struct exec_slot **at = &run->flying;
    while (*at != s)
        at = &(*at)->next_in_flight;
    *at = s->next_in_flight;
    run->in_flight--;
    run->finished++;
    if (run->finished == run->blocks)
        atomic_store(&run->over, true);
}

/* A new block when the device has room and `start` asks for one first, else the longest waiting one.
 * NULL: nothing to do at the moment. */
static struct exec_slot *
next_resident(struct exec_run *run, bool start)
{
    struct exec_slot *s = NULL;
    pthread_mutex_lock(&run->lock);
    uint64_t next = atomic_load_explicit(&run->next, memory_order_relaxed);
    bool room = next < run->blocks && run->in_flight < run->most_in_flight;
    if (room && (start || !run->queue)) {
        struct ls_error err;
        s = exec_slot_take(run, &err);
        if (s) {
            exec_block_begin(s, next);
            atomic_store_explicit(&run->next, next + 1, memory_order_relaxed);
            if (run->request->begun)
                atomic_store_explicit(run->request->begun, next, memory_order_relaxed);
            run->in_flight++;
            s->next_in_flight = run->flying;
            run->flying = s;
        } else if (!run->in_flight) {
            exec_run_fail_text(run, next, err.text);
        } else {
            run->most_in_flight = run->in_flight; /* as many as memory allows */
        }
    }
    if (!s && run->queue) {
        s = run->queue;
        run->queue = s->next;
        if (!run->queue)
            run->queue_end = &run->queue;
    }
    pthread_mutex_unlock(&run->lock);
    return s;
}

static void
put_back(struct exec_run *run, struct exec_slot *s)
{
    s->next = NULL;
    pthread_mutex_lock(&run->lock);
    *run->queue_end = s;
    run->queue_end = &s->next;
    pthread_mutex_unlock(&run->lock);
}

struct exec_slot *
exec_next_resident(struct exec_run *run)
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
    finish_block(s, outcome);
    pthread_mutex_lock(&run->lock);
    leave_flight(run, s);
    pthread_mutex_unlock(&run->lock);
    exec_slot_give(run->pool, s);
}

/* Now and then one thread looks whether anything can happen at all. */
static void
look_sometimes(struct exec_run *run, struct exec_worker *w)
{
    if (atomic_flag_test_and_set(&run->looking))
        return;
    if (exec_stuck_due(run)) {
        atomic_store(&run->still, true);
        exec_stuck_look(run, w);
        atomic_store(&run->still, false);
    }
    atomic_flag_clear(&run->looking);
}

static void
work_resident(struct exec_run *run, struct exec_worker *w)
{
    bool start = true;
    uint32_t idle = 0, yields = 0;
    while (!atomic_load(&run->over) && atomic_load(&run->stop) == UINT64_MAX) {
        struct exec_slot *s = atomic_load(&run->still) ? NULL : next_resident(run, start);
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

/* -- both ---------------------------------------------------------------------------------------------- */

bool
exec_grid_wants(struct exec_run *run)
{
    if (run->chain)
        return exec_chain_wants(run->chain);
    if (atomic_load(&run->stop) != UINT64_MAX)
        return false;
    return run->resident ? !atomic_load(&run->over) : atomic_load(&run->next) < run->blocks;
}

void
exec_grid_work(struct exec_run *run, struct exec_worker *w)
{
    struct exec_entry entry;
    exec_thread_enter(run->pool, w, &entry);
    if (run->chain) {
        exec_chain_work(run->chain, w);
    } else if (run->resident) {
        work_resident(run, w);
    } else {
        struct ls_error err;
        struct exec_slot *s = exec_slot_take(run, &err);
        if (s) {
            uint64_t begin = exec_now();
            work_ordinary(run, w, s);
            atomic_fetch_add(&run->spent, exec_now() - begin);
            exec_combine_end(s->block.pending);
            if (run->launch.streams) /* streaming stores come in no order */
                atomic_thread_fence(memory_order_seq_cst);
            exec_slot_give(run->pool, s);
        } else if (w->id == 0) { /* without helpers it is only slower */
            exec_run_fail_text(run, 0, err.text);
        }
    }
    exec_thread_leave(&entry);
}

void
exec_launch_fill(struct jit_launch *l, const struct exec_request *r, const struct jit_kernel *k,
                 const struct jit_services *services, void *owner)
{
    uint32_t threads = r->block[0] * r->block[1] * r->block[2];
    uint32_t stack = k->recursive ? (r->stack_limit ? r->stack_limit : DEFAULT_STACK) : 0;
    *l = (struct jit_launch){
        .params = r->params,
        .symbols = r->symbols,
        .functions = k->functions,
        .services = services,
        .grid = {r->grid[0], r->grid[1], r->grid[2]},
        .block = {r->block[0], r->block[1], r->block[2]},
        .warps = (threads + JIT_LANES - 1) / JIT_LANES,
        .dynamic_shared = r->dynamic_shared,
        .local_stride = (k->local_bytes + stack + 15) / 16 * 16,
        .fuel = EXEC_FUEL,
        .gridid = r->gridid,
        .cooperative = r->cooperative,
        .owner = owner,
    };
}

static bool
request_is_sound(const struct exec_request *r, char *text, size_t room)
{
    for (int d = 0; d < 3; d++) {
        if (r->grid[d] == 0 || r->block[d] == 0) {
            snprintf(text, room, "a grid of (%u,%u,%u) blocks of (%u,%u,%u) threads is empty",
                     r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2]);
            return false;
        }
    }
    uint64_t threads = (uint64_t)r->block[0] * r->block[1];
    if (threads > EXEC_MAX_THREADS || threads * r->block[2] > EXEC_MAX_THREADS) {
        snprintf(text, room, "a block of (%u,%u,%u) threads is more than %d", r->block[0],
                 r->block[1], r->block[2], EXEC_MAX_THREADS);
        return false;
    }
    uint64_t blocks;
    if (__builtin_mul_overflow((uint64_t)r->grid[0] * r->grid[1], (uint64_t)r->grid[2], &blocks) ||
        blocks >= UINT64_MAX / 2) {
        snprintf(text, room, "a grid of (%u,%u,%u) blocks is too large", r->grid[0], r->grid[1],
                 r->grid[2]);
        return false;
    }
    return true;
}

void
exec_run_init(struct exec_run *run, struct exec_pool *p, const struct exec_request *r,
              const struct exec_code *code)
{
    const struct jit_kernel *k = code->kernel;
    *run = (struct exec_run){.pool = p, .request = r, .code = code, .tool = r->tool};
    run->services = exec_services;
    if (run->tool) {
        run->services.access = run->tool->access;
        run->services.pattern = run->tool->pattern;
        run->services.halves = run->tool->halves;
        run->services.batch = run->tool->batch;
        run->services.sync = run->tool->sync;
        run->services.async = run->tool->async;
    }
    run->number = atomic_fetch_add(&p->runs_begun, 1) + 1;
    exec_launch_fill(&run->launch, r, k, &run->services, run);
    run->blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    uint64_t threads = run->blocks * r->block[0] * r->block[1] * r->block[2];
    /* A tool's next lock would wait for them: 192 ns a warp where stores to the caches take 24. */
    run->launch.streams = !run->tool && threads >= STREAM_THREADS;
    run->resident = (r->cooperative || k->may_wait) && run->blocks > 1;
    uint64_t resident = r->resident_blocks ? r->resident_blocks : DEFAULT_RESIDENT;
    run->most_in_flight = resident < run->blocks ? resident : run->blocks;
    uint64_t chunk = run->blocks / ((uint64_t)p->workers * 16);
    run->chunk = chunk < 1 ? 1 : chunk > 256 ? 256 : chunk;
    atomic_init(&run->stop, UINT64_MAX);
    run->queue_end = &run->queue;
    pthread_mutex_init(&run->lock, NULL);
    pthread_mutex_init(&run->fault_lock, NULL);
    run->progress = aligned_alloc(64, sizeof *run->progress * p->workers);
    if (!run->progress)
        ls_out_of_memory(sizeof *run->progress * p->workers);
    for (uint32_t i = 0; i < p->workers; i++)
        atomic_init(&run->progress[i].block, UINT64_MAX);
}

void
exec_run_fini(struct exec_run *run)
{
    while (run->flying) { /* blocks that were given up */
        struct exec_slot *s = run->flying;
        run->flying = s->next_in_flight;
        exec_slot_give(run->pool, s);
    }
    free(run->progress);
    VEC_FREE(&run->pending);
    pthread_mutex_destroy(&run->lock);
    pthread_mutex_destroy(&run->fault_lock);
}

/* Alone when the grid is known to be done before another thread would be awake. A block's time is
 * without what waking a helper and waiting for it costs (17 us here): with that, two blocks of 2 us would
 * never be found small. */
static void
run_grid(struct exec_run *run)
{
    struct exec_pool *p = run->pool;
    struct exec_worker w = {.id = 0};
    _Atomic uint32_t *hint = &p->hint[((uintptr_t)run->code->kernel >> 6) % EXEC_HINTS];
    uint64_t each = atomic_load_explicit(hint, memory_order_relaxed);
    bool alone = run->blocks == 1 || p->workers == 1 ||
                 (!run->resident && each && run->blocks < INLINE_NS / each);
    if (alone && run->blocks == 1) {
        exec_grid_work(run, &w);
        return;
    }
    if (!alone)
        exec_pool_offer(p, run);
    exec_grid_work(run, &w);
    if (!alone)
        exec_pool_withdraw(p, run);
    uint64_t spent = atomic_load(&run->spent) / run->blocks;
    atomic_store_explicit(hint, spent < 1 ? 1 : spent > UINT32_MAX ? UINT32_MAX : (uint32_t)spent,
                          memory_order_relaxed);
}

static struct jit_tool_launch
tool_launch(const struct exec_run *run)
{
    const struct exec_request *r = run->request;
    const struct jit_kernel *k = run->code->kernel;
    return (struct jit_tool_launch){
        .module = r->module,
        .kernel = r->kernel,
        .code = k,
        .launch = &run->launch,
        .shared_bytes = (uint64_t)k->shared_bytes + r->dynamic_shared,
        .sm_count = r->sm_count,
        .resident_blocks = r->resident_blocks,
        .id = r->tool_id,
        .memory = r->memory,
        .parent = r->parent,
        .stream = r->stream,
    };
}

bool
exec_run_code(struct exec_pool *p, const struct exec_request *r, const struct exec_code *code,
              struct exec_report *report)
{
    struct exec_run run;
    memset(report, 0, sizeof *report);
    if (!request_is_sound(r, report->text, sizeof report->text)) {
        report->status = EXEC_FAILED;
        return false;
    }
    exec_run_init(&run, p, r, code);
    struct jit_tool_launch watched = tool_launch(&run);
    if (r->tool && r->tool->launch_begin)
        run.launch.tool = r->tool->launch_begin(r->tool, &watched);
    run_grid(&run);
    bool fine = atomic_load(&run.stop) == UINT64_MAX;
    exec_output_end(&run);
    if (r->tool && r->tool->launch_end)
        r->tool->launch_end(r->tool, &watched, fine);
    if (!fine) {
        if (run.fault.by_signal)
            exec_replay(&run, &run.fault);
        if (run.fault.endless)
            exec_replay_loop(&run, &run.fault);
        exec_report_fault(&run, &run.fault, report);
    }
    fine = exec_nested_tail(&run, fine, report);
    exec_run_fini(&run);
    return fine;
}
