/* SPDX-License-Identifier: Apache-2.0
 *
 * moves.c: bulk copies (cp.async.bulk, by tensor maps, too) of what nobody has written: as with
 * other copies (copies.c) that is no mistake, but where it goes to stays unset. Both sides are
 * known: words of the one are looked at, those of the other marked.
 */
#include "check/peers.h"
#include "check/shadow.h"
#include "check/transfers.h"
#include "memory/tensor_map.h"

/* The block of the cluster in whose shared memory the address lies, and the cell; NULL: it is no
 * shared memory. */
static struct block_state *
cell_at(struct block_state *b, uint64_t at, uint64_t *out_cell)
{
    struct block_state *o = peers_owner(b, at);
    uint64_t offset = at - (uint64_t)(uintptr_t)o->block->shared;
    *out_cell = offset >> o->shared.shift;
    return o->shared.write && offset < o->launch->shared_bytes ? o : NULL;
}

/* No byte of these, in one word, was written. */
static bool
is_unset(struct block_state *b, uint64_t at, uint32_t bytes)
{
    struct global_shadow *g = b->launch->check->global;
    for (uint32_t k = 0; k < bytes; k++) {
        uint64_t cell;
        const struct block_state *o = cell_at(b, at + k, &cell);
        if (o ? shared_word_written(o, cell) : global_byte_written(g, at + k))
            return false;
    }
    return true;
}

static void
make_unset(struct block_state *b, uint64_t at, uint32_t bytes)
{
    uint64_t cell;
    struct block_state *o = cell_at(b, at, &cell);
    if (!o)
        global_word_unset(b->launch->check->global, at, bytes);
    else if (bytes == 4 || !o->shared.shift)
        for (uint32_t k = 0; k < (o->shared.shift ? 1 : bytes); k++)
            shared_word_unset(o, cell + k);
}

/* Up to 16 bytes, of which a swizzle keeps the order. */
static void
move_chunk(struct block_state *b, uint64_t to, uint64_t from, uint32_t bytes)
{
    uint64_t cell, last;
    const struct block_state *o = cell_at(b, from, &cell);
    if (o && cell_at(b, from + bytes - 1, &last) == o) {
        while (cell <= last && shared_word_written(o, cell))
            cell++;
        if (cell > last)
            return;
    }
    for (uint32_t k = 0, part; k < bytes; k += part) {
        part = 4 - (uint32_t)(to + k) % 4;
        part = part < bytes - k ? part : bytes - k;
        if (is_unset(b, from + k, part))
            make_unset(b, to + k, part);
    }
}

void
moves_unset(struct block_state *b, uint64_t to, uint64_t from, uint32_t bytes, uint32_t swizzle)
{
    enum tensor_swizzle how = (enum tensor_swizzle)swizzle;
    uint64_t cell;
    bool loads = cell_at(b, to, &cell) != NULL;
    if (!cell_at(b, from, &cell) && global_written(b->launch->check->global, from, bytes))
        return;
    for (uint32_t k = 0, part; k < bytes; k += part) {
        uint64_t there = to + k, source = from + k;
        part = 16 - (uint32_t)(loads ? there : source) % 16;
        part = part < bytes - k ? part : bytes - k;
        *(loads ? &there : &source) = tensor_swizzled(how, loads ? there : source);
        move_chunk(b, there, source, part);
    }
}
