// SPDX-License-Identifier: Apache-2.0
//
// Stores that fill their sectors, write a part of them, or one word of a line each; stores of a
// warp that follow each other into the same lines, at once, behind a barrier and a microsecond
// later. CSV: kernel, MB that they lie in, microseconds between two events; under the profiler,
// what of them comes to L2:
//
//     ncu --metrics lts__t_sectors_srcunit_tex.sum,lts__t_requests_srcunit_tex_op_write.sum
//     ./stores
#include "bench.h"

enum { THREADS = 256 };

// Each thread writes WORDS words that lie side by side, one after the other; between them nothing
// (0), a barrier (1), a microsecond (2).
template <int WORDS, int BETWEEN>
__global__ void
words_of_threads(float *y, int n)
{
    int i = WORDS * (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        if (i + k < n)
            y[i + k] = (float)i;
        if (BETWEEN == 1)
            __syncthreads();
        if (BETWEEN == 2)
            __nanosleep(1000);
    }
}

__global__ void
quads(float4 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i < n)
        y[i] = make_float4((float)i, 1, 2, 3);
}

// `count` words of every `distance`.
__global__ void
some_words(float *y, int n, int count, int distance)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / count * distance + t % count;
    if (i < n)
        y[i] = (float)i;
}

__global__ void
scatter(const int *at, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[at[i]] = (float)i;
}

template <class F>
static void
row(const char *name, int mb, F launch)
{
    printf("%s,%d,%.3f\n", name, mb, microseconds(launch, 1));
}

int
main()
{
    float *y;
    int *at;
    CHECK(cudaMalloc(&y, 128 << 20));
    CHECK(cudaMalloc(&at, 16 << 20));
    printf("kernel,mb,us\n");
    for (int mb : {8, 16, 128}) {
        int n = mb << 18;
        auto grid = [n](int words) { return n / words / THREADS; };
        row("quads", mb, [&] { quads<<<grid(4), THREADS>>>((float4 *)y, n); });
        row("quads_of_words", mb, [&] { words_of_threads<4, 0><<<grid(4), THREADS>>>(y, n); });
        row("eights_of_words", mb, [&] { words_of_threads<8, 0><<<grid(8), THREADS>>>(y, n); });
        row("quads_barrier", mb, [&] { words_of_threads<4, 1><<<grid(4), THREADS>>>(y, n); });
        row("quads_later", mb, [&] { words_of_threads<4, 2><<<grid(4), THREADS>>>(y, n); });
        row("word_of_sector", mb, [&] { some_words<<<grid(8), THREADS>>>(y, n, 1, 8); });
        row("word_of_line", mb, [&] { some_words<<<grid(32), THREADS>>>(y, n, 1, 32); });
        row("sector_of_line", mb, [&] { some_words<<<grid(4), THREADS>>>(y, n, 8, 32); });
        row("half_sectors", mb, [&] { some_words<<<grid(2), THREADS>>>(y, n, 4, 8); });
        if (mb > 16)
            continue;
        std::vector<int> host(n);
        unsigned x = 1;
        for (int &v : host) {
            x = x * 1664525u + 1013904223u;
            v = (int)((x >> 4) % (unsigned)n);
        }
        CHECK(cudaMemcpy(at, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
        row("scatter", mb, [&] { scatter<<<grid(1), THREADS>>>(at, y, n); });
    }
    return 0;
}
