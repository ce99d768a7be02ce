// SPDX-License-Identifier: Apache-2.0
//
// Records cudaOccupancyMaxActiveBlocksPerMultiprocessor for 1,000 random launches, as CSV. Each
// kernel keeps LIVE floats alive across a loop, so that registers differ; what the compiler made of
// it is asked with cudaFuncGetAttributes and written down.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

template <int LIVE, int STATIC>
__global__ void keep(float *out, const float *in, int rounds)
{
    __shared__ unsigned char fixed[STATIC > 0 ? STATIC : 1];
    extern __shared__ unsigned char dynamic[];
    float v[LIVE];
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        v[i] = in[i * 1024 + threadIdx.x];
    for (int r = 0; r < rounds; r++) {
        float first = v[0];
#pragma unroll
        for (int i = 0; i < LIVE; i++)
            v[i] = v[i] * v[(i + 1) % LIVE] + first;
    }
    if (rounds < 0) { // never, but the compiler cannot know: both arrays are used
        if (STATIC > 0)
            fixed[threadIdx.x % (STATIC > 0 ? STATIC : 1)] = dynamic[threadIdx.x];
        __syncthreads();
        v[0] += STATIC > 0 ? fixed[rounds & 7] : dynamic[rounds & 7];
    }
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        out[i * 1024 + threadIdx.x] = v[i];
}

typedef void (*kernel)(float *, const float *, int);
#define ROW(live) keep<live, 0>, keep<live, 1000>, keep<live, 20000>
static const kernel kernels[] = {ROW(1),  ROW(4),  ROW(8),   ROW(12),  ROW(16),  ROW(20),
                                 ROW(24), ROW(28), ROW(34),  ROW(40),  ROW(48),  ROW(56),
                                 ROW(66), ROW(80), ROW(100), ROW(120), ROW(150), ROW(190),
                                 ROW(230)};

static uint64_t state = 20240607;

static uint32_t
random_below(uint32_t n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((state >> 33) % n);
}

int
main()
{
    const int count = sizeof kernels / sizeof *kernels;
    int optin = 0;
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    std::vector<cudaFuncAttributes> attributes(count);
    for (int k = 0; k < count; k++) {
        CHECK(cudaFuncGetAttributes(&attributes[k], kernels[k]));
        int room = optin - (int)attributes[k].sharedSizeBytes;
        CHECK(cudaFuncSetAttribute(kernels[k], cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    }
    fprintf(stderr, "%s, %d.%d\n", p.name, p.major, p.minor);
    printf("id,threads,registers,static_shared,dynamic_shared,blocks_per_sm\n");
    for (int id = 0; id < 1000; id++) {
        int k = (int)random_below((uint32_t)count);
        const cudaFuncAttributes &a = attributes[k];
        int threads = 1 + (int)random_below(1024);
        if (random_below(2))
            threads = (threads + 31) / 32 * 32;
        int room = optin - (int)a.sharedSizeBytes;
        static const int part[] = {0, 0, 16, 8, 4, 1};
        int divisor = part[random_below(6)];
        int dynamic = divisor ? (int)random_below((uint32_t)(room / divisor + 1)) : 0;
        int blocks = -1;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels[k], threads,
                                                            (size_t)dynamic));
        printf("%d,%d,%d,%d,%d,%d\n", id, threads, a.numRegs, (int)a.sharedSizeBytes, dynamic,
               blocks);
    }
    return 0;
}
