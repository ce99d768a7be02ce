/* SPDX-License-Identifier: Apache-2.0
 *
 * sum.h: the main program of the sums of integers by many threads into one variable.
 */
#ifndef ATOMICS_SUM_H
#define ATOMICS_SUM_H

#include "../common/suite.h"

enum { BLOCK = 128 };

typedef void sum_kernel(const int *input, int *result, int n);

/* A thread an element. contenders: atomics on the result in global memory for n elements. */
static int
sum_main(const char *name, const char *title, sum_kernel *kernel, double (*contenders)(int n),
         int argc, char **argv)
{
    struct suite s = suite_begin(name, title, 1000, NULL, 0, argc, argv);
    int n = s.size[0], found = 0, right = 0;
    int *host = suite_host<int>(n);
    suite_fill_ints(host, n, 1000, 1);
    for (int i = 0; i < n; i++)
        right += host[i];
    int *input = suite_upload(host, n), *result = suite_device<int>(1);
    CHECK(cudaMemset(result, 0, sizeof *result));
    if (n)
        SUITE_TIME_AFTER(&s, CHECK(cudaMemset(result, 0, sizeof *result)),
                         (kernel<<<suite_div_up(n, BLOCK), BLOCK>>>(input, result, n)));
    suite_download(&found, result, 1);
    suite_compare_equal(&s, "sum", &found, &right, 1);
    suite_figure(&s, "atomics on the one result", contenders(n));
    suite_free_device(input, result);
    free(host);
    return suite_end(&s);
}

static inline double
every_thread(int n)
{
    return n;
}

static inline double
every_block(int n)
{
    return suite_div_up(n, BLOCK);
}

#endif
