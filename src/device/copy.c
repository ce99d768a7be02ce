/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.c: copies and fills of up to three dimensions. A device pointer is a host pointer, so that
 * the work is memcpy once both ends are known to be what the call says they are.
 */
#include "device/device_priv.h"

#include <string.h>
#include <sys/mman.h>

/* A side as plain strides. */
struct strides {
    uint8_t *at;
    uint64_t pitch, slice;
};

static const char *
kind_name(enum allocation_kind kind)
{
    switch (kind) {
    case ALLOCATION_DEVICE: return "device memory";
    case ALLOCATION_VARIABLE: return "a device variable";
    case ALLOCATION_HOST: return "pinned host memory";
    case ALLOCATION_MANAGED: return "managed memory";
    case ALLOCATION_HEAP: return "memory that a kernel allocated";
    case ALLOCATION_ARRAY: return "an array";
    }
    return "memory";
}

static struct strides
strides_of(const struct device_side *s)
{
    const struct device_array_shape *a = s->array ? device_array_shape(s->array) : NULL;
    struct strides r = {s->at, s->pitch, s->pitch * s->rows};
    if (a) {
        r.at = (uint8_t *)a->base;
        r.pitch = a->pitch;
        r.slice = a->pitch * (a->height ? a->height : 1);
    }
    /* Not r.at + ...: a copy of nothing may come with a null pointer. */
    r.at = (uint8_t *)((uintptr_t)r.at + s->z * r.slice + s->y * r.pitch + s->x);
    return r;
}

static enum device_result
check_array(const struct device_side *s, const struct device_copy *c, const char *which)
{
    const struct device_array_shape *a = device_array_shape(s->array);
    if (!a)
        return device_fail(DEVICE_INVALID_HANDLE, "%s: %p is no array", which, (void *)s->array);
    uint64_t row = a->width * a->element_bytes, rows = a->height ? a->height : 1,
             slices = a->depth ? a->depth : 1;
    if (s->x > row || c->width > row - s->x || s->y > rows || c->height > rows - s->y ||
        s->z > slices || c->depth > slices - s->z)
        return device_fail(
            DEVICE_INVALID_VALUE,
            "%s: %llu x %llu x %llu (bytes, rows, slices) at (%llu, %llu, %llu) do not fit "
            "the array of %llu x %llu x %llu",
            which, (unsigned long long)c->width, (unsigned long long)c->height,
            (unsigned long long)c->depth, (unsigned long long)s->x, (unsigned long long)s->y,
            (unsigned long long)s->z, (unsigned long long)row, (unsigned long long)rows,
            (unsigned long long)slices);
    return DEVICE_OK;
}

enum where { ANYWHERE, ON_HOST, ON_DEVICE };

/* [at, at + size) lies where the call says, and in one allocation if in any. */
static enum device_result
check_range(const uint8_t *at, uint64_t size, enum where where, const char *which)
{
    struct allocation a;
    if (!at)
        return device_fail(DEVICE_INVALID_VALUE, "%s is NULL", which);
    bool known = device_find((uint64_t)at, &a);
    if (!known && where == ON_DEVICE)
        return device_fail(DEVICE_INVALID_VALUE, "%s: %p is no device memory", which, (void *)at);
    if (!known)
        return DEVICE_OK;
    uint64_t left = a.size - ((uint64_t)at - a.base);
    if (size > left)
        return device_fail(DEVICE_INVALID_VALUE,
                           "%s: %llu bytes at %p run %llu past the end of %s (%llu bytes)", which,
                           (unsigned long long)size, (void *)at, (unsigned long long)(size - left),
                           kind_name(a.kind), (unsigned long long)a.size);
    if (where == ON_HOST && a.kind != ALLOCATION_HOST && a.kind != ALLOCATION_MANAGED)
        return device_fail(DEVICE_INVALID_VALUE, "%s: the direction says host memory, but %p is %s",
                           which, (void *)at, kind_name(a.kind));
    return DEVICE_OK;
}

static enum device_result
check_side(const struct device_side *s, const struct device_copy *c, enum where where,
           const char *which)
{
    uint64_t slices, rows, size;
    if (s->array)
        return check_array(s, c, which);
    if ((c->height > 1 || c->depth > 1) && (s->pitch < c->width || s->pitch - c->width < s->x))
        return device_fail(DEVICE_INVALID_PITCH, "%s: rows of %llu bytes in a pitch of %llu", which,
                           (unsigned long long)c->width, (unsigned long long)s->pitch);
    struct strides t = strides_of(s);
    if (__builtin_mul_overflow(c->depth - 1, t.slice, &slices) ||
        __builtin_mul_overflow(c->height - 1, t.pitch, &rows) ||
        __builtin_add_overflow(slices, rows, &size) ||
        __builtin_add_overflow(size, c->width, &size))
        return device_fail(DEVICE_INVALID_VALUE, "%s: an absurd size", which);
    return check_range(t.at, size, where, which);
}

enum device_result
copy_check(const struct device_copy *c)
{
    static const enum where to[] = {ON_HOST, ON_DEVICE, ON_HOST, ON_DEVICE, ANYWHERE},
                            from[] = {ON_HOST, ON_HOST, ON_DEVICE, ON_DEVICE, ANYWHERE};
    if ((unsigned)c->direction > DEVICE_BY_ADDRESS)
        return device_fail(DEVICE_INVALID_DIRECTION, "direction %d is none", (int)c->direction);
    if (!c->width || !c->height || !c->depth)
        return DEVICE_OK;
    enum device_result r = check_side(&c->to, c, to[c->direction], "destination");
    return r != DEVICE_OK ? r : check_side(&c->from, c, from[c->direction], "source");
}

enum { PAGE = 4096, HUGE = 2 << 20 };

static bool
is_there(uint64_t page)
{
    unsigned char there;
    return mincore((void *)page, PAGE, &there) != 0 || (there & 1);
}

/* Results often go to memory that the program has just allocated. Its pages come with the first
 * byte written: 46 to 62 ms of page faults for 64 MiB in pages of 4 KiB, 15 in pages of 2 MiB. No
 * more than a hint, and only where whole large pages are written now. */
static void
large_pages(uint8_t *at, uint64_t size)
{
    uint64_t begin = ((uint64_t)at + HUGE - 1) & ~(uint64_t)(HUGE - 1);
    uint64_t end = ((uint64_t)at + size) & ~(uint64_t)(HUGE - 1);
    if (size < 2 * HUGE || begin >= end || is_there(begin) || is_there(end - PAGE))
        return;
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void
copy_run(const struct device_copy *c)
{
    struct strides to = strides_of(&c->to), from = strides_of(&c->from);
    bool flat = to.pitch == c->width && from.pitch == c->width;
    for (uint64_t z = 0; z < c->depth; z++) {
        uint8_t *d = to.at + z * to.slice;
        const uint8_t *s = from.at + z * from.slice;
        if (flat || c->height == 1) {
            large_pages(d, c->width * c->height);
            memmove(d, s, c->width * c->height);
            continue;
        }
        for (uint64_t y = 0; y < c->height; y++)
            memmove(d + y * to.pitch, s + y * from.pitch, c->width);
    }
}

/* -- fills ------------------------------------------------------------------------------------- */

enum device_result
fill_check(const struct device_fill *f)
{
    struct device_copy c = {.height = f->height, .depth = f->depth};
    struct device_side side = {.at = f->at, .pitch = f->pitch, .rows = f->rows};
    if (!f->width || !f->height || !f->depth)
        return DEVICE_OK;
    if (__builtin_mul_overflow(f->width, f->unit, &c.width))
        return device_fail(DEVICE_INVALID_VALUE, "an absurd size");
    if ((uint64_t)f->at % f->unit)
        return device_fail(DEVICE_INVALID_VALUE, "%p is not aligned to %u bytes", (void *)f->at,
                           f->unit);
    return check_side(&side, &c, ON_DEVICE, "destination");
}

static void
fill_row(uint8_t *at, uint64_t count, uint32_t value, uint32_t unit)
{
    if (unit == 1) {
        memset(at, (int)value, count);
        return;
    }
    for (uint64_t k = 0; k < count; k++)
        memcpy(at + k * unit, &value, unit);
}

void
fill_run(const struct device_fill *f)
{
    for (uint64_t z = 0; z < f->depth; z++)
        for (uint64_t y = 0; y < f->height; y++)
            fill_row(f->at + (z * f->rows + y) * f->pitch, f->width, f->value, f->unit);
}

/* -- arrays: storage.c ------------------------------------------------------------------------- */

const struct device_array_shape *
device_array_shape(const struct device_array *a)
{
    return handle_is(a, HANDLE_ARRAY) ? &a->shape : NULL;
}
