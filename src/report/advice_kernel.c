/* SPDX-License-Identifier: Apache-2.0
 *
 * advice_kernel.c: the rules of advice.def that look at a kernel as a whole: its grid, its block,
 * its occupancy, what caches and device memory see of it.
 */
#include "report/report_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double
product(const json_t *list)
{
    double n = 1;
    for (size_t k = 0; k < 3; k++)
        n *= json_number_value(json_array_get(list, k));
    return n;
}

static double
blocks_of(const struct subject *s)
{
    return product(json_object_get(s->kernel, "grid"));
}

static double
threads_of(const struct subject *s)
{
    return product(json_object_get(s->kernel, "block"));
}

static double
residency(const struct subject *s, const char *key)
{
    return report_number(s->kernel, "occupancy", key, NULL);
}

/* A remedy of which only this launch is known: it saves that share of the time. */
static struct remedy
shorter(const struct subject *s, double to)
{
    struct remedy r = advice_remedy(s);
    struct report_model *m = &r.now;
    uint64_t *amounts[] = {
        &m->work.warp_instructions,  &m->work.issue_slots,      &m->work.flops_f32,
        &m->work.flops_f64,          &m->work.int_operations,   &m->work.alu_operations,
        &m->work.special_operations, &m->work.tensor_flops,     &m->work.shared_wavefronts,
        &m->work.constant_words,     &m->work.l1_sectors,       &m->work.l2_sectors,
        &m->work.l2_load_requests,   &m->work.l2_store_requests};
    for (size_t k = 0; k < sizeof amounts / sizeof *amounts; k++)
        *amounts[k] = (uint64_t)((double)*amounts[k] * to);
    m->waiting.pipe_wavefronts *= to;
    m->waiting.warp_clocks *= to;
    m->waiting.block_clocks *= to;
    return r;
}

/* -- grid and block ---------------------------------------------------------------------------- */

void
rule_camping(struct subject *s)
{
    double factor = report_number(s->kernel, "roofline", "partition_camping", NULL), n;
    struct remedy r = advice_remedy(s);
    if (factor < 1.5)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        m->work.dram_bytes = (uint64_t)((double)m->work.dram_bytes / factor);
    }
    advice_say(
        s, &r,
        "partition camping: the busiest of %u memory partitions serves %.3g times its share: "
        "blocks that run together ask for addresses that agree modulo %u bytes",
        s->d->memory_partitions, factor, s->d->memory_partitions * s->d->partition_bytes);
}

void
rule_grid(struct subject *s)
{
    double blocks = blocks_of(s), sms = s->d->sm_count, warps = s->model.waiting.warps_per_block;
    struct remedy r = advice_remedy(s);
    if (blocks >= sms)
        return;
    double spread = fmin(sms, blocks * fmax(warps, 1)), share = blocks / spread;
    struct waiting *w = &r.now.waiting;
    r.now.work.blocks = (uint64_t)spread;
    w->warps_per_block = (uint32_t)ceil(warps * share);
    w->block_clocks = w->warp_clocks + (w->block_clocks - w->warp_clocks) * share;
    if (warps > 1)
        advice_say(s, &r,
                   "%.0f block%s of %.0f threads leave%s %.0f of %.0f SMs without work: smaller "
                   "blocks use more",
                   blocks, blocks == 1 ? "" : "s", threads_of(s), blocks == 1 ? "s" : "",
                   sms - blocks, sms);
    else
        advice_say(
            s, &r,
            "%.0f blocks leave %.0f of %.0f SMs without work: the problem is small for this GPU",
            blocks, sms - blocks, sms);
}

void
rule_tail(struct subject *s)
{
    double blocks = blocks_of(s), sms = s->d->sm_count, per = residency(s, "blocks_per_sm");
    double even = blocks / sms, rounds = ceil(even);
    struct remedy r = shorter(s, even / rounds);
    if (blocks <= sms || per <= 0 || even / rounds > 0.9)
        return;
    double waves = blocks / (per * sms), last = blocks - floor(even) * sms;
    advice_say(s, &r,
               "%.3g wave%s of blocks: some SMs get %.0f blocks, the others %.0f, so that %.0f of "
               "%.0f SMs have "
               "nothing to do at the end: a number of blocks that %.0f divides, or smaller ones",
               waves, fabs(waves - 1) < 0.005 ? "" : "s", rounds, rounds - 1, sms - last, sms, sms);
}

void
rule_launch(struct subject *s)
{
    const struct report_times *t = &s->times;
    double own = report_own_seconds(t);
    if (s->launches < 4 || t->launch < 0.5 * t->estimate)
        return;
    advice_say(s, NULL,
               "a launch costs %s, its work %s, %.0f times: several steps in one kernel, or a CUDA "
               "graph, save "
               "up to %.0f %%",
               report_seconds(s->arena, t->launch), report_seconds(s->arena, own), s->launches,
               100 * t->launch / t->estimate);
    s->out->list.at[s->out->list.count - 1].gain = t->launch / t->estimate;
    s->out->list.at[s->out->list.count - 1].gain_full = 0;
}

void
rule_starts(struct subject *s)
{
    enum { MORE = 4 };
    double n;
    struct remedy r = advice_remedy(s);
    if (!report_starts_bind(&s->times) || s->times.starts < 0.2 * s->times.estimate)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        m->work.blocks = (m->work.blocks + MORE - 1) / MORE;
        m->waiting.warp_clocks *= MORE;
        m->waiting.block_clocks *= MORE;
    }
    advice_say(s, &r,
               "starting %.0f blocks takes %s, their work %s: let each thread do %d elements (a "
               "loop over the grid)",
               blocks_of(s), report_seconds(s->arena, s->times.starts),
               report_seconds(s->arena, s->times.work), MORE);
}

void
rule_lanes(struct subject *s)
{
    double threads = threads_of(s), lanes = fmod(threads, 32), n;
    double warps = ceil(threads / 32), full = threads / 32 / warps;
    struct remedy r = advice_remedy(s);
    if (lanes == 0 || threads >= 512)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        m->work.warp_instructions = (uint64_t)((double)m->work.warp_instructions * full);
        m->work.issue_slots = (uint64_t)((double)m->work.issue_slots * full);
        m->work.shared_wavefronts = (uint64_t)((double)m->work.shared_wavefronts * full);
        m->waiting.pipe_wavefronts *= full;
    }
    advice_say(s, &r, "%.0f threads a block: %.0f of 32 lanes of its last warp are empty", threads,
               32 - lanes);
}

/* -- occupancy --------------------------------------------------------------------------------- */

/* So many blocks on each SM instead. */
static struct remedy
more_blocks(const struct subject *s, double per_sm)
{
    struct remedy r = advice_remedy(s);
    r.now.work.blocks_per_sm = r.full.work.blocks_per_sm = (uint32_t)per_sm;
    return r;
}

/* Does that limit keep it at half of the warps, and are there blocks for more? */
static bool
is_limited(const struct subject *s, const char *by)
{
    const json_t *o = json_object_get(s->kernel, "occupancy");
    double share = report_number(o, "occupancy", NULL);
    return share > 0 && share <= 0.5 && strcmp(report_text(o, "limited_by"), by) == 0 &&
           blocks_of(s) > residency(s, "blocks_per_sm") * s->d->sm_count;
}

/* Blocks that the other limits allow. */
static double
others_allow(const struct subject *s, const char *but)
{
    static const char *const limits[] = {"blocks", "warps", "registers", "shared"};
    const json_t *o = json_object_get(json_object_get(s->kernel, "occupancy"), "limits");
    double least = INFINITY;
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (strcmp(limits[k], but) != 0)
            least = fmin(least, report_number(o, limits[k], NULL));
    return least;
}

static struct occupancy_query
query_of(const struct subject *s)
{
    return (struct occupancy_query){.threads_per_block = (uint32_t)threads_of(s),
                                    .registers_per_thread =
                                        (uint32_t)residency(s, "registers_per_thread"),
                                    .dynamic_shared = (uint32_t)residency(s, "shared_bytes")};
}

void
rule_registers(struct subject *s)
{
    struct occupancy_query q = query_of(s);
    struct occupancy o;
    uint32_t now = q.registers_per_thread, per = (uint32_t)residency(s, "blocks_per_sm");
    if (!is_limited(s, "registers"))
        return;
    do
        model_occupancy(s->d, &q, &o);
    while (o.blocks_per_sm <= per && --q.registers_per_thread > 16);
    struct remedy r = more_blocks(s, others_allow(s, "registers"));
    advice_say(s, &r,
               "%u registers a thread allow %.0f of %u warps per SM; %u would allow %u: fewer "
               "variables live at "
               "once, or __launch_bounds__(%.0f, %u)",
               now, residency(s, "warps_per_sm"), s->d->max_warps_per_sm, q.registers_per_thread,
               o.warps_per_sm, threads_of(s), o.blocks_per_sm);
}

void
rule_shared(struct subject *s)
{
    struct occupancy_query q = query_of(s);
    struct occupancy o;
    uint32_t now = q.dynamic_shared, per = (uint32_t)residency(s, "blocks_per_sm");
    if (!is_limited(s, "shared"))
        return;
    for (model_occupancy(s->d, &q, &o); o.blocks_per_sm <= per && q.dynamic_shared > 128;
         q.dynamic_shared -= 128)
        model_occupancy(s->d, &q, &o);
    struct remedy r = more_blocks(s, others_allow(s, "shared"));
    advice_say(s, &r,
               "%u bytes of shared memory a block allow %.0f of %u warps per SM; %u would allow %u",
               now, residency(s, "warps_per_sm"), s->d->max_warps_per_sm, q.dynamic_shared,
               o.warps_per_sm);
}

void
rule_blocks(struct subject *s)
{
    if (!is_limited(s, "blocks"))
        return;
    struct remedy r = advice_remedy(s);
    double by = floor(residency(s, "occupancy") > 0 ? 1 / residency(s, "occupancy") : 1), n;
    for (int k = 0; k < 2; k++) { /* larger blocks: as many fewer of them */
        struct report_model *m = advice_each(&r, s, k, &n);
        m->waiting.warps_per_block = (uint32_t)(m->waiting.warps_per_block * by);
        m->work.blocks = (uint64_t)((double)m->work.blocks / by);
    }
    advice_say(s, &r,
               "blocks this small fill %.0f of %u warps per SM: %u blocks are the most; blocks of "
               "%.0f threads "
               "fill it",
               residency(s, "warps_per_sm"), s->d->max_warps_per_sm, s->d->max_blocks_per_sm,
               threads_of(s) * by);
}

void
rule_threads(struct subject *s)
{
    const json_t *o = json_object_get(s->kernel, "occupancy");
    double share = residency(s, "occupancy"), threads = threads_of(s), n;
    struct occupancy_query q = query_of(s);
    struct occupancy best;
    if (strcmp(report_text(o, "limited_by"), "warps") != 0 || share > 0.75 ||
        blocks_of(s) <= residency(s, "blocks_per_sm") * s->d->sm_count)
        return;
    for (q.threads_per_block &= ~31u; q.threads_per_block > 64; q.threads_per_block -= 32) {
        model_occupancy(s->d, &q, &best);
        if (best.occupancy > share + 0.1)
            break;
    }
    struct remedy r = advice_remedy(s);
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        double smaller = threads / q.threads_per_block;
        m->work.blocks = (uint64_t)((double)m->work.blocks * smaller);
        m->work.blocks_per_sm = best.blocks_per_sm;
        m->waiting.warps_per_block = (uint32_t)(m->waiting.warps_per_block / smaller);
        m->waiting.block_clocks /= smaller;
    }
    advice_say(s, &r, "blocks of %.0f threads fill %.0f of %u warps per SM; blocks of %u fill %u",
               threads, residency(s, "warps_per_sm"), s->d->max_warps_per_sm, q.threads_per_block,
               best.warps_per_sm);
}

void
rule_spills(struct subject *s)
{
    double wanted = residency(s, "registers_wanted"), has = residency(s, "registers_per_thread"), n;
    struct report_times with;
    if (wanted <= has || has <= 0)
        return;
    struct report_model m = s->model;
    double sectors =
        2 * (wanted - has) * 4 * threads_of(s) * blocks_of(s) / 32; /* each once out and in */
    m.work.l1_sectors += (uint64_t)sectors;
    m.work.l2_sectors += (uint64_t)sectors;
    m.waiting.pipe_wavefronts += sectors / 4;
    report_times_of(s->d, &m, &with);
    n = 1 - s->times.estimate / with.estimate;
    advice_say(s, NULL,
               "a thread needs some %.0f registers and may have %.0f: the others are kept in local "
               "memory. Fewer "
               "threads a block, weaker __launch_bounds__, or fewer variables live at once",
               wanted, has);
    s->out->list.at[s->out->list.count - 1].gain =
        s->out->list.at[s->out->list.count - 1].gain_full = n;
}

/* -- waiting ----------------------------------------------------------------------------------- */

static bool
waits(const struct report_times *t)
{
    return t->work > 1.3 * t->bound.seconds && !report_starts_bind(t);
}

/* Clocks that a warp waits for results of that kind. */
static double
waits_for(const struct subject *s, const char *kind)
{
    double sum = 0;
    size_t k;
    json_t *line;
    json_array_foreach (json_object_get(s->kernel, "lines"), k, line)
        sum += report_number(line, "waits", kind, NULL);
    return sum;
}

void
rule_latency(struct subject *s)
{
    double memory = waits_for(s, "memory"), all = s->model.waiting.warp_clocks, n;
    struct remedy r = advice_remedy(s);
    if (!(waits(&s->times) || waits(&s->full_times)) || memory < 0.4 * all)
        return;
    for (int k = 0; k < 2; k++) { /* two loads under way at a time */
        struct report_model *m = advice_each(&r, s, k, &n);
        m->waiting.warp_clocks -= memory / 2;
        m->waiting.block_clocks -= memory / 2;
    }
    double warps = fmin(residency(s, "blocks_per_sm"), ceil(blocks_of(s) / s->d->sm_count)) *
                   s->model.waiting.warps_per_block;
    advice_say(s, &r,
               "a warp waits %.0f of %.0f clocks for memory, and %.0f warp%s per SM %s too few to "
               "fill them: start more "
               "loads before the first is used (two elements a thread, an unrolled loop)",
               memory, all, warps, warps == 1 ? "" : "s", warps == 1 ? "is" : "are");
}

void
rule_barriers(struct subject *s)
{
    double n;
    struct remedy r = advice_remedy(s);
    if (!waits(&s->full_times) || !s->full_times.states.rounds ||
        report_number(s->kernel, "counters", "barriers", NULL) <= 0)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        m->work.blocks_per_sm = 2 * (m->work.blocks_per_sm ? m->work.blocks_per_sm : 1);
    }
    advice_say(s, &r,
               "between barriers all warps of a block wait for the same, and %.0f block%s on an SM "
               "do%s not fill the time: "
               "smaller blocks, so that others work meanwhile, or load the next tile before this "
               "one is used",
               residency(s, "blocks_per_sm"), residency(s, "blocks_per_sm") == 1 ? "" : "s",
               residency(s, "blocks_per_sm") == 1 ? "es" : "");
}

/* -- caches and memory ------------------------------------------------------------------------- */

/* Bytes asked for (sectors, as if neighbours lay side by side) against bytes that came from memory.
 */
void
rule_reuse(struct subject *s)
{
    double moved = 32 * advice_counter(s, "global_load_sectors_ideal"),
           read = advice_counter(s, "bytes_dram_read");
    double shared = advice_counter(s, "shared_load_requests"), n;
    struct remedy r = advice_remedy(s);
    if (read <= 0 || moved < 8 * read || shared > 0)
        return;
    for (int k = 0; k < 2; k++) { /* a tile of 16: a sixteenth as much */
        struct report_model *m = advice_each(&r, s, k, &n);
        double loads = moved / 32 / s->launches * n * 15 / 16, lines = loads / 4;
        double l2 =
            m->work.l1_sectors ? (double)m->work.l2_sectors / (double)m->work.l1_sectors : 1;
        advice_less(&m->work.l1_sectors, loads);
        advice_less_l2(&m->work, loads * fmin(l2, 1));
        m->waiting.pipe_wavefronts = fmax(0, m->waiting.pipe_wavefronts - lines);
    }
    advice_say(
        s, &r,
        "every byte from device memory is loaded %.3g times (the caches serve the rest): a tile in "
        "shared memory would be loaded once per block",
        moved / read);
}

void
rule_order(struct subject *s)
{
    double read = advice_per_launch(s, "bytes_dram_read"),
           first = advice_per_launch(s, "bytes_dram_first"), n;
    struct remedy r = advice_remedy(s);
    if (first <= 0 || read < 1.5 * first ||
        s->full_times.bound.each[BOUND_DRAM] < 0.2 * s->full_times.work)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        advice_less(&m->work.dram_bytes, n * (read - first));
    }
    advice_say(s, &r,
               "device memory is read %.3g times over: L2 has lost the data when another block "
               "asks for it. Let blocks "
               "that run at the same time share rows or columns: number them in squares",
               read / first);
}

void
rule_doubles(struct subject *s)
{
    double n;
    struct remedy r = advice_remedy(s);
    if (strcmp(report_text(json_object_get(s->kernel, "roofline"), "busiest"), "fp64") != 0 ||
        s->d->fp64_per_clock_sm * 4 >= s->d->fp32_per_clock_sm)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        m->work.flops_f32 += m->work.flops_f64;
        m->work.flops_f64 = 0;
    }
    advice_say(
        s, &r,
        "double precision is the busiest resource: this device does %u a clock and SM, and %u in "
        "single precision",
        s->d->fp64_per_clock_sm, s->d->fp32_per_clock_sm);
}
