/* SPDX-License-Identifier: Apache-2.0
 *
 * result.c: the figures as JSON: `profile --json`, version 1. Figures of a kernel are sums over its
 * launches; time and roofline are of one launch. A counter of accesses is written where its space
 * and operation occur.
 */
#include "profile/profile_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- counters ---------------------------------------------------------------------------------- */

struct counter_row {
    const char *name;
    enum space space;
    enum operation operation;
    enum metric metric;
    const char *nsight;
};

static const struct counter_row rows[COUNTERS] = {
#define COUNTER(n, s, o, m, metric, meaning)                                                       \
    [COUNTER_##n] = {#n, SPACE_##s, OPERATION_##o, METRIC_##m, metric},
#define RATIO COUNTER
#include "profile/counters.def"
#undef RATIO
#undef COUNTER
};

/* Each counter's Nsight Compute metric. */
static json_t *
metrics_json(void)
{
    json_t *j = json_object();
    for (int k = 0; k < COUNTERS; k++)
        json_object_set_new(j, rows[k].name, json_string(rows[k].nsight));
    return j;
}

/* Threads' accesses to global memory. */
static uint64_t
global_accesses(const struct sums *s)
{
    uint64_t n = 0;
    for (int op = 0; op < OPERATIONS; op++)
        n += s->access[SPACE_GLOBAL][op][METRIC_THREADS];
    return n;
}

/* A counter that few kernels have: zero is no member of the JSON object. */
static json_t *
some(uint64_t n)
{
    return n ? json_integer((json_int_t)n) : NULL;
}

static json_t *
ratio(double part, double whole)
{
    return whole > 0 ? json_real(part / whole) : NULL;
}

/* Of instructions; NULL: none of these. */
static json_t *
instruction_counter(const struct sums *s, enum metric m)
{
    switch (m) {
    case METRIC_INSTRUCTIONS: return json_integer((json_int_t)s->instructions);
    case METRIC_THREAD_INSTRUCTIONS: return json_integer((json_int_t)s->thread_instructions);
    case METRIC_FLOPS_F32: return json_integer((json_int_t)s->flops_f32);
    case METRIC_FLOPS_F64: return json_integer((json_int_t)s->flops_f64);
    case METRIC_BRANCHES: return json_integer((json_int_t)s->branches);
    case METRIC_BRANCHES_DIVERGENT: return json_integer((json_int_t)s->branches_divergent);
    case METRIC_BARRIERS: return json_integer((json_int_t)s->barriers);
    case METRIC_FLOPS_TENSOR: return some(s->tensor_flops);
    case METRIC_WGMMA: return some(s->wgmma);
    case METRIC_TMA_LOADS: return some(s->tma_loads);
    case METRIC_TMA_STORES: return some(s->tma_stores);
    case METRIC_TMA_REDUCTIONS: return some(s->tma_reductions);
    case METRIC_TMA_LOAD_SECTORS: return some(s->bulk_sectors[OPERATION_LOAD]);
    case METRIC_TMA_STORE_SECTORS: return some(s->bulk_sectors[OPERATION_STORE]);
    case METRIC_TMA_REDUCE_SECTORS: return some(s->bulk_sectors[OPERATION_ATOMIC]);
    case METRIC_DSMEM: return some(s->dsmem);
    case METRIC_WGMMA_WAVEFRONTS: return some(s->wgmma_rows / 2);
    case METRIC_TCGEN05: return some(s->tcgen05);
    case METRIC_DIVISIONS: return some(s->divisions);
    case METRIC_CONVERSIONS: return some(s->conversions);
    case METRIC_CGMA:
        return ratio((double)(s->flops_f32 + s->flops_f64), (double)global_accesses(s));
    default: return NULL;
    }
}

static json_t *
cache_counter(const struct device_profile *d, const struct cache_counts *c, enum metric m)
{
    if (!d->l2_bytes && (m == METRIC_L2_SECTORS || m == METRIC_L2_HITS || m == METRIC_L2_HIT_RATE))
        return NULL;
    if ((m == METRIC_DRAM_FIRST || m == METRIC_DRAM_EVICTED) && !d->l2_bytes)
        return NULL;
    if (!d->l1_bytes && (m == METRIC_L1_SECTORS || m == METRIC_L1_HITS))
        return NULL;
    switch (m) {
    case METRIC_DRAM_READ: return json_integer((json_int_t)c->dram_bytes_read);
    case METRIC_DRAM_FIRST: return json_integer((json_int_t)c->dram_bytes_first);
    case METRIC_DRAM_WRITTEN: return json_integer((json_int_t)c->dram_bytes_written);
    case METRIC_DRAM_EVICTED:
        return json_integer((json_int_t)(c->dram_bytes_written - c->dram_bytes_kept));
    case METRIC_L1_SECTORS: return json_integer((json_int_t)c->l1_sectors);
    case METRIC_L1_HITS: return json_integer((json_int_t)c->l1_hits);
    case METRIC_L2_SECTORS: return json_integer((json_int_t)c->l2_sectors);
    case METRIC_L2_HITS: return json_integer((json_int_t)c->l2_hits);
    case METRIC_L1_HIT_RATE: return ratio((double)c->l1_hits, (double)c->l1_sectors);
    case METRIC_L2_HIT_RATE: return ratio((double)c->l2_hits, (double)c->l2_sectors);
    default: return NULL;
    }
}

/* Transactions before 5.0, sectors since. */
static bool
has_metric(const struct device_profile *d, enum metric m)
{
    if (m == METRIC_TRANSACTIONS)
        return model_has_transactions(d);
    return (m != METRIC_SECTORS && m != METRIC_SECTORS_IDEAL) || !model_has_transactions(d);
}

/* caches: NULL for a line. */
static json_t *
counter_json(const struct device_profile *d, const struct counter_row *r, const struct sums *s,
             const struct cache_counts *caches)
{
    if (r->space == SPACE_NONE) {
        json_t *j = instruction_counter(s, r->metric);
        return j || !caches ? j : cache_counter(d, caches, r->metric);
    }
    const uint64_t *sum = s->access[r->space][r->operation];
    if (!sum[METRIC_REQUESTS] || !has_metric(d, r->metric))
        return NULL;
    return json_integer((json_int_t)sum[r->metric]);
}

static json_t *
counters_json(const struct device_profile *d, const struct sums *s,
              const struct cache_counts *caches)
{
    json_t *j = json_object();
    for (int k = 0; k < COUNTERS; k++) {
        json_t *value = counter_json(d, &rows[k], s, caches);
        if (value)
            json_object_set_new(j, rows[k].name, value);
    }
    return j;
}

/* -- lines ------------------------------------------------------------------------------------- */

static const char *const space_names[SPACES] = {"shared", "global", "local", "constant", "texture"};
static const char *const operation_names[OPERATIONS] = {"load", "store", "atomic", "copy"};

/* The worst access of a line: what a picture of banks or sectors needs. Addresses of lanes that are
 * off are null. */
static json_t *
sample_json(const struct line *l, int space, int op)
{
    const struct sample *s = &l->sample[space][op];
    json_t *address = json_array();
    for (uint32_t n = 0; n < JIT_LANES; n++)
        json_array_append_new(address, s->lanes >> n & 1 ? json_integer((json_int_t)s->address[n])
                                                         : json_null());
    return json_pack("{s:s, s:s, s:i, s:i, s:o}", "space", space_names[space], "op",
                     operation_names[op], "size", (int)s->bytes, "degree", (int)s->degree,
                     "addresses", address);
}

/* What these sums are of one launch, without the traffic, which the caches know. */
static struct work
work_of(const struct kernel *k, const struct sums *s, double launches)
{
    uint64_t wavefronts = 0;
    for (int op = 0; op < OPERATIONS; op++)
        wavefronts += s->access[SPACE_SHARED][op][METRIC_WAVEFRONTS];
    double hot = k->atomics.hot_share / launches,
           words = (double)s->access[SPACE_GLOBAL][OPERATION_ATOMIC][METRIC_WORDS];
    return (struct work){
        .warp_instructions =
            (uint64_t)((double)(s->instructions + s->division_instructions) / launches),
        .issue_slots = (uint64_t)((double)s->issue_slots / launches),
        .flops_f32 = (uint64_t)((double)s->flops_f32 / launches),
        .flops_f64 = (uint64_t)((double)s->flops_f64 / launches),
        .int_operations = (uint64_t)((double)s->integer_operations / launches),
        .alu_operations = (uint64_t)((double)s->alu_operations / launches),
        .special_operations = (uint64_t)((double)s->special_operations / launches),
        .f64_operations = (uint64_t)((double)s->f64_operations / launches),
        .tensor_flops = (uint64_t)((double)s->tensor_work / launches),
        .constant_words =
            (uint64_t)((double)s->access[SPACE_CONSTANT][OPERATION_LOAD][METRIC_WAVEFRONTS] /
                       launches),
        .texture_reads =
            (uint64_t)((double)s->access[SPACE_TEXTURE][OPERATION_LOAD][METRIC_THREADS] / launches),
        .hot_words = (uint64_t)(hot * words),
        .atomic_passes = (uint64_t)((double)s->atomic_passes / launches),
        .hot_passes = (uint64_t)(k->atomics.slice_share * (double)s->atomic_passes / launches),
        .hot_floats = (uint64_t)(hot * (double)s->atomic_floats),
        .hot_swaps = (uint64_t)(hot * (double)s->atomic_swaps),
        .shared_wavefronts = (uint64_t)((double)wavefronts / launches),
        .shared_loops = (uint64_t)((double)s->shared_loops / launches),
        .shared_locks = (uint64_t)((double)s->shared_locks / launches),
        .blocks = (uint64_t)k->size.grid[0] * k->size.grid[1] * k->size.grid[2],
        .blocks_per_sm = k->occupancy.blocks_per_sm,
        .without = k->without,
    };
}

/* The bound of one line's work alone, per launch: what ranks lines. Its traffic counts as if it
 * came from L1: caches are simulated for the kernel as a whole. */
static json_t *
line_bound_json(const struct device_profile *d, const struct kernel *k, const struct line *l)
{
    const struct sums *s = &l->sums;
    uint64_t n = k->launches ? k->launches : 1, sectors = 0;
    for (int op = 0; op < OPERATIONS; op++)
        sectors += s->access[SPACE_GLOBAL][op][METRIC_SECTORS] +
                   s->access[SPACE_LOCAL][op][METRIC_SECTORS];
    struct work w = work_of(k, s, (double)n);
    w.l1_sectors = sectors / n;
    w.l2_sectors = d->l1_global_loads ? 0 : sectors / n;
    struct time_bound t;
    model_time_bound(d, &w, &t);
    return json_pack("{s:f, s:s}", "seconds", t.seconds, "busiest", model_bound_name(t.busiest));
}

/* The share of what most of its launches ask for that the one before has left in L2. */
static double
warm_share(const struct kernel *k)
{
    bool most = k->warm.launches && 2 * k->warm.launches >= k->launches &&
                model_has(k->without, MODEL_WARM);
    return most ? k->warm.kept / (double)k->warm.launches : 0;
}

/* What of a warp's longest chain of results the line is; NULL: nothing. */
static json_t *
line_waits_json(const struct kernel *k, const struct sums *s)
{
    const struct memory_wait *m = &k->chained.memory;
    double memory = s->waits[WAIT_MEMORY];
    if (m->clocks > 0)
        memory *= 1 - warm_share(k) * m->sooner / m->clocks;
    if (s->waits[WAIT_MEMORY] + s->waits[WAIT_SHARED] + s->waits[WAIT_ARITHMETIC] <= 0)
        return NULL;
    return json_pack("{s:f, s:f, s:f, s:b, s:b}", "memory", memory, "shared", s->waits[WAIT_SHARED],
                     "arithmetic", s->waits[WAIT_ARITHMETIC], "indirect",
                     (s->loads & LOAD_INDIRECT) != 0, "chase", (s->loads & LOAD_CHASE) != 0);
}

static int
by_place(const void *x, const void *y)
{
    uint32_t a = (*(struct said *const *)x)->place, b = (*(struct said *const *)y)->place;
    return a < b ? -1 : a > b;
}

/* A line's instructions, in the order of the kernel. */
static json_t *
said_json(const struct line *l)
{
    json_t *list = json_array();
    qsort(l->said.at, l->said.count, sizeof *l->said.at, by_place);
    for (size_t n = 0; n < l->said.count; n++)
        json_array_append_new(list, json_pack("{s:s, s:I}", "text", l->said.at[n]->text, "warps",
                                              (json_int_t)l->said.at[n]->warps));
    return list;
}

static json_t *
line_json(const struct device_profile *d, const struct kernel *k, const struct line *l)
{
    json_t *samples = json_array();
    for (int space = 0; space < SPACES; space++)
        for (int op = 0; op < OPERATIONS; op++)
            if (l->sample[space][op].lanes)
                json_array_append_new(samples, sample_json(l, space, op));
    json_t *j = json_pack("{s:s, s:i, s:o, s:o, s:o}", "file", l->file, "line", (int)l->number,
                          "counters", counters_json(d, &l->sums, NULL), "samples", samples, "bound",
                          line_bound_json(d, k, l));
    json_t *waits = line_waits_json(k, &l->sums);
    if (waits)
        json_object_set_new(j, "waits", waits);
    if (l->said.count)
        json_object_set_new(j, "ptx", said_json(l));
    return j;
}

/* -- occupancy, roofline, time ----------------------------------------------------------------- */

static json_t *
occupancy_json(const struct kernel *k)
{
    const struct occupancy *o = &k->occupancy;
    return json_pack("{s:i, s:i, s:s, s:f, s:{s:i, s:i, s:i, s:i}, s:i, s:I, s:i, s:i}",
                     "blocks_per_sm", (int)o->blocks_per_sm, "warps_per_sm", (int)o->warps_per_sm,
                     "limited_by", o->limited_by, "occupancy", o->occupancy, "limits", "blocks",
                     (int)o->limit_blocks, "warps", (int)o->limit_warps, "registers",
                     (int)o->limit_registers, "shared", (int)o->limit_shared,
                     "registers_per_thread", (int)k->size.registers, "shared_bytes",
                     (json_int_t)k->size.shared_bytes, "local_bytes", (int)k->size.local_bytes,
                     "registers_wanted", (int)k->size.registers_wanted);
}

/* What the accesses that the caches did not see would have added, in proportion. */
static double
coverage(const struct kernel *k)
{
    uint64_t all = k->traced + k->dropped;
    return all ? (double)k->traced / (double)all : 1;
}

static double
camping(const struct kernel *k)
{
    return k->camping_even > 0 && k->camping_busiest > k->camping_even
               ? k->camping_busiest / k->camping_even
               : 1;
}

static struct waiting
waiting_of_launch(const struct kernel *k)
{
    struct waiting w = k->chained.waiting;
    w.uneven = k->uneven;
    if (!w.warp_clocks)
        return w;
    double less = warm_share(k) * k->chained.memory.sooner;
    w.memory_waits *= 1 - warm_share(k) * k->chained.memory.kept;
    w.first_clocks *= 1 - less / w.warp_clocks;
    w.warp_clocks -= less;
    w.block_clocks -= less * w.slowest;
    return w;
}

/* Of the sectors that stores leave for L2, those that one writes a part of: of 4 bytes in each,
 * all; of 30 of 32, one of 15. */
static double
partial_share(const uint64_t *stores, double merged)
{
    double sectors = (double)stores[METRIC_SECTORS] * (1 - merged),
           missing = 1 - (double)stores[METRIC_SECTORS_IDEAL] / sectors;
    return missing > 0.5 ? 1 : missing > 0 ? 2 * missing : 0;
}

static struct work
work_of_launch(const struct kernel *k, const struct sums *s)
{
    double launches = k->launches ? (double)k->launches : 1, seen = coverage(k) * launches;
    const struct cache_counts *c = &k->caches;
    struct work w = work_of(k, s, launches);
    w.l1_sectors = (uint64_t)((double)c->l1_sectors / seen);
    if (k->joined.wide > 0)
        w.shared_wavefronts = (uint64_t)(k->joined.wide * (double)w.shared_wavefronts);
    double merged = model_has(k->without, MODEL_MERGE) ? k->joined.stores : 0,
           written = (double)(c->l2_sectors - c->l2_loads);
    double polls = (double)k->joined.polls * launches;
    polls = polls < (double)c->l2_load_requests ? polls : (double)c->l2_load_requests;
    w.l2_sectors = (uint64_t)(((double)c->l2_sectors - merged * written - polls) / seen);
    w.l2_stores = (uint64_t)((1 - merged) * written / seen);
    w.l2_load_requests = (uint64_t)(((double)c->l2_load_requests - polls) / seen);
    w.l2_store_requests = (uint64_t)((1 - merged) * (double)c->l2_store_requests / seen);
    const uint64_t *stores = s->access[SPACE_GLOBAL][OPERATION_STORE];
    if (stores[METRIC_SECTORS]) /* a sector that is written in part counts as the part that is
                                   missing */
        w.l2_partial = (uint64_t)((double)w.l2_stores * partial_share(stores, merged));
    double kept = warm_share(k), /* and of what is written L2 keeps a part dirty */
        bytes = (double)(c->dram_bytes_read + c->dram_bytes_written) -
                kept * (double)(c->dram_bytes_first + c->dram_bytes_kept);
    w.dram_bytes = (uint64_t)(bytes * camping(k) / seen);
    w.dram_written =
        (uint64_t)(((double)c->dram_bytes_written - kept * (double)c->dram_bytes_kept) *
                   camping(k) / seen);
    return w;
}

double
result_estimate(const struct device_profile *d, const struct kernel *k)
{
    struct sums all = {0};
    struct time_bound bound;
    for (size_t n = 0; n < k->lines.count; n++)
        sums_add(&all, &k->lines.at[n].sums);
    struct work w = work_of_launch(k, &all);
    model_time_bound(d, &w, &bound);
    struct waiting waiting = waiting_of_launch(k);
    return model_time_launch(d, &w, &waiting, model_time_estimate(d, &w, &bound, &waiting));
}

static json_t *
roofline_json(const struct device_profile *d, const struct kernel *k, const struct sums *s)
{
    struct work w = work_of_launch(k, s);
    struct time_bound t;
    bool f64 = s->flops_f64 > s->flops_f32;
    double flops = (double)(w.flops_f32 + w.flops_f64),
           seen = coverage(k) * (k->launches ? (double)k->launches : 1),
           bytes = (double)(k->caches.dram_bytes_read + k->caches.dram_bytes_written) / seen;
    json_t *each = json_object();
    model_time_bound(d, &w, &t);
    for (int r = 0; r < BOUND_COUNT; r++)
        json_object_set_new(each, model_bound_name((enum bound_resource)r), json_real(t.each[r]));
    struct waiting waiting = waiting_of_launch(k);
    double work = model_time_estimate(d, &w, &t, &waiting), starts = model_starts(d, &w);
    double following = model_time_launch(d, &w, &waiting, work);
    struct launch_cost cost = model_launch_cost(d);
    const char *limit = starts > MODEL_STARTS_BIND * work ? "block starts"
                        : work > 1.5 * t.seconds          ? "waiting"
                                                          : model_bound_name(t.busiest);
    json_t *j = json_pack(
        "{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:o, s:f, s:f, s:f, s:f, s:s, s:f, s:f, s:f}",
        "precision", f64 ? "f64" : "f32", "peak_flops", model_peak_flops(d, f64), "bandwidth",
        (double)d->bandwidth, "ridge", model_ridge(d, f64), "flops", flops, "bytes", bytes,
        "seconds", t.seconds, "busiest", model_bound_name(t.busiest), "resources", each, "estimate",
        following, "alone", following + cost.alone - cost.seconds, "work", work, "block_starts",
        starts, "limit", limit, "block_clocks", waiting.block_clocks, "partition_camping",
        camping(k), "cache_coverage", coverage(k));
    if (waiting.warp_clocks > 0) {
        double off = 1 + sampled_error(&k->sampled), low = following / MODEL_INTERVAL / off;
        json_object_set_new(j, "low", json_real(fmax(low, t.seconds / off)));
        json_object_set_new(j, "high", json_real(following * MODEL_INTERVAL * off));
        json_object_set_new(j, "interval", json_string(d->cc_major == 9 ? "measured" : "assumed"));
    }
    if (bytes > 0) {
        json_object_set_new(j, "intensity", json_real(flops / bytes));
        json_object_set_new(j, "attainable_flops",
                            json_real(model_roofline(d, f64, flops / bytes)));
    }
    return j;
}

/* What the estimate was made from, so that it can be made again with something changed: fields of
 * struct work and struct waiting, of one launch. */
static json_t *
model_json(const struct kernel *k, const struct sums *s)
{
    struct work w = work_of_launch(k, s);
    struct waiting waiting = waiting_of_launch(k);
    json_t *j = json_object();
#define WORK(name, meaning) json_object_set_new(j, #name, json_integer((json_int_t)w.name));
#include "model/model_work.def"
#undef WORK
    json_object_set_new(j, "blocks_per_sm", json_integer(w.blocks_per_sm));
    json_object_set_new(j, "warp_clocks", json_real(waiting.warp_clocks));
    json_object_set_new(j, "first_clocks", json_real(waiting.first_clocks));
    json_object_set_new(j, "block_clocks", json_real(waiting.block_clocks));
    json_object_set_new(j, "slowest", json_real(waiting.slowest));
    json_object_set_new(j, "meets", json_boolean(waiting.meets));
    json_object_set_new(j, "warps_per_block", json_integer(waiting.warps_per_block));
    json_object_set_new(j, "pipe_wavefronts", json_real(waiting.pipe_wavefronts));
    json_object_set_new(j, "once_clocks", json_real(waiting.once_clocks));
    json_object_set_new(j, "memory_waits", json_real(waiting.memory_waits));
    json_object_set_new(j, "drain_clocks", json_real(waiting.drain_clocks));
    json_object_set_new(j, "once_share", json_real(waiting.once_share));
    json_object_set_new(j, "busiest_sm", json_real(waiting.uneven.busiest));
    json_object_set_new(j, "longest_block", json_real(waiting.uneven.longest));
    json_object_set_new(j, "without", json_integer(w.without));
    return j;
}

/* By how many of the launches' blocks the figures are known; NULL: by all, as usual. */
static json_t *
sampled_json(const struct sampled *s)
{
    const double *e = s->error;
    json_t *j =
        s->of ? json_pack("{s:I, s:I, s:I, s:f, s:{s:f, s:f, s:f, s:f}}", "blocks",
                          (json_int_t)s->blocks, "of", (json_int_t)s->of, "rounds",
                          (json_int_t)s->rounds, "error", sampled_error(s), "errors",
                          "instructions", e[SAMPLED_INSTRUCTIONS], "l1_sectors", e[SAMPLED_L1],
                          "l2_sectors", e[SAMPLED_L2], "dram_bytes_read", e[SAMPLED_DRAM])
              : NULL;
    if (j && s->why)
        json_object_set_new(j, "why_all", json_string(s->why));
    return j;
}

static json_t *
kernel_json(const struct device_profile *d, const struct kernel *k)
{
    struct sums all = {0};
    json_t *lines = json_array();
    for (size_t n = 0; n < k->lines.count; n++) {
        sums_add(&all, &k->lines.at[n].sums);
        json_array_append_new(lines, line_json(d, k, &k->lines.at[n]));
    }
    json_t *j = json_pack(
        "{s:s, s:I, s:I, s:[i,i,i], s:[i,i,i], s:o, s:o, s:o, s:o}", "name", k->name, "launches",
        (json_int_t)k->launches, "failed", (json_int_t)k->failed, "grid", (int)k->size.grid[0],
        (int)k->size.grid[1], (int)k->size.grid[2], "block", (int)k->size.block[0],
        (int)k->size.block[1], (int)k->size.block[2], "occupancy", occupancy_json(k), "counters",
        counters_json(d, &all, &k->caches), "roofline", roofline_json(d, k, &all), "lines", lines);
    json_object_set_new(j, "model", model_json(k, &all));
    if (k->phases)
        json_object_set(j, "phases", k->phases);
    json_t *sampled = sampled_json(&k->sampled);
    if (sampled)
        json_object_set_new(j, "sampled", sampled);
    if (k->sampled.blocks < k->sampled.of) /* what L2 has no room for does not follow from a part */
        json_object_del(json_object_get(j, "counters"), rows[COUNTER_bytes_dram_evicted].name);
    return j;
}

json_t *
result_json(struct profile *p, bool complete)
{
    char cc[32];
    const struct device_profile *d = p->device;
    snprintf(cc, sizeof cc, "%u.%u", d->cc_major, d->cc_minor);
    json_t *kernels = json_array();
    for (const struct kernel *k = p->kernels; k; k = k->next)
        json_array_append_new(kernels, kernel_json(d, k));
    return json_pack("{s:i, s:{s:s, s:s, s:i}, s:b, s:o, s:o}", "version", 1, "device", "name",
                     d->name, "cc", cc, "sm_count", (int)d->sm_count, "complete", (int)complete,
                     "kernels", kernels, "metrics", metrics_json());
}
