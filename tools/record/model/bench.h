// SPDX-License-Identifier: Apache-2.0
//
// What the programs of this folder share: errors, timing by events, the clock of the SM.
#ifndef RECORD_MODEL_BENCH_H
#define RECORD_MODEL_BENCH_H

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../check.h"

// Microseconds of one launch: `launches` back to back between two events, the median of `times` such runs after one
// that does not count.
template <class F>
static double
microseconds(F launch, int launches = 3, int times = 5)
{
    cudaEvent_t begin, end;
    std::vector<float> found;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i <= times; i++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        for (int k = 0; k < launches; k++)
            launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaGetLastError());
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i)
            found.push_back(ms);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(found.begin(), found.end());
    return 1e3 * found[found.size() / 2] / launches;
}

// Sizes are divided by this, for a try on a virtual GPU: SCALE=1000.
static inline long
scale(void)
{
    const char *text = getenv("SCALE");
    return text ? atol(text) : 1;
}

static inline int
sm_count(void)
{
    int n;
    CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
    return n;
}

template <class T>
static T *
device_memory(size_t count)
{
    T *p;
    CHECK(cudaMalloc(&p, count * sizeof(T)));
    CHECK(cudaMemset(p, 0, count * sizeof(T)));
    return p;
}

// A reading: a line of the CSV.
static inline void
row(const char *what, const char *how, long a, long b, long c, double value, const char *unit)
{
    printf("%s,%s,%ld,%ld,%ld,%.4f,%s\n", what, how, a, b, c, value, unit);
    fflush(stdout);
}

// Of the blocks' clocks, on the device.
static inline double
mean_clocks(const long long *clocks, int blocks)
{
    std::vector<long long> took(blocks);
    double sum = 0;
    CHECK(cudaMemcpy(took.data(), clocks, blocks * sizeof took[0], cudaMemcpyDeviceToHost));
    for (long long t : took)
        sum += (double)t;
    return sum / blocks;
}

#endif
