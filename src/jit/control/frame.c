/* SPDX-License-Identifier: Apache-2.0
 *
 * control/frame.c: what a warp function keeps while it is suspended. Each register that is ever
 * alive at a suspension has its own place in the frame, so a register that was not written since it
 * was last saved or restored need not be saved again: most of what is alive at a barrier in a loop
 * are addresses from before the loop. Of the tiled product (16 x 16, docs/performance-log.md) that
 * is 20 of 22 vectors at the second barrier. The first barrier of a loop is reached from before the
 * loop as well: what is alive around the loop is saved where it is entered, once, so that its
 * regions save only what they write.
 */
#include "jit/control/control.h"

#include <string.h>

static uint32_t
reg_bytes(struct core *c, uint32_t reg)
{
    unsigned bits = core_reg_bits(c, reg);
    unsigned count = core_reg_count(c, reg);
    if (bits == 1 || (bits == 8 && count == 1))
        return 4;
    return bits / 8 * count;
}

static void
move_reg(struct core *c, uint32_t reg, bool save)
{
    LLVMBuilderRef b = c->e.b;
    unsigned bits = core_reg_bits(c, reg);
    bool scalar = core_reg_scalar(c, reg);
    LLVMTypeRef own = core_reg_type(c, reg);
    /* Predicates travel as integers: i1 in memory is not a type to rely on. */
    LLVMTypeRef stored = bits == 1 ? core_scalar(c, 32) : own;
    uint32_t at = frame_slot(c, reg_bytes(c, reg), &c->saved.frame_at[reg]);
    if (save) {
        LLVMValueRef v = LLVMBuildLoad2(b, own, c->regs.reg[reg], "");
        if (bits == 1)
            v = scalar ? LLVMBuildZExt(b, v, stored, "") : LLVMBuildBitCast(b, v, stored, "");
        core_store_field(c, c->in.frame, at, v);
    } else {
        LLVMValueRef v = core_load_field(c, c->in.frame, at, stored);
        if (bits == 1)
            v = scalar ? LLVMBuildTrunc(b, v, own, "") : LLVMBuildBitCast(b, v, own, "");
        LLVMBuildStore(b, v, c->regs.reg[reg]);
        core_guess_restored(c, reg);
    }
}

static bool
moves(const struct core *c, uint32_t reg)
{
    return c->regs.reg[reg] && !core_is_home(c, reg);
}

void
frame_save(struct core *c, const uint64_t *set, const uint64_t *kept)
{
    for (uint32_t r = 0; r < c->wir->reg_count; r++)
        if (set_has(set, r) && moves(c, r) && !(kept && set_has(kept, r)))
            move_reg(c, r, true);
}

void
frame_restore(struct core *c, const uint64_t *set)
{
    for (uint32_t r = 0; r < c->wir->reg_count; r++)
        if (set_has(set, r) && moves(c, r))
            move_reg(c, r, false);
}

void
frame_live(const struct wir *f, const uint64_t *blocks, uint64_t *out)
{
    memset(out, 0, sizeof *out * f->reg_words);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = 0; set_has(blocks, b) && k < f->reg_words; k++)
            out[k] |= f->blocks[b].live_in[k];
}

/* -- lanes that stand apart -------------------------------------------------------------------- */

/* First the pending lanes of every block, then registers in order, each as a vector (a predicate:
 * one bit a lane). */
uint32_t
frame_apart(const struct core *c, uint32_t *at)
{
    const struct wir *f = c->wir;
    uint32_t end = (4 * f->block_count + 63) & ~63u;
    uint64_t *live = ls_alloc(sizeof *live * (f->reg_words + 1));
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = 0; k < f->reg_words; k++)
            live[k] |= f->blocks[b].live_in[k];
    for (uint32_t b = 0; b < f->block_count; b++)
        at[f->reg_count + 2 * b] = 4 * b;
    for (uint32_t r = 0; r < f->reg_count; r++) {
        at[r] = set_has(live, r) ? end : UINT32_MAX;
        if (set_has(live, r))
            end += (core_reg_bits(c, r) * LANES / 8 + 63) & ~63u;
    }
    ls_release(live);
    return end;
}

void
frame_leave(struct core *c, uint32_t block)
{
    LLVMBuilderRef b = c->e.b;
    const struct wir *f = c->wir;
    uint32_t *at = ls_alloc(sizeof *at * (f->reg_count + 2 * f->block_count + 1));
    uint64_t *live = ls_alloc(sizeof *live * (f->reg_words + 1));
    uint64_t *blocks = ls_alloc(sizeof *blocks * c->facts->block_words);
    uint32_t end = frame_apart(c, at);
    c->saved.frame_bytes = c->saved.frame_bytes > end ? c->saved.frame_bytes : end;
    if (block == UINT32_MAX) {
        memset(blocks, 0xff, sizeof *blocks * c->facts->block_words);
    } else {
        memcpy(blocks, c->facts->pending[block], sizeof *blocks * c->facts->block_words);
        set_add(blocks, block);
    }
    frame_live(f, blocks, live);
    for (uint32_t r = 0; r < f->reg_count; r++) {
        if (!set_has(live, r) || !c->regs.reg[r])
            continue;
        LLVMValueRef v = core_read_lanes(c, r);
        if (core_reg_bits(c, r) == 1)
            v = LLVMBuildBitCast(b, v, core_scalar(c, 32), "");
        core_store_field(c, c->in.frame, at[r], v);
    }
    for (uint32_t k = 0; k < f->block_count; k++) {
        LLVMValueRef lanes = set_has(blocks, k)
                                 ? LLVMBuildLoad2(b, core_scalar(c, 32), c->lanes.pending[k], "")
                                 : core_i32(c, 0);
        core_store_field(c, c->in.frame, 4 * k, lanes);
    }
    ls_release(at);
    ls_release(live);
    ls_release(blocks);
}

void
frame_take(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    const struct wir *f = c->wir;
    for (uint32_t k = 0; k < f->block_count; k++)
        LLVMBuildStore(b, core_load_field(c, c->in.frame, 4 * k, core_scalar(c, 32)),
                       c->lanes.pending[k]);
    for (uint32_t r = 0; r < f->reg_count; r++) {
        unsigned bits = core_reg_bits(c, r);
        if (!c->regs.reg[r] || c->saved.frame_at[r] == UINT32_MAX)
            continue;
        LLVMTypeRef stored = bits == 1 ? core_scalar(c, 32) : core_vector(c, bits);
        LLVMValueRef v = core_load_field(c, c->in.frame, c->saved.frame_at[r], stored);
        if (bits == 1)
            v = LLVMBuildBitCast(b, v, core_vector(c, 1), "");
        LLVMBuildStore(b, core_keep_lanes(c, r, v), c->regs.reg[r]);
        core_guess_restored(c, r);
    }
}

/* -- what is in the frame already -------------------------------------------------------------- */

/* Registers that block b writes, the result of a barrier before it among them. */
static void
writes_of(const struct wir *f, uint32_t b, uint64_t *out)
{
    const struct wir_block *blk = &f->blocks[b];
    set_add_all(out, wir_block_defs(f, b));
    for (uint32_t k = 0; k < blk->pred_count; k++) {
        const struct wir_block *from = &f->blocks[blk->pred[k]];
        if (from->end == WIR_BARRIER)
            set_add_all(out, wir_defs(f, from->end_insn));
    }
}

bool
frame_saves_at(const struct core *c, uint32_t b)
{
    const struct wir *f = c->wir;
    const struct wir_block *blk = &f->blocks[b];
    uint32_t to = blk->end == WIR_JUMP ? blk->succ[0] : UINT32_MAX;
    uint32_t l = to == UINT32_MAX ? UINT32_MAX : f->blocks[to].loop;
    return c->regions && emit_on(&c->e, PASS_EARLY_SAVES) && l != UINT32_MAX &&
           f->loops[l].head == to && (b < to || b > f->loops[l].last) && blk->count &&
           c->facts->complete[b] && wir_has_barrier(f, &f->loops[l]);
}

struct kept {
    const struct core *c;
    uint32_t words;
    uint64_t **in, **out, **writes;
    bool changed;
};

/* Control goes from block a, which leaves `kept` in the frame, to block b. */
static void
hand_on(struct kept *k, const uint64_t *kept, uint32_t b)
{
    for (uint32_t w = 0; w < k->words; w++) {
        uint64_t now = k->in[b][w] & kept[w];
        k->changed |= now != k->in[b][w];
        k->in[b][w] = now;
    }
}

/* Wherever lanes of a warp may go on when block b ends: its successors, and every block where lanes
 * are pending. */
static void
leave_block(struct kept *k, uint32_t b, uint64_t *room)
{
    const struct core *c = k->c;
    const struct wir_block *blk = &c->wir->blocks[b];
    for (uint32_t w = 0; w < k->words; w++)
        k->out[b][w] = k->in[b][w] & ~k->writes[b][w];
    for (uint32_t t = 0; t < c->wir->block_count; t++)
        if (set_has(c->facts->pending[b], t))
            hand_on(k, k->out[b], t);
    for (uint32_t s = 0; s < blk->succ_count; s++) {
        memcpy(room, k->out[b], sizeof *room * k->words);
        /* everything alive there is saved */
        if (blk->end == WIR_BARRIER || frame_saves_at(c, b))
            for (uint32_t w = 0; w < k->words; w++)
                room[w] |= c->wir->blocks[blk->succ[s]].live_in[w];
        hand_on(k, room, blk->succ[s]);
    }
}

static uint64_t **
new_sets(uint32_t count, uint32_t words, int fill)
{
    size_t table = sizeof(uint64_t *) * count, each = sizeof(uint64_t) * words;
    uint64_t **sets = ls_alloc(table + each * count);
    uint8_t *at = (uint8_t *)sets + table;
    memset(at, fill, each * count);
    for (uint32_t k = 0; k < count; k++)
        sets[k] = (uint64_t *)(void *)(at + each * k);
    return sets;
}

/* Forwards, from "everything is in the frame" down, until nothing changes. */
uint64_t **
frame_kept(const struct core *c)
{
    uint32_t blocks = c->wir->block_count, words = c->wir->reg_words;
    struct kept k = {.c = c,
                     .words = words,
                     .in = new_sets(blocks, words, 0xff),
                     .out = new_sets(blocks, words, 0),
                     .writes = new_sets(blocks, words, 0)};
    uint64_t *room = ls_alloc(sizeof *room * (words + 1));
    for (uint32_t b = 0; b < blocks; b++)
        writes_of(c->wir, b, k.writes[b]);
    memset(k.in[0], 0, sizeof(uint64_t) * words);
    do {
        k.changed = false;
        for (uint32_t b = 0; b < blocks; b++)
            leave_block(&k, b, room);
    } while (k.changed);
    ls_release(room);
    ls_release(k.in);
    ls_release(k.writes);
    return k.out;
}
