/* SPDX-License-Identifier: Apache-2.0
 *
 * library.c: libraries, which are modules that belong to no context, and their kernels.
 */
#include "cuda/module.h"

#include <stdio.h>
#include <string.h>

static int
need_library(CUlibrary l)
{
    return (uintptr_t)l >= 4096 && l->magic == LIBRARY_MAGIC
               ? (int)CUDA_SUCCESS
               : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no library", (void *)l);
}

static void
add_kernel(const char *name, unsigned index, void *context)
{
    CUlibrary l = context;
    CUkernel k = ls_alloc(sizeof *k);
    (void)index;
    *k = (struct CUkern_st){KERNEL_MAGIC, l, name, l->kernels};
    l->kernels = k;
}

static int
load_library(CUlibrary *out, const void *data, size_t known, const char *path, unsigned n,
             CUjit_option *options, void **values)
{
    struct timespec begin;
    struct load_options o;
    int r = out ? cu_need_init() : cu_null("library");
    struct device *d = r == CUDA_SUCCESS ? device_at(device_current()) : NULL;
    if (!d)
        return r != CUDA_SUCCESS ? r : (int)CUDA_ERROR_INVALID_DEVICE;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    module_options(n, options, values, &o);
    CUlibrary l = ls_alloc(sizeof *l);
    r = module_init(&l->module, d, data, known, path, &o);
    module_options_end(&o, r, &begin);
    if (r != CUDA_SUCCESS) {
        ls_release(l);
        return r;
    }
    l->magic = LIBRARY_MAGIC;
    module_each_kernel(l->module.image, add_kernel, l);
    module_list(&l->module);
    *out = l;
    return CUDA_SUCCESS;
}

CUresult
cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values,
                  unsigned int n, CUlibraryOption *library_options, void **library_values,
                  unsigned int library_n)
{
    (void)library_options, (void)library_values, (void)library_n;
    CU(load_library(library, code, 0, "PTX", n, options, values), "code=%p numJitOptions=%u", code,
       n);
}

static int
load_library_file(CUlibrary *out, const char *path, unsigned n, CUjit_option *options,
                  void **values)
{
    size_t size;
    char *data;
    int r = cu_read_file(path, "fileName", &data, &size);
    if (r == CUDA_SUCCESS)
        r = load_library(out, data, size, path, n, options, values);
    ls_release(data);
    return r;
}

CUresult
cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options, void **values,
                      unsigned int n, CUlibraryOption *library_options, void **library_values,
                      unsigned int library_n)
{
    (void)library_options, (void)library_values, (void)library_n;
    CU(load_library_file(library, path, n, options, values), "fileName=%s", path ? path : "NULL");
}

/* The library and its kernels keep their memory, so that handles are recognised later. */
CUresult
cuLibraryUnload(CUlibrary library)
{
    int r = need_library(library);
    if (r == CUDA_SUCCESS) {
        library->magic = 0;
        for (CUkernel k = library->kernels; k; k = k->next)
            k->magic = 0;
        module_fini(&library->module);
    }
    CU(r, "library=%p", (void *)library);
}

CUresult
cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    int r = kernel && name ? need_library(library) : cu_null("pKernel or name");
    if (r == CUDA_SUCCESS) {
        CUkernel k = library->kernels;
        while (k && strcmp(k->name, name) != 0)
            k = k->next;
        *kernel = k;
        r = k ? (int)CUDA_SUCCESS : cu_fail(CUDA_ERROR_NOT_FOUND, "no kernel \"%s\"", name);
    }
    CU(r, "library=%p name=%s", (void *)library, name ? name : "NULL");
}

CUresult
cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
    int r = count ? need_library(library) : cu_null("count");
    if (r == CUDA_SUCCESS)
        *count = module_each_kernel(library->module.image, NULL, NULL);
    CU(r, "library=%p", (void *)library);
}

CUresult
cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int n, CUlibrary library)
{
    int r = kernels ? need_library(library) : cu_null("kernels");
    unsigned at = 0;
    for (CUkernel k = r == CUDA_SUCCESS ? library->kernels : NULL; k && at < n; k = k->next)
        kernels[at++] = k;
    CU(r, "library=%p", (void *)library);
}

CUresult
cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    int r = module ? need_library(library) : cu_null("pMod");
    if (r == CUDA_SUCCESS)
        *module = &library->module;
    CU(r, "library=%p", (void *)library);
}

CUresult
cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    int r = need_library(library);
    CU(r == CUDA_SUCCESS ? module_global(dptr, bytes, &library->module, name) : r,
       "library=%p name=%s", (void *)library, name ? name : "NULL");
}

CUresult
cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    const struct ptx_module *m;
    int r = name ? need_library(library) : cu_null("name");
    if (r == CUDA_SUCCESS && device_image_module(library->module.image, &m) == DEVICE_OK) {
        const struct ptx_var *v = ptx_find_var(m, name);
        if (!v || !v->managed)
            r = cu_fail(CUDA_ERROR_NOT_FOUND, "no managed variable \"%s\"", name);
    }
    CU(r == CUDA_SUCCESS ? module_global(dptr, bytes, &library->module, name) : r,
       "library=%p name=%s", (void *)library, name ? name : "NULL");
}

static bool
kernel_is(CUkernel k)
{
    return (uintptr_t)k >= 4096 && (uintptr_t)k % sizeof(void *) == 0 && k->magic == KERNEL_MAGIC;
}

int
cu_function(CUfunction handle, struct device_function **out)
{
    struct device *d;
    CUkernel k = (CUkernel)handle;
    int r = cu_use(&d);
    *out = (struct device_function *)handle;
    if (r != CUDA_SUCCESS || device_function_is(*out))
        return r;
    if (!kernel_is(k))
        return cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no function", (void *)handle);
    return (int)device_function_find(d, k->library->module.image, k->name, out);
}

CUresult
cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    struct device_function *f;
    int r = function && kernel_is(kernel) ? cu_function((CUfunction)kernel, &f)
                                          : cu_fail(CUDA_ERROR_INVALID_HANDLE, "no kernel");
    if (r == CUDA_SUCCESS)
        *function = (CUfunction)f;
    CU(r, "kernel=%p", (void *)kernel);
}

CUresult
cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    int r = library && kernel_is(kernel) ? (int)CUDA_SUCCESS
                                         : cu_fail(CUDA_ERROR_INVALID_HANDLE, "no kernel");
    if (r == CUDA_SUCCESS)
        *library = kernel->library;
    CU(r, "kernel=%p", (void *)kernel);
}

CUresult
cuKernelGetName(const char **name, CUkernel kernel)
{
    int r = name && kernel_is(kernel) ? (int)CUDA_SUCCESS
                                      : cu_fail(CUDA_ERROR_INVALID_HANDLE, "no kernel");
    if (r == CUDA_SUCCESS)
        *name = kernel->name;
    CU(r, "kernel=%p", (void *)kernel);
}

/* A kernel's attributes are those of its function on the device of that number. */
static int
on_device(CUdevice dev, CUkernel kernel, struct device_function **out)
{
    struct device *d;
    int r = kernel_is(kernel)
                ? cu_device(dev, &d)
                : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no kernel", (void *)kernel);
    return r == CUDA_SUCCESS
               ? (int)device_function_find(d, kernel->library->module.image, kernel->name, out)
               : r;
}

CUresult
cuKernelGetAttribute(int *value, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
    struct device_function *f;
    int r = on_device(dev, kernel, &f);
    return r == CUDA_SUCCESS ? cuFuncGetAttribute(value, attrib, (CUfunction)f)
                             : cu_done(__func__, r, "kernel=%p dev=%d", (void *)kernel, dev);
}

CUresult
cuKernelSetAttribute(CUfunction_attribute attrib, int value, CUkernel kernel, CUdevice dev)
{
    struct device_function *f;
    int r = on_device(dev, kernel, &f);
    return r == CUDA_SUCCESS ? cuFuncSetAttribute((CUfunction)f, attrib, value)
                             : cu_done(__func__, r, "kernel=%p dev=%d", (void *)kernel, dev);
}

CUresult
cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    struct device_function *f;
    int r = on_device(dev, kernel, &f);
    return r == CUDA_SUCCESS ? cuFuncSetCacheConfig((CUfunction)f, config)
                             : cu_done(__func__, r, "kernel=%p dev=%d", (void *)kernel, dev);
}

CUresult
cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, size);
}
