/* SPDX-License-Identifier: Apache-2.0
 *
 * function.c: functions: attributes, launches, occupancy.
 */
#include "cuda/driver.h"

#include <pthread.h>
#include <string.h>

enum { SETUP_BYTES = 4096 };

/* -- attributes -------------------------------------------------------------------------------- */

static int
get_attribute(int *value, CUfunction_attribute attrib, CUfunction function)
{
    struct device_function *f;
    struct device_function_info i;
    int r = value ? cu_function(function, &f) : cu_null("pi");
    if (r == CUDA_SUCCESS)
        r = (int)device_function_info(f, &i);
    if (r != CUDA_SUCCESS)
        return r;
    const struct device_profile *p = device_profile(i.device);
    switch (attrib) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)i.max_threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)i.static_shared; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)i.constant_bytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)i.local_bytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)i.registers; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)i.func->module->target; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)(p->cc_major * 10 + p->cc_minor); break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int)i.max_dynamic_shared; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = device_function_settings_of(f)->carveout;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = device_cluster_attribute(f, (enum device_cluster_attribute)attrib);
        break;
    default: return cu_fail(CUDA_ERROR_INVALID_VALUE, "attribute %d is not known", (int)attrib);
    }
    return CUDA_SUCCESS;
}

CUresult
cuFuncGetAttribute(int *value, CUfunction_attribute attrib, CUfunction function)
{
    CU(get_attribute(value, attrib, function), "attrib=%d hfunc=%p", (int)attrib, (void *)function);
}

CUresult
cuFuncSetAttribute(CUfunction function, CUfunction_attribute attrib, int value)
{
    struct device_function *f;
    int r = cu_function(function, &f);
    if (r == CUDA_SUCCESS)
        r = (int)device_set_function_attribute(f, (int)attrib, value);
    CU(r, "hfunc=%p attrib=%d value=%d", (void *)function, (int)attrib, value);
}

/* The body of a call that sets one of the function's settings. */
#define SET(field, value)                                                                          \
    do {                                                                                           \
        struct device_function *f;                                                                 \
        int r_ = cu_function(function, &f);                                                        \
        if (r_ == CUDA_SUCCESS)                                                                    \
            device_function_settings_of(f)->field = (value);                                       \
        CU(r_, "hfunc=%p " #value "=%d", (void *)function, (int)(value));                          \
    } while (0)

CUresult
cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    SET(cache_config, config);
}

CUresult
cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    SET(shared_config, config);
}

CUresult
cuFuncGetModule(CUmodule *module, CUfunction function)
{
    struct device_function *f;
    int r = module ? cu_function(function, &f) : cu_null("hmod");
    if (r == CUDA_SUCCESS && !(*module = cu_module_of(f)))
        r = cu_fail(CUDA_ERROR_NOT_FOUND, "the kernel is the program's own, not a module's");
    CU(r, "hfunc=%p", (void *)function);
}

CUresult
cuFuncGetName(const char **name, CUfunction function)
{
    struct device_function *f;
    int r = name ? cu_function(function, &f) : cu_null("name");
    if (r == CUDA_SUCCESS)
        *name = device_function_ptx(f)->name;
    CU(r, "hfunc=%p", (void *)function);
}

CUresult
cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    struct device_function *f;
    int r = offset ? cu_function(function, &f) : cu_null("paramOffset");
    const struct ptx_func *p = r == CUDA_SUCCESS ? device_function_ptx(f) : NULL;
    if (p && index >= p->param_count)
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "parameter %zu of %u", index, p->param_count);
    if (r == CUDA_SUCCESS) {
        *offset = p->params[index]->param_offset;
        if (size)
            *size = p->params[index]->size;
    }
    CU(r, "hfunc=%p index=%zu", (void *)function, index);
}

CUresult
cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct device_function *f;
    int r = state ? cu_function(function, &f) : cu_null("state");
    if (r == CUDA_SUCCESS)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    CU(r, "hfunc=%p", (void *)function);
}

CUresult
cuFuncLoad(CUfunction function)
{
    struct device_function *f;
    CU(cu_function(function, &f), "hfunc=%p", (void *)function);
}

/* -- launches ---------------------------------------------------------------------------------- */

/* extra: pairs of a name and a value, CU_LAUNCH_PARAM_END last. */
static int
launch_extra(struct device_stream *s, struct device_launch *l, void **extra)
{
    const void *buffer = NULL;
    size_t size = 0;
    for (size_t k = 0; extra[k] != CU_LAUNCH_PARAM_END; k += 2)
        if (extra[k] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[k + 1];
        else if (extra[k] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(const size_t *)extra[k + 1];
        else
            return cu_fail(CUDA_ERROR_INVALID_VALUE, "extra[%zu] is %p", k, extra[k]);
    if (!buffer && device_function_ptx(l->function)->param_bytes)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "extra names no buffer of parameters");
    return (int)device_launch_block(s, l, buffer ? buffer : "", size);
}

/* Attributes that say nothing of what a kernel computes are hints. */
static int
prepare(const CUlaunchConfig *c, CUfunction function, struct device_launch *l,
        struct device_stream **s)
{
    if (!c || (c->numAttrs && !c->attrs))
        return cu_null("config or its attributes");
    *l = (struct device_launch){.grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamic_shared = c->sharedMemBytes};
    for (unsigned k = 0; k < c->numAttrs; k++) {
        const CUlaunchAttributeValue *v = &c->attrs[k].value;
        if (c->attrs[k].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            l->cooperative = v->cooperative != 0;
        if (c->attrs[k].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            memcpy(l->cluster, (uint32_t[]){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z},
                   sizeof l->cluster);
    }
    int r = cu_function(function, &l->function);
    if (r == CUDA_SUCCESS)
        r = cu_stream(c->hStream, s);
    if (r == CUDA_SUCCESS && device_stream_device(*s) != device_function_device(l->function))
        r = cu_fail(CUDA_ERROR_INVALID_HANDLE,
                    "the stream and the function are of different devices");
    return r;
}

static int
launch(const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
    struct device_stream *s;
    struct device_launch l;
    int r = prepare(c, function, &l, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (params && extra)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "both kernelParams and extra are given");
    return extra ? launch_extra(s, &l, extra) : (int)device_launch(s, &l, params);
}

#define SHAPE "f=%p grid=(%u,%u,%u) block=(%u,%u,%u) shared=%u stream=%p"

CUresult
cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
               unsigned int by, unsigned int bz, unsigned int shared, CUstream stream,
               void **params, void **extra)
{
    CUlaunchConfig c = {gx, gy, gz, bx, by, bz, shared, stream, NULL, 0};
    CU(launch(&c, f, params, extra), SHAPE, (void *)f, gx, gy, gz, bx, by, bz, shared,
       (void *)stream);
}

CUresult
cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
                          unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
                          CUstream stream, void **params)
{
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    CUlaunchConfig c = {gx, gy, gz, bx, by, bz, shared, stream, &a, 1};
    CU(launch(&c, f, params, NULL), SHAPE, (void *)f, gx, gy, gz, bx, by, bz, shared,
       (void *)stream);
}

CUresult
cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    CU(launch(config, f, params, extra), "config=%p f=%p", (const void *)config, (void *)f);
}

/* -- the oldest way: shape and parameters are set on the function, then it is launched --------- */

struct setup {
    struct device_function *function;
    uint32_t block[3], shared, size;
    uint8_t block_of_parameters[SETUP_BYTES];
    struct setup *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct setup *setups;

static int
setup_of(CUfunction function, struct setup **out)
{
    struct device_function *f;
    int r = cu_function(function, &f);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    struct setup *s = setups;
    while (s && s->function != f)
        s = s->next;
    if (!s) {
        s = ls_alloc(sizeof *s);
        s->function = f;
        s->block[0] = s->block[1] = s->block[2] = 1;
        s->next = setups;
        setups = s;
    }
    pthread_mutex_unlock(&lock);
    *out = s;
    return CUDA_SUCCESS;
}

CUresult
cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
    struct setup *s;
    int r = x > 0 && y > 0 && z > 0
                ? setup_of(function, &s)
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "block (%d,%d,%d)", x, y, z);
    if (r == CUDA_SUCCESS) {
        s->block[0] = (uint32_t)x;
        s->block[1] = (uint32_t)y;
        s->block[2] = (uint32_t)z;
    }
    CU(r, "hfunc=%p block=(%d,%d,%d)", (void *)function, x, y, z);
}

CUresult
cuFuncSetSharedSize(CUfunction function, unsigned int bytes)
{
    struct setup *s;
    int r = setup_of(function, &s);
    if (r == CUDA_SUCCESS)
        s->shared = bytes;
    CU(r, "hfunc=%p bytes=%u", (void *)function, bytes);
}

CUresult
cuParamSetSize(CUfunction function, unsigned int bytes)
{
    struct setup *s;
    int r = bytes <= SETUP_BYTES
                ? setup_of(function, &s)
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "%u bytes of parameters", bytes);
    if (r == CUDA_SUCCESS)
        s->size = bytes;
    CU(r, "hfunc=%p numbytes=%u", (void *)function, bytes);
}

static int
set_parameter(CUfunction function, int offset, const void *at, unsigned n)
{
    struct setup *s;
    if (offset < 0 || offset > SETUP_BYTES || n > SETUP_BYTES - (unsigned)offset || (n && !at))
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%u bytes at offset %d", n, offset);
    int r = setup_of(function, &s);
    if (r == CUDA_SUCCESS && n)
        memcpy(s->block_of_parameters + offset, at, n);
    return r;
}

CUresult
cuParamSeti(CUfunction function, int offset, unsigned int value)
{
    CU(set_parameter(function, offset, &value, sizeof value), "hfunc=%p offset=%d value=%u",
       (void *)function, offset, value);
}

CUresult
cuParamSetf(CUfunction function, int offset, float value)
{
    CU(set_parameter(function, offset, &value, sizeof value), "hfunc=%p offset=%d value=%g",
       (void *)function, offset, (double)value);
}

CUresult
cuParamSetv(CUfunction function, int offset, void *at, unsigned int n)
{
    CU(set_parameter(function, offset, at, n), "hfunc=%p offset=%d numbytes=%u", (void *)function,
       offset, n);
}

/* References are found by name in the module; the parameter tells nothing that is not known. */
CUresult
cuParamSetTexRef(CUfunction function, int unit, CUtexref ref)
{
    struct device_function *f;
    int r = unit == CU_PARAM_TR_DEFAULT
                ? cu_function(function, &f)
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "texture unit %d", unit);
    CU(r, "hfunc=%p texref=%p", (void *)function, (void *)ref);
}

static int
launch_setup(CUfunction function, int width, int height, CUstream stream)
{
    struct setup *s;
    struct device_stream *to;
    int r = width > 0 && height > 0
                ? setup_of(function, &s)
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "grid (%d,%d)", width, height);
    if (r == CUDA_SUCCESS)
        r = cu_stream(stream, &to);
    if (r != CUDA_SUCCESS)
        return r;
    struct device_launch l = {.function = s->function,
                              .grid = {(uint32_t)width, (uint32_t)height, 1},
                              .block = {s->block[0], s->block[1], s->block[2]},
                              .dynamic_shared = s->shared};
    return (int)device_launch_block(to, &l, s->block_of_parameters, s->size);
}

CUresult
cuLaunch(CUfunction f)
{
    CU(launch_setup(f, 1, 1, NULL), "f=%p", (void *)f);
}

CUresult
cuLaunchGrid(CUfunction f, int width, int height)
{
    CU(launch_setup(f, width, height, NULL), "f=%p grid=(%d,%d)", (void *)f, width, height);
}

CUresult
cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream)
{
    CU(launch_setup(f, width, height, stream), "f=%p grid=(%d,%d) stream=%p", (void *)f, width,
       height, (void *)stream);
}

/* -- occupancy --------------------------------------------------------------------------------- */

static int
active_blocks(int *blocks, CUfunction function, int threads, size_t dynamic)
{
    struct device_function *f;
    struct occupancy o;
    int r = blocks && threads > 0 ? cu_function(function, &f)
                                  : cu_fail(CUDA_ERROR_INVALID_VALUE, "blockSize %d", threads);
    if (r == CUDA_SUCCESS)
        r = (int)device_occupancy(f, (uint32_t)threads, dynamic, &o);
    if (r == CUDA_SUCCESS)
        *blocks = (int)o.blocks_per_sm;
    return r;
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t dynamic)
{
    CU(active_blocks(blocks, f, threads, dynamic), "func=%p blockSize=%d shared=%zu", (void *)f,
       threads, dynamic);
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int threads,
                                                     size_t dynamic, unsigned int flags)
{
    CU(active_blocks(blocks, f, threads, dynamic), "func=%p blockSize=%d shared=%zu flags=%u",
       (void *)f, threads, dynamic, flags);
}

/* The largest of the block sizes that keep most threads resident. */
static int
best_block(int *grid, int *block, CUfunction function, CUoccupancyB2DSize dynamic_of,
           size_t dynamic, int limit)
{
    struct device_function *f;
    struct device_function_info i;
    int r = grid && block ? cu_function(function, &f) : cu_null("minGridSize or blockSize");
    if (r == CUDA_SUCCESS)
        r = (int)device_function_info(f, &i);
    if (r != CUDA_SUCCESS)
        return r;
    const struct device_profile *p = device_profile(i.device);
    uint32_t most = i.max_threads, warp = p->warp_size, best = 0;
    if (limit > 0 && (uint32_t)limit < most)
        most = (uint32_t)limit;
    *block = *grid = 0;
    for (uint32_t aligned = (most + warp - 1) / warp * warp; aligned; aligned -= warp) {
        struct occupancy o;
        uint32_t size = aligned < most ? aligned : most;
        r = (int)device_occupancy(f, size, dynamic_of ? dynamic_of((int)size) : dynamic, &o);
        if (r != CUDA_SUCCESS)
            return r;
        if (o.blocks_per_sm * size > best) {
            best = o.blocks_per_sm * size;
            *block = (int)size;
            *grid = (int)(o.blocks_per_sm * p->sm_count);
        }
        if (best == p->max_threads_per_sm)
            break;
    }
    return CUDA_SUCCESS;
}

CUresult
cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, CUoccupancyB2DSize dynamic_of,
                                 size_t dynamic, int limit)
{
    CU(best_block(grid, block, f, dynamic_of, dynamic, limit), "func=%p limit=%d", (void *)f,
       limit);
}

CUresult
cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                          CUoccupancyB2DSize dynamic_of, size_t dynamic, int limit,
                                          unsigned int flags)
{
    CU(best_block(grid, block, f, dynamic_of, dynamic, limit), "func=%p limit=%d flags=%u",
       (void *)f, limit, flags);
}

static int
available_shared(size_t *out, CUfunction function, int blocks, int threads)
{
    struct device_function *f;
    if (!out || blocks <= 0 || threads <= 0)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%d blocks, blockSize %d", blocks, threads);
    int r = cu_function(function, &f);
    return r == CUDA_SUCCESS
               ? (int)device_available_shared(f, (uint32_t)blocks, (uint32_t)threads, out)
               : r;
}

CUresult
cuOccupancyAvailableDynamicSMemPerBlock(size_t *size, CUfunction f, int blocks, int threads)
{
    CU(available_shared(size, f, blocks, threads), "func=%p numBlocks=%d blockSize=%d", (void *)f,
       blocks, threads);
}

static int
of_clusters(int *out, CUfunction function, const CUlaunchConfig *config,
            enum device_result (*ask)(const struct device_launch *, int *))
{
    struct device_launch l;
    struct device_stream *s;
    int r = out ? prepare(config, function, &l, &s) : cu_null("the result");
    return r == CUDA_SUCCESS ? (int)ask(&l, out) : r;
}

CUresult
cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *config)
{
    CU(of_clusters(size, f, config, device_potential_cluster), "func=%p", (void *)f);
}

CUresult
cuOccupancyMaxActiveClusters(int *n, CUfunction f, const CUlaunchConfig *config)
{
    CU(of_clusters(n, f, config, device_active_clusters), "func=%p", (void *)f);
}
