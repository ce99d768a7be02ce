/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_check: an instruction's types, modifiers and operands against its row in ptx_forms.def
 * (PTX ISA 9.4, 9.7). Start at check_insn.
 *
 * The rules are the manual's where breaking them changes what a program computes: a register of
 * another width, a float register in an integer instruction, a comparison or rounding left out.
 * Where assemblers are known to be lenient, so is this: special registers have no fixed width, and
 * any register may hold packed numbers (.f16x2) and those of no register's type (.bf16).
 */
#include "ptx/ptx_priv.h"

#include <stdio.h>
#include <string.h>

enum form_need {
    NEED_NOTHING,
    NEED_HALF, /* integers: .lo, .hi or .wide */
    NEED_ROUNDING,
    NEED_ROUNDING_OR_APPROX,
    NEED_APPROX,
    NEED_DIVISION,
    NEED_COMPARISON,
    NEED_CONVERSION,
    NEED_ATOMIC,
    NEED_MEMBERS, /* .sync: of whom */
};

static const struct form {
    uint8_t least_types, most_types;
    uint8_t need; /* enum form_need */
    const char *types, *operands;
} forms[PTX_OP_COUNT] = {
#define FORM(name, count, types, operands, need)                                                   \
    [PTX_OP_##name] = {count / 10, count % 10, need, types, operands},
#include "ptx/ptx_forms.def"
#undef FORM
};

/* An instruction being checked. */
struct check {
    struct parser *p;
    const struct ptx_insn *i;
    const struct form *form;
};

static void fail(const struct check *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "k.ptx:12:5: add.u64: what". */
static void
fail(const struct check *c, const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const struct token *t = &c->p->mnemonic;
    fail_at(c->p, c->i->line, c->i->column, "%.*s: %s", t->count > 100 ? 100 : (int)t->count, t->at,
            what);
}

/* -- types ------------------------------------------------------------------------------------- */

/* The types of one word of a row: a type's name, a set's letter, or '*'. */
static uint64_t
types_of_word(const struct parser *p, const char *word, size_t n)
{
    static const struct {
        char letter;
        const char *types;
    } sets[] = {
        {'I', "u16 u32 u64 s16 s32 s64"}, {'F', "f32 f64"},     {'B', "b16 b32 b64"},
        {'H', "f16 f16x2 bf16 bf16x2"},   {'P', "u16x2 s16x2"},
    };
    if (n == 1 && *word == '*')
        return ~0ull;
    const struct word *w = words_find(&p->table.dots, word, n);
    if (w && w->kind == WORD_TYPE)
        return 1ull << w->value;
    uint64_t all = 0;
    for (size_t k = 0; n == 1 && k < sizeof sets / sizeof *sets; k++) {
        if (sets[k].letter != *word)
            continue;
        for (const char *s = sets[k].types; *s; s += strcspn(s, " "), s += *s == ' ') {
            w = words_find(&p->table.dots, s, strcspn(s, " "));
            all |= w ? 1ull << w->value : 0;
        }
    }
    return all;
}

/* The types of an instruction's row, made when the instruction is first met. */
static uint64_t
allowed_types(struct parser *p, enum ptx_op op)
{
    _Static_assert(PTX_TYPE_COUNT <= 64, "a set of types is a word");
    if (p->table.form_types[op])
        return p->table.form_types[op];
    uint64_t all = 1; /* PTX_TYPE_NONE: never asked for, marks the row as made */
    for (const char *s = forms[op].types; *s; s += strcspn(s, " "), s += *s == ' ')
        all |= types_of_word(p, s, strcspn(s, " "));
    return p->table.form_types[op] = all;
}

static bool
check_types(const struct check *c)
{
    const struct ptx_insn *i = c->i;
    const char *name = ptx_op_name((enum ptx_op)i->op);
    if (i->type_count < c->form->least_types) {
        fail(c, i->type_count ? "a second type is missing" : "a type is missing");
        return false;
    }
    if (i->type_count > c->form->most_types) {
        if (c->form->most_types)
            fail(c, "%s takes %u type%s, not %u", name, c->form->most_types,
                 c->form->most_types == 1 ? "" : "s", i->type_count);
        else
            fail(c, "%s takes no type", name);
        return false;
    }
    if (i->type_count && !(allowed_types(c->p, (enum ptx_op)i->op) >> i->type[0] & 1)) {
        fail(c, "%s does not take type .%s", name, ptx_type_name((enum ptx_type)i->type[0]));
        return false;
    }
    return true;
}

/* -- modifiers --------------------------------------------------------------------------------- */

static bool
has_any(const struct ptx_insn *i, enum ptx_mod first, enum ptx_mod last)
{
    for (uint32_t m = first; m <= last; m++)
        if (ptx_has(i, (enum ptx_mod)m))
            return true;
    return false;
}

static bool
has_rounding(const struct ptx_insn *i)
{
    return has_any(i, PTX_M_RN, PTX_M_RP);
}

static bool
is_float(enum ptx_type t)
{
    char kind = ptx_type_kind(t);
    return kind == 'f' || kind == 'n';
}

static bool
is_integer(enum ptx_type t)
{
    char kind = ptx_type_kind(t);
    return kind == 'u' || kind == 's';
}

/* PTX ISA 9.7.9.21: what is rounded says how, except between integers and to wider floats. */
static bool
check_conversion(const struct check *c)
{
    const struct ptx_insn *i = c->i;
    enum ptx_type to = (enum ptx_type)i->type[0], from = (enum ptx_type)i->type[i->type_count - 1];
    if (ptx_has(i, PTX_M_PACK))
        return true;
    if (is_integer(to) && is_float(from) && !has_any(i, PTX_M_RNI, PTX_M_RPI)) {
        fail(c, "a rounding to an integer is missing: .rni, .rzi, .rmi or .rpi");
        return false;
    }
    bool narrower = is_float(to) && is_float(from) &&
                    (ptx_type_bytes(to) < ptx_type_bytes(from) || to == PTX_TF32);
    bool needs = (is_float(to) && is_integer(from)) || narrower ||
                 (ptx_type_kind(to) == 'v' && is_float(from));
    if (needs && !has_rounding(i) && !ptx_has(i, PTX_M_RNA) && !ptx_has(i, PTX_M_RS)) {
        fail(c, "a rounding is missing: .rn, .rz, .rm or .rp");
        return false;
    }
    return true;
}

static bool
check_atomic(const struct check *c)
{
    const struct ptx_insn *i = c->i;
    bool cas = ptx_has(i, PTX_M_CAS);
    if (!has_any(i, PTX_M_AND, PTX_M_MAX)) {
        fail(c, "an operation is missing: .add, .cas, ...");
        return false;
    }
    if (i->op == PTX_OP_ATOM && cas && i->operand_count < 4)
        fail(c, "takes 4 operands, not %u", i->operand_count);
    else if (i->op == PTX_OP_ATOM && !cas && i->operand_count > 3 &&
             !ptx_has(i, PTX_M_L2_CACHE_HINT))
        fail(c, "takes 3 operands, not %u", i->operand_count);
    else
        return true;
    return false;
}

static bool
check_needs(const struct check *c)
{
    const struct ptx_insn *i = c->i;
    enum ptx_type t = (enum ptx_type)i->type[0];
    bool approximate = ptx_has(i, PTX_M_APPROX);
    const char *missing = NULL;
    bool old = c->p->m->version < 14; /* roundings had defaults (PTX ISA 9.7.3) */
    switch (c->form->need) {
    case NEED_HALF:
        if (is_integer(t) && !ptx_has(i, PTX_M_LO) && !ptx_has(i, PTX_M_HI) &&
            !ptx_has(i, PTX_M_WIDE))
            missing = ".lo, .hi or .wide is missing";
        else if (i->op == PTX_OP_MAD && is_float(t) && !has_rounding(i) && c->p->m->target >= 20)
            missing = "a rounding is missing: .rn, .rz, .rm or .rp";
        else if (ptx_has(i, PTX_M_WIDE) && (!is_integer(t) || ptx_type_bytes(t) > 4))
            missing = ".wide takes integers of 16 and 32 bits";
        break;
    case NEED_ROUNDING:
        if (!has_rounding(i) && !old)
            missing = "a rounding is missing: .rn, .rz, .rm or .rp";
        break;
    case NEED_ROUNDING_OR_APPROX:
        if (!has_rounding(i) && !approximate && !old)
            missing = ".approx or a rounding is missing: .rn, .rz, .rm or .rp";
        break;
    case NEED_DIVISION:
        if (is_float(t) && !has_rounding(i) && !old &&
            (t != PTX_F32 || (!approximate && !ptx_has(i, PTX_M_FULL))))
            missing = t == PTX_F32 ? ".approx, .full or a rounding is missing"
                                   : "a rounding is missing: .rn, .rz, .rm or .rp";
        break;
    case NEED_APPROX:
        if (!approximate && !old)
            missing = ".approx is missing";
        break;
    case NEED_COMPARISON:
        if (!has_any(i, PTX_M_EQ, PTX_M_NAN))
            missing = "a comparison is missing: .eq, .lt, ...";
        break;
    case NEED_CONVERSION: return old || check_conversion(c);
    case NEED_ATOMIC: return check_atomic(c);
    case NEED_MEMBERS:
        if (ptx_has(i, PTX_M_SYNC) != (i->operand_count > 2))
            missing =
                i->operand_count > 2 ? ".sync is missing" : "the mask of the members is missing";
        break;
    default: break;
    }
    if (missing)
        fail(c, "%s", missing);
    return !missing;
}

/* -- operands ---------------------------------------------------------------------------------- */

/* What a letter of a row asks for. */
struct want {
    enum ptx_type type; /* NONE: only the width counts */
    unsigned bits;      /* 1: a predicate; 0: any */
    bool destination, wider, vector;
};

static const char *
article(unsigned bits)
{
    return bits == 8 ? "an" : "a";
}

static bool
check_register(const struct check *c, unsigned n, const struct ptx_operand *o, const struct want *w)
{
    const struct ptx_reg *r = &c->p->body.regs.at[o->reg];
    enum ptx_type have = (enum ptx_type)r->type;
    unsigned bits = 8 * ptx_type_bytes(have);
    if (have == PTX_PRED) {
        if (w->bits == 1 || !w->bits)
            return true;
        fail(c, "operand %u is a predicate", n);
        return false;
    }
    if (w->bits == 1) {
        fail(c, "operand %u must be a predicate", n);
        return false;
    }
    if (!bits || !w->bits || o->part)
        return true;
    if (w->wider ? bits < w->bits : bits != w->bits) {
        fail(c, "operand %u is %s %u-bit register", n, article(bits), bits);
        return false;
    }
    /* PTX ISA 9.4.1: .b goes with everything, integers and floats do not go with each other. */
    bool clash = (is_integer(have) && ptx_type_kind(w->type) == 'f' && w->type != PTX_F16) ||
                 (ptx_type_kind(have) == 'f' && is_integer(w->type));
    if (clash)
        fail(c, "operand %u is a register of type .%s", n, ptx_type_name(have));
    return !clash;
}

static bool
check_constant(const struct check *c, unsigned n, const struct ptx_operand *o, const struct want *w)
{
    if (o->kind == PTX_O_FLOAT && (is_integer(w->type) || w->bits == 1)) {
        fail(c, "operand %u is a floating-point number", n);
        return false;
    }
    if (o->kind == PTX_O_INT && (w->type == PTX_F32 || w->type == PTX_F64)) {
        fail(c,
             "operand %u is an integer; .%s takes 0%c and hexadecimal digits, or a decimal "
             "fraction",
             n, ptx_type_name(w->type), w->type == PTX_F32 ? 'f' : 'd');
        return false;
    }
    return true;
}

static bool
check_value(const struct check *c, unsigned n, const struct ptx_operand *o, const struct want *w)
{
    switch (o->kind) {
    case PTX_O_REG: return check_register(c, n, o, w);
    case PTX_O_SREG:
        if (!w->destination && (w->bits != 1) == (o->sreg != PTX_SR_IS_EXPLICIT_CLUSTER))
            return true;
        break;
    case PTX_O_SINK: return true; /* destinations, and the elements of a mov that are not wanted */
    case PTX_O_INT:
    case PTX_O_FLOAT:
        if (!w->destination)
            return check_constant(c, n, o, w);
        break;
    case PTX_O_SYMBOL:
        if (!w->destination && w->bits != 1 && (!w->bits || w->bits >= 16))
            return true;
        break;
    default: break;
    }
    if (w->bits == 1)
        fail(c, "operand %u must be a predicate", n);
    else if (w->destination)
        fail(c, "operand %u must be a register", n);
    else
        fail(c, "operand %u must be a register or a constant", n);
    return false;
}

/* {a, b, ...}: as many as the instruction's .v2 or .v4 says; without one (mov) each a part. */
static bool
check_vector(const struct check *c, unsigned n, const struct ptx_operand *o, struct want w)
{
    const struct ptx_insn *i = c->i;
    if (i->vec > 1 && o->count != i->vec) {
        fail(c, "operand %u has %u elements, not %u", n, o->count, i->vec);
        return false;
    }
    if (i->op == PTX_OP_MOV && i->vec == 1) {
        if (o->count < 2 || w.bits % o->count || w.bits / o->count < 8) {
            fail(c, "operand %u: %u elements do not make up %u bits", n, o->count, w.bits);
            return false;
        }
        w.bits /= o->count;
        w.type = PTX_TYPE_NONE;
    } else if (i->vec == 1 && (i->op == PTX_OP_LD || i->op == PTX_OP_ST || i->op == PTX_OP_LDU)) {
        if (o->count != 1) {
            fail(c, "operand %u is a vector, and the instruction has no .v2 or .v4", n);
            return false;
        }
    }
    for (uint32_t k = 0; k < o->count; k++)
        if (!check_value(c, n, &o->elements[k], &w))
            return false;
    return true;
}

static bool
check_pair(const struct check *c, unsigned n, const struct ptx_operand *o, const struct want *w)
{
    const struct want predicate = {.type = PTX_PRED, .bits = 1, .destination = true};
    return check_value(c, n, &o->elements[0], w) && check_value(c, n, &o->elements[1], &predicate);
}

static bool
check_address(const struct check *c, unsigned n, const struct ptx_operand *o)
{
    if (o->kind != PTX_O_ADDRESS) {
        fail(c, "operand %u must be an address in brackets", n);
        return false;
    }
    if (o->base_kind != PTX_BASE_REG)
        return true;
    enum ptx_type t = (enum ptx_type)c->p->body.regs.at[o->reg].type;
    if (t != PTX_PRED && ptx_type_kind(t) != 'f')
        return true;
    fail(c, "operand %u: a register of type .%s is no address", n, ptx_type_name(t));
    return false;
}

static unsigned
type_bits(enum ptx_type t)
{
    return t == PTX_PRED ? 1 : 8 * ptx_type_bytes(t);
}

/* What the letter asks for; false: of the operand's own kind (address, label, ...). */
static bool
want_of(const struct ptx_insn *i, char letter, struct want *w)
{
    enum ptx_type first = (enum ptx_type)i->type[0];
    enum ptx_type last = i->type_count ? (enum ptx_type)i->type[i->type_count - 1] : first;
    *w = (struct want){.type = first, .bits = type_bits(first)};
    switch (letter) {
    case 'd':
    case 'Q': w->destination = true; return true;
    case 'D': w->destination = w->vector = true; return true;
    case 's': return true;
    case 'S': w->vector = true; return true;
    case 'W': w->destination = true; break;
    case 'w': break;
    case 't':
        w->type = last;
        w->bits = type_bits(last);
        return true;
    case 'v':
        w->type = last;
        w->bits = type_bits(last);
        w->wider = w->vector = true;
        return true;
    case 'r':
    case 'R': *w = (struct want){.bits = 32, .destination = true}; return true;
    case '2': *w = (struct want){.bits = 32}; return true;
    case 'c': *w = (struct want){.bits = 64}; return true;
    case 'l': w->destination = w->wider = true; return true;
    case 'L': w->destination = w->wider = w->vector = true; return true;
    case 'm': w->wider = w->vector = true; return true;
    case 'P': *w = (struct want){.type = PTX_PRED, .bits = 1, .destination = true}; return true;
    case 'p': *w = (struct want){.type = PTX_PRED, .bits = 1}; return true;
    default: return false;
    }
    if (ptx_has(i, PTX_M_WIDE)) {
        w->type = PTX_TYPE_NONE;
        w->bits *= 2;
    }
    return true;
}

static bool
check_operand(const struct check *c, unsigned n, const struct ptx_operand *o, char letter)
{
    struct want w;
    if (letter == 'x')
        return true;
    if (letter == 'a')
        return check_address(c, n, o);
    if (letter == 'b') {
        if (o->kind != PTX_O_LABEL)
            fail(c, "operand %u must be a label", n);
        return o->kind == PTX_O_LABEL;
    }
    if (letter == 'T') {
        if (o->kind != PTX_O_TARGETS)
            fail(c, "operand %u must be a list of targets", n);
        return o->kind == PTX_O_TARGETS;
    }
    if (letter == 'n') {
        if (o->kind != PTX_O_INT)
            fail(c, "operand %u must be an integer constant", n);
        return o->kind == PTX_O_INT;
    }
    want_of(c->i, letter, &w);
    if (o->kind == PTX_O_PAIR && strchr("PQR", letter))
        return check_pair(c, n, o, &w);
    if (o->kind == PTX_O_VECTOR && w.vector)
        return check_vector(c, n, o, w);
    if (w.vector && c->i->vec > 1 && o->kind != PTX_O_SINK) {
        fail(c, "operand %u must be a vector of %u elements", n, c->i->vec);
        return false;
    }
    return check_value(c, n, o, &w);
}

/* (results), target, (arguments), prototype: all but the target may be missing. */
static bool
check_call_shape(const struct check *c)
{
    const struct ptx_insn *i = c->i;
    unsigned k = i->operand_count && i->operand[0].kind == PTX_O_LIST;
    bool direct = k < i->operand_count && i->operand[k].kind == PTX_O_FUNC;
    bool indirect = k < i->operand_count && i->operand[k].kind == PTX_O_REG;
    if (!direct && !indirect) {
        fail(c, "operand %u must be a function or a register", k + 1);
        return false;
    }
    for (unsigned list = 0; list < i->operand_count; list++) {
        const struct ptx_operand *o = &i->operand[list];
        for (uint32_t e = 0; o->kind == PTX_O_LIST && e < o->count; e++) {
            uint8_t kind = o->elements[e].kind;
            if (kind == PTX_O_REG || kind == PTX_O_SYMBOL || kind == PTX_O_SINK ||
                (list && (kind == PTX_O_INT || kind == PTX_O_FLOAT)))
                continue;
            fail(c, "operand %u: element %u must be a variable, a register or a constant", list + 1,
                 e + 1);
            return false;
        }
    }
    k++;
    k += k < i->operand_count && i->operand[k].kind == PTX_O_LIST;
    bool targets = k < i->operand_count && i->operand[k].kind == PTX_O_TARGETS;
    if (indirect && !targets) {
        fail(c, "a call through a register needs a prototype or a list of targets");
        return false;
    }
    if (k + targets != i->operand_count) {
        fail(c, "operand %u does not belong here", k + 1);
        return false;
    }
    return true;
}

static bool
check_count(const struct check *c)
{
    const char *slash = strchr(c->form->operands, '/');
    size_t most = strlen(c->form->operands) - (slash ? 1 : 0);
    size_t least = slash ? (size_t)(slash - c->form->operands) : most;
    unsigned n = c->i->operand_count;
    if (n >= least && n <= most)
        return true;
    size_t bound = n < least ? least : most;
    const char *limit = least == most ? "" : n < least ? "at least " : "at most ";
    fail(c, "takes %s%zu operand%s, not %u", limit, bound, bound == 1 ? "" : "s", n);
    return false;
}

/* Limits that no table has: the range of a constant, what a space or a type forbids. NULL: none is
 * hurt. */
static const char *
broken_limit(const struct ptx_insn *i)
{
    enum ptx_type t = (enum ptx_type)i->type[0];
    bool arithmetic = i->op <= PTX_OP_MAX && i->type_count && is_integer(t);
    bool writes = i->op == PTX_OP_ST || i->op == PTX_OP_ATOM || i->op == PTX_OP_RED;
    const struct ptx_operand *o = i->operand;
    unsigned barrier = ptx_has(i, PTX_M_RED) ? 1 : 0;
    bool mixes = i->op == PTX_OP_ADD || i->op == PTX_OP_SUB || i->op == PTX_OP_FMA;
    if (mixes && i->type_count > 1 &&
        (t != PTX_F32 || (i->type[1] != PTX_F16 && i->type[1] != PTX_BF16)))
        return "a second type is .f16 or .bf16, behind .f32";
    if (mixes && i->type_count > 1 && ptx_has(i, PTX_M_FTZ))
        return ".ftz is for one type";
    if (i->vec == 3)
        return "vectors have 2 or 4 elements";
    if (arithmetic && (has_rounding(i) || ptx_has(i, PTX_M_FTZ)))
        return "roundings and .ftz are for floating-point types";
    if (writes && i->space == PTX_SPACE_CONST)
        return "constant memory cannot be written";
    if ((i->op == PTX_OP_ATOM || i->op == PTX_OP_RED) && is_integer(t) && ptx_type_bytes(t) < 4 &&
        !ptx_has(i, PTX_M_CAS))
        return "integers of 16 bits have .cas alone";
    if (i->op == PTX_OP_LOP3 && i->operand_count > 4 && o[4].kind == PTX_O_INT && o[4].imm > 255)
        return "operand 5 must be from 0 to 255";
    if ((i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER) && i->operand_count > barrier &&
        o[barrier].kind == PTX_O_INT && o[barrier].imm > 15)
        return "barriers have numbers from 0 to 15";
    return NULL;
}

void
check_insn(struct parser *p, const struct ptx_insn *i)
{
    struct check c = {p, i, &forms[i->op]};
    if (!c.form->operands)
        return; /* left out: refused before */
    if (!check_types(&c) || !check_needs(&c) || !check_count(&c))
        return;
    const char *broken = broken_limit(i);
    if (broken) {
        fail(&c, "%s", broken);
        return;
    }
    if (i->op == PTX_OP_CALL && !check_call_shape(&c))
        return;
    const char *letter = c.form->operands;
    for (unsigned k = 0; k < i->operand_count; k++, letter++) {
        letter += *letter == '/';
        /* atom takes its second value with .cas only: elsewhere a cache policy stands there. */
        bool policy = i->op == PTX_OP_ATOM && k == 3 && !ptx_has(i, PTX_M_CAS);
        if (!check_operand(&c, k + 1, &i->operand[k], policy ? 'c' : *letter))
            return;
    }
}

/* -- once everything is known ------------------------------------------------------------------ */

static void
fail_call(struct parser *p, const struct ptx_insn *i, const char *what, const char *name,
          uint32_t want, uint32_t have)
{
    fail_at(p, i->line, i->column, "call: '%s' has %u %s%s, not %u", name, want, what,
            want == 1 ? "" : "s", have);
}

static void
check_call(struct parser *p, const struct ptx_func *f, const struct ptx_insn *i)
{
    const struct ptx_operand *o = i->operand;
    unsigned k = o[0].kind == PTX_O_LIST;
    uint32_t results = k ? o[0].count : 0, arguments = 0;
    const struct ptx_func *callee = o[k].kind == PTX_O_FUNC ? o[k].func : NULL;
    for (unsigned n = k + 1; n < i->operand_count; n++) {
        if (o[n].kind == PTX_O_LIST)
            arguments = o[n].count;
        const struct ptx_targets *t = o[n].kind == PTX_O_TARGETS ? &f->targets[o[n].target] : NULL;
        if (t && t->kind == 'b') {
            fail_at(p, i->line, i->column, "call: '%s' is a list of labels", t->name);
            return;
        }
        if (t && !callee)
            callee = t->kind == 'p' ? t->prototype : t->funcs[0];
    }
    if (callee && callee->param_count != arguments)
        fail_call(p, i, "parameter", callee->name, callee->param_count, arguments);
    else if (callee && callee->result_count != results)
        fail_call(p, i, "result", callee->name, callee->result_count, results);
}

void
check_calls(struct parser *p, const struct ptx_func *f)
{
    for (uint32_t k = 0; k < f->insn_count; k++) {
        const struct ptx_insn *i = &f->insns[k];
        if (i->op == PTX_OP_CALL)
            check_call(p, f, i);
        else if (i->op == PTX_OP_BRX && f->targets[i->operand[1].target].kind != 'b')
            fail_at(p, i->line, i->column, "brx.idx: '%s' is not a list of labels",
                    f->targets[i->operand[1].target].name);
    }
}
