/* SPDX-License-Identifier: Apache-2.0
 *
 * y = a x + b as the homework launches it: <<<1, n>>>. With more elements than a block may have
 * threads the launch fails, which it says to nobody: y keeps what was in it. The program goes on as
 * if nothing were.
 *
 * systems: E1, E2
 * title: one block of n threads, nobody looks at the error
 * rung: 10
 * sizes: 1 17 512 1537 100003
 * check: 1537
 * expect: api-error
 * result: wrong
 */
#include "../common/suite.h"

__global__ void
axpb(const float *x, float *y, float a, float b)
{
    y[threadIdx.x] = a * x[threadIdx.x] + b;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("axpb/lecture_wrong", "y = a x + b, error not looked at", 1537,
                                 NULL, 0, argc, argv);
    int n = s.size[0];
    float *host = suite_host<float>(n), *found = suite_host<float>(n);
    suite_fill(host, n, 1);
    float *x = suite_upload(host, n), *y = suite_device<float>(n);
    axpb<<<1, n>>>(x, y, 5, -1);
    suite_download(found, y, n);
    for (int i = 0; i < n; i++)
        host[i] = 5 * host[i] - 1;
    suite_compare_floats(&s, "y", found, host, n, 1e-6);
    suite_free_device(x, y);
    suite_free_host(host, found);
    return suite_end(&s);
}
