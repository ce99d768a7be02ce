/* SPDX-License-Identifier: Apache-2.0
 *
 * announced.c: what code made for a replay (replay.c), and for a launch that could reach memory of
 * the host (exec_request.announced), announces: each access before it happens, where the first that
 * no memory is behind ends the block, and what each loop's condition compared.
 */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <string.h>

static const char *const op_names[] = {"load", "store", "atomic operation"};

/* An address in the window of shared memory. */
static bool
describe_shared(const struct exec_slot *s, uint64_t a, char *out, size_t room)
{
    const struct memory_window *window = &s->cluster.leader->memory.shared;
    uint64_t at = a - (uint64_t)(uintptr_t)window->at, rank = at / MEMORY_WINDOW_STRIDE;
    if (at >> 32)
        return false;
    if (window->blocks <= 1)
        snprintf(out, room, "offset %llu, shared memory of the block has %llu bytes",
                 (unsigned long long)at, (unsigned long long)window->size);
    else if (rank < window->blocks)
        snprintf(
            out, room,
            "offset %llu in shared memory of block %llu of the cluster%s, which has %llu bytes",
            (unsigned long long)(at % MEMORY_WINDOW_STRIDE), (unsigned long long)rank,
            rank == s->block.rank ? " (its own)" : "", (unsigned long long)window->size);
    else
        snprintf(out, room, "shared memory of block %llu of a cluster of %u",
                 (unsigned long long)rank, window->blocks);
    return true;
}

/* Writes what lies at or beside a faulting address: shared or local memory, an allocation. */
void
exec_describe_address(const struct exec_slot *s, uint64_t a, char *out, size_t room)
{
    uint64_t local = (uint64_t)(uintptr_t)s->block.local;
    struct allocation near = {0}, found;
    out[0] = 0;
    if (describe_shared(s, a, out, room))
        return;
    if (ls_near_null(a, out, room)) /* before the next: without local memory it is at 0 */
        return;
    if (local && (a - local < exec_slot_local_bytes(s) + 65536 || local - a < 65536)) {
        snprintf(out, room, "outside the thread's local memory");
        return;
    }
    if (!s->run->request->memory)
        return;
    if (s->run->request->announced && !memory_owns(s->run->request->memory, a)) {
        snprintf(out, room,
                 "memory of the host: the device reaches what cudaMalloc and its kin gave");
        return;
    }
    if (memory_find(s->run->request->memory, a, &found, &near) || !near.size)
        return;
    const char *freed = near.freed ? ", which was freed" : "";
    char name[120] = "";
    if (near.name)
        snprintf(name, sizeof name, " \"%s\"", near.name);
    if (a >= near.base + near.size)
        snprintf(out, room, "%llu bytes past the end of allocation %llu%s (%llu bytes at 0x%llx%s)",
                 (unsigned long long)(a - near.base - near.size), (unsigned long long)near.number,
                 name, (unsigned long long)near.size, (unsigned long long)near.base, freed);
    else if (a < near.base)
        snprintf(out, room, "%llu bytes before allocation %llu%s (%llu bytes at 0x%llx%s)",
                 (unsigned long long)(near.base - a), (unsigned long long)near.number, name,
                 (unsigned long long)near.size, (unsigned long long)near.base, freed);
    else
        snprintf(out, room, "in allocation %llu%s (%llu bytes at 0x%llx%s)",
                 (unsigned long long)near.number, name, (unsigned long long)near.size,
                 (unsigned long long)near.base, freed);
}

static bool
is_good(const struct exec_slot *s, uint64_t a, uint32_t bytes)
{
    const struct memory_window *window = &s->cluster.leader->memory.shared;
    uint64_t local = (uint64_t)(uintptr_t)s->block.local;
    struct memory *m = s->run->request->memory;
    struct allocation *r = &s->worker->reached, found;
    /* Without a fault: whatever the device itself lets pass, and what it reaches of others; looked
     * up, which takes a lock, once for many accesses. */
    if (!s->run->replay.on && m && (memory_owns(m, a) || a - r->base < r->size))
        return true;
    if (a - (uint64_t)(uintptr_t)window->at < 1ull << 32)
        return memory_window_covers(window, a, bytes);
    if (local && a - local < exec_slot_local_bytes(s))
        return a - local + bytes <= exec_slot_local_bytes(s);
    uint64_t params = (uint64_t)(uintptr_t)s->block.launch->params;
    if (s->run->request->kernel && a - params < s->run->request->kernel->param_bytes)
        return true;
    if (!m || s->run->replay.on)
        return m && memory_covers(m, a, bytes);
    if (!memory_find_reached(m, a, &found))
        return false;
    *r = found;
    return true;
}

/* Without a fault only addresses that may be the host's are: not those of a block's own spaces. */
static bool
is_judged(const struct exec_slot *s, uint32_t space)
{
    if (s->run->replay.on)
        return space != PTX_SPACE_PARAM;
    return s->run->request->announced && (space == PTX_SPACE_NONE || space == PTX_SPACE_GLOBAL);
}

void
exec_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
            uint32_t space, uint32_t op, uint32_t place)
{
    struct exec_slot *s = w->owner;
    if (!is_judged(s, space))
        return;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        uint64_t a = address[l];
        if (space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER)
            a = memory_window_place(s->block.window, a);
        if (is_good(s, a, bytes))
            continue;
        char what[160], detail[400];
        snprintf(what, sizeof what, "illegal address: %s of %u bytes at 0x%llx",
                 op_names[op < 3 ? op : 0], bytes, (unsigned long long)a);
        exec_describe_address(s, a, detail, sizeof detail);
        s->worker->fault.address = a;
        exec_escape(s, w->warp, 1u << l, place, true, EXEC_ILLEGAL_ADDRESS, what, detail);
    }
    if (s->run->replay.on && exec_now() > s->run->replay.deadline)
        exec_escape(s, w->warp, 0, 0, false, EXEC_FAILED, "", NULL);
}

void
exec_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
             uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    uint64_t address[JIT_LANES];
    if (!is_judged(w->owner, space))
        return;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        address[l] = base + (uint64_t)(int64_t)(offset ? offset[l] : 0);
    exec_access(w, lanes, address, bytes, space, op, place);
}

void
exec_compare(struct jit_warp *w, uint32_t lanes, const uint64_t *a, const uint64_t *b,
             uint32_t place)
{
    const struct exec_slot *s = w->owner;
    struct exec_compares *c = s->run->replay.compared ? &s->run->replay.compared[w->warp] : NULL;
    uint32_t k = 0;
    if (!c)
        return;
    while (k < c->count && c->at[k].place != place)
        k++;
    if (k == c->count && c->count == EXEC_COMPARES)
        k = 0; /* the oldest goes */
    else if (k == c->count)
        c->count++;
    memmove(&c->at[k], &c->at[k + 1], (c->count - 1 - k) * sizeof c->at[0]);
    struct exec_compare *last = &c->at[c->count - 1];
    last->place = place;
    last->lanes = lanes;
    memcpy(last->a, a, sizeof last->a);
    memcpy(last->b, b, sizeof last->b);
}
