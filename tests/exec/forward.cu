// SPDX-License-Identifier: Apache-2.0
// What a block has stored in its shared memory is kept in registers over barriers: nobody may
// notice. Phases of many shapes, made from a seed when this is compiled, read one array and write
// another; the host does the same one thread after the other.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { ROOM = 1200, PHASES = 7, BLOCKS = 3 };

__host__ __device__ constexpr unsigned mix(unsigned x)
{
    x = (x ^ (x >> 15)) * 2246822519u;
    x = (x ^ (x >> 13)) * 3266489917u;
    return x ^ (x >> 16);
}

// Number `what` of phase p of the program.
__host__ __device__ constexpr unsigned
pick(unsigned seed, unsigned p, unsigned what, unsigned below)
{
    return mix(seed * 7919 + p * 131 + what * 17 + 1) % below;
}

// Whether thread t of n takes part; m is known only when the kernel runs.
__host__ __device__ inline bool
active(unsigned seed, unsigned p, unsigned t, unsigned n, unsigned m)
{
    unsigned a = 1u << pick(seed, p, 1, 6), b = pick(seed, p, 2, 40);
    switch (pick(seed, p, 0, 7)) {
    case 0: return t < a;
    case 1: return t % (2 * a) == 0;
    case 2: return t % (2 * a) == b % a;
    case 3: return t >= b;
    case 4: return t < m;
    case 5: return t < n / 2;
    default: return true;
    }
}

// Where it reads (way 3 and 4: others) or writes (ways whose places differ for all threads).
__host__ __device__ inline unsigned
place(unsigned seed, unsigned p, unsigned what, unsigned t, unsigned n, unsigned ways)
{
    unsigned c = pick(seed, p, what + 1, 70);
    switch (pick(seed, p, what, ways)) {
    case 0: return t + c;
    case 1: return 2 * t + c;
    case 2: return n - 1 - t + c;
    case 3: return c;
    case 4: return t / 2 + c;
    default: return (t ^ (c & 31)) + 3;
    }
}

template <class T>
__host__ __device__ inline void
phase(unsigned seed, unsigned p, unsigned t, unsigned n, unsigned m, T *to, const T *from)
{
    if (active(seed, p, t, n, m)) {
        T x = from[place(seed, p, 10, t, n, 6)], y = from[place(seed, p, 20, t, n, 6)];
        to[place(seed, p, 30, t, n, 3)] = (T)(x * 3 + y + (T)t);
    }
}

template<unsigned SEED, class T, unsigned N, unsigned P = 0>
__device__ __forceinline__ void phases(unsigned t, unsigned m, T *a, T *b, T *out)
{
    if constexpr (P < PHASES) {
        phase<T>(SEED, P, t, N, m, b, a);
        if constexpr (pick(SEED, P, 3, 4) == 0)
            out[t] = (T)P; // between two barriers, as a store to who knows where
        __syncthreads();
        phases<SEED, T, N, P + 1>(t, m, b, a, out);
    }
}

template<unsigned SEED, class T, unsigned N>
__global__ void program(const T *in, T *out, unsigned n, unsigned m, unsigned rounds, unsigned all)
{
    __shared__ T s[2 * ROOM];
    unsigned t = threadIdx.x, i = blockIdx.x * N + t;
    for (unsigned k = t; k < 2 * ROOM; k += N)
        s[k] = (T)(k * 5);
    __syncthreads();
    s[t] = i < n ? in[i] : (T)7;
    if (pick(SEED, 99, 0, 2))
        s[t + ROOM] = (T)i;
    __syncthreads();
    for (unsigned r = 0; r < rounds; r++)
        phases<SEED, T, N>(t, m, s, s + ROOM, out + blockIdx.x * 3 * ROOM + 2 * ROOM);
    if (all) {
        for (unsigned k = t; k < 2 * ROOM; k += N)
            out[blockIdx.x * 3 * ROOM + k] = s[k];
    } else if (t == 0) {
        out[blockIdx.x * 3 * ROOM] = s[5];
        out[blockIdx.x * 3 * ROOM + 1] = s[ROOM];
    }
}

template<unsigned SEED, class T, unsigned N>
static void expected(const T *in, T *out, unsigned n, unsigned m, unsigned rounds, unsigned all)
{
    for (unsigned block = 0; block < BLOCKS; block++) {
        std::vector<T> s(2 * ROOM);
        T *o = out + block * 3 * ROOM;
        for (unsigned k = 0; k < 2 * ROOM; k++)
            s[k] = (T)(k * 5);
        for (unsigned t = 0; t < N; t++) {
            unsigned i = block * N + t;
            s[t] = i < n ? in[i] : (T)7;
            if (pick(SEED, 99, 0, 2))
                s[t + ROOM] = (T)i;
        }
        for (unsigned r = 0; r < rounds; r++)
            for (unsigned p = 0; p < PHASES; p++)
                for (unsigned t = 0; t < N; t++) {
                    phase<T>(SEED, p, t, N, m, s.data() + (p % 2 ? 0 : ROOM),
                             s.data() + (p % 2 ? ROOM : 0));
                    if (pick(SEED, p, 3, 4) == 0)
                        o[2 * ROOM + t] = (T)p;
                }
        for (unsigned k = 0; k < 2 * ROOM && all; k++)
            o[k] = s[k];
        if (!all) {
            o[0] = s[5];
            o[1] = s[ROOM];
        }
    }
}

static int bad;

template<unsigned SEED, class T, unsigned N>
static void run(unsigned n, unsigned m, unsigned rounds, unsigned all)
{
    std::vector<T> in(BLOCKS * N), out(BLOCKS * 3 * ROOM), want(out.size());
    for (size_t k = 0; k < in.size(); k++)
        in[k] = (T)(mix((unsigned)k + SEED) & 0xffff);
    T *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(T));
    cudaMalloc(&d_out, out.size() * sizeof(T));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, out.size() * sizeof(T));
    program<SEED, T, N><<<BLOCKS, N>>>(d_in, d_out, n, m, rounds, all);
    cudaMemcpy(out.data(), d_out, out.size() * sizeof(T), cudaMemcpyDeviceToHost);
    expected<SEED, T, N>(in.data(), want.data(), n, m, rounds, all);
    for (size_t k = 0; k < out.size(); k++)
        if (memcmp(&out[k], &want[k], sizeof(T)) != 0) {
            printf("seed %u, %u bytes, %u threads, n %u, m %u, rounds %u, all %u: [%zu] is %.9g, "
                   "not %.9g\n",
                   SEED, (unsigned)sizeof(T), N, n, m, rounds, all, k, (double)out[k],
                   (double)want[k]);
            bad = 1;
            break;
        }
    cudaFree(d_in);
    cudaFree(d_out);
}

template<unsigned SEED, class T, unsigned N>
static void runs()
{
    run<SEED, T, N>(BLOCKS * N, 37, 1, 0);      // all threads of all blocks
    run<SEED, T, N>(2 * N + 45, N, 1, 1);       // the last block parts
    run<SEED, T, N>(N + 32, 5, 3, 1);
}

// Trees, as they are written, with dynamic shared memory, too.
template<class T, bool STRIDED>
__global__ void tree(const T *in, T *out, int n)
{
    extern __shared__ double room[];
    T *s = (T *)room;
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
    s[t] = i < n ? in[i] : T(0);
    __syncthreads();
    if (STRIDED) {
        for (int step = 1; step < 128; step *= 2) {
            if (t % (2 * step) == 0)
                s[t] += s[t + step];
            __syncthreads();
        }
    } else {
        for (int step = 64; step; step /= 2) {
            if (t < step)
                s[t] += s[t + step];
            __syncthreads();
        }
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

template<class T, bool STRIDED>
static void trees(int n)
{
    int blocks = (n + 127) / 128;
    std::vector<T> in(n), out(blocks), want(blocks);
    for (int k = 0; k < n; k++)
        want[k / 128] += in[k] = (T)((int)(mix(k) % 64) - 31);
    T *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(T));
    cudaMalloc(&d_out, blocks * sizeof(T));
    cudaMemcpy(d_in, in.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    tree<T, STRIDED><<<blocks, 128, 128 * sizeof(T)>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, blocks * sizeof(T), cudaMemcpyDeviceToHost);
    if (memcmp(out.data(), want.data(), blocks * sizeof(T)) != 0) {
        printf("tree of %u bytes, %d, n %d is wrong\n", (unsigned)sizeof(T), STRIDED, n);
        bad = 1;
    }
    cudaFree(d_in);
    cudaFree(d_out);
}

// What only the run decides, between stores and loads that are known: masks, branches, bytes of
// words.
enum { WIDTH = 64, STEPS = 9 };

__host__ __device__ inline void step(int k, unsigned t, unsigned m, unsigned *s, unsigned *x)
{
    switch (k) {
    case 0: if (t < m) s[t] = 5 - s[t]; break;
    case 1: *x = s[t]; break;
    case 2: if (m & 1) s[t] = *x + 1; break;
    case 3: *x += s[t] * 7; break;
    case 4: if (m & 2) s[t] = *x * 3; else if (t < WIDTH / 2) s[t] = *x + 9; break;
    case 5: ((unsigned char *)s)[4 * t + 1] = (unsigned char)(m + t); break;
    case 6: *x += s[t]; break;
    case 7: if (t % 4 == 0) s[t + m % 4] = *x; break;
    default: *x ^= s[t] + s[(t + m) % WIDTH] * 11; break;
    }
}

template<int K>
__device__ __forceinline__ void steps(unsigned t, unsigned m, unsigned *s, unsigned *x)
{
    if constexpr (K < STEPS) {
        step(K, t, m, s, x);
        __syncthreads();
        steps<K + 1>(t, m, s, x);
    }
}

__global__ void mixed(const unsigned *in, unsigned *out, unsigned m)
{
    __shared__ unsigned s[WIDTH];
    unsigned t = threadIdx.x, i = blockIdx.x * WIDTH + t, x = 0;
    s[t] = in[i];
    __syncthreads();
    steps<0>(t, m, s, &x);
    out[i] = x;
}

static void mixes()
{
    std::vector<unsigned> in(BLOCKS * WIDTH), out(in.size());
    unsigned *d;
    cudaMalloc(&d, in.size() * 8);
    for (size_t k = 0; k < in.size(); k++)
        in[k] = mix(k);
    cudaMemcpy(d, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    for (unsigned m = 0; m < 70; m += m < 8 ? 1 : 7) {
        mixed<<<BLOCKS, WIDTH>>>(d, d + in.size(), m);
        cudaMemcpy(out.data(), d + in.size(), out.size() * 4, cudaMemcpyDeviceToHost);
        for (unsigned block = 0; block < BLOCKS; block++) {
            std::vector<unsigned> s(in.begin() + block * WIDTH, in.begin() + (block + 1) * WIDTH),
                x(WIDTH);
            for (int k = 0; k < STEPS; k++)
                for (unsigned t = 0; t < WIDTH; t++)
                    step(k, t, m, s.data(), &x[t]);
            if (memcmp(x.data(), &out[block * WIDTH], WIDTH * 4) != 0) {
                printf("mixed, m %u: block %u is wrong\n", m, block);
                bad = 1;
            }
        }
    }
    cudaFree(d);
}

template<class T>
static void all_trees()
{
    for (int n : {1, 128, 1000, 4096}) {
        trees<T, false>(n);
        trees<T, true>(n);
    }
}

int main()
{
    runs<1, unsigned, 32>();
    runs<2, unsigned, 64>();
    runs<3, unsigned, 128>();
    runs<4, unsigned, 256>();
    runs<5, unsigned, 64>();
    runs<6, unsigned, 128>();
    runs<7, unsigned, 64>();
    runs<8, unsigned long long, 32>();
    runs<9, unsigned long long, 64>();
    runs<10, unsigned long long, 128>();
    runs<11, unsigned short, 64>();
    runs<12, unsigned char, 64>();
    runs<13, float, 64>();
    runs<14, double, 96>();
    runs<15, unsigned, 512>();
    mixes();
    all_trees<float>();
    all_trees<double>();
    all_trees<unsigned char>();
    all_trees<long long>();
    if (cudaDeviceSynchronize() != cudaSuccess)
        bad = 1;
    return bad;
}
