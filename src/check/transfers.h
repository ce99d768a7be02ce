/* SPDX-License-Identifier: Apache-2.0
 *
 * transfers.h: a block's transfers in the background and its mbarriers: what others call, and
 * what transfers.c, async.c and mbarriers.c share.
 */
#ifndef LOCKSTEP_CHECK_TRANSFERS_H
#define LOCKSTEP_CHECK_TRANSFERS_H

#include "check/check_priv.h"

#include <string.h>

/* -- what others call -------------------------------------------------------------------------- */

void check_async(struct jit_warp *w, uint32_t lanes, uint32_t what, const uint64_t *barrier,
                 uint32_t number, uint32_t place);
/* A warp executes fence.proxy.async. */
void proxy_fence(struct block_state *b, uint32_t warp);
/* The stamp for marks of the transfer that these lanes begin. */
uint32_t transfer_begin(const struct visit *v);
enum transfer_state {
    TRANSFER_PAST,    /* of another block, or long ago */
    TRANSFER_DONE,    /* *out_stamp: since when, for others that are ordered after its thread */
    TRANSFER_KNOWN,   /* the lane asking waited for it, or is ordered after one that did */
    TRANSFER_RUNNING, /* nobody has waited */
    TRANSFER_UNKNOWN, /* somebody has, but nothing orders the lane after that */
};
enum transfer_state transfer_state(const struct visit *v, uint32_t lane, uint32_t stamp,
                                   uint32_t from_lane, uint32_t *out_stamp);
/* Numbers run out: marks must go. */
bool transfers_full(const struct block_state *b);
void transfers_begin(struct block_state *b, bool again);
/* The block has come to its end; it is given up: its mbarriers. */
void mbarriers_end(struct block_state *b);
void mbarriers_given_up(struct block_state *b);
void transfers_free(struct block_state *b);

/* -- inside ------------------------------------------------------------------------------------ */

enum { KEPT = 1024, NONE = 0, MOST_WAITED = 64, GROUP_WARPS = 4 };

/* Who commits and waits for it. */
enum transfer_kind { GROUP_COPY, GROUP_BULK, GROUP_WGMMA, GROUP_TCGEN05, GROUP_KINDS };

struct transfer {
    uint32_t warp;
    uint32_t lanes,
        committed; /* lanes that take part in the transfer; lanes that have committed it */
    enum transfer_kind kind;
    uint32_t group[JIT_LANES];    /* counted from 1, where committed */
    uint32_t done[JIT_LANES];     /* the stamp of the wait; 0: not waited for */
    uint32_t waited[GROUP_WARPS]; /* of wgmma: the same, of each warp of the warpgroup */
    uint32_t knows[MOST_WARPS];   /* lanes that were notified by an mbarrier, */
    struct {
        uint32_t stamp, lane;
    } notified[MOST_WARPS]; /*   when the first of each warp was, and which */
    bool is_notified;       /*   anyone */
    uint64_t mbarrier;      /* that learns of it; 0: none */
    bool away;              /* another block's mbarrier does */
    bool box;               /* by a tensor map, */
    uint32_t swizzle;       /*   of this swizzle */
    uint32_t place;         /* of a bulk transfer: its instruction */
};

struct numbers {
    uint32_t count, at[MOST_WAITED];
};

/* mbarriers.c: whether there is one at an address. */
enum mbarrier_state { MBARRIER_NONE, MBARRIER_LIVE, MBARRIER_GONE };
struct mbarrier_use {
    const struct block_state *b; /* of the thread */
    uint32_t place, thread;
};

struct mbarrier {
    uint64_t address;
    enum mbarrier_state state;
    uint64_t word;                   /* as instructions have left it */
    struct mbarrier_use last, bytes; /* that changed it; that was about bytes, */
    bool bytes_own, said; /*   by a thread of its block; what is wrong with bytes was said */
    uint32_t parity;
    uint32_t phases;                  /* that are over */
    uint32_t passed[MOST_WARPS];      /* by warps: waits that found the phase they asked for over */
    uint32_t asked_place[MOST_WARPS]; /* and 1; 0: has not asked */
    struct known *next, *over;        /* what arrivals of this phase hand on; of those before */
    struct numbers coming, came;      /* transfers */
};

/* A warp has come to a product, where its warpgroup meets. */
struct coming {
    uint32_t product; /* jit_wgmma.come */
    uint32_t stamp;   /* of what it did before */
};
/* What the matrix unit writes to tensor memory until somebody has waited for an mbarrier that a
 * tcgen05.commit names (tensor_memory.c). */
struct tensor_use {
    uint32_t thread, place, column, columns;
    uint32_t number; /* uses and commits are counted */
};
/* It is about all uses of the thread before it. */
struct tensor_commit {
    uint32_t thread, number;
    uint64_t mbarrier; /* its phases then: */
    uint32_t phases;
};
enum { MOST_TENSOR = 64 }; /* further uses are not followed; of more commits the oldest is over */
enum { COMINGS = 2 };      /* no warp is more than one meeting ahead */

struct transfers {
    uint32_t first, next; /* numbers of this block's: first .. next - 1 */
    uint32_t groups[GROUP_KINDS][MOST_WARPS][JIT_LANES];
    uint32_t open[GROUP_KINDS][MOST_WARPS]; /* number of the one that grows until a commit, */
    uint32_t bulk[MOST_WARPS];              /* of the last bulk transfer; NONE */
    uint32_t tensor[MOST_WARPS];            /* of the one that all accesses now belong to; NONE */
    uint32_t fenced[MOST_WARPS];            /* stamps of the last fence.proxy.async */
    struct coming coming[MOST_WARPS][COMINGS]; /* the last one's first */
    uint32_t swizzle;                          /* of the map that a copy begins by */
    uint64_t map_fence; /* when the last one for maps was; 0: none (maps.c) */
    struct tensor_use in_flight[MOST_TENSOR];
    uint32_t in_flight_count;
    struct tensor_commit commit[MOST_TENSOR];
    uint32_t commit_count, tensor_count; /* the last number */
    uint32_t unwritten_place;            /* that last read what nothing wrote, and 1 */
    uint32_t source_place;      /* of the last bulk transfer out of shared memory, and 1; */
    uint64_t source[JIT_LANES]; /*   from where its lanes read */
    VEC(struct mbarrier) mbarriers;
    struct transfer kept[KEPT];
};

struct transfers *transfers_need(struct block_state *b);
/* Whether the access is a wgmma's and `warp`, another warp of its warpgroup, came to the product
 * after the stamp: a wgmma orders what its four warps did before it. */
bool warpgroup_met(const struct visit *v, uint32_t warp, uint32_t stamp);
/* Waits of wgmma: until at most `left` groups of the warp's warpgroup are not over. */
void transfers_wait_group(struct block_state *b, uint32_t warp, uint32_t left);
/* The warp comes to a product. */
void transfers_come(struct block_state *b, const struct jit_warp *w);
/* What the warp accesses from now on, until it is told otherwise, is one transfer. */
void transfer_whole(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t place);
/* A bulk transfer out of shared memory reads there; what it writes next is announced behind that.
 */
void transfer_source(const struct visit *v, uint32_t lanes, const uint64_t *address);
/* What the lane's access stores: a bulk transfer's bytes; NULL: it is none. */
const uint8_t *transfer_value(const struct visit *v, uint32_t lane);
/* The transfer that has written there last, of shared memory's byte `offset`; NULL: none. */
const struct transfer *transfer_of(const struct block_state *b, uint64_t offset);
/* NULL: it is no longer kept, or another block's. */
struct transfer *transfer_at(struct transfers *t, uint32_t number);
struct mbarrier *mbarrier_at(struct transfers *t, uint64_t address);
/* The warp has waited on the mbarrier that learns of the transfer, and not for that phase of it. */
bool mbarrier_other_phase(const struct block_state *b, uint32_t warp, uint32_t transfer);

/* -- moves.c ----------------------------------------------------------------------------------- */

/* A bulk copy, whose accesses were looked at: what is unset where it reads is so where it writes.
 * swizzle: of the side in shared memory. */
void moves_unset(struct block_state *b, uint64_t to, uint64_t from, uint32_t bytes,
                 uint32_t swizzle);

/* -- tensor_memory.c --------------------------------------------------------------------------- */

/* A lane's instruction on tensor memory: JIT_ASYNC_TMEM. */
void tensor_memory_did(struct block_state *b, uint32_t thread, enum jit_tmem_op op, uint64_t at,
                       uint32_t place);
/* Somebody has waited for the mbarrier. */
void tensor_memory_over(struct transfers *t, const struct mbarrier *m);

/* -- mbarriers.c ------------------------------------------------------------------------------- */

static inline uint64_t
mbarrier_word(uint64_t address)
{
    uint64_t word; /* at any address that a kernel gives */
    memcpy(&word, (const void *)(uintptr_t)address, sizeof word);
    return word;
}
/* Lanes have done this to mbarriers: JIT_ASYNC_MBARRIER. */
void mbarrier_did(struct block_state *b, uint32_t warp, uint32_t lanes, enum jit_mbarrier_op op,
                  const uint64_t *address, const uint64_t *number, uint32_t place);
/* Bytes have come to it. */
void mbarrier_bytes(struct block_state *b, uint32_t warp, uint32_t lane, struct mbarrier *m,
                    uint32_t place);

#endif
