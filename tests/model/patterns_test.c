/* SPDX-License-Identifier: Apache-2.0
 *
 * The lectures' tables: transactions of three access patterns under four rule sets, banks of
 * strides with 16 and 32 banks, the modulo layout, tiles, constant and local memory. Expected
 * values are the lectures' or counted by hand here, never taken from the model.
 */
#include <string.h>
#include "common/unit.h"

#include "model/model.h"

static struct access_cost
cost_of(const char *cc, struct access a)
{
    struct access_cost cost;
    const struct device_profile *d = model_find_cc(cc);
    assert_non_null(d);
    model_access(d, &a, &cost);
    return cost;
}

static struct access
strided(enum access_space space, enum access_op op, uint32_t width, int64_t first, int64_t step)
{
    struct access a = {.space = space, .op = op, .width = width, .mask = UINT32_MAX};
    for (int i = 0; i < 32; i++)
        a.address[i] = (uint64_t)(first + step * i);
    return a;
}

/* -- lecture 003: "8x 32 B at 128" ------------------------------------------------------------- */

static void
expect_transactions(const char *cc, struct access a, const struct transaction *want, uint32_t n)
{
    struct access_cost cost = cost_of(cc, a);
    assert_int_equal(cost.transaction_count, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(cost.transactions[i].address, want[i].address);
        assert_int_equal(cost.transactions[i].size, want[i].size);
        assert_int_equal(cost.transactions[i].count, want[i].count);
    }
}

#define EXPECT(cc, a, ...)                                                                         \
    expect_transactions(cc, a, (struct transaction[]){__VA_ARGS__},                                \
                        sizeof(struct transaction[]){__VA_ARGS__} / sizeof(struct transaction))

static void
aligned_and_sequential(void **state)
{
    (void)state;
    struct access a = strided(ACCESS_GLOBAL, ACCESS_LOAD, 4, 128, 4);
    /* The lecture prints the line of the shuffled pattern here too; by the rules of 1.0 each
     * half-warp is one transaction. */
    EXPECT("1.0", a, {128, 64, 1}, {192, 64, 1});
    EXPECT("1.1", a, {128, 64, 1}, {192, 64, 1});
    EXPECT("1.2", a, {128, 64, 1}, {192, 64, 1});
    EXPECT("1.3", a, {128, 64, 1}, {192, 64, 1});
    EXPECT("2.0", a, {128, 128, 1});
    a.bypass_l1 = true;
    EXPECT("2.0", a, {128, 32, 1}, {160, 32, 1}, {192, 32, 1}, {224, 32, 1});
    EXPECT("3.5", a, {128, 32, 1}, {160, 32, 1}, {192, 32, 1}, {224, 32, 1});
    a.bypass_l1 = false;
    EXPECT("3.5", a, {128, 32, 1}, {160, 32, 1}, {192, 32, 1}, {224, 32, 1});
    a.use_l1 = true;
    EXPECT("3.5", a, {128, 128, 1});
    assert_int_equal(cost_of("9.0", a).sectors, 4);
}

static void
aligned_and_non_sequential(void **state)
{
    (void)state;
    struct access a = strided(ACCESS_GLOBAL, ACCESS_LOAD, 4, 128, 4);
    for (int i = 0; i < 32; i += 8) { /* neighbours swapped here and there */
        uint64_t t = a.address[i];
        a.address[i] = a.address[i + 3];
        a.address[i + 3] = t;
    }
    EXPECT("1.0", a, {128, 32, 8}, {160, 32, 8}, {192, 32, 8}, {224, 32, 8});
    EXPECT("1.1", a, {128, 32, 8}, {160, 32, 8}, {192, 32, 8}, {224, 32, 8});
    EXPECT("1.2", a, {128, 64, 1}, {192, 64, 1});
    EXPECT("1.3", a, {128, 64, 1}, {192, 64, 1});
    EXPECT("2.0", a, {128, 128, 1});
    a.bypass_l1 = true;
    EXPECT("2.0", a, {128, 32, 1}, {160, 32, 1}, {192, 32, 1}, {224, 32, 1});
    assert_int_equal(cost_of("9.0", a).sectors, 4);
}

static void
misaligned_and_sequential(void **state)
{
    (void)state;
    struct access a = strided(ACCESS_GLOBAL, ACCESS_LOAD, 4, 132, 4);
    EXPECT("1.0", a, {128, 32, 7}, {160, 32, 8}, {192, 32, 8}, {224, 32, 8}, {256, 32, 1});
    EXPECT("1.3", a, {128, 128, 1}, {192, 64, 1}, {256, 32, 1});
    EXPECT("2.0", a, {128, 128, 1}, {256, 128, 1});
    a.bypass_l1 = true;
    EXPECT("2.0", a, {128, 32, 1}, {160, 32, 1}, {192, 32, 1}, {224, 32, 1}, {256, 32, 1});
    assert_int_equal(cost_of("9.0", a).sectors, 5);
}

static void
other_widths(void **state)
{
    (void)state;
    EXPECT("1.0", strided(ACCESS_GLOBAL, ACCESS_LOAD, 8, 256, 8), {256, 128, 1}, {384, 128, 1});
    EXPECT("1.0", strided(ACCESS_GLOBAL, ACCESS_LOAD, 16, 512, 16), {512, 128, 1}, {640, 128, 1},
           {768, 128, 1}, {896, 128, 1});
    /* bytes never coalesce on 1.0; on 1.2 a half-warp of them is half a 32-byte segment */
    EXPECT("1.0", strided(ACCESS_GLOBAL, ACCESS_LOAD, 1, 0, 1), {0, 32, 32});
    EXPECT("1.2", strided(ACCESS_GLOBAL, ACCESS_LOAD, 1, 0, 1), {0, 32, 2});
    EXPECT("2.0", strided(ACCESS_GLOBAL, ACCESS_LOAD, 8, 0, 8), {0, 128, 1}, {128, 128, 1});
    struct access gap = strided(ACCESS_GLOBAL, ACCESS_LOAD, 4, 0, 4);
    gap.mask = 0xfffffffeu; /* a thread that sits out does no harm */
    EXPECT("1.0", gap, {0, 64, 1}, {64, 64, 1});
    gap.mask = 0;
    assert_int_equal(cost_of("1.0", gap).requests, 0);
    EXPECT("1.3", strided(ACCESS_GLOBAL, ACCESS_LOAD, 4, 0, 128), {0, 32, 1}, {128, 32, 1},
           {256, 32, 1}, {384, 32, 1}, {512, 32, 1}, {640, 32, 1}, {768, 32, 1}, {896, 32, 1},
           {1024, 32, 1}, {1152, 32, 1}, {1280, 32, 1}, {1408, 32, 1}, {1536, 32, 1}, {1664, 32, 1},
           {1792, 32, 1}, {1920, 32, 1}, {2048, 32, 1}, {2176, 32, 1}, {2304, 32, 1}, {2432, 32, 1},
           {2560, 32, 1}, {2688, 32, 1}, {2816, 32, 1}, {2944, 32, 1}, {3072, 32, 1}, {3200, 32, 1},
           {3328, 32, 1}, {3456, 32, 1}, {3584, 32, 1}, {3712, 32, 1}, {3840, 32, 1},
           {3968, 32, 1});
}

/* -- lecture 000: strides with 16 and 32 banks ------------------------------------------------- */

static uint32_t
greatest_divisor(uint32_t a, uint32_t b)
{
    return b ? greatest_divisor(b, a % b) : a;
}

static void
strides(void **state)
{
    (void)state;
    for (uint32_t stride = 1; stride <= 64; stride++) {
        struct access a = strided(ACCESS_SHARED, ACCESS_LOAD, 4, 0, 4 * (int64_t)stride);
        struct access_cost old = cost_of("1.3", a), now = cost_of("9.0", a);
        assert_int_equal(old.degree, greatest_divisor(stride, 16));
        assert_int_equal(old.wavefronts, 2 * greatest_divisor(stride, 16));
        assert_int_equal(now.degree, greatest_divisor(stride, 32));
        assert_int_equal(cost_of("2.0", a).degree, greatest_divisor(stride, 32));
    }
    struct access same = strided(ACCESS_SHARED, ACCESS_LOAD, 4, 64, 0);
    assert_int_equal(cost_of("1.0", same).degree, 1); /* broadcast */
    assert_int_equal(cost_of("9.0", same).degree, 1);
    /* two words of one bank, 8 threads each: 1.x broadcasts one word a step, 2.0 needs two too */
    for (int i = 0; i < 32; i++)
        same.address[i] = (uint64_t)(i & 1) * 128;
    assert_int_equal(cost_of("1.0", same).degree, 2);
    assert_int_equal(cost_of("2.0", same).degree, 2);
    /* two words of different banks: 1.x broadcasts only one of them, 8 steps would be a strict
     * count of the other; its lanes then are the broadcast word of step two */
    for (int i = 0; i < 32; i++)
        same.address[i] = (uint64_t)(i & 1) * 4;
    assert_int_equal(cost_of("1.0", same).degree, 2);
    assert_int_equal(cost_of("2.0", same).degree, 1);
}

/* -- lecture 002: char, int, double; x4; modulo ------------------------------------------------ */

static void
element_sizes(void **state)
{
    (void)state;
    struct access chars = strided(ACCESS_SHARED, ACCESS_STORE, 1, 0, 1);
    struct access ints = strided(ACCESS_SHARED, ACCESS_LOAD, 4, 0, 4);
    struct access doubles = strided(ACCESS_SHARED, ACCESS_LOAD, 8, 0, 8);
    /* "4-way": true on 1.x alone; since 2.0 one word serves all its bytes */
    assert_int_equal(cost_of("1.0", chars).degree, 4);
    assert_int_equal(cost_of("2.0", chars).degree, 1);
    assert_int_equal(cost_of("9.0", chars).degree, 1);
    assert_int_equal(cost_of("1.0", strided(ACCESS_SHARED, ACCESS_STORE, 1, 0, 4)).degree, 1);
    assert_int_equal(cost_of("1.0", ints).degree, 1);
    assert_int_equal(cost_of("3.5", ints).degree, 1);
    /* doubles, "2 way": 1.x only */
    struct access_cost old = cost_of("1.3", doubles);
    assert_int_equal(old.wavefronts, 8);
    assert_int_equal(old.wavefronts_ideal, 4);
    assert_int_equal(old.degree, 2);
    assert_int_equal(cost_of("2.0", doubles).bank_conflicts, 0);
    assert_int_equal(cost_of("9.0", doubles).bank_conflicts, 0);
    doubles.bank8 = true;
    assert_int_equal(cost_of("3.5", doubles).wavefronts, 1);
}

static void
modulo_layout(void **state)
{
    (void)state;
    static const uint32_t degree[4] = {1, 2, 1, 1}; /* "Max conflicts 1": not so in warp 1 */
    for (int warp = 0; warp < 4; warp++) {
        struct access a = {
            .space = ACCESS_SHARED, .op = ACCESS_STORE, .width = 1, .mask = UINT32_MAX};
        for (int i = 0; i < 32; i++)
            a.address[i] = (uint64_t)((warp * 32 + i) * 4 % 129);
        assert_int_equal(cost_of("5.0", a).degree, degree[warp]);
        assert_int_equal(cost_of("9.0", a).degree, degree[warp]);
        if (warp == 3) { /* the table's last row: thread 127, index 121, bank 30 */
            assert_int_equal(a.address[31], 121);
            assert_int_equal(model_shared_bank(model_find_cc("9.0"), false, 121), 30);
        }
    }
}

static void
tile_columns(void **state)
{
    (void)state;
    assert_int_equal(cost_of("3.5", strided(ACCESS_SHARED, ACCESS_LOAD, 4, 0, 128)).degree, 32 / 2);
    assert_int_equal(cost_of("2.0", strided(ACCESS_SHARED, ACCESS_LOAD, 4, 0, 128)).degree, 32);
    assert_int_equal(cost_of("9.0", strided(ACCESS_SHARED, ACCESS_LOAD, 4, 0, 128)).degree, 32);
    assert_int_equal(cost_of("2.0", strided(ACCESS_SHARED, ACCESS_LOAD, 4, 0, 132)).degree, 1);
    assert_int_equal(cost_of("9.0", strided(ACCESS_SHARED, ACCESS_LOAD, 4, 0, 132)).degree, 1);
}

/* -- constant, local, camping ------------------------------------------------------------------ */

static void
other_spaces(void **state)
{
    (void)state;
    struct access a = strided(ACCESS_CONSTANT, ACCESS_LOAD, 4, 0, 0);
    assert_int_equal(cost_of("9.0", a).wavefronts, 1);
    assert_int_equal(cost_of("1.0", a).wavefronts, 2); /* one per half-warp */
    a = strided(ACCESS_CONSTANT, ACCESS_LOAD, 4, 0, 4);
    assert_int_equal(cost_of("9.0", a).wavefronts, 32);
    /* all lanes at the same offset of their local memory: one line */
    a = strided(ACCESS_LOCAL, ACCESS_LOAD, 4, 40, 0);
    assert_int_equal(cost_of("9.0", a).sectors, 4);
    EXPECT("2.0", a, {1280, 128, 1});
    a.width = 8;
    assert_int_equal(cost_of("9.0", a).sectors, 8);
    a = strided(ACCESS_LOCAL, ACCESS_LOAD, 4, 0, 4); /* each lane at another element */
    assert_int_equal(cost_of("9.0", a).sectors, 32);
}

static void
camping(void **state)
{
    (void)state;
    const struct device_profile *gt200 = model_find_device("gt200");
    uint32_t column[8] = {0}, diagonal[8] = {0};
    for (uint64_t i = 0; i < 64; i++) { /* of a 2048-wide float matrix */
        column[model_partition(gt200, i * 2048 * 4)]++;
        diagonal[model_partition(gt200, i * 2048 * 4 + i * 256)]++;
        assert_int_equal(model_partition(model_find_cc("9.0"), i * 2048 * 4), 0);
    }
    assert_int_equal(model_partition(gt200, 256 * 9), 1);
    assert_int_equal(column[0], 64);
    for (int k = 0; k < 8; k++)
        assert_int_equal(diagonal[k], 8);
}

int
main(void)
{
    return UNIT_TESTS(aligned_and_sequential, aligned_and_non_sequential, misaligned_and_sequential,
                      other_widths, strides, element_sizes, modulo_layout, tile_columns,
                      other_spaces, camping);
}
