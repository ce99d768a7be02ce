/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/async.c: instructions that the hardware does in the background (PTX ISA 9.7.9.25 - 9.7.9.27,
 * 9.7.13.15): cp.async, cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, st.bulk,
 * mbarrier; and addresses in the shared memory of other blocks: mapa, getctarank. What is
 * asynchronous is done at once, so that waiting for groups is nothing to do. Start at async_insn.
 */
#include "jit/insn/insn.h"
#include "jit/build/value.h"
#include "jit/memory/memory.h"
#include "jit/ops/transfer.h"
#include "jit/tools/tools.h"

/* -- calls of ops/transfer.c ------------------------------------------------------------------ */

static value
null_pointer(struct core *c)
{
    return LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
}

/* Of `lanes` those for which no tool has forbidden the access that it was last told of. */
static value
allowed(struct core *c, const struct wir_insn *i, value lanes)
{
    value denied = core_denied(c, i);
    return denied ? LLVMBuildAnd(c->e.b, lanes, LLVMBuildNot(c->e.b, denied, ""), "") : lanes;
}

/* Operand k of the instruction in another space than the first one written. Lanes that a tool keeps
 * from the access leave the instruction's. */
static value
addresses(struct core *c, const struct wir_insn *i, unsigned k, enum ptx_space space, value size,
          enum jit_access_op op)
{
    struct wir_insn other = *i;
    other.i.space = (uint8_t)space;
    value at = core_addresses_sized(c, &other, &i->i.operand[k], size, op);
    c->e.mask_bits = allowed(c, i, c->e.mask_bits);
    return at;
}

/* As of their accesses, tools are told one size for all lanes. */
static void
announce_move(struct core *c, const struct wir_insn *i, value to, value from, value size)
{
    if (i->tells & TELL_SYNC)
        core_announce_pairs(c, i, JIT_ASYNC_MOVE, to, from,
                            v_trunc(&c->e, core_first_lane(c, c->e.mask_bits, size), 32));
}

static value
call_barrier(struct core *c, enum jit_mbarrier_op op, value address, value number)
{
    value out = core_alloca(c, core_vector(c, 64));
    value args[] = {c->e.warp,
                    c->e.mask_bits,
                    core_i32(c, op),
                    core_in_memory(c, address),
                    core_in_memory(c, number),
                    out};
    core_fence(c, false);
    v_call_named(&c->e, "lockstep_transfer_barrier", LLVMVoidTypeInContext(c->e.context), args, 6);
    core_fence(c, false);
    return LLVMBuildLoad2(c->e.b, core_vector(c, 64), out, "");
}

/* -- mbarrier --------------------------------------------------------------------------------- */

static enum jit_mbarrier_op
barrier_op(const struct ptx_insn *p)
{
    bool bytes = ptx_has(p, PTX_M_EXPECT_TX);
    if (ptx_has(p, PTX_M_INIT))
        return JIT_MBARRIER_INIT;
    if (ptx_has(p, PTX_M_INVAL))
        return JIT_MBARRIER_INVAL;
    if (ptx_has(p, PTX_M_ARRIVE))
        return bytes ? JIT_MBARRIER_ARRIVE_TX : JIT_MBARRIER_ARRIVE;
    if (ptx_has(p, PTX_M_ARRIVE_DROP))
        return bytes ? JIT_MBARRIER_DROP_TX : JIT_MBARRIER_DROP;
    if (bytes)
        return JIT_MBARRIER_EXPECT_TX;
    if (ptx_has(p, PTX_M_COMPLETE_TX))
        return JIT_MBARRIER_COMPLETE_TX;
    if (ptx_has(p, PTX_M_PENDING_COUNT))
        return JIT_MBARRIER_PENDING;
    return ptx_has(p, PTX_M_PARITY) ? JIT_MBARRIER_TEST_PARITY : JIT_MBARRIER_TEST;
}

/* Pass mbarrier-words: a warp mostly asks one mbarrier for one phase, which is over. Its word is
 * looked at in place; a phase that is not over is noted, for the report of a deadlock. */
static value
ask_word(struct core *c, enum jit_mbarrier_op op, value address, value number)
{
    struct emit *e = &c->e;
    LLVMBuilderRef b = e->b;
    value lanes = e->mask_bits, at = core_first_lane(c, lanes, address),
          asked = core_first_lane(c, lanes, number);
    value alike = v_and(e, emit_mask_to_bits(e, v_eq(e, address, core_splat(c, at))),
                        emit_mask_to_bits(e, v_eq(e, number, core_splat(c, asked))));
    value others = v_and(e, lanes, LLVMBuildNot(b, alike, ""));
    value one = LLVMBuildAnd(b, v_is_zero(e, others), LLVMBuildNot(b, v_is_zero(e, lanes), ""), "");
    LLVMBasicBlockRef look = core_new_block(c, "look"), call = core_new_block(c, "ask"),
                      done = core_new_block(c, "asked");
    LLVMBuildCondBr(b, one, look, call);
    LLVMPositionBuilderAtEnd(b, look);
    core_fence(c, false);
    value word = LLVMBuildLoad2(b, core_scalar(c, 64), core_ptr(c, at), "");
    LLVMSetVolatile(word, true);
    value parity = op == JIT_MBARRIER_TEST ? v_lshrk(e, asked, 63) : v_andk(e, asked, 1);
    value over = v_ne(e, v_lshrk(e, word, 63), parity);
    core_fence(c, false);
    look = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, over, done, call);
    LLVMPositionBuilderAtEnd(b, call);
    value out = call_barrier(c, op, address, number);
    call = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    value all = core_splat(c, core_i64(c, 1)), result = LLVMBuildPhi(b, LLVMTypeOf(all), "");
    LLVMAddIncoming(result, (value[]){all, out}, (LLVMBasicBlockRef[]){look, call}, 2);
    return result;
}

/* Where no lane's phase is over the warp gives way at the loop's next turn: others must arrive. */
static void
give_way(struct core *c, value over)
{
    value some = v_and(&c->e, emit_mask_to_bits(&c->e, over), core_mask_bits(c));
    value fuel = core_load_field(c, c->e.warp, offsetof(struct jit_warp, fuel), core_scalar(c, 32));
    value more = LLVMBuildICmp(c->e.b, LLVMIntSGT, fuel, core_i32(c, 1), "");
    more = v_and(&c->e, more, v_is_zero(&c->e, some)); /* it falls on while other lanes go on */
    fuel = v_select(&c->e, more, core_i32(c, 1), fuel);
    core_store_field(c, c->e.warp, offsetof(struct jit_warp, fuel), fuel);
}

static bool
arrives(enum jit_mbarrier_op op)
{
    return op == JIT_MBARRIER_ARRIVE || op == JIT_MBARRIER_DROP || op == JIT_MBARRIER_ARRIVE_TX ||
           op == JIT_MBARRIER_DROP_TX;
}

static enum jit_access_op
access_of(enum jit_mbarrier_op op)
{
    return op == JIT_MBARRIER_INIT || op == JIT_MBARRIER_INVAL         ? JIT_STORE
           : op == JIT_MBARRIER_TEST || op == JIT_MBARRIER_TEST_PARITY ? JIT_LOAD
                                                                       : JIT_ATOMIC;
}

static bool
emit_mbarrier(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    enum jit_mbarrier_op op = barrier_op(p);
    unsigned at = p->operand[0].kind == PTX_O_ADDRESS ? 0 : 1;
    bool pending = op == JIT_MBARRIER_PENDING,
         test = op == JIT_MBARRIER_TEST || op == JIT_MBARRIER_TEST_PARITY;
    if (!pending && (p->operand_count <= at || p->operand[at].kind != PTX_O_ADDRESS))
        return emit_fail(&c->e, "mbarrier without an address");
    value address = pending ? LLVMConstNull(core_vector(c, 64))
                            : core_addresses(c, i, &p->operand[at], 8, access_of(op));
    unsigned from = pending ? 1 : at + 1, bits = op == JIT_MBARRIER_TEST || pending ? 64 : 32;
    value number = core_splat(c, core_i64(c, 1));
    if (from < p->operand_count)
        number = v_zext(&c->e, core_value(c, i, &p->operand[from], bits, false), 64);
    if (arrives(op))
        core_announce_async(c, i, JIT_ASYNC_ARRIVE, c->e.mask_bits, address, 0);
    bool word = test && emit_on(&c->e, PASS_MBARRIER_WORDS);
    if (word)
        emit_fired(&c->e, PASS_MBARRIER_WORDS, "a warp that asks for one phase");
    value out = (word ? ask_word : call_barrier)(c, op, address, number);
    if (!pending)
        core_announce_pairs(c, i, JIT_ASYNC_MBARRIER, address, number, core_i32(c, op));
    if (arrives(op) || op == JIT_MBARRIER_COMPLETE_TX)
        core_announce_async(c, i, JIT_ASYNC_AFTER, c->e.mask_bits, address, 0);
    if (at == 0)
        return true;
    if (test) {
        out = v_ne(&c->e, out, v_k(&c->e, out, 0));
        value over = v_and(&c->e, emit_mask_to_bits(&c->e, out), c->e.mask_bits);
        core_announce_async(c, i, JIT_ASYNC_OVER, over, address, 0);
        give_way(c, out);
    }
    core_write(c, i, &p->operand[0], out, false);
    return true;
}

/* cp.async.mbarrier.arrive: without .noinc the arrival is one more that is expected: nothing
 * changes, the copies being done. */
static bool
emit_copy_arrival(struct core *c, const struct wir_insn *i)
{
    value address = core_addresses(c, i, &i->i.operand[0], 8, JIT_ATOMIC);
    core_announce_async(c, i, JIT_ASYNC_COPIES, c->e.mask_bits, address, 0);
    value one = core_splat(c, core_i64(c, 1));
    if (ptx_has(&i->i, PTX_M_NOINC)) {
        call_barrier(c, JIT_MBARRIER_ARRIVE, address, one);
        core_announce_pairs(c, i, JIT_ASYNC_MBARRIER, address, one,
                            core_i32(c, JIT_MBARRIER_ARRIVE));
    }
    core_announce_async(c, i, JIT_ASYNC_AFTER, c->e.mask_bits, address, 0);
    return true;
}

/* -- cp.async --------------------------------------------------------------------------------- */

static bool
is_predicate(const struct core *c, const struct ptx_operand *o)
{
    return o->kind == PTX_O_REG && c->wir->regs[o->reg].type == PTX_PRED;
}

/* Is the source known to be as long as the copy? */
static bool
is_all(const struct core *c, const struct wir_insn *i, uint64_t bytes)
{
    struct fact f = facts_operand(c->facts, i, &i->i.operand[3]);
    return fact_uniform(&f) && f.known && f.base >= (int64_t)bytes;
}

/* commit_group, wait_group, wait_all: nothing to do, but for tools. */
static bool
groups(struct core *c, const struct wir_insn *i, bool bulk)
{
    const struct ptx_insn *p = &i->i;
    enum jit_async what = bulk ? JIT_ASYNC_BULK_WAIT : JIT_ASYNC_WAIT;
    if (ptx_has(p, PTX_M_COMMIT_GROUP))
        what = bulk ? JIT_ASYNC_BULK_COMMIT : JIT_ASYNC_COMMIT;
    else if (ptx_has(p, PTX_M_WAIT_ALL))
        what = JIT_ASYNC_WAIT_ALL;
    else if (!ptx_has(p, PTX_M_WAIT_GROUP))
        return false;
    uint32_t left = 0;
    if (p->operand_count && p->operand[0].kind == PTX_O_INT)
        left = (uint32_t)p->operand[0].imm;
    core_announce_async(c, i, what, core_mask_bits(c), NULL, left);
    return true;
}

/* [to], [from], bytes {, bytes of the source, or a predicate: none} {, policy}. */
static bool
emit_cp_async(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    if (groups(c, i, false))
        return true;
    uint64_t bytes =
        p->operand_count > 2 && p->operand[2].kind == PTX_O_INT ? p->operand[2].imm : 0;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return emit_fail(&c->e, "cp.async copies 4, 8 or 16 bytes");
    unsigned last = p->operand_count - (ptx_has(p, PTX_M_L2_CACHE_HINT) ? 1 : 0);
    value size = NULL;
    if (last > 3 && is_predicate(c, &p->operand[3])) {
        value none = core_value(c, i, &p->operand[3], 1, false);
        size =
            v_select(&c->e, none, core_splat(c, core_i64(c, 0)), core_splat(c, core_i64(c, bytes)));
    } else if (last > 3 && !is_all(c, i, bytes)) {
        size = v_zext(&c->e, core_value(c, i, &p->operand[3], 32, false), 64);
    }
    return core_copy(c, i, (unsigned)bytes, size);
}

/* -- bulk ------------------------------------------------------------------------------------- */

static bool
reduction_of(struct core *c, const struct ptx_insn *p, uint32_t *what)
{
    static const struct {
        uint16_t word, code;
    } ops[] = {{PTX_M_ADD, TRANSFER_ADD}, {PTX_M_MIN, TRANSFER_MIN}, {PTX_M_MAX, TRANSFER_MAX},
               {PTX_M_INC, TRANSFER_INC}, {PTX_M_DEC, TRANSFER_DEC}, {PTX_M_AND, TRANSFER_AND},
               {PTX_M_OR, TRANSFER_OR},   {PTX_M_XOR, TRANSFER_XOR}},
      types[] = {{PTX_U32, TRANSFER_U32}, {PTX_B32, TRANSFER_U32},   {PTX_S32, TRANSFER_S32},
                 {PTX_U64, TRANSFER_U64}, {PTX_B64, TRANSFER_U64},   {PTX_S64, TRANSFER_S64},
                 {PTX_F16, TRANSFER_F16}, {PTX_BF16, TRANSFER_BF16}, {PTX_F32, TRANSFER_F32},
                 {PTX_F64, TRANSFER_F64}};
    uint32_t op = 0, type = TRANSFER_TYPES;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        op = ptx_has(p, (enum ptx_mod)ops[k].word) ? ops[k].code : op;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        type = p->type[0] == types[k].word ? types[k].code : type;
    if (!op || type == TRANSFER_TYPES)
        return emit_fail(&c->e, "cp.reduce.async.bulk of this operation and type is not supported");
    *what = op | type << 8;
    return true;
}

static void
call_bulk(struct core *c, uint32_t what, value to, value from, value size, value barrier,
          value mask)
{
    value args[] = {c->e.warp,
                    c->e.mask_bits,
                    core_i32(c, what),
                    core_in_memory(c, to),
                    core_in_memory(c, from),
                    core_in_memory(c, size),
                    barrier ? core_in_memory(c, barrier) : null_pointer(c),
                    mask ? core_in_memory(c, mask) : null_pointer(c)};
    core_fence(c, false);
    v_call_named(&c->e, "lockstep_transfer_bulk", LLVMVoidTypeInContext(c->e.context), args, 8);
    core_fence(c, false);
}

/* The lanes' address with the rank of another block. */
static value
in_block(struct core *c, value address, value rank)
{
    LLVMBuilderRef b = c->e.b;
    uint64_t stride = 1ull << JIT_RANK_BIT;
    value at = LLVMBuildSub(b, address, core_splat(c, c->in.shared), "");
    at = LLVMBuildAnd(b, at, core_splat(c, core_i64(c, stride - 1)), "");
    value base = LLVMBuildMul(b, v_zext(&c->e, rank, 64), core_i64(c, stride), "");
    return LLVMBuildAdd(b, at, core_splat(c, LLVMBuildAdd(b, base, c->in.shared, "")), "");
}

/* .multicast::cluster: [to], [from], bytes, [mbarrier], blocks: a bit per block, which gets the
 * bytes where `to` lies in its own shared memory, and whose mbarrier learns of them (PTX ISA
 * 9.7.9.25.4.1). */
static bool
emit_multicast(struct core *c, const struct wir_insn *i, value from, value size)
{
    const struct ptx_insn *p = &i->i;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    if (p->operand_count < 5 || p->operand[3].kind != PTX_O_ADDRESS)
        return emit_fail(&c->e, "a multicast takes an mbarrier and the blocks that it goes to");
    value to = core_address_lanes(c, i, &p->operand[0]), eight = core_splat(c, core_i64(c, 8));
    value barrier = core_address_lanes(c, i, &p->operand[3]), all = c->e.mask_bits;
    value blocks = core_value(c, i, &p->operand[4], 32, false), at = core_alloca(c, i32);
    LLVMBasicBlockRef loop = core_new_block(c, "multicast"), send = core_new_block(c, "send"),
                      next = core_new_block(c, "next"), end = core_new_block(c, "sent");
    LLVMBuildStore(b, core_i32(c, 0), at);
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    value rank = LLVMBuildLoad2(b, i32, at, "");
    value bit = LLVMBuildShl(b, core_i32(c, 1), rank, "");
    value goes = LLVMBuildAnd(b, blocks, core_splat(c, bit), "");
    goes = v_and(&c->e, emit_mask_to_bits(&c->e, v_ne(&c->e, goes, v_k(&c->e, goes, 0))), all);
    LLVMBuildCondBr(b, v_is_zero(&c->e, goes), next, send);
    LLVMPositionBuilderAtEnd(b, send);
    value there = in_block(c, to, rank), signal = in_block(c, barrier, rank);
    core_announce_sized(c, i, there, goes, size, JIT_STORE);
    c->e.mask_bits = goes = allowed(c, i, goes);
    announce_move(c, i, there, from, size);
    core_announce_sized(c, i, signal, goes, eight, JIT_ATOMIC);
    c->e.mask_bits = goes = allowed(c, i, goes);
    core_announce_async(c, i, JIT_ASYNC_BULK, goes, signal, 0);
    call_bulk(c, TRANSFER_COPY, there, from, size, signal, NULL);
    core_announce_async(c, i, JIT_ASYNC_AFTER, goes, signal, 0);
    c->e.mask_bits = all;
    LLVMBuildBr(b, next);
    LLVMPositionBuilderAtEnd(b, next);
    rank = LLVMBuildAdd(b, rank, core_i32(c, 1), "");
    LLVMBuildStore(b, rank, at);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, rank, core_i32(c, JIT_CLUSTER_MOST), ""), loop,
                    end);
    LLVMPositionBuilderAtEnd(b, end);
    return true;
}

/* Pass streaming-copies: TRANSFER_STREAMS where a copy writes device memory and nothing is told of
 * it. Which are whole lines, and whether the launch is large, transfer_bulk sees. */
static uint32_t
streams(struct core *c, uint32_t what, value barrier, value mask)
{
    const char *why = what != TRANSFER_COPY ? "a reduction reads what it writes"
                      : mask                ? "a mask leaves bytes as they were"
                      : barrier             ? "it writes shared memory"
                                            : NULL;
    if (!emit_on(&c->e, PASS_STREAMING_COPIES))
        return 0;
    if (why) {
        emit_missed(&c->e, PASS_STREAMING_COPIES, "%s", why);
        return 0;
    }
    emit_fired(&c->e, PASS_STREAMING_COPIES, "whole lines, in launches that are large enough");
    return TRANSFER_STREAMS | (c->form.unseen ? TRANSFER_UNSEEN : 0);
}

/* [to], [from], bytes {, [mbarrier]} {, blocks of a multicast} {, policy} {, mask of bytes}. */
static bool
emit_bulk(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    uint32_t what = TRANSFER_COPY;
    if (groups(c, i, true) || ptx_has(p, PTX_M_PREFETCH))
        return true;
    if (p->operand_count < 3 || p->operand[0].kind != PTX_O_ADDRESS ||
        p->operand[1].kind != PTX_O_ADDRESS)
        return emit_fail(&c->e, "%s takes two addresses and a size",
                         ptx_op_name((enum ptx_op)p->op));
    if (p->op == PTX_OP_CP_REDUCE_ASYNC_BULK && !reduction_of(c, p, &what))
        return false;
    value size = v_zext(&c->e, core_value(c, i, &p->operand[2], 32, false), 64);
    bool reduces = what != TRANSFER_COPY;
    value from = addresses(c, i, 1, (enum ptx_space)p->space2, size, JIT_LOAD);
    if (ptx_has(p, PTX_M_MULTICAST_CLUSTER))
        return emit_multicast(c, i, from, size);
    value to = addresses(c, i, 0, (enum ptx_space)p->space, size, reduces ? JIT_ATOMIC : JIT_STORE);
    if (!reduces && !ptx_has(p, PTX_M_CP_MASK)) /* a mask leaves bytes as they were */
        announce_move(c, i, to, from, size);
    value barrier = NULL, mask = NULL;
    if (p->operand_count > 3 && p->operand[3].kind == PTX_O_ADDRESS)
        barrier = addresses(c, i, 3, PTX_SPACE_SHARED, core_splat(c, core_i64(c, 8)), JIT_ATOMIC);
    if (ptx_has(p, PTX_M_CP_MASK))
        mask = v_zext(&c->e, core_value(c, i, &p->operand[p->operand_count - 1], 32, false), 64);
    if (barrier)
        core_announce_async(c, i, JIT_ASYNC_BULK, c->e.mask_bits, barrier, 0);
    what |= streams(c, what, barrier, mask);
    call_bulk(c, what, to, from, size, barrier, mask);
    if (barrier)
        core_announce_async(c, i, JIT_ASYNC_AFTER, c->e.mask_bits, barrier, 0);
    return true;
}

/* st.bulk [a], bytes, 0. */
static bool
emit_fill(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    value size = core_value(c, i, &p->operand[1], 64, false);
    value to = addresses(c, i, 0, (enum ptx_space)p->space, size, JIT_STORE);
    call_bulk(c, TRANSFER_FILL, to, to, size, NULL, NULL);
    return true;
}

/* st.async, red.async: [a], b, [mbarrier]: a store or reduction, and its bytes are there. */
static bool
emit_remote(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    if (!(p->op == PTX_OP_ST_ASYNC ? core_store(c, i) : core_atomic(c, i)))
        return false;
    if (p->operand_count < 3)
        return true;
    unsigned bytes = ptx_type_bytes((enum ptx_type)p->type[0]) * (p->vec > 1 ? p->vec : 1);
    c->e.mask_bits = core_mask_bits(c);
    value barrier = addresses(c, i, 2, PTX_SPACE_SHARED, core_splat(c, core_i64(c, 8)), JIT_ATOMIC);
    core_announce_async(c, i, JIT_ASYNC_BULK, c->e.mask_bits, barrier, 0);
    call_barrier(c, JIT_MBARRIER_COMPLETE_TX, barrier, core_splat(c, core_i64(c, bytes)));
    core_announce_async(c, i, JIT_ASYNC_AFTER, c->e.mask_bits, barrier, 0);
    return true;
}

/* -- clusters --------------------------------------------------------------------------------- */

/* mapa d, a, b: where in block b of the cluster the variable at `a` lies; without .shared::cluster
 * generic addresses (PTX ISA 9.7.9.23). Without clusters: the address. */
static bool
emit_mapa(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    LLVMBuilderRef b = c->e.b;
    unsigned bits = 8 * ptx_type_bytes((enum ptx_type)p->type[0]);
    value at = core_value(c, i, &p->operand[1], 64, false);
    if (c->form.cluster) {
        bool generic = p->space == PTX_SPACE_NONE;
        value window = generic ? core_splat(c, c->in.shared) : NULL;
        value block = v_zext(&c->e, core_value(c, i, &p->operand[2], 32, false), 64);
        value offset = window ? LLVMBuildSub(b, at, window, "") : at;
        offset = LLVMBuildAnd(b, offset, core_splat(c, core_i64(c, (1 << JIT_RANK_BIT) - 1)), "");
        at = LLVMBuildShl(b, block, core_splat(c, core_i64(c, JIT_RANK_BIT)), "");
        at = LLVMBuildAdd(b, at, offset, "");
        at = window ? LLVMBuildAdd(b, at, window, "") : at;
    }
    core_write(c, i, &p->operand[0], core_resize(c, at, bits, false), false);
    return true;
}

/* getctarank d, a: the rank of the block in whose shared memory `a` lies. */
static bool
emit_getctarank(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    LLVMBuilderRef b = c->e.b;
    value rank = LLVMConstNull(core_vector(c, 32));
    if (c->form.cluster) {
        bool generic = p->space == PTX_SPACE_NONE;
        value at = core_value(c, i, &p->operand[1], 64, false);
        at = generic ? LLVMBuildSub(b, at, core_splat(c, c->in.shared), "") : at;
        at = LLVMBuildLShr(b, at, core_splat(c, core_i64(c, JIT_RANK_BIT)), "");
        rank = LLVMBuildAnd(b, core_resize(c, at, 32, false), core_splat(c, core_i32(c, 0xff)), "");
    }
    core_write(c, i, &p->operand[0], rank, false);
    return true;
}

/* createpolicy: a hint; any number does. */
static bool
emit_policy(struct core *c, const struct wir_insn *i)
{
    core_write(c, i, &i->i.operand[0], LLVMConstNull(core_vector(c, 64)), false);
    return true;
}

bool
async_insn(struct core *c, const struct wir_insn *i)
{
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    c->e.mask_bits = core_mask_bits(c);
    switch (i->i.op) {
    case PTX_OP_MBARRIER: return emit_mbarrier(c, i);
    case PTX_OP_CP_ASYNC: return emit_cp_async(c, i);
    case PTX_OP_CP_ASYNC_MBARRIER: return emit_copy_arrival(c, i);
    case PTX_OP_CP_ASYNC_BULK:
    case PTX_OP_CP_REDUCE_ASYNC_BULK: return emit_bulk(c, i);
    case PTX_OP_ST_BULK: return emit_fill(c, i);
    case PTX_OP_ST_ASYNC:
    case PTX_OP_RED_ASYNC: return emit_remote(c, i);
    case PTX_OP_CREATEPOLICY: return emit_policy(c, i);
    case PTX_OP_MAPA: return emit_mapa(c, i);
    default: return emit_getctarank(c, i);
    }
}
