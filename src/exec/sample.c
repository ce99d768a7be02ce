/* SPDX-License-Identifier: Apache-2.0
 *
 * sample.c: whether a block can come to an end, asked while it runs. Generated code has no calls
 * and no tests for that; a signal stops its thread at some instruction, and its handler is here.
 * What the thread does from there on follows from the processor's registers, its stack down to
 * generated code, and memory. When the same state is met a second time, the block comes to it again
 * and again. That holds as long as nobody else writes to memory (watch.c sees to it) and time plays
 * no part (exec_is_closed).
 *
 * Signals come at any instruction, so a loop of n instructions is known after some times the square
 * root of n of them. Memory is only looked at in states whose registers have been met before.
 */
#define _GNU_SOURCE /* _dl_find_object */
#include "exec/exec_priv.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

/* -- registers and stack ----------------------------------------------------------------------- */

enum { STEPS = 100000 }; /* calls of a tool that are looked at in a window */

#if defined(__x86_64__)

#define MOVE_SP "mov %%rsp, %0"

enum { RED_ZONE = 128, LEGACY = 464, FRAME = 512, EXTENDED_MAGIC = 0x46505853 };

static uint64_t
pc_of(const ucontext_t *u)
{
    return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
}

static uint64_t
sp_of(const ucontext_t *u)
{
    return (uint64_t)u->uc_mcontext.gregs[REG_RSP] - RED_ZONE;
}

/* General registers and flags; then those of 512 bytes, and what the kernel has put behind them. */
static uint64_t
hash_registers(const ucontext_t *u)
{
    uint64_t h =
        exec_hash_bytes(1, u->uc_mcontext.gregs, (REG_EFL + 1) * sizeof u->uc_mcontext.gregs[0]);
    const uint8_t *f = (const uint8_t *)u->uc_mcontext.fpregs;
    uint32_t software[6]; /* magic, bytes with what follows, features (64 bits), bytes */
    if (!f)
        return h;
    h = exec_hash_bytes(h, f, LEGACY);
    memcpy(software, f + LEGACY, sizeof software);
    if (software[0] == EXTENDED_MAGIC && software[4] > FRAME)
        h = exec_hash_bytes(h, f + FRAME, software[4] - FRAME);
    return h;
}

#elif defined(__aarch64__)

#define MOVE_SP "mov %0, sp"

static uint64_t
pc_of(const ucontext_t *u)
{
    return u->uc_mcontext.pc;
}

static uint64_t
sp_of(const ucontext_t *u)
{
    return u->uc_mcontext.sp;
}

/* The address of the last fault, which comes first, is not looked at. */
static uint64_t
hash_registers(const ucontext_t *u)
{
    return exec_hash_bytes(1,
                           (const uint8_t *)&u->uc_mcontext + sizeof u->uc_mcontext.fault_address,
                           sizeof u->uc_mcontext - sizeof u->uc_mcontext.fault_address);
}

#else
#error "which registers a signal's context holds"
#endif

/* Word by word: sanitizers keep some from being read. */
__attribute__((no_sanitize("address", "thread"))) static uint64_t
hash_stack(uint64_t h, uint64_t from, uint64_t to)
{
    for (const volatile uint64_t *p = (const volatile uint64_t *)(from & ~(uint64_t)7);
         (uint64_t)(uintptr_t)p + 8 <= to; p++) {
        h = (h ^ *p) * 0x9fb21c651e98df25ull;
        h ^= h >> 29;
    }
    return h;
}

/* Nobody's library or program: generated. */
static bool
is_generated(uint64_t pc)
{
    struct dl_find_object in;
    return _dl_find_object((void *)(uintptr_t)pc, &in) != 0;
}

/* -- orders ------------------------------------------------------------------------------------ */

static struct exec_slot *
slot_of(const struct exec_worker *w)
{
    const struct jit_warp *warp = w->warp;
    return warp ? warp->owner : NULL;
}

static uint8_t
standing(const struct exec_slot *s, uint32_t i, const struct jit_warp *running, uint32_t *place)
{
    const struct jit_warp *w = &s->warp[i];
    bool waits =
        s->state[i] == WARP_WAITING || (s->state[i] == WARP_READY && s->returned[i] == JIT_WAIT);
    uint32_t lane = i * JIT_LANES + (w->lanes ? (uint32_t)__builtin_ctz(w->lanes) : 0);
    *place = waits ? s->lane.place[lane] : w->barrier_place;
    if (w == running)
        return STANDS_RUNS;
    if (waits && w->resume && !(running && w > running))
        return s->lane.barrier[lane] < EXEC_BARRIERS ? STANDS_BARRIER : STANDS_WAITS;
    switch ((enum warp_state)s->state[i]) {
    case WARP_DONE: return STANDS_DONE;
    case WARP_AT_BARRIER: return STANDS_BARRIER;
    case WARP_WAITING: return STANDS_WAITS;
    case WARP_READY: break;
    }
    if (!w->resume || (running && w > running && s->returned[i] != JIT_YIELD))
        return STANDS_READY; /* its turn is to come */
    return s->returned[i] == JIT_YIELD     ? STANDS_POLLS
           : s->returned[i] == JIT_BARRIER ? STANDS_BARRIER
           : s->returned[i] == JIT_DONE    ? STANDS_DONE
                                           : STANDS_WAITS;
}

static void
add_stands(struct exec_sighting *at, const struct exec_slot *s, const struct jit_warp *running)
{
    struct exec_stand *last = NULL;
    for (uint32_t i = 0; i < s->warps && at->stand_count < EXEC_STANDS; i++) {
        uint32_t place;
        uint8_t what = standing(s, i, running, &place);
        bool placed = what == STANDS_BARRIER || what == STANDS_POLLS;
        if (last && last->what == what && (!placed || last->place == place)) {
            last->count++;
            continue;
        }
        last = &at->stand[at->stand_count++];
        *last = (struct exec_stand){
            .block = s->block.index, .first = i, .count = 1, .what = what, .place = place};
    }
}

/* Of the blocks of a cluster but one. */
static void
add_cluster(struct exec_sighting *at, const struct exec_slot *leader, const struct exec_slot *but)
{
    for (uint32_t r = 0; r < leader->cluster.blocks; r++) {
        const struct exec_slot *s = leader->cluster.peer[r];
        if (s == but)
            continue;
        if (at->stand_count < EXEC_STANDS)
            add_stands(at, s, NULL);
        else
            at->more++;
    }
}

/* The lock may be held by the very thread that was stopped. */
static void
add_waiting_blocks(struct exec_sighting *at, struct exec_run *run)
{
    if (!run->resident || pthread_mutex_trylock(&run->flight.lock) != 0)
        return;
    for (const struct exec_slot *s = run->flight.queue; s; s = s->next)
        add_cluster(at, s, NULL);
    pthread_mutex_unlock(&run->flight.lock);
}

void
exec_sample_look(struct exec_worker *w)
{
    struct exec_sighting *at = &w->seat->seen;
    const struct exec_slot *s = slot_of(w);
    at->inside = s != NULL;
    at->stand_count = at->more = 0;
    if (!s)
        return;
    if (at->run != s->run->number || at->block != s->block.index || !at->since) {
        at->run = s->run->number;
        at->block = s->block.index;
        at->since = exec_now();
        at->closed = exec_is_closed(s->run);
    }
    const struct jit_warp *warp = w->warp;
    at->blocks = s->run->blocks;
    at->warp = warp->warp;
    at->has_warp = !s->run->code->kernel->block;
    if (!s->straight)
        add_stands(at, s, warp);
    add_cluster(at, s->cluster.leader, s);
    add_waiting_blocks(at, s->run);
    const struct ptx_func *kernel = s->run->request->kernel;
    at->module = s->run->request->module;
    snprintf(at->kernel, sizeof at->kernel, "%s", kernel ? kernel->name : "");
}

static struct exec_sample *
find(struct exec_samples *m, uint64_t pc, uint64_t state)
{
    uint32_t most = m->count < EXEC_SAMPLES ? m->count : EXEC_SAMPLES;
    for (uint32_t k = 0; k < most; k++)
        if (m->at[k].pc == pc && m->at[k].state == state)
            return &m->at[k];
    m->at[m->count++ % EXEC_SAMPLES] = (struct exec_sample){.pc = pc, .state = state};
    return NULL;
}

/* The block's own memory and the device's. While that is read, a fault is not the kernel's. */
static uint64_t
look_at_memory(struct exec_worker *w, struct exec_slot *s, struct exec_samples *m)
{
    struct jit_warp *warp = w->warp;
    w->warp = NULL;
    uint64_t memory = exec_hash_memory(s->run), own = exec_hash_slot(s);
    w->warp = warp;
    m->differs = m->differs || (m->memory && m->memory != memory);
    m->memory = memory;
    m->looks++;
    own = exec_hash_bytes(memory, &own, sizeof own);
    return own ? own : 1;
}

/* -- under a tool ------------------------------------------------------------------------------ */

/* There most of the time goes by in the tool, whose own state (times, counts) is no part of the
 * block's and lies about in registers. So the state is taken where generated code calls the tool:
 * registers that a call does not keep hold nothing then. The functions stand in for the tool's
 * while a thread looks. */

static void take(struct exec_worker *w, struct exec_slot *s, uint64_t pc, uint64_t sp, uint64_t h);
static void set_fault(struct exec_worker *w, const struct exec_slot *s);
static void step_out(struct exec_run *run);

/* Ends the block where that was asked for. */
static void
called(struct jit_warp *warp, uint64_t pc, uint64_t sp, uint32_t place)
{
    struct exec_slot *s = warp->owner;
    struct exec_worker *w = s->worker;
    struct exec_samples *m = w->seat ? w->seat->samples : NULL;
    if (!m || !m->inside) {
        step_out(s->run);
        return;
    }
    if (m->end) {
        set_fault(w, s);
        w->warp = NULL;
        siglongjmp(w->escape, 1);
    }
    if (!m->proven && !m->moved && m->steps++ < STEPS)
        take(w, s, pc, sp, place + 1);
}

/* Registers that calls keep go to the frame first. */
#define CALLED(warp, place)                                                                        \
    do {                                                                                           \
        uint64_t sp_here;                                                                          \
        __builtin_unwind_init();                                                                   \
        __asm__ volatile(MOVE_SP : "=r"(sp_here));                                                 \
        called(warp, (uint64_t)(uintptr_t)__builtin_return_address(0), sp_here, place);            \
    } while (0)

static struct jit_tool *
tool_of(const struct jit_warp *w)
{
    return ((const struct exec_slot *)w->owner)->run->tool;
}

static void
on_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
          uint32_t space, uint32_t op, uint32_t place)
{
    tool_of(w)->access(w, lanes, address, bytes, space, op, place);
    CALLED(w, place);
}

static void
on_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset, uint32_t bytes,
           uint32_t space, uint32_t op, uint32_t place)
{
    tool_of(w)->pattern(w, lanes, base, offset, bytes, space, op, place);
    CALLED(w, place);
}

static void
on_halves(struct jit_warp *w, uint32_t lanes, uint64_t base, uint64_t apart, const int32_t *offset,
          uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    tool_of(w)->halves(w, lanes, base, apart, offset, bytes, space, op, place);
    CALLED(w, place);
}

static void
on_batch(struct jit_warp *w, uint32_t lanes, const struct jit_batch_base *base,
         const struct jit_batch_table *table, uint32_t way)
{
    tool_of(w)->batch(w, lanes, base, table, way);
    CALLED(w, way);
}

/* Threads that run other blocks of the launch meet the functions of before or of now. */
static void
step_in(struct exec_run *run, struct exec_samples *m)
{
    struct jit_services *s = &run->services;
    m->inside = true;
    if (run->tool->access)
        __atomic_store_n(&s->access, on_access, __ATOMIC_RELAXED);
    if (run->tool->pattern)
        __atomic_store_n(&s->pattern, on_pattern, __ATOMIC_RELAXED);
    if (run->tool->halves)
        __atomic_store_n(&s->halves, on_halves, __ATOMIC_RELAXED);
    if (run->tool->batch)
        __atomic_store_n(&s->batch, on_batch, __ATOMIC_RELAXED);
}

static void
step_out(struct exec_run *run)
{
    struct jit_services *s = &run->services;
    __atomic_store_n(&s->access, run->tool->access, __ATOMIC_RELAXED);
    __atomic_store_n(&s->pattern, run->tool->pattern, __ATOMIC_RELAXED);
    __atomic_store_n(&s->halves, run->tool->halves, __ATOMIC_RELAXED);
    __atomic_store_n(&s->batch, run->tool->batch, __ATOMIC_RELAXED);
}

/* -- samples ----------------------------------------------------------------------------------- */

/* Whether the slot runs the block that this worker takes samples of. */
static bool
is_seen(const struct exec_worker *w, const struct exec_slot *s)
{
    const struct exec_sighting *at = &w->seat->seen;
    return at->run == s->run->number && at->block == s->block.index;
}

/* The state at pc: `h` has the registers, the rest lies on the stack from sp on. */
static void
take(struct exec_worker *w, struct exec_slot *s, uint64_t pc, uint64_t sp, uint64_t h)
{
    struct exec_samples *m = w->seat->samples;
    if (!is_seen(w, s) || sp >= w->stack_top) {
        m->moved = true;
        return;
    }
    uint64_t state = hash_stack(h, sp, w->stack_top);
    state = exec_hash_bytes(state, s->warp, s->warps * sizeof s->warp[0]);
    struct exec_sample *known = find(m, pc, state);
    if (!known)
        return;
    uint64_t memory = look_at_memory(w, s, m);
    m->proven = known->memory == memory;
    known->memory = memory;
}

void
exec_sample(struct exec_worker *w, void *context)
{
    const ucontext_t *u = context;
    struct exec_samples *m = w->seat->samples;
    struct exec_slot *s = slot_of(w);
    uint64_t pc = pc_of(u);
    if (!s || m->proven)
        return;
    if (is_generated(pc))
        take(w, s, pc, sp_of(u), hash_registers(u));
    else if (s->run->tool)
        step_in(s->run, m);
}

static void
set_fault(struct exec_worker *w, const struct exec_slot *s)
{
    bool whole = s->run->code->kernel->block != NULL;
    const struct jit_warp *warp = w->warp;
    w->fault = (struct exec_fault){.status = EXEC_ENDLESS,
                                   .block = s->number,
                                   .warp = warp->warp,
                                   .any_warp = whole,
                                   .endless = true};
    snprintf(w->fault.what, sizeof w->fault.what, "endless loop");
    snprintf(w->fault.detail, sizeof w->fault.detail,
             "registers and memory have come to be as they were, and nothing else runs");
}

bool
exec_sample_end(struct exec_worker *w, void *context)
{
    const struct exec_slot *s = slot_of(w);
    if (!s || !is_seen(w, s))
        return false;
    if (!is_generated(pc_of(context))) {
        w->seat->samples->end = s->run->tool != NULL;
        return false;
    }
    set_fault(w, s);
    return true;
}
