/* SPDX-License-Identifier: Apache-2.0
 *
 * lookup.c: what a name in an expression means.
 */
#include "cli/inspect/value.h"

#include <stdlib.h>
#include <string.h>

/* -- threadIdx and its like -------------------------------------------------------------------- */

static struct type *
triple_type(bool is_dim3)
{
    static struct type_member members[3] = {
        {"x", NULL, 0, 0, 0, 0, 0}, {"y", NULL, 4, 0, 0, 0, 0}, {"z", NULL, 8, 0, 0, 0, 0}};
    static struct type types[2] = {
        {.kind = TYPE_STRUCT, .name = "uint3", .size = 12, .members = members, .member_count = 3},
        {.kind = TYPE_STRUCT, .name = "dim3", .size = 12, .members = members, .member_count = 3}};
    for (int k = 0; k < 3; k++)
        members[k].type = type_base("unsigned int");
    return &types[is_dim3];
}

static bool
builtin(struct world *w, const char *name, struct value *out, struct ls_error *err)
{
    const struct {
        const char *name;
        const uint32_t *at;
        bool is_dim3;
    } triples[] = {{"threadIdx", w->who.thread.thread, false},
                   {"blockIdx", w->who.thread.block, false},
                   {"blockDim", w->block, true},
                   {"gridDim", w->grid, true}};
    if (!strcmp(name, "warpSize")) {
        *out = value_of_integer(w, type_base("int"), 32);
        return true;
    }
    for (size_t k = 0; k < sizeof triples / sizeof *triples; k++)
        if (!strcmp(name, triples[k].name)) {
            if (!w->live) {
                ls_fail(err, LS_ERR_INPUT, "%s: no kernel is being run", name);
                return false;
            }
            *out = value_of_bytes(w, triple_type(triples[k].is_dim3), triples[k].at);
            return true;
        }
    return false;
}

/* -- variables --------------------------------------------------------------------------------- */

static bool
find_register(const struct world *w, const char *name, uint32_t *index)
{
    const struct ptx_func *f = w->function ? w->function->ptx : NULL;
    for (uint32_t k = 0; f && k < f->reg_count; k++)
        if (!strcmp(f->regs[k].name, name)) {
            *index = k;
            return true;
        }
    return false;
}

static struct type *
register_type(const struct ptx_reg *r)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)r->type);
    char kind = ptx_type_kind((enum ptx_type)r->type);
    if (r->type == PTX_PRED)
        return type_base("bool");
    if (kind == 'f' && bytes != 2)
        return type_base(bytes == 8 ? "double" : "float");
    const char *const names[2][4] = {
        {"unsigned char", "unsigned short", "unsigned int", "unsigned long"},
        {"signed char", "short", "int", "long"}};
    return type_base(names[kind == 's' || kind == 'b'][bytes == 1   ? 0
                                                       : bytes == 2 ? 1
                                                       : bytes == 4 ? 2
                                                                    : 3]);
}

static bool
read_register(struct world *w, uint32_t index, struct type *as, struct value *out,
              struct ls_error *err)
{
    uint64_t two[2] = {0};
    if (!w->live || !w->ops || !w->ops->reg)
        return ls_fail(err, LS_ERR_INPUT, "No registers.");
    if (!w->ops->reg(w->context, &w->who, index, two, err))
        return false;
    struct type *t = as && type_size(as) <= 16 ? as : register_type(&w->function->ptx->regs[index]);
    *out = value_of_bytes(w, t, two);
    out->place = VALUE_MEMORY;
    out->space = PTX_SPACE_REG;
    out->address = index;
    return true;
}

/* Whether a constant can be all of it. */
static bool
is_one_value(struct type *t)
{
    t = type_plain(t);
    while (type_is_aggregate(t) && t->member_count == 1)
        t = type_plain(t->members[0].type);
    return !type_is_aggregate(t) && t->kind != TYPE_ARRAY && type_size(t) <= sizeof(int64_t);
}

bool
lookup_variable(struct world *w, const struct variable *v, struct value *out, struct ls_error *err)
{
    struct debug_symbol at;
    uint32_t index;
    uint64_t pointer;
    struct type *t = v->type ? v->type : type_base("void");
    switch (v->kind) {
    case VARIABLE_CONSTANT:
        if (!is_one_value(t))
            break; /* of a part, which LLVM does not say */
        *out = value_of_integer(w, t, v->constant);
        return true;
    case VARIABLE_REGISTER:
        if (find_register(w, v->symbol, &index))
            return read_register(w, index, t, out, err);
        break;
    case VARIABLE_SYMBOL:
        if (!w->live || !w->ops || !w->ops->symbol)
            return ls_fail(err, LS_ERR_INPUT, "Cannot access %s: no kernel is being run", v->name);
        if (!w->ops->symbol(w->context, &w->who, v->symbol, &at, err))
            return false;
        *out = value_in_memory(t, (uint8_t)at.space, at.address + v->offset);
        if (v->indirect) {
            struct value place = value_in_memory(type_base("unsigned long"), (uint8_t)at.space,
                                                 at.address + v->offset);
            if (!value_fetch(w, &place, err))
                return false;
            memcpy(&pointer, place.bytes, 8);
            *out = value_in_memory(t, PTX_SPACE_NONE, pointer);
        }
        return true;
    case VARIABLE_GONE: break;
    }
    *out = (struct value){.type = t, .gone = true};
    return true;
}

static const struct variable *
in_scopes(const struct scope *c, const char *name)
{
    for (; c; c = c->parent)
        for (size_t k = c->variable_count; k-- > 0;)
            if (!strcmp(c->variables[k].name, name))
                return &c->variables[k];
    return NULL;
}

static const char *
last_part(const char *name)
{
    const char *p, *last = name;
    while ((p = strstr(last, "::")))
        last = p + 2;
    return last;
}

static const struct variable *
global_named(const struct symbols *s, const char *name)
{
    for (size_t k = 0; s && k < s->globals.count; k++)
        if (!strcmp(s->globals.at[k].name, name) ||
            (!strstr(name, "::") && !strcmp(last_part(s->globals.at[k].name), name)))
            return &s->globals.at[k];
    return NULL;
}

/* What the PTX has and DWARF does not: extern __shared__ arrays, as the source declares them; their
 * elements are bytes where that is not known. */
static bool
ptx_variable(struct world *w, const char *name, struct value *out, struct ls_error *err)
{
    const struct ptx_module *m = w->symbols ? w->symbols->module : NULL;
    const struct ptx_func *f = w->function ? w->function->ptx : NULL;
    uint32_t own = f ? f->var_count : 0, all = own + (m ? m->var_count : 0);
    for (uint32_t k = 0; k < all; k++) {
        const struct ptx_var *p = k < own ? f->vars[k] : m->vars[k - own];
        struct debug_symbol at;
        char *readable = ls_readable_name(w->arena, p->name);
        if (strcmp(p->name, name) != 0 && strcmp(last_part(readable), name) != 0)
            continue;
        if (!w->live || !w->ops || !w->ops->symbol)
            return ls_fail(err, LS_ERR_INPUT, "Cannot access %s: no kernel is being run", name);
        if (!w->ops->symbol(w->context, &w->who, p->name, &at, err))
            return false;
        static struct type byte = {.kind = TYPE_UNSIGNED, .name = "b8", .size = 1};
        struct ptx_reg like = {.type = p->type};
        struct type *element = p->type == PTX_B8 ? &byte : register_type(&like);
        struct type *declared =
            p->space == PTX_SPACE_SHARED && !p->size ? declared_shared(w, name) : NULL;
        uint64_t bytes = at.bytes ? at.bytes : p->size;
        element = declared && type_size(declared) ? declared : element;
        struct type *t = type_new_array(w->types, element, bytes / type_size(element));
        *out = value_in_memory(t, (uint8_t)at.space, at.address);
        return true;
    }
    return false;
}

static bool
enumerator(struct world *w, const char *name, struct value *out)
{
    const struct symbols *s = w->symbols;
    for (size_t k = 0; s && k < s->types.count; k++) {
        struct type *t = s->types.at[k];
        for (size_t n = 0; t->kind == TYPE_ENUM && n < t->enumerator_count; n++)
            if (!strcmp(t->enumerators[n].name, last_part(name))) {
                *out = value_of_integer(w, t, t->enumerators[n].value);
                return true;
            }
    }
    return false;
}

static bool
function_named(struct world *w, const char *name, struct value *out)
{
    const struct symbols *s = w->symbols;
    for (size_t k = 0; s && k < s->function_count; k++) {
        const struct source_function *f = &s->functions[k];
        if (!f->ptx->has_body || !symbols_is_named(f, name))
            continue;
        struct type *t = ARENA_NEW(w->types, struct type);
        *t = (struct type){.kind = TYPE_FUNCTION, .of = f->returns};
        *out = value_of_integer(w, type_new_pointer(w->types, t, 0),
                                (int64_t)(JIT_FUNCTION_TAG | ((uint64_t)k + 1) << 4));
        return true;
    }
    return false;
}

/* A member of *this, in a method. */
static bool
member_of_this(struct world *w, const char *name, struct value *out)
{
    const struct variable *own = in_scopes(w->scope, "this");
    struct ls_error unused;
    struct value object;
    return own && lookup_variable(w, own, &object, &unused) &&
           value_member(w, &object, name, out, &unused);
}

bool
lookup_name(struct world *w, const char *name, struct value *out, struct ls_error *err)
{
    struct ls_error why = {0};
    const struct variable *v = in_scopes(w->scope, name);
    if (v)
        return lookup_variable(w, v, out, err);
    if (builtin(w, name, out, &why))
        return true;
    if (why.status == LS_OK && member_of_this(w, name, out))
        return true;
    v = why.status == LS_OK ? global_named(w->symbols, name) : NULL;
    if (v)
        return lookup_variable(w, v, out, err);
    if (why.status == LS_OK && (ptx_variable(w, name, out, &why) || enumerator(w, name, out) ||
                                function_named(w, name, out)))
        return true;
    if (why.status != LS_OK) {
        if (err)
            *err = why;
        return false;
    }
    bool without = w->symbols && !w->symbols->has_variables;
    return ls_fail(
        err, LS_ERR_INPUT, "No symbol \"%s\" in current context.%s", name,
        without ? " The program's kernels were compiled without -G: only lines are known." : "");
}

bool
lookup_dollar(struct world *w, const char *name, struct value *out, struct ls_error *err)
{
    uint32_t index;
    const char *as_register = arena_printf(w->arena, "%%%s", name);
    if (w->live && !strcmp(name, "pc")) {
        *out = value_of_integer(w, type_base("unsigned int"), w->place);
        return true;
    }
    if (find_register(w, as_register, &index))
        return read_register(w, index, NULL, out, err);
    if (w->ops && w->ops->variable && w->ops->variable(w->context, name, out))
        return true;
    *out = (struct value){
        .type = type_base("void"), .place = VALUE_VARIABLE, .name = arena_strdup(w->arena, name)};
    return true;
}
