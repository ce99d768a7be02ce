/* SPDX-License-Identifier: Apache-2.0
 *
 * barriers.c: barriers and warp-wide operations: does everybody come, to the same place, with a
 * mask that says so? A barrier that nobody can leave is found by exec (a deadlock) and told in
 * host.c.
 */
#include "check/check_priv.h"
#include "check/maps.h"
#include "check/peers.h"
#include "check/transfers.h"

#include <stdio.h>
#include <string.h>

static uint32_t
count_lanes(const struct block_state *b, const uint32_t *lanes)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < b->warps; w++)
        n += (uint32_t)__builtin_popcount(lanes[w]);
    return n;
}

/* -- barriers of the block --------------------------------------------------------------------- */

static bool
same_place(const struct kernel_facts *k, uint32_t a, uint32_t b)
{
    return a == b || (k->line[a] == k->line[b] && k->column[a] == k->column[b] &&
                      !strcmp(k->file[a], k->file[b]));
}

void
check_arrive(struct jit_warp *w, uint32_t lanes, uint32_t barrier, uint32_t threads, uint32_t place)
{
    struct block_state *b = w->block->tool;
    if (!b || barrier > JIT_BARRIERS || !lanes)
        return;
    const struct kernel_facts *k = b->launch->facts;
    uint32_t lane = (uint32_t)__builtin_ctz(lanes), first = b->arrived.place[barrier];
    bool counted = threads != 0;
    region_stop(b);
    notes_before(b);
    counters_before(b);
    if (barrier == JIT_BARRIERS)
        peers_arrive(b, w->warp);
    b->arrived.stamp[barrier][w->warp] = order_arrive(b);
    if (!b->arrived.any[barrier]) {
        b->arrived.any[barrier] = true;
        b->arrived.place[barrier] = place;
        b->arrived.thread[barrier] = w->warp * JIT_LANES + lane;
        return;
    }
    if (counted || same_place(k, first, place) || barrier == JIT_BARRIERS || k->uniform)
        return;
    struct finding f = {.kind = FINDING_DIVERGENCE};
    f.space = "";
    if (!finding_wanted(b->launch, f.kind, f.rank, k, place, k, first, NULL))
        return;
    uint32_t t = b->arrived.thread[barrier];
    f.access = side_of_thread(b, w->warp * JIT_LANES + lane, place, "barrier");
    f.other = side_of_thread(b, t, first, "barrier");
    snprintf(
        f.message, sizeof f.message,
        "threads of one block wait at different barriers: each __syncthreads() is a barrier of its "
        "own, which all threads have to reach");
    snprintf(f.missing, sizeof f.missing,
             "one __syncthreads() that all threads of the block execute");
    finding_add(b->launch->check, &f);
}

/* Threads that left the kernel before a barrier that is for all. */
static void
report_gone(struct block_state *b, const uint32_t *arrived, uint32_t place)
{
    uint32_t gone = 0, first = UINT32_MAX, here = UINT32_MAX;
    for (uint32_t w = 0; w < b->warps; w++) {
        uint32_t missing = b->exists[w] & ~arrived[w];
        gone += (uint32_t)__builtin_popcount(missing);
        if (missing && first == UINT32_MAX)
            first = w * JIT_LANES + (uint32_t)__builtin_ctz(missing);
        if (arrived[w] && here == UINT32_MAX)
            here = w * JIT_LANES + (uint32_t)__builtin_ctz(arrived[w]);
    }
    if (!gone)
        return;
    const struct kernel_facts *k = b->launch->facts;
    struct finding f = {.kind = FINDING_DIVERGENCE};
    f.space = "";
    if (!finding_wanted(b->launch, f.kind, f.rank, k, place, NULL, 0, NULL))
        return;
    const uint32_t *dim = b->launch->launch->block;
    f.access = side_of_thread(b, here, place, "barrier");
    snprintf(f.message, sizeof f.message,
             "%u of the block's %u threads never reach the barrier: they have left the kernel "
             "(the first is thread (%u,%u,%u))",
             gone, count_lanes(b, b->exists), first % dim[0], first / dim[0] % dim[1],
             first / dim[0] / dim[1]);
    snprintf(f.missing, sizeof f.missing,
             "no return, and no branch, around the barrier that only some threads take");
    finding_add(b->launch->check, &f);
}

void
check_barrier(struct jit_block *block, uint32_t barrier, const uint32_t *arrived,
              const uint32_t *waiting, uint32_t place)
{
    struct block_state *b = block->tool;
    if (!b)
        return;
    const struct kernel_facts *k = b->launch->facts;
    bool counted = k->place[place].flags & PLACE_COUNTED, all = true, waits = true;
    for (uint32_t w = 0; w < b->warps; w++) {
        all = all && arrived[w] == b->exists[w];
        waits = waits && arrived[w] == waiting[w];
    }
    if (!counted && !all && barrier < JIT_BARRIERS)
        report_gone(b, arrived, place);
    bool whole = (all || !counted) && waits;
    counters_before(b);
    if (whole) {
        notes_over(b);
        region_over(b);
    } else {
        region_stop(b);
        notes_before(b);
    }
    if (b->launch->facts->releases)
        order_flush_all(b);
    order_barrier(b, arrived, waiting, b->arrived.stamp[barrier <= JIT_BARRIERS ? barrier : 0],
                  whole);
    if (barrier == JIT_BARRIERS)
        peers_barrier(b, arrived);
    if (barrier <= JIT_BARRIERS)
        b->arrived.any[barrier] = false;
}

/* -- operations of a warp ---------------------------------------------------------------------- */

/* The message ends in the lanes that are wrong. */
static void
report_mask(struct block_state *b, uint32_t warp, uint32_t lane, uint32_t place, const char *what,
            uint32_t wrong)
{
    const struct kernel_facts *k = b->launch->facts;
    struct finding f = {.kind = FINDING_INVALID_MASK};
    f.space = "";
    if (!finding_wanted(b->launch, f.kind, f.rank, k, place, NULL, 0, NULL))
        return;
    f.access = side_of_thread(b, warp * JIT_LANES + lane, place, "warp operation");
    snprintf(f.message, sizeof f.message, "%s (lanes 0x%08x)", what, wrong);
    snprintf(f.missing, sizeof f.missing,
             "a mask of exactly the lanes that execute it (__ballot_sync before the branch)");
    finding_add(b->launch->check, &f);
}

/* all: the lanes that execute it just now. */
static void
sync_group(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t all, uint32_t members,
           uint32_t place, bool is_barrier)
{
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    char what[160];
    const char *wrong = lanes & ~members ? "lanes execute it that it does not name"
                        : members & all & ~lanes
                            ? "lanes that it names execute it with another mask"
                            : NULL;
    snprintf(what, sizeof what, "mask 0x%08x of a warp-wide operation: %s", members,
             wrong ? wrong : "");
    if (wrong)
        report_mask(b, warp, lane, place, what,
                    lanes & ~members ? lanes & ~members : members & all & ~lanes);
    if (is_barrier)
        order_warp(b, warp, lanes, members);
}

/* Lanes that had exited when the others came are nobody's mistake; these had not. */
void
check_absent(struct jit_warp *w, uint32_t lanes, uint32_t absent, uint32_t place)
{
    report_mask(w->block->tool, w->warp, (uint32_t)__builtin_ctz(lanes), place,
                "the mask of a warp-wide operation names lanes that never execute it: they leave "
                "the kernel",
                absent);
}

void
check_sync(struct jit_warp *w, uint32_t lanes, const uint32_t *members, uint32_t place)
{
    struct block_state *b = w->block->tool;
    if (!b)
        return;
    const struct kernel_facts *k = b->launch->facts;
    uint32_t flags = k->place[place].flags;
    region_stop(b);
    notes_before(b);
    counters_before(b);
    if (b->pending[w->warp].count)
        order_flush(b, w->warp);
    if (flags & PLACE_PROXY) {
        if (flags & PLACE_ACQUIRE)
            map_fence(b);
        else
            proxy_fence(b, w->warp);
        return;
    }
    if (!members) {
        order_fence(b, w->warp, flags);
        return;
    }
    for (uint32_t left = lanes; left;) {
        uint32_t mask = members[__builtin_ctz(left)], group = 0;
        for (uint32_t some = left; some; some &= some - 1)
            if (members[__builtin_ctz(some)] == mask)
                group |= some & -some;
        sync_group(b, w->warp, group, lanes, mask, place, flags & PLACE_WARP_BARRIER);
        left &= ~group;
    }
}
