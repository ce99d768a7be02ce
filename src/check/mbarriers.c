/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarriers.c: what mbarriers ask of programs (PTX ISA 9.7.13.15): that they are there, counts in
 * their ranges, no more arrivals and bytes in a phase than it expects. Each one's word is followed
 * beside the one in memory; what is only wrong in another order of the threads is left alone.
 */
#include "check/peers.h"
#include "check/transfers.h"

#include <stdio.h>
#include <string.h>

/* -- findings ---------------------------------------------------------------------------------- */

/* A thread at an instruction, and the mbarrier that it names. */
struct use {
    struct block_state *b;
    struct mbarrier *m;
    uint32_t thread, place;
};

/* other: an instruction before it that the finding is about, too; NULL: none. */
static void
tell(const struct use *u, const struct mbarrier_use *other, const char *message,
     const char *missing)
{
    const struct launch *l = u->b->launch;
    struct finding f = {.kind = FINDING_MBARRIER, .space = "shared"};
    uint64_t offset =
        (u->m->address - (uint64_t)(uintptr_t)u->b->block->window) % (1 << JIT_RANK_BIT);
    char where[200];
    if (!(l->check->groups & CHECK_SYNC) ||
        !finding_wanted(l, f.kind, 0, l->facts, u->place, other ? l->facts : NULL,
                        other ? other->place : 0, u->b->block->ctaid))
        return;
    f.access = side_of_thread(u->b, u->thread, u->place, "mbarrier");
    f.access.address = offset;
    f.access.size = sizeof(uint64_t);
    if (other)
        f.other = side_of_thread(other->b, other->thread, other->place, "mbarrier");
    shared_name(l, offset, where, sizeof where);
    snprintf(f.message, sizeof f.message, "the mbarrier %s %s", where, message);
    snprintf(f.missing, sizeof f.missing, "%s", missing);
    finding_add(l->check, &f);
}

/* -- what instructions do ---------------------------------------------------------------------- */

static bool
is_arrival(enum jit_mbarrier_op op)
{
    return op == JIT_MBARRIER_ARRIVE || op == JIT_MBARRIER_DROP || op == JIT_MBARRIER_ARRIVE_TX ||
           op == JIT_MBARRIER_DROP_TX;
}

static bool
expects(enum jit_mbarrier_op op)
{
    return op == JIT_MBARRIER_EXPECT_TX || op == JIT_MBARRIER_ARRIVE_TX ||
           op == JIT_MBARRIER_DROP_TX;
}

static void
look_at_init(const struct use *u, uint64_t count)
{
    struct jit_mbarrier now = jit_mbarrier_of(u->m->word);
    char text[200];
    if (u->m->state == MBARRIER_LIVE && (now.pending != now.expected || now.bytes)) {
        snprintf(text, sizeof text,
                 "is initialised while a phase is pending: %u of %u arrivals and %d bytes are "
                 "missing",
                 now.pending, now.expected, now.bytes);
        tell(u, &u->m->last, text,
             "the phase's end before it, mbarrier.inval, and a barrier of the block around both");
    }
    if (count >= 1 && count <= JIT_MBARRIER_MOST)
        return;
    snprintf(text, sizeof text, "is initialised for %llu arrivals a phase",
             (unsigned long long)count);
    tell(u, NULL, text, "a count from 1 to 1048575");
}

/* False: what its word says means nothing. */
static bool
is_there(const struct use *u)
{
    struct transfers *t = u->b->transfers;
    enum mbarrier_state state = u->m->state;
    if (state == MBARRIER_GONE)
        tell(u, &u->m->last, "is used after mbarrier.inval", "mbarrier.init, and a barrier behind");
    else if (state == MBARRIER_NONE && t->unwritten_place != u->place + 1)
        tell(u, NULL, "is used, and no mbarrier.init has made it",
             "mbarrier.init by one thread, and a barrier of the block behind it");
    return state == MBARRIER_LIVE;
}

static void
look_at_bytes(const struct use *u)
{
    struct jit_mbarrier now = jit_mbarrier_of(u->m->word);
    char text[300];
    if (u->m->said)
        return;
    if (now.bytes > JIT_MBARRIER_MOST || now.bytes < -JIT_MBARRIER_MOST) {
        snprintf(text, sizeof text, "counts %d bytes of a phase", now.bytes);
        tell(u, NULL, text, "phases of at most 1048575 bytes");
        u->m->said = true;
    } else if (!now.pending && now.bytes < 0) {
        snprintf(text, sizeof text,
                 "has got %d bytes more than the phase expects, whose arrivals have all come: it "
                 "ends before all bytes are there, or never",
                 -now.bytes);
        tell(u, NULL, text,
             "expect_tx of as many bytes as the phase's copies bring, before its last arrival");
        u->m->said = true;
    }
}

static void
look_at_counts(const struct use *u, enum jit_mbarrier_op op, uint64_t number)
{
    struct jit_mbarrier now = jit_mbarrier_of(u->m->word);
    uint64_t count = expects(op) ? 1 : number;
    char text[300];
    if (expects(op) && number > JIT_MBARRIER_MOST) {
        snprintf(text, sizeof text, "is told to expect %llu bytes", (unsigned long long)number);
        tell(u, NULL, text, "phases of at most 1048575 bytes");
    }
    if (!is_arrival(op) || count <= now.pending)
        return;
    snprintf(text, sizeof text, "gets %llu more arrivals, where a phase still lacks %u of %u%s",
             (unsigned long long)count, now.pending, now.expected,
             now.pending ? "" : " and waits for bytes alone");
    tell(u, &u->m->last, text, "mbarrier.init with as many arrivals as a phase gets");
}

/* mbarrier.init: what was before it is another's. */
static void
forget_phases(struct mbarrier *m)
{
    m->phases = 0;
    memset(m->passed, 0, sizeof m->passed);
    memset(m->asked_place, 0, sizeof m->asked_place);
    m->said = m->bytes_own = false;
}

/* Lane by lane: between two of them a phase may end. */
static void
do_one(const struct use *u, enum jit_mbarrier_op op, uint64_t number)
{
    struct mbarrier *m = u->m;
    if (op == JIT_MBARRIER_INIT)
        look_at_init(u, number);
    else if (!is_there(u) && op != JIT_MBARRIER_INVAL)
        return;
    else if (op != JIT_MBARRIER_COMPLETE_TX)
        look_at_counts(u, op, number);
    jit_mbarrier_do(&m->word, op, number);
    m->state = op == JIT_MBARRIER_INVAL ? MBARRIER_GONE : MBARRIER_LIVE;
    if (op == JIT_MBARRIER_TEST || op == JIT_MBARRIER_TEST_PARITY) {
        m->asked_place[u->thread / JIT_LANES] = u->place + 1;
        return;
    }
    m->last = (struct mbarrier_use){u->b, u->place, u->thread};
    if (op == JIT_MBARRIER_INIT)
        forget_phases(m);
    if (expects(op) && peers_owner(u->b, m->address) == u->b)
        m->bytes = m->last, m->bytes_own = true;
    look_at_bytes(u);
}

void
mbarrier_did(struct block_state *b, uint32_t warp, uint32_t lanes, enum jit_mbarrier_op op,
             const uint64_t *address, const uint64_t *number, uint32_t place)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct transfers *t = transfers_need(peers_owner(b, address[lane]));
        struct use u = {b, mbarrier_at(t, address[lane]), warp * JIT_LANES + lane, place};
        do_one(&u, op, number[lane]);
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct transfers *t = transfers_need(peers_owner(b, address[lane]));
        struct use u = {b, mbarrier_at(t, address[lane]), warp * JIT_LANES + lane, place};
        uint64_t word = mbarrier_word(address[lane]);
        if (u.m->state == MBARRIER_LIVE && word != u.m->word)
            tell(&u, &u.m->last,
                 "is no more what mbarrier instructions have made of it: something else has "
                 "written there",
                 "mbarrier.inval, and a barrier, before its memory holds anything else");
        u.m->word = word;
        if (u.m->state == MBARRIER_NONE) { /* one that was there before counts from here on */
            u.m->state = MBARRIER_LIVE;
            u.m->last = (struct mbarrier_use){b, place, u.thread};
        }
    }
}

void
mbarrier_bytes(struct block_state *b, uint32_t warp, uint32_t lane, struct mbarrier *m,
               uint32_t place)
{
    struct use u = {b, m, warp * JIT_LANES + lane, place};
    uint64_t word = mbarrier_word(m->address);
    if (m->state == MBARRIER_GONE)
        is_there(&u);
    if (m->state != MBARRIER_LIVE || word == m->word)
        return;
    m->word = word;
    m->last = (struct mbarrier_use){b, place, u.thread};
    if (peers_owner(b, m->address) == b)
        m->bytes = m->last, m->bytes_own = true;
    look_at_bytes(&u);
}

/* -- phases -------------------------------------------------------------------------------------
 */

/* A thread that waits, and whose warp has waited on the mbarrier for no other phase, though one is
 * over and nothing of the next has come. */
static bool
waits_for_other(const struct block_state *b, const struct mbarrier *m, uint32_t thread)
{
    const struct jit_asked *asked = &b->block->asked[thread];
    struct jit_mbarrier now = jit_mbarrier_of(m->word);
    /* A thread's last request outlives its block, so that its address and phase are compared as
     * well. */
    return m->asked_place[thread / JIT_LANES] && asked->address == m->address &&
           asked->parity == now.parity && m->phases && !m->passed[thread / JIT_LANES] &&
           now.pending == now.expected && !now.bytes;
}

void
mbarriers_given_up(struct block_state *b)
{
    const uint32_t *dim = b->launch->launch->block;
    for (size_t k = 0; b->block->asked && b->transfers && k < b->transfers->mbarriers.count; k++) {
        struct mbarrier *m = &b->transfers->mbarriers.at[k];
        uint32_t thread = 0, parity = jit_mbarrier_of(m->word).parity;
        char text[200], missing[100];
        while (thread < dim[0] * dim[1] * dim[2] && !waits_for_other(b, m, thread))
            thread++;
        if (m->state != MBARRIER_LIVE || thread == dim[0] * dim[1] * dim[2])
            continue;
        struct use u = {b, m, thread, m->asked_place[thread / JIT_LANES] - 1};
        snprintf(text, sizeof text,
                 "is asked for a phase of parity %u, of which nothing has come, by a warp that has "
                 "not asked for the one of parity %u, which is over",
                 parity, !parity);
        snprintf(missing, sizeof missing, "a first wait for parity %u", !parity);
        tell(&u, NULL, text, missing);
    }
}

/* Nobody waits any more: what was expected and what has come are not the same. */
void
mbarriers_end(struct block_state *b)
{
    for (size_t k = 0; b->transfers && k < b->transfers->mbarriers.count; k++) {
        struct mbarrier *m = &b->transfers->mbarriers.at[k];
        int32_t bytes = jit_mbarrier_of(m->word).bytes;
        struct use u = {b, m, m->bytes.thread, m->bytes.place};
        char text[200];
        if (m->state != MBARRIER_LIVE || !bytes || !m->bytes_own || m->said)
            continue;
        snprintf(text, sizeof text,
                 bytes > 0 ? "still expects %d bytes when its block ends"
                           : "has got %d bytes that it was not told to expect "
                             "when its block ends",
                 bytes > 0 ? bytes : -bytes);
        tell(&u, NULL, text, "expect_tx of as many bytes as the phase's copies bring");
    }
}
