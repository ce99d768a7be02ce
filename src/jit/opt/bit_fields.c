/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/bit_fields.c: bit fields at places known when the kernel is compiled, as front ends have them
 * for `threadIdx.x >> 5 & 3`, become shifts and masks. Of these is known what they make of the
 * thread's number (analysis/ transfer.c): here that all lanes of a warp agree; of a bit field
 * nothing is.
 *
 *     bfe.u32 %r, %x, 5, 2        shr.u32 %t, %x, 5;  and.b32 %r, %t, 3
 *     bfe.s32 %r, %x, 4, 8        shl.b32 %t, %x, 20; shr.s32 %r, %t, 24
 */
#include "jit/opt/opt.h"

/* The extract instruction `like` with another operation, of `from` and a number. */
static struct ptx_insn
step(const struct ptx_insn *like, enum ptx_op op, enum ptx_type type, struct ptx_operand operand[3],
     struct ptx_operand to, struct ptx_operand from, uint64_t number)
{
    struct ptx_insn i = *like;
    operand[0] = to;
    operand[1] = from;
    operand[2] = (struct ptx_operand){.kind = PTX_O_INT, .imm = number};
    i.op = (uint16_t)op;
    i.type[0] = (uint8_t)type;
    i.operand = operand;
    i.operand_count = 3;
    return i;
}

/* Two steps for insns[n], or the second one alone where the first would do nothing (number 0). */
static void
replace(struct opt *o, uint32_t n, struct ptx_insn first, uint64_t shift, struct ptx_insn second)
{
    const struct ptx_operand *field = o->edit.f->insns[n].i.operand;
    if (shift) {
        const struct wir_reg *r = &o->edit.f->regs[field[0].reg];
        first.operand[0].reg = wir_edit_register(&o->edit, (enum ptx_type)r->type, r->name);
        first.guard = PTX_NO_REG;
        wir_edit_before(&o->edit, n, &first);
        second.operand[1] = first.operand[0];
    }
    wir_edit_replace(&o->edit, n, &second);
}

/* PTX ISA 9.7.1.19: bits [at, at + length) of a register of `bits`; those beyond it are 0, or the
 * sign. */
static void
take_apart(struct opt *o, uint32_t n, unsigned bits, unsigned at, unsigned length)
{
    const struct ptx_insn *p = &o->edit.f->insns[n].i;
    const struct ptx_operand *x = p->operand;
    bool is_signed = ptx_type_kind((enum ptx_type)p->type[0]) == 's', wide = bits == 64;
    unsigned end = at + length < bits ? at + length : bits;
    struct ptx_operand a[3], b[3];
    if (is_signed)
        replace(o, n, step(p, PTX_OP_SHL, wide ? PTX_B64 : PTX_B32, a, x[0], x[1], bits - end),
                bits - end,
                step(p, PTX_OP_SHR, wide ? PTX_S64 : PTX_S32, b, x[0], x[1], bits - (end - at)));
    else
        replace(o, n, step(p, PTX_OP_SHR, wide ? PTX_U64 : PTX_U32, a, x[0], x[1], at), at,
                step(p, PTX_OP_AND, wide ? PTX_B64 : PTX_B32, b, x[0], x[1],
                     ~0ull >> (64 - (end - at))));
}

OPT_PASS(BIT_FIELDS)
{
    const struct wir *f = o->edit.f;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *p = &f->insns[n].i;
        if (p->op != PTX_OP_BFE || f->chains.block_of[n] == UINT32_MAX ||
            p->operand[0].kind != PTX_O_REG || p->operand[1].kind != PTX_O_REG)
            continue;
        if (p->operand[2].kind != PTX_O_INT || p->operand[3].kind != PTX_O_INT) {
            opt_missed(o, n, "the field's place is not a number");
            continue;
        }
        unsigned bits = 8 * ptx_type_bytes((enum ptx_type)p->type[0]);
        unsigned at = p->operand[2].imm & 0xff, length = p->operand[3].imm & 0xff;
        if (!length || at >= bits) {
            opt_missed(o, n, "the field holds none of the register's bits");
            continue;
        }
        opt_fired(o, n, "bits %u to %u", at, (at + length < bits ? at + length : bits) - 1);
        take_apart(o, n, bits, at, length);
    }
}
