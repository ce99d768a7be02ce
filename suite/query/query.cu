/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program is told about the devices: how many there are, and the properties that a kernel's
 * author asks for. The values of the first device are compared with the attributes, which come
 * another way (cudaDeviceGetAttribute); a device that does not exist must be refused.
 *
 * systems: B9
 * title: cudaGetDeviceCount, cudaGetDeviceProperties
 * rung: 1
 * sizes: 0 1 17 100 1000
 * check: 17
 */
#include "../common/suite.h"

__global__ void
count(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i;
}

static void
print_device(const struct suite *s, int number, const struct cudaDeviceProp *d)
{
    double bandwidth = 2.0 * d->memoryClockRate * 1e3 * d->memoryBusWidth / 8;
    suite_say(s, "device %d: %s\n", number, d->name);
    suite_say(s, "  compute capability      %d.%d\n", d->major, d->minor);
    suite_say(s, "  multiprocessors         %d at %.0f MHz\n", d->multiProcessorCount,
              1e-3 * d->clockRate);
    suite_say(s, "  threads of a block      %d, at most %d x %d x %d\n", d->maxThreadsPerBlock,
              d->maxThreadsDim[0], d->maxThreadsDim[1], d->maxThreadsDim[2]);
    suite_say(s, "  blocks of a grid        %d x %d x %d\n", d->maxGridSize[0], d->maxGridSize[1],
              d->maxGridSize[2]);
    suite_say(s, "  threads of an SM        %d\n", d->maxThreadsPerMultiProcessor);
    suite_say(s, "  registers of a block    %d\n", d->regsPerBlock);
    suite_say(s, "  shared memory           %zu bytes a block, %zu a multiprocessor\n",
              d->sharedMemPerBlock, d->sharedMemPerMultiprocessor);
    suite_say(s, "  constant memory         %zu bytes\n", d->totalConstMem);
    suite_say(s, "  global memory           %.1f GiB at %.0f GB/s\n",
              d->totalGlobalMem / 1073741824.0, 1e-9 * bandwidth);
}

static void
compare_attribute(struct suite *s, enum cudaDeviceAttr attribute, int right, const char *what)
{
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, attribute, 0));
    suite_expect(s, value == right, what);
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("query/query", "device query", 1000, NULL, 0, argc, argv);
    const struct cudaDeviceProp *d = &s.device;
    struct cudaDeviceProp property;
    int n = s.size[0], devices = 0, threads = d->maxThreadsPerBlock;
    CHECK(cudaGetDeviceCount(&devices));
    suite_expect(&s, devices > 0, "there is a device");
    for (int i = 0; i < devices; i++) {
        CHECK(cudaGetDeviceProperties(&property, i));
        print_device(&s, i, &property);
    }
    suite_expect(&s, cudaGetDeviceProperties(&property, devices) != cudaSuccess,
                 "a device that does not exist is refused");
    cudaGetLastError();
    compare_attribute(&s, cudaDevAttrMaxThreadsPerBlock, d->maxThreadsPerBlock, "threads a block");
    compare_attribute(&s, cudaDevAttrMultiProcessorCount, d->multiProcessorCount, "SMs");
    compare_attribute(&s, cudaDevAttrClockRate, d->clockRate, "clock rate");
    compare_attribute(&s, cudaDevAttrMaxBlockDimX, d->maxThreadsDim[0], "block x");
    compare_attribute(&s, cudaDevAttrMaxGridDimX, d->maxGridSize[0], "grid x");
    compare_attribute(&s, cudaDevAttrMaxGridDimZ, d->maxGridSize[2], "grid z");
    compare_attribute(&s, cudaDevAttrMaxSharedMemoryPerBlock, (int)d->sharedMemPerBlock, "shared");
    compare_attribute(&s, cudaDevAttrTotalConstantMemory, (int)d->totalConstMem, "constant");
    compare_attribute(&s, cudaDevAttrWarpSize, d->warpSize, "warp size");
    int *out = suite_device<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    for (int i = 0; i < n; i++)
        right[i] = i;
    if (n) /* the block size is the device's word, not the author's */
        SUITE_TIME(&s, count<<<suite_div_up(n, threads), threads>>>(out, n));
    suite_download(found, out, n);
    suite_compare_equal(&s, "count", found, right, n);
    suite_figure(&s, "devices", devices);
    suite_figure(&s, "multiprocessors", d->multiProcessorCount);
    suite_figure(&s, "threads_per_block", d->maxThreadsPerBlock);
    CHECK(cudaFree(out));
    suite_free_host(found, right);
    return suite_end(&s);
}
