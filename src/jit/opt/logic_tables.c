/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/logic_tables.c: operations of three numbers that a table gives (lop3) become and, or and xor
 * where one or two of these make the same. Of these is known what they make of the thread's number
 * (analysis/transfer.c); of lop3 nothing is.
 *
 *     lop3.b32 %r, %x, 31, %y, 0xc0       and.b32 %r, %x, 31
 *     lop3.b32 %r, %x, 31, %y, 0xea       and.b32 %t, %x, 31;  or.b32 %r, %t, %y
 */
#include "jit/opt/opt.h"

static const struct {
    enum ptx_op op;
    const char *name;
} kind[] = {{PTX_OP_AND, "and"}, {PTX_OP_OR, "or"}, {PTX_OP_XOR, "xor"}};
enum { KINDS = sizeof kind / sizeof *kind };

/* PTX ISA 9.7.8.6: the table of an operation is what it makes of these three. */
static const uint8_t column[3] = {0xf0, 0xcc, 0xaa};

static uint8_t
make(unsigned k, uint8_t a, uint8_t b)
{
    return k == 0 ? a & b : k == 1 ? a | b : a ^ b;
}

/* The lop3 `like` with operation k, of two numbers. */
static struct ptx_insn
step(const struct ptx_insn *like, unsigned k, struct ptx_operand operand[3], struct ptx_operand to,
     struct ptx_operand a, struct ptx_operand b)
{
    struct ptx_insn i = *like;
    operand[0] = to;
    operand[1] = a;
    operand[2] = b;
    i.op = (uint16_t)kind[k].op;
    i.operand = operand;
    i.operand_count = 3;
    return i;
}

/* insns[n] is operation k of x and y, and of that and z operation `last` (KINDS: nothing). */
static void
replace(struct opt *o, uint32_t n, unsigned k, unsigned last, const struct ptx_operand *x,
        const struct ptx_operand *y, const struct ptx_operand *z)
{
    const struct ptx_insn *p = &o->edit.f->insns[n].i;
    struct ptx_operand a[3], b[3], to = p->operand[0];
    if (last == KINDS) {
        opt_fired(o, n, "%s of two numbers", kind[k].name);
    } else {
        opt_fired(o, n, "%s, then %s", kind[k].name, kind[last].name);
        const struct wir_reg *r = &o->edit.f->regs[to.reg];
        to.reg = wir_edit_register(&o->edit, (enum ptx_type)r->type, r->name);
    }
    struct ptx_insn i = step(p, k, a, to, *x, *y);
    if (last != KINDS) {
        i.guard = PTX_NO_REG;
        wir_edit_before(&o->edit, n, &i);
        i = step(p, last, b, p->operand[0], to, *z);
    }
    wir_edit_replace(&o->edit, n, &i);
}

/* False: it takes more of them, or others. */
static bool
take_apart(struct opt *o, uint32_t n, uint8_t table)
{
    const struct ptx_operand *x = o->edit.f->insns[n].i.operand + 1;
    for (unsigned last = KINDS + 1; last-- > 0;)
        for (unsigned z = 0; z < 3; z++)
            for (unsigned k = 0; k < KINDS; k++) {
                unsigned a = z == 0, b = z == 2 ? 1 : 2;
                uint8_t made = make(k, column[a], column[b]);
                if ((last == KINDS ? made : make(last, made, column[z])) != table)
                    continue;
                replace(o, n, k, last, &x[a], &x[b], &x[z]);
                return true;
            }
    return false;
}

OPT_PASS(LOGIC_TABLES)
{
    const struct wir *f = o->edit.f;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *p = &f->insns[n].i;
        if (p->op != PTX_OP_LOP3 || f->chains.block_of[n] == UINT32_MAX ||
            p->operand[0].kind != PTX_O_REG || p->operand_count != 5 ||
            p->operand[4].kind != PTX_O_INT)
            continue;
        if (!take_apart(o, n, (uint8_t)p->operand[4].imm))
            opt_missed(o, n, "table 0x%02x is that of no two operations",
                       (unsigned)p->operand[4].imm);
    }
}
