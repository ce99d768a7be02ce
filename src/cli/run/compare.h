/* SPDX-License-Identifier: Apache-2.0
 *
 * compare: one program run on the virtual and on the real GPU, and whether it said the same.
 */
#ifndef LOCKSTEP_CLI_COMPARE_H
#define LOCKSTEP_CLI_COMPARE_H

#include "base/base.h"

#include <stdio.h>

enum { COMPARE_IGNORED = 32 };

struct compare {
    const char *path;
    char **argv;
    double tolerance;
    const char *ignore[COMPARE_IGNORED + 1];
    size_t ignored;
};

struct compared {
    size_t lines, different;
    int exit_status[2]; /* on the virtual GPU, on the real one; 128 + signal when one ended it */
};

/* Runs both, prints what the virtual GPU's run printed to `out` and the differences to stderr; an
 * exit status of lockstep: 0 the same, 1 not. */
int compare_run(const struct compare *c, FILE *out, struct compared *result);

#endif
