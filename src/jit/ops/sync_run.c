/* SPDX-License-Identifier: Apache-2.0
 *
 * sync_run.c: run by generated code: lanes come to an instruction that waits for others of their
 * warp, and groups that are complete are let go.
 */
#include "jit/ops/ops.h"

#include "jit/jit.h"
#include "jit/ops/sync.h"

#include <string.h>

/* -- in C: groups ------------------------------------------------------------------------------ */

static uint32_t
held_by_kind(const struct sync_site *sites, uint32_t count, uint32_t kind)
{
    uint32_t held = 0;
    for (uint32_t k = 0; k < count; k++)
        held |= sites[k].kind == kind ? sites[k].held : 0;
    return held;
}

/* A group is complete: to every site where some of it stand go the values of all. */
static void
let_go(struct sync_site *sites, uint32_t count, uint32_t kind, uint32_t group, uint32_t mask)
{
    uint32_t others = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t h = sites[k].kind == kind ? sites[k].held & group : 0; h; h &= h - 1)
            others |= sites[k].others[__builtin_ctz(h)];
    for (uint32_t k = 0; k < count; k++) {
        struct sync_site *to = &sites[k];
        uint32_t go = to->kind == kind ? to->held & group : 0;
        if (!go)
            continue;
        for (uint32_t from = 0; from < count; from++) {
            uint32_t lanes = sites[from].kind == kind ? sites[from].came & group : 0;
            for (; lanes; lanes &= lanes - 1) {
                unsigned l = (unsigned)__builtin_ctz(lanes);
                for (int n = 0; n < SYNC_INPUTS; n++)
                    to->joined[n][l] = sites[from].in[n][l];
            }
        }
        to->absent |= mask & others & ~group;
        to->active = to->passed ? to->active | group : group;
        to->passed |= go;
        to->wake |= go;
        to->held &= ~go;
    }
    for (uint32_t k = 0; k < count; k++)
        if (sites[k].kind == kind)
            sites[k].came &= ~group;
}

/* Some lane of the group was released by an earlier synchronisation of this kind and has not run
 * since: its site still holds that one's results, so that the next one must wait. */
static bool
is_busy(const struct sync_site *sites, uint32_t count, uint32_t kind, uint32_t group)
{
    for (uint32_t k = 0; k < count; k++)
        if (sites[k].kind == kind && sites[k].held & group && sites[k].passed)
            return true;
    return false;
}

static bool
release_kind(struct sync_site *sites, uint32_t count, uint32_t kind, uint32_t alive)
{
    uint32_t members[JIT_LANES] = {0}, left = held_by_kind(sites, count, kind);
    bool any = false;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t h = sites[k].kind == kind ? sites[k].held : 0; h; h &= h - 1)
            members[__builtin_ctz(h)] = sites[k].members[__builtin_ctz(h)];
    while (left) {
        uint32_t mask = members[__builtin_ctz(left)], group = 0;
        for (uint32_t h = left; h; h &= h - 1)
            if (members[__builtin_ctz(h)] == mask)
                group |= h & -h;
        left &= ~group;
        if (mask & alive & ~group || is_busy(sites, count, kind, group))
            continue;
        let_go(sites, count, kind, group, mask);
        any = true;
    }
    return any;
}

uint32_t
jit_sync_arrive(struct sync_site *sites, uint32_t count, uint32_t site, uint32_t lanes,
                uint32_t alive, uint32_t leaving)
{
    struct sync_site *s = &sites[site];
    uint32_t ready = s->passed & lanes;
    for (uint32_t l = lanes & ~ready & ~s->held; l; l &= l - 1)
        s->others[__builtin_ctz(l)] = alive & ~leaving;
    s->held |= lanes & ~ready;
    s->came |= lanes & ~ready;
    if (!ready) {
        release_kind(sites, count, s->kind, alive);
        ready = s->passed & (lanes | s->wake); /* with those that stood here and waited for them */
    }
    s->passed &= ~ready;
    s->wake &= ~ready;
    return ready;
}

uint32_t
jit_sync_retry(struct sync_site *sites, uint32_t count, uint32_t alive)
{
    uint32_t held = 0;
    bool any = false;
    for (uint32_t k = 0; k < count; k++)
        if (sites[k].held)
            any |= release_kind(sites, count, sites[k].kind, alive);
    for (uint32_t k = 0; k < count; k++)
        held |= sites[k].held;
    return any ? SYNC_WOKEN : held ? SYNC_HELD : SYNC_NONE;
}
