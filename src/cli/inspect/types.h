/* SPDX-License-Identifier: Apache-2.0
 *
 * types: C and C++ types as expressions and values know them.
 */
#ifndef LOCKSTEP_CLI_TYPES_H
#define LOCKSTEP_CLI_TYPES_H

#include "base/base.h"

enum type_kind {
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_INT, /* signed; is_char: shown as a character, too */
    TYPE_UNSIGNED,
    TYPE_FLOAT,
    TYPE_ENUM,
    TYPE_POINTER,
    TYPE_REFERENCE,
    TYPE_ARRAY,
    TYPE_STRUCT, /* class */
    TYPE_UNION,
    TYPE_FUNCTION,
    TYPE_NAMED, /* typedef: another name of *of */
    TYPE_CONST, /* const or volatile *of */
};

struct type_member {
    const char *name; /* "" of an anonymous member, "Base" of a base class */
    struct type *type;
    uint64_t offset;
    uint32_t bit_offset, bit_size; /* bit_size 0: no bit field */
    bool is_base;
    bool is_static; /* offset means nothing */
};
struct type_enumerator {
    const char *name;
    int64_t value;
};

struct type {
    enum type_kind kind;
    const char *name;          /* NULL: none of its own (pointers, arrays, anonymous structures) */
    uint64_t size;             /* bytes; arrays: of the whole */
    bool is_char, is_unsigned; /* is_unsigned: of an enum's values */
    bool is_volatile;          /* TYPE_CONST */
    bool incomplete;           /* a structure that is only declared */
    uint8_t space;             /* pointers: enum ptx_space; 0: generic */
    struct type *of;           /* pointed to, element, meant, qualified, returned; NULL: void */
    uint64_t count;            /* arrays */
    struct type_member *members;
    size_t member_count;
    struct type_enumerator *enumerators;
    size_t enumerator_count;
};

/* Without names and qualifiers; NULL becomes void. */
struct type *type_plain(struct type *t);
uint64_t type_size(struct type *t);
bool type_is_integer(struct type *t); /* enums and bool too */
bool type_is_number(struct type *t);
bool type_is_aggregate(struct type *t); /* structures and unions */
/* unsigned int as *t is, of the base types that need no program; by the names of C. */
struct type *type_base(const char *name);
struct type *type_new_pointer(struct arena *a, struct type *to, uint8_t space);
struct type *type_new_array(struct arena *a, struct type *of, uint64_t count);
bool type_same(struct type *a, struct type *b);
/* As C declares it: "const float *", "int [3]". */
void type_text(struct type *t, struct text *out);
/* The type's text with its members, as gdb's ptype shows it. */
void type_describe(struct type *t, struct text *out);

#endif
