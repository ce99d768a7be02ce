/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures that several views show: which padding takes conflicts away, against all strides counted
 * by hand; titles and suppressions of findings; places for continuous integration.
 */
#include "report/ci.h"
#include "report/report.h"

#include "common/unit.h"
#include <string.h>

/* Most lanes on one of 32 banks of 4 bytes: lane l reads the word l * stride. */
static uint32_t
degree(uint32_t stride)
{
    uint32_t lanes[32] = {0}, most = 0;
    for (uint32_t l = 0; l < 32; l++)
        if (++lanes[l * stride % 32] > most)
            most = lanes[l * stride % 32];
    return most;
}

static void
padding(void **unused)
{
    const struct device_profile *d = model_find_device("h200");
    (void)unused;
    assert_non_null(d);
    for (uint32_t stride = 2; stride < 130; stride++) {
        struct access a = {.space = ACCESS_SHARED, .op = ACCESS_LOAD, .width = 4, .mask = ~0u};
        uint64_t row = 0;
        for (uint32_t l = 0; l < 32; l++)
            a.address[l] = 4 * l * stride;
        uint32_t pad = report_padding(d, &a, &row);
        assert_int_equal(row, 4 * stride);
        assert_int_equal(pad, degree(stride + 1) == 1 ? 4 : 0);
    }
}

static void
findings(void **unused)
{
    json_t *f = json_pack("{s:s,s:s,s:s,s:{s:s,s:i,s:s}}", "kind", "shared-race", "kernel", "tiled",
                          "message", "m", "access", "file", "nowhere/k.cu", "line", 12, "function",
                          "tiled");
    struct text t = {0};
    struct arena arena = {0};
    (void)unused;
    assert_string_equal(report_finding_title("shared-race"), "Race in shared memory");
    assert_string_equal(report_title(f), "Race in shared memory");
    json_object_set_new(f, "title", json_string("Another"));
    assert_string_equal(report_title(f), "Another");
    report_suppression(f, &t);
    assert_non_null(strstr(t.at, "shared-race"));
    assert_non_null(strstr(t.at, "k.cu"));
    struct ci_run r = {.result = NULL, .program = "p.cu"};
    struct ci_place p = ci_place_of(&r, f, &arena);
    assert_string_equal(p.path, "nowhere/k.cu");
    assert_int_equal(p.line, 12);
    assert_true(p.in_root);
    text_free(&t);
    arena_free(&arena);
    json_decref(f);
}

int
main(void)
{
    return UNIT_TESTS(padding, findings);
}
