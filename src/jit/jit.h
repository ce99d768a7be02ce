/* SPDX-License-Identifier: Apache-2.0
 *
 * jit: a kernel in PTX becomes warp functions.
 *
 * A warp function runs the 32 lanes of one warp in lock-step until they have all exited, or until
 * the warp has to wait (a barrier, or its fuel is spent). It then saves its live registers in the
 * warp's frame and returns; called again, it goes on there. Registers are LLVM values while it
 * runs: scalars where all lanes agree (uniform), a scalar and a constant pattern of 32 offsets
 * where lanes differ by constants (affine), vectors of 32 otherwise.
 *
 * This header is where generated code and C meet: the structs marked (abi) are read and written by
 * both; generated code takes each field's place from offsetof.
 *
 * Kernels are specialised on the block's dimensions. They are kept in memory and on disk.
 */
#ifndef LOCKSTEP_JIT_H
#define LOCKSTEP_JIT_H

#include "base/base.h"
#include "jit/image.h"
#include "jit/mbarrier.h"
#include "jit/tensor.h"
#include "jit/tmem.h"
#include "ptx/ptx.h"

struct memory;
struct jit_standing;

enum { JIT_BARRIERS = 16 };

/* Clusters. Addresses of shared memory are 32 bits: the block's rank in its cluster from this bit
 * on, below it the offset in that block's shared memory, as the hardware has them. */
enum { JIT_RANK_BIT = 24, JIT_CLUSTER_MOST = 16, JIT_MOVE_BITS = 24 };

/* A function's address as a value: JIT_FUNCTION_TAG | (ptx_func.index + 1) << 4. */
#define JIT_FUNCTION_TAG 0xf000000000000000ull

/* What a warp function returns. */
enum jit_exit {
    JIT_DONE,    /* all lanes have exited */
    JIT_BARRIER, /* all lanes still alive stand at one barrier: warp->barrier_* say which */
    JIT_WAIT,    /* no lane can run: each stands at a barrier announced through services->arrive
                    or exited; call again when warp->released has lanes */
    JIT_YIELD,   /* fuel is spent in a loop that may wait for other warps, or memory comes next
                    (jit_request.scheduled); call again later */
    JIT_APART,   /* lanes stand at an instruction whose member mask names others that have not come:
                    goes on in the kernel's function for that (jit_request.apart), with a frame that
                    begins as this one */
};

enum jit_barrier_kind {
    JIT_BAR_SYNC,
    JIT_BAR_RED_POPC, /* barrier_result: number of threads whose predicate holds */
    JIT_BAR_RED_AND,  /* 1 or 0 */
    JIT_BAR_RED_OR,
    JIT_BAR_CLUSTER, /* barrier.cluster.wait */
};

enum jit_trap_reason {
    JIT_TRAP_INSTRUCTION, /* trap */
    JIT_TRAP_BREAKPOINT,  /* brkpt */
    JIT_TRAP_ASSERT,      /* __assertfail: raised by the external's implementation */
    JIT_TRAP_STACK,       /* recursion too deep, or alloca beyond local memory */
    JIT_TRAP_CALL,        /* indirect call to something that is no function, or of another type */
    JIT_TRAP_UNREACHABLE, /* control ran past the end of a function */
    JIT_TRAP_LANES,     /* lanes wait for others of their warp that cannot come: services->held has
                           been told where */
    JIT_TRAP_MASK,      /* a lane executes a warp operation whose mask does not name it */
    JIT_TRAP_WARPGROUP, /* wgmma without all lanes of four warps */
    JIT_TRAP_BARRIER,   /* barrier number above 15, or a thread count that is no multiple of 32 */
};

/* (abi) Constant during one launch. */
struct jit_launch {
    const uint8_t *params;   /* the kernel's parameter block */
    const uint64_t *symbols; /* address of module variable i (ptx_module.vars); 0 for .shared */
    void *const *functions;  /* jit_kernel.functions: code of ptx_func i, for indirect calls; atomic
                                where functions are deferred */
    const struct jit_services *services;
    uint32_t grid[3], block[3];
    uint32_t warps;          /* per block */
    uint32_t dynamic_shared; /* bytes */
    uint32_t local_stride;   /* bytes of local memory per lane, a multiple of 16 */
    uint32_t fuel;           /* back edges of waiting loops before a warp yields */
    uint64_t gridid;
    void *owner;          /* exec's */
    void *tool;           /* what the tool's launch_begin returned */
    uint32_t streams;     /* a thread's stores of so many bytes or more go past the caches; 0: none
                             do. Who ran blocks fences before others may look */
    uint32_t cooperative; /* %envreg1 and %envreg2: not 0 in a cooperative launch */
    struct jit_steps *steps; /* JIT_EVENT_STEP: the tool's; else NULL */
    uint32_t cluster[3];     /* blocks of a cluster in each dimension; ones without clusters */
    uint32_t cluster_blocks, block_streams; /* their product; `streams` of a whole block */
};

/* (abi) JIT_EVENT_STEP: how far a launch is, and where it stops: before each PTX instruction that a
 * warp is about to execute services->step is called if position is stop or flags[place] is not 0.
 * Then position goes up by one. */
struct jit_steps {
    uint64_t position;
    uint64_t stop;
    const uint8_t *flags; /* per place of the module */
    uint32_t tell;        /* JIT_EVENT_ACCESS with JIT_EVENT_STEP: not 0: accesses are announced */
    uint32_t unused;
    uint64_t began; /* ns since 1970: %globaltimer at position 0 */
};

/* (abi) JIT_EVENT_STEP: a warp's kernel, or a function that it has really called, while it runs;
 * behind it lie registers and lanes (jit/code_map.h). */
struct jit_activation {
    struct jit_activation *caller; /* NULL: this is the kernel's */
    uint32_t function;             /* ptx_func.index of the function whose code this is */
    uint32_t site;                 /* number of the instruction (jit_code_map.site) */
    uint32_t mask;                 /* lanes that execute it; 0: the warp waits */
    uint32_t alive;                /* lanes that have not exited, or returned */
    uint32_t stack;                /* bytes of local memory per lane below its own variables */
    uint32_t unused[9];
};
_Static_assert(sizeof(struct jit_activation) == 64, "registers behind it stay aligned");

/* (abi) Sums on their way to global memory. A thread that runs blocks adds 32-bit integers for
 * which `red.global.add` asks into sum[] as long as they fall into one window of addresses, and
 * adds what came together to memory later: without order among them, reductions may be combined
 * (PTX ISA 8, relaxed operations). Before the thread's own kernel could notice - it loads from the
 * window or stores to it, a fence, a barrier - services->flush is called. */
enum { JIT_PENDING_BYTES = 16384 };
struct jit_pending {
    uint64_t base;     /* the window's first address, a multiple of 4, */
    uint64_t size;     /* and its bytes; 0: nothing is pending */
    uint64_t owner[6]; /* exec's */
    /* sum[k] belongs to base + 4 k; zero outside of use */
    uint32_t sum[JIT_PENDING_BYTES / 4 + 16];
};

/* The phase of an mbarrier that a thread asked for last and that was not over. */
struct jit_asked {
    uint64_t address; /* of the host; 0: none */
    uint32_t parity;  /* of that phase */
};

struct jit_warp;
/* (abi) A block in flight. */
struct jit_block {
    const struct jit_launch *launch;
    uint8_t *shared; /* its shared memory: static variables, then dynamic ones */
    uint8_t *window; /* where address 0 of shared memory lies: the one of rank 0 in the cluster.
                        shared is window + (rank << JIT_RANK_BIT) */
    uint32_t rank;   /* in its cluster; 0 without clusters */
    uint8_t *local;  /* local memory: lane l of warp w has local_stride bytes from
                        local + (w * 32 + l) * local_stride */
    uint32_t ctaid[3];
    uint32_t smid;
    uint64_t index; /* linear block number */
    /* JIT_EVENT_COUNT: JIT_COUNTS numbers per place, and of one more; the tool's */
    uint64_t *counts;
    struct jit_pending *pending; /* NULL: reductions go to memory at once */
    struct jit_asked *asked;     /* one per thread; NULL: nobody wants to know */
    void *owner;                 /* exec's */
    void *tool;                  /* the tool's, see jit_tool.block_begin */
    bool passed;                 /* its code tells of nothing: jit_tool.passes has said so */
    bool deadlocked;             /* told of by block_dropped: given up in a deadlock */
    /* JIT_EVENT_GUARD: one per place; the tool's, set by block_begin */
    const struct jit_gate *gates;
    struct jit_note *note, *note_end; /* the same: room for notes, and its end */
    const struct jit_note *expected;  /* the same: the next access to shared memory; or NULL */
    uint32_t *local_written; /* the same: per warp and byte of a lane's local memory the lanes that
                                wrote it, at warp * local_stride + byte; NULL: ask each time. Where
                                all lanes use one byte, loads of what they wrote and stores are
                                not announced, and stores noted here */
    struct jit_seen *seen;   /* JIT_EVENT_SEEN: JIT_SEEN_WAYS per place; the tool's, set by */
    struct jit_batch *batches; /*   block_begin; the same: 1 << JIT_BATCH_WAY_BITS per place; */
    uint64_t seen_mask;        /*   which bits of an address in shared or device memory count; */
    struct jit_trace *trace;   /*   one per warp; NULL: none */
    uint64_t trace_local;    /* the same: number of the line of 128 bytes at which the block's local
                                memory begins */
    struct jit_wgmma *wgmma; /* one per warp, zero when the block begins */
    struct jit_wgmma_tiles **wgmma_tiles; /* NULL until they are needed; exec frees them */
    void (*ran)(struct jit_warp *w); /* a warp has exited, or waits; set by block_begin, or NULL */
};

/* (abi) How far a warp is with its warpgroup's products (wgmma). */
enum { JIT_WGMMA_GROUPS = 8 };
struct jit_wgmma {
    uint32_t come, done; /* products: the last that it met the others at, from 1; computed so far */
    uint32_t groups, last[JIT_WGMMA_GROUPS]; /* committed; of the latest: `done` when they were */
    uint32_t lanes, asked, vain; /* lanes that committed it; wait for others; how often in vain */
};

/* (abi) JIT_EVENT_SEEN: an access that is like one told before is not told again: times is raised,
 * and, of global and local memory, a word goes to the warp's trace. Told are accesses whose lanes
 * differ by constants, or do so within each half of the warp (jit_services.pattern, halves). Alike
 * are those of one place, kind, offset[], lanes and distance of the halves, whose base differs in
 * no bit of mask. */
/* The one at ((base >> 2) ^ JIT_SEEN_LANES(lanes)) % JIT_SEEN_WAYS is looked at. */
enum { JIT_SEEN_WAYS = 32 };
/* Blocks of 20 threads a row have warps with other lanes each, at the same addresses. */
#define JIT_SEEN_LANES(lanes) ((uint32_t)(lanes)*0x9e3779b1u >> 27)
struct jit_seen {
    uint64_t base, mask; /* in local memory, of lane 0's offset from its first byte */
    uint64_t apart;
    const int32_t *offset;
    uint32_t lanes; /* 0: nothing */
    uint32_t kind;  /* JIT_SEEN_KIND() */
    uint64_t word;  /* below the number of the base's line of 128 bytes, from bit 16 on: of device
                       memory,  or of local memory (a word of each lane is a line) */
    uint64_t times;
    void *tool; /* the tool's */
};
#define JIT_SEEN_KIND(bytes, space, op)                                                            \
    ((uint32_t)(bytes) | (uint32_t)(space) << 16 | (uint32_t)(op) << 24)
/* at == end: the access is told. */
struct jit_trace {
    uint64_t *at, *end, *start;
};

/* The same for accesses that follow each other in one block of code (jit_services.batch), at the
 * first one's place. Alike are those of one table, lanes, apart and key: of each base that is no
 * constant memory's a byte, from the first on: the base's bits of seen_mask, in local memory its
 * lowest four. */
enum { JIT_BATCH_WAY_BITS = 5, JIT_BATCH_APART = 2 };
struct jit_batch {
    uint64_t key;
    const struct jit_batch_table *table; /* NULL: nothing */
    uint64_t apart[JIT_BATCH_APART];     /* of the bases that have halves */
    uint64_t lanes;
    uint64_t times;
    const uint64_t *words; /* of each access to device or local memory: jit_seen.word, its line
                              counted from its base's */
    void *tool;            /* the tool's */
};
struct jit_batch_member {
    uint32_t place, kind; /* kind: JIT_SEEN_KIND() */
    uint32_t base;        /* number; UINT32_MAX: where shared or local memory begins */
    uint32_t pattern;     /* where offset[] is, in words from the table's first; 0: NULL */
    int32_t delta;        /* from the base */
};
struct jit_batch_table {
    uint32_t count, bases;
    uint32_t traced; /* how many have words */
    uint32_t halves; /* a bit per base */
    struct jit_batch_member member[];
};
/* In words: the table is a constant of the generated code. */
enum { JIT_BATCH_HEAD = 4, JIT_BATCH_MEMBER = 5 };
/* In local memory `at` is lane 0's offset from its first byte. */
struct jit_batch_base {
    uint64_t at, apart;
};

/* (abi) JIT_EVENT_GUARD: loads in patterns (jit_services.pattern) whose bytes, of all 32 lanes, lie
 * in size - 1 bytes from `low` are not announced: those from global and constant memory not at all,
 * those from shared memory by a note, which the tool reads when it likes. Nor are those from global
 * and constant memory where each active lane's bytes do (jit_services.access). Size 0: every load
 * is announced. */
struct jit_gate {
    uint64_t low, size;
};
/* Loads from shared memory, and stores (place | JIT_NOTE_STORE), in patterns. While
 * jit_block.expected points to a note whose warp is not NULL, no notes are written: an access that
 * is the expected one is not announced, and the next note is expected then; any other one is
 * announced. */
enum { JIT_NOTE_STORE = 1 << 24 };
struct jit_note {
    uint64_t base;
    const int32_t *offset;
    struct jit_warp *warp;
    uint32_t lanes, place;
};

/* (abi) Before the area of parameters and results that a call hands to a function. */
struct jit_call {
    void *caller;   /* behind the jit_call of who calls; NULL: a kernel */
    uint32_t place; /* of the call */
};

/* (abi) A warp in flight. */
struct jit_warp {
    struct jit_block *block;
    uint8_t *frame;           /* jit_kernel.frame_bytes, aligned to 64; needs no set-up */
    uint32_t resume;          /* 0: start; set by the function before it returns */
    uint32_t warp;            /* index in the block */
    uint32_t lanes;           /* before the first call: lanes that exist; after a return: lanes
                                 that have not exited; kept up to date for calls, too */
    uint32_t barrier;         /* JIT_BARRIER: its number, */
    uint32_t barrier_threads; /*   threads expected, 0: all of the block, */
    uint32_t barrier_kind;    /*   enum jit_barrier_kind, */
    uint32_t barrier_votes;   /*   lanes whose predicate holds (RED kinds; JIT_YIELD: those in the
                                 loop), */
    uint32_t barrier_place;  /*   the instruction (JIT_YIELD: what the loop polls, else its head) */
    uint32_t barrier_result; /* set by the caller before the next call: outcome of a RED kind */
    uint32_t released;       /* JIT_WAIT: set by the caller: lanes whose barrier is complete;
                                taken out by the function */
    uint32_t fuel;           /* set by the caller before each call */
    uint32_t stack;          /* local memory in use by calls: bytes per lane */
    uint8_t *stack_end;      /* set by the caller: the host's stack must not grow below it */
    void *owner;             /* exec's */
    void *calls;        /* JIT_TRAP_STACK: behind the jit_call of the function that had no room */
    const void *values; /* JIT_EVENT_GUARD: what the announced store stores: per element of
                           a lane's vector the values of 32 lanes; else not meaningful */
    uint32_t denied;    /* JIT_EVENT_GUARD: set by access and pattern: lanes that must not
                           make the access; what they would have loaded is 0 */
    uint64_t clock; /* jit_request.scheduled: cycles that the warp has taken, about; its %clock */
    uint64_t ready; /* the same: when the last of its loads so far is there, by that clock */
    /* JIT_EVENT_STEP: the innermost; NULL: the warp has not begun */
    struct jit_activation *activation;
}; /* 128 bytes, two lines of the cache: the place of a warp is a shift */
_Static_assert(sizeof(struct jit_warp) == 128, "a power of two");

/* A place in the program: the number of an instruction, counted through all functions of the
 * module in order. */
bool jit_place(const struct ptx_module *m, uint32_t place, const struct ptx_func **func,
               const struct ptx_insn **insn);
uint32_t jit_place_of(const struct ptx_func *func, const struct ptx_insn *insn);
/* The line of the program that an instruction comes from (not of a header: of the call in it);
 * NULL: not known. */
const struct ptx_loc *jit_place_loc(const struct ptx_func *func, const struct ptx_insn *insn);
/* "prog.cu:12" from .loc, else "prog.ptx:34". */
void jit_place_text(const struct ptx_module *m, uint32_t place, char *out, size_t room);

/* Events, for tools and for finding the place of a fault; only in instrumented code. */
enum jit_event {
    JIT_EVENT_ACCESS = 1, /* every memory access, before it happens: services->access, ->pattern */
    JIT_EVENT_COUNT = 2,  /* executions are counted in block->counts */
    JIT_EVENT_SYNC = 4,   /* warp-wide synchronisation and fences: services->sync */
    JIT_EVENT_GUARD = 8,  /* with ACCESS: access and pattern decide, in warp->denied, which lanes
                             make  it; stores show their values in warp->values */
    JIT_EVENT_TURNS = 32, /* every loop counts as one that may wait: it gives way (JIT_YIELD) again
                             and again; services->compare */
    JIT_EVENT_SEEN = 16,  /* with ACCESS: struct jit_seen. Loads of parameters are not told */
    JIT_EVENT_PASSED = 128, /* with COUNT: for blocks that a debugger passes over */
    JIT_EVENT_STEP = 64,    /* struct jit_steps; every register lies where struct jit_code_map says,
                               and is read from there */
};

/* JIT_EVENT_COUNT, per place: counts[JIT_COUNTS * place + one of these]. Instructions that LLVM or
 * the analysis dropped as without effect are counted all the same. WARPS and LANES are kept as
 * differences from the place before, so that a stretch of code is two additions: jit_counts_sum()
 * makes numbers of them. */
enum jit_count {
    JIT_COUNT_WARPS,     /* times a warp executed it with at least one lane in the block's mask */
    JIT_COUNT_LANES,     /* sum of the lanes that executed it (its guard holds) */
    JIT_COUNT_DIVERGENT, /* branches: times lanes of one warp went different ways */
    JIT_COUNTS = 4 /* so that what is added together never lies in two lines of the host's cache */
};
void jit_counts_sum(uint64_t *counts, uint32_t places);

enum jit_access_op { JIT_LOAD, JIT_STORE, JIT_ATOMIC };

/* What is done in the background, and mbarriers: told to tools beside the accesses. The generated
 * code does the transfers at once. */
enum jit_async {
    JIT_ASYNC_COMMIT,      /* cp.async.commit_group */
    JIT_ASYNC_WAIT,        /* cp.async.wait_group: number is how many groups may be left */
    JIT_ASYNC_WAIT_ALL,    /* cp.async.wait_all */
    JIT_ASYNC_BULK_COMMIT, /* of cp.async.bulk: the same */
    JIT_ASYNC_BULK_WAIT,   /* .read, too */
    JIT_ASYNC_WGMMA,       /* before its reads: barrier: the descriptor of B, and (number 2) of A */
    JIT_ASYNC_WGMMA_COME,  /* again and again: the warp is at a wgmma and waits for its warpgroup */
    JIT_ASYNC_WGMMA_COMMIT, /* wgmma.commit_group, */
    JIT_ASYNC_WGMMA_WAIT,   /*   wait_group: as above */
    JIT_ASYNC_ARRIVE,       /* before lanes arrive at the mbarriers */
    JIT_ASYNC_COPIES,   /* before: the mbarriers learn of the lanes' cp.async when they are done */
    JIT_ASYNC_BULK,     /* before: the mbarriers learn of the transfer just announced */
    JIT_ASYNC_AFTER,    /* the mbarriers have changed */
    JIT_ASYNC_OVER,     /* lanes were told that the phase they asked for is over */
    JIT_ASYNC_TENSOR,   /* number 1: the next accesses are one bulk transfer; 0, AFTER: they were */
    JIT_ASYNC_MAP,      /* a lane copies by the tensor map at this address; number: its swizzle */
    JIT_ASYNC_MAP_SET,  /* it has changed the map */
    JIT_ASYNC_MBARRIER, /* number: enum jit_mbarrier_op, which lanes have done to the mbarriers;
                           behind their addresses stand the lanes' numbers */
    JIT_ASYNC_MOVE,     /* of a bulk copy: number bytes go to the lanes' addresses from those behind
                           these; the number's bits from JIT_MOVE_BITS on: the swizzle */
    JIT_ASYNC_ABSENT,   /* lanes go on at a *.sync; those in number, which they name, have left */
};
/* What clusterlaunchcontrol.try_cancel answers: 32 bits whether a cluster was cancelled, then
 * %ctaid of its first block. */
struct jit_cancelled {
    uint32_t is, ctaid[3];
};
enum jit_cancel {
    JIT_CANCEL_ALL = 1,       /* each block of the cluster gets the answer */
    JIT_CANCEL_ANNOUNCED = 2, /* announced to access and async */
};

/* (abi) What generated code asks of the rest. The table is constant and shared by all launches of
 * one kind; every function may be called by several threads at once for different warps. */
struct jit_services {
    /* An error in these lanes. Does not return. */
    void (*trap)(struct jit_warp *w, uint32_t lanes, uint32_t reason, uint32_t place);
    /* Function `external` (enum jit_external) for these lanes. args: each parameter as 32 values
     * of its size, one parameter after the other; result: 32 values. */
    void (*external)(struct jit_warp *w, uint32_t lanes, uint32_t external, uint32_t place,
                     void *args, void *result);
    /* Lanes arrive at a barrier without the whole warp (divergent code, bar.arrive). waits: 0 for
     * bar.arrive. */
    void (*arrive)(struct jit_warp *w, uint32_t lanes, uint32_t barrier, uint32_t threads,
                   uint32_t kind, uint32_t votes, uint32_t waits, uint32_t place);
    /* JIT_EVENT_ACCESS: lanes access `bytes` each at address[lane] (host addresses, for shared and
     * local memory too). space: enum ptx_space of the instruction, op: enum jit_access_op. */
    void (*access)(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
                   uint32_t space, uint32_t op, uint32_t place);
    /* The same where lanes differ by constants: lane l's address is base + offset[l]. offset lives
     * as long as the kernel and is the same pointer each time this instruction is announced from
     * one place in the generated code; NULL: every lane has the address base. In local memory
     * (PTX_SPACE_LOCAL) these are lane 0's addresses; each other lane's own memory begins a
     * local_stride behind the one before. */
    void (*pattern)(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                    uint32_t bytes, uint32_t space, uint32_t op, uint32_t place);
    /* JIT_EVENT_SEEN: as pattern, the upper half of the warp `apart` bytes further on. */
    void (*halves)(struct jit_warp *w, uint32_t lanes, uint64_t base, uint64_t apart,
                   const int32_t *offset, uint32_t bytes, uint32_t space, uint32_t op,
                   uint32_t place);
    /* JIT_EVENT_SEEN: the table's accesses, in order, which have been made by then. way: which of
     * the place's struct jit_batch has been looked at. */
    void (*batch)(struct jit_warp *w, uint32_t lanes, const struct jit_batch_base *base,
                  const struct jit_batch_table *table, uint32_t way);
    /* JIT_EVENT_SYNC: lanes execute an instruction that orders them with others, before it takes
     * effect: bar.warp.sync and the other *.sync ones (members[lane]: the mask the lane gave), and
     * membar and fence (members NULL). The place says which (ptx_insn.op and modifiers). */
    void (*sync)(struct jit_warp *w, uint32_t lanes, const uint32_t *members, uint32_t place);
    /* JIT_EVENT_SYNC: enum jit_async; barrier: host addresses, or NULL. */
    void (*async)(struct jit_warp *w, uint32_t lanes, uint32_t what, const uint64_t *barrier,
                  uint32_t number, uint32_t place);
    /* block->pending is not NULL. Lanes add x[lane] to the 32-bit integers at address[lane], where
     * not all of them fall into the window. */
    void (*combine)(struct jit_warp *w, uint32_t lanes, const uint64_t *address, const uint32_t *x);
    /* What is pending goes to memory now. */
    void (*flush)(struct jit_warp *w);
    /* A texture or surface instruction: what is a struct jit_image_insn. */
    void (*image)(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
                  struct jit_image_data *data);
    /* An instruction on tensors: what is a struct jit_tensor_insn. */
    void (*tensor)(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
                   const struct jit_tensor_data *data);
    /* Lanes ask that a cluster that has not begun does not: the answer (struct jit_cancelled) goes
     * to to[lane], or to the same place in each block of the cluster, whose mbarrier learns of it;
     * flags: enum jit_cancel. */
    void (*cancel)(struct jit_warp *w, uint32_t lanes, const uint64_t *to, const uint64_t *barrier,
                   uint32_t flags, uint32_t place);
    /* One on tensor memory: what is a struct jit_tmem_insn. */
    void (*tmem)(struct jit_warp *w, uint32_t lanes, uint64_t what, uint32_t place,
                 struct jit_tmem_data *data);
    /* Lanes (may be none) stand at an instruction until others of their warp come to one of its
     * kind; told before the warp waits for something else or traps for want of it. */
    void (*held)(struct jit_warp *w, uint32_t lanes, uint32_t place);
    /* In a function that is called: the warp has to wait (JIT_WAIT: until some of these lanes are
     * released; JIT_YIELD). Returns when it may go on. */
    void (*pause)(struct jit_warp *w, uint32_t lanes, uint32_t why);
    /* Lanes launch kernel `function` (ptx_func.index) with what each configured last
     * (JIT_EXT_CONFIGURE). area: its parameters in order, each as 32 values of its size, those of
     * less than 4 bytes as 4, from 32 times its offset; offsets are aligned to 16. */
    void (*launch)(struct jit_warp *w, uint32_t lanes, uint32_t function, const void *area);
    /* The code of ptx_func `function`, which lanes call for the first time; NULL: there is none. */
    void *(*function)(struct jit_warp *w, uint32_t lanes, uint32_t function, uint32_t place);
    /* JIT_EVENT_TURNS: lanes compare (setp) a[lane] with b[lane], the operands' bits. */
    void (*compare)(struct jit_warp *w, uint32_t lanes, const uint64_t *a, const uint64_t *b,
                    uint32_t place);
    /* JIT_EVENT_STEP: the instruction at w->activation comes next. */
    void (*step)(struct jit_warp *w);
};

/* Functions that PTX calls but does not hold: EXTERNAL(NAME, "name", result bytes, "sizes of
 * parameters as digits") in jit_externals.def. The services' user implements them. */
enum jit_external {
#define EXTERNAL(name, text, result, params) JIT_EXT_##name,
#include "jit/jit_externals.def"
#undef EXTERNAL
    JIT_EXTERNAL_COUNT
};

typedef uint32_t (*jit_warp_fn)(struct jit_warp *w); /* returns enum jit_exit */

/* What a kernel needs, alike in all its code. */
struct jit_needs {
    uint32_t local_bytes;  /* per lane: its variables; recursion needs more (the stack limit) */
    uint32_t shared_bytes; /* static shared memory */
    uint32_t registers;    /* 32-bit registers per thread, estimated from live ranges */
};

struct jit_kernel {
    const struct ptx_func *func;
    struct jit_needs needs;
    jit_warp_fn full;    /* for warps of 32 lanes; NULL when the block has fewer threads */
    jit_warp_fn partial; /* for the last warp of a block whose size is no multiple of 32 */
    /* Called with the block's first warp, whose neighbours lie behind it, each with a frame: runs
     * all of the block and returns JIT_DONE. NULL: no such function; else full and partial are
     * NULL. */
    jit_warp_fn block;
    void **functions; /* by ptx_func.index; NULL: it is not called, or is deferred and was not so
                         far (jit_function) */
    struct jit_deferred *deferred; /* NULL: functions were compiled with the kernel */
    uint32_t frame_bytes;          /* a multiple of 64 */
    bool has_barrier;
    bool polls;     /* a loop may wait for other warps, */
    bool may_wait;  /* and for other blocks or clusters: keep all resident */
    bool pauses;    /* called functions may wait: services->pause is used */
    bool recursive; /* calls whose depth is not known */
    bool quick;     /* compiled quickly: better code is made once jit_ran() was told of enough */
};

struct jit_request {
    const struct ptx_module *module;
    const struct ptx_func *kernel;
    uint32_t block[3];
    uint32_t events; /* set of enum jit_event */
    bool apart; /* functions in which lanes of a warp wait for each other: go on after JIT_APART */
    bool whole; /* a function for a whole block will do (jit_kernel.block) */
    bool scheduled;  /* the warp gives way (JIT_YIELD) before each access to memory that others see;
                        jit_warp.clock */
    bool cluster;    /* launched with clusters: addresses of shared memory hold the block's rank */
    bool abreast;    /* compute capability below 7.0: lanes of a warp run abreast, and what they
                        execute together does not ask whether a mask names them */
    uint64_t warps;  /* of a launch for which quick code (jit_kernel.quick) does not do if they are
                        many; 0: not known, or better code can take over between its blocks */
    bool small_grid; /* gridDim x blockDim is at most 2^30 in each dimension: 32-bit indices made
                        of both do not wrap */
};

/* jit_request.small_grid of a launch. */
static inline bool
jit_small_grid(const uint32_t grid[3], const uint32_t block[3])
{
    bool small = true;
    for (int d = 0; d < 3; d++)
        small &= (uint64_t)grid[d] * block[d] <= 1u << 30;
    return small;
}

/* -- compiling --------------------------------------------------------------------------------- */

struct jit_engine;

/* A debugger of the host's code. tell: an ELF object (ls_release, the debugger's from now on) whose
 * sections say where they lie in memory. forget: that code is about to go. With locks of the
 * engine's held, or not. */
struct jit_debugger {
    void *(*tell)(uint8_t *object, size_t size);
    void (*forget)(void *known);
};

/* What an engine is made with; all zero: no disk cache, every pass on, nobody reads remarks. */
struct jit_options {
    const char *cache; /* folder of the disk cache, or NULL for none (copied) */
    uint64_t off;      /* passes that are switched off: jit_passes_off() */
    /* Where the remarks of each compile go, a line each: NULL: nowhere; "", "1" or "-": standard
     * error; else a file, to whose end they are written (copied). Kernels are compiled anew then,
     * not taken from the disk. */
    const char *remarks;
    /* On x86-64: code for a processor without AVX-512, whose vectors have 256 bits. */
    bool narrow;
    const struct jit_debugger *debugger; /* NULL: none; else code has lines */
};
struct jit_engine *jit_new(const struct jit_options *options, struct ls_error *err);
/* What LOCKSTEP_VECTORS says (NULL: nothing): "256", *narrow on x86-64; "": what the processor has.
 * LS_ERR_USAGE: anything else. */
bool jit_vectors(const char *text, bool *narrow, struct ls_error *err);
/* Changes *off as "-name,-name" asks (passes/passes.def): "-name" switches a pass off, "+name" on,
 * "-all" and "+all" every pass that can be. LS_ERR_USAGE: no such pass. */
bool jit_passes_off(const char *text, uint64_t *off, struct ls_error *err);
/* Name of pass `number` (0, 1, ...) and, where text is not NULL, the line that says what it does;
 * NULL: past the end. */
const char *jit_pass_name(unsigned number, const char **text);
void jit_free(struct jit_engine *e);
/* Told of compiles, on the threads that compile, with no lock held; not of kernels that come from
 * memory or disk. Both may be NULL. */
struct jit_watch {
    void *user;
    void (*begin)(void *user, const struct jit_request *r);
    void (*end)(void *user, const struct jit_request *r);
};
/* Before the first jit_get (copied); and what is called whenever something was compiled. */
void jit_set_watch(struct jit_engine *e, const struct jit_watch *watch);
void jit_set_compiled(struct jit_engine *e, void (*compiled)(void));
/* The process ends, and with it objects of LLVM: what is compiled from now on is compiled by a copy
 * that knows nothing of that. Takes no lock; waits for the function of which better code is being
 * made. */
void jit_close(struct jit_engine *e);
/* Before the first jit_get: how large a kernel may be, in LLVM instructions as they are emitted and
 * as they are optimised, before a form of it is compiled that takes LLVM less time
 * (engine/budget.h). For tests: kernels on disk do not remember it. */
void jit_set_budget(struct jit_engine *e, uint64_t emitted, uint64_t optimised);
/* From memory, from disk, or compiled now. The engine owns the kernel until jit_forget or jit_free.
 * May be called by several threads: they get finished kernels while others compile, different
 * kernels are compiled at once, and one that several ask for is compiled by one of them. */
const struct jit_kernel *jit_get(struct jit_engine *e, const struct jit_request *r,
                                 struct ls_error *err);
/* The code of a function that the kernel defers, from memory, from disk, or compiled now by a
 * thread of its own; jit_kernel.functions has it, or better code, from then on. *code NULL and
 * true: the kernel cannot call it. For the threads of the kernel's launches. */
bool jit_function(struct jit_engine *e, const struct jit_kernel *k, uint32_t function, void **code,
                  struct ls_error *err);
/* Without code for it. */
bool jit_needs(struct jit_engine *e, const struct ptx_module *m, const struct ptx_func *kernel,
               struct jit_needs *out, struct ls_error *err);
/* A launch of that kernel begins, or goes on with it; jit_ran() is told of its end. */
void jit_runs(struct jit_engine *e, const struct jit_kernel *k);
/* A launch of that kernel took so long, by the clock: once that pays jit_get() makes better code of
 * quick code, and gives it from then on. The quick one lives as long. */
void jit_ran(struct jit_engine *e, const struct jit_kernel *k, double seconds);
/* Seconds of a launch of that quick code until that pays; HUGE_VAL: no other can be made. */
double jit_enough(struct jit_engine *e, const struct jit_kernel *k);
/* Drops all kernels of a module (before ptx_free); waits for those that other threads make. */
void jit_forget(struct jit_engine *e, const struct ptx_module *m);
/* Whether kernels may call a function of that name without a body: printf and its like. */
bool jit_knows_function(const char *name);
/* Text of one stage of a kernel, compiled anew: "classes" (registers and their kinds), "wir" (the
 * warp IR with the shape of each value and what every pass decided), "plans" (the same with how
 * each access is made), "after:PASS" (the same up to that pass; of a pass over LLVM IR, the module
 * after it), "llvm" (optimised), "asm", "remarks". */
bool jit_dump(struct jit_engine *e, const struct jit_request *r, const char *stage,
              struct text *out, struct ls_error *err);
/* Rewrites a file of LLVM bitcode that clang made and did not optimise: structures that it copies
 * whole are read and written as vectors, as a GPU's own compiler does (engine/copies.c).
 * LS_ERR_UNSUPPORTED: LLVM's library does not read it (clang may be newer); the file is what it
 * was. LS_ERR_INPUT: device code writes to a __constant__ variable. */
bool jit_mend_bitcode(const char *path, struct ls_error *err);

/* How often kernels came from memory (of those: after waiting for another thread that made them;
 * counted when the wait begins), from disk, and were compiled, and the time in seconds, of all
 * threads together. Of those that were compiled: how many were too large for everything that is
 * tried, and run warp by warp, and of these, keep their registers in memory. */
struct jit_counts {
    uint64_t from_memory, waited, from_disk, compiled, reduced, in_memory;
    uint64_t quick, improved; /* compiled quickly; compiled well after that (in `compiled`, too) */
    uint64_t functions;       /* of kernels that defer theirs, compiled; improved: of these, too */
    double disk_seconds, compile_seconds;
};
void jit_counts(struct jit_engine *e, struct jit_counts *out);

#endif
