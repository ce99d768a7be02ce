/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_module.c: PTX for a real GPU, functions, launches.
 *
 * The driver compiles the program's own text; several linked texts are printed anew. A text for a
 * newer PTX version or a newer GPU than is there gets the driver's version and the GPU's capability
 * in its header: what clang writes seldom needs more, and where it does the driver says so.
 *
 * Managed variables lie in the program (device_image_place), where the GPU may not reach them: a
 * launch of a module that has some copies them there and back, and so waits.
 */
#define _GNU_SOURCE /* memmem */
#include "device/gpu_priv.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 4096 };

/* -- text -------------------------------------------------------------------------------------- */

/* PTX version of a driver (PTX ISA, release notes: 11.x has 7.x, 12.x has 8.x; 12.6 has 8.5, and so
 * one less from there on), times ten. */
static int
newest_ptx(int cuda)
{
    int major = cuda / 1000, minor = cuda % 1000 / 10;
    if (major == 11)
        return 70 + (minor < 9 ? minor : 8);
    if (major == 12)
        return minor <= 5 ? 80 + minor : 80 + minor - 1;
    return major < 11 ? 65 : 90 + minor;
}

/* Appends the text with the number behind `word` replaced when it is greater than most. */
static void
add_lowered(struct text *out, const char *line, size_t n, const char *word, int most, bool version)
{
    size_t at = strlen(word);
    int value = 0, digits = 0;
    while (at < n && (line[at] == ' ' || line[at] == '\t'))
        at++;
    size_t begin = at;
    if (!version && at + 3 < n && !strncmp(line + at, "sm_", 3))
        begin = at += 3;
    for (; at < n && (isdigit((unsigned char)line[at]) || (version && line[at] == '.')); at++)
        if (line[at] != '.') {
            value = value * 10 + line[at] - '0';
            digits++;
        }
    if (!digits || value <= most) {
        text_add_bytes(out, line, n);
        return;
    }
    if (!version && at < n && line[at] == 'a') /* sm_90a: of one generation alone */
        at++;
    text_add_bytes(out, line, begin);
    if (version)
        text_add(out, "%d.%d", most / 10, most % 10);
    else
        text_add(out, "%d", most);
    text_add_bytes(out, line + at, n - at);
}

/* Whether it has instructions of one generation alone, which the driver takes for "sm_90a" only;
 * programs are compiled for sm_90 unless they say so. */
static bool
needs_own_target(const char *at, const char *end)
{
    static const char *const words[] = {"wgmma.", "setmaxnreg.", "tensormap.replace."};
    for (size_t k = 0; at && k < sizeof words / sizeof *words; k++)
        if (memmem(at, (size_t)(end - at), words[k], strlen(words[k])))
            return true;
    return false;
}

static void
add_target(struct text *out, const char *line, size_t n, int most, bool own)
{
    static const char plain[] = ".target sm_90";
    size_t length = sizeof plain - 1;
    if (own && most == 90 && n > length && !strncmp(line, plain, length) &&
        !isalnum((unsigned char)line[length])) {
        text_add(out, "%sa", plain);
        text_add_bytes(out, line + length, n - length);
    } else {
        add_lowered(out, line, n, ".target", most, false);
    }
}

/* Without the pragmas that are ours: drivers refuse those that they do not know. */
static void
add_without_pragmas(struct text *out, const char *at, size_t n)
{
    static const char own[] = ".pragma \"lockstep ";
    for (const char *found; (found = memmem(at, n, own, sizeof own - 1));) {
        const char *newline = memchr(found, '\n', n - (size_t)(found - at));
        if (!newline)
            break;
        text_add_bytes(out, at, (size_t)(found - at));
        n -= (size_t)(newline - at); /* the line's end stays */
        at = newline;
    }
    text_add_bytes(out, at, n);
}

/* Adds the text, with a header that this driver and GPU take. */
static void
add_text(const struct device *d, const char *at, const char *end, struct text *out)
{
    int version = newest_ptx(gpu_driver()->version),
        target = (int)(d->profile->cc_major * 10 + d->profile->cc_minor);
    bool head = true;
    while (at < end && *at && head) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t n = newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
        if (!strncmp(at, ".version", 8)) {
            add_lowered(out, at, n, ".version", version, true);
        } else if (!strncmp(at, ".target", 7)) {
            add_target(out, at, n, target, needs_own_target(newline, end));
            head = false;
        } else {
            text_add_bytes(out, at, n);
        }
        at += n;
    }
    add_without_pragmas(out, at, strnlen(at, (size_t)(end - at)));
}

static void
add_unit(const struct device *d, const struct unit *u, struct text *out)
{
    struct text printed = {0};
    if (u->text) {
        add_text(d, u->text, u->text + u->text_bytes, out);
        return;
    }
    ptx_print(u->ptx, &printed);
    add_text(d, printed.at, printed.at + printed.count, out);
    text_free(&printed);
}

/* Declared and not held: a call that the driver cannot serve either. */
static bool
declares(const struct ptx_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->func_count; k++)
        if (!m->funcs[k]->has_body && !strcmp(m->funcs[k]->name, name))
            return true;
    return false;
}

/* A virtual function that no class has: clang's tables name it, the driver has none, and ptxas
 * takes no address of what is not there. The declaration becomes a definition. */
static void
define_pure_virtual(const struct ptx_module *m, struct text *text)
{
    static const char name[] = "__cxa_pure_virtual", declaration[] = ".extern .func";
    struct text out = {0};
    const char *at = declares(m, name) ? strstr(text->at, declaration) : NULL, *end;
    while (at && (end = strchr(at, ';')) != NULL) {
        const char *word = at + sizeof declaration - 1;
        word += strspn(word, " \t\n");
        if (!strncmp(word, name, sizeof name - 1) &&
            !isalnum((unsigned char)word[sizeof name - 1])) {
            text_add_bytes(&out, text->at, (size_t)(at - text->at));
            text_add(&out, ".visible .func %s()\n{\n\ttrap;\n}\n%s", name, end + 1);
            text_free(text);
            *text = out;
            return;
        }
        at = strstr(end, declaration);
    }
}

/* -- modules ----------------------------------------------------------------------------------- */

/* The program's text and our functions for it, linked by the driver. */
static enum device_result
load_linked(struct device *d, struct text *text, struct text *functions, unsigned n,
            CUjit_option *options, void **values, CUmodule *out)
{
    CUlinkState state;
    void *image;
    size_t size;
    enum device_result r = GPU(d, cuLinkCreate_v2, n, options, values, &state);
    if (r != DEVICE_OK)
        return r;
    r = GPU(d, cuLinkAddData_v2, state, CU_JIT_INPUT_PTX, text->at, text->count + 1, "program", 0,
            NULL, NULL);
    if (r == DEVICE_OK)
        r = GPU(d, cuLinkAddData_v2, state, CU_JIT_INPUT_PTX, functions->at, functions->count + 1,
                "mathematics", 0, NULL, NULL);
    if (r == DEVICE_OK)
        r = GPU(d, cuLinkComplete, state, &image, &size);
    if (r == DEVICE_OK)
        r = GPU(d, cuModuleLoadDataEx, out, image, 0, NULL, NULL);
    gpu_driver()->cuLinkDestroy(state);
    return r;
}

/* registers: the most that a thread may have; 0: as many as the driver's compiler likes. */
static enum device_result
load_module(struct device *d, struct unit *u, uint32_t registers, CUmodule *out)
{
    char log[LOG_BYTES] = "";
    struct text text = {0}, needed = {0}, functions = {0};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_MAX_REGISTERS};
    void *values[] = {log, (void *)(uintptr_t)sizeof log, (void *)(uintptr_t)registers};
    unsigned count = registers ? 3 : 2;
    enum device_result r = gpu_enter(d);
    if (r != DEVICE_OK)
        return r;
    if (declares(u->ptx, "__lockstep_configure"))
        return device_fail(DEVICE_NOT_SUPPORTED,
                           "%s: kernels that launch kernels (dynamic parallelism) on a real GPU",
                           u->name);
    add_unit(d, u, &text);
    define_pure_virtual(u->ptx, &text);
    gpu_references(u->ptx, &text);
    if (gpu_mathematics(u->ptx, &needed)) {
        add_text(d, needed.at, needed.at + needed.count, &functions);
        r = load_linked(d, &text, &functions, count, options, values, out);
    } else {
        r = GPU(d, cuModuleLoadDataEx, out, text.at, count, options, values);
    }
    text_free(&text);
    text_free(&needed);
    text_free(&functions);
    if (r != DEVICE_OK && log[0]) {
        char why[512];
        snprintf(why, sizeof why, "%s", device_reason());
        device_fail(r, "%s: %.300s\n%.600s", u->name, why, log);
    }
    return r;
}

static bool
has_place(const struct ptx_var *v)
{
    return v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
}

static uint64_t *
load(struct device *d, struct unit *u)
{
    CUmodule m = NULL;
    if (load_module(d, u, 0, &m) != DEVICE_OK)
        return NULL;
    u->gpu_module[d->index] = m;
    uint64_t *symbols = ls_alloc(sizeof *symbols * (u->ptx->var_count + 1));
    for (uint32_t k = 0; k < u->ptx->var_count; k++) {
        const struct ptx_var *v = u->ptx->vars[k];
        CUdeviceptr at = 0;
        size_t size = 0;
        if (!has_place(v) ||
            gpu_driver()->cuModuleGetGlobal_v2(&at, &size, m, v->name) != CUDA_SUCCESS || !size)
            continue; /* a variable of the module alone: nobody outside asks for it */
        symbols[k] = at;
        memory_adopt(d->memory, at, size, ALLOCATION_VARIABLE, NULL);
    }
    return symbols;
}

/* Of unit.gpu_narrow and device_function.gpu_registers. */
static pthread_mutex_t narrow_lock = PTHREAD_MUTEX_INITIALIZER;

static void
unload(struct device *d, struct unit *u)
{
    if (u->gpu_module[d->index] && gpu_enter(d) == DEVICE_OK)
        GPU(d, cuModuleUnload, (CUmodule)u->gpu_module[d->index]);
    u->gpu_module[d->index] = NULL;
    pthread_mutex_lock(&narrow_lock);
    for (size_t k = 0; k < u->gpu_narrow.count; k++) {
        struct gpu_narrow *n = &u->gpu_narrow.at[k];
        if (n->device == d->index && n->module && gpu_enter(d) == DEVICE_OK)
            GPU(d, cuModuleUnload, (CUmodule)n->module);
        n->module = n->device == d->index ? NULL : n->module;
    }
    pthread_mutex_unlock(&narrow_lock);
}

/* The unit's module for so many registers; NULL: there is none yet. */
static CUmodule
narrow_module(const struct device *d, const struct unit *u, uint32_t registers)
{
    for (size_t k = 0; k < u->gpu_narrow.count; k++)
        if (u->gpu_narrow.at[k].device == d->index && u->gpu_narrow.at[k].registers == registers &&
            u->gpu_narrow.at[k].module)
            return (CUmodule)u->gpu_narrow.at[k].module;
    return NULL;
}

/* -- functions --------------------------------------------------------------------------------- */

static enum device_result
function(struct device_function *f, CUfunction *out)
{
    struct device *d = f->device;
    if (!unit_symbols(d, f->unit))
        return DEVICE_INVALID_PTX;
    pthread_mutex_lock(&narrow_lock);
    CUmodule m = f->gpu_registers ? narrow_module(d, f->unit, f->gpu_registers) : NULL;
    pthread_mutex_unlock(&narrow_lock);
    m = m ? m : (CUmodule)f->unit->gpu_module[d->index];
    enum device_result r = GPU_IN(d, cuModuleGetFunction, out, m, f->func->name);
    if (r == DEVICE_OK && f->max_dynamic_shared)
        r = GPU(d, cuFuncSetAttribute, *out, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                (int)f->max_dynamic_shared);
    if (r == DEVICE_OK && f->settings.carveout >= 0)
        r = GPU(d, cuFuncSetAttribute, *out, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                f->settings.carveout);
    uint32_t wish = f->settings.cache_config ? f->settings.cache_config : d->settings.cache_config;
    if (r == DEVICE_OK &&
        wish != f->gpu_cache_config) { /* the driver keeps the last one it was told */
        r = GPU(d, cuFuncSetCacheConfig, *out, (CUfunc_cache)wish);
        f->gpu_cache_config = wish;
    }
    return r;
}

static enum device_result
info(struct device_function *f, struct device_function_info *out)
{
    CUfunction at;
    enum device_result r = function(f, &at);
    *out = (struct device_function_info){.func = f->func, .device = f->device};
    const struct {
        CUfunction_attribute attribute;
        uint32_t *to;
    } rows[] = {
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &out->registers},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &out->static_shared},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &out->local_bytes},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &out->constant_bytes},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &out->max_threads},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &out->max_dynamic_shared},
    };
    for (size_t k = 0; r == DEVICE_OK && k < sizeof rows / sizeof *rows; k++) {
        int value = 0;
        r = GPU(f->device, cuFuncGetAttribute, &value, rows[k].attribute, at);
        *rows[k].to = (uint32_t)value;
    }
    return r;
}

static enum device_result
set_max_dynamic_shared(struct device_function *f, int64_t bytes)
{
    CUfunction at;
    enum device_result r = function(f, &at);
    if (r == DEVICE_OK)
        r = GPU(f->device, cuFuncSetAttribute, at, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                (int)bytes);
    struct device_function_info has;
    enum device_result why = r == DEVICE_INVALID_VALUE && info(f, &has) == DEVICE_OK
                                 ? launch_check_dynamic(f, bytes, has.static_shared)
                                 : DEVICE_OK;
    if (r == DEVICE_OK)
        f->max_dynamic_shared = (uint32_t)bytes;
    return why == DEVICE_OK ? r : why;
}

static enum device_result
occupancy(struct device_function *f, uint32_t threads, uint64_t dynamic_shared,
          struct occupancy *out)
{
    const struct device_profile *p = f->device->profile;
    CUfunction at;
    int blocks = 0;
    enum device_result r = function(f, &at);
    if (r == DEVICE_OK)
        r = GPU(f->device, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, at, (int)threads,
                dynamic_shared);
    uint32_t warps = (threads + 31) / 32;
    *out = (struct occupancy){.blocks_per_sm = (uint32_t)blocks,
                              .warps_per_sm = (uint32_t)blocks * warps,
                              .warps_per_block = warps,
                              .limited_by = ""};
    if (p->max_threads_per_sm)
        out->occupancy = 32.0 * out->warps_per_sm / p->max_threads_per_sm;
    return r;
}

/* -- too many registers ------------------------------------------------------------------------ */

/* The driver's compiler knows no block sizes, and may give a thread more registers than a large
 * block leaves it. nvcc, which sees the source, mostly needs fewer. Such a kernel is taken from a
 * second module, compiled for so few, whose variables would be others: so it must have none. */

/* Or calls functions through pointers, which are the first module's. */
static bool
reaches_variables(const struct device_function *f)
{
    const struct ptx_module *m = f->unit->ptx;
    struct ptx_reached r = ptx_reach(m, f->func);
    bool any = r.anywhere;
    for (uint32_t k = 0; k < m->var_count; k++)
        any |= r.var[k] && has_place(m->vars[k]);
    ptx_reached_free(&r);
    return any;
}

static enum device_result
load_narrow(struct device *d, struct unit *u, uint32_t registers)
{
    CUmodule m = NULL;
    enum device_result r = DEVICE_OK;
    pthread_mutex_lock(&narrow_lock);
    if (!narrow_module(d, u, registers))
        r = load_module(d, u, registers, &m);
    if (r == DEVICE_OK && m)
        VEC_PUSH(&u->gpu_narrow, (struct gpu_narrow){d->index, registers, m});
    pthread_mutex_unlock(&narrow_lock);
    return r;
}

/* After a launch that the driver refused (r) for want of resources. OK: it may be tried again. */
static enum device_result
narrow(const struct device_launch *l, enum device_result r)
{
    struct device_function *f = l->function;
    uint32_t threads = l->block[0] * l->block[1] * l->block[2],
             most = bounded_registers(f->device->profile, threads);
    struct device_function_info has;
    if (info(f, &has) != DEVICE_OK || has.registers <= most)
        return r;
    if (reaches_variables(f) || l->cluster[0]) /* cluster attributes are the first module's */
        return refuse_kernel(f->func, r, DEVICE_TOO_MANY_REGISTERS, has.registers, threads, most,
                             threads);
    r = load_narrow(f->device, f->unit, most);
    f->gpu_registers = r == DEVICE_OK ? most : f->gpu_registers;
    f->gpu_cache_config = 0; /* of this module's function nobody has told the driver */
    return r;
}

/* -- launches ---------------------------------------------------------------------------------- */

/* Copies the module's managed variables to the GPU, or back. */
static enum device_result
exchange(struct device *d, struct unit *u, bool to_gpu)
{
    const uint64_t *symbols = unit_symbols(d, u);
    enum device_result r = DEVICE_OK;
    for (size_t k = 0; r == DEVICE_OK && k < u->placed.count; k++) {
        const struct ptx_var *v = ptx_find_var(u->ptx, u->placed.at[k].name);
        void *gpu = v ? (void *)symbols[v->index] : NULL, *host = u->placed.at[k].host;
        if (gpu)
            r = to_gpu ? gpu_access(d, gpu, host, v->size) : gpu_access(d, host, gpu, v->size);
    }
    return r;
}

/* The launch as the driver has it, with room for its attributes. */
static CUlaunchConfig
config_of(const struct device_launch *l, CUlaunchAttribute attributes[2])
{
    const uint32_t *g = l->grid, *b = l->block, *c = l->cluster;
    CUlaunchConfig k = {.gridDimX = g[0],
                        .gridDimY = g[1],
                        .gridDimZ = g[2],
                        .blockDimX = b[0],
                        .blockDimY = b[1],
                        .blockDimZ = b[2],
                        .sharedMemBytes = (uint32_t)l->dynamic_shared,
                        .attrs = attributes,
                        .numAttrs = 1};
    memset(attributes, 0, 2 * sizeof *attributes);
    attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[0].value.clusterDim.x = c[0];
    attributes[0].value.clusterDim.y = c[1];
    attributes[0].value.clusterDim.z = c[2];
    if (l->cooperative) {
        attributes[k.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[k.numAttrs++].value.cooperative = 1;
    }
    return k;
}

static enum device_result
launch_clusters(struct device_stream *s, const struct device_launch *l, CUfunction at,
                void **params)
{
    CUlaunchAttribute attributes[2];
    CUlaunchConfig c = config_of(l, attributes);
    c.hStream = gpu_stream(s);
    return GPU(s->device, cuLaunchKernelEx, &c, at, params, NULL);
}

/* How many clusters fit, or of how many blocks a cluster may be. */
static enum device_result
ask_clusters(const struct device_launch *l, bool size, int *out)
{
    CUlaunchAttribute attributes[2];
    CUlaunchConfig c = config_of(l, attributes);
    CUfunction at;
    enum device_result r = function(l->function, &at);
    if (r != DEVICE_OK)
        return r;
    return size ? GPU(l->function->device, cuOccupancyMaxPotentialClusterSize, out, at, &c)
                : GPU(l->function->device, cuOccupancyMaxActiveClusters, out, at, &c);
}

static enum device_result
active_clusters(const struct device_launch *l, int *out)
{
    return ask_clusters(l, false, out);
}

static enum device_result
potential_cluster(const struct device_launch *l, int *out)
{
    return ask_clusters(l, true, out);
}

static enum device_result
set_cluster_attribute(struct device_function *f, enum device_cluster_attribute a, int value)
{
    CUfunction at;
    enum device_result r = function(f, &at);
    if (r == DEVICE_OK)
        r = GPU(f->device, cuFuncSetAttribute, at, (CUfunction_attribute)a, value);
    return r == DEVICE_OK ? clusters_set_attribute(f, a, value) : r;
}

static enum device_result
launch_once(struct device_stream *s, const struct device_launch *l, void **params)
{
    struct device *d = s->device;
    CUfunction at;
    enum device_result r = function(l->function, &at);
    const uint32_t *g = l->grid, *b = l->block;
    uint32_t shared = (uint32_t)l->dynamic_shared;
    if (r != DEVICE_OK)
        return r;
    if (l->cluster[0])
        return launch_clusters(s, l, at, params);
    return l->cooperative ? GPU(d, cuLaunchCooperativeKernel, at, g[0], g[1], g[2], b[0], b[1],
                                b[2], shared, gpu_stream(s), params)
                          : GPU(d, cuLaunchKernel, at, g[0], g[1], g[2], b[0], b[1], b[2], shared,
                                gpu_stream(s), params, NULL);
}

/* The driver says no more than that the launch is refused (r): why, in the virtual GPU's words. */
static enum device_result
explain(const struct device_launch *l, enum device_result r)
{
    struct device_function *f = l->function;
    struct device_function_info has;
    struct occupancy o;
    enum device_result why = DEVICE_OK;
    if (r == DEVICE_INVALID_VALUE && info(f, &has) == DEVICE_OK)
        why = launch_check_shared(l, has.static_shared);
    if (r == DEVICE_COOPERATIVE_TOO_LARGE &&
        occupancy(f, l->block[0] * l->block[1] * l->block[2], l->dynamic_shared, &o) == DEVICE_OK)
        why = launch_check_cooperative(l, (uint64_t)o.blocks_per_sm * f->device->profile->sm_count);
    return why == DEVICE_OK ? r : why;
}

static enum device_result
launch_now(struct device_stream *s, const struct device_launch *l)
{
    struct device *d = s->device;
    const struct ptx_func *func = l->function->func;
    void *params[func->param_count + 1];
    for (uint32_t k = 0; k < func->param_count; k++)
        params[k] = l->params + func->params[k]->param_offset;
    struct unit *u = l->function->unit;
    if (!unit_symbols(d, u))
        return DEVICE_INVALID_PTX;
    bool managed = u->placed.count > 0;
    enum device_result r = managed ? exchange(d, u, true) : DEVICE_OK;
    r = r == DEVICE_OK ? launch_once(s, l, params) : r;
    if (r == DEVICE_OUT_OF_RESOURCES && (r = narrow(l, r)) == DEVICE_OK)
        r = launch_once(s, l, params);
    r = explain(l, r);
    if (r == DEVICE_OK && managed)
        r = GPU(d, cuStreamSynchronize, gpu_stream(s));
    return r == DEVICE_OK && managed ? exchange(d, u, false) : r;
}

/* Two events around the launch. */
static enum device_result
launch_timed(struct device_stream *s, const struct device_launch *l)
{
    struct device_event from = {.device = s->device}, to = {.device = s->device};
    float milliseconds = 0;
    enum device_result r = gpu_streams.event_new(&from), made = gpu_streams.event_new(&to);
    r = r == DEVICE_OK ? made : r;
    r = r == DEVICE_OK ? gpu_streams.event_record(s, &from) : r;
    r = r == DEVICE_OK ? launch_now(s, l) : r;
    r = r == DEVICE_OK ? gpu_streams.event_record(s, &to) : r;
    r = r == DEVICE_OK ? gpu_streams.event_synchronize(&to) : r;
    r = r == DEVICE_OK ? gpu_streams.event_elapsed(&from, &to, &milliseconds) : r;
    if (r == DEVICE_OK)
        times_launched(l, (double)milliseconds);
    gpu_streams.event_free(&from);
    gpu_streams.event_free(&to);
    return r;
}

static enum device_result
launch(struct device_stream *s, const struct device_launch *l, const struct jit_kernel *k)
{
    return times_wanted() ? launch_timed(s, l) : launch_now(s, l);
}

/* The rest is the driver's to say. */
static enum device_result
check(const struct device_launch *l, const struct jit_kernel **out_kernel)
{
    *out_kernel = NULL;
    return DEVICE_OK;
}

const struct backend_code gpu_code = {
    .load = load,
    .unload = unload,
    .info = info,
    .set_max_dynamic_shared = set_max_dynamic_shared,
    .occupancy = occupancy,
    .set_cluster_attribute = set_cluster_attribute,
    .active_clusters = active_clusters,
    .potential_cluster = potential_cluster,
    .check = check,
    .launch = launch,
};
