/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow.h: the shadow of device memory by address. shadow.c makes chunks and turns their forms
 * into each other; above it are ranges.c (copies, fills, new memory), global.c (accesses of
 * kernels), read_shared.c and host_races.c.
 */
#ifndef LOCKSTEP_CHECK_SHADOW_H
#define LOCKSTEP_CHECK_SHADOW_H

#include "check/lines.h"
#include "check/strong.h"

struct chunk {
    atomic_flag busy;
    uint8_t shift; /* of cells: 2 or 0 */
    bool thin;     /* no memory for cells */
    bool whole;    /* all of it was found written */
    uint32_t hole; /* the first word or line that lately was not */
    struct cell *cells;
    struct line *lines; /* at most one of both */
    uint8_t *written;   /* neither: a bit per byte; NULL: see all_written */
    bool all_written;
    uint32_t by;        /* neither: the work that wrote all of it; 0: over */
    uint32_t last_work; /* that accessed it */
    /* the work for which cell_read_enough holds of all its words; 0: none known */
    _Atomic uint32_t read_shared;
    struct strong_logs logs;
    uint32_t alike;          /* judgements of its cells that were one before (memo.h) */
    uint32_t hits, patience; /* words of which it held since the last look at all of them */
};

/* -- shadow.c ---------------------------------------------------------------------------------- */

/* The chunk around an address; NULL: there is none (and make is false), or no memory for it. */
struct chunk *shadow_chunk(struct global_shadow *g, uint64_t address, bool make);
static inline void
chunk_lock(struct chunk *k)
{
    while (atomic_flag_test_and_set_explicit(&k->busy, memory_order_acquire))
        ;
}
static inline void
chunk_unlock(struct chunk *k)
{
    atomic_flag_clear_explicit(&k->busy, memory_order_release);
}

/* The functions below want the chunk locked. */

/* A copy of what is known of the chunk's byte, whatever its form. */
struct cell chunk_cell(const struct chunk *k, uint32_t byte);
/* False: there is no memory for cells. */
bool chunk_need_cells(struct global_shadow *g, struct chunk *k);
/* False: the chunk has cells, or there is no memory. */
bool chunk_need_lines(struct global_shadow *g, struct chunk *k);
/* Cells of words become cells of bytes. False: there is no memory for those; the words' are gone,
 * too. */
bool chunk_cut_cells(struct global_shadow *g, struct chunk *k);
void chunk_drop_lines(struct global_shadow *g, struct chunk *k);
/* Without cells and lines: these bytes are written (known), or not. */
void chunk_mark_bits(struct chunk *k, uint32_t first, uint32_t count, bool known);

static inline bool
chunk_bit(const uint8_t *bits, uint32_t k)
{
    return bits[k / 8] >> (k & 7) & 1;
}
static inline bool
cell_is_written(const struct cell *c)
{
    return (c->write.when & (MARK_WRITTEN | MARK_UNSET)) == MARK_WRITTEN || c->strong.when;
}

/* -- ranges.c ---------------------------------------------------------------------------------- */

bool global_byte_written(struct global_shadow *g, uint64_t at);
/* Bytes of one word, just written, are copies of what nothing has written. */
void global_word_unset(struct global_shadow *g, uint64_t at, uint32_t bytes);

/* -- read_shared.c ----------------------------------------------------------------------------- */

/* A load of what was written before this launch, by some thread, and that two blocks have read
 * already: where nothing orders blocks, a later write races with one of the two whatever else
 * reads. Nothing is noted, so that data that all blocks read does not go back to memory each time.
 */
static inline bool
cell_read_enough(const struct launch *l, const struct cell *c)
{
    uint64_t work = l->work, differ = (c->read.who ^ c->other.who) >> BLOCK_SHIFT;
    return c->read.who >> WORK_SHIFT == work && c->other.who >> WORK_SHIFT == work && differ &&
           !c->strong.who && !c->strong.when && c->write.who >> WORK_SHIFT < l->floor &&
           (c->write.when & (MARK_WRITTEN | MARK_UNSET)) == MARK_WRITTEN;
}

void read_shared_look(const struct launch *l, struct chunk *k);
/* Counts a cell or line that enough threads have read. After `patience` of them the chunk is looked
 * at: often enough threads have read all of it. */
static inline void
read_shared_note(const struct launch *l, struct chunk *k)
{
    if (!k->patience)
        k->patience = k->lines ? LINE_COUNT : CHUNK >> k->shift;
    if (++k->hits >= k->patience)
        read_shared_look(l, k);
}

/* Somebody does more there than read. */
static inline void
read_shared_lose(struct launch *l, struct chunk *k)
{
    uint32_t work = atomic_load_explicit(&k->read_shared, memory_order_relaxed);
    if (work)
        atomic_store_explicit(&k->read_shared, 0, memory_order_relaxed);
    if (work == l->work)
        gates_close_all(l);
}

#endif
