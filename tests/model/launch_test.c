/* SPDX-License-Identifier: Apache-2.0
 *
 * What launches cost: an H200's times of kernels that do next to nothing, which the two figures of
 * model_launches.def come from, and of others, held back; generations that are not known get
 * nothing.
 */
#include "common/unit.h"
#include <math.h>

#include "model/model.h"

/* Blocks and microseconds by tests/data/h200_model_times.csv; the work is none, or little. */
static void
recorded(void **unused)
{
    static const struct {
        const char *rung;
        uint64_t blocks;
        double measured, within;
    } rows[] = {
        {"limits/folded", 125001, 77.13, 0.02},      {"barriers/lifted", 62501, 39.65, 0.02},
        {"strides/int", 31251, 20.85, 0.02},         {"difference/naive", 31251, 21.25, 0.05},
        {"coalescing/permuted", 31251, 20.81, 0.05}, {"picture/scale", 4096, 4.52, 0.05}};
    const struct device_profile *d = model_find_device("h200");
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct work w = {.blocks = rows[k].blocks};
        double t = 1e6 * model_time_launch(d, &w, NULL, 0);
        if (fabs(t / rows[k].measured - 1) > rows[k].within)
            fail_msg("%s: %.2f us, measured %.2f", rows[k].rung, t, rows[k].measured);
    }
}

static void
parts(void **unused)
{
    const struct device_profile *d = model_find_device("h200"), *old = model_find_cc("1.3");
    struct work w = {.blocks = 1000};
    double alone = model_launch_cost(d).seconds;
    (void)unused;
    assert_true(fabs(model_time_launch(d, &w, NULL, 1e-3) - 1e-3 - alone) <
                1e-12); /* the work is longer */
    assert_true(fabs(model_time_launch(d, &w, NULL, 0) - model_starts(d, &w) - alone) < 1e-12);
    assert_true(model_time_launch(old, &w, NULL, 5e-6) == 5e-6);
    struct waiting block = {.block_clocks = 1980}; /* a microsecond: the last block's own */
    assert_true(fabs(model_time_launch(d, &w, &block, 0) - model_starts(d, &w) - 1e-6 - alone) <
                1e-12);
    assert_true(model_time_launch(old, &w, &block, 5e-6) == 5e-6);
}

int
main(void)
{
    return UNIT_TESTS(recorded, parts);
}
