/* SPDX-License-Identifier: Apache-2.0
 *
 * Device query: how many devices there are and what each of them says of itself, by its properties
 * and by single attributes, which must agree. --size N: a kernel of N threads in blocks as large as
 * the device allows then runs on each device.
 *
 * systems: E2
 * title: every device and its limits
 * rung: 1
 * sizes: 1 17 1000 1537 100003
 * check: 17
 */
#include "../common/suite.h"

__global__ void
number(int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at[i] = i;
}

static int
attribute(enum cudaDeviceAttr what, int device)
{
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, what, device));
    return value;
}

static void
query(struct suite *s, int device)
{
    struct cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, device));
    suite_say(s, "Device %d has:\n", device);
    suite_say(s, "\tName %s,\n\tCompute capability %d.%d,\n", p.name, p.major, p.minor);
    suite_say(s, "\tNumber of SMs %d,\n\tWarp size %d,\n", p.multiProcessorCount, p.warpSize);
    suite_say(s, "\tMax threads/block %d,\n\tMax block %d x %d x %d,\n", p.maxThreadsPerBlock,
              p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    suite_say(s, "\tMax grid %d x %d x %d,\n\tShared memory/block %zu,\n\tRegisters/block %d\n",
              p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2], p.sharedMemPerBlock,
              p.regsPerBlock);
    suite_expect(s, attribute(cudaDevAttrMaxThreadsPerBlock, device) == p.maxThreadsPerBlock,
                 "threads");
    suite_expect(s, attribute(cudaDevAttrWarpSize, device) == p.warpSize, "warp size");
    suite_expect(s, attribute(cudaDevAttrMultiProcessorCount, device) == p.multiProcessorCount,
                 "SMs");
    suite_expect(s, attribute(cudaDevAttrMaxBlockDimX, device) == p.maxThreadsDim[0], "block x");
    suite_expect(s, attribute(cudaDevAttrMaxBlockDimZ, device) == p.maxThreadsDim[2], "block z");
    suite_expect(s, attribute(cudaDevAttrMaxGridDimX, device) == p.maxGridSize[0], "grid x");
    suite_expect(s, attribute(cudaDevAttrComputeCapabilityMajor, device) == p.major, "capability");
}

static void
use(struct suite *s, int device)
{
    int n = s->size[0], threads = attribute(cudaDevAttrMaxThreadsPerBlock, device);
    CHECK(cudaSetDevice(device));
    int *at = suite_device<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    for (int i = 0; i < n; i++)
        right[i] = i;
    SUITE_TIME(s, number<<<suite_div_up(n, threads), threads>>>(at, n));
    suite_download(found, at, n);
    suite_compare_equal(s, "number", found, right, n);
    CHECK(cudaFree(at));
    suite_free_host(found, right);
}

int
main(int argc, char **argv)
{
    struct suite s =
        suite_begin("checked/devices", "every device and its limits", 1000, NULL, 0, argc, argv);
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    suite_figure(&s, "devices", count);
    for (int i = 0; i < count; i++) {
        query(&s, i);
        use(&s, i);
    }
    return suite_end(&s);
}
