/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a kernel's addresses come from (src/analysis/pointers.c): words that are followed and words
 * that only look like pointers.
 */
#include "common/unit.h"

#include "analysis/analysis.h"

#include <stdio.h>
#include <string.h>

/* The words followed as bits, "loaded" as bit 63. Parameters: p, q, n of 8 bytes, s of 32. */
static uint64_t
found(const char *before, const char *body)
{
    char text[8192];
    struct ls_error err = {0};
    struct pointers p;
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n.global .b64 table[4];\n%s\n"
             ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 n, "
             ".param .align 8 .b8 s[32])\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<20>;\n"
             ".reg .b64 %%d<20>;\n.local .align 8 .b8 l[16];\n%s\nret;\n}\n",
             before, body);
    struct ptx_module *m = ptx_parse(text, strlen(text), "k.ptx", &err);
    if (!m)
        fail_msg("%s", err.text);
    const struct ptx_func *kernel = m->funcs[m->func_count - 1];
    if (!pointers_find(m, kernel, NULL, &p, &err))
        fail_msg("%s", err.text);
    assert_int_equal(p.words, 7);
    uint64_t set = p.loaded ? 1ull << 63 : 0;
    for (uint32_t k = 0; k < p.words; k++)
        set |= (uint64_t)p.word[k] << k;
    ls_release(p.word);
    ptx_free(m);
    return set;
}

enum { P = 1, Q = 2, N = 4, S0 = 8, S1 = 16, S2 = 32, S3 = 64, ALL = 127 };
#define LOADED (1ull << 63)
#define ARGS "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\nld.param.u64 %d3, [n];\n"

static void
sums_and_selections(void **state)
{
    (void)state;
    assert_int_equal(found("", ARGS), 0);
    assert_int_equal(found("", ARGS "st.global.u64 [%d1], %d3;\n"), P);
    assert_int_equal(found("", ARGS "cvta.to.global.u64 %d4, %d2;\nadd.s64 %d5, %d4, 8;\n"
                                    "atom.global.add.u32 %r1, [%d5+4], 1;\n"),
                     Q);
    assert_int_equal(found("", ARGS "setp.eq.u64 %p1, %d3, 0;\nselp.b64 %d4, %d1, %d2, %p1;\n"
                                    "ld.u32 %r1, [%d4];\n"),
                     P | Q);
}

static void
indices(void **state)
{
    (void)state;
    assert_int_equal(found("", ARGS "shl.b64 %d4, %d3, 2;\nadd.s64 %d5, %d1, %d4;\n"
                                    "ld.global.u32 %r1, [%d5];\n"),
                     P);
    assert_int_equal(found("", ARGS "mad.lo.s64 %d5, %d3, 4, %d2;\nld.global.u32 %r1, [%d5];\n"),
                     Q);
    assert_int_equal(found("", "mov.u32 %r1, %tid.x;\nmul.wide.u32 %d4, %r1, 4;\n"
                               "ld.param.u64 %d1, [p];\nadd.s64 %d5, %d1, %d4;\n"
                               "red.global.add.u32 [%d5], 1;\n"),
                     P);
}

static void
structs(void **state)
{
    (void)state;
    assert_int_equal(found("", "ld.param.u64 %d1, [s+8];\nld.global.u32 %r1, [%d1];\n"), S1);
    assert_int_equal(found("", "ld.param.v2.u64 {%d1, %d2}, [s+16];\nld.global.u32 %r1, [%d2];\n"),
                     S2 | S3);
    /* by its address: copied, with a constant added, with a number added */
    assert_int_equal(found("", "mov.b64 %d1, s;\nld.param.u64 %d2, [%d1+8];\n"
                               "ld.global.u32 %r1, [%d2];\n"),
                     S1);
    assert_int_equal(found("", "mov.b64 %d1, s;\nmov.u64 %d4, %d1;\nadd.s64 %d5, %d4, 16;\n"
                               "ld.param.u64 %d2, [%d5+8];\nld.global.u32 %r1, [%d2];\n"),
                     S3);
    assert_int_equal(found("", "mov.b64 %d1, s;\nld.param.u64 %d3, [n];\n"
                               "add.s64 %d4, %d1, %d3;\nld.param.u64 %d2, [%d4+8];\n"
                               "ld.global.u32 %r1, [%d2];\n"),
                     ALL | LOADED);
    /* one of two; past its end */
    assert_int_equal(found("", "mov.b64 %d1, s;\nsetp.eq.u64 %p1, %d3, 0;\n"
                               "@%p1 add.s64 %d1, %d1, 8;\nld.param.u64 %d2, [%d1+8];\n"
                               "ld.global.u32 %r1, [%d2];\n"),
                     ALL | LOADED);
    assert_int_equal(found("", "mov.b64 %d1, s;\nld.param.u64 %d2, [%d1+32];\n"
                               "ld.global.u32 %r1, [%d2];\n"),
                     ALL | LOADED);
}

static void
memory(void **state)
{
    (void)state;
    assert_int_equal(found("", "mov.u64 %d1, table;\nld.global.u64 %d2, [table+8];\n"
                               "ld.global.u32 %r1, [%d2];\n"),
                     LOADED);
    /* a parameter by way of local memory; %d3 is stored, too */
    assert_int_equal(found("", ARGS "st.local.u64 [l], %d1;\nst.local.u64 [l+8], %d3;\n"
                                    "ld.local.u64 %d4, [l];\nst.global.u32 [%d4], 1;\n"),
                     P | N | LOADED);
    /* what is loaded is no pointer; what shared memory holds is not the device's */
    assert_int_equal(found("", ARGS "ld.global.u64 %d4, [%d1];\nst.global.u64 [%d2], %d4;\n"),
                     P | Q);
    assert_int_equal(found("", "ld.param.u64 %d1, [p];\nld.shared.u32 %r1, [%d1];\n"), 0);
}

static void
calls(void **state)
{
    (void)state;
    static const char inlined[] =
        ".func (.param .b32 r) at(.param .b64 a)\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"
        "ld.param.u64 %d1, [a];\nld.global.u32 %r1, [%d1];\nst.param.b32 [r], %r1;\nret;\n}\n";
    assert_int_equal(found(inlined, ARGS "{\n.param .b64 a;\n.param .b32 r;\n"
                                         "st.param.b64 [a], %d2;\ncall (r), at, (a);\n"
                                         "ld.param.b32 %r1, [r];\n}\n"),
                     Q);
    assert_int_equal(found("", "mov.b64 {%r1, %r2}, 7;\nmov.b64 %d1, {%r1, %r2};\n"
                               "ld.global.u32 %r3, [%d1];\n"),
                     ALL | LOADED);
}

int
main(void)
{
    return UNIT_TESTS(sums_and_selections, indices, structs, memory, calls);
}
