// SPDX-License-Identifier: Apache-2.0
// Reductions to global memory are combined before they get there: nobody may notice. Every kernel
// looks at what it has added in another way; the answers are computed on the host.
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 1 << 16, BINS = 300, WIDE = 1 << 20, BLOCK = 256, GRID = 37 };

__device__ unsigned counter;

static __host__ __device__ unsigned mix(unsigned x) { return (x * 2654435761u) ^ (x >> 7); }

__global__ void histogram(const unsigned *in, unsigned *out, int n) // what everybody writes
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&out[in[i] % BINS], 1u);
}

__global__ void own(unsigned *out, unsigned *bad, int rounds) // a thread reads what it has added
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 1; k <= rounds; k++) {
        atomicAdd(&out[i], 3u);
        if (out[i] != 3u * k)
            atomicAdd(bad, 1u);
    }
}

__global__ void exchange(unsigned *out, unsigned *bad) // other threads of the block read it
{
    int i = blockIdx.x * blockDim.x, t = threadIdx.x;
    for (int k = 1; k <= 5; k++) {
        atomicAdd(&out[i + (t * 7 + k) % blockDim.x], (unsigned)t + 1);
        __syncthreads();
        if (k == 5 && t == 0) {
            unsigned sum = 0;
            for (int j = 0; j < blockDim.x; j++)
                sum += out[i + j];
            if (sum != 5 * blockDim.x * (blockDim.x + 1) / 2)
                atomicAdd(bad, 1u);
        }
        __syncthreads();
    }
}

__global__ void
last_block(const unsigned *in, unsigned *bins, unsigned *total, int n) // across blocks
{
    __shared__ bool last;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i] % BINS], 1u);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&counter, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int k = 0; k < BINS; k++)
            *total += ((volatile unsigned *)bins)[k];
}

__global__ void other_operations(unsigned *out, unsigned *bad) // in program order at one place
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[i], 10u);
    atomicMax(&out[i], 7u);
    atomicAdd(&out[i], 5u);
    unsigned old = atomicExch(&out[i], 100u);
    atomicAdd(&out[i], 1u);
    atomicXor(&out[i], 4u);
    if (old != 15)
        atomicAdd(bad, 1u);
    atomicAdd(&out[i], 1u);
    out[i] *= 2;
    atomicAdd(&out[i], (unsigned)-3);
}

__global__ void scatter(unsigned *out, int n) // no window holds it
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&out[mix(i) % WIDE], i & 1 ? 2u : 1u);
}

static int failures;

static unsigned *zeros(size_t n)
{
    unsigned *p;
    cudaMalloc(&p, n * sizeof *p);
    cudaMemset(p, 0, n * sizeof *p);
    return p;
}

static std::vector<unsigned> fetch(const unsigned *p, size_t n)
{
    std::vector<unsigned> v(n);
    if (cudaMemcpy(v.data(), p, n * sizeof *p, cudaMemcpyDeviceToHost) != cudaSuccess)
        failures++;
    return v;
}

static void
same(const char *what, const std::vector<unsigned> &found, const std::vector<unsigned> &wanted)
{
    for (size_t k = 0; k < wanted.size(); k++)
        if (found[k] != wanted[k]) {
            printf("%s: [%zu] is %u, not %u\n", what, k, found[k], wanted[k]);
            failures++;
            return;
        }
}

int main()
{
    std::vector<unsigned> in(N), bins(BINS), wide(WIDE);
    for (int i = 0; i < N; i++) {
        in[i] = mix(i);
        bins[in[i] % BINS]++;
        wide[mix(i) % WIDE] += i & 1 ? 2 : 1;
    }
    unsigned *d_in = zeros(N), *bad = zeros(1), *d;
    cudaMemcpy(d_in, in.data(), N * sizeof in[0], cudaMemcpyHostToDevice);

    d = zeros(BINS);
    histogram<<<GRID, BLOCK>>>(d_in, d, N);
    same("histogram", fetch(d, BINS), bins);
    d = zeros(GRID * 200);
    own<<<GRID, 200>>>(d, bad, 40);
    same("own", fetch(d, GRID * 200), std::vector<unsigned>(GRID * 200, 120));
    d = zeros(GRID * 200);
    exchange<<<GRID, 200>>>(d, bad);
    unsigned *total = zeros(1);
    d = zeros(BINS);
    last_block<<<GRID, BLOCK>>>(d_in, d, total, N);
    same("last block's bins", fetch(d, BINS), bins);
    same("last block", fetch(total, 1), {N});
    d = zeros(GRID * 200);
    other_operations<<<GRID, 200>>>(d, bad);
    same("other operations", fetch(d, GRID * 200),
         std::vector<unsigned>(GRID * 200, 2 * ((101 ^ 4) + 1) - 3));
    d = zeros(WIDE);
    scatter<<<N / BLOCK, BLOCK>>>(d, N);
    same("scatter", fetch(d, WIDE), wide);
    same("bad", fetch(bad, 1), {0});
    printf("%s\n", failures ? "FAILED" : "ok");
    return failures != 0;
}
