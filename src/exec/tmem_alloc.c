/* SPDX-License-Identifier: Apache-2.0
 *
 * tmem_alloc.c: who has which columns of tensor memory (PTX ISA 9.7.16.7.1). Start at
 * exec_tmem_allocate.
 *
 * With .cta_group::2 a warp of each block of a pair allocates, in any order: the one that comes
 * second takes columns that are free in both, for both, and the first finds that out when it asks
 * again. Each block gives back its own half; "may block" is what the manual says of that.
 */
#include "exec/tmem.h"

#include <stdio.h>
#include <string.h>

void
exec_tmem_begin(struct exec_slot *s)
{
    struct exec_tmem *t = s->memory.tmem;
    if (!t)
        return;
    t->used = t->last = t->group = 0;
    t->relinquished = false;
    t->asked = (struct exec_tmem_asked){0};
    memset(t->units, 0, sizeof t->units);
}

void
exec_tmem_end(struct exec_slot *s)
{
    if (!s->memory.tmem || !s->memory.tmem->used)
        return;
    for (uint32_t k = 0; k < EXEC_TMEM_UNITS; k++)
        if (s->memory.tmem->units[k]) {
            char detail[160];
            snprintf(detail, sizeof detail,
                     "columns %u to %u of tensor memory, allocated here, are not deallocated when "
                     "the block ends",
                     k * EXEC_TMEM_UNIT, (k + s->memory.tmem->units[k]) * EXEC_TMEM_UNIT - 1);
            exec_escape(s, 0, 0, s->memory.tmem->place[k], true, EXEC_INVALID_TENSOR,
                        "illegal instruction", detail);
        }
}

/* -- columns ----------------------------------------------------------------------------------- */

static uint32_t
checked_columns(const struct exec_tmem_use *u)
{
    uint32_t n = u->data->number[u->lane];
    if (n < EXEC_TMEM_UNIT || n > JIT_TMEM_COLUMNS || n & (n - 1))
        exec_tmem_fail(u, "%u columns: a power of two from %u to %u is asked for", n,
                       EXEC_TMEM_UNIT, JIT_TMEM_COLUMNS);
    return n;
}

static uint32_t
mask_of(uint32_t units)
{
    return (uint32_t)((1ull << units) - 1);
}

/* The first run of free units that is long enough; false: there is none. */
static bool
find(uint32_t used, uint32_t units, uint32_t *out)
{
    for (*out = 0; *out + units <= EXEC_TMEM_UNITS; ++*out)
        if (!(used & mask_of(units) << *out))
            return true;
    return false;
}

static void
take(struct exec_tmem *t, uint32_t unit, uint32_t columns, uint32_t place)
{
    uint32_t units = columns / EXEC_TMEM_UNIT;
    t->used |= mask_of(units) << unit;
    t->units[unit] = (uint8_t)units;
    t->place[unit] = place;
    t->last = columns;
}

/* -- allocation -------------------------------------------------------------------------------- */

/* What forbids an allocation, whether there is room or not. */
static void
check_right(const struct exec_tmem_use *u, uint32_t columns)
{
    if (u->tmem->relinquished)
        exec_tmem_fail(u, "the block has given up its right to allocate "
                          "(tcgen05.relinquish_alloc_permit)");
    if (u->tmem->last && columns > u->tmem->last)
        exec_tmem_fail(u,
                       "%u columns after an allocation of %u: the number must not grow from one "
                       "allocation of a block to the next",
                       columns, u->tmem->last);
}

/* Nobody asks in the peer block: whether anybody still can. */
static void
check_peer_comes(const struct exec_tmem_use *u)
{
    uint32_t rank = u->peer->block.rank;
    if (!u->peer->live)
        exec_tmem_fail(u,
                       "tcgen05.alloc waits for a warp of the peer block, block %u of the "
                       "cluster, which has exited",
                       rank);
    if (u->peer_tmem->relinquished)
        exec_tmem_fail(u,
                       "tcgen05.alloc waits for a warp of the peer block, block %u of the "
                       "cluster, which has given up its right to allocate "
                       "(tcgen05.relinquish_alloc_permit)",
                       rank);
}

/* False: the peer's warp has not come, or there is no room, or another warp of the block waits. */
static bool
allocate_pair(struct exec_tmem_use *u, uint32_t columns, uint32_t *unit)
{
    struct exec_tmem_asked *own = &u->tmem->asked, *peer = &u->peer_tmem->asked;
    if (own->state != EXEC_TMEM_NOT_ASKED && own->warp != u->warp->warp)
        return false;
    if (own->state == EXEC_TMEM_GIVEN) {
        *unit = own->unit;
        own->state = EXEC_TMEM_NOT_ASKED;
        return true;
    }
    check_right(u, columns);
    *own = (struct exec_tmem_asked){EXEC_TMEM_ASKED, u->warp->warp, columns, u->place, 0};
    if (peer->state == EXEC_TMEM_NOT_ASKED)
        check_peer_comes(u);
    if (peer->state != EXEC_TMEM_ASKED)
        return false;
    if (peer->columns != columns)
        exec_tmem_fail(u, "%u columns, and %u in the peer block, block %u of the cluster", columns,
                       peer->columns, u->peer->block.rank);
    if (!find(u->tmem->used | u->peer_tmem->used, columns / EXEC_TMEM_UNIT, unit))
        return false;
    take(u->tmem, *unit, columns, u->place);
    take(u->peer_tmem, *unit, columns, peer->place);
    own->state = EXEC_TMEM_NOT_ASKED;
    peer->state = EXEC_TMEM_GIVEN;
    peer->unit = *unit;
    return true;
}

static bool
allocate_own(struct exec_tmem_use *u, uint32_t columns, uint32_t *unit)
{
    check_right(u, columns);
    if (!find(u->tmem->used, columns / EXEC_TMEM_UNIT, unit))
        return false;
    take(u->tmem, *unit, columns, u->place);
    return true;
}

/* tcgen05.alloc. Where it has to wait the instruction is executed again (done is false): columns
 * can become free only if the block, or its peer, deallocates some of its own. */
void
exec_tmem_allocate(struct exec_tmem_use *u)
{
    uint32_t columns = checked_columns(u), unit;
    bool done = u->peer ? allocate_pair(u, columns, &unit) : allocate_own(u, columns, &unit);
    for (uint32_t l = 0; l < JIT_LANES; l++)
        u->data->done[l] = done;
    if (!done)
        return;
    uint32_t address = unit * EXEC_TMEM_UNIT;
    memcpy((void *)(uintptr_t)u->data->b[u->lane], &address, sizeof address);
}

void
exec_tmem_deallocate(struct exec_tmem_use *u)
{
    struct exec_tmem *t = u->tmem;
    uint32_t address = u->data->at[u->lane], columns = checked_columns(u);
    uint32_t column = address & 0xffff, at = column / EXEC_TMEM_UNIT;
    bool begins =
        !(address >> 16) && at < EXEC_TMEM_UNITS && column % EXEC_TMEM_UNIT == 0 && t->units[at];
    if (!begins)
        exec_tmem_fail(u, "no allocation of tensor memory begins at 0x%x", address);
    if (t->units[at] != columns / EXEC_TMEM_UNIT)
        exec_tmem_fail(u, "the allocation at 0x%x has %u columns, not %u", address,
                       t->units[at] * EXEC_TMEM_UNIT, columns);
    exec_tmem_tell(u, column, columns);
    t->used &= ~(mask_of(columns / EXEC_TMEM_UNIT) << at);
    t->units[at] = 0;
}
