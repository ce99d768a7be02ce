/* SPDX-License-Identifier: Apache-2.0
 *
 * array.c: arrays, mipmapped arrays, texture and surface objects, texture and surface references.
 *
 * An object's handle is the address of a struct texture (memory/texture.h). A reference is a device
 * variable of 8 bytes that holds the handle of what is bound to it.
 */
#include "cudart/cudart.h"

#include <pthread.h>
#include <string.h>

struct cudaMipmappedArray {
    struct device_array *level[TEXTURE_LEVELS];
    unsigned levels;
    struct cudaMipmappedArray *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cudaMipmappedArray *mipmaps;

/* -- formats ----------------------------------------------------------------------------------- */

static int
rt_format_of(const struct cudaChannelFormatDesc *d, struct device_array_shape *out)
{
    if (!d)
        return rt_fail(cudaErrorInvalidValue, "the channel descriptor is NULL");
    const int bits[4] = {d->x, d->y, d->z, d->w};
    out->channels = 0;
    out->bits = (uint32_t)d->x;
    for (int k = 0; k < 4; k++) {
        if (bits[k] && bits[k] != d->x)
            return rt_fail(cudaErrorInvalidChannelDescriptor, "channels of %d, %d, %d, %d bits",
                           d->x, d->y, d->z, d->w);
        out->channels += bits[k] != 0;
    }
    switch (d->f) {
    case cudaChannelFormatKindSigned: out->kind = TEXTURE_SIGNED; break;
    case cudaChannelFormatKindUnsigned: out->kind = TEXTURE_UNSIGNED; break;
    case cudaChannelFormatKindFloat: out->kind = TEXTURE_FLOAT; break;
    default: return rt_fail(cudaErrorInvalidChannelDescriptor, "channel kind %d", (int)d->f);
    }
    return cudaSuccess;
}

static struct cudaChannelFormatDesc
desc_of(const struct device_array_shape *s)
{
    int bits[4] = {0};
    for (uint32_t k = 0; k < s->channels; k++)
        bits[k] = (int)s->bits;
    return (struct cudaChannelFormatDesc){bits[0], bits[1], bits[2], bits[3],
                                          s->kind == TEXTURE_SIGNED ? cudaChannelFormatKindSigned
                                          : s->kind == TEXTURE_UNSIGNED
                                              ? cudaChannelFormatKindUnsigned
                                              : cudaChannelFormatKindFloat};
}

struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* -- arrays ------------------------------------------------------------------------------------ */

static int
array_new(struct device_array **out, const struct cudaChannelFormatDesc *desc, struct cudaExtent e,
          unsigned flags)
{
    struct device *d;
    struct device_array_shape s = {
        .width = e.width, .height = e.height, .depth = e.depth, .flags = flags};
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        r = rt_format_of(desc, &s);
    return r == cudaSuccess ? (int)device_array_new(d, &s, out) : r;
}

cudaError_t
cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                size_t height, unsigned int flags)
{
    RT(array ? array_new((struct device_array **)array, desc, (struct cudaExtent){width, height, 0},
                         flags)
             : rt_fail(cudaErrorInvalidValue, "array is NULL"),
       "width=%zu height=%zu flags=0x%x", width, height, flags);
}

cudaError_t
cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent e,
                  unsigned int flags)
{
    RT(array ? array_new((struct device_array **)array, desc, e, flags)
             : rt_fail(cudaErrorInvalidValue, "array is NULL"),
       "extent=(%zu,%zu,%zu) flags=0x%x", e.width, e.height, e.depth, flags);
}

cudaError_t
cudaFreeArray(cudaArray_t array)
{
    RT(array ? device_array_free((struct device_array *)array) : DEVICE_OK, "array=%p",
       (void *)array);
}

static int
shape_of(cudaArray_const_t array, const struct device_array_shape **out)
{
    *out = device_array_shape((const struct device_array *)array);
    return *out ? (int)cudaSuccess
                : rt_fail(cudaErrorInvalidResourceHandle, "%p is no array", (const void *)array);
}

cudaError_t
cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                 cudaArray_t array)
{
    const struct device_array_shape *s;
    int r = shape_of(array, &s);
    if (r == cudaSuccess && desc)
        *desc = desc_of(s);
    if (r == cudaSuccess && extent)
        *extent = (struct cudaExtent){s->width, s->height, s->depth};
    if (r == cudaSuccess && flags)
        *flags = s->flags;
    RT(r, "array=%p", (void *)array);
}

cudaError_t
cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    const struct device_array_shape *s;
    int r = desc ? shape_of(array, &s) : rt_fail(cudaErrorInvalidValue, "desc is NULL");
    if (r == cudaSuccess)
        *desc = desc_of(s);
    RT(r, "array=%p", (const void *)array);
}

/* -- mipmapped arrays -------------------------------------------------------------------------- */

static size_t
halved(size_t n, unsigned level)
{
    return !n ? 0 : n >> level ? n >> level : 1;
}

static int
mipmap_new(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *desc, struct cudaExtent e,
           unsigned levels, unsigned flags)
{
    if (!out || !levels || levels > TEXTURE_LEVELS)
        return rt_fail(cudaErrorInvalidValue, "%u levels: 1 to %d", levels, TEXTURE_LEVELS);
    struct cudaMipmappedArray *m = ls_alloc(sizeof *m);
    int r = cudaSuccess;
    bool stacked = flags & (cudaArrayLayered | cudaArrayCubemap);
    for (; m->levels < levels && r == cudaSuccess; m->levels++) {
        struct cudaExtent x = {halved(e.width, m->levels), halved(e.height, m->levels),
                               stacked ? e.depth : halved(e.depth, m->levels)};
        r = array_new(&m->level[m->levels], desc, x, flags);
    }
    if (r != cudaSuccess) {
        for (unsigned k = 0; k + 1 < m->levels; k++)
            device_array_free(m->level[k]);
        ls_release(m);
        return r;
    }
    pthread_mutex_lock(&lock);
    m->next = mipmaps;
    mipmaps = m;
    pthread_mutex_unlock(&lock);
    *out = m;
    return cudaSuccess;
}

static bool
mipmap_is(cudaMipmappedArray_const_t array, bool take_out)
{
    pthread_mutex_lock(&lock);
    struct cudaMipmappedArray **at = &mipmaps;
    while (*at && *at != array)
        at = &(*at)->next;
    bool found = *at != NULL;
    if (found && take_out)
        *at = (*at)->next;
    pthread_mutex_unlock(&lock);
    return found;
}

cudaError_t
cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc,
                         struct cudaExtent e, unsigned int levels, unsigned int flags)
{
    RT(mipmap_new(array, desc, e, levels, flags), "extent=(%zu,%zu,%zu) levels=%u flags=0x%x",
       e.width, e.height, e.depth, levels, flags);
}

cudaError_t
cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_const_t array, unsigned int level)
{
    int r = cudaSuccess;
    if (!out || !mipmap_is(array, false) || level >= array->levels)
        r = rt_fail(cudaErrorInvalidValue, "level %u of %p", level, (const void *)array);
    else
        *out = (cudaArray_t)array->level[level];
    RT(r, "array=%p level=%u", (const void *)array, level);
}

cudaError_t
cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
    int r = cudaSuccess;
    if (array && !mipmap_is(array, true))
        r = rt_fail(cudaErrorInvalidResourceHandle, "%p is no mipmapped array", (void *)array);
    for (unsigned k = 0; array && r == cudaSuccess && k < array->levels; k++)
        device_array_free(array->level[k]);
    if (r == cudaSuccess)
        ls_release(array);
    RT(r, "array=%p", (void *)array);
}

/* -- descriptors ------------------------------------------------------------------------------- */

static int
from_mipmap(struct texture *t, cudaMipmappedArray_t m)
{
    if (!mipmap_is(m, false))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no mipmapped array", (void *)m);
    for (unsigned k = m->levels; k-- > 0;) {
        struct texture one = *t;
        device_texture_from_array(&one, device_array_shape(m->level[k]));
        struct texture_level level = one.level[0];
        memcpy(one.level, t->level, sizeof one.level);
        *t = one;
        t->level[k] = level;
    }
    t->levels = (uint8_t)m->levels;
    return cudaSuccess;
}

static int
from_memory(struct texture *t, const void *at, const struct cudaChannelFormatDesc *desc,
            size_t bytes, size_t width, size_t height, size_t pitch)
{
    struct device_array_shape s = {0};
    int r = rt_format_of(desc, &s);
    if (r != cudaSuccess)
        return r;
    return (int)device_texture_from_memory(
        t, &s, &(struct device_texture_memory){(uint64_t)at, bytes, width, height, pitch});
}

static int
from_resource(struct texture *t, const struct cudaResourceDesc *d)
{
    const struct device_array_shape *s;
    int r;
    switch (d->resType) {
    case cudaResourceTypeArray:
        r = shape_of(d->res.array.array, &s);
        if (r == cudaSuccess)
            device_texture_from_array(t, s);
        return r;
    case cudaResourceTypeMipmappedArray: return from_mipmap(t, d->res.mipmap.mipmap);
    case cudaResourceTypeLinear:
        return from_memory(t, d->res.linear.devPtr, &d->res.linear.desc, d->res.linear.sizeInBytes,
                           0, 0, 0);
    case cudaResourceTypePitch2D:
        if (!d->res.pitch2D.height)
            return rt_fail(cudaErrorInvalidValue, "a height of 0");
        return from_memory(t, d->res.pitch2D.devPtr, &d->res.pitch2D.desc, 0, d->res.pitch2D.width,
                           d->res.pitch2D.height, d->res.pitch2D.pitchInBytes);
    }
    return rt_fail(cudaErrorInvalidValue, "resource type %d", (int)d->resType);
}

static int
set_reading(struct texture *t, const struct cudaTextureDesc *d)
{
    for (int k = 0; k < 3; k++) {
        enum cudaTextureAddressMode mode = d->addressMode[k];
        bool normalized_only = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
        t->address[k] =
            (uint8_t)(normalized_only && !d->normalizedCoords ? cudaAddressModeClamp : mode);
        t->border[k] = d->borderColor[k];
    }
    t->border[3] = d->borderColor[3];
    t->filter_linear = d->filterMode == cudaFilterModeLinear;
    t->mipmap_linear = d->mipmapFilterMode == cudaFilterModeLinear;
    t->normalized_coordinates = d->normalizedCoords != 0;
    t->normalized_read = d->readMode == cudaReadModeNormalizedFloat;
    t->srgb = d->sRGB != 0;
    t->anisotropy = d->maxAnisotropy;
    t->level_bias = d->mipmapLevelBias;
    t->level_least = d->minMipmapLevelClamp;
    t->level_most = d->maxMipmapLevelClamp;
    if (t->cubemap && d->seamlessCubemap)
        return rt_fail(cudaErrorNotSupported,
                       "filtering across the faces of a cube (seamlessCubemap) "
                       "is not supported");
    return (int)device_texture_check(t);
}

struct saved {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    bool surface;
};

static int
object_new(unsigned long long *out, const struct cudaResourceDesc *resource,
           const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    struct texture t = {.surface = texture == NULL};
    struct device *d;
    if (!out || !resource)
        return rt_fail(cudaErrorInvalidValue, "%s is NULL",
                       out ? "the resource descriptor" : "the result");
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        r = from_resource(&t, resource);
    if (r == cudaSuccess && texture)
        r = set_reading(&t, texture);
    if (r != cudaSuccess)
        return r;
    struct saved s = {.resource = *resource, .surface = texture == NULL};
    if (texture)
        s.texture = *texture;
    if (view)
        s.view = *view;
    *out = device_texture_new(d, &t, &s, sizeof s);
    return *out ? cudaSuccess : cudaErrorUnknown;
}

static int
saved_of(unsigned long long handle, bool surface, const struct saved **out)
{
    *out = device_texture_saved(handle);
    if (!*out || (*out)->surface != surface)
        return rt_fail(cudaErrorInvalidValue, "0x%llx is no %s object", handle,
                       surface ? "surface" : "texture");
    return cudaSuccess;
}

static int
object_free(unsigned long long handle, bool surface)
{
    const struct saved *s;
    int r = saved_of(handle, surface, &s);
    return r == cudaSuccess ? (int)device_texture_free(handle) : r;
}

cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *resource,
                        const struct cudaTextureDesc *texture,
                        const struct cudaResourceViewDesc *view)
{
    RT(texture ? object_new(out, resource, texture, view)
               : rt_fail(cudaErrorInvalidValue, "texDesc is NULL"),
       "texObject=0x%llx", out ? *out : 0);
}

cudaError_t
cudaDestroyTextureObject(cudaTextureObject_t object)
{
    RT(object_free(object, false), "texObject=0x%llx", object);
}

/* One row a question: what was given when the object was made. */
#define SAVED(name, type, object_type, field, is_surface)                                          \
    cudaError_t name(struct type *out, object_type object)                                         \
    {                                                                                              \
        const struct saved *s;                                                                     \
        int r = saved_of(object, is_surface, &s);                                                  \
        if (r == cudaSuccess)                                                                      \
            *out = s->field;                                                                       \
        RT(r, "object=0x%llx", object);                                                            \
    }
SAVED(cudaGetTextureObjectResourceDesc, cudaResourceDesc, cudaTextureObject_t, resource, false)
SAVED(cudaGetTextureObjectTextureDesc, cudaTextureDesc, cudaTextureObject_t, texture, false)
SAVED(cudaGetTextureObjectResourceViewDesc, cudaResourceViewDesc, cudaTextureObject_t, view, false)
SAVED(cudaGetSurfaceObjectResourceDesc, cudaResourceDesc, cudaSurfaceObject_t, resource, true)

cudaError_t
cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *resource)
{
    RT(resource && resource->resType != cudaResourceTypeArray
           ? rt_fail(cudaErrorInvalidValue, "a surface needs an array")
           : object_new(out, resource, NULL, NULL),
       "surfObject=0x%llx", out ? *out : 0);
}

cudaError_t
cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    RT(object_free(object, true), "surfObject=0x%llx", object);
}

cudaError_t
cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *desc,
                                     int device)
{
    struct device *d = device_at(device);
    int r = width && desc && d ? cudaSuccess : cudaErrorInvalidValue;
    if (r == cudaSuccess)
        *width = device_profile(d)->max_texture_1d_linear;
    RT(r, "device=%d", device);
}

/* -- references -------------------------------------------------------------------------------- */

/* Writes a texture object's handle (0: none) to the reference's device variable and frees the
 * object whose handle the variable held before. Returns a cudaError_t. */
static int
bind(const void *reference, uint64_t handle)
{
    uint64_t address, size, before = 0;
    struct device *d;
    int r = rt_variable(reference, &address, &size);
    if (r != cudaSuccess)
        return r == (int)cudaErrorInvalidSymbol ? (int)cudaErrorInvalidTexture : r;
    r = (int)device_use(&d);
    if (r == cudaSuccess)
        r = (int)device_read(d, address, &before, sizeof before);
    if (before && device_texture_saved(before))
        device_texture_free(before);
    return r == cudaSuccess ? (int)device_write(d, address, &handle, sizeof handle) : r;
}

static int
bind_resource(const struct textureReference *ref, const struct cudaResourceDesc *resource)
{
    unsigned long long handle;
    if (!ref)
        return rt_fail(cudaErrorInvalidTexture, "the texture reference is NULL");
    struct cudaTextureDesc t = {
        .addressMode = {ref->addressMode[0], ref->addressMode[1], ref->addressMode[2]},
        .filterMode = ref->filterMode,
        .readMode =
            rt_reference_normalized(ref) ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .sRGB = ref->sRGB,
        .normalizedCoords = ref->normalized,
        .maxAnisotropy = ref->maxAnisotropy,
        .mipmapFilterMode = ref->mipmapFilterMode,
        .mipmapLevelBias = ref->mipmapLevelBias,
        .minMipmapLevelClamp = ref->minMipmapLevelClamp,
        .maxMipmapLevelClamp = ref->maxMipmapLevelClamp,
    };
    int r = object_new(&handle, resource, &t, NULL);
    if (r != cudaSuccess)
        return r;
    r = bind(ref, handle);
    if (r != cudaSuccess)
        device_texture_free(handle);
    return r;
}

static int
bind_memory(size_t *offset, const struct textureReference *ref, const void *p,
            const struct cudaChannelFormatDesc *desc, size_t size)
{
    struct allocation a;
    if (offset)
        *offset = 0;
    if (!device_find((uint64_t)p, &a))
        return rt_fail(cudaErrorInvalidValue, "%p is no device memory", p);
    size_t left = a.size - ((uint64_t)p - a.base); /* "all of it" is asked for by UINT_MAX */
    struct cudaResourceDesc d = {.resType = cudaResourceTypeLinear};
    d.res.linear.devPtr = (void *)(uintptr_t)p;
    d.res.linear.desc = *desc;
    d.res.linear.sizeInBytes = size < left ? size : left;
    return bind_resource(ref, &d);
}

cudaError_t
cudaBindTexture(size_t *offset, const struct textureReference *ref, const void *p,
                const struct cudaChannelFormatDesc *desc, size_t size)
{
    RT(desc ? bind_memory(offset, ref, p, desc, size)
            : rt_fail(cudaErrorInvalidValue, "desc is NULL"),
       "texref=%p devPtr=%p size=%zu", (const void *)ref, p, size);
}

cudaError_t
cudaBindTexture2D(size_t *offset, const struct textureReference *ref, const void *p,
                  const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                  size_t pitch)
{
    struct cudaResourceDesc d = {.resType = cudaResourceTypePitch2D};
    if (offset)
        *offset = 0;
    if (!desc)
        RT(rt_fail(cudaErrorInvalidValue, "desc is NULL"), "texref=%p", (const void *)ref);
    d.res.pitch2D.devPtr = (void *)(uintptr_t)p;
    d.res.pitch2D.desc = *desc;
    d.res.pitch2D.width = width;
    d.res.pitch2D.height = height;
    d.res.pitch2D.pitchInBytes = pitch;
    RT(bind_resource(ref, &d), "texref=%p devPtr=%p width=%zu height=%zu pitch=%zu",
       (const void *)ref, p, width, height, pitch);
}

cudaError_t
cudaBindTextureToArray(const struct textureReference *ref, cudaArray_const_t array,
                       const struct cudaChannelFormatDesc *desc)
{
    struct cudaResourceDesc d = {.resType = cudaResourceTypeArray};
    (void)desc;
    d.res.array.array = (cudaArray_t)(uintptr_t)array;
    RT(bind_resource(ref, &d), "texref=%p array=%p", (const void *)ref, (const void *)array);
}

cudaError_t
cudaBindTextureToMipmappedArray(const struct textureReference *ref,
                                cudaMipmappedArray_const_t array,
                                const struct cudaChannelFormatDesc *desc)
{
    struct cudaResourceDesc d = {.resType = cudaResourceTypeMipmappedArray};
    (void)desc;
    d.res.mipmap.mipmap = (cudaMipmappedArray_t)(uintptr_t)array;
    RT(bind_resource(ref, &d), "texref=%p array=%p", (const void *)ref, (const void *)array);
}

cudaError_t
cudaUnbindTexture(const struct textureReference *ref)
{
    RT(bind(ref, 0), "texref=%p", (const void *)ref);
}

cudaError_t
cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *ref)
{
    if (offset)
        *offset = 0;
    RT(offset ? cudaSuccess : rt_fail(cudaErrorInvalidValue, "offset is NULL"), "texref=%p",
       (const void *)ref);
}

cudaError_t
cudaGetTextureReference(const struct textureReference **ref, const void *symbol)
{
    uint64_t address, size;
    int r = ref ? rt_variable(symbol, &address, &size)
                : rt_fail(cudaErrorInvalidValue, "texref is NULL");
    if (r == cudaSuccess)
        *ref = symbol;
    RT(r, "symbol=%p", symbol);
}

static int
bind_surface(const struct surfaceReference *ref, cudaArray_const_t array)
{
    struct cudaResourceDesc d = {.resType = cudaResourceTypeArray};
    unsigned long long handle;
    d.res.array.array = (cudaArray_t)(uintptr_t)array;
    int r = object_new(&handle, &d, NULL, NULL);
    if (r != cudaSuccess)
        return r;
    r = bind(ref, handle);
    if (r != cudaSuccess)
        device_texture_free(handle);
    return r;
}

cudaError_t
cudaBindSurfaceToArray(const struct surfaceReference *ref, cudaArray_const_t array,
                       const struct cudaChannelFormatDesc *desc)
{
    (void)desc;
    RT(bind_surface(ref, array), "surfref=%p array=%p", (const void *)ref, (const void *)array);
}

cudaError_t
cudaGetSurfaceReference(const struct surfaceReference **ref, const void *symbol)
{
    uint64_t address, size;
    int r = ref ? rt_variable(symbol, &address, &size)
                : rt_fail(cudaErrorInvalidValue, "surfref is NULL");
    if (r == cudaSuccess)
        *ref = symbol;
    RT(r, "symbol=%p", symbol);
}
