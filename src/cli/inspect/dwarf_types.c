/* SPDX-License-Identifier: Apache-2.0
 *
 * dwarf_types.c: types from DWARF's entries. An entry's type is made before what it refers to is
 * looked at, so that structures may point to themselves.
 */
#include "cli/inspect/dwarf_priv.h"

#include <stdlib.h>
#include <string.h>

static struct type *
find(struct dwarf_reader *r, Dwarf_Off at)
{
    for (size_t k = r->known.count; k-- > 0;)
        if (r->known.at[k].at == at)
            return r->known.at[k].type;
    return NULL;
}

struct type *
dwarf_type_of(struct dwarf_reader *r, Dwarf_Die *die)
{
    Dwarf_Attribute at;
    Dwarf_Die type;
    if (!dw.dwarf_attr_integrate(die, DW_AT_type, &at) || !dw.dwarf_formref_die(&at, &type))
        return NULL;
    return dwarf_type(r, &type);
}

static void
read_base(Dwarf_Die *die, struct type *t)
{
    uint64_t encoding = 0;
    dwarf_number(die, DW_AT_encoding, &encoding);
    t->kind =
        encoding == DW_ATE_boolean                                    ? TYPE_BOOL
        : encoding == DW_ATE_float                                    ? TYPE_FLOAT
        : encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ? TYPE_INT
        : encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_UTF
            ? TYPE_UNSIGNED
            : TYPE_UNSIGNED;
    t->is_char = encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char;
}

static uint64_t
member_offset(Dwarf_Die *die)
{
    Dwarf_Attribute at;
    Dwarf_Word value;
    Dwarf_Op *op;
    size_t count;
    if (!dw.dwarf_attr(die, DW_AT_data_member_location, &at))
        return 0;
    if (dw.dwarf_formudata(&at, &value) == 0)
        return value;
    if (dw.dwarf_getlocation(&at, &op, &count) == 0 && count == 1 &&
        op[0].atom == DW_OP_plus_uconst)
        return op[0].number;
    return 0;
}

/* DWARF 2 counts bit fields from the highest bit of their storage. */
static void
read_bits(Dwarf_Die *die, struct type_member *m)
{
    uint64_t size, from, storage;
    if (!dwarf_number(die, DW_AT_bit_size, &size) || size > 64)
        return;
    m->bit_size = (uint32_t)size;
    if (dwarf_number(die, DW_AT_data_bit_offset, &from)) {
        m->offset = from / 8;
        m->bit_offset = (uint32_t)(from % 8);
    } else if (dwarf_number(die, DW_AT_bit_offset, &from)) {
        storage = dwarf_number(die, DW_AT_byte_size, &storage) ? storage : type_size(m->type);
        uint64_t bits = storage * 8;
        m->bit_offset = (uint32_t)(bits >= from + size ? bits - from - size : 0);
    }
}

static void
read_members(struct dwarf_reader *r, Dwarf_Die *die, struct type *t)
{
    VEC(struct type_member) all = {0};
    Dwarf_Die child;
    if (dw.dwarf_child(die, &child) == 0)
        do {
            int tag = dw.dwarf_tag(&child);
            Dwarf_Attribute at;
            if (tag != DW_TAG_member && tag != DW_TAG_inheritance && tag != DW_TAG_variable)
                continue;
            struct type_member m = {.offset = member_offset(&child),
                                    .is_base = tag == DW_TAG_inheritance,
                                    .is_static = tag == DW_TAG_variable ||
                                                 dw.dwarf_attr(&child, DW_AT_external, &at)};
            m.type = dwarf_type_of(r, &child);
            m.name = dwarf_string(r, &child);
            if (!m.name)
                m.name = m.is_base && type_plain(m.type)->name ? type_plain(m.type)->name : "";
            read_bits(&child, &m);
            VEC_PUSH(&all, m);
        } while (dw.dwarf_siblingof(&child, &child) == 0);
    t->members = VEC_COPY(&r->s->arena, &all);
    t->member_count = all.count;
    VEC_FREE(&all);
}

static void
read_enumerators(struct dwarf_reader *r, Dwarf_Die *die, struct type *t)
{
    VEC(struct type_enumerator) all = {0};
    Dwarf_Die child;
    t->is_unsigned = true;
    if (dw.dwarf_child(die, &child) == 0)
        do {
            Dwarf_Attribute at;
            Dwarf_Sword value = 0;
            const char *name = dwarf_string(r, &child);
            if (dw.dwarf_tag(&child) != DW_TAG_enumerator || !name ||
                !dw.dwarf_attr(&child, DW_AT_const_value, &at) ||
                dw.dwarf_formsdata(&at, &value) != 0)
                continue;
            t->is_unsigned = t->is_unsigned && value >= 0;
            VEC_PUSH(&all, ((struct type_enumerator){name, value}));
        } while (dw.dwarf_siblingof(&child, &child) == 0);
    t->enumerators = VEC_COPY(&r->s->arena, &all);
    t->enumerator_count = all.count;
    VEC_FREE(&all);
}

/* int a[2][3] is one entry with two counts. */
static void
read_array(struct dwarf_reader *r, Dwarf_Die *die, struct type *t)
{
    enum { MOST = 16 };
    uint64_t count[MOST] = {0}, n = 0, bound;
    Dwarf_Die child;
    if (dw.dwarf_child(die, &child) == 0)
        do {
            if (dw.dwarf_tag(&child) != DW_TAG_subrange_type || n == MOST)
                continue;
            count[n] = dwarf_number(&child, DW_AT_count, &bound)         ? bound
                       : dwarf_number(&child, DW_AT_upper_bound, &bound) ? bound + 1
                                                                         : 0;
            n++;
        } while (dw.dwarf_siblingof(&child, &child) == 0);
    struct type *element = dwarf_type_of(r, die);
    for (uint64_t k = n; k-- > 1;)
        element = type_new_array(&r->s->arena, element, count[k]);
    t->kind = TYPE_ARRAY;
    t->of = element;
    t->count = n ? count[0] : 0;
}

static void
read_into(struct dwarf_reader *r, Dwarf_Die *die, int tag, struct type *t)
{
    Dwarf_Attribute at;
    switch (tag) {
    case DW_TAG_base_type: read_base(die, t); break;
    case DW_TAG_pointer_type:
        t->kind = TYPE_POINTER;
        t->of = dwarf_type_of(r, die);
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        t->kind = TYPE_REFERENCE;
        t->of = dwarf_type_of(r, die);
        break;
    case DW_TAG_typedef:
        t->kind = TYPE_NAMED;
        t->of = dwarf_type_of(r, die);
        break;
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
        t->kind = TYPE_CONST;
        t->is_volatile = tag == DW_TAG_volatile_type;
        t->of = dwarf_type_of(r, die);
        break;
    case DW_TAG_array_type: read_array(r, die, t); break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        t->kind = tag == DW_TAG_union_type ? TYPE_UNION : TYPE_STRUCT;
        t->incomplete = dw.dwarf_attr(die, DW_AT_declaration, &at) != NULL;
        read_members(r, die, t);
        break;
    case DW_TAG_enumeration_type:
        t->kind = TYPE_ENUM;
        read_enumerators(r, die, t);
        break;
    case DW_TAG_subroutine_type:
        t->kind = TYPE_FUNCTION;
        t->of = dwarf_type_of(r, die);
        break;
    default: t->kind = TYPE_UNSIGNED; break; /* its bytes */
    }
}

struct type *
dwarf_type(struct dwarf_reader *r, Dwarf_Die *die)
{
    Dwarf_Off at = dw.dwarf_dieoffset(die);
    struct type *t = find(r, at);
    uint64_t size;
    if (t || dw.dwarf_tag(die) == DW_TAG_restrict_type)
        return t ? t : dwarf_type_of(r, die);
    t = ARENA_NEW(&r->s->arena, struct type);
    VEC_PUSH(&r->known, ((struct known_type){at, t}));
    t->name = dwarf_string(r, die);
    t->size = dwarf_number(die, DW_AT_byte_size, &size) ? size : 0;
    read_into(r, die, dw.dwarf_tag(die), t);
    if (t->name && t->kind != TYPE_CONST)
        VEC_PUSH(&r->s->types, t);
    return t;
}
