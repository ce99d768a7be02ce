/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/wgmma.c: products of warpgroups (PTX ISA 9.7.15). Each of the four warps has 16 rows of A
 * and D, and computes them when all have come to the instruction (ops/wgmma.c), so that waiting for
 * groups is waiting for the other three to have done so. Start at wgmma_insn.
 */
#include "jit/insn/insn.h"
#include "jit/build/value.h"
#include "jit/ops/wgmma.h"
#include "jit/tools/tools.h"

#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(struct wgmma_operands, field)
enum { MOST_REGISTERS = 128, ROW = 4 * LANES };

/* An instruction on its way: its form, and which operands there are. */
struct wgmma_product {
    struct core *c;
    const struct wir_insn *i;
    struct wgmma_form form;
    unsigned registers;                 /* of D */
    unsigned metadata, scale_d, before; /* operands; metadata 0: none */
    bool chained, goes_on; /* D is in memory, as the last product left it; the next one takes it
                              from there */
};

static bool
type_of(enum ptx_type t, uint8_t *out)
{
    static const struct {
        uint8_t ptx, type;
    } types[] = {{PTX_F16, WGMMA_F16},   {PTX_BF16, WGMMA_BF16}, {PTX_TF32, WGMMA_TF32},
                 {PTX_E4M3, WGMMA_E4M3}, {PTX_E5M2, WGMMA_E5M2}, {PTX_F32, WGMMA_F32},
                 {PTX_S8, WGMMA_S8},     {PTX_U8, WGMMA_U8},     {PTX_B1, WGMMA_B1},
                 {PTX_S32, WGMMA_S32}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (types[k].ptx == t)
            return *out = types[k].type, true;
    return false;
}

/* Numbers of 32 bytes. */
static unsigned
depth_of(uint8_t a)
{
    return a == WGMMA_B1 ? 256 : a == WGMMA_TF32 ? 8 : a <= WGMMA_BF16 ? 16 : 32;
}

/* 9.7.15.2: which D go with A and B, and which shapes with them. */
static bool
types_fit(const struct wgmma_form *f)
{
    bool bytes = f->a == WGMMA_E4M3 || f->a == WGMMA_E5M2;
    if (f->a == WGMMA_F16 || bytes)
        return (f->d == WGMMA_F16 || f->d == WGMMA_F32) &&
               (bytes ? f->b == WGMMA_E4M3 || f->b == WGMMA_E5M2 : f->b == WGMMA_F16);
    if (f->a == WGMMA_BF16 || f->a == WGMMA_TF32)
        return f->d == WGMMA_F32 && f->b == f->a;
    if (f->a == WGMMA_B1)
        return f->d == WGMMA_S32 && f->b == WGMMA_B1 && !f->sparse;
    return f->d == WGMMA_S32 && (f->a == WGMMA_S8 || f->a == WGMMA_U8) &&
           (f->b == WGMMA_S8 || f->b == WGMMA_U8);
}

static bool
shape_fits(const struct ptx_insn *p, struct wgmma_form *f)
{
    unsigned n = 0, k = 0;
    for (int mod = PTX_M_M64N8K8; mod <= PTX_M_M64N256K256; mod++)
        if (ptx_has(p, (enum ptx_mod)mod))
            sscanf(ptx_mod_name((enum ptx_mod)mod), "m64n%uk%u", &n, &k);
    f->n = (uint16_t)n;
    if (!n || k != depth_of(f->a) << f->sparse)
        return false;
    return f->d != WGMMA_S32 || n <= 24 || n % 16 == 0;
}

/* -- operands ---------------------------------------------------------------------------------- */

/* The constant that operand k is; false: it is none, or not within. */
static bool
constant(const struct wgmma_product *m, unsigned k, int64_t least, int64_t most, int64_t *out)
{
    const struct ptx_operand *o = &m->i->i.operand[k];
    *out = o->kind == PTX_O_INT ? (int64_t)o->imm : most + 1;
    if (*out >= least && *out <= most)
        return true;
    return emit_fail(&m->c->e, "wgmma.mma_async: operand %u must be %s", k + 1,
                     least < 0 ? "-1 or 1" : "0 or 1");
}

static bool
wrong_count(const struct wgmma_product *m)
{
    return emit_fail(&m->c->e, "wgmma.mma_async: operands do not fit the types");
}

/* Behind scale-d: imm-scale-a, imm-scale-b, imm-trans-a (A in memory), imm-trans-b (9.7.15.5.2). */
static bool
find_constants(struct wgmma_product *m)
{
    struct wgmma_form *f = &m->form;
    unsigned at = m->scale_d + 1, last = m->before;
    int64_t scale_a = 1, scale_b = 1, trans_a = 0, trans_b = 0;
    unsigned wanted = f->d == WGMMA_S32 ? 0 : f->a > WGMMA_BF16 ? 2 : f->in_registers ? 3 : 4;
    if (last < at || last - at != wanted)
        return wrong_count(m);
    if (wanted && (!constant(m, at, -1, 1, &scale_a) || !constant(m, at + 1, -1, 1, &scale_b)))
        return false;
    if (wanted == 4 && !constant(m, at + 2, 0, 1, &trans_a))
        return false;
    if (wanted > 2 && !constant(m, last - 1, 0, 1, &trans_b))
        return false;
    if (!scale_a || !scale_b)
        return emit_fail(&m->c->e, "wgmma.mma_async: a scale must be -1 or 1");
    f->negate = scale_a != scale_b;
    f->trans_a = (uint8_t)trans_a;
    f->trans_b = (uint8_t)trans_b;
    return true;
}

static bool
find_form(struct wgmma_product *m)
{
    const struct ptx_insn *p = &m->i->i;
    struct wgmma_form *f = &m->form;
    int64_t selector = 0;
    f->sparse = ptx_has(p, PTX_M_SP);
    f->saturate = ptx_has(p, PTX_M_SATFINITE);
    if (!type_of((enum ptx_type)p->type[0], &f->d) || !type_of((enum ptx_type)p->type[1], &f->a) ||
        !type_of((enum ptx_type)p->type[2], &f->b) || !types_fit(f) || !shape_fits(p, f))
        return emit_fail(&m->c->e, "wgmma.mma_async has no such shape and types");
    if (f->a == WGMMA_B1 && !ptx_has(p, PTX_M_AND))
        return emit_fail(&m->c->e, "wgmma.mma_async of bits takes .and.popc");
    m->registers = f->d == WGMMA_F16 ? f->n / 4u : f->n / 2u;
    m->metadata = f->sparse ? 3 : 0;
    m->scale_d = f->sparse ? 5 : 3;
    m->before = p->operand_count - 1u;
    if (p->operand_count < m->scale_d + 2)
        return wrong_count(m);
    if (p->operand[0].kind != PTX_O_VECTOR || p->operand[0].count != m->registers)
        return emit_fail(&m->c->e, "wgmma.mma_async: D is %u registers", m->registers);
    f->in_registers = p->operand[1].kind == PTX_O_VECTOR;
    if (f->in_registers && p->operand[1].count != 4)
        return emit_fail(&m->c->e, "wgmma.mma_async: A is 4 registers or a descriptor");
    if (f->sparse && !constant(m, 4, 0, 1, &selector))
        return false;
    f->selector = (uint8_t)selector;
    return find_constants(m);
}

/* -- the call ---------------------------------------------------------------------------------- */

/* Memory for struct wgmma_operands and D behind it, one for all that the function executes. */
static value
data_of(struct core *c)
{
    _Static_assert(sizeof(struct wgmma_operands) % ROW == 0, "D lies in whole vectors");
    return core_operands(c, &c->wgmma_data, sizeof(struct wgmma_operands) + MOST_REGISTERS * ROW);
}

static bool
span_has(struct span registers, uint32_t reg)
{
    for (uint32_t n = 0; n < registers.count; n++)
        if (registers.at[n] == reg)
            return true;
    return false;
}

/* chained-sums: the product before this one in its block, or behind it (step -1, 1), UINT32_MAX:
 * there is none, or between them somebody reads or writes these registers. */
static uint32_t
neighbour(const struct wgmma_product *m, const struct ptx_operand *sums, int step)
{
    const struct wir *f = m->c->wir;
    const struct wir_block *b = &f->blocks[m->c->now.current];
    uint32_t n = wir_index(f, m->i);
    for (n += (uint32_t)step; n - b->first < b->count; n += (uint32_t)step) {
        if (f->insns[n].i.op == PTX_OP_WGMMA_MMA_ASYNC)
            return f->insns[n].i.guard == PTX_NO_REG ? n : UINT32_MAX;
        for (unsigned k = 0; k < sums->count; k++)
            if (span_has(wir_defs(f, n), sums->elements[k].reg) ||
                span_has(wir_uses(f, n), sums->elements[k].reg))
                return UINT32_MAX;
    }
    return UINT32_MAX;
}

/* Product n finds its sums where the one before it has left them: they are the same registers. */
static bool
adds_to(const struct wgmma_product *m, uint32_t n, const struct ptx_operand *sums)
{
    const struct ptx_insn *i = &m->c->wir->insns[n].i;
    const struct ptx_operand *before = &i->operand[i->operand_count - 1];
    bool same = before->kind == PTX_O_VECTOR && before->count == sums->count;
    for (unsigned k = 0; same && k < sums->count; k++)
        same = sums->elements[k].kind == PTX_O_REG && before->elements[k].kind == PTX_O_REG &&
               sums->elements[k].reg == before->elements[k].reg;
    return same;
}

/* Nobody but product n reads what this one gives. */
static bool
is_only_reader(const struct wgmma_product *m, uint32_t n, const struct ptx_operand *sums)
{
    const struct wir *f = m->c->wir;
    for (unsigned k = 0; k < sums->count; k++) {
        uint32_t reg = sums->elements[k].reg;
        struct span readers = wir_readers(f, reg);
        for (uint32_t r = 0; r < readers.count && !span_has(wir_defs(f, n), reg); r++)
            if (readers.at[r] != n)
                return false;
    }
    return true;
}

static void
find_chain(struct wgmma_product *m)
{
    const struct core *c = m->c;
    const struct ptx_operand *now = &m->i->i.operand[0], *before = &m->i->i.operand[m->before];
    if (!emit_on(&c->e, PASS_CHAINED_SUMS) || c->now.version.warps > 1 ||
        wir_index(c->wir, m->i) == UINT32_MAX || m->i->i.guard != PTX_NO_REG)
        return;
    uint32_t last = neighbour(m, before, -1), next = neighbour(m, now, 1);
    m->chained = last != UINT32_MAX &&
                 adds_to(m, wir_index(c->wir, m->i), &c->wir->insns[last].i.operand[0]);
    m->goes_on = next != UINT32_MAX && adds_to(m, next, now) && is_only_reader(m, next, now);
    if (m->chained)
        emit_fired(&c->e, PASS_CHAINED_SUMS, "%u registers stay in memory", m->registers);
}

static value
first_lane(const struct wgmma_product *m, unsigned k, unsigned bits)
{
    return emit_lane(&m->c->e, core_value(m->c, m->i, &m->i->i.operand[k], bits, false), 0);
}

static void
store_operands(const struct wgmma_product *m, value data)
{
    struct core *c = m->c;
    const struct ptx_operand *o = m->i->i.operand;
    for (unsigned k = 0; m->form.in_registers && k < 4; k++)
        core_store_field(c, data, AT(fragment) + ROW * k,
                         core_value(c, m->i, &o[1].elements[k], 32, false));
    if (!m->form.in_registers)
        core_store_field(c, data, AT(a), first_lane(m, 1, 64));
    core_store_field(c, data, AT(b), first_lane(m, 2, 64));
    if (m->metadata)
        core_store_field(c, data, AT(metadata), core_value(c, m->i, &o[m->metadata], 32, false));
    core_store_field(c, data, AT(add), v_zext(&c->e, first_lane(m, m->scale_d, 1), 32));
    for (unsigned k = 0; k < m->registers && !m->chained; k++)
        core_store_field(c, data, sizeof(struct wgmma_operands) + ROW * k,
                         core_value(c, m->i, &o[m->before].elements[k], 32, false));
}

/* The sums that ops/wgmma_half.c can make, where the host can. */
static void
decide(struct wgmma_product *m)
{
    struct wgmma_form *f = &m->form;
    bool halves = f->a == WGMMA_F16 && f->d == WGMMA_F32,
         on = emit_on(&m->c->e, PASS_HALF_PRODUCTS);
    f->plain = halves && !f->sparse && !on;
    if (!halves || !on)
        return;
    if (f->sparse)
        emit_missed(&m->c->e, PASS_HALF_PRODUCTS, "A is sparse");
    else
        emit_fired(&m->c->e, PASS_HALF_PRODUCTS, "64 x %u sums of doubles", f->n);
}

static bool
multiply(struct core *c, const struct wir_insn *i)
{
    struct wgmma_product m = {.c = c, .i = i};
    if (!find_form(&m))
        return false;
    decide(&m);
    find_chain(&m);
    value data = data_of(c), lanes = core_mask_bits(c), place = core_i32(c, i->place);
    core_fence(c, false);
    store_operands(&m, data);
    value form = core_constant_bytes(c, &m.form, sizeof m.form, "wgmma.form"),
          args[] = {c->e.warp, lanes, form, data, place};
    LLVMTypeRef nothing = LLVMVoidTypeInContext(c->e.context);
    if ((i->tells & (TELL_ACCESS | TELL_OFFSET)) == TELL_ACCESS) { /* profile: loads are others */
        core_batch_flush(c);
        LLVMBasicBlockRef over = core_step_telling(c);
        v_call_named(&c->e, "lockstep_wgmma_tell", nothing, args, 5);
        core_step_over(c, over);
    }
    v_call_named(&c->e, "lockstep_wgmma", nothing, args, 5);
    core_fence(c, false);
    for (unsigned k = 0; k < m.registers && !m.goes_on; k++)
        core_write(
            c, i, &i->i.operand[0].elements[k],
            core_load_field(c, data, sizeof(struct wgmma_operands) + ROW * k, core_vector(c, 32)),
            false);
    return true;
}

/* -- four warps -------------------------------------------------------------------------------- */

/* What wir has put before a product, or before what waits for some: a loop until the warpgroup has
 * come. */
static bool
ask(struct core *c, const struct wir_insn *i, const char *name, uint32_t left)
{
    const struct ptx_insn *p = &i->i;
    value args[] = {c->e.warp, core_mask_bits(c), core_i32(c, left)};
    if (p->op == PTX_OP_WGMMA_FENCE)
        core_announce_async(c, i, JIT_ASYNC_WGMMA_COME, core_mask_bits(c), NULL, 0);
    core_fence(c, false);
    value all =
        v_call_named(&c->e, name, core_scalar(c, 32), args, p->op == PTX_OP_WGMMA_FENCE ? 2 : 3);
    core_write(c, i, &p->operand[0], core_splat(c, core_is_nonzero(c, all)), false);
    return true;
}

static bool
wait(struct core *c, const struct wir_insn *i)
{
    const struct ptx_operand *left = &i->i.operand[i->i.operand_count - 1];
    if (left->kind != PTX_O_INT)
        return emit_fail(&c->e, "wgmma.wait_group takes a constant");
    if (i->i.operand_count > 1)
        return ask(c, i, "lockstep_wgmma_over", (uint32_t)left->imm);
    core_announce_async(c, i, JIT_ASYNC_WGMMA_WAIT, core_mask_bits(c), NULL, (uint32_t)left->imm);
    return true;
}

static bool
commit(struct core *c, const struct wir_insn *i)
{
    core_announce_async(c, i, JIT_ASYNC_WGMMA_COMMIT, core_mask_bits(c), NULL, 0);
    value args[] = {c->e.warp, core_mask_bits(c)};
    v_call_named(&c->e, "lockstep_wgmma_commit", LLVMVoidTypeInContext(c->e.context), args, 2);
    return true;
}

bool
wgmma_insn(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    switch (p->op) {
    case PTX_OP_WGMMA_MMA_ASYNC: return multiply(c, i);
    case PTX_OP_WGMMA_COMMIT_GROUP: return commit(c, i);
    case PTX_OP_WGMMA_WAIT_GROUP: return wait(c, i);
    default: return !p->operand_count || ask(c, i, "lockstep_wgmma_come", 0);
    }
}
