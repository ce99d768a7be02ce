/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/runs.c: how the lanes of an access lie: runs of lanes at one address or at consecutive ones,
 * known when the kernel is compiled or tested when it runs (a fork of the code).
 */
#include "jit/memory/memory.h"

#include <string.h>

int32_t
site_offset(const struct site *s, unsigned lane)
{
    return s->fact.pattern ? s->fact.pattern[lane] : 0;
}

/* The longest segments in which lanes read one address or consecutive ones. */
bool
site_runs(struct site *s)
{
    int32_t step = (int32_t)(s->bytes * s->vec);
    for (unsigned run = s->fact.segment; run >= 4; run /= 2) {
        bool ok = true;
        for (unsigned g = 0; ok && g < LANES; g += run) {
            bool same = true, next = true;
            for (unsigned l = 1; l < run; l++) {
                int32_t d = site_offset(s, g + l) - site_offset(s, g);
                same &= d == 0;
                next &= d == (int32_t)l * step;
            }
            ok = same || next;
            s->start[g / run] = site_offset(s, g);
            s->broadcast[g / run] = same;
        }
        if (ok) {
            s->run = run;
            return true;
        }
    }
    return false;
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
        return LLVMBuildAdd(c->e.b, s->base, core_i64(c, (uint64_t)(int64_t)s->start[g]), "");
    if (!s->firsts || s->fact.guess)
        return LLVMBuildExtractElement(c->e.b, site_lanes(s), core_i32(c, g * s->run), "");
    LLVMValueRef first =
        LLVMBuildExtractElement(c->e.b, s->firsts, core_i32(c, g * s->run / s->fact.segment), "");
    return LLVMBuildAdd(c->e.b, first, core_i64(c, (uint64_t)(int64_t)s->start[g]), "");
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
    if (s->mask)
        differs = LLVMBuildAnd(b, differs, s->mask, "");
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
    return no_other(s, LLVMBuildAdd(c->e.b, core_shuffle(c, s->lanes, NULL, first, LANES),
                                    core_pattern(c, relative, 64), ""));
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
 * enough to know that lanes do not follow it (a sparse product has three such tests an element). From
 * those that are it is counted: a tile's first lanes are clamped at its border, and not active there. */
static void
look_at_ends(struct site *s, struct ends *e)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef at = site_lanes(s), is[2], from[2];
    for (unsigned k = 0; k < 2; k++) {
        unsigned l = k * (LANES - 2);
        LLVMValueRef first = LLVMBuildExtractElement(b, at, core_i32(c, l), "");
        LLVMValueRef next = LLVMBuildExtractElement(b, at, core_i32(c, l + 1), "");
        int64_t d = (int64_t)s->fact.pattern[l + 1] - s->fact.pattern[l];
        is[k] = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildSub(b, next, first, ""), core_i64(c, (uint64_t)d), "");
        from[k] = k ? LLVMBuildSub(b, next, core_i64(c, (uint64_t)(int64_t)s->fact.pattern[LANES - 1]), "") : first;
    }
    e->likely = LLVMBuildOr(b, is[0], is[1], "");
    e->first = LLVMBuildSelect(b, is[0], from[0], from[1], "");
}

struct fork
fork_begin(struct core *c, LLVMValueRef cond)
{
    struct fork f = {core_new_block(c, "runs"), core_new_block(c, "each"),
                     core_new_block(c, "joined"), NULL, NULL};
    LLVMBuildCondBr(c->e.b, cond, f.fast, f.slow);
    LLVMPositionBuilderAtEnd(c->e.b, f.fast);
    return f;
}

/* Pattern to test when nothing is known: consecutive lanes. */
void
site_assume_consecutive(struct site *s, int32_t pattern[LANES])
{
    for (unsigned l = 0; l < LANES; l++)
        pattern[l] = (int32_t)(l * s->bytes * s->vec);
    s->fact.pattern = pattern;
    s->fact.segment = LANES;
    s->fact.guess = true;
    s->holds = NULL;
}

bool
site_may_be_consecutive(const struct site *s)
{
    const struct emit *e = &s->c->e;
    if (!emit_on(e, PASS_CONSECUTIVE_TEST) || s->fact.segment != 1 || s->i->i.space == PTX_SPACE_LOCAL ||
        (s->index && !site_index_steps(s)) || s->bytes * s->vec > 16)
        return false;
    emit_fired(e, PASS_CONSECUTIVE_TEST, "consecutive if a comparison of the lanes says so, else lane by lane");
    return true;
}

void
site_remark_runs(const struct site *s)
{
    unsigned broadcast = 0;
    for (unsigned g = 0; g < LANES / s->run; g++)
        broadcast += s->broadcast[g];
    emit_fired(&s->c->e, PASS_ACCESS_PLAN, "%u %s of %u lanes, %s%s%s", LANES / s->run,
               s->run == LANES ? "run" : "segments", s->run,
               broadcast == LANES / s->run ? "each at one address" : broadcast ? "consecutive or at one address" : "consecutive",
               s->fact.guess ? ", if 32-bit arithmetic has not wrapped" : "", s->mask ? ", under a mask" : "");
}

const char *
site_disorder(const struct site *s)
{
    if (s->fact.segment == 1)
        return "nothing is known of the lanes' addresses";
    return s->fact.pattern ? "the lanes' addresses are apart by constants, not consecutive" : "the lanes' addresses differ";
}

/* A fork for such a pattern. In the fast way the site knows where lane 0 is, or would be. */
struct fork
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
fork_join(struct core *c, const struct fork *f, unsigned n, LLVMValueRef *fast, LLVMValueRef *slow,
          LLVMValueRef *out)
{
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef v[] = {fast[k], slow[k]};
        LLVMBasicBlockRef from[] = {f->fast_end, f->slow_end};
        out[k] = LLVMBuildPhi(c->e.b, LLVMTypeOf(v[0]), "");
        LLVMAddIncoming(out[k], v, from, 2);
    }
}

/* -- accesses ---------------------------------------------------------------------------------------------- */

bool
site_together(struct site *s, struct site *sure, struct site *other)
{
    if (!s->together)
        return false;
    *sure = *other = *s;
    other->together = sure->together = NULL;
    sure->fact = (struct fact){.kind = FACT_SCALAR, .segment = LANES, .pattern = s->pattern};
    sure->base = s->first;
    sure->firsts = sure->lanes = sure->holds = sure->guessed = sure->index = sure->at = NULL;
    return site_runs(sure);
}
