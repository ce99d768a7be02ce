/* SPDX-License-Identifier: Apache-2.0
 *
 * exits.c: exit in a function that is called. The function can only return, so it has one result
 * more, whether the lane has exited; behind each call lanes whose it is set exit in turn. Where no
 * function of the module holds an exit, nothing of this is there. From the exit on barriers do not
 * wait for these lanes, in the call as behind it (jit_warp.lanes).
 */
#include "wir/wir_priv.h"

#include <string.h>

void
wir_find_exits(struct flat *b)
{
    const struct ptx_module *m = b->wir->module;
    bool some = false;
    for (uint32_t k = 0; k < m->func_count && !m->is_wir; k++) /* there it is in the text */
        for (uint32_t n = 0; n < m->funcs[k]->insn_count && !m->funcs[k]->is_kernel; n++)
            some |= m->funcs[k]->insns[n].op == PTX_OP_EXIT;
    if (!some)
        return;
    b->exited = ARENA_NEW(&b->wir->arena, struct ptx_var);
    *b->exited = (struct ptx_var){.name = "exited",
                                  .space = PTX_SPACE_PARAM,
                                  .type = PTX_B32,
                                  .vec = 1,
                                  .align = 4,
                                  .size = 4};
}

void
wir_set_exited(struct flat *b, const struct wir_insn *at, bool value)
{
    struct ptx_operand to = {.kind = PTX_O_SYMBOL, .var = b->exited};
    struct ptx_operand from = {.kind = PTX_O_INT, .imm = value};
    wir_push_move(b, at, to, from, PTX_B32);
}

static uint32_t
new_reg(struct flat *b, uint8_t type)
{
    VEC_PUSH(&b->regs, ((struct wir_reg){.type = type, .name = ""}));
    return (uint32_t)b->regs.count - 1;
}

/* The call's operands with one result more. */
static void
add_result(struct flat *b, struct ptx_insn *i, struct ptx_operand result)
{
    bool some = i->operand_count && i->operand[0].kind == PTX_O_LIST;
    struct ptx_operand list = some ? i->operand[0] : (struct ptx_operand){.kind = PTX_O_LIST};
    struct ptx_operand *elements = wir_operands(b, list.count + 1u);
    if (list.count)
        memcpy(elements, list.elements, sizeof *elements * list.count);
    elements[list.count++] = result;
    list.elements = elements;
    struct ptx_operand *all = wir_operands(b, i->operand_count + 1u);
    uint32_t rest = i->operand_count - some;
    all[0] = list;
    memcpy(all + 1, i->operand + some, sizeof *all * rest);
    i->operand = all;
    i->operand_count = (uint8_t)(rest + 1);
}

void
wir_exit_behind(struct flat *b)
{
    if (!b->exited)
        return;
    uint32_t flag = new_reg(b, PTX_B32), some = new_reg(b, PTX_PRED);
    struct wir_insn call = b->insns.at[b->insns.count - 1];
    struct ptx_operand reg = {.kind = PTX_O_REG, .reg = flag};
    add_result(b, &b->insns.at[b->insns.count - 1].i, reg);
    struct ptx_insn i = {.op = PTX_OP_SETP,
                         .type_count = 1,
                         .type = {PTX_B32},
                         .vec = 1,
                         .operand_count = 3,
                         .guard = PTX_NO_REG,
                         .order = {PTX_M_NE},
                         .line = call.i.line,
                         .column = call.i.column,
                         .loc = call.i.loc};
    i.mods[PTX_M_NE / 64] |= 1ull << (PTX_M_NE % 64);
    i.operand = wir_operands(b, 3);
    i.operand[0] = (struct ptx_operand){.kind = PTX_O_REG, .reg = some};
    i.operand[1] = reg;
    i.operand[2] = (struct ptx_operand){.kind = PTX_O_INT};
    wir_push_insn(b, &i, call.func, call.place);
    uint32_t around = wir_new_label(b);
    bool kernel = b->wir->kernel->is_kernel;
    if (!kernel) {
        wir_push_jump(b, &call, around, some, true);
        wir_set_exited(b, &call, true);
    }
    struct ptx_insn leave = {.op = PTX_OP_EXIT,
                             .vec = 1,
                             .guard = kernel ? some : PTX_NO_REG,
                             .line = call.i.line,
                             .column = call.i.column,
                             .loc = call.i.loc};
    leave.operand = wir_operands(b, 1);
    wir_push_insn(b, &leave, call.func, call.place);
    b->labels.at[around] = (uint32_t)b->insns.count;
}
