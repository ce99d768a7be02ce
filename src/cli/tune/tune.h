/* SPDX-License-Identifier: Apache-2.0
 *
 * tune: what the files of `lockstep tune` share. A sweep is a list of jobs, one for each
 * combination of the parameters' values on each device. A job is built, run and judged by a child
 * process, which leaves a file in the state's folder; so a sweep can be spread over processes,
 * machines and days, and nothing that was finished is computed again.
 *
 *   cli_tune.c     options                      tune_job.c    one job, in its process
 *   tune_space.c   parameters, combinations     tune_pool.c   children, ranks, progress
 *   tune_state.c   the folder: names, claims    tune_view.c   table, chart, JSON, CSV
 *   tune_recorded.c  the choice against times recorded before
 *   tune_macros.c    whether the program looks at what is swept
 *
 * Start with tune_sweep() in tune_pool.c.
 */
#ifndef LOCKSTEP_CLI_TUNE_H
#define LOCKSTEP_CLI_TUNE_H

#include "cli/suite/suite.h"

enum tune_by { TUNE_BY_TIME, TUNE_BY_MODEL };

/* One swept name: a macro (-DNAME=value), or {NAME} in the program's arguments. */
struct tune_parameter {
    const char *name;
    bool argument;
    suite_words values;
};

enum tune_status {
#define STATUS(name, word, text) TUNE_##name,
#include "cli/tune/tune_status.def"
#undef STATUS
    TUNE_STATUSES
};

struct tune_job {
    const char **value; /* per parameter */
    const struct suite_device *device;
    const char *flags;    /* "-DTILE=16 -DROWS=4"; arguments as "n=256" */
    const char *macros;   /* "TILE=16 ROWS=4": as a recorded file has them */
    const char *identity; /* all that its result depends on */
    char key[33];         /* hash of that */
    json_t *result;       /* NULL: not there yet */
    enum tune_status status;
    double milliseconds, spread; /* what it is ranked by, and half of max - min */
    double recorded;             /* milliseconds; 0: none */
    bool mine, before;           /* computed by this process; found finished when it began */
    pid_t child;                 /* 0: none */
};

struct tune_call {
    const struct cli_usage *usage;
    struct cli_line *line;
    struct arena *arena;
    const char *program; /* the .cu file, or a program */
    char **arguments;    /* of the program, NULL-ended, with {NAME} in them */
    suite_words options; /* for the compiler */
    VEC(struct tune_parameter) parameters;
    VEC(struct suite_device) devices;
    VEC(struct tune_job) jobs; /* device by device */
    uint64_t excluded;         /* combinations that --where leaves out */
    enum tune_by by;
    const char *kernel; /* --kernel, or NULL */
    bool real;          /* --device gpu */
    uint32_t runs, timeout_s, workers_at_once;
    uint64_t sample;    /* of so many blocks of a large grid one is counted; by model */
    const char *folder; /* of the state */
    bool kept;          /* the folder is the caller's */
    uint32_t rank, ranks;
    double begin; /* seconds */
};

/* -- tune_space.c: combinations ---------------------------------------------------------------- */

/* "NAME=a,b,c", "NAME=1..8", "NAME=4..64*2", "NAME=0..32+8". */
bool tune_take_parameter(struct tune_call *c, const char *text, bool argument,
                         struct ls_error *err);
/* Makes the jobs: all combinations on all devices for which every condition of --where holds. */
bool tune_make_jobs(struct tune_call *c, const char *const *where, size_t count,
                    struct ls_error *err);
/* The program's arguments with values in the place of {NAME}; NULL-ended, in the arena. */
char **tune_arguments(const struct tune_call *c, const struct tune_job *j, struct arena *a);
/* -DNAME=value for each macro, then the compiler's options; returns how many. */
size_t tune_definitions(const struct tune_call *c, const struct tune_job *j, struct arena *a,
                        const char ***out);

/* -- tune_macros.c ----------------------------------------------------------------------------- */

/* False, with the macro's name, where the program never looks at one that is swept. */
bool tune_macros_are_used(const struct tune_call *c, struct ls_error *err);

/* -- tune_state.c: the folder ------------------------------------------------------------------ */

bool tune_state_open(struct tune_call *c, struct ls_error *err);
void tune_state_close(struct tune_call *c); /* a folder of our own is removed */
/* Identities and keys of all jobs; false: the program cannot be read. */
bool tune_state_keys(struct tune_call *c, struct ls_error *err);
/* The finished result, or NULL. */
json_t *tune_state_result(const struct tune_call *c, const struct tune_job *j);
/* Only one process at a time holds a job's claim; it ends with the process that holds it. The file
 * descriptor, -1: somebody else has it, -2 and the reason: it cannot be had at all. */
int tune_state_claim(const struct tune_call *c, const struct tune_job *j, struct ls_error *err);
/* Notes in the claim's file that the work begins; how often it did so far. */
uint32_t tune_state_begin(const struct tune_call *c, int claim);
bool tune_state_write(const struct tune_call *c, const struct tune_job *j, json_t *result,
                      struct ls_error *err);
const char *tune_state_path(const struct tune_call *c, const struct tune_job *j, const char *end,
                            struct arena *a);

/* -- tune_job.c -------------------------------------------------------------------------------- */

/* In the child: builds, runs, judges; the result. */
json_t *tune_compute(const struct tune_call *c, const struct tune_job *j);
/* In the child: builds alone, so that measuring need not wait. */
void tune_build_alone(const struct tune_call *c, const struct tune_job *j);
/* Fills the job's fields from its result. */
void tune_understand(struct tune_job *j, json_t *result);
extern const char *const tune_status_words[TUNE_STATUSES], *const tune_status_texts[TUNE_STATUSES];

/* -- tune_pool.c ------------------------------------------------------------------------------- */

/* Rank and number of ranks from the environment of an MPI launcher; 0 of 1 without. */
void tune_ranks(uint32_t *out_rank, uint32_t *out_ranks);
/* Computes what is missing; false: interrupted or broken. */
bool tune_sweep(struct tune_call *c, struct ls_error *err);

/* -- tune_recorded.c --------------------------------------------------------------------------- */

/* Reads FILE[@SIZE] (program,macros,size,median_ms,...) into the jobs' `recorded`. */
bool tune_recorded(struct tune_call *c, const char *text, struct ls_error *err);

/* -- tune_view.c ------------------------------------------------------------------------------- */

void tune_print(const struct tune_call *c);
/* What keeps the best from being so for sure (nothing verified, times that are not told apart), on
 * stderr: where the table is not printed. */
void tune_tell_doubts(const struct tune_call *c);
json_t *tune_rows(const struct tune_call *c);
void tune_csv(const struct tune_call *c, struct text *out);

#endif
