/* SPDX-License-Identifier: Apache-2.0
 *
 * footprint.c: what each block of a launch may touch, when that follows from its number alone.
 *
 *     shl.b32 %r4, %ctaid.x, 8     256 c
 *     add.s32 %r1, %r4, %tid.x     256 c + t
 *     mul.wide.s32 %d7, %r1, 4     1024 c + 4 t
 *     add.s64 %d4, %d2, %d7        parameter 0 + 1024 c + 4 t
 *     ld.global.f32 %f4, [%d4-4]   block c reads within [1024 c - 4, 1024 c + 1020) behind
 *                                  parameter 0
 *
 * Registers are followed in the order of the text as a sum of a pointer parameter, a constant, and
 * multiples of the block's and the thread's number. For the grid at hand that sum is exact: an
 * instruction whose 32-bit result might wrap for some block gives nothing known. Branches are not
 * looked at: an access counts whether it happens or not.
 *
 * Only kernels without loops, calls, atomics, barriers and shared memory: all that they do is what
 * is named here. Anything else ends the search.
 */
#include "analysis/analysis.h"

#include <string.h>

/* pointer: the parameter at `param`, 0 if not set; plus constant +
 * block * ctaid.x + thread * tid */
struct sum {
    bool known, pointer;
    uint32_t param;
    int64_t constant, block, thread[3];
};

struct search {
    const struct ptx_func *kernel;
    const uint32_t *grid, *block;
    struct sum *reg; /* per register */
    uint32_t *defs;
    struct footprint *out;
};

/* Sums stay far from where 64 bits end. */
enum { LIMIT_BITS = 44 };

static bool
small(int64_t v)
{
    return v < (int64_t)1 << LIMIT_BITS && v > -((int64_t)1 << LIMIT_BITS);
}

static struct sum
of_constant(int64_t v)
{
    return (struct sum){.known = small(v), .constant = v};
}

/* -- sums -------------------------------------------------------------------------------------- */

/* The least and the greatest value over the threads of block 0. */
static void
over_threads(const struct search *s, const struct sum *v, int64_t *low, int64_t *high)
{
    *low = *high = v->constant;
    for (int d = 0; d < 3; d++) {
        int64_t far = v->thread[d] * (int64_t)(s->block[d] - 1);
        *low += far < 0 ? far : 0;
        *high += far > 0 ? far : 0;
    }
}

/* The same over all blocks. */
static void
over_grid(const struct search *s, const struct sum *v, int64_t *low, int64_t *high)
{
    over_threads(s, v, low, high);
    int64_t far = v->block * (int64_t)(s->grid[0] - 1);
    *low += far < 0 ? far : 0;
    *high += far > 0 ? far : 0;
}

/* Whether no lane of no block is outside of the numbers of `bits` bits, signed, or none is
 * negative. */
static bool
holds(const struct search *s, const struct sum *v, unsigned bits, bool nonnegative)
{
    int64_t low, high, end = (int64_t)1 << (bits == 32 ? 31 : LIMIT_BITS);
    over_grid(s, v, &low, &high);
    return low >= (nonnegative ? 0 : -end) && high < end;
}

/* Small coefficients times numbers below 2^31 and 2^10 fit in 64 bits, their sum too. */
static struct sum
checked(const struct search *s, struct sum v, unsigned bits)
{
    bool fine = v.known && small(v.constant) && v.block < 1 << 30 && v.block > -(1 << 30);
    for (int d = 0; d < 3; d++)
        fine = fine && v.thread[d] < 1 << 30 && v.thread[d] > -(1 << 30);
    v.known = fine && (bits == 64 || !v.pointer) && holds(s, &v, bits, false);
    return v;
}

static struct sum
added(struct sum a, struct sum b, int sign)
{
    struct sum v = a;
    v.known = a.known && b.known && !(b.pointer && (a.pointer || sign < 0));
    v.pointer = a.pointer || b.pointer;
    v.param = b.pointer ? b.param : a.param;
    v.constant += sign * b.constant;
    v.block += sign * b.block;
    for (int d = 0; d < 3; d++)
        v.thread[d] += sign * b.thread[d];
    return v;
}

static bool
is_constant(const struct sum *v)
{
    return v->known && !v->pointer && !v->block && !v->thread[0] && !v->thread[1] && !v->thread[2];
}

static struct sum
multiplied(struct sum a, struct sum b)
{
    struct sum v = is_constant(&a) ? b : a, none = {0};
    int64_t by = is_constant(&a) ? a.constant : b.constant;
    bool fine = a.known && b.known && !v.pointer && (is_constant(&a) || is_constant(&b));
    fine = fine && !__builtin_mul_overflow(v.constant, by, &v.constant) &&
           !__builtin_mul_overflow(v.block, by, &v.block);
    for (int d = 0; d < 3; d++)
        fine = fine && !__builtin_mul_overflow(v.thread[d], by, &v.thread[d]);
    return fine ? v : none;
}

/* a | b where no bit is set in both: a is a multiple of a power of two that b stays below. */
static struct sum
joined(const struct search *s, struct sum a, struct sum b)
{
    struct sum none = {0};
    int64_t low, high;
    if (!a.known || !b.known || a.pointer || b.pointer)
        return none;
    uint64_t bits = (uint64_t)(a.constant | a.block | a.thread[0] | a.thread[1] | a.thread[2]);
    over_grid(s, &b, &low, &high);
    return bits && low >= 0 && high < (int64_t)(bits & -bits) ? added(a, b, 1) : none;
}

/* -- operands and instructions ----------------------------------------------------------------- */

static struct sum
of_special(const struct search *s, uint16_t r)
{
    struct sum v = {.known = true};
    switch (r) {
    case PTX_SR_TID_X:
    case PTX_SR_TID_Y:
    case PTX_SR_TID_Z: v.thread[r - PTX_SR_TID_X] = 1; return v;
    case PTX_SR_NTID_X:
    case PTX_SR_NTID_Y:
    case PTX_SR_NTID_Z: return of_constant(s->block[r - PTX_SR_NTID_X]);
    case PTX_SR_CTAID_X: v.block = 1; return v;
    case PTX_SR_CTAID_Y:
    case PTX_SR_CTAID_Z: return v; /* the grid is one row */
    case PTX_SR_NCTAID_X:
    case PTX_SR_NCTAID_Y:
    case PTX_SR_NCTAID_Z: return of_constant(s->grid[r - PTX_SR_NCTAID_X]);
    default: v.known = false; return v;
    }
}

static struct sum
of_operand(const struct search *s, const struct ptx_operand *o, unsigned bits)
{
    struct sum none = {0};
    if (o->negated || o->part)
        return none;
    switch (o->kind) {
    case PTX_O_REG: return s->reg[o->reg];
    case PTX_O_SREG: return of_special(s, o->sreg);
    case PTX_O_INT: return of_constant(bits == 32 ? (int32_t)(uint32_t)o->imm : (int64_t)o->imm);
    default: return none;
    }
}

static struct sum
of_parameter(const struct search *s, const struct ptx_insn *i)
{
    const struct ptx_operand *o = &i->operand[1];
    struct sum v = {0};
    if (i->vec > 1 || ptx_type_bytes((enum ptx_type)i->type[0]) != 8 || o->kind != PTX_O_ADDRESS ||
        o->base_kind != PTX_BASE_VAR)
        return v;
    for (uint32_t k = 0; k < s->kernel->param_count; k++)
        v.known |= s->kernel->params[k] == o->var;
    v.known = v.known && o->offset >= 0 && (uint64_t)o->offset + 8 <= o->var->size;
    v.pointer = true;
    v.param = (uint32_t)(o->var->param_offset + (uint64_t)o->offset);
    return v;
}

static struct sum
of_conversion(const struct search *s, const struct ptx_insn *i)
{
    enum ptx_type to = (enum ptx_type)i->type[0], from = (enum ptx_type)i->type[1];
    unsigned wide = 8 * ptx_type_bytes(from);
    struct sum none = {0}, v;
    if (i->type_count != 2 || !strchr("su", ptx_type_kind(to)) ||
        !strchr("su", ptx_type_kind(from)) || ptx_type_bytes(to) < 4 || wide < 32 ||
        ptx_has(i, PTX_M_SAT))
        return none;
    v = of_operand(s, &i->operand[1], wide);
    bool widens = ptx_type_bytes(to) * 8 > wide;
    if (!v.known || (widens && !holds(s, &v, 32, ptx_type_kind(from) == 'u')))
        return none;
    return v;
}

static struct sum
of_product(const struct search *s, const struct ptx_insn *i, unsigned bits)
{
    struct sum none = {0}, a = of_operand(s, &i->operand[1], bits),
               b = of_operand(s, &i->operand[2], bits);
    bool wide = ptx_has(i, PTX_M_WIDE), plain = ptx_type_kind((enum ptx_type)i->type[0]) == 'u';
    if (!a.known || !b.known || (!wide && !ptx_has(i, PTX_M_LO)) || (wide && bits != 32))
        return none;
    if (wide && (!holds(s, &a, 32, plain) || !holds(s, &b, 32, plain)))
        return none;
    struct sum v = multiplied(a, b);
    v = checked(s, v, wide ? 64 : bits);
    if (i->op == PTX_OP_MAD && v.known)
        v = added(v, of_operand(s, &i->operand[3], wide ? 64 : bits), 1);
    return v;
}

/* What the instruction writes to its first operand. */
static struct sum
result_of(const struct search *s, const struct ptx_insn *i)
{
    struct sum none = {0}, by;
    unsigned bits = 8 * ptx_type_bytes((enum ptx_type)i->type[0]);
    bool whole = bits == 32 || bits == 64;
    if (i->op == PTX_OP_LD)
        return i->space == PTX_SPACE_PARAM ? of_parameter(s, i) : none;
    if (!whole || !i->type_count || !strchr("bsu", ptx_type_kind((enum ptx_type)i->type[0])) ||
        ptx_has(i, PTX_M_SAT) || ptx_has(i, PTX_M_CC))
        return none;
    switch (i->op) {
    case PTX_OP_MOV: return of_operand(s, &i->operand[1], bits);
    case PTX_OP_CVTA:
        return i->space == PTX_SPACE_GLOBAL ? of_operand(s, &i->operand[1], 64) : none;
    case PTX_OP_CVT: return checked(s, of_conversion(s, i), bits);
    case PTX_OP_ADD:
    case PTX_OP_SUB:
        by = added(of_operand(s, &i->operand[1], bits), of_operand(s, &i->operand[2], bits),
                   i->op == PTX_OP_ADD ? 1 : -1);
        return checked(s, by, bits);
    case PTX_OP_MUL:
    case PTX_OP_MAD: return checked(s, of_product(s, i, bits), ptx_has(i, PTX_M_WIDE) ? 64 : bits);
    case PTX_OP_SHL:
        if (i->operand[2].kind != PTX_O_INT || i->operand[2].imm >= 31)
            return none;
        by = of_constant((int64_t)1 << i->operand[2].imm);
        return checked(s, multiplied(of_operand(s, &i->operand[1], bits), by), bits);
    case PTX_OP_OR:
        by = joined(s, of_operand(s, &i->operand[1], bits), of_operand(s, &i->operand[2], bits));
        if (!by.known)
            by =
                joined(s, of_operand(s, &i->operand[2], bits), of_operand(s, &i->operand[1], bits));
        return checked(s, by, bits);
    default: return none;
    }
}

/* -- the kernel -------------------------------------------------------------------------------- */

static void
count_writes(struct ptx_operand *o, bool write, void *context)
{
    if (write && o->kind == PTX_O_REG)
        ((uint32_t *)context)[o->reg]++;
}

/* Instructions that read and write registers alone; loads, stores and branches are looked at. Of a
 * move the special registers count that the footprint knows. */
static bool
is_harmless(const struct ptx_insn *i)
{
    if (i->op == PTX_OP_MOV)
        return i->operand[1].kind != PTX_O_SREG ||
               (i->operand[1].sreg >= PTX_SR_TID_X && i->operand[1].sreg <= PTX_SR_NCTAID_Z);
    return ptx_op_is(i->op, PTX_REGISTERS);
}

static bool
is_forward(const struct search *s, const struct ptx_insn *i)
{
    const struct ptx_insn *to = s->kernel->insns;
    return i->operand_count == 1 && i->operand[0].kind == PTX_O_LABEL &&
           to + s->kernel->labels[i->operand[0].label].insn > i;
}

static bool
add_access(struct footprint *f, const struct footprint_access *a)
{
    for (uint32_t k = 0; k < f->count; k++) {
        struct footprint_access *old = &f->at[k];
        if (old->param != a->param || old->write != a->write || old->step != a->step)
            continue;
        old->low = a->low < old->low ? a->low : old->low;
        old->high = a->high > old->high ? a->high : old->high;
        return true;
    }
    if (f->count == FOOTPRINT_MOST)
        return false;
    f->at[f->count++] = *a;
    return true;
}

static bool
note_access(struct search *s, const struct ptx_insn *i)
{
    static const enum ptx_mod ordered[] = {PTX_M_VOLATILE, PTX_M_RELAXED, PTX_M_ACQUIRE,
                                           PTX_M_RELEASE,  PTX_M_SC,      PTX_M_MMIO,
                                           PTX_M_CV,       PTX_M_WT};
    const struct ptx_operand *o = &i->operand[i->op == PTX_OP_LD];
    if (i->op == PTX_OP_LD && i->space == PTX_SPACE_PARAM)
        return true;
    for (unsigned k = 0; k < sizeof ordered / sizeof *ordered; k++)
        if (ptx_has(i, ordered[k]))
            return false;
    if ((i->space != PTX_SPACE_GLOBAL && i->space != PTX_SPACE_NONE) || o->kind != PTX_O_ADDRESS ||
        o->base_kind != PTX_BASE_REG || !i->type_count)
        return false;
    struct sum v = added(s->reg[o->reg], of_constant(o->offset), 1);
    v = checked(s, v, 64);
    if (!v.known || !v.pointer)
        return false;
    struct footprint_access a = {.param = v.param, .write = i->op == PTX_OP_ST, .step = v.block};
    over_threads(s, &v, &a.low, &a.high);
    a.high +=
        (int64_t)ptx_type_bytes((enum ptx_type)i->type[i->type_count - 1]) * (i->vec ? i->vec : 1);
    return add_access(s->out, &a);
}

static bool
look(struct search *s, const struct ptx_insn *i)
{
    if (i->op == PTX_OP_BRA)
        return is_forward(s, i);
    if (i->op == PTX_OP_LD || i->op == PTX_OP_ST) {
        if (!note_access(s, i))
            return false;
    } else if (!is_harmless(i)) {
        return false;
    }
    bool writes = i->operand_count && i->operand[0].kind == PTX_O_REG && i->op != PTX_OP_ST;
    /* Written twice, or not by all: which of the values a reader gets is not followed. */
    if (writes && s->defs[i->operand[0].reg] == 1 && i->guard == PTX_NO_REG && !i->operand[0].part)
        s->reg[i->operand[0].reg] = result_of(s, i);
    return true;
}

bool
footprint_find(const struct ptx_func *kernel, const uint32_t grid[3], const uint32_t block[3],
               struct footprint *out)
{
    struct search s = {.kernel = kernel, .grid = grid, .block = block, .out = out};
    bool fine = kernel->has_body && grid[1] == 1 && grid[2] == 1;
    out->count = 0;
    s.reg = ls_alloc(sizeof *s.reg * (kernel->reg_count + 1));
    s.defs = ls_alloc(sizeof *s.defs * (kernel->reg_count + 1));
    for (uint32_t k = 0; k < kernel->insn_count; k++) {
        struct wir_insn i = {.i = kernel->insns[k], .func = kernel};
        wir_visit(&i, count_writes, s.defs);
    }
    for (uint32_t k = 0; k < kernel->insn_count && fine; k++)
        fine = look(&s, &kernel->insns[k]);
    ls_release(s.reg);
    ls_release(s.defs);
    return fine && out->count;
}
