/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis, inside: between facts.c (the iteration), fact.c (one fact), transfer.c (one
 * instruction), special.c and frontier.c.
 */
#ifndef LOCKSTEP_FACTS_PRIV_H
#define LOCKSTEP_FACTS_PRIV_H

#include "analysis/analysis.h"

enum { PATTERN_LIMIT = 1 << 28 }; /* of a lane from the first one of its segment */

struct fact fact_uniform_value(void);
struct fact fact_constant(int64_t value);
struct fact fact_nothing(void); /* a vector of which nothing is known */
struct fact fact_join(struct facts *f, const struct fact *a, const struct fact *b);
/* From the values of all 32 lanes. */
struct fact fact_of_lanes(struct facts *f, const int64_t value[LANES]);
bool fact_same(const struct fact *a, const struct fact *b);
/* What v is a multiple of: 1 << that, 0 of 1 << 62. */
uint8_t fact_zeros(int64_t v);
int32_t fact_pattern_at(const struct fact *f, unsigned lane);
/* Sets f's pattern from p; false (and nothing known) when an entry is too large. */
bool fact_set_pattern(struct facts *fs, struct fact *f, const int64_t p[LANES]);
/* The offsets of f's lanes from the first lane of their segment, for
 * segments of `segment` lanes. */
void fact_relative(const struct fact *f, unsigned segment, int64_t out[LANES]);
/* What the first lanes of segments of `segment` lanes are multiples of, 1 << that: the pattern says
 * how far they are from those of f's own segments. */
uint8_t fact_align_within(const struct fact *f, unsigned segment);
/* The largest segments in which all lanes agree, whether a speculated pattern holds or not. */
unsigned fact_agreeing(const struct fact *f);
/* f comes from a and b: whether it is speculated, and what holds even then. */
void fact_set_guess(struct fact *f, const struct fact *a, const struct fact *b);
/* Lanes that agree in every operand agree in the result. */
struct fact fact_elementwise(const struct fact *in, unsigned n);
/* As a signed number of so many bits; low and high are f's bounds if ok, and if they fit. */
bool fact_fits(int64_t v, unsigned bits);
void fact_set_bounds(struct fact *f, bool ok, int64_t low, int64_t high, unsigned bits);

/* What destination k of the instruction gets. */
struct fact fact_transfer(struct facts *f, const struct wir_insn *i, unsigned k,
                          bool (*uniform_result)(const struct ptx_insn *, unsigned));

/* threads.c: what a thread's coordinates do to a value; false: not known. */
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
