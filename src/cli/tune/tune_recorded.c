/* SPDX-License-Identifier: Apache-2.0
 *
 * tune_recorded.c: times of the same combinations that were recorded elsewhere, on a real GPU: a
 * CSV file with the columns program, macros ("TILE=16 ROWS=4"), size, median_ms; others are
 * ignored, lines that begin with # are comments. Beside the ranking they say what its choice costs.
 */
#include "cli/tune/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { C_PROGRAM, C_MACROS, C_SIZE, C_MEDIAN, C_COUNT, MOST_CELLS = 64 };
static const char *const columns[C_COUNT] = {"program", "macros", "size", "median_ms"};

struct recorded {
    struct tune_call *call;
    const char *size;
    size_t column[C_COUNT], taken;
};

static size_t
cells_of(char *line, char **cell)
{
    size_t n = 0;
    line[strcspn(line, "\r")] = '\0';
    for (char *at; n < MOST_CELLS && (at = strsep(&line, ","));) {
        size_t length = strlen(at);
        if (length > 1 && at[0] == '"' && at[length - 1] == '"')
            at[length - 1] = '\0', at++;
        cell[n++] = at;
    }
    return n;
}

static bool
take_head(struct recorded *r, char *const *cell, size_t n, const char *path, struct ls_error *err)
{
    for (int c = 0; c < C_COUNT; c++) {
        size_t k = 0;
        while (k < n && strcmp(cell[k], columns[c]) != 0)
            k++;
        if (k == n)
            return ls_fail(err, LS_ERR_INPUT, "%s: no column \"%s\"", path, columns[c]);
        r->column[c] = k;
    }
    return true;
}

/* The recorded name is a path's end: "suite/matmul/tiled.cu" or "matmul/tiled.cu". */
static bool
is_program(const struct tune_call *c, const char *name)
{
    size_t n = strlen(name), all = strlen(c->program);
    return n && n <= all && strcmp(c->program + all - n, name) == 0 &&
           (n == all || c->program[all - n - 1] == '/');
}

static void
take_row(struct recorded *r, char *const *cell, size_t n)
{
    double ms;
    for (int c = 0; c < C_COUNT; c++)
        if (r->column[c] >= n)
            return;
    if (!is_program(r->call, cell[r->column[C_PROGRAM]]) ||
        strcmp(cell[r->column[C_SIZE]], r->size) != 0 ||
        !ls_parse_f64(cell[r->column[C_MEDIAN]], &ms) || ms <= 0)
        return;
    for (size_t k = 0; k < r->call->jobs.count; k++) {
        struct tune_job *j = &r->call->jobs.at[k];
        if (strcmp(j->macros, cell[r->column[C_MACROS]]) == 0) {
            j->recorded = ms;
            r->taken++;
        }
    }
}

/* What follows --size or --n among the program's arguments. */
static const char *
size_argument(const struct tune_call *c)
{
    for (char **a = c->arguments; *a; a++)
        if ((strcmp(*a, "--size") == 0 || strcmp(*a, "--n") == 0) && a[1])
            return a[1];
    return NULL;
}

bool
tune_recorded(struct tune_call *c, const char *text, struct ls_error *err)
{
    size_t size;
    const char *at = strrchr(text, '@');
    char *path = arena_strndup(c->arena, text, at ? (size_t)(at - text) : strlen(text));
    struct recorded r = {.call = c, .size = at ? at + 1 : size_argument(c)};
    if (!r.size)
        return ls_fail(err, LS_ERR_USAGE, "--recorded %s: which size? (FILE@SIZE)", path);
    char *all = ls_read_file(path, &size, err), *cell[MOST_CELLS];
    bool fine = all, head = false;
    for (char *rest = all, *line; fine && (line = strsep(&rest, "\n"));) {
        if (!*line || *line == '#')
            continue;
        size_t n = cells_of(line, cell);
        if (head)
            take_row(&r, cell, n);
        else
            head = fine = take_head(&r, cell, n, path, err);
    }
    ls_release(all);
    if (fine && !r.taken)
        fine =
            ls_fail(err, LS_ERR_INPUT, "--recorded %s: none of these combinations of %s at size %s",
                    path, c->program, r.size);
    return fine;
}
