/* SPDX-License-Identifier: Apache-2.0
 *
 * toml_value.c: the values of a TOML document: strings in four forms, numbers, truth, arrays,
 * inline tables.
 */
#include "cli/text/toml_priv.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

/* -- strings ----------------------------------------------------------------------------------- */

static void
add_code_point(struct text *t, uint32_t c)
{
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t k = n - 1; k > 0; k--, c >>= 6)
        bytes[k] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(first[n] | c);
    text_add_bytes(t, bytes, n);
}

/* \uXXXX or \UXXXXXXXX, behind the backslash. */
static bool
take_code_point(struct toml_reader *r, struct text *t, struct ls_error *err)
{
    size_t digits = *r->at == 'u' ? 4 : 8;
    uint32_t c = 0;
    for (size_t k = 1; k <= digits; k++) {
        if (!isxdigit((unsigned char)r->at[k]))
            return toml_fail(r, err, "\\%c takes %zu hexadecimal digits", *r->at, digits);
        char digit[2] = {r->at[k], 0};
        c = c << 4 | (uint32_t)strtoul(digit, NULL, 16);
    }
    if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return toml_fail(r, err, "\\%.*s is no character that a string may hold", (int)digits + 1,
                         r->at);
    r->at += digits + 1;
    add_code_point(t, c);
    return true;
}

/* Behind a backslash. In strings of several lines one at a line's end
 * takes all blanks that follow. */
static bool
take_escape(struct toml_reader *r, bool lines, struct text *t, struct ls_error *err)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    const char *which = *r->at ? strchr(from, *r->at) : NULL;
    if (which) {
        text_add_bytes(t, &to[which - from], 1);
        r->at++;
        return true;
    }
    if (*r->at == 'u' || *r->at == 'U')
        return take_code_point(r, t, err);
    const char *before = r->at;
    toml_blanks(r);
    if (lines && toml_take_newline(r)) {
        do
            toml_blanks(r);
        while (toml_take_newline(r));
        return true;
    }
    return toml_fail(r, err, "\\%.1s means nothing in a string", before);
}

/* Reads the characters of a string, from behind its opening quotes to behind its closing ones, each
 * of `quotes` characters (1 or 3). */
static bool
take_characters(struct toml_reader *r, char quote, size_t quotes, struct text *t,
                struct ls_error *err)
{
    uint32_t begin = r->line;
    const char all[] = {quote, quote, quote, 0};
    for (;;) {
        if (strncmp(r->at, all, quotes) == 0) {
            /* up to two quotes may stand before the three that end it */
            size_t more = quotes == 3 ? strspn(r->at + 3, all) : 0;
            more = more > 2 ? 2 : more;
            text_add_bytes(t, r->at, more);
            r->at += more + quotes;
            return true;
        }
        if (*r->at == '\\' && quote == '"') {
            r->at++;
            if (!take_escape(r, quotes == 3, t, err))
                return false;
        } else if (quotes == 3 && (*r->at == '\n' || (*r->at == '\r' && r->at[1] == '\n'))) {
            toml_take_newline(r);
            text_add_bytes(t, "\n", 1);
        } else if (!*r->at || *r->at == '\n' || *r->at == '\r') {
            return toml_fail(r, err, "the string that begins in line %u does not end", begin);
        } else if (((unsigned char)*r->at < ' ' && *r->at != '\t') || *r->at == 0x7f) {
            return toml_fail(r, err, "a control character in a string");
        } else {
            text_add_bytes(t, r->at++, 1);
        }
    }
}

const char *
toml_take_string(struct toml_reader *r, bool lines, struct ls_error *err)
{
    char quote = *r->at;
    bool three = lines && r->at[1] == quote && r->at[2] == quote;
    struct text t = {0};
    r->at += three ? 3 : 1;
    if (three)
        toml_take_newline(r);
    bool fine = take_characters(r, quote, three ? 3 : 1, &t, err);
    const char *string = fine ? arena_strndup(r->arena, t.at ? t.at : "", t.count) : NULL;
    text_free(&t);
    return string;
}

/* -- numbers ----------------------------------------------------------------------------------- */

/* Digits with single underscores between them, without those to `out`; how many characters. 0:
 * none, or badly put. */
static size_t
take_digits(const char *at, int base, struct text *out)
{
    size_t n = 0;
    for (bool digit_before = false;; n++) {
        bool digit =
            base == 16 ? isxdigit((unsigned char)at[n]) : at[n] >= '0' && at[n] < '0' + base;
        if (at[n] == '_' && !digit_before)
            return 0;
        if (!digit && at[n] != '_')
            return digit_before ? n : 0;
        if (digit)
            text_add_bytes(out, at + n, 1);
        digit_before = digit;
    }
}

/* The word as a number, without its underscores; *is_float: it is no integer. False: it is none. */
static bool
read_number(const char *word, struct text *plain, int *base, bool *is_float)
{
    const char *at = word + (*word == '-' || *word == '+');
    size_t n;
    *base = 10;
    *is_float = false;
    text_add_bytes(plain, word, (size_t)(at - word));
    if (!strcmp(at, "inf") || !strcmp(at, "nan")) {
        *is_float = true;
        text_add(plain, "%s", at);
        return true;
    }
    if (at == word && *at == '0' && at[1] && strchr("xob", at[1])) {
        *base = at[1] == 'x' ? 16 : at[1] == 'o' ? 8 : 2;
        n = take_digits(at + 2, *base, plain);
        return n && !at[2 + n];
    }
    n = take_digits(at, 10, plain);
    if (!n || (*at == '0' && n > 1))
        return false;
    at += n;
    if (*at == '.') {
        *is_float = true;
        text_add(plain, ".");
        n = take_digits(at + 1, 10, plain);
        if (!n)
            return false;
        at += 1 + n;
    }
    if (*at == 'e' || *at == 'E') {
        *is_float = true;
        text_add(plain, "e");
        at++;
        if (*at == '-' || *at == '+')
            text_add_bytes(plain, at++, 1);
        n = take_digits(at, 10, plain);
        at += n;
        return n && !*at;
    }
    return !*at;
}

static bool
take_word(struct toml_reader *r, struct toml *to, const char *key, struct ls_error *err)
{
    size_t n = strcspn(r->at, " \t\r\n,]}#=");
    const char *word = arena_strndup(r->arena, r->at, n);
    struct text plain = {0};
    int base;
    bool is_float;
    if (!strcmp(word, "true") || !strcmp(word, "false")) {
        toml_add(r, to, TOML_BOOLEAN, key)->truth = *word == 't';
        r->at += n;
        return true;
    }
    if (n >= 3 && isdigit((unsigned char)*word) &&
        (strchr(word, ':') || (n >= 10 && word[4] == '-')))
        return toml_fail(r, err, "\"%s\": dates and times have no use here", word);
    bool fine = read_number(word, &plain, &base, &is_float);
    if (fine && !is_float) {
        errno = 0;
        int64_t value = strtoll(plain.at, NULL, base);
        fine = errno == 0;
        struct toml *e = toml_add(r, to, TOML_INTEGER, key);
        e->integer = value;
        e->number = (double)value;
    } else if (fine) {
        toml_add(r, to, TOML_FLOAT, key)->number = strtod(plain.at, NULL);
    }
    text_free(&plain);
    r->at += n;
    return fine ||
           (n ? toml_fail(r, err, "\"%s\" is no value (a string stands in quotes)", word)
              : toml_fail(r, err, "a value was expected%s%s", key ? " for " : "", key ? key : ""));
}

/* -- arrays and inline tables ------------------------------------------------------------------ */

static bool
take_array(struct toml_reader *r, struct toml *array, struct ls_error *err)
{
    r->at++;
    for (;;) {
        if (!toml_lines(r, err))
            return false;
        if (*r->at == ']')
            break;
        if (!toml_take_value(r, array, NULL, err) || !toml_lines(r, err))
            return false;
        if (*r->at == ',')
            r->at++;
        else if (*r->at != ']')
            return toml_fail(r, err, "\",\" or \"]\" was expected in the array of line %u",
                             array->line);
    }
    r->at++;
    return true;
}

static bool
take_inline_table(struct toml_reader *r, struct toml *table, struct ls_error *err)
{
    r->at++;
    toml_blanks(r);
    while (*r->at != '}') {
        if (!toml_take_pair(r, table, err))
            return false;
        toml_blanks(r);
        if (*r->at != ',' && *r->at != '}')
            return toml_fail(r, err, "\",\" or \"}\" was expected in the table of line %u",
                             table->line);
        if (*r->at == ',') {
            r->at++;
            toml_blanks(r);
            if (*r->at == '}')
                return toml_fail(r, err, "a pair was expected behind \",\"");
        }
    }
    r->at++;
    return true;
}

bool
toml_take_value(struct toml_reader *r, struct toml *to, const char *key, struct ls_error *err)
{
    if (*r->at == '"' || *r->at == '\'') {
        struct toml *e = toml_add(r, to, TOML_STRING, key);
        e->string = toml_take_string(r, true, err);
        return e->string;
    }
    if (*r->at != '[' && *r->at != '{')
        return take_word(r, to, key, err);
    if (++r->depth > MOST_DEPTH)
        return toml_fail(r, err, "arrays and tables within each other, more than %d deep",
                         MOST_DEPTH);
    struct toml *e = toml_add(r, to, *r->at == '[' ? TOML_ARRAY : TOML_TABLE, key);
    bool fine = *r->at == '[' ? take_array(r, e, err) : take_inline_table(r, e, err);
    e->closed = true;
    r->depth--;
    return fine;
}
