/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that are compiled when a warp first calls them (engine/functions.c): those that are not
 * called are not compiled, not even where they cannot be; kernels share them; the disk keeps them;
 * a launch under way changes to better code. What kernels compute is what C does.
 */
#include "exec/exec.h"
#include "jit/tool.h"

#include "common/unit.h"
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 4, STEPS = 400, THREADS = 64 };

/* A function's call of itself, so that it is not inlined. */
#define AGAIN(name)                                                                                \
    "{ .param .u32 y; .param .u32 z;\nst.param.u32 [y], %%a;\ncall (z), " name ", (y);\n"          \
    "ld.param.u32 %%a, [z]; }\n"

/* f0 to f3 mix a number, one in four times twice, and so on. bad cannot be compiled: isspacep.const
 * is not supported. Kernel "named" calls f0 and f2 by name, n times; "pointed" the function whose
 * number it is given, bad being the last. */
static struct ptx_module *
mixers(void)
{
    struct text t = {0};
    struct ls_error err = {0};
    text_add(&t, ".version 8.1\n.target sm_90\n.address_size 64\n");
    for (int f = 0; f < FUNCTIONS; f++) {
        text_add(
            &t,
            ".func (.param .u32 r) f%d(.param .u32 x)\n{\n.reg .b32 %%a, %%b; .reg .pred %%p;\n"
            "ld.param.u32 %%a, [x];\n",
            f);
        for (int k = 0; k < STEPS; k++)
            text_add(&t,
                     "xor.b32 %%b, %%a, %d;\nshr.u32 %%a, %%a, 5;\nmad.lo.u32 %%a, %%b, %d, %%a;\n",
                     k * 77 + f, 2 * k + 1);
        text_add(&t,
                 "and.b32 %%b, %%a, 3;\nsetp.ne.u32 %%p, %%b, 0;\n@%%p bra END;\n" AGAIN(
                     "f%d") "END:\n"
                            "st.param.u32 [r], %%a;\nret;\n}\n",
                 f);
    }
    text_add(&t,
             ".func (.param .u32 r) bad(.param .u32 x)\n{\n.reg .b64 %%q; .reg .pred %%p;\n"
             ".reg .b32 %%a;\nld.param.u32 %%a, [x];\ncvt.u64.u32 %%q, %%a;\n"
             "isspacep.const %%p, %%q;\n@!%%p bra END;\n" AGAIN("bad") "END:\n"
                                                                       "st.param.u32 [r], %%a;\n"
                                                                       "ret;\n}\n");
    text_add(&t, ".global .align 8 .u64 table[5] = {f0, f1, f2, f3, bad};\n");
#define CALL(name)                                                                                 \
    "{ .param .u32 x; .param .u32 y;\nst.param.u32 [x], %%r2;\ncall (y), " name ", (x);\n"         \
    "ld.param.u32 %%r2, [y]; }\n"
#define BEGIN(name)                                                                                \
    ".visible .entry " name "(.param .u64 out, .param .u32 n)\n{\n.reg .b64 %%q<8>;\n"             \
    ".reg .b32 %%r<8>; .reg .pred %%p<3>;\nld.param.u64 %%q1, [out];\nld.param.u32 %%r3, [n];\n"   \
    "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%q2, %%r1, 4;\nadd.u64 %%q1, %%q1, %%q2;\n"             \
    "mov.u32 %%r2, %%r1;\n"
    text_add(&t, BEGIN("named") "LOOP:\n" CALL("f0")
                     CALL("f2") "sub.u32 %%r3, %%r3, 1;\nsetp.ne.u32 %%p2, %%r3, 0;\n"
                                "@%%p2 bra LOOP;\n"
                                "st.global.u32 [%%q1], %%r2;\nret;\n}\n");
    text_add(&t, BEGIN("pointed") "mov.u64 %%q3, table;\nmul.wide.u32 %%q4, %%r3, 8;\n"
                                  "add.u64 %%q3, %%q3, %%q4;\nld.global.u64 %%q5, [%%q3];\n"
                                  "PROTO: .callprototype (.param .u32 _) _ (.param .u32 _);\n"
                                  "{ .param .u32 x; .param .u32 y;\nst.param.u32 [x], %%r2;\n"
                                  "call (y), %%q5, (x), PROTO;\nld.param.u32 %%r2, [y]; }\n"
                                  "st.global.u32 [%%q1], %%r2;\nret;\n}\n");
    struct ptx_module *m = ptx_parse(t.at, t.count, "mixers.ptx", &err);
    if (!m)
        fail_msg("%s", err.text);
    text_free(&t);
    return m;
}

static uint32_t
in_c(int f, uint32_t a)
{
    for (uint32_t k = 0; k < STEPS; k++) {
        uint32_t b = a ^ (k * 77 + (uint32_t)f);
        a = b * (2 * k + 1) + (a >> 5);
    }
    return a & 3 ? a : in_c(f, a);
}

static struct jit_engine *
engine_with(const char *cache, const char *passes)
{
    struct ls_error err = {0};
    struct jit_options options = {.cache = cache};
    assert_true(jit_passes_off(passes, &options.off, &err));
    struct jit_engine *jit = jit_new(&options, &err);
    assert_non_null(jit);
    return jit;
}

static struct exec_report
run(struct jit_engine *jit, const struct ptx_module *m, const char *kernel, uint32_t n,
    uint32_t out[THREADS], struct jit_tool *tool)
{
    static const uint64_t table[FUNCTIONS + 1] = {
        JIT_FUNCTION_TAG | 1 << 4, JIT_FUNCTION_TAG | 2 << 4, JIT_FUNCTION_TAG | 3 << 4,
        JIT_FUNCTION_TAG | 4 << 4, JIT_FUNCTION_TAG | 5 << 4};
    uint64_t params[2] = {(uint64_t)(uintptr_t)out, n}, symbols[8] = {(uint64_t)(uintptr_t)table};
    struct ls_error err = {0};
    struct exec_pool *pool = exec_new(2, &err);
    struct exec_report report;
    struct exec_request r = {.jit = jit,
                             .module = m,
                             .kernel = ptx_find_func(m, kernel),
                             .grid = {1, 1, 1},
                             .block = {THREADS, 1, 1},
                             .params = (const uint8_t *)params,
                             .symbols = symbols,
                             .sm_count = 2,
                             .resident_blocks = 4,
                             .tool = tool};
    exec_run(pool, &r, &report);
    exec_free(pool);
    return report;
}

static void
run_named(struct jit_engine *jit, const struct ptx_module *m, uint32_t n, struct jit_tool *tool)
{
    uint32_t got[THREADS];
    struct exec_report report = run(jit, m, "named", n, got, tool);
    if (report.status != EXEC_OK)
        fail_msg("%s", report.text);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t want = t;
        for (uint32_t k = 0; k < n; k++)
            want = in_c(2, in_c(0, want));
        assert_int_equal(got[t], want);
    }
}

static struct jit_counts
counts(struct jit_engine *jit)
{
    struct jit_counts n;
    jit_counts(jit, &n);
    return n;
}

static void
ignore_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
              uint32_t space, uint32_t op, uint32_t place)
{
    (void)w, (void)lanes, (void)address, (void)bytes, (void)space, (void)op, (void)place;
}
static void
ignore_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
               uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    (void)w, (void)lanes, (void)base, (void)offset, (void)bytes, (void)space, (void)op, (void)place;
}

static void
what_is_called_is_compiled(void **unused)
{
    struct ptx_module *m = mixers();
    struct jit_engine *jit = engine_with(NULL, "+all");
    struct jit_tool tool = {
        .events = JIT_EVENT_ACCESS, .access = ignore_access, .pattern = ignore_pattern};
    run_named(jit, m, 1, NULL);
    assert_int_equal(counts(jit).functions, 2);
    for (uint32_t f = 0; f < FUNCTIONS; f++) { /* f0 and f2 are there */
        uint32_t got[THREADS];
        assert_int_equal(run(jit, m, "pointed", f, got, NULL).status, EXEC_OK);
        for (uint32_t t = 0; t < THREADS; t++)
            assert_int_equal(got[t], in_c((int)f, t));
    }
    assert_int_equal(counts(jit).functions, FUNCTIONS);
    run_named(jit, m, 2, &tool);
    assert_int_equal(counts(jit).functions, FUNCTIONS + 2);
    jit_forget(jit, m);
    run_named(jit, m, 1, NULL);
    assert_int_equal(counts(jit).functions, FUNCTIONS + 4);
    jit_free(jit);
    jit = engine_with(NULL, "-deferred-functions");
    uint32_t got[THREADS]; /* all of it, with bad, before anything runs */
    assert_int_equal(run(jit, m, "pointed", 1, got, NULL).status, EXEC_FAILED);
    assert_int_equal(counts(jit).functions, 0);
    jit_free(jit);
    ptx_free(m);
    (void)unused;
}

static void
what_cannot_be_compiled_is_named(void **unused)
{
    struct ptx_module *m = mixers();
    struct jit_engine *jit = engine_with(NULL, "+all");
    uint32_t got[THREADS];
    for (int k = 0; k < 2; k++) {
        struct exec_report report = run(jit, m, "pointed", FUNCTIONS, got, NULL);
        assert_int_equal(report.status, EXEC_INVALID_CALL);
        assert_non_null(strstr(report.text, "isspacep"));
        run_named(jit, m, 1, NULL);
    }
    jit_free(jit);
    ptx_free(m);
    (void)unused;
}

static void
the_disk_keeps_them(void **unused)
{
    char cache[] = "/tmp/lockstep-deferred-XXXXXX", remove[64];
    struct ptx_module *m = mixers();
    assert_non_null(mkdtemp(cache));
    for (int again = 0; again < 2; again++) {
        struct jit_engine *jit = engine_with(cache, "+all");
        run_named(jit, m, 1, NULL);
        assert_int_equal(counts(jit).functions, again ? 0 : 2);
        jit_free(jit);
    }
    ptx_free(m);
    snprintf(remove, sizeof remove, "rm -r %s", cache);
    assert_int_equal(system(remove), 0);
    (void)unused;
}

/* By the clock: launches of one block, each longer than the one before it. */
static void
a_launch_changes_to_better_code(void **unused)
{
    struct ptx_module *m = mixers();
    bool improved = false;
    for (uint32_t n = 1u << 14; n < 1u << 24 && !improved; n *= 4) {
        struct jit_engine *jit = engine_with(NULL, "+all");
        run_named(jit, m, n, NULL);
        improved = counts(jit).improved > 0;
        if (improved) /* by both */
            run_named(jit, m, 2, NULL);
        jit_free(jit);
    }
    assert_true(improved);
    struct jit_engine *jit = engine_with(NULL, "-quick-first");
    run_named(jit, m, 3, NULL);
    assert_int_equal(counts(jit).functions, 2);
    assert_int_equal(counts(jit).improved, 0);
    jit_free(jit);
    ptx_free(m);
    (void)unused;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_called_is_compiled),
        cmocka_unit_test(what_cannot_be_compiled_is_named),
        cmocka_unit_test(the_disk_keeps_them),
        cmocka_unit_test(a_launch_changes_to_better_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
