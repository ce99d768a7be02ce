/* SPDX-License-Identifier: Apache-2.0
 *
 * The budget of compiling (src/jit/engine/budget.h): a kernel of many barriers is compiled in a
 * smaller form, an ordinary one is not, and both compute the same as C: the forms that a large
 * kernel gets are also given to small ones. Its last form is compiled quickly, and well once its
 * launches have taken long enough. The kernel: scans of 128 numbers, one after the other,
 * unrolled, with a branch in each step that parts lanes, and a shuffle between two scans.
 */
#include "common/ignoring.h"
#include "jit/tool.h"
#include "exec/exec.h"

#include "common/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, BLOCKS = 3, FEW = 2, MANY = 40 };

static struct ptx_module *
scans(unsigned count)
{
    struct text t = {0};
    struct ls_error err = {0};
    text_add(&t,
             ".version 7.8\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 s[512];\n"
             ".reg .b64 %%rd<8>; .reg .b32 %%r<%u>; .reg .pred %%p<%u>;\n"
             "ld.param.u64 %%rd1, [out];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\n"
             "shl.b32 %%r3, %%r1, 2;\nmov.u32 %%r4, s;\nadd.u32 %%r5, %%r4, %%r3;\n"
             "mad.lo.u32 %%r6, %%r2, 7, %%r1;\n",
             64 * count + 64, 8 * count + 8);
    for (unsigned k = 0; k < count; k++) {
        unsigned r = 64 * k + 16;
        text_add(&t, "st.shared.u32 [%%r5], %%r6;\nbar.sync 0;\n");
        for (unsigned d = 1, n = 0; d < THREADS; d *= 2, n++) {
            text_add(&t, "mov.u32 %%r%u, 0;\nsetp.lt.u32 %%p%u, %%r1, %u;\n@%%p%u bra L%u_%u;\n",
                     r + n, 8 * k + n, d, 8 * k + n, k, n);
            text_add(&t, "ld.shared.u32 %%r%u, [%%r5+-%u];\nL%u_%u:\nbar.sync 0;\n", r + n, 4 * d,
                     k, n);
            text_add(&t, "ld.shared.u32 %%r%u, [%%r5];\nadd.u32 %%r%u, %%r%u, %%r%u;\n", r + 8 + n,
                     r + 16 + n, r + 8 + n, r + n);
            text_add(&t, "st.shared.u32 [%%r5], %%r%u;\nbar.sync 0;\n", r + 16 + n);
        }
        text_add(&t, "ld.shared.u32 %%r%u, [%%r5];\nshfl.sync.bfly.b32 %%r%u, %%r%u, 5, 31, -1;\n",
                 r + 32, r + 33, r + 32);
        text_add(&t, "xor.b32 %%r6, %%r%u, %u;\nbar.sync 0;\n", r + 33, k + 3);
    }
    text_add(&t,
             "mad.lo.u32 %%r7, %%r2, %u, %%r1;\nmul.wide.u32 %%rd2, %%r7, 4;\nadd.u64 %%rd3, "
             "%%rd1, %%rd2;\n"
             "st.global.u32 [%%rd3], %%r6;\nret;\n}\n",
             THREADS);
    struct ptx_module *m = ptx_parse(t.at, t.count, "scans.ptx", &err);
    if (!m)
        fail_msg("%s", err.text);
    text_free(&t);
    return m;
}

static void
in_c(unsigned count, uint32_t block, uint32_t v[THREADS])
{
    uint32_t sum[THREADS];
    for (uint32_t t = 0; t < THREADS; t++)
        v[t] = 7 * block + t;
    for (unsigned k = 0; k < count; k++) {
        for (uint32_t t = 0; t < THREADS; t++)
            sum[t] = (t ? sum[t - 1] : 0) + v[t];
        for (uint32_t t = 0; t < THREADS; t++)
            v[t] = sum[t ^ 5] ^ (k + 3);
    }
}

static void
run_blocks(struct jit_engine *jit, const struct ptx_module *m, unsigned count, uint32_t blocks,
           struct jit_tool *tool)
{
    uint32_t *got = ls_alloc(sizeof *got * blocks * THREADS), want[THREADS];
    uint64_t params[1] = {(uint64_t)(uintptr_t)got}, symbols[4] = {0};
    struct ls_error err = {0};
    struct exec_pool *pool = exec_new(2, &err);
    struct exec_report report;
    struct exec_request r = {.jit = jit,
                             .module = m,
                             .kernel = ptx_find_func(m, "k"),
                             .grid = {blocks, 1, 1},
                             .block = {THREADS, 1, 1},
                             .params = (const uint8_t *)params,
                             .symbols = symbols,
                             .sm_count = 2,
                             .resident_blocks = 4,
                             .tool = tool};
    if (!exec_run(pool, &r, &report))
        fail_msg("%s", report.text);
    exec_free(pool);
    for (uint32_t b = 0; b < blocks; b++) {
        in_c(count, b, want);
        assert_memory_equal(want, got + b * THREADS, sizeof want);
    }
    ls_release(got);
}

static void
run(struct jit_engine *jit, const struct ptx_module *m, unsigned count, struct jit_tool *tool)
{
    run_blocks(jit, m, count, BLOCKS, tool);
}

/* Compiled in the form that these limits allow, 0: the engine's own; with a tool, too. */
static struct jit_counts
compiled(unsigned count, uint64_t emitted, uint64_t optimised)
{
    struct ls_error err = {0};
    struct jit_tool tool = {
        .events = JIT_EVENT_ACCESS, .access = ignore_access, .pattern = ignore_pattern};
    struct jit_engine *jit = jit_new(&(struct jit_options){0}, &err);
    struct ptx_module *m = scans(count);
    struct jit_counts n;
    assert_non_null(jit);
    if (emitted)
        jit_set_budget(jit, emitted, optimised);
    run(jit, m, count, NULL);
    jit_counts(jit, &n);
    if (emitted)
        run(jit, m, count, &tool);
    jit_free(jit);
    ptx_free(m);
    return n;
}

static void
ordinary_kernels_are_within(void **unused)
{
    struct jit_counts n = compiled(FEW, 0, 0);
    assert_int_equal(n.compiled, 1);
    assert_int_equal(n.reduced, 0);
    assert_int_equal(n.in_memory, 0);
    (void)unused;
}

static void
many_barriers_are_not(void **unused)
{
    struct jit_counts n = compiled(MANY, 0, 0);
    assert_int_equal(n.compiled, 1);
    assert_int_equal(n.reduced, 1);
    (void)unused;
}

/* The smallest budget at which the kernel is not reduced any more lies between its two sizes; on
 * the way there all forms are met. */
static void
all_forms_are_right(void **unused)
{
    bool full = false, warp = false, memory = false;
    for (uint64_t budget = 1; budget < 1u << 17; budget *= 4) {
        struct jit_counts n = compiled(FEW, budget, budget);
        full |= !n.reduced;
        warp |= n.reduced && !n.in_memory;
        memory |= n.in_memory;
        assert_int_equal(n.compiled, 1);
    }
    assert_true(full);
    assert_true(warp);
    assert_true(memory);
    struct jit_counts n = compiled(FEW, 1, 1u << 20); /* registers in memory, the usual generator */
    assert_int_equal(n.in_memory, 1);
    (void)unused;
}

/* Runs until better code has taken over, which it does by the clock. */
static void
run_until_improved(struct jit_engine *jit, const struct ptx_module *m, unsigned count)
{
    struct jit_counts n = {0};
    for (unsigned k = 0; k < 100000 && !n.improved; k++) {
        run(jit, m, count, NULL);
        jit_counts(jit, &n);
    }
    assert_int_equal(n.improved, 1);
}

static struct jit_engine *
engine_with(const char *cache)
{
    struct ls_error err = {0};
    struct jit_engine *jit = jit_new(&(struct jit_options){.cache = cache}, &err);
    assert_non_null(jit);
    jit_set_budget(jit, 1, 1u << 20); /* registers in memory, the usual generator */
    return jit;
}

/* A large kernel in the last form is compiled quickly; that is what the disk keeps until better
 * code is made, once. */
static void
quick_code_gives_way(void **unused)
{
    char cache[] = "/tmp/lockstep-budget-XXXXXX", remove[64];
    struct ptx_module *m = scans(MANY);
    struct jit_counts n;
    assert_non_null(mkdtemp(cache));
    struct jit_engine *jit = engine_with(cache);
    run(jit, m, MANY, NULL);
    jit_counts(jit, &n);
    assert_int_equal(n.compiled, 1);
    assert_int_equal(n.quick, 1);
    assert_int_equal(n.improved, 0);
    jit_free(jit);
    jit = engine_with(cache);
    run_until_improved(jit, m, MANY);
    run(jit, m, MANY, NULL);
    jit_counts(jit, &n);
    assert_int_equal(n.from_disk, 1);
    assert_int_equal(n.compiled, 1);
    jit_forget(jit, m);
    run(jit, m, MANY, NULL); /* from the disk, where better code is now */
    jit_counts(jit, &n);
    assert_int_equal(n.from_disk, 2);
    const struct jit_request r = {.module = m,
                                  .kernel = ptx_find_func(m, "k"),
                                  .block = {THREADS, 1, 1},
                                  .small_grid = true,
                                  .whole = true};
    struct ls_error err = {0};
    const struct jit_kernel *k = jit_get(jit, &r, &err);
    assert_non_null(k);
    assert_false(k->quick);
    jit_free(jit);
    ptx_free(m);
    snprintf(remove, sizeof remove, "rm -r %s", cache);
    assert_int_equal(system(remove), 0);
    (void)unused;
}

/* Quick code is not for a launch of many warps, whether there is some already or not. */
static void
many_warps_get_better_code(void **unused)
{
    struct ptx_module *m = scans(MANY);
    struct jit_counts n;
    struct ls_error err = {0};
    struct jit_request r = {.module = m,
                            .kernel = ptx_find_func(m, "k"),
                            .block = {THREADS, 1, 1},
                            .small_grid = true,
                            .whole = true};
    for (int before = 0; before < 2; before++) {
        struct jit_engine *jit = engine_with(NULL);
        r.warps = 1000;
        if (before)
            assert_true(jit_get(jit, &r, &err)->quick);
        r.warps = 100000;
        assert_false(jit_get(jit, &r, &err)->quick);
        r.warps = 1000;
        assert_false(jit_get(jit, &r, &err)->quick);
        jit_counts(jit, &n);
        assert_int_equal(n.quick, before);
        assert_int_equal(n.improved, before);
        jit_free(jit);
    }
    ptx_free(m);
    (void)unused;
}

/* A launch of many blocks begins with quick code and goes on with better code, which it makes when
 * that pays, by the clock; what blocks compute is that of C on both sides. A launch that is over
 * sooner makes none. */
static void
better_code_takes_over(void **unused)
{
    struct ptx_module *m = scans(MANY);
    struct jit_counts n = {0};
    for (uint32_t blocks = BLOCKS; blocks < 1u << 20 && !n.improved; blocks *= 16) {
        struct jit_engine *jit = engine_with(NULL);
        run_blocks(jit, m, MANY, blocks, NULL);
        jit_counts(jit, &n);
        assert_int_equal(n.quick, 1);
        if (blocks == BLOCKS)
            assert_int_equal(n.improved, 0);
        jit_free(jit);
    }
    assert_int_equal(n.improved, 1);
    ptx_free(m);
    (void)unused;
}

/* Quick code comes before a form that fits, too, if that takes long; better code is that form. */
static void
slow_forms_are_put_off(void **unused)
{
    struct ls_error err = {0};
    for (int off = 0; off < 2; off++) {
        struct jit_options options = {0};
        struct ptx_module *m = scans(MANY);
        struct jit_counts n;
        if (off)
            assert_true(jit_passes_off("-quick-first", &options.off, &err));
        struct jit_engine *jit = jit_new(&options, &err);
        assert_non_null(jit);
        run(jit, m, MANY, NULL);
        jit_counts(jit, &n);
        assert_int_equal(n.quick, !off);
        assert_int_equal(n.in_memory, !off);
        if (!off)
            run_until_improved(jit, m, MANY);
        jit_free(jit);
        ptx_free(m);
    }
    (void)unused;
}

static void
small_kernels_are_compiled_well(void **unused)
{
    struct ptx_module *m = scans(FEW);
    struct jit_engine *jit = engine_with(NULL);
    struct jit_counts n;
    run(jit, m, FEW, NULL);
    jit_counts(jit, &n);
    assert_int_equal(n.in_memory, 1);
    assert_int_equal(n.quick, 0);
    jit_free(jit);
    ptx_free(m);
    (void)unused;
}

int
main(void)
{
    return UNIT_TESTS(ordinary_kernels_are_within, many_barriers_are_not, all_forms_are_right,
                      quick_code_gives_way, many_warps_get_better_code, better_code_takes_over,
                      slow_forms_are_put_off, small_kernels_are_compiled_well);
}
