/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.c: instructions of PTX that a GPU has no instruction for, since they become part of another
 * one: sums of addresses that loads and multiply-adds take in, two sums or two logical operations
 * in one (IADD3, LOP3), shifts in sums (LEA), copies of registers, halves of wide ones, signs. What
 * they are follows from who reads a result.
 */
#include "profile/profile_priv.h"

#include "analysis/analysis.h"

#include <string.h>

struct folding {
    const struct wir *wir;
    uint32_t *readers,
        *reader;           /* per register: operands that read it, the last instruction that does */
    uint8_t *address_only; /* all of them are addresses of memory */
    uint8_t *folded, *full; /* per instruction: a GPU executes it as a part of another instruction;
                               one is a part of it */
};

static enum ptx_type
type_of(const struct ptx_insn *i)
{
    return i->type_count ? (enum ptx_type)i->type[0] : PTX_TYPE_NONE;
}

static bool
is_whole(const struct ptx_insn *i, uint32_t bytes)
{
    enum ptx_type t = type_of(i);
    return t != PTX_F32 && t != PTX_F64 && t != PTX_PRED && ptx_type_bytes(t) == bytes;
}

static bool
is_sum(const struct ptx_insn *i, uint32_t bytes)
{
    return (i->op == PTX_OP_ADD || i->op == PTX_OP_SUB) && is_whole(i, bytes);
}

static bool
is_logic(const struct ptx_insn *i)
{
    return i->op == PTX_OP_AND || i->op == PTX_OP_OR || i->op == PTX_OP_XOR || i->op == PTX_OP_NOT;
}

static bool
is_number(const struct ptx_insn *i, uint32_t operand)
{
    return operand < i->operand_count && i->operand[operand].kind == PTX_O_INT;
}

/* Whether the PTX instruction becomes no machine instruction at all, whoever reads its result. */
static bool
is_nothing(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_MOV:
        return i->operand_count == 2 && i->operand[0].kind == PTX_O_REG &&
               i->operand[1].kind == PTX_O_REG;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT: return type_of(i) == PTX_PRED; /* comparisons take another predicate in */
    case PTX_OP_CVT: {
        enum ptx_type to = type_of(i),
                      from = i->type_count > 1 ? (enum ptx_type)i->type[1] : PTX_TYPE_NONE;
        bool whole = to >= PTX_U8 && to <= PTX_S64 && from >= PTX_U8 && from <= PTX_S64;
        return whole && (ptx_type_bytes(to) <= ptx_type_bytes(from) ? ptx_type_bytes(to) >= 4
                                                                    : from == PTX_U32);
    }
    default: return false;
    }
}

/* Does `by`, the only reader of its result, take instruction i in? */
static bool
takes_in(const struct ptx_insn *by, const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT: return is_logic(by) && is_whole(i, 4) && is_whole(by, 4);
    case PTX_OP_ADD:
    case PTX_OP_SUB: return is_sum(i, 4) && is_sum(by, 4);
    case PTX_OP_SHL:
        return is_number(i, 2) &&
               ((is_whole(i, 4) && is_sum(by, 4)) || (is_whole(i, 8) && is_sum(by, 8)));
    case PTX_OP_MUL: /* a multiply-add, of 64 bits as well */
        return (ptx_has(i, PTX_M_WIDE) && is_sum(by, 8)) ||
               (!ptx_has(i, PTX_M_HI) && is_whole(i, 4) && is_sum(by, 4));
    case PTX_OP_NEG:
    case PTX_OP_ABS: return type_of(i) == PTX_F32 && type_of(by) == PTX_F32;
    default: return false;
    }
}

static void
count_readers(struct folding *f)
{
    memset(f->address_only, 1, f->wir->reg_count);
    for (uint32_t n = 0; n < f->wir->insn_count; n++) {
        const struct ptx_insn *i = &f->wir->insns[n].i;
        struct span uses = wir_uses(f->wir, n);
        bool memory = (i->op == PTX_OP_LD || i->op == PTX_OP_ST || i->op == PTX_OP_ATOM ||
                       i->op == PTX_OP_RED) &&
                      i->space != PTX_SPACE_PARAM;
        for (uint32_t k = 0; k < uses.count; k++) {
            f->readers[uses.at[k]]++;
            f->reader[uses.at[k]] = n;
            bool address = false;
            for (uint32_t o = 0; memory && o < i->operand_count; o++)
                address = address || (i->operand[o].kind == PTX_O_ADDRESS &&
                                      i->operand[o].base_kind == PTX_BASE_REG &&
                                      i->operand[o].reg == uses.at[k]);
            f->address_only[uses.at[k]] &= address;
        }
    }
}

static void
fold_one(struct folding *f, uint32_t n)
{
    const struct ptx_insn *i = &f->wir->insns[n].i;
    struct span defs = wir_defs(f->wir, n);
    if (is_nothing(i)) {
        f->folded[n] = MIX_FOLDED;
        return;
    }
    if (defs.count != 1)
        return;
    uint32_t reg = defs.at[0], by = f->reader[reg];
    if (is_sum(i, 8) && is_number(i, 2) && f->readers[reg] && f->address_only[reg]) {
        f->folded[n] = MIX_FOLDED; /* a distance that loads and stores have room for */
        return;
    }
    if (f->readers[reg] != 1 || f->full[by] || f->folded[by] || !takes_in(&f->wir->insns[by].i, i))
        return;
    f->full[by] = 1;
    f->folded[i->op == PTX_OP_MUL ? by : n] =
        MIX_FOLDED; /* what is left of a multiply-add is the product */
}

/* -- loops ------------------------------------------------------------------------------------- */

/* Sums with a number that go on in the next turn: counters, addresses. */
static bool
is_step(const struct folding *f, uint32_t n)
{
    const struct ptx_insn *i = &f->wir->insns[n].i;
    struct span defs = wir_defs(f->wir, n), uses = wir_uses(f->wir, n);
    if ((i->op != PTX_OP_ADD && i->op != PTX_OP_SUB) || !is_number(i, 2) || defs.count != 1 ||
        uses.count != 1)
        return false;
    for (uint32_t k = 0; k < f->wir->insn_count && defs.at[0] != uses.at[0]; k++) {
        struct span to = wir_defs(f->wir, k), from = wir_uses(f->wir, k);
        if (f->wir->insns[k].i.op == PTX_OP_MOV && from.count == 1 && from.at[0] == defs.at[0] &&
            to.count == 1 && to.at[0] == uses.at[0])
            return true;
    }
    return defs.at[0] == uses.at[0];
}

/* The block that the loop goes back through: itself, or one of copies of registers alone;
 * UINT32_MAX: it goes elsewhere. */
static uint32_t
latch_of(const struct folding *f, uint32_t block)
{
    const struct wir_block *b = &f->wir->blocks[block];
    for (uint32_t s = 0; s < b->succ_count; s++) {
        const struct wir_block *next = &f->wir->blocks[b->succ[s]];
        bool copies = next->succ_count == 1 && next->succ[0] == block;
        for (uint32_t k = next->first; k < next->first + next->count; k++)
            copies = copies && is_nothing(&f->wir->insns[k].i);
        if (b->succ[s] == block || copies)
            return b->succ[s];
    }
    return UINT32_MAX;
}

/* Does the loop of one block end by a comparison of a counter with what does not change in it? */
static bool
is_counted(const struct folding *f, uint32_t block, uint32_t *comparison, uint64_t *by)
{
    const struct wir_block *b = &f->wir->blocks[block];
    bool steps = false, fixed = true;
    if (b->end != WIR_BRANCH || latch_of(f, block) == UINT32_MAX)
        return false;
    *comparison = wir_last_writer(f->wir, b->guard, b->first, wir_block_end(f->wir, block));
    if (*comparison == UINT32_MAX || f->wir->insns[*comparison].i.op != PTX_OP_SETP)
        return false;
    struct span uses = wir_uses(f->wir, *comparison);
    for (uint32_t k = 0; k < uses.count; k++) {
        uint32_t writer =
            wir_last_writer(f->wir, uses.at[k], b->first, wir_block_end(f->wir, block));
        bool step = writer != UINT32_MAX && is_step(f, writer);
        steps = steps || step;
        *by = step ? f->wir->insns[writer].i.operand[2].imm : *by;
        fixed = fixed && (step || writer == UINT32_MAX);
    }
    return steps && fixed;
}

/* How many of its turns wait together: clang has made one of `by`, and some 16 registers hold what
 * was loaded. */
static uint8_t
turns_of(const struct folding *f, uint32_t block, uint64_t by)
{
    enum { HELD = 16 };
    const struct wir_block *b = &f->wir->blocks[block];
    uint32_t loads = 0, turns = by == 8 || (int64_t)by == -8 ? 2 : TURNS_TOGETHER;
    for (uint32_t k = b->first; k < wir_block_end(f->wir, block); k++)
        loads += f->wir->insns[k].i.op == PTX_OP_LD;
    if (loads && HELD / loads < turns)
        turns = HELD / loads;
    return (uint8_t)(turns ? turns : 1);
}

/* An H200's compiler makes sixteen turns one, by fours twice, of which clang's code has four or
 * eight already; of short loops (tools/record/model/shapes: bodies of up to 51 instructions in 13
 * of 17 loops). */
static void
find_loops(const struct folding *f, uint8_t *as, uint8_t *together)
{
    enum { MOST = 50 };
    for (uint32_t n = 0; n < f->wir->block_count; n++) {
        const struct wir_block *b = &f->wir->blocks[n];
        uint32_t comparison, end = wir_block_end(f->wir, n);
        struct sums s = {0};
        uint64_t by = 1;
        if (!is_counted(f, n, &comparison, &by))
            continue;
        for (uint32_t k = b->first; k < end; k++)
            mix_add(&s, &f->wir->insns[k].i, as[k] ? MIX_FOLDED : MIX_EXPANDED, 2, 0, 0);
        if (s.issue_slots > 2 * MOST)
            continue;
        together[n] = turns_of(f, n, by);
        if (latch_of(f, n) != n)
            together[latch_of(f, n)] = together[n];
        for (uint32_t k = b->first; k < end; k++)
            if (!as[k] && (k == comparison || k == b->end_insn || is_step(f, k)))
                as[k] = MIX_QUARTER;
    }
}

uint8_t *
fold_places(const struct wir *wir, uint32_t places, uint64_t without, uint8_t **together,
            struct arena *a)
{
    struct folding f = {.wir = wir,
                        .readers = ARENA_ARRAY(a, uint32_t, wir->reg_count + 1),
                        .reader = ARENA_ARRAY(a, uint32_t, wir->reg_count + 1),
                        .address_only = ARENA_ARRAY(a, uint8_t, wir->reg_count + 1),
                        .folded = ARENA_ARRAY(a, uint8_t, wir->insn_count + 1),
                        .full = ARENA_ARRAY(a, uint8_t, wir->insn_count + 1)};
    uint8_t *all = ARENA_ARRAY(a, uint8_t, places + 1);
    count_readers(&f);
    for (uint32_t n = 0; n < wir->insn_count; n++)
        fold_one(&f, n);
    *together = ARENA_ARRAY(a, uint8_t, wir->block_count + 1);
    if (model_has(without, MODEL_UNROLL))
        find_loops(&f, f.folded, *together);
    for (uint32_t n = 0; n < wir->insn_count; n++)
        if (!wir->insns[n].added)
            all[wir->insns[n].place] = f.folded[n];
    for (uint32_t n = 0; n < wir->insn_count;
         n++) /* an instruction may stand in several places of the flow: in all of them */
        if (!wir->insns[n].added && all[wir->insns[n].place] != f.folded[n])
            all[wir->insns[n].place] = 0;
    return all;
}
