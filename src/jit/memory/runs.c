/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/runs.c: how the lanes of an access lie: runs of lanes at one address or at consecutive
 * ones, known when the kernel is compiled or tested when it runs (a fork of the code).
 */
#include "jit/memory/memory.h"

void
site_plan(struct site *s, bool store, struct plan *out)
{
    const struct plan_scope scope = core_scope(s->c);
    *out = (struct plan){
        .i = s->i, .bytes = s->bytes, .vec = s->vec, .store = store, .masked = s->mask != NULL};
    out->at = (struct plan_address){
        .fact = s->fact, .kept = s->holds != NULL, .converged = s->converged ? s->pattern : NULL};
    plan_ways(&scope, out);
    plan_remark(&scope, out);
}

/* The site where its guess is known to hold: no lane's own address is needed. */
struct site
site_sure(const struct site *s)
{
    struct site sure = *s;
    if (!s->holds)
        return sure;
    sure.fact.guess = false;
    sure.base = s->fact.segment == LANES ? s->guessed : NULL;
    sure.firsts = s->fact.segment == LANES ? NULL : s->guessed;
    return sure;
}

LLVMValueRef
site_segment(struct site *s, unsigned g)
{
    struct core *c = s->c;
    if (s->base)
        return LLVMBuildAdd(c->e.b, s->base, core_i64(c, (uint64_t)(int64_t)s->runs.start[g]), "");
    if (!s->firsts || s->fact.guess)
        return LLVMBuildExtractElement(c->e.b, site_lanes(s), core_i32(c, g * s->runs.run), "");
    LLVMValueRef first = LLVMBuildExtractElement(
        c->e.b, s->firsts, core_i32(c, g * s->runs.run / s->fact.segment), "");
    return LLVMBuildAdd(c->e.b, first, core_i64(c, (uint64_t)(int64_t)s->runs.start[g]), "");
}

/* -- vectors of other lengths than 32 -- */

/* Lanes first..first+run of the mask, each repeated vec times. */
LLVMValueRef
site_mask_part(struct site *s, unsigned first, unsigned run)
{
    int32_t v[LANES * 8];
    for (unsigned k = 0; k < run * s->vec; k++)
        v[k] = (int32_t)(first + k / s->vec);
    return core_shuffle(s->c, s->mask, NULL, v, run * s->vec);
}

LLVMValueRef
site_any(struct site *s, unsigned first, unsigned run)
{
    struct core *c = s->c;
    uint32_t lanes = run >= 32 ? ~0u : ((1u << run) - 1) << first;
    LLVMValueRef m =
        LLVMBuildAnd(c->e.b, emit_mask_to_bits(&c->e, s->mask), core_i32(c, lanes), "");
    return LLVMBuildICmp(c->e.b, LLVMIntNE, m, core_i32(c, 0), "");
}

/* -- patterns that are tested -- */

/* Whether no active lane differs from what is expected. */
static LLVMValueRef
no_other(struct site *s, LLVMValueRef expected)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef differs = LLVMBuildICmp(b, LLVMIntNE, expected, s->lanes, "");
    if (s->mask) /* selected, not masked: of undefined lanes nothing is left */
        differs = LLVMBuildSelect(b, s->mask, differs, LLVMConstNull(LLVMTypeOf(differs)), "");
    return LLVMBuildICmp(b, LLVMIntEQ, emit_mask_to_bits(&c->e, differs), core_i32(c, 0), "");
}

/* Do all active lanes hold what the pattern says, counted from their segment's first lane? */
static LLVMValueRef
test_pattern(struct site *s, const int32_t *pattern, unsigned segment)
{
    struct core *c = s->c;
    int32_t first[LANES], relative[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        first[l] = (int32_t)(l - l % segment);
        relative[l] = pattern ? pattern[l] - pattern[l - l % segment] : 0;
    }
    LLVMValueRef firsts = core_shuffle(c, s->lanes, NULL, first, LANES);
    firsts = LLVMBuildFreeze(c->e.b, firsts, ""); /* core_frozen_lane */
    return no_other(s, LLVMBuildAdd(c->e.b, firsts, core_pattern(c, relative, 64), ""));
}

static LLVMValueRef
site_holds_now(struct site *s)
{
    if (s->holds)
        return s->holds;
    site_lanes(s);
    return test_pattern(s, s->fact.pattern, s->fact.segment);
}

/* Whether the first two lanes or the last two are as far apart as the pattern says: mostly that is
 * enough to know that lanes do not follow it (a sparse product has three such tests an element).
 * From those that are it is counted: a tile's first lanes are clamped at its border, and not active
 * there. */
static void
look_at_ends(struct site *s, struct ends *e)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef at = site_lanes(s), is[2], from[2];
    for (unsigned k = 0; k < 2; k++) {
        unsigned l = k * (LANES - 2);
        LLVMValueRef first = core_frozen_lane(c, at, l), next = core_frozen_lane(c, at, l + 1);
        int64_t d = (int64_t)s->fact.pattern[l + 1] - s->fact.pattern[l];
        is[k] = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildSub(b, next, first, ""),
                              core_i64(c, (uint64_t)d), "");
        from[k] = k ? LLVMBuildSub(b, next,
                                   core_i64(c, (uint64_t)(int64_t)s->fact.pattern[LANES - 1]), "")
                    : first;
    }
    e->likely = LLVMBuildOr(b, is[0], is[1], "");
    e->first = LLVMBuildSelect(b, is[0], from[0], from[1], "");
}

struct fork
fork_begin(struct core *c, LLVMValueRef cond)
{
    struct fork f = {core_new_block(c, "runs"), core_new_block(c, "each"),
                     core_new_block(c, "joined"), NULL};
    LLVMBuildCondBr(c->e.b, cond, f.fast, f.slow);
    LLVMPositionBuilderAtEnd(c->e.b, f.fast);
    return f;
}

/* A fork for such a pattern: fast: the lanes follow it. There the site knows where lane 0 is, or
 * would be. */
static struct fork
site_fork(struct site *s)
{
    struct core *c = s->c;
    if (s->holds || s->fact.segment < LANES || !s->fact.pattern)
        return fork_begin(c, site_holds_now(s));
    bool by_index = site_index_steps(s);
    struct ends ends;
    LLVMBasicBlockRef here, test = core_new_block(c, "test");
    if (by_index)
        site_index_ends(s, &ends);
    else
        look_at_ends(s, &ends);
    here = LLVMGetInsertBlock(c->e.b);
    LLVMPositionBuilderAtEnd(c->e.b, test);
    s->guessed = ends.first;
    s->holds = by_index ? site_index_holds(s, ends.first)
                        : no_other(s, core_spread(c, ends.first, s->fact.pattern));
    struct fork f = fork_begin(c, s->holds);
    LLVMPositionBuilderAtEnd(c->e.b, here);
    LLVMBuildCondBr(c->e.b, ends.likely, test, f.slow);
    LLVMPositionBuilderAtEnd(c->e.b, f.fast);
    return f;
}

void
fork_other(struct core *c, struct fork *f)
{
    f->fast_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f->join);
    LLVMPositionBuilderAtEnd(c->e.b, f->slow);
}

void
fork_join(struct core *c, const struct fork *f, unsigned n, LLVMValueRef *fast, LLVMValueRef *slow,
          LLVMValueRef *out)
{
    LLVMBasicBlockRef from[] = {f->fast_end, LLVMGetInsertBlock(c->e.b)};
    LLVMBuildBr(c->e.b, f->join);
    LLVMPositionBuilderAtEnd(c->e.b, f->join);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef v[] = {fast[k], slow[k]};
        out[k] = LLVMBuildPhi(c->e.b, LLVMTypeOf(v[0]), "");
        LLVMAddIncoming(out[k], v, from, 2);
    }
}

struct fork
site_fork_way(struct site *s, const struct plan_way *w, struct site *on)
{
    *on = *s;
    on->runs = w->runs;
    on->fact = w->fact;
    on->converged = NULL;
    if (w->test == PLAN_CONVERGED) {
        on->base = s->first;
        on->firsts = on->lanes = on->holds = on->guessed = on->index = on->at = NULL;
        return fork_begin(s->c, s->converged);
    }
    if (w->test == PLAN_COMPARED)
        on->holds = NULL;
    struct fork f = site_fork(on);
    s->lanes = on->lanes;
    *on = site_sure(on);
    return f;
}
