/* SPDX-License-Identifier: Apache-2.0
 *
 * sum3.h: the main program of the sums of three neighbours: c[i] = a[i-1] + a[i] + a[i+1], where
 * what lies outside the array counts as 0.
 */
#ifndef SUM3_H
#define SUM3_H

#include "../common/suite.h"

enum { BLOCK = 128 };

typedef void sum3_launch(int *c, const int *a, int n);

/* loads: elements that one inner block reads from global memory. */
static int
sum3_main(const char *name, const char *title, double loads, sum3_launch *launch, int argc,
          char **argv)
{
    struct suite s = suite_begin(name, title, 1000, NULL, 0, argc, argv);
    int n = s.size[0];
    int *host = suite_host<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    suite_fill_ints(host, n, 1000, 1);
    for (int i = 0; i < n; i++)
        right[i] = (i > 0 ? host[i - 1] : 0) + host[i] + (i < n - 1 ? host[i + 1] : 0);
    int *a = suite_upload(host, n), *c = suite_device<int>(n);
    if (n)
        SUITE_TIME(&s, launch(c, a, n));
    suite_download(found, c, n);
    suite_compare_equal(&s, "c", found, right, n);
    suite_figure(&s, "global loads of an inner block", loads);
    suite_figure(&s, "global loads an element", loads / BLOCK);
    suite_free_device(a, c);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
