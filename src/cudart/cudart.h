/* SPDX-License-Identifier: Apache-2.0
 *
 * cudart: the runtime API (include/cuda_runtime_api.h) on the virtual devices. What its files share.
 *
 *   registration.c  what clang's host code calls before main: modules, kernels, variables
 *   launch.c        kernels: configuration, launch, attributes, occupancy
 *   memory.c        allocation, copies, sets, symbols
 *   stream.c        streams and events
 *   devices.c       devices and their properties
 *   errors.c        the last error, names, what is not supported
 *
 * Work is done when it is asked for, in the calling thread: a stream's order is the program's order.
 * Errors of kernels are sticky, as in CUDA: every later call on that device returns them.
 */
#ifndef LOCKSTEP_CUDART_H
#define LOCKSTEP_CUDART_H

#include "device/device.h"

#include "cuda_runtime_api.h"

/* -- errors.c ------------------------------------------------------------------------------------ */

/* Remembers an error of this call for cudaGetLastError and returns it; cudaSuccess passes. */
cudaError_t rt_error(cudaError_t e);
/* The same with the reason, shown when LOCKSTEP_VERBOSE is set. */
cudaError_t rt_fail(cudaError_t e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The error that a kernel left on the current device, else cudaSuccess. */
cudaError_t rt_sticky(void);
void rt_set_sticky(cudaError_t e);
void rt_clear_sticky(void);
cudaError_t rt_not_supported(const char *call);

/* -- devices.c ------------------------------------------------------------------------------------ */

/* The current device of this thread; NULL: there is none (the reason was printed), *e says what to
 * return. Also fails with the sticky error. */
struct device *rt_device(cudaError_t *e);
int rt_ordinal(void);

/* -- registration.c --------------------------------------------------------------------------------- */

struct rt_kernel {
    struct device_function function;
    const void *host;      /* address of the host stub: what <<<>>> and the API name it by */
    const char *name;
    int cache_config;
    struct rt_kernel *next;
};

/* NULL: not registered, or its module does not load (*e says which; the reason is printed). */
struct rt_kernel *rt_kernel(const void *host, cudaError_t *e);
/* Device address and size of the variable that the host's shadow stands for; 0: none. */
uint64_t rt_variable(struct device *d, const void *host, uint64_t *size);

/* -- stream.c ------------------------------------------------------------------------------------------ */

bool rt_stream_valid(cudaStream_t s);

#endif
