/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures: small expressions over the device model, with which `lockstep suite claims` recomputes
 * what the lectures state and `lockstep suite figure` anything else:
 *
 *     bandwidth / 4 * 16                              a device's fields, arithmetic
 *     512 * blocks{--threads 256 --shared 2048}       functions of the model: name{words}
 *     transactions{--list 1,2,3 --base 128}           a text as answer
 *     run{gather8/reads 8: reads within the tile}     a figure that a program of the suite reports
 *
 * figure_fields.def has the fields, figure_functions.def the functions, one row each.
 */
#ifndef LOCKSTEP_CLI_FIGURE_H
#define LOCKSTEP_CLI_FIGURE_H

#include "base/base.h"

struct device_profile;

struct figure {
    double number;
    const char *text; /* NULL: a number */
    bool recorded;    /* rests on a reading of another device */
};

struct figure_context;
typedef bool figure_source(struct figure_context *c, const char *words, struct figure *out,
                           struct ls_error *err);

struct figure_context {
    const struct device_profile *device;
    struct arena *arena;
    /* What programs print and what was recorded: the caller knows where they are. */
    void *user;
    figure_source *run, *line, *counter, *reading;
};

/* Evaluates text; false with the place and the reason. */
bool figure_evaluate(struct figure_context *c, const char *text, struct figure *out,
                     struct ls_error *err);
/* As it is printed: at most nine digits, whole numbers in full. */
const char *figure_text(struct arena *a, const struct figure *f);
/* The fields and functions, for the help text. */
void figure_help(struct text *out);

/* -- inside: the functions --------------------------------------------------------------------- */

/* One "--name value" of the words in braces. */
struct figure_option {
    const char *name, *value;
};
struct figure_words {
    struct figure_option *at;
    size_t count;
    const char *function;
};
const char *figure_word(const struct figure_words *w, const char *name); /* NULL: not given */
bool figure_number(const struct figure_words *w, const char *name, uint64_t otherwise,
                   uint64_t *out, struct ls_error *err);

#define FUNCTION(name, help)                                                                       \
    bool figure_##name(struct figure_context *c, const struct figure_words *w, struct figure *out, \
                       struct ls_error *err);
#include "cli/suite/figure_functions.def"
#undef FUNCTION

#endif
