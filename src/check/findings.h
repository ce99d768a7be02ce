/* SPDX-License-Identifier: Apache-2.0
 *
 * The store of findings, as check.c makes and ends it, and the two ways out of it: the result as
 * JSON (result.c), the journal (journal.c). The rest is in check_priv.h.
 */
#ifndef LOCKSTEP_CHECK_FINDINGS_H
#define LOCKSTEP_CHECK_FINDINGS_H

#include "check/check_priv.h"

#include <jansson.h>

struct findings *findings_new(void);
void findings_free(struct findings *f);
/* With c->lock held: all of them, as JSON objects. */
json_t *findings_list(const struct check *c);

/* To the journal again: findings whose sums have changed since they
 * were told (leaks of one place). */
void findings_tell_sums(struct check *c);

/* What a result says beside its findings. */
struct check_totals {
    const char *device, *cc;
    uint64_t launches, checked;
    uint64_t lost; /* findings that were made and not kept */
    bool complete, thinned;
};
/* all: an array of findings, which it takes over. To be freed by free(). */
char *result_text(json_t *all, const struct check_totals *t);

/* With c->lock held and c->journal open: the finding of this number (from 0), again when it has
 * changed. */
void journal_finding(struct check *c, uint64_t number, const char *json);
/* How often it was made; with c->journal NULL: nothing. */
void journal_count(struct check *c, uint64_t number, uint64_t count);
/* Numbers of launches have changed, or shadow memory has; with c->journal NULL: nothing. */
void journal_launches(struct check *c, bool thinned);
/* With c->journal open: all has been said. */
void journal_complete(struct check *c);
void journal_free(struct journal *j);

#endif
