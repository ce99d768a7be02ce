/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c: kernels: launching, attributes, occupancy.
 */
#include "cudart/cudart.h"

#include <string.h>

/* <<<grid, block, shared, stream>>> pushes, the stub pops; a launch inside an argument nests. */
enum { DEEPEST = 16, SETUP_BYTES = 32768 };

struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    dim3 cluster; /* all 0: not named */
    bool cooperative;
};
static _Thread_local struct configuration pushed[DEEPEST];
static _Thread_local unsigned depth;

unsigned int
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    if (depth == DEEPEST)
        return 1;
    pushed[depth++] =
        (struct configuration){.grid = grid, .block = block, .shared = shared, .stream = stream};
    return 0;
}

cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!depth)
        RT(rt_fail(cudaErrorMissingConfiguration, "no launch configuration was pushed"), "%s", "");
    struct configuration *c = &pushed[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    device_in_stub(true);
    return cudaSuccess;
}

/* -- launches ---------------------------------------------------------------------------------- */

static int
prepare(const void *func, const struct configuration *c, struct device_launch *l,
        struct device_stream **s)
{
    *l = (struct device_launch){.grid = {c->grid.x, c->grid.y, c->grid.z},
                                .block = {c->block.x, c->block.y, c->block.z},
                                .dynamic_shared = c->shared,
                                .cluster = {c->cluster.x, c->cluster.y, c->cluster.z},
                                .cooperative = c->cooperative,
                                .patient = true};
    int r = rt_stream_early(c->stream, s);
    if (r == cudaSuccess)
        r = rt_function(func, &l->function);
    if (r == cudaSuccess && device_stream_device(*s) != device_function_device(l->function))
        r = rt_fail(cudaErrorInvalidResourceHandle,
                    "the stream is of device %d, the current one is %d",
                    device_index(device_stream_device(*s)), device_current());
    return r;
}

static int
launch(const void *func, const struct configuration *c, void **args)
{
    struct device_launch l;
    struct device_stream *s;
    int r = prepare(func, c, &l, &s);
    return r == cudaSuccess ? (int)device_launch(s, &l, args) : r;
}

#define SHAPE "func=%p grid=(%u,%u,%u) block=(%u,%u,%u) shared=%zu stream=%p"

cudaError_t
cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                 cudaStream_t stream)
{
    struct configuration c = {.grid = grid, .block = block, .shared = shared, .stream = stream};
    RT(launch(func, &c, args), SHAPE, func, grid.x, grid.y, grid.z, block.x, block.y, block.z,
       shared, (void *)stream);
}

/* With a default stream per thread. */
cudaError_t
cudaLaunchKernel_ptsz(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                      cudaStream_t stream)
{
    return cudaLaunchKernel(func, grid, block, args, shared, stream ? stream : cudaStreamPerThread);
}

cudaError_t
__cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
    return cudaGetKernel(kernel, func);
}

cudaError_t
__cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                   cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t
cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                            cudaStream_t stream)
{
    struct configuration c = {
        .grid = grid, .block = block, .shared = shared, .stream = stream, .cooperative = true};
    RT(launch(func, &c, args), SHAPE, func, grid.x, grid.y, grid.z, block.x, block.y, block.z,
       shared, (void *)stream);
}

cudaError_t
cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list, unsigned int n,
                                       unsigned int flags)
{
    (void)list, (void)flags;
    RT(rt_refuse("kernels of several devices cannot wait for each other"), "n=%u", n);
}

/* Attributes that say nothing of what a kernel computes are hints. */
static int
read_config(const cudaLaunchConfig_t *c, struct configuration *out)
{
    if (!c || (c->numAttrs && !c->attrs))
        return rt_fail(cudaErrorInvalidValue, "config or its attributes are NULL");
    *out = (struct configuration){.grid = c->gridDim,
                                  .block = c->blockDim,
                                  .shared = c->dynamicSmemBytes,
                                  .stream = c->stream};
    for (unsigned k = 0; k < c->numAttrs; k++) {
        const cudaLaunchAttribute *a = &c->attrs[k];
        if (a->id == cudaLaunchAttributeCooperative)
            out->cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeClusterDimension)
            out->cluster = (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
    }
    return cudaSuccess;
}

static int
launch_config(const cudaLaunchConfig_t *c, const void *func, void **args)
{
    struct configuration f;
    int r = read_config(c, &f);
    return r == cudaSuccess ? launch(func, &f, args) : r;
}

cudaError_t
cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args)
{
    RT(launch_config(c, func, args), "config=%p func=%p", (const void *)c, func);
}

/* -- the oldest way: configure, set up arguments, launch --------------------------------------- */

static _Thread_local struct {
    struct configuration c;
    size_t size;
    _Alignas(16) uint8_t block[SETUP_BYTES];
} setup;

cudaError_t
cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    setup.c =
        (struct configuration){.grid = grid, .block = block, .shared = shared, .stream = stream};
    setup.size = 0;
    memset(setup.block, 0, sizeof setup.block);
    return cudaSuccess;
}

cudaError_t
cudaSetupArgument(const void *arg, size_t size, size_t offset)
{
    if (offset > SETUP_BYTES || size > SETUP_BYTES - offset)
        RT(rt_fail(cudaErrorInvalidValue, "%zu bytes at offset %zu", size, offset), "arg=%p", arg);
    memcpy(setup.block + offset, arg, size);
    setup.size = offset + size > setup.size ? offset + size : setup.size;
    return cudaSuccess;
}

static int
launch_setup(const void *func)
{
    struct device_launch l;
    struct device_stream *s;
    int r = prepare(func, &setup.c, &l, &s);
    return r == cudaSuccess ? (int)device_launch_block(s, &l, setup.block, setup.size) : r;
}

cudaError_t
cudaLaunch(const void *func)
{
    RT(launch_setup(func), "func=%p", func);
}

/* -- attributes -------------------------------------------------------------------------------- */

cudaError_t
cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    struct device_function *f;
    int r = rt_function(func, &f);
    if (r == cudaSuccess)
        r = (int)device_set_function_attribute(f, (int)attr, value);
    RT(r, "func=%p attr=%d value=%d", func, (int)attr, value);
}

cudaError_t
cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    struct device_function *f;
    int r = rt_function(func, &f);
    if (r == cudaSuccess)
        device_function_settings_of(f)->cache_config = config;
    RT(r, "func=%p config=%d", func, (int)config);
}

cudaError_t
cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    struct device_function *f;
    int r = rt_function(func, &f);
    if (r == cudaSuccess)
        device_function_settings_of(f)->shared_config = config;
    RT(r, "func=%p config=%d", func, (int)config);
}

static int
get_attributes(struct cudaFuncAttributes *a, const void *func)
{
    struct device_function *f;
    struct device_function_info i;
    if (!a)
        return rt_fail(cudaErrorInvalidValue, "attr is NULL");
    int r = rt_function(func, &f);
    if (r == cudaSuccess)
        r = (int)device_function_info(f, &i);
    if (r != cudaSuccess)
        return r;
    const struct device_profile *p = device_profile(i.device);
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = i.static_shared,
        .constSizeBytes = i.constant_bytes,
        .localSizeBytes = i.local_bytes,
        .maxThreadsPerBlock = (int)i.max_threads,
        .numRegs = (int)i.registers,
        .ptxVersion = (int)i.func->module->target,
        .binaryVersion = (int)(p->cc_major * 10 + p->cc_minor),
        .maxDynamicSharedSizeBytes = (int)i.max_dynamic_shared,
        .preferredShmemCarveout = device_function_settings_of(f)->carveout,
        .clusterDimMustBeSet = device_cluster_attribute(f, DEVICE_CLUSTER_MUST_BE_SET),
        .requiredClusterWidth = device_cluster_attribute(f, DEVICE_CLUSTER_WIDTH),
        .requiredClusterHeight = device_cluster_attribute(f, DEVICE_CLUSTER_HEIGHT),
        .requiredClusterDepth = device_cluster_attribute(f, DEVICE_CLUSTER_DEPTH),
        .clusterSchedulingPolicyPreference = device_cluster_attribute(f, DEVICE_CLUSTER_POLICY),
        .nonPortableClusterSizeAllowed = device_cluster_attribute(f, DEVICE_CLUSTER_NON_PORTABLE),
    };
    return cudaSuccess;
}

cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    RT(get_attributes(attr, func), "attr=%p func=%p", (void *)attr, func);
}

/* The body of a call that stores what is known of the kernel f. */
#define PROPERTY(out, kernel, value)                                                               \
    do {                                                                                           \
        struct device_function *f = NULL;                                                          \
        int r_ =                                                                                   \
            (out) ? rt_function(kernel, &f) : rt_fail(cudaErrorInvalidValue, #out " is NULL");     \
        if (r_ == cudaSuccess)                                                                     \
            *(out) = (value);                                                                      \
        RT(r_, #kernel "=%p", kernel);                                                             \
    } while (0)

cudaError_t
cudaFuncGetName(const char **name, const void *func)
{
    PROPERTY(name, func, device_function_ptx(f)->name);
}

cudaError_t
cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    PROPERTY(function, symbol, (cudaFunction_t)f);
}

cudaError_t
cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
    PROPERTY(kernel, func, (cudaKernel_t)f);
}

/* -- occupancy --------------------------------------------------------------------------------- */

static int
active_blocks(int *blocks, const void *func, int threads, size_t dynamic)
{
    struct device_function *f;
    struct occupancy o;
    if (!blocks || threads <= 0)
        return rt_fail(cudaErrorInvalidValue, "%s",
                       blocks ? "blockSize is not positive" : "numBlocks is NULL");
    int r = rt_function(func, &f);
    if (r == cudaSuccess)
        r = (int)device_occupancy(f, (uint32_t)threads, dynamic, &o);
    if (r == cudaSuccess)
        *blocks = (int)o.blocks_per_sm;
    return r;
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads,
                                              size_t dynamic)
{
    RT(active_blocks(blocks, func, threads, dynamic), "func=%p blockSize=%d shared=%zu", func,
       threads, dynamic);
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads,
                                                       size_t dynamic, unsigned int flags)
{
    RT(active_blocks(blocks, func, threads, dynamic), "func=%p blockSize=%d shared=%zu flags=0x%x",
       func, threads, dynamic, flags);
}

static int
available_shared(size_t *size, const void *func, int blocks, int threads)
{
    struct device_function *f;
    if (!size || blocks <= 0 || threads <= 0)
        return rt_fail(cudaErrorInvalidValue, "numBlocks %d, blockSize %d", blocks, threads);
    int r = rt_function(func, &f);
    return r == cudaSuccess
               ? (int)device_available_shared(f, (uint32_t)blocks, (uint32_t)threads, size)
               : r;
}

cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size, const void *func, int blocks, int threads)
{
    RT(available_shared(size, func, blocks, threads), "func=%p numBlocks=%d blockSize=%d", func,
       blocks, threads);
}

static int
of_clusters(int *out, const void *func, const cudaLaunchConfig_t *config,
            enum device_result (*ask)(const struct device_launch *, int *))
{
    struct configuration c;
    struct device_launch l;
    struct device_stream *s;
    int r = out ? read_config(config, &c) : rt_fail(cudaErrorInvalidValue, "the result is NULL");
    if (r == cudaSuccess)
        r = prepare(func, &c, &l, &s);
    return r == cudaSuccess ? (int)ask(&l, out) : r;
}

cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const cudaLaunchConfig_t *config)
{
    RT(of_clusters(size, func, config, device_potential_cluster), "func=%p", func);
}

cudaError_t
cudaOccupancyMaxActiveClusters(int *n, const void *func, const cudaLaunchConfig_t *config)
{
    RT(of_clusters(n, func, config, device_active_clusters), "func=%p", func);
}

cudaError_t
cudaSetDoubleForDevice(double *d)
{
    RT(cudaSuccess, "d=%p", (void *)d);
}

cudaError_t
cudaSetDoubleForHost(double *d)
{
    RT(cudaSuccess, "d=%p", (void *)d);
}
