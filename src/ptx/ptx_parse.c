/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_parse.c: modules, functions, variables, operands and instructions. Start at ptx_parse.
 */
#include "ptx/ptx_priv.h"

#include <stdio.h>
#include <string.h>

static double
bits_double(uint64_t b)
{
    double d;
    memcpy(&d, &b, sizeof d);
    return d;
}

static float
bits_float(uint64_t b)
{
    uint32_t w = (uint32_t)b;
    float f;
    memcpy(&f, &w, sizeof f);
    return f;
}

/* -- constants ------------------------------------------------------------------------------------- */

static int64_t int_primary(struct parser *p);

static int64_t
int_unary(struct parser *p)
{
    if (lex_take(p, '-'))
        return (int64_t)(0 - (uint64_t)int_primary(p));
    if (lex_take(p, '+'))
        return int_primary(p);
    if (lex_take(p, '~'))
        return ~int_primary(p);
    if (lex_take(p, '!'))
        return !int_primary(p);
    lex_expect(p, '(');
    if (p->tok.kind == TOKEN_DOT) { /* (.s64) cast */
        lex_next(p);
        lex_expect(p, ')');
        return int_primary(p);
    }
    int64_t v = (int64_t)expr_count(p, "constant", UINT64_MAX);
    lex_expect(p, ')');
    return v;
}

static int64_t
int_primary(struct parser *p)
{
    if (lex_is(p, '-') || lex_is(p, '+') || lex_is(p, '~') || lex_is(p, '!') || lex_is(p, '(')) {
        if (p->expression_depth > PTX_LIMIT_DEPTH) {
            fail_here(p, "the expression is nested too deeply");
            return 0;
        }
        p->expression_depth++;
        int64_t v = int_unary(p);
        p->expression_depth--;
        return v;
    }
    if (p->tok.kind == TOKEN_NAME && p->tok.count == 7 && !memcmp(p->tok.at, "WARP_SZ", 7)) {
        lex_next(p);
        return 32;
    }
    if (p->tok.kind != TOKEN_INT) {
        fail_expected(p, "an integer");
        return 0;
    }
    int64_t v = (int64_t)p->tok.integer;
    lex_next(p);
    return v;
}

static int
precedence(const struct parser *p, int *op)
{
    static const struct {
        int op, level;
    } table[] = {
        {PUNCT2('|', '|'), 1}, {PUNCT2('&', '&'), 2}, {'|', 3}, {'^', 4}, {'&', 5},
        {PUNCT2('=', '='), 6}, {PUNCT2('!', '='), 6}, {'<', 7}, {'>', 7},
        {PUNCT2('<', '='), 7}, {PUNCT2('>', '='), 7}, {PUNCT2('<', '<'), 8},
        {PUNCT2('>', '>'), 8}, {'+', 9}, {'-', 9}, {'*', 10}, {'/', 10}, {'%', 10},
    };
    for (size_t k = 0; p->tok.kind == TOKEN_PUNCT && k < sizeof table / sizeof *table; k++)
        if (lex_is(p, table[k].op)) {
            *op = table[k].op;
            return table[k].level;
        }
    return 0;
}

static int64_t
apply(struct parser *p, int op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case PUNCT2('|', '|'): return a || b;
    case PUNCT2('&', '&'): return a && b;
    case '|': return (int64_t)(x | y);
    case '^': return (int64_t)(x ^ y);
    case '&': return (int64_t)(x & y);
    case PUNCT2('=', '='): return a == b;
    case PUNCT2('!', '='): return a != b;
    case '<': return a < b;
    case '>': return a > b;
    case PUNCT2('<', '='): return a <= b;
    case PUNCT2('>', '='): return a >= b;
    case PUNCT2('<', '<'): return y > 63 ? 0 : (int64_t)(x << y);
    case PUNCT2('>', '>'): return y > 63 ? 0 : a >> y;
    case '+': return (int64_t)(x + y);
    case '-': return (int64_t)(x - y);
    case '*': return (int64_t)(x * y);
    default:
        if (b == 0 || (b == -1 && a == INT64_MIN)) {
            fail_here(p, "division by zero in a constant");
            return 0;
        }
        return op == '/' ? a / b : a % b;
    }
}

static int64_t
int_binary(struct parser *p, int level)
{
    int64_t a = int_primary(p);
    int op, l;
    while ((l = precedence(p, &op)) >= level && l > 0 && !p->failed) {
        lex_next(p);
        a = apply(p, op, a, int_binary(p, l + 1));
    }
    return a;
}

uint64_t
expr_count(struct parser *p, const char *what, uint64_t limit)
{
    struct token at = p->tok;
    int64_t v = int_binary(p, 1);
    if (lex_take(p, '?')) {
        int64_t a = int_binary(p, 1);
        lex_expect(p, ':');
        int64_t b = int_binary(p, 1);
        v = v ? a : b;
    }
    if ((uint64_t)v > limit) {
        fail_at(p, at.line, at.column, "%s %lld is out of range", what, (long long)v);
        return 0;
    }
    return (uint64_t)v;
}

/* What may stand behind a name: +8, -4+2, or nothing. [r+-8] is the usual way to write -8. */
static int64_t
offset(struct parser *p)
{
    return lex_is(p, '+') || lex_is(p, '-') ? int_binary(p, 9) : 0;
}

/* name[3]: an element of an array (PTX ISA 6.4.2), as its offset in bytes. Only the first dimension
 * is known here, so that only one index is taken. */
static int64_t
element_offset(struct parser *p, const struct ptx_var *v)
{
    if (!lex_take(p, '['))
        return 0;
    uint64_t index = expr_count(p, "index", UINT32_MAX);
    lex_expect(p, ']');
    if (lex_is(p, '['))
        fail_here(p, "an element of an array of several dimensions: write its offset in bytes");
    return (int64_t)(index * ptx_type_bytes((enum ptx_type)v->type) * v->vec);
}

/* -- words ------------------------------------------------------------------------------------------- */

static const struct word *
dot_word(const struct parser *p)
{
    return p->tok.kind == TOKEN_DOT ? words_find(&p->dots, p->tok.at, p->tok.count) : NULL;
}

enum ptx_type
take_type(struct parser *p)
{
    const struct word *w = dot_word(p);
    if (!w || w->kind != WORD_TYPE)
        return PTX_TYPE_NONE;
    lex_next(p);
    return (enum ptx_type)w->value;
}

/* -- registers ---------------------------------------------------------------------------------------- */

static uint32_t
add_reg(struct parser *p, const char *name, enum ptx_type type, uint8_t vec, const struct token *at)
{
    struct symbol *s = symbol_add(p, name, SYMBOL_REG, at->line, at->column);
    if (!s)
        return 0;
    if (p->regs.count >= PTX_LIMIT_REGS) {
        fail_at(p, at->line, at->column, "more than %d registers", PTX_LIMIT_REGS);
        return 0;
    }
    s->index = (uint32_t)p->regs.count;
    VEC_PUSH(&p->regs, ((struct ptx_reg){name, (uint8_t)type, vec}));
    return s->index;
}

/* .reg .b32 %r<100>, %x; the token is `reg`. */
void
parse_reg(struct parser *p)
{
    lex_next(p);
    uint8_t vec = 1;
    const struct word *w = dot_word(p);
    if (w && w->kind == WORD_VEC) {
        vec = (uint8_t)w->value;
        lex_next(p);
    }
    enum ptx_type type = take_type(p);
    if (type == PTX_TYPE_NONE)
        fail_expected(p, "a type");
    w = dot_word(p);
    if (w && w->kind == WORD_VEC && vec == 1) {
        vec = (uint8_t)w->value;
        lex_next(p);
    }
    do {
        struct token at = p->tok;
        const char *name = lex_name(p, "a register's name");
        if (lex_take(p, '<')) {
            /* Not a whole expression: '>' ends the number here. */
            uint64_t n = (uint64_t)int_binary(p, 8);
            if (n > PTX_LIMIT_REGS)
                fail_at(p, at.line, at.column, "more than %d registers", PTX_LIMIT_REGS);
            for (uint64_t k = 0; k < n && !p->failed; k++)
                add_reg(p, arena_printf(p->arena, "%s%llu", name, (unsigned long long)k), type, vec,
                        &at);
            lex_expect(p, '>');
        } else {
            add_reg(p, name, type, vec, &at);
        }
    } while (lex_take(p, ','));
    lex_expect(p, ';');
}

/* -- variables ------------------------------------------------------------------------------------------ */

struct init {
    struct ptx_var *v;
    uint32_t bytes; /* of an element */
    VEC(struct ptx_reloc) relocs;
};

/* A name's address: name, generic(name), 0xff00(name), each with an offset. mask: 0, or the byte
 * of the address that is meant. */
static void
init_address(struct parser *p, struct init *in, uint64_t at, uint64_t mask)
{
    struct ptx_reloc r = {.at = at, .bytes = (uint8_t)in->bytes};
    bool parentheses = mask != 0;
    if (mask) {
        r.shift = (uint8_t)__builtin_ctzll(mask);
        r.bytes = 1;
        if (mask >> r.shift != 0xff || r.shift % 8 || in->bytes != 1) {
            fail_here(p, "an address is masked by 0xff, 0xff00, ... for a variable of bytes");
            return;
        }
    } else if (p->tok.count == 7 && !memcmp(p->tok.at, "generic", 7)) {
        lex_next(p);
        lex_expect(p, '(');
        parentheses = r.generic = true;
    }
    struct token t = p->tok;
    const char *name = lex_name(p, "a variable's or function's name");
    struct symbol *s = p->failed ? NULL : symbol_of_function(p, name, t.line, t.column);
    if (!s)
        return;
    if (s->kind == SYMBOL_VAR)
        r.var = s->var;
    else if (s->kind == SYMBOL_FUNC)
        r.func = s->func;
    else
        fail_at(p, t.line, t.column, "'%s' has no address", name);
    if (!mask && in->bytes != 8 && in->bytes != 4)
        fail_at(p, t.line, t.column, "an address needs 4 or 8 bytes, not %u", in->bytes);
    r.addend = offset(p);
    if (parentheses)
        lex_expect(p, ')');
    r.addend += offset(p);
    VEC_PUSH(&in->relocs, r);
}

/* The bits of a number for a variable of this type. */
static uint64_t
init_bits(enum ptx_type type, double d)
{
    uint64_t bits = 0;
    float f = (float)d;
    if (ptx_type_bytes(type) == 8)
        memcpy(&bits, &d, 8);
    else
        memcpy(&bits, &f, 4);
    return bits;
}

static void
init_scalar(struct parser *p, struct init *in, uint64_t at)
{
    enum ptx_type type = (enum ptx_type)in->v->type;
    if (at > in->v->size || in->v->size - at < in->bytes) {
        fail_here(p, "'%s' has more initial values than elements", in->v->name);
        return;
    }
    if (p->tok.kind == TOKEN_NAME) {
        init_address(p, in, at, 0);
        return;
    }
    struct lex_state start = lex_save(p);
    bool negative = lex_take(p, '-');
    struct token t = p->tok;
    uint64_t bits;
    if (t.kind == TOKEN_FLOAT) {
        lex_next(p);
        double d = t.is_f32 ? (double)bits_float(t.integer) : bits_double(t.integer);
        if (in->bytes < 4)
            fail_at(p, t.line, t.column, "a floating-point number needs 4 or 8 bytes");
        /* 0f into 4 bytes keeps its bits: NaN's payload would not survive the conversion. */
        bits = t.is_f32 && in->bytes == 4 ? t.integer ^ (negative ? 1ull << 31 : 0)
                                          : init_bits(type, negative ? -d : d);
    } else {
        if (negative)
            lex_restore(p, &start);
        bits = (uint64_t)int_binary(p, 1);
        if (lex_take(p, '(')) {
            init_address(p, in, at, bits);
            return;
        }
        if (type == PTX_F32 || type == PTX_F64)
            bits = init_bits(type, (double)(int64_t)bits);
    }
    memcpy(in->v->init + at, &bits, in->bytes > 8 ? 8 : in->bytes);
}

/* A value, or {...} for dims[0] parts of dims[1]*... elements; gives the place behind it. */
static uint64_t
init_list(struct parser *p, struct init *in, uint64_t at, const uint64_t *dims, uint32_t n)
{
    if (!lex_is(p, '{')) {
        init_scalar(p, in, at);
        return at + in->bytes;
    }
    if (n == 0) {
        fail_here(p, "'%s' has fewer dimensions than this", in->v->name);
        return at;
    }
    lex_next(p);
    uint64_t inner = in->bytes, end = at;
    for (uint32_t k = 1; k < n; k++)
        inner *= dims[k];
    end = at + inner * dims[0];
    while (!lex_is(p, '}') && !p->failed && p->tok.kind != TOKEN_END) {
        if (lex_is(p, '{')) {
            init_list(p, in, at, dims + 1, n - 1);
            at += inner;
        } else {
            at = init_list(p, in, at, dims + 1, n - 1);
        }
        if (at > end)
            fail_here(p, "'%s' has more initial values than elements", in->v->name);
        if (!lex_take(p, ','))
            break;
    }
    lex_expect(p, '}');
    return end;
}

/* Elements of x[] = {...}, or x[][2] = {{..}, ..}: the parts of the outermost braces. */
static uint64_t
count_parts(struct parser *p, const uint64_t *dims, uint32_t n)
{
    struct lex_state start = lex_save(p);
    uint64_t parts = 0, values = 0, inner = 1;
    uint32_t depth = 0;
    bool any = false;
    for (uint32_t k = 1; k < n; k++)
        inner *= dims[k];
    do {
        if (lex_is(p, '{')) {
            parts += depth++ == 1;
        } else if (lex_is(p, '}') || (lex_is(p, ',') && depth == 1)) {
            values += depth == 1 && any;
            depth -= lex_is(p, '}');
            any = false;
        } else {
            any |= depth == 1;
        }
        lex_next(p);
    } while (depth && !p->failed && p->tok.kind != TOKEN_END);
    lex_restore(p, &start);
    return parts + (inner ? (values + inner - 1) / inner : 0);
}

/* texref, samplerref, surfref: { addr_mode_0 = wrap, ... }: what the driver sets when it binds. */
static void
skip_braces(struct parser *p)
{
    lex_expect(p, '{');
    while (!lex_is(p, '}') && !p->failed && p->tok.kind != TOKEN_END)
        lex_next(p);
    lex_expect(p, '}');
}

static void
parse_initial_value(struct parser *p, struct ptx_var *v, uint64_t dims[9], uint32_t n)
{
    uint32_t bytes = ptx_type_bytes((enum ptx_type)v->type);
    if (!bytes) {
        skip_braces(p);
        return;
    }
    if (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST) {
        fail_here(p, "'%s' is in .%s and cannot have an initial value", v->name,
                  ptx_space_name((enum ptx_space)v->space));
        return;
    }
    if (v->vec > 1 && n < 9)
        dims[n++] = v->vec;
    if (v->unsized && lex_is(p, '{')) {
        dims[0] = count_parts(p, dims, n);
        v->size = bytes;
        for (uint32_t k = 0; k < n; k++)
            if (__builtin_mul_overflow(v->size, dims[k], &v->size))
                v->size = UINT64_MAX;
        v->unsized = false;
    }
    if (v->unsized || v->size > PTX_LIMIT_INIT) {
        fail_here(p, "'%s' is too large for an initial value", v->name);
        return;
    }
    struct init in = {.v = v, .bytes = bytes};
    v->init = arena_alloc(p->arena, v->size + 16);
    if (p->tok.kind == TOKEN_STRING) {
        memcpy(v->init, p->tok.at, p->tok.count < v->size ? p->tok.count : v->size);
        lex_next(p);
    } else {
        init_list(p, &in, 0, dims, n);
    }
    v->relocs = ARENA_ARRAY(p->arena, struct ptx_reloc, in.relocs.count + 1);
    if (in.relocs.count)
        memcpy(v->relocs, in.relocs.at, sizeof *v->relocs * in.relocs.count);
    v->reloc_count = (uint32_t)in.relocs.count;
    VEC_FREE(&in.relocs);
}

static uint32_t
type_align(enum ptx_type t, uint32_t vec)
{
    uint32_t bytes = ptx_type_bytes(t) * vec;
    return bytes ? bytes : 8;
}

/* .ptr .global .align 8: where a parameter points, not how it is placed itself. */
static void
skip_pointee(struct parser *p)
{
    const struct word *w;
    while ((w = dot_word(p)) && w->kind == WORD_SPACE)
        lex_next(p);
    if (lex_take_dot(p, "align"))
        expr_count(p, "alignment", 1 << 20);
}

static void
skip_attribute(struct parser *p, struct ptx_var *v)
{
    lex_expect(p, '(');
    for (uint32_t depth = 0; p->tok.kind != TOKEN_END && (depth || !lex_is(p, ')'));) {
        depth += lex_is(p, '(');
        depth -= lex_is(p, ')');
        v->managed |= lex_is_dot(p, "managed");
        lex_next(p);
    }
    lex_expect(p, ')');
}

static void
parse_qualifiers(struct parser *p, struct ptx_var *v)
{
    for (bool more = true; more && !p->failed;) {
        const struct word *w = dot_word(p);
        if (lex_is_dot(p, "align")) {
            lex_next(p);
            struct token at = p->tok;
            uint64_t a = expr_count(p, "alignment", 1 << 20);
            if (!a || (a & (a - 1)))
                fail_at(p, at.line, at.column, "an alignment must be a power of two");
            v->align = (uint32_t)a;
        } else if (lex_take_dot(p, "attribute")) {
            skip_attribute(p, v);
        } else if (lex_take_dot(p, "ptr")) {
            skip_pointee(p);
        } else if (w && w->kind == WORD_VEC) {
            v->vec = (uint8_t)w->value;
            lex_next(p);
        } else if (w && w->kind == WORD_TYPE && !v->type) {
            v->type = (uint8_t)w->value;
            lex_next(p);
        } else {
            more = false;
        }
    }
}

/* [4][2], []: the number of elements; 0 for []. */
static uint64_t
parse_dimensions(struct parser *p, struct ptx_var *v, uint64_t dims[9], uint32_t *ndims)
{
    uint64_t n = 1;
    struct token at = p->tok;
    while (lex_take(p, '[') && !p->failed) {
        uint64_t d = 0;
        if (*ndims >= 8)
            fail_here(p, "more than 8 dimensions");
        if (lex_is(p, ']') && !*ndims)
            v->unsized = true;
        else
            d = expr_count(p, "array size", PTX_LIMIT_VARIABLE);
        lex_expect(p, ']');
        if (*ndims < 8)
            dims[(*ndims)++] = d;
        if (__builtin_mul_overflow(n, v->unsized && *ndims == 1 ? 1 : d, &n) ||
            n > PTX_LIMIT_VARIABLE)
            fail_at(p, at.line, at.column, "'%s' is too large", v->name);
    }
    return v->unsized ? 0 : n;
}

static void
declare_name(struct parser *p, struct ptx_var *v, struct token *at, uint64_t dims[9],
             uint32_t *ndims)
{
    *at = p->tok;
    v->name = lex_name(p, "a variable's name");
    v->line = at->line;
    uint64_t n = parse_dimensions(p, v, dims, ndims);
    uint64_t element = type_align((enum ptx_type)v->type, v->vec);
    if (__builtin_mul_overflow(n, element, &v->size) || v->size > PTX_LIMIT_VARIABLE)
        fail_at(p, at->line, at->column, "'%s' is too large", v->name);
}

/* After the space: .align .vec .type name[dims]. */
static struct ptx_var *
declare(struct parser *p, enum ptx_space space, struct token *at, uint64_t dims[9], uint32_t *ndims)
{
    struct ptx_var *v = ARENA_NEW(p->arena, struct ptx_var);
    v->space = (uint8_t)space;
    v->vec = 1;
    parse_qualifiers(p, v);
    if (!v->type)
        fail_expected(p, "a type");
    else if (v->type == PTX_PRED && space != PTX_SPACE_REG)
        fail_here(p, "a variable cannot be of type .pred");
    if (!v->align)
        v->align = type_align((enum ptx_type)v->type, v->vec);
    declare_name(p, v, at, dims, ndims);
    return v;
}

/* v, or what the name stands for already: an .extern variable and its definition are one. */
static struct ptx_var *
add_variable(struct parser *p, struct ptx_var *v, const struct token *at)
{
    struct symbol *old = symbol_find_in(p, v->name, strlen(v->name), p->scopes[p->depth].id);
    struct ptx_var *first = old && old->kind == SYMBOL_VAR ? old->var : NULL;
    if (first && (v->linkage == PTX_EXTERN || first->linkage == PTX_EXTERN)) {
        if (first->space != v->space || first->type != v->type) {
            fail_at(p, at->line, at->column, "'%s' is declared differently on line %u", v->name,
                    first->line);
            return NULL;
        }
        if (v->linkage != PTX_EXTERN) {
            v->index = first->index;
            v->func = first->func;
            *first = *v;
        }
        return first;
    }
    struct symbol *s = symbol_add(p, v->name, SYMBOL_VAR, at->line, at->column);
    if (!s)
        return NULL;
    s->var = v;
    if (p->depth) {
        v->func = p->func;
        v->index = (uint32_t)p->locals.count;
        VEC_PUSH(&p->locals, v);
    } else {
        v->index = (uint32_t)p->vars.count;
        VEC_PUSH(&p->vars, v);
    }
    return v;
}

/* The token is the space. */
void
parse_variable(struct parser *p, enum ptx_linkage linkage)
{
    enum ptx_space space = (enum ptx_space)dot_word(p)->value;
    if (space == PTX_SPACE_SREG || space == PTX_SPACE_REG || space == PTX_SPACE_SHARED_CLUSTER ||
        (space == PTX_SPACE_PARAM && !p->depth)) {
        fail_here(p, "a variable cannot be declared in .%s here", ptx_space_name(space));
        return;
    }
    lex_next(p);
    struct ptx_var first = {0}; /* .u32 a, b: the type is said once */
    do {
        struct token at;
        uint64_t dims[9] = {0};
        uint32_t n = 0;
        struct ptx_var *v;
        if (first.type) {
            v = ARENA_NEW(p->arena, struct ptx_var);
            *v = first;
            declare_name(p, v, &at, dims, &n);
        } else {
            v = declare(p, space, &at, dims, &n);
        }
        v->linkage = (uint8_t)linkage;
        if (!first.type)
            first = (struct ptx_var){.space = v->space, .type = v->type, .vec = v->vec,
                                     .align = v->align, .managed = v->managed};
        if (!p->failed)
            v = add_variable(p, v, &at);
        if (p->failed)
            return;
        if (lex_take(p, '='))
            parse_initial_value(p, v, dims, n);
    } while (lex_take(p, ',') && !p->failed);
    lex_expect(p, ';');
}

void
parse_parameters(struct parser *p, struct ptx_func *f, bool results, bool prototype)
{
    VEC(struct ptx_var *) list = {0};
    VEC(uint32_t) regs = {0};
    uint64_t at_byte = 0;
    lex_expect(p, '(');
    while (!lex_is(p, ')') && !p->failed && p->tok.kind != TOKEN_END) {
        const struct word *w = dot_word(p);
        if (!w || w->kind != WORD_SPACE || (w->value != PTX_SPACE_PARAM && w->value != PTX_SPACE_REG)) {
            fail_expected(p, ".param or .reg");
            break;
        }
        enum ptx_space space = (enum ptx_space)w->value;
        lex_next(p);
        struct token at;
        uint64_t dims[9] = {0};
        uint32_t n = 0, reg = PTX_NO_REG;
        struct ptx_var *v = declare(p, space, &at, dims, &n);
        v->func = f;
        if (space == PTX_SPACE_REG && !prototype)
            reg = add_reg(p, v->name, (enum ptx_type)v->type, v->vec, &at);
        else if (!prototype && !p->failed) {
            struct symbol *s = symbol_add(p, v->name, SYMBOL_VAR, at.line, at.column);
            if (s)
                s->var = v;
        }
        at_byte = (at_byte + v->align - 1) & ~(uint64_t)(v->align - 1);
        v->param_offset = at_byte;
        at_byte += v->size;
        if (at_byte > PTX_LIMIT_VARIABLE)
            fail_at(p, at.line, at.column, "the parameters are too large");
        v->index = UINT32_MAX; /* not among the function's own variables */
        VEC_PUSH(&list, v);
        VEC_PUSH(&regs, reg);
        if (!lex_take(p, ','))
            break;
    }
    lex_expect(p, ')');
    struct ptx_var **copy = ARENA_ARRAY(p->arena, struct ptx_var *, list.count + 1);
    uint32_t *reg_copy = ARENA_ARRAY(p->arena, uint32_t, list.count + 1);
    for (size_t k = 0; k < list.count; k++) {
        copy[k] = list.at[k];
        reg_copy[k] = regs.at[k];
    }
    if (results) {
        f->results = copy;
        f->result_regs = reg_copy;
        f->result_count = (uint32_t)list.count;
    } else {
        f->params = copy;
        f->param_regs = reg_copy;
        f->param_count = (uint32_t)list.count;
        f->param_bytes = at_byte;
    }
    VEC_FREE(&list);
    VEC_FREE(&regs);
}

/* -- operands -------------------------------------------------------------------------------------------- */

void
add_label_use(struct parser *p, struct ptx_operand *o, uint32_t *label, const char *name,
              bool wants_targets, const struct token *t)
{
    VEC_PUSH(&p->uses, ((struct label_use){o, label, name, p->scopes[p->depth].id, t->line,
                                           t->column, wants_targets}));
}

static uint8_t
part_of(struct parser *p)
{
    static const char *const parts[] = {"x", "y", "z", "w", "b0", "b1", "b2", "b3", "h0", "h1"};
    static const char *const colours[] = {"r", "g", "b", "a"};
    if (p->tok.kind != TOKEN_DOT || !p->tok.glued)
        return 0;
    for (uint8_t k = 0; k < 10; k++)
        if (lex_take_dot(p, parts[k]))
            return (uint8_t)(k + 1);
    for (uint8_t k = 0; k < 4; k++)
        if (lex_take_dot(p, colours[k]))
            return (uint8_t)(k + 1);
    return 0;
}

static bool
special_register(struct parser *p, const struct token *name, struct ptx_operand *o)
{
    char text[64];
    if (name->count > 40)
        return false;
    memcpy(text, name->at, name->count);
    text[name->count] = 0;
    size_t n = name->count;
    if (p->tok.kind == TOKEN_DOT && p->tok.glued && p->tok.count < 20) {
        snprintf(text + n, sizeof text - n, ".%.*s", (int)p->tok.count, p->tok.at);
        const struct word *w = words_find(&p->sregs, text, strlen(text));
        if (w) {
            lex_next(p);
            o->kind = PTX_O_SREG;
            o->sreg = (uint16_t)w->value;
            return true;
        }
    }
    const struct word *w = words_find(&p->sregs, text, n);
    if (!w)
        return false;
    o->kind = PTX_O_SREG;
    o->sreg = (uint16_t)w->value;
    return true;
}

static struct ptx_operand operand(struct parser *p, const struct ptx_insn *i);

static void
elements(struct parser *p, const struct ptx_insn *i, struct ptx_operand *o, int close)
{
    VEC(struct ptx_operand) list = {0};
    while (!lex_is(p, close) && !p->failed && p->tok.kind != TOKEN_END) {
        if (list.count >= PTX_LIMIT_ELEMENTS)
            fail_here(p, "more than %d elements", PTX_LIMIT_ELEMENTS);
        struct ptx_operand e = operand(p, i);
        VEC_PUSH(&list, e);
        if (!lex_take(p, ','))
            break;
    }
    lex_expect(p, close);
    o->count = (uint32_t)list.count;
    o->elements = ARENA_ARRAY(p->arena, struct ptx_operand, list.count + 1);
    if (list.count)
        memcpy(o->elements, list.at, sizeof *o->elements * list.count);
    VEC_FREE(&list);
}

/* [reg+imm], [var+imm], [imm]; tex: [t, {x, y}]. The bracket is taken. */
static void
address(struct parser *p, const struct ptx_insn *i, struct ptx_operand *o)
{
    bool texture = i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4 || i->op == PTX_OP_SULD ||
                   i->op == PTX_OP_SUST || i->op == PTX_OP_TXQ || i->op == PTX_OP_SUQ ||
                   i->op == PTX_OP_SURED;
    if (texture) {
        o->kind = PTX_O_TEX;
        elements(p, i, o, ']');
        return;
    }
    o->kind = PTX_O_ADDRESS;
    o->base_kind = PTX_BASE_NONE;
    if (p->tok.kind == TOKEN_NAME) {
        struct token t = p->tok;
        struct symbol *s = symbol_find(p, t.at, t.count);
        lex_next(p);
        if (s && s->kind == SYMBOL_REG) {
            o->base_kind = PTX_BASE_REG;
            o->reg = s->index;
        } else if (s && s->kind == SYMBOL_VAR) {
            o->base_kind = PTX_BASE_VAR;
            o->var = s->var;
        } else {
            fail_at(p, t.line, t.column, "'%.*s' is not declared", (int)t.count, t.at);
        }
        o->offset = offset(p);
    } else {
        o->offset = (int64_t)expr_count(p, "address", UINT64_MAX);
    }
    lex_expect(p, ']');
}

/* Whether the operand being read is the function: the first one, or the one behind (results). */
static bool
is_call_target(const struct ptx_insn *i)
{
    return i->operand_count == 0 || (i->operand_count == 1 && i->operand[0].kind == PTX_O_LIST);
}

static void
named_operand(struct parser *p, const struct ptx_insn *i, struct ptx_operand *o)
{
    struct token t = p->tok;
    lex_next(p);
    if (t.count == 1 && t.at[0] == '_') {
        o->kind = PTX_O_SINK;
        return;
    }
    struct symbol *s = symbol_find(p, t.at, t.count);
    if (!s && t.at[0] == '%' && special_register(p, &t, o))
        return;
    if (s && s->kind == SYMBOL_REG) {
        o->kind = PTX_O_REG;
        o->reg = s->index;
        o->part = part_of(p);
        return;
    }
    const char *name = lex_text(p, &t);
    if (s && s->kind == SYMBOL_VAR) {
        o->kind = PTX_O_SYMBOL;
        o->var = s->var;
        o->offset = element_offset(p, s->var) + offset(p);
        return;
    }
    if (s && s->kind == SYMBOL_FUNC) {
        o->kind = i->op == PTX_OP_CALL ? PTX_O_FUNC : PTX_O_SYMBOL;
        o->func = s->func;
        return;
    }
    if (i->op == PTX_OP_BRA) {
        o->kind = PTX_O_LABEL;
        add_label_use(p, NULL, NULL, name, false, &t);
        return;
    }
    if (i->op == PTX_OP_BRX || (i->op == PTX_OP_CALL && !is_call_target(i))) {
        o->kind = PTX_O_TARGETS;
        add_label_use(p, NULL, NULL, name, true, &t);
        return;
    }
    if (t.at[0] == '%' || (i->op != PTX_OP_CALL && i->op != PTX_OP_MOV)) {
        fail_at(p, t.line, t.column, "'%s' is not declared", name);
        return;
    }
    s = symbol_of_function(p, name, t.line, t.column);
    if (s && s->kind != SYMBOL_FUNC)
        fail_at(p, t.line, t.column, "'%s' is not a function", name);
    o->kind = i->op == PTX_OP_CALL ? PTX_O_FUNC : PTX_O_SYMBOL;
    o->func = s && s->kind == SYMBOL_FUNC ? s->func : NULL;
}

static void
constant_operand(struct parser *p, struct ptx_operand *o)
{
    struct token t = p->tok;
    bool minus = false;
    if (lex_is(p, '-')) {
        lex_next(p);
        if (p->tok.kind == TOKEN_FLOAT) {
            minus = true;
        } else if (p->tok.kind == TOKEN_NAME) {
            struct symbol *s = symbol_find(p, p->tok.at, p->tok.count);
            if (s && s->kind == SYMBOL_REG) {
                o->kind = PTX_O_REG;
                o->reg = s->index;
                o->negated = true;
                lex_next(p);
                return;
            }
        } else {
            int64_t v = int_primary(p);
            o->kind = PTX_O_INT;
            o->imm = 0 - (uint64_t)v;
            return;
        }
    }
    t = p->tok;
    if (t.kind == TOKEN_FLOAT) {
        lex_next(p);
        o->kind = PTX_O_FLOAT;
        o->imm = t.integer ^ (minus ? (t.is_f32 ? 1ull << 31 : 1ull << 63) : 0);
        o->imm_is_f32 = t.is_f32;
        return;
    }
    o->kind = PTX_O_INT;
    o->imm = expr_count(p, "constant", UINT64_MAX);
}

static struct ptx_operand
operand(struct parser *p, const struct ptx_insn *i)
{
    struct ptx_operand o = {0};
    if (p->expression_depth > 8) {
        fail_here(p, "operands are nested too deeply");
        return o;
    }
    p->expression_depth++;
    if (lex_take(p, '{')) {
        o.kind = PTX_O_VECTOR;
        elements(p, i, &o, '}');
    } else if (lex_take(p, '(')) {
        o.kind = PTX_O_LIST;
        elements(p, i, &o, ')');
    } else if (lex_take(p, '[')) {
        address(p, i, &o);
    } else if (lex_take(p, '!')) {
        o = operand(p, i);
        o.negated = !o.negated;
    } else if (p->tok.kind == TOKEN_NAME &&
               !(p->tok.count == 7 && !memcmp(p->tok.at, "WARP_SZ", 7))) {
        named_operand(p, i, &o);
    } else {
        constant_operand(p, &o);
    }
    p->expression_depth--;
    return o;
}

void
parse_operands(struct parser *p, struct ptx_insn *i)
{
    VEC(struct ptx_operand) list = {0};
    VEC(size_t) use_of = {0};
    size_t first_use = p->uses.count;
    while (!lex_is(p, ';') && !p->failed && p->tok.kind != TOKEN_END) {
        i->operand_count = (uint8_t)list.count;
        i->operand = list.at;
        struct ptx_operand o = operand(p, i);
        if (lex_take(p, '|')) {
            struct ptx_operand second = operand(p, i);
            struct ptx_operand pair = {.kind = PTX_O_PAIR, .count = 2};
            pair.elements = ARENA_ARRAY(p->arena, struct ptx_operand, 2);
            pair.elements[0] = o;
            pair.elements[1] = second;
            o = pair;
        }
        if (list.count >= 32) {
            fail_here(p, "too many operands");
            break;
        }
        VEC_PUSH(&list, o);
        VEC_PUSH(&use_of, p->uses.count);
        if (!lex_take(p, ','))
            break;
    }
    i->operand_count = (uint8_t)list.count;
    i->operand = ARENA_ARRAY(p->arena, struct ptx_operand, list.count + 1);
    if (list.count)
        memcpy(i->operand, list.at, sizeof *i->operand * list.count);
    /* Uses of labels met above point at their operands' final place. */
    for (size_t k = 0, u = first_use; k < list.count; k++)
        for (; u < use_of.at[k]; u++)
            p->uses.at[u].operand = &i->operand[k];
    VEC_FREE(&list);
    VEC_FREE(&use_of);
}

/* -- instructions ----------------------------------------------------------------------------------------- */

static void
take_modifier(struct parser *p, struct ptx_insn *i, uint32_t *order)
{
    const struct word *w = dot_word(p);
    if (!w) {
        fail_here(p, "'.%.*s' is not a modifier of PTX", (int)p->tok.count, p->tok.at);
        return;
    }
    switch (w->kind) {
    case WORD_TYPE:
        if (i->type_count == PTX_MAX_TYPES)
            fail_here(p, "more than %d types", PTX_MAX_TYPES);
        else
            i->type[i->type_count++] = (uint8_t)w->value;
        break;
    case WORD_SPACE:
        if (i->space == PTX_SPACE_NONE)
            i->space = (uint8_t)w->value;
        else
            i->space2 = (uint8_t)w->value;
        break;
    case WORD_VEC:
        i->vec = (uint8_t)w->value;
        break;
    default:
        i->mods[w->value / 64] |= 1ull << (w->value % 64);
        if (*order < 8)
            i->order[(*order)++] = (uint16_t)w->value;
    }
    lex_next(p);
}

/* The longest row that the dot words begin with: bar, bar.warp. */
static void
take_mnemonic(struct parser *p, struct ptx_insn *i)
{
    struct token t = p->tok;
    const struct word *w = words_find(&p->ops, t.at, t.count);
    if (!w) {
        fail_here(p, "%.*s is not a PTX instruction", t.count < 60 ? (int)t.count : 60, t.at);
        return;
    }
    uint32_t op = w->value, words = w->kind;
    lex_next(p);
    struct lex_state after = lex_save(p);
    for (uint32_t k = 1; k < words && p->tok.kind == TOKEN_DOT && p->tok.glued; k++) {
        size_t n = (size_t)(p->tok.at + p->tok.count - t.at);
        lex_next(p);
        w = words_find(&p->ops, t.at, n);
        if (w) {
            op = w->value;
            after = lex_save(p);
        }
    }
    lex_restore(p, &after);
    if (p->failed)
        return;
    i->op = (uint16_t)op;
    if (op == PTX_OP_NONE)
        fail_at(p, t.line, t.column, "%.*s is not a PTX instruction", (int)t.count, t.at);
    else if (ptx_op_status((enum ptx_op)op) == PTX_LEFT_OUT)
        fail_unsupported(p, &t, ptx_op_name((enum ptx_op)op));
}

static void
parse_insn(struct parser *p)
{
    struct ptx_insn i = {.guard = PTX_NO_REG, .vec = 1, .loc = p->loc};
    uint32_t order = 0;
    if (lex_take(p, '@')) {
        i.guard_negated = lex_take(p, '!');
        struct token t = p->tok;
        const char *name = lex_name(p, "a predicate");
        struct symbol *s = symbol_find(p, name, strlen(name));
        if (!s || s->kind != SYMBOL_REG || p->regs.at[s->index].type != PTX_PRED)
            fail_at(p, t.line, t.column, "'%s' is not a predicate register", name);
        else
            i.guard = s->index;
    }
    i.line = p->tok.line;
    i.column = p->tok.column;
    if (p->tok.kind != TOKEN_NAME) {
        fail_expected(p, "an instruction");
        return;
    }
    p->mnemonic = p->tok;
    take_mnemonic(p, &i);
    while (p->tok.kind == TOKEN_DOT && !p->failed) {
        p->mnemonic.count = (uint32_t)(p->tok.at + p->tok.count - p->mnemonic.at);
        take_modifier(p, &i, &order);
    }
    if (!p->failed)
        parse_operands(p, &i);
    lex_expect(p, ';');
    if (!p->failed)
        check_insn(p, &i);
    VEC_PUSH(&p->insns, i);
}

/* Names behind a label, up to the semicolon. */
static void
parse_target_names(struct parser *p, struct ptx_targets *t)
{
    VEC(struct token) names = {0};
    do {
        struct token at = p->tok;
        lex_name(p, t->kind == 'b' ? "a label" : "a function");
        VEC_PUSH(&names, at);
    } while (lex_take(p, ',') && !p->failed);
    t->count = (uint32_t)names.count;
    if (t->kind == 'b')
        t->labels = ARENA_ARRAY(p->arena, uint32_t, names.count + 1);
    else
        t->funcs = ARENA_ARRAY(p->arena, struct ptx_func *, names.count + 1);
    for (size_t k = 0; k < names.count && !p->failed; k++) {
        const struct token *at = &names.at[k];
        const char *name = lex_text(p, at);
        if (t->kind == 'b') {
            add_label_use(p, NULL, &t->labels[k], name, false, at);
            continue;
        }
        struct symbol *s = symbol_of_function(p, name, at->line, at->column);
        if (s && s->kind != SYMBOL_FUNC)
            fail_at(p, at->line, at->column, "'%s' is not a function", name);
        else if (s)
            t->funcs[k] = s->func;
    }
    VEC_FREE(&names);
}

static void
parse_targets(struct parser *p, const char *name, const struct token *at)
{
    struct ptx_targets t = {.name = name, .line = at->line};
    if (lex_take_dot(p, "branchtargets")) {
        t.kind = 'b';
        parse_target_names(p, &t);
    } else if (lex_take_dot(p, "calltargets")) {
        t.kind = 'c';
        parse_target_names(p, &t);
    } else {
        lex_next(p);
        t.kind = 'p';
        t.prototype = ARENA_NEW(p->arena, struct ptx_func);
        t.prototype->name = "_";
        t.prototype->module = p->m;
        if (lex_is(p, '('))
            parse_parameters(p, t.prototype, true, true);
        lex_name(p, "_");
        if (lex_is(p, '('))
            parse_parameters(p, t.prototype, false, true);
        while ((p->tok.kind == TOKEN_DOT || p->tok.kind == TOKEN_INT) && !p->failed) {
            t.prototype->noreturn |= lex_is_dot(p, "noreturn");
            lex_next(p); /* .abi_preserve 4 */
        }
    }
    lex_expect(p, ';');
    struct symbol *s = symbol_add(p, name, SYMBOL_TARGETS, at->line, at->column);
    if (!s)
        return;
    s->index = (uint32_t)p->targets.count;
    VEC_PUSH(&p->label_symbols, s);
    VEC_PUSH(&p->targets, t);
}

static struct ptx_loc
parse_place(struct parser *p)
{
    struct ptx_loc l = {0};
    l.file = (uint32_t)expr_count(p, "file number", PTX_LIMIT_FILES);
    l.line = (uint32_t)expr_count(p, "line", UINT32_MAX);
    l.column = (uint32_t)expr_count(p, "column", UINT32_MAX);
    return l;
}

/* The place of a call: the last .loc of the same place, which has the chain above it. */
static uint32_t
find_loc(struct parser *p, const struct ptx_loc *l)
{
    for (size_t k = p->locs.count, n = 0; k-- > 1 && n < 1000; n++) {
        const struct ptx_loc *x = &p->locs.at[k];
        if (x->file == l->file && x->line == l->line && x->column == l->column)
            return (uint32_t)k;
    }
    VEC_PUSH(&p->locs, *l);
    return (uint32_t)p->locs.count - 1;
}

/* .loc file line column, function_name label+offset, inlined_at file line column (PTX ISA 11.5) */
static void
parse_loc(struct parser *p)
{
    lex_next(p);
    struct ptx_loc l = parse_place(p);
    struct loc_name name = {.func = p->func};
    while (lex_take(p, ',') && !p->failed) {
        struct token t = p->tok;
        const char *word = lex_name(p, "function_name or inlined_at");
        if (!strcmp(word, "function_name")) {
            name.label = lex_name(p, "a label");
            name.offset = (uint64_t)offset(p);
        } else if (!strcmp(word, "inlined_at")) {
            struct ptx_loc caller = parse_place(p);
            l.inlined_at = p->func ? find_loc(p, &caller) : 0;
        } else {
            fail_at(p, t.line, t.column, "function_name or inlined_at expected, not '%s'", word);
        }
    }
    if (!p->func || p->failed)
        return;
    p->loc = name.loc = (uint32_t)p->locs.count;
    VEC_PUSH(&p->locs, l);
    if (name.label)
        VEC_PUSH(&p->loc_names, name);
}

static void
add_label(struct parser *p, const char *name, const struct token *at)
{
    struct symbol *s = symbol_add(p, name, SYMBOL_LABEL, at->line, at->column);
    if (!s)
        return;
    s->index = (uint32_t)p->labels.count;
    VEC_PUSH(&p->label_symbols, s);
    VEC_PUSH(&p->labels, ((struct ptx_label){name, (uint32_t)p->insns.count, at->line}));
}

static void
statement(struct parser *p)
{
    const struct word *w = dot_word(p);
    if (lex_is_dot(p, "loc")) {
        parse_loc(p);
    } else if (lex_is_dot(p, "file")) {
        parse_file(p);
    } else if (lex_is_dot(p, "pragma")) {
        parse_pragma(p);
    } else if (w && w->kind == WORD_SPACE && w->value == PTX_SPACE_REG) {
        parse_reg(p);
    } else if (w && w->kind == WORD_SPACE) {
        parse_variable(p, PTX_LOCAL_LINKAGE);
    } else if (p->tok.kind == TOKEN_NAME) {
        struct lex_state at_name = lex_save(p);
        struct token t = p->tok;
        lex_next(p);
        if (lex_is(p, ':')) {
            lex_next(p);
            const char *name = lex_text(p, &t);
            if (lex_is_dot(p, "branchtargets") || lex_is_dot(p, "calltargets") ||
                lex_is_dot(p, "callprototype"))
                parse_targets(p, name, &t);
            else
                add_label(p, name, &t);
            return;
        }
        if (p->failed)
            return;
        lex_restore(p, &at_name);
        parse_insn(p);
    } else {
        parse_insn(p);
    }
}

/* The function's labels by name and scope, for resolve_labels: scopes are closed by then. */
struct label_table {
    struct symbol **slot;
    uint32_t mask;
};

static uint32_t
label_hash(uint32_t hash, uint32_t scope)
{
    hash ^= scope * 2654435761u;
    return hash ^ hash >> 15;
}

static struct label_table
make_label_table(struct parser *p)
{
    struct label_table t = {.mask = 15};
    while (t.mask < p->label_symbols.count * 2)
        t.mask = t.mask * 2 + 1;
    t.slot = ls_alloc(sizeof *t.slot * ((size_t)t.mask + 1));
    for (size_t k = 0; k < p->label_symbols.count; k++) {
        struct symbol *s = p->label_symbols.at[k];
        uint32_t h = label_hash(s->hash, s->scope) & t.mask;
        while (t.slot[h])
            h = (h + 1) & t.mask;
        t.slot[h] = s;
    }
    return t;
}

/* The label of this name in the use's scope, or in one around it. */
static struct symbol *
find_label(struct parser *p, const struct label_table *t, const struct label_use *u)
{
    uint32_t hash = words_hash(u->name, strlen(u->name));
    for (uint32_t scope = u->scope; scope; scope = p->parents.at[scope])
        for (uint32_t h = label_hash(hash, scope) & t->mask; t->slot[h]; h = (h + 1) & t->mask)
            if (t->slot[h]->scope == scope && !strcmp(t->slot[h]->name, u->name))
                return t->slot[h];
    return NULL;
}

static void
resolve_labels(struct parser *p)
{
    struct label_table t = make_label_table(p);
    for (size_t k = 0; k < p->uses.count && !p->failed; k++) {
        struct label_use *u = &p->uses.at[k];
        struct symbol *found = find_label(p, &t, u);
        if (!found)
            fail_at(p, u->line, u->column, "label '%s' is not defined", u->name);
        else if (u->wants_targets != (found->kind == SYMBOL_TARGETS))
            fail_at(p, u->line, u->column, "'%s' is %s", u->name,
                    u->wants_targets ? "a label, not a list of targets"
                                     : "a list of targets, not a label");
        else if (!u->operand)
            *u->label = found->index;
        else if (u->wants_targets)
            u->operand->target = found->index;
        else
            u->operand->label = found->index;
    }
    ls_release(t.slot);
}

#define KEEP(field, type, count_field)                                                             \
    f->field = ARENA_ARRAY(p->arena, type, p->field.count + 1);                                    \
    if (p->field.count)                                                                            \
        memcpy(f->field, p->field.at, sizeof(type) * p->field.count);                              \
    f->count_field = (uint32_t)p->field.count;                                                     \
    p->field.count = 0

void
parse_body(struct parser *p, struct ptx_func *f)
{
    uint32_t depth = p->depth;
    lex_expect(p, '{');
    while (!p->failed) {
        if (p->tok.kind == TOKEN_END) {
            fail_here(p, "the text ends inside function '%s'", f->name);
        } else if (lex_take(p, '{')) {
            scope_open(p);
        } else if (lex_is(p, '}')) {
            lex_next(p);
            if (p->depth == depth)
                break;
            scope_close(p);
        } else {
            statement(p);
        }
    }
    if (!p->failed)
        resolve_labels(p);
    KEEP(regs, struct ptx_reg, reg_count);
    KEEP(insns, struct ptx_insn, insn_count);
    KEEP(labels, struct ptx_label, label_count);
    KEEP(targets, struct ptx_targets, target_count);
    KEEP(locs, struct ptx_loc, loc_count);
    f->vars = ARENA_ARRAY(p->arena, struct ptx_var *, p->locals.count + 1);
    if (p->locals.count)
        memcpy(f->vars, p->locals.at, sizeof *f->vars * p->locals.count);
    f->var_count = (uint32_t)p->locals.count;
    p->locals.count = 0;
    p->uses.count = 0;
    p->label_symbols.count = 0;
    f->has_body = true;
}

/* -- functions ------------------------------------------------------------------------------------------------- */

static void
triple(struct parser *p, uint32_t out[3])
{
    lex_next(p);
    for (int k = 0; k < 3; k++) {
        out[k] = (uint32_t)expr_count(p, "dimension", UINT32_MAX);
        if (!lex_take(p, ','))
            for (k++; k < 3; k++)
                out[k] = 1;
    }
}

static void
performance(struct parser *p, struct ptx_func *f)
{
    while (p->tok.kind == TOKEN_DOT && !p->failed) {
        if (lex_is_dot(p, "maxntid")) {
            triple(p, f->maxntid);
        } else if (lex_is_dot(p, "reqntid")) {
            triple(p, f->reqntid);
        } else if (lex_is_dot(p, "reqnctapercluster")) {
            triple(p, f->reqnctapercluster);
        } else if (lex_take_dot(p, "minnctapersm")) {
            f->minnctapersm = (uint32_t)expr_count(p, "number of blocks", UINT32_MAX);
        } else if (lex_take_dot(p, "maxnctapersm")) {
            expr_count(p, "number of blocks", UINT32_MAX);
        } else if (lex_take_dot(p, "maxnreg")) {
            f->maxnreg = (uint32_t)expr_count(p, "number of registers", UINT32_MAX);
        } else if (lex_take_dot(p, "maxclusterrank")) {
            f->maxclusterrank = (uint32_t)expr_count(p, "number of blocks", UINT32_MAX);
        } else if (lex_take_dot(p, "noreturn")) {
            f->noreturn = true;
        } else if (lex_is_dot(p, "pragma")) {
            parse_pragma(p);
        } else if (lex_take_dot(p, "explicitcluster") || lex_take_dot(p, "blocksareclusters")) {
            continue;
        } else if (lex_take_dot(p, "abi_preserve") || lex_take_dot(p, "abi_preserve_control")) {
            expr_count(p, "number of registers", UINT32_MAX);
        } else {
            fail_expected(p, "a body, or ';'");
        }
    }
}

/* One struct a name: a declaration's, filled in by the definition. */
static struct ptx_func *
add_function(struct parser *p, struct ptx_func *f, const struct token *at)
{
    struct symbol *s = symbol_find(p, f->name, strlen(f->name));
    if (!s)
        s = symbol_add_global(p, f->name, SYMBOL_FUNC, at->line, at->column);
    if (!s)
        return NULL;
    if (s->kind != SYMBOL_FUNC || (s->func && s->func->has_body && f->has_body)) {
        fail_at(p, at->line, at->column, "'%s' is already declared on line %u", f->name, s->line);
        return NULL;
    }
    if (!s->func || s->undeclared) {
        struct ptx_func *slot = s->func ? s->func : f;
        if (slot != f)
            *slot = *f;
        slot->index = (uint32_t)p->funcs.count;
        s->func = slot;
        s->line = at->line;
        s->undeclared = false;
        VEC_PUSH(&p->funcs, slot);
        return slot;
    }
    if (s->func->is_kernel != f->is_kernel || s->func->param_count != f->param_count ||
        s->func->result_count != f->result_count) {
        fail_at(p, at->line, at->column, "'%s' is declared differently on line %u", f->name,
                s->line);
        return NULL;
    }
    if (f->has_body) {
        f->index = s->func->index;
        if (f->linkage == PTX_LOCAL_LINKAGE && s->func->linkage != PTX_EXTERN)
            f->linkage = s->func->linkage;
        *s->func = *f;
    }
    return s->func;
}

static void
parse_signature(struct parser *p, struct ptx_func *f, struct token *at)
{
    while (lex_take_dot(p, "noreturn"))
        f->noreturn = true;
    if (lex_is(p, '(')) {
        if (f->is_kernel)
            fail_here(p, "a kernel has no results");
        parse_parameters(p, f, true, false);
    }
    *at = p->tok;
    f->name = lex_name(p, "a function's name");
    if (lex_is(p, '('))
        parse_parameters(p, f, false, false);
    performance(p, f);
    if (f->is_kernel && f->param_bytes > PTX_LIMIT_PARAMETERS)
        fail_at(p, at->line, at->column, "the parameters of '%s' take %llu bytes: more than %d",
                f->name, (unsigned long long)f->param_bytes, PTX_LIMIT_PARAMETERS);
}

void
parse_function(struct parser *p, enum ptx_linkage linkage)
{
    struct ptx_func *f = ARENA_NEW(p->arena, struct ptx_func);
    *f = (struct ptx_func){.is_kernel = lex_is_dot(p, "entry"), .linkage = (uint8_t)linkage,
                           .line = p->tok.line, .module = p->m};
    struct token at;
    lex_next(p);
    scope_open(p);
    VEC_PUSH(&p->locs, ((struct ptx_loc){0}));
    p->loc = 0;
    p->func = f;
    parse_signature(p, f, &at);
    if (!lex_take(p, ';') && !p->failed)
        parse_body(p, f);
    p->func = NULL;
    p->regs.count = p->locals.count = p->locs.count = 0;
    scope_close(p);
    if (p->failed || (f->is_kernel && !f->has_body && linkage != PTX_EXTERN))
        return;
    struct ptx_func *g = add_function(p, f, &at);
    if (!g)
        return;
    for (uint32_t k = 0; k < g->param_count; k++)
        g->params[k]->func = g;
    for (uint32_t k = 0; k < g->result_count; k++)
        g->results[k]->func = g;
    for (uint32_t k = 0; k < g->var_count; k++)
        g->vars[k]->func = g;
}

/* .alias a, b; gives b's body the declared name a as well (PTX ISA 11.6). */
static void
parse_alias(struct parser *p)
{
    lex_next(p);
    struct alias a = {.at = p->tok};
    a.name = lex_name(p, "a function");
    lex_expect(p, ',');
    a.of = lex_name(p, "a function");
    lex_expect(p, ';');
    VEC_PUSH(&p->aliases, a);
}

/* -- the module -------------------------------------------------------------------------------------------------- */

void
parse_file(struct parser *p)
{
    lex_next(p);
    uint64_t n = expr_count(p, "file number", PTX_LIMIT_FILES);
    const char *name = p->tok.kind == TOKEN_STRING ? lex_text(p, &p->tok) : "";
    if (p->tok.kind != TOKEN_STRING)
        fail_expected(p, "a file's name");
    lex_next(p);
    while (lex_take(p, ','))
        expr_count(p, "number", UINT64_MAX);
    while (p->files.count <= n && !p->failed)
        VEC_PUSH(&p->files, ((struct ptx_file){0}));
    if (!p->failed)
        p->files.at[n].name = name;
}

void
parse_pragma(struct parser *p)
{
    lex_next(p);
    do {
        if (p->tok.kind != TOKEN_STRING)
            fail_expected(p, "a string");
        lex_next(p);
    } while (lex_take(p, ',') && !p->failed);
    lex_expect(p, ';');
}

/* The strings of .debug_str, which .loc's function_name points into. */
static void
collect_string(struct parser *p)
{
    struct token t = p->tok;
    lex_next(p);
    if (t.kind == TOKEN_NAME && lex_is(p, ':')) {
        const char *name = arena_strndup(&p->temporary, t.at, t.count);
        words_add(&p->debug_labels, &p->temporary, name, 0, (uint32_t)p->debug_str.count);
    } else if (t.kind == TOKEN_INT) {
        char c = (char)t.integer;
        text_add_bytes(&p->debug_str, &c, 1);
    }
}

static void
parse_section(struct parser *p)
{
    lex_next(p);
    bool strings = lex_is_dot(p, "debug_str");
    lex_next(p); /* its name */
    lex_expect(p, '{');
    while (!lex_is(p, '}') && !p->failed) {
        if (p->tok.kind == TOKEN_END)
            fail_here(p, "the text ends inside a section");
        else if (strings)
            collect_string(p);
        else
            lex_next(p);
    }
    lex_expect(p, '}');
}

static void
parse_version(struct parser *p)
{
    lex_next(p);
    struct token t = p->tok;
    if (t.kind != TOKEN_FLOAT && t.kind != TOKEN_INT) {
        fail_expected(p, "a version");
        return;
    }
    double v = t.kind == TOKEN_FLOAT ? bits_double(t.integer) : (double)t.integer;
    if (t.is_f32 || !(v >= 1 && v < 100)) {
        fail_here(p, "'%.*s' is not a version", (int)t.count, t.at);
        return;
    }
    p->m->version = (uint32_t)(v * 10 + 0.5);
    p->has_version = true;
    lex_next(p);
}

/* What may stand beside sm_90 in .target (PTX ISA 11.1.2). */
static bool
known_target(const char *name)
{
    static const char *const names[] = {"compute_", "debug", "texmode_unified",
                                        "texmode_independent", "texmode_raw", "map_f64_to_f32"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (ls_starts_with(name, names[k]))
            return true;
    return false;
}

static void
parse_address_size(struct parser *p)
{
    lex_next(p);
    struct token t = p->tok;
    uint64_t n = expr_count(p, "address size", UINT32_MAX);
    if (n != 64)
        fail_at(p, t.line, t.column, ".address_size %llu is not supported: only 64 is",
                (unsigned long long)n);
    p->m->address_size = (uint32_t)n;
}

static void
parse_target(struct parser *p)
{
    lex_next(p);
    do {
        struct token t = p->tok;
        const char *name = lex_name(p, "a target");
        if (ls_starts_with(name, "sm_")) {
            uint32_t n = 0;
            const char *c = name + 3;
            for (; *c >= '0' && *c <= '9' && n < 100000; c++)
                n = n * 10 + (uint32_t)(*c - '0');
            if (!n || (*c && strcmp(c, "a") && strcmp(c, "f")))
                fail_at(p, t.line, t.column, "'%s' is not a target", name);
            p->m->target = n;
            p->m->target_suffix_a = *c == 'a';
        } else if (!known_target(name)) {
            fail_at(p, t.line, t.column, "'%s' is not a target", name);
        }
    } while (lex_take(p, ',') && !p->failed);
    p->has_target = true;
}

static void
module_item(struct parser *p)
{
    enum ptx_linkage linkage = PTX_LOCAL_LINKAGE;
    for (bool more = true; more;) {
        if (lex_take_dot(p, "visible"))
            linkage = PTX_VISIBLE;
        else if (lex_take_dot(p, "extern"))
            linkage = PTX_EXTERN;
        else if (lex_take_dot(p, "weak"))
            linkage = PTX_WEAK;
        else if (lex_take_dot(p, "common"))
            linkage = PTX_COMMON;
        else
            more = false;
    }
    const struct word *w = dot_word(p);
    if (lex_is_dot(p, "version"))
        parse_version(p);
    else if (!p->has_version)
        fail_here(p, "a module begins with .version");
    else if (lex_is_dot(p, "target"))
        parse_target(p);
    else if (lex_is_dot(p, "address_size"))
        parse_address_size(p);
    else if (lex_is_dot(p, "alias"))
        parse_alias(p);
    else if (lex_is_dot(p, "file"))
        parse_file(p);
    else if (lex_is_dot(p, "pragma"))
        parse_pragma(p);
    else if (lex_is_dot(p, "section"))
        parse_section(p);
    else if (lex_is_dot(p, "loc"))
        parse_loc(p);
    else if (lex_is_dot(p, "entry") || lex_is_dot(p, "func"))
        parse_function(p, linkage);
    else if (w && w->kind == WORD_SPACE)
        parse_variable(p, linkage);
    else
        fail_expected(p, "a directive, a variable or a function");
}

static void
free_parser(struct parser *p)
{
    VEC_FREE(&p->vars);
    VEC_FREE(&p->funcs);
    VEC_FREE(&p->files);
    VEC_FREE(&p->undeclared);
    VEC_FREE(&p->loc_names);
    VEC_FREE(&p->aliases);
    text_free(&p->debug_str);
    VEC_FREE(&p->regs);
    VEC_FREE(&p->locals);
    VEC_FREE(&p->insns);
    VEC_FREE(&p->labels);
    VEC_FREE(&p->label_symbols);
    VEC_FREE(&p->targets);
    VEC_FREE(&p->locs);
    VEC_FREE(&p->uses);
    VEC_FREE(&p->parents);
    ls_release(p->buckets);
    arena_free(&p->temporary);
}

static void
resolve_aliases(struct parser *p)
{
    for (size_t k = 0; k < p->aliases.count && !p->failed; k++) {
        const struct alias *a = &p->aliases.at[k];
        struct symbol *s = symbol_find(p, a->name, strlen(a->name));
        struct symbol *of = symbol_find(p, a->of, strlen(a->of));
        const char *wrong = !s || s->kind != SYMBOL_FUNC                             ? a->name
                            : !of || of->kind != SYMBOL_FUNC || !of->func->has_body ? a->of
                                                                                     : NULL;
        if (wrong) {
            fail_at(p, a->at.line, a->at.column, "'%s' is not a function that an alias can have",
                    wrong);
            return;
        }
        uint32_t index = s->func->index;
        uint8_t linkage = s->func->linkage;
        *s->func = *of->func;
        s->func->name = a->name;
        s->func->index = index;
        s->func->linkage = linkage;
    }
}

static void
resolve_loc_names(struct parser *p)
{
    for (size_t k = 0; k < p->loc_names.count; k++) {
        const struct loc_name *n = &p->loc_names.at[k];
        const struct word *w = words_find(&p->debug_labels, n->label, strlen(n->label));
        uint64_t at = w ? w->value + n->offset : UINT64_MAX;
        if (at < p->debug_str.count && n->loc < n->func->loc_count)
            n->func->locs[n->loc].inlined_function =
                arena_strndup(p->arena, p->debug_str.at + at,
                              strnlen(p->debug_str.at + at, p->debug_str.count - at));
    }
}

static void
finish(struct parser *p)
{
    struct ptx_module *m = p->m;
    for (size_t k = 0; k < p->undeclared.count; k++) {
        struct symbol *s = p->undeclared.at[k];
        if (s->undeclared) {
            fail_at(p, s->line, s->column, "'%s' is not declared", s->name);
            return;
        }
    }
    resolve_aliases(p);
    resolve_loc_names(p);
    m->vars = ARENA_ARRAY(p->arena, struct ptx_var *, p->vars.count + 1);
    m->funcs = ARENA_ARRAY(p->arena, struct ptx_func *, p->funcs.count + 1);
    m->files = ARENA_ARRAY(p->arena, struct ptx_file, p->files.count + 1);
    if (p->vars.count)
        memcpy(m->vars, p->vars.at, sizeof *m->vars * p->vars.count);
    if (p->funcs.count)
        memcpy(m->funcs, p->funcs.at, sizeof *m->funcs * p->funcs.count);
    if (p->files.count)
        memcpy(m->files, p->files.at, sizeof *m->files * p->files.count);
    m->var_count = (uint32_t)p->vars.count;
    m->func_count = (uint32_t)p->funcs.count;
    m->file_count = (uint32_t)p->files.count;
    for (size_t k = 0; k < p->funcs.count && !p->failed; k++)
        check_calls(p, p->funcs.at[k]);
}

struct ptx_module *
ptx_parse(const char *text, size_t size, const char *path, struct ls_error *err)
{
    struct parser *p = ls_alloc(sizeof *p);
    p->err = err;
    p->m = ls_alloc(sizeof *p->m);
    p->arena = &p->m->arena;
    p->m->path = arena_strdup(p->arena, path);
    p->m->hash = ls_hash((struct hash128){0, 0}, text, size);
    p->m->address_size = 64;
    p->path = p->m->path;
    p->cursor = p->line_start = text;
    p->end = text + size;
    p->line = 1;
    tables_init(p);
    lex_next(p);
    while (!p->failed && p->tok.kind != TOKEN_END)
        module_item(p);
    if (!p->failed && !p->has_version)
        fail_here(p, "the text holds no PTX module");
    if (!p->failed)
        finish(p);
    struct ptx_module *m = p->m;
    bool failed = p->failed;
    free_parser(p);
    ls_release(p);
    if (failed) {
        ptx_free(m);
        return NULL;
    }
    return m;
}

void
ptx_free(struct ptx_module *m)
{
    if (!m)
        return;
    arena_free(&m->arena);
    ls_release(m);
}

struct ptx_func *
ptx_find_func(const struct ptx_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->func_count; k++)
        if (!strcmp(m->funcs[k]->name, name))
            return m->funcs[k];
    return NULL;
}

struct ptx_var *
ptx_find_var(const struct ptx_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->var_count; k++)
        if (!strcmp(m->vars[k]->name, name))
            return m->vars[k];
    return NULL;
}
