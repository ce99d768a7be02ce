/* SPDX-License-Identifier: Apache-2.0
 *
 * difference.h: the main program of the forward differences: result[i] = input[i+1] - input[i], and
 * 0 for the last element.
 */
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include "../common/suite.h"

enum { BLOCK = 128 };

typedef void difference_launch(float *result, const float *input, int n);

/* loads: of an inner block from global memory. */
/* A thread an element. */
template <difference_launch *kernel>
static inline void
difference_elements(float *result, const float *input, int n)
{
    kernel<<<suite_div_up(n, BLOCK), BLOCK>>>(result, input, n);
}

static int
difference_main(const char *name, const char *title, double loads, difference_launch *launch,
                int argc, char **argv)
{
    struct suite s = suite_begin(name, title, 1000, NULL, 0, argc, argv);
    int n = s.size[0];
    float *host = suite_host<float>(n), *found = suite_host<float>(n);
    double *right = suite_host<double>(n);
    suite_fill(host, n, 1);
    for (int i = 0; s.verify && i < n - 1; i++)
        right[i] = host[i + 1] - host[i];
    float *input = suite_upload(host, n), *result = suite_device<float>(n);
    if (n)
        SUITE_TIME(&s, launch(result, input, n));
    suite_download(found, result, n);
    suite_compare_floats(&s, "result", found, right, n, 0);
    suite_figure(&s, "global loads of an inner block", loads);
    suite_figure(&s, "global loads an element", loads / BLOCK);
    suite_figure(&s, "global stores an element", 1);
    suite_free_device(input, result);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
