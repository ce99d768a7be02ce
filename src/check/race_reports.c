/* SPDX-License-Identifier: Apache-2.0
 *
 * race_reports.c: the findings about two accesses at one place of device or shared memory: races,
 * reads of what nothing has written, transfers in the background that nobody has waited for. Which
 * accesses these are it is told as marks (marks.h).
 */
#include "check/race.h"
#include "check/transfers.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 200 };

const char race_work_missing[] =
    "an order between the two: the same stream, an event, or a wait of the host in between";

/* -- the two sides ----------------------------------------------------------------------------- */

/* As findings give it: shared memory's are offsets. */
static uint64_t
shown_address(const struct visit *v, const struct touch *t)
{
    if (t->shared && v->b->peers) /* perhaps another block's */
        return (t->at - (uint64_t)(uintptr_t)v->b->block->window) % (1 << JIT_RANK_BIT);
    return t->shared ? t->at - (uint64_t)(uintptr_t)v->b->block->shared : t->at;
}

static struct job
job_of(const struct launch *l, uint32_t number)
{
    if (number != l->work)
        return work_job(l->check, number);
    struct job w = {.kernel = l->facts,
                    .what = "kernel",
                    .host = l->host,
                    .launch = l->number,
                    .memory = l->memory};
    memcpy(w.block, l->launch->block, sizeof w.block);
    memcpy(w.grid, l->launch->grid, sizeof w.grid);
    return w;
}

static struct side
other_side(const struct visit *v, const struct touch *t, const struct mark *m)
{
    struct job w = job_of(v->b->launch, mark_work(m));
    bool own_warp = mark_warp(m) == v->warp && mark_block(m) == (uint32_t)v->b->block->index;
    bool second = m->when & MARK_MANY && mark_lane(m) == t->lane && own_warp;
    uint64_t address = shown_address(v, t);
    if (!w.kernel)
        return (struct side){
            .valid = true, .address = address, .op = w.what ? w.what : "copy", .host = w.host};
    return side_of_job(&w, mark_place(m), mark_block(m),
                       mark_warp(m) * JIT_LANES + (second ? mark_lane2(m) : mark_lane(m)), address);
}

/* -- names of memory --------------------------------------------------------------------------- */

void
shared_name(const struct launch *l, uint64_t offset, char *out, size_t room)
{
    for (uint32_t k = 0; k < l->facts->shared_count; k++) {
        const struct shared_var *s = &l->facts->shared[k];
        uint64_t end = s->size ? s->offset + s->size : l->shared_bytes;
        if (offset >= s->offset && offset < end) {
            snprintf(out, room, "\"%s\" at byte %llu", s->name,
                     (unsigned long long)(offset - s->offset));
            return;
        }
    }
    snprintf(out, room, "shared memory at offset %llu", (unsigned long long)offset);
}

static void
name_global(const struct launch *l, uint64_t a, char *out, size_t room)
{
    struct allocation found;
    if (!l->memory || !memory_find_reached(l->memory, a, &found))
        snprintf(out, room, "0x%llx", (unsigned long long)a);
    else if (found.name && found.kind == ALLOCATION_VARIABLE)
        snprintf(out, room, "variable \"%s\" at byte %llu", found.name,
                 (unsigned long long)(a - found.base));
    else if (found.name && found.kind == ALLOCATION_HOST)
        snprintf(out, room, "array \"%s\" (%llu bytes) at byte %llu", found.name,
                 (unsigned long long)found.size, (unsigned long long)(a - found.base));
    else
        snprintf(out, room, "allocation %llu (%llu bytes) at byte %llu",
                 (unsigned long long)found.number, (unsigned long long)found.size,
                 (unsigned long long)(a - found.base));
}

static void
name_memory(const struct visit *v, const struct touch *t, char out[NAME_ROOM])
{
    (t->shared ? shared_name : name_global)(v->b->launch, shown_address(v, t), out, NAME_ROOM);
}

static const char *
space_of(const struct touch *t)
{
    return t->shared ? "shared" : "global";
}

/* -- races ------------------------------------------------------------------------------------- */

static bool
is_volatile(enum verdict verdict)
{
    return verdict == RACE_VOLATILE || verdict == RACE_VOLATILE_WARP;
}

/* inside: shared memory, by threads of one block; apart: by blocks of the cluster. */
static const char *
missing_text(enum verdict verdict, bool inside, bool apart, bool same_warp)
{
    if (apart && verdict == RACE_BLOCKS)
        return "a barrier of the cluster between the two: cluster.sync(), or an mbarrier";
    switch (verdict) {
    case RACE_INSN:
        return "one thread to do it, or an atomic operation: which thread's value stays is not "
               "defined";
    case RACE_WORK: return race_work_missing;
    case RACE_NESTED:
        return "a kernel and those that it launches run at the same time: what a child reads is "
               "written before "
               "its launch (by other threads: before a barrier); what it writes is for later "
               "launches of the "
               "block to the same stream, a tail launch, or the host";
    case RACE_SCOPE:
        return "an atomic operation of device scope: one of block scope counts only among the "
               "threads of its block, one of cluster scope among those of its cluster";
    case RACE_UNFENCED:
        return inside ? "a fence between reading the flag, or taking the lock, and this access: "
                        "__threadfence_block()"
                      : "a fence between reading the flag, or taking the lock, and this access: "
                        "__threadfence(), or __threadfence_block() where only threads of the block "
                        "take part";
    case RACE_VOLATILE:
        return inside ? "atomic operations, or a lock, a barrier, or a flag with a fence before it "
                        "is set: "
                        "volatile makes the compiler keep the access, and orders nothing"
                      : "atomic operations, or a lock, a barrier, or a flag with __threadfence() "
                        "before it is "
                        "set: volatile makes the compiler keep the access, and orders nothing";
    case RACE_VOLATILE_WARP:
        return "__syncwarp() between the two: since compute capability 7.0 the lanes of a warp "
               "need not run "
               "in lock-step, and volatile does not order them";
    case RACE_INSIDE:
        return same_warp
                   ? "__syncwarp() between the two: since compute capability 7.0 the lanes of a "
                     "warp need not run in lock-step"
                   : "a barrier between the two: __syncthreads()";
    default:
        return "blocks of one launch run in any order and at the same time: only a new launch, a "
               "grid-wide barrier, or atomics with fences order them";
    }
}

/* Who makes the two accesses. */
static const char *
who_text(enum verdict verdict, bool shared, bool apart, bool same_warp)
{
    if (verdict == RACE_INSN)
        return " by different threads in one instruction";
    if (apart)
        return " by different blocks of the cluster";
    if (shared)
        return same_warp ? " by different threads of one warp"
                         : " by different threads of the block";
    switch (verdict) {
    case RACE_WORK: return " by work of another stream";
    case RACE_BLOCKS:
    case RACE_SCOPE: return " by different blocks";
    case RACE_INSIDE: return " by different threads of a block";
    case RACE_NESTED: return " by kernels of one tree of launches";
    case RACE_VOLATILE_WARP: return " by lanes of one warp";
    default: return "";
    }
}

static const char *
why_text(enum verdict verdict)
{
    switch (verdict) {
    case RACE_INSN: return "";
    case RACE_SCOPE: return ", atomic only inside a block or a cluster";
    case RACE_UNFENCED: return ": the flag between them was read without a fence behind it";
    case RACE_VOLATILE:
    case RACE_VOLATILE_WARP: return ": volatile, and nothing orders them";
    default: return ", nothing orders them";
    }
}

/* Of races between the same two places the one of the highest rank is shown. */
static uint32_t
rank_of(enum verdict verdict, bool shared, bool same_warp, bool same_value)
{
    if (same_value)
        return 0;
    if (verdict == RACE_VOLATILE)
        return 1;
    if (!shared && verdict != RACE_INSIDE && verdict != RACE_INSN)
        return 3;
    return same_warp ? 1 : 2;
}

static void
note_repeat(struct repeats *r, const struct finding *f)
{
    bool room = r->count < sizeof r->at / sizeof *r->at;
    r->more |= !room;
    if (!room)
        return;
    r->at[r->count].kind = f->kind;
    r->at[r->count].other = f->other.kernel;
    r->at[r->count++].other_place = f->other.place;
}

static bool
is_wanted(const struct visit *v, const struct finding *f)
{
    const struct launch *l = v->b->launch;
    if (v->repeats && l->watched)
        note_repeat(v->repeats, f);
    return finding_wanted(l, f->kind, f->rank, l->facts, v->place, f->other.kernel, f->other.place,
                          v->b->block->ctaid);
}

/* The access that is visited, and what its memory is called. */
static struct side
own_side(const struct visit *v, const struct touch *t, char where[NAME_ROOM])
{
    name_memory(v, t, where);
    return side_of(v, t->lane, shown_address(v, t));
}

void
report_race(const struct visit *v, const struct touch *t, const struct mark *other,
            enum verdict verdict, bool same_value)
{
    const struct launch *l = v->b->launch;
    bool other_block = mark_block(other) != (uint32_t)v->b->block->index;
    bool apart = t->shared && other_block, same_warp = !other_block && mark_warp(other) == v->warp;
    struct finding f = {.kind = verdict == RACE_WORK   ? FINDING_HOST_RACE
                                : is_volatile(verdict) ? FINDING_VOLATILE_RACE
                                : t->shared            ? FINDING_SHARED_RACE
                                                       : FINDING_GLOBAL_RACE,
                        .severity = same_value || verdict == RACE_VOLATILE ? SEVERITY_WARNING
                                                                           : SEVERITY_ERROR,
                        .rank = rank_of(verdict, t->shared, same_warp, same_value),
                        .space = space_of(t)};
    f.other = other_side(v, t, other);
    if (!is_wanted(v, &f))
        return;
    char where[NAME_ROOM];
    f.access = own_side(v, t, where);
    snprintf(f.message, sizeof f.message, "%s and %s of %s%s%s%s", f.other.op, f.access.op, where,
             who_text(verdict, t->shared, apart, same_warp), why_text(verdict),
             same_value ? " (the same value is written)" : "");
    snprintf(f.missing, sizeof f.missing, "%s",
             missing_text(verdict, t->shared && !apart, apart, same_warp));
    finding_add(l->check, &f);
}

/* -- what nothing has written ------------------------------------------------------------------ */

/* Device memory of other kinds counts as written from the start. */
static bool
may_be_unwritten(const struct launch *l, const struct touch *t)
{
    struct allocation found;
    return t->shared || (l->memory && memory_find_reached(l->memory, t->at, &found) &&
                         (found.kind == ALLOCATION_DEVICE || found.kind == ALLOCATION_HEAP ||
                          (found.kind == ALLOCATION_HOST && found.name)));
}

void
report_unwritten(const struct visit *v, const struct touch *t, const struct mark *by)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = FINDING_UNINITIALIZED, .space = space_of(t)};
    if (!may_be_unwritten(l, t))
        return;
    if (by)
        f.other = other_side(v, t, by);
    if (v->facts->flags & PLACE_MBARRIER)
        transfers_need(v->b)->unwritten_place = v->place + 1;
    if (!is_wanted(v, &f))
        return;
    char where[NAME_ROOM];
    f.access = own_side(v, t, where);
    snprintf(f.message, sizeof f.message, "%s of %u bytes of %s%s", f.access.op, v->bytes, where,
             by          ? ": a copy of what nothing has written"
             : t->shared ? " that no thread of the block has written"
                         : ", which nothing has written");
    snprintf(f.missing, sizeof f.missing, "%s",
             !t->shared ? "a copy, a fill or a kernel that writes it before"
             : by       ? "a copy, a fill or a store that writes what is copied before"
                        : "a store to it before, and a barrier between");
    finding_add(l->check, &f);
}

/* -- proxies ----------------------------------------------------------------------------------- */

void
race_proxy(const struct visit *v, const struct touch *t, const struct mark *m)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = FINDING_PROXY, .rank = 3, .space = space_of(t)};
    char where[NAME_ROOM];
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, l->facts, mark_place(m),
                        v->b->block->ctaid))
        return;
    f.access = side_of(v, t->lane, shown_address(v, t));
    f.other = other_side(v, t, m);
    name_memory(v, t, where);
    snprintf(f.message, sizeof f.message,
             "%s %s: what a thread wrote there may not be what is read",
             v->facts->flags & PLACE_WGMMA     ? "wgmma of"
             : v->facts->flags & PLACE_TCGEN05 ? "matrix unit's read of"
                                               : "asynchronous copy of",
             where);
    snprintf(f.missing, sizeof f.missing,
             "fence.proxy.async behind the writes (fence_proxy_async_shared_cta of "
             "cuda::device::experimental), before the barrier");
    finding_add(l->check, &f);
}

/* -- transfers in the background --------------------------------------------------------------- */

/* What is said of one, by how it is waited for. */
enum waited_by { BY_GROUP, BY_MBARRIER, BY_WARPGROUP, BY_COMMIT, BY_NOTHING };

static const struct transfer_words {
    const char *name, *running, *unknown, *missing;
} transfer_words[] = {
    [BY_GROUP] = {"asynchronous copy", "nobody has waited for the copy to be done",
                  "the thread has not waited for the copy, others have",
                  "a wait by the thread that copies (cp.async.wait_group, __pipeline_wait_prior), "
                  "and for other threads a barrier after it"},
    [BY_MBARRIER] =
        {"asynchronous copy", "nobody has waited for the copy to be done",
         "the thread has not waited for the copy, others have",
         "a wait for the mbarrier's phase, or for the group (cp.async.bulk.wait_group)"},
    [BY_WARPGROUP] =
        {"wgmma", "nobody has waited for the wgmma to be done",
         "the thread has not waited for the wgmma, others have",
         "wgmma.wait_group by the warpgroup, and for other threads a barrier after it"},
    [BY_COMMIT] = {"matrix unit", "nobody has waited for the mbarrier of the tcgen05.commit",
                   "the thread has not waited for the mbarrier of the tcgen05.commit, others have",
                   "a wait for the phase of the mbarrier that the tcgen05.commit names"},
    [BY_NOTHING] = {"matrix unit", "no tcgen05.commit stands between", "",
                    "tcgen05.commit by the thread that has begun it, and a wait for its mbarrier"},
};

static enum waited_by
waited_by(const struct block_state *b, const struct mark *m)
{
    uint32_t flags = b->launch->facts->place[mark_place(m)].flags;
    const struct transfer *t = transfer_at(b->transfers, mark_stamp(m) - TRANSFER_STAMP);
    if (flags & PLACE_TCGEN05)
        return t && t->committed ? BY_COMMIT : BY_NOTHING;
    return flags & PLACE_WGMMA ? BY_WARPGROUP : flags & PLACE_BULK ? BY_MBARRIER : BY_GROUP;
}

void
report_transfer(const struct visit *v, const struct touch *t, const struct block_state *of,
                const struct mark *m, enum transfer_state state)
{
    const struct launch *l = v->b->launch;
    struct finding f = {.kind = FINDING_SHARED_RACE, .rank = 3, .space = space_of(t)};
    char where[NAME_ROOM];
    uint32_t place = mark_place(m);
    if (!finding_wanted(l, f.kind, f.rank, l->facts, v->place, l->facts, place, v->b->block->ctaid))
        return;
    f.access = side_of(v, t->lane, shown_address(v, t));
    f.other = other_side(v, t, m);
    name_memory(v, t, where);
    enum waited_by by = waited_by(of, m);
    const struct transfer_words *words = &transfer_words[by];
    bool running = state == TRANSFER_RUNNING, mbarrier = by == BY_MBARRIER || by == BY_COMMIT;
    bool other = mbarrier && mbarrier_other_phase(v->b, v->warp, mark_stamp(m) - TRANSFER_STAMP);
    snprintf(f.message, sizeof f.message, "%s and %s of %s: %s", words->name, f.access.op, where,
             running ? words->running : words->unknown);
    snprintf(f.missing, sizeof f.missing, "%s",
             !running && by != BY_WARPGROUP
                 ? "a wait of its own on the mbarrier, or a barrier after another thread's"
             : other
                 ? "a wait for the phase of the mbarrier that it belongs to: those of this warp "
                   "have passed on phases before it (their parity?)"
                 : words->missing);
    finding_add(l->check, &f);
}
