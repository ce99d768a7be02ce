/* SPDX-License-Identifier: Apache-2.0
 *
 * virtual.c: the devices of the virtual back end: which GPU they are taken for, how many there are,
 * their limits.
 */
#include "device/backend.h"

#include <stdlib.h>
#include <string.h>

static const struct device_profile *taken_for; /* all of them */

static const struct device_profile *
choose_profile(void)
{
    const char *gpu = getenv("LOCKSTEP_GPU"), *cc = getenv("LOCKSTEP_CC");
    bool by_name = gpu && *gpu;
    struct device_hint hint;
    if (!by_name && !(cc && *cc))
        return model_default_device();
    const char *word = by_name ? gpu : cc;
    const struct device_profile *p = by_name ? model_find_device(gpu) : model_find_cc(cc);
    if (!p)
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_%s=%s: no such %s %s", by_name ? "GPU" : "CC",
                    word, by_name ? "device" : "compute capability",
                    model_device_hint(word, !by_name, &hint));
    return p;
}

static void
in_child(void)
{
    process_in_child();
    guard_forked();
    tool_forked();
}

static bool
start(int *out_count)
{
    uint64_t devices = 1, workers = 0;
    uint32_t unused; /* asked for when they are needed (engine.c) */
    taken_for = choose_profile();
    if (!taken_for || !process_number("LOCKSTEP_DEVICES", 1, DEVICE_MOST, &devices) ||
        !process_number("LOCKSTEP_WORKERS", 1, 4096, &workers) ||
        !process_milliseconds("LOCKSTEP_ENDLESS", &unused) ||
        !process_milliseconds("LOCKSTEP_HEARTBEAT", &unused) || !tool_start(taken_for))
        return false;
    guard_start();
    *out_count = (int)devices;
    pthread_atfork(NULL, NULL, in_child);
    return true;
}

static const struct device_profile *
profile(int index)
{
    return taken_for;
}

static bool
make(struct device *d)
{
    return true;
}

static enum device_result
attribute(const struct device *d, int number, int *out_value)
{
    const struct device_profile *p = d->profile;
    switch (number) {
#define ATTRIBUTE(n, name, value)                                                                  \
    case n:                                                                                        \
        *out_value = (int)(value);                                                                 \
        return DEVICE_OK;
#include "device/attributes.def"
#undef ATTRIBUTE
    default: return device_fail(DEVICE_INVALID_VALUE, "attribute %d is not known", number);
    }
}

/* Its profile has none: one is made of its name and number. */
static enum device_result
uuid(const struct device *d, uint8_t out[16])
{
    return DEVICE_NOT_FOUND;
}

/* What was submitted has ended; what a reset leaves behind is this folder's own. */
static enum device_result
nothing(struct device *d)
{
    return DEVICE_OK;
}

static enum device_result
limit_get(struct device *d, unsigned limit, size_t *out_value)
{
    *out_value = d->limit[limit];
    return DEVICE_OK;
}

static enum device_result
limit_set(struct device *d, unsigned limit, size_t value)
{
    if (limit == DEVICE_LIMIT_STACK && value > d->profile->local_bytes_per_thread)
        return device_fail(DEVICE_INVALID_VALUE, "a stack of %zu bytes: %s allows %u", value,
                           d->profile->name, d->profile->local_bytes_per_thread);
    d->limit[limit] = value;
    if (limit == DEVICE_LIMIT_HEAP)
        memory_limit_heap(d->memory, value);
    return DEVICE_OK;
}

static enum device_result
set_peer(struct device *d, struct device *peer, bool enabled)
{
    memory_set_peer(d->memory, peer->memory, enabled);
    return DEVICE_OK;
}

const struct backend_devices virtual_devices = {
    .start = start,
    .profile = profile,
    .make = make,
    .attribute = attribute,
    .uuid = uuid,
    .synchronize = nothing,
    .reset = nothing,
    .limit_get = limit_get,
    .limit_set = limit_set,
    .peer = set_peer,
};
