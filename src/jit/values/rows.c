/* SPDX-License-Identifier: Apache-2.0
 *
 * values/rows.c: conditions of which each row of a block of 16 decides one part.
 *
 *     x < 16 && y < 16        x: the place in the row, known: a mask; y: the row, the same in its
 *                             16 lanes
 *
 * So whether lanes of a row are among those that select a tile (values/split.c) is one comparison
 * of scalars, the same for all taps of a row, and which ones is known when the kernel is compiled.
 */
#include "jit/values/values.h"

/* The fact of a register; where it was widened to 64 bits and cut to 32 again, the fact of the
 * original register, which holds the same number. */
static struct fact
fact_of(const struct core *c, const struct wir_insn *i, const struct ptx_operand *o)
{
    struct fact f = facts_operand(c->facts, i, o);
    if (!c->regions)
        return f;
    for (unsigned k = o->kind == PTX_O_REG && core_reg_bits(c, o->reg) == 64;
         k < 2 && o->kind == PTX_O_REG && !o->negated; k++) {
        const struct wir_insn *m = wir_only_writer(c->wir, o->reg);
        const struct ptx_insn *p = m ? &m->i : NULL;
        bool cuts = k == 0; /* first u64 to u32, then u32 to u64 */
        if (!p || p->op != PTX_OP_CVT || p->operand_count != 2 || p->type_count != 2 ||
            p->guard != PTX_NO_REG || ptx_type_bytes((enum ptx_type)p->type[0]) != (cuts ? 4 : 8) ||
            ptx_type_bytes((enum ptx_type)p->type[1]) != (cuts ? 8 : 4) || ptx_has(p, PTX_M_SAT) ||
            ptx_type_kind((enum ptx_type)p->type[0]) == 'f' ||
            ptx_type_kind((enum ptx_type)p->type[1]) == 'f')
            return f;
        o = &p->operand[1];
    }
    if (o->kind != PTX_O_REG || o->negated || core_reg_bits(c, o->reg) != 32)
        return f;
    return c->facts->reg[o->reg];
}

static bool
compare(LLVMIntPredicate how, int32_t a, int32_t b)
{
    switch (how) {
    case LLVMIntULT: return (uint32_t)a < (uint32_t)b;
    case LLVMIntULE: return (uint32_t)a <= (uint32_t)b;
    case LLVMIntUGT: return (uint32_t)a > (uint32_t)b;
    case LLVMIntUGE: return (uint32_t)a >= (uint32_t)b;
    case LLVMIntSLT: return a < b;
    case LLVMIntSLE: return a <= b;
    case LLVMIntSGT: return a > b;
    default: return a >= b;
    }
}

/* A comparison of known numbers: its lanes. */
static bool
known_lanes(const struct core *c, const struct wir_insn *i, LLVMIntPredicate how, uint32_t *lanes)
{
    struct fact a = fact_of(c, i, &i->i.operand[1]), b = fact_of(c, i, &i->i.operand[2]);
    if (a.kind != FACT_SCALAR || b.kind != FACT_SCALAR || !a.known || !b.known)
        return false;
    *lanes = 0;
    for (unsigned l = 0; l < LANES; l++) {
        int64_t x = a.base + (a.pattern ? a.pattern[l] : 0),
                y = b.base + (b.pattern ? b.pattern[l] : 0);
        *lanes |= (uint32_t)compare(how, (int32_t)x, (int32_t)y) << l;
    }
    return true;
}

/* The same in all lanes of each half, of the 32 bits that are compared: there a pattern holds even
 * if it is a guess. */
static bool
agrees_in_halves(const struct fact *f)
{
    if (f->kind == FACT_NONE || f->segment < LANES / 2)
        return false;
    for (unsigned l = 0; f->pattern && l < LANES; l++)
        if (f->pattern[l] != f->pattern[l - l % (LANES / 2)])
            return false;
    return true;
}

/* One comparison: *lanes where it is known, or half[] where the halves agree. */
static bool
add_compare(struct core *c, const struct wir_insn *i, uint32_t n, uint32_t end,
            LLVMValueRef half[2], uint32_t *lanes)
{
    LLVMBuilderRef b = c->e.b;
    const struct ptx_operand *o = i->i.operand;
    LLVMIntPredicate how;
    uint32_t own;
    if (!core_order(&i->i, &how) || ptx_type_bytes((enum ptx_type)i->i.type[0]) != 4)
        return false;
    if (known_lanes(c, i, how, &own)) {
        *lanes &= own;
        return true;
    }
    struct fact x = facts_operand(c->facts, i, &o[1]), y = facts_operand(c->facts, i, &o[2]);
    if (!agrees_in_halves(&x) || !agrees_in_halves(&y) || !wir_same_since(c->wir, &o[1], n, end) ||
        !wir_same_since(c->wir, &o[2], n, end))
        return false;
    LLVMValueRef is =
        LLVMBuildICmp(b, how, core_firsts(c, i, &o[1], 32, 2), core_firsts(c, i, &o[2], 32, 2), "");
    for (unsigned g = 0; g < 2; g++)
        half[g] = LLVMBuildAnd(b, half[g], LLVMBuildExtractElement(b, is, core_i32(c, g), ""), "");
    return true;
}

/* A predicate: a comparison, or two of which both must hold. */
static bool
add_condition(struct core *c, uint32_t predicate, uint32_t before, uint32_t end,
              LLVMValueRef half[2], uint32_t *lanes)
{
    const struct wir_insn *i = wir_maker_before(c->wir, c->now.current, predicate, before);
    const struct ptx_operand *o = i ? i->i.operand : NULL;
    uint32_t n = i ? wir_index(c->wir, i) : UINT32_MAX;
    if (!i || o[0].kind != PTX_O_REG)
        return false;
    if (i->i.op == PTX_OP_AND && o[1].kind == PTX_O_REG && o[2].kind == PTX_O_REG &&
        !o[1].negated && !o[2].negated)
        return add_condition(c, o[1].reg, n, end, half, lanes) &&
               add_condition(c, o[2].reg, n, end, half, lanes);
    return i->i.op == PTX_OP_SETP && add_compare(c, i, n, end, half, lanes);
}

bool
core_rows(struct core *c, uint32_t predicate, uint32_t before, uint32_t end, LLVMValueRef half[2],
          uint32_t *lanes)
{
    const struct wir_insn *i = wir_maker_before(c->wir, c->now.current, predicate, before);
    if (!emit_on(&c->e, PASS_ROW_MASKS) || !i || (i->i.op != PTX_OP_SETP && i->i.op != PTX_OP_AND))
        return false;
    half[0] = half[1] = LLVMConstInt(core_scalar(c, 1), 1, false);
    *lanes = ~0u;
    bool fine = add_condition(c, predicate, before, end, half, lanes);
    emit_remark_at(&c->e, PASS_ROW_MASKS, fine, i->place,
                   fine ? "lanes 0x%04x of each row, the rows by one test"
                        : "the halves' lanes do not agree",
                   *lanes & 0xffff);
    return fine;
}
