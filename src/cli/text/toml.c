/* SPDX-License-Identifier: Apache-2.0
 *
 * toml.c: see toml.h. Tables, headers and keys; values are in toml_value.c.
 */
#include "cli/text/toml_priv.h"

#include <string.h>

bool
toml_fail(const struct toml_reader *r, struct ls_error *err, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return ls_fail(err, LS_ERR_INPUT, "%s:%u: %s", r->path, r->line, text);
}

struct toml *
toml_find(const struct toml *table, const char *key)
{
    struct toml *e = table ? table->first : NULL;
    while (e && (!e->key || strcmp(e->key, key) != 0))
        e = e->next;
    return e;
}

const char *
toml_kind_name(enum toml_kind kind)
{
    static const char *const names[] = {"a string",      "an integer", "a number",
                                        "true or false", "an array",   "a table"};
    return names[kind];
}

struct toml *
toml_add(struct toml_reader *r, struct toml *to, enum toml_kind kind, const char *key)
{
    struct toml *e = ARENA_NEW(r->arena, struct toml);
    e->kind = kind;
    e->key = key;
    e->line = r->line;
    if (to->last)
        to->last->next = e;
    else
        to->first = e;
    to->last = e;
    to->count++;
    return e;
}

/* -- blanks and comments ----------------------------------------------------------------------- */

void
toml_blanks(struct toml_reader *r)
{
    r->at += strspn(r->at, " \t");
}

static bool
take_comment(struct toml_reader *r, struct ls_error *err)
{
    if (*r->at != '#')
        return true;
    for (; *r->at && *r->at != '\n'; r->at++)
        if (((unsigned char)*r->at < ' ' && *r->at != '\t' &&
             !(*r->at == '\r' && r->at[1] == '\n')) ||
            *r->at == 0x7f)
            return toml_fail(r, err, "a control character in a comment");
    return true;
}

bool
toml_take_newline(struct toml_reader *r)
{
    size_t n = *r->at == '\n' ? 1 : *r->at == '\r' && r->at[1] == '\n' ? 2 : 0;
    r->at += n;
    r->line += n != 0;
    return n != 0;
}

bool
toml_lines(struct toml_reader *r, struct ls_error *err)
{
    do {
        toml_blanks(r);
        if (!take_comment(r, err))
            return false;
    } while (toml_take_newline(r));
    return true;
}

/* Nothing but a comment stands behind what was read. */
static bool
end_of_line(struct toml_reader *r, struct ls_error *err)
{
    toml_blanks(r);
    if (!take_comment(r, err))
        return false;
    return !*r->at || toml_take_newline(r) ||
           toml_fail(r, err, "\"%.*s\" stands behind what ends here", (int)strcspn(r->at, "\r\n"),
                     r->at);
}

/* -- keys -------------------------------------------------------------------------------------- */

static const char *
take_simple_key(struct toml_reader *r, struct ls_error *err)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (*r->at == '"' || *r->at == '\'')
        return toml_take_string(r, false, err);
    size_t n = strspn(r->at, bare);
    if (!n) {
        toml_fail(r, err, "a key was expected, not \"%.*s\"", (int)strcspn(r->at, "\r\n"), r->at);
        return NULL;
    }
    r->at += n;
    return arena_strndup(r->arena, r->at - n, n);
}

/* The table that a name within `from` stands for, to go on in; of an array of tables its last one.
 * by_dots: named by `a.b = 1`, not by a header. */
static struct toml *
enter(struct toml_reader *r, struct toml *from, const char *key, bool by_dots, struct ls_error *err)
{
    struct toml *e = toml_find(from, key);
    if (!e) {
        e = toml_add(r, from, TOML_TABLE, key);
        e->by_dots = by_dots;
        return e;
    }
    if (e->kind == TOML_ARRAY && !e->closed && !by_dots)
        return e->last;
    bool open = e->kind == TOML_TABLE && !e->closed && (!by_dots || !e->by_header);
    if (!open)
        toml_fail(r, err, "\"%s\" is there already, in line %u, and cannot be added to", key,
                  e->line);
    return open ? e : NULL;
}

/* The key's last name, and in *table the table for it. */
static const char *
take_key(struct toml_reader *r, struct toml **table, bool by_dots, struct ls_error *err)
{
    for (;;) {
        toml_blanks(r);
        const char *key = take_simple_key(r, err);
        toml_blanks(r);
        if (!key || *r->at != '.')
            return key;
        r->at++;
        *table = enter(r, *table, key, by_dots, err);
        if (!*table)
            return NULL;
    }
}

bool
toml_take_pair(struct toml_reader *r, struct toml *table, struct ls_error *err)
{
    const char *key = take_key(r, &table, true, err);
    struct toml *before = key ? toml_find(table, key) : NULL;
    if (!key)
        return false;
    if (before)
        return toml_fail(r, err, "\"%s\" is there already, in line %u", key, before->line);
    if (*r->at != '=')
        return toml_fail(r, err, "\"=\" was expected behind \"%s\"", key);
    r->at++;
    toml_blanks(r);
    return toml_take_value(r, table, key, err);
}

/* -- headers ----------------------------------------------------------------------------------- */

/* [table] or [[array of tables]]: the table that the pairs behind it belong to. */
static struct toml *
take_header(struct toml_reader *r, struct toml *root, struct ls_error *err)
{
    bool many = r->at[1] == '[';
    struct toml *table = root;
    r->at += 1 + many;
    const char *key = take_key(r, &table, false, err);
    if (!key)
        return NULL;
    if (strncmp(r->at, "]]", 1 + many) != 0) {
        toml_fail(r, err, "\"%s\" was expected behind \"%s\"", many ? "]]" : "]", key);
        return NULL;
    }
    r->at += 1 + many;
    struct toml *e = toml_find(table, key);
    bool fine = many ? !e || (e->kind == TOML_ARRAY && !e->closed)
                     : !e || (e->kind == TOML_TABLE && !e->by_header && !e->by_dots && !e->closed);
    if (!fine) {
        toml_fail(r, err, "\"%s\" is there already, in line %u", key, e->line);
        return NULL;
    }
    if (!e)
        e = toml_add(r, table, many ? TOML_ARRAY : TOML_TABLE, key);
    if (many)
        e = toml_add(r, e, TOML_TABLE, NULL);
    e->by_header = true;
    e->line = r->line;
    return end_of_line(r, err) ? e : NULL;
}

struct toml *
toml_parse(const char *path, const char *text, struct arena *a, struct ls_error *err)
{
    struct toml_reader r = {.path = path, .at = text, .line = 1, .arena = a};
    struct toml *root = ARENA_NEW(a, struct toml), *table = root;
    root->kind = TOML_TABLE;
    root->line = 1;
    if (ls_starts_with(text, "\xef\xbb\xbf"))
        r.at += 3;
    for (;;) {
        if (!toml_lines(&r, err))
            return NULL;
        if (!*r.at)
            return root;
        if (*r.at == '[')
            table = take_header(&r, root, err);
        else if (!toml_take_pair(&r, table, err) || !end_of_line(&r, err))
            return NULL;
        if (!table)
            return NULL;
    }
}

struct toml *
toml_read(const char *path, struct arena *a, struct ls_error *err)
{
    size_t size;
    char *text = ls_read_file(path, &size, err);
    struct toml *root = NULL;
    if (!text)
        return NULL;
    if (strlen(text) != size)
        ls_fail(err, LS_ERR_INPUT, "%s: a zero byte in it: no TOML", path);
    else
        root = toml_parse(path, text, a, err);
    ls_release(text);
    return root;
}
