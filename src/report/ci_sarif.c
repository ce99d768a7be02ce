/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_sarif.c: findings as SARIF 2.1.0 (OASIS), which GitHub's code scanning, Azure DevOps and
 * editors show. A rule is a kind of finding; a result has the place of the access, the other place
 * as a related one, and the kernel as a logical location. Paths are relative to the root (ci.h), as
 * GitHub wants them.
 */
#include "report/ci.h"
#include "report/report.h"

#include <string.h>

#define SARIF_SCHEMA                                                                               \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

static const struct {
    const char *kind, *group, *title;
} rules[] = {
#define FINDING(name, text, group, title) {text, #group, title},
#include "check/findings.def"
#undef FINDING
};
enum { RULES = sizeof rules / sizeof *rules };

static json_t *
message(const char *text)
{
    return json_pack("{s:s}", "text", text);
}

static json_t *
rule_list(void)
{
    json_t *list = json_array();
    for (size_t k = 0; k < RULES; k++) {
        char tag[16] = "";
        for (size_t i = 0; rules[k].group[i] && i + 1 < sizeof tag; i++)
            tag[i] = (char)(rules[k].group[i] | 32);
        json_array_append_new(list, json_pack("{s:s, s:o, s:{s:[s,s]}}", "id", rules[k].kind,
                                              "shortDescription", message(rules[k].title),
                                              "properties", "tags", "cuda", tag));
    }
    return list;
}

static int
rule_index(const char *kind)
{
    for (int k = 0; k < RULES; k++)
        if (strcmp(rules[k].kind, kind) == 0)
            return k;
    return -1;
}

/* What may not stand in a URI's path as it is, by percent signs (RFC 3986). */
static char *
escaped(const char *path, struct arena *a)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/!$&'()*+,=@";
    struct text t = {0};
    for (const char *c = path; *c; c++)
        text_add(&t, strchr(plain, *c) ? "%c" : "%%%02X", (unsigned char)*c);
    char *out = arena_strdup(a, t.at ? t.at : "");
    text_free(&t);
    return out;
}

static json_t *
physical(const struct ci_place *p, struct arena *a)
{
    json_t *artifact =
        p->in_root ? json_pack("{s:s, s:s}", "uri", escaped(p->path, a), "uriBaseId", "SRCROOT")
                   : json_pack("{s:s}", "uri",
                               arena_printf(a, "%s%s", *p->path == '/' ? "file://" : "",
                                            escaped(p->path, a)));
    json_t *j = json_pack("{s:o}", "artifactLocation", artifact);
    json_object_set_new(j, "region", json_pack("{s:i}", "startLine", p->line > 0 ? p->line : 1));
    return j;
}

static json_t *
related(const json_t *side, struct arena *a)
{
    struct ci_place p = ci_place_of_side(side, a);
    if (!p.path)
        return NULL;
    return json_pack("{s:i, s:o, s:o}", "id", 1, "physicalLocation", physical(&p, a), "message",
                     message(ci_side_text(side, a)));
}

static json_t *
result(const struct ci_run *r, const json_t *f, struct arena *a)
{
    const char *kind = report_text(f, "kind"), *kernel = report_text(f, "kernel");
    const json_t *access = json_object_get(f, "access"), *other = json_object_get(f, "other");
    struct ci_place p = ci_place_of(r, f, a);
    json_t *j = json_pack("{s:s, s:s, s:o}", "ruleId", kind, "level",
                          ci_is_warning(f) ? "warning" : "error", "message",
                          message(ci_message(f, a))),
           *location = json_object();
    if (rule_index(kind) >= 0)
        json_object_set_new(j, "ruleIndex", json_integer(rule_index(kind)));
    if (p.path)
        json_object_set_new(location, "physicalLocation", physical(&p, a));
    if (*kernel)
        json_object_set_new(location, "logicalLocations",
                            json_pack("[{s:s, s:s}]", "fullyQualifiedName",
                                      ls_readable_name(a, kernel), "kind", "function"));
    if (*ci_side_text(access, a))
        json_object_set_new(location, "message", message(ci_side_text(access, a)));
    json_object_set_new(j, "locations", json_pack("[o]", location));
    json_t *second = related(other, a);
    if (second)
        json_object_set_new(j, "relatedLocations", json_pack("[o]", second));
    double count = report_number(f, "count", NULL);
    json_object_set_new(j, "occurrenceCount", json_integer(count >= 1 ? (json_int_t)count : 1));
    return j;
}

static json_t *
invocation(const struct ci_run *r, struct arena *a)
{
    char *complaint = ci_complaint(r, a);
    bool checked =
        r->result && (report_number(r->result, "summary", "launches_checked", NULL) > 0 ||
                      json_array_size(json_object_get(r->result, "findings")));
    json_t *j = json_pack("{s:b, s:i}", "executionSuccessful", checked, "exitCode", r->exit_status);
    if (complaint)
        json_object_set_new(
            j, "toolExecutionNotifications",
            json_pack("[{s:s, s:o}]", "level", "error", "message", message(complaint)));
    return j;
}

json_t *
ci_sarif(const struct ci_run *r)
{
    struct arena a = {0};
    json_t *results = json_array(), *f;
    size_t k;
    json_array_foreach (json_object_get(r->result, "findings"), k, f)
        json_array_append_new(results, result(r, f, &a));
    json_t *run =
        json_pack("{s:{s:{s:s, s:s, s:o}}, s:o, s:[o], s:{s:{s:s}}}", "tool", "driver", "name",
                  "lockstep", "version", r->version, "rules", rule_list(), "results", results,
                  "invocations", invocation(r, &a), "originalUriBaseIds", "SRCROOT", "uri",
                  arena_printf(&a, "file://%s/", escaped(ci_root(&a), &a)));
    const char *device = report_text(json_object_get(r->result, "device"), "name");
    if (*device)
        json_object_set_new(run, "properties", json_pack("{s:s}", "device", device));
    arena_free(&a);
    return json_pack("{s:s, s:s, s:[o]}", "$schema", SARIF_SCHEMA, "version", "2.1.0", "runs", run);
}
