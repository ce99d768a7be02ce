/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep run: a program on the virtual GPU. A .cu file is compiled first (kept in the cache).
 * The options become LOCKSTEP_* variables, which liblockstep reads inside the program; then the
 * program replaces this process, so that its exit status and its signals are its own.
 */
#include "cli/cli.h"

#include "cc/cc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { R_DEVICE, R_COUNT };

static const struct option_row rows[R_COUNT] = {
    [R_DEVICE] = {"--device", 0, "LOCKSTEP_DEVICE", "KIND", "virtual (the default) or gpu: a real one"},
};

static const struct cli_usage usage = {
    .name = "run",
    .synopsis = "[options] [--] PROGRAM [arguments]",
    .text = "Runs PROGRAM: a .cu file, compiled first and kept in the cache, or a program built by\n"
            "`lockstep cc`. What follows PROGRAM is for the program. The exit status is the program's.\n",
    .rows = rows,
    .row_count = R_COUNT,
};

static void
set_count(const char *name, uint32_t n)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", n);
    setenv(name, digits, 1);
}

/* Options win over the environment; where they say nothing it stays as it is. */
static void
set_environment(const struct cli_line *line)
{
    const struct cli_common *c = &line->common;
    if (c->cc)
        setenv("LOCKSTEP_CC", c->cc, 1);
    else
        unsetenv("LOCKSTEP_CC");
    if (c->gpu)
        setenv("LOCKSTEP_GPU", c->gpu, 1);
    else
        unsetenv("LOCKSTEP_GPU");
    if (c->devices)
        set_count("LOCKSTEP_DEVICES", c->devices);
    if (c->workers)
        set_count("LOCKSTEP_WORKERS", c->workers);
    if (c->json)
        setenv("LOCKSTEP_JSON", *c->json ? c->json : "-", 1);
    if (c->quiet)
        setenv("LOCKSTEP_QUIET", "1", 1);
    if (c->verbose)
        setenv("LOCKSTEP_VERBOSE", "1", 1);
    if (line->value[R_DEVICE])
        setenv("LOCKSTEP_DEVICE", line->value[R_DEVICE], 1);
}

/* The path to execute for a word that names no source file; NULL with the reason. A name without
 * a slash means the file here, else a command on the PATH, which execvp looks up. */
static const char *
program_path(struct arena *a, const char *word, struct ls_error *err)
{
    struct stat st;
    if (stat(word, &st) != 0) {
        if (errno == ENOENT && !strchr(word, '/') && !strchr(word, '.'))
            return word;
        ls_fail(err, LS_ERR_USAGE, "%s: %s", word, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
        ls_fail(err, LS_ERR_USAGE, "%s: %s, not a program", word,
                S_ISDIR(st.st_mode) ? "a folder" : "a special file");
        return NULL;
    }
    if (access(word, X_OK) != 0) {
        ls_fail(err, LS_ERR_USAGE, "%s: %s%s", word, strerror(errno),
                errno == EACCES ? " (neither a .cu file nor executable)" : "");
        return NULL;
    }
    return strchr(word, '/') ? word : arena_printf(a, "./%s", word);
}

static const char *
resolve(struct cli_line *line, struct ls_error *err)
{
    const char *word = line->words[0];
    if (ls_ends_with(word, ".ptx")) {
        ls_fail(err, LS_ERR_USAGE, "%s: PTX has no host code; run one of its kernels with "
                "`lockstep launch %s --kernel NAME`", word, word);
        return NULL;
    }
    if (ls_ends_with(word, ".cu") || ls_ends_with(word, ".cuda")) {
        enum { PATH_ROOM = 4096 };
        char *path = arena_alloc(&line->arena, PATH_ROOM);
        return cc_build(word, NULL, 0, path, PATH_ROOM, err) ? path : NULL;
    }
    return program_path(&line->arena, word, err);
}

int
cli_run(int argc, char **argv)
{
    struct cli_line line;
    struct ls_error err = {0};
    int status;
    if (!cli_parse(&usage, argc, argv, &line, &status))
        return status;
    const char *device = line.value[R_DEVICE];
    if (line.word_count == 0) {
        status = cli_usage_error(&usage, "no program given");
    } else if (device && strcmp(device, "gpu") != 0 && strcmp(device, "virtual") != 0) {
        status = cli_usage_error(&usage, "--device takes virtual or gpu, not \"%s\"", device);
    } else {
        const char *path = resolve(&line, &err);
        if (!path) {
            status = cli_error(usage.name, &err);
        } else {
            set_environment(&line);
            execvp(path, line.words); /* argv[0] stays the word that was given */
            ls_fail(&err, LS_ERR_USAGE, "%s: %s", line.words[0],
                    errno == ENOEXEC ? "not a program for this machine" : strerror(errno));
            status = cli_error(usage.name, &err);
        }
    }
    cli_line_fini(&line);
    return status;
}
