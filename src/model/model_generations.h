/* SPDX-License-Identifier: Apache-2.0
 *
 * What each compute capability allows: one macro CC_<major>_<minor> per capability, a list of
 * designated initialisers of struct device_profile. The rows of model_devices.def add to it what
 * belongs to one product (SMs, clocks, memory). Included by devices.c alone.
 *
 * Sources. Limits: "CUDA C Programming Guide", appendix "Compute Capabilities", table "Technical
 * Specifications per Compute Capability": releases 2.3 and 3.0 (1.x), 4.2 (2.x), 6.5 (3.x), 8.0
 * (5.x and 6.x), 10.2 (7.x), 13.0 (7.5 and later). Rates: its table "Throughput of Native
 * Arithmetic Instructions" (results per clock and SM). Allocation units: NVIDIA's published
 * "CUDA Occupancy Calculator" sheets, page "GPU Data" (releases 3.0 to 11.1). Where the two differ
 * (registers per block of 5.2, warps of 6.2) the guide's later figure stands.
 */
#ifndef LOCKSTEP_MODEL_GENERATIONS_H
#define LOCKSTEP_MODEL_GENERATIONS_H

/* clang-format off */
#define KB(n) ((n) * 1024u)

/* GRID(x, y, z), BLOCK(x and y, z, threads), RESIDENT(blocks, warps, threads, grids) */
#define GRID(x, y, z) .max_grid = { x, y, z }
#define BLOCK(xy, z, threads) .max_block = { xy, xy, z }, .max_threads_per_block = threads, \
    .warp_size = 32
#define RESIDENT(blocks, warps, threads, grids) .max_blocks_per_sm = blocks, \
    .max_warps_per_sm = warps, .max_threads_per_sm = threads, .max_resident_grids = grids, \
    .concurrent_kernels = (grids) > 1
/* REGISTERS(per SM, per block, per thread, unit, unit is per warp, warps are rounded up to) */
#define REGISTERS(sm, block, thread, unit, warp, granularity) .registers_per_sm = sm, \
    .registers_per_block = block, .max_registers_per_thread = thread, .register_unit = unit, \
    .registers_per_warp = warp, .warp_allocation_granularity = granularity
/* SHARED(per SM, per block, per block if asked for, unit, reserved per block, banks) */
#define SHARED(sm, block, optin, unit, reserved, banks) .shared_per_sm = sm, \
    .shared_per_block = block, .shared_per_block_optin = optin, .shared_unit = unit, \
    .shared_reserved = reserved, .shared_banks = banks, .bank_bytes = 4
#define CARVEOUTS(...) .shared_carveouts = { __VA_ARGS__, UINT32_MAX }
/* L1(bytes, plain global loads use it, one array with shared memory of this size or 0) */
#define L1(bytes, loads, unified) .l1_bytes = bytes, .l1_global_loads = loads, \
    .l1_line_bytes = (bytes) ? 128 : 0, .unified_bytes = unified
#define LOCAL(bytes, constant_cache) .local_bytes_per_thread = bytes, \
    .constant_bytes = KB(64), .constant_cache_bytes = constant_cache
#define RATES(fp32, int32, sfu) .fp32_per_clock_sm = fp32, .int32_per_clock_sm = int32, \
    .sfu_per_clock_sm = sfu
/* TEXTURE(alignment, 1D, 1D linear, 2D, 2D linear, 3D, layers) */
#define PAIR(x, y) { x, y }
#define TRIPLE(x, y, z) { x, y, z }
#define TEXTURE(align, d1, d1l, d2, d2l, d3, layers) .texture_alignment = align, \
    .max_texture_1d = d1, .max_texture_1d_linear = d1l, .max_texture_2d = d2, \
    .max_texture_2d_linear = d2l, .max_texture_3d = d3, .max_texture_layers = layers

#define TEXTURE_1X TEXTURE(256, 8192, 1u << 27, PAIR(65536, 32768), TRIPLE(65000, 65000, 1u << 20), \
    TRIPLE(2048, 2048, 2048), 512)
#define TEXTURE_2X TEXTURE(512, 65536, 1u << 27, PAIR(65536, 65535), TRIPLE(65000, 65000, 1u << 20), \
    TRIPLE(2048, 2048, 2048), 2048)
#define TEXTURE_3X TEXTURE(512, 65536, 1u << 27, PAIR(65536, 65536), TRIPLE(65000, 65000, 1u << 20), \
    TRIPLE(4096, 4096, 4096), 2048)
#define TEXTURE_5X TEXTURE(512, 65536, 1u << 27, PAIR(65536, 65536), TRIPLE(65536, 65536, 1u << 20), \
    TRIPLE(4096, 4096, 4096), 2048)
#define TEXTURE_6X TEXTURE(512, 131072, 1u << 28, PAIR(131072, 65536), TRIPLE(131072, 65000, 1u << 21), \
    TRIPLE(16384, 16384, 16384), 2048)

/* -- Tesla: 1.x. Partition camping: partitions of 256 bytes, their number is the product's ----- */

#define TESLA GRID(65535, 65535, 1), BLOCK(512, 64, 512), CARVEOUTS(KB(16)), \
    L1(0, false, 0), LOCAL(KB(16), KB(8)), RATES(8, 8, 2), TEXTURE_1X, .async_engines = 1, \
    .partition_bytes = 256
#define CC_1_0 TESLA, RESIDENT(8, 24, 768, 1), REGISTERS(8192, 8192, 124, 256, false, 2), \
    SHARED(KB(16), KB(16), KB(16), 512, 0, 16)
#define CC_1_1 CC_1_0
#define CC_1_2 TESLA, RESIDENT(8, 32, 1024, 1), REGISTERS(16384, 16384, 124, 512, false, 2), \
    SHARED(KB(16), KB(16), KB(16), 512, 0, 16)
#define CC_1_3 CC_1_2

/* -- Fermi: 2.x. L1 and shared memory share 64 KiB: 48+16 or 16+48 ----------------------------- */

#define FERMI GRID(65535, 65535, 65535), BLOCK(1024, 64, 1024), RESIDENT(8, 48, 1536, 16), \
    REGISTERS(32768, 32768, 63, 64, true, 2), SHARED(KB(48), KB(48), KB(48), 128, 0, 32), \
    CARVEOUTS(KB(16), KB(48)), L1(KB(48), true, KB(64)), LOCAL(KB(512), KB(8)), TEXTURE_2X, \
    .unified_addressing = true, .async_engines = 2
#define CC_2_0 FERMI, RATES(32, 32, 4)
#define CC_2_1 FERMI, RATES(48, 48, 8)

/* -- Kepler: 3.x. L1 serves local memory; global loads only on demand (-Xptxas -dlcm=ca) ------- */

#define KEPLER GRID(2147483647, 65535, 65535), BLOCK(1024, 64, 1024), LOCAL(KB(512), KB(8)), \
    RATES(192, 160, 32), TEXTURE_3X, .unified_addressing = true, .managed_memory = true, \
    .async_engines = 2
#define KEPLER_48 SHARED(KB(48), KB(48), KB(48), 256, 0, 32), CARVEOUTS(KB(16), KB(32), KB(48)), \
    L1(KB(48), false, KB(64))
#define CC_3_0 KEPLER, KEPLER_48, RESIDENT(16, 64, 2048, 16), \
    REGISTERS(65536, 65536, 63, 256, true, 4)
#define CC_3_2 KEPLER, KEPLER_48, RESIDENT(16, 64, 2048, 4), \
    REGISTERS(65536, 32768, 255, 256, true, 4)
#define CC_3_5 KEPLER, KEPLER_48, RESIDENT(16, 64, 2048, 32), \
    REGISTERS(65536, 65536, 255, 256, true, 4), .stream_priorities = true
#define CC_3_7 KEPLER, RESIDENT(16, 64, 2048, 32), REGISTERS(131072, 65536, 255, 256, true, 4), \
    SHARED(KB(112), KB(48), KB(48), 256, 0, 32), CARVEOUTS(KB(80), KB(96), KB(112)), \
    L1(KB(48), false, KB(128)), .stream_priorities = true

/* -- Maxwell and Pascal: shared memory of its own, L1 united with texture ---------------------- */

#define SINCE_MAXWELL GRID(2147483647, 65535, 65535), BLOCK(1024, 64, 1024), \
    .unified_addressing = true, .managed_memory = true, .stream_priorities = true
#define CC_5_0 SINCE_MAXWELL, RESIDENT(32, 64, 2048, 32), RATES(128, 128, 32), TEXTURE_5X, \
    REGISTERS(65536, 65536, 255, 256, true, 4), SHARED(KB(64), KB(48), KB(48), 256, 0, 32), \
    CARVEOUTS(KB(64)), L1(KB(24), false, 0), LOCAL(KB(512), KB(8)), .async_engines = 1
#define CC_5_2 SINCE_MAXWELL, RESIDENT(32, 64, 2048, 32), RATES(128, 128, 32), TEXTURE_5X, \
    REGISTERS(65536, 65536, 255, 256, true, 4), SHARED(KB(96), KB(48), KB(48), 256, 0, 32), \
    CARVEOUTS(KB(96)), L1(KB(24), false, 0), LOCAL(KB(512), KB(8)), .async_engines = 2
#define CC_5_3 SINCE_MAXWELL, RESIDENT(32, 64, 2048, 16), RATES(128, 128, 32), TEXTURE_5X, \
    REGISTERS(65536, 32768, 255, 256, true, 4), SHARED(KB(64), KB(48), KB(48), 256, 0, 32), \
    CARVEOUTS(KB(64)), L1(KB(24), false, 0), LOCAL(KB(512), KB(8)), .async_engines = 1
#define PASCAL SINCE_MAXWELL, LOCAL(KB(512), KB(4)), TEXTURE_6X, .cooperative_launch = true
#define CC_6_0 PASCAL, RESIDENT(32, 64, 2048, 128), RATES(64, 64, 16), \
    REGISTERS(65536, 65536, 255, 256, true, 2), SHARED(KB(64), KB(48), KB(48), 256, 0, 32), \
    CARVEOUTS(KB(64)), L1(KB(24), true, 0), .concurrent_managed_access = true, .async_engines = 2
#define CC_6_1 PASCAL, RESIDENT(32, 64, 2048, 32), RATES(128, 128, 32), \
    REGISTERS(65536, 65536, 255, 256, true, 4), SHARED(KB(96), KB(48), KB(48), 256, 0, 32), \
    CARVEOUTS(KB(96)), L1(KB(48), true, 0), .concurrent_managed_access = true, .async_engines = 2
#define CC_6_2 PASCAL, RESIDENT(32, 64, 2048, 16), RATES(128, 128, 32), \
    REGISTERS(65536, 32768, 255, 256, true, 4), SHARED(KB(64), KB(48), KB(48), 256, 0, 32), \
    CARVEOUTS(KB(64)), L1(KB(24), true, 0), .async_engines = 1

/* -- Volta and Turing: L1, texture and shared memory out of one array -------------------------- */

#define SINCE_VOLTA SINCE_MAXWELL, LOCAL(KB(512), KB(8)), TEXTURE_6X, .cooperative_launch = true
#define CC_7_0 SINCE_VOLTA, RESIDENT(32, 64, 2048, 128), RATES(64, 64, 16), \
    REGISTERS(65536, 65536, 255, 256, true, 4), SHARED(KB(96), KB(48), KB(96), 256, 0, 32), \
    CARVEOUTS(0, KB(8), KB(16), KB(32), KB(64), KB(96)), L1(KB(128), true, KB(128)), \
    .concurrent_managed_access = true, .async_engines = 6
#define CC_7_2 SINCE_VOLTA, RESIDENT(32, 64, 2048, 16), RATES(64, 64, 16), \
    REGISTERS(65536, 65536, 255, 256, true, 4), SHARED(KB(96), KB(48), KB(96), 256, 0, 32), \
    CARVEOUTS(0, KB(8), KB(16), KB(32), KB(64), KB(96)), L1(KB(128), true, KB(128)), \
    .async_engines = 1
#define CC_7_5 SINCE_VOLTA, RESIDENT(16, 32, 1024, 128), RATES(64, 64, 16), \
    REGISTERS(65536, 65536, 255, 256, true, 4), SHARED(KB(64), KB(48), KB(64), 256, 0, 32), \
    CARVEOUTS(KB(32), KB(64)), L1(KB(64), true, KB(96)), .concurrent_managed_access = true, \
    .async_engines = 3

/* -- Ampere and later: 1 KiB of shared memory per block is the system's ------------------------ */

#define CARVEOUTS_100 CARVEOUTS(0, KB(8), KB(16), KB(32), KB(64), KB(100))
#define CARVEOUTS_164 CARVEOUTS(0, KB(8), KB(16), KB(32), KB(64), KB(100), KB(132), KB(164))
#define CARVEOUTS_228 \
    CARVEOUTS(0, KB(8), KB(16), KB(32), KB(64), KB(100), KB(132), KB(164), KB(196), KB(228))
#define SINCE_AMPERE SINCE_VOLTA, REGISTERS(65536, 65536, 255, 256, true, 4)
#define SHARED_100 SHARED(KB(100), KB(48), KB(99), 128, KB(1), 32), CARVEOUTS_100, \
    L1(KB(128), true, KB(128))
#define SHARED_164 SHARED(KB(164), KB(48), KB(163), 128, KB(1), 32), CARVEOUTS_164, \
    L1(KB(192), true, KB(192))
#define SHARED_228 SHARED(KB(228), KB(48), KB(227), 128, KB(1), 32), CARVEOUTS_228, \
    L1(KB(256), true, KB(256))
#define DISCRETE .concurrent_managed_access = true, .async_engines = 3
#define CC_8_0 SINCE_AMPERE, RESIDENT(32, 64, 2048, 128), RATES(64, 64, 16), SHARED_164, DISCRETE, \
    .l2_halves = true /* NVIDIA's A100 white paper, "L2 cache" */
#define CC_8_6 SINCE_AMPERE, RESIDENT(16, 48, 1536, 128), RATES(128, 64, 16), SHARED_100, DISCRETE
#define CC_8_7 SINCE_AMPERE, RESIDENT(16, 48, 1536, 128), RATES(128, 64, 16), SHARED_164, \
    .async_engines = 2
#define CC_8_9 SINCE_AMPERE, RESIDENT(24, 48, 1536, 128), RATES(128, 64, 16), SHARED_100, DISCRETE
#define CC_9_0 SINCE_AMPERE, RESIDENT(32, 64, 2048, 128), RATES(128, 64, 16), SHARED_228, \
    DISCRETE, .clusters = true, .l2_halves = true
#define CC_10_0 CC_9_0
#define CC_10_3 CC_9_0
#define CC_11_0 SINCE_AMPERE, RESIDENT(24, 48, 1536, 128), RATES(128, 64, 16), SHARED_228, \
    .concurrent_managed_access = true, .async_engines = 2, .clusters = true
#define CC_12_0 SINCE_AMPERE, RESIDENT(24, 48, 1536, 128), RATES(128, 128, 16), SHARED_100, \
    DISCRETE, .clusters = true
#define CC_12_1 CC_12_0
/* clang-format on */

#endif
