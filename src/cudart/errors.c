/* SPDX-License-Identifier: Apache-2.0
 *
 * errors.c: the last error of each thread, the sticky error of each device, and their names.
 */
#include "cudart/cudart.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_DEVICES = 64 };

static _Thread_local cudaError_t last;
static _Atomic int sticky[MOST_DEVICES];

cudaError_t
rt_sticky(void)
{
    return (cudaError_t)atomic_load(&sticky[rt_ordinal()]);
}

void
rt_set_sticky(cudaError_t e)
{
    int none = cudaSuccess;
    atomic_compare_exchange_strong(&sticky[rt_ordinal()], &none, (int)e);
}

void
rt_clear_sticky(void)
{
    atomic_store(&sticky[rt_ordinal()], cudaSuccess);
}

cudaError_t
rt_error(cudaError_t e)
{
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last = e;
    return e;
}

cudaError_t
rt_fail(cudaError_t e, const char *format, ...)
{
    const char *verbose = getenv("LOCKSTEP_VERBOSE");
    if (verbose && *verbose && *verbose != '0') {
        char text[512];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        fprintf(stderr, "lockstep: %s: %s\n", cudaGetErrorName(e), text);
    }
    return rt_error(e);
}

cudaError_t
rt_not_supported(const char *call)
{
    fprintf(stderr, "lockstep: %s is not supported on a virtual device\n", call);
    return rt_error(cudaErrorNotSupported);
}

cudaError_t
cudaGetLastError(void)
{
    cudaError_t e = last;
    cudaError_t held = rt_sticky();
    last = cudaSuccess;
    return held != cudaSuccess ? held : e;
}

cudaError_t
cudaPeekAtLastError(void)
{
    cudaError_t held = rt_sticky();
    return held != cudaSuccess ? held : last;
}

static const struct {
    cudaError_t value;
    const char *name, *text;
} table[] = {
#define LOCKSTEP_CUDA_ERROR(name, value, text) {name, #name, text},
#include "crt/cuda_errors.def"
#undef LOCKSTEP_CUDA_ERROR
};

const char *
cudaGetErrorName(cudaError_t e)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].value == e)
            return table[k].name;
    return "unrecognized error code";
}

const char *
cudaGetErrorString(cudaError_t e)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].value == e)
            return table[k].text;
    return "unrecognized error code";
}
