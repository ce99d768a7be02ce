/* SPDX-License-Identifier: Apache-2.0
 *
 * Histogram of bytes, the top rung: COPIES histograms a block in shared memory, interleaved so that
 * lane l counts in copy l % COPIES: with 32 of them each lane has a bank to itself, and no two
 * lanes ever meet in a word. Bytes come as vectors of 16. At the end one global atomic a bin and
 * block. Where a block has less than 32 KB (1.x: 16), eight copies have to do: four lanes of a warp
 * share one.
 *
 * systems: D7
 * title: a copy for every lane's bank
 * since: 1.2 atomics in shared memory
 * rung: 2
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 * gpu: 268435456
 */
#include "histogram.h"

template <int COPIES_, int THREADS_, int PER_SM_>
struct shape {
    enum { COPIES = COPIES_, THREADS = THREADS_, PER_SM = PER_SM_ };
};

typedef shape<32, 512, 4> large;
typedef shape<8, 256, 1> small;

#ifndef EACH
#define EACH 2 /* vectors on their way a thread */
#endif

template <typename S>
static __device__ __forceinline__ void
add_word(unsigned *own, unsigned word)
{
    atomicAdd(&own[(word & 255) * S::COPIES], 1u);
    atomicAdd(&own[(word >> 8 & 255) * S::COPIES], 1u);
    atomicAdd(&own[(word >> 16 & 255) * S::COPIES], 1u);
    atomicAdd(&own[(word >> 24) * S::COPIES], 1u);
}

template <typename S>
static __device__ __forceinline__ void
add_vector(unsigned *own, uint4 v)
{
    add_word<S>(own, v.x);
    add_word<S>(own, v.y);
    add_word<S>(own, v.z);
    add_word<S>(own, v.w);
}

template <typename S>
__global__ void
__launch_bounds__(S::THREADS, S::PER_SM) count(const unsigned char *in, unsigned *bins, int n)
{
    enum { COPIES = S::COPIES, THREADS = S::THREADS };
    __shared__ unsigned copies[BINS * COPIES];
    unsigned *own = copies + threadIdx.x % COPIES;
    const uint4 *vectors = (const uint4 *)in;
    int wide = n / 16, step = gridDim.x * THREADS, i = blockIdx.x * THREADS + threadIdx.x;
    for (int k = threadIdx.x; k < BINS * COPIES; k += THREADS)
        copies[k] = 0;
    __syncthreads();
    for (; i + (EACH - 1) * step < wide; i += EACH * step) {
        uint4 v[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            v[j] = __ldcs(vectors + i + j * step);
#pragma unroll
        for (int j = 0; j < EACH; j++)
            add_vector<S>(own, v[j]);
    }
    for (; i < wide; i += step)
        add_vector<S>(own, vectors[i]);
    if (blockIdx.x == 0 && threadIdx.x < n % 16)
        atomicAdd(&own[in[wide * 16 + threadIdx.x] * COPIES], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        unsigned sum = 0;
#pragma unroll
        for (int k = 0; k < COPIES; k++) /* begun at another copy in each lane: another bank */
            sum += copies[bin * COPIES + (k + bin) % COPIES];
        if (sum)
            atomicAdd(&bins[bin], sum);
    }
}

template <typename S>
static void
launch_shape(const unsigned char *in, unsigned *bins, int n)
{
    static int room;
    if (!room) {
        int device, sms;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
        room = sms * S::PER_SM;
    }
    int wanted = suite_div_up(n, 16 * S::THREADS), blocks = wanted < room ? wanted : room;
    count<S><<<blocks, S::THREADS>>>(in, bins, n);
}

static void
launch(const unsigned char *in, unsigned *bins, int n)
{
    static int fits = -1;
    if (fits < 0)
        fits = suite_fits(count<large>, large::THREADS, 0);
    if (fits)
        launch_shape<large>(in, bins, n);
    else
        launch_shape<small>(in, bins, n);
}

int
main(int argc, char **argv)
{
    return histogram_main("histogram/copies", "a copy for every lane's bank", launch, argc, argv);
}
