/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep run: a program on the virtual GPU. A .cu file is compiled first (kept in the cache).
 * The options become LOCKSTEP_* variables, which liblockstep reads inside the program; then the
 * program replaces this process, so that its exit status and its signals are its own.
 */
#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/program.h"

#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { R_DEVICE, R_COMPARE, R_TOLERANCE, R_IGNORE, R_COUNT };

static const struct option_row rows[R_COUNT] = {
    [R_DEVICE] = {"--device", 0, "LOCKSTEP_DEVICE", "KIND", "virtual (the default) or gpu: a real one"},
    [R_COMPARE] = {"--compare", 0, NULL, NULL, "runs it on both and compares what it prints and its status"},
    [R_TOLERANCE] = {"--tolerance", 0, NULL, "T", "numbers may differ by this, relatively [1e-5]"},
    [R_IGNORE] = {"--ignore", 0, NULL, "TEXT", "lines that hold TEXT are not compared (times); may be repeated"},
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

/* Whether there is a GPU, asked before the program starts: it might not look at its errors. */
static bool
gpu_is_there(const struct cli_usage *u)
{
    setenv("LOCKSTEP_DEVICE", "gpu", 1);
    if (device_count() > 0)
        return true;
    fprintf(stderr, "lockstep %s: %s\n", u->name, device_reason());
    return false;
}

static int
compare(const struct cli_line *line, const char *path)
{
    struct compare c = {.path = path, .argv = line->words, .tolerance = 1e-5};
    const char *text = line->value[R_TOLERANCE];
    if (text && (!ls_parse_f64(text, &c.tolerance) || c.tolerance < 0))
        return cli_usage_error(&usage, "--tolerance takes a number, not \"%s\"", text);
    while (c.ignored < COMPARE_IGNORED && (c.ignore[c.ignored] = cli_every(line, R_IGNORE, c.ignored)))
        c.ignored++;
    set_environment(line);
    return compare_run(&c);
}

static int
run(const struct cli_line *line, const char *path)
{
    const char *device = line->value[R_DEVICE];
    if (line->value[R_COMPARE])
        return gpu_is_there(&usage) ? compare(line, path) : CLI_NOTHING;
    if (device && !strcmp(device, "gpu") && !gpu_is_there(&usage))
        return CLI_NOTHING;
    set_environment(line);
    execvp(path, line->words); /* argv[0] stays the word that was given */
    return program_failed(&usage, line->words[0]);
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
        status = path ? run(&line, path) : cli_error(usage.name, &err);
    }
    cli_line_fini(&line);
    return status;
}
