/* SPDX-License-Identifier: Apache-2.0
 *
 * options: one table for the command line, its environment twins and the help text.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct options_parser {
    const struct option_row *rows;
    size_t n;
    int argc;
    char **argv;
    struct option_result *result;
    struct arena *arena;
    struct ls_error *err;
};

static bool
value_is_optional(const struct option_row *row)
{
    return row->value && row->value[0] == '[';
}

static void
set(struct options_parser *p, size_t row, const char *value)
{
    p->result->value[row] = value;
    p->result->from_environment[row] = false;
}

static bool
unknown(struct options_parser *p, const char *word)
{
    const char **names = ls_alloc(sizeof *names * (p->n + 1));
    for (size_t i = 0; i < p->n; i++)
        names[i] = p->rows[i].name;
    const char *near = ls_nearest(word, names, p->n);
    if (near)
        ls_fail(p->err, LS_ERR_USAGE, "unknown option %s (did you mean %s?)", word, near);
    else
        ls_fail(p->err, LS_ERR_USAGE, "unknown option %s", word);
    ls_release(names);
    return false;
}

bool
options_value_follows(const struct option_row *r, const char *word)
{
    if (!value_is_optional(r))
        return false;
    const char *kind = r->name + 2;
    size_t length = strlen(word), end = strlen(kind);
    return length > end + 1 && word[length - end - 1] == '.' &&
           strcmp(word + length - end, kind) == 0;
}

/* Takes the value of a row from what follows the option's name, or the next word. */
static bool
take(struct options_parser *p, size_t row, const char *attached, int *index)
{
    const struct option_row *r = &p->rows[row];
    if (!r->value) {
        if (attached)
            return ls_fail(p->err, LS_ERR_USAGE, "option %s takes no value", r->name);
        set(p, row, "");
        return true;
    }
    if (attached || value_is_optional(r)) {
        if (!attached && *index + 1 < p->argc && options_value_follows(r, p->argv[*index + 1]))
            attached = p->argv[++*index];
        set(p, row, attached ? attached : "");
        return true;
    }
    if (*index + 1 >= p->argc)
        return ls_fail(p->err, LS_ERR_USAGE, "option %s needs a value (%s)", r->name, r->value);
    set(p, row, p->argv[++*index]);
    return true;
}

static bool
parse_long(struct options_parser *p, int *index)
{
    const char *word = p->argv[*index];
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    for (size_t i = 0; i < p->n; i++)
        if (strlen(p->rows[i].name) == length && memcmp(p->rows[i].name, word, length) == 0)
            return take(p, i, equals ? equals + 1 : NULL, index);
    return unknown(p, arena_strndup(p->arena, word, length));
}

/* -n value, -nvalue, and flags together: -vq. */
static bool
parse_short(struct options_parser *p, int *index)
{
    int at = *index;
    for (const char *c = p->argv[at] + 1; *c; c++) {
        size_t i = 0;
        while (i < p->n && p->rows[i].letter != *c)
            i++;
        if (i == p->n)
            return unknown(p, arena_printf(p->arena, "-%c", *c));
        if (p->rows[i].value)
            return take(p, i, c[1] ? c + 1 : NULL, index);
        if (!take(p, i, NULL, index))
            return false;
    }
    return true;
}

bool
options_parse(const struct option_row *rows, size_t n, int argc, char **argv, int *index,
              struct option_result *result, struct arena *arena, struct ls_error *err)
{
    struct options_parser p = {rows, n, argc, argv, result, arena, err};
    result->value = ARENA_ARRAY(arena, const char *, n + 1);
    result->from_environment = ARENA_ARRAY(arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        const char *v = rows[i].environment ? getenv(rows[i].environment) : NULL;
        /* A flag is on when its variable is set to anything but nothing and 0. */
        if (!v || (!rows[i].value && (!*v || strcmp(v, "0") == 0)))
            continue;
        result->value[i] = rows[i].value ? arena_strdup(arena, v) : "";
        result->from_environment[i] = true;
    }
    for (; *index < argc; ++*index) {
        const char *word = argv[*index];
        if (word[0] != '-' || !word[1])
            return true;
        if (strcmp(word, "--") == 0) {
            ++*index;
            return true;
        }
        if (word[1] == '-' ? !parse_long(&p, index) : !parse_short(&p, index))
            return false;
    }
    return true;
}

void
options_help(const struct option_row *rows, size_t n, struct text *out)
{
    enum { COLUMN = 30 };
    for (size_t i = 0; i < n; i++) {
        const struct option_row *r = &rows[i];
        size_t start = out->count;
        if (r->letter)
            text_add(out, "  -%c, %s", r->letter, r->name);
        else
            text_add(out, "      %s", r->name);
        if (value_is_optional(r))
            text_add(out, "[=%.*s]", (int)strlen(r->value) - 2, r->value + 1);
        else if (r->value)
            text_add(out, " %s", r->value);
        size_t width = out->count - start;
        if (width >= COLUMN)
            text_add(out, "\n%*s", COLUMN, "");
        else
            text_add(out, "%*s", (int)(COLUMN - width), "");
        text_add(out, "%s", r->help ? r->help : "");
        if (r->environment)
            text_add(out, " [%s]", r->environment);
        text_add(out, "\n");
    }
}
