// SPDX-License-Identifier: Apache-2.0
// Many sums a thread, whose order among each other the compiler may choose
// (src/jit/post/schedule.c): every bit is what the same source gives on the host. A kernel fills
// two tiles, then each thread runs one of the functions below for some rounds; a thread writes only
// its own words of what it reads again.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

enum { WORDS = 1536, RESULTS = 64, ROUNDS = 3, DEPTH = 8 };

// What a thread sees: two tiles, a word of its own in the second, global memory, its place.
struct place {
    const float *a;
    float *b;
    const float *g;
    int x, y, own, round;
};

#define BOTH __host__ __device__ __attribute__((always_inline)) static inline
#define UNROLL _Pragma("unroll")

// R x C sums, elements of a by row, of b by column: the register-blocked product.
template <int R, int C> struct product {
    BOTH void run(float *sum, place p)
    {
        UNROLL for (int k = 0; k < DEPTH; k++) UNROLL for (int i = 0; i < R; i++)
            UNROLL for (int j = 0; j < C; j++) sum[i * C + j] =
                fmaf(p.a[(p.y + 5 * i) * 13 + k], p.b[k * 40 + p.x + 3 * j], sum[i * C + j]);
    }
};

// Multiplied and added in two steps; sums change places from round to round.
struct rotated {
    BOTH void run(float *sum, place p)
    {
        UNROLL for (int k = 0; k < DEPTH; k++)
            UNROLL for (int i = 0; i < 40; i++)
                sum[i] += p.a[p.y + 7 * i + k] * p.b[p.x + 11 * k + i];
        float first = sum[0];
        UNROLL for (int i = 0; i < 39; i++)
            sum[i] = sum[i + 1];
        sum[39] = first;
    }
};

// A store to shared memory between: what is read after it is new.
struct stored {
    BOTH void run(float *sum, place p)
    {
        UNROLL for (int k = 0; k < DEPTH; k++) {
            UNROLL for (int i = 0; i < 30; i++)
                sum[i] = fmaf(p.a[p.y + i + k], p.b[p.own], sum[i]);
            if (k % 4 == 1)
                p.b[p.own] = sum[k] * 0.125f;
        }
    }
};

// Sums in an array that is also indexed by what is not known before.
struct indexed {
    BOTH void run(float *sum, place p)
    {
        UNROLL for (int k = 0; k < DEPTH; k++) {
            UNROLL for (int i = 0; i < 40; i++)
                sum[i] = fmaf(p.a[p.y + 3 * i + k], p.b[p.x + i], sum[i]);
            if (k % 4 == 2)
                sum[(p.x * 7 + p.y + k) % 40] = p.a[k];
            if (k % 4 == 3)
                sum[k] += sum[(p.x + 3 * p.y) % 40];
        }
    }
};

// Lanes leave the loop in different turns, others skip turns.
struct divergent {
    BOTH void run(float *sum, place p)
    {
        for (int k = 0; k < DEPTH; k++) {
            if ((p.x * 5 + p.y + k) % 7 == 0)
                continue;
            UNROLL for (int i = 0; i < 36; i++)
                sum[i] = fmaf(p.a[p.y + 9 * i + k], p.b[p.x + 40 * k + i], sum[i]);
            UNROLL for (int i = 0; i < 36; i++)
                sum[i] = fmaf(p.a[p.y + 9 * i + k + 1], p.b[p.x + i + 1], sum[i]);
            UNROLL for (int i = 0; i < 36; i++)
                sum[i] = fmaf(p.a[p.y + 9 * i + k + 2], p.b[p.x + i + 2], sum[i]);
            if ((p.x + p.y * 3) % 11 == k)
                break;
        }
    }
};

// A sum is an operand of others; a step's value is used twice.
struct dependent {
    BOTH void run(float *sum, place p)
    {
        UNROLL for (int k = 0; k < DEPTH; k++) {
            UNROLL for (int i = 1; i < 34; i++)
                sum[i] = fmaf(p.a[p.y + i + k], p.b[p.x + k], sum[i]);
            sum[0] = fmaf(sum[5] * 0.01f, p.b[p.x + k], sum[0]);
            if (k == 6)
                UNROLL for (int i = 40; i < 64; i++)
                    sum[i] = fmaf(sum[i - 20], sum[0], sum[i]);
        }
    }
};

// Operands from global memory; integers; doubles.
struct mixed {
    BOTH void run(float *sum, place p)
    {
        int whole[20];
        double wide[20];
        UNROLL for (int i = 0; i < 20; i++)
            whole[i] = i, wide[i] = sum[i];
        UNROLL for (int k = 0; k < DEPTH; k++)
            UNROLL for (int i = 0; i < 20; i++) {
                sum[i] = fmaf(p.g[(p.x + 13 * k) % 97], p.a[p.y + i], sum[i]);
                whole[i] += (int)(p.a[p.y + i] * 1000) * (p.own + k);
                wide[i] = fma((double)p.b[p.x + k], (double)p.g[i], wide[i]);
            }
        UNROLL for (int i = 0; i < 20; i++) {
            sum[20 + i] += whole[i] % 1000003;
            sum[40 + i] += (float)wide[i];
        }
    }
};

// Words some words apart, forwards and backwards, the same for both halves of a warp or not.
struct strided {
    BOTH void run(float *sum, place p)
    {
        UNROLL for (int k = 0; k < DEPTH; k++)
            UNROLL for (int j = 0; j < 4; j++) {
                sum[j] = fmaf(p.a[p.y + k], p.b[4 * p.x + j + k], sum[j]);
                sum[4 + j] = fmaf(p.a[p.y + j], p.b[3 * p.x + j + k], sum[4 + j]);
                sum[8 + j] = fmaf(p.a[p.y + j], p.b[2 * p.x + 101 * p.y + j + k], sum[8 + j]);
                sum[12 + j] =
                    fmaf(p.a[p.x + j], p.b[300 - 4 * p.x - p.y + k + 40 * j], sum[12 + j]);
                sum[16 + j] = fmaf(p.a[j], p.b[(p.x ^ 5) * 2 + 64 * j + k], sum[16 + j]);
            }
    }
};

__host__ __device__ static float
element(int k)
{
    unsigned x = (unsigned)k * 2654435761u;
    return (int)(x >> 16 & 0xfff) * 0.0009765625f - 2;
}

template <class Work> __global__ void
run(const float *g, float *out)
{
    __shared__ float a[WORDS], b[WORDS];
    int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    float sum[RESULTS] = {};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = t; i < WORDS; i += threads) {
            a[i] = element(i + round * WORDS + blockIdx.x);
            b[i] = element(2 * i + 1 + round);
        }
        __syncthreads();
        place p = {a, b, g, (int)threadIdx.x, (int)threadIdx.y, 1000 + t, round};
        Work::run(sum, p);
        __syncthreads();
    }
    UNROLL for (int i = 0; i < RESULTS; i++)
        out[(blockIdx.x * threads + t) * RESULTS + i] = sum[i];
}

static int failures;

template <class Work> static void
compare(const char *name, dim3 block, const std::vector<float> &g, const float *device_g)
{
    enum { BLOCKS = 3 };
    int threads = block.x * block.y;
    std::vector<float> want, got((size_t)BLOCKS * threads * RESULTS);
    for (int k = 0; k < BLOCKS * threads; k++) {
        int t = k % threads;
        float sum[RESULTS] = {}, a[WORDS], b[WORDS];
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < WORDS; i++) {
                a[i] = element(i + round * WORDS + k / threads);
                b[i] = element(2 * i + 1 + round);
            }
            Work::run(sum, {a, b, g.data(), t % (int)block.x, t / (int)block.x, 1000 + t, round});
        }
        want.insert(want.end(), sum, sum + RESULTS);
    }
    float *out;
    cudaMalloc(&out, got.size() * sizeof(float));
    run<Work><<<BLOCKS, block>>>(device_g, out);
    cudaError_t e = cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (size_t k = 0; k < got.size(); k++)
        if (e || memcmp(&got[k], &want[k], sizeof(float))) {
            printf("%s, %u x %u: %s; thread %zu, sum %zu: %a, not %a\n", name, block.x, block.y,
                   cudaGetErrorString(e), k / RESULTS, k % RESULTS, got[k], want[k]);
            failures++;
            break;
        }
    cudaFree(out);
}

int
main()
{
    std::vector<float> g(WORDS);
    for (int i = 0; i < WORDS; i++)
        g[i] = element(3 * i);
    float *device_g;
    cudaMalloc(&device_g, sizeof(float) * WORDS);
    cudaMemcpy(device_g, g.data(), sizeof(float) * WORDS, cudaMemcpyHostToDevice);
    compare<product<8, 8>>("8 x 8", dim3(16, 4), g, device_g);
    for (dim3 block : {dim3(16, 2), dim3(12, 8), dim3(7, 1)}) {
        compare<product<5, 7>>("5 x 7", block, g, device_g);
        compare<rotated>("rotated", block, g, device_g);
        compare<stored>("stored", block, g, device_g);
        compare<indexed>("indexed", block, g, device_g);
        compare<divergent>("divergent", block, g, device_g);
        compare<dependent>("dependent", block, g, device_g);
        compare<mixed>("mixed", block, g, device_g);
        compare<strided>("strided", block, g, device_g);
    }
    printf("%s\n", failures ? "FAILED" : "ok");
    return failures != 0;
}
