/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds on run time: the roofline, the busiest resource, partition camping, and which block runs
 * where and when. Every time is one that no run can beat, but for model_time_estimate(), which adds
 * what blocks wait for, and model_time_launch(), which adds what launches cost.
 */
#include <math.h>
#include <string.h>

#include "model/model.h"

/* -- rates per SM and clock -------------------------------------------------------------------- */

/* Warp instructions issued a clock (shader clock on 1.x and 2.x): one per 4 on 1.x, two schedulers
 * at half rate on 2.x, four on 3.x and 5.x, two on 6.0, four since (Guide, "Architecture" of each
 * generation). */
static double
issue_rate(const struct device_profile *d)
{
    switch (d->cc_major) {
    case 1: return 0.25;
    case 2: return 1;
    case 6: return d->cc_minor == 0 ? 2 : 4;
    default: return 4;
    }
}

/* Wavefronts a clock: shared memory of 1.x and 2.x runs at half the shader clock. */
static double
shared_rate(const struct device_profile *d)
{
    return d->cc_major <= 2 ? 0.5 : 1;
}

/* Bytes a clock: L1 serves 128 (64 on 5.x and 6.x, where it is the texture unit's), an SM gets 64
 * from L2 (32 before 7.0). */
static double
l1_rate(const struct device_profile *d)
{
    return d->cc_major == 5 || d->cc_major == 6 ? 64 : d->cc_major <= 2 ? 64 : 128;
}

static double
l2_rate(const struct device_profile *d)
{
    return d->cc_major >= 7 ? 64 : 32;
}

/* Texels a clock and SM, of 32 bits and not between two levels: its texture units, by NVIDIA's
 * white papers of each architecture and the Programming Guide of the earlier ones (8 for three SMs
 * of a GT200: assumed for all of 1.x). */
static double
texture_rate(const struct device_profile *d)
{
    switch (d->cc_major) {
    case 1: return 8.0 / 3;
    case 2: return d->cc_minor == 0 ? 4 : 8;
    case 3: return 16;
    case 5: return 8;
    case 6: return d->cc_minor == 0 ? 4 : 8;
    default: return 4;
    }
}

/* Different addresses a clock and SM: an H200 takes 2.03 clocks for each of 64 million of them
 * (constant/scattered in tests/data/h200_model_times.csv); other generations as that: assumed. */
static double
constant_rate(void)
{
    return 0.5;
}

/* Clocks between two atomics on one line of L2: 125,001 on one word take an H200 97 us
 * (atomics/atomic in tests/data/h200_model_times.csv; its compiler adds up each warp's first),
 * others as that: assumed. */
static double
atomic_clocks(void)
{
    return 1.5;
}

/* L2's own rates, for all SMs together: one way and the other. */
static double
l2_seconds(const struct device_profile *d, const struct work *w)
{
    const struct memory_rates *m = model_memory_rates(d);
    uint64_t stores = w->l2_stores < w->l2_sectors ? w->l2_stores : w->l2_sectors;
    if (!m->l2_load || !m->l2_store || !model_has(w->without, MODEL_L2_RATE))
        return 0;
    double load = (double)(w->l2_sectors - stores) * 32 / m->l2_load,
           store = (double)stores * 32 / m->l2_store,
           size = model_has(w->without, MODEL_L2_SIZE) ? d->memory_bus_bits / MODEL_L2_BUS : 1;
    if (model_has(w->without, MODEL_PARTIAL))
        store += (double)w->l2_partial * 32 * (1 / MODEL_PARTIAL_BYTES - 1 / m->l2_store);
    if (model_has(w->without, MODEL_REQUESTS)) {
        load = fmax(load, (double)w->l2_load_requests / MODEL_LOAD_REQUESTS);
        store = fmax(store, (double)w->l2_store_requests / MODEL_STORE_REQUESTS);
    }
    if (model_has(w->without, MODEL_L2_BOTH))
        store += MODEL_STORES_WAIT * load;
    return fmax(load, store) / size / (d->clock_khz * 1e3);
}

/* Global atomics: the busiest slice of L2 takes its passes one after the other; sums of floats on
 * one address wait for each other, swaps for the round trip between them. */
static double
atomic_seconds(const struct device_profile *d, const struct work *w)
{
    const struct memory_rates *m = model_memory_rates(d);
    double clock = d->clock_khz * 1e3;
    if (!m->slices || !w->atomic_passes || !model_has(w->without, MODEL_ATOMICS))
        return (double)w->hot_words * atomic_clocks() / clock;
    double even = (double)w->atomic_passes / m->slices, passes = (double)w->hot_passes;
    double clocks = (passes > even ? passes : even) * m->pass;
    clocks = fmax(clocks, (double)w->hot_floats * m->next_float);
    return fmax(clocks, (double)w->hot_swaps * m->next_swap) / clock;
}

/* Multiply-adds of 16-bit numbers (f64: of doubles) a clock and SM of the matrix units; 0: there
 * are none. */
static uint32_t
model_tensor_rate(const struct device_profile *d, bool f64)
{
    static const struct {
        uint32_t major, minor, f16, f64;
    } rows[] = {
#define TENSOR(major, minor, f16, f64, source) {major, minor, f16, f64},
#include "model/model_tensor.def"
#undef TENSOR
    };
    size_t k = sizeof rows / sizeof *rows - 1;
    while (k > 0 && (d->cc_major < rows[k].major ||
                     (d->cc_major == rows[k].major && d->cc_minor < rows[k].minor)))
        k--;
    return f64 ? rows[k].f64 : rows[k].f16;
}

/* -- roofline ---------------------------------------------------------------------------------- */

double
model_peak_flops(const struct device_profile *d, bool f64)
{
    uint32_t rate = f64 ? d->fp64_per_clock_sm : d->fp32_per_clock_sm;
    return 2.0 * rate * d->sm_count * d->clock_khz * 1e3;
}

double
model_roofline(const struct device_profile *d, bool f64, double flops_per_byte)
{
    double memory = flops_per_byte * (double)d->bandwidth, peak = model_peak_flops(d, f64);
    return memory < peak ? memory : peak;
}

double
model_ridge(const struct device_profile *d, bool f64)
{
    return model_peak_flops(d, f64) / (double)d->bandwidth;
}

/* -- the busiest resource ---------------------------------------------------------------------- */

const char *
model_bound_name(enum bound_resource r)
{
    static const char *const names[BOUND_COUNT] = {"issue",    "fp32",   "fp64",   "int",  "sfu",
                                                   "shared",   "l1",     "l2",     "dram", "tensor",
                                                   "constant", "atomic", "texture"};
    return r < BOUND_COUNT ? names[r] : "";
}

/* SMs that the last full picture keeps busy: with few blocks, not all of them; with a last wave
 * that is not full, the average. */
static double
busy_sms(const struct device_profile *d, const struct work *w)
{
    if (!w->blocks)
        return d->sm_count;
    uint64_t room = d->sm_count;
    uint64_t rounds = (w->blocks + room - 1) / room;
    return (double)w->blocks / (double)rounds;
}

static double
per(double amount, double rate)
{
    return rate > 0 ? amount / rate : 0;
}

void
model_time_bound(const struct device_profile *d, const struct work *w, struct time_bound *out)
{
    double clocks = busy_sms(d, w) * d->clock_khz * 1e3; /* SM clocks a second */
    memset(out, 0, sizeof *out);
    double *t = out->each;
    bool expanded = w->issue_slots && model_has(w->without, MODEL_EXPANSION);
    double slots = (double)(expanded ? w->issue_slots : w->warp_instructions);
    if (model_has(w->without, MODEL_SHARED_LOOPS))
        slots += (double)w->shared_loops * MODEL_LOOP_SLOTS;
    t[BOUND_ISSUE] = per(slots, issue_rate(d) * clocks);
    t[BOUND_FP32] = per((double)w->flops_f32 / 2, d->fp32_per_clock_sm * clocks);
    t[BOUND_FP64] = per((double)w->flops_f64 / 2 + (double)(expanded ? w->f64_operations : 0),
                        d->fp64_per_clock_sm * clocks);
    double whole = (double)w->int_operations;
    if (d->cc_major >= 7 && model_has(w->without, MODEL_PIPES))
        whole = fmax((double)w->alu_operations, whole / 2);
    t[BOUND_INT] = per(whole, d->int32_per_clock_sm * clocks);
    t[BOUND_SFU] = per((double)w->special_operations, d->sfu_per_clock_sm * clocks);
    t[BOUND_SHARED] = per((double)w->shared_wavefronts, shared_rate(d) * clocks);
    t[BOUND_L1] = per((double)w->l1_sectors * 32, l1_rate(d) * clocks);
    t[BOUND_L2] = fmax(per((double)w->l2_sectors * 32, l2_rate(d) * clocks), l2_seconds(d, w));
    t[BOUND_DRAM] = per((double)w->dram_bytes, (double)d->bandwidth);
    t[BOUND_TENSOR] = per((double)w->tensor_flops / 2, model_tensor_rate(d, false) * clocks);
    t[BOUND_CONSTANT] = per((double)w->constant_words, constant_rate() * clocks);
    t[BOUND_ATOMIC] = atomic_seconds(d, w);
    if (model_has(w->without, MODEL_TEXTURE))
        t[BOUND_TEXTURE] = per((double)w->texture_reads, texture_rate(d) * clocks);
    for (int r = 0; r < BOUND_COUNT; r++)
        if (t[r] > out->seconds) {
            out->seconds = t[r];
            out->busiest = (enum bound_resource)r;
        }
}

/* -- waiting ----------------------------------------------------------------------------------- */

/* The resources, and three more: the pipe to L1 and shared memory, the start of blocks, words of
 * shared memory that a block's warps update in turn. */
enum { STATION_PIPE = BOUND_COUNT, STATION_STARTS, STATION_LOCKS, STATIONS };

/* Clocks in which `customers` warps at a time bring `all` warps to their end: Reiser and Lavenberg,
 * "Mean value analysis of closed multichain queuing networks", 1980, for one class. demand: clocks
 * of one warp at each resource; residence: those that it spends there with the others before it. */
static double
queueing(const double demand[STATIONS], double wait, uint64_t customers, double all,
         double residence[STATIONS])
{
    double queue[STATIONS] = {0}, rate = 0;
    for (uint64_t n = 1; n <= customers; n++) {
        double sum = wait;
        for (int r = 0; r < STATIONS; r++)
            sum += residence[r] = demand[r] * (1 + queue[r]);
        rate = sum > 0 ? (double)n / sum : 0;
        for (int r = 0; r < STATIONS; r++)
            queue[r] = rate * residence[r];
    }
    return rate > 0 ? all / rate : 0;
}

double
model_pipe_seconds(const struct device_profile *d, const struct work *w, double pipe_wavefronts)
{
    return d->cc_major >= 7 ? pipe_wavefronts / (busy_sms(d, w) * d->clock_khz * 1e3) : 0;
}

/* Clocks of one warp at each station; per_sm: blocks of the busiest SM, which all are even. */
static void
demands(const struct device_profile *d, const struct work *w, const struct time_bound *bound,
        const struct waiting *waiting, uint64_t per_sm, double demand[STATIONS])
{
    double clock = d->clock_khz * 1e3, warps = (double)per_sm * waiting->warps_per_block;
    uint64_t resident = w->blocks_per_sm ? w->blocks_per_sm : 1;
    for (int r = 0; r < BOUND_COUNT; r++)
        demand[r] = bound->each[r] * clock / warps;
    double pipe = waiting->pipe_wavefronts * (double)per_sm /
                  (double)w->blocks; /* before 7.0 the pipes are apart */
    demand[STATION_PIPE] = d->cc_major >= 7 ? pipe / warps : 0;
    if (d->cc_major >= 7)
        demand[BOUND_SHARED] = demand[BOUND_L1] = 0;
    if (model_has(w->without, MODEL_DRAM_RATE))
        demand[BOUND_DRAM] /= model_memory_rates(d)->share;
    demand[STATION_STARTS] = 0;
    if (model_has(w->without, MODEL_STARTS))
        demand[STATION_STARTS] =
            model_launch_cost(d).start_clocks * d->sm_count / waiting->warps_per_block;
    demand[STATION_LOCKS] = 0;
    if (model_has(w->without, MODEL_SHARED_LOOPS))
        demand[STATION_LOCKS] = (double)w->shared_locks / (double)w->blocks /
                                waiting->warps_per_block * MODEL_LOCK_CLOCKS /
                                (double)(resident < per_sm ? resident : per_sm);
}

/* A binary heap of the slots that run something, the one that ends first on top. */
struct slot {
    double end;
    uint32_t sm, slot, wave;
};

static bool
before(const struct slot *a, const struct slot *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    return a->slot != b->slot ? a->slot < b->slot : a->sm < b->sm;
}

static void
sift_down(struct slot *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (before(&heap[child], &heap[least]))
                least = child;
        if (least == at)
            return;
        struct slot t = heap[at];
        heap[at] = heap[least];
        heap[least] = t;
        at = least;
    }
}

struct unevenness
model_unevenness(const struct device_profile *d, uint32_t resident, const uint32_t *work,
                 size_t blocks)
{
    struct slot *heap = ls_alloc(d->sm_count * sizeof *heap);
    double all = 0, longest = 0, most = 0;
    size_t first = (size_t)d->sm_count * (resident ? resident : 1);
    for (size_t b = 0; b < blocks; b++) {
        all += work[b];
        longest = work[b] > longest ? work[b] : longest;
    }
    for (uint32_t s = 0; s < d->sm_count; s++)
        heap[s] = (struct slot){0, s, 0, 0};
    for (size_t b = 0; b < first && b < blocks; b++)
        heap[b % d->sm_count].end += work[b];
    for (size_t s = d->sm_count; s-- > 0;)
        sift_down(heap, d->sm_count, s);
    for (size_t b = first; b < blocks; b++) {
        heap[0].end += work[b];
        sift_down(heap, d->sm_count, 0);
    }
    for (uint32_t s = 0; s < d->sm_count; s++)
        most = heap[s].end > most ? heap[s].end : most;
    ls_release(heap);
    double mean = blocks ? all / (double)blocks : 0,
           rounds = (double)((blocks + d->sm_count - 1) / d->sm_count);
    return mean > 0 ? (struct unevenness){most / (mean * rounds), longest / mean}
                    : (struct unevenness){0};
}

/* Of the SM with most work: what of its resources it needs in place of the mean. Blocks alike
 * differ by a little. */
static double
busiest_sm(const struct work *w, const struct waiting *waiting)
{
    return model_has(w->without, MODEL_UNEVEN) && waiting->uneven.busiest > 1
               ? waiting->uneven.busiest
               : 1;
}

/* Of the block that has most to do, what all do once takes no longer. */
static double
longest_block(const struct waiting *w)
{
    double rest = 1 - w->once_share,
           more = rest > 0.01 ? (w->uneven.longest - w->once_share) / rest : 1;
    return w->once_clocks + (w->block_clocks - w->once_clocks) * fmax(more, 1);
}

/* Before the first warps come to the busiest resource, and behind the last ones, it idles: as long
 * as one warp waits on its way once, by the share of time in which it is busy else. rate: warps a
 * clock. */
static double
ramp_clocks(const struct work *w, const struct waiting *waiting, const double demand[STATIONS],
            double rate)
{
    double most = 0;
    for (int r = 0; r < STATIONS; r++)
        most = fmax(most, demand[r]);
    return model_has(w->without, MODEL_RAMP) ? waiting->first_clocks * most * rate : 0;
}

/* clocks: of a block by itself, and until the next one is in its place.
 * Clocks in which an SM's blocks are done where a place is free when the block's last warp is done,
 * or its warps wait for each other: blocks queue for the busiest resource as a whole. With one
 * block in place that is one block after the other. */
static double
block_queue(const struct work *w, const struct waiting *waiting, const double demand[STATIONS],
            double clocks, uint64_t resident, uint64_t per_sm)
{
    double whole[STATIONS] = {0}, residence[STATIONS];
    if (!model_has(w->without, MODEL_PLACES) || (per_sm <= resident && !waiting->meets))
        return 0;
    for (int r = 0; r < STATIONS; r++)
        whole[0] = fmax(whole[0], demand[r] * waiting->warps_per_block);
    return queueing(whole, fmax(clocks - whole[0], 0), resident < per_sm ? resident : per_sm,
                    (double)per_sm, residence);
}

/* Clocks that a line of device memory takes more than by itself, by the lines that an SM has asked
 * for where a warp ends in each `apart` clocks; now: what is known of these clocks. */
static double
later_by_lines(const struct device_profile *d, const struct work *w, const struct waiting *waiting,
               double apart, double now)
{
    double lines = waiting->memory_waits * (model_latencies(d, w->without)->memory + now) / apart;
    return model_has(w->without, MODEL_IN_FLIGHT)
               ? MODEL_IN_FLIGHT_CLOCKS * lines / (lines + MODEL_IN_FLIGHT_HALF)
               : 0;
}

/* The same, by how busy device memory is with what is in part written. */
static double
later_by_stores(const struct work *w, double busy, double apart)
{
    double written = fmin(per((double)w->dram_written, (double)w->dram_bytes), 1),
           u = fmin(busy / apart, 0.99);
    return model_has(w->without, MODEL_TURNAROUND) ? MODEL_TURNAROUND_CLOCKS * written * u / (1 - u)
                                                   : 0;
}

/* How late device memory answers depends on the time, which depends on how late it answers. Adds to
 * what a warp waits, and has the network's clocks anew. Returns the clocks without those by stores,
 * which are a queue: blocks that queue as a whole have their own. */
static double
wait_for_memory(const struct device_profile *d, const struct work *w, const struct waiting *waiting,
                const double demand[STATIONS], struct warp_states *out, uint64_t together,
                double warps, double *most, double residence[STATIONS])
{
    enum { HALVINGS = 20, MOST = 1 << 14 };
    double wait = out->wait, low = 0, high = MOST, lines = 0;
    if (!waiting->memory_waits || !model_latencies(d, w->without)->memory_spread)
        return 0;
    for (int k = 0; k < HALVINGS; k++) { /* the later it answers, the less it is asked */
        double later = (low + high) / 2;
        out->wait = wait + waiting->memory_waits * later;
        *most = queueing(demand, out->wait + out->turnover, together, warps, residence);
        double apart = *most / warps;
        lines = later_by_lines(d, w, waiting, apart, later);
        if (lines + later_by_stores(w, demand[BOUND_DRAM], apart) > later)
            low = later;
        else
            high = later;
    }
    out->wait = wait + waiting->memory_waits * low;
    *most = queueing(demand, out->wait + out->turnover, together, warps, residence);
    return waiting->memory_waits * lines;
}

double
model_time_states(const struct device_profile *d, const struct work *w,
                  const struct time_bound *bound, const struct waiting *waiting,
                  struct warp_states *out)
{
    double demand[STATIONS], residence[STATIONS] = {0}, clock = d->clock_khz * 1e3;
    uint64_t per_sm = (w->blocks + d->sm_count - 1) / d->sm_count;
    uint64_t resident = w->blocks_per_sm ? w->blocks_per_sm : 1;
    double warps = (double)per_sm * waiting->warps_per_block;
    memset(out, 0, sizeof *out);
    if (!per_sm || !waiting->warp_clocks)
        return bound->seconds;
    demands(d, w, bound, waiting, per_sm, demand);
    double more = busiest_sm(w, waiting), rounds = (double)((per_sm + resident - 1) / resident);
    double gap = model_has(w->without, MODEL_TURNOVER) ? model_launch_cost(d).turnover : 0;
    if (model_has(w->without, MODEL_DRAIN) && model_launch_cost(d).turnover > 0)
        gap += waiting->drain_clocks;
    for (int r = 0; r < STATIONS; r++)
        demand[r] *=
            r == BOUND_L2 || r == BOUND_DRAM || r == BOUND_ATOMIC || r == STATION_STARTS ? 1 : more;
    out->wait = waiting->warp_clocks * more;
    out->turnover = gap * (rounds - 1) / rounds;
    uint64_t together = (resident < per_sm ? resident : per_sm) * waiting->warps_per_block;
    double most = queueing(demand, out->wait + out->turnover, together, warps, residence);
    double later = wait_for_memory(d, w, waiting, demand, out, together, warps, &most, residence);
    most = (most + ramp_clocks(w, waiting, demand, warps / most)) / clock;
    double block = waiting->block_clocks + later * fmax(waiting->slowest, 1);
    double in_turn = (rounds * block + (rounds - 1) * gap) / clock;
    in_turn = fmax(
        in_turn, block_queue(w, waiting, demand, block + out->turnover, resident, per_sm) / clock);
    memcpy(out->at, residence, sizeof out->at);
    out->pipe = residence[STATION_PIPE];
    out->starts = residence[STATION_STARTS];
    out->locks = residence[STATION_LOCKS];
    out->rounds = in_turn > most;
    if (model_has(w->without, MODEL_UNEVEN) && waiting->uneven.longest > 1)
        in_turn = fmax(in_turn, longest_block(waiting) / clock);
    most = in_turn > most ? in_turn : most;
    return most > bound->seconds ? most : bound->seconds;
}

double
model_time_estimate(const struct device_profile *d, const struct work *w,
                    const struct time_bound *bound, const struct waiting *waiting)
{
    struct warp_states states;
    return model_time_states(d, w, bound, waiting, &states);
}

/* -- launches ---------------------------------------------------------------------------------- */

struct launch_cost
model_launch_cost(const struct device_profile *d)
{
    static const struct {
        uint32_t major, minor;
        struct launch_cost cost;
    } rows[] = {
#define LAUNCH(major, minor, clocks, microseconds, alone, turnover, source)                        \
    {major, minor, {clocks, 1e-6 * (microseconds), 1e-6 * (alone), turnover}},
#include "model/model_launches.def"
#undef LAUNCH
    };
    size_t k = sizeof rows / sizeof *rows - 1;
    while (k > 0 && (d->cc_major < rows[k].major ||
                     (d->cc_major == rows[k].major && d->cc_minor < rows[k].minor)))
        k--;
    return rows[k].cost;
}

double
model_starts(const struct device_profile *d, const struct work *w)
{
    return (double)w->blocks * model_launch_cost(d).start_clocks / (d->clock_khz * 1e3);
}

double
model_time_launch(const struct device_profile *d, const struct work *w,
                  const struct waiting *waiting, double estimate)
{
    double starts = model_starts(d, w);
    if (waiting && starts > 0)
        starts += waiting->block_clocks / (d->clock_khz * 1e3);
    return (starts > estimate ? starts : estimate) + model_launch_cost(d).seconds;
}

double
model_copy_seconds(const struct device_profile *d, uint64_t bytes, enum model_copy kind)
{
    static const struct {
        uint32_t major, minor;
        double rate;
    } rows[] = {
#define COPY(major, minor, rate, source) {major, minor, 1e9 * (rate)},
#include "model/model_copies.def"
#undef COPY
    };
    size_t k = sizeof rows / sizeof *rows - 1;
    while (k > 0 && (d->cc_major < rows[k].major ||
                     (d->cc_major == rows[k].major && d->cc_minor < rows[k].minor)))
        k--;
    double n = (double)bytes, rate = rows[k].rate;
    if (kind != MODEL_COPY_HOST || d->integrated) {
        rate = (double)d->bandwidth;
        n *= kind == MODEL_FILL ? 1 : 2;
    }
    return n / rate + model_launch_cost(d).seconds;
}

/* -- partition camping ------------------------------------------------------------------------- */

uint32_t
model_partition(const struct device_profile *d, uint64_t address)
{
    if (!d->memory_partitions)
        return 0;
    return (uint32_t)(address / d->partition_bytes % d->memory_partitions);
}

/* -- which block runs where and when ----------------------------------------------------------- */

double
model_schedule(uint32_t sm_count, uint32_t blocks_per_sm, size_t blocks,
               double (*duration)(void *context, size_t block), void *context,
               struct placement *out)
{
    size_t slots = (size_t)sm_count * blocks_per_sm;
    if (!slots || !blocks)
        return 0;
    if (slots > blocks)
        slots = blocks;
    struct slot *heap = ls_alloc(slots * sizeof *heap);
    for (size_t i = 0; i < slots; i++) /* one on each SM in turn: already a heap */
        heap[i] = (struct slot){0, (uint32_t)(i % sm_count), (uint32_t)(i / sm_count), 0};
    double last = 0;
    for (size_t b = 0; b < blocks; b++) {
        struct slot *s = &heap[0];
        double time = duration ? duration(context, b) : 1;
        out[b] = (struct placement){s->sm, s->slot, s->wave, s->end, s->end + time};
        s->end += time;
        s->wave++;
        if (s->end > last)
            last = s->end;
        sift_down(heap, slots, 0);
    }
    ls_release(heap);
    return last;
}
