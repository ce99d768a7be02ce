/* SPDX-License-Identifier: Apache-2.0
 *
 * findings: what `lockstep check` finds in the program, as places where a launch stops. The check
 * is a run of its own, made before: the same program with the same words, one worker, the usual
 * schedule. A finding of two accesses is caught at the one that comes second.
 */
#ifndef LOCKSTEP_CLI_FINDINGS_H
#define LOCKSTEP_CLI_FINDINGS_H

#include "cli/debug/session.h"

/* An instruction that one thread executes. */
struct finding_side {
    bool valid; /* it is one of a kernel */
    const char *op, *file;
    uint32_t line, size;
    uint32_t place;
    uint64_t launch; /* number, from 1 */
    struct debug_thread thread;
    bool has_address;
    uint64_t allocation,
        offset; /* allocation 0: of the block's shared, the thread's local memory */
    /* The last time when the thread came there in this run. */
    bool seen;
    uint64_t position;
    uint32_t phase;
};

struct finding {
    const char *kind, *title, *message, *missing, *kernel;
    bool warning;
    uint64_t count;
    struct finding_side side[2];
    bool pair;     /* caught at the side that comes second */
    uint32_t main; /* else at this one */
};

struct findings {
    struct arena arena;
    const char *words; /* of the run that was checked; NULL: none was */
    VEC(struct finding) all;
    uint32_t here, here_side; /* where the launch stands; here: a number from 1, 0: at none */
};

/* Checks the program, unless that was done for these words. */
bool findings_look(struct session *s, struct ls_error *err);
/* Whether the finding of this number is one of those that spec selects: words that are numbers
 * ("2"), kinds ("shared-race") or places ("t.cu:12"); "" selects all. */
bool findings_match(const struct findings *f, uint32_t number, const char *spec);
/* Whether the launch can be stopped at it. */
bool findings_can_stop(const struct finding *f);
/* "t.cu:12", "t.cu:12 and t.cu:10", "host code" */
const char *findings_where(struct session *s, const struct finding *f);
void findings_say_side(struct session *s, const struct finding_side *x, const char *before);
/* Prints the report's text of finding `number`. */
void findings_say(struct session *s, uint32_t number);

#endif
