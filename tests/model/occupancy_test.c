/* SPDX-License-Identifier: Apache-2.0
 *
 * Occupancy against published cases, the limits table of lecture 000, devices by name, caches,
 * time bounds, placement of blocks.
 */
#include <string.h>
#include "common/unit.h"

#include "csv.h"
#include "model/model.h"

static const struct {
    const char *cc;
    uint32_t threads, registers, shared, blocks;
    const char *limited_by;
} cases[] = {
    /* CUDA C Best Practices Guide 2.3, 4.2: 8192 registers, 12 of them a thread: 83 % and 66 % */
    {"1.0", 128, 12, 0, 5, "registers"},
    {"1.0", 256, 12, 0, 2, "registers"},
    {"1.1", 256, 10, 0, 3, "warps"},
    /* Kirk and Hwu, chapter 5 (and lecture 001): 16x16 blocks, 10 registers 3 blocks, 11: 2 */
    {"1.0", 256, 11, 0, 2, "registers"},
    {"1.0", 64, 10, 2048, 8, "blocks"},
    {"1.3", 256, 16, 0, 4, "warps"},
    {"1.3", 512, 33, 0, 0, "registers"},
    {"1.0", 64, 10, 4096, 4, "shared"},
    {"1.0", 64, 10, 5000, 3, "shared"}, /* 5120 after rounding to 512 */
    /* Fermi: 20 registers fill the SM, 21 do not (units of 64 per warp) */
    {"2.0", 192, 20, 0, 8, "warps"},
    {"2.0", 192, 21, 0, 7, "registers"},
    {"2.0", 256, 16, 16384, 3, "shared"},
    {"2.0", 1024, 20, 0, 1, "warps"},
    {"2.0", 256, 64, 0, 0, "registers"}, /* 63 are the most */
    {"3.0", 128, 32, 0, 16, "warps"},
    {"3.5", 256, 64, 0, 4, "registers"},
    {"3.7", 256, 64, 0, 8, "warps"}, /* twice the registers */
    {"3.5", 32, 16, 0, 16, "blocks"},
    {"5.0", 32, 16, 0, 32, "blocks"},
    {"5.2", 256, 32, 12288, 8, "warps"},
    {"5.2", 256, 32, 12544, 7, "shared"},
    {"5.3", 1024, 33, 0, 0, "registers"}, /* 32 K registers a block */
    {"6.0", 128, 40, 0, 12, "registers"},
    /* CUDA C++ Best Practices Guide 10 to 13, "Calculating Occupancy", 7.0: 37 registers: 12
     * blocks of 128 (75 %), 4 of 320 (63 %) */
    {"7.0", 128, 37, 0, 12, "registers"},
    {"7.0", 320, 37, 0, 4, "registers"},
    {"7.0", 256, 32, 98304, 1, "shared"},
    {"7.5", 256, 32, 0, 4, "warps"},
    {"7.5", 64, 32, 0, 16, "warps"},
    {"8.0", 1024, 32, 81920, 2, "warps"}, /* 81 KiB with the reserved one, twice: 162 of 164 */
    {"8.0", 512, 32, 163 * 1024, 1, "shared"},
    {"8.0", 512, 32, 163 * 1024 + 1, 0, "shared"},
    {"8.6", 128, 40, 0, 12, "warps"},
    {"8.6", 64, 32, 0, 16, "blocks"},
    {"8.9", 64, 32, 0, 24, "warps"},
    {"9.0", 128, 32, 113 * 1024, 2, "shared"}, /* 2 x (113 + 1) = 228 */
    {"9.0", 128, 32, 114 * 1024, 1, "shared"},
    {"9.0", 1024, 64, 0, 1, "registers"},
    {"9.0", 1024, 65, 0, 0, "registers"},
    {"9.0", 1025, 32, 0, 0, "threads"},
    {"9.0", 33, 32, 0, 32, "warps"}, /* two warps */
    {"12.0", 64, 32, 0, 24, "warps"},
};

static void
published_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct occupancy_query q = {.threads_per_block = cases[i].threads,
                                    .registers_per_thread = cases[i].registers,
                                    .dynamic_shared = cases[i].shared};
        struct occupancy o;
        model_occupancy(model_find_cc(cases[i].cc), &q, &o);
        if (o.blocks_per_sm != cases[i].blocks || strcmp(o.limited_by, cases[i].limited_by))
            fail_msg("%s, %u threads, %u registers, %u bytes: %u blocks by %s, published %u by %s",
                     cases[i].cc, cases[i].threads, cases[i].registers, cases[i].shared,
                     o.blocks_per_sm, o.limited_by, cases[i].blocks, cases[i].limited_by);
    }
}

/* tools/record/record.sh occupancy, where it has been run: cudaOccupancy...'s own answers. */
static void
recorded_row(char **field, int count, void *context)
{
    assert_int_equal(count, 6);
    struct occupancy_query q = {.threads_per_block = (uint32_t)strtoul(field[1], NULL, 10),
                                .registers_per_thread = (uint32_t)strtoul(field[2], NULL, 10),
                                .static_shared = (uint32_t)strtoul(field[3], NULL, 10),
                                .dynamic_shared = (uint32_t)strtoul(field[4], NULL, 10)};
    struct occupancy o;
    model_occupancy(context, &q, &o);
    if (o.blocks_per_sm != strtoul(field[5], NULL, 10))
        fail_msg("row %s: model %u by %s, device %s", field[0], o.blocks_per_sm, o.limited_by,
                 field[5]);
}

static void
recorded_launches(void **state)
{
    (void)state;
    const struct device_profile *d = model_find_device("h200");
    int rows = csv_each("h200_occupancy.csv", recorded_row, (void *)(uintptr_t)d);
    if (rows < 0)
        skip(); /* not recorded yet */
    assert_int_equal(rows, 1000);
}

static void
carveouts(void **state)
{
    (void)state;
    const struct device_profile *fermi = model_find_cc("2.0"), *h = model_find_cc("9.0");
    assert_int_equal(model_carveout(fermi, 1), 16384);
    assert_int_equal(model_carveout(fermi, 16385), 49152);
    assert_int_equal(model_carveout(model_find_cc("3.5"), 20000), 32768);
    assert_int_equal(model_carveout(h, 101 * 1024), 132 * 1024);
    assert_int_equal(model_l1_bytes(fermi, 49152), 16384);
    assert_int_equal(model_l1_bytes(fermi, 16384), 49152);
    /* lecture 002: preferring L1 costs residents: 16 KiB hold one block of 12 KiB, 48 hold four */
    struct occupancy_query q = {.threads_per_block = 128,
                                .registers_per_thread = 16,
                                .static_shared = 12288,
                                .shared_carveout = 16384};
    struct occupancy o;
    model_occupancy(fermi, &q, &o);
    assert_int_equal(o.blocks_per_sm, 1);
    q.shared_carveout = 49152;
    model_occupancy(fermi, &q, &o);
    assert_int_equal(o.blocks_per_sm, 4);
    q.shared_carveout = 0;
    q.static_shared = 40000; /* a wish gives way: one block must fit */
    q.shared_carveout = 16384;
    model_occupancy(fermi, &q, &o);
    assert_int_equal(o.blocks_per_sm, 1);
    assert_int_equal(o.shared_per_sm, 49152);
}

/* Lecture 000's table. Its text says 124 registers a thread for 1.x (the guide's figure), 63 for
 * 2.x and 3.0, 255 from 3.5. Shared memory of 3.7 is 112 KB, of 5.2 96 KB. Where its columns run
 * together (grid x of 2.x, blocks of 5.x) the guide's table decides. */
static const struct {
    const char *cc;
    uint32_t grid_x, grid_z, block, block_z, threads, blocks, warps, sm_threads, registers, most;
    uint32_t shared_kb, banks, local_kb;
} limits[] = {
    {"1.0", 65535, 1, 512, 64, 512, 8, 24, 768, 8, 124, 16, 16, 16},
    {"1.1", 65535, 1, 512, 64, 512, 8, 24, 768, 8, 124, 16, 16, 16},
    {"1.2", 65535, 1, 512, 64, 512, 8, 32, 1024, 16, 124, 16, 16, 16},
    {"1.3", 65535, 1, 512, 64, 512, 8, 32, 1024, 16, 124, 16, 16, 16},
    {"2.0", 65535, 65535, 1024, 64, 1024, 8, 48, 1536, 32, 63, 48, 32, 512},
    {"2.1", 65535, 65535, 1024, 64, 1024, 8, 48, 1536, 32, 63, 48, 32, 512},
    {"3.0", 2147483647, 65535, 1024, 64, 1024, 16, 64, 2048, 64, 63, 48, 32, 512},
    {"3.5", 2147483647, 65535, 1024, 64, 1024, 16, 64, 2048, 64, 255, 48, 32, 512},
    {"3.7", 2147483647, 65535, 1024, 64, 1024, 16, 64, 2048, 128, 255, 112, 32, 512},
    {"5.0", 2147483647, 65535, 1024, 64, 1024, 32, 64, 2048, 64, 255, 64, 32, 512},
    {"5.2", 2147483647, 65535, 1024, 64, 1024, 32, 64, 2048, 64, 255, 96, 32, 512},
    {"7.5", 2147483647, 65535, 1024, 64, 1024, 16, 32, 1024, 64, 255, 64, 32, 512},
    {"8.0", 2147483647, 65535, 1024, 64, 1024, 32, 64, 2048, 64, 255, 164, 32, 512},
    {"8.6", 2147483647, 65535, 1024, 64, 1024, 16, 48, 1536, 64, 255, 100, 32, 512},
    {"8.9", 2147483647, 65535, 1024, 64, 1024, 24, 48, 1536, 64, 255, 100, 32, 512},
    {"9.0", 2147483647, 65535, 1024, 64, 1024, 32, 64, 2048, 64, 255, 228, 32, 512},
    {"10.0", 2147483647, 65535, 1024, 64, 1024, 32, 64, 2048, 64, 255, 228, 32, 512},
    {"11.0", 2147483647, 65535, 1024, 64, 1024, 24, 48, 1536, 64, 255, 228, 32, 512},
    {"12.0", 2147483647, 65535, 1024, 64, 1024, 24, 48, 1536, 64, 255, 100, 32, 512},
};

static void
limits_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct device_profile *d = model_find_cc(limits[i].cc);
        assert_non_null(d);
        assert_int_equal(d->max_grid[0], limits[i].grid_x);
        assert_int_equal(d->max_grid[2], limits[i].grid_z);
        assert_int_equal(d->max_block[0], limits[i].block);
        assert_int_equal(d->max_block[2], limits[i].block_z);
        assert_int_equal(d->max_threads_per_block, limits[i].threads);
        assert_int_equal(d->max_blocks_per_sm, limits[i].blocks);
        assert_int_equal(d->max_warps_per_sm, limits[i].warps);
        assert_int_equal(d->max_threads_per_sm, limits[i].sm_threads);
        assert_int_equal(d->registers_per_sm >> 10, limits[i].registers);
        assert_int_equal(d->max_registers_per_thread, limits[i].most);
        assert_int_equal(d->shared_per_sm >> 10, limits[i].shared_kb);
        assert_int_equal(d->shared_banks, limits[i].banks);
        assert_int_equal(d->local_bytes_per_thread >> 10, limits[i].local_kb);
    }
}

static void
devices(void **state)
{
    (void)state;
    const struct device_profile *d;
    size_t generic = 0, index = 0;
    for (; (d = model_device_at(index)); index++) {
        assert_ptr_equal(model_find_device(d->key), d);
        assert_ptr_equal(model_find_device(d->name), d);
        assert_int_equal(d->warp_size, 32);
        assert_int_equal(d->max_threads_per_sm, 32 * d->max_warps_per_sm);
        assert_true(d->sm_count && d->clock_khz && d->memory_bytes && d->source[0]);
        /* the data sheet's bandwidth is that of two transfers a clock, within 4 % */
        double computed = 2e3 * d->memory_clock_khz * d->memory_bus_bits / 8;
        assert_true((double)d->bandwidth > computed * 0.96);
        assert_true((double)d->bandwidth < computed * 1.04);
        generic += !strncmp(d->key, "cc", 2);
    }
    assert_int_equal(generic, 29);
    assert_string_equal(model_default_device()->key, "h200");
    assert_string_equal(model_find_device("sm_90a")->key, "cc9.0");
    assert_string_equal(model_find_device("RTX 4090")->key, "rtx4090");
    assert_null(model_find_device("h300"));
    static const char *const same[][2] = {{"RTX-4090", "rtx4090"},
                                          {"4090", "rtx4090"},
                                          {"nvidia geforce rtx 4090", "rtx4090"},
                                          {" Rtx 4070 TI super ", "rtx4070tisuper"},
                                          {"rtx4070", "rtx4070"},
                                          {"4070ti", "rtx4070ti"},
                                          {"NVIDIA GeForce RTX 4060 Laptop GPU", "rtx4060-laptop"},
                                          {"RTX 4060 laptop", "rtx4060-laptop"},
                                          {"4060 mobile", "rtx4060-laptop"},
                                          {"tesla_t4", "t4"},
                                          {"NVIDIA L4", "l4"},
                                          {"NVIDIA A10", "a10"},
                                          {"A40", "a40"},
                                          {"b200", "b200"},
                                          {"GB10", "gb10"},
                                          {"Jetson Orin Nano", "orin-nano"},
                                          {"jetson nano", "nano"},
                                          {"orin nx", "orin-nx"},
                                          {"rtx 2060", "rtx2060"},
                                          {"RTX 3050 Ti Laptop GPU", "rtx3050ti-laptop"},
                                          {"RTX 5090", "rtx5090"},
                                          {"5060 ti", "rtx5060ti"},
                                          {"sm_86", "cc8.6"},
                                          {"8.6", "cc8.6"},
                                          {"cc8.6", "cc8.6"}};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        const struct device_profile *found = model_find_device(same[k][0]);
        if (!found || strcmp(found->key, same[k][1]) != 0)
            fail_msg("%s is %s, not %s", same[k][0], found ? found->key : "not found", same[k][1]);
    }
    static const char *const wrong[] = {"rtx4075", "geforce", "nvidia", "gpu",
                                        " ",       "laptop",  "rtx",    "rtx 4090 gtx"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_null(model_find_device(wrong[k]));
    static const char *const nine[] = {"9.0",  "9",      "90",         "90a",   "9.0a", "sm_90",
                                       "sm90", "SM_90a", "compute_90", "cc9.0", "cc90"};
    for (size_t k = 0; k < sizeof nine / sizeof *nine; k++)
        assert_ptr_equal(model_find_cc(nine[k]), model_find_device("cc9.0"));
    assert_string_equal(model_find_cc("100")->key, "cc10.0");
    assert_string_equal(model_find_cc("sm_100")->key, "cc10.0");
    assert_string_equal(model_find_cc("sm_10")->key, "cc1.0");
    assert_string_equal(model_find_cc("13")->key, "cc1.3");
    assert_string_equal(model_find_cc("12.1")->key, "cc12.1");
    static const char *const none[] = {"9.1",  "10", "11",  "12",   "",    "x",    "9.",
                                       "9.00", "-9", "9 0", "sm_9", "sm_", "9.0b", "900"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        assert_null(model_find_cc(none[k]));
    struct device_hint hint;
    assert_string_equal(model_device_hint("10", true, &hint), "(did you mean 1.0 or 10.0?)");
    assert_string_equal(model_device_hint("9.1", true, &hint), "(did you mean 9.0?)");
    assert_non_null(strstr(model_device_hint("rtx 4075", false, &hint), "rtx4070"));
    assert_non_null(
        strstr(model_device_hint("geforce rtx4060lapto", false, &hint), "rtx4060-laptop"));
    assert_non_null(strstr(model_device_hint("qqqqqq", false, &hint), "lockstep devices"));
    assert_null(model_find_device(""));
}

static void
caches(void **state)
{
    (void)state;
    const struct device_profile *d = model_find_device("h200");
    struct cache_system *s = cache_system_new(d, 0);
    for (int turn = 0; turn < 2; turn++)
        for (uint64_t a = 0; a < 1 << 16; a += 32)
            cache_system_sector(s, 3, a, ACCESS_LOAD, false);
    struct cache_counts n = cache_system_counts(s, false);
    assert_int_equal(n.l1_sectors, 2 * 2048);
    assert_int_equal(n.l1_hits, 2048);
    assert_int_equal(n.dram_bytes_read, 1 << 16);
    cache_system_launch(s); /* L1 forgets, L2 does not */
    cache_system_sector(s, 4, 0, ACCESS_LOAD, false);
    cache_system_sector(s, 4, 1 << 20, ACCESS_STORE, false);
    n = cache_system_counts(s, true);
    assert_int_equal(n.l2_hits, 2); /* a store needs nothing from memory */
    assert_int_equal(n.l2_loads, 2048 + 1);
    assert_int_equal(n.dram_bytes_read, 1 << 16);
    assert_int_equal(n.dram_bytes_written, 32);
    cache_system_free(s);
}

/* Two halves of L2: what the other half has brought from memory is not in one's own until it has
 * been asked for; what is written, the home alone has. Lines 0 and 1 have different homes. */
static void
l2_halves(void **state)
{
    (void)state;
    struct cache_system *s = cache_system_new(model_find_device("h200"), 0);
    const struct {
        uint32_t sm;
        uint64_t address;
        enum access_op op;
        uint32_t hits; /* so far */
    } turns[] = {{0, 0, ACCESS_LOAD, 0},   {8, 0, ACCESS_LOAD, 0},   {9, 0, ACCESS_LOAD, 1},
                 {1, 0, ACCESS_LOAD, 2},   {0, 128, ACCESS_LOAD, 2}, {8, 128, ACCESS_LOAD, 3},
                 {1, 128, ACCESS_LOAD, 4}, {8, 0, ACCESS_STORE, 5},  {10, 0, ACCESS_LOAD, 5},
                 {2, 0, ACCESS_LOAD, 6}};
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
        cache_system_sector(s, turns[k].sm, turns[k].address, turns[k].op, true);
        assert_int_equal(cache_system_counts(s, false).l2_hits, turns[k].hits);
    }
    assert_int_equal(cache_system_counts(s, false).dram_bytes_read, 64);
    cache_system_free(s);

    s = cache_system_new(model_find_device("v100"), 0); /* one piece */
    cache_system_sector(s, 0, 0, ACCESS_LOAD, true);
    cache_system_sector(s, 8, 0, ACCESS_LOAD, true);
    assert_int_equal(cache_system_counts(s, false).l2_hits, 1);
    cache_system_free(s);
}

static void
bounds(void **state)
{
    (void)state;
    const struct device_profile *g80 = model_find_device("g80");
    /* lecture 001: G80, 346.5 GFLOP/s and 86.4 GB/s: 4 bytes a flop bound it to 21.6 GFLOP/s */
    assert_true(model_roofline(g80, false, 0.25) == 21.6e9);
    assert_true(model_peak_flops(g80, false) == 2.0 * 8 * 16 * 1.35e9);
    assert_true(model_roofline(g80, false, 1000) == model_peak_flops(g80, false));

    const struct device_profile *d = model_find_device("h200");
    struct work w = {.dram_bytes = 4800000000ull, .warp_instructions = 1000};
    struct time_bound t;
    model_time_bound(d, &w, &t);
    assert_string_equal(model_bound_name(t.busiest), "dram");
    assert_true(t.seconds > 0.00099 && t.seconds < 0.00101);
    w.shared_wavefronts = 132ull * 1980000000ull;
    model_time_bound(d, &w, &t);
    assert_string_equal(model_bound_name(t.busiest), "shared");
    assert_true(t.seconds > 0.999 && t.seconds < 1.001);
    w.blocks = 133; /* one block too many for one round: half the SMs idle in the second */
    model_time_bound(d, &w, &t);
    assert_true(t.seconds > 1.98 && t.seconds < 1.99);
}

static double
first_is_slow(void *context, size_t block)
{
    (void)context;
    return block == 0 ? 10 : 1;
}

static void
placement(void **state)
{
    (void)state;
    struct placement p[8];
    assert_true(model_schedule(2, 1, 8, NULL, NULL, p) == 4); /* B7: 8 blocks, 2 SMs: 4 waves */
    assert_int_equal(p[7].sm, 1);
    assert_int_equal(p[7].wave, 3);
    assert_true(model_schedule(4, 1, 8, NULL, NULL, p) == 2); /* 4 SMs: 2 waves */
    assert_int_equal(p[5].sm, 1);
    assert_true(model_schedule(2, 1, 8, first_is_slow, NULL, p) == 10);
    for (int i = 1; i < 8; i++)
        assert_int_equal(p[i].sm, 1);
    assert_true(model_schedule(2, 4, 8, NULL, NULL, p) == 1);
    assert_int_equal(p[2].sm, 0);
    assert_int_equal(p[2].slot, 1);
    assert_true(model_schedule(2, 0, 8, NULL, NULL, p) == 0);
}

int
main(void)
{
    return UNIT_TESTS(published_cases, recorded_launches, carveouts, limits_table, devices, caches,
                      l2_halves, bounds, placement);
}
