/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/tensor.c: copies of boxes of tensors (PTX ISA 9.7.9.27), tensormap.replace and
 * tensormap.cp_fenceproxy (9.7.9.28). The operands of 32 lanes go into a struct jit_tensor_data on
 * the stack, and the service `tensor` does the work. It is done at once: waiting for groups and
 * mbarriers is as with other copies (async.c). Start at tensor_insn.
 */
#include "jit/insn/insn.h"
#include "jit/build/value.h"
#include "jit/memory/memory.h"
#include "jit/tools/tools.h"

#include <string.h>

#define AT(field) offsetof(struct jit_tensor_data, field)

struct tensor {
    struct core *c;
    const struct wir_insn *i;
    value data, lanes;
    struct jit_tensor_insn what;
};

static const char *
name_of(const struct tensor *t)
{
    return ptx_op_name((enum ptx_op)t->i->i.op);
}

/* -- operands ---------------------------------------------------------------------------------- */

static bool
put_address(struct tensor *t, size_t at, unsigned k, enum ptx_space space)
{
    struct wir_insn other = *t->i;
    if (k >= t->i->i.operand_count || t->i->i.operand[k].kind != PTX_O_ADDRESS)
        return emit_fail(&t->c->e, "%s: operand %u is no address", name_of(t), k + 1);
    other.i.space = (uint8_t)space;
    core_store_field(t->c, t->data, at,
                     core_addresses_some(t->c, &other, &t->i->i.operand[k], 1, JIT_LOAD, 0));
    return true;
}

static void
put_numbers(struct tensor *t, size_t at, const struct ptx_operand *o, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        core_store_field(t->c, t->data, at + k * JIT_LANES * 4,
                         core_value(t->c, t->i, &o->elements[k], 32, false));
}

/* [map, {coordinates}]; the map's address is generic, or of a variable. */
static bool
put_place(struct tensor *t, const struct ptx_operand *o)
{
    if (o->kind != PTX_O_TEX || o->count != 2 || o->elements[1].kind != PTX_O_VECTOR)
        return emit_fail(&t->c->e, "%s: [map, {coordinates}] expected", name_of(t));
    const struct ptx_operand *map = &o->elements[0], *at = &o->elements[1];
    struct wir_insn other = *t->i;
    other.i.space = PTX_SPACE_NONE;
    value v;
    if (map->kind == PTX_O_ADDRESS) {
        if (map->base_kind == PTX_BASE_VAR && map->var)
            other.i.space = map->var->space;
        v = core_addresses_some(t->c, &other, map, 1, JIT_LOAD, 0);
    } else {
        v = core_value(t->c, t->i, map, 64, false);
    }
    core_store_field(t->c, t->data, AT(map), v);
    unsigned wanted = t->what.flags & JIT_TENSOR_ROWS ? 5 : t->what.rank;
    if (at->count != wanted)
        return emit_fail(&t->c->e, "%s: %u coordinates, %u are wanted", name_of(t), at->count,
                         wanted);
    put_numbers(t, AT(at), at, at->count);
    return true;
}

static void
put_shift(struct tensor *t, const struct ptx_operand *o)
{
    for (uint32_t k = 0; k < o->count && k < 3; k++)
        core_store_field(t->c, t->data, AT(shift) + k * JIT_LANES * 4,
                         v_zext(&t->c->e, core_value(t->c, t->i, &o->elements[k], 16, false), 32));
}

/* -- what the instruction is ------------------------------------------------------------------- */

static bool
find_kind(struct tensor *t)
{
    static const uint16_t ranks[] = {PTX_M_1D, PTX_M_2D, PTX_M_3D, PTX_M_4D, PTX_M_5D};
    const struct ptx_insn *p = &t->i->i;
    for (uint8_t k = 0; k < sizeof ranks / sizeof *ranks; k++)
        if (ptx_has(p, (enum ptx_mod)ranks[k]))
            t->what.rank = (uint8_t)(k + 1);
    if (!t->what.rank)
        return emit_fail(&t->c->e, "%s without .1d to .5d", name_of(t));
    t->what.mode = ptx_has(p, PTX_M_IM2COL_W)         ? JIT_TENSOR_IM2COL_W
                   : ptx_has(p, PTX_M_IM2COL_W_128)   ? JIT_TENSOR_IM2COL_W128
                   : ptx_has(p, PTX_M_IM2COL)         ? JIT_TENSOR_IM2COL
                   : ptx_has(p, PTX_M_IM2COL_NO_OFFS) ? JIT_TENSOR_IM2COL
                                                      : JIT_TENSOR_TILED;
    if (ptx_has(p, PTX_M_TILE_GATHER4) || ptx_has(p, PTX_M_TILE_SCATTER4))
        t->what.flags |= JIT_TENSOR_ROWS;
    if ((t->what.flags & JIT_TENSOR_ROWS) && t->what.rank != 2)
        return emit_fail(&t->c->e, "%s of four rows is of two dimensions", name_of(t));
    if (ptx_has(p, PTX_M_CTA_GROUP_2))
        t->what.flags |= JIT_TENSOR_PAIR;
    if (t->what.mode && t->what.rank < 3)
        return emit_fail(&t->c->e, "%s.im2col of less than three dimensions", name_of(t));
    return true;
}

static bool
find_reduction(struct tensor *t)
{
    static const uint16_t ops[] = {
        [JIT_REDUCE_ADD] = PTX_M_ADD, [JIT_REDUCE_MIN] = PTX_M_MIN, [JIT_REDUCE_MAX] = PTX_M_MAX,
        [JIT_REDUCE_INC] = PTX_M_INC, [JIT_REDUCE_DEC] = PTX_M_DEC, [JIT_REDUCE_AND] = PTX_M_AND,
        [JIT_REDUCE_OR] = PTX_M_OR,   [JIT_REDUCE_XOR] = PTX_M_XOR,
    };
    for (uint8_t k = 0; k < sizeof ops / sizeof *ops; k++)
        if (ptx_has(&t->i->i, (enum ptx_mod)ops[k])) {
            t->what.reduction = k;
            return true;
        }
    return emit_fail(&t->c->e, "%s without an operation", name_of(t));
}

static void
call_service(struct tensor *t)
{
    struct core *c = t->c;
    uint64_t bits;
    _Static_assert(sizeof bits == sizeof t->what, "a struct jit_tensor_insn is a 64-bit number");
    if (t->i->tells & TELL_ACCESS)
        t->what.flags |= JIT_TENSOR_ANNOUNCED;
    memcpy(&bits, &t->what, sizeof bits);
    core_batch_flush(c);
    core_fence(c, false);
    value args[] = {c->e.warp, t->lanes, core_i64(c, bits), core_i32(c, t->i->place), t->data};
    core_service(c, offsetof(struct jit_services, tensor), LLVMVoidTypeInContext(c->e.context),
                 args, 5);
    core_fence(c, false);
}

/* -- copies ------------------------------------------------------------------------------------ */

/* A modifier of another direction. */
static bool
refuse(struct tensor *t, enum ptx_mod mod)
{
    return !ptx_has(&t->i->i, mod) ||
           emit_fail(&t->c->e, "%s has no .%s", name_of(t), ptx_mod_name(mod));
}

/* Pass fetched-boxes: rows of a box lie far from each other, except where it has but one. Pass
 * next-boxes: exec sees in which steps boxes follow each other. */
static void
choose_fetches(struct tensor *t)
{
    const struct emit *e = &t->c->e;
    if (emit_on(e, PASS_FETCHED_BOXES)) {
        if (t->what.rank == 1)
            emit_missed(e, PASS_FETCHED_BOXES, "a box of one dimension is one row");
        else if (t->what.flags & JIT_TENSOR_ROWS)
            emit_missed(e, PASS_FETCHED_BOXES, "each of the four boxes is one row");
        else
            t->what.flags |= JIT_TENSOR_FETCHES;
        if (t->what.flags & JIT_TENSOR_FETCHES)
            emit_fired(e, PASS_FETCHED_BOXES, "the rows of a box of %u dimensions", t->what.rank);
    }
    if (!emit_on(e, PASS_NEXT_BOXES))
        return;
    if (t->what.op != JIT_TENSOR_LOAD) {
        emit_missed(e, PASS_NEXT_BOXES, "it reads shared memory");
    } else if (t->what.flags & JIT_TENSOR_ROWS) {
        emit_missed(e, PASS_NEXT_BOXES, "four rows anywhere");
    } else {
        t->what.flags |= JIT_TENSOR_NEXT;
        emit_fired(e, PASS_NEXT_BOXES, "boxes in equal steps");
    }
}

/* Pass streaming-copies: which rows are whole lines, and whether the tensor is large, exec sees. */
static void
choose_ways(struct tensor *t)
{
    const struct emit *e = &t->c->e;
    choose_fetches(t);
    if (!emit_on(e, PASS_STREAMING_COPIES))
        return;
    if (t->what.op == JIT_TENSOR_LOAD) {
        emit_missed(e, PASS_STREAMING_COPIES, "it writes shared memory");
    } else if (t->what.op == JIT_TENSOR_REDUCE) {
        emit_missed(e, PASS_STREAMING_COPIES, "a reduction reads what it writes");
    } else {
        t->what.flags |= JIT_TENSOR_STREAMS | (t->c->form.unseen ? JIT_TENSOR_UNSEEN : 0);
        emit_fired(e, PASS_STREAMING_COPIES, "whole lines of tensors that are large enough");
    }
}

/* [to], [map, {...}], [mbarrier] {, {offsets}} {, blocks of a multicast} {, policy}. */
static bool
emit_load(struct tensor *t)
{
    const struct ptx_insn *p = &t->i->i;
    unsigned next = 3;
    t->what.op = JIT_TENSOR_LOAD;
    if (!refuse(t, PTX_M_TILE_SCATTER4))
        return false;
    if (!put_address(t, AT(shared), 0, (enum ptx_space)p->space) || !put_place(t, &p->operand[1]) ||
        !put_address(t, AT(barrier), 2, PTX_SPACE_SHARED))
        return false;
    if (t->what.mode) {
        bool wide = t->what.mode != JIT_TENSOR_IM2COL;
        unsigned count = wide ? 2 : t->what.rank - 2u;
        if (next >= p->operand_count || p->operand[next].kind != PTX_O_VECTOR ||
            p->operand[next].count != count)
            return wide ? emit_fail(&t->c->e, "%s.im2col::w: {wHalo, wOffset} expected", name_of(t))
                        : emit_fail(&t->c->e, "%s.im2col: %u offsets expected", name_of(t), count);
        put_shift(t, &p->operand[next++]);
    }
    if (ptx_has(p, PTX_M_MULTICAST_CLUSTER)) {
        if (next >= p->operand_count)
            return emit_fail(&t->c->e, "%s.multicast without its blocks", name_of(t));
        value blocks = core_value(t->c, t->i, &p->operand[next], 16, false);
        core_store_field(t->c, t->data, AT(blocks), v_zext(&t->c->e, blocks, 32));
        t->what.flags |= JIT_TENSOR_MULTICAST;
    }
    choose_ways(t);
    call_service(t);
    return true;
}

/* [map, {...}], [from] {, policy}. */
static bool
emit_store(struct tensor *t)
{
    const struct ptx_insn *p = &t->i->i;
    t->what.op = JIT_TENSOR_STORE;
    if (!refuse(t, PTX_M_TILE_GATHER4) || !refuse(t, PTX_M_IM2COL_W) ||
        !refuse(t, PTX_M_IM2COL_W_128) || !refuse(t, PTX_M_CTA_GROUP_1) ||
        !refuse(t, PTX_M_CTA_GROUP_2))
        return false;
    if (p->op == PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR) {
        t->what.op = JIT_TENSOR_REDUCE;
        if (!refuse(t, PTX_M_TILE_SCATTER4) || !find_reduction(t))
            return false;
    }
    if (!put_place(t, &p->operand[0]) || !put_address(t, AT(shared), 1, PTX_SPACE_SHARED))
        return false;
    choose_ways(t);
    core_announce_async(t->c, t->i, JIT_ASYNC_TENSOR, t->lanes, NULL, 1);
    call_service(t);
    core_announce_async(t->c, t->i, JIT_ASYNC_TENSOR, t->lanes, NULL, 0);
    return true;
}

/* -- maps -------------------------------------------------------------------------------------- */

/* In the order of enum tensor_field (memory/tensor_map.h). */
static const struct field {
    uint16_t word;
    bool several;
} fields[] = {
    {PTX_M_GLOBAL_ADDRESS, false}, {PTX_M_RANK, false},
    {PTX_M_BOX_DIM, true},         {PTX_M_GLOBAL_DIM, true},
    {PTX_M_GLOBAL_STRIDE, true},   {PTX_M_ELEMENT_STRIDE, true},
    {PTX_M_ELEMTYPE, false},       {PTX_M_INTERLEAVE_LAYOUT, false},
    {PTX_M_SWIZZLE_MODE, false},   {PTX_M_SWIZZLE_ATOMICITY, false},
    {PTX_M_FILL_MODE, false},
};

/* [map] {, ordinal}, value. */
static bool
emit_replace(struct tensor *t)
{
    const struct ptx_insn *p = &t->i->i;
    const struct ptx_operand *o = p->operand;
    uint8_t k = 0, count = sizeof fields / sizeof *fields;
    while (k < count && !ptx_has(p, (enum ptx_mod)fields[k].word))
        k++;
    if (k == count || p->operand_count != (fields[k].several ? 3u : 2u))
        return emit_fail(&t->c->e, "tensormap.replace of this field is not supported");
    t->what.op = JIT_TENSOR_REPLACE;
    t->what.field = k;
    if (fields[k].several) {
        if (o[1].kind != PTX_O_INT || o[1].imm > 4)
            return emit_fail(&t->c->e,
                             "tensormap.replace: the dimension is a constant from 0 to 4");
        t->what.ordinal = (uint8_t)o[1].imm;
    }
    if (!put_address(t, AT(map), 0, (enum ptx_space)p->space))
        return false;
    unsigned bits = p->type[1] == PTX_B64 ? 64 : 32;
    value v = core_value(t->c, t->i, &o[p->operand_count - 1], bits, false);
    core_store_field(t->c, t->data, AT(value), v_zext(&t->c->e, v, 64));
    call_service(t);
    return true;
}

/* [to], [from], 128: a map from shared to global memory, and a release of it. */
static bool
emit_copy_map(struct tensor *t)
{
    const struct ptx_insn *p = &t->i->i;
    t->what.op = JIT_TENSOR_COPY_MAP;
    if (p->operand[2].kind != PTX_O_INT || p->operand[2].imm != 128)
        return emit_fail(&t->c->e, "%s copies 128 bytes", name_of(t));
    if (!put_address(t, AT(map), 0, PTX_SPACE_GLOBAL) ||
        !put_address(t, AT(shared), 1, PTX_SPACE_SHARED))
        return false;
    call_service(t);
    return true;
}

bool
tensor_insn(struct core *c, const struct wir_insn *i)
{
    struct tensor t = {.c = c, .i = i};
    if (i->i.op == PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR)
        return true;
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    c->e.mask_bits = t.lanes = core_mask_bits(c);
    _Static_assert(sizeof(struct jit_tensor_data) % 64 == 0, "a number of cache lines");
    t.data = core_operands(c, &c->tensor_data, sizeof(struct jit_tensor_data));
    if (i->i.op == PTX_OP_TENSORMAP_REPLACE)
        return emit_replace(&t);
    if (i->i.op == PTX_OP_TENSORMAP_CP_FENCEPROXY)
        return emit_copy_map(&t);
    if (!find_kind(&t))
        return false;
    return i->i.operand[0].kind == PTX_O_TEX ? emit_store(&t) : emit_load(&t);
}
