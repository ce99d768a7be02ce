/* SPDX-License-Identifier: Apache-2.0
 *
 * storage.c: device memory, pinned host memory, arrays, textures. Pinned memory is known to the
 * tables of all devices, those made later too.
 */
#include "device/backend.h"

#include "check/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ARRAY_PITCH = 32, PAGE = 4096 };

struct pinned {
    uint64_t base, size;
    uint32_t flags;
    bool ours;      /* allocated here, not registered */
    uint32_t place; /* under check: of host code that made it */
    char *name;     /* of an array of the program, else NULL */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VEC(struct pinned) pinned;

struct device_texture {
    struct handle head;
    struct texture t;
    struct device *device;
    uint64_t handle; /* that kernels get */
    void *saved;
};

/* -- device memory ----------------------------------------------------------------------------- */

enum device_result
device_alloc(struct device *d, uint64_t size, enum allocation_kind kind, uint64_t *out_address)
{
    *out_address = 0;
    if (!size)
        return DEVICE_OK;
    enum device_result r = d->backend->memory->alloc(d, size, kind, NULL, out_address);
    struct allocation new = {.base = *out_address, .size = size, .kind = kind};
    if (r == DEVICE_OK && tool_check())
        check_allocated(tool_check(), &new);
    if (r == DEVICE_OK && guard_notes_places())
        memory_set_place(d->memory, *out_address, device_here());
    return r;
}

static enum device_result
free_memory(uint64_t address, bool ordered)
{
    struct allocation a;
    enum device_result r = device_permitted();
    if (r != DEVICE_OK)
        return r;
    device_flush();
    output_seen();
    if (!address || device_ipc_close(address))
        return DEVICE_OK;
    if (!device_find(address, &a)) {
        struct allocation near = {0};
        if (process_device(device_current()))
            memory_find(process_device(device_current())->memory, address, NULL, &near);
        tool_bad_free("cudaFree", address, &near);
        return device_fail(DEVICE_INVALID_VALUE, "0x%llx was not allocated, or is freed already",
                           (unsigned long long)address);
    }
    bool variable = a.kind == ALLOCATION_VARIABLE || (a.kind == ALLOCATION_MANAGED && a.name);
    if (a.base != address || variable ||
        (a.kind != ALLOCATION_DEVICE && a.kind != ALLOCATION_MANAGED))
        tool_bad_free("cudaFree", address, NULL);
    if (a.base != address)
        return device_fail(DEVICE_INVALID_VALUE, "0x%llx lies %llu bytes inside an allocation",
                           (unsigned long long)address, (unsigned long long)(address - a.base));
    if (a.name && !strcmp(a.name, device_graph_memory))
        return DEVICE_OK; /* lives as long as the device: the graph may be launched again */
    if (variable || (a.kind != ALLOCATION_DEVICE && a.kind != ALLOCATION_MANAGED))
        return device_fail(DEVICE_INVALID_VALUE, "0x%llx is %s", (unsigned long long)address,
                           a.kind == ALLOCATION_HOST   ? "pinned host memory: cudaFreeHost frees it"
                           : variable                  ? "a variable"
                           : a.kind == ALLOCATION_HEAP ? "memory that a kernel allocated"
                                                       : "an array");
    struct device *d = process_device(a.device);
    if (tool_check()) {
        if (!ordered && check_freeing(tool_check(), "cudaFree", a.base, a.size, CHECK_FREE_WAITS)) {
            check_joined_all(tool_check()); /* it waits for the device */
            guard_joined();
        }
        check_freed(tool_check(), &a);
    }
    ipc_freed(&a);
    return d->backend->memory->free(d, address);
}

enum device_result
device_free(uint64_t address)
{
    return free_memory(address, false);
}

enum device_result
device_free_ordered(uint64_t address)
{
    return free_memory(address, true);
}

void
device_memory_info(struct device *d, uint64_t *out_free, uint64_t *out_total)
{
    d->backend->memory->info(d, out_free, out_total);
}

/* -- pinned host memory ------------------------------------------------------------------------ */

static void
each_device(void (*f)(struct device *d, const struct pinned *p), const struct pinned *p)
{
    for (int k = 0; k < DEVICE_MOST; k++) {
        struct device *d = __atomic_load_n(&device_process()->device[k], __ATOMIC_ACQUIRE);
        if (d)
            f(d, p);
    }
}

static void
adopt(struct device *d, const struct pinned *p)
{
    memory_adopt(d->memory, p->base, p->size, ALLOCATION_HOST, p->name);
    if (p->place)
        memory_set_place(d->memory, p->base, p->place);
}

static void
disown(struct device *d, const struct pinned *p)
{
    memory_release(d->memory, p->base);
}

void
storage_adopt_host(struct device *d)
{
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < pinned.count; k++)
        adopt(d, &pinned.at[k]);
    pthread_mutex_unlock(&lock);
}

/* Any device: memory that one of them registers is known to all. NULL: no device has been made
 * yet. */
static struct device *
some_device(void)
{
    struct device *d = NULL;
    for (int k = 0; k < DEVICE_MOST && !d; k++)
        d = __atomic_load_n(&device_process()->device[k], __ATOMIC_ACQUIRE);
    return d;
}

static enum device_result
host_register(void *at, uint64_t size)
{
    struct device *d = some_device();
    return d ? d->backend->memory->host_register(d, at, size) : DEVICE_OK;
}

/* The registered range that holds the address; -1: none. */
static ptrdiff_t
find_pinned(uint64_t address)
{
    for (size_t k = 0; k < pinned.count; k++)
        if (address >= pinned.at[k].base && address - pinned.at[k].base < pinned.at[k].size)
            return (ptrdiff_t)k;
    return -1;
}

static void
add_pinned(const struct pinned *p)
{
    VEC_PUSH(&pinned, *p);
    each_device(adopt, p);
}

enum device_result
device_host_alloc(uint64_t size, uint32_t flags, void **out_at)
{
    *out_at = NULL;
    if (!size)
        return DEVICE_OK;
    void *at = size <= UINT64_MAX / 2 ? mmap(NULL, size, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                      : MAP_FAILED;
    if (at == MAP_FAILED)
        return device_fail(DEVICE_OUT_OF_MEMORY, "%llu bytes of host memory",
                           (unsigned long long)size);
    enum device_result r = host_register(at, size);
    if (r != DEVICE_OK) {
        munmap(at, size);
        return r;
    }
    struct pinned p = {(uint64_t)at, size, flags, true, tool_check() ? device_here() : 0, NULL};
    pthread_mutex_lock(&lock);
    add_pinned(&p);
    guard_pinned(p.base, (size + 4095) / 4096 * 4096);
    pthread_mutex_unlock(&lock);
    *out_at = at;
    return DEVICE_OK;
}

static bool
remove_pinned(void *at, bool ours)
{
    pthread_mutex_lock(&lock);
    ptrdiff_t k = find_pinned((uint64_t)at);
    bool found = k >= 0 && pinned.at[k].base == (uint64_t)at && pinned.at[k].ours == ours;
    if (found) {
        struct pinned p = pinned.at[k];
        struct allocation a = {.base = p.base, .size = p.size, .kind = ALLOCATION_HOST};
        if (tool_check()) {
            check_freeing(tool_check(), ours ? "cudaFreeHost" : "cudaHostUnregister", p.base,
                          p.size, CHECK_FREE_AT_ONCE);
            check_freed(tool_check(), &a);
        }
        each_device(disown, &p);
        struct device *d = some_device();
        if (d)
            d->backend->memory->host_unregister(d, at);
        ls_release(p.name);
        guard_unpinned(p.base, p.size);
        pinned.at[k] = pinned.at[--pinned.count];
        if (ours)
            munmap(at, p.size);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

enum device_result
device_host_free(void *at)
{
    enum device_result r = device_permitted();
    if (r != DEVICE_OK)
        return r;
    if (!at || remove_pinned(at, true))
        return DEVICE_OK;
    tool_bad_free("cudaFreeHost", (uint64_t)at, NULL);
    return device_fail(DEVICE_INVALID_VALUE, "%p was not allocated as pinned host memory", at);
}

static enum device_result
add_registered(void *at, uint64_t size, uint32_t flags, const char *name)
{
    struct pinned p = {.base = (uint64_t)at, .size = size, .flags = flags};
    if (!name && tool_check()) /* an array was made elsewhere */
        p.place = device_here();
    if (!at || !size)
        return device_fail(DEVICE_INVALID_VALUE, "the pointer is NULL or the size is 0");
    if (name)
        p.name = strcpy(ls_alloc(strlen(name) + 1), name);
    pthread_mutex_lock(&lock);
    bool known = false;
    for (size_t k = 0; k < pinned.count && !known; k++)
        known = pinned.at[k].base < p.base + size && p.base < pinned.at[k].base + pinned.at[k].size;
    enum device_result r = known ? DEVICE_OK : host_register(at, size);
    if (!known && r == DEVICE_OK)
        add_pinned(&p);
    if (!known && r == DEVICE_OK && !name)
        guard_pinned(p.base, size);
    pthread_mutex_unlock(&lock);
    if (known || r != DEVICE_OK)
        ls_release(p.name);
    if (r != DEVICE_OK)
        return r;
    return known ? device_fail(DEVICE_HOST_REGISTERED, "%p is registered already", at) : DEVICE_OK;
}

enum device_result
device_host_register(void *at, uint64_t size, uint32_t flags)
{
    return add_registered(at, size, flags, NULL);
}

enum device_result
device_host_array(const char *name, void *at, uint64_t size, const uint8_t *set)
{
    device_flush(); /* launches before this one know nothing of it */
    enum device_result r = add_registered(at, size, 0, name);
    if (r != DEVICE_OK || !tool_check())
        return r;
    struct allocation known = {.base = (uint64_t)at, .size = size, .kind = ALLOCATION_HOST};
    check_allocated(tool_check(), &known);
    uint64_t words = set ? (size + 3) / 4 : 0, end;
    for (uint64_t k = 0; k < words; k = end) {
        for (end = k + 1; end < words && !set[end] == !set[k]; end++)
            ;
        struct allocation a = {
            .base = (uint64_t)at + 4 * k, .size = 4 * (end - k), .kind = ALLOCATION_DEVICE};
        if (!set[k]) /* as memory that was just allocated */
            check_allocated(tool_check(), &a);
    }
    return DEVICE_OK;
}

enum device_result
device_host_unregister(void *at)
{
    enum device_result r = device_permitted();
    if (r == DEVICE_OK && !remove_pinned(at, false))
        r = device_fail(DEVICE_HOST_NOT_REGISTERED, "%p is not registered", at);
    return r;
}

enum device_result
device_host_flags(const void *at, uint32_t *out_flags)
{
    pthread_mutex_lock(&lock);
    ptrdiff_t k = find_pinned((uint64_t)at);
    if (k >= 0)
        *out_flags = pinned.at[k].flags;
    pthread_mutex_unlock(&lock);
    return k >= 0 ? DEVICE_OK
                  : device_fail(DEVICE_INVALID_VALUE, "%p is no pinned host memory", at);
}

/* -- a few bytes ------------------------------------------------------------------------------- */

enum device_result
device_write(struct device *d, uint64_t address, const void *from, size_t size)
{
    device_flush();
    return d->backend->memory->access(d, (void *)address, from, size);
}

enum device_result
device_read(struct device *d, uint64_t address, void *to, size_t size)
{
    device_flush();
    return d->backend->memory->access(d, to, (const void *)address, size);
}

/* -- arrays ------------------------------------------------------------------------------------ */

enum device_result
device_array_new(struct device *d, const struct device_array_shape *shape,
                 struct device_array **out)
{
    struct device_array_shape s = *shape;
    uint64_t rows = s.height ? s.height : 1, slices = s.depth ? s.depth : 1, row, plane, bytes;
    bool bits = s.bits == 8 || s.bits == 16 || s.bits == 32;
    if (!bits || (s.channels != 1 && s.channels != 2 && s.channels != 4))
        return device_fail(DEVICE_INVALID_CHANNEL,
                           "%u channels of %u bits: 1, 2 or 4 of 8, 16 or 32", s.channels, s.bits);
    if (!s.width)
        return device_fail(DEVICE_INVALID_VALUE, "an array of width 0");
    s.element_bytes = s.channels * s.bits / 8;
    if (__builtin_mul_overflow(s.width, s.element_bytes, &row) || row > UINT64_MAX - ARRAY_PITCH)
        return device_fail(DEVICE_OUT_OF_MEMORY, "an array of absurd width");
    s.pitch = (row + ARRAY_PITCH - 1) / ARRAY_PITCH * ARRAY_PITCH;
    if (__builtin_mul_overflow(s.pitch, rows, &plane) ||
        __builtin_mul_overflow(plane, slices, &bytes))
        return device_fail(DEVICE_OUT_OF_MEMORY, "an array of absurd size");
    enum device_result r = d->backend->memory->array_new(d, &s, &s.base);
    if (r != DEVICE_OK)
        return r;
    struct device_array *a = handle_new(HANDLE_ARRAY, sizeof *a);
    a->device = d;
    a->shape = s;
    *out = a;
    return DEVICE_OK;
}

enum device_result
device_array_free(struct device_array *a)
{
    if (!handle_is(a, HANDLE_ARRAY))
        return device_fail(DEVICE_INVALID_HANDLE, "%p is no array", (void *)a);
    enum device_result r = a->device->backend->memory->array_free(a->device, a->shape.base);
    handle_free(a);
    return r;
}

/* -- textures ---------------------------------------------------------------------------------- */

void
device_texture_from_array(struct texture *t, const struct device_array_shape *s)
{
    enum { LAYERED = 1, CUBEMAP = 4 };
    bool stacked = s->flags & (LAYERED | CUBEMAP);
    t->layered = (s->flags & LAYERED) != 0;
    t->cubemap = (s->flags & CUBEMAP) != 0;
    t->dimensions = s->depth && !stacked ? 3 : s->height ? 2 : 1;
    t->channels = (uint8_t)s->channels;
    t->bits = (uint8_t)s->bits;
    t->kind = (uint8_t)s->kind;
    t->levels = 1;
    t->level[0] = (struct texture_level){
        .base = s->base,
        .pitch = s->pitch,
        .slice = s->pitch * (s->height ? s->height : 1),
        .width = (uint32_t)s->width,
        .height = (uint32_t)(s->height ? s->height : 1),
        .depth = (uint32_t)(s->depth && !stacked ? s->depth : 1),
        .layers = (uint32_t)(s->depth && stacked ? s->depth : 1),
    };
}

enum device_result
device_texture_from_memory(struct texture *t, const struct device_array_shape *texel,
                           const struct device_texture_memory *m)
{
    struct allocation a;
    uint32_t bytes = texel->channels * texel->bits / 8;
    uint64_t least = m->height ? (m->height - 1) * m->pitch + m->width * bytes : m->bytes;
    if (!bytes || !device_find(m->at, &a))
        return device_fail(DEVICE_INVALID_VALUE, "0x%llx is no device memory",
                           (unsigned long long)m->at);
    if (least > a.size - (m->at - a.base))
        return device_fail(DEVICE_INVALID_VALUE,
                           "%llu bytes at 0x%llx run past the allocation's end",
                           (unsigned long long)least, (unsigned long long)m->at);
    t->channels = (uint8_t)texel->channels;
    t->bits = (uint8_t)texel->bits;
    t->kind = (uint8_t)texel->kind;
    t->linear = !m->height;
    t->pitched = !t->linear;
    t->dimensions = m->height ? 2 : 1;
    t->levels = 1;
    t->level[0] = (struct texture_level){
        .base = m->at,
        .pitch = m->height ? m->pitch : m->bytes,
        .slice = m->height ? m->pitch * m->height : m->bytes,
        .width = (uint32_t)(m->height ? m->width : m->bytes / bytes),
        .height = m->height ? (uint32_t)m->height : 1,
        .depth = 1,
        .layers = 1,
    };
    return DEVICE_OK;
}

enum device_result
device_texture_check(struct texture *t)
{
    if (t->linear) /* read by index alone: the rest is ignored (runtime API, cudaTextureDesc) */
        t->filter_linear = t->normalized_coordinates = 0;
    if (t->filter_linear && t->kind != TEXTURE_FLOAT && !t->normalized_read)
        return device_fail(DEVICE_INVALID_VALUE,
                           "linear filtering needs float texels or normalized reads");
    if (t->normalized_read && t->kind != TEXTURE_FLOAT && t->bits == 32)
        return device_fail(DEVICE_INVALID_VALUE, "normalized reads need integers of 8 or 16 bits");
    return DEVICE_OK;
}

struct search {
    uint64_t handle;
    void *found;
};

static void
match_array(void *handle, void *context)
{
    struct search *s = context;
    if (((struct device_array *)handle)->shape.base == s->handle)
        s->found = handle;
}

uint64_t
device_texture_new(struct device *d, const struct texture *t, const void *saved, size_t size)
{
    struct search array = {t->level[0].base, NULL};
    struct device_texture *x = handle_new(HANDLE_TEXTURE, sizeof *x);
    x->t = *t;
    x->t.magic = TEXTURE_MAGIC;
    x->device = d;
    handle_each(HANDLE_ARRAY, match_array, &array);
    if (d->backend->memory->texture_new(d, &x->t, array.found != NULL, &x->handle) != DEVICE_OK) {
        x->t.magic = 0;
        handle_free(x);
        return 0;
    }
    x->saved = memcpy(ls_alloc(size), saved, size);
    return x->handle;
}

static void
match_texture(void *handle, void *context)
{
    struct search *s = context;
    if (((struct device_texture *)handle)->handle == s->handle)
        s->found = handle;
}

static struct device_texture *
texture_of(uint64_t handle)
{
    struct device_texture *x =
        (struct device_texture *)(handle - offsetof(struct device_texture, t));
    struct search s = {handle, NULL};
    if (device_process()->backend->in_process) /* the handle is the address of ours */
        return handle >= PAGE && handle_is(x, HANDLE_TEXTURE) ? x : NULL;
    if (handle)
        handle_each(HANDLE_TEXTURE, match_texture, &s);
    return s.found;
}

const void *
device_texture_saved(uint64_t handle)
{
    struct device_texture *x = texture_of(handle);
    return x ? x->saved : NULL;
}

enum device_result
device_texture_free(uint64_t handle)
{
    struct device_texture *x = texture_of(handle);
    if (!x)
        return device_fail(DEVICE_INVALID_VALUE, "0x%llx is no texture or surface object",
                           (unsigned long long)handle);
    enum device_result r =
        x->device->backend->memory->texture_free(x->device, handle, x->t.surface);
    x->t.magic = 0;
    ls_release(x->saved);
    handle_free(x);
    return r;
}

/* -- reset ------------------------------------------------------------------------------------- */

static void
end_array(void *handle, void *context)
{
    struct device_array *a = handle;
    if (a->device == context)
        device_array_free(a);
}

struct bases {
    VEC(uint64_t) list;
};

static void
collect(const struct allocation *a, void *context)
{
    struct bases *b = context;
    if (a->kind != ALLOCATION_HOST)
        VEC_PUSH(&b->list, a->base);
}

void
storage_reset_device(struct device *d)
{
    struct bases all = {0};
    handle_each(HANDLE_ARRAY, end_array, d);
    memory_each(d->memory, collect, &all);
    for (size_t k = 0; k < all.list.count; k++)
        memory_release(d->memory, all.list.at[k]);
    VEC_FREE(&all.list);
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < pinned.count; k++) /* that ended with the device's context too */
        d->backend->memory->host_register(d, (void *)pinned.at[k].base, pinned.at[k].size);
    pthread_mutex_unlock(&lock);
}

enum device_result
storage_none_left(const struct device *d, uint64_t size, uint64_t left, uint64_t total)
{
    return device_fail(DEVICE_OUT_OF_MEMORY, "%llu bytes: device %d has %llu of %llu left",
                       (unsigned long long)size, d->index, (unsigned long long)left,
                       (unsigned long long)total);
}

/* -- a virtual device's memory ----------------------------------------------------------------- */

static enum device_result
virtual_alloc(struct device *d, uint64_t size, enum allocation_kind kind, const char *name,
              uint64_t *out_address)
{
    guard_open();
    *out_address = memory_alloc(d->memory, size, 0, kind, name);
    guard_close();
    if (*out_address)
        return DEVICE_OK;
    uint64_t used, total;
    memory_usage(d->memory, &used, &total, NULL);
    return storage_none_left(d, size, total - used, total);
}

static enum device_result
virtual_release(struct device *d, uint64_t address)
{
    memory_release(d->memory, address);
    return DEVICE_OK;
}

static enum device_result
virtual_info(struct device *d, uint64_t *out_free, uint64_t *out_total)
{
    uint64_t used;
    memory_usage(d->memory, &used, out_total, NULL);
    *out_free = *out_total - used;
    return DEVICE_OK;
}

/* Kernels may access all of the host's memory; what is registered is in every device's table. */
static enum device_result
virtual_register(struct device *d, void *at, uint64_t size)
{
    return DEVICE_OK;
}

static enum device_result
virtual_unregister(struct device *d, void *at)
{
    return virtual_register(d, at, 0);
}

/* Copies between host and device memory on behalf of the library. The guard is open meanwhile:
 * under a sanitizer memcpy is code of the program, so that the guard would take the access for the
 * program's. */
static enum device_result
virtual_access(struct device *d, void *to, const void *from, size_t size)
{
    guard_open();
    memcpy(to, from, size);
    guard_close();
    return DEVICE_OK;
}

static enum device_result
virtual_array_new(struct device *d, const struct device_array_shape *s, uint64_t *out)
{
    uint64_t rows = s->height ? s->height : 1, slices = s->depth ? s->depth : 1;
    return device_alloc(d, s->pitch * rows * slices, ALLOCATION_ARRAY, out);
}

static enum device_result
virtual_texture_new(struct device *d, const struct texture *t, bool in_array, uint64_t *out)
{
    *out = (uint64_t)t;
    return DEVICE_OK;
}

static enum device_result
virtual_texture_free(struct device *d, uint64_t handle, bool surface)
{
    return DEVICE_OK;
}

const struct backend_memory virtual_memory = {
    .alloc = virtual_alloc,
    .free = virtual_release,
    .info = virtual_info,
    .host_register = virtual_register,
    .host_unregister = virtual_unregister,
    .access = virtual_access,
    .array_new = virtual_array_new,
    .array_free = virtual_release,
    .texture_new = virtual_texture_new,
    .texture_free = virtual_texture_free,
    .tensor_map = virtual_tensor_map,
    .tensor_move = virtual_tensor_move,
};
