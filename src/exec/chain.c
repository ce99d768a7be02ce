/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: launches that follow each other, in pieces.
 *
 *     launch 0   | column 0 | column 1 | column 2 |      each row of a column some blocks behind
 *     launch 1     | column 0 | column 1 | column 2 |    the row above it, as the caller says it
 *     launch 2       | column 0 | column 1 | column 2 |  must be
 *
 * A launch that reads what the one before wrote finds it in memory when each runs to its end before
 * the next; column by column it finds it in the cache. Columns are handed out in order, a worker
 * runs one of them from the first launch to the last, each row once the column before has done that
 * row, too: so every block runs after all blocks of earlier launches above it and to the left of
 * those.
 *
 * The lowest failing block of the first failing launch is reported: launches before it run to their
 * end.
 */
#include "exec/exec_priv.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct chain_column {
    _Alignas(64) _Atomic uint32_t done; /* rows */
};

struct exec_chain {
    const struct exec_link *link;
    struct exec_run *run; /* one a link */
    uint32_t count;
    uint64_t piece, columns;
    struct chain_column *column;
    _Alignas(64) _Atomic uint64_t next;   /* column to hand out */
    _Alignas(64) _Atomic uint32_t failed; /* the first link that failed; count: none */
};

/* -- a worker ---------------------------------------------------------------------------------- */

static void
note_failure(struct exec_chain *c, uint32_t k)
{
    uint32_t first = atomic_load(&c->failed);
    while (k < first && !atomic_compare_exchange_weak(&c->failed, &first, k))
        ;
}

static void
wait_for(struct exec_chain *c, uint64_t column, uint32_t rows)
{
    for (uint32_t turns = 0;
         atomic_load_explicit(&c->column[column].done, memory_order_acquire) < rows; turns++) {
        if (turns < 2000)
            exec_pause_cpu();
        else
            sched_yield(); /* its worker may not have a core */
    }
}

static void
run_row(struct exec_chain *c, struct exec_slot *s, struct exec_worker *w, uint64_t column,
        uint32_t k)
{
    struct exec_run *run = &c->run[k];
    uint64_t behind = c->link[k].behind, first = column * c->piece, end = first + c->piece;
    struct ls_error err;
    first = first < behind ? 0 : first - behind;
    end = end < behind ? 0 : end - behind;
    end = end < run->blocks ? end : run->blocks;
    if (first >= end || k > atomic_load(&c->failed))
        return;
    if (s->run != run && !exec_slot_prepare(s, run, s, &err))
        exec_run_fail_text(run, first, err.text);
    else
        exec_blocks_straight(s, w, first, end, &run->progress[w->id].block);
    if (atomic_load(&run->stop) != UINT64_MAX)
        note_failure(c, k);
    if (c->run[0].request->begun)
        atomic_fetch_add_explicit(c->run[0].request->begun, end - first, memory_order_relaxed);
}

static bool
wants(void *context)
{
    const struct exec_chain *c = context;
    return atomic_load(&c->next) < c->columns;
}

static void
work(void *context, struct exec_worker *w)
{
    struct exec_chain *c = context;
    struct ls_error err;
    struct exec_slot *s = exec_slot_take(&c->run[0], &err);
    if (!s) { /* without helpers it is only slower */
        if (w->id == 0) {
            exec_run_fail_text(&c->run[0], 0, err.text);
            note_failure(c, 0);
        }
        return;
    }
    for (uint64_t column; (column = atomic_fetch_add(&c->next, 1)) < c->columns;)
        for (uint32_t k = 0; k < c->count; k++) {
            if (column)
                wait_for(c, column - 1, k + 1);
            run_row(c, s, w, column, k);
            atomic_store_explicit(&c->column[column].done, k + 1, memory_order_release);
        }
    exec_slot_give(c->run[0].pool, s);
}

/* -- the chain --------------------------------------------------------------------------------- */

static void
chain_run(struct exec_pool *p, struct exec_chain *c)
{
    struct exec_job job = {.wants = wants, .work = work, .context = c};
    for (uint32_t k = 0; k < c->count; k++) {
        uint64_t end = c->run[k].blocks + c->link[k].behind;
        uint64_t columns = (end + c->piece - 1) / c->piece;
        c->columns = columns > c->columns ? columns : c->columns;
    }
    c->column = aligned_alloc(64, sizeof *c->column * c->columns);
    if (!c->column)
        ls_out_of_memory(sizeof *c->column * c->columns);
    memset(c->column, 0, sizeof *c->column * c->columns);
    exec_pool_run(p, &job, false);
    free(c->column);
}

/* Blocks that never wait, whose text nobody orders, and whose code stays. */
static bool
is_plain(const struct exec_request *r, const struct jit_kernel *k)
{
    return !r->tool && !r->cooperative && r->schedule.kind == EXEC_USUAL && !k->has_barrier &&
           !k->pauses && !k->polls && !k->recursive && !k->quick;
}

static bool
one_by_one(struct exec_pool *p, const struct exec_link *link, uint32_t count, uint32_t *failed,
           struct exec_report *report)
{
    for (*failed = 0; *failed < count; ++*failed)
        if (!exec_run(p, &link[*failed].request, report))
            return false;
    return true;
}

bool
exec_run_chain(struct exec_pool *p, const struct exec_link *link, uint32_t count, uint64_t piece,
               uint32_t *failed, struct exec_report *report)
{
    struct exec_source *source = ls_alloc(sizeof *source * count);
    bool plain = true;
    for (uint32_t k = 0; k < count && plain; k++)
        plain = exec_source_open(&source[k], &link[k].request, report) &&
                is_plain(&link[k].request, source[k].code.kernel);
    if (!plain) {
        ls_release(source);
        return one_by_one(p, link, count, failed, report);
    }
    struct exec_chain c = {.link = link, .count = count, .piece = piece};
    c.run = aligned_alloc(64, sizeof *c.run * count);
    if (!c.run)
        ls_out_of_memory(sizeof *c.run * count);
    atomic_init(&c.failed, count);
    for (uint32_t k = 0; k < count; k++) {
        exec_run_init(&c.run[k], p, &link[k].request, &source[k].code);
        c.run[k].launch.streams = 0; /* the next launch wants it from the cache */
        c.run[k].launch.block_streams = 0;
    }
    chain_run(p, &c);
    *failed = atomic_load(&c.failed);
    if (*failed < count) {
        struct exec_run *run = &c.run[*failed];
        if (run->fault.by_signal)
            exec_replay(run, &run->fault);
        exec_report_fault(run, &run->fault, report);
    }
    for (uint32_t k = 0; k < count; k++)
        exec_run_fini(&c.run[k]);
    free(c.run);
    ls_release(source);
    return *failed == count;
}
