/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_time.c: questions about what has been: `last EXPR', `first-bad COND'.
 */
#include "cli/debug/commands.h"
#include "cli/debug/findings.h"

#include <string.h>

/* -- last -------------------------------------------------------------------------------------- */

static void
say_line(struct session *s, uint32_t place)
{
    const char *file;
    uint32_t line;
    const struct module *m = session_module(s);
    if (m && symbols_place_line(m->symbols, place, &file, &line))
        source_show(s, file, line);
}

static bool
go_to_last(struct session *s, struct ls_error *err)
{
    if (!s->write.found.found || !s->launch.stands || s->write.launch != s->target.stop.launch)
        return ls_fail(err, LS_ERR_USAGE, "No write is known: ask `last EXPR' first.");
    struct debug_thread t = s->write.found.thread;
    if (!running_to_position(s, s->write.found.position, err) || !session_focus(s, &t, err))
        return false;
    session_say(s, "%s block %s thread %s at %s\n", session_kernel(s), session_triple(s, t.block),
                session_triple(s, t.thread), session_where(s, session_module(s), session_place(s)));
    running_show_place(s, false);
    return true;
}

/* A finding's other access. False: the launch stands at none that has one in this launch. */
static bool
say_first_access(struct session *s)
{
    const struct findings *f = s->findings;
    if (!f || !f->here || s->target.stop.why != DEBUG_WHY_BREAK)
        return false;
    const struct finding_side *x = &f->all.at[f->here - 1].side[1 - f->here_side];
    if (!x->seen || !f->all.at[f->here - 1].pair)
        return false;
    s->write.found = (struct debug_write){
        .found = 1, .place = x->place, .position = x->position, .thread = x->thread};
    s->write.launch = s->target.stop.launch;
    findings_say_side(s, x, "the first: ");
    say_line(s, x->place);
    return true;
}

static void
say_value(struct session *s, struct world *w, struct type *t, const uint8_t *bytes)
{
    struct text text = {0};
    struct ls_error unused;
    struct value v = value_of_bytes(w, t, bytes);
    if (format_short(w, &v, 0, &text, &unused))
        session_say(s, "%s", text.at);
    text_free(&text);
}

static void
say_write(struct session *s, struct world *w, const char *text, struct type *t)
{
    const struct debug_write *x = &s->write.found;
    const struct module *m = session_module(s);
    session_say(s, "%s was last written by thread %s of block %s at %s", text,
                session_triple(s, x->thread.thread), session_triple(s, x->thread.block),
                session_where(s, m, x->place));
    if (t && type_size(t) <= sizeof x->before) {
        session_say(s, ": ");
        say_value(s, w, t, x->before);
        session_say(s, " -> ");
        say_value(s, w, t, x->after);
    }
    session_say(s, "\n");
    say_line(s, x->place);
}

static bool
say_last(struct session *s, struct world *w, const struct debug_memory *at, const char *text,
         struct type *type, struct ls_error *err)
{
    struct debug_write found;
    if (!target_last(&s->target, at, &found, err))
        return false;
    s->write.found = found;
    s->write.launch = s->target.stop.launch;
    if (found.found)
        say_write(s, w, text, type);
    else
        session_say(s, "%s was not written in this launch before here.\n", text);
    return true;
}

/* What the access under the cursor is to. */
static bool
last_of_access(struct session *s, struct ls_error *err)
{
    struct debug_symbol at;
    if (!session_need_focus(s, err))
        return false;
    uint32_t place = s->focus.frames[0].place;
    const struct source_function *f = symbols_function_at(session_module(s)->symbols, place);
    const struct ptx_insn *i = f ? &f->ptx->insns[place - f->first] : NULL;
    if (!i || !ptx_address(i) || i->space == PTX_SPACE_PARAM)
        return ls_fail(err, LS_ERR_USAGE,
                       "The next instruction is no access to memory: name an "
                       "expression.");
    if (!address_find(s, &s->focus.thread, f, i, &at, err))
        return false;
    struct world w = session_here(s);
    uint32_t bytes = address_bytes(i);
    struct debug_memory m = {
        .who = w.who, .space = at.space, .address = at.address, .bytes = bytes};
    const char *text = arena_printf(&s->scratch, "what is accessed here (%u bytes of %s memory)",
                                    bytes, ptx_space_name((enum ptx_space)at.space));
    return say_last(s, &w, &m, text, NULL, err);
}

bool
cmd_last(struct session *s, const char *args, struct ls_error *err)
{
    struct world w;
    struct value v;
    if (!strcmp(args, "go"))
        return go_to_last(s, err);
    if (!s->launch.stands)
        return ls_fail(err, LS_ERR_USAGE, "No kernel is being run.");
    if (!*args)
        return say_first_access(s) || last_of_access(s, err);
    w = session_here(s);
    w.no_effects = true;
    if (!evaluate(&w, args, NULL, &v, err) || !value_follow(&w, &v, err))
        return false;
    if (v.gone)
        return ls_fail(err, LS_ERR_INPUT, "value has been optimized out");
    if (v.place != VALUE_MEMORY)
        return ls_fail(err, LS_ERR_INPUT, "%s lies in no memory", args);
    struct debug_memory at = {
        .who = w.who, .space = v.space, .address = v.address, .bytes = type_size(v.type)};
    return say_last(s, &w, &at, args, v.type, err);
}

/* -- first-bad --------------------------------------------------------------------------------- */

/* What a condition reads while it is evaluated: when nothing of that changes, its value does not.
 */
struct reads {
    struct session *s;
    const struct world_ops *ops;
    VEC(struct debug_memory) at;
};

static bool
noted_read(void *context, const struct debug_memory *at, void *out, struct ls_error *err)
{
    struct reads *r = context;
    bool known = false;
    for (size_t k = 0; k < r->at.count && !known; k++)
        known = r->at.at[k].space == at->space && r->at.at[k].address == at->address &&
                r->at.at[k].bytes == at->bytes;
    if (!known)
        VEC_PUSH(&r->at, *at);
    return r->ops->read(r->s, at, out, err);
}

static bool
noted_symbol(void *context, const struct debug_who *who, const char *name, struct debug_symbol *out,
             struct ls_error *err)
{
    struct reads *r = context;
    return r->ops->symbol(r->s, who, name, out, err);
}

static bool
noted_variable(void *context, const char *name, struct value *out)
{
    struct reads *r = context;
    return r->ops->variable(r->s, name, out);
}

/* Whether the condition holds for the thread; *r: the memory and variables that were read for it. A
 * condition does not hold where the thread cannot evaluate it: before it begins, or in another
 * function. */
static bool
holds(struct session *s, const struct debug_thread *t, const char *condition, struct reads *r)
{
    struct ls_error unused;
    bool truth = false;
    struct arena own = {0};
    if (!session_focus(s, t, &unused))
        return false;
    struct world w = session_here(s);
    struct world_ops noted = {
        .read = noted_read, .symbol = noted_symbol, .variable = noted_variable};
    struct value v;
    r->s = s;
    r->ops = w.ops;
    w.ops = &noted;
    w.context = r;
    w.arena = w.types = &own;
    w.no_effects = true;
    r->at.count = 0;
    bool fine = evaluate(&w, condition, NULL, &v, &unused) && value_truth(&w, &v, &truth, &unused);
    arena_free(&own);
    return fine && truth;
}

enum { FIRST_WATCH = 1u << 30, MOST_WATCHES = 64 };

static bool
set_watches(struct session *s, const struct reads *r, uint32_t *armed, struct ls_error *err)
{
    for (uint32_t k = 0; k < *armed; k++) {
        struct debug_watch gone = {.number = FIRST_WATCH + k};
        if (!target_watch(&s->target, &gone, err))
            return false;
    }
    *armed = 0;
    for (size_t k = 0; r && k < r->at.count; k++) {
        struct debug_watch w = {
            .number = FIRST_WATCH + *armed, .kinds = DEBUG_WATCH_CHANGE, .at = r->at.at[k]};
        if (*armed == MOST_WATCHES)
            return ls_fail(err, LS_ERR_UNSUPPORTED,
                           "the condition looks at more than %d pieces of memory", MOST_WATCHES);
        if (!target_watch(&s->target, &w, err))
            return false;
        ++*armed;
    }
    return true;
}

static void
mute(struct session *s, bool muted)
{
    struct ls_error unused;
    s->muted = muted;
    for (size_t k = 0; k < s->breaks.all.count; k++)
        if (s->breaks.all.at[k]->kind == WATCHPOINT)
            breakpoints_arm(s, s->breaks.all.at[k], &unused);
    breakpoints_send(s, &unused);
}

/* Forward until the condition holds for the thread: by watches on what it reads, or instruction by
 * instruction where it reads no memory (registers alone). */
static bool
search(struct session *s, const struct debug_thread *t, const char *condition, bool *found,
       struct ls_error *err)
{
    struct reads r = {0};
    uint32_t armed = 0;
    bool fine = true;
    *found = holds(s, t, condition, &r);
    while (fine && !*found) {
        struct debug_go go = {.how = DEBUG_GO_INSN, .depth = UINT32_MAX, .focus = *t};
        if (r.at.count)
            go.how = DEBUG_GO_ON;
        fine = set_watches(s, &r, &armed, err);
        enum target_event event = fine ? target_go(&s->target, &go, err) : TARGET_FAILED;
        fine = fine && event != TARGET_FAILED;
        uint32_t why = s->target.stop.why;
        if (event != TARGET_STOP || (why != DEBUG_WHY_WATCH && why != DEBUG_WHY_STEP))
            break;
        *found = holds(s, t, condition, &r);
    }
    struct ls_error unused;
    if (s->target.state == TARGET_STANDS)
        set_watches(s, NULL, &armed, &unused);
    VEC_FREE(&r.at);
    return fine;
}

bool
cmd_first_bad(struct session *s, const char *args, struct ls_error *err)
{
    bool found = false;
    if (!*args)
        return ls_fail(err, LS_ERR_USAGE, "Argument required (a condition).");
    if (!session_need_focus(s, err))
        return false;
    struct world w = session_here(s);
    struct value v;
    struct debug_thread t = s->focus.thread;
    uint64_t position = s->target.stop.position;
    w.no_effects = true;
    if (!evaluate(&w, args, NULL, &v, err)) /* a mistake in it is said now */
        return false;
    mute(s, true);
    bool fine = running_to_position(s, 0, err) && search(s, &t, args, &found, err);
    s->launch.stands = s->target.state == TARGET_STANDS;
    if (fine && !found && s->launch.stands) /* first: no watch is set on a block that is over */
        fine = running_to_position(s, position, err) && session_focus(s, &t, err);
    mute(s, false);
    if (!fine)
        return false;
    if (!found) {
        session_say(s, "%s does not hold at any moment of the launch for thread %s of block %s.\n",
                    args, session_triple(s, t.thread), session_triple(s, t.block));
        return true;
    }
    session_say(s, "%s first holds at position %llu:\n", args,
                (unsigned long long)s->target.stop.position);
    const struct debug_stop *stop = &s->target.stop;
    if (stop->why == DEBUG_WHY_WATCH) {
        struct debug_thread writer =
            session_thread_of(s, stop->at, stop->warp, stop->watch_lane & 31);
        const char *file;
        uint32_t line;
        session_say(s, "thread %s of block %s has just written at %s\n",
                    session_triple(s, writer.thread), session_triple(s, writer.block),
                    session_where(s, session_module(s), stop->place));
        if (symbols_place_line(session_module(s)->symbols, stop->place, &file, &line))
            source_show(s, file, line);
        struct ls_error unused;
        session_focus(s, &writer, &unused);
    } else {
        running_show_place(s, true);
    }
    return true;
}
