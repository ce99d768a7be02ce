/* SPDX-License-Identifier: Apache-2.0
 *
 * grade_read: the exercise's TOML into struct exercise. Every key is known or an error; messages
 * name file and line.
 */
#include "cli/grade/grade.h"

#include "check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct grade_reader {
    const char *path;
    struct arena *arena;
    struct exercise *x;
    struct ls_error *err;
    bool failed;
};

static bool fail_at(struct grade_reader *r, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The first mistake is the one that is told. */
static bool
fail_at(struct grade_reader *r, uint32_t line, const char *format, ...)
{
    char text[640];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!r->failed)
        ls_fail(r->err, LS_ERR_INPUT, "%s:%u: %s", r->path, line, text);
    r->failed = true;
    return false;
}

/* -- values ------------------------------------------------------------------------------------ */

static const struct toml *
value(struct grade_reader *r, const struct toml *table, const char *key, enum toml_kind kind)
{
    const struct toml *e = toml_find(table, key);
    bool fits = !e || e->kind == kind || (kind == TOML_FLOAT && e->kind == TOML_INTEGER);
    if (!fits)
        fail_at(r, e->line, "%s takes %s, not %s", key, toml_kind_name(kind),
                toml_kind_name(e->kind));
    return fits ? e : NULL;
}

static const char *
text_of(struct grade_reader *r, const struct toml *table, const char *key)
{
    const struct toml *e = value(r, table, key, TOML_STRING);
    return e ? e->string : NULL;
}

static double
number_of(struct grade_reader *r, const struct toml *table, const char *key, double least,
          double most, double otherwise)
{
    const struct toml *e = value(r, table, key, TOML_FLOAT);
    if (e && !(e->number >= least && e->number <= most))
        fail_at(r, e->line, "%s takes a number from %g to %g, not %g", key, least, most, e->number);
    return e ? e->number : otherwise;
}

static bool
truth_of(struct grade_reader *r, const struct toml *table, const char *key)
{
    const struct toml *e = value(r, table, key, TOML_BOOLEAN);
    return e && e->truth;
}

/* An array of strings, or one string. */
static struct words
words_of(struct grade_reader *r, const struct toml *table, const char *key)
{
    const struct toml *e = toml_find(table, key);
    struct words w = {0};
    if (e && e->kind != TOML_STRING && e->kind != TOML_ARRAY)
        fail_at(r, e->line, "%s takes a string or an array of strings, not %s", key,
                toml_kind_name(e->kind));
    w.at = ARENA_ARRAY(r->arena, const char *, e ? e->count + 2 : 1);
    if (e && e->kind == TOML_STRING)
        w.at[w.count++] = e->string;
    for (const struct toml *k = e && e->kind == TOML_ARRAY ? e->first : NULL; k; k = k->next) {
        if (k->kind != TOML_STRING)
            fail_at(r, k->line, "%s takes strings, not %s: write \"...\"", key,
                    toml_kind_name(k->kind));
        w.at[w.count++] = k->string;
    }
    return w;
}

/* "64 MiB", or bytes as a number. */
static uint64_t
bytes_of(struct grade_reader *r, const struct toml *table, const char *key, uint64_t otherwise)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"B", 1},    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
                 {"kB", 1e3}, {"MB", 1e6},   {"GB", 1e9}};
    const struct toml *e = toml_find(table, key);
    char unit[8];
    double n = 0;
    if (!e)
        return otherwise;
    if (e->kind == TOML_INTEGER && e->integer > 0)
        return (uint64_t)e->integer;
    if (e->kind == TOML_STRING && sscanf(e->string, "%lf %7s", &n, unit) == 2 && n > 0 && n < 1e15)
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            if (!strcmp(units[k].unit, unit))
                return (uint64_t)(n * units[k].bytes);
    fail_at(r, e->line, "%s takes a size: \"512 MiB\", or a number of bytes", key);
    return otherwise;
}

/* A file beside the exercise, which must be there. */
static const char *
file_of(struct grade_reader *r, uint32_t line, const char *key, const char *name)
{
    const char *path = *name == '/' ? name : arena_printf(r->arena, "%s/%s", r->x->folder, name);
    if (access(path, R_OK) != 0)
        fail_at(r, line, "%s: there is no file %s", key, path);
    return path;
}

static struct words
files_of(struct grade_reader *r, const struct toml *table, const char *key)
{
    struct words w = words_of(r, table, key);
    const struct toml *e = toml_find(table, key);
    for (size_t k = 0; k < w.count && !r->failed; k++)
        w.at[k] = file_of(r, e->line, key, w.at[k]);
    return w;
}

/* A text under `key`, or that of the file under `file_key`; NULL: neither. */
static const char *
content_of(struct grade_reader *r, const struct toml *table, const char *key, const char *file_key,
           size_t *size)
{
    const char *text = text_of(r, table, key), *name = text_of(r, table, file_key);
    const struct toml *e = toml_find(table, file_key);
    struct ls_error err = {0};
    if (text && name)
        fail_at(r, e->line, "%s and %s: one of the two", key, file_key);
    if (text)
        *size = strlen(text);
    if (text || !name || r->failed)
        return text;
    char *content = ls_read_file(file_of(r, e->line, file_key, name), size, &err);
    if (!content && !r->failed)
        fail_at(r, e->line, "%s", err.text);
    text = content ? arena_strndup(r->arena, content, *size) : NULL;
    ls_release(content);
    return text;
}

/* -- which keys there may be ------------------------------------------------------------------- */

/* Is the word one of those in the lists, which are parted by blanks? */
static bool
is_among(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

static void
check_keys(struct grade_reader *r, const struct toml *table, const char *where, const char *keys)
{
    for (const struct toml *e = table ? table->first : NULL; e; e = e->next) {
        const char *all[64];
        size_t n = 0;
        if (is_among(e->key, keys))
            continue;
        char *copy = arena_strdup(r->arena, keys), *save = NULL;
        for (char *k = strtok_r(copy, " ", &save); k && n < 64; k = strtok_r(NULL, " ", &save))
            all[n++] = k;
        const char *near = ls_nearest(e->key, all, n);
        fail_at(r, e->line, "%s has no \"%s\"%s%s%s", where, e->key,
                near ? "; did you mean " : "; there are: ", near ? near : keys, near ? "?" : "");
    }
}

static const struct toml *
table_of(struct grade_reader *r, const struct toml *root, const char *key, const char *keys)
{
    const struct toml *t = value(r, root, key, TOML_TABLE);
    check_keys(r, t, arena_printf(r->arena, "[%s]", key), keys);
    return t;
}

/* -- criteria ---------------------------------------------------------------------------------- */

static const struct criterion_kind *
kind_of(struct grade_reader *r, const struct toml *table)
{
    const char *name = text_of(r, table, "kind"), *all[16];
    for (size_t k = 0; name && k < grade_kind_count; k++)
        if (!strcmp(grade_kinds[k].name, name))
            return &grade_kinds[k];
    struct text list = {0};
    for (size_t k = 0; k < grade_kind_count; k++)
        text_add(&list, "%s%s", k ? ", " : "", all[k] = grade_kinds[k].name);
    const struct toml *e = toml_find(table, "kind");
    const char *near = name ? ls_nearest(name, all, grade_kind_count) : NULL;
    fail_at(r, e ? e->line : table->line, "a criterion's kind is one of %s%s%s%s%s", list.at,
            name ? ", not " : "", name ? name : "", near ? ": did you mean " : "",
            near ? near : "");
    text_free(&list);
    return &grade_kinds[0];
}

static void
read_conditions(struct grade_reader *r, const struct toml *table, struct criterion *c)
{
    struct words w = words_of(r, table, "assert");
    const struct toml *e = toml_find(table, "assert");
    struct ls_error err = {0};
    c->conditions = ARENA_ARRAY(r->arena, struct profile_condition, w.count + 1);
    for (c->condition_count = 0; c->condition_count < w.count && !r->failed; c->condition_count++)
        if (!condition_parse(w.at[c->condition_count], r->arena, &c->conditions[c->condition_count],
                             &err))
            fail_at(r, e->line, "%s", ls_starts_with(err.text, "--") ? err.text + 2 : err.text);
}

/* Reports the keys that a criterion of this kind requires and does not have. */
static void
check_complete(struct grade_reader *r, const struct criterion *c)
{
    const char *kind = c->kind->name;
    bool compares = !strcmp(kind, "output") && !c->expect;
    if (!strcmp(kind, "counter") && !c->condition_count)
        fail_at(r, c->line, "criterion \"%s\" needs assert = \"...\"", c->name);
    if (!strcmp(kind, "memory") && !c->most)
        fail_at(r, c->line, "criterion \"%s\" needs most = \"... MiB\"", c->name);
    if (!strcmp(kind, "source") && !c->require.count && !c->forbid.count)
        fail_at(r, c->line, "criterion \"%s\" needs require or forbid", c->name);
    if (!strcmp(kind, "time") && (c->microseconds > 0) == (c->times_solution > 0))
        fail_at(r, c->line, "criterion \"%s\" needs microseconds or times_solution, one of the two",
                c->name);
    if ((compares || c->times_solution > 0) && !r->x->solution)
        fail_at(r, c->line,
                "criterion \"%s\" compares with the solution: name it in [build], solution = "
                "\"FILE\"%s",
                c->name, compares ? ", or say what to expect" : "");
}

static void
read_criterion(struct grade_reader *r, const struct toml *table, struct criterion *c)
{
    static const char common[] = "kind name points hint show", runs[] = " args input input_file";
    size_t ignored;
    c->line = table->line;
    c->kind = kind_of(r, table);
    c->name = text_of(r, table, "name");
    c->name = c->name ? c->name : c->kind->name;
    check_keys(r, table, arena_printf(r->arena, "a criterion of the kind %s", c->kind->name),
               arena_printf(r->arena, "%s%s %s", common, c->kind->tool != TOOL_nothing ? runs : "",
                            c->kind->keys));
    c->points = number_of(r, table, "points", 0, 1e6, 1);
    c->hint = text_of(r, table, "hint");
    c->show = truth_of(r, table, "show");
    c->args = words_of(r, table, "args");
    c->input = content_of(r, table, "input", "input_file", &c->input_size);
    c->expect = content_of(r, table, "expect", "expect_file", &ignored);
    c->tolerance = number_of(r, table, "tolerance", 0, 1, 0);
    c->only = text_of(r, table, "only");
    struct ls_error err = {0};
    uint32_t groups;
    if (c->only && !check_parse_groups(c->only, &groups, &err))
        fail_at(r, toml_find(table, "only")->line, "only: %s", err.text);
    c->warnings = !toml_find(table, "warnings") || truth_of(r, table, "warnings");
    c->microseconds = number_of(r, table, "microseconds", 0, 1e12, 0);
    c->times_solution = number_of(r, table, "times_solution", 0, 1e6, 0);
    c->most = bytes_of(r, table, "most", 0);
    c->require = words_of(r, table, "require");
    c->forbid = words_of(r, table, "forbid");
    value(r, table, "warnings", TOML_BOOLEAN);
    read_conditions(r, table, c);
    check_complete(r, c);
}

static void
read_criteria(struct grade_reader *r, const struct toml *root)
{
    const struct toml *list = value(r, root, "criterion", TOML_ARRAY);
    struct exercise *x = r->x;
    if (!list || !list->count) {
        fail_at(r, 1, "no criterion: an exercise has at least one [[criterion]]");
        return;
    }
    x->criteria = ARENA_ARRAY(r->arena, struct criterion, list->count + 1);
    x->criteria[x->count++] = (struct criterion){.name = "compiles", .line = 1};
    for (const struct toml *e = list->first; e; e = e->next) {
        if (e->kind != TOML_TABLE)
            fail_at(r, e->line, "criterion takes tables: [[criterion]]");
        else
            read_criterion(r, e, &x->criteria[x->count++]);
    }
}

/* -- the rest ---------------------------------------------------------------------------------- */

static void
read_build(struct grade_reader *r, const struct toml *root)
{
    const struct toml *build = table_of(r, root, "build", "harness files options solution");
    struct exercise *x = r->x;
    x->harness = files_of(r, build, "harness");
    x->files = files_of(r, build, "files");
    x->options = words_of(r, build, "options");
    const char *solution = text_of(r, build, "solution");
    if (solution)
        x->solution = file_of(r, toml_find(build, "solution")->line, "solution", solution);
}

static void
read_limits(struct grade_reader *r, const struct toml *root)
{
    const struct toml *limits =
        table_of(r, root, "limits", "seconds compile_seconds memory output files");
    struct exercise *x = r->x;
    x->seconds = number_of(r, limits, "seconds", 0.001, 86400, 20);
    x->compile_seconds = number_of(r, limits, "compile_seconds", 0.001, 86400, 120);
    x->memory = bytes_of(r, limits, "memory", 2ull << 30);
    x->output = bytes_of(r, limits, "output", 1 << 20);
    x->files_bytes = bytes_of(r, limits, "files", 16 << 20);
}

static void
read_device(struct grade_reader *r, const struct toml *root)
{
    struct exercise *x = r->x;
    x->gpu = text_of(r, root, "gpu");
    x->cc = text_of(r, root, "cc");
    if (x->gpu && x->cc)
        fail_at(r, toml_find(root, "cc")->line, "gpu and cc: one of the two");
    if (x->gpu && !model_find_device(x->gpu))
        fail_at(r, toml_find(root, "gpu")->line, "no GPU is called \"%s\": see `lockstep devices`",
                x->gpu);
    if (x->cc && !model_find_cc(x->cc))
        fail_at(r, toml_find(root, "cc")->line,
                "no device has compute capability \"%s\": see `lockstep devices`", x->cc);
}

bool
grade_read(const char *path, struct arena *a, struct exercise *out, struct ls_error *err)
{
    struct grade_reader r = {.path = path, .arena = a, .x = out, .err = err};
    const struct toml *root = toml_read(path, a, err);
    if (!root)
        return false;
    const char *slash = strrchr(path, '/');
    char *folder = realpath(slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".", NULL);
    *out = (struct exercise){.path = path, .folder = arena_strdup(a, folder ? folder : ".")};
    free(folder);
    check_keys(&r, root, "an exercise", "title gpu cc build limits criterion");
    const char *title = text_of(&r, root, "title");
    out->title = title ? title : slash ? slash + 1 : path;
    read_device(&r, root);
    read_build(&r, root);
    read_limits(&r, root);
    read_criteria(&r, root);
    return !r.failed;
}
