/* SPDX-License-Identifier: Apache-2.0
 *
 * registration.c: what the compiler's host code says about a program before main begins.
 */
#include "cudart/cudart.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wrapper { /* what clang emits */
    int magic, version;
    const void *image;
    void *unused;
};

struct variable {
    const void *host;
    const char *name;
    struct device_module *module;
    size_t size;
    struct variable *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_kernel *kernels;
static struct variable *variables;
static struct {
    const char *begin, *end;
} managed;

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
    return (void **)device_module_new(w->image, program_name());
}

void
__cudaRegisterFatBinaryEnd(void **handle)
{
    device_module_fill_bound((struct device_module *)handle);
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
    struct rt_kernel *k = ls_alloc(sizeof *k);
    k->function.module = (struct device_module *)handle;
    k->host = host;
    k->name = name;
    pthread_mutex_lock(&lock);
    k->next = kernels;
    kernels = k;
    pthread_mutex_unlock(&lock);
}

void
__cudaRegisterVar(void **handle, char *host, char *device_address, const char *name, int ext,
                  size_t size, int constant, int global)
{
    (void)device_address, (void)ext, (void)constant, (void)global;
    struct variable *v = ls_alloc(sizeof *v);
    *v = (struct variable){host, name, (struct device_module *)handle, size, NULL};
    if (host >= managed.begin && host < managed.end)
        device_module_bind(v->module, name, (uint64_t)(uintptr_t)host);
    pthread_mutex_lock(&lock);
    v->next = variables;
    variables = v;
    pthread_mutex_unlock(&lock);
}

void
__cudaRegisterTexture(void **handle, const struct textureReference *host, const void **address,
                      const char *name, int dim, int norm, int ext)
{
    (void)dim, (void)norm, (void)address;
    __cudaRegisterVar(handle, (char *)(uintptr_t)host, NULL, name, ext, 0, 0, 0);
}

void
__cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **address,
                      const char *name, int dim, int ext)
{
    (void)dim, (void)address;
    __cudaRegisterVar(handle, (char *)(uintptr_t)host, NULL, name, ext, 0, 0, 0);
}

void
__cudaRegisterLinkedBinary(void (*globals)(void **), void *wrapper, void *id, void (*callback)(void *))
{
    (void)id, (void)callback;
    void **handle = __cudaRegisterFatBinary(wrapper);
    globals(handle);
    __cudaRegisterFatBinaryEnd(handle);
}

void
__lockstepRegisterManaged(void *begin, void *end)
{
    managed.begin = begin;
    managed.end = end;
}

struct rt_kernel *
rt_kernel(const void *host, cudaError_t *e)
{
    pthread_mutex_lock(&lock);
    struct rt_kernel *k = kernels;
    while (k && k->host != host)
        k = k->next;
    pthread_mutex_unlock(&lock);
    if (!k) {
        *e = rt_fail(cudaErrorInvalidDeviceFunction, "%p is no kernel of this program", host);
        return NULL;
    }
    if (!k->function.func) {
        struct ls_error err = {0};
        const struct ptx_module *m = device_module_ptx(k->function.module, &err);
        const struct ptx_func *f = m ? ptx_find_func(m, k->name) : NULL;
        if (!f) {
            fprintf(stderr, "lockstep: %s\n", m ? "the module does not hold the kernel" : err.text);
            *e = rt_error(m ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidPtx);
            return NULL;
        }
        k->function.func = f;
    }
    return k;
}

uint64_t
rt_variable(struct device *d, const void *host, uint64_t *size)
{
    struct ls_error err = {0};
    pthread_mutex_lock(&lock);
    struct variable *v = variables;
    while (v && v->host != host)
        v = v->next;
    pthread_mutex_unlock(&lock);
    if (!v)
        return 0;
    uint64_t a = device_module_variable(d, v->module, v->name, size, &err);
    if (!a && err.text[0])
        fprintf(stderr, "lockstep: %s\n", err.text);
    return a;
}
