/* SPDX-License-Identifier: Apache-2.0
 *
 * handle.c: handles that can be told from destroyed ones, and from any other pointer. All lie in
 * one reserved range of addresses, so that a stranger's pointer is never followed. A dead handle's
 * memory stays, for the next one of its kind.
 */
#include "device/device_priv.h"

#include <string.h>
#include <sys/mman.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

enum { ALIGNMENT = 64 };
#define RANGE_BYTES ((size_t)16 << 30) /* of addresses; pages come when they are written */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *all[HANDLE_KINDS], *dead[HANDLE_KINDS];
static char *range;         /* set once */
static _Atomic size_t used; /* bytes of the range that hold handles */

static uint32_t
magic_of(enum handle_kind kind)
{
    return 0x4c534800u | (uint32_t)kind;
}

/* With the lock held: zeroed memory for one more handle. */
static void *
more(size_t size)
{
    if (!range) {
        void *at = mmap(NULL, RANGE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            ls_out_of_memory(RANGE_BYTES);
        __atomic_store_n(&range, at, __ATOMIC_RELEASE);
    }
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > RANGE_BYTES - used)
        ls_out_of_memory(size);
    void *h = range + used;
    used += size;
#if __has_feature(address_sanitizer)
    __lsan_register_root_region(h, size); /* what handles point to is not leaked */
#endif
    return h;
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
        h = more(size);
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
    uintptr_t at = (uintptr_t)handle - (uintptr_t)__atomic_load_n(&range, __ATOMIC_ACQUIRE);
    return at < used && at % ALIGNMENT == 0 &&
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
