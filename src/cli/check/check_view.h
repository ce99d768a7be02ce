/* SPDX-License-Identifier: Apache-2.0
 *
 * What `lockstep check` found, as JSON (cli.md), less what a file of suppressions names, as text.
 */
#ifndef LOCKSTEP_CLI_CHECK_VIEW_H
#define LOCKSTEP_CLI_CHECK_VIEW_H

#include "base/base.h"

#include <jansson.h>

/* A block of a suppressions file: patterns as the shell's; NULL: anything. */
struct suppression {
    char *kind, *kernel, *place, *other;
};

struct suppressions {
    struct arena arena;
    VEC(struct suppression) list;
};

bool suppressions_read(struct suppressions *s, const char *path, struct ls_error *err);
void suppressions_free(struct suppressions *s);
/* Takes the findings that a block names out of the result and mends its summary. */
void suppressions_apply(const struct suppressions *s, json_t *result);

struct check_view {
    json_t *result;
    uint64_t limit;   /* findings shown */
    bool only_errors; /* no warnings */
    bool blocks;      /* with a block to paste behind each */
    bool races;       /* racecheck's summary line instead of the usual one */
    int exit_status;  /* of the command; not 0: the last line says why */
    const char *exit_reason;
};
/* The nth of those that are shown, from 1; NULL: there are fewer. */
json_t *check_view_finding(const struct check_view *v, uint64_t number);
void check_view_print_finding(const struct check_view *v, json_t *f, FILE *out);
void check_view_print(const struct check_view *v, FILE *out);
/* On stdout, its lines as wide as the terminal. */
void check_view_show(const struct check_view *v);

#endif
