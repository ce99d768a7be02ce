/* SPDX-License-Identifier: Apache-2.0
 *
 * array.c: arrays, texture and surface objects, texture and surface references.
 *
 * An object's handle is the address of a struct texture (memory/texture.h). A reference of a module
 * is a variable of 8 bytes that holds the handle of what is bound to it; each call that changes a
 * reference makes that object anew, so that the order of the calls does not matter.
 */
#include "cuda/driver.h"

#include <string.h>

/* -- arrays ------------------------------------------------------------------------------------ */

static const struct {
    CUarray_format format;
    uint8_t bits, kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, TEXTURE_UNSIGNED},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, TEXTURE_UNSIGNED},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, TEXTURE_UNSIGNED},
    {CU_AD_FORMAT_SIGNED_INT8, 8, TEXTURE_SIGNED},
    {CU_AD_FORMAT_SIGNED_INT16, 16, TEXTURE_SIGNED},
    {CU_AD_FORMAT_SIGNED_INT32, 32, TEXTURE_SIGNED},
    {CU_AD_FORMAT_HALF, 16, TEXTURE_FLOAT},
    {CU_AD_FORMAT_FLOAT, 32, TEXTURE_FLOAT},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static int
cu_format_of(CUarray_format format, unsigned channels, struct device_array_shape *out)
{
    if (channels != 1 && channels != 2 && channels != 4)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "%u channels: 1, 2 or 4", channels);
    for (unsigned k = 0; k < FORMATS; k++)
        if (formats[k].format == format) {
            out->channels = channels;
            out->bits = formats[k].bits;
            out->kind = formats[k].kind;
            return CUDA_SUCCESS;
        }
    return cu_fail(CUDA_ERROR_INVALID_VALUE, "array format 0x%x", (unsigned)format);
}

static CUarray_format
format_of_shape(const struct device_array_shape *s)
{
    unsigned k = 0;
    while (k + 1 < FORMATS && (formats[k].bits != s->bits || formats[k].kind != s->kind))
        k++;
    return formats[k].format;
}

static int
array_new(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    struct device *device;
    int r = out && d ? cu_use(&device) : cu_null("pHandle or the descriptor");
    if (r != CUDA_SUCCESS)
        return r;
    struct device_array_shape s = {
        .width = d->Width, .height = d->Height, .depth = d->Depth, .flags = d->Flags};
    r = cu_format_of(d->Format, d->NumChannels, &s);
    if (r == CUDA_SUCCESS)
        r = (int)device_array_new(device, &s, (struct device_array **)out);
    if (r == CUDA_SUCCESS)
        cu_own(CU_OWNED_ARRAY, (uint64_t)*out);
    return r;
}

CUresult
cuArrayCreate_v2(CUarray *handle, const CUDA_ARRAY_DESCRIPTOR *d)
{
    CUDA_ARRAY3D_DESCRIPTOR full = {0};
    if (d)
        full = (CUDA_ARRAY3D_DESCRIPTOR){d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
    CU(array_new(handle, d ? &full : NULL), "width=%zu height=%zu", full.Width, full.Height);
}

CUresult
cuArray3DCreate_v2(CUarray *handle, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    CU(array_new(handle, d), "width=%zu height=%zu depth=%zu", d ? d->Width : 0, d ? d->Height : 0,
       d ? d->Depth : 0);
}

static int
shape_of(CUarray array, const struct device_array_shape **out)
{
    *out = device_array_shape((const struct device_array *)array);
    return *out ? (int)CUDA_SUCCESS
                : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no array", (void *)array);
}

CUresult
cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
    const struct device_array_shape *s;
    int r = d ? shape_of(array, &s) : cu_null("pArrayDescriptor");
    if (r == CUDA_SUCCESS)
        *d = (CUDA_ARRAY3D_DESCRIPTOR){s->width,           s->height,   s->depth,
                                       format_of_shape(s), s->channels, s->flags};
    CU(r, "array=%p", (void *)array);
}

CUresult
cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
    const struct device_array_shape *s;
    int r = d ? shape_of(array, &s) : cu_null("pArrayDescriptor");
    if (r == CUDA_SUCCESS)
        *d = (CUDA_ARRAY_DESCRIPTOR){s->width, s->height, format_of_shape(s), s->channels};
    CU(r, "array=%p", (void *)array);
}

CUresult
cuArrayDestroy(CUarray array)
{
    const struct device_array_shape *s;
    int r = shape_of(array, &s);
    if (r == CUDA_SUCCESS) {
        cu_disown(CU_OWNED_ARRAY, (uint64_t)array);
        r = (int)device_array_free((struct device_array *)array);
    }
    CU(r, "array=%p", (void *)array);
}

/* -- objects ----------------------------------------------------------------------------------- */

struct saved {
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    bool surface;
};

struct plain { /* linear (height 0) or pitched memory */
    CUdeviceptr at;
    CUarray_format format;
    unsigned channels;
    size_t bytes, width, height, pitch;
};

static int
from_memory(struct texture *t, const struct plain *p)
{
    struct device_array_shape s = {0};
    int r = cu_format_of(p->format, p->channels, &s);
    if (r != CUDA_SUCCESS)
        return r;
    return (int)device_texture_from_memory(
        t, &s, &(struct device_texture_memory){p->at, p->bytes, p->width, p->height, p->pitch});
}

static int
from_resource(struct texture *t, const CUDA_RESOURCE_DESC *d)
{
    const struct device_array_shape *s;
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY: {
        int r = shape_of(d->res.array.hArray, &s);
        if (r == CUDA_SUCCESS)
            device_texture_from_array(t, s);
        return r;
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return cu_refuse("mipmapped arrays of the driver API");
    case CU_RESOURCE_TYPE_LINEAR:
        return from_memory(t, &(struct plain){d->res.linear.devPtr, d->res.linear.format,
                                              d->res.linear.numChannels, d->res.linear.sizeInBytes,
                                              0, 0, 0});
    case CU_RESOURCE_TYPE_PITCH2D:
        if (!d->res.pitch2D.height)
            return cu_fail(CUDA_ERROR_INVALID_VALUE, "a height of 0");
        return from_memory(t, &(struct plain){d->res.pitch2D.devPtr, d->res.pitch2D.format,
                                              d->res.pitch2D.numChannels, 0, d->res.pitch2D.width,
                                              d->res.pitch2D.height, d->res.pitch2D.pitchInBytes});
    }
    return cu_fail(CUDA_ERROR_INVALID_VALUE, "resource type %d", (int)d->resType);
}

static int
set_reading(struct texture *t, const CUDA_TEXTURE_DESC *d)
{
    bool normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
    for (int k = 0; k < 3; k++) {
        CUaddress_mode mode = d->addressMode[k];
        bool normalized_only = mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR;
        t->address[k] = (uint8_t)(normalized_only && !normalized ? CU_TR_ADDRESS_MODE_CLAMP : mode);
    }
    memcpy(t->border, d->borderColor, sizeof t->border);
    t->filter_linear = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
    t->mipmap_linear = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    t->normalized_coordinates = normalized;
    /* integers of 8 and 16 bits are read as fractions unless the flag says otherwise */
    t->normalized_read =
        !(d->flags & CU_TRSF_READ_AS_INTEGER) && t->kind != TEXTURE_FLOAT && t->bits < 32;
    t->srgb = (d->flags & CU_TRSF_SRGB) != 0;
    t->anisotropy = d->maxAnisotropy;
    t->level_bias = d->mipmapLevelBias;
    t->level_least = d->minMipmapLevelClamp;
    t->level_most = d->maxMipmapLevelClamp;
    return (int)device_texture_check(t);
}

static int
object_new(CUtexObject *out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
           const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct texture t = {.surface = texture == NULL};
    struct device *d;
    int r = out && resource ? cu_use(&d) : cu_null("the result or the resource");
    if (r == CUDA_SUCCESS)
        r = from_resource(&t, resource);
    if (r == CUDA_SUCCESS && texture)
        r = set_reading(&t, texture);
    if (r != CUDA_SUCCESS)
        return r;
    struct saved s = {.resource = *resource, .surface = texture == NULL};
    if (texture)
        s.texture = *texture;
    if (view)
        s.view = *view;
    *out = device_texture_new(d, &t, &s, sizeof s);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static int
saved_of(CUtexObject handle, bool surface, const struct saved **out)
{
    *out = device_texture_saved(handle);
    return *out && (*out)->surface == surface
               ? (int)CUDA_SUCCESS
               : cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx is no %s object", handle,
                         surface ? "surface" : "texture");
}

CUresult
cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                  const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CU(texture ? object_new(out, resource, texture, view) : cu_null("pTexDesc"), "texObject=0x%llx",
       out ? *out : 0);
}

static int
object_free(CUtexObject object, bool surface)
{
    const struct saved *s;
    int r = saved_of(object, surface, &s);
    return r == CUDA_SUCCESS ? (int)device_texture_free(object) : r;
}

CUresult
cuTexObjectDestroy(CUtexObject object)
{
    CU(object_free(object, false), "texObject=0x%llx", object);
}

/* One row a question: what was given when the object was made. */
#define SAVED(name, type, object_type, field, is_surface)                                          \
    CUresult name(type *out, object_type object)                                                   \
    {                                                                                              \
        const struct saved *s;                                                                     \
        int r = out ? saved_of(object, is_surface, &s) : cu_null("the result");                    \
        if (r == CUDA_SUCCESS)                                                                     \
            *out = s->field;                                                                       \
        CU(r, "object=0x%llx", object);                                                            \
    }
SAVED(cuTexObjectGetResourceDesc, CUDA_RESOURCE_DESC, CUtexObject, resource, false)
SAVED(cuTexObjectGetTextureDesc, CUDA_TEXTURE_DESC, CUtexObject, texture, false)
SAVED(cuTexObjectGetResourceViewDesc, CUDA_RESOURCE_VIEW_DESC, CUtexObject, view, false)
SAVED(cuSurfObjectGetResourceDesc, CUDA_RESOURCE_DESC, CUsurfObject, resource, true)

CUresult
cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *resource)
{
    CU(resource && resource->resType != CU_RESOURCE_TYPE_ARRAY
           ? cu_fail(CUDA_ERROR_INVALID_VALUE, "a surface needs an array")
           : object_new(out, resource, NULL, NULL),
       "surfObject=0x%llx", out ? *out : 0);
}

CUresult
cuSurfObjectDestroy(CUsurfObject object)
{
    CU(object_free(object, true), "surfObject=0x%llx", object);
}

/* -- references -------------------------------------------------------------------------------- */

struct CUtexref_st {
    uint64_t variable; /* 0: not of a module */
    bool bound;
    CUarray_format format; /* for linear memory */
    unsigned channels;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
};

CUtexref
cu_texref_new(uint64_t variable)
{
    CUtexref t = ls_alloc(sizeof *t);
    t->variable = variable;
    t->format = CU_AD_FORMAT_FLOAT;
    t->channels = 1;
    for (int k = 0; k < 3; k++)
        t->texture.addressMode[k] = CU_TR_ADDRESS_MODE_CLAMP;
    return t;
}

/* The variable's value becomes the handle; what was bound before ends. */
static int
put(CUtexref t, CUtexObject handle)
{
    CUtexObject before = 0;
    struct device *d;
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS)
        r = (int)device_read(d, t->variable, &before, sizeof before);
    if (before && device_texture_saved(before))
        device_texture_free(before);
    return r == CUDA_SUCCESS ? (int)device_write(d, t->variable, &handle, sizeof handle) : r;
}

void
cu_texref_free(CUtexref t)
{
    ls_release(t);
}

static int
bind(CUtexref t)
{
    CUtexObject handle;
    if (!t->variable || !t->bound)
        return CUDA_SUCCESS;
    int r = object_new(&handle, &t->resource, &t->texture, NULL);
    return r == CUDA_SUCCESS ? put(t, handle) : r;
}

static int
need_reference(CUtexref t)
{
    return t ? (int)CUDA_SUCCESS : cu_null("hTexRef");
}

/* Changes the reference, then binds anew. */
#define CHANGE(change, ...)                                                                        \
    do {                                                                                           \
        int r_ = need_reference(t);                                                                \
        if (r_ == CUDA_SUCCESS) {                                                                  \
            change;                                                                                \
            r_ = bind(t);                                                                          \
        }                                                                                          \
        CU(r_, __VA_ARGS__);                                                                       \
    } while (0)

CUresult
cuTexRefCreate(CUtexref *out)
{
    if (out)
        *out = cu_texref_new(0);
    CU(out ? (int)CUDA_SUCCESS : cu_null("pTexRef"), "%s", "");
}

CUresult
cuTexRefDestroy(CUtexref t)
{
    int r = need_reference(t);
    if (r == CUDA_SUCCESS && t->variable)
        r = cu_fail(CUDA_ERROR_INVALID_HANDLE, "a module's reference ends with its module");
    if (r == CUDA_SUCCESS)
        cu_texref_free(t);
    CU(r, "texRef=%p", (void *)t);
}

CUresult
cuTexRefSetArray(CUtexref t, CUarray array, unsigned int flags)
{
    CHANGE(t->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY};
           t->resource.res.array.hArray = array;
           t->bound = true, "texRef=%p array=%p flags=%u", (void *)t, (void *)array, flags);
}

CUresult
cuTexRefSetAddress_v2(size_t *offset, CUtexref t, CUdeviceptr dptr, size_t bytes)
{
    if (offset)
        *offset = 0;
    CHANGE(t->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR};
           t->resource.res.linear.devPtr = dptr; t->resource.res.linear.format = t->format;
           t->resource.res.linear.numChannels = t->channels;
           t->resource.res.linear.sizeInBytes = bytes;
           t->bound = true, "texRef=%p dptr=0x%llx bytes=%zu", (void *)t, dptr, bytes);
}

CUresult
cuTexRefSetAddress2D_v3(CUtexref t, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr dptr, size_t pitch)
{
    if (!d)
        CU(cu_null("desc"), "texRef=%p", (void *)t);
    CHANGE(t->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D};
           t->resource.res.pitch2D.devPtr = dptr; t->resource.res.pitch2D.format = d->Format;
           t->resource.res.pitch2D.numChannels = d->NumChannels;
           t->resource.res.pitch2D.width = d->Width; t->resource.res.pitch2D.height = d->Height;
           t->resource.res.pitch2D.pitchInBytes = pitch;
           t->bound = true, "texRef=%p dptr=0x%llx pitch=%zu", (void *)t, dptr, pitch);
}

CUresult
cuTexRefSetFormat(CUtexref t, CUarray_format format, int channels)
{
    CHANGE(
        t->format = format; t->channels = (unsigned)channels;
        if (t->resource.resType == CU_RESOURCE_TYPE_LINEAR) {
            t->resource.res.linear.format = format;
            t->resource.res.linear.numChannels = t->channels;
        },
        "texRef=%p format=%d channels=%d", (void *)t, (int)format, channels);
}

CUresult
cuTexRefSetAddressMode(CUtexref t, int dim, CUaddress_mode mode)
{
    if (dim < 0 || dim > 2)
        CU(cu_fail(CUDA_ERROR_INVALID_VALUE, "dimension %d", dim), "texRef=%p", (void *)t);
    CHANGE(t->texture.addressMode[dim] = mode, "texRef=%p dim=%d mode=%d", (void *)t, dim,
           (int)mode);
}

CUresult
cuTexRefSetFilterMode(CUtexref t, CUfilter_mode mode)
{
    CHANGE(t->texture.filterMode = mode, "texRef=%p mode=%d", (void *)t, (int)mode);
}

CUresult
cuTexRefSetFlags(CUtexref t, unsigned int flags)
{
    CHANGE(t->texture.flags = flags, "texRef=%p flags=0x%x", (void *)t, flags);
}

CUresult
cuTexRefSetBorderColor(CUtexref t, float *color)
{
    if (!color)
        CU(cu_null("pBorderColor"), "texRef=%p", (void *)t);
    CHANGE(memcpy(t->texture.borderColor, color, 4 * sizeof *color), "texRef=%p", (void *)t);
}

/* Stores a property of the reference. */
#define PROPERTY(out, condition, value)                                                            \
    do {                                                                                           \
        int r_ = (out) ? need_reference(t) : cu_null("the result");                                \
        if (r_ == CUDA_SUCCESS && !(condition))                                                    \
            r_ = cu_fail(CUDA_ERROR_INVALID_VALUE, "nothing of that kind is bound");               \
        if (r_ == CUDA_SUCCESS)                                                                    \
            *(out) = (value);                                                                      \
        CU(r_, "texRef=%p", (void *)t);                                                            \
    } while (0)

CUresult
cuTexRefGetAddress_v2(CUdeviceptr *dptr, CUtexref t)
{
    PROPERTY(dptr, t->bound && t->resource.resType != CU_RESOURCE_TYPE_ARRAY,
             t->resource.res.linear.devPtr);
}

CUresult
cuTexRefGetArray(CUarray *array, CUtexref t)
{
    PROPERTY(array, t->bound && t->resource.resType == CU_RESOURCE_TYPE_ARRAY,
             t->resource.res.array.hArray);
}

CUresult
cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref t, int dim)
{
    PROPERTY(mode, dim >= 0 && dim <= 2, t->texture.addressMode[dim]);
}

CUresult
cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref t)
{
    PROPERTY(mode, true, t->texture.filterMode);
}

CUresult
cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref t)
{
    if (channels && t)
        *channels = (int)t->channels;
    PROPERTY(format, true, t->format);
}

CUresult
cuTexRefGetFlags(unsigned int *flags, CUtexref t)
{
    PROPERTY(flags, true, t->texture.flags);
}

static int
bind_surface(CUtexref t, CUarray array)
{
    CUtexObject handle;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    resource.res.array.hArray = array;
    int r = need_reference(t);
    if (r == CUDA_SUCCESS)
        r = object_new(&handle, &resource, NULL, NULL);
    if (r == CUDA_SUCCESS) {
        t->resource = resource;
        t->bound = true;
        r = put(t, handle);
    }
    return r;
}

CUresult
cuSurfRefSetArray(CUsurfref ref, CUarray array, unsigned int flags)
{
    CU(bind_surface((CUtexref)ref, array), "surfRef=%p array=%p flags=%u", (void *)ref,
       (void *)array, flags);
}

CUresult
cuSurfRefGetArray(CUarray *array, CUsurfref ref)
{
    CUtexref t = (CUtexref)ref;
    PROPERTY(array, t->bound, t->resource.res.array.hArray);
}
