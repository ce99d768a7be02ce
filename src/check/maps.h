/* SPDX-License-Identifier: Apache-2.0
 *
 * maps.h: tensor maps that kernels change (maps.c).
 */
#ifndef LOCKSTEP_CHECK_MAPS_H
#define LOCKSTEP_CHECK_MAPS_H

#include "check/transfers.h"

enum { MAP_BYTES = 128 };

/* A thread changes the map, executes fence.proxy.tensormap.acquire, copies by the map. */
void map_changed(struct block_state *b, uint32_t thread, uint64_t address, uint32_t place);
void map_fence(struct block_state *b);
void map_used(struct block_state *b, uint32_t thread, uint64_t address, uint32_t place);
void maps_free(struct launch *l);

#endif
