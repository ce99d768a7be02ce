/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/batch.c: accesses of one block of code that a tool is told of together (JIT_EVENT_SEEN).
 * Loads and stores of unrolled code mostly have an address register in common, or few, and what is
 * known of one such register is known of all that use it: so as long as nothing else is told in
 * between, accesses are kept until the block ends, and one comparison says whether all of them are
 * like those told before. Each one's word for the trace is what the tool said of it then, added to
 * the line of its register.
 *
 * core_batch_add() is asked for each access; an access that must not be kept is preceded by
 * core_batch_flush(). Both stand where no jump may lead round them.
 */
#include "jit/tools/plan.h"
#include "jit/ops/ops.h"

#include <string.h>

enum {
    MOST_MEMBERS = 64,
    MOST_BASES = 8,
    MOST_APART = JIT_BATCH_APART,
    LINE_SHIFT = 7,
    WORD_SHIFT = 16
};
enum { LOCAL_SHIFT = 2, LOCAL_MASK = 15, CHUNK = 8 };
static const uint32_t NO_BASE = UINT32_MAX;

/* A base that several addresses of a batch are constant distances from. */
struct base {
    LLVMValueRef at, apart; /* of the first access that counts from it */
    uint32_t reg, space, insn;
    uint64_t known;
    bool local;
};

struct member {
    struct core_announced t;
    uint32_t base; /* NO_BASE: the first byte of shared or local memory */
    int32_t delta; /*   and how far from there */
};

struct core_batch {
    uint32_t count, bases, aparts, traced;
    struct member member[MOST_MEMBERS];
    struct base base[MOST_BASES];
    LLVMValueRef room; /* alloca for bases */
};

static bool
is_traced(const struct core_announced *t)
{
    return t->space == PTX_SPACE_GLOBAL || t->space == PTX_SPACE_LOCAL;
}

/* -- gathering --------------------------------------------------------------------------------- */

static bool
fits(const struct core *c, const struct wir_insn *i, const struct core_announced *t)
{
    const struct ptx_insn *p = &i->i;
    if (!c->tools || !(c->tools->events & JIT_EVENT_SEEN) || p->guard != PTX_NO_REG ||
        (p->op != PTX_OP_LD && p->op != PTX_OP_LDU && p->op != PTX_OP_ST))
        return false;
    return t->space == PTX_SPACE_SHARED || t->space == PTX_SPACE_GLOBAL ||
           t->space == PTX_SPACE_CONST || (t->space == PTX_SPACE_LOCAL && t->local);
}

/* The base that the operand counts from; MOST_BASES: none of those there are. */
static uint32_t
find_base(const struct core *c, const struct core_batch *b, const struct ptx_operand *o,
          uint32_t insn, const struct core_announced *t)
{
    const struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
    for (uint32_t k = 0; o->base_kind == PTX_BASE_REG && k < b->bases; k++) {
        const struct base *x = &b->base[k];
        int64_t delta = (int64_t)(t->known - x->known);
        if (x->reg == o->reg && x->space == t->space && !x->apart == !t->apart &&
            delta == (int32_t)delta && wir_same_since(c->wir, &r, x->insn, insn))
            return k;
    }
    return MOST_BASES;
}

static uint32_t
new_base(struct core_batch *b, const struct ptx_operand *o, uint32_t insn,
         const struct core_announced *t)
{
    b->base[b->bases] = (struct base){.at = t->local ? t->local : t->base,
                                      .apart = t->apart,
                                      .reg = o->base_kind == PTX_BASE_REG ? o->reg : PTX_NO_REG,
                                      .space = t->space,
                                      .insn = insn,
                                      .known = t->known,
                                      .local = t->local};
    b->aparts += t->apart != NULL;
    return b->bases++;
}

bool
core_batch_add(struct core *c, const struct wir_insn *i, const struct core_announced *t)
{
    const struct ptx_operand *o = &i->i.operand[i->i.op == PTX_OP_ST ? 0 : 1];
    uint32_t insn = (uint32_t)(i - c->wir->insns);
    const struct wir_block *blk = &c->wir->blocks[c->now.current];
    if (!emit_on(&c->e, PASS_BATCHED_ACCESSES) || !emit_on(&c->e, PASS_REPEAT_FILTER) ||
        !fits(c, i, t) || insn < blk->first || insn >= blk->first + blk->count)
        return false;
    if (!c->tools->batch)
        c->tools->batch = ls_alloc(sizeof *c->tools->batch);
    struct core_batch *b = c->tools->batch;
    bool known = o->base_kind != PTX_BASE_REG && (t->space == PTX_SPACE_SHARED || t->local) &&
                 t->known == (uint64_t)(int64_t)(int32_t)t->known && !t->apart;
    uint32_t base = known ? NO_BASE : find_base(c, b, o, insn, t);
    bool more = base == MOST_BASES;
    if (b->count == MOST_MEMBERS ||
        (more && (b->bases == MOST_BASES || (t->apart && b->aparts == MOST_APART)))) {
        core_batch_flush(c);
        more = !known;
    }
    if (more)
        base = new_base(b, o, insn, t);
    b->member[b->count++] =
        (struct member){*t, base, (int32_t)(t->known - (known ? 0 : b->base[base].known))};
    b->traced += is_traced(t);
    emit_fired(&c->e, PASS_BATCHED_ACCESSES, "told with others of its block");
    return true;
}

/* -- tables ------------------------------------------------------------------------------------ */

/* Where the pattern is in the table, in words; *words: those in use. */
static uint32_t
put_pattern(struct core *c, LLVMValueRef *word, uint32_t *words, const struct core_batch *b,
            uint32_t k)
{
    const int32_t *pattern = b->member[k].t.pattern;
    if (!pattern)
        return 0;
    for (uint32_t o = 0; o < k; o++)
        if (b->member[o].t.pattern &&
            memcmp(b->member[o].t.pattern, pattern, LANES * sizeof *pattern) == 0)
            return (uint32_t)LLVMConstIntGetZExtValue(
                word[JIT_BATCH_HEAD + JIT_BATCH_MEMBER * o + 3]);
    uint32_t at = *words;
    for (uint32_t l = 0; l < LANES; l++)
        word[at + l] = core_i32(c, (uint32_t)pattern[l]);
    *words += LANES;
    return at;
}

/* struct jit_batch_table as a constant of the module. */
static LLVMValueRef
make_table(struct core *c, const struct core_batch *b)
{
    LLVMValueRef word[JIT_BATCH_HEAD + MOST_MEMBERS * (JIT_BATCH_MEMBER + LANES)];
    uint32_t words = JIT_BATCH_HEAD + b->count * JIT_BATCH_MEMBER;
    uint32_t head[JIT_BATCH_HEAD] = {b->count, b->bases, b->traced, 0};
    for (uint32_t k = 0; k < b->bases; k++)
        head[3] |= (uint32_t)(b->base[k].apart != NULL) << k;
    for (uint32_t k = 0; k < JIT_BATCH_HEAD; k++)
        word[k] = core_i32(c, head[k]);
    for (uint32_t k = 0; k < b->count; k++) {
        const struct member *m = &b->member[k];
        LLVMValueRef *own = word + JIT_BATCH_HEAD + JIT_BATCH_MEMBER * k;
        own[0] = core_i32(c, m->t.place);
        own[1] = core_i32(c, JIT_SEEN_KIND(m->t.bytes, m->t.space, m->t.op));
        own[2] = core_i32(c, m->base);
        own[3] = core_i32(c, put_pattern(c, word, &words, b, k));
        own[4] = core_i32(c, (uint32_t)m->delta);
    }
    return core_constants(c, word, words, "batch");
}

/* -- looking them up --------------------------------------------------------------------------- */

/* What of the bases' addresses the tool looks at, a byte of each; NULL: nothing. *only: of that one
 * alone. */
static LLVMValueRef
make_key(struct core *c, const struct core_batch *b, uint32_t *only)
{
    LLVMValueRef key = NULL;
    *only = MOST_BASES;
    for (uint32_t k = 0; k < b->bases; k++) {
        if (b->base[k].space == PTX_SPACE_CONST)
            continue;
        LLVMValueRef mask = b->base[k].local ? core_i64(c, LOCAL_MASK) : c->tools->seen_mask;
        LLVMValueRef part = LLVMBuildAnd(c->e.b, b->base[k].at, mask, "");
        part = LLVMBuildShl(c->e.b, part, core_i64(c, 8 * k), "");
        *only = key ? MOST_BASES : k;
        key = key ? LLVMBuildOr(c->e.b, key, part, "") : part;
    }
    return key;
}

static LLVMValueRef
make_way(struct core *c, LLVMValueRef key, uint32_t only, LLVMValueRef lanes)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef way = core_seen_lanes(c, lanes);
    if (!key)
        return way;
    if (only == MOST_BASES) {
        key = LLVMBuildMul(b, key, core_i64(c, 0x9e3779b97f4a7c15ull), "");
        return LLVMBuildXor(b, way, LLVMBuildLShr(b, key, core_i64(c, 64 - JIT_BATCH_WAY_BITS), ""),
                            "");
    }
    key = LLVMBuildLShr(b, key, core_i64(c, 8 * only + 2), "");
    return LLVMBuildXor(b, way,
                        LLVMBuildAnd(b, key, core_i64(c, (1 << JIT_BATCH_WAY_BITS) - 1), ""), "");
}
_Static_assert(JIT_BATCH_WAY_BITS == 5, "core_seen_lanes is below 32");

static LLVMValueRef
find_kept(struct core *c, uint32_t place, LLVMValueRef way)
{
    LLVMBuilderRef b = c->e.b;
    way = LLVMBuildAdd(b, way, core_i64(c, (uint64_t)place << JIT_BATCH_WAY_BITS), "");
    way = LLVMBuildMul(b, way, core_i64(c, sizeof(struct jit_batch)), "");
    return LLVMBuildGEP2(b, core_scalar(c, 8), c->tools->batches, &way, 1, "");
}

static LLVMValueRef
is_alike(struct core *c, const struct core_batch *b, LLVMValueRef kept, LLVMValueRef key,
         LLVMValueRef table)
{
    LLVMBuilderRef bld = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), i1 = core_scalar(c, 1);
    struct {
        size_t field;
        LLVMValueRef own;
    } more[3 + MOST_APART] = {
        {FIELD(jit_batch, table), LLVMBuildPtrToInt(bld, table, i64, "")},
        {FIELD(jit_batch, lanes), LLVMBuildZExt(bld, b->member[0].t.lanes, i64, "")},
        {FIELD(jit_batch, key), key}};
    uint32_t n = key ? 3 : 2, aparts = 0;
    for (uint32_t k = 0; k < b->bases; k++)
        if (b->base[k].apart) {
            more[n].field = FIELD(jit_batch, apart) + 8 * aparts++;
            more[n++].own = b->base[k].apart;
        }
    LLVMValueRef differ = core_i64(c, 0);
    for (uint32_t k = 0; k < n; k++) {
        LLVMValueRef x =
            LLVMBuildXor(bld, more[k].own, core_load_field(c, kept, more[k].field, i64), "");
        differ = LLVMBuildOr(bld, differ, x, "");
    }
    LLVMValueRef alike = LLVMBuildICmp(bld, LLVMIntEQ, differ, core_i64(c, 0), "");
    for (uint32_t k = 0; k < b->count; k++)
        if (b->member[k].t.holds)
            alike = LLVMBuildAnd(bld, alike, b->member[k].t.holds, "");
    LLVMValueRef likely[] = {alike, LLVMConstInt(i1, 1, false)};
    return emit_intrinsic(&c->e, "llvm.expect", &i1, 1, likely, 2);
}

/* -- words ------------------------------------------------------------------------------------- */

/* The base's line, where a word has it. */
static LLVMValueRef
line_of(struct core *c, const struct core_batch *b, const struct member *m)
{
    LLVMBuilderRef bld = c->e.b;
    const struct base *x = m->base == NO_BASE ? NULL : &b->base[m->base];
    LLVMValueRef line = c->tools->trace_local;
    if (m->t.local && x)
        line = LLVMBuildAdd(bld, line, LLVMBuildLShr(bld, x->at, core_i64(c, LOCAL_SHIFT), ""), "");
    else if (!m->t.local)
        line = LLVMBuildLShr(bld, x->at, core_i64(c, LINE_SHIFT), "");
    return LLVMBuildShl(bld, line, core_i64(c, WORD_SHIFT), "");
}

/* The next words, up to a chunk, of traced accesses from *at on. */
static LLVMValueRef
next_lines(struct core *c, const struct core_batch *b, uint32_t *at, uint32_t *count)
{
    LLVMValueRef line[CHUNK];
    uint32_t base[CHUNK], n = 0;
    bool same = true;
    for (; *at < b->count && n < CHUNK; ++*at) {
        const struct member *m = &b->member[*at];
        if (!is_traced(&m->t))
            continue;
        uint32_t k = 0;
        while (k < n && base[k] != m->base)
            k++;
        base[n] = m->base;
        line[n] = k < n ? line[k] : line_of(c, b, m);
        same &= base[n] == base[0];
        n++;
    }
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(core_scalar(c, 64), n));
    for (uint32_t k = 0; k < (same ? 1 : n); k++)
        v = LLVMBuildInsertElement(c->e.b, v, line[k], core_i32(c, k), "");
    if (same)
        v = LLVMBuildShuffleVector(c->e.b, v, v,
                                   LLVMConstNull(LLVMVectorType(core_scalar(c, 32), n)), "");
    *count = n;
    return v;
}

/* Appends the words; where there is no room, to `full`. */
static void
put_words(struct core *c, const struct core_batch *b, LLVMValueRef kept, LLVMBasicBlockRef full)
{
    LLVMBuilderRef bld = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64), i8 = core_scalar(c, 8),
                ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMBasicBlockRef put = core_new_block(c, "traced");
    LLVMValueRef to = core_load_field(c, c->tools->trace, FIELD(jit_trace, at), ptr);
    LLVMValueRef end = core_load_field(c, c->tools->trace, FIELD(jit_trace, end), i64);
    LLVMValueRef size = core_i64(c, sizeof(uint64_t) * b->traced);
    LLVMValueRef room = LLVMBuildSub(bld, end, LLVMBuildPtrToInt(bld, to, i64, ""), "");
    LLVMBuildCondBr(bld, LLVMBuildICmp(bld, LLVMIntUGE, room, size, ""), put, full);
    LLVMPositionBuilderAtEnd(bld, put);
    LLVMValueRef words = core_load_field(c, kept, FIELD(jit_batch, words), ptr);
    for (uint32_t at = 0, done = 0, n; done < b->traced; done += n) {
        LLVMValueRef v = next_lines(c, b, &at, &n), offset = core_i64(c, sizeof(uint64_t) * done);
        LLVMValueRef own =
            LLVMBuildLoad2(bld, LLVMTypeOf(v), LLVMBuildGEP2(bld, i8, words, &offset, 1, ""), "");
        LLVMSetAlignment(own, sizeof(uint64_t));
        LLVMValueRef put_at = LLVMBuildGEP2(bld, i8, to, &offset, 1, "");
        LLVMSetAlignment(LLVMBuildStore(bld, LLVMBuildAdd(bld, own, v, ""), put_at),
                         sizeof(uint64_t));
    }
    core_store_field(c, c->tools->trace, FIELD(jit_trace, at),
                     LLVMBuildGEP2(bld, i8, to, &size, 1, ""));
}
_Static_assert(sizeof(struct jit_batch_table) == 4 * JIT_BATCH_HEAD &&
                   sizeof(struct jit_batch_member) == 4 * JIT_BATCH_MEMBER,
               "tables are made of words");

/* -- telling ----------------------------------------------------------------------------------- */

static void
call_batch(struct core *c, struct core_batch *b, LLVMValueRef table, LLVMValueRef way)
{
    LLVMTypeRef i64 = core_scalar(c, 64);
    if (!b->room)
        b->room = core_alloca(c, LLVMArrayType2(i64, 2 * MOST_BASES));
    for (uint32_t k = 0; k < b->bases; k++) {
        core_store_field(c, b->room, 16 * k, b->base[k].at);
        core_store_field(c, b->room, 16 * k + 8,
                         b->base[k].apart ? b->base[k].apart : core_i64(c, 0));
    }
    LLVMValueRef args[] = {c->e.warp, b->member[0].t.lanes, b->room, table,
                           LLVMBuildTrunc(c->e.b, way, core_scalar(c, 32), "")};
    core_service(c, FIELD(jit_services, batch), LLVMVoidTypeInContext(c->e.context), args, 5);
}

/* Where not all guesses hold, each by itself. */
static void
tell_each(struct core *c, const struct core_batch *b, LLVMBasicBlockRef each,
          LLVMBasicBlockRef together)
{
    LLVMValueRef hold = NULL;
    for (uint32_t k = 0; k < b->count; k++) {
        LLVMValueRef h = b->member[k].t.holds;
        hold = !h ? hold : hold ? LLVMBuildAnd(c->e.b, hold, h, "") : h;
    }
    LLVMBuildCondBr(c->e.b, hold, together, each);
    LLVMPositionBuilderAtEnd(c->e.b, each);
    for (uint32_t k = 0; k < b->count; k++)
        core_tell_plain(c, &b->member[k].t);
}

static void
tell_all(struct core *c, struct core_batch *b)
{
    LLVMBuilderRef bld = c->e.b;
    uint32_t only;
    bool guesses = false;
    LLVMValueRef table = make_table(c, b), key = make_key(c, b, &only),
                 way = make_way(c, key, only, b->member[0].t.lanes);
    LLVMValueRef kept = find_kept(c, b->member[0].t.place, way);
    LLVMBasicBlockRef hit = core_new_block(c, "seen"), miss = core_new_block(c, "told"),
                      over = core_new_block(c, "counted");
    LLVMBuildCondBr(bld, is_alike(c, b, kept, key, table), hit, miss);
    LLVMPositionBuilderAtEnd(bld, hit);
    if (b->traced)
        put_words(c, b, kept, miss);
    LLVMValueRef times = core_load_field(c, kept, FIELD(jit_batch, times), core_scalar(c, 64));
    core_store_field(c, kept, FIELD(jit_batch, times),
                     LLVMBuildAdd(bld, times, core_i64(c, 1), ""));
    LLVMBuildBr(bld, over);
    LLVMPositionBuilderAtEnd(bld, miss);
    for (uint32_t k = 0; k < b->count; k++)
        guesses |= b->member[k].t.holds != NULL;
    if (guesses) {
        LLVMBasicBlockRef together = core_new_block(c, "together");
        tell_each(c, b, core_new_block(c, "each"), together);
        LLVMBuildBr(bld, over);
        LLVMPositionBuilderAtEnd(bld, together);
    }
    call_batch(c, b, table, way);
    LLVMBuildBr(bld, over);
    LLVMPositionBuilderAtEnd(bld, over);
}

void
core_batch_flush(struct core *c)
{
    struct core_batch *b = c->tools ? c->tools->batch : NULL;
    if (!b || !b->count)
        return;
    if (b->count == 1)
        core_tell(c, &b->member[0].t);
    else
        tell_all(c, b);
    b->count = b->bases = b->aparts = b->traced = 0;
}

void
core_batch_before(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    bool access = p->op == PTX_OP_LD || p->op == PTX_OP_LDU || p->op == PTX_OP_ST;
    bool silent =
        p->op == PTX_OP_MOV || p->op == PTX_OP_CVTA || p->op == PTX_OP_CVT || emit_is_arith(p);
    if (!silent && (!access || p->guard != PTX_NO_REG))
        core_batch_flush(c);
}
