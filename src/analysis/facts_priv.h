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

/* threads.c: what a thread's coordinates do to a value; false: not known. */
bool fact_by_threads(const struct facts *fs, const struct fact *f, int64_t by[3]);
bool fact_set_threads(struct fact *f, const int64_t by[3]); /* false: too large, not kept */
void fact_of_coordinate(struct fact *f, unsigned d);
void fact_join_threads(const struct facts *fs, struct fact *f, const struct fact *a,
                       const struct fact *b);
/* f is a + sign * b otherwise; where the coordinates count the threads, it becomes one pattern. */
void fact_add_threads(struct facts *fs, struct fact *f, const struct fact *a, const struct fact *b,
                      int sign);

/* steps.c: fills w->step from what warps.c has found. */
void warps_find_steps(struct warps *w);

/* pending, parks, complete from divergent. */
void frontier_find(struct facts *f);
/* Registers that other lanes may overwrite while some are parked: adds them to `forced`, true when
 * any is new. */
bool frontier_force(const struct facts *f, bool *forced);

#endif
