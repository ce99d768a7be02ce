/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu, inside: the opened driver and how its calls are made.
 */
#ifndef LOCKSTEP_DEVICE_GPU_PRIV_H
#define LOCKSTEP_DEVICE_GPU_PRIV_H

#include "device/gpu.h"

#include "cuda.h"

struct gpu {
    void *library;
    char path[4096];
    int version; /* as CUDA_VERSION */
#define GPU_CALL(name) __typeof__(name) *name;
#include "device/gpu_calls.def"
#undef GPU_CALL
};

/* Ends a call: DEVICE_OK, or the number with the reason kept; errors that spoil the context make the
 * device lost. d may be NULL. */
enum device_result gpu_checked(struct gpu *g, struct device *d, const char *call, CUresult r);
/* Makes the device's context current for this thread. */
enum device_result gpu_enter(const struct device *d);

#define GPU(d, name, ...)                                                                          \
    gpu_checked(device_process()->gpu, d, #name, device_process()->gpu->name(__VA_ARGS__))

/* Adds a PTX text with those mathematical functions (device/ptx/mathematics.c) that the module calls and
 * does not have. False: it calls none, or none that is known. */
bool gpu_mathematics(const struct ptx_module *m, struct text *out);

/* Rewrites a module's text so that references are variables that hold a handle. */
void gpu_references(const struct ptx_module *m, struct text *text);

static inline CUstream
gpu_stream(const struct device_stream *s)
{
    return (CUstream)s->gpu;
}

#endif
