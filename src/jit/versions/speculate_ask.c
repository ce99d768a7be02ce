/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/speculate_ask.c: what a way behind one test (versions/speculate.c) asks of the registers
 * before it begins: bounds of each, and of sums of their products.
 */
#include "jit/versions/versions.h"

/* Adds the instructions that make a register of what is the same throughout the kernel and of the
 * thread's number, to those that are emitted where the way begins. False: it is no such register.
 */
static bool
add_early(const struct core *c, struct speculation *s, uint32_t reg)
{
    const struct warps *known = c->regions->known;
    const struct wir_insn *i = wir_only_writer(c->wir, reg);
    if (known->same[reg] && known->fixed[reg])
        return true;
    for (uint32_t k = 0; k < s->early_count; k++)
        if (s->early[k] == i)
            return true;
    if (!i || !known->again[reg])
        return false;
    struct span uses = wir_values(c->wir, wir_index(c->wir, i));
    for (uint32_t k = 0; k < uses.count; k++)
        if (!add_early(c, s, uses.at[k]))
            return false;
    if (s->early_count == SPECULATION_EARLY)
        return false;
    s->early[s->early_count++] = i;
    return true;
}

/* The root's value can be had at the end of the block where the way begins: it is kept once for all
 * warps, or the group's code keeps it, or it is computed anew there. */
static bool
has_value(const struct core *c, struct speculation *s, uint32_t root)
{
    const struct warps *known = c->regions->known;
    const struct wir_block *blk = &c->wir->blocks[s->block[0]];
    const struct region_group *g = &c->regions->group[c->regions->group_of[s->block[0]]];
    bool kept = (set_has(blk->live_in, root) && set_has(g->needed, root)) ||
                wir_writer_before(c->wir, s->block[0], root, blk->first + blk->count) != UINT32_MAX;
    return (known->same[root] && known->fixed[root]) || kept || add_early(c, s, root);
}

static bool
ask_bounds(const struct core *c, struct speculation *s, uint32_t root, int64_t least, int64_t most)
{
    if (root == PTX_NO_REG)
        return least <= 0 && most >= 0;
    struct speculation_bound *b = has_value(c, s, root) ? speculation_bound_of(s, root) : NULL;
    if (!b)
        return false;
    b->least = least > b->least ? least : b->least;
    b->most = most < b->most ? most : b->most;
    return b->least <= b->most;
}

/* Of the same products, each with the same sign: one test for both asks little more than two. */
static bool
same_sum(const struct speculation_wide_bound *a, const struct speculation_wide_bound *b)
{
    bool same = a->count == b->count;
    for (unsigned n = 0; same && n < a->count; n++)
        same = a->term[n].x == b->term[n].x && a->term[n].y == b->term[n].y &&
               (a->term[n].x == PTX_NO_REG || (a->low[n] < 0) == (b->low[n] < 0));
    return same;
}

static bool
ask_wide_bound(struct speculation *s, const struct speculation_wide_bound *w)
{
    for (uint32_t k = 0; k < s->wide_count; k++) {
        struct speculation_wide_bound *x = &s->wide_bound[k];
        if (!same_sum(x, w))
            continue;
        for (unsigned n = 0; n < w->count; n++) {
            x->low[n] = w->low[n] < x->low[n] ? w->low[n] : x->low[n];
            x->high[n] = w->high[n] > x->high[n] ? w->high[n] : x->high[n];
        }
        x->least = w->least > x->least ? w->least : x->least;
        x->most = w->most < x->most ? w->most : x->most;
        return true;
    }
    if (s->wide_count == SPECULATION_WIDE)
        return false;
    s->wide_bound[s->wide_count++] = *w;
    return true;
}

/* The sum's products in order, and their factors. */
static struct speculation_wide_bound
wide_bound_of(const struct core *c, const struct index *x, int64_t least, int64_t most)
{
    struct speculation_wide_bound w = {.count = x->count, .least = least, .most = most};
    for (unsigned k = 0; k < x->count; k++) {
        const struct index_term *t = &x->term[k];
        unsigned at = k;
        for (; at > 0 &&
               (w.term[at - 1].x > t->x || (w.term[at - 1].x == t->x && w.term[at - 1].y > t->y));
             at--) {
            w.term[at] = w.term[at - 1];
            w.low[at] = w.low[at - 1];
            w.high[at] = w.high[at - 1];
        }
        w.term[at] = *t;
        index_range(t, c->now.version.warps, &w.low[at], &w.high[at]);
    }
    return w;
}

/* The sum lies within the bounds in each lane. Factors that differ from one sum to another are of
 * numbers that are not negative. */
static bool
ask_range(const struct core *c, struct speculation *s, const struct index *x, int64_t least,
          int64_t most)
{
    const struct speculation_wide_bound w = wide_bound_of(c, x, least, most);
    unsigned products = 0;
    for (unsigned k = 0; k < w.count; k++) {
        const struct index_term *t = &w.term[k];
        int64_t many = t->y != PTX_NO_REG ? 1 : t->x != PTX_NO_REG ? SPECULATION_TIMES : INT32_MAX;
        products += t->y != PTX_NO_REG;
        if ((t->x != PTX_NO_REG && !ask_bounds(c, s, t->x, INT32_MIN, INT32_MAX)) ||
            (t->y != PTX_NO_REG && !ask_bounds(c, s, t->y, INT32_MIN, INT32_MAX)) ||
            w.low[k] < -many || w.high[k] > many || products > 1)
            return false; /* what 64 bits hold */
    }
    return ask_wide_bound(s, &w);
}

/* That the sum is at most 0 follows from what was asked before: i - (n - 1) behind i < n. */
static bool
is_at_most_zero(const struct core *c, const struct speculation *s, const struct index *x)
{
    const struct speculation_wide_bound w = wide_bound_of(c, x, INT64_MIN, 0);
    for (uint32_t k = 0; k < s->wide_count; k++) {
        const struct speculation_wide_bound *y = &s->wide_bound[k];
        bool follows = same_sum(y, &w);
        int64_t more = 0; /* than y, in any lane */
        for (unsigned n = 0; follows && n < w.count; n++) {
            bool number = w.term[n].x == PTX_NO_REG;
            follows = number || (w.low[n] == y->low[n] && w.high[n] == y->high[n]);
            more += number ? w.high[n] - y->high[n] : 0;
        }
        if (follows && y->most <= -more)
            return true;
    }
    return false;
}

/* No lane of the sum wraps, so that all of them are what it is as a number. */
bool
speculation_ask_exact(const struct core *c, struct speculation *s, const struct index *x,
                      bool is_unsigned)
{
    uint32_t root = PTX_NO_REG;
    int64_t least = is_unsigned ? 0 : INT32_MIN, low = 0, high = 0;
    for (unsigned k = 0; k < x->count; k++) {
        const struct index_term *t = &x->term[k];
        if (t->x == PTX_NO_REG)
            index_range(t, c->now.version.warps, &low, &high);
        else if (t->y == PTX_NO_REG && t->times == 1 && !t->scale && root == PTX_NO_REG)
            root = t->x;
        else
            return ask_range(c, s, x, least, INT32_MAX);
    }
    return ask_bounds(c, s, root, least - low, INT32_MAX - high);
}

static bool
ask_compare(const struct core *c, struct speculation *s, const struct speculation_predicate *t,
            bool truth)
{
    bool less = t->less == truth, equal = t->equal == truth;
    if (t->apart && equal)
        return false;
    if (t->apart) { /* above, unless it is known to be below */
        struct index over = index_sum(&t->x, &t->y, -1);
        less = over.known && is_at_most_zero(c, s, &over);
    }
    struct index apart = less ? index_sum(&t->x, &t->y, -1) : index_sum(&t->y, &t->x, -1);
    return apart.known && speculation_ask_exact(c, s, &t->x, t->is_unsigned) &&
           speculation_ask_exact(c, s, &t->y, t->is_unsigned) &&
           ask_range(c, s, &apart, INT64_MIN, equal ? 0 : -1);
}

/* Adds the bounds under which the predicate is `truth` in all lanes: of comparisons for being equal
 * (`apart`), or of the others. False: it cannot be said by bounds, and those that were added are to
 * be dropped. */
static bool
ask_all(const struct core *c, struct speculation *s, int test, bool truth, bool apart)
{
    if (test == SPECULATION_NOTHING)
        return false;
    const struct speculation_predicate *t = &s->test[test];
    switch (t->op) {
    case PTX_OP_SETP: return t->apart != apart || ask_compare(c, s, t, truth);
    case PTX_OP_NOT: return ask_all(c, s, t->in[0], !truth, apart);
    default: /* of one that need not be both nothing is asked */
        return truth == (t->op == PTX_OP_AND) && ask_all(c, s, t->in[0], truth, apart) &&
               ask_all(c, s, t->in[1], truth, apart);
    }
}

/* On which side of a number what is not equal to it lies, the others say. */
bool
speculation_ask(const struct core *c, struct speculation *s, int test, bool truth)
{
    return ask_all(c, s, test, truth, false) && ask_all(c, s, test, truth, true);
}
