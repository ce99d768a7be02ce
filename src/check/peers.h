/* SPDX-License-Identifier: Apache-2.0
 *
 * peers.h: shared memory of other blocks of the cluster (peers.c).
 */
#ifndef LOCKSTEP_CHECK_PEERS_H
#define LOCKSTEP_CHECK_PEERS_H

#include "check/race.h"
#include "check/shared_cells.h"

/* A block of a cluster begins, in the order of ranks; it ends, when all its peers have. */
void peers_begin(struct block_state *b);
void peers_end(struct block_state *b);
void peers_free(struct block_state *b);
/* Whose shared memory the address lies in; b where it is nobody's. */
struct block_state *peers_owner(struct block_state *b, uint64_t address);
/* Lanes that access peers' memory are looked at, and leave v->lanes. Those that must not are
 * returned, and denied. */
uint32_t peers_take(struct visit *v, const uint64_t *address);
/* The lanes' accesses to the block's own memory, against those of peers. */
void peers_own(const struct visit *v, const uint64_t *address);
/* A warp arrives at the cluster's barrier; which is complete. */
void peers_arrive(struct block_state *b, uint32_t warp);
void peers_barrier(struct block_state *b, const uint32_t *arrived);

#endif
