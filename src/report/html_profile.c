/* SPDX-License-Identifier: Apache-2.0
 *
 * html_profile.c: the page of a profile: the kernels in short, then a section for each: what bounds
 * it, advice, source with figures, pictures of its worst accesses, roofline, occupancy, blocks over
 * SMs, phases, counters. Start with report_profile_html().
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

static const char *
shape(struct view *v, const char *key)
{
    const json_t *s = json_object_get(v->kernel, key);
    return arena_printf(&v->arena, "%lld x %lld x %lld",
                        (long long)json_integer_value(json_array_get(s, 0)),
                        (long long)json_integer_value(json_array_get(s, 1)),
                        (long long)json_integer_value(json_array_get(s, 2)));
}

/* -- the kernel in words --------------------------------------------------------------------------------------- */

static void
summary(struct view *v)
{
    const json_t *o = json_object_get(v->kernel, "occupancy"), *r = json_object_get(v->kernel, "roofline");
    double launches = report_number(v->kernel, "launches", NULL);
    html_paragraph(v->t, "Grid %s, block %s, %.0f launch%s. %.0f registers per thread, %.0f bytes of shared "
                         "memory per block: %.0f blocks and %.0f of %u warps per SM, limited by %s.",
                   shape(v, "grid"), shape(v, "block"), launches, launches == 1 ? "" : "es",
                   report_number(o, "registers_per_thread", NULL), report_number(o, "shared_bytes", NULL),
                   report_number(o, "blocks_per_sm", NULL), report_number(o, "warps_per_sm", NULL),
                   v->d->max_warps_per_sm, report_text(o, "limited_by"));
    html_paragraph(v->t, "At least %s a launch: %s is the busiest resource. CGMA: %.3g operations per "
                         "access of a thread to global memory.",
                   report_seconds(&v->arena, report_number(r, "seconds", NULL)), report_text(r, "busiest"),
                   report_number(v->kernel, "counters", "cgma", NULL));
}

static void
advice(struct view *v)
{
    struct report_advices list = {0};
    report_advise(v->d, v->kernel, &v->arena, &list);
    text_add(v->t, "<h3>What the figures say</h3>\n");
    if (!list.list.count)
        html_paragraph(v->t, "Nothing stands out.");
    else
        text_add(v->t, "<ul class=\"advice\">\n");
    for (size_t k = 0; k < list.list.count; k++) {
        const struct report_advice *x = &list.list.at[k];
        text_add(v->t, "<li>");
        if (x->file)
            html_print(v->t, "Line %d: ", x->line);
        html_escape(v->t, x->text);
        text_add(v->t, "</li>\n");
    }
    if (list.list.count)
        text_add(v->t, "</ul>\n");
    VEC_FREE(&list.list);
}

/* -- source ------------------------------------------------------------------------------------------------------ */

static double
line_seconds(const json_t *line)
{
    return report_number(line, "bound", "seconds", NULL);
}

static const json_t *
line_at(struct view *v, const char *file, int number)
{
    size_t k;
    json_t *line;
    json_array_foreach(json_object_get(v->kernel, "lines"), k, line) if (
        (int)report_number(line, "line", NULL) == number && strcmp(report_text(line, "file"), file) == 0)
    {
        return line;
    }
    return NULL;
}

static void
source_row(struct view *v, int number, const char *source, const json_t *line, double sum)
{
    struct text facts = {0};
    double share = line && sum > 0 ? 100 * line_seconds(line) / sum : 0;
    if (line)
        report_line_facts(line, &v->arena, &facts);
    text_add(v->t, "<tr>");
    html_cell(v->t, "n", "%d", number);
    if (line)
        text_add(v->t, "<td class=\"n heat\" style=\"--h:%.0f\">%.0f %%</td>", share, share);
    else
        text_add(v->t, "<td></td>");
    html_cell(v->t, "code", "%s", source);
    html_cell(v->t, "facts", "%s", facts.at ? facts.at : "");
    text_add(v->t, "</tr>\n");
    text_free(&facts);
}

static void
source_file(struct view *v, const char *file, int first, int last, double sum)
{
    size_t size;
    struct ls_error err = {0};
    char *text = ls_read_file(file, &size, &err), *rest = text;
    html_table(v->t, file, "line", "share", text ? "source" : "(the source is not here)", "accesses", NULL);
    for (int n = 1; n <= last; n++) {
        const char *source = rest ? strsep(&rest, "\n") : "";
        if (n >= first)
            source_row(v, n, source ? source : "", line_at(v, file, n), sum);
    }
    html_table_end(v->t);
    ls_release(text);
}

static void
sources(struct view *v)
{
    const json_t *lines = json_object_get(v->kernel, "lines");
    size_t n = json_array_size(lines);
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += line_seconds(json_array_get(lines, k));
    html_part(v->t, "Source");
    for (size_t k = 0; k < n; k++) {
        const char *file = report_text(json_array_get(lines, k), "file");
        int first = INT32_MAX, last = 0;
        bool seen = false;
        for (size_t j = 0; j < n; j++) {
            const json_t *line = json_array_get(lines, j);
            int number = (int)report_number(line, "line", NULL);
            if (strcmp(report_text(line, "file"), file) != 0)
                continue;
            seen = seen || j < k;
            first = number < first ? number : first;
            last = number > last ? number : last;
        }
        if (!seen)
            source_file(v, file, first, last, sum);
    }
    html_part_end(v->t);
}

/* -- the worst accesses ---------------------------------------------------------------------------------------------- */

/* The line with most of a counter. */
static const json_t *
line_of_most(struct view *v, const char *counter)
{
    const json_t *best = NULL;
    double most = 0;
    size_t k;
    json_t *line;
    json_array_foreach(json_object_get(v->kernel, "lines"), k, line)
    {
        double n = report_number(line, "counters", counter, NULL);
        if (n > most) {
            most = n;
            best = line;
        }
    }
    return best;
}

static void
banks_of(struct view *v, const char *op)
{
    struct access a;
    uint64_t row;
    char counter[64], title[96];
    snprintf(counter, sizeof counter, "shared_%s_wavefronts", op);
    const json_t *line = line_of_most(v, counter);
    if (!line || !report_sample(line, "shared", op, &a))
        return;
    snprintf(title, sizeof title, "Banks of the hottest shared %s, line %.0f", op,
             report_number(line, "line", NULL));
    html_part(v->t, title);
    text_add(v->t, "<div class=\"side\">");
    chart_banks(v->t, v->d, &a, 0, 0);
    uint32_t pad = report_padding(v->d, &a, &row);
    struct access_cost cost;
    model_access(v->d, &a, &cost);
    if (pad && cost.bank_conflicts)
        chart_banks(v->t, v->d, &a, row, pad);
    text_add(v->t, "</div>\n");
    html_part_end(v->t);
}

static void
sectors_of(struct view *v, const char *op)
{
    struct access a;
    char counter[64], title[96];
    snprintf(counter, sizeof counter, "global_%s_requests", op);
    const json_t *line = line_of_most(v, counter);
    if (!line || !report_sample(line, "global", op, &a))
        return;
    snprintf(title, sizeof title, "%s of the hottest global %s, line %.0f",
             model_has_transactions(v->d) ? "Transactions" : "Sectors", op, report_number(line, "line", NULL));
    html_part(v->t, title);
    chart_sectors(v->t, v->d, &a);
    html_part_end(v->t);
}

/* -- phases, counters -------------------------------------------------------------------------------------------------- */

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
    json_array_foreach(records, k, r)
    {
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
        json_array_foreach(json_object_get(r, "elements"), i, e)
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

static void
counters(struct view *v)
{
    const char *name;
    json_t *value;
    const json_t *metrics = json_object_get(v->result, "metrics");
    html_part(v->t, "Counters");
    html_table(v->t, "sums over all launches", "counter", "value", "Nsight Compute metric", NULL);
    json_object_foreach(json_object_get(v->kernel, "counters"), name, value)
    {
        text_add(v->t, "<tr>");
        html_cell(v->t, NULL, "%s", name);
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

/* -- the page ---------------------------------------------------------------------------------------------------------------- */

static void
roofline(struct view *v)
{
    struct text drawing = {0};
    if (chart_roofline(&drawing, v->d, v->beside, v->kernel)) {
        html_part(v->t, "Roofline");
        text_add_bytes(v->t, drawing.at, drawing.count);
        html_part_end(v->t);
    }
    text_free(&drawing);
}

void
page_kernel(struct text *t, const json_t *result, const json_t *kernel, const json_t *beside,
            const char *id, const char *title, bool open)
{
    static const char *const ops[] = {"load", "store", "atomic"};
    struct view view = {.t = t, .d = report_device(result), .result = result, .kernel = kernel,
                        .beside = beside};
    struct view *v = &view;
    html_section(t, id, title, open);
    summary(v);
    advice(v);
    html_part(t, "Resources");
    chart_resources(t, v->kernel);
    html_part_end(t);
    sources(v);
    for (int k = 0; k < 3; k++)
        banks_of(v, ops[k]);
    for (int k = 0; k < 3; k++)
        sectors_of(v, ops[k]);
    roofline(v);
    html_part(t, "Occupancy");
    chart_occupancy(t, v->d, v->kernel);
    html_part_end(t);
    html_part(t, "Blocks over SMs");
    chart_timeline(t, v->d, v->kernel);
    html_part_end(t);
    phases(v);
    counters(v);
    html_section_end(t);
    arena_free(&v->arena);
}

static void
contents(struct view *v)
{
    size_t k;
    json_t *kernel;
    html_part(v->t, "Kernels");
    html_table(v->t, "one row per kernel and launch shape", "kernel", "launches", "at least", "busiest",
               "occupancy", "bank conflicts", NULL);
    json_array_foreach(json_object_get(v->result, "kernels"), k, kernel)
    {
        const json_t *r = json_object_get(kernel, "roofline");
        text_add(v->t, "<tr><td><a href=\"#kernel%zu\">", k);
        html_escape(v->t, ls_readable_name(&v->arena, report_text(kernel, "name")));
        text_add(v->t, "</a></td>");
        html_cell(v->t, "n", "%.0f", report_number(kernel, "launches", NULL));
        html_cell(v->t, "n", "%s", report_seconds(&v->arena, report_number(r, "seconds", NULL)));
        html_cell(v->t, NULL, "%s", report_text(r, "busiest"));
        html_cell(v->t, "n", "%.0f %%", 100 * report_number(kernel, "occupancy", "occupancy", NULL));
        html_cell(v->t, "n", "%s",
             report_count(&v->arena,
                          report_number(kernel, "counters", "shared_load_bank_conflicts", NULL) +
                              report_number(kernel, "counters", "shared_store_bank_conflicts", NULL) +
                              report_number(kernel, "counters", "shared_copy_bank_conflicts", NULL)));
        text_add(v->t, "</tr>\n");
    }
    html_table_end(v->t);
    html_part_end(v->t);
}

void
report_profile_html(const json_t *result, const char *title, struct text *out)
{
    struct view v = {.t = out, .d = report_device(result), .result = result};
    const json_t *kernels = json_object_get(result, "kernels");
    size_t k;
    json_t *kernel;
    char id[32];
    html_begin(out, title);
    html_paragraph(out, "%s, compute capability %u.%u.%s", v.d->name, v.d->cc_major, v.d->cc_minor,
                   json_is_true(json_object_get(result, "complete"))
                       ? ""
                       : " The program was ended before it was done: these are the figures up to then.");
    contents(&v);
    json_array_foreach(kernels, k, kernel)
    {
        if (html_is_full(out)) {
            html_paragraph(out, "... and %zu kernels more: --kernel TEXT chooses some.",
                           json_array_size(kernels) - k);
            html_targets(out, "kernel", k, json_array_size(kernels));
            break;
        }
        snprintf(id, sizeof id, "kernel%zu", k);
        page_kernel(out, result, kernel, kernels, id,
                    ls_readable_name(&v.arena, report_text(kernel, "name")), k < 4);
    }
    html_end(out);
    arena_free(&v.arena);
}
