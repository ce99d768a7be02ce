/* SPDX-License-Identifier: Apache-2.0
 *
 * driver.h: what the programs of this folder share that load PTX by the driver's API: a call has to
 * succeed, a context, files read whole.
 */
#ifndef RECORD_DRIVER_H
#define RECORD_DRIVER_H

#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>

static inline void
check(CUresult r, const char *what)
{
    const char *text = "?";
    if (r == CUDA_SUCCESS)
        return;
    cuGetErrorString(r, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

/* The first device's primary context becomes this thread's. */
static inline void
begin_device(void)
{
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
}

/* FOLDER/NAME with that suffix; a zero stands behind what was read. */
static inline void *
read_file(const char *folder, const char *name, const char *suffix, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(3);
    }
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *at = (char *)calloc(1, *size + 1);
    if (fread(at, 1, *size, f) != *size)
        exit(3);
    fclose(f);
    return at;
}

#endif
