/* SPDX-License-Identifier: Apache-2.0
 *
 * api.c: the end of every call, the errors and their names, and the table of calls.
 */
#include "cudart/cudart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local cudaError_t last;

static const struct {
    int value;
    const char *name, *text;
} errors[] = {
#define LOCKSTEP_CUDA_ERROR(name, value, text) {value, #name, text},
#include "crt/cuda_errors.def"
#undef LOCKSTEP_CUDA_ERROR
};

static const char *
error_name(int e)
{
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].value == e)
            return errors[k].name;
    return "unrecognized error code";
}

cudaError_t
rt_done(const char *call, int result, const char *format, ...)
{
    if (result == cudaSuccess) /* the calls that need no device */
        result = (int)device_in_host_function();
    bool failed = result != cudaSuccess && result != cudaErrorNotReady;
    if (failed) {
        last = (cudaError_t)result;
        device_call_failed(call, result, error_name(result));
    }
    device_call_over(failed ? "" : call);
    va_list args;
    va_start(args, format);
    device_trace(call, error_name(result), format, args);
    va_end(args);
    device_forget_reason();
    device_in_stub(false);
    return (cudaError_t)result;
}

int
rt_refuse(const char *why)
{
    return rt_fail(cudaErrorNotSupported, "this is not supported: %s", why);
}

/* An error of a kernel stays; it is this device's, whatever this thread called last. */
static cudaError_t
held(void)
{
    struct device *d = device_at(device_current());
    cudaError_t e = d ? (cudaError_t)device_lost(d) : cudaSuccess;
    device_forget_reason();
    return e != cudaSuccess ? e : last;
}

cudaError_t
cudaGetLastError(void)
{
    cudaError_t e = held();
    last = cudaSuccess;
    if (device_traced())
        fprintf(stderr, "lockstep: api: cudaGetLastError() = %s\n", error_name((int)e));
    return e;
}

cudaError_t
cudaPeekAtLastError(void)
{
    return held();
}

const char *
cudaGetErrorName(cudaError_t e)
{
    return error_name((int)e);
}

const char *
cudaGetErrorString(cudaError_t e)
{
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].value == (int)e)
            return errors[k].text;
    return "unrecognized error code";
}
