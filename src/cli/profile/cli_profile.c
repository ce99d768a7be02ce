/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep profile: runs a program with counters and shows what every access cost. The program runs
 * under the tool `profile` (device/tool.c), which writes its result as JSON; what is shown and
 * tested here is made from that.
 */
#include "cli/cli.h"
#include "cli/profile/profile_view.h"
#include "cli/run/program.h"
#include "model/model.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    P_KERNEL,
    P_LINES,
    P_SOURCE,
    P_TIMELINE,
    P_PHASES,
    P_ASSERT,
    P_BASELINE,
    P_COMPARE,
    P_HTML,
    P_SCHEDULE,
    P_CLOCK,
    P_CACHES,
    P_TRACE,
    P_MODEL,
    P_SAMPLE,
    P_COUNT
};

static const struct option_row rows[P_COUNT] = {
    [P_KERNEL] = {"--kernel", 'k', NULL, "TEXT", "only kernels whose name contains TEXT"},
    [P_LINES] = {"--lines", 'n', NULL, "N", "hot lines shown per kernel (8)"},
    [P_SOURCE] = {"--source", 's', NULL, NULL, "the source with each line's figures beside it"},
    [P_TIMELINE] = {"--timeline", 0, NULL, NULL, "which block runs on which SM, in which wave"},
    [P_PHASES] = {"--phases", 0, NULL, NULL,
                  "of small launches: which thread loads and stores what between which barriers"},
    [P_ASSERT] =
        {"--assert", 'a', NULL, "COND",
         "exit 1 unless it holds for every kernel: 'shared_load_bank_conflicts == 0', "
         "'transpose: global_store_sectors / global_store_requests <= 4'; may be repeated"},
    [P_BASELINE] = {"--baseline", 'b', NULL, "FILE", "what changed since a result saved by --json"},
    [P_COMPARE] = {"--compare", 0, NULL, "FILE",
                   "the same; with --html in the page, too: before and after"},
    [P_HTML] = {"--html", 0, NULL, "FILE", "a report as one self-contained page"},
    [P_SCHEDULE] = PROGRAM_SCHEDULE,
    [P_CLOCK] = {"--clock", 0, "LOCKSTEP_CLOCK", "KIND",
                 "the program's event times: cpu, this processor's (the default), or model, the "
                 "modelled GPU's"},
    [P_CACHES] = {"--no-caches", 0, NULL, NULL, "no simulated caches: no hit rates, no DRAM bytes"},
    [P_TRACE] = {"--trace", 0, NULL, "MIB", "memory for accesses that wait for the caches (512)"},
    [P_MODEL] = {"--model", 0, "LOCKSTEP_MODEL", "-NAME",
                 "leave a mechanism of the estimate out (several: -a,-b; docs/model.md)"},
    [P_SAMPLE] = {"--sample", 0, "LOCKSTEP_SAMPLE", "N",
                  "of large grids, count about one block in N, the others run uncounted; each "
                  "figure's error is given"},
};

static const struct cli_usage usage = {
    .name = "profile",
    .synopsis = "[options] [--] PROGRAM [arguments]",
    .text = "Runs a .cu file (compiled first, cached) or a program built by `lockstep cc` with "
            "counters:\n"
            "per kernel and source line what its accesses cost on the device that --cc or --gpu "
            "choose\n"
            "(any generation from 1.0 on), what that says, and what bounds it. Exit status: 0, or "
            "1 when\n"
            "the program fails or a condition of --assert does not hold, 3 when nothing was "
            "launched.\n" CLI_COMPILES,
    .rows = rows,
    .row_count = P_COUNT,
    .compiles = true,
};

struct profile_call {
    struct cli_line line;
    struct profile_view view;
    json_t *baseline;
    struct profile_condition *conditions;
    size_t condition_count;
    const char *options; /* the tool's */
};

static bool
take_conditions(struct profile_call *c, struct ls_error *err)
{
    size_t n = 0;
    while (cli_every(&c->line, P_ASSERT, n))
        n++;
    c->conditions = ARENA_ARRAY(&c->line.arena, struct profile_condition, n + 1);
    for (; c->condition_count < n; c->condition_count++)
        if (!condition_parse(cli_every(&c->line, P_ASSERT, c->condition_count), &c->line.arena,
                             &c->conditions[c->condition_count], err))
            return false;
    return true;
}

static bool
take_baseline(struct profile_call *c, struct ls_error *err)
{
    bool compare = c->line.value[P_COMPARE];
    const char *path = c->line.value[compare ? P_COMPARE : P_BASELINE];
    json_error_t why;
    if (!path)
        return true;
    c->baseline = json_load_file(path, 0, &why);
    if (c->baseline && json_is_array(json_object_get(c->baseline, "kernels")))
        return true;
    return ls_fail(err, LS_ERR_USAGE, "--%s %s: %s", compare ? "compare" : "baseline", path,
                   c->baseline ? "not a result of `lockstep profile --json`" : why.text);
}

static bool
take_numbers(struct profile_call *c, struct ls_error *err)
{
    const char *const *value = c->line.value;
    uint64_t trace = 512, sample;
    uint64_t without;
    c->view.lines = 8;
    if (!model_without(value[P_MODEL], &without, err))
        return false;
    if (!profile_sample(value[P_SAMPLE], &sample, err))
        return false;
    if (value[P_MODEL])
        setenv("LOCKSTEP_MODEL", value[P_MODEL], 1);
    if (value[P_LINES] && !ls_parse_u64(value[P_LINES], &c->view.lines))
        return ls_fail(err, LS_ERR_USAGE, "--lines takes a number, not \"%s\"", value[P_LINES]);
    if (value[P_TRACE] && (!ls_parse_u64(value[P_TRACE], &trace) || trace < 1 || trace > 1 << 20))
        return ls_fail(err, LS_ERR_USAGE, "--trace takes MiB from 1 to %d, not \"%s\"", 1 << 20,
                       value[P_TRACE]);
    c->options = arena_printf(&c->line.arena, "caches=%d,phases=%d,ptx=%d,sample=%llu,trace=%llu",
                              !value[P_CACHES], value[P_PHASES] != NULL, value[P_HTML] != NULL,
                              (unsigned long long)sample, (unsigned long long)trace);
    return true;
}

/* How many of the conditions do not hold for all of their kernels. */
static uint32_t
test_conditions(const struct profile_call *c)
{
    uint32_t failed = 0;
    for (size_t k = 0; k < c->condition_count; k++) {
        uint32_t tested = 0;
        struct text said = {0};
        failed += condition_test(&c->conditions[k], &c->view, &tested, &said) != 0;
        for (const char *at = said.at; at && *at; at += strcspn(at, "\n") + 1)
            columns_say("lockstep profile: %.*s\n", (int)strcspn(at, "\n"), at);
        text_free(&said);
        if (!tested) {
            columns_say("lockstep profile: --assert '%s': no such kernel was launched\n",
                        c->conditions[k].text);
            failed++;
        }
    }
    return failed;
}

static void
write_page(const struct profile_call *c, int *status)
{
    const char *path = c->line.value[P_HTML];
    struct ls_error err = {0};
    struct text page = {0};
    if (!path)
        return;
    const char *slash = strrchr(c->line.words[0], '/');
    report_profile_html(c->view.result, c->baseline,
                        arena_printf((struct arena *)&c->line.arena, "Profile of %s",
                                     slash ? slash + 1 : c->line.words[0]),
                        &page);
    if (!ls_write_file(path, page.at, page.count, &err))
        *status = cli_error(usage.name, &err);
    text_free(&page);
}

/* As JSON, kernels go by the names that people know; the linker's name is "symbol". */
static void
write_json(struct profile_call *c, int *status)
{
    struct arena a = {0};
    json_t *out = json_deep_copy(c->view.result), *kernel;
    size_t k;
    json_array_foreach (json_object_get(out, "kernels"), k, kernel) {
        const char *symbol = report_text(kernel, "name");
        json_object_set_new(kernel, "symbol", json_string(symbol));
        json_object_set_new(kernel, "name", json_string(ls_readable_name(&a, symbol)));
        json_object_set_new(kernel, "advice", report_advice_json(report_device(out), kernel));
    }
    char *text = json_dumps(out, JSON_COMPACT);
    if (text)
        cli_write_json(&usage, c->line.common.json, text, status);
    free(text);
    json_decref(out);
    arena_free(&a);
}

/* Text where JSON does not take its place on stdout. */
static int
show(struct profile_call *c, const struct program_result *r)
{
    const char *json = c->line.common.json;
    bool taken = cli_to_stdout(json);
    int status = CLI_OK;
    if (json)
        write_json(c, &status);
    write_page(c, &status);
    if (!taken && !c->line.common.quiet) {
        printf("\n");
        view_print(&c->view);
        if (c->baseline)
            view_compare(&c->view, c->baseline);
    }
    uint32_t failed = test_conditions(c);
    if (failed)
        cli_explain(&c->line.common, &usage, CLI_FINDINGS,
                    "%u of %zu conditions of --assert do%s not hold", failed, c->condition_count,
                    failed == 1 ? "es" : "");
    if (r->exit_status != 0)
        columns_say("lockstep profile: %s ended with %s %d\n", c->line.words[0],
                    r->signal ? "signal" : "exit status", r->signal ? r->signal : r->exit_status);
    if (r->exit_status != 0)
        cli_explain(&c->line.common, &usage, CLI_FINDINGS, "the program failed");
    return status != CLI_OK ? status : r->exit_status != 0 || failed ? CLI_FINDINGS : CLI_OK;
}

/* Leaves the kernels that --kernel names, for all that is shown or written. False, having said
 * which ran: none. */
static bool
keep_wanted(struct profile_call *c, json_t *result)
{
    struct arena a = {0};
    struct text ran = {0};
    json_t *kernels = json_object_get(result, "kernels");
    for (size_t k = 0; k < json_array_size(kernels);) {
        const json_t *kernel = json_array_get(kernels, k);
        const char *name = ls_readable_name(&a, report_text(kernel, "name"));
        if (view_wants(&c->view, kernel)) {
            k++;
            continue;
        }
        if (!ran.at || !strstr(ran.at, arena_printf(&a, "\n    %s\n", name)))
            text_add(&ran, "%s    %s\n", ran.at ? "" : "these were launched:\n", name);
        json_array_remove(kernels, k);
    }
    bool any = json_array_size(kernels) > 0;
    if (!any)
        fprintf(stderr, "lockstep profile: no kernel's name contains \"%s\"; %s", c->view.kernel,
                ran.at);
    text_free(&ran);
    arena_free(&a);
    return any;
}

static int
report_result(struct profile_call *c, const struct program_result *r)
{
    struct ls_error err = {0};
    json_error_t why;
    json_t *result = r->json ? json_loads(r->json, 0, &why) : NULL;
    c->view.result = result;
    int status;
    if (r->json && !result) {
        ls_fail(&err, LS_ERR_INTERNAL, "the result is not JSON: %s", why.text);
        status = cli_error(usage.name, &err);
    } else if (!result || !json_array_size(json_object_get(result, "kernels"))) {
        columns_say("lockstep profile: %s launched no kernel, and ended with exit status %d\n",
                    c->line.words[0], r->exit_status);
        columns_say("lockstep profile: exit status %d: no kernel was launched\n", CLI_NOTHING);
        status = CLI_NOTHING;
    } else if (!keep_wanted(c, result)) {
        status = CLI_NOTHING;
    } else {
        status = show(c, r);
    }
    json_decref(result);
    return status;
}

static int
profile_program(struct profile_call *c)
{
    struct ls_error err = {0};
    struct program_result r;
    int status;
    const char *const *value = c->line.value;
    c->view.kernel = value[P_KERNEL];
    c->view.source = value[P_SOURCE];
    c->view.timeline = value[P_TIMELINE];
    c->view.phases = value[P_PHASES];
    c->view.counters = c->line.common.verbose;
    c->view.hot = c->view.counters || value[P_LINES];
    if (c->line.word_count == 0)
        return cli_usage_error(&usage, "no program given");
    if (!program_clock_is(value[P_CLOCK]))
        return cli_usage_error(&usage, "--clock takes cpu or model, not \"%s\"", value[P_CLOCK]);
    if (value[P_CLOCK])
        setenv("LOCKSTEP_CLOCK", value[P_CLOCK], 1);
    if (!program_schedule(value[P_SCHEDULE], &err))
        return cli_usage_error(&usage, "--schedule: %s", err.text);
    if (!take_numbers(c, &err) || !take_conditions(c, &err) || !take_baseline(c, &err))
        return cli_error(usage.name, &err);
    if (!program_watch(&usage, &c->line, "profile", c->options, &r, &status))
        return status;
    status = report_result(c, &r);
    ls_release(r.json);
    return status;
}

int
cli_profile(int argc, char **argv)
{
    struct profile_call c = {0};
    int status;
    if (!cli_parse(&usage, argc, argv, &c.line, &status))
        return status;
    status = profile_program(&c);
    json_decref(c.baseline);
    cli_line_fini(&c.line);
    return status;
}
