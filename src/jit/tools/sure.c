/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/sure.c: accesses to local memory of which nothing can be wrong, in code that a tool guards.
 * A register-blocked product that also indexes its sums by a variable keeps them in local memory;
 * each addition is a load and a store at an address that is known when the kernel is compiled,
 * mostly of what the lines above it have stored. Asking at run time whether it lies inside and was
 * written, and a call for where it does not, was nine tenths of the time (docs/performance-log.md).
 *
 * Sure is an access that no predicate guards, whose bytes lie inside the kernel's local memory, are
 * aligned, and were all stored before in the same block of code, by instructions that are as sure
 * of their place: whichever lanes come to it have come by there. The first store of a block is
 * asked for as ever, and notes for later blocks that the bytes are written.
 */
#include "jit/tools/plan.h"

#include <string.h>

enum { DEEPEST = 8 };

bool
tools_is_local(const struct wir *f, const struct ptx_var *var)
{
    return var && var->func && f->vars[var->index].place == WIR_LOCAL;
}

/* What the register holds wherever it is read after its only instruction, which the entry has. */
static bool
constant_of(const struct wir *f, uint32_t reg, uint32_t before, uint32_t deep, uint64_t *out)
{
    const struct wir_insn *made = wir_only_writer(f, reg);
    uint32_t at = made ? (uint32_t)(made - f->insns) : before;
    if (at >= before || deep == DEEPEST || at - f->blocks[0].first >= f->blocks[0].count)
        return false;
    const struct ptx_insn *p = &made->i;
    const struct ptx_operand *from = &p->operand[1];
    if (p->guard != PTX_NO_REG || ptx_type_bytes((enum ptx_type)p->type[0]) != 8)
        return false;
    if (p->op == PTX_OP_MOV && from->kind == PTX_O_SYMBOL && !from->func &&
        tools_is_local(f, from->var)) {
        *out = f->vars[from->var->index].offset + (uint64_t)from->offset;
        return true;
    }
    bool add = p->op == PTX_OP_ADD && p->operand[2].kind == PTX_O_INT;
    if (!add && p->op != PTX_OP_MOV)
        return false;
    if (from->kind != PTX_O_REG || from->negated || !constant_of(f, from->reg, at, deep + 1, out))
        return false;
    *out += add ? (uint64_t)p->operand[2].imm : 0;
    return true;
}

/* The first of the bytes that the instruction, number `at`, accesses
 * in each lane's local memory. */
static bool
place_of(const struct wir *f, uint32_t at, const struct ptx_operand *o, uint64_t bytes,
         uint64_t *out)
{
    const struct ptx_insn *p = &f->insns[at].i;
    if (p->guard != PTX_NO_REG || o->kind != PTX_O_ADDRESS || !bytes || bytes & (bytes - 1))
        return false;
    if (o->base_kind == PTX_BASE_VAR && tools_is_local(f, o->var))
        *out = f->vars[o->var->index].offset;
    else if (p->space != PTX_SPACE_LOCAL || o->base_kind != PTX_BASE_REG ||
             !constant_of(f, o->reg, at, 0, out))
        return false;
    *out += (uint64_t)o->offset;
    return !(*out & (bytes - 1)) && *out < f->local_bytes && f->local_bytes - *out >= bytes;
}

/* The bytes of local memory that the load or store, number `at`, accesses in each lane: *place and
 * so many behind it; 0: not known. */
static uint64_t
bytes_of(const struct wir *f, uint32_t at, uint64_t *place)
{
    const struct ptx_insn *p = &f->insns[at].i;
    if (p->op != PTX_OP_ST && p->op != PTX_OP_LD)
        return 0;
    uint64_t bytes =
        (uint64_t)ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]) * (p->vec ? p->vec : 1);
    return place_of(f, at, &p->operand[p->op == PTX_OP_LD], bytes, place) ? bytes : 0;
}

static void
drop_block(struct opt *o, const struct wir_block *blk, uint64_t *written)
{
    struct wir *f = o->edit.f;
    memset(written, 0, f->local_bytes / 8 + 8);
    for (uint32_t at = blk->first; at < blk->first + blk->count; at++) {
        uint64_t place = 0, missing = 0, bytes = bytes_of(f, at, &place);
        for (uint64_t k = place; bytes && k < place + bytes; k++)
            missing += !(written[k / 64] >> (k % 64) & 1);
        if (bytes && !missing) {
            f->insns[at].tells &= (uint8_t)~TELL_ACCESSES;
            opt_fired(o, at, "inside, and written before");
        }
        for (uint64_t k = place; f->insns[at].i.op == PTX_OP_ST && bytes && k < place + bytes; k++)
            written[k / 64] |= 1ull << (k % 64);
    }
}

void
tools_drop_sure(struct opt *o)
{
    const struct wir *f = o->edit.f;
    uint64_t *written = ls_alloc(f->local_bytes / 8 + 8);
    for (uint32_t b = 0; b < f->block_count; b++)
        drop_block(o, &f->blocks[b], written);
    ls_release(written);
}
