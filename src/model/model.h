/* SPDX-License-Identifier: Apache-2.0
 *
 * model: what devices are and what accesses cost on them. Pure functions over one table
 * (model_devices.def): one row per compute capability, 1.0 to the newest, plus named devices.
 * Nothing here runs a kernel; everything can be called without one.
 */
#ifndef LOCKSTEP_MODEL_H
#define LOCKSTEP_MODEL_H

#include "base/base.h"

/* -- devices ----------------------------------------------------------------------------------- */

enum { MODEL_CARVEOUTS = 12 };

/* All sizes in bytes, clocks in kHz, bandwidths in bytes a second. One value per limit of the CUDA
 * C++ Programming Guide's table "Technical Specifications per Compute Capability". */
struct device_profile {
    const char *name;   /* "NVIDIA H200"; generic rows: "Compute capability 9.0" */
    const char *key;    /* what --gpu takes: "h200", "g80", "cc9.0" */
    const char *chip;   /* "GH100" */
    const char *source; /* where the figures come from */
    uint32_t cc_major, cc_minor;
    uint32_t sm_count;
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits;
    uint64_t bandwidth; /* of device memory, by the data sheet */
    uint64_t memory_bytes;
    uint32_t l1_bytes;    /* per SM, most that global loads can use; 0: none */
    bool l1_global_loads; /* plain global loads are cached in L1 */
    uint32_t l1_line_bytes;
    uint32_t unified_bytes; /* L1 and shared memory out of one array of this size; 0: separate */
    uint32_t l2_bytes;
    bool l2_halves; /* two halves, each nearer to one half of the SMs: a sector may be in both */
    uint32_t fp32_per_clock_sm, fp64_per_clock_sm, int32_per_clock_sm, sfu_per_clock_sm;
    uint32_t max_grid[3], max_block[3];
    uint32_t max_threads_per_block, warp_size;
    uint32_t max_blocks_per_sm, max_warps_per_sm, max_threads_per_sm;
    uint32_t registers_per_sm, registers_per_block, max_registers_per_thread;
    uint32_t register_unit,
        warp_allocation_granularity; /* occupancy: registers are given per warp or per block */
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
/* By --gpu name or key, in any case, with or without blanks, dashes and the words NVIDIA, GeForce,
 * Tesla, GPU
 * ("H200", "g80", "NVIDIA GeForce RTX 4090", "rtx-4090", "4090", "RTX 4060 Laptop", "sm_90"); NULL:
 * unknown. */
const struct device_profile *model_find_device(const char *name);
/* By --cc text: "9.0", "9", "90", "90a", "sm_90", "compute_90"; the generic row of that capability.
 * NULL: unknown, or one number for two ("10": 1.0 and 10.0). */
const struct device_profile *model_find_cc(const char *cc);
/* For the end of a message about an unknown name, or (cc) compute capability: "(did you mean
 * rtx4070 or rtx4070ti?)", else where the known ones are listed; *out holds it. */
struct device_hint {
    char text[160];
};
const char *model_device_hint(const char *name, bool cc, struct device_hint *out);
/* The device chosen when nobody says anything. */
const struct device_profile *model_default_device(void);

/* -- occupancy --------------------------------------------------------------------------------- */

struct occupancy_query {
    uint32_t threads_per_block, registers_per_thread;
    uint32_t static_shared, dynamic_shared;
    uint32_t shared_carveout; /* bytes of shared memory per SM asked for; 0: the most there is */
};
struct occupancy {
    uint32_t blocks_per_sm, warps_per_sm;
    double occupancy;       /* warps / most warps */
    const char *limited_by; /* "blocks", "warps", "registers", "shared"; where several are equal the
                               first of warps, blocks, registers, shared. An impossible launch has
                               blocks_per_sm 0 and "threads", "registers" or "shared" here */
    uint32_t limit_blocks, limit_warps, limit_registers, limit_shared; /* blocks each would allow;
                               a resource that is not used allows limit_blocks */
    uint32_t warps_per_block, registers_per_block, shared_per_block; /* as allocated: rounded up */
    uint32_t shared_per_sm;                                          /* the carveout that applies */
};
void model_occupancy(const struct device_profile *d, const struct occupancy_query *q,
                     struct occupancy *out);
/* Clusters of `blocks` blocks that are resident at a time where an SM holds so many blocks. A
 * cluster lies in one group of SMs that is as large. */
uint32_t model_clusters(const struct device_profile *d, uint32_t blocks_per_sm, uint32_t blocks);
/* The shared memory per SM that a wish of `bytes` leads to: the smallest choice not below it. */
uint32_t model_carveout(const struct device_profile *d, uint32_t bytes);
/* Bytes of L1 that remain beside the carveout that model_carveout chooses. */
uint32_t model_l1_bytes(const struct device_profile *d, uint32_t shared_per_sm);

/* -- one warp's access ------------------------------------------------------------------------- */

enum access_space { ACCESS_SHARED, ACCESS_GLOBAL, ACCESS_LOCAL, ACCESS_CONSTANT };
enum access_op { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_REDUCE };

struct access {
    enum access_space space;
    enum access_op op;
    uint32_t width;       /* bytes per lane: 1, 2, 4, 8, 16 */
    uint32_t mask;        /* active lanes */
    uint64_t address[32]; /* byte addresses; only those of active lanes are looked at. Local memory:
                             offsets in the thread's own local memory, as a program sees them */
    bool bypass_l1;       /* generations 2.x and 3.x: ld.cg, or -Xptxas -dlcm=cg */
    bool use_l1;          /* generation 3.x: -Xptxas -dlcm=ca */
    bool bank8;           /* generation 3.x: 8-byte bank mode */
};

struct transaction {
    uint64_t address;
    uint32_t size, count;
};

/* What does not apply to a space or generation is 0. */
struct access_cost {
    uint32_t requests;                     /* 1, or 0 when no lane is active */
    uint32_t sectors, sectors_ideal;       /* global and local, 5.0 on */
    uint32_t wavefronts, wavefronts_ideal; /* shared; constant: distinct addresses */
    uint32_t bank_conflicts;               /* shared: wavefronts - wavefronts_ideal */
    uint32_t degree;                       /* shared: wavefronts of the worst part of the warp */
    uint32_t transaction_count;            /* global and local, before 5.0; by rising address */
    struct transaction transactions[64];
};
void model_access(const struct device_profile *d, const struct access *a, struct access_cost *out);

/* Of an access to global memory, 5.0 on: what model_access() says, where each lane's bytes are
 * aligned to their width and all lie in 64 sectors; a bit for each of those from `low`, a line of
 * 128 bytes, on. False: they do not. Tables as histograms have them. */
struct near_sectors {
    uint64_t low, bits;
    uint32_t sectors, ideal;
};
bool model_near(const struct access *a, struct near_sectors *out);
/* Bytes that the lanes really ask for, in sectors. */
uint32_t model_ideal_sectors(const struct access *a);

/* Which lanes go together: a shared access is served part by part (half-warps on 1.x; halves and
 * quarters of the warp for wide accesses). Fills part[] with lane masks, returns how many. */
uint32_t model_shared_parts(const struct device_profile *d, const struct access *a,
                            uint32_t part[8]);
/* The bank that serves a byte address of shared memory. */
uint32_t model_shared_bank(const struct device_profile *d, bool bank8, uint64_t address);
/* Does this generation serve global memory by transactions (before 5.0) or by sectors? */
bool model_has_transactions(const struct device_profile *d);
/* Where a thread's local byte lies: words of the 32 lanes side by side (Programming Guide,
 * "Local Memory"). warp_base: start of the warp's local memory. */
uint64_t model_local_address(uint64_t warp_base, uint64_t offset, uint32_t lane);

/* -- partition camping ------------------------------------------------------------------------- */

/* The memory partition (channel) of an address; 0 where the generation does not camp. */
uint32_t model_partition(const struct device_profile *d, uint64_t address);

/* -- caches, simulated ------------------------------------------------------------------------- */

/* Sets of lines of 128 bytes, each cut in sectors of 32 that are filled one by one, least recently
 * used line replaced. Lines are numbered with 32 bits: addresses reach to 512 GiB. */

/* L1 per SM over one L2 over device memory, as the device has them. */
struct cache_system;
struct cache_counts {
    uint64_t l1_sectors,
        l1_hits; /* what looks L1 up: loads that go through it; 7.0 on stores, too */
    /* Lines of 128 bytes that warps load, and those of them that L1 waits for (cache_count_waits);
     * of a launch's later steps an estimate (play.c) */
    uint64_t line_loads, line_waits;
    uint64_t l2_sectors, l2_hits; /* hits: stores, and what the asking SM's half of L2 holds */
    uint64_t l2_loads;            /* of l2_sectors those of loads and atomics */
    uint64_t l2_load_requests, l2_store_requests; /* lines of 128 bytes that L1 asks L2 for, or
                                                     hands to it, sectors of one at a time */
    uint64_t dram_bytes_read, dram_bytes_written;
    uint64_t dram_bytes_kept; /* of those written, what L2 held at the end */
    /* of those read, what no sector was read for before in this launch */
    uint64_t dram_bytes_first;
};
/* shared_per_sm: what of a united array is shared memory (struct occupancy). */
struct cache_system *cache_system_new(const struct device_profile *d, uint32_t shared_per_sm);
void cache_system_free(struct cache_system *s);
/* As new, for another launch; false: its caches would have another size. */
bool cache_system_again(struct cache_system *s, const struct device_profile *d,
                        uint32_t shared_per_sm);
/* One sector of 32 bytes, asked for by a block on that SM. */
void cache_system_sector(struct cache_system *s, uint32_t sm, uint64_t address, enum access_op op,
                         bool bypass_l1);
/* cache_system_sector for `count` adjacent sectors; the first holds the address. */
void cache_system_sectors(struct cache_system *s, uint32_t sm, uint64_t address, uint32_t count,
                          enum access_op op, bool bypass_l1);
/* Traffic by lines of 128 bytes, a word each: the line's number (address / 128) from
 * CACHE_LINE_SHIFT on, below it: */
enum {
    CACHE_LINE_SHIFT = 16,
    CACHE_SECTORS = 15, /* a bit for each of its sectors that is asked for */
    CACHE_OP_SHIFT = 4, /* enum access_op: 2 bits */
    CACHE_BYPASS = 64,  /* past L1; the other bits mean nothing here */
};
/* Plays an SM's traffic to its L1, counting into counts; out (room: count) is what it leaves for
 * L2, returned how many. (many), for different SMs. */
size_t cache_system_l1(struct cache_system *s, uint32_t sm, const uint64_t *line, size_t count,
                       uint64_t *out, struct cache_counts *counts);
/* Lines that are on their way to an SM's L1. Warps that go abreast ask for a line at the same time:
 * the first one misses, and the others, whose loads count as hits, wait just as long. */
enum { CACHE_ARRIVALS = 1024 }; /* lines of one step that are kept apart */
struct cache_arrivals {
    uint64_t line[CACHE_ARRIVALS], step[CACHE_ARRIVALS], now;
};
/* Counts the loads among `line`, a step of an SM's warps, and those that wait for L2. ask: what
 * cache_system_l1 has left of these lines. */
void cache_count_waits(struct cache_arrivals *a, const uint64_t *line, size_t count,
                       const uint64_t *ask, size_t asked, struct cache_counts *counts);
/* Bytes of these lines, in whole sectors, that the launch has had from memory or written; lines: a
 * multiple of eight. All of them: it is not known. */
uint64_t cache_system_used(const struct cache_system *s, uint32_t line, uint32_t lines);
/* Which of L1's sets lines belong to. */
void cache_system_sets(const struct cache_system *s, const uint64_t *line, size_t count,
                       uint16_t *set);
/* Does a load of what was loaded just before hit L1? */
bool cache_system_repeats(const struct cache_system *s);
/* Plays the requests that the L1s leave to L2, in the order in which they arrive there; adds to
 * counts. (many), for requests of different parts: a part has L2 sets of its own.
 * cache_system_parts(): the number of parts, a power of two, at most `most`. */
void cache_system_l2(struct cache_system *s, const uint64_t *ask, size_t count,
                     struct cache_counts *counts);
uint32_t cache_system_parts(const struct cache_system *s, uint32_t most);
/* Puts each request to *out of its part, which goes on. */
void cache_system_split(const uint64_t *ask, size_t count, uint32_t parts, uint64_t **out);
/* Does this host play with wide vectors? And from now on as one that does not, for tests. */
bool cache_system_wide(const struct cache_system *s);
void cache_system_narrow(struct cache_system *s);
/* Adds what was counted elsewhere. */
void cache_system_add(struct cache_system *s, const struct cache_counts *counts);
/* A kernel begins: L1 holds nothing (L2 does). */
void cache_system_launch(struct cache_system *s);
/* Counts so far; with write_back the dirty sectors of L2 count as written. */
struct cache_counts cache_system_counts(struct cache_system *s, bool write_back);
/* Bytes in L2 that have not been written back. */
uint64_t cache_system_dirty(const struct cache_system *s);

/* -- roofline and a lower bound on time -------------------------------------------------------- */

/* What an estimate is made of beyond the busiest resource (model_mechanisms.def); without: a bit
 * for each that is left out. */
enum model_mechanism {
#define MECHANISM(id, name, text) MODEL_##id,
#include "model/model_mechanisms.def"
#undef MECHANISM
    MODEL_MECHANISMS
};
struct mechanism_row {
    const char *name, *text;
};
const struct mechanism_row *model_mechanism(enum model_mechanism m);
/* "-name,-name": the mechanisms to be left out, or the reason why not. */
bool model_without(const char *text, uint64_t *without, struct ls_error *err);
static inline bool
model_has(uint64_t without, enum model_mechanism m)
{
    return !(without >> m & 1);
}

/* What one PTX instruction or call of the library becomes (model_expansions.def); NULL: itself. */
struct expansion {
    const char *name;
    uint16_t instructions, whole, f64,
        special;     /* issued; by the integer, double-precision and special function pipes */
    uint16_t clocks; /* until its result is there */
};
const struct expansion *model_expansion(const char *name);
const struct expansion *model_expansion_at(size_t index); /* NULL past the end */

/* What a launch does in all (model_work.def). */
struct work {
#define WORK(name, meaning) uint64_t name;
#include "model/model_work.def"
#undef WORK
    uint32_t blocks_per_sm; /* resident; 0: 1 */
    uint64_t without;       /* mechanisms that are left out: bits of enum model_mechanism */
};
enum bound_resource {
    BOUND_ISSUE,
    BOUND_FP32,
    BOUND_FP64,
    BOUND_INT,
    BOUND_SFU,
    BOUND_SHARED,
    BOUND_L1,
    BOUND_L2,
    BOUND_DRAM,
    BOUND_TENSOR,
    BOUND_CONSTANT,
    BOUND_ATOMIC,
    BOUND_TEXTURE,
    BOUND_COUNT
};
struct time_bound {
    double seconds; /* of the busiest resource: no run can be faster */
    enum bound_resource busiest;
    double each[BOUND_COUNT]; /* seconds */
};
const char *model_bound_name(enum bound_resource r); /* "fp32", "dram", ... */
void model_time_bound(const struct device_profile *d, const struct work *w, struct time_bound *out);

/* Clocks of the SM until a result can be used; 0: the generation has no such cache. */
struct latencies {
    uint32_t arithmetic, shared, l1, l2, memory;
    /* from L2's nearest line to its farthest, and from device memory's; 0: not known */
    uint32_t spread, memory_spread;
};
const struct latencies *model_latencies(const struct device_profile *d, uint64_t without);
/* Rates of memory (model_memory.def); 0: not known. */
struct memory_rates {
    double share;             /* of the data sheet's bandwidth that device memory really moves */
    double l2_load, l2_store; /* bytes a clock of L2, to and from all SMs together */
    double slices;            /* of L2, that atomics are spread over; */
    double pass, next_float,
        next_swap; /*   clocks of one, from one on an address to the next one */
};
/* Of what launches one after the other use, the share that the next one finds in L2: all up to 0.72
 * of L2, nothing from 0.9 on (memory.cu: an H100, whose L2 has 50 MB, copies 36 in 10.3 us, 40 in
 * 14.4, 44 in 17.8 and 48 in 19.3; an H200, 60 MB, 44 in 11.4, 48 in 13.9, 52 in 16.0). */
double model_kept(const struct device_profile *d, uint64_t bytes);
/* Of n lines of device memory that an SM has asked for, each takes n / (n + 14) of 170 clocks more
 * than by itself (memory.cu, an H200 and an H100: turns of 692 to 702, 747 to 770, 785 to 809 and
 * 803 to 834 clocks with 1, 8, 16 and 32 warps on an SM). */
#define MODEL_IN_FLIGHT_CLOCKS 170.0
#define MODEL_IN_FLIGHT_HALF 14.0
/* And where a share w of what device memory moves is written, and it is busy for u of the time,
 * each line takes 240 w u / (1 - u) clocks more (memory.cu: turns that change what they load take
 * 67, 185 and 537 clocks more than such that only load with 16, 32 and 64 warps on an SM of an
 * H200, 94, 257 and 733 on an H100; without the network's queue that is 340 of an H200, 210 of an
 * H100). */
#define MODEL_TURNAROUND_CLOCKS 240.0
/* Until L2 has taken a store (memory.cu: a round of blocks of 512 and 1,024 threads that change a
 * word each takes 66 to 132 clocks more than one of such that read it, in L2). */
#define MODEL_DRAIN_CLOCKS 120.0
/* What model_memory.def has of L2 was measured with a bus of so many bits: L2's slices belong to
 * the memory's channels. */
#define MODEL_L2_BUS 6144.0
/* The share of the time for L2's loads that its stores wait for. */
#define MODEL_STORES_WAIT 0.2
const struct memory_rates *model_memory_rates(const struct device_profile *d);
/* Bytes a clock of sectors that stores write in part, which L2 takes from all SMs together (single
 * words in 32 sectors, 3.05 TB/s; an H100 takes 15.6 million sectors of four words in 155 us,
 * tools/record/model/stores.cu; generations with l2_store alone). */
#define MODEL_PARTIAL_BYTES 1540.0
/* Requests for sectors of one line that L2 serves a clock to all SMs together, and takes from them
 * (an H200: 4 million words at random addresses are read in 27 us and written in 56,
 * tools/record/model/shapes; generations with l2_load, l2_store). */
#define MODEL_LOAD_REQUESTS 75.0
#define MODEL_STORE_REQUESTS 37.5
/* Clocks of a barrier at which so many warps meet. */
double model_barrier_clocks(uint32_t warps);
/* Passes of a sum in shared memory that is a loop: clocks of a warp, slots of a scheduler; clocks
 * from one to the next of a block, where all meet on one word. Further clocks of a warp for each
 * address of a constant read after the first. */
enum {
    MODEL_LOOP_CLOCKS = 95,
    MODEL_LOOP_SLOTS = 14,
    MODEL_LOCK_CLOCKS = 43,
    MODEL_CONSTANT_CLOCKS = 11
};
/* Of a warp for the jump of a loop's turn: chains of 16 instructions of 4 clocks take 4.7 each. */
enum { MODEL_TURN_CLOCKS = 11 };
/* How unlike blocks' work is: that of the SM that has most over what it would have if all were
 * alike, the longest block's over the mean; 0: not known. */
struct unevenness {
    double busiest, longest;
};
/* Blocks come to the SMs in turn, as many as are resident, then each next one where least has been
 * done. work: of each. */
struct unevenness model_unevenness(const struct device_profile *d, uint32_t resident,
                                   const uint32_t *work, size_t blocks);
/* What blocks wait for, in clocks of the SM. */
struct waiting {
    double warp_clocks;  /* one warp by itself: its longest chain of results; 0: not known */
    double first_clocks; /* of them, those of one turn of all loops */
    double block_clocks; /* one block by itself, whose warps wait for each other at barriers */
    double slowest;      /* of a block's slowest warp over the mean: the block's longest chain */
    uint32_t warps_per_block;
    bool meets; /* a block's warps wait for each other at barriers */
    /* of the launch: shared memory's, and one for each line of 128 bytes of each global access:
     * from 7.0 on both go through one pipe, one a clock */
    double pipe_wavefronts;
    double once_clocks;  /* of block_clocks, those of what every warp does once; */
    double once_share;   /*   its share of the instructions */
    double memory_waits; /* of a warp by itself, for lines that come from device memory */
    double drain_clocks; /* behind a block's last instruction, until L2 has taken what it stored */
    struct unevenness uneven;
};
/* Where a warp's time goes, in clocks, summed over the stations of that network: */
struct warp_states {
    double wait;            /* for results (struct waiting's warp_clocks), */
    double at[BOUND_COUNT]; /*   and at each resource, queueing for it and being served, */
    double pipe;            /*   and at the pipe to L1 and shared memory, */
    double starts, locks;   /*   for the start of its block, and for words of shared memory that
                               others update, */
    double turnover;        /*   and for the block before it in its place to be gone */
    bool rounds;            /* the time is that of rounds of blocks, one after the other */
};
/* What a launch takes when its warps also wait: on each SM the resident warps go round between the
 * resources, where they queue, and a wait of that length (mean value analysis of a closed queueing
 * network); and no less than as many rounds of resident blocks, one after the other, as there are.
 * For comparing launches; never below the bound. */
double model_time_estimate(const struct device_profile *d, const struct work *w,
                           const struct time_bound *bound, const struct waiting *waiting);
/* The same, and where a warp's time goes (zeros where nothing is known of waiting). */
double model_time_states(const struct device_profile *d, const struct work *w,
                         const struct time_bound *bound, const struct waiting *waiting,
                         struct warp_states *out);
/* Seconds that the pipe to L1 and shared memory is busy at least; 0 before 7.0, where they are
 * apart. */
double model_pipe_seconds(const struct device_profile *d, const struct work *w,
                          double pipe_wavefronts);

/* Of 243 kernels on an H200 that no constant was taken from, nine of ten took up to so many times
 * the estimate, or down to as much less (docs/model.md, tests/data/h200_model_unseen.csv). Nothing
 * was measured but on 9.0: there alone it is known. */
#define MODEL_INTERVAL 1.92

/* What a launch costs beside its work (model_launches.def); zeros: not known. */
struct launch_cost {
    double start_clocks; /* from one block's start to the next one's, on the whole GPU */
    double seconds;      /* of a launch that follows others, */
    double alone;        /*   and of one by itself, between two events */
    double turnover;     /* clocks from a block's end to the start of the next one in its place */
};
struct launch_cost model_launch_cost(const struct device_profile *d);
/* No launch ends before its last block has started: seconds that starting all its blocks takes. */
double model_starts(const struct device_profile *d, const struct work *w);
/* The share of the estimate from which on they are what the launch is bound by: warps that queue
 * for their start are in it. */
#define MODEL_STARTS_BIND 0.85
/* An estimate of a launch's work, of the start of its blocks, of which the last one takes its time
 * (waiting; NULL: not known), and of the launch itself, in one. */
double model_time_launch(const struct device_profile *d, const struct work *w,
                         const struct waiting *waiting, double estimate);

/* Seconds that a copy or a fill takes (model_copies.def; on the device itself: its memory's
 * bandwidth, read and written), with what a launch costs. */
enum model_copy { MODEL_COPY_HOST, MODEL_COPY_DEVICE, MODEL_FILL };
double model_copy_seconds(const struct device_profile *d, uint64_t bytes, enum model_copy kind);

double model_peak_flops(const struct device_profile *d, bool f64); /* a second; FMA is two */
/* The roofline: flops a second reachable at that many flops per byte of device memory. */
double model_roofline(const struct device_profile *d, bool f64, double flops_per_byte);
/* Flops per byte at which memory no longer limits. */
double model_ridge(const struct device_profile *d, bool f64);

/* -- which block runs where and when ----------------------------------------------------------- */

struct placement {
    uint32_t sm, slot,
        wave; /* slot: 0..blocks_per_sm-1; wave: how many blocks that slot had before */
    double start, end;
};
/* Places `blocks` blocks: one on each SM in turn while there is room, then each next block where
 * one ends first (the lower SM when equal). duration(context, block) gives each block's time; NULL:
 * 1. out has room for `blocks`. Returns the end of the last one. */
double model_schedule(uint32_t sm_count, uint32_t blocks_per_sm, size_t blocks,
                      double (*duration)(void *context, size_t block), void *context,
                      struct placement *out);

#endif
