/* SPDX-License-Identifier: Apache-2.0
 *
 * Deciding by what the device says: the program takes the device with most multiprocessors times
 * clock, a block as large as it allows and a grid that fills it, and walks over the data in strides
 * of that grid. Nothing in it is written for one device. (--devices N of `lockstep run` gives
 * several.)
 *
 * systems: B9
 * title: the device with the most to offer, and a grid that fills it
 * rung: 2
 * sizes: 0 1 17 1000 100003
 * check: 17 300
 */
#include "../common/suite.h"

__global__ void
scale(float *at, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        at[i] = 2 * at[i] + 1;
}

static int
choose(const struct suite *s)
{
    int devices = 0, best = 0;
    double most = -1;
    CHECK(cudaGetDeviceCount(&devices));
    for (int i = 0; i < devices; i++) {
        struct cudaDeviceProp d;
        CHECK(cudaGetDeviceProperties(&d, i));
        double speed = (double)d.multiProcessorCount * d.clockRate;
        suite_say(s, "device %d: %s, %d SMs\n", i, d.name, d.multiProcessorCount);
        if (speed > most) {
            most = speed;
            best = i;
        }
    }
    return best;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("query/choose", "choosing a device", 1000, NULL, 0, argc, argv);
    int n = s.size[0], best = choose(&s), resident = 0;
    struct cudaDeviceProp d;
    CHECK(cudaSetDevice(best));
    CHECK(cudaGetDeviceProperties(&d, best));
    int threads = d.maxThreadsPerBlock;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, scale, threads, 0));
    int blocks = d.multiProcessorCount * resident;
    if (blocks > suite_div_up(n, threads))
        blocks = suite_div_up(n, threads);
    float *host = suite_host<float>(n), *found = suite_host<float>(n),
          *right = suite_host<float>(n);
    suite_fill(host, n, 1);
    for (int i = 0; i < n; i++)
        right[i] = 2 * host[i] + 1;
    float *at = suite_device<float>(n);
    if (n)
        SUITE_TIME_AFTER(&s, suite_to_device(at, host, n), scale<<<blocks, threads>>>(at, n));
    suite_download(found, at, n);
    suite_compare_floats(&s, "scaled", found, right, n, 2e-7);
    suite_say(&s, "device %d: %d blocks of %d threads\n", best, blocks, threads);
    suite_figure(&s, "blocks", blocks);
    suite_figure(&s, "threads", threads);
    CHECK(cudaFree(at));
    suite_free_host(host, found, right);
    return suite_end(&s);
}
