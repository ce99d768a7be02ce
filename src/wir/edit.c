/* SPDX-License-Identifier: Apache-2.0
 *
 * edit.c: a pass's changes to instructions. They are listed while the pass looks at the kernel,
 * which stays as it is, and made at once.
 */
#include "wir/wir_priv.h"

#include <string.h>

static struct ptx_operand *
copy_operands(struct arena *a, const struct ptx_operand *from, uint32_t count)
{
    struct ptx_operand *to = ARENA_ARRAY(a, struct ptx_operand, count + 1);
    for (uint32_t k = 0; k < count; k++) {
        to[k] = from[k];
        if (from[k].elements)
            to[k].elements = copy_operands(a, from[k].elements, from[k].count);
    }
    return to;
}

static void
push_change(struct wir_edit *e, uint32_t n, const struct ptx_insn *i, bool replaces)
{
    struct wir_insn insn = e->f->insns[n];
    insn.i = *i;
    insn.i.operand = copy_operands(&e->f->arena, i->operand, i->operand_count);
    insn.added |= !replaces;
    VEC_PUSH(&e->changes, ((struct wir_change){.n = n, .replaces = replaces, .insn = insn}));
}

void
wir_edit_before(struct wir_edit *e, uint32_t n, const struct ptx_insn *i)
{
    push_change(e, n, i, false);
}

void
wir_edit_replace(struct wir_edit *e, uint32_t n, const struct ptx_insn *i)
{
    push_change(e, n, i, true);
}

uint32_t
wir_edit_register(struct wir_edit *e, enum ptx_type type, const char *name)
{
    VEC_PUSH(&e->regs, ((struct wir_reg){.type = (uint8_t)type, .name = name}));
    return e->f->reg_count + (uint32_t)e->regs.count - 1;
}

static void
add_registers(struct wir_edit *e)
{
    struct wir *f = e->f;
    struct wir_reg *regs = ARENA_ARRAY(&f->arena, struct wir_reg, f->reg_count + e->regs.count + 1);
    memcpy(regs, f->regs, sizeof *regs * f->reg_count);
    for (size_t k = 0; k < e->regs.count; k++)
        regs[f->reg_count + k] = e->regs.at[k];
    f->reg_count += (uint32_t)e->regs.count;
    f->regs = regs;
}

/* What stands for insns[n] in the new list: the changes of that number, or itself. */
static uint32_t
put_insn(const struct wir_edit *e, uint32_t n, struct wir_insn *to)
{
    uint32_t put = 0;
    bool replaced = false;
    for (size_t k = e->first[n]; k < e->changes.count && e->changes.at[k].n == n; k++) {
        to[put++] = e->changes.at[k].insn;
        replaced |= e->changes.at[k].replaces;
    }
    if (!replaced)
        to[put++] = e->f->insns[n];
    return put;
}

unsigned
wir_edit_apply(struct wir_edit *e)
{
    struct wir *f = e->f;
    unsigned count = (unsigned)e->changes.count;
    if (count) {
        struct wir_insn *insns = ARENA_ARRAY(&f->arena, struct wir_insn, f->insn_count + count + 1);
        uint32_t at = 0;
        e->first = ls_alloc(sizeof *e->first * (f->insn_count + 1));
        memset(e->first, 0xff, sizeof *e->first * (f->insn_count + 1));
        for (uint32_t k = count; k-- > 0;)
            e->first[e->changes.at[k].n] = k;
        for (uint32_t b = 0; b < f->block_count; b++) {
            struct wir_block *blk = &f->blocks[b];
            uint32_t end = wir_block_end(f, b), first = at;
            for (uint32_t n = blk->first; n < end; n++)
                at += put_insn(e, n, insns + at);
            bool has_end = blk->end_insn != UINT32_MAX;
            blk->first = first;
            blk->count = at - first - has_end;
            blk->end_insn = has_end ? at - 1 : UINT32_MAX;
        }
        f->insns = insns;
        f->insn_count = at;
        add_registers(e);
        wir_chain(f);
        wir_find_live(f);
        ls_release(e->first);
    }
    VEC_FREE(&e->changes);
    VEC_FREE(&e->regs);
    return count;
}
