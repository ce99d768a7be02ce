// SPDX-License-Identifier: Apache-2.0
// Stores of transposes are kept back until lines are full (memory/columns.c): nobody may notice.
// Each thread writes a place of its own, or looks at what it has written; all of the output is
// compared with what the host computes, thread by thread, the words in between too.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct shape {
    int w, h, pitch,
        skip; // columns and rows of the input; words from column to column of the output
};

static __host__ __device__ unsigned mix(unsigned x) { return (x * 2654435761u) ^ (x >> 7); }

#define PLACE                                                                                      \
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

__global__ void plain(const unsigned *in, unsigned *out, unsigned *, shape s)
{
    PLACE;
    if (x < s.w && y < s.h)
        out[x * s.pitch + y + s.skip] = in[y * s.w + x];
}

__global__ void
backwards(const unsigned *in, unsigned *out, unsigned *, shape s) // columns, last first
{
    PLACE;
    if (x < s.w && y < s.h)
        out[(s.w - 1 - x) * s.pitch + y + s.skip] = in[y * s.w + x];
}

__global__ void
upside_down(const unsigned *in, unsigned *out, unsigned *, shape s) // words, last first
{
    PLACE;
    if (x < s.w && y < s.h)
        out[x * s.pitch + s.h - 1 - y + s.skip] = in[y * s.w + x];
}

__global__ void holes(const unsigned *in, unsigned *out, unsigned *, shape s) // some do not store
{
    PLACE;
    if (x < s.w && y < s.h && in[y * s.w + x] % 67)
        out[x * s.pitch + y + s.skip] = in[y * s.w + x];
}

__global__ void
every_third(const unsigned *in, unsigned *out, unsigned *, shape s) // whole warps do not
{
    PLACE;
    if (x < s.w && y < s.h && y % 3)
        out[x * s.pitch + y + s.skip] = in[y * s.w + x];
}

__global__ void
shuffled(const unsigned *in, unsigned *out, unsigned *, shape s) // one lane goes astray
{
    PLACE;
    int to = (x & 31) == 17 && x + 1 < s.w ? x + 1 : (x & 31) == 18 ? x - 1 : x;
    if (x < s.w && y < s.h)
        out[to * s.pitch + y + s.skip] = in[y * s.w + x];
}

__global__ void read_back(const unsigned *in, unsigned *out, unsigned *bad, shape s)
{
    PLACE;
    if (x >= s.w || y >= s.h)
        return;
    out[x * s.pitch + y + s.skip] = in[y * s.w + x];
    if (((volatile unsigned *)out)[x * s.pitch + y + s.skip] != in[y * s.w + x])
        atomicAdd(bad, 1u);
}

__global__ void
twice(const unsigned *in, unsigned *out, unsigned *, shape s) // the second one counts
{
    PLACE;
    if (x >= s.w || y >= s.h)
        return;
    unsigned v = in[y * s.w + x];
    out[x * s.pitch + y + s.skip] = 7;
    if (v % 5)
        out[x * s.pitch + y + s.skip] = v;
    else
        out[x * s.pitch + y + s.skip] = v + 1 - 1;
}

__global__ void
for_others(const unsigned *in, unsigned *out, unsigned *bad, shape s) // beyond a barrier
{
    PLACE;
    bool mine = x < s.w && y < s.h;
    if (mine)
        out[x * s.pitch + y + s.skip] = in[y * s.w + x];
    __syncthreads();
    int u = blockIdx.x * blockDim.x + (threadIdx.x + 5) % blockDim.x;
    int v = blockIdx.y * blockDim.y + (threadIdx.y + 3) % blockDim.y;
    if (u < s.w && v < s.h && out[u * s.pitch + v + s.skip] != in[v * s.w + u])
        bad[1] = 1;
}

__global__ void after_barrier(const unsigned *in, unsigned *out, unsigned *, shape s)
{
    __shared__ unsigned tile[1024];
    PLACE;
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    tile[t] = x < s.w && y < s.h ? in[y * s.w + x] : 0;
    __syncthreads();
    if (x < s.w && y < s.h)
        out[x * s.pitch + y + s.skip] = tile[t];
    tile[t ^ 1] = 0;
}

__global__ void wide(const unsigned *in, unsigned *out, unsigned *, shape s) // indices of 64 bits
{
    PLACE;
    if (x < s.w && y < s.h)
        out[(size_t)x * s.pitch + y + s.skip] = in[(size_t)y * s.w + x];
}

__global__ void unsigned_words(const unsigned *in, unsigned *out, unsigned *, shape s)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
             p = s.pitch;
    if (x < (unsigned)s.w && y < (unsigned)s.h)
        (out + (x * p << 1))[(int)(y + s.skip - x * p)] = in[y * s.w + x];
}

typedef void kernel(const unsigned *, unsigned *, unsigned *, shape);
static const struct {
    const char *name;
    kernel *run;
} kernels[] = {{"plain", plain},
               {"backwards", backwards},
               {"upside_down", upside_down},
               {"holes", holes},
               {"every_third", every_third},
               {"shuffled", shuffled},
               {"read_back", read_back},
               {"twice", twice},
               {"for_others", for_others},
               {"after_barrier", after_barrier},
               {"wide", wide},
               {"unsigned_words", unsigned_words}};

static void
expect(size_t k, const std::vector<unsigned> &in, std::vector<unsigned> &out, const shape &s)
{
    for (int y = 0; y < s.h; y++)
        for (int x = 0; x < s.w; x++) {
            unsigned v = in[(size_t)y * s.w + x];
            int to = k == 1 ? s.w - 1 - x : x, at = k == 2 ? s.h - 1 - y : y;
            if (k == 5)
                to = (x & 31) == 17 && x + 1 < s.w ? x + 1 : (x & 31) == 18 ? x - 1 : x;
            if ((k == 3 && v % 67 == 0) || (k == 4 && y % 3 == 0))
                continue;
            out[(size_t)to * s.pitch + at + s.skip] = v;
        }
}

static int test(size_t k, const shape &s, dim3 block)
{
    std::vector<unsigned> in((size_t)s.w * s.h),
        want((size_t)s.w * s.pitch + s.skip + 64, 0xdeadbeefu), got = want;
    unsigned *a, *b, *bad, count[2] = {0, 0};
    for (size_t n = 0; n < in.size(); n++)
        in[n] = mix((unsigned)n);
    expect(k, in, want, s);
    cudaMalloc(&a, in.size() * 4);
    cudaMalloc(&b, got.size() * 4);
    cudaMalloc(&bad, sizeof count);
    cudaMemcpy(a, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(b, got.data(), got.size() * 4, cudaMemcpyHostToDevice);
    cudaMemset(bad, 0, sizeof count);
    dim3 grid((s.w + block.x - 1) / block.x, (s.h + block.y - 1) / block.y);
    kernels[k].run<<<grid, block>>>(a, b, bad, s);
    cudaMemcpy(got.data(), b, got.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(count, bad, sizeof count, cudaMemcpyDeviceToHost);
    int wrong = count[0] + count[1] || cudaGetLastError() != cudaSuccess;
    for (size_t n = 0; n < got.size() && !wrong; n++)
        wrong |= got[n] != want[n];
    if (wrong)
        printf("%s, %d x %d, pitch %d + %d, block %u x %u: wrong\n", kernels[k].name, s.w, s.h,
               s.pitch, s.skip, block.x, block.y);
    cudaFree(a), cudaFree(b), cudaFree(bad);
    return wrong;
}

// The index of 32 bits wraps between the warps of a block: words 2^32 apart.
__global__ void wraps(const unsigned *in, unsigned *out, unsigned first, int pitch, int)
{
    PLACE;
    out[(unsigned)(x * pitch + y + first)] = in[y * 64 + x];
}

__global__ void wraps_signed(const unsigned *in, unsigned *out, unsigned first, int pitch, int n)
{
    PLACE;
    if (x < n)
        (out + (1ull << 31))[(int)(x * pitch + y + first)] = in[y * 64 + x];
}

static int test_wraps(bool is_signed, unsigned back, int pitch, dim3 block)
{
    const size_t words = 1ull << 32;
    const unsigned first = (is_signed ? 1u << 31 : 0u) - back;
    std::vector<unsigned> in(64 * 64);
    unsigned *a, *b, got;
    int wrong = 0;
    for (unsigned n = 0; n < in.size(); n++)
        in[n] = mix(n);
    if (cudaMalloc(&b, words * 4) != cudaSuccess)
        return cudaGetLastError(), 0; // no room on this machine
    cudaMalloc(&a, in.size() * 4);
    cudaMemcpy(a, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    (is_signed ? wraps_signed : wraps)<<<dim3(64 / block.x, 64 / block.y), block>>>(a, b, first,
                                                                                    pitch, 64);
    for (unsigned x = 0; x < 64; x++)
        for (unsigned y = 0; y < 64; y++) {
            unsigned i = x * pitch + y + first;
            size_t at = is_signed ? (size_t)((1ll << 31) + (int)i) : i;
            if (x % 9 && y % 9) // one by one is slow
                continue;
            cudaMemcpy(&got, b + at, 4, cudaMemcpyDeviceToHost);
            wrong += got != in[y * 64 + x];
        }
    if (wrong)
        printf("wraps, signed %d, %u before the end, pitch %d, block %u x %u: %d wrong\n",
               is_signed, back, pitch, block.x, block.y, wrong);
    cudaFree(a), cudaFree(b);
    return wrong;
}

int main()
{
    const dim3 blocks[] = {dim3(32, 32), dim3(16, 16), dim3(32, 8), dim3(64, 16),
                           dim3(16, 32), dim3(8, 32),  dim3(32, 3),  dim3(32, 4),
                           dim3(64, 8),  dim3(16, 8),  dim3(16, 4)};
    const shape shapes[] = {{128, 128, 128, 0}, {100, 70, 71, 0}, {33, 129, 129, 3},
                            {256, 32, 48, 16},  {64, 64, 80, 1},  {1, 1, 1, 0}};
    int wrong = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (const dim3 &block : blocks)
            for (const shape &s : shapes)
                wrong += test(k, s, block);
    // Past the caches: a launch of 4 Mi threads. Beside that, lines that overlap: 8 words a column.
    wrong += test(0, shape{2048, 2048, 2048, 0}, dim3(32, 32)) +
             test(0, shape{2048, 2048, 2048, 0}, dim3(16, 16));
    wrong += test(0, shape{2048, 2048, 2056, 8}, dim3(32, 32)) +
             test(0, shape{512, 8, 8, 0}, dim3(32, 8));
    wrong += test(0, shape{512, 16, 16, 0}, dim3(32, 16));
    for (int is_signed = 0; is_signed < 2; is_signed++)
        for (unsigned back : {5u, 64 * 15 + 5u, 64 * 31 + 3u, 64 * 31 + 12u,
                              64 * 63 + 21u}) // 31: the last lane first
            wrong += test_wraps(is_signed, back, 64, dim3(32, 32)) +
                     test_wraps(is_signed, back, 64, dim3(16, 16));
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
