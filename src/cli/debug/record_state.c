/* SPDX-License-Identifier: Apache-2.0
 *
 * record_state.c: variables, shared memory and accesses of a recording.
 */
#include "cli/debug/record.h"

#include <string.h>

enum { MOST_VARIABLES = 12, MOST_LOCAL = 4096, LANES = 32 };

/* The first lane of the step that goes on. */
static struct debug_thread
thread_of(const struct record *r, uint32_t lane)
{
    return session_thread_of(r->s, r->block, r->s->target.stop.warp, lane);
}

static struct world
world_of(struct record *r, uint32_t lane)
{
    struct debug_thread t = thread_of(r, lane);
    struct debug_frame frame = {.place = r->s->target.stop.place};
    struct world w = session_world(r->s, &t, &frame, 0);
    w.no_effects = true;
    w.types = &r->s->scratch;
    return w;
}

static json_t *
text_of(struct world *w, struct value *v)
{
    struct text t = {0};
    struct ls_error unused;
    json_t *out = format_short(w, v, 0, &t, &unused) && t.at ? json_string(t.at) : NULL;
    text_free(&t);
    return out ? out : json_null();
}

/* -- variables --------------------------------------------------------------------------------- */

struct shown {
    const char *name;
    struct value value; /* of the first lane: where it lies */
};

static bool
is_shown(struct type *t)
{
    t = type_plain(t);
    return type_is_number(t) || t->kind == TYPE_POINTER;
}

/* Those in local memory, which is where -G puts them, the innermost scopes' first. */
static uint32_t
find_variables(struct record *r, struct world *w, struct shown *out)
{
    uint32_t count = 0;
    struct ls_error unused;
    for (const struct scope *c = w->scope; c; c = c->parent)
        for (size_t k = 0; k < c->variable_count && count < MOST_VARIABLES; k++) {
            struct shown one = {.name = c->variables[k].name};
            if (is_shown(c->variables[k].type) && !c->variables[k].artificial &&
                lookup_variable(w, &c->variables[k], &one.value, &unused) &&
                one.value.place == VALUE_MEMORY && !one.value.gone &&
                (one.value.space == PTX_SPACE_LOCAL || one.value.space == PTX_SPACE_PARAM))
                out[count++] = one;
        }
    return count;
}

/* One variable in every lane that executes the step; null in the others. */
static json_t *
row_of(struct record *r, struct shown *v)
{
    json_t *row = json_array();
    for (uint32_t l = 0; l < LANES; l++) {
        json_t *cell = NULL;
        if (r->lanes >> l & 1) {
            struct world w = world_of(r, l);
            struct value mine = v->value;
            struct ls_error unused;
            mine.bytes = NULL;
            cell = value_fetch(&w, &mine, &unused) ? text_of(&w, &mine) : NULL;
        }
        json_array_append_new(row, cell ? cell : json_null());
    }
    return row;
}

void
record_values(struct record *r)
{
    struct shown all[MOST_VARIABLES];
    struct world w = world_of(r, (uint32_t)__builtin_ctz(r->lanes));
    uint32_t count = find_variables(r, &w, all);
    json_t *known = json_array_get(r->known, r->warp), *changed = json_array();
    const char *function = json_string_value(
        json_array_get(r->functions, (size_t)json_integer_value(json_object_get(r->step, "f"))));
    if (!json_object_get(known, function))
        json_object_set_new(known, function, json_object());
    known = json_object_get(known, function);
    for (uint32_t k = 0; k < count; k++) {
        json_t *row = row_of(r, &all[k]), *before = json_object_get(known, all[k].name), *cell;
        size_t l;
        json_array_foreach (row, l, cell) /* lanes that stand elsewhere keep what they had */
            if (!(r->lanes >> l & 1) && before)
                json_array_set(row, l, json_array_get(before, l));
        if (!before || !json_equal(row, before)) {
            json_array_append_new(changed, json_pack("[s,O]", all[k].name, row));
            json_object_set(known, all[k].name, row);
        }
        json_decref(row);
    }
    if (json_array_size(changed))
        json_object_set(r->step, "v", changed);
    json_decref(changed);
}

/* -- registers --------------------------------------------------------------------------------- */

static json_t *
register_text(const struct ptx_reg *r, const uint64_t value[2])
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)r->type);
    char text[40];
    float f;
    double d;
    memcpy(&f, value, sizeof f);
    memcpy(&d, value, sizeof d);
    if (r->type == PTX_PRED)
        return json_string(value[0] & 1 ? "true" : "false");
    if (ptx_type_kind((enum ptx_type)r->type) == 'f' && bytes >= 4)
        snprintf(text, sizeof text, bytes == 8 ? "%.17g" : "%.9g", bytes == 8 ? d : (double)f);
    else if (bytes == 16)
        snprintf(text, sizeof text, "0x%016llx%016llx", (unsigned long long)value[1],
                 (unsigned long long)value[0]);
    else if (bytes == 8)
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)value[0]);
    else
        snprintf(text, sizeof text, "%d",
                 bytes == 4   ? (int32_t)value[0]
                 : bytes == 2 ? (int16_t)value[0]
                              : (int8_t)value[0]);
    return json_string(text);
}

/* A register that the page does not have so yet: the value of all 32 lanes, or of each. */
static void
add_register(struct record *r, json_t *known, json_t *changed, const char *name, json_t *row)
{
    json_t *before = json_object_get(known, name), *first = json_array_get(row, 0), *cell;
    bool same = true;
    size_t l;
    json_array_foreach (row, l, cell) {
        if (json_is_null(cell) && before) /* stands elsewhere, or it holds nothing known there */
            json_array_set(row, l, json_array_get(before, l));
        same = same && json_equal(json_array_get(row, l), first);
    }
    if (before && json_equal(row, before))
        return;
    size_t cells = same ? 1 : LANES;
    r->cells_left -= cells < r->cells_left ? cells : r->cells_left;
    json_array_append_new(changed, json_pack("[s,O]", name, same ? first : row));
    json_object_set(known, name, row);
}

bool
record_registers(struct record *r, struct ls_error *err)
{
    struct world w = world_of(r, (uint32_t)__builtin_ctz(r->lanes));
    const struct ptx_func *f = w.function ? w.function->ptx : NULL;
    uint32_t n = f ? f->reg_count : 0;
    uint64_t(*values)[2] = ls_alloc(sizeof *values * (n + 1));
    uint8_t *known = ls_alloc(n + 1);
    json_t **rows = ls_alloc(sizeof *rows * (n + 1)), *changed = json_array();
    bool fine = true;
    for (uint32_t l = 0; l < LANES && fine; l++) {
        struct debug_who who = {.thread = thread_of(r, l)};
        bool here = r->lanes >> l & 1;
        fine = !here || target_registers(&r->s->target, &who, n, values, known, err);
        for (uint32_t k = 0; k < n && fine; k++) {
            rows[k] = rows[k] ? rows[k] : json_array();
            json_array_append_new(rows[k], here && known[k] ? register_text(&f->regs[k], values[k])
                                                            : json_null());
        }
    }
    json_t *all = json_array_get(r->known_registers, r->warp), *mine;
    const char *function = f ? f->name : "";
    if (!json_object_get(all, function))
        json_object_set_new(all, function, json_object());
    mine = json_object_get(all, function);
    for (uint32_t k = 0; k < n; k++) {
        bool some = false;
        for (size_t l = 0; fine && l < LANES && !some; l++)
            some = !json_is_null(json_array_get(rows[k], l));
        if (some)
            add_register(r, mine, changed, f->regs[k].name, rows[k]);
        json_decref(rows[k]);
    }
    if (json_array_size(changed))
        json_object_set(r->step, "r", changed);
    json_decref(changed);
    ls_release(rows);
    ls_release(values);
    ls_release(known);
    return fine;
}

/* -- shared memory ----------------------------------------------------------------------------- */

/* What an array of arrays, or a structure of one kind, is made of; NULL: of several. */
static struct type *
leaf_of(struct type *t)
{
    t = type_plain(t);
    while (t->kind == TYPE_ARRAY)
        t = type_plain(t->of);
    if (!type_is_aggregate(t))
        return t;
    struct type *one = NULL;
    for (size_t k = 0; k < t->member_count; k++) {
        struct type *m = leaf_of(t->members[k].type);
        if (!m || (one && !type_same(one, m)))
            return NULL;
        one = m;
    }
    return one;
}

static void
note_variable(struct record *r, struct world *w, const struct variable *v)
{
    struct value at;
    struct ls_error unused;
    if (v->kind != VARIABLE_SYMBOL || !v->type || !lookup_variable(w, v, &at, &unused) ||
        at.place != VALUE_MEMORY || at.space != PTX_SPACE_SHARED || at.address % 4)
        return;
    uint64_t words = (r->shared_bytes + 3) / 4, bytes = type_size(v->type);
    bool dynamic = !bytes; /* extern __shared__ float s[] */
    struct type *leaf = leaf_of(v->type);
    for (uint64_t k = at.address / 4; k < words && (dynamic || k < (at.address + bytes + 3) / 4);
         k++)
        r->leaf[k] = leaf;
    json_array_append_new(
        r->names, json_pack("{s:s,s:I}", "name", v->name, "word", (json_int_t)(at.address / 4)));
}

static void
note_scope(struct record *r, struct world *w, const struct scope *c)
{
    for (size_t k = 0; c && k < c->variable_count; k++)
        note_variable(r, w, &c->variables[k]);
    for (size_t k = 0; c && k < c->inner_count; k++)
        note_scope(r, w, c->inner[k]);
}

static struct debug_memory
all_shared(const struct record *r)
{
    return (struct debug_memory){
        .who = {.thread = thread_of(r, 0)}, .space = PTX_SPACE_SHARED, .bytes = r->shared_bytes};
}

/* A word as its variable's type has it; of doubles the first word says it. */
static json_t *
word_text(struct record *r, struct world *w, uint64_t k, const uint8_t *now)
{
    struct type *t = r->leaf[k];
    size_t size = t ? type_size(t) : 0, bytes = r->shared_bytes - 4 * k;
    char hex[16];
    uint32_t word = 0;
    if (size == 8 && k % 2)
        return json_string("");
    if ((size == 4 || size == 8) && size <= bytes) {
        struct value v = value_of_bytes(w, t, now + 4 * k);
        return text_of(w, &v);
    }
    memcpy(&word, now + 4 * k, bytes < 4 ? bytes : 4);
    snprintf(hex, sizeof hex, "%x", word);
    return json_string(hex);
}

bool
record_shared_begin(struct record *r, struct ls_error *err)
{
    struct world w = world_of(r, 0);
    struct debug_symbol all;
    struct debug_memory shared = {.who = w.who, .space = PTX_SPACE_SHARED};
    if (!target_where(&r->s->target, &shared, &all, err))
        return false;
    r->shared_bytes = all.bytes;
    r->leaf = ls_alloc(sizeof *r->leaf * ((r->shared_bytes + 3) / 4 + 1));
    r->shared = ls_alloc(r->shared_bytes + 8);
    r->stored = ls_alloc((r->shared_bytes + 3) / 4 + 1);
    if (!r->shared_bytes)
        return true;
    const struct symbols *s = session_module(r->s)->symbols;
    note_scope(r, &w, w.function ? w.function->scope : NULL);
    for (size_t k = 0; k < s->globals.count; k++)
        note_variable(r, &w, &s->globals.at[k]);
    struct debug_memory at = all_shared(r);
    return target_read(&r->s->target, &at, r->shared, err);
}

bool
record_shared_changes(struct record *r, struct ls_error *err)
{
    uint8_t *now = ls_alloc(r->shared_bytes + 8);
    struct debug_memory at = all_shared(r);
    bool fine = !r->shared_bytes || target_read(&r->s->target, &at, now, err);
    json_t *changes = json_array();
    struct world w = world_of(r, 0);
    for (uint64_t k = 0; fine && 4 * k < r->shared_bytes; k++)
        if (r->stored[k] || memcmp(now + 4 * k, r->shared + 4 * k, 4))
            json_array_append_new(changes,
                                  json_pack("[I,o]", (json_int_t)k, word_text(r, &w, k, now)));
    if (json_array_size(changes))
        json_object_set(r->step, "s", changes);
    json_decref(changes);
    if (fine)
        memcpy(r->shared, now, r->shared_bytes);
    memset(r->stored, 0, (r->shared_bytes + 3) / 4);
    ls_release(now);
    return fine;
}

/* -- accesses ---------------------------------------------------------------------------------- */

static const char *
operation(uint16_t op)
{
    switch (op) {
    case PTX_OP_LD:
    case PTX_OP_LDU: return "load";
    case PTX_OP_ST: return "store";
    case PTX_OP_ATOM:
    case PTX_OP_RED: return "atomic";
    default: return NULL;
    }
}

/* Words that the lanes write. */
static void
note_stores(struct record *r, const json_t *at, unsigned bytes)
{
    size_t l;
    json_t *address;
    r->stores = true;
    json_array_foreach (at, l, address) {
        uint64_t first = (uint64_t)json_integer_value(address);
        for (uint64_t k = first / 4; json_is_integer(address) && k < (first + bytes + 3) / 4; k++)
            if (k < (r->shared_bytes + 3) / 4)
                r->stored[k] = true;
    }
}

bool
record_access(struct record *r, struct ls_error *err)
{
    const struct module *m = session_module(r->s);
    uint32_t place = r->s->target.stop.place, space = PTX_SPACE_NONE;
    const struct source_function *f = symbols_function_at(m->symbols, place);
    const struct ptx_insn *i = f ? &f->ptx->insns[place - f->first] : NULL;
    const char *op = i ? operation(i->op) : NULL;
    if (!op || !ptx_address(i) || i->space == PTX_SPACE_PARAM || i->space == PTX_SPACE_LOCAL)
        return true;
    json_t *at = json_array();
    for (uint32_t l = 0; l < LANES; l++) {
        struct debug_symbol where = {0};
        struct ls_error unused;
        struct debug_thread t = thread_of(r, l);
        bool known =
            r->s->target.stop.lanes >> l & 1 && address_find(r->s, &t, f, i, &where, &unused);
        if (known && space == PTX_SPACE_NONE)
            space = where.space;
        known = known && where.space == space;
        json_array_append_new(at, known ? json_integer((json_int_t)where.address) : json_null());
    }
    unsigned bytes =
        ptx_type_bytes((enum ptx_type)i->type[i->type_count - 1]) * (i->vec ? i->vec : 1);
    if (i->op != PTX_OP_LD && i->op != PTX_OP_LDU && space == PTX_SPACE_SHARED)
        note_stores(r, at, bytes);
    if (space == PTX_SPACE_SHARED || space == PTX_SPACE_GLOBAL) {
        json_t *all = json_object_get(r->step, "x");
        if (!all) {
            all = json_array();
            json_object_set_new(r->step, "x", all);
        }
        json_array_append_new(all, json_pack("{s:s,s:s,s:i,s:O}", "op", op, "space",
                                             space == PTX_SPACE_SHARED ? "shared" : "global",
                                             "bytes", (int)bytes, "at", at));
    }
    json_decref(at);
    return true;
}
