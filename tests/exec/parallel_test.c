/* SPDX-License-Identifier: Apache-2.0
 *
 * Several threads ask one engine for kernels. Compiles are held where the engine tells that they
 * begin, so that nothing hangs on who is quicker: launches of a finished kernel go on while another
 * one is compiled, two kernels are compiled at once, one that several ask for is compiled once, an
 * error reaches all who waited for it, and a module is forgotten after its compiles.
 */
#include "exec/exec.h"

#include "common/unit.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* out[i] = i + 1 and i + 2; the third cannot be compiled: isspacep.const is not supported. */
#define KERNEL(name, directive, constant)                                                          \
    ".visible .entry " name "(.param .u64 p)\n" directive "{\n"                                    \
    ".reg .b64 %rd<4>; .reg .b32 %r<4>;\n"                                                         \
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"                                              \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"                                      \
    "add.u32 %r2, %r1, " constant ";\nst.global.u32 [%rd3], %r2;\nret;\n}\n"
static const char text[] = ".version 8.1\n.target sm_90\n.address_size 64\n" KERNEL("one", "", "1")
    KERNEL("two", "", "2") KERNEL("bad", "", "3;\n.reg .pred %p; isspacep.const %p, %rd3");

enum { THREADS = 64, ASKING = 4 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned begun, ended; /* compiles */
    bool hold;             /* those that begin wait */
    bool gave_up;          /* one waited for a minute */
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* With the lock held. False: nobody said anything for a minute. */
static bool
wait_for_change(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    return pthread_cond_timedwait(&watched.changed, &watched.lock, &until) == 0;
}

static void
begin(void *user, const struct jit_request *r)
{
    (void)user, (void)r;
    pthread_mutex_lock(&watched.lock);
    watched.begun++;
    pthread_cond_broadcast(&watched.changed);
    while (watched.hold && !watched.gave_up)
        watched.gave_up = !wait_for_change();
    pthread_mutex_unlock(&watched.lock);
}

static void
end(void *user, const struct jit_request *r)
{
    (void)user, (void)r;
    pthread_mutex_lock(&watched.lock);
    watched.ended++;
    pthread_cond_broadcast(&watched.changed);
    pthread_mutex_unlock(&watched.lock);
}

static void
hold(bool on)
{
    pthread_mutex_lock(&watched.lock);
    watched.hold = on;
    pthread_cond_broadcast(&watched.changed);
    pthread_mutex_unlock(&watched.lock);
}

static bool
wait_for_begun(unsigned count)
{
    bool fine = true;
    pthread_mutex_lock(&watched.lock);
    while (fine && watched.begun < count)
        fine = wait_for_change();
    pthread_mutex_unlock(&watched.lock);
    return fine;
}

static unsigned
number(const unsigned *of)
{
    pthread_mutex_lock(&watched.lock);
    unsigned n = *of;
    pthread_mutex_unlock(&watched.lock);
    return n;
}

struct world {
    struct jit_engine *jit;
    struct ptx_module *module;
};

static struct world
open_world(void)
{
    struct ls_error err = {0};
    struct world w = {.jit = jit_new(&(struct jit_options){0}, &err),
                      .module = ptx_parse(text, sizeof text - 1, "k.ptx", &err)};
    assert_non_null(w.jit);
    assert_non_null(w.module);
    jit_set_watch(w.jit, &(struct jit_watch){.begin = begin, .end = end});
    watched.begun = watched.ended = 0;
    watched.hold = watched.gave_up = false;
    return w;
}

static void
close_world(struct world *w)
{
    assert_false(watched.gave_up);
    assert_int_equal(watched.begun, watched.ended);
    jit_free(w->jit);
    ptx_free(w->module);
}

struct ask {
    struct world *world;
    const char *kernel;
    const struct jit_kernel *got;
    struct ls_error err;
    pthread_t thread;
};

static void *
asking(void *context)
{
    struct ask *a = context;
    struct jit_request r = {.module = a->world->module,
                            .kernel = ptx_find_func(a->world->module, a->kernel),
                            .block = {THREADS, 1, 1},
                            .small_grid = true,
                            .whole = true};
    a->got = jit_get(a->world->jit, &r, &a->err);
    return NULL;
}

static void
ask(struct ask *a, struct world *w, const char *kernel)
{
    *a = (struct ask){.world = w, .kernel = kernel};
    assert_int_equal(pthread_create(&a->thread, NULL, asking, a), 0);
}

/* The launch's memory is the host's, as exec allows without a device. */
static void
launch(struct world *w, struct exec_pool *pool, const char *kernel, uint32_t constant)
{
    uint32_t out[THREADS] = {0};
    uint64_t params[1] = {(uint64_t)(uintptr_t)out}, symbols[1] = {0};
    struct exec_request r = {.jit = w->jit,
                             .module = w->module,
                             .kernel = ptx_find_func(w->module, kernel),
                             .grid = {1, 1, 1},
                             .block = {THREADS, 1, 1},
                             .params = (const uint8_t *)params,
                             .symbols = symbols};
    struct exec_report report;
    assert_true(exec_run(pool, &r, &report));
    for (uint32_t k = 0; k < THREADS; k++)
        assert_int_equal(out[k], k + constant);
}

static struct jit_counts
counts_of(const struct world *w)
{
    struct jit_counts n;
    jit_counts(w->jit, &n);
    return n;
}

/* Until so many threads wait for another's compile, or one too many compiles. */
static void
wait_for_waiting(const struct world *w, uint64_t count)
{
    while (counts_of(w).waited < count && wait_for_begun(1) && number(&watched.begun) == 1)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void
finished_kernels_run_meanwhile(void **unused)
{
    (void)unused;
    struct ls_error err = {0};
    struct world w = open_world();
    struct exec_pool *pool = exec_new(2, &err);
    struct ask other;
    assert_non_null(pool);
    launch(&w, pool, "one", 1);
    hold(true);
    ask(&other, &w, "two");
    assert_true(wait_for_begun(2));
    for (int k = 0; k < 100; k++)
        launch(&w, pool, "one", 1);
    assert_int_equal(number(&watched.ended), 1); /* the other one is still being compiled */
    hold(false);
    pthread_join(other.thread, NULL);
    assert_non_null(other.got);
    launch(&w, pool, "two", 2);
    assert_int_equal(counts_of(&w).compiled, 2);
    assert_int_equal(counts_of(&w).from_memory, 101);
    assert_int_equal(counts_of(&w).waited, 0);
    exec_free(pool);
    close_world(&w);
}

static void
two_at_once(void **unused)
{
    (void)unused;
    struct world w = open_world();
    struct ask a[2];
    hold(true);
    ask(&a[0], &w, "one");
    ask(&a[1], &w, "two");
    bool both = wait_for_begun(2);
    hold(false);
    for (int k = 0; k < 2; k++)
        pthread_join(a[k].thread, NULL);
    assert_true(both);
    assert_true(a[0].got && a[1].got && a[0].got != a[1].got);
    close_world(&w);
}

static void
one_of_several_compiles(void **unused)
{
    (void)unused;
    struct world w = open_world();
    struct ask a[ASKING];
    hold(true);
    for (int k = 0; k < ASKING; k++)
        ask(&a[k], &w, "one");
    wait_for_waiting(&w, ASKING - 1);
    hold(false);
    for (int k = 0; k < ASKING; k++)
        pthread_join(a[k].thread, NULL);
    for (int k = 0; k < ASKING; k++)
        assert_ptr_equal(a[k].got, a[0].got);
    assert_non_null(a[0].got);
    assert_int_equal(counts_of(&w).compiled, 1);
    assert_int_equal(counts_of(&w).waited, ASKING - 1);
    assert_int_equal(counts_of(&w).from_memory, ASKING - 1);
    close_world(&w);
}

static void
all_get_the_error(void **unused)
{
    (void)unused;
    struct world w = open_world();
    struct ask a[ASKING], again;
    hold(true);
    for (int k = 0; k < ASKING; k++)
        ask(&a[k], &w, "bad");
    wait_for_waiting(&w, ASKING - 1);
    hold(false);
    for (int k = 0; k < ASKING; k++) {
        pthread_join(a[k].thread, NULL);
        assert_null(a[k].got);
        assert_non_null(strstr(a[k].err.text, "isspacep.const"));
    }
    assert_int_equal(watched.begun, 1);
    ask(&again, &w, "bad"); /* the failure is not kept */
    pthread_join(again.thread, NULL);
    assert_null(again.got);
    assert_int_equal(watched.begun, 2);
    assert_int_equal(counts_of(&w).compiled, 0);
    close_world(&w);
}

static void *
forgetting(void *context)
{
    struct world *w = context;
    jit_forget(w->jit, w->module);
    return NULL;
}

static void
forgotten_after_the_compile(void **unused)
{
    (void)unused;
    struct world w = open_world();
    struct ask a, again;
    pthread_t thread;
    hold(true);
    ask(&a, &w, "one");
    assert_true(wait_for_begun(1));
    assert_int_equal(pthread_create(&thread, NULL, forgetting, &w), 0);
    hold(false);
    pthread_join(a.thread, NULL);
    pthread_join(thread, NULL);
    ask(&again, &w, "one");
    pthread_join(again.thread, NULL);
    assert_non_null(again.got);
    assert_int_equal(counts_of(&w).compiled, 2);
    assert_int_equal(counts_of(&w).from_memory, 0);
    close_world(&w);
}

int
main(void)
{
    return UNIT_TESTS(finished_kernels_run_meanwhile, two_at_once, one_of_several_compiles,
                      all_get_the_error, forgotten_after_the_compile);
}
