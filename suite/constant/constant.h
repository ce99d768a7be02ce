/* SPDX-License-Identifier: Apache-2.0
 *
 * constant.h: the main program of the constant memory rungs: out[i] = in[i] times the sum of ROUNDS
 * words of a table of WORDS. Which words: in round j all threads word j, or thread i word
 * (i + j) % WORDS.
 */
#ifndef CONSTANT_H
#define CONSTANT_H

#include "../common/suite.h"

enum { WORDS = 64, ROUNDS = 16, THREADS = 128 };

/* A thread an element, the table in global memory. */
template <void (*kernel)(float *out, const float *in, const float *table, int n)>
static inline void
constant_launch(float *out, const float *in, const float *table, int n)
{
    kernel<<<suite_div_up(n, THREADS), THREADS>>>(out, in, table, n);
}

static int
constant_main(const char *name, const char *title, bool scattered, void (*set)(const float *table),
              void (*launch)(float *out, const float *in, const float *table, int n), int argc,
              char **argv)
{
    struct suite s = suite_begin(name, title, 1000, NULL, 0, argc, argv);
    int n = s.size[0];
    float *host = suite_host<float>(n), *found = suite_host<float>(n), table[WORDS];
    double *right = suite_host<double>(n);
    suite_fill(host, n, 1);
    suite_fill(table, WORDS, 2);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < ROUNDS; j++)
            right[i] += table[scattered ? (i + j) % WORDS : j];
        right[i] *= host[i];
    }
    float *in = suite_upload(host, n), *out = suite_device<float>(n);
    float *device_table = suite_upload(table, WORDS);
    if (set)
        set(table);
    if (n)
        SUITE_TIME(&s, launch(out, in, device_table, n));
    suite_download(found, out, n);
    suite_compare_floats(&s, "out", found, right, n, 4e-6);
    suite_free_device(in, out, device_table);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
