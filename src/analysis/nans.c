/* SPDX-License-Identifier: Apache-2.0
 *
 * nans.c: which registers hold floating-point numbers of which nobody sees the code of a NaN. A
 * NaN is then as good as another: arithmetic makes a NaN of it, a comparison and a conversion to a
 * narrower format or to a whole number do not look at its code.
 *
 *     cvt.f64.f32 %d0, %f0;  fma.rn.f64 %d1, %d0, %d2, %d3;  cvt.rn.f32.f64 %f1, %d1     %d0, %d1
 *     cvt.f64.f32 %d0, %f0;  st.global.f64 [%p], %d0                                     neither
 *
 * All begin as unseen; a reader that shows the code, or makes of it one that is seen, takes a
 * register out, until nothing changes.
 */
#include "analysis/analysis.h"

#include <string.h>

enum { MOST_ROUNDS = 64 }; /* of a chain that runs against the order of the text, a link each */

/* Of a NaN it makes a NaN, or a number that does not depend on its code. */
static bool
is_arithmetic(uint16_t op)
{
    switch (op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_FMA:
    case PTX_OP_DIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT:
    case PTX_OP_NEG:
    case PTX_OP_ABS:
    case PTX_OP_MIN:
    case PTX_OP_MAX: return true;
    default: return false;
    }
}

static bool
is_float(uint8_t type)
{
    return type == PTX_F32 || type == PTX_F64;
}

/* A conversion of a float or double to fewer bits, or to a whole number in an integer register. */
static bool
is_narrowing(const struct ptx_insn *i)
{
    return i->op == PTX_OP_CVT && i->type_count == 2 && is_float(i->type[1]) &&
           (ptx_type_kind((enum ptx_type)i->type[0]) != 'f' ||
            ptx_type_bytes((enum ptx_type)i->type[0]) < ptx_type_bytes((enum ptx_type)i->type[1]));
}

/* Whether an instruction shows the code of a NaN in a register that it reads. */
static bool
shows(const struct ptx_insn *i, const uint64_t *unseen)
{
    if (!i->type_count || !i->operand_count)
        return true;
    if (i->op == PTX_OP_SETP)
        return !is_float(i->type[0]);
    if (is_narrowing(i))
        return false;
    if (ptx_has(i, PTX_M_XORSIGN)) /* min and max: the sign of both operands decides */
        return true;
    bool keeps = i->op == PTX_OP_MOV || i->op == PTX_OP_SELP || i->op == PTX_OP_CVT;
    return !(keeps || is_arithmetic(i->op)) || !is_float(i->type[0]) ||
           i->operand[0].kind != PTX_O_REG || !set_has(unseen, i->operand[0].reg);
}

uint64_t *
analysis_unseen_nans(const struct wir *f)
{
    uint64_t *unseen = ls_alloc((f->reg_words + 1) * sizeof *unseen);
    for (uint32_t r = 0; r < f->reg_count; r++)
        if (is_float(f->regs[r].type) && !f->regs[r].param)
            set_add(unseen, r);
    bool changed = true;
    for (uint32_t round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (uint32_t n = f->insn_count; n-- > 0;) {
            struct span read = wir_uses(f, n);
            if (!read.count || !shows(&f->insns[n].i, unseen))
                continue;
            for (uint32_t k = 0; k < read.count; k++)
                if (set_has(unseen, read.at[k])) {
                    set_remove(unseen, read.at[k]);
                    changed = true;
                }
        }
    }
    if (changed)
        memset(unseen, 0, f->reg_words * sizeof *unseen);
    return unseen;
}
