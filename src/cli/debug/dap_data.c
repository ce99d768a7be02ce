/* SPDX-License-Identifier: Apache-2.0
 *
 * dap_data.c: requests about where the program stands: threads, frames, variables, code. Ids hold
 * until it goes on.
 */
#include "cli/debug/commands.h"
#include "cli/debug/dap.h"

#include <stdlib.h>
#include <string.h>

void
dap_forget(struct dap *d)
{
    d->frames.count = d->references.count = 0;
}

/* -- threads and frames ------------------------------------------------------------------------ */

/* Threads of a launch in the order of blocks and, in a block, of warps and lanes. */
json_int_t
dap_thread_id(const struct dap *d, const struct debug_thread *t)
{
    const struct debug_stop *s = &d->s.target.stop;
    uint64_t block = ((uint64_t)t->block[2] * s->grid[1] + t->block[1]) * s->grid[0] + t->block[0];
    uint64_t size = (uint64_t)s->block[0] * s->block[1] * s->block[2];
    return (json_int_t)(block * size + session_linear(&d->s, t) + 1);
}

bool
dap_thread(const struct dap *d, json_int_t id, struct debug_thread *out)
{
    const struct debug_stop *s = &d->s.target.stop;
    uint64_t size = (uint64_t)s->block[0] * s->block[1] * s->block[2];
    if (!d->s.launch.stands || id < 1 || !size || !s->grid[0] || !s->grid[1])
        return false;
    uint64_t n = (uint64_t)id - 1, block = n / size, lane = n % size;
    uint32_t at[3] = {(uint32_t)(block % s->grid[0]), (uint32_t)(block / s->grid[0] % s->grid[1]),
                      (uint32_t)(block / s->grid[0] / s->grid[1])};
    *out = session_thread_of(&d->s, at, (uint32_t)(lane / 32), (uint32_t)(lane % 32));
    return at[2] < s->grid[2];
}

/* Lanes of the block in focus, grouped by warps; of other blocks each warp's first. */
bool
dap_threads(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)a;
    struct session *s = &d->s;
    json_t *list = json_array();
    uint32_t count = 0;
    *body = json_pack("{s:o}", "threads", list);
    struct debug_warp *w = s->launch.stands && s->target.state == TARGET_STANDS
                               ? target_warps(&s->target, &count, err)
                               : NULL;
    const uint32_t *block = s->focus.valid ? s->focus.thread.block : s->target.stop.at;
    for (uint32_t k = 0; k < count; k++) {
        bool own = !memcmp(w[k].block, block, sizeof w[k].block);
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(w[k].alive >> lane & 1))
                continue;
            struct debug_thread t = session_thread_of(s, w[k].block, w[k].warp, lane);
            const char *name = arena_printf(&s->scratch, "block %s warp %u lane %u thread %s",
                                            session_triple(s, t.block), w[k].warp, lane,
                                            session_triple(s, t.thread));
            json_array_append_new(
                list, json_pack("{s:I, s:s}", "id", dap_thread_id(d, &t), "name", name));
            if (!own)
                break;
        }
    }
    if (!json_array_size(list)) /* an editor wants one */
        json_array_append_new(list, json_pack("{s:i, s:s}", "id", 1, "name", "host"));
    ls_release(w);
    return true;
}

void
dap_add_place(struct dap *d, json_t *j, uint32_t place)
{
    const char *file;
    uint32_t line;
    const struct module *m = session_module(&d->s);
    char number[16];
    snprintf(number, sizeof number, "%u", place);
    json_object_set_new(j, "instructionPointerReference", json_string(number));
    if (!m || !symbols_place_line(m->symbols, place, &file, &line))
        line = 0;
    else
        json_object_set_new(j, "source",
                            json_pack("{s:s, s:s}", "name", source_base(file), "path", file));
    json_object_set_new(j, "line", json_integer(line));
    json_object_set_new(j, "column", json_integer(line ? 1 : 0));
}

static json_t *
frame_json(struct dap *d, const struct dap_frame *f, const char *name)
{
    VEC_PUSH(&d->frames, *f);
    return json_pack("{s:i, s:s}", "id", (int)d->frames.count, "name", name);
}

/* The host's functions that made the launch: behind those of the kernel. */
static void
add_host_frames(struct dap *d, json_t *list, int64_t skipped, int64_t most)
{
    struct host_frames all;
    struct ls_error unused;
    if (!target_host(&d->s.target, &all, &unused))
        return;
    for (uint32_t k = 0; k < all.count; k++) {
        if ((int64_t)k < skipped || (most && (int64_t)json_array_size(list) >= most))
            continue;
        json_t *j = frame_json(d, &(struct dap_frame){.host = true},
                               arena_printf(&d->s.scratch, "%s (host)", all.at[k].function));
        if (*all.at[k].file)
            json_object_set_new(j, "source",
                                json_pack("{s:s, s:s}", "name", source_base(all.at[k].file), "path",
                                          all.at[k].file));
        json_object_set_new(j, "line", json_integer(all.at[k].line));
        json_object_set_new(j, "column", json_integer(all.at[k].line ? 1 : 0));
        json_object_set_new(j, "presentationHint", json_string("subtle"));
        json_array_append_new(list, j);
    }
    text_free(&all.text);
}

bool
dap_stack_trace(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    int64_t first = dap_number(a, "startFrame"), most = dap_number(a, "levels");
    uint32_t count = 0;
    struct debug_thread t;
    json_t *list = json_array();
    *body = json_pack("{s:o}", "stackFrames", list);
    if (!dap_thread(d, dap_number(a, "threadId"), &t)) {
        json_object_set_new(*body, "totalFrames", json_integer(0));
        return true;
    }
    first = first < 0 ? 0 : first;
    struct debug_frame *f = target_frames(&d->s.target, &t, &count, err);
    for (uint32_t k = (uint32_t)first; f && k < count && (!most || k < first + most); k++) {
        const struct module *m = session_module(&d->s);
        const struct source_function *in = m ? symbols_function_at(m->symbols, f[k].place) : NULL;
        json_t *j = frame_json(d, &(struct dap_frame){t, k, f[k], false}, in ? in->name : "?");
        dap_add_place(d, j, f[k].place);
        json_array_append_new(list, j);
    }
    if (f)
        add_host_frames(d, list, first > count ? first - count : 0, most);
    ls_release(f);
    return f != NULL;
}

/* -- variables --------------------------------------------------------------------------------- */

static struct world
world_of(struct dap *d, uint32_t frame)
{
    const struct dap_frame *f = &d->frames.at[frame];
    struct world w = session_world(&d->s, &f->thread, &f->at, f->number);
    w.arena = &d->s.keep; /* references hold values */
    return w;
}

static json_t *
scope_json(struct dap *d, const char *name, enum dap_what what, uint32_t frame)
{
    VEC_PUSH(&d->references, ((struct dap_reference){.what = what, .frame = frame}));
    return json_pack("{s:s, s:i, s:b}", "name", name, "variablesReference",
                     (int)d->references.count, "expensive", what == DAP_REGISTERS);
}

bool
dap_scopes(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    static const char *const names[] = {"Locals", "Arguments", "Shared memory", "Registers",
                                        "Thread"};
    int64_t id = dap_number(a, "frameId");
    json_t *list = json_array();
    *body = json_pack("{s:o}", "scopes", list);
    if (id < 1 || (size_t)id > d->frames.count)
        return ls_fail(err, LS_ERR_USAGE, "there is no frame %lld", (long long)id);
    if (d->frames.at[id - 1].host)
        return true;
    for (int k = DAP_LOCALS; k <= DAP_THREAD; k++)
        json_array_append_new(list, scope_json(d, names[k], (enum dap_what)k, (uint32_t)id - 1));
    return true;
}

static int
reference_of(struct dap *d, uint32_t frame, struct value *v)
{
    struct type *t = type_plain(v->type);
    bool points = t->kind == TYPE_POINTER && type_plain(t->of)->kind != TYPE_VOID &&
                  type_plain(t->of)->kind != TYPE_FUNCTION;
    bool has_parts = !v->gone && (t->kind == TYPE_ARRAY || points || t->kind == TYPE_REFERENCE ||
                                  (type_is_aggregate(t) && !value_is_half(t)));
    if (!has_parts)
        return 0;
    VEC_PUSH(&d->references,
             ((struct dap_reference){.what = DAP_VALUE, .frame = frame, .value = *v}));
    return (int)d->references.count;
}

static json_t *
variable_json(struct dap *d, uint32_t frame, const char *name, struct value *v)
{
    struct world w = world_of(d, frame);
    struct text text = {0}, type = {0};
    struct ls_error err = {0};
    bool fine = format_short(&w, v, 0, &text, &err);
    type_text(v->type, &type);
    json_t *j = json_pack("{s:s, s:s, s:s, s:i}", "name", name, "value",
                          fine && text.at ? text.at : err.text, "type", type.at ? type.at : "",
                          "variablesReference", fine ? reference_of(d, frame, v) : 0);
    int64_t at;
    if (type_plain(v->type)->kind == TYPE_POINTER && !v->gone && value_integer(&w, v, &at, &err))
        json_object_set_new(
            j, "memoryReference",
            json_string(arena_printf(&d->s.scratch, "0x%llx", (unsigned long long)at)));
    if (type_plain(v->type)->kind == TYPE_ARRAY)
        json_object_set_new(j, "indexedVariables",
                            json_integer((json_int_t)type_plain(v->type)->count));
    text_free(&text);
    text_free(&type);
    return j;
}

static void
add_named(struct dap *d, uint32_t frame, json_t *list, const struct variable *v)
{
    struct world w = world_of(d, frame);
    struct ls_error err = {0};
    struct value value;
    if (lookup_variable(&w, v, &value, &err))
        json_array_append_new(list, variable_json(d, frame, v->name, &value));
    else
        json_array_append_new(list, json_pack("{s:s, s:s, s:i}", "name", v->name, "value", err.text,
                                              "variablesReference", 0));
}

static bool
is_shared(struct dap *d, uint32_t frame, const struct variable *v)
{
    const struct ptx_module *m = session_module(&d->s)->symbols->module;
    struct world w = world_of(d, frame);
    const struct ptx_func *f = w.function ? w.function->ptx : NULL;
    for (uint32_t k = 0; v->symbol && f && k < f->var_count; k++)
        if (!strcmp(f->vars[k]->name, v->symbol))
            return f->vars[k]->space == PTX_SPACE_SHARED;
    const struct ptx_var *p = v->symbol ? ptx_find_var(m, v->symbol) : NULL;
    return p && p->space == PTX_SPACE_SHARED;
}

static void
add_scope(struct dap *d, const struct dap_reference *r, json_t *list)
{
    struct world w = world_of(d, r->frame);
    for (const struct scope *c = w.scope; c; c = c->parent)
        for (size_t k = 0; k < c->variable_count; k++) {
            const struct variable *v = &c->variables[k];
            enum dap_what what = v->parameter                ? DAP_ARGUMENTS
                                 : is_shared(d, r->frame, v) ? DAP_SHARED
                                                             : DAP_LOCALS;
            if (what == r->what)
                add_named(d, r->frame, list, v);
        }
}

static void
add_expression(struct dap *d, uint32_t frame, json_t *list, const char *text)
{
    struct world w = world_of(d, frame);
    struct ls_error unused;
    struct value v;
    if (evaluate(&w, text, NULL, &v, &unused))
        json_array_append_new(list, variable_json(d, frame, text, &v));
}

static void
add_registers(struct dap *d, uint32_t frame, json_t *list)
{
    struct world w = world_of(d, frame);
    const struct ptx_func *f = w.function ? w.function->ptx : NULL;
    uint32_t n = f ? f->reg_count : 0;
    uint64_t(*values)[2] = ls_alloc(sizeof *values * (n + 1));
    uint8_t *known = ls_alloc(n + 1);
    struct ls_error unused;
    bool fine = target_registers(&d->s.target, &w.who, n, values, known, &unused);
    for (uint32_t k = 0; fine && k < n; k++)
        if (known[k])
            add_expression(d, frame, list, arena_printf(&d->s.scratch, "$%s", f->regs[k].name + 1));
    ls_release(values);
    ls_release(known);
}

/* Members, elements, or what is pointed to. */
static bool
add_parts(struct dap *d, struct dap_reference r, json_t *a, json_t *list, struct ls_error *err)
{
    enum { MOST = 1000 };
    struct world w = world_of(d, r.frame);
    struct value part;
    if (!value_follow(&w, &r.value, err))
        return false;
    struct type *t = type_plain(r.value.type);
    if (t->kind == TYPE_POINTER) {
        if (!value_deref(&w, &r.value, &part, err))
            return false;
        json_array_append_new(list, variable_json(d, r.frame, "*", &part));
        return true;
    }
    if (t->kind == TYPE_ARRAY) {
        uint64_t from = (uint64_t)dap_number(a, "start"), n = (uint64_t)dap_number(a, "count");
        n = n && n < MOST ? n : MOST;
        for (uint64_t k = from; k < t->count && k < from + n; k++)
            if (value_index(&w, &r.value, (int64_t)k, &part, err))
                json_array_append_new(list, variable_json(d, r.frame,
                                                          arena_printf(&d->s.scratch, "[%llu]",
                                                                       (unsigned long long)k),
                                                          &part));
        return true;
    }
    for (size_t k = 0; k < t->member_count; k++)
        if (!t->members[k].is_static && *t->members[k].name &&
            value_member(&w, &r.value, t->members[k].name, &part, err))
            json_array_append_new(list, variable_json(d, r.frame, t->members[k].name, &part));
    return true;
}

static bool
reference_at(struct dap *d, json_t *a, struct dap_reference *out, struct ls_error *err)
{
    json_int_t id = dap_number(a, "variablesReference");
    if (id < 1 || (size_t)id > d->references.count)
        return ls_fail(err, LS_ERR_USAGE, "there is no variablesReference %lld", (long long)id);
    *out = d->references.at[id - 1];
    return d->s.launch.stands || ls_fail(err, LS_ERR_USAGE, "no kernel is being run");
}

bool
dap_variables(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    static const char *const own[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                      "$warp",     "$lane",    "$pc",      "$position"};
    struct dap_reference r;
    json_t *list = json_array();
    *body = json_pack("{s:o}", "variables", list);
    if (!reference_at(d, a, &r, err))
        return false;
    switch (r.what) {
    case DAP_LOCALS:
    case DAP_ARGUMENTS:
    case DAP_SHARED: add_scope(d, &r, list); return true;
    case DAP_REGISTERS: add_registers(d, r.frame, list); return true;
    case DAP_THREAD:
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            add_expression(d, r.frame, list, own[k]);
        return true;
    case DAP_VALUE: break;
    }
    return add_parts(d, r, a, list, err);
}

/* A name in a scope, or of a part. */
static bool
child(struct dap *d, struct world *w, const struct dap_reference *r, const char *name,
      struct value *out, struct ls_error *err)
{
    struct value whole = r->value;
    uint64_t index;
    if (r->what != DAP_VALUE)
        return evaluate(w, name, NULL, out, err);
    if (!strcmp(name, "*"))
        return value_deref(w, &whole, out, err);
    const char *digits =
        *name == '[' ? arena_strndup(&d->s.scratch, name + 1, strlen(name) - 2) : "";
    if (*name == '[' && ls_parse_u64(digits, &index))
        return value_index(w, &whole, (int64_t)index, out, err);
    return value_member(w, &whole, name, out, err);
}

bool
dap_set_variable(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    struct dap_reference r;
    struct value to, from;
    const char *name = dap_text(a, "name"), *value = dap_text(a, "value");
    if (!name || !value || !*name)
        return ls_fail(err, LS_ERR_USAGE, "setVariable: no name, or no value");
    if (!reference_at(d, a, &r, err))
        return false;
    struct world w = world_of(d, r.frame);
    if (!child(d, &w, &r, name, &to, err) || !evaluate(&w, value, NULL, &from, err) ||
        !value_assign(&w, &to, &from, err))
        return false;
    *body = variable_json(d, r.frame, name, &to);
    json_object_del(*body, "name");
    return true;
}

/* Where an expression is meant: in the frame, or wherever the debugger stands; *index: the frame's
 * index, -1: none. */
static bool
world_meant(struct dap *d, json_t *a, struct world *w, int64_t *index, struct ls_error *err)
{
    int64_t id = dap_number(a, "frameId");
    bool in_frame = id >= 1 && (size_t)id <= d->frames.count && d->s.launch.stands;
    *index = in_frame ? id - 1 : -1;
    if (in_frame && d->frames.at[id - 1].host)
        return ls_fail(err, LS_ERR_USAGE,
                       "this frame is the host's: its variables are for the "
                       "host's own debugger");
    *w = in_frame ? world_of(d, (uint32_t)id - 1) : session_here(&d->s);
    return true;
}

/* A value as evaluate and setExpression answer it: `key` is what they call it. */
static bool
value_json(struct dap *d, struct world *w, int64_t index, struct value *v, const char *key,
           json_t **body, struct ls_error *err)
{
    if (index >= 0) {
        *body = variable_json(d, (uint32_t)index, "", v);
        json_t *text = json_incref(json_object_get(*body, "value"));
        json_object_del(*body, "value");
        json_object_set_new(*body, key, text);
        json_object_del(*body, "name");
        return true;
    }
    struct text out = {0};
    bool fine = format_short(w, v, 0, &out, err);
    if (fine)
        *body = json_pack("{s:s, s:i}", key, out.at ? out.at : "", "variablesReference", 0);
    text_free(&out);
    return fine;
}

bool
dap_evaluate(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    const char *text = dap_text(a, "expression"), *context = dap_text(a, "context");
    int64_t index;
    struct world w;
    struct value v;
    if (!text)
        return ls_fail(err, LS_ERR_USAGE, "evaluate: no expression");
    bool repl = context && !strcmp(context, "repl");
    if (!world_meant(d, a, &w, &index, err))
        return false;
    w.no_effects = !repl;
    if (evaluate(&w, text, NULL, &v, err))
        return value_json(d, &w, index, &v, "result", body, err);
    return repl && command_is(&d->s, text) && dap_command(d, text, body, err);
}

bool
dap_set_expression(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    const char *text = dap_text(a, "expression"), *value = dap_text(a, "value");
    int64_t index;
    struct world w;
    struct value to, from;
    if (!text || !value)
        return ls_fail(err, LS_ERR_USAGE, "setExpression: no expression, or no value");
    return world_meant(d, a, &w, &index, err) && evaluate(&w, text, NULL, &to, err) &&
           evaluate(&w, value, NULL, &from, err) && value_assign(&w, &to, &from, err) &&
           value_json(d, &w, index, &to, "value", body, err);
}

bool
dap_named(struct dap *d, json_t *a, struct world *w, struct value *out, struct ls_error *err)
{
    struct dap_reference r = {.what = DAP_LOCALS};
    const char *name = dap_text(a, "name");
    int64_t index;
    if (!json_object_get(a, "variablesReference"))
        return world_meant(d, a, w, &index, err) &&
               (index >= 0 || ls_fail(err, LS_ERR_USAGE, "dataBreakpointInfo: no frame")) &&
               (w->no_effects = true, evaluate(w, name, NULL, out, err));
    if (!reference_at(d, a, &r, err))
        return false;
    *w = world_of(d, r.frame);
    w->no_effects = true;
    return child(d, w, &r, name, out, err);
}
