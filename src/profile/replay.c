/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c: the caches. Blocks run here in any order and one after the other; on a device as many as
 * fit run at once, spread over its SMs. So each block's global and local accesses are kept until the
 * wave it belongs to is complete (the blocks that are resident together), and are then played to the
 * model's caches side by side: of every warp of every resident block its first access, then the second
 * one, and so on. docs/model.md, "Caches", says what that leaves out.
 *
 * Where memory has partitions (1.x), a step lasts as long as its busiest partition: the sum of those
 * against even spreading is the price of partition camping.
 */
#include "profile/profile_priv.h"

#include <string.h>

enum { PARTITIONS = 16, SECTOR = 32, PAGE_SECTORS = (2 << 20) / SECTOR };

/* Pages of 2 MiB by number in the order of their first use: what a program's memory lies at differs
 * from run to run, and what the caches say must not. */
struct pages {
    uint64_t *page;   /* open addressing; 0: free, else the page + 1 */
    uint32_t *number;
    uint32_t room, count; /* room: a power of two */
    uint64_t last, last_number;
};

/* A finished block's accesses, warp after warp. */
struct played {
    uint64_t *words;
    size_t count;
    size_t *start; /* [warps + 1], of each warp in words */
};

struct wave {
    struct wave *next;
    uint64_t number;
    uint64_t done, expected;
    struct played *block; /* [expected], by number within the wave */
};

struct replay {
    struct watch *watch;
    struct cache_system *system;
    uint64_t resident, blocks;
    uint32_t sms, warps;
    uint64_t local_sectors; /* of one warp */
    pthread_mutex_t lock;
    struct wave *waves;     /* rising numbers; the first is the next to play */
    uint64_t next;
    bool busy;              /* somebody plays */
    uint64_t words, limit;  /* that wait; most that may */
    uint64_t traced, dropped;
    double busiest, even;
    struct pages pages;
};

/* -- pages ------------------------------------------------------------------------------------------------- */

static uint32_t
page_slot(const struct pages *p, uint64_t page)
{
    uint32_t at = (uint32_t)(page * 0x9e3779b97f4a7c15ull >> 32) & (p->room - 1);
    while (p->page[at] && p->page[at] != page + 1)
        at = (at + 1) & (p->room - 1);
    return at;
}

static void
pages_grow(struct pages *p)
{
    struct pages old = *p;
    p->room = old.room ? 2 * old.room : 64;
    p->page = ls_alloc(p->room * sizeof *p->page);
    p->number = ls_alloc(p->room * sizeof *p->number);
    for (uint32_t k = 0; k < old.room; k++)
        if (old.page[k]) {
            uint32_t at = page_slot(p, old.page[k] - 1);
            p->page[at] = old.page[k];
            p->number[at] = old.number[k];
        }
    ls_release(old.page);
    ls_release(old.number);
}

static uint64_t
page_number(struct pages *p, uint64_t page)
{
    if (p->count && p->last == page)
        return p->last_number;
    if (2 * (p->count + 1) > p->room)
        pages_grow(p);
    uint32_t at = page_slot(p, page);
    if (!p->page[at]) {
        p->page[at] = page + 1;
        p->number[at] = p->count++;
    }
    p->last = page;
    return p->last_number = p->number[at];
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
    r->sms = d->sm_count ? d->sm_count : 1;
    r->resident = (uint64_t)r->sms * per_sm;
    r->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->warps = l->warps;
    r->local_sectors = (uint64_t)l->local_stride * JIT_LANES / SECTOR;
    r->limit = w->profile->trace_bytes / sizeof(uint64_t);
    /* The driver leaves L1 what the resident blocks do not need as shared memory. */
    r->system = cache_system_new(d, model_carveout(d, per_sm * k->occupancy.shared_per_block));
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

/* -- playing a wave ---------------------------------------------------------------------------------------- */

/* Where one warp has got to. */
struct cursor {
    const uint64_t *at, *end;
    uint32_t sm;
    uint64_t local; /* sector number of its local memory */
};

struct step {
    uint64_t in[PARTITIONS], all;
};

static void
play_run(struct replay *r, const struct cursor *c, uint64_t word, struct step *step)
{
    const struct device_profile *d = r->watch->profile->device;
    uint64_t sector = word >> RUN_SECTOR_SHIFT, n = (word >> RUN_COUNT_SHIFT & 255) + 1;
    enum access_op op = word >> RUN_OP_SHIFT & 3;
    if (word & RUN_LOCAL)
        sector += c->local;
    sector = page_number(&r->pages, sector / PAGE_SECTORS) * PAGE_SECTORS + sector % PAGE_SECTORS;
    cache_system_sectors(r->system, c->sm, sector * SECTOR, (uint32_t)n, op, word & RUN_BYPASS);
    for (uint64_t k = 0; k < n && d->memory_partitions; k++)
        step->in[model_partition(d, (sector + k) * SECTOR) % PARTITIONS]++;
    step->all += n;
}

/* One access of each warp; the cursors that are left. */
static size_t
play_step(struct replay *r, struct cursor *cursor, size_t count)
{
    const struct device_profile *d = r->watch->profile->device;
    struct step step = {{0}, 0};
    uint64_t most = 0;
    size_t left = 0;
    for (size_t k = 0; k < count; k++) {
        struct cursor *c = &cursor[k];
        uint64_t word;
        do {
            word = *c->at++;
            play_run(r, c, word, &step);
        } while (!(word & RUN_LAST) && c->at < c->end);
        if (c->at < c->end)
            cursor[left++] = *c;
    }
    for (int p = 0; p < PARTITIONS; p++)
        most = step.in[p] > most ? step.in[p] : most;
    if (d->memory_partitions) {
        r->busiest += (double)most;
        r->even += (double)step.all / d->memory_partitions;
    }
    return left;
}

static void
play_wave(struct replay *r, const struct wave *w)
{
    struct cursor *cursor = ls_alloc(w->expected * r->warps * sizeof *cursor);
    size_t count = 0;
    for (uint32_t sm = 0; sm < r->sms; sm++) /* block i of a wave is on SM i mod SMs */
        for (uint64_t i = sm; i < w->expected; i += r->sms) {
            const struct played *b = &w->block[i];
            for (uint32_t warp = 0; b->words && warp < r->warps; warp++) {
                if (b->start[warp] == b->start[warp + 1])
                    continue;
                uint64_t local = (1ull << 44) + (i * r->warps + warp) * r->local_sectors;
                cursor[count++] = (struct cursor){b->words + b->start[warp],
                                                  b->words + b->start[warp + 1], sm, local};
            }
            r->traced += b->words ? b->count : 0;
        }
    while (count)
        count = play_step(r, cursor, count);
    ls_release(cursor);
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
        ls_release(w->block[k].words);
        ls_release(w->block[k].start);
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
        play_wave(r, w);
        pthread_mutex_lock(&r->lock);
        free_wave(r, w);
    }
    r->busy = false;
}

static struct played
take_traces(struct sheet *s, uint32_t warps)
{
    struct played p = {.start = ls_alloc((warps + 1) * sizeof *p.start)};
    for (uint32_t w = 0; w < warps; w++) {
        p.start[w] = p.count;
        p.count += s->trace[w].words.count;
    }
    p.start[warps] = p.count;
    p.words = ls_alloc((p.count ? p.count : 1) * sizeof *p.words);
    for (uint32_t w = 0; w < warps; w++) {
        if (s->trace[w].words.count)
            memcpy(p.words + p.start[w], s->trace[w].words.at,
                   s->trace[w].words.count * sizeof *p.words);
        s->trace[w].words.count = 0;
    }
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
    r->dropped += dropped;
    catch_up(r);
    pthread_mutex_unlock(&r->lock);
}

void
replay_end(struct replay *r)
{
    struct kernel *k = r->watch->kernel;
    while (r->waves) { /* after an error: waves that were not completed */
        struct wave *w = r->waves;
        r->waves = w->next;
        play_wave(r, w);
        free_wave(r, w);
    }
    struct cache_counts c = cache_system_counts(r->system, true), *to = &k->caches;
    cache_system_free(r->system);
    to->l1_sectors += c.l1_sectors;
    to->l1_hits += c.l1_hits;
    to->l2_sectors += c.l2_sectors;
    to->l2_hits += c.l2_hits;
    to->l2_loads += c.l2_loads;
    to->dram_bytes_read += c.dram_bytes_read;
    to->dram_bytes_written += c.dram_bytes_written;
    k->traced += r->traced;
    k->dropped += r->dropped;
    k->camping_busiest += r->busiest;
    k->camping_even += r->even;
    pthread_mutex_destroy(&r->lock);
    ls_release(r->pages.page);
    ls_release(r->pages.number);
    ls_release(r);
}
