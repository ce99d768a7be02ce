/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_map.c: a tensor's map, from the arguments of the driver's calls, and the walk over a box
 * or a column of pixels by it. Interleaved tensors are NC/8HWC8 and NC/16HWC16 (PTX ISA 5.5.5):
 * slices of 16 or 32 bytes hold neighbouring channels of a pixel. Their dimensions on an H200: W, H
 * and D as far as there are, then C/8 or C/16, of which a box has one whatever it says, then N.
 */
#include "memory/tensor_map.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t
tensor_type_bytes(enum tensor_type type)
{
    static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < TENSOR_TYPES ? bytes[type] : 0;
}

static bool
tensor_type_floats(enum tensor_type type)
{
    return type >= TENSOR_F16 && type <= TENSOR_TF32_FTZ;
}

static uint32_t
span_of(uint32_t swizzle)
{
    static const uint8_t span[TENSOR_SWIZZLES] = {0, 32, 64, 128, 128, 128, 128};
    return span[swizzle];
}

/* im2col::w::128: 128 pixels, a halo behind each 32 (PTX ISA 5.5.5). */
enum { WIDE_PIXELS = 128, WIDE_GROUP = 32, WIDE_GROUPS = WIDE_PIXELS / WIDE_GROUP };

static bool
is_wide(enum tensor_mode mode)
{
    return mode == TENSOR_IM2COL_W || mode == TENSOR_IM2COL_W128;
}

const char *
tensor_mode_name(enum tensor_mode mode)
{
    static const char *const names[TENSOR_MODES] = {"tiled", "im2col", "im2col::w",
                                                    "im2col::w::128"};
    return mode < TENSOR_MODES ? names[mode] : "none";
}

/* -- what the driver refuses ------------------------------------------------------------------- */

enum { SHARED_MOST = 227 << 10 };

struct refusal {
    char *why;
    size_t room;
};

static bool __attribute__((format(printf, 2, 3)))
no(const struct refusal *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, r->room, format, args);
    va_end(args);
    return false;
}

static bool
kinds_are_known(const struct tensor_args *a, const struct refusal *r)
{
    if (a->type >= TENSOR_16U4_ALIGN8)
        return no(r,
                  a->type < TENSOR_TYPES
                      ? "tensorDataType %u: packed values of 4 and 6 bits are not supported"
                      : "tensorDataType %u is none",
                  a->type);
    if (a->interleave > 2)
        return no(r, "interleave %u: 0 (none), 1 (16 bytes) or 2 (32 bytes)", a->interleave);
    if (a->swizzle >= TENSOR_SWIZZLES)
        return no(r, "swizzle %u: 0 to %d", a->swizzle, TENSOR_SWIZZLES - 1);
    if (a->swizzle > TENSOR_SWIZZLE_128 && !a->newest)
        return no(r,
                  "swizzle %u: atoms of 32 and 64 bytes are for compute capability 10.0 and "
                  "newer; a 9.0 refuses them",
                  a->swizzle);
    if (a->swizzle == TENSOR_SWIZZLE_128_ATOM_32_FLIP_8)
        return no(r, "swizzle %u: flipped halves of 16 bytes are not supported", a->swizzle);
    if (a->promotion > 3)
        return no(r, "l2Promotion %u: 0 to 3", a->promotion);
    if (a->fill > 1)
        return no(r, "oobFill %u: 0 (zeros) or 1 (NaN)", a->fill);
    if (a->fill && !tensor_type_floats((enum tensor_type)a->type))
        return no(r, "oobFill is NaN, but tensorDataType %u is no floating-point type", a->type);
    if (a->interleave == 2 && a->swizzle != TENSOR_SWIZZLE_32)
        return no(r, "interleave of 32 bytes goes with the swizzle of 32 bytes only");
    return true;
}

static bool
rank_is_right(const struct tensor_args *a, const struct refusal *r)
{
    uint32_t least = a->mode || a->interleave ? 3 : 1;
    if (a->rank < least || a->rank > TENSOR_RANKS)
        return no(r, "tensorRank is %u: %u to %d%s", a->rank, least, TENSOR_RANKS,
                  a->interleave ? " with interleaved layouts" : "");
    return true;
}

static bool
tensor_is_right(const struct tensor_args *a, const struct refusal *r)
{
    uint32_t unit = a->interleave == 2 ? 32 : 16;
    const char *why = unit == 32 ? " with interleave of 32 bytes" : "";
    if (a->address % unit)
        return no(r, "globalAddress 0x%llx is no multiple of %u%s", (unsigned long long)a->address,
                  unit, why);
    for (uint32_t k = 0; k < a->rank; k++)
        if (!a->dim[k] || a->dim[k] > 1ull << 32)
            return no(r, "globalDim[%u] is %llu: 1 to 2^32", k, (unsigned long long)a->dim[k]);
    for (uint32_t k = 0; k + 1 < a->rank; k++)
        if (a->stride[k] % unit || a->stride[k] >= 1ull << 40)
            return no(r, "globalStrides[%u] is %llu bytes: a multiple of %u%s, less than 2^40", k,
                      (unsigned long long)a->stride[k], unit, why);
    return true;
}

/* The innermost dimension's bytes in shared memory. */
static bool
row_is_right(const struct tensor_args *a, const char *name, uint32_t elements,
             const struct refusal *r)
{
    uint32_t bytes = elements * tensor_type_bytes((enum tensor_type)a->type);
    if (bytes % 16)
        return no(r, "%s is %u, %u bytes: a multiple of 16 bytes", name, elements, bytes);
    if (!a->interleave && a->swizzle && bytes > span_of(a->swizzle))
        return no(r, "%s is %u, %u bytes: at most the %u bytes of the swizzle", name, elements,
                  bytes, span_of(a->swizzle));
    return true;
}

/* A number for each dimension. */
static bool
each_is_right(const struct tensor_args *a, const char *name, const uint32_t *value, uint32_t most,
              const struct refusal *r)
{
    for (uint32_t k = 0; k < a->rank; k++)
        if (!value[k] || value[k] > most)
            return no(r, "%s[%u] is %u: 1 to %u", name, k, value[k], most);
    return true;
}

static bool
steps_are_right(const struct tensor_args *a, const struct refusal *r)
{
    return each_is_right(a, "elementStrides", a->step, 8, r);
}

/* Which sizes in between an H200's driver refuses is not known: it takes boxes of 131,072 bytes and
 * refuses those of 261,120. */
static bool
box_fits(const struct tensor_args *a, const struct refusal *r)
{
    uint64_t bytes = tensor_type_bytes((enum tensor_type)a->type);
    for (uint32_t k = 0; k < a->rank; k++)
        bytes *= k ? (a->box[k] + a->step[k] - 1) / a->step[k] : a->box[k];
    if (bytes > SHARED_MOST)
        return no(r, "a box has %llu bytes: at most the %u of a block's shared memory",
                  (unsigned long long)bytes, SHARED_MOST);
    return true;
}

static bool
box_is_right(const struct tensor_args *a, const struct refusal *r)
{
    return each_is_right(a, "boxDim", a->box, 256, r) &&
           row_is_right(a, "boxDim[0]", a->box[0], r) && box_fits(a, r);
}

/* Wide modes have 16 bits for their only corner. */
static bool
corner_is_right(const struct tensor_args *a, const char *name, uint32_t k, int value,
                const struct refusal *r)
{
    int most = a->rank == 3 || is_wide(a->mode) ? 1 << 15 : a->rank == 4 ? 1 << 7 : 1 << 4;
    if (value < -most || value >= most)
        return no(r, "%s[%u] is %d: %d to %d for %u dimensions", name, k, value, -most, most - 1,
                  a->rank);
    return true;
}

static uint32_t
corners_of(const struct tensor_args *a)
{
    return is_wide(a->mode) ? 1 : a->mode == TENSOR_IM2COL ? a->rank - 2 : 0;
}

/* cuTensorMapEncodeIm2colWide names these swizzles alone; the PTX manual (5.5.5) excludes only none
 * and the flipped one. */
static bool
wide_is_right(const struct tensor_args *a, const struct refusal *r)
{
    if (a->swizzle != TENSOR_SWIZZLE_64 && a->swizzle != TENSOR_SWIZZLE_128 &&
        a->swizzle != TENSOR_SWIZZLE_128_ATOM_32)
        return no(r, "swizzle %u: %s has 64 bytes (2), 128 bytes (3) and 128 bytes by 32 (4)",
                  a->swizzle, tensor_mode_name(a->mode));
    return true;
}

static bool
pixels_are_right(const struct tensor_args *a, const struct refusal *r)
{
    if (a->interleave)
        return no(r, "interleave %u: interleaved layouts are not supported with im2col",
                  a->interleave);
    if (!a->channels || a->channels > 256)
        return no(r, "channelsPerPixel is %u: 1 to 256", a->channels);
    if (a->mode != TENSOR_IM2COL_W128 && (!a->pixels || a->pixels > 1024))
        return no(r, "pixelsPerColumn is %u: 1 to 1024", a->pixels);
    if (is_wide(a->mode) && !wide_is_right(a, r))
        return false;
    for (uint32_t k = 0; k + 2 < a->rank; k++)
        if (a->dim[k + 1] >= 1ull << 31)
            return no(r, "globalDim[%u] is %llu: less than 2^31 with im2col", k + 1,
                      (unsigned long long)a->dim[k + 1]);
    for (uint32_t k = 0; k < corners_of(a); k++) {
        int64_t width = (int64_t)a->dim[k + 1] + a->upper[k] - a->lower[k];
        if (!corner_is_right(a, "pixelBoxLowerCorner", k, a->lower[k], r) ||
            !corner_is_right(a, "pixelBoxUpperCorner", k, a->upper[k], r))
            return false;
        if (width <= 0)
            return no(r, "no pixel is between pixelBoxLowerCorner[%u] and pixelBoxUpperCorner[%u]",
                      k, k);
    }
    return row_is_right(a, "channelsPerPixel", a->channels, r);
}

bool
tensor_map_encode(struct tensor_map *out, const struct tensor_args *a, char *why, size_t room)
{
    struct refusal r = {why, room};
    if (!kinds_are_known(a, &r) || !rank_is_right(a, &r) || !tensor_is_right(a, &r) ||
        !steps_are_right(a, &r) || !(a->mode ? pixels_are_right(a, &r) : box_is_right(a, &r)))
        return false;
    *out = (struct tensor_map){.magic = TENSOR_MAP_MAGIC,
                               .type = (uint8_t)a->type,
                               .rank = (uint8_t)a->rank,
                               .interleave = (uint8_t)a->interleave,
                               .swizzle = (uint8_t)a->swizzle,
                               .promotion = (uint8_t)a->promotion,
                               .fill = (uint8_t)a->fill,
                               .mode = (uint8_t)a->mode,
                               .pixels = a->mode == TENSOR_IM2COL_W128 ? WIDE_PIXELS : a->pixels,
                               .address = a->address};
    for (uint32_t k = 0; k < a->rank; k++) {
        out->dim[k] = (uint32_t)(a->dim[k] - 1);
        out->box[k] = (uint16_t)(!a->mode ? a->box[k] : k ? 1 : a->channels);
        out->step[k] = (uint8_t)(k || a->interleave ? a->step[k] : 1);
        if (k)
            out->stride[k - 1] = a->stride[k - 1];
    }
    for (uint32_t k = 0; k < corners_of(a); k++) {
        out->lower[k] = (int16_t)a->lower[k];
        out->upper[k] = (int16_t)a->upper[k];
    }
    return true;
}

bool
tensor_map_serves(const struct tensor_map *m, enum tensor_mode mode)
{
    return m->mode == mode || (m->mode == TENSOR_IM2COL_W && mode == TENSOR_IM2COL_W128);
}

bool
tensor_map_replace_address(struct tensor_map *m, uint64_t address, char *why, size_t room)
{
    struct refusal r = {why, room};
    uint32_t unit = m->interleave == 2 ? 32 : 16;
    if (m->magic != TENSOR_MAP_MAGIC)
        return no(&r, "tensorMap is none that cuTensorMapEncodeTiled or its kin made");
    if (address % unit)
        return no(&r, "globalAddress 0x%llx is no multiple of %u", (unsigned long long)address,
                  unit);
    m->address = address;
    return true;
}

/* -- tensormap.replace ------------------------------------------------------------------------- */

/* The manual's numbers of types have .f32.ftz before .f64 and .bf16 (PTX ISA 9.7.9.28). */
static bool
replace_type(struct tensor_map *m, uint64_t value)
{
    static const uint8_t types[] = {TENSOR_U8,      TENSOR_U16, TENSOR_U32,  TENSOR_S32,
                                    TENSOR_U64,     TENSOR_S64, TENSOR_F16,  TENSOR_F32,
                                    TENSOR_F32_FTZ, TENSOR_F64, TENSOR_BF16, TENSOR_TF32,
                                    TENSOR_TF32_FTZ};
    if (value >= sizeof types)
        return false;
    m->type = types[value];
    return true;
}

bool
tensor_map_replace(struct tensor_map *m, enum tensor_field field, uint32_t ordinal, uint64_t value)
{
    if (m->magic != TENSOR_MAP_MAGIC || ordinal >= TENSOR_RANKS ||
        (field == TENSOR_FIELD_STRIDE && ordinal >= TENSOR_RANKS - 1))
        return false;
    switch (field) {
    case TENSOR_FIELD_ADDRESS: m->address = value; return value % 16 == 0;
    case TENSOR_FIELD_RANK: m->rank = (uint8_t)(value + 1); return value < TENSOR_RANKS;
    case TENSOR_FIELD_BOX: m->box[ordinal] = (uint16_t)value; return value && value <= 256;
    case TENSOR_FIELD_DIM: m->dim[ordinal] = (uint32_t)(value - 1); return value != 0;
    case TENSOR_FIELD_STRIDE: m->stride[ordinal] = value; return value % 16 == 0;
    case TENSOR_FIELD_STEP: m->step[ordinal] = (uint8_t)value; return value && value <= 8;
    case TENSOR_FIELD_TYPE: return replace_type(m, value);
    case TENSOR_FIELD_INTERLEAVE: m->interleave = (uint8_t)value; return value <= 2;
    case TENSOR_FIELD_SWIZZLE: m->swizzle = (uint8_t)value; return value <= TENSOR_SWIZZLE_128;
    case TENSOR_FIELD_ATOM: return value == 0; /* 16 bytes */
    case TENSOR_FIELD_FILL: m->fill = (uint8_t)value; return value <= 1;
    }
    return false;
}

/* -- the walk ---------------------------------------------------------------------------------- */

static uint32_t
steps_of(const struct tensor_map *m, uint32_t k)
{
    return (m->box[k] + m->step[k] - 1u) / m->step[k];
}

static struct tensor_axis
axis_of(const struct tensor_map *m, uint32_t k, int32_t at, uint64_t stride)
{
    return (struct tensor_axis){.first = at,
                                .dim = (int64_t)m->dim[k] + 1,
                                .stride = stride,
                                .count = steps_of(m, k),
                                .step = m->step[k]};
}

/* Which bytes of a row lie in the tensor, whose rows have `size` elements of `bytes`. */
static void
cut_row(struct tensor_walk *w, int64_t first, uint32_t bytes)
{
    int64_t low = -first * bytes, high = ((int64_t)w->map->dim[0] + 1 - first) * bytes;
    w->low = (uint32_t)(low < 0 ? 0 : low > w->row ? w->row : low);
    w->high = (uint32_t)(high < 0 ? 0 : high > w->row ? w->row : high);
    if (w->high <= w->low)
        w->low = w->high = 0;
    w->base = w->map->address + (uint64_t)(first * bytes);
}

static void
begin_interleaved(struct tensor_walk *w)
{
    const struct tensor_map *m = w->map;
    uint32_t unit = 16u * m->interleave;
    const int32_t *at = w->where->at;
    if (m->step[0] == 1) {
        w->row = m->box[0] * unit;
        cut_row(w, at[0], unit);
    } else {
        w->row = w->high = unit;
        w->base = m->address;
        w->axis[w->axes++] = axis_of(m, 0, at[0], unit);
    }
    for (uint32_t k = 1; k < m->rank; k++) {
        w->axis[w->axes] = axis_of(m, k, at[k], m->stride[k - 1]);
        if (k + 2 == m->rank)
            w->axis[w->axes].count = 1;
        w->axes++;
    }
    w->pitch = w->row;
}

static void
begin_box(struct tensor_walk *w)
{
    const struct tensor_map *m = w->map;
    for (uint32_t k = 1; k < m->rank; k++)
        w->axis[w->axes++] = axis_of(m, k, w->where->at[k], m->stride[k - 1]);
}

static void
begin_pixels(struct tensor_walk *w)
{
    for (uint32_t k = 0; k + 2 < w->map->rank; k++)
        w->pixel[k] = w->where->at[k + 1];
    w->batch = w->where->at[w->map->rank - 1];
}

void
tensor_walk_begin(struct tensor_walk *w, const struct tensor_map *m,
                  const struct tensor_where *where)
{
    uint32_t bytes = tensor_type_bytes((enum tensor_type)m->type);
    *w = (struct tensor_walk){.map = m, .where = where};
    if (m->interleave && !where->mode) {
        begin_interleaved(w);
        return;
    }
    w->row = m->box[0] * bytes;
    w->pitch = m->swizzle ? span_of(m->swizzle) : w->row;
    cut_row(w, where->at[0], bytes);
    if (where->mode)
        begin_pixels(w);
    else
        begin_box(w);
}

/* How many elements from `at` on, `step` apart, are as the first: inside 0 .. dim - 1 or not. */
static uint32_t
alike(int64_t at, int64_t dim, uint32_t step, uint32_t count, bool *inside)
{
    int64_t n = count;
    *inside = at >= 0 && at < dim;
    if (*inside)
        n = (dim - at + step - 1) / step;
    else if (at < 0)
        n = (-at + step - 1) / step;
    return n < count ? (uint32_t)n : count;
}

static void
put_slab(struct tensor_walk *w, struct tensor_slab *out, bool inside)
{
    out->at = w->at;
    out->low = inside ? w->low : 0;
    out->high = inside ? w->high : 0;
    w->at += out->rows * w->pitch;
    w->rows += out->rows;
}

static void
next_of_box(struct tensor_walk *w, struct tensor_slab *out)
{
    bool inside = true, first = true;
    uint64_t at = w->base;
    for (uint32_t k = 1; k < w->axes; k++) {
        const struct tensor_axis *a = &w->axis[k];
        int64_t i = a->first + (int64_t)w->now[k] * a->step;
        inside &= i >= 0 && i < a->dim;
        at += (uint64_t)i * a->stride;
    }
    out->rows = 1;
    out->step = 0;
    if (w->axes) {
        const struct tensor_axis *a = &w->axis[0];
        int64_t i = a->first + (int64_t)w->now[0] * a->step;
        out->rows = alike(i, a->dim, a->step, a->count - w->now[0], &first);
        out->step = a->stride * a->step;
        at += (uint64_t)i * a->stride;
        w->now[0] += out->rows;
    }
    out->global = at;
    put_slab(w, out, inside && first);
    uint32_t k = 0;
    while (k < w->axes && w->now[k] == w->axis[k].count) {
        w->now[k] = 0;
        if (++k < w->axes)
            w->now[k]++;
    }
    w->over = k == w->axes;
}

/* Pixels follow each other along W, then H, then D in the box between the corners, then in the next
 * image (PTX ISA 5.5.4). In the wide modes H and D stay as they are, and no dimension but W has a
 * traversal stride (5.5.5.2). */
static void
next_pixel(struct tensor_walk *w, uint32_t rows)
{
    const struct tensor_map *m = w->map;
    bool wide = is_wide(w->where->mode);
    uint32_t n = wide ? 1 : m->rank - 2u, k = 0;
    w->pixel[0] += (int64_t)rows * m->step[1];
    while (w->pixel[k] > (int64_t)m->dim[k + 1] + m->upper[k]) {
        w->pixel[k] = m->lower[k];
        if (++k == n) {
            w->batch += wide ? 1 : m->step[m->rank - 1];
            return;
        }
        w->pixel[k] += m->step[k + 1];
    }
}

/* At most `left` of them. That wOffset moves the box between the corners, too (5.5.5.4), is the
 * same as that each pixel of the box is moved. */
static void
take_pixels(struct tensor_walk *w, struct tensor_slab *out, int64_t left)
{
    const struct tensor_map *m = w->map;
    uint32_t n = m->rank - 2u;
    int64_t i = w->pixel[0] + w->where->shift[0];
    int64_t last = (int64_t)m->dim[1] + m->upper[0];
    int64_t run = w->pixel[0] > last ? 1 : (last - w->pixel[0]) / m->step[1] + 1;
    bool inside;
    out->rows =
        alike(i, (int64_t)m->dim[1] + 1, m->step[1], (uint32_t)(run < left ? run : left), &inside);
    out->step = m->stride[0] * m->step[1];
    out->global = w->base + (uint64_t)i * m->stride[0];
    for (uint32_t k = 1; k < n; k++) {
        i = w->pixel[k] + w->where->shift[k];
        inside &= i >= 0 && i <= (int64_t)m->dim[k + 1];
        out->global += (uint64_t)i * m->stride[k];
    }
    inside &= w->batch >= 0 && w->batch <= (int64_t)m->dim[m->rank - 1];
    out->global += (uint64_t)w->batch * m->stride[m->rank - 2];
    put_slab(w, out, inside);
    next_pixel(w, out->rows);
}

static uint32_t
pixels_of(const struct tensor_walk *w)
{
    return w->where->mode == TENSOR_IM2COL_W128 ? WIDE_PIXELS : w->map->pixels;
}

/* Pixels of halos: those that come next, behind all pixels or behind each 32 (5.5.5.3). */
static uint32_t
halos_of(const struct tensor_walk *w)
{
    uint32_t halo = is_wide(w->where->mode) ? w->where->halo : 0;
    return w->where->mode == TENSOR_IM2COL_W128 ? halo * WIDE_GROUPS : halo;
}

static void
next_of_pixels(struct tensor_walk *w, struct tensor_slab *out)
{
    uint32_t all = pixels_of(w) + halos_of(w);
    take_pixels(w, out, all - w->rows);
    w->over = w->rows == all;
}

/* im2col::w::128. How its halos lie in shared memory the manual leaves to a figure (19). Here:
 * behind the 128 pixels, the first halo pixel of each of the four groups, then the second of each:
 * rows for tcgen05.cp.4x256b, which has one for each quarter of tensor memory's lanes (9.7.16),
 * where those between the pixels would leave no matrix of 128 rows. Others report this order of
 * a 10.0; it is not measured here. A group begins where the last one ended, before that one's halo.
 */
static void
next_of_groups(struct tensor_walk *w, struct tensor_slab *out)
{
    uint32_t in_group = w->rows % WIDE_GROUP;
    if (w->rows && !in_group && w->halo < w->where->halo) {
        if (!w->halo)
            w->next_pixel = w->pixel[0], w->next_batch = w->batch;
        uint32_t at = w->at, rows = w->rows;
        w->at = (WIDE_PIXELS + w->halo * WIDE_GROUPS + w->rows / WIDE_GROUP - 1) * w->pitch;
        take_pixels(w, out, 1);
        w->at = at, w->rows = rows;
        if (++w->halo == w->where->halo)
            w->pixel[0] = w->next_pixel, w->batch = w->next_batch;
    } else {
        take_pixels(w, out, WIDE_GROUP - in_group);
        w->halo = w->rows % WIDE_GROUP ? w->halo : 0;
    }
    w->over = w->rows == WIDE_PIXELS && w->halo == w->where->halo;
}

bool
tensor_walk_next(struct tensor_walk *w, struct tensor_slab *out)
{
    if (w->over)
        return false;
    switch (w->where->mode) {
    case TENSOR_IM2COL:
    case TENSOR_IM2COL_W: next_of_pixels(w, out); break;
    case TENSOR_IM2COL_W128: next_of_groups(w, out); break;
    default: next_of_box(w, out); break;
    }
    return true;
}

static uint32_t
rows_of(const struct tensor_walk *w)
{
    uint32_t rows = w->where->mode ? pixels_of(w) + halos_of(w) : 1;
    for (uint32_t k = 0; k < w->axes; k++)
        rows *= w->axis[k].count;
    return rows;
}

uint64_t
tensor_walk_extent(const struct tensor_walk *w)
{
    return (uint64_t)(rows_of(w) - 1) * w->pitch + (w->pitch > w->row ? w->pitch : w->row);
}

uint32_t
tensor_map_bytes(const struct tensor_map *m, const struct tensor_where *where)
{
    struct tensor_walk w;
    tensor_walk_begin(&w, m, where);
    return rows_of(&w) * w.row;
}
