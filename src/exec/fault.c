/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: errors of kernels. A signal that arrives while this thread is in generated code is the
 * kernel's; it and the traps end their block by a jump to exec_block_run. Other signals go to
 * whoever handled them before.
 */
#include "exec/exec_priv.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* The worker whose blocks this thread is running. */
static _Thread_local struct exec_worker *current;

/* -- signals ----------------------------------------------------------------------------------- */

enum { FAULTS = 3 };
static struct sigaction before[FAULTS + 1]; /* then that of who watches */
static const int handled[FAULTS] = {SIGSEGV, SIGBUS, SIGFPE};
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool passing; /* a handler that was set after ours may call ours */

static bool (*_Atomic fault_hook)(uint64_t address, void *context);

void
exec_set_fault_hook(bool (*hook)(uint64_t address, void *context))
{
    atomic_store(&fault_hook, hook);
}

/* By raise or kill, not by an instruction. */
static bool
is_sent(const siginfo_t *info)
{
    return info->si_code <= 0;
}

static void
pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *old = NULL;
    for (int k = 0; k < FAULTS; k++)
        if (handled[k] == number)
            old = &before[k];
    bool again = passing;
    passing = true;
    if (!again && old && (old->sa_flags & SA_SIGINFO) && old->sa_sigaction) {
        old->sa_sigaction(number, info, context);
    } else if (!again && old && old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(number);
    } else if (!is_sent(info) || !old || old->sa_handler != SIG_IGN) {
        signal(number,
               SIG_DFL); /* as without us: the instruction is executed again and ends the process */
        if (is_sent(info))
            raise(number);
    }
    passing = again;
}

/* A debugger looks at the block before it is given up. It knows the place of what a signal asked
 * of, and the lanes. */
static void
tell_fault(struct exec_slot *s, struct exec_fault *f)
{
    struct exec_run *run = s->run;
    struct exec_report report;
    if (!run->tool || !run->tool->fault || f->status == EXEC_FAILED)
        return;
    struct jit_fault asked = {.warp = &s->warp[f->warp],
                              .lanes = f->lanes,
                              .place = f->place,
                              .has_place = f->has_place,
                              .has_address = f->has_address,
                              .address = f->address};
    run->tool->fault(&asked);
    if (f->by_signal && asked.has_place) {
        f->place = asked.place;
        f->lanes = asked.lanes;
        f->has_place = true;
        f->by_signal = false;
        snprintf(f->what, sizeof f->what, "illegal address 0x%llx", (unsigned long long)f->address);
        exec_describe_address(s, f->address, f->detail, sizeof f->detail);
    }
    exec_report_fault(run, f, &report);
    asked.text = report.text;
    run->tool->fault(&asked);
}

/* The jump does not restore the mask, and what called us may have blocked more (TSan does). */
static _Noreturn void
leave_handler(struct exec_worker *w, void *context)
{
    w->warp = NULL;
    exec_fiber_leave(w);
    pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
    siglongjmp(w->escape, 1);
}

static void
on_signal(int number, siginfo_t *info, void *context)
{
    struct exec_worker *w = current;
    struct jit_warp *warp = w ? w->warp : NULL;
    bool (*ask)(uint64_t, void *) = atomic_load(&fault_hook);
    if (!warp || is_sent(info)) {
        if (ask && number != SIGFPE && !is_sent(info) &&
            ask((uint64_t)(uintptr_t)info->si_addr, context))
            return;
        pass_on(number, info, context);
        return;
    }
    struct exec_slot *s = warp->owner;
    if (number == SIGSEGV &&
        memory_window_wrap(&s->cluster.leader->memory.shared, (uint64_t)(uintptr_t)info->si_addr))
        return; /* the access is made again */
    w->warp = NULL;
    w->fault = (struct exec_fault){.status = EXEC_ILLEGAL_ADDRESS,
                                   .block = s->number,
                                   .warp = warp->warp,
                                   .has_address = true,
                                   .by_signal = true,
                                   .any_warp = s->run->code->kernel->block != NULL,
                                   .address = (uint64_t)(uintptr_t)info->si_addr};
    snprintf(w->fault.what, sizeof w->fault.what, "illegal address");
    tell_fault(s, &w->fault);
    leave_handler(w, context);
}

/* -- the signal of who watches ----------------------------------------------------------------- */

static void
on_watch(int number, siginfo_t *info, void *context)
{
    int kept = errno;
    struct exec_worker *w = current;
    const struct sigaction *old = &before[FAULTS];
    if (info->si_code == SI_TKILL && info->si_pid == getpid()) {
        if (w && w->seat && exec_obey(w, context))
            leave_handler(w, context);
    } else if ((old->sa_flags & SA_SIGINFO) && old->sa_sigaction) {
        old->sa_sigaction(number, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(number);
    }
    errno = kept;
}

static bool
is_installed(int number, void (*handler)(int, siginfo_t *, void *), struct sigaction *out_now)
{
    return sigaction(number, NULL, out_now) != 0 ||
           ((out_now->sa_flags & SA_SIGINFO) && out_now->sa_sigaction == handler);
}

/* Unless it is installed; what was there before goes to *out_before. */
static void
install(int number, void (*handler)(int, siginfo_t *, void *), int flags,
        struct sigaction *out_before)
{
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | flags},
                     now;
    sigemptyset(&a.sa_mask);
    pthread_mutex_lock(&install_lock);
    if (!is_installed(number, handler, &now)) {
        *out_before = now;
        sigaction(number, &a, NULL);
    }
    pthread_mutex_unlock(&install_lock);
}

void
exec_watch_signal_install(void)
{
    install(EXEC_WATCH_SIGNAL, on_watch, SA_RESTART, &before[FAULTS]);
}

void
exec_signals_install(void)
{
    for (int k = 0; k < FAULTS; k++)
        install(handled[k], on_signal, SA_NODEFER, &before[k]);
}

/* Asking of all three took a quarter of an empty launch. A program that sets handlers of its own
 * sets that of SIGSEGV, which is what a kernel's wrong address raises. */
static void
signals_reinstall(void)
{
    struct sigaction now;
    if (!is_installed(SIGSEGV, on_signal, &now))
        exec_signals_install();
}

/* A stack for the handler, per thread, kept until the thread ends. */
enum { SIGNAL_STACK = 64 << 10 };

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void
free_stack(void *stack)
{
    stack_t off = {.ss_flags = SS_DISABLE};
    sigaltstack(&off, NULL);
    munmap(stack, SIGNAL_STACK);
}

static void
make_stack_key(void)
{
    pthread_key_create(&stack_key, free_stack);
}

static void
need_stack(void)
{
    stack_t now;
    pthread_once(&stack_once, make_stack_key);
    if (pthread_getspecific(stack_key) ||
        (sigaltstack(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE)))
        return;
    void *at = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    stack_t stack = {.ss_sp = at, .ss_size = SIGNAL_STACK};
    if (sigaltstack(&stack, NULL) == 0)
        pthread_setspecific(stack_key, at);
    else
        munmap(at, SIGNAL_STACK);
}

void
exec_thread_enter(struct exec_pool *p, struct exec_worker *w, struct exec_entry *entry)
{
    signals_reinstall();
    need_stack();
    entry->outer = current;
    w->warp = NULL;
    w->reached.size = 0;
    w->stack_top = (uint64_t)(uintptr_t)entry;
    current = w;
    exec_seat_take(p, w, entry->outer);
#if defined(__x86_64__)
    /* Round to nearest, denormals kept, no exceptions: whatever the host program uses. */
    entry->control = _mm_getcsr();
    _mm_setcsr(0x1f80);
#endif
}

void
exec_thread_leave(const struct exec_entry *entry)
{
    exec_seat_leave(current, entry->outer);
    current = entry->outer;
#if defined(__x86_64__)
    _mm_setcsr(entry->control);
#endif
}

/* -- ends of blocks ---------------------------------------------------------------------------- */

_Noreturn void
exec_escape(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t place, bool has_place,
            enum exec_status status, const char *what, const char *detail)
{
    struct exec_worker *w = s->worker;
    w->warp = NULL;
    w->fault = (struct exec_fault){.status = status,
                                   .block = s->number,
                                   .warp = warp,
                                   .lanes = lanes,
                                   .place = place,
                                   .has_place = has_place};
    snprintf(w->fault.what, sizeof w->fault.what, "%s", what);
    snprintf(w->fault.detail, sizeof w->fault.detail, "%s", detail ? detail : "");
    tell_fault(s, &w->fault);
    exec_fiber_leave(w);
    siglongjmp(w->escape, 1);
}

void
exec_run_fail(struct exec_run *run, const struct exec_fault *f)
{
    pthread_mutex_lock(&run->fault_lock);
    if (f->block < atomic_load(&run->stop)) { /* the lowest block's error is the one reported */
        run->fault = *f;
        atomic_store(&run->stop, f->block);
    }
    pthread_mutex_unlock(&run->fault_lock);
}

void
exec_run_fail_text(struct exec_run *run, uint64_t block, const char *text)
{
    struct exec_fault f = {.status = EXEC_FAILED, .block = block};
    snprintf(f.detail, sizeof f.detail, "%s", text);
    exec_run_fail(run, &f);
}

/* -- reports ----------------------------------------------------------------------------------- */

void
exec_thread_coordinates(const uint32_t block[3], uint32_t thread, uint32_t out[3])
{
    out[0] = thread % block[0];
    out[1] = thread / block[0] % block[1];
    out[2] = thread / block[0] / block[1];
}

void
exec_place_text(const struct exec_run *run, uint32_t place, char *out, size_t room)
{
    out[0] = 0;
    if (run->request->module)
        jit_place_text(run->request->module, place, out, room);
}

void
exec_report_fault(const struct exec_run *run, const struct exec_fault *f,
                  struct exec_report *report)
{
    const struct exec_request *r = run->request;
    memset(report, 0, sizeof *report);
    report->status = f->status;
    if (f->status == EXEC_FAILED) {
        snprintf(report->text, sizeof report->text, "%s", f->detail);
        return;
    }
    char place[300] = "", thread[120];
    exec_block_place(run, f->block, report->block);
    report->has_place = f->has_place;
    report->place = f->place;
    report->address = f->address;
    if (f->has_place)
        exec_place_text(run, f->place, place, sizeof place);
    uint32_t first = f->warp * JIT_LANES, last = first + JIT_LANES - 1;
    uint32_t threads = r->block[0] * r->block[1] * r->block[2];
    last = f->any_warp ? threads - 1 : last;
    report->has_thread = f->lanes != 0;
    if (f->lanes)
        first += (uint32_t)__builtin_ctz(f->lanes);
    exec_thread_coordinates(r->block, first, report->thread);
    if (f->lanes) {
        snprintf(thread, sizeof thread, "thread (%u,%u,%u)", report->thread[0], report->thread[1],
                 report->thread[2]);
    } else {
        uint32_t end[3];
        exec_thread_coordinates(r->block, last < threads ? last : threads - 1, end);
        snprintf(thread, sizeof thread, "one of threads (%u,%u,%u) to (%u,%u,%u)",
                 report->thread[0], report->thread[1], report->thread[2], end[0], end[1], end[2]);
    }
    struct arena names = {0};
    size_t n = (size_t)snprintf(report->text, sizeof report->text, "%s", f->what);
    if (f->has_address && f->by_signal && !f->has_place)
        n += (size_t)snprintf(report->text + n, sizeof report->text - n, " 0x%llx",
                              (unsigned long long)f->address);
    n += (size_t)snprintf(report->text + n, sizeof report->text - n,
                          " in kernel \"%s\"%s%s%s, block (%u,%u,%u), %s%s",
                          ls_readable_name(&names, r->kernel ? r->kernel->name : ""),
                          place[0] ? " (" : "", place, place[0] ? ")" : "", report->block[0],
                          report->block[1], report->block[2], thread, f->detail[0] ? ": " : "");
    n = n < sizeof report->text ? n : sizeof report->text - 1;
    snprintf(report->text + n, sizeof report->text - n, "%s", f->detail);
    report->detail = (uint32_t)n;
    arena_free(&names);
}
