/* SPDX-License-Identifier: Apache-2.0
 *
 * pressure.c: how many registers a compiler for a GPU would give a thread. Of every instruction, in
 * the order of the text, the registers that are alive behind it are counted; the most of a kernel
 * decides. Values that a GPU's instructions take from elsewhere count for nothing: predicates,
 * parameters, and what a block knows of its place, which lie in constant memory or in registers of
 * the warp.
 */
#include "analysis/analysis.h"

#include <string.h>

/* Beside what is alive: addresses in the making, results before their operands are dead. */
enum { TEMPORARIES = 6, FEWEST = 8, UNIT = 2 };

static bool
is_elsewhere(const struct wir *f, uint32_t reg, uint32_t depth)
{
    const struct wir_insn *w = wir_only_writer(f, reg);
    if (!w || w->i.guard != PTX_NO_REG)
        return false;
    switch (w->i.op) {
    case PTX_OP_LD: {
        const struct ptx_operand *a = ptx_address(&w->i);
        return w->i.space == PTX_SPACE_PARAM ||
               (w->i.space == PTX_SPACE_CONST && a && a->base_kind == PTX_BASE_VAR);
    }
    case PTX_OP_CVTA:
    case PTX_OP_MOV: break;
    default: return false;
    }
    const struct ptx_operand *o = &w->i.operand[w->i.operand_count - 1];
    if (o->kind == PTX_O_REG)
        return depth && is_elsewhere(f, o->reg, depth - 1);
    if (o->kind == PTX_O_SREG)
        return !ptx_sreg_is_thread((enum ptx_sreg)o->sreg) && o->sreg != PTX_SR_LANEID;
    return w->i.op == PTX_OP_MOV && o->kind != PTX_O_VECTOR;
}

/* The address of a shared variable, or a sum with one: in 64 bits here, in 32 on a GPU, whose
 * shared memory is that small (ptxas 13.0: of 266 kernels 54 % within two of its registers without
 * this, 58 % with it).
 */
static bool
is_shared_address(const struct wir *f, uint32_t reg, uint32_t depth)
{
    struct span writers = wir_writers(f, reg);
    for (uint32_t k = 0; k < writers.count; k++) {
        const struct ptx_insn *i = &f->insns[writers.at[k]].i;
        for (uint32_t n = 1; n < i->operand_count && (i->op == PTX_OP_MOV || i->op == PTX_OP_ADD);
             n++) {
            const struct ptx_operand *o = &i->operand[n];
            if (o->kind == PTX_O_SYMBOL && o->var && o->var->space == PTX_SPACE_SHARED)
                return true;
            if (o->kind == PTX_O_REG && o->reg != reg && depth &&
                is_shared_address(f, o->reg, depth - 1))
                return true;
        }
    }
    return false;
}

/* 32-bit registers of each register. */
static uint8_t *
find_sizes(const struct wir *f)
{
    enum { DEPTH = 4, SUMS = 6 };
    uint8_t *size = ls_alloc(f->reg_count + 1);
    for (uint32_t r = 0; r < f->reg_count; r++) {
        uint32_t bytes = ptx_type_bytes((enum ptx_type)f->regs[r].type);
        bool none = f->regs[r].type == PTX_PRED || is_elsewhere(f, r, DEPTH);
        bool half = bytes == 8 && is_shared_address(f, r, SUMS);
        size[r] = none ? 0 : (uint8_t)(bytes > 4 && !half ? bytes / 4 : 1);
    }
    return size;
}

/* The most that is alive behind an instruction of the block; live: what is behind the block. */
static uint32_t
most_alive(const struct wir *f, uint32_t b, const uint8_t *size, uint64_t *live)
{
    uint32_t now = 0, most = 0;
    for (uint32_t r = 0; r < f->reg_count; r++)
        now += set_has(live, r) ? size[r] : 0;
    most = now;
    for (uint32_t n = wir_block_end(f, b); n-- > f->blocks[b].first;) {
        struct span defs = wir_defs(f, n), uses = wir_uses(f, n);
        bool some = f->insns[n].i.guard != PTX_NO_REG && n != f->blocks[b].end_insn;
        for (uint32_t k = 0; k < defs.count && !some; k++)
            if (set_has(live, defs.at[k])) {
                set_remove(live, defs.at[k]);
                now -= size[defs.at[k]];
            }
        for (uint32_t k = 0; k < uses.count; k++)
            if (!set_has(live, uses.at[k])) {
                set_add(live, uses.at[k]);
                now += size[uses.at[k]];
            }
        most = now > most ? now : most;
    }
    return most;
}

uint32_t
analysis_registers(const struct wir *f)
{
    uint8_t *size = find_sizes(f);
    uint64_t *live = ls_alloc(sizeof *live * (f->reg_words + 1));
    uint32_t most = 0;
    for (uint32_t b = 0; b < f->block_count; b++) {
        memset(live, 0, sizeof *live * f->reg_words);
        for (uint32_t s = 0; s < f->blocks[b].succ_count; s++)
            for (uint32_t k = 0; k < f->reg_words; k++)
                live[k] |= f->blocks[f->blocks[b].succ[s]].live_in[k];
        uint32_t n = most_alive(f, b, size, live);
        most = n > most ? n : most;
    }
    ls_release(live);
    ls_release(size);
    most += TEMPORARIES;
    most = (most + UNIT - 1) / UNIT * UNIT;
    return most < FEWEST ? FEWEST : most;
}
