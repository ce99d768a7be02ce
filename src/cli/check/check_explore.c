/* SPDX-License-Identifier: Apache-2.0
 *
 * check_explore.c: see check_explore.h.
 */
#include "cli/check/check_explore.h"
#include "cli/run/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What came of one run. */
struct run {
    char schedule[40];
    char *printed;
    VEC(char *) line; /* of LOCKSTEP_OUTCOME, in `outcome` */
    char *outcome;
    struct program_result result;
};

struct explore {
    const struct cli_usage *usage;
    struct cli_line *line;
    const char *options, *folder;
    struct run first, again; /* in the same schedule */
    json_t *all;
};

static void
free_run(struct run *r)
{
    ls_release(r->printed);
    ls_release(r->outcome);
    ls_release(r->result.json);
    VEC_FREE(&r->line);
    *r = (struct run){0};
}

static char *
take_file(const char *path)
{
    struct ls_error err;
    size_t size;
    char *text = ls_read_file(path, &size, &err);
    unlink(path);
    return text;
}

static void
cut_lines(struct run *r)
{
    for (char *at = r->outcome, *end; at && (end = strchr(at, '\n')); at = end + 1) {
        *end = 0;
        VEC_PUSH(&r->line, at);
    }
}

/* With what the program prints in a file. */
static bool
run(struct explore *x, const char *schedule, struct run *r, int *status)
{
    char printed[4200], outcome[4200];
    snprintf(r->schedule, sizeof r->schedule, "%s", schedule);
    snprintf(printed, sizeof printed, "%s/printed", x->folder);
    snprintf(outcome, sizeof outcome, "%s/outcome", x->folder);
    setenv("LOCKSTEP_SCHEDULE", schedule, 1);
    setenv("LOCKSTEP_OUTCOME", outcome, 1);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO),
        file = open(printed, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (kept < 0 || file < 0 || dup2(file, STDOUT_FILENO) < 0) {
        struct ls_error err = {0};
        ls_fail(&err, LS_ERR_SYSTEM, "%s: %s", printed, strerror(errno));
        *status = cli_error(x->usage->name, &err);
        return false;
    }
    const char *json = x->line->common.json;
    x->line->common.json = NULL; /* else what the program prints went to stderr */
    bool fine = program_watch(x->usage, x->line, "check", x->options, &r->result, status);
    x->line->common.json = json;
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(file);
    r->printed = take_file(printed);
    r->outcome = take_file(outcome);
    cut_lines(r);
    return fine;
}

/* -- what differs ------------------------------------------------------------------------------ */

static void
add_finding(struct explore *x, const struct run *r, const char *kernel, const char *message)
{
    json_t *f = json_pack(
        "{s:s, s:s, s:n, s:s, s:s, s:i, s:n, s:n, s:s, s:s}", "kind", "schedule-dependent",
        "severity", "warning", "space", "kernel", kernel, "message", message, "count", 1, "access",
        "other", "missing",
        "an order: barriers, fences, atomics whose results do not depend on who comes first",
        "schedule", r->schedule);
    json_t *one = json_pack("{s:[o], s:{}}", "findings", f, "summary");
    parts_add(x->all, one);
    json_decref(one);
}

static bool
same_line(const struct run *a, const struct run *b, size_t k)
{
    return k < a->line.count && k < b->line.count && !strcmp(a->line.at[k], b->line.at[k]);
}

/* The first allocation that holds something else after a launch than in the first run: all that
 * comes later may follow from it. */
static void
compare_memory(struct explore *x, const struct run *r)
{
    for (size_t k = 0; k < r->line.count && k < x->first.line.count; k++) {
        unsigned long long launch = 0, number = 0, bytes = 0;
        char kernel[300] = "", text[500];
        if (same_line(&x->first, r, k) || !same_line(&x->first, &x->again, k))
            continue;
        const char *line = r->line.at[k], *end = line + strlen(line);
        for (int words = 0; end > line && words < 3;
             words += *end == ' ') /* names may have spaces */
            end--;
        const char *name = strchr(line, ' ');
        if (!name || name >= end || sscanf(line, "%llu", &launch) != 1 ||
            sscanf(end, " %llu %llu", &number, &bytes) != 2)
            return;
        snprintf(kernel, sizeof kernel, "%.*s", (int)(end - name - 1), name + 1);
        snprintf(text, sizeof text,
                 "allocation %llu (%llu bytes) holds something else after launch %llu than with "
                 "--schedule %s",
                 number, bytes, launch, x->first.schedule);
        add_finding(x, r, kernel, text);
        return;
    }
}

static bool
same_text(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static void
compare_runs(struct explore *x, const struct run *r)
{
    compare_memory(x, r);
    if (!same_text(r->printed, x->first.printed) && same_text(x->first.printed, x->again.printed))
        add_finding(x, r, "",
                    arena_printf(&x->line->arena,
                                 "the program prints something else than with --schedule %s",
                                 x->first.schedule));
    if (r->result.exit_status != x->first.result.exit_status &&
        x->first.result.exit_status == x->again.result.exit_status)
        add_finding(x, r, "",
                    arena_printf(&x->line->arena,
                                 "the program ends with status %d, and %d with --schedule %s",
                                 r->result.exit_status, x->first.result.exit_status,
                                 x->first.schedule));
}

/* -- all runs ---------------------------------------------------------------------------------- */

static void
add_run(struct explore *x, const struct run *r)
{
    json_t *j = r->result.json ? json_loads(r->result.json, 0, NULL) : NULL, *f;
    size_t k;
    json_array_foreach (json_object_get(j, "findings"), k, f)
        json_object_set_new(f, "schedule", json_string(r->schedule));
    if (j && x->all)
        parts_add(x->all, j);
    else if (j)
        x->all = json_incref(j);
    json_decref(j);
}

static const char *
name_of(struct explore *x, uint64_t k)
{
    return k == 0   ? "gpu"
           : k == 1 ? "adversarial"
                    : arena_printf(&x->line->arena, "random:%llu", (unsigned long long)(k - 1));
}

/* The first schedule twice, then the others. */
static bool
run_all(struct explore *x, uint64_t count, int *status)
{
    if (!run(x, name_of(x, 0), &x->first, status))
        return false;
    fputs(x->first.printed ? x->first.printed : "",
          cli_to_stdout(x->line->common.json) ? stderr : stdout);
    add_run(x, &x->first);
    if (!x->all)
        return true;
    bool fine = count < 2 || run(x, name_of(x, 0), &x->again, status);
    for (uint64_t k = 1; k < count && fine; k++) {
        struct run r = {0};
        fine = run(x, name_of(x, k), &r, status);
        if (fine) {
            add_run(x, &r);
            compare_runs(x, &r);
        }
        free_run(&r);
    }
    return fine;
}

bool
check_explore(const struct cli_usage *usage, struct cli_line *line, const char *options,
              uint64_t count, struct program_result *out, int *status)
{
    const char *tmp = getenv("TMPDIR");
    struct explore x = {.usage = usage, .line = line, .options = options};
    char *folder = arena_printf(&line->arena, "%s/lockstep-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    *out = (struct program_result){0};
    x.folder = mkdtemp(folder);
    if (!x.folder) {
        struct ls_error err = {0};
        ls_fail(&err, LS_ERR_SYSTEM, "no temporary folder: %s", strerror(errno));
        *status = cli_error(usage->name, &err);
        return false;
    }
    bool fine = run_all(&x, count, status);
    *out = x.first.result;
    out->json = NULL;
    if (fine && x.all) {
        json_object_set_new(x.all, "schedules", json_integer((json_int_t)count));
        char *text = json_dumps(x.all, JSON_INDENT(1));
        size_t size = strlen(text) + 1;
        out->json = memcpy(ls_alloc(size), text, size);
        free(text);
    }
    rmdir(x.folder);
    json_decref(x.all);
    free_run(&x.first);
    free_run(&x.again);
    return fine;
}
