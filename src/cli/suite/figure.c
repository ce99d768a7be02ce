/* SPDX-License-Identifier: Apache-2.0
 *
 * figure: the expressions of figure.h. + - * / and parentheses over numbers, a device's fields,
 * ceil(), floor() and sqrt(), and functions of the model whose words stand in braces.
 */
#include "cli/suite/figure.h"

#include "model/model.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- fields ------------------------------------------------------------------------------------ */

static double
dimensions(const uint32_t most[3])
{
    return most[2] > 1 ? 3 : most[1] > 1 ? 2 : 1;
}

/* What the model's time bound allows: a wavefront of one warp's 4-byte
 * words (half of them on 1.x). */
static double
shared_bandwidth(const struct device_profile *d)
{
    struct work w = {.shared_wavefronts = 1000000};
    struct time_bound t;
    model_time_bound(d, &w, &t);
    return 1e6 * d->shared_banks * d->bank_bytes / t.each[BOUND_SHARED];
}

static bool
find_field(const struct device_profile *d, const char *name, double *out)
{
#define FIELD(word, expression, help)                                                              \
    if (strcmp(name, #word) == 0) {                                                                \
        *out = (double)(expression);                                                               \
        return true;                                                                               \
    }
#include "cli/suite/figure_fields.def"
#undef FIELD
    return false;
}

/* -- functions --------------------------------------------------------------------------------- */

static const struct function {
    const char *name, *help;
    bool (*call)(struct figure_context *c, const struct figure_words *w, struct figure *out,
                 struct ls_error *err);
} functions[] = {
#define FUNCTION(name, help) {#name, help, figure_##name},
#include "cli/suite/figure_functions.def"
#undef FUNCTION
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

void
figure_help(struct text *out)
{
    text_add(out, "Fields of the device:\n");
#define FIELD(word, expression, help) text_add(out, "  %-22s%s\n", #word, help);
#include "cli/suite/figure_fields.def"
#undef FIELD
    text_add(out, "Functions, with their words in braces:\n");
    for (int i = 0; i < FUNCTION_COUNT; i++)
        text_add(out, "  %-22s%s\n", functions[i].name, functions[i].help);
    static const char *const sources[][2] = {
        {"run", "RUNG SIZE: NAME: a figure that the program reports"},
        {"line",
         "RUNG SIZE: [TEXT > ]WORDS: the rest of the line that begins with WORDS, behind TEXT"},
        {"counter", "RUNG SIZE: NAME: a counter of `lockstep profile`, over all kernels"},
        {"reading", "SPACE OP WIDTH NAME COUNTER: read on a real GPU (tests/data)"}};
    for (int i = 0; i < 4; i++)
        text_add(out, "  %-22s%s\n", sources[i][0], sources[i][1]);
}

const char *
figure_word(const struct figure_words *w, const char *name)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->at[i].name, name) == 0)
            return w->at[i].value;
    return NULL;
}

bool
figure_number(const struct figure_words *w, const char *name, uint64_t otherwise, uint64_t *out,
              struct ls_error *err)
{
    const char *value = figure_word(w, name);
    *out = otherwise;
    if (value && !ls_parse_u64(value, out))
        return ls_fail(err, LS_ERR_USAGE, "%s{%s}: \"%s\" is no number", w->function, name, value);
    return true;
}

/* "--a 1 --b --c 2" taken apart; a word behind an option is its value. */
static bool
take_words(struct figure_context *c, char *text, struct figure_words *w, struct ls_error *err)
{
    w->at = ARENA_ARRAY(c->arena, struct figure_option, strlen(text) / 2 + 1);
    for (char *save, *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (ls_starts_with(word, "--"))
            w->at[w->count++] = (struct figure_option){word, ""};
        else if (w->count && !*w->at[w->count - 1].value)
            w->at[w->count - 1].value = word;
        else
            return ls_fail(err, LS_ERR_USAGE, "%s{}: \"%s\" is the value of no option", w->function,
                           word);
    }
    return true;
}

static bool
call_function(struct figure_context *c, const char *name, char *inside, struct figure *out,
              struct ls_error *err)
{
    struct figure_words w = {.function = name};
    const struct {
        const char *name;
        figure_source *call;
    } sources[] = {
        {"run", c->run}, {"line", c->line}, {"counter", c->counter}, {"reading", c->reading}};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, sources[i].name) == 0 && sources[i].call)
            return sources[i].call(c, inside, out, err);
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(name, functions[i].name) == 0)
            return take_words(c, inside, &w, err) && functions[i].call(c, &w, out, err);
    return ls_fail(err, LS_ERR_USAGE, "no function \"%s\" of figures is known", name);
}

/* -- the grammar ------------------------------------------------------------------------------- */

struct parser {
    struct figure_context *context;
    const char *text, *at;
    struct ls_error *err;
};

static bool sum(struct parser *p, struct figure *out);

static bool
wrong(struct parser *p, const char *what)
{
    return ls_fail(p->err, LS_ERR_USAGE, "%s in column %zu of \"%s\"", what,
                   (size_t)(p->at - p->text) + 1, p->text);
}

static char
next(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    return *p->at;
}

static bool
parenthesis(struct parser *p, struct figure *out)
{
    p->at++;
    if (!sum(p, out))
        return false;
    if (next(p) != ')')
        return wrong(p, "no ')'");
    p->at++;
    return true;
}

static bool
name(struct parser *p, struct figure *out)
{
    struct arena *a = p->context->arena;
    const char *begin = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    char *word = arena_strndup(a, begin, (size_t)(p->at - begin));
    if (next(p) == '{') {
        const char *end = strchr(p->at, '}');
        if (!end)
            return wrong(p, "no '}'");
        char *inside = arena_strndup(a, p->at + 1, (size_t)(end - p->at) - 1);
        p->at = end + 1;
        return call_function(p->context, word, inside, out, p->err);
    }
    if (*p->at == '(') {
        if (!parenthesis(p, out))
            return false;
        if (strcmp(word, "ceil") == 0)
            out->number = ceil(out->number);
        else if (strcmp(word, "floor") == 0)
            out->number = floor(out->number);
        else if (strcmp(word, "sqrt") == 0)
            out->number = sqrt(out->number);
        else
            return ls_fail(p->err, LS_ERR_USAGE, "no function \"%s()\" of figures is known", word);
        return true;
    }
    if (find_field(p->context->device, word, &out->number))
        return true;
    return ls_fail(p->err, LS_ERR_USAGE, "no field \"%s\" of devices is known", word);
}

static bool
primary(struct parser *p, struct figure *out)
{
    *out = (struct figure){0};
    char c = next(p);
    if (c == '(')
        return parenthesis(p, out);
    if (c == '-') {
        p->at++;
        bool ok = primary(p, out);
        out->number = -out->number;
        return ok;
    }
    if (isalpha((unsigned char)c))
        return name(p, out);
    char *end;
    out->number = strtod(p->at, &end);
    if (!isdigit((unsigned char)c) || end == p->at)
        return wrong(p, "no number or name");
    p->at = end;
    return true;
}

static bool
combine(struct parser *p, char operator, struct figure * left, const struct figure *right)
{
    if (left->text || right->text)
        return wrong(p, "a text where a number is needed");
    left->recorded |= right->recorded;
    switch (operator) {
    case '+': left->number += right->number; return true;
    case '-': left->number -= right->number; return true;
    case '*': left->number *= right->number; return true;
    default: left->number /= right->number; return true;
    }
}

/* Operands with operators of one rank between them, from left to right. */
static bool
row_of(struct parser *p, bool (*operand)(struct parser *p, struct figure *out),
       const char *operators, struct figure *out)
{
    if (!operand(p, out))
        return false;
    for (char c = next(p); c && strchr(operators, c); c = next(p)) {
        struct figure right;
        p->at++;
        if (!operand(p, &right) || !combine(p, c, out, &right))
            return false;
    }
    return true;
}

static bool
product(struct parser *p, struct figure *out)
{
    return row_of(p, primary, "*/", out);
}

static bool
sum(struct parser *p, struct figure *out)
{
    return row_of(p, product, "+-", out);
}

bool
figure_evaluate(struct figure_context *c, const char *text, struct figure *out,
                struct ls_error *err)
{
    struct parser p = {c, text, text, err};
    if (!sum(&p, out))
        return false;
    return next(&p) == '\0' || wrong(&p, "something is left over");
}

const char *
figure_text(struct arena *a, const struct figure *f)
{
    if (f->text)
        return f->text;
    if (f->number == floor(f->number) && fabs(f->number) < 1e15)
        return arena_printf(a, "%.0f", f->number);
    return arena_printf(a, "%.4g", f->number);
}
