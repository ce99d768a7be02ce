/* SPDX-License-Identifier: Apache-2.0
 *
 * tmem.c: tensor memory (PTX ISA 9.7.16, jit_services.tmem): loads, stores, copies into it, shifts;
 * which two blocks .cta_group::2 works on. What is asynchronous is done at once. Start at
 * exec_tmem.
 *
 * Addresses are a lane in the upper half, a column in the lower one. Where the manual has figures
 * alone, layouts are those that CuTe's copy traits for compute capability 10.0 spell out.
 */
#include "exec/tmem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16, QUARTER = JIT_TMEM_LANES / 4 };

void
exec_tmem_fail(const struct exec_tmem_use *u, const char *format, ...)
{
    char detail[300];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    exec_escape(u->warp->owner, u->warp->warp, 1u << u->lane, u->place, true, EXEC_INVALID_TENSOR,
                "illegal instruction", detail);
}

void
exec_tmem_check(const struct exec_tmem_use *u, const char *what, uint32_t lane, uint32_t lanes,
                uint32_t column, uint32_t columns)
{
    if (lane + lanes > JIT_TMEM_LANES || column + columns > JIT_TMEM_COLUMNS)
        exec_tmem_fail(u,
                       "%s: lanes %u to %u, columns %u to %u: tensor memory has %u lanes of %u "
                       "columns",
                       what, lane, lane + lanes - 1, column, column + columns - 1, JIT_TMEM_LANES,
                       JIT_TMEM_COLUMNS);
    char whose[60] = "";
    if (u->slot != u->warp->owner)
        snprintf(whose, sizeof whose, " of the peer block, block %u of the cluster",
                 u->slot->block.rank);
    for (uint32_t c = column / EXEC_TMEM_UNIT; c * EXEC_TMEM_UNIT < column + columns; c++)
        if (!(u->tmem->used >> c & 1))
            exec_tmem_fail(u,
                           "%s: columns %u to %u of tensor memory%s, of which column %u is not "
                           "allocated",
                           what, column, column + columns - 1, whose,
                           c * EXEC_TMEM_UNIT > column ? c * EXEC_TMEM_UNIT : column);
}

void
exec_tmem_tell(const struct exec_tmem_use *u, uint32_t column, uint32_t columns)
{
    if (u->what.flags & JIT_TMEM_ANNOUNCED && u->slot == u->warp->owner)
        exec_announce_async(u->warp, u->lane, (enum jit_async)JIT_ASYNC_TMEM,
                            column | (uint64_t)columns << 32, u->what.op, u->place);
}

uint64_t
exec_tmem_shared_bytes(const struct exec_tmem_use *u)
{
    return (uint64_t)u->slot->run->code->kernel->needs.shared_bytes +
           u->slot->block.launch->dynamic_shared;
}

const char *
exec_tmem_name(const struct exec_tmem_use *u)
{
    static const char *const names[] = {[JIT_TMEM_ALLOC] = "tcgen05.alloc",
                                        [JIT_TMEM_DEALLOC] = "tcgen05.dealloc",
                                        [JIT_TMEM_RELINQUISH] = "tcgen05.relinquish_alloc_permit",
                                        [JIT_TMEM_LD] = "tcgen05.ld",
                                        [JIT_TMEM_ST] = "tcgen05.st",
                                        [JIT_TMEM_CP] = "tcgen05.cp",
                                        [JIT_TMEM_SHIFT] = "tcgen05.shift",
                                        [JIT_TMEM_MMA] = "tcgen05.mma",
                                        [JIT_TMEM_COMMIT] = "tcgen05.commit"};
    return names[u->what.op];
}

static uint32_t
lane_of(uint32_t address)
{
    return address >> 16;
}

static uint32_t
column_of(uint32_t address)
{
    return address & 0xffff;
}

/* -- loads and stores -------------------------------------------------------------------------- */

/* Where register r of lane l lies: lane, and column counted in registers' worth. */
static void
fragment(enum jit_tmem_shape shape, uint32_t r, uint32_t l, uint32_t *row, uint32_t *column)
{
    switch (shape) {
    case JIT_TMEM_32X32B: *row = l, *column = r; break;
    case JIT_TMEM_16X64B: *row = l / 4 + l % 2 * 8, *column = l / 2 % 2 + 2 * r; break;
    case JIT_TMEM_16X128B: *row = l / 4 + r % 2 * 8, *column = l % 4 + r / 2 * 4; break;
    case JIT_TMEM_16X256B:
        *row = l / 4 + r / 2 % 2 * 8, *column = l % 4 * 2 + r % 2 + r / 4 * 8;
        break;
    default: *row = l % 16, *column = r; break;
    }
}

/* Columns of a row, counted the same way. */
static uint32_t
width_of(const struct exec_tmem_use *u)
{
    static const uint8_t columns[] = {[JIT_TMEM_32X32B] = 2,
                                      [JIT_TMEM_16X64B] = 4,
                                      [JIT_TMEM_16X128B] = 4,
                                      [JIT_TMEM_16X256B] = 4,
                                      [JIT_TMEM_16X32BX2] = 2}; /* of two registers */
    return u->what.registers * columns[u->what.shape] / 2;
}

static void
check_fragment(const struct exec_tmem_use *u, uint32_t lanes)
{
    const char *name = exec_tmem_name(u);
    uint32_t address = u->data->at[u->lane], quarter = u->warp->warp % 4 * QUARTER;
    uint32_t row = lane_of(address), rows = u->what.shape == JIT_TMEM_32X32B ? 32 : 16;
    uint32_t columns = width_of(u) << (u->what.flags & JIT_TMEM_HALVES ? 1 : 0);
    if (lanes != UINT32_MAX)
        exec_tmem_fail(u, "%s is executed by all 32 lanes of a warp", name);
    for (uint32_t l = 1; l < JIT_LANES; l++)
        if (u->data->at[l] != address)
            exec_tmem_fail(u,
                           "%s: lanes 0 and %u of the warp give different addresses, 0x%x and "
                           "0x%x",
                           name, l, address, u->data->at[l]);
    if (row < quarter || row + rows > quarter + QUARTER || row % 16)
        exec_tmem_fail(u, "%s: lanes %u to %u of tensor memory; warp %u has lanes %u to %u", name,
                       row, row + rows - 1, u->warp->warp, quarter, quarter + QUARTER - 1);
    exec_tmem_check(u, name, row, rows, column_of(address), columns);
    if (u->what.shape == JIT_TMEM_16X32BX2)
        exec_tmem_check(u, name, row, rows, column_of(address) + u->what.apart, columns);
    exec_tmem_tell(u, column_of(address), columns + u->what.apart);
}

/* .pack::16b: two columns' lower halves are one register, and back. */
static void
move_fragment(struct exec_tmem_use *u)
{
    bool halves = u->what.flags & JIT_TMEM_HALVES, load = u->what.op == JIT_TMEM_LD;
    uint32_t base = u->data->at[0], row, column;
    for (uint32_t r = 0; r < u->what.registers; r++)
        for (uint32_t l = 0; l < JIT_LANES; l++) {
            uint32_t *value = &u->data->value[r][l];
            fragment((enum jit_tmem_shape)u->what.shape, r, l, &row, &column);
            column = column_of(base) + (halves ? 2 * column : column);
            column += u->what.shape == JIT_TMEM_16X32BX2 ? l / 16 * u->what.apart : 0;
            uint32_t *cell = &u->tmem->at[lane_of(base) + row][column];
            if (load)
                *value = halves ? (cell[0] & 0xffff) | cell[1] << 16 : cell[0];
            else
                cell[0] = halves ? *value & 0xffff : *value;
            if (!load && halves)
                cell[1] = *value >> 16;
        }
}

/* -- copies ------------------------------------------------------------------------------------ */

/* Rows of a copy: how many, of how many chunks of 16 bytes, and how many times each is written. */
static const struct copy_shape {
    uint8_t rows, chunks, times;
} copies[] = {
    [JIT_TMEM_128X256B] = {128, 2, 1},     [JIT_TMEM_4X256B] = {4, 2, 1},
    [JIT_TMEM_128X128B] = {128, 1, 1},     [JIT_TMEM_64X128B_02_13] = {64, 1, 2},
    [JIT_TMEM_64X128B_01_23] = {64, 1, 2}, [JIT_TMEM_32X128B] = {32, 1, 4},
};

/* The lane that copy `time` of row r goes to, counted from the address's. */
static uint32_t
copied_to(enum jit_tmem_shape shape, uint32_t r, uint32_t time)
{
    switch (shape) {
    case JIT_TMEM_4X256B: return r * QUARTER;
    case JIT_TMEM_64X128B_02_13: return r + time * 64;
    case JIT_TMEM_64X128B_01_23: return r % 32 + r / 32 * 64 + time * 32;
    case JIT_TMEM_32X128B: return r + time * 32;
    default: return r;
    }
}

static void
copy(struct exec_tmem_use *u)
{
    const struct copy_shape *c = &copies[u->what.shape];
    uint8_t rows[JIT_TMEM_LANES * 2 * CHUNK];
    uint32_t address = u->data->at[u->lane], lane = lane_of(address), wrong;
    uint64_t descriptor = u->data->a[u->lane], size = exec_tmem_shared_bytes(u);
    const char *fault = jit_tmem_descriptor_fault(descriptor);
    bool few = u->what.shape == JIT_TMEM_4X256B;
    if (fault)
        exec_tmem_fail(u, "tcgen05.cp: the descriptor 0x%llx of shared memory %s",
                       (unsigned long long)descriptor, fault);
    exec_tmem_check(u, "tcgen05.cp", lane, few ? 3 * QUARTER + 1 : JIT_TMEM_LANES,
                    column_of(address), c->chunks * 4u);
    exec_tmem_tell(u, column_of(address), c->chunks * 4u);
    exec_tmem_tell_rows(u, descriptor, c->rows, c->chunks);
    if (!jit_tmem_rows(u->slot->block.shared, (uint32_t)size, descriptor, c->rows, c->chunks, rows,
                       &wrong))
        exec_tmem_fail(u,
                       "tcgen05.cp: the descriptor 0x%llx leads to byte %u of shared memory, "
                       "of which the block has %llu",
                       (unsigned long long)descriptor, wrong, (unsigned long long)size);
    unsigned bits = u->what.flags & JIT_TMEM_B6 ? 6 : u->what.flags & JIT_TMEM_B4 ? 4 : 0;
    for (uint32_t r = 0; r < c->rows; r++) {
        uint8_t *row = rows + r * c->chunks * CHUNK;
        for (uint32_t k = 0; bits && k < c->chunks; k++)
            jit_tmem_unpack(bits, row + k * CHUNK);
        for (uint32_t time = 0; time < c->times; time++) {
            uint32_t to = lane + copied_to((enum jit_tmem_shape)u->what.shape, r, time);
            memcpy(&u->tmem->at[to][column_of(address)], row, c->chunks * CHUNK);
        }
    }
}

/* Each lane of 32 but the last gets what the next one has, of 32 bytes. */
static void
shift_down(struct exec_tmem_use *u)
{
    enum { COLUMNS = 8 };
    uint32_t address = u->data->at[u->lane], lane = lane_of(address), column = column_of(address);
    if (lane % QUARTER)
        exec_tmem_fail(u, "tcgen05.shift: lane %u is no multiple of %u", lane, QUARTER);
    exec_tmem_check(u, "tcgen05.shift", lane, QUARTER, column, COLUMNS);
    exec_tmem_tell(u, column, COLUMNS);
    for (uint32_t r = lane; r + 1 < lane + QUARTER; r++)
        memcpy(&u->tmem->at[r][column], &u->tmem->at[r + 1][column], COLUMNS * 4);
}

/* -- commit ------------------------------------------------------------------------------------ */

/* An mbarrier's arrival, of which tools hear as of any other. */
static void
arrive(const struct exec_tmem_use *u, uint64_t barrier)
{
    bool announced = u->what.flags & JIT_TMEM_ANNOUNCED;
    if (announced &&
        !exec_announce(u->warp, u->lane, barrier, 8, PTX_SPACE_SHARED, JIT_ATOMIC, u->place))
        return;
    if (announced) {
        exec_announce_async(u->warp, u->lane, (enum jit_async)JIT_ASYNC_TMEM, barrier,
                            JIT_TMEM_COMMIT, u->place);
        exec_announce_async(u->warp, u->lane, JIT_ASYNC_ARRIVE, barrier, 0, u->place);
    }
    jit_mbarrier_arrive(barrier);
    if (announced)
        exec_announce_async(u->warp, u->lane, JIT_ASYNC_AFTER, barrier, 0, u->place);
}

static void
commit(struct exec_tmem_use *u)
{
    const struct jit_block *b = u->warp->block;
    uint64_t barrier = u->data->b[u->lane], window = (uint64_t)(uintptr_t)b->window;
    uint32_t blocks = u->data->number[u->lane];
    if (!(u->what.flags & JIT_TMEM_HALVES)) {
        arrive(u, barrier);
        return;
    }
    if (blocks >> b->launch->cluster_blocks)
        exec_tmem_fail(u, "tcgen05.commit: multicast to blocks 0x%x of a cluster of %u", blocks,
                       b->launch->cluster_blocks);
    uint64_t offset = (barrier - window) & ((1ull << JIT_RANK_BIT) - 1);
    for (; blocks; blocks &= blocks - 1)
        arrive(u, window + ((uint64_t)__builtin_ctz(blocks) << JIT_RANK_BIT) + offset);
}

/* -- pairs of blocks --------------------------------------------------------------------------- */

static struct exec_tmem *
memory_of(const struct exec_tmem_use *u, struct exec_slot *s)
{
    if (!s->memory.tmem)
        s->memory.tmem = calloc(1, sizeof *s->memory.tmem);
    if (!s->memory.tmem)
        exec_tmem_fail(u, "out of memory: %zu bytes of tensor memory", sizeof *s->memory.tmem);
    return s->memory.tmem;
}

/* The instructions of a kernel are all of one .cta_group (9.7.16.7.1). */
static void
check_group(const struct exec_tmem_use *u, const struct exec_slot *s, struct exec_tmem *t)
{
    uint8_t group = u->what.flags & JIT_TMEM_PAIR ? 2 : 1;
    if (!t->group) {
        t->group = group;
        t->group_place = u->place;
    }
    if (t->group == group)
        return;
    char place[160];
    exec_place_text(s->run, t->group_place, place, sizeof place);
    exec_tmem_fail(u,
                   "%s.cta_group::%u after an instruction of .cta_group::%u%s%s%s: those of a "
                   "kernel are all of one",
                   exec_tmem_name(u), group, t->group, place[0] ? " (" : "", place,
                   place[0] ? ")" : "");
}

/* The block whose rank differs in the last bit (9.7.16.5.1). What works on both needs it to be
 * there; blocks allocate and deallocate for themselves. */
static void
find_peer(struct exec_tmem_use *u)
{
    const struct exec_cluster *c = &u->slot->cluster.leader->cluster;
    uint32_t rank = u->slot->block.rank;
    if ((rank ^ 1) >= c->blocks)
        exec_tmem_fail(u,
                       "%s.cta_group::2 works on two blocks of a cluster whose ranks differ in the "
                       "last bit: block %u of a cluster of %u has no peer",
                       exec_tmem_name(u), rank, c->blocks);
    u->peer = c->peer[rank ^ 1];
    u->peer_tmem = memory_of(u, u->peer);
    check_group(u, u->peer, u->peer_tmem);
    if (u->what.op > JIT_TMEM_RELINQUISH && !u->peer->live)
        exec_tmem_fail(u, "%s.cta_group::2: the peer block, block %u of the cluster, has exited",
                       exec_tmem_name(u), rank ^ 1);
}

struct exec_tmem_use
exec_tmem_in_peer(const struct exec_tmem_use *u)
{
    struct exec_tmem_use peer = *u;
    peer.slot = u->peer;
    peer.tmem = u->peer_tmem;
    peer.peer = u->slot;
    peer.peer_tmem = u->tmem;
    return peer;
}

static void
in_both(struct exec_tmem_use *u, void (*one)(struct exec_tmem_use *))
{
    one(u);
    if (u->peer) {
        struct exec_tmem_use peer = exec_tmem_in_peer(u);
        one(&peer);
    }
}

/* -- instructions ------------------------------------------------------------------------------ */

/* Carries out an instruction that a warp executes as one. False: each lane executes it for
 * itself. */
static bool
of_warp(struct exec_tmem_use *u, uint32_t lanes)
{
    switch (u->what.op) {
    case JIT_TMEM_LD:
    case JIT_TMEM_ST:
        check_fragment(u, lanes);
        move_fragment(u);
        return true;
    case JIT_TMEM_ALLOC:
    case JIT_TMEM_DEALLOC:
    case JIT_TMEM_RELINQUISH:
        if (lanes != UINT32_MAX)
            exec_tmem_fail(u, "%s is executed by all 32 lanes of a warp", exec_tmem_name(u));
        if (u->what.op == JIT_TMEM_ALLOC)
            exec_tmem_allocate(u);
        else if (u->what.op == JIT_TMEM_DEALLOC)
            exec_tmem_deallocate(u);
        else
            u->tmem->relinquished = true;
        return true;
    default: return false;
    }
}

void
exec_tmem(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
          struct jit_tmem_data *data)
{
    struct exec_tmem_use u = {.warp = w, .slot = w->owner, .data = data, .place = place};
    memcpy(&u.what, &what, sizeof u.what);
    u.lane = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
    u.tmem = memory_of(&u, u.slot);
    if (u.what.op != JIT_TMEM_LD && u.what.op != JIT_TMEM_ST)
        check_group(&u, u.slot, u.tmem);
    if (u.what.flags & JIT_TMEM_PAIR)
        find_peer(&u);
    if (of_warp(&u, lanes))
        return;
    for (; lanes; lanes &= lanes - 1) {
        u.lane = (uint32_t)__builtin_ctz(lanes);
        if (u.what.op == JIT_TMEM_CP)
            in_both(&u, copy);
        else if (u.what.op == JIT_TMEM_SHIFT)
            in_both(&u, shift_down);
        else if (u.what.op == JIT_TMEM_COMMIT)
            commit(&u);
        else
            exec_tmem_multiply(&u);
    }
}
