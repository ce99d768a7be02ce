/* SPDX-License-Identifier: Apache-2.0
 *
 * check, inside. Time: each block counts its synchronisations (`stamp`); an access carries the
 * stamp at which it was made. What was made before the stamp `floor` happened before everything the
 * block does now (all its threads met at a barrier since). Beyond that a warp knows of other warps
 * of its block by their stamps (`known`), and of other blocks by what atomics and flags handed on
 * (struct known, order.c; struct handing, flags.c). docs/memory-model.md has the model.
 */
#ifndef LOCKSTEP_CHECK_PRIV_H
#define LOCKSTEP_CHECK_PRIV_H

#include "analysis/analysis.h"
#include "check/check.h"

#include <pthread.h>

/* A copy of a loop over lanes for processors that have these vectors; its caller asks for them. */
#if defined(__x86_64__)
#define WIDE __attribute__((target("avx512f,avx512dq")))
#else
#define WIDE
#endif

enum { MOST_WARPS = 32, MOST_ROOTS = 4, STREAMS = 64, NOTES_ROOM = 4096 };

/* A mark in shared memory with a stamp from here on was made by a transfer: the stamp is its
 * number. */
enum { TRANSFER_STAMP = 0x800000, LAST_STAMP = TRANSFER_STAMP - 16 };

struct check;
struct chunk;
struct journal;

/* -- findings ---------------------------------------------------------------------------------- */

enum finding_kind {
#define FINDING(name, text, group, title) FINDING_##name,
#include "check/findings.def"
#undef FINDING
    FINDING_KINDS
};
enum severity { SEVERITY_ERROR, SEVERITY_WARNING };

/* One side of a finding. */
struct side {
    bool valid;
    const char *op;                    /* "load", "store", "atomic", "barrier", "memcpy", ... */
    const struct kernel_facts *kernel; /* NULL: no kernel's */
    uint32_t place;
    bool has_place, has_thread;
    uint32_t block[3], thread[3];
    uint32_t size;
    uint64_t address;
    /* place of host code: of the call, or of the launch of the kernel; 0: not known */
    uint32_t host;
    uint32_t launch;       /* the host's launches, counted from 1; 0: none */
    struct memory *memory; /* that kernel's, for as long as it runs */
};

struct finding {
    enum finding_kind kind;
    enum severity severity;
    uint32_t rank;     /* of findings between the same places the highest is shown */
    const char *space; /* "shared", "global", ...; "" : none */
    const char *title; /* what it says in the place of its kind's text; NULL: that; static */
    const char *error; /* that a call returned; NULL: none */
    uint32_t made;     /* the place that made the allocation it is about; 0: not known */
    uint64_t bytes;    /* that leaked; those of equal findings are added up */
    struct side access, other;
    char message[700], missing[300];
};

/* True when it is new, so that the caller fills in the messages and calls finding_add; a finding
 * between these places that is known is counted. block: where it was made now; that of the first
 * block in the grid's order is shown, whichever thread came first; NULL: no matter. */
bool finding_is_new(struct check *c, enum finding_kind kind, uint32_t rank,
                    const struct kernel_facts *k, uint32_t place, const struct kernel_facts *other,
                    uint32_t other_place, const uint32_t *block);
void finding_add(struct check *c, const struct finding *f);

/* -- instructions ------------------------------------------------------------------------------ */

enum place_flags {
    PLACE_STRONG = 1,  /* volatile, relaxed, acquire, release, atomic: not raced by its like */
    PLACE_ACQUIRE = 2, /* strong reads: with a fence behind them they acquire; fences that do so */
    PLACE_RELEASE = 4, /* .release; fences that release */
    PLACE_SCOPE_CTA = 8, /* .cta */
    PLACE_COUNTED = 16,  /* a barrier with a number of threads */
    PLACE_ATOMIC = 32,
    PLACE_STORE = 64,
    PLACE_WARP_BARRIER = 128,
    PLACE_TRANSFER = 256,    /* what it writes to shared memory is there when somebody has waited */
    PLACE_BULK_SOURCE = 512, /* what it reads there is read until somebody has waited */
    PLACE_MBARRIER = 1024,   /* async.c has its order */
    PLACE_BULK = 2048,       /* one transfer by itself */
    PLACE_VOLATILE = 4096,
    PLACE_AT_ONCE = 8192, /* .acquire: no fence is needed */
    PLACE_WGMMA = 16384,
    PLACE_PROXY = 32768, /* fence.proxy.async; with PLACE_ACQUIRE: fence.proxy.tensormap */
    PLACE_SCOPE_CLUSTER = 65536,
    PLACE_SYSTEM = 131072,  /* .sys, volatile */
    PLACE_TCGEN05 = 262144, /* tcgen05.mma, .cp */
    PLACE_BYTES = 524288,   /* mbarrier.complete_tx */
    PLACE_NARROW = PLACE_SCOPE_CTA | PLACE_SCOPE_CLUSTER,
};

/* The pointer that an address was computed from. */
enum root_kind {
    ROOT_PARAM,  /* the 64-bit kernel parameter at offset `at` */
    ROOT_SHARED, /* kernel_facts.shared[at] */
    ROOT_GLOBAL, /* the module's variable `at` */
};
struct root {
    uint32_t kind, at;
};

/* Bytes that a store may take from a load (copies.c). */
struct copy_source {
    uint32_t place;
    uint8_t from, to, size;
};

struct place_facts {
    uint32_t flags;
    uint8_t align;
    uint8_t unit;       /* bytes of an element of a lane's vector */
    uint8_t root_count; /* 0: not known */
    uint32_t used;      /* loads: bytes whose value is used for more than being stored again */
    struct root root[MOST_ROOTS];
    uint32_t source; /* copies: kernel_facts.place of what they read; 0: none */
    bool copied;     /* loads: some store may take the value */
    bool device;     /* it may go to device memory */
    bool any_size;   /* how much is accessed only the access says */
    uint8_t sources; /* stores: loads that the value may come from */
    struct copy_source *source_of;
};

/* A variable of the kernel in shared memory. */
struct shared_var {
    const char *name;
    const struct ptx_var *var;
    uint64_t offset, size; /* size 0: dynamic, to the end */
};

/* What is wrong with registers of a wgmma or tcgen05.ld (in_flight.c), and where. */
enum warpgroup_fault { FAULT_USED, FAULT_OVERWRITTEN, FAULT_UNFENCED, FAULT_LOADED };
enum { MOST_FAULTS = 64 };
struct fault {
    enum warpgroup_fault kind;
    uint32_t wgmma, place;
};

struct kernel_facts {
    struct arena arena;
    struct kernel_facts *next;
    const struct ptx_module *module; /* may be gone; only compared */
    const struct ptx_func *func;
    struct hash128 hash;
    char *name;                        /* "saxpy(float*, int)": as the source has it */
    uint32_t place_count, facts_count; /* facts: behind the places' come those of sources */
    struct place_facts *place;
    char **file; /* per place: where it stands in the source */
    uint32_t *line, *column;
    struct shared_var *shared;
    uint32_t shared_count;
    struct fault *fault;
    uint32_t fault_count;
    uint32_t local_bytes;
    bool blocks_meet; /* has an atomic, an ordered access or a fence: blocks may order each other */
    bool releases;    /* something in it may hand on what a warp did: fences, .release */
    bool narrow;      /* a fence or a strong access in it is narrower than the device */
    /* Strong accesses differ: some are volatile, or stores, or, between blocks, narrow. */
    bool uneven, uneven_inside;
    bool opaque;     /* what it writes is not known from place[] */
    bool replicated; /* lanes of one instruction store copies of one value on purpose */
    /* All lanes of a warp make each store, as if one did: GCC's -muniform-simt, for OpenMP. */
    bool uniform;
    /* Lanes of a warp run in lock-step: on devices before 7.0, and code for those on later ones
     * (Volta Compatibility Guide, 1.4.3). */
    bool lock_step;
};

struct kernel_facts *facts_of_kernel(struct check *c, const struct jit_tool_launch *l);
void facts_free_all(struct check *c);

/* -- launches ---------------------------------------------------------------------------------- */

/* A launch or another piece of work that accessed device memory. Numbered from 1. */
struct job {
    const struct kernel_facts *kernel; /* NULL: a copy or a fill */
    const char *what;
    uint32_t stream, seq;
    uint32_t block[3], grid[3];
    uint32_t host;   /* the place of the call */
    uint32_t launch; /* as in struct side */
    struct memory *memory;
    /* a launch from a kernel: */
    uint32_t parent, root; /* the launch that made it, and the host's around all; 0: the host's */
    uint64_t parent_block;
    uint64_t parent_stream; /* as the kernel named it */
};

struct range {
    uint64_t base, end;
};

/* Per stream: work up to there is over. */
struct clock {
    uint32_t at[STREAMS];
};

struct launch {
    struct check *check;
    const struct kernel_facts *facts;
    const struct jit_launch *launch;
    struct memory *memory;
    uint64_t shared_bytes;
    uint32_t work;   /* its number, */
    uint32_t number; /*   and among the host's, from 1; a kernel's has that of the one around it */
    uint32_t host;   /* the place of the call that made it */
    bool watched;    /* not filtered out: findings are reported */
    struct range *expect; /* per place_facts: the allocation its address comes from; base 0: any */
    uint64_t param_bytes;
    pthread_mutex_t lock;
    struct block_state *blocks; /* all, for launch_end and other blocks' shared memory */
    bool spread;                /* blocks may run at the same time, on several workers */
    uint32_t after[STREAMS];    /* per stream: work up to there happened before */
    uint32_t floor;             /* work below it happened before */
    /* a launch from a kernel (nested.c): */
    const struct launch *parent; /* NULL: the host's */
    struct known *handed;        /* what is known of the parent's blocks */
    uint32_t waited;             /* children of the parent's block up to there were waited for */
    bool announced;              /* `after` is known */
    bool alone;                  /* all work was given to one stream so far, */
    bool lone;                   /*   the legacy one, and there is no other yet, nor a graph */
    uint8_t *read_only, *uneven, *observed; /* per place_facts: read_only.c, strong.c */
    struct maps *maps;                      /* tensor maps that it changes; NULL: none so far */
};

/* finding_is_new for a launch that may be filtered out. Those are guarded and noted as others, so
 * that what they wrote is known; only nothing is said of them. */
static inline bool
finding_wanted(const struct launch *l, enum finding_kind kind, uint32_t rank,
               const struct kernel_facts *k, uint32_t place, const struct kernel_facts *other,
               uint32_t other_place, const uint32_t *block)
{
    return l->watched && finding_is_new(l->check, kind, rank, k, place, other, other_place, block);
}

/* -- what a warp knows of other blocks --------------------------------------------------------- */

/* Accesses of warp `warp` of a block (WHOLE: of all its warps) with stamps up to `stamp`. */
enum { WHOLE = 63, SENT = 62 }; /* SENT: copies to peers up to this number (async.c) */
struct known_entry {
    uint64_t key; /* block << 6 | warp */
    uint32_t stamp;
};
/* Sorted by key; not changed once made; counted. */
struct known {
    _Atomic uint32_t users;
    uint32_t count;
    struct known_entry entry[];
};

/* -- blocks ------------------------------------------------------------------------------------ */

/* A pattern of lanes in shared memory: which words it touches, worked out once. */
enum { MOST_WORDS = 4 * JIT_LANES };
struct pattern_shape {
    const int32_t *offset;
    uint32_t lanes;
    struct pattern_shape *next; /* of the same place */
    bool usable, twice;         /* twice: several lanes touch one word */
    int32_t low, high;          /* of all bytes, from base */
    uint32_t words;
    bool run;                  /* one behind the other */
    int32_t word[MOST_WORDS];  /* from base */
    uint64_t mark[MOST_WORDS]; /* the lane, and MARK_MANY */
};

/* Threads for which a fence or a strong access counts: the block's, the cluster's, or all. */
enum scope { SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_DEVICE, SCOPES };

/* A place read by a strong access: what was handed on there is seen by the warp once the access is
 * over, that is at its next event. */
struct pending_read {
    uint64_t address;
    uint64_t writes;              /* to the flag, when it was announced */
    uint32_t stamp, place, bytes; /* the block's stamp then; of the access: which, and of a lane */
    struct known *what[SCOPES];
    uint32_t lanes;        /* that read it */
    uint32_t flags;        /* the access's */
    bool shared, observes; /* observes: seen_read_over() is to hear of it */
};
struct pending {
    uint32_t count;
    struct pending_read *read; /* JIT_LANES; NULL: none so far */
};

/* Fences of a block's warps. */
struct handing {
    bool any_fenced, any_seen;
    /* of that scope, or a wider one: what the warp's last fence covered (NULL: none so far), and
     * what strong reads saw handed on, until a fence */
    struct known *fenced[SCOPES][MOST_WARPS], *seen[SCOPES][MOST_WARPS];
    uint32_t seen_lanes[MOST_WARPS];
};

struct block_state {
    struct block_state *next;
    struct launch *launch;
    struct jit_block *block;
    uint64_t window; /* where its shared memory is; for others, under the launch's lock */
    const struct place_facts *facts; /* the kernel's and the launch's, of all places */
    const struct range *expect;
    struct {
        uint32_t stamp, first, floor;
        uint32_t warp_floor[MOST_WARPS]; /* all lanes of the warp met since */
        bool partly;                     /* known[][] says something beyond floor */
        uint32_t known[MOST_WARPS][MOST_WARPS];
        uint32_t (*lanes_met[MOST_WARPS])[JIT_LANES]; /* [a][b]: stamp; NULL: never in parts */
        struct known *outside[MOST_WARPS];
        bool any_outside; /* one of them is not NULL */
    } order;
    struct handing *handing; /* NULL: no fence so far, and nothing seen */
    struct pending pending[MOST_WARPS];
    uint32_t exists[MOST_WARPS]; /* lanes that the block has */
    uint32_t warps;
    struct { /* of shared memory, a cell per word (shift 2) or byte (0) */
        uint32_t shift;
        uint64_t cells, room;
        uint64_t *write, *read, *other, *strong;
        struct strong_logs *logs; /* strong.h */
        bool any_strong, any_unset;
        bool doubtful;        /* since the phase began some cell was looked at twice */
        uint32_t stamp;       /* of the last access that is no plain load */
        uint32_t plain_stamp; /* of the last one that is not atomic */
        uint32_t rough;       /* lanes of an atomic operation that were no quick case */
        bool counting;        /* there may be marks in it that cells do not have */
    } shared;
    struct regions *regions;   /* NULL: no cells of words */
    bool following, recording; /* a memoised region is replayed; one is being recorded */
    struct counters *counters;
    struct sync_table *sync;         /* in shared memory */
    struct transfers *transfers;     /* NULL: none so far */
    struct peers *peers, *peers_own; /* of the cluster, NULL: none; of rank 0: where it lies */
    struct {
        bool any, first; /* first: in the access that now is made some warp's copies began */
        struct copies *of[MOST_WARPS]; /* NULL: the warp has loaded nothing unset to copy it */
    } copied;
    /* local memory: per warp and byte of a lane's part the lanes that wrote it */
    uint32_t *local_init;
    uint64_t local_bytes;
    struct pattern_shape **shape; /* per place */
    uint32_t waited;              /* for launches up to there */
    struct runs **runs;           /* per place */
    struct jit_gate *gates;
    struct notes *notes;
    struct {                 /* lately found */
        struct range last;   /* an allocation */
        struct chunk *chunk; /* of device memory's shadow (they stay); NULL: none */
        uint64_t chunk_base, version;
        struct range read_only; /* read_only_range said of it: */
        bool is_read_only;
    } found;
    struct { /* arrivals at the barrier that is filling */
        uint32_t place[JIT_BARRIERS + 1], thread[JIT_BARRIERS + 1];
        uint32_t stamp[JIT_BARRIERS + 1][MOST_WARPS]; /* of warps that need not wait */
        bool any[JIT_BARRIERS + 1];
    } arrived;
};

/* -- accesses ---------------------------------------------------------------------------------- */

/* Of the bytes of an access from `skip` on, does any of these matter? More are not told apart. */
static inline bool
bytes_used(const struct place_facts *p, uint32_t skip, uint32_t bytes)
{
    return p->used & (skip < 32 ? bytes << skip : ~0u);
}

/* The execution of one memory instruction by one warp, as the checks are told of it. */
struct visit {
    struct block_state *b;
    struct jit_warp *w;
    const struct place_facts *facts;
    const struct range *expect;
    uint32_t lanes, bytes, space, op, place, warp;
    struct repeats *repeats; /* findings of one cell, noted for further lanes (memo.h); NULL: not */
};

/* The bytes that a lane is about to store at `byte` of its access equal those at `there`. */
bool stores_same(const struct visit *v, uint32_t lane, uint32_t byte, uint32_t bytes,
                 const uint8_t *there);
const uint8_t *stored_value(const struct visit *v, uint32_t lane, uint32_t byte);
const char *place_op(const struct kernel_facts *k, uint32_t place);
struct side side_of(const struct visit *v, uint32_t lane, uint64_t address);
/* What lies at this byte of a block's shared memory: race_reports.c. */
void shared_name(const struct launch *l, uint64_t offset, char *out, size_t room);
struct side side_of_thread(const struct block_state *b, uint32_t thread, uint32_t place,
                           const char *op);
/* An access of the job's kernel, by the numbers of its block and thread. */
struct side side_of_job(const struct job *w, uint32_t place, uint32_t block, uint32_t thread,
                        uint64_t address);
/* "load", "store", "atomic" */
static inline const char *
access_name(uint32_t op)
{
    return op == JIT_LOAD ? "load" : op == JIT_STORE ? "store" : "atomic";
}

/* -- shared.c ---------------------------------------------------------------------------------- */

/* Cells of shared memory. address: host addresses inside the block's shared memory. */
void shared_access(const struct visit *v, uint32_t lanes, const uint64_t *address);
/* False: some lane is out of bounds or not aligned, or it is no access of shared memory. */
bool shared_lanes(const struct visit *v, const uint64_t *address);
/* False: not a simple case, nothing was done. */
bool shared_pattern(const struct visit *v, uint64_t base, const int32_t *offset);
void shared_begin(struct block_state *b);
/* Stamps begin anew: what older ones say must go. */
void shared_forget(struct block_state *b);
void shared_free(struct block_state *b);
/* A word of shared memory (cells are words, no transfers): the block has written it, in an access
 * that its cell knows; it has, before all its threads met. */
bool shared_word_written(const struct block_state *b, uint64_t word);
void shared_word_was_written(struct block_state *b, uint64_t word);
/* Another block of the cluster writes it, after what its cell says. */
void shared_word_of_peer(struct block_state *b, uint64_t word);
void shapes_free(struct pattern_shape *s);
/* NULL: lanes differ too often, or the pattern is no simple one. */
struct pattern_shape *shape_of(const struct visit *v, const int32_t *offset);
/* The words of such a load were written, and not as copies of unset ones. */
bool shared_written(const struct block_state *b, const struct jit_note *n);

/* -- gates.c: loads that are not announced ----------------------------------------------------- */

void gates_begin(struct block_state *b);
void gates_close_all(struct launch *l);
/* Loads of the place need not be announced from low to end (host addresses). */
void gate_open(const struct visit *v, uint64_t low, uint64_t end);
/* The same from memory where a copy copies nothing unset. */
void gate_open_wide(const struct visit *v);

/* -- notes.c ----------------------------------------------------------------------------------- */

void notes_begin(struct block_state *b);
/* Looks at the notes of loads from shared memory, before something that could change what they
 * find. */
void notes_flush(struct block_state *b);
/* The same, where all threads of the block meet, or it ends. */
void notes_over(struct block_state *b);
static inline void
notes_before(struct block_state *b)
{
    if (b->block->note != b->block->note_end - NOTES_ROOM)
        notes_flush(b);
}

/* -- region.c: what a block does between two barriers, remembered ------------------------------ */

void region_begin(struct block_state *b);
/* All threads of the block meet, or it ends. */
void region_over(struct block_state *b);
/* The event that is about to happen ends the memoised region: its accesses go to the cells. */
void region_stop(struct block_state *b);
void region_forget(struct block_state *b);
/* A warp has loaded something unset, to copy it: as region_stop. */
void region_copies(struct block_state *b);
/* With `following`. True: as remembered, nothing else is left to do. */
bool region_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                    uint32_t bytes, uint32_t op, uint32_t place);
bool region_lanes(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                  uint32_t op, uint32_t place);
/* With `recording`. address: NULL for a pattern. */
void region_add(const struct visit *v, uint32_t lanes, uint64_t base, const int32_t *offset,
                const uint64_t *address);
void region_add_notes(struct block_state *b, const struct jit_note *n, const struct jit_note *end);
/* Lanes of some access that go to shared memory. True: as remembered. */
bool region_judged(const struct visit *v, uint32_t lanes, const uint64_t *address);

/* read_only.c: the load is from an allocation that is written
 * throughout, and not by this launch. */
bool read_only_place(const struct visit *v);
/* The same of an allocation that lanes of a load go to, whose place may go to several. */
bool read_only_range(const struct visit *v, const struct range *r);

/* runs.c: device memory, lanes in runs. False: not a simple case, nothing was done. offset: as in
 * jit_services.pattern. */
bool runs_pattern(const struct visit *v, uint64_t base, const int32_t *offset);
bool runs_lanes(const struct visit *v, const uint64_t *address);
/* The same for stores side by side, of a place that runs_pattern has
 * seen, before there is a visit. */
bool runs_store(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                uint32_t bytes, uint32_t place);
/* counters.c: atomic operations on words of device memory. False: not a simple case, nothing was
 * done. */
bool counters_lanes(const struct visit *v, const uint64_t *address);
void counters_over(struct block_state *b);
/* global_access, of which cells learn behind what is kept. */
void counters_access(const struct visit *v, uint32_t lanes, const uint64_t *address);
/* Cells learn of the last ones, before anything that asks them or that orders. */
static inline void
counters_before(struct block_state *b)
{
    if (b->shared.counting)
        counters_over(b);
}
/* True: nothing is wrong with it and nothing to be noted. */
bool global_pattern(const struct visit *v, uint64_t base, const int32_t *offset);
bool global_lanes(const struct visit *v, const uint64_t *address);
/* An access that leaves marks in device memory. */
bool global_is_watched(const struct visit *v);
void global_access(const struct visit *v, uint32_t lanes, const uint64_t *address);
void local_access(const struct visit *v, uint32_t lanes, const uint64_t *address);
/* False: not a simple case, nothing was done. */
bool local_lanes(const struct visit *v, const uint64_t *address);

/* -- copies.c ---------------------------------------------------------------------------------- */

/* A warp with copies[] begins an access. */
void copies_visit(const struct visit *v);
/* A lane loads these bytes of its access, which are unset and not used. */
void copies_loaded(const struct visit *v, uint32_t lane, uint32_t skip, uint32_t bytes,
                   const uint8_t *value);
/* A store whose value may be unset where it comes from. */
static inline bool
copies_begin(const struct visit *v)
{
    return v->op == JIT_STORE && v->facts->sources && v->b->copied.of[v->warp];
}
/* Bytes of the lane's store that are. */
uint32_t copies_stored(const struct visit *v, uint32_t lane);
void copies_forget(struct block_state *b);

/* -- order.c ----------------------------------------------------------------------------------- */

struct known *known_get(struct known *k);
/* Takes over a, leaves b; the result holds the larger stamp of either. */
struct known *known_join(struct known *a, struct known *b);
void known_put(struct known *k);
/* The stamp up to which the warp knows of warp `of` in another block; -1: nothing. */
int64_t known_of(const struct known *k, uint64_t block, uint32_t warp);
/* Adds to k, which it takes over, that a peer has the block's copies up to this number; is it so?
 */
struct known *known_sent(struct known *k, uint64_t block, uint32_t number);
bool known_is_sent(const struct known *k, uint64_t block, uint32_t number);
/* stamps: per warp that arrived and does not wait, when; NULL: all wait. all: all of the block. */
void order_barrier(struct block_state *b, const uint32_t *arrived, const uint32_t *waiting,
                   const uint32_t *stamps, bool all);
uint32_t order_arrive(struct block_state *b);
void order_warp(struct block_state *b, uint32_t warp, uint32_t lanes, uint32_t members);
/* flags: of enum place_flags. The scope of a fence or strong access; the least with that block. */
enum scope order_scope(const struct block_state *b, uint32_t flags);
enum scope order_scope_to(const struct block_state *b, uint64_t block);
void order_fence(struct block_state *b, uint32_t warp, uint32_t flags);
/* The warp saw what was handed on at some place; a fence of this scope, and it knows. */
void order_saw(struct block_state *b, uint32_t warp, uint32_t lanes, enum scope scope,
               struct known *k);
/* It saw, without a fence so far, that this access had been made. */
bool order_seen(const struct block_state *b, uint32_t mine, uint64_t block, uint32_t warp,
                uint32_t stamp);
/* The warp has come to a fence of this scope or a wider one. */
bool order_fenced(const struct block_state *b, uint32_t warp, enum scope scope);
/* What the block's fences covered and saw. */
void order_forget(struct block_state *b);
/* Inside a block: an access of warp, lane at stamp may run at the same time as one of `mine`'s lane
 * now. many: other lanes of that warp made it too. */
bool order_unordered(const struct block_state *b, uint32_t mine, uint32_t my_lane, uint32_t warp,
                     uint32_t lane, bool many, uint32_t stamp);
struct known *order_now(const struct block_state *b, uint32_t warp);
void order_acquire(struct block_state *b, uint32_t warp, uint32_t lanes, struct known *k);

/* -- flags.c ----------------------------------------------------------------------------------- */

/* A strong access to a place that may be a flag, a lock, a counter. */
void order_strong(const struct visit *v, uint32_t lanes, const uint64_t *address, bool shared);
void order_released(const struct visit *v); /* it has its mark: what follows has a later stamp */
void order_flush(struct block_state *b, uint32_t warp); /* what was read */
void order_flush_all(struct block_state *b);
void order_drop(struct block_state *b, uint32_t warp); /* the same, and nobody wants it */
struct sync_table *sync_new(void);
void sync_free(struct sync_table *t);
void sync_clear(struct sync_table *t);

/* -- nested.c: launches from kernels ----------------------------------------------------------- */

/* True: it is one, and its work and order are set. */
bool nested_begin(struct launch *l, const struct jit_tool_launch *from);
/* The threads waited for the launches of their block. */
void nested_joined(struct jit_warp *w);
/* An access of other work in the same tree of launches. */
enum relation { RELATION_NONE, RELATION_ORDERED, RELATION_RACE };
enum relation nested_relation(const struct block_state *b, const struct job *other, uint32_t work,
                              uint64_t block, uint32_t warp, uint32_t stamp);

/* -- global.c ---------------------------------------------------------------------------------- */

struct global_shadow *global_new(uint64_t most_bytes);
void global_free(struct global_shadow *g);
/* All of the range: written by the work, or (work 0) never. */
void global_range(struct global_shadow *g, uint64_t base, uint64_t size, uint32_t work, bool known);
/* Bytes of the range that nothing has written, and the first of them. */
struct holes;
uint64_t global_unwritten(struct global_shadow *g, uint64_t base, uint64_t size,
                          uint64_t *out_first, struct holes *out);
/* All of the range was written, by what was over. */
bool global_written(struct global_shadow *g, uint64_t base, uint64_t size);
bool global_thinned(const struct global_shadow *g);

/* -- block.c ----------------------------------------------------------------------------------- */

void block_begin(struct jit_block *k);
void block_ended(struct jit_block *k);
void block_dropped(struct jit_block *k); /* given up */
/* places: of its kernel. */
void block_free(struct block_state *b, uint32_t places);

/* -- the tool ---------------------------------------------------------------------------------- */

struct check {
    struct jit_tool tool; /* first */
    const struct device_profile *device;
    uint32_t groups;
    char *kernel_filter;
    uint64_t skip, count;
    bool wide;            /* the host has vectors of 512 bits */
    pthread_mutex_t lock; /* findings, facts, work */
    struct kernel_facts *facts;
    struct findings *findings;
    struct journal *journal; /* NULL: none */
    VEC(struct job) work;
    uint64_t launches, launches_checked;
    uint32_t host_launches;
    struct global_shadow *global;
    struct sync_table *sync; /* flags in global memory */
    uint32_t running;        /* launches */
    pthread_mutex_t sync_lock;
    struct streams *streams;
    struct flights *flights;
    struct constants *constants;
    uint32_t (*host_here)(void); /* check_host */
    const struct host_place *(*host_place)(uint32_t number);
    uint64_t memory_limit;
    uint64_t memory_version; /* counts frees; atomic */
};

/* access.c */
void check_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                  uint32_t space, uint32_t op, uint32_t place);
void check_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                   uint32_t bytes, uint32_t space, uint32_t op, uint32_t place);

/* The thread's next work: its number; 0: none was announced. */
uint32_t work_new(struct check *c, const struct kernel_facts *k, const char *what,
                  const struct launch *l);
void work_order(struct check *c, struct launch *l);
/* The work of this number, from 1; zeros: there is none. */
struct job work_job(struct check *c, uint32_t work);
uint32_t work_add(struct check *c, const struct job *w);
/* What was announced for the thread's next work; false: nothing. */
struct announced {
    uint32_t stream, seq; /* stream STREAMS: not known */
    struct clock knows;
    bool several, alone; /* there are several streams; it is ordered after all work of them */
};
bool work_announced(struct check *c, struct announced *out);
/* What this thread of the host knows to be over. */
struct clock work_host(struct check *c);
/* It has waited. */
void work_join_stream(struct check *c, uint64_t stream);
void work_join_event(struct check *c, const void *event);
void work_join_all(struct check *c);
struct streams *streams_new(void);
void streams_free(struct streams *s);

/* The place of host code where this thread is; 0: not known. */
static inline uint32_t
host_here(const struct check *c)
{
    return c->host_here ? c->host_here() : 0;
}

/* barriers.c, host.c: see jit_tool */
void check_barrier(struct jit_block *block, uint32_t barrier, const uint32_t *arrived,
                   const uint32_t *waiting, uint32_t place);
void check_arrive(struct jit_warp *w, uint32_t lanes, uint32_t barrier, uint32_t threads,
                  uint32_t place);
void check_sync(struct jit_warp *w, uint32_t lanes, const uint32_t *members, uint32_t place);
void check_absent(struct jit_warp *w, uint32_t lanes, uint32_t absent, uint32_t place);
bool check_heap(struct jit_warp *w, uint32_t lane, uint64_t address, uint64_t size, uint32_t place);

#endif
