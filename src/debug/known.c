/* SPDX-License-Identifier: Apache-2.0
 *
 * known.c: which registers may have been written on some way to an instruction. Others hold the 0
 * with which they begin, and nobody's value.
 */
#include "debug/debug_priv.h"

#include <string.h>

/* Forwards from the entry, until nothing changes: sets of registers where each block begins. */
static void
find(struct debug_map *map)
{
    const struct wir *f = map->code->wir;
    size_t table = sizeof(uint64_t *) * (f->block_count + 1);
    size_t each = sizeof(uint64_t) * (f->reg_words + 1);
    map->known = ls_alloc(table + each * (f->block_count + 1));
    uint8_t *sets = (uint8_t *)map->known + table;
    uint64_t *now = (uint64_t *)(void *)(sets + each * f->block_count);
    for (uint32_t b = 0; b < f->block_count; b++)
        map->known[b] = (uint64_t *)(void *)(sets + each * b);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < f->block_count; b++) {
            memcpy(now, map->known[b], each);
            set_add_all(now, wir_block_defs(f, b));
            for (uint32_t s = 0; s < f->blocks[b].succ_count; s++) {
                uint64_t *to = map->known[f->blocks[b].succ[s]];
                for (uint32_t w = 0; w < f->reg_words; w++) {
                    changed |= (now[w] & ~to[w]) != 0;
                    to[w] |= now[w];
                }
            }
        }
    }
}

bool
debug_known(struct debug_map *map, uint32_t reg, uint32_t site)
{
    const struct wir *f = map->code->wir;
    uint32_t b = f->chains.block_of[site];
    if (!map->known)
        find(map);
    return b == UINT32_MAX || set_has(map->known[b], reg) ||
           wir_writer_before(f, b, reg, site) != UINT32_MAX;
}
