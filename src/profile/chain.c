/* SPDX-License-Identifier: Apache-2.0
 *
 * chain.c: how long one block would take with an SM to itself: what its warps wait for. The kernel
 * is cut into superblocks: blocks of its flow graph that follow each other, run equally often and
 * have no barrier between them. In a superblock an instruction waits for the results it uses and
 * for nothing else (ptxas moves loads up within such a superblock); the longest chain of such waits
 * is the time of one warp. The block's other warps run beside it and only queue for the busiest
 * resource:
 *
 *     superblock = times it runs * longest chain
 *                + (warps - 1) * one warp's work at its busiest resource
 *
 * Latencies are the model's (model_latencies.def), those of global loads by the simulated hit
 * rates. The instructions on the longest chains are what a warp waits for: their clocks are kept by
 * place.
 */
#include "profile/chain_priv.h"

#include "analysis/analysis.h"

#include <math.h>
#include <string.h>

/* -- what instructions did --------------------------------------------------------------------- */

static void
add_sheet(struct chain *c, const struct sheet *s)
{
    for (uint32_t p = 0; p < c->watch->places; p++) {
        const struct ptx_func *function;
        const struct ptx_insn *insn;
        const uint64_t *count = s->counts + (size_t)JIT_COUNTS * p;
        c->tally[p].warps += count[JIT_COUNT_WARPS];
        c->tally[p].lanes += count[JIT_COUNT_LANES];
        for (const struct site *site = s->site[p]; site; site = site->next) {
            struct sums sums = {0};
            verdict_fold(site, &sums);
            if (site->operation == OPERATION_ATOMIC &&
                jit_place(c->watch->launch.module, p, &function, &insn)) {
                mix_atomic(&sums, insn, site, false);
                c->tally[p].loops += sums.shared_loops;
            }
            const uint64_t *sum = sums.access[site->space][site->operation];
            if (site->space == SPACE_SHARED)
                c->tally[p].wavefronts += sum[METRIC_WAVEFRONTS];
            else if (site->space == SPACE_CONSTANT)
                c->tally[p].constants += sum[METRIC_WAVEFRONTS];
            else if (site->space == SPACE_GLOBAL || site->space == SPACE_LOCAL)
                c->tally[p].sectors += sum[METRIC_SECTORS], c->tally[p].lines += sum[METRIC_LINES];
        }
    }
}

static void
take_hit_rates(struct chain *c, const struct cache_counts *n)
{
    const struct latencies *l = c->latency;
    double l1 = n->l1_sectors ? (double)n->l1_hits / (double)n->l1_sectors : 0;
    uint64_t stores =
        n->l2_sectors - n->l2_loads; /* from 7.0 on they look L1 up, too; nobody waits for them */
    if (c->device->cc_major >= 7 && n->l1_sectors > stores && model_has(c->without, MODEL_MISSES)) {
        double loads = (double)(n->l1_sectors - stores);
        l1 = loads > (double)n->l2_loads ? 1 - (double)n->l2_loads / loads : 0;
    }
    double l2 = n->l2_loads ? 1 - (double)n->dram_bytes_read / 32 / (double)n->l2_loads : 0;
    double beyond = l->l2 ? l2 * l->l2 + (1 - l2) * l->memory : l->memory;
    c->rates.memory = l1 * l->l1 + (1 - l1) * beyond;
    double kept = n->l2_loads ? 1 - (double)(n->dram_bytes_read - n->dram_bytes_first) / 32 /
                                        (double)n->l2_loads
                              : 0;
    c->rates.warm = l->l2 ? kept * l->l2 + (1 - kept) * l->memory : l->memory;
    c->rates.l2_share = c->rates.miss = 1 - l1;
    if (n->line_loads && model_has(c->without, MODEL_PENDING))
        c->rates.miss = (double)n->line_waits / (double)n->line_loads;
    c->rates.beyond = beyond;
    c->rates.l2_miss = l->l2 ? 1 - l2 : 1;
    c->rates.warm_miss = l->l2 ? 1 - kept : 1;
}

/* -- superblocks ---------------------------------------------------------------------------------
 */

/* The place by which a block is counted; UINT32_MAX: it has no instruction. */
static uint32_t
counted_at(const struct chain *c, const struct wir_block *b)
{
    uint32_t at = b->count ? b->first : b->end_insn;
    return at == UINT32_MAX ? UINT32_MAX : c->wir->insns[at].place;
}

/* Each instruction on the longest chain, by what it is waited for. A load that another load comes
 * before on the way takes its address from there. */
static void
add_waits(struct chain *c)
{
    for (int32_t n = c->last; n >= 0; n = c->nodes.at[n].before) {
        const struct node *x = &c->nodes.at[n];
        c->waits[x->place][x->kind] += c->open.times * x->clocks;
        c->watch->kernel->chained.memory.sooner += c->open.times * x->sooner;
        c->sum.memory_waits += c->open.times * x->deep;
        for (int32_t b = x->load ? x->before : -1; b >= 0; b = c->nodes.at[b].before)
            if (c->nodes.at[b].load)
                c->loads[x->place] |= LOAD_INDIRECT;
    }
}

static bool
has_barrier(const struct chain *c, uint32_t loop)
{
    for (uint32_t n = 0; n < c->wir->block_count; n++)
        if (c->wir->blocks[n].loop == loop && c->wir->blocks[n].end == WIR_BARRIER)
            return true;
    return false;
}

/* Seconds of the busiest resource for the warps beside one: of a scheduler and its units, of which
 * there are several, for its own; the one's own work is in its chain. */
static double
clocks_of_others(const struct chain *c, const struct time_bound *bound)
{
    static const bool split[BOUND_COUNT] = {
        [BOUND_ISSUE] = true, [BOUND_FP32] = true, [BOUND_FP64] = true,
        [BOUND_INT] = true,   [BOUND_SFU] = true,  [BOUND_TENSOR] = true};
    /* An SM allots warps by scheduler, but for 1.x: pairs, and one scheduler. */
    double most = 0, parts = c->device->cc_major == 1 ? 1 : c->device->warp_allocation_granularity;
    if (!model_has(c->without, MODEL_SCHEDULERS))
        return bound->seconds * (c->warps - 1) / c->warps;
    for (int r = 0; r < BOUND_COUNT; r++) {
        double own = split[r] ? parts : 1, rest = c->warps > own ? 1 - own / c->warps : 0;
        most = fmax(most, bound->each[r] * rest);
    }
    return most;
}

/* How long ago a block's last store was sent, where one of its warps has sent one. */
static void
note_store(struct chain *c, double longest)
{
    if (c->store.stored >= 0 && c->open.times * c->warps > 0.5)
        c->store.since_store = longest - c->store.stored;
    else if (c->store.since_store >= 0)
        c->store.since_store += c->open.times * longest;
}

static void
close_superblock(struct chain *c)
{
    struct time_bound bound;
    const struct device_profile *d = c->device;
    if (!c->open.first)
        return;
    uint32_t loop = c->open.first->loop, head = counted_at(c, c->open.first);
    model_time_bound(d, &c->work, &bound);
    chain_ahead_wait(c);
    double per_block = d->clock_khz * 1e3 * d->sm_count / c->blocks,
           sm_clocks = bound.seconds * per_block;
    double longest = c->open.longest > c->open.issued ? c->open.longest : c->open.issued;
    if (loop != UINT32_MAX && model_has(c->without, MODEL_TURNS))
        longest += MODEL_TURN_CLOCKS;
    add_waits(c);
    note_store(c, longest);
    chain_ahead_close(c, longest);
    c->sum.warp_clocks += c->open.times * longest;
    c->sum.first_clocks += fmin(c->open.times, 1) * longest;
    double others = clocks_of_others(c, &bound) * per_block,
           turn = c->open.times > 1 ? c->open.times : 1;
    if (loop == UINT32_MAX || has_barrier(c, loop))
        turn = 1; /* warps meet there: one waits for the others each time */
    double often = (double)c->tally[head].warps / (c->blocks * c->warps);
    VEC_PUSH(&c->superblocks, (struct superblock){head, false, c->open.times * longest,
                                                  c->open.times * longest / often});
    double clocks = fmax(c->open.times * longest + others / turn, sm_clocks),
           instructions = c->open.times * (double)(c->nodes.count - c->open.rests);
    c->sum.block_clocks += clocks;
    c->instructions += instructions;
    if (loop == UINT32_MAX && c->open.times > 0.99 && c->open.times < 1.01) {
        c->sum.once_clocks += clocks;
        c->sum.once_share += instructions; /* over all of them, at the end */
    }
    c->open.first = NULL;
}

static void
open_superblock(struct chain *c, double times, const struct wir_block *b)
{
    close_superblock(c);
    c->open.first = b;
    c->open.times = times;
    c->open.longest = c->open.issued = 0;
    c->store.stored = -1;
    c->work = (struct work){.without = c->without};
    c->last = -1;
    c->nodes.count = c->stores.count = 0;
    memset(c->ready, 0, sizeof *c->ready * c->wir->reg_count);
    memset(c->writer, -1, sizeof *c->writer * c->wir->reg_count);
    chain_ahead_open(c, b, times);
}

/* -- instructions ------------------------------------------------------------------------------ */

static double
latency_of(const struct chain *c, const struct ptx_insn *i, const struct tally *t)
{
    enum { SPECIAL = 18 }; /* the special function unit, where arithmetic is faster than it */
    double n = c->latency->arithmetic;
    struct sums s = {0};
    if (t->loops && t->warps && model_has(c->without, MODEL_SHARED_LOOPS))
        return (double)t->loops / (double)t->warps * MODEL_LOOP_CLOCKS;
    if (t->wavefronts)
        return c->latency->shared;
    if (t->sectors || i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4)
        return c->load.beside;
    if (t->constants > t->warps && model_has(c->without, MODEL_CONSTANTS))
        n += ((double)t->constants / (double)t->warps - 1) * MODEL_CONSTANT_CLOCKS;
    const struct expansion *e = model_has(c->without, MODEL_EXPANSION) ? mix_expansion(i) : NULL;
    if (e)
        return e->clocks > n ? e->clocks : n;
    mix_add(&s, i, MIX_PTX, 1, 1, 0);
    return s.special_operations && n < SPECIAL ? SPECIAL : n;
}

static enum wait_for
kind_of(const struct ptx_insn *i, const struct tally *t)
{
    if (t->wavefronts)
        return WAIT_SHARED;
    return t->sectors || i->op == PTX_OP_TEX || i->op == PTX_OP_TLD4 ? WAIT_MEMORY
                                                                     : WAIT_ARITHMETIC;
}

/* Can a compiler tell that the load does not read what the store writes? Spaces, and distances from
 * one register. */
static bool
is_apart(const struct ptx_insn *load, const struct ptx_insn *store)
{
    const struct ptx_operand *a = ptx_address(load), *b = ptx_address(store);
    if (load->space != store->space && load->space != PTX_SPACE_NONE &&
        store->space != PTX_SPACE_NONE)
        return true;
    if (!a || !b || a->base_kind != b->base_kind || load->op != PTX_OP_LD)
        return false;
    int64_t size = ptx_type_bytes((enum ptx_type)load->type[0]) * load->vec,
            other = ptx_type_bytes((enum ptx_type)store->type[0]) * store->vec;
    bool away = a->offset + size <= b->offset || b->offset + other <= a->offset;
    if (a->base_kind == PTX_BASE_VAR)
        return a->var != b->var || away;
    return a->base_kind == PTX_BASE_REG && a->reg == b->reg && away;
}

/* No load goes before a store that may write what it reads. */
static void
wait_for_stores(struct chain *c, const struct wir_insn *i, double *start, int32_t *before)
{
    bool memory = i->i.space == PTX_SPACE_GLOBAL || i->i.space == PTX_SPACE_SHARED ||
                  i->i.space == PTX_SPACE_LOCAL || i->i.space == PTX_SPACE_NONE;
    if (i->i.op != PTX_OP_LD || !memory || ptx_has(&i->i, PTX_M_NC))
        return;
    for (size_t k = c->stores.count; k-- > 0;)
        if (c->stores.at[k].start > *start && !is_apart(&i->i, &c->stores.at[k].insn->i)) {
            *start = c->stores.at[k].start;
            *before = c->stores.at[k].before;
        }
}

/* A result by another name: the registers of the instruction that a pass has added have what its
 * operand has, when that has it. */
static void
rename_result(struct chain *c, uint32_t number)
{
    struct span uses = wir_uses(c->wir, number), defs = wir_defs(c->wir, number);
    for (uint32_t k = 0; k < defs.count && uses.count; k++) {
        c->ready[defs.at[k]] = c->ready[uses.at[0]];
        c->writer[defs.at[k]] = c->writer[uses.at[0]];
    }
}

static void
add_instruction(struct chain *c, uint32_t number)
{
    const struct wir_insn *i = &c->wir->insns[number];
    if (i->added) {
        rename_result(c, number);
        return;
    }
    struct span uses = wir_uses(c->wir, number), defs = wir_defs(c->wir, number);
    const struct tally *t = &c->tally[i->place];
    struct sums s = {0};
    uint32_t n = c->copies[i->place] * c->turns;
    bool expanded = model_has(c->without, MODEL_EXPANSION),
         folded = c->folded && c->folded[i->place] == MIX_FOLDED;
    mix_add(&s, &i->i,
            !expanded                          ? MIX_PTX
            : c->folded && c->folded[i->place] ? (enum mix_as)c->folded[i->place]
                                               : MIX_EXPANDED,
            t->warps / n, t->lanes / n, 0);
    c->work.warp_instructions += s.instructions;
    c->work.issue_slots += s.issue_slots;
    c->work.f64_operations += s.f64_operations;
    c->work.flops_f32 += s.flops_f32;
    c->work.flops_f64 += s.flops_f64;
    c->work.int_operations += s.integer_operations;
    c->work.alu_operations += s.alu_operations;
    c->work.special_operations += s.special_operations;
    c->work.shared_wavefronts += t->wavefronts / n;
    c->work.l1_sectors += t->sectors / n;
    c->work.l2_sectors += (uint64_t)(c->rates.l2_share * (double)t->sectors / n);
    double start = 0;
    int32_t before = -1;
    wait_for_stores(c, i, &start, &before);
    for (uint32_t k = 0; k < uses.count; k++) {
        if (c->writer[uses.at[k]] >= 0)
            c->nodes.at[c->writer[uses.at[k]]].read = true;
        if (c->ready[uses.at[k]] > start) {
            start = c->ready[uses.at[k]];
            before = c->writer[uses.at[k]];
        }
    }
    /* a load that is part of a wide one has its result with that one */
    double clocks = folded && expanded && i->i.op != PTX_OP_LD ? 0 : latency_of(c, &i->i, t);
    double finish = start + clocks;
    bool memory = kind_of(&i->i, t) == WAIT_MEMORY;
    VEC_PUSH(&c->nodes, (struct node){.place = i->place,
                                      .before = before,
                                      .clocks = clocks,
                                      .sooner = memory ? c->load.sooner : 0,
                                      .deep = memory ? c->load.deep : 0,
                                      .kind = kind_of(&i->i, t),
                                      .load = i->i.op == PTX_OP_LD && t->sectors,
                                      .insn = number,
                                      .finish = finish});
    for (uint32_t k = 0; k < defs.count; k++) {
        c->ready[defs.at[k]] = finish;
        c->writer[defs.at[k]] = (int32_t)c->nodes.count - 1;
    }
    bool result = i->i.op != PTX_OP_ST && i->i.op != PTX_OP_RED; /* nobody waits for stores */
    bool load = i->i.op == PTX_OP_LD && t->sectors;              /* waited for by who reads it */
    double end = result && !load ? finish : start;
    if (i->i.op == PTX_OP_ST && model_has(c->without, MODEL_ORDER))
        VEC_PUSH(&c->stores, (struct store){i, number, start, before});
    if (!result && t->sectors)
        c->store.stored = fmax(c->store.stored, start);
    if (end > c->open.longest) {
        c->open.longest = end;
        c->last = result && !load ? (int32_t)c->nodes.count - 1 : before;
    }
    c->open.issued += model_has(c->without, MODEL_EXPANSION)
                          ? (double)s.issue_slots / (double)(s.instructions ? s.instructions : 1)
                          : 1;
}

static double
times_of(const struct chain *c, const struct wir_block *b)
{
    uint32_t place = counted_at(c, b);
    if (place == UINT32_MAX)
        return 0;
    return (double)c->tally[place].warps / c->copies[place] / (c->blocks * c->warps);
}

/* How much later than one in the mean the farthest of so many lines beyond L1 comes; miss: the
 * share of them that L2 has not. */
static double
farther(const struct chain *c, double lines, double miss)
{
    double deep = lines * miss, later = 0;
    if (lines > 1)
        later = c->latency->spread * (lines / (lines + 1) - 0.5);
    if (deep > 1)
        later = fmax(later, c->latency->memory_spread * (deep / (deep + 1) - 0.5));
    return model_has(c->without, MODEL_FARTHEST) ? later : 0;
}

/* The latency of a load at `from`. Loads side by side wait together: where one in three misses L1,
 * three of them wait for it. (Their sectors lie in lines that the first of them is asking for.)
 * Turns of a loop that are one have theirs side by side. Loads behind a store that they must wait
 * for stand by themselves. */
static double
beside(struct chain *c, uint32_t from, uint32_t end)
{
    double loads = 0, lines = 0;
    const struct ptx_insn *store = NULL;
    for (uint32_t k = from; k < end; k++) {
        const struct ptx_insn *i = &c->wir->insns[k].i;
        const struct tally *t = &c->tally[c->wir->insns[k].place];
        bool load = i->op == PTX_OP_LD && t->sectors;
        if (load && store && !is_apart(i, store))
            break;
        loads += load;
        lines += load ? (double)t->lines / (double)t->warps : 0;
        if (i->op == PTX_OP_ST && k > from && model_has(c->without, MODEL_ORDER))
            store = i;
    }
    double turns = store ? 1 : c->turns, miss = fmin(c->rates.miss * fmax(loads, 1) * turns, 1);
    bool side = loads > 0 && model_has(c->without, MODEL_MISSES);
    double asked = c->rates.miss * lines * turns, later = farther(c, asked, c->rates.l2_miss),
           share = side ? miss : c->rates.l2_share, hit = c->latency->l1;
    c->load.deep = share * c->rates.l2_miss;
    c->load.sooner = share * (c->rates.beyond - c->rates.warm);
    if (side)
        c->load.sooner += miss * (later - farther(c, asked, c->rates.warm_miss));
    return side ? hit + miss * (c->rates.beyond + later - hit) : c->rates.memory;
}

/* A side path that few warps take belongs to no superblock but its own. */
static void
add_block(struct chain *c, uint32_t n)
{
    const struct wir_block *b = &c->wir->blocks[n];
    double times = times_of(c, b);
    c->turns = c->unrolled && c->unrolled[n] && times >= 2 * TURNS_TOGETHER ? c->unrolled[n] : 1;
    times /= c->turns;
    bool head = b->loop != UINT32_MAX && c->wir->loops[b->loop].head == n;
    if (times <= 0)
        return;
    bool same = c->open.first && !head && b->loop == c->open.first->loop &&
                times > c->open.times / 1.5 && times < c->open.times * 1.5;
    if (!same)
        open_superblock(c, times, b);
    uint32_t end = wir_block_end(c->wir, n);
    c->load.beside = beside(c, b->first, end);
    for (uint32_t turn = 0; turn < c->turns; turn++)
        for (uint32_t k = b->first; k < end; k++) {
            if (c->wir->insns[k].i.op == PTX_OP_ST && model_has(c->without, MODEL_PENDING))
                c->load.beside = beside(c, k, end);
            add_instruction(c, k);
        }
    if (b->end == WIR_BARRIER) {
        close_superblock(c);
        c->superblocks.at[c->superblocks.count - 1].meets = true;
        c->sum.meets = c->sum.meets || times > 0.5;
        if (model_has(c->without, MODEL_BARRIERS)) {
            c->sum.warp_clocks += times * model_barrier_clocks((uint32_t)c->warps);
            c->sum.block_clocks += times * model_barrier_clocks((uint32_t)c->warps);
        }
    }
}

static bool
any_function(const char *name)
{
    (void)name;
    return true;
}

/* What loops did while they waited is taken out. */
static void
leave_polls(struct chain *c, struct arena *a)
{
    uint64_t *warps = ARENA_ARRAY(a, uint64_t, c->wir->block_count + 1), all = 0, left = 0;
    double *share = ARENA_ARRAY(a, double, c->watch->places + 1);
    struct joined *joined = &c->watch->kernel->joined;
    for (uint32_t n = 0; n < c->wir->block_count; n++) {
        uint32_t place = counted_at(c, &c->wir->blocks[n]);
        warps[n] = place == UINT32_MAX ? 0 : c->tally[place].warps / c->copies[place];
    }
    for (uint32_t p = 0; p < c->watch->places; p++)
        share[p] = 1;
    if (model_has(c->without, MODEL_POLLS) && polls_find(c->wir, warps, share))
        c->left = ARENA_ARRAY(a, uint8_t, c->watch->places + 1);
    for (uint32_t p = 0; p < c->watch->places; p++) {
        struct tally *t = &c->tally[p];
        uint64_t *count[] = {&t->warps, &t->lanes, &t->wavefronts, &t->sectors, &t->lines};
        all += t->wavefronts;
        joined->polls += (uint64_t)((1 - share[p]) * (double)t->sectors);
        for (size_t k = 0; share[p] < 1 && k < sizeof count / sizeof *count; k++)
            *count[k] = (uint64_t)(share[p] * (double)*count[k] + 0.5);
        left += t->wavefronts;
        if (share[p] < 1)
            c->left[p] = 1;
    }
    joined->wide = all ? (double)left / (double)all : 1;
}

static void
begin(struct chain *c, struct arena *a)
{
    const struct watch *w = c->watch;
    struct kernel *k = w->kernel;
    c->blocks = sampling_blocks(w);
    c->warps = c->sum.warps_per_block =
        (k->size.block[0] * k->size.block[1] * k->size.block[2] + 31) / 32;
    c->tally = ARENA_ARRAY(a, struct tally, w->places);
    c->copies = ARENA_ARRAY(a, uint32_t, w->places);
    c->ready = ARENA_ARRAY(a, double, c->wir->reg_count + 1);
    c->writer = ARENA_ARRAY(a, int32_t, c->wir->reg_count + 1);
    c->waits = (void *)ARENA_ARRAY(&k->arena, double, (size_t)w->places *WAITS);
    c->loads = ARENA_ARRAY(&k->arena, uint8_t, w->places);
    for (uint32_t i = 0; i < c->wir->insn_count; i++)
        c->copies[c->wir->insns[i].place] += !c->wir->insns[i].added;
    for (const struct sheet *s = w->sheets; s; s = s->next)
        add_sheet(c, s);
    leave_polls(c, a);
}

/* Wavefronts of shared memory as they are where loads side by side are wide ones. */
static void
join_loads(struct chain *c, struct kernel *k, struct arena *a)
{
    uint64_t all = 0, left = 0;
    struct wide_place *place = ARENA_ARRAY(a, struct wide_place, c->watch->places + 1);
    for (uint32_t p = 0; p < c->watch->places; p++) {
        all += c->tally[p].wavefronts;
        place[p] = (struct wide_place){c->tally[p].warps, c->tally[p].wavefronts, c->copies[p]};
    }
    if (all && c->device->cc_major >= 5 && model_has(c->without, MODEL_WIDE))
        wide_loads(c->wir, c->device, k->size.block, place, c->folded);
    for (uint32_t p = 0; p < c->watch->places; p++)
        left += c->tally[p].wavefronts = place[p].wavefronts;
    k->joined.wide *= all ? (double)left / (double)all : 1;
}

void
chain_waiting(const struct watch *w)
{
    struct arena a = {0};
    struct kernel *k = w->kernel;
    struct chain c = {.watch = w,
                      .turns = 1,
                      .device = w->profile->device,
                      .last = -1,
                      .store.since_store = -1,
                      .without = k->without,
                      .latency = model_latencies(w->profile->device, k->without)};
    c.wir = wir_new(w->launch.module, w->launch.kernel, any_function, NULL);
    if (!c.wir)
        return;
    begin(&c, &a);
    take_hit_rates(&c, &k->caches);
    if (model_has(c.without, MODEL_FOLD))
        c.folded = k->folded = fold_places(c.wir, w->places, c.without, &c.unrolled, &k->arena);
    if (c.left && !k->folded)
        c.folded = k->folded = ARENA_ARRAY(&k->arena, uint8_t, w->places + 1);
    for (uint32_t p = 0; c.left && p < w->places; p++)
        if (c.left[p])
            k->folded[p] = MIX_FOLDED;
    join_loads(&c, k, &a);
    for (uint32_t p = 0; p < w->places; p++)
        c.sum.pipe_wavefronts += (double)(c.tally[p].wavefronts + c.tally[p].lines);
    c.sum.pipe_wavefronts *= (double)k->size.grid[0] * k->size.grid[1] * k->size.grid[2] / c.blocks;
    for (uint32_t n = 0; n < c.wir->block_count; n++)
        add_block(&c, n);
    close_superblock(&c);
    if (c.store.since_store >= 0)
        c.sum.drain_clocks = fmax(MODEL_DRAIN_CLOCKS - c.store.since_store, 0);
    c.sum.once_share /= c.instructions > 0 ? c.instructions : 1;
    c.sum.slowest = slowest_share(w->slowest, c.superblocks.at, c.superblocks.count);
    for (size_t n = 0; n < c.superblocks.count; n++)
        c.sum.block_clocks += c.superblocks.at[n].mean * (c.sum.slowest - 1);
    chain_chases(&c, &a);
    k->atomics.as = ARENA_ARRAY(&k->arena, uint8_t, w->places);
    atomics_places(c.wir, k->atomics.as);
    chain_merged(&c, k);
    k->chained.waiting = c.sum;
    for (uint32_t p = 0; p < w->places; p++)
        k->chained.memory.clocks += c.waits[p][WAIT_MEMORY];
    k->chained.memory.kept = c.rates.l2_miss > 0 ? 1 - c.rates.warm_miss / c.rates.l2_miss : 0;
    k->chained.waits = c.waits;
    k->chained.loads = c.loads;
    VEC_FREE(&c.nodes);
    VEC_FREE(&c.stores);
    VEC_FREE(&c.ahead);
    VEC_FREE(&c.superblocks);
    wir_free(c.wir);
    arena_free(&a);
}
