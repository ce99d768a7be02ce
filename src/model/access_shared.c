/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory: how many wavefronts one warp's access takes, by generation. docs/model.md,
 * "Shared memory", shows for each rule the pattern that proves it.
 *
 * An access is cut into parts (lanes served together); a part takes as many wavefronts as its
 * worst bank has distinct words; the parts' wavefronts add up. Start with shared_cost().
 */
#include <string.h>

#include "model/access.h"

/* -- parts ------------------------------------------------------------------------------------- */

/* All active lanes agree with their neighbour at distance `step`, or that one is inactive. */
static bool
neighbours_agree(const struct access *a, uint32_t step)
{
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t other = lane ^ step;
        if ((a->mask >> lane & 1) && (a->mask >> other & 1) &&
            a->address[lane] != a->address[other])
            return false;
    }
    return true;
}

/* Lanes of one part. 7.0 on: a wide load whose lane pairs (n, n^1), or whose pairs (n, n^2), ask
 * for the same address returns half the data, and two parts go in one. Stores never do. */
static uint32_t
part_lanes(const struct device_profile *d, const struct access *a)
{
    switch (d->cc_major) {
    case 1: return 16;
    case 2: return a->width == 8 ? 16 : a->width == 16 ? 8 : 32;
    case 3: /* 256 bytes a clock */ return a->width == 16 ? 16 : 32;
    default: break;
    }
    uint32_t lanes = a->width <= 4 ? 32 : 128 / a->width;
    if (lanes < 32 && a->op == ACCESS_LOAD && d->cc_major >= 7 &&
        (neighbours_agree(a, 1) || neighbours_agree(a, 2)))
        lanes *= 2;
    return lanes;
}

uint32_t
model_shared_parts(const struct device_profile *d, const struct access *a, uint32_t part[8])
{
    uint32_t lanes = part_lanes(d, a), count = 0;
    for (uint32_t first = 0; first < 32; first += lanes) {
        uint32_t mask = lanes == 32 ? UINT32_MAX : ((1u << lanes) - 1) << first;
        if (a->mask & mask)
            part[count++] = a->mask & mask;
    }
    return count;
}

/* -- banks ------------------------------------------------------------------------------------- */

uint32_t
model_shared_bank(const struct device_profile *d, bool bank8, uint64_t address)
{
    uint32_t shift = d->cc_major == 3 && bank8 ? 3 : 2;
    return (uint32_t)(address >> shift) & (d->shared_banks - 1); /* 16 or 32 */
}

/* Distinct rows asked of each bank. */
struct banks {
    uint32_t count[32];
    uint64_t row[32][32];
};

static void
banks_add(struct banks *b, uint32_t bank, uint64_t row)
{
    for (uint32_t i = 0; i < b->count[bank]; i++)
        if (b->row[bank][i] == row)
            return;
    if (b->count[bank] < 32)
        b->row[bank][b->count[bank]++] = row;
}

static uint32_t
banks_worst(const struct banks *b)
{
    uint32_t worst = 0;
    for (uint32_t i = 0; i < 32; i++)
        if (b->count[i] > worst)
            worst = b->count[i];
    return worst;
}

/* Loads and stores from 2.0 on: any number of lanes may use the same word. Generation 3.x serves
 * 64 bits of a bank at once: in 4-byte mode the words i and i+32 of an aligned run of 64. */
static uint32_t
multicast_steps(const struct device_profile *d, const struct access *a, uint32_t lanes)
{
    struct banks b;
    memset(b.count, 0, sizeof b.count);
    /* Of words and rows: shifts, as a division takes as long as all the rest of a lane. */
    uint32_t unit = d->cc_major == 3 && a->bank8 ? 3 : 2;
    uint32_t row = d->cc_major == 3 && !a->bank8 ? 6 : 5;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        uint64_t last = (a->address[lane] + a->width - 1) >> unit;
        for (uint64_t word = a->address[lane] >> unit; word <= last; word++)
            banks_add(&b, (uint32_t)(word % 32), word >> row);
    }
    return banks_worst(&b);
}

/* Atomics: a bank updates one lane's word at a time, equal addresses too. */
static uint32_t
atomic_steps(const struct device_profile *d, const struct access *a, uint32_t lanes)
{
    uint32_t count[32] = {0}, worst = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1) {
            uint32_t bank = model_shared_bank(d, a->bank8, a->address[lane]);
            if (++count[bank] > worst)
                worst = count[bank];
        }
    return worst;
}

/* 1.x, one 32-bit request of a half-warp (Programming Guide 3.0, G.3.3.2): each step serves all
 * lanes of one broadcast word and one lane of every other bank. Which word is broadcast is left
 * open there; here the one that most lanes of the fullest bank wait for. Stores have no broadcast;
 * lanes that write the same location count once. */
static uint32_t
broadcast_steps(const struct access *a, uint32_t lanes, uint32_t offset)
{
    uint64_t word[16], place[16];
    uint32_t left = 0, steps = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        uint64_t at = a->address[lane] + offset;
        bool known = false;
        for (uint32_t i = 0; i < left && a->op == ACCESS_STORE; i++)
            known = known || place[i] == at;
        if (known)
            continue;
        word[left] = at / 4;
        place[left++] = at;
    }
    while (left) {
        uint32_t waiting[16] = {0}, best = 0, best_bank = 0, best_same = 0;
        for (uint32_t i = 0; i < left; i++)
            waiting[word[i] % 16]++;
        for (uint32_t i = 0; i < left; i++) {
            uint32_t same = 0;
            for (uint32_t j = 0; j < left; j++)
                same += word[j] == word[i];
            uint32_t in_bank = waiting[word[i] % 16];
            if (in_bank > best_bank || (in_bank == best_bank && same > best_same)) {
                best = i;
                best_bank = in_bank;
                best_same = same;
            }
        }
        uint64_t broadcast = word[best];
        bool any = a->op == ACCESS_STORE;
        uint32_t served = any ? 0 : 1u << broadcast % 16, kept = 0;
        for (uint32_t i = 0; i < left; i++) {
            if (!any && word[i] == broadcast)
                continue;
            uint32_t bit = 1u << word[i] % 16;
            if (!(served & bit)) {
                served |= bit;
                continue;
            }
            word[kept++] = word[i];
        }
        left = kept;
        steps++;
    }
    return steps;
}

/* -- the cost ---------------------------------------------------------------------------------- */

/* Adds a part's wavefronts, which are `needed` at least, to the cost. */
static void
part_cost(struct access_cost *out, uint32_t steps, uint32_t needed, uint32_t degree)
{
    out->wavefronts += steps;
    out->wavefronts_ideal += needed;
    if (degree > out->degree)
        out->degree = degree;
}

/* 1.x: 8 and 16 bytes are two and four requests of 4. */
static void
tesla_part(const struct access *a, uint32_t lanes, struct access_cost *out)
{
    for (uint32_t offset = 0; offset < a->width; offset += 4) {
        uint32_t steps = broadcast_steps(a, lanes, offset);
        part_cost(out, steps, 1, steps);
    }
}

/* 2.x, 16 bytes: a half-warp takes 1 + the worst degree of its quarters (Guide 4.2, F.4.3). */
static void
fermi_wide(const struct device_profile *d, const struct access *a, struct access_cost *out)
{
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t low = a->mask & 0xffu << 16 * half, high = a->mask & 0xff00u << 16 * half;
        if (!low && !high)
            continue;
        uint32_t degree = low ? multicast_steps(d, a, low) : 0;
        uint32_t other = high ? multicast_steps(d, a, high) : 0;
        degree = other > degree ? other : degree;
        part_cost(out, 1 + degree, 2, degree);
    }
}

void
shared_cost(const struct device_profile *d, const struct access *a, struct access_cost *out)
{
    bool atomic = a->op == ACCESS_ATOMIC || a->op == ACCESS_REDUCE;
    if (d->cc_major == 2 && a->width == 16 && !atomic) {
        fermi_wide(d, a, out);
    } else {
        uint32_t part[8], count = model_shared_parts(d, a, part);
        for (uint32_t i = 0; i < count; i++) {
            if (d->cc_major == 1 && !atomic) {
                tesla_part(a, part[i], out);
                continue;
            }
            uint32_t steps = atomic ? atomic_steps(d, a, part[i]) : multicast_steps(d, a, part[i]);
            part_cost(out, steps, 1, steps);
        }
    }
    out->bank_conflicts = out->wavefronts - out->wavefronts_ideal;
}
