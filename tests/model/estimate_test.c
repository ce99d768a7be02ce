/* SPDX-License-Identifier: Apache-2.0
 *
 * model_time_estimate against small networks worked by hand, and what must hold for all: never
 * below the bound, near it with many warps, never slower with more resident blocks; latencies by
 * generation.
 */
#include "common/unit.h"
#include <math.h>
#include <string.h>

#include "model/model.h"

/* One SM at 1 GHz: clocks are nanoseconds. */
static struct device_profile
one_sm(void)
{
    struct device_profile d = *model_find_cc("9.0");
    d.sm_count = 1;
    d.clock_khz = 1000000;
    return d;
}

static struct time_bound
bound_of(double issue, double dram)
{
    struct time_bound b = {.seconds = issue > dram ? issue : dram};
    b.each[BOUND_ISSUE] = issue;
    b.each[BOUND_DRAM] = dram;
    return b;
}

/* One resource, 1 clock a warp, a wait of 9: one warp at a time takes 10; two together (1 + 0.1) +
 * 9 for both; three: the queue that the third one meets is 2 / 10.1 * 1.1. */
static void
by_hand(void **unused)
{
    (void)unused;
    struct device_profile d = one_sm();
    struct waiting w = {.warp_clocks = 9, .block_clocks = 10, .warps_per_block = 1};
    double each[] = {10, 10.1 / 2, (9 + 1 + 2 / 10.1 * 1.1) / 3};
    for (uint32_t n = 1; n <= 3; n++) {
        struct work k = {.blocks = 60, .blocks_per_sm = n, .without = ~0u};
        struct time_bound b = bound_of(60e-9, 0);
        double t = model_time_estimate(&d, &k, &b, &w);
        double rounds = 60 / n * 10.0; /* blocks in rounds are slower than that */
        double right = 60 * each[n - 1] > rounds ? 60 * each[n - 1] : rounds;
        assert_true(fabs(t * 1e9 - right) < 1e-6);
    }
}

static void
limits(void **unused)
{
    (void)unused;
    struct device_profile d = one_sm();
    struct waiting w = {.warp_clocks = 400, .block_clocks = 420, .warps_per_block = 4};
    double before = 1;
    for (uint32_t n = 1; n <= 512; n *= 2) {
        struct work k = {.blocks = 4096, .blocks_per_sm = n, .without = ~0u};
        struct time_bound b = bound_of(4096 * 4 * 1e-9, 4096 * 2 * 1e-9);
        double t = model_time_estimate(&d, &k, &b, &w);
        assert_true(t >= b.seconds && t <= before);
        before = t;
        if (n == 512)
            assert_true(t < 1.05 * b.seconds);
    }
    struct work k = {.blocks = 1, .blocks_per_sm = 8};
    struct time_bound b = bound_of(4e-9, 0);
    assert_true(fabs(model_time_estimate(&d, &k, &b, &w) - 420e-9) < 1e-12);
    memset(&w, 0, sizeof w); /* not known: the bound */
    assert_true(model_time_estimate(&d, &k, &b, &w) == b.seconds);
    k.blocks = 0;
    assert_true(model_time_estimate(&d, &k, &b, &w) == b.seconds);
}

static void
generations(void **unused)
{
    static const struct {
        const char *cc;
        uint32_t arithmetic, l2;
    } rows[] = {{"1.0", 24, 0},  {"1.3", 24, 0},  {"2.1", 22, 300}, {"3.5", 11, 200},
                {"5.2", 6, 207}, {"6.1", 6, 234}, {"7.0", 4, 193},  {"7.2", 4, 193},
                {"7.5", 4, 188}, {"8.9", 4, 262}, {"9.0", 4, 262},  {"12.0", 4, 262}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct latencies *l = model_latencies(model_find_cc(rows[k].cc), ~0u);
        assert_int_equal(l->arithmetic, rows[k].arithmetic);
        assert_int_equal(l->l2, rows[k].l2);
        assert_true(l->memory > l->l2 && (l->l2 == 0 || l->l2 > l->l1));
    }
}

int
main(void)
{
    return UNIT_TESTS(by_hand, limits, generations);
}
