/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep suite: the lectures' systems, rung by rung. This file takes the command line apart: the
 * verb, filters, sizes and devices; suite.h explains the rest.
 */
#include "cli/suite/suite.h"

#include "model/model.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    S_SIZES,
    S_PROFILES,
    S_DIR,
    S_REPEAT,
    S_TIMEOUT,
    S_PAGE,
    S_HTML,
    S_DEVICE,
    S_PROGRAMS,
    S_COUNT
};

static const struct option_row rows[S_COUNT] = {
    [S_SIZES] = {"--sizes", 0, NULL, "A,B,...", "sizes instead of those that each rung names"},
    [S_PROFILES] = {"--profiles", 0, NULL, "X.Y,...",
                    "several devices, by compute capability or name; all: 1.0,2.0,3.5,7.0,9.0"},
    [S_DIR] = {"--suite-dir", 0, "LOCKSTEP_SUITE", "FOLDER", "where the suite is"},
    [S_REPEAT] = {"--repeat", 0, NULL, "N", "timed launches (1; bench: 5, on a GPU 15)"},
    [S_DEVICE] = {"--device", 0, "LOCKSTEP_DEVICE", "KIND",
                  "virtual (the default) or gpu: a real one"},
    [S_PROGRAMS] =
        {"--programs", 0, NULL, "FOLDER",
         "the rungs' programs: `build` puts them there, the others take them from there"},
    [S_PAGE] = {"--page", 0, NULL, NULL, "claims: as a page in Markdown"},
    [S_HTML] = {"--html", 0, NULL, "FILE",
                "run, check, profile, bench: all rungs on one self-contained page"},
    [S_TIMEOUT] = {"--timeout", 0, NULL, "SECONDS", "most that one program may take (300)"},
};

static const struct cli_usage usage = {
    .name = "suite",
    .synopsis = "VERB [options] [FILTER...]",
    .text = "The lectures' systems: one folder a system, one program a rung.\n"
            "FILTER: a system's id (A4), a system (matmul), a rung (matmul/tiled), a folder or a "
            "file;\n"
            "none: all of them. --json may be followed by a file whose name ends in .json.\n"
            "\nVerbs:\n"
#define VERB(name, function, rungs, html, help) "  " #name "\t" help "\n"
#include "cli/suite/suite_verbs.def"
#undef VERB
    ,
    .rows = rows,
    .row_count = S_COUNT,
    .words_anywhere = true,
};

static const struct verb {
    const char *name;
    int (*function)(struct suite_call *c);
    bool rungs; /* words behind it name rungs */
    bool html;  /* has a page */
} verbs[] = {
#define VERB(name, function, rungs, html, help) {#name, function, rungs, html},
#include "cli/suite/suite_verbs.def"
#undef VERB
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

/* -- what verbs share -------------------------------------------------------------------------- */

const char *
suite_ids(const struct suite_rung *r)
{
    enum { BUFFERS = 4, ROOM = 64 };
    static _Thread_local char buffers[BUFFERS][ROOM];
    static _Thread_local unsigned next;
    char *at = buffers[next++ % BUFFERS];
    size_t n = 0;
    at[0] = '\0';
    for (size_t i = 0; i < r->ids.count && n < ROOM; i++)
        n += (size_t)snprintf(at + n, ROOM - n, i ? " %s" : "%s", r->ids.at[i]);
    return at;
}

bool
suite_leaves_out(struct suite_call *c, const struct suite_rung *r, const struct suite_device *d)
{
    char cc[16];
    if (!suite_lacking(r, d->profile))
        return false;
    snprintf(cc, sizeof cc, "%u.%u", d->profile->cc_major, d->profile->cc_minor);
    if (!c->json)
        printf("%-30s %-12s %-5s left out: needs %s (%s)\n", r->name, suite_ids(r), cc, r->feature,
               r->since);
    return true;
}

uint32_t
suite_devices_for(const struct suite_call *c, const struct suite_rung *r)
{
    uint32_t count = 0;
    for (size_t k = 0; k < c->devices.count; k++)
        count += !suite_lacking(r, c->devices.at[k].profile);
    return count;
}

json_t *
suite_row(const struct suite_rung *r, const char *size, const struct suite_device *d)
{
    uint64_t number;
    char cc[16];
    json_t *ids = json_array();
    for (size_t i = 0; i < r->ids.count; i++)
        json_array_append_new(ids, json_string(r->ids.at[i]));
    json_t *row = json_pack("{s:o,s:s,s:s}", "systems", ids, "rung", r->name, "title", r->title);
    if (size)
        json_object_set_new(row, "size",
                            ls_parse_u64(size, &number) ? json_integer((json_int_t)number)
                                                        : json_string(size));
    if (d) {
        snprintf(cc, sizeof cc, "%u.%u", d->profile->cc_major, d->profile->cc_minor);
        json_object_set_new(row, "device", json_string(d->profile->name));
        json_object_set_new(row, "cc", json_string(cc));
    }
    return row;
}

void
suite_progress(struct suite_call *c, const struct suite_rung *r, const char *size,
               const struct suite_device *d)
{
    if (!c->begin)
        c->begin = cli_now();
    c->done += r != NULL;
    double spent = cli_now() - c->begin;
    if (c->line->common.quiet || !isatty(2) || spent < 1)
        return;
    fprintf(stderr, "\r\033[K");
    if (r)
        fprintf(stderr, "[%u/%u] %s %s on %u.%u", c->done, c->total, r->name, size,
                d->profile->cc_major, d->profile->cc_minor);
    if (r && c->done > 1 && c->total >= c->done)
        fprintf(stderr, ", %.0f s left", spent / (c->done - 1) * (c->total - c->done + 1));
    fflush(stderr);
}

int
suite_write(struct suite_call *c, json_t *json, int status)
{
    char *text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(json);
    if (!text)
        return CLI_INTERNAL;
    cli_write_json(c->usage, c->json, text, &status);
    free(text);
    return status;
}

void
suite_show(struct suite_call *c, json_t *row, json_t *answer)
{
    if (!c->html)
        return;
    json_t *copy = json_copy(row);
    if (answer)
        json_object_set(copy, "answer", answer);
    json_array_append_new(c->shown, copy);
}

static void
write_page(const struct suite_call *c, const char *verb, int *status)
{
    struct ls_error err = {0};
    struct text page = {0}, title = {0};
    text_add(&title, "lockstep suite %s", verb);
    for (int k = 1; k < c->line->word_count; k++)
        text_add(&title, " %s", c->line->words[k]);
    report_suite_html(verb, c->shown, title.at, &page);
    if (!ls_write_file(c->html, page.at, page.count, &err))
        *status = cli_error(c->usage->name, &err);
    text_free(&page);
    text_free(&title);
}

/* -- list -------------------------------------------------------------------------------------- */

static json_t *
strings(const suite_words *w)
{
    json_t *j = json_array();
    for (size_t i = 0; i < w->count; i++)
        json_array_append_new(j, json_string(w->at[i]));
    return j;
}

int
suite_list(struct suite_call *c)
{
    static const char *const results[] = {"right", "wrong", "either"};
    json_t *all = json_array();
    if (!c->json)
        printf("%-30s %-14s %s\n", "rung", "systems", "title");
    for (size_t i = 0; i < c->rungs.count; i++) {
        const struct suite_rung *r = c->rungs.at[i];
        json_t *row = suite_row(r, NULL, NULL);
        json_object_set_new(row, "sizes", strings(&r->sizes));
        json_object_set_new(row, "expect", strings(&r->expect));
        json_object_set_new(row, "result", json_string(results[r->result]));
        json_object_set_new(row, "generations",
                            json_sprintf("%s on", r->needed ? r->since : "1.0"));
        if (r->since)
            json_object_set_new(row, "since",
                                json_pack("{s:s,s:s}", "cc", r->since, "feature", r->feature));
        if (r->needed) /* what "since" names: without it the rung does not run */
            json_object_set_new(row, "needed", json_true());
        json_array_append_new(all, row);
        if (c->json)
            continue;
        printf("%-30s %-14s %s", r->name, suite_ids(r), r->title);
        for (size_t k = 0; k < r->expect.count; k++)
            printf(k ? ", %s" : "  [%s", r->expect.at[k]);
        printf("%s", r->expect.count ? "]" : "");
        if (r->since)
            printf("  (%s: %s %s)", r->feature, r->needed ? "needs" : "since", r->since);
        printf("\n");
    }
    if (c->json)
        return suite_write(c, all, CLI_OK);
    json_decref(all);
    printf("%zu rungs, on every generation from 1.0 on but for \"needs\"; \"since\": what real "
           "devices have from then on, and older profiles run all the same\n",
           c->rungs.count);
    return CLI_OK;
}

/* -- build ------------------------------------------------------------------------------------- */

int
suite_build(struct suite_call *c)
{
    struct ls_error err = {0};
    uint32_t failed = 0;
    if (!c->folder)
        return cli_usage_error(c->usage, "build needs --programs FOLDER");
    c->total = (uint32_t)c->rungs.count;
    for (size_t i = 0; i < c->rungs.count; i++) {
        suite_progress(c, c->rungs.at[i], "", &c->devices.at[0]);
        if (suite_keep(c, c->rungs.at[i], &err))
            continue;
        failed++;
        cli_error(c->usage->name, &err);
        err = (struct ls_error){0};
    }
    suite_progress(c, NULL, NULL, NULL);
    return failed ? CLI_FINDINGS : CLI_OK;
}

/* -- the command line -------------------------------------------------------------------------- */

static bool
choose_rungs(struct suite_call *c, struct ls_error *err)
{
    struct suite_table *t = c->table;
    const struct cli_line *l = c->line;
    bool *taken = ARENA_ARRAY(&t->arena, bool, t->rungs.count + 1);
    for (int w = 1; w < l->word_count; w++) {
        bool any = false;
        for (size_t i = 0; i < t->rungs.count; i++)
            if (suite_matches(&t->rungs.at[i], l->words[w]))
                any = taken[i] = true;
        if (!any) {
            const char **names = ARENA_ARRAY(&t->arena, const char *, t->rungs.count * 2);
            for (size_t i = 0; i < t->rungs.count; i++) {
                names[2 * i] = t->rungs.at[i].name;
                names[2 * i + 1] = t->rungs.at[i].system;
            }
            const char *near = ls_nearest(l->words[w], names, t->rungs.count * 2);
            return ls_fail(err, LS_ERR_USAGE,
                           "no rung or system \"%s\" (%s%s%s`lockstep suite list` has them)",
                           l->words[w], near ? "did you mean " : "", near ? near : "",
                           near ? "? " : "");
        }
    }
    for (size_t i = 0; i < t->rungs.count; i++)
        if (taken[i] || l->word_count == 1)
            VEC_PUSH(&c->rungs, &t->rungs.at[i]);
    return true;
}

static bool
choose_devices(struct suite_call *c, struct ls_error *err)
{
    const char *list = c->line->value[S_PROFILES];
    suite_words names = {0};
    struct device_hint hint;
    if (!list) {
        VEC_PUSH(&c->devices, (struct suite_device){c->line->common.cc, c->line->common.gpu,
                                                    cli_device(&c->line->common)});
        return true;
    }
    suite_split(&c->table->arena, strcmp(list, "all") == 0 ? "1.0,2.0,3.5,7.0,9.0" : list, &names);
    bool ok = true;
    for (size_t i = 0; ok && i < names.count; i++) {
        struct suite_device d = {0};
        if ((d.profile = model_find_cc(names.at[i])))
            d.cc = names.at[i];
        else if ((d.profile = model_find_device(names.at[i])))
            d.gpu = names.at[i];
        else
            ok = ls_fail(err, LS_ERR_USAGE, "no device \"%s\" is known %s", names.at[i],
                         model_device_hint(names.at[i], false, &hint));
        VEC_PUSH(&c->devices, d);
    }
    VEC_FREE(&names);
    return ok;
}

static bool
take_number(const char *name, const char *value, uint32_t otherwise, uint32_t *out,
            struct ls_error *err)
{
    uint64_t n = otherwise;
    if (value && (!ls_parse_u64(value, &n) || n < 1 || n > 100000))
        return ls_fail(err, LS_ERR_USAGE, "%s takes a number from 1 to 100000, not \"%s\"", name,
                       value);
    *out = (uint32_t)n;
    return true;
}

static bool
read_table(struct suite_call *c, const char *folder, struct ls_error *err)
{
    if (!suite_table_read(c->table, folder, err))
        return false;
    c->programs = ARENA_ARRAY(&c->table->arena, const char *, c->table->rungs.count);
    return true;
}

static bool
prepare(struct suite_call *c, const struct verb *v, struct ls_error *err)
{
    const char *const *value = c->line->value;
    bool bench = strcmp(v->name, "bench") == 0;
    if (value[S_DEVICE])
        setenv("LOCKSTEP_DEVICE", value[S_DEVICE], 1);
    bool gpu = value[S_DEVICE] && strcmp(value[S_DEVICE], "gpu") == 0;
    c->page = value[S_PAGE];
    c->html = value[S_HTML];
    if (c->html && !v->html)
        return ls_fail(err, LS_ERR_USAGE, "suite %s has no page: run, check, profile and bench do",
                       v->name);
    c->folder = value[S_PROGRAMS];
    if (value[S_SIZES])
        suite_split(&c->table->arena, value[S_SIZES], &c->sizes);
    return take_number("--repeat", value[S_REPEAT],
                       !bench ? 1
                       : gpu  ? 15
                              : 5,
                       &c->repeat, err) &&
           take_number("--timeout", value[S_TIMEOUT], 300, &c->timeout_s, err) &&
           read_table(c, value[S_DIR], err) && (!v->rungs || choose_rungs(c, err)) &&
           choose_devices(c, err);
}

static const struct verb *
find_verb(const char *word)
{
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i].name, word) == 0)
            return &verbs[i];
    return NULL;
}

/* --json FILE.json as two words: the file is then no filter. */
static int
join_json(struct arena *a, int argc, char **argv, char **out)
{
    int n = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0 && i + 1 < argc &&
            (ls_ends_with(argv[i + 1], ".json") || strcmp(argv[i + 1], "-") == 0)) {
            out[n++] = arena_printf(a, "--json=%s", argv[i + 1]);
            i++;
        } else
            out[n++] = argv[i];
    }
    return n;
}

static int
call(struct cli_line *line)
{
    struct suite_table table = {0};
    struct suite_call c = {
        .usage = &usage, .line = line, .table = &table, .json = line->common.json};
    c.shown = json_array();
    struct ls_error err = {0};
    const struct verb *v = line->word_count ? find_verb(line->words[0]) : NULL;
    int status;
    if (!line->word_count)
        status = cli_usage_error(&usage, "no verb given");
    else if (!v)
        status = cli_usage_error(&usage, "no verb \"%s\"", line->words[0]);
    else if (!prepare(&c, v, &err))
        status = cli_error(usage.name, &err);
    else
        status = v->function(&c);
    if (json_array_size(c.shown))
        write_page(&c, v->name, &status);
    json_decref(c.shown);
    VEC_FREE(&c.rungs);
    VEC_FREE(&c.sizes);
    VEC_FREE(&c.devices);
    suite_table_free(&table);
    return status;
}

int
cli_suite(int argc, char **argv)
{
    struct arena words = {0};
    struct cli_line line;
    int status;
    char **joined = ARENA_ARRAY(&words, char *, argc + 1);
    int n = join_json(&words, argc, argv, joined);
    if (cli_parse(&usage, n, joined, &line, &status)) {
        status = call(&line);
        cli_line_fini(&line);
    }
    arena_free(&words);
    return status;
}
