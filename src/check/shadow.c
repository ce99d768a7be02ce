/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow.c: the shadow of device memory: chunks of 16 KiB, which get cells or lines (lines.h) when
 * a kernel first touches them. A cell is a word until an access is narrower. Chunks that only
 * copies and fills touched have a bit per byte. Cells take sixteen times the memory they watch:
 * beyond the limit races in further chunks are not looked for, and the report says so.
 */
#include "check/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    _Atomic(struct chunk *) chunk[TABLE];
};

struct global_shadow *
global_new(uint64_t most_bytes)
{
    struct global_shadow *g = ls_alloc(sizeof *g);
    g->room.limit = most_bytes;
    return g;
}

void
chunk_drop_lines(struct global_shadow *g, struct chunk *k)
{
    for (uint32_t n = 0; k->lines && n < LINE_COUNT; n++)
        line_free(&g->room, &k->lines[n]);
    if (k->lines)
        shadow_give(&g->room, sizeof *k->lines * LINE_COUNT);
    free(k->lines);
    k->lines = NULL;
}

static void
chunk_free(struct global_shadow *g, struct chunk *k)
{
    if (!k)
        return;
    free(k->cells);
    strong_logs_free(&k->logs);
    chunk_drop_lines(g, k);
    free(k->written);
    free(k);
}

void
global_free(struct global_shadow *g)
{
    for (uint32_t t = 0; t < TOP; t++) {
        struct table *table = g->top[t];
        for (uint32_t k = 0; table && k < TABLE; k++)
            chunk_free(g, table->chunk[k]);
        free(table);
    }
    ls_release(g);
}

bool
global_thinned(const struct global_shadow *g)
{
    return g->thinned;
}

/* -- chunks ------------------------------------------------------------------------------------ */

struct chunk *
shadow_chunk(struct global_shadow *g, uint64_t address, bool make)
{
    uint64_t n = address >> CHUNK_BITS;
    if (n >> TABLE_BITS >= TOP)
        return NULL;
    _Atomic(struct table *) *at = &g->top[n >> TABLE_BITS];
    struct table *t = atomic_load_explicit(at, memory_order_acquire), *none = NULL;
    if (!t && !make)
        return NULL;
    if (!t) {
        t = calloc(1, sizeof *t);
        if (!t)
            return NULL;
        if (!atomic_compare_exchange_strong(at, &none, t)) {
            free(t);
            t = none;
        }
    }
    _Atomic(struct chunk *) *slot = &t->chunk[n & (TABLE - 1)];
    struct chunk *k = atomic_load_explicit(slot, memory_order_acquire), *empty = NULL;
    if (k || !make)
        return k;
    k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->shift = 2;
    if (!atomic_compare_exchange_strong(slot, &empty, k)) {
        free(k);
        k = empty;
    }
    return k;
}

/* The memory for cells or lines, or thin. */
static void *
room_for(struct global_shadow *g, struct chunk *k, uint64_t bytes)
{
    void *c = NULL;
    if (shadow_take(&g->room, bytes)) {
        c = aligned_alloc(sizeof(struct line), bytes); /* a multiple of it */
        if (!c)
            shadow_give(&g->room, bytes);
    }
    if (!c) {
        g->thinned = true;
        k->thin = true;
    }
    return c;
}

static struct cell
cell_of_none(const struct chunk *k, uint32_t byte)
{
    bool written = k->written ? chunk_bit(k->written, byte) : k->all_written;
    return (struct cell){.write = {.who = written ? (uint64_t)k->by << WORK_SHIFT : 0,
                                   .when = written ? MARK_WRITTEN : 0}};
}

/* A copy of what is known of the chunk's byte, whatever its form. */
struct cell
chunk_cell(const struct chunk *k, uint32_t byte)
{
    if (k->cells)
        return k->cells[byte >> k->shift];
    return k->lines ? line_cell(&k->lines[byte >> LINE_BITS], byte / 4 % 32)
                    : cell_of_none(k, byte);
}

bool
chunk_need_cells(struct global_shadow *g, struct chunk *k)
{
    if (k->cells || k->thin)
        return k->cells != NULL;
    bool words = true; /* no word is written in part */
    for (uint32_t n = 0; k->written && n < CHUNK / 8; n++)
        words = words && (k->written[n] & 15) % 15 == 0 && (k->written[n] >> 4) % 15 == 0;
    k->shift = words ? 2 : 0;
    struct cell *cells = room_for(g, k, sizeof *cells * (CHUNK >> k->shift));
    for (uint32_t n = 0; cells && n < CHUNK >> k->shift; n++)
        cells[n] = chunk_cell(k, n << k->shift);
    if (k->lines && !cells) { /* only what was written is kept */
        k->written = calloc(1, CHUNK / 8);
        k->all_written = !k->written;
        for (uint32_t n = 0; k->written && n < CHUNK / 8; n++)
            k->written[n] =
                (uint8_t)((k->lines[n / 16].written >> n % 16 * 2 & 1 ? 0x0f : 0) |
                          (k->lines[n / 16].written >> (n % 16 * 2 + 1) & 1 ? 0xf0 : 0));
    }
    chunk_drop_lines(g, k);
    __atomic_store_n(&k->cells, cells, __ATOMIC_RELAXED); /* fetch_cells reads it */
    if (!cells)
        return false;
    free(k->written);
    k->written = NULL;
    return true;
}

/* False: the chunk has cells, or there is no memory. */
bool
chunk_need_lines(struct global_shadow *g, struct chunk *k)
{
    if (k->lines || k->cells || k->thin)
        return k->lines != NULL;
    for (uint32_t n = 0; k->written && n < CHUNK / 8; n++)
        if ((k->written[n] & 15) % 15 || (k->written[n] >> 4) % 15)
            return false;
    k->lines = room_for(g, k, sizeof *k->lines * LINE_COUNT);
    for (uint32_t n = 0; k->lines && n < LINE_COUNT; n++) {
        struct line *l = &k->lines[n];
        *l = (struct line){0};
        uint32_t words = k->all_written ? ~0u : 0;
        for (uint32_t w = 0; k->written && w < 32; w++)
            words |= (uint32_t)chunk_bit(k->written, n * 128 + 4 * w) << w;
        line_range(&g->room, l, words, words ? k->by : 0, true);
    }
    if (!k->lines)
        return false;
    free(k->written);
    k->written = NULL;
    return true;
}

/* No more than a bit per byte of what the cells knew. */
static void
drop_cells(struct global_shadow *g, struct chunk *k)
{
    uint8_t *bits = calloc(1, CHUNK / 8);
    k->all_written = !bits;
    for (uint32_t n = 0; bits && n < CHUNK; n++)
        bits[n / 8] |= (uint8_t)(cell_is_written(&k->cells[n >> k->shift]) << (n & 7));
    k->written = bits;
    shadow_give(&g->room, sizeof(struct cell) * (CHUNK >> k->shift));
    free(k->cells);
    __atomic_store_n(&k->cells, NULL, __ATOMIC_RELAXED);
    k->by = 0;
}

/* False: there is no memory for cells of bytes; the words' are gone, too. */
bool
chunk_cut_cells(struct global_shadow *g, struct chunk *k)
{
    struct cell *bytes = room_for(g, k, sizeof *bytes * CHUNK);
    if (!bytes) {
        drop_cells(g, k);
        return false;
    }
    for (uint32_t n = 0; n < CHUNK; n++)
        bytes[n] = k->cells[n / 4];
    free(k->cells);
    shadow_give(&g->room, sizeof(struct cell) * (CHUNK / 4));
    __atomic_store_n(&k->cells, bytes, __ATOMIC_RELAXED);
    k->shift = 0;
    return true;
}

void
chunk_mark_bits(struct chunk *k, uint32_t first, uint32_t count, bool known)
{
    if (count == CHUNK) {
        free(k->written);
        k->written = NULL;
        k->all_written = known;
        return;
    }
    if (!k->written) {
        if (k->all_written == known)
            return;
        k->written = calloc(1, CHUNK / 8);
        if (!k->written) {
            k->all_written = true;
            return;
        }
        if (k->all_written)
            memset(k->written, 0xff, CHUNK / 8);
        k->all_written = false;
    }
    for (uint32_t n = first; n < first + count; n++) {
        uint8_t bit = (uint8_t)(1u << (n & 7));
        if (n % 8 == 0 && n + 8 <= first + count) {
            k->written[n / 8] = known ? 0xff : 0;
            n += 7;
        } else if (known) {
            k->written[n / 8] |= bit;
        } else {
            k->written[n / 8] &= (uint8_t)~bit;
        }
    }
}
