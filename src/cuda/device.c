/* SPDX-License-Identifier: Apache-2.0
 *
 * device.c: initialisation, the devices that there are and what they can.
 */
#include "cuda/driver.h"

#include <stdio.h>
#include <string.h>

enum { VERSION = 12080 };

static _Atomic bool initialised;

/* -- initialisation ---------------------------------------------------------------------------- */

CUresult
cuInit(unsigned int flags)
{
    int r = flags ? cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags) : CUDA_SUCCESS;
    r = r == CUDA_SUCCESS ? (int)device_permitted() : r;
    if (r == CUDA_SUCCESS && !device_count())
        r = CUDA_ERROR_NO_DEVICE;
    if (r == CUDA_SUCCESS)
        initialised = true;
    CU(r, "flags=%u", flags);
}

/* The runtime initialises by itself. */
int
cu_need_init(void)
{
    int r = (int)device_permitted();
    if (r != CUDA_SUCCESS)
        return r;
    device_flush(); /* what the runtime's calls put off */
    return initialised || device_in_use()
               ? (int)CUDA_SUCCESS
               : cu_fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called");
}

CUresult
cuDriverGetVersion(int *version)
{
    if (version)
        *version = VERSION;
    CU(version ? CUDA_SUCCESS : cu_null("driverVersion"), "%s", "");
}

/* -- devices ----------------------------------------------------------------------------------- */

int
cu_device(CUdevice number, struct device **out)
{
    int r = cu_need_init();
    if (r != CUDA_SUCCESS)
        return r;
    *out = device_at(number);
    return *out ? (int)CUDA_SUCCESS : (int)CUDA_ERROR_INVALID_DEVICE;
}

CUresult
cuDeviceGet(CUdevice *device, int ordinal)
{
    CU_DEVICE_PROPERTY(device, ordinal, device_index(d));
}

CUresult
cuDeviceGetCount(int *count)
{
    int r = count ? cu_need_init() : cu_null("count");
    if (r == CUDA_SUCCESS)
        *count = device_count();
    CU(r, "count=%d", count ? *count : 0);
}

CUresult
cuDeviceGetName(char *name, int len, CUdevice dev)
{
    struct device *d;
    int r = name && len > 0 ? cu_device(dev, &d) : cu_fail(CUDA_ERROR_INVALID_VALUE, "no room");
    if (r == CUDA_SUCCESS)
        snprintf(name, (size_t)len, "%s", device_profile(d)->name);
    CU(r, "dev=%d", dev);
}

CUresult
cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    struct device *d;
    int r = uuid ? cu_device(dev, &d) : cu_null("uuid");
    if (r == CUDA_SUCCESS)
        device_uuid(d, (uint8_t *)uuid->bytes);
    CU(r, "dev=%d", dev);
}

#undef cuDeviceGetUuid
__attribute__((visibility("default"))) CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev);
CUresult
cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    return cuDeviceGetUuid_v2(uuid, dev);
}

CUresult
cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    CU_DEVICE_PROPERTY(bytes, dev, device_profile(d)->memory_bytes);
}

static int
attribute(int *value, int number, CUdevice dev)
{
    struct device *d;
    int r = value ? cu_device(dev, &d) : cu_null("pi");
    return r == CUDA_SUCCESS ? (int)device_attribute(d, number, value) : r;
}

CUresult
cuDeviceGetAttribute(int *value, CUdevice_attribute attrib, CUdevice dev)
{
    CU(attribute(value, (int)attrib, dev), "attrib=%d dev=%d value=%d", (int)attrib, dev,
       value ? *value : 0);
}

static int
old_properties(CUdevprop *p, CUdevice dev)
{
    static const struct {
        CUdevice_attribute attribute;
        size_t at;
    } rows[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, offsetof(CUdevprop, maxThreadsPerBlock)},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, offsetof(CUdevprop, maxThreadsDim[0])},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, offsetof(CUdevprop, maxThreadsDim[1])},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, offsetof(CUdevprop, maxThreadsDim[2])},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, offsetof(CUdevprop, maxGridSize[0])},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, offsetof(CUdevprop, maxGridSize[1])},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, offsetof(CUdevprop, maxGridSize[2])},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, offsetof(CUdevprop, sharedMemPerBlock)},
        {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, offsetof(CUdevprop, totalConstantMemory)},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, offsetof(CUdevprop, SIMDWidth)},
        {CU_DEVICE_ATTRIBUTE_MAX_PITCH, offsetof(CUdevprop, memPitch)},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, offsetof(CUdevprop, regsPerBlock)},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, offsetof(CUdevprop, clockRate)},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, offsetof(CUdevprop, textureAlign)},
    };
    int r = p ? CUDA_SUCCESS : cu_null("prop");
    for (size_t k = 0; r == CUDA_SUCCESS && k < sizeof rows / sizeof *rows; k++)
        r = attribute((int *)((char *)p + rows[k].at), (int)rows[k].attribute, dev);
    return r;
}

CUresult
cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    CU(old_properties(prop, dev), "dev=%d", dev);
}

CUresult
cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    struct device *d;
    int r = major && minor ? cu_device(dev, &d) : cu_null("major or minor");
    if (r == CUDA_SUCCESS) {
        *major = (int)device_profile(d)->cc_major;
        *minor = (int)device_profile(d)->cc_minor;
    }
    CU(r, "dev=%d", dev);
}

CUresult
cuDeviceGetPCIBusId(char *text, int len, CUdevice dev)
{
    struct device *d;
    int r = text && len >= 13
                ? cu_device(dev, &d)
                : cu_fail(CUDA_ERROR_INVALID_VALUE, "room for %d characters: 13 are needed", len);
    if (r == CUDA_SUCCESS)
        snprintf(text, (size_t)len, "0000:%02x:00.0", dev + 1);
    CU(r, "dev=%d", dev);
}

CUresult
cuDeviceGetByPCIBusId(CUdevice *dev, const char *text)
{
    struct device *d;
    unsigned domain, bus = 0, slot;
    int r = dev && text ? CUDA_SUCCESS : cu_null("dev or pciBusId");
    if (r == CUDA_SUCCESS && sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
        sscanf(text, "%x:%x", &bus, &slot) != 2)
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "\"%s\" is no PCI bus id", text);
    if (r == CUDA_SUCCESS)
        r = cu_device((CUdevice)bus - 1, &d);
    if (r == CUDA_SUCCESS)
        *dev = (CUdevice)bus - 1;
    CU(r, "pciBusId=%s", text ? text : "NULL");
}

CUresult
cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels,
                                   CUdevice dev)
{
    struct device *d;
    int r = width ? cu_device(dev, &d) : cu_null("maxWidthInElements");
    if (r == CUDA_SUCCESS)
        *width = device_profile(d)->max_texture_1d_linear;
    CU(r, "format=%d channels=%u dev=%d", (int)format, channels, dev);
}

CUresult
cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    if (pi)
        *pi = 0;
    CU(pi ? CUDA_SUCCESS : cu_null("pi"), "type=%d dev=%d", (int)type, dev);
}
