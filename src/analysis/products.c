/* SPDX-License-Identifier: Apache-2.0
 *
 * products.c: 32-bit numbers as sums of products.
 *
 *     mul.lo.s32 %r8, %y, %n     y * n, and in the second row of a warp, in blocks of 16, y * n + n
 *     add.s32    %i, %x, %r8     y * n + x, the lanes of a row side by side
 *
 * Sums, differences and products are the same modulo 2^32 whatever order they were made in; so what
 * a number is in each lane of each warp is known as a polynomial of a few registers that are
 * scalars, of degree two.
 */
#include "analysis/products.h"

enum { MOST_TIMES = 1 << 20 }; /* so that 64 bits hold what becomes of it */

static bool
same_product(const struct index_term *a, const struct index_term *b)
{
    return a->x == b->x && a->y == b->y;
}

struct index
index_number(int64_t number)
{
    struct index r = {.known = true, .count = 1};
    r.term[0] = (struct index_term){PTX_NO_REG, PTX_NO_REG, number, NULL, 0, 0};
    return r;
}

struct index
index_register(const struct warps *w, uint32_t reg)
{
    const struct fact *f = &w->facts->reg[reg];
    const struct ptx_operand o = {.kind = PTX_O_REG, .reg = reg};
    struct index r = {.known = false};
    uint32_t step = 0;
    if (ptx_type_bytes((enum ptx_type)w->facts->wir->regs[reg].type) != 4 ||
        f->kind != FACT_SCALAR || f->guess || f->segment != LANES || !warps_step(w, &o, &step))
        return r;
    r.known = true;
    r.term[r.count++] = (struct index_term){reg, PTX_NO_REG, 1, NULL, 0, 0};
    if (f->pattern || step)
        r.term[r.count++] =
            (struct index_term){PTX_NO_REG, PTX_NO_REG, 0, f->pattern, (int32_t)step, 1};
    return r;
}

/* Adds b's lanes to a's. False: they differ in another way. */
static bool
add_lanes(struct index_term *a, const struct index_term *b, int sign)
{
    if (!b->scale)
        return true;
    if (!a->scale) {
        a->pattern = b->pattern;
        a->step = b->step;
    }
    a->scale += sign * b->scale;
    return a->pattern == b->pattern && a->step == b->step;
}

struct index
index_sum(const struct index *a, const struct index *b, int sign)
{
    struct index r = *a;
    r.known = a->known && b->known;
    for (unsigned k = 0; r.known && k < b->count; k++) {
        unsigned at = 0;
        while (at < r.count && !same_product(&r.term[at], &b->term[k]))
            at++;
        if (at == INDEX_TERMS) {
            r.known = false;
            break;
        }
        if (at == r.count)
            r.term[r.count++] = (struct index_term){b->term[k].x, b->term[k].y, 0, NULL, 0, 0};
        r.term[at].times += sign * b->term[k].times;
        r.known = add_lanes(&r.term[at], &b->term[k], sign) && r.term[at].times <= INT32_MAX &&
                  r.term[at].times >= INT32_MIN;
    }
    return r;
}

static struct index
times_number(const struct index *a, int64_t number)
{
    struct index r = *a;
    r.known &= number >= -MOST_TIMES && number <= MOST_TIMES;
    for (unsigned k = 0; r.known && k < r.count; k++) {
        struct index_term *t = &r.term[k];
        r.known = t->times >= -MOST_TIMES && t->times <= MOST_TIMES && t->scale >= -64 &&
                  t->scale <= 64 && (!t->scale || (number >= -64 && number <= 64));
        t->times *= number;
        t->scale *= (int32_t)number;
    }
    return r;
}

/* Times a register that is the same in all lanes of all warps. */
static struct index
times_register(const struct index *a, uint32_t reg)
{
    struct index r = *a;
    for (unsigned k = 0; r.known && k < r.count; k++) {
        struct index_term *t = &r.term[k];
        r.known = t->y == PTX_NO_REG && t->times >= -MOST_TIMES && t->times <= MOST_TIMES;
        bool first = t->x == PTX_NO_REG || reg < t->x;
        t->y = first ? t->x : reg;
        t->x = first ? reg : t->x;
    }
    return r;
}

struct index
index_product(const struct index *a, const struct index *b)
{
    const struct index none = {.known = false};
    if (!a->known || !b->known)
        return none;
    for (unsigned k = 0; k < 2; k++) {
        const struct index *x = k ? b : a, *y = k ? a : b;
        const struct index_term *t = &y->term[0];
        if (y->count != 1 || t->scale || t->y != PTX_NO_REG)
            continue;
        if (t->x == PTX_NO_REG)
            return times_number(x, t->times);
        if (t->times == 1)
            return times_register(x, t->x);
    }
    return none;
}

bool
index_has(const struct index *a, uint32_t reg)
{
    for (unsigned k = 0; k < a->count; k++)
        if (a->term[k].x == reg || a->term[k].y == reg)
            return true;
    return false;
}

void
index_range(const struct index_term *t, uint32_t warps, int64_t *low, int64_t *high)
{
    int64_t least = 0, most = 0, on = (int64_t)t->step * (warps - 1);
    for (unsigned l = 0; t->pattern && l < LANES; l++) {
        least = t->pattern[l] < least ? t->pattern[l] : least;
        most = t->pattern[l] > most ? t->pattern[l] : most;
    }
    least += on < 0 ? on : 0;
    most += on > 0 ? on : 0;
    *low = t->times + t->scale * (t->scale < 0 ? most : least);
    *high = t->times + t->scale * (t->scale < 0 ? least : most);
}
