/* SPDX-License-Identifier: Apache-2.0
 *
 * transfer.c: what one instruction does to what is known of its operands. The rule behind it: a
 * result kept as a scalar is the instruction applied to lane 0's operands, so for every instruction
 * only the pattern of the other lanes has to be found here.
 */
#include "analysis/facts_priv.h"

#include <string.h>

/* -- integer instructions ---------------------------------------------------------------------- */

static bool
both_known(const struct fact *a, const struct fact *b)
{
    return a->kind == FACT_SCALAR && b->kind == FACT_SCALAR && a->known && b->known;
}

static void
sum_bounds(struct fact *f, const struct fact *a, const struct fact *b, int sign, unsigned bits)
{
    int64_t low, high;
    bool ok = a->bounded && b->bounded;
    ok &= sign > 0 ? !__builtin_add_overflow(a->low, b->low, &low)
                   : !__builtin_sub_overflow(a->low, b->high, &low);
    ok &= sign > 0 ? !__builtin_add_overflow(a->high, b->high, &high)
                   : !__builtin_sub_overflow(a->high, b->low, &high);
    fact_set_bounds(f, ok, low, high, bits);
}

static struct fact
add_segments(struct facts *fs, const struct fact *a, const struct fact *b, int sign, unsigned bits)
{
    unsigned s = a->segment < b->segment ? a->segment : b->segment;
    struct fact f = {.kind = FACT_SCALAR, .segment = (uint8_t)s};
    if (s == 1) {
        f = fact_nothing();
        sum_bounds(&f, a, b, sign, bits);
        return f;
    }
    if (a->kind == FACT_VECTOR || b->kind == FACT_VECTOR)
        f.kind = FACT_VECTOR;
    fact_set_guess(&f, a, b);
    f.align = fact_align_within(a, s) < fact_align_within(b, s) ? fact_align_within(a, s)
                                                                : fact_align_within(b, s);
    int64_t p[LANES], q[LANES];
    fact_relative(a, s, p);
    fact_relative(b, s, q);
    for (unsigned l = 0; l < LANES; l++)
        p[l] += sign * q[l];
    if (!fact_set_pattern(fs, &f, p)) {
        struct fact in[2] = {*a, *b};
        return fact_elementwise(in, 2);
    }
    sum_bounds(&f, a, b, sign, bits);
    if (both_known(a, b) && f.bounded) {
        f.known = true;
        f.base = sign > 0 ? a->base + b->base : a->base - b->base;
    }
    return f;
}

static struct fact
add(struct facts *fs, const struct fact *a, const struct fact *b, int sign, unsigned bits)
{
    if (a->kind == FACT_NONE || b->kind == FACT_NONE)
        return (struct fact){0};
    struct fact f = add_segments(fs, a, b, sign, bits);
    fact_add_threads(fs, &f, a, b, sign);
    return f;
}

static struct fact
scale(struct facts *fs, const struct fact *a, int64_t c, unsigned bits)
{
    if (a->kind == FACT_NONE)
        return *a;
    struct fact f = *a;
    int64_t p[LANES];
    if (c > PATTERN_LIMIT || c < -PATTERN_LIMIT)
        return fact_elementwise(a, 1);
    for (unsigned l = 0; l < LANES; l++)
        p[l] = fact_pattern_at(a, l) * c;
    if (!fact_set_pattern(fs, &f, p))
        return fact_elementwise(a, 1);
    unsigned align = f.align + fact_zeros(c);
    f.align = (uint8_t)(align > 62 ? 62 : align);
    int64_t low = 0, high = 0;
    bool ok = a->bounded && !__builtin_mul_overflow(c < 0 ? a->high : a->low, c, &low) &&
              !__builtin_mul_overflow(c < 0 ? a->low : a->high, c, &high);
    fact_set_bounds(&f, ok, low, high, bits);
    f.known = a->known && f.bounded;
    f.base = a->base * c;
    int64_t by[3] = {a->by[0] * c, a->by[1] * c, a->by[2] * c};
    if (f.threads)
        fact_set_threads(&f, by);
    return f;
}

static struct fact
multiply(struct facts *fs, const struct fact *a, const struct fact *b, unsigned bits)
{
    if (b->kind == FACT_SCALAR && b->known && !b->pattern)
        return scale(fs, a, b->base, bits);
    if (a->kind == FACT_SCALAR && a->known && !a->pattern)
        return scale(fs, b, a->base, bits);
    struct fact in[2] = {*a, *b};
    return fact_elementwise(in, 2);
}

/* Widening: exact where no lane can have wrapped; else the pattern is a guess. */
static struct fact
extend(const struct fact *a, bool is_signed)
{
    struct fact f = *a;
    if (f.kind == FACT_NONE || (f.segment == 1 && !f.bounded))
        return f.kind == FACT_NONE ? f : fact_nothing();
    bool exact = f.bounded && (is_signed || f.low >= 0);
    if (!exact) {
        f.bounded = false;
        f.known = false;
        f.threads = false;
        if (f.pattern) {
            f.sure = (uint8_t)fact_agreeing(a);
            f.kind = FACT_VECTOR;
            f.guess = true;
        }
    }
    return f;
}

static uint64_t
width_mask(unsigned bits)
{
    return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

/* Constant operands: lane by lane. False when the operation is not one of these. */
static bool
fold(enum ptx_op op, bool is_signed, unsigned bits, int64_t a, int64_t b, int64_t *out)
{
    uint64_t m = width_mask(bits), x = (uint64_t)a & m, y = (uint64_t)b & m, r;
    switch (op) {
    case PTX_OP_AND: r = x & y; break;
    case PTX_OP_OR: r = x | y; break;
    case PTX_OP_XOR: r = x ^ y; break;
    case PTX_OP_SHL: r = y >= bits ? 0 : x << y; break;
    case PTX_OP_SHR:
        if (is_signed && a < 0)
            return false;
        r = y >= bits ? 0 : x >> y;
        break;
    case PTX_OP_DIV:
    case PTX_OP_REM:
        if (a < 0 || b <= 0)
            return false;
        r = op == PTX_OP_DIV ? x / y : x % y;
        break;
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        if (a < 0 || b < 0)
            return false;
        r = (x < y) == (op == PTX_OP_MIN) ? x : y;
        break;
    default: return false;
    }
    r &= m;
    *out = bits < 64 && r >> (bits - 1) ? (int64_t)(r | ~m) : (int64_t)r;
    return true;
}

static bool
fold_lanes(struct facts *fs, const struct wir_insn *i, const struct fact *a, const struct fact *b,
           unsigned bits, struct fact *out)
{
    bool is_signed = ptx_type_kind((enum ptx_type)i->i.type[0]) == 's';
    int64_t v[LANES];
    if (!both_known(a, b))
        return false;
    for (unsigned l = 0; l < LANES; l++)
        if (!fold((enum ptx_op)i->i.op, is_signed, bits, a->base + fact_pattern_at(a, l),
                  b->base + fact_pattern_at(b, l), &v[l]))
            return false;
    *out = fact_of_lanes(fs, v);
    return true;
}

/* Zero bits at the bottom of every lane's value. */
static unsigned
low_zeros(const struct fact *a)
{
    unsigned z = a->align;
    for (unsigned l = 0; l < LANES; l++)
        if (fact_pattern_at(a, l) && fact_zeros(fact_pattern_at(a, l)) < z)
            z = fact_zeros(fact_pattern_at(a, l));
    return z;
}

static bool
pattern_below(const struct fact *a, int64_t limit)
{
    for (unsigned l = 0; l < LANES; l++)
        if (fact_pattern_at(a, l) < 0 || fact_pattern_at(a, l) >= limit)
            return false;
    return true;
}

/* x & mask and x >> shift where the scalar's low bits are known to be zero, and the pattern has no
 * others: they act on scalar and pattern apart. */
static bool
split_low_bits(struct facts *fs, const struct wir_insn *i, const struct fact *a,
               const struct fact *b, unsigned bits, struct fact *out)
{
    if (a->kind != FACT_SCALAR || a->known || !a->pattern || b->kind != FACT_SCALAR || !b->known ||
        b->pattern || a->align > 30 || !pattern_below(a, (int64_t)1 << a->align))
        return false;
    int64_t p[LANES], c = b->base;
    for (unsigned l = 0; l < LANES && i->i.op == PTX_OP_AND; l++)
        p[l] = fact_pattern_at(a, l) & c;
    if (i->i.op == PTX_OP_AND && c >= 0 && c < (int64_t)1 << a->align) {
        *out = fact_of_lanes(fs, p); /* of the scalar nothing is left */
        return true;
    }
    if (i->i.op == PTX_OP_AND) {
        *out = fact_uniform_value();
        fact_set_pattern(fs, out, p);
        out->align = fact_zeros(c) > a->align ? (uint8_t)fact_zeros(c) : a->align;
        fact_set_bounds(out, c >= 0, 0, c, bits);
        return true;
    }
    bool is_signed = ptx_type_kind((enum ptx_type)i->i.type[0]) == 's';
    if (i->i.op != PTX_OP_SHR || c < 0 || c > a->align || (is_signed && !a->bounded))
        return false;
    *out = fact_uniform_value();
    for (unsigned l = 0; l < LANES; l++)
        p[l] = fact_pattern_at(a, l) >> c;
    fact_set_pattern(fs, out, p);
    out->align = (uint8_t)(a->align - c);
    fact_set_bounds(out, a->bounded && a->low >= 0, a->low >> c, a->high >> c, bits);
    return true;
}

static struct fact
logic(struct facts *fs, const struct wir_insn *i, const struct fact in[2], unsigned bits)
{
    struct fact out;
    const struct fact *a = &in[0], *b = &in[1];
    if (a->kind == FACT_NONE || b->kind == FACT_NONE)
        return (struct fact){0};
    if (fold_lanes(fs, i, a, b, bits, &out) || split_low_bits(fs, i, a, b, bits, &out) ||
        (i->i.op == PTX_OP_AND && split_low_bits(fs, i, b, a, bits, &out)))
        return out;
    if (i->i.op == PTX_OP_OR || i->i.op == PTX_OP_XOR) { /* of bits that do not meet: an addition */
        for (int swap = 0; swap < 2; swap++) {
            const struct fact *x = &in[swap], *y = &in[1 - swap];
            unsigned z = low_zeros(x);
            if (y->bounded && y->low >= 0 && z < 62 && y->high < (int64_t)1 << z)
                return add(fs, x, y, 1, bits);
        }
    }
    if (i->i.op == PTX_OP_SHL && b->kind == FACT_SCALAR && b->known && !b->pattern &&
        b->base >= 0 && b->base < 28 && b->base < (int64_t)bits)
        return scale(fs, a, (int64_t)1 << b->base, bits);
    out = fact_elementwise(in, 2);
    if (i->i.op == PTX_OP_AND && b->known && !b->pattern && b->base >= 0)
        fact_set_bounds(&out, true, 0, b->base, bits);
    if (i->i.op == PTX_OP_SHR && b->known && b->base > 0 && b->base < (int64_t)bits &&
        ptx_type_kind((enum ptx_type)i->i.type[0]) != 's')
        fact_set_bounds(&out, true, 0, (int64_t)(width_mask(bits) >> b->base), bits);
    if (i->i.op == PTX_OP_REM && b->known && !b->pattern && b->base > 0 &&
        ptx_type_kind((enum ptx_type)i->i.type[0]) == 'u')
        fact_set_bounds(&out, true, 0, b->base - 1, bits);
    return out;
}

static struct fact
convert(struct facts *fs, const struct wir_insn *i, const struct fact *a)
{
    char to = ptx_type_kind((enum ptx_type)i->i.type[0]);
    char from = ptx_type_kind((enum ptx_type)i->i.type[1]);
    unsigned to_bits = 8 * ptx_type_bytes((enum ptx_type)i->i.type[0]);
    unsigned from_bits = 8 * ptx_type_bytes((enum ptx_type)i->i.type[1]);
    bool integers =
        (to == 'u' || to == 's' || to == 'b') && (from == 'u' || from == 's' || from == 'b');
    (void)fs;
    if (!integers || ptx_has(&i->i, PTX_M_SAT) || from_bits < 32 || to_bits < 32)
        return fact_elementwise(a, 1);
    if (to_bits > from_bits)
        return extend(a, from == 's');
    struct fact f = *a;
    if (to_bits < from_bits &&
        !(f.bounded && fact_fits(f.low, to_bits) && fact_fits(f.high, to_bits)))
        f.bounded = f.known = false;
    if (to_bits < from_bits &&
        f.guess) { /* a wrap is a multiple of 2^32, whatever was added since */
        f.guess = false;
        f.sure = 0;
        f.kind = f.segment == LANES ? FACT_SCALAR : FACT_VECTOR;
    }
    return f;
}

struct fact
facts_operand(const struct facts *f, const struct wir_insn *i, const struct ptx_operand *o)
{
    (void)i;
    switch (o->kind) {
    case PTX_O_REG: return f->reg[o->reg];
    case PTX_O_INT: return fact_constant((int64_t)o->imm);
    case PTX_O_SREG: return fact_special_of(f, (enum ptx_sreg)o->sreg);
    case PTX_O_VECTOR:
    case PTX_O_LIST:
    case PTX_O_PAIR:
    case PTX_O_TEX: {
        struct fact all = fact_uniform_value();
        for (uint32_t k = 0; k < o->count; k++) {
            struct fact in[2] = {all, facts_operand(f, i, &o->elements[k])};
            all = fact_elementwise(in, 2);
        }
        return all;
    }
    case PTX_O_ADDRESS: {
        struct fact base = o->base_kind == PTX_BASE_REG ? f->reg[o->reg] : fact_uniform_value();
        struct fact offset = fact_constant(o->offset);
        if (o->base_kind == PTX_BASE_VAR)
            base.align = fact_zeros(o->var->align);
        return add((struct facts *)f, &base, &offset, 1, 64);
    }
    case PTX_O_SYMBOL: {
        struct fact s = fact_uniform_value();
        if (o->var && !o->offset)
            s.align = fact_zeros(o->var->align);
        return s;
    }
    default: return fact_uniform_value();
    }
}

/* Loads: lanes with one address get one value. Local memory is each lane's own. */
static struct fact
load(struct facts *fs, const struct wir_insn *i)
{
    const struct ptx_operand *o = &i->i.operand[1];
    struct fact address = facts_operand(fs, i, o);
    if (o->kind != PTX_O_ADDRESS) /* a parameter slot in a register */
        return fact_elementwise(&address, 1);
    bool own = i->i.space == PTX_SPACE_LOCAL;
    if (i->i.space == PTX_SPACE_PARAM && o->base_kind == PTX_BASE_VAR && o->var->func &&
        fs->wir->vars[o->var->index].place != WIR_KERNEL_PARAM)
        own = true;
    if (own)
        return fact_nothing();
    struct fact f = fact_elementwise(&address, 1);
    f.known = f.bounded = false;
    f.align = 0;
    unsigned bytes = ptx_type_bytes((enum ptx_type)i->i.type[0]);
    if (f.kind != FACT_NONE && ptx_type_kind((enum ptx_type)i->i.type[0]) == 'u' && bytes <= 2)
        fact_set_bounds(&f, true, 0, (int64_t)width_mask(8 * bytes), 32);
    return f;
}

static struct fact
all_sources(struct facts *fs, const struct wir_insn *i, unsigned first)
{
    struct fact all = fact_uniform_value();
    for (unsigned k = first; k < i->i.operand_count; k++) {
        struct fact in[2] = {all, facts_operand(fs, i, &i->i.operand[k])};
        all = fact_elementwise(in, 2);
    }
    return all;
}

/* Bits of an instruction's operand n, 1 the first source. */
static unsigned
source_bits(const struct ptx_insn *p, unsigned n)
{
    unsigned bits =
        8 * ptx_type_bytes((enum ptx_type)p->type[p->op == PTX_OP_CVT && p->type_count > 1]);
    if (n == 2 && (p->op == PTX_OP_SHL || p->op == PTX_OP_SHR))
        return 32;
    return n == 3 && ptx_has(p, PTX_M_WIDE) ? 2 * bits : bits;
}

/* Values are known as signed numbers of the operand's width: 0xc0000000 of 32 bits is negative. */
static struct fact
source(struct facts *fs, const struct wir_insn *i, unsigned n)
{
    const struct ptx_operand *o = &i->i.operand[n];
    unsigned bits = o->kind == PTX_O_INT && i->i.type_count ? source_bits(&i->i, n) : 0;
    if (bits < 8 || bits > 32)
        return facts_operand(fs, i, o);
    uint64_t v = (uint64_t)o->imm & width_mask(bits);
    return fact_constant(v >> (bits - 1) ? (int64_t)(v | ~width_mask(bits)) : (int64_t)v);
}

static struct fact
select_fact(struct facts *fs, const struct wir_insn *i)
{
    struct fact p = facts_operand(fs, i, &i->i.operand[3]);
    struct fact a = source(fs, i, 1), b = source(fs, i, 2);
    if (p.kind == FACT_NONE || a.kind == FACT_NONE || b.kind == FACT_NONE)
        return (struct fact){0};
    if (fact_uniform(&p))
        return fact_join(fs, &a, &b);
    struct fact in[3] = {a, b, p}, out = fact_elementwise(in, 3);
    fact_set_bounds(&out, a.bounded && b.bounded, a.low < b.low ? a.low : b.low,
                    a.high > b.high ? a.high : b.high, 64);
    return out;
}

/* setp of whole numbers of which bounds are known: whether it holds in all lanes, or in none. -1:
 * not known. A thread's number below a number that no block of this shape reaches parts no lanes.
 */
static int
settled(const struct ptx_insn *p, const struct fact *a, const struct fact *b, bool is_signed)
{
    if (p->operand_count != 3 || p->operand[0].kind != PTX_O_REG || !a->bounded || !b->bounded ||
        (!is_signed && (a->low < 0 || b->low < 0)))
        return -1;
    bool below = a->high<b->low, above = a->low> b->high;
    bool no_above = a->high <= b->low, no_below = a->low >= b->high;
    if (ptx_has(p, PTX_M_LT))
        return below ? 1 : no_below ? 0 : -1;
    if (ptx_has(p, PTX_M_LE))
        return no_above ? 1 : above ? 0 : -1;
    if (ptx_has(p, PTX_M_GT))
        return above ? 1 : no_above ? 0 : -1;
    if (ptx_has(p, PTX_M_GE))
        return no_below ? 1 : below ? 0 : -1;
    return -1;
}

/* mul and mad of whole numbers, .wide too. */
static struct fact
multiply_add(struct facts *fs, const struct ptx_insn *p, const struct fact in[3], unsigned bits)
{
    struct fact a = in[0], b = in[1];
    if (ptx_has(p, PTX_M_WIDE)) {
        bool is_signed = ptx_type_kind((enum ptx_type)p->type[0]) == 's';
        a = extend(&a, is_signed);
        b = extend(&b, is_signed);
        bits *= 2;
    }
    struct fact product = multiply(fs, &a, &b, bits);
    return p->op == PTX_OP_MUL ? product : add(fs, &product, &in[2], 1, bits);
}

/* The mathematics of libdevice: lanes that agree in the arguments agree in the result. */
static struct fact
call(struct facts *fs, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *args = &p->operand[p->operand_count - 1];
    for (unsigned n = 0; n < p->operand_count; n++)
        if (p->operand[n].kind == PTX_O_FUNC && !strncmp(p->operand[n].func->name, "__nv_", 5) &&
            args->kind == PTX_O_LIST) {
            struct fact f = facts_operand(fs, i, args);
            return fact_elementwise(&f, 1);
        }
    return fact_nothing();
}

static struct fact
arithmetic(struct facts *fs, const struct wir_insn *i, const struct fact in[3], unsigned bits)
{
    const struct ptx_insn *p = &i->i;
    bool sum = p->op == PTX_OP_ADD || p->op == PTX_OP_SUB;
    if (!sum && p->op != PTX_OP_MUL && p->op != PTX_OP_MAD)
        return logic(fs, i, in, bits);
    if (ptx_has(p, PTX_M_SAT) || ptx_has(p, PTX_M_HI) || (ptx_has(p, PTX_M_WIDE) && bits < 32))
        return all_sources(fs, i, 1);
    return sum ? add(fs, &in[0], &in[1], p->op == PTX_OP_ADD ? 1 : -1, bits)
               : multiply_add(fs, p, in, bits);
}

struct fact
fact_transfer(struct facts *fs, const struct wir_insn *i, unsigned k,
              bool (*uniform_result)(const struct ptx_insn *, unsigned))
{
    const struct ptx_insn *p = &i->i;
    unsigned bits = p->type_count ? 8 * ptx_type_bytes((enum ptx_type)p->type[0]) : 32;
    char kind = p->type_count ? ptx_type_kind((enum ptx_type)p->type[0]) : 'b';
    bool integer = kind == 'u' || kind == 's' || kind == 'b';
    struct fact in[3] = {{0}};
    for (unsigned n = 0; n < 3 && n + 1 < p->operand_count; n++)
        in[n] = source(fs, i, n + 1);
    if (ptx_has(p, PTX_M_CC)) /* the carry flag is kept per lane */
        return fact_nothing();
    switch (p->op) {
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
    case PTX_OP_MADC: return fact_nothing();
    case PTX_OP_MOV:
        if (p->operand[0].kind == PTX_O_VECTOR || p->operand[1].kind == PTX_O_VECTOR)
            return fact_elementwise(in, 1);
        return in[0];
    case PTX_OP_CVTA:
        /* A local variable's generic address differs by lane, by a stride known only at launch. */
        if (p->space == PTX_SPACE_LOCAL || p->space2 == PTX_SPACE_LOCAL)
            return fact_nothing();
        in[0].bounded = in[0].known = false;
        in[0].align = in[0].align < 4 ? in[0].align : 4;
        return in[0];
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_DIV:
    case PTX_OP_REM:
    case PTX_OP_MIN:
    case PTX_OP_MAX: return integer ? arithmetic(fs, i, in, bits) : all_sources(fs, i, 1);
    case PTX_OP_CVT:
        if (p->operand_count > 2) /* two numbers into one register */
            return all_sources(fs, i, 1);
        return p->type_count == 2 ? convert(fs, i, &in[0]) : fact_elementwise(in, 1);
    case PTX_OP_LD:
    case PTX_OP_LDU: return load(fs, i);
    case PTX_OP_SETP: {
        int holds = integer && bits == 32 ? settled(p, &in[0], &in[1], kind == 's') : -1;
        if (holds < 0 || in[0].kind == FACT_NONE || in[1].kind == FACT_NONE)
            break;
        return fact_constant(holds);
    }
    case PTX_OP_SELP: return select_fact(fs, i);
    case PTX_OP_ST: /* to a parameter slot */ return fact_elementwise(in, 1);
    case PTX_OP_ATOM:
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_SULD:
    case PTX_OP_MMA:
    case PTX_OP_WMMA:
    case PTX_OP_WGMMA_MMA_ASYNC:
    case PTX_OP_TCGEN05_LD:
    case PTX_OP_LDMATRIX:
    case PTX_OP_MOVMATRIX:
    case PTX_OP_ALLOCA:
    case PTX_OP_STACKSAVE:
    case PTX_OP_MBARRIER: return fact_nothing();
    case PTX_OP_BAR:
    case PTX_OP_TCGEN05_ALLOC:
    case PTX_OP_BARRIER: return fact_uniform_value();
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ACTIVEMASK:
    case PTX_OP_ELECT: return uniform_result(p, k) ? fact_uniform_value() : fact_nothing();
    case PTX_OP_CALL: return call(fs, i);
    default: break;
    }
    return all_sources(fs, i, 1);
}
