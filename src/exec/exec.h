/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: runs the grid of one launch on worker threads.
 *
 * A pool has a fixed number of workers (the calling thread is one of them). Blocks are handed out
 * in order; a worker runs the warps of its block in turn, each until it waits. Kernels in which
 * blocks may wait for each other (jit_kernel.may_wait, cooperative launches) have as many blocks in
 * flight as the device keeps resident. Faults in generated code are caught; the block is then run
 * again in instrumented code to find the instruction and the thread (memory contents no longer
 * matter: the context is lost anyway, as on a GPU).
 */
#ifndef LOCKSTEP_EXEC_H
#define LOCKSTEP_EXEC_H

#include "jit/jit.h"
#include "memory/memory.h"

struct exec_pool;

/* workers: 0 means one per core. */
struct exec_pool *exec_new(uint32_t workers, struct ls_error *err);
void exec_free(struct exec_pool *p);

/* Of what is watched; may be set at any time before the first run. */
struct exec_options {
    uint32_t endless_ms; /* a block that has run for so long is looked at: a loop that can never end
                            is an error; 0: never */
    uint32_t heartbeat_ms; /* after so long stderr is told, and again and again; 0: never */
};
void exec_set_options(struct exec_pool *p, const struct exec_options *o);
/* Another process may write to the device's memory from now on: no loop is known to be endless. */
void exec_set_shared(struct exec_pool *p);
/* Which blocks run, and where each is, as lines on stderr; takes a second at most. False: none. Not
 * from a signal's handler. */
bool exec_say_where(struct exec_pool *p);

/* A thread that called exec_run() ends: where it was the program's last, the process does, too,
 * with status 0. */
void exec_thread_left(struct exec_pool *p);

/* Asked first about every fault (SIGSEGV, SIGBUS) outside of kernels; true: the access may be tried
 * again. context: the signal's. */
void exec_set_fault_hook(bool (*hook)(uint64_t address, void *context));
/* Handlers for the process; again before a run where the program has set one of its own for
 * SIGSEGV. */
void exec_signals_install(void);

/* In which order warps go on. All but the usual order run a launch on one thread, with warps that
 * take turns at every access to memory, those of all blocks that the device keeps resident; the
 * same schedule is the same run each time (schedule.c). */
enum exec_order_kind {
    EXEC_USUAL,       /* each warp to its next barrier; several threads */
    EXEC_GPU,         /* as long as the instructions take on an SM, about */
    EXEC_RANDOM,      /* by the seed */
    EXEC_ADVERSARIAL, /* the last first, stores late, one warp of each block long after the others
                       */
};
struct exec_schedule {
    enum exec_order_kind kind;
    uint64_t seed; /* EXEC_RANDOM */
};
/* "default", "gpu", "random:17" (17 is any number of 64 bits), "adversarial". */
bool exec_schedule_parse(const char *text, struct exec_schedule *out, struct ls_error *err);

enum exec_status {
    EXEC_OK,
    EXEC_ILLEGAL_ADDRESS, /* no memory there */
    EXEC_MISALIGNED,
    EXEC_TRAP,    /* trap, brkpt */
    EXEC_SURFACE, /* outside of a surface that traps there */
    EXEC_ASSERT,
    EXEC_STACK, /* recursion too deep */
    EXEC_INVALID_CALL,
    EXEC_DEADLOCK, /* threads wait at barriers that others never reach */
    EXEC_ENDLESS,  /* a loop whose state has come again, so that it never ends */
    EXEC_INVALID_BARRIER,
    EXEC_INVALID_MASK,   /* a warp operation by a lane that its mask does not name */
    EXEC_INVALID_TENSOR, /* a tensor map, or what is asked of it */
    EXEC_FAILED,         /* could not run at all (compiling, memory): see text */
};

struct exec_report {
    enum exec_status status;
    uint32_t place; /* jit place; valid when has_place */
    bool has_place;
    uint32_t block[3], thread[3];
    bool has_thread;
    uint64_t address;
    char text[1024]; /* a complete message: kernel, source line, block, thread, address */
    uint32_t detail; /* where in it the error's own words begin (an assertion's text) */
};

struct exec_request {
    struct jit_engine *jit;
    struct memory *memory; /* of the device, for messages about addresses */
    const struct ptx_module *module;
    const struct ptx_func *kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks of a cluster; cluster[0] == 0: launched without clusters */
    uint32_t dynamic_shared;
    uint32_t shared_limit;   /* bytes of static and dynamic shared memory; 0: no limit known */
    const uint8_t *params;   /* kernel->param_bytes */
    const uint64_t *symbols; /* per ptx_module.vars */
    bool cooperative;
    bool abreast; /* jit_request.abreast */
    /* Accesses to what is neither the device's nor known to it (memory_adopt) end the launch, even
     * where the process could make them. Without a tool only: in code that announces each. */
    bool announced;
    struct exec_schedule schedule;
    uint32_t sm_count;        /* of the device profile: %smid, %nsmid */
    uint32_t resident_blocks; /* most blocks in flight; 0: no limit known */
    uint32_t stack_limit;     /* bytes of local memory per thread for calls (cudaLimitStackSize) */
    uint32_t nested;          /* launches from kernels around this one */
    struct jit_warp *parent;  /* the warp that made it; NULL: none, or it has ended */
    uint64_t stream;          /* that it named */
    uint64_t gridid;
    struct jit_tool *tool;   /* watches the launch; NULL: none */
    uint64_t tool_id;        /* handed on to it */
    _Atomic uint64_t *begun; /* gets how many blocks have begun; NULL: nobody asks */
    /* Device printf: called with finished text, in order per thread; never
     * by two threads at once. */
    void (*print)(const char *text, size_t size, void *context);
    void *print_context;
};

/* The code that a launch of that request begins in, compiled if it has to be; the engine's. Reads
 * of the request what the code depends on: jit, module, kernel, grid, block, cluster, cooperative,
 * abreast, announced, schedule, tool. NULL: an error. */
const struct jit_kernel *exec_code(const struct exec_request *r, struct ls_error *err);

/* Runs to the end. True: EXEC_OK. */
bool exec_run(struct exec_pool *p, const struct exec_request *r, struct exec_report *report);

/* Launches whose blocks never wait, one after the other or in columns of `piece` blocks: block b of
 * a launch needs of an earlier one no blocks beyond b + its `behind` - the earlier one's. False:
 * *failed is the first that did, the ones after it may have run or not. */
struct exec_link {
    struct exec_request request;
    uint64_t behind; /* never less than of the one before; 0 of the first */
};
bool exec_run_chain(struct exec_pool *p, const struct exec_link *link, uint32_t count,
                    uint64_t piece, uint32_t *failed, struct exec_report *report);

#endif
