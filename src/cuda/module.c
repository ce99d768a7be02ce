/* SPDX-License-Identifier: Apache-2.0
 *
 * module.c: modules from PTX text, JIT options, what is in a module. Linking: link.c; libraries:
 * library.c.
 */
#include "cuda/module.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list and references */
static CUmodule modules;

void
module_list(CUmodule m)
{
    pthread_mutex_lock(&lock);
    m->next = modules;
    modules = m;
    pthread_mutex_unlock(&lock);
}

/* -- JIT options ------------------------------------------------------------------------------- */

void
module_options(unsigned n, const CUjit_option *options, void **values, struct load_options *out)
{
    memset(out, 0, sizeof *out);
    for (unsigned k = 0; options && values && k < n; k++)
        switch (options[k]) {
        case CU_JIT_INFO_LOG_BUFFER: out->log[0] = values[k]; break;
        case CU_JIT_ERROR_LOG_BUFFER: out->log[1] = values[k]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
            out->room[0] = (size_t)(uintptr_t)values[k] & UINT32_MAX;
            out->written[0] = &values[k];
            break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
            out->room[1] = (size_t)(uintptr_t)values[k] & UINT32_MAX;
            out->written[1] = &values[k];
            break;
        case CU_JIT_MAX_REGISTERS: out->most_registers = (uint32_t)(uintptr_t)values[k]; break;
        case CU_JIT_WALL_TIME: out->wall_time = &values[k]; break;
        default: break; /* they steer a compiler for real hardware */
        }
}

static void
write_log(const struct load_options *o, int which, const char *text)
{
    size_t n = 0;
    if (o->log[which] && o->room[which]) {
        n = strlen(text);
        n = n < o->room[which] ? n : o->room[which] - 1;
        memcpy(o->log[which], text, n);
        o->log[which][n] = 0;
    }
    if (o->written[which])
        memcpy(o->written[which], &n, sizeof n);
}

void
module_options_end(const struct load_options *o, int result, const struct timespec *begin)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    float milliseconds = (float)((double)(end.tv_sec - begin->tv_sec) * 1e3 +
                                 (double)(end.tv_nsec - begin->tv_nsec) * 1e-6);
    write_log(o, 0, "");
    write_log(o, 1, result == CUDA_SUCCESS ? "" : device_reason());
    if (o->wall_time)
        memcpy(o->wall_time, &milliseconds, sizeof milliseconds);
}

/* -- what the data is -------------------------------------------------------------------------- */

/* How many bytes of the caller's data are its own: it may free them after the call. */
int
module_data_size(const void *data, size_t known, size_t *out)
{
    static const struct {
        char magic[5];
        const char *what;
    } binaries[] = {
        {"\x7f"
         "ELF",
         "a cubin or an object without code for it (machine code)"},
        {"\x50\xed\x55\xba", "a fat binary of another compiler"},
        {"\xb1\x43\x62\x46", "a fat binary of another compiler"},
        {"!<ar", "an archive without code for it"},
        {"BC\xc0\xde", "LLVM bitcode"},
    };
    struct ptx_container head;
    if (!data)
        return cu_null("image");
    for (size_t k = 0; k < sizeof binaries / sizeof *binaries; k++)
        if ((!known || known >= 4) && !strncmp(data, binaries[k].magic, 4))
            return cu_fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                           "the image is %s: a virtual GPU takes PTX text", binaries[k].what);
    if (!known && !strncmp(data, PTX_CONTAINER_MAGIC, 8)) {
        memcpy(&head, data, sizeof head);
        *out = sizeof head + head.size;
    } else {
        *out = known ? known : strlen(data);
    }
    return CUDA_SUCCESS;
}

void
module_fini(CUmodule m)
{
    m->magic = 0;
    for (struct reference *r = m->references, *next; r; r = next) {
        next = r->next;
        cu_texref_free(r->texref);
        ls_release(r);
    }
    m->references = NULL;
    device_image_free(m->image);
    ls_release(m->data);
    m->image = NULL;
    m->data = NULL;
}

/* The module's own bytes: the caller's, or with fewer registers for its kernels. */
static void *
own_data(const char *data, size_t *size, uint32_t most_registers)
{
    struct text out = {0};
    struct ptx_container head;
    size_t before = *size > sizeof head && !memcmp(data, PTX_CONTAINER_MAGIC, 8) ? sizeof head : 0;
    text_add_bytes(&out, data, most_registers ? before : *size);
    if (most_registers)
        ptx_limit_registers(data + before, *size - before, most_registers, &out);
    if (before && most_registers) {
        memcpy(&head, out.at, sizeof head);
        head.size += out.count - *size;
        memcpy(out.at, &head, sizeof head);
    }
    *size = out.count;
    return out.at;
}

int
module_init(CUmodule m, struct device *d, const void *data, size_t known, const char *path,
            const struct load_options *o)
{
    struct ls_error err = {0};
    size_t size;
    int r = module_data_size(data, known, &size);
    if (r != CUDA_SUCCESS)
        return r;
    m->data = own_data(data, &size, o->most_registers);
    m->image = device_image_new(m->data, size, path, &err);
    r = m->image ? (int)device_image_load(d, m->image)
                 : cu_fail(CUDA_ERROR_INVALID_IMAGE, "%s", err.text);
    m->magic = MODULE_MAGIC;
    if (r != CUDA_SUCCESS)
        module_fini(m);
    return r;
}

static int
load(CUmodule *out, const void *data, size_t known, const char *path, unsigned n,
     CUjit_option *options, void **values)
{
    struct timespec begin;
    struct load_options o;
    struct device *d;
    int r = out ? cu_use(&d) : cu_null("module");
    if (r != CUDA_SUCCESS)
        return r;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    module_options(n, options, values, &o);
    CUmodule m = ls_alloc(sizeof *m);
    r = module_init(m, d, data, known, path, &o);
    module_options_end(&o, r, &begin);
    if (r != CUDA_SUCCESS) {
        ls_release(m);
        return r;
    }
    module_list(m);
    cu_own(CU_OWNED_MODULE, (uint64_t)m);
    *out = m;
    return CUDA_SUCCESS;
}

int
cu_read_file(const char *path, const char *argument, char **out, size_t *size)
{
    struct ls_error err = {0};
    *out = path ? ls_read_file(path, size, &err) : NULL;
    if (!path)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s is NULL", argument);
    return *out ? (int)CUDA_SUCCESS : cu_fail(CUDA_ERROR_FILE_NOT_FOUND, "%s", err.text);
}

static int
load_file(CUmodule *out, const char *path)
{
    size_t size;
    char *data;
    int r = cu_read_file(path, "fname", &data, &size);
    if (r == CUDA_SUCCESS)
        r = load(out, data, size, path, 0, NULL, NULL);
    ls_release(data);
    return r;
}

CUresult
cuModuleLoad(CUmodule *module, const char *fname)
{
    CU(load_file(module, fname), "fname=%s", fname ? fname : "NULL");
}

CUresult
cuModuleLoadData(CUmodule *module, const void *image)
{
    CU(load(module, image, 0, "PTX", 0, NULL, NULL), "image=%p", image);
}

CUresult
cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n, CUjit_option *options,
                   void **values)
{
    CU(load(module, image, 0, "PTX", n, options, values), "image=%p numOptions=%u", image, n);
}

/* A fat binary holds code for GPUs; ours are containers of PTX, which load as data. */
CUresult
cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    CU(load(module, image, 0, "fat binary", 0, NULL, NULL), "fatCubin=%p", image);
}

static int
need_module(CUmodule m)
{
    return (uintptr_t)m >= 4096 && m->magic == MODULE_MAGIC
               ? (int)CUDA_SUCCESS
               : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no module", (void *)m);
}

/* Its memory stays, so that the handle is recognised later. */
void
cu_module_destroy(uint64_t handle)
{
    CUmodule m = (CUmodule)handle;
    if (m->magic == MODULE_MAGIC)
        module_fini(m);
}

CUresult
cuModuleUnload(CUmodule module)
{
    int r = need_module(module);
    if (r == CUDA_SUCCESS) {
        cu_disown(CU_OWNED_MODULE, (uint64_t)module);
        cu_module_destroy((uint64_t)module);
    }
    CU(r, "hmod=%p", (void *)module);
}

CUresult
cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (mode)
        *mode = CU_MODULE_EAGER_LOADING;
    CU(mode ? CUDA_SUCCESS : cu_null("mode"), "%s", "");
}

/* -- what is in a module ----------------------------------------------------------------------- */

static int
find_function(CUfunction *out, CUmodule m, const char *name)
{
    struct device *d;
    struct device_function *f = NULL;
    int r = out && name ? cu_use(&d) : cu_null("hfunc or name");
    if (r == CUDA_SUCCESS)
        r = need_module(m);
    if (r == CUDA_SUCCESS)
        r = (int)device_function_find(d, m->image, name, &f);
    if (r == CUDA_SUCCESS)
        *out = (CUfunction)f;
    return r;
}

CUresult
cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    CU(find_function(function, module, name), "hmod=%p name=%s", (void *)module,
       name ? name : "NULL");
}

/* Calls f for each kernel; returns their number. */
unsigned
module_each_kernel(struct device_image *image,
                   void (*f)(const char *name, unsigned k, void *context), void *context)
{
    const struct ptx_module *m;
    unsigned n = 0;
    if (device_image_module(image, &m) != DEVICE_OK)
        return 0;
    for (uint32_t k = 0; k < m->func_count; k++)
        if (m->funcs[k]->is_kernel && m->funcs[k]->has_body) {
            if (f)
                f(m->funcs[k]->name, n, context);
            n++;
        }
    return n;
}

CUresult
cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    int r = count ? need_module(module) : cu_null("count");
    if (r == CUDA_SUCCESS)
        *count = module_each_kernel(module->image, NULL, NULL);
    CU(r, "mod=%p", (void *)module);
}

struct listing {
    CUmodule module;
    CUfunction *out;
    unsigned room;
    int result;
};

static void
list_function(const char *name, unsigned k, void *context)
{
    struct listing *l = context;
    if (k < l->room && l->result == CUDA_SUCCESS)
        l->result = find_function(&l->out[k], l->module, name);
}

CUresult
cuModuleEnumerateFunctions(CUfunction *functions, unsigned int n, CUmodule module)
{
    struct listing l = {module, functions, n,
                        functions ? need_module(module) : cu_null("functions")};
    if (l.result == CUDA_SUCCESS)
        module_each_kernel(module->image, list_function, &l);
    CU(l.result, "mod=%p", (void *)module);
}

int
module_global(CUdeviceptr *at, size_t *bytes, CUmodule m, const char *name)
{
    struct device *d;
    uint64_t address = 0, size = 0;
    int r = name ? cu_use(&d) : cu_null("name");
    if (r == CUDA_SUCCESS)
        r = need_module(m);
    if (r == CUDA_SUCCESS)
        r = (int)device_variable_find(d, m->image, name, &address, &size);
    if (r == CUDA_SUCCESS && at)
        *at = address;
    if (r == CUDA_SUCCESS && bytes)
        *bytes = size;
    return r;
}

CUresult
cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule module, const char *name)
{
    CU(module_global(dptr, bytes, module, name), "hmod=%p name=%s", (void *)module,
       name ? name : "NULL");
}

static int
find_reference(CUtexref *out, CUmodule m, const char *name)
{
    CUdeviceptr variable;
    int r = out ? module_global(&variable, NULL, m, name) : cu_null("the place for the reference");
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    struct reference *at = m->references;
    while (at && strcmp(at->name, name) != 0)
        at = at->next;
    if (!at) {
        const struct ptx_module *ptx;
        at = ls_alloc(sizeof *at);
        device_image_module(m->image, &ptx);
        *at = (struct reference){ptx_find_var(ptx, name)->name, cu_texref_new(variable),
                                 m->references};
        m->references = at;
    }
    *out = at->texref;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult
cuModuleGetTexRef(CUtexref *ref, CUmodule module, const char *name)
{
    CU(find_reference(ref, module, name), "hmod=%p name=%s", (void *)module, name ? name : "NULL");
}

CUresult
cuModuleGetSurfRef(CUsurfref *ref, CUmodule module, const char *name)
{
    CU(find_reference((CUtexref *)ref, module, name), "hmod=%p name=%s", (void *)module,
       name ? name : "NULL");
}

CUmodule
cu_module_of(const struct device_function *f)
{
    const struct ptx_module *wanted = device_function_ptx(f)->module, *m;
    CUmodule found = NULL;
    pthread_mutex_lock(&lock);
    for (CUmodule at = modules; at && !found; at = at->next)
        if (at->magic == MODULE_MAGIC && device_image_module(at->image, &m) == DEVICE_OK &&
            m == wanted)
            found = at;
    pthread_mutex_unlock(&lock);
    return found;
}
