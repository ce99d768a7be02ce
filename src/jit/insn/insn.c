/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/insn.c: one instruction: its operands as scalars or vectors, the family that emits it, its
 * results into registers. Start at core_insn.
 */
#include "jit/insn/insn.h"

#include "jit/insn/matrix.h"
#include "jit/memory/memory.h"
#include "jit/ops/ops.h"
#include "jit/tools/tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- operands ---------------------------------------------------------------------------------- */

/* In how many lanes an instruction is computed whose result is not a scalar. */
static unsigned
result_count(const struct core *c, const struct wir_insn *i)
{
    const struct ptx_operand *to = &i->i.operand[0];
    return to->kind == PTX_O_REG && c->regs.reg[to->reg] && core_reg_count(c, to->reg) > 1
               ? core_reg_count(c, to->reg)
               : LANES;
}

/* -- moves ------------------------------------------------------------------------------------- */

static bool
emit_pack(struct core *c, const struct wir_insn *i, unsigned bits, bool scalar)
{
    const struct ptx_operand *from = &i->i.operand[1];
    unsigned part = bits / from->count;
    LLVMValueRef all = NULL;
    for (uint32_t k = 0; k < from->count; k++) {
        LLVMValueRef v =
            core_resize(c, core_value(c, i, &from->elements[k], part, scalar), bits, false);
        LLVMValueRef shift = LLVMConstInt(core_scalar(c, bits), (uint64_t)k * part, false);
        if (k)
            v = LLVMBuildShl(c->e.b, v, scalar ? shift : core_splat(c, shift), "");
        all = all ? LLVMBuildOr(c->e.b, all, v, "") : v;
    }
    core_write(c, i, &i->i.operand[0], all, false);
    return true;
}

static bool
emit_unpack(struct core *c, const struct wir_insn *i, unsigned bits, bool scalar)
{
    const struct ptx_operand *to = &i->i.operand[0];
    LLVMValueRef v = core_value(c, i, &i->i.operand[1], bits, scalar);
    unsigned part = bits / to->count;
    for (uint32_t k = 0; k < to->count; k++) {
        LLVMValueRef shift = LLVMConstInt(core_scalar(c, bits), (uint64_t)k * part, false);
        LLVMValueRef x = LLVMBuildLShr(c->e.b, v, scalar ? shift : core_splat(c, shift), "");
        core_write(c, i, &to->elements[k], core_resize(c, x, part, false), false);
    }
    return true;
}

static bool
emit_mov(struct core *c, const struct wir_insn *i, bool scalar)
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
emit_cvta(struct core *c, const struct wir_insn *i, bool scalar)
{
    const struct ptx_insn *p = &i->i;
    bool to = ptx_has(p, PTX_M_TO);
    enum ptx_space space = (enum ptx_space)p->space;
    scalar &= space != PTX_SPACE_LOCAL; /* each lane has its own */
    unsigned n = scalar ? 1 : space == PTX_SPACE_LOCAL ? LANES : result_count(c, i);
    LLVMValueRef v = core_firsts(c, i, &p->operand[1], 64, n), base = NULL;
    if (space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER)
        base = c->in.shared;
    else if (space == PTX_SPACE_LOCAL)
        base = core_local_base(c);
    else if (space == PTX_SPACE_PARAM)
        base = LLVMBuildPtrToInt(c->e.b, c->in.params, core_scalar(c, 64), "");
    if (base && n > 1 && !core_is_vector(base))
        base = core_spread_some(c, base, NULL, n);
    if (base)
        v = to ? LLVMBuildSub(c->e.b, v, base, "") : LLVMBuildAdd(c->e.b, v, base, "");
    core_write(c, i, &p->operand[0], v, false);
    return true;
}

/* isspacep: shared and local windows are 4 GiB and the warp's own lanes' memory; the rest is
 * global. Of a cluster's window the block's own shared memory is a part (.shared::cta). */
static bool
emit_isspacep(struct core *c, const struct wir_insn *i, bool scalar)
{
    const struct ptx_insn *p = &i->i;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef a = core_value(c, i, &p->operand[1], 64, scalar);
    LLVMValueRef shared = scalar ? c->in.shared : core_splat(c, c->in.shared);
    LLVMValueRef local = scalar ? c->in.local : core_splat(c, c->in.local);
    LLVMValueRef span = LLVMConstInt(core_scalar(c, 64), 1ull << 32, false);
    LLVMValueRef words = LLVMBuildMul(
        b, LLVMBuildZExt(b, c->in.local_stride, core_scalar(c, 64), ""),
        LLVMBuildMul(b, core_i64(c, LANES),
                     LLVMBuildZExt(b,
                                   core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, warps),
                                                   core_scalar(c, 32)),
                                   core_scalar(c, 64), ""),
                     ""),
        "");
    LLVMValueRef in_shared = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, a, shared, ""),
                                           scalar ? span : core_splat(c, span), "");
    LLVMValueRef in_local = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, a, local, ""),
                                          scalar ? words : core_splat(c, words), "");
    LLVMValueRef r;
    if (c->in.rank && p->space == PTX_SPACE_SHARED) {
        LLVMValueRef own = scalar ? c->in.own_shared : core_splat(c, c->in.own_shared);
        span = core_i64(c, 1ull << JIT_RANK_BIT);
        in_shared = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, a, own, ""),
                                  scalar ? span : core_splat(c, span), "");
    }
    switch (p->space) {
    case PTX_SPACE_SHARED:
    case PTX_SPACE_SHARED_CLUSTER: r = in_shared; break;
    case PTX_SPACE_LOCAL: r = in_local; break;
    case PTX_SPACE_GLOBAL: r = LLVMBuildNot(b, LLVMBuildOr(b, in_shared, in_local, ""), ""); break;
    default: return emit_fail(&c->e, "isspacep.%s is not supported", ptx_space_name(p->space));
    }
    core_write(c, i, &p->operand[0], r, false);
    return true;
}

/* -- arithmetic and the like ------------------------------------------------------------------- */

static bool
reads_carry(const struct ptx_insn *p)
{
    return p->op == PTX_OP_ADDC || p->op == PTX_OP_SUBC || p->op == PTX_OP_MADC;
}

/* Emitted as a scalar when the result is kept as one, or when all operands agree in all lanes. */
static bool
as_scalar(const struct core *c, const struct wir_insn *i)
{
    if (!i->i.operand_count || ptx_has(&i->i, PTX_M_CC) || reads_carry(&i->i))
        return false;
    if (core_destination_scalar(c, &i->i.operand[0]))
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
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_NEG:
    case PTX_OP_SELP:
    case PTX_OP_CVT:
        return !ptx_has(p, PTX_M_CC) && ptx_type_kind((enum ptx_type)p->type[0]) != 'f';
    default: return false;
    }
}

/* A conversion that takes some 20 instructions, of all lanes, in quick code: a call. */
static bool
is_shared(const struct core *c, const struct ptx_insn *p, unsigned lanes)
{
    enum ptx_type to = p->type_count == 2 ? (enum ptx_type)p->type[0] : PTX_TYPE_NONE;
    return c->form.shares && lanes == LANES && p->op == PTX_OP_CVT &&
           (to == PTX_TF32 || to == PTX_BF16) && p->type[1] == PTX_F32;
}

/* The function is called as what it depends on: the types, and all modifiers. */
static bool
emit_shared(struct core *c, const struct ptx_insn *p, LLVMValueRef *in, LLVMValueRef *out)
{
    struct core_outline o;
    char name[160];
    int at = snprintf(name, sizeof name, "cvt.%u.%u", p->type[0], p->type[1]);
    for (unsigned k = 0; k < PTX_MOD_WORDS; k++)
        at +=
            snprintf(name + at, sizeof name - (size_t)at, ".%llx", (unsigned long long)p->mods[k]);
    LLVMTypeRef from = LLVMTypeOf(*in), to = core_vector(c, 8 * ptx_type_bytes(p->type[0])),
                result = LLVMStructTypeInContext(c->e.context, &to, 1, false),
                type = LLVMFunctionType(result, &from, 1, false);
    bool ok = true;
    emit_fired(&c->e, PASS_SHARED_ACCESSES, "a call");
    LLVMValueRef f = core_outline(c, name, type, &o);
    if (o.made) {
        LLVMValueRef x = LLVMGetParam(f, 0);
        ok = emit_cvt(&c->e, p, &x, 1, out);
        core_outline_end(c, &o, out, ok);
    }
    LLVMValueRef all = LLVMBuildCall2(c->e.b, type, f, in, 1, "");
    *out = LLVMBuildExtractValue(c->e.b, all, 0, "");
    return ok;
}

static bool
emit_alu(struct core *c, const struct wir_insn *i, bool scalar)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef in[8] = {0}, out[4] = {0};
    unsigned n = 0, lanes = scalar ? 1 : by_segments(p) ? result_count(c, i) : LANES;
    c->e.lanes = lanes;
    if (lanes < LANES)
        c->e.mask = NULL;
    for (unsigned k = 1; k < p->operand_count && n < 7; k++)
        in[n++] = core_firsts(c, i, &p->operand[k], core_operand_bits(p, k - 1, &p->operand[k], c),
                              lanes);
    if (reads_carry(p))
        in[n++] = LLVMBuildLoad2(c->e.b, core_vector(c, 1), c->regs.carry, "");
    bool ok = is_shared(c, p, lanes) && n == 1 ? emit_shared(c, p, in, out)
              : p->op == PTX_OP_CVT            ? emit_cvt(&c->e, p, in, n, out)
                                               : emit_arith(&c->e, p, in, n, out);
    if (!ok)
        return false;
    bool sign = p->type_count && ptx_type_kind((enum ptx_type)p->type[0]) == 's';
    core_write_results(c, i, &p->operand[0], out, sign);
    if (ptx_has(p, PTX_M_CC) && out[1])
        LLVMBuildStore(c->e.b, out[1], c->regs.carry);
    return true;
}

static bool
emit_warp_insn(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    LLVMValueRef in[8] = {0}, out[4] = {0};
    unsigned n = 0, first = p->op == PTX_OP_BAR_WARP ? 0 : 1;
    c->e.mask_bits = core_mask_bits(c);
    for (unsigned k = first; k < p->operand_count && n < 8; k++)
        in[n++] = core_value(c, i, &p->operand[k],
                             core_operand_bits(p, k - first, &p->operand[k], c), false);
    for (unsigned k = 0; c->now.synced && k < n; k++)
        in[k] = core_sync_input(c, k, in[k]);
    if (c->now.synced)
        c->e.mask_bits = core_sync_active(c);
    if (!emit_warp(&c->e, p, in, n, out))
        return false;
    core_write_results(c, i, &p->operand[0], out, false);
    return true;
}

/* -- the instruction --------------------------------------------------------------------------- */

static bool
emit_arrive(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    bool cluster = p->op == PTX_OP_BARRIER_CLUSTER;
    LLVMValueRef args[] = {
        c->e.warp,
        core_mask_bits(c),
        cluster ? core_i32(c, 0) : core_value_of_active(c, i, &p->operand[0], 32),
        p->operand_count > 1 ? core_value_of_active(c, i, &p->operand[1], 32) : core_i32(c, 0),
        core_i32(c, cluster ? JIT_BAR_CLUSTER : JIT_BAR_SYNC),
        core_i32(c, 0),
        core_i32(c, 0),
        core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, arrive), LLVMVoidTypeInContext(c->e.context), args, 8);
    return true;
}

static bool
emit_fence(struct core *c, bool full)
{
    core_combine_flush(c);
    core_fence(c, full);
    return true;
}

static bool
emit_breakpoint(struct core *c, const struct wir_insn *i)
{
    LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), core_i32(c, JIT_TRAP_BREAKPOINT),
                           core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, trap), LLVMVoidTypeInContext(c->e.context), args, 4);
    return true;
}

/* An instruction across lanes: they differ, even where its operands do not. */
static bool
emit_across(struct core *c, const struct wir_insn *i)
{
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    return emit_warp_insn(c, i);
}

/* The units beside the lanes' own: textures, matrices, copies. False: it is of none. */
static bool
units_insn(struct core *c, const struct wir_insn *i, bool *done)
{
    switch (i->i.op) {
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_TXQ:
    case PTX_OP_ISTYPEP:
    case PTX_OP_SULD:
    case PTX_OP_SUST:
    case PTX_OP_SURED:
    case PTX_OP_SUQ: *done = core_image(c, i); return true;
    case PTX_OP_MMA:
    case PTX_OP_WMMA:
    case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX:
    case PTX_OP_MOVMATRIX: *done = matrix_insn(c, i); return true;
    case PTX_OP_MBARRIER:
    case PTX_OP_CP_ASYNC:
    case PTX_OP_CP_ASYNC_MBARRIER:
    case PTX_OP_CP_ASYNC_BULK:
    case PTX_OP_CP_REDUCE_ASYNC_BULK:
    case PTX_OP_ST_BULK:
    case PTX_OP_ST_ASYNC:
    case PTX_OP_RED_ASYNC:
    case PTX_OP_CREATEPOLICY:
    case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK: *done = async_insn(c, i); return true;
    case PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case PTX_OP_CP_ASYNC_BULK_TENSOR:
    case PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
    case PTX_OP_TENSORMAP_REPLACE:
    case PTX_OP_TENSORMAP_CP_FENCEPROXY: *done = tensor_insn(c, i); return true;
    case PTX_OP_WGMMA_FENCE:
    case PTX_OP_WGMMA_MMA_ASYNC:
    case PTX_OP_WGMMA_COMMIT_GROUP:
    case PTX_OP_WGMMA_WAIT_GROUP: *done = wgmma_insn(c, i); return true;
    case PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
    case PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL: *done = cancel_insn(c, i); return true;
    case PTX_OP_TCGEN05_ALLOC:
    case PTX_OP_TCGEN05_DEALLOC:
    case PTX_OP_TCGEN05_RELINQUISH_ALLOC_PERMIT:
    case PTX_OP_TCGEN05_LD:
    case PTX_OP_TCGEN05_ST:
    case PTX_OP_TCGEN05_WAIT_LD:
    case PTX_OP_TCGEN05_WAIT_ST:
    case PTX_OP_TCGEN05_CP:
    case PTX_OP_TCGEN05_SHIFT:
    case PTX_OP_TCGEN05_MMA:
    case PTX_OP_TCGEN05_MMA_WS:
    case PTX_OP_TCGEN05_MMA_SP:
    case PTX_OP_TCGEN05_MMA_WS_SP:
    case PTX_OP_TCGEN05_COMMIT:
    case PTX_OP_TCGEN05_FENCE_BEFORE:
    case PTX_OP_TCGEN05_FENCE_AFTER: *done = tcgen05_insn(c, i); return true;
    default: return false;
    }
}

bool
core_insn(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    c->e.insn = p;
    c->e.func = i->func;
    c->e.place = i->place;
    lines_at(&c->e, i->place);
    bool scalar = as_scalar(c, i), done;
    c->e.lanes = scalar ? 1 : LANES;
    c->e.mask = scalar ? NULL : core_mask(c);
    c->e.mask_bits = NULL;
    tools_before(c, i);
    core_sync_insn(c, i);
    if (core_speculated_insn(c, i))
        return true;
    switch (p->op) {
    case PTX_OP_MOV: return emit_mov(c, i, scalar);
    case PTX_OP_CVTA: return emit_cvta(c, i, scalar);
    case PTX_OP_ISSPACEP: return emit_isspacep(c, i, scalar);
    case PTX_OP_LD:
    case PTX_OP_LDU: return core_load(c, i);
    case PTX_OP_ST: return core_store(c, i);
    case PTX_OP_ATOM:
    case PTX_OP_RED: return core_atomic(c, i);
    case PTX_OP_CALL: return core_external_call(c, i);
    case PTX_OP_MEMBAR: return emit_fence(c, !ptx_has(p, PTX_M_CTA));
    case PTX_OP_FENCE: return emit_fence(c, ptx_has(p, PTX_M_SC) && !ptx_has(p, PTX_M_CTA));
    case PTX_OP_BAR_WARP: /* the lanes it names are here: the block began with that */
        core_fence(c, false);
        return true;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
    case PTX_OP_BARRIER_CLUSTER: return emit_arrive(c, i);
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_PMEVENT:
    case PTX_OP_DISCARD:
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_SETMAXNREG:
    case PTX_OP_GRIDDEPCONTROL: return true; /* hints */
    case PTX_OP_BRKPT: return emit_breakpoint(c, i);
    case PTX_OP_ALLOCA:
    case PTX_OP_STACKSAVE:
    case PTX_OP_STACKRESTORE: return core_stack(c, i);
    default:
        if (units_insn(c, i, &done))
            return done;
        if (ptx_op_is(p->op, PTX_LANES))
            return emit_across(c, i);
        if (p->op == PTX_OP_CVT || emit_is_arith(p))
            return emit_alu(c, i, scalar);
        return emit_fail(&c->e, "%s is not supported", ptx_op_name((enum ptx_op)p->op));
    }
}
