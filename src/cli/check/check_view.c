/* SPDX-License-Identifier: Apache-2.0
 *
 * check_view.c: findings for people. Lines begin as compute-sanitizer's do and the summary line is
 * its own, so that scripts that look for it go on working. A file of suppressions has blocks:
 *
 *     # a race that is meant
 *     {
 *         kind: global-race
 *         kernel: histogram*
 *         place: *.cu:41
 *         other: *
 *     }
 */
#include "cli/check/check_view.h"
#include "cli/text/console.h"

#include "report/report.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- suppressions ------------------------------------------------------------------------------ */

static bool
set_pattern(struct suppressions *s, struct suppression *block, const char *key, const char *value)
{
    char **at = !strcmp(key, "kind")     ? &block->kind
                : !strcmp(key, "kernel") ? &block->kernel
                : !strcmp(key, "place")  ? &block->place
                : !strcmp(key, "other")  ? &block->other
                                         : NULL;
    if (at)
        *at = arena_strdup(&s->arena, value);
    return at != NULL;
}

static char *
trim(char *s)
{
    s += strspn(s, " \t\r");
    size_t n = strlen(s);
    while (n && strchr(" \t\r", s[n - 1]))
        s[--n] = 0;
    return s;
}

static bool
take_line(struct suppressions *s, struct suppression *block, bool *open, char *line)
{
    char *colon = strchr(line, ':');
    if (!*line || *line == '#' || ls_starts_with(line, "=========")) /* a report, pasted as it is */
        return true;
    if (!strcmp(line, "{") || !strcmp(line, "}")) {
        bool fine = *open == (*line == '}');
        if (*open)
            VEC_PUSH(&s->list, *block);
        *block = (struct suppression){0};
        *open = *line == '{';
        return fine;
    }
    if (!*open || !colon)
        return false;
    *colon = 0;
    return set_pattern(s, block, trim(line), trim(colon + 1));
}

bool
suppressions_read(struct suppressions *s, const char *path, struct ls_error *err)
{
    size_t size;
    char *text = ls_read_file(path, &size, err);
    struct suppression block = {0};
    bool open = false, fine = text != NULL;
    uint32_t number = 0;
    for (char *at = text; fine && at;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = 0;
        number++;
        if (!take_line(s, &block, &open, trim(at)))
            fine =
                ls_fail(err, LS_ERR_USAGE,
                        "%s:%u: not part of a suppression ({, kind: ..., kernel: ..., place: ..., "
                        "other: ..., })",
                        path, number);
        at = end ? end + 1 : NULL;
    }
    if (fine && open)
        fine = ls_fail(err, LS_ERR_USAGE, "%s: the last block is not closed", path);
    ls_release(text);
    return fine;
}

void
suppressions_free(struct suppressions *s)
{
    VEC_FREE(&s->list);
    arena_free(&s->arena);
}

static const char *
text_of(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* "file:line" with the whole path or the file's name alone. */
static bool
place_matches(const char *pattern, json_t *side)
{
    char place[4200];
    const char *file = text_of(side, "file");
    if (!pattern)
        return true;
    if (!file)
        return fnmatch(pattern, "", 0) == 0;
    const char *slash = strrchr(file, '/');
    json_int_t line = json_integer_value(json_object_get(side, "line"));
    snprintf(place, sizeof place, "%s:%lld", file, (long long)line);
    if (fnmatch(pattern, place, 0) == 0)
        return true;
    snprintf(place, sizeof place, "%s:%lld", slash ? slash + 1 : file, (long long)line);
    return fnmatch(pattern, place, 0) == 0;
}

static bool
is_suppressed(const struct suppressions *s, json_t *finding)
{
    const char *kind = text_of(finding, "kind"), *kernel = text_of(finding, "kernel");
    json_t *access = json_object_get(finding, "access"), *other = json_object_get(finding, "other");
    for (size_t k = 0; k < s->list.count; k++) {
        const struct suppression *b = &s->list.at[k];
        if ((!b->kind || (kind && fnmatch(b->kind, kind, 0) == 0)) &&
            (!b->kernel || fnmatch(b->kernel, kernel ? kernel : "", 0) == 0) &&
            ((place_matches(b->place, access) && place_matches(b->other, other)) ||
             (place_matches(b->place, other) && place_matches(b->other, access))))
            return true;
    }
    return false;
}

void
suppressions_apply(const struct suppressions *s, json_t *result)
{
    json_t *findings = json_object_get(result, "findings"),
           *summary = json_object_get(result, "summary");
    json_int_t errors = 0, warnings = 0, suppressed = 0;
    for (size_t k = 0; k < json_array_size(findings);) {
        json_t *f = json_array_get(findings, k);
        const char *severity = text_of(f, "severity");
        if (is_suppressed(s, f)) {
            json_array_remove(findings, k);
            suppressed++;
            continue;
        }
        *(severity && !strcmp(severity, "error") ? &errors : &warnings) += 1;
        k++;
    }
    json_object_set_new(summary, "errors", json_integer(errors));
    json_object_set_new(summary, "warnings", json_integer(warnings));
    json_object_set_new(summary, "suppressed", json_integer(suppressed));
}

/* -- text -------------------------------------------------------------------------------------- */

static void
print_triple(json_t *v, FILE *out)
{
    fprintf(out, "(%lld,%lld,%lld)", (long long)json_integer_value(json_array_get(v, 0)),
            (long long)json_integer_value(json_array_get(v, 1)),
            (long long)json_integer_value(json_array_get(v, 2)));
}

/* "launched at a.cu:12 in main", and who called that. */
static void
print_host(json_t *place, const char *verb, FILE *out)
{
    enum { MOST_CALLERS = 3 };
    const char *file = text_of(place, "file"), *function = text_of(place, "function");
    json_t *callers = json_object_get(place, "callers"), *c;
    size_t k;
    if (!file && !function)
        return;
    fprintf(out, "=========     %s", verb);
    if (file)
        fprintf(out, "at %s:%lld", file,
                (long long)json_integer_value(json_object_get(place, "line")));
    if (function)
        fprintf(out, "%sin %s", file ? " " : "", function);
    json_array_foreach (callers, k, c)
        if (k < MOST_CALLERS && text_of(c, "file"))
            fprintf(out, ", called at %s:%lld in %s", text_of(c, "file"),
                    (long long)json_integer_value(json_object_get(c, "line")),
                    text_of(c, "function") ? text_of(c, "function") : "a function");
    fprintf(out, "\n");
}

static void
print_side(json_t *side, FILE *out)
{
    const char *op = text_of(side, "op"), *kernel = text_of(side, "kernel"),
               *file = text_of(side, "file");
    json_int_t size = json_integer_value(json_object_get(side, "size"));
    if (!json_is_object(side))
        return;
    if (!kernel) {
        print_host(side, "", out);
        return;
    }
    fprintf(out, "=========     %s", op);
    if (size)
        fprintf(out, " of %lld bytes", (long long)size);
    fprintf(out, " in %s", kernel);
    if (file)
        fprintf(out, " at %s:%lld", file,
                (long long)json_integer_value(json_object_get(side, "line")));
    if (json_is_array(json_object_get(side, "thread"))) {
        fprintf(out, " by thread ");
        print_triple(json_object_get(side, "thread"), out);
        fprintf(out, " in block ");
        print_triple(json_object_get(side, "block"), out);
    }
    fprintf(out, "\n");
}

/* The launch of a kernel's side, once where both have it. */
static void
print_launches(json_t *access, json_t *other, FILE *out)
{
    json_t *one = json_object_get(access, "launch"), *two = json_object_get(other, "launch");
    print_host(one, "launched ", out);
    if (!json_equal(one, two))
        print_host(two, "launched ", out);
}

void
check_view_print_finding(const struct check_view *v, json_t *f, FILE *out)
{
    const char *missing = text_of(f, "missing"), *severity = text_of(f, "severity");
    json_int_t count = json_integer_value(json_object_get(f, "count"));
    bool warning = severity && !strcmp(severity, "warning"), colour = console_colours(out);
    fprintf(out, "========= %s%s%s%s", colour ? (warning ? "\033[1;33m" : "\033[1;31m") : "",
            warning ? "Warning: " : "", report_title(f), colour ? "\033[0m" : "");
    if (count > 1)
        fprintf(out, " (%lld times)", (long long)count);
    fprintf(out, ": %s\n", text_of(f, "message"));
    print_side(json_object_get(f, "access"), out);
    print_side(json_object_get(f, "other"), out);
    print_launches(json_object_get(f, "access"), json_object_get(f, "other"), out);
    print_host(json_object_get(f, "allocated"), "allocated ", out);
    if (text_of(f, "schedule"))
        fprintf(out, "=========     first seen with --schedule %s\n", text_of(f, "schedule"));
    if (missing && *missing)
        fprintf(out, "=========     what is missing: %s\n", missing);
    fprintf(out, "=========\n");
    if (v->blocks) {
        struct text block = {0};
        report_suppression(f, &block);
        fputs(block.at, out);
        text_free(&block);
    }
}

static bool
is_shown(const struct check_view *v, json_t *f)
{
    const char *severity = text_of(f, "severity");
    return !(v->only_errors && severity && !strcmp(severity, "warning"));
}

json_t *
check_view_finding(const struct check_view *v, uint64_t number)
{
    json_t *f;
    size_t k;
    json_array_foreach (json_object_get(v->result, "findings"), k, f)
        if (is_shown(v, f) && !--number)
            return f;
    return NULL;
}

/* compute-sanitizer's line. */
static void
print_leaks(json_t *findings, FILE *out)
{
    uint64_t bytes = 0, count = 0;
    json_t *f;
    size_t k;
    json_array_foreach (findings, k, f) {
        const char *kind = text_of(f, "kind");
        if (!kind || strcmp(kind, "leak") != 0)
            continue;
        json_int_t times = json_integer_value(json_object_get(f, "count"));
        bytes += (uint64_t)json_integer_value(json_object_get(f, "bytes"));
        count += (uint64_t)times;
    }
    if (count)
        fprintf(out, "========= LEAK SUMMARY: %llu bytes leaked in %llu allocation%s\n",
                (unsigned long long)bytes, (unsigned long long)count, count == 1 ? "" : "s");
}

void
check_view_print(const struct check_view *v, FILE *out)
{
    json_t *findings = json_object_get(v->result, "findings"), *f;
    json_t *summary = json_object_get(v->result, "summary");
    json_int_t errors = json_integer_value(json_object_get(summary, "errors"));
    json_int_t warnings = json_integer_value(json_object_get(summary, "warnings"));
    json_int_t suppressed = json_integer_value(json_object_get(summary, "suppressed"));
    uint64_t shown = 0, left = 0;
    size_t k;
    json_array_foreach (findings, k, f) {
        if (!is_shown(v, f))
            continue;
        if (shown < v->limit) {
            check_view_print_finding(v, f, out);
            shown++;
        } else {
            left++;
        }
    }
    if (left)
        fprintf(out, "========= %llu more are not shown (--print-limit)\n",
                (unsigned long long)left);
    if (json_is_true(json_object_get(v->result, "thinned")))
        fprintf(
            out,
            "========= Shadow memory reached its limit (--shadow-memory): races were looked for "
            "in a part of device memory only\n");
    json_int_t lost = json_integer_value(json_object_get(v->result, "lost"));
    if (lost)
        fprintf(out, "========= There was no room for %lld further finding%s\n", (long long)lost,
                lost == 1 ? "" : "s");
    if (!json_is_true(json_object_get(v->result, "complete")))
        fprintf(
            out,
            "========= The program did not come to its end (a signal, _exit, exec): these are the "
            "findings up to then, without leaks\n");
    print_leaks(findings, out);
    if (v->races)
        fprintf(
            out,
            "========= RACECHECK SUMMARY: %llu hazards displayed (%lld errors, %lld warnings)\n",
            (unsigned long long)shown, (long long)errors, (long long)warnings);
    else
        fprintf(out, "========= ERROR SUMMARY: %lld error%s\n", (long long)errors,
                errors == 1 ? "" : "s");
    if ((warnings && !v->races) || suppressed)
        fprintf(out, "========= %lld warning%s, %lld suppressed\n", (long long)warnings,
                warnings == 1 ? "" : "s", (long long)suppressed);
    if (v->only_errors && warnings)
        fprintf(out, "========= --print-level error hides %lld warning%s\n", (long long)warnings,
                warnings == 1 ? "" : "s");
    if (v->exit_status)
        fprintf(out, "========= Exit status %d: %s\n", v->exit_status, v->exit_reason);
}

void
check_view_show(const struct check_view *v)
{
    char *text = NULL;
    size_t size;
    FILE *out = columns_of(stdout) ? open_memstream(&text, &size) : NULL;
    check_view_print(v, out ? out : stdout);
    if (!out)
        return;
    fclose(out);
    columns_print(stdout, text, false);
    free(text);
}
