/* SPDX-License-Identifier: Apache-2.0
 *
 * in_flight.c: registers that the matrix unit has until a group of wgmma is waited for, those that
 * tcgen05.ld loads until tcgen05.wait::ld, and
 * wgmma.fence (PTX ISA 9.7.15.7). They are followed through the code once, when the kernel is first
 * met; warpgroup.c tells what was found when the instruction is executed. Copies between registers
 * are no uses: compilers make them around inline assembly, and assemblers take them out again.
 */
#include "check/check_priv.h"
#include "check/warpgroup.h"
#include "wir/wir.h"

#include <string.h>

enum { OLDEST = 15 };

/* A register on a way through the code. */
struct held_register {
    uint8_t sums;     /* D of a wgmma: 1, and 1 for each commit since; 0: of none in flight */
    uint8_t factors;  /* A, likewise */
    uint8_t unfenced; /* written by other instructions since the last wgmma.fence */
    uint8_t loaded;   /* by a tcgen05.ld that nobody has waited for */
    uint32_t by;      /* place of that wgmma or tcgen05.ld */
};

struct follow {
    struct kernel_facts *k;
    const struct wir *f;
    const struct wir_insn *i;
    struct held_register *now;
    bool telling;
    bool unfenced, packs;        /* note_unfenced; the instruction puts bits together: */
    struct held_register loaded; /*   of those that a tcgen05.ld loads */
};

static void
add_fault(struct follow *w, enum warpgroup_fault kind, uint32_t wgmma, uint32_t place)
{
    struct kernel_facts *k = w->k;
    for (uint32_t n = 0; n < k->fault_count; n++)
        if (k->fault[n].wgmma == wgmma && k->fault[n].kind == kind)
            return;
    if (!w->telling || k->fault_count == MOST_FAULTS)
        return;
    k->fault[k->fault_count++] = (struct fault){kind, wgmma, place};
}

static void
touch_register(struct ptx_operand *o, bool write, void *context)
{
    struct follow *w = context;
    struct held_register *r = &w->now[o->reg];
    if (r->sums || (write && r->factors))
        add_fault(w, write ? FAULT_OVERWRITTEN : FAULT_USED, r->by, w->i->place);
    if (r->loaded && !w->packs)
        add_fault(w, FAULT_LOADED, r->by, w->i->place);
    if (write)
        *r = (struct held_register){.unfenced = 1};
}

static void
take_factors(struct follow *w, const struct ptx_operand *o)
{
    for (uint32_t n = 0; o->kind == PTX_O_VECTOR && n < o->count; n++) {
        if (o->elements[n].kind != PTX_O_REG)
            continue;
        struct held_register *r = &w->now[o->elements[n].reg];
        if (r->sums)
            add_fault(w, FAULT_USED, r->by, w->i->place);
        if (r->unfenced)
            add_fault(w, FAULT_UNFENCED, w->i->place, w->i->place);
        r->factors = 1;
        r->by = w->i->place;
    }
}

/* A wgmma that adds to what another one in flight gives needs no fence in between. */
static void
follow_product(struct follow *w)
{
    const struct ptx_insn *p = &w->i->i;
    const struct ptx_operand *to = &p->operand[0], *from = &p->operand[p->operand_count - 1];
    take_factors(w, &p->operand[1]);
    for (uint32_t n = 0; n < from->count; n++)
        if (from->elements[n].kind == PTX_O_REG && w->now[from->elements[n].reg].unfenced)
            add_fault(w, FAULT_UNFENCED, w->i->place, w->i->place);
    for (uint32_t n = 0; n < to->count; n++)
        if (to->elements[n].kind == PTX_O_REG)
            w->now[to->elements[n].reg] = (struct held_register){.sums = 1, .by = w->i->place};
}

static void
follow_groups(struct follow *w)
{
    const struct ptx_insn *p = &w->i->i;
    bool commit = p->op == PTX_OP_WGMMA_COMMIT_GROUP, fence = p->op == PTX_OP_WGMMA_FENCE;
    uint32_t left =
        p->operand_count && p->operand[0].kind == PTX_O_INT ? (uint32_t)p->operand[0].imm : 0;
    for (uint32_t n = 0; n < w->f->reg_count; n++) {
        struct held_register *r = &w->now[n];
        r->unfenced &= !fence;
        if (commit) {
            r->sums += r->sums && r->sums < OLDEST;
            r->factors += r->factors && r->factors < OLDEST;
        } else if (!fence) {
            r->sums = r->sums >= 2 + left ? 0 : r->sums;
            r->factors = r->factors >= 2 + left ? 0 : r->factors;
        }
    }
}

static void
follow_loads(struct follow *w)
{
    const struct ptx_insn *p = &w->i->i;
    const struct ptx_operand *to = &p->operand[0];
    uint32_t count = to->kind == PTX_O_VECTOR ? to->count : 1;
    for (uint32_t n = 0; p->op == PTX_OP_TCGEN05_WAIT_LD && n < w->f->reg_count; n++)
        w->now[n].loaded = false;
    for (uint32_t n = 0; p->op == PTX_OP_TCGEN05_LD && n < count; n++) {
        const struct ptx_operand *o = to->kind == PTX_O_VECTOR ? &to->elements[n] : to;
        if (o->kind == PTX_O_REG)
            w->now[o->reg] = (struct held_register){.loaded = true, .by = w->i->place};
    }
}

static bool
is_copy(const struct ptx_insn *p)
{
    enum ptx_operand_kind from = (enum ptx_operand_kind)p->operand[1].kind;
    return p->op == PTX_OP_MOV && p->operand[0].kind == PTX_O_REG &&
           (from == PTX_O_REG || from == PTX_O_INT || from == PTX_O_FLOAT);
}

/* Puts bits together: clang makes registers of two halves so, between a fence and the product. */
static bool
is_packing(const struct ptx_insn *p)
{
    return (p->op == PTX_OP_AND || p->op == PTX_OP_OR || p->op == PTX_OP_SHL ||
            p->op == PTX_OP_SHR || p->op == PTX_OP_PRMT || p->op == PTX_OP_MOV ||
            (p->op == PTX_OP_CVT && ptx_type_kind((enum ptx_type)p->type[0]) == 'u' &&
             ptx_type_kind((enum ptx_type)p->type[1]) == 'u')) &&
           p->operand[0].kind == PTX_O_REG;
}

static void
note_unfenced(struct ptx_operand *o, bool write, void *context)
{
    struct follow *w = context;
    w->unfenced |= !write && w->now[o->reg].unfenced;
    if (!write && w->now[o->reg].loaded)
        w->loaded = w->now[o->reg];
}

/* The result was written when what it is made of was. */
static void
follow_packing(struct follow *w, const struct wir_insn *i)
{
    struct held_register *to = &w->now[i->i.operand[0].reg];
    w->unfenced = false;
    w->loaded.loaded = false;
    wir_visit(i, note_unfenced, w);
    w->packs = true;
    wir_visit(i, touch_register, w);
    w->packs = false;
    to->unfenced = w->unfenced;
    if (w->loaded.loaded)
        *to = w->loaded;
}

static void
follow_insn(struct follow *w, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    w->i = i;
    if (i->added) /* where warps meet: no fence or wait of the program's */
        return;
    if (p->op == PTX_OP_WGMMA_MMA_ASYNC)
        follow_product(w);
    else if (p->op == PTX_OP_WGMMA_FENCE || p->op == PTX_OP_WGMMA_COMMIT_GROUP ||
             p->op == PTX_OP_WGMMA_WAIT_GROUP)
        follow_groups(w);
    else if (p->op == PTX_OP_TCGEN05_LD || p->op == PTX_OP_TCGEN05_WAIT_LD)
        follow_loads(w);
    else if (is_copy(p))
        w->now[p->operand[0].reg] =
            p->operand[1].kind == PTX_O_REG ? w->now[p->operand[1].reg] : (struct held_register){0};
    else if (is_packing(p))
        follow_packing(w, i);
    else
        wir_visit(i, touch_register, w);
}

/* Joins the registers' state at the end of a predecessor into that at a block's start: a register
 * is in flight if it is so on any way, since the latest product on any way. True: `to` has changed,
 * so that the block has to be gone through again. */
static bool
merge(struct held_register *to, const struct held_register *from, uint32_t count)
{
    bool more = false;
    for (uint32_t n = 0; n < count; n++) {
        struct held_register old = to[n], r = old;
        bool younger = from[n].sums && (!r.sums || from[n].sums < r.sums);
        r.sums = younger ? from[n].sums : r.sums;
        r.factors = from[n].factors && (!r.factors || from[n].factors < r.factors) ? from[n].factors
                                                                                   : r.factors;
        younger |= from[n].loaded && !r.loaded;
        r.by = younger || !old.by ? from[n].by : r.by;
        r.unfenced |= from[n].unfenced;
        r.loaded |= from[n].loaded;
        more |= r.sums != old.sums || r.factors != old.factors || r.unfenced != old.unfenced ||
                r.loaded != old.loaded;
        to[n] = r;
    }
    return more;
}

/* Goes through the code until nothing changes, then once more to tell. */
void
in_flight_find(struct kernel_facts *k, const struct wir *f)
{
    bool some = false;
    for (uint32_t n = 0; n < f->insn_count; n++)
        some |= f->insns[n].i.op == PTX_OP_WGMMA_MMA_ASYNC || f->insns[n].i.op == PTX_OP_TCGEN05_LD;
    if (!some || !f->reg_count)
        return;
    struct held_register *in = ls_alloc(sizeof *in * f->reg_count * f->block_count),
                         *now = ls_alloc(sizeof *now * f->reg_count);
    struct follow w = {.k = k, .f = f, .now = now};
    k->fault = ARENA_ARRAY(&k->arena, struct fault, MOST_FAULTS);
    for (bool again = true; again || !w.telling;) {
        w.telling = !again;
        again = false;
        for (uint32_t b = 0; b < f->block_count; b++) {
            const struct wir_block *block = &f->blocks[b];
            memcpy(now, in + (size_t)b * f->reg_count, sizeof *now * f->reg_count);
            for (uint32_t n = 0; n < block->count; n++)
                follow_insn(&w, &f->insns[block->first + n]);
            for (uint32_t s = 0; s < block->succ_count; s++)
                again |= merge(in + (size_t)block->succ[s] * f->reg_count, now, f->reg_count);
        }
    }
    ls_release(in);
    ls_release(now);
}
