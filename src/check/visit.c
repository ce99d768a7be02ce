/* SPDX-License-Identifier: Apache-2.0
 *
 * visit.c: one instruction of one warp, as findings show it, and the values that its lanes store.
 */
#include "check/check_priv.h"
#include "check/transfers.h"

#include <string.h>

struct side
side_of_thread(const struct block_state *b, uint32_t thread, uint32_t place, const char *op)
{
    const uint32_t *dim = b->launch->launch->block;
    struct side s = {
        .valid = true,
        .op = op,
        .kernel = b->launch->facts,
        .place = place,
        .has_place = true,
        .has_thread = true,
        .host = b->launch->host,
        .launch = b->launch->number,
        .memory = b->launch->memory,
        .thread = {thread % dim[0], thread / dim[0] % dim[1], thread / dim[0] / dim[1]}};
    memcpy(s.block, b->block->ctaid, sizeof s.block);
    return s;
}

struct side
side_of(const struct visit *v, uint32_t lane, uint64_t address)
{
    struct side s = side_of_thread(v->b, v->warp * JIT_LANES + lane, v->place, access_name(v->op));
    s.size = v->bytes;
    s.address = address;
    return s;
}

/* Of one lane's access; 0: not known. */
static uint32_t
bytes_at(const struct kernel_facts *k, uint32_t place)
{
    return place < k->place_count && !k->place[place].any_size ? k->place[place].align : 0;
}

struct side
side_of_job(const struct job *w, uint32_t place, uint32_t block, uint32_t thread, uint64_t address)
{
    const struct kernel_facts *k = w->kernel;
    return (struct side){.valid = true,
                         .kernel = k,
                         .place = place,
                         .host = w->host,
                         .launch = w->launch,
                         .memory = w->memory,
                         .has_place = true,
                         .has_thread = true,
                         .op = place_op(k, place),
                         .address = address,
                         .size = bytes_at(k, place),
                         .thread = {thread % w->block[0], thread / w->block[0] % w->block[1],
                                    thread / w->block[0] / w->block[1]},
                         .block = {block % w->grid[0], block / w->grid[0] % w->grid[1],
                                   block / w->grid[0] / w->grid[1]}};
}

const uint8_t *
stored_value(const struct visit *v, uint32_t lane, uint32_t byte)
{
    uint32_t unit = v->facts->unit ? v->facts->unit : 4;
    return (const uint8_t *)v->w->values + (size_t)(byte / unit) * unit * JIT_LANES +
           (size_t)lane * unit + byte % unit;
}

bool
stores_same(const struct visit *v, uint32_t lane, uint32_t byte, uint32_t bytes,
            const uint8_t *there)
{
    const uint8_t *bulk = transfer_value(v, lane);
    if (v->op != JIT_STORE || !(v->w->values || bulk))
        return false;
    if (bulk)
        return !memcmp(bulk + byte, there, bytes);
    for (uint32_t k = 0; k < bytes; k++)
        if (*stored_value(v, lane, byte + k) != there[k])
            return false;
    return true;
}
