/* SPDX-License-Identifier: Apache-2.0
 *
 * threads.c: values that a thread's coordinates decide (fact.threads): the same in all lanes, plus
 * by[0] * tid.x + by[1] * tid.y + by[2] * tid.z.
 *
 * Rows of threads that are no power of two long lie across warps: tid.x and tid.y of a block of 20
 * x 20 follow no pattern that all warps share, but 4 * tid.x + 80 * tid.y does: threads are counted
 * through the rows, and so are the bytes of a tile as wide as the block.
 */
#include "analysis/facts_priv.h"

#include <string.h>

enum { BY_LIMIT = 1 << 28 };

/* The distance from each thread of the block to the next, in the unit of `by`; false: it is not the
 * same between all neighbours. */
static bool
by_next(const struct facts *fs, const int64_t by[3], int64_t *step)
{
    const uint32_t *dim = fs->shape.block;
    int64_t size = 1;
    bool any = false, ok = true;
    *step = 0;
    for (unsigned d = 0; d < 3; d++) {
        if (dim[d] > 1) { /* the coordinate is 0 otherwise */
            *step = any ? *step : by[d];
            ok &= by[d] == *step * size;
            any = true;
        }
        size *= dim[d];
    }
    return ok;
}

static bool
fact_by_threads(const struct facts *fs, const struct fact *f, int64_t by[3])
{
    const uint32_t *dim = fs->shape.block;
    memset(by, 0, 3 * sizeof *by);
    if (f->threads) {
        for (unsigned d = 0; d < 3; d++)
            by[d] = f->by[d];
        return true;
    }
    if (f->kind != FACT_SCALAR || f->guess)
        return false;
    int64_t step = f->pattern ? f->pattern[1] : 0, size = 1;
    for (unsigned l = 0; f->pattern && l < LANES; l++)
        if (f->pattern[l] != step * l)
            return false;
    for (unsigned d = 0; d < 3; d++) {
        by[d] = step * size;
        size *= dim[d];
    }
    return true;
}

bool
fact_set_threads(struct fact *f, const int64_t by[3])
{
    f->threads = false;
    memset(f->by, 0, sizeof f->by);
    for (unsigned d = 0; d < 3; d++)
        if (by[d] > BY_LIMIT || by[d] < -BY_LIMIT)
            return false;
    f->threads = true;
    for (unsigned d = 0; d < 3; d++)
        f->by[d] = (int32_t)by[d];
    return true;
}

void
fact_of_coordinate(struct fact *f, unsigned d)
{
    int64_t by[3] = {0, 0, 0};
    by[d] = 1;
    fact_set_threads(f, by);
}

/* Keeps f->by where a, a register's fact so far, and b grow alike with the thread's coordinates.
 * If a->threads is false, so is f's: else two writers of one register could set and clear it in
 * turn, and the analysis would not end. */
void
fact_join_threads(const struct facts *fs, struct fact *f, const struct fact *a,
                  const struct fact *b)
{
    int64_t x[3], y[3];
    f->threads = false;
    memset(f->by, 0, sizeof f->by);
    if (a->threads && fact_by_threads(fs, a, x) && fact_by_threads(fs, b, y) &&
        !memcmp(x, y, sizeof x))
        fact_set_threads(f, x);
}

/* What is known of f's value otherwise stays: bounds, and zeros of lane 0's lowest bits. */
void
fact_add_threads(struct facts *fs, struct fact *f, const struct fact *a, const struct fact *b,
                 int sign)
{
    int64_t x[3], y[3], step;
    f->threads = false;
    memset(f->by, 0, sizeof f->by);
    if ((!a->threads && !b->threads) || !fact_by_threads(fs, a, x) || !fact_by_threads(fs, b, y))
        return;
    for (unsigned d = 0; d < 3; d++)
        x[d] += sign * y[d];
    if (!fact_set_threads(f, x) || f->kind == FACT_SCALAR || !by_next(fs, x, &step) ||
        step > BY_LIMIT / LANES || step < -BY_LIMIT / LANES)
        return;
    int32_t *pattern = ARENA_ARRAY(&fs->arena, int32_t, LANES);
    for (unsigned l = 0; l < LANES; l++)
        pattern[l] = (int32_t)step * (int32_t)l;
    f->kind = FACT_SCALAR;
    f->segment = LANES;
    f->guess = false;
    f->sure = 0;
    f->pattern = step ? pattern : NULL;
    f->align = a->align < b->align ? a->align : b->align;
}
