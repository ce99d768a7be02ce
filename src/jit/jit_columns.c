/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_columns.c: stores of a transpose, kept back until lines are full.
 *
 *     out[x * n + y] = ...      a warp writes a word each into 32 lines; the warp that is the next in
 *                               y writes the words beside them
 *
 * In functions of whole blocks (jit_phases.c) the warps' values are kept until there are 16 rows of
 * them; transposed in registers, they are 16 consecutive words a lane: whole lines, which are stored
 * once and, in large launches, past the caches. Word by word, 32 lines that lie 16 KiB apart and so in
 * one set of the first cache were fetched and written back 16 times (docs/decisions/0009).
 *
 * Only stores after which no thread of the kernel touches global memory, in kernels where nobody may
 * look before the launch ends (core_streams): it does not matter then when they are made. Whether warps
 * do continue each other is seen when they run; where they do not, each scatters its own.
 */
#include "jit/jit_core.h"

#include "jit/jit_arith.h"

#include <string.h>

enum { ROWS = 16, WORD = 4, LINE = ROWS * WORD };

/* -- which stores ---------------------------------------------------------------------------------- */

static bool
is_harmless(const struct ptx_insn *p)
{
    switch (p->op) {
    case PTX_OP_LD: case PTX_OP_ST:
        return p->space == PTX_SPACE_PARAM || p->space == PTX_SPACE_SHARED || p->space == PTX_SPACE_CONST;
    case PTX_OP_MOV: case PTX_OP_CVT: case PTX_OP_CVTA:
        return true;
    default:
        return emit_is_arith(p);
    }
}

static bool
insns_harmless(const struct flow *f, uint32_t first, uint32_t end)
{
    for (uint32_t n = first; n < end; n++)
        if (!is_harmless(&f->insns[n].i))
            return false;
    return true;
}

/* No access to global memory follows: not in its block, nor in any that a thread may come to then. */
static bool
is_last(const struct core *c, const struct flow_insn *i)
{
    const struct flow *f = c->flow;
    const struct flow_block *blk = &f->blocks[c->current];
    uint32_t at = (uint32_t)(i - f->insns), count = 0;
    bool *seen = ls_alloc(f->block_count + 1), last = insns_harmless(f, at + 1, blk->first + blk->count);
    uint32_t *work = ls_alloc(sizeof *work * (f->block_count + 1));
    work[count++] = c->current;
    while (count && last) {
        const struct flow_block *from = &f->blocks[work[--count]];
        for (uint32_t s = 0; s < from->succ_count; s++) {
            uint32_t t = from->succ[s];
            if (seen[t])
                continue;
            seen[t] = true;
            work[count++] = t;
            last &= t != c->current && insns_harmless(f, f->blocks[t].first, f->blocks[t].first + f->blocks[t].count);
        }
    }
    ls_release(work);
    ls_release(seen);
    return last;
}

bool
core_columns_fit(const struct core *c, const struct flow_insn *i)
{
    const uint32_t width = c->facts->shape.block[0];
    if (c->all_active) /* warps that run together (jit_jam.c) would each have all of this code */
        return false;
    if (!c->phases || !c->streams || c->columns.insn || i->i.op != PTX_OP_ST ||
        i->i.space != PTX_SPACE_GLOBAL || i->i.guard != PTX_NO_REG || (width % LANES && width != ROWS))
        return c->columns.insn == i;
    const struct flow_insn *first = &c->flow->insns[c->flow->blocks[c->current].first];
    return i >= first && i < first + c->flow->blocks[c->current].count && is_last(c, i);
}

/* -- what is kept ------------------------------------------------------------------------------------ */

/* Warps of 16 x 16 threads have two rows: 8 bytes on is the next one, and 8 of them are enough. */
static uint32_t
warp_rows(const struct core *c)
{
    return c->facts->shape.block[0] == ROWS ? 2 : 1;
}

static void
make_room(struct core *c, const struct flow_insn *i)
{
    if (c->columns.insn)
        return;
    c->columns.insn = i;
    c->columns.count = core_alloca_zero(c, core_scalar(c, 32));
    c->columns.first = core_alloca(c, core_vector(c, 64));
    c->columns.values = core_alloca(c, LLVMArrayType2(core_vector(c, 32), ROWS));
}

static LLVMValueRef
load_count(struct core *c)
{
    return LLVMBuildLoad2(c->e.b, core_scalar(c, 32), c->columns.count, "");
}

static LLVMValueRef
load_first(struct core *c)
{
    return LLVMBuildLoad2(c->e.b, core_vector(c, 64), c->columns.first, "");
}

/* Where the lanes of a warp write that comes `number` warps after the first. */
static LLVMValueRef
expected(struct core *c, LLVMValueRef number)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef step = core_i64(c, (uint64_t)WORD * warp_rows(c));
    LLVMValueRef plus = LLVMBuildMul(b, LLVMBuildZExt(b, number, core_scalar(c, 64), ""), step, "");
    return LLVMBuildAdd(b, load_first(c), core_splat(c, plus), "");
}

static LLVMValueRef
row_at(struct core *c, LLVMValueRef number)
{
    return LLVMBuildGEP2(c->e.b, core_vector(c, 32), c->columns.values, &number, 1, "");
}

static void
scatter(struct core *c, LLVMValueRef at, LLVMValueRef v, LLVMValueRef mask)
{
    LLVMTypeRef pointers = LLVMVectorType(LLVMPointerTypeInContext(c->e.context, 0), LANES);
    LLVMValueRef p = LLVMBuildIntToPtr(c->e.b, at, pointers, "");
    LLVMTypeRef types[] = {LLVMTypeOf(v), pointers};
    LLVMValueRef args[] = {v, p, core_i32(c, 1), mask ? mask : LLVMConstAllOnes(core_vector(c, 1))};
    emit_intrinsic(&c->e, "llvm.masked.scatter", types, 2, args, 4);
}

/* -- what becomes of it ------------------------------------------------------------------------------- */

/* Warp by warp; nothing is kept then. */
static void
flush_some(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), loop = core_new_block(c, "columns"),
                      after = core_new_block(c, "no_columns");
    LLVMValueRef count = load_count(c);
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, count, ""), after, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef k = LLVMBuildPhi(b, i32, "");
    scatter(c, expected(c, k), LLVMBuildLoad2(b, core_vector(c, 32), row_at(c, k), ""), NULL);
    LLVMValueRef next = LLVMBuildAdd(b, k, core_i32(c, 1), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, count, ""), loop, after);
    LLVMAddIncoming(k, (LLVMValueRef[]){core_i32(c, 0), next}, (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMPositionBuilderAtEnd(b, after);
    LLVMBuildStore(b, core_i32(c, 0), c->columns.count);
}

/* unit words from a and as many from b in turn, within 4 words: the low or the high half of them. */
static LLVMValueRef
unpack(struct core *c, LLVMValueRef a, LLVMValueRef b, unsigned unit, unsigned half)
{
    LLVMValueRef k[ROWS];
    for (unsigned l = 0; l < ROWS; l++) {
        unsigned in = l % 4, from = in / unit % 2, word = in / (2 * unit) * unit + in % unit + half * 2;
        k[l] = core_i32(c, l / 4 * 4 + word + from * ROWS);
    }
    return LLVMBuildShuffleVector(c->e.b, a, b, LLVMConstVector(k, ROWS), "");
}

/* Every second group of 4 words, of a and of b. */
static LLVMValueRef
groups(struct core *c, LLVMValueRef a, LLVMValueRef b, unsigned odd)
{
    LLVMValueRef k[ROWS];
    for (unsigned l = 0; l < ROWS; l++)
        k[l] = core_i32(c, (l / 4 * 2 + odd) * 4 + l % 4);
    return LLVMBuildShuffleVector(c->e.b, a, b, LLVMConstVector(k, ROWS), "");
}

/* 16 x 16 words: words within fours, then fours: 64 permutations that the processor has. */
static void
transpose(struct core *c, LLVMValueRef r[ROWS])
{
    LLVMValueRef t[ROWS], u[ROWS];
    for (unsigned k = 0; k < ROWS; k++)
        t[k] = unpack(c, r[k & ~1u], r[k | 1], 1, k & 1);
    for (unsigned k = 0; k < ROWS; k++) /* u[4 g + w]: word w of the fours of rows 4 g to 4 g + 3 */
        u[k] = unpack(c, t[(k & ~3u) + (k >> 1 & 1)], t[(k & ~3u) + (k >> 1 & 1) + 2], 2, k & 1);
    for (unsigned w = 0; w < 4; w++) {
        LLVMValueRef low[2], high[2];
        for (unsigned odd = 0; odd < 2; odd++) {
            low[odd] = groups(c, u[w], u[4 + w], odd);
            high[odd] = groups(c, u[8 + w], u[12 + w], odd);
        }
        for (unsigned g = 0; g < 4; g++)
            r[4 * g + w] = groups(c, low[g & 1], high[g & 1], g >> 1);
    }
}

static void
store_lines(struct core *c, LLVMValueRef *row, LLVMValueRef first, unsigned lane, bool past)
{
    LLVMBuilderRef b = c->e.b;
    unsigned kind = LLVMGetMDKindIDInContext(c->e.context, "nontemporal", 11);
    LLVMMetadataRef one = LLVMValueAsMetadata(core_i32(c, 1));
    LLVMValueRef node = LLVMMetadataAsValue(c->e.context, LLVMMDNodeInContext2(c->e.context, &one, 1));
    for (unsigned l = 0; l < ROWS; l++) {
        LLVMValueRef at = LLVMBuildExtractElement(b, first, core_i32(c, lane + l), "");
        at = LLVMBuildIntToPtr(b, at, LLVMPointerTypeInContext(c->e.context, 0), "");
        LLVMValueRef store = LLVMBuildStore(b, row[l], at);
        LLVMSetAlignment(store, past ? LINE : 1);
        if (past)
            LLVMSetMetadata(store, kind, node);
    }
}

/* The lines of 16 lanes; row k of theirs lies k * stride bytes behind `from`. */
static void
flush_lines(struct core *c, LLVMValueRef first, unsigned lane, unsigned stride, LLVMValueRef past)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef line = LLVMVectorType(core_scalar(c, 32), ROWS);
    LLVMValueRef row[ROWS];
    for (unsigned k = 0; k < ROWS; k++) {
        LLVMValueRef at = core_i64(c, k * stride + lane * WORD);
        at = LLVMBuildGEP2(b, core_scalar(c, 8), c->columns.values, &at, 1, "");
        row[k] = LLVMBuildLoad2(b, line, at, "");
    }
    transpose(c, row);
    LLVMBasicBlockRef over = core_new_block(c, "past"), into = core_new_block(c, "into"),
                      done = core_new_block(c, "lines");
    LLVMBuildCondBr(b, past, over, into);
    LLVMPositionBuilderAtEnd(b, over);
    store_lines(c, row, first, lane, true);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, into);
    store_lines(c, row, first, lane, false);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
}

static void
flush_full(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef v64 = core_vector(c, 64);
    LLVMValueRef first = load_first(c);
    LLVMValueRef all = emit_intrinsic(&c->e, "llvm.vector.reduce.or", &v64, 1, &first, 1);
    LLVMValueRef on = core_load_field(c, c->launch_ptr, offsetof(struct jit_launch, streams), core_scalar(c, 32));
    LLVMValueRef bad = LLVMBuildAnd(b, all, core_i64(c, LINE - 1), "");
    LLVMValueRef past = LLVMBuildAnd(b, LLVMBuildIsNull(b, bad, ""), LLVMBuildIsNotNull(b, on, ""), "");
    if (warp_rows(c) == 2) {
        flush_lines(c, first, 0, LINE, past);
    } else {
        flush_lines(c, first, 0, LANES * WORD, past);
        flush_lines(c, first, ROWS, LANES * WORD, past);
    }
    LLVMBuildStore(b, core_i32(c, 0), c->columns.count);
}

/* -- a store -------------------------------------------------------------------------------------------- */

static LLVMValueRef
all_equal(struct core *c, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef same = LLVMBuildICmp(c->e.b, LLVMIntEQ, x, y, "");
    return LLVMBuildICmp(c->e.b, LLVMIntEQ, emit_mask_to_bits(&c->e, same), core_i32(c, ~0u), "");
}

/* Lanes in lines of their own, as far apart as it seems; the second row of a warp of two is beside the
 * first. */
static LLVMValueRef
may_begin(struct core *c, LLVMValueRef at)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef l[3], k[LANES];
    for (unsigned n = 0; n < 3; n++)
        l[n] = LLVMBuildExtractElement(b, at, core_i32(c, n < 2 ? n : ROWS - 1), "");
    LLVMValueRef d = LLVMBuildSub(b, l[1], l[0], "");
    LLVMValueRef far = LLVMBuildMul(b, d, core_i64(c, ROWS - 1), "");
    LLVMValueRef even = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildSub(b, l[2], l[0], ""), far, "");
    LLVMValueRef wide = LLVMBuildICmp(b, LLVMIntUGE, LLVMBuildAdd(b, d, core_i64(c, LINE - 1), ""),
                                      core_i64(c, 2 * LINE - 1), "");
    LLVMValueRef yes = LLVMBuildAnd(b, even, wide, "");
    if (warp_rows(c) == 1)
        return yes;
    for (unsigned n = 0; n < LANES; n++)
        k[n] = core_i32(c, n % ROWS);
    LLVMValueRef low = LLVMBuildShuffleVector(b, at, LLVMGetPoison(LLVMTypeOf(at)), LLVMConstVector(k, LANES), "");
    int32_t plus[LANES];
    for (unsigned n = 0; n < LANES; n++)
        plus[n] = n < ROWS ? 0 : WORD;
    return LLVMBuildAnd(b, yes, all_equal(c, at, LLVMBuildAdd(b, low, core_pattern(c, plus, 64), "")), "");
}

/* Keeps the values; 16 rows of them go to memory. */
static void
keep(struct core *c, LLVMValueRef v, LLVMBasicBlockRef done)
{
    LLVMBuilderRef b = c->e.b;
    LLVMBasicBlockRef full = core_new_block(c, "full");
    LLVMValueRef count = load_count(c), next = LLVMBuildAdd(b, count, core_i32(c, 1), "");
    LLVMBuildStore(b, v, row_at(c, count));
    LLVMBuildStore(b, next, c->columns.count);
    LLVMValueRef most = core_i32(c, ROWS / warp_rows(c));
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGE, next, most, ""), full, done);
    LLVMPositionBuilderAtEnd(b, full);
    flush_full(c);
    LLVMBuildBr(b, done);
}

void
core_columns_store(struct core *c, const struct flow_insn *i, LLVMValueRef at, LLVMValueRef v, LLVMValueRef mask)
{
    LLVMBuilderRef b = c->e.b;
    make_room(c, i);
    LLVMBasicBlockRef other = core_new_block(c, "apart"), begin = core_new_block(c, "begin"),
                      on = core_new_block(c, "goes_on"), direct = core_new_block(c, "direct"),
                      done = core_new_block(c, "kept");
    LLVMValueRef all = mask ? LLVMBuildICmp(b, LLVMIntEQ, emit_mask_to_bits(&c->e, mask), core_i32(c, ~0u), "")
                            : LLVMConstInt(core_scalar(c, 1), 1, false);
    LLVMValueRef count = load_count(c), some = LLVMBuildIsNotNull(b, count, "");
    LLVMValueRef fits = LLVMBuildAnd(b, all_equal(c, at, expected(c, count)), some, "");
    LLVMBuildCondBr(b, LLVMBuildAnd(b, fits, all, ""), on, other);
    LLVMPositionBuilderAtEnd(b, other);
    flush_some(c);
    LLVMBuildCondBr(b, LLVMBuildAnd(b, may_begin(c, at), all, ""), begin, direct);
    LLVMPositionBuilderAtEnd(b, begin);
    LLVMBuildStore(b, at, c->columns.first);
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
    keep(c, v, done);
    LLVMPositionBuilderAtEnd(b, direct);
    scatter(c, at, v, mask);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
}

void
core_columns_end(struct core *c)
{
    if (c->columns.insn)
        flush_some(c);
}
