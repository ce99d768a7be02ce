/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu: the back end for a real GPU (backend.h): the opened driver and how its calls are made. The
 * driver's error numbers are those of device.h.
 */
#ifndef LOCKSTEP_DEVICE_GPU_PRIV_H
#define LOCKSTEP_DEVICE_GPU_PRIV_H

#include "device/backend.h"

#include "cuda.h"

struct gpu {
    void *library;
    char path[4096];
    int version; /* as CUDA_VERSION */
#define GPU_CALL(name) __typeof__(name) *name;
#define GPU_CALL_NEW GPU_CALL
#include "device/gpu_calls.def"
#undef GPU_CALL
#undef GPU_CALL_NEW
};

/* The opened driver. */
struct gpu *gpu_driver(void);
/* Ends a call: DEVICE_OK, or the number with the reason kept; errors that spoil the context make
 * the device lost. d may be NULL. */
enum device_result gpu_checked(struct gpu *g, struct device *d, const char *call, CUresult r);
/* Makes the device's context current for this thread. */
enum device_result gpu_enter(const struct device *d);

#define GPU(d, name, ...) gpu_checked(gpu_driver(), d, #name, gpu_driver()->name(__VA_ARGS__))
/* The same in the device's context. */
#define GPU_IN(d, name, ...)                                                                       \
    ({                                                                                             \
        enum device_result entered_ = gpu_enter(d);                                                \
        entered_ == DEVICE_OK ? GPU(d, name, __VA_ARGS__) : entered_;                              \
    })

/* Adds PTX of the mathematical functions (device/ptx/mathematics.c) that the module calls without
 * defining them. False: there are none, or only unknown ones. */
bool gpu_mathematics(const struct ptx_module *m, struct text *out);

/* Rewrites a module's text so that references are variables that hold a handle. */
void gpu_references(const struct ptx_module *m, struct text *text);

/* A few bytes, in order with everything. */
enum device_result gpu_access(struct device *d, void *to, const void *from, size_t size);

static inline CUstream
gpu_stream(const struct device_stream *s)
{
    return (CUstream)s->gpu;
}

#endif
