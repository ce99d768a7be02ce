/* SPDX-License-Identifier: Apache-2.0
 *
 * commands.c: from a line to its command; `help`, `info`, `source`, completion.
 */
#include "cli/debug/commands.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct command_row {
    const char *name, *alias;
    bool (*run)(struct session *s, const char *args, struct ls_error *err);
    const char *topic, *arguments, *help;
};
static const struct command_row rows[] = {
#define DEBUG_COMMAND(name, alias, function, topic, arguments, help)                               \
    {name, alias, function, topic, arguments, help},
#include "cli/debug/commands.def"
#undef DEBUG_COMMAND
};
static const struct command_row infos[] = {
#define DEBUG_INFO(name, alias, function, help) {name, alias, function, NULL, "", help},
#include "cli/debug/info.def"
#undef DEBUG_INFO
};
enum { ROWS = sizeof rows / sizeof *rows, INFOS = sizeof infos / sizeof *infos };

/* -- finding a row ----------------------------------------------------------------------------- */

static bool
has_alias(const struct command_row *r, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = r->alias; *p;) {
        size_t m = strcspn(p, " ");
        if (m == n && !strncmp(p, word, n))
            return true;
        p += m + (p[m] == ' ');
    }
    return false;
}

static const struct command_row *
find(const struct command_row *table, size_t count, const char *before, const char *word,
     struct ls_error *err)
{
    const struct command_row *found = NULL;
    struct text many = {0};
    size_t n = strlen(word), hits = 0;
    for (size_t k = 0; k < count; k++) {
        if (!strcmp(table[k].name, word) || has_alias(&table[k], word)) {
            text_free(&many);
            return &table[k];
        }
        if (strncmp(table[k].name, word, n) != 0)
            continue;
        found = &table[k];
        text_add(&many, "%s%s", hits++ ? ", " : "", table[k].name);
    }
    if (hits > 1)
        ls_fail(err, LS_ERR_USAGE, "Ambiguous %scommand \"%s\": %s.", before, word, many.at);
    else if (!hits)
        ls_fail(err, LS_ERR_USAGE, "Undefined %scommand: \"%s\".  Try \"help%s%s\".", before, word,
                *before ? " " : "", *before ? "info" : "");
    text_free(&many);
    return hits == 1 ? found : NULL;
}

/* "print/x v": name and what follows it. */
static const char *
name_of(struct session *s, const char *line, const char **args)
{
    const char *p = line;
    while (isalnum((unsigned char)*p) || *p == '-' || *p == '_')
        p++;
    *args = word_skip(p);
    if (p == line) /* a sign is its own name, so that the message names it */
        while (*p && !isspace((unsigned char)*p))
            p++;
    return arena_strndup(&s->scratch, line, (size_t)(p - line));
}

/* -- executing --------------------------------------------------------------------------------- */

static bool
execute_one(struct session *s, const char *line, struct ls_error *err)
{
    const char *args;
    line = word_skip(line);
    if (!*line || *line == '#')
        return true;
    size_t n = strlen(line);
    while (n && isspace((unsigned char)line[n - 1]))
        n--;
    line = arena_strndup(&s->scratch, line, n);
    if (s->breaks.collects) {
        if (strcmp(line, "end") != 0) {
            struct text all = {0};
            text_add(&all, "%s%s\n",
                     s->breaks.collects->commands ? s->breaks.collects->commands : "", line);
            ls_release(s->breaks.collects->commands);
            s->breaks.collects->commands = all.at;
        } else {
            s->breaks.collects = NULL;
        }
        return true;
    }
    const char *name = name_of(s, line, &args);
    const struct command_row *r = find(rows, ROWS, "", name, err);
    return r && r->run(s, args, err);
}

static bool execute_after(struct session *s, struct ls_error *err);

/* path: of the file that the text comes from; NULL: a breakpoint's commands, which those of the
 * next one follow, not interrupt. */
static bool
execute_text(struct session *s, char *text, const char *path, struct ls_error *err)
{
    uint32_t number = 0;
    for (char *line = text; line && !s->quit;) {
        char *end = strchr(line, '\n');
        struct ls_error why = {0};
        if (end)
            *end = 0;
        number++;
        if (!execute_one(s, line, &why) || (path && !execute_after(s, &why))) {
            if (!path)
                return ls_fail(err, LS_ERR_INPUT, "%s", why.text);
            return ls_fail(err, LS_ERR_INPUT, "%s:%u: Error in sourced command file:\n%s", path,
                           number, why.text);
        }
        line = end ? end + 1 : NULL;
    }
    return true;
}

/* Commands of breakpoints may go on to others. */
static bool
execute_after(struct session *s, struct ls_error *err)
{
    bool fine = true;
    enum { MOST = 1000000 };
    for (int k = 0; fine && s->breaks.after.count && k < MOST; k++) {
        struct text now = s->breaks.after;
        s->breaks.after = (struct text){0};
        fine = execute_text(s, now.at, NULL, err);
        text_free(&now);
    }
    return fine;
}

bool
command_is(struct session *s, const char *line)
{
    const char *args;
    struct ls_error unused;
    return find(rows, ROWS, "", name_of(s, word_skip(line), &args), &unused) != NULL;
}

bool
command_run(struct session *s, const char *line, struct ls_error *err)
{
    bool fine = execute_one(s, line, err) && execute_after(s, err);
    session_said(s);
    fflush(s->out);
    if (!fine)
        text_free(&s->breaks.after);
    return fine;
}

bool
command_execute(struct session *s, const char *line)
{
    struct ls_error err = {0};
    bool fine = command_run(s, line, &err);
    if (!fine) {
        fprintf(stderr, "%s\n", err.text);
        s->failed = true;
    }
    if (!s->breaks.collects)
        arena_free(&s->scratch);
    return fine;
}

bool
cmd_source(struct session *s, const char *args, struct ls_error *err)
{
    size_t size;
    static int depth;
    enum { DEEPEST = 16 };
    if (!*args)
        return ls_fail(err, LS_ERR_USAGE, "source command requires file name of file to source.");
    if (depth == DEEPEST)
        return ls_fail(err, LS_ERR_USAGE, "%s: files of commands within each other", args);
    char *text = ls_read_file(args, &size, err);
    if (!text)
        return false;
    depth++;
    const char *path = arena_strdup(&s->scratch, args);
    bool fine = execute_text(s, text, path, err);
    depth--;
    ls_release(text);
    if (s->breaks.collects) {
        s->breaks.collects = NULL;
        fine = fine && ls_fail(err, LS_ERR_USAGE, "%s: commands without their `end'", path);
    }
    return fine;
}

bool
cmd_info(struct session *s, const char *args, struct ls_error *err)
{
    const char *rest, *word = name_of(s, args, &rest);
    if (!*word)
        return cmd_help(s, "info", err);
    const struct command_row *r = find(infos, INFOS, "info ", word, err);
    return r && r->run(s, rest, err);
}

bool
info_cuda(struct session *s, const char *args, struct ls_error *err)
{
    if (!*args)
        return cmd_cuda(s, "", err);
    return cmd_info(s, args, err);
}

/* -- help -------------------------------------------------------------------------------------- */

static void
help_row(struct session *s, const struct command_row *r, const char *before)
{
    char left[128];
    snprintf(left, sizeof left, "%s%s%s%s%s%s", before, r->name, *r->alias ? ", " : "", r->alias,
             *r->arguments ? " " : "", r->arguments);
    session_say(s, "  %-38s %s\n", left, r->help);
}

bool
cmd_help(struct session *s, const char *args, struct ls_error *err)
{
    const char *topic = "", *rest;
    if (*args) {
        const struct command_row *r = find(rows, ROWS, "", name_of(s, args, &rest), err);
        if (!r)
            return false;
        help_row(s, r, "");
        for (size_t k = 0; r->run == cmd_info && k < INFOS; k++)
            help_row(s, &infos[k], "info ");
        return true;
    }
    for (size_t k = 0; k < ROWS; k++) {
        if (strcmp(topic, rows[k].topic) != 0)
            session_say(s, "%s%s:\n", *topic ? "\n" : "", rows[k].topic);
        topic = rows[k].topic;
        help_row(s, &rows[k], "");
    }
    session_say(s, "\nAn empty line repeats the last command. Names may be cut short.\n");
    return true;
}

/* -- completion -------------------------------------------------------------------------------- */

static bool
counts(const char *candidate, const char *word, size_t *nth)
{
    return !strncmp(candidate, word, strlen(word)) && (*nth)-- == 0;
}

/* Names that an expression or a place may hold. */
static const char *
complete_name(struct session *s, const char *word, size_t nth)
{
    struct world w = session_here(s);
    for (const struct scope *c = w.scope; c; c = c->parent)
        for (size_t k = 0; k < c->variable_count; k++)
            if (counts(c->variables[k].name, word, &nth))
                return c->variables[k].name;
    for (size_t m = 0; m < s->modules.count; m++) {
        const struct symbols *y = s->modules.at[m].symbols;
        for (size_t k = 0; k < y->function_count; k++)
            if (y->functions[k].end > y->functions[k].first &&
                counts(y->functions[k].name, word, &nth))
                return y->functions[k].name;
        for (size_t k = 0; k < y->globals.count; k++)
            if (counts(y->globals.at[k].name, word, &nth))
                return y->globals.at[k].name;
        for (size_t k = 0; k < y->files.count; k++)
            if (counts(source_base(y->files.at[k]), word, &nth))
                return source_base(y->files.at[k]);
    }
    static const char *const builtins[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                           "warpSize"};
    for (size_t k = 0; k < sizeof builtins / sizeof *builtins; k++)
        if (counts(builtins[k], word, &nth))
            return builtins[k];
    return NULL;
}

const char *
command_complete(struct session *s, const char *line, const char *word, size_t nth)
{
    const char *rest, *first = word_skip(line);
    const char *name = name_of(s, first, &rest);
    bool is_first = strspn(first, "abcdefghijklmnopqrstuvwxyz-") == strlen(first);
    bool is_info = !is_first && (!strcmp(name, "info") || !strcmp(name, "i"));
    bool is_help = !is_first && (!strcmp(name, "help") || !strcmp(name, "h"));
    const struct command_row *table = is_info ? infos : rows;
    for (size_t k = 0; (is_first || is_info || is_help) && k < (is_info ? INFOS : ROWS); k++)
        if (counts(table[k].name, word, &nth))
            return table[k].name;
    return is_first || is_help ? NULL : complete_name(s, word, nth);
}
