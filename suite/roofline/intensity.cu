/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations for each access to global memory (CGMA): a kernel that loads a word, does K
 * multiply-adds with it and stores it, for K from 1 to 128. For each: its ratio, the speed that the
 * device's memory allows at that ratio, and which of the two, memory or arithmetic, is the limit;
 * the ratio needed for peak. --bandwidth and --peak take other figures than the device's, say a
 * slide's.
 *
 *     GFLOP/s |           ________ peak
 *             |         /
 *             |       /  memory: bandwidth / 4 bytes x CGMA
 *             |     /
 *             +-----------------> CGMA
 *
 * systems: B10
 * title: operations a word, and the bound they set
 * rung: 1
 * sizes: 0 1 17 1000 100003
 * check: 17 300
 * bench: 100003
 */
#include "../common/suite.h"

enum { THREADS = 128 };

template <int K>
__global__ void
madds(const float *in, float *out, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n)
        return;
    float value = in[i], sum = value;
#pragma unroll
    for (int k = 0; k < K; k++)
        sum = sum * 0.5f + value;
    out[i] = sum;
}

/* Arithmetic units for single precision of a multiprocessor, by compute capability. */
static int
units(const struct cudaDeviceProp *d)
{
    switch (10 * d->major + d->minor) {
    case 10:
    case 11:
    case 12:
    case 13:
        return 8;
    case 20:
        return 32;
    case 21:
        return 48;
    case 30:
    case 32:
    case 35:
    case 37:
        return 192;
    case 60:
    case 70:
    case 72:
    case 75:
    case 80:
        return 64;
    default:
        return 128;
    }
}

struct machine {
    double bandwidth, peak; /* 1e9 bytes, operations a second */
};

static double
bound(const struct machine *m, double cgma)
{
    double memory = m->bandwidth / 4 * cgma;
    return memory < m->peak ? memory : m->peak;
}

template <int K>
static void
run(struct suite *s, const struct machine *m, const float *host, const float *in, float *out)
{
    int n = s->size[0];
    float *found = suite_host<float>(n), *right = suite_host<float>(n);
    double cgma = 2.0 * K / 2; /* K multiply-adds; a load and a store */
    for (int i = 0; i < n; i++) {
        double sum = host[i];
        for (int k = 0; k < K; k++)
            sum = sum * 0.5 + host[i];
        right[i] = (float)sum;
    }
    if (n)
        SUITE_TIME(s, madds<K><<<suite_div_up(n, THREADS), THREADS>>>(in, out, n));
    suite_download(found, out, n);
    suite_compare_floats(s, "out", found, right, n, 1e-6);
    suite_say(s, "%5d %7.1f %12.1f %12s %14.2f\n", K, cgma, bound(m, cgma),
              m->bandwidth / 4 * cgma < m->peak ? "memory" : "arithmetic",
              s->best_ms > 0 ? 2e-6 * K * n / s->best_ms : 0);
    char name[40];
    snprintf(name, sizeof name, "bound_cgma_%g", cgma);
    suite_figure(s, name, bound(m, cgma));
    suite_free_host(found, right);
}

int
main(int argc, char **argv)
{
    int bandwidth = 0, peak = 0;
    const struct suite_extra extra[] = {{"--bandwidth", &bandwidth, 1, 100000, "GB/s", NULL},
                                        {"--peak", &peak, 1, 10000000, "GFLOP/s", NULL}};
    struct suite s =
        suite_begin("roofline/intensity", "operations for each access", 1000, extra, 2, argc, argv);
    const struct cudaDeviceProp *d = &s.device;
    struct machine m = {2e-6 * d->memoryClockRate * d->memoryBusWidth / 8,
                        2e-6 * units(d) * d->multiProcessorCount * d->clockRate};
    if (bandwidth)
        m.bandwidth = bandwidth;
    if (peak)
        m.peak = peak;
    int n = s.size[0];
    float *host = suite_host<float>(n), *out = suite_device<float>(n);
    suite_fill(host, n, 1);
    float *in = suite_upload(host, n);
    suite_say(&s, "%.1f GB/s, peak %.0f GFLOP/s: peak needs CGMA %.1f\n\n", m.bandwidth, m.peak,
              m.peak / (m.bandwidth / 4));
    suite_say(&s, "%5s %7s %12s %12s %14s\n", "madds", "CGMA", "bound", "limit", "GFLOP/s here");
    run<1>(&s, &m, host, in, out);
    run<2>(&s, &m, host, in, out);
    run<4>(&s, &m, host, in, out);
    run<8>(&s, &m, host, in, out);
    run<16>(&s, &m, host, in, out);
    run<32>(&s, &m, host, in, out);
    run<128>(&s, &m, host, in, out);
    suite_say(&s, "\n");
    suite_figure(&s, "bandwidth", m.bandwidth);
    suite_figure(&s, "peak", m.peak);
    suite_figure(&s, "cgma_for_peak", m.peak / (m.bandwidth / 4));
    suite_free_device(in, out);
    free(host);
    return suite_end(&s);
}
