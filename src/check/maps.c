/* SPDX-License-Identifier: Apache-2.0
 *
 * maps.c: tensor maps in device memory that the kernel changes, by ordinary stores,
 * tensormap.replace or tensormap.cp_fenceproxy: a copy by one needs fence.proxy.tensormap behind
 * the change (PTX ISA 8.5, 9.7.13.4). A fence of any thread of the copying block is taken for the
 * one that is needed, whichever map it names.
 */
#include "check/maps.h"
#include "check/shadow.h"

#include <stdio.h>
#include <string.h>

struct change {
    uint64_t address, when;
    struct side by;
};

struct maps {
    uint64_t now; /* counts changes and fences */
    VEC(struct change) change;
};

/* With the launch's lock. */
static struct maps *
maps_need(struct launch *l)
{
    l->maps = l->maps ? l->maps : ls_alloc(sizeof *l->maps);
    return l->maps;
}

void
maps_free(struct launch *l)
{
    if (l->maps)
        VEC_FREE(&l->maps->change);
    ls_release(l->maps);
}

static struct change *
change_of(struct maps *m, uint64_t address)
{
    for (size_t k = 0; k < m->change.count; k++)
        if (m->change.at[k].address == address)
            return &m->change.at[k];
    return NULL;
}

void
map_changed(struct block_state *b, uint32_t thread, uint64_t address, uint32_t place)
{
    struct launch *l = b->launch;
    pthread_mutex_lock(&l->lock);
    struct maps *m = maps_need(l);
    if (!change_of(m, address))
        VEC_PUSH(&m->change, (struct change){.address = address});
    struct change *c = change_of(m, address);
    c->when = ++m->now;
    c->by = side_of_thread(b, thread, place, "tensormap");
    pthread_mutex_unlock(&l->lock);
}

void
map_fence(struct block_state *b)
{
    struct launch *l = b->launch;
    pthread_mutex_lock(&l->lock);
    transfers_need(b)->map_fence = ++maps_need(l)->now;
    pthread_mutex_unlock(&l->lock);
}

/* A store of this launch to the map's bytes. */
static bool
stored(const struct block_state *b, uint64_t address, struct side *by)
{
    const struct launch *l = b->launch;
    struct chunk *k = shadow_chunk(l->check->global, address, false);
    bool found = false;
    if (!k)
        return false;
    chunk_lock(k);
    for (uint32_t at = 0; at < MAP_BYTES && !found && address % CHUNK + at < CHUNK; at += 4) {
        struct cell c = chunk_cell(k, (uint32_t)(address % CHUNK + at));
        found = c.write.when & MARK_WRITTEN && mark_work(&c.write) == l->work;
        struct job w = {.kernel = l->facts, .host = l->host, .launch = l->number};
        memcpy(w.block, l->launch->block, sizeof w.block);
        memcpy(w.grid, l->launch->grid, sizeof w.grid);
        if (found)
            *by = side_of_job(&w, mark_place(&c.write), mark_block(&c.write),
                              mark_warp(&c.write) * JIT_LANES + mark_lane(&c.write), address);
    }
    chunk_unlock(k);
    return found;
}

void
map_used(struct block_state *b, uint32_t thread, uint64_t address, uint32_t place)
{
    struct launch *l = b->launch;
    uint64_t fence = transfers_need(b)->map_fence;
    struct finding f = {.kind = FINDING_PROXY, .rank = 2, .space = "global"};
    if (!(l->check->groups & CHECK_RACE))
        return;
    pthread_mutex_lock(&l->lock);
    const struct change *c = l->maps ? change_of(l->maps, address) : NULL;
    bool changed = c && c->when > fence;
    if (changed)
        f.other = c->by;
    pthread_mutex_unlock(&l->lock);
    if ((!changed && (fence || !stored(b, address, &f.other))) ||
        !finding_wanted(l, f.kind, f.rank, l->facts, place, l->facts, f.other.place,
                        b->block->ctaid))
        return;
    f.access = side_of_thread(b, thread, place, "copy");
    f.access.address = address;
    snprintf(f.message, sizeof f.message,
             "the tensor map at 0x%llx was changed by this kernel: a copy by it may still see what "
             "it was",
             (unsigned long long)address);
    snprintf(f.missing, sizeof f.missing,
             "fence.proxy.tensormap::generic.acquire.gpu [map], 128 in the block that copies, "
             "behind the change and its release (tensormap.cp_fenceproxy)");
    finding_add(l->check, &f);
}
