/* SPDX-License-Identifier: Apache-2.0
 *
 * read_only.c: loads from memory that nobody writes while the launch runs. Where each store and
 * atomic of the kernel has one allocation to stay in (it is kept from all others), the rest of
 * memory stays as it is until the launch is over: what of it is written throughout may be read
 * unseen, once its addresses are known to be good. Generated code looks at those itself (gate_open,
 * tools/gate.c).
 *
 * Such reads leave no marks. So nothing may come later that the launch is not ordered before: that
 * is sure as long as the program has made no stream, runs no graph and the memory is not the
 * host's, too.
 */
#include "check/lines.h"

enum { READ_ONLY_UNKNOWN, READ_ONLY_NO, READ_ONLY_YES };

static bool
overlap(const struct range *a, const struct range *b)
{
    return a->base < b->end && b->base < a->end;
}

/* Might the kernel write there? */
static bool
may_be_written(const struct launch *l, const struct range *r)
{
    for (uint32_t n = 0; n < l->facts->facts_count; n++) {
        const struct place_facts *p = &l->facts->place[n];
        const struct range *e = &l->expect[n];
        if (!p->device || !(p->flags & (PLACE_STORE | PLACE_ATOMIC | PLACE_MBARRIER)) ||
            e->base >> 62)
            continue;
        if (!e->base || overlap(e, r))
            return true;
    }
    return false;
}

static bool
find_read_only(const struct launch *l, const struct range *r)
{
    struct allocation a;
    return l->lone && !l->facts->opaque && r->base && !(r->base >> 62) && l->memory &&
           memory_find_reached(l->memory, r->base, &a) &&
           (a.kind == ALLOCATION_DEVICE || a.kind == ALLOCATION_VARIABLE) &&
           !may_be_written(l, r) && global_written(l->check->global, r->base, r->end - r->base);
}

bool
read_only_place(const struct visit *v)
{
    struct launch *l = v->b->launch;
    size_t n = (size_t)(v->expect - v->b->expect);
    if (v->op != JIT_LOAD || v->facts->flags || n >= l->facts->facts_count)
        return false;
    uint8_t known = __atomic_load_n(&l->read_only[n], __ATOMIC_RELAXED);
    if (known == READ_ONLY_UNKNOWN) {
        pthread_mutex_lock(&l->lock);
        for (uint32_t k = 0; k < l->facts->facts_count && !known; k++) /* another load from there */
            if (l->expect[k].base == v->expect->base && l->expect[k].end == v->expect->end)
                known = l->read_only[k];
        if (!known)
            known = find_read_only(l, v->expect) ? READ_ONLY_YES : READ_ONLY_NO;
        __atomic_store_n(&l->read_only[n], known, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&l->lock);
    }
    return known == READ_ONLY_YES;
}

bool
read_only_range(const struct visit *v, const struct range *r)
{
    struct block_state *b = v->b;
    if (v->op != JIT_LOAD || v->facts->flags || v->facts != &b->facts[v->place])
        return false;
    if (b->found.read_only.base == r->base && b->found.read_only.end == r->end)
        return b->found.is_read_only;
    pthread_mutex_lock(&b->launch->lock);
    b->found.is_read_only = find_read_only(b->launch, r);
    pthread_mutex_unlock(&b->launch->lock);
    b->found.read_only = *r;
    return b->found.is_read_only;
}
