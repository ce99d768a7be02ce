/* SPDX-License-Identifier: Apache-2.0
 *
 * compare: one program run on the virtual and on the real GPU, and whether it said the same.
 */
#ifndef LOCKSTEP_CLI_COMPARE_H
#define LOCKSTEP_CLI_COMPARE_H

#include "base/base.h"

enum { COMPARE_IGNORED = 32 };

struct compare {
    const char *path;
    char **argv;
    double tolerance;
    const char *ignore[COMPARE_IGNORED + 1];
    size_t ignored;
};

/* Runs both and prints the differences; an exit status of lockstep: 0 the same, 1 not. */
int compare_run(const struct compare *c);
/* Whether two lines say the same: words alike, numbers within the tolerance. */
bool compare_lines(const char *a, const char *b, double tolerance);

#endif
