/* SPDX-License-Identifier: Apache-2.0
 *
 * The texture unit. A coordinate becomes a texel number, for the linear filter with a fraction of
 * 8 bits, rounded to nearest; the weights of the four texels are 8 bit too and sum up to 256. All
 * of it is read off a real H200 (tests/data/h200_texture.csv). Start with texture_sample().
 */
#include <math.h>
#include <string.h>

#include "model/texture.h"

uint32_t
texture_element_bytes(enum texel_kind kind)
{
    switch (kind) {
    case TEXEL_U8:
    case TEXEL_S8: return 1;
    case TEXEL_F16:
    case TEXEL_U16:
    case TEXEL_S16: return 2;
    default: return 4;
    }
}

bool
texture_reads_floats(const struct texture_view *t)
{
    if (t->element == TEXEL_F32 || t->element == TEXEL_F16)
        return true;
    return t->normalized_read && texture_element_bytes(t->element) < 4;
}

/* -- coordinates ------------------------------------------------------------------------------- */

static uint32_t
size_of(const struct texture_view *t, uint32_t axis)
{
    if (axis >= t->dims)
        return 1;
    uint32_t size = axis == 0 ? t->width : axis == 1 ? t->height : t->depth;
    return size ? size : 1;
}

/* Wrap and mirror need normalised coordinates; without them the unit clamps (Guide, "Texture
 * Object API"). Axes that the texture does not have are of size 1 and take part in the filter: a
 * 1-D read with the border mode has a border above, too. */
static enum texture_address
mode_of(const struct texture_view *t, uint32_t axis)
{
    enum texture_address mode = t->address[axis < t->dims ? axis : 0];
    if (!t->normalized_coordinates && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR))
        return TEXTURE_CLAMP;
    return mode;
}

/* -1: border. */
static int64_t
resolve(int64_t i, int64_t n, enum texture_address mode)
{
    switch (mode) {
    case TEXTURE_CLAMP: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case TEXTURE_WRAP: i %= n; return i < 0 ? i + n : i;
    case TEXTURE_MIRROR:
        i %= 2 * n;
        i = i < 0 ? i + 2 * n : i;
        return i < n ? i : 2 * n - 1 - i;
    default: return i < 0 || i >= n ? -1 : i;
    }
}

/* In texels; exact: 24 bits times a size below 2^29 fit a double. Of a normalised coordinate, 21
 * bits behind the point count, the others are cut off (h100_wrapped.csv). Not a number counts as 0.
 */
static double
in_texels(const struct texture_view *t, const float coordinate[3], uint32_t axis)
{
    if (axis >= t->dims)
        return 0;
    const double steps = 2097152; /* of 1; a float from 4 on has no finer ones */
    double v = coordinate[axis];
    if (t->normalized_coordinates)
        v = (fabs(v) < 4 ? floor(v * steps) / steps : v) * size_of(t, axis);
    v += t->offset[axis];
    const double most = 1099511627776.0; /* 2^40: beyond, only the side matters */
    return isnan(v) ? 0 : v > most ? most : v < -most ? -most : v;
}

/* -- texels ------------------------------------------------------------------------------------ */

static float
half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
    if (exponent == 0) {
        float value = ldexpf((float)fraction, -24);
        return sign ? -value : value;
    }
    uint32_t bits = sign | (exponent == 31 ? 0xffu : exponent + 112) << 23 | fraction << 13;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

uint16_t
texture_half_of(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 255, fraction = bits & 0x7fffff;
    if (exponent == 255)
        return (uint16_t)(sign | (fraction ? 0x7fff : 0x7c00));
    int32_t e = (int32_t)exponent - 112;
    uint32_t drop = 13;
    if (e <= 0) { /* a denormal half: the leading one becomes visible and moves down */
        if (e < -10)
            return (uint16_t)sign;
        fraction |= 0x800000;
        drop += 1 - (uint32_t)e;
        e = 0;
    }
    uint32_t kept = fraction >> drop, rest = fraction & ((1u << drop) - 1), tie = 1u << (drop - 1);
    uint32_t half = ((uint32_t)e << 10) + kept + (rest > tie || (rest == tie && (kept & 1)));
    return (uint16_t)(sign | (half >= 0x7c00 ? 0x7c00 : half));
}

static uint32_t
float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static const uint8_t *
texel_at(const struct texture_view *t, const int64_t index[3])
{
    return (const uint8_t *)t->data + (uint64_t)index[2] * t->slice +
           (uint64_t)index[1] * t->pitch +
           (uint64_t)index[0] * t->channels * texture_element_bytes(t->element);
}

/* The element as an integer; floats as their bits. */
static int64_t
raw_channel(const struct texture_view *t, const uint8_t *texel, uint32_t channel)
{
    uint32_t bytes = texture_element_bytes(t->element), bits = 0;
    memcpy(&bits, texel + channel * bytes, bytes);
    switch (t->element) {
    case TEXEL_S8: return (int8_t)bits;
    case TEXEL_S16: return (int16_t)bits;
    case TEXEL_S32: return (int32_t)bits;
    default: return bits;
    }
}

/* Normalised integers on their way through the filter: 16 bits. u8 is widened by repeating its
 * bits (255 * 257 = 65535); s8 likewise, which for signed values is not measured. */
static int32_t
unit_16(enum texel_kind kind, int64_t raw)
{
    switch (kind) {
    case TEXEL_U8: return (int32_t)raw * 257;
    case TEXEL_S8: return raw <= -127 ? -32767 : (int32_t)lround((double)raw * 32767 / 127);
    case TEXEL_S16: return raw < -32767 ? -32767 : (int32_t)raw;
    default: return (int32_t)raw;
    }
}

static float
from_unit_16(enum texel_kind kind, int32_t value)
{
    bool is_signed = kind == TEXEL_S8 || kind == TEXEL_S16;
    return (float)((double)value / (is_signed ? 32767 : 65535));
}

static float
float_channel(const struct texture_view *t, int64_t raw)
{
    if (t->element == TEXEL_F16)
        return half_to_float((uint16_t)raw);
    float value;
    uint32_t bits = (uint32_t)raw;
    memcpy(&value, &bits, 4);
    return value;
}

/* sRGB to linear (IEC 61966-2-1); the fourth channel is not encoded. */
static bool
is_srgb(const struct texture_view *t, uint32_t channel)
{
    return t->srgb && t->element == TEXEL_U8 && t->normalized_read && channel < 3;
}

static float
linear_of_srgb(int64_t raw)
{
    double v = (double)raw / 255;
    return (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
}

/* One channel of one texel without a filter, as it is returned. */
static uint32_t
plain_channel(const struct texture_view *t, const uint8_t *texel, uint32_t channel)
{
    int64_t raw = raw_channel(t, texel, channel);
    if (t->element == TEXEL_F32)
        return (uint32_t)raw;
    if (!texture_reads_floats(t))
        return (uint32_t)raw;
    if (t->element == TEXEL_F16)
        return float_bits(half_to_float((uint16_t)raw));
    if (is_srgb(t, channel))
        return float_bits(linear_of_srgb(raw));
    switch (t->element) {
    case TEXEL_U8: return float_bits((float)((double)raw / 255));
    case TEXEL_S8: return float_bits(raw < -127 ? -1.0f : (float)((double)raw / 127));
    default: return float_bits(from_unit_16(t->element, unit_16(t->element, raw)));
    }
}

static void
missing_channels(const struct texture_view *t, uint32_t out[4])
{
    for (uint32_t c = t->channels; c < 4; c++)
        out[c] = c < 3 ? 0 : texture_reads_floats(t) ? float_bits(1.0f) : 1;
}

static uint32_t
border_channel(const struct texture_view *t, uint32_t channel)
{
    if (texture_reads_floats(t))
        return float_bits(t->border[channel]);
    return (uint32_t)(int64_t)t->border[channel];
}

/* -- reads ------------------------------------------------------------------------------------- */

/* NULL: the border. */
static const uint8_t *
nearest_texel(const struct texture_view *t, const float coordinate[3])
{
    int64_t index[3];
    bool border = false;
    for (uint32_t axis = 0; axis < 3; axis++) {
        double v = floor(in_texels(t, coordinate, axis));
        index[axis] = resolve((int64_t)v, size_of(t, axis), mode_of(t, axis));
        border = border || index[axis] < 0;
    }
    return border ? NULL : texel_at(t, index);
}

static void
sample_point(const struct texture_view *t, const float coordinate[3], uint32_t out[4])
{
    const uint8_t *texel = nearest_texel(t, coordinate);
    for (uint32_t c = 0; c < t->channels; c++)
        out[c] = texel ? plain_channel(t, texel, c) : border_channel(t, c);
}

/* Where a linear read falls on one axis: the lower texel and the upper one's share of 256. The
 * texel centres lie at .5; the fraction is rounded to the nearest 1/256. */
struct texel_pair {
    int64_t index[2];
    uint32_t share;
};

static struct texel_pair
texels_beside(const struct texture_view *t, const float coordinate[3], uint32_t axis)
{
    double v = floor(in_texels(t, coordinate, axis) * 256 - 127.5);
    int64_t fixed = (int64_t)v, low = fixed >> 8;
    int64_t n = size_of(t, axis);
    enum texture_address mode = mode_of(t, axis);
    return (struct texel_pair){.index = {resolve(low, n, mode), resolve(low + 1, n, mode)},
                               .share = (uint32_t)(fixed & 255)};
}

static uint32_t
part_of(uint32_t weight, uint32_t share)
{
    return (weight * share + 128) >> 8;
}

/* The eight weights, x fastest; they sum up to 256. The share of the far corner is rounded, the
 * others are what is left. The third axis goes on in the same way (not measured). */
static void
weights_of(const struct texture_view *t, const struct texel_pair s[3], uint32_t weight[8])
{
    uint32_t a = s[0].share, b = s[1].share, far = part_of(a, b);
    uint32_t plane[4] = {256 - a - b + far, a - far, b - far, far};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t upper = t->dims == 3 ? part_of(plane[i], s[2].share) : 0;
        weight[i] = plane[i] - upper;
        weight[4 + i] = upper;
    }
}

/* One of the eight, x fastest; NULL: the border. */
static const uint8_t *
corner_texel(const struct texture_view *t, const struct texel_pair s[3], uint32_t i)
{
    int64_t index[3] = {s[0].index[i & 1], s[1].index[i >> 1 & 1],
                        t->dims == 3 ? s[2].index[i >> 2] : 0};
    return index[0] < 0 || index[1] < 0 || index[2] < 0 ? NULL : texel_at(t, index);
}

static uint32_t
filtered_channel(const struct texture_view *t, const struct texel_pair s[3],
                 const uint32_t weight[8], uint32_t channel)
{
    bool srgb = is_srgb(t, channel);
    bool floats = t->element == TEXEL_F32 || t->element == TEXEL_F16 || srgb;
    bool is_signed = t->element == TEXEL_S8 || t->element == TEXEL_S16;
    double sum = 0;
    int64_t fixed = 0;
    for (uint32_t i = 0; i < 8; i++) {
        if (!weight[i])
            continue;
        const uint8_t *texel = corner_texel(t, s, i);
        if (!texel) {
            sum += weight[i] * (double)t->border[channel];
            fixed += weight[i] * llround((double)t->border[channel] * (is_signed ? 32767 : 65535));
            continue;
        }
        int64_t raw = raw_channel(t, texel, channel);
        if (floats)
            sum += weight[i] * (double)(srgb ? linear_of_srgb(raw) : float_channel(t, raw));
        else
            fixed += weight[i] * (int64_t)unit_16(t->element, raw);
    }
    if (floats)
        return float_bits((float)(sum / 256));
    return float_bits(from_unit_16(t->element, (int32_t)((fixed + 128) >> 8)));
}

void
texture_sample(const struct texture_view *t, const float coordinate[3], uint32_t out[4])
{
    if (!t->linear || !texture_reads_floats(t)) {
        sample_point(t, coordinate, out);
        missing_channels(t, out);
        return;
    }
    struct texel_pair s[3];
    uint32_t weight[8];
    for (uint32_t axis = 0; axis < 3; axis++)
        s[axis] = texels_beside(t, coordinate, axis);
    weights_of(t, s, weight);
    for (uint32_t c = 0; c < t->channels; c++)
        out[c] = filtered_channel(t, s, weight, c);
    missing_channels(t, out);
}

void
texture_sample_lanes(const struct texture_view *t, uint32_t lanes, const uint32_t (*coordinate)[32],
                     uint32_t (*out)[32])
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), result[4];
        float place[3] = {0, 0, 0};
        for (uint32_t axis = 0; axis < t->dims; axis++)
            memcpy(&place[axis], &coordinate[axis][lane], 4);
        texture_sample(t, place, result);
        for (uint32_t c = 0; c < 4; c++)
            out[c][lane] = result[c];
    }
}

void
texture_fetch(const struct texture_view *t, const int32_t index[3], uint32_t out[4])
{
    int64_t at[3] = {0, 0, 0};
    bool outside = false;
    for (uint32_t axis = 0; axis < t->dims; axis++) {
        at[axis] = index[axis];
        outside = outside || at[axis] < 0 || at[axis] >= size_of(t, axis);
    }
    for (uint32_t c = 0; c < t->channels; c++)
        out[c] = outside ? 0 : plain_channel(t, texel_at(t, at), c);
    missing_channels(t, out);
}

/* Writes one value to the elements of all lanes in the mask. */
static void
put_all(uint32_t row[32], uint32_t lanes, uint32_t value)
{
    if (lanes == ~0u) { /* a few vector stores instead of 32 tests */
        for (uint32_t lane = 0; lane < 32; lane++)
            row[lane] = value;
        return;
    }
    for (; lanes; lanes &= lanes - 1)
        row[__builtin_ctz(lanes)] = value;
}

/* Where each lane's texel of 4 bytes a channel lies; `none` for lanes
 * outside and lanes not named. */
static void
places_of(const struct texture_view *t, uint32_t lanes, const uint32_t (*index)[32],
          const uint8_t *none, const uint8_t *place[32])
{
    const uint8_t *data = t->data;
    uint32_t width = size_of(t, 0), height = size_of(t, 1), depth = size_of(t, 2);
    uint64_t stride = 4u * t->channels;
    for (uint32_t lane = 0; lane < 32; lane++) { /* below 0 is beyond the size, too */
        bool inside = (lanes >> lane & 1) && index[0][lane] < width;
        uint64_t at = index[0][lane] * stride;
        if (t->dims > 1) {
            inside = inside && index[1][lane] < height;
            at += index[1][lane] * t->pitch;
        }
        if (t->dims > 2) {
            inside = inside && index[2][lane] < depth;
            at += index[2][lane] * t->slice;
        }
        place[lane] = inside ? data + at : none;
    }
}

/* All lanes read 4 bytes each, side by side, all of them inside: the usual case. */
static bool
side_by_side(const struct texture_view *t, uint32_t lanes, const uint32_t *index)
{
    uint32_t differ = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        differ |= index[lane] ^ (index[0] + lane);
    return t->dims == 1 && t->channels == 1 && lanes == ~0u && !differ && index[0] < index[31] &&
           index[31] < size_of(t, 0);
}

static void
fetch_each(const struct texture_view *t, uint32_t lanes, const uint32_t (*index)[32],
           uint32_t (*out)[32])
{
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), result[4];
        int32_t at[3] = {0, 0, 0};
        for (uint32_t axis = 0; axis < t->dims; axis++)
            at[axis] = (int32_t)index[axis][lane];
        texture_fetch(t, at, result);
        for (uint32_t c = 0; c < 4; c++)
            out[c][lane] = result[c];
    }
}

void
texture_fetch_lanes(const struct texture_view *t, uint32_t lanes, const uint32_t (*index)[32],
                    uint32_t (*out)[32])
{
    static const uint8_t zeroes[16];
    const uint8_t *place[32];
    uint32_t rest[4] = {0, 0, 0, 0};
    if (texture_element_bytes(t->element) < 4) {
        fetch_each(t, lanes, index, out);
        return;
    }
    if (side_by_side(t, lanes, index[0])) {
        memcpy(out[0], (const uint8_t *)t->data + 4 * (size_t)index[0][0], sizeof out[0]);
    } else {
        places_of(t, lanes, index, zeroes, place);
        for (uint32_t c = 0; c < t->channels; c++)
            for (uint32_t lane = 0; lane < 32; lane++)
                if (lanes >> lane & 1)
                    memcpy(&out[c][lane], place[lane] + 4 * c, 4);
    }
    missing_channels(t, rest);
    for (uint32_t c = t->channels; c < 4; c++)
        put_all(out[c], lanes, rest[c]);
}

void
texture_gather(const struct texture_view *t, const float coordinate[2], uint32_t component,
               uint32_t out[4])
{
    static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const float place[3] = {coordinate[0], coordinate[1], 0};
    struct texel_pair x = texels_beside(t, place, 0), y = texels_beside(t, place, 1);
    for (uint32_t i = 0; i < 4; i++) {
        int64_t index[3] = {x.index[corner[i][0]], y.index[corner[i][1]], 0};
        uint32_t all[4];
        missing_channels(t, all);
        if (component < t->channels)
            all[component] = index[0] < 0 || index[1] < 0
                                 ? border_channel(t, component)
                                 : plain_channel(t, texel_at(t, index), component);
        out[i] = all[component & 3];
    }
}

uint32_t
texture_texels(const struct texture_view *t, const float coordinate[3], bool gather,
               const uint8_t *out[8])
{
    uint32_t weight[8] = {1, 1, 1, 1}, count = 0;
    if (!gather && (!t->linear || !texture_reads_floats(t))) {
        out[0] = nearest_texel(t, coordinate);
        return out[0] != NULL;
    }
    struct texel_pair s[3];
    for (uint32_t axis = 0; axis < 3; axis++)
        s[axis] = texels_beside(t, coordinate, axis);
    if (!gather)
        weights_of(t, s, weight);
    for (uint32_t i = 0; i < 8; i++)
        if (weight[i] && (out[count] = corner_texel(t, s, i)))
            count++;
    return count;
}

/* -- cubes ------------------------------------------------------------------------------------- */

/* Programming Guide, "Cubemap Textures": per face the axis that is longest, and which axes, with
 * which sign, become s and t. Where two are equally long the later one counts (not measured). */
static const struct {
    int8_t major, s, t;
    float s_sign, t_sign;
} faces[6] = {
    {0, 2, 1, -1, -1}, {0, 2, 1, 1, -1}, {1, 0, 2, 1, 1},
    {1, 0, 2, 1, -1},  {2, 0, 1, 1, -1}, {2, 0, 1, -1, -1},
};

static uint32_t
face_of(const float d[3])
{
    float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
    uint32_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return 2 * axis + (d[axis] < 0);
}

uint32_t
texture_cube_face(const float direction[3], float out[3])
{
    uint32_t f = face_of(direction);
    float m = fabsf(direction[faces[f].major]);
    float s = faces[f].s_sign * direction[faces[f].s], t = faces[f].t_sign * direction[faces[f].t];
    out[0] = m > 0 ? (s / m + 1) / 2 : 0.5f;
    out[1] = m > 0 ? (t / m + 1) / 2 : 0.5f;
    out[2] = 0;
    return f;
}

void
texture_cube_gradient(const float direction[3], const float by[3], float out[3])
{
    uint32_t f = face_of(direction);
    float m = fabsf(direction[faces[f].major]);
    float dm = direction[faces[f].major] < 0 ? -by[faces[f].major] : by[faces[f].major];
    float ds = faces[f].s_sign * (by[faces[f].s] * m - direction[faces[f].s] * dm);
    float dt = faces[f].t_sign * (by[faces[f].t] * m - direction[faces[f].t] * dm);
    out[0] = m > 0 ? ds / (2 * m * m) : 0;
    out[1] = m > 0 ? dt / (2 * m * m) : 0;
    out[2] = 0;
}
