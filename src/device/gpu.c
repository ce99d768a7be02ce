/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu.c: the driver is opened; devices, contexts, limits; what errors become.
 */
#include "device/gpu_priv.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gpu *driver; /* opened by the first call, under the process's lock */

enum { OLDEST = 11040 }; /* CUDA version of the oldest driver that has every call */

struct gpu *
gpu_driver(void)
{
    return driver;
}

/* -- errors ------------------------------------------------------------------------------------ */

/* After these nothing works until the context is reset (runtime API, cudaError_t). */
static bool
spoils(CUresult r)
{
    switch ((int)r) {
    case DEVICE_ILLEGAL_ADDRESS:
    case DEVICE_LAUNCH_TIMEOUT:
    case DEVICE_ASSERT:
    case DEVICE_STACK:
    case DEVICE_ILLEGAL_INSTRUCTION:
    case DEVICE_MISALIGNED:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case DEVICE_INVALID_PC:
    case DEVICE_LAUNCH_FAILURE: return true;
    default: return false;
    }
}

enum device_result
gpu_checked(struct gpu *g, struct device *d, const char *call, CUresult r)
{
    const char *name = NULL, *text = NULL;
    int none = DEVICE_OK;
    if (r == CUDA_SUCCESS)
        return DEVICE_OK;
    g->cuGetErrorName(r, &name);
    g->cuGetErrorString(r, &text);
    if (d && spoils(r) && atomic_compare_exchange_strong(&d->lost, &none, (int)r) &&
        !device_silenced()) {
        fflush(stdout);
        ls_warn("GPU %d: %s", d->index, text ? text : "a kernel failed");
    }
    return device_fail((enum device_result)r, "GPU: %s: %s: %s", call, name ? name : "?",
                       text ? text : "?");
}

enum device_result
gpu_enter(const struct device *d)
{
    return GPU(NULL, cuCtxSetCurrent, d->gpu_context);
}

/* -- opening ----------------------------------------------------------------------------------- */

static bool
find_calls(struct gpu *g)
{
    const char *missing = NULL;
    void *found;
#define GPU_CALL(name)                                                                             \
    found = dlsym(g->library, #name);                                                              \
    memcpy(&g->name, &found, sizeof found);                                                        \
    if (!found && !missing)                                                                        \
        missing = #name;
#define GPU_CALL_NEW(name)                                                                         \
    found = dlsym(g->library, #name);                                                              \
    memcpy(&g->name, &found, sizeof found);
#include "device/gpu_calls.def"
#undef GPU_CALL
#undef GPU_CALL_NEW
    if (missing)
        device_fail(DEVICE_NO_DEVICE, "%s has no %s: a driver of CUDA %d.%d or newer is needed",
                    g->path, missing, OLDEST / 1000, OLDEST % 1000 / 10);
    return !missing;
}

static bool
begin(struct gpu *g, int *count)
{
    int r = (int)gpu_checked(g, NULL, "cuInit", g->cuInit(0));
    if (r == DEVICE_OK)
        r = (int)gpu_checked(g, NULL, "cuDriverGetVersion", g->cuDriverGetVersion(&g->version));
    if (r == DEVICE_OK)
        r = (int)gpu_checked(g, NULL, "cuDeviceGetCount", g->cuDeviceGetCount(count));
    if (r != DEVICE_OK || *count > 0)
        return r == DEVICE_OK;
    device_fail(DEVICE_NO_DEVICE, "%s knows no GPU", g->path);
    return false;
}

static bool
start(int *out_count)
{
    const char *path = getenv("LOCKSTEP_LIBCUDA"), *tool = getenv("LOCKSTEP_TOOL");
    struct gpu *g = ls_alloc(sizeof *g);
    snprintf(g->path, sizeof g->path, "%s", path && *path ? path : "libcuda.so.1");
    g->library = dlopen(g->path, RTLD_NOW | RTLD_LOCAL);
    if (!g->library)
        device_fail(DEVICE_NO_DEVICE, "LOCKSTEP_DEVICE=gpu: no driver of a GPU: %s", dlerror());
    if (!g->library || !find_calls(g) || !begin(g, out_count)) {
        ls_release(g);
        return false;
    }
    driver = g;
    if (tool && *tool)
        device_fail(DEVICE_NOT_SUPPORTED, "%s watches the virtual GPU alone", tool);
    else if (clock_is_model())
        device_fail(DEVICE_NOT_SUPPORTED, "LOCKSTEP_CLOCK=model: a real GPU has its own clock");
    else if (device_process()->schedule.kind != EXEC_USUAL)
        device_fail(DEVICE_NOT_SUPPORTED, "LOCKSTEP_SCHEDULE=%s: a real GPU has its own schedule",
                    getenv("LOCKSTEP_SCHEDULE"));
    else
        return true;
    return false;
}

/* -- devices ----------------------------------------------------------------------------------- */

/* Where the profile keeps what the driver knows better. */
static const struct {
    CUdevice_attribute attribute;
    size_t at;
} figures[] = {
#define FIGURE(attribute, field)                                                                   \
    {                                                                                              \
        CU_DEVICE_ATTRIBUTE_##attribute, offsetof(struct device_profile, field)                    \
    }
    FIGURE(MULTIPROCESSOR_COUNT, sm_count),
    FIGURE(CLOCK_RATE, clock_khz),
    FIGURE(MEMORY_CLOCK_RATE, memory_clock_khz),
    FIGURE(GLOBAL_MEMORY_BUS_WIDTH, memory_bus_bits),
    FIGURE(L2_CACHE_SIZE, l2_bytes),
    FIGURE(MAX_GRID_DIM_X, max_grid[0]),
    FIGURE(MAX_GRID_DIM_Y, max_grid[1]),
    FIGURE(MAX_GRID_DIM_Z, max_grid[2]),
    FIGURE(MAX_BLOCK_DIM_X, max_block[0]),
    FIGURE(MAX_BLOCK_DIM_Y, max_block[1]),
    FIGURE(MAX_BLOCK_DIM_Z, max_block[2]),
    FIGURE(MAX_THREADS_PER_BLOCK, max_threads_per_block),
    FIGURE(MAX_THREADS_PER_MULTIPROCESSOR, max_threads_per_sm),
    FIGURE(MAX_REGISTERS_PER_MULTIPROCESSOR, registers_per_sm),
    FIGURE(MAX_REGISTERS_PER_BLOCK, registers_per_block),
    FIGURE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, shared_per_sm),
    FIGURE(MAX_SHARED_MEMORY_PER_BLOCK, shared_per_block),
    FIGURE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_per_block_optin),
    FIGURE(ASYNC_ENGINE_COUNT, async_engines),
#undef FIGURE
};

/* The row of its capability, else of the newest known one below it. */
static const struct device_profile *
nearest_row(int major, int minor)
{
    const struct device_profile *best = NULL, *p;
    for (size_t k = 0; (p = model_device_at(k)); k++) {
        int cc = (int)(p->cc_major * 100 + p->cc_minor), most = major * 100 + minor;
        if (strncmp(p->key, "cc", 2) == 0 && cc <= most &&
            (!best || cc > (int)(best->cc_major * 100 + best->cc_minor)))
            best = p;
    }
    return best;
}

static const struct device_profile *
profile(int index)
{
    struct gpu *g = driver;
    char name[256] = "";
    int major = 0, minor = 0, value;
    CUdevice device;
    size_t bytes = 0;
    if (gpu_checked(g, NULL, "cuDeviceGet", g->cuDeviceGet(&device, index)) != DEVICE_OK)
        return NULL;
    g->cuDeviceGetName(name, sizeof name, device);
    g->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    g->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    const struct device_profile *row = model_find_device(name);
    if (!row)
        row = nearest_row(major, minor);
    if (!row) {
        device_fail(DEVICE_INVALID_DEVICE, "GPU %d (%s) is of unknown compute capability %d.%d",
                    index, name, major, minor);
        return NULL;
    }
    struct device_profile *p = memcpy(ls_alloc(sizeof *p), row, sizeof *p);
    char *own = ls_alloc(strlen(name) + 1);
    p->name = strcpy(own, name);
    p->cc_major = (uint32_t)major;
    p->cc_minor = (uint32_t)minor;
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
        if (g->cuDeviceGetAttribute(&value, figures[k].attribute, device) == CUDA_SUCCESS &&
            value > 0)
            *(uint32_t *)((char *)p + figures[k].at) = (uint32_t)value;
    if (g->cuDeviceTotalMem_v2(&bytes, device) == CUDA_SUCCESS)
        p->memory_bytes = bytes;
    return p;
}

static bool
make(struct device *d)
{
    CUdevice device;
    CUcontext context;
    if (GPU(NULL, cuDeviceGet, &device, d->index) != DEVICE_OK ||
        GPU(NULL, cuDevicePrimaryCtxRetain, &context, device) != DEVICE_OK)
        return false;
    d->gpu_number = device;
    d->gpu_context = context;
    return gpu_enter(d) == DEVICE_OK;
}

static enum device_result
attribute(const struct device *d, int number, int *out_value)
{
    enum device_result r =
        GPU(NULL, cuDeviceGetAttribute, out_value, (CUdevice_attribute)number, d->gpu_number);
    return r == DEVICE_INVALID_VALUE ? device_fail(r, "attribute %d is not known", number) : r;
}

static enum device_result
uuid(const struct device *d, uint8_t out[16])
{
    CUuuid u;
    enum device_result r = GPU(NULL, cuDeviceGetUuid_v2, &u, d->gpu_number);
    if (r == DEVICE_OK)
        memcpy(out, &u, 16);
    return r;
}

static enum device_result
synchronize(struct device *d)
{
    return GPU_IN(d, cuCtxSynchronize);
}

static enum device_result
reset(struct device *d)
{
    CUcontext context;
    enum device_result r = GPU(NULL, cuDevicePrimaryCtxReset_v2, d->gpu_number);
    if (r == DEVICE_OK)
        r = GPU(NULL, cuDevicePrimaryCtxRetain, &context, d->gpu_number);
    if (r == DEVICE_OK) {
        d->gpu_context = context;
        r = gpu_enter(d);
    }
    return r;
}

static enum device_result
limit_get(struct device *d, unsigned limit, size_t *out_value)
{
    return GPU_IN(d, cuCtxGetLimit, out_value, (CUlimit)limit);
}

static enum device_result
limit_set(struct device *d, unsigned limit, size_t value)
{
    return GPU_IN(d, cuCtxSetLimit, (CUlimit)limit, value);
}

static enum device_result
set_peer(struct device *d, struct device *peer, bool enabled)
{
    enum device_result r = gpu_enter(d);
    if (r != DEVICE_OK)
        return r;
    return enabled ? GPU(d, cuCtxEnablePeerAccess, peer->gpu_context, 0)
                   : GPU(d, cuCtxDisablePeerAccess, peer->gpu_context);
}

const struct backend_devices gpu_devices = {
    .start = start,
    .profile = profile,
    .make = make,
    .attribute = attribute,
    .uuid = uuid,
    .synchronize = synchronize,
    .reset = reset,
    .limit_get = limit_get,
    .limit_set = limit_set,
    .peer = set_peer,
};
