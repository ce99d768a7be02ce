/* SPDX-License-Identifier: Apache-2.0
 *
 * device: virtual devices as programs see them: memory, images, streams, events, graphs, launches.
 * The runtime API (cudart) and the driver API (cuda) are thin layers over it:
 *
 *     struct device *d;
 *     struct device_function *f;
 *     device_use(&d);
 *     struct device_image *i = device_image_new(text, size, "k.ptx", &err);
 *     device_function_find(d, i, "saxpy", &f);
 *     device_alloc(d, 4096, ALLOCATION_DEVICE, &address);
 *     struct device_launch l = {.function = f, .grid = {1, 1, 1}, .block = {32, 1, 1}};
 *     device_launch(device_stream_default(d), &l, args);
 *     device_synchronize(d);
 *
 * With LOCKSTEP_DEVICE=gpu the devices are real GPUs, reached through the system's driver
 * (backend.h). Else a process has LOCKSTEP_DEVICES devices (1) of the profile that LOCKSTEP_GPU or
 * LOCKSTEP_CC names, else of the model's default; LOCKSTEP_WORKERS threads run the blocks of all of
 * them.
 *
 * Calls return the runtime API's error numbers. What exactly was wrong is kept for the calling
 * thread: device_reason(). Work on a stream is done in the calling thread before the call returns,
 * or, for launches that allow it, before the next call that is no launch does anything (chain.c);
 * errors of kernels show like those of asynchronous work, in later calls, and for good
 * (device_lost) until device_reset. All functions may be called by several threads.
 *
 * Ownership: handles live until they are destroyed or their device is reset. A destroyed handle is
 * recognised: its memory is kept for the next handle of its kind.
 */
#ifndef LOCKSTEP_DEVICE_H
#define LOCKSTEP_DEVICE_H

#include "base/base.h"
#include "memory/memory.h"
#include "memory/tensor_map.h"
#include "memory/texture.h"
#include "model/model.h"
#include "ptx/ptx.h"

#include <stdarg.h>

/* Numbers of the runtime API (include/crt/cuda_errors.def). */
enum device_result {
    DEVICE_OK = 0,
    DEVICE_INVALID_VALUE = 1,
    DEVICE_OUT_OF_MEMORY = 2,
    DEVICE_NOT_INITIALIZED = 3,
    DEVICE_UNLOADING = 4,
    DEVICE_INVALID_CONFIGURATION = 9,
    DEVICE_INVALID_PITCH = 12,
    DEVICE_INVALID_SYMBOL = 13,
    DEVICE_INVALID_CHANNEL = 20,
    DEVICE_INVALID_DIRECTION = 21,
    DEVICE_INVALID_FUNCTION = 98,
    DEVICE_NO_DEVICE = 100,
    DEVICE_INVALID_DEVICE = 101,
    DEVICE_INVALID_IMAGE = 200,
    DEVICE_INVALID_CONTEXT = 201,
    DEVICE_UNSUPPORTED_LIMIT = 215,
    DEVICE_INVALID_PTX = 218,
    DEVICE_FILE_NOT_FOUND = 301,
    DEVICE_INVALID_HANDLE = 400,
    DEVICE_NOT_FOUND = 500,
    DEVICE_NOT_READY = 600,
    DEVICE_ILLEGAL_ADDRESS = 700,
    DEVICE_OUT_OF_RESOURCES = 701,
    DEVICE_LAUNCH_TIMEOUT = 702,
    DEVICE_PEER_ENABLED = 704,
    DEVICE_PEER_NOT_ENABLED = 705,
    DEVICE_ASSERT = 710,
    DEVICE_HOST_REGISTERED = 712,
    DEVICE_HOST_NOT_REGISTERED = 713,
    DEVICE_STACK = 714,
    DEVICE_ILLEGAL_INSTRUCTION = 715,
    DEVICE_MISALIGNED = 716,
    DEVICE_INVALID_PC = 718,
    DEVICE_LAUNCH_FAILURE = 719,
    DEVICE_COOPERATIVE_TOO_LARGE = 720,
    DEVICE_NOT_PERMITTED = 800,
    DEVICE_NOT_SUPPORTED = 801,
    DEVICE_CAPTURE_UNSUPPORTED = 900,
    DEVICE_CAPTURE_INVALIDATED = 901,
    DEVICE_CAPTURE_MERGE = 902,
    DEVICE_CAPTURE_UNMATCHED = 903,
    DEVICE_CAPTURE_UNJOINED = 904,
    DEVICE_CAPTURE_ISOLATION = 905,
    DEVICE_CAPTURE_IMPLICIT = 906,
    DEVICE_CAPTURED_EVENT = 907,
    DEVICE_CAPTURE_WRONG_THREAD = 908,
    DEVICE_EXEC_UPDATE_FAILED = 910,
    DEVICE_INVALID_CLUSTER_SIZE = 912,
    DEVICE_UNKNOWN = 999,
};

struct device;
struct device_image;    /* PTX text, for all devices */
struct device_function; /* a kernel on one device */
struct device_stream;
struct device_event;
struct device_array;
struct device_texture;
struct device_graph;
struct device_node;
struct device_exec; /* an instantiated graph */

/* -- why a call failed ------------------------------------------------------------------------- */

/* Keeps the reason for this thread and returns `result`. */
enum device_result device_fail(enum device_result result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The reason of this thread's last failure; "" after device_forget_reason. */
const char *device_reason(void);
void device_forget_reason(void);
/* A call of an API is about to return this error: check reports it; else device_reason() goes to
 * stderr, once a place (failures.c). error: its name, which lives for ever. */
void device_call_failed(const char *call, int result, const char *error);

/* The compiler's stand-in for a kernel calls us, or has done so: its caller is who launches. */
void device_in_stub(bool now);

/* -- programs in other languages than C -------------------------------------------------------- */

/* From now on the calling thread's calls come from this line of the program; file NULL: from where
 * its stack says. function: NULL: not known. The texts are copied. */
void device_say_place(const char *function, const char *file, uint32_t line);
/* Which tool watches this process's launches; numbered as docs/driver.md has it. */
enum device_tool { DEVICE_TOOL_NONE, DEVICE_TOOL_PROFILE, DEVICE_TOOL_CHECK, DEVICE_TOOL_DEBUG };
enum device_tool device_watched(void);

/* -- what the tool `check` is told, where it watches ------------------------------------------- */

/* A call is over: what the host knows by that (order.def); "": it has failed. */
void device_call_over(const char *call);
/* Under LOCKSTEP_TRACE=api: the call on stderr, its arguments as text and what it returned. */
bool device_traced(void);
void device_trace(const char *call, const char *result, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* -- where no call may be made ----------------------------------------------------------------- */

/* Not OK in a host function of a stream (DEVICE_NOT_PERMITTED), and in a child made by fork after
 * its parent had used devices (DEVICE_NOT_INITIALIZED). */
enum device_result device_permitted(void);
/* The former alone. */
enum device_result device_in_host_function(void);
/* Around a call of the program's host function by a stream. */
void device_host_function_begin(void);
void device_host_function_end(void);

/* -- devices ----------------------------------------------------------------------------------- */

/* 0 and device_reason() when the environment asks for something impossible. */
int device_count(void);
/* NULL: no such device (device_reason). */
struct device *device_at(int index);
int device_current(void); /* of this thread; 0 at first */
enum device_result device_set_current(int index);
/* This thread's device; fails when there is none or it is lost. */
enum device_result device_use(struct device **out);
/* The same, but launches that were put off may still fail: for those
 * who only launch another one. */
enum device_result device_use_early(struct device **out);
/* Whether this thread has used or chosen a device: its primary context is current. */
bool device_in_use(void);
void device_leave(void); /* back to "not in use" */
int device_index(const struct device *d);
const struct device_profile *device_profile(const struct device *d);
/* By the number that both APIs give it (attributes.def). */
enum device_result device_attribute(const struct device *d, int number, int *out_value);
void device_uuid(const struct device *d, uint8_t out[16]);
struct memory *device_memory(struct device *d);
enum device_result device_lost(const struct device *d);
/* Runs launches that were put off. Whatever could see or change what launches see or change calls
 * it first; what this header offers does so by itself. */
void device_flush(void);
void device_recover(struct device *d); /* the lost device is fine again; its memory is kept */
enum device_result device_synchronize(struct device *d);
/* Frees all memory, streams, events and arrays; images load anew when they are next used. */
enum device_result device_reset(struct device *d);
/* Whether the devices are real GPUs (LOCKSTEP_DEVICE=gpu). */
bool device_is_gpu(void);
bool device_verbose(void);  /* LOCKSTEP_VERBOSE */
bool device_silenced(void); /* LOCKSTEP_QUIET */

enum {
    DEVICE_LIMITS = 7,
    DEVICE_LIMIT_STACK = 0,
    DEVICE_LIMIT_HEAP = 2
}; /* numbered as cudaLimit */
enum device_result device_limit_get(struct device *d, unsigned limit, size_t *out_value);
enum device_result device_limit_set(struct device *d, unsigned limit, size_t value);

/* What callers keep on a device; a launch reads cache_config. */
struct device_settings {
    uint32_t flags, cache_config, shared_config;
};
struct device_settings *device_settings_of(struct device *d);

enum device_result device_peer_set(struct device *d, int peer, bool enabled);
/* Lets kernels of device number `to` access all memory of device number `owner`, also where a
 * program asks for one memory pool (cudaMemPoolSetAccess). Virtual devices only. */
void device_show(int owner, int to);

/* -- memory ------------------------------------------------------------------------------------ */

enum device_result device_alloc(struct device *d, uint64_t size, enum allocation_kind kind,
                                uint64_t *out_address);
enum device_result device_free(uint64_t address);
/* The same in the order of a stream, which does not wait. */
enum device_result device_free_ordered(uint64_t address);
/* The same in the order of the stream; into a graph while it captures. */
enum device_result device_alloc_ordered(struct device_stream *s, uint64_t size,
                                        uint64_t *out_address);

/* Pools of stream-ordered memory, which both APIs share. A device has one of its own, which is
 * chosen until another one is. Functions that take a pool return DEVICE_INVALID_VALUE where it is
 * none (any more). */
struct device_pool;
/* shared: other processes may have its memory. */
struct device_pool *device_pool_new(struct device *d, bool shared);
enum device_result device_pool_free(struct device_pool *p); /* not a device's own */
enum device_result device_pool_check(const struct device_pool *p);
bool device_pool_shared(const struct device_pool *p); /* false: or it is no pool */
struct device_pool *device_pool_own(struct device *d);
struct device_pool *device_pool_chosen(struct device *d);
enum device_result device_pool_choose(struct device *d, struct device_pool *p);
/* Attributes as both APIs number them: 1 to 3 are ints, 4 to 8 64 bits, in bytes. */
enum device_result device_pool_attribute(struct device_pool *p, int number, void *value, bool set);
/* Its memory is shown to kernels of another device. DEVICE_INVALID_DEVICE: there is none. */
enum device_result device_pool_show(struct device_pool *p, int to);
/* Pinned host memory, and other host memory that is registered: known to all devices. */
enum device_result device_host_alloc(uint64_t size, uint32_t flags, void **out_at);
enum device_result device_host_free(void *at);
enum device_result device_host_register(void *at, uint64_t size, uint32_t flags);
/* The same for an array of the program, with its name (copied) for messages. set: a byte for each 4
 * bytes of it, 0 where they have never been written; NULL: all have. */
enum device_result device_host_array(const char *name, void *at, uint64_t size, const uint8_t *set);
enum device_result device_host_unregister(void *at);
enum device_result device_host_flags(const void *at, uint32_t *out_flags);
/* The live allocation at an address, of any device; false: none. */
bool device_find(uint64_t address, struct allocation *out);
void device_memory_info(struct device *d, uint64_t *out_free, uint64_t *out_total);

/* A few bytes of a variable, from or to the host, in order with everything. */
enum device_result device_write(struct device *d, uint64_t address, const void *from, size_t size);
enum device_result device_read(struct device *d, uint64_t address, void *to, size_t size);

/* -- arrays, textures, surfaces ---------------------------------------------------------------- */

struct device_array_shape {
    uint32_t channels, bits; /* per element; bits of each channel */
    enum texture_kind kind;
    uint64_t width, height, depth; /* in elements; height and depth 0: fewer dimensions */
    uint32_t flags;                /* as in the API: layered 1, surface 2, cubemap 4 */
    uint32_t element_bytes;        /* filled in */
    uint64_t base, pitch;          /* filled in: pitch-linear; slices follow each other */
};
enum device_result device_array_new(struct device *d, const struct device_array_shape *shape,
                                    struct device_array **out);
enum device_result device_array_free(struct device_array *a);
/* NULL: not an array. */
const struct device_array_shape *device_array_shape(const struct device_array *a);

/* Completes a descriptor's storage from an array. */
void device_texture_from_array(struct texture *t, const struct device_array_shape *shape);
/* Memory that a texture reads: height 0: linear, of that many bytes;
 * else rows `pitch` bytes apart. */
struct device_texture_memory {
    uint64_t at, bytes, width, height, pitch; /* width and height in texels */
};
/* As above; texel: channels, bits, kind of one. DEVICE_INVALID_VALUE: not all of it is device
 * memory. */
enum device_result device_texture_from_memory(struct texture *t,
                                              const struct device_array_shape *texel,
                                              const struct device_texture_memory *m);
/* What was set of its reading is made consistent;
 * DEVICE_INVALID_VALUE: no texture can be read so. */
enum device_result device_texture_check(struct texture *t);
/* saved: what the caller wants back by device_texture_saved, copied. The handle is the address of
 * the descriptor. */
/* 0: device_reason. */
uint64_t device_texture_new(struct device *d, const struct texture *t, const void *saved,
                            size_t size);
const void *device_texture_saved(uint64_t handle); /* NULL: no live handle */
enum device_result device_texture_free(uint64_t handle);
/* A tensor map of 128 bytes at `map`, as the device's instructions read it; another address in it.
 * DEVICE_INVALID_VALUE: device_reason has which argument and why. */
enum device_result device_tensor_map(struct device *d, void *map, const struct tensor_args *a);
enum device_result device_tensor_move(struct device *d, void *map, uint64_t address);

/* -- images and functions ---------------------------------------------------------------------- */

/* data: PTX text, or a container: "LOCKSTEP", uint32 version 1, uint32 flags (bit 0: relocatable),
 * uint64 size of the text, the text, NUL. size 0: as the container says, or up to the NUL. Kept by
 * reference until it is parsed, when first needed; all relocatable images are then linked with each
 * other. */
struct device_image *device_image_new(const void *data, size_t size, const char *path,
                                      struct ls_error *err);
void device_image_free(struct device_image *i);
/* The variable lies in host memory on all devices (managed variables). Before the first use. */
void device_image_place(struct device_image *i, const char *name, void *host);
/* Gives placed variables the initial values of the text. */
void device_image_fill_placed(struct device_image *i);
enum device_result device_image_module(struct device_image *i, const struct ptx_module **out);
/* Loads the image on the device when it is not there yet. */
enum device_result device_image_load(struct device *d, struct device_image *i);
enum device_result device_function_find(struct device *d, struct device_image *i, const char *name,
                                        struct device_function **out);
enum device_result device_variable_find(struct device *d, struct device_image *i, const char *name,
                                        uint64_t *out_address, uint64_t *out_size);
bool device_function_is(const struct device_function *f);

struct device_function_info {
    const struct ptx_func *func;
    struct device *device;
    uint32_t registers, static_shared, local_bytes, constant_bytes;
    uint32_t max_threads;        /* by profile and launch bounds */
    uint32_t max_dynamic_shared; /* as it is set */
};
enum device_result device_function_info(struct device_function *f,
                                        struct device_function_info *out);
struct device_function_settings {
    int32_t carveout; /* percent; -1: default */
    uint32_t cache_config, shared_config;
    uint32_t cluster[3]; /* blocks of a cluster that it requires, where its code does not say */
    uint32_t cluster_policy;
    bool non_portable_cluster; /* more than 8 blocks */
};
struct device_function_settings *device_function_settings_of(struct device_function *f);
const struct ptx_func *device_function_ptx(const struct device_function *f);
struct device *device_function_device(const struct device_function *f);
/* Attributes of functions for clusters, numbered as in both APIs. */
enum device_cluster_attribute {
    DEVICE_CLUSTER_MUST_BE_SET = 10, /* what the kernel's code says; cannot be set */
    DEVICE_CLUSTER_WIDTH,
    DEVICE_CLUSTER_HEIGHT,
    DEVICE_CLUSTER_DEPTH,
    DEVICE_CLUSTER_NON_PORTABLE,
    DEVICE_CLUSTER_POLICY,
};
int device_cluster_attribute(const struct device_function *f, enum device_cluster_attribute a);
/* Any that can be set, by both APIs' number. */
enum device_result device_set_function_attribute(struct device_function *f, int number, int value);
struct device_launch;
/* How many clusters of such a launch are resident at a time; the most blocks that a cluster of it
 * could have. */
enum device_result device_active_clusters(const struct device_launch *l, int *out);
enum device_result device_potential_cluster(const struct device_launch *l, int *out);
enum device_result device_occupancy(struct device_function *f, uint32_t threads,
                                    uint64_t dynamic_shared, struct occupancy *out);
/* The most dynamic shared memory of a block with which as many of them fit on a multiprocessor, in
 * bytes. */
enum device_result device_available_shared(struct device_function *f, uint32_t blocks,
                                           uint32_t threads, size_t *out);

/* -- operations: what streams run and graphs hold ---------------------------------------------- */

struct device_launch {
    struct device_function *function;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* as the launch names them; all 0: as the kernel has them */
    uint64_t dynamic_shared;
    bool cooperative;
    bool patient;    /* the caller allows it to be put off until another call is made */
    uint8_t *params; /* the parameter block; filled in by device_launch */
};
/* One side of a copy: linear memory or an array, from byte x, row y, slice z. */
struct device_side {
    struct device_array *array;
    uint8_t *at;
    uint64_t pitch, rows; /* linear memory: bytes per row, rows per slice */
    uint64_t x, y, z;
};
enum device_direction { /* numbered as cudaMemcpyKind */
                        DEVICE_HOST_TO_HOST,
                        DEVICE_HOST_TO_DEVICE,
                        DEVICE_DEVICE_TO_HOST,
                        DEVICE_DEVICE_TO_DEVICE,
                        DEVICE_BY_ADDRESS,
};
struct device_copy {
    struct device_side to, from;
    uint64_t width, height, depth; /* bytes, rows, slices */
    enum device_direction direction;
};
struct device_fill {
    uint8_t *at;
    uint64_t pitch, rows;
    uint64_t width, height, depth; /* elements of `unit` bytes, rows, slices */
    uint32_t value, unit;          /* 1, 2, 4 bytes, the lowest of value */
};
struct device_host_call {
    void (*f)(void *data);
    void *data;
};
struct device_storage {
    uint64_t size, address;
};
enum device_conditional_kind { /* numbered as cudaGraphConditionalNodeType */
                               DEVICE_CONDITIONAL_IF,
                               DEVICE_CONDITIONAL_WHILE,
                               DEVICE_CONDITIONAL_SWITCH,
};
struct device_conditional {
    uint64_t value; /* address of the 32-bit value, which is the handle too */
    enum device_conditional_kind kind;
    uint32_t count;
    struct device_graph **body; /* owned, with its list, by the operation */
};
enum device_op_kind {
    DEVICE_OP_EMPTY,
    DEVICE_OP_LAUNCH,
    DEVICE_OP_COPY,
    DEVICE_OP_FILL,
    DEVICE_OP_HOST,
    DEVICE_OP_RECORD,
    DEVICE_OP_WAIT,
    DEVICE_OP_ALLOC,
    DEVICE_OP_FREE,
    DEVICE_OP_GRAPH,
    DEVICE_OP_CONDITIONAL,
};
struct device_op {
    enum device_op_kind kind;
    union {
        struct device_launch launch;
        struct device_copy copy;
        struct device_fill fill;
        struct device_host_call host;
        struct device_event *event;    /* RECORD, WAIT */
        struct device_storage storage; /* ALLOC, FREE */
        struct device_graph *graph;    /* owned by the operation */
        struct device_conditional conditional;
    };
};

/* A fill of `height` rows, as graphs of both APIs have it: of one row the pitch does not count. */
static inline struct device_op
device_fill_op(void *at, uint64_t pitch, uint64_t width, uint64_t height, uint32_t value,
               uint32_t unit)
{
    return (struct device_op){.kind = DEVICE_OP_FILL,
                              .fill = {.at = at,
                                       .pitch = height > 1 ? pitch : width * unit,
                                       .rows = height,
                                       .width = width,
                                       .height = height,
                                       .depth = 1,
                                       .value = value,
                                       .unit = unit}};
}

/* Runs the operation, or adds it to the graph that the stream captures. */
enum device_result device_submit(struct device_stream *s, const struct device_op *op);
/* Assembles the parameter block from pointers to the arguments, checks the launch, submits it. */
enum device_result device_launch(struct device_stream *s, struct device_launch *l, void **args);
/* The same with a parameter block of `size` bytes. */
enum device_result device_launch_block(struct device_stream *s, struct device_launch *l,
                                       const void *block, uint64_t size);
/* A parameter block from pointers to arguments: ls_alloc'ed. */
enum device_result device_params(const struct device_function *f, void **args, uint8_t **out);
enum device_result device_copy(struct device_stream *s, const struct device_copy *c);
enum device_result device_fill(struct device_stream *s, const struct device_fill *f);
/* Whether the operation could run: what is wrong with its arguments is found here. */
enum device_result device_op_check(const struct device_op *op);
/* A deep copy, and its end. */
void device_op_copy(struct device_op *to, const struct device_op *from);
void device_op_fini(struct device_op *op);

/* -- streams and events ------------------------------------------------------------------------ */

enum { DEVICE_STREAM_NONBLOCKING = 1, DEVICE_EVENT_NO_TIMING = 2, DEVICE_EVENT_INTERPROCESS = 4 };
enum { DEVICE_PRIORITY_LEAST = 0, DEVICE_PRIORITY_GREATEST = -5 };

struct device_stream *device_stream_default(struct device *d); /* the legacy one */
struct device_stream *device_stream_per_thread(struct device *d);
struct device_stream *device_stream_new(struct device *d, uint32_t flags, int priority);
enum device_result device_stream_free(struct device_stream *s);
bool device_stream_is(const struct device_stream *s);
struct device *device_stream_device(const struct device_stream *s);
uint32_t device_stream_flags(const struct device_stream *s);
int device_stream_priority(const struct device_stream *s);
uint64_t device_stream_id(const struct device_stream *s);
enum device_result device_stream_synchronize(struct device_stream *s);
enum device_result device_stream_query(struct device_stream *s);

struct device_event *device_event_new(struct device *d, uint32_t flags);
enum device_result device_event_free(struct device_event *e);
bool device_event_is(const struct device_event *e);
/* The event behind a program's handle: DEVICE_INVALID_HANDLE where there is none. */
enum device_result device_event_of(void *handle, struct device_event **out);
/* The call on that event. */
enum device_result device_event_call(void *handle,
                                     enum device_result (*call)(struct device_event *e));
enum device_result device_event_record(struct device_event *e, struct device_stream *s);
enum device_result device_event_wait(struct device_stream *s, struct device_event *e);
enum device_result device_event_query(struct device_event *e);
enum device_result device_event_synchronize(struct device_event *e);
enum device_result device_event_elapsed(struct device_event *from, struct device_event *to,
                                        float *out_milliseconds);

/* -- graphs ------------------------------------------------------------------------------------ */

struct device_graph *device_graph_new(void);
enum device_result device_graph_free(struct device_graph *g);
bool device_graph_is(const struct device_graph *g);
/* Copies the operation. NULL: a dependency is no node of this graph. */
struct device_node *device_graph_add(struct device_graph *g, const struct device_op *op,
                                     struct device_node *const *after, size_t count);
struct device_graph *device_graph_clone(const struct device_graph *g);
struct device_node *device_graph_find_clone(const struct device_graph *clone,
                                            const struct device_node *original);
size_t device_graph_nodes(const struct device_graph *g, struct device_node *const **out);
bool device_node_is(const struct device_node *n);
struct device_op *device_node_op(struct device_node *n);
struct device_graph *device_node_graph(const struct device_node *n);
size_t device_node_after(const struct device_node *n, struct device_node *const **out);
enum device_result device_node_link(struct device_node *from, struct device_node *to);
/* Both fail in a graph with nodes of memory. */
enum device_result device_node_unlink(struct device_node *from, struct device_node *to);
enum device_result device_node_free(struct device_node *n);

/* Device memory for an ALLOC node: it stays valid however often the graph is launched. */
enum device_result device_graph_alloc(struct device *d, uint64_t size, uint64_t *out_address);

/* -- other processes (ipc.c) ------------------------------------------------------------------- */

enum { DEVICE_IPC_BYTES = 64 };
/* A handle of the allocation that holds the address; of an event that was created for this. */
enum device_result device_ipc_export(uint64_t address, uint8_t out[DEVICE_IPC_BYTES]);
enum device_result device_ipc_event_export(const struct device_event *e,
                                           uint8_t out[DEVICE_IPC_BYTES]);
/* What another process's handle names. Memory opened twice is the same, and closed twice. */
enum device_result device_ipc_open(struct device *d, const uint8_t handle[DEVICE_IPC_BYTES],
                                   uint64_t *out);
enum device_result device_ipc_event_open(struct device *d, const uint8_t handle[DEVICE_IPC_BYTES],
                                         struct device_event **out);
/* False: the address was not opened. */
bool device_ipc_close(uint64_t address);
/* A descriptor that stands for a pool of memory: -1 and errno on failure. */
int device_ipc_pool_export(void);
bool device_ipc_pool_is(int file);

/* A value for conditional nodes of the graph; each launch sets it to `initial` first if `assign`.
 * Kernels write it at the address. */
enum device_result device_condition_new(struct device *d, struct device_graph *g, uint32_t initial,
                                        bool assign, uint64_t *out_address);
/* False: no such value was made for a graph of this process. */
bool device_condition_is(uint64_t address);

/* Fails when the graph has a cycle. */
enum device_result device_exec_new(struct device_graph *g, struct device_exec **out);
enum device_result device_exec_free(struct device_exec *x);
bool device_exec_is(const struct device_exec *x);
enum device_result device_exec_launch(struct device_exec *x, struct device_stream *s);
/* The operation that came from node n; NULL: none. */
struct device_op *device_exec_op(struct device_exec *x, const struct device_node *n);
/* Whether it is carried out; NULL: it is no kernel, copy or fill. */
bool *device_exec_enabled(struct device_exec *x, const struct device_node *n);
/* Takes over the operations of a graph of the same shape. */
enum device_result device_exec_update(struct device_exec *x, const struct device_graph *g,
                                      struct device_node **out_wrong);

enum device_capture_mode {
    DEVICE_CAPTURE_GLOBAL,
    DEVICE_CAPTURE_THREAD,
    DEVICE_CAPTURE_RELAXED
}; /* as cudaStreamCaptureMode */
/* into: NULL for a new graph. */
enum device_result device_capture_begin(struct device_stream *s, struct device_graph *into,
                                        struct device_node *const *after, size_t count,
                                        enum device_capture_mode mode);
/* Sets the calling thread's mode and returns the one before. */
enum device_capture_mode device_capture_thread_mode(enum device_capture_mode mode);
/* Before a call that is no operation of a stream and yet matters to what follows (memory appears or
 * goes, an event is asked): not OK where a capture forbids it to this thread; that capture is
 * invalid then. */
enum device_result device_capture_unsafe(void);
/* The stream captures, and its capture can still become a graph. */
bool device_capture_valid(const struct device_stream *s);
enum device_result device_capture_end(struct device_stream *s, struct device_graph **out);
/* NULL: not capturing. */
struct device_graph *device_capture_graph(const struct device_stream *s, uint64_t *out_id);
size_t device_capture_after(const struct device_stream *s, struct device_node *const **out);
void device_capture_set_after(struct device_stream *s, struct device_node *const *after,
                              size_t count, bool add);

#endif
