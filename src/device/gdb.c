/* SPDX-License-Identifier: Apache-2.0
 *
 * gdb.c: gdb learns of kernels by its JIT interface ("GDB: JIT Compilation Interface"): it stops at
 * __jit_debug_register_code and reads the descriptor, a list of object files. Where nobody debugs
 * the host's code, kernels have no lines and nothing of this is called.
 */
#include "device/device_priv.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { GDB_VERSION = 1, GDB_NOTHING = 0, GDB_REGISTER = 1, GDB_UNREGISTER = 2 };

/* The interface's own names and order. */
struct gdb_object {
    struct gdb_object *next, *previous;
    const uint8_t *object;
    uint64_t size;
};
struct gdb_descriptor {
    uint32_t version, action;
    struct gdb_object *relevant, *first;
};

#define SEEN_BY_GDB __attribute__((visibility("default"), used))
extern struct gdb_descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

/* Each copy of the library has one: no violation of the one-definition rule. */
SEEN_BY_GDB __attribute__((no_sanitize("address"))) struct gdb_descriptor __jit_debug_descriptor = {
    .version = GDB_VERSION};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A breakpoint of gdb's stands here. */
SEEN_BY_GDB __attribute__((noinline)) void
__jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

/* With the lock held. */
static void
act(struct gdb_object *on, uint32_t action)
{
    __jit_debug_descriptor.relevant = on;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
    __jit_debug_descriptor.action = GDB_NOTHING;
}

static void *
tell(uint8_t *object, size_t size)
{
    struct gdb_object *o = ls_alloc(sizeof *o);
    *o = (struct gdb_object){.object = object, .size = size};
    pthread_mutex_lock(&lock);
    o->next = __jit_debug_descriptor.first;
    if (o->next)
        o->next->previous = o;
    __jit_debug_descriptor.first = o;
    act(o, GDB_REGISTER);
    pthread_mutex_unlock(&lock);
    return o;
}

static void
forget(void *object)
{
    struct gdb_object *o = object;
    pthread_mutex_lock(&lock);
    *(o->previous ? &o->previous->next : &__jit_debug_descriptor.first) = o->next;
    if (o->next)
        o->next->previous = o->previous;
    act(o, GDB_UNREGISTER);
    pthread_mutex_unlock(&lock);
    ls_release((void *)o->object);
    ls_release(o);
}

/* Whether a debugger has started this process, or has come to it: 20 us. */
static bool
is_traced(void)
{
    struct ls_error unused;
    size_t size;
    char *text = ls_read_file("/proc/self/status", &size, &unused);
    const char *at = text ? strstr(text, "\nTracerPid:") : NULL;
    bool traced = at && strtol(at + 11, NULL, 10) != 0;
    ls_release(text);
    return traced;
}

const struct jit_debugger *
gdb_debugger(void)
{
    static const struct jit_debugger gdb = {tell, forget};
    const char *wish = getenv("LOCKSTEP_GDB");
    bool wanted = wish && *wish ? strcmp(wish, "0") != 0 : is_traced();
    return wanted ? &gdb : NULL;
}
