/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/image.c: textures and surfaces (PTX ISA 9.7.10, 9.7.11). The operands of 32 lanes go into a
 * struct jit_image_data on the stack, the service `image` does the work, the results come back from
 * there. A handle is a register (bindless), or a .texref, .samplerref, .surfref variable, which
 * stands for what is bound to it.
 */
#include "jit/insn/insn.h"
#include "jit/ops/arith.h"

#include <string.h>

#define AT(field) offsetof(struct jit_image_data, field)
enum { ROW = JIT_LANES * 4 };

struct image {
    struct core *c;
    const struct wir_insn *i;
    LLVMValueRef data;
    struct jit_image_insn what;
};

/* -- what the instruction is ------------------------------------------------------------------- */

struct image_word {
    uint16_t mod;
    uint8_t value;
};

/* The value of the first of the words that the instruction has; -1: none. */
static int
find_word(const struct ptx_insn *p, const struct image_word *words, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (ptx_has(p, (enum ptx_mod)words[k].mod))
            return words[k].value;
    return -1;
}
#define FIND(p, words) find_word(p, words, sizeof(words) / sizeof *(words))

static const struct image_word geometries[] = {
    {PTX_M_1D, JIT_1D},   {PTX_M_2D, JIT_2D},     {PTX_M_3D, JIT_3D},       {PTX_M_A1D, JIT_A1D},
    {PTX_M_A2D, JIT_A2D}, {PTX_M_CUBE, JIT_CUBE}, {PTX_M_ACUBE, JIT_ACUBE},
};
static const struct image_word bounds[] = {
    {PTX_M_TRAP, JIT_BOUND_TRAP},
    {PTX_M_CLAMP, JIT_BOUND_CLAMP},
    {PTX_M_ZERO, JIT_BOUND_ZERO},
};
static const struct image_word components[] = {
    {PTX_M_R, 0},
    {PTX_M_G, 1},
    {PTX_M_B, 2},
    {PTX_M_A, 3},
};
static const struct image_word actions[] = {
    {PTX_M_ADD, JIT_RED_ADD}, {PTX_M_MIN, JIT_RED_MIN}, {PTX_M_MAX, JIT_RED_MAX},
    {PTX_M_AND, JIT_RED_AND}, {PTX_M_OR, JIT_RED_OR},
};
static const struct image_word queries[] = {
    {PTX_M_WIDTH, JIT_QUERY_WIDTH},
    {PTX_M_HEIGHT, JIT_QUERY_HEIGHT},
    {PTX_M_DEPTH, JIT_QUERY_DEPTH},
    {PTX_M_CHANNEL_DATA_TYPE, JIT_QUERY_CHANNEL_DATA_TYPE},
    {PTX_M_CHANNEL_ORDER, JIT_QUERY_CHANNEL_ORDER},
    {PTX_M_NORMALIZED_COORDS, JIT_QUERY_NORMALIZED},
    {PTX_M_FORCE_UNNORMALIZED_COORDS, JIT_QUERY_UNNORMALIZED},
    {PTX_M_FILTER_MODE, JIT_QUERY_FILTER},
    {PTX_M_ADDR_MODE_0, JIT_QUERY_ADDRESS_0},
    {PTX_M_ADDR_MODE_1, JIT_QUERY_ADDRESS_1},
    {PTX_M_ADDR_MODE_2, JIT_QUERY_ADDRESS_2},
    {PTX_M_ARRAY_SIZE, JIT_QUERY_ARRAY_SIZE},
    {PTX_M_NUM_MIPMAP_LEVELS, JIT_QUERY_LEVELS},
    {PTX_M_NUM_SAMPLES, JIT_QUERY_SAMPLES},
    {PTX_M_MEMORY_LAYOUT, JIT_QUERY_LAYOUT},
};

/* Coordinates of a geometry besides the layer: the first ones of the operand, behind the layer. */
static unsigned
axes_of(unsigned geometry)
{
    static const uint8_t axes[] = {[JIT_1D] = 1,  [JIT_2D] = 2,   [JIT_3D] = 3,   [JIT_A1D] = 1,
                                   [JIT_A2D] = 2, [JIT_CUBE] = 3, [JIT_ACUBE] = 3};
    return axes[geometry];
}

static bool
has_layer(unsigned geometry)
{
    return geometry == JIT_A1D || geometry == JIT_A2D || geometry == JIT_ACUBE;
}

static bool
find_geometry(struct image *m)
{
    int geometry = FIND(&m->i->i, geometries);
    if (geometry < 0)
        return emit_fail(&m->c->e, "%s of this geometry (multisampled) is not supported",
                         ptx_op_name((enum ptx_op)m->i->i.op));
    m->what.geometry = (uint8_t)geometry;
    return true;
}

/* -- operands ---------------------------------------------------------------------------------- */

static void
put(struct image *m, size_t at, const struct ptx_operand *o, unsigned bits)
{
    LLVMValueRef v = core_value(m->c, m->i, o, bits, false);
    core_store_field(m->c, m->data, at, v);
}

/* Up to `count` rows from a vector, or one from a register. */
static void
put_rows(struct image *m, size_t at, const struct ptx_operand *o, unsigned count)
{
    if (o->kind != PTX_O_VECTOR) {
        put(m, at, o, 32);
        return;
    }
    for (unsigned k = 0; k < o->count && k < count; k++)
        put(m, at + k * ROW, &o->elements[k], 32);
}

static void
put_coordinates(struct image *m, const struct ptx_operand *o)
{
    unsigned layer = has_layer(m->what.geometry), axes = axes_of(m->what.geometry);
    if (o->kind != PTX_O_VECTOR) {
        put(m, AT(coordinate), o, 32);
        return;
    }
    if (layer)
        put(m, AT(layer), &o->elements[0], 32);
    for (unsigned k = 0; k < axes && k + layer < o->count; k++)
        put(m, AT(coordinate) + k * ROW, &o->elements[k + layer], 32);
}

/* [texture, coordinates] or [texture, sampler, coordinates]. */
static bool
put_place(struct image *m, const struct ptx_operand *o)
{
    if (o->kind != PTX_O_TEX || !o->count || o->count > 3)
        return emit_fail(&m->c->e, "%s: [handle, coordinates] expected",
                         ptx_op_name((enum ptx_op)m->i->i.op));
    put(m, AT(texture), &o->elements[0], 64);
    if (o->count == 3) {
        m->what.flags |= JIT_IMAGE_SAMPLER;
        put(m, AT(sampler), &o->elements[1], 64);
    }
    if (o->count > 1)
        put_coordinates(m, &o->elements[o->count - 1]);
    return true;
}

/* The value of sust and sured: rows of 32 bits, 64-bit ones lower half first. */
static void
put_value(struct image *m, const struct ptx_operand *o)
{
    struct core *c = m->c;
    unsigned bits = m->what.bytes * 8u, row = 0;
    for (unsigned k = 0; k < m->what.components; k++) {
        const struct ptx_operand *part = o->kind == PTX_O_VECTOR ? &o->elements[k] : o;
        LLVMValueRef v = core_value(c, m->i, part, bits < 32 ? 32 : bits, false);
        for (unsigned at = 0; at < bits; at += 32)
            core_store_field(c, m->data, AT(extra) + ROW * row++,
                             v_trunc(&c->e, at ? v_lshrk(&c->e, v, at) : v, 32));
    }
}

/* -- results ----------------------------------------------------------------------------------- */

static LLVMValueRef
row_of(struct image *m, unsigned row)
{
    return core_load_field(m->c, m->data, AT(result) + row * ROW, core_vector(m->c, 32));
}

static LLVMValueRef
half_of(struct image *m, unsigned row)
{
    struct emit *e = &m->c->e;
    return round_narrow(e, v_real(e, row_of(m, row)), &format_f16, ROUND_NEAREST, false);
}

/* What component k is: 32 bits of tex, a packed pair or single halves, 8 to 64 bits of suld. */
static LLVMValueRef
component(struct image *m, unsigned k)
{
    struct emit *e = &m->c->e;
    enum ptx_type t = (enum ptx_type)m->i->i.type[0];
    bool texel = m->what.op <= JIT_TEX_GATHER;
    if (texel && t == PTX_F16)
        return half_of(m, k);
    if (texel && t == PTX_F16X2)
        return v_join(e, half_of(m, 2 * k + 1), half_of(m, 2 * k));
    if (m->what.op == JIT_SURF_LOAD && m->what.bytes == 8)
        return v_join(e, row_of(m, 2 * k + 1), row_of(m, 2 * k));
    return row_of(m, k);
}

static void
take_results(struct image *m)
{
    struct core *c = m->c;
    const struct ptx_operand *to = &m->i->i.operand[0];
    if (to->kind == PTX_O_PAIR) { /* d|p: whether the texels are resident; all memory is */
        core_write(c, m->i, &to->elements[1], LLVMConstAllOnes(core_vector(c, 1)), false);
        to = &to->elements[0];
    }
    if (to->kind != PTX_O_VECTOR) {
        LLVMValueRef v = component(m, 0);
        if (m->what.op >= JIT_IS_TEXTURE)
            v = LLVMBuildICmp(c->e.b, LLVMIntNE, v, LLVMConstNull(core_vector(c, 32)), "");
        core_write(c, m->i, to, v, false);
        return;
    }
    for (uint32_t k = 0; k < to->count; k++)
        core_write(c, m->i, &to->elements[k], component(m, k), false);
}

static void
call_service(struct image *m)
{
    struct core *c = m->c;
    uint64_t bits;
    _Static_assert(sizeof bits == sizeof m->what, "a struct jit_image_insn is a 64-bit number");
    memcpy(&bits, &m->what, sizeof bits);
    LLVMValueRef args[] = {c->e.warp, core_mask_bits(c), core_i64(c, bits),
                           core_i32(c, m->i->place), m->data};
    core_service(c, offsetof(struct jit_services, image), LLVMVoidTypeInContext(c->e.context), args,
                 5);
}

/* -- instructions ------------------------------------------------------------------------------ */

/* Behind the place: the level, or two gradients; then offsets (a vector), then a depth to compare
 * with. */
static bool
emit_tex(struct image *m)
{
    const struct ptx_insn *p = &m->i->i;
    unsigned k = 2, axes;
    if (!find_geometry(m))
        return false;
    axes = axes_of(m->what.geometry);
    m->what.op = JIT_TEX;
    if (p->type[1] == PTX_S32)
        m->what.flags |= JIT_IMAGE_INTEGER;
    if (!put_place(m, &p->operand[1]))
        return false;
    if (p->op == PTX_OP_TLD4) {
        int which = FIND(p, components);
        m->what.op = JIT_TEX_GATHER;
        m->what.detail = which < 0 ? 0 : (uint8_t)which;
    } else if (ptx_has(p, PTX_M_LEVEL) && k < p->operand_count) {
        m->what.op = JIT_TEX_LEVEL;
        put(m, AT(extra), &p->operand[k++], 32);
    } else if (ptx_has(p, PTX_M_GRAD) && k + 1 < p->operand_count) {
        m->what.op = JIT_TEX_GRAD;
        put_rows(m, AT(extra), &p->operand[k++], axes);
        put_rows(m, AT(extra) + 3 * ROW, &p->operand[k++], axes);
    }
    if (k < p->operand_count && p->operand[k].kind == PTX_O_VECTOR) {
        m->what.flags |= JIT_IMAGE_OFFSET;
        put_rows(m, AT(offset), &p->operand[k++], axes);
    }
    if (k < p->operand_count)
        return emit_fail(&m->c->e, "%s with a depth to compare with is not supported",
                         ptx_op_name((enum ptx_op)p->op));
    call_service(m);
    take_results(m);
    return true;
}

static bool
emit_surface(struct image *m)
{
    const struct ptx_insn *p = &m->i->i;
    unsigned bytes = ptx_type_bytes((enum ptx_type)p->type[0]);
    int bound = FIND(p, bounds), action = FIND(p, actions);
    if (!find_geometry(m))
        return false;
    if (m->what.geometry == JIT_CUBE || m->what.geometry == JIT_ACUBE)
        return emit_fail(&m->c->e, "a cube is read and written as .a2d");
    m->what.op = p->op == PTX_OP_SULD   ? JIT_SURF_LOAD
                 : p->op == PTX_OP_SUST ? JIT_SURF_STORE
                                        : JIT_SURF_REDUCE;
    m->what.detail = bound < 0 ? JIT_BOUND_TRAP : (uint8_t)bound;
    m->what.action = action < 0 ? 0 : (uint8_t)action;
    m->what.components = p->vec ? p->vec : 1;
    m->what.bytes = (uint8_t)bytes;
    if (ptx_has(p, PTX_M_P))
        m->what.flags |= JIT_IMAGE_FORMATTED;
    if (ptx_type_kind((enum ptx_type)p->type[0]) == 's')
        m->what.flags |= JIT_IMAGE_SIGNED;
    if (m->what.components * bytes > 32 || (p->op == PTX_OP_SURED && (action < 0 || bytes < 4)))
        return emit_fail(&m->c->e, "%s of this type is not supported",
                         ptx_op_name((enum ptx_op)p->op));
    if (!put_place(m, &p->operand[p->op == PTX_OP_SULD ? 1 : 0]))
        return false;
    if (p->op != PTX_OP_SULD)
        put_value(m, &p->operand[1]);
    call_service(m);
    if (p->op == PTX_OP_SULD)
        take_results(m);
    return true;
}

static bool
emit_query(struct image *m)
{
    const struct ptx_insn *p = &m->i->i;
    int which = FIND(p, queries);
    if (which < 0)
        return emit_fail(&m->c->e, "%s: what is asked for is missing",
                         ptx_op_name((enum ptx_op)p->op));
    m->what.op = JIT_TEX_QUERY;
    m->what.detail = (uint8_t)which;
    if (!put_place(m, &p->operand[1]))
        return false;
    if (p->operand_count > 2)
        put(m, AT(extra), &p->operand[2], 32);
    else
        core_store_field(m->c, m->data, AT(extra), LLVMConstNull(core_vector(m->c, 32)));
    call_service(m);
    take_results(m);
    return true;
}

static bool
emit_istypep(struct image *m)
{
    const struct ptx_insn *p = &m->i->i;
    m->what.op = p->type[0] == PTX_SURFREF ? JIT_IS_SURFACE : JIT_IS_TEXTURE;
    put(m, AT(texture), &p->operand[1], 64);
    call_service(m);
    take_results(m);
    return true;
}

bool
core_image(struct core *c, const struct wir_insn *i)
{
    struct image m = {.c = c, .i = i};
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    _Static_assert(sizeof(struct jit_image_data) % 64 == 0, "a number of cache lines");
    m.data = core_operands(c, &c->image_data, sizeof(struct jit_image_data));
    switch (i->i.op) {
    case PTX_OP_TEX:
    case PTX_OP_TLD4: return emit_tex(&m);
    case PTX_OP_TXQ:
    case PTX_OP_SUQ: return emit_query(&m);
    case PTX_OP_ISTYPEP: return emit_istypep(&m);
    default: return emit_surface(&m);
    }
}
