/* SPDX-License-Identifier: Apache-2.0
 *
 * values/split.c: loads from an address that is selected lane by lane.
 *
 *     selp.b64 %a, %tile, %array, %p      inside the tile from shared memory, else from the array
 *     ld.f32   %x, [%a]
 *
 * %a follows no pattern, so the load would be a gather. But each of the two may: then it is a load
 * of each, under the mask of the lanes that select it. Mostly one of them follows its pattern only
 * in those lanes: in others tid.x - 2 is below zero and was widened without its sign. So beside
 * what values/guess.c keeps of such a register, the values of its segments' first lanes are worked
 * out from the last lanes, and the lanes found that do not follow those (strays). Where a stray is
 * selected, all lanes are gathered.
 */
#include "jit/values/values.h"

#include <string.h>

bool
split_wanted(const struct wir *f)
{
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (f->insns[n].i.op == PTX_OP_SELP &&
            ptx_type_bytes((enum ptx_type)f->insns[n].i.type[0]) == 8)
            return true;
    return false;
}

static unsigned
split_segments(const struct core *c, uint32_t reg)
{
    return plan_part_segments(&c->facts->reg[reg]);
}

void
split_storage(struct core *c, struct guess *g, uint32_t reg)
{
    g->back = core_alloca(c, emit_type_at(&c->e, core_scalar(c, 64), split_segments(c, reg)));
    g->strays = core_alloca(c, core_vector(c, 1));
    g->wrapped = core_alloca(c, core_scalar(c, 1));
    LLVMBuildStore(c->e.b, LLVMConstNull(core_vector(c, 1)), g->strays);
    LLVMBuildStore(c->e.b, LLVMConstAllOnes(core_scalar(c, 1)), g->wrapped);
}

void
split_forget(struct core *c, uint32_t reg)
{
    struct guess *g = &c->regs.guess[reg];
    if (!g->back)
        return;
    LLVMTypeRef type = emit_type_at(&c->e, core_scalar(c, 64), split_segments(c, reg));
    LLVMBuildStore(c->e.b, LLVMGetUndef(type), g->back);
    LLVMBuildStore(c->e.b, LLVMConstNull(core_vector(c, 1)), g->strays);
    LLVMBuildStore(c->e.b, LLVMConstAllOnes(core_scalar(c, 1)), g->wrapped);
}

/* -- values from the last lanes ---------------------------------------------------------------- */

struct back {
    struct core *c;
    const struct wir_insn *i;
    unsigned n; /* segments */
    LLVMValueRef strays, wrapped;
};

static LLVMValueRef
spread(struct core *c, LLVMValueRef v, unsigned from, unsigned to)
{
    struct fact same = {.kind = FACT_SCALAR, .segment = LANES};
    return from == to ? v : core_spread_firsts(c, v, &same, to);
}

/* One constant a segment. */
static LLVMValueRef
constants(unsigned n, LLVMValueRef *v)
{
    return n == 1 ? v[0] : LLVMConstVector(v, n);
}

/* Element by element where there are few: LLVM finds more in scalars, among it the distance of one
 * tap's address from the next one's. */
static LLVMValueRef
each(struct back *k, LLVMOpcode op, LLVMValueRef x, LLVMValueRef y)
{
    enum { FEW = 4 };
    LLVMBuilderRef b = k->c->e.b;
    if (k->n == 1 || k->n > FEW)
        return LLVMBuildBinOp(b, op, x, y, "");
    LLVMValueRef v = LLVMGetPoison(LLVMTypeOf(x));
    for (unsigned g = 0; g < k->n; g++) {
        LLVMValueRef at = core_i32(k->c, g), one = LLVMBuildExtractElement(b, x, at, "");
        one = LLVMBuildBinOp(b, op, one, LLVMBuildExtractElement(b, y, at, ""), "");
        v = LLVMBuildInsertElement(b, v, one, at, "");
    }
    return v;
}

/* Whether lanes lie out of range when the segments' last ones are `last`, 64 bits, plus `add`: of a
 * constant which ones, else whether there are any (to find out which takes six instructions for
 * each load). */
static void
find_strays(struct back *k, const struct fact *f, LLVMValueRef last, int32_t add, bool is_signed)
{
    struct core *c = k->c;
    LLVMBuilderRef b = c->e.b;
    unsigned segment = LANES / k->n;
    int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX,
            low = INT64_MIN, high = INT64_MAX;
    LLVMValueRef lows[LANES], highs[LANES];
    for (unsigned l = 0; l < LANES;
         l++) { /* the last lane's numbers for which lane l is in range */
        int64_t d = (int64_t)guess_relative(f, l, segment) -
                    guess_relative(f, l | (segment - 1), segment) + add;
        lows[l] = core_i64(c, (uint64_t)(least - d));
        highs[l] = core_i64(c, (uint64_t)(most - d));
        low = least - d > low ? least - d : low;
        high = most - d < high ? most - d : high;
    }
    if (f->known) {
        last = spread(c, last, k->n, LANES);
        LLVMValueRef out = LLVMBuildICmp(b, LLVMIntSLT, last, LLVMConstVector(lows, LANES), "");
        out = LLVMBuildOr(
            b, out, LLVMBuildICmp(b, LLVMIntSGT, last, LLVMConstVector(highs, LANES), ""), "");
        k->strays = LLVMBuildOr(b, k->strays, out, "");
        return;
    }
    for (unsigned g = 0; g < k->n; g++) {
        LLVMValueRef v = k->n == 1 ? last : LLVMBuildExtractElement(b, last, core_i32(c, g), "");
        LLVMValueRef out = LLVMBuildICmp(b, LLVMIntSLT, v, core_i64(c, (uint64_t)low), "");
        out = LLVMBuildOr(b, out, LLVMBuildICmp(b, LLVMIntSGT, v, core_i64(c, (uint64_t)high), ""),
                          "");
        k->wrapped = LLVMBuildOr(b, k->wrapped, out, "");
    }
}

/* The number that o is the sum of a number of the text with, *add, written in this block: taps of a
 * row are all sums with one number, widened once. */
static const struct ptx_operand *
without_sum(const struct back *k, const struct ptx_operand *o, int32_t *add)
{
    struct core *c = k->c;
    uint32_t at = wir_index(c->wir, k->i);
    const struct wir_insn *made = wir_maker_before(c->wir, c->now.current, o->reg, at);
    const struct ptx_insn *p = made ? &made->i : NULL;
    *add = 0;
    if (!p || p->op != PTX_OP_ADD || p->operand_count != 3 || p->type_count != 1 ||
        ptx_type_bytes((enum ptx_type)p->type[0]) != 4 ||
        ptx_type_kind((enum ptx_type)p->type[0]) == 'f' || ptx_has(p, PTX_M_SAT) ||
        ptx_has(p, PTX_M_CC) || p->operand[1].kind != PTX_O_REG || p->operand[1].negated ||
        p->operand[1].part || p->operand[2].kind != PTX_O_INT ||
        core_reg_bits(c, p->operand[1].reg) != 32 ||
        !wir_same_since(c->wir, &p->operand[1], wir_index(c->wir, made), at))
        return o;
    *add = (int32_t)p->operand[2].imm;
    return &p->operand[1];
}

/* All lanes of each segment have one value: where it wraps, they all do. */
static bool
agrees(const struct fact *f, unsigned segment)
{
    for (unsigned l = 0; l < LANES; l++)
        if (f->segment < segment || guess_relative(f, l, segment))
            return false;
    return true;
}

/* A 32-bit number, widened. */
static LLVMValueRef
widen(struct back *k, const struct ptx_operand *o, bool is_signed)
{
    struct core *c = k->c;
    LLVMBuilderRef b = c->e.b;
    struct fact f = facts_operand(c->facts, k->i, o);
    unsigned segment = LANES / k->n;
    LLVMValueRef ahead[LANES], behind[LANES];
    int32_t add = 0;
    bool exact = !f.pattern || (f.bounded && (is_signed || f.low >= 0)) || agrees(&f, segment);
    if (!exact && !f.known && f.kind != FACT_NONE) {
        o = without_sum(k, o, &add);
        f = facts_operand(c->facts, k->i, o);
    }
    if (f.kind == FACT_NONE || f.guess || f.segment < segment)
        return NULL;
    LLVMTypeRef wide = emit_type_at(&c->e, core_scalar(c, 64), k->n);
    LLVMValueRef v = core_firsts(c, k->i, o, 32, k->n);
    for (unsigned g = 0; g < k->n; g++) {
        int32_t p = exact ? 0 : guess_relative(&f, (g + 1) * segment - 1, segment);
        ahead[g] = core_i32(c, (uint32_t)p);
        behind[g] = core_i64(c, (uint64_t)(add - (int64_t)p));
    }
    v = each(k, LLVMAdd, v, constants(k->n, ahead));
    v = is_signed ? LLVMBuildSExt(b, v, wide, "") : LLVMBuildZExt(b, v, wide, "");
    if (!exact)
        find_strays(k, &f, v, add, is_signed);
    return each(k, LLVMAdd, v, constants(k->n, behind));
}

/* Source operand 1, 2 or 3 in the first lanes of the segments; NULL: cannot say. */
static LLVMValueRef
back_operand(struct back *k, unsigned operand, bool widens)
{
    struct core *c = k->c;
    const struct ptx_insn *p = &k->i->i;
    const struct ptx_operand *o = &p->operand[operand];
    struct fact f = facts_operand(c->facts, k->i, o);
    bool is_signed = ptx_type_kind((enum ptx_type)p->type[p->type_count - 1]) == 's';
    if (o->kind == PTX_O_INT) {
        uint64_t v = widens && is_signed ? (uint64_t)(int32_t)o->imm
                     : widens            ? (uint32_t)o->imm
                                         : o->imm;
        return spread(c, core_i64(c, v), 1, k->n);
    }
    if (o->kind != PTX_O_REG || o->negated || core_reg_bits(c, o->reg) != (widens ? 32 : 64))
        return NULL;
    if (widens)
        return widen(k, o, is_signed);
    if (!f.guess)
        return f.kind != FACT_NONE && f.segment >= LANES / k->n ? core_firsts(c, k->i, o, 64, k->n)
                                                                : NULL;
    if (!c->regs.guess[o->reg].back || split_segments(c, o->reg) > k->n)
        return NULL;
    unsigned have = split_segments(c, o->reg);
    LLVMTypeRef type = emit_type_at(&c->e, core_scalar(c, 64), have);
    LLVMValueRef v = LLVMBuildLoad2(c->e.b, type, c->regs.guess[o->reg].back, "");
    LLVMValueRef strays =
        LLVMBuildLoad2(c->e.b, core_vector(c, 1), c->regs.guess[o->reg].strays, "");
    LLVMValueRef wrapped =
        LLVMBuildLoad2(c->e.b, core_scalar(c, 1), c->regs.guess[o->reg].wrapped, "");
    k->strays = LLVMBuildOr(c->e.b, k->strays, strays, "");
    k->wrapped = LLVMBuildOr(c->e.b, k->wrapped, wrapped, "");
    f.guess = false;
    return have == k->n ? v : core_spread_firsts(c, v, &f, k->n);
}

/* Instructions that hand on a pattern of 64 bits, or make one by widening. */
static bool
hands_on(const struct ptx_insn *p)
{
    if (p->guard != PTX_NO_REG || ptx_has(p, PTX_M_CC) || ptx_has(p, PTX_M_SAT) ||
        ptx_has(p, PTX_M_HI) || !p->type_count || p->operand[0].kind != PTX_O_REG)
        return false;
    enum ptx_type t = (enum ptx_type)p->type[0], from = (enum ptx_type)p->type[p->type_count - 1];
    bool wide = ptx_has(p, PTX_M_WIDE),
         whole = ptx_type_kind(t) != 'f' && ptx_type_kind(from) != 'f';
    switch (p->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MOV: return whole && ptx_type_bytes(t) == 8;
    case PTX_OP_SHL:
        return ptx_type_bytes(t) == 8 && p->operand[2].kind == PTX_O_INT && p->operand[2].imm < 64;
    case PTX_OP_MUL:
    case PTX_OP_MAD: return whole && ptx_type_bytes(t) == (wide ? 4 : 8);
    case PTX_OP_CVT:
        return whole && p->operand_count == 2 && p->type_count == 2 && ptx_type_bytes(t) == 8 &&
               ptx_type_bytes(from) == 4;
    case PTX_OP_CVTA:
        return !ptx_has(p, PTX_M_TO) &&
               (p->space == PTX_SPACE_GLOBAL || p->space == PTX_SPACE_SHARED);
    default: return false;
    }
}

static LLVMValueRef
back_insn(struct back *k)
{
    struct core *c = k->c;
    const struct ptx_insn *p = &k->i->i;
    bool wide = ptx_has(p, PTX_M_WIDE);
    if (!hands_on(p))
        return NULL;
    LLVMValueRef x = back_operand(k, 1, wide || p->op == PTX_OP_CVT), z;
    if (!x || p->op == PTX_OP_CVT || p->op == PTX_OP_MOV)
        return x;
    if (p->op == PTX_OP_CVTA)
        return p->space == PTX_SPACE_GLOBAL ? x
                                            : each(k, LLVMAdd, x, spread(c, c->in.shared, 1, k->n));
    LLVMValueRef y = back_operand(k, 2, wide);
    if (!y)
        return NULL;
    switch (p->op) {
    case PTX_OP_ADD: return each(k, LLVMAdd, x, y);
    case PTX_OP_SUB: return each(k, LLVMSub, x, y);
    case PTX_OP_SHL: return each(k, LLVMShl, x, y);
    case PTX_OP_MUL: return each(k, LLVMMul, x, y);
    default:
        z = back_operand(k, 3, false);
        return z ? each(k, LLVMAdd, each(k, LLVMMul, x, y), z) : NULL;
    }
}

/* By comparing what the lanes hold. */
static LLVMValueRef
back_compare(struct back *k, uint32_t reg)
{
    struct core *c = k->c;
    LLVMBuilderRef b = c->e.b;
    const struct fact *f = &c->facts->reg[reg];
    unsigned segment = LANES / k->n;
    LLVMValueRef v = core_read_lanes(c, reg), at[LANES], back[LANES];
    int32_t pattern[LANES];
    for (unsigned l = 0; l < LANES; l++)
        pattern[l] = guess_relative(f, l, segment);
    for (unsigned g = 0; g < k->n; g++) {
        at[g] = core_i32(c, (g + 1) * segment - 1);
        back[g] = core_i64(c, (uint64_t) - (int64_t)pattern[(g + 1) * segment - 1]);
    }
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(v));
    LLVMValueRef last = k->n == 1
                            ? LLVMBuildExtractElement(b, v, at[0], "")
                            : LLVMBuildShuffleVector(b, v, none, LLVMConstVector(at, k->n), "");
    last = LLVMBuildAdd(b, last, constants(k->n, back), "");
    LLVMValueRef expected =
        LLVMBuildAdd(b, spread(c, last, k->n, LANES), core_pattern(c, pattern, 64), "");
    k->strays = LLVMBuildICmp(b, LLVMIntNE, expected, v, "");
    return last;
}

void
split_write(struct core *c, const struct wir_insn *i, uint32_t reg)
{
    if (!c->regs.guess[reg].back)
        return;
    struct back k = {.c = c, .i = i, .n = split_segments(c, reg)}, fresh;
    k.strays = LLVMConstNull(core_vector(c, 1));
    k.wrapped = LLVMConstNull(core_scalar(c, 1));
    fresh = k;
    LLVMValueRef back = i ? back_insn(&k) : NULL;
    if (!back) {
        k = fresh;
        back = back_compare(&k, reg);
    }
    LLVMBuildStore(c->e.b, back, c->regs.guess[reg].back);
    LLVMBuildStore(c->e.b, k.strays, c->regs.guess[reg].strays);
    LLVMBuildStore(c->e.b, k.wrapped, c->regs.guess[reg].wrapped);
}

/* -- what is selected -------------------------------------------------------------------------- */

static bool
is_shared(const struct core *c, const struct wir_insn *load, uint32_t reg)
{
    const struct wir_insn *made =
        wir_maker_before(c->wir, c->now.current, reg, wir_index(c->wir, load));
    return load->i.space == PTX_SPACE_SHARED ||
           (made && made->i.op == PTX_OP_CVTA && made->i.space == PTX_SPACE_SHARED);
}

static void
add_part(struct split *s, uint32_t reg, LLVMValueRef mask, LLVMBuilderRef b)
{
    for (unsigned k = 0; k < s->count; k++)
        if (s->part[k].reg == reg) {
            s->part[k].mask = LLVMBuildOr(b, s->part[k].mask, mask, "");
            s->part[k].some[0] = s->part[k].some[1] = NULL;
            s->part[k].lanes = 0;
            return;
        }
    s->part[s->count++] = (struct split_part){.reg = reg, .mask = mask};
}

/* Finds the registers that are selected in the end, and their lanes. before: where to look for the
 * writer; end: the load. */
static void
take_apart(struct core *c, struct split *s, uint32_t reg, LLVMValueRef mask, uint32_t before,
           uint32_t end)
{
    LLVMBuilderRef b = c->e.b;
    const struct wir_insn *i = plan_select_before(c->wir, c->now.current, reg, before, end);
    if (!i) {
        add_part(s, reg, mask, b);
        return;
    }
    uint32_t n = wir_index(c->wir, i);
    const struct ptx_operand *o = i->i.operand;
    LLVMValueRef p = core_value(c, i, &o[3], 1, false), half[2];
    uint32_t first = s->count, lanes = 0;
    bool rows = core_rows(c, o[3].reg, n, end, half, &lanes);
    bool sure = rows && c->now.version.assume & ASSUME_ROWS &&
                core_plan(c, &c->wir->insns[end])->way[0].test == PLAN_ALWAYS;
    if (sure)
        p = emit_bits_to_mask(&c->e, core_i32(c, lanes));
    for (unsigned g = 0; rows && g < 2; g++) {
        half[g] = sure ? LLVMConstAllOnes(core_scalar(c, 1)) : half[g];
        s->rows = s->rows ? LLVMBuildAnd(b, s->rows, half[g], "") : half[g];
    }
    take_apart(c, s, o[1].reg, LLVMBuildAnd(b, mask, p, ""), n, end);
    if (s->count == first + 1 && rows) {
        memcpy(s->part[first].some, half, sizeof half);
        s->part[first].lanes = first == 0 && before == end && !core_mask(c) ? lanes : 0;
    }
    take_apart(c, s, o[2].reg, LLVMBuildAnd(b, mask, LLVMBuildNot(b, p, ""), ""), n, end);
}

/* The fact for segments of so many lanes. */
static void
in_segments(struct core *c, struct fact *f, unsigned segment)
{
    int32_t *pattern = ARENA_ARRAY((struct arena *)&c->facts->arena, int32_t, LANES);
    for (unsigned l = 0; l < LANES; l++)
        pattern[l] = guess_relative(f, l, segment);
    f->segment = (uint8_t)segment;
    f->pattern = pattern;
}

/* Its pattern, and the addresses of the segments' first lanes. */
static void
follow_part(struct core *c, const struct wir_insn *i, struct split_part *part, LLVMValueRef *strays,
            LLVMValueRef *wrapped)
{
    LLVMBuilderRef b = c->e.b;
    struct fact *f = &part->fact;
    *f = c->facts->reg[part->reg];
    part->shared = is_shared(c, i, part->reg);
    struct ptx_operand o = {.kind = PTX_O_REG, .reg = part->reg};
    if (!f->guess) {
        part->firsts = core_firsts(c, i, &o, 64, LANES / f->segment);
        return;
    }
    unsigned n = split_segments(c, part->reg);
    in_segments(c, f, LANES / n);
    f->guess = false;
    part->firsts = LLVMBuildLoad2(b, emit_type_at(&c->e, core_scalar(c, 64), n),
                                  c->regs.guess[part->reg].back, "");
    LLVMValueRef own = LLVMBuildLoad2(b, core_vector(c, 1), c->regs.guess[part->reg].strays, "");
    *strays = LLVMBuildOr(b, *strays, LLVMBuildAnd(b, own, part->mask, ""), "");
    own = LLVMBuildLoad2(b, core_scalar(c, 1), c->regs.guess[part->reg].wrapped, "");
    *wrapped = LLVMBuildOr(b, *wrapped, own, "");
}

void
core_split(struct core *c, const struct wir_insn *i, const struct ptx_operand *o, struct split *s)
{
    uint32_t at = wir_index(c->wir, i);
    *s = (struct split){.count = 0};
    take_apart(c, s, o->reg, core_all_lanes(c), at, at);
    LLVMValueRef strays = LLVMConstNull(core_vector(c, 1)),
                 wrapped = LLVMConstNull(core_scalar(c, 1));
    for (unsigned k = 0; k < s->count; k++)
        follow_part(c, i, &s->part[k], &strays, &wrapped);
    s->fine =
        LLVMBuildICmp(c->e.b, LLVMIntEQ, emit_mask_to_bits(&c->e, strays), core_i32(c, 0), "");
    s->fine = LLVMBuildAnd(c->e.b, s->fine, LLVMBuildNot(c->e.b, wrapped, ""), "");
}
