/* SPDX-License-Identifier: Apache-2.0
 *
 * How sources are changed for clang: launches from kernels, and from nowhere else; strings and
 * comments are passed by; lines stay what they are.
 */
#include "cc/cc_priv.h"

#include "common/unit.h"
#include <string.h>

static void
launches(void **unused)
{
    static const struct {
        const char *text, *becomes; /* NULL: nothing is to be changed */
    } rows[] = {
        {"void f() { k<<<1, 2>>>(a); }", NULL},
        {"__global__ void p(int *a) { a[0] = 1 << 2; }", NULL},
        {"__global__ void p();\nvoid f() { k<<<1, 2>>>(a); }", NULL},
        {"__global__ void p() { k<<<1, 2>>>(a); }",
         "__global__ void p() { LOCKSTEP_NESTED(1, k)<<<1, 2>>>(a); }"},
        {"__device__ void p() { k<<<1, 2>>>(); }",
         "__device__ void p() { LOCKSTEP_NESTED(0, k)<<<1, 2>>>(); }"},
        {"__global__ void p() { k<<<g(1, 2), 2>>>(a, f(b, c), (d, e)); }",
         "__global__ void p() { LOCKSTEP_NESTED(3, k)<<<g(1, 2), 2>>>(a, f(b, c), (d, e)); }"},
        {"__global__ void p() { k<<<1, 2>>>(\",\", ')' /* , */); }",
         "__global__ void p() { LOCKSTEP_NESTED(2, k)<<<1, 2>>>(\",\", ')' /* , */); }"},
        {"__global__ void p() { n::k<int, 3><<<1, 2>>>(a); }",
         "__global__ void p() { LOCKSTEP_NESTED(1, n::k<int, 3>)<<<1, 2>>>(a); }"},
        {"__global__ void p() { /* k<<<1, 2>>>(a); */ }", NULL},
        {"__global__ void p() { s = \"k<<<1, 2>>>(a)\"; }", NULL},
        {"__global__ void p() { k<<<1,\n2>>>(a,\nb); }\nvoid f() { k<<<1, 2>>>(a); }",
         "__global__ void p() { LOCKSTEP_NESTED(2, k)<<<1,\n2>>>(a,\nb); }\n"
         "void f() { k<<<1, 2>>>(a); }"},
    };
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        size_t size = 0;
        char *text = cc_nested_launches(rows[k].text, &size);
        if (!rows[k].becomes && text)
            fail_msg("%s became %s", rows[k].text, text);
        if (rows[k].becomes) {
            assert_non_null(text);
            assert_string_equal(text, rows[k].becomes);
            assert_int_equal(size, strlen(text));
        }
        ls_release(text);
    }
}

static void
quoted(void **unused)
{
    static const struct {
        const char *text;
        size_t past;
    } rows[] = {{"a", 0},         {"\"a\\\"b\"c", 6}, {"'\\''x", 4},
                {"/* \" */x", 7}, {"// \"\nx", 4},    {"/ 2", 0}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        assert_int_equal(cc_skip_quoted(rows[k].text, rows[k].text) - rows[k].text, rows[k].past);
}

int
main(void)
{
    return UNIT_TESTS(launches, quoted);
}
