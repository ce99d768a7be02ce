/* SPDX-License-Identifier: Apache-2.0
 *
 * banks.h: the main program of the bank patterns. A block brings THREADS words into shared memory
 * in order and reads them back by a pattern: place(t, number) is the word that thread t reads. The
 * program computes the degree of conflict of each pattern from the rule of the device's generation:
 * 16 banks and half-warps before 2.0, 32 banks and warps since; a word that several threads read is
 * given to all of them (before 2.0: one such word an access).
 */
#ifndef BANKS_H
#define BANKS_H

#include "../common/suite.h"

enum { THREADS = 256, WORDS = 1024 }; /* 33 x 31 < WORDS: a warp's strided words all differ */

struct banks_pattern {
    const char *name, *title;
    int first, last; /* numbers of the patterns */
    int (*place)(int t, int number);
    void (*kernel)(float *out, const float *in, int n, int number);
    const char *unit; /* what a number means: "stride" */
};

/* What every kernel does around its reading: in and out of shared memory, n words in all. */
static __device__ __forceinline__ void
banks_bring(float *shared, const float *in, int n)
{
    for (int k = threadIdx.x; k < WORDS; k += THREADS) {
        int i = blockIdx.x * WORDS + k;
        shared[k] = i < n ? in[i] : 0;
    }
    __syncthreads();
}

static __device__ __forceinline__ void
banks_keep(float *out, int k, float value, int n)
{
    int i = blockIdx.x * WORDS + k;
    if (i < n)
        out[i] = value;
}

/* Accesses of a warp since 2.0: the most different words in one bank. */
static inline int
banks_warp(const struct banks_pattern *p, int number)
{
    int worst = 1;
    for (int bank = 0; bank < 32; bank++) {
        int words[32], count = 0;
        for (int t = 0; t < 32; t++) {
            int word = p->place(t, number), known = word % 32 != bank;
            for (int k = 0; k < count; k++)
                known |= words[k] == word;
            if (!known)
                words[count++] = word;
        }
        worst = count > worst ? count : worst;
    }
    return worst;
}

/* Accesses of a half-warp before 2.0. Each serves all readers of one word, the first one's that
 * still waits, and one reader of each other bank. */
static inline int
banks_half_warp(const struct banks_pattern *p, int number, int from)
{
    bool waits[16];
    int left = 16, accesses = 0;
    for (int t = 0; t < 16; t++)
        waits[t] = true;
    for (; left; accesses++) {
        int broadcast = -1;
        unsigned busy = 0;
        for (int t = 0; t < 16; t++) {
            int word = p->place(from + t, number), bank = word % 16;
            if (!waits[t])
                continue;
            if (broadcast < 0) {
                broadcast = word;
                busy |= 1u << bank;
            } else if (word != broadcast && busy & 1u << bank)
                continue;
            busy |= 1u << bank;
            waits[t] = false;
            left--;
        }
    }
    return accesses;
}

static int
banks_main(const struct banks_pattern *p, int argc, char **argv)
{
    int only = -1;
    const struct suite_extra extra = {"--pattern", &only, 0, THREADS, "one pattern alone", NULL};
    struct suite s = suite_begin(p->name, p->title, 1000, &extra, 1, argc, argv);
    int n = s.size[0], blocks = suite_div_up(n, WORDS);
    bool old = s.device.major < 2;
    float *host = suite_host<float>((size_t)blocks * WORDS), *found = suite_host<float>(n);
    float *right = suite_host<float>(n);
    suite_fill(host, n, 1); /* zeros behind n, as the kernels have them */
    float *in = suite_upload(host, n), *out = suite_device<float>(n);
    suite_say(&s, "%10s  degree  accesses of a warp (%s)\n", p->unit,
              old ? "16 banks, half-warps" : "32 banks, warps");
    for (int number = p->first; number <= p->last; number++) {
        if (only >= 0 && number != only)
            continue;
        if (n)
            SUITE_TIME(&s, (p->kernel<<<blocks, THREADS>>>(out, in, n, number)));
        suite_download(found, out, n);
        for (int i = 0; i < n; i++)
            right[i] = host[i / WORDS * WORDS + p->place(i % WORDS, number)];
        suite_compare_equal(&s, p->unit, found, right, n);
        char name[40];
        int degree = banks_warp(p, number), accesses = degree;
        if (old) {
            int first = banks_half_warp(p, number, 0), second = banks_half_warp(p, number, 16);
            degree = first > second ? first : second;
            accesses = first + second;
        }
        snprintf(name, sizeof name, "accesses_%d", number);
        suite_figure(&s, name, accesses);
        suite_say(&s, "%10d  %6d  %8d\n", number, degree, accesses);
    }
    suite_say(&s, "\n");
    suite_free_device(in, out);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
