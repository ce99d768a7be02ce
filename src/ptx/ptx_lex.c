/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_lex: PTX text to tokens (PTX ISA 4.1 to 4.5), one ahead, and the parser's errors.
 *
 * A dot word keeps its "::" parts (.L2::128B, .shared::cluster). `%` is the remainder behind a
 * number or a closing parenthesis and begins a name elsewhere.
 */
#include "ptx/ptx_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- errors ------------------------------------------------------------------------------------ */

static void
fail_va(struct parser *p, uint32_t line, uint32_t column, const char *format, va_list args)
{
    char what[700];
    if (p->failed)
        return;
    p->failed = true;
    vsnprintf(what, sizeof what, format, args);
    ls_fail(p->err, LS_ERR_INPUT, "%s:%u:%u: %s", p->path, line, column, what);
    p->tok = (struct token){.kind = TOKEN_END, .line = line, .column = column, .at = ""};
}

void
fail_at(struct parser *p, uint32_t line, uint32_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_va(p, line, column, format, args);
    va_end(args);
}

void
fail_here(struct parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_va(p, p->tok.line, p->tok.column, format, args);
    va_end(args);
}

void
fail_expected(struct parser *p, const char *what)
{
    const struct token *t = &p->tok;
    int n = t->count > 40 ? 40 : (int)t->count;
    switch (t->kind) {
    case TOKEN_END: fail_here(p, "%s expected, but the text ends here", what); break;
    case TOKEN_DOT: fail_here(p, "%s expected, not '.%.*s'", what, n, t->at); break;
    case TOKEN_STRING: fail_here(p, "%s expected, not a string", what); break;
    default: fail_here(p, "%s expected, not '%.*s'", what, n, t->at);
    }
}

void
fail_unsupported(struct parser *p, const struct token *at, const char *name)
{
    bool first = !p->failed;
    fail_at(p, at->line, at->column, "%s is not supported", name);
    if (first && p->err)
        p->err->status = LS_ERR_UNSUPPORTED;
}

/* -- characters -------------------------------------------------------------------------------- */

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool
is_follow(char c)
{
    return is_letter(c) || is_digit(c);
}

static int
hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static char
peek(const struct parser *p, size_t n)
{
    return (size_t)(p->end - p->cursor) > n ? p->cursor[n] : 0;
}

static uint32_t
column_of(const struct parser *p, const char *at)
{
    return (uint32_t)(at - p->line_start) + 1;
}

static void
new_line(struct parser *p)
{
    p->line++;
    p->line_start = p->cursor + 1;
}

/* Past white space and comments; false: a comment has no end. */
static bool
skip_space(struct parser *p)
{
    for (; p->cursor < p->end; p->cursor++) {
        char c = *p->cursor;
        if (c == '\n') {
            new_line(p);
        } else if (c == '/' && peek(p, 1) == '/') {
            while (p->cursor < p->end && *p->cursor != '\n')
                p->cursor++;
            p->cursor--;
        } else if (c == '/' && peek(p, 1) == '*') {
            uint32_t line = p->line, column = column_of(p, p->cursor);
            for (p->cursor += 2; p->cursor < p->end; p->cursor++) {
                if (*p->cursor == '\n')
                    new_line(p);
                else if (*p->cursor == '*' && peek(p, 1) == '/')
                    break;
            }
            if (p->cursor >= p->end) {
                fail_at(p, line, column, "the comment has no end");
                return false;
            }
            p->cursor++;
        } else if (c != ' ' && c != '\t' && c != '\r' && c != '\v' && c != '\f') {
            break;
        }
    }
    return true;
}

/* -- numbers ----------------------------------------------------------------------------------- */

/* 0f3f800000, 0d3ff0000000000000 (PTX ISA 4.5.2). */
static void
lex_float_bits(struct parser *p, struct token *t)
{
    t->kind = TOKEN_FLOAT;
    t->is_f32 = p->cursor[1] == 'f' || p->cursor[1] == 'F';
    unsigned want = t->is_f32 ? 8 : 16, n = 0;
    for (p->cursor += 2; hex_digit(peek(p, 0)) >= 0; p->cursor++, n++)
        t->integer = t->integer << 4 | (unsigned)hex_digit(*p->cursor);
    if (n != want || is_follow(peek(p, 0)))
        fail_at(p, t->line, t->column, "a constant 0%c needs %u hexadecimal digits",
                t->is_f32 ? 'f' : 'd', want);
}

static void
lex_decimal_float(struct parser *p, struct token *t)
{
    char text[128];
    const char *start = p->cursor;
    while (is_digit(peek(p, 0)) || peek(p, 0) == '.')
        p->cursor++;
    if ((peek(p, 0) | 32) == 'e') {
        p->cursor++;
        if (peek(p, 0) == '+' || peek(p, 0) == '-')
            p->cursor++;
        while (is_digit(peek(p, 0)))
            p->cursor++;
    }
    size_t n = (size_t)(p->cursor - start);
    double v = 0;
    if (n < sizeof text) {
        memcpy(text, start, n);
        text[n] = 0;
    }
    if (n >= sizeof text || !ls_parse_f64(text, &v) || is_follow(peek(p, 0))) {
        fail_at(p, t->line, t->column, "'%.*s' is not a number", n > 40 ? 40 : (int)n, start);
        return;
    }
    t->kind = TOKEN_FLOAT;
    memcpy(&t->integer, &v, 8);
}

static bool
is_decimal_float(const struct parser *p)
{
    size_t n = 0;
    while (is_digit(peek(p, n)))
        n++;
    char c = peek(p, n), d = peek(p, n + 1);
    if (c == '.')
        return !is_letter(d) || (d | 32) == 'e';
    return (c | 32) == 'e' && (is_digit(d) || d == '+' || d == '-');
}

static void
lex_number(struct parser *p, struct token *t)
{
    char second = (char)(peek(p, 1) | 32);
    if (*p->cursor == '0' && (second == 'f' || second == 'd')) {
        lex_float_bits(p, t);
        return;
    }
    if (is_decimal_float(p)) {
        lex_decimal_float(p, t);
        return;
    }
    unsigned base = 10;
    const char *start = p->cursor;
    if (*p->cursor == '0' && (second == 'x' || second == 'b')) {
        base = second == 'x' ? 16 : 2;
        p->cursor += 2;
    } else if (*p->cursor == '0') {
        base = 8;
    }
    const char *digits = p->cursor;
    bool fits = true;
    t->kind = TOKEN_INT;
    for (int d; (d = hex_digit(peek(p, 0))) >= 0 && (unsigned)d < base; p->cursor++) {
        fits &= !__builtin_mul_overflow(t->integer, (uint64_t)base, &t->integer);
        fits &= !__builtin_add_overflow(t->integer, (uint64_t)d, &t->integer);
    }
    bool any = p->cursor > digits;
    if (peek(p, 0) == 'U' || peek(p, 0) == 'u') {
        t->is_unsigned = true;
        p->cursor++;
    }
    if (!any || is_follow(peek(p, 0))) {
        while (is_follow(peek(p, 0)))
            p->cursor++;
        int n = p->cursor - start > 40 ? 40 : (int)(p->cursor - start);
        fail_at(p, t->line, t->column, "'%.*s' is not a number", n, start);
    } else if (!fits) {
        fail_at(p, t->line, t->column, "the number does not fit in 64 bits");
    }
    t->is_unsigned |= t->integer > INT64_MAX;
}

/* -- tokens ------------------------------------------------------------------------------------ */

static void
lex_string(struct parser *p, struct token *t)
{
    p->cursor++;
    t->kind = TOKEN_STRING;
    t->at = p->cursor;
    while (p->cursor < p->end && *p->cursor != '"' && *p->cursor != '\n')
        p->cursor += *p->cursor == '\\' && p->cursor + 1 < p->end && p->cursor[1] != '\n' ? 2 : 1;
    if (memchr(t->at, 0, (size_t)(p->cursor - t->at)))
        fail_at(p, t->line, t->column, "the string holds a byte 0x00");
    if (p->cursor >= p->end || *p->cursor != '"') {
        fail_at(p, t->line, t->column, "the string has no end");
        return;
    }
    t->count = (uint32_t)(p->cursor - t->at);
    p->cursor++;
}

static void
lex_dot(struct parser *p, struct token *t)
{
    p->cursor++;
    t->kind = TOKEN_DOT;
    t->at = p->cursor;
    while (is_follow(peek(p, 0)) ||
           (peek(p, 0) == ':' && peek(p, 1) == ':' && is_follow(peek(p, 2))))
        p->cursor += *p->cursor == ':' ? 2 : 1;
    t->count = (uint32_t)(p->cursor - t->at);
    if (!t->count)
        fail_at(p, t->line, t->column, "a word must follow the dot");
}

static void
lex_punct(struct parser *p, struct token *t)
{
    static const char doubles[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "@@"};
    char c = *p->cursor, d = peek(p, 1);
    t->kind = TOKEN_PUNCT;
    t->integer = (unsigned char)c;
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        if (c == doubles[i][0] && d == doubles[i][1])
            t->integer = (uint64_t)PUNCT2((unsigned char)c, (unsigned char)d);
    p->cursor += t->integer > 255 ? 2 : 1;
    if (t->integer > 255 || (c && strchr("{}()[]<>,;:=+-*/%&|^~!?@", c)))
        return;
    if (c > ' ' && c < 127)
        fail_at(p, t->line, t->column, "'%c' does not belong here", c);
    else
        fail_at(p, t->line, t->column, "the byte 0x%02x does not belong here", (unsigned char)c);
}

/* Whether '%' begins a name: not behind a value, unless a letter follows at once. */
static bool
percent_is_name(const struct parser *p)
{
    if (is_letter(peek(p, 1)))
        return true;
    bool behind_value = p->last_kind == TOKEN_INT || p->last_kind == TOKEN_FLOAT ||
                        (p->last_kind == TOKEN_PUNCT && p->last_integer == ')');
    return is_digit(peek(p, 1)) && !behind_value;
}

void
lex_next(struct parser *p)
{
    if (p->failed)
        return;
    const char *before = p->cursor;
    p->last_kind = p->tok.kind;
    p->last_integer = p->tok.integer;
    if (!skip_space(p))
        return;
    struct token t = {.line = p->line, .column = column_of(p, p->cursor), .at = p->cursor};
    t.glued = p->cursor == before;
    /* A NUL at the end belongs to the container, not to the text. */
    if (p->cursor >= p->end || (*p->cursor == 0 && p->cursor + 1 == p->end)) {
        t.kind = TOKEN_END;
        t.at = "";
        p->tok = t;
        return;
    }
    char c = *p->cursor;
    if (is_letter(c) || (c == '%' && percent_is_name(p))) {
        do
            p->cursor++;
        while (is_follow(peek(p, 0)));
        t.kind = TOKEN_NAME;
        if (p->cursor - t.at > PTX_LIMIT_NAME)
            fail_at(p, t.line, t.column, "the name is longer than %d letters", PTX_LIMIT_NAME);
    } else if (is_digit(c)) {
        lex_number(p, &t);
    } else if (c == '.' && is_digit(peek(p, 1)) && p->last_kind == TOKEN_PUNCT) {
        lex_decimal_float(p, &t);
    } else if (c == '.') {
        lex_dot(p, &t);
    } else if (c == '"') {
        lex_string(p, &t);
    } else {
        lex_punct(p, &t);
    }
    if (t.kind != TOKEN_STRING && t.kind != TOKEN_DOT)
        t.count = (uint32_t)(p->cursor - t.at);
    if (!p->failed)
        p->tok = t;
}

struct lex_state
lex_save(const struct parser *p)
{
    return (struct lex_state){p->cursor, p->line_start, p->line,
                              p->tok,    p->last_kind,  p->last_integer};
}

void
lex_restore(struct parser *p, const struct lex_state *s)
{
    if (p->failed)
        return;
    p->cursor = s->cursor;
    p->line_start = s->line_start;
    p->line = s->line;
    p->tok = s->tok;
    p->last_kind = s->last_kind;
    p->last_integer = s->last_integer;
}

bool
lex_is(const struct parser *p, int punct)
{
    return p->tok.kind == TOKEN_PUNCT && p->tok.integer == (uint64_t)punct;
}

bool
lex_is_dot(const struct parser *p, const char *word)
{
    return p->tok.kind == TOKEN_DOT && strlen(word) == p->tok.count &&
           memcmp(word, p->tok.at, p->tok.count) == 0;
}

bool
lex_take(struct parser *p, int punct)
{
    if (!lex_is(p, punct))
        return false;
    lex_next(p);
    return true;
}

bool
lex_take_dot(struct parser *p, const char *word)
{
    if (!lex_is_dot(p, word))
        return false;
    lex_next(p);
    return true;
}

void
lex_expect(struct parser *p, int punct)
{
    char what[4] = {'\'', (char)punct, '\'', 0};
    if (!lex_take(p, punct))
        fail_expected(p, what);
}

const char *
lex_text(struct parser *p, const struct token *t)
{
    return arena_strndup(p->arena, t->at, t->count);
}

const char *
lex_name(struct parser *p, const char *what)
{
    if (p->tok.kind != TOKEN_NAME) {
        fail_expected(p, what);
        return "";
    }
    const char *name = lex_text(p, &p->tok);
    lex_next(p);
    return name;
}
