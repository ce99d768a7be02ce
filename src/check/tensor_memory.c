/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_memory.c: what tcgen05 asks of programs (PTX ISA 9.7.16.6): registers that tcgen05.ld
 * loads (in_flight.c), and columns that the matrix unit writes until an mbarrier that
 * tcgen05.commit names was waited for. Who has waited is not told from whom he told: nobody has, or
 * somebody.
 */
#include "check/peers.h"
#include "check/transfers.h"
#include "check/warpgroup.h"

#include <stdio.h>

static void
begin(struct transfers *t, uint32_t thread, uint64_t at, uint32_t place)
{
    if (t->in_flight_count < MOST_TENSOR)
        t->in_flight[t->in_flight_count++] = (struct tensor_use){.thread = thread,
                                                                 .place = place,
                                                                 .column = (uint32_t)at,
                                                                 .columns = (uint32_t)(at >> 32)};
}

static void
end(struct transfers *t, uint32_t k)
{
    t->in_flight[k] = t->in_flight[--t->in_flight_count];
}

/* All that the thread has begun; another block's mbarrier is not followed. */
static void
commit(struct block_state *b, uint32_t thread, uint64_t mbarrier)
{
    struct transfers *t = b->transfers;
    for (uint32_t k = t->in_flight_count; k-- > 0;) {
        struct tensor_use *u = &t->in_flight[k];
        if (u->thread != thread || u->mbarrier)
            continue;
        if (peers_owner(b, mbarrier) != b) {
            end(t, k);
            continue;
        }
        u->mbarrier = mbarrier;
        u->phases = mbarrier_at(t, mbarrier)->phases;
    }
}

void
tensor_memory_over(struct transfers *t, const struct mbarrier *m)
{
    for (uint32_t k = t->in_flight_count; k-- > 0;)
        if (t->in_flight[k].mbarrier == m->address && m->phases > t->in_flight[k].phases)
            end(t, k);
}

static void
use(struct block_state *b, uint32_t thread, const char *what, uint64_t at, uint32_t place)
{
    struct transfers *t = b->transfers;
    uint32_t first = (uint32_t)at, columns = (uint32_t)(at >> 32);
    for (uint32_t k = 0; k < t->in_flight_count; k++) {
        struct tensor_use *u = &t->in_flight[k];
        char message[200];
        if (first >= u->column + u->columns || u->column >= first + columns)
            continue;
        snprintf(message, sizeof message,
                 "columns %u to %u of tensor memory are %s while the matrix unit may still write "
                 "columns %u to %u: %s",
                 first, first + columns - 1, what, u->column, u->column + u->columns - 1,
                 u->mbarrier ? "nobody has waited for the mbarrier of the tcgen05.commit"
                             : "no tcgen05.commit stands between");
        misuse_tell(b, thread, FINDING_TENSOR_MEMORY, place, u->place, u->thread, message,
                    "tcgen05.commit, and a wait for its mbarrier");
        return;
    }
}

void
tensor_memory_did(struct block_state *b, uint32_t thread, enum jit_tmem_op op, uint64_t at,
                  uint32_t place)
{
    if (!(b->launch->check->groups & CHECK_SYNC))
        return;
    switch (op) {
    case JIT_TMEM_LD:
        misuse_of_registers(b, thread, place);
        use(b, thread, "read", at, place);
        break;
    case JIT_TMEM_ST: use(b, thread, "written", at, place); break;
    case JIT_TMEM_DEALLOC: use(b, thread, "given back", at, place); break;
    case JIT_TMEM_COMMIT: commit(b, thread, at); break;
    case JIT_TMEM_CP:
    case JIT_TMEM_SHIFT:
    case JIT_TMEM_MMA: begin(b->transfers, thread, at, place); break;
    default: break;
    }
}
