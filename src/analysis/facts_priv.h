/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis, inside: between facts.c (the iteration), transfer.c (one instruction) and frontier.c.
 */
#ifndef LOCKSTEP_FACTS_PRIV_H
#define LOCKSTEP_FACTS_PRIV_H

#include "analysis/analysis.h"

struct fact fact_uniform_value(void);
struct fact fact_constant(int64_t value);
struct fact fact_nothing(void); /* a vector of which nothing is known */
struct fact fact_join(struct facts *f, const struct fact *a, const struct fact *b);
/* From the values of all 32 lanes. */
struct fact fact_of_lanes(struct facts *f, const int64_t value[LANES]);
bool fact_same(const struct fact *a, const struct fact *b);

/* What destination k of the instruction gets. */
struct fact fact_transfer(struct facts *f, const struct flow_insn *i, unsigned k,
                          bool (*uniform_result)(const struct ptx_insn *, unsigned));

/* pending, parks, complete from divergent. */
void frontier_find(struct facts *f);
/* Registers that other lanes may overwrite while some are parked: adds them to `forced`, true when
 * any is new. */
bool frontier_force(const struct facts *f, bool *forced);

#endif
