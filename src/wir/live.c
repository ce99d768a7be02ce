/* SPDX-License-Identifier: Apache-2.0
 *
 * live.c: registers that are alive where a block begins.
 */
#include "wir/wir_priv.h"

/* Sets of registers of a block: those that it reads before it writes them, and those that it writes
 * for all lanes. */
struct live {
    uint64_t *read, *written;
};

static void
live_insn(const struct wir *f, uint32_t n, bool is_end, struct live *l)
{
    struct span uses = wir_uses(f, n), defs = wir_defs(f, n);
    bool some = f->insns[n].i.guard != PTX_NO_REG && !is_end; /* other lanes keep the old value */
    for (uint32_t k = 0; k < defs.count; k++) {
        set_add(some ? l->read : l->written, defs.at[k]);
        if (!some)
            set_remove(l->read, defs.at[k]);
    }
    for (uint32_t k = 0; k < uses.count; k++)
        set_add(l->read, uses.at[k]);
}

static bool
live_block(struct wir *f, uint32_t b, const struct live *l)
{
    const struct wir_block *blk = &f->blocks[b];
    bool changed = false;
    for (uint32_t k = 0; k < f->reg_words; k++) {
        uint64_t out = 0;
        for (uint32_t s = 0; s < blk->succ_count; s++)
            out |= f->blocks[blk->succ[s]].live_in[k];
        out = (out & ~l->written[k]) | l->read[k];
        changed |= out != blk->live_in[k];
        blk->live_in[k] = out;
    }
    return changed;
}

void
wir_find_live(struct wir *f)
{
    f->reg_words = f->reg_count / 64 + 1;
    struct live *l = ls_alloc(sizeof *l * (f->block_count + 1));
    uint64_t *sets = ls_alloc(sizeof *sets * 2 * f->reg_words * (f->block_count + 1));
    for (uint32_t b = 0; b < f->block_count; b++) {
        f->blocks[b].live_in = ARENA_ARRAY(&f->arena, uint64_t, f->reg_words);
        l[b].read = sets + (size_t)2 * b * f->reg_words;
        l[b].written = l[b].read + f->reg_words;
        for (uint32_t n = wir_block_end(f, b); n-- > f->blocks[b].first;)
            live_insn(f, n, n == f->blocks[b].end_insn, &l[b]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = f->block_count; b-- > 0;)
            changed |= live_block(f, b, &l[b]);
    }
    ls_release(sets);
    ls_release(l);
}
