/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of a thread as a GPU's compiler would give them, of kernels counted by hand: numbers
 * that are alive inside straight code count, parameters, predicates and the block's place do not.
 */
#include "common/unit.h"
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"

static bool
nothing_known(const char *name)
{
    (void)name;
    return false;
}

static uint32_t
registers_of(const char *text)
{
    struct ls_error err = {0};
    struct ptx_module *m = ptx_parse(text, strlen(text), "k.ptx", &err);
    struct wir *f = m ? wir_new(m, m->funcs[0], nothing_known, &err) : NULL;
    if (!f)
        fail_msg("%s", err.text);
    uint32_t n = analysis_registers(f);
    wir_free(f);
    ptx_free(m);
    return n;
}

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"          \
    ".reg .u64 %rd<4>; .reg .f32 %f<200>; .reg .pred %p<40>; .reg .u32 %r<9>;\n"                   \
    "ld.param.u64 %rd1, [p];\n"

/* `count` words are loaded, then added: all are alive at once. */
static uint32_t
loads(int count)
{
    char text[20000];
    int n = snprintf(text, sizeof text, "%s", HEAD);
    for (int k = 0; k < count; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "ld.global.f32 %%f%d, [%%rd1+%d];\n", k,
                      4 * k);
    for (int k = 1; k < count; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "add.f32 %%f0, %%f0, %%f%d;\n", k);
    snprintf(text + n, sizeof text - (size_t)n, "st.global.f32 [%%rd1], %%f0;\nret;\n}\n");
    return registers_of(text);
}

static void
straight_code(void **unused)
{
    (void)unused;
    assert_in_range(loads(64), 64, 72);
    assert_int_equal(loads(100) - loads(64), 36);
    assert_int_equal(loads(1), 8);
}

static void
elsewhere(void **unused)
{
    (void)unused;
    const char *places = HEAD "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
                              "mov.u32 %r3, %ctaid.y;\nmov.u32 %r4, %ntid.y;\n"
                              "setp.eq.u32 %p1, %r1, %r2;\nsetp.eq.u32 %p2, %r3, %r4;\n"
                              "setp.eq.u32 %p3, %r1, %r4;\n"
                              "@%p1 st.global.u32 [%rd1], 1;\n@%p2 st.global.u32 [%rd1], 2;\n"
                              "@%p3 st.global.u32 [%rd1], 3;\nret;\n}\n";
    assert_int_equal(registers_of(places), 8);
    const char *doubles = HEAD ".reg .f64 %fd<9>;\nld.global.f64 %fd1, [%rd1];\n"
                               "ld.global.f64 %fd2, [%rd1+8];\nld.global.f64 %fd3, [%rd1+16];\n"
                               "add.f64 %fd1, %fd1, %fd2;\nadd.f64 %fd1, %fd1, %fd3;\n"
                               "st.global.f64 [%rd1], %fd1;\nret;\n}\n";
    assert_int_equal(registers_of(doubles), 12); /* two each, and 6 */
}

/* Four addresses that are alive at once: of shared memory they take a register each, of global two.
 */
static void
shared_addresses(void **unused)
{
    (void)unused;
#define ADDRESSES(base, space)                                                                     \
    HEAD ".reg .b64 %a<9>;\n.shared .align 4 .b8 tile[64];\nmov.u32 %r1, %tid.x;\n"                \
         "cvt.u64.u32 %a5, %r1;\nmov.u64 %a0, " base ";\nadd.s64 %a1, %a0, %a5;\n"                 \
         "add.s64 %a2, %a1, %a5;\nadd.s64 %a3, %a2, %a5;\nadd.s64 %a4, %a3, %a5;\n"                \
         "st." space ".u32 [%a1], 1;\nst." space ".u32 [%a2], 1;\nst." space ".u32 [%a3], 1;\n"    \
         "st." space ".u32 [%a4], 1;\nret;\n}\n"
    assert_int_equal(registers_of(ADDRESSES("tile", "shared")), 12);
    assert_int_equal(registers_of(ADDRESSES("%rd1", "global")), 14);
}

int
main(void)
{
    return UNIT_TESTS(straight_code, elsewhere, shared_addresses);
}
