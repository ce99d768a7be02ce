/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_junit.c: findings as JUnit's XML, which GitLab, Jenkins, Azure DevOps and most others show as
 * tests, and as the workflow commands by which GitHub puts annotations beside the source.
 */
#include "report/ci.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

/* -- JUnit ------------------------------------------------------------------------------------- */

static const struct {
    const char *kind, *group;
} kinds[] = {
#define FINDING(name, text, group, title) {text, #group},
#include "check/findings.def"
#undef FINDING
};

/* Characters that XML 1.0 cannot hold are left out. */
static void
xml(struct text *t, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        const char *name = c == '&'    ? "&amp;"
                           : c == '<'  ? "&lt;"
                           : c == '>'  ? "&gt;"
                           : c == '"'  ? "&quot;"
                           : c == '\n' ? "&#10;"
                                       : NULL;
        if (name)
            text_add(t, "%s", name);
        else if (c >= 32 || c == '\t')
            text_add_bytes(t, s, 1);
    }
}

static void
begin_case(struct text *t, const struct ci_run *r, const char *name)
{
    text_add(t, "    <testcase classname=\"");
    xml(t, r->program);
    text_add(t, "\" name=\"");
    xml(t, name);
    text_add(t, "\"");
}

static void
failed_case(struct text *t, const struct ci_run *r, const char *name, const char *type,
            const char *message, const char *text)
{
    begin_case(t, r, name);
    text_add(t, ">\n      <failure type=\"%s\" message=\"", type);
    xml(t, message);
    text_add(t, "\">");
    xml(t, text);
    text_add(t, "</failure>\n    </testcase>\n");
}

static char *
at(const struct ci_place *p, struct arena *a)
{
    if (!p->path)
        return arena_strdup(a, "");
    return p->line ? arena_printf(a, " at %s:%d", p->path, p->line)
                   : arena_printf(a, " at %s", p->path);
}

static void
finding_case(struct text *t, const struct ci_run *r, const json_t *f, struct arena *a)
{
    const char *kind = report_text(f, "kind"), *title = report_title(f);
    struct ci_place p = ci_place_of(r, f, a);
    struct text body = {0};
    const json_t *sides[] = {json_object_get(f, "access"), json_object_get(f, "other")};
    text_add(&body, "%s%s: %s", ci_is_warning(f) ? "Warning: " : "", title, ci_message(f, a));
    for (int k = 0; k < 2; k++) {
        struct ci_place where = ci_place_of_side(sides[k], a);
        char *text = ci_side_text(sides[k], a);
        if (*text)
            text_add(&body, "\n%s%s", text, at(&where, a));
    }
    failed_case(t, r, arena_printf(a, "%s%s", kind, at(&p, a)), kind,
                arena_printf(a, "%s: %s", title, report_text(f, "message")), body.at);
    text_free(&body);
}

/* Whether a finding of the group was made. */
static bool
group_failed(const struct ci_run *r, const char *group)
{
    const json_t *f;
    size_t n;
    json_array_foreach (json_object_get(r->result, "findings"), n, f)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(kinds[k].group, group) == 0 &&
                strcmp(kinds[k].kind, report_text(f, "kind")) == 0)
                return true;
    return false;
}

static bool
group_wanted(const struct ci_run *r, const char *name)
{
    size_t n = strlen(name);
    const char *at_name = r->only ? strstr(r->only, name) : NULL;
    return !r->only || (at_name && (at_name == r->only || at_name[-1] == ',') &&
                        (!at_name[n] || at_name[n] == ','));
}

void
ci_junit(const struct ci_run *r, struct text *out)
{
    static const struct {
        const char *group, *name;
    } groups[] = {{"RACE", "race"}, {"BOUNDS", "bounds"}, {"INIT", "init"},
                  {"SYNC", "sync"}, {"LEAK", "leak"},     {"API", "api"}};
    struct arena a = {0};
    struct text cases = {0};
    const json_t *f, *findings = json_object_get(r->result, "findings");
    size_t k, tests = json_array_size(findings), failures = tests;
    char *complaint = ci_complaint(r, &a);
    bool checked =
        r->result && (report_number(r->result, "summary", "launches_checked", NULL) > 0 || tests);
    json_array_foreach (findings, k, f)
        finding_case(&cases, r, f, &a);
    for (k = 0; checked && k < sizeof groups / sizeof *groups; k++)
        if (group_wanted(r, groups[k].name) && !group_failed(r, groups[k].group)) {
            begin_case(&cases, r, groups[k].name);
            text_add(&cases, "/>\n");
            tests++;
        }
    if (complaint) {
        failed_case(&cases, r, checked ? "exit status" : "checked",
                    checked ? "exit-status" : "nothing-checked", complaint, complaint);
        tests++, failures++;
    }
    text_add(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
             "name=\"lockstep check\" "
             "tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\" time=\"%.3f\">\n%s  "
             "</testsuite>\n"
             "</testsuites>\n",
             tests, failures, r->seconds, cases.at ? cases.at : "");
    text_free(&cases);
    arena_free(&a);
}

/* -- GitHub's workflow commands ---------------------------------------------------------------- */

/* In a property commas and colons part it from others. */
static void
command_text(struct text *t, const char *s, bool property)
{
    for (; *s; s++)
        if (*s == '%' || *s == '\r' || *s == '\n' || (property && strchr(":,", *s)))
            text_add(t, "%%%02X", (unsigned char)*s);
        else
            text_add_bytes(t, s, 1);
}

static void
command(struct text *t, bool warning, const struct ci_place *p, const char *title, const char *text)
{
    text_add(t, "::%s ", warning ? "warning" : "error");
    if (p->path) {
        text_add(t, "file=");
        command_text(t, p->path, true);
        text_add(t, p->line ? ",line=%d," : ",", p->line);
    }
    text_add(t, "title=");
    command_text(t, title, true);
    text_add(t, "::");
    command_text(t, text, false);
    text_add(t, "\n");
}

void
ci_github(const struct ci_run *r, struct text *out)
{
    struct arena a = {0};
    const json_t *f;
    size_t k;
    json_array_foreach (json_object_get(r->result, "findings"), k, f) {
        struct ci_place p = ci_place_of(r, f, &a),
                        other = ci_place_of_side(json_object_get(f, "other"), &a);
        const char *side = ci_side_text(json_object_get(f, "access"), &a);
        const char *second = ci_side_text(json_object_get(f, "other"), &a);
        char *text = ci_message(f, &a);
        if (*side)
            text = arena_printf(&a, "%s\n%s", text, side);
        if (*second)
            text = arena_printf(&a, "%s\n%s%s", text, second, at(&other, &a));
        command(out, ci_is_warning(f), &p, report_title(f), text);
    }
    char *complaint = ci_complaint(r, &a);
    if (complaint)
        command(out, false, &(struct ci_place){0}, "lockstep check", complaint);
    arena_free(&a);
}
