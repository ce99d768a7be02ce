/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/stepped.c: loads and stores in code for a debugger: a call that is given where the
 * registers lie. Parameters, and what does not come from or go to registers of the usual sizes, are
 * left to the others of this folder.
 */
#include "jit/memory/memory.h"

#include "jit/ops/stepped.h"
#include "jit/tools/tools.h"

static bool
is_plain(const struct core *c, const struct ptx_insn *p, const struct ptx_operand *o)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]);
    bool argument = o->base_kind == PTX_BASE_VAR && o->var->func &&
                    c->wir->vars[o->var->index].place == WIR_ARGUMENT;
    if (o->kind != PTX_O_ADDRESS || argument || !bytes || bytes > 8)
        return false;
    switch (p->space) {
    case PTX_SPACE_NONE:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
    case PTX_SPACE_SHARED:
    case PTX_SPACE_LOCAL: return true;
    default: return false;
    }
}

static unsigned
width_of(const struct core *c, const struct ptx_operand *o)
{
    return core_reg_bits(c, o->reg) / 8;
}

/* Where an element's values lie, as registers do; a number is put there. NULL: of another kind. */
static LLVMValueRef
values_at(struct core *c, const struct wir_insn *i, const struct ptx_operand *o, unsigned bytes,
          bool store, unsigned *width)
{
    if (o->kind == PTX_O_REG && !o->negated && width_of(c, o) >= bytes && width_of(c, o) <= 8 &&
        core_reg_bits(c, o->reg) >= 8) {
        *width = width_of(c, o);
        return c->regs.reg[o->reg];
    }
    if (!store || o->kind == PTX_O_REG)
        return NULL;
    LLVMValueRef room = core_alloca(c, core_vector(c, 8 * bytes));
    LLVMBuildStore(c->e.b, core_value(c, i, o, 8 * bytes, false), room);
    *width = bytes;
    return room;
}

static LLVMValueRef
number_of(struct core *c, const struct ptx_insn *p, const struct ptx_operand *o)
{
    LLVMValueRef base = site_space_base(c, (enum ptx_space)p->space, o);
    LLVMValueRef offset = core_i64(c, site_known_offset(c, o));
    return base ? LLVMBuildAdd(c->e.b, base, offset, "") : offset;
}

bool
core_stepped_access(struct core *c, const struct wir_insn *i, bool store)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *o = &p->operand[!store], *v = &p->operand[store];
    if (!c->form.steps || !is_plain(c, p, o))
        return false;
    unsigned bytes = ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]), width[8];
    unsigned count = p->vec ? p->vec : 1;
    LLVMValueRef at[8];
    for (unsigned k = 0; k < count; k++) {
        const struct ptx_operand *x = v->kind == PTX_O_VECTOR ? &v->elements[k] : v;
        at[k] = values_at(c, i, x, bytes, store, &width[k]);
        if (!at[k])
            return false;
    }
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef address = LLVMConstNull(ptr), add = number_of(c, p, o);
    uint32_t flags = store ? STEPPED_STORE : 0;
    if (!store && ptx_type_kind((enum ptx_type)p->type[p->type_count - 1]) == 's')
        flags |= STEPPED_SIGNED;
    flags |= p->space == PTX_SPACE_LOCAL ? STEPPED_LOCAL : 0;
    if (o->base_kind == PTX_BASE_REG) {
        address = c->regs.reg[o->reg];
        flags |= width_of(c, o) == 4 ? STEPPED_NARROW : 0;
    }
    for (unsigned k = 0; k < count; k++) {
        uint64_t what = STEPPED_WHAT(flags, bytes, width[k], p->space, k * bytes, count * bytes);
        LLVMValueRef args[] = {address, add, at[k], core_i64(c, what), core_i32(c, i->place)};
        core_step_call(c, "jit_stepped_access", args, 5);
    }
    return true;
}
