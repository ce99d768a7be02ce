/* SPDX-License-Identifier: Apache-2.0
 *
 * special.c: what is known of special registers (PTX ISA 10) in blocks of one shape.
 */
#include "analysis/facts_priv.h"

/* A coordinate of the thread, by enumeration of the block's warps, for
 * segments of `segment` lanes. */
struct enumerated {
    int64_t pattern[LANES];
    bool set[LANES]; /* lanes that exist */
    unsigned align;
    int64_t base; /* of the first lanes of segments; -1: none seen yet */
    bool one;     /*   and it is the same in all warps */
};

/* False: the warps share no pattern. */
static bool
add_warp(struct enumerated *e, const uint32_t b[3], unsigned d, uint32_t warp, unsigned segment)
{
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t t = warp * LANES + l, t0 = t - l % segment;
        if (t >= b[0] * b[1] * b[2])
            continue;
        int64_t v[3] = {t % b[0], t / b[0] % b[1], t / b[0] / b[1]};
        int64_t v0[3] = {t0 % b[0], t0 / b[0] % b[1], t0 / b[0] / b[1]};
        if (e->set[l] && e->pattern[l] != v[d] - v0[d])
            return false;
        e->pattern[l] = v[d] - v0[d];
        e->set[l] = true;
        if (l % segment == 0) {
            e->align = fact_zeros(v[d]) < e->align ? fact_zeros(v[d]) : e->align;
            e->one &= e->base == -1 || e->base == v[d];
            e->base = v[d];
        }
    }
    return true;
}

static bool
add_warps(struct enumerated *e, const struct shape *shape, unsigned d, unsigned segment)
{
    const uint32_t *b = shape->block;
    uint32_t threads = b[0] * b[1] * b[2], warps = (threads + LANES - 1) / LANES;
    uint32_t first = shape->partial ? warps - 1 : 0,
             end = shape->partial || shape->any ? warps : threads / LANES;
    *e = (struct enumerated){.align = 62, .base = -1, .one = segment == LANES};
    for (uint32_t w = first; w < end; w++)
        if (!add_warp(e, b, d, w, segment))
            return false;
    return true;
}

static struct fact
coordinate(struct facts *fs, unsigned d)
{
    struct fact f = fact_nothing();
    struct enumerated e;
    for (unsigned s = LANES; s > 1; s /= 2) {
        if (!add_warps(&e, &fs->shape, d, s))
            continue;
        for (unsigned l = 0; l < LANES; l++)
            if (!e.set[l]) /* lanes that do not exist: whatever keeps the pattern plain */
                e.pattern[l] = l % s > 1 ? 2 * e.pattern[l - 1] - e.pattern[l - 2]
                               : l % s   ? e.pattern[l - 1]
                                         : 0;
        f = fact_uniform_value();
        f.segment = (uint8_t)s;
        f.kind = s == LANES ? FACT_SCALAR : FACT_VECTOR;
        f.align = (uint8_t)e.align;
        f.known = e.one && e.base >= 0;
        f.base = f.known ? e.base : 0;
        fact_set_pattern(fs, &f, e.pattern);
        break;
    }
    fact_set_bounds(&f, true, 0, fs->shape.block[d] - 1, 32);
    fact_of_coordinate(&f, d);
    return f;
}

struct fact
fact_special_of(const struct facts *shared, enum ptx_sreg r)
{
    struct facts *fs = (struct facts *)shared; /* only its arena is written */
    const uint32_t *b = fs->shape.block;
    struct fact f = fact_uniform_value();
    int64_t v[LANES];
    switch (r) {
    case PTX_SR_TID_X: return coordinate(fs, 0);
    case PTX_SR_TID_Y: return coordinate(fs, 1);
    case PTX_SR_TID_Z: return coordinate(fs, 2);
    case PTX_SR_LANEID:
        for (unsigned l = 0; l < LANES; l++)
            v[l] = l;
        return fact_of_lanes(fs, v);
    case PTX_SR_LANEMASK_EQ:
    case PTX_SR_LANEMASK_LE:
    case PTX_SR_LANEMASK_LT:
    case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT: return fact_nothing();
    case PTX_SR_NTID_X: return fact_constant(b[0]);
    case PTX_SR_NTID_Y: return fact_constant(b[1]);
    case PTX_SR_NTID_Z: return fact_constant(b[2]);
    case PTX_SR_CTAID_X:
    case PTX_SR_NCTAID_X:
        fact_set_bounds(&f, true, 0, fs->shape.small_grid ? (1 << 30) / (int64_t)b[0] : INT32_MAX,
                        32);
        return f;
    case PTX_SR_CTAID_Y:
    case PTX_SR_CTAID_Z:
    case PTX_SR_NCTAID_Y:
    case PTX_SR_NCTAID_Z: fact_set_bounds(&f, true, 0, 65535, 32); return f;
    default: return f;
    }
}
