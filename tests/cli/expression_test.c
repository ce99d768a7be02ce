/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of `lockstep access`: random ones, written out and evaluated in the same order by C
 * on a tree; both sides of ?:, && and ||; what is wrong is named with its column.
 */
#include "cli/access/expression.h"

#include "common/unit.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct expression_variable variables[] = {
    {"t", 37}, {"threadIdx.x", 5}, {"n", -12}, {"threadIdx.xy", 900}};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static int64_t
value_of(const char *text)
{
    struct ls_error err = {0};
    int64_t out = 0;
    if (!expression_evaluate(text, variables, VARIABLES, &out, &err))
        fail_msg("%s: %s", text, err.text);
    return out;
}

/* C's own answers, and the expression as it is spelled there. */
#define SAME(expression) assert_int_equal(value_of(#expression), (int64_t)(expression))

static void
precedence(void **unused)
{
    int64_t t = 37, n = -12;
    (void)unused;
    SAME(2 + 3 * 4 - 10 / 3);
    SAME(100 - 10 - 1);
    SAME(64 / 4 / 2 % 5);
    SAME(n / 5 + n % 5);
    assert_int_equal(value_of("1 << 3 + 1"), 1 << 4);
    SAME(n >> 1);
    SAME((t & 6 | 8 ^ 3) == 14);
    assert_int_equal(value_of("t & 1 == 1"), t & 1);
    SAME(!t + ~t - -t);
    SAME(t > 3 && n < 0 || 0);
    SAME(t ? n ? 1 : 2 : 3);
    SAME(0 ? 1 : 0 ? 2 : 3);
    SAME(0xff - 0x10 * (t % 32 < 16));
    assert_int_equal(value_of("threadIdx.x"), 5);
    assert_int_equal(value_of("threadIdx.xy"), 900);
    assert_int_equal(value_of("9223372036854775807 + 1"), INT64_MIN);
}

struct tree {
    char text[512];
    int64_t value;
};

/* Fully in parentheses or not at all where that is the same: a sum of products. */
static struct tree
random_tree(int depth)
{
    struct tree r;
    if (depth == 0) {
        r.value = rand() % 100;
        snprintf(r.text, sizeof r.text, "%d", (int)r.value);
        return r;
    }
    struct tree a = random_tree(depth - 1), b = random_tree(depth - 1);
    uint64_t x = (uint64_t)a.value, y = (uint64_t)b.value;
    const char *op;
    switch (rand() % 7) {
    case 0: op = "+", r.value = (int64_t)(x + y); break;
    case 1: op = "-", r.value = (int64_t)(x - y); break;
    case 2: op = "*", r.value = (int64_t)(x * y); break;
    case 3: op = "^", r.value = a.value ^ b.value; break;
    case 4: op = "<", r.value = a.value < b.value; break;
    case 5: op = "!=", r.value = a.value != b.value; break;
    default: op = "|", r.value = a.value | b.value; break;
    }
    snprintf(r.text, sizeof r.text, rand() & 1 ? "(%.240s)%s(%.240s)" : " ( %.240s ) %s (%.240s)",
             a.text, op, b.text);
    return r;
}

static void
random_trees(void **unused)
{
    (void)unused;
    srand(11);
    for (int turn = 0; turn < 500; turn++) {
        struct tree r = random_tree(1 + turn % 4);
        assert_int_equal(value_of(r.text), r.value);
    }
}

/* What is not chosen is read, and its division by zero counts for nothing. */
static void
not_chosen(void **unused)
{
    (void)unused;
    assert_int_equal(value_of("1 ? 2 : 3 / 0"), 2);
    assert_int_equal(value_of("0 && 3 % 0"), 0);
    assert_int_equal(value_of("1 || 3 / 0"), 1);
    assert_int_equal(value_of("0 ? 1 / 0 : 4"), 4);
}

static void
wrong(void **unused)
{
    static const struct {
        const char *text, *said;
    } rows[] = {{"1 +", "column 4"},    {"(1", "column 3"},    {"3 / 0", "zero"},
                {"3 % (t-37)", "zero"}, {"what + 1", "what"},  {"1 2", "column 3"},
                {"", "column 1"},       {"1 ? 2", "column 6"}, {"0 ? 1 / 0 : what", "what"}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct ls_error err = {0};
        int64_t out;
        assert_false(expression_evaluate(rows[k].text, variables, VARIABLES, &out, &err));
        if (!strstr(err.text, rows[k].said))
            fail_msg("'%s': %s", rows[k].text, err.text);
    }
    char deep[1001] = {0};
    struct ls_error err = {0};
    int64_t out;
    memset(deep, '(', 1000);
    assert_false(expression_evaluate(deep, variables, VARIABLES, &out, &err));
}

int
main(void)
{
    return UNIT_TESTS(precedence, random_trees, not_chosen, wrong);
}
