/* SPDX-License-Identifier: Apache-2.0
 *
 * barriers.h: the main program of the barrier rungs. Each block of THREADS words is turned round
 * through shared memory: out[first + t] = 2 * in[first + THREADS - 1 - t]; words behind the array
 * are zeros. A barrier must stand between writing the shared words and reading them.
 */
#ifndef BARRIERS_H
#define BARRIERS_H

#include "../common/suite.h"

enum { THREADS = 64 };

static int
barriers_main(const char *name, const char *title, void (*kernel)(int *out, const int *in),
              int argc, char **argv)
{
    struct suite s = suite_begin(name, title, 1000, NULL, 0, argc, argv);
    int n = s.size[0], padded = suite_div_up(n, THREADS) * THREADS;
    int *host = suite_host<int>(padded), *found = suite_host<int>(n), *right = suite_host<int>(n);
    suite_fill_ints(host, n, 1000, 1);
    for (int i = 0; i < n; i++)
        right[i] = 2 * host[i / THREADS * THREADS + THREADS - 1 - i % THREADS];
    int *in = suite_upload(host, padded), *out = suite_device<int>(padded);
    if (n)
        SUITE_TIME(&s, (kernel<<<suite_div_up(n, THREADS), THREADS>>>(out, in)));
    suite_download(found, out, n);
    suite_compare_equal(&s, "out", found, right, n);
    suite_free_device(in, out);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
