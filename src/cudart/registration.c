/* SPDX-License-Identifier: Apache-2.0
 *
 * registration.c: what the compiler's host code says about a program before main begins: its
 * images, and which host addresses stand for which kernels and variables.
 */
#define _GNU_SOURCE
#include "cudart/cudart.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BUCKETS = 1024, MOST_DEVICES = 64 };

struct wrapper { /* what clang emits */
    int magic, version;
    const void *image;
    void *unused;
};

struct entry {
    const void *host;
    const char *name;
    struct device_image *image; /* NULL: withdrawn */
    bool kernel;
    bool normalized; /* texture reference: integers are read as fractions */
    uint64_t size;   /* of a variable, as the host sees it */
    struct device_function *function[MOST_DEVICES];
    struct entry *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *table[BUCKETS];
static struct {
    const char *begin, *end;
} managed;

static unsigned
bucket_of(const void *host)
{
    return (unsigned)((uintptr_t)host >> 3) * 2654435761u >> 22;
}

static struct entry *
find(const void *host)
{
    pthread_mutex_lock(&lock);
    struct entry *e = table[bucket_of(host)];
    while (e && (e->host != host || !e->image))
        e = e->next;
    pthread_mutex_unlock(&lock);
    return e;
}

static struct entry *
add(void **handle, const void *host, const char *name, bool kernel, uint64_t size)
{
    if (!handle)
        return NULL;
    struct entry *e = ls_alloc(sizeof *e);
    e->host = host;
    e->name = name;
    e->image = (struct device_image *)handle;
    e->kernel = kernel;
    e->size = size;
    pthread_mutex_lock(&lock);
    e->next = table[bucket_of(host)];
    table[bucket_of(host)] = e;
    pthread_mutex_unlock(&lock);
    return e;
}

static const char *
program_name(void)
{
    static char name[256];
    if (!name[0]) {
        FILE *f = fopen("/proc/self/comm", "r");
        if (!f || !fgets(name, sizeof name, f))
            snprintf(name, sizeof name, "program");
        name[strcspn(name, "\n")] = 0;
        if (f)
            fclose(f);
    }
    return name;
}

void **
__cudaRegisterFatBinary(void *at)
{
    const struct wrapper *w = at;
    struct ls_error err = {0};
    struct device_image *i = device_image_new(w->image, 0, program_name(), &err);
    if (!i)
        ls_warn("%s", err.text);
    return (void **)i;
}

void
__cudaRegisterFatBinaryEnd(void **handle)
{
    if (handle)
        device_image_fill_placed((struct device_image *)handle);
}

char
__cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

void
__cudaUnregisterFatBinary(void **handle)
{
    (void)handle; /* at exit: other destructors may still launch kernels */
}

void
__cudaRegisterFunction(void **handle, const char *host, char *device_fun, const char *name,
                       int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
    (void)device_fun, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    add(handle, host, name, true, 0);
}

void
__cudaRegisterVar(void **handle, char *host, char *device_address, const char *name, int ext,
                  size_t size, int constant, int global)
{
    (void)device_address, (void)ext, (void)constant, (void)global;
    if (handle && host >= managed.begin && host < managed.end)
        device_image_place((struct device_image *)handle, name, host);
    add(handle, host, name, false, size);
}

void
__cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name, int ext,
                         size_t size, int constant, int global)
{
    (void)address, (void)ext, (void)constant, (void)global;
    add(handle, host, name, false, size);
}

void
__cudaRegisterTexture(void **handle, const struct textureReference *host, const void **address,
                      const char *name, int dim, int norm, int ext)
{
    (void)dim, (void)address, (void)ext;
    struct entry *e = add(handle, host, name, false, 8);
    if (e)
        e->normalized = norm;
}

void
__cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **address,
                      const char *name, int dim, int ext)
{
    (void)dim, (void)address, (void)ext;
    add(handle, host, name, false, 8);
}

void
__cudaRegisterLinkedBinary(void (*globals)(void **), void *wrapper, void *id,
                           void (*callback)(void *))
{
    static VEC(void **)
        linked; /* for the process's life; units without kernels are known by nothing else */
    (void)id, (void)callback;
    void **handle = __cudaRegisterFatBinary(wrapper);
    if (handle)
        VEC_PUSH(&linked, handle);
    globals(handle);
    __cudaRegisterFatBinaryEnd(handle);
}

void
__lockstepRegisterManaged(void *begin, void *end)
{
    managed.begin = begin;
    managed.end = end;
}

/* -- look-up ----------------------------------------------------------------------------------- */

int
rt_function(const void *host, struct device_function **out)
{
    struct device *d;
    int r = (int)device_use_early(&d); /* launches that were put off go on waiting */
    struct entry *e = find(host);
    *out = NULL;
    if (r != cudaSuccess)
        return r;
    if (!e || !e->kernel) {
        if (((uintptr_t)host & 7) == 0 && device_function_is(host)) {
            *out = (struct device_function *)(uintptr_t)host;
            return cudaSuccess;
        }
        return rt_fail(cudaErrorInvalidDeviceFunction, "%p is no kernel of this program", host);
    }
    int k = device_index(d);
    *out = __atomic_load_n(&e->function[k], __ATOMIC_ACQUIRE);
    if (*out)
        return cudaSuccess;
    r = (int)device_function_find(d, e->image, e->name, out);
    if (r == cudaSuccess)
        __atomic_store_n(&e->function[k], *out, __ATOMIC_RELEASE);
    return r == (int)DEVICE_NOT_FOUND ? cudaErrorInvalidDeviceFunction : r;
}

void *
rt_function_host(const struct device_function *f)
{
    void *host = NULL;
    int index = device_index(device_function_device(f));
    pthread_mutex_lock(&lock);
    for (unsigned k = 0; k < BUCKETS && !host; k++)
        for (struct entry *e = table[k]; e && !host; e = e->next)
            if (e->function[index] == f)
                host = (void *)(uintptr_t)e->host;
    pthread_mutex_unlock(&lock);
    return host ? host : (void *)(uintptr_t)f;
}

const char *
rt_shadowed(const void *host)
{
    const char *name = NULL;
    pthread_mutex_lock(&lock);
    for (unsigned k = 0; k < BUCKETS && !name; k++)
        for (const struct entry *e = table[k]; e && !name; e = e->next)
            if (!e->kernel && e->image && (uintptr_t)host - (uintptr_t)e->host < e->size)
                name = e->name;
    pthread_mutex_unlock(&lock);
    return name;
}

bool
rt_reference_normalized(const void *host)
{
    const struct entry *e = find(host);
    return e && e->normalized;
}

/* What stands at `host`, when it is a variable's name in quotes, which
 * CUDA took for it until 4.2. */
static const char *
name_in_quotes(const void *host)
{
    char text[256] = "";
    struct iovec to = {text, sizeof text - 1}, from = {(void *)(uintptr_t)host, sizeof text - 1};
    uintptr_t left =
        4096 - ((uintptr_t)host & 4095); /* of its page: what lies behind may not be there */
    if (left < from.iov_len)
        from.iov_len = left;
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) <= 0)
        return NULL;
    const char *name = NULL;
    pthread_mutex_lock(&lock);
    for (unsigned k = 0; k < BUCKETS && !name; k++)
        for (const struct entry *e = table[k]; e && !name; e = e->next)
            name = !e->kernel && e->image && !strcmp(e->name, text) ? e->name : NULL;
    pthread_mutex_unlock(&lock);
    return name;
}

static int
no_variable(const void *host)
{
    const char *name = name_in_quotes(host);
    if (!name)
        return rt_fail(cudaErrorInvalidSymbol, "%p is no variable of this program", host);
    static _Atomic bool said;
    if (!atomic_exchange(&said, true) && !device_silenced())
        ls_warn("cudaErrorInvalidSymbol: \"%s\" in quotes is no variable since CUDA 5.0: name the "
                "variable "
                "itself",
                name);
    return rt_fail(cudaErrorInvalidSymbol,
                   "\"%s\" in quotes: since CUDA 5.0 the variable itself is named", name);
}

int
rt_variable(const void *host, uint64_t *out_address, uint64_t *out_size)
{
    struct device *d;
    int r = (int)device_use(&d);
    struct entry *e = find(host);
    if (r != cudaSuccess)
        return r;
    if (!e || e->kernel)
        return no_variable(host);
    r = (int)device_variable_find(d, e->image, e->name, out_address, out_size);
    if (r == (int)DEVICE_NOT_FOUND) /* clang registers what no kernel uses, and leaves it out */
        return rt_fail(cudaErrorInvalidSymbol,
                       "the device code does not hold \"%s\": nothing uses it", e->name);
    return r;
}
