// SPDX-License-Identifier: Apache-2.0
// Rows of threads that lie across warps: what coordinates decide is found to be one pattern where
// rows are as wide as the block (analysis/threads.c). Numbers and tiles of many widths in blocks of
// many shapes; the host computes the same thread by thread.
#include <cstdio>
#include <vector>

enum { NUMBERS = 16 };
struct place {
    int x, y, z;
};

// What a thread of these coordinates computes; the device's and the host's, which differ in
// nothing.
template <int X, int Y>
static __host__ __device__ void
numbers(place t, int n, unsigned big, long long *out)
{
    int row = t.x + X * t.y;
    out[0] = row;
    out[1] = n * 3 + 4 * t.x + 4 * X * t.y;
    out[2] = (unsigned long long)(big + (unsigned)row);        // wraps in some lanes
    out[3] = (long long)(int)(big / 2 + (unsigned)row);        // likewise, with a sign
    out[4] = -(long long)(t.x + X * t.y);
    out[5] = n > 3 ? row : row + 5;                            // of two, the same for all
    out[6] = t.x % 3 ? row : row + 1;                          // of two, lane by lane
    out[7] = t.x + X * t.y + X * Y * t.z;
    int v = row;
    for (int k = 0; k < n; k++)
        v += X;
    out[8] = v;
    v = row;
    for (int k = 0; k < t.x % 5; k++) // lanes leave the loop at different times
        v += X;
    out[9] = v;
    out[10] = (short)(row * 3000);
    out[11] = (unsigned char)(row + n);
    out[12] = (unsigned)(t.x - 2) + (unsigned long long)X * t.y;  // tid.x - 2 below zero
    out[13] = (long long)t.x * 8 + (long long)(8 * X) * t.y - 7 * t.x;
    out[14] = t.y * X - t.x;
    out[15] = t.x < 3 ? (long long)(t.x + X * t.y) * n : row;
}

template <int X, int Y> __global__ void make(int n, unsigned big, long long *out, int from)
{
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (t < from) // lane 0 of the first warp is not there
        return;
    numbers<X, Y>({(int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z}, n, big,
                  out + t * NUMBERS);
}

// A tile as wide as X: stored, then read beside and below, by some of the threads.
template <int X> static __host__ __device__ bool takes_part(place t, int from, int to)
{
    return t.x >= from && t.x < to && t.y >= from;
}

template <int X> __global__ void tile(const float *in, float *out, int n, int from, int to)
{
    extern __shared__ float s[];
    int x = threadIdx.x, y = threadIdx.y, rows = blockDim.y, t = x + blockDim.x * y;
    s[y * X + x] = x < n ? in[y * n + x] : -1;
    __syncthreads();
    float sum = 0;
    if (takes_part<X>({x, y, 0}, from, to)) {
        for (int k = 0; k < 3; k++)
            if (y + k < rows)
                sum = sum * 3 + s[(y + k) * X + x] * (k + 1);
        sum += s[y * X + (x ? x - 1 : 0)];
        out[y * n + x] = sum; // rows of the array, as wide as it is
    }
    __syncthreads();
    s[y * X + x] = sum + t;
    __syncthreads();
    if (y >= 1 && x + 1 < X)
        out[rows * n + t] = s[(y - 1) * X + x + 1 - 1] + s[y * X + x];
}

// One register, written by two instructions in turn: what coordinates decide of the one, they do
// not of the other, though in this block both are the same in all lanes (the search for what is
// known has to end).
__global__ void turns(unsigned *out, unsigned n)
{
    unsigned sum;
    asm volatile("{\n"
                 ".reg .pred odd, more;\n"
                 ".reg .u32 k, z, v, low, sum;\n"
                 "mov.u32 z, %%tid.z; mov.u32 k, %1; mov.u32 sum, 0;\n"
                 "AGAIN: and.b32 low, k, 1; setp.ne.u32 odd, low, 0;\n"
                 "@odd bra ODD;\n"
                 "mul.lo.u32 v, z, 1000; bra.uni ON;\n"
                 "ODD: sub.u32 v, z, z; add.u32 v, v, 5;\n"
                 "ON: add.u32 sum, sum, v; sub.u32 k, k, 1; setp.ne.u32 more, k, 0;\n"
                 "@more bra AGAIN;\n"
                 "mov.u32 %0, sum;\n"
                 "}"
                 : "=r"(sum)
                 : "r"(n));
    out[threadIdx.x] = sum + threadIdx.z;
}

static unsigned failed;

static void test_turns()
{
    unsigned *d, got[40];
    cudaMalloc(&d, sizeof got);
    turns<<<1, dim3(40, 1, 1)>>>(d, 9);
    cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 40; t++)
        if (got[t] != 25 && failed++ < 20)
            printf("turns, thread %d: %u\n", t, got[t]);
    cudaFree(d);
}

template <int X, int Y> static void test_numbers(dim3 block)
{
    size_t threads = block.x * block.y * block.z;
    std::vector<long long> got(threads * NUMBERS), want(threads * NUMBERS);
    long long *d;
    cudaMalloc(&d, got.size() * 8);
    for (int from = 0; from < 8; from += 7) {
        cudaMemset(d, 0, got.size() * 8);
        unsigned big = 0u - (unsigned)threads / 2;
        make<X, Y><<<1, block>>>(4, big, d, from);
        cudaMemcpy(got.data(), d, got.size() * 8, cudaMemcpyDeviceToHost);
        for (size_t t = 0; t < threads; t++) {
            place p = {(int)(t % block.x), (int)(t / block.x % block.y),
                       (int)(t / block.x / block.y)};
            if ((int)t >= from)
                numbers<X, Y>(p, 4, big, &want[t * NUMBERS]);
            for (int k = 0; (int)t >= from && k < NUMBERS; k++)
                if (want[t * NUMBERS + k] != got[t * NUMBERS + k] && failed++ < 20)
                    printf(
                        "rows of %d, block %u x %u x %u, thread %zu, number %d: %lld, not %lld\n",
                        X, block.x, block.y, block.z, t, k, got[t * NUMBERS + k],
                        want[t * NUMBERS + k]);
        }
    }
    cudaFree(d);
}

// As the kernel does it, phase by phase.
template <int X>
static void
host_tile(const std::vector<float> &in, std::vector<float> &out, dim3 block, int n, int from,
          int to)
{
    int w = block.x, rows = block.y;
    std::vector<float> s(X * rows + w), sums(w * rows);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < w; x++)
            s[y * X + x] = x < n ? in[y * n + x] : -1;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            if (!takes_part<X>({x, y, 0}, from, to))
                continue;
            for (int k = 0; k < 3 && y + k < rows; k++)
                sum = sum * 3 + s[(y + k) * X + x] * (k + 1);
            sum += s[y * X + (x ? x - 1 : 0)];
            out[y * n + x] = sums[y * w + x] = sum;
        }
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < w; x++)
            s[y * X + x] = sums[y * w + x] + (x + w * y);
    for (int y = 1; y < rows; y++)
        for (int x = 0; x < w && x + 1 < X; x++)
            out[rows * n + x + w * y] = s[(y - 1) * X + x] + s[y * X + x];
}

template <int X> static void test_tile(dim3 block)
{
    for (int n = block.x; n < (int)block.x + 9; n += 4)
        for (int from = 0; from < 4; from += 3) {
            int to = (int)block.x - from, count = n * block.y + block.x * block.y;
            std::vector<float> in(n * block.y), out(count), want(count);
            for (size_t k = 0; k < in.size(); k++)
                in[k] = (float)(k * 7 % 101);
            float *din, *dout;
            cudaMalloc(&din, in.size() * 4), cudaMalloc(&dout, count * 4);
            cudaMemcpy(din, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
            cudaMemset(dout, 0, count * 4);
            tile<X><<<1, block, (X * block.y + block.x) * 4>>>(din, dout, n, from, to);
            cudaMemcpy(out.data(), dout, count * 4, cudaMemcpyDeviceToHost);
            host_tile<X>(in, want, block, n, from, to);
            if ((cudaGetLastError() != cudaSuccess || out != want) && failed++ < 20)
                printf("tile of %d, block %u x %u, n %d, from %d: wrong\n", X, block.x, block.y, n,
                       from);
            cudaFree(din), cudaFree(dout);
        }
}

int main()
{
    test_numbers<20, 20>({20, 20});
    test_numbers<20, 3>({20, 3, 4});
    test_numbers<10, 10>({10, 10});
    test_numbers<7, 5>({7, 5, 3});
    test_numbers<7, 5>({7, 4, 3}); // as wide, but not as high
    test_numbers<33, 9>({33, 9});
    test_numbers<20, 20>({18, 18});
    test_numbers<1, 40>({1, 40, 2});
    test_numbers<50, 1>({50, 1, 3});
    test_numbers<16, 16>({16, 16});
    test_numbers<96, 2>({96, 2});
    test_turns();
    test_tile<20>({20, 20});
    test_tile<21>({20, 20});
    test_tile<18>({18, 18});
    test_tile<12>({12, 16});
    test_tile<7>({7, 9});
    test_tile<34>({34, 10});
    test_tile<16>({16, 8});
    puts(failed ? "failed" : "passed");
    return failed != 0;
}
