/* SPDX-License-Identifier: Apache-2.0
 *
 * convolution.h: the main program of the 1-D convolutions: P[i] = sum over j of N[i - w/2 + j]
 * M[j], elements outside N count as 0 (ghosts). --mask: its width w, odd. With --size 7 and --mask
 * 5 the lecture's example: N 1 2 3 4 5 6 7, M 3 4 5 4 3.
 */
#ifndef CONVOLUTION_H
#define CONVOLUTION_H

#include "../common/suite.h"

enum { TILE = 256, MOST_MASK = 31 };

struct convolution {
    const char *name, *title;
    /* Before the clock runs: the mask to where the kernel wants it. */
    void (*set_mask)(const float *mask, int wide);
    /* n > 0; mask is in global memory for those that want it there. */
    void (*launch)(const float *in, const float *mask, float *out, int wide, int n);
};

static int
convolution_main(const struct convolution *c, int argc, char **argv)
{
    static const float slide[5] = {3, 4, 5, 4, 3};
    int wide = 5;
    const struct suite_extra extra = {"--mask", &wide, 1, MOST_MASK, "width of the mask, odd",
                                      NULL};
    struct suite s = suite_begin(c->name, c->title, 7, &extra, 1, argc, argv);
    int n = s.size[0];
    if (wide % 2 == 0) {
        fprintf(stderr, "%s: the mask's width is odd\n", argv[0]);
        return 2;
    }
    float *host = suite_host<float>(n), *found = suite_host<float>(n), mask[MOST_MASK];
    double *right = suite_host<double>(n);
    suite_fill(host, n, 1);
    suite_fill(mask, wide, 2);
    if (n == 7 && wide == 5) {
        memcpy(mask, slide, sizeof slide);
        for (int i = 0; i < n; i++)
            host[i] = (float)(i + 1);
    }
    for (int i = 0; s.verify && i < n; i++)
        for (int j = 0; j < wide; j++) {
            int from = i - wide / 2 + j;
            right[i] += from >= 0 && from < n ? (double)host[from] * mask[j] : 0;
        }
    float *in = suite_upload(host, n), *out = suite_device<float>(n);
    float *device_mask = suite_upload(mask, wide);
    if (c->set_mask)
        c->set_mask(mask, wide);
    if (n)
        SUITE_TIME(&s, c->launch(in, device_mask, out, wide, n));
    suite_download(found, out, n);
    suite_compare_floats(&s, "P", found, right, n, 4e-6);
    for (int i = 0; i < n && n <= 16; i++)
        suite_say(&s, "P[%d] = %g\n", i, found[i]);
    if (n > 1)
        suite_figure(&s, "P1", found[1]);
    suite_free_device(in, out, device_mask);
    suite_free_host(host, found, right);
    return suite_end(&s);
}

#endif
