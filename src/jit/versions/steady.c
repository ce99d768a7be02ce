/* SPDX-License-Identifier: Apache-2.0
 *
 * versions/steady.c: a loop's block once more, for iterations like the one before (loop
 * versioning).
 *
 *     for (k = 0; k < n; k++)            at each load: may its 32-bit index have wrapped? Is it the
 *         s += a[y * n + k] * b[k * n + x];   first iteration, and nothing known to fetch ahead?
 *
 * Each of these tests ends a block of code. Four iterations, unrolled, for eight warps have more
 * than forty: LLVM moves the sums behind the last of them, and what they are made of waits in
 * memory. So the addresses are computed where the block begins, what all its accesses ask is one
 * test, and behind it stands the block without tests. Where it fails, the block is as it was.
 *
 * What is computed early computes nothing but what the block does, of what there is when it begins:
 * done twice it is the same.
 */
#include "jit/versions/versions.h"

#include "jit/memory/memory.h"
#include "jit/ops/ops.h"

enum {
    LEAST_TESTS = 4,   /* spared */
    MOST_EMITTED = 400 /* instructions, times the warps: emitted once more */
};

struct steady {
    const struct core *c;
    uint32_t block, tests;
    uint64_t *early; /* set of instructions: computed where the block begins; */
    uint64_t *sure;  /*   accesses whose addresses follow their patterns if the test holds */
    uint32_t paced;  /* a load that fetches for iterations to come; UINT32_MAX: none */
};

/* -- which accesses ---------------------------------------------------------------------------- */

/* Adds what the register is computed from in the block. False: of something else than numbers that
 * are there when it begins. */
static bool
add_early(struct steady *s, uint32_t reg, uint32_t before)
{
    const struct wir *f = s->c->wir;
    uint32_t first = f->blocks[s->block].first, end = wir_block_end(f, s->block),
             n = wir_last_writer(f, reg, first, before);
    if (n == UINT32_MAX)
        return true;
    const struct ptx_insn *p = &f->insns[n].i;
    bool once = n == wir_next_writer(f, reg, first, end) && n == wir_last_writer(f, reg, n, end);
    bool ok = once && !set_has(f->blocks[s->block].live_in, reg) && p->guard == PTX_NO_REG &&
              warps_pure(p, emit_is_arith);
    struct span uses = ok ? wir_values(f, n) : (struct span){0};
    for (uint32_t k = 0; k < uses.count && ok; k++)
        ok = add_early(s, uses.at[k], n);
    if (ok)
        set_add(s->early, n);
    return ok;
}

static bool
asks_wrap(const struct plan *p)
{
    bool asks = false;
    for (unsigned k = 0; p && p->at.kept && k < p->ways; k++)
        asks |= p->way[k].test == PLAN_NO_WRAP;
    return asks;
}

static void
add_access(struct steady *s, uint32_t n)
{
    const struct plan_set *set = s->c->now.version.plans;
    const struct plan *p = set->one[n] ? set->one[n] : set->next[n];
    if (!p)
        return;
    if (p->fetch.what == FETCH_LOOP && !p->fetch.is_short) {
        s->paced = s->paced == UINT32_MAX ? n : s->paced;
        s->tests++;
    }
    if ((asks_wrap(p) || asks_wrap(set->next[n])) && add_early(s, p->o->reg, n)) {
        set_add(s->sure, n);
        s->tests += s->c->regions->known->alike && s->c->regions->known->alike[p->o->reg]
                        ? 1
                        : s->c->now.version.warps;
    }
}

struct steady *
steady_new(const struct core *c, uint32_t b)
{
    const struct wir *f = c->wir;
    const struct wir_block *blk = &f->blocks[b];
    if (!emit_on(&c->e, PASS_LOOP_VERSIONS) || blk->loop == UINT32_MAX ||
        !warps_agree_now(c->regions->known, b) || blk->count * c->now.version.warps > MOST_EMITTED)
        return NULL;
    struct steady *s = ls_alloc(sizeof *s);
    *s = (struct steady){.c = c, .block = b, .paced = UINT32_MAX};
    s->early = ls_alloc(sizeof *s->early * (f->insn_count / 64 + 1));
    s->sure = ls_alloc(sizeof *s->sure * (f->insn_count / 64 + 1));
    for (uint32_t n = blk->first; n < blk->first + blk->count; n++)
        add_access(s, n);
    if (s->tests >= LEAST_TESTS)
        return s;
    steady_free(s);
    return NULL;
}

void
steady_free(struct steady *s)
{
    ls_release(s->early);
    ls_release(s->sure);
    ls_release(s);
}

const uint64_t *
steady_sure(const struct steady *s)
{
    return s->sure;
}

const uint64_t *
steady_early(const struct steady *s)
{
    return s->early;
}

/* -- the test ---------------------------------------------------------------------------------- */

/* The address of access n follows its pattern, in each warp. */
static LLVMValueRef
follows(struct core *c, uint32_t n, LLVMValueRef all)
{
    const struct plan_set *set = c->now.version.plans;
    uint32_t reg = (set->one[n] ? set->one[n] : set->next[n])->o->reg;
    bool alike = c->regions->known->alike && c->regions->known->alike[reg];
    for (uint32_t k = 0; k < (alike ? 1 : c->now.version.warps); k++) {
        LLVMValueRef holds, firsts;
        regions_use(c, &c->regions->interleaved_warp[k]);
        if (core_guess(c, reg, &holds, &firsts))
            all = LLVMBuildAnd(c->e.b, all, holds, "");
    }
    return all;
}

LLVMValueRef
steady_test(struct core *c, const struct steady *s)
{
    const struct wir_block *blk = &c->wir->blocks[s->block];
    LLVMValueRef all = LLVMConstInt(core_scalar(c, 1), 1, false);
    for (uint32_t n = blk->first; n < blk->first + blk->count; n++)
        if (set_has(s->sure, n))
            all = follows(c, n, all);
    if (s->paced == UINT32_MAX)
        return all;
    LLVMValueRef last = LLVMBuildLoad2(c->e.b, core_scalar(c, 64), core_last_turn(c, s->paced), "");
    return LLVMBuildAnd(c->e.b, all, LLVMBuildIsNotNull(c->e.b, last, ""), "");
}
