/* SPDX-License-Identifier: Apache-2.0
 *
 * special.c: operands as values: numbers, special registers (PTX ISA 10), addresses of variables.
 * Start at core_value.
 */
#include "jit/values/values.h"

#include <llvm-c/Analysis.h>
#include <string.h>
#include <math.h>
#include <stdio.h>

/* -- the ends of blocks ------------------------------------------------------------------------ */

LLVMValueRef
core_branch_value(struct core *c, uint32_t block, bool scalar)
{
    const struct wir_block *blk = &c->wir->blocks[block];
    const struct wir_insn *i = &c->wir->insns[blk->end_insn];
    struct ptx_operand o = {.kind = PTX_O_REG, .reg = blk->guard};
    LLVMValueRef v = core_value(c, i, &o, 1, scalar);
    return blk->guard_negated ? LLVMBuildNot(c->e.b, v, "") : v;
}

/* -- special registers ------------------------------------------------------------------------- */

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
        v[t] = core_i32(c, d == 0   ? t % dim[0]
                           : d == 1 ? t / dim[0] % dim[1]
                                    : t / dim[0] / dim[1]);
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
    LLVMValueRef first = LLVMBuildMul(b, c->in.warp_index, core_i32(c, LANES), "");
    uint32_t product = d ? dim[0] * dim[1] : dim[0];
    if (product & (product - 1)) { /* a division takes some twenty instructions */
        LLVMValueRef at =
            LLVMBuildInBoundsGEP2(b, core_scalar(c, 32), tid_table(c, d), &first, 1, "");
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
steps_of(struct core *c)
{
    return core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, steps),
                           LLVMPointerTypeInContext(c->e.context, 0));
}

/* Under a debugger time is the launch's position: it goes on in the same way each time. */
static LLVMValueRef
cycles(struct core *c, unsigned bits)
{
    LLVMValueRef v = c->form.steps ? core_load_field(c, steps_of(c), FIELD(jit_steps, position),
                                                     core_scalar(c, 64))
                     : c->form.scheduled
                         ? core_load_field(c, c->e.warp, FIELD(jit_warp, clock), core_scalar(c, 64))
                         : emit_intrinsic(&c->e, "llvm.readcyclecounter", NULL, 0, NULL, 0);
    return core_resize(c, v, bits, false);
}

/* Nanoseconds of the host's clock; in a schedule a cycle is one. */
static LLVMValueRef
nanoseconds(struct core *c)
{
    if (c->form.steps)
        return LLVMBuildAdd(
            c->e.b, cycles(c, 64),
            core_load_field(c, steps_of(c), FIELD(jit_steps, began), core_scalar(c, 64)), "");
    if (c->form.scheduled)
        return cycles(c, 64);
    LLVMTypeRef type = LLVMFunctionType(core_scalar(c, 64), NULL, 0, false);
    LLVMValueRef f = LLVMGetNamedFunction(c->e.module, "jit_nanoseconds");
    f = f ? f : LLVMAddFunction(c->e.module, "jit_nanoseconds", type);
    return LLVMBuildCall2(c->e.b, type, f, NULL, 0, "");
}

/* One of the registers that tell time. */
static LLVMValueRef
clock_value(struct core *c, enum ptx_sreg r)
{
    switch (r) {
    case PTX_SR_CLOCK: return cycles(c, 32);
    case PTX_SR_CLOCK64: return cycles(c, 64);
    case PTX_SR_CLOCK_HI:
        return core_resize(c, LLVMBuildLShr(c->e.b, cycles(c, 64), core_i64(c, 32), ""), 32, false);
    case PTX_SR_GLOBALTIMER: return nanoseconds(c);
    case PTX_SR_GLOBALTIMER_LO: return core_resize(c, nanoseconds(c), 32, false);
    case PTX_SR_GLOBALTIMER_HI:
        return core_resize(c, LLVMBuildLShr(c->e.b, nanoseconds(c), core_i64(c, 32), ""), 32,
                           false);
    default: return NULL;
    }
}

/* Of clusters (PTX ISA 10, from %clusterid on). Without them a block is a cluster of its own. */
static LLVMValueRef
cluster_value(struct core *c, enum ptx_sreg r)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    unsigned d = r >= PTX_SR_CLUSTER_NCTAID_X  ? r - PTX_SR_CLUSTER_NCTAID_X
                 : r >= PTX_SR_CLUSTER_CTAID_X ? r - PTX_SR_CLUSTER_CTAID_X
                 : r >= PTX_SR_NCLUSTERID_X    ? r - PTX_SR_NCLUSTERID_X
                                               : r - PTX_SR_CLUSTERID_X;
    LLVMValueRef one = core_i32(c, 1), size = one, blocks = one;
    if (c->form.cluster && r < PTX_SR_CLUSTER_CTARANK)
        size = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, cluster) + 4 * d, i32);
    switch (r) {
    case PTX_SR_CLUSTER_CTARANK:
        return c->form.cluster ? core_load_field(c, c->in.block_ptr, FIELD(jit_block, rank), i32)
                               : core_i32(c, 0);
    case PTX_SR_CLUSTER_NCTARANK:
        return c->form.cluster
                   ? core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, cluster_blocks), i32)
                   : one;
    case PTX_SR_IS_EXPLICIT_CLUSTER: return core_i32(c, c->form.cluster);
    case PTX_SR_CLUSTER_NCTAID_X:
    case PTX_SR_CLUSTER_NCTAID_Y:
    case PTX_SR_CLUSTER_NCTAID_Z: return size;
    case PTX_SR_CLUSTER_CTAID_X:
    case PTX_SR_CLUSTER_CTAID_Y:
    case PTX_SR_CLUSTER_CTAID_Z: return LLVMBuildURem(c->e.b, c->in.ctaid[d], size, "");
    case PTX_SR_CLUSTERID_X:
    case PTX_SR_CLUSTERID_Y:
    case PTX_SR_CLUSTERID_Z: return LLVMBuildUDiv(c->e.b, c->in.ctaid[d], size, "");
    default:
        blocks = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, grid) + 4 * d, i32);
        return LLVMBuildUDiv(c->e.b, blocks, size, "");
    }
}

static LLVMValueRef
special(struct core *c, enum ptx_sreg r, bool scalar)
{
    struct fact f = fact_special_of(c->facts, r);
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef v = NULL;
    switch (r) {
    case PTX_SR_TID_X:
    case PTX_SR_TID_Y:
    case PTX_SR_TID_Z: {
        unsigned d = r == PTX_SR_TID_X ? 0 : r == PTX_SR_TID_Y ? 1 : 2;
        if (f.kind == FACT_VECTOR) {
            v = tid_vector(c, d);
            return scalar ? LLVMBuildExtractElement(c->e.b, v, core_i32(c, 0), "") : v;
        }
        v = f.known ? core_i32(c, (uint32_t)f.base) : c->in.tid[d];
        break;
    }
    case PTX_SR_NTID_X: v = core_i32(c, c->facts->shape.block[0]); break;
    case PTX_SR_NTID_Y: v = core_i32(c, c->facts->shape.block[1]); break;
    case PTX_SR_NTID_Z: v = core_i32(c, c->facts->shape.block[2]); break;
    case PTX_SR_CTAID_X: v = c->in.ctaid[0]; break;
    case PTX_SR_CTAID_Y: v = c->in.ctaid[1]; break;
    case PTX_SR_CTAID_Z: v = c->in.ctaid[2]; break;
    case PTX_SR_NCTAID_X:
    case PTX_SR_NCTAID_Y:
    case PTX_SR_NCTAID_Z:
        v = core_load_field(c, c->in.launch_ptr,
                            FIELD(jit_launch, grid) + 4 * (size_t)(r - PTX_SR_NCTAID_X), i32);
        break;
    case PTX_SR_LANEID: v = core_i32(c, 0); break;
    case PTX_SR_WARPID: v = c->in.warp_index; break;
    case PTX_SR_NWARPID:
        v = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, warps), i32);
        break;
    case PTX_SR_SMID: v = core_load_field(c, c->in.block_ptr, FIELD(jit_block, smid), i32); break;
    case PTX_SR_GRIDID:
        v = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, gridid), core_scalar(c, 64));
        break;
    case PTX_SR_DYNAMIC_SMEM_SIZE:
        v = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, dynamic_shared), i32);
        break;
    case PTX_SR_TOTAL_SMEM_SIZE:
        v = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, dynamic_shared), i32);
        v = LLVMBuildAdd(c->e.b, v, core_i32(c, c->wir->shared_bytes), "");
        break;
    case PTX_SR_CLOCK:
    case PTX_SR_CLOCK64:
    case PTX_SR_CLOCK_HI:
    case PTX_SR_GLOBALTIMER:
    case PTX_SR_GLOBALTIMER_LO:
    case PTX_SR_GLOBALTIMER_HI: v = clock_value(c, r); break;
    case PTX_SR_LANEMASK_EQ:
    case PTX_SR_LANEMASK_LE:
    case PTX_SR_LANEMASK_LT:
    case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT:
        v = lane_masks(c, r);
        return scalar ? LLVMBuildExtractElement(c->e.b, v, core_i32(c, 0), "") : v;
    case PTX_SR_CLUSTER_NCTARANK:
    case PTX_SR_CLUSTER_NCTAID_X:
    case PTX_SR_CLUSTER_NCTAID_Y:
    case PTX_SR_CLUSTER_NCTAID_Z:
    case PTX_SR_CLUSTER_CTARANK:
    case PTX_SR_CLUSTER_CTAID_X:
    case PTX_SR_CLUSTER_CTAID_Y:
    case PTX_SR_CLUSTER_CTAID_Z:
    case PTX_SR_CLUSTERID_X:
    case PTX_SR_CLUSTERID_Y:
    case PTX_SR_CLUSTERID_Z:
    case PTX_SR_NCLUSTERID_X:
    case PTX_SR_NCLUSTERID_Y:
    case PTX_SR_NCLUSTERID_Z:
    case PTX_SR_IS_EXPLICIT_CLUSTER: v = cluster_value(c, r); break;
    case PTX_SR_ENVREG1:
    case PTX_SR_ENVREG2: /* cooperative_groups.h */
        v = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, cooperative), i32);
        break;
    default: v = core_i32(c, 0); /* performance counters, envreg: unspecified, read as zero */
    }
    return scalar ? v : core_spread(c, v, f.pattern);
}

/* -- operands ---------------------------------------------------------------------------------- */

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

/* The address of a place in the block's own shared memory. */
static LLVMValueRef
ranked(struct core *c, uint64_t offset)
{
    LLVMValueRef v = core_i64(c, offset);
    return c->in.rank ? LLVMBuildAdd(c->e.b, c->in.rank, v, "") : v;
}

/* The value of a variable's address in its own space (host address for .global and .const). */
static LLVMValueRef
symbol_address(struct core *c, const struct ptx_operand *o)
{
    if (o->func)
        return core_i64(c, JIT_FUNCTION_TAG | (uint64_t)(o->func->index + 1) << 4);
    const struct ptx_var *v = o->var;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(c->e.context, 0);
    if (v->func && c->wir->vars[v->index].place == WIR_SHARED)
        return ranked(c, c->wir->vars[v->index].offset + (uint64_t)o->offset);
    if (v->func)
        return core_i64(c, c->wir->vars[v->index].offset + (uint64_t)o->offset);
    if (v->space == PTX_SPACE_SHARED)
        return ranked(c, c->wir->shared_offset[v->index] + (uint64_t)o->offset);
    LLVMValueRef base = core_load_field(c, c->in.symbols, 8 * (size_t)v->index, core_scalar(c, 64));
    /* A reference stands for what is bound to it. */
    if (ptx_type_kind((enum ptx_type)v->type) == 'o' || v->space == PTX_SPACE_TEX)
        return core_load_field(c, LLVMBuildIntToPtr(c->e.b, base, pointer, ""), 0,
                               core_scalar(c, 64));
    return LLVMBuildAdd(c->e.b, base, core_i64(c, (uint64_t)o->offset), "");
}

LLVMValueRef
core_value(struct core *c, const struct wir_insn *i, const struct ptx_operand *o, unsigned bits,
           bool scalar)
{
    LLVMValueRef v;
    switch (o->kind) {
    case PTX_O_REG:
        v = core_resize(c, core_read(c, o->reg, scalar), bits, false);
        if (o->negated && bits == 1)
            v = LLVMBuildNot(c->e.b, v, "");
        else if (o->negated)
            v = LLVMBuildNeg(c->e.b, v, "");
        return v;
    case PTX_O_SREG: return core_resize(c, special(c, (enum ptx_sreg)o->sreg, scalar), bits, false);
    case PTX_O_FLOAT: v = LLVMConstInt(core_scalar(c, bits), float_bits(o, bits), false); break;
    case PTX_O_SYMBOL: v = core_resize(c, symbol_address(c, o), bits, false); break;
    case PTX_O_INT: /* as a predicate it is true unless it is 0 (PTX ISA 4.5.3) */
        v = LLVMConstInt(core_scalar(c, bits), bits == 1 ? o->imm != 0 : o->imm, false);
        break;
    default: v = LLVMConstNull(core_scalar(c, bits));
    }
    (void)i;
    return scalar ? v : core_splat(c, v);
}

LLVMValueRef
core_firsts(struct core *c, const struct wir_insn *i, const struct ptx_operand *o, unsigned bits,
            unsigned n)
{
    if (n == 1 || n == LANES)
        return core_value(c, i, o, bits, n == 1);
    struct fact f = facts_operand(c->facts, i, o);
    bool reg = o->kind == PTX_O_REG && c->regs.reg[o->reg] && !o->negated;
    unsigned have = reg ? core_reg_count(c, o->reg) : LANES;
    if (reg && have > 1 && have <= n) {
        LLVMValueRef v = LLVMBuildLoad2(c->e.b, core_reg_type(c, o->reg), c->regs.reg[o->reg], "");
        return core_resize(c, have == n ? v : core_spread_firsts(c, v, &f, n), bits, false);
    }
    if (fact_uniform(&f) || (reg && f.kind == FACT_SCALAR && core_reg_bits(c, o->reg) >= bits))
        return core_spread_firsts(c, core_value(c, i, o, bits, true), &f, n);
    return core_take_firsts(c, core_value(c, i, o, bits, false), n);
}
