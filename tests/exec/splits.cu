// SPDX-License-Identifier: Apache-2.0
// Loads of what is selected lane by lane (values/split.c): a tile in shared memory or the array it
// is of, one of three arrays, places that only some lanes may touch, indices that wrap in the lanes
// that are selected, or in the others; and comparisons of the greater of two numbers
// (values/merge.c). The host computes the same thread by thread; memory ends where the arrays end.
#include "choose.h"

#include <cstdio>
#include <vector>

static unsigned failed;

static void
compare(const char *what, int a, int b, int n, const std::vector<float> &got,
        const std::vector<float> &want)
{
    for (size_t k = 0; k < want.size(); k++)
        if (got[k] != want[k] && failed++ < 20) {
            printf("%s %d x %d, n %d, element %zu: %g, not %g\n", what, a, b, n, k, got[k],
                   want[k]);
            break;
        }
    if (cudaGetLastError() != cudaSuccess && failed++ < 20)
        printf("%s %d x %d, n %d: an error\n", what, a, b, n);
}

static float *upload(const std::vector<float> &v)
{
    float *d;
    cudaMalloc(&d, v.size() * 4);
    cudaMemcpy(d, v.data(), v.size() * 4, cudaMemcpyHostToDevice);
    return d;
}

static std::vector<float> download(const float *d, size_t n)
{
    std::vector<float> v(n);
    cudaMemcpy(v.data(), d, n * 4, cudaMemcpyDeviceToHost);
    return v;
}

static std::vector<float> numbers(size_t n, int seed)
{
    std::vector<float> v(n);
    for (size_t k = 0; k < n; k++)
        v[k] = (float)((k * 7919 + seed) % 257);
    return v;
}

// 5 x 5 inputs around each output: within the block's tile of W x H from shared memory.
template <int W, int H> __global__ void box(const float *in, float *out, int n)
{
    __shared__ float s[H][W];
    int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * H + threadIdx.y;
    s[threadIdx.y][threadIdx.x] = x < n && y < n ? in[y * n + x] : 0;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) {
            int u = x + i - 2, v = y + j - 2, tu = threadIdx.x + i - 2, tv = threadIdx.y + j - 2;
            if (u < 0 || u >= n || v < 0 || v >= n)
                continue;
            sum += (i + 5 * j + 1) *
                   (tu >= 0 && tu < W && tv >= 0 && tv < H ? s[tv][tu] : in[v * n + u]);
        }
    if (x < n && y < n)
        out[y * n + x] = sum;
}

template <int W, int H> static void test_box(int n)
{
    std::vector<float> in = numbers((size_t)n * n, n), want((size_t)n * n, 0);
    float *din = upload(in), *dout = upload(want);
    box<W, H><<<dim3((n + W - 1) / W, (n + H - 1) / H), dim3(W, H)>>>(din, dout, n);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int j = 0; j < 5; j++)
                for (int i = 0; i < 5; i++) {
                    int u = x + i - 2, v = y + j - 2;
                    if (u >= 0 && u < n && v >= 0 && v < n)
                        want[y * n + x] += (i + 5 * j + 1) * in[v * n + u];
                }
    compare("box", W, H, n, download(dout, want.size()), want);
    cudaFree(din), cudaFree(dout);
}

// One of three rows, of which each is as long as the lanes that read it.
__global__ void three(const float *a, const float *b, const float *c, float *out, int from, int to)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = t < from ? a + t : t < to ? b + (t - from) : c + (t - to);
    out[t] = *p + 1;
}

static void test_three(int threads, int block, int from, int to)
{
    std::vector<float> a = numbers(from, 1), b = numbers(to - from, 2),
                       c = numbers(threads - to, 3), want(threads);
    float *da = upload(a), *db = upload(b), *dc = upload(c), *dout = upload(want);
    three<<<threads / block, block>>>(da, db, dc, dout, from, to);
    for (int t = 0; t < threads; t++)
        want[t] = 1 + (t < from ? a[t] : t < to ? b[t - from] : c[t - to]);
    compare("three", from, to, threads, download(dout, threads), want);
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dout);
}

template <int MID>
__global__ void
wrapped(const float *low, const float *high, float *out, unsigned mid, int turns)
{
    unsigned t = threadIdx.x;
    float sum = 0;
    if (turns == 1) { // where MID is known, so is all of the index
        out[t] = choose(low, high, t - (MID ? MID : mid), t < mid);
        return;
    }
    for (int k = 0; k < turns; k++)
        sum = sum * 3 + choose(low, high, t - (MID ? MID : mid) + k, t + k < mid);
    out[t] = sum;
}

template <int MID> static void test_wrapped(int threads, unsigned mid, int turns)
{
    std::vector<float> low = numbers(mid + 1, 5), high = numbers(threads + turns, 6), want(threads);
    float *dlow = upload(low), *dhigh = upload(high), *dout = upload(want);
    // low[0] is what the index 0 - mid, of 32 bits, stands for.
    const float *moved = (const float *)((unsigned long long)dlow - 4ull * (0u - mid));
    if (!mid)
        moved = dlow;
    wrapped<MID><<<1, threads>>>(moved, dhigh, dout, mid, turns);
    for (int t = 0; t < threads; t++)
        for (int k = 0; k < turns; k++)
            want[t] = want[t] * 3 + (t + k < (int)mid ? low[t + k] : high[t + k - mid]);
    compare("wrapped", MID, turns, (int)mid, download(dout, threads), want);
    cudaFree(dlow), cudaFree(dhigh), cudaFree(dout);
}

// A word for each row of threads, of which only the first rows' are there.
__global__ void
rows_of(const float *low, const float *high, float *out, unsigned long long apart, unsigned rows)
{
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
    const float *a = (const float *)((unsigned long long)low + threadIdx.y * apart);
    out[t] = choose(a, high + t, 0, threadIdx.x % 3 == 1 && threadIdx.y < rows);
}

static void test_rows_of(unsigned w, unsigned h, unsigned rows)
{
    unsigned long long apart = rows > 1 ? 4 : 1ull << 40;
    std::vector<float> low = numbers(rows + 1, 8), high = numbers(w * h, 9), want(w * h);
    float *dlow = upload(low), *dhigh = upload(high), *dout = upload(want);
    rows_of<<<1, dim3(w, h)>>>(dlow, dhigh, dout, apart, rows);
    for (unsigned t = 0; t < w * h; t++)
        want[t] = t % w % 3 == 1 && t / w < rows ? low[t / w] : high[t];
    compare("rows", (int)w, (int)h, (int)rows, download(dout, want.size()), want);
    cudaFree(dlow), cudaFree(dhigh), cudaFree(dout);
}

// What the compiler makes comparisons of the greater or lesser number of; signed and unsigned, and
// where adding wraps.
static __host__ __device__ unsigned ways(int x, int y, int n, unsigned m)
{
    int more = x > y ? x : y, less = x < y ? x : y;
    unsigned above = (unsigned)x > (unsigned)y ? x : y, below = (unsigned)x < (unsigned)y ? x : y;
    return (more < n) | (more <= n) << 1 | (more > n) << 2 | (more >= n) << 3 | (less < n) << 4 |
           (less <= n) << 5 | (less > n) << 6 | (less >= n) << 7 | (above < m) << 8 |
           (above <= m) << 9 | (above > m) << 10 | (above >= m) << 11 | (below < m) << 12 |
           (below <= m) << 13 | (below > m) << 14 | (below >= m) << 15;
}

__global__ void ways_of(float *out, int n, unsigned m, int base)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    int x = (int)((unsigned)base + threadIdx.x), y = (int)((unsigned)base + threadIdx.y * 3);
    float r = (float)ways(x, y, n, m);
    if ((x > y ? x : y) < n && (unsigned)(x > y ? x : y) < m)
        r = -r;
    out[t] = r;
}

static void test_ways(int n, unsigned m, int base)
{
    std::vector<float> want(256);
    float *d = upload(want);
    ways_of<<<1, dim3(16, 16)>>>(d, n, m, base);
    for (int t = 0; t < 256; t++) {
        int x = (int)((unsigned)base + t % 16), y = (int)((unsigned)base + t / 16 * 3);
        want[t] = (float)ways(x, y, n, m);
        if ((x > y ? x : y) < n && (unsigned)(x > y ? x : y) < m)
            want[t] = -want[t];
    }
    compare("ways", base, (int)m, n, download(d, 256), want);
    cudaFree(d);
}

int main()
{
    for (int n = 1; n < 70; n += 17) {
        test_box<16, 16>(n), test_box<32, 8>(n), test_box<8, 8>(n), test_box<20, 5>(n),
            test_box<64, 2>(n);
        test_box<16, 64>(n), test_box<32, 32>(n); // a tile that fills its page
    }
    for (int from = 0; from < 100; from += 9)
        for (int to = from; to < 128; to += 31)
            test_three(128, 64, from, to), test_three(128, 128, from, to);
    for (int threads = 32; threads <= 96; threads += 64) {
        test_wrapped<0>(threads, 20, 1), test_wrapped<20>(threads, 20, 1),
            test_wrapped<20>(threads, 20, 7);
        test_wrapped<0>(threads, 1, 3), test_wrapped<31>(threads, 31, 2),
            test_wrapped<32>(threads, 32, 2);
        test_wrapped<0>(threads, 16, 9), test_wrapped<16>(threads, 16, 1),
            test_wrapped<0>(threads, 40, 5);
    }
    for (unsigned rows = 0; rows < 4; rows++)
        test_rows_of(16, 8, rows), test_rows_of(8, 8, rows), test_rows_of(32, 4, rows),
            test_rows_of(20, 8, rows);
    for (int n = -2; n < 50; n += 7)
        for (int base = -20; base < 30; base += 5)
            test_ways(n, (unsigned)n + 3, base);
    test_ways(2147483647, 5, 2147483640), test_ways(-2147483640, 2147483644u, 2147483640);
    puts(failed ? "failed" : "passed");
    return failed != 0;
}
