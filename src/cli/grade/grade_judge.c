/* SPDX-License-Identifier: Apache-2.0
 *
 * grade_judge: a function for each row of grade_criteria.def. A verdict's message is for the
 * student and gives nothing away of a hidden input; the detail is for the teacher.
 */
#include "cli/cli.h"
#include "cli/run/compare.h"
#include "cli/grade/grade.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void verdict(struct grading *g, struct criterion *c, bool met, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void
verdict(struct grading *g, struct criterion *c, bool met, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    c->verdict = met ? GRADE_MET : GRADE_NOT_MET;
    c->message = arena_strdup(g->arena, text);
}

/* The student's run for the criterion, where it ended well; else the verdict is given. */
static const struct grade_run *
good_run(struct grading *g, struct criterion *c)
{
    const struct grade_run *run = grade_ran(g, c, false);
    if (!run)
        return NULL;
    c->seconds = run->cell.seconds;
    if (!*run->why)
        return run;
    const char *last = run->cell.err.at;
    size_t n = run->cell.err.count;
    while (n && isspace((unsigned char)last[n - 1]))
        n--;
    if (n)
        c->detail =
            arena_printf(g->arena, "standard error: %.*s", (int)(n > 2000 ? 2000 : n), last);
    verdict(g, c, false, "%s", run->why);
    return NULL;
}

/* -- output ------------------------------------------------------------------------------------ */

/* Numbers may differ by the tolerance, relatively, or absolutely where they are below 1. */
static bool
same_word(const char *a, size_t n, const char *b, size_t m, double tolerance)
{
    char x[400], y[400], *x_end, *y_end;
    if (n == m && !memcmp(a, b, n))
        return true;
    if (n >= sizeof x || m >= sizeof y)
        return false;
    snprintf(x, sizeof x, "%.*s", (int)n, a);
    snprintf(y, sizeof y, "%.*s", (int)m, b);
    double p = strtod(x, &x_end), q = strtod(y, &y_end);
    if (*x_end || *y_end)
        return false;
    return p == q || (isnan(p) && isnan(q)) ||
           fabs(p - q) <= tolerance * fmax(1, fmax(fabs(p), fabs(q)));
}

struct difference {
    size_t words, wrong, first; /* first: which word differs first, from 1 */
    uint32_t line;              /* and in which line of the expected text it stands */
    char expected[40], found[40];
};

static const char *
next_word(const char **at, size_t *n, uint32_t *line)
{
    for (; isspace((unsigned char)**at); ++*at)
        *line += **at == '\n';
    const char *word = *at;
    while (**at && !isspace((unsigned char)**at))
        ++*at;
    *n = (size_t)(*at - word);
    return word;
}

static struct difference
differences(const char *expected, const char *found, double tolerance)
{
    struct difference d = {0};
    uint32_t line = 1, ignored = 1;
    for (;;) {
        size_t n, m;
        const char *a = next_word(&expected, &n, &line), *b = next_word(&found, &m, &ignored);
        if (!n && !m)
            return d;
        d.words++;
        if (n && m && same_word(a, n, b, m, tolerance))
            continue;
        if (!d.wrong++) {
            d.first = d.words;
            d.line = line;
            snprintf(d.expected, sizeof d.expected, "%.*s", (int)n, a);
            snprintf(d.found, sizeof d.found, "%.*s", (int)m, b);
        }
    }
}

static void
judge_output(struct grading *g, struct criterion *c)
{
    const struct grade_run *run = good_run(g, c),
                           *of_solution = c->expect ? NULL : grade_ran(g, c, true);
    if (!run || (!c->expect && !of_solution))
        return;
    struct difference d = differences(c->expect ? c->expect : of_solution->cell.out.at,
                                      run->cell.out.at, c->tolerance);
    const char *which =
        arena_printf(g->arena, "word %zu (line %u) is %s, expected %s", d.first, d.line,
                     *d.found ? d.found : "missing", *d.expected ? d.expected : "nothing more");
    if (!d.wrong)
        verdict(g, c, true, "");
    else if (c->show)
        verdict(g, c, false, "%zu of %zu words printed are wrong: %s", d.wrong, d.words, which);
    else if (!run->cell.out.count)
        verdict(g, c, false, "nothing was printed");
    else
        verdict(g, c, false, "%zu of %zu words printed are wrong, the first in line %u", d.wrong,
                d.words, d.line);
    c->detail = d.wrong ? which : NULL;
}

/* -- check ------------------------------------------------------------------------------------- */

static bool
is_warning(const json_t *finding)
{
    return !strcmp(report_text(finding, "severity"), "warning");
}

static const char *
place_of(struct grading *g, const json_t *finding)
{
    const json_t *access = json_object_get(finding, "access");
    const char *file = report_text(access, "file"), *slash = strrchr(file, '/');
    return *file ? arena_printf(g->arena, "%s:%.0f: ", slash ? slash + 1 : file,
                                report_number(access, "line", NULL))
                 : "";
}

static void
judge_check(struct grading *g, struct criterion *c)
{
    const struct grade_run *run = grade_ran(g, c, false);
    size_t k, count = 0;
    json_t *finding, *first = NULL;
    if (!run)
        return;
    c->seconds = run->cell.seconds;
    json_array_foreach (json_object_get(run->result, "findings"), k, finding) {
        if (is_warning(finding) && !c->warnings)
            continue;
        first = count++ ? first : finding;
    }
    if (first) {
        const char *missing = report_text(first, "missing");
        verdict(g, c, false, "%s%s%s%s", place_of(g, first), report_text(first, "message"),
                count > 1 ? arena_printf(g->arena, " (and %zu more)", count - 1) : "",
                *missing ? arena_printf(g->arena, "; missing: %s", missing) : "");
    } else if (*run->why) {
        verdict(g, c, false, "%s", run->why);
    } else if (!run->result ||
               report_number(run->result, "summary", "launches_checked", NULL) == 0) {
        verdict(g, c, false, "no kernel was launched: nothing was checked");
    } else {
        verdict(g, c, true, "");
    }
}

/* -- counters and the estimated time ----------------------------------------------------------- */

static bool
launched(struct grading *g, struct criterion *c, const struct grade_run *run)
{
    bool any = run->result && json_array_size(json_object_get(run->result, "kernels"));
    if (!any)
        verdict(g, c, false, "no kernel was launched");
    return any;
}

static void
judge_counter(struct grading *g, struct criterion *c)
{
    const struct grade_run *run = good_run(g, c);
    struct text said = {0};
    if (!run || !launched(g, c, run))
        return;
    struct profile_view view = {.result = run->result};
    for (size_t k = 0; k < c->condition_count; k++) {
        uint32_t tested = 0;
        condition_test(&c->conditions[k], &view, &tested, &said);
        if (!tested)
            text_add(&said, "no kernel's name contains \"%s\"\n", c->conditions[k].kernel);
    }
    if (said.count)
        said.at[--said.count] = 0; /* the last line's end */
    verdict(g, c, !said.count, "%s", said.count ? said.at : "");
    text_free(&said);
}

/* The estimated seconds of all launches together. */
static double
estimated(const struct grade_run *run)
{
    const struct device_profile *d = report_device(run->result);
    struct arena a = {0};
    double sum = 0;
    size_t k;
    json_t *kernel;
    json_array_foreach (json_object_get(run->result, "kernels"), k, kernel) {
        struct report_summary s;
        report_summarise(d, kernel, &a, &s);
        sum += s.seconds * report_number(kernel, "launches", NULL);
        report_summary_fini(&s);
    }
    arena_free(&a);
    return sum;
}

static void
judge_time(struct grading *g, struct criterion *c)
{
    const struct grade_run *run = good_run(g, c);
    if (!run || !launched(g, c, run))
        return;
    double most = c->microseconds * 1e-6, found = estimated(run);
    if (c->times_solution > 0) {
        const struct grade_run *of_solution = grade_ran(g, c, true);
        if (!of_solution)
            return;
        most = c->times_solution * estimated(of_solution);
    }
    verdict(g, c, found <= most, "%.4g us estimated, %.4g us allowed", found * 1e6, most * 1e6);
}

/* -- memory, source ---------------------------------------------------------------------------- */

static void
judge_memory(struct grading *g, struct criterion *c)
{
    const struct grade_run *run = good_run(g, c);
    if (run)
        verdict(g, c, run->cell.memory <= c->most, "%.0f MiB at most at a time, %.0f MiB allowed",
                (double)run->cell.memory / 1048576, (double)c->most / 1048576);
}

/* The source without its comments, which may say anything. What stands in quotes stays. */
static char *
without_comments(struct arena *a, const char *s)
{
    char *out = arena_alloc(a, strlen(s) + 1), *to = out, quote = 0;
    while (*s) {
        if (!quote && s[0] == '/' && (s[1] == '/' || s[1] == '*')) {
            const char *end = strstr(s, s[1] == '/' ? "\n" : "*/");
            s = !end ? s + strlen(s) : s[1] == '/' ? end : end + 2;
            *to++ = ' ';
            continue;
        }
        if (quote && *s == '\\' && s[1])
            *to++ = *s++;
        else if (quote ? *s == quote
                       : *s == '"' || (*s == '\'' && !(to > out && isdigit((unsigned char)to[-1]))))
            quote = quote ? 0 : *s;
        else if (*s == '\n')
            quote = 0;
        *to++ = *s++;
    }
    return out;
}

static bool
is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* As a whole word where it is one: "atomicAdd" is not in "atomicAddBlock". */
static bool
has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    if (!n)
        return false;
    for (const char *at = text; (at = strstr(at, word)); at++)
        if (!((at > text && is_name(at[-1]) && is_name(*word)) ||
              (is_name(at[n]) && is_name(word[n - 1]))))
            return true;
    return false;
}

static void
judge_source(struct grading *g, struct criterion *c)
{
    struct ls_error err = {0};
    size_t size;
    char *source = ls_read_file(g->student, &size, &err);
    if (!source) {
        g->broken = err;
        return;
    }
    const char *text = without_comments(g->arena, source);
    ls_release(source);
    for (size_t k = 0; k < c->require.count; k++)
        if (!has_word(text, c->require.at[k])) {
            verdict(g, c, false, "the source does not have %s", c->require.at[k]);
            return;
        }
    for (size_t k = 0; k < c->forbid.count; k++)
        if (has_word(text, c->forbid.at[k])) {
            verdict(g, c, false, "the source has %s, which this exercise does without",
                    c->forbid.at[k]);
            return;
        }
    verdict(g, c, true, "");
}

/* -- all of them ------------------------------------------------------------------------------- */

const struct criterion_kind grade_kinds[] = {
#define CRITERION(kind, tool, keys, help) {#kind, keys, help, TOOL_##tool, judge_##kind},
#include "cli/grade/grade_criteria.def"
#undef CRITERION
};
const size_t grade_kind_count = sizeof grade_kinds / sizeof *grade_kinds;

static bool
needs_solution(const struct exercise *x)
{
    for (size_t k = 1; k < x->count; k++) {
        const struct criterion *c = &x->criteria[k];
        if (c->times_solution > 0 || (!strcmp(c->kind->name, "output") && !c->expect))
            return true;
    }
    return false;
}

static void
build_both(struct grading *g)
{
    struct criterion *c = &g->x->criteria[0];
    struct text said = {0};
    double begin = cli_now();
    bool built = grade_build(g, false, &said);
    c->seconds = cli_now() - begin;
    const char *line =
        said.at ? strstr(said.at, "error:") : NULL; /* the first error's whole line */
    while (line && line > said.at && line[-1] != '\n')
        line--;
    line = line ? line : said.at ? said.at : "";
    verdict(g, c, built, "%.*s", built ? 0 : (int)strcspn(line, "\n"), line);
    c->detail = said.count ? arena_strdup(g->arena, said.at) : NULL;
    text_free(&said);
    if (built && needs_solution(g->x) && !grade_build(g, true, &said))
        ls_fail(&g->broken, LS_ERR_INPUT, "%s: the solution does not compile: %.600s", g->x->path,
                said.at ? said.at : "");
    text_free(&said);
}

void
grade_judge(struct grading *g)
{
    build_both(g);
    for (size_t k = 1; k < g->x->count && g->broken.status == LS_OK; k++) {
        struct criterion *c = &g->x->criteria[k];
        c->verdict = GRADE_NOT_JUDGED;
        c->message = "";
        if (g->program[0] || c->kind->tool == TOOL_nothing)
            c->kind->judge(g, c);
        else
            verdict(g, c, false, "not tried: it does not compile");
    }
}

bool
grade_all_met(const struct grading *g)
{
    for (size_t k = 0; k < g->x->count; k++)
        if (g->x->criteria[k].verdict != GRADE_MET)
            return false;
    return true;
}
