/* SPDX-License-Identifier: Apache-2.0
 *
 * Between toml.c (tables and keys) and toml_value.c (values). Functions that take something stand
 * on the first character of it and leave the reader behind its last one.
 */
#ifndef LOCKSTEP_CLI_TOML_PRIV_H
#define LOCKSTEP_CLI_TOML_PRIV_H

#include "cli/text/toml.h"

#include <stdio.h>

struct toml_reader {
    const char *path, *at;
    uint32_t line, depth; /* depth: arrays and inline tables within each other */
    struct arena *arena;
};

/* "PATH:LINE: text" */
bool toml_fail(const struct toml_reader *r, struct ls_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A new last entry of a table or an array. */
struct toml *toml_add(struct toml_reader *r, struct toml *to, enum toml_kind kind, const char *key);
void toml_blanks(struct toml_reader *r);       /* within a line */
bool toml_take_newline(struct toml_reader *r); /* true: there was one */
/* Blanks, comments and ends of lines, as many as there are. */
bool toml_lines(struct toml_reader *r, struct ls_error *err);
/* "..." or '...'; with `lines` also the forms of three quotes. */
const char *toml_take_string(struct toml_reader *r, bool lines, struct ls_error *err);
bool toml_take_value(struct toml_reader *r, struct toml *to, const char *key, struct ls_error *err);
/* key = value */
bool toml_take_pair(struct toml_reader *r, struct toml *table, struct ls_error *err);

#endif
