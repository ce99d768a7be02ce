/* SPDX-License-Identifier: Apache-2.0
 *
 * device.c: what the process has: devices, the pool of workers, the jit engine. One lock guards the
 * making of things; what is made stays.
 */
#include "device/device_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct process process = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct process *
device_process(void)
{
    return &process;
}

static bool
number_of(const char *name, uint64_t low, uint64_t high, uint64_t *out, struct ls_error *err)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return true;
    if (!ls_parse_u64(text, out) || *out < low || *out > high)
        return ls_fail(err, LS_ERR_USAGE, "%s=%s: a number from %llu to %llu is expected", name, text,
                       (unsigned long long)low, (unsigned long long)high);
    return true;
}

static const char *
nearest_device(const char *name)
{
    const char *keys[256];
    size_t n = 0;
    for (const struct device_profile *p; n < 256 && (p = model_device_at(n)); n++)
        keys[n] = p->key;
    return ls_nearest(name, keys, n);
}

static const struct device_profile *
choose_profile(struct ls_error *err)
{
    const char *gpu = getenv("LOCKSTEP_GPU"), *cc = getenv("LOCKSTEP_CC");
    const struct device_profile *p = NULL;
    if (gpu && *gpu) {
        p = model_find_device(gpu);
        const char *near = p ? NULL : nearest_device(gpu);
        if (!p)
            ls_fail(err, LS_ERR_USAGE, "LOCKSTEP_GPU=%s: no such device%s%s%s (see lockstep devices)",
                    gpu, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        return p;
    }
    if (cc && *cc) {
        p = model_find_cc(cc);
        if (!p)
            ls_fail(err, LS_ERR_USAGE,
                    "LOCKSTEP_CC=%s: no such compute capability (see lockstep devices)", cc);
        return p;
    }
    return model_default_device();
}

static bool
start(struct ls_error *err)
{
    if (process.started)
        return true;
    uint64_t devices = 1, workers = 0;
    char cache[4096];
    struct ls_error why = {0};
    process.profile = choose_profile(err);
    if (!process.profile || !number_of("LOCKSTEP_DEVICES", 1, DEVICE_MOST, &devices, err) ||
        !number_of("LOCKSTEP_WORKERS", 1, 4096, &workers, err))
        return false;
    bool cached = ls_cache_folder(cache, sizeof cache, &why);
    if (!cached && why.status != LS_OK)
        ls_warn("no cache: %s", why.text);
    process.jit = jit_new(cached ? cache : NULL, err);
    process.pool = process.jit ? exec_new((uint32_t)workers, err) : NULL;
    if (!process.pool)
        return false;
    process.count = (int)devices;
    process.started = true;
    return true;
}

int
device_count(struct ls_error *err)
{
    pthread_mutex_lock(&process.lock);
    bool ok = start(err);
    pthread_mutex_unlock(&process.lock);
    return ok ? process.count : 0;
}

struct device *
device_get(int ordinal, struct ls_error *err)
{
    struct device *d = NULL;
    pthread_mutex_lock(&process.lock);
    if (!start(err)) {
        d = NULL;
    } else if (ordinal < 0 || ordinal >= process.count) {
        ls_fail(err, LS_ERR_USAGE, "device %d does not exist: there are %d", ordinal, process.count);
    } else if (!(d = process.device[ordinal])) {
        d = ls_alloc(sizeof *d);
        d->ordinal = ordinal;
        d->profile = process.profile;
        d->memory = memory_new(ordinal, d->profile->memory_bytes, err);
        if (d->memory) {
            process.device[ordinal] = d;
        } else {
            ls_release(d);
            d = NULL;
        }
    }
    pthread_mutex_unlock(&process.lock);
    return d;
}

int
device_ordinal(const struct device *d)
{
    return d->ordinal;
}

const struct device_profile *
device_profile(const struct device *d)
{
    return d->profile;
}

struct memory *
device_memory(struct device *d)
{
    return d->memory;
}

uint32_t
device_workers(void)
{
    return process.pool ? exec_workers(process.pool) : 0;
}

static void
release_one(const struct allocation *a, void *list)
{
    VEC(uint64_t) *v = list;
    if (a->kind != ALLOCATION_HOST)
        VEC_PUSH(v, a->base);
}

void
device_reset(struct device *d)
{
    VEC(uint64_t) all = {0};
    pthread_mutex_lock(&process.lock);
    memory_each(d->memory, release_one, &all);
    for (size_t k = 0; k < all.count; k++)
        memory_release(d->memory, all.at[k]);
    for (struct device_module *m = process.modules; m; m = m->next) {
        ls_release(m->symbols[d->ordinal]);
        m->symbols[d->ordinal] = NULL;
    }
    pthread_mutex_unlock(&process.lock);
    VEC_FREE(&all);
}
