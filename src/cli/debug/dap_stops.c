/* SPDX-License-Identifier: Apache-2.0
 *
 * dap_stops.c: where the program is to stop, and what a stop is called.
 */
#define _GNU_SOURCE /* memmem */
#include "cli/debug/commands.h"
#include "cli/debug/dap.h"
#include "cli/debug/findings.h"

#include <stdlib.h>
#include <string.h>

static char *
copied(const char *text)
{
    return text && *text ? strcpy(ls_alloc(strlen(text) + 1), text) : NULL;
}

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

/* "3", ">= 3": stops from the third time on; "> 3": from the fourth. */
static bool
read_hits(const char *text, uint64_t *ignore, struct ls_error *why)
{
    const char *p = text + strspn(text, " ");
    bool more = *p == '>' && p[1] != '=';
    uint64_t n;
    p += more ? 1 : !strncmp(p, ">=", 2) ? 2 : 0;
    p += strspn(p, " ");
    if (!ls_parse_u64(p, &n) || (!more && !n))
        return ls_fail(why, LS_ERR_USAGE, "hit condition '%s': N, >= N and > N are understood",
                       text);
    *ignore = more ? n : n - 1;
    return true;
}

static json_t *
add_breakpoint(struct dap *d, const char *spec, json_t *wish)
{
    struct ls_error why = {0};
    struct place_list found = {0};
    struct breakpoint *b = breakpoints_add(&d->s, BREAKPOINT, spec);
    const char *hits = dap_text(wish, "hitCondition");
    bool fine = !hits || !*hits || read_hits(hits, &b->ignore, &why);
    if (fine && breakpoints_find(&d->s, spec, &found, &why))
        for (size_t k = 0; k < found.count; k++)
            VEC_PUSH(&b->at, found.at[k]);
    VEC_FREE(&found);
    b->enabled = fine; /* else it would stop each time */
    b->condition = copied(dap_text(wish, "condition"));
    b->log = copied(dap_text(wish, "logMessage"));
    return breakpoint_json(d, b, &why);
}

/* Removes the breakpoints of one kind: a request of the protocol lists all that remain. */
static void
drop(struct dap *d, bool (*is_of)(const struct breakpoint *b, const char *what), const char *what)
{
    for (size_t k = d->s.breaks.all.count; k-- > 0;)
        if (is_of(d->s.breaks.all.at[k], what))
            breakpoints_remove(&d->s, d->s.breaks.all.at[k]);
}

static bool
is_in_file(const struct breakpoint *b, const char *file)
{
    size_t n = strlen(file);
    return b->kind == BREAKPOINT && !strncmp(b->spec, file, n) && b->spec[n] == ':' &&
           strspn(b->spec + n + 1, "0123456789") == strlen(b->spec + n + 1);
}

static bool
is_instruction(const struct breakpoint *b, const char *unused)
{
    (void)unused;
    return b->kind == BREAKPOINT && *b->spec == '*';
}

static bool
is_function(const struct breakpoint *b, const char *unused)
{
    const char *colon = strrchr(b->spec, ':');
    return b->kind == BREAKPOINT && !is_instruction(b, unused) &&
           !(colon && colon[1] >= '0' && colon[1] <= '9');
}

static bool
is_watch(const struct breakpoint *b, const char *unused)
{
    (void)unused;
    return b->kind == WATCHPOINT;
}

/* What the request lists takes the place of all breakpoints of its kind (in this file). */
static bool
replace(struct dap *d, json_t *a, json_t **body, const char *file,
        bool (*is_of)(const struct breakpoint *b, const char *file),
        const char *(*location)(struct dap *d, json_t *wish, const char *file),
        struct ls_error *err)
{
    json_t *wish, *out = json_array();
    size_t k;
    *body = json_pack("{s:o}", "breakpoints", out);
    drop(d, is_of, file);
    json_array_foreach (json_object_get(a, "breakpoints"), k, wish)
        json_array_append_new(out, add_breakpoint(d, location(d, wish, file), wish));
    return breakpoints_send(&d->s, err);
}

static const char *
line_of(struct dap *d, json_t *wish, const char *file)
{
    json_int_t line = json_integer_value(json_object_get(wish, "line"));
    return arena_printf(&d->s.scratch, "%s:%lld", file, (long long)line);
}

bool
dap_set_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    json_t *source = json_object_get(a, "source");
    const char *path = dap_text(source, "path"), *file = path ? path : dap_text(source, "name");
    return file ? replace(d, a, body, file, is_in_file, line_of, err)
                : ls_fail(err, LS_ERR_USAGE, "setBreakpoints: no source");
}

static const char *
function_of(struct dap *d, json_t *wish, const char *unused)
{
    (void)d, (void)unused;
    const char *name = dap_text(wish, "name");
    return name ? name : "?";
}

bool
dap_set_function_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    return replace(d, a, body, NULL, is_function, function_of, err);
}

/* instructionReference: a place, as frames and disassemble name them. */
static const char *
instruction_of(struct dap *d, json_t *wish, const char *unused)
{
    (void)unused;
    const char *at = dap_text(wish, "instructionReference");
    uint64_t place = 0;
    if (!at || !ls_parse_u64(at, &place))
        return "*?";
    place += (uint64_t)dap_number(wish, "offset");
    return arena_printf(&d->s.scratch, "*%llu", (unsigned long long)place);
}

bool
dap_set_instruction_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    return replace(d, a, body, NULL, is_instruction, instruction_of, err);
}

/* dataId: what dap_data_breakpoint_info made. */
bool
dap_set_data_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
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
        const char *id = dap_text(wish, "dataId"), *kind = dap_text(wish, "accessType");
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

bool
dap_data_breakpoint_info(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    struct world w;
    struct value v;
    struct ls_error why = {0};
    const char *name = dap_text(a, "name");
    if (!name || !*name)
        return ls_fail(err, LS_ERR_USAGE, "dataBreakpointInfo: no name");
    bool fine = dap_named(d, a, &w, &v, &why) && value_follow(&w, &v, &why);
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

/* -- exceptions -------------------------------------------------------------------------------- */

static const struct {
    const char *name, *label, *description;
    bool on; /* where nobody says */
} filters[DAP_FILTERS] = {
    [DAP_FAULT] = {"fault", "Failed launches",
                   "Illegal and misaligned addresses, deadlocks, and what else ends a launch",
                   true},
    [DAP_TRAP] = {"trap", "Traps", "__trap() and __brkpt()", true},
    [DAP_ASSERT] = {"assert", "Failed assertions", "assert() in a kernel", true},
    [DAP_FINDING] = {"finding", "Findings of the checks",
                     "Races, addresses out of bounds and what else `lockstep check' finds: the "
                     "program is run under the checks first",
                     false},
};

json_t *
dap_filters(void)
{
    json_t *list = json_array();
    for (int k = 0; k < DAP_FILTERS; k++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:b}", "filter", filters[k].name, "label",
                                        filters[k].label, "description", filters[k].description,
                                        "default", (int)filters[k].on));
    return list;
}

static bool
is_catch(const struct breakpoint *b, const char *unused)
{
    (void)unused;
    return b->kind == CATCHPOINT;
}

/* What the checks have found is said in the console. */
static bool
catch_findings(struct dap *d, struct ls_error *why)
{
    if (!d->launched)
        return ls_fail(why, LS_ERR_USAGE, "findings are looked for once a program is launched");
    bool fine = command_run(&d->s, "catch finding", why);
    char *said = dap_said(d);
    if (fine && said && *said)
        dap_output(d, "console", said, strlen(said));
    free(said);
    return fine;
}

bool
dap_set_exception_breakpoints(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)err;
    json_t *names = json_object_get(a, "filters"), *name, *out = json_array();
    size_t n;
    for (int k = 0; k < DAP_FILTERS; k++)
        d->ignored[k] = true;
    drop(d, is_catch, NULL);
    json_array_foreach (names, n, name) {
        json_t *j = json_pack("{s:b, s:s}", "verified", 0, "message", "there is no such filter");
        for (int k = 0; k < DAP_FILTERS; k++)
            if (json_is_string(name) && !strcmp(json_string_value(name), filters[k].name)) {
                d->ignored[k] = false;
                json_object_set_new(j, "verified", json_true());
                json_object_del(j, "message");
            }
        struct ls_error why = {0};
        bool finds = json_is_string(name) && !strcmp(json_string_value(name), "finding");
        if (finds && !catch_findings(d, &why)) {
            json_object_set_new(j, "verified", json_false());
            json_object_set_new(j, "message", json_string(why.text));
        }
        json_array_append_new(out, j);
    }
    *body = json_pack("{s:o}", "breakpoints", out);
    return true;
}

/* A finding where the launch stands; NULL. */
static const struct finding *
finding_of(const struct dap *d)
{
    const struct breakpoint *b = breakpoints_number(&d->s, d->s.breaks.hit);
    const struct findings *f = d->s.findings;
    return d->s.breaks.hit && b && b->kind == CATCHPOINT && f && f->here ? &f->all.at[f->here - 1]
                                                                         : NULL;
}

/* Of the failure where the launch stands: by the instruction that did it. */
static enum dap_filter
filter_of(const struct dap *d)
{
    const struct module *m = session_module(&d->s);
    uint32_t place = d->s.target.stop.place;
    const struct source_function *f =
        m && place != NO_PLACE ? symbols_function_at(m->symbols, place) : NULL;
    const struct ptx_insn *i = f ? &f->ptx->insns[place - f->first] : NULL;
    const struct text *said = &d->s.target.payload;
    if (i && (i->op == PTX_OP_TRAP || i->op == PTX_OP_BRKPT))
        return DAP_TRAP;
    bool asserts = said->count && memmem(said->at, said->count, "ssertion", 8);
    return i && i->op == PTX_OP_CALL && asserts ? DAP_ASSERT : DAP_FAULT;
}

bool
dap_is_ignored(struct dap *d)
{
    return d->s.launch.stands && d->s.target.stop.why == DEBUG_WHY_FAULT &&
           d->ignored[filter_of(d)];
}

bool
dap_exception_info(struct dap *d, json_t *a, json_t **body, struct ls_error *err)
{
    (void)a;
    json_t *text = d->s.launch.stands ? dap_stop_text(d) : NULL;
    const struct finding *x = finding_of(d);
    if (!text)
        return ls_fail(err, LS_ERR_USAGE, "no launch has failed here, and nothing is found here");
    *body = json_pack("{s:s, s:o, s:s}", "exceptionId", x ? x->kind : filters[filter_of(d)].name,
                      "description", text, "breakMode", "always");
    return true;
}

/* -- where it has stopped --------------------------------------------------------------------- */

static const char *
kind_of(const struct breakpoint *b)
{
    return !b                        ? "breakpoint"
           : is_catch(b, NULL)       ? "exception"
           : is_instruction(b, NULL) ? "instruction breakpoint"
           : is_function(b, NULL)    ? "function breakpoint"
                                     : "breakpoint";
}

json_t *
dap_stop_text(const struct dap *d)
{
    const struct text *said = &d->s.target.payload;
    const struct finding *x = finding_of(d);
    if (x)
        return json_string(x->message);
    return d->s.target.stop.why == DEBUG_WHY_FAULT && said->at ? json_stringn(said->at, said->count)
                                                               : NULL;
}

const char *
dap_reason(const struct dap *d)
{
    const struct session *s = &d->s;
    switch ((enum debug_why)s->target.stop.why) {
    case DEBUG_WHY_BREAK:
        return s->breaks.hit ? kind_of(breakpoints_number(s, s->breaks.hit)) : "breakpoint";
    case DEBUG_WHY_WATCH: return "data breakpoint";
    case DEBUG_WHY_FAULT: return "exception";
    case DEBUG_WHY_INTERRUPT: return "pause";
    case DEBUG_WHY_LAUNCH:
    case DEBUG_WHY_BEGIN: return "entry";
    default: return "step";
    }
}
