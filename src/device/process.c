/* SPDX-License-Identifier: Apache-2.0
 *
 * process.c: what all of this folder stands on: the process, which devices it has, why the last
 * call of a thread failed, and where no call may be made. What there is is made in system.c.
 */
#include "device/device_priv.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct process process = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local int current;
static _Thread_local bool in_use;
static _Thread_local char reason[1024];

struct process *
device_process(void)
{
    return &process;
}

bool
device_find(uint64_t address, struct allocation *out)
{
    struct process *p = device_process();
    for (int k = 0; k < DEVICE_MOST; k++) {
        struct device *d = __atomic_load_n(&p->device[k], __ATOMIC_ACQUIRE);
        if (!d && k >= p->count)
            break;
        if (d && memory_find(d->memory, address, out, NULL))
            return true;
    }
    return false;
}

struct device *
process_device(int index)
{
    return index >= 0 && index < DEVICE_MOST
               ? __atomic_load_n(&process.device[index], __ATOMIC_ACQUIRE)
               : NULL;
}

bool
process_owns(uint64_t address)
{
    for (int k = 0; k < DEVICE_MOST; k++) {
        struct device *d = process_device(k);
        if (d && d->memory && memory_owns(d->memory, address))
            return true;
    }
    return false;
}

int
device_current(void)
{
    return current;
}

void
process_use(int index)
{
    current = index;
    in_use = true;
}

bool
device_in_use(void)
{
    return in_use;
}

void
device_leave(void)
{
    in_use = false;
}

const char device_graph_memory[] = "graph memory";

/* -- reasons ----------------------------------------------------------------------------------- */

enum device_result
device_fail(enum device_result result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return result;
}

const char *
device_reason(void)
{
    return reason;
}

void
device_forget_reason(void)
{
    reason[0] = 0;
}

bool
process_is_set(const char *name)
{
    const char *text = getenv(name);
    return text && *text && strcmp(text, "0") != 0;
}

bool
device_verbose(void)
{
    return process_is_set("LOCKSTEP_VERBOSE");
}

bool
device_silenced(void)
{
    return process_is_set("LOCKSTEP_QUIET");
}

bool
process_number(const char *name, uint64_t low, uint64_t high, uint64_t *out)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return true;
    if (!ls_parse_u64(text, out) || *out < low || *out > high) {
        device_fail(DEVICE_INVALID_DEVICE, "%s=%s: a number from %llu to %llu is expected", name,
                    text, (unsigned long long)low, (unsigned long long)high);
        return false;
    }
    return true;
}

bool
process_milliseconds(const char *name, uint32_t *out)
{
    const char *text = getenv(name);
    double seconds;
    if (!text || !*text)
        return true;
    if (!ls_parse_f64(text, &seconds) || !(seconds >= 0 && seconds <= 1e6)) {
        device_fail(DEVICE_INVALID_DEVICE, "%s=%s: seconds from 0 to 1000000 are expected", name,
                    text);
        return false;
    }
    *out = seconds > 0 && seconds < 1e-3 ? 1 : (uint32_t)(1e3 * seconds);
    return true;
}

/* -- where no call may be made ----------------------------------------------------------------- */

static _Thread_local uint32_t host_functions; /* of streams, that this thread is in */
static bool forked;

bool
process_forked(void)
{
    return forked;
}

void
process_in_child(void)
{
    forked = true;
}

void
device_host_function_begin(void)
{
    host_functions++;
}

void
device_host_function_end(void)
{
    host_functions--;
}

/* Said once: a program that ignores it may do so a thousand times. */
static enum device_result
not_permitted(enum device_result r, const char *why)
{
    static _Atomic bool said;
    if (!atomic_exchange(&said, true) && !device_silenced()) {
        fflush(stdout);
        ls_warn("%s", why);
    }
    return device_fail(r, "%s", why);
}

enum device_result
device_in_host_function(void)
{
    if (__builtin_expect(host_functions != 0, 0))
        return not_permitted(DEVICE_NOT_PERMITTED,
                             "a host function of a stream (cudaLaunchHostFunc, "
                             "cudaStreamAddCallback, a host node) calls CUDA");
    return DEVICE_OK;
}

enum device_result
device_permitted(void)
{
    if (__builtin_expect(forked, 0))
        return not_permitted(DEVICE_NOT_INITIALIZED,
                             "a child made by fork calls CUDA, which its parent had used "
                             "already: only a child that calls exec may");
    return device_in_host_function();
}

/* -- launches that are put off, and lost devices ----------------------------------------------- */

static void (*_Atomic run_put_off)(void);

void
process_put_off(void (*run)(void))
{
    atomic_store_explicit(&run_put_off, run, memory_order_release);
}

void
device_flush(void)
{
    void (*run)(void) = atomic_load_explicit(&run_put_off, memory_order_acquire);
    if (run)
        run();
}

enum device_result
lost_so_far(const struct device *d)
{
    int lost = d->lost;
    if (lost)
        device_fail((enum device_result)lost,
                    "an earlier kernel failed; the device is unusable until it is reset");
    return (enum device_result)lost;
}

enum device_result
device_lost(const struct device *d)
{
    device_flush();
    return lost_so_far(d);
}
