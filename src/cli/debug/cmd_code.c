/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_code.c: PTX beside the source.
 */
#include "cli/debug/commands.h"

#include <string.h>

static void
show_insn(struct session *s, const struct source_function *f, uint32_t place, bool here)
{
    struct text text = {0};
    ptx_print_insn(f->ptx, &f->ptx->insns[place - f->first], &text);
    const char *p = text.at ? word_skip(text.at) : "";
    session_say(s, "%s %6u  %.*s\n", here ? "=>" : "  ", place, (int)strcspn(p, "\n"), p);
    text_free(&text);
}

/* The source's line above the first instruction of each. */
static void
show_places(struct session *s, const struct module *m, const struct source_function *f,
            uint32_t from, uint32_t to, bool sources)
{
    const char *file, *last_file = NULL;
    uint32_t line, last = 0;
    for (uint32_t p = from; p < to; p++) {
        if (sources && symbols_place_line(m->symbols, p, &file, &line) &&
            (line != last || file != last_file)) {
            source_show(s, file, line);
            last = line;
            last_file = file;
        }
        show_insn(s, f, p, p == session_place(s) && m == session_module(s));
    }
}

bool
cmd_ptx(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    const struct module *m = session_module(s);
    if (!session_need_focus(s, err))
        return false;
    uint32_t place = session_place(s), from = place, to = place + 1;
    const struct source_function *f = symbols_function_at(m->symbols, place);
    const uint32_t *line = m->symbols->line_of;
    while (from > f->first && line[from - 1] == line[place])
        from--;
    while (to < f->end && line[to] == line[place])
        to++;
    show_places(s, m, f, from, to, true);
    return true;
}

bool
code_show(struct session *s, const char *location, uint64_t count, struct ls_error *err)
{
    struct place_list found = {0};
    int64_t place = session_place(s);
    struct world w = session_here(s);
    struct value v;
    const struct module *m = session_module(s);
    if (!session_need_focus(s, err))
        return false;
    bool number = *location && strncmp(location, "$pc", 3) != 0;
    if (number && breakpoints_find(s, location, &found, err))
        place = found.at[0].place;
    else if (*location &&
             (!evaluate(&w, location, NULL, &v, err) || !value_integer(&w, &v, &place, err)))
        return false;
    VEC_FREE(&found);
    const struct source_function *f =
        place >= 0 ? symbols_function_at(m->symbols, (uint32_t)place) : NULL;
    if (!f)
        return ls_fail(err, LS_ERR_INPUT, "no instruction has the number %lld", (long long)place);
    uint64_t left = f->end - (uint32_t)place;
    show_places(s, m, f, (uint32_t)place,
                (uint32_t)(place + (int64_t)(count < left ? count : left)), false);
    return true;
}

bool
cmd_disassemble(struct session *s, const char *args, struct ls_error *err)
{
    bool sources = false;
    struct place_list found = {0};
    for (args = word_skip(args); *args == '/'; args = word_skip(args)) {
        size_t n = strcspn(args, " ");
        if (n != 2 || !strchr("smr", args[1]))
            return ls_fail(err, LS_ERR_USAGE, "Invalid disassembly modifier: %.*s", (int)n, args);
        sources = sources || args[1] != 'r';
        args += n;
    }
    if (!*args && !session_need_focus(s, err))
        return false;
    if (!breakpoints_find(s, args, &found, err)) {
        VEC_FREE(&found);
        return false;
    }
    for (size_t k = 0; k < found.count; k++) {
        const struct module *m = &s->modules.at[found.at[k].module];
        const struct source_function *f = symbols_function_at(m->symbols, found.at[k].place);
        session_say(s, "PTX of function %s:\n", f->name);
        show_places(s, m, f, f->first, f->end, sources);
    }
    VEC_FREE(&found);
    return true;
}
