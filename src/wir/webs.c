/* SPDX-License-Identifier: Apache-2.0
 *
 * webs.c: registers split into webs (independent uses of one name).
 */
#include "wir/wir_priv.h"

#include <string.h>

/* A register with several definitions is split where their uses do not meet. Only such registers
 * are looked at: reaching definitions over their definitions, joined by union-find at each use.
 *
 * A use that only one definition of a web reaches gets a register of its own as well, written by
 * that definition and moved to the web's behind it: an index before its loop begins is known to be
 * the thread's number, whatever the loop makes of it later. */

struct webs {
    struct wir *f;
    uint32_t *def_count; /* per register */
    uint32_t *first_def; /* per register: number of its first definition; UINT32_MAX: single */
    uint32_t defs;       /* of registers with several */
    uint32_t *reg_of_def;
    uint32_t *parent;
    uint32_t words;
    uint64_t **in; /* per block: definitions that reach its start */
    /* While walking: */
    uint32_t *seen; /* per register: definitions met so far in text order */
    uint64_t *now;
    bool rename, look;
    bool *last; /* per definition: ends its block (no room behind it), or is guarded */
    bool *alone,
        *joint;        /* per definition: some use has no other definition; some use has several */
    uint32_t *own_reg; /* per definition: its register for those, UINT32_MAX: none */
    VEC(uint32_t) moved; /* while renaming: definitions of this instruction with an own register */
    uint32_t *web_reg;   /* per root definition: its new register */
    bool guarded, at_end;
    VEC(struct wir_insn) out; /* renamed instructions, block by block */
    const uint8_t *types;     /* per register before renaming */
};

static uint32_t
find_root(struct webs *w, uint32_t d)
{
    while (w->parent[d] != d)
        d = w->parent[d] = w->parent[w->parent[d]];
    return d;
}

static void
count_defs(struct ptx_operand *o, bool write, void *context)
{
    if (write)
        ((struct webs *)context)->def_count[o->reg]++;
}

static void
kill_defs(struct webs *w, uint64_t *set, uint32_t reg)
{
    for (uint32_t d = 0; d < w->def_count[reg]; d++)
        set_remove(set, w->first_def[reg] + d);
}

/* Every instruction's definitions have fixed numbers: seen[] counts
 * them in text order of blocks. */
static void
walk_operand(struct ptx_operand *o, bool write, void *context)
{
    struct webs *w = context;
    uint32_t reg = o->reg;
    if (reg >= w->f->reg_count || w->first_def[reg] == UINT32_MAX)
        return;
    if (write) {
        uint32_t d = w->first_def[reg] + w->seen[reg]++;
        w->last[d] |= w->at_end || w->guarded;
        if (w->guarded) { /* the old value stays in some lanes: one web with what reaches here */
            for (uint32_t k = 0; k < w->def_count[reg]; k++)
                if (set_has(w->now, w->first_def[reg] + k))
                    w->parent[find_root(w, w->first_def[reg] + k)] = find_root(w, d);
        } else {
            kill_defs(w, w->now, reg);
        }
        set_add(w->now, d);
        if (w->look && w->guarded) /* it keeps old values: never alone */
            w->joint[d] = true;
        if (w->rename) {
            bool own = w->own_reg[d] != UINT32_MAX;
            o->reg = own ? w->own_reg[d] : w->web_reg[find_root(w, d)];
            if (own)
                VEC_PUSH(&w->moved, d);
        }
        return;
    }
    uint32_t root = UINT32_MAX, reaching = 0;
    for (uint32_t k = 0; k < w->def_count[reg]; k++) {
        uint32_t d = w->first_def[reg] + k;
        if (!set_has(w->now, d))
            continue;
        if (root != UINT32_MAX)
            w->parent[find_root(w, d)] = find_root(w, root);
        root = d;
        reaching++;
    }
    for (uint32_t k = 0; w->look && k < w->def_count[reg]; k++)
        if (set_has(w->now, w->first_def[reg] + k))
            *(reaching == 1 ? &w->alone[w->first_def[reg] + k] : &w->joint[w->first_def[reg] + k]) =
                true;
    if (w->rename && root != UINT32_MAX)
        o->reg = reaching == 1 && w->own_reg[root] != UINT32_MAX ? w->own_reg[root]
                                                                 : w->web_reg[find_root(w, root)];
}

/* The instruction with its new registers, and behind it the moves to the webs' registers: a vector
 * load has several. */
static void
keep_insn(struct webs *w, const struct wir_insn *i)
{
    VEC_PUSH(&w->out, *i);
    for (size_t k = 0; k < w->moved.count; k++) {
        uint32_t def = w->moved.at[k];
        struct wir_insn move = *i;
        move.added = true;
        move.i = (struct ptx_insn){.op = PTX_OP_MOV,
                                   .type_count = 1,
                                   .vec = 1,
                                   .operand_count = 2,
                                   .guard = PTX_NO_REG,
                                   .line = i->i.line,
                                   .column = i->i.column,
                                   .loc = i->i.loc};
        move.i.type[0] = w->types[w->reg_of_def[def]];
        move.i.operand = ARENA_ARRAY(&w->f->arena, struct ptx_operand, 2);
        move.i.operand[0] =
            (struct ptx_operand){.kind = PTX_O_REG, .reg = w->web_reg[find_root(w, def)]};
        move.i.operand[1] = (struct ptx_operand){.kind = PTX_O_REG, .reg = w->own_reg[def]};
        VEC_PUSH(&w->out, move);
    }
}

static void
walk_block(struct webs *w, struct wir_block *b)
{
    uint32_t n = b->count + (b->end_insn != UINT32_MAX);
    for (uint32_t k = 0; k < n; k++) {
        struct wir_insn *i = &w->f->insns[b->first + k];
        w->guarded = i->i.guard != PTX_NO_REG && !(k == b->count);
        w->moved.count = 0;
        w->at_end = k == b->count;
        wir_visit(i, walk_operand, w);
        if (w->rename)
            keep_insn(w, i);
    }
    if (w->rename && b->end == WIR_BRANCH)
        b->guard = w->out.at[w->out.count - 1].i.guard;
}

static void
walk_all(struct webs *w, bool fix)
{
    for (bool changed = true; changed;) {
        changed = false;
        memset(w->seen, 0, sizeof *w->seen * w->f->reg_count);
        for (uint32_t b = 0; b < w->f->block_count; b++) {
            memcpy(w->now, w->in[b], sizeof *w->now * w->words);
            uint32_t first = (uint32_t)w->out.count;
            walk_block(w, &w->f->blocks[b]);
            if (w->rename) {
                struct wir_block *blk = &w->f->blocks[b];
                bool end = blk->end_insn != UINT32_MAX;
                blk->first = first;
                blk->count = (uint32_t)w->out.count - first - end;
                blk->end_insn = end ? first + blk->count : UINT32_MAX;
            }
            for (uint32_t s = 0; fix && s < w->f->blocks[b].succ_count; s++) {
                uint64_t *to = w->in[w->f->blocks[b].succ[s]];
                for (uint32_t k = 0; k < w->words; k++) {
                    changed |= (w->now[k] & ~to[k]) != 0;
                    to[k] |= w->now[k];
                }
            }
        }
    }
}

static void
add_webs(struct flat *b, struct webs *w)
{
    /* The first web of a register keeps its number. */
    bool *kept = ls_alloc(w->f->reg_count + 1);
    for (uint32_t d = 0; d < w->defs; d++) {
        if (find_root(w, d) != d)
            continue;
        uint32_t reg = w->reg_of_def[d];
        if (!kept[reg]) {
            kept[reg] = true;
            w->web_reg[d] = reg;
            continue;
        }
        w->web_reg[d] = (uint32_t)b->regs.count;
        struct wir_reg copy = b->regs.at[reg];
        VEC_PUSH(&b->regs, copy);
    }
    for (uint32_t d = 0; d < w->defs; d++) {
        w->own_reg[d] = UINT32_MAX;
        if (!w->alone[d] || !w->joint[d] || w->last[d])
            continue;
        w->own_reg[d] = (uint32_t)b->regs.count;
        struct wir_reg copy = b->regs.at[w->reg_of_def[d]];
        VEC_PUSH(&b->regs, copy);
    }
    ls_release(kept);
}

void
wir_split_webs(struct flat *b)
{
    struct wir *f = b->wir;
    struct webs w = {.f = f};
    f->reg_count = (uint32_t)b->regs.count;
    w.def_count = ls_alloc(sizeof *w.def_count * (f->reg_count + 1));
    w.first_def = ls_alloc(sizeof *w.first_def * (f->reg_count + 1));
    w.seen = ls_alloc(sizeof *w.seen * (f->reg_count + 1));
    for (uint32_t k = 0; k < f->block_count; k++) {
        uint32_t n = f->blocks[k].count + (f->blocks[k].end_insn != UINT32_MAX);
        for (uint32_t j = 0; j < n; j++)
            wir_visit(&f->insns[f->blocks[k].first + j], count_defs, &w);
    }
    for (uint32_t r = 0; r < f->reg_count; r++) {
        w.first_def[r] = w.def_count[r] > 1 ? w.defs : UINT32_MAX;
        w.defs += w.def_count[r] > 1 ? w.def_count[r] : 0;
    }
    w.words = w.defs / 64 + 1;
    w.reg_of_def = ls_alloc(sizeof *w.reg_of_def * (w.defs + 1));
    w.parent = ls_alloc(sizeof *w.parent * (w.defs + 1));
    w.web_reg = ls_alloc(sizeof *w.web_reg * (w.defs + 1));
    for (uint32_t r = 0; r < f->reg_count; r++)
        for (uint32_t d = 0; w.first_def[r] != UINT32_MAX && d < w.def_count[r]; d++) {
            w.reg_of_def[w.first_def[r] + d] = r;
            w.parent[w.first_def[r] + d] = w.first_def[r] + d;
        }
    w.now = ls_alloc(sizeof *w.now * w.words);
    w.in = ls_alloc(sizeof *w.in * f->block_count);
    uint64_t *sets = ls_alloc(sizeof *sets * w.words * f->block_count);
    for (uint32_t k = 0; k < f->block_count; k++)
        w.in[k] = sets + (size_t)k * w.words;
    w.alone = ls_alloc(w.defs + 1);
    w.joint = ls_alloc(w.defs + 1);
    w.last = ls_alloc(w.defs + 1);
    w.own_reg = ls_alloc(sizeof *w.own_reg * (w.defs + 1));
    uint8_t *types = ls_alloc(f->reg_count + 1);
    for (uint32_t r = 0; r < f->reg_count; r++)
        types[r] = b->regs.at[r].type;
    w.types = types;
    if (w.defs) {
        walk_all(&w, true);
        w.look = true;
        walk_all(&w, false);
        w.look = false;
        add_webs(b, &w);
        w.rename = true;
        walk_all(&w, false);
        f->insn_count = (uint32_t)w.out.count;
        f->insns = ARENA_ARRAY(&f->arena, struct wir_insn, f->insn_count + 1);
        if (f->insn_count)
            memcpy(f->insns, w.out.at, sizeof *f->insns * f->insn_count);
        VEC_FREE(&w.out);
        VEC_FREE(&w.moved);
    }
    ls_release(types);
    ls_release(w.alone);
    ls_release(w.joint);
    ls_release(w.last);
    ls_release(w.own_reg);
    ls_release(sets);
    ls_release(w.in);
    ls_release(w.now);
    ls_release(w.def_count);
    ls_release(w.first_def);
    ls_release(w.seen);
    ls_release(w.reg_of_def);
    ls_release(w.parent);
    ls_release(w.web_reg);
}
