/* SPDX-License-Identifier: Apache-2.0
 *
 * grade: a student's program judged by the criteria of an exercise (a TOML file, docs/teaching.md).
 *
 *     grade_read()   the exercise: limits, what is compiled with the student's file, criteria
 *     grade_build()  student's and solution's program, in a cell (grade_run.c)
 *     grade_ran()    one run of one of them, kept for further criteria of the same input
 *     grade_judge()  a criterion's verdict
 *     grade_text(), grade_json() (grade_view.c)
 */
#ifndef LOCKSTEP_CLI_GRADE_H
#define LOCKSTEP_CLI_GRADE_H

#include "cli/grade/cell.h"
#include "cli/profile/profile_view.h"
#include "cli/text/toml.h"

#include <jansson.h>

enum grade_tool { TOOL_nothing, TOOL_none, TOOL_check, TOOL_profile };
enum grade_verdict { GRADE_MET, GRADE_NOT_MET, GRADE_NOT_JUDGED };

struct words {
    const char **at; /* ended by NULL */
    size_t count;
};

struct criterion;
struct grading;

struct criterion_kind {
    const char *name, *keys, *help;
    enum grade_tool tool;
    void (*judge)(struct grading *g, struct criterion *c);
};
extern const struct criterion_kind grade_kinds[];
extern const size_t grade_kind_count;

struct criterion {
    uint32_t line; /* in the exercise */
    const char *name, *hint;
    const struct criterion_kind *kind; /* NULL: "compiles", which every exercise has */
    double points;
    bool show; /* the student may see its input and what was expected */
    struct words args;
    const char *input;
    size_t input_size;
    const char *expect; /* NULL: what the solution prints */
    double tolerance;
    const char *only;
    bool warnings; /* those count as well */
    struct profile_condition *conditions;
    size_t condition_count;
    double microseconds, times_solution; /* 0: not asked for */
    uint64_t most;
    struct words require, forbid;
    /* the result: */
    enum grade_verdict verdict;
    const char *message; /* for the student */
    const char *detail;  /* for the teacher: -v and JSON's "detail"; NULL: nothing more */
    double seconds;
};

struct exercise {
    const char *path, *folder;
    const char *title, *gpu, *cc;
    struct words harness, files, options; /* absolute paths; options of the compiler */
    const char *solution;                 /* absolute path; NULL: none */
    double seconds, compile_seconds;
    uint64_t memory, output, files_bytes;
    struct criterion *criteria; /* the first one is "compiles" */
    size_t count;
};

/* False: "FILE:LINE: reason". The exercise lives in the arena. */
bool grade_read(const char *path, struct arena *a, struct exercise *out, struct ls_error *err);

/* A program under its tool on one input. */
struct grade_run {
    bool of_solution;
    enum grade_tool tool;
    const struct criterion *like; /* of which it has arguments, input and groups of checks */
    struct cell_result cell;
    char why[256];  /* it ended badly; "": well */
    json_t *result; /* of the tool; NULL: none */
};

struct grading {
    const struct exercise *x;
    struct arena *arena;
    const char *student,
        *program[2];  /* the student's and the solution's; NULL: could not be built */
    const char *root; /* temporary: run/, tool/, cache/ */
    const char *gpu, *cc, *workers;
    VEC(struct grade_run *) runs;
    struct ls_error broken; /* why it could not be judged; status LS_OK: it could */
};

/* Makes the temporary folder. */
bool grade_begin(struct grading *g, struct ls_error *err);
void grade_end(struct grading *g);
/* Builds the student's or the solution's program. False: the compiler's words are in *said. */
bool grade_build(struct grading *g, bool solution, struct text *said);
/* NULL: it could not be started, or the solution does not work; g->broken says why. */
const struct grade_run *grade_ran(struct grading *g, const struct criterion *c, bool solution);
/* The verdicts of all criteria. */
void grade_judge(struct grading *g);

void grade_text(const struct grading *g, bool verbose);
json_t *grade_json(const struct grading *g);
bool grade_all_met(const struct grading *g);

#endif
