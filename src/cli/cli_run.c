/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep run: a program on the virtual GPU. A .cu file is compiled first (kept in the cache).
 * The options become LOCKSTEP_* variables, which liblockstep reads inside the program; then the
 * program replaces this process, so that its exit status and its signals are its own.
 */
#include "cli/cli.h"
#include "cli/program.h"

#include <stdlib.h>
#include <string.h>
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
set_environment(const struct cli_line *line)
{
    const struct cli_common *c = &line->common;
    program_environment(c);
    if (c->json)
        setenv("LOCKSTEP_JSON", *c->json ? c->json : "-", 1);
    if (line->value[R_DEVICE])
        setenv("LOCKSTEP_DEVICE", line->value[R_DEVICE], 1);
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
        const char *path = program_path(&line.arena, line.words[0], NULL, 0, &err);
        if (!path) {
            status = cli_error(usage.name, &err);
        } else {
            set_environment(&line);
            execvp(path, line.words); /* argv[0] stays the word that was given */
            status = program_failed(&usage, line.words[0]);
        }
    }
    cli_line_fini(&line);
    return status;
}
