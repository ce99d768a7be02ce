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
    if (!emit_on(&c->e, PASS_PREFETCH_LOOPS) || !c->phases || c->flow->blocks[c->current].loop == UINT32_MAX)
        return;
    emit_fired(&c->e, PASS_PREFETCH_LOOPS, "the rows of the next warp");
    /* Kept from block to block, in the frame of the first warp. */
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef frame = core_load_field(c, c->phases->first, FIELD(jit_warp, frame), ptr);
    uint32_t last = frame_room(c, 8), start = frame_room(c, 8);
    LLVMBasicBlockRef begins = core_new_block(c, "rows"), fetch = core_new_block(c, "fetch"),
                      on = core_new_block(c, "rows_on");
    LLVMValueRef now = LLVMBuildExtractElement(b, site_lanes(s), core_i32(c, 0), "");
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
        core_prefetch(c, LLVMBuildExtractElement(b, ahead, core_i32(c, l), ""));
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
}

/* -- loops -- */

/* A loop whose turns the block's shape decides - it fills a tile, say - and that is in no other. */
static bool
is_short_loop(const struct core *c, const struct flow_loop *loop)
{
    const struct flow *f = c->flow;
    bool shaped = c->phases && loop->parent == UINT32_MAX && !c->events;
    for (uint32_t b = loop->head; shaped && b <= loop->last; b++) {
        bool leaves = false;
        for (uint32_t k = 0; k < f->blocks[b].succ_count; k++)
            leaves |= f->blocks[b].succ[k] < loop->head || f->blocks[b].succ[k] > loop->last;
        shaped = !leaves || (f->blocks[b].end == FLOW_BRANCH && c->phases->known->shaped[f->blocks[b].guard]);
    }
    return shaped;
}

/* In a loop's first turn: as far as the next blocks' first turns are (memory/fetch.c); 0 where blocks are not run
 * one after the other, and for loops in loops. */
static LLVMValueRef
first_turn(struct site *s, LLVMValueRef now)
{
    struct core *c = s->c;
    const struct flow_loop *loop = &c->flow->loops[c->flow->blocks[c->current].loop];
    return emit_on(&c->e, PASS_PREFETCH_BLOCKS) && c->phases && loop->parent == UINT32_MAX ? core_fetch_first(c, now)
                                                                                          : core_i64(c, 0);
}

/* How far ahead is fetched: TURNS times what the site has gone on since the loop's last turn. Warps that run
 * together (versions/jam.c) go on together: asked of the first of them (9 instructions each in a loop with two
 * additions). */
static LLVMValueRef
pace_of(struct site *s, LLVMValueRef now)
{
    enum { TURNS = 8 };
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    if (jam_follows(c, c->pace.reg) && c->pace.insn == s->i)
        return c->pace.step;
    LLVMValueRef last = core_alloca_zero(c, i64), before = LLVMBuildLoad2(b, i64, last, "");
    LLVMBasicBlockRef first = core_new_block(c, "first_turn"), later = core_new_block(c, "later_turn"),
                      on = core_new_block(c, "turn");
    LLVMBuildStore(b, now, last);
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, before, ""), first, later);
    LLVMPositionBuilderAtEnd(b, first);
    LLVMValueRef step[2] = {first_turn(s, now), NULL}, kept = core_alloca_zero(c, i64);
    LLVMBuildStore(b, step[0], kept);
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, later);
    LLVMValueRef moved = LLVMBuildSub(b, now, before, "");
    step[1] = LLVMBuildMul(b, moved, core_i64(c, TURNS), "");
    /* A tile's next row, beyond where the next block begins: turns to come are mostly the next blocks'. */
    if (is_short_loop(c, &c->flow->loops[c->flow->blocks[c->current].loop])) {
        LLVMValueRef blocks = LLVMBuildLoad2(b, i64, kept, "");
        step[1] = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, moved, blocks, ""), blocks, step[1], "");
    }
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
    c->pace.insn = s->i;
    c->pace.reg = c->reg;
    c->pace.step = LLVMBuildPhi(b, i64, "");
    LLVMAddIncoming(c->pace.step, step, (LLVMBasicBlockRef[]){first, later}, 2);
    return c->pace.step;
}

/* In a loop the next addresses are likely as far apart as the last two were. The host's prefetchers
 * see no stride above half a page, and in a grid-stride loop each is larger: without help, a warp
 * waits for memory at every turn (histogram of 64 MiB: 71 % of the time). */
void
site_fetch_ahead(struct site *s)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    bool lanes_follow = s->base || (s->fact.guess && s->fact.segment >= 8);
    if (!emit_on(&c->e, PASS_PREFETCH_LOOPS) || !lanes_follow || c->called || c->flow->blocks[c->current].loop == UINT32_MAX ||
        (s->i->i.space != PTX_SPACE_GLOBAL && s->i->i.space != PTX_SPACE_NONE))
        return;
    emit_fired(&c->e, PASS_PREFETCH_LOOPS, "iterations to come");
    LLVMValueRef now = s->base;
    if (!now && s->holds && s->fact.segment == LANES)
        now = s->guessed;
    else if (!now)
        now = LLVMBuildExtractElement(b, site_lanes(s), core_i32(c, 0), "");
    LLVMValueRef at = LLVMBuildAdd(b, now, pace_of(s, now), "");
    core_prefetch(c, at);
    struct site whole = *s;
    if (s->fact.segment == LANES && site_runs(&whole) && whole.runs.run == LANES &&
        !whole.runs.broadcast[0] && s->bytes * s->vec * LANES == 2 * LINE) /* a warp's second line */
        core_prefetch(c, LLVMBuildAdd(b, at, core_i64(c, LINE), ""));
}

/* Fetches for blocks to come, where the lanes are known to read whole runs. */
bool
site_fetch_blocks(struct site *s)
{
    struct core *c = s->c;
    LLVMValueRef at[LANES];
    if (s->mask || fact_uniform(&s->fact) || !core_fetches(c, s->i) || s->fact.segment < 8 ||
        !site_runs(s))
        return false;
    struct site sure = site_sure(s);
    for (unsigned g = 0; g < LANES / s->runs.run; g++)
        at[g] = site_segment(&sure, g);
    core_fetch(c, s->i, at, LANES / s->runs.run, s->runs.run * s->bytes * s->vec);
    return true;
}

/* -- loops with barriers -- */

/* The innermost loop around the current block that has a barrier in it; UINT32_MAX: none. */
static uint32_t
barrier_loop(const struct core *c)
{
    const struct flow *f = c->flow;
    for (uint32_t l = f->blocks[c->current].loop; l != UINT32_MAX; l = f->loops[l].parent)
        for (uint32_t b = f->loops[l].head; b <= f->loops[l].last; b++)
            if (f->blocks[b].end == FLOW_BARRIER)
                return l;
    return UINT32_MAX;
}

/* How far the site's address is from where it was in the last turn of the loop with a barrier. That
 * is known from the first access after a barrier, an inner loop's first turn. */
static LLVMValueRef
turn_step(struct site *s, LLVMValueRef now, bool inner)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    uint32_t at = frame_room(c, 8);
    LLVMValueRef start = core_load_field(c, c->frame, at, i64),
                 step = LLVMBuildSub(b, now, start, "");
    if (inner) {
        LLVMValueRef kept = core_alloca_zero(c, i64);
        LLVMValueRef before = LLVMBuildLoad2(b, i64, kept, "");
        LLVMValueRef first = LLVMBuildIsNull(b, before, "");
        step = LLVMBuildSelect(b, first, step, before, "");
        now = LLVMBuildSelect(b, first, now, start, "");
        LLVMBuildStore(b, step, kept);
    }
    core_store_field(c, c->frame, at, now);
    return step;
}

/* Tiles are loaded turn by turn, with barriers: what the next turn will load is fetched while the
 * block computes. Of both halves of the warp: rows of 16, or two lines of the cache. */
bool
site_fetch_turn(struct site *s)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    uint32_t loop = barrier_loop(c);
    bool inner = loop != c->flow->blocks[c->current].loop;
    if (!emit_on(&c->e, PASS_PREFETCH_LOOPS) || c->called || c->events || c->facts->shape.apart || loop == UINT32_MAX ||
        (inner && c->phases) ||
        (s->i->i.space != PTX_SPACE_GLOBAL && s->i->i.space != PTX_SPACE_NONE) ||
        fact_uniform(&s->fact))
        return false;
    emit_fired(&c->e, PASS_PREFETCH_LOOPS, "the next iteration of a loop with barriers");
    LLVMValueRef now = s->base, half = s->base;
    if (now) {
        half = LLVMBuildAdd(b, now, core_i64(c, (uint64_t)(int64_t)fact_offset(&s->fact, LANES / 2)), "");
    } else {
        now = LLVMBuildExtractElement(b, site_lanes(s), core_i32(c, 0), "");
        half = LLVMBuildExtractElement(b, site_lanes(s), core_i32(c, LANES / 2), "");
    }
    LLVMValueRef step = turn_step(s, now, inner);
    core_prefetch(c, LLVMBuildAdd(b, now, step, ""));
    core_prefetch(c, LLVMBuildAdd(b, half, step, ""));
    return true;
}
