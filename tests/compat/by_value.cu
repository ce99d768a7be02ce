/* SPDX-License-Identifier: Apache-2.0
 *
 * by_value.cu: structures by value in functions that are not inlined, read behind a branch (by
 * their address, in PTX): a plain call, a call of itself, a call by pointer; sizes of 4-, 2- and
 * 1-byte pieces.
 */
#include <cstdio>

template <typename T>
struct five {
    T a, b, c, d, e;
};

template <typename T>
__device__ __noinline__ unsigned
plain(five<T> s, unsigned *count, unsigned lane, unsigned j)
{
    unsigned at = 0;
    if (lane % 3 == 0)
        at = *count;
    return at + (unsigned)(j == 0 ? s.a : j == 1 ? s.b : j == 2 ? s.c : j == 3 ? s.d : s.e);
}

template <typename T>
__device__ __noinline__ unsigned
again(five<T> s, unsigned *count, unsigned lane, unsigned j, unsigned depth)
{
    unsigned at = 0;
    if (lane % 3 == 0)
        at = *count;
    if (depth == 0)
        return at + (unsigned)(j == 0 ? s.a : j == 1 ? s.b : j == 2 ? s.c : j == 3 ? s.d : s.e);
    five<T> next = s;
    next.b++;
    return again(next, count, lane, j, depth - 1) +
           (unsigned)(j == 0 ? s.a : j == 1 ? s.b : j == 2 ? s.c : j == 3 ? s.d : s.e);
}

template <typename T>
__global__ void
all(unsigned *out, unsigned *count)
{
    unsigned lane = threadIdx.x;
    unsigned (*volatile pointer)(five<T>, unsigned *, unsigned, unsigned) = plain<T>;
    for (unsigned j = 0; j < 5; j++) {
        five<T> s = {(T)(lane + 1), (T)(lane + 2), (T)(lane + 3), (T)(lane + 4), (T)(lane + 5)};
        out[(j * 3 + 0) * 64 + lane] = plain<T>(s, count, lane, j);
        out[(j * 3 + 1) * 64 + lane] = again<T>(s, count, lane, j, 3);
        out[(j * 3 + 2) * 64 + lane] = pointer(s, count, lane, j);
    }
}

template <typename T>
static int
differences(unsigned *out, unsigned *count)
{
    int bad = 0;
    all<T><<<1, 64>>>(out, count);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    for (unsigned j = 0; j < 5; j++)
        for (unsigned lane = 0; lane < 64; lane++) {
            unsigned at = lane % 3 ? 0 : 1000, value = lane + 1 + j;
            bad += out[(j * 3 + 0) * 64 + lane] != at + value;
            bad += out[(j * 3 + 1) * 64 + lane] != at + 4 * value + (j == 1 ? 1 + 2 + 3 : 0);
            bad += out[(j * 3 + 2) * 64 + lane] != at + value;
        }
    return bad;
}

int
main()
{
    unsigned *out, *count;
    cudaMallocManaged(&out, 15 * 64 * sizeof *out);
    cudaMallocManaged(&count, sizeof *count);
    *count = 1000;
    int words = differences<unsigned>(out, count), halves = differences<unsigned short>(out, count),
        bytes = differences<unsigned char>(out, count),
        wide = differences<unsigned long long>(out, count);
    if (words || halves || bytes || wide)
        printf("%d %d %d %d\n", words, halves, bytes, wide);
    else
        puts("ok");
    return 0;
}
