/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_atomic: atom and red (PTX ISA 9.7.13.5, 9.7.13.6) on the host's atomics, lane after lane.
 *
 *     for each active lane, lowest first:
 *         old[lane] = atomically (*address[lane] = operation(*address[lane], in[lane]))
 *
 * What the host cannot do in one instruction (floating point, inc, dec, halves) is a loop around
 * compare-and-swap. When all lanes address the same place, which is what counters and sums do, one
 * atomic does the work of the warp: integers are reduced first (the old values follow from prefix
 * sums), floats are added in lane order inside one compare-and-swap, so that the result is that of
 * the lanes one after the other.
 */
#include "jit/ops/ops.h"
#include "jit/ops/arith.h"

enum atomic_op {
    ATOMIC_NONE,
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
};

/* One instruction on its way: what it does, to which type, in which order. */
struct atomic {
    struct emit *e;
    const struct ptx_insn *i;
    enum atomic_op op;
    enum ptx_type type;
    unsigned bits;
    bool plain;
    bool wants_old;
    LLVMAtomicOrdering order;
    LLVMTypeRef t; /* the integer of the type's width */
};

static enum atomic_op
op_of(const struct ptx_insn *i)
{
    static const uint16_t mods[] = {0,         PTX_M_ADD,  PTX_M_MIN, PTX_M_MAX,
                                    PTX_M_INC, PTX_M_DEC,  PTX_M_AND, PTX_M_OR,
                                    PTX_M_XOR, PTX_M_EXCH, PTX_M_CAS};
    for (unsigned k = ATOMIC_ADD; k <= ATOMIC_CAS; k++)
        if (ptx_has(i, mods[k]))
            return (enum atomic_op)k;
    return ATOMIC_NONE;
}

static LLVMAtomicOrdering
order_of(const struct ptx_insn *i)
{
    if (ptx_has(i, PTX_M_ACQ_REL))
        return LLVMAtomicOrderingAcquireRelease;
    if (ptx_has(i, PTX_M_ACQUIRE))
        return LLVMAtomicOrderingAcquire;
    if (ptx_has(i, PTX_M_RELEASE))
        return LLVMAtomicOrderingRelease;
    return LLVMAtomicOrderingMonotonic;
}

/* -- one lane ---------------------------------------------------------------------------------- */

/* The host's own operation; false: it needs the loop. */
static bool
native(const struct atomic *a, LLVMAtomicRMWBinOp *op)
{
    bool is_signed = ptx_type_kind(a->type) == 's';
    if (float_type(a->type) && a->op != ATOMIC_EXCH)
        return false;
    switch (a->op) {
    case ATOMIC_ADD: *op = LLVMAtomicRMWBinOpAdd; return true;
    case ATOMIC_MIN: *op = is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin; return true;
    case ATOMIC_MAX: *op = is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax; return true;
    case ATOMIC_AND: *op = LLVMAtomicRMWBinOpAnd; return true;
    case ATOMIC_OR: *op = LLVMAtomicRMWBinOpOr; return true;
    case ATOMIC_XOR: *op = LLVMAtomicRMWBinOpXor; return true;
    case ATOMIC_EXCH: *op = LLVMAtomicRMWBinOpXchg; return a->bits <= 64;
    default: return false;
    }
}

/* add, min, max on floats. atom.add.f32 on global memory flushes denormals, on shared memory it
 * does not (9.7.13.5); `plain` is shared memory. */
static value
combine_floats(const struct atomic *a, value old, value x)
{
    struct emit *e = a->e;
    const struct format *f = format_of(a->type);
    bool packed = format_count(a->type) == 2;
    bool flush = a->type == PTX_F32 && !a->plain;
    value p = packed ? v_unpack(e, old, f->bits) : old, q = packed ? v_unpack(e, x, f->bits) : x;
    p = round_widen(e, p, f);
    q = round_widen(e, q, f);
    value r;
    if (a->op == ATOMIC_ADD) {
        r = LLVMBuildFAdd(e->b, flush ? float_flush(e, p) : p, flush ? float_flush(e, q) : q, "");
        r = flush ? float_flush(e, r) : r;
    } else {
        r = float_min(e, p, q, a->op == ATOMIC_MAX, false);
    }
    r = f->bits < 32 ? round_narrow(e, r, f, ROUND_NEAREST, false) : v_bits(e, r);
    return packed ? v_pack(e, r, a->bits, old) : r;
}

/* The value in memory after the operation. */
static value
combine(const struct atomic *a, value old, value x, value y)
{
    struct emit *e = a->e;
    bool is_signed = ptx_type_kind(a->type) == 's';
    if (float_type(a->type) && a->op != ATOMIC_EXCH && a->op != ATOMIC_CAS)
        return combine_floats(a, old, x);
    switch (a->op) {
    case ATOMIC_ADD: return v_add(e, old, x);
    case ATOMIC_MIN: return v_call2(e, is_signed ? "llvm.smin" : "llvm.umin", old, x);
    case ATOMIC_MAX: return v_call2(e, is_signed ? "llvm.smax" : "llvm.umax", old, x);
    case ATOMIC_INC: /* old >= x ? 0 : old + 1 */
        return v_select(e, v_ult(e, old, x), v_addk(e, old, 1), v_k(e, old, 0));
    case ATOMIC_DEC: /* old == 0 || old > x ? x : old - 1 */
    {
        value wrap = v_or(e, v_is_zero(e, old), v_ugt(e, old, x));
        return v_select(e, wrap, x, v_addk(e, old, ~UINT64_C(0)));
    }
    case ATOMIC_AND: return v_and(e, old, x);
    case ATOMIC_OR: return v_or(e, old, x);
    case ATOMIC_XOR: return v_xor(e, old, x);
    case ATOMIC_CAS: return v_select(e, v_eq(e, old, x), y, old);
    default: return x;
    }
}

static value
load(const struct atomic *a, value place)
{
    value old = LLVMBuildLoad2(a->e->b, a->t, place, "");
    LLVMSetAlignment(old, a->bits / 8);
    return old;
}

static value
compare_and_swap(const struct atomic *a, value place, value expected, value wanted)
{
    LLVMAtomicOrdering failed =
        a->order == LLVMAtomicOrderingAcquireRelease ? LLVMAtomicOrderingAcquire
        : a->order == LLVMAtomicOrderingRelease      ? LLVMAtomicOrderingMonotonic
                                                     : a->order;
    value r = LLVMBuildAtomicCmpXchg(a->e->b, place, expected, wanted, a->order, failed, false);
    LLVMSetAlignment(r, a->bits / 8);
    return r;
}

static LLVMBasicBlockRef
new_block(struct emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

/* The new value from the old one, inside the loop; may add blocks. */
typedef value next_fn(const struct atomic *a, value old, void *with);

/* old = *place; do { new = next(old) } while (!swap). */
static value
swap_loop(const struct atomic *a, value place, next_fn *next, void *with)
{
    struct emit *e = a->e;
    value first = load(a, place); /* may be torn or stale: the swap tells */
    if (a->bits <= 64)
        LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b);
    LLVMBasicBlockRef loop = new_block(e, "swap"), after = new_block(e, "swapped");
    LLVMBuildBr(e->b, loop);
    LLVMPositionBuilderAtEnd(e->b, loop);
    value old = LLVMBuildPhi(e->b, a->t, "");
    value wanted = next(a, old, with);
    value r = compare_and_swap(a, place, old, wanted);
    value seen = LLVMBuildExtractValue(e->b, r, 0, "");
    value done = LLVMBuildExtractValue(e->b, r, 1, "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
    LLVMBuildCondBr(e->b, done, after, loop);
    LLVMAddIncoming(old, (value[]){first, seen}, (LLVMBasicBlockRef[]){before, end}, 2);
    LLVMPositionBuilderAtEnd(e->b, after);
    return old;
}

static value
next_of_lane(const struct atomic *a, value old, void *with)
{
    value *x = with;
    return combine(a, old, x[0], x[1]);
}

/* One lane's operation on *place; gives the old value. */
static value
one_lane(const struct atomic *a, value place, value x, value y)
{
    struct emit *e = a->e;
    LLVMAtomicRMWBinOp op;
    if (a->plain) {
        value old = load(a, place);
        LLVMSetAlignment(LLVMBuildStore(e->b, combine(a, old, x, y), place), a->bits / 8);
        return old;
    }
    if (a->op == ATOMIC_CAS)
        return LLVMBuildExtractValue(e->b, compare_and_swap(a, place, x, y), 0, "");
    if (native(a, &op)) {
        value old = LLVMBuildAtomicRMW(e->b, op, place, x, a->order, false);
        LLVMSetAlignment(old, a->bits / 8);
        return old;
    }
    return swap_loop(a, place, next_of_lane, (value[]){x, y});
}

/* -- all lanes --------------------------------------------------------------------------------- */

/* Vectors in memory, so that a lane's number can pick from them. */
static value
in_memory(struct emit *e, value v)
{
    value slot = v_slot(e, LLVMTypeOf(v));
    LLVMBuildStore(e->b, v, slot);
    return slot;
}

static value
pick(struct emit *e, value slot, LLVMTypeRef element, value lane)
{
    value at = LLVMBuildGEP2(e->b, element, slot, &lane, 1, "");
    return LLVMBuildLoad2(e->b, element, at, "");
}

/* A loop over the active lanes, lowest first, that carries one value along (or NULL). */
typedef value lane_fn(const struct atomic *a, value lane, value carried, void *with);

static value
for_each_lane(const struct atomic *a, value carried, lane_fn *body, void *with)
{
    struct emit *e = a->e;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b);
    LLVMBasicBlockRef loop = new_block(e, "lanes"), turn = new_block(e, "lane");
    LLVMBasicBlockRef after = new_block(e, "lanes_done");
    value active = emit_active(e);
    LLVMBuildBr(e->b, loop);

    LLVMPositionBuilderAtEnd(e->b, loop);
    value left = LLVMBuildPhi(e->b, LLVMTypeOf(active), "");
    value now = carried ? LLVMBuildPhi(e->b, LLVMTypeOf(carried), "") : NULL;
    LLVMBuildCondBr(e->b, v_is_zero(e, left), after, turn);

    LLVMPositionBuilderAtEnd(e->b, turn);
    value lane = v_call1_flag(e, "llvm.cttz", left, true);
    value next = body(a, lane, now, with);
    value rest = v_and(e, left, v_addk(e, left, ~UINT64_C(0)));
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, loop);

    LLVMAddIncoming(left, (value[]){active, rest}, (LLVMBasicBlockRef[]){before, end}, 2);
    if (carried)
        LLVMAddIncoming(now, (value[]){carried, next}, (LLVMBasicBlockRef[]){before, end}, 2);
    LLVMPositionBuilderAtEnd(e->b, after);
    return now;
}

struct each {
    value address, x, y, old; /* in memory */
    unsigned offset;          /* bytes: of a vector's element */
};

static value
do_lane(const struct atomic *a, value lane, value carried, void *with)
{
    struct emit *e = a->e;
    struct each *each = with;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    value address = pick(e, each->address, i64, lane);
    if (each->offset)
        address = v_addk(e, address, each->offset);
    value place = LLVMBuildIntToPtr(e->b, address, LLVMPointerTypeInContext(e->context, 0), "");
    value x = pick(e, each->x, a->t, lane);
    value y = each->y ? pick(e, each->y, a->t, lane) : NULL;
    value old = one_lane(a, place, x, y);
    if (each->old)
        LLVMBuildStore(e->b, old, LLVMBuildGEP2(e->b, a->t, each->old, &lane, 1, ""));
    return NULL;
}

/* Lane after lane; gives the vector of old values where they are wanted. */
static value
lane_after_lane(const struct atomic *a, value address, unsigned offset, value x, value y)
{
    struct emit *e = a->e;
    LLVMTypeRef t = LLVMVectorType(a->t, 32);
    struct each each = {.address = in_memory(e, address), .x = in_memory(e, x), .offset = offset};
    each.y = y ? in_memory(e, y) : NULL;
    each.old = a->wants_old ? v_slot(e, t) : NULL;
    for_each_lane(a, NULL, do_lane, &each);
    return each.old ? LLVMBuildLoad2(e->b, t, each.old, "") : NULL;
}

static const char *reduction(const struct atomic *a, uint64_t *identity);

/* The same without a loop, for shared memory when all lanes are active: the host's next addition
 * need not wait for the loop's counter. */
static void
each_lane(const struct atomic *a, value address, unsigned offset, value x)
{
    struct emit *e = a->e;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context),
                ptr = LLVMPointerTypeInContext(e->context, 0);
    value addresses = in_memory(e, address), values = in_memory(e, x);
    for (unsigned l = 0; l < 32; l++) {
        value lane = LLVMConstInt(LLVMInt32TypeInContext(e->context), l, false),
              at = pick(e, addresses, i64, lane);
        at = LLVMBuildIntToPtr(e->b, offset ? v_addk(e, at, offset) : at, ptr, "");
        one_lane(a, at, pick(e, values, a->t, lane), NULL);
    }
}

/* Lane l's offset, out of eight words of four. From vector registers to others go two ports, one
 * number at a time; shifting and masking is done anywhere. */
static value
near_offset(struct emit *e, const value words[8], unsigned l)
{
    value w = l % 4 ? v_lshrk(e, words[l / 4], 16 * (l % 4)) : words[l / 4];
    return l % 4 == 3 ? w : v_andk(e, w, 0xffff);
}

static void
near_words(struct emit *e, value offsets, value words[8])
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    value v = LLVMBuildBitCast(e->b, offsets, LLVMVectorType(i64, 8), "");
    for (unsigned k = 0; k < 8; k++)
        words[k] = emit_lane(e, v, k);
}

/* Adds lane by lane, as each_lane does, to places less than 64 KiB from one base. */
void
emit_add_near(struct emit *e, value at, value offsets, value x)
{
    struct atomic a = {.e = e,
                       .op = ATOMIC_ADD,
                       .type = PTX_U32,
                       .bits = 32,
                       .plain = true,
                       .t = LLVMInt32TypeInContext(e->context)};
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context),
                ptr = LLVMPointerTypeInContext(e->context, 0);
    value words[8], base = LLVMBuildIntToPtr(e->b, at, ptr, "");
    near_words(e, offsets, words);
    for (unsigned l = 0; l < 32; l++) {
        value offset = near_offset(e, words, l);
        one_lane(&a, LLVMBuildGEP2(e->b, i8, base, &offset, 1, ""), emit_lane(e, x, l), NULL);
    }
}

/* A test at run time chooses. */
static value
each_or_loop(const struct atomic *a, value address, unsigned offset, value x)
{
    struct emit *e = a->e;
    uint64_t identity;
    if (!a->plain || a->wants_old || float_type(a->type) || !reduction(a, &identity))
        return lane_after_lane(a, address, offset, x, NULL);
    LLVMBasicBlockRef all = new_block(e, "all_lanes"), some = new_block(e, "some_lanes");
    LLVMBasicBlockRef after = new_block(e, "lanes_added");
    LLVMBuildCondBr(e->b, v_is_zero(e, v_not(e, emit_active(e))), all, some);
    LLVMPositionBuilderAtEnd(e->b, all);
    each_lane(a, address, offset, x);
    LLVMBuildBr(e->b, after);
    LLVMPositionBuilderAtEnd(e->b, some);
    lane_after_lane(a, address, offset, x, NULL);
    LLVMBuildBr(e->b, after);
    LLVMPositionBuilderAtEnd(e->b, after);
    return NULL;
}

/* -- all lanes at one place -------------------------------------------------------------------- */

static const char *
reduction(const struct atomic *a, uint64_t *identity)
{
    bool is_signed = ptx_type_kind(a->type) == 's';
    uint64_t all = a->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << a->bits) - 1;
    *identity = 0;
    switch (a->op) {
    case ATOMIC_ADD: return "llvm.vector.reduce.add";
    case ATOMIC_OR: return "llvm.vector.reduce.or";
    case ATOMIC_XOR: return "llvm.vector.reduce.xor";
    case ATOMIC_AND: *identity = all; return "llvm.vector.reduce.and";
    case ATOMIC_MIN:
        *identity = is_signed ? all >> 1 : all;
        return is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
    case ATOMIC_MAX:
        *identity = is_signed ? (all >> 1) + 1 : 0;
        return is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
    default: return NULL;
    }
}

/* x[0] + ... + x[lane - 1] in each lane. */
static value
sums_before(struct emit *e, value x)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    value sum = x, zero = LLVMConstNull(LLVMTypeOf(x)), index[32];
    for (unsigned step = 1; step < 32; step *= 2) {
        for (unsigned k = 0; k < 32; k++) /* lane - step, or a zero */
            index[k] = LLVMConstInt(i32, k >= step ? k - step : 32, false);
        value moved = LLVMBuildShuffleVector(e->b, sum, zero, LLVMConstVector(index, 32), "");
        sum = v_add(e, sum, moved);
    }
    return v_sub(e, sum, x);
}

struct in_order {
    value x; /* in memory */
};

static value
add_lane(const struct atomic *a, value lane, value carried, void *with)
{
    struct in_order *o = with;
    return combine(a, carried, pick(a->e, o->x, a->t, lane), NULL);
}

static value
next_of_warp(const struct atomic *a, value old, void *with)
{
    return for_each_lane(a, old, add_lane, with);
}

/* One atomic for the warp. */
static value
together(const struct atomic *a, value place, value x)
{
    struct emit *e = a->e;
    if (float_type(a->type)) {
        struct in_order o = {in_memory(e, x)};
        if (a->plain)
            LLVMBuildStore(e->b, next_of_warp(a, load(a, place), &o), place);
        else
            swap_loop(a, place, next_of_warp, &o);
        return NULL;
    }
    uint64_t identity;
    const char *name = reduction(a, &identity);
    value mask = emit_bits_to_mask(e, emit_active(e));
    value mine = v_select(e, mask, x, v_k(e, x, identity));
    value old = one_lane(a, place, v_call1(e, name, mine), NULL);
    return a->wants_old ? v_add(e, emit_splat(e, old), sums_before(e, mine)) : NULL;
}

/* Whether one atomic can do it: reductions, and additions whose old values are wanted. */
static bool
can_be_together(const struct atomic *a)
{
    uint64_t identity;
    if (a->bits > 64 || a->bits < 32)
        return false;
    if (float_type(a->type))
        return !a->wants_old && a->op == ATOMIC_ADD;
    return reduction(a, &identity) && (!a->wants_old || a->op == ATOMIC_ADD);
}

/* Tests at run time whether all active lanes address the same place. */
static value
same_place_or_not(const struct atomic *a, value address, unsigned offset, value x)
{
    struct emit *e = a->e;
    LLVMTypeRef t = LLVMVectorType(a->t, 32);
    LLVMBasicBlockRef same = new_block(e, "one_place"), differ = new_block(e, "places");
    LLVMBasicBlockRef after = new_block(e, "atomic_done");
    value active = emit_active(e);
    value leader = v_andk(e, v_call1_flag(e, "llvm.cttz", active, false), 31);
    value first = pick(e, in_memory(e, address), LLVMInt64TypeInContext(e->context), leader);
    value equal = emit_mask_to_bits(e, v_eq(e, address, emit_splat(e, first)));
    value others = v_and(e, v_not(e, equal), active);
    value some = v_ne(e, active, v_k(e, active, 0));
    LLVMBuildCondBr(e->b, v_and(e, v_is_zero(e, others), some), same, differ);

    LLVMPositionBuilderAtEnd(e->b, same);
    value at = v_addk(e, first, offset);
    value place = LLVMBuildIntToPtr(e->b, at, LLVMPointerTypeInContext(e->context, 0), "");
    value r1 = together(a, place, x);
    LLVMBasicBlockRef end1 = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, after);

    LLVMPositionBuilderAtEnd(e->b, differ);
    value r2 = each_or_loop(a, address, offset, x);
    LLVMBasicBlockRef end2 = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, after);

    LLVMPositionBuilderAtEnd(e->b, after);
    if (!a->wants_old)
        return NULL;
    value old = LLVMBuildPhi(e->b, t, "");
    LLVMAddIncoming(old, (value[]){r1, r2}, (LLVMBasicBlockRef[]){end1, end2}, 2);
    return old;
}

/* -- the instruction --------------------------------------------------------------------------- */

/* Vector forms (.v2 .v4 .v8): in[] and out[] hold an entry per
 * element; each is atomic by itself. */
bool
emit_atomic(struct emit *e, const struct ptx_insn *i, LLVMValueRef address, bool plain,
            const LLVMValueRef *in, unsigned nin, LLVMValueRef *out)
{
    struct atomic a = {.e = e, .i = i, .op = op_of(i), .type = insn_type(i), .plain = plain};
    a.bits = 8 * ptx_type_bytes(a.type);
    a.order = order_of(i);
    a.t = LLVMIntTypeInContext(e->context, a.bits);
    a.wants_old = i->op == PTX_OP_ATOM && i->operand[0].kind != PTX_O_SINK;
    if (a.op == ATOMIC_NONE || a.bits == 0)
        return emit_fail(e, "%s without an operation or type", ptx_op_name(i->op));
    unsigned elements = i->vec > 1 ? i->vec : 1;
    for (unsigned k = 0; k < elements; k++) {
        value x = in[k], y = a.op == ATOMIC_CAS ? in[elements + k] : NULL, old;
        unsigned offset = k * a.bits / 8;
        if (!y && can_be_together(&a))
            old = same_place_or_not(&a, address, offset, x);
        else
            old = lane_after_lane(&a, address, offset, x, y);
        if (i->op == PTX_OP_ATOM)
            out[k] = old ? old : LLVMGetPoison(LLVMVectorType(a.t, 32));
    }
    return true;
}
