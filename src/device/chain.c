/* SPDX-License-Identifier: Apache-2.0
 *
 * chain.c: launches that are put off, until the program asks for anything else, so that those that
 * follow each other can be run together, in pieces that stay in the cache (exec_run_chain).
 *
 *     average<<<grid, 256>>>(a, b);    put off: 1,024 bytes a block, whatever it does
 *     average<<<grid, 256>>>(b, a);    block c needs blocks up to c + 1 of the first: put off, too
 *     cudaDeviceSynchronize();         both run, in columns of some hundred blocks
 *
 * Only large launches of kernels whose blocks say by their number what they may touch (analysis:
 * footprint), in memory of cudaMalloc, which the host cannot see before it calls, and of callers
 * that allow it (device_launch.patient); nothing is put off while a tool watches. Every call that
 * could see whether a launch has run flushes them first: device_flush, from device_lost,
 * device_use, op_run, and what frees memory or code. A launch that is put off alone runs as any
 * other.
 */
#include "device/backend.h"

#include "analysis/analysis.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST = 64,               /* launches put off at a time */
    LEAST_THREADS = 1 << 20, /* smaller ones leave what they wrote in the cache by themselves */
    LEAST_PIECE = 32,        /* blocks */
    LEVEL2 = 1 << 20,        /* bytes of the second cache, where the system does not say */
};

struct put_off {
    struct device_launch launch; /* its parameters are ours */
    struct device_stream *stream;
    struct footprint touched;
    uint64_t base[FOOTPRINT_MOST]; /* of each access: the pointer */
    uint64_t piece;                /* blocks whose memory fills the cache */
    uint64_t behind;
};

static struct {
    pthread_mutex_t lock;
    _Atomic uint32_t count;
    struct put_off at[MOST];
} chain = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool flushing; /* what runs the launches may ask whether the device is lost */

/* -- what a launch touches --------------------------------------------------------------------- */

/* Half of a worker's second cache. */
static uint64_t
cache_bytes(void)
{
    static _Atomic long known;
    long n = atomic_load_explicit(&known, memory_order_relaxed);
    if (n)
        return (uint64_t)n;
    n = sysconf(_SC_LEVEL2_CACHE_SIZE);
    n = (n < LEVEL2 / 4 ? LEVEL2 : n) / 2;
    atomic_store_explicit(&known, n, memory_order_relaxed);
    return (uint64_t)n;
}

static bool
bases_find(struct put_off *x)
{
    struct memory *m = x->launch.function->device->memory;
    for (uint32_t k = 0; k < x->touched.count; k++) {
        struct allocation a;
        memcpy(&x->base[k], x->launch.params + x->touched.at[k].param, sizeof x->base[k]);
        /* Not what others own, too: they may have it at two addresses. */
        if (!memory_find(m, x->base[k], &a, NULL) || a.kind != ALLOCATION_DEVICE ||
            !memory_owns(m, a.base))
            return false;
    }
    return true;
}

/* Bytes that a block goes on to: those of two accesses to one array count once. */
static uint64_t
bytes_of_block(const struct put_off *x)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < x->touched.count; k++) {
        bool again = false;
        for (uint32_t j = 0; j < k; j++)
            again |= x->base[j] == x->base[k];
        bytes += again ? 0 : (uint64_t)x->touched.at[k].step;
    }
    return bytes;
}

static bool
describe(struct put_off *x)
{
    const struct device_launch *l = &x->launch;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2] * l->grid[0];
    if (threads < LEAST_THREADS || l->grid[1] != 1 || l->grid[2] != 1 || l->cooperative ||
        l->dynamic_shared || clusters_wanted(l))
        return false;
    if (!footprint_find(l->function->func, l->grid, l->block, &x->touched) || !bases_find(x))
        return false;
    for (uint32_t k = 0; k < x->touched.count; k++)
        if (x->touched.at[k].step <= 0)
            return false;
    x->piece = cache_bytes() / bytes_of_block(x);
    return x->piece >= LEAST_PIECE && l->grid[0] / 4 >= x->piece;
}

/* -- what launches have to do with each other -------------------------------------------------- */

static int64_t
first_byte(const struct put_off *x, uint32_t k)
{
    return (int64_t)x->base[k] + x->touched.at[k].low;
}

static int64_t
end_byte(const struct put_off *x, uint32_t k, uint64_t block)
{
    return (int64_t)x->base[k] + x->touched.at[k].high + x->touched.at[k].step * (int64_t)block;
}

/* b comes after a. How many blocks b has to stay behind a for access j of the one and k of the
 * other: block c of b needs all blocks of a whose bytes begin before its own end. False: no answer
 * for all blocks. */
static bool
pair_behind(const struct put_off *a, uint32_t j, const struct put_off *b, uint32_t k,
            int64_t *blocks)
{
    int64_t step = a->touched.at[j].step;
    *blocks = -1;
    if ((!a->touched.at[j].write && !b->touched.at[k].write) ||
        first_byte(a, j) >= end_byte(b, k, b->launch.grid[0] - 1) ||
        first_byte(b, k) >= end_byte(a, j, a->launch.grid[0] - 1))
        return true;
    if (step != b->touched.at[k].step)
        return false;
    int64_t more = end_byte(b, k, 0) - first_byte(a, j);
    *blocks = more <= 0 ? 0 : (more + step - 1) / step - 1;
    return true;
}

static bool
must_stay_behind(const struct put_off *a, const struct put_off *b, int64_t *blocks)
{
    *blocks = -1; /* nothing to do with each other */
    for (uint32_t j = 0; j < a->touched.count; j++)
        for (uint32_t k = 0; k < b->touched.count; k++) {
            int64_t n;
            if (!pair_behind(a, j, b, k, &n))
                return false;
            *blocks = n > *blocks ? n : *blocks;
        }
    return true;
}

/* x goes on with what the launch before it left, and little of a piece is left to the next one. */
static bool
fits_chain(struct put_off *x, uint32_t count)
{
    const struct put_off *last = count ? &chain.at[count - 1] : NULL;
    x->behind = last ? last->behind : 0;
    for (uint32_t k = 0; k < count; k++) {
        int64_t n;
        const struct put_off *a = &chain.at[k];
        if (!must_stay_behind(a, x, &n) || (a == last && n < 0))
            return false;
        if (n >= 0 && a->behind + (uint64_t)n > x->behind)
            x->behind = a->behind + (uint64_t)n;
    }
    return !last || (last->launch.function->device == x->launch.function->device &&
                     (x->behind - last->behind) * 4 <= x->piece &&
                     (x->behind - last->behind) * 4 <= last->piece);
}

/* -- running them ------------------------------------------------------------------------------ */

/* Under the lock. */
static void
run_all(void)
{
    uint32_t count = atomic_load(&chain.count);
    uint64_t piece = UINT64_MAX, behind[MOST];
    const struct device_launch *launch[MOST];
    for (uint32_t k = 0; k < count; k++) {
        piece = chain.at[k].piece < piece ? chain.at[k].piece : piece;
        behind[k] = chain.at[k].behind;
        launch[k] = &chain.at[k].launch;
    }
    enum device_result result = DEVICE_OK;
    flushing = true;
    guard_open();
    if (count == 1)
        result = launch_run(chain.at[0].stream, launch[0]);
    else if (count)
        result = launch_run_chain(launch, behind, count, piece);
    guard_close();
    flushing = false;
    if (result !=
        DEVICE_OK) { /* all was checked, but memory may be short by now: the next call says so */
        int none = DEVICE_OK;
        atomic_compare_exchange_strong(&launch[0]->function->device->lost, &none, (int)result);
    }
    for (uint32_t k = 0; k < count; k++)
        ls_release(chain.at[k].launch.params);
    atomic_store(&chain.count, 0);
}

static void
run_put_off(void)
{
    if (flushing || !atomic_load_explicit(&chain.count, memory_order_acquire))
        return;
    pthread_mutex_lock(&chain.lock);
    run_all();
    pthread_mutex_unlock(&chain.lock);
}

/* LOCKSTEP_CHAIN=0: never. */
static bool
is_wanted(void)
{
    static _Atomic int known; /* 0: not looked up yet, 1: no, 2: yes */
    int k = atomic_load_explicit(&known, memory_order_relaxed);
    if (!k) {
        const char *text = getenv("LOCKSTEP_CHAIN");
        k = text && *text == '0' ? 1 : 2;
        atomic_store_explicit(&known, k, memory_order_relaxed);
    }
    return k == 2;
}

static bool
may_put_off(const struct device_stream *s)
{
    return is_wanted() && !flushing && s->device->backend->in_process &&
           device_process()->schedule.kind == EXEC_USUAL && !tool_of_process() && !times_wanted();
}

/* A kernel that fails says so, even when nobody asks; and none runs a second time in a child's
 * exit. */
static void
flush_at_end(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&done))
        return;
    process_put_off(run_put_off);
    atexit(device_flush);
    pthread_atfork(device_flush, NULL, NULL);
}

bool
chain_put_off(struct device_stream *s, const struct device_launch *l)
{
    struct put_off x = {.launch = *l, .stream = s};
    if (!l->patient || !may_put_off(s) || !describe(&x) || launch_check(l) != DEVICE_OK ||
        !unit_symbols(s->device, l->function->unit))
        return false;
    struct device_op op = {.kind = DEVICE_OP_LAUNCH, .launch = *l}, own;
    device_op_copy(&own, &op);
    x.launch = own.launch;
    flush_at_end();
    pthread_mutex_lock(&chain.lock);
    uint32_t count = atomic_load(&chain.count);
    if (count == MOST || !fits_chain(&x, count)) {
        run_all();
        count = 0;
        fits_chain(&x, 0);
    }
    if (lost_so_far(s->device) == DEVICE_OK) {
        chain.at[count] = x;
        atomic_store(&chain.count, count + 1);
    } else { /* by one of those: the next call says so */
        device_op_fini(&own);
    }
    pthread_mutex_unlock(&chain.lock);
    return true;
}
