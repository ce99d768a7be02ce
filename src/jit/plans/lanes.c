/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/lanes.c: how the lanes of an access lie: runs of lanes at one address or at consecutive
 * ones, words a few words apart.
 */
#include "jit/plans/plans.h"

bool
runs_find(const struct fact *f, unsigned step, struct runs *out)
{
    out->run = 0;
    for (unsigned run = f->segment; run >= 4; run /= 2) {
        bool ok = true;
        for (unsigned g = 0; ok && g < LANES; g += run) {
            bool same = true, next = true;
            for (unsigned l = 1; l < run; l++) {
                int32_t d = fact_offset(f, g + l) - fact_offset(f, g);
                same &= d == 0;
                next &= d == (int32_t)(l * step);
            }
            ok = same || next;
            out->start[g / run] = fact_offset(f, g);
            out->broadcast[g / run] = same;
        }
        if (ok) {
            out->run = run;
            return true;
        }
    }
    return false;
}

void
runs_cut(const struct fact *f, unsigned most, struct runs *r)
{
    for (; r->run > most; r->run /= 2)
        for (unsigned g = LANES / r->run; g-- > 0;) {
            r->broadcast[2 * g] = r->broadcast[2 * g + 1] = r->broadcast[g];
            r->start[2 * g] = fact_offset(f, g * r->run);
            r->start[2 * g + 1] = fact_offset(f, g * r->run + r->run / 2);
        }
}

bool
strided_find(const struct fact *f, unsigned first, struct strided *out)
{
    enum { HALF = STRIDED_HALF, WORD = 4 };
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (unsigned l = first; l < first + HALF; l++) {
        low = fact_offset(f, l) < low ? fact_offset(f, l) : low;
        high = fact_offset(f, l) > high ? fact_offset(f, l) : high;
    }
    int32_t words = (high - low) / WORD + 1;
    if (words <= HALF || words > STRIDED_VECTORS * HALF)
        return false;
    for (unsigned l = 0; l < HALF; l++) {
        int32_t from = fact_offset(f, first + l) - low, at = from / WORD / HALF, start = at * HALF;
        if (from % WORD)
            return false;
        start =
            start + HALF > words ? words - HALF : start; /* nothing beyond the last lane is read */
        for (int p = 0; p < 2; p++)
            out->pick[p][l] = at / 2 == p ? from / WORD - start + at % 2 * HALF : -1;
        out->blend[l] = (int32_t)l + at / 2 * HALF;
    }
    out->low = low;
    out->vectors = (unsigned)(words + HALF - 1) / HALF;
    for (unsigned k = 0; k < out->vectors; k++)
        out->start[k] = (int32_t)k * HALF + HALF > words ? words - HALF : (int32_t)k * HALF;
    return true;
}

bool
strided_alike(const struct fact *f)
{
    bool same = true;
    for (unsigned l = 0; l < LANES / 2; l++)
        same &= fact_offset(f, l) == fact_offset(f, l + LANES / 2);
    return same;
}

bool
fields_find(const struct fact *f, unsigned bytes, struct fields *out)
{
    enum { LINE = 64 };
    const int32_t step = fact_offset(f, 1), apart = step < 0 ? -step : step;
    if (f->segment != LANES || apart % (int32_t)bytes || step == (int32_t)bytes ||
        apart < (int32_t)bytes || apart > LINE)
        return false;
    for (int32_t l = 0; l < LANES; l++)
        if (fact_offset(f, (unsigned)l) != l * step)
            return false;
    const unsigned span = (LANES - 1) * (unsigned)apart + bytes;
    out->bytes = span < LINE ? LINE / 2 : LINE;
    const unsigned each = (out->bytes - bytes) / (unsigned)apart + 1;
    out->vectors = (LANES + each - 1) / each;
    if (out->vectors > FIELD_VECTORS)
        return false;
    const int32_t low = step < 0 ? (LANES - 1) * step : 0;
    for (unsigned k = 0; k < out->vectors; k++) {
        unsigned start = k * each * (unsigned)apart, last = span - out->bytes;
        out->start[k] = low + (int32_t)(start < last ? start : last);
    }
    for (unsigned l = 0; l < LANES; l++) {
        out->of[l] = (step < 0 ? LANES - 1 - l : l) / each;
        out->pick[l] = (fact_offset(f, l) - out->start[out->of[l]]) / (int32_t)bytes;
    }
    return true;
}
