// SPDX-License-Identifier: Apache-2.0
//
// What the programs of this folder share. Each has kernels as people write them, in one respect after the other: what a
// model of time must get right where nothing is at its best. Every kernel is launched three times a size.
#ifndef RECORD_MODEL_SHAPES_H
#define RECORD_MODEL_SHAPES_H

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../check.h"

// Numbers between 0 and 1, the same each time; of integers below `most`.
template <class T>
static T *
numbers(size_t n, unsigned most = 0)
{
    std::vector<T> host(n);
    unsigned x = 12345;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        host[i] = most ? (T)(float)((x >> 8) % most) : (T)((float)(x >> 8) / 16777216.f);
    }
    T *device;
    CHECK(cudaMalloc(&device, n * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

// Three launches, or as many as LAUNCHES says.
static inline int
launches(void)
{
    const char *text = getenv("LAUNCHES");
    return text ? atoi(text) : 3;
}

#define THRICE(...)                                                                                \
    do {                                                                                           \
        for (int i_ = 0; i_ < launches(); i_++) {                                                     \
            __VA_ARGS__;                                                                           \
            CHECK(cudaGetLastError());                                                             \
        }                                                                                          \
        CHECK(cudaDeviceSynchronize());                                                            \
    } while (0)

static inline int
over(long n, long block)
{
    return (int)((n + block - 1) / block);
}

#endif
