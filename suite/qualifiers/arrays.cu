/* SPDX-License-Identifier: Apache-2.0
 *
 * "Automatic arrays live in local memory" is true of those whose index is computed at run time.
 * When every index is a constant, loops unrolled, the compiler keeps the elements in registers and
 * no local memory is left. Two kernels, the same sums; the runtime tells what each needs.
 *
 * systems: B11
 * title: an array in registers, an array in local memory
 * rung: 2
 * sizes: 0 1 17 100 1000
 * check: 17 300
 * bench: 100003
 */
#include "../common/suite.h"

enum { THREADS = 64, WIDE = 64 };

__global__ void
constant_indices(const int *in, int *out, int n)
{
    int window[WIDE], i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < WIDE; k++)
        window[k] = in[(i + k) % n];
#pragma unroll
    for (int k = 0; k < WIDE; k++)
        sum = 3 * sum + window[(5 * k + 1) % WIDE];
    out[i] = sum;
}

__global__ void
computed_indices(const int *in, int *out, const int *order, int n)
{
    int window[WIDE], i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    if (i >= n)
        return;
    for (int k = 0; k < WIDE; k++)
        window[k] = in[(i + k) % n];
    for (int k = 0; k < WIDE; k++)
        sum = 3 * sum + window[order[k]];
    out[i] = sum;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("qualifiers/arrays", "arrays in registers and in local memory",
                                 1000, NULL, 0, argc, argv);
    int n = s.size[0], blocks = suite_div_up(n, THREADS), order[WIDE];
    struct cudaFuncAttributes constant, computed;
    int *host = suite_host<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    suite_fill_ints(host, n, 1000, 1);
    for (int k = 0; k < WIDE; k++)
        order[k] = (5 * k + 1) % WIDE;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < WIDE; k++)
            right[i] = 3 * right[i] + host[(i + order[k]) % n];
    int *in = suite_upload(host, n), *device_order = suite_upload(order, WIDE);
    for (int way = 0; way < 2; way++) {
        int *out = suite_device<int>(n);
        if (n && way == 0)
            SUITE_TIME(&s, constant_indices<<<blocks, THREADS>>>(in, out, n));
        else if (n)
            SUITE_TIME(&s, computed_indices<<<blocks, THREADS>>>(in, out, device_order, n));
        suite_download(found, out, n);
        suite_compare_equal(&s, way ? "computed" : "constant", found, right, n);
        suite_figure(&s, way ? "milliseconds_local" : "milliseconds_registers", s.best_ms);
        CHECK(cudaFree(out));
    }
    CHECK(cudaFuncGetAttributes(&constant, (const void *)constant_indices));
    CHECK(cudaFuncGetAttributes(&computed, (const void *)computed_indices));
    suite_expect(&s, constant.localSizeBytes == 0, "constant indices need no local memory");
    suite_expect(&s, computed.localSizeBytes >= sizeof order, "computed indices do");
    suite_figure(&s, "local_bytes_constant_indices", constant.localSizeBytes);
    suite_figure(&s, "local_bytes_computed_indices", computed.localSizeBytes);
    suite_free_device(in, device_order);
    suite_free_host(host, found, right);
    return suite_end(&s);
}
