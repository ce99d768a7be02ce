/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory or L1: on 2.x and 3.x both are cut from one array of 64 KB, and the program may say
 * where. For each preference, given for the device and for the kernel alone, this shows how many
 * blocks of a kernel that needs 8 KB a block an SM holds: with a small shared memory only two.
 * Where a generation has no choice the preference is taken without effect, and the figure stays.
 *
 * systems: C6
 * title: cudaDeviceSetCacheConfig and cudaFuncSetCacheConfig, blocks an SM
 * rung: 1
 * sizes: 0 1 17 1000 100003
 * check: 300
 */
#include "../common/suite.h"

enum { BLOCK = 128, WORDS = 2048 };

__global__ void
scale(const float *in, float *out, int n)
{
    __shared__ float s[WORDS];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t * (WORDS / BLOCK)] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = 2 * s[t * (WORDS / BLOCK)];
}

static const struct {
    const char *name;
    enum cudaFuncCache config;
} preferences[] = {{"none", cudaFuncCachePreferNone},
                   {"shared", cudaFuncCachePreferShared},
                   {"L1", cudaFuncCachePreferL1},
                   {"equal", cudaFuncCachePreferEqual}};

static int
resident(void)
{
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, BLOCK, 0));
    return blocks;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("cache_config/prefer", "shared memory or L1 preferred", 1000, NULL,
                                 0, argc, argv);
    int n = s.size[0];
    float *host = suite_host<float>(n), *found = suite_host<float>(n);
    suite_fill(host, n, 1);
    float *in = suite_upload(host, n), *out = suite_device<float>(n);
    for (int i = 0; i < n; i++)
        host[i] *= 2;
    for (size_t k = 0; k < sizeof preferences / sizeof *preferences; k++) {
        char name[40];
        enum cudaFuncCache now;
        CHECK(cudaFuncSetCacheConfig(scale, cudaFuncCachePreferNone));
        CHECK(cudaDeviceSetCacheConfig(preferences[k].config));
        CHECK(cudaDeviceGetCacheConfig(&now));
        suite_expect(&s, now == preferences[k].config, "the device's preference is what was set");
        int by_device = resident();
        CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
        CHECK(cudaFuncSetCacheConfig(scale, preferences[k].config));
        suite_expect(&s, resident() == by_device,
                     "device and kernel preference have the same effect");
        if (n)
            SUITE_TIME(&s, scale<<<suite_div_up(n, BLOCK), BLOCK>>>(in, out, n));
        suite_download(found, out, n);
        suite_compare_floats(&s, "out", found, host, n, 0);
        snprintf(name, sizeof name, "blocks an SM, %s preferred", preferences[k].name);
        suite_figure(&s, name, by_device);
    }
    suite_free_device(in, out);
    suite_free_host(host, found);
    return suite_end(&s);
}
