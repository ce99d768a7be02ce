/* SPDX-License-Identifier: Apache-2.0
 *
 * strong.h: the strong accesses of a word, one after the other, in kernels where strong accesses
 * differ (kernel_facts.uneven). The last one says enough where they are alike: two do not race, and
 * what races with an earlier one races with the last one. Of those that differ in scope, or of
 * which some are volatile, an access may race with an early one and with none since. A log holds 32
 * accesses, then it begins anew; words to whose allocation only atomic operations of device scope
 * go, red among them, have none.
 */
#ifndef LOCKSTEP_CHECK_STRONG_H
#define LOCKSTEP_CHECK_STRONG_H

#include "check/race.h"

/* The logs of some memory: a chunk of device memory (its lock is held), or a block's shared one. */
struct strong_log;
struct strong_logs {
    uint32_t work; /* of this launch alone, */
    uint32_t age;  /*   and begun since this number was raised */
    size_t count, room;
    struct strong_log **log; /* by their cells, hashed; room is a power of two */
};

/* Strong accesses to where this place goes may differ: to its allocation, where that is known. */
bool strong_differ(const struct visit *v);
/* The same of one address, where strong_differ() is true. */
bool strong_differ_at(const struct visit *v, uint64_t address);

/* What strong writes leave where this place goes may be seen by blocks on other workers, which then
 * go there by weak accesses: the cell has to know in time of the writes, and of who has seen them.
 */
bool strong_observed(const struct visit *v);

/* What a cell's marks tell: its last strong write and two reads. Those that are over are 0. */
struct strong_marks {
    struct mark write, read[2];
};
/* The log of the cell that begins at byte `cell`; NULL: there is none. make: an access joins it
 * soon, and a new log begins with the strong ones among the marks (neither a strong write nor two
 * reads of this launch: the marks have room for the access, and it needs no log). */
struct strong_log *strong_log_of(const struct visit *v, struct strong_logs *logs, uint32_t cell,
                                 const struct strong_marks *marks, bool make);
void strong_logs_free(struct strong_logs *logs);
/* All logs are empty again. */
static inline void
strong_logs_empty(struct strong_logs *logs)
{
    logs->age++;
}

/* The cell's last strong write is in the log. Where it is not (a cell that was cut in bytes; work
 * of another launch came between), the log does not tell of the cell. */
bool strong_log_holds(const struct strong_log *log, const struct mark *strong);
/* A new read becomes the cell's last one, and that the other one, unless the log has what then
 * would be in the place of a plain one. log: NULL: there is none. */
enum strong_stays {
    STAYS_NONE,
    STAYS_OTHER, /* the other read; the new one becomes the last */
    STAYS_BOTH   /* the new one is in the log alone */
};
enum strong_stays strong_log_stays(const struct visit *v, const struct strong_log *log,
                                   const struct strong_marks *marks, const struct mark *read);
/* The access against those of the log; what races is reported. True: something was. */
bool strong_log_judge(const struct visit *v, const struct touch *t, const struct strong_log *log);
/* The access is done: a strong one joins the log; a plain write takes the place of what reads see.
 * All threads that access the cell have met since the stamp `floor`. */
void strong_log_note(const struct visit *v, struct strong_log *log, const struct mark *mark,
                     uint32_t floor);

/* The log's read (or atomic operation) of this mark has seen the last write. */
void strong_log_seen(const struct visit *v, struct strong_log *log, const struct mark *mark);

#endif
