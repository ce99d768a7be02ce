/* SPDX-License-Identifier: Apache-2.0
 *
 * device, inside: the process, its devices, and how handles are kept.
 *
 *   process.c  what all stand on: the process, reasons, where no call may be made
 *   system.c   devices                           engine.c   the jit engine and the workers
 *   handle.c   handles                           copy.c     copies and fills
 *   submit.c   operations of streams             launch.c   one launch
 *   clusters.c its clusters                      image.c    PTX, variables, functions
 *   stream.c   streams, events, operations       clock.c    what event times mean
 *   storage.c  memory, arrays, textures          tensor.c   tensor maps
 *   graph.c    graphs and capture                pool.c     stream-ordered memory
 *   capture.c  graphs from what is submitted     conditional.c  their conditional nodes
 *   chain.c    launches that are put off, to be run together
 *   ipc.c      other processes' memory, events and pools; ipc_event.c: their events
 *   backend.h  what these do on a virtual and on a real GPU (backends.def)
 *   virtual.c  devices that are virtual
 *   gpu.c      real ones: gpu_memory.c, gpu_module.c, gpu_stream.c; gpu_mathematics.c,
 *              gpu_references.c: what their PTX lacks
 *   tool.c     check, profile, debug             watch.c    what check is told
 *   guard.c    host code in device memory        mpi.c      transfers of MPI
 *   outcome.c  memory after each launch          times.c    how long kernels ran
 *   progress.c how far a launch is               end.c      the end of the process
 *   ending.c   signals that end it               places.c   lines of the program's own code
 *   gdb.c      kernels for gdb                   perf.c     and for perf
 *   failures.c calls that failed
 *   output.c   what a GPU would not have printed
 *   pageable.c kernels that could touch the host's memory
 */
#ifndef LOCKSTEP_DEVICE_PRIV_H
#define LOCKSTEP_DEVICE_PRIV_H

#include "device/device.h"
#include "exec/exec.h"
#include "jit/jit.h"
#include "jit/tool.h"

#include <pthread.h>

struct host_place; /* check/check.h */

enum { DEVICE_MOST = 64 };

/* -- handles ----------------------------------------------------------------------------------- */

enum handle_kind {
    HANDLE_FREE,
    HANDLE_FUNCTION,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_ARRAY,
    HANDLE_TEXTURE,
    HANDLE_GRAPH,
    HANDLE_NODE,
    HANDLE_EXEC,
    HANDLE_POOL,
    HANDLE_KINDS
};

/* First member of every handle's struct. */
struct handle {
    uint32_t magic; /* of its kind while it lives, else 0 */
    uint32_t kind;
    struct handle *all;  /* next of the kind, dead ones too */
    struct handle *dead; /* next dead one of the kind */
};

/* Zeroed but for the head. */
void *handle_new(enum handle_kind kind, size_t size);
void handle_free(void *handle);
bool handle_is(const void *handle, enum handle_kind kind);
/* Calls f for each live handle of the kind. */
void handle_each(enum handle_kind kind, void (*f)(void *handle, void *context), void *context);

/* -- the process ------------------------------------------------------------------------------- */

/* The modelled GPU's time (clock.c), in nanoseconds: when each unit is free, and when all that the
 * legacy stream and the streams that wait for it did so far has ended. */
enum device_unit { DEVICE_UNIT_KERNELS, DEVICE_UNIT_IN, DEVICE_UNIT_OUT, DEVICE_UNITS };
struct device_clock {
    int64_t unit[DEVICE_UNITS], legacy, blocking;
};

struct device {
    int index;
    const struct device_profile *profile;
    struct memory *memory;
    struct device_stream *stream; /* the legacy default stream */
    _Atomic int lost;             /* enum device_result */
    _Atomic uint64_t launches;
    size_t limit[DEVICE_LIMITS];
    struct device_settings settings;
    bool peer[DEVICE_MOST];
    uint64_t epoch; /* counts resets */
    struct device_clock clock;
    const struct backend *backend;
    void *gpu_context; /* on a real GPU, its context and number at the driver */
    int gpu_number;
};

struct backend; /* backend.h */

struct process {
    pthread_mutex_t lock;
    bool started;
    int count;
    struct jit_engine *jit;
    struct exec_pool *pool;
    struct exec_schedule schedule;
    struct device *device[DEVICE_MOST];
    const struct backend *backend; /* of all devices */
};

struct process *device_process(void);
/* The device of this number as far as it has been made, else NULL. */
struct device *process_device(int index);
/* Whether the address lies in what some device has reserved. Takes no lock. */
bool process_owns(uint64_t address);
/* This thread's calls go to the device. */
void process_use(int index);
/* A number in the environment; false: it is none between low and high, device_reason. Not set: *out
 * stays. */
bool process_number(const char *name, uint64_t low, uint64_t high, uint64_t *out);
/* Likewise seconds, as milliseconds: 0 is 0, the least part of a second 1. */
bool process_milliseconds(const char *name, uint32_t *out);
/* Whether the environment has the variable, and as something else than 0. */
bool process_is_set(const char *name);
/* In a child made by fork, which may not call. */
void process_in_child(void);
/* device_flush calls it from now on. */
void process_put_off(void (*run)(void));
/* This process is a child, made by fork, of one that had used devices. */
bool process_forked(void);
/* Another process has memory of the device, too. */
void process_shares_memory(void);
/* Handlers of exit run: nothing can be compiled any more. */
bool process_ending(void);
/* The jit engine and the workers, made on first use. */
bool process_engine(struct process *p, struct ls_error *err);

/* -- gdb.c: the host's debugger ---------------------------------------------------------------- */

/* LOCKSTEP_GDB: "1", "0"; else where a debugger runs this process. NULL: none. */
const struct jit_debugger *gdb_debugger(void);

/* -- perf.c: the host's profiler --------------------------------------------------------------- */

/* LOCKSTEP_PERF: "1"; else NULL. */
const struct jit_debugger *perf_debugger(void);

/* -- ending.c: signals and threads that end ---------------------------------------------------- */

/* Before a signal ends the process, on a thread of its own: where(), if LOCKSTEP_INTERRUPT asks for
 * it; result(). */
void ending_say(void (*where)(void));
void ending_write(void (*result)(void));
/* over() is called when this thread ends, however it does, before the process. */
void ending_of_thread(void (*over)(void));

/* -- outcome.c: what memory holds after each launch, where LOCKSTEP_OUTCOME asks for it -------- */

void outcome_start(void);
void outcome_launched(const struct device *d, const struct ptx_func *kernel);

/* -- tool.c: who watches ----------------------------------------------------------------------- */

/* Opens the tool that the environment names; true when it names none. False: device_reason. */
bool tool_start(const struct device_profile *d);
struct jit_tool *tool_of_process(void); /* NULL: nobody watches */
void tool_forked(void);                 /* in a child made by fork */
bool tool_is_ours(void); /* there is one, and it is not that of a process that forked us */
void tool_finish(void);  /* writes its result; the process ends */
/* In a child made by fork: findings of its own. */
void tool_start_in_child(void);
/* After a launch: an interim result, when the last one is old. */
void tool_launched(void);
/* The process's tool is debug. */
bool tool_steps(void);
/* The process's tool when it is check, else NULL. */
struct jit_tool *tool_check(void);
/* Has check report that API call `call` frees an invalid address; the call, which fails then, gives
 * no second finding. nearest: the allocation next to the address; NULL: not known. */
void tool_bad_free(const char *call, uint64_t address, const struct allocation *nearest);
/* Whether there was one since this thread asked last. */
bool tool_reported_free(void);
/* watch.c: what check is told of streams, copies and fills; nothing where it does not watch. */
void tool_work(const struct device_stream *s, const struct device_op *op);
/* A graph's nodes run in the order of the calls; NULL: nobody watches. */
struct check_graph *tool_graph_begin(const struct device_stream *s);
void tool_graph_node(struct check_graph *g, const struct device_stream *s,
                     const struct device_node *n, struct device_node *const *after, size_t count,
                     const struct device_op *op);
void tool_copies(const struct device_copy *c);
void tool_fills(const struct device_fill *f);
void tool_storage(const struct device_op *op); /* ALLOC, FREE */

/* -- places.c: where host code is -------------------------------------------------------------- */

/* The number of the current call stack, as far as it is the program's own code. Equal stacks have
 * one number; 0: the stack is not known. */
uint32_t device_here(void);
/* The same for the code at pc, called as the stack with the number
 * `callers` says (0: not known). */
uint32_t device_place_at(uint64_t pc, uint32_t callers);
/* Its functions and lines; no frames for 0. Lives for ever. */
const struct host_place *device_place(uint32_t number);
/* "prog.cu:7", its innermost line; empty: not known. */
void device_place_line(uint32_t number, char *out, size_t room);

/* -- output.c: what kernels print that a GPU would lose ---------------------------------------- */

void output_printed(const struct ptx_func *kernel);
void output_seen(void);                  /* the host does what empties the buffer */
void output_call_over(const char *call); /* it may be a copy that waits */
void output_over(void);                  /* the program ends */

/* -- chain.c: launches that are put off -------------------------------------------------------- */

/* True: the launch runs at the next device_flush. False: it cannot be put off, nothing was done. */
bool chain_put_off(struct device_stream *s, const struct device_launch *l);
/* As device_lost, without that: for the launch itself. */
enum device_result lost_so_far(const struct device *d);

/* -- guard.c: under check, the host is kept from device memory --------------------------------- */

void guard_start(void);
/* Whether the places of allocations are wanted, for its messages. */
bool guard_notes_places(void);
/* Around everything of ours that touches device memory. */
void guard_open(void);
void guard_close(void);
/* The host has waited for work. */
void guard_joined(void);
/* Pinned memory appears, of which whole pages are looked after, or goes. */
void guard_pinned(uint64_t at, uint64_t size);
void guard_unpinned(uint64_t at, uint64_t size);
void guard_forked(void); /* in a child made by fork */
/* Whether the program's host code is CUDA's, so that what it would not do on a GPU is looked for.
 */
bool guard_watches(void);

/* -- pageable.c: kernels that could touch the host's ordinary memory --------------------------- */

/* Whether the device reaches such memory: cudaDevAttrPageableMemoryAccess. */
bool pageable_allowed(const struct device_profile *p);
/* Before a copy is made: pointers to such memory among its first words are remembered. */
void pageable_copied(struct device *d, const struct device_copy *c);
/* Whether the launch has to be watched for accesses to such memory. */
bool pageable_reached(const struct device_launch *l);
void pageable_forget(struct device_function *f);

/* -- clock.c: what event times mean ------------------------------------------------------------ */

/* What LOCKSTEP_CLOCK says; false: neither cpu nor model. */
bool clock_start(const char *text);
bool clock_is_model(void);
int64_t clock_raw(void); /* nanoseconds */
/* The time since then is not the program's: something was compiled. */
void clock_leave_out(int64_t since);
/* An operation of the stream is over: the model's clock goes on. */
void clock_launched(struct device_stream *s, struct jit_tool *profile);
void clock_copied(struct device_stream *s, const struct device_copy *c);
void clock_filled(struct device_stream *s, const struct device_fill *f);
void clock_record(struct device_stream *s, struct device_event *e,
                  struct jit_engine *jit); /* jit: NULL: nothing was compiled */
void clock_wait(struct device_stream *s, const struct device_event *e);

/* -- times.c: how long kernels ran, for `lockstep tune` ---------------------------------------- */

/* progress.c: how far a launch is, on a terminal; NULL: not shown. */
_Atomic uint64_t *progress_begin(const char *kernel, uint64_t blocks);
void progress_end(const _Atomic uint64_t *counter);
/* Prints which kernel the engine is compiling when that takes long. */
void progress_watch_compiles(struct jit_engine *e);

void times_start(void); /* where LOCKSTEP_TIMES says so */
bool times_wanted(void);
double times_now(void); /* milliseconds */
void times_launched(const struct device_launch *l, double milliseconds);

/* -- images ------------------------------------------------------------------------------------ */

struct placed {
    const char *name;
    void *host;
};

/* A unit's module once more on a real GPU, whose functions have at most so many registers. */
struct gpu_narrow {
    int device;
    uint32_t registers;
    void *module;
};

/* A parsed module, and where its variables lie on each device. */
struct unit {
    struct ptx_module *ptx;
    char *name;
    uint32_t users; /* images */
    uint64_t *symbols[DEVICE_MOST];
    VEC(struct placed) placed;
    const char *text; /* of the one image it came from; NULL: linked from several */
    size_t text_bytes;
    void *gpu_module[DEVICE_MOST];
    VEC(struct gpu_narrow) gpu_narrow;
};

struct device_function {
    struct handle head;
    struct device *device;
    struct unit *unit;
    const struct ptx_func *func;
    uint32_t max_dynamic_shared; /* 0: not set */
    struct device_function_settings settings;
    uint32_t gpu_cache_config; /* that a real GPU's driver was told last */
    uint32_t gpu_registers;    /* it is taken from unit.gpu_narrow with these; 0: it is not */
    struct jit_needs *needs;   /* launch.c; atomic; NULL: nobody has asked */
    struct pointers *pointers; /* pageable.c; atomic */
};

/* Of a virtual device: memory for the unit's variables. As backend_code.load. */
uint64_t *unit_allocate(struct device *d, struct unit *u);
/* Loads the unit's variables on the device; NULL: device_reason. */
const uint64_t *unit_symbols(struct device *d, struct unit *u);
/* Forgets what is loaded on the device. */
void image_reset_device(struct device *d);

/* -- launches, storage, streams ---------------------------------------------------------------- */

/* Fails with the kernel's readable name before the words. */
enum device_result refuse_kernel(const struct ptx_func *f, enum device_result r, const char *format,
                                 ...) __attribute__((format(printf, 3, 4)));
/* storage.c: fails for want of `size` bytes where `left` of `total` are. */
enum device_result storage_none_left(const struct device *d, uint64_t size, uint64_t left,
                                     uint64_t total);
/* launch.c: what a launch asks for, in the words of both devices: static and dynamic shared memory;
 * as many blocks at once as a cooperative launch has; more dynamic shared memory for a kernel. */
enum device_result launch_check_shared(const struct device_launch *l, uint32_t static_shared);
enum device_result launch_check_cooperative(const struct device_launch *l, uint64_t resident);
enum device_result launch_check_dynamic(const struct device_function *f, int64_t bytes,
                                        uint32_t static_shared);
/* launch.c: what launch bounds of so many threads leave each. */
#define DEVICE_TOO_MANY_REGISTERS                                                                  \
    "%u registers for each of %u threads: a block has %u for each; __launch_bounds__(%u) has it "  \
    "compiled for that"
uint32_t bounded_registers(const struct device_profile *p, uint32_t threads);
/* clusters.c: the clusters of a launch; all 0: it has none. Not OK: they are not possible. */
enum device_result clusters_of(const struct device_launch *l, uint32_t out[3]);
/* Whether it may have any. */
bool clusters_wanted(const struct device_launch *l);
/* Of the virtual back end. */
enum device_result clusters_set_attribute(struct device_function *f,
                                          enum device_cluster_attribute a, int value);
enum device_result clusters_active(const struct device_launch *l, int *out);
enum device_result clusters_potential(const struct device_launch *l, int *out);

enum device_result launch_run(struct device_stream *s, const struct device_launch *l);
enum device_result launch_check(const struct device_launch *l);
/* Parameters as one block of bytes, copied to l->params. */
enum device_result launch_params(struct device_launch *l, const void *block, uint64_t size);
/* Launches of one device, as exec_run_chain has it; not OK: none of them ran. */
enum device_result launch_run_chain(const struct device_launch *const *launch,
                                    const uint64_t *behind, uint32_t count, uint64_t piece);
struct device_array {
    struct handle head;
    struct device *device;
    struct device_array_shape shape;
};

void storage_adopt_host(struct device *d); /* pinned memory, for a new device */
void storage_reset_device(struct device *d);
/* ipc.c: the allocation is about to be freed. */
void ipc_freed(const struct allocation *a);
/* Name of allocations made by graph nodes. */
extern const char device_graph_memory[];
enum device_result copy_check(const struct device_copy *c);
enum device_result fill_check(const struct device_fill *f);
void copy_run(const struct device_copy *c);
void fill_run(const struct device_fill *f);

struct nodes {
    VEC(struct device_node *) list;
};

/* conditional.c: the values that conditional nodes of a graph read. */
struct conditions {
    VEC(struct condition *) list;
};
struct conditions *graph_conditions(struct device_graph *g);
void conditions_copy(struct conditions *to, const struct conditions *from);
void conditions_fini(struct conditions *c);
/* What a launch of the graph begins with. */
enum device_result conditions_reset(struct device_stream *s, struct device_graph *g);
/* Gives a copied operation bodies of its own. */
void conditional_copy(struct device_conditional *c);
void conditional_fini(struct device_conditional *c);
enum device_result conditional_run(struct device_stream *s, const struct device_conditional *c);

/* A stream's part in a capture. */
struct capture {
    struct device_graph *graph;
    uint64_t id;
    struct device_stream *origin;
    struct nodes after; /* what the next operation of this stream depends on */
    enum device_capture_mode mode;
    pthread_t thread; /* that began it */
    bool given;       /* the graph is the caller's */
    bool invalid;     /* nothing but its end is allowed */
};

struct device_stream {
    struct handle head;
    struct device *device;
    uint32_t flags;
    int priority;
    uint64_t id;
    struct capture *capture; /* of this stream, while it captures */
    int64_t clock;           /* clock.c: when what it did so far ends on the modelled GPU */
    void *gpu;               /* the driver's; NULL: the legacy stream */
};

struct device_event {
    struct handle head;
    struct device *device;
    uint32_t flags;
    bool recorded;
    int64_t nanoseconds;
    void *gpu; /* the driver's */
    /* recorded while capturing: stands for these nodes; graph NULL: none */
    struct capture captured;
};

enum device_result op_run(struct device_stream *s, const struct device_op *op);
enum device_result graph_run(struct device_stream *s, struct device_graph *g);
/* capture.c. Those that are not OK have made the captures concerned invalid. */
enum device_result capture_add(struct device_stream *s, const struct device_op *op);
enum device_result capture_record(struct device_stream *s, struct device_event *e);
enum device_result capture_wait(struct device_stream *s, struct device_event *e);
/* The stream captures: r, or that its capture is invalid already. */
enum device_result capture_refuse(struct device_stream *s, enum device_result r, const char *why);
/* The host asks for an event that stands for nodes of a graph. */
enum device_result capture_ask_event(const struct device_event *e);
/* The legacy stream may not be used while a stream that waits for it is capturing. */
enum device_result capture_forbids_legacy(const struct device *d);
/* The host may not wait for a device one of whose streams is capturing. */
enum device_result capture_forbids_wait(const struct device *d);
void capture_free(struct capture *c);
bool nodes_hold(const struct nodes *n, const struct device_node *x);
/* The nodes and what they depend on. */
void graph_reach(struct device_graph *g, const struct nodes *from, struct nodes *out);

#endif
