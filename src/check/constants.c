/* SPDX-License-Identifier: Apache-2.0
 *
 * constants.c: constant memory that a kernel reads and that nobody has set. It begins as 0, so that
 * a copy that was forgotten gives sums of nothing. One number may be left 0 on purpose, an array
 * hardly is: only variables of more than 8 bytes are looked at, those that an instruction can only
 * read from. A variable that holds something else than 0 was set, by whatever means.
 */
#include "check/constants.h"

#include <stdio.h>

enum { LEAST_BYTES = 9 };

struct constants {
    pthread_mutex_t lock;
    uint32_t unset; /* read without the lock, too */
    VEC(struct range) range;
};

struct constants *
constants_new(void)
{
    struct constants *s = ls_alloc(sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void
constants_free(struct constants *s)
{
    VEC_FREE(&s->range);
    pthread_mutex_destroy(&s->lock);
    ls_release(s);
}

/* Those that meet the range are set. */
void
constants_written(struct constants *s, uint64_t address, uint64_t size)
{
    if (!__atomic_load_n(&s->unset, __ATOMIC_ACQUIRE))
        return;
    pthread_mutex_lock(&s->lock);
    for (size_t k = s->range.count; k-- > 0;)
        if (s->range.at[k].base < address + size && address < s->range.at[k].end)
            s->range.at[k] = s->range.at[--s->range.count];
    __atomic_store_n(&s->unset, (uint32_t)s->range.count, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&s->lock);
}

void
check_constant(struct jit_tool *t, uint64_t base, uint64_t size)
{
    struct check *c = (struct check *)t;
    if (!c || size < LEAST_BYTES || !(c->groups & CHECK_INIT))
        return;
    constants_written(c->constants, base, size); /* one of another module may have lain there */
    struct constants *s = c->constants;
    pthread_mutex_lock(&s->lock);
    VEC_PUSH(&s->range, (struct range){base, base + size});
    __atomic_store_n(&s->unset, (uint32_t)s->range.count, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&s->lock);
}

static bool
is_unset(struct constants *s, const struct range *r)
{
    bool unset = false;
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < s->range.count && !unset; k++)
        unset = s->range.at[k].base == r->base;
    pthread_mutex_unlock(&s->lock);
    for (uint64_t a = r->base; a < r->end && unset; a++)
        unset = !*(const uint8_t *)(uintptr_t)a;
    return unset;
}

void
constants_read(const struct visit *v)
{
    const struct launch *l = v->b->launch;
    const struct range *r = v->expect;
    struct finding f = {
        .kind = FINDING_UNINITIALIZED, .severity = SEVERITY_WARNING, .space = "constant"};
    struct allocation a;
    if (!__atomic_load_n(&l->check->constants->unset, __ATOMIC_ACQUIRE) || !r->base ||
        r->base >> 62 || !is_unset(l->check->constants, r) ||
        !memory_find_reached(l->memory, r->base, &a) ||
        !finding_wanted(l, f.kind, f.rank, l->facts, v->place, NULL, 0, v->b->block->ctaid))
        return;
    f.access = side_of(v, (uint32_t)__builtin_ctz(v->lanes), r->base);
    snprintf(
        f.message, sizeof f.message,
        "load of %u bytes of \"%s\" (%llu bytes), which nothing has written: it is all 0, as a "
        "variable begins without an initial value",
        v->bytes, a.name ? a.name : "", (unsigned long long)a.size);
    snprintf(f.missing, sizeof f.missing, "cudaMemcpyToSymbol before the launch");
    finding_add(l->check, &f);
}
