/* SPDX-License-Identifier: Apache-2.0
 *
 * grade_run: the programs of a grading. Both are compiled and run in a cell. A run lies in a fresh,
 * empty folder; compiled kernels are kept in a cache that ends with the grading, so that no program
 * can leave code for another.
 */
#define _GNU_SOURCE /* nftw, memrchr */
#include "cli/cli.h"
#include "cli/grade/grade.h"
#include "cli/run/parts.h"

#include "cc/cc.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- folders ----------------------------------------------------------------------------------- */

static int
remove_entry(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    return remove(path) && errno != ENOENT ? -1 : 0;
}

/* With everything in it. */
static void
remove_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *
inside(struct grading *g, const char *name)
{
    return arena_printf(g->arena, "%s/%s", g->root, name);
}

bool
grade_begin(struct grading *g, struct ls_error *err)
{
    const char *tmp = getenv("TMPDIR");
    char *folder = arena_printf(g->arena, "%s/lockstep-grade-XXXXXX", tmp && *tmp ? tmp : "/tmp"),
         cache[4096];
    g->root = mkdtemp(folder) ? realpath(folder, NULL) : NULL;
    if (!g->root)
        return ls_fail(err, LS_ERR_SYSTEM, "no temporary folder: %s", strerror(errno));
    if (!ls_cache_folder(cache, sizeof cache, NULL))
        setenv("LOCKSTEP_CACHE", inside(g, "programs"), 1);
    return true;
}

void
grade_end(struct grading *g)
{
    for (size_t k = 0; k < g->runs.count; k++) {
        cell_result_fini(&g->runs.at[k]->cell);
        json_decref(g->runs.at[k]->result);
    }
    VEC_FREE(&g->runs);
    if (g->root)
        remove_folder(g->root);
    free((char *)g->root);
    g->root = NULL;
}

static void
let_read(struct cell *c, const char *path)
{
    size_t k = 0;
    while (k < CELL_PATHS - 1 && c->read[k])
        k++;
    if (path)
        c->read[k] = path;
}

static void
set(struct grading *g, struct cell *c, const char *name, const char *value)
{
    size_t k = 0;
    while (k < CELL_SETTINGS - 1 && c->set[k])
        k++;
    if (value)
        c->set[k] = arena_printf(g->arena, "%s=%s", name, value);
}

/* The folders that lockstep itself lies in: command, library, headers; of a build tree or
 * installed. */
static void
let_read_lockstep(struct grading *g, struct cell *c)
{
    static const char *const places[] = {"", "/include", "/../lib", "/../lib64", "/../include"};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = n > 0 ? memrchr(self, '/', (size_t)n) : NULL;
    if (!slash)
        return;
    *slash = 0;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        char *path = realpath(arena_printf(g->arena, "%s%s", self, places[k]), NULL);
        if (path && strcmp(path, "/") != 0)
            let_read(c, arena_strdup(g->arena, path));
        free(path);
    }
}

/* -- compiling --------------------------------------------------------------------------------- */

struct build {
    const char *folder; /* the exercise's: relative words of its options count from there */
    const char *source;
    const char **extra;
    size_t count;
};

/* In the child: the program's path is what it prints. */
static int
build_in_child(void *context)
{
    const struct build *b = context;
    struct ls_error err = {0};
    char path[4096];
    if (chdir(b->folder) != 0)
        fprintf(stderr, "%s: %s\n", b->folder, strerror(errno));
    if (!cc_build(b->source, b->extra, b->count, path, sizeof path, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    fputs(path, stdout);
    return 0;
}

/* Places in messages are for people: without the folder. */
static void
say_messages(const struct text *messages, const char *source, struct text *said)
{
    const char *slash = strrchr(source, '/');
    size_t folder = slash ? (size_t)(slash + 1 - source) : 0;
    for (const char *at = messages->at; *at;) {
        if (folder && strncmp(at, source, folder) == 0)
            at += folder;
        else
            text_add_bytes(said, at++, 1);
    }
}

bool
grade_build(struct grading *g, bool solution, struct text *said)
{
    const struct exercise *x = g->x;
    enum { COMPILER_MEMORY_GIB = 4 };
    char cache[4096] = "", why[256];
    struct ls_error err = {0};
    struct build b = {.folder = x->folder, .source = solution ? x->solution : g->student};
    struct cell c = {.call = build_in_child,
                     .context = &b,
                     .folder = inside(g, "compile"),
                     .seconds = x->compile_seconds,
                     .memory = (uint64_t)COMPILER_MEMORY_GIB << 30,
                     .output = 1 << 20,
                     .files = 256 << 20,
                     .children = true};
    b.extra = ARENA_ARRAY(g->arena, const char *, x->options.count + x->harness.count + 1);
    for (size_t k = 0; k < x->options.count; k++)
        b.extra[b.count++] = x->options.at[k];
    for (size_t k = 0; k < x->harness.count; k++)
        b.extra[b.count++] = x->harness.at[k];
    ls_cache_folder(cache, sizeof cache, NULL);
    c.cache = cache;
    let_read_lockstep(g, &c);
    let_read(&c, b.source);
    for (size_t k = 0; k < x->harness.count; k++)
        let_read(&c, x->harness.at[k]);
    for (size_t k = 0; k < x->files.count; k++)
        let_read(&c, x->files.at[k]);
    set(g, &c, "LOCKSTEP_CACHE", cache);
    set(g, &c, "TMPDIR", c.folder);
    remove_folder(c.folder);
    struct cell_result r;
    bool ran = mkdir(c.folder, 0700) == 0 && cell_run(&c, &r, &err);
    if (!ran) {
        text_add(said, "%s", *err.text ? err.text : strerror(errno));
        return false;
    }
    bool built = r.stop == CELL_RAN && r.status == 0;
    if (built)
        g->program[solution] = arena_strdup(g->arena, r.out.at);
    cell_explain(&c, &r, why, sizeof why);
    if (r.stop != CELL_RAN)
        text_add(said, "the compiler was %s\n", why);
    say_messages(&r.err, b.source, said);
    cell_result_fini(&r);
    return built;
}

/* -- running ----------------------------------------------------------------------------------- */

static bool
same_words(const struct words *a, const struct words *b)
{
    bool same = a->count == b->count;
    for (size_t k = 0; same && k < a->count; k++)
        same = !strcmp(a->at[k], b->at[k]);
    return same;
}

static bool
same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static struct grade_run *
kept(struct grading *g, const struct criterion *c, enum grade_tool tool, bool solution)
{
    for (size_t k = 0; k < g->runs.count; k++) {
        struct grade_run *r = g->runs.at[k];
        if (r->of_solution == solution && r->tool == tool && same_words(&r->like->args, &c->args) &&
            same_text(r->like->input, c->input) &&
            (tool != TOOL_check || same_text(r->like->only, c->only)))
            return r;
    }
    return NULL;
}

static void
set_tool(struct grading *g, struct cell *c, const struct criterion *like, enum grade_tool tool)
{
    const char *folder = c->write[0];
    if (tool == TOOL_check) {
        set(g, c, "LOCKSTEP_TOOL", "check");
        set(g, c, "LOCKSTEP_TOOL_JOURNAL", arena_printf(g->arena, "%s/%%p", folder));
        set(g, c, "LOCKSTEP_TOOL_OPTIONS",
            like->only ? arena_printf(g->arena, "only=%s", like->only) : "");
    } else if (tool == TOOL_profile) {
        set(g, c, "LOCKSTEP_TOOL", "profile");
        set(g, c, "LOCKSTEP_TOOL_OUT", arena_printf(g->arena, "%s/result.json", folder));
        set(g, c, "LOCKSTEP_TOOL_OPTIONS", "");
    }
}

static void
read_result(struct grade_run *run, const char *folder, enum grade_tool tool, struct arena *a)
{
    struct ls_error err = {0};
    size_t size;
    char *text = NULL;
    if (tool == TOOL_check)
        text = parts_join(folder, run->cell.pid);
    else if (tool == TOOL_profile)
        text = ls_read_file(arena_printf(a, "%s/result.json", folder), &size, &err);
    run->result = text ? json_loads(text, 0, NULL) : NULL;
    ls_release(text);
}

/* Empty folders for what comes; the cache stays. */
static bool
make_folders(struct grading *g, struct cell *c)
{
    c->folder = inside(g, "run");
    c->write[0] = inside(g, "tool");
    c->write[1] = inside(g, "cache");
    remove_folder(c->folder);
    remove_folder(c->write[0]);
    return mkdir(c->folder, 0700) == 0 && mkdir(c->write[0], 0700) == 0 &&
           (mkdir(c->write[1], 0700) == 0 || errno == EEXIST);
}

const struct grade_run *
grade_ran(struct grading *g, const struct criterion *like, bool solution)
{
    const struct exercise *x = g->x;
    enum grade_tool tool =
        solution && like->kind->tool == TOOL_check ? TOOL_none : like->kind->tool;
    struct grade_run *run = kept(g, like, tool, solution);
    if (run)
        return run;
    struct cell c = {.path = g->program[solution],
                     .seconds = x->seconds,
                     .memory = x->memory,
                     .output = x->output,
                     .files = x->files_bytes,
                     .input = like->input,
                     .input_size = like->input_size};
    const char **argv = ARENA_ARRAY(g->arena, const char *, like->args.count + 2);
    argv[0] = "program";
    for (size_t k = 0; k < like->args.count; k++)
        argv[1 + k] = like->args.at[k];
    c.argv = argv;
    if (!make_folders(g, &c)) {
        ls_fail(&g->broken, LS_ERR_SYSTEM, "%s: %s", g->root, strerror(errno));
        return NULL;
    }
    let_read_lockstep(g, &c);
    let_read(&c, c.path);
    set(g, &c, "LOCKSTEP_CACHE", c.write[1]);
    set(g, &c, "LOCKSTEP_GPU", g->gpu);
    set(g, &c, "LOCKSTEP_CC", g->cc);
    set(g, &c, "LOCKSTEP_WORKERS", g->workers);
    set(g, &c, "TMPDIR", c.folder);
    set_tool(g, &c, like, tool);
    run = ARENA_NEW(g->arena, struct grade_run);
    *run = (struct grade_run){.of_solution = solution, .tool = tool, .like = like};
    if (!cell_run(&c, &run->cell, &g->broken))
        return NULL;
    VEC_PUSH(&g->runs, run);
    cell_explain(&c, &run->cell, run->why, sizeof run->why);
    read_result(run, c.write[0], tool, g->arena);
    if (solution && *run->why) {
        ls_fail(&g->broken, LS_ERR_INPUT, "%s:%u: the solution itself fails: %s%s%.300s", x->path,
                like->line, run->why, run->cell.err.count ? ": " : "", run->cell.err.at);
        return NULL;
    }
    return run;
}
