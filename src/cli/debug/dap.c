/* SPDX-License-Identifier: Apache-2.0
 *
 * dap.c: see dap.h. A request is answered first; what it sets off (a run) follows the answer.
 */
#include "cli/debug/dap.h"

#include "cli/cli.h"
#include "cli/run/program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *
text_of(json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static char *
copied(const char *text)
{
    return text && *text ? strcpy(ls_alloc(strlen(text) + 1), text) : NULL;
}

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
                                      "supportsDisassembleRequest",
                                      "supportsSteppingGranularity"};
    *body = json_object();
    for (size_t k = 0; k < sizeof can / sizeof *can; k++)
        json_object_set_new(*body, can[k], json_true());
    return true;
}

/* program: a .cu file or what `lockstep cc -G` made; compileOptions are the compiler's. */
static bool
launch(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)body;
    const char *word = text_of(a, "program"), *folder = text_of(a, "cwd");
    json_t *list = json_object_get(a, "args"), *options = json_object_get(a, "compileOptions");
    if (!word)
        return ls_fail(err, LS_ERR_USAGE, "launch: no program");
    if (folder && chdir(folder) != 0)
        return ls_fail(err, LS_ERR_USAGE, "launch: cwd %s cannot be entered", folder);
    const char *usual[] = {"-G", "-g", "-O0"};
    size_t given = json_array_size(options), n = 0;
    const char **extra = ARENA_ARRAY(&d->arena, const char *, given + 4);
    bool compiles = ls_ends_with(word, ".cu");
    for (size_t k = 0; compiles && !given && k < 3; k++)
        extra[n++] = usual[k];
    for (size_t k = 0; k < given; k++)
        if (json_is_string(json_array_get(options, k)))
            extra[n++] = arena_strdup(&d->arena, json_string_value(json_array_get(options, k)));
    d->s.name = arena_strdup(&d->arena, word);
    d->s.path = program_path(&d->arena, d->s.name, extra, n, err);
    d->s.words = ARENA_ARRAY(&d->arena, char *, json_array_size(list) + 2);
    d->s.words[0] = arena_strdup(&d->arena, word);
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *one = json_string_value(json_array_get(list, k));
        d->s.words[k + 1] = arena_strdup(&d->arena, one ? one : "");
    }
    d->stop_on_entry = json_is_true(json_object_get(a, "stopOnEntry"));
    return d->s.path && session_read_executable(&d->s, err);
}

/* -- stops ------------------------------------------------------------------------------------- */

static json_t *
breakpoint_json(struct dap *d, const struct breakpoint *b, const struct ls_error *why)
{
    const char *file;
    uint32_t line;
    json_t *j =
        json_pack("{s:i, s:b}", "id", (int)b->number, "verified", b->at.count > 0 || b->armed);
    if (why && why->text[0])
        json_object_set_new(j, "message", json_string(why->text));
    if (b->at.count && symbols_place_line(d->s.modules.at[b->at.at[0].module].symbols,
                                          b->at.at[0].place, &file, &line)) {
        json_object_set_new(j, "line", json_integer(line));
        json_object_set_new(j, "source",
                            json_pack("{s:s, s:s}", "name", source_base(file), "path", file));
    }
    return j;
}

static json_t *
add_breakpoint(struct dap *d, const char *spec, json_t *wish)
{
    struct ls_error why = {0};
    struct place_list found = {0};
    struct breakpoint *b = breakpoints_add(&d->s, BREAKPOINT, spec);
    uint64_t count;
    const char *hits = text_of(wish, "hitCondition");
    if (breakpoints_find(&d->s, spec, &found, &why))
        for (size_t k = 0; k < found.count; k++)
            VEC_PUSH(&b->at, found.at[k]);
    VEC_FREE(&found);
    b->condition = copied(text_of(wish, "condition"));
    b->log = copied(text_of(wish, "logMessage"));
    if (hits && ls_parse_u64(hits, &count) && count)
        b->ignore = count - 1;
    return breakpoint_json(d, b, &why);
}

/* Those of a kind that were set before go: lists are whole. */
static void
drop(struct dap *d, bool (*is_of)(const struct breakpoint *b, const char *what), const char *what)
{
    for (size_t k = d->s.breakpoints.count; k-- > 0;)
        if (is_of(d->s.breakpoints.at[k], what))
            breakpoints_remove(&d->s, d->s.breakpoints.at[k]);
}

static bool
is_in_file(const struct breakpoint *b, const char *file)
{
    size_t n = strlen(file);
    return b->kind == BREAKPOINT && !strncmp(b->spec, file, n) && b->spec[n] == ':' &&
           strspn(b->spec + n + 1, "0123456789") == strlen(b->spec + n + 1);
}

static bool
is_function(const struct breakpoint *b, const char *unused)
{
    (void)unused;
    const char *colon = strrchr(b->spec, ':');
    return b->kind == BREAKPOINT && !(colon && colon[1] >= '0' && colon[1] <= '9');
}

static bool
is_watch(const struct breakpoint *b, const char *unused)
{
    (void)unused;
    return b->kind == WATCHPOINT;
}

static bool
set_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    json_t *list = json_object_get(a, "breakpoints"), *wish, *out = json_array();
    const char *file = text_of(json_object_get(a, "source"), "path");
    size_t k;
    file = file ? file : text_of(json_object_get(a, "source"), "name");
    *body = json_pack("{s:o}", "breakpoints", out);
    if (!file)
        return ls_fail(err, LS_ERR_USAGE, "setBreakpoints: no source");
    drop(d, is_in_file, file);
    json_array_foreach (list, k, wish) {
        json_int_t line = json_integer_value(json_object_get(wish, "line"));
        json_array_append_new(
            out,
            add_breakpoint(d, arena_printf(&d->s.scratch, "%s:%lld", file, (long long)line), wish));
    }
    return breakpoints_send(&d->s, err);
}

static bool
set_function_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    json_t *list = json_object_get(a, "breakpoints"), *wish, *out = json_array();
    size_t k;
    *body = json_pack("{s:o}", "breakpoints", out);
    drop(d, is_function, NULL);
    json_array_foreach (list, k, wish) {
        const char *name = text_of(wish, "name");
        json_array_append_new(out, add_breakpoint(d, name ? name : "?", wish));
    }
    return breakpoints_send(&d->s, err);
}

static bool
set_exception_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)d, (void)a, (void)err;
    *body = json_pack("{s:[]}", "breakpoints");
    return true;
}

/* dataId: what dap_data_breakpoint_info made. */
static bool
set_data_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)err;
    json_t *list = json_object_get(a, "breakpoints"), *wish, *out = json_array();
    size_t k;
    *body = json_pack("{s:o}", "breakpoints", out);
    drop(d, is_watch, NULL);
    json_array_foreach (list, k, wish) {
        struct ls_error why = {0};
        struct debug_memory m = {0};
        unsigned long long address, bytes;
        const char *id = text_of(wish, "dataId"), *kind = text_of(wish, "accessType");
        struct debug_thread *t = &m.who.thread;
        struct breakpoint *b = breakpoints_add(&d->s, WATCHPOINT, id ? id : "?");
        bool fine = id && sscanf(id, "%u:%llx:%llu:%u,%u,%u:%u,%u,%u", &m.space, &address, &bytes,
                                 &t->block[0], &t->block[1], &t->block[2], &t->thread[0],
                                 &t->thread[1], &t->thread[2]) == 9;
        m.address = fine ? address : 0;
        m.bytes = fine ? bytes : 0;
        b->memory = m;
        b->type = type_new_array(&d->s.keep, type_base("unsigned char"), m.bytes);
        b->watch_kinds = kind && !strcmp(kind, "read")        ? DEBUG_WATCH_READ
                         : kind && !strcmp(kind, "readWrite") ? DEBUG_WATCH_READ | DEBUG_WATCH_WRITE
                                                              : DEBUG_WATCH_CHANGE;
        if (!fine || !m.bytes)
            ls_fail(&why, LS_ERR_USAGE, "no dataId of dataBreakpointInfo");
        else
            breakpoints_arm(&d->s, b, &why);
        json_array_append_new(out, breakpoint_json(d, b, &why));
    }
    return true;
}

/* -- running ----------------------------------------------------------------------------------- */

static const char *
reason_of(const struct session *s)
{
    switch ((enum debug_why)s->target.stop.why) {
    case DEBUG_WHY_BREAK: return "breakpoint";
    case DEBUG_WHY_WATCH: return "data breakpoint";
    case DEBUG_WHY_FAULT: return "exception";
    case DEBUG_WHY_INTERRUPT: return "pause";
    case DEBUG_WHY_LAUNCH:
    case DEBUG_WHY_BEGIN: return "entry";
    default: return "step";
    }
}

static void
say_stop(struct dap *d)
{
    struct session *s = &d->s;
    json_t *j = json_pack("{s:s, s:b}", "reason", reason_of(s), "allThreadsStopped", 1);
    if (s->focus.valid)
        json_object_set_new(j, "threadId", json_integer(dap_thread_id(d, &s->focus.thread)));
    if (s->hit)
        json_object_set_new(j, "hitBreakpointIds", json_pack("[i]", (int)s->hit));
    if (s->target.payload.count && s->target.stop.why == DEBUG_WHY_FAULT)
        json_object_set_new(j, "text", json_stringn(s->target.payload.at, s->target.payload.count));
    dap_event(d, "stopped", j);
}

/* Where a run has come to. */
static void
after_run(struct dap *d, bool fine, enum target_event event, const struct ls_error *err)
{
    char *said = dap_said(d);
    if (said && *said) /* log points */
        dap_output(d, "console", said, strlen(said));
    free(said);
    dap_forget(d);
    if (!fine)
        dap_output(d, "stderr", err->text, strlen(err->text));
    if (fine ? event == TARGET_STOP
             : d->s.stands) { /* what cannot be done leaves it where it was */
        say_stop(d);
        return;
    }
    dap_event(d, "exited", json_pack("{s:i}", "exitCode", fine ? d->s.target.exit_status : 1));
    dap_event(d, "terminated", NULL);
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
    json_int_t id = json_integer_value(json_object_get(a, "threadId"));
    if (!d->s.stands)
        return ls_fail(err, LS_ERR_USAGE, "no kernel is being run");
    if (id < 1 || (size_t)id > d->threads.count)
        return d->s.focus.valid ||
               ls_fail(err, LS_ERR_USAGE, "there is no thread %lld", (long long)id);
    struct debug_thread t = d->threads.at[id - 1];
    return session_focus(&d->s, &t, err);
}

/* What a request has asked for is done behind its answer. */
static bool
plan(struct dap *d, json_t *a, enum debug_how how, bool back, int over, struct ls_error *err)
{
    const char *size = text_of(a, "granularity");
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

static bool
step_over(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)body;
    return plan(d, a, DEBUG_GO_STEP, false, 1, err);
}

static bool
step_in(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)body;
    return plan(d, a, DEBUG_GO_STEP, false, 0, err);
}

static bool
step_out(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)body;
    return plan(d, a, DEBUG_GO_INSN, false, -1, err);
}

static bool
step_back(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)body;
    return plan(d, a, DEBUG_GO_STEP, true, 1, err);
}

static bool
reverse_continue(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)body;
    return plan(d, a, DEBUG_GO_ON, true, 0, err);
}

/* A program that runs was interrupted when the request came; one that stands has nothing to do. */
static bool
pause_program(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)d, (void)a, (void)body, (void)err;
    return true;
}

static bool
configuration_done(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)a, (void)body;
    if (!d->s.path)
        return ls_fail(err, LS_ERR_USAGE, "configurationDone before launch");
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
    const char *command = text_of(request, "command");
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
    const char *command = text_of(request, "command");
    bool was_configured = d->configured, fine = answer(d, request);
    if (fine && !strcmp(command, "launch"))
        dap_event(d, "initialized", NULL);
    if (fine && !strcmp(command, "terminate"))
        dap_event(d, "terminated", NULL);
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
dap_run(const struct cli_common *common)
{
    struct dap d = {.common = common};
    session_init(&d.s);
    if (!dap_begin(&d))
        return CLI_INTERNAL;
    d.s.device = cli_device(common);
    program_environment(common);
    for (json_t *m; !d.over && (m = dap_next(&d));) {
        const char *type = text_of(m, "type");
        if (type && !strcmp(type, "request") && text_of(m, "command"))
            take(&d, m);
        json_decref(m);
    }
    session_fini(&d.s);
    dap_end(&d);
    dap_forget(&d);
    VEC_FREE(&d.threads);
    VEC_FREE(&d.frames);
    VEC_FREE(&d.references);
    arena_free(&d.arena);
    return CLI_OK;
}
