/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways without branches for warps inside of an array (versions/speculate.c): windows with a
 * condition for each word, signed and unsigned, borders in the middle of every warp, indices that
 * wrap, that fall, that skip, loops, differences of two indices. Each result beside the host's.
 */
#include <climits>
#include <cstdio>
#include <cstring>
#include <vector>

struct border {
    int n, low, high, far;
};

#define BOTH static inline __host__ __device__
enum { NUMBERS = 4096, HALF = NUMBERS / 2 };

/* x: behind HALF numbers and before HALF - 1. */
typedef const unsigned *numbers;

BOTH unsigned
window(int i, border b, numbers x)
{
    unsigned sum = 0;
    for (int k = -4; k <= 4; k++)
        if (i + k >= b.low && i + k < b.high)
            sum = sum * 31 + x[i + k];
    return sum;
}

BOTH unsigned
ends(int i, border b, numbers x)
{
    unsigned sum = 1;
    if (i - 2 > b.low && i + 7 <= b.high)
        sum += x[i - 2];
    if (!(i < b.low + 1 || i > b.high))
        sum = sum * 31 + x[i + 3];
    if (i + 1 <= b.high && 5 < i)
        sum = sum * 31 + x[i - 5];
    if (b.high > i + 2)
        sum ^= x[i + 2] * 7;
    return sum;
}

/* As unsigned numbers, that wrap on the way from block to block. */
BOTH unsigned
wrapping(int i, border b, numbers x)
{
    unsigned u = (unsigned)i + (unsigned)b.far, sum = 0;
    if (u - 3 < (unsigned)b.high)
        sum = x[(u - 3) % HALF];
    if (u + 2 < (unsigned)b.high)
        sum = sum * 31 + x[(u + 2) & (HALF - 1)];
    if ((int)(u + 1) >= b.low && (int)(u + 1) < b.high)
        sum = sum * 31 + x[(int)(u + 1) % HALF];
    if (u >= 4 && u <= (unsigned)b.high)
        sum += 3 * x[u % 64];
    return sum;
}

/* Nothing asks how large they are but that they do not wrap. */
BOTH unsigned
above(int i, border b, numbers x)
{
    unsigned u = (unsigned)i + (unsigned)b.far, sum = 0;
    if ((int)(u + 5) >= b.low)
        sum = x[i];
    if ((int)(u + 40) > -3)
        sum = sum * 31 + x[i + 1];
    if ((int)(u + 9) >= b.low)
        sum = sum * 31 + x[i + 2];
    return sum;
}

BOTH unsigned
unsigned_window(int i, border b, numbers x)
{
    unsigned sum = 0, at = (unsigned)i;
    for (unsigned k = 0; k < 5; k++)
        if (at + k - 2u < (unsigned)b.high)
            sum = sum * 31 + x[at + k - 2u];
    return sum;
}

BOTH unsigned
falling(int i, border b, numbers x)
{
    unsigned sum = 0;
    int at = b.n - 1 - i, twice = 2 * i;
    if (at - 1 >= b.low)
        sum = x[at - 1];
    if (at + 1 < b.high && twice - 3 > b.low)
        sum = sum * 31 + x[at + 1] + x[(twice - 3) / 4];
    if (twice + 1 < b.high)
        sum = sum * 31 + x[twice + 1];
    if (i + 3 < at)
        sum += x[i + 3];
    return sum;
}

BOTH unsigned
turning(int i, border b, numbers x)
{
    unsigned sum = 0;
    for (int turn = 0; turn < 3; turn++, i += 70) {
        if (i - 1 >= b.low && i - 1 < b.high)
            sum = sum * 31 + x[i - 1];
        if (i >= b.low && i < b.high)
            sum = sum * 31 + x[i];
        if (i + 1 >= b.low && i + 1 < b.high)
            sum = sum * 31 + x[i + 1];
    }
    return sum;
}

template <unsigned (*F)(int, border, numbers)> __global__ void
kernel(unsigned *out, int n, int low, int high, int far, numbers x)
{
    border b = {n, low, high, far};
    int i = blockIdx.x * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x;
    if (i < b.n)
        out[i] = F(i, b, x);
}

/* The same in loops of the kernel: an index of its own in every turn. */
template <unsigned (*F)(int, border, numbers)> __global__ void
strided(unsigned *out, int n, int low, int high, int far, numbers x)
{
    border b = {n, low, high, far};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = F(i, b, x);
}

static int bad;

template <unsigned (*F)(int, border, numbers)>
static void
one(const char *name, border b, dim3 block, const std::vector<unsigned> &values, numbers x,
    unsigned *out)
{
    unsigned threads = block.x * block.y;
    std::vector<unsigned> got(b.n + 1);
    for (int way = 0; way < 2; way++) {
        cudaMemset(out, 0xab, 4 * (b.n + 1));
        if (way)
            strided<F><<<2, threads>>>(out, b.n, b.low, b.high, b.far, x);
        else
            kernel<F><<<(b.n + threads - 1) / threads, block>>>(out, b.n, b.low, b.high, b.far, x);
        cudaMemcpy(got.data(), out, 4 * (b.n + 1), cudaMemcpyDeviceToHost);
        for (int i = 0; i <= b.n && bad < 10; i++) {
            unsigned want = i < b.n ? F(i, b, values.data() + HALF) : 0xabababab;
            if (got[i] == want)
                continue;
            printf("%s%s: n %d, %d to %d, far %d, block %u x %u: out[%d] is %u, not %u\n", name,
                   way ? " in a loop" : "", b.n, b.low, b.high, b.far, block.x, block.y, i, got[i],
                   want);
            bad++;
        }
    }
}

int
main()
{
    std::vector<unsigned> values(NUMBERS);
    unsigned *x, *out;
    for (int k = 0; k < NUMBERS; k++)
        values[k] = k * 2654435761u + 17;
    cudaMalloc(&x, 4 * NUMBERS);
    cudaMalloc(&out, 4 * 2048);
    cudaMemcpy(x, values.data(), 4 * NUMBERS, cudaMemcpyHostToDevice);
    const border borders[] = {
        {700, 0, 700, 0},
        {700, 3, 690, -300},
        {1, 0, 1, 0},
        {256, 0, 256, -128},
        {513, -5, 520, 5},
        {1000, 131, 640, -640},
        {900, 0, 1, INT_MAX - 300},
        {900, 899, 900, INT_MIN + 2},
        {640, 640, 0, -1},
        {777, 33, 776, -500},
        {1024, -9, 1030, 1 << 30},
        {600, -7, 600, INT_MAX - 290},
        {600, INT_MIN, INT_MAX, INT_MAX},
        {512, INT_MIN, 500, INT_MIN},
        {512, 2, INT_MAX, 0},
    };
    const dim3 blocks[] = {dim3(256), dim3(32, 8), dim3(16, 16)};
    for (const border &b : borders)
        for (const dim3 &block : blocks) {
            one<window>("window", b, block, values, x + HALF, out);
            one<ends>("ends", b, block, values, x + HALF, out);
            one<wrapping>("wrapping", b, block, values, x + HALF, out);
            one<above>("above", b, block, values, x + HALF, out);
            one<unsigned_window>("unsigned_window", b, block, values, x + HALF, out);
            one<falling>("falling", b, block, values, x + HALF, out);
            one<turning>("turning", b, block, values, x + HALF, out);
        }
    printf(bad || cudaDeviceSynchronize() != cudaSuccess ? "WRONG\n" : "right\n");
    return bad != 0;
}
