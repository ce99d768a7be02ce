/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank width: on 3.x a bank may be 4 or 8 bytes wide; eight suit doubles.
 * cudaDeviceSetSharedMemConfig says which; other generations have 4 and tell so. The kernel
 * reverses doubles within a warp: on 3.x without conflicts in either mode, which `lockstep access
 * --width 8` with and without --bank8 shows for any stride.
 *
 * systems: C6
 * title: cudaDeviceSetSharedMemConfig: banks of 4 or 8 bytes
 * since: 1.3 double precision
 * rung: 2
 * sizes: 0 1 17 1000 100003
 * check: 300
 */
#include "../common/suite.h"

enum { BLOCK = 128 };

__global__ void
reverse(const double *in, double *out, int n)
{
    __shared__ double s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    int other = t ^ 31;
    if (blockIdx.x * BLOCK + other < n)
        out[blockIdx.x * BLOCK + other] = s[other];
}

int
main(int argc, char **argv)
{
    struct suite s =
        suite_begin("cache_config/bank_width", "banks of 4 or 8 bytes", 1000, NULL, 0, argc, argv);
    static const enum cudaSharedMemConfig configs[] = {cudaSharedMemBankSizeDefault,
                                                       cudaSharedMemBankSizeFourByte,
                                                       cudaSharedMemBankSizeEightByte};
    int n = s.size[0];
    double *host = suite_host<double>(n), *found = suite_host<double>(n);
    for (int i = 0; i < n; i++)
        host[i] = i + 0.25;
    double *in = suite_upload(host, n), *out = suite_device<double>(n);
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"default asked for", "4 bytes asked for",
                                            "8 bytes asked for"};
        enum cudaSharedMemConfig now;
        CHECK(cudaDeviceSetSharedMemConfig(configs[k]));
        CHECK(cudaDeviceGetSharedMemConfig(&now));
        int width = now == cudaSharedMemBankSizeEightByte ? 8 : 4;
        if (s.device.major == 3 && k == 2)
            suite_expect(&s, width == 8, "3.x has banks of 8 bytes");
        if (s.device.major != 3)
            suite_expect(&s, width == 4, "only 3.x has banks of 8 bytes");
        if (n)
            SUITE_TIME(&s, reverse<<<suite_div_up(n, BLOCK), BLOCK>>>(in, out, n));
        suite_download(found, out, n);
        suite_compare_equal(&s, "out", found, host, n);
        suite_figure(&s, names[k], width);
    }
    CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeDefault));
    suite_free_device(in, out);
    suite_free_host(host, found);
    return suite_end(&s);
}
