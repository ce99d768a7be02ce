/* SPDX-License-Identifier: Apache-2.0
 *
 * What is looked for in wgmma: registers in flight (in_flight.c), descriptors and warpgroups
 * (warpgroup.c).
 */
#ifndef LOCKSTEP_CHECK_WARPGROUP_H
#define LOCKSTEP_CHECK_WARPGROUP_H

#include "check/check_priv.h"

struct wir;
/* What is wrong with registers of wgmma, into k->fault. */
void in_flight_find(struct kernel_facts *k, const struct wir *f);

/* A warp executes a wgmma; descriptor: of B, and of A where that is in memory. */
void warpgroup_begin(struct block_state *b, uint32_t warp, const uint64_t *descriptor,
                     uint32_t count, uint32_t place);

#endif
