/* SPDX-License-Identifier: Apache-2.0
 *
 * seen.h: reads of device memory in its cells, and who has seen a cell's last strong write. Below
 * global.c, which judges accesses, and flags.c, which knows when a strong read is over.
 */
#ifndef LOCKSTEP_CHECK_SEEN_H
#define LOCKSTEP_CHECK_SEEN_H

#include "check/race.h"
#include "check/shadow.h"
#include "check/strong.h"

struct memo;
/* A lane's access to a cell of device memory. */
struct global_touch {
    struct touch touch;
    bool lone;   /* a load, where nothing orders blocks */
    bool even;   /* an atomic operation, where all strong accesses are alike */
    bool uneven; /* where they are not */
    struct mark mark;
    struct strong_log *log; /* of the cell; NULL: none, and then no marks */
    struct strong_marks marks;
    struct memo *memo; /* of an earlier lane's cell */
};

/* The mark of a lane's access that was announced at that stamp. */
struct mark seen_mark(const struct visit *v, uint32_t lane, uint32_t stamp);
/* The cell's last strong write comes before what the lane does now: it has been seen. */
bool seen_before(const struct visit *v, uint32_t lane, const struct cell *c);
/* The cell takes the mark of a read. */
void seen_note_read(const struct visit *v, const struct global_touch *t, struct cell *c);
/* The read is over: it has seen a strong write that another worker announced in the meantime. */
void seen_read_over(struct block_state *b, uint32_t warp, const struct pending_read *r);

#endif
