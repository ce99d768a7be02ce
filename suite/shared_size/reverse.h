/* SPDX-License-Identifier: Apache-2.0
 *
 * reverse.h: the main program of the rungs that differ in how shared memory is asked for. All do
 * the same: each block reverses its part of an array in shared memory; the last block's part may be
 * short.
 */
#ifndef REVERSE_H
#define REVERSE_H

#include "../common/suite.h"

enum { BLOCK = 128 };

typedef void reverse_launch(const float *in, float *out, int n);

/* part: elements of a block. */
static int
reverse_main(const char *name, const char *title, int part, reverse_launch *launch, int argc,
             char **argv)
{
    struct suite s = suite_begin(name, title, 1000, NULL, 0, argc, argv);
    int n = s.size[0];
    float *host = suite_host<float>(n), *found = suite_host<float>(n);
    double *right = suite_host<double>(n);
    suite_fill(host, n, 1);
    for (int i = 0; i < n; i++) {
        int first = i / part * part, last = first + part < n ? first + part : n;
        right[i] = host[first + last - 1 - i];
    }
    float *in = suite_upload(host, n), *out = suite_device<float>(n);
    if (n)
        SUITE_TIME(&s, launch(in, out, n));
    suite_download(found, out, n);
    suite_compare_floats(&s, "out", found, right, n, 0);
    suite_free_device(in, out);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
