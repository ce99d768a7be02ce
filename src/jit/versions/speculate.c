/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/speculate.c: the way that warps take inside of an array.
 *
 *     if (i - 4 >= 0 && i - 4 < n)  sum += taps[0] * in[i - 4];
 *     if (i - 3 >= 0 && i - 3 < n)  sum += taps[1] * in[i - 3];
 *     ...
 *
 * are nine conditions, of which each is tested for all warps that run together
 * (versions/interleave.c, values/agree.c).
 *
 * Numbers compared here are sums of products (analysis/products.c) of what registers were when the
 * first of these branches came, whose least and greatest lanes are known. So what all of the
 * conditions ask of the registers is worked out before the kernel runs: bounds of each, and of the
 * difference of two sums. Where they hold, the branches are nothing and no 32-bit number wraps: the
 * blocks are emitted once more in a row, their addresses as 64-bit sums of those registers.
 * Elsewhere the warps part.
 *
 * What was computed before a loop and kept in vectors, such as y * n + x, is found again as a sum
 * of registers that are scalars; one that nobody keeps there is computed once more in front of the
 * test.
 */
#include "jit/versions/versions.h"

#include "jit/insn/insn.h"

/* -- what registers hold ----------------------------------------------------------------------- */

static void
forget_results(const struct core *c, struct speculation *s, uint32_t n)
{
    struct span defs = wir_defs(c->wir, n);
    for (uint32_t k = 0; k < defs.count; k++) {
        uint32_t r = defs.at[k];
        s->index[r].known = s->wide_of[r].index.known = false;
        s->test_of[r] = SPECULATION_NOTHING;
    }
}

static bool
is_word(enum ptx_type t)
{
    char kind = ptx_type_kind(t);
    return ptx_type_bytes(t) == 4 && (kind == 's' || kind == 'u' || kind == 'b');
}

static struct index
index_of(const struct speculation *s, const struct ptx_operand *o)
{
    if (o->kind == PTX_O_INT)
        return index_number((int32_t)o->imm);
    if (o->kind != PTX_O_REG || o->negated || o->part)
        return (struct index){.known = false};
    return s->index[o->reg];
}

/* One register and a number. */
static bool
is_simple(const struct index *x)
{
    unsigned others = 0;
    for (unsigned k = 0; k < x->count; k++)
        others += x->term[k].x == PTX_NO_REG                            ? 0
                  : x->term[k].y != PTX_NO_REG || x->term[k].times != 1 ? 2
                                                                        : 1;
    return others <= 1;
}

/* The result of an instruction on 32-bit numbers. */
static struct index
sum_of_products(const struct speculation *s, const struct ptx_insn *p)
{
    const struct index none = {.known = false};
    struct index in[3] = {none, none, none};
    if (p->guard != PTX_NO_REG || p->operand_count < 2 || p->operand_count > 4 ||
        p->type_count != 1 || !is_word((enum ptx_type)p->type[0]) || ptx_has(p, PTX_M_SAT) ||
        ptx_has(p, PTX_M_CC) || ptx_has(p, PTX_M_HI) || ptx_has(p, PTX_M_WIDE))
        return none;
    for (unsigned k = 1; k < p->operand_count; k++)
        in[k - 1] = index_of(s, &p->operand[k]);
    switch (p->op) {
    case PTX_OP_MOV: return p->operand_count == 2 ? in[0] : none;
    case PTX_OP_ADD:
    case PTX_OP_SUB: return index_sum(&in[0], &in[1], p->op == PTX_OP_ADD ? 1 : -1);
    case PTX_OP_MUL:
    case PTX_OP_MAD:
        in[0] = index_product(&in[0], &in[1]);
        return p->op == PTX_OP_MUL ? in[0] : index_sum(&in[0], &in[2], 1);
    case PTX_OP_SHL:
        if (p->operand[2].kind != PTX_O_INT || p->operand[2].imm > 16)
            return none;
        in[1] = index_number(1 << p->operand[2].imm);
        return index_product(&in[0], &in[1]);
    default: return none;
    }
}

static struct index
index_made(const struct speculation *s, const struct ptx_insn *p)
{
    struct index r = sum_of_products(s, p);
    r.known = r.known && (s->products || is_simple(&r));
    return r;
}

/* -- along the way ----------------------------------------------------------------------------- */

/* x < y and its like. */
static bool
comparison(const struct speculation *s, const struct ptx_insn *p, struct speculation_predicate *t)
{
    const struct index none = {.known = false};
    char kind = ptx_type_kind((enum ptx_type)p->type[0]);
    bool lower = ptx_has(p, PTX_M_LO) || ptx_has(p, PTX_M_LS) || ptx_has(p, PTX_M_HI) ||
                 ptx_has(p, PTX_M_HS);
    bool strict = ptx_has(p, PTX_M_LT) || ptx_has(p, PTX_M_LO) || ptx_has(p, PTX_M_GT) ||
                  ptx_has(p, PTX_M_HI);
    t->x = p->operand_count == 3 ? index_of(s, &p->operand[1]) : none;
    t->y = p->operand_count == 3 ? index_of(s, &p->operand[2]) : none;
    t->less = ptx_has(p, PTX_M_LT) || ptx_has(p, PTX_M_LE) || ptx_has(p, PTX_M_LO) ||
              ptx_has(p, PTX_M_LS);
    t->equal = !strict;
    t->is_unsigned = kind == 'u' || lower;
    t->apart = ptx_has(p, PTX_M_NE) || ptx_has(p, PTX_M_EQ);
    t->equal = t->apart ? ptx_has(p, PTX_M_EQ) : t->equal;
    bool greater = t->apart || ptx_has(p, PTX_M_GE) || ptx_has(p, PTX_M_HS) ||
                   ptx_has(p, PTX_M_GT) || ptx_has(p, PTX_M_HI);
    return (t->less || greater) && (kind == 's' || kind == 'u') &&
           ptx_type_bytes((enum ptx_type)p->type[0]) == 4 && p->type_count == 1 &&
           p->operand_count == 3 && !ptx_has(p, PTX_M_AND) && !ptx_has(p, PTX_M_OR) &&
           !ptx_has(p, PTX_M_XOR) && t->x.known && t->y.known;
}

static int
test_in(const struct speculation *s, const struct ptx_operand *o)
{
    return o->kind == PTX_O_REG && !o->negated ? s->test_of[o->reg] : SPECULATION_NOTHING;
}

/* The predicate that i writes; SPECULATION_NOTHING: not known. */
static int
test_made(const struct core *c, struct speculation *s, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    struct speculation_predicate t = {.op = (enum ptx_op)p->op,
                                      .in = {SPECULATION_NOTHING, SPECULATION_NOTHING}};
    if (p->guard != PTX_NO_REG || !p->operand_count || p->operand[0].kind != PTX_O_REG ||
        s->test_count == SPECULATION_TESTS || core_reg_bits(c, p->operand[0].reg) != 1)
        return SPECULATION_NOTHING;
    switch (p->op) {
    case PTX_OP_SETP:
        if (!comparison(s, p, &t))
            return SPECULATION_NOTHING;
        break;
    case PTX_OP_AND:
    case PTX_OP_OR:
        t.in[1] = test_in(s, &p->operand[2]);
        if (t.in[1] == SPECULATION_NOTHING)
            return SPECULATION_NOTHING;
        /* fall through */
    case PTX_OP_NOT:
        t.in[0] = test_in(s, &p->operand[1]);
        if (t.in[0] == SPECULATION_NOTHING)
            return SPECULATION_NOTHING;
        break;
    default: return SPECULATION_NOTHING;
    }
    s->test[s->test_count] = t;
    return (int)s->test_count++;
}

static bool
is_whole(enum ptx_type t)
{
    return ptx_type_kind(t) == 's' || ptx_type_kind(t) == 'u';
}

static bool
has_lanes(const struct index *x)
{
    bool some = false;
    for (unsigned k = 0; k < x->count; k++)
        some |= x->term[k].scale != 0;
    return some;
}

/* A 32-bit number is widened, on which an address depends: none of its lanes may wrap. */
static void
ask_wide(const struct core *c, struct speculation *s, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    struct speculation_widened *w = &s->wide[i - c->wir->insns];
    w->index.known = false;
    if (!guess_widens(c, i) || p->op == PTX_OP_MAD || p->operand[1].kind != PTX_O_REG ||
        core_source_bits(c, p, 0) != 32 || !is_whole((enum ptx_type)p->type[0]) ||
        !is_whole((enum ptx_type)p->type[p->type_count - 1]) ||
        (p->op != PTX_OP_CVT && p->operand[2].kind != PTX_O_INT))
        return; /* tested where it is widened, as elsewhere */
    struct index x = index_of(s, &p->operand[1]);
    int64_t times = 1;
    if (p->op != PTX_OP_CVT)
        times = speculation_is_unsigned(p) ? (int64_t)(uint32_t)p->operand[2].imm
                                           : (int64_t)(int32_t)p->operand[2].imm;
    if (!x.known || times < -4096 || times > 4096 || !has_lanes(&x))
        return;
    const struct speculation before = *s;
    if (speculation_ask_exact(c, s, &x, speculation_is_unsigned(p)))
        *w = (struct speculation_widened){x, times, 0};
    else
        *s = before;
}

/* An address: something that the warp's lanes agree on, and what such a number became. */
static void
see_base(const struct core *c, struct speculation *s, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    if (p->op != PTX_OP_ADD || p->guard != PTX_NO_REG || p->operand_count != 3 ||
        p->operand[0].kind != PTX_O_REG || p->operand[1].kind != PTX_O_REG ||
        p->operand[2].kind != PTX_O_REG || ptx_has(p, PTX_M_CC) ||
        core_reg_bits(c, p->operand[0].reg) != 64)
        return;
    for (unsigned k = 1; k <= 2; k++) {
        const struct speculation_widened *w = &s->wide_of[p->operand[k].reg];
        uint32_t base = p->operand[3 - k].reg;
        if (w->index.known && !w->base && core_reg_scalar(c, base) &&
            fact_uniform(&c->facts->reg[base])) {
            s->wide[i - c->wir->insns] = *w;
            s->wide[i - c->wir->insns].base = 3 - k;
        }
    }
}

/* A parameter of the kernel, in a register that nothing else writes. */
static bool
is_early(const struct core *c, const struct speculation *s, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    if (p->op != PTX_OP_LD || p->space != PTX_SPACE_PARAM || p->guard != PTX_NO_REG ||
        p->operand[0].kind != PTX_O_REG)
        return false;
    uint32_t r = p->operand[0].reg;
    return wir_only_writer(c->wir, r) == i && c->regions->known->fixed[r] &&
           core_reg_bits(c, r) == 32 && s->early_count < SPECULATION_EARLY;
}

/* The instructions of a block of the way. */
static void
see_block(const struct core *c, struct speculation *s, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    for (uint32_t n = 0; n < blk->count; n++) {
        const struct wir_insn *i = &c->wir->insns[blk->first + n];
        ask_wide(c, s, i);
        see_base(c, s, i);
        struct index index = index_made(s, &i->i);
        int test = test_made(c, s, i);
        forget_results(c, s, blk->first + n);
        if (!i->i.operand_count || i->i.operand[0].kind != PTX_O_REG)
            continue;
        uint32_t to = i->i.operand[0].reg;
        if (is_early(c, s, i)) {
            s->early[s->early_count++] = i;
            index = index_register(c->regions->known, to);
        }
        s->index[to] = index;
        s->test_of[to] = test;
        s->wide_of[to] = s->wide[blk->first + n];
    }
}

/* Where the way goes on from block b; UINT32_MAX: it ends. */
static uint32_t
next_block(const struct core *c, struct speculation *s, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    if (blk->end == WIR_JUMP)
        return blk->succ[0];
    if (blk->end != WIR_BRANCH || warps_agree(c->regions->known, b))
        return UINT32_MAX;
    for (uint32_t k = 0; k < 2; k++) { /* where something is done that other lanes do not do */
        uint32_t to = blk->succ[k];
        if (to == blk->ipdom || (c->wir->blocks[to].end == WIR_EXIT && !c->wir->blocks[to].count))
            continue;
        if (!speculation_ask(c, s, s->test_of[blk->guard], (k == 0) != blk->guard_negated))
            return UINT32_MAX;
        s->branches++;
        return to;
    }
    return UINT32_MAX;
}

static bool
may_follow(const struct core *c, const struct speculation *s, uint32_t to)
{
    const struct wir *f = c->wir;
    uint32_t loop = f->blocks[to].loop;
    for (uint32_t k = 0; k < s->count; k++)
        if (s->block[k] == to)
            return false;
    return s->count < SPECULATION_BLOCKS && loop == f->blocks[s->block[0]].loop &&
           (loop == UINT32_MAX || f->loops[loop].head != to);
}

/* Before the way begins: what register r was is lost. */
static void
lose_root(const struct core *c, struct speculation *s, uint32_t r)
{
    for (uint32_t k = 0; k < c->wir->reg_count; k++)
        s->index[k].known &= !index_has(&s->index[k], r);
    for (uint32_t k = 0; k < s->test_count; k++)
        if (index_has(&s->test[k].x, r) || index_has(&s->test[k].y, r))
            s->test[k].op = PTX_OP_NONE;
}

static void
lose_results(const struct core *c, struct speculation *s, uint32_t n)
{
    struct span defs = wir_defs(c->wir, n);
    for (uint32_t k = 0; k < defs.count; k++) {
        uint32_t r = defs.at[k];
        lose_root(c, s, r);
        s->index[r] = index_register(c->regions->known, r);
        s->test_of[r] = SPECULATION_NOTHING;
    }
}

/* What instruction n writes: a register that is kept as a scalar is one of its own, unless it is
 * another one and a number. */
static void
note_result(struct speculation *s, const struct ptx_insn *p, const struct index *index, int test)
{
    if (!p->operand_count || p->operand[0].kind != PTX_O_REG)
        return;
    uint32_t to = p->operand[0].reg;
    if (index->known && !index_has(index, to) && (is_simple(index) || !s->index[to].known))
        s->index[to] = *index;
    s->test_of[to] = test;
}

/* Registers that are written once, of others like that: what they are does not change on the way.
 * Those that are kept as scalars are left as they are. */
static void
see_fixed(const struct core *c, struct speculation *s)
{
    const struct wir *f = c->wir;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *p = &f->insns[n].i;
        uint32_t to =
            p->operand_count && p->operand[0].kind == PTX_O_REG ? p->operand[0].reg : PTX_NO_REG;
        if (to == PTX_NO_REG || !c->regions->known->fixed[to] || s->index[to].known)
            continue;
        struct index index = index_made(s, p);
        note_result(s, p, &index, test_made(c, s, &f->insns[n]));
    }
}

/* The block at whose end the way begins: what it writes may be what others are sums of. */
static void
begin(const struct core *c, struct speculation *s, uint32_t b)
{
    const struct wir_block *blk = &c->wir->blocks[b];
    s->block[0] = b;
    s->count = 1;
    for (uint32_t r = 0; r < c->wir->reg_count; r++) {
        s->index[r] = index_register(c->regions->known, r);
        s->test_of[r] = SPECULATION_NOTHING;
    }
    see_fixed(c, s);
    for (uint32_t n = 0; n < blk->count; n++) {
        const struct wir_insn *i = &c->wir->insns[blk->first + n];
        struct index index = index_made(s, &i->i);
        int test = test_made(c, s, i);
        lose_results(c, s, blk->first + n);
        note_result(s, &i->i, &index, test);
    }
}

struct speculation *
speculation_new(const struct core *c, uint32_t b)
{
    const struct wir *f = c->wir;
    struct speculation *s = ls_alloc(sizeof *s), asked;
    s->test_of = ls_alloc(sizeof *s->test_of * (f->reg_count + 1));
    s->test = ls_alloc(sizeof *s->test * SPECULATION_TESTS);
    s->index = ls_alloc(sizeof *s->index * (f->reg_count + 1));
    s->wide_of = ls_alloc(sizeof *s->wide_of * (f->reg_count + 1));
    s->wide = ls_alloc(sizeof *s->wide * (f->insn_count + 1));
    s->products = emit_on(&c->e, PASS_INDEX_PRODUCTS);
    begin(c, s, b);
    for (;;) {
        asked = *s; /* what a step asks for in vain is taken back */
        uint32_t to = next_block(c, s, s->block[s->count - 1]);
        if (to == UINT32_MAX || !may_follow(c, s, to))
            break;
        see_block(c, s, to);
        s->block[s->count++] = to;
    }
    *s = asked;
    bool pays = s->branches >= SPECULATION_LEAST || (s->branches && speculation_products(s));
    if (pays && s->bound_count)
        return s;
    speculation_free(s);
    return NULL;
}

void
speculation_free(struct speculation *s)
{
    if (!s)
        return;
    ls_release(s->test_of);
    ls_release(s->test);
    ls_release(s->index);
    ls_release(s->wide_of);
    ls_release(s->wide);
    ls_release(s);
}

/* -- emitting ---------------------------------------------------------------------------------- */

static LLVMValueRef
test_bound(struct core *c, const struct speculation_bound *x)
{
    if (x->least == INT32_MIN && x->most == INT32_MAX)
        return LLVMConstInt(core_scalar(c, 1), 1, false);
    LLVMValueRef above = LLVMBuildSub(c->e.b, x->value, core_i64(c, (uint64_t)x->least), "");
    LLVMValueRef room = core_i64(c, (uint64_t)(x->most - x->least));
    return LLVMBuildICmp(c->e.b, LLVMIntULE, above, room, "");
}

/* The least and the greatest of such sums are within the bounds. */
static LLVMValueRef
test_wide(struct core *c, struct speculation *s, const struct speculation_wide_bound *w)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef low = core_i64(c, 0), high = core_i64(c, 0),
                 fine = LLVMConstInt(core_scalar(c, 1), 1, false);
    for (unsigned k = 0; k < w->count; k++) {
        const struct index_term *t = &w->term[k];
        low = LLVMBuildAdd(b, low, speculation_term_value(c, s, t, w->low[k]), "");
        high = LLVMBuildAdd(b, high, speculation_term_value(c, s, t, w->high[k]), "");
        if (w->low[k] == w->high[k] || t->x == PTX_NO_REG)
            continue;
        LLVMValueRef sign = speculation_root_value(s, t->x); /* of none of both */
        sign =
            t->y == PTX_NO_REG ? sign : LLVMBuildOr(b, sign, speculation_root_value(s, t->y), "");
        fine = LLVMBuildAnd(b, fine, LLVMBuildICmp(b, LLVMIntSGE, sign, core_i64(c, 0), ""), "");
    }
    if (w->least != INT64_MIN)
        fine = LLVMBuildAnd(
            b, fine, LLVMBuildICmp(b, LLVMIntSGE, low, core_i64(c, (uint64_t)w->least), ""), "");
    return LLVMBuildAnd(b, fine,
                        LLVMBuildICmp(b, LLVMIntSLE, high, core_i64(c, (uint64_t)w->most), ""), "");
}

/* i1: all that the way asks for. */
LLVMValueRef
speculation_test(struct core *c, struct speculation *s)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef fine = LLVMConstInt(core_scalar(c, 1), 1, false);
    const struct wir_insn *i = &c->wir->insns[c->wir->blocks[s->block[0]].end_insn];
    for (uint32_t k = 0; k < s->early_count; k++)
        if (!core_insn(c, s->early[k]))
            return NULL;
    for (uint32_t k = 0; k < s->bound_count; k++) {
        struct speculation_bound *x = &s->bound[k];
        const struct ptx_operand o = {.kind = PTX_O_REG, .reg = x->root};
        x->value = LLVMBuildSExt(b, core_value(c, i, &o, 32, true), core_scalar(c, 64), "");
        fine = LLVMBuildAnd(b, fine, test_bound(c, x), "");
    }
    for (uint32_t k = 0; k < s->wide_count; k++)
        fine = LLVMBuildAnd(b, fine, test_wide(c, s, &s->wide_bound[k]), "");
    return fine;
}

uint32_t
speculation_branches(const struct speculation *s)
{
    return s->branches;
}

uint32_t
speculation_products(const struct speculation *s)
{
    uint32_t products = 0;
    for (uint32_t k = 0; k < s->wide_count; k++) {
        bool has = false;
        for (unsigned n = 0; n < s->wide_bound[k].count; n++)
            has |= s->wide_bound[k].term[n].y != PTX_NO_REG;
        products += has;
    }
    return products;
}

uint32_t
speculation_block(const struct speculation *s, uint32_t k)
{
    return k < s->count ? s->block[k] : UINT32_MAX;
}
