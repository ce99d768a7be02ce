/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: what a launch in flight is made of: its numbers for generated code, the services that its
 * code calls, how its blocks are handed out.
 */
#include "exec/exec_priv.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_RESIDENT = 1024, /* blocks in flight when the request names no limit */
    DEFAULT_STACK = 1024,    /* bytes per thread: CUDA's default for cudaLimitStackSize */
    STREAM_MOST = 64,        /* bytes that a thread's store has at most */
};

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
        .local_stride = (k->needs.local_bytes + stack + 15) / 16 * 16,
        .fuel = EXEC_FUEL,
        .gridid = r->gridid,
        .cluster = {1, 1, 1},
        .cluster_blocks = exec_cluster_blocks(r),
        .cooperative = r->cooperative,
        .owner = owner,
    };
    if (r->cluster[0])
        memcpy(l->cluster, r->cluster, sizeof l->cluster);
}

uint32_t
exec_stream_bytes(uint64_t threads)
{
    uint64_t least = threads ? (EXEC_STREAM_BYTES + threads - 1) / threads : UINT64_MAX;
    return least <= STREAM_MOST ? (uint32_t)least : 0;
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
        run->services.step = run->tool->step;
    }
    run->number = atomic_fetch_add(&p->runs_begun, 1) + 1;
    exec_launch_fill(&run->launch, r, k, &run->services, run);
    run->blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    uint64_t threads = run->blocks * r->block[0] * r->block[1] * r->block[2];
    /* A tool's next lock would wait for them: 192 ns a warp where stores to the caches take 24. */
    run->scheduled = r->schedule.kind != EXEC_USUAL;
    run->launch.steps = run->tool ? run->tool->steps : NULL;
    if (!run->tool && !run->scheduled) {
        run->launch.streams = exec_stream_bytes(threads);
        run->launch.block_streams = (uint32_t)(EXEC_STREAM_BYTES / (run->blocks + 1) + 1);
    }
    run->cluster = exec_cluster_blocks(r);
    uint64_t clusters = run->blocks / run->cluster;
    run->resident = run->scheduled || ((r->cooperative || k->may_wait) && clusters > 1);
    uint64_t resident = (r->resident_blocks ? r->resident_blocks : DEFAULT_RESIDENT) / run->cluster;
    run->flight.most_in_flight = resident < 1 ? 1 : resident < clusters ? resident : clusters;
    uint64_t chunk = clusters / ((uint64_t)p->workers * 16);
    run->chunk = (chunk < 1 ? 1 : chunk > 256 ? 256 : chunk) * run->cluster;
    atomic_init(&run->stop, UINT64_MAX);
    run->flight.queue_end = &run->flight.queue;
    pthread_mutex_init(&run->flight.lock, NULL);
    pthread_mutex_init(&run->fault_lock, NULL);
    run->progress = atomic_exchange(&p->spare_progress, NULL);
    if (!run->progress)
        run->progress = ls_alloc_lines(sizeof *run->progress * p->workers);
    for (uint32_t i = 0; i < p->workers; i++)
        atomic_init(&run->progress[i].block, UINT64_MAX);
}

void
exec_run_fini(struct exec_run *run)
{
    while (run->flight.flying) { /* blocks that were given up */
        struct exec_slot *s = run->flight.flying;
        run->flight.flying = s->next_in_flight;
        exec_slot_give(run->pool, s);
    }
    free(atomic_exchange(&run->pool->spare_progress, run->progress));
    VEC_FREE(&run->turns.heap);
    VEC_FREE(&run->pending);
    pthread_mutex_destroy(&run->flight.lock);
    pthread_mutex_destroy(&run->fault_lock);
}
