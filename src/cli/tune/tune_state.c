/* SPDX-License-Identifier: Apache-2.0
 *
 * tune_state.c: the folder of a sweep. A job has two files, named by the hash of all that its
 * result depends on (its identity: sources, macros, arguments, device, how it is ranked, our
 * version):
 *
 *   KEY.claim  locked by the process that works on it: the kernel drops the lock when that process
 *              ends, however it ends, so that no claim is ever left behind. One line per beginning.
 *   KEY.json   the result, written whole or not at all
 *
 * What lies there and is not ours (a result of another identity, a broken file, no file at all)
 * counts as nothing and is computed anew.
 */
#define _GNU_SOURCE /* open file description locks */
#include "cli/tune/tune.h"

#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- the folder -------------------------------------------------------------------------------- */

bool
tune_state_open(struct tune_call *c, struct ls_error *err)
{
    struct stat st;
    if (!c->kept) {
        const char *tmp = getenv("TMPDIR");
        char *folder =
            arena_printf(c->arena, "%s/lockstep-tune-XXXXXX", tmp && *tmp ? tmp : "/tmp");
        c->folder = mkdtemp(folder);
        return c->folder || ls_fail(err, LS_ERR_SYSTEM, "%s: %s", folder, strerror(errno));
    }
    if (!*c->folder)
        return ls_fail(err, LS_ERR_USAGE, "--state takes a folder");
    if (stat(c->folder, &st) != 0 && !ls_make_folders(c->folder, err))
        return false;
    if (stat(c->folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return ls_fail(err, LS_ERR_USAGE, "--state %s: not a folder", c->folder);
    if (access(c->folder, R_OK | W_OK | X_OK) != 0)
        return ls_fail(err, LS_ERR_USAGE, "--state %s: %s", c->folder, strerror(errno));
    return true;
}

void
tune_state_close(struct tune_call *c)
{
    static const char *const ends[] = {"claim", "json"};
    struct arena a = {0};
    if (c->kept || !c->folder)
        return;
    for (size_t k = 0; k < c->jobs.count; k++)
        for (int e = 0; e < 2; e++)
            unlink(tune_state_path(c, &c->jobs.at[k], ends[e], &a));
    rmdir(c->folder);
    arena_free(&a);
}

const char *
tune_state_path(const struct tune_call *c, const struct tune_job *j, const char *end,
                struct arena *a)
{
    return arena_printf(a, "%s/%s.%s", c->folder, j->key, end);
}

/* -- identities -------------------------------------------------------------------------------- */

struct sources {
    struct arena arena;
    VEC(const char *) seen;
    struct hash128 hash;
};

static bool hash_source(struct sources *s, const char *path, struct ls_error *err);

/* The file that a line `#include "name"` names, beside the file that it stands in. Others (<name>,
 * those that -I finds) are taken as unchanging. */
static void
hash_include(struct sources *s, const char *path, const char *line)
{
    line += strspn(line, " \t");
    if (*line != '#')
        return;
    line += 1 + strspn(line + 1, " \t");
    if (!ls_starts_with(line, "include"))
        return;
    line += 7 + strspn(line + 7, " \t");
    size_t n = *line == '"' ? strcspn(line + 1, "\"\n") : 0;
    const char *slash = strrchr(path, '/');
    if (n)
        hash_source(s,
                    arena_printf(&s->arena, "%.*s%.*s", slash ? (int)(slash - path) + 1 : 0, path,
                                 (int)n, line + 1),
                    NULL);
}

static bool
hash_source(struct sources *s, const char *path, struct ls_error *err)
{
    char whole[PATH_MAX];
    size_t size;
    struct stat st;
    if (!realpath(path, whole) || stat(whole, &st) != 0)
        return ls_fail(err, LS_ERR_USAGE, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return ls_fail(err, LS_ERR_USAGE, "%s: not a file", path);
    for (size_t k = 0; k < s->seen.count; k++)
        if (strcmp(s->seen.at[k], whole) == 0)
            return true;
    char *text = ls_read_file(whole, &size, err);
    if (!text)
        return false;
    VEC_PUSH(&s->seen, arena_strdup(&s->arena, whole));
    s->hash = ls_hash(s->hash, text, size);
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
        hash_include(s, whole, line);
    ls_release(text);
    return true;
}

/* Fields are ended by a line's end, words of lists by a NUL's picture: no two sweeps look alike. */
static const char *
identity(const struct tune_call *c, const struct tune_job *j, const char *sources)
{
    struct text t = {0};
    struct arena a = {0};
    const char **definitions;
    size_t n = tune_definitions(c, j, &a, &definitions);
    char **arguments = tune_arguments(c, j, &a);
    text_add(&t, "lockstep %s\nprogram %s %s\n", LOCKSTEP_VERSION, c->program, sources);
    for (size_t k = 0; k < n; k++)
        text_add(&t, "option %zu %s\n", strlen(definitions[k]), definitions[k]);
    for (size_t k = 0; arguments[k]; k++)
        text_add(&t, "argument %zu %s\n", strlen(arguments[k]), arguments[k]);
    text_add(&t, "device %s\nby %s\nkernel %s\n", j->device->profile->key,
             c->real                  ? "gpu"
             : c->by == TUNE_BY_MODEL ? "model"
                                      : "time",
             c->kernel ? c->kernel : "");
    if (c->by == TUNE_BY_TIME)
        text_add(&t, "runs %u\n", c->runs);
    else if (c->sample > 1)
        text_add(&t, "sample %llu\n", (unsigned long long)c->sample);
    const char *out = arena_strdup(c->arena, t.at);
    text_free(&t);
    arena_free(&a);
    return out;
}

bool
tune_state_keys(struct tune_call *c, struct ls_error *err)
{
    struct sources s = {0};
    char sources[33];
    bool fine = hash_source(&s, c->program, err);
    for (size_t k = c->line->compile_options; fine && k < c->line->compile_count; k++)
        fine = hash_source(&s, c->line->compile[k], err);
    ls_hash_text(s.hash, sources);
    for (size_t k = 0; fine && k < c->jobs.count; k++) {
        struct tune_job *j = &c->jobs.at[k];
        j->identity = identity(c, j, sources);
        ls_hash_text(ls_hash((struct hash128){0, 0}, j->identity, strlen(j->identity)), j->key);
    }
    VEC_FREE(&s.seen);
    arena_free(&s.arena);
    return fine;
}

/* -- results ----------------------------------------------------------------------------------- */

/* A regular file of moderate size, or NULL: a pipe or a device there must not stop us. */
static json_t *
load(const char *path)
{
    enum { MOST_BYTES = 1 << 24 };
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    json_t *j = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES)
        j = json_loadfd(fd, 0, NULL);
    if (fd >= 0)
        close(fd);
    return j;
}

json_t *
tune_state_result(const struct tune_call *c, const struct tune_job *j)
{
    struct arena a = {0};
    json_t *r = load(tune_state_path(c, j, "json", &a));
    const char *of = json_string_value(json_object_get(r, "identity"));
    arena_free(&a);
    if (of && strcmp(of, j->identity) == 0 && json_is_string(json_object_get(r, "status")))
        return r;
    json_decref(r);
    return NULL;
}

bool
tune_state_write(const struct tune_call *c, const struct tune_job *j, json_t *result,
                 struct ls_error *err)
{
    struct arena a = {0};
    json_object_set_new(result, "identity", json_string(j->identity));
    char *text = json_dumps(result, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    bool fine =
        text ? ls_write_file(tune_state_path(c, j, "json", &a), text, strlen(text), err)
             : ls_fail(err, LS_ERR_INPUT, "%s: the result holds text that is no UTF-8", j->flags);
    free(text);
    arena_free(&a);
    return fine;
}

/* -- claims ------------------------------------------------------------------------------------ */

int
tune_state_claim(const struct tune_call *c, const struct tune_job *j, struct ls_error *err)
{
    struct arena a = {0};
    struct stat st;
    const char *path = tune_state_path(c, j, "claim", &a);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    bool regular = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!regular)
        ls_fail(err, LS_ERR_SYSTEM, "%s cannot be claimed: %s", path,
                fd < 0 ? strerror(errno) : "not a file");
    bool held = regular && fcntl(fd, F_OFD_SETLK, &lock) == 0;
    bool others = regular && !held && (errno == EAGAIN || errno == EACCES);
    if (regular && !held && !others)
        ls_fail(err, LS_ERR_SYSTEM, "%s cannot be locked: %s", path, strerror(errno));
    if (fd >= 0 && !held)
        close(fd);
    arena_free(&a);
    return held ? fd : others ? -1 : -2;
}

uint32_t
tune_state_begin(const struct tune_call *c, int claim)
{
    char host[64] = "", bytes[4096];
    uint32_t begun = 1;
    off_t at = 0;
    ssize_t n;
    while ((n = pread(claim, bytes, sizeof bytes, at)) > 0) {
        for (ssize_t k = 0; k < n; k++)
            begun += bytes[k] == '\n';
        at += n;
    }
    gethostname(host, sizeof host - 1);
    dprintf(claim, "begun by rank %u of %u, process %ld on %s\n", c->rank, c->ranks, (long)getpid(),
            host);
    return begun;
}
