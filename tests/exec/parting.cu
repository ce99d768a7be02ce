// SPDX-License-Identifier: Apache-2.0
// Branches that part a warp's lanes, all of them, or none: warps that stay together run without
// masks (versions/full_mask.c), and whether they do is asked of the first and the last lane
// (values/agree.c). The host computes the same thread by thread; `n` moves the borders through
// warps, and numbers beyond the end of 32 bits.
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { WORDS = 4096 };

struct where {
    int t, x, y; // thread of the grid, in its block
    int threads; // of the grid
};

template <int K> static __host__ __device__ unsigned work(const unsigned *in, where w, unsigned n)
{
    unsigned sum = 1, t = (unsigned)w.t;
    int at = (int)(t + n);
    if (K == 0) // borders of an array, one after the other
        for (int k = -4; k <= 4; k++)
            if (w.t + k >= 0 && w.t + k < (int)(n % 900))
                sum = sum * 3 + in[w.t + k];
    if (K == 1) { // numbers that wrap, with and without a sign
        if (at < 5)
            sum += 1;
        if ((unsigned)at < 37u)
            sum += 2;
        if (at >= (int)(n - 3))
            sum += 4;
        if ((unsigned)at > n)
            sum += 8;
        if (-at > 3)
            sum += 16;
        if ((long long)at * 4 < (long long)(int)n * 4 + 40)
            sum += 32;
    }
    if (K == 2) { // lanes part, meet, and part again
        if (w.t > (int)(n % 777))
            sum += in[w.t % WORDS];
        else
            sum ^= in[(w.t + 1) % WORDS];
        if (w.y < (int)(n % 5) || w.x > (int)(n % 31))
            sum *= 5;
        if (!(w.t < 64 && sum % 2))
            sum += in[sum % WORDS];
        else
            sum -= 7;
    }
    if (K == 3) // loops that lanes leave at different turns
        for (int k = w.t; k < (int)(n % 1200); k += 97) {
            sum = sum * 7 + in[k % WORDS];
            if (sum % 64 == 3)
                break;
            if (k > 500 && w.x == 3)
                continue;
            sum++;
        }
    if (K == 4) { // some return early
        if (w.t >= (int)(n % 500))
            return 99;
        for (int k = 0; k < 4; k++)
            if (w.t + k < (int)(n % 500))
                sum += in[w.t + k] * (k + 1);
    }
    return sum;
}

template <int K> __global__ void plain(const unsigned *in, unsigned *out, unsigned n)
{
    int inside = threadIdx.y * blockDim.x + threadIdx.x, size = blockDim.x * blockDim.y;
    where w = {(int)blockIdx.x * size + inside, (int)threadIdx.x, (int)threadIdx.y,
               (int)gridDim.x * size};
    out[w.t] = work<K>(in, w, n);
}

// The same with what was found out before a barrier used after it, and a barrier in a loop.
template <int K> __global__ void barriers(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[1024];
    int inside = threadIdx.y * blockDim.x + threadIdx.x, size = blockDim.x * blockDim.y;
    where w = {(int)blockIdx.x * size + inside, (int)threadIdx.x, (int)threadIdx.y,
               (int)gridDim.x * size};
    bool low = w.t < (int)(n % 700), wrapped = (int)(w.t + n) < 0;
    s[inside] = work<K>(in, w, n);
    for (int turn = 0; turn < 3; turn++) {
        __syncthreads();
        unsigned next = s[(inside + 1) % size];
        __syncthreads();
        if (low)
            s[inside] += next;
        if (wrapped)
            s[inside] ^= 5;
        if (inside < 40 + turn)
            s[inside] *= 3;
    }
    out[w.t] = s[inside];
}

template <int K>
static void
expect(const unsigned *in, std::vector<unsigned> &out, dim3 block, int blocks, unsigned n,
       bool with)
{
    int size = (int)(block.x * block.y);
    for (int b = 0; b < blocks; b++) {
        unsigned *s = &out[(size_t)b * size];
        for (int i = 0; i < size; i++)
            s[i] = work<K>(
                in, where{b * size + i, (int)(i % block.x), (int)(i / block.x), blocks * size}, n);
        for (int turn = 0; with && turn < 3; turn++) {
            std::vector<unsigned> old(s, s + size);
            for (int i = 0; i < size; i++) {
                int t = b * size + i;
                s[i] += t < (int)(n % 700) ? old[(i + 1) % size] : 0;
                s[i] ^= (int)(t + n) < 0 ? 5 : 0;
                s[i] *= i < 40 + turn ? 3 : 1;
            }
        }
    }
}

template <int K> static int test(const unsigned *in, const unsigned *device, dim3 block, unsigned n)
{
    const int blocks = 5, threads = blocks * (int)(block.x * block.y);
    int wrong = 0;
    for (int with = 0; with < 2; with++) {
        std::vector<unsigned> want(threads), got(threads, 1);
        unsigned *out;
        cudaMalloc(&out, threads * 4);
        if (with)
            barriers<K><<<blocks, block>>>(device, out, n);
        else
            plain<K><<<blocks, block>>>(device, out, n);
        cudaMemcpy(got.data(), out, threads * 4, cudaMemcpyDeviceToHost);
        expect<K>(in, want, block, blocks, n, with);
        bool bad = cudaGetLastError() != cudaSuccess || got != want;
        if (bad)
            printf("kernel %d%s, block %u x %u, n %u: wrong\n", K, with ? " with barriers" : "",
                   block.x, block.y, n);
        wrong += bad;
        cudaFree(out);
    }
    return wrong;
}

int main()
{
    const dim3 blocks[] = {dim3(256), dim3(16, 16), dim3(32, 2), dim3(20, 8), dim3(48)};
    const unsigned ns[] = {
        0,   1,    31,          32,          33,          100,         333,         512,
        699, 5000, 0x7fffff00u, 0x7fffffe0u, 0x7fffffffu, 0x80000000u, 0xfffffff0u, 0xffffff80u};
    std::vector<unsigned> in(WORDS);
    for (int k = 0; k < WORDS; k++)
        in[k] = (k * 2654435761u) ^ (k >> 3);
    unsigned *device;
    cudaMalloc(&device, WORDS * 4);
    cudaMemcpy(device, in.data(), WORDS * 4, cudaMemcpyHostToDevice);
    int wrong = 0;
    for (const dim3 &b : blocks)
        for (unsigned n : ns)
            wrong += test<0>(in.data(), device, b, n) + test<1>(in.data(), device, b, n) +
                     test<2>(in.data(), device, b, n) + test<3>(in.data(), device, b, n) +
                     test<4>(in.data(), device, b, n);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
