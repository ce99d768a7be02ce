/* SPDX-License-Identifier: Apache-2.0
 *
 * nested.c: launches from kernels (Programming Guide, "CUDA Dynamic Parallelism"). A child knows
 * what the thread that launched it knew; what the parent does later runs at the same time. Children
 * of one block to one stream run in order. The host sees the whole tree of launches end at once: in
 * its streams a child counts as the launch of the host that it came from.
 *
 * Streams that kernels make have one handle, so launches to two of them count as ordered.
 */
#include "check/check_priv.h"

#include <string.h>

enum { FIRE_AND_FORGET = 4 }; /* cudaStreamFireAndForget */

bool
nested_begin(struct launch *l, const struct jit_tool_launch *from)
{
    const struct block_state *b = from->parent ? from->parent->block->tool : NULL;
    struct check *c = l->check;
    if (!b)
        return false;
    const struct launch *parent = b->launch;
    struct job above = work_job(c, parent->work);
    struct job w = {.kernel = l->facts,
                    .what = "kernel",
                    .host = above.host,
                    .launch = above.launch,
                    .memory = l->memory,
                    .stream = above.stream,
                    .seq = above.seq,
                    .parent = parent->work,
                    .root = above.root ? above.root : parent->work,
                    .parent_block = b->block->index,
                    .parent_stream = from->stream};
    memcpy(w.block, from->launch->block, sizeof w.block);
    memcpy(w.grid, from->launch->grid, sizeof w.grid);
    l->work = work_add(c, &w);
    l->parent = parent;
    l->host = w.host;
    l->number = w.launch;
    l->handed = order_now(b, from->parent->warp);
    l->waited = b->waited;
    l->floor = parent->floor;
    memcpy(l->after, parent->after, sizeof l->after);
    l->announced = parent->announced;
    return true;
}

void
nested_joined(struct jit_warp *w)
{
    struct block_state *b = w->block->tool;
    if (!b)
        return;
    struct check *c = b->launch->check;
    pthread_mutex_lock(&c->lock);
    b->waited = (uint32_t)c->work.count;
    pthread_mutex_unlock(&c->lock);
}

/* The launch, made by `by`, around `work` or that itself; its number: *work. False: none is. */
static bool
child_of(struct check *c, uint32_t by, uint32_t *work, struct job *w)
{
    while (w->parent && w->parent != by) {
        *work = w->parent;
        *w = work_job(c, *work);
    }
    return w->parent == by;
}

enum relation
nested_relation(const struct block_state *b, const struct job *other, uint32_t work, uint64_t block,
                uint32_t warp, uint32_t stamp)
{
    struct check *c = b->launch->check;
    const struct launch *l = b->launch;
    if (!l->parent && !other->parent)
        return RELATION_NONE;
    struct job own = work_job(c, l->work), w = *other;
    uint32_t child = work;
    if ((own.root ? own.root : l->work) != (other->root ? other->root : work))
        return RELATION_NONE;
    if (child_of(c, l->work, &child, &w)) /* launched by this kernel */
        return w.parent_block == b->block->index && child <= b->waited ? RELATION_ORDERED
                                                                       : RELATION_RACE;
    for (; l->parent; l = l->parent) {
        if (l->parent->work == work)
            return known_of(l->handed, block, warp) >= (int64_t)stamp ? RELATION_ORDERED
                                                                      : RELATION_RACE;
        w = *other;
        child = work;
        if (!child_of(c, l->parent->work, &child, &w))
            continue;
        own = work_job(c, l->work);
        bool same = own.parent_block == w.parent_block && child < l->work;
        bool in_order =
            own.parent_stream == w.parent_stream && own.parent_stream != FIRE_AND_FORGET;
        return same && (in_order || child <= l->waited) ? RELATION_ORDERED : RELATION_RACE;
    }
    return RELATION_NONE;
}
