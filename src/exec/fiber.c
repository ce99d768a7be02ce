/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: kernels that wait in the middle of a call: barriers and polling loops in functions that are
 * called recursively or through pointers, which cannot be suspended by returning. Their warps run
 * on stacks of their own, and a wait switches back to the scheduler's. Nothing else does (decision
 * 4): switching costs a microsecond.
 *
 * While one lane of a warp waits inside a call, lanes of the warp outside of it stand still.
 */
#define _GNU_SOURCE
#include "exec/exec_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

enum {
    /* Reserved, not filled. Quick code keeps registers in its frames: calls inside the run-time
     * library of GCC's OpenMP take more than 4 MiB under check. */
    FIBER_STACK = 32 << 20,
    FIBER_GUARD = 65536,
    STACK_MARGIN = 128 << 10, /* what services and signal frames may need below a call */
};

/* For functions that begin as one fiber and end as another: TSan
 * counts calls and returns of each. */
#if FIBER_TSAN
#define BETWEEN_FIBERS __attribute__((disable_sanitizer_instrumentation))
#else
#define BETWEEN_FIBERS
#endif

struct exec_fiber {
    ucontext_t self, back;
    uint8_t *map; /* guard, then the stack */
    struct exec_slot *slot;
    uint32_t warp, outcome;
    bool running;           /* between its first switch and a warp function's return */
    void *fake, *back_fake; /* the sanitizer's */
    const void *back_bottom;
    size_t back_size;
    void *tsan, *back_tsan;
};

/* -- switching, announced to sanitizers -------------------------------------------------------- */

static uint8_t *
stack_of(const struct exec_fiber *f)
{
    return f->map + FIBER_GUARD;
}

static void
arrived_in_fiber(struct exec_fiber *f)
{
    (void)f;
#if FIBER_ASAN
    __sanitizer_finish_switch_fiber(f->fake, &f->back_bottom, &f->back_size);
#endif
}

static void
arrived_back(struct exec_fiber *f)
{
    (void)f;
#if FIBER_ASAN
    __sanitizer_finish_switch_fiber(f->back_fake, NULL, NULL);
#endif
}

BETWEEN_FIBERS static void
leave_fiber(struct exec_fiber *f)
{
    (void)f;
#if FIBER_ASAN
    __sanitizer_start_switch_fiber(&f->fake, f->back_bottom, f->back_size);
#endif
#if FIBER_TSAN
    __tsan_switch_to_fiber(f->back_tsan, 0);
#endif
}

static void
switch_back(struct exec_fiber *f)
{
    leave_fiber(f);
    swapcontext(&f->self, &f->back);
    arrived_in_fiber(f);
}

static void
switch_to(struct exec_fiber *f)
{
#if FIBER_ASAN
    __sanitizer_start_switch_fiber(&f->back_fake, stack_of(f), FIBER_STACK);
#endif
#if FIBER_TSAN
    f->back_tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->tsan, 0);
#endif
    swapcontext(&f->back, &f->self);
    arrived_back(f);
}

/* -- a warp's stack ---------------------------------------------------------------------------- */

static void
fiber_main(unsigned low, unsigned high)
{
    struct exec_fiber *f = (struct exec_fiber *)((uintptr_t)high << 32 | low);
    arrived_in_fiber(f);
    for (;;) {
        struct exec_slot *s = f->slot;
        f->outcome = s->call.inner[f->warp](&s->warp[f->warp]);
        f->running = false;
        switch_back(f);
    }
}

static void
fiber_reset(struct exec_fiber *f)
{
    uintptr_t at = (uintptr_t)f;
    getcontext(&f->self);
    f->self.uc_stack.ss_sp = stack_of(f);
    f->self.uc_stack.ss_size = FIBER_STACK;
    f->self.uc_link = NULL;
    makecontext(&f->self, (void (*)(void))(void *)fiber_main, 2, (unsigned)at,
                (unsigned)(at >> 32));
    f->running = false;
    f->fake = NULL;
}

static struct exec_fiber *
fiber_new(struct exec_slot *s, uint32_t warp)
{
    size_t size = FIBER_STACK + FIBER_GUARD;
    struct exec_fiber *f = calloc(1, sizeof *f);
    void *map = f ? mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                  : MAP_FAILED;
    if (map == MAP_FAILED ||
        mprotect((uint8_t *)map + FIBER_GUARD, FIBER_STACK, PROT_READ | PROT_WRITE) != 0) {
        if (map != MAP_FAILED)
            munmap(map, size);
        free(f);
        exec_escape(s, warp, 0, 0, false, EXEC_FAILED, "", "out of memory for the stack of a warp");
    }
    f->map = map;
    s->call.fibers++;
    f->slot = s;
    f->warp = warp;
#if FIBER_TSAN
    f->tsan = __tsan_create_fiber(0);
#endif
    fiber_reset(f);
    return f;
}

uint32_t
exec_fiber_call(struct jit_warp *w)
{
    struct exec_slot *s = w->owner;
    if (!s->call.fiber[w->warp])
        s->call.fiber[w->warp] = fiber_new(s, w->warp);
    struct exec_fiber *f = s->call.fiber[w->warp];
    f->running = true;
    w->stack_end = stack_of(f) + STACK_MARGIN;
    s->worker->fiber = f;
    switch_to(f);
    s->worker->fiber = NULL;
    return f->outcome;
}

void
exec_pause(struct jit_warp *w, uint32_t lanes, uint32_t why)
{
    struct exec_slot *s = w->owner;
    struct exec_fiber *f = s->call.fiber[w->warp];
    s->call.wanted[w->warp] = why == JIT_WAIT ? lanes : 0;
    if (why == JIT_WAIT)
        exec_note_outside(s, w->warp, lanes);
    do {
        f->outcome = why;
        switch_back(f);
    } while (why == JIT_WAIT && !(w->released & lanes));
    s->call.wanted[w->warp] = 0;
}

/* -- blocks that are given up ------------------------------------------------------------------ */

/* Before and after a jump out of a fiber. */
BETWEEN_FIBERS void
exec_fiber_leave(struct exec_worker *w)
{
    if (w->fiber)
        leave_fiber(w->fiber);
}

void
exec_fiber_left(struct exec_worker *w)
{
    if (w->fiber)
        arrived_back(w->fiber);
    w->fiber = NULL;
}

void
exec_fibers_reset(struct exec_slot *s)
{
    for (uint32_t i = 0; i < EXEC_MAX_WARPS; i++)
        if (s->call.fiber[i] && s->call.fiber[i]->running)
            fiber_reset(s->call.fiber[i]);
}

void
exec_fibers_free(struct exec_slot *s)
{
    for (uint32_t i = 0; i < EXEC_MAX_WARPS; i++) {
        struct exec_fiber *f = s->call.fiber[i];
        if (!f)
            continue;
#if FIBER_TSAN
        __tsan_destroy_fiber(f->tsan);
#endif
        munmap(f->map, FIBER_STACK + FIBER_GUARD);
        free(f);
        s->call.fiber[i] = NULL;
    }
    s->call.fibers = 0;
}

/* -- the stack of this thread ------------------------------------------------------------------ */

/* The lowest stack address that calls in generated code may reach on this thread. */
uint8_t *
exec_stack_end(void)
{
    static _Thread_local uint8_t *end;
    pthread_attr_t attr;
    void *at;
    size_t size;
    if (!end && pthread_getattr_np(pthread_self(), &attr) == 0) {
        if (pthread_attr_getstack(&attr, &at, &size) == 0)
            end = (uint8_t *)at + STACK_MARGIN;
        pthread_attr_destroy(&attr);
    }
    return end;
}
