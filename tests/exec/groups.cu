// SPDX-License-Identifier: Apache-2.0
// Loads of neighbouring words are made together (memory/group.c): nobody may notice, least of all
// where something is stored in between. Each kernel runs with rows that lie at random, that follow
// each other by one word, and of which the lanes read the same; the host computes the same thread
// by thread.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { WORDS = 1 << 16, THREADS = 3 * 256 };

static __host__ __device__ unsigned mix(unsigned x) { return (x * 2654435761u) ^ (x >> 7); }

// The work of a thread; the device's and the host's, which differ in nothing.
template <int K>
static __host__ __device__ unsigned
work(unsigned *p, const int *at, unsigned *mine, int t, int n)
{
    int r = at[t];
    unsigned sum = 0;
    if (K == 0) // a row, unrolled by the compiler
        for (int k = 0; k < t % 23 + n; k++)
            sum = sum * 31 + p[r + k];
    if (K == 1) // out of order, one of them twice, one left out
        sum = p[r + 3] + 3 * p[r + 1] + 5 * p[r + 2] + 7 * p[r] + 11 * p[r + 5] + 13 * p[r + 1];
    if (K == 2 && t % 3) // for some lanes only
        sum = p[r] + 3 * p[r + 1] + 5 * p[r + 2];
    if (K == 3) // fields of a structure of five words
        for (int k = 0; k < n; k++) {
            const unsigned *s = p + (r + k) % 4000 * 5;
            sum += s[0] * s[1] + (s[2] ^ s[4]) - s[3];
        }
    if (K == 4) { // what is stored in between is read
        unsigned a = mine[0];
        mine[1] = a + 5;
        unsigned b = mine[1];
        mine[2] = b * 3;
        mine[0] = 9;
        sum = a + b + mine[2] + mine[0];
    }
    if (K == 5) { // 64 bits and 16 bits beside words
        const unsigned short *h = (const unsigned short *)(p + r);
        sum = h[0] + 3 * h[1] + p[r + 1] + 7 * p[r + 2];
        unsigned long long d;
        memcpy(&d, p + (r & ~1), 8);
        sum += (unsigned)(d >> 7);
    }
    if (K == 6) // the base moves in between
        for (const unsigned *q = p + r; q < p + r + 4 * n; q += 2)
            sum = sum * 7 + q[0] + 3 * q[1] + 5 * q[2];
    if (K == 7) // nine words and more
        for (int k = 0; k < 13; k++)
            sum = sum * 3 + p[r + k];
    if (K == 8 && p[r] % 2) // a word decides whether the next ones are read
        sum = p[r + 1] + p[r + 2] * p[r + 3];
    return sum;
}

template <int K>
__global__ void
kernel(unsigned *p, const int *at, unsigned *own, unsigned *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < THREADS)
        out[t] = work<K>(p, at, own + 3 * t, t, n);
}

template <int K> static int test(int how, int block)
{
    std::vector<unsigned> p(WORDS), own(3 * THREADS), out(THREADS, 1), want(THREADS);
    std::vector<int> at(THREADS);
    for (int k = 0; k < WORDS; k++)
        p[k] = mix(k);
    for (int t = 0; t < THREADS; t++)
        at[t] = how == 0   ? (int)(mix(t) % (WORDS - 64))
                : how == 1 ? 100 + t
                : how == 2 ? 77
                           : t * 16 + t / 100;
    for (size_t k = 0; k < own.size(); k++)
        own[k] = mix((unsigned)k + 9);
    unsigned *dp, *down, *dout;
    int *dat, n = 5;
    cudaMalloc(&dp, WORDS * 4), cudaMalloc(&down, own.size() * 4), cudaMalloc(&dout, THREADS * 4);
    cudaMalloc(&dat, THREADS * 4);
    cudaMemcpy(dp, p.data(), WORDS * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(down, own.data(), own.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dat, at.data(), THREADS * 4, cudaMemcpyHostToDevice);
    kernel<K><<<(THREADS + block - 1) / block, block>>>(dp, dat, down, dout, n);
    cudaMemcpy(out.data(), dout, THREADS * 4, cudaMemcpyDeviceToHost);
    for (int t = 0; t < THREADS; t++)
        want[t] = work<K>(p.data(), at.data(), &own[3 * t], t, n);
    std::vector<unsigned> kept(own.size());
    cudaMemcpy(kept.data(), down, own.size() * 4, cudaMemcpyDeviceToHost);
    int wrong = cudaGetLastError() != cudaSuccess || out != want || kept != own;
    if (wrong)
        printf("kernel %d, rows %d, blocks of %d: wrong\n", K, how, block);
    cudaFree(dp), cudaFree(down), cudaFree(dout), cudaFree(dat);
    return wrong;
}

template <int K> static int tests()
{
    int wrong = 0;
    for (int how = 0; how < 4; how++)
        wrong += test<K>(how, 256) + test<K>(how, 32) + test<K>(how, 75);
    return wrong;
}

int main()
{
    int wrong = tests<0>() + tests<1>() + tests<2>() + tests<3>() + tests<4>() + tests<5>() +
                tests<6>() + tests<7>() + tests<8>();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
