/* SPDX-License-Identifier: Apache-2.0
 *
 * values/converged.c: registers written on both sides of a branch, where no warp's lanes part.
 *
 *     if (inside)  at = i;           lanes from one side differ by 0, 1, ... 31, as after it;
 *     else         at = start + 1;   lanes from both sides do not: nothing is known of %at
 *     s[at] = ...
 *
 * Where all lanes of a warp go one way, %at follows the pattern of that way. So facts are found
 * once more as if lanes never parted (shape.converged): a pattern that all ways have in common is
 * one to ask for. Beside the vector of such a register two values are kept, as in values/guess.c:
 * whether the pattern holds, and the first lane's value. Both are made where all lanes write, from
 * operands of which the same is known; a write by some lanes, or one that cannot be followed, says
 * that it does not hold. An access asks that one bit instead of comparing 32 addresses.
 */
#include "jit/values/values.h"

#include "jit/ops/ops.h"

#include <string.h>

static bool
is_kept(const struct core *c, const struct plan_scope *scope, uint32_t reg)
{
    return c->regs.reg[reg] && plan_keeps_converged(scope, reg);
}

static void
keep(struct core *c, uint32_t reg, LLVMValueRef holds, LLVMValueRef first)
{
    LLVMTypeRef type = core_scalar(c, core_reg_bits(c, reg));
    LLVMBuildStore(c->e.b, holds ? holds : LLVMConstInt(core_scalar(c, 1), 0, false),
                   c->regs.guess[reg].converged);
    LLVMBuildStore(c->e.b, holds ? first : LLVMGetUndef(type), c->regs.guess[reg].first);
}

void
converged_storage(struct core *c)
{
    const struct plan_scope scope = core_scope(c);
    for (uint32_t r = 0; c->converged && r < c->wir->reg_count; r++) {
        if (!is_kept(c, &scope, r))
            continue;
        c->regs.guess[r].converged = core_alloca(c, core_scalar(c, 1));
        c->regs.guess[r].first = core_alloca(c, core_scalar(c, core_reg_bits(c, r)));
        keep(c, r, NULL, NULL);
    }
}

void
converged_forget(struct core *c, uint32_t reg)
{
    if (c->regs.guess[reg].converged)
        keep(c, reg, NULL, NULL);
}

/* -- what instructions hand on ----------------------------------------------------------------- */

static bool
same_pattern(const struct fact *a, const struct fact *b)
{
    return !a->pattern ? !b->pattern
                       : b->pattern && !memcmp(a->pattern, b->pattern, sizeof *a->pattern * LANES);
}

/* The first lane of an operand whose lanes differ as t says; *holds: and if what. */
static bool
first_of(struct core *c, const struct wir_insn *i, const struct ptx_operand *o, unsigned bits,
         const struct fact *t, LLVMValueRef *v, LLVMValueRef *holds)
{
    LLVMBuilderRef b = c->e.b;
    struct fact f = facts_operand(c->facts, i, o);
    LLVMValueRef own = NULL;
    if (o->negated || o->part || t->kind == FACT_NONE || t->segment != LANES ||
        f.kind == FACT_NONE || (t->known && (!f.known || f.base != t->base)))
        return false;
    if (f.kind == FACT_SCALAR && !f.guess) {
        *v = core_value(c, i, o, bits, true);
        return f.segment == LANES && same_pattern(&f, t);
    }
    if (o->kind != PTX_O_REG || core_reg_bits(c, o->reg) != bits)
        return false;
    if (c->regs.guess[o->reg].converged) {
        own = LLVMBuildLoad2(b, core_scalar(c, 1), c->regs.guess[o->reg].converged, "");
        *v = LLVMBuildLoad2(b, core_scalar(c, bits), c->regs.guess[o->reg].first, "");
    } else if (!f.guess || f.segment != LANES || !same_pattern(&f, t) ||
               !core_guess(c, o->reg, &own, v)) {
        return false;
    }
    *holds = LLVMBuildAnd(b, *holds, own, "");
    return true;
}

static bool
operand_first(struct core *c, const struct wir_insn *i, unsigned k, LLVMValueRef *v,
              LLVMValueRef *holds)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *o = &p->operand[k];
    bool plain = p->op == PTX_OP_MOV || p->op == PTX_OP_CVTA;
    unsigned bits =
        plain ? 8 * ptx_type_bytes((enum ptx_type)p->type[0]) : core_source_bits(c, p, k - 1);
    struct fact t = facts_operand(c->converged, i, o);
    if (!first_of(c, i, o, bits, &t, v, holds))
        return false;
    if (bits != 32 || !t.pattern || !guess_is_wide(p))
        return true;
    bool is_signed = ptx_type_kind((enum ptx_type)p->type[p->type_count - 1]) == 's';
    *holds = LLVMBuildAnd(c->e.b, *holds, guess_no_wrap(c, &t, *v, LANES, is_signed), "");
    return true;
}

static bool
follow(struct core *c, const struct wir_insn *i, uint32_t reg, LLVMValueRef *holds,
       LLVMValueRef *first)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef in[8] = {0};
    struct emit before = c->e;
    unsigned count = 0;
    if (!guess_follows(p) || p->operand[0].reg != reg || core_mask(c))
        return false;
    c->e.lanes = 1;
    c->e.mask = NULL;
    *holds = LLVMConstInt(core_scalar(c, 1), 1, false);
    bool ok = true;
    for (unsigned k = 1; ok && k < p->operand_count && count < 7; k++)
        ok = operand_first(c, i, k, &in[count++], holds);
    *first = ok ? guess_result(c, p, in, count) : NULL;
    c->e.lanes = before.lanes;
    c->e.mask = before.mask;
    return *first && LLVMGetTypeKind(LLVMTypeOf(*first)) == LLVMIntegerTypeKind &&
           emit_bits_of(*first) == core_reg_bits(c, reg);
}

void
converged_write(struct core *c, const struct wir_insn *i, uint32_t reg)
{
    LLVMValueRef holds, first;
    if (!c->regs.guess[reg].converged)
        return;
    bool follows = follow(c, i, reg, &holds, &first);
    keep(c, reg, follows ? holds : NULL, follows ? first : NULL);
    if (follows)
        emit_fired(&c->e, PASS_CONVERGED_PATTERNS,
                   "the lanes differ by constants if the warp came one way");
    else
        emit_missed(&c->e, PASS_CONVERGED_PATTERNS, "not made of such values, or under a mask");
}
