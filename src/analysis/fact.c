/* SPDX-License-Identifier: Apache-2.0
 *
 * fact.c: one fact: made, compared, joined with another one; its pattern and bounds.
 */
#include "analysis/facts_priv.h"

#include <string.h>

struct fact
fact_uniform_value(void)
{
    return (struct fact){.kind = FACT_SCALAR, .segment = LANES};
}

struct fact
fact_nothing(void)
{
    return (struct fact){.kind = FACT_VECTOR, .segment = 1};
}

uint8_t
fact_zeros(int64_t v)
{
    return v ? (uint8_t)__builtin_ctzll((uint64_t)v) : 62;
}

struct fact
fact_constant(int64_t value)
{
    struct fact f = fact_uniform_value();
    f.known = f.bounded = true;
    f.base = f.low = f.high = value;
    f.align = fact_zeros(value);
    return f;
}

int32_t
fact_pattern_at(const struct fact *f, unsigned lane)
{
    return f->pattern ? f->pattern[lane] : 0;
}

bool
fact_set_pattern(struct facts *fs, struct fact *f, const int64_t p[LANES])
{
    bool zero = true;
    for (unsigned l = 0; l < LANES; l++) {
        if (p[l] > PATTERN_LIMIT || p[l] < -PATTERN_LIMIT) {
            *f = fact_nothing();
            return false;
        }
        zero &= p[l] == 0;
    }
    f->pattern = NULL;
    if (zero)
        return true;
    int32_t *own = ARENA_ARRAY(&fs->arena, int32_t, LANES);
    for (unsigned l = 0; l < LANES; l++)
        own[l] = (int32_t)p[l];
    f->pattern = own;
    return true;
}

struct fact
fact_of_lanes(struct facts *fs, const int64_t v[LANES])
{
    struct fact f = fact_constant(v[0]);
    int64_t p[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        p[l] = (int64_t)((uint64_t)v[l] - (uint64_t)v[0]); /* registers wrap */
        f.low = v[l] < f.low ? v[l] : f.low;
        f.high = v[l] > f.high ? v[l] : f.high;
    }
    fact_set_pattern(fs, &f, p);
    return f;
}

bool
fact_same(const struct fact *a, const struct fact *b)
{
    if (a->kind != b->kind || a->segment != b->segment || a->align != b->align ||
        a->known != b->known || a->guess != b->guess || a->sure != b->sure ||
        a->bounded != b->bounded || (a->known && a->base != b->base) ||
        (a->bounded && (a->low != b->low || a->high != b->high)) || !a->pattern != !b->pattern ||
        a->threads != b->threads || (a->threads && memcmp(a->by, b->by, sizeof a->by)))
        return false;
    return !a->pattern || !memcmp(a->pattern, b->pattern, sizeof(int32_t) * LANES);
}

void
fact_relative(const struct fact *f, unsigned segment, int64_t out[LANES])
{
    for (unsigned l = 0; l < LANES; l++)
        out[l] = (int64_t)fact_pattern_at(f, l) - fact_pattern_at(f, l - l % segment);
}

uint8_t
fact_align_within(const struct fact *f, unsigned segment)
{
    uint8_t align = f->align;
    for (unsigned l = 0; l < LANES; l += segment)
        align =
            fact_zeros(fact_pattern_at(f, l)) < align ? fact_zeros(fact_pattern_at(f, l)) : align;
    return align;
}

unsigned
fact_agreeing(const struct fact *f)
{
    if (f->guess)
        return f->sure;
    for (unsigned s = f->segment; s > 1; s /= 2) {
        int64_t p[LANES];
        fact_relative(f, s, p);
        unsigned l = 0;
        while (l < LANES && p[l] == 0)
            l++;
        if (l == LANES)
            return s;
    }
    return 1;
}

void
fact_set_guess(struct fact *f, const struct fact *a, const struct fact *b)
{
    unsigned x = fact_agreeing(a), y = fact_agreeing(b);
    f->guess = a->guess || b->guess;
    f->sure = (uint8_t)(!f->guess ? 0 : x < y ? x : y);
}

struct fact
fact_elementwise(const struct fact *in, unsigned n)
{
    unsigned s = LANES;
    for (unsigned k = 0; k < n; k++) {
        if (in[k].kind == FACT_NONE)
            return (struct fact){0};
        unsigned a = fact_agreeing(&in[k]);
        s = a < s ? a : s;
    }
    struct fact f = fact_uniform_value();
    if (s < LANES) {
        f.kind = FACT_VECTOR;
        f.segment = (uint8_t)s;
    }
    return f;
}

struct fact
fact_join(struct facts *fs, const struct fact *a, const struct fact *b)
{
    if (a->kind == FACT_NONE)
        return *b;
    if (b->kind == FACT_NONE)
        return *a;
    struct fact f = *a;
    fact_set_guess(&f, a, b);
    f.known = a->known && b->known && a->base == b->base;
    f.bounded = a->bounded && b->bounded;
    f.low = b->low < a->low ? b->low : a->low;
    f.high = b->high > a->high ? b->high : a->high;
    fact_join_threads(fs, &f, a, b);
    unsigned s = a->segment < b->segment ? a->segment : b->segment;
    for (; s > 1; s /= 2) {
        int64_t p[LANES], q[LANES];
        fact_relative(a, s, p);
        fact_relative(b, s, q);
        if (!memcmp(p, q, sizeof p)) {
            f.segment = (uint8_t)s;
            f.align = fact_align_within(a, s) < fact_align_within(b, s) ? fact_align_within(a, s)
                                                                        : fact_align_within(b, s);
            f.kind = s == LANES && a->kind == FACT_SCALAR && b->kind == FACT_SCALAR ? FACT_SCALAR
                                                                                    : FACT_VECTOR;
            fact_set_pattern(fs, &f, p);
            if (f.kind == FACT_VECTOR)
                f.known = false;
            return f;
        }
    }
    struct fact none = fact_nothing();
    none.bounded = f.bounded;
    none.low = f.low;
    none.high = f.high;
    none.threads = f.threads;
    memcpy(none.by, f.by, sizeof none.by);
    return none;
}

/* -- bounds ------------------------------------------------------------------------------------ */

bool
fact_fits(int64_t v, unsigned bits)
{
    return bits >= 64 || (v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1));
}

void
fact_set_bounds(struct fact *f, bool ok, int64_t low, int64_t high, unsigned bits)
{
    f->bounded = ok && fact_fits(low, bits) && fact_fits(high, bits);
    f->low = f->bounded ? low : 0;
    f->high = f->bounded ? high : 0;
}
