/* SPDX-License-Identifier: Apache-2.0
 *
 * The grid follows the device: as many blocks as it can hold at once, each thread walks over the
 * data in strides of the whole grid. Blocks still do not need each other; what each costs to start
 * is paid once, however large the data. --size: elements.
 *
 * systems: B7
 * title: a grid as wide as the device, walking in strides
 * rung: 2
 * sizes: 0 1 17 1000 100003
 * check: 17 1000
 */
#include "scalability.h"

__global__ void
work(int *out, struct stay *stays, int n, int turns)
{
    long long begin = clock64();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        out[i] = scalability_work(i, turns);
    if (threadIdx.x == 0)
        stays[blockIdx.x] = {scalability_sm(), begin, (long long)clock64()};
}

int
main(int argc, char **argv)
{
    int turns = 20;
    const struct suite_extra extra = {"--turns", &turns, 0, 1 << 20, "work of an element", NULL};
    struct suite s = suite_begin("scalability/strides", "a grid as wide as the device", 1000,
                                 &extra, 1, argc, argv);
    int n = s.size[0], sms = s.device.multiProcessorCount, resident = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, work, THREADS, 0));
    int blocks = suite_div_up(n, THREADS);
    if (blocks > sms * resident)
        blocks = sms * resident;
    int *out = suite_device<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    struct stay *stays = suite_device<struct stay>(blocks);
    struct stay *host_stays = suite_host<struct stay>(blocks);
    for (int i = 0; i < n; i++) {
        right[i] = i;
        for (int turn = 0; turn < turns; turn++)
            right[i] += 1 + (turn & 2);
    }
    if (n)
        SUITE_TIME(&s, work<<<blocks, THREADS>>>(out, stays, n, turns));
    suite_download(found, out, n);
    suite_download(host_stays, stays, blocks);
    suite_compare_equal(&s, "out", found, right, n);
    if (blocks <= 64)
        scalability_picture(&s, host_stays, blocks, sms);
    scalability_figures(&s, host_stays, blocks, sms);
    suite_figure(&s, "blocks", blocks);
    suite_free_device(out, stays);
    suite_free_host(found, right, host_stays);
    return suite_end(&s);
}
