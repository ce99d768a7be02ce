/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep check: runs a program under all checks and shows what they found. The program runs under
 * the tool `check` (device/tool.c), which writes its findings as JSON. compute-sanitizer's options
 * are taken too: those that have a meaning here keep it, the others are accepted and say so with
 * -v.
 */
#include "cli/check/check_explore.h"
#include "cli/check/check_view.h"
#include "cli/cli.h"
#include "cli/run/program.h"

#include "check/check.h"
#include "report/ci.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    C_ONLY,
    C_KERNEL,
    C_SKIP,
    C_COUNT,
    C_SUPPRESSIONS,
    C_GENERATE,
    C_LIMIT,
    C_LEVEL,
    C_EXIT,
    C_SCHEDULE,
    C_EXPLORE,
    C_DEBUG,
    C_LOG,
    C_HTML,
    C_SARIF,
    C_JUNIT,
    C_GITHUB,
    C_SHADOW,
    C_TOOL,
    C_LEAK,
    C_KERNEL_NAME,
    C_KERNEL_REGEX,
    C_API,
    C_RACE_REPORT,
    C_FIRST_IGNORED,
    C_BACKTRACE = C_FIRST_IGNORED,
    C_CHECK_API,
    C_UNUSED,
    C_TARGETS,
    C_DESTROY,
    C_OPTIMIZATION,
    C_PADDING,
    C_INIT,
    C_DEMANGLE,
    C_HEAP,
    C_PATHS,
    C_SESSION,
    C_CALLERS_DEVICE,
    C_CALLERS_HOST,
    C_EXIT_CODE,
    C_TIMEOUT,
    C_KILL,
    C_CORE,
    C_ROWS
};

static const struct option_row rows[C_ROWS] = {
    [C_ONLY] = {"--only", 0, NULL, "KINDS", "some of race,bounds,init,sync,leak,api (all)"},
    [C_KERNEL] = {"--kernel", 'k', NULL, "TEXT", "only kernels whose name contains TEXT"},
    [C_SKIP] = {"--launch-skip", 0, NULL, "N", "the first N launches are not checked"},
    [C_COUNT] = {"--launch-count", 0, NULL, "N", "at most N launches are checked"},
    [C_SUPPRESSIONS] = {"--suppressions", 0, NULL, "FILE", "findings that are not reported"},
    [C_GENERATE] = {"--gen-suppressions", 0, NULL, NULL,
                    "a block for that file behind each finding"},
    [C_LIMIT] = {"--print-limit", 0, NULL, "N", "findings shown (100)"},
    [C_LEVEL] = {"--print-level", 0, NULL, "LEVEL", "info, warning (the default) or error"},
    [C_EXIT] = {"--error-exitcode", 0, NULL, "N", "exit status when anything is found (1)"},
    [C_SCHEDULE] = PROGRAM_SCHEDULE,
    [C_EXPLORE] = {"--explore", 0, NULL, "N",
                   "runs it in N schedules (gpu, adversarial, random:1, ...): what differs is a "
                   "finding, too"},
    [C_DEBUG] = {"--debug", 0, NULL, "N",
                 "then opens finding N (from 1, as they are shown) in the debugger, at its second "
                 "access"},
    [C_LOG] = {"--log-file", 0, NULL, "FILE", "the report goes there"},
    [C_HTML] = {"--html", 0, NULL, "FILE", "a report as one self-contained page"},
    [C_SARIF] = {"--sarif", 0, NULL, "FILE", "the findings as SARIF 2.1.0, for code scanning"},
    [C_JUNIT] = {"--junit", 0, NULL, "FILE", "the findings as JUnit's XML, for test reports"},
    [C_GITHUB] = {"--github", 0, NULL, NULL,
                  "and as annotations of GitHub Actions (::error file=...)"},
    [C_SHADOW] = {"--shadow-memory", 0, NULL, "MIB",
                  "most for shadow memory (a quarter of the host's)"},
    [C_TOOL] = {"--tool", 0, NULL, "NAME", "memcheck, racecheck, initcheck, synccheck: see --only"},
    [C_LEAK] = {"--leak-check", 0, NULL, "HOW", "full (the default) or no"},
    [C_KERNEL_NAME] = {"--kernel-name", 0, NULL, "FILTER",
                       "kernel_name=NAME, kernel_substring=TEXT"},
    [C_KERNEL_REGEX] = {"--kernel-regex", 0, NULL, "FILTER", "kns=TEXT: as --kernel"},
    [C_API] = {"--report-api-errors", 0, NULL, "HOW", "no: calls' errors are not reported"},
    [C_RACE_REPORT] = {"--racecheck-report", 0, NULL, "HOW", "accepted"},
    [C_BACKTRACE] = {"--show-backtrace", 0, NULL, "HOW", "accepted"},
    [C_CHECK_API] = {"--check-api-memory-access", 0, NULL, "HOW", "accepted"},
    [C_UNUSED] = {"--track-unused-memory", 0, NULL, "[HOW]", "accepted"},
    [C_TARGETS] = {"--target-processes", 0, NULL, "WHICH", "accepted"},
    [C_DESTROY] = {"--destroy-on-device-error", 0, NULL, "WHAT", "accepted"},
    [C_OPTIMIZATION] = {"--force-blocking-launches", 0, NULL, "[HOW]", "accepted"},
    [C_PADDING] = {"--padding", 0, NULL, "BYTES", "accepted: neighbours are told apart without it"},
    [C_INIT] = {"--require-cuda-init", 0, NULL, "HOW", "accepted"},
    [C_DEMANGLE] = {"--demangle", 0, NULL, "HOW", "accepted"},
    [C_HEAP] = {"--check-device-heap", 0, NULL, "HOW", "accepted"},
    [C_PATHS] = {"--strip-paths", 0, NULL, "HOW", "accepted"},
    [C_SESSION] = {"--print-session-details", 0, NULL, "HOW", "accepted"},
    [C_CALLERS_DEVICE] = {"--num-callers-device", 0, NULL, "N", "accepted"},
    [C_CALLERS_HOST] = {"--num-callers-host", 0, NULL, "N", "accepted"},
    [C_EXIT_CODE] = {"--check-exit-code", 0, NULL, "HOW", "accepted"},
    [C_TIMEOUT] = {"--launch-timeout", 0, NULL, "SECONDS", "accepted"},
    [C_KILL] = {"--kill", 0, NULL, "HOW", "accepted"},
    [C_CORE] = {"--generate-coredump", 0, NULL, "HOW", "accepted"},
};

static const struct cli_usage usage = {
    .name = "check",
    .synopsis = "[options] [--] PROGRAM [arguments]",
    .text = "Runs a .cu file (compiled first, cached) or a program built by `lockstep cc` under "
            "all checks:\n"
            "races, bounds, uninitialized reads, barriers, leaks, calls that failed. Exit status: "
            "0 when\n"
            "nothing is found, 1 when anything is (or the program fails), 3 when nothing was "
            "checked.\n" CLI_COMPILES,
    .rows = rows,
    .row_count = C_ROWS,
    .compiles = true,
};

struct check_call {
    struct cli_line line;
    struct check_view view;
    struct suppressions suppressions;
    const char *options, *only;
    uint64_t schedules; /* --explore; 0: one run */
    uint64_t debug;     /* --debug; 0: no */
    int exit_found;
};

/* -- options ----------------------------------------------------------------------------------- */

/* "kernel_substring=abc", "kns=abc": abc. */
static const char *
filter_text(const char *filter)
{
    const char *equals = filter ? strchr(filter, '=') : NULL;
    return equals ? equals + 1 : filter;
}

static bool
take_tool(struct check_call *c, const char **only, struct ls_error *err)
{
    static const struct {
        const char *tool, *only;
    } tools[] = {{"memcheck", "bounds,api"},
                 {"racecheck", "race"},
                 {"initcheck", "init"},
                 {"synccheck", "sync"}};
    const char *tool = c->line.value[C_TOOL], *leak = c->line.value[C_LEAK];
    const char *api = c->line.value[C_API];
    if (leak && strcmp(leak, "full") && strcmp(leak, "no"))
        return ls_fail(err, LS_ERR_USAGE, "--leak-check takes full or no, not \"%s\"", leak);
    bool leaks = !leak || !strcmp(leak, "full"), errors = !api || strcmp(api, "no") != 0;
    if (!tool) {
        if (!*only && (!leaks || !errors))
            *only = arena_printf(&c->line.arena, "race,bounds,init,sync%s%s", leaks ? ",leak" : "",
                                 errors ? ",api" : "");
        return true;
    }
    for (size_t k = 0; k < sizeof tools / sizeof *tools; k++)
        if (!strcmp(tools[k].tool, tool)) {
            c->view.races = !strcmp(tool, "racecheck");
            *only = arena_printf(&c->line.arena, "%s%s", tools[k].only,
                                 !k && leak && leaks ? ",leak" : "");
            return true;
        }
    return ls_fail(err, LS_ERR_USAGE,
                   "--tool takes memcheck, racecheck, initcheck or synccheck, not \"%s\"", tool);
}

static bool
take_number(const struct check_call *c, int row, uint64_t most, uint64_t *out, struct ls_error *err)
{
    const char *value = c->line.value[row];
    if (!value || (ls_parse_u64(value, out) && *out <= most))
        return true;
    return ls_fail(err, LS_ERR_USAGE, "%s takes a number up to %llu, not \"%s\"", rows[row].name,
                   (unsigned long long)most, value);
}

static bool
take_options(struct check_call *c, struct ls_error *err)
{
    const char *const *value = c->line.value;
    const char *only = value[C_ONLY], *level = value[C_LEVEL], *kernel = value[C_KERNEL];
    uint64_t skip = 0, count = 0, shadow = 0, status = CLI_FINDINGS;
    struct text t = {0};
    c->view.limit = 100;
    if (!program_schedule(value[C_SCHEDULE], err) || !take_tool(c, &only, err) ||
        !take_number(c, C_SKIP, UINT32_MAX, &skip, err) ||
        !take_number(c, C_COUNT, UINT32_MAX, &count, err) ||
        !take_number(c, C_SHADOW, 1 << 24, &shadow, err) ||
        !take_number(c, C_LIMIT, UINT32_MAX, &c->view.limit, err) ||
        !take_number(c, C_EXPLORE, 1 << 20, &c->schedules, err) ||
        !take_number(c, C_DEBUG, UINT32_MAX, &c->debug, err) ||
        !take_number(c, C_EXIT, 255, &status, err))
        return false;
    if (level && strcmp(level, "info") && strcmp(level, "warning") && strcmp(level, "error"))
        return ls_fail(err, LS_ERR_USAGE, "--print-level takes info, warning or error, not \"%s\"",
                       level);
    uint32_t groups;
    if (only && !check_parse_groups(only, &groups, err))
        return ls_fail(err, LS_ERR_USAGE, "--only %s: %s", only,
                       arena_strdup(&c->line.arena, err->text));
    c->view.only_errors = level && !strcmp(level, "error");
    c->view.blocks = value[C_GENERATE] != NULL;
    c->exit_found = (int)status;
    kernel = kernel ? kernel : filter_text(value[C_KERNEL_NAME]);
    kernel = kernel ? kernel : filter_text(value[C_KERNEL_REGEX]);
    if (kernel && strchr(kernel, ';'))
        return ls_fail(err, LS_ERR_USAGE, "no kernel is named \"%s\"", kernel);
    text_add(&t, "skip=%llu;count=%llu", (unsigned long long)skip, (unsigned long long)count);
    if (only)
        text_add(&t, ";only=%s", only);
    if (kernel)
        text_add(&t, ";kernel=%s", kernel);
    if (shadow)
        text_add(&t, ";memory=%llu", (unsigned long long)shadow);
    c->options = arena_strdup(&c->line.arena, t.at);
    text_free(&t);
    for (int k = C_FIRST_IGNORED; c->line.common.verbose && k < C_ROWS; k++)
        if (value[k])
            columns_say("lockstep check: %s has no effect here\n", rows[k].name);
    for (int k = C_SARIF; k <= C_JUNIT; k++)
        if (value[k] && cli_to_stdout(value[k]))
            return ls_fail(err, LS_ERR_USAGE, "%s takes the name of a file, not \"%s\"",
                           rows[k].name, value[k]);
    c->only = only;
    if (value[C_DEBUG] && (!c->debug || c->schedules))
        return ls_fail(err, LS_ERR_USAGE, "--debug takes a number from 1 on, and no --explore");
    if (c->schedules && value[C_SCHEDULE])
        return ls_fail(err, LS_ERR_USAGE,
                       "--explore chooses schedules itself: no --schedule beside it");
    return !value[C_SUPPRESSIONS] ||
           suppressions_read(&c->suppressions, value[C_SUPPRESSIONS], err);
}

/* -- the result -------------------------------------------------------------------------------- */

static void
write_page(const struct check_call *c, int *status)
{
    const char *path = c->line.value[C_HTML], *slash = strrchr(c->line.words[0], '/');
    struct ls_error err = {0};
    struct text page = {0};
    char title[300];
    if (!path)
        return;
    snprintf(title, sizeof title, "Findings in %.200s", slash ? slash + 1 : c->line.words[0]);
    report_check_html(c->view.result, title, &page);
    if (!ls_write_file(path, page.at, page.count, &err))
        *status = cli_error(usage.name, &err);
    text_free(&page);
}

/* The command's status; for one that is not 0 the reason, for the last line of the report. */
static int
exit_status(struct check_call *c, const struct program_result *r)
{
    json_t *summary = json_object_get(c->view.result, "summary");
    long long errors = json_integer_value(json_object_get(summary, "errors"));
    long long warnings = json_integer_value(json_object_get(summary, "warnings"));
    struct text why = {0};
    int status = r->exit_status != 0 ? CLI_FINDINGS : CLI_OK;
    if (errors)
        text_add(&why, "%lld error%s", errors, errors == 1 ? "" : "s");
    if (warnings)
        text_add(&why, "%s%lld warning%s", errors ? ", " : "", warnings, warnings == 1 ? "" : "s");
    if (r->exit_status != 0)
        text_add(&why, "%sthe program ended with %s %d", why.count ? "; " : "",
                 r->signal ? "signal" : "exit status", r->signal ? r->signal : r->exit_status);
    if (errors || warnings) {
        status = c->exit_found;
    } else if (json_integer_value(json_object_get(summary, "launches_checked")) == 0) {
        status = CLI_NOTHING;
        text_add(&why, "%sno kernel was launched that was to be checked", why.count ? "; " : "");
    }
    c->view.exit_status = status;
    c->view.exit_reason = arena_strdup(&c->line.arena, why.count ? why.at : "");
    text_free(&why);
    return status;
}

static int
show(struct check_call *c, const struct program_result *r)
{
    const char *json = c->line.common.json, *log = c->line.value[C_LOG];
    bool taken = cli_to_stdout(json);
    int status = CLI_OK;
    suppressions_apply(&c->suppressions, c->view.result);
    int judged = exit_status(c, r);
    if (json) {
        char *text = json_dumps(c->view.result, JSON_INDENT(1));
        cli_write_json(&usage, json, text, &status);
        free(text);
    }
    write_page(c, &status);
    FILE *out = log ? fopen(log, "w") : stdout;
    if (!out) {
        columns_say("lockstep check: %s: %s\n", log, strerror(errno));
        return CLI_USAGE;
    }
    if (log)
        check_view_print(&c->view, out);
    else if (!taken && !c->line.common.quiet)
        check_view_show(&c->view);
    if (log)
        fclose(out);
    if (r->exit_status != 0)
        columns_say("lockstep check: %s ended with %s %d\n", c->line.words[0],
                    r->signal ? "signal" : "exit status", r->signal ? r->signal : r->exit_status);
    if (status == CLI_OK && judged == CLI_NOTHING)
        columns_say("lockstep check: %s launched no kernel that was to be checked\n",
                    c->line.words[0]);
    return status != CLI_OK ? status : judged;
}

/* -- for continuous integration ---------------------------------------------------------------- */

static bool
write_file(const char *path, const char *text, int *status)
{
    struct ls_error err = {0};
    bool fine = !path || ls_write_file(path, text, strlen(text), &err);
    if (!fine)
        *status = cli_error(usage.name, &err);
    return fine;
}

/* --sarif, --junit, --github: written whatever came of the run; `status` is what the command ends
 * with. Annotations go where --json on stdout leaves room. */
static int
write_for_ci(const struct check_call *c, const struct program_result *r, int status)
{
    const char *const *value = c->line.value;
    struct ci_run run = {.result = c->view.result,
                         .version = LOCKSTEP_VERSION,
                         .program = c->line.words[0],
                         .only = c->only,
                         .exit_status = status,
                         .program_status = r->exit_status,
                         .seconds = r->seconds};
    if (value[C_SARIF]) {
        json_t *log = ci_sarif(&run);
        char *text = json_dumps(log, JSON_INDENT(1));
        write_file(value[C_SARIF], text ? text : "", &status);
        free(text);
        json_decref(log);
    }
    struct text t = {0};
    if (value[C_JUNIT]) {
        ci_junit(&run, &t);
        write_file(value[C_JUNIT], t.at, &status);
        text_free(&t);
    }
    if (value[C_GITHUB]) {
        ci_github(&run, &t);
        fputs(t.at ? t.at : "", cli_to_stdout(c->line.common.json) ? stderr : stdout);
        text_free(&t);
    }
    return status;
}

/* -- into the debugger ------------------------------------------------------------------------- */

/* " t.cu:12" of a kernel's side, as `lockstep debug --finding' takes it. */
static void
add_place(const json_t *side, struct text *out)
{
    const char *file = json_string_value(json_object_get(side, "file"));
    const char *slash = file ? strrchr(file, '/') : NULL;
    file = slash ? slash + 1 : file;
    if (file && !strchr(file, ' '))
        text_add(out, " %s:%lld", file,
                 (long long)json_integer_value(json_object_get(side, "line")));
}

/* By what it is, since the debugger's own build of a .cu file may have others, too; returns only on
 * failure. */
static int
open_finding(struct check_call *c, const json_t *f)
{
    struct cli_line *l = &c->line;
    struct text which = {0};
    const char **words = ARENA_ARRAY(&l->arena, const char *, l->compile_count + l->word_count + 8);
    size_t n = 0;
    text_add(&which, "%s", json_string_value(json_object_get(f, "kind")));
    add_place(json_object_get(f, "access"), &which);
    add_place(json_object_get(f, "other"), &which);
    words[n++] = "lockstep";
    words[n++] = "debug";
    for (size_t k = 0; k < l->compile_options; k++)
        words[n++] = l->compile[k];
    words[n++] = "--finding";
    words[n++] = which.at;
    if (l->parted)
        words[n++] = "--";
    words[n++] = l->words[0];
    for (size_t k = l->compile_options; k < l->compile_count; k++)
        words[n++] = l->compile[k];
    for (int k = 1; k < l->word_count; k++)
        words[n++] = l->words[k];
    words[n] = NULL;
    fflush(NULL);
    execv("/proc/self/exe", (char **)words);
    text_free(&which);
    return program_failed(&usage, "lockstep debug");
}

/* The finding of that number is shown, and the debugger follows. */
static int
debug_finding(struct check_call *c)
{
    struct ls_error err = {0};
    suppressions_apply(&c->suppressions, c->view.result);
    json_t *f = check_view_finding(&c->view, c->debug);
    const json_t *access = json_object_get(f, "access");
    if (!f) {
        ls_fail(&err, LS_ERR_USAGE, "--debug %llu: there is no such finding",
                (unsigned long long)c->debug);
        return cli_error(usage.name, &err);
    }
    check_view_print_finding(&c->view, f, stdout);
    if (json_object_get(access, "launch_number"))
        return open_finding(c, f);
    const char *where = json_string_value(json_object_get(access, "kernel"));
    ls_fail(&err, LS_ERR_USAGE, "--debug %llu: this is a finding of %s, not of an instruction",
            (unsigned long long)c->debug, where ? where : "host code");
    return cli_error(usage.name, &err);
}

static int
report_result(struct check_call *c, const struct program_result *r)
{
    struct ls_error err = {0};
    json_error_t why;
    c->view.result = r->json ? json_loads(r->json, 0, &why) : NULL;
    if (r->json && !c->view.result) {
        ls_fail(&err, LS_ERR_INTERNAL, "the result is not JSON: %s", why.text);
        return cli_error(usage.name, &err);
    }
    if (!r->json) {
        columns_say("lockstep check: %s used no device, and ended with exit status %d\n",
                    c->line.words[0], r->exit_status);
        columns_say("lockstep check: exit status %d: nothing was checked\n", CLI_NOTHING);
        return write_for_ci(c, r, CLI_NOTHING);
    }
    int status = c->debug ? debug_finding(c) : write_for_ci(c, r, show(c, r));
    json_decref(c->view.result);
    return status;
}

/* compute-sanitizer takes these with and without a word behind: "--track-unused-memory yes". */
static int
join_answers(int argc, char **argv)
{
    static char joined[2][40];
    int n = 0, used = 0;
    for (int k = 0; k < argc; k++) {
        const char *option = argv[k];
        bool asks =
            !strcmp(option, rows[C_UNUSED].name) || !strcmp(option, rows[C_OPTIMIZATION].name);
        bool answered = asks && k + 1 < argc && used < 2 &&
                        (!strcmp(argv[k + 1], "yes") || !strcmp(argv[k + 1], "no"));
        if (!strcmp(option, "--"))
            used = 2; /* what follows is the program's */
        argv[n++] = argv[k];
        if (answered) {
            snprintf(joined[used], sizeof joined[used], "%s=%s", option, argv[++k]);
            argv[n - 1] = joined[used++];
        }
    }
    return n;
}

int
cli_check(int argc, char **argv)
{
    struct check_call c = {0};
    struct program_result r;
    struct ls_error err = {0};
    int status;
    if (!cli_parse(&usage, join_answers(argc, argv), argv, &c.line, &status))
        return status;
    if (c.line.word_count == 0) {
        status = cli_usage_error(&usage, "no program given");
    } else if (!take_options(&c, &err)) {
        status = cli_usage_error(&usage, "%s", err.text);
    } else if (c.schedules ? check_explore(&usage, &c.line, c.options, c.schedules, &r, &status)
                           : program_watch(&usage, &c.line, "check", c.options, &r, &status)) {
        status = report_result(&c, &r);
        ls_release(r.json);
    }
    suppressions_free(&c.suppressions);
    cli_line_fini(&c.line);
    return status;
}
