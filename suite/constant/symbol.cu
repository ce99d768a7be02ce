/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host does with constant memory: it sets part of a variable (cudaMemcpyToSymbol with an
 * offset), reads it back, asks for its size and address, and asks the device how much there is. A
 * kernel sees what was set last before its launch; it cannot change it.
 *
 * systems: B13
 * title: cudaMemcpyToSymbol and its relatives
 * rung: 5
 * sizes: 0 1 17 100 1000 4096
 * check: 17 300
 */
#include "../common/suite.h"

enum { MOST = 4096, THREADS = 128 };

__constant__ float table[MOST];

__global__ void
copy_out(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[i];
}

int
main(int argc, char **argv)
{
    struct suite s =
        suite_begin("constant/symbol", "cudaMemcpyToSymbol", 1000, NULL, 0, argc, argv);
    int n = s.size[0];
    if (n > MOST) {
        fprintf(stderr, "%s: at most %d words\n", argv[0], MOST);
        return 2;
    }
    float *host = suite_host<float>(n), *found = suite_host<float>(n),
          *out = suite_device<float>(n);
    size_t bytes = 0, half = (size_t)n / 2;
    void *address = NULL;
    CHECK(cudaGetSymbolSize(&bytes, table));
    CHECK(cudaGetSymbolAddress(&address, table));
    suite_expect(&s, bytes == sizeof table, "the symbol's size is its variable's");
    suite_expect(&s, bytes <= s.device.totalConstMem, "it fits into constant memory");
    suite_expect(&s, address != NULL, "it has an address");
    for (int round = 1; round <= 2; round++) { /* the second time other values are seen */
        suite_fill(host, n, round);
        CHECK(cudaMemcpyToSymbol(table, host, half * sizeof *host));
        CHECK(
            cudaMemcpyToSymbol(table, host + half, (n - half) * sizeof *host, half * sizeof *host));
        if (n)
            SUITE_TIME(&s, copy_out<<<suite_div_up(n, THREADS), THREADS>>>(out, n));
        suite_download(found, out, n);
        suite_compare_equal(&s, "seen by the kernel", found, host, n);
        memset(found, 0, n * sizeof *found);
        CHECK(cudaMemcpyFromSymbol(found, table, n * sizeof *found));
        suite_compare_equal(&s, "read back", found, host, n);
    }
    suite_figure(&s, "constant_memory", s.device.totalConstMem);
    CHECK(cudaFree(out));
    suite_free_host(host, found);
    return suite_end(&s);
}
