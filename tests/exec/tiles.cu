// SPDX-License-Identifier: Apache-2.0
// Tiles of shared memory read by columns, by warps that run together (memory/tile.c): what each
// thread reads is compared with what the host computes, for pitches, blocks, offsets and steps for
// which four columns at once are right, and for such for which they are not.
#include <cstdio>
#include <vector>

enum { ROOM = 6000 };

static __host__ __device__ unsigned mix(unsigned x) { return (x * 2654435761u) ^ (x >> 7); }

// Where thread (x, y) of a block reads in turn j.
struct at {
    int row, column, start, turn; // words
};

template <int PITCH, int STEP, int FROM>
__global__ void fixed(unsigned *out, at, int turns, unsigned)
{
    __shared__ unsigned tile[ROOM];
    for (int t = threadIdx.y * blockDim.x + threadIdx.x; t < ROOM; t += blockDim.x * blockDim.y)
        tile[t] = mix(t);
    __syncthreads();
    for (int j = 0; j < turns; j++)
        out[((blockIdx.x * turns + j) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] =
            tile[threadIdx.x * PITCH + threadIdx.y * STEP + j * blockDim.y + FROM];
}

__global__ void known_late(unsigned *out, at a, int turns, unsigned)
{
    __shared__ unsigned tile[ROOM];
    for (int t = threadIdx.y * blockDim.x + threadIdx.x; t < ROOM; t += blockDim.x * blockDim.y)
        tile[t] = mix(t);
    __syncthreads();
    for (int j = 0; j < turns; j++)
        out[((blockIdx.x * turns + j) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] =
            tile[threadIdx.x * 33 + threadIdx.y * a.column + j * a.turn + a.start];
}

// The column wraps below 2^32 between warps: 32 bits of an index that only then becomes an address.
__global__ void wraps(unsigned *out, at a, int turns, unsigned big)
{
    __shared__ unsigned tile[ROOM];
    for (int t = threadIdx.y * blockDim.x + threadIdx.x; t < ROOM; t += blockDim.x * blockDim.y)
        tile[t] = mix(t);
    __syncthreads();
    for (int j = 0; j < turns; j++) {
        unsigned column = threadIdx.y + big; // big: 2^32 - 7
        out[((blockIdx.x * turns + j) * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] =
            (tile + threadIdx.x * 33 + j * a.turn + 7)[(int)column];
    }
}

// Rows that are written between the columns' loads, and what is stored goes on to be added up.
__global__ void changing(unsigned *out, at a, int turns, unsigned)
{
    __shared__ unsigned tile[32][33];
    unsigned v = threadIdx.y * 77 + threadIdx.x;
    for (int j = 0; j < turns; j++) {
        for (int r = threadIdx.y; r < 32; r += blockDim.y)
            tile[r][threadIdx.x % 32] = v + r * 1000 + j;
        __syncthreads();
        v = v * 3 + tile[threadIdx.x % 32][threadIdx.y];
        __syncthreads();
    }
    out[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = v;
}

static std::vector<unsigned>
run(void (*kernel)(unsigned *, at, int, unsigned), at a, int turns, dim3 block, size_t words)
{
    std::vector<unsigned> got(words);
    unsigned *out;
    cudaMalloc(&out, words * 4);
    cudaMemset(out, 0xee, words * 4);
    kernel<<<3, block>>>(out, a, turns, (unsigned)-7);
    cudaMemcpy(got.data(), out, words * 4, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return got;
}

static int wrong;

static void test(const char *name, void (*kernel)(unsigned *, at, int, unsigned), at a, dim3 block)
{
    const int turns = 2;
    std::vector<unsigned> got = run(kernel, a, turns, block, 3ull * turns * block.x * block.y);
    int bad = cudaGetLastError() != cudaSuccess;
    for (unsigned n = 0; n < got.size(); n++) {
        unsigned x = n % block.x, y = n / block.x % block.y, j = n / block.x / block.y % turns;
        bad +=
            got[n] != mix(x * a.row + y * a.column + j * (a.turn < 0 ? block.y : a.turn) + a.start);
    }
    if (bad)
        printf("%s, block %u x %u: %d wrong\n", name, block.x, block.y, bad);
    wrong += bad;
}

static void test_changing(dim3 block)
{
    const int turns = 5;
    std::vector<unsigned> got = run(changing, at(), turns, block, 3ull * block.x * block.y),
                          v(block.x * block.y);
    std::vector<unsigned> tile(32 * 32);
    for (unsigned y = 0; y < block.y; y++)
        for (unsigned x = 0; x < block.x; x++)
            v[y * block.x + x] = y * 77 + x;
    for (int j = 0; j < turns; j++) {
        for (unsigned y = 0; y < block.y; y++)
            for (unsigned r = y; r < 32; r += block.y)
                for (unsigned x = 0; x < block.x; x++)
                    tile[r * 32 + x] = v[y * block.x + x] + r * 1000 + j;
        for (unsigned y = 0; y < block.y; y++)
            for (unsigned x = 0; x < block.x; x++)
                v[y * block.x + x] = v[y * block.x + x] * 3 + tile[x * 32 + y];
    }
    int bad = 0;
    for (unsigned n = 0; n < got.size(); n++)
        bad += got[n] != v[n % v.size()];
    if (bad)
        printf("changing, block %u x %u: %d wrong\n", block.x, block.y, bad);
    wrong += bad;
}

int main()
{
    for (dim3 block : {dim3(32, 32), dim3(32, 16), dim3(32, 8), dim3(32, 4), dim3(32, 3),
                       dim3(64, 8), dim3(16, 16), dim3(32, 4, 2), dim3(20, 20)}) {
        if (block.z == 1) {
            test("32", fixed<32, 1, 0>, {32, 1, 0, -1}, block);
            test("33", fixed<33, 1, 0>, {33, 1, 0, -1}, block);
            test("33 from 5", fixed<33, 1, 5>, {33, 1, 5, -1}, block);
            test("36", fixed<36, 1, 0>, {36, 1, 0, -1}, block);
            test("4", fixed<4, 1, 0>, {4, 1, 0, -1}, block);
            test("3", fixed<3, 1, 0>, {3, 1, 0, -1}, block);
            test("33, every second", fixed<33, 2, 0>, {33, 2, 0, -1}, block);
            test("33, backwards", fixed<33, -1, 40>, {33, -1, 40, -1}, block);
            for (int column : {-1, 0, 1, 2, 33})
                test("known late", known_late, {33, column, 40, 3}, block);
            test("wraps", wraps, {33, 1, 0, 5}, block);
            if (block.x == 32)
                test_changing(block);
        }
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
