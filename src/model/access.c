/* SPDX-License-Identifier: Apache-2.0
 *
 * What one warp's access costs: global and local memory (transactions before 5.0, sectors since),
 * constant memory; shared memory is in access_shared.c. docs/model.md has the rules in words.
 * Start with model_access().
 */
#include <string.h>

#include "model/access.h"

/* A growing set of numbers without repeats, in the order in which they came. 32 lanes of 16 bytes
 * touch at most 64 blocks, aligned or not. */
struct blocks {
    uint32_t count;
    uint8_t slot[128]; /* by hash, with open addressing: 0 or 1 + where it is in at[] */
    uint64_t at[64];
};

static void
blocks_clear(struct blocks *s)
{
    s->count = 0;
    memset(s->slot, 0, sizeof s->slot);
}

/* Where it is; 64: there is no room. */
static uint32_t
blocks_add(struct blocks *s, uint64_t block)
{
    uint32_t k = (uint32_t)(block * 0x9e3779b97f4a7c15ull >> 57);
    for (; s->slot[k]; k = (k + 1) % 128)
        if (s->at[s->slot[k] - 1] == block)
            return s->slot[k] - 1u;
    if (s->count == 64)
        return 64;
    s->at[s->count++] = block;
    s->slot[k] = (uint8_t)s->count;
    return s->count - 1;
}

static void
blocks_of_lanes(struct blocks *s, const struct access *a, uint32_t lanes, uint32_t size)
{
    uint32_t shift = (uint32_t)__builtin_ctz(size); /* a power of two; a division is dear */
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint64_t last = (a->address[lane] + a->width - 1) >> shift;
        for (uint64_t block = a->address[lane] >> shift; block <= last; block++)
            blocks_add(s, block);
    }
}

/* -- sectors: 5.0 on --------------------------------------------------------------------------- */

/* Aligned lanes are equal or disjoint. */
uint32_t
model_ideal_sectors(const struct access *a)
{
    struct blocks distinct;
    blocks_clear(&distinct);
    for (uint32_t rest = a->mask; rest; rest &= rest - 1)
        blocks_add(&distinct, a->address[__builtin_ctz(rest)]);
    return (distinct.count * a->width + 31) / 32;
}

/* Atomics: lanes of one address go one after the other, in rounds without repeats; each round
 * counts its sectors. */
static uint32_t
atomic_sectors(const struct access *a, uint32_t sector)
{
    enum { ROUNDS = 32 };
    uint32_t round[ROUNDS] = {0}, sectors = 0;
    uint8_t times[64] = {0};
    struct blocks s;
    blocks_clear(&s);
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        round[times[blocks_add(&s, a->address[lane])]++] |= 1u << lane;
    }
    for (uint32_t k = 0; k < ROUNDS && round[k]; k++) {
        blocks_clear(&s);
        blocks_of_lanes(&s, a, round[k], sector);
        sectors += s.count;
    }
    return sectors;
}

bool
model_near(const struct access *a, struct near_sectors *out)
{
    enum { SECTORS = 64, SECTOR = 32, LINE = 128 };
    uint64_t low = UINT64_MAX, high = 0, crooked = 0, bits = 0, round[32];
    uint8_t times[SECTORS * SECTOR];
    uint32_t shift = (uint32_t)__builtin_ctz(a->width), distinct = 0, most = 0;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t at = a->address[__builtin_ctz(rest)];
        low = at < low ? at : low;
        high = at > high ? at : high;
        crooked |= at;
    }
    low &= ~(uint64_t)(LINE - 1);
    if (crooked & (a->width - 1) || high - low >= SECTORS * SECTOR)
        return false;
    memset(times, 0, SECTORS * SECTOR >> shift);
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t at = a->address[__builtin_ctz(rest)] - low, sector = 1ull << at / SECTOR;
        uint32_t turn = times[at >> shift]++;
        bits |= sector;
        distinct += !turn;
        if (turn > most)
            round[++most] = sector;
        else if (turn)
            round[turn] |= sector;
    }
    *out = (struct near_sectors){.low = low,
                                 .bits = bits,
                                 .sectors = (uint32_t)__builtin_popcountll(bits),
                                 .ideal = (distinct * a->width + SECTOR - 1) / SECTOR};
    /* Atomics: lanes of one address go one after the other. */
    for (uint32_t k = 1; k <= most && (a->op == ACCESS_ATOMIC || a->op == ACCESS_REDUCE); k++)
        out->sectors += (uint32_t)__builtin_popcountll(round[k]);
    return true;
}

static void
sector_cost(const struct access *a, struct access_cost *out)
{
    struct near_sectors near;
    if (model_near(a, &near)) {
        out->sectors = near.sectors;
        out->sectors_ideal = near.ideal;
        return;
    }
    if (a->op == ACCESS_ATOMIC || a->op == ACCESS_REDUCE) {
        out->sectors = atomic_sectors(a, 32);
    } else {
        struct blocks s;
        blocks_clear(&s);
        blocks_of_lanes(&s, a, a->mask, 32);
        out->sectors = s.count;
    }
    out->sectors_ideal = model_ideal_sectors(a);
}

/* -- transactions: before 5.0 ------------------------------------------------------------------ */

static void
transaction_add(struct access_cost *out, uint64_t address, uint32_t size)
{
    uint32_t i = 0;
    while (i < out->transaction_count &&
           (out->transactions[i].address < address ||
            (out->transactions[i].address == address && out->transactions[i].size < size)))
        i++;
    struct transaction *t = &out->transactions[i];
    if (i < out->transaction_count && t->address == address && t->size == size) {
        t->count++;
        return;
    }
    if (out->transaction_count == 64)
        return;
    memmove(t + 1, t, (out->transaction_count - i) * sizeof *t);
    *t = (struct transaction){.address = address, .size = size, .count = 1};
    out->transaction_count++;
}

/* 1.0 and 1.1 (Guide 3.0, G.3.2.1): the k-th thread of a half-warp accesses the k-th word of one
 * aligned segment of 16 words of 4, 8 or 16 bytes, or sits out; otherwise each thread pays 32
 * bytes. */
static bool
half_warp_is_strict(const struct access *a, uint32_t lanes, uint64_t *segment)
{
    if (a->width < 4)
        return false;
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    *segment = a->address[first] - (uint64_t)(first % 16) * a->width;
    if (*segment % (16 * a->width))
        return false;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (a->address[lane] != *segment + (uint64_t)(lane % 16) * a->width)
            return false;
    }
    return true;
}

static void
strict_transactions(const struct access *a, uint32_t lanes, struct access_cost *out)
{
    uint64_t segment;
    if (half_warp_is_strict(a, lanes, &segment)) {
        transaction_add(out, segment, a->width == 4 ? 64 : 128);
        if (a->width == 16)
            transaction_add(out, segment + 128, 128);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint64_t address = a->address[__builtin_ctz(lanes)];
        transaction_add(out, address / 32 * 32, 32);
    }
}

/* 1.2 and 1.3 (Guide 3.0, G.3.2.2): the segment of the lowest lane left, of 32 bytes for 1-byte
 * words, 64 for 2, 128 for more; all lanes inside join; it shrinks to the half that is used. */
static void
segment_transactions(const struct access *a, uint32_t lanes, struct access_cost *out)
{
    uint32_t whole = a->width == 1 ? 32 : a->width == 2 ? 64 : 128;
    while (lanes) {
        uint32_t size = whole;
        uint64_t base = a->address[__builtin_ctz(lanes)] / size * size;
        uint64_t low = UINT64_MAX, high = 0;
        uint32_t joined = 0;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (a->address[lane] / size * size != base)
                continue;
            joined |= 1u << lane;
            if (a->address[lane] < low)
                low = a->address[lane];
            if (a->address[lane] + a->width > high)
                high = a->address[lane] + a->width;
        }
        for (; size > 32; size /= 2) {
            uint64_t middle = base + size / 2;
            if (low < middle && high > middle)
                break;
            if (low >= middle)
                base = middle;
        }
        transaction_add(out, base, size);
        lanes &= ~joined;
    }
}

/* 2.x and 3.x (Guide 4.2, F.4.2): words of 8 bytes go by half-warp, of 16 by quarter; lines of 128
 * bytes through L1, segments of 32 past it. Stores and atomics are L2's. */
static void
line_transactions(const struct device_profile *d, const struct access *a, struct access_cost *out)
{
    bool cached = a->op == ACCESS_LOAD && !a->bypass_l1 &&
                  (d->l1_global_loads || a->use_l1 || a->space == ACCESS_LOCAL);
    uint32_t size = cached ? 128 : 32, lanes = a->width <= 4 ? 32 : 128 / a->width;
    for (uint32_t first = 0; first < 32; first += lanes) {
        uint32_t part = a->mask & (lanes == 32 ? UINT32_MAX : ((1u << lanes) - 1) << first);
        struct blocks s;
        blocks_clear(&s);
        blocks_of_lanes(&s, a, part, size);
        for (uint32_t i = 0; i < s.count; i++)
            transaction_add(out, s.at[i] * size, size);
    }
}

static void
transaction_cost(const struct device_profile *d, const struct access *a, struct access_cost *out)
{
    bool atomic = a->op == ACCESS_ATOMIC || a->op == ACCESS_REDUCE;
    if (d->cc_major > 1 && !atomic) {
        line_transactions(d, a, out);
        return;
    }
    if (atomic) { /* each lane's word is a read-modify-write of its own */
        for (uint32_t lanes = a->mask; lanes; lanes &= lanes - 1)
            transaction_add(out, a->address[__builtin_ctz(lanes)] / 32 * 32, 32);
        return;
    }
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t lanes = a->mask & 0xffffu << 16 * half;
        if (!lanes)
            continue;
        if (d->cc_minor <= 1)
            strict_transactions(a, lanes, out);
        else
            segment_transactions(a, lanes, out);
    }
}

/* -- local and constant ------------------------------------------------------------------------ */

uint64_t
model_local_address(uint64_t warp_base, uint64_t offset, uint32_t lane)
{
    return warp_base + offset / 4 * 128 + lane * 4 + offset % 4;
}

/* A lane's wide access is words that lie 128 bytes apart: `width / 4` accesses of 4 bytes. */
static void
local_cost(const struct device_profile *d, const struct access *a, struct access_cost *out)
{
    uint32_t pieces = a->width > 4 ? a->width / 4 : 1;
    struct access piece = *a;
    piece.width = a->width > 4 ? 4 : a->width;
    for (uint32_t p = 0; p < pieces; p++) {
        for (uint32_t lane = 0; lane < 32; lane++)
            if (a->mask >> lane & 1)
                piece.address[lane] = model_local_address(0, a->address[lane] + 4 * p, lane);
        if (model_has_transactions(d)) {
            transaction_cost(d, &piece, out);
            continue;
        }
        struct access_cost cost = {0};
        sector_cost(&piece, &cost);
        out->sectors += cost.sectors;
        out->sectors_ideal += cost.sectors_ideal;
    }
}

/* One step per distinct address, in each half-warp on 1.x (Guide 3.0, 5.3.2.4). */
static void
constant_cost(const struct device_profile *d, const struct access *a, struct access_cost *out)
{
    uint32_t lanes = d->cc_major == 1 ? 16 : 32;
    for (uint32_t first = 0; first < 32; first += lanes) {
        uint32_t part = a->mask & (lanes == 32 ? UINT32_MAX : 0xffffu << first), distinct = 0;
        for (uint32_t rest = part; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            bool known = false;
            for (uint32_t o = part & ((1u << lane) - 1); o && !known; o &= o - 1)
                known = a->address[__builtin_ctz(o)] == a->address[lane];
            distinct += !known;
        }
        out->wavefronts += distinct;
        out->wavefronts_ideal += distinct > 0;
        if (distinct > out->degree)
            out->degree = distinct;
    }
}

bool
model_has_transactions(const struct device_profile *d)
{
    return d->cc_major < 5;
}

void
model_access(const struct device_profile *d, const struct access *a, struct access_cost *out)
{
    memset(out, 0, offsetof(struct access_cost, transactions));
    if (!a->mask)
        return;
    out->requests = 1;
    switch (a->space) {
    case ACCESS_SHARED: shared_cost(d, a, out); break;
    case ACCESS_GLOBAL:
        if (model_has_transactions(d))
            transaction_cost(d, a, out);
        else
            sector_cost(a, out);
        break;
    case ACCESS_LOCAL: local_cost(d, a, out); break;
    case ACCESS_CONSTANT: constant_cost(d, a, out); break;
    }
}
