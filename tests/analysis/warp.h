/* SPDX-License-Identifier: Apache-2.0
 *
 * Random kernels of whole numbers, and a warp that runs them lane by lane: what facts about
 * registers must agree with. The warp's lanes part and meet in the order that
 * src/analysis/analysis.h describes: of the blocks in which lanes are pending the one runs that
 * comes next in the innermost loop, then that loop's head, and so on outwards. Lanes are computed
 * one by one from the PTX manual's definitions; nothing of the analysis is asked.
 */
#ifndef LOCKSTEP_TESTS_ANALYSIS_WARP_H
#define LOCKSTEP_TESTS_ANALYSIS_WARP_H

#include "analysis/analysis.h"
#include "common/dice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- random kernels ---------------------------------------------------------------------------- */

struct dice {
    uint64_t state;
};

static inline uint32_t
roll(struct dice *d, uint32_t n)
{
    return dice_below(&d->state, n);
}

enum { SHORT_REGS = 10, LONG_REGS = 5, PRED_REGS = 4, DEEPEST = 3 };

struct maker {
    struct dice dice;
    struct text out;
    unsigned labels, statements;
};

/* A number that patterns and bounds care about: powers of two, masks,
 * small ones, ends of 32 bits. */
static inline void
number_text(struct maker *m)
{
    static const char *const odd[] = {"-1",    "-2",         "255",         "-32",
                                      "65535", "2147483647", "-2147483648", "1073741824"};
    uint32_t k = roll(&m->dice, 16);
    if (k < 6)
        text_add(&m->out, "%u", 1u << roll(&m->dice, 9));
    else if (k < 13)
        text_add(&m->out, "%u", roll(&m->dice, 40));
    else
        text_add(&m->out, "%s", odd[roll(&m->dice, 8)]);
}

/* R, D, P: a register; N: one of 32 bits or a number; S, T: numbers to shift by; K: a number above
 * zero. */
static inline void
operand_of(struct maker *m, char kind)
{
    switch (kind) {
    case 'R': text_add(&m->out, "%%r%u", roll(&m->dice, SHORT_REGS)); break;
    case 'D': text_add(&m->out, "%%d%u", roll(&m->dice, LONG_REGS)); break;
    case 'P': text_add(&m->out, "%%p%u", roll(&m->dice, PRED_REGS)); break;
    case 'S': text_add(&m->out, "%u", roll(&m->dice, 9)); break;
    case 'T': text_add(&m->out, "%u", 16 * (1 + roll(&m->dice, 2))); break;
    case 'K': text_add(&m->out, "%u", 1 + roll(&m->dice, 33)); break;
    default:
        if (roll(&m->dice, 2))
            number_text(m);
        else
            operand_of(m, 'R');
    }
}

static inline void
assignment(struct maker *m)
{
    static const char *const operations[] = {
        "add.s32 RRN",       "add.u32 RRN",      "sub.s32 RRN",      "sub.s32 RNR",
        "mul.lo.s32 RRN",    "mul.lo.u32 RRR",   "mad.lo.s32 RRNR",  "shl.b32 RRS",
        "shr.u32 RRS",       "shr.s32 RRS",      "and.b32 RRN",      "or.b32 RRN",
        "xor.b32 RRN",       "min.u32 RRN",      "max.s32 RRN",      "div.u32 RRK",
        "rem.u32 RRK",       "mov.u32 RN",       "selp.b32 RRNP",    "cvt.u32.u64 RD",
        "cvt.u32.u16 RR",    "cvt.s32.s8 RR",    "mul.wide.s32 DRN", "mul.wide.u32 DRN",
        "mad.wide.u32 DRND", "cvt.s64.s32 DR",   "cvt.u64.u32 DR",   "add.s64 DDD",
        "sub.s64 DDD",       "shl.b64 DDS",      "mul.lo.s64 DDK",   "mov.u64 DD",
        "selp.b64 DDDP",     "setp.lt.s32 PRN",  "setp.lt.u32 PRN",  "setp.ge.s32 PRN",
        "setp.eq.s32 PRN",   "and.pred PPP",     "or.pred PPP",      "not.pred PP",
        "add.s32 RRN",       "mul.wide.s32 DRN", "add.s64 DDD",      "add.s32 RRR",
        "mad.lo.s32 RRRR",   "and.b32 RRN",      "shr.u64 DDT",      "shl.b64 DDT",
    };
    const char *o = operations[roll(&m->dice, sizeof operations / sizeof *operations)];
    const char *kinds = strchr(o, ' ') + 1;
    text_add(&m->out, "%.*s ", (int)(kinds - o - 1), o);
    for (unsigned k = 0; kinds[k]; k++) {
        text_add(&m->out, k ? ", " : "");
        operand_of(m, kinds[k]);
    }
    text_add(&m->out, ";\n");
}

static inline void statements(struct maker *m, unsigned count, unsigned depth,
                              const unsigned *exits, unsigned loops);

static inline void
branch_text(struct maker *m, unsigned to)
{
    text_add(&m->out, "@%s%%p%u bra L%u;\n", roll(&m->dice, 2) ? "!" : "",
             roll(&m->dice, PRED_REGS), to);
}

static inline void
loop_statement(struct maker *m, unsigned depth, const unsigned *exits, unsigned loops)
{
    unsigned head = m->labels++, end = m->labels++, inner[DEEPEST + 1];
    memcpy(inner, exits, loops * sizeof *exits);
    inner[loops] = end;
    switch (roll(&m->dice, 3)) {
    case 0: text_add(&m->out, "mov.u32 %%c%u, %u;\n", depth, 1 + roll(&m->dice, 6)); break;
    case 1: text_add(&m->out, "and.b32 %%c%u, %%n, 3;\n", depth); break;
    default: text_add(&m->out, "and.b32 %%c%u, %%r%u, 3;\n", depth, roll(&m->dice, SHORT_REGS));
    }
    text_add(&m->out, "L%u:\n", head);
    statements(m, 1 + roll(&m->dice, 5), depth + 1, inner, loops + 1);
    text_add(&m->out, "sub.s32 %%c%u, %%c%u, 1;\nsetp.gt.s32 %%q, %%c%u, 0;\n@%%q bra L%u;\nL%u:\n",
             depth, depth, depth, head, end);
}

/* Blocks that jump anywhere; a thread takes at most 12 steps. */
static inline void
jumpy_statement(struct maker *m)
{
    enum { BLOCKS = 5 };
    unsigned first = m->labels;
    m->labels += BLOCKS + 1;
    text_add(&m->out, "mov.u32 %%j, 12;\n");
    for (unsigned k = 0; k < BLOCKS; k++) {
        text_add(&m->out, "L%u:\n", first + k);
        assignment(m);
        text_add(&m->out, "sub.u32 %%j, %%j, 1;\nsetp.eq.u32 %%q, %%j, 0;\n@%%q bra L%u;\n",
                 first + BLOCKS);
        branch_text(m, first + roll(&m->dice, BLOCKS + 1));
        text_add(&m->out, "bra L%u;\n", first + roll(&m->dice, BLOCKS + 1));
    }
    text_add(&m->out, "L%u:\n", first + BLOCKS);
}

static inline void
statement(struct maker *m, unsigned depth, const unsigned *exits, unsigned loops)
{
    unsigned a, b;
    uint32_t k = roll(&m->dice, 24);
    if (m->statements++ > 90)
        return;
    if (k < 2) {
        text_add(&m->out, "@%%p%u ", roll(&m->dice, PRED_REGS));
        assignment(m);
    } else if (k < 5 && depth < DEEPEST) {
        a = m->labels++, b = m->labels++;
        branch_text(m, a);
        statements(m, 1 + roll(&m->dice, 4), depth + 1, exits, loops);
        text_add(&m->out, "bra L%u;\nL%u:\n", b, a);
        statements(m, roll(&m->dice, 3), depth + 1, exits, loops);
        text_add(&m->out, "L%u:\n", b);
    } else if (k < 7 && depth < DEEPEST) {
        loop_statement(m, depth, exits, loops);
    } else if (k == 7 && loops) {
        branch_text(m, exits[roll(&m->dice, loops)]);
    } else if (k == 8 && depth < 2) {
        jumpy_statement(m);
    } else if (k == 9 && depth == 1) {
        text_add(&m->out, "@%%p%u ret;\n", roll(&m->dice, PRED_REGS));
    } else {
        assignment(m);
    }
}

static inline void
statements(struct maker *m, unsigned count, unsigned depth, const unsigned *exits, unsigned loops)
{
    for (unsigned k = 0; k < count; k++)
        statement(m, depth, exits, loops);
}

/* .entry k(.param .u32 n, .param .u64 base); text_free. */
static inline struct text
kernel_text(uint64_t seed)
{
    struct maker m = {.dice = {seed}};
    unsigned none[1] = {0};
    text_add(
        &m.out,
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n, .param "
        ".u64 base)\n{\n"
        ".reg .b32 %%r<%u>; .reg .b64 %%d<%u>; .reg .pred %%p<%u>; .reg .b32 %%c<%u>; .reg .b32 "
        "%%j, %%n; .reg "
        ".pred %%q;\n"
        "ld.param.u32 %%n, [n];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%tid.y;\nmov.u32 %%r2, "
        "%%ctaid.x;\n"
        "mov.u32 %%r3, %%ntid.x;\nmov.u32 %%r4, %%n;\nmov.u32 %%r5, %%tid.z;\nmov.u32 %%r6, 12;\n"
        "mad.lo.s32 %%r7, %%r2, %%r3, %%r0;\nmad.lo.s32 %%r8, %%r1, %%r4, %%r0;\nmad.lo.s32 %%r9, "
        "%%r1, %%r3, "
        "%%r0;\n"
        "ld.param.u64 %%d0, [base];\nmul.wide.s32 %%d1, %%r7, 4;\nadd.s64 %%d2, %%d0, %%d1;\n"
        "cvt.u64.u32 %%d3, %%r9;\nmul.wide.u32 %%d4, %%r8, 4;\n"
        "setp.lt.s32 %%p0, %%r7, %%n;\nsetp.lt.u32 %%p1, %%r0, 8;\nsetp.eq.s32 %%p2, %%r1, 0;\n"
        "setp.gt.s32 %%p3, %%n, 5;\n",
        SHORT_REGS, LONG_REGS, PRED_REGS, DEEPEST + 1);
    statements(&m, 8 + roll(&m.dice, 20), 0, none, 0);
    /* All of it is read in the end, so that nothing is dead on the way. */
    for (unsigned k = 1; k < SHORT_REGS; k++)
        text_add(&m.out, "add.s32 %%r0, %%r0, %%r%u;\n", k);
    for (unsigned k = 1; k < LONG_REGS; k++)
        text_add(&m.out, "add.s64 %%d0, %%d0, %%d%u;\n", k);
    text_add(&m.out, "ret;\n}\n");
    return m.out;
}

/* -- a warp ------------------------------------------------------------------------------------ */

struct warp {
    const struct wir *wir;
    uint32_t block[3], ctaid, n;
    uint64_t base;
    uint32_t first, lanes;  /* number of its first thread; set of the lanes there are */
    uint64_t *value[LANES]; /* per register */
    bool *written[LANES];
    uint32_t *pending; /* per block of the flow: lanes that wait to run it */
    uint32_t at;       /* the block that runs */
    /* Before and after each instruction, with the lanes that execute it
     * (those whose guard holds). */
    void (*look)(struct warp *w, uint32_t insn, uint32_t lanes, bool after);
    void (*block_begins)(struct warp *w, uint32_t lanes);
    void *context;
    bool parted; /* the lanes of a branch went different ways */
};

static inline unsigned
reg_width(const struct wir *f, uint32_t reg)
{
    enum ptx_type t = (enum ptx_type)f->regs[reg].type;
    return t == PTX_PRED ? 1 : 8 * ptx_type_bytes(t);
}

static inline uint64_t
cut(uint64_t v, unsigned bits)
{
    return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static inline int64_t
as_signed(uint64_t v, unsigned bits)
{
    return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static inline uint32_t
thread_of(const struct warp *w, unsigned lane, unsigned d)
{
    uint32_t t = w->first + lane;
    return d == 0   ? t % w->block[0]
           : d == 1 ? t / w->block[0] % w->block[1]
                    : t / w->block[0] / w->block[1];
}

static inline uint64_t
special(const struct warp *w, unsigned lane, uint32_t r)
{
    switch (r) {
    case PTX_SR_TID_X:
    case PTX_SR_TID_Y:
    case PTX_SR_TID_Z: return thread_of(w, lane, r - PTX_SR_TID_X);
    case PTX_SR_NTID_X:
    case PTX_SR_NTID_Y:
    case PTX_SR_NTID_Z: return w->block[r - PTX_SR_NTID_X];
    case PTX_SR_CTAID_X: return w->ctaid;
    default: ls_warn("special register %u", r); abort();
    }
}

static inline uint64_t
operand_value(const struct warp *w, unsigned lane, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_O_REG: return w->value[lane][o->reg];
    case PTX_O_INT: return (uint64_t)o->imm;
    case PTX_O_SREG: return special(w, lane, o->sreg);
    case PTX_O_ADDRESS: return o->var->size == 4 ? w->n : w->base; /* of the two parameters */
    default: ls_warn("operand of kind %u", o->kind); abort();
    }
}

static inline bool
compare_values(const struct ptx_insn *p, uint64_t a, uint64_t b, unsigned bits, bool is_signed)
{
    int64_t x = is_signed ? as_signed(a, bits) : (int64_t)cut(a, bits);
    int64_t y = is_signed ? as_signed(b, bits) : (int64_t)cut(b, bits);
    return ptx_has(p, PTX_M_LT)   ? x < y
           : ptx_has(p, PTX_M_GE) ? x >= y
           : ptx_has(p, PTX_M_GT) ? x > y
                                  : x == y;
}

/* What the instruction writes, before it is cut to the register's width. */
static inline uint64_t
compute(const struct warp *w, unsigned lane, const struct ptx_insn *p)
{
    unsigned bits = p->type[0] == PTX_PRED ? 1 : 8 * ptx_type_bytes((enum ptx_type)p->type[0]);
    bool is_signed = ptx_type_kind((enum ptx_type)p->type[0]) == 's', wide = ptx_has(p, PTX_M_WIDE);
    uint64_t v[3] = {0}, x[2];
    for (unsigned k = 1; k < p->operand_count; k++)
        v[k - 1] = operand_value(w, lane, &p->operand[k]);
    for (unsigned k = 0; k < 2; k++)
        x[k] = is_signed ? (uint64_t)as_signed(cut(v[k], bits), bits) : cut(v[k], bits);
    switch (p->op) {
    case PTX_OP_LD:
    case PTX_OP_MOV: return v[0];
    case PTX_OP_ADD: return v[0] + v[1];
    case PTX_OP_SUB: return v[0] - v[1];
    case PTX_OP_MUL: return wide ? x[0] * x[1] : v[0] * v[1];
    case PTX_OP_MAD: return (wide ? x[0] * x[1] : v[0] * v[1]) + v[2];
    case PTX_OP_SHL: return cut(v[1], 32) >= bits ? 0 : v[0] << cut(v[1], 32);
    case PTX_OP_SHR:
        return is_signed      ? (uint64_t)((int64_t)x[0] >> (v[1] > 31 ? 31 : v[1]))
               : v[1] >= bits ? 0
                              : x[0] >> v[1];
    case PTX_OP_AND: return v[0] & v[1];
    case PTX_OP_OR: return v[0] | v[1];
    case PTX_OP_XOR: return v[0] ^ v[1];
    case PTX_OP_NOT: return ~v[0];
    case PTX_OP_MIN: return x[0] < x[1] ? x[0] : x[1];                   /* of unsigned numbers */
    case PTX_OP_MAX: return (int64_t)x[0] > (int64_t)x[1] ? x[0] : x[1]; /* of signed ones */
    case PTX_OP_DIV: return x[0] / x[1];
    case PTX_OP_REM: return x[0] % x[1];
    case PTX_OP_SELP: return v[2] & 1 ? v[0] : v[1];
    case PTX_OP_SETP: return compare_values(p, v[0], v[1], bits, is_signed);
    case PTX_OP_CVT: {
        unsigned from = 8 * ptx_type_bytes((enum ptx_type)p->type[1]);
        v[0] = cut(v[0], from);
        return ptx_type_kind((enum ptx_type)p->type[1]) == 's' ? (uint64_t)as_signed(v[0], from)
                                                               : v[0];
    }
    default: ls_warn("instruction in line %u", p->line); abort();
    }
}

static inline void
run_insn(struct warp *w, uint32_t n, uint32_t lanes)
{
    const struct ptx_insn *p = &w->wir->insns[n].i;
    uint32_t on = lanes;
    for (unsigned l = 0; l < LANES; l++)
        if (lanes >> l & 1 && p->guard != PTX_NO_REG &&
            (w->value[l][p->guard] & 1) == p->guard_negated)
            on &= ~(1u << l);
    w->look(w, n, on, false);
    for (unsigned l = 0; l < LANES; l++)
        if (on >> l & 1) {
            uint32_t to = p->operand[0].reg;
            w->value[l][to] = cut(compute(w, l, p), reg_width(w->wir, to));
            w->written[l][to] = true;
        }
    w->look(w, n, on, true);
}

/* The pending block that runs after w->at; UINT32_MAX: none. */
static inline uint32_t
next_pending(const struct warp *w)
{
    const struct wir *f = w->wir;
    uint32_t low = w->at + 1;
    for (uint32_t l = f->blocks[w->at].loop; l != UINT32_MAX; l = f->loops[l].parent) {
        for (uint32_t b = low; b <= f->loops[l].last; b++)
            if (w->pending[b])
                return b;
        if (w->pending[f->loops[l].head])
            return f->loops[l].head;
        low = f->loops[l].last + 1;
    }
    for (uint32_t b = low; b < f->block_count; b++)
        if (w->pending[b])
            return b;
    for (uint32_t b = 0; b < f->block_count; b++)
        if (w->pending[b])
            return b;
    return UINT32_MAX;
}

static inline void
end_block(struct warp *w, uint32_t lanes)
{
    const struct wir_block *b = &w->wir->blocks[w->at];
    uint32_t took = 0;
    if (b->end == WIR_JUMP)
        w->pending[b->succ[0]] |= lanes;
    if (b->end != WIR_BRANCH)
        return;
    if (b->end_insn != UINT32_MAX)
        w->look(w, b->end_insn, lanes, false);
    for (unsigned l = 0; l < LANES; l++)
        if (lanes >> l & 1 && (w->value[l][b->guard] & 1) != b->guard_negated)
            took |= 1u << l;
    w->parted |= took && took != lanes;
    w->pending[b->succ[0]] |= took;
    w->pending[b->succ[1]] |= lanes & ~took;
}

/* Runs all of it. False: it takes too long. */
static inline bool
warp_run(struct warp *w)
{
    const struct wir *f = w->wir;
    uint32_t steps = 0;
    for (unsigned l = 0; l < LANES; l++) {
        w->value[l] = ls_alloc(sizeof **w->value * (f->reg_count + 1));
        w->written[l] = ls_alloc(f->reg_count + 1);
    }
    w->pending = ls_alloc(sizeof *w->pending * (f->block_count + 1));
    w->parted = false;
    w->pending[0] = w->lanes;
    for (w->at = 0; w->at != UINT32_MAX && steps < 20000; w->at = next_pending(w)) {
        const struct wir_block *b = &f->blocks[w->at];
        uint32_t lanes = w->pending[w->at];
        w->pending[w->at] = 0;
        w->block_begins(w, lanes);
        for (uint32_t n = b->first; n < b->first + b->count; n++, steps++)
            run_insn(w, n, lanes);
        end_block(w, lanes);
        steps++;
    }
    for (unsigned l = 0; l < LANES; l++) {
        ls_release(w->value[l]);
        ls_release(w->written[l]);
    }
    ls_release(w->pending);
    return w->at == UINT32_MAX;
}

#endif
