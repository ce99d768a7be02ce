/* SPDX-License-Identifier: Apache-2.0
 *
 * copies.c: what nobody wrote stays unwritten when it is copied. Loading such bytes only to store
 * them again is no mistake; but where they go to, they are as unset as where they came from, so
 * that the first use there is reported.
 *
 * places.c knows of a store the loads that its value may come from, through nothing but moves and
 * selections. Here each warp keeps for such a load, once it has met unset bytes, which lanes got
 * them and what they were. A store hands them on when the lane has executed the load since it last
 * executed the store, and stores that very value. A copy in the background (cp.async) is a load and
 * a store in one; of bulk copies see moves.c.
 */
#include "check/check_priv.h"

#include <string.h>

enum { MOST_BYTES = 16 }; /* of a lane's access; what lies behind counts as written */

struct copy_note {
    uint32_t lanes;            /* that got unset bytes */
    uint32_t when[JIT_LANES];  /* the visit */
    uint16_t unset[JIT_LANES]; /* bytes */
    uint8_t value[JIT_LANES][MOST_BYTES];
};

struct copies {
    uint32_t visits, places;
    struct copy_note *note[]; /* per place */
};

static struct copy_note *
find_note(const struct visit *v, uint32_t place, bool make)
{
    struct block_state *b = v->b;
    struct copies *c = b->copied.of[v->warp];
    uint32_t places = b->launch->facts->facts_count;
    if (!c && make) {
        b->copied.any = b->copied.first =
            true; /* what was stored until now is no copy: region_copies */
        c = b->copied.of[v->warp] = ls_alloc(sizeof *c + sizeof(struct copy_note *) * places);
        c->places = places;
        c->visits = 1;
    }
    if (!c || place >= c->places)
        return NULL;
    if (!c->note[place] && make)
        c->note[place] = ls_alloc(sizeof(struct copy_note));
    return c->note[place];
}

/* Where the visit's note is: what a copy in the background reads has one of its own. */
static uint32_t
place_of(const struct visit *v)
{
    return (uint32_t)(v->facts - v->b->facts);
}

void
copies_visit(const struct visit *v)
{
    struct copies *c = v->b->copied.of[v->warp];
    c->visits++;
    if (v->op != JIT_LOAD || place_of(v) >= c->places)
        return;
    struct copy_note *n = c->note[place_of(v)];
    if (n)
        n->lanes &= ~v->lanes;
}

void
copies_loaded(const struct visit *v, uint32_t lane, uint32_t skip, uint32_t bytes,
              const uint8_t *value)
{
    if (!v->facts->copied || v->op != JIT_LOAD || skip >= MOST_BYTES)
        return;
    struct copy_note *n = find_note(v, place_of(v), true);
    if (!(n->lanes >> lane & 1))
        n->unset[lane] = 0;
    n->lanes |= 1u << lane;
    n->when[lane] = v->b->copied.of[v->warp]->visits;
    bytes = bytes < MOST_BYTES - skip ? bytes : MOST_BYTES - skip;
    n->unset[lane] |= (uint16_t)(((1u << bytes) - 1) << skip);
    memcpy(n->value[lane] + skip, value, bytes);
}

/* An element of a store that may come from an element of a load. */
static uint32_t
handed_on(const struct visit *v, const struct copy_source *s, uint32_t lane, uint32_t last)
{
    const struct copy_note *n = find_note(v, s->place, false);
    uint32_t all = (1u << s->size) - 1;
    if (!n || !(n->lanes >> lane & 1) || n->when[lane] <= last || s->from + s->size > MOST_BYTES ||
        (n->unset[lane] >> s->from & all) != all)
        return 0;
    bool compare = v->w->values && !(v->facts->flags & PLACE_TRANSFER);
    for (uint32_t k = 0; compare && k < s->size; k++)
        if (*stored_value(v, lane, s->to + k) != n->value[lane][s->from + k])
            return 0;
    return all << s->to;
}

uint32_t
copies_stored(const struct visit *v, uint32_t lane)
{
    uint32_t unset = 0;
    struct copy_note *own = find_note(v, place_of(v), true);
    for (uint32_t k = 0; k < v->facts->sources; k++)
        unset |= handed_on(v, &v->facts->source_of[k], lane, own->when[lane]);
    own->when[lane] = v->b->copied.of[v->warp]->visits;
    return unset;
}

void
copies_forget(struct block_state *b)
{
    for (uint32_t w = 0; w < MOST_WARPS && b->copied.any; w++) {
        struct copies *c = b->copied.of[w];
        if (!c)
            continue;
        for (uint32_t k = 0; k < c->places; k++)
            ls_release(c->note[k]);
        ls_release(c);
        b->copied.of[w] = NULL;
    }
    b->copied.any = false;
}
