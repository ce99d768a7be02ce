/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c: stream-ordered memory and its pools. Freed memory goes back to the device at once, so
 * that a pool keeps nothing: it is a device, what was set, and whether other processes may have its
 * memory.
 */
#include "device/backend.h"

#include <string.h>

/* By number, the same in both APIs; those below 4 are ints, the others 64 bits. */
enum { REUSE_LAST = 3, RESERVED_NOW = 5, USED_NOW = 7, ATTRIBUTES = 9 };

struct device_pool {
    struct handle head;
    struct device *device;
    bool own, shared; /* the device's own; with other processes */
    uint64_t attribute[ATTRIBUTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device_pool *own[DEVICE_MOST], *chosen[DEVICE_MOST];

struct device_pool *
device_pool_new(struct device *d, bool shared)
{
    struct device_pool *p = handle_new(HANDLE_POOL, sizeof *p);
    p->device = d;
    p->shared = shared;
    for (int k = 1; k <= REUSE_LAST; k++)
        p->attribute[k] = 1;
    return p;
}

enum device_result
device_pool_check(const struct device_pool *p)
{
    return handle_is(p, HANDLE_POOL)
               ? DEVICE_OK
               : device_fail(DEVICE_INVALID_VALUE, "%p is no pool", (const void *)p);
}

bool
device_pool_shared(const struct device_pool *p)
{
    return handle_is(p, HANDLE_POOL) && p->shared;
}

struct device_pool *
device_pool_own(struct device *d)
{
    pthread_mutex_lock(&lock);
    struct device_pool **p = &own[d->index];
    if (!*p) {
        *p = device_pool_new(d, false);
        (*p)->own = true;
    }
    pthread_mutex_unlock(&lock);
    return *p;
}

struct device_pool *
device_pool_chosen(struct device *d)
{
    pthread_mutex_lock(&lock);
    struct device_pool *p = chosen[d->index];
    pthread_mutex_unlock(&lock);
    return p ? p : device_pool_own(d);
}

enum device_result
device_pool_choose(struct device *d, struct device_pool *p)
{
    enum device_result r = device_pool_check(p);
    pthread_mutex_lock(&lock);
    if (r == DEVICE_OK)
        chosen[d->index] = p;
    pthread_mutex_unlock(&lock);
    return r;
}

enum device_result
device_pool_free(struct device_pool *p)
{
    enum device_result r = device_pool_check(p);
    if (r == DEVICE_OK && p->own)
        r = device_fail(DEVICE_INVALID_VALUE, "%p is a device's own pool", (void *)p);
    if (r != DEVICE_OK)
        return r;
    pthread_mutex_lock(&lock);
    for (int k = 0; k < DEVICE_MOST; k++)
        if (chosen[k] == p)
            chosen[k] = NULL;
    pthread_mutex_unlock(&lock);
    handle_free(p);
    return DEVICE_OK;
}

enum device_result
device_pool_attribute(struct device_pool *p, int number, void *value, bool set)
{
    enum device_result r = device_pool_check(p);
    if (r == DEVICE_OK && (!value || number < 1 || number >= ATTRIBUTES))
        r = device_fail(DEVICE_INVALID_VALUE,
                        value ? "attribute %d of a pool is not known"
                              : "the value of attribute %d is NULL",
                        number);
    if (r != DEVICE_OK)
        return r;
    uint64_t *at = &p->attribute[number];
    if (number == RESERVED_NOW || number == USED_NOW)
        memory_usage(p->device->memory, at, NULL, NULL);
    int flag = (int)*at;
    if (number > REUSE_LAST) {
        memcpy(set ? (void *)at : value, set ? value : (void *)at, sizeof *at);
    } else if (set) {
        memcpy(&flag, value, sizeof flag);
        *at = flag != 0;
    } else {
        memcpy(value, &flag, sizeof flag);
    }
    return DEVICE_OK;
}

enum device_result
device_pool_show(struct device_pool *p, int to)
{
    enum device_result r = device_pool_check(p);
    if (r != DEVICE_OK)
        return r;
    if (!device_at(to))
        return DEVICE_INVALID_DEVICE;
    device_show(p->device->index, to);
    return DEVICE_OK;
}

enum device_result
device_alloc_ordered(struct device_stream *s, uint64_t size, uint64_t *out_address)
{
    struct device_op op = {.kind = DEVICE_OP_ALLOC, .storage = {.size = size}};
    uint64_t *at = &op.storage.address;
    enum device_result r = device_capture_graph(s, NULL)
                               ? device_graph_alloc(s->device, size, at)
                               : device_alloc(s->device, size, ALLOCATION_DEVICE, at);
    if (r == DEVICE_OK)
        r = device_submit(s, &op);
    if (r == DEVICE_OK)
        *out_address = *at;
    return r;
}
