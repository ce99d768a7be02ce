/* SPDX-License-Identifier: Apache-2.0
 *
 * grade_view: what a grading came to: text of at most 80 columns, and JSON.
 */
#include "cli/text/console.h"
#include "cli/grade/grade.h"

#include <stdio.h>
#include <string.h>

static const char *const verdict_names[] = {"met", "not met", "not judged"};

static void
sums(const struct grading *g, double *points, double *of, size_t *failed)
{
    *points = *of = 0;
    *failed = 0;
    for (size_t k = 0; k < g->x->count; k++) {
        const struct criterion *c = &g->x->criteria[k];
        *of += c->points;
        *points += c->verdict == GRADE_MET ? c->points : 0;
        *failed += c->verdict != GRADE_MET;
    }
}

/* Indented, broken at blanks. */
static void
print_below(uint32_t width, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        struct arena a = {0};
        printf("          ");
        console_paragraph(stdout, width, 10, 10, 0, arena_strndup(&a, text, n));
        arena_free(&a);
        text += n + (text[n] == '\n');
    }
}

static void
print_criterion(const struct grading *g, const struct criterion *c, bool verbose, bool colours,
                uint32_t width)
{
    bool met = c->verdict == GRADE_MET;
    char points[32] = "";
    if (c->points > 0)
        snprintf(points, sizeof points, "%g/%g", met ? c->points : 0, c->points);
    printf("  ");
    console_print(stdout, colours, met ? CONSOLE_GREEN : CONSOLE_RED, "%-8s",
                  verdict_names[c->verdict]);
    printf(" %7s  ", points);
    console_paragraph(stdout, width, 20, 20, 0, c->name);
    if (*c->message && (!met || verbose || c->kind))
        print_below(width, c->message);
    if (!met && c->hint)
        print_below(width, arena_printf(g->arena, "hint: %s", c->hint));
    if (c->detail && (verbose || (!met && !c->kind)))
        print_below(width, c->detail);
    if (!verbose)
        return;
    struct text line = {0};
    for (size_t k = 0; k < c->args.count; k++)
        text_add(&line, "%s%s", k ? " " : "arguments: ", c->args.at[k]);
    const char *slash = strrchr(g->x->path, '/');
    text_add(&line, "%s%s:%u, %.2f s", line.count ? "; " : "", slash ? slash + 1 : g->x->path,
             c->line, c->seconds);
    print_below(width, line.at);
    text_free(&line);
}

void
grade_text(const struct grading *g, bool verbose)
{
    enum { WIDTH = 80 };
    uint32_t width = console_width(stdout);
    double points, of;
    size_t failed;
    bool colours = console_colours(stdout);
    width = width && width < WIDTH ? width : WIDTH;
    const char *slash = strrchr(g->student, '/');
    struct text title = {0};
    text_add(&title, "%s: %s", g->x->title, slash ? slash + 1 : g->student);
    console_paragraph(stdout, width, 0, 4, 0, title.at);
    text_free(&title);
    for (size_t k = 0; k < g->x->count; k++)
        print_criterion(g, &g->x->criteria[k], verbose, colours, width);
    sums(g, &points, &of, &failed);
    if (failed)
        printf("%g of %g points; %zu of %zu criteria not met\n", points, of, failed, g->x->count);
    else
        printf("%g of %g points; all criteria met\n", points, of);
}

json_t *
grade_json(const struct grading *g)
{
    double points, of;
    size_t failed;
    json_t *list = json_array();
    uint32_t guards = cell_protection();
    for (size_t k = 0; k < g->x->count; k++) {
        const struct criterion *c = &g->x->criteria[k];
        json_t *j = json_pack(
            "{s:s, s:s, s:s, s:f, s:f, s:s, s:f, s:s, s:i}", "name", c->name, "kind",
            c->kind ? c->kind->name : "compiles", "verdict", verdict_names[c->verdict], "points",
            c->verdict == GRADE_MET ? c->points : 0.0, "of", c->points, "message", c->message,
            "seconds", c->seconds, "file", g->x->path, "line", (int)c->line);
        json_object_set_new(
            j, "hint", c->hint && c->verdict != GRADE_MET ? json_string(c->hint) : json_null());
        json_object_set_new(j, "detail", c->detail ? json_string(c->detail) : json_null());
        json_array_append_new(list, j);
    }
    sums(g, &points, &of, &failed);
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:f, s:f, s:{s:b, s:b, s:b}, s:o}", "version", 1,
                     "exercise", g->x->path, "title", g->x->title, "program", g->student, "verdict",
                     verdict_names[failed ? GRADE_NOT_MET : GRADE_MET], "points", points, "of", of,
                     "protection", "files", (guards & CELL_NO_FILES) != 0, "network",
                     (guards & CELL_NO_NETWORK) != 0, "processes",
                     (guards & CELL_NO_PROCESSES) != 0, "criteria", list);
}
