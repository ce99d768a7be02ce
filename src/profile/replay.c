/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c: the caches. Blocks run here in any order and one after the other; on a device as many as
 * fit run at once, spread over its SMs. So each block's global and local accesses are kept until the
 * wave it belongs to is complete (the blocks that are resident together), and are then played to the
 * model's caches by play.c. docs/model.md, "Caches", says what that leaves out.
 */
#include "profile/profile_priv.h"

#include <stdlib.h>
#include <string.h>

struct wave {
    struct wave *next;
    uint64_t number;
    uint64_t done, expected;
    struct played *block; /* [expected], by number within the wave */
};

struct replay {
    struct watch *watch;
    struct cache_system *system;
    struct player *player;
    uint64_t resident, blocks;
    uint32_t warps;
    uint64_t local_sectors; /* of one warp */
    pthread_mutex_t lock;
    struct wave *waves;     /* rising numbers; the first is the next to play */
    uint64_t next;
    bool busy;              /* somebody plays */
    uint64_t words, limit;  /* that wait; most that may */
    uint64_t traced, dropped;
};

/* -- launches ------------------------------------------------------------------------------------------------ */

/* The caches of a launch that is over, or new ones: what they lie in is four megabytes. */
static struct cache_system *
take_system(struct profile *p, uint32_t shared_per_sm)
{
    struct cache_system *s;
    pthread_mutex_lock(&p->lock);
    s = p->spare;
    p->spare = NULL;
    pthread_mutex_unlock(&p->lock);
    if (s && cache_system_again(s, p->device, shared_per_sm))
        return s;
    cache_system_free(s);
    return cache_system_new(p->device, shared_per_sm);
}

struct replay *
replay_new(struct watch *w)
{
    const struct device_profile *d = w->profile->device;
    const struct jit_launch *l = w->launch.launch;
    struct kernel *k = w->kernel;
    struct replay *r = ls_alloc(sizeof *r);
    uint32_t per_sm = k->occupancy.blocks_per_sm ? k->occupancy.blocks_per_sm : 1;
    r->watch = w;
    r->resident = (uint64_t)(d->sm_count ? d->sm_count : 1) * per_sm;
    r->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->warps = l->warps;
    r->local_sectors = (uint64_t)l->local_stride * JIT_LANES / 32;
    r->limit = w->profile->trace_bytes / sizeof(uint64_t);
    /* The driver leaves L1 what the resident blocks do not need as shared memory. */
    r->system = take_system(w->profile, model_carveout(d, per_sm * k->occupancy.shared_per_block));
    r->player = player_new(d, r->system, r->warps);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

uint64_t
replay_local(const struct replay *r, uint64_t block)
{
    return (1ull << 44) + block % r->resident * r->warps * r->local_sectors;
}

uint64_t
replay_local_sectors(const struct replay *r)
{
    return r->local_sectors;
}

/* -- waves ---------------------------------------------------------------------------------------------------- */

static struct wave *
wave_of(struct replay *r, uint64_t number)
{
    struct wave **at = &r->waves;
    while (*at && (*at)->number < number)
        at = &(*at)->next;
    if (*at && (*at)->number == number)
        return *at;
    struct wave *w = ls_alloc(sizeof *w);
    uint64_t first = number * r->resident;
    w->number = number;
    w->expected = r->blocks - first < r->resident ? r->blocks - first : r->resident;
    w->block = ls_alloc(w->expected * sizeof *w->block);
    w->next = *at;
    *at = w;
    return w;
}

static void
free_wave(struct replay *r, struct wave *w)
{
    for (uint64_t k = 0; k < w->expected; k++) {
        r->words -= w->block[k].count;
        free(w->block[k].use);
    }
    ls_release(w->block);
    ls_release(w);
}

/* Plays what is complete, with the lock held on entry and exit. One thread plays at a time; the
 * others go on with their blocks. */
static void
catch_up(struct replay *r)
{
    if (r->busy)
        return;
    r->busy = true;
    while (r->waves && r->waves->number == r->next && r->waves->done == r->waves->expected) {
        struct wave *w = r->waves;
        r->waves = w->next;
        r->next++;
        pthread_mutex_unlock(&r->lock);
        player_wave(r->player, w->block, w->expected);
        pthread_mutex_lock(&r->lock);
        free_wave(r, w);
    }
    r->busy = false;
}

/* Not zeroed: there is a lot of it. */
static struct played
take_traces(struct sheet *s, uint32_t warps)
{
    struct page_use use[BLOCK_PAGES];
    struct played p = {0};
    for (uint32_t w = 0; w < warps; w++) {
        p.count += s->trace[w].words.count;
        p.use_count = play_pages(use, p.use_count, w, s->trace[w].words.at, s->trace[w].words.count);
    }
    size_t uses = p.use_count * sizeof *use, size = uses + (warps + 1 + p.count) * sizeof(uint64_t);
    p.use = malloc(size);
    if (!p.use)
        ls_out_of_memory(size);
    memcpy(p.use, use, uses);
    p.start = (uint64_t *)(p.use + p.use_count);
    p.words = p.start + warps + 1;
    size_t count = 0;
    for (uint32_t w = 0; w < warps; w++) {
        p.start[w] = count;
        if (s->trace[w].words.count)
            memcpy(p.words + count, s->trace[w].words.at, s->trace[w].words.count * sizeof *p.words);
        count += s->trace[w].words.count;
        s->trace[w].words.count = 0;
    }
    p.start[warps] = count;
    return p;
}

static void
forget_traces(struct sheet *s, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++)
        s->trace[w].words.count = 0;
}

void
replay_block(struct replay *r, uint64_t block, struct sheet *s)
{
    struct played p = {0};
    bool room = __atomic_load_n(&r->words, __ATOMIC_RELAXED) + s->words <= r->limit;
    uint64_t dropped = s->dropped + (room ? 0 : s->words);
    if (room)
        p = take_traces(s, r->warps);
    else
        forget_traces(s, r->warps);
    s->words = s->dropped = 0;
    pthread_mutex_lock(&r->lock);
    struct wave *w = wave_of(r, block / r->resident);
    w->block[block % r->resident] = p;
    w->done++;
    __atomic_store_n(&r->words, r->words + p.count, __ATOMIC_RELAXED);
    r->traced += p.count;
    r->dropped += dropped;
    catch_up(r);
    pthread_mutex_unlock(&r->lock);
}

/* With the profile's lock. */
static void
keep_system(struct profile *p, struct cache_system *s)
{
    cache_system_free(p->spare);
    p->spare = s;
}

void
replay_end(struct replay *r)
{
    struct kernel *k = r->watch->kernel;
    while (r->waves) { /* after an error: waves that were not completed */
        struct wave *w = r->waves;
        r->waves = w->next;
        player_wave(r->player, w->block, w->expected);
        free_wave(r, w);
    }
    player_end(r->player, k);
    keep_system(r->watch->profile, r->system);
    k->traced += r->traced;
    k->dropped += r->dropped;
    pthread_mutex_destroy(&r->lock);
    ls_release(r);
}
