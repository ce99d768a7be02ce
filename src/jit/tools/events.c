/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/events.c: what instrumented code tells a tool beside its accesses (those are announced
 * where they are made, memory/site.c): how often instructions are executed, and by how many lanes;
 * branches that split a warp; synchronisation inside a warp, and fences.
 *
 * Counts are plain additions to memory: a call per instruction would cost thirty times as much.
 */
#include "jit/tools/plan.h"

static LLVMValueRef
count_lanes(struct core *c, LLVMValueRef mask)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef n = emit_intrinsic(&c->e, "llvm.ctpop", &i32, 1, &mask, 1);
    return LLVMBuildZExt(c->e.b, n, core_scalar(c, 64), "");
}

static LLVMValueRef
lanes_of(struct core *c, const struct wir_insn *i)
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
    return p->op == PTX_OP_CALL || p->op == PTX_OP_EXIT || p->op == PTX_OP_TRAP ||
           p->op == PTX_OP_BRKPT;
}

/* Instructions from i on that as many lanes execute, whose places follow each other. */
static uint32_t
count_run(const struct core *c, const struct wir_insn *i)
{
    const struct wir_block *blk = &c->wir->blocks[c->now.current];
    uint32_t at = (uint32_t)(i - c->wir->insns), end = blk->first + blk->count, n = 1;
    end += blk->end_insn == end; /* the block's last one lies behind the others, mostly */
    if (at < blk->first || !is_plain(&i->i))
        return 1;
    for (; at + n < end && !may_leave(&i[n - 1].i); n++)
        if (i[n].added || i[n].place != i[n - 1].place + 1 || !is_plain(&i[n].i))
            break;
    return n;
}

/* Adds to, or takes from, the counters of a place by which it differs from the place before. */
static void
add_difference(struct core *c, uint32_t place, LLVMValueRef v, bool minus)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef at = core_i64(c, sizeof(uint64_t) * JIT_COUNTS * (uint64_t)place);
    at = LLVMBuildGEP2(b, core_scalar(c, 8), c->tools->counts, &at, 1, "");
    LLVMValueRef old = LLVMBuildLoad2(b, LLVMTypeOf(v), at, "");
    LLVMSetAlignment(old, sizeof(uint64_t));
    v = minus ? LLVMBuildSub(b, old, v, "") : LLVMBuildAdd(b, old, v, "");
    LLVMSetAlignment(LLVMBuildStore(b, v, at), sizeof(uint64_t));
}

/* That n places from there on were executed: two additions for however many. Counters of each,
 * eight at a time with vectors, were a sixth of a profiled tiled product's own code: they waited
 * for stores of other widths. */
static void
add_run(struct core *c, uint32_t place, uint32_t n, LLVMValueRef times, LLVMValueRef lanes)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(core_scalar(c, 64), 2));
    v = LLVMBuildInsertElement(b, v, times, core_i32(c, JIT_COUNT_WARPS), "");
    v = LLVMBuildInsertElement(b, v, lanes, core_i32(c, JIT_COUNT_LANES), "");
    add_difference(c, place, v, false);
    add_difference(c, place + n, v, true);
}
_Static_assert(JIT_COUNT_WARPS == 0 && JIT_COUNT_LANES == 1, "added as a vector");

/* A comparison, before it is emitted. */
static void
announce_compare(struct core *c, const struct wir_insn *i)
{
    if (!(i->tells & TELL_COMPARE))
        return;
    LLVMValueRef at[2];
    unsigned bits = 8 * ptx_type_bytes((enum ptx_type)i->i.type[0]), lanes = c->e.lanes;
    c->e.lanes = LANES;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = core_value(c, i, &i->i.operand[1 + k], bits, false);
        at[k] = core_alloca(c, core_vector(c, 64));
        LLVMBuildStore(c->e.b, bits < 64 ? LLVMBuildZExt(c->e.b, v, core_vector(c, 64), "") : v,
                       at[k]);
    }
    LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), at[0], at[1], core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, compare), LLVMVoidTypeInContext(c->e.context), args, 5);
    c->e.lanes = lanes;
}

void
core_count_begin(struct core *c)
{
    if (c->tools && c->tools->events & JIT_EVENT_COUNT)
        c->tools->counts = core_load_field(c, c->in.block_ptr, FIELD(jit_block, counts),
                                           LLVMPointerTypeInContext(c->e.context, 0));
}

void
core_count_block(struct core *c)
{
    if (c->tools)
        c->tools->counted = c->tools->counted_end = NULL;
}

void
core_count(struct core *c, const struct wir_insn *i)
{
    struct tools *t = c->tools;
    announce_compare(c, i);
    if (!(i->tells & TELL_COUNT) || (i >= t->counted && i < t->counted_end))
        return;
    uint32_t n = count_run(c, i);
    t->counted = i;
    t->counted_end = i + n;
    add_run(c, i->place, n, core_i64(c, 1),
            count_lanes(c, n > 1 ? core_mask_bits(c) : lanes_of(c, i)));
}

void
core_count_lanes(struct core *c, const struct wir_insn *i, LLVMValueRef lanes)
{
    if (!(i->tells & TELL_COUNT))
        return;
    LLVMValueRef some = LLVMBuildICmp(c->e.b, LLVMIntNE, lanes, core_i32(c, 0), "");
    add_run(c, i->place, 1, LLVMBuildZExt(c->e.b, some, core_scalar(c, 64), ""),
            count_lanes(c, lanes));
}

static void
add_count(struct core *c, uint32_t place, enum jit_count which, LLVMValueRef n)
{
    size_t at = 8 * ((size_t)JIT_COUNTS * place + which);
    LLVMValueRef old = core_load_field(c, c->tools->counts, at, core_scalar(c, 64));
    core_store_field(c, c->tools->counts, at, LLVMBuildAdd(c->e.b, old, n, ""));
}

void
core_count_divergence(struct core *c, const struct wir_insn *i, const LLVMValueRef *lanes,
                      unsigned n)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    if (!(i->tells & TELL_COUNT))
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
void
core_announce_sync(struct core *c, const struct wir_insn *i, LLVMValueRef lanes)
{
    const struct ptx_operand *o = core_members(&i->i);
    bool fence = i->i.op == PTX_OP_MEMBAR || i->i.op == PTX_OP_FENCE;
    bool whole = i->i.op == PTX_OP_TCGEN05_ALLOC; /* .sync.aligned, without a mask */
    if (!(i->tells & TELL_SYNC) || !(o || fence || whole))
        return;
    LLVMValueRef members = LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
    if (o || whole) {
        members = core_alloca(c, core_vector(c, 32));
        LLVMBuildStore(c->e.b, o ? core_value(c, i, o, 32, false) : core_splat(c, core_i32(c, ~0u)),
                       members);
    }
    LLVMValueRef args[] = {c->e.warp, lanes ? lanes : core_mask_bits(c), members,
                           core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, sync), LLVMVoidTypeInContext(c->e.context), args, 4);
}

void
core_announce_async(struct core *c, const struct wir_insn *i, enum jit_async what,
                    LLVMValueRef lanes, LLVMValueRef barrier, uint32_t number)
{
    if (!(i->tells & TELL_SYNC))
        return;
    LLVMValueRef at = LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
    if (barrier) {
        at = core_alloca(c, core_vector(c, 64));
        LLVMBuildStore(c->e.b, barrier, at);
    }
    LLVMValueRef args[] = {
        c->e.warp, lanes, core_i32(c, what), at, core_i32(c, number), core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, async), LLVMVoidTypeInContext(c->e.context), args, 6);
}

void
core_announce_pairs(struct core *c, const struct wir_insn *i, enum jit_async what,
                    LLVMValueRef address, LLVMValueRef second, LLVMValueRef number)
{
    if (!(i->tells & TELL_SYNC))
        return;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef vector = core_vector(c, 64), both = LLVMArrayType2(vector, 2);
    LLVMValueRef at = core_alloca(c, both), index[] = {core_i32(c, 0), core_i32(c, 1)};
    LLVMBuildStore(b, address, at);
    LLVMBuildStore(b, second, LLVMBuildInBoundsGEP2(b, both, at, index, 2, ""));
    LLVMValueRef args[] = {c->e.warp, c->e.mask_bits, core_i32(c, what),
                           at,        number,         core_i32(c, i->place)};
    core_service(c, FIELD(jit_services, async), LLVMVoidTypeInContext(c->e.context), args, 6);
}
