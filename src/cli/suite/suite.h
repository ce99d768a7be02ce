/* SPDX-License-Identifier: Apache-2.0
 *
 * suite: what the verbs of `lockstep suite` share. The suite is a folder of systems, each a folder
 * of rungs (.cu programs). A rung says what it is in its first comment, in a paragraph that begins
 * with `systems:`; one line each:
 *
 *   systems: A8, C3            the lectures' systems that it realises
 *   title: transpose, padded   one line
 *   rung: 3                    its place in the ladder of its folder; optional
 *   sizes: 1 17 100x33         what --size takes; optional (1 17 100 1000 1537)
 *   check: 100                 sizes for `suite check` and `suite profile`; optional (17 100)
 *   profile: 1024              sizes for `suite profile`, where those do not show it; optional
 *   bench: 1024                size for `suite bench`; optional (the last of sizes)
 *   expect: shared-race        kinds of findings under check; optional (silent)
 *   result: wrong              right; wrong: for the lectures' mistakes, wrong at one size at
 *                              least; either: undefined; optional (right)
 *   options: --tile 16         always given to the program; optional
 *   below 2.0: --tile 16       given on devices below that compute capability; optional
 *   since: 3.0 shuffles        real devices have that only from then on; older profiles run it all
 *                              the same; optional
 *   needs: 9.0 tensor copies   what calls of the API refuse below that compute capability: the rung
 *                              is left out there; optional
 *   gpu: 4096; 100 --mask 9    what `bench --device gpu` runs: sizes with options; optional (bench)
 *
 * The program takes `--size S` and `--json`, and prints one line of JSON with "verified" and
 * "milliseconds" (suite/common/suite.h does). suite_table.c reads all this, suite_process.c runs
 * programs; one file a verb, one row a verb in suite_verbs.def.
 */
#ifndef LOCKSTEP_CLI_SUITE_H
#define LOCKSTEP_CLI_SUITE_H

#include <jansson.h>

#include "cli/cli.h"

/* -- the table of rungs ------------------------------------------------------------------------ */

enum suite_result { SUITE_RIGHT, SUITE_WRONG, SUITE_EITHER };

typedef VEC(const char *) suite_words;

struct suite_rung {
    const char *path;   /* of the .cu file */
    const char *system; /* "transpose" */
    const char *name;   /* "transpose/padded" */
    const char *title;
    suite_words ids, sizes, check_sizes, profile_sizes, expect, options, below_options;
    const char *bench_size;
    uint32_t rung;     /* place in the ladder; those without one come last */
    const char *below; /* "2.0" or NULL */
    const char *since; /* "3.0" or NULL: real devices have `feature` from then on */
    const char *feature;
    bool needed;     /* without it the rung does not run */
    suite_words gpu; /* "100 --mask 9" */
    enum suite_result result;
};

struct suite_table {
    struct arena arena;
    char folder[4096];
    VEC(struct suite_rung) rungs; /* by system, place, name */
};

/* Reads the suite in `folder`; NULL: the one that belongs to this command. */
bool suite_table_read(struct suite_table *t, const char *folder, struct ls_error *err);
void suite_table_free(struct suite_table *t);
/* Whether a filter names the rung: an id, a system, system/variant, a folder or a file. */
bool suite_matches(const struct suite_rung *r, const char *filter);
/* A feature ("shuffles") that the rung uses, that real devices of this kind do not have and that
 * the virtual one emulates; NULL: it uses none. */
const char *suite_emulated(const struct suite_rung *r, const struct device_profile *d);
/* A feature without which the rung cannot run and that the device does not have: the rung is left
 * out there; NULL: it has all. */
const char *suite_lacking(const struct suite_rung *r, const struct device_profile *d);
/* Words of text, separated by blanks and commas. */
void suite_split(struct arena *a, const char *text, suite_words *out);

/* -- one invocation ---------------------------------------------------------------------------- */

struct suite_device {
    const char *cc, *gpu; /* what the child gets: one of them, or none */
    const struct device_profile *profile;
};

struct suite_call {
    const struct cli_usage *usage;
    struct cli_line *line;
    struct suite_table *table;
    VEC(const struct suite_rung *) rungs; /* those that the filters name */
    suite_words sizes;                    /* --sizes; empty: each rung's own */
    VEC(struct suite_device) devices;
    uint32_t repeat, timeout_s;
    const char *json;      /* NULL: a table */
    const char *folder;    /* --programs; NULL: they are built when they are needed */
    bool page;             /* claims: as Markdown */
    const char *html;      /* NULL: no page */
    json_t *shown;         /* what that page shows: the rows, with "answer" of check and profile */
    uint32_t done, total;  /* for progress */
    double begin;          /* seconds of CLOCK_MONOTONIC; 0: not yet */
    const char **programs; /* per rung of the table: what it was built to, once it was */
};

/* -- running programs -------------------------------------------------------------------------- */

struct suite_output {
    int status; /* exit status; 128 + signal */
    bool timed_out;
    struct text out, err;
    double seconds;
};

/* Runs argv (NULL-ended) on that device and waits for it. False: it could not be started. */
bool suite_execute(const char *const *argv, const struct suite_device *device, uint32_t timeout_s,
                   struct suite_output *o, struct ls_error *err);
void suite_output_free(struct suite_output *o);
/* `lockstep COMMAND --json=file PROGRAM --size S`: the JSON it wrote, or NULL with the reason. */
json_t *suite_command_json(struct suite_call *c, const char *command, const struct suite_rung *r,
                           const char *size, const struct suite_device *d, struct ls_error *err);
/* The rung's options: its own, those for the device, --size S. */
void suite_arguments(const struct suite_rung *r, const char *size, const struct suite_device *d,
                     suite_words *argv);

/* Builds the rung into the folder of --programs. */
bool suite_keep(struct suite_call *c, const struct suite_rung *r, struct ls_error *err);

struct suite_run_result {
    bool finished;  /* printed its line of JSON and ended without a complaint */
    bool ran;       /* the same, and compared with the reference */
    bool right;     /* agrees with the reference */
    json_t *report; /* that line, or NULL */
    double milliseconds;
    char message[300]; /* why it is not right */
};
/* Builds the rung (cached) and runs it once. False: it cannot be built or started. words: the size
 * and the options behind it. */
bool suite_run_words(struct suite_call *c, const struct suite_rung *r, const suite_words *words,
                     const struct suite_device *d, struct suite_run_result *out,
                     struct ls_error *err);
/* The same for a size alone. */
bool suite_run_one(struct suite_call *c, const struct suite_rung *r, const char *size,
                   const struct suite_device *d, struct suite_run_result *out,
                   struct ls_error *err);

/* -- output ------------------------------------------------------------------------------------ */

/* {"systems","rung","title"} and, when given, "size" (a number where it is one), "device", "cc". */
json_t *suite_row(const struct suite_rung *r, const char *size, const struct suite_device *d);
/* Says on a terminal what is being done; NULL: clears the line. */
void suite_progress(struct suite_call *c, const struct suite_rung *r, const char *size,
                    const struct suite_device *d);
/* Writes rows where --json says, drops them; status when that went well. */
int suite_write(struct suite_call *c, json_t *rows, int status);
/* Whether the rung does not run on that device: then the table says so. */
bool suite_leaves_out(struct suite_call *c, const struct suite_rung *r,
                      const struct suite_device *d);
/* How many of the devices it runs on. */
uint32_t suite_devices_for(const struct suite_call *c, const struct suite_rung *r);
/* Keeps a row for the page of --html; answer: what the command says of the rung, or NULL. */
void suite_show(struct suite_call *c, json_t *row, json_t *answer);
/* "A8 C3": in one of a few static buffers. */
const char *suite_ids(const struct suite_rung *r);

#define VERB(name, function, rungs, html, help) int function(struct suite_call *c);
#include "cli/suite/suite_verbs.def"
#undef VERB

/* The rows of a bench, each with its place under the device's roof (suite_roofline.c): as text, and
 * added to the rows. */
void suite_roofline(const struct suite_call *c, const struct device_profile *chosen, json_t *rows);

#endif
