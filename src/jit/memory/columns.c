/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/columns.c: stores of a transpose, kept back until lines are full.
 *
 *     out[x * n + y] = ...    a warp writes a word each into 32 lines; the warp that is the next in
 *                             y writes the words beside them
 *
 * In functions of whole blocks (versions/regions.c) the warps' values are kept until there are 16
 * rows of them; transposed in registers, they are 16 consecutive words a lane: whole lines, which
 * are stored once and, in large launches, past the caches. Word by word, 32 lines that lie 16 KiB
 * apart and so in one set of the first cache were fetched and written back 16 times
 * (docs/performance-log.md).
 *
 * Only stores after which no thread of the kernel touches global memory, in kernels where nobody
 * may look before the launch ends (plan_streams): it does not matter then when they are made.
 * Whether warps do continue each other is seen when they run; where they do not, each scatters its
 * own. Of warps that run together (versions/interleave.c) it is known before, but for one number
 * that may wrap: the first and the last are looked at.
 */
#include "jit/memory/memory.h"

enum { ROWS = 16, WORD = 4 };

static uint32_t
warp_rows(const struct core *c)
{
    return plan_kept_rows(c->facts);
}

/* -- what is kept ------------------------------------------------------------------------------ */

void
core_columns_room(struct core *c, const struct wir_insn *i)
{
    if (c->memory.columns.insn)
        return;
    c->memory.columns.insn = i;
    emit_remark_at(&c->e, PASS_TRANSPOSED_STORES, true, i->place,
                   "kept until %d rows make whole lines", ROWS);
    c->memory.columns.count = core_alloca_zero(c, core_scalar(c, 32));
    c->memory.columns.first = core_alloca(c, core_vector(c, 64));
    c->memory.columns.values = core_alloca(c, LLVMArrayType2(core_vector(c, 32), ROWS));
}

static LLVMValueRef
load_count(struct core *c)
{
    return LLVMBuildLoad2(c->e.b, core_scalar(c, 32), c->memory.columns.count, "");
}

static LLVMValueRef
load_first(struct core *c)
{
    return LLVMBuildLoad2(c->e.b, core_vector(c, 64), c->memory.columns.first, "");
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
    return LLVMBuildGEP2(c->e.b, core_vector(c, 32), c->memory.columns.values, &number, 1, "");
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

/* -- what becomes of it ------------------------------------------------------------------------ */

/* Of so many rows lines, or parts of lines, from `at` on, each `apart` bytes behind the one
 * before; past: past the caches. */
static void
store_lines(struct core *c, LLVMValueRef at, LLVMValueRef apart, unsigned rows, bool past)
{
    enum { FOUR = 4 };
    static const int32_t part[ROWS / 2] = {0, 1, 2, 3, 4, 5, 6, 7};
    LLVMBuilderRef b = c->e.b;
    unsigned kind = LLVMGetMDKindIDInContext(c->e.context, "nontemporal", 11),
             lanes = LANES / warp_rows(c);
    LLVMMetadataRef one = LLVMValueAsMetadata(core_i32(c, 1));
    LLVMValueRef node =
        LLVMMetadataAsValue(c->e.context, LLVMMDNodeInContext2(c->e.context, &one, 1));
    int32_t row[ROWS];
    for (unsigned k = 0; k < ROWS; k++)
        row[k] = (int32_t)(k % rows * lanes * WORD);
    for (unsigned lane = 0; lane < lanes; lane += FOUR) {
        LLVMValueRef from = core_i64(c, (uint64_t)lane * WORD), line[FOUR];
        core_turn_rows(c,
                       LLVMBuildGEP2(b, core_scalar(c, 8), c->memory.columns.values, &from, 1, ""),
                       row, line);
        for (unsigned k = 0; k < FOUR; k++) {
            LLVMValueRef v = rows == ROWS ? line[k] : core_shuffle(c, line[k], NULL, part, rows);
            LLVMValueRef store = LLVMBuildStore(b, v, core_ptr(c, at));
            LLVMSetAlignment(store, past ? LINE : 1);
            if (past)
                LLVMSetMetadata(store, kind, node);
            at = LLVMBuildAdd(b, at, apart, "");
        }
    }
}

/* Where the first lane's line begins; how far from there the next one's does. */
static LLVMValueRef
begin_lines(struct core *c, LLVMValueRef *apart)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef first = load_first(c), at = LLVMBuildExtractElement(b, first, core_i32(c, 0), "");
    *apart = LLVMBuildSub(b, LLVMBuildExtractElement(b, first, core_i32(c, 1), ""), at, "");
    return at;
}

/* What a block of 8 or 4 warps leaves as halves or quarters of lines; else warp by warp. Nothing is
 * kept then. */
static void
flush_some(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), loop = core_new_block(c, "columns"),
                      after = core_new_block(c, "no_columns");
    LLVMValueRef count = load_count(c), to = LLVMBuildSwitch(b, count, loop, 2);
    unsigned left = c->regions->warps * warp_rows(c) % ROWS;
    LLVMAddCase(to, core_i32(c, 0), after);
    if (left == ROWS / 2 || left == ROWS / 4) {
        LLVMBasicBlockRef parts = core_new_block(c, "parts");
        LLVMValueRef apart;
        LLVMAddCase(to, core_i32(c, left / warp_rows(c)), parts);
        LLVMPositionBuilderAtEnd(b, parts);
        LLVMValueRef at = begin_lines(c, &apart);
        store_lines(c, at, apart, left, false);
        LLVMBuildBr(b, after);
    }
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef k = LLVMBuildPhi(b, i32, "");
    scatter(c, expected(c, k), LLVMBuildLoad2(b, core_vector(c, 32), row_at(c, k), ""), NULL);
    LLVMValueRef next = LLVMBuildAdd(b, k, core_i32(c, 1), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, count, ""), loop, after);
    LLVMAddIncoming(k, (LLVMValueRef[]){core_i32(c, 0), next}, (LLVMBasicBlockRef[]){before, loop},
                    2);
    LLVMPositionBuilderAtEnd(b, after);
    LLVMBuildStore(b, core_i32(c, 0), c->memory.columns.count);
}

static void
flush_full(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef apart, at = begin_lines(c, &apart);
    LLVMValueRef on = site_streams(c, 4);
    LLVMValueRef bad = LLVMBuildAnd(b, LLVMBuildOr(b, at, apart, ""), core_i64(c, LINE - 1), "");
    struct fork f = fork_begin(c, LLVMBuildAnd(b, LLVMBuildIsNull(b, bad, ""), on, ""));
    store_lines(c, at, apart, ROWS, true);
    fork_other(c, &f);
    store_lines(c, at, apart, ROWS, false);
    fork_join(c, &f, 0, NULL, NULL, NULL);
    LLVMBuildStore(b, core_i32(c, 0), c->memory.columns.count);
}

/* -- a store ----------------------------------------------------------------------------------- */

static LLVMValueRef
all_equal(struct core *c, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef same = LLVMBuildICmp(c->e.b, LLVMIntEQ, x, y, "");
    return LLVMBuildICmp(c->e.b, LLVMIntEQ, emit_mask_to_bits(&c->e, same), core_i32(c, ~0u), "");
}

/* Lanes in lines of their own, all as far apart; the second row of a warp of two is beside the
 * first. */
static LLVMValueRef
may_begin(struct core *c, LLVMValueRef at)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef first = core_frozen_lane(c, at, 0);
    LLVMValueRef d = LLVMBuildSub(b, core_frozen_lane(c, at, 1), first, "");
    LLVMValueRef wide = LLVMBuildICmp(b, LLVMIntUGE, LLVMBuildAdd(b, d, core_i64(c, LINE - 1), ""),
                                      core_i64(c, 2 * LINE - 1), "");
    int32_t times[LANES], plus[LANES];
    for (unsigned n = 0; n < LANES; n++) {
        times[n] = (int32_t)(n % (LANES / warp_rows(c)));
        plus[n] = (int32_t)(n / (LANES / warp_rows(c)) * WORD);
    }
    LLVMValueRef even = LLVMBuildMul(b, core_splat(c, d), core_pattern(c, times, 64), "");
    even = LLVMBuildAdd(b, LLVMBuildAdd(b, even, core_splat(c, first), ""),
                        core_pattern(c, plus, 64), "");
    return LLVMBuildAnd(b, wide, all_equal(c, at, even), "");
}

/* Keeps the values of n warps; 16 rows of them go to memory. */
static void
keep(struct core *c, const LLVMValueRef *v, unsigned n, LLVMBasicBlockRef done)
{
    LLVMBuilderRef b = c->e.b;
    LLVMBasicBlockRef full = core_new_block(c, "full");
    LLVMValueRef count = load_count(c), next = LLVMBuildAdd(b, count, core_i32(c, n), "");
    for (unsigned k = 0; k < n; k++)
        LLVMBuildStore(b, v[k], row_at(c, LLVMBuildAdd(b, count, core_i32(c, k), "")));
    LLVMBuildStore(b, next, c->memory.columns.count);
    LLVMValueRef most = core_i32(c, ROWS / warp_rows(c));
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGE, next, most, ""), full, done);
    LLVMPositionBuilderAtEnd(b, full);
    flush_full(c);
    LLVMBuildBr(b, done);
}

/* Keeps them where that is possible; the builder is left where it is not. sure: that they may be
 * kept, NULL: yes. */
static void
keep_or_not(struct core *c, LLVMValueRef at, const LLVMValueRef *v, unsigned n, LLVMValueRef sure,
            LLVMBasicBlockRef done)
{
    LLVMBuilderRef b = c->e.b;
    LLVMBasicBlockRef other = core_new_block(c, "apart"), begin = core_new_block(c, "begin"),
                      on = core_new_block(c, "goes_on"), direct = core_new_block(c, "direct");
    LLVMValueRef count = load_count(c), most = core_i32(c, ROWS / warp_rows(c) - n);
    LLVMValueRef fits = LLVMBuildAnd(b, LLVMBuildIsNotNull(b, count, ""), sure, "");
    fits = LLVMBuildAnd(b, fits, LLVMBuildICmp(b, LLVMIntULE, count, most, ""), "");
    fits = LLVMBuildAnd(b, all_equal(c, at, expected(c, count)), fits, "");
    LLVMBuildCondBr(b, fits, on, other);
    LLVMPositionBuilderAtEnd(b, other);
    flush_some(c);
    LLVMBuildCondBr(b, LLVMBuildAnd(b, may_begin(c, at), sure, ""), begin, direct);
    LLVMPositionBuilderAtEnd(b, begin);
    LLVMBuildStore(b, at, c->memory.columns.first);
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
    keep(c, v, n, done);
    LLVMPositionBuilderAtEnd(b, direct);
}

void
core_columns_store(struct core *c, const struct wir_insn *i, LLVMValueRef at, LLVMValueRef v,
                   LLVMValueRef mask)
{
    LLVMBuilderRef b = c->e.b;
    core_columns_room(c, i);
    LLVMBasicBlockRef done = core_new_block(c, "kept");
    LLVMValueRef all =
        mask ? LLVMBuildICmp(b, LLVMIntEQ, emit_mask_to_bits(&c->e, mask), core_i32(c, ~0u), "")
             : LLVMConstInt(core_scalar(c, 1), 1, false);
    keep_or_not(c, at, &v, 1, all, done);
    scatter(c, at, v, mask);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
}

/* -- for warps that run together --------------------------------------------------------------- */

void
site_store_columns(struct site *s, const struct plan *p, const struct ptx_operand *from)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    struct site each[INTERLEAVE_MOST] = {*s};
    LLVMValueRef v[INTERLEAVE_MOST];
    unsigned n = p->warps, most = ROWS / warp_rows(c);
    if (!n) /* with the first of them */
        return;
    for (unsigned k = n; k-- > 0;) {
        regions_use(c, &c->regions->interleaved_warp[k]);
        v[k] = core_value(c, s->i, from, 8 * WORD, false);
        each[k] = (struct site){.c = c, .i = s->i, .bytes = WORD, .vec = 1, .align = s->align};
        site_at(&each[k], p->o, &p->at);
    }
    LLVMBasicBlockRef done = core_new_block(c, "kept");
    LLVMValueRef at = site_lanes(&each[0]),
                 on = core_i64(c, (uint64_t)WORD * warp_rows(c) * (n - 1));
    LLVMValueRef sure =
        all_equal(c, site_lanes(&each[n - 1]), LLVMBuildAdd(b, at, core_splat(c, on), ""));
    if (most >= n)
        keep_or_not(c, at, v, n, sure, done);
    for (unsigned k = 0; k < n; k++)
        scatter(c, site_lanes(&each[k]), v[k], NULL);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
}

void
core_columns_end(struct core *c)
{
    if (c->memory.columns.insn)
        flush_some(c);
}
