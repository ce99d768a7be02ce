/* SPDX-License-Identifier: Apache-2.0
 *
 * regions_find.c: whether a kernel can be run barrier region by barrier region. Start at
 * core_regions_new.
 */
#include "jit/versions/versions.h"

#include "jit/ops/ops.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    UNROLLED_INSNS = 160, /* of a region, times the warps: the code for it stays below 16 KiB */
    /* Instructions of a region from which on what a barrier costs is nothing beside it, while LLVM
     * needs twice the time for a function made of loops over the warps (the product of 8 x 8 sums a
     * thread: 3.6 instead of 1.5 s) and its code is slower by a fifth: more is spilled. */
    LARGE_INSNS = 300,
    /* Registers times regions. Below, each region brings back and forgets all registers, and LLVM
     * drops what nobody looks at; it orders what is left as it always did. Above, that would be
     * nearly all that is emitted (2,000 registers, 288 barriers: 950,000 of 1,070,000 instructions,
     * 7 s of passes). */
    MANY_REGISTERS = 8000,
};

/* -- whether the kernel fits ------------------------------------------------------------------ */

/* All of the block, by a number known here. */
static bool
is_plain_barrier(const struct core *c, const struct ptx_insn *p)
{
    const uint32_t *dim = c->facts->shape.block;
    bool red = ptx_has(p, PTX_M_RED);
    unsigned first = red, last = p->operand_count - red;
    if (p->op != PTX_OP_BAR && p->op != PTX_OP_BARRIER)
        return false;
    for (unsigned k = first; k < last; k++) {
        const struct ptx_operand *o = &p->operand[k];
        uint64_t most = k == first ? JIT_BARRIERS - 1 : dim[0] * dim[1] * dim[2];
        if (o->kind != PTX_O_INT || o->imm > most || (k > first && o->imm != most))
            return false;
    }
    return true;
}

/* Whether no instruction inside a block arrives at a barrier. */
static bool
no_arrivals(const struct wir *f)
{
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t n = 0; n < f->blocks[b].count; n++) {
            const struct ptx_insn *p = &f->insns[f->blocks[b].first + n].i;
            if (p->op == PTX_OP_BAR || p->op == PTX_OP_BARRIER || p->op == PTX_OP_BARRIER_CLUSTER)
                return false;
        }
    return true;
}

/* Every block leads to an end: of loops without one the post-dominators say nothing. */
static bool
all_end(const struct wir *f)
{
    bool *ends = ls_alloc(f->block_count + 1), all = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = f->block_count; b-- > 0;) {
            bool now = !f->blocks[b].succ_count;
            for (uint32_t s = 0; s < f->blocks[b].succ_count; s++)
                now |= ends[f->blocks[b].succ[s]];
            changed |= now && !ends[b];
            ends[b] = now;
        }
    }
    for (uint32_t b = 0; b < f->block_count; b++)
        all &= ends[b];
    ls_release(ends);
    return all;
}

/* Why warps cannot be run region after region; NULL: they can. */
static const char *
misfit(const struct core *c)
{
    const struct wir *f = c->wir;
    if (c->form.called || f->call_count || f->indirect || core_uses_stack(f))
        return "functions are called that are not inlined";
    if (c->facts->shape.apart)
        return "lanes of a warp wait for each other";
    if (!no_arrivals(f))
        return "bar.arrive, or a barrier that not all threads wait for";
    if (!all_end(f))
        return "a loop without end";
    for (uint32_t l = 0; l < f->loop_count; l++)
        if (f->loops[l].waits)
            return "a loop may wait for other warps";
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (core_sync_tests(c, b) || c->facts->parks[b])
            return "an instruction waits for lanes of its warp that may be elsewhere";
        if (f->blocks[b].end != WIR_BARRIER)
            continue;
        if (!core_nothing_pending(c, b))
            return "lanes of a warp may come to a barrier apart";
        if (!is_plain_barrier(c, &f->insns[f->blocks[b].end_insn].i))
            return "a barrier with a number or a count that is not known";
    }
    return NULL;
}

/* -- warps that do the same ------------------------------------------------------------------- */

/* Of warps for which this holds of all instructions each does what the others do. */
static bool
is_alike(const struct barrier_regions *p, const struct wir_insn *i)
{
    uint32_t step;
    for (unsigned k = 0; k < i->i.operand_count; k++) {
        const struct ptx_operand *o = &i->i.operand[k];
        if (o->kind == PTX_O_SREG && (!warps_step(p->known, o, &step) || step))
            return false;
    }
    switch (i->i.op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST: return !plan_is_ordered(&i->i);
    case PTX_OP_CVTA: return i->i.space != PTX_SPACE_LOCAL;
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_BRA:
    case PTX_OP_RET:
    case PTX_OP_EXIT: return true;
    default: return emit_is_arith(&i->i);
    }
}

/* A load that threads of the block may share. */
static bool
reads(const struct ptx_insn *p)
{
    return (p->op == PTX_OP_LD || p->op == PTX_OP_LDU) && p->space != PTX_SPACE_LOCAL &&
           !plan_is_ordered(p);
}

/* Blocks of 32 x 8 threads, of which the kernel looks at threadIdx.x alone: warps that keep step
 * load, compute and store the same, and nothing in the kernel asks for another order. */
static bool
all_alike(const struct core *c, const struct barrier_regions *p)
{
    const struct wir *f = c->wir;
    if (p->warps == 1 || !emit_on(&c->e, PASS_EQUAL_WARPS))
        return false;
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (f->chains.block_of[n] != UINT32_MAX && !is_alike(p, &f->insns[n]))
            return false;
    jit_remark_kernel(c->e.remarks, PASS_EQUAL_WARPS, true, "%u warps do the same: one is run",
                      p->warps);
    return true;
}

/* -- regions ------------------------------------------------------------------------------------
 */

struct walk {
    const struct wir *f;
    uint32_t *seen; /* by block: 1 + the number of the last region that came to it; 0: none did */
    VEC(uint32_t) work;
};

static void
walk_to(struct walk *w, uint32_t b, uint32_t region)
{
    if (w->seen[b] == region + 1)
        return;
    w->seen[b] = region + 1;
    VEC_PUSH(&w->work, b);
}

static void
add_region(struct walk *w, struct barrier_regions *p, uint32_t barrier)
{
    uint32_t number = p->count++;
    struct barrier_region *x = &p->region[number];
    x->barrier = barrier;
    x->entry = barrier == UINT32_MAX ? 0 : w->f->blocks[barrier].succ[0];
    w->work.count = 0;
    walk_to(w, x->entry, number);
    for (size_t k = 0; k < w->work.count; k++) {
        const struct wir_block *at = &w->f->blocks[w->work.at[k]];
        for (uint32_t s = 0; at->end != WIR_BARRIER && s < at->succ_count; s++)
            walk_to(w, at->succ[s], number);
    }
    x->block_count = (uint32_t)w->work.count;
    x->blocks = ARENA_ARRAY(&p->arena, uint32_t, x->block_count);
    memcpy(x->blocks, w->work.at, sizeof *x->blocks * x->block_count);
}

/* The kernel's beginning and what lies behind each barrier. */
static void
add_regions(const struct core *c, struct barrier_regions *p, uint32_t barriers)
{
    const struct wir *f = c->wir;
    struct walk w = {.f = f, .seen = ls_alloc(sizeof *w.seen * (f->block_count + 1))};
    p->region = ARENA_ARRAY(&p->arena, struct barrier_region, barriers + 1);
    add_region(&w, p, UINT32_MAX);
    for (uint32_t b = 0; b < f->block_count; b++)
        if (f->blocks[b].end == WIR_BARRIER)
            add_region(&w, p, b);
    VEC_FREE(&w.work);
    ls_release(w.seen);
}

/* Regions of so many instructions that calls do not matter. */
static bool
is_large(const struct core *c, const struct barrier_regions *p)
{
    for (uint32_t k = 0; k < p->count; k++) {
        uint32_t insns = 0;
        for (uint32_t n = 0; n < p->region[k].block_count; n++)
            insns += c->wir->blocks[p->region[k].blocks[n]].count;
        if (insns > LARGE_INSNS)
            return true;
    }
    return false;
}

/* Registers that hold something when one of the region's blocks or what is behind its barriers
 * begins. What is written and read inside of one block needs no more: LLVM makes values of it
 * without a look at the others. */
static void
add_used(const struct core *c, const struct barrier_region *x, bool many, uint64_t *used)
{
    const struct wir *f = c->wir;
    if (!many)
        memset(used, 0xff, sizeof *used * f->reg_words);
    for (uint32_t n = 0; n < x->block_count; n++) {
        const struct wir_block *blk = &f->blocks[x->blocks[n]];
        for (uint32_t w = 0; w < f->reg_words; w++) {
            used[w] |= blk->live_in[w];
            for (uint32_t s = 0; s < blk->succ_count; s++)
                used[w] |= f->blocks[blk->succ[s]].live_in[w];
        }
    }
}

/* Disjoint sets: a region's group is an earlier region of its set until all are joined. */
static uint32_t
first_of_group(struct barrier_regions *p, uint32_t k)
{
    struct barrier_region *x = p->region;
    for (; x[k].group != k; k = x[k].group)
        x[k].group = x[x[k].group].group;
    return k;
}

/* Regions that share a block are one group, by the number of its first. */
static void
join_regions(const struct core *c, struct barrier_regions *p)
{
    for (uint32_t k = 0; k < p->count; k++) {
        p->region[k].group = k;
        for (uint32_t n = 0; n < p->region[k].block_count; n++) {
            uint32_t *at = &p->group_of[p->region[k].blocks[n]];
            if (*at == UINT32_MAX)
                *at = k;
            uint32_t one = first_of_group(p, *at), other = first_of_group(p, k);
            p->region[one > other ? one : other].group = *at = one < other ? one : other;
        }
    }
    for (uint32_t k = 0; k < p->count; k++)
        p->region[k].group = first_of_group(p, k);
    for (uint32_t b = 0; b < c->wir->block_count; b++)
        if (p->group_of[b] != UINT32_MAX)
            p->group_of[b] = p->region[p->group_of[b]].group;
}

/* Of each group its blocks. */
static void
list_blocks(const struct core *c, struct barrier_regions *p)
{
    uint32_t blocks = c->wir->block_count, *list = ARENA_ARRAY(&p->arena, uint32_t, blocks + 1);
    for (uint32_t b = 0; b < blocks; b++)
        if (p->group_of[b] != UINT32_MAX)
            p->group[p->group_of[b]].block_count++;
    for (uint32_t g = 0; g < p->group_count; g++) {
        p->group[g].blocks = list;
        list += p->group[g].block_count;
        p->group[g].block_count = 0;
    }
    for (uint32_t b = 0; b < blocks; b++)
        if (p->group_of[b] != UINT32_MAX) {
            struct region_group *g = &p->group[p->group_of[b]];
            g->blocks[g->block_count++] = b;
        }
}

/* Few instructions, one region and no loop: unrolled. */
static void
make_groups(const struct core *c, struct barrier_regions *p)
{
    const struct wir *f = c->wir;
    join_regions(c, p);
    p->many = (uint64_t)p->count * f->reg_count > MANY_REGISTERS;
    p->group_count = p->count; /* some stay empty */
    p->group = ARENA_ARRAY(&p->arena, struct region_group, p->count);
    list_blocks(c, p);
    for (uint32_t k = 0; k < p->count; k++) {
        struct region_group *g = &p->group[p->region[k].group];
        uint32_t insns = 0;
        bool loops = false;
        g->regions++;
        if (!g->used)
            g->used = ARENA_ARRAY(&p->arena, uint64_t, f->reg_words + 1);
        add_used(c, &p->region[k], p->many, g->used);
        for (uint32_t n = 0; n < p->region[k].block_count; n++) {
            uint32_t b = p->region[k].blocks[n];
            insns += f->blocks[b].count;
            loops |= f->blocks[b].loop != UINT32_MAX && f->loops[f->blocks[b].loop].head == b &&
                     f->blocks[b].end != WIR_BARRIER;
        }
        g->unrolled = emit_on(&c->e, PASS_UNROLL) && g->regions == 1 && !loops &&
                      insns * p->warps <= UNROLLED_INSNS;
    }
}

bool
core_barriers_pass(const struct core *c)
{
    const uint32_t *dim = c->facts->shape.block;
    bool plain = dim[0] * dim[1] * dim[2] <= LANES && !misfit(c);
    for (uint32_t b = 0; plain && b < c->wir->block_count; b++)
        if (c->wir->blocks[b].end == WIR_BARRIER)
            plain = !ptx_has(&c->wir->insns[c->wir->blocks[b].end_insn].i, PTX_M_RED);
    return plain;
}

/* Registers that are computed again where a block needs them, not handed on to it. */
static uint32_t
rematerialised(const struct core *c, const struct barrier_regions *p)
{
    const struct wir *f = c->wir;
    uint64_t *lives = ls_alloc(sizeof *lives * (f->reg_words + 1));
    uint32_t count = 0;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t w = 0; w < f->reg_words; w++)
            lives[w] |= f->blocks[b].live_in[w];
    for (uint32_t r = 0; r < f->reg_count; r++)
        count += p->known->again[r] && set_has(lives, r);
    ls_release(lives);
    return count;
}

/* The remarks (--remarks) about barrier regions and the registers computed again in them. */
static void
remark(const struct core *c, const struct barrier_regions *p)
{
    if (!c->e.remarks)
        return;
    uint32_t again = rematerialised(c, p);
    jit_remark_kernel(c->e.remarks, PASS_REGIONS, true, "%u %s of %u %s", p->count,
                      p->count == 1 ? "region" : "regions", p->warps,
                      p->warps == 1 ? "warp" : "warps");
    if (again)
        jit_remark_kernel(c->e.remarks, PASS_REMATERIALISE, true, "%u %s", again,
                          again == 1 ? "register" : "registers");
    else if (emit_on(&c->e, PASS_REMATERIALISE))
        jit_remark_kernel(c->e.remarks, PASS_REMATERIALISE, false,
                          "no register that the thread's number decides lives on into a block");
    for (uint32_t g = 0; g < p->group_count; g++)
        if (p->group[g].regions && p->group[g].unrolled)
            jit_remark_kernel(c->e.remarks, PASS_UNROLL, true, "region %u, %u warps", g, p->warps);
        else if (p->group[g].regions && emit_on(&c->e, PASS_UNROLL))
            jit_remark_kernel(
                c->e.remarks, PASS_UNROLL, false,
                "region %u: interleaved, a loop, or more than %d instructions in all warps", g,
                UNROLLED_INSNS);
}

struct barrier_regions *
core_regions_new(const struct core *c)
{
    const struct wir *f = c->wir;
    const uint32_t *dim = c->facts->shape.block;
    uint32_t barriers = 0;
    if (!emit_on(&c->e, PASS_REGIONS))
        return NULL;
    const char *why = dim[0] * dim[1] * dim[2] % LANES || c->facts->shape.partial
                          ? "warps of fewer than 32 threads"
                          : misfit(c);
    if (why) {
        jit_remark_kernel(c->e.remarks, PASS_REGIONS, false, "%s", why);
        return NULL;
    }
    struct barrier_regions *p = ls_alloc(sizeof *p);
    p->warps = dim[0] * dim[1] * dim[2] / LANES;
    p->known = warps_new(c->facts, emit_is_arith);
    if (all_alike(c, p))
        p->warps = 1;
    if (p->warps > 1 && emit_on(&c->e, PASS_EQUAL_VALUES))
        warps_find_alike(p->known, reads);
    if (!emit_on(&c->e, PASS_REMATERIALISE))
        memset(p->known->again, 0, f->reg_count);
    p->before = ARENA_ARRAY(&p->arena, LLVMValueRef, f->reg_count + 1);
    p->group_of = ARENA_ARRAY(&p->arena, uint32_t, f->block_count + 1);
    memset(p->group_of, 0xff, sizeof *p->group_of * f->block_count);
    bool fits = true;
    for (uint32_t b = 0; b < f->block_count; b++)
        if (f->blocks[b].end == WIR_BARRIER) {
            fits &= !p->known->tangled[b];
            barriers++;
        }
    if (!fits) {
        jit_remark_kernel(c->e.remarks, PASS_REGIONS, false,
                          "a barrier that threads may take different ways to");
        core_regions_free(p);
        return NULL;
    }
    add_regions(c, p, barriers);
    if (is_large(c, p)) {
        jit_remark_kernel(c->e.remarks, PASS_REGIONS, false,
                          "a region of more than %d instructions", LARGE_INSNS);
        core_regions_free(p);
        return NULL;
    }
    make_groups(c, p);
    interleave_choose(c, p);
    remark(c, p);
    return p;
}

void
core_regions_free(struct barrier_regions *p)
{
    if (!p)
        return;
    interleave_free(p);
    warps_free(p->known);
    arena_free(&p->arena);
    ls_release(p);
}
