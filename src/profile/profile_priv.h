/* SPDX-License-Identifier: Apache-2.0
 *
 * profile, inside. One launch has a struct watch; each jit_block in flight has a struct sheet,
 * where one thread at a time counts without locks; launch_end adds the sheets up into the struct
 * kernel.
 */
#ifndef LOCKSTEP_PROFILE_PRIV_H
#define LOCKSTEP_PROFILE_PRIV_H

#include "profile/profile.h"
#include "jit/tool.h"
#include "profile/sampling.h"

#include <jansson.h>
#include <pthread.h>

/* -- counters ---------------------------------------------------------------------------------- */

enum space { SPACE_SHARED, SPACE_GLOBAL, SPACE_LOCAL, SPACE_CONSTANT, SPACE_TEXTURE, SPACE_NONE };
enum { SPACES = SPACE_NONE };
/* OPERATION_COPY: what cp.async puts into shared memory. */
enum operation { OPERATION_LOAD, OPERATION_STORE, OPERATION_ATOMIC, OPERATION_COPY, OPERATIONS };

/* What is counted of accesses, then of everything else. */
enum metric {
    METRIC_REQUESTS,
    METRIC_WAVEFRONTS,
    METRIC_WAVEFRONTS_IDEAL,
    METRIC_CONFLICTS,
    METRIC_SECTORS,
    METRIC_SECTORS_IDEAL,
    METRIC_TRANSACTIONS,
    METRIC_THREADS, /* lanes */
    METRIC_BYTES,   /* asked for */
    METRIC_LINES,   /* global and local: lines of 128 bytes that L1 looks up, one by one */
    METRIC_WORDS,   /* global atomics: different addresses */
    ACCESS_METRICS,
    METRIC_INSTRUCTIONS = ACCESS_METRICS,
    METRIC_THREAD_INSTRUCTIONS,
    METRIC_FLOPS_F32,
    METRIC_FLOPS_F64,
    METRIC_BRANCHES,
    METRIC_BRANCHES_DIVERGENT,
    METRIC_BARRIERS,
    METRIC_DIVISIONS,
    METRIC_CONVERSIONS,
    METRIC_FLOPS_TENSOR,
    METRIC_WGMMA,
    METRIC_WGMMA_WAVEFRONTS,
    METRIC_TCGEN05,
    METRIC_TMA_LOADS,
    METRIC_TMA_STORES,
    METRIC_TMA_REDUCTIONS,
    METRIC_TMA_LOAD_SECTORS,
    METRIC_TMA_STORE_SECTORS,
    METRIC_TMA_REDUCE_SECTORS,
    METRIC_DSMEM,
    METRIC_DRAM_READ,
    METRIC_DRAM_FIRST,
    METRIC_DRAM_WRITTEN,
    METRIC_DRAM_EVICTED,
    METRIC_L1_SECTORS,
    METRIC_L1_HITS,
    METRIC_L2_SECTORS,
    METRIC_L2_HITS,
    METRIC_L1_HIT_RATE,
    METRIC_L2_HIT_RATE,
    METRIC_CGMA,
};

enum counter {
#define COUNTER(name, space, op, metric, nsight, meaning) COUNTER_##name,
#define RATIO COUNTER
#include "profile/counters.def"
#undef RATIO
#undef COUNTER
    COUNTERS
};

/* What the results are of that a warp waits for. */
enum wait_for { WAIT_MEMORY, WAIT_SHARED, WAIT_ARITHMETIC, WAITS };
/* Where the address of a load comes from: another one just before; itself, the turn of a loop
 * before. */
enum load_kind { LOAD_INDIRECT = 1, LOAD_CHASE = 2 };

/* Sums of one place, line or kernel. */
struct sums {
    /* words that add up, to `degree` */
    uint64_t access[SPACES][OPERATIONS][ACCESS_METRICS];
    uint64_t instructions, thread_instructions, flops_f32, flops_f64;
    uint64_t branches, branches_divergent, barriers;
    uint64_t integer_operations, alu_operations, special_operations, f64_operations,
        issue_slots;                     /* struct work */
    uint64_t shared_loops, shared_locks; /* passes of atomics that are loops; of those, where all
                                            lanes ask for one word */
    uint64_t atomic_passes, atomic_floats,
        atomic_swaps;                          /* global: as in struct work, wherever they meet */
    uint64_t divisions, division_instructions; /* of integers, by threads; instructions that they
                                                  become beyond one */
    uint64_t conversions;                      /* of threads, between single and double precision */
    uint64_t tensor_flops,
        tensor_work;            /* as counted; as if all numbers had 16 bits (struct work) */
    uint64_t wgmma, wgmma_rows; /* of warps; rows of 64 bytes that they read of shared memory */
    uint64_t tcgen05;
    uint64_t tma_loads, tma_stores, tma_reductions, dsmem; /* of warps */
    uint64_t bulk_sectors[OPERATIONS];                     /* that their copies ask for */
    uint32_t degree[SPACES][OPERATIONS];                   /* worst n-way */
    double waits[WAITS]; /* clocks of one warp on its longest chain of results (chain.c), */
    uint8_t loads;       /*   and what loads of enum load_kind are on it */
};
enum { SUMS_WORDS = offsetof(struct sums, degree) / sizeof(uint64_t) };
void sums_add(struct sums *to, const struct sums *from);

/* -- verdicts ---------------------------------------------------------------------------------- */

/* Global and local traffic as the caches see it, by lines of 128 bytes: the model's words
 * (CACHE_...), and: */
enum {
    LINE_CONTINUES = 128, /* its sectors follow those of the line before without a gap */
};

/* What an access leaves for the caches, seen from the line that holds its reference address.
 * Accesses of one launch have few shapes; 0 stands for lines that are written out (see below). */
enum { SHAPE_BITS = 16, SHAPES = 1 << SHAPE_BITS };
_Static_assert(SHAPE_BITS == CACHE_LINE_SHIFT, "an access's word: its line, its shape");
struct outline {
    uint32_t count, runs; /* lines; runs of sectors without a gap */
    uint32_t sectors;
    bool plain_loads;  /* that go by way of L1 */
    int64_t low, high; /* the lowest and highest line */
    int64_t line[];    /* words */
};

/* What one pattern of addresses costs, and how often it occurred. */
struct verdict {
    uint64_t times;
    uint32_t metric[ACCESS_METRICS];
    uint16_t degree;
    uint16_t shape; /* 0: lines as they are */
    uint16_t line_count, line_room;
    int64_t *line; /* as in a shape */
};

/* Kept by the pattern's constant offsets, by pointer: it stands for them (jit.h), by the distance
 * of the warp's halves beyond them, and by how the addresses are aligned. */
struct pattern_entry {
    const int32_t *offset;
    uint64_t apart;
    uint32_t lanes, key;
    struct verdict verdict;
};

/* Kept by the distance of each lane's address from the first one's. */
struct lanes_entry {
    uint32_t lanes, key;
    int64_t distance[JIT_LANES]; /* 0 in lanes that are off */
    struct verdict verdict;
};

/* Tables of a site: an entry has one place, by hash. */
enum { PATTERN_ENTRIES = 64, LANES_ENTRIES = 128 };

/* The worst access of a place: the one that a picture shows. */
struct sample {
    uint32_t lanes, bytes, excess, degree;
    uint64_t address[JIT_LANES]; /* shared: from the block's first byte; local: from the thread's;
                                    else from the 4 KiB that hold the lowest */
};

/* The accesses of one instruction to one memory space; an instruction on generic addresses may have
 * several. */
struct site {
    struct site *next;        /* the same instruction, another space */
    uint32_t bytes, declared; /* declared: the space as the instruction has it */
    uint32_t key_mask;
    enum space space;
    enum operation operation;
    enum access_op op;
    bool bypass_l1, traced;
    bool bulk; /* of a copy by the tensor memory accelerator: no thread's access; any bytes */
    struct pattern_entry *last;      /* the one that fitted last */
    struct pattern_entry *first;     /* NULL: none yet; launches of a few warps meet no other */
    struct pattern_entry *pattern;   /* [PATTERN_ENTRIES], of others, on first use */
    struct lanes_entry *first_lanes; /* likewise, */
    struct lanes_entry *distances;   /* [LANES_ENTRIES], of others */
    struct lanes_entry *last_lanes;  /* the one that fitted last */
    uint64_t lanes_hits, lanes_misses;
    uint64_t sum[ACCESS_METRICS]; /* of what is no longer kept */
    uint32_t degree;
    struct sample sample;
};

/* A warp's accesses for the caches (struct jit_trace), a word each: the reference line's number
 * from CACHE_LINE_SHIFT on, and the shape. Shape 0: from there on how many words follow, a line
 * each. */

/* A set of sectors, those of a megabyte at most. */
enum { SECTOR_WORDS = 512 };
struct sector_set {
    uint64_t bits[SECTOR_WORDS], some[SECTOR_WORDS / 64]; /* some: which of bits[] are not 0 */
};

/* One access of a warp, or a barrier (no lanes): phases.c. */
struct record {
    uint64_t block, order;
    uint32_t phase, warp, place, op, space, lanes;
    bool shared;
    uint64_t address[JIT_LANES]; /* shared: from the block's first byte */
};

/* Of one place: products.c. */
struct products {
    uint32_t place;
    uint64_t count, operations;
    double work; /* operations, as if all numbers had 16 bits */
};

/* The counts of one worker thread while it runs a block (struct jit_block). */
struct sheet {
    struct watch *watch;
    struct sheet *next;
    struct arena arena;
    uint32_t places;  /* of its tables */
    bool wide;        /* lanes_wide() */
    uint64_t *counts; /* JIT_COUNTS per place, and of one more */
    uint64_t counted; /* warp instructions of all blocks that have ended */
    struct {
        int32_t *counts; /* of the block in flight; NULL: it is not asked for */
        uint64_t *last;  /* what the block's last warp left in the sheet's `counts`, per place */
        uint64_t looks;  /* counters looked at in this block */
    } slowest;           /* slowest.c */
    VEC(struct products) products; /* one for each place that has some */
    struct site **site;            /* per place: a list */
    VEC(uint32_t) visited;         /* places that have one */
    uint32_t *ways;                /* per place: which of its `seen` hold something */
    /* [JIT_SEEN_WAYS] per place: patterns that fitted last, where the space is declared: one that
     * walks along words is as many as a line has words. tool: the struct pattern_entry, which is no
     * other one's yet. */
    struct jit_seen *seen;
    struct jit_batch *batches;     /* of each place as many; */
    VEC(struct jit_batch *) batch; /*   those in use: batch.c */
    struct jit_trace *trace;       /* per warp, of the block in flight; NULL: no caches */
    struct sector_set set;         /* empty while it is not used */
    VEC(struct record) records;    /* of a launch small enough */
    uint32_t phase;                /* of the block in flight */
    uint64_t local_line;           /* the same: the number of its local memory's first line */
    uint64_t local_lines;          /* of each warp */
    uint64_t room, most_room;      /* of all traces, in words */
    uint64_t dropped; /* of the block in flight: runs of sectors beyond what may be kept */
    bool atomics;     /* some site has global atomics */
    struct outline *const *shape; /* the launch's, once this one has met some */
    uint64_t reach;     /* the most lines by which those reach below or above their reference */
    struct sheet *twin; /* sampling.c: of the same jit_block, for the other blocks; NULL: none */
    bool first;         /*   this one is for blocks of the first round */
};

/* -- launches ---------------------------------------------------------------------------------- */

struct profile;

/* Shapes of accesses, with a lock. */
struct shapes {
    pthread_mutex_t lock;
    struct arena arena;
    struct outline **shape; /* [SHAPES], on first use; what is there stays */
    uint16_t *slot;         /* [2 * SHAPES]: by hash; 0: free */
    uint32_t count;
};

struct slowest;

/* -- sheet.c ----------------------------------------------------------------------------------- */

/* An empty one, which the watch has from then on. */
struct sheet *sheet_take(struct watch *w);
/* Behind verdict_flush(): empty again, for a launch to come; the watch has it no more. */
void sheet_keep(struct sheet *s);
void sheets_free(struct profile *p);

struct watch {
    struct profile *profile;
    struct kernel *kernel;
    struct jit_tool_launch launch;
    uint32_t places;
    uint32_t key_mask[SPACES]; /* of addresses: what the model's rules look at, less one */
    struct replay *replay;     /* NULL: no caches */
    uint32_t *block_work;      /* warp instructions of each block; NULL: nobody asks */
    struct slowest *slowest;   /* what each warp of some blocks does; NULL: nobody asks */
    struct sampling *sampling; /* NULL: all blocks are counted */
    bool phases;               /* each access is recorded by itself */
    struct wir *wir;           /* phases.c: where shared variables lie */
    struct shapes shapes;
    pthread_mutex_t lock;
    struct sheet *sheets;
};

void verdict_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                     uint32_t bytes, uint32_t space, uint32_t op, uint32_t place);
void verdict_halves(struct jit_warp *w, uint32_t lanes, uint64_t base, uint64_t apart,
                    const int32_t *offset, uint32_t bytes, uint32_t space, uint32_t op,
                    uint32_t place);
void verdict_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                    uint32_t space, uint32_t op, uint32_t place);
/* A pattern as generated code tells it. */
struct announced {
    uint64_t base, apart;
    const int32_t *offset;
    uint32_t lanes;
    bool halves;
};
/* Counts it, and says what it costs; NULL: no pattern after all. kind: JIT_SEEN_KIND(). */
const struct verdict *verdict_announced(struct jit_warp *w, const struct announced *t,
                                        uint32_t kind, uint32_t place, struct site **site);
/* Accesses like that to the site. */
void verdict_add(struct site *s, const struct verdict *v, uint64_t times);
/* The masks of a watch. */
void verdict_begin(struct watch *w);
/* What generated code counted, to the verdicts. */
void verdict_flush(struct sheet *s);
/* Adds a site's accesses to the sums. */
void verdict_fold(const struct site *s, struct sums *to);

/* -- lanes.c ----------------------------------------------------------------------------------- */

/* Whether the host compares eight addresses at a time. */
bool lanes_wide(void);
/* Those whose addresses lie in these bytes. */
uint32_t lanes_within(bool wide, const uint64_t *address, uint64_t first, uint64_t bytes);
/* Are the lanes' addresses `first`, to which each lane adds a step,
 * and these distances from there? */
bool lanes_fit(bool wide, uint32_t lanes, const uint64_t *address, uint64_t first, uint64_t step,
               const int64_t *distance);
/* How many different addresses the lanes have. */
uint32_t lanes_different(bool wide, uint32_t lanes, const uint64_t *address);

/* -- batch.c ----------------------------------------------------------------------------------- */

void batch_announced(struct jit_warp *w, uint32_t lanes, const struct jit_batch_base *base,
                     const struct jit_batch_table *table, uint32_t way);
/* Counts what generated code found to be alike. */
void batch_flush(struct sheet *s);

/* -- products.c: what is multiplied by tcgen05.mma ------------------------------------------------
 */

void products_announced(struct jit_warp *w, const struct jit_product *p, uint32_t place);
/* Adds those of a place to the sums. */
void products_add(struct sums *s, const struct sheet *from, uint32_t place);

/* -- lines and kernels ------------------------------------------------------------------------- */

/* An instruction of a line, where the result is to have them. */
struct said {
    const char *text;
    uint32_t place;
    uint64_t warps; /* that came to it, */
    uint64_t begun; /*   before this launch */
};

struct line {
    const char *file;
    uint32_t number;
    struct sums sums, begun; /* begun: before this launch, where it is sampled */
    VEC(struct said *) said;
    struct sample sample[SPACES][OPERATIONS]; /* the worst access of its kind */
};

/* What hardware or its compiler makes one access of: of the sectors that stores leave for L2 the
 * share that L1 puts together with others; of the wavefronts of shared memory the share that wide
 * loads leave (wide.c; 0: not known). */
struct joined {
    double stores, wide;
    uint64_t polls; /* sectors of a launch that loops ask L2 for while they wait (polls.c) */
};

/* What a warp's clocks wait for (chain.c). */
struct chained {
    struct waiting waiting;
    struct memory_wait {
        double clocks, sooner, kept;
    } memory; /* clocks for memory; so many of these fewer where L2 has what no launch but this one
                 asked for, which is this share of what L2 has not */
    double (*waits)[WAITS]; /* which instruction it is, per place; NULL: not known */
    uint8_t *loads;         /* per place: enum load_kind */
};

struct kernel {
    struct kernel *next;
    struct arena arena;
    struct hash128 module;
    const char *name;
    struct {
        uint32_t grid[3], block[3];
        uint64_t shared_bytes;
        uint32_t registers, local_bytes, static_shared;
        uint32_t registers_wanted; /* more than registers: some are kept in local memory */
    } size;
    uint64_t launches, failed;
    struct occupancy occupancy;
    struct sums sums;
    struct cache_counts caches;
    struct sampled sampled;
    uint64_t launch; /* the last of its launches (struct working_set); 0: none has ended */
    struct warm {
        uint64_t launches; /* that found in L2 what the one before had left there, or a part; */
        double kept;       /*   sum of these parts */
    } warm;
    uint64_t traced, dropped; /* runs of sectors that the caches saw, and did not */
    struct {
        double hot_share;   /* of the global ones, those on the line of 128 bytes that has most
                               (hot.c), */
        double slice_share; /*   and on the busiest slice of L2 */
        uint8_t *as;        /* per place: enum atomic_as; NULL: not known */
    } atomics;
    struct joined joined;
    uint8_t *folded; /* per place: MIX_FOLDED, MIX_QUARTER, 0 (fold.c); NULL: not known */
    double camping_busiest, camping_even; /* sums over steps: see replay.c */
    uint64_t without;                     /* mechanisms of the estimate that are left out */
    struct unevenness uneven;             /* of the first launch's blocks */
    struct chained chained;               /* of the first launch */
    uint32_t *line_of;                    /* per place: index in lines + 1; 0: not asked yet */
    uint32_t places;
    struct said **said; /* per place; NULL: the result has no PTX */
    VEC(struct line) lines;
    double seconds; /* the estimate of all launches so far, where it is asked for */
    json_t *phases; /* of the first launch; NULL: not asked for, or too large */
};

/* -- working_set.c: memory that launches touch ---------------------------------------------------
 */

struct touched;
struct working_set {
    struct touched *page; /* open addressing */
    uint32_t room, count; /* room: 0, or a power of two */
    uint64_t launch;      /* the one in hand, or that ended last: 1, 2, ... */
};
/* The launch in hand has touched so many bytes of a page of 2 MiB. */
void working_set_add(struct working_set *f, uint64_t page, uint64_t bytes);
/* Bytes that were touched by this launch and those after it. */
uint64_t working_set_since(const struct working_set *f, uint64_t launch);
void working_set_free(struct working_set *f);

struct profile {
    struct jit_tool tool; /* first: what callers hold */
    const struct device_profile *device;
    bool caches, phases, ptx;
    uint64_t without;                   /* mechanisms of the estimate that are left out */
    uint64_t trace_bytes, sample_every; /* of so many blocks one is counted */
    pthread_mutex_t lock;
    struct kernel *kernels, **last;
    struct kernel *latest;          /* whose launch ended last */
    struct working_set working_set; /* of all launches so far */
    struct cache_system *spare;     /* of a launch that is over; NULL: none */
    struct sheet *sheets;           /* the same; with sheet_lock, */
    uint64_t sheet_places;          /*   and how many places they have together */
    pthread_mutex_t sheet_lock;
    pthread_mutex_t slab_lock;
    struct slab *slabs; /* spare ones, */
    size_t slab_bytes;  /*   and how much memory that is */
};

/* -- mix.c ------------------------------------------------------------------------------------- */

/* Whether the tensor memory accelerator carries it out: a copy or reduction in bulk. */
bool mix_is_bulk(const struct ptx_insn *i);
/* As what a PTX instruction is counted: itself; the GPU instructions of mix_expansion(); those, but
 * issued once in four turns of a loop; part of another GPU instruction, without issue slots. */
enum mix_as { MIX_PTX, MIX_EXPANDED, MIX_QUARTER, MIX_FOLDED };
enum { TURNS_TOGETHER = 4 };
/* Adds the operations of an instruction that warps have executed `warps` times, and threads `lanes`
 * times in all. divergent: of a branch, how many of those executions diverged. */
void mix_add(struct sums *s, const struct ptx_insn *i, enum mix_as as, uint64_t warps,
             uint64_t lanes, uint64_t divergent);
/* What a GPU makes of it; NULL: one instruction, or none. */
const struct expansion *mix_expansion(const struct ptx_insn *i);
/* As what a global atomic is counted: the compiler combines the lanes of a warp first; a
 * compare-and-swap that nobody tries again. */
enum atomic_as { ATOMIC_EACH, ATOMIC_TOGETHER, ATOMIC_ONCE };
/* Adds what its atomics are beyond accesses. */
void mix_atomic(struct sums *s, const struct ptx_insn *i, const struct site *site,
                enum atomic_as as);

/* -- replay.c ---------------------------------------------------------------------------------- */

struct replay;
struct replay *replay_new(struct watch *w);
/* Line number of the local memory of a block's first warp; of one warp's local memory lines. */
uint64_t replay_local(const struct replay *r, uint64_t block);
uint64_t replay_local_lines(const struct replay *r);
/* (many) The sheet's traces become the finished block's. */
void replay_block(struct replay *r, uint64_t block, struct sheet *s);
/* Ends it: counts into the watch's kernel. */
void replay_end(struct replay *r);

/* -- trace.c ----------------------------------------------------------------------------------- */

/* The number of a shape of these lines; 0: there are too many. */
uint16_t trace_shape(struct sheet *sheet, const int64_t *line, uint32_t count);
/* Room for n words in the warp's trace; false: it may not grow. */
bool trace_grow(struct sheet *sheet, struct jit_trace *t, uint32_t n);
uint32_t trace_runs(const int64_t *line, uint32_t count);
void trace_free(struct sheet *sheet, uint32_t warps);
/* The launch's shapes so far; NULL: none. */
struct outline *const *trace_shapes(struct watch *w);
void trace_shapes_free(struct watch *w);

/* One access of a trace. */
struct traced {
    const int64_t *line; /* words, to be added to base */
    uint64_t base;
    uint32_t count;
};
/* That at `at`; the next one's place. */
static inline const uint64_t *
trace_next(const uint64_t *at, struct outline *const *shapes, struct traced *out)
{
    uint64_t word = *at++, shape = word & (SHAPES - 1);
    if (shape) {
        *out = (struct traced){shapes[shape]->line, word - shape, shapes[shape]->count};
        return at;
    }
    *out = (struct traced){(const int64_t *)at, 0, (uint32_t)(word >> CACHE_LINE_SHIFT)};
    return at + out->count;
}

/* Memory that traces wait in, in large pieces, which launches hand on to each other: what is taken
 * from the system anew is cleared first (a quarter of sum3's time). */
struct slab {
    struct slab *next;
    size_t size, used;
    max_align_t bytes[];
};
/* From the list, whose first slab is extended by another one where it has no room. */
void *slab_take(struct profile *p, struct slab **list, size_t size);
void slab_give_back(struct profile *p, struct slab *list);

/* -- play.c, pages.c --------------------------------------------------------------------------- */

enum { BLOCK_PAGES = 64 };
/* The first use of a page of 2 MiB by a block: of which step (access of each warp), warp, and line
 * of it. */
struct page_use {
    uint64_t page, step;
    uint32_t warp, line;
};
/* Words of lines in one page, if all lines of their accesses lie there, too. */
struct inside {
    uint64_t first, last;
};
/* What a block has used so far. */
enum { PAGE_GUESSES = 64 };
struct page_uses {
    struct page_use use[BLOCK_PAGES];
    uint32_t count; /* BLOCK_PAGES: perhaps more */
    uint64_t reach; /* the most lines by which its accesses reach beyond their reference */
    uint8_t guess[PAGE_GUESSES]; /* by a page's lower bits, where it was found last */
    struct known_page {
        struct inside inside;
        uint64_t page, since; /* noted with that step: uses of a later one, or the same one of a
                                 later warp, are not first */
    } known[2];               /* met last */
};
void page_uses_begin(struct page_uses *u, uint64_t reach);
/* Adds the uses of pages in a warp's trace. Warps are added in their order in the block. */
void page_uses_add(struct page_uses *u, uint32_t warp, const struct jit_trace *t,
                   struct outline *const *shape);
/* Runs of sectors in a warp's trace. */
uint64_t page_runs(const struct jit_trace *t, struct outline *const *shape);
/* A finished block's accesses, warp after warp. All lies in one piece. */
struct played {
    uint64_t *words; /* NULL: none */
    uint64_t *start; /* [warps + 1], of each warp in words */
    struct page_use *use;
    uint32_t use_count;
};
struct player;
/* x: may be NULL. */
struct player *player_new(const struct device_profile *d, struct cache_system *system,
                          uint32_t warps, struct sampling *x);
/* Blocks that are resident together. hands: threads that play. */
void player_wave(struct player *p, const struct played *block, uint64_t blocks,
                 struct outline *const *shape, uint32_t hands);
/* Ends it: counts into k, and what its launch has touched into f. */
void player_end(struct player *p, struct kernel *k, struct working_set *f);

/* -- chain.c ----------------------------------------------------------------------------------- */

/* From the sheets of the watch, into its kernel. */
void chain_waiting(const struct watch *w);

/* -- uneven.c ---------------------------------------------------------------------------------- */

void uneven_begin(struct watch *w);
/* A block has ended that the sheet has counted. */
void uneven_block(struct sheet *s, uint64_t block);
/* All have: what is known of the kernel's blocks (struct unevenness). */
void uneven_end(struct watch *w);

/* -- slowest.c --------------------------------------------------------------------------------- */

/* Code that is run together: clocks that a warp needs in the mean, and each time that it comes to
 * `place`. meets: behind it the block's warps wait for each other. */
struct superblock {
    uint32_t place;
    bool meets;
    double mean, clocks;
};
void slowest_begin(struct watch *w);
/* A block begins that the sheet will count: whether slowest_ran() is to be called whenever a warp
 * of it has run as far as it could. */
bool slowest_block(struct sheet *s, uint64_t block);
void slowest_ran(struct jit_warp *w);
/* Once, after the last block: clocks of a block's slowest warp over those of its warps in the mean,
 * for superblocks in the code's order; 1: x is NULL, or nothing of them was run. */
double slowest_share(struct slowest *x, const struct superblock *superblock, size_t count);
void slowest_end(struct watch *w);

/* -- fold.c ------------------------------------------------------------------------------------ */

struct wir;
/* Per place, in the arena: MIX_FOLDED for instructions that are part of another one on a GPU,
 * MIX_QUARTER for those that four turns of a loop need once; else 0. *together: of the flow's
 * blocks, the loops whose turns go together. */
uint8_t *fold_places(const struct wir *wir, uint32_t places, uint64_t without, uint8_t **together,
                     struct arena *a);

/* -- wide.c ------------------------------------------------------------------------------------ */

/* What loads at a place did: by warps, in wavefronts of shared memory; how many instructions of the
 * flow stand for it. */
struct wide_place {
    uint64_t warps, wavefronts;
    uint32_t copies;
};
/* Loads of shared memory that become one wide one: its wavefronts in place of theirs, the others
 * are part of it (folded, per place; NULL: that is not asked). */
void wide_loads(const struct wir *wir, const struct device_profile *d, const uint32_t block[3],
                struct wide_place *place, uint8_t *folded);

/* -- atomics.c --------------------------------------------------------------------------------- */

/* Per place of the flow's atomics: enum atomic_as. */
void atomics_places(const struct wir *wir, uint8_t *as);

/* -- polls.c ----------------------------------------------------------------------------------- */

/* share, per place, gets the share of its executions that counts where it lies in a loop that waits
 * for other warps. warps: per block of the flow, those that came to it. False: there is no such
 * loop. */
bool polls_find(const struct wir *wir, const uint64_t *warps, double *share);

/* -- hot.c ------------------------------------------------------------------------------------- */

/* Which lines of 128 bytes the global atomics of a launch meet on. */
enum { HOT_SLICES = 64 };
struct hot {
    uint64_t *line, *count; /* [HOT_LINES]; line: 1 + its number, 0: free */
    uint32_t used;
    uint64_t all;
    uint64_t slice[HOT_SLICES]; /* the same by slices of L2 */
};
enum { HOT_LINES = 4096 };
/* Adds those of a block. */
void hot_block(struct hot *h, const struct sheet *s, uint32_t warps);
/* The share of all of them that the line has which has most; 0: there are none; *slice: the busiest
 * slice's. Frees it. */
double hot_end(struct hot *h, double *slice);

/* -- phases.c ---------------------------------------------------------------------------------- */

/* Few enough threads to show each by itself? */
bool phases_fit(const struct jit_launch *l);
void phases_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                   uint32_t space, uint32_t op, uint32_t place);
void phases_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                    uint32_t bytes, uint32_t space, uint32_t op, uint32_t place);
void phases_barrier(struct jit_block *b, uint32_t barrier, const uint32_t *arrived,
                    const uint32_t *waiting, uint32_t place);
/* What the watch's sheets recorded, by block and in order. */
json_t *phases_json(struct watch *w);
/* arguments.c: what the kernel's arguments are called in its source, else "argument0", ...; in the
 * arena. */
const char **profile_argument_names(const struct ptx_func *f, struct arena *a);

/* -- result.c ---------------------------------------------------------------------------------- */

json_t *result_json(struct profile *p, bool complete);
/* The estimate of one launch, in the mean. */
double result_estimate(const struct device_profile *d, const struct kernel *k);

#endif
