/* SPDX-License-Identifier: Apache-2.0
 *
 * toml: reads a TOML 1.0 document (toml.io) into a tree whose nodes know their lines, so that
 * messages about an exercise name file and line (docs/decisions/0010). Dates and times are refused
 * by name.
 *
 *     struct toml *root = toml_read("exercise.toml", &arena, &err);
 *     const struct toml *seconds = toml_find(toml_find(root, "limits"), "seconds");
 */
#ifndef LOCKSTEP_CLI_TOML_H
#define LOCKSTEP_CLI_TOML_H

#include "base/base.h"

enum toml_kind { TOML_STRING, TOML_INTEGER, TOML_FLOAT, TOML_BOOLEAN, TOML_ARRAY, TOML_TABLE };

struct toml {
    enum toml_kind kind;
    /* its name in the table it belongs to; NULL: an array's element, or the document */
    const char *key;
    uint32_t line;      /* where it stands, from 1 */
    const char *string; /* ended by a NUL; a NUL within is refused */
    int64_t integer;
    double number; /* of an integer, too */
    bool truth;
    struct toml *first, *last, *next; /* a table's or array's entries, in the document's order */
    size_t count;
    bool by_header, by_dots, closed; /* how a table came about: what may still be added to it */
};

/* The document; it lives in the arena. NULL with "FILE:LINE: reason". */
struct toml *toml_read(const char *path, struct arena *a, struct ls_error *err);
/* The same for a text; `path` is for messages. */
struct toml *toml_parse(const char *path, const char *text, struct arena *a, struct ls_error *err);
/* The entry of a table; NULL: there is none, or the table is NULL. */
struct toml *toml_find(const struct toml *table, const char *key);
/* "a string", "an integer", ... */
const char *toml_kind_name(enum toml_kind kind);

#endif
