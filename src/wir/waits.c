/* SPDX-License-Identifier: Apache-2.0
 *
 * waits.c: instructions that wait for other warps and are no barriers become loops: tcgen05.alloc;
 * and what four warps do together (wgmma). Start at wir_push.
 */
#include "wir/wir_priv.h"

#include <string.h>

/* What blocks until another warp does something becomes a loop: the instruction has a predicate
 * more, its first operand, that says whether it was done. added: tools do not count the loop. */
static void
push_retried(struct flat *b, const struct wir_insn *at, bool added)
{
    struct ptx_insn i = at->i;
    uint32_t again = wir_new_label(b), done = (uint32_t)b->regs.count,
             first = (uint32_t)b->insns.count;
    b->labels.at[again] = first;
    VEC_PUSH(&b->regs, ((struct wir_reg){.type = PTX_PRED, .name = ""}));
    i.operand = wir_operands(b, i.operand_count + 1u);
    i.operand[0] = (struct ptx_operand){.kind = PTX_O_REG, .reg = done};
    memcpy(i.operand + 1, at->i.operand, sizeof *i.operand * i.operand_count);
    i.operand_count++;
    wir_push_insn(b, &i, at->func, at->place)->added = added;
    wir_push_jump(b, at, again, done, true);
    b->insns.at[first + 1].added = added;
}

/* -- warpgroups -------------------------------------------------------------------------------- */

/* Between two wgmma these change nothing that one of the four warps could have to see. */
static bool
is_between_products(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_MOV:
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_LOP3:
    case PTX_OP_CVT:
    case PTX_OP_SETP:
    case PTX_OP_SELP:
    case PTX_OP_WGMMA_FENCE:
    case PTX_OP_WGMMA_COMMIT_GROUP: return true;
    default: return false;
    }
}

/* A wgmma is one operation of four warps (PTX ISA 9.7.15.1): none reads its matrices before all
 * have come. Each warp computes its quarter by itself, so they meet before the first of products in
 * a row, in a loop of wgmma.fence. */
static void
push_product(struct flat *b, const struct wir_insn *at)
{
    struct wir_insn meeting = *at;
    meeting.i.op = PTX_OP_WGMMA_FENCE;
    meeting.i.type_count = 0;
    meeting.i.operand_count = 0;
    memset(meeting.i.mods, 0, sizeof meeting.i.mods);
    if (!b->met)
        push_retried(b, &meeting, true);
    wir_push_insn(b, &at->i, at->func, at->place);
}

/* A group is over for all four warps at once: behind the wait none of them still reads. */
static void
push_wait(struct flat *b, const struct wir_insn *at)
{
    push_retried(b, at, true);
    wir_push_insn(b, &at->i, at->func, at->place);
}

bool
wir_push(struct flat *b, const struct wir_insn *at)
{
    enum ptx_op op = (enum ptx_op)at->i.op;
    bool asks = (op == PTX_OP_WGMMA_FENCE && at->i.operand_count) ||
                (op == PTX_OP_WGMMA_WAIT_GROUP && at->i.operand[0].kind == PTX_O_REG);
    if (asks && !b->wir->module->is_wir)
        return wir_fail_at(b, at, "%s has no predicate", ptx_op_name(op));
    if (op == PTX_OP_TCGEN05_ALLOC)
        push_retried(b, at, false);
    else if (b->wir->module->is_wir)
        wir_push_insn(b, &at->i, at->func, at->place);
    else if (op == PTX_OP_WGMMA_MMA_ASYNC)
        push_product(b, at);
    else if (op == PTX_OP_WGMMA_WAIT_GROUP)
        push_wait(b, at);
    else
        wir_push_insn(b, &at->i, at->func, at->place);
    b->met = op == PTX_OP_WGMMA_MMA_ASYNC || (b->met && is_between_products(&at->i));
    return true;
}
