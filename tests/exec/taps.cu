// SPDX-License-Identifier: Apache-2.0
// Runs of conditions (versions/if_convert.c): taps of stencils that all hold, hold in some lanes or
// in none; conditions that follow from what a tap before them loaded, changed or stored; and what
// rows of a block decide of loads that select (values/rows.c): lanes side by side or not, rows
// above and below the tile. The host computes the same thread by thread; memory ends where the
// arrays end.
#include "choose.h"

#include <cstdio>
#include <vector>

static unsigned failed;

template <typename T>
static void
compare(const char *what, int a, int b, int n, const T *device, const std::vector<T> &want)
{
    std::vector<T> got(want.size());
    cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost);
    for (size_t k = 0; k < want.size(); k++)
        if (got[k] != want[k] && failed++ < 20) {
            printf("%s %d, %d, n %d, element %zu: %g, not %g\n", what, a, b, n, k, (double)got[k],
                   (double)want[k]);
            break;
        }
    if (cudaGetLastError() != cudaSuccess && failed++ < 20)
        printf("%s %d, %d, n %d: an error\n", what, a, b, n);
}

template <typename T> static T *upload(const std::vector<T> &v)
{
    T *d;
    cudaMalloc(&d, v.size() * sizeof(T));
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

template <typename T> static std::vector<T> numbers(size_t n, int seed)
{
    std::vector<T> v(n);
    for (size_t k = 0; k < n; k++)
        v[k] = (T)((k * 7919 + seed) % 257);
    return v;
}

// Conditions of the thread's place, of what was loaded, changed and stored; a[] and b[] are each
// thread's own.
static __host__ __device__ int
chain(const int *in, int *a, int *b, int t, int n, int low, int high, unsigned odd)
{
    int sum = 1, x = t, last = 0;
    for (int j = 0; j < 3; j++) {
        if (t + j >= low) {
            sum += in[t + j - low];
            b[0] ^= x; // x as it is before the next tap
        }
        if (t - j < high) {
            sum = sum * 3 + in[t];
            x += 2;
        }
        if (x < high + 4) // x is what the tap before made it
            a[0] = sum;
        if (t + j < n - 1)
            sum ^= a[0] + in[t + j];
        if ((unsigned)sum % 4 != odd) // what was loaded
            last += in[t];
        if (t >= low / 2) {
            int was = sum; // exchanged: neither may be written early
            sum = last;
            last = was;
        }
        if (t != high) {
            b[0] += sum;
            a[0] -= last & 7;
        }
    }
    return sum * 5 + last + x;
}

// Results are stored out of order, so that warps do not run together (versions/interleave.c).
static __host__ __device__ int place(int t)
{
    return (t & ~31) + (t * 5 & 31);
}

__global__ void
chains(const int *in, int *a, int *b, int *out, int n, int low, int high, unsigned odd)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        out[place(t)] = chain(in, a + t, b + t, t, n, low, high, odd);
}

// The same with tiles: a barrier before, no early return, 8 warps a block.
__global__ void
chains_after(const int *in, int *a, int *b, int *out, int n, int low, int high, unsigned odd)
{
    __shared__ int s[256];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[t];
    __syncthreads();
    out[place(t)] = chain(in, a + t, b + t, t, n, low, high, odd) + s[threadIdx.x ^ 1];
}

static void test_chains(int n, int low, int high, unsigned odd)
{
    int all = (n + 255) / 256 * 256;
    std::vector<int> in = numbers<int>(all + 8, 3), a = numbers<int>(all, 4),
                     b = numbers<int>(all, 5), want(all, 0);
    std::vector<int> a2 = a, b2 = b, want2(all, 0);
    int *din = upload(in), *da = upload(a), *db = upload(b), *dout = upload(want);
    chains<<<all / 256, 256>>>(din, da, db, dout, n, low, high, odd);
    for (int t = 0; t < n; t++)
        want[place(t)] = chain(in.data(), &a[t], &b[t], t, n, low, high, odd);
    compare("chains", low, high, n, dout, want);
    compare("a", low, high, n, da, a), compare("b", low, high, n, db, b);
    int *da2 = upload(a2), *db2 = upload(b2), *dout2 = upload(want2);
    chains_after<<<all / 256, 256>>>(din, da2, db2, dout2, all, low, high, odd);
    for (int t = 0; t < all; t++)
        want2[place(t)] = chain(in.data(), &a2[t], &b2[t], t, all, low, high, odd) + in[t ^ 1];
    compare("chains_after", low, high, n, dout2, want2);
    compare("a after", low, high, n, da2, a2), compare("b after", low, high, n, db2, b2);
    for (int *p : {din, da, db, dout, da2, db2, dout2})
        cudaFree(p);
}

// (2 R + 1)^2 taps, of a tile and of the array around it.
template <int R, int W, int H> __global__ void stencil(const float *in, float *out, int n, int m)
{
    __shared__ float s[H][W];
    int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * H + threadIdx.y;
    s[threadIdx.y][threadIdx.x] = x < n && y < m ? in[y * n + x] : 0;
    __syncthreads();
    float sum = 0;
    for (int j = -R; j <= R; j++)
#pragma unroll
        for (int i = -R; i <= R; i++) {
            int u = x + i, v = y + j, tu = threadIdx.x + i, tv = threadIdx.y + j;
            if (u < 0 || u >= n || v < 0 || v >= m)
                continue;
            sum += (i + 3 * j + 1) *
                   (tu >= 0 && tu < W && tv >= 0 && tv < H ? s[tv][tu] : in[v * n + u]);
        }
    if (x < n && y < m)
        out[y * n + x] = sum;
}

template <int R, int W, int H> static void test_stencil(int n, int m)
{
    std::vector<float> in = numbers<float>((size_t)n * m, n), want((size_t)n * m, 0);
    float *din = upload(in), *dout = upload(want);
    stencil<R, W, H><<<dim3((n + W - 1) / W, (m + H - 1) / H), dim3(W, H)>>>(din, dout, n, m);
    for (int y = 0; y < m; y++)
        for (int x = 0; x < n; x++)
            for (int j = -R; j <= R; j++)
                for (int i = -R; i <= R; i++)
                    if (x + i >= 0 && x + i < n && y + j >= 0 && y + j < m)
                        want[y * n + x] += (i + 3 * j + 1) * in[(y + j) * n + x + i];
    compare("stencil", R * 1000 + W, H, n, dout, want);
    cudaFree(din), cudaFree(dout);
}

// Lanes that a number of the text picks: side by side from the first one, from a later one, or not
// side by side; the rows of the tile that are picked begin and end where `from` and `to` say.
template <int A, int B, int C>
__global__ void
picks(const float *in, float *out, int n, int from, int to)
{
    __shared__ float s[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, t = blockIdx.x * 256 + ty * 16 + tx;
    s[ty][tx] = in[t] * 2;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 3; j++) {
        int row = ty + j - 1;
        if (t + j < n)
            sum += *((unsigned)(tx ^ A) < 7 && row >= from && row < to ? &s[row][tx] : &in[t]);
        if (t >= j)
            sum = sum * 2 + *((unsigned)(tx - B) < 16u && row >= from && row < to ? &s[row][tx - B]
                                                                                  : &in[t - j]);
        if (t + 2 * j < n)
            sum = sum + *((unsigned)(tx + C) < 16u && row >= from && row < to ? &s[row][tx + C]
                                                                              : &in[t + j]);
        sum = sum * 3;
        if (sum > 1e6f)
            sum -= 1e6f;
    }
    out[t] = sum;
}

template <int A, int B, int C> static void test_picks(int blocks, int n, int from, int to)
{
    std::vector<float> in = numbers<float>(blocks * 256, 9), want(blocks * 256, 0);
    float *din = upload(in), *dout = upload(want);
    picks<A, B, C><<<blocks, dim3(16, 16)>>>(din, dout, n, from, to);
    for (int t = 0; t < blocks * 256; t++) {
        int tx = t % 16, ty = t / 16 % 16, first = t / 256 * 256;
        float sum = 0;
        for (int j = 0; j < 3; j++) {
            int row = ty + j - 1;
            bool is = row >= from && row < to;
            const float *s = &in[first];
            if (t + j < n)
                sum += (tx ^ A) < 7 && is ? 2 * s[row * 16 + tx] : in[t];
            if (t >= j)
                sum = sum * 2 +
                      (tx - B >= 0 && tx - B < 16 && is ? 2 * s[row * 16 + tx - B] : in[t - j]);
            if (t + 2 * j < n)
                sum = sum + (tx + C < 16 && is ? 2 * s[row * 16 + tx + C] : in[t + j]);
            sum = sum * 3;
            if (sum > 1e6f)
                sum -= 1e6f;
        }
        want[t] = sum;
    }
    compare("picks", A * 10000 + B * 100 + C, from * 100 + to, n, dout, want);
    cudaFree(din), cudaFree(dout);
}

__global__ void
wraps(const float *low, const float *high, float *out, unsigned mid, int n, int turns)
{
    unsigned t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < turns; k++) {
        if ((int)t < n)
            sum = sum * 3 + choose(low, high, t - mid + k, t + k < mid);
        if ((int)t + k < n)
            sum = sum + choose(low, high, t - mid + k, t + k < mid);
        if ((int)t - k < n)
            sum = sum * 2 + choose(low, high, t - mid, t < mid);
    }
    out[place(t)] = sum;
}

static void test_wraps(int threads, unsigned mid, int n, int turns)
{
    std::vector<float> low = numbers<float>(mid + 1, 5), high = numbers<float>(threads + turns, 6),
                       want(threads, 0);
    float *dlow = upload(low), *dhigh = upload(high), *dout = upload(want);
    // low[0] is what the index 0 - mid, of 32 bits, stands for.
    const float *moved = mid ? (const float *)((unsigned long long)dlow - 4ull * (0u - mid)) : dlow;
    wraps<<<1, threads>>>(moved, dhigh, dout, mid, n, turns);
    for (int t = 0; t < threads; t++) {
        float sum = 0;
        for (int k = 0; k < turns; k++) {
            float v = t + k < (int)mid ? low[t + k] : high[t + k - mid],
                  w = t < (int)mid ? low[t] : high[t - mid];
            sum = t < n ? sum * 3 + v : sum;
            sum = t + k < n ? sum + v : sum;
            sum = t - k < n ? sum * 2 + w : sum;
        }
        want[place(t)] = sum;
    }
    compare("wraps", (int)mid, turns, n, dout, want);
    cudaFree(dlow), cudaFree(dhigh), cudaFree(dout);
}

// Bits of both numbers decide: below a power of two if both are.
static __host__ __device__ unsigned bits(unsigned x, unsigned y)
{
    return ((x | y) < 16) | ((x | y) > 15) << 1 | ((x | y) >= 8) << 2 | ((x | y) <= 7) << 3 |
           ((x | y) < 1) << 4 | ((x | y) < 12) << 5 | ((int)(x | y) < 16) << 6 |
           ((x | y) <= 0x7fffffffu) << 7;
}

__global__ void bits_of(unsigned *out, int base, int scale)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    unsigned x = base + threadIdx.x, y = base + threadIdx.y * scale, r = bits(x, y);
    if ((x | y) < 16)
        r += 1000;
    if ((x | y) > 7)
        r *= 3;
    if ((x | threadIdx.y) >= 8)
        r += 5;
    out[t] = r;
}

static void test_bits(int base, int scale)
{
    std::vector<unsigned> want(256, 0);
    unsigned *d = upload(want);
    bits_of<<<1, dim3(16, 16)>>>(d, base, scale);
    for (unsigned t = 0; t < 256; t++) {
        unsigned x = base + t % 16, y = base + t / 16 * scale, r = bits(x, y);
        if ((x | y) < 16)
            r += 1000;
        if ((x | y) > 7)
            r *= 3;
        if ((x | t / 16) >= 8)
            r += 5;
        want[t] = r;
    }
    compare("bits", base, scale, 256, d, want);
    cudaFree(d);
}

int main()
{
    for (unsigned mid = 0; mid < 70; mid += 5)
        test_wraps(96, mid, 200, 3), test_wraps(96, mid, 70, 4), test_wraps(64, mid, 65, 1);
    for (int base = -20; base < 20; base += 3)
        for (int scale = -1; scale < 4; scale++)
            test_bits(base, scale), test_bits(base + 0x7fffffe0, scale);
    for (int n = 31; n < 900; n += 217)
        for (int low = 0; low < 3; low++)
            for (int high = n - 40; high <= n + 3; high += 21)
                test_chains(n, low * 33, high, (unsigned)high % 4);
    for (int n = 16; n <= 80; n += 16)
        for (int d = -1; d <= 1; d++) {
            test_stencil<1, 16, 16>(n + d, 48), test_stencil<2, 16, 16>(n, 48 + d),
                test_stencil<3, 16, 16>(n + d, n);
            test_stencil<2, 32, 8>(n + d, n + d), test_stencil<2, 8, 16>(n, n + d),
                test_stencil<1, 16, 64>(n, 70 + d);
        }
    for (int from = 0; from < 3; from++)
        for (int to = 14; to <= 16; to++) {
            test_picks<0, 0, 0>(3, 768, from, to), test_picks<5, 1, 2>(3, 768, from, to);
            test_picks<8, 3, 15>(2, 500, from, to), test_picks<15, 15, 1>(2, 512, from, to);
        }
    puts(failed ? "failed" : "passed");
    return failed != 0;
}
