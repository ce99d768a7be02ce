/* SPDX-License-Identifier: Apache-2.0
 *
 * again.c: steps of an SM that ask for the same lines as its last step or the one before, as a
 * loop does that reads a line word by word. A step whose lines all hit evicts nothing and leaves
 * its lines as the most recently used of their cache sets, in its order. The same lines asked for
 * again hit and change nothing: a lookup can be left out, except in a cache set that the step in
 * between has touched, where lines are looked up as usual. Cache sets are independent of each
 * other, so the result, and the order of requests to L2, is exactly that of looking up every line.
 */
#include "profile/play_priv.h"

#include <string.h>

void
history_begin(struct history *p)
{
    for (int k = 0; k < HISTORY_STEPS; k++)
        p->past[k].clean = false;
}

struct past *
history_next(struct history *p, size_t room)
{
    struct past *own = &p->past[p->now++ % HISTORY_STEPS];
    while (own->room < room) {
        own->line = ls_grow(own->line, &own->room, sizeof *own->line);
        ls_release(own->set);
        own->set = NULL;
    }
    own->placed = own->clean = false;
    return own;
}

struct past *
history_same(struct history *p, const struct past *own)
{
    for (uint32_t ago = 1; ago < HISTORY_STEPS; ago++) {
        struct past *other = &p->past[(p->now - 1 - ago) % HISTORY_STEPS];
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
history_touched(struct history *p, struct past *own, struct past *same,
                const struct cache_system *s)
{
    struct past *between = &p->past[(p->now - 2) % HISTORY_STEPS];
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
history_free(struct history *p)
{
    for (int k = 0; k < HISTORY_STEPS; k++) {
        ls_release(p->past[k].line);
        ls_release(p->past[k].set);
    }
    ls_release(p->line);
}
