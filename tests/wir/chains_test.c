/* SPDX-License-Identifier: Apache-2.0
 *
 * Def-use chains (src/analysis/chains.c): who writes and reads what in a kernel worked out by hand,
 * then in random kernels beside what a walk over the operands of all instructions finds.
 */
#include "common/unit.h"

#include "wir/wir.h"
#include "fuzz/generate.h"

static bool
nothing_known(const char *name)
{
    (void)name;
    return false;
}

struct kernel {
    struct ptx_module *module;
    struct wir *wir;
};

static struct kernel
kernel_of(const char *text)
{
    struct ls_error err = {0};
    struct kernel k = {.module = ptx_parse(text, strlen(text), "k.ptx", &err)};
    if (!k.module)
        fail_msg("%s", err.text);
    for (uint32_t n = 0; n < k.module->func_count; n++)
        if (k.module->funcs[n]->is_kernel)
            k.wir = wir_new(k.module, k.module->funcs[n], nothing_known, &err);
    if (!k.wir)
        fail_msg("%s", err.text);
    return k;
}

static void
kernel_free(struct kernel *k)
{
    wir_free(k->wir);
    ptx_free(k->module);
}

/* -- by hand ----------------------------------------------------------------------------------- */

/* Line 12 gets a register of its own for what reads its sum alone, and a move to the loop's
 * register. */
static const char hand[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [out];\n"              /*  7 */
    "mov.u32 %r1, %tid.x;\n"                  /*  8 */
    "mov.u32 %r2, 0;\n"                       /*  9 */
    "ld.global.v2.u32 {%r3, %r4}, [%d1+8];\n" /* 10 */
    "L1:\n"
    "add.u32 %r2, %r2, %r1;\n"     /* 12 */
    "setp.lt.u32 %p1, %r2, %r3;\n" /* 13 */
    "@%p1 add.u32 %r2, %r2, 7;\n"  /* 14 */
    "@%p1 bra L1;\n"               /* 15 */
    "st.global.u32 [%d1], %r2;\n"  /* 16 */
    "ret;\n"                       /* 17 */
    "mov.u32 %r1, 5;\n}\n";        /* 18: no path leads here */

static uint32_t
at_line(const struct wir *f, uint32_t line)
{
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (f->insns[n].i.line == line)
            return n;
    fail_msg("no instruction in line %u", line);
    return 0;
}

static uint32_t
reg_at(const struct wir *f, uint32_t line, unsigned operand)
{
    const struct ptx_operand *o = &f->insns[at_line(f, line)].i.operand[operand];
    return o->kind == PTX_O_VECTOR ? o->elements[0].reg : o->reg;
}

/* The lines of the instructions, each a number and a blank. */
static void
lines_are(const struct wir *f, struct span s, const char *lines)
{
    char text[256] = "";
    for (uint32_t k = 0; k < s.count; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%u ", f->insns[s.at[k]].i.line);
    assert_string_equal(text, lines);
}

static void
lists(void **state)
{
    struct kernel k = kernel_of(hand);
    const struct wir *f = k.wir;
    uint32_t base = reg_at(f, 7, 0), tid = reg_at(f, 8, 0), sum = reg_at(f, 9, 0),
             own = reg_at(f, 12, 0), most = reg_at(f, 10, 0), less = reg_at(f, 13, 0);
    (void)state;
    lines_are(f, wir_writers(f, base), "7 ");
    lines_are(f, wir_readers(f, base), "10 16 ");
    lines_are(f, wir_writers(f, tid), "8 ");
    lines_are(f, wir_readers(f, tid), "12 ");
    lines_are(f, wir_writers(f, sum), "9 12 14 ");
    lines_are(f, wir_readers(f, sum), "12 16 ");
    lines_are(f, wir_writers(f, own), "12 ");
    lines_are(f, wir_readers(f, own), "12 13 14 ");
    lines_are(f, wir_writers(f, most), "10 ");
    lines_are(f, wir_readers(f, less), "14 15 "); /* guards, the one of a branch among them */
    assert_int_equal(wir_defs(f, at_line(f, 10)).count, 2);
    assert_int_equal(wir_uses(f, at_line(f, 10)).count, 1);
    assert_int_equal(wir_values(f, at_line(f, 10)).count, 0); /* the base of an address */
    assert_int_equal(wir_values(f, at_line(f, 16)).count, 1);
    assert_int_equal(wir_uses(f, at_line(f, 16)).count, 2);
    kernel_free(&k);
}

static void
queries(void **state)
{
    struct kernel k = kernel_of(hand);
    const struct wir *f = k.wir;
    uint32_t sum = reg_at(f, 9, 0), tid = reg_at(f, 8, 0),
             loop = f->chains.block_of[at_line(f, 12)];
    uint32_t first = at_line(f, 12) + 1, guarded = at_line(f, 14), branch = at_line(f, 15);
    const struct ptx_operand s = {.kind = PTX_O_REG, .reg = sum},
                             t = {.kind = PTX_O_REG, .reg = tid};
    const struct ptx_operand seven = {.kind = PTX_O_INT, .imm = 7}, other = {.kind = PTX_O_SYMBOL};
    (void)state;
    assert_ptr_equal(wir_only_writer(f, tid), &f->insns[at_line(f, 8)]);
    assert_null(wir_only_writer(f, sum));
    assert_int_equal(wir_writer_before(f, loop, sum, branch), guarded);
    assert_int_equal(wir_writer_before(f, loop, sum, guarded), first);
    assert_int_equal(wir_writer_before(f, loop, sum, first), UINT32_MAX); /* in another block */
    assert_int_equal(wir_writer_before(f, loop, tid, branch), UINT32_MAX);
    assert_int_equal(wir_writer_before(f, loop, sum, at_line(f, 8)), UINT32_MAX);
    assert_int_equal(wir_last_writer(f, sum, 0, first), at_line(f, 9));
    assert_int_equal(wir_next_writer(f, sum, first + 1, branch), guarded);
    assert_int_equal(wir_next_writer(f, sum, branch, f->insn_count), UINT32_MAX);
    assert_true(wir_same_since(f, &t, first, branch));
    assert_true(wir_same_since(f, &seven, first, branch));
    assert_false(wir_same_since(f, &s, first, branch));
    assert_false(wir_same_since(f, &s, guarded, branch)); /* that instruction writes it itself */
    assert_true(wir_same_since(f, &s, first + 1, guarded));
    assert_false(wir_same_since(f, &other, first, branch));
    kernel_free(&k);
}

/* -- random kernels ---------------------------------------------------------------------------- */

struct count {
    const struct wir *wir;
    uint32_t insn, defs, uses;
};

static bool
holds(struct span s, uint32_t number)
{
    for (uint32_t k = 0; k < s.count; k++)
        if (s.at[k] == number)
            return true;
    return false;
}

static void
check_operand(struct ptx_operand *o, bool write, void *context)
{
    struct count *c = context;
    assert_true(holds((write ? wir_defs : wir_uses)(c->wir, c->insn), o->reg));
    assert_true(holds((write ? wir_writers : wir_readers)(c->wir, o->reg), c->insn));
    assert_true(write || o->kind != PTX_O_REG || holds(wir_values(c->wir, c->insn), o->reg));
    *(write ? &c->defs : &c->uses) += 1;
}

static void
check_flow(const struct wir *f)
{
    uint32_t written = 0, read = 0;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t n = f->blocks[b].first; n < wir_block_end(f, b); n++) {
            struct count c = {.wir = f, .insn = n};
            wir_visit(&f->insns[n], check_operand, &c);
            assert_int_equal(f->chains.block_of[n], b);
            assert_int_equal(c.defs, wir_defs(f, n).count); /* so none too many */
            assert_int_equal(c.uses, wir_uses(f, n).count);
            written += c.defs;
            read += c.uses;
        }
    for (uint32_t r = 0; r < f->reg_count; r++) {
        struct span w = wir_writers(f, r), u = wir_readers(f, r);
        written -= w.count;
        read -= u.count;
        for (uint32_t k = 1; k < w.count; k++)
            assert_true(w.at[k - 1] <= w.at[k]);
        for (uint32_t k = 1; k < u.count; k++)
            assert_true(u.at[k - 1] <= u.at[k]);
    }
    assert_int_equal(written, 0);
    assert_int_equal(read, 0);
}

static void
random_kernels(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct program *p = program_new(seed);
        struct text text = {0};
        program_text(p, &text);
        struct kernel k = kernel_of(text.at);
        check_flow(k.wir);
        kernel_free(&k);
        text_free(&text);
        free(p);
    }
}

int
main(void)
{
    return UNIT_TESTS(lists, queries, random_kernels);
}
