/* SPDX-License-Identifier: Apache-2.0
 *
 * tune_macros.c: whether the program looks at the macros that are swept. A misspelt one (-P
 * TIEL=8,16) changes nothing, and a ranking of equal programs would call one of them the best. Each
 * macro is first defined as a word of its own, which shows in the preprocessed text where the macro
 * is replaced; one that shows nowhere (it may stand in conditions alone) has to make a difference
 * between its values.
 */
#include "cli/tune/tune.h"

#include "cc/cc.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct probe {
    const struct tune_call *call;
    struct arena arena;
};

/* -- what the compiler reads ------------------------------------------------------------------- */

static bool
is_source(const char *word)
{
    return !ls_ends_with(word, ".o") && !ls_ends_with(word, ".a");
}

/* The text of one pass over one file; false: the compiler stops, as it may where a value makes no
 * sense. */
static bool
read_pass(struct probe *p, const char *path, const char *const *definitions, size_t n, bool device,
          struct text *out)
{
    const struct cli_line *line = p->call->line;
    size_t files = line->compile_count -
                   line->compile_options; /* the last of the options: read by themselves */
    suite_words options = {0};
    struct ls_error ignored = {0};
    for (size_t k = 0; k < n; k++)
        VEC_PUSH(&options, definitions[k]);
    for (size_t k = 0; k + files < p->call->options.count; k++)
        VEC_PUSH(&options, p->call->options.at[k]);
    VEC_PUSH(&options, "-w");
    fflush(stderr);
    int before = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO); /* whoever compiles it in earnest hears the messages */
    bool fine = cc_text(path, options.at, options.count, device, out, &ignored);
    dup2(before, STDERR_FILENO);
    close(before);
    close(nowhere);
    VEC_FREE(&options);
    return fine;
}

/* All that is read with these definitions: both passes over each file. */
static bool
read_all(struct probe *p, const char *const *definitions, size_t n, struct text *out)
{
    const struct cli_line *line = p->call->line;
    bool fine = true;
    for (int device = 0; fine && device < 2; device++) {
        fine = read_pass(p, p->call->program, definitions, n, device, out);
        for (size_t k = line->compile_options; fine && k < line->compile_count; k++)
            if (is_source(line->compile[k]))
                fine = read_pass(p, line->compile[k], definitions, n, device, out);
    }
    return fine;
}

/* -- macros ------------------------------------------------------------------------------------ */

static const char *
mark_of(struct probe *p, const char *name)
{
    return arena_printf(&p->arena, "lockstep_probe_%s_", name);
}

/* Values of one macro, the others at their first one: whether two of them, or one and none at all,
 * are read differently. Where the compiler stops, the value was looked at. */
static bool
makes_a_difference(struct probe *p, size_t swept)
{
    const struct tune_call *c = p->call;
    const suite_words *values = &c->parameters.at[swept].values;
    struct text first = {0}, other = {0};
    bool differs = false;
    for (size_t v = 0; !differs && v <= values->count; v++) {
        const char **definitions = ARENA_ARRAY(&p->arena, const char *, c->parameters.count + 1);
        size_t n = 0;
        for (size_t k = 0; k < c->parameters.count; k++)
            if (!c->parameters.at[k].argument && (k != swept || v < values->count))
                definitions[n++] = arena_printf(&p->arena, "-D%s=%s", c->parameters.at[k].name,
                                                c->parameters.at[k].values.at[k == swept ? v : 0]);
        struct text *to = v ? &other : &first;
        to->count = 0;
        differs =
            !read_all(p, definitions, n, to) ||
            (v && (first.count != other.count || memcmp(first.at, other.at, first.count) != 0));
    }
    text_free(&first);
    text_free(&other);
    return differs;
}

/* A macro that a condition of the file asks for, and whose name is like it; NULL: none. */
static const char *
near_macro(struct probe *p, const char *name)
{
    size_t size;
    struct ls_error ignored = {0};
    char *text = ls_read_file(p->call->program, &size, &ignored);
    suite_words found = {0};
    for (char *rest = text, *line; rest && (line = strsep(&rest, "\n"));) {
        line += strspn(line, " \t");
        for (char *at = *line == '#' ? line + 1 : NULL; at && *at;) {
            size_t n = 0;
            while (isalnum((unsigned char)at[n]) || at[n] == '_')
                n++;
            if (n > 1 && !isdigit((unsigned char)*at))
                VEC_PUSH(&found, arena_strndup(&p->arena, at, n));
            at += n ? n : 1;
        }
    }
    const char *near = ls_nearest(name, found.at, found.count);
    VEC_FREE(&found);
    ls_release(text);
    return near;
}

static bool
complain(struct probe *p, const char *name, struct ls_error *err)
{
    const char *near = near_macro(p, name);
    return ls_fail(
        err, LS_ERR_USAGE,
        "-P %s: %s never looks at a macro %s, or not at these values: all of them give the same "
        "program%s%s%s",
        name, p->call->program, name, near ? " (did you mean " : "", near ? near : "",
        near ? "?)" : "");
}

bool
tune_macros_are_used(const struct tune_call *c, struct ls_error *err)
{
    struct probe p = {.call = c};
    struct text text = {0};
    const char **definitions = ARENA_ARRAY(&p.arena, const char *, c->parameters.count + 1);
    size_t n = 0;
    bool fine = true;
    for (size_t k = 0; k < c->parameters.count; k++)
        if (!c->parameters.at[k].argument)
            definitions[n++] = arena_printf(&p.arena, "-D%s=%s", c->parameters.at[k].name,
                                            mark_of(&p, c->parameters.at[k].name));
    if (n)
        read_all(&p, definitions, n, &text); /* as far as it gets */
    for (size_t k = 0; fine && k < c->parameters.count; k++) {
        const char *name = c->parameters.at[k].name;
        if (!c->parameters.at[k].argument && !(text.at && strstr(text.at, mark_of(&p, name))) &&
            !makes_a_difference(&p, k))
            fine = complain(&p, name, err);
    }
    text_free(&text);
    arena_free(&p.arena);
    return fine;
}
