/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluate.c: C expressions, evaluated while they are read (by precedence, lowest first), with
 * gdb's `array@count`, `$names` and cuda-gdb's `@shared` in casts. A branch that is not taken is
 * read and not evaluated.
 */
#include "cli/inspect/value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 };

struct evaluation {
    struct world *w;
    const char *text, *at;
    struct ls_error *err;
    bool failed;
    int skip, depth;
};

static struct value comma(struct evaluation *p);
static struct value assignment(struct evaluation *p);
static struct value unary(struct evaluation *p);

static struct value
nothing(struct evaluation *p)
{
    static uint64_t zero[2];
    return (struct value){.type = type_base("int"), .bytes = (uint8_t *)zero};
}

static struct value
syntax(struct evaluation *p, const char *what)
{
    if (!p->failed)
        ls_fail(p->err, LS_ERR_USAGE, "A syntax error in expression, near `%s'%s%s.", p->at,
                *what ? ": " : "", what);
    p->failed = true;
    return nothing(p);
}

static void
blank(struct evaluation *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

/* Takes the operator where nothing that makes it another one follows. */
static bool
take(struct evaluation *p, const char *op)
{
    size_t n = strlen(op);
    blank(p);
    if (strncmp(p->at, op, n) != 0)
        return false;
    char next = p->at[n];
    if (n == 1 && strchr("+-*/%&|^<>=!", *op) &&
        (next == '=' || (next == *op && strchr("&|<>", *op)) || (*op == '-' && next == '>')))
        return false;
    if (n == 2 && (!strcmp(op, "<<") || !strcmp(op, ">>")) && next == '=')
        return false;
    p->at += n;
    return true;
}

static bool
is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool
is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A name with its "::" parts, and template arguments where a type or function has that name. */
static const char *
name(struct evaluation *p)
{
    blank(p);
    const char *from = p->at, *q = from;
    for (;;) {
        while (is_name_char(*q))
            q++;
        if (q[0] == ':' && q[1] == ':' && is_name_start(q[2]))
            q += 2;
        else
            break;
    }
    p->at = q;
    return arena_strndup(p->w->arena, from, (size_t)(q - from));
}

/* Behind "<": to its ">", if a type is called like that as a whole. */
static struct type *
template_type(struct evaluation *p, const char *base)
{
    int depth = 0;
    const char *q = p->at;
    blank(p);
    if (*p->at != '<')
        return NULL;
    struct text whole = {0};
    text_add(&whole, "%s", base);
    for (const char *c = p->at; *c; c++) {
        depth += (*c == '<') - (*c == '>');
        if (*c == ' ' &&
            (c[1] == ' ' || c[1] == '>' || c[1] == '*' || whole.at[whole.count - 1] == '<'))
            continue;
        text_add_bytes(&whole, c, 1);
        if (*c == ',' && c[1] != ' ')
            text_add_bytes(&whole, " ", 1);
        if (!depth) {
            struct type *t = symbols_type(p->w->symbols, whole.at);
            text_free(&whole);
            p->at = t ? c + 1 : q;
            return t;
        }
    }
    text_free(&whole);
    p->at = q;
    return NULL;
}

/* -- types ------------------------------------------------------------------------------------- */

/* "unsigned long long int" and its like; the words may come in any order. */
static struct type *
c_type(struct evaluation *p, const char *first)
{
    static const char *const words[] = {"unsigned", "signed", "short", "long",
                                        "int",      "char",   "double"};
    int count[7] = {0};
    const char *word = first, *back = p->at;
    for (;;) {
        size_t k = 0;
        while (k < 7 && strcmp(words[k], word) != 0)
            k++;
        if (k == 7)
            break;
        count[k]++;
        back = p->at;
        blank(p);
        if (!is_name_start(*p->at))
            break;
        word = name(p);
    }
    p->at = back;
    bool any = false;
    for (int k = 0; k < 7; k++)
        any = any || count[k];
    if (!any)
        return NULL;
    if (count[6])
        return type_base("double");
    const char *sign = count[0] ? "unsigned " : "";
    const char *size = count[5]        ? "char"
                       : count[2]      ? "short"
                       : count[3] == 1 ? "long"
                       : count[3]      ? "long long"
                                       : "int";
    if (count[5] && count[1])
        return type_base("signed char");
    return type_base(arena_printf(p->w->arena, "%s%s", sign, size));
}

static uint8_t
space_of_word(const char *word)
{
    static const struct {
        const char *word;
        uint8_t space;
    } rows[] = {{"shared", PTX_SPACE_SHARED},   {"local", PTX_SPACE_LOCAL},
                {"global", PTX_SPACE_GLOBAL},   {"constant", PTX_SPACE_CONST},
                {"parameter", PTX_SPACE_PARAM}, {"generic", PTX_SPACE_NONE}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].word, word))
            return rows[k].space;
    return PTX_SPACE_COUNT;
}

/* A type before its stars; NULL where the text is none, p->at as it was. */
static struct type *
type_words(struct evaluation *p, uint8_t *space)
{
    const char *from = p->at;
    for (;;) {
        blank(p);
        if (*p->at == '@') {
            p->at++;
            *space = space_of_word(name(p));
            if (*space == PTX_SPACE_COUNT)
                break;
            continue;
        }
        if (!is_name_start(*p->at))
            break;
        const char *word = name(p);
        if (!strcmp(word, "const") || !strcmp(word, "volatile") || !strcmp(word, "struct") ||
            !strcmp(word, "class") || !strcmp(word, "union") || !strcmp(word, "enum"))
            continue;
        struct type *t = c_type(p, word);
        if (!t)
            t = template_type(p, word);
        if (!t)
            t = symbols_type(p->w->symbols, word);
        if (!t)
            break;
        return t;
    }
    p->at = from;
    return NULL;
}

/* A whole type; NULL: none stands here. */
static struct type *
type_name(struct evaluation *p)
{
    uint8_t space = PTX_SPACE_NONE;
    struct type *t = type_words(p, &space);
    if (!t)
        return NULL;
    for (;;) {
        const char *back = p->at;
        blank(p);
        if (*p->at == '*') {
            p->at++;
            t = type_new_pointer(p->w->types, t, space);
            space = PTX_SPACE_NONE;
        } else if (!strncmp(p->at, "const", 5) && !is_name_char(p->at[5])) {
            p->at += 5;
        } else if (*p->at == '[' && isdigit((unsigned char)p->at[1])) {
            char *end;
            uint64_t n = strtoull(p->at + 1, &end, 0);
            p->at = *end == ']' ? end + 1 : end;
            t = type_new_array(p->w->types, t, n);
        } else {
            p->at = back;
            return t;
        }
    }
}

struct type *
evaluate_type(struct world *w, const char *text)
{
    struct evaluation p = {.w = w, .text = text, .at = text};
    struct type *t = type_name(&p);
    blank(&p);
    return t && !*p.at ? t : NULL;
}

/* -- primaries --------------------------------------------------------------------------------- */

static struct value
number(struct evaluation *p)
{
    char *end, *end_float;
    bool hex = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
    uint64_t n = strtoull(p->at, &end, 0);
    double d = strtod(p->at, &end_float);
    if (end_float > end || (!hex && (*end == '.' || *end == 'e'))) {
        p->at = end_float;
        bool single = *p->at == 'f' || *p->at == 'F';
        p->at += single;
        return value_of_double(p->w, type_base(single ? "float" : "double"), d);
    }
    bool is_unsigned = false, is_long = false;
    for (; *end && strchr("uUlL", *end); end++) {
        is_unsigned = is_unsigned || *end == 'u' || *end == 'U';
        is_long = is_long || *end == 'l' || *end == 'L';
    }
    p->at = end;
    if (is_name_char(*end))
        return syntax(p, "invalid number");
    is_long = is_long || n > UINT32_MAX || (!is_unsigned && !hex && n > INT32_MAX);
    is_unsigned = is_unsigned || n > INT64_MAX || (hex && !is_long && n > INT32_MAX);
    return value_of_integer(p->w,
                            type_base(is_long ? (is_unsigned ? "unsigned long" : "long")
                                              : (is_unsigned ? "unsigned int" : "int")),
                            (int64_t)n);
}

static struct value
character(struct evaluation *p)
{
    static const char escapes[] = "n\nt\tr\r0\0a\ab\bf\fv\v\\\\''";
    char c = *++p->at;
    if (c == '\\' && p->at[1]) {
        c = *++p->at;
        for (size_t k = 0; k + 1 < sizeof escapes; k += 2)
            if (escapes[k] == c) {
                c = escapes[k + 1];
                break;
            }
    }
    if (!*p->at || p->at[1] != '\'')
        return syntax(p, "unmatched single quote");
    p->at += 2;
    return value_of_integer(p->w, type_base("char"), c);
}

static void
check(struct evaluation *p, bool fine)
{
    p->failed = p->failed || !fine;
}

static bool
runs(const struct evaluation *p)
{
    return !p->skip && !p->failed;
}

static struct value
dollar(struct evaluation *p)
{
    const char *from = ++p->at;
    struct value v = nothing(p);
    if (*p->at == '$')
        p->at++;
    while (is_name_char(*p->at))
        p->at++;
    const char *word = arena_strndup(p->w->arena, from, (size_t)(p->at - from));
    if (runs(p))
        check(p, lookup_dollar(p->w, word, &v, p->err));
    return v;
}

static struct value
size_of(struct evaluation *p)
{
    blank(p);
    const char *back = p->at;
    struct type *t = NULL;
    if (*p->at == '(') {
        p->at++;
        t = type_name(p);
        blank(p);
        if (!t || *p->at != ')') {
            t = NULL;
            p->at = back;
        } else {
            p->at++;
        }
    }
    if (!t) {
        struct value v = unary(p);
        if (runs(p))
            check(p, value_follow(p->w, &v, p->err));
        t = v.type;
    }
    return value_of_integer(p->w, type_base("unsigned long"), (int64_t)type_size(t));
}

static struct value
primary_name(struct evaluation *p)
{
    struct value v = nothing(p);
    const char *from = p->at, *word = name(p);
    if (!strcmp(word, "sizeof"))
        return size_of(p);
    if (!strcmp(word, "true") || !strcmp(word, "false"))
        return value_of_integer(p->w, type_base("bool"), *word == 't');
    if (!strcmp(word, "nullptr") || !strcmp(word, "NULL"))
        return value_of_integer(p->w, type_new_pointer(p->w->types, NULL, 0), 0);
    if (strstr(word, "_cast") && *p->at == '<')
        return syntax(p, "casts are written (type)value");
    blank(p);
    if (*p->at == '(') {
        p->at = from;
        return syntax(p, "functions of the program cannot be called");
    }
    if (runs(p))
        check(p, lookup_name(p->w, word, &v, p->err));
    return v;
}

static struct value
primary(struct evaluation *p)
{
    blank(p);
    char c = *p->at;
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)p->at[1])))
        return number(p);
    if (c == '\'')
        return character(p);
    if (c == '$')
        return dollar(p);
    if (c == ':' && p->at[1] == ':') {
        p->at += 2;
        return primary(p);
    }
    if (is_name_start(c))
        return primary_name(p);
    if (c != '(')
        return syntax(p, "");
    p->at++;
    struct value v = comma(p);
    if (!take(p, ")"))
        return syntax(p, "a ')' is missing");
    return v;
}

static struct value
postfix(struct evaluation *p)
{
    struct value v = primary(p), out;
    while (!p->failed) {
        int64_t index = 0;
        blank(p);
        bool arrow = p->at[0] == '-' && p->at[1] == '>';
        if (take(p, "[")) {
            struct value at = comma(p);
            out = nothing(p);
            if (!take(p, "]"))
                return syntax(p, "a ']' is missing");
            if (runs(p))
                check(p, value_integer(p->w, &at, &index, p->err) &&
                             value_index(p->w, &v, index, &out, p->err));
        } else if (arrow || (*p->at == '.' && is_name_start(p->at[1]))) {
            p->at += arrow ? 2 : 1;
            const char *member = name(p);
            out = nothing(p);
            if (runs(p) && arrow && type_plain(v.type)->kind != TYPE_REFERENCE) {
                struct value object;
                check(p, value_deref(p->w, &v, &object, p->err));
                v = p->failed ? v : object;
            }
            if (runs(p))
                check(p, value_member(p->w, &v, member, &out, p->err));
        } else if ((p->at[0] == '+' && p->at[1] == '+') || (p->at[0] == '-' && p->at[1] == '-')) {
            return syntax(p, "write += 1");
        } else {
            break;
        }
        v = out;
    }
    return v;
}

/* -- operators --------------------------------------------------------------------------------- */

/* "(type) value"; false: no cast stands here. */
static bool
cast(struct evaluation *p, struct value *out)
{
    const char *back = p->at;
    if (*p->at != '(')
        return false;
    p->at++;
    struct type *t = type_name(p);
    blank(p);
    if (!t || *p->at != ')') {
        p->at = back;
        return false;
    }
    p->at++;
    struct value v = unary(p);
    *out = nothing(p);
    out->type = t;
    if (runs(p))
        check(p, value_cast(p->w, &v, t, out, p->err));
    return true;
}

static struct value
unary(struct evaluation *p)
{
    struct value v, out = nothing(p);
    if (++p->depth > DEEPEST)
        return syntax(p, "too deep");
    blank(p);
    char op = *p->at;
    if (cast(p, &out)) {
        p->depth--;
        return out;
    }
    if (op && strchr("-~!*&+", op)) {
        if (p->at[1] == op && op != '*' && op != '!' && op != '~')
            return syntax(p, "");
        p->at++;
        v = unary(p);
        if (op == '+')
            out = v;
        else if (runs(p))
            check(p, op == '*'   ? value_deref(p->w, &v, &out, p->err)
                     : op == '&' ? value_address(p->w, &v, &out, p->err)
                                 : value_unary(p->w, op, &v, &out, p->err));
        p->depth--;
        return out;
    }
    v = postfix(p);
    p->depth--;
    return v;
}

/* a@n: n elements that begin with a. */
static struct value
repeated(struct evaluation *p)
{
    struct value v = unary(p);
    while (!p->failed && (blank(p), *p->at == '@')) {
        int64_t n = 0;
        p->at++;
        struct value count = unary(p);
        if (!runs(p))
            continue;
        check(p, value_follow(p->w, &v, p->err) && value_integer(p->w, &count, &n, p->err));
        if (runs(p) && (v.place != VALUE_MEMORY || n <= 0)) {
            ls_fail(p->err, LS_ERR_INPUT, "%s",
                    n <= 0 ? "Invalid number of repetitions."
                           : "Only values in memory can be extended with '@'.");
            p->failed = true;
        }
        if (runs(p))
            v = value_in_memory(type_new_array(p->w->types, v.type, (uint64_t)n), v.space,
                                v.address);
    }
    return v;
}

struct operator
{
    const char *text;
    char op;
};
enum { LEVELS = 10 };
static const struct operator levels[LEVELS][5] = {
    {{"||", 'o'}},
    {{"&&", 'a'}},
    {{"|", '|'}},
    {{"^", '^'}},
    {{"&", '&'}},
    {{"==", '='}, {"!=", '!'}},
    {{"<=", 'L'}, {">=", 'G'}, {"<", '<'}, {">", '>'}},
    {{"<<", 'l'}, {">>", 'r'}},
    {{"+", '+'}, {"-", '-'}},
    {{"*", '*'}, {"/", '/'}, {"%", '%'}},
};

static struct value
logic(struct evaluation *p, struct value left, bool is_or,
      struct value (*next)(struct evaluation *, int), int level)
{
    bool a = false, b = false;
    if (runs(p))
        check(p, value_truth(p->w, &left, &a, p->err));
    bool decided = a == is_or;
    p->skip += decided;
    struct value right = next(p, level + 1);
    if (runs(p))
        check(p, value_truth(p->w, &right, &b, p->err));
    p->skip -= decided;
    return value_of_integer(p->w, type_base("bool"), decided ? a : b);
}

static struct value
binary(struct evaluation *p, int level)
{
    if (level == LEVELS)
        return repeated(p);
    struct value left = binary(p, level + 1);
    for (bool more = true; more && !p->failed;) {
        more = false;
        for (const struct operator* o = levels[level]; o < levels[level] + 5 && o->text; o++) {
            if (!take(p, o->text))
                continue;
            more = true;
            if (o->op == 'o' || o->op == 'a') {
                left = logic(p, left, o->op == 'o', binary, level);
                break;
            }
            struct value right = binary(p, level + 1), out = nothing(p);
            if (runs(p))
                check(p, value_binary(p->w, o->op, &left, &right, &out, p->err));
            left = out;
            break;
        }
    }
    return left;
}

static struct value
conditional(struct evaluation *p)
{
    struct value c = binary(p, 0);
    bool truth = false;
    if (p->failed || !take(p, "?"))
        return c;
    if (runs(p))
        check(p, value_truth(p->w, &c, &truth, p->err));
    p->skip += !truth;
    struct value yes = comma(p);
    p->skip -= !truth;
    if (!take(p, ":"))
        return syntax(p, "a ':' is missing");
    p->skip += truth;
    struct value no = conditional(p);
    p->skip -= truth;
    return truth ? yes : no;
}

static struct value
assignment(struct evaluation *p)
{
    static const struct operator with[] = {{"+=", '+'},  {"-=", '-'}, {"*=", '*'}, {"/=", '/'},
                                           {"%=", '%'},  {"&=", '&'}, {"|=", '|'}, {"^=", '^'},
                                           {"<<=", 'l'}, {">>=", 'r'}};
    if (++p->depth > DEEPEST)
        return syntax(p, "too deep");
    struct value v = conditional(p);
    char op = 0;
    bool assigns = !p->failed && take(p, "=");
    for (size_t k = 0; !assigns && !p->failed && k < sizeof with / sizeof *with; k++)
        if (take(p, with[k].text)) {
            op = with[k].op;
            assigns = true;
        }
    if (assigns) {
        struct value from = assignment(p), sum;
        struct value old = v;
        if (runs(p) && op) {
            check(p, value_binary(p->w, op, &old, &from, &sum, p->err));
            from = p->failed ? from : sum;
        }
        if (runs(p))
            check(p, value_assign(p->w, &v, &from, p->err));
    }
    p->depth--;
    return v;
}

static struct value
comma(struct evaluation *p)
{
    struct value v = assignment(p);
    while (!p->failed && take(p, ","))
        v = assignment(p);
    return v;
}

bool
evaluate(struct world *w, const char *text, const char **stop, struct value *out,
         struct ls_error *err)
{
    struct evaluation p = {.w = w, .text = text, .at = text, .err = err};
    *out = comma(&p);
    if (p.failed)
        return false;
    blank(&p);
    if (stop)
        *stop = p.at;
    else if (*p.at)
        syntax(&p, "");
    return !p.failed;
}
