/* SPDX-License-Identifier: Apache-2.0
 *
 * dwarf.c: functions' scopes, variables and types from a module's DWARF, by libdw. libdw is opened
 * by its name, as device/places.c does: who debugs nothing needs none.
 */
#include "cli/inspect/dwarf_priv.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct libdw dw;

static bool
open_libdw(struct ls_error *err)
{
    static bool fine;
    if (fine)
        return true;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    void *elf = dlopen("libelf.so.1", RTLD_NOW | RTLD_LOCAL);
    fine = library && elf;
#define X(name)                                                                                    \
    fine = fine && ((dw.name = (__typeof__(name) *)dlsym(library, #name)) ||                       \
                    (dw.name = (__typeof__(name) *)dlsym(elf, #name)));
    LIBDW(X)
#undef X
    return fine || ls_fail(err, LS_ERR_SYSTEM,
                           "the program's variables cannot be read: no libdw.so.1 (package libdw1, "
                           "libdw1t64)");
}

const char *
dwarf_string(struct dwarf_reader *r, Dwarf_Die *die)
{
    const char *name = dw.dwarf_diename(die);
    return name ? arena_strdup(&r->s->arena, name) : NULL;
}

bool
dwarf_number(Dwarf_Die *die, unsigned attribute, uint64_t *out)
{
    Dwarf_Attribute at;
    Dwarf_Word value;
    if (!dw.dwarf_attr_integrate(die, attribute, &at) || dw.dwarf_formudata(&at, &value) != 0)
        return false;
    *out = value;
    return true;
}

static bool
flag(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute at;
    bool set = false;
    return dw.dwarf_attr_integrate(die, attribute, &at) && dw.dwarf_formflag(&at, &set) == 0 && set;
}

/* -- variables --------------------------------------------------------------------------------- */

/* clang writes a register's name as its number: its characters, the first one highest. */
static const char *
register_name(struct dwarf_reader *r, uint64_t number)
{
    char text[9] = {0};
    int n = 0;
    for (int k = 7; k >= 0; k--) {
        char c = (char)(number >> 8 * k);
        if (c)
            text[n++] = c;
    }
    return n && text[0] == '%' ? arena_strdup(&r->s->arena, text) : NULL;
}

static void
read_location(struct dwarf_reader *r, Dwarf_Die *die, struct variable *v)
{
    Dwarf_Attribute at;
    Dwarf_Op *op;
    size_t count;
    Dwarf_Sword value;
    if (dw.dwarf_attr(die, DW_AT_const_value, &at)) {
        if (dw.dwarf_formsdata(&at, &value) == 0) {
            v->kind = VARIABLE_CONSTANT;
            v->constant = value;
        }
        return;
    }
    if (!dw.dwarf_attr(die, DW_AT_location, &at) || dw.dwarf_getlocation(&at, &op, &count) != 0 ||
        !count)
        return;
    if (op[0].atom == DW_OP_addr) {
        v->symbol = image_symbol(&r->image, op[0].number, &v->offset);
        v->kind = v->symbol ? VARIABLE_SYMBOL : VARIABLE_GONE;
    } else if (op[0].atom == DW_OP_regx) {
        v->symbol = register_name(r, op[0].number);
        v->kind = v->symbol ? VARIABLE_REGISTER : VARIABLE_GONE;
    }
    for (size_t k = 1; k < count && v->kind != VARIABLE_GONE; k++) {
        if (op[k].atom == DW_OP_plus_uconst)
            v->offset += op[k].number;
        else if (op[k].atom == DW_OP_deref && k + 1 == count)
            v->indirect = true;
        else
            v->kind = VARIABLE_GONE; /* parts of it, or computed */
    }
}

static struct variable
read_variable(struct dwarf_reader *r, Dwarf_Die *die)
{
    struct variable v = {.parameter = dw.dwarf_tag(die) == DW_TAG_formal_parameter};
    uint64_t n = 0;
    v.name = dwarf_string(r, die);
    v.type = dwarf_type_of(r, die);
    v.artificial = flag(die, DW_AT_artificial);
    v.file = dwarf_number(die, DW_AT_decl_file, &n) ? (uint32_t)n : 0;
    v.line = dwarf_number(die, DW_AT_decl_line, &n) ? (uint32_t)n : 0;
    read_location(r, die, &v);
    return v;
}

/* -- scopes ------------------------------------------------------------------------------------ */

static void
read_extents(struct dwarf_reader *r, Dwarf_Die *die, struct scope *c)
{
    VEC(struct extent) all = {0};
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dw.dwarf_ranges(die, at, &base, &low, &high)) > 0;)
        VEC_PUSH(&all, ((struct extent){low, high}));
    c->extents = VEC_COPY(&r->s->arena, &all);
    c->extent_count = all.count;
    VEC_FREE(&all);
}

static struct scope *read_scope(struct dwarf_reader *r, Dwarf_Die *die, struct scope *parent,
                                int depth);

static void
read_children(struct dwarf_reader *r, Dwarf_Die *die, struct scope *c, int depth)
{
    enum { DEEPEST = 64 };
    VEC(struct variable) variables = {0};
    VEC(struct scope *) inner = {0};
    Dwarf_Die child;
    if (depth > DEEPEST || dw.dwarf_child(die, &child) != 0)
        return;
    do {
        int tag = dw.dwarf_tag(&child);
        if (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) {
            struct variable v = read_variable(r, &child);
            if (v.name)
                VEC_PUSH(&variables, v);
        } else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) {
            VEC_PUSH(&inner, read_scope(r, &child, c, depth + 1));
        }
    } while (dw.dwarf_siblingof(&child, &child) == 0);
    c->variables = VEC_COPY(&r->s->arena, &variables);
    c->variable_count = variables.count;
    c->inner = VEC_COPY(&r->s->arena, &inner);
    c->inner_count = inner.count;
    VEC_FREE(&variables);
    VEC_FREE(&inner);
}

static struct scope *
read_scope(struct dwarf_reader *r, Dwarf_Die *die, struct scope *parent, int depth)
{
    struct scope *c = ARENA_NEW(&r->s->arena, struct scope);
    c->parent = parent;
    if (parent)
        read_extents(r, die, c);
    if (dw.dwarf_tag(die) == DW_TAG_inlined_subroutine)
        c->inlined = dwarf_string(r, die);
    read_children(r, die, c, depth);
    return c;
}

static bool
is_gone(const struct variable *v)
{
    return v->kind == VARIABLE_GONE && !type_is_aggregate(v->type);
}

/* A structure that a kernel is handed and only reads stays where it was handed over: clang gives it
 * no place. In optimised code nothing has one, and what stands there need not be its value. */
static void
find_parameters(const struct ptx_func *f, struct scope *c)
{
    uint32_t number = 0;
    for (size_t k = 0; k < c->variable_count; k++)
        if (is_gone(&c->variables[k]))
            return;
    for (size_t k = 0; k < c->variable_count; k++) {
        struct variable *v = &c->variables[k];
        if (!v->parameter)
            continue;
        const struct ptx_var *p = number < f->param_count ? f->params[number] : NULL;
        number++;
        if (v->kind != VARIABLE_GONE || !p || type_size(v->type) != p->size)
            continue;
        v->kind = VARIABLE_SYMBOL;
        v->symbol = p->name;
    }
}

static void
read_function(struct dwarf_reader *r, Dwarf_Die *die)
{
    Dwarf_Addr low;
    if (dw.dwarf_lowpc(die, &low) != 0)
        return;
    for (size_t k = 0; k < r->s->function_count; k++) {
        struct source_function *f = &r->s->functions[k];
        if (f->ptx->has_body && f->first == low && f->end > low) {
            f->scope = read_scope(r, die, NULL, 0);
            f->returns = dwarf_type_of(r, die);
            if (f->ptx->is_kernel)
                find_parameters(f->ptx, f->scope);
            return;
        }
    }
}

/* -- the whole --------------------------------------------------------------------------------- */

static void
read_items(struct dwarf_reader *r, Dwarf_Die *die, const char *prefix, int depth)
{
    enum { DEEPEST = 32 };
    Dwarf_Die child;
    if (depth > DEEPEST || dw.dwarf_child(die, &child) != 0)
        return;
    do {
        const char *name;
        switch (dw.dwarf_tag(&child)) {
        case DW_TAG_subprogram: read_function(r, &child); break;
        case DW_TAG_variable: {
            struct variable v = read_variable(r, &child);
            if (v.name && *prefix)
                v.name = arena_printf(&r->s->arena, "%s%s", prefix, v.name);
            if (v.name)
                VEC_PUSH(&r->s->globals, v);
            break;
        }
        case DW_TAG_namespace:
            name = dw.dwarf_diename(&child);
            read_items(r, &child,
                       name ? arena_printf(&r->s->arena, "%s%s::", prefix, name) : prefix,
                       depth + 1);
            break;
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type:
        case DW_TAG_enumeration_type:
        case DW_TAG_typedef:
        case DW_TAG_base_type: dwarf_type(r, &child); break;
        default: break;
        }
    } while (dw.dwarf_siblingof(&child, &child) == 0);
}

static void
read_units(struct dwarf_reader *r)
{
    Dwarf_Off at = 0, next;
    size_t head;
    Dwarf_Die unit;
    for (; dw.dwarf_nextcu(r->dwarf, at, &next, &head, NULL, NULL, NULL) == 0; at = next) {
        if (!dw.dwarf_offdie(r->dwarf, at + head, &unit))
            continue;
        read_items(r, &unit, "", 0);
        r->s->has_variables = true;
    }
}

bool
symbols_read_dwarf(struct symbols *s, const struct symbols *unit, struct ls_error *err)
{
    struct dwarf_reader r = {.s = s};
    bool fine = true;
    image_make(&s->arena, unit->module, s->module, unit->text, unit->text_size, &r.image);
    if (r.image.at) {
        fine = open_libdw(err);
        Elf *elf = NULL;
        if (fine) {
            dw.elf_version(EV_CURRENT);
            elf = dw.elf_memory(r.image.at, r.image.size);
        }
        r.dwarf = elf ? dw.dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
        if (r.dwarf)
            read_units(&r);
        if (r.dwarf)
            dw.dwarf_end(r.dwarf);
        if (elf)
            dw.elf_end(elf);
    }
    VEC_FREE(&r.known);
    image_free(&r.image);
    return fine;
}
