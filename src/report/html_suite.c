/* SPDX-License-Identifier: Apache-2.0
 *
 * html_suite.c: the page of `suite run`, `check`, `profile` and `bench`: all rungs in a table, side
 * by side in charts for each size and device, then what the command says of each. Start with
 * report_suite_html(); the table's columns are the verb's (views).
 */
#include "report/charts.h"
#include "report/pages.h"

#include <stdio.h>
#include <string.h>

struct suite_page {
    struct text *t;
    const json_t *rows;
    struct arena arena;
};

/* 17 or "70x129" */
static const char *
size_of(struct suite_page *p, const json_t *row)
{
    const json_t *size = json_object_get(row, "size");
    return json_is_integer(size)
               ? arena_printf(&p->arena, "%lld", (long long)json_integer_value(size))
               : report_text(row, "size");
}

static const char *
systems_of(struct suite_page *p, const json_t *row)
{
    struct text t = {0};
    size_t k;
    json_t *id;
    text_add(&t, "%s", "");
    json_array_foreach (json_object_get(row, "systems"), k, id)
        text_add(&t, k ? " %s" : "%s", json_string_value(id));
    char *all = arena_strdup(&p->arena, t.at);
    text_free(&t);
    return all;
}

static void
rung_cell(struct suite_page *p, size_t number, const json_t *row, bool linked)
{
    text_add(p->t, "<tr><td>");
    if (linked)
        text_add(p->t, "<a href=\"#rung%zu\">", number);
    html_escape(p->t, report_text(row, "rung"));
    text_add(p->t, linked ? "</a></td>" : "</td>");
}

static void
size_cells(struct suite_page *p, const json_t *row)
{
    html_cell(p->t, "n", "%s", size_of(p, row));
    html_cell(p->t, NULL, "%s", report_text(row, "cc"));
}

/* Behind the verdict, which a phone shows without scrolling. */
static void
about_cells(struct suite_page *p, const json_t *row)
{
    size_cells(p, row);
    html_cell(p->t, NULL, "%s", systems_of(p, row));
    html_cell(p->t, "words", "%s", report_text(row, "title"));
    html_cell(p->t, NULL, "%s", report_text(row, "message"));
    text_add(p->t, "</tr>\n");
}

static const char *
yes_or_no(bool yes)
{
    return yes ? "yes" : "no";
}

/* "shared-race (64), leak" of an object or a list; "silent" of none. */
static void
kinds_cell(struct suite_page *p, json_t *kinds)
{
    const char *kind, *separator = "";
    json_t *value;
    size_t k;
    text_add(p->t, "<td>");
    if (!json_object_size(kinds) && !json_array_size(kinds))
        text_add(p->t, "silent");
    json_object_foreach (kinds, kind, value) {
        html_print(p->t, "%s%s (%lld)", separator, kind, (long long)json_integer_value(value));
        separator = ", ";
    }
    json_array_foreach (kinds, k, value)
        html_print(p->t, k ? ", %s" : "%s", json_string_value(value));
    text_add(p->t, "</td>");
}

/* -- bars -------------------------------------------------------------------------------------- */

static const char *
short_name(const char *rung)
{
    const char *slash = strchr(rung, '/');
    return slash ? slash + 1 : rung;
}

/* A bar per row of the same size and device as row `first`; value: seconds. */
static void
bars(struct suite_page *p, size_t first, size_t last, double (*value)(const json_t *),
     const char *what)
{
    enum { WIDTH = 390, LEFT = 125, ROW = 20, ROOM = 195 }; /* a phone's width */
    double most = 0;
    for (size_t k = first; k < last; k++)
        most = value(json_array_get(p->rows, k)) > most ? value(json_array_get(p->rows, k)) : most;
    html_drawing(p->t, WIDTH, (int)(last - first) * ROW + 8, what);
    for (size_t k = first; k < last; k++) {
        const json_t *row = json_array_get(p->rows, k);
        double s = value(row), y = (double)(k - first) * ROW,
               long_ = most > 0 ? ROOM * s / most : 0;
        html_label(p->t, LEFT - 6, y + 17, 'e', "%s", short_name(report_text(row, "rung")));
        html_box(p->t, LEFT, y + 5, long_, ROW - 5, "a", NULL);
        html_label(p->t, LEFT + long_ + 6, y + 17, 's', "%s",
                   s > 0 ? report_seconds(&p->arena, s) : "-");
    }
    text_add(p->t, "</svg><figcaption>");
    html_escape(p->t, what);
    text_add(p->t, "</figcaption></figure>\n");
}

/* Rows of one size and device are shown side by side: group_rows puts them together. */
static bool
same_group(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "size"), json_object_get(b, "size")) &&
           strcmp(report_text(a, "device"), report_text(b, "device")) == 0;
}

static json_t *
group_rows(const json_t *rows)
{
    json_t *out = json_array();
    size_t n = json_array_size(rows);
    for (size_t k = 0; k < n; k++) {
        json_t *first = json_array_get(rows, k);
        bool seen = false;
        for (size_t i = 0; i < k; i++)
            seen = seen || same_group(json_array_get(rows, i), first);
        for (size_t i = k; i < n && !seen; i++)
            if (same_group(json_array_get(rows, i), first))
                json_array_append(out, json_array_get(rows, i));
    }
    return out;
}

/* -- run, bench -------------------------------------------------------------------------------- */

/* A table's head: two columns are the verb's own. */
static void
rows_table(struct suite_page *p, const char *third, const char *fourth)
{
    html_table(p->t, "one row per rung, size and device", "rung", "as it should be", third, fourth,
               "size", "cc", "systems", "title", "", NULL);
}

static void
run_table(struct suite_page *p)
{
    size_t k;
    json_t *row;
    rows_table(p, "result", "milliseconds");
    json_array_foreach (p->rows, k, row) {
        const char *good = yes_or_no(json_is_true(json_object_get(row, "verified")));
        rung_cell(p, k, row, false);
        html_cell(p->t, good, "%s", good);
        html_cell(p->t, NULL, "%s%s", report_text(row, "result"),
                  strcmp(report_text(row, "expected"), "wrong") == 0 ? ", on purpose" : "");
        html_cell(p->t, "n", "%.3f", report_number(row, "milliseconds", NULL));
        about_cells(p, row);
    }
    html_table_end(p->t);
}

static double
seconds_of_run(const json_t *row)
{
    return report_number(row, "milliseconds", NULL) / 1e3;
}

static void
run_group(struct suite_page *p, size_t first, size_t last)
{
    bars(p, first, last, seconds_of_run, "time on this computer's processor");
}

static void
nothing_more(struct suite_page *p, size_t number, json_t *row)
{
}

/* -- check ------------------------------------------------------------------------------------- */

static void
check_table(struct suite_page *p)
{
    size_t k;
    json_t *row;
    rows_table(p, "expected", "found");
    json_array_foreach (p->rows, k, row) {
        const char *good = yes_or_no(json_is_true(json_object_get(row, "as_expected")));
        rung_cell(p, k, row, json_object_size(json_object_get(row, "found")) > 0);
        html_cell(p->t, good, "%s", good);
        kinds_cell(p, json_object_get(row, "expected"));
        kinds_cell(p, json_object_get(row, "found"));
        about_cells(p, row);
    }
    html_table_end(p->t);
}

static void
check_group(struct suite_page *p, size_t first, size_t last)
{
}

static void
check_row(struct suite_page *p, size_t number, json_t *row)
{
    char id[64];
    size_t k;
    json_t *f, *findings = json_object_get(json_object_get(row, "answer"), "findings");
    if (!json_object_size(json_object_get(row, "found")))
        return;
    snprintf(id, sizeof id, "rung%zu", number);
    html_section(p->t, id,
                 arena_printf(&p->arena, "%s, size %s", report_text(row, "rung"), size_of(p, row)),
                 true);
    json_array_foreach (findings, k, f) {
        snprintf(id, sizeof id, "rung%zu-finding%zu", number, k);
        page_finding(p->t, f, id, k == 0);
    }
    html_section_end(p->t);
}

/* -- profile ----------------------------------------------------------------------------------- */

static double
total(const json_t *kernel, const char *space, const char *what)
{
    static const char *const operations[] = {"load", "store", "atomic"};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        char name[80];
        snprintf(name, sizeof name, "%s_%s_%s", space, operations[k], what);
        sum += report_number(kernel, "counters", name, NULL);
    }
    return sum;
}

static void
profile_table(struct suite_page *p)
{
    size_t k, i;
    json_t *row, *kernel;
    html_table(p->t, "one row per kernel of a rung, size and device", "rung", "size", "cc",
               "kernel", "a launch", "busiest", "global requests", "sectors or transactions",
               "shared wavefronts", "bank conflicts", "occupancy", NULL);
    json_array_foreach (p->rows, k, row) {
        json_array_foreach (json_object_get(row, "kernels"), i, kernel) {
            const json_t *r = json_object_get(kernel, "roofline");
            rung_cell(p, k, row, true);
            size_cells(p, row); /* eleven columns are enough */
            html_cell(p->t, NULL, "%s", report_text(kernel, "name"));
            html_cell(p->t, "n", "%s",
                      report_seconds(&p->arena, report_number(r, "estimate", NULL)));
            html_cell(p->t, NULL, "%s", report_text(r, "busiest"));
            html_cell(p->t, "n", "%.0f", total(kernel, "global", "requests"));
            html_cell(p->t, "n", "%.0f",
                      total(kernel, "global", "sectors") + total(kernel, "global", "transactions"));
            html_cell(p->t, "n", "%.0f", total(kernel, "shared", "wavefronts"));
            html_cell(p->t, "n", "%.0f", total(kernel, "shared", "bank_conflicts"));
            html_cell(p->t, "n", "%.0f %%",
                      100 * report_number(kernel, "occupancy", "occupancy", NULL));
            text_add(p->t, "</tr>\n");
        }
    }
    html_table_end(p->t);
}

/* All launches of all kernels of a rung. */
static double
seconds_of_profile(const json_t *row)
{
    double sum = 0;
    size_t k;
    json_t *kernel;
    json_array_foreach (json_object_get(row, "kernels"), k, kernel)
        sum += report_number(kernel, "roofline", "estimate", NULL) *
               report_number(kernel, "launches", NULL);
    return sum;
}

/* The kernels of a group in one list, each labelled with its rung. */
static json_t *
kernels_of_group(struct suite_page *p, size_t first, size_t last)
{
    json_t *all = json_array(), *kernel;
    size_t i;
    for (size_t k = first; k < last; k++) {
        json_t *row = json_array_get(p->rows, k), *kernels = json_object_get(row, "kernels");
        const char *rung = short_name(report_text(row, "rung"));
        json_array_foreach (kernels, i, kernel) {
            json_object_set_new(kernel, "label",
                                json_array_size(kernels) == 1
                                    ? json_string(rung)
                                    : json_sprintf("%s: %s", rung, report_text(kernel, "name")));
            json_array_append(all, kernel);
        }
    }
    return all;
}

static void
profile_group(struct suite_page *p, size_t first, size_t last)
{
    json_t *all = kernels_of_group(p, first, last);
    const json_t *answer = json_object_get(json_array_get(p->rows, first), "answer");
    bars(p, first, last, seconds_of_profile, "estimated time of all launches");
    if (json_array_size(all) && report_device(answer))
        chart_roofline(p->t, report_device(answer), all, NULL);
    json_decref(all);
}

static void
profile_row(struct suite_page *p, size_t number, json_t *row)
{
    char id[64];
    size_t k, first = number, last = number + 1, rows = json_array_size(p->rows);
    json_t *kernel, *answer = json_object_get(row, "answer");
    snprintf(id, sizeof id, "rung%zu", number);
    text_add(p->t, "<div id=\"%s\">\n", id);
    if (!answer || !report_device(answer)) {
        html_paragraph(p->t, "%s, size %s: no answer.", report_text(row, "rung"), size_of(p, row));
        text_add(p->t, "</div>\n");
        return;
    }
    while (first > 0 && same_group(json_array_get(p->rows, first - 1), row))
        first--;
    while (last < rows && same_group(json_array_get(p->rows, last), row))
        last++;
    json_t *beside = kernels_of_group(p, first, last);
    json_array_foreach (json_object_get(row, "kernels"), k, kernel) {
        snprintf(id, sizeof id, "rung%zu-kernel%zu", number, k);
        page_kernel(p->t, answer, kernel, beside, NULL, id,
                    arena_printf(&p->arena, "%s, %s (%s), size %s, on %s: %s",
                                 report_text(row, "rung"), report_text(row, "title"),
                                 systems_of(p, row), size_of(p, row), report_text(row, "cc"),
                                 report_text(kernel, "name")),
                    number == 0);
    }
    text_add(p->t, "</div>\n");
    json_decref(beside);
}

/* -- the page ---------------------------------------------------------------------------------- */

static const struct suite_view {
    const char *verb;
    void (*table)(struct suite_page *p);
    void (*group)(struct suite_page *p, size_t first, size_t last);
    void (*row)(struct suite_page *p, size_t number, json_t *row);
    const char *about;
} views[] = {
    {"run", run_table, run_group, nothing_more, "Each rung run and compared with plain C."},
    {"bench", run_table, run_group, nothing_more,
     "Each rung's best time, compared with plain C first."},
    {"check", check_table, check_group, check_row,
     "Right rungs must be silent; listings that are wrong on purpose must be reported, and as what "
     "they are."},
    {"profile", profile_table, profile_group, profile_row, "What each rung's accesses cost."},
};

static void
groups(struct suite_page *p, const struct suite_view *v)
{
    size_t n = json_array_size(p->rows), last;
    if (v->group == check_group)
        return;
    for (size_t first = 0; first < n && !html_is_full(p->t); first = last) {
        const json_t *row = json_array_get(p->rows, first);
        for (last = first + 1; last < n && same_group(row, json_array_get(p->rows, last));)
            last++;
        html_part(p->t, arena_printf(&p->arena, "Side by side: size %s on %s (%s)", size_of(p, row),
                                     report_text(row, "device"), report_text(row, "cc")));
        v->group(p, first, last);
        html_part_end(p->t);
    }
}

void
report_suite_html(const char *verb, const json_t *rows, const char *title, struct text *out)
{
    struct suite_page p = {.t = out};
    const struct suite_view *v = views;
    json_t *sorted = group_rows(rows), *row;
    size_t k, n = json_array_size(sorted);
    while (strcmp(v->verb, verb) != 0)
        v++;
    p.rows = sorted;
    html_begin(out, title);
    html_paragraph(out, "%s %zu rows.", v->about, n);
    html_part(out, "All rungs");
    v->table(&p);
    html_part_end(out);
    groups(&p, v);
    json_array_foreach (sorted, k, row) {
        if (html_is_full(out)) {
            html_paragraph(
                out,
                "The page is full: the %zu rows from %s on have no section of their own. "
                "Name fewer rungs, sizes or devices to see them.",
                n - k, report_text(row, "rung"));
            html_targets(out, "rung", k, n);
            break;
        }
        v->row(&p, k, row);
    }
    html_end(out);
    json_decref(sorted);
    arena_free(&p.arena);
}
