/* SPDX-License-Identifier: Apache-2.0
 *
 * What is looked for in wgmma: registers in flight (in_flight.c), descriptors and warpgroups
 * (warpgroup.c).
 */
#ifndef LOCKSTEP_CHECK_WARPGROUP_H
#define LOCKSTEP_CHECK_WARPGROUP_H

#include "check/check_priv.h"

/* An instruction's misuse, by one thread; other: what else it is about, by whom, or place. */
void misuse_tell(struct block_state *b, uint32_t thread, enum finding_kind kind, uint32_t place,
                 uint32_t other, uint32_t by, const char *message, const char *missing);
/* What was found in the code of registers that the instruction has, now that it is executed. */
void misuse_of_registers(struct block_state *b, uint32_t thread, uint32_t place);

struct wir;
/* What is wrong with registers of wgmma, into k->fault. */
void in_flight_find(struct kernel_facts *k, const struct wir *f);

/* A warp executes a wgmma; descriptor: of B, and of A where that is in memory. */
void warpgroup_begin(struct block_state *b, uint32_t warp, const uint64_t *descriptor,
                     uint32_t count, uint32_t place);

/* An instruction on tensor memory reads a matrix of shared memory; name: for the message. */
void matrix_of_tcgen05(struct block_state *b, uint32_t thread, uint64_t descriptor,
                       const char *name, uint32_t place);

#endif
