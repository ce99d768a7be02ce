/* SPDX-License-Identifier: Apache-2.0
 *
 * banks.h: the main program of the bank patterns. A block brings THREADS words into shared memory
 * in order and reads them back by a pattern: place(t, number) is the word that thread t reads. The
 * program computes the degree of conflict of each pattern from the rule of the device's generation:
 * 16 banks and half-warps before 2.0, 32 banks and warps since; words that several threads read
 * alike count once (before 2.0: one such word an access, the rest queue).
 */
#ifndef BANKS_H
#define BANKS_H

#include "../common/suite.h"

enum { THREADS = 256 };

struct banks_pattern {
    const char *name, *title;
    int first, last; /* numbers of the patterns */
    int (*place)(int t, int number);
    void (*launch)(float *out, const float *in, int n, int number);
    const char *unit; /* what a number means: "stride" */
};

/* What every kernel does around its reading: in and out of shared memory, n words in all. */
static __device__ __forceinline__ void
banks_bring(float *shared, const float *in, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    shared[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
}

static __device__ __forceinline__ void
banks_keep(float *out, float value, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        out[i] = value;
}

/* Accesses that the threads from..from+lanes need: the most that one bank must serve in turn. */
static inline int
banks_degree(const struct banks_pattern *p, int number, int from, int lanes, bool old)
{
    int worst = 1, banks = old ? 16 : 32, broadcast = -1;
    if (old) /* the first thread's word is the one that is broadcast */
        broadcast = p->place(from, number);
    for (int bank = 0; bank < banks; bank++) {
        int words[32], count = 0;
        for (int t = from; t < from + lanes; t++) {
            int word = p->place(t, number), known = 0;
            if (word % banks != bank || (old && word == broadcast))
                continue;
            for (int k = 0; k < count && !old; k++)
                known |= words[k] == word;
            if (!known)
                words[count++] = word;
        }
        count += old && broadcast % banks == bank;
        worst = count > worst ? count : worst;
    }
    return worst;
}

static int
banks_main(const struct banks_pattern *p, int argc, char **argv)
{
    int only = -1;
    const struct suite_extra extra = {"--pattern", &only, 0, THREADS, "one pattern alone", NULL};
    struct suite s = suite_begin(p->name, p->title, 1000, &extra, 1, argc, argv);
    int n = s.size[0], blocks = suite_div_up(n, THREADS);
    bool old = s.device.major < 2;
    float *host = suite_host<float>((size_t)blocks * THREADS), *found = suite_host<float>(n);
    float *right = suite_host<float>(n);
    suite_fill(host, n, 1); /* zeros behind n, as the kernels have them */
    float *in = suite_upload(host, n), *out = suite_device<float>(n);
    suite_say(&s, "%10s  degree (%s)\n", p->unit, old ? "16 banks, half-warps" : "32 banks, warps");
    for (int number = p->first; number <= p->last; number++) {
        if (only >= 0 && number != only)
            continue;
        if (n)
            SUITE_TIME(&s, p->launch(out, in, n, number));
        suite_download(found, out, n);
        for (int i = 0; i < n; i++)
            right[i] = host[i / THREADS * THREADS + p->place(i % THREADS, number)];
        suite_compare_equal(&s, p->unit, found, right, n);
        char name[40];
        int degree = banks_degree(p, number, 0, old ? 16 : 32, old);
        snprintf(name, sizeof name, "degree_%d", number);
        suite_figure(&s, name, degree);
        suite_say(&s, "%10d  %d\n", number, degree);
    }
    suite_say(&s, "\n");
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    free(host);
    free(found);
    free(right);
    return suite_end(&s);
}

#endif
