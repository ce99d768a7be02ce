/* SPDX-License-Identifier: Apache-2.0
 *
 * dap_data.c: requests about where the program stands: threads, frames, variables, code. Ids hold
 * until it goes on.
 */
#include "cli/debug/dap.h"

#include <stdlib.h>
#include <string.h>

static const char *
text_of(json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static int64_t
number_of(json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

void
dap_forget(struct dap *d)
{
    d->threads.count = d->frames.count = d->references.count = 0;
}

/* -- threads and frames ------------------------------------------------------------------------ */

uint32_t
dap_thread_id(struct dap *d, const struct debug_thread *thread)
{
    for (size_t k = 0; k < d->threads.count; k++)
        if (session_same_thread(&d->threads.at[k], thread))
            return (uint32_t)k + 1;
    VEC_PUSH(&d->threads, *thread);
    return (uint32_t)d->threads.count;
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
    struct debug_warp *w = s->stands && s->target.state == TARGET_STANDS
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
                list, json_pack("{s:i, s:s}", "id", (int)dap_thread_id(d, &t), "name", name));
            if (!own)
                break;
        }
    }
    if (!json_array_size(list)) /* an editor wants one */
        json_array_append_new(list, json_pack("{s:i, s:s}", "id", 1, "name", "host"));
    ls_release(w);
    return true;
}

static void
add_place(struct dap *d, json_t *j, uint32_t place)
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

bool
dap_stack_trace(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    int64_t id = number_of(a, "threadId"), first = number_of(a, "startFrame"),
            most = number_of(a, "levels");
    uint32_t count = 0;
    json_t *list = json_array();
    *body = json_pack("{s:o}", "stackFrames", list);
    if (!d->s.stands || id < 1 || (size_t)id > d->threads.count) {
        json_object_set_new(*body, "totalFrames", json_integer(0));
        return true;
    }
    struct debug_thread t = d->threads.at[id - 1];
    struct debug_frame *f = target_frames(&d->s.target, &t, &count, err);
    for (uint32_t k = (uint32_t)first; f && k < count && (!most || k < first + most); k++) {
        const struct source_function *in =
            symbols_function_at(session_module(&d->s)->symbols, f[k].place);
        VEC_PUSH(&d->frames, ((struct dap_frame){t, k, f[k]}));
        json_t *j =
            json_pack("{s:i, s:s}", "id", (int)d->frames.count, "name", in ? in->name : "?");
        add_place(d, j, f[k].place);
        json_array_append_new(list, j);
    }
    json_object_set_new(*body, "totalFrames", json_integer(count));
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
    int64_t id = number_of(a, "frameId");
    json_t *list = json_array();
    *body = json_pack("{s:o}", "scopes", list);
    if (id < 1 || (size_t)id > d->frames.count)
        return ls_fail(err, LS_ERR_USAGE, "there is no frame %lld", (long long)id);
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
        uint64_t from = (uint64_t)number_of(a, "start"), n = (uint64_t)number_of(a, "count");
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
    int64_t id = number_of(a, "variablesReference");
    if (id < 1 || (size_t)id > d->references.count)
        return ls_fail(err, LS_ERR_USAGE, "there is no variablesReference %lld", (long long)id);
    *out = d->references.at[id - 1];
    return d->s.stands || ls_fail(err, LS_ERR_USAGE, "no kernel is being run");
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
    const char *name = text_of(a, "name"), *value = text_of(a, "value");
    if (!name || !value || !*name)
        return ls_fail(err, LS_ERR_USAGE, "setVariable: no name, or no value");
    if (!reference_at(d, a, &r, err))
        return false;
    struct world w = world_of(d, r.frame);
    if (!child(d, &w, &r, name, &to, err) || !evaluate(&w, value, NULL, &from, err) ||
        !value_assign(&w, &to, &from, err))
        return false;
    *body = variable_json(d, r.frame, name, &to);
    return true;
}

bool
dap_evaluate(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    const char *text = text_of(a, "expression"), *context = text_of(a, "context");
    int64_t id = number_of(a, "frameId");
    struct value v;
    if (!text)
        return ls_fail(err, LS_ERR_USAGE, "evaluate: no expression");
    bool in_frame = id >= 1 && (size_t)id <= d->frames.count && d->s.stands;
    struct world w = in_frame ? world_of(d, (uint32_t)id - 1) : session_here(&d->s);
    w.no_effects = !context || strcmp(context, "repl") != 0;
    if (!evaluate(&w, text, NULL, &v, err))
        return false;
    if (in_frame) {
        *body = variable_json(d, (uint32_t)id - 1, text, &v);
        json_object_set(*body, "result", json_object_get(*body, "value"));
        json_object_del(*body, "value");
        json_object_del(*body, "name");
        return true;
    }
    struct text out = {0};
    bool fine = format_short(&w, &v, 0, &out, err);
    if (fine)
        *body = json_pack("{s:s, s:i}", "result", out.at ? out.at : "", "variablesReference", 0);
    text_free(&out);
    return fine;
}

/* -- memory and code --------------------------------------------------------------------------- */

bool
dap_data_breakpoint_info(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    struct dap_reference r = {.what = DAP_LOCALS};
    struct value v;
    const char *name = text_of(a, "name");
    int64_t frame = number_of(a, "frameId");
    if (!name || !*name)
        return ls_fail(err, LS_ERR_USAGE, "dataBreakpointInfo: no name");
    if (json_object_get(a, "variablesReference")) {
        if (!reference_at(d, a, &r, err))
            return false;
    } else if (frame >= 1 && (size_t)frame <= d->frames.count) {
        r.frame = (uint32_t)frame - 1;
    } else {
        return ls_fail(err, LS_ERR_USAGE, "dataBreakpointInfo: no frame");
    }
    struct world w = world_of(d, r.frame);
    w.no_effects = true;
    struct ls_error why = {0};
    bool fine = child(d, &w, &r, name, &v, &why) && value_follow(&w, &v, &why);
    if (!fine || v.gone || v.place != VALUE_MEMORY) {
        *body = json_pack("{s:n, s:s}", "dataId", "description",
                          fine ? "it lies in no memory" : why.text);
        return true;
    }
    const struct debug_thread *t = &w.who.thread;
    const char *id = arena_printf(&d->s.scratch, "%u:%llx:%llu:%u,%u,%u:%u,%u,%u", v.space,
                                  (unsigned long long)v.address,
                                  (unsigned long long)type_size(v.type), t->block[0], t->block[1],
                                  t->block[2], t->thread[0], t->thread[1], t->thread[2]);
    *body = json_pack("{s:s, s:s, s:[s, s, s], s:b}", "dataId", id, "description", name,
                      "accessTypes", "read", "write", "readWrite", "canPersist", 0);
    return true;
}

bool
dap_disassemble(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    enum { MOST = 10000 };
    uint64_t at;
    const char *reference = text_of(a, "memoryReference"), *last = "";
    const struct module *m = session_module(&d->s);
    int64_t count = number_of(a, "instructionCount"), from = number_of(a, "instructionOffset");
    json_t *list = json_array();
    *body = json_pack("{s:o}", "instructions", list);
    if (!m || !reference || !ls_parse_u64(reference, &at))
        return ls_fail(err, LS_ERR_USAGE, "disassemble: no place of a kernel that runs");
    from += (int64_t)at;
    for (int64_t k = from; k < from + count && k < from + MOST; k++) {
        const struct source_function *f =
            k < 0 ? NULL : symbols_function_at(m->symbols, (uint32_t)k);
        struct text text = {0};
        char number[24];
        snprintf(number, sizeof number, "0x%llx", (unsigned long long)(k < 0 ? 0 : k));
        if (f)
            ptx_print_insn(f->ptx, &f->ptx->insns[k - f->first], &text);
        const char *words = text.at ? text.at + strspn(text.at, " \t") : "";
        json_t *j = json_pack("{s:s, s:s%}", "address", number, "instruction",
                              f ? words : "(nothing)", f ? strcspn(words, "\n") : (size_t)9);
        if (f && strcmp(last, f->name) != 0)
            json_object_set_new(j, "symbol", json_string(last = f->name));
        if (f) {
            add_place(d, j, (uint32_t)k);
            json_object_set(j, "location", json_object_get(j, "source"));
            json_object_del(j, "source");
            json_object_del(j, "instructionPointerReference");
            json_object_del(j, "column");
        }
        json_array_append_new(list, j);
        text_free(&text);
    }
    return true;
}

/* Sources are files that the editor opens itself; PTX without lines of one is text that we have. */
bool
dap_source(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    const char *path = text_of(json_object_get(a, "source"), "path");
    struct text all = {0};
    uint32_t n = path ? source_count(&d->s, path) : 0;
    for (uint32_t k = 1; k <= n; k++)
        text_add(&all, "%s\n", source_line(&d->s, path, k));
    if (n)
        *body = json_pack("{s:s}", "content", all.at);
    text_free(&all);
    return n || ls_fail(err, LS_ERR_USAGE, "source: %s cannot be read", path ? path : "no path");
}

/* The address as kernels hold it. */
bool
dap_read_memory(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    enum { MOST = 1 << 20 };
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint64_t at;
    const char *reference = text_of(a, "memoryReference");
    int64_t count = number_of(a, "count");
    if (!reference || !ls_parse_u64(reference, &at) || count < 0 || count > MOST)
        return ls_fail(err, LS_ERR_USAGE, "readMemory: no address, or a count above %d", MOST);
    at += (uint64_t)number_of(a, "offset");
    struct debug_memory m = {.address = at, .bytes = (uint64_t)count};
    uint8_t *bytes = ls_alloc((size_t)count + 3);
    bool fine = target_read(&d->s.target, &m, bytes, err);
    struct text text = {0};
    for (int64_t k = 0; fine && k < count; k += 3) {
        uint32_t v = (uint32_t)bytes[k] << 16 | (uint32_t)bytes[k + 1] << 8 | bytes[k + 2];
        for (int n = 0; n < 4; n++)
            text_add(&text, "%c", k + n > count ? '=' : digits[v >> (18 - 6 * n) & 63]);
    }
    if (fine)
        *body = json_pack("{s:s, s:s}", "address",
                          arena_printf(&d->s.scratch, "0x%llx", (unsigned long long)at), "data",
                          text.at ? text.at : "");
    text_free(&text);
    ls_release(bytes);
    return fine;
}
