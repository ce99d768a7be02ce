/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_variable.c: registers, variables with their initial values, parameters.
 */
#include "ptx/ptx_priv.h"

#include <string.h>

/* -- registers --------------------------------------------------------------------------------- */

static const char *
numbered_name(struct parser *p, const char *name, const char *between, uint64_t k)
{
    return arena_printf(p->arena, "%s%s%llu", name, between, (unsigned long long)k);
}

/* The register's number; a vector's parts are registers that follow each other. */
static uint32_t
add_reg(struct parser *p, const char *name, enum ptx_type type, uint8_t vec, const struct token *at)
{
    struct symbol *s = symbol_add(p, name, SYMBOL_REG, at->line, at->column);
    if (!s)
        return 0;
    if (p->body.regs.count + vec > PTX_LIMIT_REGS) {
        fail_at(p, at->line, at->column, "more than %d registers", PTX_LIMIT_REGS);
        return 0;
    }
    s->index = (uint32_t)p->body.regs.count;
    s->parts = vec;
    for (uint8_t k = 0; k < vec; k++) {
        const char *own = vec > 1 ? numbered_name(p, name, "$part", k) : name;
        VEC_PUSH(&p->body.regs, ((struct ptx_reg){own, (uint8_t)type}));
    }
    return s->index;
}

/* <100> behind a name: that many names with numbers behind them. 0: failed. */
static uint64_t
parse_count(struct parser *p, const char *what, const struct token *at)
{
    lex_expect(p, '<');
    /* Not a whole expression: '>' ends the number here. */
    uint64_t n = (uint64_t)expr_binary(p, 8);
    lex_expect(p, '>');
    if (n > PTX_LIMIT_REGS)
        fail_at(p, at->line, at->column, "more than %d %s", PTX_LIMIT_REGS, what);
    return p->failed ? 0 : n;
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
        if (lex_is(p, '<')) {
            uint64_t n = parse_count(p, "registers", &at);
            for (uint64_t k = 0; k < n && !p->failed; k++)
                add_reg(p, numbered_name(p, name, "", k), type, vec, &at);
        } else {
            add_reg(p, name, type, vec, &at);
        }
    } while (lex_take(p, ','));
    lex_expect(p, ';');
}

/* -- variables --------------------------------------------------------------------------------- */

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
    r.addend = expr_offset(p);
    if (parentheses)
        lex_expect(p, ')');
    r.addend += expr_offset(p);
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
        bits = (uint64_t)expr_binary(p, 1);
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
    v->relocs = VEC_COPY(p->arena, &in.relocs);
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

/* v, or what the name stands for already: an .extern variable and its definition are one, which
 * stands where it is defined, behind what its initial value names. */
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
            if (!first->func) {
                p->module.vars.at[first->index] = NULL;
                first->index = (uint32_t)p->module.vars.count;
                VEC_PUSH(&p->module.vars, first);
            }
        }
        return first;
    }
    struct symbol *s = symbol_add(p, v->name, SYMBOL_VAR, at->line, at->column);
    if (!s)
        return NULL;
    s->var = v;
    if (p->depth) {
        v->func = p->body.func;
        v->index = (uint32_t)p->body.locals.count;
        VEC_PUSH(&p->body.locals, v);
    } else {
        v->index = (uint32_t)p->module.vars.count;
        VEC_PUSH(&p->module.vars, v);
    }
    return v;
}

/* .param .u64 %P<2>: v as often as the token says, each with its number behind its name. */
static void
add_numbered(struct parser *p, const struct ptx_var *v, const struct token *at)
{
    uint64_t n = parse_count(p, "variables", at);
    for (uint64_t k = 0; k < n && !p->failed; k++) {
        struct ptx_var *one = ARENA_NEW(p->arena, struct ptx_var);
        *one = *v;
        one->name = numbered_name(p, v->name, "", k);
        add_variable(p, one, at);
    }
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
            first = (struct ptx_var){.space = v->space,
                                     .type = v->type,
                                     .vec = v->vec,
                                     .align = v->align,
                                     .managed = v->managed};
        if (lex_is(p, '<')) {
            add_numbered(p, v, &at);
            continue;
        }
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
        if (!w || w->kind != WORD_SPACE ||
            (w->value != PTX_SPACE_PARAM && w->value != PTX_SPACE_REG)) {
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
        if (space == PTX_SPACE_REG && v->vec > 1)
            fail_at(p, at.line, at.column,
                    "parameters in registers that are vectors are not supported");
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
