/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_stack.c: frames, their variables and registers, lines of the source.
 */
#include "cli/debug/commands.h"

#include <ctype.h>
#include <string.h>

/* -- frames ------------------------------------------------------------------------------------ */

/* The functions of host code that made the launch. */
static void
show_host(struct session *s, uint64_t most)
{
    struct host_frames all;
    struct ls_error unused;
    bool fine = target_host(&s->target, &all, &unused);
    for (uint32_t k = 0; fine && k < all.count && s->focus.frame_count + k < most; k++) {
        session_say(s, "#%-2u %s", s->focus.frame_count + k, all.at[k].function);
        if (*all.at[k].file)
            session_say(s, " at %s:%u", source_base(all.at[k].file), all.at[k].line);
        session_say(s, " (host code)\n");
    }
    text_free(&all.text);
}

bool
cmd_backtrace(struct session *s, const char *args, struct ls_error *err)
{
    uint64_t most;
    if (!session_need_focus(s, err) || !word_count(s, args, UINT64_MAX, &most, err))
        return false;
    for (uint32_t k = 0; k < s->focus.frame_count && k < most; k++) {
        session_say(s, "#%-2u ", k);
        running_show_frame(s, k, true);
    }
    show_host(s, most);
    if (most < s->focus.frame_count)
        session_say(s, "(More stack frames follow...)\n");
    return true;
}

static void
show_frame(struct session *s)
{
    session_say(s, "#%-2u ", s->focus.frame);
    running_show_place(s, true);
}

bool
cmd_frame(struct session *s, const char *args, struct ls_error *err)
{
    uint64_t n;
    if (!session_need_focus(s, err) || !word_count(s, args, s->focus.frame, &n, err))
        return false;
    if (n >= s->focus.frame_count)
        return ls_fail(err, LS_ERR_USAGE, "No frame at level %s.", args);
    s->focus.frame = (uint32_t)n;
    show_frame(s);
    return true;
}

/* "up 2", "down": frames away from the innermost one, or towards it. */
static bool
walk(struct session *s, const char *args, bool up, struct ls_error *err)
{
    uint64_t n;
    if (!session_need_focus(s, err) || !word_count(s, args, 1, &n, err))
        return false;
    uint32_t at = s->focus.frame, left = up ? s->focus.frame_count - 1 - at : at;
    if (!left && n)
        return ls_fail(err, LS_ERR_USAGE,
                       up ? "Initial frame selected; you can't go up."
                          : "Bottom (innermost) frame selected; you can't go down.");
    uint32_t count = n > left ? left : (uint32_t)n;
    s->focus.frame = up ? at + count : at - count;
    show_frame(s);
    return true;
}

DEBUG_COMMAND_IS(cmd_up, walk(s, args, true, err))
DEBUG_COMMAND_IS(cmd_down, walk(s, args, false, err))

bool
info_frame(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    if (!session_need_focus(s, err))
        return false;
    session_say(s, "Stack level %u of %u, place %u: ", s->focus.frame, s->focus.frame_count,
                session_place(s));
    running_show_frame(s, s->focus.frame, true);
    return true;
}

/* -- variables --------------------------------------------------------------------------------- */

static void
show_variable(struct session *s, struct world *w, const struct variable *v)
{
    struct ls_error err = {0};
    struct text text = {0};
    struct value value;
    bool fine = lookup_variable(w, v, &value, &err) && format_value(w, &value, 0, &text, &err);
    if (fine)
        session_say(s, "%s = %s\n", v->name, text.at);
    else
        session_say(s, "%s = <%s>\n", v->name, err.text);
    text_free(&text);
}

static bool
show_variables(struct session *s, bool parameters, const char *none, struct ls_error *err)
{
    if (!session_need_focus(s, err))
        return false;
    struct world w = session_here(s);
    bool any = false;
    for (const struct scope *c = w.scope; c; c = c->parent)
        for (size_t k = 0; k < c->variable_count; k++)
            if (c->variables[k].parameter == parameters) {
                show_variable(s, &w, &c->variables[k]);
                any = true;
            }
    if (!any)
        session_say(s, "%s\n",
                    w.symbols && !w.symbols->has_variables
                        ? "No symbol table info available: the kernels were compiled "
                          "without -G."
                        : none);
    return true;
}

bool
info_locals(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    return show_variables(s, false, "No locals.", err);
}

bool
info_args(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    return show_variables(s, true, "No arguments.", err);
}

bool
info_variables(struct session *s, const char *args, struct ls_error *err)
{
    (void)err;
    for (size_t m = 0; m < s->modules.count; m++) {
        const struct symbols *y = s->modules.at[m].symbols;
        if (s->modules.at[m].linked)
            continue;
        for (size_t k = 0; k < y->globals.count; k++) {
            struct text text = {0};
            const struct variable *v = &y->globals.at[k];
            if (v->kind != VARIABLE_SYMBOL || !strstr(v->name, args))
                continue;
            type_text(v->type, &text);
            session_say(s, "%s: %s\n", v->name, text.at ? text.at : "");
            text_free(&text);
        }
    }
    return true;
}

bool
info_functions(struct session *s, const char *args, struct ls_error *err)
{
    (void)err;
    for (size_t m = 0; m < s->modules.count; m++) {
        const struct symbols *y = s->modules.at[m].symbols;
        if (s->modules.at[m].linked)
            continue;
        for (size_t k = 0; k < y->function_count; k++) {
            const struct source_function *f = &y->functions[k];
            if (f->end > f->first && strstr(f->name, args))
                session_say(s, "%s  %s%s\n", session_where(s, &s->modules.at[m], f->first),
                            f->ptx->is_kernel ? "kernel " : "", f->name);
        }
    }
    return true;
}

/* -- registers --------------------------------------------------------------------------------- */

static bool
wanted(const char *args, const char *name)
{
    size_t n = strlen(name);
    if (!*args)
        return true;
    for (const char *p = args; (p = strstr(p, name)); p += n) {
        bool begins = p == args || p[-1] == ' ' || p[-1] == '$' || p[-1] == '%';
        if (begins && (!p[n] || p[n] == ' '))
            return true;
    }
    return false;
}

static void
show_register(struct session *s, const struct ptx_reg *r, const uint64_t value[2])
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)r->type);
    float f;
    double d;
    if (r->type == PTX_PRED) {
        session_say(s, "%-8s %s\n", r->name, value[0] & 1 ? "true" : "false");
        return;
    }
    session_say(s, "%-8s 0x%-18llx ", r->name, (unsigned long long)value[0]);
    memcpy(&f, value, sizeof f);
    memcpy(&d, value, sizeof d);
    if (ptx_type_kind((enum ptx_type)r->type) == 'f' && bytes >= 4)
        session_say(s, "%.9g\n", bytes == 8 ? d : (double)f);
    else
        session_say(s, "%lld\n",
                    bytes == 8   ? (long long)value[0]
                    : bytes == 4 ? (long long)(int32_t)value[0]
                    : bytes == 2 ? (long long)(int16_t)value[0]
                                 : (long long)(int8_t)value[0]);
}

bool
info_registers(struct session *s, const char *args, struct ls_error *err)
{
    if (!session_need_focus(s, err))
        return false;
    struct world w = session_here(s);
    const struct ptx_func *f = w.function ? w.function->ptx : NULL;
    uint32_t n = f ? f->reg_count : 0, shown = 0;
    uint64_t(*values)[2] = ls_alloc(sizeof *values * (n + 1));
    uint8_t *known = ls_alloc(n + 1);
    bool fine = target_registers(&s->target, &w.who, n, values, known, err);
    if (fine && wanted(args, "pc")) {
        session_say(s, "%-8s %u\n", "pc", w.place);
        shown++;
    }
    for (uint32_t k = 0; fine && k < n; k++) {
        if (!wanted(args, f->regs[k].name + 1))
            continue;
        shown++;
        if (known[k])
            show_register(s, &f->regs[k], values[k]);
        else if (*args)
            session_say(s, "%-8s <not available>\n", f->regs[k].name);
    }
    ls_release(values);
    ls_release(known);
    return fine && (shown || ls_fail(err, LS_ERR_INPUT, "Invalid register `%s'", args));
}

/* -- source ------------------------------------------------------------------------------------ */

static bool
place_of(struct session *s, const char *args, const char **file, uint32_t *line,
         struct ls_error *err)
{
    struct place_list found = {0};
    bool fine = breakpoints_find(s, args, &found, err);
    if (fine)
        fine = symbols_place_line(s->modules.at[found.at[0].module].symbols, found.at[0].place,
                                  file, line);
    VEC_FREE(&found);
    return fine;
}

static void
show_lines(struct session *s, const char *file, uint32_t from, uint32_t to)
{
    uint32_t last = source_count(s, file);
    s->list.file = file;
    s->list.last_first = from;
    for (uint32_t k = from; k <= to && k <= last; k++)
        source_show(s, file, k);
    s->list.next = to < last ? to + 1 : last + 1;
}

/* "12" and "t.cu:12" are lines whether they have code or not. */
static bool
list_argument(struct session *s, const char *args, const char **file, uint32_t *line,
              struct ls_error *err)
{
    uint64_t n;
    const char *colon = strrchr(args, ':');
    if (ls_parse_u64(args, &n) && *file) {
        *line = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1;
        return true;
    }
    if (colon && colon > args && colon[-1] != ':' && ls_parse_u64(colon + 1, &n)) {
        const char *meant = arena_strndup(&s->scratch, args, (size_t)(colon - args));
        for (size_t k = 0; k < s->modules.count; k++)
            for (size_t f = 0; f < s->modules.at[k].symbols->files.count; f++)
                if (source_is(s->modules.at[k].symbols->files.at[f], meant)) {
                    *file = s->modules.at[k].symbols->files.at[f];
                    *line = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1;
                    return true;
                }
        return ls_fail(err, LS_ERR_INPUT, "No source file named %s.", meant);
    }
    return place_of(s, args, file, line, err);
}

bool
cmd_list(struct session *s, const char *args, struct ls_error *err)
{
    const char *file = s->list.file ? s->list.file : source_current(s);
    uint32_t line = s->list.next, size = s->list.size;
    const char *comma = strchr(args, ',');
    if (!file && !*args)
        return ls_fail(err, LS_ERR_INPUT,
                       "No kernel of the program is known yet: write "
                       "`list FILE:LINE'");
    if (!strcmp(args, "-")) {
        uint32_t before = s->list.last_first ? s->list.last_first : line;
        if (before <= 1)
            return ls_fail(err, LS_ERR_INPUT, "Already at the start of %s.", source_base(file));
        show_lines(s, file, before > size ? before - size : 1, before - 1);
        return true;
    }
    if (comma) {
        uint32_t to;
        const char *first = arena_strndup(&s->scratch, args, (size_t)(comma - args));
        const char *second = word_skip(comma + 1);
        if (!list_argument(s, first, &file, &line, err) ||
            !list_argument(s, second, &file, &to, err))
            return false;
        show_lines(s, file, line, to);
        return true;
    }
    if (*args) {
        if (!list_argument(s, args, &file, &line, err))
            return false;
        line = line > size / 2 ? line - size / 2 : 1;
    } else if (!line) {
        const char *unused;
        const struct module *m = session_module(s);
        if (m && session_place(s) != NO_PLACE)
            symbols_place_line(m->symbols, session_place(s), &unused, &line);
        line = line > size / 2 ? line - size / 2 : 1;
    }
    if (!source_count(s, file))
        return ls_fail(err, LS_ERR_INPUT, "%s: No such file or directory.", file);
    if (line > source_count(s, file))
        return ls_fail(err, LS_ERR_INPUT, "Line number %u out of range; \"%s\" has %u lines.", line,
                       source_base(file), source_count(s, file));
    show_lines(s, file, line, line + size - 1);
    return true;
}

bool
info_source(struct session *s, const char *args, struct ls_error *err)
{
    (void)args, (void)err;
    const char *file = source_current(s);
    if (file)
        session_say(s, "Current source file is %s\nContains %u lines.\n", file,
                    source_count(s, file));
    else
        session_say(s, "No current source file.\n");
    return true;
}

bool
info_line(struct session *s, const char *args, struct ls_error *err)
{
    struct place_list found = {0};
    if (!breakpoints_find(s, args, &found, err)) {
        VEC_FREE(&found);
        return false;
    }
    for (size_t k = 0; k < found.count; k++) {
        const struct module *m = &s->modules.at[found.at[k].module];
        uint32_t from = found.at[k].place, to = from;
        const struct source_function *f = symbols_function_at(m->symbols, from);
        while (to < f->end && m->symbols->line_of[to] == m->symbols->line_of[from])
            to++;
        session_say(s, "%s: places %u to %u in %s\n", session_where(s, m, from), from, to - 1,
                    f->name);
    }
    VEC_FREE(&found);
    return true;
}
