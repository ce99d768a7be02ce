/* SPDX-License-Identifier: Apache-2.0
 *
 * result.c: the result as JSON (cli.md, `check --json`), from findings that are JSON objects
 * already: those of this process, or those that a journal has.
 */
#include "check/findings.h"

#include <string.h>

static const char *
text_at(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static bool
is_race(const json_t *finding)
{
    const char *kind = text_at(finding, "kind");
    return !strcmp(kind, "shared-race") || !strcmp(kind, "global-race");
}

static bool
same_line(const json_t *a, const json_t *b)
{
    return json_is_object(b) && !strcmp(text_at(a, "file"), text_at(b, "file")) &&
           !strcmp(text_at(a, "kernel"), text_at(b, "kernel")) &&
           json_integer_value(json_object_get(a, "line")) ==
               json_integer_value(json_object_get(b, "line"));
}

/* The side of a race reads what the uninitialised read does: at the same line, of the same
 * allocation. */
static bool
same_read(const json_t *read, const json_t *side)
{
    return same_line(read, side) && strcmp(text_at(side, "op"), "store") &&
           json_integer_value(json_object_get(read, "allocation")) ==
               json_integer_value(json_object_get(side, "allocation"));
}

/* An uninitialised read of what another thread writes is that race, not a finding of its own. */
static bool
is_explained(const json_t *all, const json_t *f)
{
    const json_t *read = json_object_get(f, "access"), *r;
    size_t k;
    if (strcmp(text_at(f, "kind"), "uninitialized"))
        return false;
    json_array_foreach (all, k, r)
        if (is_race(r) && !strcmp(text_at(f, "space"), text_at(r, "space")) &&
            (same_read(read, json_object_get(r, "access")) ||
             same_read(read, json_object_get(r, "other"))))
            return true;
    return false;
}

char *
result_text(json_t *all, const struct check_totals *t)
{
    json_t *list = json_array(), *f;
    json_int_t errors = 0, warnings = 0;
    size_t k;
    json_array_foreach (all, k, f) {
        if (is_explained(all, f))
            continue;
        *(strcmp(text_at(f, "severity"), "error") ? &warnings : &errors) += 1;
        json_array_append(list, f);
    }
    json_t *j =
        json_pack("{s:i, s:{s:s, s:s}, s:o, s:{s:I, s:I, s:I, s:I}, s:b, s:b, s:I}", "version", 1,
                  "device", "name", t->device, "cc", t->cc, "findings", list, "summary", "errors",
                  errors, "warnings", warnings, "launches_checked", (json_int_t)t->checked,
                  "launches", (json_int_t)t->launches, "complete", t->complete ? 1 : 0, "thinned",
                  t->thinned ? 1 : 0, "lost", (json_int_t)t->lost);
    json_decref(all);
    char *text = json_dumps(j, JSON_INDENT(1));
    json_decref(j);
    return text;
}
