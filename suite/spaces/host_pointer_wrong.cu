/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel is given a pointer to the host's memory. On a device of its own that address means
 * nothing: the launch ends with cudaErrorIllegalAddress. Here host and device share a machine and
 * the kernel would get through; check reports the pointer of the wrong space.
 *
 * systems: A2
 * title: a kernel with the host's pointer
 * rung: 30
 * sizes: 1 2 17 100 1000
 * check: 17
 * expect: wrong-space
 * result: either
 */
#include "../common/suite.h"

__global__ void
twice(int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at[i] *= 2;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("spaces/host_pointer_wrong", "a kernel with the host's pointer",
                                 100, NULL, 0, argc, argv);
    int n = s.size[0];
    int *host = suite_host<int>(n), *right = suite_host<int>(n);
    suite_fill_ints(host, n, 1000, 1);
    for (int i = 0; i < n; i++)
        right[i] = 2 * host[i];
    twice<<<suite_div_up(n, 64), 64>>>(host, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    suite_compare_equal(&s, "host", host, right, n);
    suite_free_host(host, right);
    return suite_end(&s);
}
