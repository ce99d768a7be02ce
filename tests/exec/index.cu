/* SPDX-License-Identifier: Apache-2.0
 *
 * Indices that are sums of products, y * n + x and the like, on ways without branches
 * (analysis/products.c, versions/speculate.c): rows of 16, 32 and 64 threads, widths that are
 * negative, and so large that 32-bit arithmetic wraps for some warps and not for others. The array
 * is 16 GiB of which few pages are touched; each word that is read says where it is. Each result
 * beside the host's.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <vector>

struct sizes {
    int width, height; /* of what is computed */
    unsigned n;        /* words from row to row */
};

#define BOTH static inline __host__ __device__

/* Reads a word, or notes that the host must make it. */
struct reader {
    const unsigned *x;
    __host__ __device__ unsigned operator()(long long at) const { return x[at]; }
};

static std::vector<long long> places;
struct noter {
    unsigned operator()(long long at) const
    {
        places.push_back(at);
        return 0;
    }
};

/* Taps around a place, row by row: indices as whole numbers without a sign. */
template <class R> __host__ __device__ static inline unsigned
taps(int x, int y, sizes s, R at)
{
    unsigned sum = 0;
#pragma unroll
    for (int j = -1; j <= 1; j++)
#pragma unroll
        for (int i = -2; i <= 2; i++)
            if (x + i >= 0 && x + i < s.width && y + j >= 0 && y + j < s.height)
                sum = sum * 31 + at((unsigned)(y + j) * s.n + (unsigned)(x + i));
    return sum;
}

/* With a sign; the row counted from the last one, twice as far. */
template <class R> __host__ __device__ static inline unsigned
with_sign(int x, int y, sizes s, R at)
{
    unsigned sum = 0;
    int down = s.height - 1 - y;
    if (x > 0 && down < s.height)
        sum = at((int)((unsigned)down * s.n + (unsigned)x));
    if (x != 0 && down >= 1)
        sum = sum * 31 + at((int)((unsigned)(down - 1) * s.n + (unsigned)x - 1));
    if (x + 3 < s.width && y > 0)
        sum = sum * 31 + at((int)((unsigned)(2 * y - 1) * s.n + (unsigned)x + 3));
    if (2 * x + 1 < s.width)
        sum = sum * 31 + at((int)((unsigned)(2 * x + 1) - (unsigned)y * s.n));
    return sum;
}

/* Columns: neighbours n apart. */
template <class R> __host__ __device__ static inline unsigned
columns(int x, int y, sizes s, R at)
{
    unsigned sum = 0;
    if (x >= 1 && y < s.height)
        sum = at((unsigned)x * s.n + (unsigned)y);
    if (x >= 2 && y + 1 < s.height)
        sum = sum * 31 + at((unsigned)(x - 2) * s.n + (unsigned)y + 1);
    if (x + 1 < s.width && y >= 1)
        sum = sum * 31 + at((unsigned)(x + 1) * s.n - (unsigned)y);
    return sum;
}

#define KERNEL(name)                                                                               \
    __global__ void run_##name(unsigned *out, const unsigned *x, int width, int height,            \
                               unsigned n)                                                         \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;  \
        sizes s = {width, height, n};                                                              \
        if (i < width && j < height)                                                               \
            out[j * width + i] = name(i, j, s, reader{x});                                         \
    }
KERNEL(taps)
KERNEL(with_sign)
KERNEL(columns)

static int bad;
static unsigned *middle, *out; /* 8 GiB on both sides; as without a sign, from 8 GiB before it */

template <class F, class N, class K> static void
one(const char *name, K kernel, F reads, N notes, const unsigned *base, sizes s, dim3 block)
{
    places.clear();
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            notes(x, y, s);
    for (long long at : places)
        const_cast<unsigned *>(base)[at] = (unsigned)at * 2654435761u + 1;
    std::vector<unsigned> got(s.width * s.height);
    cudaMemset(out, 0xab, 4 * got.size());
    dim3 grid((s.width + block.x - 1) / block.x, (s.height + block.y - 1) / block.y);
    kernel<<<grid, block>>>(out, base, s.width, s.height, s.n);
    if (cudaMemcpy(got.data(), out, 4 * got.size(), cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("%s: failed\n", name);
        exit(1);
    }
    for (int k = 0; k < s.width * s.height && bad < 10; k++)
        if (got[k] != reads(k % s.width, k / s.width, s)) {
            printf("%s: %d x %d, n %u, block %u x %u: (%d, %d) is %u, not %u\n", name, s.width,
                   s.height, s.n, block.x, block.y, k % s.width, k / s.width, got[k],
                   reads(k % s.width, k / s.width, s));
            bad++;
        }
}

int
main()
{
    const size_t bytes = (size_t)16 << 30, more = 1 << 20;
    char *memory = (char *)mmap(NULL, bytes + 2 * more, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED ||
        cudaHostRegister(memory, bytes + 2 * more, cudaHostRegisterDefault) != cudaSuccess) {
        printf("skipped: no room for 16 GiB of addresses\n");
        return 0;
    }
    const unsigned *low = (unsigned *)(memory + more),
                   *mid = (unsigned *)(memory + more + bytes / 2);
    cudaMalloc(&out, 1 << 20);
    /* 2^32 / 16 + 1: sixteen rows on, all but the same place again; 2^31 / 24 + 1: past the sign
     * from row 24 on. */
    const unsigned n[] = {
        0, 1, 64, 77, 4096, (1u << 28) + 1, (1u << 31) / 24 + 1, 0x80000000u, 0u - 1, 0u - 100};
    const dim3 blocks[] = {dim3(16, 16), dim3(32, 8), dim3(64, 4)};
    for (unsigned k : n)
        for (const dim3 &block : blocks) {
            sizes s = {70, 49, k};
            one("taps", run_taps, [&](int x, int y, sizes z) { return taps(x, y, z, reader{low}); },
                [&](int x, int y, sizes z) { taps(x, y, z, noter()); }, low, s, block);
            one(
                "with_sign", run_with_sign,
                [&](int x, int y, sizes z) { return with_sign(x, y, z, reader{mid}); },
                [&](int x, int y, sizes z) { with_sign(x, y, z, noter()); }, mid, s, block);
            one(
                "columns", run_columns,
                [&](int x, int y, sizes z) { return columns(x, y, z, reader{low}); },
                [&](int x, int y, sizes z) { columns(x, y, z, noter()); }, low, s, block);
        }
    printf(bad || cudaDeviceSynchronize() != cudaSuccess ? "WRONG\n" : "right\n");
    return bad != 0;
}
