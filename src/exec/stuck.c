/* SPDX-License-Identifier: Apache-2.0
 *
 * stuck.c: grids in which nothing can happen any more: all warps poll, or wait for those that do.
 *
 * When a grid has polled for a while, one round of all its warps is run with the state before and
 * after it compared: registers as they are saved, barriers, shared, local and device memory. What a
 * round does follows from that state alone; where the round leaves it as it was, so will all that
 * come. That holds when nobody else writes to memory and time plays no part: not looked for with
 * clocks in the kernel, with other threads in the process than ours and such as wait for them, and where called functions wait
 * (their registers lie on stacks). Blocks of one grid are run by one thread meanwhile.
 */
#include "exec/exec_priv.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    FIRST_MS = 200, /* of polling before the first look */
    SHARE = 20,     /* a look comes after this many times what the last one took */
};

/* -- state ------------------------------------------------------------------------------------ */

uint64_t
exec_hash_bytes(uint64_t h, const void *at, uint64_t size)
{
    const uint8_t *p = at;
    uint64_t word;
    for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * 0x9fb21c651e98df25ull;
        h ^= h >> 29;
    }
    for (; size; size--)
        h = (h ^ *p++) * 0x9fb21c651e98df25ull;
    return h;
}

static uint64_t
hash_warp(uint64_t h, struct exec_slot *s, uint32_t i)
{
    struct jit_warp w = s->warp[i];
    const struct exec_code *code = s->run->code;
    uint32_t bytes = code->kernel->frame_bytes;
    struct ls_error err = {0};
    if (s->any_apart && s->apart[i] == w.frame && w.frame) {
        const struct jit_kernel *k = code->apart(code->context, code->events, &err);
        bytes = k ? k->frame_bytes : bytes;
    }
    uint32_t rest[] = {w.resume, w.lanes, w.released, w.stack, s->state[i], s->passed[i], s->wanted[i]};
    h = exec_hash_bytes(h, rest, sizeof rest);
    return exec_hash_bytes(h, w.frame, bytes);
}

uint64_t
exec_hash_slot(struct exec_slot *s)
{
    uint64_t h = 1;
    for (uint32_t i = 0; i < s->warps; i++)
        if (s->state[i] != WARP_DONE)
            h = hash_warp(h, s, i);
    for (uint32_t left = s->barriers_used; left; left &= left - 1)
        h = exec_hash_bytes(h, &s->barrier[__builtin_ctz(left)], sizeof s->barrier[0]);
    h = exec_hash_bytes(h, &s->live, sizeof s->live);
    h = exec_hash_bytes(h, s->shared.at, s->shared.size);
    if (s->block.local)
        h = exec_hash_bytes(h, s->block.local, exec_slot_local_bytes(s));
    if (s->block.pending && s->block.pending->size)
        h = exec_hash_bytes(h, s->block.pending->sum, sizeof s->block.pending->sum);
    return h;
}

static void
hash_allocation(const struct allocation *a, void *context)
{
    uint64_t *h = context;
    *h = exec_hash_bytes(*h ^ a->base, (const void *)(uintptr_t)a->base, a->size);
}

uint64_t
exec_hash_memory(const struct exec_run *run)
{
    uint64_t h = 1;
    if (run->request->memory)
        memory_each(run->request->memory, hash_allocation, &h);
    return h;
}

/* -- whether it can be known at all --------------------------------------------------------------- */

static bool
names_clock(const struct ptx_operand *o)
{
    bool clock = o->kind == PTX_O_SREG &&
                 (o->sreg == PTX_SR_CLOCK || o->sreg == PTX_SR_CLOCK_HI ||
                  o->sreg == PTX_SR_CLOCK64 || o->sreg == PTX_SR_GLOBALTIMER ||
                  o->sreg == PTX_SR_GLOBALTIMER_LO || o->sreg == PTX_SR_GLOBALTIMER_HI);
    for (uint32_t k = 0; k < o->count && o->elements && !clock; k++)
        clock = names_clock(&o->elements[k]);
    return clock;
}

/* The kernel, or any function that it may call. */
static bool
uses_clock(const struct ptx_module *m, const struct ptx_func *kernel)
{
    for (uint32_t f = 0; f < m->func_count; f++)
        for (uint32_t n = 0; n < m->funcs[f]->insn_count && (!m->funcs[f]->is_kernel || m->funcs[f] == kernel);
             n++)
            for (uint32_t k = 0; k < m->funcs[f]->insns[n].operand_count; k++)
                if (names_clock(&m->funcs[f]->insns[n].operand[k]))
                    return true;
    return false;
}

/* A file of one of this process's threads, as text; false: it cannot be read. */
static bool
read_of_thread(const char *thread, const char *name, char *out, size_t room)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", thread, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, out, room - 1);
    if (file >= 0)
        close(file);
    out[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* It waits, without a limit, for another thread of this process. */
static bool
waits_for_thread(const char *thread)
{
    char text[200], *at = text;
    if (!read_of_thread(thread, "syscall", text, sizeof text) || strtol(text, &at, 10) != SYS_futex || at == text)
        return false;
    uint64_t args[4] = {0};
    for (int k = 0; k < 4; k++)
        args[k] = strtoull(at, &at, 16);
    int what = (int)args[1] & FUTEX_CMD_MASK;
    return (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET) && !args[3];
}

static bool
runs_blocks(struct exec_pool *p, const char *thread)
{
    int32_t number = (int32_t)strtol(thread, NULL, 10);
    for (uint32_t k = 0; k < p->watch.seat_count; k++)
        if (atomic_load(&p->watch.seat[k].worker) && atomic_load(&p->watch.seat[k].thread) == number)
            return true;
    return false;
}

/* Threads of ours have names of their own, which those that the program starts do not inherit from it. */
bool
exec_others_may_write(struct exec_pool *p)
{
    bool may = false;
    DIR *d = opendir("/proc/self/task");
    if (!d)
        return true;
    for (struct dirent *e = readdir(d); e && !may; e = readdir(d)) {
        char name[40];
        if (e->d_name[0] == '.' || !read_of_thread(e->d_name, "comm", name, sizeof name))
            continue;
        may = strncmp(name, EXEC_THREAD_NAME, strlen(EXEC_THREAD_NAME)) != 0 && !runs_blocks(p, e->d_name) &&
              !waits_for_thread(e->d_name);
    }
    closedir(d);
    return may;
}

bool
exec_is_closed(const struct exec_run *run)
{
    return !run->code->kernel->pauses && run->request->module && !uses_clock(run->request->module, run->request->kernel);
}

static bool
can_be_known(const struct exec_run *run)
{
    return exec_is_closed(run) && !exec_others_may_write(run->pool);
}

static void
look_later(struct exec_run *run, uint64_t since)
{
    uint64_t now = exec_now();
    run->look.step = 0;
    run->look.wait *= 2;
    if (run->look.wait < SHARE * (now - since))
        run->look.wait = SHARE * (now - since);
    run->look.at = now + run->look.wait;
}

bool
exec_stuck_due(struct exec_run *run)
{
    uint64_t now = exec_now();
    if (!run->look.at) {
        run->look.wait = FIRST_MS * 1000000ull;
        run->look.at = now + run->look.wait;
    }
    if (now < run->look.at)
        return false;
    if (can_be_known(run))
        return true;
    run->look.at = UINT64_MAX;
    return false;
}

/* -- reports ------------------------------------------------------------------------------------ */

_Noreturn void
exec_stuck_report(struct exec_slot *s)
{
    for (uint32_t i = 0; i < s->warps; i++) {
        uint32_t waiting = 0;
        for (uint32_t left = s->barriers_used; left; left &= left - 1)
            waiting |= s->barrier[__builtin_ctz(left)].waiting[i];
        if (s->state[i] == WARP_READY)
            (s->run->turning ? exec_note_turning : exec_note_polling)(s, i, s->warp[i].lanes & ~waiting, s->warp[i].barrier_place);
    }
    exec_deadlock(s);
}

/* -- one block --------------------------------------------------------------------------------- */

void
exec_stuck_round(struct exec_slot *s, bool yielded)
{
    struct exec_run *run = s->run;
    struct exec_look *l = &run->look;
    if (!yielded && !run->turning) {
        l->step = 0;
        return;
    }
    if (run->turning) {
        exec_replay_round(s);
        return;
    }
    if (l->step == 0) {
        if (++l->rounds % 64 || !exec_stuck_due(run))
            return;
        l->since = exec_now();
        l->slot = exec_hash_slot(s);
        l->step = 1;
    } else if (exec_hash_slot(s) != l->slot) {
        look_later(run, l->since);
    } else if (l->step == 1) {
        l->memory = exec_hash_memory(run);
        l->step = 2;
    } else if (exec_hash_memory(run) != l->memory) {
        look_later(run, l->since);
    } else {
        exec_stuck_report(s);
    }
}

/* -- many ---------------------------------------------------------------------------------------- */

static uint64_t
count_queue(struct exec_run *run, bool *out_full)
{
    uint64_t n = 0;
    pthread_mutex_lock(&run->lock);
    for (const struct exec_slot *s = run->queue; s; s = s->next)
        n++;
    *out_full = n == run->in_flight && n &&
                (atomic_load(&run->next) >= run->blocks || run->in_flight >= run->most_in_flight);
    pthread_mutex_unlock(&run->lock);
    return n;
}

/* A round of all blocks that leaves their own state as it is. */
static bool
same_round(struct exec_run *run, struct exec_worker *w, uint64_t blocks)
{
    for (uint64_t k = 0; k < blocks; k++) {
        struct exec_slot *s = exec_next_resident(run);
        if (!s)
            return false;
        uint64_t before = exec_hash_slot(s);
        enum block_outcome outcome = exec_block_run(s, w);
        exec_resident_ran(run, s, outcome);
        if (outcome != BLOCK_YIELDED || exec_hash_slot(s) != before)
            return false;
    }
    return true;
}

void
exec_stuck_look(struct exec_run *run, struct exec_worker *w)
{
    uint64_t since = exec_now(), blocks = 0;
    bool full = false, same = false;
    while (!atomic_load(&run->over) && atomic_load(&run->stop) == UINT64_MAX && !full &&
           exec_now() - since < 1000000000ull) {
        blocks = count_queue(run, &full); /* the other threads finish their turn */
        if (!full)
            usleep(50);
    }
    if (full && same_round(run, w, blocks)) {
        uint64_t memory = exec_hash_memory(run);
        same = same_round(run, w, blocks) && exec_hash_memory(run) == memory;
    }
    if (same) {
        struct exec_slot *s = exec_next_resident(run);
        s->stuck = true;
        exec_resident_ran(run, s, exec_block_run(s, w));
        return;
    }
    look_later(run, since);
}
