/* SPDX-License-Identifier: Apache-2.0
 *
 * host.h: what the host does to memory, against what is under way: flight.c, host_races.c,
 * padding.c.
 */
#ifndef LOCKSTEP_CHECK_HOST_H
#define LOCKSTEP_CHECK_HOST_H

#include "check/check_priv.h"

/* flight.c: an operation of the host that it has not waited for. */
struct flight {
    struct check_rows rows;
    uint32_t stream, seq;
    bool writes, allocates, frees;
    bool ordered;  /* frees: in the order of a stream, not when the host calls */
    bool marked;   /* shadow memory has it, too */
    uint32_t host; /* the place of the call */
    const char *what;
};

/* -- work.c ------------------------------------------------------------------------------------ */

/* Whether of two pieces of work, numbered in the order of their stream, somebody - the host, a
 * stream, an event - knows the first to be over, and not the second; of two streams: may be. */
bool work_parted(struct check *c, uint32_t first, uint32_t second);

/* -- flight.c ---------------------------------------------------------------------------------- */

struct flights *flights_new(void);
void flights_free(struct flights *f);
/* Announces that the thread's next work (or the host, where it frees at once) touches the rows of
 * f. They are compared with work that may still run, and kept until the work is known to be over.
 */
void flight_begin(struct check *c, struct flight *f);
/* The host knows so much now. */
void flights_land(struct check *c, const uint32_t *host);
void flights_forget(struct check *c, uint64_t at, uint64_t size);
/* Finds an operation that may still run, by the host's vector clock `known`, and conflicts with the
 * host's access to the range; false: there is none. */
bool flight_host(struct check *c, uint64_t at, uint64_t size, bool writes, const uint32_t *known,
                 const char **what);
void flight_launch_over(struct launch *l);

/* -- padding.c --------------------------------------------------------------------------------- */

enum { HOLES = 8 };
struct hole {
    uint64_t at, size;
};
struct holes {
    uint32_t count, fits; /* bit k: all are as the k-th before them */
    bool odd, wide;       /* one is no padding; one is a word or more */
    struct hole last[HOLES];
    uint64_t period[HOLES];
};
/* In the order of their addresses. */
void holes_add(struct holes *s, uint64_t at, uint64_t size);
/* Whether all holes added so far look like padding in structures. end: the address behind the
 * range that was searched; of fewer than four holes none may reach it. */
bool holes_are_padding(const struct holes *s, uint64_t end);

/* -- work.c ------------------------------------------------------------------------------------ */

/* What the host knows, or may know by the host functions that have run. */
struct clock work_supposed(struct check *c);
/* The host has seen what the work stored for it. */
void work_join_job(struct check *c, uint32_t work);

/* -- host_races.c ------------------------------------------------------------------------------ */

/* Copies and fills against what kernels did: a range that `work`, which knows `after`, touches.
 * True: something that was reported, or is known. */
bool global_compare(struct check *c, uint64_t base, uint64_t size, bool writes, uint32_t work,
                    const uint32_t *after);
/* The access of work that `known` does not know that host code at the address, or in this part of a
 * page, races with; false: none. *met: work whose accesses of the system's scope, which race with
 * nothing that the host does, are there, or 0; NULL: these count as others do. */
bool global_host_race(struct check *c, uint64_t address, uint64_t bytes, enum check_host_op op,
                      const uint32_t *known, struct side *out, uint32_t *met);

/* What the launch did to the range that f touches, which it does not know to be over. */
void global_compare_launch(struct check *c, uint64_t base, uint64_t size, const struct flight *f,
                           uint32_t launch);

#endif
