/* SPDX-License-Identifier: Apache-2.0
 *
 * past.c: going back. To a position: the latest snapshot before it goes on up to there. To where it
 * would have stopped last: snapshot by snapshot, the latest first, what came behind is executed
 * once more and every such place noted; the last one found is gone to.
 */
#include "debug/debug_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether the mapping has memory of the device, or of a block in flight. */
static bool
is_of_launch(struct debug *d, uint64_t low, uint64_t high)
{
    struct allocation found, near = {0};
    for (size_t k = 0; d->run && k < d->run->blocks.count; k++) {
        uint64_t shared = (uint64_t)(uintptr_t)d->run->blocks.at[k]->shared;
        if (low < shared + d->run->of.shared_bytes && shared < high)
            return true;
    }
    return d->memory && (memory_find(d->memory, low, &found, &near) ||
                         (near.base >= low && near.base < high && !near.freed));
}

/* Memory that processes share is not taken back with one of them. */
static bool
has_shared_memory(struct debug *d)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char line[512];
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        uint64_t low, high;
        char flags[5];
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &low, &high, flags) == 3 &&
                !strcmp(flags, "rw-s") && is_of_launch(d, low, high);
    }
    if (f)
        fclose(f);
    return found;
}

const char *
debug_cannot_go_back(struct debug *d)
{
    if (!d->snapshots.cannot[0] && has_shared_memory(d))
        snprintf(d->snapshots.cannot, sizeof d->snapshots.cannot,
                 "the launch uses memory that other processes share, or that is mapped twice");
    if (!d->snapshots.cannot[0] && debug_snapshot_at(d, 0) < 0)
        snprintf(d->snapshots.cannot, sizeof d->snapshots.cannot,
                 "its begin is lost: a process could not be made");
    return d->snapshots.cannot;
}

static _Noreturn void
begin_search(struct debug *d, uint64_t target)
{
    struct debug_order *o = &d->shared->order;
    int n = debug_snapshot_at(d, target - 1);
    o->mode = MODE_SEARCH;
    o->target = target;
    o->begin = d->shared->snapshot[n].position;
    o->found = o->first.position = UINT64_MAX;
    debug_become(d, n);
}

static _Noreturn void
go_to(struct debug *d, uint64_t position, enum debug_why why)
{
    struct debug_order *o = &d->shared->order;
    o->mode = MODE_TARGET;
    o->target = position;
    o->why = why;
    debug_become(d, debug_snapshot_at(d, position));
}

void
debug_go_back(struct debug *d, struct ls_error *err)
{
    struct debug_order *o = &d->shared->order;
    const char *why = debug_cannot_go_back(d);
    if (why[0]) {
        ls_fail(err, LS_ERR_UNSUPPORTED, "cannot go back: %s", why);
        return;
    }
    *o = (struct debug_order){.go = d->go};
    o->later.position = UINT64_MAX;
    if (d->go.how == DEBUG_GO_POSITION)
        go_to(d, d->go.position, DEBUG_WHY_POSITION);
    else if (!d->steps.position)
        go_to(d, 0, DEBUG_WHY_BEGIN);
    else
        begin_search(d, d->steps.position);
}

void
debug_note_found(struct debug *d, enum debug_why why)
{
    d->shared->order.found = d->steps.position;
    d->shared->order.found_why = why;
}

void
debug_search_over(struct debug *d)
{
    struct debug_order *o = &d->shared->order;
    if (o->later.position != UINT64_MAX && (d->line || !o->begin)) {
        /* The search has reached an earlier stop of the thread in focus: another line there means
         * that the line of o->later began at o->later.position. */
        if (d->line != o->later.line || d->depth != o->later.depth)
            go_to(d, o->later.position, DEBUG_WHY_STEP);
        o->later.position = UINT64_MAX;
    }
    if (o->found != UINT64_MAX)
        go_to(d, o->found, o->found_why);
    if (o->first.position != UINT64_MAX)
        o->later = o->first;
    if (!o->begin)
        go_to(d, 0, DEBUG_WHY_BEGIN);
    begin_search(d, o->begin);
}
