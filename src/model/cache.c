/* SPDX-License-Identifier: Apache-2.0
 *
 * Simulated caches: one cache of sectored lines, and the hierarchy L1 per SM, L2, device memory.
 * The policies are those that NVIDIA documents (L1 write-through without allocation, L2
 * write-back, 128-byte lines of four sectors); ways, replacement and the set hash are not
 * documented and are this model's: docs/model.md, "Caches".
 */
#include <string.h>

#include "model/model.h"

struct line {
    uint64_t tag; /* line number + 1; 0: empty */
    uint64_t used;
    uint8_t valid, dirty; /* a bit per sector */
};

struct cache {
    uint32_t line_bytes, sector_bytes, ways;
    uint64_t sets, clock;
    struct line *lines; /* sets * ways */
};

struct cache *
cache_new(uint64_t bytes, uint32_t line_bytes, uint32_t sector_bytes, uint32_t ways)
{
    uint64_t count = bytes / line_bytes;
    struct cache *c = ls_alloc(sizeof *c);
    c->line_bytes = line_bytes;
    c->sector_bytes = sector_bytes;
    c->ways = count < ways ? (uint32_t)count : ways;
    c->sets = c->ways ? count / c->ways : 0;
    c->lines = c->sets ? ls_alloc(c->sets * c->ways * sizeof *c->lines) : NULL;
    return c;
}

void
cache_free(struct cache *c)
{
    if (!c)
        return;
    ls_release(c->lines);
    ls_release(c);
}

/* Upper bits are folded in, so that a power-of-two stride does not fall on few sets. */
static struct line *
set_of(struct cache *c, uint64_t number)
{
    uint64_t hash = number ^ number >> 7 ^ number >> 15 ^ number >> 23;
    return c->lines + hash % c->sets * c->ways;
}

static struct line *
find_line(struct cache *c, uint64_t number)
{
    struct line *set = set_of(c, number);
    for (uint32_t w = 0; w < c->ways; w++)
        if (set[w].tag == number + 1)
            return &set[w];
    return NULL;
}

static struct line *
victim(struct cache *c, uint64_t number)
{
    struct line *set = set_of(c, number), *oldest = set;
    for (uint32_t w = 1; w < c->ways; w++)
        if (set[w].used < oldest->used)
            oldest = &set[w];
    return oldest;
}

struct cache_outcome
cache_access(struct cache *c, uint64_t address, bool write, bool allocate, bool write_back)
{
    struct cache_outcome out = {false, 0};
    if (!c->sets)
        return out;
    uint64_t number = address / c->line_bytes;
    uint8_t sector = (uint8_t)(1u << address % c->line_bytes / c->sector_bytes);
    struct line *line = find_line(c, number);
    out.hit = line && (line->valid & sector);
    if (!line && allocate) {
        line = victim(c, number);
        out.written_back = (uint32_t)__builtin_popcount(line->dirty);
        *line = (struct line){.tag = number + 1};
    }
    if (!line || (!out.hit && !allocate))
        return out;
    line->used = ++c->clock;
    line->valid |= sector;
    if (write && write_back)
        line->dirty |= sector;
    return out;
}

void
cache_invalidate(struct cache *c, uint64_t address)
{
    struct line *line = c->sets ? find_line(c, address / c->line_bytes) : NULL;
    if (line)
        line->valid &= (uint8_t)~(1u << address % c->line_bytes / c->sector_bytes);
}

uint64_t
cache_flush(struct cache *c)
{
    uint64_t dirty = 0;
    for (uint64_t i = 0; i < c->sets * c->ways; i++)
        dirty += (uint64_t)__builtin_popcount(c->lines[i].dirty);
    if (c->sets)
        memset(c->lines, 0, c->sets * c->ways * sizeof *c->lines);
    return dirty;
}

/* -- the hierarchy ------------------------------------------------------------------------------- */

enum { LINE = 128, SECTOR = 32, L1_WAYS = 4, L2_WAYS = 16 };

struct cache_system {
    uint32_t sm_count;
    bool l1_loads;
    struct cache **l1, *l2;
    struct cache_counts counts;
};

struct cache_system *
cache_system_new(const struct device_profile *d, uint32_t shared_per_sm)
{
    struct cache_system *s = ls_alloc(sizeof *s);
    s->sm_count = d->sm_count;
    s->l1_loads = d->l1_global_loads;
    s->l1 = ls_alloc(d->sm_count * sizeof *s->l1);
    for (uint32_t i = 0; i < d->sm_count; i++)
        s->l1[i] = cache_new(model_l1_bytes(d, shared_per_sm), LINE, SECTOR, L1_WAYS);
    s->l2 = cache_new(d->l2_bytes, LINE, SECTOR, L2_WAYS);
    return s;
}

void
cache_system_free(struct cache_system *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->sm_count; i++)
        cache_free(s->l1[i]);
    ls_release(s->l1);
    cache_free(s->l2);
    ls_release(s);
}

/* A whole sector is written by stores mostly, so that L2 need not read it from memory first. */
static void
l2_sector(struct cache_system *s, uint64_t address, enum access_op op)
{
    bool write = op != ACCESS_LOAD;
    struct cache_outcome o = cache_access(s->l2, address, write, true, true);
    s->counts.l2_sectors++;
    s->counts.l2_hits += o.hit;
    if (!o.hit && op != ACCESS_STORE)
        s->counts.dram_bytes_read += SECTOR;
    s->counts.dram_bytes_written += (uint64_t)o.written_back * SECTOR;
    if (!s->l2->sets && write) /* 1.x: no cache at all */
        s->counts.dram_bytes_written += SECTOR;
}

void
cache_system_sector(struct cache_system *s, uint32_t sm, uint64_t address, enum access_op op,
                    bool bypass_l1)
{
    struct cache *l1 = s->l1[sm % s->sm_count];
    if (op == ACCESS_LOAD && s->l1_loads && !bypass_l1) {
        struct cache_outcome o = cache_access(l1, address, false, true, false);
        s->counts.l1_sectors++;
        s->counts.l1_hits += o.hit;
        if (o.hit)
            return;
    } else if (op != ACCESS_LOAD && op != ACCESS_STORE) {
        cache_invalidate(l1, address); /* atomics happen in L2 */
    }
    l2_sector(s, address, op);
}

void
cache_system_launch(struct cache_system *s)
{
    for (uint32_t i = 0; i < s->sm_count; i++)
        cache_flush(s->l1[i]);
}

struct cache_counts
cache_system_counts(struct cache_system *s, bool write_back)
{
    if (write_back)
        s->counts.dram_bytes_written += cache_flush(s->l2) * SECTOR;
    return s->counts;
}
