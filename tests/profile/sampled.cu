// SPDX-License-Identifier: Apache-2.0
// Grids of many rounds: blocks alike (copy, transpose with shared memory), blocks that do unlike
// work along the grid (growing, hashed, stripes), blocks that wait for each other, that launch, a
// graph. Results are compared with the host's.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int THREADS = 256;

__device__ unsigned
mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

__global__ void
copy(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i] + 1;
}

__global__ void
turned(const int *in, int *out)
{
    __shared__ int tile[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[THREADS - 1 - threadIdx.x];
}

__device__ int
walk(const int *in, int i, unsigned turns)
{
    int sum = 0;
    for (unsigned k = 0; k < turns; k++)
        sum += in[i + k * 32];
    return sum;
}

// Turns: 1 to 32, rising along the grid.
__global__ void
growing(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = walk(in, i, 1 + blockIdx.x * 31u / gridDim.x);
}

// 1 to 32, as a hash of the block has it.
__global__ void
hashed(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = walk(in, i, 1 + mixed(blockIdx.x) % 32);
}

// Every 37th run of 512 blocks has 32.
__global__ void
stripes(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = walk(in, i, blockIdx.x / 512 % 37 == 0 ? 32 : 1);
}

__global__ void
count(unsigned *at)
{
    if (threadIdx.x == 0)
        atomicAdd(at, 1u);
}

__global__ void
child(unsigned *at)
{
    atomicAdd(at, 1u);
}

__global__ void
parent(unsigned *at)
{
    if (threadIdx.x == 0 && blockIdx.x % 1024 == 0)
        child<<<1, 32>>>(at);
}

__global__ void
waiting(unsigned *at)
{
    atomicAdd(at, 1u);
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        at[1] = at[0];
}

__global__ void __cluster_dims__(2, 1, 1) clusters(unsigned *at)
{
    if (threadIdx.x == 0)
        atomicAdd(at, 1u);
}

// One block of those that are not counted writes where no memory is.
__global__ void
faulty(int *out)
{
    if (blockIdx.x == gridDim.x / 2)
        out[1ll << 40] = 1;
}

static int wrong;

static void
say(const char *name, bool good)
{
    if (!good)
        printf("%s: wrong\n", name);
    wrong += !good;
}

static void
equal(const char *name, unsigned *at, unsigned n)
{
    unsigned found[2];
    cudaMemcpy(found, at, sizeof found, cudaMemcpyDefault);
    say(name, cudaGetLastError() == cudaSuccess && found[0] == n);
}

int
main(int argc, char **argv)
{
    int blocks = argc > 1 ? atoi(argv[1]) : 60000;
    size_t n = (size_t)blocks * THREADS, room = n + 32 * 32;
    std::vector<int> in(room), out(n);
    int *a, *b;
    unsigned *at;
    for (size_t k = 0; k < room; k++)
        in[k] = (int)(k * 7 % 1013);
    cudaMalloc(&a, room * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMalloc(&at, 8);
    cudaMemcpy(a, in.data(), room * sizeof *a, cudaMemcpyDefault);

    auto walked = [&](const char *name, auto turns) {
        cudaMemcpy(out.data(), b, n * sizeof *b, cudaMemcpyDefault);
        bool good = true;
        for (size_t i = 0; i < n; i += 61) {
            int sum = 0;
            for (unsigned k = 0; k < turns((unsigned)(i / THREADS)); k++)
                sum += in[i + k * 32];
            good = good && out[i] == sum;
        }
        say(name, good);
    };
    auto hash = [](unsigned x) {
        x = (x ^ x >> 16) * 0x45d9f3bu;
        x = (x ^ x >> 16) * 0x45d9f3bu;
        return x ^ x >> 16;
    };
    copy<<<blocks, THREADS>>>(a, b);
    cudaMemcpy(out.data(), b, n * sizeof *b, cudaMemcpyDefault);
    bool good = true;
    for (size_t i = 0; i < n; i++)
        good = good && out[i] == in[i] + 1;
    say("copy", good);
    turned<<<blocks, THREADS>>>(a, b);
    cudaMemcpy(out.data(), b, n * sizeof *b, cudaMemcpyDefault);
    good = true;
    for (size_t i = 0; i < n; i++)
        good = good && out[i] == in[i / THREADS * THREADS + THREADS - 1 - i % THREADS];
    say("turned", good);
    growing<<<blocks, THREADS>>>(a, b);
    walked("growing", [&](unsigned block) { return 1 + block * 31u / blocks; });
    hashed<<<blocks, THREADS>>>(a, b);
    walked("hashed", [&](unsigned block) { return 1 + hash(block) % 32; });
    stripes<<<blocks, THREADS>>>(a, b);
    walked("stripes", [](unsigned block) { return block / 512 % 37 == 0 ? 32u : 1u; });
    cudaMemset(at, 0, 8);
    count<<<blocks, THREADS>>>(at);
    equal("count", at, blocks);
    cudaMemset(at, 0, 8);
    parent<<<blocks, THREADS>>>(at);
    equal("parent", at, (blocks + 1023) / 1024 * 32);
    cudaMemset(at, 0, 8);
    void *arguments[] = {&at};
    cudaLaunchCooperativeKernel((void *)waiting, 132, THREADS, arguments);
    equal("waiting", at, 132 * THREADS);
    cudaMemset(at, 0, 8);
    clusters<<<blocks / 2 * 2, THREADS>>>(at);
    equal("clusters", at, blocks / 2 * 2);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamCreate(&stream);
    cudaMemset(at, 0, 8);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    count<<<blocks, THREADS, 0, stream>>>(at);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    cudaGraphLaunch(run, stream);
    cudaStreamSynchronize(stream);
    equal("graph", at, blocks);
    if (argc > 2) {
        faulty<<<blocks, THREADS>>>(b);
        cudaError_t error = cudaDeviceSynchronize();
        printf("faulty: %s\n", cudaGetErrorName(error));
        say("faulty", error == cudaErrorIllegalAddress);
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
