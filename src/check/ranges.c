/* SPDX-License-Identifier: Apache-2.0
 *
 * ranges.c: ranges of device memory that copies and fills write or that are new, in shadow memory:
 * written by which work, or never; and which bytes of a range nothing has written.
 */
#include "check/host.h"
#include "check/shadow.h"

#include <stdlib.h>

/* -- copies, fills, new memory ----------------------------------------------------------------- */

/* All words of the lines that the range touches; false: they need more records. */
static bool
range_in_lines(struct global_shadow *g, struct chunk *k, uint32_t first, uint32_t count,
               uint32_t work, bool known)
{
    bool good = !((first | count) & 3);
    for (uint32_t at = first; at < first + count && good;) {
        uint32_t stop = (at | 127) + 1, end = stop < first + count ? stop : first + count;
        uint32_t words = (end - at) / 4 == 32 ? ~0u : ((1u << (end - at) / 4) - 1) << at / 4 % 32;
        good = line_range(&g->room, &k->lines[at >> LINE_BITS], words, work, known);
        at = end;
    }
    return good;
}

static void
range_in_chunk(struct global_shadow *g, struct chunk *k, uint32_t first, uint32_t count,
               uint32_t work, bool known)
{
    k->whole = k->whole && known;
    strong_logs_empty(&k->logs);
    if (count == CHUNK && (!work || known)) {
        if (k->cells)
            shadow_give(&g->room, sizeof(struct cell) * (CHUNK >> k->shift));
        free(k->cells);
        __atomic_store_n(&k->cells, NULL, __ATOMIC_RELAXED);
        chunk_drop_lines(g, k);
        k->shift = 2;
        chunk_mark_bits(k, first, count, known);
        k->by = work;
        return;
    }
    bool noted = work || k->lines || k->by;
    if (!k->cells && noted && chunk_need_lines(g, k) &&
        range_in_lines(g, k, first, count, work, known))
        return;
    if (!k->cells && !(noted && chunk_need_cells(g, k))) {
        chunk_mark_bits(k, first, count, known);
        k->by = 0;
        return;
    }
    if (k->shift && ((first | count) & 3) && !chunk_cut_cells(g, k)) {
        chunk_mark_bits(k, first, count, known);
        return;
    }
    uint32_t last = (first + count - 1) >> k->shift;
    struct cell c = {
        .write = {.who = (uint64_t)work << WORK_SHIFT, .when = known ? MARK_WRITTEN : 0}};
    for (uint32_t n = first >> k->shift; n <= last; n++)
        k->cells[n] = c;
}

void
global_range(struct global_shadow *g, uint64_t base, uint64_t size, uint32_t work, bool known)
{
    while (size) {
        uint32_t first = base & (CHUNK - 1);
        uint32_t count = size < CHUNK - first ? (uint32_t)size : CHUNK - first;
        struct chunk *k = shadow_chunk(g, base, true);
        if (k) {
            chunk_lock(k);
            atomic_store_explicit(&k->read_shared, 0, memory_order_relaxed);
            range_in_chunk(g, k, first, count, work, known);
            chunk_unlock(k);
        }
        base += count;
        size -= count;
    }
}

/* -- what nobody wrote ------------------------------------------------------------------------- */

uint64_t
global_unwritten(struct global_shadow *g, uint64_t base, uint64_t size, uint64_t *out_first,
                 struct holes *out)
{
    uint64_t count = 0, hole = 0; /* hole: where one began */
    for (uint64_t a = base; a < base + size;) {
        struct chunk *k = shadow_chunk(g, a, true);
        uint64_t end = (a & ~(uint64_t)(CHUNK - 1)) + CHUNK;
        end = end < base + size ? end : base + size;
        if (!k || (k->all_written && !k->cells && !k->lines)) {
            if (hole)
                holes_add(out, hole, a - hole);
            hole = 0;
            a = end;
            continue;
        }
        for (; a < end; a++) {
            uint32_t n = a & (CHUNK - 1);
            const struct cell *c = k->cells ? &k->cells[n >> k->shift] : NULL;
            bool known = c            ? cell_is_written(c)
                         : k->lines   ? k->lines[n >> LINE_BITS].written >> n / 4 % 32 & 1
                         : k->written ? chunk_bit(k->written, n)
                                      : k->all_written;
            if (!known && !count++)
                *out_first = a;
            if (known && hole)
                holes_add(out, hole, a - hole);
            hole = known ? 0 : hole ? hole : a;
        }
    }
    if (hole)
        holes_add(out, hole, base + size - hole);
    return count;
}

bool
global_byte_written(struct global_shadow *g, uint64_t at)
{
    struct chunk *k = shadow_chunk(g, at, true);
    if (!k)
        return true;
    chunk_lock(k);
    struct cell c = chunk_cell(k, at & (CHUNK - 1));
    chunk_unlock(k);
    return cell_is_written(&c);
}

void
global_word_unset(struct global_shadow *g, uint64_t at, uint32_t bytes)
{
    struct chunk *k = shadow_chunk(g, at, true);
    if (!k)
        return;
    chunk_lock(k);
    uint32_t first = at & (CHUNK - 1);
    if (chunk_need_cells(g, k) && (bytes == 4 || !k->shift || chunk_cut_cells(g, k)))
        for (uint32_t n = first >> k->shift; n <= (first + bytes - 1) >> k->shift; n++)
            k->cells[n].write.when |= MARK_UNSET;
    k->whole = false;
    chunk_unlock(k);
}

/* In a chunk that is all of the range's. */
static bool
chunk_written(struct chunk *k)
{
    if (k->whole || !(k->cells || k->lines))
        return k->whole || k->all_written;
    uint32_t n = 0, end = k->lines ? LINE_COUNT : CHUNK >> k->shift;
    if (k->hole < end &&
        !(k->lines ? k->lines[k->hole].written == ~0u : cell_is_written(&k->cells[k->hole])))
        return false;
    while (n < end && (k->lines ? k->lines[n].written == ~0u : cell_is_written(&k->cells[n])))
        n++;
    k->hole = n;
    k->whole = n == end;
    return k->whole;
}

/* In a part of it. */
static bool
part_written(struct global_shadow *g, const struct chunk *k, uint64_t base, uint64_t size)
{
    uint64_t first = 0;
    struct holes holes = {0};
    uint32_t at = base & (CHUNK - 1), end = (uint32_t)(at + size + 3) & ~3u;
    while (k->lines && at < end) {
        uint32_t stop = (at | 127) + 1, n = ((stop < end ? stop : end) - at + 3) / 4;
        uint32_t words = n >= 32 ? ~0u : ((1u << n) - 1) << at / 4 % 32;
        if (words & ~k->lines[at >> LINE_BITS].written)
            break;
        at = stop;
    }
    return (k->lines && at >= end) || !global_unwritten(g, base, size, &first, &holes);
}

bool
global_written(struct global_shadow *g, uint64_t base, uint64_t size)
{
    uint64_t end = base + size;
    while (base < end) {
        uint64_t stop = (base & ~(uint64_t)(CHUNK - 1)) + CHUNK,
                 part = (stop < end ? stop : end) - base;
        struct chunk *k = shadow_chunk(g, base, true);
        if (!k || k->thin)
            return false;
        chunk_lock(k);
        bool all = k->whole || (part == CHUNK ? chunk_written(k) : part_written(g, k, base, part));
        chunk_unlock(k);
        if (!all)
            return false;
        base += part;
    }
    return true;
}
