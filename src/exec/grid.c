/* SPDX-License-Identifier: Apache-2.0
 *
 * grid.c: one launch from its first block to its report. Workers take chunks of blocks from a
 * counter and run each to its end; kernels whose blocks may wait for each other, and cooperative
 * launches: resident.c.
 *
 * When a block fails, blocks before it still run to their end and the lowest failing one is
 * reported: the report does not depend on the number of workers. (Not for resident runs, where
 * blocks may wait for the failed one.)
 */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <string.h>

enum { INLINE_NS = 12000 }; /* waking a thread costs more than helping with less than this */

/* -- parts of a grid --------------------------------------------------------------------------- */

static bool
is_mine(const struct exec_run *run, uint64_t block)
{
    const struct exec_part *p = &run->part;
    return p->tool->counts(p->launch, block) != p->rest;
}

/* The next range of blocks of [*first, end) that the run is of, up to *last; false: none is left.
 */
static bool
next_range(const struct exec_run *run, uint64_t *first, uint64_t *last, uint64_t end)
{
    *last = end;
    if (!run->part.tool)
        return *first < end;
    while (*first < end && !is_mine(run, *first))
        ++*first;
    for (*last = *first; *last < end && is_mine(run, *last);)
        ++*last;
    return *first < end;
}

/* -- ordinary ---------------------------------------------------------------------------------- */

static void
run_range(struct exec_run *run, struct exec_worker *w, struct exec_slot *s,
          struct exec_passing *passing, uint64_t first, uint64_t end)
{
    _Atomic uint64_t *progress = &run->progress[w->id].block;
    if (s->straight) {
        exec_blocks_straight(s, w, first, end, progress);
        return;
    }
    for (uint64_t i = first; i < end && !exec_stopped(run, i); i += run->cluster) {
        atomic_store_explicit(progress, i, memory_order_release);
        bool passed = run->launch.steps && exec_pass(s, passing, i);
        exec_block_begin(s, i);
        exec_block_finish(s, exec_block_run(s, w));
        if (passed)
            exec_passed(s, passing);
    }
}

/* False: better code is to be made before this worker goes on. */
static bool
work_ordinary(struct exec_run *run, struct exec_worker *w, struct exec_slot *s)
{
    bool leaves = false;
    _Atomic uint64_t *progress = &run->progress[w->id].block;
    struct exec_passing passing = {0};
    while (!atomic_load_explicit(&run->takeover.ready, memory_order_relaxed)) {
        leaves = w->id == 0 && exec_takeover_due(run);
        if (leaves)
            break;
        /* Before the claim, so that whoever sees the claim sees a bound at or below it. */
        atomic_store(progress, atomic_load(&run->next));
        uint64_t first = atomic_fetch_add(&run->next, run->chunk);
        if (first >= run->blocks)
            break;
        if (run->request->begun)
            atomic_store_explicit(run->request->begun, first, memory_order_relaxed);
        uint64_t end = first + run->chunk < run->blocks ? first + run->chunk : run->blocks, last;
        for (; next_range(run, &first, &last, end); first = last)
            run_range(run, w, s, &passing, first, last);
    }
    atomic_store(progress, UINT64_MAX);
    return !leaves;
}

/* -- a worker's part --------------------------------------------------------------------------- */

static bool
wants(void *context)
{
    struct exec_run *run = context;
    if (atomic_load(&run->stop) != UINT64_MAX)
        return false;
    return run->resident
               ? !atomic_load(&run->flight.over)
               : atomic_load(&run->next) < run->blocks && !atomic_load(&run->takeover.ready);
}

static void
work(void *context, struct exec_worker *w)
{
    struct exec_run *run = context;
    struct ls_error err;
    if (run->scheduled) {
        exec_schedule_work(run, w);
        return;
    }
    if (run->resident) {
        exec_resident_work(run, w);
        return;
    }
    struct exec_slot *s = exec_slot_take(run, &err);
    if (s) {
        uint64_t begin = exec_now();
        bool done = work_ordinary(run, w, s);
        atomic_fetch_add(&run->takeover.spent, exec_now() - begin);
        exec_combine_end(s->block.pending);
        if (run->launch.block_streams) /* what goes past the caches comes in no order */
            atomic_thread_fence(memory_order_seq_cst);
        exec_slot_give(run->pool, s);
        if (!done)
            exec_takeover_make(run);
    } else if (w->id == 0) { /* without helpers it is only slower */
        exec_run_fail_text(run, 0, err.text);
    }
}

/* -- the launch -------------------------------------------------------------------------------- */

static bool
cluster_is_sound(const struct exec_request *r, char *text, size_t room)
{
    const uint32_t *c = r->cluster;
    uint64_t blocks = (uint64_t)c[0] * c[1];
    if (!c[0])
        return true;
    bool whole = c[1] && c[2];
    for (int d = 0; d < 3 && whole; d++)
        whole = r->grid[d] % c[d] == 0;
    if (!whole) {
        snprintf(text, room, "a grid of (%u,%u,%u) blocks is not made of clusters of (%u,%u,%u)",
                 r->grid[0], r->grid[1], r->grid[2], c[0], c[1], c[2]);
        return false;
    }
    if (blocks > JIT_CLUSTER_MOST || blocks * c[2] > JIT_CLUSTER_MOST) {
        snprintf(text, room, "a cluster of (%u,%u,%u) blocks is more than %d", c[0], c[1], c[2],
                 JIT_CLUSTER_MOST);
        return false;
    }
    return true;
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
    return cluster_is_sound(r, text, room);
}

/* One worker runs all blocks, however many the pool has. */
static bool
is_one_threaded(const struct exec_run *run)
{
    return run->blocks == run->cluster || run->scheduled || run->launch.steps;
}

/* Alone when the grid is known to be done before another thread would be awake. A block's time is
 * without what waking a helper and waiting for it costs (17 us here): with that, two blocks of 2 us
 * would never be found small. */
static void
run_grid(struct exec_run *run)
{
    struct exec_pool *p = run->pool;
    struct exec_job job = {.wants = wants, .work = work, .context = run};
    _Atomic uint32_t *hint = &p->hint[((uintptr_t)run->code->kernel >> 6) % EXEC_HINTS];
    uint64_t each = atomic_load_explicit(hint, memory_order_relaxed);
    bool one_thread = is_one_threaded(run);
    bool small = !run->resident && each && run->blocks < INLINE_NS / each;
    exec_takeover_begin(run);
    do
        exec_pool_run(p, &job, one_thread || small);
    while (exec_takeover(run));
    if (one_thread)
        return;
    uint64_t spent = atomic_load(&run->takeover.spent) / run->blocks;
    atomic_store_explicit(hint,
                          spent < 1            ? 1
                          : spent > UINT32_MAX ? UINT32_MAX
                                               : (uint32_t)spent,
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
        .shared_bytes = (uint64_t)k->needs.shared_bytes + r->dynamic_shared,
        .sm_count = r->sm_count,
        .resident_blocks = r->resident_blocks,
        .id = r->tool_id,
        .memory = r->memory,
        .parent = r->parent,
        .stream = r->stream,
        .spread = run->pool->workers > 1 && !is_one_threaded(run),
        .look = exec_look,
        .whole = run->scheduled     ? "its warps take turns"
                 : run->resident    ? "its blocks may wait for each other"
                 : run->cluster > 1 ? "its blocks form clusters"
                                    : NULL,
    };
}

/* Quick code is told of what its launches take. */
static void
run_timed(struct exec_run *run, struct jit_engine *jit, const struct jit_kernel *k)
{
    bool timed = k->quick || k->deferred;
    uint64_t start = timed ? exec_now() : 0;
    if (timed)
        jit_runs(jit, k);
    run_grid(run);
    if (timed)
        jit_ran(jit, k, 1e-9 * (double)(exec_now() - start));
    if (run->code->kernel != k) /* better code took over; only functions' time is asked for */
        jit_ran(jit, run->code->kernel, 0);
}

static void
report_failure(struct exec_run *run, struct exec_report *report)
{
    if (run->fault.by_signal)
        exec_replay(run, &run->fault);
    if (run->fault.endless)
        exec_replay_loop(run, &run->fault);
    exec_report_fault(run, &run->fault, report);
}

/* The blocks that the tool is not told of; it is of what they launch. */
static bool
run_rest(const struct exec_run *counted, struct exec_report *report)
{
    struct exec_request plain = *counted->request;
    struct exec_source source;
    struct exec_run run;
    plain.tool = NULL;
    if (!exec_source_open(&source, &plain, report))
        return false;
    exec_run_init(&run, counted->pool, &plain, &source.code);
    run.request = counted->request;
    run.resident = false; /* as the counted ones: no block waits for another */
    run.part = counted->part;
    run.part.rest = true;
    run_timed(&run, plain.jit, source.code.kernel);
    bool fine = atomic_load(&run.stop) == UINT64_MAX;
    exec_output_end(&run);
    if (!fine)
        report_failure(&run, report);
    fine = exec_nested_tail(&run, fine, report);
    exec_run_fini(&run);
    return fine;
}

bool
exec_run_code(struct exec_pool *p, const struct exec_request *r, const struct exec_code *code,
              struct exec_report *report)
{
    struct exec_run run;
    bool sampled = false;
    memset(report, 0, sizeof *report);
    if (!request_is_sound(r, report->text, sizeof report->text)) {
        report->status = EXEC_FAILED;
        return false;
    }
    exec_run_init(&run, p, r, code);
    struct jit_tool_launch watched = tool_launch(&run);
    watched.sampled = &sampled;
    if (r->tool && r->tool->launch_begin)
        run.launch.tool = r->tool->launch_begin(r->tool, &watched);
    if (sampled)
        run.part = (struct exec_part){.tool = r->tool, .launch = &run.launch};
    run_timed(&run, r->jit, code->kernel);
    bool counted = atomic_load(&run.stop) == UINT64_MAX;
    exec_output_end(&run);
    bool fine = counted && (!sampled || run_rest(&run, report));
    if (r->tool && r->tool->launch_end)
        r->tool->launch_end(r->tool, &watched, fine);
    if (!counted)
        report_failure(&run, report);
    fine = exec_nested_tail(&run, fine, report);
    exec_run_fini(&run);
    return fine;
}
