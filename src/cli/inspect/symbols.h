/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols: what a module's PTX says about its source: functions with their scopes and variables,
 * types, and which line each instruction belongs to.
 *
 * Variables and types are DWARF's, read by libdw, which is opened by its name when it is first
 * needed; PTX that was not made by `-G` has none. Lines are .loc's; PTX without them has its own.
 */
#ifndef LOCKSTEP_CLI_SYMBOLS_H
#define LOCKSTEP_CLI_SYMBOLS_H

#include "cli/inspect/image.h"
#include "cli/inspect/types.h"

enum variable_kind {
    VARIABLE_GONE,     /* optimised out */
    VARIABLE_SYMBOL,   /* at a variable of the PTX, + offset */
    VARIABLE_REGISTER, /* in a register of the PTX */
    VARIABLE_CONSTANT,
};

struct variable {
    const char *name;
    struct type *type;
    enum variable_kind kind;
    const char *symbol; /* SYMBOL, REGISTER */
    uint64_t offset;
    int64_t constant;
    bool indirect; /* what is there is its address */
    bool parameter, artificial;
    uint32_t file, line; /* where it is declared; file: by DWARF's number */
};

struct extent {
    uint64_t low, high; /* places */
};

struct scope {
    struct scope *parent;
    struct extent *extents; /* none: the whole of the parent */
    size_t extent_count;
    struct variable *variables;
    size_t variable_count;
    struct scope **inner;
    size_t inner_count;
    const char *inlined; /* name of the function that was inlined here */
};

struct source_function {
    const struct ptx_func *ptx;
    const char *name;     /* readable: "scan<float>", "Box<double>::get" */
    uint32_t first, end;  /* places */
    uint32_t body;        /* first place behind what sets up the frame */
    bool has_lines;       /* of a source; else steps go over it, where other functions have some */
    struct scope *scope;  /* NULL: no DWARF */
    struct type *returns; /* NULL: void, or not known */
};

struct line_key {
    uint32_t file, line; /* index in files */
};

struct symbols {
    struct arena arena;
    struct ptx_module *module;
    char *text; /* the PTX */
    size_t text_size;
    bool has_variables;
    struct source_function *functions; /* by ptx_func.index; those without a body have no places */
    size_t function_count;
    VEC(struct variable) globals;
    VEC(struct type *) types;   /* those with names */
    VEC(const char *) files;    /* whole paths as the compiler knew them */
    VEC(struct line_key) lines; /* lines.at[0] means none */
    uint32_t *line_of;          /* per place: index in lines; 0: no line begins there */
    uint32_t place_count;
};

/* Takes the text (ls_alloc'ed). NULL: the PTX cannot be read, or (with *err's status
 * LS_ERR_SYSTEM) libdw cannot be opened. */
struct symbols *symbols_read(char *text, size_t size, const char *path, struct ls_error *err);
void symbols_free(struct symbols *s);

/* NULL: no such place. */
const struct source_function *symbols_function_at(const struct symbols *s, uint32_t place);
/* The innermost scope at the place; NULL: none known. */
const struct scope *symbols_scope_at(const struct source_function *f, uint32_t place);
bool symbols_place_line(const struct symbols *s, uint32_t place, const char **file, uint32_t *line);
/* Whether the function answers to the name: whole, without template arguments, without the classes
 * before it, or as the PTX has it. */
bool symbols_is_named(const struct source_function *f, const char *name);
struct type *symbols_type(const struct symbols *s, const char *name);
/* Variables and types that the unit's text (of symbols_read: its own) has for the functions of *s;
 * a unit is what was linked into *s, whose text has none. */
bool symbols_read_dwarf(struct symbols *s, const struct symbols *unit, struct ls_error *err);
/* Whether the unit was linked into *s: its functions are there. */
bool symbols_is_unit_of(const struct symbols *unit, const struct symbols *s);

#endif
