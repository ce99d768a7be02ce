/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_test: PTX text to modules, and the messages for text that is wrong.
 *
 * `constructs` and what follows look at what was read; `malformed` has a text, the line and the
 * whole message for each mistake; `truncated` cuts a module that uses most of the language behind
 * every byte (run it with the sanitizers); `absurd` asks for sizes that nothing can hold.
 */
#include "ptx/ptx.h"
#include "ptx/sample.h"

#include <stdlib.h>
#include <string.h>

#include "common/unit.h"

static struct ptx_module *
parse(const char *text)
{
    struct ls_error err = {0};
    struct ptx_module *m = ptx_parse(text, strlen(text), "k.ptx", &err);
    if (!m)
        fail_msg("%s", err.text);
    return m;
}

static const struct ptx_insn *
insn(const struct ptx_func *f, enum ptx_op op, unsigned which)
{
    for (uint32_t k = 0; k < f->insn_count; k++)
        if (f->insns[k].op == op && which-- == 0)
            return &f->insns[k];
    fail_msg("no %s", ptx_op_name(op));
    return NULL;
}

/* -- what was read ----------------------------------------------------------------------------- */

static void
module_scope(void **state)
{
    struct ptx_module *m = parse(whole);
    assert_int_equal(m->version, 85);
    assert_int_equal(m->target, 90);
    assert_int_equal(m->address_size, 64);
    assert_int_equal(m->file_count, 3);
    assert_string_equal(m->files[2].name, "b.h");
    const struct ptx_var *d = ptx_find_var(m, "dynamic");
    assert_true(d->unsized && d->align == 16 && d->linkage == PTX_EXTERN && d->size == 0);
    const struct ptx_var *w = ptx_find_var(m, "weights");
    const float expected[6] = {1, 2, -3, 4, 0, 0};
    assert_int_equal(w->size, sizeof expected);
    assert_memory_equal(w->init, expected, sizeof expected);
    const struct ptx_var *b = ptx_find_var(m, "bytes");
    assert_memory_equal(b->init, "\x01\x02\xff\xff\x0c", 5);
    assert_int_equal(b->space, PTX_SPACE_CONST);
    const struct ptx_var *pairs = ptx_find_var(m, "pairs");
    const int32_t pair[6] = {-1, 0, 0, -1, 1, 2};
    assert_false(pairs->unsized);
    assert_int_equal(pairs->size, sizeof pair);
    assert_memory_equal(pairs->init, pair, sizeof pair);
    assert_true(ptx_find_var(m, "shared_with_host")->managed);
    ptx_free(m);
}

static void
addresses(void **state)
{
    struct ptx_module *m = parse(whole);
    const struct ptx_var *t = ptx_find_var(m, "table");
    assert_int_equal(t->reloc_count, 3);
    assert_true(t->relocs[0].generic && t->relocs[0].var == ptx_find_var(m, "weights"));
    assert_int_equal(t->relocs[1].at, 8);
    assert_int_equal(t->relocs[1].addend, 8);
    assert_false(t->relocs[1].generic);
    assert_ptr_equal(t->relocs[2].func, ptx_find_func(m, "helper"));
    const struct ptx_var *p = ptx_find_var(m, "packed");
    assert_int_equal(p->reloc_count, 2);
    assert_int_equal(p->relocs[0].shift, 0);
    assert_int_equal(p->relocs[1].shift, 8);
    assert_int_equal(p->relocs[1].bytes, 1);
    assert_int_equal(p->init[2], 7);
    ptx_free(m);
}

static void
functions(void **state)
{
    struct ptx_module *m = parse(whole);
    const struct ptx_func *k = ptx_find_func(m, "kernel"), *h = ptx_find_func(m, "helper");
    assert_true(k->is_kernel && k->linkage == PTX_VISIBLE);
    assert_int_equal(k->param_count, 4);
    assert_int_equal(k->params[1]->param_offset, 8); /* whatever it points to is aligned to 1 */
    assert_int_equal(k->params[2]->param_offset, 16);
    assert_int_equal(k->params[3]->param_offset, 28);
    assert_int_equal(k->param_bytes, 29);
    assert_int_equal(k->limits.maxntid[0], 128);
    assert_int_equal(k->limits.maxntid[1], 2);
    assert_int_equal(k->limits.minnctapersm, 2);
    assert_int_equal(k->var_count, 4); /* stack, tile, a0, a1 */
    assert_int_equal(k->vars[1]->size, 32 * 33 * 4);
    const struct ptx_func *again = ptx_find_func(m, "again");
    assert_true(again->has_body && again->insns == h->insns && again->linkage == PTX_WEAK);
    const struct ptx_func *r = ptx_find_func(m, "in_regs");
    assert_string_equal(r->regs[r->result_regs[0]].name, "%res");
    assert_string_equal(r->regs[r->param_regs[0]].name, "%x");
    assert_false(ptx_find_func(m, "vprintf")->has_body);
    ptx_free(m);
}

static void
instructions(void **state)
{
    struct ptx_module *m = parse(whole);
    const struct ptx_func *k = ptx_find_func(m, "kernel");
    const struct ptx_insn *i = insn(k, PTX_OP_SETP, 0);
    assert_int_equal(i->operand[0].kind, PTX_O_PAIR);
    assert_true(i->operand[3].negated && ptx_has(i, PTX_M_LT) && ptx_has(i, PTX_M_AND));
    i = insn(k, PTX_OP_BRA, 0);
    assert_true(i->guard_negated && !strcmp(k->regs[i->guard].name, "%p1"));
    assert_string_equal(k->labels[i->operand[0].label].name, "$L__end");
    assert_ptr_equal(&k->insns[k->labels[i->operand[0].label].insn], insn(k, PTX_OP_ST, 1));
    i = insn(k, PTX_OP_LD, 2);
    assert_int_equal(i->vec, 4);
    assert_int_equal(i->operand[0].count, 4);
    assert_int_equal(i->operand[1].offset, -16);
    i = insn(k, PTX_OP_MOV, 2);
    assert_int_equal(i->operand[0].elements[1].kind, PTX_O_SINK);
    i = insn(k, PTX_OP_FMA, 0);
    assert_true(i->operand[2].imm_is_f32 && i->operand[2].imm == 0x3f800000);
    i = insn(k, PTX_OP_BRX, 0);
    const struct ptx_targets *t = &k->targets[i->operand[1].target];
    assert_true(t->kind == 'b' && t->count == 2);
    assert_string_equal(k->labels[t->labels[1]].name, "$L__tmp0");
    ptx_free(m);
}

/* name[k]: an element's address. */
static void
array_elements(void **state)
{
    struct ptx_module *m =
        parse(".version 8.0\n.target sm_90\n.address_size 64\n"
              ".global .v2 .f32 pairs[8];\n"
              ".entry k() {\n.reg .b64 %d; .shared .u32 t[4];\n"
              "mov.u64 %d, t[0]; mov.u64 %d, t[1+2]; mov.u64 %d, pairs[2]+4; ret; }\n");
    const struct ptx_func *k = ptx_find_func(m, "k");
    assert_int_equal(insn(k, PTX_OP_MOV, 0)->operand[1].kind, PTX_O_SYMBOL);
    assert_int_equal(insn(k, PTX_OP_MOV, 0)->operand[1].offset, 0);
    assert_int_equal(insn(k, PTX_OP_MOV, 1)->operand[1].offset, 12);
    assert_int_equal(insn(k, PTX_OP_MOV, 2)->operand[1].offset, 20);
    ptx_free(m);
}

static void
calls_and_scopes(void **state)
{
    struct ptx_module *m = parse(whole);
    const struct ptx_func *k = ptx_find_func(m, "kernel");
    const struct ptx_insn *i = insn(k, PTX_OP_CALL, 0);
    assert_int_equal(i->operand[1].kind, PTX_O_FUNC);
    assert_ptr_equal(i->operand[1].func, ptx_find_func(m, "helper"));
    assert_ptr_equal(i->operand[0].elements[0].var, k->vars[3]);
    i = insn(k, PTX_OP_CALL, 2);
    assert_int_equal(i->operand[1].kind, PTX_O_REG);
    assert_int_equal(k->targets[i->operand[3].target].kind, 'p');
    assert_int_equal(k->targets[i->operand[3].target].prototype->param_count, 1);
    /* %r1 of the inner scope is another register than the function's. */
    uint32_t outer = insn(k, PTX_OP_LD, 0)->operand[0].reg;
    uint32_t inner = insn(k, PTX_OP_LD, 3)->operand[0].reg;
    assert_string_equal(k->regs[outer].name, "%r1");
    assert_string_equal(k->regs[inner].name, "%r1");
    assert_int_not_equal(outer, inner);
    ptx_free(m);
}

static void
places(void **state)
{
    struct ptx_module *m = parse(whole);
    const struct ptx_func *k = ptx_find_func(m, "kernel");
    const struct ptx_insn *i = insn(k, PTX_OP_CVTA, 0);
    const struct ptx_loc *l = &k->locs[i->loc];
    assert_int_equal(l->line, 20);
    assert_string_equal(l->inlined_function, "foo");
    assert_ptr_equal(&k->locs[l->inlined_at], &k->locs[insn(k, PTX_OP_LD, 0)->loc]);
    assert_int_equal(k->locs[l->inlined_at].line, 10);
    assert_int_equal(i->column, 2);
    ptx_free(m);
}

static void
redeclared(void **state)
{
    struct ptx_module *m =
        parse(HEAD ".extern .global .u32 x;\n.global .u32 x = 3;\n"
                   ".extern .global .u32 x;\n"
                   ".visible .func f(.param .b32 a);\n.func f(.param .b32 a) { ret; }\n"
                   ".func f(.param .b32 a);\n"
                   ".entry k() { ret; }\n");
    assert_int_equal(m->var_count, 1);
    assert_int_equal(m->vars[0]->init[0], 3);
    assert_int_equal(m->vars[0]->linkage, PTX_LOCAL_LINKAGE);
    assert_true(ptx_find_func(m, "f")->has_body);
    assert_int_equal(ptx_find_func(m, "f")->linkage, PTX_VISIBLE);
    assert_int_equal(m->func_count, 2);
    ptx_free(m);
}

/* -- malformed text ---------------------------------------------------------------------------- */

#define KERNEL(line)                                                                               \
    HEAD ".entry k(.param .u64 p) {\n"                                                             \
         ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .f32 %f<4>;\n" \
         ".reg .u32 %u<4>; .reg .f64 %g<4>; .shared .b32 s[4];\n" line "\n}\n"

static const struct {
    const char *text, *message;
} mistakes[] = {
    /* instructions: they stand on line 7 */
    {KERNEL("add.u64 %d1, %r2, %d1;"), "7:1: add.u64: operand 2 is a 32-bit register"},
    {KERNEL("  add %r1, %r2, %r3;"), "7:3: add: a type is missing"},
    {KERNEL("add.s32 %r1, %r2;"), "7:1: add.s32: takes 3 operands, not 2"},
    {KERNEL("add.s32 %r1, %r2, %r3, %r4;"), "7:1: add.s32: takes 3 operands, not 4"},
    {KERNEL("add.s32 %r1, %r2, ;"), "7:19: an operand expected after ','"},
    {KERNEL("vote.sync.all.pred %p1, %p2;"),
     "7:1: vote.sync.all.pred: the mask of the members is missing"},
    {KERNEL("vote.all.pred %p1, %p2, -1;"), "7:1: vote.all.pred: .sync is missing"},
    {KERNEL("match.any.sync.b32 %r1, %r2;"), "7:1: match.any.sync.b32: takes 3 operands, not 2"},
    {KERNEL("add.pred %p1, %p2, %p3;"), "7:1: add.pred: add does not take type .pred"},
    {KERNEL("and.f32 %f1, %f2, %f3;"), "7:1: and.f32: and does not take type .f32"},
    {KERNEL("fma.rn.s32 %r1, %r2, %r3, %r4;"), "7:1: fma.rn.s32: fma does not take type .s32"},
    {KERNEL("fma.f32 %f1, %f2, %f3, %f1;"),
     "7:1: fma.f32: a rounding is missing: .rn, .rz, .rm or .rp"},
    {KERNEL("div.f32 %f1, %f2, %f3;"), "7:1: div.f32: .approx, .full or a rounding is missing"},
    {KERNEL("sqrt.f32 %f1, %f2;"),
     "7:1: sqrt.f32: .approx or a rounding is missing: .rn, .rz, .rm or .rp"},
    {KERNEL("cvt.s32.f32 %r1, %f2;"),
     "7:1: cvt.s32.f32: a rounding to an integer is missing: .rni, .rzi, .rmi or .rpi"},
    {KERNEL("cvt.f32.f64 %f1, %g2;"),
     "7:1: cvt.f32.f64: a rounding is missing: .rn, .rz, .rm or .rp"},
    {KERNEL("cvt.rn.f32 %f1, %f2;"), "7:1: cvt.rn.f32: a second type is missing"},
    {KERNEL("cvt.u64.u32 %r1, %r2;"), "7:1: cvt.u64.u32: operand 1 is a 32-bit register"},
    {KERNEL("setp.u32 %p1, %r1, %r2;"), "7:1: setp.u32: a comparison is missing: .eq, .lt, ..."},
    {KERNEL("setp.eq.u32 %r1, %r1, %r2;"), "7:1: setp.eq.u32: operand 1 must be a predicate"},
    {KERNEL("selp.b32 %r1, %r2, %r3, %r4;"), "7:1: selp.b32: operand 4 must be a predicate"},
    {KERNEL("mul.s32 %r1, %r2, %r3;"), "7:1: mul.s32: .lo, .hi or .wide is missing"},
    {KERNEL("mul.wide.s32 %r1, %r2, %r3;"), "7:1: mul.wide.s32: operand 1 is a 32-bit register"},
    {KERNEL("mad.wide.s32 %d1, %r2, %r3, %r4;"),
     "7:1: mad.wide.s32: operand 4 is a 32-bit register"},
    {KERNEL("shl.b64 %d1, %d2, %d3;"), "7:1: shl.b64: operand 3 is a 64-bit register"},
    {KERNEL("add.f32 %u1, %f2, %f3;"), "7:1: add.f32: operand 1 is a register of type .u32"},
    {KERNEL("add.s32 %r1, %f2, %r3;"), "7:1: add.s32: operand 2 is a register of type .f32"},
    {KERNEL("add.s32 %r1, %r2, 0f3F800000;"), "7:1: add.s32: operand 3 is a floating-point number"},
    {KERNEL("add.f32 %f1, %f2, 1;"),
     "7:1: add.f32: operand 3 is an integer; .f32 takes 0f and hexadecimal digits, or a decimal "
     "fraction"},
    {KERNEL("add.f32.u32 %f1, %r2, %f3;"),
     "7:1: add.f32.u32: a second type is .f16 or .bf16, behind .f32"},
    {KERNEL("fma.rn.f32.f16 %f1, %f2, %f3, %f3;"),
     "7:1: fma.rn.f32.f16: operand 2 is a 32-bit register"},
    {KERNEL("sub.ftz.f32.bf16 %f1, %f2, %f3;"), "7:1: sub.ftz.f32.bf16: .ftz is for one type"},
    {KERNEL("add.s32 5, %r2, %r3;"), "7:1: add.s32: operand 1 must be a register"},
    {KERNEL("add.s32 %tid.x, %r2, %r3;"), "7:1: add.s32: operand 1 must be a register"},
    {KERNEL("add.s32 %r1, %p2, %r3;"), "7:1: add.s32: operand 2 is a predicate"},
    {KERNEL("ld.global.u32 %r1, %d2;"),
     "7:1: ld.global.u32: operand 2 must be an address in brackets"},
    {KERNEL("ld.global.u64 %r1, [%d2];"), "7:1: ld.global.u64: operand 1 is a 32-bit register"},
    {KERNEL("ld.global.u32 %r1, [%f2];"),
     "7:1: ld.global.u32: operand 2: a register of type .f32 is no address"},
    {KERNEL("mad.f32 %f1, %f2, %f3, %f1;"),
     "7:1: mad.f32: a rounding is missing: .rn, .rz, .rm or .rp"},
    {KERNEL("ld.global.v4.u32 {%r1, %r2}, [%d2];"),
     "7:1: ld.global.v4.u32: operand 1 has 2 elements, not 4"},
    {KERNEL("ld.global.v2.u32 %r1, [%d2];"),
     "7:1: ld.global.v2.u32: operand 1 must be a vector of 2 elements"},
    {KERNEL("cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %p1;"),
     "7:1: cvt.pack.sat.u8.s32.b32: operand 4 is a predicate"},
    {KERNEL("atom.v4.max.s32 %r1, [%d2], %r2;"),
     "7:1: atom.v4.max.s32: operand 1 must be a vector of 4 elements"},
    {KERNEL("st.global.u32 %d1, %r1;"),
     "7:1: st.global.u32: operand 1 must be an address in brackets"},
    {KERNEL("atom.global.u32 %r1, [%d1], %r2;"),
     "7:1: atom.global.u32: an operation is missing: .add, .cas, ..."},
    {KERNEL("atom.global.cas.b32 %r1, [%d1], %r2;"),
     "7:1: atom.global.cas.b32: takes 4 operands, not 3"},
    {KERNEL("mov.b64 %d1, {%r1, %r2, %r3};"),
     "7:1: mov.b64: operand 2: 3 elements do not make up 64 bits"},
    {KERNEL("ret %r1;"), "7:1: ret: takes 0 operands, not 1"},
    {KERNEL("bra %r1;"), "7:1: bra: operand 1 must be a label"},
    {KERNEL("bra nowhere;"), "7:5: label 'nowhere' is not defined"},
    {KERNEL("L: ret;\nL: ret;"), "8:1: 'L' is already declared on line 7"},
    {KERNEL("@%r1 bra L;"), "7:2: '%r1' is not a predicate register"},
    {KERNEL("frobnicate.b32 %r1;"), "7:1: frobnicate is not a PTX instruction"},
    {KERNEL("cp.b32 %r1;"), "7:1: cp is not a PTX instruction"},
    {KERNEL("add.fast.s32 %r1, %r2, %r3;"), "7:4: '.fast' is not a modifier of PTX"},
    {KERNEL("multimem.red.global.add.u32 [%rd1], %r1;"), "7:1: multimem.red is not supported"},
    {KERNEL("add.s32 %r1, %r2, %q;"), "7:19: '%q' is not declared"},
    {KERNEL("add.s32 %r1, %r2, %r3"), "8:1: ';' expected, not '}'"},
    {KERNEL("call %r1;"),
     "7:1: call: a call through a register needs a prototype or a list of targets"},
    {KERNEL("call nothing, (%r1);"), "7:6: 'nothing' is not declared"},
    {KERNEL("L: call L;"), "7:9: 'L' is not a function"},
    {KERNEL("call k, (%r1, %r2);"), "7:1: call: 'k' has 1 parameter, not 2"},
    {KERNEL("brx.idx %r1, L;\nL: ret;"), "7:14: 'L' is a label, not a list of targets"},
    {KERNEL(".shared .u32 x = 3;"), "7:18: 'x' is in .shared and cannot have an initial value"},
    {KERNEL("mov.u32 %r1, 0x;"), "7:14: '0x' is not a number"},
    {KERNEL("mov.f32 %f1, 0f3F8;"), "7:14: a constant 0f needs 8 hexadecimal digits"},
    {KERNEL("mov.u64 %d1, 99999999999999999999;"), "7:14: the number does not fit in 64 bits"},
    {KERNEL("mov.u32 %r1, 1/0;"), "7:17: division by zero in a constant"},
    {KERNEL("mov.u32 %r1, `;"), "7:14: '`' does not belong here"},
    /* limits */
    {KERNEL("add.rn.u32 %r1, %r2, %r3;"),
     "7:1: add.rn.u32: roundings and .ftz are for floating-point types"},
    {KERNEL("min.ftz.s32 %r1, %r2, %r3;"),
     "7:1: min.ftz.s32: roundings and .ftz are for floating-point types"},
    {KERNEL("ld.global.v3.u32 {%r1, %r2, %r3}, [%d1];"),
     "7:1: ld.global.v3.u32: vectors have 2 or 4 elements"},
    {KERNEL("st.const.u32 [%d1], %r1;"), "7:1: st.const.u32: constant memory cannot be written"},
    {KERNEL("atom.global.add.u16 %h1, [%d1], %h2;"),
     "7:1: atom.global.add.u16: integers of 16 bits have .cas alone"},
    {KERNEL("lop3.b32 %r1, %r2, %r3, %r4, 256;"), "7:1: lop3.b32: operand 5 must be from 0 to 255"},
    {KERNEL("bar.sync 16;"), "7:1: bar.sync: barriers have numbers from 0 to 15"},
    {KERNEL("barrier.red.popc.u32 %r1, 16, %p1;"),
     "7:1: barrier.red.popc.u32: barriers have numbers from 0 to 15"},
    /* directives */
    {"", "1:1: the text holds no PTX module"},
    {".target sm_90\n", "1:1: a module begins with .version"},
    {".version x\n", "1:10: a version expected, not 'x'"},
    {".version 8.5\n.target sm_x\n", "2:9: 'sm_x' is not a target"},
    {".version 8.5\n.address_size 48\n", "2:15: .address_size 48 is not supported: only 64 is"},
    {HEAD "frob\n", "4:1: a directive, a variable or a function expected, not 'frob'"},
    {HEAD "/* no end\n", "4:1: the comment has no end"},
    {HEAD ".file 1 \"a\n", "4:9: the string has no end"},
    {HEAD ".global .u32;\n", "4:13: a variable's name expected, not ';'"},
    {HEAD ".global x;\n", "4:9: a type expected, not 'x'"},
    {HEAD ".global .align 3 .u32 x;\n", "4:16: an alignment must be a power of two"},
    {HEAD ".global .u32 x;\n.global .u32 x;\n", "5:14: 'x' is already declared on line 4"},
    {HEAD ".extern .global .u32 x;\n.shared .u32 x;\n",
     "5:14: 'x' is declared differently on line 4"},
    {HEAD ".global .u32 x[2] = {1, 2, 3};\n", "4:28: 'x' has more initial values than elements"},
    {HEAD ".global .u32 x[2] = {{1}, {2}};\n", "4:22: 'x' has fewer dimensions than this"},
    {HEAD ".global .u64 x = y;\n", "4:18: 'y' is not declared"},
    {HEAD ".global .u16 y; .global .u16 x = y;\n", "4:34: an address needs 4 or 8 bytes, not 2"},
    {HEAD ".entry k() {\nret;\n", "6:1: the text ends inside function 'k'"},
    {HEAD ".entry k() { ret; }\n.entry k() { ret; }\n", "5:8: 'k' is already declared on line 4"},
    {HEAD ".entry (.param .u32 r) k() { ret; }\n", "4:8: a kernel has no results"},
    {HEAD ".func f(.param .b32 a);\n.func f() { ret; }\n",
     "5:7: 'f' is declared differently on line 4"},
    {HEAD ".entry k(.u32 a) { ret; }\n", "4:10: .param or .reg expected, not '.u32'"},
    {HEAD ".alias a, b;\n", "4:8: 'a' is not a function that an alias can have"},
    {HEAD ".section .debug_str {\n", "5:1: the text ends inside a section"},
};

static void
malformed(void **state)
{
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        struct ls_error err = {0};
        char expected[400] = "k.ptx:";
        strcat(expected, mistakes[k].message);
        struct ptx_module *m = ptx_parse(mistakes[k].text, strlen(mistakes[k].text), "k.ptx", &err);
        if (m)
            fail_msg("accepted, without: %s", expected);
        if (strcmp(err.text, expected))
            fail_msg("%s\n  instead of %s", err.text, expected);
    }
}

/* -- cut off, and absurd ----------------------------------------------------------------------- */

static void
truncated(void **state)
{
    size_t n = sizeof whole - 1;
    for (size_t size = 0; size < n; size++) {
        char *text = malloc(size + 1); /* of the exact size, so that reading past it is seen */
        memcpy(text, whole, size);
        char *exact = realloc(text, size ? size : 1);
        struct ls_error err = {0};
        struct ptx_module *m = ptx_parse(exact, size, "k.ptx", &err);
        if (!m && strncmp(err.text, "k.ptx:", 6))
            fail_msg("cut after %zu bytes: '%s'", size, err.text);
        ptx_free(m);
        free(exact);
    }
}

static void
reject(const char *text, const char *part)
{
    struct ls_error err = {0};
    struct ptx_module *m = ptx_parse(text, strlen(text), "k.ptx", &err);
    if (m)
        fail_msg("accepted: %.80s", text);
    if (!strstr(err.text, part))
        fail_msg("'%s' lacks '%s'", err.text, part);
}

static void
absurd(void **state)
{
    reject(HEAD ".entry k() { .reg .b32 %r<4294967295>; ret; }", "registers");
    reject(HEAD ".global .b8 x[9223372036854775807];", "out of range");
    reject(HEAD ".global .b64 x[1099511627776][1099511627776];", "too large");
    reject(HEAD ".global .b8 x[1099511627776] = {1};", "too large");
    reject(HEAD ".entry k(.param .b8 x[40000]) { ret; }", "more than 32764");
    reject(HEAD ".global .align 1073741824 .b8 x;", "out of range");
    reject(HEAD ".file 4294967295 \"x\"", "out of range");
    reject(HEAD ".global .b8 x[0][1099511627775][1099511627775][1099511627775] = {{{{1}}}};",
           "'x'");
    static const char *const deep[] = {"{", "(", "-", "!", "[", "{("};
    for (size_t k = 0; k < sizeof deep / sizeof *deep; k++) {
        struct text t = {0}, v = {0};
        text_add(&t, HEAD ".entry k() { .reg .b32 %%r<2>; mov.b32 %%r1, ");
        text_add(&v, HEAD ".global .b32 x = ");
        for (int n = 0; n < 100000; n++) {
            text_add(&t, "%s", deep[k]);
            text_add(&v, "%s", deep[k]);
        }
        reject(t.at, "k.ptx:4:");
        reject(v.at, "k.ptx:4:");
        text_free(&t);
        text_free(&v);
    }
    struct text scopes = {0};
    text_add(&scopes, HEAD ".entry k() ");
    for (int n = 0; n < 1000; n++)
        text_add(&scopes, "{");
    reject(scopes.at, "nested");
    text_free(&scopes);
    struct text name = {0};
    text_add(&name, HEAD ".global .u32 ");
    for (int n = 0; n < 5000; n++)
        text_add(&name, "x");
    reject(name.at, "longer than 4096");
    text_free(&name);
}

/* 20000 labels, each used once: looking for them one by one would take minutes. */
static void
many_labels(void **state)
{
    struct text t = {0};
    text_add(&t, HEAD ".entry k() {\n");
    for (int n = 0; n < 20000; n++)
        text_add(&t, "bra L%d;\n", 19999 - n);
    for (int n = 0; n < 20000; n++)
        text_add(&t, "L%d: ret;\n", n);
    text_add(&t, "}\n");
    struct ptx_module *m = parse(t.at);
    const struct ptx_func *k = m->funcs[0];
    for (uint32_t n = 0; n < 20000; n++)
        assert_int_equal(k->labels[k->insns[n].operand[0].label].insn, 20000 + 19999 - n);
    ptx_free(m);
    text_free(&t);
}

int
main(void)
{
    return UNIT_TESTS(module_scope, addresses, functions, instructions, array_elements,
                      calls_and_scopes, places, redeclared, malformed, truncated, absurd,
                      many_labels);
}
