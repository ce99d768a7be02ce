/* SPDX-License-Identifier: Apache-2.0
 *
 * system.c: devices: made on first use as the environment says, their limits, their end. One lock guards the
 * making of things; what is made stays.
 */
#include "device/gpu.h"

#include "check/check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
device_is_gpu(void)
{
    return device_count() > 0 && device_process()->gpu;
}

/* -- start ------------------------------------------------------------------------------------------- */

static const struct device_profile *
choose_profile(void)
{
    const char *gpu = getenv("LOCKSTEP_GPU"), *cc = getenv("LOCKSTEP_CC");
    const struct device_profile *p = NULL;
    struct device_hint hint;
    if (gpu && *gpu) {
        p = model_find_device(gpu);
        if (!p)
            device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_GPU=%s: no such device %s", gpu,
                        model_device_hint(gpu, false, &hint));
        return p;
    }
    if (cc && *cc) {
        p = model_find_cc(cc);
        if (!p)
            device_fail(DEVICE_INVALID_DEVICE,
                        "LOCKSTEP_CC=%s: no such compute capability %s", cc,
                        model_device_hint(cc, true, &hint));
        return p;
    }
    return model_default_device();
}

static void
in_child(void)
{
    process_in_child();
    guard_forked();
    tool_forked();
}

static bool
start(void)
{
    struct process *p = device_process();
    uint64_t devices = 1, workers = 0;
    uint32_t unused; /* asked for when they are needed (engine.c) */
    if (p->started)
        return true;
    int gpus = 0;
    times_start();
    const char *clock = getenv("LOCKSTEP_CLOCK");
    if (!clock_start(clock)) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_CLOCK=%s: cpu or model is expected", clock);
        return false;
    }
    if (!gpu_open(&p->gpu, &gpus))
        return false;
    if (p->gpu) {
        const char *tool = getenv("LOCKSTEP_TOOL");
        if (tool && *tool) {
            device_fail(DEVICE_NOT_SUPPORTED, "%s watches the virtual GPU alone", tool);
            return false;
        }
        if (clock_is_model()) {
            device_fail(DEVICE_NOT_SUPPORTED, "LOCKSTEP_CLOCK=model: a real GPU has its own clock");
            return false;
        }
        p->count = gpus < DEVICE_MOST ? gpus : DEVICE_MOST;
        p->started = true;
        return true;
    }
    p->profile = choose_profile();
    if (!p->profile || !process_number("LOCKSTEP_DEVICES", 1, DEVICE_MOST, &devices) ||
        !process_number("LOCKSTEP_WORKERS", 1, 4096, &workers) ||
        !process_milliseconds("LOCKSTEP_ENDLESS", &unused) ||
        !process_milliseconds("LOCKSTEP_HEARTBEAT", &unused) || !tool_start(p->profile))
        return false;
    guard_start();
    p->count = (int)devices;
    p->started = true;
    pthread_atfork(NULL, NULL, in_child);
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

/* -- devices ------------------------------------------------------------------------------------------- */

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
    d->profile = p->gpu ? gpu_profile(p->gpu, index) : p->profile;
    if (!d->profile || (p->gpu && !gpu_make(d))) {
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
device_use(struct device **out)
{
    enum device_result r = device_permitted();
    *out = device_at(device_current());
    if (r != DEVICE_OK)
        return r;
    if (!*out)
        return device_count() ? DEVICE_INVALID_DEVICE : DEVICE_NO_DEVICE;
    process_use(device_current());
    return device_lost(*out);
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
    if (d->gpu)
        return gpu_attribute(d, number, out_value);
    const struct device_profile *p = d->profile;
    switch (number) {
#define ATTRIBUTE(n, name, value)                                                                  \
    case n: *out_value = (int)(value); return DEVICE_OK;
#include "device/attributes.def"
#undef ATTRIBUTE
    default: return device_fail(DEVICE_INVALID_VALUE, "attribute %d is not known", number);
    }
}

void
device_uuid(const struct device *d, uint8_t out[16])
{
    if (d->gpu && gpu_uuid(d, out) == DEVICE_OK)
        return;
    struct hash128 h = ls_hash((struct hash128){(uint64_t)d->index, 0}, d->profile->key,
                               strlen(d->profile->key));
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

enum device_result
device_synchronize(struct device *d)
{
    enum device_result r = device_permitted();
    if (r != DEVICE_OK)
        return r;
    device_flush();
    fflush(stdout);
    r = capture_forbids_wait(d);
    if (r != DEVICE_OK)
        return r;
    output_seen();
    check_joined_all(tool_check());
    guard_joined();
    return d->gpu && !d->lost ? gpu_synchronize(d) : device_lost(d);
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
    if (d->gpu)
        return gpu_limit_get(d, limit, out_value);
    *out_value = d->limit[limit];
    return DEVICE_OK;
}

enum device_result
device_limit_set(struct device *d, unsigned limit, size_t value)
{
    if (limit >= DEVICE_LIMITS)
        return device_fail(DEVICE_UNSUPPORTED_LIMIT, "limit %u is not known", limit);
    if (d->gpu)
        return gpu_limit_set(d, limit, value);
    if (limit == DEVICE_LIMIT_STACK && value > d->profile->local_bytes_per_thread)
        return device_fail(DEVICE_INVALID_VALUE, "a stack of %zu bytes: %s allows %u", value,
                           d->profile->name, d->profile->local_bytes_per_thread);
    d->limit[limit] = value;
    if (limit == DEVICE_LIMIT_HEAP)
        memory_limit_heap(d->memory, value);
    return DEVICE_OK;
}

enum device_result
device_peer_set(struct device *d, int peer, bool enabled)
{
    if (peer == d->index || !device_at(peer))
        return device_fail(DEVICE_INVALID_DEVICE, "device %d is no peer of device %d", peer, d->index);
    if (d->peer[peer] == enabled)
        return device_fail(enabled ? DEVICE_PEER_ENABLED : DEVICE_PEER_NOT_ENABLED,
                           "access from device %d to device %d is %s", d->index, peer,
                           enabled ? "enabled already" : "not enabled");
    enum device_result r = d->gpu ? gpu_peer(d, device_at(peer), enabled) : DEVICE_OK;
    if (r == DEVICE_OK) {
        d->peer[peer] = enabled;
        if (!d->gpu)
            memory_set_peer(d->memory, device_at(peer)->memory, enabled);
    }
    return r;
}

void
device_show(int owner, int to)
{
    struct device *o = device_at(owner), *d = device_at(to);
    if (o && d && o != d && !o->gpu && !d->gpu)
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
    enum device_result r = device_permitted();
    if (r != DEVICE_OK)
        return r;
    device_flush();
    fflush(stdout);
    output_seen();
    handle_each(HANDLE_STREAM, end_stream, d);
    handle_each(HANDLE_EVENT, end_event, d);
    r = d->gpu ? gpu_reset(d) : DEVICE_OK;
    image_reset_device(d);
    storage_reset_device(d);
    default_limits(d);
    memset(&d->settings, 0, sizeof d->settings);
    memset(d->peer, 0, sizeof d->peer);
    d->epoch++;
    d->lost = DEVICE_OK;
    return r;
}
