#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Conditions that several warps meet at once (values/agree.c, analysis/steps.c): each is tested with the first and the last
# lane of all of them. Borders in the middle of every warp of a block, indices that fall from warp to warp, that
# wrap in the middle of a block, blocks of one to three dimensions, loops; each result beside the host's.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/conditions.cu" <<'CU'
#include <cstdio>
#include <cstring>
#include <vector>

struct border {
    int n, low, high, far; // threads; two borders; what is added to the index before it is compared
};

#define BOTH static inline __host__ __device__
typedef const unsigned *numbers; /* read under the conditions, so that these are branches */
enum { NUMBERS = 4096 };

/* What a thread does that has this number in its block and this index: many conditions, one way for most. */
BOTH unsigned
rising(int, int i, border b, numbers x)
{
    unsigned sum = 0;
    for (int k = 0; k < 5; k++) {
        int at = i + k - 2;
        if (at >= b.low && at < b.high)
            sum = sum * 31 + x[at];
    }
    if (i > b.high - 3 || i <= b.low)
        sum ^= x[5];
    return sum;
}

BOTH unsigned
falling(int t, int i, border b, numbers x)
{
    unsigned sum = 0;
    int at = b.n - 1 - i, twice = 3 - 2 * t;
    if (at >= b.low)
        sum = x[at];
    if (at < b.high && twice > -70)
        sum = sum * 31 + x[i];
    if (!(twice <= -b.low))
        sum += x[t + 1];
    return sum;
}

BOTH unsigned
wrapping(int, int i, border b, numbers x)
{
    unsigned u = (unsigned)i + (unsigned)b.far, sum = 0;
    if (u < (unsigned)b.high)
        sum = x[1];
    if ((int)u > b.low)
        sum += x[i];
    if ((int)(u * 3) < b.high)
        sum += 4 * x[i + 1];
    if ((int)(u << 2) >= b.low)
        sum += 8 * x[i + 2];
    return sum;
}

BOTH unsigned
looping(int t, int i, border b, numbers x)
{
    unsigned sum = i;
    for (int at = i; at < b.high + 4; at += 100)
        sum = sum * 31 + x[at];
    for (int k = 0; k < 3; k++)
        if (t + k * 32 < b.low)
            sum += x[t];
    return sum;
}

template <unsigned (*F)(int, int, border, numbers)> __global__ void
kernel(unsigned *out, int n, int low, int high, int far, numbers x)
{
    border b = {n, low, high, far};
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;
    if (i < b.n)
        out[i] = F(t, i, b, x);
}

/* Conditions on the coordinates themselves. */
BOTH unsigned
at_coordinates(int x, int y, int z, int t, border b, numbers v)
{
    unsigned sum = 1;
    if (x + 1 < b.low)
        sum += v[t];
    if (y - 2 >= b.high / 16 && y < b.high)
        sum += 2 * v[t + 1];
    if (z > 0 && x - y < b.low)
        sum += 4 * v[t + 2];
    return sum;
}

__global__ void
coordinates(unsigned *out, int n, int low, int high, int far, numbers v)
{
    border b = {n, low, high, far};
    int x = threadIdx.x, y = threadIdx.y + blockIdx.x * blockDim.y, z = threadIdx.z;
    int t = (z * blockDim.y + threadIdx.y) * blockDim.x + x;
    int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;
    if (i < b.n)
        out[i] = at_coordinates(x, y, z, t, b, v);
}

static unsigned
coordinates_of(int t, int block, dim3 d, border b, numbers v)
{
    int x = t % d.x, in = t / d.x % d.y, y = in + block * d.y, z = t / d.x / d.y;
    return at_coordinates(x, y, z, t, b, v);
}

static int
compare(const char *what, const unsigned *out, const std::vector<unsigned> &want, dim3 d, border b)
{
    std::vector<unsigned> got(want.size());
    if (cudaMemcpy(got.data(), out, 4 * got.size(), cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("FAIL %s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    for (size_t i = 0; i < got.size(); i++)
        if (got[i] != want[i]) {
            printf("FAIL %s of (%u,%u,%u): n %d, %d to %d, %d: thread %zu has %u instead of %u\n", what, d.x, d.y, d.z,
                   b.n, b.low, b.high, b.far, i, got[i], want[i]);
            return 1;
        }
    return 0;
}

template <unsigned (*F)(int, int, border, numbers)> static int
run(const char *what, unsigned *out, dim3 d, border b, const std::vector<unsigned> &x, numbers there)
{
    int threads = d.x * d.y * d.z, blocks = (b.n + threads - 1) / threads;
    std::vector<unsigned> want(b.n);
    for (int i = 0; i < b.n; i++)
        want[i] = F(i % threads, i, b, x.data());
    kernel<F><<<blocks, d>>>(out, b.n, b.low, b.high, b.far, there);
    return compare(what, out, want, d, b);
}

int
main()
{
    const dim3 shapes[] = {dim3(256), dim3(64), dim3(32, 8), dim3(16, 16), dim3(8, 8, 4), dim3(64, 4), dim3(4, 4, 16), dim3(1, 128)};
    int bad = 0;
    unsigned *out, *there;
    std::vector<unsigned> x(NUMBERS);
    for (int i = 0; i < NUMBERS; i++)
        x[i] = i * 2654435761u + 12345;
    cudaMalloc(&out, 4 * NUMBERS);
    cudaMalloc(&there, 4 * NUMBERS);
    cudaMemcpy(there, x.data(), 4 * NUMBERS, cudaMemcpyHostToDevice);
    for (const dim3 &d : shapes) {
        for (int at = 0; at < 300; at += 37) {
            border b = {900 + at, at, 700 - at, 0x7fffffff - 600 + 3 * at};
            bad += run<rising>("rising", out, d, b, x, there) + run<falling>("falling", out, d, b, x, there);
            bad += run<wrapping>("wrapping", out, d, b, x, there) + run<looping>("looping", out, d, b, x, there);
            b.far = -500 + at;
            bad += run<wrapping>("wrapping", out, d, b, x, there);
            int threads = d.x * d.y * d.z, blocks = (b.n + threads - 1) / threads;
            std::vector<unsigned> want(b.n);
            for (int i = 0; i < b.n; i++)
                want[i] = coordinates_of(i % threads, i / threads, d, b, x.data());
            coordinates<<<blocks, d>>>(out, b.n, b.low, b.high, b.far, there);
            bad += compare("coordinates", out, want, d, b);
        }
    }
    return bad != 0;
}
CU
"$LOCKSTEP" cc -O2 "$work/conditions.cu" -o "$work/conditions" || exit 1
LOCKSTEP_WORKERS=1 timeout 300 "$work/conditions"
