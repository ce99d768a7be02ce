/* SPDX-License-Identifier: Apache-2.0
 *
 * again.c: steps that repeat an SM's last one or the one before it, as loops do that read a line word by word. Where
 * all lines of a step hit, its sets hold what they held, and its lines are the ones used last, in its order. The
 * same lines once more hit again and change nothing, so that they need not be looked up, except in sets that the step
 * between has touched: there they are looked up, after which the same holds. Sets do not know of each other; so this is
 * exact, in the order of requests to L2, too.
 */
#include "profile/play_priv.h"

#include <string.h>

void
pasts_begin(struct pasts *p)
{
    for (int k = 0; k < PASTS; k++)
        p->past[k].clean = false;
}

struct past *
pasts_next(struct pasts *p, size_t room)
{
    struct past *own = &p->past[p->now++ % PASTS];
    while (own->room < room) {
        own->line = ls_grow(own->line, &own->room, sizeof *own->line);
        ls_release(own->set);
        own->set = NULL;
    }
    own->placed = own->clean = false;
    return own;
}

struct past *
pasts_same(struct pasts *p, const struct past *own)
{
    for (uint32_t ago = 1; ago < PASTS; ago++) {
        struct past *other = &p->past[(p->now - 1 - ago) % PASTS];
        if (other->clean && other->count == own->count && other->line[0] == own->line[0] &&
            memcmp(other->line, own->line, own->count * sizeof *own->line) == 0)
            return other;
    }
    return NULL;
}

static void
place(struct past *p, const struct cache_system *s)
{
    if (p->placed)
        return;
    if (!p->set)
        p->set = ls_alloc(p->room * sizeof *p->set);
    cache_system_sets(s, p->line, p->count, p->set);
    p->placed = true;
}

size_t
pasts_touched(struct pasts *p, struct past *own, struct past *same, const struct cache_system *s)
{
    struct past *between = &p->past[(p->now - 2) % PASTS];
    size_t n = 0;
    if (same == between) /* there is none */
        return 0;
    place(between, s);
    place(same, s);
    if (!own->set)
        own->set = ls_alloc(own->room * sizeof *own->set);
    memcpy(own->set, same->set, own->count * sizeof *own->set);
    own->placed = true;
    while (p->room < own->count)
        p->line = ls_grow(p->line, &p->room, sizeof *p->line);
    for (size_t k = 0; k < between->count; k++)
        p->touched[between->set[k] / 64] |= 1ull << between->set[k] % 64;
    for (size_t k = 0; k < own->count; k++) {
        p->line[n] = own->line[k];
        n += p->touched[own->set[k] / 64] >> own->set[k] % 64 & 1;
    }
    for (size_t k = 0; k < between->count; k++)
        p->touched[between->set[k] / 64] = 0;
    return n;
}

void
pasts_free(struct pasts *p)
{
    for (int k = 0; k < PASTS; k++) {
        ls_release(p->past[k].line);
        ls_release(p->past[k].set);
    }
    ls_release(p->line);
}
