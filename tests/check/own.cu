/* SPDX-License-Identifier: Apache-2.0
 *
 * Local memory: arrays that stay there since they are indexed by variables. What a lane has not
 * written or what is not its own is named; right kernels get right results, whatever the size of an
 * element.
 */
#include <cstdio>
#include <cstdlib>

enum { THREADS = 96, BLOCKS = 3, ROOM = 16 };

template <typename T>
__device__ T
turn(const int *in, int rounds)
{
    T own[ROOM];
    int t = blockIdx.x * THREADS + threadIdx.x;
    for (int k = 0; k < ROOM; k++)
        own[k] = (T)(k * t);
    for (int r = 0; r < rounds; r++) {
        int from = in[(r + threadIdx.x) % THREADS] & (ROOM - 1), to = in[r % THREADS] & (ROOM - 1);
        own[to] += own[from];
        if (t & 1)
            own[from] += (T)r;
    }
    T sum = 0;
    for (int k = 0; k < rounds && k < ROOM; k++)
        sum = (T)(3 * sum + own[k]);
    return sum;
}
__global__ void
good_sizes(const int *in, int rounds, long long *out)
{
    int t = blockIdx.x * THREADS + threadIdx.x;
    out[t] = turn<int>(in, rounds) + turn<signed char>(in, rounds) + turn<short>(in, rounds) +
             turn<long long>(in, rounds) + (long long)turn<double>(in, rounds);
}
/* Element `late` is written by odd lanes only, or by none. */
template <bool ALL>
__device__ int
some(int late, int rounds)
{
    int own[ROOM], sum = 0;
    for (int k = 0; k < ROOM; k++)
        if (ALL || k != late || threadIdx.x % 2)
            own[k] = k;
    for (int k = 0; k < rounds; k++)
        sum += own[k];
    return sum;
}
__global__ void
good_some(int late, int rounds, long long *out)
{
    out[blockIdx.x * THREADS + threadIdx.x] = some<true>(late, rounds);
}
__global__ void
bad_some(int late, int rounds, long long *out)
{
    out[blockIdx.x * THREADS + threadIdx.x] = some<false>(late, rounds);
}
/* A block's second kernel run finds what the first wrote, but it is not its own. */
__global__ void
bad_unset(int rounds, long long *out)
{
    int own[ROOM], sum = 0;
    for (int k = 1; k < rounds; k++)
        own[k] = k;
    for (int k = 0; k < rounds; k++)
        sum += own[k];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
__global__ void
bad_index_load(int rounds, long long *out)
{
    int own[ROOM], sum = 0;
    for (int k = 0; k < ROOM; k++)
        own[k] = k;
    for (int k = 0; k < rounds; k++)
        sum += own[k * (threadIdx.x == 40 ? 100000 : 1)];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}
__global__ void
bad_index_store(int rounds, long long *out)
{
    int own[ROOM], sum = 0;
    for (int k = 0; k < ROOM; k++)
        own[k] = k;
    for (int k = 0; k < rounds; k++)
        own[k + 100000 * (k / 8)] += 1;
    for (int k = 0; k < rounds; k++)
        sum += own[k];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

template <typename T>
static T
host_turn(const int *in, int rounds, int t)
{
    T own[ROOM];
    for (int k = 0; k < ROOM; k++)
        own[k] = (T)(k * t);
    for (int r = 0; r < rounds; r++) {
        int from = in[(r + t % THREADS) % THREADS] & (ROOM - 1), to = in[r % THREADS] & (ROOM - 1);
        own[to] += own[from];
        if (t & 1)
            own[from] += (T)r;
    }
    T sum = 0;
    for (int k = 0; k < rounds && k < ROOM; k++)
        sum = (T)(3 * sum + own[k]);
    return sum;
}

int
main()
{
    static int host[THREADS];
    static long long got[BLOCKS * THREADS];
    int *in, wrong = 0;
    long long *out;
    for (int k = 0; k < THREADS; k++)
        host[k] = k * 7 + k / 5;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof got);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    good_sizes<<<BLOCKS, THREADS>>>(in, 10, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < BLOCKS * THREADS; t++)
        wrong += got[t] != host_turn<int>(host, 10, t) + host_turn<signed char>(host, 10, t) +
                               host_turn<short>(host, 10, t) + host_turn<long long>(host, 10, t) +
                               (long long)host_turn<double>(host, 10, t);
    good_some<<<BLOCKS, THREADS>>>(5, ROOM, out);
    bad_some<<<BLOCKS, THREADS>>>(5, ROOM, out);
    bad_unset<<<BLOCKS, THREADS>>>(ROOM, out);
    bad_index_load<<<BLOCKS, THREADS>>>(ROOM, out);
    bad_index_store<<<BLOCKS, THREADS>>>(ROOM, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < BLOCKS * THREADS; t++) /* what was kept from it is still 8 .. 15 */
        wrong += got[t] != 28 + 8 + 92;
    if (wrong)
        printf("%d results are wrong\n", wrong);
    cudaFree(in), cudaFree(out);
    return 0;
}
