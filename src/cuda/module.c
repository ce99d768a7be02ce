/* SPDX-License-Identifier: Apache-2.0
 *
 * module.c: modules from PTX text, linking of several, JIT options; libraries and their kernels.
 *
 * The output of cuLinkComplete is a container with the linked PTX (device_image_new), which the
 * calls that load data take as they take text.
 */
#include "cuda/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MODULE_MAGIC = 0x4d4f4431, LIBRARY_MAGIC = 0x4c494231, KERNEL_MAGIC = 0x4b524e31 };

struct reference {
    const char *name; /* the PTX variable's */
    CUtexref texref;
    struct reference *next;
};

struct CUmod_st {
    uint32_t magic; /* while it lives */
    char *data;     /* what the image refers to */
    struct device_image *image;
    struct reference *references;
    struct CUmod_st *next;
};

struct CUkern_st {
    uint32_t magic;
    CUlibrary library;
    const char *name;
    struct CUkern_st *next;
};

struct CUlib_st {
    uint32_t magic;
    struct CUmod_st module;
    struct CUkern_st *kernels;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list and references */
static CUmodule modules;

/* -- JIT options --------------------------------------------------------------------------------------- */

struct jit_options {
    char *log[2]; /* info, error */
    size_t room[2];
    void **written[2]; /* where the length of what was written goes */
    void **wall_time;
};

static void
read_options(unsigned n, const CUjit_option *options, void **values, struct jit_options *out)
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
        case CU_JIT_WALL_TIME: out->wall_time = &values[k]; break;
        default: break; /* they steer a compiler for real hardware */
        }
}

static void
write_log(const struct jit_options *o, int which, const char *text)
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

static void
end_options(const struct jit_options *o, int result, const struct timespec *begin)
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

/* -- what the data is -------------------------------------------------------------------------------------- */

struct container { /* as device_image_new takes it */
    char magic[8];
    uint32_t version, flags;
    uint64_t size;
};

/* How many bytes of the caller's data are its own: it may free them after the call. */
static int
size_of(const void *data, size_t known, size_t *out)
{
    static const struct {
        char magic[5];
        const char *what;
    } binaries[] = {
        {"\x7f" "ELF", "a cubin (machine code of a GPU)"},
        {"\x50\xed\x55\xba", "a fat binary of another compiler"},
        {"\xb1\x43\x62\x46", "a fat binary of another compiler"},
        {"BC\xc0\xde", "LLVM bitcode"},
    };
    struct container head;
    if (!data)
        return cu_null("image");
    for (size_t k = 0; k < sizeof binaries / sizeof *binaries; k++)
        if ((!known || known >= 4) && !strncmp(data, binaries[k].magic, 4))
            return cu_fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                           "the image is %s: a virtual GPU takes PTX text", binaries[k].what);
    if (!known && !strncmp(data, "LOCKSTEP", 8)) {
        memcpy(&head, data, sizeof head);
        *out = sizeof head + head.size;
    } else {
        *out = known ? known : strlen(data);
    }
    return CUDA_SUCCESS;
}

static void
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

static int
module_init(CUmodule m, struct device *d, const void *data, size_t known, const char *path)
{
    struct ls_error err = {0};
    size_t size;
    int r = size_of(data, known, &size);
    if (r != CUDA_SUCCESS)
        return r;
    m->data = ls_alloc(size + 1);
    memcpy(m->data, data, size);
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
    struct jit_options o;
    struct device *d;
    int r = out ? cu_use(&d) : cu_null("module");
    if (r != CUDA_SUCCESS)
        return r;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    read_options(n, options, values, &o);
    CUmodule m = ls_alloc(sizeof *m);
    r = module_init(m, d, data, known, path);
    end_options(&o, r, &begin);
    if (r != CUDA_SUCCESS) {
        ls_release(m);
        return r;
    }
    pthread_mutex_lock(&lock);
    m->next = modules;
    modules = m;
    pthread_mutex_unlock(&lock);
    cu_own(CU_OWNED_MODULE, (uint64_t)m);
    *out = m;
    return CUDA_SUCCESS;
}

static int
load_file(CUmodule *out, const char *path)
{
    struct ls_error err = {0};
    size_t size;
    char *data = path ? ls_read_file(path, &size, &err) : NULL;
    if (!data)
        return cu_fail(path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE, "%s",
                       path ? err.text : "fname is NULL");
    int r = load(out, data, size, path, 0, NULL, NULL);
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

/* -- what is in a module ------------------------------------------------------------------------------------ */

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
    CU(find_function(function, module, name), "hmod=%p name=%s", (void *)module, name ? name : "NULL");
}

/* Calls f for each kernel; returns their number. */
static unsigned
each_kernel(struct device_image *image, void (*f)(const char *name, unsigned k, void *context),
            void *context)
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
        *count = each_kernel(module->image, NULL, NULL);
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
    struct listing l = {module, functions, n, functions ? need_module(module) : cu_null("functions")};
    if (l.result == CUDA_SUCCESS)
        each_kernel(module->image, list_function, &l);
    CU(l.result, "mod=%p", (void *)module);
}

static int
find_global(CUdeviceptr *at, size_t *bytes, CUmodule m, const char *name)
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
    CU(find_global(dptr, bytes, module, name), "hmod=%p name=%s", (void *)module, name ? name : "NULL");
}

static int
find_reference(CUtexref *out, CUmodule m, const char *name)
{
    CUdeviceptr variable;
    int r = out ? find_global(&variable, NULL, m, name) : cu_null("the place for the reference");
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
        *at = (struct reference){ptx_find_var(ptx, name)->name, cu_texref_new(variable), m->references};
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
        if (at->magic == MODULE_MAGIC && device_image_module(at->image, &m) == DEVICE_OK && m == wanted)
            found = at;
    pthread_mutex_unlock(&lock);
    return found;
}

/* -- linking ---------------------------------------------------------------------------------------------------- */

struct CUlinkState_st {
    struct jit_options options;
    struct timespec begin;
    VEC(struct ptx_module *) parts;
    struct text out;
};

CUresult
cuLinkCreate_v2(unsigned int n, CUjit_option *options, void **values, CUlinkState *state)
{
    struct device *d;
    int r = state ? cu_use(&d) : cu_null("stateOut");
    if (r == CUDA_SUCCESS) {
        CUlinkState s = *state = ls_alloc(sizeof *s);
        clock_gettime(CLOCK_MONOTONIC, &s->begin);
        read_options(n, options, values, &s->options);
    }
    CU(r, "numOptions=%u", n);
}

static int
add_part(CUlinkState s, CUjitInputType type, const void *data, size_t known, const char *name)
{
    struct ls_error err = {0};
    size_t size;
    const char *text = data;
    if (!s)
        return cu_null("state");
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_OBJECT && type != CU_JIT_INPUT_FATBINARY)
        return cu_fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                       "%s: input of type %d: a virtual GPU links PTX text", name, (int)type);
    int r = size_of(data, known, &size);
    if (r != CUDA_SUCCESS)
        return r;
    if (size >= sizeof(struct container) && !strncmp(text, "LOCKSTEP", 8)) {
        struct container head;
        memcpy(&head, text, sizeof head);
        text += sizeof head;
        size = head.size < size - sizeof head ? head.size : size - sizeof head;
    }
    struct ptx_module *m = ptx_parse(text, size, name, &err);
    if (!m)
        return cu_fail(CUDA_ERROR_INVALID_PTX, "%s", err.text);
    VEC_PUSH(&s->parts, m);
    return CUDA_SUCCESS;
}

static int
add_logged(CUlinkState s, CUjitInputType type, const void *data, size_t size, const char *name)
{
    int r = add_part(s, type, data, size, name ? name : "input");
    if (r != CUDA_SUCCESS && s)
        end_options(&s->options, r, &s->begin);
    return r;
}

CUresult
cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                 unsigned int n, CUjit_option *options, void **values)
{
    (void)options, (void)values;
    CU(add_logged(state, type, data, size, name), "type=%d size=%zu name=%s numOptions=%u", (int)type,
       size, name ? name : "NULL", n);
}

static int
add_file(CUlinkState s, CUjitInputType type, const char *path)
{
    struct ls_error err = {0};
    size_t size;
    char *data = path ? ls_read_file(path, &size, &err) : NULL;
    if (!data)
        return cu_fail(path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE, "%s",
                       path ? err.text : "path is NULL");
    int r = add_logged(s, type, data, size, path);
    ls_release(data);
    return r;
}

CUresult
cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int n,
                 CUjit_option *options, void **values)
{
    (void)options, (void)values;
    CU(add_file(state, type, path), "type=%d path=%s numOptions=%u", (int)type, path ? path : "NULL", n);
}

static int
complete(CUlinkState s, void **cubin, size_t *size)
{
    struct ls_error err = {0};
    struct container head = {.magic = "LOCKSTEP", .version = 1};
    struct text ptx = {0};
    if (!s || !cubin)
        return cu_null("state or cubinOut");
    struct ptx_module *m = ptx_link(s->parts.at, s->parts.count, "linked PTX", &err);
    int r = m ? (int)CUDA_SUCCESS : cu_fail(CUDA_ERROR_INVALID_PTX, "%s", err.text);
    if (m) {
        ptx_print(m, &ptx);
        ptx_free(m);
        text_free(&s->out);
        head.size = ptx.count;
        text_add_bytes(&s->out, (const char *)&head, sizeof head);
        text_add_bytes(&s->out, ptx.at, ptx.count + 1);
        text_free(&ptx);
        *cubin = s->out.at;
        if (size)
            *size = s->out.count;
    }
    end_options(&s->options, r, &s->begin);
    return r;
}

CUresult
cuLinkComplete(CUlinkState state, void **cubin, size_t *size)
{
    CU(complete(state, cubin, size), "state=%p", (void *)state);
}

CUresult
cuLinkDestroy(CUlinkState state)
{
    if (!state)
        CU(cu_null("state"), "%s", "");
    for (size_t k = 0; k < state->parts.count; k++)
        ptx_free(state->parts.at[k]);
    VEC_FREE(&state->parts);
    text_free(&state->out);
    ls_release(state);
    CU(CUDA_SUCCESS, "%s", "");
}

/* -- libraries: modules that belong to no context, and kernels that belong to no device ------------------------ */

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
    struct jit_options o;
    int r = out ? cu_need_init() : cu_null("library");
    struct device *d = r == CUDA_SUCCESS ? device_at(device_current()) : NULL;
    if (!d)
        return r != CUDA_SUCCESS ? r : (int)CUDA_ERROR_INVALID_DEVICE;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    read_options(n, options, values, &o);
    CUlibrary l = ls_alloc(sizeof *l);
    r = module_init(&l->module, d, data, known, path);
    end_options(&o, r, &begin);
    if (r != CUDA_SUCCESS) {
        ls_release(l);
        return r;
    }
    l->magic = LIBRARY_MAGIC;
    each_kernel(l->module.image, add_kernel, l);
    pthread_mutex_lock(&lock);
    l->module.next = modules;
    modules = &l->module;
    pthread_mutex_unlock(&lock);
    *out = l;
    return CUDA_SUCCESS;
}

CUresult
cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options, void **values,
                  unsigned int n, CUlibraryOption *library_options, void **library_values,
                  unsigned int library_n)
{
    (void)library_options, (void)library_values, (void)library_n;
    CU(load_library(library, code, 0, "PTX", n, options, values), "code=%p numJitOptions=%u", code, n);
}

static int
load_library_file(CUlibrary *out, const char *path, unsigned n, CUjit_option *options, void **values)
{
    struct ls_error err = {0};
    size_t size;
    char *data = path ? ls_read_file(path, &size, &err) : NULL;
    if (!data)
        return cu_fail(path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE, "%s",
                       path ? err.text : "fileName is NULL");
    int r = load_library(out, data, size, path, n, options, values);
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
        *count = each_kernel(library->module.image, NULL, NULL);
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
    CU(r == CUDA_SUCCESS ? find_global(dptr, bytes, &library->module, name) : r, "library=%p name=%s",
       (void *)library, name ? name : "NULL");
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
    CU(r == CUDA_SUCCESS ? find_global(dptr, bytes, &library->module, name) : r, "library=%p name=%s",
       (void *)library, name ? name : "NULL");
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
    int r = kernel_is(kernel) ? cu_device(dev, &d)
                              : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no kernel", (void *)kernel);
    return r == CUDA_SUCCESS ? (int)device_function_find(d, kernel->library->module.image, kernel->name, out)
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
