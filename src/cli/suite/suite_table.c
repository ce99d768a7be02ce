/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_table: finds the suite's folder and reads what each rung says about itself in its first
 * comment (suite.h has the lines). A .cu file without such lines, an unknown line or a kind of
 * finding that `check` does not know is an error with file and line: nothing is left out silently.
 */
#include "cli/suite/suite.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {
#define FINDING(name, text, group, title) text,
#include "check/findings.def"
#undef FINDING
};

void
suite_split(struct arena *a, const char *text, suite_words *out)
{
    while (*text) {
        size_t n = strcspn(text, " ,\t");
        if (n)
            VEC_PUSH(out, arena_strndup(a, text, n));
        text += n;
        text += strspn(text, " ,\t");
    }
}

/* -- one rung --------------------------------------------------------------------------------- */

struct table_reader {
    struct suite_table *table;
    struct suite_rung *rung;
    const char *path;
    int line;
    struct ls_error *err;
};

static bool
wrong_line(struct table_reader *r, const char *format, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, format, what);
    return ls_fail(r->err, LS_ERR_INPUT, "%s:%d: %s", r->path, r->line, text);
}

static bool
take_kinds(struct table_reader *r, const char *value)
{
    suite_words *expect = &r->rung->expect;
    if (strcmp(value, "silent") == 0)
        return true;
    suite_split(&r->table->arena, value, expect);
    for (size_t i = 0; i < expect->count; i++) {
        size_t k = 0, n = sizeof kinds / sizeof *kinds;
        while (k < n && strcmp(kinds[k], expect->at[i]) != 0)
            k++;
        if (k == n)
            return wrong_line(r, "no finding is of kind \"%s\"", expect->at[i]);
    }
    return true;
}

static bool
take_result(struct table_reader *r, const char *value)
{
    static const char *const names[] = {"right", "wrong", "either"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            r->rung->result = (enum suite_result)i;
            return true;
        }
    return wrong_line(r, "result is right, wrong or either, not \"%s\"", value);
}

/* "3.0 shuffles", behind "since" or "needs" */
static bool
take_since(struct table_reader *r, const char *key, const char *value)
{
    unsigned major, minor;
    int n = 0;
    if (sscanf(value, "%u.%u %n", &major, &minor, &n) != 2 || !n || !value[n])
        return wrong_line(r, "that takes a compute capability and a feature, not \"%s\"", value);
    r->rung->since = arena_strndup(&r->table->arena, value, strcspn(value, " "));
    r->rung->feature = value + n;
    r->rung->needed = strcmp(key, "needs") == 0;
    return true;
}

/* "4096; 100 --mask 9": entries between semicolons. */
static void
take_entries(struct arena *a, const char *value, suite_words *out)
{
    while (*value) {
        size_t n = strcspn(value, ";"), blanks = strspn(value, " ");
        if (n > blanks)
            VEC_PUSH(out, arena_strndup(a, value + blanks, n - blanks));
        value += n + (value[n] == ';');
    }
}

/* One line "key: value" of the paragraph. */
static bool
take_line(struct table_reader *r, const char *key, const char *value)
{
    struct suite_rung *g = r->rung;
    struct arena *a = &r->table->arena;
    if (strcmp(key, "systems") == 0)
        suite_split(a, value, &g->ids);
    else if (strcmp(key, "title") == 0)
        g->title = value;
    else if (strcmp(key, "sizes") == 0)
        suite_split(a, value, &g->sizes);
    else if (strcmp(key, "check") == 0)
        suite_split(a, value, &g->check_sizes);
    else if (strcmp(key, "profile") == 0)
        suite_split(a, value, &g->profile_sizes);
    else if (strcmp(key, "bench") == 0)
        g->bench_size = value;
    else if (strcmp(key, "rung") == 0)
        g->rung = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "since") == 0 || strcmp(key, "needs") == 0)
        return take_since(r, key, value);
    else if (strcmp(key, "gpu") == 0)
        take_entries(a, value, &g->gpu);
    else if (strcmp(key, "options") == 0)
        suite_split(a, value, &g->options);
    else if (strcmp(key, "expect") == 0)
        return take_kinds(r, value);
    else if (strcmp(key, "result") == 0)
        return take_result(r, value);
    else if (ls_starts_with(key, "below ")) {
        g->below = arena_strdup(a, key + 6);
        suite_split(a, value, &g->below_options);
    } else
        return wrong_line(r, "no line \"%s\" is known in this paragraph", key);
    return true;
}

static char *
trim(char *s)
{
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1]))
        s[--n] = '\0';
    return s;
}

/* The paragraph within the first comment; lines of a comment begin with " * ". */
static bool
read_paragraph(struct table_reader *r, char *text)
{
    bool inside = false;
    for (char *next, *at = text; at; at = next) {
        next = strchr(at, '\n');
        if (next)
            *next++ = '\0';
        r->line++;
        bool last = strstr(at, "*/") != NULL;
        if (last)
            *strstr(at, "*/") = '\0';
        at += strspn(at, " \t");
        at = trim(*at == '*' ? at + 1 : at);
        inside |= ls_starts_with(at, "systems:");
        if (inside && !*at)
            break;
        if (inside) {
            char *colon = strchr(at, ':');
            if (!colon)
                return wrong_line(r, "\"%s\" is no line \"key: value\"", at);
            *colon = '\0';
            if (!take_line(r, trim(at), arena_strdup(&r->table->arena, trim(colon + 1))))
                return false;
        }
        if (last)
            break;
    }
    if (!inside)
        return ls_fail(r->err, LS_ERR_INPUT,
                       "%s: its first comment has no line \"systems:\": not a rung", r->path);
    if (!r->rung->title || !r->rung->ids.count)
        return ls_fail(r->err, LS_ERR_INPUT, "%s: says no %s", r->path,
                       r->rung->title ? "systems" : "title");
    return true;
}

static bool
read_rung(struct suite_table *t, const char *system, const char *file, struct ls_error *err)
{
    struct arena *a = &t->arena;
    struct suite_rung rung = {.system = system};
    rung.path = arena_printf(a, "%s/%s/%s", t->folder, system, file);
    rung.name = arena_printf(a, "%s/%.*s", system, (int)strlen(file) - 3, file);
    size_t size;
    char *text = ls_read_file(rung.path, &size, err);
    if (!text)
        return false;
    struct table_reader r = {t, &rung, rung.path, 0, err};
    bool ok = read_paragraph(&r, text);
    ls_release(text);
    if (!rung.sizes.count)
        suite_split(a, "1 17 100 1000 1537", &rung.sizes);
    if (!rung.check_sizes.count)
        suite_split(a, "17 100", &rung.check_sizes);
    if (!rung.bench_size)
        rung.bench_size = rung.sizes.at[rung.sizes.count - 1];
    VEC_PUSH(&t->rungs, rung); /* also when it failed: freed with the rest */
    return ok;
}

/* -- the folder -------------------------------------------------------------------------------- */

static bool
read_system(struct suite_table *t, const char *system, struct ls_error *err)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", t->folder, system);
    DIR *listing = opendir(path);
    bool ok = true;
    for (struct dirent *e; ok && listing && (e = readdir(listing));)
        if (ls_ends_with(e->d_name, ".cu"))
            ok = read_rung(t, system, e->d_name, err);
    if (listing)
        closedir(listing);
    return ok;
}

static int
by_place(const void *a, const void *b)
{
    const struct suite_rung *x = a, *y = b;
    int order = strcmp(x->system, y->system);
    if (order == 0 && x->rung != y->rung) /* 0, no place: behind the others */
        order = x->rung - 1 < y->rung - 1 ? -1 : 1;
    return order ? order : strcmp(x->name, y->name);
}

/* Beside the command (a build tree), else PREFIX/share/lockstep/suite. */
static bool
find_folder(char out[4096], struct ls_error *err)
{
    static const char *const places[] = {"suite", "../share/lockstep/suite"};
    char here[4096], path[8192];
    ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    if (n <= 0)
        return ls_fail(err, LS_ERR_SYSTEM, "/proc/self/exe cannot be read");
    here[n] = '\0';
    *strrchr(here, '/') = '\0';
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", here, places[i]);
        char *real = realpath(path, NULL);
        if (!real)
            continue;
        snprintf(out, 4096, "%s", real);
        free(real);
        return true;
    }
    return ls_fail(err, LS_ERR_USAGE,
                   "the suite is neither in %s/suite nor in %s/../share/lockstep/suite: "
                   "name its folder with --suite-dir",
                   here, here);
}

bool
suite_table_read(struct suite_table *t, const char *folder, struct ls_error *err)
{
    struct stat st;
    if (folder)
        snprintf(t->folder, sizeof t->folder, "%s", folder);
    else if (!find_folder(t->folder, err))
        return false;
    DIR *listing = stat(t->folder, &st) == 0 ? opendir(t->folder) : NULL;
    if (!listing)
        return ls_fail(err, LS_ERR_USAGE, "%s: no folder that can be read", t->folder);
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(listing));)
        if (e->d_name[0] != '.' && strcmp(e->d_name, "common") != 0)
            ok = read_system(t, arena_strdup(&t->arena, e->d_name), err);
    closedir(listing);
    if (ok && !t->rungs.count)
        return ls_fail(err, LS_ERR_USAGE, "%s: has no rungs (SYSTEM/RUNG.cu)", t->folder);
    if (ok)
        qsort(t->rungs.at, t->rungs.count, sizeof *t->rungs.at, by_place);
    return ok;
}

void
suite_table_free(struct suite_table *t)
{
    for (size_t i = 0; i < t->rungs.count; i++) {
        struct suite_rung *r = &t->rungs.at[i];
        VEC_FREE(&r->ids);
        VEC_FREE(&r->sizes);
        VEC_FREE(&r->check_sizes);
        VEC_FREE(&r->profile_sizes);
        VEC_FREE(&r->expect);
        VEC_FREE(&r->options);
        VEC_FREE(&r->below_options);
        VEC_FREE(&r->gpu);
    }
    VEC_FREE(&t->rungs);
    arena_free(&t->arena);
}

/* -- filters ----------------------------------------------------------------------------------- */

/* Whether a path as typed leads to the rung's file or its folder. */
static bool
same_place(const struct suite_rung *r, const char *filter)
{
    char *typed = realpath(filter, NULL), *own = realpath(r->path, NULL);
    bool same = false;
    if (typed && own) {
        size_t n = strlen(typed);
        same = strncmp(own, typed, n) == 0 && (own[n] == '/' || own[n] == '\0');
    }
    free(typed);
    free(own);
    return same;
}

bool
suite_matches(const struct suite_rung *r, const char *filter)
{
    for (size_t i = 0; i < r->ids.count; i++)
        if (strcasecmp(r->ids.at[i], filter) == 0)
            return true;
    if (strcmp(r->system, filter) == 0 || strcmp(r->name, filter) == 0)
        return true;
    return same_place(r, filter);
}
