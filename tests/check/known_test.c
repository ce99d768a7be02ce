/* SPDX-License-Identifier: Apache-2.0
 *
 * What warps know of other blocks (struct known): joins against a table of the largest stamps, with
 * random entries; what is shared is not changed.
 */
#include "check/check_priv.h"

#include "common/unit.h"
#include <stdlib.h>

enum { BLOCKS = 5, WARPS = 3, TABLES = 8 };
typedef int64_t table[BLOCKS][WARPS]; /* -1: nothing is known */

static void
assert_says(const struct known *k, table t)
{
    for (uint64_t b = 0; b < BLOCKS; b++)
        for (uint32_t w = 0; w < WARPS; w++)
            assert_int_equal(known_of(k, b, w), t[b][w]);
}

/* One entry as a known; the only ones there are besides joins of them. */
static struct known *
one(uint64_t block, uint32_t warp, uint32_t stamp)
{
    struct known *k = calloc(1, sizeof *k + sizeof k->entry[0]);
    k->users = 1;
    k->count = 1;
    k->entry[0] = (struct known_entry){block << 6 | warp, stamp};
    return k;
}

static void
joins(void **unused)
{
    struct known *k[TABLES] = {NULL};
    static table t[TABLES];
    (void)unused;
    for (int n = 0; n < TABLES; n++)
        for (int b = 0; b < BLOCKS; b++)
            for (int w = 0; w < WARPS; w++)
                t[n][b][w] = -1;
    srand(7);
    for (int turn = 0; turn < 4000; turn++) {
        int to = rand() % TABLES, from = rand() % TABLES, b = rand() % BLOCKS, w = rand() % WARPS;
        uint32_t stamp = (uint32_t)rand() % 100;
        if (turn % 3) { /* of another table */
            k[to] = known_join(k[to], k[from]);
            for (int x = 0; x < BLOCKS; x++)
                for (int y = 0; y < WARPS; y++)
                    if (t[from][x][y] > t[to][x][y])
                        t[to][x][y] = t[from][x][y];
        } else {
            struct known *more = one((uint64_t)b, (uint32_t)w, stamp);
            k[to] = known_join(k[to], more);
            known_put(more);
            if (t[to][b][w] < (int64_t)stamp)
                t[to][b][w] = stamp;
        }
        if (turn % 50 == 0) { /* begins anew */
            known_put(k[to]);
            k[to] = NULL;
            for (int x = 0; x < BLOCKS; x++)
                for (int y = 0; y < WARPS; y++)
                    t[to][x][y] = -1;
        }
        for (int n = 0; n < TABLES; n++)
            assert_says(k[n], t[n]);
    }
    for (int n = 0; n < TABLES; n++)
        known_put(k[n]);
}

/* What is known of a block as a whole holds for each of its warps. */
static void
whole_blocks(void **unused)
{
    struct known *k = one(4, WHOLE, 10), *more = one(4, 1, 12);
    (void)unused;
    assert_int_equal(known_of(k, 4, 0), 10);
    assert_int_equal(known_of(k, 3, 0), -1);
    k = known_join(k, more);
    assert_int_equal(known_of(k, 4, 1), 12);
    assert_int_equal(known_of(k, 4, 2), 10);
    known_put(more);
    known_put(k);
}

int
main(void)
{
    return UNIT_TESTS(joins, whole_blocks);
}
