/* SPDX-License-Identifier: Apache-2.0
 *
 * curand.cu: curand_kernel.h. Generators against the numbers of their papers' packages (Philox:
 * Random123's known answers; MRG32k3a: RngStreams' first numbers and its second stream; xorwow:
 * powers of the recurrence's matrix, calculated apart); skipping against stepping; distributions
 * against their moments and shares.
 */
#include <cmath>
#include <cstdio>
#include <curand_kernel.h>

static int failures;
static void
check(bool fine, const char *what, double got)
{
    if (!fine)
        printf("FAIL %s: %.12g\n", what, got), failures++;
}
static void
same(const unsigned *got, const unsigned *want, int n, const char *what)
{
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) {
            printf("FAIL %s: word %d is %#x, not %#x\n", what, i, got[i], want[i]);
            failures++;
            return;
        }
}

/* -- generators -------------------------------------------------------------------------------- */

static __global__ void
philox(unsigned *out)
{
    const unsigned pi[6] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0};
    uint4 c[3] = {make_uint4(0, 0, 0, 0), make_uint4(~0u, ~0u, ~0u, ~0u),
                  make_uint4(pi[0], pi[1], pi[2], pi[3])};
    uint2 k[3] = {make_uint2(0, 0), make_uint2(~0u, ~0u), make_uint2(pi[4], pi[5])};
    for (int i = 0; i < 3; i++)
        ((uint4 *)out)[i] = curand_Philox4x32_10(c[i], k[i]);
    curandStatePhilox4_32_10_t s;
    curand_init(0, 0, 0, &s);
    for (int i = 0; i < 4; i++)
        out[16 + i] = curand(&s);
}
static __global__ void
mrg(double *out, unsigned *words)
{
    curandStateMRG32k3a s;
    curand_init(0, 0, 0, &s);
    for (int i = 0; i < 3; i++)
        out[i] = curand_uniform_double(&s);
    curand_init(0, 1, 0, &s);
    for (int i = 0; i < 3; i++)
        words[i] = s.s1[i], words[3 + i] = s.s2[i];
    curand_init(0, 0, 0, &s);
    skipahead_sequence(1, &s);
    for (int i = 0; i < 3; i++)
        words[6 + i] = s.s1[i], words[9 + i] = s.s2[i];
}
static __global__ void
xorwow(unsigned *out)
{
    curandState s;
    const unsigned first[5] = {123456789, 362436069, 521288629, 88675123, 5783321};
    for (int i = 0; i < 5; i++)
        s.v[i] = first[i];
    s.d = 6615241;
    curandState t = s;
    skipahead_sequence(1, &t);
    for (int i = 0; i < 5; i++)
        out[i] = t.v[i];
    t = s;
    skipahead_sequence(5, &t);
    skipahead(1000, &t);
    for (int i = 0; i < 5; i++)
        out[5 + i] = t.v[i];
    out[10] = t.d;
    for (int i = 0; i < 100; i++)
        out[11 + i] = curand(&s);
}
/* Stepping and skipping agree; other seeds, sequences and offsets give other numbers. */
template <class S>
static __global__ void
skip(int *bad)
{
    S a, b, c, d;
    curand_init(1234 + threadIdx.x, threadIdx.x, 0, &a);
    curand_init(1234 + threadIdx.x, threadIdx.x, 37, &b);
    curand_init(1234 + threadIdx.x, threadIdx.x + 1, 37, &c);
    curand_init(1235 + threadIdx.x, threadIdx.x, 37, &d);
    for (int i = 0; i < 37; i++)
        curand(&a);
    int same_c = 0, same_d = 0;
    for (int i = 0; i < 40; i++) {
        unsigned v = curand(&a);
        *bad += v != curand(&b);
        same_c += v == curand(&c);
        same_d += v == curand(&d);
    }
    *bad += same_c > 2 || same_d > 2;
}

static void
generators(unsigned *words, double *numbers, int *bad)
{
    static const unsigned known[12] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
                                       0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd,
                                       0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    philox<<<1, 1>>>(words);
    cudaDeviceSynchronize();
    same(words, known, 12, "Philox4x32-10");
    same(words + 16, known, 4, "Philox, seed 0");
    static const double u[3] = {0.12701112204657714, 0.3185275653967945, 0.3091860155832701};
    static const unsigned streams[12] = {870504860,   2641697727u, 884013853,   339352413,
                                         2374306706u, 3651603887u, 3692455944u, 1366884236,
                                         2968912127u, 335948734,   4161675175u, 475798818};
    mrg<<<1, 1>>>(numbers, words);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++)
        check(std::fabs(numbers[i] / u[i] - 1) < 1e-9, "MRG32k3a", numbers[i]);
    same(words, streams, 12, "MRG32k3a's streams");
    static const unsigned ahead[11] = {0xff578337,
                                       0x09eaecb7,
                                       0xfe97c929,
                                       0x9e0723e0,
                                       0x6cbc5dbd,
                                       0x2da8496e,
                                       0x5df624b4,
                                       0x1932c527,
                                       0xb1ad5555,
                                       0x6d6c9cb2,
                                       6615241u + 362437u * 1000u};
    xorwow<<<1, 1>>>(words);
    cudaDeviceSynchronize();
    same(words, ahead, 11, "xorwow's sequences");
    unsigned x = 123456789, y = 362436069, z = 521288629, w = 88675123, v = 5783321, d = 6615241,
             want[100];
    for (int i = 0; i < 100; i++) {
        unsigned t = x ^ (x >> 2);
        x = y, y = z, z = w, w = v, v = (v ^ (v << 4)) ^ (t ^ (t << 1));
        want[i] = (d += 362437) + v;
    }
    same(words + 11, want, 100, "xorwow");
    *bad = 0;
    skip<curandStateXORWOW_t><<<1, 1>>>(bad);
    skip<curandStateMRG32k3a_t><<<1, 1>>>(bad);
    skip<curandStatePhilox4_32_10_t><<<1, 1>>>(bad);
    cudaDeviceSynchronize();
    check(*bad == 0, "skipping", *bad);
}

/* -- Sobol ------------------------------------------------------------------------------------- */

static __global__ void
sobol(unsigned *out, int *bad)
{
    unsigned v[32];
    unsigned long long w[64];
    for (int k = 0; k < 32; k++)
        v[k] = 1u << (31 - k);
    for (int k = 0; k < 64; k++)
        w[k] = 1ull << (63 - k);
    curandStateSobol32 a, b;
    curandStateScrambledSobol32_t c;
    curandStateSobol64_t e;
    curandStateScrambledSobol64_t f;
    curand_init(v, 0u, &a);
    curand_init(v, 100u, &b);
    curand_init(v, 0xdeadbeefu, 0u, &c);
    curand_init(w, 0ull, &e);
    curand_init(w, 0xdeadbeef01234567ull, 0ull, &f);
    for (int i = 0; i < 256; i++) {
        unsigned x = curand(&a);
        out[i] = x;
        *bad += i >= 100 && x != curand(&b);
        *bad += curand(&c) != (x ^ 0xdeadbeefu);
        unsigned long long y = curand(&e);
        *bad += y != (unsigned long long)x << 32;
        *bad += curand(&f) != (y ^ 0xdeadbeef01234567ull);
    }
}

/* -- distributions ----------------------------------------------------------------------------- */

enum { THREADS = 128, EACH = 160, COUNT = THREADS * EACH };
enum what {
    UNIFORM,
    UNIFORM_D,
    NORMAL,
    NORMAL_D,
    LOG,
    LOG_D,
    POISSON_3,
    POISSON_40,
    POISSON_900,
    KINDS
};

template <class S>
static __device__ double
draw(S *s, int kind)
{
    switch (kind) {
    case UNIFORM: return curand_uniform(s);
    case UNIFORM_D: return curand_uniform_double(s);
    case NORMAL: return curand_normal(s);
    case NORMAL_D: return curand_normal_double(s);
    case LOG: return curand_log_normal(s, 0.5f, 0.25f);
    case LOG_D: return curand_log_normal_double(s, 0.5, 0.25);
    case POISSON_3: return curand_poisson(s, 3.0);
    case POISSON_40: return curand_poisson(s, 40.0);
    default: return curand_poisson(s, 900.0);
    }
}
template <class S>
static __global__ void
fill(double *out, int kind)
{
    S s;
    curand_init(99, threadIdx.x, 0, &s);
    for (int i = 0; i < EACH; i++)
        out[threadIdx.x * EACH + i] = draw(&s, kind);
}
static __global__ void
fill_sobol(double *out, int kind)
{
    curandStateScrambledSobol32_t s;
    unsigned v[32];
    for (int k = 0; k < 32; k++)
        v[k] = 1u << (31 - k);
    curand_init(v, 0x9abcdef1u, threadIdx.x * EACH, &s);
    for (int i = 0; i < EACH; i++)
        out[threadIdx.x * EACH + i] = draw(&s, kind);
}

/* Mean and variance within six of their standard errors, and of the shares below the quartiles. */
static void
moments(const double *x, int kind, const char *name)
{
    static const double mean[KINDS] = {0.5, 0.5, 0, 0, 0, 0, 3, 40, 900},
                        variance[KINDS] = {1 / 12., 1 / 12., 1, 1, 0, 0, 3, 40, 900};
    double m = kind == LOG || kind == LOG_D ? std::exp(0.5 + 0.03125) : mean[kind];
    double v =
        kind == LOG || kind == LOG_D ? (std::exp(0.0625) - 1) * std::exp(1.0625) : variance[kind];
    double sum = 0, square = 0, fourth = 0, below = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < COUNT; i++)
        sum += x[i], low = std::fmin(low, x[i]), high = std::fmax(high, x[i]);
    for (int i = 0; i < COUNT; i++) {
        double d = (x[i] - m) * (x[i] - m);
        square += d, fourth += d * d;
        below += kind <= UNIFORM_D  ? x[i] < 0.25
                 : kind <= NORMAL_D ? x[i] < -0.6744897501960817
                                    : x[i] < std::exp(0.5 - 0.25 * 0.6744897501960817);
    }
    char what[80];
    snprintf(what, sizeof what, "%s, kind %d: mean", name, kind);
    check(std::fabs(sum / COUNT - m) < 6 * std::sqrt(v / COUNT), what, sum / COUNT);
    snprintf(what, sizeof what, "%s, kind %d: variance", name, kind);
    double error = std::sqrt((fourth / COUNT - v * v) / COUNT);
    check(std::fabs(square / COUNT - v) < 6 * error, what, square / COUNT);
    snprintf(what, sizeof what, "%s, kind %d: lowest quarter", name, kind);
    if (kind < POISSON_3)
        check(std::fabs(below / COUNT - 0.25) < 6 * std::sqrt(0.1875 / COUNT), what, below / COUNT);
    snprintf(what, sizeof what, "%s, kind %d: range", name, kind);
    if (kind <= UNIFORM_D)
        check(low > 0 && high <= 1 && low < 1e-3 && high > 0.999, what, low);
}

static __global__ void
fours(double *out)
{
    curandStatePhilox4_32_10_t s, t;
    curand_init(7, 1, 0, &s);
    t = s;
    float4 f = curand_uniform4(&s);
    out[0] = f.x - curand_uniform(&t), out[1] = f.y - curand_uniform(&t);
    out[2] = f.z - curand_uniform(&t), out[3] = f.w - curand_uniform(&t);
    f = curand_normal4(&s);
    out[4] = f.x - curand_normal(&t), out[5] = f.y - curand_normal(&t);
    out[6] = f.z - curand_normal(&t), out[7] = f.w - curand_normal(&t);
    double2 d = curand_uniform2_double(&s);
    out[8] = d.x - curand_uniform_double(&t), out[9] = d.y - curand_uniform_double(&t);
}

int
main(void)
{
    unsigned *words;
    double *numbers;
    int *bad;
    cudaMallocManaged(&words, 4096);
    cudaMallocManaged(&bad, 4);
    cudaMallocManaged(&numbers, COUNT * sizeof(double));
    generators(words, numbers, bad);
    *bad = 0;
    sobol<<<1, 1>>>(words, bad);
    cudaDeviceSynchronize();
    check(*bad == 0, "Sobol's sequences", *bad);
    bool seen[256] = {};
    for (int i = 0; i < 256; i++)
        seen[words[i] >> 24] = true,
                         check((words[i] & 0xffffff) == 0, "Sobol's low bits", words[i]);
    for (int i = 0; i < 256; i++)
        check(seen[i], "Sobol: one point in each of 256 parts, not in", i);
    for (int kind = 0; kind < KINDS; kind++) {
        fill<curandState><<<1, THREADS>>>(numbers, kind);
        cudaDeviceSynchronize();
        moments(numbers, kind, "XORWOW");
        fill<curandStateMRG32k3a_t><<<1, THREADS>>>(numbers, kind);
        cudaDeviceSynchronize();
        moments(numbers, kind, "MRG32k3a");
        fill<curandStatePhilox4_32_10_t><<<1, THREADS>>>(numbers, kind);
        cudaDeviceSynchronize();
        moments(numbers, kind, "Philox");
        fill_sobol<<<1, THREADS>>>(numbers, kind);
        cudaDeviceSynchronize();
        moments(numbers, kind, "Sobol");
    }
    fours<<<1, 1>>>(numbers);
    cudaDeviceSynchronize();
    for (int i = 0; i < 10; i++)
        check(std::fabs(numbers[i]) < 1e-6, "four at a time", numbers[i]);
    check(cudaGetLastError() == cudaSuccess, "the launches", 0);
    return failures != 0;
}
