/* SPDX-License-Identifier: Apache-2.0
 *
 * Simulated caches: one cache of sectored lines, and the hierarchy L1 per SM, L2, device memory.
 * The policies are those that NVIDIA documents (L1 write-through without allocation, L2
 * write-back, 128-byte lines of four sectors); ways, replacement and the set hash are not
 * documented and are this model's: docs/model.md, "Caches".
 */
#include <string.h>

#include "model/model.h"

/* A set is one piece of memory, so that a lookup reads one line of the host's cache mostly: its tags,
 * then its sectors' bits. Its lines are in the order of their last use, the latest first. With 132 L1
 * caches in play what they take together decides how fast they are (measured: half a launch's time
 * went to waiting for tags and times of use of 64 bits each). */
struct cache {
    uint32_t line_bytes, sector_bytes, ways;
    bool halves; /* L2 in two halves: struct set's `far` is there */
    uint32_t sets;
    uint64_t inverse; /* of sets: remainder by multiplication */
    size_t stride;    /* bytes of a set */
    char *memory;     /* [sets * stride] */
};

struct set {
    uint32_t *tag;          /* [ways]: line number + 1; 0: empty */
    uint8_t *valid, *dirty; /* [ways]: a bit per sector */
    uint8_t *far;           /* [ways]: the other half holds the sector, too; NULL: there is one only */
};

static struct cache *
new_cache(uint64_t bytes, uint32_t line_bytes, uint32_t sector_bytes, uint32_t ways, bool halves)
{
    uint64_t count = bytes / line_bytes;
    struct cache *c = ls_alloc(sizeof *c);
    c->line_bytes = line_bytes;
    c->sector_bytes = sector_bytes;
    c->halves = halves;
    c->ways = count < ways ? (uint32_t)count : ways;
    c->sets = c->ways ? (uint32_t)(count / c->ways) : 0;
    if (!c->sets)
        return c;
    c->inverse = UINT64_MAX / c->sets + 1;
    c->stride = (c->ways * (sizeof(uint32_t) + 2 + halves) + 3) / 4 * 4;
    c->memory = ls_alloc(c->sets * c->stride);
    return c;
}

struct cache *
cache_new(uint64_t bytes, uint32_t line_bytes, uint32_t sector_bytes, uint32_t ways)
{
    return new_cache(bytes, line_bytes, sector_bytes, ways, false);
}

void
cache_free(struct cache *c)
{
    if (!c)
        return;
    ls_release(c->memory);
    ls_release(c);
}

static inline struct set
set_at(const struct cache *c, size_t n)
{
    char *at = c->memory + n * c->stride;
    uint8_t *bits = (uint8_t *)(at + c->ways * sizeof(uint32_t));
    uint8_t *far = c->halves ? bits + 2 * c->ways : NULL;
    return (struct set){(uint32_t *)at, bits, bits + c->ways, far};
}

/* The line's set. Upper bits are folded in, so that a power-of-two stride does not fall on few sets.
 * The remainder is Lemire's: exact for 32 bits. */
static inline struct set
set_of(const struct cache *c, uint64_t number)
{
    uint64_t hash = number ^ number >> 7 ^ number >> 15 ^ number >> 23;
    uint64_t fraction = c->inverse * (uint32_t)(hash ^ hash >> 32);
    return set_at(c, c->sets == 1 ? 0 : (size_t)((unsigned __int128)fraction * c->sets >> 64));
}

/* Way of the line; ways: not there. */
static inline uint32_t
find_line(const struct cache *c, const struct set *s, uint64_t number)
{
    uint32_t w = 0;
    while (w < c->ways && s->tag[w] != (uint32_t)number + 1)
        w++;
    return w;
}

/* Way w becomes the one used last. */
static inline void
to_front(const struct set *s, uint32_t w)
{
    uint32_t tag = s->tag[w];
    uint8_t valid = s->valid[w], dirty = s->dirty[w], far = s->far ? s->far[w] : 0;
    for (uint32_t i = w; s->far && i > 0; i--)
        s->far[i] = s->far[i - 1];
    if (s->far)
        s->far[0] = far;
    for (; w > 0; w--) {
        s->tag[w] = s->tag[w - 1];
        s->valid[w] = s->valid[w - 1];
        s->dirty[w] = s->dirty[w - 1];
    }
    s->tag[0] = tag;
    s->valid[0] = valid;
    s->dirty[0] = dirty;
}

/* Several sectors of one line, a bit each: those that hit; *written_back is added to. */
static uint8_t
access_line(struct cache *c, uint64_t number, uint8_t sectors, bool write, bool allocate,
            bool write_back, uint32_t *written_back)
{
    if (!c->sets)
        return 0;
    struct set s = set_of(c, number);
    uint32_t w = find_line(c, &s, number);
    bool there = w < c->ways;
    uint8_t hit = there ? s.valid[w] & sectors : 0;
    if (!there && allocate) {
        w = c->ways - 1;
        *written_back += (uint32_t)__builtin_popcount(s.dirty[w]);
        s.tag[w] = (uint32_t)number + 1;
        s.valid[w] = s.dirty[w] = 0;
        if (s.far)
            s.far[w] = 0;
    }
    uint8_t touched = allocate ? sectors : hit;
    if (w == c->ways || !touched)
        return hit;
    s.valid[w] |= touched;
    if (write && write_back)
        s.dirty[w] |= touched;
    to_front(&s, w);
    return hit;
}

struct cache_outcome
cache_access(struct cache *c, uint64_t address, bool write, bool allocate, bool write_back)
{
    struct cache_outcome out = {false, 0};
    uint8_t sector = (uint8_t)(1u << address % c->line_bytes / c->sector_bytes);
    out.hit = access_line(c, address / c->line_bytes, sector, write, allocate, write_back,
                          &out.written_back);
    return out;
}

/* Is the line there? */
static bool
holds_line(const struct cache *c, uint64_t number)
{
    struct set s = set_of(c, number);
    return find_line(c, &s, number) < c->ways;
}

static void
invalidate_line(struct cache *c, uint64_t number, uint8_t sectors)
{
    if (!c->sets)
        return;
    struct set s = set_of(c, number);
    uint32_t w = find_line(c, &s, number);
    if (w < c->ways)
        s.valid[w] &= (uint8_t)~sectors;
}

void
cache_invalidate(struct cache *c, uint64_t address)
{
    invalidate_line(c, address / c->line_bytes,
                    (uint8_t)(1u << address % c->line_bytes / c->sector_bytes));
}

uint64_t
cache_flush(struct cache *c)
{
    uint64_t dirty = 0;
    for (size_t n = 0; n < c->sets; n++)
        for (uint32_t w = 0; w < c->ways; w++)
            dirty += (uint64_t)__builtin_popcount(set_at(c, n).dirty[w]);
    if (c->sets)
        memset(c->memory, 0, c->sets * c->stride);
    return dirty;
}

/* -- the hierarchy ------------------------------------------------------------------------------- */

enum { LINE = 128, SECTOR = 32, L1_WAYS = 4, L2_WAYS = 16 };

struct cache_system {
    uint32_t sm_count;
    bool l1_loads;
    bool l1_stores; /* stores look L1 up, too */
    struct cache **l1, *l2;
    struct cache_counts counts;
};

struct cache_system *
cache_system_new(const struct device_profile *d, uint32_t shared_per_sm)
{
    struct cache_system *s = ls_alloc(sizeof *s);
    s->sm_count = d->sm_count;
    s->l1_loads = d->l1_global_loads;
    s->l1_stores = d->cc_major >= 7;
    s->l1 = ls_alloc(d->sm_count * sizeof *s->l1);
    for (uint32_t i = 0; i < d->sm_count; i++)
        s->l1[i] = cache_new(model_l1_bytes(d, shared_per_sm), LINE, SECTOR, L1_WAYS);
    s->l2 = new_cache(d->l2_bytes, LINE, SECTOR, L2_WAYS, d->l2_halves);
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

/* Which of the sectors, that L2 has (`hit`), the asking SM's own half has. A load from the half that is
 * not the line's home leaves a copy there; what is written, home alone has. Which SMs and lines belong
 * to which half NVIDIA does not say: SMs in turns of eight, lines by parity, are this model's. The last
 * access has put the line in front. */
static uint8_t
near_half(struct cache *l2, uint32_t sm, uint64_t number, uint8_t sectors, uint8_t hit, enum access_op op)
{
    struct set s = set_of(l2, number);
    if (op != ACCESS_LOAD) {
        s.far[0] &= (uint8_t)~sectors;
        return hit;
    }
    if ((sm / 8 & 1) == (uint32_t)__builtin_parityll(number))
        return hit;
    hit &= s.far[0];
    s.far[0] |= sectors;
    return hit;
}

/* A sector is taken as written whole, so that L2 need not read it from memory first: a store always
 * hits (readings of a 9.0: of axpb's 25,000 sectors the 12,500 written hit). */
static void
l2_line(struct cache_system *s, uint32_t sm, uint64_t number, uint8_t sectors, enum access_op op)
{
    bool write = op != ACCESS_LOAD;
    uint32_t written_back = 0, n = (uint32_t)__builtin_popcount(sectors);
    s->counts.l2_sectors += n;
    if (!s->l2->sets) { /* 1.x: no cache at all */
        s->counts.dram_bytes_read += op != ACCESS_STORE ? (uint64_t)n * SECTOR : 0;
        s->counts.dram_bytes_written += write ? (uint64_t)n * SECTOR : 0;
        return;
    }
    uint8_t hit = access_line(s->l2, number, sectors, write, true, true, &written_back);
    if (op != ACCESS_STORE)
        s->counts.dram_bytes_read += (uint64_t)(n - (uint32_t)__builtin_popcount(hit)) * SECTOR;
    s->counts.dram_bytes_written += (uint64_t)written_back * SECTOR;
    if (s->l2->halves)
        hit = near_half(s->l2, sm, number, sectors, hit, op);
    s->counts.l2_hits += op == ACCESS_STORE ? n : (uint32_t)__builtin_popcount(hit);
    s->counts.l2_loads += op == ACCESS_STORE ? 0 : n;
}

/* 7.0 on: a store takes its line in L1 and counts as a hit where the line is there already; what it
 * writes goes on to L2 all the same (docs/model.md, "Caches": readings of a 9.0). */
static void
l1_store(struct cache_system *s, struct cache *l1, uint64_t number, uint8_t sectors)
{
    uint32_t n = (uint32_t)__builtin_popcount(sectors), none = 0;
    if (!l1->sets)
        return;
    s->counts.l1_sectors += n;
    if (holds_line(l1, number))
        s->counts.l1_hits += n;
    else
        access_line(l1, number, 0, true, true, false, &none);
}

static void
system_line(struct cache_system *s, uint32_t sm, uint64_t number, uint8_t sectors,
            enum access_op op, bool bypass_l1)
{
    struct cache *l1 = s->l1[sm % s->sm_count];
    uint32_t none = 0;
    if (op == ACCESS_LOAD && s->l1_loads && !bypass_l1) {
        uint8_t hit = access_line(l1, number, sectors, false, true, false, &none);
        s->counts.l1_sectors += (uint32_t)__builtin_popcount(sectors);
        s->counts.l1_hits += (uint32_t)__builtin_popcount(hit);
        sectors &= (uint8_t)~hit;
    } else if (op != ACCESS_LOAD && op != ACCESS_STORE) {
        invalidate_line(l1, number, sectors); /* atomics happen in L2 */
        s->counts.l1_sectors += s->l1_stores ? (uint32_t)__builtin_popcount(sectors) : 0;
    } else if (op == ACCESS_STORE && s->l1_stores) {
        l1_store(s, l1, number, sectors);
    }
    if (sectors)
        l2_line(s, sm, number, sectors, op);
}

void
cache_system_sectors(struct cache_system *s, uint32_t sm, uint64_t address, uint32_t count,
                     enum access_op op, bool bypass_l1)
{
    enum { PER_LINE = LINE / SECTOR };
    uint64_t sector = address / SECTOR;
    while (count) {
        uint32_t first = (uint32_t)(sector % PER_LINE);
        uint32_t n = PER_LINE - first < count ? PER_LINE - first : count;
        system_line(s, sm, sector / PER_LINE, (uint8_t)(((1u << n) - 1) << first), op, bypass_l1);
        sector += n;
        count -= n;
    }
}

void
cache_system_sector(struct cache_system *s, uint32_t sm, uint64_t address, enum access_op op,
                    bool bypass_l1)
{
    cache_system_sectors(s, sm, address, 1, op, bypass_l1);
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
