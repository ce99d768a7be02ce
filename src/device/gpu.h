/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu: the back end for a real GPU: what device's other files do instead when the process runs on
 * one (LOCKSTEP_DEVICE=gpu). The system's driver, libcuda.so.1 or the file that LOCKSTEP_LIBCUDA
 * names, is opened at run time; nothing of a toolkit is needed.
 *
 *   gpu.c         opening, devices, contexts, limits; errors
 *   gpu_module.c  PTX and variables, functions, launches
 *   gpu_mathematics.c  functions that the driver has not
 *   gpu_references.c   texture references as variables
 *   gpu_memory.c  memory, copies, fills, arrays, textures
 *   gpu_stream.c  streams and events
 *
 * Device memory is listed in the device's table of allocations as adopted memory, so that the checks
 * of arguments are the same; graphs are kept by device and their operations submitted one by one.
 * The driver's error numbers are those of device.h. All functions may be called by several threads.
 */
#ifndef LOCKSTEP_DEVICE_GPU_H
#define LOCKSTEP_DEVICE_GPU_H

#include "device/device_priv.h"

/* False: the environment asks for a GPU and there is none: device_reason. *out NULL: none asked for. */
bool gpu_open(struct gpu **out, int *out_count);
/* The GPU's own figures over those of its compute capability. NULL: device_reason. */
const struct device_profile *gpu_profile(struct gpu *g, int index);
bool gpu_make(struct device *d);
enum device_result gpu_attribute(const struct device *d, int number, int *out_value);
enum device_result gpu_uuid(const struct device *d, uint8_t out[16]);
enum device_result gpu_synchronize(struct device *d);
enum device_result gpu_reset(struct device *d);
enum device_result gpu_limit_get(struct device *d, unsigned limit, size_t *out_value);
enum device_result gpu_limit_set(struct device *d, unsigned limit, size_t value);
enum device_result gpu_peer(struct device *d, struct device *peer, bool enabled);

/* The address of each variable, by its index; 0: not visible. NULL: device_reason. */
uint64_t *gpu_module_load(struct device *d, struct unit *u);
void gpu_module_unload(struct device *d, struct unit *u);
enum device_result gpu_function_info(struct device_function *f, struct device_function_info *out);
enum device_result gpu_set_max_dynamic_shared(struct device_function *f, int64_t bytes);
enum device_result gpu_occupancy(struct device_function *f, uint32_t threads, uint64_t dynamic_shared,
                                 struct occupancy *out);
enum device_result gpu_launch(struct device_stream *s, const struct device_launch *l);

enum device_result gpu_alloc(struct device *d, uint64_t size, enum allocation_kind kind, const char *name,
                             uint64_t *out_address);
enum device_result gpu_free(struct device *d, uint64_t address);
enum device_result gpu_memory_info(struct device *d, uint64_t *out_free, uint64_t *out_total);
enum device_result gpu_host_register(struct device *d, void *at, uint64_t size);
enum device_result gpu_host_unregister(struct device *d, void *at);
/* The array's handle at the driver. */
enum device_result gpu_array_new(struct device *d, const struct device_array_shape *s, uint64_t *out);
enum device_result gpu_array_free(struct device *d, uint64_t array);
/* in_array: level 0's base is an array's handle. */
enum device_result gpu_texture_new(struct device *d, const struct texture *t, bool in_array,
                                   uint64_t *out);
enum device_result gpu_texture_free(struct device *d, uint64_t handle, bool surface);
enum device_result gpu_copy(struct device_stream *s, const struct device_copy *c);
enum device_result gpu_fill(struct device_stream *s, const struct device_fill *f);
/* A few bytes, in order with everything. */
enum device_result gpu_access(struct device *d, void *to, const void *from, size_t size);

enum device_result gpu_stream_new(struct device_stream *s);
void gpu_stream_free(struct device_stream *s);
enum device_result gpu_stream_query(struct device_stream *s);
enum device_result gpu_stream_synchronize(struct device_stream *s);
enum device_result gpu_host_call(struct device_stream *s, const struct device_host_call *c);
enum device_result gpu_event_new(struct device_event *e);
void gpu_event_free(struct device_event *e);
enum device_result gpu_event_record(struct device_stream *s, struct device_event *e);
enum device_result gpu_event_wait(struct device_stream *s, struct device_event *e);
enum device_result gpu_event_query(struct device_event *e);
enum device_result gpu_event_synchronize(struct device_event *e);
enum device_result gpu_event_elapsed(struct device_event *from, struct device_event *to, float *out);

#endif
