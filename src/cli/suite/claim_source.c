/* SPDX-License-Identifier: Apache-2.0
 *
 * claim_source: figures that come from outside the model: what programs of the suite report and
 * print, what `lockstep profile` counts in them, what was read on a real GPU. Each program runs
 * once per size, device and manner, whatever the number of claims that ask it.
 *
 *     run{gather8/reads 8: reads within the tile}      a figure of its report
 *     line{average/example 16: block 0, 1 it > 1}      the line that begins with "1", behind the
 *                                                       one that holds "block 0, 1 it"
 *     counter{difference/naive 1024: global_load_requests}   summed over its kernels
 *     reading{shared ld 4 stride2 wavefronts}           tests/data/h200_access_counters.csv
 */
#include "cli/suite/suite_claims.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"
#include "model/model.h"

enum manner { REPORT, TEXT, COUNTERS };

struct answer {
    enum manner manner;
    const struct suite_rung *rung;
    const char *size;
    const struct device_profile *device;
    json_t *json;     /* REPORT, COUNTERS */
    const char *text; /* TEXT */
};

struct claim_source {
    struct suite_call *call;
    const struct suite_device *device;
    VEC(struct answer) answers;
    char *readings; /* the whole file; NULL: not read yet */
};

struct claim_source *
claim_source_new(struct suite_call *c)
{
    struct claim_source *s = ls_alloc(sizeof *s);
    s->call = c;
    return s;
}

void
claim_source_free(struct claim_source *s)
{
    for (size_t k = 0; k < s->answers.count; k++)
        json_decref(s->answers.at[k].json);
    VEC_FREE(&s->answers);
    ls_release(s->readings);
    ls_release(s);
}

/* -- running programs -------------------------------------------------------------------------- */

static const struct suite_rung *
find_rung(struct claim_source *s, const char *name, struct ls_error *err)
{
    const struct suite_table *t = s->call->table;
    for (size_t k = 0; k < t->rungs.count; k++)
        if (strcmp(t->rungs.at[k].name, name) == 0)
            return &t->rungs.at[k];
    ls_fail(err, LS_ERR_USAGE, "the suite has no rung \"%s\"", name);
    return NULL;
}

/* Everything that the program prints without --json. */
static bool
run_for_text(struct claim_source *s, struct answer *a, struct ls_error *err)
{
    char path[4096];
    struct suite_output o;
    suite_words argv = {0};
    if (!cc_build(a->rung->path, NULL, 0, path, sizeof path, err))
        return false;
    VEC_PUSH(&argv, path);
    suite_arguments(a->rung, a->size, s->device, &argv);
    VEC_PUSH(&argv, "--repeat");
    VEC_PUSH(&argv, "0");
    VEC_PUSH(&argv, NULL);
    bool ok = suite_execute(argv.at, s->device, s->call->timeout_s, &o, err);
    if (ok)
        a->text = arena_strdup(&s->call->table->arena, o.out.at);
    suite_output_free(&o);
    VEC_FREE(&argv);
    return ok;
}

static bool
run_for_report(struct claim_source *s, struct answer *a, struct ls_error *err)
{
    struct suite_run_result r;
    if (!suite_run_one(s->call, a->rung, a->size, s->device, &r, err))
        return false;
    a->json = r.report;
    return a->json || ls_fail(err, LS_ERR_SYSTEM, "%s: %s", a->rung->name, r.message);
}

static const struct answer *
ask(struct claim_source *s, enum manner manner, const char *name, const char *size,
    struct ls_error *err)
{
    struct answer a = {manner, find_rung(s, name, err), size, s->device->profile, NULL, NULL};
    if (!a.rung)
        return NULL;
    for (size_t k = 0; k < s->answers.count; k++) {
        const struct answer *known = &s->answers.at[k];
        if (known->manner == manner && known->rung == a.rung && known->device == a.device &&
            strcmp(known->size, size) == 0)
            return known;
    }
    bool ok;
    if (manner == COUNTERS)
        ok = (a.json = suite_command_json(s->call, "profile", a.rung, size, s->device, err));
    else
        ok = manner == TEXT ? run_for_text(s, &a, err) : run_for_report(s, &a, err);
    if (!ok)
        return NULL;
    VEC_PUSH(&s->answers, a);
    return &s->answers.at[s->answers.count - 1];
}

/* "RUNG SIZE: WHAT" taken apart in a copy. */
static bool
take_apart(struct figure_context *c, const char *words, char **rung, char **size, char **what,
           struct ls_error *err)
{
    char *text = arena_strdup(c->arena, words), *colon = strstr(text, ": ");
    char *space = strchr(text, ' ');
    if (!colon || !space || space > colon)
        return ls_fail(err, LS_ERR_USAGE, "\"%s\" is no \"RUNG SIZE: WHAT\"", words);
    *space = *colon = '\0';
    *rung = text;
    *size = space + 1;
    *what = colon + 2;
    return true;
}

/* -- run, counter ------------------------------------------------------------------------------ */

static bool
run_figure(struct figure_context *c, const char *words, struct figure *out, struct ls_error *err)
{
    char *rung, *size, *what;
    const struct answer *a;
    if (!take_apart(c, words, &rung, &size, &what, err) ||
        !(a = ask(c->user, REPORT, rung, size, err)))
        return false;
    json_t *figure = json_object_get(json_object_get(a->json, "figures"), what);
    if (!json_is_number(figure))
        figure = json_object_get(a->json, what);
    if (!json_is_number(figure))
        return ls_fail(err, LS_ERR_USAGE, "%s reports no \"%s\"", rung, what);
    *out = (struct figure){.number = json_number_value(figure)};
    return true;
}

/* "global_load_requests" of the counters, "roofline.seconds" of the kernel itself. */
static double
member_of(json_t *kernel, const char *path)
{
    char name[80];
    const char *point = strchr(path, '.');
    if (!point)
        return json_number_value(json_object_get(json_object_get(kernel, "counters"), path));
    snprintf(name, sizeof name, "%.*s", (int)(point - path), path);
    return json_number_value(json_object_get(json_object_get(kernel, name), point + 1));
}

static bool
counter_figure(struct figure_context *c, const char *words, struct figure *out,
               struct ls_error *err)
{
    char *rung, *size, *what;
    const struct answer *a;
    json_t *kernel;
    size_t k;
    if (!take_apart(c, words, &rung, &size, &what, err) ||
        !(a = ask(c->user, COUNTERS, rung, size, err)))
        return false;
    *out = (struct figure){0};
    json_array_foreach (json_object_get(a->json, "kernels"), k, kernel)
        out->number += member_of(kernel, what);
    return true;
}

/* -- line -------------------------------------------------------------------------------------- */

/* Blanks once, none at the ends. */
static const char *
squeeze(struct arena *a, const char *from, size_t n)
{
    char *text = arena_strndup(a, from, n), *to = text;
    for (const char *at = text; *at; at++) {
        bool blank = isspace((unsigned char)*at);
        if (!blank)
            *to++ = *at;
        else if (to != text && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to != text && to[-1] == ' ')
        to--;
    *to = '\0';
    return text;
}

static bool
line_figure(struct figure_context *c, const char *words, struct figure *out, struct ls_error *err)
{
    char *rung, *size, *what;
    const struct answer *a;
    if (!take_apart(c, words, &rung, &size, &what, err) ||
        !(a = ask(c->user, TEXT, rung, size, err)))
        return false;
    char *prefix = strstr(what, " > ");
    bool found = !prefix;
    if (prefix)
        *prefix = '\0';
    prefix = prefix ? prefix + 3 : what;
    for (const char *at = a->text; at && *at;) {
        size_t n = strcspn(at, "\n");
        const char *line = squeeze(c->arena, at, n);
        if (!found)
            found = strstr(line, what);
        else if (ls_starts_with(line, prefix)) {
            const char *rest = line + strlen(prefix);
            rest += strspn(rest, " :");
            *out = (struct figure){.text = rest};
            char *end;
            double number = strtod(rest, &end);
            if (*rest && !*end)
                *out = (struct figure){.number = number};
            return true;
        }
        at += n + (at[n] == '\n');
    }
    return ls_fail(err, LS_ERR_USAGE, "%s --size %s prints no line \"%s\"%s", rung, size, prefix,
                   prefix == what ? "" : " there");
}

/* -- readings ---------------------------------------------------------------------------------- */

/* The column of a comma-separated line; its length in *n. */
static const char *
column(const char *line, unsigned index, size_t *n)
{
    for (; index; index--) {
        line += strcspn(line, ",\n");
        if (*line != ',')
            return NULL;
        line++;
    }
    *n = strcspn(line, ",\n");
    return line;
}

/* The column of that name; header: the file's first line. */
static const char *
column_of(const char *header, const char *line, const char *name, size_t *n)
{
    for (unsigned k = 0; k < 16; k++) {
        const char *at = column(header, k, n);
        if (at && *n == strlen(name) && strncmp(at, name, *n) == 0)
            return column(line, k, n);
    }
    return NULL;
}

static bool
is_in_column(const char *header, const char *line, const char *name, const char *value)
{
    size_t n;
    const char *at = column_of(header, line, name, &n);
    return at && n == strlen(value) && strncmp(at, value, n) == 0;
}

static bool
reading_figure(struct figure_context *c, const char *words, struct figure *out,
               struct ls_error *err)
{
    struct claim_source *s = c->user;
    enum { KEYS = 4 };
    static const char *const keys[KEYS] = {"space", "op", "width", "name"};
    char word[KEYS + 1][80], path[8192];
    size_t n;
    if (sscanf(words, "%79s %79s %79s %79s %79s", word[0], word[1], word[2], word[3], word[4]) != 5)
        return ls_fail(err, LS_ERR_USAGE, "reading{%s} is no reading{SPACE OP WIDTH NAME COUNTER}",
                       words);
    snprintf(path, sizeof path, "%s/../tests/data/h200_access_counters.csv",
             s->call->table->folder);
    if (!s->readings && !(s->readings = ls_read_file(path, &n, err)))
        return false;
    for (const char *line = strchr(s->readings, '\n'); line; line = strchr(line, '\n')) {
        bool same = *++line;
        for (int k = 0; same && k < KEYS; k++)
            same = is_in_column(s->readings, line, keys[k], word[k]);
        const char *value = same ? column_of(s->readings, line, word[KEYS], &n) : NULL;
        if (value) {
            *out = (struct figure){.number = strtod(value, NULL), .recorded = true};
            return true;
        }
    }
    return ls_fail(err, LS_ERR_USAGE, "%s has no reading \"%s\"", path, words);
}

/* -- for expressions --------------------------------------------------------------------------- */

void
claim_source_use(struct claim_source *s, const struct suite_device *d, struct figure_context *out)
{
    s->device = d;
    out->device = d->profile;
    out->user = s;
    out->run = run_figure;
    out->line = line_figure;
    out->counter = counter_figure;
    out->reading = reading_figure;
}
