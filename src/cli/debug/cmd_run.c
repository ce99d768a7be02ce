/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_run.c: commands that let the program go on, forth and back.
 */
#include "cli/debug/commands.h"
#include "cli/debug/findings.h"

#include <ctype.h>
#include <string.h>

/* -- starting and ending ----------------------------------------------------------------------- */

/* Words as a shell cuts them: blanks, quotes, backslashes. */
static bool
take_arguments(struct session *s, const char *text, struct ls_error *err)
{
    VEC(char *) words = {0};
    VEC_PUSH(&words, s->words[0]);
    for (const char *p = word_skip(text); *p; p = word_skip(p)) {
        struct text word = {0};
        char quote = 0;
        text_add(&word, "%s", "");
        for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
            if (quote ? *p == quote : *p == '"' || *p == '\'')
                quote = quote ? 0 : *p;
            else if (*p == '\\' && quote != '\'' && p[1])
                text_add_bytes(&word, ++p, 1);
            else
                text_add_bytes(&word, p, 1);
        }
        VEC_PUSH(&words, arena_strdup(&s->keep, word.at ? word.at : ""));
        text_free(&word);
        if (quote) {
            VEC_FREE(&words);
            return ls_fail(err, LS_ERR_USAGE, "Unmatched quote: %s", text);
        }
    }
    s->words = VEC_COPY(&s->keep, &words);
    VEC_FREE(&words);
    return true;
}

static bool
start(struct session *s, const char *args, bool launches, struct ls_error *err)
{
    if (*args && !take_arguments(s, args, err))
        return false;
    target_kill(&s->target);
    session_forget_stop(s);
    for (size_t k = 0; k < s->breaks.all.count; k++)
        if (s->breaks.all.at[k]->kind == CATCHPOINT && !findings_look(s, err))
            return false;
    for (size_t k = 0; k < s->modules.count; k++)
        s->modules.at[k].loaded = false;
    return running_start(s, launches, err);
}

DEBUG_COMMAND_IS(cmd_run, start(s, args, false, err))
DEBUG_COMMAND_IS(cmd_start, start(s, args, true, err))

bool
cmd_kill(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    if (s->target.state == TARGET_NONE)
        return ls_fail(err, LS_ERR_USAGE, "The program is not being run.");
    target_kill(&s->target);
    session_forget_stop(s);
    session_say(s, "[The program was killed]\n");
    return true;
}

/* -- steps ------------------------------------------------------------------------------------- */

/* The count of "step 3"; the thread in focus must be there. */
static bool
begin(struct session *s, const char *args, uint64_t *count, struct ls_error *err)
{
    return session_need_focus(s, err) && word_count(s, args, 1, count, err);
}

static bool
ended(const struct session *s)
{
    uint32_t why = s->target.stop.why;
    return !s->launch.stands || !s->focus.valid ||
           (why != DEBUG_WHY_STEP && why != DEBUG_WHY_POSITION);
}

/* Several times, with a word after the last. */
static bool
repeat(struct session *s, const struct debug_go *go, uint64_t count, struct ls_error *err)
{
    for (uint64_t k = 0; k < count; k++) {
        struct debug_go again = *go;
        if (!running_go(s, &again, err))
            return false;
        if (ended(s))
            break;
    }
    return true;
}

static bool
step(struct session *s, const char *args, uint32_t how, bool over, struct ls_error *err)
{
    uint64_t n;
    if (!begin(s, args, &n, err))
        return false;
    struct debug_go go = running_plan(s, how, over ? running_depth(s) : UINT32_MAX);
    return repeat(s, &go, n, err);
}

DEBUG_COMMAND_IS(cmd_step, step(s, args, DEBUG_GO_STEP, false, err))
DEBUG_COMMAND_IS(cmd_next, step(s, args, DEBUG_GO_STEP, true, err))
DEBUG_COMMAND_IS(cmd_stepi, step(s, args, DEBUG_GO_INSN, false, err))
DEBUG_COMMAND_IS(cmd_nexti, step(s, args, DEBUG_GO_INSN, true, err))

bool
cmd_finish(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    if (!session_need_focus(s, err))
        return false;
    uint32_t depth = running_depth(s);
    if (!depth)
        return ls_fail(err, LS_ERR_USAGE, "\"finish\" not meaningful in the outermost frame.");
    struct debug_go go = running_plan(s, DEBUG_GO_INSN, depth - 1);
    session_say(s, "Run till exit from ");
    running_show_frame(s, s->focus.frame, true);
    return running_go(s, &go, err);
}

static uint32_t
current_line(struct session *s)
{
    const char *file;
    uint32_t line = 0;
    if (s->focus.valid && session_module(s))
        symbols_place_line(session_module(s)->symbols, session_place(s), &file, &line);
    return line;
}

/* A stop at a place, once, without a number. */
static bool
to_location(struct session *s, const char *spec, bool this_thread, struct ls_error *err)
{
    struct place_list found = {0};
    struct ls_error unused;
    if (!breakpoints_find(s, spec, &found, err)) {
        VEC_FREE(&found);
        return false;
    }
    struct breakpoint *b = breakpoints_add(s, BREAKPOINT, spec);
    uint32_t number = b->number;
    s->breaks.last--;
    b->internal = b->temporary = true;
    for (size_t k = 0; k < found.count; k++)
        VEC_PUSH(&b->at, found.at[k]);
    VEC_FREE(&found);
    if (this_thread) {
        const struct debug_thread *t = &s->focus.thread;
        const char *condition = arena_printf(
            &s->scratch,
            "threadIdx.x == %u && threadIdx.y == %u && threadIdx.z == %u && blockIdx.x == %u && "
            "blockIdx.y == %u && blockIdx.z == %u",
            t->thread[0], t->thread[1], t->thread[2], t->block[0], t->block[1], t->block[2]);
        b->condition = strcpy(ls_alloc(strlen(condition) + 1), condition);
    }
    struct debug_go go = running_plan(s, DEBUG_GO_ON, 0);
    bool fine = breakpoints_send(s, err) && running_go(s, &go, err);
    for (size_t k = 0; k < s->breaks.all.count; k++) /* another stop came first */
        if (s->breaks.all.at[k]->internal && s->breaks.all.at[k]->number == number) {
            breakpoints_remove(s, s->breaks.all.at[k]);
            breakpoints_send(s, &unused);
            break;
        }
    return fine;
}

bool
cmd_until(struct session *s, const char *args, struct ls_error *err)
{
    enum { MOST = 1000000 };
    if (!session_need_focus(s, err))
        return false;
    if (*args)
        return to_location(s, args, true, err);
    uint32_t line = current_line(s), depth = running_depth(s);
    struct debug_go go = running_plan(s, DEBUG_GO_STEP, depth);
    enum target_event event = TARGET_STOP;
    for (int k = 0; k < MOST; k++) { /* steps that lead back are gone over */
        if (!running_quiet(s, &go, &event, err))
            return false;
        if (event != TARGET_STOP || s->target.stop.why != DEBUG_WHY_STEP || !s->focus.valid ||
            running_depth(s) < depth || current_line(s) > line)
            break;
    }
    if (event == TARGET_STOP && s->focus.valid)
        running_show_place(s, false);
    else
        session_say(s,
                    s->launch.stands ? "[the thread has exited]\n" : "[The program has ended]\n");
    return true;
}

bool
cmd_advance(struct session *s, const char *args, struct ls_error *err)
{
    if (!*args)
        return ls_fail(err, LS_ERR_USAGE, "Argument required (a location).");
    return session_need_focus(s, err) && to_location(s, args, false, err);
}

/* -- on and back ------------------------------------------------------------------------------- */

/* The breakpoint where it stands. */
static struct breakpoint *
here(struct session *s)
{
    for (size_t k = 0; k < s->breaks.all.count; k++) {
        struct breakpoint *b = s->breaks.all.at[k];
        for (size_t n = 0; n < b->at.count; n++)
            if (b->at.at[n].place == session_place(s) && b->at.at[n].module == s->launch.module)
                return b;
    }
    return NULL;
}

bool
cmd_continue(struct session *s, const char *args, struct ls_error *err)
{
    uint64_t n;
    if (s->target.state != TARGET_STANDS)
        return ls_fail(err, LS_ERR_USAGE, "The program is not being run.");
    if (!word_count(s, args, 1, &n, err))
        return false;
    struct breakpoint *b = here(s);
    if (n > 1 && b) {
        b->ignore = n - 1;
        session_say(s, "Will ignore next %llu crossings of breakpoint %u.  ",
                    (unsigned long long)n - 1, b->number);
    }
    session_say(s, "Continuing.\n");
    struct debug_go go = running_plan(s, DEBUG_GO_ON, 0);
    return running_go(s, &go, err);
}

static bool
back(struct session *s, const char *args, enum debug_how how, bool over, struct ls_error *err)
{
    uint64_t n;
    if (!begin(s, args, &n, err))
        return false;
    struct debug_go go = running_plan(s, DEBUG_GO_BACK, over ? running_depth(s) : UINT32_MAX);
    go.back = how;
    return repeat(s, &go, n, err);
}

DEBUG_COMMAND_IS(cmd_reverse_step, back(s, args, DEBUG_GO_STEP, false, err))
DEBUG_COMMAND_IS(cmd_reverse_next, back(s, args, DEBUG_GO_STEP, true, err))
DEBUG_COMMAND_IS(cmd_reverse_stepi, back(s, args, DEBUG_GO_INSN, false, err))
DEBUG_COMMAND_IS(cmd_reverse_nexti, back(s, args, DEBUG_GO_INSN, true, err))

bool
cmd_reverse_continue(struct session *s, const char *args, struct ls_error *err)
{
    uint64_t n;
    if (!s->launch.stands)
        return ls_fail(err, LS_ERR_USAGE, "No kernel is being run.");
    if (!word_count(s, args, 1, &n, err))
        return false;
    for (uint64_t k = 0; k < n; k++) {
        struct debug_go go = running_plan(s, DEBUG_GO_BACK, 0);
        go.back = DEBUG_GO_ON;
        if (!running_go(s, &go, err))
            return false;
        if (!s->launch.stands || s->target.stop.why == DEBUG_WHY_BEGIN)
            break;
    }
    return true;
}

bool
cmd_reverse_finish(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    if (!session_need_focus(s, err))
        return false;
    uint32_t depth = running_depth(s);
    if (!depth)
        return ls_fail(err, LS_ERR_USAGE,
                       "\"reverse-finish\" not meaningful in the outermost frame.");
    session_say(s, "Run back to call of ");
    running_show_frame(s, s->focus.frame, true);
    struct debug_go go = running_plan(s, DEBUG_GO_BACK, depth - 1);
    go.back = DEBUG_GO_INSN;
    return running_go(s, &go, err);
}

static bool
to_position(struct session *s, uint64_t position, struct ls_error *err)
{
    struct debug_go go = running_plan(s, DEBUG_GO_POSITION, 0);
    go.position = position;
    return running_go(s, &go, err);
}

bool
cmd_reverse_begin(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    if (!s->launch.stands)
        return ls_fail(err, LS_ERR_USAGE, "No kernel is being run.");
    return to_position(s, 0, err);
}

bool
cmd_goto(struct session *s, const char *args, struct ls_error *err)
{
    uint64_t position;
    if (!s->launch.stands)
        return ls_fail(err, LS_ERR_USAGE, "No kernel is being run.");
    if (!*args)
        return ls_fail(err, LS_ERR_USAGE, "Argument required (a position; $position is this one).");
    return word_count(s, args, 0, &position, err) && to_position(s, position, err);
}
