/* SPDX-License-Identifier: Apache-2.0
 *
 * handle.c: handles that can be told from destroyed ones. A dead handle's memory stays, for the
 * next one of its kind.
 */
#include "device/device_priv.h"

#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *all[HANDLE_KINDS], *dead[HANDLE_KINDS];

static uint32_t
magic_of(enum handle_kind kind)
{
    return 0x4c534800u | (uint32_t)kind;
}

void *
handle_new(enum handle_kind kind, size_t size)
{
    pthread_mutex_lock(&lock);
    struct handle *h = dead[kind];
    if (h) {
        dead[kind] = h->dead;
        memset(h + 1, 0, size - sizeof *h);
    } else {
        h = ls_alloc(size);
        h->kind = kind;
        h->all = all[kind];
        all[kind] = h;
    }
    h->dead = NULL;
    __atomic_store_n(&h->magic, magic_of(kind), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return h;
}

void
handle_free(void *handle)
{
    struct handle *h = handle;
    pthread_mutex_lock(&lock);
    __atomic_store_n(&h->magic, 0, __ATOMIC_RELEASE);
    h->dead = dead[h->kind];
    dead[h->kind] = h;
    pthread_mutex_unlock(&lock);
}

bool
handle_is(const void *handle, enum handle_kind kind)
{
    const struct handle *h = handle;
    return (uintptr_t)h >= 4096 && (uintptr_t)h % sizeof(void *) == 0 &&
           __atomic_load_n(&h->magic, __ATOMIC_ACQUIRE) == magic_of(kind);
}

void
handle_each(enum handle_kind kind, void (*f)(void *handle, void *context), void *context)
{
    pthread_mutex_lock(&lock);
    struct handle *h = all[kind];
    pthread_mutex_unlock(&lock);
    for (; h; h = h->all)
        if (handle_is(h, kind))
            f(h, context);
}
