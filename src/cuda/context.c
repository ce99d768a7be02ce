/* SPDX-License-Identifier: Apache-2.0
 *
 * context.c: contexts, limits, peers.
 *
 * A context is a view of its device. The calling thread has a stack of them; the runtime's current
 * device is kept in step, so that a program may mix both APIs: cuCtxSetCurrent is a cudaSetDevice,
 * and after a cudaSetDevice to another device that device's primary context is current.
 */
#include "cuda/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEVICES = 64, DEEPEST = 64, CONTEXT_MAGIC = 0x43545831 };

struct owned {
    enum cu_owned kind;
    uint64_t handle;
};

struct CUctx_st {
    uint32_t magic; /* while it lives */
    struct device *device;
    bool primary;
    uint32_t flags, users; /* users: cuDevicePrimaryCtxRetain, cuCtxAttach */
    uint64_t id;
    VEC(struct owned) owned;
    struct CUctx_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards contexts and what they own */
static CUcontext contexts, primary[MOST_DEVICES];
static uint64_t context_ids;
static _Thread_local struct {
    CUcontext at[DEEPEST];
    unsigned depth;
} stack;

/* -- contexts ---------------------------------------------------------------------------------- */

bool
cu_context_is(CUcontext ctx)
{
    return (uintptr_t)ctx >= 4096 && (uintptr_t)ctx % sizeof(void *) == 0 &&
           ctx->magic == CONTEXT_MAGIC;
}

static int
need_context(CUcontext ctx)
{
    return cu_context_is(ctx) ? (int)CUDA_SUCCESS
                              : cu_fail(CUDA_ERROR_INVALID_CONTEXT,
                                        "%p is no context, or was destroyed", (void *)ctx);
}

/* Dead contexts keep their memory: their handles are recognised. */
static CUcontext
context_new(struct device *d, bool is_primary, unsigned flags)
{
    CUcontext c = ls_alloc(sizeof *c);
    c->magic = CONTEXT_MAGIC;
    c->device = d;
    c->primary = is_primary;
    c->flags = flags;
    c->users = is_primary ? 0 : 1;
    c->id = ++context_ids;
    c->next = contexts;
    contexts = c;
    return c;
}

CUcontext
cu_primary(struct device *d)
{
    pthread_mutex_lock(&lock);
    CUcontext *at = &primary[device_index(d)];
    if (!*at)
        *at = context_new(d, true, 0);
    CUcontext c = *at;
    pthread_mutex_unlock(&lock);
    return c;
}

CUcontext
cu_current(void)
{
    CUcontext top = stack.depth ? stack.at[stack.depth - 1] : NULL;
    if (top && cu_context_is(top) && device_index(top->device) == device_current())
        return top;
    if (top ? !cu_context_is(top) : !device_in_use())
        return NULL;
    struct device *d = device_at(device_current());
    return d ? cu_primary(d) : NULL;
}

int
cu_use(struct device **out)
{
    int r = cu_need_init();
    if (r != CUDA_SUCCESS)
        return r;
    CUcontext c = cu_current();
    if (!c)
        return stack.depth
                   ? cu_fail(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the current context was destroyed")
                   : cu_fail(CUDA_ERROR_INVALID_CONTEXT, "the thread has no current context");
    *out = c->device;
    return (int)device_lost(c->device);
}

static void
follow(CUcontext c)
{
    if (c)
        device_set_current(device_index(c->device));
}

static int
push(CUcontext c)
{
    if (stack.depth == DEEPEST)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%d contexts are pushed already", DEEPEST);
    stack.at[stack.depth++] = c;
    follow(c);
    return CUDA_SUCCESS;
}

static int
create(CUcontext *out, unsigned flags, CUdevice dev)
{
    struct device *d;
    int r = out ? cu_device(dev, &d) : cu_null("pctx");
    if (r == CUDA_SUCCESS && (flags & ~0xffu))
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&lock);
    CUcontext c = context_new(d, false, flags);
    pthread_mutex_unlock(&lock);
    *out = c;
    return push(c);
}

CUresult
cuCtxCreate_v2(CUcontext *ctx, unsigned int flags, CUdevice dev)
{
    CU(create(ctx, flags, dev), "flags=0x%x dev=%d", flags, dev);
}

CUresult
cuCtxCreate_v3(CUcontext *ctx, CUexecAffinityParam *params, int n, unsigned int flags, CUdevice dev)
{
    CU(params && n ? cu_refuse("execution affinity") : create(ctx, flags, dev),
       "numParams=%d flags=0x%x dev=%d", n, flags, dev);
}

CUresult
cuCtxCreate_v4(CUcontext *ctx, CUctxCreateParams *params, unsigned int flags, CUdevice dev)
{
    bool special = params && ((params->execAffinityParams && params->numExecAffinityParams) ||
                              params->cigParams);
    CU(special ? cu_refuse("execution affinity, graphics") : create(ctx, flags, dev),
       "flags=0x%x dev=%d", flags, dev);
}

/* -- what contexts own ------------------------------------------------------------------------- */

void
cu_own(enum cu_owned kind, uint64_t handle)
{
    CUcontext c = cu_current();
    if (!c || c->primary) /* a primary context's things end with the device's reset */
        return;
    pthread_mutex_lock(&lock);
    VEC_PUSH(&c->owned, ((struct owned){kind, handle}));
    pthread_mutex_unlock(&lock);
}

void
cu_disown(enum cu_owned kind, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    for (CUcontext c = contexts; c; c = c->next)
        for (size_t k = c->owned.count; k-- > 0;)
            if (c->owned.at[k].handle == handle && c->owned.at[k].kind == kind) {
                c->owned.at[k] = c->owned.at[--c->owned.count];
                pthread_mutex_unlock(&lock);
                return;
            }
    pthread_mutex_unlock(&lock);
}

static void
end_owned(const struct owned *o)
{
    switch (o->kind) {
    case CU_OWNED_MODULE: cu_module_destroy(o->handle); break;
    case CU_OWNED_MEMORY: device_free(o->handle); break;
    case CU_OWNED_STREAM: device_stream_free((struct device_stream *)o->handle); break;
    case CU_OWNED_EVENT: device_event_free((struct device_event *)o->handle); break;
    case CU_OWNED_ARRAY: device_array_free((struct device_array *)o->handle); break;
    }
}

static int
destroy(CUcontext c)
{
    int r = need_context(c);
    if (r == CUDA_SUCCESS && c->primary)
        r = cu_fail(CUDA_ERROR_INVALID_CONTEXT, "a primary context is released, not destroyed");
    if (r != CUDA_SUCCESS)
        return r;
    fflush(stdout);
    device_recover(c->device); /* a kernel's error ends with its context */
    pthread_mutex_lock(&lock);
    struct owned *owned = c->owned.at;
    size_t n = c->owned.count;
    memset(&c->owned, 0, sizeof c->owned);
    c->magic = 0;
    pthread_mutex_unlock(&lock);
    while (n--)
        end_owned(&owned[n]);
    ls_release(owned);
    if (stack.depth && stack.at[stack.depth - 1] == c) {
        stack.depth--;
        follow(stack.depth ? stack.at[stack.depth - 1] : NULL);
        if (!stack.depth)
            device_leave();
    }
    return CUDA_SUCCESS;
}

CUresult
cuCtxDestroy_v2(CUcontext ctx)
{
    CU(destroy(ctx), "ctx=%p", (void *)ctx);
}

CUresult
cuCtxAttach(CUcontext *ctx, unsigned int flags)
{
    CUcontext c = cu_current();
    int r = ctx ? CUDA_SUCCESS : cu_null("pctx");
    if (r == CUDA_SUCCESS && !c)
        r = cu_fail(CUDA_ERROR_INVALID_CONTEXT, "the thread has no current context");
    if (r == CUDA_SUCCESS) {
        c->users++;
        *ctx = c;
    }
    CU(r, "flags=%u", flags);
}

CUresult
cuCtxDetach(CUcontext ctx)
{
    int r = need_context(ctx);
    if (r == CUDA_SUCCESS && ctx->users > 1)
        ctx->users--;
    else if (r == CUDA_SUCCESS)
        r = destroy(ctx);
    CU(r, "ctx=%p", (void *)ctx);
}

CUresult
cuCtxPushCurrent_v2(CUcontext ctx)
{
    int r = cu_need_init();
    if (r == CUDA_SUCCESS)
        r = need_context(ctx);
    CU(r == CUDA_SUCCESS ? push(ctx) : r, "ctx=%p", (void *)ctx);
}

CUresult
cuCtxPopCurrent_v2(CUcontext *ctx)
{
    int r = cu_need_init();
    CUcontext c = cu_current();
    if (r == CUDA_SUCCESS && !stack.depth && !c)
        r = cu_fail(CUDA_ERROR_INVALID_CONTEXT, "the thread has no current context");
    if (r == CUDA_SUCCESS) {
        if (ctx)
            *ctx = c;
        stack.depth -= stack.depth > 0;
        follow(stack.depth ? stack.at[stack.depth - 1] : NULL);
        if (!stack.depth)
            device_leave();
    }
    CU(r, "ctx=%p", (void *)c);
}

static int
set_current(CUcontext c)
{
    int r = cu_need_init();
    if (r == CUDA_SUCCESS && c)
        r = need_context(c);
    if (r != CUDA_SUCCESS)
        return r;
    if (!c) {
        stack.depth -= stack.depth > 0;
        if (!stack.depth)
            device_leave();
        follow(stack.depth ? stack.at[stack.depth - 1] : NULL);
        return CUDA_SUCCESS;
    }
    if (!stack.depth)
        return push(c);
    stack.at[stack.depth - 1] = c;
    follow(c);
    return CUDA_SUCCESS;
}

CUresult
cuCtxSetCurrent(CUcontext ctx)
{
    CU(set_current(ctx), "ctx=%p", (void *)ctx);
}

CUresult
cuCtxGetCurrent(CUcontext *ctx)
{
    int r = ctx ? cu_need_init() : cu_null("pctx");
    if (r == CUDA_SUCCESS)
        *ctx = cu_current();
    CU(r, "ctx=%p", ctx ? (void *)*ctx : NULL);
}

/* -- primary contexts -------------------------------------------------------------------------- */

CUresult
cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
    struct device *d;
    int r = ctx ? cu_device(dev, &d) : cu_null("pctx");
    if (r == CUDA_SUCCESS) {
        *ctx = cu_primary(d);
        (*ctx)->users++;
    }
    CU(r, "dev=%d", dev);
}

CUresult
cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    struct device *d;
    int r = cu_device(dev, &d);
    if (r == CUDA_SUCCESS && !cu_primary(d)->users)
        r = cu_fail(CUDA_ERROR_INVALID_CONTEXT, "the primary context is not retained");
    if (r == CUDA_SUCCESS)
        cu_primary(d)->users--;
    CU(r, "dev=%d", dev);
}

CUresult
cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    struct device *d;
    int r = cu_device(dev, &d);
    CU(r == CUDA_SUCCESS ? (int)device_reset(d) : r, "dev=%d", dev);
}

CUresult
cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    struct device *d;
    int r = cu_device(dev, &d);
    if (r == CUDA_SUCCESS)
        cu_primary(d)->flags = device_settings_of(d)->flags = flags;
    CU(r, "dev=%d flags=0x%x", dev, flags);
}

CUresult
cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    struct device *d;
    int r = flags && active ? cu_device(dev, &d) : cu_null("flags or active");
    if (r == CUDA_SUCCESS) {
        *flags = device_settings_of(d)->flags;
        *active = cu_primary(d)->users > 0 || (device_in_use() && device_current() == dev);
    }
    CU(r, "dev=%d", dev);
}

/* -- the current context's properties ---------------------------------------------------------- */

CUresult
cuCtxGetDevice(CUdevice *device)
{
    struct device *d;
    int r = device ? cu_use(&d) : cu_null("device");
    if (r == CUDA_SUCCESS)
        *device = device_index(d);
    CU(r, "%s", "");
}

CUresult
cuCtxGetFlags(unsigned int *flags)
{
    struct device *d;
    int r = flags ? cu_use(&d) : cu_null("flags");
    if (r == CUDA_SUCCESS)
        *flags = cu_current()->flags;
    CU(r, "%s", "");
}

CUresult
cuCtxSetFlags(unsigned int flags)
{
    struct device *d;
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS)
        cu_current()->flags = flags;
    CU(r, "flags=0x%x", flags);
}

CUresult
cuCtxGetId(CUcontext ctx, unsigned long long *id)
{
    CUcontext c = ctx ? ctx : cu_current();
    int r = id ? need_context(c) : cu_null("ctxId");
    if (r == CUDA_SUCCESS)
        *id = c->id;
    CU(r, "ctx=%p", (void *)ctx);
}

CUresult
cuCtxSynchronize(void)
{
    struct device *d;
    int r = cu_use(&d);
    CU(r == CUDA_SUCCESS ? (int)device_synchronize(d) : r, "%s", "");
}

CUresult
cuCtxSetLimit(CUlimit limit, size_t value)
{
    struct device *d;
    int r = cu_use(&d);
    CU(r == CUDA_SUCCESS ? (int)device_limit_set(d, limit, value) : r, "limit=%d value=%zu",
       (int)limit, value);
}

CUresult
cuCtxGetLimit(size_t *value, CUlimit limit)
{
    struct device *d;
    int r = value ? cu_use(&d) : cu_null("pvalue");
    CU(r == CUDA_SUCCESS ? (int)device_limit_get(d, limit, value) : r, "limit=%d", (int)limit);
}

/* The body of a call that sets one of the current device's settings. */
#define SET(field, value)                                                                          \
    do {                                                                                           \
        struct device *d;                                                                          \
        int r_ = cu_use(&d);                                                                       \
        if (r_ == CUDA_SUCCESS)                                                                    \
            device_settings_of(d)->field = (value);                                                \
        CU(r_, #value "=%d", (int)(value));                                                        \
    } while (0)

CUresult
cuCtxSetCacheConfig(CUfunc_cache config)
{
    SET(cache_config, config);
}

CUresult
cuCtxGetCacheConfig(CUfunc_cache *config)
{
    struct device *d;
    int r = config ? cu_use(&d) : cu_null("pconfig");
    if (r == CUDA_SUCCESS)
        *config = (CUfunc_cache)device_settings_of(d)->cache_config;
    CU(r, "%s", "");
}

CUresult
cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    SET(shared_config, config);
}

/* Only 3.x could choose; 4 bytes elsewhere. */
CUresult
cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    struct device *d;
    int r = config ? cu_use(&d) : cu_null("pConfig");
    if (r == CUDA_SUCCESS)
        *config = device_profile(d)->cc_major == 3 && device_settings_of(d)->shared_config
                      ? (CUsharedconfig)device_settings_of(d)->shared_config
                      : CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    CU(r, "%s", "");
}

CUresult
cuCtxResetPersistingL2Cache(void)
{
    struct device *d;
    CU(cu_use(&d), "%s", "");
}

CUresult
cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    int r = version ? CUDA_SUCCESS : cu_null("version");
    if (r == CUDA_SUCCESS && ctx)
        r = need_context(ctx);
    if (r == CUDA_SUCCESS)
        *version = 3020; /* contexts of cuCtxCreate_v2 */
    CU(r, "ctx=%p", (void *)ctx);
}

CUresult
cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    struct device *d;
    int r = cu_use(&d);
    bool has = r == CUDA_SUCCESS && device_profile(d)->stream_priorities;
    if (least)
        *least = DEVICE_PRIORITY_LEAST;
    if (greatest)
        *greatest = has ? DEVICE_PRIORITY_GREATEST : DEVICE_PRIORITY_LEAST;
    CU(r, "%s", "");
}

/* -- peers ------------------------------------------------------------------------------------- */

CUresult
cuDeviceCanAccessPeer(int *can, CUdevice dev, CUdevice peer)
{
    struct device *a, *b;
    int r = can ? cu_device(dev, &a) : cu_null("canAccessPeer");
    if (r == CUDA_SUCCESS)
        r = cu_device(peer, &b);
    if (r == CUDA_SUCCESS)
        *can = dev != peer && device_profile(a)->unified_addressing;
    CU(r, "dev=%d peerDev=%d", dev, peer);
}

CUresult
cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice from, CUdevice to)
{
    struct device *a, *b;
    int r = value && from != to ? cu_device(from, &a)
                                : cu_fail(CUDA_ERROR_INVALID_VALUE, "devices %d, %d", from, to);
    if (r == CUDA_SUCCESS)
        r = cu_device(to, &b);
    if (r == CUDA_SUCCESS)
        *value = attrib != CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK;
    CU(r, "attrib=%d src=%d dst=%d", (int)attrib, from, to);
}

static int
peer_access(CUcontext peer, bool enabled)
{
    struct device *d;
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS)
        r = need_context(peer);
    if (r == CUDA_SUCCESS && peer == cu_current())
        r = cu_fail(CUDA_ERROR_INVALID_CONTEXT, "a context is no peer of itself");
    if (r != CUDA_SUCCESS || d == peer->device) /* contexts of one device share its memory */
        return r;
    return (int)device_peer_set(d, device_index(peer->device), enabled);
}

CUresult
cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    CU(flags ? cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags) : peer_access(peer, true),
       "peer=%p", (void *)peer);
}

CUresult
cuCtxDisablePeerAccess(CUcontext peer)
{
    CU(peer_access(peer, false), "peer=%p", (void *)peer);
}
