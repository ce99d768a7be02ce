/* SPDX-License-Identifier: Apache-2.0
 *
 * exec, inside: what its files share. A file calls those below it; two calls go the other way,
 * through pointers: generated code calls services (services.c), and nested.c launches by
 * exec_code.run.
 *
 *   chain.c      several launches in pieces, so that one reads from the cache what another wrote
 *   exec.c       exec_run: fetches the warp functions from the jit, hands the grid on
 *   grid.c       one launch ("run"): hands out blocks, reports
 *   takeover.c   better code takes over between blocks
 *   replay.c     the faulty block once more in instrumented code, to find the instruction
 *   schedule.c   a run whose warps take turns in another order than the usual one
 *   resident.c   blocks that may wait for each other, in flight together
 *   run.c        what a run is made of
 *   services.c   what generated code may call
 *
 *   pool.c       worker threads; slots, kept between launches
 *   block.c      one block in flight ("slot"): its memory, and rounds over its warps
 *   cluster.c    where blocks of a cluster lie in the grid
 *   turns.c      the warps of a block with a schedule
 *   passing.c    blocks that a debugger passes over
 *   barrier.c    everything about barriers that is not "all warps came to the same one"
 *   livelock.c      blocks in which nothing can happen any more
 *   warp.c       one call of a warp's code; warps whose lanes wait for each other
 *
 *   externals.c  printf, assert, malloc, free
 *   nested.c     launches from kernels
 *   image.c      textures; surface.c: surfaces; tensor.c: copies of boxes of tensors
 *   cancel.c     clusters cancelled in time; tmem.c, tmem_*.c: tensor memory
 *   announcing.c what services announce to a tool; announced.c: what the code of a replay does
 *   trap.c       what generated code itself finds wrong
 *   deadlock.c   the report of threads that cannot go on
 *   fiber.c      warps that wait inside calls; fault.c leaves them
 *   combine.c    sums for global memory that are kept back; waiting.c: what lanes wait for
 *
 *   output.c     printed text in the order of blocks
 *   fault.c      signals, traps, and how an error becomes a report
 *   watch.c      blocks that do not come to an end: who looks, when, and what is said
 *   sample.c     whether one can: its state, read where a signal stops its thread
 *   state.c      what a block's state is, and who else could change it
 *
 * Ways out of generated code: a warp function returns, or exec_escape jumps (from a service or from
 * a signal handler) to exec_block_run, which is the one place with a sigsetjmp.
 */
#ifndef LOCKSTEP_EXEC_PRIV_H
#define LOCKSTEP_EXEC_PRIV_H

#include "exec/exec.h"
#include "jit/tool.h"
#include "exec/takeover.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#define EXEC_TURNING_TEXT "round in a loop that changes nothing"

enum {
    EXEC_MAX_THREADS = 1024, /* of a block: CUDA's limit on every generation */
    EXEC_MAX_WARPS = EXEC_MAX_THREADS / JIT_LANES,
    EXEC_FUEL = 256,                     /* back edges of a waiting loop before its warp yields */
    EXEC_CLUSTER_BARRIER = JIT_BARRIERS, /* barrier.cluster: one more barrier behind 0..15 */
    EXEC_BARRIERS = JIT_BARRIERS + 1,
    EXEC_OWN_WARP = EXEC_BARRIERS, /* lane_barrier: waits for lanes of its warp, */
    EXEC_POLLING,                  /* does not wait, but asks for something again and again, */
    EXEC_TURNING,                  /* is in a loop that changes nothing, */
    EXEC_BEHIND,                   /* waits where others of its warp come when such a loop ends, */
    EXEC_ELSEWHERE,                /* or stands outside of the call in which others wait for it */
};

/* -- errors ---------------------------------------------------------------------------------- */

/* A fault of one block, of which exec_report_fault makes the report. */
struct exec_fault {
    enum exec_status status;
    uint64_t block; /* exec_slot.number */
    uint32_t warp;  /* in the block */
    uint32_t lanes; /* threads concerned; 0: not known */
    uint32_t place;
    bool has_place, has_address;
    bool any_warp;  /* the warp is not known: one function runs them all */
    bool by_signal; /* the place has to be found by replaying */
    bool endless;   /* the same, of a loop (exec_replay_loop) */
    uint64_t address;
    char what[160];   /* "illegal address: load of 4 bytes at 0x..." */
    char detail[700]; /* the rest of the message, or empty */
};

/* -- a thread that runs blocks ---------------------------------------------------------------- */

struct exec_worker {
    sigjmp_buf escape;
    /* Whose generated code this thread is in, else NULL: says whose a signal's fault is. */
    struct jit_warp *volatile warp;
    struct exec_fault fault;   /* set before an escape */
    struct exec_fiber *fiber;  /* whose stack this thread is on, else NULL */
    uint32_t id;               /* 0: the thread that called exec_run */
    struct exec_seat *seat;    /* where it is watched from; NULL: it is not */
    uint64_t stack_top;        /* address in a frame that is older than generated code's */
    struct allocation reached; /* in announced code: memory of others that it may use, found last */
};

/* -- a block in flight ------------------------------------------------------------------------- */

enum warp_state {
    WARP_READY,
    WARP_AT_BARRIER, /* returned JIT_BARRIER */
    WARP_WAITING,    /* returned JIT_WAIT */
    WARP_DONE,
};

/* A barrier somebody has arrived at and that is not complete. Masks are per warp. */
struct exec_barrier {
    uint32_t expected;      /* threads; 0: all that have not exited */
    uint32_t kind;          /* JIT_BAR_SYNC until a thread with a predicate arrives */
    uint32_t place;         /* of the first arrival */
    uint32_t votes, voters; /* threads whose predicate holds; threads with a predicate */
    uint32_t repeated;      /* threads that arrived again before it was complete (bar.arrive) */
    uint32_t arrived[EXEC_MAX_WARPS];
    uint32_t waiting[EXEC_MAX_WARPS]; /* of those: stand still until it is complete */
};

/* livelock.c: when to look next whether anything can happen, and how far it is. */
struct exec_look {
    uint64_t at, wait, since; /* ns; at 0: not set, UINT64_MAX: never */
    uint64_t slot, memory;    /* hashes */
    uint32_t step, rounds;
    bool found; /* nothing can happen any more: to be reported */
};

/* Of the next launch by a thread of a kernel. */
struct exec_configuration {
    uint32_t grid[3], block[3];
    uint64_t shared, stream;
};

/* Blocks that are in flight together, on one worker; the first stands for all of them. */
struct exec_cluster {
    struct exec_slot *leader;
    uint32_t blocks;                          /* 1: not a cluster, or one of a single block */
    struct exec_slot *peer[JIT_CLUSTER_MOST]; /* by rank */
};

struct exec_slot {
    struct jit_block block;
    struct exec_cluster cluster; /* of the leader; others have its leader alone */
    uint64_t number;             /* of the block in the order in which a run hands blocks out */
    struct exec_run *run;
    uint64_t run_number;        /* of the run it was last prepared for */
    struct exec_worker *worker; /* that runs it now */
    struct exec_slot *next;     /* in the pool's list of free slots, or in a run's queue */
    struct exec_slot *next_in_flight;
    uint32_t warps, live;   /* live: those that are not done */
    uint32_t parked;        /* warps at a barrier or waiting */
    uint32_t barriers_used; /* set of barrier numbers with arrivals */
    /* each takes two lines of the cache, not three */
    _Alignas(64) struct jit_warp warp[EXEC_MAX_WARPS];
    uint8_t state[EXEC_MAX_WARPS];    /* enum warp_state */
    uint8_t returned[EXEC_MAX_WARPS]; /* enum jit_exit of this round */
    struct exec_barrier barrier[EXEC_BARRIERS];
    /* lanes that came to the cluster's barrier, which was complete before they waited for it */
    uint32_t passed[EXEC_MAX_WARPS];
    struct exec_configuration *configuration; /* per thread, made when first needed */
    struct exec_waiting {
        uint32_t place[EXEC_MAX_THREADS];  /* where, */
        uint8_t barrier[EXEC_MAX_THREADS]; /* at which barrier */
        struct jit_asked asked[EXEC_MAX_THREADS];
    } lane; /* lanes that wait */
    struct jit_wgmma wgmma[EXEC_MAX_WARPS];
    struct jit_wgmma_tiles *wgmma_tiles; /* or NULL */
    struct exec_calls {
        jit_warp_fn code[EXEC_MAX_WARPS];  /* what to call, */
        jit_warp_fn inner[EXEC_MAX_WARPS]; /* the same, or what exec_fiber_call calls */
        struct exec_fiber *fiber[EXEC_MAX_WARPS];
        uint32_t wanted[EXEC_MAX_WARPS]; /* JIT_WAIT inside a call: lanes that wait; 0: any */
        uint8_t *apart[EXEC_MAX_WARPS];  /* frame of one whose lanes wait for each other; free() */
        bool any_apart;
        uint32_t fibers;          /* that there are */
    } call;                       /* per warp */
    uint64_t due[EXEC_MAX_WARPS]; /* of a run with a schedule: the least goes next; */
    uint32_t turn;                /*   which warp that is */
    struct exec_look look;        /* of a block that is not resident; `found`: of any */
    bool straight;  /* each warp is expected to run to its end in one call, and nobody watches */
    bool unsettled; /* the next block begins with new frames and code: a new run, or not straight */
    struct exec_memory {
        uint8_t *frames;
        size_t frames_room;
        struct memory_window shared; /* a leader's: of all of the cluster */
        bool wide;                   /* it has room for addresses that wrap */
        uint8_t *local_map;          /* with guards */
        size_t local_room;           /* without */
        struct exec_tmem *tmem;      /* tensor memory; NULL: never asked for */
    } memory;
    struct text out;             /* printed, not yet handed on */
    struct jit_pending *pending; /* or NULL */
};

enum block_outcome { BLOCK_DONE, BLOCK_YIELDED, BLOCK_STOPPED, BLOCK_FAILED };

/* Makes the slot fit the run's kernel, as the next block of the leader's cluster (s itself: the
 * first). */
bool exec_slot_prepare(struct exec_slot *s, struct exec_run *run, struct exec_slot *leader,
                       struct ls_error *err);
void exec_slot_free(struct exec_slot *s);
static inline uint64_t
exec_slot_local_bytes(const struct exec_slot *s)
{
    return (uint64_t)s->block.launch->local_stride * JIT_LANES * s->warps;
}
/* Lanes of warp i that have not exited. */
static inline uint32_t
exec_alive(const struct exec_slot *s, uint32_t i)
{
    return s->state[i] == WARP_DONE ? 0 : s->warp[i].lanes;
}
/* The blocks of a cluster all begin; the first has this number. */
void exec_block_begin(struct exec_slot *s, uint64_t number);
enum block_outcome exec_block_run(struct exec_slot *s, struct exec_worker *w);
/* The block will not go on: its error, its text, the tool. */
void exec_block_finish(struct exec_slot *s, enum block_outcome outcome);
/* Blocks [first, end) of a run whose slot is straight; `progress` is told each one's number. */
void exec_blocks_straight(struct exec_slot *s, struct exec_worker *w, uint64_t first, uint64_t end,
                          _Atomic uint64_t *progress);

/* warp.c. Calls warp i once more; returns enum jit_exit, never JIT_APART. */
uint32_t exec_warp_call(struct exec_slot *s, uint32_t i);
/* Warp i returned JIT_APART: lets it go on. */
uint32_t exec_warp_apart(struct exec_slot *s, uint32_t i);
void exec_apart_free(struct exec_slot *s);
void exec_set_code(struct exec_slot *s, uint32_t i, jit_warp_fn fn);

/* fiber.c: warps that wait inside calls */
uint32_t exec_fiber_call(struct jit_warp *w);
void exec_pause(struct jit_warp *w, uint32_t lanes, uint32_t why);
void exec_fiber_leave(struct exec_worker *w);
void exec_fiber_left(struct exec_worker *w);
void exec_fibers_reset(struct exec_slot *s);
void exec_fibers_free(struct exec_slot *s);
uint8_t *exec_stack_end(void);

/* combine.c: prepare gives a slot's block its sums, if the run may
 * have any; end: they go to memory */
void exec_combine_prepare(struct exec_slot *s);
void exec_combine_end(struct jit_pending *p);
void exec_combine(struct jit_warp *w, uint32_t lanes, const uint64_t *address, const uint32_t *x);
void exec_combine_flush(struct jit_warp *w);

/* waiting.c: lanes wait at that place for a barrier (its number), or for what EXEC_... says */
void exec_note_waiting(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t barrier,
                       uint32_t place);
/* Lanes of the warp that do not wait are outside of a call in which those `inside` do. */
void exec_note_outside(struct exec_slot *s, uint32_t warp, uint32_t inside);
void exec_held(struct jit_warp *w, uint32_t lanes, uint32_t place);
/* Lanes that wait at no barrier. */
void exec_note_polling(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t place);
void exec_note_turning(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t place);
/* jit_tool_launch.look */
void exec_look(const struct jit_block *b, uint32_t warp, struct jit_standing *out);

/* barrier.c */
/* ROUND_WAITS: all warps wait. */
enum round { ROUND_DONE, ROUND_ON, ROUND_YIELDED, ROUND_WAITS };
void exec_arrive(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t barrier,
                 uint32_t threads, uint32_t kind, uint32_t votes, bool waits, uint32_t place);
void exec_warp_returned(struct exec_slot *s, uint32_t warp, uint32_t outcome);
enum round exec_general_round(struct exec_slot *s);
/* Threads may have exited: lets go who waits at the cluster's barrier for them. */
void exec_cluster_barrier(struct exec_slot *leader);

/* cluster.c. Coordinates of a block by its number, and its rank in its cluster. */
uint32_t exec_block_place(const struct exec_run *run, uint64_t number, uint32_t out[3]);

/* deadlock.c: nobody in the block can go on; the same where warps poll. */
_Noreturn void exec_deadlock(struct exec_slot *s);
_Noreturn void exec_deadlock_polling(struct exec_slot *s);
/* Lanes of one warp wait for others of it that cannot come. */
_Noreturn void exec_lanes_deadlock(struct jit_warp *w, uint32_t lanes);

/* -- a launch in flight ------------------------------------------------------------------------ */

struct exec_tmem; /* tmem.h */
/* A block begins; its threads have all exited: nothing must be left allocated. */
void exec_tmem_begin(struct exec_slot *s);
void exec_tmem_end(struct exec_slot *s);

/* announcing.c. Announces to the tool one lane's access inside of a service; false: it keeps the
 * lane from it. And of what is asynchronous, at an mbarrier, a tensor map, or nowhere (0). */
bool exec_announce(struct jit_warp *w, uint32_t lane, uint64_t at, uint32_t bytes, uint32_t space,
                   enum jit_access_op op, uint32_t place);
void exec_announce_async(struct jit_warp *w, uint32_t lane, enum jit_async what, uint64_t at,
                         uint32_t number, uint32_t place);
void exec_announce_move(struct jit_warp *w, uint32_t lane, uint64_t to, uint64_t from,
                        uint32_t number, uint32_t place);

/* passing.c. Whether block `number`, which comes next, runs in code of which the debugger is told
 * nothing; after it. */
struct exec_passing {
    bool never;
    const struct exec_code *usual; /* NULL: not asked for yet */
    struct exec_code code;         /* kernel NULL: the same */
};
bool exec_pass(struct exec_slot *s, struct exec_passing *p, uint64_t number);
void exec_passed(struct exec_slot *s, const struct exec_passing *p);

/* exec.c: the code that a request runs; stays where it is. False: the report says why. */
struct exec_source {
    const struct exec_request *request;
    struct exec_code code;
};
bool exec_source_open(struct exec_source *s, const struct exec_request *r,
                      struct exec_report *report);

struct exec_pending { /* text of a finished block that has to wait for blocks before it */
    uint64_t block;   /* number */
    char *at;
    size_t count;
};

struct exec_tail { /* a launch that waits for the end of its parent */
    const struct ptx_func *kernel;
    struct exec_configuration configuration;
    uint8_t *params; /* ls_release */
};

struct exec_progress {
    _Alignas(
        64) _Atomic uint64_t block; /* every block below it that this worker took is finished */
};

enum { EXEC_WATCH_SIGNAL = SIGURG }; /* ignored by who does not know it */

/* replay.c: what lanes of a warp compared last, of the places that it came by in a round of all
 * warps. */
enum { EXEC_COMPARES = 4 };
struct exec_compare {
    uint32_t place, lanes;
    uint64_t a[JIT_LANES], b[JIT_LANES];
};
struct exec_compares {
    uint32_t count; /* the newest last */
    struct exec_compare at[EXEC_COMPARES];
};

/* Which blocks a run is of, where a tool takes a sample of them: those that it counts, or the
 * rest. */
struct exec_part {
    const struct jit_tool *tool; /* NULL: all of the grid */
    const struct jit_launch *launch;
    bool rest;
};

struct exec_run {
    struct exec_pool *pool;
    const struct exec_request *request;
    const struct exec_code *code;
    struct jit_launch launch;
    struct jit_services services; /* exec's, with the tool's functions where it watches */
    struct jit_tool *tool;        /* NULL: none */
    uint64_t number;              /* of this run in the process: slots tell runs apart by it */
    uint64_t blocks;
    struct exec_part part;
    uint32_t cluster; /* blocks that begin and end together */
    uint64_t chunk;   /* blocks handed out at a time, a multiple of that */
    bool resident;    /* several blocks of a worker in flight, switched on yields */
    bool scheduled;   /* the same, on one thread, switched when each warp has had its turn: */
    struct exec_turns {
        VEC(struct exec_slot *) heap; /* those in flight, the one that goes next first, */
        uint64_t until;               /*   which goes on until it is due later than that; */
        uint64_t idle; /* how many turns there were since a warp ended or came to a barrier */
    } turns;
    struct exec_replay {
        bool on;
        struct exec_compares *compared; /* per warp; NULL: loops give way (exec_replay_loop) */
        uint64_t deadline;              /* ns of CLOCK_MONOTONIC */
    } replay;
    _Alignas(64) _Atomic uint64_t next; /* block to hand out */
    _Alignas(64) _Atomic uint64_t stop; /* blocks above this one need not go on: it has failed */
    struct exec_progress *progress;     /* per worker; ordinary runs */
    struct exec_takeover takeover;      /* likewise */

    struct exec_flight {
        pthread_mutex_t lock;
        uint64_t in_flight, most_in_flight, finished; /* clusters, clusters, blocks */
        struct exec_slot *queue, **queue_end;         /* yielded, first to go on first */
        struct exec_slot *flying;                     /* all in flight */
        _Atomic bool over;                            /* nothing left to do */
    } flight;                                         /* under its lock */
    struct exec_livelock {
        struct exec_look look;
        atomic_flag looking; /* one thread runs all blocks, to see whether they are in a livelock */
        _Atomic bool still;  /*   the others do nothing */
    } livelock;              /* resident runs */

    pthread_mutex_t fault_lock;
    struct exec_fault fault; /* the one of the lowest block */

    VEC(struct exec_tail) tail;       /* under fault_lock */
    VEC(struct exec_pending) pending; /* under pool->print_lock */
    size_t pending_bytes;
};

bool exec_run_code(struct exec_pool *p, const struct exec_request *r, const struct exec_code *code,
                   struct exec_report *report);
/* What a launch stores goes past the caches from so many bytes on: copies from array to array and
 * back are faster so (two cores, a last cache that holds more: 8 MiB 19 for 26 GB/s, 32 MiB 20 for
 * 15). */
enum { EXEC_STREAM_BYTES = 16 << 20 };
/* The least bytes of a store, made by each of so many threads, that go past the caches
 * (jit_launch.streams); 0: none do. */
uint32_t exec_stream_bytes(uint64_t threads);
void exec_run_init(struct exec_run *run, struct exec_pool *p, const struct exec_request *r,
                   const struct exec_code *code);
void exec_run_fini(struct exec_run *run);
void exec_launch_fill(struct jit_launch *l, const struct exec_request *r,
                      const struct jit_kernel *k, const struct jit_services *services, void *owner);
static inline void
exec_coordinates(const uint32_t grid[3], uint64_t index, uint32_t out[3])
{
    if (index < grid[0]) { /* no division: that is as long as a small block */
        out[0] = (uint32_t)index;
        out[1] = out[2] = 0;
        return;
    }
    out[0] = (uint32_t)(index % grid[0]);
    index /= grid[0];
    out[1] = (uint32_t)(index % grid[1]);
    out[2] = (uint32_t)(index / grid[1]);
}

static inline uint32_t
exec_cluster_blocks(const struct exec_request *r)
{
    return r->cluster[0] ? r->cluster[0] * r->cluster[1] * r->cluster[2] : 1;
}

static inline bool
exec_stopped(struct exec_run *run, uint64_t block)
{
    uint64_t stop = atomic_load_explicit(&run->stop, memory_order_relaxed);
    return stop != UINT64_MAX && (run->resident || block > stop);
}

/* schedule.c: all of a run */
void exec_schedule_work(struct exec_run *run, struct exec_worker *w);
/* turns.c: a block begins at this time; when its next warp is due, 0: no warp can go on; turns of
 * its warps up to run->until */
void exec_turns_begin(struct exec_slot *s, uint64_t now);
uint64_t exec_due(const struct exec_slot *s);
enum block_outcome exec_block_turns(struct exec_slot *s);

/* livelock.c. After a round of a block that is alone; does not return when nothing can happen. */
void exec_livelock_round(struct exec_slot *s, bool yielded);
/* Its clock, ns: under a debugger, where a launch goes the same way each time, the position is. */
uint64_t exec_livelock_now(const struct exec_run *run);
/* Whether it is time to look; sets the time of the next look after one that began at `since`. */
bool exec_livelock_due(const struct exec_run *run, struct exec_look *l);
void exec_livelock_later(const struct exec_run *run, struct exec_look *l, uint64_t since);
/* Whether the state of a run decides what becomes of it. */
bool exec_livelock_can_be_known(const struct exec_run *run);

/* resident.c. A worker's part; the longest waiting block, NULL: none; what becomes of it after it
 * ran. */
void exec_resident_work(struct exec_run *run, struct exec_worker *w);
struct exec_slot *exec_resident_next(struct exec_run *run);
/* The next cluster that has not begun never does; false: there is none. */
bool exec_resident_cancel(struct exec_run *run, uint64_t *number);
void exec_resident_ran(struct exec_run *run, struct exec_slot *s, enum block_outcome outcome);

/* -- state.c ----------------------------------------------------------------------------------- */

/* Of all warps of a block (of its cluster's) that have not ended, its shared and local memory; of
 * all memory of the device. */
uint64_t exec_hash_bytes(uint64_t h, const void *at, uint64_t size);
uint64_t exec_hash_slot(struct exec_slot *s);
uint64_t exec_hash_memory(const struct exec_run *run);
/* Whether the kernel's own state decides what becomes of it: it reads no clock, and no call of it
 * waits. */
bool exec_is_closed(const struct exec_run *run);
/* Whether a thread of the program could write to memory while this one's kernel runs. */
bool exec_others_may_write(struct exec_pool *p);
/* Whether the program's threads have all ended but for ours: main has left by pthread_exit(). */
bool exec_is_left(bool *main_left);

/* -- watch.c, sample.c ------------------------------------------------------------------------- */

#define EXEC_THREAD_NAME "lockstep/" /* and what each is for, below 16 characters */
enum { EXEC_CALLERS = 16 };          /* threads that call exec_run at a time and are watched */

enum exec_order {
    ORDER_LOOK,   /* say which block runs, and where it is */
    ORDER_SAMPLE, /* compare its state with those seen before */
    ORDER_END,    /* its state has come again: end it */
};

enum { EXEC_STANDS = 16 };
enum exec_standing {
    STANDS_RUNS,
    STANDS_BARRIER,
    STANDS_POLLS,
    STANDS_WAITS,
    STANDS_READY,
    STANDS_DONE
};

/* Where a thread that runs blocks was when a signal asked it. */
struct exec_sighting {
    bool inside;         /* in generated code, or what that calls */
    bool closed;         /* exec_is_closed */
    uint64_t run, block; /* numbers */
    uint64_t blocks;     /* of the grid */
    uint64_t since;      /* ns: it has been in that block at least so long */
    uint32_t warp;
    bool has_warp;
    uint32_t stand_count, more; /* more: blocks that are not among them */
    struct exec_stand { /* warps in a row that do the same, of this block and of others that wait */
        uint64_t block;
        uint32_t first, count;
        uint8_t what;   /* enum exec_standing */
        uint32_t place; /* BARRIER, POLLS: where */
    } stand[EXEC_STANDS];
    const struct ptx_module *module; /* of the kernel: lives while the launch does */
    char kernel[128];
};

struct exec_sample {
    uint64_t pc, state;
    uint64_t memory; /* 0: not looked at */
};
enum { EXEC_SAMPLES = 1024 };
struct exec_samples {
    bool proven; /* a state came again, memory as it was */
    bool moved;  /* the block is another one */
    bool inside; /* calls of a tool are looked at, too, */
    bool end;    /* and the next one ends the block */
    uint32_t steps;
    bool differs;    /* memory of the device was not always the same */
    uint64_t memory; /* of the device; 0: not looked at */
    uint32_t looks;  /* at memory */
    uint32_t count;
    struct exec_sample at[EXEC_SAMPLES];
};

/* A thread that runs blocks, as the one that watches sees it. */
struct exec_seat {
    _Alignas(64) _Atomic(struct exec_worker *) worker; /* NULL: runs none now */
    _Atomic uint64_t entered;                          /* counts */
    _Atomic int32_t thread;                            /* the kernel's number of it */
    _Atomic uint64_t order; /* enum exec_order | number << 2; a signal makes the thread read it */
    _Atomic uint64_t answered; /* the last order's number that was carried out */
    /* written by the thread between order and answer, read behind that */
    struct exec_sighting seen;
    struct exec_samples *samples;
    uint64_t last, since; /* the watcher's: entered as it saw it, and when first */
    bool deaf;            /* the same: the signal is blocked there */
};

struct exec_watch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    struct exec_options options;
    void (*install)(void); /* the signal's handler */
    _Atomic bool left;     /* a thread of the program has ended: perhaps it was the last */
    _Atomic uint32_t left_looks;
    _Atomic bool started, asleep;
    _Atomic bool shared; /* exec_set_shared */
    bool failed, closing;
    uint32_t seat_count;
    struct exec_seat *seat;
    uint64_t number;     /* of orders */
    uint64_t wait, next; /* ns: when to sample again */
    uint64_t beat;       /* ns: when to say again that something runs */
};

void exec_watch_init(struct exec_pool *p, void (*install)(void));
void exec_watch_fini(struct exec_pool *p);
/* A thread begins to run blocks, and ends. */
void exec_seat_take(struct exec_pool *p, struct exec_worker *w, struct exec_worker *outer);
void exec_seat_leave(struct exec_worker *w, struct exec_worker *outer);
/* In the signal's handler: carries out the seat's order; true: the block is to be ended (w->fault
 * says why). */
bool exec_obey(struct exec_worker *w, void *context);
void exec_sample_look(struct exec_worker *w);
void exec_sample(struct exec_worker *w, void *context);
/* Whether it could be ended: not while it is in code that is not generated. */
bool exec_sample_end(struct exec_worker *w, void *context);
/* fault.c */
void exec_watch_signal_install(void);

/* -- pool.c ------------------------------------------------------------------------------------ */

enum { EXEC_HINTS = 256 };

struct exec_pool {
    uint32_t workers; /* with the caller */
    pthread_mutex_t lock;
    struct exec_watch watch;
    pthread_cond_t work, left;
    struct exec_job *jobs; /* that want help */
    struct exec_helper *helpers;
    uint32_t started, asleep, awake_idle;
    bool closing;
    _Atomic uint64_t runs_begun;
    struct exec_progress *_Atomic spare_progress; /* of a run that ended; NULL: none */
    _Atomic uint32_t posted; /* counts jobs offered: what idle threads watch while they spin */
    struct exec_slot *free_slots;
    uint32_t free_slot_count, free_fibers; /* fibers: of free slots */
    uint32_t wide_slots;                   /* with wide windows, free or not */
    pthread_mutex_t print_lock;
    _Atomic uint32_t hint[EXEC_HINTS]; /* ns a block of some kernel took lately */
};

/* Work for the caller and, unless that is to do it `alone`, for the helpers that join. */
struct exec_job {
    bool (*wants)(void *context); /* whether another helper finds something to do */
    /* A worker's part: returns when there is nothing left for it to do. */
    void (*work)(void *context, struct exec_worker *w);
    void *context;
    struct exec_job *next;    /* under pool->lock */
    _Atomic uint32_t helpers; /* threads in `work` besides the caller */
};
void exec_pool_run(struct exec_pool *p, struct exec_job *job, bool alone);
struct exec_slot *exec_slot_take(struct exec_run *run, struct ls_error *err);
void exec_slot_give(struct exec_pool *p, struct exec_slot *s);
static inline uint64_t
exec_now(void) /* ns */
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
void exec_pause_cpu(void); /* in a loop that looks for what another thread does */

/* -- fault.c, replay.c ------------------------------------------------------------------------- */

/* Handlers for faults, once per process; what was there before is called for other faults. */
/* Before and after running blocks on this thread: the record that the handler looks at, a stack for
 * the handler, and floating-point state as generated code expects it. */
struct exec_entry {
    struct exec_worker *outer;
    uint32_t control;
};
void exec_thread_enter(struct exec_pool *p, struct exec_worker *w, struct exec_entry *entry);
void exec_thread_leave(const struct exec_entry *entry);

/* Ends the block: fills the worker's fault and jumps to
 * exec_block_run. lanes: threads concerned. */
_Noreturn void exec_escape(struct exec_slot *s, uint32_t warp, uint32_t lanes, uint32_t place,
                           bool has_place, enum exec_status status, const char *what,
                           const char *detail);
void exec_run_fail(struct exec_run *run, const struct exec_fault *f);
void exec_run_fail_text(struct exec_run *run, uint64_t block, const char *text);
void exec_report_fault(const struct exec_run *run, const struct exec_fault *f,
                       struct exec_report *report);
void exec_replay(struct exec_run *run, struct exec_fault *f);
void exec_replay_loop(struct exec_run *run, struct exec_fault *f);
void exec_compare(struct jit_warp *w, uint32_t lanes, const uint64_t *a, const uint64_t *b,
                  uint32_t place);
void exec_thread_coordinates(const uint32_t block[3], uint32_t thread, uint32_t out[3]);
/* "prog.cu:12", or "" when there is no module. */
void exec_place_text(const struct exec_run *run, uint32_t place, char *out, size_t room);
void exec_trap(struct jit_warp *w, uint32_t lanes, uint32_t reason, uint32_t place);
/* What is near an address that no memory is behind; "": nothing. */
void exec_describe_address(const struct exec_slot *s, uint64_t address, char *out, size_t room);
void exec_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                  uint32_t bytes, uint32_t space, uint32_t op, uint32_t place);
void exec_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                 uint32_t space, uint32_t op, uint32_t place);

/* -- externals.c, output.c --------------------------------------------------------------------- */

extern const struct jit_services exec_services;

/* nested.c: args as in jit_externals.def */
void exec_configure(struct jit_warp *w, uint32_t lanes, const void *args);
void exec_nested_launch(struct jit_warp *w, uint32_t lanes, uint32_t function, const void *area);
/* Launches that waited for the run's end; false and the report: one of them failed. */
bool exec_nested_tail(struct exec_run *run, bool fine, struct exec_report *report);

void exec_external(struct jit_warp *w, uint32_t lanes, uint32_t external, uint32_t place,
                   void *args, void *result);
/* image.c, surface.c: lanes with one handle */
void exec_image(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
                struct jit_image_data *data);
struct texture;
void exec_tensor(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
                 const struct jit_tensor_data *data);
void exec_cancel(struct jit_warp *w, uint32_t lanes, const uint64_t *to, const uint64_t *barrier,
                 uint32_t flags, uint32_t place);
void exec_tmem(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
               struct jit_tmem_data *data);
void exec_surface(struct jit_warp *w, uint32_t lanes, struct jit_image_insn what, uint32_t place,
                  const struct texture *t, struct jit_image_data *data);
void exec_output_more(struct exec_slot *s); /* the block printed and goes on */
void exec_output_done(struct exec_slot *s); /* the block is finished */
void exec_output_end(struct exec_run *run); /* nothing runs any more */

#endif
