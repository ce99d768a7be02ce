/* SPDX-License-Identifier: Apache-2.0
 *
 * system.c: what the process has: devices, the pool of workers, the jit engine. One lock guards the
 * making of things; what is made stays.
 */
#include "device/gpu.h"

#include "check/check.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct process process = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local int current;
static _Thread_local bool in_use;
static _Thread_local char reason[1024];

struct process *
device_process(void)
{
    return &process;
}

/* -- reasons ---------------------------------------------------------------------------------------- */

enum device_result
device_fail(enum device_result result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return result;
}

const char *
device_reason(void)
{
    return reason;
}

void
device_forget_reason(void)
{
    reason[0] = 0;
}

static bool
set_in_environment(const char *name)
{
    const char *text = getenv(name);
    return text && *text && strcmp(text, "0") != 0;
}

bool
device_verbose(void)
{
    return set_in_environment("LOCKSTEP_VERBOSE");
}

bool
device_is_gpu(void)
{
    return device_count() > 0 && process.gpu;
}

bool
device_quiet(void)
{
    return set_in_environment("LOCKSTEP_QUIET");
}

/* -- where no call may be made ----------------------------------------------------------------------- */

static _Thread_local uint32_t host_functions; /* of streams, that this thread is in */
static bool forked;

bool
process_forked(void)
{
    return forked;
}

static void
in_child(void)
{
    forked = true;
    tool_forked();
}

void
device_host_function_begin(void)
{
    host_functions++;
}

void
device_host_function_end(void)
{
    host_functions--;
}

/* Said once: a program that ignores it may do so a thousand times. */
static enum device_result
not_permitted(enum device_result r, const char *why)
{
    static _Atomic bool said;
    if (!atomic_exchange(&said, true) && !device_quiet()) {
        fflush(stdout);
        ls_warn("%s", why);
    }
    return device_fail(r, "%s", why);
}

enum device_result
device_in_host_function(void)
{
    if (__builtin_expect(host_functions != 0, 0))
        return not_permitted(DEVICE_NOT_PERMITTED, "a host function of a stream (cudaLaunchHostFunc, "
                                                   "cudaStreamAddCallback, a host node) calls CUDA");
    return DEVICE_OK;
}

enum device_result
device_permitted(void)
{
    if (__builtin_expect(forked, 0))
        return not_permitted(DEVICE_NOT_INITIALIZED, "a child made by fork calls CUDA, which its parent had used "
                                                     "already: only a child that calls exec may");
    return device_in_host_function();
}

/* -- start ------------------------------------------------------------------------------------------- */

static bool
number_of(const char *name, uint64_t low, uint64_t high, uint64_t *out)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return true;
    if (!ls_parse_u64(text, out) || *out < low || *out > high) {
        device_fail(DEVICE_INVALID_DEVICE, "%s=%s: a number from %llu to %llu is expected", name, text,
                    (unsigned long long)low, (unsigned long long)high);
        return false;
    }
    return true;
}

/* A number of seconds; 0 switches off, and so does what is no number. */
static uint32_t
milliseconds_of(const char *name, double usual)
{
    const char *text = getenv(name);
    double seconds = text && *text ? strtod(text, NULL) : usual;
    return seconds > 0 && seconds < 1e6 ? (uint32_t)(seconds * 1000 < 1 ? 1 : seconds * 1000) : 0;
}

static const struct device_profile *
choose_profile(void)
{
    const char *gpu = getenv("LOCKSTEP_GPU"), *cc = getenv("LOCKSTEP_CC");
    const struct device_profile *p = NULL;
    struct device_hint hint;
    if (gpu && *gpu) {
        p = model_find_device(gpu);
        if (!p)
            device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_GPU=%s: no such device %s", gpu,
                        model_device_hint(gpu, false, &hint));
        return p;
    }
    if (cc && *cc) {
        p = model_find_cc(cc);
        if (!p)
            device_fail(DEVICE_INVALID_DEVICE,
                        "LOCKSTEP_CC=%s: no such compute capability %s", cc,
                        model_device_hint(cc, true, &hint));
        return p;
    }
    return model_default_device();
}

static bool
start(void)
{
    uint64_t devices = 1, workers = 0;
    if (process.started)
        return true;
    int gpus = 0;
    times_start();
    const char *clock = getenv("LOCKSTEP_CLOCK");
    if (!clock_start(clock)) {
        device_fail(DEVICE_INVALID_DEVICE, "LOCKSTEP_CLOCK=%s: cpu or model is expected", clock);
        return false;
    }
    if (!gpu_open(&process.gpu, &gpus))
        return false;
    if (process.gpu) {
        const char *tool = getenv("LOCKSTEP_TOOL");
        if (tool && *tool) {
            device_fail(DEVICE_NOT_SUPPORTED, "%s watches the virtual GPU alone", tool);
            return false;
        }
        if (clock_is_model()) {
            device_fail(DEVICE_NOT_SUPPORTED, "LOCKSTEP_CLOCK=model: a real GPU has its own clock");
            return false;
        }
        process.count = gpus < DEVICE_MOST ? gpus : DEVICE_MOST;
        process.started = true;
        return true;
    }
    process.profile = choose_profile();
    if (!process.profile || !number_of("LOCKSTEP_DEVICES", 1, DEVICE_MOST, &devices) ||
        !number_of("LOCKSTEP_WORKERS", 1, 4096, &workers) || !tool_start(process.profile))
        return false;
    process.count = (int)devices;
    process.started = true;
    pthread_atfork(NULL, NULL, in_child);
    return true;
}

/* Objects that LLVM makes while it compiles end with the process, in the reverse order in which handlers
 * of exit were registered: one registered behind each compilation comes before any of their ends. */
static _Atomic bool ending;

static void
begin_end(void)
{
    ending = true;
    jit_close(process.jit);
}

static void
at_compiled(void)
{
    atexit(begin_end);
}

bool
process_ending(void)
{
    return ending;
}

static void
say_where(void)
{
    exec_say_where(process.pool);
}

void
process_shares_memory(void)
{
    struct ls_error err;
    if (process_engine(&process, &err))
        exec_set_shared(process.pool);
}

static void
thread_left(void)
{
    exec_thread_left(process.pool);
}

bool
process_engine(struct process *p, struct ls_error *err)
{
    pthread_mutex_lock(&p->lock);
    if (!p->jit) {
        char cache[4096];
        struct ls_error why = {0};
        bool cached = ls_cache_folder(cache, sizeof cache, &why);
        if (!cached && why.status != LS_OK)
            ls_warn("no cache: %s", why.text);
        struct jit_options options = {.cache = cached ? cache : NULL, .remarks = getenv("LOCKSTEP_REMARKS")};
        const char *passes = getenv("LOCKSTEP_JIT");
        if (!passes || jit_passes_off(passes, &options.off, err))
            p->jit = jit_new(&options, err);
        if (p->jit) {
            progress_watch_compiles(p->jit);
            jit_set_compiled(p->jit, at_compiled);
        }
    }
    if (p->jit && !p->pool) {
        uint64_t workers = 0;
        number_of("LOCKSTEP_WORKERS", 1, 4096, &workers);
        p->pool = exec_new((uint32_t)workers, err);
        if (p->pool)
            exec_set_options(p->pool, &(struct exec_options){
                .endless_ms = milliseconds_of("LOCKSTEP_ENDLESS", 2),
                .heartbeat_ms = milliseconds_of("LOCKSTEP_HEARTBEAT", !device_quiet() && isatty(2) ? 30 : 0)});
        ending_say(say_where);
        if (p->pool && dlsym(RTLD_DEFAULT, "MPI_Init")) /* which moves data between processes */
            exec_set_shared(p->pool);
    }
    bool fine = p->jit && p->pool;
    pthread_mutex_unlock(&p->lock);
    if (fine)
        ending_of_thread(thread_left);
    return fine;
}

int
device_count(void)
{
    if (device_permitted() != DEVICE_OK)
        return 0;
    pthread_mutex_lock(&process.lock);
    int n = start() ? process.count : 0;
    pthread_mutex_unlock(&process.lock);
    return n;
}

/* -- devices ------------------------------------------------------------------------------------------- */

static void
default_limits(struct device *d)
{
    static const size_t values[DEVICE_LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
    memcpy(d->limit, values, sizeof values);
    memory_limit_heap(d->memory, d->limit[DEVICE_LIMIT_HEAP]);
}

static struct device *
make(int index)
{
    struct ls_error err = {0};
    struct device *d = ls_alloc(sizeof *d);
    d->index = index;
    d->profile = process.gpu ? gpu_profile(process.gpu, index) : process.profile;
    if (!d->profile || (process.gpu && !gpu_make(d))) {
        ls_release(d);
        return NULL;
    }
    d->memory = memory_new(index, d->profile->memory_bytes, &err);
    if (!d->memory) {
        device_fail(DEVICE_NOT_INITIALIZED, "%s", err.text);
        ls_release(d);
        return NULL;
    }
    for (int k = 0; k < DEVICE_MOST; k++)
        if (process.device[k]) {
            memory_set_peer(d->memory, process.device[k]->memory, false);
            memory_set_peer(process.device[k]->memory, d->memory, false);
        }
    default_limits(d);
    d->stream = device_stream_new(d, 0, 0);
    storage_adopt_host(d);
    return d;
}

struct device *
device_at(int index)
{
    struct device *d = NULL;
    if (index >= 0 && index < DEVICE_MOST)
        d = __atomic_load_n(&process.device[index], __ATOMIC_ACQUIRE);
    if (d || forked)
        return d;
    pthread_mutex_lock(&process.lock);
    if (!start())
        ;
    else if (index < 0 || index >= process.count)
        device_fail(DEVICE_INVALID_DEVICE, "device %d does not exist: there %s %d", index,
                    process.count == 1 ? "is" : "are", process.count);
    else if (!(d = process.device[index]) && (d = make(index)))
        __atomic_store_n(&process.device[index], d, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&process.lock);
    return d;
}

int
device_current(void)
{
    return current;
}

enum device_result
device_set_current(int index)
{
    enum device_result r = device_permitted();
    if (r != DEVICE_OK)
        return r;
    if (!device_at(index))
        return device_count() ? DEVICE_INVALID_DEVICE : DEVICE_NO_DEVICE;
    current = index;
    in_use = true;
    return DEVICE_OK;
}

enum device_result
device_use(struct device **out)
{
    enum device_result r = device_permitted();
    *out = device_at(current);
    if (r != DEVICE_OK)
        return r;
    if (!*out)
        return device_count() ? DEVICE_INVALID_DEVICE : DEVICE_NO_DEVICE;
    in_use = true;
    return device_lost(*out);
}

enum device_result
device_use_early(struct device **out)
{
    enum device_result r = device_permitted();
    *out = device_at(current);
    if (r != DEVICE_OK)
        return r;
    if (!*out)
        return device_count() ? DEVICE_INVALID_DEVICE : DEVICE_NO_DEVICE;
    in_use = true;
    return lost_so_far(*out);
}

bool
device_in_use(void)
{
    return in_use;
}

void
device_leave(void)
{
    in_use = false;
}

int
device_index(const struct device *d)
{
    return d->index;
}

const struct device_profile *
device_profile(const struct device *d)
{
    return d->profile;
}

enum device_result
device_attribute(const struct device *d, int number, int *out_value)
{
    if (d->gpu)
        return gpu_attribute(d, number, out_value);
    const struct device_profile *p = d->profile;
    switch (number) {
#define ATTRIBUTE(n, name, value)                                                                  \
    case n: *out_value = (int)(value); return DEVICE_OK;
#include "device/attributes.def"
#undef ATTRIBUTE
    default: return device_fail(DEVICE_INVALID_VALUE, "attribute %d is not known", number);
    }
}

void
device_uuid(const struct device *d, uint8_t out[16])
{
    if (d->gpu && gpu_uuid(d, out) == DEVICE_OK)
        return;
    struct hash128 h = ls_hash((struct hash128){(uint64_t)d->index, 0}, d->profile->key,
                               strlen(d->profile->key));
    memcpy(out, &h, sizeof h);
}

struct memory *
device_memory(struct device *d)
{
    return d->memory;
}

enum device_result
device_lost(const struct device *d)
{
    device_settle();
    return lost_so_far(d);
}

enum device_result
lost_so_far(const struct device *d)
{
    int lost = d->lost;
    if (lost)
        device_fail((enum device_result)lost,
                    "an earlier kernel failed; the device is unusable until it is reset");
    return (enum device_result)lost;
}

void
device_recover(struct device *d)
{
    device_settle();
    d->lost = DEVICE_OK;
}

enum device_result
device_synchronize(struct device *d)
{
    enum device_result r = device_permitted();
    if (r != DEVICE_OK)
        return r;
    device_settle();
    fflush(stdout);
    r = capture_forbids_wait(d);
    if (r != DEVICE_OK)
        return r;
    output_seen();
    check_joined_all(tool_check());
    guard_joined();
    return d->gpu && !d->lost ? gpu_synchronize(d) : device_lost(d);
}

struct device_settings *
device_settings_of(struct device *d)
{
    return &d->settings;
}

enum device_result
device_limit_get(struct device *d, unsigned limit, size_t *out_value)
{
    if (limit >= DEVICE_LIMITS)
        return device_fail(DEVICE_UNSUPPORTED_LIMIT, "limit %u is not known", limit);
    if (d->gpu)
        return gpu_limit_get(d, limit, out_value);
    *out_value = d->limit[limit];
    return DEVICE_OK;
}

enum device_result
device_limit_set(struct device *d, unsigned limit, size_t value)
{
    if (limit >= DEVICE_LIMITS)
        return device_fail(DEVICE_UNSUPPORTED_LIMIT, "limit %u is not known", limit);
    if (d->gpu)
        return gpu_limit_set(d, limit, value);
    if (limit == DEVICE_LIMIT_STACK && value > d->profile->local_bytes_per_thread)
        return device_fail(DEVICE_INVALID_VALUE, "a stack of %zu bytes: %s allows %u", value,
                           d->profile->name, d->profile->local_bytes_per_thread);
    d->limit[limit] = value;
    if (limit == DEVICE_LIMIT_HEAP)
        memory_limit_heap(d->memory, value);
    return DEVICE_OK;
}

enum device_result
device_peer_set(struct device *d, int peer, bool enabled)
{
    if (peer == d->index || !device_at(peer))
        return device_fail(DEVICE_INVALID_DEVICE, "device %d is no peer of device %d", peer, d->index);
    if (d->peer[peer] == enabled)
        return device_fail(enabled ? DEVICE_PEER_ENABLED : DEVICE_PEER_NOT_ENABLED,
                           "access from device %d to device %d is %s", d->index, peer,
                           enabled ? "enabled already" : "not enabled");
    enum device_result r = d->gpu ? gpu_peer(d, device_at(peer), enabled) : DEVICE_OK;
    if (r == DEVICE_OK) {
        d->peer[peer] = enabled;
        if (!d->gpu)
            memory_set_peer(d->memory, device_at(peer)->memory, enabled);
    }
    return r;
}

void
device_show(int owner, int to)
{
    struct device *o = device_at(owner), *d = device_at(to);
    if (o && d && o != d && !o->gpu && !d->gpu)
        memory_set_peer(d->memory, o->memory, true);
}

uint32_t
device_workers(void)
{
    struct ls_error err;
    return process_engine(&process, &err) ? exec_workers(process.pool) : 0;
}

static void
end_stream(void *handle, void *context)
{
    struct device_stream *s = handle;
    if (s->device == context && s != s->device->stream)
        device_stream_free(s);
}

static void
end_event(void *handle, void *context)
{
    struct device_event *e = handle;
    if (e->device == context)
        device_event_free(e);
}

enum device_result
device_reset(struct device *d)
{
    enum device_result r = device_permitted();
    if (r != DEVICE_OK)
        return r;
    device_settle();
    fflush(stdout);
    output_seen();
    handle_each(HANDLE_STREAM, end_stream, d);
    handle_each(HANDLE_EVENT, end_event, d);
    r = d->gpu ? gpu_reset(d) : DEVICE_OK;
    image_reset_device(d);
    storage_reset_device(d);
    default_limits(d);
    memset(&d->settings, 0, sizeof d->settings);
    memset(d->peer, 0, sizeof d->peer);
    d->epoch++;
    d->lost = DEVICE_OK;
    return r;
}
