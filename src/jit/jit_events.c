/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_events.c: what instrumented code tells a tool beside its accesses (those are announced where
 * they are made, jit_site.c): how often instructions are executed, and by how many lanes; branches
 * that split a warp; synchronisation inside a warp, and fences.
 *
 * Counts are plain additions to memory: a call per instruction would cost thirty times as much.
 */
#include "jit/jit_core.h"

#define FIELD(type, field) offsetof(struct type, field)

enum { COUNT_RUN = 8 }; /* places that are counted together: three vectors of 64 bytes */

static void
add_count(struct core *c, uint32_t place, enum jit_count which, LLVMValueRef n)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    size_t at = 8 * ((size_t)JIT_COUNTS * place + which);
    LLVMValueRef old = core_load_field(c, c->counts, at, i64);
    core_store_field(c, c->counts, at, LLVMBuildAdd(b, old, n, ""));
}

static LLVMValueRef
count_lanes(struct core *c, LLVMValueRef mask)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef n = emit_intrinsic(&c->e, "llvm.ctpop", &i32, 1, &mask, 1);
    return LLVMBuildZExt(c->e.b, n, core_scalar(c, 64), "");
}

static LLVMValueRef
lanes_of(struct core *c, const struct flow_insn *i)
{
    LLVMValueRef mask = core_mask_bits(c);
    if (i->i.guard == PTX_NO_REG || i->i.op == PTX_OP_BRA)
        return mask;
    struct ptx_operand g = {.kind = PTX_O_REG, .reg = i->i.guard};
    LLVMValueRef p = core_value(c, i, &g, 1, false);
    if (i->i.guard_negated)
        p = LLVMBuildNot(c->e.b, p, "");
    return LLVMBuildAnd(c->e.b, mask, emit_mask_to_bits(&c->e, p), "");
}

/* Its lanes are the block's. */
static bool
is_plain(const struct ptx_insn *p)
{
    return p->guard == PTX_NO_REG || p->op == PTX_OP_BRA;
}

/* Fewer lanes may go on behind it. */
static bool
may_leave(const struct ptx_insn *p)
{
    return p->op == PTX_OP_CALL || p->op == PTX_OP_EXIT || p->op == PTX_OP_TRAP || p->op == PTX_OP_BRKPT;
}

/* Instructions from i on that as many lanes execute, whose places follow each other. */
static uint32_t
count_run(const struct core *c, const struct flow_insn *i)
{
    const struct flow_block *blk = &c->flow->blocks[c->current];
    uint32_t at = (uint32_t)(i - c->flow->insns), end = blk->first + blk->count, n = 1;
    end += blk->end_insn == end; /* the block's last one lies behind the others, mostly */
    if (at < blk->first || !is_plain(&i->i))
        return 1;
    for (; at + n < end && n < COUNT_RUN && !may_leave(&i[n - 1].i); n++)
        if (i[n].place != i[n - 1].place + 1 || !is_plain(&i[n].i))
            break;
    return n;
}

/* The counters of places that follow each other lie side by side: 1 and the lanes, for each of n, with vectors. An
 * addition to memory for each counter took a quarter of the time of a profiled tree reduction's own code. */
static void
add_counts(struct core *c, uint32_t place, uint32_t n, LLVMValueRef lanes)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), type = LLVMVectorType(i64, JIT_COUNTS * n);
    LLVMValueRef once[JIT_COUNTS * COUNT_RUN], which[JIT_COUNTS * COUNT_RUN], all[JIT_COUNTS * COUNT_RUN];
    for (uint32_t k = 0; k < JIT_COUNTS * n; k++) {
        once[k] = core_i64(c, k % JIT_COUNTS == JIT_COUNT_WARPS);
        which[k] = core_i64(c, k % JIT_COUNTS == JIT_COUNT_LANES ? ~(uint64_t)0 : 0);
        all[k] = core_i32(c, 0);
    }
    LLVMValueRef v = LLVMBuildInsertElement(b, LLVMGetPoison(type), lanes, core_i32(c, 0), "");
    v = LLVMBuildShuffleVector(b, v, LLVMGetPoison(type), LLVMConstVector(all, JIT_COUNTS * n), "");
    v = LLVMBuildAnd(b, v, LLVMConstVector(which, JIT_COUNTS * n), "");
    v = LLVMBuildOr(b, v, LLVMConstVector(once, JIT_COUNTS * n), "");
    LLVMValueRef at = core_i64(c, sizeof(uint64_t) * JIT_COUNTS * (uint64_t)place);
    at = LLVMBuildGEP2(b, core_scalar(c, 8), c->counts, &at, 1, "");
    LLVMValueRef old = LLVMBuildLoad2(b, type, at, "");
    LLVMSetAlignment(old, sizeof(uint64_t));
    LLVMSetAlignment(LLVMBuildStore(b, LLVMBuildAdd(b, old, v, ""), at), sizeof(uint64_t));
}

void
core_count(struct core *c, const struct flow_insn *i)
{
    if (!(c->events & JIT_EVENT_COUNT) || (i >= c->counted && i < c->counted_end))
        return;
    uint32_t n = count_run(c, i);
    c->counted = i;
    c->counted_end = i + n;
    if (n > 1) {
        add_counts(c, i->place, n, count_lanes(c, core_mask_bits(c)));
        return;
    }
    add_count(c, i->place, JIT_COUNT_WARPS, core_i64(c, 1));
    add_count(c, i->place, JIT_COUNT_LANES, count_lanes(c, lanes_of(c, i)));
}

void
core_count_lanes(struct core *c, const struct flow_insn *i, LLVMValueRef lanes)
{
    if (!(c->events & JIT_EVENT_COUNT))
        return;
    LLVMValueRef some = LLVMBuildICmp(c->e.b, LLVMIntNE, lanes, core_i32(c, 0), "");
    add_count(c, i->place, JIT_COUNT_WARPS, LLVMBuildZExt(c->e.b, some, core_scalar(c, 64), ""));
    add_count(c, i->place, JIT_COUNT_LANES, count_lanes(c, lanes));
}

void
core_count_divergence(struct core *c, const struct flow_insn *i, const LLVMValueRef *lanes, unsigned n)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    if (!(c->events & JIT_EVENT_COUNT))
        return;
    LLVMValueRef ways = core_i64(c, 0);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, lanes[k], core_i32(c, 0), "");
        ways = LLVMBuildAdd(b, ways, LLVMBuildZExt(b, some, i64, ""), "");
    }
    LLVMValueRef split = LLVMBuildICmp(b, LLVMIntUGT, ways, core_i64(c, 1), "");
    add_count(c, i->place, JIT_COUNT_DIVERGENT, LLVMBuildZExt(b, split, i64, ""));
}

/* The operand that holds the mask of a *.sync instruction; NULL: it has none. */
static const struct ptx_operand *
members_of(const struct ptx_insn *p)
{
    if (p->op == PTX_OP_BAR_WARP)
        return &p->operand[0];
    bool warp = p->op == PTX_OP_SHFL || p->op == PTX_OP_VOTE || p->op == PTX_OP_MATCH ||
                p->op == PTX_OP_REDUX || p->op == PTX_OP_ELECT;
    return warp && ptx_has(p, PTX_M_SYNC) ? &p->operand[p->operand_count - 1] : NULL;
}

void
core_announce_sync(struct core *c, const struct flow_insn *i)
{
    const struct ptx_operand *o = members_of(&i->i);
    bool fence = i->i.op == PTX_OP_MEMBAR || i->i.op == PTX_OP_FENCE;
    if (!(c->events & JIT_EVENT_SYNC) || !(o || fence))
        return;
    LLVMValueRef members = LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
    if (o) {
        members = core_alloca(c, core_vector(c, 32));
        LLVMBuildStore(c->e.b, core_value(c, i, o, 32, false), members);
    }
    LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), members, core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, sync), LLVMVoidTypeInContext(c->e.context), args, 4);
}

void
core_announce_async(struct core *c, const struct flow_insn *i, enum jit_async what,
                    LLVMValueRef lanes, LLVMValueRef barrier, uint32_t number)
{
    if (!(c->events & JIT_EVENT_SYNC))
        return;
    LLVMValueRef at = LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
    if (barrier) {
        at = core_alloca(c, core_vector(c, 64));
        LLVMBuildStore(c->e.b, barrier, at);
    }
    LLVMValueRef args[] = {c->e.warp, lanes, core_i32(c, what), at, core_i32(c, number),
                           core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, async), LLVMVoidTypeInContext(c->e.context), args, 6);
}
