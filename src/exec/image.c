/* SPDX-License-Identifier: Apache-2.0
 *
 * image.c: texture and surface instructions of generated code (jit_services.image). A handle's
 * descriptor (memory/texture.h) becomes the view of one level and layer that the texture unit
 * (model/texture.h) reads. Lanes with one handle are done together. Start at exec_image.
 */
#include "exec/exec_priv.h"
#include "memory/texture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct image {
    struct jit_warp *warp;
    struct jit_image_insn what;
    uint32_t place;
    struct jit_image_data *data;
    const struct texture *texture; /* of the lanes at hand */
    const struct texture *reading; /* the sampler: texture, unless another handle gives it */
};

static _Noreturn void
fail(const struct image *m, uint32_t lanes, enum exec_status status, const char *what,
     const char *detail)
{
    exec_escape(m->warp->owner, m->warp->warp, lanes & -lanes, m->place, true, status, what,
                detail);
}

static int32_t
signed_at(const uint32_t *row, uint32_t lane)
{
    return (int32_t)row[lane];
}

static float
float_at(const uint32_t *row, uint32_t lane)
{
    float v;
    memcpy(&v, &row[lane], sizeof v);
    return v;
}

/* -- descriptors ------------------------------------------------------------------------------- */

static const struct texture *
descriptor(const struct image *m, uint32_t lanes, uint64_t handle)
{
    const struct texture *t = (const struct texture *)(uintptr_t)handle;
    char detail[96];
    if (!handle)
        fail(m, lanes, EXEC_ILLEGAL_ADDRESS, "illegal texture or surface",
             "the handle is 0: nothing is bound to the reference, or no object was created");
    if (handle % 8 == 0 && t->magic == TEXTURE_MAGIC)
        return t;
    snprintf(detail, sizeof detail, "0x%llx is no live texture or surface object",
             (unsigned long long)handle);
    fail(m, lanes, EXEC_ILLEGAL_ADDRESS, "illegal texture or surface", detail);
}

static enum texel_kind
texel_kind_of(const struct texture *t)
{
    bool is_signed = t->kind == TEXTURE_SIGNED;
    if (t->kind == TEXTURE_FLOAT)
        return t->bits == 16 ? TEXEL_F16 : TEXEL_F32;
    if (t->bits == 8)
        return is_signed ? TEXEL_S8 : TEXEL_U8;
    if (t->bits == 16)
        return is_signed ? TEXEL_S16 : TEXEL_U16;
    return is_signed ? TEXEL_S32 : TEXEL_U32;
}

static uint32_t
element_bytes(const struct texture *t)
{
    return t->channels * t->bits / 8u;
}

static struct texture_view
view_of(const struct image *m, uint32_t level, uint32_t layer)
{
    static const uint8_t dims[] = {[JIT_1D] = 1,  [JIT_2D] = 2,   [JIT_3D] = 3,   [JIT_A1D] = 1,
                                   [JIT_A2D] = 2, [JIT_CUBE] = 2, [JIT_ACUBE] = 2};
    const struct texture *t = m->texture, *s = m->reading;
    const struct texture_level *at = &t->level[level];
    bool cube = m->what.geometry == JIT_CUBE || m->what.geometry == JIT_ACUBE;
    struct texture_view v = {
        .data = (const void *)(uintptr_t)(at->base + layer * at->slice),
        .dims = dims[m->what.geometry],
        .width = at->width,
        .height = at->height,
        .depth = at->depth,
        .pitch = at->pitch,
        .slice = at->slice,
        .element = texel_kind_of(t),
        .channels = t->channels,
        .linear = s->filter_linear,
        .normalized_coordinates = s->normalized_coordinates || cube,
        .normalized_read = s->normalized_read,
        .srgb = s->srgb,
    };
    for (int k = 0; k < 3; k++) /* at the edge of a face the filter stays on it */
        v.address[k] = cube ? TEXTURE_CLAMP : (enum texture_address)s->address[k];
    memcpy(v.border, s->border, sizeof v.border);
    return v;
}

/* While a fault is being looked for: memory that is not there is this instruction's error. */
static void
check_memory(const struct image *m, uint32_t lanes)
{
    const struct exec_slot *s = m->warp->owner;
    const struct texture *t = m->texture;
    struct memory *memory = s->run->request->memory;
    if (!s->run->replay.on || !memory)
        return;
    for (uint32_t k = 0; k < t->levels; k++) {
        const struct texture_level *l = &t->level[k];
        uint64_t rows = (uint64_t)l->height * l->depth * l->layers;
        uint64_t bytes = (rows - 1) * l->pitch + (uint64_t)l->width * element_bytes(t);
        if (!memory_covers(memory, l->base, bytes))
            fail(m, lanes, EXEC_ILLEGAL_ADDRESS,
                 "illegal address: the memory behind a texture is gone", NULL);
    }
}

/* -- levels and layers ------------------------------------------------------------------------- */

static uint32_t
layer_of(const struct image *m, uint32_t lane, uint32_t face)
{
    uint32_t layers = m->texture->level[0].layers;
    bool layered =
        m->what.geometry == JIT_A1D || m->what.geometry == JIT_A2D || m->what.geometry == JIT_ACUBE;
    uint32_t each = m->what.geometry == JIT_CUBE || m->what.geometry == JIT_ACUBE ? 6 : 1;
    int64_t most = layers / each ? layers / each - 1 : 0;
    int64_t layer = layered ? signed_at(m->data->layer, lane) : 0;
    layer = layer < 0 ? 0 : layer > most ? most : layer;
    uint32_t all = (uint32_t)layer * each + face;
    return all < layers ? all : layers - 1;
}

/* Level of detail from the gradients of a footprint: log2 of its longer side in texels. */
static float
level_of_gradients(const struct image *m, uint32_t lane, const float c[3])
{
    const struct texture_level *l = &m->texture->level[0];
    const uint32_t size[3] = {l->width, l->height, l->depth};
    float longest = 0;
    for (uint32_t d = 0; d < 2; d++) {
        float g[3], sum = 0;
        for (uint32_t k = 0; k < 3; k++)
            g[k] = float_at(m->data->extra[3 * d + k], lane);
        uint32_t axes = m->what.geometry == JIT_3D                                  ? 3
                        : m->what.geometry == JIT_1D || m->what.geometry == JIT_A1D ? 1
                                                                                    : 2;
        bool cube = m->what.geometry == JIT_CUBE || m->what.geometry == JIT_ACUBE;
        if (cube)
            texture_cube_gradient(c, g, g);
        for (uint32_t k = 0; k < axes; k++) {
            float v = m->reading->normalized_coordinates || cube ? g[k] * (float)size[k] : g[k];
            sum += v * v;
        }
        longest = sum > longest ? sum : longest;
    }
    return longest > 0 ? 0.5f * log2f(longest) : -INFINITY;
}

static float
level_at(const struct image *m, uint32_t lane, const float c[3])
{
    const struct texture *s = m->reading;
    float level = 0, last = (float)(m->texture->levels - 1);
    if (m->what.op == JIT_TEX_LEVEL)
        level = m->what.flags & JIT_IMAGE_INTEGER ? (float)signed_at(m->data->extra[0], lane)
                                                  : float_at(m->data->extra[0], lane);
    else if (m->what.op == JIT_TEX_GRAD)
        level = level_of_gradients(m, lane, c);
    if (last == 0 || isnan(level))
        return 0;
    level += s->level_bias;
    level = level < s->level_least ? s->level_least : level > s->level_most ? s->level_most : level;
    return level < 0 ? 0 : level > last ? last : level;
}

/* -- reading ----------------------------------------------------------------------------------- */

static void
read_level(const struct image *m, uint32_t lane, uint32_t level, uint32_t layer, const float c[3],
           uint32_t out[4])
{
    struct texture_view v = view_of(m, level, layer);
    int32_t offset[3] = {0, 0, 0};
    for (uint32_t k = 0; k < v.dims && m->what.flags & JIT_IMAGE_OFFSET; k++)
        v.offset[k] = offset[k] = m->data->offset[k][lane];
    if (m->what.flags & JIT_IMAGE_INTEGER) {
        int32_t index[3] = {0, 0, 0};
        for (uint32_t k = 0; k < v.dims; k++)
            index[k] = signed_at(m->data->coordinate[k], lane) + offset[k];
        texture_fetch(&v, index, out);
    } else if (m->what.op == JIT_TEX_GATHER) {
        texture_gather(&v, c, m->what.detail, out);
    } else {
        texture_sample(&v, c, out);
    }
}

/* Two levels mixed; the share has 8 bits, as in the filter within a level. */
static void
mix_levels(const uint32_t low[4], const uint32_t high[4], uint32_t share, uint32_t out[4])
{
    for (int k = 0; k < 4; k++) {
        float a = float_at(low, (uint32_t)k), b = float_at(high, (uint32_t)k);
        float v = (float)(((double)a * (256 - share) + (double)b * share) / 256);
        memcpy(&out[k], &v, sizeof v);
    }
}

static void
read_lane(const struct image *m, uint32_t lane)
{
    float c[3] = {0, 0, 0};
    uint32_t face = 0, out[4];
    if (!(m->what.flags & JIT_IMAGE_INTEGER))
        for (uint32_t k = 0; k < 3; k++)
            c[k] = float_at(m->data->coordinate[k], lane);
    float level = level_at(m, lane, c);
    if (m->what.geometry == JIT_CUBE || m->what.geometry == JIT_ACUBE)
        face = texture_cube_face(c, c);
    uint32_t layer = layer_of(m, lane, face);
    struct texture_view probe = view_of(m, 0, 0);
    if (m->reading->mipmap_linear && texture_reads_floats(&probe) && m->what.op != JIT_TEX_GATHER &&
        !(m->what.flags & JIT_IMAGE_INTEGER)) {
        uint32_t fixed = (uint32_t)floorf(level * 256 + 0.5f), high[4];
        read_level(m, lane, fixed >> 8, layer, c, out);
        if (fixed & 255) {
            read_level(m, lane, (fixed >> 8) + 1, layer, c, high);
            mix_levels(out, high, fixed & 255, out);
        }
    } else {
        read_level(m, lane, (uint32_t)floorf(level + 0.5f), layer, c, out);
    }
    for (uint32_t k = 0; k < 4; k++)
        m->data->result[k][lane] = out[k];
}

enum { MOST_TEXELS = 8 }; /* of one read */

/* Where the texels lie that a lane reads of plain memory; returns how many. */
static uint32_t
texels_of(const struct image *m, uint32_t lane, const uint8_t *out[MOST_TEXELS])
{
    struct texture_view v = view_of(m, 0, 0);
    float c[3] = {0, 0, 0};
    int64_t index[3] = {0, 0, 0};
    for (uint32_t k = 0; k < v.dims; k++) {
        v.offset[k] = m->what.flags & JIT_IMAGE_OFFSET ? m->data->offset[k][lane] : 0;
        index[k] = (int64_t)signed_at(m->data->coordinate[k], lane) + v.offset[k];
        c[k] = float_at(m->data->coordinate[k], lane);
    }
    if (!(m->what.flags & JIT_IMAGE_INTEGER))
        return texture_texels(&v, c, m->what.op == JIT_TEX_GATHER, out);
    out[0] = (const uint8_t *)v.data + (uint64_t)index[1] * v.pitch +
             (uint64_t)index[0] * element_bytes(m->texture);
    return index[0] >= 0 && index[0] < v.width && index[1] >= 0 && index[1] < v.height;
}

/* A texture on plain memory: the texels that are read are loads to a tool that guards memory. Lanes
 * that it denies get 0, as those outside do; the others are left. */
static uint32_t
guarded(const struct image *m, uint32_t lanes)
{
    const struct exec_slot *s = m->warp->owner;
    const struct jit_tool *tool = s->run->tool;
    uint64_t address[MOST_TEXELS][JIT_LANES] = {{0}};
    uint32_t inside[MOST_TEXELS] = {0}, denied = 0;
    if (!(m->texture->linear || m->texture->pitched) || !tool || !(tool->events & JIT_EVENT_GUARD))
        return lanes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const uint8_t *texel[MOST_TEXELS];
        for (uint32_t k = texels_of(m, lane, texel); k-- > 0;) {
            address[k][lane] = (uint64_t)(uintptr_t)texel[k];
            inside[k] |= 1u << lane;
        }
    }
    for (uint32_t k = 0; k < MOST_TEXELS && inside[k]; k++) {
        m->warp->denied = 0;
        m->warp->block->launch->services->access(m->warp, inside[k], address[k],
                                                 element_bytes(m->texture), PTX_SPACE_GLOBAL,
                                                 JIT_LOAD, m->place);
        denied |= m->warp->denied & inside[k];
    }
    for (uint32_t rest = denied; rest; rest &= rest - 1)
        for (uint32_t k = 0; k < 4; k++)
            m->data->result[k][__builtin_ctz(rest)] = 0;
    return lanes & ~denied;
}

static void
read_texture(const struct image *m, uint32_t lanes)
{
    if (m->texture->surface)
        fail(m, lanes, EXEC_ILLEGAL_ADDRESS, "illegal texture", "the handle is a surface's");
    if (m->what.op == JIT_TEX_GRAD && m->reading->anisotropy > 1 && m->texture->levels > 1)
        fail(m, lanes, EXEC_FAILED, "anisotropic filtering of a mipmapped texture is not supported",
             "set maxAnisotropy to 0 or 1");
    lanes = guarded(m, lanes);
    if (!lanes)
        return;
    bool plain = m->what.op == JIT_TEX && m->what.geometry <= JIT_3D && m->texture->levels == 1 &&
                 !(m->what.flags & JIT_IMAGE_OFFSET);
    if (plain) {
        struct texture_view v = view_of(m, 0, 0);
        bool fetch = m->what.flags & JIT_IMAGE_INTEGER;
        (fetch ? texture_fetch_lanes : texture_sample_lanes)(&v, lanes, m->data->coordinate,
                                                             m->data->result);
        return;
    }
    for (; lanes; lanes &= lanes - 1)
        read_lane(m, (uint32_t)__builtin_ctz(lanes));
}

/* -- queries ----------------------------------------------------------------------------------- */

/* As OpenCL numbers them (PTX ISA 5.3): CL_R is 0x10b0, CL_SNORM_INT8 0x10d0. */
static uint32_t
data_type(const struct texture *t)
{
    uint32_t size = t->bits == 8 ? 0 : t->bits == 16 ? 1 : 2;
    if (t->kind == TEXTURE_FLOAT)
        return t->bits == 16 ? 0x10dd : 0x10de;
    if (t->normalized_read && t->bits < 32)
        return (t->kind == TEXTURE_SIGNED ? 0x10d0 : 0x10d2) + size;
    return (t->kind == TEXTURE_SIGNED ? 0x10d7 : 0x10da) + size;
}

static uint32_t
address_name(uint32_t mode) /* wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border */
{
    return mode == TEXTURE_WRAP ? 0 : mode == TEXTURE_MIRROR ? 1 : mode == TEXTURE_CLAMP ? 3 : 4;
}

static uint32_t
answer(const struct image *m, uint32_t lane)
{
    const struct texture *t = m->texture;
    uint32_t level = m->data->extra[0][lane];
    const struct texture_level *l = &t->level[level < t->levels ? level : t->levels - 1u];
    switch (m->what.detail) {
    case JIT_QUERY_WIDTH: return l->width;
    case JIT_QUERY_HEIGHT: return l->height;
    case JIT_QUERY_DEPTH: return l->depth;
    case JIT_QUERY_CHANNEL_DATA_TYPE: return data_type(t);
    case JIT_QUERY_CHANNEL_ORDER:
        return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
    case JIT_QUERY_NORMALIZED: return t->normalized_coordinates;
    case JIT_QUERY_UNNORMALIZED: return !t->normalized_coordinates;
    case JIT_QUERY_FILTER: return t->filter_linear;
    case JIT_QUERY_ADDRESS_0:
    case JIT_QUERY_ADDRESS_1:
    case JIT_QUERY_ADDRESS_2: return address_name(t->address[m->what.detail - JIT_QUERY_ADDRESS_0]);
    case JIT_QUERY_ARRAY_SIZE: return l->layers;
    case JIT_QUERY_LEVELS: return t->levels;
    case JIT_QUERY_SAMPLES: return 1;
    default: return 0; /* the memory's layout: linear */
    }
}

/* Results that all lanes share may be taken from any lane, active or not. */
static void
spread(const struct image *m, uint32_t lanes)
{
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    for (uint32_t k = 0; k < JIT_LANES; k++)
        if (!(lanes >> k & 1))
            m->data->result[0][k] = m->data->result[0][first];
}

static void
query(const struct image *m, uint32_t lanes)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        m->data->result[0][lane] = answer(m, lane);
    }
}

static void
is_of_type(const struct image *m, uint32_t lanes)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const struct texture *t = (const struct texture *)(uintptr_t)m->data->texture[lane];
        m->data->result[0][lane] = t && (uintptr_t)t % 8 == 0 && t->magic == TEXTURE_MAGIC &&
                                   t->surface == (m->what.op == JIT_IS_SURFACE);
    }
    spread(m, lanes);
}

/* -- all of them ------------------------------------------------------------------------------- */

/* The lanes that use the same texture (and sampler) as the first of `lanes`. */
static uint32_t
same_handles(const struct jit_image_data *d, uint32_t lanes, bool sampler)
{
    uint32_t first = (uint32_t)__builtin_ctz(lanes), same = 0;
    uint64_t differ = 0;
    for (uint32_t k = 0; k < JIT_LANES; k++)
        differ |= d->texture[k] ^ d->texture[0];
    if (!differ && !sampler) /* as nearly always */
        return lanes;
    for (uint32_t k = 0; k < JIT_LANES; k++)
        if (d->texture[k] == d->texture[first] && (!sampler || d->sampler[k] == d->sampler[first]))
            same |= 1u << k;
    return same & lanes;
}

void
exec_image(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
           struct jit_image_data *data)
{
    struct image m = {.warp = w, .place = place, .data = data};
    memcpy(&m.what, &what, sizeof m.what);
    if (m.what.op >= JIT_IS_TEXTURE) {
        is_of_type(&m, lanes);
        return;
    }
    bool sampler = m.what.flags & JIT_IMAGE_SAMPLER;
    for (uint32_t rest = lanes; rest;) {
        uint32_t same = same_handles(data, rest, sampler), first = (uint32_t)__builtin_ctz(rest);
        m.texture = descriptor(&m, same, data->texture[first]);
        m.reading = sampler ? descriptor(&m, same, data->sampler[first]) : m.texture;
        check_memory(&m, same);
        if (m.what.op <= JIT_TEX_GATHER)
            read_texture(&m, same);
        else if (m.what.op == JIT_TEX_QUERY)
            query(&m, same);
        else
            exec_surface(w, same, m.what, place, m.texture, data);
        rest &= ~same;
    }
    if (m.what.op == JIT_TEX_QUERY)
        spread(&m, lanes);
}
