/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep tune: every combination of macros and arguments compiled, run, verified and ranked: by
 * the model, for any device, or by time. tune.h says which file does what.
 */
#include "cli/run/program.h"
#include "cli/tune/tune.h"

#include "device/device.h"
#include "model/model.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    T_PARAM,
    T_ARG,
    T_WHERE,
    T_BY,
    T_PROFILES,
    T_DEVICE,
    T_KERNEL,
    T_RUNS,
    T_TIMEOUT,
    T_JOBS,
    T_OPTION,
    T_SAMPLE,
    T_STATE,
    T_RECORDED,
    T_CSV,
    T_COUNT
};

static const struct option_row rows[T_COUNT] = {
    [T_PARAM] = {"--param", 'P', NULL, "NAME=LIST",
                 "a macro and its values: 4,8,16 or 1..8 or 4..64*2 or 0..32+8; may be repeated"},
    [T_ARG] = {"--arg", 'A', NULL, "NAME=LIST",
               "the same for {NAME} in the program's arguments; may be repeated"},
    [T_WHERE] = {"--where", 'w', NULL, "EXPR",
                 "only combinations for which it holds: 'TILE * ROWS <= 1024'; may be repeated"},
    [T_BY] = {"--by", 0, NULL, "HOW", "time or model (model where a device is named, else time)"},
    [T_PROFILES] = {"--profiles", 0, NULL, "LIST",
                    "several devices, by name or compute capability: gt200,3.5,9.0"},
    [T_DEVICE] = {"--device", 0, "LOCKSTEP_DEVICE", "KIND",
                  "virtual (the default) or gpu: times of a real one"},
    [T_KERNEL] = {"--kernel", 'k', NULL, "TEXT", "ranks by the kernels whose name contains TEXT"},
    [T_RUNS] = {"--runs", 'r', NULL, "N", "measured runs of each combination (5)"},
    [T_TIMEOUT] = {"--timeout", 0, NULL, "S", "seconds that one run may take (60)"},
    [T_JOBS] = {"--jobs", 'j', NULL, "N", "combinations computed at once, by model (one per core)"},
    [T_OPTION] = {"--option", 'o', NULL, "OPTION", "for the compiler, for all; may be repeated"},
    [T_SAMPLE] = {"--sample", 0, "LOCKSTEP_SAMPLE", "N",
                  "by model: of large grids, count about one block in N"},
    [T_STATE] = {"--state", 's', NULL, "DIR",
                 "results are kept there: goes on where it stopped, shared by MPI ranks"},
    [T_RECORDED] = {"--recorded", 0, NULL, "FILE[@SIZE]",
                    "times recorded on a GPU: what the choice costs against the best"},
    [T_CSV] = {"--csv", 0, NULL, "FILE", "the table as CSV, to FILE or - for stdout"},
};

static const struct cli_usage usage = {
    .name = "tune",
    .synopsis = "[options] [--] PROGRAM [--] [arguments]",
    .text =
        "Compiles and runs PROGRAM for every combination of the values given, verifies each (exit\n"
        "status, and the line \"verified\" of programs that print one), and ranks them by the time "
        "of\n"
        "their kernels: modelled for any device, measured on this processor or on a real GPU.\n"
        "Combinations that cannot be used are explained. With --state DIR a sweep can be stopped "
        "and\n"
        "started again, and shared by several processes: mpirun -n 4 lockstep tune --state DIR "
        "...\n"
        "Exit status: 0, or 1 when a combination failed or gave a wrong result, 3 when none could "
        "be\n"
        "ranked.\n" CLI_COMPILES,
    .rows = rows,
    .row_count = T_COUNT,
    .compiles = true,
};

/* -- options ----------------------------------------------------------------------------------- */

static bool
take_number(const struct cli_line *l, int row, uint64_t otherwise, uint64_t most, uint32_t *out,
            struct ls_error *err)
{
    uint64_t n = otherwise;
    const char *value = l->value[row];
    if (value && (!ls_parse_u64(value, &n) || n < 1 || n > most))
        return ls_fail(err, LS_ERR_USAGE, "%s takes a number from 1 to %llu, not \"%s\"",
                       rows[row].name, (unsigned long long)most, value);
    *out = (uint32_t)n;
    return true;
}

static bool
take_numbers(struct tune_call *c, struct ls_error *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    /* Ranks on one machine share its cores: their launcher says how many there are. */
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    uint64_t here = 1;
    if (local && (!ls_parse_u64(local, &here) || !here))
        here = 1;
    uint64_t at_once = cores > 0 && (uint64_t)cores > here ? (uint64_t)cores / here : 1;
    return profile_sample(c->line->value[T_SAMPLE], &c->sample, err) &&
           take_number(c->line, T_RUNS, 5, 10000, &c->runs, err) &&
           take_number(c->line, T_TIMEOUT, 60, 1000000, &c->timeout_s, err) &&
           take_number(c->line, T_JOBS, at_once, 1024, &c->workers_at_once, err);
}

static bool
take_how(struct tune_call *c, struct ls_error *err)
{
    const struct cli_line *l = c->line;
    const char *by = l->value[T_BY], *device = l->value[T_DEVICE];
    bool named = l->common.cc || l->common.gpu || l->value[T_PROFILES];
    if (by && strcmp(by, "time") != 0 && strcmp(by, "model") != 0)
        return ls_fail(err, LS_ERR_USAGE, "--by takes time or model, not \"%s\"", by);
    if (device && strcmp(device, "gpu") != 0 && strcmp(device, "virtual") != 0)
        return ls_fail(err, LS_ERR_USAGE, "--device takes virtual or gpu, not \"%s\"", device);
    c->real = device && strcmp(device, "gpu") == 0;
    c->by = by                  ? (strcmp(by, "model") == 0 ? TUNE_BY_MODEL : TUNE_BY_TIME)
            : named && !c->real ? TUNE_BY_MODEL
                                : TUNE_BY_TIME;
    if (c->real && c->by == TUNE_BY_MODEL)
        return ls_fail(err, LS_ERR_USAGE, "--device gpu is measured: --by time");
    return true;
}

static bool
take_devices(struct tune_call *c, struct ls_error *err)
{
    const struct cli_common *common = &c->line->common;
    const char *list = c->line->value[T_PROFILES];
    suite_words names = {0};
    struct device_hint hint;
    bool fine = true;
    if (!list) {
        VEC_PUSH(&c->devices, (struct suite_device){common->cc, common->gpu, cli_device(common)});
        return true;
    }
    suite_split(c->arena, list, &names);
    for (size_t k = 0; fine && k < names.count; k++) {
        struct suite_device d = {.cc = names.at[k], .profile = model_find_cc(names.at[k])};
        if (!d.profile)
            d = (struct suite_device){.gpu = names.at[k],
                                      .profile = model_find_device(names.at[k])};
        fine = d.profile || ls_fail(err, LS_ERR_USAGE, "no device \"%s\" is known %s", names.at[k],
                                    model_device_hint(names.at[k], false, &hint));
        VEC_PUSH(&c->devices, d);
    }
    if (fine && !names.count)
        fine = ls_fail(err, LS_ERR_USAGE, "--profiles names no device");
    VEC_FREE(&names);
    return fine;
}

static bool
is_used(const struct tune_call *c, const char *name)
{
    struct arena a = {0};
    const char *text = arena_printf(&a, "{%s}", name);
    bool used = false;
    for (char **w = c->arguments; *w; w++)
        used |= strstr(*w, text) != NULL;
    arena_free(&a);
    return used;
}

static bool
take_parameters(struct tune_call *c, struct ls_error *err)
{
    bool source = ls_ends_with(c->program, ".cu") || ls_ends_with(c->program, ".cuda");
    const char *text;
    for (size_t k = 0; (text = cli_every(c->line, T_PARAM, k)); k++)
        if (!tune_take_parameter(c, text, false, err))
            return false;
    for (size_t k = 0; (text = cli_every(c->line, T_OPTION, k)); k++)
        VEC_PUSH(&c->options, text);
    for (size_t k = 0; k < c->line->compile_count; k++)
        VEC_PUSH(&c->options, c->line->compile[k]);
    if (!source && (c->parameters.count || c->options.count))
        return ls_fail(err, LS_ERR_USAGE, "%s is no .cu file: macros and options cannot be set",
                       c->program);
    for (size_t k = 0; (text = cli_every(c->line, T_ARG, k)); k++) {
        if (!tune_take_parameter(c, text, true, err))
            return false;
        if (!is_used(c, c->parameters.at[c->parameters.count - 1].name))
            return ls_fail(err, LS_ERR_USAGE, "--arg %s: no argument of the program has {%s}", text,
                           c->parameters.at[c->parameters.count - 1].name);
    }
    return c->parameters.count > 0 || ls_fail(err, LS_ERR_USAGE,
                                              "nothing to vary: give -P NAME=a,b,c (a macro) or -A "
                                              "NAME=a,b,c ({NAME} in the arguments) before %s",
                                              c->program);
}

static bool
take_jobs(struct tune_call *c, struct ls_error *err)
{
    size_t n = 0;
    while (cli_every(c->line, T_WHERE, n))
        n++;
    const char **where = ARENA_ARRAY(c->arena, const char *, n + 1);
    for (size_t k = 0; k < n; k++)
        where[k] = cli_every(c->line, T_WHERE, k);
    return tune_make_jobs(c, where, n, err);
}

static bool
take_state(struct tune_call *c, struct ls_error *err)
{
    c->folder = c->line->value[T_STATE];
    c->kept = c->folder != NULL;
    tune_ranks(&c->rank, &c->ranks);
    if (c->ranks > 1 && !c->kept)
        return ls_fail(err, LS_ERR_USAGE,
                       "%u ranks meet in a folder that all of them see: give --state DIR",
                       c->ranks);
    return tune_state_open(c, err);
}

/* -- output ------------------------------------------------------------------------------------ */

static void
write_json(const struct tune_call *c, int *status)
{
    json_t *list = tune_rows(c);
    char *text = json_dumps(list, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(list);
    if (text)
        cli_write_json(&usage, c->line->common.json, text, status);
    free(text);
}

static void
write_csv(const struct tune_call *c, int *status)
{
    const char *path = c->line->value[T_CSV];
    struct text t = {0};
    struct ls_error err = {0};
    tune_csv(c, &t);
    if (strcmp(path, "-") == 0)
        fputs(t.at, stdout);
    else if (!ls_write_file(path, t.at, t.count, &err))
        *status = cli_error(usage.name, &err);
    text_free(&t);
}

static int
show(const struct tune_call *c)
{
    const char *json = c->line->common.json, *csv = c->line->value[T_CSV];
    int status = CLI_OK;
    size_t ranked = 0, bad = 0;
    for (size_t k = 0; k < c->jobs.count; k++) {
        enum tune_status s = c->jobs.at[k].status;
        ranked += s == TUNE_OK;
        bad += s == TUNE_WRONG || s == TUNE_FAILED;
    }
    if (json)
        write_json(c, &status);
    if (csv)
        write_csv(c, &status);
    if (!cli_to_stdout(json) && !cli_to_stdout(csv))
        tune_print(c);
    else if (ranked && !c->line->common.quiet)
        tune_tell_doubts(c);
    if (status != CLI_OK)
        return status;
    status = bad ? CLI_FINDINGS : ranked ? CLI_OK : CLI_NOTHING;
    if (bad)
        cli_explain(&c->line->common, &usage, status,
                    "%zu of %zu combinations failed or gave a wrong result", bad, c->jobs.count);
    else if (!ranked)
        cli_explain(&c->line->common, &usage, status,
                    "none of the %zu combinations could be ranked", c->jobs.count);
    return status;
}

/* -- the command ------------------------------------------------------------------------------- */

static bool
prepare(struct tune_call *c, struct ls_error *err)
{
    const char *recorded = c->line->value[T_RECORDED];
    return take_how(c, err) && take_numbers(c, err) && take_devices(c, err) &&
           take_parameters(c, err) && take_jobs(c, err) && tune_state_keys(c, err) &&
           tune_macros_are_used(c, err) && (!recorded || tune_recorded(c, recorded, err)) &&
           take_state(c, err);
}

/* Notes come once, from the rank that prints. */
static bool
sweep(struct tune_call *c, struct ls_error *err)
{
    bool source = ls_ends_with(c->program, ".cu") || ls_ends_with(c->program, ".cuda");
    if (source && !c->rank && !c->line->common.quiet)
        program_note(&usage, c->line, c->program);
    return tune_sweep(c, err);
}

static int
tune(struct tune_call *c)
{
    struct ls_error err = {0};
    int status;
    if (!prepare(c, &err))
        return cli_error(usage.name, &err);
    if (c->real)
        setenv("LOCKSTEP_DEVICE", "gpu", 1); /* for the question that follows */
    if (c->real && device_count() <= 0) {
        columns_say("lockstep tune: %s\n", device_reason());
        status = CLI_NOTHING;
    } else if (!sweep(c, &err)) {
        status = cli_error(usage.name, &err);
    } else {
        status = c->rank ? CLI_OK : show(c);
    }
    tune_state_close(c);
    return status;
}

static void
release(struct tune_call *c)
{
    for (size_t k = 0; k < c->jobs.count; k++)
        json_decref(c->jobs.at[k].result);
    for (size_t k = 0; k < c->parameters.count; k++)
        VEC_FREE(&c->parameters.at[k].values);
    VEC_FREE(&c->jobs);
    VEC_FREE(&c->parameters);
    VEC_FREE(&c->devices);
    VEC_FREE(&c->options);
}

int
cli_tune(int argc, char **argv)
{
    struct cli_line line;
    int status;
    if (!cli_parse(&usage, argc, argv, &line, &status))
        return status;
    struct tune_call c = {.usage = &usage, .line = &line, .arena = &line.arena};
    c.kernel = line.value[T_KERNEL];
    if (line.word_count == 0) {
        status = cli_usage_error(&usage, "no program given");
    } else {
        c.program = line.words[0];
        c.arguments = line.words + 1;
        if (line.word_count > 1 && strcmp(c.arguments[0], "--") == 0)
            c.arguments++; /* parts our words from the program's, no more */
        status = tune(&c);
    }
    release(&c);
    cli_line_fini(&line);
    return status;
}
