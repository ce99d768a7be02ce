// SPDX-License-Identifier: Apache-2.0
// What the course's programs share: sizes from the command line, checked calls, and the last line,
// which `lockstep tune` reads.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef BLOCK
#define BLOCK 256 // threads of a block: `lockstep tune -P BLOCK=64,128,256 PROGRAM.cu`
#endif

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)); \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

static inline int
size_from(int argc, char **argv, int usual)
{
    return argc > 1 ? atoi(argv[1]) : usual;
}

template <class T>
static T *
to_device(const std::vector<T> &host)
{
    T *at;
    CHECK(cudaMalloc(&at, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(at, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return at;
}

// Brings it back, and frees it.
template <class T>
static std::vector<T>
from_device(T *at, size_t n)
{
    std::vector<T> host(n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(at));
    return host;
}

template <class T>
static int
verified(const std::vector<T> &found, const std::vector<T> &expected)
{
    size_t wrong = found.size() != expected.size();
    for (size_t i = 0; !wrong && i < expected.size(); i++)
        wrong += !(std::fabs((double)found[i] - (double)expected[i]) <=
                   1e-4 * std::fmax(1, std::fabs((double)expected[i])));
    printf("result\n  verified  %s\n", wrong ? "no" : "yes");
    return wrong != 0;
}
