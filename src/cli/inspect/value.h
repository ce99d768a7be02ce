/* SPDX-License-Identifier: Apache-2.0
 *
 * value: values of expressions, where they lie, and what they are computed in.
 *
 * An expression is evaluated in a world: one thread's frame at one moment. The world's functions
 * reach into the running program (or into whatever stands in for one).
 */
#ifndef LOCKSTEP_CLI_VALUE_H
#define LOCKSTEP_CLI_VALUE_H

#include "cli/inspect/symbols.h"

#include "debug/debug.h"

struct value;

struct world_ops {
    bool (*read)(void *context, const struct debug_memory *at, void *out, struct ls_error *err);
    bool (*write)(void *context, const struct debug_memory *at, const void *in,
                  struct ls_error *err);
    /* A variable of the PTX, in the frame of *who. */
    bool (*symbol)(void *context, const struct debug_who *who, const char *name,
                   struct debug_symbol *out, struct ls_error *err);
    /* A register of the frame's function, by its number. */
    bool (*reg)(void *context, const struct debug_who *who, uint32_t index, uint64_t out[2],
                struct ls_error *err);
    /* "$name": false: there is none. Assigned to: NULL where that may not be. */
    bool (*variable)(void *context, const char *name, struct value *out);
    bool (*set)(void *context, const char *name, const struct value *v, struct ls_error *err);
};

struct world {
    struct arena *arena;           /* values live in it, */
    struct arena *types;           /*   and types that expressions make */
    const struct symbols *symbols; /* NULL: no module */
    const struct source_function *function;
    const struct scope *scope;
    bool live; /* there is a thread: *who, and the fields below */
    struct debug_who who;
    uint32_t grid[3], block[3];
    uint32_t place;
    const struct world_ops *ops;
    void *context;
    bool no_effects;   /* assignments are refused */
    uint32_t elements; /* of an array, or a text, that are shown at most */
};

enum value_place {
    VALUE_NOWHERE,
    VALUE_MEMORY,   /* space, address; of a register: PTX_SPACE_REG, its number */
    VALUE_VARIABLE, /* $name */
};

struct value {
    struct type *type;
    uint8_t *bytes; /* type_size; NULL: not read yet (MEMORY) */
    bool gone;      /* optimised out */
    enum value_place place;
    uint8_t space; /* enum ptx_space; NONE: generic */
    uint64_t address;
    const char *name;              /* VARIABLE */
    uint32_t bit_offset, bit_size; /* a bit field of MEMORY */
};

/* Brings the bytes here. False where they cannot be read, or are gone. */
bool value_fetch(struct world *w, struct value *v, struct ls_error *err);
struct value value_of_bytes(struct world *w, struct type *t, const void *bytes);
struct value value_of_integer(struct world *w, struct type *t, int64_t n);
struct value value_of_double(struct world *w, struct type *t, double d);
struct value value_in_memory(struct type *t, uint8_t space, uint64_t address);

/* The number in it: numbers and pointers; __half counts as float. */
bool value_integer(struct world *w, struct value *v, int64_t *out, struct ls_error *err);
bool value_double(struct world *w, struct value *v, double *out, struct ls_error *err);
bool value_truth(struct world *w, struct value *v, bool *out, struct ls_error *err);
bool value_is_half(struct type *t);
bool value_cast(struct world *w, struct value *v, struct type *t, struct value *out,
                struct ls_error *err);
bool value_assign(struct world *w, struct value *to, struct value *from, struct ls_error *err);
/* References become what they refer to. */
bool value_follow(struct world *w, struct value *v, struct ls_error *err);
bool value_deref(struct world *w, struct value *v, struct value *out, struct ls_error *err);
bool value_address(struct world *w, struct value *v, struct value *out, struct ls_error *err);
bool value_index(struct world *w, struct value *v, int64_t index, struct value *out,
                 struct ls_error *err);
bool value_member(struct world *w, struct value *v, const char *name, struct value *out,
                  struct ls_error *err);
/* Arrays as pointers to their first element. */
bool value_decay(struct world *w, struct value *v, struct ls_error *err);
/* op: '+' '-' '*' '/' '%' '&' '|' '^' 'l' (<<) 'r' (>>) '<' '>' 'L' (<=) 'G' (>=) '=' (==) '!' */
bool value_binary(struct world *w, char op, struct value *a, struct value *b, struct value *out,
                  struct ls_error *err);
/* op: '-' '~' '!' */
bool value_unary(struct world *w, char op, struct value *v, struct value *out,
                 struct ls_error *err);

/* -- lookup.c: names --------------------------------------------------------------------------- */

/* A variable, built-in variable, member of *this, enumerator, function. */
bool lookup_name(struct world *w, const char *name, struct value *out, struct ls_error *err);
bool lookup_variable(struct world *w, const struct variable *v, struct value *out,
                     struct ls_error *err);
/* "$r1", "$pc", "$1", "$name" (without the '$'). */
bool lookup_dollar(struct world *w, const char *name, struct value *out, struct ls_error *err);

/* -- evaluate.c -------------------------------------------------------------------------------- */

/* The whole text is one expression; stop (may be NULL) is set behind it instead, where it ends
 * before the text does. */
bool evaluate(struct world *w, const char *text, const char **stop, struct value *out,
              struct ls_error *err);
/* The text is a type's name: "struct P *". NULL: it is none. */
struct type *evaluate_type(struct world *w, const char *text);
/* declared.c: of the `extern __shared__' array that the source declares; NULL: none. */
struct type *declared_shared(struct world *w, const char *name);

/* -- format.c ---------------------------------------------------------------------------------- */

/* letter: 0 (as the type says), or one of x d u o t f c a s. */
bool format_value(struct world *w, struct value *v, char letter, struct text *out,
                  struct ls_error *err);
/* Formats the value as one line that is short enough for a table's cell. */
bool format_short(struct world *w, struct value *v, char letter, struct text *out,
                  struct ls_error *err);

#endif
