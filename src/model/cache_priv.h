/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated caches, inside: where a line lies in a cache of so many sets, and L1 (cache_l1.c),
 * which cache.c puts before L2.
 */
#ifndef LOCKSTEP_CACHE_PRIV_H
#define LOCKSTEP_CACHE_PRIV_H

#include "model/model.h"

enum { LINE = 128, SECTOR = 32, PER_LINE = LINE / SECTOR };
enum { ALL_SECTORS = (1 << PER_LINE) - 1 };

/* Number of sets, with what its remainders take. */
struct sets {
    uint32_t count;
    uint64_t inverse;
};

static inline struct sets
count_sets(uint64_t bytes, uint32_t ways)
{
    struct sets s = {.count = (uint32_t)(bytes / LINE / ways)};
    s.inverse = s.count ? UINT64_MAX / s.count + 1 : 0;
    return s;
}

/* A line's set, and what of its hash is above: the two together are the line's and no other one's,
 * as the hash gives each number of 32 bits another one. */
struct place {
    uint32_t set, above;
};

/* Upper bits are folded in, so that a power-of-two stride does not fall on few sets. */
static inline uint32_t
hash_of(uint64_t number)
{
    uint64_t hash = number ^ number >> 7 ^ number >> 15 ^ number >> 23;
    return (uint32_t)(hash ^ hash >> 32);
}

/* The division is by multiplication: exact for 32 bits (Lemire). One set: its inverse is 0. */
static inline struct place
place_of(const struct sets *s, uint64_t number)
{
    uint64_t hash = hash_of(number);
    uint64_t above = s->inverse ? (uint64_t)((unsigned __int128)s->inverse * hash >> 64) : hash;
    return (struct place){(uint32_t)(hash - above * s->count), (uint32_t)above};
}

/* Of a set of a line's sectors. Hosts that are not told to have it count bits in a dozen
 * instructions. */
static inline uint32_t
count_sectors(uint32_t sectors)
{
    return 0x4332322132212110ull >> 4 * (sectors & ALL_SECTORS) & 15;
}

/* A request to L2; its lower bits are a traffic word's. */
enum { ASK_OP_SHIFT = CACHE_OP_SHIFT, ASK_SM_SHIFT = 8, ASK_LINE_SHIFT = 24 };

/* -- L1 ---------------------------------------------------------------------------------------- */

enum { L1_WAYS = 4 };
struct l1_set;

struct l1 {
    struct sets sets;
    bool loads;
    bool stores;        /* look it up, too */
    bool wide;          /* lines are looked up eight at a time */
    struct l1_set *set; /* [sm_count * sets.count] */
    bool *used;         /* [sm_count]: else its sets are those of another launch */
    uint32_t sm_count;
};

/* wide: the host has vectors of eight lines. */
struct l1 l1_new(const struct device_profile *d, uint64_t bytes, bool wide);
void l1_free(struct l1 *l1);
/* A kernel begins: it holds nothing. */
void l1_forget(struct l1 *l1);
/* As cache_system_l1(). */
size_t l1_play(struct l1 *l1, uint32_t sm, const uint64_t *line, size_t count, uint64_t *out,
               struct cache_counts *counts);

#endif
