/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimate's mechanisms, each against a value worked by hand from an H200's constants (1.98
 * GHz, 132 SMs), and each without itself.
 */
#include "common/unit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static const double CLOCK = 1.98e9;

static const struct device_profile *
h200(void)
{
    return model_find_device("h200");
}

static uint64_t
less(enum model_mechanism m)
{
    return UINT64_C(1) << m;
}

static bool
near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b) + 1e-18;
}

static void
words(void **unused)
{
    (void)unused;
    struct ls_error err = {0};
    uint64_t without = 7;
    assert_true(model_without(NULL, &without, &err) && without == 0);
    assert_true(model_without("", &without, &err) && without == 0);
    assert_true(model_without("-l2-rate,-warm", &without, &err));
    assert_int_equal(without, less(MODEL_L2_RATE) | less(MODEL_WARM));
    assert_false(model_has(without, MODEL_WARM));
    assert_true(model_has(without, MODEL_ATOMICS));
    const char *const wrong[] = {"warm",           "-war", "-warmer", "-warm,,-l2-rate",
                                 "-warm;-l2-rate", "-"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct ls_error e = {0};
        assert_false(model_without(wrong[k], &without, &e));
        assert_non_null(strstr(e.text, "mechanism"));
    }
    for (int m = 0; m < MODEL_MECHANISMS; m++)
        assert_true(strlen(model_mechanism((enum model_mechanism)m)->text) > 20);
}

static void
expansions(void **unused)
{
    (void)unused;
    const struct expansion *before = NULL, *e;
    for (size_t k = 0; (e = model_expansion_at(k)); k++) {
        assert_true(!before || strcmp(before->name, e->name) < 0);
        assert_ptr_equal(model_expansion(e->name), e);
        assert_true(e->instructions >= 1 && e->instructions < 400 && e->clocks >= 4 &&
                    e->clocks < 2000);
        assert_true(e->special <= e->instructions && e->f64 <= e->instructions);
        before = e;
    }
    assert_null(model_expansion("div"));
    assert_null(model_expansion("ld.u32"));
    /* The instructions of the general path: a reciprocal, two refinements, two corrections. */
    assert_in_range(model_expansion("div.s64")->instructions, 60, 120);
    assert_in_range(model_expansion("div.f32")->instructions, 8, 12);
    assert_int_equal(model_expansion("sin.approx.f32")->special, 1);
    struct time_bound t;
    struct work w = {.warp_instructions = 1000, .issue_slots = 5280, .blocks = 132};
    model_time_bound(h200(), &w, &t); /* 4 a clock and SM */
    assert_true(near(t.each[BOUND_ISSUE], 10 / CLOCK));
    w.without = less(MODEL_EXPANSION);
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_ISSUE], 1000.0 / 528 / CLOCK));
}

static void
l2(void **unused)
{
    (void)unused;
    struct time_bound t;
    struct work w = {.l2_sectors = 2000000, .l2_stores = 500000, .blocks = 132};
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_L2], 1500000.0 * 32 / 4100 / CLOCK));
    w.l2_stores = 1500000;
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_L2], (1500000.0 * 32 / 1950 + 0.2 * 500000 * 32 / 4100) / CLOCK));
    w.without = less(MODEL_L2_BOTH);
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_L2], 1500000.0 * 32 / 1950 / CLOCK));
    double whole = t.each[BOUND_L2]; /* five of six channels on an H100, at the same clock */
    model_time_bound(model_find_device("h100"), &w, &t);
    assert_true(near(t.each[BOUND_L2], whole * 6 / 5));
    w.without |= less(MODEL_L2_SIZE);
    model_time_bound(model_find_device("h100"), &w, &t);
    assert_true(near(t.each[BOUND_L2], whole));
    w.without = less(MODEL_L2_RATE); /* the SMs' own ports: 64 bytes a clock each */
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_L2], 2000000.0 * 32 / 64 / 132 / CLOCK));
    w = (struct work){.l2_sectors = 2000000, .blocks = 1}; /* one SM: its port */
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_L2], 2000000.0 * 32 / 64 / CLOCK));
}

/* What L2 serves and takes of arrays that it has, together: all readings of 4 MiB and more, of an
 * H100 and an H200 (tools/record/model/together.cu). They are of 16 bytes a lane, of which L2 takes
 * a fifth more than of words. */
static void
l2_recorded(void **unused)
{
    static const char *const gpus[] = {"h100", "h200"};
    unsigned seen = 0;
    (void)unused;
    for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++) {
        char path[1024], line[256];
        unsigned reads, writes;
        double bytes, rate;
        snprintf(path, sizeof path, "%s/tests/data/%s_model_together.csv",
                 getenv("SOURCE_DIR") ? getenv("SOURCE_DIR") : ".", gpus[g]);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        while (fgets(line, sizeof line, f)) {
            if (sscanf(line, "l2_rate,read%u_write%u,%lf,%*u,%*u,%lf", &reads, &writes, &bytes,
                       &rate) != 4 ||
                bytes < (1 << 22))
                continue;
            struct work w = {.l2_sectors = (uint64_t)(1000000 * (reads + writes)),
                             .l2_stores = (uint64_t)(1000000 * writes),
                             .blocks = 132};
            struct time_bound t;
            model_time_bound(model_find_device(gpus[g]), &w, &t);
            double ratio = (double)w.l2_sectors * 32e-9 / t.each[BOUND_L2] / rate;
            assert_true(ratio > 0.77 && ratio < 1.25);
            seen++;
        }
        fclose(f);
    }
    assert_in_range(seen, 24, 40);
}

/* 4,194,304 words at random addresses, a request each: an H200 writes them in 58.9 us and reads
 * them in 29.8, of which the launch is 3.0 (scatter and gather in h200_model_shapes.csv). An H100
 * takes 15.6 million sectors of four words each in 155 us. */
static void
requests(void **unused)
{
    (void)unused;
    enum { WORDS = 1 << 22 };
    struct time_bound t;
    struct work w = {.l2_sectors = WORDS,
                     .l2_stores = WORDS,
                     .l2_partial = WORDS,
                     .l2_store_requests = WORDS,
                     .blocks = 16384};
    model_time_bound(h200(), &w, &t);
    assert_true(fabs(t.each[BOUND_L2] * 1e6 / 55.9 - 1) < 0.03);
    w.without = less(MODEL_REQUESTS);
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_L2], WORDS * 32.0 / MODEL_PARTIAL_BYTES / CLOCK));
    w = (struct work){.l2_sectors = WORDS, .l2_load_requests = WORDS, .blocks = 16384};
    model_time_bound(h200(), &w, &t);
    assert_true(fabs(t.each[BOUND_L2] * 1e6 / 26.8 - 1) < 0.06);
    w.l2_load_requests = WORDS / 4; /* whole lines: bytes decide */
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_L2], WORDS * 32.0 / 4100 / CLOCK));
    w = (struct work){.l2_sectors = 15600000,
                      .l2_stores = 15600000,
                      .l2_partial = 15600000,
                      .l2_store_requests = 3900000,
                      .blocks = 16384};
    model_time_bound(h200(), &w, &t);
    assert_true(fabs(t.each[BOUND_L2] * 1e6 / 155 - 1) < 0.07);
}

/* Four texels a clock and SM. */
static void
texture(void **unused)
{
    (void)unused;
    struct time_bound t;
    struct work w = {.texture_reads = 132 * 4000, .blocks = 132};
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_TEXTURE], 1000 / CLOCK));
    w.without = less(MODEL_TEXTURE);
    model_time_bound(h200(), &w, &t);
    assert_true(t.each[BOUND_TEXTURE] == 0);
}

/* 4,224 warps, 15 times each, 32 lanes on one word: 2,027,520 passes, 0.7525 ns each. The H200
 * takes 24.0 ns a warp, in h200_model_atomics.csv. */
static void
atomics(void **unused)
{
    (void)unused;
    struct time_bound t;
    struct work w = {
        .atomic_passes = 2027520, .hot_passes = 2027520, .hot_words = 63360, .blocks = 528};
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_ATOMIC], 2027520 * 1.49 / CLOCK));
    assert_true(fabs(t.each[BOUND_ATOMIC] / 63360 / 24.0e-9 - 1) < 0.05);
    w.hot_floats = 2027520; /* sums of floats: 57.3 ns a warp */
    model_time_bound(h200(), &w, &t);
    assert_true(fabs(t.each[BOUND_ATOMIC] / 63360 / 57.3e-9 - 1) < 0.05);
    w.hot_swaps = 100000;
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_ATOMIC], 100000 * 1000.0 / CLOCK));
    w = (struct work){.atomic_passes = 6400,
                      .hot_passes = 10,
                      .blocks = 528}; /* no slice has less than its share */
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_ATOMIC], 100 * 1.49 / CLOCK));
    w = (struct work){.atomic_passes = 6400,
                      .hot_passes = 6400,
                      .hot_words = 200,
                      .without = less(MODEL_ATOMICS)};
    model_time_bound(h200(), &w, &t);
    assert_true(near(t.each[BOUND_ATOMIC], 200 * 1.5 / CLOCK));
}

/* All readings of integers on one slice of L2: lanes on `distinct` words, 4 or 32 bytes apart. A
 * launch's own time, 7 us, is in them. */
static void
atomics_recorded(void **unused)
{
    char path[1024], line[256], op[32];
    unsigned used, blocks, threads, lanes, distinct, seen = 0;
    long stride, groups, apart, turns;
    double us;
    (void)unused;
    snprintf(path, sizeof path, "%s/tests/data/h200_model_atomics.csv",
             getenv("SOURCE_DIR") ? getenv("SOURCE_DIR") : ".");
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "global,%31[^,],%u,%u,%u,%u,%u,%ld,%ld,%ld,%ld,%lf", op, &used, &blocks,
                   &threads, &lanes, &distinct, &stride, &groups, &apart, &turns, &us) != 11 ||
            (strcmp(op, "add_s32") && strcmp(op, "max_s32")) || groups != 1 || lanes != 32 ||
            blocks < 500 || stride > 32 || (stride == 32 && distinct > 8))
            continue;
        uint64_t requests = (uint64_t)blocks * threads / 32 * (uint64_t)turns;
        uint64_t sectors = stride == 32 ? distinct : (distinct + 7) / 8,
                 passes = requests * (32 / distinct) * sectors;
        struct work w = {.atomic_passes = passes, .hot_passes = passes, .blocks = blocks};
        struct time_bound t;
        model_time_bound(h200(), &w, &t);
        assert_true(fabs(t.each[BOUND_ATOMIC] * 1e6 / (us - 7) - 1) < 0.28);
        seen++;
    }
    fclose(f);
    assert_in_range(seen, 15, 40);
}

/* Ten rounds of one block, which waits for 1,000 clocks: nine times 450 between them. */
static void
turnover(void **unused)
{
    (void)unused;
    struct device_profile d = *h200();
    d.sm_count = 1;
    struct waiting w = {.warp_clocks = 1000, .block_clocks = 1000, .warps_per_block = 1};
    struct work k = {.blocks = 10, .blocks_per_sm = 1};
    struct time_bound b = {0};
    double with = model_time_estimate(&d, &k, &b, &w);
    k.without = less(MODEL_TURNOVER) | less(MODEL_STARTS);
    double none = model_time_estimate(&d, &k, &b, &w);
    assert_true(near(none, 10 * 1000 / CLOCK));
    k.without = less(MODEL_STARTS);
    assert_true(near(model_time_estimate(&d, &k, &b, &w), (10 * 1000 + 9 * 450) / CLOCK));
    assert_true(with >= (10 * 1000 + 9 * 450) / CLOCK);
    w.drain_clocks = 200; /* its stores are under way */
    assert_true(near(model_time_estimate(&d, &k, &b, &w), (10 * 1000 + 9 * 650) / CLOCK));
    k.without |= less(MODEL_DRAIN);
    assert_true(near(model_time_estimate(&d, &k, &b, &w), (10 * 1000 + 9 * 450) / CLOCK));
    k.blocks = 1; /* nothing before it */
    k.without = less(MODEL_STARTS);
    assert_true(near(model_time_estimate(&d, &k, &b, &w), 1000 / CLOCK));
}

/* A block of so many warps that each wait for one line of device memory: 655 clocks, and of 170
 * more as many as lines over lines and 14. */
static void
in_flight(void **unused)
{
    (void)unused;
    struct device_profile d = *h200();
    d.sm_count = 1;
    struct work k = {.blocks = 1, .blocks_per_sm = 1, .without = less(MODEL_STARTS)};
    struct time_bound b = {0};
    for (uint32_t warps = 1; warps <= 32; warps *= 2) {
        struct waiting w = {
            .warp_clocks = 655, .block_clocks = 655, .memory_waits = 1, .warps_per_block = warps};
        double clocks = 655 + 170.0 * warps / (warps + 14);
        assert_true(fabs(model_time_estimate(&d, &k, &b, &w) * CLOCK - clocks) < 0.1);
        k.without |= less(MODEL_IN_FLIGHT);
        assert_true(near(model_time_estimate(&d, &k, &b, &w), 655 / CLOCK));
        k.without &= ~less(MODEL_IN_FLIGHT);
        w.memory_waits = 0; /* what L2 has comes as soon as ever */
        assert_true(near(model_time_estimate(&d, &k, &b, &w), 655 / CLOCK));
    }
}

/* A warp that waits 1,000 clocks, and 500 more for device memory to move what it reads and writes:
 * 240 / 2 clocks by how busy that is, which is less where it waits. */
static void
turnaround(void **unused)
{
    (void)unused;
    struct device_profile d = *h200();
    d.sm_count = 1;
    struct waiting w = {
        .warp_clocks = 1000, .block_clocks = 1000, .memory_waits = 1, .warps_per_block = 1};
    struct work k = {.blocks = 1,
                     .blocks_per_sm = 1,
                     .dram_bytes = 1000,
                     .dram_written = 500,
                     .without = less(MODEL_STARTS) | less(MODEL_IN_FLIGHT) | less(MODEL_DRAM_RATE)};
    struct time_bound b = {.seconds = 500 / CLOCK, .each = {[BOUND_DRAM] = 500 / CLOCK}};
    double clocks = model_time_estimate(&d, &k, &b, &w) * CLOCK, u = 500 / clocks;
    assert_true(clocks > 1550 && fabs(clocks - 1500 - 120 * u / (1 - u)) < 0.1);
    k.dram_written = 0; /* only read */
    assert_true(fabs(model_time_estimate(&d, &k, &b, &w) * CLOCK - 1500) < 0.1);
    k.dram_written = 500;
    k.without |= less(MODEL_TURNAROUND);
    assert_true(fabs(model_time_estimate(&d, &k, &b, &w) * CLOCK - 1500) < 0.1);
}

/* What fills 0.72 of L2 stays, what fills 0.9 does not; of what is between a part does. */
static void
kept(void **unused)
{
    (void)unused;
    struct device_profile d = *h200();
    d.l2_bytes = 1000000;
    assert_true(model_kept(&d, 0) == 1 && model_kept(&d, 720000) == 1);
    assert_true(near(model_kept(&d, 810000), 0.5));
    assert_true(model_kept(&d, 900000) == 0 && model_kept(&d, 1u << 30) == 0);
    d.l2_bytes = 0;
    assert_true(model_kept(&d, 1) == 0);
}

/* Turns of a loop with one load, by warps on an SM, of two GPUs; loop and sum take 30 clocks. */
static void
in_flight_recorded(void **unused)
{
    static const char *const gpus[] = {"h100", "h200"};
    (void)unused;
    for (size_t k = 0; k < 2; k++) {
        char path[1024], line[256];
        unsigned threads, seen = 0;
        double clocks;
        snprintf(path, sizeof path, "%s/tests/data/%s_model_memory.csv",
                 getenv("SOURCE_DIR") ? getenv("SOURCE_DIR") : ".", gpus[k]);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        while (fgets(line, sizeof line, f)) {
            if (sscanf(line, "memory_turn,read1,256,%u,1,%lf", &threads, &clocks) != 2)
                continue;
            struct device_profile d = *model_find_device(gpus[k]);
            struct waiting w = {.warp_clocks = 685,
                                .block_clocks = 685,
                                .memory_waits = 1,
                                .warps_per_block = threads / 32};
            struct work work = {.blocks = d.sm_count, .blocks_per_sm = 1};
            struct time_bound b = {0};
            work.without = less(MODEL_STARTS);
            double t = model_time_estimate(&d, &work, &b, &w) * d.clock_khz * 1e3;
            assert_true(fabs(t / clocks - 1) < 0.05);
            seen++;
        }
        fclose(f);
        assert_int_equal(seen, 5);
    }
}

/* Blocks of four warps that each need 100 clocks of a resource, of 1,000 that the block takes. Two
 * in place: the first finds nobody there, the second one 400 of 1,000 times, so that eight blocks
 * take 8 / 2 * (600 + 400 * 1.4). */
static void
places(void **unused)
{
    (void)unused;
    struct device_profile d = *h200();
    d.sm_count = 1;
    struct waiting w = {.warp_clocks = 10, .block_clocks = 1000, .warps_per_block = 4};
    struct work k = {
        .blocks = 8, .blocks_per_sm = 2, .without = less(MODEL_TURNOVER) | less(MODEL_STARTS)};
    struct time_bound b = {.seconds = 3200 / CLOCK, .each = {[BOUND_SFU] = 3200 / CLOCK}};
    assert_true(near(model_time_estimate(&d, &k, &b, &w), 4640 / CLOCK));
    k.without |= less(MODEL_PLACES);
    assert_true(near(model_time_estimate(&d, &k, &b, &w), 4000 / CLOCK));
    k.without &= ~less(MODEL_PLACES);
    k.blocks = 2; /* one round: no place is waited for, */
    b.seconds = b.each[BOUND_SFU] = 800 / CLOCK;
    assert_true(near(model_time_estimate(&d, &k, &b, &w), 1000 / CLOCK));
    w.meets = true; /* but where warps of a block wait for each other */
    assert_true(near(model_time_estimate(&d, &k, &b, &w), 1160 / CLOCK));
    k.blocks = 8, k.blocks_per_sm = 1; /* one block in place: one after the other */
    b.seconds = b.each[BOUND_SFU] = 3200 / CLOCK;
    assert_true(near(model_time_estimate(&d, &k, &b, &w), 8000 / CLOCK));
}

/* A resource that is always busy idles for the 1,000 clocks that a warp waits on its way; one that
 * hardly is does not count. */
static void
ramp(void **unused)
{
    (void)unused;
    struct device_profile d = *h200();
    d.sm_count = 1;
    struct waiting w = {
        .warp_clocks = 1000, .first_clocks = 1000, .block_clocks = 1000, .warps_per_block = 1};
    struct work k = {.blocks = 6400,
                     .blocks_per_sm = 64,
                     .without = less(MODEL_TURNOVER) | less(MODEL_STARTS) | less(MODEL_PLACES)};
    for (double demand = 100; demand > 0; demand = demand > 1 ? 0.1 : 0) {
        struct time_bound b = {.seconds = 6400 * demand / CLOCK,
                               .each = {[BOUND_SFU] = 6400 * demand / CLOCK}};
        double with = model_time_estimate(&d, &k, &b, &w) * CLOCK;
        k.without |= less(MODEL_RAMP);
        double ramp = with - model_time_estimate(&d, &k, &b, &w) * CLOCK;
        k.without &= ~less(MODEL_RAMP);
        assert_true(demand > 1 ? ramp > 970 && ramp <= 1000.1 : ramp < 10);
    }
}

/* One warp a block, 32 resident on each of 132 SMs: starts are 158.4 clocks apart on an SM, and
 * nothing else limits. */
static void
starts(void **unused)
{
    (void)unused;
    struct waiting w = {.warp_clocks = 10, .block_clocks = 10, .warps_per_block = 1};
    struct work k = {.blocks = 132 * 3200, .blocks_per_sm = 32, .without = less(MODEL_TURNOVER)};
    struct time_bound b = {0};
    double t = model_time_estimate(h200(), &k, &b, &w);
    assert_true(fabs(t / (3200 * 1.2 * 132 / CLOCK) - 1) < 0.01);
    k.without |= less(MODEL_STARTS);
    assert_true(model_time_estimate(h200(), &k, &b, &w) < t / 10);
}

static void
memory(void **unused)
{
    (void)unused;
    assert_int_equal(model_latencies(h200(), 0)->memory, 655);
    assert_int_equal(model_latencies(h200(), less(MODEL_LATENCY))->memory, 479);
    assert_int_equal(model_latencies(model_find_cc("8.0"), 0)->memory, 466);
    assert_int_equal(model_latencies(model_find_cc("12.0"), 0)->memory, 655);
    /* 512 blocks of 32 warps that only load: 88 % of 4.8 TB/s, when enough of them are there. */
    struct device_profile d = *h200();
    struct waiting w = {.warp_clocks = 10, .block_clocks = 10, .warps_per_block = 32};
    struct work k = {.blocks = 132 * 64,
                     .blocks_per_sm = 2,
                     .without = less(MODEL_TURNOVER) | less(MODEL_STARTS)};
    k.dram_bytes = 4800000000ull;
    struct time_bound b;
    model_time_bound(&d, &k, &b);
    assert_true(near(b.each[BOUND_DRAM], 1e-3));
    assert_true(fabs(model_time_estimate(&d, &k, &b, &w) * 1e3 * 0.88 - 1) < 0.01);
    k.without |= less(MODEL_DRAM_RATE);
    assert_true(fabs(model_time_estimate(&d, &k, &b, &w) * 1e3 - 1) < 0.01);
}

/* A barrier of 1 to 32 warps: h200_model_waiting.csv, to a tenth. */
static void
barriers(void **unused)
{
    static const struct {
        uint32_t warps;
        double clocks;
    } rows[] = {{1, 29.7}, {2, 29.6}, {4, 31.9}, {8, 41.6}, {16, 55.5}, {32, 87.8}};
    (void)unused;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_true(fabs(model_barrier_clocks(rows[k].warps) / rows[k].clocks - 1) < 0.1);
}

/* Sums of floats in shared memory, 32 warps of a block on one word: 1,388 clocks of the SM each
 * (h200_model_atomics.csv), as 32 passes of 43; each warp on a word of its own: 14 slots a pass. */
static void
shared_loops(void **unused)
{
    (void)unused;
    struct device_profile d = *h200();
    d.sm_count = 1;
    struct waiting w = {.warp_clocks = 32 * MODEL_LOOP_CLOCKS,
                        .block_clocks = 32 * MODEL_LOOP_CLOCKS,
                        .warps_per_block = 32};
    struct work k = {.blocks = 64,
                     .blocks_per_sm = 1,
                     .warp_instructions = 64 * 32,
                     .shared_loops = 64 * 32 * 32,
                     .shared_locks = 64 * 32 * 32,
                     .without = less(MODEL_TURNOVER) | less(MODEL_STARTS)};
    struct time_bound b;
    model_time_bound(&d, &k, &b);
    assert_true(near(b.each[BOUND_ISSUE], (64 * 32 + 64 * 32 * 32 * 14.0) / 4 / CLOCK));
    double each = model_time_estimate(&d, &k, &b, &w) * CLOCK / 64 / 32;
    assert_true(fabs(each / 1388 - 1) < 0.1);
    k.without |= less(MODEL_SHARED_LOOPS);
    model_time_bound(&d, &k, &b);
    assert_true(model_time_estimate(&d, &k, &b, &w) * CLOCK / 64 / 32 < 200);
}

int
main(void)
{
    return UNIT_TESTS(words, expansions, l2, l2_recorded, requests, texture, atomics,
                      atomics_recorded, turnover, kept, turnaround, in_flight, in_flight_recorded,
                      places, ramp, starts, memory, barriers, shared_loops);
}
