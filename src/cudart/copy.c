/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.c: copies and fills of one to three dimensions, linear memory and arrays, and symbols. All
 * become a device_copy or a device_fill, which device checks and runs.
 */
#include "cudart/cudart.h"

#include <string.h>

/* -- from the API's terms ---------------------------------------------------------------------- */

static struct device_side
linear(const void *at, size_t pitch)
{
    return (struct device_side){.at = (uint8_t *)(uintptr_t)at, .pitch = pitch, .rows = 1};
}

static struct device_side
in_array(cudaArray_const_t array, size_t x, size_t y)
{
    return (struct device_side){.array = (struct device_array *)(uintptr_t)array, .x = x, .y = y};
}

/* A __device__ variable named where its address is meant: a frequent mistake. */
static int
explain(int r, const struct device_copy *c)
{
    const char *to = r == cudaErrorInvalidValue && c->to.at ? rt_shadowed(c->to.at) : NULL;
    const char *from = r == cudaErrorInvalidValue && c->from.at ? rt_shadowed(c->from.at) : NULL;
    struct arena names = {0};
    if (to || from)
        rt_fail(
            r,
            "\"%s\" is a variable on the device, and the host's address of it no device memory: "
            "cudaMemcpy%sSymbol takes the variable",
            ls_readable_name(&names, to ? to : from), to ? "To" : "From");
    arena_free(&names);
    return r;
}

static int
submit(struct device_side to, struct device_side from, size_t width, size_t height,
       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct device_stream *s;
    struct device_copy c = {.to = to,
                            .from = from,
                            .width = width,
                            .height = height,
                            .depth = 1,
                            .direction = (enum device_direction)kind};
    int r = rt_stream(stream, &s);
    return r == cudaSuccess ? explain((int)device_copy(s, &c), &c) : r;
}

static int
copy(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return submit(linear(dst, n), linear(src, n), n, 1, kind, stream);
}

static int
copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (width > dpitch || width > spitch)
        return rt_fail(cudaErrorInvalidPitchValue, "width %zu, pitches %zu and %zu", width, dpitch,
                       spitch);
    return submit(linear(dst, dpitch), linear(src, spitch), width, height, kind, stream);
}

/* -- linear ------------------------------------------------------------------------------------ */

#define LINEAR "dst=%p src=%p count=%zu kind=%d stream=%p"

cudaError_t
cudaMemcpy(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind)
{
    RT(copy(dst, src, n, kind, NULL), LINEAR, dst, src, n, (int)kind, NULL);
}

cudaError_t
cudaMemcpyAsync(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t s)
{
    RT(copy(dst, src, n, kind, s), LINEAR, dst, src, n, (int)kind, (void *)s);
}

static int
copy_peer(void *dst, int to, const void *src, int from, size_t n, cudaStream_t s)
{
    if (!device_at(to) || !device_at(from))
        return cudaErrorInvalidDevice;
    return copy(dst, src, n, cudaMemcpyDeviceToDevice, s);
}

cudaError_t
cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t n)
{
    RT(copy_peer(dst, to, src, from, n, NULL), "dst=%p device=%d src=%p device=%d count=%zu", dst,
       to, src, from, n);
}

cudaError_t
cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t n, cudaStream_t s)
{
    RT(copy_peer(dst, to, src, from, n, s), "dst=%p device=%d src=%p device=%d count=%zu stream=%p",
       dst, to, src, from, n, (void *)s);
}

/* -- two dimensions ---------------------------------------------------------------------------- */

#define PITCHED "dst=%p dpitch=%zu src=%p spitch=%zu width=%zu height=%zu kind=%d"

cudaError_t
cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
             enum cudaMemcpyKind kind)
{
    RT(copy_2d(dst, dpitch, src, spitch, w, h, kind, NULL), PITCHED, dst, dpitch, src, spitch, w, h,
       (int)kind);
}

cudaError_t
cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
                  enum cudaMemcpyKind kind, cudaStream_t s)
{
    RT(copy_2d(dst, dpitch, src, spitch, w, h, kind, s), PITCHED " stream=%p", dst, dpitch, src,
       spitch, w, h, (int)kind, (void *)s);
}

static int
to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t w, size_t h,
         enum cudaMemcpyKind kind, cudaStream_t s)
{
    if (w > spitch)
        return rt_fail(cudaErrorInvalidPitchValue, "width %zu, pitch %zu", w, spitch);
    return submit(in_array(dst, x, y), linear(src, spitch), w, h, kind, s);
}

static int
from_array(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t w, size_t h,
           enum cudaMemcpyKind kind, cudaStream_t s)
{
    if (w > dpitch)
        return rt_fail(cudaErrorInvalidPitchValue, "width %zu, pitch %zu", w, dpitch);
    return submit(linear(dst, dpitch), in_array(src, x, y), w, h, kind, s);
}

cudaError_t
cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t w,
                    size_t h, enum cudaMemcpyKind kind)
{
    RT(to_array(dst, x, y, src, spitch, w, h, kind, NULL), "array=%p src=%p width=%zu height=%zu",
       (void *)dst, src, w, h);
}

cudaError_t
cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
                         size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s)
{
    RT(to_array(dst, x, y, src, spitch, w, h, kind, s),
       "array=%p src=%p width=%zu height=%zu stream=%p", (void *)dst, src, w, h, (void *)s);
}

cudaError_t
cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t w,
                      size_t h, enum cudaMemcpyKind kind)
{
    RT(from_array(dst, dpitch, src, x, y, w, h, kind, NULL), "dst=%p array=%p width=%zu height=%zu",
       dst, (const void *)src, w, h);
}

cudaError_t
cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
                           size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s)
{
    RT(from_array(dst, dpitch, src, x, y, w, h, kind, s),
       "dst=%p array=%p width=%zu height=%zu stream=%p", dst, (const void *)src, w, h, (void *)s);
}

cudaError_t
cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src, size_t xs,
                         size_t ys, size_t w, size_t h, enum cudaMemcpyKind kind)
{
    RT(submit(in_array(dst, xd, yd), in_array(src, xs, ys), w, h, kind, NULL),
       "dst=%p src=%p width=%zu height=%zu", (void *)dst, (const void *)src, w, h);
}

/* -- the older array copies: a count of bytes that fills row after row ------------------------- */

static size_t
row_of(cudaArray_const_t array)
{
    const struct device_array_shape *a = device_array_shape((const struct device_array *)array);
    return a ? a->width * a->element_bytes : 0;
}

/* Copies n bytes in three pieces: to the end of the first row, whole rows, the begin of the last
 * row. */
static int
rows_between(cudaArray_const_t array, size_t x, size_t y, void *memory, size_t n, bool to,
             enum cudaMemcpyKind kind, cudaStream_t s)
{
    size_t row = row_of(array);
    uint8_t *at = memory;
    if (!row || x > row)
        return rt_fail(cudaErrorInvalidValue, "%s", row ? "the offset lies outside" : "no array");
    while (n) {
        size_t w = n < row - x ? n : row - x, h = x == 0 && w == row ? n / row : 1;
        struct device_side a = in_array(array, x, y), m = linear(at, w);
        int r = to ? submit(a, m, w, h, kind, s) : submit(m, a, w, h, kind, s);
        if (r != cudaSuccess)
            return r;
        at += w * h;
        n -= w * h;
        y += h;
        x = 0;
    }
    return cudaSuccess;
}

cudaError_t
cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t n,
                  enum cudaMemcpyKind kind)
{
    RT(rows_between(dst, x, y, (void *)(uintptr_t)src, n, true, kind, NULL),
       "array=%p src=%p count=%zu", (void *)dst, src, n);
}

cudaError_t
cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t n,
                       enum cudaMemcpyKind kind, cudaStream_t s)
{
    RT(rows_between(dst, x, y, (void *)(uintptr_t)src, n, true, kind, s),
       "array=%p src=%p count=%zu", (void *)dst, src, n);
}

cudaError_t
cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t n,
                    enum cudaMemcpyKind kind)
{
    RT(rows_between(src, x, y, dst, n, false, kind, NULL), "dst=%p array=%p count=%zu", dst,
       (const void *)src, n);
}

cudaError_t
cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t n,
                         enum cudaMemcpyKind kind, cudaStream_t s)
{
    RT(rows_between(src, x, y, dst, n, false, kind, s), "dst=%p array=%p count=%zu", dst,
       (const void *)src, n);
}

static int
array_to_array(cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src, size_t xs, size_t ys,
               size_t n)
{
    size_t to = row_of(dst), from = row_of(src);
    while (n) {
        if (xd >= to || xs >= from)
            return rt_fail(cudaErrorInvalidValue,
                           "an offset lies outside its array, or is no array");
        size_t w = n < to - xd ? n : to - xd;
        w = w < from - xs ? w : from - xs;
        int r = submit(in_array(dst, xd, yd), in_array(src, xs, ys), w, 1, cudaMemcpyDeviceToDevice,
                       NULL);
        if (r != cudaSuccess)
            return r;
        n -= w;
        xd += w;
        xs += w;
        yd += xd == to;
        ys += xs == from;
        xd = xd == to ? 0 : xd;
        xs = xs == from ? 0 : xs;
    }
    return cudaSuccess;
}

cudaError_t
cudaMemcpyArrayToArray(cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src, size_t xs,
                       size_t ys, size_t n, enum cudaMemcpyKind kind)
{
    (void)kind;
    RT(array_to_array(dst, xd, yd, src, xs, ys, n), "dst=%p src=%p count=%zu", (void *)dst,
       (const void *)src, n);
}

/* -- three dimensions -------------------------------------------------------------------------- */

/* The extent counts elements when an array takes part; positions in linear memory count bytes. */
static size_t
unit_of(cudaArray_const_t a, cudaArray_const_t b)
{
    const struct device_array_shape *s =
        a ? device_array_shape((const struct device_array *)a) : NULL;
    if (!s && b)
        s = device_array_shape((const struct device_array *)b);
    return s ? s->element_bytes : 1;
}

static struct device_side
side_of(cudaArray_t array, const struct cudaPitchedPtr *p, struct cudaPos pos)
{
    struct device_side s = {.array = (struct device_array *)array,
                            .at = p->ptr,
                            .pitch = p->pitch,
                            .rows = p->ysize,
                            .x = pos.x,
                            .y = pos.y,
                            .z = pos.z};
    if (array)
        s.x *= unit_of(array, NULL);
    return s;
}

int
rt_copy_of(const struct cudaMemcpy3DParms *p, struct device_copy *out)
{
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "the parameters are NULL");
    if (!!p->srcArray == !!p->srcPtr.ptr || !!p->dstArray == !!p->dstPtr.ptr)
        return rt_fail(cudaErrorInvalidValue, "%s: exactly one of array and pointer is to be given",
                       !!p->srcArray == !!p->srcPtr.ptr ? "source" : "destination");
    if ((p->srcArray && !device_array_shape((struct device_array *)p->srcArray)) ||
        (p->dstArray && !device_array_shape((struct device_array *)p->dstArray)))
        return rt_fail(cudaErrorInvalidValue, "not an array");
    *out = (struct device_copy){
        .to = side_of(p->dstArray, &p->dstPtr, p->dstPos),
        .from = side_of(p->srcArray, &p->srcPtr, p->srcPos),
        .width = p->extent.width * unit_of(p->srcArray, p->dstArray),
        .height = p->extent.height,
        .depth = p->extent.depth,
        .direction = (enum device_direction)p->kind,
    };
    return cudaSuccess;
}

void
rt_copy_params(const struct device_copy *c, struct cudaMemcpy3DParms *out)
{
    cudaArray_t to = (cudaArray_t)c->to.array, from = (cudaArray_t)c->from.array;
    size_t unit = unit_of(from, to);
    *out = (struct cudaMemcpy3DParms){
        .srcArray = from,
        .srcPos = {c->from.x / (from ? unit : 1), c->from.y, c->from.z},
        .srcPtr = {c->from.at, c->from.pitch, c->from.pitch, c->from.rows},
        .dstArray = to,
        .dstPos = {c->to.x / (to ? unit : 1), c->to.y, c->to.z},
        .dstPtr = {c->to.at, c->to.pitch, c->to.pitch, c->to.rows},
        .extent = {c->width / unit, c->height, c->depth},
        .kind = (enum cudaMemcpyKind)c->direction,
    };
}

static int
copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    struct device_stream *s;
    struct device_copy c;
    int r = rt_stream(stream, &s);
    if (r == cudaSuccess)
        r = rt_copy_of(p, &c);
    return r == cudaSuccess ? (int)device_copy(s, &c) : r;
}

cudaError_t
cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    RT(copy_3d(p, NULL), "p=%p", (const void *)p);
}

cudaError_t
cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t s)
{
    RT(copy_3d(p, s), "p=%p stream=%p", (const void *)p, (void *)s);
}

static int
copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s)
{
    if (!p)
        return rt_fail(cudaErrorInvalidValue, "the parameters are NULL");
    struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                  p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return device_at(p->srcDevice) && device_at(p->dstDevice) ? copy_3d(&q, s)
                                                              : (int)cudaErrorInvalidDevice;
}

cudaError_t
cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    RT(copy_3d_peer(p, NULL), "p=%p", (const void *)p);
}

cudaError_t
cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s)
{
    RT(copy_3d_peer(p, s), "p=%p stream=%p", (const void *)p, (void *)s);
}

/* -- fills ------------------------------------------------------------------------------------- */

static int
fill(void *at, size_t pitch, size_t rows, int value, struct cudaExtent e, cudaStream_t stream)
{
    struct device_stream *s;
    struct device_fill f = {.at = at,
                            .pitch = pitch,
                            .rows = rows,
                            .width = e.width,
                            .height = e.height,
                            .depth = e.depth,
                            .value = (uint32_t)value,
                            .unit = 1};
    int r = rt_stream(stream, &s);
    return r == cudaSuccess ? (int)device_fill(s, &f) : r;
}

cudaError_t
cudaMemset(void *p, int value, size_t n)
{
    RT(fill(p, n, 1, value, (struct cudaExtent){n, 1, 1}, NULL), "devPtr=%p value=%d count=%zu", p,
       value, n);
}

cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s)
{
    RT(fill(p, n, 1, value, (struct cudaExtent){n, 1, 1}, s),
       "devPtr=%p value=%d count=%zu stream=%p", p, value, n, (void *)s);
}

cudaError_t
cudaMemset2D(void *p, size_t pitch, int value, size_t w, size_t h)
{
    RT(fill(p, pitch, h, value, (struct cudaExtent){w, h, 1}, NULL),
       "devPtr=%p pitch=%zu value=%d width=%zu height=%zu", p, pitch, value, w, h);
}

cudaError_t
cudaMemset2DAsync(void *p, size_t pitch, int value, size_t w, size_t h, cudaStream_t s)
{
    RT(fill(p, pitch, h, value, (struct cudaExtent){w, h, 1}, s),
       "devPtr=%p pitch=%zu value=%d width=%zu height=%zu stream=%p", p, pitch, value, w, h,
       (void *)s);
}

cudaError_t
cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
    RT(fill(p.ptr, p.pitch, p.ysize, value, e, NULL), "ptr=%p value=%d", p.ptr, value);
}

cudaError_t
cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t s)
{
    RT(fill(p.ptr, p.pitch, p.ysize, value, e, s), "ptr=%p value=%d stream=%p", p.ptr, value,
       (void *)s);
}

/* -- symbols ----------------------------------------------------------------------------------- */

int
rt_symbol(const void *symbol, size_t offset, size_t count, void **out)
{
    uint64_t address = 0, size = 0;
    int r = rt_variable(symbol, &address, &size);
    if (r != cudaSuccess)
        return r;
    if (offset > size || count > size - offset)
        return rt_fail(cudaErrorInvalidValue, "%zu bytes from offset %zu: the variable has %llu",
                       count, offset, (unsigned long long)size);
    *out = (void *)(address + offset);
    return cudaSuccess;
}

static int
to_symbol(const void *symbol, const void *src, size_t n, size_t offset, enum cudaMemcpyKind kind,
          cudaStream_t s)
{
    void *at;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return rt_fail(cudaErrorInvalidMemcpyDirection, "direction %d to a symbol", (int)kind);
    int r = rt_symbol(symbol, offset, n, &at);
    return r == cudaSuccess ? copy(at, src, n, kind, s) : r;
}

static int
from_symbol(void *dst, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
            cudaStream_t s)
{
    void *at;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return rt_fail(cudaErrorInvalidMemcpyDirection, "direction %d from a symbol", (int)kind);
    int r = rt_symbol(symbol, offset, n, &at);
    return r == cudaSuccess ? copy(dst, at, n, kind, s) : r;
}

#define SYMBOL "symbol=%p host=%p count=%zu offset=%zu kind=%d"

cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *src, size_t n, size_t offset,
                   enum cudaMemcpyKind kind)
{
    RT(to_symbol(symbol, src, n, offset, kind, NULL), SYMBOL, symbol, src, n, offset, (int)kind);
}

cudaError_t
cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t n, size_t offset,
                        enum cudaMemcpyKind kind, cudaStream_t s)
{
    RT(to_symbol(symbol, src, n, offset, kind, s), SYMBOL " stream=%p", symbol, src, n, offset,
       (int)kind, (void *)s);
}

cudaError_t
cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t n, size_t offset,
                     enum cudaMemcpyKind kind)
{
    RT(from_symbol(dst, symbol, n, offset, kind, NULL), SYMBOL, symbol, dst, n, offset, (int)kind);
}

cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t n, size_t offset,
                          enum cudaMemcpyKind kind, cudaStream_t s)
{
    RT(from_symbol(dst, symbol, n, offset, kind, s), SYMBOL " stream=%p", symbol, dst, n, offset,
       (int)kind, (void *)s);
}

cudaError_t
cudaGetSymbolAddress(void **out, const void *symbol)
{
    RT(out ? rt_symbol(symbol, 0, 0, out) : rt_fail(cudaErrorInvalidValue, "devPtr is NULL"),
       "symbol=%p", symbol);
}

cudaError_t
cudaGetSymbolSize(size_t *size, const void *symbol)
{
    uint64_t address, n = 0;
    int r =
        size ? rt_variable(symbol, &address, &n) : rt_fail(cudaErrorInvalidValue, "size is NULL");
    if (r == cudaSuccess)
        *size = n;
    RT(r, "symbol=%p size=%llu", symbol, (unsigned long long)n);
}
