/* SPDX-License-Identifier: Apache-2.0
 *
 * state.c: what a block's state is, as a hash, and whether anything but the block could change it:
 * clocks, waits inside of calls (whose registers lie on stacks), other threads of the program.
 * livelock.c and sample.c ask.
 */
#include "exec/tmem.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    if (s->call.any_apart && s->call.apart[i] == w.frame && w.frame) {
        const struct jit_kernel *k = code->apart(code->context, code->events, &err);
        bytes = k ? k->frame_bytes : bytes;
    }
    uint32_t rest[] = {w.resume,    w.lanes,      w.released,       w.stack,
                       s->state[i], s->passed[i], s->call.wanted[i]};
    h = exec_hash_bytes(h, rest, sizeof rest);
    return exec_hash_bytes(h, w.frame, bytes);
}

static uint64_t
hash_block(uint64_t h, struct exec_slot *s)
{
    for (uint32_t i = 0; i < s->warps; i++)
        if (s->state[i] != WARP_DONE)
            h = hash_warp(h, s, i);
    for (uint32_t left = s->barriers_used; left; left &= left - 1)
        h = exec_hash_bytes(h, &s->barrier[__builtin_ctz(left)], sizeof s->barrier[0]);
    h = exec_hash_bytes(h, &s->live, sizeof s->live);
    h = exec_hash_bytes(h, s->block.shared, s->cluster.leader->memory.shared.size);
    if (s->block.local)
        h = exec_hash_bytes(h, s->block.local, exec_slot_local_bytes(s));
    if (s->memory.tmem)
        h = exec_hash_bytes(h, s->memory.tmem, sizeof *s->memory.tmem);
    if (s->block.pending && s->block.pending->size)
        h = exec_hash_bytes(h, s->block.pending->sum, sizeof s->block.pending->sum);
    return h;
}

uint64_t
exec_hash_slot(struct exec_slot *s)
{
    const struct exec_cluster *c = &s->cluster.leader->cluster;
    uint64_t h = 1;
    for (uint32_t r = 0; r < c->blocks; r++)
        h = hash_block(h, c->peer[r]);
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

/* -- whether it can be known at all ------------------------------------------------------------ */

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
        for (uint32_t n = 0;
             n < m->funcs[f]->insn_count && (!m->funcs[f]->is_kernel || m->funcs[f] == kernel); n++)
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

/* Whether a thread of this process waits on a futex without a time limit, for another thread. */
static bool
waits_for_thread(const char *thread)
{
    char text[200], *at = text;
    if (!read_of_thread(thread, "syscall", text, sizeof text) ||
        strtol(text, &at, 10) != SYS_futex || at == text)
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
    if (number ==
        (int32_t)syscall(SYS_gettid)) /* who asks; a fork of a process has a number of its own */
        return true;
    for (uint32_t k = 0; k < p->watch.seat_count; k++)
        if (atomic_load(&p->watch.seat[k].worker) &&
            atomic_load(&p->watch.seat[k].thread) == number)
            return true;
    return false;
}

/* Threads of ours have names of their own, which those that the program starts do not inherit from
 * it. */
static bool
is_ours(const char *thread)
{
    char name[40];
    return read_of_thread(thread, "comm", name, sizeof name) &&
           !strncmp(name, EXEC_THREAD_NAME, strlen(EXEC_THREAD_NAME));
}

bool
exec_others_may_write(struct exec_pool *p)
{
    bool may = false;
    if (atomic_load(&p->watch.shared))
        return true;
    DIR *d = opendir("/proc/self/task");
    if (!d)
        return true;
    for (struct dirent *e = readdir(d); e && !may; e = readdir(d)) {
        may = e->d_name[0] != '.' && !is_ours(e->d_name) && !runs_blocks(p, e->d_name) &&
              !waits_for_thread(e->d_name);
    }
    closedir(d);
    return may;
}

bool
exec_is_closed(const struct exec_run *run)
{
    return !run->code->kernel->pauses && run->request->module &&
           !uses_clock(run->request->module, run->request->kernel);
}

bool
exec_is_left(bool *main_left)
{
    char main_thread[16], text[300];
    snprintf(main_thread, sizeof main_thread, "%d", (int)getpid());
    const char *after =
        read_of_thread(main_thread, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    bool left = after && after[1] && after[2] == 'Z';
    *main_left = left;
    DIR *d = left ? opendir("/proc/self/task") : NULL;
    for (struct dirent *e = d ? readdir(d) : NULL; e && left; e = readdir(d))
        left = e->d_name[0] == '.' || !strcmp(e->d_name, main_thread) || is_ours(e->d_name);
    if (d)
        closedir(d);
    return left && d;
}
