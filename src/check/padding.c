/* SPDX-License-Identifier: Apache-2.0
 *
 * padding.c: whether the bytes that nothing has written are what lies between the members of
 * structures. Such a hole is shorter than the alignment of what follows it, ends where that may
 * begin, and an array of structures has the same holes again and again. A hole or two inside words
 * may be those of a single structure.
 */
#include "check/host.h"

enum { LONGEST = 15, ENOUGH = 4 };

static bool
may_be_padding(const struct hole *h)
{
    uint64_t align = 1;
    while (align <= h->size)
        align *= 2;
    return h->size <= LONGEST && (h->at + h->size) % align == 0;
}

void
holes_add(struct holes *s, uint64_t at, uint64_t size)
{
    struct hole h = {at, size};
    uint32_t n = s->count++;
    if (!n)
        s->fits = ~0u;
    s->odd |= !may_be_padding(&h);
    s->wide |= size >= 4;
    for (uint32_t k = 1; k <= HOLES; k++) { /* the same as the k-th before it? */
        const struct hole *before = &s->last[(n - k) % HOLES];
        if (n < k)
            break;
        if (n == k)
            s->period[k - 1] = at - before->at;
        if (size != before->size || at - before->at != s->period[k - 1])
            s->fits &= ~(1u << k);
    }
    s->last[n % HOLES] = h;
}

bool
holes_are_padding(const struct holes *s, uint64_t end)
{
    const struct hole *last = &s->last[(s->count - 1) % HOLES];
    if (!s->count || s->odd)
        return false;
    for (uint32_t k = 1; k <= HOLES && 2 * k <= s->count && s->count >= ENOUGH; k++)
        if (s->fits >> k & 1)
            return true;
    return s->count < ENOUGH && !s->wide && last->at + last->size < end;
}
