/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarrier: the 64-bit word that an mbarrier is (PTX ISA 9.7.13.15; the manual leaves its bits
 * open), and what instructions do to it. Part of jit.h, which includes it.
 *
 *     bit 63: parity of the current phase | 62..40: bytes awaited (signed) | 39..20: expected
 *     arrivals of a phase | 19..0: pending ones
 */
#ifndef LOCKSTEP_JIT_MBARRIER_H
#define LOCKSTEP_JIT_MBARRIER_H

#include <stdint.h>

enum { JIT_MBARRIER_COUNT_BITS = 20, JIT_MBARRIER_TX_BITS = 23 };
/* The most arrivals, and the most bytes awaited or in excess (9.7.13.15.2). */
enum { JIT_MBARRIER_MOST = (1 << 20) - 1 };

enum jit_mbarrier_op {
    JIT_MBARRIER_INIT, /* number: expected arrivals */
    JIT_MBARRIER_INVAL,
    JIT_MBARRIER_ARRIVE,    /* number: arrivals, out: the state before */
    JIT_MBARRIER_DROP,      /* the same, and none of them is expected again */
    JIT_MBARRIER_EXPECT_TX, /* number: bytes */
    JIT_MBARRIER_COMPLETE_TX,
    JIT_MBARRIER_ARRIVE_TX, /* expect number bytes, then arrive once */
    JIT_MBARRIER_DROP_TX,
    JIT_MBARRIER_TEST, /* number: a state; out: is its phase over? */
    JIT_MBARRIER_TEST_PARITY,
    JIT_MBARRIER_PENDING, /* number: a state; out: its pending arrivals; no address */
};

/* What a word, or a state, says. */
struct jit_mbarrier {
    uint32_t pending, expected, parity;
    int32_t bytes; /* awaited; below 0: more have come than were expected */
};

static inline struct jit_mbarrier
jit_mbarrier_of(uint64_t word)
{
    uint32_t mask = (1u << JIT_MBARRIER_COUNT_BITS) - 1, unused = 32 - JIT_MBARRIER_TX_BITS;
    uint32_t bytes = (uint32_t)(word >> 2 * JIT_MBARRIER_COUNT_BITS) << unused;
    return (struct jit_mbarrier){.pending = (uint32_t)word & mask,
                                 .expected = (uint32_t)(word >> JIT_MBARRIER_COUNT_BITS) & mask,
                                 .parity = (uint32_t)(word >> 63),
                                 .bytes = (int32_t)bytes >> unused};
}

/* Does it to the word; returns the instruction's result. */
uint64_t jit_mbarrier_do(uint64_t *word, enum jit_mbarrier_op op, uint64_t number);
/* Bytes of a copy have arrived: tells the mbarrier. */
void jit_mbarrier_complete(uint64_t address, uint64_t bytes);
/* A unit has done what was committed to it (tcgen05.commit): one arrival. */
void jit_mbarrier_arrive(uint64_t address);

#endif
