/* SPDX-License-Identifier: Apache-2.0
 *
 * products.c: products whose shape stands in descriptors, which the instruction does not show
 * (tcgen05.mma): announced when they are executed. Those of other matrix instructions are in mix.c.
 */
#include "profile/profile_priv.h"

void
products_announced(struct jit_warp *w, const struct jit_product *p, uint32_t place)
{
    enum { COUNTED_BITS = 16 };
    struct sheet *s = w->block->tool;
    uint64_t operations = 2ull * p->m * p->n * p->k;
    size_t k = 0;
    while (k < s->products.count && s->products.at[k].place != place)
        k++;
    if (k == s->products.count)
        VEC_PUSH(&s->products, (struct products){.place = place});
    struct products *to = &s->products.at[k];
    to->count++;
    to->operations += operations;
    to->work += (double)operations * p->bits / COUNTED_BITS;
}

void
products_add(struct sums *s, const struct sheet *from, uint32_t place)
{
    for (size_t k = 0; k < from->products.count; k++) {
        const struct products *p = &from->products.at[k];
        if (p->place != place)
            continue;
        s->tcgen05 += p->count;
        s->tensor_flops += p->operations;
        s->tensor_work += (uint64_t)p->work;
    }
}
