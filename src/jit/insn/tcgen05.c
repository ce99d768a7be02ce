/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/tcgen05.c: tensor memory and the matrix unit of compute capability 10.0 (PTX ISA 9.7.16).
 * The operands of 32 lanes go into a struct jit_tmem_data on the stack, and the service `tmem` does
 * the work, at once: fences and waiting for loads and stores are nothing to do, and the mbarrier of
 * a commit is arrived at when the instruction is executed. Start at tcgen05_insn.
 */
#include "jit/insn/insn.h"
#include "jit/build/value.h"
#include "jit/memory/memory.h"
#include "jit/tools/tools.h"

#include <string.h>

#define AT(field) offsetof(struct jit_tmem_data, field)
enum { ROW = 4 * LANES };

struct tcgen05 {
    struct core *c;
    const struct wir_insn *i;
    value data, lanes;
    struct jit_tmem_insn what;
};

static const char *
name_of(const struct tcgen05 *t)
{
    return ptx_op_name((enum ptx_op)t->i->i.op);
}

/* -- operands ---------------------------------------------------------------------------------- */

static const struct ptx_operand *
operand(const struct tcgen05 *t, unsigned k)
{
    return k < t->i->i.operand_count ? &t->i->i.operand[k] : NULL;
}

static bool
is_place(const struct ptx_operand *o)
{
    return o && o->kind == PTX_O_ADDRESS && o->base_kind != PTX_BASE_VAR;
}

/* [taddr + n]: a lane and a column of tensor memory, 32 bits. */
static bool
put_place(struct tcgen05 *t, size_t at, unsigned k)
{
    const struct ptx_operand *o = operand(t, k);
    struct core *c = t->c;
    if (!is_place(o))
        return emit_fail(&c->e, "%s: operand %u is no address of tensor memory", name_of(t), k + 1);
    value v = core_splat(c, core_i32(c, (uint32_t)o->offset));
    if (o->base_kind == PTX_BASE_REG) {
        struct ptx_operand base = {.kind = PTX_O_REG, .reg = o->reg};
        v = v_add(&c->e, v, core_value(c, t->i, &base, 32, false));
    }
    core_store_field(c, t->data, at, v);
    return true;
}

static bool
put_number(struct tcgen05 *t, size_t at, unsigned k, unsigned bits)
{
    const struct ptx_operand *o = operand(t, k);
    if (!o || (o->kind != PTX_O_REG && o->kind != PTX_O_INT))
        return emit_fail(&t->c->e, "%s: operand %u is no register or constant", name_of(t), k + 1);
    value v = core_value(t->c, t->i, o, bits, false);
    core_store_field(t->c, t->data, at, bits < 32 ? v_zext(&t->c->e, v, 32) : v);
    return true;
}

/* Of shared memory. */
static bool
put_address(struct tcgen05 *t, unsigned k, unsigned bytes, enum jit_access_op op, uint32_t some,
            value *out)
{
    const struct ptx_operand *o = operand(t, k);
    if (!o || o->kind != PTX_O_ADDRESS)
        return emit_fail(&t->c->e, "%s: operand %u is no address", name_of(t), k + 1);
    *out = core_addresses_some(t->c, t->i, o, bytes, op, some);
    core_store_field(t->c, t->data, AT(b), *out);
    return true;
}

static void
put_zeros(struct tcgen05 *t, size_t at, unsigned bits)
{
    core_store_field(t->c, t->data, at, LLVMConstNull(core_vector(t->c, bits)));
}

static void
call_service(struct tcgen05 *t)
{
    struct core *c = t->c;
    uint64_t bits;
    if (t->i->tells & TELL_SYNC)
        t->what.flags |= JIT_TMEM_ANNOUNCED;
    _Static_assert(sizeof bits == sizeof t->what, "a struct jit_tmem_insn is a 64-bit number");
    memcpy(&bits, &t->what, sizeof bits);
    core_batch_flush(c);
    core_fence(c, false);
    value args[] = {c->e.warp, t->lanes, core_i64(c, bits), core_i32(c, t->i->place), t->data};
    core_service(c, offsetof(struct jit_services, tmem), LLVMVoidTypeInContext(c->e.context), args,
                 5);
    core_fence(c, false);
}

/* -- allocation -------------------------------------------------------------------------------- */

/* tcgen05.alloc waits until columns are free. wir makes it a loop around an instruction that does
 * not wait; its operands are the predicate that ends the loop, the address in shared memory that
 * receives the columns' address, and their number. */
static bool
emit_alloc(struct tcgen05 *t)
{
    struct core *c = t->c;
    value address;
    t->what.op = JIT_TMEM_ALLOC;
    if (!put_address(t, 1, 4, JIT_STORE, 1, &address) || !put_number(t, AT(number), 2, 32))
        return false;
    call_service(t);
    core_announce_sync(c, t->i, t->lanes); /* the warp's lanes may read the address at once */
    value done = core_load_field(c, t->data, AT(done), core_vector(c, 32));
    done = emit_lane(&c->e, v_ne(&c->e, done, v_k(&c->e, done, 0)), 0);
    core_write(c, t->i, &t->i->i.operand[0], core_splat(c, done), false);
    return true;
}

static bool
emit_dealloc(struct tcgen05 *t)
{
    t->what.op = JIT_TMEM_DEALLOC;
    if (!put_number(t, AT(at), 0, 32) || !put_number(t, AT(number), 1, 32))
        return false;
    call_service(t);
    return true;
}

/* -- loads and stores -------------------------------------------------------------------------- */

/* The first of these words that the instruction has; -1: none. */
static int
which_of(const struct ptx_insn *p, const uint16_t *words, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (ptx_has(p, (enum ptx_mod)words[k]))
            return (int)k;
    return -1;
}

static bool
find_registers(struct tcgen05 *t)
{
    static const uint16_t shapes[] = {[JIT_TMEM_32X32B] = PTX_M_32X32B,
                                      [JIT_TMEM_16X64B] = PTX_M_16X64B,
                                      [JIT_TMEM_16X128B] = PTX_M_16X128B,
                                      [JIT_TMEM_16X256B] = PTX_M_16X256B,
                                      [JIT_TMEM_16X32BX2] = PTX_M_16X32BX2};
    static const uint16_t times[] = {PTX_M_X1,  PTX_M_X2,  PTX_M_X4,  PTX_M_X8,
                                     PTX_M_X16, PTX_M_X32, PTX_M_X64, PTX_M_X128};
    const struct ptx_insn *p = &t->i->i;
    int shape = which_of(p, shapes, 5), power = which_of(p, times, 8);
    if (shape < 0 || power < 0)
        return emit_fail(&t->c->e, "%s without a shape and .x1 to .x128", name_of(t));
    unsigned count = 1u << power;
    count <<= shape == JIT_TMEM_16X128B ? 1 : shape == JIT_TMEM_16X256B ? 2 : 0;
    if (count > JIT_TMEM_REGISTERS)
        return emit_fail(&t->c->e, "%s has no such shape: it would take %u registers", name_of(t),
                         count);
    t->what.shape = (uint8_t)shape;
    t->what.registers = (uint8_t)count;
    if (ptx_has(p, PTX_M_PACK_16B) || ptx_has(p, PTX_M_UNPACK_16B))
        t->what.flags |= JIT_TMEM_HALVES;
    return true;
}

static bool
find_apart(struct tcgen05 *t, unsigned k)
{
    const struct ptx_operand *o = operand(t, k);
    bool wanted = t->what.shape == JIT_TMEM_16X32BX2;
    if (!wanted)
        return true;
    if (!o || o->kind != PTX_O_INT || o->imm >= JIT_TMEM_COLUMNS)
        return emit_fail(&t->c->e, "%s: operand %u is a constant below %u", name_of(t), k + 1,
                         JIT_TMEM_COLUMNS);
    t->what.apart = (uint16_t)o->imm;
    return true;
}

/* The registers are one operand: a list, or one by itself. */
static const struct ptx_operand *
registers(struct tcgen05 *t, unsigned k)
{
    const struct ptx_operand *o = operand(t, k);
    unsigned count = !o ? 0 : o->kind == PTX_O_VECTOR ? o->count : o->kind == PTX_O_REG;
    if (count == t->what.registers)
        return o->kind == PTX_O_VECTOR ? o->elements : o;
    emit_fail(&t->c->e, "%s: operand %u has %u registers, not %u", name_of(t), k + 1, count,
              t->what.registers);
    return NULL;
}

static bool
emit_load(struct tcgen05 *t)
{
    struct core *c = t->c;
    t->what.op = JIT_TMEM_LD;
    if (ptx_has(&t->i->i, PTX_M_RED))
        return emit_fail(&c->e, "tcgen05.ld.red is not supported");
    if (!find_registers(t) || !put_place(t, AT(at), 1) || !find_apart(t, 2))
        return false;
    const struct ptx_operand *r = registers(t, 0);
    if (!r)
        return false;
    call_service(t);
    for (unsigned k = 0; k < t->what.registers; k++)
        core_write(c, t->i, &r[k],
                   core_load_field(c, t->data, AT(value) + ROW * k, core_vector(c, 32)), false);
    return true;
}

static bool
emit_store(struct tcgen05 *t)
{
    t->what.op = JIT_TMEM_ST;
    if (!find_registers(t) || !put_place(t, AT(at), 0) || !find_apart(t, 1))
        return false;
    const struct ptx_operand *r = registers(t, t->what.shape == JIT_TMEM_16X32BX2 ? 2 : 1);
    if (!r)
        return false;
    for (unsigned k = 0; k < t->what.registers; k++)
        core_store_field(t->c, t->data, AT(value) + ROW * k,
                         core_value(t->c, t->i, &r[k], 32, false));
    call_service(t);
    return true;
}

/* -- copies, shifts, commits ------------------------------------------------------------------- */

static bool
emit_copy(struct tcgen05 *t)
{
    const struct ptx_insn *p = &t->i->i;
    bool x02 = ptx_has(p, PTX_M_WARPX2_02_13), x01 = ptx_has(p, PTX_M_WARPX2_01_23),
         x4 = ptx_has(p, PTX_M_WARPX4);
    int shape = ptx_has(p, PTX_M_128X256B)   ? JIT_TMEM_128X256B
                : ptx_has(p, PTX_M_4X256B)   ? JIT_TMEM_4X256B
                : ptx_has(p, PTX_M_128X128B) ? JIT_TMEM_128X128B
                : ptx_has(p, PTX_M_64X128B)  ? (x02   ? JIT_TMEM_64X128B_02_13
                                                : x01 ? JIT_TMEM_64X128B_01_23
                                                      : -1)
                : ptx_has(p, PTX_M_32X128B)  ? (x4 ? JIT_TMEM_32X128B : -1)
                                             : -1;
    bool multicast = shape == JIT_TMEM_64X128B_02_13 || shape == JIT_TMEM_64X128B_01_23 ||
                     shape == JIT_TMEM_32X128B;
    if (shape < 0 || x02 + x01 + x4 != multicast)
        return emit_fail(&t->c->e, "tcgen05.cp has no such shape and multicast");
    t->what.op = JIT_TMEM_CP;
    t->what.shape = (uint8_t)shape;
    if (p->type_count == 1 ||
        (p->type_count == 2 && p->type[1] != PTX_B6X16_P32 && p->type[1] != PTX_B4X16_P64))
        return emit_fail(&t->c->e, "tcgen05.cp takes .b8x16.b6x16_p32 or .b8x16.b4x16_p64");
    if (p->type_count == 2)
        t->what.flags |= p->type[1] == PTX_B6X16_P32 ? JIT_TMEM_B6 : JIT_TMEM_B4;
    if (!put_place(t, AT(at), 0) || !put_number(t, AT(a), 1, 64))
        return false;
    call_service(t);
    return true;
}

static bool
emit_shift(struct tcgen05 *t)
{
    t->what.op = JIT_TMEM_SHIFT;
    if (!ptx_has(&t->i->i, PTX_M_DOWN))
        return emit_fail(&t->c->e, "tcgen05.shift without .down");
    if (!put_place(t, AT(at), 0))
        return false;
    call_service(t);
    return true;
}

/* The mbarrier of each block that is named is arrived at once: what came before is done. */
static bool
emit_commit(struct tcgen05 *t)
{
    struct core *c = t->c;
    const struct ptx_insn *p = &t->i->i;
    const struct ptx_operand *o = operand(t, 0);
    t->what.op = JIT_TMEM_COMMIT;
    if (!ptx_has(p, PTX_M_MBARRIER_ARRIVE_ONE))
        return emit_fail(&c->e, "tcgen05.commit without .mbarrier::arrive::one");
    if (!o || o->kind != PTX_O_ADDRESS)
        return emit_fail(&c->e, "%s: operand 1 is no address", name_of(t));
    core_store_field(c, t->data, AT(b), core_address_lanes(c, t->i, o));
    if (ptx_has(p, PTX_M_MULTICAST_CLUSTER)) {
        if (!put_number(t, AT(number), 1, 16))
            return false;
        t->what.flags |= JIT_TMEM_HALVES; /* blocks are named */
    }
    if (t->i->tells & TELL_ACCESS)
        t->what.flags |= JIT_TMEM_ANNOUNCED;
    core_batch_flush(c);
    call_service(t);
    return true;
}

/* -- products ---------------------------------------------------------------------------------- */

static bool
find_kind(struct tcgen05 *t)
{
    static const uint16_t kinds[] = {
        [JIT_TMEM_F16] = PTX_M_KIND_F16,           [JIT_TMEM_TF32] = PTX_M_KIND_TF32,
        [JIT_TMEM_F8F6F4] = PTX_M_KIND_F8F6F4,     [JIT_TMEM_I8] = PTX_M_KIND_I8,
        [JIT_TMEM_MXF8F6F4] = PTX_M_KIND_MXF8F6F4, [JIT_TMEM_MXF4] = PTX_M_KIND_MXF4,
        [JIT_TMEM_MXF4NVF4] = PTX_M_KIND_MXF4NVF4};
    const struct ptx_insn *p = &t->i->i;
    int kind = which_of(p, kinds, 7);
    bool scaled = ptx_has(p, PTX_M_BLOCK_SCALE), ws = t->what.flags & JIT_TMEM_WS;
    if (kind < 0 || scaled != (kind >= JIT_TMEM_MXF8F6F4) || (ws && scaled))
        return emit_fail(&t->c->e, "%s has no such .kind%s", name_of(t),
                         kind < JIT_TMEM_MXF8F6F4 || ws ? "" : " without .block_scale");
    bool x1 = ptx_has(p, PTX_M_SCALE_VEC_1X), x2 = ptx_has(p, PTX_M_SCALE_VEC_2X),
         block32 = ptx_has(p, PTX_M_BLOCK32),
         four = ptx_has(p, PTX_M_SCALE_VEC_4X) || ptx_has(p, PTX_M_BLOCK16);
    bool fits = kind == JIT_TMEM_MXF8F6F4   ? !x2 && !four
                : kind == JIT_TMEM_MXF4     ? !x1 && !four
                : kind == JIT_TMEM_MXF4NVF4 ? x2 || block32 || four
                                            : !(x1 | x2 | block32 | four);
    if (!fits)
        return emit_fail(&t->c->e, "%s: the .kind does not take this .scale_vec", name_of(t));
    t->what.shape = (uint8_t)kind;
    t->what.flags |= four ? JIT_TMEM_BLOCK16 : 0;
    t->what.flags |= ptx_has(p, PTX_M_ASHIFT) ? JIT_TMEM_A_SHIFTED : 0;
    return true;
}

/* {m0, m1, m2, m3}: lanes of D that stay as they are; of a pair eight, the even block's first. */
static bool
put_disabled(struct tcgen05 *t, unsigned *k)
{
    const struct ptx_operand *o = operand(t, *k);
    bool ws = t->what.flags & JIT_TMEM_WS, scaled = t->what.shape >= JIT_TMEM_MXF8F6F4;
    bool given = o && o->kind == PTX_O_VECTOR && !ws && !scaled;
    unsigned count = t->what.flags & JIT_TMEM_PAIR ? 8 : 4;
    if (given && o->count != count)
        return emit_fail(&t->c->e, "%s: operand %u has %u registers", name_of(t), *k + 1, count);
    for (unsigned n = 0; n < count; n++)
        if (given)
            core_store_field(t->c, t->data, AT(disabled) + ROW * n,
                             core_value(t->c, t->i, &o->elements[n], 32, false));
        else
            put_zeros(t, AT(disabled) + ROW * n, 32);
    *k += given;
    return true;
}

/* Behind the instruction's descriptor: scales, or lanes that are left out; whether D counts; what
 * it is scaled by, or the mask of columns. */
static bool
put_rest(struct tcgen05 *t, unsigned k)
{
    bool ws = t->what.flags & JIT_TMEM_WS;
    if (!put_disabled(t, &k))
        return false;
    if (t->what.shape >= JIT_TMEM_MXF8F6F4) {
        if (!put_place(t, AT(scale_a), k) || !put_place(t, AT(scale_b), k + 1))
            return false;
        k += 2;
    }
    if (!put_number(t, AT(add), k++, 1))
        return false;
    put_zeros(t, AT(zeros), 64);
    if (operand(t, k) && operand(t, k + 1))
        return emit_fail(&t->c->e, "%s: operand %u is one too many", name_of(t), k + 2);
    if (ws && operand(t, k))
        return put_number(t, AT(zeros), k, 64);
    const struct ptx_operand *o = operand(t, k);
    if (!o)
        return true;
    if (o->kind != PTX_O_INT || o->imm > 15 || t->what.shape > JIT_TMEM_TF32)
        return emit_fail(&t->c->e,
                         "%s: operand %u (scale-input-d) is a constant from 0 to 15, for "
                         "kinds f16 and tf32",
                         name_of(t), k + 1);
    t->what.scale_d = (uint8_t)o->imm;
    return true;
}

static bool
emit_product(struct tcgen05 *t)
{
    enum ptx_op op = (enum ptx_op)t->i->i.op;
    bool ws = op == PTX_OP_TCGEN05_MMA_WS || op == PTX_OP_TCGEN05_MMA_WS_SP;
    bool sparse = op == PTX_OP_TCGEN05_MMA_SP || op == PTX_OP_TCGEN05_MMA_WS_SP;
    unsigned next = 3;
    if (ws && t->what.flags & JIT_TMEM_PAIR)
        return emit_fail(&t->c->e, "%s has no .cta_group::2", name_of(t));
    t->what.op = JIT_TMEM_MMA;
    t->what.flags |= (uint16_t)((ws ? JIT_TMEM_WS : 0) | (sparse ? JIT_TMEM_SPARSE : 0));
    if (!find_kind(t) || !put_place(t, AT(at), 0) || !put_number(t, AT(b), 2, 64))
        return false;
    if (is_place(operand(t, 1))) {
        t->what.flags |= JIT_TMEM_A_INSIDE;
        if (!put_place(t, AT(metadata), 1))
            return false;
        value at = core_load_field(t->c, t->data, AT(metadata), core_vector(t->c, 32));
        core_store_field(t->c, t->data, AT(a), v_zext(&t->c->e, at, 64));
    } else if (!put_number(t, AT(a), 1, 64)) {
        return false;
    }
    if ((t->what.flags & JIT_TMEM_A_SHIFTED) && !(t->what.flags & JIT_TMEM_A_INSIDE))
        return emit_fail(&t->c->e, "%s.ashift takes A from tensor memory", name_of(t));
    if (sparse && !put_place(t, AT(metadata), next++))
        return false;
    if (!put_number(t, AT(number), next, 32) || !put_rest(t, next + 1))
        return false;
    call_service(t);
    return true;
}

/* -- the instruction --------------------------------------------------------------------------- */

bool
tcgen05_insn(struct core *c, const struct wir_insn *i)
{
    struct tcgen05 t = {.c = c, .i = i};
    if (ptx_has(&i->i, PTX_M_CTA_GROUP_2))
        t.what.flags |= JIT_TMEM_PAIR;
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    c->e.mask_bits = t.lanes = core_mask_bits(c);
    _Static_assert(sizeof(struct jit_tmem_data) % 64 == 0, "a number of cache lines");
    t.data = core_operands(c, &c->tmem_data, sizeof(struct jit_tmem_data));
    switch (i->i.op) {
    case PTX_OP_TCGEN05_ALLOC: return emit_alloc(&t);
    case PTX_OP_TCGEN05_DEALLOC: return emit_dealloc(&t);
    case PTX_OP_TCGEN05_RELINQUISH_ALLOC_PERMIT:
        t.what.op = JIT_TMEM_RELINQUISH;
        call_service(&t);
        return true;
    case PTX_OP_TCGEN05_LD: return emit_load(&t);
    case PTX_OP_TCGEN05_ST: return emit_store(&t);
    case PTX_OP_TCGEN05_CP: return emit_copy(&t);
    case PTX_OP_TCGEN05_SHIFT: return emit_shift(&t);
    case PTX_OP_TCGEN05_COMMIT: return emit_commit(&t);
    case PTX_OP_TCGEN05_MMA:
    case PTX_OP_TCGEN05_MMA_WS:
    case PTX_OP_TCGEN05_MMA_SP:
    case PTX_OP_TCGEN05_MMA_WS_SP: return emit_product(&t);
    default: return true; /* fences, and waiting for what is done */
    }
}
