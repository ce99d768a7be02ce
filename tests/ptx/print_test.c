/* SPDX-License-Identifier: Apache-2.0
 *
 * print_test: printed text parses to the same module, and modules linked from parts.
 *
 * `same_module` compares what the module holds, not the text: names of inner scopes may change.
 */
#include "ptx/ptx.h"
#include "ptx/sample.h"

#include <stdlib.h>
#include <string.h>

#include "common/unit.h"

static struct ptx_module *
parse(const char *text, const char *path)
{
    struct ls_error err = {0};
    struct ptx_module *m = ptx_parse(text, strlen(text), path, &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

/* -- the same ---------------------------------------------------------------------------------- */

static void
same_var(const struct ptx_var *a, const struct ptx_var *b)
{
    if (!a || !b) {
        assert_ptr_equal(a, b);
        return;
    }
    assert_int_equal(a->space, b->space);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->vec, b->vec);
    assert_int_equal(a->linkage, b->linkage);
    assert_int_equal(a->unsized, b->unsized);
    assert_int_equal(a->managed, b->managed);
    assert_int_equal(a->align, b->align);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->param_offset, b->param_offset);
    assert_int_equal(a->reloc_count, b->reloc_count);
    assert_int_equal(!a->init, !b->init);
    if (a->init)
        assert_memory_equal(a->init, b->init, a->size);
    for (uint32_t k = 0; k < a->reloc_count; k++) {
        const struct ptx_reloc *r = &a->relocs[k], *s = &b->relocs[k];
        assert_int_equal(r->at, s->at);
        assert_int_equal(r->bytes, s->bytes);
        assert_int_equal(r->shift, s->shift);
        assert_int_equal(r->generic, s->generic);
        assert_int_equal(r->addend, s->addend);
        assert_string_equal(r->var ? r->var->name : r->func->name,
                            s->var ? s->var->name : s->func->name);
    }
}

static void
same_operand(const struct ptx_operand *a, const struct ptx_operand *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->base_kind, b->base_kind);
    assert_int_equal(a->negated, b->negated);
    assert_int_equal(a->imm_is_f32, b->imm_is_f32);
    assert_int_equal(a->part, b->part);
    assert_int_equal(a->sreg, b->sreg);
    assert_int_equal(a->reg, b->reg);
    assert_int_equal(a->count, b->count);
    assert_true(a->imm == b->imm);
    same_var(a->var, b->var);
    if (a->func)
        assert_string_equal(a->func->name, b->func->name);
    for (uint32_t k = 0; k < a->count; k++)
        same_operand(&a->elements[k], &b->elements[k]);
}

static void
same_insn(const struct ptx_insn *a, const struct ptx_insn *b)
{
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->type_count, b->type_count);
    assert_memory_equal(a->type, b->type, sizeof a->type);
    assert_int_equal(a->space, b->space);
    assert_int_equal(a->space2, b->space2);
    assert_int_equal(a->vec, b->vec);
    assert_int_equal(a->guard, b->guard);
    assert_int_equal(a->guard_negated, b->guard_negated);
    assert_memory_equal(a->mods, b->mods, sizeof a->mods);
    assert_memory_equal(a->order, b->order, sizeof a->order);
    assert_int_equal(a->loc, b->loc);
    assert_int_equal(a->operand_count, b->operand_count);
    for (unsigned k = 0; k < a->operand_count; k++)
        same_operand(&a->operand[k], &b->operand[k]);
}

static void
same_func(const struct ptx_func *a, const struct ptx_func *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->is_kernel, b->is_kernel);
    assert_int_equal(a->has_body, b->has_body);
    assert_int_equal(a->linkage, b->linkage);
    assert_int_equal(a->param_count, b->param_count);
    assert_int_equal(a->result_count, b->result_count);
    assert_int_equal(a->param_bytes, b->param_bytes);
    assert_int_equal(a->reg_count, b->reg_count);
    assert_int_equal(a->var_count, b->var_count);
    assert_int_equal(a->insn_count, b->insn_count);
    assert_int_equal(a->label_count, b->label_count);
    assert_int_equal(a->target_count, b->target_count);
    assert_int_equal(a->loc_count, b->loc_count);
    assert_memory_equal(a->limits.maxntid, b->limits.maxntid, sizeof a->limits.maxntid);
    assert_int_equal(a->limits.minnctapersm, b->limits.minnctapersm);
    for (uint32_t k = 0; k < a->param_count; k++) {
        same_var(a->params[k], b->params[k]);
        assert_int_equal(a->param_regs[k], b->param_regs[k]);
    }
    for (uint32_t k = 0; k < a->reg_count; k++)
        assert_int_equal(a->regs[k].type, b->regs[k].type);
    for (uint32_t k = 0; k < a->var_count; k++)
        same_var(a->vars[k], b->vars[k]);
    for (uint32_t k = 0; k < a->insn_count; k++)
        same_insn(&a->insns[k], &b->insns[k]);
    for (uint32_t k = 0; k < a->label_count; k++)
        assert_int_equal(a->labels[k].insn, b->labels[k].insn);
    for (uint32_t k = 0; k < a->loc_count; k++) {
        assert_int_equal(a->locs[k].line, b->locs[k].line);
        assert_int_equal(a->locs[k].inlined_at, b->locs[k].inlined_at);
        if (a->locs[k].inlined_function)
            assert_string_equal(a->locs[k].inlined_function, b->locs[k].inlined_function);
    }
    for (uint32_t k = 0; k < a->target_count; k++) {
        assert_int_equal(a->targets[k].kind, b->targets[k].kind);
        assert_int_equal(a->targets[k].count, b->targets[k].count);
    }
}

static void
same_module(const struct ptx_module *a, const struct ptx_module *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->target, b->target);
    assert_int_equal(a->address_size, b->address_size);
    assert_int_equal(a->file_count, b->file_count);
    assert_int_equal(a->var_count, b->var_count);
    assert_int_equal(a->func_count, b->func_count);
    for (uint32_t k = 0; k < a->var_count; k++)
        same_var(a->vars[k], b->vars[k]);
    for (uint32_t k = 0; k < a->func_count; k++)
        same_func(a->funcs[k], b->funcs[k]);
}

static void
printed_parses_to(const struct ptx_module *m)
{
    struct text t = {0};
    ptx_print(m, &t);
    struct ptx_module *again = parse(t.at, "again.ptx");
    same_module(m, again);
    ptx_free(again);
    text_free(&t);
}

static void
round_trip(void **state)
{
    struct ptx_module *m = parse(whole, "k.ptx");
    printed_parses_to(m);
    ptx_free(m);
    m = parse(HEAD ".global .f64 d[3] = {0dFFF8000000000001, -1.5, 2};\n"
                   ".global .v2 .u32 v[2] = {1, 2, 3};\n.const .b64 c = -9223372036854775808;\n"
                   ".entry k() { .reg .b64 %d<3>; .reg .b32 %r<9>; .reg .b16 %h; .reg .f64 %g<3>;\n"
                   "ld.global.b32 %r1, [16]; ld.shared.u32 %r2, [%r1+-9223372036854775808];\n"
                   "vadd.s32.u32.u32.sat %r1, %r2.b1, %r3.h1, %r4;\n"
                   "add.f64 %g1, %g2, 0.1; mov.b64 %d1, -1; mov.u32 %r1, %ntid.y;\n"
                   "tex.2d.v4.u32.s32 {%r1, %r2, %r3, _}, [%d1, {%r5, %r6}];\n"
                   "atom.acq_rel.gpu.global.add.u64 %d1, [d], 4; fence.proxy.async; ret; }\n",
              "l.ptx");
    printed_parses_to(m);
    ptx_free(m);
}

static void
one_instruction(void **state)
{
    static const char *const expected[] = {
        "@!%p1 bra E;",
        "ld.volatile.global.v2.f32 {%f1, %f2}, [%d1+-8];",
        "setp.lt.and.u32 %p1|_, %r1, 7, !%p2;",
        "fma.rn.ftz.f32 %f1, %f2, 0f3F800000, %f1;",
        "ret;",
    };
    struct ptx_module *m = parse(
        HEAD ".entry k() { .reg .pred %p<3>; .reg .b32 %r<3>; .reg .f32 %f<3>; .reg .b64 %d<3>;\n"
             "@!%p1 bra E; ld.volatile.global.v2.f32 {%f1, %f2}, [%d1-8];\n"
             "setp.lt.and.u32 %p1|_, %r1, 3+4, !%p2; fma.rn.ftz.f32 %f1, %f2, 0f3f800000, %f1;\n"
             "E: ret; }\n",
        "k.ptx");
    for (uint32_t k = 0; k < m->funcs[0]->insn_count; k++) {
        struct text t = {0};
        ptx_print_insn(m->funcs[0], &m->funcs[0]->insns[k], &t);
        assert_string_equal(t.at, expected[k]);
        text_free(&t);
    }
    ptx_free(m);
}

/* -- linking ----------------------------------------------------------------------------------- */

static const char part_a[] = HEAD
    ".file 1 \"\\303\\274 \\\"a\\\".cu\"\n"
    ".extern .global .u32 counter;\n.extern .shared .align 4 .b8 dynamic[];\n"
    ".global .u32 own = 1;\n.weak .global .u32 maybe = 1;\n.common .global .u32 pool[2];\n"
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".weak .func lazy() { .reg .b32 %r; mov.u32 %r, 1; ret; }\n"
    ".func hidden() { ret; }\n"
    ".visible .entry first() {\n.reg .b32 %r<4>; .reg .b64 %d<3>; .param .b32 a; .param .b32 b;\n"
    ".loc 1 7 1\nld.global.u32 %r1, [counter]; st.param.b32 [a], %r1;\n"
    "call (b), twice, (a); call hidden; call lazy; mov.u64 %d1, own; mov.u64 %d2, dynamic; ret; "
    "}\n";

static const char part_b[] =
    HEAD ".file 1 \"b.cu\"\n"
         ".visible .global .u32 counter = 42;\n.extern .shared .align 16 .b8 dynamic[];\n"
         ".global .u32 own = 2;\n.visible .global .u32 maybe = 2;\n.common .global .u32 pool[5];\n"
         ".global .u64 pointers[2] = {own, twice};\n"
         ".visible .func (.param .b32 r) twice(.param .b32 x) {\n.reg .b32 %r<3>;\n.loc 1 3 1\n"
         "ld.param.u32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }\n"
         ".visible .func lazy() { ret; }\n"
         ".func hidden() { exit; }\n"
         ".entry second() { call hidden; ret; }\n";

static struct ptx_module *
link_two(const char *a, const char *b, struct ls_error *err)
{
    struct ptx_module *parts[] = {parse(a, "a.ptx"), parse(b, "b.ptx")};
    struct ptx_module *m = ptx_link(parts, 2, "linked", err);
    ptx_free(parts[0]); /* nothing of them is used by the result */
    ptx_free(parts[1]);
    return m;
}

static void
linked(void **state)
{
    struct ls_error err = {0};
    struct ptx_module *m = link_two(part_a, part_b, &err);
    if (!m)
        fail_msg("%s", err.text);
    const struct ptx_var *counter = ptx_find_var(m, "counter"), *own = ptx_find_var(m, "own");
    assert_int_equal(counter->init[0], 42);
    assert_int_equal(counter->linkage, PTX_VISIBLE);
    assert_int_equal(ptx_find_var(m, "maybe")->init[0], 2);
    assert_int_equal(ptx_find_var(m, "pool")->size, 20);
    assert_int_equal(ptx_find_var(m, "dynamic")->align, 16);
    assert_int_equal(own->init[0], 1);
    const struct ptx_var *p = ptx_find_var(m, "pointers");
    assert_int_equal(p->relocs[0].var->init[0], 2); /* b's own, not a's */
    assert_ptr_equal(p->relocs[1].func, ptx_find_func(m, "twice"));
    const struct ptx_func *first = ptx_find_func(m, "first"), *second = ptx_find_func(m, "second");
    assert_ptr_equal(first->insns[0].operand[1].var, counter);
    assert_ptr_equal(first->insns[2].operand[1].func, ptx_find_func(m, "twice"));
    assert_true(ptx_find_func(m, "twice")->has_body);
    assert_int_equal(ptx_find_func(m, "lazy")->insn_count, 1);
    assert_ptr_equal(first->insns[5].operand[1].var, own);
    assert_int_equal(first->insns[3].operand[0].func->insns[0].op, PTX_OP_RET);
    assert_int_equal(second->insns[0].operand[0].func->insns[0].op, PTX_OP_EXIT);
    assert_string_equal(m->files[first->locs[1].file].name, "ü \"a\".cu");
    assert_string_equal(m->files[ptx_find_func(m, "twice")->locs[1].file].name, "b.cu");
    assert_ptr_equal(first->module, m);
    for (uint32_t k = 0; k < m->func_count; k++)
        assert_int_equal(m->funcs[k]->index, k);
    printed_parses_to(m);
    ptx_free(m);
}

/* Initial values that name what another part defines, behind something that it keeps to itself, and
 * each other. */
static void
linked_values(void **state)
{
    static const char first[] = HEAD ".extern .global .u64 at[1];\n"
                                     ".visible .global .u64 ring = generic(at);\n",
                      second[] = HEAD ".extern .global .u64 ring[1];\n"
                                      ".global .u32 own[2] = {3, 4};\n"
                                      ".visible .global .u64 at[1] = {generic(own)};\n"
                                      ".weak .global .u64 back = generic(ring);\n";
    struct ls_error err = {0};
    struct ptx_module *m = link_two(first, second, &err);
    if (!m)
        fail_msg("%s", err.text);
    for (uint32_t again = 0; again < 2; again++) { /* printed and parsed: declared first */
        for (uint32_t k = 0; k < m->var_count; k++)
            assert_int_equal(m->vars[k]->index, k);
        const struct ptx_var *at = ptx_find_var(m, "at");
        assert_ptr_equal(ptx_find_var(m, "ring")->relocs[0].var, at);
        assert_int_equal(at->relocs[0].var->init[0], 3);
        assert_int_equal(at->linkage, PTX_VISIBLE);
        struct text t = {0};
        ptx_print(m, &t);
        ptx_free(m);
        m = parse(t.at, "again.ptx");
        text_free(&t);
    }
    ptx_free(m);
}

static void
linked_alone(void **state)
{
    struct ptx_module *m = parse(whole, "k.ptx");
    struct ls_error err = {0};
    struct ptx_module *l = ptx_link(&m, 1, "linked", &err);
    same_module(m, l);
    ptx_free(m);
    printed_parses_to(l);
    ptx_free(l);
}

static void
not_linked(void **state)
{
    static const struct {
        const char *a, *b, *message;
    } wrong[] = {
        {HEAD ".visible .global .u32 x;", HEAD "\n.visible .global .u32 x;",
         "b.ptx:5: 'x' is defined in a.ptx:4"},
        {HEAD ".visible .global .u32 x;", HEAD ".extern .global .u64 x;",
         "b.ptx:4: 'x' is declared differently in a.ptx:4"},
        {HEAD ".entry k() { ret; }", HEAD ".entry k() { ret; }",
         "b.ptx:4: 'k' is defined in a.ptx:4"},
        {HEAD ".extern .func f();", HEAD ".visible .func f(.param .b32 x) { ret; }",
         "b.ptx:4: 'f' is declared differently in a.ptx:4"},
        {HEAD ".visible .func f() { ret; }", HEAD ".visible .global .u32 f;",
         "b.ptx:4: 'f' is declared differently in a.ptx:4"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct ls_error err = {0};
        assert_null(link_two(wrong[k].a, wrong[k].b, &err));
        assert_string_equal(err.text, wrong[k].message);
    }
}

int
main(void)
{
    return UNIT_TESTS(round_trip, one_instruction, linked, linked_values, linked_alone, not_linked);
}
