/* SPDX-License-Identifier: Apache-2.0
 *
 * backend: what a kind of device does, as tables of operations. The rest of this folder holds what
 * all kinds have in common (handles, captures, graphs, checks of arguments) and calls d->backend
 * for what they have not. One process has devices of one back end, which LOCKSTEP_DEVICE names.
 *
 * A back end called x is a row of backends.def and four tables, x_devices, x_memory, x_code and
 * x_streams; every operation is there, also where it has nothing to do. All may be called by
 * several threads, and return device.h's numbers with the reason kept (device_fail).
 *
 *   virtual  virtual.c (devices), storage.c (memory), launch.c (code), stream.c (streams)
 *   gpu      a real GPU, through the system's driver, libcuda.so.1 or the file that
 *            LOCKSTEP_LIBCUDA names, opened at run time; nothing of a toolkit is needed. gpu.c
 *            (devices), gpu_memory.c, gpu_module.c (code), gpu_mathematics.c (functions that the
 *            driver has not), gpu_references.c (texture references as variables), gpu_stream.c
 *
 * Memory that a back end has elsewhere is listed in the device's table of allocations as adopted
 * memory, so that the checks of arguments are the same; graphs are kept by device and their
 * operations submitted one by one.
 */
#ifndef LOCKSTEP_DEVICE_BACKEND_H
#define LOCKSTEP_DEVICE_BACKEND_H

#include "device/device_priv.h"

struct backend_devices {
    /* Once, with the process's lock held: looks for devices. Number in *out_count. False:
     * device_reason. */
    bool (*start)(int *out_count);
    /* The figures of a device, living for ever. NULL: device_reason. */
    const struct device_profile *(*profile)(int index);
    /* The device is about to be used; it has its profile and no memory
     * yet. False: device_reason. */
    bool (*make)(struct device *d);
    enum device_result (*attribute)(const struct device *d, int number, int *out_value);
    enum device_result (*uuid)(const struct device *d, uint8_t out[16]);
    /* Waits for all that was submitted. */
    enum device_result (*synchronize)(struct device *d);
    enum device_result (*reset)(struct device *d);
    enum device_result (*limit_get)(struct device *d, unsigned limit, size_t *out_value);
    enum device_result (*limit_set)(struct device *d, unsigned limit, size_t value);
    /* Kernels of d may access the peer's memory, or no longer. */
    enum device_result (*peer)(struct device *d, struct device *peer, bool enabled);
};

struct backend_memory {
    /* name: of the allocation, NULL: none; it must live for ever. */
    enum device_result (*alloc)(struct device *d, uint64_t size, enum allocation_kind kind,
                                const char *name, uint64_t *out_address);
    /* The beginning of an allocation, which leaves the device's table. */
    enum device_result (*free)(struct device *d, uint64_t address);
    enum device_result (*info)(struct device *d, uint64_t *out_free, uint64_t *out_total);
    /* Memory of the host that kernels may access. */
    enum device_result (*host_register)(struct device *d, void *at, uint64_t size);
    enum device_result (*host_unregister)(struct device *d, void *at);
    /* A few bytes, one end of them on the device, in order with everything. */
    enum device_result (*access)(struct device *d, void *to, const void *from, size_t size);
    /* The shape is valid; *out: what its base becomes. */
    enum device_result (*array_new)(struct device *d, const struct device_array_shape *s,
                                    uint64_t *out);
    enum device_result (*array_free)(struct device *d, uint64_t array);
    /* in_array: level 0's base is that of an array. *out: the handle that kernels get. */
    enum device_result (*texture_new)(struct device *d, const struct texture *t, bool in_array,
                                      uint64_t *out);
    enum device_result (*texture_free)(struct device *d, uint64_t handle, bool surface);
    /* Makes a tensor map of 128 bytes at `map`; gives it another address. */
    enum device_result (*tensor_map)(struct device *d, void *map, const struct tensor_args *a);
    enum device_result (*tensor_move)(struct device *d, void *map, uint64_t address);
};

/* tensor.c: of virtual GPUs. */
enum device_result virtual_tensor_map(struct device *d, void *map, const struct tensor_args *a);
enum device_result virtual_tensor_move(struct device *d, void *map, uint64_t address);

struct backend_code {
    /* The address of each variable, by its index; 0: not visible. NULL: device_reason. */
    uint64_t *(*load)(struct device *d, struct unit *u);
    void (*unload)(struct device *d, struct unit *u);
    enum device_result (*info)(struct device_function *f, struct device_function_info *out);
    enum device_result (*set_max_dynamic_shared)(struct device_function *f, int64_t bytes);
    enum device_result (*occupancy)(struct device_function *f, uint32_t threads,
                                    uint64_t dynamic_shared, struct occupancy *out);
    enum device_result (*set_cluster_attribute)(struct device_function *f,
                                                enum device_cluster_attribute a, int value);
    /* As device_active_clusters, device_potential_cluster. */
    enum device_result (*active_clusters)(const struct device_launch *l, int *out);
    enum device_result (*potential_cluster)(const struct device_launch *l, int *out);
    /* Whether a launch of a valid shape is possible. *out_kernel: for launch. */
    enum device_result (*check)(const struct device_launch *l,
                                const struct jit_kernel **out_kernel);
    enum device_result (*launch)(struct device_stream *s, const struct device_launch *l,
                                 const struct jit_kernel *k);
};

struct backend_streams {
    /* For every stream but a device's legacy stream. */
    enum device_result (*stream_new)(struct device_stream *s);
    void (*stream_free)(struct device_stream *s);
    /* DEVICE_NOT_READY: something submitted has not ended. */
    enum device_result (*query)(struct device_stream *s);
    enum device_result (*synchronize)(struct device_stream *s);
    /* Operations of a stream, whose arguments are valid; none is empty. */
    enum device_result (*copy)(struct device_stream *s, const struct device_copy *c);
    enum device_result (*fill)(struct device_stream *s, const struct device_fill *f);
    enum device_result (*host_call)(struct device_stream *s, const struct device_host_call *c);
    /* Sets a word, which no tool hears of. */
    enum device_result (*set_word)(struct device_stream *s, uint64_t address, uint32_t value);
    enum device_result (*event_new)(struct device_event *e);
    void (*event_free)(struct device_event *e);
    enum device_result (*event_record)(struct device_stream *s, struct device_event *e);
    /* The rest is for events that have been recorded. */
    enum device_result (*event_wait)(struct device_stream *s, struct device_event *e);
    enum device_result (*event_query)(struct device_event *e);
    enum device_result (*event_synchronize)(struct device_event *e);
    enum device_result (*event_elapsed)(struct device_event *from, struct device_event *to,
                                        float *out_milliseconds);
};

struct backend {
    const char *name, *label;
    bool in_process;
    const struct backend_devices *devices;
    const struct backend_memory *memory;
    const struct backend_code *code;
    const struct backend_streams *streams;
};

#define BACKEND(name, label, in_process)                                                           \
    extern const struct backend_devices name##_devices;                                            \
    extern const struct backend_memory name##_memory;                                              \
    extern const struct backend_code name##_code;                                                  \
    extern const struct backend_streams name##_streams;
#include "device/backends.def"
#undef BACKEND

#endif
