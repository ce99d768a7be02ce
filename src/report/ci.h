/* SPDX-License-Identifier: Apache-2.0
 *
 * ci: findings in the forms that continuous integration reads: SARIF 2.1.0 (code scanning), JUnit's
 * XML (test reports), workflow commands of GitHub (annotations beside the source). All are made
 * from `check --json`'s object.
 */
#ifndef LOCKSTEP_REPORT_CI_H
#define LOCKSTEP_REPORT_CI_H

#include "base/base.h"

#include <jansson.h>

/* One checked run. Nothing is owned. */
struct ci_run {
    const json_t *result; /* NULL: the program used no device */
    const char *version;  /* of lockstep */
    const char *program;  /* as on the command line: a .cu file, or a program */
    const char *only;     /* groups that were looked for, "race,bounds"; NULL: all */
    int exit_status;      /* of the command: cli.h */
    int program_status;   /* of the program; 128 + signal */
    double seconds;
};

/* Places are named relative to this folder where they lie in it: the checkout of GitHub Actions or
 * GitLab CI, else the nearest folder above the current one that holds .git, else the current one.
 */
char *ci_root(struct arena *a);

/* A log with one run. Caller decrefs. */
json_t *ci_sarif(const struct ci_run *r);
/* A suite with a failed case for each finding, and a passed one for each group of checks that found
 * nothing. */
void ci_junit(const struct ci_run *r, struct text *out);
/* ::error and ::warning lines. */
void ci_github(const struct ci_run *r, struct text *out);

/* -- what the three share (ci_places.c) -------------------------------------------------------- */

/* Where a finding is shown: its first place that has a file, else the program's source. */
struct ci_place {
    char *path; /* relative to the root, or absolute; NULL: nowhere */
    bool in_root;
    int line; /* 0: not known */
};
struct ci_place ci_place_of(const struct ci_run *r, const json_t *finding, struct arena *a);
struct ci_place ci_place_of_side(const json_t *side, struct arena *a);
/* "store of 4 bytes in race by thread (32,0,0) in block (0,0,0)"; "" where nothing is known. */
char *ci_side_text(const json_t *side, struct arena *a);
/* The message and what is missing, as one text. */
char *ci_message(const json_t *finding, struct arena *a);
bool ci_is_warning(const json_t *finding);
/* Why the run is no success although nothing was found ("it launched no kernel that was to be
 * checked"); NULL: it is one. */
char *ci_complaint(const struct ci_run *r, struct arena *a);

#endif
