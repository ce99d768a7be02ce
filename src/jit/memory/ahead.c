/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/ahead.c: what is fetched ahead of loads: turns of a loop to come, the next turn of a loop
 * with barriers, the rows of the next warp. Blocks to come: memory/fetch.c.
 */
#include "jit/memory/memory.h"

/* -- rows -- */

/* Where each lane reads on in a row of its own, a warp that begins with its rows waits for all of
 * them: they are fetched a warp ahead, as far as the last warp's rows are from this one's (two or
 * three warps ahead is no better). */
void
site_fetch_rows(struct site *s)
{
    enum { LINE_BYTES = 64, FAR = 1 << 20 };
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    /* Kept from block to block, in the frame of the first warp. */
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef frame = core_load_field(c, c->regions->first, FIELD(jit_warp, frame), ptr);
    uint32_t last = frame_room(c, 8), start = frame_room(c, 8);
    LLVMBasicBlockRef begins = core_new_block(c, "rows"), fetch = core_new_block(c, "fetch"),
                      on = core_new_block(c, "rows_on");
    LLVMValueRef now = core_frozen_lane(c, site_lanes(s), 0);
    LLVMValueRef moved = LLVMBuildSub(b, now, core_load_field(c, frame, last, i64), "");
    core_store_field(c, frame, last, now);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, moved, core_i64(c, LINE_BYTES), ""), begins,
                    on);
    LLVMPositionBuilderAtEnd(b, begins);
    LLVMValueRef step = LLVMBuildSub(b, now, core_load_field(c, frame, start, i64), "");
    core_store_field(c, frame, start, now);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, step, core_i64(c, FAR), ""), fetch, on);
    LLVMPositionBuilderAtEnd(b, fetch);
    LLVMValueRef ahead = LLVMBuildAdd(b, site_lanes(s), core_splat(c, step), "");
    for (unsigned l = 0; l < LANES; l++)
        core_prefetch_first(c, LLVMBuildExtractElement(b, ahead, core_i32(c, l), ""));
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
}

/* -- loops -- */

LLVMValueRef
core_last_turn(struct core *c, uint32_t n)
{
    if (!c->memory.last_turn)
        c->memory.last_turn = ARENA_ARRAY(&c->regions->arena, LLVMValueRef, c->wir->insn_count + 1);
    LLVMValueRef *last = &c->memory.last_turn[n];
    *last = *last ? *last : core_alloca_zero(c, core_scalar(c, 64));
    return *last;
}

/* How far ahead is fetched: TURNS times what the site has gone on since the loop's last turn. Warps
 * that run together (versions/interleave.c) go on together: asked of the first of them (9
 * instructions each in a loop with two additions). */
static LLVMValueRef
pace_of(struct site *s, const struct plan_fetch *fetch, LLVMValueRef now)
{
    enum { TURNS = 8 };
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    if (interleave_follows(c, c->memory.pace.reg) && c->memory.pace.insn == s->i)
        return c->memory.pace.step;
    LLVMValueRef last = c->now.version.warps > 1 ? core_last_turn(c, wir_index(c->wir, s->i))
                                                 : core_alloca_zero(c, i64),
                 before = LLVMBuildLoad2(b, i64, last, "");
    c->memory.pace.insn = s->i;
    c->memory.pace.reg = c->regs.reg;
    if (c->now.version.assume & ASSUME_STEADY && !fetch->is_short) {
        LLVMBuildStore(b, now, last);
        c->memory.pace.step =
            LLVMBuildMul(b, LLVMBuildSub(b, now, before, ""), core_i64(c, TURNS), "");
        return c->memory.pace.step;
    }
    LLVMBasicBlockRef first = core_new_block(c, "first_turn"),
                      later = core_new_block(c, "later_turn"), on = core_new_block(c, "turn");
    LLVMBuildStore(b, now, last);
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, before, ""), first, later);
    LLVMPositionBuilderAtEnd(b, first);
    /* As far as the next blocks' first turns are, where blocks are run one after the other. */
    LLVMValueRef step[2] = {fetch->over_blocks ? core_fetch_first(c, now) : core_i64(c, 0), NULL},
                 kept = core_alloca_zero(c, i64);
    LLVMBuildStore(b, step[0], kept);
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, later);
    LLVMValueRef moved = LLVMBuildSub(b, now, before, "");
    step[1] = LLVMBuildMul(b, moved, core_i64(c, TURNS), "");
    /* A tile's next row, beyond where the next block begins: turns to come are mostly the next
     * blocks'. */
    if (fetch->is_short) {
        LLVMValueRef blocks = LLVMBuildLoad2(b, i64, kept, "");
        step[1] = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, moved, blocks, ""), blocks,
                                  step[1], "");
    }
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
    c->memory.pace.step = LLVMBuildPhi(b, i64, "");
    LLVMAddIncoming(c->memory.pace.step, step, (LLVMBasicBlockRef[]){first, later}, 2);
    return c->memory.pace.step;
}

/* In a loop the next addresses are likely as far apart as the last two were. The host's prefetchers
 * see no stride above half a page, and in a grid-stride loop each is larger: without help, a warp
 * waits for memory at every turn (histogram of 64 MiB: 71 % of the time). */
static void
fetch_loop(struct site *s, const struct plan_fetch *fetch)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef now = s->base;
    if (!now && s->holds && s->fact.segment == LANES)
        now = s->guessed;
    else if (!now)
        now = core_frozen_lane(c, site_lanes(s), 0);
    LLVMValueRef at = LLVMBuildAdd(b, now, pace_of(s, fetch, now), "");
    core_prefetch(c, at);
    if (fetch->two_lines)
        core_prefetch(c, LLVMBuildAdd(b, at, core_i64(c, LINE), ""));
}

/* For blocks to come. */
static void
fetch_blocks(struct site *s, const struct plan_fetch *fetch)
{
    struct site sure = site_sure(s);
    LLVMValueRef at[LANES];
    unsigned count = LANES / fetch->runs.run;
    sure.runs = fetch->runs;
    for (unsigned g = 0; g < count; g++)
        at[g] = site_segment(&sure, g);
    if (fetch->slot != PLAN_NO_SLOT)
        core_fetch(s->c, s->i, fetch->slot, at, count, fetch->runs.run * s->bytes * s->vec);
}

/* -- loops with barriers -- */

/* How far the site's address is from where it was in the last turn of the loop with a barrier. That
 * is known from the first access after a barrier, an inner loop's first turn. */
static LLVMValueRef
turn_step(struct site *s, LLVMValueRef now, bool inner)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    uint32_t at = frame_room(c, 8);
    LLVMValueRef start = core_load_field(c, c->in.frame, at, i64),
                 step = LLVMBuildSub(b, now, start, "");
    if (inner) {
        LLVMValueRef kept = core_alloca_zero(c, i64);
        LLVMValueRef before = LLVMBuildLoad2(b, i64, kept, "");
        LLVMValueRef first = LLVMBuildIsNull(b, before, "");
        step = LLVMBuildSelect(b, first, step, before, "");
        now = LLVMBuildSelect(b, first, now, start, "");
        LLVMBuildStore(b, step, kept);
    }
    core_store_field(c, c->in.frame, at, now);
    return step;
}

/* Lane l's address if it follows its pattern: no vector of all lanes' is made for what is only
 * fetched. */
static LLVMValueRef
followed_lane(struct site *s, unsigned l)
{
    LLVMBuilderRef b = s->c->e.b;
    LLVMValueRef first = s->base ? s->base : s->guessed;
    if (!s->base && !s->holds)
        return core_frozen_lane(s->c, site_lanes(s), l);
    if (s->fact.segment < LANES)
        first = LLVMBuildExtractElement(b, first, core_i32(s->c, l / s->fact.segment), "");
    return LLVMBuildAdd(b, first, core_i64(s->c, (uint64_t)(int64_t)fact_offset(&s->fact, l)), "");
}

/* Tiles are loaded turn by turn, with barriers: what the next turn will load is fetched while the
 * block computes. Of both halves of the warp: rows of 16, or two lines of the cache. */
static void
fetch_iteration(struct site *s, bool inner)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef now = followed_lane(s, 0), half = followed_lane(s, LANES / 2);
    /* Warps that run together step on together: asked of the first of them. */
    bool follows = interleave_follows(c, c->memory.pace.reg) && c->memory.pace.insn == s->i;
    LLVMValueRef step = follows ? c->memory.pace.step : turn_step(s, now, inner);
    c->memory.pace.insn = s->i;
    c->memory.pace.reg = c->regs.reg;
    c->memory.pace.step = step;
    core_prefetch(c, LLVMBuildAdd(b, now, step, ""));
    core_prefetch(c, LLVMBuildAdd(b, half, step, ""));
}

void
site_fetch(struct site *s, const struct plan *p)
{
    switch (p->fetch.what) {
    case FETCH_NONE: break;
    case FETCH_ITERATION:
    case FETCH_INNER: fetch_iteration(s, p->fetch.what == FETCH_INNER); break;
    case FETCH_BLOCKS: fetch_blocks(s, &p->fetch); break;
    case FETCH_LOOP: fetch_loop(s, &p->fetch); break;
    }
}
