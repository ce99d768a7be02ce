/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep run: a program on the virtual GPU. A .cu file is compiled first (kept in the cache).
 * The options become LOCKSTEP_* variables, which liblockstep reads inside the program; then the
 * program replaces this process, so that its exit status and its signals are its own. With --json
 * it is waited for.
 */
#include "cli/cli.h"
#include "cli/run/compare.h"
#include "cli/devices/model_cli.h"
#include "cli/run/program.h"

#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { R_DEVICE, R_CLOCK, R_SCHEDULE, R_COMPARE, R_TOLERANCE, R_IGNORE, R_COUNT };

static const struct option_row rows[R_COUNT] = {
    [R_DEVICE] = {"--device", 0, "LOCKSTEP_DEVICE", "KIND",
                  "virtual (the default) or gpu: a real one"},
    [R_CLOCK] = {"--clock", 0, "LOCKSTEP_CLOCK", "KIND",
                 "event times: cpu, this processor's (the default), or model, the modelled GPU's"},
    [R_SCHEDULE] = PROGRAM_SCHEDULE,
    [R_COMPARE] = {"--compare", 0, NULL, NULL,
                   "runs it on both and compares what it prints and its status"},
    [R_TOLERANCE] = {"--tolerance", 0, NULL, "T", "numbers may differ by this, relatively [1e-5]"},
    [R_IGNORE] = {"--ignore", 0, NULL, "TEXT",
                  "lines that hold TEXT are not compared (times); may be repeated"},
};

static const struct cli_usage usage = {
    .name = "run",
    .synopsis = "[options] [--] PROGRAM [arguments]",
    .text =
        "Runs PROGRAM: a .cu file, compiled first and kept in the cache, or a program built by\n"
        "`lockstep cc`. What follows PROGRAM is for the program. The exit status is the "
        "program's.\n"
        "Launches and calls that fail say why on stderr, once for each place in the program; with "
        "-q\n"
        "launches and kernels alone.\n"
        "--json: device, exit status and time; where that goes to stdout, what the program prints\n"
        "goes to stderr.\n" CLI_COMPILES,
    .rows = rows,
    .row_count = R_COUNT,
    .compiles = true,
};

static void
set_environment(const struct cli_line *line)
{
    const struct cli_common *c = &line->common;
    program_environment(c);
    if (line->value[R_DEVICE])
        setenv("LOCKSTEP_DEVICE", line->value[R_DEVICE], 1);
    if (line->value[R_CLOCK])
        setenv("LOCKSTEP_CLOCK", line->value[R_CLOCK], 1);
}

/* Whether there is a GPU, asked before the program starts: it might not look at its errors. */
static bool
gpu_is_there(const struct cli_usage *u)
{
    setenv("LOCKSTEP_DEVICE", "gpu", 1);
    if (device_count() > 0)
        return true;
    columns_say("lockstep %s: %s\n", u->name, device_reason());
    return false;
}

/* The end of a run with --json; takes `result`. */
static int
report(const struct cli_line *line, json_t *result, int status)
{
    struct device *d = device_at(0);
    json_t *all =
        json_pack("{s:i, s:o, s:s}", "version", 1, "device",
                  d ? device_json(device_profile(d)) : json_null(), "program", line->words[0]);
    json_object_update(all, result);
    char *text = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    cli_write_json(&usage, line->common.json, text, &status);
    free(text);
    json_decref(result);
    json_decref(all);
    return status;
}

static int
compare(const struct cli_line *line, const char *path)
{
    const char *json = line->common.json;
    struct compared r;
    struct compare c = {.path = path, .argv = line->words, .tolerance = 1e-5};
    const char *text = line->value[R_TOLERANCE];
    if (text && (!ls_parse_f64(text, &c.tolerance) || c.tolerance < 0))
        return cli_usage_error(&usage, "--tolerance takes a number, not \"%s\"", text);
    while (c.ignored < COMPARE_IGNORED &&
           (c.ignore[c.ignored] = cli_every(line, R_IGNORE, c.ignored)))
        c.ignored++;
    set_environment(line);
    int status = compare_run(&c, cli_to_stdout(json) ? stderr : stdout, &r);
    if (!json)
        return status;
    return report(line,
                  json_pack("{s:b, s:i, s:i, s:f, s:[i, i]}", "same", status == CLI_OK, "lines",
                            (int)r.lines, "different", (int)r.different, "tolerance", c.tolerance,
                            "exit_status", r.exit_status[0], r.exit_status[1]),
                  status);
}

/* For --json the program is waited for; else it replaces this process. */
static int
run_and_report(struct cli_line *line)
{
    struct program_result r;
    int status;
    if (!program_watch(&usage, line, NULL, NULL, &r, &status))
        return status;
    json_t *result = json_pack("{s:i, s:i, s:f}", "exit_status", r.exit_status, "signal", r.signal,
                               "milliseconds", 1e3 * r.seconds);
    return report(line, result, r.exit_status);
}

static int
run(struct cli_line *line, const char *path)
{
    const char *device = line->value[R_DEVICE];
    if (line->value[R_COMPARE])
        return gpu_is_there(&usage) ? compare(line, path) : CLI_NOTHING;
    if (device && !strcmp(device, "gpu") && !gpu_is_there(&usage))
        return CLI_NOTHING;
    set_environment(line);
    if (line->common.json)
        return run_and_report(line);
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
    } else if (!program_clock_is(line.value[R_CLOCK])) {
        status =
            cli_usage_error(&usage, "--clock takes cpu or model, not \"%s\"", line.value[R_CLOCK]);
    } else if (!program_schedule(line.value[R_SCHEDULE], &err)) {
        status = cli_usage_error(&usage, "--schedule: %s", err.text);
    } else {
        const char *path = program_of_line(&usage, &line, &err);
        status = path ? run(&line, path) : cli_error(usage.name, &err);
    }
    cli_line_fini(&line);
    return status;
}
