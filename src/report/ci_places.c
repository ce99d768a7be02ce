/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_places.c: what a finding is about, in the words and paths that all forms of ci.h share.
 */
#include "report/ci.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- paths ------------------------------------------------------------------------------------- */

char *
ci_root(struct arena *a)
{
    static const char *const variables[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"};
    char *here = realpath(".", NULL), *root = NULL;
    for (size_t k = 0; here && !root && k < sizeof variables / sizeof *variables; k++) {
        const char *value = getenv(variables[k]);
        char *whole = value && *value ? realpath(value, NULL) : NULL;
        size_t n = whole ? strlen(whole) : 0;
        if (n && strncmp(here, whole, n) == 0 &&
            (!here[n] || here[n] == '/')) /* of this job, not an older one */
            root = arena_strdup(a, whole);
        free(whole);
    }
    for (char *at = here ? arena_strdup(a, here) : NULL; at && !root && *at;) {
        if (access(arena_printf(a, "%s/.git", at), F_OK) == 0)
            root = at;
        else
            *strrchr(at, '/') = '\0';
    }
    if (!root)
        root = arena_strdup(a, here ? here : ".");
    free(here);
    return root;
}

static struct ci_place
place_at(const char *file, int line, struct arena *a)
{
    struct ci_place p = {.line = line};
    char *root = ci_root(a), *whole = file && *file ? realpath(file, NULL) : NULL;
    size_t n = strlen(root);
    p.in_root =
        whole ? strncmp(whole, root, n) == 0 && whole[n] == '/' : file && *file && *file != '/';
    if (whole || (file && *file))
        p.path = arena_strdup(a, !whole ? file : p.in_root ? whole + n + 1 : whole);
    free(whole);
    return p;
}

struct ci_place
ci_place_of_side(const json_t *side, struct arena *a)
{
    return place_at(report_text(side, "file"), (int)report_number(side, "line", NULL), a);
}

struct ci_place
ci_place_of(const struct ci_run *r, const json_t *finding, struct arena *a)
{
    struct ci_place p = ci_place_of_side(json_object_get(finding, "access"), a);
    if (!p.path)
        p = ci_place_of_side(json_object_get(finding, "other"), a);
    if (!p.path && (ls_ends_with(r->program, ".cu") || ls_ends_with(r->program, ".cuda")))
        p = place_at(r->program, 0, a);
    return p;
}

/* -- words ------------------------------------------------------------------------------------- */

static char *
triple(const json_t *v, struct arena *a)
{
    return arena_printf(a, "(%lld,%lld,%lld)", (long long)json_integer_value(json_array_get(v, 0)),
                        (long long)json_integer_value(json_array_get(v, 1)),
                        (long long)json_integer_value(json_array_get(v, 2)));
}

char *
ci_side_text(const json_t *side, struct arena *a)
{
    const char *op = report_text(side, "op"), *kernel = report_text(side, "kernel");
    double size = report_number(side, "size", NULL);
    const json_t *thread = json_object_get(side, "thread");
    if (!json_is_object(side) || !*op)
        return arena_strdup(a, "");
    char *text =
        arena_printf(a, "%s%s%s%s", op, size > 0 ? arena_printf(a, " of %.0f bytes", size) : "",
                     *kernel ? " in " : "", *kernel ? ls_readable_name(a, kernel) : "");
    if (json_is_array(thread))
        text = arena_printf(a, "%s by thread %s in block %s", text, triple(thread, a),
                            triple(json_object_get(side, "block"), a));
    return text;
}

char *
ci_message(const json_t *finding, struct arena *a)
{
    const char *missing = report_text(finding, "missing"),
               *message = report_text(finding, "message");
    return *missing ? arena_printf(a, "%s; what is missing: %s", message, missing)
                    : arena_strdup(a, message);
}

bool
ci_is_warning(const json_t *finding)
{
    return strcmp(report_text(finding, "severity"), "warning") == 0;
}

char *
ci_complaint(const struct ci_run *r, struct arena *a)
{
    char *ended = r->program_status ? arena_printf(a, "%s ended with exit status %d", r->program,
                                                   r->program_status)
                                    : NULL;
    if (!r->result)
        return arena_printf(a, "%s used no device: nothing was checked%s%s", r->program,
                            ended ? "; " : "", ended ? ended : "");
    if (!json_array_size(json_object_get(r->result, "findings")) &&
        report_number(r->result, "summary", "launches_checked", NULL) == 0)
        return arena_printf(a, "%s launched no kernel that was to be checked%s%s", r->program,
                            ended ? "; " : "", ended ? ended : "");
    return ended;
}
