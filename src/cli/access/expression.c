/* SPDX-License-Identifier: Apache-2.0
 *
 * Evaluates small integer expressions while reading them: precedence climbing, no tree. Both sides
 * of ?:, && and || are read; what is not chosen is evaluated with errors off.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/access/expression.h"

enum { MAX_DEPTH = 200 };

struct reader {
    const char *text, *at;
    const struct expression_variable *variables;
    size_t count;
    int depth, skipped; /* skipped > 0: the value does not matter */
    bool failed;
    struct ls_error *err;
};

static int64_t conditional(struct reader *r);

static int64_t
fail(struct reader *r, const char *what)
{
    if (!r->failed)
        ls_fail(r->err, LS_ERR_USAGE, "column %d: %s in '%.200s'", (int)(r->at - r->text) + 1, what,
                r->text);
    r->failed = true;
    return 0;
}

static void
skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool
accept(struct reader *r, const char *token)
{
    skip_space(r);
    size_t n = strlen(token);
    if (strncmp(r->at, token, n))
        return false;
    r->at += n;
    return true;
}

static int64_t
variable(struct reader *r)
{
    const char *start = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '.')
        r->at++;
    size_t length = (size_t)(r->at - start);
    for (size_t i = 0; i < r->count; i++)
        if (strlen(r->variables[i].name) == length && !memcmp(r->variables[i].name, start, length))
            return r->variables[i].value;
    r->at = start;
    return fail(r, "unknown name (known: tid lane warp x y z)");
}

static int64_t
primary(struct reader *r)
{
    skip_space(r);
    if (accept(r, "(")) {
        int64_t v = conditional(r);
        if (!r->failed && !accept(r, ")"))
            return fail(r, "')' expected");
        return v;
    }
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        int64_t v = (int64_t)strtoull(r->at, &end, 0);
        r->at = end;
        return v;
    }
    if (isalpha((unsigned char)*r->at) || *r->at == '_')
        return variable(r);
    return fail(r, *r->at ? "a number, a name or '(' expected" : "the expression ends too early");
}

static int64_t
unary(struct reader *r)
{
    if (++r->depth > MAX_DEPTH)
        return fail(r, "nested too deeply");
    int64_t v;
    skip_space(r);
    if (accept(r, "-"))
        v = (int64_t)(0 - (uint64_t)unary(r));
    else if (accept(r, "+"))
        v = unary(r);
    else if (accept(r, "~"))
        v = ~unary(r);
    else if (*r->at == '!' && r->at[1] != '=' && accept(r, "!"))
        v = !unary(r);
    else
        v = primary(r);
    r->depth--;
    return v;
}

/* Longer spellings first, so that "<<" is not read as "<". */
static const struct operator
{
    const char *token;
    int level;
}
operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
    {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

static const struct operator* next_operator(struct reader *r)
{
    skip_space(r);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strncmp(r->at, operators[i].token, strlen(operators[i].token)))
            return &operators[i];
    return NULL;
}

static int64_t
divide(struct reader *r, char what, int64_t a, int64_t b)
{
    if (b == 0)
        return r->skipped ? 0 : fail(r, "division by zero");
    if (b == -1) /* the smallest number over -1 does not fit */
        return what == '/' ? (int64_t)(0 - (uint64_t)a) : 0;
    return what == '/' ? a / b : a % b;
}

static int64_t
apply(struct reader *r, const char *token, int64_t a, int64_t b)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    switch (token[0]) {
    case '+': return (int64_t)(ua + ub);
    case '-': return (int64_t)(ua - ub);
    case '*': return (int64_t)(ua * ub);
    case '/':
    case '%': return divide(r, token[0], a, b);
    case '^': return a ^ b;
    case '=': return a == b;
    case '!': return a != b;
    case '&': return token[1] ? a && b : a & b;
    case '|': return token[1] ? a || b : a | b;
    case '<':
        return token[1] == '<' ? (int64_t)(ub > 63 ? 0 : ua << ub) : token[1] ? a <= b : a < b;
    default: return token[1] == '>' ? a >> (ub > 63 ? 63 : ub) : token[1] ? a >= b : a > b;
    }
}

static int64_t
binary(struct reader *r, int least)
{
    int64_t a = unary(r);
    const struct operator* o;
    while (!r->failed && (o = next_operator(r)) && o->level >= least) {
        r->at += strlen(o->token);
        bool skip = (o->level == 1 && a) || (o->level == 2 && !a);
        r->skipped += skip;
        int64_t b = binary(r, o->level + 1);
        r->skipped -= skip;
        a = apply(r, o->token, a, b);
    }
    return a;
}

static int64_t
conditional(struct reader *r)
{
    if (++r->depth > MAX_DEPTH)
        return fail(r, "nested too deeply");
    int64_t v = binary(r, 1);
    if (!r->failed && accept(r, "?")) {
        bool chosen = v != 0;
        r->skipped += !chosen;
        int64_t yes = conditional(r);
        r->skipped -= !chosen;
        if (!r->failed && !accept(r, ":"))
            return fail(r, "':' expected");
        r->skipped += chosen;
        int64_t no = conditional(r);
        r->skipped -= chosen;
        v = chosen ? yes : no;
    }
    r->depth--;
    return v;
}

bool
expression_evaluate(const char *text, const struct expression_variable *variables, size_t count,
                    int64_t *out, struct ls_error *err)
{
    struct reader r = {
        .text = text, .at = text, .variables = variables, .count = count, .err = err};
    *out = conditional(&r);
    skip_space(&r);
    if (!r.failed && *r.at)
        fail(&r, "an operator expected");
    return !r.failed;
}
