/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: runs of conditions that all hold (jit_taps.c), in code for whole warps (jit_whole.c).
 */
#ifndef LOCKSTEP_JIT_TAPS_H
#define LOCKSTEP_JIT_TAPS_H

#include "jit/jit_phases.h"

/* Which blocks begin a run. */
void core_taps_choose(struct core *c);
/* The builder is where all lanes come to the branch that ends block b; it is left where the run is not
 * executed in one piece. */
void core_taps(struct core *c, uint32_t b);

/* jit_whole.c: all lanes go to block t. */
void core_whole_go(struct core *c, uint32_t t);

#endif
