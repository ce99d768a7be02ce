/* SPDX-License-Identifier: Apache-2.0
 *
 * Transparent scalability: the same grid of blocks that do not need each other, on whatever device
 * there is; --size: how many blocks. On a narrow device a multiprocessor has many of them one after
 * the other, on a wide one few or none. The results are the same. (Try --gpu tx2, gtx460, h200.)
 *
 * systems: B7
 * title: the same grid on devices of any width
 * rung: 1
 * sizes: 0 1 8 17 100 1000
 * check: 8 17
 */
#include "scalability.h"

__global__ void
work(int *out, struct stay *stays, int turns)
{
    long long begin = clock64();
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = scalability_work(i, turns);
    if (threadIdx.x == 0)
        stays[blockIdx.x] = {scalability_sm(), begin, (long long)clock64()};
}

int
main(int argc, char **argv)
{
    int turns = 200;
    const struct suite_extra extra = {"--turns", &turns, 0, 1 << 20, "work of a block", NULL};
    struct suite s =
        suite_begin("scalability/blocks", "blocks on multiprocessors", 8, &extra, 1, argc, argv);
    int blocks = s.size[0], count = blocks * THREADS, sms = s.device.multiProcessorCount;
    int *out = suite_device<int>(count), *found = suite_host<int>(count);
    int *right = suite_host<int>(count);
    struct stay *stays = suite_device<struct stay>(blocks);
    struct stay *host_stays = suite_host<struct stay>(blocks);
    for (int i = 0; i < count; i++) {
        right[i] = i;
        for (int turn = 0; turn < turns; turn++)
            right[i] += 1 + (turn & 2);
    }
    if (blocks)
        SUITE_TIME(&s, work<<<blocks, THREADS>>>(out, stays, turns));
    suite_download(found, out, count);
    suite_download(host_stays, stays, blocks);
    suite_compare_equal(&s, "out", found, right, count);
    if (blocks <= 64)
        scalability_picture(&s, host_stays, blocks, sms);
    scalability_figures(&s, host_stays, blocks, sms);
    suite_free_device(out, stays);
    suite_free_host(found, right, host_stays);
    return suite_end(&s);
}
