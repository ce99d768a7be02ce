/* SPDX-License-Identifier: Apache-2.0
 *
 * The warp IR's text (src/wir/print.c) and its normal form (verify.c): what is printed is read back
 * as the same kernel, of kernels written by hand, of random ones, and of the PTX files that are
 * named as arguments; and a kernel that breaks a rule is refused with that rule's message.
 */
#include <dirent.h>
#include "common/unit.h"

#include "fuzz/generate.h"
#include "wir/wir.h"

static bool
all_known(const char *name)
{
    (void)name;
    return true;
}

/* The kernel is verified, printed, read, verified and printed again. */
static void
round_trip(const struct ptx_module *m, const struct ptx_func *kernel, const char *path)
{
    struct ls_error err = {0};
    struct text once = {0}, twice = {0};
    struct wir *f = wir_new(m, kernel, all_known, &err);
    if (!f || !wir_verify(f, &err))
        fail_msg("%s: %s: %s", path, kernel->name, err.text);
    wir_print(f, NULL, &once);
    struct ptx_module *again = ptx_parse(once.at, once.count, path, &err);
    const struct ptx_func *same = again ? ptx_find_func(again, kernel->name) : NULL;
    struct wir *g = same ? wir_new(again, same, all_known, &err) : NULL;
    if (!g || !wir_verify(g, &err))
        fail_msg("%s: %s, read back: %s\n%s", path, kernel->name, err.text, once.at);
    wir_print(g, NULL, &twice);
    if (strcmp(once.at, twice.at)) {
        size_t same_bytes = 0, line;
        while (once.at[same_bytes] == twice.at[same_bytes])
            same_bytes++;
        for (line = same_bytes; line && once.at[line - 1] != '\n'; line--)
            ;
        fail_msg("%s: %s is another kernel when it is read back:\n%.200s\n-- has become --\n%.200s",
                 path, kernel->name, once.at + line, twice.at + line);
    }
    assert_int_equal(f->block_count, g->block_count);
    assert_int_equal(f->loop_count, g->loop_count);
    assert_int_equal(f->shared_bytes, g->shared_bytes);
    assert_int_equal(f->local_bytes, g->local_bytes);
    text_free(&once);
    text_free(&twice);
    wir_free(f);
    wir_free(g);
    ptx_free(again);
}

static unsigned
check_module(const char *text, size_t size, const char *path)
{
    struct ls_error err = {0};
    unsigned kernels = 0;
    struct ptx_module *m = ptx_parse(text, size, path, &err);
    if (!m)
        fail_msg("%s", err.text);
    for (uint32_t k = 0; k < m->func_count; k++)
        if (m->funcs[k]->is_kernel && m->funcs[k]->has_body) {
            round_trip(m, m->funcs[k], path);
            kernels++;
        }
    ptx_free(m);
    return kernels;
}

static unsigned
check_file(const char *path)
{
    struct ls_error err = {0};
    size_t size;
    char *text = ls_read_file(path, &size, &err);
    if (!text)
        fail_msg("%s", err.text);
    unsigned kernels = check_module(text, size, path);
    ls_release(text);
    return kernels;
}

static void
files(void **state)
{
    static const char *const folders[] = {"tests/analysis/facts", "tests/jit/plans"};
    const char *source = getenv("SOURCE_DIR");
    unsigned kernels = 0;
    (void)state;
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char folder[4096], path[4600];
        snprintf(folder, sizeof folder, "%s/%s", source ? source : ".", folders[k]);
        DIR *d = opendir(folder);
        assert_non_null(d);
        for (struct dirent *e; (e = readdir(d));)
            if (strlen(e->d_name) > 4 && !strcmp(e->d_name + strlen(e->d_name) - 4, ".ptx")) {
                snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
                kernels += check_file(path);
            }
        closedir(d);
    }
    assert_true(kernels >= 40);
}

static void
random_kernels(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct text text = {0};
        char path[32];
        snprintf(path, sizeof path, "seed %llu", (unsigned long long)seed);
        struct program *p = program_new(seed);
        program_text(p, &text);
        assert_int_equal(check_module(text.at, text.count, path), 1);
        free(p);
        text_free(&text);
    }
}

/* Prototypes and lists of functions stand before the call; what functions name is declared. */
static void
calls_through_pointers(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.shared .u32 count;\n"
        ".func (.param .u32 r) one(.param .u32 x)\n{\n.reg .u32 %r<3>;\n"
        "ld.param.u32 %r0, [x];\nld.shared.u32 %r1, [count];\nadd.u32 %r2, %r0, %r1;\n"
        "st.param.u32 [r], %r2;\nret;\n}\n"
        ".func (.param .u32 r) two(.param .u32 x)\n{\n.reg .u32 %r<3>;\n"
        "ld.param.u32 %r0, [x];\nst.param.u32 [r], %r0;\nret;\n}\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .u32 %r<6>;\n.reg .u64 %d<4>;\n"
        ".reg .pred %p;\nmov.u32 %r0, %tid.x;\nsetp.eq.u32 %p, %r0, 1;\n"
        "mov.u64 %d0, one;\nmov.u64 %d1, two;\nselp.b64 %d2, %d0, %d1, %p;\n"
        "{\n.param .u32 a;\n.param .u32 b;\nst.param.u32 [a], %r0;\n"
        "shape: .callprototype (.param .u32 _) _ (.param .u32 _);\n"
        "call (b), %d2, (a), shape;\nld.param.u32 %r1, [b];\n}\n"
        "{\n.param .u32 a;\n.param .u32 b;\nst.param.u32 [a], %r1;\n"
        "both: .calltargets one, two;\ncall (b), %d2, (a), both;\nld.param.u32 %r2, [b];\n}\n"
        "ld.param.u64 %d3, [out];\nst.global.u32 [%d3], %r2;\nret;\n}\n";
    (void)state;
    assert_int_equal(check_module(text, sizeof text - 1, "calls.ptx"), 1);
}

/* What is in the header's tutorial. */
/* Four warps meet before products in a row, and where some are waited for; nowhere else. */
static void
warpgroup(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .f32 %f<4>;\n.reg .b64 %d<2>;\n.reg .pred %p;\n"
        "wgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, %p, 1, "
        "1,"
        " 0, 0;\nadd.u64 %d0, %d0, 2;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, %p, 1, "
        "1,"
        " 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, %p, 1, "
        "1,"
        " 0, 0;\nret;\n}\n";
    struct ls_error err = {0};
    (void)state;
    struct ptx_module *m = ptx_parse(text, strlen(text), "k.ptx", &err);
    struct wir *f = m ? wir_new(m, m->funcs[0], all_known, &err) : NULL;
    assert_non_null(f);
    uint32_t meetings = 0, waits = 0, plain = 0;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct wir_insn *i = &f->insns[n];
        bool fence = i->i.op == PTX_OP_WGMMA_FENCE, wait = i->i.op == PTX_OP_WGMMA_WAIT_GROUP;
        meetings += fence && i->added;
        waits += wait && i->added;
        plain += (fence || wait) && !i->added;
    }
    assert_int_equal(meetings, 2);
    assert_int_equal(waits, 1);
    assert_int_equal(plain, 2);
    assert_int_equal(f->loop_count, 3);
    for (uint32_t l = 0; l < f->loop_count; l++)
        assert_true(f->loops[l].waits);
    wir_free(f);
    round_trip(m, m->funcs[0], "k.ptx");
    ptx_free(m);
}

static const char clamp[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry clamp(.param .u64 p, .param .u32 n) {\n"
                            ".reg .pred %q; .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
                            "ld.param.u64 %d0, [p];\n"
                            "ld.param.u32 %r0, [n];\n"
                            "mov.u32 %r1, %tid.x;\n"
                            "setp.ge.u32 %q, %r1, %r0;\n"
                            "@%q bra DONE;\n"
                            "mad.wide.u32 %d1, %r1, 4, %d0;\n"
                            "ld.global.u32 %r1, [%d1];\n"
                            "min.u32 %r1, %r1, 9;\n"
                            "@!%q st.global.u32 [%d1], %r1;\n"
                            "DONE: ret;\n}\n";

static void
tutorial(void **state)
{
    struct ls_error err = {0};
    struct text text = {0};
    (void)state;
    struct ptx_module *m = ptx_parse(clamp, strlen(clamp), "clamp.ptx", &err);
    struct wir *f = m ? wir_new(m, m->funcs[0], all_known, &err) : NULL;
    assert_non_null(f);
    wir_print(f, NULL, &text);
    const char *body = strstr(text.at, "b0:");
    assert_non_null(body);
    assert_string_equal(body, "b0:\n"
                              "    ld.param.u64 %d0, [p];\n"
                              "    ld.param.u32 %r0, [n];\n"
                              "    mov.u32 %r1, %tid.x;\n"
                              "    setp.ge.u32 %q, %r1, %r0;\n"
                              "    @%q bra b3;\n"
                              "b1:\n"
                              "    mad.wide.u32 %d1, %r1, 4, %d0;\n"
                              "    ld.global.u32 %r1_1, [%d1];\n"
                              "    min.u32 %r1_2, %r1_1, 9;\n"
                              "    @%q bra b3;\n"
                              "b2:\n"
                              "    st.global.u32 [%d1], %r1_2;\n"
                              "b3:\n"
                              "    ret;\n"
                              "b4:\n"
                              "}\n");
    text_free(&text);
    wir_free(f);
    ptx_free(m);
}

/* -- what verify.c refuses --------------------------------------------------------------------- */

static void
break_succ(struct wir *f)
{
    f->blocks[0].succ[0] = f->block_count;
}
static void
break_count(struct wir *f)
{
    f->blocks[0].succ_count = 1;
}
static void
break_pred(struct wir *f)
{
    f->blocks[3].pred_count = 0;
}
static void
break_order(struct wir *f)
{
    f->blocks[1].succ[1] = f->blocks[1].succ[0] = 0, f->blocks[0].pred[0] = 1,
    f->blocks[0].pred_count = 1;
}
static void
break_guard(struct wir *f)
{
    f->insns[f->blocks[2].first].i.guard = f->blocks[0].guard;
}
static void
break_register(struct wir *f)
{
    f->insns[f->blocks[1].first + 2].i.operand[1].reg = f->reg_count;
}
static void
break_chains(struct wir *f)
{
    f->insns[f->blocks[1].first + 2].i.operand[0].reg = 0;
}
static void
break_end(struct wir *f)
{
    f->insns[f->blocks[0].end_insn].i.op = PTX_OP_MOV;
}
static void
break_inside(struct wir *f)
{
    f->insns[f->blocks[1].first + 2].i.op = PTX_OP_TRAP;
}
static void
break_sync(struct wir *f)
{
    f->insns[f->blocks[1].first + 2].i.op = PTX_OP_BAR_WARP;
}
static void
break_span(struct wir *f)
{
    f->blocks[2].count = f->insn_count;
}
static void
break_predicate(struct wir *f)
{
    f->regs[f->blocks[0].guard].type = PTX_B32;
}
static void
break_place(struct wir *f)
{
    f->chains.block_of[f->blocks[1].first] = 2;
}
static void
break_edge(struct wir *f)
{
    f->blocks[3].live_in[0] = (1ull << f->reg_count) - 1;
}
static void
break_live(struct wir *f)
{
    memset(f->blocks[1].live_in, 0, sizeof(uint64_t) * f->reg_words);
}

static void
break_told(struct wir *f)
{
    f->insns[f->blocks[1].first].tells = TELL_GUARD;
}
static void
break_compared(struct wir *f)
{
    f->insns[f->blocks[1].first].tells = TELL_COMPARE;
}
static void
break_added(struct wir *f)
{
    f->insns[f->blocks[1].first].added = true;
    f->insns[f->blocks[1].first].tells = TELL_COUNT;
}

static void
broken(void **state)
{
    static const struct {
        void (*apart)(struct wir *f);
        const char *message;
    } rows[] = {
        {break_succ, "a successor that is no block"},
        {break_count, "other successors"},
        {break_pred, "as a predecessor"},
        {break_order, "leads back to no head"},
        {break_guard, "needs a branch around it"},
        {break_register, "a register that is none"},
        {break_chains, "the chains are of another instruction"},
        {break_end, "does not end a block"},
        {break_inside, "does not stand last"},
        {break_sync, "does not stand first"},
        {break_span, "its instructions are none"},
        {break_predicate, "no predicate decides"},
        {break_place, "in another block"},
        {break_live, "reads a register that is not alive"},
        {break_edge, "is alive behind the block"},
        {break_told, "and not that it does"},
        {break_compared, "it compares nothing"},
        {break_added, "the instruction that it was added to"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct ls_error err = {0};
        struct ptx_module *m = ptx_parse(clamp, strlen(clamp), "clamp.ptx", &err);
        struct wir *f = wir_new(m, m->funcs[0], all_known, &err);
        assert_non_null(f);
        rows[k].apart(f);
        if (wir_verify(f, &err))
            fail_msg("\"%s\" is not noticed", rows[k].message);
        if (!strstr(err.text, rows[k].message))
            fail_msg("rule %zu says \"%s\", not \"%s\"", k, err.text, rows[k].message);
        wir_free(f);
        ptx_free(m);
    }
}

static char **named;

static void
named_files(void **state)
{
    unsigned kernels = 0;
    (void)state;
    for (char **path = named; *path; path++)
        kernels += check_file(*path);
    print_message("%u kernels\n", kernels);
}

int
main(int argc, char **argv)
{
    named = argv + 1;
    return argc > 1 ? UNIT_TESTS(named_files)
                    : UNIT_TESTS(warpgroup, tutorial, files, random_kernels, calls_through_pointers,
                                 broken);
}
