/* SPDX-License-Identifier: Apache-2.0
 *
 * values/guess.c: addresses that follow a pattern unless 32-bit arithmetic wrapped (fact.guess).
 *
 *     mul.wide.u32 %a, %i, 4      %i: lane 0's value and a pattern, kept as one scalar
 *
 * %a follows the pattern when %i's lanes do not wrap: one comparison of scalars here, instead of
 * one of 32 addresses at each access. Beside the vector of such a register two more values are
 * kept: whether the pattern holds, and the values of the first lanes of its segments. What is
 * computed from %a by adding and multiplying inherits both; anything else is compared once, when it
 * is written.
 */
#include "jit/values/values.h"
#include "jit/ops/ops.h"

#include <string.h>

static bool
is_kept(const struct core *c, const struct plan_scope *scope, uint32_t reg)
{
    return c->regs.reg[reg] && plan_keeps_guess(scope, reg);
}

/* Segments of a register that is kept. */
static unsigned
guess_segments(const struct core *c, uint32_t reg)
{
    return LANES / c->facts->reg[reg].segment;
}

void
core_guess_storage(struct core *c)
{
    const struct plan_scope scope = core_scope(c);
    bool splits = emit_on(&c->e, PASS_SELECTED_LOADS) && split_wanted(c->wir);
    c->regs.guess = ls_alloc(sizeof *c->regs.guess * (c->wir->reg_count + 1));
    for (uint32_t r = 0; r < c->wir->reg_count; r++) {
        if (!is_kept(c, &scope, r))
            continue;
        c->regs.guess[r].holds = core_alloca(c, core_scalar(c, 1));
        c->regs.guess[r].firsts =
            core_alloca(c, emit_type_at(&c->e, core_scalar(c, 64), guess_segments(c, r)));
        LLVMBuildStore(c->e.b, LLVMConstInt(core_scalar(c, 1), 0, false), c->regs.guess[r].holds);
        if (splits)
            split_storage(c, &c->regs.guess[r], r);
    }
    converged_storage(c);
}

void
core_guess_forget(struct core *c, uint32_t reg)
{
    core_agree_forget(c, reg);
    converged_forget(c, reg);
    if (!c->regs.guess[reg].holds)
        return;
    LLVMTypeRef type = emit_type_at(&c->e, core_scalar(c, 64), guess_segments(c, reg));
    LLVMBuildStore(c->e.b, LLVMConstInt(core_scalar(c, 1), 0, false), c->regs.guess[reg].holds);
    LLVMBuildStore(c->e.b, LLVMGetUndef(type), c->regs.guess[reg].firsts);
    split_forget(c, reg);
}

bool
core_guess(struct core *c, uint32_t reg, LLVMValueRef *holds, LLVMValueRef *firsts)
{
    if (!c->regs.guess[reg].holds)
        return false;
    *holds = LLVMBuildLoad2(c->e.b, core_scalar(c, 1), c->regs.guess[reg].holds, "");
    LLVMTypeRef type = emit_type_at(&c->e, core_scalar(c, 64), guess_segments(c, reg));
    *firsts = LLVMBuildLoad2(c->e.b, type, c->regs.guess[reg].firsts, "");
    return true;
}

int32_t
guess_relative(const struct fact *f, unsigned l, unsigned segment)
{
    return f->pattern ? f->pattern[l] - f->pattern[l - l % segment] : 0;
}

/* i1, or a vector of them: all true. */
static LLVMValueRef
all_true(struct core *c, LLVMValueRef v)
{
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return v;
    LLVMTypeRef bits = LLVMIntTypeInContext(c->e.context, LLVMGetVectorSize(LLVMTypeOf(v)));
    return LLVMBuildICmp(c->e.b, LLVMIntEQ, LLVMBuildBitCast(c->e.b, v, bits, ""),
                         LLVMConstAllOnes(bits), "");
}

/* -- what instructions hand on ----------------------------------------------------------------- */

bool
guess_is_wide(const struct ptx_insn *p)
{
    if (p->op != PTX_OP_CVT)
        return (p->op == PTX_OP_MUL || p->op == PTX_OP_MAD) && ptx_has(p, PTX_M_WIDE);
    return ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]) <
           ptx_type_bytes((enum ptx_type)p->type[0]);
}

bool
guess_follows(const struct ptx_insn *p)
{
    if (p->guard != PTX_NO_REG || ptx_has(p, PTX_M_CC) || p->operand[0].kind != PTX_O_REG)
        return false;
    switch (p->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_SHL:
    case PTX_OP_CVT: return true;
    case PTX_OP_MOV:
    case PTX_OP_CVTA: /* of global memory: no other address */
        return p->operand[1].kind == PTX_O_REG &&
               (p->op == PTX_OP_MOV || p->space == PTX_SPACE_GLOBAL);
    default: return false;
    }
}

bool
guess_widens(const struct core *c, const struct wir_insn *i)
{
    const struct ptx_operand *to = &i->i.operand[0];
    return guess_follows(&i->i) && guess_is_wide(&i->i) &&
           (c->regs.guess[to->reg].holds ||
            (core_reg_scalar(c, to->reg) && core_reg_bits(c, to->reg) == 64));
}

LLVMValueRef
guess_no_wrap(struct core *c, const struct fact *f, LLVMValueRef firsts, unsigned segment,
              bool is_signed)
{
    LLVMBuilderRef b = c->e.b;
    int32_t low = 0, high = 0;
    for (unsigned l = 0; l < LANES; l++) {
        int32_t p = guess_relative(f, l, segment);
        low = p < low ? p : low;
        high = p > high ? p : high;
    }
    LLVMTypeRef type = emit_type_at(&c->e, core_scalar(c, 64), LANES / segment);
    LLVMValueRef w =
        is_signed ? LLVMBuildSExt(b, firsts, type, "") : LLVMBuildZExt(b, firsts, type, "");
    int64_t least = (is_signed ? INT32_MIN : 0) - (int64_t)low;
    int64_t most = (is_signed ? INT32_MAX : (int64_t)UINT32_MAX) - (int64_t)high;
    LLVMValueRef above =
        LLVMBuildICmp(b, LLVMIntSGE, w, emit_const(&c->e, 64, (uint64_t)least), "");
    LLVMValueRef below = LLVMBuildICmp(b, LLVMIntSLE, w, emit_const(&c->e, 64, (uint64_t)most), "");
    return all_true(c, LLVMBuildAnd(b, above, below, ""));
}

/* One operand in the first lanes of n segments; *holds: and what must
 * be true. False: cannot say. */
static bool
operand_firsts(struct core *c, const struct wir_insn *i, unsigned k, unsigned n, LLVMValueRef *v,
               LLVMValueRef *holds)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *o = &p->operand[k];
    bool plain = p->op == PTX_OP_MOV || p->op == PTX_OP_CVTA;
    unsigned bits = plain ? 64 : core_source_bits(c, p, k - 1);
    struct fact f = facts_operand(c->facts, i, o);
    LLVMValueRef own;
    if (f.guess) {
        if (o->kind != PTX_O_REG || !core_guess(c, o->reg, &own, v))
            return false;
        unsigned have = guess_segments(c, o->reg);
        f.guess = false;
        *v = have == n ? *v : core_spread_firsts(c, *v, &f, n);
        *holds = LLVMBuildAnd(c->e.b, *holds, own, "");
        return have <= n;
    }
    *v = core_firsts(c, i, o, bits, n);
    bool is_signed = ptx_type_kind((enum ptx_type)p->type[p->type_count - 1]) == 's';
    bool exact = bits != 32 || !f.pattern || (f.bounded && (is_signed || f.low >= 0));
    if (exact || !guess_is_wide(p) || p->op == PTX_OP_SHL || core_speculated(c, i))
        return true;
    *holds = LLVMBuildAnd(c->e.b, *holds, guess_no_wrap(c, &f, *v, LANES / n, is_signed), "");
    return true;
}

LLVMValueRef
guess_result(struct core *c, const struct ptx_insn *p, const LLVMValueRef *in, unsigned count)
{
    LLVMValueRef out[4] = {0};
    if (p->op == PTX_OP_MOV || p->op == PTX_OP_CVTA)
        return in[0];
    bool ok = p->op == PTX_OP_CVT ? emit_cvt(&c->e, p, in, count, out)
                                  : emit_arith(&c->e, p, in, count, out);
    return ok ? out[0] : NULL;
}

static bool
follow(struct core *c, const struct wir_insn *i, uint32_t reg, LLVMValueRef *holds,
       LLVMValueRef *firsts)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef in[8] = {0}, out = NULL;
    unsigned n = guess_segments(c, reg), count = 0;
    struct emit before = c->e;
    if (!guess_follows(p))
        return false;
    c->e.lanes = n;
    c->e.mask = NULL;
    *holds = LLVMConstInt(core_scalar(c, 1), 1, false);
    bool ok = true;
    for (unsigned k = 1; ok && k < p->operand_count && count < 7; k++)
        ok = operand_firsts(c, i, k, n, &in[count++], holds);
    if (ok)
        out = core_speculated_firsts(c, i, n);
    if (ok && !out)
        out = guess_result(c, p, in, count);
    c->e.lanes = before.lanes;
    c->e.mask = before.mask;
    *firsts = out;
    return out && emit_bits_of(out) == 64;
}

/* -- what is compared -------------------------------------------------------------------------- */

static void
compare(struct core *c, uint32_t reg, LLVMValueRef mask, LLVMValueRef *holds, LLVMValueRef *firsts)
{
    LLVMBuilderRef b = c->e.b;
    const struct fact *f = &c->facts->reg[reg];
    LLVMValueRef v = core_read_lanes(c, reg), first[LANES], at[LANES];
    int32_t p[LANES];
    unsigned n = guess_segments(c, reg);
    for (unsigned l = 0; l < LANES; l++) {
        first[l] = core_i32(c, l - l % f->segment);
        p[l] = guess_relative(f, l, f->segment);
    }
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(v));
    LLVMValueRef expected = LLVMBuildShuffleVector(b, v, none, LLVMConstVector(first, LANES), "");
    expected = LLVMBuildAdd(b, expected, core_pattern(c, p, 64), "");
    LLVMValueRef fine = LLVMBuildICmp(b, LLVMIntEQ, expected, v, "");
    if (mask)
        fine = LLVMBuildOr(b, fine, LLVMBuildNot(b, mask, ""), "");
    *holds = all_true(c, fine);
    for (unsigned k = 0; k < n; k++)
        at[k] = core_i32(c, k * LANES / n);
    *firsts = n == 1 ? LLVMBuildExtractElement(b, v, core_i32(c, 0), "")
                     : LLVMBuildShuffleVector(b, v, none, LLVMConstVector(at, n), "");
}

static void
keep(struct core *c, uint32_t reg, LLVMValueRef holds, LLVMValueRef firsts)
{
    LLVMBuildStore(c->e.b, holds, c->regs.guess[reg].holds);
    LLVMBuildStore(c->e.b, firsts, c->regs.guess[reg].firsts);
}

void
core_guess_write(struct core *c, const struct wir_insn *i, uint32_t reg)
{
    LLVMValueRef holds, firsts;
    core_agree_write(c, i, reg);
    converged_write(c, i, reg);
    if (!c->regs.guess[reg].holds)
        return;
    if (follow(c, i, reg, &holds, &firsts)) {
        emit_fired(&c->e, PASS_SPECULATED_PATTERNS, "scalars say whether the lanes wrapped");
    } else {
        emit_missed(&c->e, PASS_SPECULATED_PATTERNS, "the lanes are compared one by one");
        compare(c, reg, core_mask(c), &holds, &firsts);
    }
    keep(c, reg, holds, firsts);
    split_write(c, i, reg);
}

void
core_guess_restored(struct core *c, uint32_t reg)
{
    LLVMValueRef holds, firsts;
    core_agree_restored(c, reg);
    converged_forget(c, reg);
    if (!c->regs.guess[reg].holds)
        return;
    compare(c, reg, NULL, &holds, &firsts);
    keep(c, reg, holds, firsts);
    split_write(c, NULL, reg);
}
