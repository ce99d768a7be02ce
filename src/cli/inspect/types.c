/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c: see types.h.
 */
#include "cli/inspect/types.h"

#include "ptx/ptx.h"

#include <string.h>

/* C's own; two names of one type stand beside each other. */
static struct type base_types[] = {
    {.kind = TYPE_VOID, .name = "void"},
    {.kind = TYPE_BOOL, .name = "bool", .size = 1},
    {.kind = TYPE_INT, .name = "char", .size = 1, .is_char = true},
    {.kind = TYPE_INT, .name = "signed char", .size = 1, .is_char = true},
    {.kind = TYPE_UNSIGNED, .name = "unsigned char", .size = 1, .is_char = true},
    {.kind = TYPE_INT, .name = "short", .size = 2},
    {.kind = TYPE_UNSIGNED, .name = "unsigned short", .size = 2},
    {.kind = TYPE_INT, .name = "int", .size = 4},
    {.kind = TYPE_UNSIGNED, .name = "unsigned int", .size = 4},
    {.kind = TYPE_UNSIGNED, .name = "unsigned", .size = 4},
    {.kind = TYPE_INT, .name = "long", .size = 8},
    {.kind = TYPE_UNSIGNED, .name = "unsigned long", .size = 8},
    {.kind = TYPE_INT, .name = "long long", .size = 8},
    {.kind = TYPE_UNSIGNED, .name = "unsigned long long", .size = 8},
    {.kind = TYPE_FLOAT, .name = "float", .size = 4},
    {.kind = TYPE_FLOAT, .name = "double", .size = 8},
    {.kind = TYPE_FLOAT, .name = "__half", .size = 2},
};

struct type *
type_base(const char *name)
{
    for (size_t k = 0; k < sizeof base_types / sizeof *base_types; k++)
        if (!strcmp(base_types[k].name, name))
            return &base_types[k];
    return NULL;
}

struct type *
type_plain(struct type *t)
{
    while (t && (t->kind == TYPE_NAMED || t->kind == TYPE_CONST))
        t = t->of;
    return t ? t : &base_types[0];
}

uint64_t
type_size(struct type *t)
{
    t = type_plain(t);
    return t->kind == TYPE_ARRAY                                  ? t->count * type_size(t->of)
           : t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE ? 8
                                                                  : t->size;
}

bool
type_is_integer(struct type *t)
{
    enum type_kind k = type_plain(t)->kind;
    return k == TYPE_BOOL || k == TYPE_INT || k == TYPE_UNSIGNED || k == TYPE_ENUM;
}

bool
type_is_number(struct type *t)
{
    return type_is_integer(t) || type_plain(t)->kind == TYPE_FLOAT;
}

bool
type_is_aggregate(struct type *t)
{
    enum type_kind k = type_plain(t)->kind;
    return k == TYPE_STRUCT || k == TYPE_UNION;
}

struct type *
type_new_pointer(struct arena *a, struct type *to, uint8_t space)
{
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_POINTER, .size = 8, .of = to, .space = space};
    return t;
}

struct type *
type_new_array(struct arena *a, struct type *of, uint64_t count)
{
    struct type *t = ARENA_NEW(a, struct type);
    *t = (struct type){.kind = TYPE_ARRAY, .of = of, .count = count};
    return t;
}

bool
type_same(struct type *a, struct type *b)
{
    a = type_plain(a);
    b = type_plain(b);
    if (a == b)
        return true;
    if (a->kind != b->kind || type_size(a) != type_size(b))
        return false;
    if (a->kind == TYPE_POINTER || a->kind == TYPE_ARRAY || a->kind == TYPE_REFERENCE)
        return type_same(a->of, b->of);
    return a->name && b->name && !strcmp(a->name, b->name);
}

/* -- text -------------------------------------------------------------------------------------- */

static const char *
space_word(uint8_t space)
{
    switch (space) {
    case PTX_SPACE_SHARED: return "@shared ";
    case PTX_SPACE_LOCAL: return "@local ";
    case PTX_SPACE_PARAM: return "@parameter ";
    case PTX_SPACE_CONST: return "@constant ";
    case PTX_SPACE_GLOBAL: return "@global ";
    default: return "";
    }
}

/* What stands before the name of something of the type. */
static void
text_before(struct type *t, struct text *out)
{
    if (!t) {
        text_add(out, "void");
        return;
    }
    switch (t->kind) {
    case TYPE_CONST:
        if (t->of && t->of->kind == TYPE_POINTER) {
            text_before(t->of, out);
            text_add(out, t->is_volatile ? " volatile" : " const");
        } else {
            text_add(out, t->is_volatile ? "volatile " : "const ");
            text_before(t->of, out);
        }
        break;
    case TYPE_POINTER:
    case TYPE_REFERENCE: {
        enum type_kind to = t->of ? t->of->kind : TYPE_VOID;
        bool grouped = to == TYPE_ARRAY || to == TYPE_FUNCTION;
        text_add(out, "%s", space_word(t->space));
        text_before(t->of, out);
        char last = out->count ? out->at[out->count - 1] : ' ';
        text_add(out, "%s%s%c", last == '*' ? "" : " ", grouped ? "(" : "",
                 t->kind == TYPE_POINTER ? '*' : '&');
        break;
    }
    case TYPE_ARRAY:
    case TYPE_FUNCTION: text_before(t->of, out); break;
    default:
        text_add(out, "%s",
                 t->name                  ? t->name
                 : t->kind == TYPE_ENUM   ? "enum {...}"
                 : t->kind == TYPE_UNION  ? "union {...}"
                 : t->kind == TYPE_STRUCT ? "struct {...}"
                                          : "void");
    }
}

static void
text_behind(struct type *t, struct text *out)
{
    if (!t)
        return;
    if (t->kind == TYPE_CONST) {
        text_behind(t->of, out);
    } else if (t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE) {
        if (t->of && (t->of->kind == TYPE_ARRAY || t->of->kind == TYPE_FUNCTION))
            text_add(out, ")");
        text_behind(t->of, out);
    } else if (t->kind == TYPE_ARRAY) {
        text_add(out, "[%llu]", (unsigned long long)t->count);
        text_behind(t->of, out);
    } else if (t->kind == TYPE_FUNCTION) {
        text_add(out, "(...)");
    }
}

void
type_text(struct type *t, struct text *out)
{
    text_before(t, out);
    struct type *inner = t;
    while (inner && inner->kind == TYPE_CONST)
        inner = inner->of;
    if (inner && (inner->kind == TYPE_ARRAY || inner->kind == TYPE_FUNCTION))
        text_add(out, " ");
    text_behind(t, out);
}

static void
add_member(const struct type_member *m, struct text *out)
{
    text_add(out, "    %s", m->is_static ? "static " : "");
    text_before(m->type, out);
    char last = out->count ? out->at[out->count - 1] : ' ';
    text_add(out, "%s%s", last == '*' || last == '&' ? "" : " ", m->name);
    text_behind(m->type, out);
    if (m->bit_size)
        text_add(out, " : %u", m->bit_size);
    text_add(out, ";\n");
}

void
type_describe(struct type *t, struct text *out)
{
    struct type *p = type_plain(t);
    if (type_is_aggregate(p)) {
        const char *before = ": ";
        text_add(out, "%s %s%s", p->kind == TYPE_UNION ? "union" : "struct", p->name ? p->name : "",
                 p->name ? " " : "");
        for (size_t k = 0; k < p->member_count; k++)
            if (p->members[k].is_base) {
                text_add(out, "%s%s", before, p->members[k].name);
                before = ", ";
            }
        text_add(out, *before == ',' ? " {\n" : "{\n");
        for (size_t k = 0; k < p->member_count; k++)
            if (!p->members[k].is_base)
                add_member(&p->members[k], out);
        text_add(out, p->incomplete ? "    <incomplete type>\n}" : "}");
    } else if (p->kind == TYPE_ENUM) {
        text_add(out, "enum %s%s{", p->name ? p->name : "", p->name ? " " : "");
        int64_t next = 0;
        for (size_t k = 0; k < p->enumerator_count; k++) {
            const struct type_enumerator *e = &p->enumerators[k];
            text_add(out, "%s%s", k ? ", " : "", e->name);
            if (e->value != next)
                text_add(out, " = %lld", (long long)e->value);
            next = e->value + 1;
        }
        text_add(out, "}");
    } else {
        type_text(t && t->kind == TYPE_NAMED ? p : t, out);
    }
}
