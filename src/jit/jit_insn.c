/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_insn.c: one instruction: its operands as scalars or vectors, the family that emits it, its
 * results into registers. Start at core_insn.
 */
#include "jit/jit_async.h"
#include "jit/jit_matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELD(type, field) offsetof(struct type, field)

/* -- types and constants ---------------------------------------------------------------------------- */

LLVMTypeRef
core_scalar(struct core *c, unsigned bits)
{
    return LLVMIntTypeInContext(c->e.context, bits);
}

LLVMTypeRef
core_vector(struct core *c, unsigned bits)
{
    return LLVMVectorType(core_scalar(c, bits), LANES);
}

LLVMValueRef
core_i32(struct core *c, uint32_t v)
{
    return LLVMConstInt(core_scalar(c, 32), v, false);
}

LLVMValueRef
core_i64(struct core *c, uint64_t v)
{
    return LLVMConstInt(core_scalar(c, 64), v, false);
}

static bool
is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

LLVMValueRef
core_splat(struct core *c, LLVMValueRef s)
{
    if (LLVMIsConstant(s)) {
        LLVMValueRef all[LANES];
        for (unsigned l = 0; l < LANES; l++)
            all[l] = s;
        return LLVMConstVector(all, LANES);
    }
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(s), LANES);
    LLVMValueRef one = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(type), s, core_i32(c, 0), "");
    return LLVMBuildShuffleVector(c->e.b, one, LLVMGetPoison(type),
                                  LLVMConstNull(core_vector(c, 32)), "");
}

LLVMValueRef
core_pattern(struct core *c, const int32_t *pattern, unsigned bits)
{
    LLVMValueRef lane[LANES];
    for (unsigned l = 0; l < LANES; l++)
        lane[l] = LLVMConstInt(core_scalar(c, bits),
                               (uint64_t)(int64_t)(pattern ? pattern[l] : 0), true);
    return LLVMConstVector(lane, LANES);
}

LLVMValueRef
core_spread(struct core *c, LLVMValueRef s, const int32_t *pattern)
{
    LLVMValueRef v = core_splat(c, s);
    if (!pattern)
        return v;
    return LLVMBuildAdd(c->e.b, v,
                        core_pattern(c, pattern, LLVMGetIntTypeWidth(LLVMTypeOf(s))), "");
}

LLVMValueRef
core_alloca(struct core *c, LLVMTypeRef type)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->e.b);
    LLVMValueRef first = LLVMGetFirstInstruction(c->entry);
    if (first)
        LLVMPositionBuilderBefore(c->e.b, first);
    else
        LLVMPositionBuilderAtEnd(c->e.b, c->entry);
    LLVMValueRef a = LLVMBuildAlloca(c->e.b, type, "");
    LLVMPositionBuilderAtEnd(c->e.b, here);
    return a;
}

LLVMValueRef
core_alloca_zero(struct core *c, LLVMTypeRef type)
{
    LLVMValueRef variable = core_alloca(c, type);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->e.b);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(c->entry);
    if (end)
        LLVMPositionBuilderBefore(c->e.b, end);
    else
        LLVMPositionBuilderAtEnd(c->e.b, c->entry);
    LLVMBuildStore(c->e.b, LLVMConstNull(type), variable);
    LLVMPositionBuilderAtEnd(c->e.b, here);
    return variable;
}

LLVMBasicBlockRef
core_new_block(struct core *c, const char *name)
{
    return LLVMAppendBasicBlockInContext(c->e.context, c->e.function, name);
}

static LLVMValueRef
field_at(struct core *c, LLVMValueRef base, size_t offset)
{
    LLVMValueRef at = core_i64(c, offset);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), base, &at, 1, "");
}

LLVMValueRef
core_load_field(struct core *c, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    return LLVMBuildLoad2(c->e.b, type, field_at(c, base, offset), "");
}

void
core_store_field(struct core *c, LLVMValueRef base, size_t offset, LLVMValueRef v)
{
    LLVMBuildStore(c->e.b, v, field_at(c, base, offset));
}

LLVMValueRef
core_service(struct core *c, size_t offset, LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[12], ptr = LLVMPointerTypeInContext(c->e.context, 0);
    for (unsigned k = 0; k < n; k++)
        types[k] = LLVMTypeOf(args[k]);
    LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
    LLVMValueRef f = core_load_field(c, c->e.services, offset, ptr);
    return LLVMBuildCall2(c->e.b, type, f, args, n, "");
}

/* -- masks -------------------------------------------------------------------------------------------- */

LLVMValueRef
core_mask_bits(struct core *c)
{
    if (c->all_active || c->in_whole || c->facts->complete[c->current])
        return core_i32(c, ~0u);
    return LLVMBuildLoad2(c->e.b, core_scalar(c, 32), c->mask, "");
}

LLVMValueRef
core_mask(struct core *c)
{
    if (c->all_active || c->in_whole || c->facts->complete[c->current])
        return NULL;
    return emit_bits_to_mask(&c->e, core_mask_bits(c));
}

LLVMValueRef
core_all_lanes(struct core *c)
{
    LLVMValueRef m = core_mask(c);
    return m ? m : LLVMConstAllOnes(core_vector(c, 1));
}

/* -- registers ------------------------------------------------------------------------------------------ */

unsigned
core_reg_bits(const struct core *c, uint32_t reg)
{
    enum ptx_type t = (enum ptx_type)c->flow->regs[reg].type;
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
    const struct fact *f = &c->facts->reg[reg];
    if (f->kind == FACT_SCALAR)
        return 1;
    unsigned segment = f->guess ? f->sure : f->segment;
    bool few = f->kind == FACT_VECTOR && core_reg_bits(c, reg) == 64 && !c->facts->merge[reg] &&
               segment >= 8;
    return few ? LANES / segment : LANES;
}

LLVMTypeRef
core_reg_type(struct core *c, uint32_t reg)
{
    return emit_type_at(&c->e, core_scalar(c, core_reg_bits(c, reg)), core_reg_count(c, reg));
}

static unsigned
count_of(LLVMValueRef v)
{
    return is_vector(v) ? LLVMGetVectorSize(LLVMTypeOf(v)) : 1;
}

static LLVMValueRef
resize(struct core *c, LLVMValueRef v, unsigned bits, bool sign)
{
    unsigned have = emit_bits_of(v);
    if (have == bits)
        return v;
    LLVMTypeRef to = emit_type_at(&c->e, core_scalar(c, bits), count_of(v));
    if (have > bits)
        return LLVMBuildTrunc(c->e.b, v, to, "");
    return sign ? LLVMBuildSExt(c->e.b, v, to, "") : LLVMBuildZExt(c->e.b, v, to, "");
}

/* v[k] of the result is v[from(k)], plus what the pattern has at lane k * step. */
static LLVMValueRef
spread_some(struct core *c, LLVMValueRef v, const int32_t *pattern, unsigned n)
{
    LLVMValueRef at[LANES], add[LANES];
    unsigned have = count_of(v), bits = emit_bits_of(v), step = LANES / n;
    bool plain = true;
    for (unsigned k = 0; k < n; k++) {
        int64_t d = pattern ? pattern[k * step] : 0;
        at[k] = core_i32(c, k * have / n);
        add[k] = LLVMConstInt(core_scalar(c, bits), (uint64_t)d, true);
        plain &= d == 0;
    }
    if (have == 1 && !is_vector(v)) {
        LLVMTypeRef one = LLVMVectorType(LLVMTypeOf(v), 1);
        v = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(one), v, core_i32(c, 0), "");
    }
    v = LLVMBuildShuffleVector(c->e.b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, n), "");
    return plain ? v : LLVMBuildAdd(c->e.b, v, LLVMConstVector(add, n), "");
}

LLVMValueRef
core_spread_firsts(struct core *c, LLVMValueRef firsts, const struct fact *f, unsigned n)
{
    return spread_some(c, firsts, f->guess ? NULL : f->pattern, n);
}

/* The first lanes of n segments. */
static LLVMValueRef
take_firsts(struct core *c, LLVMValueRef v, unsigned n)
{
    LLVMValueRef at[LANES];
    for (unsigned k = 0; k < n; k++)
        at[k] = core_i32(c, k * LANES / n);
    return LLVMBuildShuffleVector(c->e.b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(at, n), "");
}

static LLVMValueRef
read_reg(struct core *c, uint32_t reg, bool scalar)
{
    unsigned bits = core_reg_bits(c, reg);
    const struct fact *f = &c->facts->reg[reg];
    if (f->kind == FACT_NONE || !c->reg[reg])
        return LLVMConstNull(scalar ? core_scalar(c, bits) : core_vector(c, bits));
    if (f->kind == FACT_SCALAR) {
        LLVMValueRef v = f->known && bits > 1
                             ? LLVMConstInt(core_scalar(c, bits), (uint64_t)f->base, true)
                             : LLVMBuildLoad2(c->e.b, core_scalar(c, bits), c->reg[reg], "");
        return scalar ? v : core_spread(c, v, f->pattern);
    }
    LLVMValueRef v = LLVMBuildLoad2(c->e.b, core_reg_type(c, reg), c->reg[reg], "");
    if (scalar)
        return LLVMBuildExtractElement(c->e.b, v, core_i32(c, 0), "");
    return count_of(v) == LANES ? v : core_spread_firsts(c, v, f, LANES);
}

LLVMValueRef
core_read_lanes(struct core *c, uint32_t reg)
{
    return read_reg(c, reg, false);
}

LLVMValueRef
core_keep_lanes(struct core *c, uint32_t reg, LLVMValueRef v)
{
    unsigned count = core_reg_count(c, reg);
    if (count == 1)
        return LLVMBuildExtractElement(c->e.b, v, core_i32(c, 0), "");
    return count == LANES ? v : take_firsts(c, v, count);
}

static void
write_reg(struct core *c, const struct flow_insn *i, uint32_t reg, LLVMValueRef v, bool sign)
{
    LLVMBuilderRef b = c->e.b;
    if (!c->reg[reg])
        return;
    if (i->i.op == PTX_OP_SETP && c->facts->reg[reg].known) /* lane 0 may not be there */
        v = LLVMConstInt(core_scalar(c, 1), (unsigned long long)c->facts->reg[reg].base, false);
    v = resize(c, v, core_reg_bits(c, reg), sign);
    unsigned count = core_reg_count(c, reg);
    bool scalar = count == 1;
    if (scalar && is_vector(v))
        v = LLVMBuildExtractElement(b, v, core_i32(c, 0), "");
    else if (!scalar && !is_vector(v))
        v = count == LANES ? core_splat(c, v) : spread_some(c, v, NULL, count);
    else if (count_of(v) > count)
        v = take_firsts(c, v, count);
    bool guarded = i->i.guard != PTX_NO_REG && i->i.op != PTX_OP_BRA;
    if (guarded) {
        struct ptx_operand g = {.kind = PTX_O_REG, .reg = i->i.guard};
        LLVMValueRef p = core_value(c, i, &g, 1, count < LANES);
        LLVMValueRef old = count == LANES || scalar
                               ? read_reg(c, reg, scalar)
                               : LLVMBuildLoad2(b, core_reg_type(c, reg), c->reg[reg], "");
        v = i->i.guard_negated ? LLVMBuildSelect(b, p, old, v, "") : LLVMBuildSelect(b, p, v, old, "");
    }
    LLVMValueRef mask = scalar || !c->facts->merge[reg] ? NULL : core_mask(c);
    if (mask)
        v = LLVMBuildSelect(b, mask, v, read_reg(c, reg, false), "");
    LLVMBuildStore(b, v, c->reg[reg]);
    core_guess_write(c, i, reg);
}

void
core_write(struct core *c, const struct flow_insn *i, const struct ptx_operand *o, LLVMValueRef v,
           bool sign)
{
    if (o->kind == PTX_O_REG)
        write_reg(c, i, o->reg, v, sign);
}

/* -- special registers -------------------------------------------------------------------------------------- */

/* A coordinate of all threads of the block, as a constant of the module. */
static LLVMValueRef
tid_table(struct core *c, unsigned d)
{
    const uint32_t *dim = c->facts->shape.block;
    uint32_t threads = (dim[0] * dim[1] * dim[2] + LANES - 1) / LANES * LANES;
    char name[64];
    snprintf(name, sizeof name, "tid.%c of %u x %u x %u", "xyz"[d], dim[0], dim[1], dim[2]);
    LLVMValueRef g = LLVMGetNamedGlobal(c->e.module, name);
    if (g)
        return g;
    LLVMValueRef *v = ls_alloc(sizeof *v * threads);
    for (uint32_t t = 0; t < threads; t++)
        v[t] = core_i32(c, d == 0 ? t % dim[0] : d == 1 ? t / dim[0] % dim[1] : t / dim[0] / dim[1]);
    g = core_constants(c, v, threads, name);
    ls_release(v);
    return g;
}

static LLVMValueRef
tid_vector(struct core *c, unsigned d)
{
    const uint32_t *dim = c->facts->shape.block;
    LLVMBuilderRef b = c->e.b;
    int32_t lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = l;
    LLVMValueRef first = LLVMBuildMul(b, c->warp_index, core_i32(c, LANES), "");
    uint32_t product = d ? dim[0] * dim[1] : dim[0];
    if (product & (product - 1)) { /* a division takes some twenty instructions */
        LLVMValueRef at = LLVMBuildInBoundsGEP2(b, core_scalar(c, 32), tid_table(c, d), &first, 1, "");
        LLVMValueRef t = LLVMBuildLoad2(b, core_vector(c, 32), at, "");
        LLVMSetAlignment(t, 4);
        return t;
    }
    LLVMValueRef v = core_spread(c, first, lane);
    LLVMValueRef x = core_splat(c, core_i32(c, dim[0])), y = core_splat(c, core_i32(c, dim[1]));
    if (d == 0)
        return LLVMBuildURem(b, v, x, "");
    v = LLVMBuildUDiv(b, v, x, "");
    return d == 1 ? LLVMBuildURem(b, v, y, "") : LLVMBuildUDiv(b, v, y, "");
}

static LLVMValueRef
lane_masks(struct core *c, enum ptx_sreg r)
{
    LLVMValueRef lane[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t eq = 1u << l, lt = eq - 1;
        uint32_t m = r == PTX_SR_LANEMASK_EQ   ? eq
                     : r == PTX_SR_LANEMASK_LT ? lt
                     : r == PTX_SR_LANEMASK_LE ? lt | eq
                     : r == PTX_SR_LANEMASK_GE ? ~lt
                                               : ~(lt | eq);
        lane[l] = core_i32(c, m);
    }
    return LLVMConstVector(lane, LANES);
}

static LLVMValueRef
cycles(struct core *c, unsigned bits)
{
    LLVMValueRef v = emit_intrinsic(&c->e, "llvm.readcyclecounter", NULL, 0, NULL, 0);
    return resize(c, v, bits, false);
}

/* Nanoseconds of the host's clock. */
static LLVMValueRef
nanoseconds(struct core *c)
{
    LLVMTypeRef type = LLVMFunctionType(core_scalar(c, 64), NULL, 0, false);
    LLVMValueRef f = LLVMGetNamedFunction(c->e.module, "jit_nanoseconds");
    f = f ? f : LLVMAddFunction(c->e.module, "jit_nanoseconds", type);
    return LLVMBuildCall2(c->e.b, type, f, NULL, 0, "");
}

static LLVMValueRef
special(struct core *c, enum ptx_sreg r, bool scalar)
{
    struct fact f = fact_special_of(c->facts, r);
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef v = NULL;
    switch (r) {
    case PTX_SR_TID_X: case PTX_SR_TID_Y: case PTX_SR_TID_Z: {
        unsigned d = r == PTX_SR_TID_X ? 0 : r == PTX_SR_TID_Y ? 1 : 2;
        if (f.kind == FACT_VECTOR) {
            v = tid_vector(c, d);
            return scalar ? LLVMBuildExtractElement(c->e.b, v, core_i32(c, 0), "") : v;
        }
        v = f.known ? core_i32(c, (uint32_t)f.base) : c->tid[d];
        break;
    }
    case PTX_SR_NTID_X: v = core_i32(c, c->facts->shape.block[0]); break;
    case PTX_SR_NTID_Y: v = core_i32(c, c->facts->shape.block[1]); break;
    case PTX_SR_NTID_Z: v = core_i32(c, c->facts->shape.block[2]); break;
    case PTX_SR_CTAID_X: v = c->ctaid[0]; break;
    case PTX_SR_CTAID_Y: v = c->ctaid[1]; break;
    case PTX_SR_CTAID_Z: v = c->ctaid[2]; break;
    case PTX_SR_NCTAID_X: case PTX_SR_NCTAID_Y: case PTX_SR_NCTAID_Z:
        v = core_load_field(c, c->launch_ptr,
                            FIELD(jit_launch, grid) + 4 * (size_t)(r - PTX_SR_NCTAID_X), i32);
        break;
    case PTX_SR_LANEID: v = core_i32(c, 0); break;
    case PTX_SR_WARPID: v = c->warp_index; break;
    case PTX_SR_NWARPID: v = core_load_field(c, c->launch_ptr, FIELD(jit_launch, warps), i32); break;
    case PTX_SR_SMID: v = core_load_field(c, c->block_ptr, FIELD(jit_block, smid), i32); break;
    case PTX_SR_GRIDID:
        v = core_load_field(c, c->launch_ptr, FIELD(jit_launch, gridid), core_scalar(c, 64));
        break;
    case PTX_SR_DYNAMIC_SMEM_SIZE:
        v = core_load_field(c, c->launch_ptr, FIELD(jit_launch, dynamic_shared), i32);
        break;
    case PTX_SR_TOTAL_SMEM_SIZE:
        v = core_load_field(c, c->launch_ptr, FIELD(jit_launch, dynamic_shared), i32);
        v = LLVMBuildAdd(c->e.b, v, core_i32(c, c->flow->shared_bytes), "");
        break;
    case PTX_SR_CLOCK: v = cycles(c, 32); break;
    case PTX_SR_CLOCK64: v = cycles(c, 64); break;
    case PTX_SR_CLOCK_HI:
        v = resize(c, LLVMBuildLShr(c->e.b, cycles(c, 64), core_i64(c, 32), ""), 32, false);
        break;
    case PTX_SR_GLOBALTIMER: v = nanoseconds(c); break;
    case PTX_SR_GLOBALTIMER_LO: v = resize(c, nanoseconds(c), 32, false); break;
    case PTX_SR_GLOBALTIMER_HI:
        v = resize(c, LLVMBuildLShr(c->e.b, nanoseconds(c), core_i64(c, 32), ""), 32, false);
        break;
    case PTX_SR_LANEMASK_EQ: case PTX_SR_LANEMASK_LE: case PTX_SR_LANEMASK_LT:
    case PTX_SR_LANEMASK_GE: case PTX_SR_LANEMASK_GT:
        v = lane_masks(c, r);
        return scalar ? LLVMBuildExtractElement(c->e.b, v, core_i32(c, 0), "") : v;
    /* A block is a cluster of its own unless the launch says otherwise. */
    case PTX_SR_CLUSTER_NCTARANK: case PTX_SR_CLUSTER_NCTAID_X: case PTX_SR_CLUSTER_NCTAID_Y:
    case PTX_SR_CLUSTER_NCTAID_Z:
        v = core_i32(c, 1);
        break;
    case PTX_SR_CLUSTERID_X: v = c->ctaid[0]; break;
    case PTX_SR_CLUSTERID_Y: v = c->ctaid[1]; break;
    case PTX_SR_CLUSTERID_Z: v = c->ctaid[2]; break;
    case PTX_SR_NCLUSTERID_X: case PTX_SR_NCLUSTERID_Y: case PTX_SR_NCLUSTERID_Z:
        v = core_load_field(c, c->launch_ptr,
                            FIELD(jit_launch, grid) + 4 * (size_t)(r - PTX_SR_NCLUSTERID_X), i32);
        break;
    default:
        v = core_i32(c, 0); /* performance counters, envreg: unspecified, read as zero */
    }
    return scalar ? v : core_spread(c, v, f.pattern);
}

/* -- operands ------------------------------------------------------------------------------------------------ */

static uint64_t
float_bits(const struct ptx_operand *o, unsigned bits)
{
    double d;
    float f;
    uint32_t w;
    if (o->imm_is_f32) {
        w = (uint32_t)o->imm;
        if (bits != 64)
            return w;
        memcpy(&f, &w, sizeof f);
        d = f;
        uint64_t r;
        memcpy(&r, &d, sizeof r);
        return r;
    }
    if (bits == 64)
        return o->imm;
    memcpy(&d, &o->imm, sizeof d);
    f = (float)d;
    memcpy(&w, &f, sizeof w);
    return w;
}

/* The value of a variable's address in its own space (host address for .global and .const). */
static LLVMValueRef
symbol_address(struct core *c, const struct ptx_operand *o)
{
    if (o->func)
        return core_i64(c, JIT_FUNCTION_TAG | (uint64_t)(o->func->index + 1) << 4);
    const struct ptx_var *v = o->var;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(c->e.context, 0);
    if (v->func)
        return core_i64(c, c->flow->vars[v->index].offset + (uint64_t)o->offset);
    if (v->space == PTX_SPACE_SHARED)
        return core_i64(c, c->flow->shared_offset[v->index] + (uint64_t)o->offset);
    LLVMValueRef base = core_load_field(c, c->symbols, 8 * (size_t)v->index, core_scalar(c, 64));
    /* A reference stands for what is bound to it. */
    if (ptx_type_kind((enum ptx_type)v->type) == 'o' || v->space == PTX_SPACE_TEX)
        return core_load_field(c, LLVMBuildIntToPtr(c->e.b, base, pointer, ""), 0,
                               core_scalar(c, 64));
    return LLVMBuildAdd(c->e.b, base, core_i64(c, (uint64_t)o->offset), "");
}

LLVMValueRef
core_value(struct core *c, const struct flow_insn *i, const struct ptx_operand *o, unsigned bits,
           bool scalar)
{
    LLVMValueRef v;
    switch (o->kind) {
    case PTX_O_REG:
        v = resize(c, read_reg(c, o->reg, scalar), bits, false);
        if (o->negated && bits == 1)
            v = LLVMBuildNot(c->e.b, v, "");
        else if (o->negated)
            v = LLVMBuildNeg(c->e.b, v, "");
        return v;
    case PTX_O_SREG:
        return resize(c, special(c, (enum ptx_sreg)o->sreg, scalar), bits, false);
    case PTX_O_FLOAT:
        v = LLVMConstInt(core_scalar(c, bits), float_bits(o, bits), false);
        break;
    case PTX_O_SYMBOL:
        v = resize(c, symbol_address(c, o), bits, false);
        break;
    case PTX_O_INT:
        v = LLVMConstInt(core_scalar(c, bits), o->imm, false);
        break;
    default:
        v = LLVMConstNull(core_scalar(c, bits));
    }
    (void)i;
    return scalar ? v : core_splat(c, v);
}

LLVMValueRef
core_firsts(struct core *c, const struct flow_insn *i, const struct ptx_operand *o, unsigned bits,
            unsigned n)
{
    if (n == 1 || n == LANES)
        return core_value(c, i, o, bits, n == 1);
    struct fact f = facts_operand(c->facts, i, o);
    bool reg = o->kind == PTX_O_REG && c->reg[o->reg] && !o->negated;
    unsigned have = reg ? core_reg_count(c, o->reg) : LANES;
    if (reg && have > 1 && have <= n) {
        LLVMValueRef v = LLVMBuildLoad2(c->e.b, core_reg_type(c, o->reg), c->reg[o->reg], "");
        return resize(c, have == n ? v : core_spread_firsts(c, v, &f, n), bits, false);
    }
    if (fact_uniform(&f) || (reg && f.kind == FACT_SCALAR && core_reg_bits(c, o->reg) >= bits))
        return core_spread_firsts(c, core_value(c, i, o, bits, true), &f, n);
    return take_firsts(c, core_value(c, i, o, bits, false), n);
}

/* In how many lanes an instruction is computed whose result is not a scalar. */
static unsigned
result_count(const struct core *c, const struct flow_insn *i)
{
    const struct ptx_operand *to = &i->i.operand[0];
    return to->kind == PTX_O_REG && c->reg[to->reg] && core_reg_count(c, to->reg) > 1
               ? core_reg_count(c, to->reg)
               : LANES;
}

/* -- moves ------------------------------------------------------------------------------------------------------ */

static bool
emit_pack(struct core *c, const struct flow_insn *i, unsigned bits, bool scalar)
{
    const struct ptx_operand *from = &i->i.operand[1];
    unsigned part = bits / from->count;
    LLVMValueRef all = NULL;
    for (uint32_t k = 0; k < from->count; k++) {
        LLVMValueRef v = resize(c, core_value(c, i, &from->elements[k], part, scalar), bits, false);
        LLVMValueRef shift = LLVMConstInt(core_scalar(c, bits), (uint64_t)k * part, false);
        if (k)
            v = LLVMBuildShl(c->e.b, v, scalar ? shift : core_splat(c, shift), "");
        all = all ? LLVMBuildOr(c->e.b, all, v, "") : v;
    }
    core_write(c, i, &i->i.operand[0], all, false);
    return true;
}

static bool
emit_unpack(struct core *c, const struct flow_insn *i, unsigned bits, bool scalar)
{
    const struct ptx_operand *to = &i->i.operand[0];
    LLVMValueRef v = core_value(c, i, &i->i.operand[1], bits, scalar);
    unsigned part = bits / to->count;
    for (uint32_t k = 0; k < to->count; k++) {
        LLVMValueRef shift = LLVMConstInt(core_scalar(c, bits), (uint64_t)k * part, false);
        LLVMValueRef x = LLVMBuildLShr(c->e.b, v, scalar ? shift : core_splat(c, shift), "");
        core_write(c, i, &to->elements[k], resize(c, x, part, false), false);
    }
    return true;
}

static bool
emit_mov(struct core *c, const struct flow_insn *i, bool scalar)
{
    const struct ptx_insn *p = &i->i;
    unsigned bits = p->type[0] == PTX_PRED ? 1 : 8 * ptx_type_bytes((enum ptx_type)p->type[0]);
    if (p->operand[1].kind == PTX_O_VECTOR && p->operand[0].kind == PTX_O_VECTOR) {
        for (uint32_t k = 0; k < p->operand[0].count; k++)
            core_write(c, i, &p->operand[0].elements[k],
                       core_value(c, i, &p->operand[1].elements[k], bits, scalar), false);
        return true;
    }
    if (p->operand[1].kind == PTX_O_VECTOR)
        return emit_pack(c, i, bits, scalar);
    if (p->operand[0].kind == PTX_O_VECTOR)
        return emit_unpack(c, i, bits, scalar);
    unsigned n = scalar ? 1 : result_count(c, i);
    core_write(c, i, &p->operand[0], core_firsts(c, i, &p->operand[1], bits, n), false);
    return true;
}

static bool
emit_cvta(struct core *c, const struct flow_insn *i, bool scalar)
{
    const struct ptx_insn *p = &i->i;
    bool to = ptx_has(p, PTX_M_TO);
    enum ptx_space space = (enum ptx_space)p->space;
    scalar &= space != PTX_SPACE_LOCAL; /* each lane has its own */
    unsigned n = scalar ? 1 : space == PTX_SPACE_LOCAL ? LANES : result_count(c, i);
    LLVMValueRef v = core_firsts(c, i, &p->operand[1], 64, n), base = NULL;
    if (space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER)
        base = c->shared;
    else if (space == PTX_SPACE_LOCAL)
        base = core_local_base(c);
    else if (space == PTX_SPACE_PARAM)
        base = LLVMBuildPtrToInt(c->e.b, c->params, core_scalar(c, 64), "");
    if (base && n > 1 && !is_vector(base))
        base = spread_some(c, base, NULL, n);
    if (base)
        v = to ? LLVMBuildSub(c->e.b, v, base, "") : LLVMBuildAdd(c->e.b, v, base, "");
    core_write(c, i, &p->operand[0], v, false);
    return true;
}

/* isspacep: shared and local windows are 4 GiB and the warp's own lanes' memory; the rest is global. */
static bool
emit_isspacep(struct core *c, const struct flow_insn *i, bool scalar)
{
    const struct ptx_insn *p = &i->i;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef a = core_value(c, i, &p->operand[1], 64, scalar);
    LLVMValueRef shared = scalar ? c->shared : core_splat(c, c->shared);
    LLVMValueRef local = scalar ? c->local : core_splat(c, c->local);
    LLVMValueRef span = LLVMConstInt(core_scalar(c, 64), 1ull << 32, false);
    LLVMValueRef words = LLVMBuildMul(
        b, LLVMBuildZExt(b, c->local_stride, core_scalar(c, 64), ""),
        LLVMBuildMul(b, core_i64(c, LANES),
                     LLVMBuildZExt(b, core_load_field(c, c->launch_ptr, FIELD(jit_launch, warps),
                                                      core_scalar(c, 32)),
                                   core_scalar(c, 64), ""),
                     ""),
        "");
    LLVMValueRef in_shared = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, a, shared, ""),
                                           scalar ? span : core_splat(c, span), "");
    LLVMValueRef in_local = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, a, local, ""),
                                          scalar ? words : core_splat(c, words), "");
    LLVMValueRef r;
    switch (p->space) {
    case PTX_SPACE_SHARED: case PTX_SPACE_SHARED_CLUSTER: r = in_shared; break;
    case PTX_SPACE_LOCAL: r = in_local; break;
    case PTX_SPACE_GLOBAL:
        r = LLVMBuildNot(b, LLVMBuildOr(b, in_shared, in_local, ""), "");
        break;
    default:
        return emit_fail(&c->e, "isspacep.%s is not supported", ptx_space_name(p->space));
    }
    core_write(c, i, &p->operand[0], r, false);
    return true;
}

/* -- arithmetic and the like -------------------------------------------------------------------------------------- */

/* Width of source operand k (0: first after the destination), by the instruction (PTX ISA 9.7). */
static unsigned
source_bits(const struct ptx_insn *p, unsigned k, const struct ptx_operand *o, const struct core *c)
{
    unsigned type = 8 * ptx_type_bytes((enum ptx_type)p->type[0]);
    if (p->type[0] == PTX_PRED)
        type = 1;
    bool pred = o->kind == PTX_O_REG && c->flow->regs[o->reg].type == PTX_PRED;
    if (pred)
        return 1;
    unsigned second = p->type_count > 1 ? 8 * ptx_type_bytes((enum ptx_type)p->type[1]) : type;
    switch (p->op) {
    case PTX_OP_MAD:
    case PTX_OP_MAD24:
        return k == 2 && ptx_has(p, PTX_M_WIDE) ? 2 * type : type;
    case PTX_OP_SHL: case PTX_OP_SHR:
        return k == 1 ? 32 : type;
    case PTX_OP_CVT:
        return 8 * ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]);
    case PTX_OP_SET:
        return second;
    case PTX_OP_SLCT:
        return k == 2 ? second : type;
    case PTX_OP_BFE:
        return k ? 32 : type;
    case PTX_OP_BFI:
        return k > 1 ? 32 : type;
    case PTX_OP_SHFL:
        return 32;
    case PTX_OP_MATCH:
        return k ? 32 : type;
    case PTX_OP_VOTE:
        return k ? 32 : 1;
    case PTX_OP_REDUX:
        return 32;
    case PTX_OP_DP4A: case PTX_OP_DP2A: case PTX_OP_PRMT: case PTX_OP_SHF: case PTX_OP_LOP3:
    case PTX_OP_FNS: case PTX_OP_BMSK: case PTX_OP_SZEXT: case PTX_OP_ELECT:
        return 32;
    default:
        if (p->op >= PTX_OP_VADD && p->op <= PTX_OP_VSET4)
            return 32;
        return type;
    }
}

unsigned
core_source_bits(const struct core *c, const struct ptx_insn *p, unsigned k)
{
    return source_bits(p, k, &p->operand[k + 1], c);
}

static bool
reads_carry(const struct ptx_insn *p)
{
    return p->op == PTX_OP_ADDC || p->op == PTX_OP_SUBC || p->op == PTX_OP_MADC;
}

/* Results into registers: a pair or a list takes them in order. */
static void
write_results(struct core *c, const struct flow_insn *i, const struct ptx_operand *to,
              LLVMValueRef *out, bool sign)
{
    if (to->kind == PTX_O_PAIR || to->kind == PTX_O_VECTOR || to->kind == PTX_O_LIST) {
        for (uint32_t k = 0; k < to->count; k++)
            if (out[k])
                core_write(c, i, &to->elements[k], out[k], sign);
    } else if (out[0]) {
        core_write(c, i, to, out[0], sign);
    }
}

static bool
destination_scalar(const struct core *c, const struct ptx_operand *o)
{
    if (o->kind == PTX_O_REG)
        return core_reg_scalar(c, o->reg);
    for (uint32_t k = 0; k < o->count; k++)
        if (o->elements[k].kind == PTX_O_REG && !core_reg_scalar(c, o->elements[k].reg))
            return false;
    return o->count > 0;
}

/* Emitted as a scalar when the result is kept as one, or when all operands agree in all lanes. */
static bool
as_scalar(const struct core *c, const struct flow_insn *i)
{
    if (!i->i.operand_count || ptx_has(&i->i, PTX_M_CC) || reads_carry(&i->i))
        return false;
    if (destination_scalar(c, &i->i.operand[0]))
        return true;
    for (unsigned k = 1; k < i->i.operand_count; k++) {
        struct fact f = facts_operand(c->facts, i, &i->i.operand[k]);
        if (!fact_uniform(&f))
            return false;
    }
    return true;
}

/* Address arithmetic: what is worth computing for the first lanes of segments only. */
static bool
by_segments(const struct ptx_insn *p)
{
    switch (p->op) {
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_MUL: case PTX_OP_MAD: case PTX_OP_SHL:
    case PTX_OP_SHR: case PTX_OP_AND: case PTX_OP_OR: case PTX_OP_XOR: case PTX_OP_MIN:
    case PTX_OP_MAX: case PTX_OP_NEG: case PTX_OP_SELP: case PTX_OP_CVT:
        return !ptx_has(p, PTX_M_CC) && ptx_type_kind((enum ptx_type)p->type[0]) != 'f';
    default:
        return false;
    }
}

static bool
emit_alu(struct core *c, const struct flow_insn *i, bool scalar)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef in[8] = {0}, out[4] = {0};
    unsigned n = 0, lanes = scalar ? 1 : by_segments(p) ? result_count(c, i) : LANES;
    c->e.lanes = lanes;
    if (lanes < LANES)
        c->e.mask = NULL;
    for (unsigned k = 1; k < p->operand_count && n < 7; k++)
        in[n++] = core_firsts(c, i, &p->operand[k], source_bits(p, k - 1, &p->operand[k], c), lanes);
    if (reads_carry(p))
        in[n++] = LLVMBuildLoad2(c->e.b, core_vector(c, 1), c->carry, "");
    bool ok = p->op == PTX_OP_CVT ? emit_cvt(&c->e, p, in, n, out) : emit_arith(&c->e, p, in, n, out);
    if (!ok)
        return false;
    bool sign = p->type_count && ptx_type_kind((enum ptx_type)p->type[0]) == 's';
    write_results(c, i, &p->operand[0], out, sign);
    if (ptx_has(p, PTX_M_CC) && out[1])
        LLVMBuildStore(c->e.b, out[1], c->carry);
    return true;
}

/* A comparison of the greater of two numbers, of each by itself. */
static bool
emit_merged(struct core *c, const struct flow_insn *i, const struct merged *m)
{
    LLVMValueRef out[2][4] = {{0}}, v;
    for (unsigned k = 0; k < 2; k++) {
        const struct ptx_insn *p = &m->part[k].i;
        LLVMValueRef in[2];
        for (unsigned n = 0; n < 2; n++)
            in[n] = core_value(c, i, &p->operand[n + 1], source_bits(p, n, &p->operand[n + 1], c), false);
        if (!emit_arith(&c->e, p, in, 2, out[k]))
            return false;
    }
    v = m->both ? LLVMBuildAnd(c->e.b, out[0][0], out[1][0], "") : LLVMBuildOr(c->e.b, out[0][0], out[1][0], "");
    core_write(c, i, &i->i.operand[0], v, false);
    return true;
}

static bool
emit_warp_insn(struct core *c, const struct flow_insn *i)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef in[8] = {0}, out[4] = {0};
    unsigned n = 0, first = p->op == PTX_OP_BAR_WARP ? 0 : 1;
    c->e.mask_bits = core_mask_bits(c);
    for (unsigned k = first; k < p->operand_count && n < 8; k++)
        in[n++] = core_value(c, i, &p->operand[k], source_bits(p, k - first, &p->operand[k], c), false);
    for (unsigned k = 0; c->synced && k < n; k++)
        in[k] = core_sync_input(c, k, in[k]);
    if (c->synced)
        c->e.mask_bits = core_sync_active(c);
    if (!emit_warp(&c->e, p, in, n, out))
        return false;
    write_results(c, i, &p->operand[0], out, false);
    return true;
}

static bool
atomic_at(struct core *c, const struct flow_insn *i, LLVMValueRef address, const LLVMValueRef *in, unsigned n)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef out[8] = {0};
    if (core_combine(c, i, address, in[0]))
        return true;
    if (ptx_has(p, PTX_M_ACQ_REL) || ptx_has(p, PTX_M_RELEASE) || ptx_has(p, PTX_M_ACQUIRE))
        core_combine_flush(c);
    core_fence(c, false);
    if (!emit_atomic(&c->e, p, address, p->space == PTX_SPACE_SHARED, in, n, out))
        return false;
    core_fence(c, false);
    if (p->op == PTX_OP_ATOM)
        write_results(c, i, &p->operand[0], out, false);
    return true;
}

bool
core_atomic(struct core *c, const struct flow_insn *i)
{
    const struct ptx_insn *p = &i->i;
    unsigned at = p->op == PTX_OP_RED ? 0 : 1;
    unsigned bits = 8 * ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]);
    LLVMValueRef in[8] = {0};
    unsigned n = 0;
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    for (unsigned k = at + 1; k < p->operand_count && n < 8; k++) {
        const struct ptx_operand *o = &p->operand[k];
        if (o->kind == PTX_O_VECTOR)
            for (uint32_t j = 0; j < o->count && n < 8; j++)
                in[n++] = core_value(c, i, &o->elements[j], bits, false);
        else
            in[n++] = core_value(c, i, o, bits, false);
    }
    LLVMBasicBlockRef done = core_near_sum(c, i, &p->operand[at], in[0]);
    LLVMValueRef address = core_addresses(c, i, &p->operand[at], bits / 8 * (p->vec ? p->vec : 1),
                                          JIT_ATOMIC);
    if (done) /* so that what is computed for it only here can be left for here */
        address = LLVMBuildFreeze(c->e.b, address, "");
    bool ok = atomic_at(c, i, address, in, n);
    if (done) {
        LLVMBuildBr(c->e.b, done);
        LLVMPositionBuilderAtEnd(c->e.b, done);
    }
    return ok;
}

/* -- calls -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint8_t result;
    const char *params;
} externals[] = {
#define EXTERNAL(name, text, result, params) {text, result, params},
#include "jit/jit_externals.def"
#undef EXTERNAL
};

bool
core_known_function(const char *name)
{
    for (unsigned k = 0; k < JIT_EXTERNAL_COUNT; k++)
        if (!strcmp(externals[k].name, name))
            return true;
    return emit_math_known(name);
}

static bool
emit_external(struct core *c, const struct flow_insn *i, unsigned which,
              const struct ptx_operand *results, const struct ptx_operand *args)
{
    LLVMBuilderRef b = c->e.b;
    size_t n = strlen(externals[which].params), room = 0, at = 0;
    if ((args ? args->count : 0) != n)
        return emit_fail(&c->e, "%s takes %zu arguments", externals[which].name, n);
    for (size_t k = 0; k < n; k++)
        room += LANES * (size_t)(externals[which].params[k] - '0');
    LLVMValueRef in = core_alloca(c, LLVMArrayType2(core_scalar(c, 64), room / 8 + 1));
    LLVMValueRef out = core_alloca(c, LLVMArrayType2(core_scalar(c, 64), LANES));
    for (size_t k = 0; k < n; k++) {
        unsigned bytes = (unsigned)(externals[which].params[k] - '0');
        LLVMValueRef v = core_value(c, i, &args->elements[k], bytes * 8, false);
        LLVMSetAlignment(LLVMBuildStore(b, v, field_at(c, in, at)), 8);
        at += (size_t)LANES * bytes;
    }
    core_combine_flush(c);
    LLVMValueRef call[] = {c->e.warp, core_mask_bits(c), core_i32(c, which), core_i32(c, i->place),
                           in, out};
    core_service(c, FIELD(jit_services, external), LLVMVoidTypeInContext(c->e.context), call, 6);
    if (results && results->count && externals[which].result) {
        LLVMValueRef v = LLVMBuildLoad2(b, core_vector(c, externals[which].result * 8u), out, "");
        LLVMSetAlignment(v, 8);
        core_write(c, i, &results->elements[0], v, false);
    }
    return true;
}

/* The list of arguments behind the pointer at operand k. */
static const struct ptx_operand *
results_behind(const struct ptx_insn *p, unsigned k)
{
    for (k++; k < p->operand_count; k++)
        if (p->operand[k].kind == PTX_O_LIST)
            return &p->operand[k];
    return NULL;
}

/* Mathematics that stores results through pointers, as accesses. */
static void
announce_results(struct core *c, const struct flow_insn *i, const char *name, const LLVMValueRef *in,
                 unsigned n)
{
    static const struct {
        const char *part;
        uint8_t first, count, bytes; /* bytes 0: as wide as the argument */
    } stores[] = {{"sincos", 1, 2, 0}, {"modf", 1, 1, 0}, {"frexp", 1, 1, 4}, {"remquo", 2, 1, 4}};
    for (size_t k = 0; k < sizeof stores / sizeof *stores && (c->events & JIT_EVENT_ACCESS); k++) {
        const char *part = strstr(name, stores[k].part); /* fmodf is not modf */
        if (!part || (part > name && part[-1] != '_') || n < stores[k].first + stores[k].count)
            continue;
        LLVMTypeRef t = LLVMTypeOf(in[0]);
        t = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
        unsigned wide = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) / 8 : 8;
        for (unsigned a = stores[k].first; a < stores[k].first + stores[k].count; a++)
            core_announce_access(c, i, in[a], stores[k].bytes ? stores[k].bytes : wide, JIT_STORE);
    }
}

/* What an argument of a call was set to right before it, where that is a number: the parameters of a
 * call are written one after the other. Else the argument itself. */
static const struct ptx_operand *
argument_number(const struct flow_insn *call, const struct flow_insn *first, const struct ptx_operand *o)
{
    for (const struct flow_insn *i = call; o->kind == PTX_O_REG && i-- > first;) {
        const struct ptx_insn *p = &i->i;
        if ((p->op != PTX_OP_MOV && p->op != PTX_OP_ST) || p->operand[0].kind != PTX_O_REG)
            break;
        if (p->operand[0].reg != o->reg)
            continue;
        bool number = p->operand[1].kind == PTX_O_INT || p->operand[1].kind == PTX_O_FLOAT;
        return number && p->guard == PTX_NO_REG ? &p->operand[1] : o;
    }
    return o;
}

static bool
emit_call(struct core *c, const struct flow_insn *i)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *results = NULL, *args = NULL, *target = NULL;
    for (unsigned k = 0; k < p->operand_count; k++) {
        if (p->operand[k].kind == PTX_O_FUNC)
            target = &p->operand[k];
        else if (p->operand[k].kind == PTX_O_LIST && !target)
            results = &p->operand[k];
        else if (p->operand[k].kind == PTX_O_LIST)
            args = &p->operand[k];
    }
    if (!target)
        for (unsigned k = 0; k < p->operand_count; k++)
            if (p->operand[k].kind == PTX_O_REG)
                return core_call(c, i, k && p->operand[0].kind == PTX_O_LIST ? &p->operand[0] : NULL,
                                 &p->operand[k], args ? args : results_behind(p, k));
    if (target->func->has_body)
        return core_call(c, i, results, target, args);
    const char *name = target->func->name;
    for (unsigned k = 0; k < JIT_EXTERNAL_COUNT; k++)
        if (!strcmp(externals[k].name, name))
            return emit_external(c, i, k, results, args);
    LLVMValueRef in[8] = {0}, out[8] = {0};
    unsigned n = 0;
    bool scalar = results && results->count && destination_scalar(c, results);
    c->e.lanes = scalar ? 1 : LANES;
    c->e.mask = scalar ? NULL : core_mask(c);
    for (uint32_t k = 0; args && k < args->count && n < 8; k++) {
        const struct ptx_operand *o = &args->elements[k];
        unsigned bits = o->kind == PTX_O_REG ? core_reg_bits(c, o->reg) : 32;
        o = argument_number(i, &c->flow->insns[c->flow->blocks[c->current].first], o);
        in[n++] = core_value(c, i, o, bits, scalar);
    }
    c->e.mask_bits = core_mask_bits(c);
    announce_results(c, i, name, in, n);
    if (!emit_math(&c->e, name, in, n, out))
        return false;
    for (uint32_t k = 0; results && k < results->count; k++)
        if (out[k])
            core_write(c, i, &results->elements[k], out[k], false);
    return true;
}

/* -- the instruction ------------------------------------------------------------------------------------------------ */

static bool
emit_arrive(struct core *c, const struct flow_insn *i)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), core_value(c, i, &p->operand[0], 32, true),
                           p->operand_count > 1 ? core_value(c, i, &p->operand[1], 32, true)
                                                : core_i32(c, 0),
                           core_i32(c, JIT_BAR_SYNC), core_i32(c, 0), core_i32(c, 0),
                           core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, arrive), LLVMVoidTypeInContext(c->e.context), args, 8);
    return true;
}

bool
core_insn(struct core *c, const struct flow_insn *i)
{
    const struct ptx_insn *p = &i->i;
    c->e.insn = p;
    c->e.func = i->func;
    c->e.place = i->place;
    struct merged merged;
    bool scalar = as_scalar(c, i);
    c->e.lanes = scalar ? 1 : LANES;
    c->e.mask = scalar ? NULL : core_mask(c);
    c->e.mask_bits = NULL;
    core_count(c, i);
    core_batch_before(c, i);
    core_announce_sync(c, i);
    if (core_straight_insn(c, i))
        return true;
    switch (p->op) {
    case PTX_OP_MOV:
        return emit_mov(c, i, scalar);
    case PTX_OP_CVTA:
        return emit_cvta(c, i, scalar);
    case PTX_OP_ISSPACEP:
        return emit_isspacep(c, i, scalar);
    case PTX_OP_LD:
    case PTX_OP_LDU:
        return core_load(c, i);
    case PTX_OP_ST:
        return core_store(c, i);
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return core_atomic(c, i);
    case PTX_OP_CALL:
        return emit_call(c, i);
    case PTX_OP_MEMBAR:
        core_combine_flush(c);
        core_fence(c, !ptx_has(p, PTX_M_CTA));
        return true;
    case PTX_OP_FENCE:
        core_combine_flush(c);
        core_fence(c, ptx_has(p, PTX_M_SC) && !ptx_has(p, PTX_M_CTA));
        return true;
    case PTX_OP_BAR_WARP: /* the lanes it names are here: the block began with that */
        core_fence(c, false);
        return true;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return emit_arrive(c, i);
    case PTX_OP_BARRIER_CLUSTER:
    case PTX_OP_PREFETCH: case PTX_OP_PREFETCHU: case PTX_OP_NANOSLEEP: case PTX_OP_PMEVENT:
    case PTX_OP_DISCARD: case PTX_OP_APPLYPRIORITY: case PTX_OP_SETMAXNREG:
    case PTX_OP_GRIDDEPCONTROL:
        return true; /* hints, and arrivals that the wait accounts for */
    case PTX_OP_BRKPT: {
        LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), core_i32(c, JIT_TRAP_BREAKPOINT),
                               core_i32(c, i->place)};
        core_service(c, FIELD(jit_services, trap), LLVMVoidTypeInContext(c->e.context), args, 4);
        return true;
    }
    case PTX_OP_TEX: case PTX_OP_TLD4: case PTX_OP_TXQ: case PTX_OP_ISTYPEP:
    case PTX_OP_SULD: case PTX_OP_SUST: case PTX_OP_SURED: case PTX_OP_SUQ:
        return core_image(c, i);
    case PTX_OP_MMA: case PTX_OP_WMMA: case PTX_OP_LDMATRIX: case PTX_OP_STMATRIX:
    case PTX_OP_MOVMATRIX:
        return matrix_insn(c, i);
    case PTX_OP_MBARRIER: case PTX_OP_CP_ASYNC: case PTX_OP_CP_ASYNC_MBARRIER:
    case PTX_OP_CP_ASYNC_BULK: case PTX_OP_CP_REDUCE_ASYNC_BULK: case PTX_OP_ST_BULK:
    case PTX_OP_ST_ASYNC: case PTX_OP_RED_ASYNC: case PTX_OP_CREATEPOLICY: case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK:
        return async_insn(c, i);
    case PTX_OP_ALLOCA: case PTX_OP_STACKSAVE: case PTX_OP_STACKRESTORE:
        return core_stack(c, i);
    default:
        if (emit_is_warp(p)) {
            c->e.lanes = LANES;
            c->e.mask = core_mask(c);
            return emit_warp_insn(c, i);
        }
        if (!scalar && core_merged(c, i, &merged))
            return emit_merged(c, i, &merged);
        if (p->op == PTX_OP_CVT || emit_is_arith(p))
            return emit_alu(c, i, scalar);
        return emit_fail(&c->e, "%s is not supported", ptx_op_name((enum ptx_op)p->op));
    }
}
