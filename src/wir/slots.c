/* SPDX-License-Identifier: Apache-2.0
 *
 * slots.c: parameter slots of inlined functions as registers, where every access to a slot's bytes
 * is to the same ones; the others become local memory.
 */
#include "wir/wir_priv.h"

/* -- parameter slots as registers -------------------------------------------------------------- */

struct slot_use {
    uint32_t offset, bytes, reg;
};

struct slots {
    struct flat *b;
    VEC(struct slot_use) * uses; /* per variable */
    bool *in_memory;
};

static void
slot_access(struct slots *s, uint32_t var, int64_t offset, uint32_t bytes)
{
    if (offset < 0 || (uint64_t)offset + bytes > s->b->vars.at[var].var->size) {
        s->in_memory[var] = true;
        return;
    }
    for (size_t k = 0; k < s->uses[var].count; k++) {
        struct slot_use *u = &s->uses[var].at[k];
        if (u->offset == offset && u->bytes == bytes)
            return;
        if (offset < u->offset + u->bytes && u->offset < offset + bytes) {
            s->in_memory[var] = true;
            return;
        }
    }
    VEC_PUSH(&s->uses[var], ((struct slot_use){(uint32_t)offset, bytes, UINT32_MAX}));
}

static bool
is_slot(const struct slots *s, const struct ptx_var *v)
{
    return v && v->func && v->index < s->b->vars.count && s->b->vars.at[v->index].var == v &&
           s->b->vars.at[v->index].place == WIR_SLOT;
}

static const uint8_t type_of_bytes[17] = {
    [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};

static uint32_t
slot_reg(struct slots *s, uint32_t var, int64_t offset)
{
    for (size_t k = 0; k < s->uses[var].count; k++) {
        struct slot_use *u = &s->uses[var].at[k];
        if (u->offset != offset)
            continue;
        if (u->reg == UINT32_MAX) {
            u->reg = (uint32_t)s->b->regs.count;
            VEC_PUSH(&s->b->regs, ((struct wir_reg){.type = type_of_bytes[u->bytes],
                                                    .param = true,
                                                    .name = s->b->vars.at[var].var->name}));
        }
        return u->reg;
    }
    return UINT32_MAX;
}

/* Pass 1 (record) and pass 2 (replace) over the operand at `o`; bytes and vec: of the access. */
static void
slot_operand(struct slots *s, struct ptx_operand *o, uint32_t bytes, uint32_t vec, bool record)
{
    if ((o->kind != PTX_O_ADDRESS && o->kind != PTX_O_SYMBOL) || !is_slot(s, o->var))
        return;
    uint32_t var = o->var->index;
    if (record) {
        for (uint32_t k = 0; k < vec; k++)
            slot_access(s, var, o->offset + (int64_t)k * bytes, bytes);
        return;
    }
    if (s->in_memory[var])
        return;
    if (vec == 1) {
        uint32_t reg = slot_reg(s, var, o->offset);
        *o = (struct ptx_operand){.kind = PTX_O_REG, .reg = reg};
        return;
    }
    struct ptx_operand *e = ARENA_ARRAY(&s->b->wir->arena, struct ptx_operand, vec);
    for (uint32_t k = 0; k < vec; k++)
        e[k] = (struct ptx_operand){.kind = PTX_O_REG,
                                    .reg = slot_reg(s, var, o->offset + (int64_t)k * bytes)};
    *o = (struct ptx_operand){.kind = PTX_O_VECTOR, .count = vec, .elements = e};
}

static void
slot_pass(struct slots *s, bool record)
{
    for (size_t n = 0; n < s->b->insns.count; n++) {
        struct ptx_insn *i = &s->b->insns.at[n].i;
        bool access = (i->op == PTX_OP_LD || i->op == PTX_OP_ST) && i->space == PTX_SPACE_PARAM;
        uint32_t bytes = i->type_count ? ptx_type_bytes(i->type[i->type_count - 1]) : 0;
        for (uint32_t k = 0; k < i->operand_count; k++) {
            struct ptx_operand *o = &i->operand[k];
            if (access) {
                slot_operand(s, o, bytes, i->vec ? i->vec : 1, record);
            } else if (i->op == PTX_OP_CALL && o->kind == PTX_O_LIST) {
                for (uint32_t e = 0; e < o->count; e++)
                    if (is_slot(s, o->elements[e].var))
                        slot_operand(s, &o->elements[e], (uint32_t)o->elements[e].var->size, 1,
                                     record);
            } else if (record && (o->kind == PTX_O_SYMBOL || o->kind == PTX_O_ADDRESS) &&
                       is_slot(s, o->var)) {
                s->in_memory[o->var->index] = true; /* its address is taken */
            }
        }
    }
}

void
wir_keep_slots(struct flat *b)
{
    struct slots s = {.b = b};
    s.uses = ls_alloc(sizeof *s.uses * (b->vars.count + 1));
    s.in_memory = ls_alloc(b->vars.count + 1);
    slot_pass(&s, true);
    slot_pass(&s, false);
    for (size_t k = 0; k < b->vars.count; k++) {
        if (b->vars.at[k].place == WIR_SLOT && s.in_memory[k])
            b->vars.at[k].place = WIR_LOCAL;
        VEC_FREE(&s.uses[k]);
    }
    ls_release(s.uses);
    ls_release(s.in_memory);
}
