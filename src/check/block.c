/* SPDX-License-Identifier: Apache-2.0
 *
 * block.c: what is known of a block while it runs: made with its first launch, begun anew with each
 * block that the worker runs, and freed with the launch.
 */
#include "check/check_priv.h"
#include "check/peers.h"
#include "check/transfers.h"

#include <string.h>

/* -- order ------------------------------------------------------------------------------------- */

static void
order_begin(struct block_state *b)
{
    bool again = b->order.stamp > LAST_STAMP / 2 || transfers_full(b);
    if (again) { /* numbers run out: old marks in shared memory must go */
        shared_forget(b);
        b->order.stamp = 0;
    }
    transfers_begin(b, again);
    b->order.stamp++;
    b->order.first = b->order.floor = b->order.stamp;
    b->waited = 0;
    b->order.partly = false;
    if (b->handing)
        order_forget(b);
    memset(b->order.warp_floor, 0, sizeof b->order.warp_floor);
    for (uint32_t w = 0; w < b->warps; w++) {
        if (b->pending[w].count)
            order_drop(b, w);
        if (b->order.any_outside) {
            known_put(b->order.outside[w]);
            b->order.outside[w] = NULL;
        }
        if (b->order.lanes_met[w])
            memset(b->order.lanes_met[w], 0, sizeof(uint32_t) * JIT_LANES * JIT_LANES);
    }
    b->order.any_outside = false;
    if (b->sync)
        sync_clear(b->sync);
}

static void
order_end(struct block_state *b)
{
    for (uint32_t w = 0; w < MOST_WARPS; w++) {
        known_put(b->order.outside[w]);
        ls_release(b->order.lanes_met[w]);
        order_drop(b, w);
        ls_release(b->pending[w].read);
    }
    if (b->handing)
        order_forget(b);
    ls_release(b->handing);
    sync_free(b->sync);
    transfers_free(b);
}

/* -- blocks ------------------------------------------------------------------------------------ */

static struct block_state *
new_block(struct jit_block *k, struct launch *l)
{
    struct block_state *b = ls_alloc(sizeof *b);
    const struct jit_launch *j = l->launch;
    uint32_t threads = j->block[0] * j->block[1] * j->block[2];
    b->launch = l;
    b->block = k;
    b->window = (uint64_t)(uintptr_t)k->shared;
    b->warps = j->warps;
    b->facts = l->facts->place;
    b->expect = l->expect;
    for (uint32_t w = 0; w < b->warps; w++) {
        uint32_t left = threads - w * JIT_LANES;
        b->exists[w] = left >= JIT_LANES ? ~0u : (1u << left) - 1;
    }
    b->local_bytes = (uint64_t)j->local_stride * JIT_LANES * j->warps;
    if (b->local_bytes && l->facts->local_bytes && (l->check->groups & CHECK_INIT))
        b->local_init = ls_alloc(b->local_bytes / 8);
    b->shape = ls_alloc(sizeof *b->shape * (l->facts->place_count + 1));
    b->runs = ls_alloc(sizeof *b->runs * (l->facts->place_count + 1));
    pthread_mutex_lock(&l->lock);
    b->next = l->blocks;
    l->blocks = b;
    pthread_mutex_unlock(&l->lock);
    return b;
}

/* Another worker may ask whose memory an address is in while this one prepares its next block. */
static void
set_window(struct block_state *b, uint64_t window)
{
    if (b->window == window)
        return;
    pthread_mutex_lock(&b->launch->lock);
    b->window = window;
    pthread_mutex_unlock(&b->launch->lock);
}

void
block_begin(struct jit_block *k)
{
    struct launch *l = k->launch->tool;
    struct block_state *b = k->tool;
    if (!b)
        b = k->tool = new_block(k, l);
    set_window(b, (uint64_t)(uintptr_t)k->shared);
    order_begin(b);
    shared_begin(b);
    gates_begin(b);
    notes_begin(b);
    copies_forget(b);
    if (k->launch->cluster_blocks > 1)
        peers_begin(b);
    region_begin(b);
    if (b->local_init)
        memset(b->local_init, 0, b->local_bytes / 8);
}

static void
block_end(struct jit_block *k)
{
    struct block_state *b = k->tool;
    notes_over(b);
    region_over(b);
    counters_before(b);
}

void
block_dropped(struct jit_block *k)
{
    block_end(k);
    if (k->deadlocked)
        mbarriers_given_up(k->tool);
}

void
block_ended(struct jit_block *k)
{
    struct block_state *b = k->tool;
    block_end(k);
    if (b->transfers)
        mbarriers_end(b);
    if (b->peers)
        peers_end(b);
}

void
block_free(struct block_state *b, uint32_t places)
{
    order_end(b);
    shared_free(b);
    peers_free(b);
    ls_release(b->local_init);
    copies_forget(b);
    for (uint32_t k = 0; b->shape && k < places; k++) {
        shapes_free(b->shape[k]);
        ls_release(b->runs[k]);
    }
    ls_release(b->shape);
    ls_release(b->runs);
    ls_release(b->gates);
    ls_release(b->notes);
    ls_release(b->counters);
    if (b->regions)
        region_forget(b);
    ls_release(b->regions);
    ls_release(b);
}
