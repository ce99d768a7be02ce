/* SPDX-License-Identifier: Apache-2.0
 *
 * cudart: the runtime API (include/cuda_runtime_api.h), thin over device. What its files share.
 *
 *   api.c           the end of every call: last error, reasons, trace; names of errors
 *   registration.c  what the compiler's host code says before main: images, kernels, variables
 *   devices.c       devices, properties, limits
 *   launch.c        kernels: launch, attributes, occupancy
 *   memory.c        allocation, pinned and managed memory, pools
 *   copy.c          copies, fills, symbols
 *   array.c         arrays, textures, surfaces
 *   stream.c        streams, events, capture
 *   graph.c         graphs; graph_nodes.c: their nodes' parameters (graph.h, graph_params.def)
 *   ipc.c           memory, events and pools of other processes
 *   entry_point.c   the driver's calls by name
 *   refused.c       what a virtual device does not have
 *   curand.c        what curand.h has of cuRAND's host side
 *   half.c          conversions of half in host code
 *
 * Every call of the API ends in RT(result, "arguments", ...): that keeps the error for
 * cudaGetLastError, says why under LOCKSTEP_VERBOSE and writes the call under LOCKSTEP_TRACE=api.
 */
#ifndef LOCKSTEP_CUDART_H
#define LOCKSTEP_CUDART_H

#include "device/device.h"

/* What the API's header declares is what the library exports. */
#pragma GCC visibility push(default)
#include "cuda_runtime_api.h"
#include "texture_types.h"
#pragma GCC visibility pop

/* -- api.c ------------------------------------------------------------------------------------- */

/* The result is evaluated first: the arguments may show what the call stored. */
#define RT(result, ...)                                                                            \
    do {                                                                                           \
        int rt_result_ = (int)(result);                                                            \
        return rt_done(__func__, rt_result_, __VA_ARGS__);                                         \
    } while (0)
cudaError_t rt_done(const char *call, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* device_fail for errors that device.h has no name for. */
#define rt_fail(error, ...) ((int)device_fail((enum device_result)(error), __VA_ARGS__))
int rt_refuse(const char *why); /* "not supported" */

/* -- devices.c --------------------------------------------------------------------------------- */

/* The stream behind the API's handle (default streams included), its device in working order. */
int rt_stream(cudaStream_t handle, struct device_stream **out);
/* For launches: those that were put off go on waiting. */
int rt_stream_early(cudaStream_t handle, struct device_stream **out);

/* -- registration.c ---------------------------------------------------------------------------- */

/* The kernel on the current device, by the address of its host stub or by its handle. */
int rt_function(const void *host, struct device_function **out);
/* The host stub of a function; the function itself where there is none. */
void *rt_function_host(const struct device_function *f);
/* The variable on the current device, by the address of its host shadow. */
int rt_variable(const void *host, uint64_t *out_address, uint64_t *out_size);
/* The variable whose host shadow holds the address; NULL: none. */
const char *rt_shadowed(const void *host);
/* Whether a texture reference was declared with cudaReadModeNormalizedFloat. */
bool rt_reference_normalized(const void *host);

/* -- copy.c ------------------------------------------------------------------------------------ */

int rt_copy_of(const struct cudaMemcpy3DParms *p, struct device_copy *out);
void rt_copy_params(const struct device_copy *c, struct cudaMemcpy3DParms *out);
int rt_symbol(const void *symbol, size_t offset, size_t count, void **out);

/* -- array.c ----------------------------------------------------------------------------------- */

/* -- half.c ------------------------------------------------------------------------------------ */

/* On processors without F16C, bit for bit what those with it do. */
float half_widen_plain(uint16_t h);
uint16_t half_of_float_plain(float v);
uint16_t half_of_double_plain(double v);

#endif
