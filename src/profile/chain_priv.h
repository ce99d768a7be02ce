/* SPDX-License-Identifier: Apache-2.0
 *
 * The chains of chain.c, for what else is found along them (chain_memory.c): stores that L1 puts
 * together, loads that follow themselves, loads whose results are waited for behind a barrier.
 */
#ifndef LOCKSTEP_CHAIN_PRIV_H
#define LOCKSTEP_CHAIN_PRIV_H

#include "profile/profile_priv.h"

/* What an instruction did in the whole launch. */
struct tally {
    uint64_t warps, lanes, wavefronts, sectors, lines;
    uint64_t loops, constants; /* passes of shared atomics that are loops; different addresses of
                                  constant reads */
};

/* An instruction of the open superblock, and the one whose result it waited for last. */
struct node {
    uint32_t place;
    int32_t before; /* -1: none */
    double clocks;  /* until its result is there; */
    double sooner;  /*   so many fewer where L2 has what no launch but this one asked for */
    double deep;    /* how often it waits for device memory */
    enum wait_for kind;
    bool load;
    bool read;     /* an instruction of the superblock takes its result */
    uint32_t insn; /* UINT32_MAX: a load of another superblock, whose rest this is */
    double finish; /* clocks after the superblock began */
};

/* A load that is under way where its superblock ends, and is read later in the same turn. */
struct ahead {
    uint32_t reg, place, loop;
    int32_t node;  /* in the open superblock; -1: none */
    double clocks; /* until its result is there, after the superblock's begin */
    double sooner, deep, times;
};

/* A store of the open superblock: when it goes, and the node that it waited for last. */
struct store {
    const struct wir_insn *insn;
    uint32_t number;
    double start;
    int32_t before;
};

struct chain {
    const struct watch *watch;
    const struct device_profile *device;
    const struct latencies *latency;
    struct wir *wir;
    struct tally *tally;    /* per place */
    uint32_t *copies;       /* per place: how many instructions of the flow stand for it */
    double *ready;          /* per register: clocks after the superblock began, */
    int32_t *writer;        /*   and the node that wrote it; -1: none in this superblock */
    VEC(struct node) nodes; /* of the open superblock */
    VEC(struct store) stores;
    VEC(struct ahead) ahead;
    int32_t before, last; /* that the instruction in hand waits for; that ends the longest chain */
    double (*waits)[WAITS];
    uint8_t *loads;  /* per place: enum load_kind */
    uint8_t *folded; /* per place: enum mix_as; NULL: none */
    uint8_t *left; /* per place: turns of a loop that waits for other warps; NULL: there are none */
    uint8_t *unrolled; /* per block of the flow: turns of this loop go together; NULL: none do */
    uint32_t turns;    /* as many, of the block in hand */
    struct rates {
        double memory;       /* mean latency of a global load; of one that L1 has not; */
        double beyond, warm; /*   and of that where L2 has what no launch but this one asked for */
        double miss, l2_share;     /* share of loads that L1 has not; of sectors */
        double l2_miss, warm_miss; /* of those beyond L1 that L2 has not, and has not then */
    } rates;
    struct {           /* of a load in the block of code in hand: */
        double beside; /* its latency where others stand beside it, */
        double sooner; /*   so many clocks less where L2 has what others asked for, */
        double deep;   /*   and how often it waits for device memory */
    } load;
    double blocks, warps; /* of the launch; of a block */
    struct waiting sum;
    VEC(struct superblock) superblocks; /* in the code's order */
    struct {                            /* the open superblock */
        size_t rests;                   /* of its nodes: those of loads of others */
        double times, longest, issued;
        const struct wir_block *first; /* NULL: none is open */
    } open;
    struct sent {
        double stored;      /* when its last store to memory was sent; < 0: it has none */
        double since_store; /* clocks of what is closed behind its last store; < 0: none so far */
    } store;
    double instructions; /* of one warp, so far */
    uint64_t without;    /* mechanisms of the estimate */
    struct work work;
};

/* -- chain_memory.c ---------------------------------------------------------------------------- */

/* Loads that no instruction of the superblock reads, but a later one of the turn, are waited for
 * there (a barrier waits for no load): of the rest of each the superblock that opens has a node, */
void chain_ahead_open(struct chain *c, const struct wir_block *b, double times);
/* the one that closes waits only for what nobody else does, */
void chain_ahead_wait(struct chain *c);
/* and takes so many clocks of them. */
void chain_ahead_close(struct chain *c, double longest);
/* Share of the stores that L1 puts together with the ones before them: k->joined.stores. */
void chain_merged(struct chain *c, struct kernel *k);
/* Which of the few loads that are waited for longest take their addresses from themselves. */
void chain_chases(struct chain *c, struct arena *a);

#endif
