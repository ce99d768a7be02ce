/* SPDX-License-Identifier: Apache-2.0
 *
 * warpgroup.c: what wgmma asks of programs (PTX ISA 9.7.15): registers that the matrix unit has
 * until a group is waited for, wgmma.fence, fence.proxy.async, descriptors. What it reads of shared
 * memory lasts until it was waited for, like a copy in the background (async.c).
 *
 * Registers are followed through the code once, when the kernel is first met (warpgroup_describe);
 * what was found is told when the instruction is executed. Copies between registers are no uses:
 * compilers make them around inline assembly, and assemblers take them out again.
 */
#include "check/transfers.h"
#include "wir/wir.h"

#include <stdio.h>
#include <string.h>

/* -- registers --------------------------------------------------------------------------------- */

enum { OLDEST = 15 };

/* A register on a way through the code. */
struct held {
    uint8_t sums;     /* D of a wgmma: 1, and 1 for each commit since; 0: of none in flight */
    uint8_t factors;  /* A, likewise */
    uint8_t unfenced; /* written by other instructions since the last wgmma.fence */
    uint32_t by;      /* place of that wgmma */
};

struct follow {
    struct kernel_facts *k;
    const struct wir *f;
    const struct wir_insn *i;
    struct held *now;
    bool telling;
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
    struct held *r = &w->now[o->reg];
    if (r->sums || (write && r->factors))
        add_fault(w, write ? FAULT_OVERWRITTEN : FAULT_USED, r->by, w->i->place);
    if (write)
        *r = (struct held){.unfenced = 1};
}

static void
take_factors(struct follow *w, const struct ptx_operand *o)
{
    for (uint32_t n = 0; o->kind == PTX_O_VECTOR && n < o->count; n++) {
        if (o->elements[n].kind != PTX_O_REG)
            continue;
        struct held *r = &w->now[o->elements[n].reg];
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
            w->now[to->elements[n].reg] = (struct held){.sums = 1, .by = w->i->place};
}

static void
follow_groups(struct follow *w)
{
    const struct ptx_insn *p = &w->i->i;
    bool commit = p->op == PTX_OP_WGMMA_COMMIT_GROUP, fence = p->op == PTX_OP_WGMMA_FENCE;
    uint32_t left =
        p->operand_count && p->operand[0].kind == PTX_O_INT ? (uint32_t)p->operand[0].imm : 0;
    for (uint32_t n = 0; n < w->f->reg_count; n++) {
        struct held *r = &w->now[n];
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

static bool
is_copy(const struct ptx_insn *p)
{
    enum ptx_operand_kind from = (enum ptx_operand_kind)p->operand[1].kind;
    return p->op == PTX_OP_MOV && p->operand[0].kind == PTX_O_REG &&
           (from == PTX_O_REG || from == PTX_O_INT || from == PTX_O_FLOAT);
}

static void
follow_insn(struct follow *w, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    w->i = i;
    if (p->op == PTX_OP_WGMMA_MMA_ASYNC)
        follow_product(w);
    else if (p->op == PTX_OP_WGMMA_FENCE || p->op == PTX_OP_WGMMA_COMMIT_GROUP ||
             p->op == PTX_OP_WGMMA_WAIT_GROUP)
        follow_groups(w);
    else if (is_copy(p))
        w->now[p->operand[0].reg] =
            p->operand[1].kind == PTX_O_REG ? w->now[p->operand[1].reg] : (struct held){0};
    else
        wir_visit(i, touch_register, w);
}

/* What holds on one of the ways holds; true: that is more than before. */
static bool
merge(struct held *to, const struct held *from, uint32_t count)
{
    bool more = false;
    for (uint32_t n = 0; n < count; n++) {
        struct held old = to[n], r = old;
        bool younger = from[n].sums && (!r.sums || from[n].sums < r.sums);
        r.sums = younger ? from[n].sums : r.sums;
        r.factors = from[n].factors && (!r.factors || from[n].factors < r.factors) ? from[n].factors
                                                                                   : r.factors;
        r.by = younger || !old.by ? from[n].by : r.by;
        r.unfenced |= from[n].unfenced;
        more |= r.sums != old.sums || r.factors != old.factors || r.unfenced != old.unfenced;
        to[n] = r;
    }
    return more;
}

/* Goes through the code until nothing changes, then once more to tell. */
void
warpgroup_describe(struct kernel_facts *k, const struct wir *f)
{
    bool some = false;
    for (uint32_t n = 0; n < f->insn_count; n++)
        some |= f->insns[n].i.op == PTX_OP_WGMMA_MMA_ASYNC;
    if (!some || !f->reg_count)
        return;
    struct held *in = ls_alloc(sizeof *in * f->reg_count * f->block_count),
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

/* -- findings ---------------------------------------------------------------------------------- */

static void
tell(struct block_state *b, uint32_t warp, enum finding_kind kind, uint32_t place, uint32_t other,
     const char *message, const char *missing)
{
    const struct launch *l = b->launch;
    struct finding f = {.kind = kind, .space = ""};
    bool two = other != place;
    if (!finding_wanted(l, kind, 0, l->facts, place, two ? l->facts : NULL, two ? other : 0,
                        b->block->ctaid))
        return;
    f.access = side_of_thread(b, warp * JIT_LANES, place, "wgmma");
    if (two)
        f.other = side_of_thread(b, warp * JIT_LANES, other, "access");
    snprintf(f.message, sizeof f.message, "%s", message);
    snprintf(f.missing, sizeof f.missing, "%s", missing);
    finding_add(l->check, &f);
}

static void
tell_faults(struct block_state *b, uint32_t warp, uint32_t place)
{
    static const struct {
        const char *message, *missing;
    } texts[] = {
        [FAULT_USED] = {"a register of D is read while the wgmma that computes it is in flight",
                        "wgmma.commit_group and wgmma.wait_group before it"},
        [FAULT_OVERWRITTEN] = {"a register of A or D is written while a wgmma in flight has it",
                               "wgmma.commit_group and wgmma.wait_group before it"},
        [FAULT_UNFENCED] = {"a register of A or D was written, and no wgmma.fence stands between "
                            "that and the wgmma that takes it",
                            "wgmma.fence.sync.aligned before the first wgmma"},
    };
    const struct kernel_facts *k = b->launch->facts;
    for (uint32_t n = 0; n < k->fault_count; n++)
        if (k->fault[n].wgmma == place)
            tell(b, warp, FINDING_WARPGROUP, place, k->fault[n].place,
                 texts[k->fault[n].kind].message, texts[k->fault[n].kind].missing);
}

/* The swizzle repeats every 8 rows of its width; elsewhere the base offset says in which row of the
 * pattern the matrix begins (PTX ISA 9.7.15.5.1.2). */
static void
look_at_descriptor(struct block_state *b, uint32_t warp, uint32_t place, uint64_t d, char which)
{
    static const uint32_t widths[] = {16, 128, 64, 32};
    uint32_t width = widths[d >> 62], start = (uint32_t)(d & 0x3fff) << 4, base = d >> 49 & 7;
    char message[300], missing[200];
    if (!(((start >> 7) - base) & (width / 16 - 1)))
        return;
    snprintf(message, sizeof message,
             "%c begins at 0x%x, which is no multiple of %u where the swizzle of %u bytes repeats, "
             "and its base offset is %u",
             which, start, 8 * width, width, base);
    snprintf(missing, sizeof missing, "memory aligned to %u bytes (__align__), or base offset %u",
             8 * width, start >> 7 & 7);
    tell(b, warp, FINDING_WARPGROUP, place, place, message, missing);
}

void
warpgroup_begin(struct block_state *b, uint32_t warp, const uint64_t *descriptor, uint32_t count,
                uint32_t place)
{
    if (!(b->launch->check->groups & CHECK_SYNC))
        return;
    tell_faults(b, warp, place);
    if (count > 1)
        look_at_descriptor(b, warp, place, descriptor[1], 'A');
    look_at_descriptor(b, warp, place, descriptor[0], 'B');
}

/* -- the other way to shared memory ------------------------------------------------------------ */

void
proxy_fence(struct block_state *b, uint32_t warp)
{
    order_arrive(b);
    transfers_need(b)->fenced[warp] = b->stamp;
}

void
proxy_read(const struct visit *v, uint32_t writer, uint32_t stamp, uint32_t place)
{
    struct block_state *b = v->b;
    if (!(b->launch->check->groups & CHECK_RACE) || stamp < b->first ||
        stamp < transfers_need(b)->fenced[writer])
        return;
    tell(b, v->warp, FINDING_PROXY, v->place, place,
         "wgmma reads shared memory that ordinary stores wrote, and the thread that wrote it has "
         "not executed fence.proxy.async since: the matrix unit may see what was there before",
         "fence.proxy.async in the threads that write, before the barrier");
}
