/* SPDX-License-Identifier: Apache-2.0
 *
 * dap.c: see dap.h. A request is answered first; what it sets off (a run) follows the answer.
 */
#include "cli/debug/commands.h"
#include "cli/debug/dap.h"

#include "cli/cli.h"
#include "cli/run/program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- beginning --------------------------------------------------------------------------------- */

static bool
initialize(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)d, (void)a, (void)err;
    static const char *const can[] = {"supportsConfigurationDoneRequest",
                                      "supportsFunctionBreakpoints",
                                      "supportsConditionalBreakpoints",
                                      "supportsHitConditionalBreakpoints",
                                      "supportsEvaluateForHovers",
                                      "supportsStepBack",
                                      "supportsSetVariable",
                                      "supportsLogPoints",
                                      "supportsTerminateRequest",
                                      "supportsDataBreakpoints",
                                      "supportsReadMemoryRequest",
                                      "supportsWriteMemoryRequest",
                                      "supportsSetExpression",
                                      "supportsLoadedSourcesRequest",
                                      "supportsInstructionBreakpoints",
                                      "supportsExceptionInfoRequest",
                                      "supportsDisassembleRequest",
                                      "supportsSteppingGranularity"};
    *body = json_object();
    for (size_t k = 0; k < sizeof can / sizeof *can; k++)
        json_object_set_new(*body, can[k], json_true());
    json_object_set_new(*body, "exceptionBreakpointFilters", dap_filters());
    return true;
}

static void
set_environment(json_t *wish)
{
    const char *name;
    json_t *value;
    json_object_foreach (wish, name, value)
        if (json_is_string(value))
            setenv(name, json_string_value(value), 1);
        else
            unsetenv(name);
}

/* The words of a list; NULL behind them. */
static char **
words_of(struct dap *d, json_t *list, size_t before, size_t *count)
{
    char **words = ARENA_ARRAY(&d->arena, char *, before + json_array_size(list) + 1);
    *count = before;
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *one = json_string_value(json_array_get(list, k));
        if (one)
            words[(*count)++] = arena_strdup(&d->arena, one);
    }
    return words;
}

/* program: a .cu file, what `lockstep cc -G' made, or a PTX file with the options of `lockstep
 * launch' as args. compileOptions are the compiler's. */
static bool
launch(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)body;
    static char *const usual[] = {"-G", "-g", "-O0"};
    const char *word = dap_text(a, "program"), *folder = dap_text(a, "cwd");
    size_t given, count;
    if (d->launched)
        return ls_fail(err, LS_ERR_USAGE, "launch: a program is launched already");
    if (!word || !*word)
        return ls_fail(err, LS_ERR_USAGE, "launch: no program");
    if (folder && chdir(folder) != 0)
        return ls_fail(err, LS_ERR_USAGE, "launch: cwd %s cannot be entered", folder);
    set_environment(json_object_get(a, "env"));
    bool ptx = ls_ends_with(word, ".ptx");
    char **extra = words_of(d, json_object_get(a, "compileOptions"), 3, &given);
    bool compiles = ls_ends_with(word, ".cu") || ls_ends_with(word, ".cuda");
    memcpy(extra, usual, sizeof usual);
    const char *const *options = (const char *const *)extra;
    d->s.words = words_of(d, json_object_get(a, "args"), ptx ? 3 : 1, &count);
    d->s.name = d->s.words[ptx ? 2 : 0] = arena_strdup(&d->arena, word);
    if (ptx) {
        d->s.words[0] = "lockstep";
        d->s.words[1] = "launch";
    }
    d->s.path = ptx ? "/proc/self/exe"
                : compiles && given == 3
                    ? program_path(&d->arena, d->s.name, options, 3, err)
                    : program_path(&d->arena, d->s.name, options + 3, given - 3, err);
    d->stop_on_entry = json_is_true(json_object_get(a, "stopOnEntry"));
    return d->launched = d->s.path && session_read_executable(&d->s, err);
}

/* -- running ----------------------------------------------------------------------------------- */

static void
say_stop(struct dap *d)
{
    struct session *s = &d->s;
    json_t *j = json_pack("{s:s, s:b}", "reason", dap_reason(d), "allThreadsStopped", 1);
    if (s->focus.valid)
        json_object_set_new(j, "threadId", json_integer(dap_thread_id(d, &s->focus.thread)));
    else
        json_object_set_new(j, "threadId", json_integer(1));
    if (s->breaks.hit)
        json_object_set_new(j, "hitBreakpointIds", json_pack("[i]", (int)s->breaks.hit));
    json_t *text = dap_stop_text(d);
    if (text)
        json_object_set_new(j, "text", text);
    dap_event(d, "stopped", j);
}

/* What the session has said: log points, commands. */
static void
say_said(struct dap *d)
{
    char *said = dap_said(d);
    if (said && *said)
        dap_output(d, "console", said, strlen(said));
    free(said);
}

/* Once. */
static void
say_end(struct dap *d, int status)
{
    if (d->ended)
        return;
    d->ended = true;
    dap_drain(d);
    dap_event(d, "exited", json_pack("{s:i}", "exitCode", status));
    dap_event(d, "terminated", NULL);
}

/* Where a run has come to. */
static void
after_run(struct dap *d, bool fine, enum target_event event, const struct ls_error *err)
{
    say_said(d);
    dap_forget(d);
    if (!fine)
        dap_output(d, "stderr", err->text, strlen(err->text));
    if (fine && event == TARGET_STOP && dap_is_ignored(d)) {
        d->next = (struct debug_go){.how = DEBUG_GO_ON};
        d->has_next = true;
    } else if (fine ? event == TARGET_STOP : d->s.launch.stands) {
        say_stop(d); /* a request that failed leaves the launch standing where it stood */
    } else {
        say_end(d, fine ? d->s.target.exit_status : 1);
    }
}

static void
set_running(struct dap *d, bool running)
{
    pthread_mutex_lock(&d->lock);
    d->running = running;
    pthread_mutex_unlock(&d->lock);
}

static void
start(struct dap *d)
{
    enum target_event event = TARGET_EXIT;
    struct ls_error err = {0};
    set_running(d, true);
    bool fine = running_start_quiet(&d->s, d->stop_on_entry, &event, &err);
    set_running(d, false);
    after_run(d, fine, event, &err);
}

/* The thread that a request names. */
static bool
take_thread(struct dap *d, json_t *a, struct ls_error *err)
{
    json_int_t id = dap_number(a, "threadId");
    struct debug_thread t;
    if (!d->s.launch.stands)
        return ls_fail(err, LS_ERR_USAGE, "no kernel is being run");
    if (!dap_thread(d, id, &t))
        return d->s.focus.valid ||
               ls_fail(err, LS_ERR_USAGE, "there is no thread %lld", (long long)id);
    return session_focus(&d->s, &t, err);
}

/* What a request has asked for is done behind its answer. */
static bool
plan(struct dap *d, json_t *a, enum debug_how how, bool back, int over, struct ls_error *err)
{
    const char *size = dap_text(a, "granularity");
    if (!take_thread(d, a, err) && how != DEBUG_GO_ON)
        return false;
    if (d->s.target.state != TARGET_STANDS)
        return ls_fail(err, LS_ERR_USAGE, "the program is not being run");
    if (how == DEBUG_GO_STEP && size && !strcmp(size, "instruction"))
        how = DEBUG_GO_INSN;
    uint32_t depth = running_depth(&d->s);
    if (over < 0 && !depth)
        return ls_fail(err, LS_ERR_USAGE, "the outermost frame has no caller");
    d->next = running_plan(&d->s, back ? DEBUG_GO_BACK : how,
                           over > 0   ? depth
                           : over < 0 ? depth - 1
                                      : UINT32_MAX);
    d->next.back = how;
    d->has_next = true;
    return true;
}

static bool
go_on(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    struct ls_error unused;
    *body = json_pack("{s:b}", "allThreadsContinued", 1);
    if (d->s.focus.valid)
        plan(d, a, DEBUG_GO_ON, false, 0, &unused);
    d->next = (struct debug_go){.how = DEBUG_GO_ON};
    d->has_next = d->s.target.state == TARGET_STANDS;
    return d->has_next || ls_fail(err, LS_ERR_USAGE, "the program is not being run");
}

/* Defines the request that asks for this plan. */
#define PLAN(request, how, back, over)                                                             \
    static bool request(struct dap *d, json_t *a, json_t **body, struct ls_error *err)             \
    {                                                                                              \
        (void)body;                                                                                \
        return plan(d, a, how, back, over, err);                                                   \
    }
PLAN(step_over, DEBUG_GO_STEP, false, 1)
PLAN(step_in, DEBUG_GO_STEP, false, 0)
PLAN(step_out, DEBUG_GO_INSN, false, -1)
PLAN(step_back, DEBUG_GO_STEP, true, 1)
PLAN(reverse_continue, DEBUG_GO_ON, true, 0)

/* A kernel that runs was interrupted when the request came; what stands has nothing to do. */
static bool
pause_program(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)a, (void)body;
    return d->configured || ls_fail(err, LS_ERR_USAGE, "the program is not being run");
}

static bool
configuration_done(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)a, (void)body;
    if (!d->launched)
        return ls_fail(err, LS_ERR_USAGE, "configurationDone before launch");
    if (d->configured)
        return ls_fail(err, LS_ERR_USAGE, "configurationDone a second time");
    d->configured = true;
    return true;
}

static bool
terminate(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)a, (void)body, (void)err;
    target_kill(&d->s.target);
    session_forget_stop(&d->s);
    return true;
}

static bool
disconnect(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    d->over = true;
    return terminate(d, a, body, err);
}

/* Commands of the command line: they may take the program elsewhere. */
bool
dap_command(struct dap *d, const char *line, json_t **body, struct ls_error *err)
{
    struct session *s = &d->s;
    if (!d->configured)
        return ls_fail(err, LS_ERR_USAGE, "the program is not being run");
    bool stood = s->launch.stands;
    uint64_t launch = s->target.stop.launch, position = s->target.stop.position;
    struct debug_thread focus = s->focus.thread;
    set_running(d, true);
    bool fine = command_run(s, line, err);
    set_running(d, false);
    char *said = dap_said(d);
    size_t n = said ? strlen(said) : 0;
    while (n && said[n - 1] == '\n')
        n--;
    if (fine)
        *body = json_pack("{s:s%, s:i}", "result", said ? said : "", n, "variablesReference", 0);
    free(said);
    d->moved = stood != s->launch.stands || launch != s->target.stop.launch ||
               position != s->target.stop.position ||
               !session_same_thread(&focus, &s->focus.thread);
    return fine;
}

/* -- the loop ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    dap_request *answer;
} rows[] = {
#define DAP_REQUEST(name, function) {#name, function},
#include "cli/debug/dap_requests.def"
#undef DAP_REQUEST
};

static bool
answer(struct dap *d, json_t *request)
{
    const char *command = dap_text(request, "command");
    struct ls_error err = {0};
    json_t *body = NULL;
    bool fine = false, known = false;
    command = command ? command : "?";
    for (size_t k = 0; k < sizeof rows / sizeof *rows && !known; k++)
        if (!strcmp(rows[k].name, command)) {
            known = true;
            fine = rows[k].answer(d, json_object_get(request, "arguments"), &body, &err);
        }
    if (!known)
        ls_fail(&err, LS_ERR_UNSUPPORTED, "%s is not supported", command);
    json_t *m = json_pack("{s:s, s:I, s:s, s:b}", "type", "response", "request_seq",
                          json_integer_value(json_object_get(request, "seq")), "command", command,
                          "success", (int)fine);
    if (fine && body)
        json_object_set(m, "body", body);
    if (!fine)
        json_object_set_new(m, "message", json_string(err.text));
    json_decref(body);
    dap_send(d, m);
    return fine;
}

static void
take(struct dap *d, json_t *request)
{
    const char *command = dap_text(request, "command");
    bool was_configured = d->configured, fine = answer(d, request);
    if (fine && !strcmp(command, "launch"))
        dap_event(d, "initialized", NULL);
    if (fine && !strcmp(command, "terminate"))
        say_end(d, d->s.target.exited ? d->s.target.exit_status : 143);
    if (d->moved) {
        d->moved = false;
        struct ls_error none = {0};
        bool stands = d->s.target.state == TARGET_STANDS;
        after_run(d, true, stands ? TARGET_STOP : TARGET_EXIT, &none);
    }
    if (d->configured && !was_configured)
        start(d);
    while (d->has_next) {
        enum target_event event = TARGET_EXIT;
        struct ls_error err = {0};
        d->has_next = false;
        set_running(d, true);
        fine = running_quiet(&d->s, &d->next, &event, &err);
        set_running(d, false);
        after_run(d, fine, event, &err);
    }
    arena_free(&d->s.scratch);
}

int
dap_run(const struct cli_common *common, int from, int to)
{
    static struct dap d; /* a thread may still read when this returns */
    d.common = common;
    session_init(&d.s);
    if (!dap_begin(&d, from, to))
        return CLI_INTERNAL;
    d.s.device = cli_device(common);
    program_environment(common);
    for (json_t *m; !d.over && (m = dap_next(&d));) {
        const char *type = dap_text(m, "type"), *command = dap_text(m, "command");
        if (type && !strcmp(type, "request") && command)
            take(&d, m);
        else
            dap_output(&d, "stderr", "lockstep: this is no request\n", 29);
        json_decref(m);
    }
    session_fini(&d.s);
    dap_drain(&d);
    dap_forget(&d);
    VEC_FREE(&d.frames);
    VEC_FREE(&d.references);
    arena_free(&d.arena);
    return CLI_OK;
}
