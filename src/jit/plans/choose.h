/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/choose.h: what the files of jit/plans ask each other while a plan is made.
 */
#ifndef LOCKSTEP_JIT_PLANS_CHOOSE_H
#define LOCKSTEP_JIT_PLANS_CHOOSE_H

#include "jit/plans/plans.h"

static inline bool
plan_on(const struct plan_scope *s, enum jit_pass pass)
{
    return jit_on(s->off, pass);
}

/* Each fills in its part of p; false: nothing. */
bool plan_find_group(const struct plan_scope *s, struct plan *p);
bool plan_find_columns(const struct plan_scope *s, const struct plan *p);
void plan_find_index(const struct plan_scope *s, struct plan *p);
void plan_find_fetch(const struct plan_scope *s, struct plan *p);

/* -- stores.c -- */

/* Whole lines that are written once. */
bool plan_may_stream(const struct plan_scope *s, const struct plan *p, unsigned run);
/* Words whose store may be kept back (PLAN_KEPT), for one warp. */
bool plan_may_keep(const struct plan_scope *s, const struct plan *p);

#endif
