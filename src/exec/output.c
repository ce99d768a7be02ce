/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: what kernels print, in the order of blocks, whichever worker ran them. A block's text is
 * kept until all blocks before it are finished; when much has piled up, what is in order is
 * printed.
 */
#include "exec/exec_priv.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 << 10, PILE = 4 << 20 };

static int
by_block(const void *a, const void *b)
{
    const struct exec_pending *x = a, *y = b;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* Prints all pieces of blocks below `limit`. Under print_lock. */
static void
print_below(struct exec_run *run, uint64_t limit)
{
    const struct exec_request *r = run->request;
    size_t kept = 0;
    /* Pieces of one block stand in order; the sort has to keep them so. */
    for (size_t k = 0; k < run->pending.count; k++)
        for (size_t j = k; j > 0 && by_block(&run->pending.at[j - 1], &run->pending.at[j]) > 0;
             j--) {
            struct exec_pending t = run->pending.at[j];
            run->pending.at[j] = run->pending.at[j - 1];
            run->pending.at[j - 1] = t;
        }
    for (size_t k = 0; k < run->pending.count; k++) {
        struct exec_pending *p = &run->pending.at[k];
        if (p->block >= limit) {
            run->pending.at[kept++] = *p;
            continue;
        }
        uint64_t skip = 0;
        if (run->tool && run->tool->printed)
            run->tool->printed(run->tool, p->count, &skip);
        if (r->print && skip < p->count)
            r->print(p->at + skip, p->count - skip, r->print_context);
        run->pending_bytes -= p->count;
        free(p->at);
    }
    run->pending.count = kept;
}

static uint64_t
first_unfinished(struct exec_run *run)
{
    uint64_t low = atomic_load(&run->next);
    for (uint32_t i = 0; run->progress && i < run->pool->workers; i++) {
        uint64_t at = atomic_load(&run->progress[i].block);
        low = at < low ? at : low;
    }
    return low;
}

static void
hand_on(struct exec_slot *s)
{
    struct exec_run *run = s->run;
    if (run->replay.on || !s->out.count) {
        s->out.count = 0;
        return;
    }
    pthread_mutex_lock(&run->pool->print_lock);
    VEC_PUSH(&run->pending, ((struct exec_pending){s->number, s->out.at, s->out.count}));
    run->pending_bytes += s->out.count;
    s->out = (struct text){0};
    if (run->pending_bytes > PILE)
        print_below(run, run->resident ? UINT64_MAX : first_unfinished(run));
    pthread_mutex_unlock(&run->pool->print_lock);
}

void
exec_output_more(struct exec_slot *s)
{
    if (s->out.count > PIECE)
        hand_on(s);
}

void
exec_output_done(struct exec_slot *s)
{
    hand_on(s);
}

void
exec_output_end(struct exec_run *run)
{
    pthread_mutex_lock(&run->pool->print_lock);
    print_below(run, UINT64_MAX);
    pthread_mutex_unlock(&run->pool->print_lock);
}
