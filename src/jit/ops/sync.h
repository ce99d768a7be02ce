/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: lanes that stand still at an instruction until others of their warp come
 * (control/wait.c). Generated code and C both use struct sync_site.
 */
#ifndef LOCKSTEP_JIT_SYNC_H
#define LOCKSTEP_JIT_SYNC_H

#include <stdint.h>

enum {
    SYNC_INPUTS = 4,
    SYNC_RESUME = 1, /* jit_warp.resume: where lanes that stand apart go on */
};

/* One instruction, in the frame of a warp. */
struct sync_site {
    uint32_t kind;   /* instructions of one kind wait for each other */
    uint32_t held;   /* lanes that stand here */
    uint32_t came;   /* lanes whose values are in in[] and not yet given to their group */
    uint32_t passed; /* lanes let go that have not run on yet */
    uint32_t wake;   /* of those: the block's pending lanes do not have them yet */
    uint32_t active; /* the groups of the lanes let go */
    uint32_t absent; /* that the masks of the lanes let go name, and that left without coming */
    uint32_t unused[9];
    uint32_t members[32];
    uint32_t others[32]; /* lanes that were running elsewhere when this one came */
    uint64_t in[SYNC_INPUTS][32], joined[SYNC_INPUTS][32];
};

/* Lanes come to a site. Returns those that may go on there, lanes that came before among them.
 * leaving: lanes of the living with nothing left to do. */
uint32_t jit_sync_arrive(struct sync_site *sites, uint32_t count, uint32_t site, uint32_t lanes,
                         uint32_t alive, uint32_t leaving);

/* Lanes have exited since: are groups complete now? */
enum { SYNC_NONE, SYNC_WOKEN, SYNC_HELD };
uint32_t jit_sync_retry(struct sync_site *sites, uint32_t count, uint32_t alive);

#endif
