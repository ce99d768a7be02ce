/* SPDX-License-Identifier: Apache-2.0
 *
 * histogram.h: the main program of the histograms: how often each of 256 values occurs among --size
 * bytes. --skew: every second byte is the same one, so that atomics meet.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "../common/suite.h"

enum { BINS = 256 };

typedef void histogram_launch(const unsigned char *in, unsigned *bins, int n);

static int
histogram_main(const char *name, const char *title, histogram_launch *launch, int argc, char **argv)
{
    int skew = 0;
    const struct suite_extra extra = {"--skew", &skew, 0, 1, "1: half of the bytes are equal (0)",
                                      NULL};
    struct suite s = suite_begin(name, title, 1000, &extra, 1, argc, argv);
    int n = s.size[0];
    unsigned char *host = suite_host<unsigned char>(n);
    unsigned found[BINS], right[BINS] = {};
    for (int i = 0; i < n; i++) {
        host[i] = skew && i % 2 ? 77 : (unsigned char)(suite_random(i, 1) >> 24);
        right[host[i]]++;
    }
    unsigned char *in = suite_upload(host, n);
    unsigned *bins = suite_device<unsigned>(BINS);
    CHECK(cudaMemset(bins, 0, sizeof right));
    if (n)
        SUITE_TIME_AFTER(&s, CHECK(cudaMemset(bins, 0, sizeof right)), launch(in, bins, n));
    suite_download(found, bins, BINS);
    suite_compare_equal(&s, "bin", found, right, BINS);
    if (s.best_ms > 0)
        suite_figure(&s, "gigabytes_per_second", 1e-6 * n / s.best_ms);
    suite_free_device(in, bins);
    free(host);
    return suite_end(&s);
}

#endif
