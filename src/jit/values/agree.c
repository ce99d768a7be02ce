/* SPDX-License-Identifier: Apache-2.0
 *
 * values/agree.c: predicates on which all lanes agree, found without looking at each.
 *
 *     setp.lt.s32 %p, %at, %n   lanes: at + 0, 1, ... 31; n the same in all of them: true in all if
 *                               at + 31 < n, in none unless at < n, and at + 31 has not wrapped
 *     and.pred    %q, %p, %p2   true in all if both are, in none if one is
 *
 * Of each predicate two bits are kept: sure to hold in all lanes, sure to hold in none. They are
 * made where all lanes of a warp write it, for versions/full_mask.c; LLVM moves the comparisons of
 * all lanes to where neither is sure.
 */
#include "jit/values/values.h"

struct agree {
    LLVMValueRef all, none; /* allocas of i1; NULL: the register is not such a predicate */
};

static LLVMValueRef
is_false(struct core *c)
{
    return LLVMConstInt(core_scalar(c, 1), 0, false);
}

void
core_agree_storage(struct core *c)
{
    c->regs.agree = ls_alloc(sizeof *c->regs.agree * (c->wir->reg_count + 1));
    c->regs.agree_reg = c->regs.reg;
    for (uint32_t r = 0;
         c->regions && emit_on(&c->e, PASS_UNIFORM_PREDICATES) && r < c->wir->reg_count; r++) {
        if (!c->regs.reg[r] || core_reg_bits(c, r) != 1 || core_reg_scalar(c, r))
            continue;
        c->regs.agree[r].all = core_alloca(c, core_scalar(c, 1));
        c->regs.agree[r].none = core_alloca(c, core_scalar(c, 1));
        core_agree_forget(c, r);
    }
}

void
core_agree_forget(struct core *c, uint32_t reg)
{
    if (!c->regs.agree || c->regs.reg != c->regs.agree_reg || !c->regs.agree[reg].all)
        return;
    LLVMBuildStore(c->e.b, is_false(c), c->regs.agree[reg].all);
    LLVMBuildStore(c->e.b, is_false(c), c->regs.agree[reg].none);
}

/* It has come back from the frame: what was known is asked of its lanes. */
void
core_agree_restored(struct core *c, uint32_t reg)
{
    if (!core_agree_kept(c, reg) ||
        c->now.version.warps > 1) { /* of several warps: one of them says nothing */
        core_agree_forget(c, reg);
        return;
    }
    jit_remark_kernel(c->e.remarks, PASS_UNIFORM_PREDICATES, true,
                      "a predicate that comes back from the frame: its lanes are asked once");
    LLVMValueRef bits = emit_mask_to_bits(&c->e, core_read_lanes(c, reg));
    LLVMBuildStore(c->e.b, LLVMBuildICmp(c->e.b, LLVMIntEQ, bits, core_i32(c, ~0u), ""),
                   c->regs.agree[reg].all);
    LLVMBuildStore(c->e.b, LLVMBuildICmp(c->e.b, LLVMIntEQ, bits, core_i32(c, 0), ""),
                   c->regs.agree[reg].none);
}

bool
core_agree_kept(const struct core *c, uint32_t reg)
{
    return c->regs.agree && c->regs.reg == c->regs.agree_reg && c->regs.agree[reg].all;
}

bool
core_agree(struct core *c, uint32_t reg, LLVMValueRef *all, LLVMValueRef *none)
{
    if (!core_agree_kept(c, reg))
        return false;
    *all = LLVMBuildLoad2(c->e.b, core_scalar(c, 1), c->regs.agree[reg].all, "");
    *none = LLVMBuildLoad2(c->e.b, core_scalar(c, 1), c->regs.agree[reg].none, "");
    return true;
}

/* -- comparisons ------------------------------------------------------------------------------- */

static const struct order {
    uint16_t mod;
    uint8_t is_unsigned, is_signed;
    bool less; /* holds for the lower of two numbers if for the higher */
} orders[] = {
    {PTX_M_LT, LLVMIntULT, LLVMIntSLT, true},  {PTX_M_LE, LLVMIntULE, LLVMIntSLE, true},
    {PTX_M_GT, LLVMIntUGT, LLVMIntSGT, false}, {PTX_M_GE, LLVMIntUGE, LLVMIntSGE, false},
    {PTX_M_LO, LLVMIntULT, LLVMIntULT, true},  {PTX_M_LS, LLVMIntULE, LLVMIntULE, true},
    {PTX_M_HI, LLVMIntUGT, LLVMIntUGT, false}, {PTX_M_HS, LLVMIntUGE, LLVMIntUGE, false},
};

static const struct order *
order_of(const struct ptx_insn *p)
{
    for (unsigned k = 0; k < sizeof orders / sizeof *orders; k++)
        if (ptx_has(p, orders[k].mod))
            return &orders[k];
    return NULL;
}

bool
core_order(const struct ptx_insn *p, LLVMIntPredicate *how)
{
    const struct order *order = order_of(p);
    char kind = ptx_type_kind((enum ptx_type)p->type[p->type_count - 1]);
    if (!order || p->operand_count != 3 || p->type_count != 1 || (kind != 's' && kind != 'u') ||
        ptx_has(p, PTX_M_AND) || ptx_has(p, PTX_M_OR) || ptx_has(p, PTX_M_XOR))
        return false;
    *how = (LLVMIntPredicate)(kind == 's' ? order->is_signed : order->is_unsigned);
    return true;
}

static bool
agree_lanes(const struct core *c, const struct ptx_operand *o, const int32_t *pattern, int64_t *low,
            int64_t *high)
{
    uint32_t step = 0;
    *low = *high = 0;
    for (unsigned l = 0; pattern && l < LANES; l++) {
        *low = pattern[l] < *low ? pattern[l] : *low;
        *high = pattern[l] > *high ? pattern[l] : *high;
    }
    if (c->now.version.warps > 1 && !warps_step(c->regions->known, o, &step))
        return false;
    int64_t on = c->now.version.warps > 1 ? (int64_t)(int32_t)step * (c->now.version.warps - 1) : 0;
    *low += on < 0 ? on : 0;
    *high += on > 0 ? on : 0;
    return *high - *low <= INT32_MAX;
}

/* The least and the greatest of the lanes, if none of them has wrapped (*sane). */
static bool
range_of(struct core *c, const struct wir_insn *i, unsigned k, unsigned bits, bool is_signed,
         LLVMValueRef range[2], LLVMValueRef *sane)
{
    const struct ptx_operand *o = &i->i.operand[k];
    struct fact f = facts_operand(c->facts, i, o);
    int64_t low, high;
    if (f.kind != FACT_SCALAR || f.guess || f.segment != LANES ||
        (o->kind != PTX_O_REG && o->kind != PTX_O_INT) || o->negated ||
        !agree_lanes(c, o, f.pattern, &low, &high))
        return false;
    LLVMValueRef v = core_value(c, i, o, bits, true);
    range[0] = range[1] = v;
    if (low == high)
        return true;
    LLVMTypeRef type = core_scalar(c, bits);
    range[0] = LLVMBuildAdd(c->e.b, v, LLVMConstInt(type, (uint64_t)low, true), "");
    range[1] = LLVMBuildAdd(c->e.b, v, LLVMConstInt(type, (uint64_t)high, true), "");
    LLVMValueRef fine =
        LLVMBuildICmp(c->e.b, is_signed ? LLVMIntSLE : LLVMIntULE, range[0], range[1], "");
    *sane = LLVMBuildAnd(c->e.b, *sane, fine, "");
    return true;
}

static bool
agree_compare(struct core *c, const struct wir_insn *i, LLVMValueRef *all, LLVMValueRef *none)
{
    const struct ptx_insn *p = &i->i;
    const struct order *order = order_of(p);
    unsigned bits = 8 * ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]);
    LLVMValueRef a[2], b[2], sane = LLVMConstInt(core_scalar(c, 1), 1, false);
    LLVMIntPredicate how;
    if (!core_order(p, &how) || (bits != 32 && (bits != 64 || c->now.version.warps > 1)))
        return false;
    bool is_signed =
        how == LLVMIntSLT || how == LLVMIntSLE || how == LLVMIntSGT || how == LLVMIntSGE;
    if (!range_of(c, i, 1, bits, is_signed, a, &sane) ||
        !range_of(c, i, 2, bits, is_signed, b, &sane))
        return false;
    /* Each operand lies in a range. The comparison holds in all lanes if it holds for the two ends
     * that favour it least, and in none if it fails for the two that favour it most. */
    LLVMValueRef hard = LLVMBuildICmp(c->e.b, how, a[order->less], b[!order->less], "");
    LLVMValueRef easy = LLVMBuildICmp(c->e.b, how, a[!order->less], b[order->less], "");
    *all = LLVMBuildAnd(c->e.b, sane, hard, "");
    *none = LLVMBuildAnd(c->e.b, sane, LLVMBuildNot(c->e.b, easy, ""), "");
    return true;
}

/* -- predicates of predicates ------------------------------------------------------------------ */

static bool
of_operand(struct core *c, const struct wir_insn *i, unsigned k, LLVMValueRef *all,
           LLVMValueRef *none)
{
    const struct ptx_operand *o = &i->i.operand[k];
    if (o->kind != PTX_O_REG || o->negated || core_reg_bits(c, o->reg) != 1)
        return false;
    if (!core_reg_scalar(c, o->reg))
        return core_agree(c, o->reg, all, none);
    if (c->now.version.warps > 1 && !c->regions->known->same[o->reg] &&
        !c->facts->reg[o->reg].known)
        return false;
    *all = core_value(c, i, o, 1, true);
    *none = LLVMBuildNot(c->e.b, *all, "");
    return true;
}

static bool
agree_logic(struct core *c, const struct wir_insn *i, LLVMValueRef *all, LLVMValueRef *none)
{
    LLVMBuilderRef b = c->e.b;
    const struct ptx_insn *p = &i->i;
    LLVMValueRef x[2], y[2];
    bool one = p->op == PTX_OP_NOT || p->op == PTX_OP_MOV;
    if (p->operand_count != (one ? 2 : 3) || !of_operand(c, i, 1, &x[0], &x[1]) ||
        (!one && !of_operand(c, i, 2, &y[0], &y[1])))
        return false;
    switch (p->op) {
    case PTX_OP_AND:
        *all = LLVMBuildAnd(b, x[0], y[0], "");
        *none = LLVMBuildOr(b, x[1], y[1], "");
        return true;
    case PTX_OP_OR:
        *all = LLVMBuildOr(b, x[0], y[0], "");
        *none = LLVMBuildAnd(b, x[1], y[1], "");
        return true;
    default:
        *all = x[p->op == PTX_OP_NOT];
        *none = x[p->op != PTX_OP_NOT];
        return true;
    }
}

void
core_agree_write(struct core *c, const struct wir_insn *i, uint32_t reg)
{
    LLVMValueRef all, none;
    if (!c->regs.agree || c->regs.reg != c->regs.agree_reg || !c->regs.agree[reg].all)
        return;
    const struct ptx_insn *p = &i->i;
    bool known = core_is_full(c) && p->guard == PTX_NO_REG && p->operand[0].kind == PTX_O_REG &&
                 p->operand[0].reg == reg;
    switch (p->op) {
    case PTX_OP_SETP: known = known && agree_compare(c, i, &all, &none); break;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_NOT:
    case PTX_OP_MOV: known = known && agree_logic(c, i, &all, &none); break;
    default: known = false;
    }
    if (!known) {
        emit_missed(&c->e, PASS_UNIFORM_PREDICATES, "nothing is known of the lanes together");
        core_agree_forget(c, reg);
        return;
    }
    emit_fired(&c->e, PASS_UNIFORM_PREDICATES,
               "two scalars say whether it holds in all lanes, and in none");
    LLVMBuildStore(c->e.b, all, c->regs.agree[reg].all);
    LLVMBuildStore(c->e.b, none, c->regs.agree[reg].none);
}
