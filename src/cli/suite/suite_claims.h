/* SPDX-License-Identifier: Apache-2.0
 *
 * Claims: what the five lectures state in numbers, one row each in suite_claims.def, and what the
 * model, the programs of the suite and recorded readings have to say about it. The claim's own
 * figure is the only constant; ours is an expression (figure.h), evaluated on every device that the
 * row names.
 *
 * The claimed figure's form says how it is judged:
 *     37.5        equal when rounded to as many digits
 *     >1000 <10   larger, smaller
 *     100..999    between, both ends included
 *     ~25         within a fifth
 *     other text  the same text
 */
#ifndef LOCKSTEP_CLI_SUITE_CLAIMS_H
#define LOCKSTEP_CLI_SUITE_CLAIMS_H

#include "cli/suite/figure.h"
#include "cli/suite/suite.h"

struct claim {
    unsigned lecture;
    const char *slide, *words, *claimed, *unit, *expression;
    const char *devices; /* "all", "1.0 2.0", "g80": where it is stated for */
};

enum claim_verdict { CLAIM_FAILS, CLAIM_PARTLY, CLAIM_HOLDS };

struct claim_answer {
    enum claim_verdict verdict;
    const char *found;       /* "16 (1.0 to 1.3), 32 (2.0 to 12.0)" */
    const char *generations; /* those for which it holds: "2.0 to 12.0"; "" none */
    const char *command;     /* that gives our figure */
    bool recorded;           /* rests on a reading */
};

extern const struct claim suite_claim_rows[];
extern const size_t suite_claim_count;

/* The figures of programs and readings: fills in the context's callbacks. */
struct claim_source;
struct claim_source *claim_source_new(struct suite_call *c);
void claim_source_free(struct claim_source *s);
void claim_source_use(struct claim_source *s, const struct suite_device *d,
                      struct figure_context *out);

#endif
