/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands in the checker's words: fields of a mark beside each other, marks of shared memory
 * unpacked, second lanes; which of two accesses a warp has ordered by itself, against its rule
 * spelled out; what the tool's options are; and a tool opened and closed leaves nothing behind
 * (under the address sanitizer).
 */
#include "check/check_priv.h"
#include "check/findings.h"
#include "check/shared_cells.h"

#include "common/unit.h"
#include <stdlib.h>
#include <string.h>

struct fields {
    uint32_t work, block, warp, lane, lane2, stamp, place;
};

static struct fields
random_fields(void)
{
    return (struct fields){(uint32_t)rand() & 0x3fffff, (uint32_t)rand() * 2u + 1u,
                           (uint32_t)rand() & 31,       (uint32_t)rand() & 31,
                           (uint32_t)rand() & 31,       (uint32_t)rand() & 0xffffff,
                           (uint32_t)rand() & 0x3fffff};
}

static const uint64_t flags = MARK_MANY | MARK_STRONG | MARK_CTA | MARK_VOLATILE | MARK_SEEN |
                              MARK_REPORTED | MARK_FENCED | MARK_FENCED_BLOCK | MARK_WRITTEN |
                              MARK_UNSET;

static void
fields_lie_apart(void **unused)
{
    (void)unused;
    srand(3);
    for (int turn = 0; turn < 2000; turn++) {
        struct fields f = random_fields();
        struct mark m = {(uint64_t)f.work << WORK_SHIFT | (uint64_t)f.block << BLOCK_SHIFT |
                             f.warp << WARP_SHIFT | f.lane,
                         (uint64_t)f.stamp << STAMP_SHIFT | (uint64_t)f.place << PLACE_SHIFT |
                             f.lane2 << LANE2_SHIFT | flags};
        assert_int_equal(mark_work(&m), f.work);
        assert_int_equal(mark_block(&m), f.block);
        assert_int_equal(mark_warp(&m), f.warp);
        assert_int_equal(mark_lane(&m), f.lane);
        assert_int_equal(mark_lane2(&m), f.lane2);
        assert_int_equal(mark_stamp(&m), f.stamp);
        assert_int_equal(mark_place(&m), f.place);
        assert_int_equal(m.when & flags, flags);
    }
}

static uint64_t
packed(const struct fields *f, uint64_t more)
{
    return (uint64_t)f->stamp << STAMP_SHIFT | (uint64_t)f->place << PLACE_SHIFT |
           (uint64_t)f->warp << PACK_WARP | (uint64_t)f->lane << PACK_LANE | more;
}

/* A mark of shared memory says of itself what it says once it stands in device memory's form. */
static void
unpacks(void **unused)
{
    enum { PLACES = 8, VOLATILE_PLACE = 5 };
    struct place_facts facts[PLACES] = {[VOLATILE_PLACE] = {.flags = PLACE_VOLATILE}};
    struct launch launch = {.work = 77};
    struct jit_block block = {.index = 1234};
    struct block_state b = {.facts = facts, .launch = &launch, .block = &block};
    (void)unused;
    srand(5);
    for (int turn = 0; turn < 2000; turn++) {
        struct fields f = random_fields();
        bool many = turn & 1, strong = turn & 2, fenced = turn & 4, cluster = turn & 8;
        f.place %= PLACES;
        uint64_t low = many ? PACK_MANY | (uint64_t)f.lane2 << PACK_LANE2
                            : (strong ? PACK_STRONG : 0u) | (fenced ? PACK_FENCED : 0u) |
                                  (cluster ? PACK_FENCED_CLUSTER : 0u);
        struct mark m = unpack(&b, packed(&f, low));
        assert_int_equal(mark_work(&m), 77);
        assert_int_equal(mark_block(&m), 1234);
        assert_int_equal(mark_warp(&m), f.warp);
        assert_int_equal(mark_lane(&m), f.lane);
        assert_int_equal(mark_stamp(&m), f.stamp);
        assert_int_equal(mark_place(&m), f.place);
        assert_int_equal(!!(m.when & MARK_MANY), many);
        assert_int_equal(!!(m.when & MARK_VOLATILE), f.place == VOLATILE_PLACE);
        if (many)
            assert_int_equal(mark_lane2(&m), f.lane2);
        if (!many) {
            assert_int_equal(!!(m.when & MARK_FENCED_BLOCK), fenced);
            assert_int_equal(!!(m.when & MARK_FENCED_CLUSTER), cluster);
        }
    }
}

/* Another lane than the new mark's own: the old one's, or the one that the old one had beside it.
 */
static void
second_lanes(void **unused)
{
    (void)unused;
    for (uint32_t a = 0; a < 32; a++)
        for (uint32_t b = 0; b < 32; b++) {
            uint64_t old = (uint64_t)a << PACK_LANE | PACK_MANY | 7u << PACK_LANE2;
            uint64_t m = pack_second(old, (uint64_t)b << PACK_LANE);
            assert_int_equal(m & PACK_MANY, PACK_MANY);
            assert_int_equal(m >> PACK_LANE2 & 31, a == b ? 7 : a);
        }
}

static void
own_accesses(void **unused)
{
    (void)unused;
    srand(9);
    for (int turn = 0; turn < 20000; turn++) {
        struct fields x = random_fields(), y = random_fields(), met = random_fields();
        bool x_many = rand() & 1, y_many = rand() & 1, transfer = rand() % 8 == 0;
        if (rand() & 3)
            y.warp = x.warp;
        if (rand() & 1)
            y.lane = x.lane;
        x.stamp &= 0x7fffff; /* bit 63 is a transfer's */
        uint64_t old = packed(&x, x_many ? PACK_MANY : 0) | (uint64_t)transfer << 63;
        uint64_t new = packed(&y, y_many ? PACK_MANY : 0);
        bool warps_met = old < (uint64_t)met.stamp << STAMP_SHIFT;
        bool one_lane = x.lane == y.lane && !x_many && !y_many;
        assert_int_equal(pack_is_own(old, new, (uint64_t)met.stamp << STAMP_SHIFT),
                         !transfer && x.warp == y.warp && (warps_met || one_lane));
    }
}

static void
options(void **unused)
{
    static const struct {
        const char *text;
        uint32_t groups; /* 0: refused */
        const char *named;
    } rows[] = {{"race", CHECK_RACE, NULL},
                {"race,sync", CHECK_RACE | CHECK_SYNC, NULL},
                {"leak,api,bounds,init", CHECK_LEAK | CHECK_API | CHECK_BOUNDS | CHECK_INIT, NULL},
                {"", 0, "nothing"},
                {"rac", 0, "\"rac\""},
                {"races", 0, "\"races\""},
                {"race,,sync", 0, "\"\""}};
    const struct device_profile *d = model_find_device("h200");
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct ls_error err = {0};
        uint32_t groups;
        assert_int_equal(check_parse_groups(rows[k].text, &groups, &err), rows[k].groups != 0);
        if (rows[k].groups)
            assert_int_equal(groups, rows[k].groups);
        else
            assert_non_null(strstr(err.text, rows[k].named));
    }
    for (const char *const *wrong =
             (const char *[]){"only=rac", "skip=x", "colour=red", "depth=3", NULL};
         *wrong; wrong++) {
        struct ls_error err = {0};
        assert_null(check_open(d, *wrong, &err));
        assert_true(err.text[0]);
    }
}

static void
opened_and_closed(void **unused)
{
    struct ls_error err = {0};
    (void)unused;
    struct jit_tool *t = check_open(model_find_device("gtx1080"),
                                    "only=race,leak;kernel=tile;skip=1;count=2;memory=64", &err);
    assert_non_null(t);
    char *text = check_write(t, true);
    json_t *j = json_loads(text, 0, NULL);
    assert_non_null(j);
    assert_int_equal(json_array_size(json_object_get(j, "findings")), 0);
    assert_string_equal(json_string_value(json_object_get(json_object_get(j, "device"), "cc")),
                        "6.1");
    assert_true(json_is_true(json_object_get(j, "complete")));
    json_decref(j);
    free(text);
    check_close(t);
}

/* A read of what nobody wrote is left out where a race at the same line is told of. */
static void
explained_reads(void **unused)
{
    struct check_totals totals = {.device = "X", .cc = "9.0", .launches = 3, .checked = 2};
    (void)unused;
    for (int line = 11; line < 13; line++) {
        json_t *all = json_pack(
            "[{s:s,s:s,s:{s:s,s:s,s:i},s:n}, {s:s,s:s,s:{s:s,s:s,s:i},s:{s:s,s:s,s:i}}]", "kind",
            "uninitialized", "severity", "warning", "access", "file", "k.cu", "kernel", "k", "line",
            line, "other", "kind", "shared-race", "severity", "error", "access", "file", "k.cu",
            "kernel", "k", "line", 10, "other", "file", "k.cu", "kernel", "k", "line", 11);
        assert_non_null(all);
        char *text = result_text(all, &totals);
        json_t *j = json_loads(text, 0, NULL), *sum = json_object_get(j, "summary");
        assert_int_equal(json_array_size(json_object_get(j, "findings")), line == 11 ? 1 : 2);
        assert_int_equal(json_integer_value(json_object_get(sum, "errors")), 1);
        assert_int_equal(json_integer_value(json_object_get(sum, "warnings")), line == 11 ? 0 : 1);
        json_decref(j);
        free(text);
    }
}

int
main(void)
{
    return UNIT_TESTS(fields_lie_apart, unpacks, second_lanes, own_accesses, options,
                      opened_and_closed, explained_reads);
}
