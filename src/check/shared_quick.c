/* SPDX-License-Identifier: Apache-2.0
 *
 * shared_quick.c: cells of shared memory, many at once, in loops that clang makes vectors of: runs
 * of words, and atomic operations of a warp. Where something may be wrong nothing is done, and
 * shared.c looks at each cell.
 */
#include "check/shared_cells.h"

/* Patterns have few words, mostly 16 or 32: no more at a time than a vector. */
#if defined(__clang__)
#define EIGHT_BY_EIGHT _Pragma("clang loop vectorize_width(8) interleave_count(1)")
#else
#define EIGHT_BY_EIGHT
#endif

/* Without branches: clang makes vectors of it. own:
 * each word's lane, as in a mark. */
static inline __attribute__((always_inline)) bool
load_run(struct block_state *b, const uint64_t *restrict own, uint32_t words, uint64_t first,
         uint64_t mark)
{
    const uint64_t low = (uint64_t)b->order.first << STAMP_SHIFT,
                   floor = (uint64_t)b->order.floor << STAMP_SHIFT;
    const uint64_t met = (uint64_t)b->order.warp_floor[pack_warp(mark)] << STAMP_SHIFT;
    const uint64_t warp = 31ull << PACK_WARP, lane = 31ull << PACK_LANE;
    const uint64_t *restrict w = b->shared.write + first;
    uint64_t *restrict r = b->shared.read + first, *restrict o = b->shared.other + first;
    uint64_t bad = 0;
    EIGHT_BY_EIGHT
    for (uint32_t k = 0; k < words; k++)
        bad |= (uint64_t)(w[k] < low) |
               (uint64_t)((w[k] >= floor) & !pack_is_own(w[k], mark | own[k], met));
    if (bad)
        return false;
    EIGHT_BY_EIGHT
    for (uint32_t k = 0; k < words; k++) {
        uint64_t old = r[k], new = mark | own[k], differ = old ^ new;
        uint64_t second = differ & lane ? old >> PACK_LANE : old >> PACK_LANE2;
        uint64_t both = (new & ~(31ull << PACK_LANE2)) | PACK_MANY | (second & 31) << PACK_LANE2;
        bool lately = old >= floor, same = !(differ & warp);
        o[k] = lately && !same ? old : o[k];
        r[k] = lately && same && old >= met && ((differ & lane) | (old & PACK_MANY)) ? both : new;
    }
    return true;
}

static inline __attribute__((always_inline)) bool
store_run(struct block_state *b, const uint64_t *restrict own, uint32_t words, uint64_t first,
          uint64_t mark)
{
    const uint64_t floor = (uint64_t)b->order.floor << STAMP_SHIFT;
    const uint64_t met = (uint64_t)b->order.warp_floor[pack_warp(mark)] << STAMP_SHIFT;
    uint64_t *restrict w = b->shared.write + first;
    const uint64_t *restrict r = b->shared.read + first, *restrict o = b->shared.other + first;
    uint64_t bad = 0;
    EIGHT_BY_EIGHT
    for (uint32_t k = 0; k < words; k++)
        bad |= (uint64_t)((w[k] >= floor) & !pack_is_own(w[k], mark | own[k], met)) |
               (uint64_t)((r[k] >= floor) & !pack_is_own(r[k], mark | own[k], met)) |
               (o[k] >= floor);
    if (bad)
        return false;
    EIGHT_BY_EIGHT
    for (uint32_t k = 0; k < words; k++)
        w[k] = mark | own[k];
    return true;
}

WIDE bool
shared_load_run(struct block_state *b, const uint64_t *own, uint32_t words, uint64_t first,
                uint64_t mark)
{
    return load_run(b, own, words, first, mark);
}

WIDE bool
shared_store_run(struct block_state *b, const uint64_t *own, uint32_t words, uint64_t first,
                 uint64_t mark)
{
    return store_run(b, own, words, first, mark);
}

/* Whether atomic operations of the lanes race with nothing, by the cells of their words. Atomics do
 * not race with each other: all cells are compared before one is changed. An inactive lane repeats
 * the first active lane's comparison, so that the loop has no branch. */
static inline __attribute__((always_inline)) bool
atomics_fit(const struct block_state *b, const struct quick *q, uint32_t lanes,
            const uint64_t *address, uint64_t mark, uint64_t *restrict cell)
{
    const uint64_t first = address[__builtin_ctz(lanes)],
                   base = (uint64_t)(uintptr_t)b->block->shared;
    const uint64_t low = q->low, *restrict w = b->shared.write, *restrict s = b->shared.strong;
    uint64_t bad = 0;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        cell[l] = ((lanes >> l & 1 ? address[l] : first) - base) / 4;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        bad |= (uint64_t)((w[cell[l]] < low) & (s[cell[l]] < low)) | (w[cell[l]] & PACK_UNSET);
    for (uint32_t left = b->shared.plain_stamp >= b->order.floor ? lanes : 0; left;
         left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint64_t new = mark | (uint64_t)l << PACK_LANE;
        bad |= !quick_before(q, w[cell[l]], new) ||
               !quick_before(q, b->shared.read[cell[l]], new) ||
               b->shared.other[cell[l]] >= q->floor;
    }
    return !bad;
}
static WIDE bool
atomics_fit_wide(const struct block_state *b, const struct quick *q, uint32_t lanes,
                 const uint64_t *address, uint64_t mark, uint64_t *cell)
{
    return atomics_fit(b, q, lanes, address, mark, cell);
}

bool
shared_quick_atomics(struct block_state *b, const struct quick *q, uint32_t lanes,
                     const uint64_t *address, uint64_t mark)
{
    uint64_t cell[JIT_LANES], *strong = b->shared.strong;
    if (!(b->launch->check->wide ? atomics_fit_wide(b, q, lanes, address, mark, cell)
                                 : atomics_fit(b, q, lanes, address, mark, cell)))
        return false;
    for (uint32_t left = b->shared.plain_stamp >= b->order.floor ? lanes : 0; left;
         left &= left - 1)
        b->shared.read[cell[__builtin_ctz(left)]] &= ~(uint64_t)PACK_SAW;
    for (uint32_t l = 0; l < JIT_LANES && lanes == ~0u; l++)
        strong[cell[l]] = mark | (uint64_t)l << PACK_LANE;
    for (uint32_t left = lanes == ~0u ? 0 : lanes; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        strong[cell[l]] = mark | (uint64_t)l << PACK_LANE;
    }
    b->shared.any_strong = true;
    return true;
}

static inline __attribute__((always_inline)) uint64_t
farthest(const uint64_t *address, uint32_t lanes, uint64_t from, uint64_t *out_bits)
{
    uint64_t most = 0, bits = 0;
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        uint64_t on = -(uint64_t)(lanes >> l & 1), at = (address[l] - from) & on;
        bits |= address[l] & on;
        most = most > at ? most : at;
    }
    *out_bits = bits;
    return most;
}
static WIDE uint64_t
farthest_wide(const uint64_t *address, uint32_t lanes, uint64_t from, uint64_t *out_bits)
{
    return farthest(address, lanes, from, out_bits);
}

uint64_t
shared_farthest(const struct check *c, const uint64_t *address, uint32_t lanes, uint64_t from,
                uint64_t *out_bits)
{
    return c->wide ? farthest_wide(address, lanes, from, out_bits)
                   : farthest(address, lanes, from, out_bits);
}
