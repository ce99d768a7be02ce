/* SPDX-License-Identifier: Apache-2.0
 *
 * html_profile.c: the page of a profile: the kernels in short, then a section for each: what bounds
 * it, advice, source and PTX with figures, pictures of its worst accesses, roofline, occupancy,
 * blocks over SMs, phases, counters. Start with report_profile_html().
 */
#include "report/charts.h"
#include "report/pages.h"

#include <stdio.h>
#include <string.h>

struct view {
    struct text *t;
    const struct device_profile *d;
    const json_t *result, *kernel, *beside;
    struct arena arena;
};

/* -- the kernel in one screen ------------------------------------------------------------------ */

static void
advice(struct view *v, const struct report_summary *s)
{
    text_add(v->t, "<h3>What the figures say</h3>\n");
    if (!s->advice.list.count)
        html_paragraph(v->t, "Nothing stands out.");
    else
        text_add(v->t, "<ul class=\"advice\">\n");
    for (size_t k = 0; k < s->advice.list.count; k++) {
        const struct report_advice *x = &s->advice.list.at[k];
        char *gain = report_gain(&v->arena, x);
        text_add(v->t, "<li>");
        if (*gain && k < s->worthwhile)
            text_add(v->t, "<span class=\"gain\">%s</span>", gain);
        if (x->file)
            html_print(v->t, "Line %d: ", x->line);
        html_escape(v->t, x->text);
        if (*gain && k >= s->worthwhile)
            html_print(v->t, " (%s)", gain);
        text_add(v->t, "</li>\n");
    }
    if (s->advice.list.count)
        text_add(v->t, "</ul>\n");
}

/* Words of the glossary among the names of shares, each once. */
static void
terms(struct view *v, const struct report_share *list, size_t count)
{
    text_add(v->t, "<p class=\"note\">");
    for (size_t k = 0; k < count; k++) {
        text_add(v->t, k ? ", " : "");
        html_term(v->t, list[k].name, report_term(list[k].name));
    }
    text_add(v->t, "</p>\n");
}

static void
first_screen(struct view *v, const struct report_summary *s)
{
    text_add(v->t, "<div class=\"first\">\n<div>\n<p class=\"time\">");
    html_print(v->t, "%s a launch", report_seconds(&v->arena, s->seconds));
    text_add(v->t, "</p>\n<p class=\"note\">");
    html_print(v->t, "%s; no less than %s. %s.", s->certainty, report_seconds(&v->arena, s->bound),
               s->shape);
    if (s->sampled)
        html_print(v->t, " Sampled: %s.", s->sampled);
    text_add(v->t, "</p>\n<p class=\"verdict\">");
    html_escape(v->t, s->verdict);
    text_add(v->t, "</p>\n<p>");
    html_term(v->t, "Occupancy", report_term("occupancy"));
    html_print(v->t, ": %s; %s.", s->residency, s->resources);
    text_add(v->t, "</p>\n");
    advice(v, s);
    html_card_end(v->t);
    html_card(v->t, "Of each peak");
    chart_peaks(v->t, s);
    terms(v, s->peaks, s->peak_count);
    if (s->state_count) {
        text_add(v->t, "<h3>A warp's time</h3>\n");
        chart_states(v->t, s);
        terms(v, s->states, s->state_count);
    }
    html_card_end(v->t);
    html_card(v->t, "Memory");
    chart_memory(v->t, v->d, v->kernel);
    text_add(v->t, "<p class=\"note\">One launch. An arrow is as wide as the traffic.</p>\n");
    html_card_end(v->t);
    text_add(v->t, "</div>\n");
}

/* -- source ------------------------------------------------------------------------------------ */

/* Clocks that a warp waits for the line's results, of all that it waits. */
static double
waits_of(const json_t *line)
{
    return report_number(line, "waits", "memory", NULL) +
           report_number(line, "waits", "shared", NULL) +
           report_number(line, "waits", "arithmetic", NULL);
}

struct shares {
    double seconds, waits; /* of all lines */
    bool ptx;
};

static void
share_cell(struct view *v, const char *what, double share)
{
    if (share >= 0.005)
        text_add(v->t, "<td class=\"n heat %s\" style=\"--h:%.0f\">%.0f %%</td>", what, 100 * share,
                 100 * share);
    else
        text_add(v->t, "<td></td>");
}

/* The line's instructions, shown at once where it matters. */
static void
ptx_cell(struct view *v, const json_t *line, double share)
{
    const json_t *ptx = json_object_get(line, "ptx");
    size_t k;
    json_t *x;
    text_add(v->t, "<td class=\"ptx\">");
    if (json_array_size(ptx)) {
        size_t n = json_array_size(ptx);
        text_add(v->t, "<details class=\"ptx\"%s><summary>%zu instruction%s</summary><pre>",
                 share >= 0.1 && n <= 24 ? " open=\"open\"" : "", n, n == 1 ? "" : "s");
        json_array_foreach (ptx, k, x)
            html_print(v->t, "%s%s", k ? "\n" : "", report_text(x, "text"));
        text_add(v->t, "</pre></details>");
    }
    text_add(v->t, "</td>");
}

static void
source_row(struct view *v, int number, const char *source, const json_t *line,
           const struct shares *all)
{
    struct text facts = {0};
    double share = line && all->seconds > 0 ? report_line_seconds(line) / all->seconds : 0;
    double waits = line && all->waits > 0 ? waits_of(line) / all->waits : 0;
    if (line)
        report_line_facts(line, &v->arena, &facts);
    text_add(v->t, "<tr><td class=\"n line\">%d</td>", number);
    share_cell(v, "work", share);
    share_cell(v, "waits", waits);
    html_cell(v->t, "code", "%s", source);
    html_cell(v->t, "facts", "%s", facts.at ? facts.at : "");
    if (all->ptx)
        ptx_cell(v, line, share > waits ? share : waits);
    text_add(v->t, "</tr>\n");
    text_free(&facts);
}

static void
source_head(struct view *v, const char *file, bool there, bool ptx)
{
    text_add(v->t, "<table class=\"source\"><caption>");
    html_escape(v->t, file);
    text_add(v->t,
             "%s</caption><colgroup><col class=\"line\" /><col class=\"part\" /><col "
             "class=\"part\" /><col />"
             "<col class=\"facts\" />%s</colgroup><thead><tr><th scope=\"col\">line</th><th "
             "scope=\"col\">",
             there ? "" : " (the source is not here)", ptx ? "<col class=\"ptx\" />" : "");
    html_term(v->t, "work", report_term("share"));
    text_add(v->t, "</th><th scope=\"col\">");
    html_term(v->t, "latency", report_term("latency"));
    text_add(v->t,
             "</th><th scope=\"col\">source</th><th "
             "scope=\"col\">accesses</th>%s</tr></thead>\n<tbody>\n",
             ptx ? "<th scope=\"col\">PTX</th>" : "");
}

static void
source_file(struct view *v, const char *file, int first, int last, const struct shares *all)
{
    size_t size;
    struct ls_error err = {0};
    char *text = ls_read_file(file, &size, &err), *rest = text;
    source_head(v, file, text != NULL, all->ptx);
    for (int n = 1; n <= last; n++) {
        const char *source = rest ? strsep(&rest, "\n") : "";
        if (n >= first)
            source_row(v, n, source ? source : "", report_line(v->kernel, file, n), all);
    }
    html_table_end(v->t);
    ls_release(text);
}

static void
sources(struct view *v)
{
    const json_t *lines = json_object_get(v->kernel, "lines");
    size_t n = json_array_size(lines);
    struct shares all = {0};
    all.seconds = report_lines_seconds(v->kernel);
    for (size_t k = 0; k < n; k++) {
        all.waits += waits_of(json_array_get(lines, k));
        all.ptx = all.ptx || json_object_get(json_array_get(lines, k), "ptx");
    }
    html_card(v->t, "Source");
    struct report_source *s;
    n = report_sources(v->kernel, &v->arena, &s);
    for (size_t k = 0; k < n; k++)
        source_file(v, s[k].file, s[k].first, s[k].last, &all);
    html_card_end(v->t);
}

/* -- the worst accesses ------------------------------------------------------------------------ */

static double
line_counter(const json_t *line, const void *counter)
{
    return report_number(line, "counters", (const char *)counter, NULL);
}

static void
banks_of(struct view *v, const char *op)
{
    struct access a;
    uint64_t row;
    char counter[64], title[96];
    snprintf(counter, sizeof counter, "shared_%s_wavefronts", op);
    const json_t *line = report_line_of_most(v->kernel, line_counter, counter);
    if (!line || !report_sample(line, "shared", op, &a))
        return;
    snprintf(title, sizeof title, "Banks of the hottest shared %s, line %.0f", op,
             report_number(line, "line", NULL));
    html_card(v->t, title);
    text_add(v->t, "<div class=\"side\">");
    chart_banks(v->t, v->d, &a, 0, 0);
    uint32_t pad = report_padding(v->d, &a, &row);
    struct access_cost cost;
    model_access(v->d, &a, &cost);
    if (pad && cost.bank_conflicts)
        chart_banks(v->t, v->d, &a, row, pad);
    text_add(v->t, "</div>\n");
    html_card_end(v->t);
}

static void
sectors_of(struct view *v, const char *op)
{
    struct access a;
    char counter[64], title[96];
    snprintf(counter, sizeof counter, "global_%s_requests", op);
    const json_t *line = report_line_of_most(v->kernel, line_counter, counter);
    if (!line || !report_sample(line, "global", op, &a))
        return;
    snprintf(title, sizeof title, "%s of the hottest global %s, line %.0f",
             model_has_transactions(v->d) ? "Transactions" : "Sectors", op,
             report_number(line, "line", NULL));
    html_card(v->t, title);
    chart_sectors(v->t, v->d, &a);
    html_card_end(v->t);
}

/* -- phases, counters -------------------------------------------------------------------------- */

static void
phases(struct view *v)
{
    enum { MOST_ROWS = 400 };
    const json_t *records = json_object_get(v->kernel, "phases");
    size_t k, i, rows = 0;
    json_t *r, *e;
    if (!records)
        return;
    html_part(v->t, "Phases: who loads and stores what between barriers");
    html_table(v->t, "one row per access of a warp, in order", "block", "phase", "line", "access",
               "thread: element", NULL);
    json_array_foreach (records, k, r) {
        if (rows++ >= MOST_ROWS)
            break;
        text_add(v->t, "<tr>");
        html_cell(v->t, "n", "%.0f", report_number(r, "block", NULL));
        html_cell(v->t, "n", "%.0f", report_number(r, "phase", NULL) + 1);
        html_cell(v->t, "n", "%.0f", report_number(r, "line", NULL));
        if (json_object_get(r, "barrier")) {
            text_add(v->t, "<td>barrier</td><td></td></tr>\n");
            continue;
        }
        html_cell(v->t, NULL, "%s %s", report_text(r, "space"), report_text(r, "op"));
        text_add(v->t, "<td>");
        json_array_foreach (json_object_get(r, "elements"), i, e)
            html_print(v->t, "%s%lld: %s[%lld]", i ? ", " : "",
                       (long long)json_integer_value(json_array_get(e, 0)),
                       json_string_value(json_array_get(e, 1)),
                       (long long)json_integer_value(json_array_get(e, 2)));
        text_add(v->t, "</td></tr>\n");
    }
    html_table_end(v->t);
    if (rows > MOST_ROWS)
        html_paragraph(v->t, "... and %zu more.", json_array_size(records) - MOST_ROWS);
    html_part_end(v->t);
}

/* The meaning of a counter by its name; NULL: there is no such counter. */
static const char *
meaning_of(const char *counter)
{
    static const char *const rows[][2] = {
#define COUNTER(name, space, op, metric, nsight, meaning) {#name, meaning},
#define RATIO COUNTER
#include "profile/counters.def"
#undef RATIO
#undef COUNTER
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k][0], counter) == 0)
            return rows[k][1];
    return NULL;
}

static void
counters(struct view *v)
{
    const char *name;
    json_t *value;
    const json_t *metrics = json_object_get(v->result, "metrics");
    html_part(v->t, "Counters");
    html_table(v->t, "sums over all launches", "counter", "value", "Nsight Compute metric", NULL);
    json_object_foreach (json_object_get(v->kernel, "counters"), name, value) {
        text_add(v->t, "<tr>");
        text_add(v->t, "<td>");
        html_term(v->t, name, meaning_of(name));
        text_add(v->t, "</td>");
        if (json_is_integer(value))
            html_cell(v->t, "n", "%lld", (long long)json_integer_value(value));
        else
            html_cell(v->t, "n", "%.4f", json_number_value(value));
        html_cell(v->t, NULL, "%s", report_text(metrics, name));
        text_add(v->t, "</tr>\n");
    }
    html_table_end(v->t);
    html_part_end(v->t);
}

/* -- the page ---------------------------------------------------------------------------------- */

static void
roofline(struct view *v)
{
    struct text drawing = {0};
    if (chart_roofline(&drawing, v->d, v->beside, v->kernel)) {
        html_card(v->t, "Roofline");
        text_add_bytes(v->t, drawing.at, drawing.count);
        html_card_end(v->t);
    }
    text_free(&drawing);
}

static void
pictures(struct view *v)
{
    static const char *const ops[] = {"load", "store", "atomic"};
    text_add(v->t, "<div class=\"cards\">\n");
    for (int k = 0; k < 3; k++)
        banks_of(v, ops[k]);
    for (int k = 0; k < 3; k++)
        sectors_of(v, ops[k]);
    roofline(v);
    html_card(v->t, "Occupancy");
    chart_occupancy(v->t, v->d, v->kernel);
    html_card_end(v->t);
    html_card(v->t, "Blocks over SMs");
    chart_timeline(v->t, v->d, v->kernel);
    html_card_end(v->t);
    text_add(v->t, "</div>\n");
}

void
page_kernel(struct text *t, const json_t *result, const json_t *kernel, const json_t *beside,
            const struct page_run *before, const char *id, const char *title, bool open)
{
    struct view view = {
        .t = t, .d = report_device(result), .result = result, .kernel = kernel, .beside = beside};
    struct view *v = &view;
    struct report_summary s;
    report_summarise(v->d, kernel, &v->arena, &s);
    html_section(t, id, title, open);
    first_screen(v, &s);
    if (before)
        page_change(t, before, &(struct page_run){v->d, kernel});
    sources(v);
    pictures(v);
    phases(v);
    counters(v);
    html_section_end(t);
    report_summary_fini(&s);
    arena_free(&v->arena);
}

static void
contents(struct view *v)
{
    size_t k;
    json_t *kernel;
    html_part(v->t, "Kernels");
    html_table(v->t, "one row per kernel and launch shape", "kernel", "launches", "a launch",
               "occupancy", "bank conflicts", "what binds it", NULL);
    json_array_foreach (json_object_get(v->result, "kernels"), k, kernel) {
        struct report_summary s;
        report_summarise(v->d, kernel, &v->arena, &s);
        text_add(v->t, "<tr><td><a href=\"#kernel%zu\">", k);
        html_escape(v->t, s.name);
        text_add(v->t, "</a></td>");
        html_cell(v->t, "n", "%.0f", report_number(kernel, "launches", NULL));
        html_cell(v->t, "n", "%s", report_seconds(&v->arena, s.seconds));
        html_cell(v->t, "n", "%.0f %%",
                  100 * report_number(kernel, "occupancy", "occupancy", NULL));
        html_cell(v->t, "n", "%s",
                  report_count(
                      &v->arena,
                      report_number(kernel, "counters", "shared_load_bank_conflicts", NULL) +
                          report_number(kernel, "counters", "shared_store_bank_conflicts", NULL) +
                          report_number(kernel, "counters", "shared_copy_bank_conflicts", NULL)));
        html_cell(v->t, "words", "%s", s.verdict);
        text_add(v->t, "</tr>\n");
        report_summary_fini(&s);
    }
    html_table_end(v->t);
    html_part_end(v->t);
}

void
report_profile_html(const json_t *result, const json_t *before, const char *title, struct text *out)
{
    struct view v = {.t = out, .d = report_device(result), .result = result};
    const json_t *kernels = json_object_get(result, "kernels");
    size_t k;
    json_t *kernel;
    char id[32];
    html_begin(out, title);
    html_paragraph(
        out, "%s, compute capability %u.%u.%s", v.d->name, v.d->cc_major, v.d->cc_minor,
        json_is_true(json_object_get(result, "complete"))
            ? ""
            : " The program was ended before it was done: these are the figures up to then.");
    contents(&v);
    json_array_foreach (kernels, k, kernel) {
        if (html_is_full(out)) {
            html_paragraph(out, "... and %zu kernels more: --kernel TEXT chooses some.",
                           json_array_size(kernels) - k);
            html_targets(out, "kernel", k, json_array_size(kernels));
            break;
        }
        snprintf(id, sizeof id, "kernel%zu", k);
        struct page_run was = {before ? report_device(before) : NULL,
                               before ? report_same_kernel(before, kernel, true) : NULL};
        page_kernel(out, result, kernel, kernels, was.device && was.kernel ? &was : NULL, id,
                    ls_readable_name(&v.arena, report_text(kernel, "name")), k < 4);
    }
    html_end(out);
    arena_free(&v.arena);
}
