/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c: host code that touches device memory, found under check.
 *
 * Device memory is memory of this process, so that on a processor such code works, where on a GPU it
 * ends the program. Under check its pages can be reached only while an operation (launch, copy, fill)
 * runs; they run when they are submitted, so that host code of the program never runs meanwhile, but
 * on other threads. A fault names the place, opens all of it until the next operation is over, and the
 * program goes on. Managed memory that a kernel has touched is shut after its launch until the host
 * waits for something; whether a fault there is a race is check's to say.
 *
 * Faults in our own code (and in the C library on its behalf) just open the memory.
 */
#define _GNU_SOURCE /* dladdr, gregs */
#include "device/device_priv.h"

#include "check/check.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Opening and shutting costs two calls of the system an allocation: 0.4 ms each time for 40 of them.
 * A program may spend so much of its time on it, and 50 ms to begin with, more where it has just
 * waited for the device and is about to look at results; else memory stays open for now. */
static const double most_share = 0.05, most_share_waited = 0.25, at_first = 50;

enum { PAGE = 4096, MOST_PLACES = 4096, DEPTH = 24 };

struct pages {
    uint64_t base, size;
};

static struct {
    bool active;
    pthread_mutex_t lock;
    uint32_t users;          /* operations that run */
    bool shut;
    VEC(struct pages) managed; /* shut parts of managed memory */
    uint64_t place[MOST_PLACES]; /* that were reported */
    uint32_t places;
    double begin, spent;     /* milliseconds: since when; in opening and shutting */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -- opening and shutting ------------------------------------------------------------------------------ */

static void
set_shut(bool shut)
{
    double from = times_now();
    guard.shut = shut;
    for (int k = 0; k < DEVICE_MOST; k++) {
        struct device *d = __atomic_load_n(&device_process()->device[k], __ATOMIC_ACQUIRE);
        if (d && d->memory && !d->gpu)
            memory_set_shut(d->memory, shut);
    }
    guard.spent += times_now() - from;
}

static bool
affordable(double share)
{
    return guard.spent < at_first + share * (times_now() - guard.begin);
}

static void
open_managed(void)
{
    for (size_t k = 0; k < guard.managed.count; k++)
        mprotect((void *)guard.managed.at[k].base, guard.managed.at[k].size, PROT_READ | PROT_WRITE);
    guard.managed.count = 0;
}

static void
note_managed(const struct allocation *a, void *context)
{
    if (a->kind == ALLOCATION_MANAGED && memory_owns(context, a->base))
        VEC_PUSH(&guard.managed, ((struct pages){a->base, (a->size + PAGE - 1) & ~(uint64_t)(PAGE - 1)}));
}

/* Of managed memory, the pages that kernels have touched for which the host has not waited. */
static void
shut_managed(void)
{
    open_managed();
    for (int k = 0; k < DEVICE_MOST; k++) {
        struct device *d = __atomic_load_n(&device_process()->device[k], __ATOMIC_ACQUIRE);
        if (d && d->memory && !d->gpu)
            memory_each(d->memory, note_managed, d->memory);
    }
    VEC(struct pages) all = {0};
    double from = times_now();
    for (size_t k = 0; k < guard.managed.count; k++)
        VEC_PUSH(&all, guard.managed.at[k]);
    guard.managed.count = 0;
    for (size_t k = 0; k < all.count; k++)
        for (uint64_t at = all.at[k].base; at < all.at[k].base + all.at[k].size; at += PAGE)
            if (check_in_use(tool_check(), at)) {
                mprotect((void *)at, PAGE, PROT_NONE);
                VEC_PUSH(&guard.managed, ((struct pages){at, PAGE}));
            }
    VEC_FREE(&all);
    guard.spent += times_now() - from;
}

void
guard_open(void)
{
    if (!guard.active)
        return;
    pthread_mutex_lock(&guard.lock);
    if (guard.users++ == 0) {
        if (guard.shut)
            set_shut(false);
        open_managed();
    }
    pthread_mutex_unlock(&guard.lock);
}

void
guard_close(void)
{
    if (!guard.active)
        return;
    pthread_mutex_lock(&guard.lock);
    if (--guard.users == 0 && affordable(most_share)) {
        exec_signals_install();
        set_shut(true);
        shut_managed();
    }
    pthread_mutex_unlock(&guard.lock);
}

void
guard_joined(void)
{
    if (!guard.active)
        return;
    pthread_mutex_lock(&guard.lock);
    if (!guard.users && !guard.shut && affordable(most_share_waited))
        set_shut(true);
    if (!guard.users && !check_idle(tool_check()) && affordable(most_share))
        shut_managed(); /* what work that the host has not waited for touches stays shut */
    else
        open_managed();
    pthread_mutex_unlock(&guard.lock);
}

/* -- where host code is ---------------------------------------------------------------------------------- */

/* "prog+0x12a4" */
static void
place_text(uint64_t pc, char *out, size_t room)
{
    Dl_info in;
    if (!dladdr((void *)pc, &in) || !in.dli_fname) {
        snprintf(out, room, "0x%llx", (unsigned long long)pc);
        return;
    }
    const char *file = strrchr(in.dli_fname, '/');
    snprintf(out, room, "%s+0x%llx", file ? file + 1 : in.dli_fname,
             (unsigned long long)(pc - (uint64_t)(uintptr_t)in.dli_fbase));
}

/* The place in the program that the fault is due to; 0: our own code. */
static uint64_t
culprit(uint64_t pc)
{
    Dl_info own, in, libc;
    void *stack[DEPTH];
    bool found = false;
    if (!dladdr((void *)(uintptr_t)guard_start, &own) || !dladdr((void *)(uintptr_t)strtol, &libc))
        return pc;
    int n = backtrace(stack, DEPTH);
    for (int k = 0; k < n; k++) {
        uint64_t at = (uint64_t)(uintptr_t)stack[k];
        found = found || at == pc;
        if (!found || !dladdr(stack[k], &in))
            continue;
        if (in.dli_fbase == own.dli_fbase)
            return 0;
        if (in.dli_fbase != libc.dli_fbase)
            return k && at != pc ? at - 1 : at;
    }
    return found ? pc : 0;
}

/* -- faults ---------------------------------------------------------------------------------------------- */

static bool
is_new(uint64_t pc)
{
    for (uint32_t k = 0; k < guard.places; k++)
        if (guard.place[k] == pc)
            return false;
    if (guard.places == MOST_PLACES)
        return false;
    guard.place[guard.places++] = pc;
    return true;
}

#if defined(__x86_64__)
/* The lock prefix, or an exchange with memory, which needs none. */
static bool
is_atomic(const uint8_t *code)
{
    static const uint8_t prefixes[] = {0x66, 0x67, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0xf2, 0xf3};
    while (memchr(prefixes, *code, sizeof prefixes))
        code++;
    if (*code == 0xf0)
        return true;
    code += (*code & 0xf0) == 0x40;
    return *code == 0x86 || *code == 0x87;
}
#endif

static uint64_t
pc_of(const void *context, enum check_host_op *op)
{
    const ucontext_t *u = context;
    *op = CHECK_HOST_READ;
#if defined(__x86_64__)
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    if (u->uc_mcontext.gregs[REG_ERR] & 2)
        *op = is_atomic((const uint8_t *)pc) ? CHECK_HOST_ATOMIC : CHECK_HOST_WRITE;
    return pc;
#elif defined(__aarch64__)
    return u->uc_mcontext.pc;
#else
    (void)u;
    return 0;
#endif
}

static bool
in_managed(uint64_t page)
{
    for (size_t k = 0; k < guard.managed.count; k++)
        if (guard.managed.at[k].base == page)
            return true;
    return false;
}

static bool
is_ours(uint64_t address)
{
    for (int k = 0; k < DEVICE_MOST; k++) {
        struct device *d = __atomic_load_n(&device_process()->device[k], __ATOMIC_ACQUIRE);
        if (d && d->memory && memory_owns(d->memory, address))
            return true;
    }
    return false;
}

struct lookup {
    uint64_t pc;
    uint32_t callers, place;
};

static void *
look_up(void *context)
{
    struct lookup *l = context;
    l->place = device_place_at(l->pc, l->callers);
    device_place(l->place);
    return NULL;
}

/* The place of host code at pc. Lines are looked up on a thread of its own: the stack of a signal's
 * handler is small. */
static uint32_t
host_place_of(uint64_t pc)
{
    struct lookup l = {.pc = pc, .callers = device_here()};
    pthread_t thread;
    if (pthread_create(&thread, NULL, look_up, &l) != 0)
        return 0;
    pthread_join(thread, NULL);
    return l.place;
}

static bool
on_fault(uint64_t address, void *context)
{
    struct allocation a;
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    char where[300];
    enum check_host_op op;
    if (!guard.active || !is_ours(address))
        return false;
    pthread_mutex_lock(&guard.lock);
    bool found = device_find(address, &a); /* else it lies between allocations */
    bool managed = found && a.kind == ALLOCATION_MANAGED && in_managed(page);
    bool device = !managed && guard.shut; /* managed memory among small allocations, too */
    bool wrong = found && (managed || (device && a.kind != ALLOCATION_MANAGED));
    uint64_t pc = wrong ? culprit(pc_of(context, &op)) : 0;
    if (device)
        set_shut(false);
    if (managed)
        mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
    if (pc && is_new(pc)) {
        place_text(pc, where, sizeof where);
        if (!check_host_access(tool_check(), &a, address, op, where, host_place_of(pc)))
            guard.places--; /* it may be one elsewhere */
    }
    pthread_mutex_unlock(&guard.lock);
    return managed || device;
}

/* The child has no device, but it may read what it inherited. */
void
guard_forked(void)
{
    if (!guard.active)
        return;
    pthread_mutex_init(&guard.lock, NULL);
    open_managed();
    set_shut(false);
    guard.active = false;
}

void
guard_start(void)
{
    void *unused[1];
    if (!tool_check() || guard.active)
        return;
    backtrace(unused, 1); /* it loads a library at first */
    guard.active = true;
    guard.begin = times_now();
    guard.shut = true; /* so that the first one who opens tells the memory */
    exec_set_fault_hook(on_fault);
    exec_signals_install();
}
