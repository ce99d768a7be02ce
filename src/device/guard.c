/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c: host code that touches device memory, found under check.
 *
 * Device memory is memory of this process, so that on a processor such code works, where on a GPU
 * it ends the program. Under check its pages can be reached only while an operation (launch, copy,
 * fill) runs; they run when they are submitted, so that host code of the program never runs
 * meanwhile, but on other threads. A fault names the place, opens all of it until the next
 * operation is over, and the program goes on. Managed and pinned memory that work has touched is
 * shut until the host waits for something, for stores alone where that work has only read it;
 * whether a fault there is a race is check's to say.
 *
 * Faults in our own code (and in the C library on its behalf) just open the memory.
 *
 * Without a tool the same is done for programs that are linked with the runtime, in half a per cent
 * of the time; the fault then ends the program as on a GPU, after a message. See page 21 of
 * docs/decisions.
 */
#define _GNU_SOURCE /* dladdr, gregs */
#include "device/device_priv.h"

#include "check/check.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Opening and shutting costs two calls of the system an allocation: 0.4 ms each time for 40 of
 * them. A program may spend so much of its time on it, and some milliseconds to begin with (fewer
 * once memory was shut FEW times: thousands of short launches took as long to guard as to run),
 * more where it has just waited for the device and is about to look at results; else memory stays
 * open for now. The whole costs more than the calls that are counted: pages are looked up anew
 * afterwards (srad_v1 of Rodinia, shut 72 times: 5 ms more in the system, 2 in the program). */
static const struct budget {
    double share, waited, at_first, after_few;
} checked = {0.05, 0.25, 50, 50}, plain = {0.002, 0.004, 5, 0.15};

enum { PAGE = 4096, MOST_PLACES = 4096, MOST_NOTED = 200, SKIPPED = 64, DEPTH = 24, FEW = 6 };

struct pages {
    uint64_t base, size;
};

static struct {
    bool active;
    const struct budget *budget;
    pthread_mutex_t lock;
    _Atomic uint32_t users;   /* operations that run */
    _Atomic uint32_t skipped; /* operations until somebody asks again whether it is affordable */
    _Atomic bool shut;
    _Atomic uint32_t noted;      /* allocations with a place */
    VEC(struct pages) pinned;    /* the whole pages of pinned memory */
    _Atomic uint64_t low, high;  /* all that was pinned lies between */
    VEC(struct pages) used;      /* shut parts of managed and pinned memory */
    uint64_t place[MOST_PLACES]; /* that were reported */
    uint32_t places;
    double begin, spent; /* milliseconds: since when; in opening and shutting */
    uint32_t times;      /* that memory was shut */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -- opening and shutting ---------------------------------------------------------------------- */

/* Who opens reads `shut` without the lock: it says so before the first page is shut, and until the
 * last one is open. */
static void
set_shut(bool shut)
{
    double from = times_now();
    if (shut)
        guard.shut = true;
    guard.times += shut;
    for (int k = 0; k < DEVICE_MOST; k++) {
        struct device *d = __atomic_load_n(&device_process()->device[k], __ATOMIC_ACQUIRE);
        if (d && d->memory)
            memory_set_shut(d->memory, shut);
    }
    guard.shut = shut;
    guard.spent += times_now() - from;
}

static bool
affordable(double share)
{
    double first = guard.times < FEW ? guard.budget->at_first : guard.budget->after_few;
    return guard.spent < first + share * (times_now() - guard.begin);
}

static void
open_used(void)
{
    for (size_t k = 0; k < guard.used.count; k++)
        mprotect((void *)guard.used.at[k].base, guard.used.at[k].size, PROT_READ | PROT_WRITE);
    guard.used.count = 0;
}

struct ranges {
    const struct memory *memory;
    VEC(struct pages) list;
};

static void
note_managed(const struct allocation *a, void *context)
{
    struct ranges *r = context;
    if (a->kind == ALLOCATION_MANAGED && memory_owns(r->memory, a->base))
        VEC_PUSH(&r->list, ((struct pages){a->base, (a->size + PAGE - 1) & ~(uint64_t)(PAGE - 1)}));
}

/* Pages side by side with the same use, at a time. */
static void
shut_range(const struct pages *range)
{
    uint64_t next, end = range->base + range->size;
    for (uint64_t at = range->base; at < end; at = next) {
        enum check_use use = check_in_use(tool_check(), at);
        for (next = at + PAGE; next < end && check_in_use(tool_check(), next) == use; next += PAGE)
            ;
        if (use == CHECK_USE_NONE)
            continue;
        mprotect((void *)at, next - at, use == CHECK_USE_READ ? PROT_READ : PROT_NONE);
        VEC_PUSH(&guard.used, ((struct pages){at, next - at}));
    }
}

/* Of managed and pinned memory, the pages that work has touched for which the host has not waited.
 */
static void
shut_used(void)
{
    struct ranges all = {0};
    double from = times_now();
    open_used();
    for (int k = 0; k < DEVICE_MOST; k++) {
        struct device *d = __atomic_load_n(&device_process()->device[k], __ATOMIC_ACQUIRE);
        if (d && (all.memory = d->memory))
            memory_each(d->memory, note_managed, &all);
    }
    for (size_t k = 0; k < all.list.count; k++)
        shut_range(&all.list.at[k]);
    for (size_t k = 0; k < guard.pinned.count; k++)
        shut_range(&guard.pinned.at[k]);
    VEC_FREE(&all.list);
    guard.spent += times_now() - from;
}

void
guard_pinned(uint64_t at, uint64_t size)
{
    uint64_t base = (at + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    uint64_t end = (at + size) & ~(uint64_t)(PAGE - 1);
    if (!guard.active || !tool_check() || end <= base)
        return;
    pthread_mutex_lock(&guard.lock);
    VEC_PUSH(&guard.pinned, ((struct pages){base, end - base}));
    guard.low = guard.low && guard.low < base ? guard.low : base;
    guard.high = guard.high > end ? guard.high : end;
    pthread_mutex_unlock(&guard.lock);
}

void
guard_unpinned(uint64_t at, uint64_t size)
{
    pthread_mutex_lock(&guard.lock);
    for (size_t k = guard.used.count; k-- > 0;)
        if (guard.used.at[k].base - at < size) {
            mprotect((void *)guard.used.at[k].base, guard.used.at[k].size, PROT_READ | PROT_WRITE);
            guard.used.at[k] = guard.used.at[--guard.used.count];
        }
    for (size_t k = guard.pinned.count; k-- > 0;)
        if (guard.pinned.at[k].base - at < size)
            guard.pinned.at[k] = guard.pinned.at[--guard.pinned.count];
    pthread_mutex_unlock(&guard.lock);
}

void
guard_open(void)
{
    if (!guard.active)
        return;
    guard.users++;
    if (!guard.shut && !tool_check())
        return;
    pthread_mutex_lock(&guard.lock);
    if (guard.shut)
        set_shut(false);
    open_used();
    pthread_mutex_unlock(&guard.lock);
}

/* Who opens counts itself before it looks at `shut`, which is set here before the users are counted
 * again: one of the two sees the other. */
static void
shut_unless_used(void)
{
    guard.shut = true;
    if (guard.users) {
        guard.shut = false;
        return;
    }
    exec_signals_install();
    set_shut(true);
    if (tool_check())
        shut_used();
}

void
guard_close(void)
{
    if (!guard.active || --guard.users)
        return;
    if (!tool_check() && guard.skipped) {
        guard.skipped--;
        return;
    }
    pthread_mutex_lock(&guard.lock);
    if (!guard.users && !guard.shut && affordable(guard.budget->share))
        shut_unless_used();
    else
        guard.skipped = SKIPPED;
    pthread_mutex_unlock(&guard.lock);
}

void
guard_joined(void)
{
    if (!guard.active)
        return;
    pthread_mutex_lock(&guard.lock);
    if (!guard.users && !guard.shut && affordable(guard.budget->waited))
        shut_unless_used();
    if (!guard.users && tool_check() && !check_idle(tool_check()) &&
        affordable(guard.budget->share))
        shut_used(); /* what work that the host has not waited for touches stays shut */
    else
        open_used();
    pthread_mutex_unlock(&guard.lock);
}

/* -- where host code is ------------------------------------------------------------------------ */

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

/* -- faults ------------------------------------------------------------------------------------ */

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
is_used(uint64_t page)
{
    for (size_t k = 0; k < guard.used.count; k++)
        if (page - guard.used.at[k].base < guard.used.at[k].size)
            return true;
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

/* The code of the program itself. Libraries may be meant to read device memory. */
static bool
is_program(uint64_t pc)
{
    Dl_info in, program;
    return dladdr((void *)(uintptr_t)pc, &in) &&
           dladdr((void *)(uintptr_t)getauxval(AT_ENTRY), &program) &&
           in.dli_fbase == program.dli_fbase;
}

/* "the variable "x"", "allocation 3 (16 bytes, made at prog.cu:7)" */
static void
memory_text(const struct allocation *a, char *out, size_t room)
{
    char made[360];
    device_place_line(a->place, made, sizeof made);
    if (a->name)
        snprintf(out, room, "variable \"%.60s\" (%llu bytes)", a->name,
                 (unsigned long long)a->size);
    else
        snprintf(out, room, "allocation %llu (%llu bytes%s%s)", (unsigned long long)a->number,
                 (unsigned long long)a->size, *made ? ", made at " : "", made);
}

static void
tell_fault(uint64_t address, const struct allocation *a, bool writes, const char *at,
           uint32_t place)
{
    char where[360], what[500];
    device_place_line(place, where, sizeof where);
    memory_text(a, what, sizeof what);
    ls_warn("host code %s device memory, which ends the program as on a GPU: address 0x%llx, byte "
            "%llu of %s; copy it with cudaMemcpy, or take managed memory (cudaMallocManaged) (%s)",
            writes ? "writes" : "reads", (unsigned long long)address,
            (unsigned long long)(address - a->base), what, *where ? where : at);
}

/* Without a tool. True: the access may be made again. */
static bool
on_plain_fault(uint64_t address, void *context)
{
    static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
    struct allocation a;
    char where[300];
    enum check_host_op op;
    pthread_mutex_lock(&guard.lock);
    bool shut = guard.shut, found = device_find(address, &a);
    bool wrong = shut && found && a.kind != ALLOCATION_MANAGED && a.kind != ALLOCATION_HOST;
    uint64_t pc = wrong ? culprit(pc_of(context, &op)) : 0;
    bool ends = pc && is_program(pc);
    if (shut && !ends)
        set_shut(false);
    pthread_mutex_unlock(&guard.lock);
    pthread_mutex_lock(&telling); /* another thread may not end the program meanwhile */
    if (ends && is_new(pc)) {
        place_text(pc, where, sizeof where);
        tell_fault(address, &a, op != CHECK_HOST_READ, where, host_place_of(pc));
    }
    pthread_mutex_unlock(&telling);
    return !ends && (shut || found); /* found: another thread has opened it meanwhile */
}

static bool
on_checked_fault(uint64_t address, void *context)
{
    struct allocation a = {0};
    uint64_t page = address & ~(uint64_t)(PAGE - 1);
    char where[300];
    enum check_host_op op;
    pthread_mutex_lock(&guard.lock);
    bool found = device_find(address, &a); /* else it lies between allocations */
    bool shared = a.kind == ALLOCATION_MANAGED || a.kind == ALLOCATION_HOST;
    bool used = is_used(page);
    bool device = !used && guard.shut; /* managed memory among small allocations, too */
    bool wrong = found && (used || (device && !shared));
    uint64_t pc = wrong ? culprit(pc_of(context, &op)) : 0;
    if (device)
        set_shut(false);
    if (used)
        mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
    if (pc && is_new(pc)) {
        place_text(pc, where, sizeof where);
        if (!check_host_access(tool_check(), &a, address, op, where, host_place_of(pc)))
            guard.places--; /* it may be one elsewhere */
    }
    pthread_mutex_unlock(&guard.lock);
    return used || device;
}

static bool
on_fault(uint64_t address, void *context)
{
    bool pinned = address >= guard.low && address < guard.high;
    if (!guard.active || !(pinned || process_owns(address)))
        return false;
    return tool_check() ? on_checked_fault(address, context) : on_plain_fault(address, context);
}

/* The child has no device, but it may read what it inherited. */
void
guard_forked(void)
{
    if (!guard.active)
        return;
    pthread_mutex_init(&guard.lock, NULL);
    open_used();
    set_shut(false);
    guard.active = false;
}

/* Whether the program itself is linked with the runtime: its host code is CUDA's, where that of an
 * interpreter that loads us is not. */
static bool
is_linked_with_us(void)
{
    const struct link_map *program = dlopen(NULL, RTLD_LAZY);
    const char *strings = NULL;
    bool found = false;
    for (const ElfW(Dyn) *d = program ? program->l_ld : NULL; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB)
            strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = program ? program->l_ld : NULL; strings && d->d_tag != DT_NULL; d++)
        found |= d->d_tag == DT_NEEDED && (strstr(strings + d->d_un.d_val, "liblockstep.so") ||
                                           strstr(strings + d->d_un.d_val, "libcudart.so") ||
                                           strstr(strings + d->d_un.d_val, "libcuda.so"));
    return found;
}

/* Libraries that are handed device memory, and have the system or other processes read it. */
static bool
has_transport(void)
{
    static const char *const names[] = {"MPI_Init", "ucp_init_version", "ibv_open_device",
                                        "fi_getinfo", "shmem_init"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (dlsym(RTLD_DEFAULT, names[k]))
            return true;
    return false;
}

bool
guard_notes_places(void)
{
    return guard.active && (tool_check() || guard.noted++ < MOST_NOTED);
}

bool
guard_watches(void)
{
    return guard.active;
}

void
guard_start(void)
{
    void *unused[1];
    if (guard.active || (!tool_check() && (!is_linked_with_us() || has_transport())))
        return;
    guard.budget = tool_check() ? &checked : &plain;
    backtrace(unused, 1); /* it loads a library at first */
    guard.active = true;
    guard.begin = times_now();
    guard.shut = true; /* so that the first one who opens tells the memory */
    exec_set_fault_hook(on_fault);
    exec_signals_install();
}
