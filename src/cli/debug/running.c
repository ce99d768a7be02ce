/* SPDX-License-Identifier: Apache-2.0
 *
 * running.c: the program goes on, and what is said where it stands again.
 */
#include "cli/debug/findings.h"

#include <signal.h>
#include <string.h>

/* -- places ------------------------------------------------------------------------------------ */

static void
show_argument(struct session *s, struct world *w, const struct variable *v, bool first)
{
    struct ls_error err = {0};
    struct text text = {0};
    struct value value;
    if (!lookup_variable(w, v, &value, &err) || !format_short(w, &value, 0, &text, &err)) {
        text.count = 0;
        text_add(&text, "<%s>", err.text);
    }
    session_say(s, "%s%s=%s", first ? "" : ", ", v->name, text.at ? text.at : "");
    text_free(&text);
}

void
running_show_frame(struct session *s, uint32_t frame, bool with_arguments)
{
    const struct debug_frame *f = &s->focus.frames[frame];
    const struct module *m = session_module(s);
    struct world w = session_world(s, &s->focus.thread, f, frame);
    const struct source_function *function = symbols_function_at(m->symbols, f->place);
    session_say(s, "%s (", function ? function->name : "?");
    bool first = true;
    const struct scope *c = function ? function->scope : NULL;
    for (size_t k = 0; c && k < c->variable_count && with_arguments; k++)
        if (c->variables[k].parameter) {
            show_argument(s, &w, &c->variables[k], first);
            first = false;
        }
    session_say(s, ") at %s\n", session_where(s, m, f->place));
}

void
running_show_place(struct session *s, bool whole)
{
    const char *file;
    uint32_t line;
    const struct module *m = session_module(s);
    if (!s->focus.valid || !m)
        return;
    if (whole)
        running_show_frame(s, s->focus.frame, true);
    if (!symbols_place_line(m->symbols, session_place(s), &file, &line))
        return;
    source_show(s, file, line);
    s->list.file = file;
    s->list.next = line > s->list.size / 2 ? line - s->list.size / 2 : 1;
    s->list.last_first = 0;
}

/* -- stops ------------------------------------------------------------------------------------- */

/* The first lane that stands there; the thread that was in focus, where it does. */
static bool
focus_stop(struct session *s, uint32_t lane)
{
    struct ls_error unused;
    const struct debug_stop *stop = &s->target.stop;
    struct debug_thread t = session_thread_of(s, stop->at, stop->warp, lane);
    return session_focus(s, &t, &unused);
}

static uint32_t
first_lane(const struct session *s)
{
    return s->target.stop.lanes ? (uint32_t)__builtin_ctz(s->target.stop.lanes) : 0;
}

/* Who was in focus stays there if it can; its frames have changed. */
static void
keep_focus(struct session *s)
{
    struct ls_error unused;
    struct debug_thread t = s->focus.thread;
    bool had = s->focus.valid;
    if (had && session_focus(s, &t, &unused))
        return;
    s->focus.valid = false;
    if (s->target.stop.lanes || s->target.stop.why != DEBUG_WHY_END)
        focus_stop(s, first_lane(s));
}

static void
say_thread(struct session *s, const char *before)
{
    const struct module *m = session_module(s);
    const struct debug_thread *t = &s->focus.thread;
    session_say(s, "%s%s block %s thread %s", before, session_kernel(s),
                session_triple(s, t->block), session_triple(s, t->thread));
    const struct source_function *f =
        s->focus.valid ? symbols_function_at(m->symbols, session_place(s)) : NULL;
    if (f && !f->ptx->is_kernel)
        session_say(s, " in %s", f->name);
    f = s->focus.frame ? symbols_function_at(m->symbols, s->focus.frames[0].place) : NULL;
    if (f)
        session_say(s, " in %s, called", f->name);
    session_say(s, " at %s\n", session_where(s, m, session_place(s)));
}

static void
say_bytes(struct session *s, const struct breakpoint *b, const char *label, const uint8_t *bytes)
{
    struct world w = session_here(s);
    struct text text = {0};
    struct ls_error err;
    struct value v = value_of_bytes(&w, b->type, bytes);
    if (format_short(&w, &v, 0, &text, &err))
        session_say(s, "%s value = %s\n", label, text.at);
    text_free(&text);
}

static void
say_watch(struct session *s, const struct breakpoint *b)
{
    const struct debug_stop *stop = &s->target.stop;
    bool changed = memcmp(stop->before, stop->after, sizeof stop->before) != 0;
    session_say(s, "\n%s %u: %s\n\n",
                b->watch_kinds & DEBUG_WATCH_READ
                    ? (b->watch_kinds & DEBUG_WATCH_WRITE ? "Access watchpoint" : "Read watchpoint")
                    : "Watchpoint",
                b->number, b->spec);
    struct debug_thread by = session_thread_of(s, stop->at, stop->warp, stop->watch_lane & 31);
    session_say(s, "%s by thread %s of block %s at %s\n", changed ? "changed" : "accessed",
                session_triple(s, by.thread), session_triple(s, by.block),
                session_where(s, session_module(s), stop->place));
    if (type_size(b->type) > sizeof stop->before)
        return;
    if (changed) {
        say_bytes(s, b, "Old", stop->before);
        say_bytes(s, b, "New", stop->after);
    } else {
        say_bytes(s, b, "The", stop->after);
    }
}

static void
show_displays(struct session *s)
{
    for (size_t k = 0; k < s->shown.all.count && s->focus.valid; k++) {
        const struct display *d = &s->shown.all.at[k];
        struct world w = session_here(s);
        struct text text = {0};
        struct ls_error err = {0};
        struct value v;
        if (!d->enabled)
            continue;
        bool fine =
            evaluate(&w, d->text, NULL, &v, &err) && format_value(&w, &v, d->letter, &text, &err);
        if (fine && d->letter)
            session_say(s, "%u: /%c %s = %s\n", d->number, d->letter, d->text, text.at);
        else if (fine) /* elsewhere its names mean nothing */
            session_say(s, "%u: %s = %s\n", d->number, d->text, text.at);
        text_free(&text);
    }
}

/* What watchpoints mean has gone with the program: the next one has it elsewhere. */
static void
delete_watches(struct session *s)
{
    for (size_t k = s->breaks.all.count; k-- > 0;) {
        struct breakpoint *b = s->breaks.all.at[k];
        if (b->kind != WATCHPOINT)
            continue;
        session_say(s, "[Watchpoint %u (%s) is deleted: the program has ended]\n", b->number,
                    b->spec);
        breakpoints_remove(s, b);
    }
}

static void
say_exit(struct session *s)
{
    const struct target *t = &s->target;
    delete_watches(s);
    if (t->exit_signal)
        session_say(s, "\nProgram terminated with signal %d, %s.\n", t->exit_signal,
                    strsignal(t->exit_signal));
    else if (t->exit_status)
        session_say(s, "[The program exited with code %d]\n", t->exit_status);
    else
        session_say(s, "[The program exited normally]\n");
}

/* Prints the thread and the place of a stop, behind the words that say why it stopped. */
static void
say_where(struct session *s, const char *before)
{
    if (s->focus.valid)
        say_thread(s, before);
    running_show_place(s, false);
}

static void
say_finding(struct session *s, const struct breakpoint *b)
{
    uint32_t number = s->findings->here;
    session_say(s, "\n");
    say_where(s, arena_printf(&s->scratch, "Catchpoint %u (finding %u), ", b->number, number));
    findings_say(s, number);
}

/* Lines of a fault's report, which name the place in full. */
static void
say_fault(struct session *s)
{
    session_say(s, "\nThe launch failed: %.*s\n", (int)s->target.payload.count,
                s->target.payload.at ? s->target.payload.at : "");
    say_where(s, "");
}

struct before {
    struct debug_thread thread;
    uint32_t function, depth;
    bool valid;
};

static void
say_step(struct session *s, const struct before *b)
{
    bool moved = !s->focus.valid || !b->valid || !session_same_thread(&s->focus.thread, &b->thread);
    if (moved) {
        say_where(s, "");
        return;
    }
    bool other = s->focus.frames[0].function != b->function || s->focus.frame_count != b->depth;
    running_show_place(s, other);
}

static void
say_left(struct session *s, const struct before *b)
{
    session_say(s, "[thread %s of block %s has exited]\n", session_triple(s, b->thread.thread),
                session_triple(s, b->thread.block));
    if (s->focus.valid)
        say_where(s, "");
}

static void
report_stop(struct session *s, struct breakpoint *hit, const struct before *b)
{
    const char *number;
    switch ((enum debug_why)s->target.stop.why) {
    case DEBUG_WHY_BREAK:
        if (hit && hit->kind == CATCHPOINT) {
            say_finding(s, hit);
            break;
        }
        number =
            hit && !hit->internal
                ? arena_printf(&s->scratch, "%s %u, ",
                               hit->temporary ? "Temporary breakpoint" : "Breakpoint", hit->number)
                : "";
        session_say(s, "\n");
        say_where(s, number);
        break;
    case DEBUG_WHY_WATCH:
        if (hit)
            say_watch(s, hit);
        say_where(s, "");
        break;
    case DEBUG_WHY_LAUNCH:
        session_say(s, "[launch %llu: %s]\n", (unsigned long long)s->target.stop.launch,
                    session_kernel(s));
        say_where(s, "");
        break;
    case DEBUG_WHY_LEFT: say_left(s, b); break;
    case DEBUG_WHY_END:
        session_say(s, "[launch %llu, %s, is over]\n", (unsigned long long)s->target.stop.launch,
                    session_kernel(s));
        break;
    case DEBUG_WHY_BEGIN:
        session_say(s, "\nNo more reverse-execution history: the launch begins here.\n");
        say_where(s, "");
        break;
    case DEBUG_WHY_FAULT: say_fault(s); break;
    case DEBUG_WHY_INTERRUPT:
        session_say(s, "\nThe program was interrupted (SIGINT).\n");
        say_where(s, "");
        break;
    case DEBUG_WHY_STEP:
    case DEBUG_WHY_POSITION: say_step(s, b); break;
    }
    show_displays(s);
}

/* -- going on ---------------------------------------------------------------------------------- */

struct debug_go
running_plan(const struct session *s, enum debug_how how, uint32_t depth)
{
    struct debug_go go = {.how = how, .depth = depth};
    if (s->focus.valid)
        go.focus = s->focus.thread;
    return go;
}

uint32_t
running_depth(const struct session *s)
{
    return s->focus.valid ? s->focus.frame_count - 1 - s->focus.frame : 0;
}

static uint32_t
module_index(const struct session *s, uint32_t number)
{
    for (uint32_t k = 0; k < s->modules.count; k++)
        if (s->modules.at[k].loaded && s->modules.at[k].number == number)
            return k;
    return UINT32_MAX;
}

/* Ctrl-C is the program's, which tells of it. */
static enum target_event
go_on(struct session *s, const struct debug_go *go, struct ls_error *err)
{
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    enum target_event event = go ? target_go(&s->target, go, err) : target_wait(&s->target, err);
    signal(SIGINT, before);
    if (event == TARGET_STOP) {
        s->launch.module = module_index(s, s->target.stop.module);
        s->launch.stands = true;
        s->launch.over = s->target.stop.why == DEBUG_WHY_END;
    } else if (s->target.state == TARGET_NONE) {
        session_forget_stop(s);
        for (size_t k = 0; k < s->modules.count; k++)
            s->modules.at[k].loaded = false;
        for (size_t k = 0; k < s->breaks.all.count; k++)
            s->breaks.all.at[k]->armed = false;
    }
    return event;
}

static bool
take_module(struct session *s, struct ls_error *err)
{
    uint32_t module = session_take_module(s, err);
    if (module == UINT32_MAX)
        return false;
    breakpoints_resolve(s, module);
    return breakpoints_send(s, err);
}

/* The thread that is stepped has come to another line, at a breakpoint that does not count: the
 * step is over all the same. */
static bool
step_is_over(struct session *s, const struct debug_go *go, const struct before *b)
{
    const struct debug_stop *stop = &s->target.stop;
    struct debug_thread first = session_thread_of(s, stop->at, stop->warp, 0);
    bool in_warp = b->valid && !memcmp(first.block, b->thread.block, sizeof first.block) &&
                   session_linear(s, &b->thread) / 32 == stop->warp &&
                   stop->lanes >> session_linear(s, &b->thread) % 32 & 1;
    bool steps = go->how == DEBUG_GO_STEP || go->how == DEBUG_GO_INSN;
    return steps && in_warp && stop->depth <= go->depth;
}

/* "i is {i}": what stands in braces is evaluated. */
static void
say_log(struct session *s, struct breakpoint *b, uint32_t lane)
{
    const struct debug_stop *stop = &s->target.stop;
    struct debug_thread t = session_thread_of(s, stop->at, stop->warp, lane);
    struct debug_frame frame = {.place = stop->place};
    struct arena own = {0};
    struct world w = session_world(s, &t, &frame, 0);
    w.arena = w.types = &own;
    w.no_effects = true;
    for (const char *p = b->log; *p;) {
        const char *end = *p == '{' ? strchr(p, '}') : NULL;
        struct text text = {0};
        struct ls_error err = {0};
        struct value v;
        if (!end) {
            session_say(s, "%c", *p++);
            continue;
        }
        const char *expression = arena_strndup(&own, p + 1, (size_t)(end - p - 1));
        bool fine =
            evaluate(&w, expression, NULL, &v, &err) && format_short(&w, &v, 0, &text, &err);
        session_say(s, "%s", fine ? text.at : err.text);
        text_free(&text);
        p = end + 1;
    }
    session_say(s, "\n");
    arena_free(&own);
}

/* Whether somebody wants this stop. */
static bool
is_wanted(struct session *s, const struct debug_go *go, const struct before *b,
          struct breakpoint **hit)
{
    uint32_t lane = first_lane(s), why = s->target.stop.why;
    *hit = NULL;
    if (why == DEBUG_WHY_END)
        return go->how != DEBUG_GO_ON;
    if (why != DEBUG_WHY_BREAK && why != DEBUG_WHY_WATCH)
        return true;
    *hit = breakpoints_hit(s, &lane);
    if (*hit && (*hit)->log) {
        say_log(s, *hit, lane);
        *hit = NULL;
    }
    if (!*hit && why == DEBUG_WHY_BREAK && step_is_over(s, go, b)) {
        s->target.stop.why = DEBUG_WHY_STEP;
        return true;
    }
    if (!*hit)
        return false;
    /* a stepped thread that comes to a breakpoint stays in focus */
    bool has_condition = (*hit)->condition != NULL;
    struct debug_thread t = session_thread_of(s, s->target.stop.at, s->target.stop.warp, lane);
    struct ls_error unused;
    if (!has_condition && why == DEBUG_WHY_BREAK && step_is_over(s, go, b))
        t = b->thread;
    session_focus(s, &t, &unused);
    return true;
}

static struct before
before_of(const struct session *s)
{
    struct before b = {.valid = s->focus.valid, .thread = s->focus.thread};
    if (b.valid) {
        b.function = s->focus.frames[0].function;
        b.depth = s->focus.frame_count;
    }
    return b;
}

/* To the next stop that somebody wants. */
static enum target_event
run_on(struct session *s, const struct debug_go *first, const struct before *b,
       struct breakpoint **hit, struct ls_error *err)
{
    struct debug_go on = {.how = DEBUG_GO_ON, .launches = first->launches};
    const struct debug_go *go = first;
    *hit = NULL;
    for (;;) {
        enum target_event event = go_on(s, s->starting ? NULL : go, err);
        s->starting = false;
        if (event == TARGET_MODULE) {
            if (!take_module(s, err))
                return TARGET_FAILED;
            go = &on;
            continue;
        }
        if (event != TARGET_STOP || is_wanted(s, first, b, hit))
            return event;
        go = first;
    }
}

bool
running_quiet(struct session *s, const struct debug_go *go, enum target_event *event,
              struct ls_error *err)
{
    struct breakpoint *hit;
    struct before b = before_of(s);
    *event = run_on(s, go, &b, &hit, err);
    s->breaks.hit = hit ? hit->number : 0;
    if (*event == TARGET_STOP && !hit)
        keep_focus(s);
    return *event != TARGET_FAILED;
}

/* Commands of a breakpoint run when the one that came here is over: commands.c looks for them. */
static void
after_hit(struct session *s, struct breakpoint *hit)
{
    struct ls_error unused;
    if (hit->commands)
        text_add(&s->breaks.after, "%s", hit->commands);
    if (!hit->temporary)
        return;
    breakpoints_remove(s, hit);
    breakpoints_send(s, &unused);
}

static bool
run_and_report(struct session *s, const struct debug_go *go, struct ls_error *err)
{
    struct breakpoint *hit;
    struct before b = before_of(s);
    enum target_event event = run_on(s, go, &b, &hit, err);
    if (event == TARGET_FAILED)
        return false;
    if (event == TARGET_EXIT) {
        say_exit(s);
        return true;
    }
    if (!hit)
        keep_focus(s);
    report_stop(s, hit, &b);
    if (hit)
        after_hit(s, hit);
    return true;
}

bool
running_start_quiet(struct session *s, bool launches, enum target_event *event,
                    struct ls_error *err)
{
    struct debug_go go = {.how = DEBUG_GO_ON, .launches = launches};
    session_forget_stop(s);
    if (!target_start(&s->target, s->path, s->words, s->program_out, err))
        return false;
    s->starting = true;
    bool fine = running_quiet(s, &go, event, err);
    s->starting = false;
    return fine;
}

/* What is said where the program did not come to a launch. */
static void
say_end(struct session *s, enum target_event event)
{
    struct before b = {0};
    if (event == TARGET_EXIT)
        say_exit(s);
    else
        report_stop(s, breakpoints_number(s, s->breaks.hit), &b);
}

/* At a launch's begin no thread has a frame: goes on to the first line of the first thread. */
static bool
to_first_line(struct session *s, struct ls_error *err)
{
    session_say(s, "[launch %llu]\n", (unsigned long long)s->target.stop.launch);
    struct debug_go go = running_plan(s, DEBUG_GO_STEP, UINT32_MAX);
    s->focus.valid = false; /* so that the whole place is said */
    return run_and_report(s, &go, err);
}

bool
running_start(struct session *s, bool launches, struct ls_error *err)
{
    struct debug_go go = {.how = DEBUG_GO_ON};
    enum target_event event;
    if (launches)
        return running_start_quiet(s, true, &event, err) &&
               (event == TARGET_STOP && s->target.stop.why == DEBUG_WHY_LAUNCH
                    ? to_first_line(s, err)
                    : (say_end(s, event), true));
    session_forget_stop(s);
    if (!target_start(&s->target, s->path, s->words, s->program_out, err))
        return false;
    s->starting = true;
    bool fine = run_and_report(s, &go, err);
    s->starting = false;
    return fine;
}

bool
running_go(struct session *s, const struct debug_go *go, struct ls_error *err)
{
    return run_and_report(s, go, err);
}

bool
running_to_position(struct session *s, uint64_t position, struct ls_error *err)
{
    enum target_event event;
    struct debug_go go = running_plan(s, DEBUG_GO_POSITION, 0);
    go.position = position;
    return running_quiet(s, &go, &event, err) &&
           (event == TARGET_STOP || ls_fail(err, LS_ERR_SYSTEM, "The program has ended."));
}
