/* SPDX-License-Identifier: Apache-2.0
 *
 * html_check.c: the page of `check`: the findings in short, then a section for each: both accesses
 * in their source, what is missing between them, the block that would suppress it. Start with
 * report_check_html().
 */
#include "report/charts.h"
#include "report/pages.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *kind, *title;
} titles[] = {
#define FINDING(name, text, group, title) {text, title},
#include "check/findings.def"
#undef FINDING
};

const char *
report_finding_title(const char *kind)
{
    for (size_t k = 0; k < sizeof titles / sizeof *titles; k++)
        if (kind && strcmp(titles[k].kind, kind) == 0)
            return titles[k].title;
    return "Finding";
}

const char *
report_title(const json_t *finding)
{
    const char *title = report_text(finding, "title");
    return *title ? title : report_finding_title(report_text(finding, "kind"));
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void
suppressed_place(const char *key, const json_t *side, struct text *out)
{
    const char *file = report_text(side, "file");
    if (*file)
        text_add(out, "    %s: %s:%.0f\n", key, base_name(file), report_number(side, "line", NULL));
}

void
report_suppression(const json_t *finding, struct text *out)
{
    const char *kernel = report_text(finding, "kernel");
    text_add(out, "{\n    kind: %s\n", report_text(finding, "kind"));
    if (*kernel)
        text_add(out, "    kernel: %s\n", kernel);
    suppressed_place("place", json_object_get(finding, "access"), out);
    suppressed_place("other", json_object_get(finding, "other"), out);
    text_add(out, "}\n");
}

/* -- one access -------------------------------------------------------------------------------- */

static const char *
triple(struct arena *a, const json_t *v)
{
    return arena_printf(a, "(%lld,%lld,%lld)", (long long)json_integer_value(json_array_get(v, 0)),
                        (long long)json_integer_value(json_array_get(v, 1)),
                        (long long)json_integer_value(json_array_get(v, 2)));
}

/* "thread (1,0,0) of block (0,0,0)"; "" where no thread is known. */
static const char *
who(struct arena *a, const json_t *side)
{
    const json_t *thread = json_object_get(side, "thread");
    if (!json_is_array(thread))
        return "";
    return arena_printf(a, "thread %s of block %s", triple(a, thread),
                        triple(a, json_object_get(side, "block")));
}

static const char *
place(struct arena *a, const json_t *side)
{
    const char *file = report_text(side, "file");
    return *file ? arena_printf(a, "%s:%.0f", base_name(file), report_number(side, "line", NULL))
                 : "";
}

/* The line between a few of its neighbours. */
static void
excerpt(struct text *t, const char *file, int line)
{
    enum { AROUND = 4 };
    size_t size;
    struct ls_error err = {0};
    char *text = ls_read_file(file, &size, &err), *rest = text, *source;
    if (!text) {
        html_paragraph(t, "%s: the source is not here.", file);
        return;
    }
    text_add(t, "<pre tabindex=\"0\" aria-label=\"");
    html_print(t, "%s, lines around %d", base_name(file), line);
    text_add(t, "\"><code>");
    for (int n = 1; (source = strsep(&rest, "\n")) && n <= line + AROUND; n++) {
        if (n < line - AROUND)
            continue;
        text_add(t, n == line ? "<mark class=\"hit\">" : "");
        html_print(t, "%4d  %s", n, source);
        text_add(t, n == line ? "</mark>\n" : "\n");
    }
    text_add(t, "</code></pre>\n");
    ls_release(text);
}

static void
site(struct text *t, struct arena *a, const json_t *side)
{
    const char *file = report_text(side, "file"), *kernel = report_text(side, "kernel");
    double size = report_number(side, "size", NULL);
    if (!json_is_object(side))
        return;
    text_add(t, "<figure><figcaption>");
    html_print(t, "%s", report_text(side, "op"));
    if (size > 0)
        html_print(t, " of %.0f bytes", size);
    if (*kernel || *report_text(side, "function"))
        html_print(t, " in %s",
                   *kernel ? ls_readable_name(a, kernel) : report_text(side, "function"));
    if (*file)
        html_print(t, " at %s", place(a, side));
    if (*who(a, side))
        html_print(t, " by %s", who(a, side));
    text_add(t, "</figcaption>\n");
    if (*file)
        excerpt(t, file, (int)report_number(side, "line", NULL));
    text_add(t, "</figure>\n");
}

/* "Launched at a.cu:12 in main, called at ..."; host code. */
static void
host_place(struct text *t, struct arena *a, const char *verb, const json_t *at)
{
    struct text line = {0};
    const json_t *caller;
    size_t k;
    if (!*report_text(at, "file"))
        return;
    text_add(&line, "%s at %s in %s", verb, place(a, at), report_text(at, "function"));
    json_array_foreach (json_object_get(at, "callers"), k, caller)
        if (*report_text(caller, "file"))
            text_add(&line, ", called at %s in %s", place(a, caller),
                     report_text(caller, "function"));
    html_paragraph(t, "%s.", line.at);
    text_free(&line);
}

/* -- findings ---------------------------------------------------------------------------------- */

/* Two threads' time, top to bottom, and the order that would have to lie between their accesses. */
static void
missing_order(struct text *t, struct arena *a, const json_t *access, const json_t *other)
{
    enum { HEIGHT = 166, LEAST = 190, CHARACTER = 7, FIRST = 96, SECOND = 136, LABELS = 3 };
    const json_t *side[2] = {access, other};
    const char *label[2][LABELS] = {{""}};
    size_t widest = 0;
    for (int k = 0; k < 2; k++) {
        const json_t *thread = json_object_get(side[k], "thread");
        const char *block = triple(a, json_object_get(side[k], "block"));
        bool known = json_is_array(thread); /* two lines: one is too wide for a phone */
        label[k][0] = known ? arena_printf(a, "thread %s", triple(a, thread)) : "";
        label[k][1] = known ? arena_printf(a, "block %s", block) : "";
        label[k][2] = arena_printf(a, "%s, %s", report_text(side[k], "op"), place(a, side[k]));
        for (int n = 0; n < LABELS; n++)
            widest = strlen(label[k][n]) > widest ? strlen(label[k][n]) : widest;
    }
    int apart = (int)widest * CHARACTER > LEAST ? (int)widest * CHARACTER : LEAST;
    const int x[2] = {apart / 2 + 5, apart / 2 + 5 + apart}, y[2] = {FIRST, SECOND};
    html_drawing(t, 2 * apart + 10, HEIGHT,
                 arena_printf(a, "Nothing orders the %s at %s and the %s at %s",
                              report_text(access, "op"), place(a, access), report_text(other, "op"),
                              place(a, other)));
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < LABELS; n++)
            html_label(t, x[k], 16 * (n + 1), 'm', "%s", label[k][n]);
        html_line(t, x[k], 56, x[k], HEIGHT - 8, "a");
        html_dot(t, x[k], y[k], 6, "bad", NULL);
    }
    html_line(t, x[0] + 8, FIRST, x[1] - 8, SECOND, "gap");
    html_label(t, (x[0] + x[1]) / 2.0, FIRST - 8, 'm', "nothing orders them");
    html_drawing_end(t);
}

static bool
is_race(const json_t *f)
{
    return ls_ends_with(report_text(f, "kind"), "-race");
}

void
page_finding(struct text *t, const json_t *f, const char *id, bool open)
{
    struct arena a = {0};
    struct text block = {0};
    const json_t *access = json_object_get(f, "access"), *other = json_object_get(f, "other");
    const char *missing = report_text(f, "missing"), *kernel = report_text(f, "kernel");
    bool warning = strcmp(report_text(f, "severity"), "warning") == 0;
    html_section(t, id,
                 arena_printf(&a, "%s%s%s%s", warning ? "Warning: " : "", report_title(f),
                              *kernel ? " in " : "", ls_readable_name(&a, kernel)),
                 open);
    double count = report_number(f, "count", NULL);
    html_paragraph(t, "%.0f time%s: %s", count, count == 1 ? "" : "s", report_text(f, "message"));
    host_place(t, &a, "Launched", json_object_get(access, "launch"));
    if (!json_equal(json_object_get(access, "launch"), json_object_get(other, "launch")))
        host_place(t, &a, "The other launched", json_object_get(other, "launch"));
    if (!*kernel && json_array_size(json_object_get(access, "callers")))
        host_place(t, &a, "Called", access);
    host_place(t, &a, "Allocated", json_object_get(f, "allocated"));
    if (*missing)
        html_paragraph(t, "What is missing: %s", missing);
    text_add(t, "<div class=\"side\">\n");
    site(t, &a, access);
    site(t, &a, other);
    text_add(t, "</div>\n");
    if (is_race(f) && *who(&a, access) && *who(&a, other)) {
        html_part(t, "The order that is missing");
        missing_order(t, &a, access, other);
        html_part_end(t);
    }
    report_suppression(f, &block);
    text_add(t, "<h3>To suppress it</h3>\n<p>A block for the file that <code>--suppressions</code> "
                "names:</p>\n"
                "<pre tabindex=\"0\" aria-label=\"block for a suppressions file\"><code>");
    html_escape(t, block.at);
    text_add(t, "</code></pre>\n");
    html_section_end(t);
    text_free(&block);
    arena_free(&a);
}

/* What a list of findings says in short, each linked to "PREFIX0", "PREFIX1", ... */
static void
page_finding_table(struct text *t, const json_t *findings, const char *prefix)
{
    struct arena a = {0};
    size_t k;
    json_t *f;
    html_table(t, "one row per pair of places", "finding", "severity", "times", "kernel", "place",
               "other place", NULL);
    json_array_foreach (findings, k, f) {
        bool warning = strcmp(report_text(f, "severity"), "warning") == 0;
        text_add(t, "<tr><td><a href=\"#%s%zu\">", prefix, k);
        html_escape(t, report_title(f));
        text_add(t, "</a></td>");
        html_cell(t, warning ? NULL : "no", "%s", report_text(f, "severity"));
        html_cell(t, "n", "%.0f", report_number(f, "count", NULL));
        html_cell(t, NULL, "%s", ls_readable_name(&a, report_text(f, "kernel")));
        html_cell(t, NULL, "%s", place(&a, json_object_get(f, "access")));
        html_cell(t, NULL, "%s", place(&a, json_object_get(f, "other")));
        text_add(t, "</tr>\n");
    }
    html_table_end(t);
    arena_free(&a);
}

/* -- the page ---------------------------------------------------------------------------------- */

void
report_check_html(const json_t *result, const char *title, struct text *out)
{
    const json_t *s = json_object_get(result, "summary"),
                 *findings = json_object_get(result, "findings");
    const json_t *d = json_object_get(result, "device");
    double errors = report_number(s, "errors", NULL), warnings = report_number(s, "warnings", NULL);
    size_t n = json_array_size(findings), k;
    char id[32];
    html_begin(out, title);
    html_paragraph(
        out,
        "%s, compute capability %s. %.0f error%s, %.0f warning%s, %.0f suppressed; %.0f of %.0f "
        "launches checked.%s%s",
        report_text(d, "name"), report_text(d, "cc"), errors, errors == 1 ? "" : "s", warnings,
        warnings == 1 ? "" : "s", report_number(s, "suppressed", NULL),
        report_number(s, "launches_checked", NULL), report_number(s, "launches", NULL),
        json_is_true(json_object_get(result, "complete"))
            ? ""
            : " The program was ended before it was done: these are the findings up to then.",
        json_is_true(json_object_get(result, "thinned"))
            ? " Shadow memory reached its limit: races were looked for in a part of device memory."
            : "");
    if (!n)
        html_paragraph(out, report_number(s, "launches_checked", NULL) > 0
                                ? "Nothing was found."
                                : "Nothing was checked.");
    if (n) {
        html_part(out, "Findings");
        page_finding_table(out, findings, "finding");
        html_part_end(out);
    }
    for (k = 0; k < n; k++) {
        snprintf(id, sizeof id, "finding%zu", k);
        page_finding(out, json_array_get(findings, k), id, k < 4);
    }
    html_end(out);
}
