/* SPDX-License-Identifier: Apache-2.0
 *
 * parameters.c: loads of a kernel's parameter by its address, as loads of the parameter's bytes.
 * Of a parameter with many words clang takes the address once and adds to it:
 *
 *     mov.b64 %rd4, p;
 *     mov.u64 %rd1, %rd4;
 *     ld.param.u64 %rd5, [%rd1+48];     becomes  ld.param.u64 %rd5, [p+48];
 *
 * so that what is known of a parameter's words is known of these, too.
 */
#include "wir/wir_priv.h"

#include <string.h>

enum { NOBODY = UINT32_MAX, SEVERAL = UINT32_MAX - 1, MOST_STEPS = 16 };

struct writers {
    uint32_t *only; /* per register: its instruction, NOBODY or SEVERAL */
    uint32_t at;    /* the instruction that is looked at */
};

static void
note_writer(struct ptx_operand *o, bool write, void *context)
{
    struct writers *w = context;
    if (write)
        w->only[o->reg] = w->only[o->reg] == NOBODY ? w->at : SEVERAL;
}

static bool
is_constant(const struct ptx_operand *o)
{
    return o->kind == PTX_O_INT;
}

/* Adds to *offset how far the register is from where a kernel's parameter begins. NULL: it is not
 * known to be an address of one. */
static struct ptx_var *
parameter_of(const struct flat *b, const uint32_t *only, uint32_t reg, int64_t *offset)
{
    for (uint32_t steps = 0; steps < MOST_STEPS && only[reg] < SEVERAL; steps++) {
        const struct ptx_insn *i = &b->wir->insns[only[reg]].i;
        const struct ptx_operand *from = &i->operand[1];
        bool sum = i->op == PTX_OP_ADD && i->operand_count == 3 && is_constant(&i->operand[2]);
        if (i->guard != PTX_NO_REG || (i->op != PTX_OP_MOV && !sum))
            return NULL;
        if (sum)
            *offset += (int64_t)i->operand[2].imm;
        if (from->kind == PTX_O_SYMBOL && from->var && from->var->func &&
            from->var->index < b->vars.count && b->vars.at[from->var->index].var == from->var &&
            b->vars.at[from->var->index].place == WIR_KERNEL_PARAM) {
            *offset += from->offset;
            return from->var;
        }
        if (from->kind != PTX_O_REG)
            return NULL;
        reg = from->reg;
    }
    return NULL;
}

static void
name_parameter(const struct flat *b, const uint32_t *only, struct ptx_insn *i)
{
    struct ptx_operand *from = &i->operand[1];
    int64_t offset = from->offset;
    uint64_t bytes = (uint64_t)ptx_type_bytes(i->type[i->type_count - 1]) * (i->vec ? i->vec : 1);
    struct ptx_var *v = parameter_of(b, only, from->reg, &offset);
    if (v && offset >= 0 && (uint64_t)offset + bytes <= v->size)
        *from = (struct ptx_operand){
            .kind = PTX_O_ADDRESS, .base_kind = PTX_BASE_VAR, .offset = offset, .var = v};
}

void
wir_name_parameters(struct flat *b)
{
    struct wir *f = b->wir;
    struct writers w = {.only = ls_alloc((b->regs.count + 1) * sizeof *w.only)};
    memset(w.only, 0xff, (b->regs.count + 1) * sizeof *w.only);
    for (w.at = 0; w.at < f->insn_count; w.at++)
        wir_visit(&f->insns[w.at], note_writer, &w);
    for (uint32_t n = 0; n < f->insn_count; n++) {
        struct ptx_insn *i = &f->insns[n].i;
        if (i->op == PTX_OP_LD && i->space == PTX_SPACE_PARAM && i->type_count &&
            i->operand[1].kind == PTX_O_ADDRESS && i->operand[1].base_kind == PTX_BASE_REG)
            name_parameter(b, w.only, i);
    }
    ls_release(w.only);
}
