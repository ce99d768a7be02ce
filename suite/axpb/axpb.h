/* SPDX-License-Identifier: Apache-2.0
 *
 * axpb.h: the main program of y = a x + b on vectors: times on host and device, and their
 * difference.
 */
#ifndef AXPB_H
#define AXPB_H

#include "../common/suite.h"

typedef void axpb_launch(const float *x, float *y, float a, float b, int n, int threads);

static inline void
axpb_host(const float *x, float *y, float a, float b, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + b;
}

/* --size N; --threads T: of a block. */
static int
axpb_main(const char *name, const char *title, axpb_launch *launch, int argc, char **argv)
{
    const float a = 5, b = -1;
    int threads = 128;
    const struct suite_extra extra = {"--threads", &threads, 1, 1024, "threads of a block (128)",
                                      NULL};
    struct suite s = suite_begin(name, title, 100000, &extra, 1, argc, argv);
    int n = s.size[0];
    if (threads > s.device.maxThreadsPerBlock)
        threads = s.device.maxThreadsPerBlock;
    float *host = suite_host<float>(n), *right = suite_host<float>(n),
          *found = suite_host<float>(n);
    suite_fill(host, n, 1);
    double start = suite_seconds();
    axpb_host(host, right, a, b, n);
    double host_ms = 1e3 * (suite_seconds() - start), difference = 0;
    float *x = suite_upload(host, n), *y = suite_device<float>(n);
    if (n)
        SUITE_TIME(&s, launch(x, y, a, b, n, threads));
    suite_download(found, y, n);
    suite_compare_floats(&s, "y", found, right, n, 1e-6);
    for (int i = 0; i < n; i++)
        difference += fabs((double)found[i] - right[i]);
    suite_figure(&s, "threads of a block", threads);
    suite_figure(&s, "blocks", suite_div_up(n, threads));
    suite_figure(&s, "host time, ms", host_ms);
    suite_figure(&s, "device time, ms", s.best_ms);
    suite_figure(&s, "sum of differences", difference);
    suite_free_device(x, y);
    suite_free_host(host, right, found);
    return suite_end(&s);
}

#endif
