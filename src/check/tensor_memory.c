/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_memory.c: what tcgen05 asks of programs (PTX ISA 9.7.16.6): registers that tcgen05.ld
 * loads (in_flight.c), and columns that the matrix unit writes until an mbarrier that
 * tcgen05.commit names was waited for. Who has waited is not told from whom he told: nobody has, or
 * somebody. What it reads of shared memory until then is a transfer in the background (async.c).
 */
#include "check/peers.h"
#include "check/transfers.h"
#include "check/warpgroup.h"

#include <stdio.h>

/* The same again, by the same thread, is over with the last one. */
static void
begin(struct transfers *t, uint32_t thread, uint64_t at, uint32_t place)
{
    uint32_t k = 0, column = (uint32_t)at, columns = (uint32_t)(at >> 32);
    struct tensor_use *u = t->in_flight;
    while (k < t->in_flight_count && (u[k].thread != thread || u[k].place != place ||
                                      u[k].column != column || u[k].columns != columns))
        k++;
    if (k == MOST_TENSOR)
        return;
    t->in_flight_count += k == t->in_flight_count;
    u[k] = (struct tensor_use){thread, place, column, columns, ++t->tensor_count};
}

/* All that the thread began before the commit is over. */
static void
end(struct transfers *t, struct tensor_commit c)
{
    for (uint32_t k = t->in_flight_count; k-- > 0;)
        if (t->in_flight[k].thread == c.thread && t->in_flight[k].number < c.number)
            t->in_flight[k] = t->in_flight[--t->in_flight_count];
    uint32_t left = 0;
    for (uint32_t k = 0; k < t->commit_count; k++)
        if (t->commit[k].thread != c.thread || t->commit[k].number > c.number)
            t->commit[left++] = t->commit[k];
    t->commit_count = left;
}

/* Another block's mbarrier is not followed. */
static void
commit(struct block_state *b, uint32_t thread, uint64_t mbarrier)
{
    struct transfers *t = b->transfers;
    struct tensor_commit c = {.thread = thread, .number = ++t->tensor_count, .mbarrier = mbarrier};
    if (peers_owner(b, mbarrier) != b) {
        end(t, c);
        return;
    }
    c.phases = mbarrier_at(t, mbarrier)->phases;
    if (t->commit_count == MOST_TENSOR)
        end(t, t->commit[0]);
    t->commit[t->commit_count++] = c;
}

void
tensor_memory_over(struct transfers *t, const struct mbarrier *m)
{
    for (uint32_t k = t->commit_count; k-- > 0;)
        if (k < t->commit_count && t->commit[k].mbarrier == m->address &&
            m->phases > t->commit[k].phases)
            end(t, t->commit[k]);
}

static bool
is_committed(const struct transfers *t, const struct tensor_use *u)
{
    bool committed = false;
    for (uint32_t k = 0; k < t->commit_count; k++)
        committed |= t->commit[k].thread == u->thread && t->commit[k].number > u->number;
    return committed;
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
                 is_committed(t, u) ? "nobody has waited for the mbarrier of the tcgen05.commit"
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
    case JIT_TMEM_READ: matrix_of_tcgen05(b, thread, at, "the matrix", place); break;
    case JIT_TMEM_READ_A: matrix_of_tcgen05(b, thread, at, "A", place); break;
    case JIT_TMEM_READ_B: matrix_of_tcgen05(b, thread, at, "B", place); break;
    case JIT_TMEM_CP:
    case JIT_TMEM_SHIFT:
    case JIT_TMEM_MMA: begin(b->transfers, thread, at, place); break;
    default: break;
    }
}
