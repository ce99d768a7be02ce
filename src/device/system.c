/* SPDX-License-Identifier: Apache-2.0
 *
 * system.c: devices: made on first use as the environment says, their limits, their end. One lock
 * guards the making of things; what is made stays.
 */
#define _GNU_SOURCE /* dladdr */
#include "device/backend.h"

#include "check/check.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
device_is_gpu(void)
{
    return device_count() > 0 && !device_process()->backend->in_process;
}

/* -- start ------------------------------------------------------------------------------------- */

static const struct backend backends[] = {
#define BACKEND(name, label, in_process)                                                           \
    {#name, label, in_process, &name##_devices, &name##_memory, &name##_code, &name##_streams},
#include "device/backends.def"
#undef BACKEND
};

/* Whether this very library is what LOCKSTEP_LIBCUDA names: then it plays the driver, and is
 * virtual. So a program may run on the back end without a GPU (docs/gpu.md). */
static bool
are_the_driver(void)
{
    Dl_info own;
    char a[PATH_MAX], b[PATH_MAX];
    const char *path = getenv("LOCKSTEP_LIBCUDA");
    return path && dladdr((void *)are_the_driver, &own) && own.dli_fname && realpath(path, a) &&
           realpath(own.dli_fname, b) && !strcmp(a, b);
}

static const struct backend *
chosen_backend(void)
{
    enum { COUNT = sizeof backends / sizeof *backends };
    const char *name = getenv("LOCKSTEP_DEVICE");
    struct text names = {0};
    if (!name || !*name || are_the_driver())
        name = "virtual";
    for (int k = 0; k < COUNT; k++)
        if (!strcmp(name, backends[k].name))
            return &backends[k];
    for (int k = 0; k < COUNT; k++)
        text_add(&names, "%s%s", k == 0 ? "" : k == COUNT - 1 ? " or " : ", ", backends[k].name);
    device_fail(DEVICE_NO_DEVICE, "LOCKSTEP_DEVICE=%s: %s is expected", name, names.at);
    text_free(&names);
    return NULL;
}

static bool
start(void)
{
    struct process *p = device_process();
    int count = 0;
    if (p->started)
        return true;
    times_start();
    outcome_start();
    const char *clock = getenv("LOCKSTEP_CLOCK");
    const char *schedule = getenv("LOCKSTEP_SCHEDULE");
    struct ls_error err = {0};
    if (schedule && *schedule && !exec_schedule_parse(schedule, &p->schedule, &err)) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_SCHEDULE: %s", err.text);
        return false;
    }
    if (!clock_start(clock)) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_CLOCK=%s: cpu or model is expected", clock);
        return false;
    }
    p->backend = chosen_backend();
    if (!p->backend || !p->backend->devices->start(&count))
        return false;
    p->count = count < DEVICE_MOST ? count : DEVICE_MOST;
    p->started = true;
    return true;
}

int
device_count(void)
{
    if (device_permitted() != DEVICE_OK)
        return 0;
    pthread_mutex_lock(&device_process()->lock);
    int n = start() ? device_process()->count : 0;
    pthread_mutex_unlock(&device_process()->lock);
    return n;
}

/* -- devices ----------------------------------------------------------------------------------- */

static void
default_limits(struct device *d)
{
    static const size_t values[DEVICE_LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
    memcpy(d->limit, values, sizeof values);
    memory_limit_heap(d->memory, d->limit[DEVICE_LIMIT_HEAP]);
}

static struct device *
make(int index)
{
    struct process *p = device_process();
    struct ls_error err = {0};
    struct device *d = ls_alloc(sizeof *d);
    d->index = index;
    d->backend = p->backend;
    d->profile = d->backend->devices->profile(index);
    if (!d->profile || !d->backend->devices->make(d)) {
        ls_release(d);
        return NULL;
    }
    d->memory = memory_new(index, d->profile->memory_bytes, &err);
    if (!d->memory) {
        device_fail(DEVICE_NOT_INITIALIZED, "%s", err.text);
        ls_release(d);
        return NULL;
    }
    for (int k = 0; k < DEVICE_MOST; k++)
        if (p->device[k]) {
            memory_set_peer(d->memory, p->device[k]->memory, false);
            memory_set_peer(p->device[k]->memory, d->memory, false);
        }
    default_limits(d);
    d->stream = device_stream_new(d, 0, 0);
    storage_adopt_host(d);
    return d;
}

struct device *
device_at(int index)
{
    struct process *p = device_process();
    struct device *d = process_device(index);
    if (d || process_forked())
        return d;
    pthread_mutex_lock(&p->lock);
    if (!start())
        ;
    else if (index < 0 || index >= p->count)
        device_fail(DEVICE_INVALID_DEVICE, "device %d does not exist: there %s %d", index,
                    p->count == 1 ? "is" : "are", p->count);
    else if (!(d = p->device[index]) && (d = make(index)))
        __atomic_store_n(&p->device[index], d, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&p->lock);
    return d;
}

enum device_result
device_set_current(int index)
{
    enum device_result r = device_permitted();
    if (r != DEVICE_OK)
        return r;
    if (!device_at(index))
        return device_count() ? DEVICE_INVALID_DEVICE : DEVICE_NO_DEVICE;
    process_use(index);
    return DEVICE_OK;
}

enum device_result
device_use_early(struct device **out)
{
    enum device_result r = device_permitted();
    *out = device_at(device_current());
    if (r != DEVICE_OK)
        return r;
    if (!*out)
        return device_count() ? DEVICE_INVALID_DEVICE : DEVICE_NO_DEVICE;
    process_use(device_current());
    return lost_so_far(*out);
}

enum device_result
device_use(struct device **out)
{
    enum device_result r = device_use_early(out);
    return r == DEVICE_OK ? device_lost(*out) : r;
}

int
device_index(const struct device *d)
{
    return d->index;
}

const struct device_profile *
device_profile(const struct device *d)
{
    return d->profile;
}

enum device_result
device_attribute(const struct device *d, int number, int *out_value)
{
    return d->backend->devices->attribute(d, number, out_value);
}

void
device_uuid(const struct device *d, uint8_t out[16])
{
    if (d->backend->devices->uuid(d, out) == DEVICE_OK)
        return;
    struct hash128 h =
        ls_hash((struct hash128){(uint64_t)d->index, 0}, d->profile->key, strlen(d->profile->key));
    memcpy(out, &h, sizeof h);
}

struct memory *
device_memory(struct device *d)
{
    return d->memory;
}

void
device_recover(struct device *d)
{
    device_flush();
    d->lost = DEVICE_OK;
}

/* What was put off is done, and what kernels have printed is written. */
static enum device_result
caught_up(void)
{
    enum device_result r = device_permitted();
    if (r == DEVICE_OK) {
        device_flush();
        fflush(stdout);
    }
    return r;
}

enum device_result
device_synchronize(struct device *d)
{
    enum device_result r = caught_up();
    if (r == DEVICE_OK)
        r = capture_forbids_wait(d);
    if (r != DEVICE_OK)
        return r;
    output_seen();
    check_joined_all(tool_check());
    guard_joined();
    r = device_lost(d);
    return r == DEVICE_OK ? d->backend->devices->synchronize(d) : r;
}

struct device_settings *
device_settings_of(struct device *d)
{
    return &d->settings;
}

enum device_result
device_limit_get(struct device *d, unsigned limit, size_t *out_value)
{
    if (limit >= DEVICE_LIMITS)
        return device_fail(DEVICE_UNSUPPORTED_LIMIT, "limit %u is not known", limit);
    return d->backend->devices->limit_get(d, limit, out_value);
}

enum device_result
device_limit_set(struct device *d, unsigned limit, size_t value)
{
    if (limit >= DEVICE_LIMITS)
        return device_fail(DEVICE_UNSUPPORTED_LIMIT, "limit %u is not known", limit);
    return d->backend->devices->limit_set(d, limit, value);
}

enum device_result
device_peer_set(struct device *d, int peer, bool enabled)
{
    if (peer == d->index || !device_at(peer))
        return device_fail(DEVICE_INVALID_DEVICE, "device %d is no peer of device %d", peer,
                           d->index);
    if (d->peer[peer] == enabled)
        return device_fail(enabled ? DEVICE_PEER_ENABLED : DEVICE_PEER_NOT_ENABLED,
                           "access from device %d to device %d is %s", d->index, peer,
                           enabled ? "enabled already" : "not enabled");
    enum device_result r = d->backend->devices->peer(d, device_at(peer), enabled);
    if (r == DEVICE_OK)
        d->peer[peer] = enabled;
    return r;
}

void
device_show(int owner, int to)
{
    struct device *o = device_at(owner), *d = device_at(to);
    if (o && d && o != d && d->backend->in_process)
        memory_set_peer(d->memory, o->memory, true);
}

static void
end_stream(void *handle, void *context)
{
    struct device_stream *s = handle;
    if (s->device == context && s != s->device->stream)
        device_stream_free(s);
}

static void
end_event(void *handle, void *context)
{
    struct device_event *e = handle;
    if (e->device == context)
        device_event_free(e);
}

enum device_result
device_reset(struct device *d)
{
    enum device_result r = caught_up();
    if (r != DEVICE_OK)
        return r;
    output_seen();
    handle_each(HANDLE_STREAM, end_stream, d);
    handle_each(HANDLE_EVENT, end_event, d);
    r = d->backend->devices->reset(d);
    image_reset_device(d);
    storage_reset_device(d);
    default_limits(d);
    memset(&d->settings, 0, sizeof d->settings);
    memset(d->peer, 0, sizeof d->peer);
    d->epoch++;
    d->lost = DEVICE_OK;
    return r;
}
