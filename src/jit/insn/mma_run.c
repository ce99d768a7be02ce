/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/mma_run.c: mma with a sparse A, with .kind, with scales (PTX ISA 9.7.14.3, 9.7.14.5.14,
 * 9.7.14.6): the registers of 32 lanes go into a struct mma_operands on the stack, and
 * ops/mma_run.c multiplies. Start at matrix_run.
 */
#include "jit/insn/insn.h"
#include "jit/insn/matrix.h"
#include "jit/ops/mma_run.h"
#include "jit/ops/wgmma.h"

#include <string.h>

#define AT(field) offsetof(struct mma_operands, field)
enum { ROW = 4 * LANES };

static const struct run_row {
    enum ptx_mod shape;
    uint8_t k;
    bool sparse;
    enum mma_kind kind;
    const char *inputs, *accumulators;
} rows[] = {
#define MMA_RUN(shape, k, sparse, kind, inputs, accumulators)                                      \
    {PTX_M_##shape, k, sparse, MMA_KIND_##kind, inputs, accumulators},
#include "jit/insn/mma_run.def"
#undef MMA_RUN
};

struct run {
    struct core *c;
    const struct wir_insn *i;
    const struct ptx_insn *p;
    const struct run_row *row;
    struct mma_form form;
    unsigned registers_d;
    value data;
};

/* -- the form ---------------------------------------------------------------------------------- */

static enum mma_kind
kind_of(const struct ptx_insn *p)
{
    return ptx_has(p, PTX_M_KIND_F8F6F4)     ? MMA_KIND_F8F6F4
           : ptx_has(p, PTX_M_KIND_MXF8F6F4) ? MMA_KIND_MXF8F6F4
           : ptx_has(p, PTX_M_KIND_MXF4)     ? MMA_KIND_MXF4
           : ptx_has(p, PTX_M_KIND_MXF4NVF4) ? MMA_KIND_MXF4NVF4
                                             : MMA_KIND_NONE;
}

bool
matrix_is_run(const struct ptx_insn *p)
{
    return ptx_has(p, PTX_M_SP) || ptx_has(p, PTX_M_SP_ORDERED_METADATA) ||
           ptx_has(p, PTX_M_BLOCK_SCALE) || kind_of(p) != MMA_KIND_NONE;
}

static bool
find_row(struct run *r)
{
    const struct ptx_insn *p = r->p;
    bool sparse = ptx_has(p, PTX_M_SP) || ptx_has(p, PTX_M_SP_ORDERED_METADATA);
    bool scaled = ptx_has(p, PTX_M_BLOCK_SCALE);
    enum mma_kind kind = kind_of(p);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct run_row *row = &rows[k];
        bool alike = p->type[1] == p->type[2] || ptx_type_bytes((enum ptx_type)p->type[1]) < 2;
        if (row->sparse == sparse && row->kind == kind && ptx_has(p, row->shape) && alike &&
            p->type[0] == p->type[3] && scaled == (kind >= MMA_KIND_MXF8F6F4) &&
            matrix_lists(row->inputs, (enum ptx_type)p->type[1]) &&
            matrix_lists(row->inputs, (enum ptx_type)p->type[2]) &&
            matrix_lists(row->accumulators, (enum ptx_type)p->type[0]))
            r->row = row;
    }
    if (!r->row)
        return emit_fail(&r->c->e, "mma has no such shape, kind and types");
    if (kind != MMA_KIND_NONE && sparse && !ptx_has(p, PTX_M_SP_ORDERED_METADATA))
        return emit_fail(&r->c->e, "mma.sp with .kind takes ::ordered_metadata");
    return true;
}

static uint8_t
type_of(enum ptx_type t, enum mma_kind kind)
{
    switch (t) {
    case PTX_F16: return WGMMA_F16;
    case PTX_BF16: return WGMMA_BF16;
    case PTX_TF32: return WGMMA_TF32;
    case PTX_F32: return WGMMA_F32;
    case PTX_E4M3: return WGMMA_E4M3;
    case PTX_E5M2: return WGMMA_E5M2;
    case PTX_E2M3: return WGMMA_E2M3;
    case PTX_E3M2: return WGMMA_E3M2;
    case PTX_E2M1: return kind >= MMA_KIND_MXF4 ? WGMMA_PAIR : WGMMA_E2M1;
    case PTX_S4:
    case PTX_S8: return WGMMA_S8;
    case PTX_U4:
    case PTX_U8: return WGMMA_U8;
    default: return WGMMA_S32;
    }
}

/* Scales of a row, by words and types. */
static bool
find_scales(struct run *r)
{
    const struct ptx_insn *p = r->p;
    enum mma_kind kind = r->row->kind;
    bool x1 = ptx_has(p, PTX_M_SCALE_VEC_1X), x2 = ptx_has(p, PTX_M_SCALE_VEC_2X),
         x4 = ptx_has(p, PTX_M_SCALE_VEC_4X);
    enum ptx_type type = p->type_count > 4 ? (enum ptx_type)p->type[4] : PTX_TYPE_NONE;
    r->form.scales = kind == MMA_KIND_MXF8F6F4 ? 1 : x4 ? 4 : 2;
    r->form.ue4m3 = type == PTX_UE4M3;
    bool fits = kind == MMA_KIND_MXF8F6F4   ? !x2 && !x4
                : kind == MMA_KIND_MXF4     ? !x1 && !x4
                : kind == MMA_KIND_MXF4NVF4 ? x2 || x4
                                            : !(x1 | x2 | x4);
    bool typed = kind < MMA_KIND_MXF8F6F4 ? type == PTX_TYPE_NONE
                 : type == PTX_UE4M3      ? kind == MMA_KIND_MXF4NVF4 && x4
                                          : type == PTX_UE8M0;
    return (fits && typed) ||
           emit_fail(&r->c->e, "mma: the .kind does not take this .scale_vec and type of scales");
}

static bool
find_form(struct run *r)
{
    const struct ptx_insn *p = r->p;
    struct mma_form *f = &r->form;
    enum ptx_type a = (enum ptx_type)p->type[1];
    enum mma_kind kind = r->row->kind;
    unsigned bits = a == PTX_S4 || a == PTX_U4 || kind >= MMA_KIND_MXF4 ? 4 : 8 * ptx_type_bytes(a);
    f->a = type_of(a, kind);
    f->b = type_of((enum ptx_type)p->type[2], kind);
    f->d = type_of((enum ptx_type)p->type[0], kind);
    f->kind = (uint8_t)kind;
    f->sparse = r->row->sparse;
    f->nibbles = f->d == WGMMA_S32 && bits == 4;
    f->saturate = ptx_has(p, PTX_M_SATFINITE);
    f->registers_b = (uint8_t)(r->row->k * bits / 128);
    f->registers_a = (uint8_t)(f->registers_b * 2 >> f->sparse);
    r->registers_d = f->d == WGMMA_F16 ? 2 : 4;
    return find_scales(r);
}

/* -- operands ---------------------------------------------------------------------------------- */

static bool
wrong(const struct run *r, unsigned k, const char *what)
{
    return emit_fail(&r->c->e, "mma: operand %u must be %s", k + 1, what);
}

static bool
put_registers(const struct run *r, unsigned k, size_t at, unsigned wanted)
{
    const struct ptx_operand *o = &r->p->operand[k];
    unsigned count = o->kind == PTX_O_VECTOR ? o->count : 1;
    if (count != wanted)
        return emit_fail(&r->c->e, "mma: operand %u has %u registers, not %u", k + 1, count,
                         wanted);
    for (unsigned n = 0; n < count && k; n++)
        core_store_field(
            r->c, r->data, at + ROW * n,
            core_value(r->c, r->i, o->kind == PTX_O_VECTOR ? &o->elements[n] : o, 32, false));
    return true;
}

static bool
put_metadata(struct run *r, unsigned k)
{
    const struct ptx_operand *o = r->p->operand;
    /* Lanes of four that have it: one, two, all. */
    uint64_t most = r->form.a == WGMMA_F16 || r->form.a == WGMMA_BF16 || r->form.a == WGMMA_TF32
                        ? (r->form.registers_a == 2 ? 3 : 1)
                        : (r->form.registers_a == 2 ? 1 : 0);
    if (o[k + 1].kind != PTX_O_INT || o[k + 1].imm > most)
        return emit_fail(&r->c->e, "mma.sp: operand %u, the sparsity selector, must be 0 to %u",
                         k + 2, (unsigned)most);
    r->form.selector = (uint8_t)o[k + 1].imm;
    core_store_field(r->c, r->data, AT(metadata), core_value(r->c, r->i, &o[k], 32, false));
    return true;
}

static bool
put_scale(struct run *r, unsigned k, size_t at, size_t byte, size_t thread)
{
    const struct ptx_operand *o = &r->p->operand[k], *selector = &r->p->operand[k + 1];
    if (selector->kind != PTX_O_VECTOR || selector->count != 2)
        return wrong(r, k + 1, "{byte, thread}");
    const struct ptx_operand *id = &selector->elements[0];
    if (id->kind == PTX_O_INT && (id->imm > 3 || id->imm % r->form.scales))
        return wrong(r, k + 1, "{byte, thread}, the byte one at which scales begin");
    core_store_field(r->c, r->data, at, core_value(r->c, r->i, o, 32, false));
    for (unsigned n = 0; n < 2; n++) {
        value v = core_value(r->c, r->i, &selector->elements[n], 16, false);
        core_store_field(r->c, r->data, n ? thread : byte, v_zext(&r->c->e, v, 32));
    }
    return true;
}

static bool
put_operands(struct run *r)
{
    static const size_t rest[] = {AT(scale_a),  AT(scale_b), AT(byte_a),
                                  AT(thread_a), AT(byte_b),  AT(thread_b)};
    bool scaled = r->row->kind >= MMA_KIND_MXF8F6F4;
    unsigned next = 4 + 2 * r->form.sparse;
    if (r->p->operand_count != next + 4 * scaled)
        return emit_fail(&r->c->e, "mma: %u operands, not %u", r->p->operand_count,
                         next + 4 * scaled);
    if (!put_registers(r, 0, 0, r->registers_d) ||
        !put_registers(r, 1, AT(a), r->form.registers_a) ||
        !put_registers(r, 2, AT(b), r->form.registers_b) ||
        !put_registers(r, 3, AT(d), r->registers_d) || (r->form.sparse && !put_metadata(r, 4)))
        return false;
    for (size_t k = 0; k < sizeof rest / sizeof *rest && !scaled; k++)
        core_store_field(r->c, r->data, rest[k], LLVMConstNull(core_vector(r->c, 32)));
    return !scaled || (put_scale(r, next, AT(scale_a), AT(byte_a), AT(thread_a)) &&
                       put_scale(r, next + 2, AT(scale_b), AT(byte_b), AT(thread_b)));
}

/* -- the call ---------------------------------------------------------------------------------- */

bool
matrix_run(struct core *c, const struct wir_insn *i)
{
    struct run r = {.c = c, .i = i, .p = &i->i};
    if (!ptx_has(r.p, PTX_M_ROW) || !ptx_has(r.p, PTX_M_COL))
        return emit_fail(&c->e, "mma of this shape takes .row.col");
    if (!find_row(&r) || !find_form(&r))
        return false;
    _Static_assert(sizeof(struct mma_operands) % 64 == 0, "a number of cache lines");
    r.data = core_operands(c, &c->mma_data, sizeof(struct mma_operands));
    if (!put_operands(&r))
        return false;
    value args[] = {core_constant_bytes(c, &r.form, sizeof r.form, "mma.form"), r.data};
    v_call_named(&c->e, "lockstep_mma_run", LLVMVoidTypeInContext(c->e.context), args, 2);
    const struct ptx_operand *d = &r.p->operand[0];
    for (unsigned k = 0; k < r.registers_d; k++)
        core_write(c, i, d->kind == PTX_O_VECTOR ? &d->elements[k] : d,
                   core_load_field(c, r.data, AT(d) + ROW * k, core_vector(c, 32)), false);
    return true;
}
