/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c: kernels: launching, attributes, occupancy.
 */
#include "cudart/cudart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* <<<grid, block, shared, stream>>> pushes, the stub pops; nested in arguments at most. */
enum { DEEPEST = 16 };

struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
static _Thread_local struct configuration pushed[DEEPEST];
static _Thread_local unsigned depth;

unsigned int
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    if (depth == DEEPEST)
        return 1;
    pushed[depth++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!depth)
        return rt_error(cudaErrorMissingConfiguration);
    struct configuration *c = &pushed[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

static cudaError_t
error_of(enum device_status s, const struct exec_report *r, bool cooperative)
{
    switch (s) {
    case DEVICE_OK: return cudaSuccess;
    case DEVICE_INVALID_CONFIGURATION: return cudaErrorInvalidConfiguration;
    case DEVICE_OUT_OF_RESOURCES:
        return cooperative ? cudaErrorCooperativeLaunchTooLarge : cudaErrorLaunchOutOfResources;
    case DEVICE_INVALID_VALUE: return cudaErrorInvalidValue;
    case DEVICE_BAD_MODULE: return cudaErrorInvalidPtx;
    default: break;
    }
    switch (r->status) {
    case EXEC_ILLEGAL_ADDRESS: return cudaErrorIllegalAddress;
    case EXEC_MISALIGNED: return cudaErrorMisalignedAddress;
    case EXEC_TRAP: return cudaErrorLaunchFailure;
    case EXEC_ASSERT: return cudaErrorAssert;
    case EXEC_STACK: return cudaErrorLaunchFailure;
    case EXEC_INVALID_CALL: return cudaErrorInvalidPc;
    case EXEC_DEADLOCK: return cudaErrorLaunchTimeout;
    case EXEC_INVALID_BARRIER: return cudaErrorIllegalInstruction;
    default: return cudaErrorLaunchFailure;
    }
}

static void
tell(enum device_status s, const struct exec_report *r)
{
    const char *quiet = getenv("LOCKSTEP_QUIET");
    bool launch_error = s == DEVICE_FAILED || s == DEVICE_BAD_MODULE;
    const char *verbose = getenv("LOCKSTEP_VERBOSE");
    if ((quiet && *quiet) || (!launch_error && !(verbose && *verbose)))
        return;
    fflush(stdout);
    fprintf(stderr, "lockstep: %s\n", r->text);
}

static cudaError_t
launch(const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
       bool cooperative)
{
    cudaError_t e = cudaSuccess;
    struct device *d = rt_device(&e);
    if (!d)
        return e;
    if (!rt_stream_valid(stream))
        return rt_fail(cudaErrorInvalidResourceHandle, "the stream is not one");
    struct rt_kernel *k = rt_kernel(host, &e);
    if (!k)
        return e;
    struct device_launch l = {.function = &k->function,
                              .grid = {grid.x, grid.y, grid.z},
                              .block = {block.x, block.y, block.z},
                              .dynamic_shared = shared,
                              .args = args,
                              .cooperative = cooperative};
    static void *none[1];
    if (!l.args)
        l.args = none;
    struct exec_report r;
    enum device_status s = device_run(d, &l, &r);
    if (s == DEVICE_OK)
        return cudaSuccess;
    tell(s, &r);
    e = error_of(s, &r, cooperative);
    if (s == DEVICE_FAILED) {
        /* The launch itself was fine: the error shows at the next call that waits. */
        rt_set_sticky(e);
        return cudaSuccess;
    }
    return rt_error(e);
}

cudaError_t
cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                 cudaStream_t stream)
{
    return launch(func, grid, block, args, shared, stream, false);
}

cudaError_t
cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                            cudaStream_t stream)
{
    return launch(func, grid, block, args, shared, stream, true);
}

cudaError_t
cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args)
{
    bool cooperative = false;
    if (!c)
        return rt_fail(cudaErrorInvalidValue, "config is NULL");
    for (unsigned k = 0; k < c->numAttrs; k++)
        if (c->attrs[k].id == cudaLaunchAttributeCooperative)
            cooperative = c->attrs[k].val.cooperative != 0;
    return launch(func, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream, cooperative);
}

/* -- attributes ------------------------------------------------------------------------------------ */

cudaError_t
cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    cudaError_t e = cudaSuccess;
    struct device *d = rt_device(&e);
    struct rt_kernel *k = d ? rt_kernel(func, &e) : NULL;
    if (!k)
        return e;
    if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        uint32_t most = device_profile(d)->shared_per_block_optin;
        if (value < 0 || (uint32_t)value > most)
            return rt_fail(cudaErrorInvalidValue, "%d bytes of shared memory: the device has %u", value,
                           most);
        k->function.max_dynamic_shared = (uint32_t)value;
    }
    return cudaSuccess;
}

cudaError_t
cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
    cudaError_t e = cudaSuccess;
    struct rt_kernel *k = rt_kernel(func, &e);
    if (k)
        k->cache_config = (int)config;
    return e;
}

cudaError_t
cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    cudaError_t e = cudaSuccess;
    (void)config;
    rt_kernel(func, &e);
    return e;
}

static const struct jit_kernel *
compiled(const void *func, int threads, struct rt_kernel **kernel, struct device **d, cudaError_t *e)
{
    struct ls_error err = {0};
    *d = rt_device(e);
    *kernel = *d ? rt_kernel(func, e) : NULL;
    if (!*kernel)
        return NULL;
    uint32_t block[3] = {threads > 0 ? (uint32_t)threads : 32, 1, 1};
    const struct jit_kernel *k = device_kernel(&(*kernel)->function, block, &err);
    if (!k) {
        fprintf(stderr, "lockstep: %s\n", err.text);
        *e = rt_error(cudaErrorInvalidPtx);
    }
    return k;
}

static uint32_t
registers_of(const struct device *d, const struct jit_kernel *k)
{
    uint32_t most = device_profile(d)->max_registers_per_thread;
    return k->registers > most ? most : k->registers;
}

cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    cudaError_t e = cudaSuccess;
    struct rt_kernel *r;
    struct device *d;
    if (!attr)
        return rt_fail(cudaErrorInvalidValue, "attr is NULL");
    const struct jit_kernel *k = compiled(func, 32, &r, &d, &e);
    if (!k)
        return e;
    const struct device_profile *p = device_profile(d);
    const uint32_t *limit = r->function.func->maxntid;
    memset(attr, 0, sizeof *attr);
    attr->sharedSizeBytes = k->shared_bytes;
    attr->localSizeBytes = k->local_bytes;
    attr->numRegs = (int)registers_of(d, k);
    attr->maxThreadsPerBlock = (int)p->max_threads_per_block;
    if (limit[0])
        attr->maxThreadsPerBlock = (int)(limit[0] * (limit[1] ? limit[1] : 1) *
                                         (limit[2] ? limit[2] : 1));
    attr->ptxVersion = (int)r->function.func->module->target;
    attr->binaryVersion = (int)(p->cc_major * 10 + p->cc_minor);
    attr->maxDynamicSharedSizeBytes = (int)(r->function.max_dynamic_shared
                                                ? r->function.max_dynamic_shared
                                                : p->shared_per_block - k->shared_bytes);
    return cudaSuccess;
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads,
                                                       size_t dynamic, unsigned int flags)
{
    cudaError_t e = cudaSuccess;
    struct rt_kernel *r;
    struct device *d;
    (void)flags;
    if (!blocks || threads <= 0)
        return rt_fail(cudaErrorInvalidValue, "numBlocks is NULL or blockSize is not positive");
    const struct jit_kernel *k = compiled(func, threads <= 1024 ? threads : 32, &r, &d, &e);
    if (!k)
        return e;
    struct occupancy o;
    struct occupancy_query q = {.threads_per_block = (uint32_t)threads,
                                .registers_per_thread = registers_of(d, k),
                                .static_shared = k->shared_bytes,
                                .dynamic_shared = (uint32_t)dynamic};
    model_occupancy(device_profile(d), &q, &o);
    *blocks = (int)o.blocks_per_sm;
    return cudaSuccess;
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads,
                                              size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, dynamic, 0);
}
