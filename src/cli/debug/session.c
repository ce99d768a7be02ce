/* SPDX-License-Identifier: Apache-2.0
 *
 * session.c: modules, the thread in focus and what expressions are evaluated in.
 */
#define _GNU_SOURCE /* memmem */
#include "cli/debug/session.h"

#include "ptx/ptx.h"
#include "cli/text/console.h"

#include <stdlib.h>
#include <string.h>

void
session_init(struct session *s)
{
    console_plain(); /* libedit writes to the terminal by itself, and lines are folded below */
    *s = (struct session){.out = stdout, .program_out = {-1, -1}, .list.size = 10, .elements = 200};
}

void
session_forget_stop(struct session *s)
{
    ls_release(s->focus.frames);
    s->focus = (struct focus){0};
    s->launch.stands = s->launch.over = false;
}

void
session_fini(struct session *s)
{
    target_fini(&s->target);
    session_forget_stop(s);
    findings_forget(s);
    while (s->breaks.all.count)
        breakpoints_remove(s, s->breaks.all.at[0]);
    for (size_t k = 0; k < s->modules.count; k++)
        symbols_free(s->modules.at[k].symbols);
    for (size_t k = 0; k < s->shown.all.count; k++)
        ls_release(s->shown.all.at[k].text);
    for (size_t k = 0; k < s->variables.count; k++)
        ls_release(s->variables.at[k].name);
    for (size_t k = 0; k < s->sources.count; k++) {
        VEC_FREE(&s->sources.at[k]->lines);
        ls_release(s->sources.at[k]->text);
        ls_release(s->sources.at[k]->name);
        ls_release(s->sources.at[k]);
    }
    text_free(&s->breaks.after);
    text_free(&s->said);
    VEC_FREE(&s->modules);
    VEC_FREE(&s->breaks.all);
    VEC_FREE(&s->shown.all);
    VEC_FREE(&s->history);
    VEC_FREE(&s->variables);
    VEC_FREE(&s->sources);
    arena_free(&s->keep);
    arena_free(&s->scratch);
}

void
session_say(struct session *s, const char *format, ...)
{
    va_list list;
    char *text = NULL, *end;
    va_start(list, format);
    if (!columns_of(s->out)) {
        vfprintf(s->out, format, list);
    } else if (vasprintf(&text, format, list) >= 0) {
        text_add(&s->said, "%s", text);
        end = s->said.count ? strrchr(s->said.at, '\n') : NULL;
        if (end) {
            char *rest = strdup(end + 1);
            end[1] = 0;
            columns_print(s->out, s->said.at, false);
            s->said.count = 0;
            text_add(&s->said, "%s", rest ? rest : "");
            free(rest);
        }
        free(text);
    }
    va_end(list);
}

void
session_said(struct session *s)
{
    if (s->said.count)
        fputs(s->said.at, s->out);
    s->said.count = 0;
}

/* -- modules ----------------------------------------------------------------------------------- */

static bool
add_module(struct session *s, const char *text, size_t size, struct ls_error *err)
{
    char *copy = ls_alloc(size + 1);
    memcpy(copy, text, size);
    const char *name = s->name ? s->name : "module";
    const char *path = ls_ends_with(name, ".ptx")
                           ? arena_strdup(&s->keep, name)
                           : arena_printf(&s->keep, "%s.ptx", source_base(name));
    struct symbols *symbols = symbols_read(copy, size, path, err);
    if (symbols)
        VEC_PUSH(&s->modules, ((struct module){.symbols = symbols}));
    return symbols != NULL;
}

bool
session_read_executable(struct session *s, struct ls_error *err)
{
    size_t size;
    struct ls_error why = {0};
    if (s->name && ls_ends_with(s->name, ".ptx")) {
        char *text = ls_read_file(s->name, &size, err);
        bool fine = text && add_module(s, text, size, err);
        ls_release(text);
        return fine;
    }
    char *image = ls_read_file(s->path, &size, &why);
    if (!image) /* a command on the PATH: its modules come while it runs */
        return true;
    const char *p = image, *end = image + size;
    for (const char *text; (text = ptx_next_container(p, end, &size)); p = text + size) {
        if (!add_module(s, text, size, &why) && why.status == LS_ERR_SYSTEM) {
            ls_release(image);
            if (err)
                *err = why;
            return false;
        }
    }
    ls_release(image);
    return true;
}

/* A program of several units has one module, linked when it starts: variables are the units'. */
static void
take_units(struct session *s)
{
    struct ls_error unused;
    struct symbols *whole = s->modules.at[s->modules.count - 1].symbols;
    for (size_t k = 0; k + 1 < s->modules.count; k++) {
        struct module *unit = &s->modules.at[k];
        if (unit->loaded || !symbols_is_unit_of(unit->symbols, whole))
            continue;
        symbols_read_dwarf(whole, unit->symbols, &unused);
        unit->linked = true;
    }
}

uint32_t
session_take_module(struct session *s, struct ls_error *err)
{
    const struct text *text = &s->target.payload;
    for (uint32_t k = 0; k < s->modules.count; k++) {
        struct module *m = &s->modules.at[k];
        size_t size = m->symbols->text_size;
        bool same = !m->loaded && text->count >= size && text->count - size <= 1 &&
                    !memcmp(text->at, m->symbols->text, size);
        if (!same)
            continue;
        m->loaded = true;
        m->number = s->target.module.number;
        return k;
    }
    if (!add_module(s, text->at, text->count, err))
        return UINT32_MAX;
    take_units(s);
    struct module *m = &s->modules.at[s->modules.count - 1];
    m->loaded = true;
    m->number = s->target.module.number;
    return (uint32_t)s->modules.count - 1;
}

const struct module *
session_module(const struct session *s)
{
    return s->launch.stands && s->launch.module < s->modules.count
               ? &s->modules.at[s->launch.module]
               : NULL;
}

/* -- threads ----------------------------------------------------------------------------------- */

struct debug_thread
session_thread_of(const struct session *s, const uint32_t block[3], uint32_t warp, uint32_t lane)
{
    const uint32_t *n = s->target.stop.block;
    uint32_t linear = warp * 32 + lane, x = n[0] ? n[0] : 1, y = n[1] ? n[1] : 1;
    return (struct debug_thread){.block = {block[0], block[1], block[2]},
                                 .thread = {linear % x, linear / x % y, linear / (x * y)}};
}

uint32_t
session_linear(const struct session *s, const struct debug_thread *t)
{
    const uint32_t *n = s->target.stop.block;
    return (t->thread[2] * n[1] + t->thread[1]) * n[0] + t->thread[0];
}

bool
session_same_thread(const struct debug_thread *a, const struct debug_thread *b)
{
    return !memcmp(a, b, sizeof *a);
}

/* The innermost frame whose source is known; 0: none is. */
static uint32_t
frame_with_source(const struct session *s, const struct debug_frame *frames, uint32_t count)
{
    const struct module *m = session_module(s);
    for (uint32_t k = 0; k < count && m; k++) {
        const struct source_function *f = symbols_function_at(m->symbols, frames[k].place);
        if (f && f->has_lines)
            return k;
    }
    return 0;
}

uint32_t
session_seen(struct session *s, const struct debug_thread *t, uint32_t place)
{
    const struct module *m = session_module(s);
    const struct source_function *f = m ? symbols_function_at(m->symbols, place) : NULL;
    struct ls_error unused;
    uint32_t count = 0;
    if (!f || f->has_lines || f->ptx->is_kernel)
        return place;
    struct debug_frame *frames = target_frames(&s->target, t, &count, &unused);
    place = count ? frames[frame_with_source(s, frames, count)].place : place;
    ls_release(frames);
    return place;
}

bool
session_focus(struct session *s, const struct debug_thread *thread, struct ls_error *err)
{
    struct focus f = {.valid = true, .thread = *thread};
    f.frames = target_frames(&s->target, thread, &f.frame_count, err);
    if (!f.frames)
        return false;
    if (!f.frame_count) {
        ls_release(f.frames);
        return ls_fail(err, LS_ERR_INPUT, "thread %s of block %s has exited, or not begun",
                       session_triple(s, thread->thread), session_triple(s, thread->block));
    }
    f.frame = frame_with_source(s, f.frames, f.frame_count);
    ls_release(s->focus.frames);
    s->focus = f;
    return true;
}

bool
session_need_focus(const struct session *s, struct ls_error *err)
{
    if (s->target.state != TARGET_STANDS)
        return ls_fail(err, LS_ERR_USAGE, "The program is not being run.");
    if (!s->launch.stands)
        return ls_fail(err, LS_ERR_USAGE, "No kernel is being run.");
    return s->focus.valid ||
           ls_fail(err, LS_ERR_USAGE, "No thread is in focus: choose one with `cuda thread'.");
}

uint32_t
session_place(const struct session *s)
{
    return s->focus.valid ? s->focus.frames[s->focus.frame].place : NO_PLACE;
}

/* -- worlds ------------------------------------------------------------------------------------ */

static bool
world_read(void *context, const struct debug_memory *at, void *out, struct ls_error *err)
{
    return target_read(&((struct session *)context)->target, at, out, err);
}

static bool
world_write(void *context, const struct debug_memory *at, const void *in, struct ls_error *err)
{
    return target_write(&((struct session *)context)->target, at, in, err);
}

static bool
world_symbol(void *context, const struct debug_who *who, const char *name, struct debug_symbol *out,
             struct ls_error *err)
{
    return target_symbol(&((struct session *)context)->target, who, name, out, err);
}

static bool
world_register(void *context, const struct debug_who *who, uint32_t index, uint64_t out[2],
               struct ls_error *err)
{
    struct session *s = context;
    uint32_t count = 0, function = 0;
    const struct module *m = session_module(s);
    struct debug_frame *frames = target_frames(&s->target, &who->thread, &count, err);
    if (!frames)
        return false;
    bool fine = m && who->frame < count;
    if (fine)
        function = frames[who->frame].function;
    ls_release(frames);
    uint32_t n = fine && function < m->symbols->function_count
                     ? m->symbols->functions[function].ptx->reg_count
                     : 0;
    if (index >= n)
        return ls_fail(err, LS_ERR_INPUT, "no such register in this frame");
    uint64_t(*values)[2] = ls_alloc(sizeof *values * n);
    uint8_t *known = ls_alloc(n);
    fine = target_registers(&s->target, who, n, values, known, err);
    if (fine && !known[index])
        fine = ls_fail(err, LS_ERR_INPUT, "<optimized out>: register %s holds nothing now",
                       m->symbols->functions[function].ptx->regs[index].name);
    if (fine)
        memcpy(out, values[index], sizeof *values);
    ls_release(values);
    ls_release(known);
    return fine;
}

static bool
from_history(struct session *s, const char *name, struct value *out)
{
    uint64_t n;
    size_t count = s->history.count;
    if (!*name)
        n = count;
    else if (!strcmp(name, "$"))
        n = count ? count - 1 : 0;
    else if (!ls_parse_u64(*name == '$' ? name + 1 : name, &n))
        return false;
    else if (*name == '$')
        n = count > n ? count - n : 0;
    if (!n || n > count)
        return false;
    *out = s->history.at[n - 1];
    return true;
}

static bool
world_variable(void *context, const char *name, struct value *out)
{
    struct session *s = context;
    struct type *number = type_base("unsigned long");
    if (from_history(s, name, out))
        return true;
    for (size_t k = 0; k < s->variables.count; k++)
        if (!strcmp(s->variables.at[k].name, name)) {
            *out = s->variables.at[k].value;
            out->place = VALUE_VARIABLE;
            out->name = s->variables.at[k].name;
            return true;
        }
    struct world w = {.arena = &s->scratch, .types = &s->keep};
    const struct {
        const char *name;
        uint64_t value;
        bool there;
    } own[] = {
        {"position", s->target.stop.position, s->launch.stands},
        {"launch", s->target.stop.launch, s->launch.stands},
        {"lane", s->focus.valid ? session_linear(s, &s->focus.thread) % 32 : 0, s->focus.valid},
        {"warp", s->focus.valid ? session_linear(s, &s->focus.thread) / 32 : 0, s->focus.valid},
        {"_exitcode", (uint64_t)s->target.exit_status, s->target.exited},
    };
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (!strcmp(own[k].name, name) && own[k].there) {
            *out = value_of_integer(&w, number, (int64_t)own[k].value);
            return true;
        }
    return false;
}

static bool
world_set(void *context, const char *name, const struct value *v, struct ls_error *err)
{
    struct session *s = context;
    if (!*name || strspn(name, "0123456789$") == strlen(name))
        return ls_fail(err, LS_ERR_INPUT, "Attempt to assign to a value of the history.");
    struct world w = {.arena = &s->keep, .types = &s->keep};
    struct value kept = value_of_bytes(&w, v->type, v->bytes);
    for (size_t k = 0; k < s->variables.count; k++)
        if (!strcmp(s->variables.at[k].name, name)) {
            s->variables.at[k].value = kept;
            return true;
        }
    VEC_PUSH(&s->variables, ((struct convenience){strcpy(ls_alloc(strlen(name) + 1), name), kept}));
    return true;
}

static const struct world_ops ops = {world_read,     world_write,    world_symbol,
                                     world_register, world_variable, world_set};

struct world
session_world(struct session *s, const struct debug_thread *thread, const struct debug_frame *frame,
              uint32_t number)
{
    const struct module *m = session_module(s);
    struct world w = {.arena = &s->scratch,
                      .types = &s->keep,
                      .ops = &ops,
                      .context = s,
                      .elements = s->elements};
    if (!m)
        return w;
    w.symbols = m->symbols;
    w.live = true;
    w.who = (struct debug_who){.thread = *thread, .frame = number};
    memcpy(w.grid, s->target.stop.grid, sizeof w.grid);
    memcpy(w.block, s->target.stop.block, sizeof w.block);
    w.place = frame ? frame->place : NO_PLACE;
    w.function = frame ? symbols_function_at(m->symbols, frame->place) : NULL;
    w.scope = symbols_scope_at(w.function, w.place);
    return w;
}

struct world
session_here(struct session *s)
{
    if (s->launch.stands && s->focus.valid)
        return session_world(s, &s->focus.thread, &s->focus.frames[s->focus.frame], s->focus.frame);
    struct world w = {.arena = &s->scratch,
                      .types = &s->keep,
                      .ops = &ops,
                      .context = s,
                      .elements = s->elements};
    for (size_t k = s->modules.count; k-- > 0;)
        if (!s->modules.at[k].linked)
            w.symbols = s->modules.at[k].symbols;
    return w;
}

/* -- words ------------------------------------------------------------------------------------- */

const char *
session_triple(struct session *s, const uint32_t at[3])
{
    return arena_printf(&s->scratch, "(%u,%u,%u)", at[0], at[1], at[2]);
}

const char *
session_where(struct session *s, const struct module *m, uint32_t place)
{
    const char *file;
    uint32_t line;
    if (!m || place == NO_PLACE || !symbols_place_line(m->symbols, place, &file, &line))
        return "?";
    return arena_printf(&s->scratch, "%s:%u", source_base(file), line);
}

const char *
session_where_lane(struct session *s, const struct debug_warp *w, uint32_t lane)
{
    struct debug_thread t = session_thread_of(s, w->block, w->warp, lane);
    return session_where(s, session_module(s), session_seen(s, &t, w->place[lane]));
}

const char *
session_kernel(struct session *s)
{
    const struct module *m = session_module(s);
    const struct debug_stop *stop = &s->target.stop;
    const char *name = m && stop->kernel < m->symbols->function_count
                           ? m->symbols->functions[stop->kernel].name
                           : "?";
    return arena_printf(&s->scratch, "kernel %s<<<%s,%s>>>", name, session_triple(s, stop->grid),
                        session_triple(s, stop->block));
}
