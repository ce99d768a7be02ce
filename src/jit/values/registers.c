/* SPDX-License-Identifier: Apache-2.0
 *
 * registers.c: what a register is kept as (a scalar, the first lanes of segments, a vector), and
 * from one of these forms to another; masks; coordinates; whose registers are meant where warps are
 * interleaved.
 */
#include "jit/values/values.h"

#include <llvm-c/Analysis.h>
#include <string.h>
#include <math.h>
#include <stdio.h>
#include <llvm-c/DebugInfo.h>

/* -- entry ------------------------------------------------------------------------------------- */

void
core_tid(struct core *c, LLVMValueRef warp_index, LLVMValueRef tid[3])
{
    LLVMBuilderRef b = c->e.b;
    const uint32_t *dim = c->facts->shape.block;
    LLVMValueRef first = LLVMBuildMul(b, warp_index, core_i32(c, LANES), "");
    tid[0] = LLVMBuildURem(b, first, core_i32(c, dim[0]), "tid.x");
    LLVMValueRef row = LLVMBuildUDiv(b, first, core_i32(c, dim[0]), "");
    tid[1] = LLVMBuildURem(b, row, core_i32(c, dim[1]), "tid.y");
    tid[2] = LLVMBuildUDiv(b, row, core_i32(c, dim[1]), "tid.z");
}

/* -- masks ------------------------------------------------------------------------------------- */

LLVMValueRef
core_mask_bits(struct core *c)
{
    if (core_is_full(c))
        return core_i32(c, ~0u);
    return LLVMBuildLoad2(c->e.b, core_scalar(c, 32), c->lanes.mask, "");
}

LLVMValueRef
core_mask(struct core *c)
{
    if (core_is_full(c))
        return NULL;
    return emit_bits_to_mask(&c->e, core_mask_bits(c));
}

LLVMValueRef
core_all_lanes(struct core *c)
{
    LLVMValueRef m = core_mask(c);
    return m ? m : LLVMConstAllOnes(core_vector(c, 1));
}

/* -- registers --------------------------------------------------------------------------------- */

unsigned
core_reg_bits(const struct core *c, uint32_t reg)
{
    enum ptx_type t = (enum ptx_type)c->wir->regs[reg].type;
    if (t == PTX_PRED)
        return 1;
    unsigned bytes = ptx_type_bytes(t);
    return bytes ? bytes * 8 : 64; /* opaque references are handles */
}

bool
core_reg_scalar(const struct core *c, uint32_t reg)
{
    return c->facts->reg[reg].kind == FACT_SCALAR;
}

unsigned
core_reg_count(const struct core *c, uint32_t reg)
{
    return plan_values(c->facts, reg);
}

LLVMTypeRef
core_reg_type(struct core *c, uint32_t reg)
{
    return emit_type_at(&c->e, core_scalar(c, core_reg_bits(c, reg)), core_reg_count(c, reg));
}

unsigned
core_value_count(LLVMValueRef v)
{
    return core_is_vector(v) ? LLVMGetVectorSize(LLVMTypeOf(v)) : 1;
}

LLVMValueRef
core_resize(struct core *c, LLVMValueRef v, unsigned bits, bool sign)
{
    unsigned have = emit_bits_of(v);
    if (have == bits)
        return v;
    LLVMTypeRef to = emit_type_at(&c->e, core_scalar(c, bits), core_value_count(v));
    if (have > bits)
        return LLVMBuildTrunc(c->e.b, v, to, "");
    return sign ? LLVMBuildSExt(c->e.b, v, to, "") : LLVMBuildZExt(c->e.b, v, to, "");
}

LLVMValueRef
core_spread_some(struct core *c, LLVMValueRef v, const int32_t *pattern, unsigned n)
{
    LLVMValueRef at[LANES], add[LANES];
    unsigned have = core_value_count(v), bits = emit_bits_of(v), step = LANES / n;
    bool plain = true;
    for (unsigned k = 0; k < n; k++) {
        int64_t d = pattern ? pattern[k * step] : 0;
        at[k] = core_i32(c, k * have / n);
        add[k] = LLVMConstInt(core_scalar(c, bits), (uint64_t)d, true);
        plain &= d == 0;
    }
    if (have == 1 && !core_is_vector(v)) {
        LLVMTypeRef one = LLVMVectorType(LLVMTypeOf(v), 1);
        v = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(one), v, core_i32(c, 0), "");
    }
    v = LLVMBuildShuffleVector(c->e.b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, n), "");
    return plain ? v : LLVMBuildAdd(c->e.b, v, LLVMConstVector(add, n), "");
}

LLVMValueRef
core_spread_firsts(struct core *c, LLVMValueRef firsts, const struct fact *f, unsigned n)
{
    return core_spread_some(c, firsts, f->guess ? NULL : f->pattern, n);
}

LLVMValueRef
core_take_firsts(struct core *c, LLVMValueRef v, unsigned n)
{
    LLVMValueRef at[LANES];
    for (unsigned k = 0; k < n; k++)
        at[k] = core_i32(c, k * LANES / n);
    return LLVMBuildShuffleVector(c->e.b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, n),
                                  "");
}

static LLVMValueRef
first_active(struct core *c)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef args[] = {core_mask_bits(c), LLVMConstInt(core_scalar(c, 1), 0, false)};
    LLVMValueRef lane = emit_intrinsic(&c->e, "llvm.cttz", &i32, 1, args, 2);
    return LLVMBuildAnd(c->e.b, lane, core_i32(c, LANES - 1), "");
}

/* Whose value one of a vector is. What all lanes agree on is a scalar, but in code for a debugger,
 * where lane 0 may hold an older value. */
static LLVMValueRef
first_lane(struct core *c)
{
    return c->form.steps ? first_active(c) : core_i32(c, 0);
}

LLVMValueRef
core_read(struct core *c, uint32_t reg, bool scalar)
{
    unsigned bits = core_reg_bits(c, reg);
    const struct fact *f = &c->facts->reg[reg];
    if (f->kind == FACT_NONE || !c->regs.reg[reg])
        return LLVMConstNull(scalar ? core_scalar(c, bits) : core_vector(c, bits));
    if (f->kind == FACT_SCALAR) {
        LLVMValueRef v = f->known && bits > 1
                             ? LLVMConstInt(core_scalar(c, bits), (uint64_t)f->base, true)
                             : LLVMBuildLoad2(c->e.b, core_scalar(c, bits), c->regs.reg[reg], "");
        return scalar ? v : core_spread(c, v, f->pattern);
    }
    LLVMValueRef v = LLVMBuildLoad2(c->e.b, core_reg_type(c, reg), c->regs.reg[reg], "");
    if (scalar)
        return LLVMBuildExtractElement(c->e.b, v, first_lane(c), "");
    return core_value_count(v) == LANES ? v : core_spread_firsts(c, v, f, LANES);
}

LLVMValueRef
core_value_of_active(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
                     unsigned bits)
{
    struct fact f = facts_operand(c->facts, i, o);
    if (fact_uniform(&f))
        return core_value(c, i, o, bits, true);
    LLVMValueRef v = core_value(c, i, o, bits, false);
    return LLVMBuildExtractElement(c->e.b, v, first_active(c), "");
}

LLVMValueRef
core_read_lanes(struct core *c, uint32_t reg)
{
    return core_read(c, reg, false);
}

LLVMValueRef
core_keep_lanes(struct core *c, uint32_t reg, LLVMValueRef v)
{
    unsigned count = core_reg_count(c, reg);
    if (count == 1)
        return LLVMBuildExtractElement(c->e.b, v, core_i32(c, 0), "");
    return count == LANES ? v : core_take_firsts(c, v, count);
}

/* -- arithmetic and the like ------------------------------------------------------------------- */

unsigned
core_operand_bits(const struct ptx_insn *p, unsigned k, const struct ptx_operand *o,
                  const struct core *c)
{
    unsigned type = 8 * ptx_type_bytes((enum ptx_type)p->type[0]);
    if (p->type[0] == PTX_PRED)
        type = 1;
    bool pred = o->kind == PTX_O_REG && c->wir->regs[o->reg].type == PTX_PRED;
    if (pred)
        return 1;
    unsigned second = p->type_count > 1 ? 8 * ptx_type_bytes((enum ptx_type)p->type[1]) : type;
    switch (p->op) {
    case PTX_OP_MAD:
    case PTX_OP_MAD24: return k == 2 && ptx_has(p, PTX_M_WIDE) ? 2 * type : type;
    case PTX_OP_SHL:
    case PTX_OP_SHR: return k == 1 ? 32 : type;
    case PTX_OP_CVT: return 8 * ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]);
    case PTX_OP_ADD:
    case PTX_OP_SUB: return k == 0 ? second : type;
    case PTX_OP_FMA: return k < 2 ? second : type;
    case PTX_OP_SELP:
    case PTX_OP_SETP: return k == 2 ? 1 : type;
    case PTX_OP_SET: return k == 2 ? 1 : second;
    case PTX_OP_SLCT: return k == 2 ? second : type;
    case PTX_OP_BFE: return k ? 32 : type;
    case PTX_OP_BFI: return k > 1 ? 32 : type;
    case PTX_OP_SHFL: return 32;
    case PTX_OP_MATCH: return k ? 32 : type;
    case PTX_OP_VOTE: return k ? 32 : 1;
    case PTX_OP_REDUX: return 32;
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
    case PTX_OP_PRMT:
    case PTX_OP_SHF:
    case PTX_OP_LOP3:
    case PTX_OP_FNS:
    case PTX_OP_BMSK:
    case PTX_OP_SZEXT:
    case PTX_OP_ELECT: return 32;
    default:
        if (p->op >= PTX_OP_VADD && p->op <= PTX_OP_VSET4)
            return 32;
        return type;
    }
}

unsigned
core_source_bits(const struct core *c, const struct ptx_insn *p, unsigned k)
{
    return core_operand_bits(p, k, &p->operand[k + 1], c);
}

bool
core_destination_scalar(const struct core *c, const struct ptx_operand *o)
{
    if (o->kind == PTX_O_REG)
        return core_reg_scalar(c, o->reg);
    for (uint32_t k = 0; k < o->count; k++)
        if (o->elements[k].kind == PTX_O_REG && !core_reg_scalar(c, o->elements[k].reg))
            return false;
    return o->count > 0;
}

/* -- warps that run together ------------------------------------------------------------------- */

bool
interleave_follows(const struct core *c, const LLVMValueRef *reg)
{
    return c->now.version.warps > 1 && reg == c->regions->interleaved_warp[0].reg &&
           reg != c->regs.reg;
}

/* -- emitting: a region begins ----------------------------------------------------------------- */

void
regions_use(struct core *c, const struct warp_context *t)
{
    c->regs.reg = t->reg;
    c->regs.guess = t->guess;
    c->regs.carry = t->carry;
    c->e.warp = t->warp;
    c->in.frame = t->frame;
    c->in.warp_index = t->warp_index;
    memcpy(c->in.tid, t->tid, sizeof c->in.tid);
}

/* What lies at one alloca, to another. */
static void
copy_alloca(struct core *c, LLVMValueRef from, LLVMValueRef to)
{
    LLVMTypeRef type = from ? LLVMGetAllocatedType(from) : NULL;
    if (from && to && from != to)
        LLVMBuildStore(c->e.b, LLVMBuildLoad2(c->e.b, type, from, ""), to);
}

void
regions_copy(struct core *c, const struct warp_context *from, uint32_t reg)
{
    const struct guess *x = &from->guess[reg], *y = &c->regs.guess[reg];
    copy_alloca(c, from->reg[reg], c->regs.reg[reg]);
    copy_alloca(c, x->holds, y->holds);
    copy_alloca(c, x->firsts, y->firsts);
    copy_alloca(c, x->back, y->back);
    copy_alloca(c, x->strays, y->strays);
    copy_alloca(c, x->wrapped, y->wrapped);
    copy_alloca(c, x->converged, y->converged);
    copy_alloca(c, x->first, y->first);
}

LLVMValueRef
core_local_base(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    int32_t lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = l;
    LLVMValueRef first = LLVMBuildMul(b, c->in.warp_index, core_i32(c, LANES), "");
    LLVMValueRef thread = LLVMBuildZExt(b, core_spread(c, first, lane), core_vector(c, 64), "");
    LLVMValueRef stride = LLVMBuildZExt(b, c->in.local_stride, core_scalar(c, 64), "");
    LLVMValueRef offset = LLVMBuildMul(b, thread, core_splat(c, stride), "");
    if (c->form.called) {
        LLVMValueRef used = LLVMBuildZExt(b, c->in.stack, core_scalar(c, 64), "");
        offset = LLVMBuildAdd(b, offset, core_splat(c, used), "");
    }
    return LLVMBuildAdd(b, offset, core_splat(c, c->in.local), "");
}

LLVMValueRef
core_splat_some(struct core *c, LLVMValueRef v, unsigned n)
{
    struct fact f = {.kind = FACT_SCALAR, .segment = LANES};
    return n == LANES ? core_splat(c, v) : core_spread_firsts(c, v, &f, n);
}
