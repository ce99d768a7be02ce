/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.c: see parts.h.
 */
#define _GNU_SOURCE /* strverscmp */
#include "cli/run/parts.h"

#include "check/check.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
add_number(json_t *to, const json_t *from, const char *key)
{
    json_int_t sum = json_integer_value(json_object_get(to, key)) +
                     json_integer_value(json_object_get(from, key));
    json_object_set_new(to, key, json_integer(sum));
}

static bool
same_place(const json_t *a, const json_t *b)
{
    static const char *const key[] = {"file", "line", "op"};
    bool same = json_is_object(a) == json_is_object(b);
    for (size_t k = 0; same && k < sizeof key / sizeof *key; k++) {
        const json_t *x = json_object_get(a, key[k]), *y = json_object_get(b, key[k]);
        same = x == y || (x && y && json_equal(x, y));
    }
    return same;
}

static bool
same_finding(const json_t *a, const json_t *b)
{
    static const char *const key[] = {"kind", "severity", "kernel"};
    const json_t *access = json_object_get(a, "access");
    bool placed = json_is_string(json_object_get(access, "file"));
    bool same = placed || json_equal(json_object_get(a, "message"), json_object_get(b, "message"));
    for (size_t k = 0; same && k < sizeof key / sizeof *key; k++)
        same = json_equal(json_object_get(a, key[k]), json_object_get(b, key[k]));
    return same && same_place(access, json_object_get(b, "access")) &&
           same_place(json_object_get(a, "other"), json_object_get(b, "other"));
}

void
parts_add(json_t *to, const json_t *from)
{
    json_t *known = json_object_get(to, "findings"), *summary = json_object_get(to, "summary"), *f,
           *k;
    size_t n, m;
    json_array_foreach (json_object_get(from, "findings"), n, f) {
        json_array_foreach (known, m, k)
            if (same_finding(k, f))
                break;
        if (m < json_array_size(known)) {
            add_number(k, f, "count");
            if (json_object_get(f, "bytes"))
                add_number(k, f, "bytes");
            continue;
        }
        const char *severity = json_string_value(json_object_get(f, "severity"));
        bool warning = severity && !strcmp(severity, "warning");
        const char *key = warning ? "warnings" : "errors";
        json_object_set_new(summary, key,
                            json_integer(json_integer_value(json_object_get(summary, key)) + 1));
        json_array_append(known, f);
    }
    add_number(summary, json_object_get(from, "summary"), "launches_checked");
    add_number(summary, json_object_get(from, "summary"), "launches");
    add_number(to, from, "lost");
    if (json_is_false(json_object_get(from, "complete")))
        json_object_set_new(to, "complete", json_false());
    if (json_is_true(json_object_get(from, "thinned")))
        json_object_set_new(to, "thinned", json_true());
}

/* Loads and removes it. */
static json_t *
take(const char *folder, const char *name)
{
    struct arena arena = {0};
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    char *text = check_journal_read(path);
    json_t *j = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    unlink(path);
    arena_free(&arena);
    return j;
}

/* By their numbers: processes, and what one of them was before and after exec. */
static int
by_number(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

char *
parts_join(const char *folder, pid_t first)
{
    char name[32];
    struct dirent **list = NULL;
    snprintf(name, sizeof name, "%d", (int)first);
    json_t *all = take(folder, name);
    int n = scandir(folder, &list, NULL, by_number);
    for (int k = 0; k < n; k++) {
        json_t *j = list[k]->d_name[0] == '.' ? NULL : take(folder, list[k]->d_name);
        if (all && j)
            parts_add(all, j);
        else if (j)
            all = json_incref(j);
        json_decref(j);
        free(list[k]);
    }
    free(list);
    char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
    size_t size = text ? strlen(text) + 1 : 0;
    char *out = text ? memcpy(ls_alloc(size), text, size) : NULL;
    free(text);
    json_decref(all);
    return out;
}
