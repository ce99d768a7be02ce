/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c: the caches. Blocks run here in any order and one after the other; on a device as many
 * as fit run at once, spread over its SMs. So each block's global and local accesses are kept until
 * the wave it belongs to is complete (the blocks that are resident together), and are then played
 * to the model's caches by play.c. docs/model.md, "Caches", says what that leaves out.
 */
#include "profile/profile_priv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORKERS = 16 };

struct wave {
    struct wave *next;
    uint64_t number;
    uint64_t done, expected;
    struct played *block; /* [expected], by number within the wave */
    struct slab *slabs;   /* where they lie, */
    uint64_t words;       /*   and how much that is */
};

struct replay {
    struct watch *watch;
    struct cache_system *system;
    struct player *player;
    uint64_t resident, blocks;
    uint32_t warps;
    uint64_t local_lines; /* of one warp */
    pthread_mutex_t lock;
    struct wave *waves; /* rising numbers; the first is the next to play */
    uint64_t next;
    bool busy;                      /* somebody plays */
    uint64_t words, limit;          /* that wait; most that may */
    pthread_t worker[MOST_WORKERS]; /* who ran blocks */
    uint32_t workers;
    uint64_t dropped;
    struct hot hot;
};

/* -- launches ---------------------------------------------------------------------------------- */

/* Caches for a launch's simulation. Their four megabytes are taken over from a launch that is over
 * where there is one. */
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
    r->local_lines = (uint64_t)l->local_stride * JIT_LANES / 128;
    r->limit = w->profile->trace_bytes / sizeof(uint64_t);
    /* The driver leaves L1 what the resident blocks do not need as shared memory. */
    r->system = take_system(w->profile, model_carveout(d, per_sm * k->occupancy.shared_per_block));
    r->player = player_new(d, r->system, r->warps, w->sampling);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

uint64_t
replay_local(const struct replay *r, uint64_t block)
{
    return (1ull << 42) + block % r->resident * r->warps * r->local_lines;
}

uint64_t
replay_local_lines(const struct replay *r)
{
    return r->local_lines;
}

/* -- waves ------------------------------------------------------------------------------------- */

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
    __atomic_store_n(&r->words, r->words - w->words, __ATOMIC_RELAXED);
    slab_give_back(r->watch->profile, w->slabs);
    ls_release(w->block);
    ls_release(w);
}

/* Plays what is complete, with the lock held on entry and exit. One thread plays at a time; the
 * others go on with their blocks. The last wave is left to the launch's end: then as many play as
 * ran blocks, who have nothing else to do (launches of one wave took as long with two workers as
 * with one). */
static void
catch_up(struct replay *r)
{
    uint64_t last = sampling_last(r->watch->sampling, (r->blocks + r->resident - 1) / r->resident);
    if (r->busy)
        return;
    r->busy = true;
    while (r->waves && r->waves->number == r->next && r->waves->done == r->waves->expected &&
           r->waves->number != last) {
        struct wave *w = r->waves;
        r->waves = w->next;
        r->next = sampling_next(r->watch->sampling, r->next);
        pthread_mutex_unlock(&r->lock);
        player_wave(r->player, w->block, w->expected, trace_shapes(r->watch), 1);
        pthread_mutex_lock(&r->lock);
        free_wave(r, w);
    }
    r->busy = false;
}

/* Into a piece of memory of that many words. */
static struct played
take_traces(uint64_t *piece, const struct sheet *s, uint32_t warps, const struct page_uses *u)
{
    struct played p = {.use = (struct page_use *)piece, .use_count = u->count};
    memcpy(p.use, u->use, u->count * sizeof *u->use);
    p.start = (uint64_t *)(p.use + p.use_count);
    p.words = p.start + warps + 1;
    uint64_t count = 0;
    for (uint32_t w = 0; w < warps; w++) {
        const struct jit_trace *t = &s->trace[w];
        size_t n = (size_t)(t->at - t->start);
        p.start[w] = count;
        if (n)
            memcpy(p.words + count, t->start, n * sizeof *p.words);
        count += n;
    }
    p.start[warps] = count;
    return p;
}

/* Words of a block's traces; 0: nothing. */
static uint64_t
count_words(const struct sheet *s, uint32_t warps)
{
    uint64_t n = 0;
    for (uint32_t w = 0; w < warps; w++)
        n += (uint64_t)(s->trace[w].at - s->trace[w].start);
    return n;
}

static void
forget_traces(struct sheet *s, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++)
        s->trace[w].at = s->trace[w].start;
    s->dropped = 0;
}

static void
note_worker(struct replay *r)
{
    uint32_t k = 0;
    while (k < r->workers && !pthread_equal(r->worker[k], pthread_self()))
        k++;
    if (k == r->workers && k < MOST_WORKERS)
        r->worker[r->workers++] = pthread_self();
}

void
replay_block(struct replay *r, uint64_t block, struct sheet *s)
{
    struct page_uses u;
    uint64_t words = count_words(s, r->warps), *piece = NULL, number = block / r->resident;
    size_t size = 0;
    page_uses_begin(&u, s->reach);
    for (uint32_t w = 0; w < r->warps; w++)
        page_uses_add(&u, w, &s->trace[w], s->shape);
    size = u.count * sizeof *u.use + (r->warps + 1 + words) * sizeof *piece;
    pthread_mutex_lock(&r->lock);
    struct wave *w = wave_of(r, number);
    if (words && r->words + words <= r->limit) {
        piece = slab_take(r->watch->profile, &w->slabs, size);
        w->words += words;
        __atomic_store_n(&r->words, r->words + words, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&r->lock);
    struct played p = {0};
    if (piece)
        p = take_traces(piece, s, r->warps, &u);
    uint64_t dropped = s->dropped;
    for (uint32_t n = 0; !piece && n < r->warps; n++)
        dropped += page_runs(&s->trace[n], s->shape);
    pthread_mutex_lock(&r->lock);
    note_worker(r);
    if (s->atomics)
        hot_block(&r->hot, s, r->warps);
    w->block[block % r->resident] = p; /* w stays: it is not complete */
    w->done++;
    r->dropped += dropped;
    catch_up(r);
    pthread_mutex_unlock(&r->lock);
    forget_traces(s, r->warps);
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
    while (r->waves) { /* the last one; after an error, too, those that were not completed */
        enum { FEW = 1 << 15 };
        struct wave *w = r->waves;
        r->waves = w->next;
        player_wave(r->player, w->block, w->expected, trace_shapes(r->watch),
                    w->words < FEW ? 1 : r->workers);
        free_wave(r, w);
    }
    player_end(r->player, k, &r->watch->profile->working_set);
    keep_system(r->watch->profile, r->system);
    k->dropped += r->dropped;
    double slice, share = hot_end(&r->hot, &slice);
    if (k->launches == 1) { /* of the first launch, as its waiting */
        k->atomics.hot_share = share;
        k->atomics.slice_share = slice;
    }
    pthread_mutex_destroy(&r->lock);
    ls_release(r);
}
