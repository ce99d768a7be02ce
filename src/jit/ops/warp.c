/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_warp: instructions whose lanes look at each other: shfl, vote, match, redux, activemask,
 * elect (PTX ISA 9.7.9.6, 9.7.13.9 - 9.7.13.13, 9.7.13.16).
 *
 * A warp is a vector, so a vote is a mask in a register and a shuffle a permutation. Lanes take
 * part when they are active and in their own member mask. Lanes may bring different member masks to
 * one instruction (tiles of cooperative groups): results are per lane then, and the same in all
 * lanes only where the mask is a constant of the instruction.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

#include <math.h>

/* -- lanes ------------------------------------------------------------------------------------- */

static value
lane_numbers(struct emit *e)
{
    value k[32];
    for (unsigned lane = 0; lane < 32; lane++)
        k[lane] = LLVMConstInt(LLVMInt32TypeInContext(e->context), lane, false);
    return LLVMConstVector(k, 32);
}

static const struct ptx_operand *
last_operand(const struct ptx_insn *i)
{
    return &i->operand[i->operand_count - 1];
}

/* Whether all lanes have the same member mask: a constant, or the forms without one. */
static bool
same_members(const struct ptx_insn *i)
{
    return !ptx_has(i, PTX_M_SYNC) || last_operand(i)->kind == PTX_O_INT;
}

/* The lanes that take part: a scalar with same_members, else each lane's view. */
static value
participants(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin)
{
    if (!ptx_has(i, PTX_M_SYNC))
        return emit_active(e);
    if (same_members(i))
        return v_and(e, emit_lane(e, in[nin - 1], 0), emit_active(e));
    return v_and(e, in[nin - 1], emit_splat(e, emit_active(e)));
}

/* x as lanes see it: as wide as like (a scalar or a vector). */
static value
spread(struct emit *e, value x, value like)
{
    return v_count(like) ? emit_splat(e, x) : x;
}

bool
emit_warp_uniform(const struct ptx_insn *i, unsigned result)
{
    switch (i->op) {
    case PTX_OP_ACTIVEMASK: return true;
    case PTX_OP_VOTE:
    case PTX_OP_REDUX: return same_members(i);
    case PTX_OP_ELECT: return same_members(i) && result == 0;
    case PTX_OP_MATCH: return same_members(i) && ptx_has(i, PTX_M_ALL);
    default: return false;
    }
}

/* -- shfl -------------------------------------------------------------------------------------- */

static bool
constant_lanes(value index)
{
    if (!LLVMIsConstant(index))
        return false;
    for (unsigned k = 0; k < 32; k++) {
        value one = LLVMGetAggregateElement(index, k);
        if (!one || !LLVMIsAConstantInt(one))
            return false;
    }
    return true;
}

/* a[index[lane]] in each lane; index is 0..31. */
static value
permute(struct emit *e, value a, value index)
{
    if (constant_lanes(index))
        return LLVMBuildShuffleVector(e->b, a, LLVMGetPoison(LLVMTypeOf(a)), index, "");
    value part[2];
    if (host_has_avx512(e)) {
        value low = v_slice(e, a, 0, 16), high = v_slice(e, a, 16, 16);
        for (unsigned k = 0; k < 2; k++) {
            value args[] = {low, v_slice(e, index, 16 * k, 16), high};
            part[k] = emit_intrinsic(e, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
        }
        return v_concat(e, part, 2, 16, a);
    }
    value slot = v_slot(e, LLVMTypeOf(a));
    LLVMBuildStore(e->b, a, slot);
    value r = LLVMGetPoison(LLVMTypeOf(a));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    for (unsigned k = 0; k < 32; k++) {
        value from = emit_lane(e, index, k);
        value at = LLVMBuildGEP2(e->b, i32, slot, &from, 1, "");
        value one = LLVMBuildLoad2(e->b, i32, at, "");
        r = LLVMBuildInsertElement(e->b, r, one, LLVMConstInt(i32, k, false), "");
    }
    return r;
}

/* What lanes that do not execute it hand over: the manual leaves it open, and an H200 reads 0, of
 * lanes that have exited and of those that are elsewhere (tests/data/h200_shuffles.csv). */
static value
without_inactive(struct emit *e, value a)
{
    value mask = emit_active(e);
    bool all = LLVMIsAConstantInt(mask) && (uint32_t)LLVMConstIntGetZExtValue(mask) == UINT32_MAX;
    return all ? a : v_select(e, emit_bits_to_mask(e, mask), a, LLVMConstNull(LLVMTypeOf(a)));
}

/* The pseudo-code of 9.7.9.6; c holds the clamp value (bits 4..0) and the segment mask (12..8). */
static bool
warp_shfl(struct emit *e, const struct ptx_insn *i, const value *in, value *out)
{
    value lane = lane_numbers(e);
    value b = v_andk(e, in[1], 31), c = v_andk(e, in[2], 31);
    value segment = v_andk(e, v_lshrk(e, in[2], 8), 31);
    value outside = v_not(e, segment);
    value first = v_and(e, lane, segment);
    value last = v_or(e, first, v_and(e, c, outside));
    value j, inside;
    if (ptx_has(i, PTX_M_UP)) {
        j = v_sub(e, lane, b);
        inside = v_cmp(e, LLVMIntSGE, j, last);
    } else {
        j = ptx_has(i, PTX_M_DOWN)   ? v_add(e, lane, b)
            : ptx_has(i, PTX_M_BFLY) ? v_xor(e, lane, b)
                                     : v_or(e, first, v_and(e, b, outside));
        inside = v_cmp(e, LLVMIntSLE, j, last);
    }
    j = v_andk(e, v_select(e, inside, j, lane), 31);
    out[0] = permute(e, without_inactive(e, in[0]), j);
    if (insn_pair(i))
        out[1] = inside;
    return true;
}

/* -- vote, activemask, elect ------------------------------------------------------------------- */

static bool
warp_vote(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value who = participants(e, i, in, nin);
    value yes = v_and(e, spread(e, emit_mask_to_bits(e, in[0]), who), who);
    value all = v_eq(e, yes, who), none = v_is_zero(e, yes);
    out[0] = ptx_has(i, PTX_M_BALLOT) ? yes
             : ptx_has(i, PTX_M_ALL)  ? all
             : ptx_has(i, PTX_M_ANY)  ? v_not(e, none)
                                      : v_or(e, all, none); /* .uni */
    return true;
}

static bool
warp_elect(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    value leader = v_call1_flag(e, "llvm.cttz", participants(e, i, in, nin), false);
    out[0] = leader;
    if (insn_pair(i))
        out[1] = v_eq(e, lane_numbers(e), emit_splat(e, leader));
    return true;
}

/* -- groups ------------------------------------------------------------------------------------ */

/* A loop over groups of lanes: each turn takes the lowest lane left and lets `one` make that lane's
 * group and its result. */
struct group {
    value members; /* i32: lanes of this turn */
    value result;  /* scalar */
};

typedef struct group group_fn(struct emit *e, const struct ptx_insn *i, const value *in,
                              unsigned nin, value leader);

static value
for_each_group(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin,
               LLVMTypeRef result, group_fn *one)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context), t = LLVMVectorType(result, 32);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b);
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(e->context, e->function, "groups");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, e->function, "group");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(e->context, e->function, "grouped");
    value active = emit_active(e);
    LLVMBuildBr(e->b, loop);

    LLVMPositionBuilderAtEnd(e->b, loop);
    value left = LLVMBuildPhi(e->b, i32, ""), sum = LLVMBuildPhi(e->b, t, "");
    LLVMBuildCondBr(e->b, v_is_zero(e, left), after, body);

    LLVMPositionBuilderAtEnd(e->b, body);
    value leader = v_call1_flag(e, "llvm.cttz", left, true);
    struct group g = one(e, i, in, nin, leader);
    value own = LLVMBuildShl(e->b, v_k(e, left, 1), leader, "");
    value members = v_or(e, v_and(e, g.members, left), own);
    value next_sum = v_select(e, emit_bits_to_mask(e, members), emit_splat(e, g.result), sum);
    value next_left = v_and(e, left, v_not(e, members));
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, loop);

    LLVMAddIncoming(left, (value[]){active, next_left}, (LLVMBasicBlockRef[]){before, end}, 2);
    LLVMAddIncoming(sum, (value[]){LLVMConstNull(t), next_sum}, (LLVMBasicBlockRef[]){before, end},
                    2);
    LLVMPositionBuilderAtEnd(e->b, after);
    return sum;
}

/* The member mask that a lane brings, without inactive lanes. */
static value
members_of(struct emit *e, const value *in, unsigned nin, value lane)
{
    return v_and(e, LLVMBuildExtractElement(e->b, in[nin - 1], lane, ""), emit_active(e));
}

/* -- match ------------------------------------------------------------------------------------- */

/* Lanes with the leader's value, among its members: they all see the same group. */
static struct group
match_group(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value leader)
{
    value x = LLVMBuildExtractElement(e->b, in[0], leader, "");
    value equal = emit_mask_to_bits(e, v_eq(e, in[0], emit_splat(e, x)));
    value members = v_and(e, equal, members_of(e, in, nin, leader));
    return (struct group){members, members};
}

/* match.any: each lane gets the lanes with its value; match.all: all members or 0, and whether. */
static bool
warp_match(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    value who = participants(e, i, in, nin), equal;
    if (ptx_has(i, PTX_M_ALL) && same_members(i)) {
        value leader = v_call1_flag(e, "llvm.cttz", who, false);
        leader = v_andk(e, leader, 31);
        value x = LLVMBuildExtractElement(e->b, in[0], leader, "");
        equal = v_and(e, emit_mask_to_bits(e, v_eq(e, in[0], emit_splat(e, x))), who);
    } else {
        equal = for_each_group(e, i, in, nin, i32, match_group);
    }
    if (!ptx_has(i, PTX_M_ALL)) {
        out[0] = equal;
        return true;
    }
    value all = v_eq(e, equal, who);
    out[0] = v_select(e, all, who, v_k(e, who, 0));
    if (insn_pair(i))
        out[1] = all;
    return true;
}

/* -- redux ------------------------------------------------------------------------------------- */

/* The number that changes nothing, and LLVM's reduction. */
static const char *
redux_integer(const struct ptx_insn *i, uint64_t *identity)
{
    bool is_signed = insn_signed(i);
    *identity = 0;
    if (ptx_has(i, PTX_M_ADD))
        return "llvm.vector.reduce.add";
    if (ptx_has(i, PTX_M_OR))
        return "llvm.vector.reduce.or";
    if (ptx_has(i, PTX_M_XOR))
        return "llvm.vector.reduce.xor";
    if (ptx_has(i, PTX_M_AND)) {
        *identity = 0xffffffff;
        return "llvm.vector.reduce.and";
    }
    if (ptx_has(i, PTX_M_MIN)) {
        *identity = is_signed ? 0x7fffffff : 0xffffffff;
        return is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
    }
    *identity = is_signed ? 0x80000000 : 0;
    return is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
}

/* min and max of floats, in a tree: the order of lanes does not change the result. */
static value
redux_float(struct emit *e, const struct ptx_insn *i, value x, value take)
{
    bool max = ptx_has(i, PTX_M_MAX), nan = ptx_has(i, PTX_M_NAN_RESULT);
    x = v_real(e, x);
    if (ptx_has(i, PTX_M_ABS))
        x = v_fabs(e, x);
    value identity = nan ? v_kf(e, x, max ? -INFINITY : INFINITY) : float_nan(e, x);
    x = v_select(e, take, x, identity);
    for (unsigned n = 16; n > 0; n /= 2)
        x = float_min(e, v_slice(e, x, 0, n), v_slice(e, x, n, n), max, nan);
    return v_bits(e, emit_lane(e, x, 0));
}

static value
redux_members(struct emit *e, const struct ptx_insn *i, value x, value members)
{
    value take = emit_bits_to_mask(e, members);
    if (insn_type(i) == PTX_F32)
        return redux_float(e, i, x, take);
    uint64_t identity;
    const char *name = redux_integer(i, &identity);
    return v_call1(e, name, v_select(e, take, x, v_k(e, x, identity)));
}

static struct group
redux_group(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value leader)
{
    value members = members_of(e, in, nin, leader);
    return (struct group){members, redux_members(e, i, in[0], members)};
}

static bool
warp_redux(struct emit *e, const struct ptx_insn *i, const value *in, unsigned nin, value *out)
{
    if (same_members(i))
        out[0] = redux_members(e, i, in[0], participants(e, i, in, nin));
    else
        out[0] = for_each_group(e, i, in, nin, LLVMInt32TypeInContext(e->context), redux_group);
    return true;
}

/* -- all of them ------------------------------------------------------------------------------- */

bool
emit_warp(struct emit *e, const struct ptx_insn *i, const LLVMValueRef *in, unsigned nin,
          LLVMValueRef *out)
{
    switch (i->op) {
    case PTX_OP_SHFL: return warp_shfl(e, i, in, out);
    case PTX_OP_VOTE: return warp_vote(e, i, in, nin, out);
    case PTX_OP_MATCH: return warp_match(e, i, in, nin, out);
    case PTX_OP_REDUX: return warp_redux(e, i, in, nin, out);
    case PTX_OP_ELECT: return warp_elect(e, i, in, nin, out);
    case PTX_OP_ACTIVEMASK: out[0] = emit_active(e); return true;
    default: return emit_fail(e, "%s is not a warp operation", ptx_op_name(i->op));
    }
}
