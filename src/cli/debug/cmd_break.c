/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_break.c: commands about breakpoints and watchpoints.
 */
#include "cli/debug/commands.h"

#include <string.h>

/* "LOCATION if COND": cuts the text; the condition, or NULL. */
static const char *
cut_condition(struct session *s, const char *args, const char **before)
{
    int depth = 0;
    for (const char *p = args; *p; p++) {
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        bool word =
            (p == args || p[-1] == ' ') && !strncmp(p, "if", 2) && (p[2] == ' ' || p[2] == '(');
        if (depth || !word)
            continue;
        const char *end = p;
        while (end > args && end[-1] == ' ')
            end--;
        *before = arena_strndup(&s->scratch, args, (size_t)(end - args));
        return word_skip(p + 2);
    }
    *before = args;
    return NULL;
}

/* Whether the condition parses: a text that does not is refused when the breakpoint is set. */
static bool
is_expression(struct session *s, const char *condition, struct ls_error *err)
{
    struct world w = session_here(s);
    struct ls_error why = {0};
    struct value v;
    w.no_effects = true;
    if (!condition || evaluate(&w, condition, NULL, &v, &why) ||
        !ls_starts_with(why.text, "A syntax error"))
        return true;
    if (err)
        *err = why;
    return false;
}

static char *
copied(const char *text)
{
    return text && *text ? strcpy(ls_alloc(strlen(text) + 1), text) : NULL;
}

static void
say_set(struct session *s, const struct breakpoint *b)
{
    const char *kind = b->temporary ? "Temporary breakpoint" : "Breakpoint";
    if (!b->at.count) {
        session_say(s, "%s %u (%s) pending.\n", kind, b->number, b->spec);
        return;
    }
    const struct location *l = &b->at.at[0];
    session_say(s, "%s %u at %s", kind, b->number,
                session_where(s, &s->modules.at[l->module], l->place));
    if (b->at.count > 1)
        session_say(s, ". (%zu locations)", b->at.count);
    session_say(s, "\n");
}

static bool
add(struct session *s, const char *args, bool temporary, struct ls_error *err)
{
    struct place_list found = {0};
    const char *spec, *condition = cut_condition(s, args, &spec);
    if (!is_expression(s, condition, err))
        return false;
    bool known = breakpoints_find(s, spec, &found, err);
    if (!known && (s->modules.count || !*spec)) { /* without any module it may be one to come */
        VEC_FREE(&found);
        return false;
    }
    if (!*spec) /* here */
        spec = session_where(s, session_module(s), session_place(s));
    struct breakpoint *b = breakpoints_add(s, BREAKPOINT, spec);
    b->temporary = temporary;
    b->condition = copied(condition);
    for (size_t k = 0; k < found.count; k++)
        VEC_PUSH(&b->at, found.at[k]);
    VEC_FREE(&found);
    say_set(s, b);
    return breakpoints_send(s, err);
}

DEBUG_COMMAND_IS(cmd_break, add(s, args, false, err))
DEBUG_COMMAND_IS(cmd_tbreak, add(s, args, true, err))

static bool
add_watch(struct session *s, const char *args, uint32_t kinds, const char *kind,
          struct ls_error *err)
{
    const char *rest = args, *word = word_next(s, &rest), *spec, *condition;
    if (word && (!strcmp(word, "-l") || !strcmp(word, "-location"))) /* it always is one */
        args = rest;
    condition = cut_condition(s, args, &spec);
    struct world w = session_here(s);
    struct value v;
    if (!*spec)
        return ls_fail(err, LS_ERR_USAGE, "Argument required (expression to compute).");
    w.no_effects = true;
    if (!session_need_focus(s, err) || !is_expression(s, condition, err) ||
        !evaluate(&w, spec, NULL, &v, err) || !value_follow(&w, &v, err))
        return false;
    if (v.gone)
        return ls_fail(err, LS_ERR_INPUT, "value has been optimized out");
    if (v.place != VALUE_MEMORY)
        return ls_fail(err, LS_ERR_INPUT, "Cannot watch constant value `%s'.", spec);
    struct breakpoint *b = breakpoints_add(s, WATCHPOINT, spec);
    b->condition = copied(condition);
    b->watch_kinds = kinds;
    b->type = v.type;
    b->memory = (struct debug_memory){
        .who = w.who, .space = v.space, .address = v.address, .bytes = type_size(v.type)};
    if (!breakpoints_arm(s, b, err)) {
        breakpoints_remove(s, b);
        s->breaks.last--;
        return false;
    }
    session_say(s, "%s %u: %s\n", kind, b->number, spec);
    return true;
}

DEBUG_COMMAND_IS(cmd_watch, add_watch(s, args, DEBUG_WATCH_CHANGE, "Watchpoint", err))
DEBUG_COMMAND_IS(cmd_rwatch, add_watch(s, args, DEBUG_WATCH_READ, "Read watchpoint", err))
DEBUG_COMMAND_IS(cmd_awatch,
                 add_watch(s, args, DEBUG_WATCH_READ | DEBUG_WATCH_WRITE, "Access watchpoint", err))

/* -- what is there ----------------------------------------------------------------------------- */

static struct breakpoint *
numbered(struct session *s, const char **args, struct ls_error *err)
{
    uint64_t n;
    const char *word = word_next(s, args);
    if (!word) {
        ls_fail(err, LS_ERR_USAGE, "Argument required (a breakpoint number).");
        return NULL;
    }
    struct breakpoint *b = ls_parse_u64(word, &n) ? breakpoints_number(s, n) : NULL;
    if (!b)
        ls_fail(err, LS_ERR_USAGE, "No breakpoint number %s.", word);
    return b;
}

bool
cmd_condition(struct session *s, const char *args, struct ls_error *err)
{
    struct breakpoint *b = numbered(s, &args, err);
    if (!b || (*args && !is_expression(s, args, err)))
        return false;
    ls_release(b->condition);
    b->condition = copied(args);
    if (!b->condition)
        session_say(s, "Breakpoint %u now unconditional.\n", b->number);
    return breakpoints_send(s, err);
}

bool
cmd_ignore(struct session *s, const char *args, struct ls_error *err)
{
    struct breakpoint *b = numbered(s, &args, err);
    if (!b)
        return false;
    if (!*args)
        return ls_fail(err, LS_ERR_USAGE, "Second argument (specified ignore-count) is missing.");
    if (!word_count(s, args, 0, &b->ignore, err))
        return false;
    session_say(s, "Will ignore next %llu crossings of breakpoint %u.\n",
                (unsigned long long)b->ignore, b->number);
    return true;
}

bool
cmd_commands(struct session *s, const char *args, struct ls_error *err)
{
    struct breakpoint *b = NULL;
    if (*args)
        b = numbered(s, &args, err);
    else if (s->breaks.all.count)
        b = s->breaks.all.at[s->breaks.all.count - 1];
    else
        ls_fail(err, LS_ERR_USAGE, "No breakpoints specified.");
    if (!b)
        return false;
    ls_release(b->commands);
    b->commands = NULL;
    s->breaks.collects = b;
    return true;
}

static bool
delete_one(struct session *s, uint64_t number, struct ls_error *err)
{
    struct breakpoint *b = breakpoints_number(s, number);
    if (!b)
        return ls_fail(err, LS_ERR_USAGE, "No breakpoint number %llu.", (unsigned long long)number);
    breakpoints_remove(s, b);
    return true;
}

bool
cmd_delete(struct session *s, const char *args, struct ls_error *err)
{
    const char *rest = args, *word = word_next(s, &rest);
    if (word && strlen(word) > 1 && !strncmp("display", word, strlen(word)))
        return cmd_undisplay(s, rest, err);
    if (word && strlen(word) > 1 && !strncmp("breakpoints", word, strlen(word)))
        args = rest;
    while (!*args && s->breaks.all.count)
        breakpoints_remove(s, s->breaks.all.at[0]);
    return word_numbers(s, args, delete_one, err) && breakpoints_send(s, err);
}

bool
cmd_clear(struct session *s, const char *args, struct ls_error *err)
{
    struct place_list found = {0};
    bool any = false, fine = breakpoints_find(s, args, &found, err);
    for (size_t k = s->breaks.all.count; fine && k-- > 0;) {
        struct breakpoint *b = s->breaks.all.at[k];
        bool at = false;
        for (size_t n = 0; n < b->at.count; n++)
            for (size_t m = 0; m < found.count; m++)
                at = at || !memcmp(&b->at.at[n], &found.at[m], sizeof *found.at);
        if (!at)
            continue;
        session_say(s, "Deleted breakpoint %u\n", b->number);
        breakpoints_remove(s, b);
        any = true;
    }
    VEC_FREE(&found);
    if (fine && !any)
        return ls_fail(err, LS_ERR_USAGE, "No breakpoint at %s.", args);
    return fine && breakpoints_send(s, err);
}

static bool
set_enabled(struct session *s, uint64_t number, bool enabled, struct ls_error *err)
{
    struct breakpoint *b = breakpoints_number(s, number);
    if (!b)
        return ls_fail(err, LS_ERR_USAGE, "No breakpoint number %llu.", (unsigned long long)number);
    b->enabled = enabled;
    return b->kind == BREAKPOINT || s->target.state != TARGET_STANDS || breakpoints_arm(s, b, err);
}

static bool
enable_one(struct session *s, uint64_t number, struct ls_error *err)
{
    return set_enabled(s, number, true, err);
}

static bool
disable_one(struct session *s, uint64_t number, struct ls_error *err)
{
    return set_enabled(s, number, false, err);
}

static bool
enable(struct session *s, const char *args, bool enabled, struct ls_error *err)
{
    const char *rest = args, *word = word_next(s, &rest);
    if (word && strlen(word) > 1 && !strncmp("breakpoints", word, strlen(word)))
        args = rest;
    for (size_t k = 0; !*args && k < s->breaks.all.count; k++)
        if (!set_enabled(s, s->breaks.all.at[k]->number, enabled, err))
            return false;
    return word_numbers(s, args, enabled ? enable_one : disable_one, err) &&
           breakpoints_send(s, err);
}

DEBUG_COMMAND_IS(cmd_enable, enable(s, args, true, err))
DEBUG_COMMAND_IS(cmd_disable, enable(s, args, false, err))

/* -- info breakpoints -------------------------------------------------------------------------- */

static void
show(struct session *s, const struct breakpoint *b)
{
    const char *kind = b->kind == BREAKPOINT                  ? "breakpoint"
                       : b->kind == CATCHPOINT                ? "catchpoint"
                       : b->watch_kinds == DEBUG_WATCH_CHANGE ? "watchpoint"
                       : b->watch_kinds & DEBUG_WATCH_WRITE   ? "acc watchpoint"
                                                              : "read watchpoint";
    session_say(s, "%-7u %-15s %-4s %c   ", b->number, kind, b->temporary ? "del" : "keep",
                b->enabled ? 'y' : 'n');
    if (b->kind == WATCHPOINT)
        session_say(s, "%s\n", b->spec);
    else if (b->kind == CATCHPOINT)
        session_say(s, "finding%s%s\n", *b->spec ? " " : "", b->spec);
    else if (!b->at.count)
        session_say(s, "<PENDING> %s\n", b->spec);
    for (size_t k = 0; k < b->at.count; k++) {
        const struct module *m = &s->modules.at[b->at.at[k].module];
        const struct source_function *f = symbols_function_at(m->symbols, b->at.at[k].place);
        session_say(s, "%sin %s at %s\n", k ? "                                 " : "",
                    f ? f->name : "?", session_where(s, m, b->at.at[k].place));
    }
    if (b->condition)
        session_say(s, "\tstop only if %s\n", b->condition);
    if (b->hits)
        session_say(s, "\tbreakpoint already hit %llu time%s\n", (unsigned long long)b->hits,
                    b->hits == 1 ? "" : "s");
    if (b->ignore)
        session_say(s, "\tignore next %llu hits\n", (unsigned long long)b->ignore);
    for (const char *p = b->commands; p && *p;) {
        size_t n = strcspn(p, "\n");
        session_say(s, "        %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
}

static bool
show_all(struct session *s, bool watches)
{
    bool any = false;
    for (size_t k = 0; k < s->breaks.all.count; k++) {
        if (watches && s->breaks.all.at[k]->kind != WATCHPOINT)
            continue;
        if (!any)
            session_say(s, "Num     Type            Disp Enb What\n");
        any = true;
        show(s, s->breaks.all.at[k]);
    }
    if (!any)
        session_say(s, watches ? "No watchpoints.\n" : "No breakpoints or watchpoints.\n");
    return true;
}

bool
info_breakpoints(struct session *s, const char *args, struct ls_error *err)
{
    (void)args, (void)err;
    return show_all(s, false);
}

bool
info_watchpoints(struct session *s, const char *args, struct ls_error *err)
{
    (void)args, (void)err;
    return show_all(s, true);
}
