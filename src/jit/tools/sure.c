/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/sure.c: accesses to local memory of which nothing can be wrong, in code that a tool guards. A
 * register-blocked product that also indexes its sums by a variable keeps them in local memory; each
 * addition is a load and a store at an address that is known when the kernel is compiled, mostly of
 * what the lines above it have stored. Asking at run time whether it lies inside and was written, and a
 * call for where it does not, was nine tenths of the time (docs/decisions/0009).
 *
 * Sure is an access that no predicate guards, whose bytes lie inside the kernel's local memory, are
 * aligned, and were all stored before in the same block of code, by instructions that are as sure of
 * their place: whichever lanes come to it have come by there. The first store of a block is asked for as
 * ever, and notes for later blocks that the bytes are written.
 */
#include "jit/tools/tools.h"

#include <string.h>

enum { NO_BLOCK = 0xffffffffu, DEEPEST = 8 };

struct core_sure {
    uint64_t *written; /* bytes of local memory, before instruction `next` of block `block` */
    uint32_t block, next;
};

static struct core_sure *
sure_new(struct core *c)
{
    struct core_sure *s = ls_alloc(sizeof *s);
    s->written = ls_alloc(c->flow->local_bytes / 8 + 8);
    s->block = NO_BLOCK;
    return s;
}

void
core_sure_free(struct core *c)
{
    if (!c->sure)
        return;
    ls_release(c->sure->written);
    ls_release(c->sure);
    c->sure = NULL;
}

static bool
is_local(const struct core *c, const struct ptx_var *var)
{
    return var && var->func && c->flow->vars[var->index].place == FLOW_LOCAL;
}

/* What the register holds wherever it is read after its only instruction, which the entry has. */
static bool
constant_of(const struct core *c, uint32_t reg, uint32_t before, uint32_t deep, uint64_t *out)
{
    const struct flow *f = c->flow;
    const struct flow_insn *made = flow_only_writer(f, reg);
    uint32_t at = made ? (uint32_t)(made - f->insns) : before;
    if (at >= before || deep == DEEPEST || at - f->blocks[0].first >= f->blocks[0].count)
        return false;
    const struct ptx_insn *p = &made->i;
    const struct ptx_operand *from = &p->operand[1];
    if (p->guard != PTX_NO_REG || ptx_type_bytes((enum ptx_type)p->type[0]) != 8)
        return false;
    if (p->op == PTX_OP_MOV && from->kind == PTX_O_SYMBOL && !from->func && is_local(c, from->var)) {
        *out = f->vars[from->var->index].offset + (uint64_t)from->offset;
        return true;
    }
    bool add = p->op == PTX_OP_ADD && p->operand[2].kind == PTX_O_INT;
    if (!add && p->op != PTX_OP_MOV)
        return false;
    if (from->kind != PTX_O_REG || from->negated || !constant_of(c, from->reg, at, deep + 1, out))
        return false;
    *out += add ? (uint64_t)p->operand[2].imm : 0;
    return true;
}

/* The first of the bytes that the instruction, number `at`, accesses in each lane's local memory. */
static bool
place_of(const struct core *c, uint32_t at, const struct ptx_operand *o, uint64_t bytes, uint64_t *out)
{
    const struct ptx_insn *p = &c->flow->insns[at].i;
    if (p->guard != PTX_NO_REG || o->kind != PTX_O_ADDRESS || !bytes || bytes & (bytes - 1))
        return false;
    if (o->base_kind == PTX_BASE_VAR && is_local(c, o->var))
        *out = c->flow->vars[o->var->index].offset;
    else if (p->space != PTX_SPACE_LOCAL || o->base_kind != PTX_BASE_REG ||
             !constant_of(c, o->reg, at, 0, out))
        return false;
    *out += (uint64_t)o->offset;
    return !(*out & (bytes - 1)) && *out < c->flow->local_bytes && c->flow->local_bytes - *out >= bytes;
}

static void
note_store(struct core *c, uint32_t at)
{
    const struct ptx_insn *p = &c->flow->insns[at].i;
    uint64_t place;
    if (p->op != PTX_OP_ST || p->operand[0].kind != PTX_O_ADDRESS)
        return;
    uint64_t bytes = ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]);
    bytes *= p->operand[1].kind == PTX_O_VECTOR ? p->operand[1].count : 1;
    if (place_of(c, at, &p->operand[0], bytes, &place))
        for (uint64_t k = place; k < place + bytes; k++)
            c->sure->written[k / 64] |= 1ull << (k % 64);
}

bool
core_sure(struct core *c, const struct flow_insn *i, const struct ptx_operand *o, uint32_t bytes)
{
    const struct flow_block *blk = &c->flow->blocks[c->current];
    uint32_t at = (uint32_t)(i - c->flow->insns);
    uint64_t place;
    if (!emit_on(&c->e, PASS_PROVEN_LOCAL) || !c->local_words || at - blk->first >= blk->count)
        return false;
    if (!c->sure)
        c->sure = sure_new(c);
    struct core_sure *s = c->sure;
    if (s->block != c->current || s->next > at) {
        memset(s->written, 0, c->flow->local_bytes / 8 + 8);
        s->block = c->current;
        s->next = blk->first;
    }
    for (; s->next < at; s->next++)
        note_store(c, s->next);
    if (!place_of(c, at, o, bytes, &place))
        return false;
    for (uint64_t k = place; k < place + bytes; k++)
        if (!(s->written[k / 64] >> (k % 64) & 1))
            return false;
    emit_fired(&c->e, PASS_PROVEN_LOCAL, "inside, and written before");
    return true;
}
