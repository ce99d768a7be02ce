/* SPDX-License-Identifier: Apache-2.0
 *
 * api.c: the end of every call, results and their names.
 */
#include "cuda/calls.h"
#include "cuda/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    CUresult value;
    const char *name, *text;
} results[] = {
#define LOCKSTEP_CU_RESULT(name, value, text) {name, #name, text},
#include "crt/cu_results.def"
#undef LOCKSTEP_CU_RESULT
};

static const char *
name_of(int value)
{
    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        if ((int)results[k].value == value)
            return results[k].name;
    return NULL;
}

/* Errors that the runtime tells apart and the driver does not; the other numbers are the same. */
static int
driver_result(int r)
{
    switch (r) {
    case DEVICE_INVALID_CONFIGURATION:
    case DEVICE_INVALID_PITCH:
    case DEVICE_INVALID_CHANNEL:
    case DEVICE_INVALID_DIRECTION: return CUDA_ERROR_INVALID_VALUE;
    case DEVICE_INVALID_SYMBOL: return CUDA_ERROR_NOT_FOUND;
    case DEVICE_INVALID_FUNCTION: return CUDA_ERROR_INVALID_HANDLE;
    default: return r;
    }
}

CUresult
cu_done(const char *call, int result, const char *format, ...)
{
    result = driver_result(result);
    if (result == CUDA_SUCCESS) /* the calls that need no device */
        result = (int)device_in_host_function();
    device_call_over(result == CUDA_SUCCESS ? call : "");
    va_list args;
    va_start(args, format);
    device_trace(call, name_of(result), format, args);
    va_end(args);
    if (result != CUDA_SUCCESS) {
        cu_keep_reason(device_reason());
        device_call_failed(call, result, name_of(result) ? name_of(result) : "unknown error");
    }
    device_forget_reason();
    return (CUresult)result;
}

int
cu_refuse(const char *why)
{
    return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "this is not supported: %s", why);
}

CUresult
cuGetErrorName(CUresult error, const char **name)
{
    const char *found = name_of((int)error);
    if (!name)
        CU(cu_null("pStr"), "error=%d", (int)error);
    *name = found;
    CU(found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, "error=%d", (int)error);
}

CUresult
cuGetErrorString(CUresult error, const char **text)
{
    if (!text)
        CU(cu_null("pStr"), "error=%d", (int)error);
    *text = NULL;
    for (size_t k = 0; k < sizeof results / sizeof *results && !*text; k++)
        if (results[k].value == error)
            *text = results[k].text;
    CU(*text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE, "error=%d", (int)error);
}

int
cu_refused(const char *call, const char *why)
{
    return (int)cu_done(call, cu_refuse(why), "%s", "");
}

CUresult
cuProfilerStart(void)
{
    CU(CUDA_SUCCESS, "%s", "");
}

CUresult
cuProfilerStop(void)
{
    CU(CUDA_SUCCESS, "%s", "");
}
