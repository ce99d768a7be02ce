/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors that begin a few words apart (post/window.c): windows of many lengths from global and
 * from shared memory, in steps, with gaps, with stores in between, as numbers of two types; arrays
 * that end with the last word before memory that must not be touched. Each result beside the
 * host's.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <vector>

enum { THREADS = 256 };

/* COUNT words, STEP apart. */
template <int COUNT, int STEP> __global__ void
words(const unsigned *in, unsigned *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        sum = sum * 31 + in[i + k * STEP];
    out[i] = sum;
}

/* From a tile that the block has just filled. */
template <int COUNT, int STEP> __global__ void
tile(const unsigned *in, unsigned *out)
{
    enum { HALO = (COUNT - 1) * STEP };
    __shared__ unsigned s[THREADS + HALO];
    int first = blockIdx.x * THREADS, t = threadIdx.x;
    for (int i = t; i < THREADS + HALO; i += THREADS)
        s[i] = in[first + i];
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        sum = sum * 31 + s[t + k * STEP];
    out[first + t] = sum;
}

/* Each store is seen by what is loaded behind it, and by nothing before. */
template <int COUNT, int STEP> __global__ void
between(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[2 * THREADS];
    int first = blockIdx.x * THREADS, t = threadIdx.x;
    s[t] = in[first + t];
    s[t + THREADS] = in[first + t + 1] * 3;
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        sum = sum * 31 + s[t + k] + s[t + 2 * k + 1];
        if (k % 3 == 2) {
            __syncthreads();
            s[t + k] = sum;
            __syncthreads();
        }
    }
    out[first + t] = sum;
}

/* The same words as two types. */
template <int COUNT, int STEP> __global__ void
types(const unsigned *in, unsigned *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    const float *f = (const float *)in;
    unsigned sum = 0;
    float last = 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        last = f[i + k * STEP] * 0.5f + last;
        sum = sum * 31 + in[i + k * STEP + 1];
    }
    out[i] = sum ^ __float_as_uint(last);
}

static unsigned
as_bits(float f)
{
    unsigned u;
    memcpy(&u, &f, 4);
    return u;
}

static void
expect_words(const unsigned *in, unsigned *want, int n, int count, int step)
{
    for (int i = 0; i < n; i++) {
        want[i] = 0;
        for (int k = 0; k < count; k++)
            want[i] = want[i] * 31 + in[i + k * step];
    }
}

static void
expect_between(const unsigned *in, unsigned *want, int n, int count)
{
    for (int first = 0; first < n; first += THREADS) {
        std::vector<unsigned> s(2 * THREADS), sum(THREADS);
        for (int t = 0; t < THREADS; t++) {
            s[t] = in[first + t];
            s[t + THREADS] = in[first + t + 1] * 3;
        }
        for (int k = 0; k < count; k++) {
            for (int t = 0; t < THREADS; t++)
                sum[t] = sum[t] * 31 + s[t + k] + s[t + 2 * k + 1];
            for (int t = 0; t < THREADS && k % 3 == 2; t++)
                s[t + k] = sum[t];
        }
        memcpy(want + first, sum.data(), 4 * THREADS);
    }
}

static void
expect_types(const unsigned *in, unsigned *want, int n, int count, int step)
{
    for (int i = 0; i < n; i++) {
        unsigned sum = 0;
        float last = 0, f;
        for (int k = 0; k < count; k++) {
            memcpy(&f, in + i + k * step, 4);
            last = f * 0.5f + last; /* exact: the same with one rounding or two */
            sum = sum * 31 + in[i + k * step + 1];
        }
        want[i] = sum ^ as_bits(last);
    }
}

static int bad;
static unsigned *end_of_array, *out;

static void
compare(const char *name, int count, int step, int n, const std::vector<unsigned> &want)
{
    std::vector<unsigned> got(n);
    cudaError_t e = cudaMemcpy(got.data(), out, 4 * n, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        printf("%s<%d, %d>: %s\n", name, count, step, cudaGetErrorString(e));
        exit(1);
    }
    for (int i = 0; i < n && bad < 10; i++)
        if (got[i] != want[i]) {
            printf("%s<%d, %d>: out[%d] is %u, not %u\n", name, count, step, i, got[i], want[i]);
            bad++;
        }
}

template <int COUNT, int STEP> static void
all()
{
    enum { BLOCKS = 3, N = BLOCKS * THREADS };
    std::vector<unsigned> want(N);
    unsigned *in = end_of_array - N - (COUNT - 1) * STEP;
    words<COUNT, STEP><<<BLOCKS, THREADS>>>(in, out);
    expect_words(in, want.data(), N, COUNT, STEP);
    compare("words", COUNT, STEP, N, want);
    tile<COUNT, STEP><<<BLOCKS, THREADS>>>(in, out);
    compare("tile", COUNT, STEP, N, want);
    in = end_of_array - N - 1;
    between<COUNT, STEP><<<BLOCKS, THREADS>>>(in, out);
    expect_between(in, want.data(), N, COUNT);
    compare("between", COUNT, STEP, N, want);
    in = end_of_array - N - (COUNT - 1) * STEP - 1;
    types<COUNT, STEP><<<BLOCKS, THREADS>>>(in, out);
    expect_types(in, want.data(), N, COUNT, STEP);
    compare("types", COUNT, STEP, N, want);
}

int
main()
{
    enum { BYTES = 1 << 16 };
    char *memory =
        (char *)mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + BYTES, BYTES, PROT_NONE) ||
        cudaHostRegister(memory, BYTES, cudaHostRegisterDefault) != cudaSuccess) {
        printf("no memory to end at a border\n");
        return 1;
    }
    end_of_array = (unsigned *)(memory + BYTES);
    for (unsigned k = 0; k < BYTES / 4; k++)
        end_of_array[-1 - (int)k] =
            as_bits((float)(k * 7 % 1021)); /* halves of sums of these are exact */
    cudaMalloc(&out, 1 << 16);
    all<2, 1>();
    all<3, 1>();
    all<5, 1>();
    all<6, 1>();
    all<9, 1>();
    all<12, 1>();
    all<17, 1>();
    all<20, 1>();
    all<7, 3>();
    all<9, 5>();
    all<6, 16>();
    all<5, 40>();
    printf(bad || cudaDeviceSynchronize() != cudaSuccess ? "WRONG\n" : "right\n");
    return bad != 0;
}
