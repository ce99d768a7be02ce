// SPDX-License-Identifier: Apache-2.0
//
// What the first launch of a process takes beside the ones after it: launches of one kernel, each between two events, of
// which the first one is the process's. What comes before it differs: nothing, a copy to the device, a fill (a launch of
// the driver's own), a launch of another kernel.
//
//     first KERNEL BEFORE [header]        KERNEL: nothing words lines straight; BEFORE: none copy fill kernel
#include "bench.h"

#include <string>

__global__ void
nothing(const float *, float *)
{
}

__global__ void
words(const float *x, float *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + 1;
}

// Each warp reads lines that lie apart: as many pages as may be.
__global__ void
lines(const float *x, float *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[(i * 8191u) & ((1u << 22) - 1)];
}

// 4,096 instructions, each once.
__global__ void
straight(const float *x, float *y)
{
    float a[8];
    for (int k = 0; k < 8; k++)
        a[k] = threadIdx.x + k;
#pragma unroll
    for (int i = 0; i < 4096; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i % 8]) : "f"(a[0]));
    float s = 0;
    for (int k = 0; k < 8; k++)
        s += a[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void
other(float *y)
{
    y[threadIdx.x] = 0;
}

int
main(int argc, char **argv)
{
    enum { N = 1 << 22, LAUNCHES = 4 };
    std::string kernel = argc > 2 ? argv[1] : "nothing", before = argc > 2 ? argv[2] : "none";
    int blocks = kernel == "nothing" || kernel == "straight" ? sm_count() : N / 256;
    float *x = device_memory<float>(N), *y = device_memory<float>(N);
    std::vector<float> host(N);
    cudaEvent_t e[LAUNCHES + 1][2];
    for (auto &pair : e)
        for (auto &event : pair)
            CHECK(cudaEventCreate(&event));
    if (before == "copy")
        CHECK(cudaMemcpy(x, host.data(), N * sizeof *x, cudaMemcpyHostToDevice));
    if (before == "fill")
        CHECK(cudaMemset(x, 0, N * sizeof *x));
    if (before == "kernel")
        other<<<1, 32>>>(y);
    CHECK(cudaDeviceSynchronize());
    auto f = kernel == "nothing" ? nothing : kernel == "words" ? words : kernel == "lines" ? lines : straight;
    for (int k = 0; k < LAUNCHES; k++) {
        CHECK(cudaEventRecord(e[k][0]));
        f<<<blocks, 256>>>(x, y);
        CHECK(cudaEventRecord(e[k][1]));
        CHECK(cudaDeviceSynchronize());
    }
    if (argc > 3)
        printf("kernel,before,us_1,us_2,us_3,us_4\n");
    printf("%s,%s", kernel.c_str(), before.c_str());
    for (int k = 0; k < LAUNCHES; k++) {
        float ms;
        CHECK(cudaEventElapsedTime(&ms, e[k][0], e[k][1]));
        printf(",%.2f", 1e3 * ms);
    }
    printf("\n");
    return 0;
}
