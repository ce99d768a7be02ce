/* SPDX-License-Identifier: Apache-2.0
 *
 * model: what devices are and what accesses cost on them. Pure functions over one table
 * (model_devices.def): one row per compute capability, 1.0 to the newest, plus named devices.
 * Nothing here runs a kernel; everything can be called without one.
 */
#ifndef LOCKSTEP_MODEL_H
#define LOCKSTEP_MODEL_H

#include "base/base.h"

/* -- devices ------------------------------------------------------------------------------------ */

enum { MODEL_CARVEOUTS = 12 };

/* All sizes in bytes, clocks in kHz, bandwidths in bytes a second. One value per limit of the CUDA
 * C++ Programming Guide's table "Technical Specifications per Compute Capability". */
struct device_profile {
    const char *name;      /* "NVIDIA H200"; generic rows: "Compute capability 9.0" */
    const char *key;       /* what --gpu takes: "h200", "g80", "cc9.0" */
    const char *chip;      /* "GH100" */
    const char *source;    /* where the figures come from */
    uint32_t cc_major, cc_minor;
    uint32_t sm_count;
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits;
    uint64_t bandwidth;    /* of device memory, by the data sheet */
    uint64_t memory_bytes;
    uint32_t l1_bytes;     /* per SM, most that global loads can use; 0: none */
    bool l1_global_loads;  /* plain global loads are cached in L1 */
    uint32_t l1_line_bytes;
    uint32_t unified_bytes; /* L1 and shared memory out of one array of this size; 0: separate */
    uint32_t l2_bytes;
    uint32_t fp32_per_clock_sm, fp64_per_clock_sm, int32_per_clock_sm, sfu_per_clock_sm;
    uint32_t max_grid[3], max_block[3];
    uint32_t max_threads_per_block, warp_size;
    uint32_t max_blocks_per_sm, max_warps_per_sm, max_threads_per_sm;
    uint32_t registers_per_sm, registers_per_block, max_registers_per_thread;
    uint32_t register_unit, warp_allocation_granularity; /* occupancy: registers are given per warp or per block */
    bool registers_per_warp;
    uint32_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_unit, shared_reserved;
    uint32_t shared_carveouts[MODEL_CARVEOUTS]; /* sizes per SM that can be chosen, rising; ends in
                                                   UINT32_MAX; only the largest: no choice */
    uint32_t shared_banks, bank_bytes;
    uint32_t local_bytes_per_thread, constant_bytes, constant_cache_bytes;
    uint32_t memory_partitions, partition_bytes; /* partition camping: 0 where it does not occur */
    uint32_t max_resident_grids, async_engines;
    uint32_t texture_alignment, max_texture_1d, max_texture_1d_linear;
    uint32_t max_texture_2d[2], max_texture_2d_linear[3]; /* linear: width, height, pitch */
    uint32_t max_texture_3d[3], max_texture_layers;
    bool ecc, integrated;
    bool concurrent_kernels, cooperative_launch, managed_memory, unified_addressing;
    bool concurrent_managed_access, clusters, stream_priorities;
};

const struct device_profile *model_device_at(size_t index); /* NULL past the end */
/* By --gpu name or key, in any case ("H200", "g80", "sm_90", "cc9.0"); NULL: unknown. */
const struct device_profile *model_find_device(const char *name);
/* By --cc text "9.0"; the generic row of that capability, NULL: unknown. */
const struct device_profile *model_find_cc(const char *cc);
/* The device chosen when nobody says anything. */
const struct device_profile *model_default_device(void);

/* -- occupancy ----------------------------------------------------------------------------------- */

struct occupancy_query {
    uint32_t threads_per_block, registers_per_thread;
    uint32_t static_shared, dynamic_shared;
    uint32_t shared_carveout; /* bytes of shared memory per SM asked for; 0: the most there is */
};
struct occupancy {
    uint32_t blocks_per_sm, warps_per_sm;
    double occupancy;       /* warps / most warps */
    const char *limited_by; /* "blocks", "warps", "registers", "shared"; "threads" or other words
                               when the launch is impossible and blocks_per_sm is 0 */
    uint32_t limit_blocks, limit_warps, limit_registers, limit_shared; /* blocks each would allow */
};
void model_occupancy(const struct device_profile *d, const struct occupancy_query *q,
                     struct occupancy *out);

/* -- one warp's access ----------------------------------------------------------------------------- */

enum access_space { ACCESS_SHARED, ACCESS_GLOBAL, ACCESS_LOCAL, ACCESS_CONSTANT };
enum access_op { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_REDUCE };

struct access {
    enum access_space space;
    enum access_op op;
    uint32_t width;        /* bytes per lane: 1, 2, 4, 8, 16 */
    uint32_t mask;         /* active lanes */
    uint64_t address[32];  /* byte addresses; only those of active lanes are looked at */
    bool bypass_l1;        /* generations 2.x and 3.x: ld.cg, or -Xptxas -dlcm=cg */
    bool bank8;            /* generation 3.x: 8-byte bank mode */
};

struct transaction {
    uint64_t address;
    uint32_t size, count;
};

struct access_cost {
    uint32_t requests;
    uint32_t sectors, sectors_ideal;       /* global, 5.0 on */
    uint32_t wavefronts, wavefronts_ideal; /* shared */
    uint32_t bank_conflicts;
    uint32_t transaction_count;            /* global, before 5.0 */
    struct transaction transactions[64];
};
void model_access(const struct device_profile *d, const struct access *a, struct access_cost *out);

#endif
