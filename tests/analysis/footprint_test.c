/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes a block may touch (src/analysis/footprint.c): intervals worked out by hand, every way
 * in which 32-bit arithmetic may wrap, and kernels of which nothing may be said. Then random sums
 * beside the addresses that all threads of all blocks really have.
 */
#include "common/unit.h"

#include "analysis/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
find(const char *body, uint32_t blocks, const uint32_t block[3], struct footprint *out)
{
    char text[8192];
    struct ls_error err = {0};
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n.global .b32 table[64];\n"
             ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
             ".reg .pred %%p<4>;\n.reg .b32 %%r<20>;\n.reg .b64 %%d<20>;\n.reg .f32 %%f<8>;\n"
             ".shared .b32 s[64];\n%s\nret;\n}\n",
             body);
    struct ptx_module *m = ptx_parse(text, strlen(text), "k.ptx", &err);
    if (!m)
        fail_msg("%s", err.text);
    uint32_t grid[3] = {blocks, 1, 1};
    bool found = footprint_find(m->funcs[0], grid, block, out);
    ptx_free(m);
    return found;
}

static const uint32_t row[3] = {256, 1, 1};

#define INDEX                                                                                      \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"                        \
    "mad.lo.s32 %r4, %r1, %r2, %r3;\nld.param.u64 %d1, [in];\nld.param.u64 %d2, [out];\n"          \
    "cvta.to.global.u64 %d3, %d1;\ncvta.to.global.u64 %d4, %d2;\n"

static void
is(const struct footprint *f, uint32_t k, uint32_t param, bool write, int64_t step, int64_t low,
   int64_t high)
{
    assert_true(k < f->count);
    assert_int_equal(f->at[k].param, param);
    assert_int_equal(f->at[k].write, write);
    assert_int_equal(f->at[k].step, step);
    assert_int_equal(f->at[k].low, low);
    assert_int_equal(f->at[k].high, high);
}

static void
intervals(void **state)
{
    struct footprint f;
    assert_true(
        find(INDEX
             "mul.wide.s32 %d5, %r4, 4;\nadd.s64 %d6, %d3, %d5;\nadd.s64 %d7, %d4, %d5;\n"
             "ld.global.f32 %f1, [%d6+-4];\nld.global.f32 %f2, [%d6+4];\n"
             "setp.lt.s32 %p1, %r4, 9;\n@%p1 bra DONE;\nst.global.v2.f32 [%d7], {%f1, %f2};\nDONE:",
             1000, row, &f));
    assert_int_equal(f.count, 2);
    is(&f, 0, 0, false, 1024, -4, 1028);
    is(&f, 1, 8, true, 1024, 0, 1020 + 8);
    /* Rows of a block; shifts, differences, an `or` that adds; generic addresses; two steps. */
    assert_true(find(
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.y;\nshl.b32 %r4, %r1, 8;\n"
        "shl.b32 %r5, %r3, 4;\nor.b32 %r6, %r5, %r2;\nsub.s32 %r7, %r4, %r6;\nadd.s32 %r8, %r7, "
        "100;\n"
        "ld.param.u64 %d1, [out];\ncvt.s64.s32 %d2, %r8;\nshl.b64 %d3, %d2, 3;\nadd.s64 %d4, %d3, "
        "%d1;\n"
        "ld.u16 %r9, [%d4];\nmul.wide.u32 %d5, %r6, 2;\nadd.s64 %d6, %d1, %d5;\nst.u8 [%d6+1], "
        "%r9;",
        77, (uint32_t[]){16, 12, 1}, &f));
    assert_int_equal(f.count, 2);
    is(&f, 0, 8, false, 2048, 8 * (100 - 11 * 16 - 15), 8 * 100 + 2);
    is(&f, 1, 8, true, 0, 1, 2 * (11 * 16 + 15) + 2);
}

static void
nothing(void **state)
{
    struct footprint f;
    static const char *const bodies[] = {
        "ld.global.u32 %r5, [%d3];\nmul.wide.s32 %d5, %r5, 4;\nadd.s64 %d6, %d3, "
        "%d5;\nst.global.u32 [%d6], 1;",
        "L:\nst.global.u32 [%d3], 1;\nsetp.lt.s32 %p1, %r4, 9;\n@%p1 bra L;",
        "st.volatile.global.u32 [%d3], 1;",
        "ld.relaxed.gpu.global.u32 %r5, [%d3];",
        "atom.global.add.u32 %r5, [%d3], 1;",
        "red.global.add.u32 [%d3], 1;",
        "st.global.u32 [%d3], 1;\nbar.sync 0;",
        "st.global.u32 [%d3], 1;\nst.shared.u32 [s], 1;",
        "st.global.u32 [%d3], 1;\nmembar.gl;",
        "st.global.u32 [%d3], 1;\ntrap;",
        "st.global.u32 [%d3], 1;\nactivemask.b32 %r5;",
        "st.global.u32 [table], 1;",
        "mov.u64 %d5, table;\nst.global.u32 [%d5], 1;",
        "mov.u64 %d5, 4096;\nst.global.u32 [%d5], 1;",
        /* written twice, by some lanes, not by addition */
        "mov.u64 %d5, %d3;\n@%p1 add.s64 %d5, %d5, 64;\nst.global.u32 [%d5], 1;",
        "@%p1 add.s64 %d5, %d3, 64;\nst.global.u32 [%d5], 1;",
        "selp.b64 %d5, %d3, %d4, %p1;\nst.global.u32 [%d5], 1;",
        "add.s64 %d5, %d3, %d4;\nst.global.u32 [%d5], 1;",
        "sub.s64 %d5, %d3, %d4;\nst.global.u32 [%d5], 1;",
        "and.b32 %r5, %r4, 255;\nmul.wide.u32 %d5, %r5, 4;\nadd.s64 %d6, %d3, %d5;\nst.global.u32 "
        "[%d6], 1;",
        "or.b32 %r5, %r4, 256;\nmul.wide.u32 %d5, %r5, 4;\nadd.s64 %d6, %d3, %d5;\nst.global.u32 "
        "[%d6], 1;",
        "ld.param.u32 %r5, [n];\nadd.s32 %r6, %r4, %r5;\nmul.wide.s32 %d5, %r6, 4;\nadd.s64 %d6, "
        "%d3, %d5;\nst.global.u32 [%d6], 1;",
        /* below zero, then taken as a number without sign */
        "add.s32 %r5, %r4, -1;\nmul.wide.u32 %d5, %r5, 4;\nadd.s64 %d6, %d3, %d5;\nst.global.u32 "
        "[%d6], 1;",
        "add.s32 %r5, %r4, -1;\ncvt.u64.u32 %d5, %r5;\nadd.s64 %d6, %d3, %d5;\nst.global.u8 [%d6], "
        "1;",
        "mul.wide.u32 %d5, %r4, 4294967295;\nadd.s64 %d6, %d3, %d5;\nst.global.u32 [%d6], 1;",
        "mul.hi.s32 %r5, %r4, 4;\nmul.wide.s32 %d5, %r5, 4;\nadd.s64 %d6, %d3, %d5;\nst.global.u32 "
        "[%d6], 1;",
        "cvt.u32.u64 %r5, %d3;\ncvt.u64.u32 %d5, %r5;\nst.global.u32 [%d5], 1;",
        "cvt.u16.u32 %r5, %r4;\nmul.wide.u32 %d5, %r5, 4;\nadd.s64 %d6, %d3, %d5;\nst.global.u32 "
        "[%d6], 1;",
        "mov.u32 %r5, %laneid;\nmul.wide.u32 %d5, %r5, 4;\nadd.s64 %d6, %d3, %d5;\nst.global.u32 "
        "[%d6], 1;",
    };
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", INDEX, bodies[k]);
        if (find(text, 100, row, &f))
            fail_msg("something known: %s", bodies[k]);
    }
    assert_false(find("mov.u32 %r1, 1;", 100, row, &f)); /* no access at all */
}

/* 256 * ctaid.x + tid.x stays below 2^31 for 2^23 blocks, not for one more; times 4 for 2^21. */
static void
wraps(void **state)
{
    struct footprint f;
    static const char wide[] =
        INDEX "mul.wide.s32 %d5, %r4, 4;\nadd.s64 %d6, %d3, %d5;\nst.global.u32 [%d6], 1;";
    static const char narrow[] = INDEX "shl.b32 %r5, %r4, 2;\ncvt.s64.s32 %d5, %r5;\nadd.s64 %d6, "
                                       "%d3, %d5;\nst.global.u32 [%d6], 1;";
    assert_true(find(wide, 1 << 23, row, &f));
    assert_false(find(wide, (1 << 23) + 1, row, &f));
    assert_true(find(narrow, 1 << 21, row, &f));
    assert_false(find(narrow, (1 << 21) + 1, row, &f));
}

/* index = a * ctaid.x + b * tid.x + c, by the instructions that `way` says, 4 bytes each. */
static void
random_sums(void **state)
{
    srand(3);
    for (int turn = 0; turn < 400; turn++) {
        int a = rand() % 2000 - 1000, b = rand() % 64 - 32, c = rand() % 4000 - 2000,
            shift = rand() % 3;
        uint32_t blocks = 1 + (uint32_t)rand() % 50, block[3] = {1 + (uint32_t)rand() % 128, 1, 1};
        char text[1024];
        struct footprint f;
        snprintf(
            text, sizeof text,
            "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%tid.x;\nmul.lo.s32 %%r3, %%r1, %d;\n"
            "mad.lo.s32 %%r4, %%r2, %d, %%r3;\nadd.s32 %%r5, %%r4, %d;\nshl.b32 %%r6, %%r5, %d;\n"
            "ld.param.u64 %%d1, [out];\nmad.wide.s32 %%d2, %%r6, 4, %%d1;\nst.global.u32 [%%d2], "
            "1;",
            a, b, c, shift);
        assert_true(find(text, blocks, block, &f));
        assert_int_equal(f.count, 1);
        for (uint32_t x = 0; x < blocks; x++) {
            int64_t low = INT64_MAX, high = INT64_MIN;
            for (uint32_t t = 0; t < block[0]; t++) {
                int64_t at = 4 * ((int64_t)a * x + (int64_t)b * t + c) * (1 << shift);
                low = at < low ? at : low;
                high = at + 4 > high ? at + 4 : high;
            }
            assert_int_equal(low, f.at[0].low + f.at[0].step * x);
            assert_int_equal(high, f.at[0].high + f.at[0].step * x);
        }
    }
}

int
main(void)
{
    return UNIT_TESTS(intervals, nothing, wraps, random_sums);
}
