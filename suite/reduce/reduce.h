/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce.h: the main program of the sums of floats. The reference adds in double; the sum may be
 * off by 2^-20 of the sum of the magnitudes.
 */
#ifndef REDUCE_H
#define REDUCE_H

#include "../common/suite.h"

typedef void reduce_launch(const float *input, float *result, int n);

static int
reduce_main(const char *name, const char *title, reduce_launch *launch, int argc, char **argv)
{
    struct suite s = suite_begin(name, title, 1000, NULL, 0, argc, argv);
    int n = s.size[0];
    float *host = suite_host<float>(n), found = 0;
    double right = 0, size = 0;
    suite_fill(host, n, 1);
    for (int i = 0; s.verify && i < n; i++) {
        right += host[i];
        size += fabs(host[i]);
    }
    float *input = suite_upload(host, n), *result = suite_device<float>(1);
    CHECK(cudaMemset(result, 0, sizeof *result));
    if (n)
        SUITE_TIME_AFTER(&s, CHECK(cudaMemset(result, 0, sizeof *result)),
                         launch(input, result, n));
    suite_download(&found, result, 1);
    if (s.verify)
        suite_compare_one(&s, "sum", 0, found, right, size / (1 << 20));
    if (s.best_ms > 0)
        suite_figure(&s, "gigabytes_per_second", 1e-6 * n * sizeof(float) / s.best_ms);
    suite_free_device(input, result);
    free(host);
    return suite_end(&s);
}

#endif
