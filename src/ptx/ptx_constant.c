/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_constant.c: integer expressions (PTX ISA 4.5), offsets of addresses, and words behind a dot.
 */
#include "ptx/ptx_priv.h"

#include <string.h>

/* -- constants --------------------------------------------------------------------------------- */

static int64_t
int_unary(struct parser *p)
{
    if (lex_take(p, '-'))
        return (int64_t)(0 - (uint64_t)expr_primary(p));
    if (lex_take(p, '+'))
        return expr_primary(p);
    if (lex_take(p, '~'))
        return ~expr_primary(p);
    if (lex_take(p, '!'))
        return !expr_primary(p);
    lex_expect(p, '(');
    if (p->tok.kind == TOKEN_DOT) { /* (.s64) cast */
        lex_next(p);
        lex_expect(p, ')');
        return expr_primary(p);
    }
    int64_t v = (int64_t)expr_count(p, "constant", UINT64_MAX);
    lex_expect(p, ')');
    return v;
}

int64_t
expr_primary(struct parser *p)
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
        {PUNCT2('|', '|'), 1},
        {PUNCT2('&', '&'), 2},
        {'|', 3},
        {'^', 4},
        {'&', 5},
        {PUNCT2('=', '='), 6},
        {PUNCT2('!', '='), 6},
        {'<', 7},
        {'>', 7},
        {PUNCT2('<', '='), 7},
        {PUNCT2('>', '='), 7},
        {PUNCT2('<', '<'), 8},
        {PUNCT2('>', '>'), 8},
        {'+', 9},
        {'-', 9},
        {'*', 10},
        {'/', 10},
        {'%', 10},
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

int64_t
expr_binary(struct parser *p, int level)
{
    int64_t a = expr_primary(p);
    int op, l;
    while ((l = precedence(p, &op)) >= level && l > 0 && !p->failed) {
        lex_next(p);
        a = apply(p, op, a, expr_binary(p, l + 1));
    }
    return a;
}

uint64_t
expr_count(struct parser *p, const char *what, uint64_t limit)
{
    struct token at = p->tok;
    int64_t v = expr_binary(p, 1);
    if (lex_take(p, '?')) {
        int64_t a = expr_binary(p, 1);
        lex_expect(p, ':');
        int64_t b = expr_binary(p, 1);
        v = v ? a : b;
    }
    if ((uint64_t)v > limit) {
        fail_at(p, at.line, at.column, "%s %lld is out of range", what, (long long)v);
        return 0;
    }
    return (uint64_t)v;
}

/* What may stand behind a name: +8, -4+2, or nothing. [r+-8] is the usual way to write -8. */
int64_t
expr_offset(struct parser *p)
{
    return lex_is(p, '+') || lex_is(p, '-') ? expr_binary(p, 9) : 0;
}

/* name[3]: an element of an array (PTX ISA 6.4.2), as its offset in bytes. Only the first dimension
 * is known here, so that only one index is taken. */
int64_t
expr_element(struct parser *p, const struct ptx_var *v)
{
    if (!lex_take(p, '['))
        return 0;
    uint64_t index = expr_count(p, "index", UINT32_MAX);
    lex_expect(p, ']');
    if (lex_is(p, '['))
        fail_here(p, "an element of an array of several dimensions: write its offset in bytes");
    return (int64_t)(index * ptx_type_bytes((enum ptx_type)v->type) * v->vec);
}

/* -- words ------------------------------------------------------------------------------------- */

const struct word *
dot_word(const struct parser *p)
{
    return p->tok.kind == TOKEN_DOT ? words_find(&p->table.dots, p->tok.at, p->tok.count) : NULL;
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
