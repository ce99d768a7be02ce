/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/group.c: loads of neighbouring words that are made together.
 *
 *     ld.global.f32 %f1, [%a]       each lane reads on in a row of its own, or reads the fields of
 *     ...                           a structure: four gathers, and four tests whether the lanes'
 *     ld.global.f32 %f2, [%a+4]     addresses are consecutive after all
 *     ld.global.f32 %f3, [%a+8]
 *
 * One test is enough for all of them, and a gather of 64 bits brings two words. In between nothing may
 * write to memory or wait, nor change the base.
 */
#include "jit/memory/memory.h"
#include "jit/ops/ops.h"

enum { MOST = 8, WORD = 4 };

static bool
may_pass(const struct ptx_insn *p)
{
    switch (p->op) {
    case PTX_OP_LD:
        return !ptx_has(p, PTX_M_VOLATILE) && !ptx_has(p, PTX_M_RELAXED) && !ptx_has(p, PTX_M_ACQUIRE) &&
               !ptx_has(p, PTX_M_MMIO) && !ptx_has(p, PTX_M_CV) && !ptx_has(p, PTX_M_SC);
    case PTX_OP_MOV: case PTX_OP_CVT: case PTX_OP_CVTA:
        return true;
    default:
        return emit_is_arith(p);
    }
}

/* A word from global memory, for all lanes of the block. */
static bool
is_word(const struct flow_insn *i)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *from = &p->operand[1];
    return p->op == PTX_OP_LD && may_pass(p) && p->space == PTX_SPACE_GLOBAL && p->guard == PTX_NO_REG &&
           p->vec <= 1 && ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]) == WORD &&
           from->kind == PTX_O_ADDRESS && from->base_kind == PTX_BASE_REG;
}

/* word[MOST + k]: the first load of the word k behind i's. */
static void
find_words(const struct core *c, const struct flow_insn *i, const struct flow_insn *word[2 * MOST])
{
    const struct flow_block *blk = &c->flow->blocks[c->now.current];
    const struct ptx_operand *at = &i->i.operand[1];
    uint32_t end = blk->first + blk->count, moved = flow_next_writer(c->flow, at->reg, flow_index(c->flow, i), end);
    const struct flow_insn *last = &c->flow->insns[moved < end ? moved : end - 1];
    word[MOST] = i;
    for (const struct flow_insn *n = i; n <= last; n++) {
        const struct ptx_operand *o = &n->i.operand[1];
        if (!may_pass(&n->i))
            return;
        if (n > i && is_word(n) && o->reg == at->reg) {
            int64_t d = (int64_t)o->offset - (int64_t)at->offset;
            bool near = d % WORD == 0 && d > -MOST * WORD && d < MOST * WORD;
            if (near && !word[MOST + d / WORD])
                word[MOST + d / WORD] = n;
        }
    }
}

unsigned
core_group(const struct core *c, const struct flow_insn *i, const struct flow_insn *member[8], unsigned *own)
{
    const struct flow_insn *word[2 * MOST] = {NULL};
    const struct flow_block *blk = &c->flow->blocks[c->now.current];
    const struct flow_insn *begin = &c->flow->insns[blk->first];
    if (!emit_on(&c->e, PASS_GROUPED_LOADS) || c->form.combines || c->form.called || i < begin || i >= begin + blk->count || !is_word(i))
        return 1;
    find_words(c, i, word);
    unsigned first = MOST, last = MOST;
    while (first > 1 && word[first - 1] && last - first + 1 < MOST)
        first--;
    while (last + 1 < 2 * MOST && word[last + 1] && last - first + 1 < MOST)
        last++;
    for (unsigned k = first; k <= last; k++)
        member[k - first] = word[k];
    *own = MOST - first;
    return last - first + 1;
}

LLVMValueRef
core_ahead_take(struct core *c, const struct flow_insn *i)
{
    for (uint32_t k = 0; k < c->memory->ahead_count; k++)
        if (c->memory->ahead[k].insn == i && c->memory->ahead[k].reg == c->regs.reg) {
            LLVMValueRef v = c->memory->ahead[k].value;
            c->memory->ahead[k] = c->memory->ahead[--c->memory->ahead_count];
            return v;
        }
    return NULL;
}

void
core_ahead_put(struct core *c, const struct flow_insn *i, LLVMValueRef v)
{
    for (uint32_t k = 0; k < c->memory->ahead_count; k++) /* of two groups: it is taken once */
        if (c->memory->ahead[k].insn == i && c->memory->ahead[k].reg == c->regs.reg)
            return;
    c->memory->ahead[c->memory->ahead_count++] = (struct core_ahead){i, c->regs.reg, v};
}
