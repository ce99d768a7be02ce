/* SPDX-License-Identifier: Apache-2.0
 *
 * The five kinds of variables in one kernel, and what the compiler made of them: bytes of local,
 * shared and constant memory, and registers, asked of the runtime (cudaFuncGetAttributes).
 *
 * systems: B11
 * title: register, local, shared, global, constant: what became of them
 * rung: 1
 * sizes: 0 1 17 100 1000
 * check: 17 300
 */
#include "../common/suite.h"

enum { THREADS = 64, BINS = 10 };

__constant__ int offset[4] = {1, 20, 300, 4000};
__device__ int scale = 3;

/* Each thread counts its own digits; the block's sums meet in shared memory. */
__global__ void
all_kinds(const int *in, int *out, int n)
{
    __shared__ int shared_sum[THREADS];
    int local_bins[BINS], t = threadIdx.x, i = blockIdx.x * THREADS + t;
    int automatic = i < n ? in[i] : 0;
    for (int k = 0; k < BINS; k++)
        local_bins[k] = 0;
    for (int rest = automatic; rest; rest /= 10)
        local_bins[rest % 10]++; /* an index that is computed: the array needs an address */
    shared_sum[t] = local_bins[automatic % 10] * scale + offset[automatic % 4];
    __syncthreads();
    if (i < n)
        out[i] = shared_sum[THREADS - 1 - t];
}

static int
digit_score(int value, const int *offsets)
{
    int bins[BINS] = {};
    for (int rest = value; rest; rest /= 10)
        bins[rest % 10]++;
    return bins[value % 10] * 3 + offsets[value % 4];
}

int
main(int argc, char **argv)
{
    static const int offsets[4] = {1, 20, 300, 4000};
    struct suite s =
        suite_begin("qualifiers/variables", "kinds of variables", 1000, NULL, 0, argc, argv);
    int n = s.size[0];
    struct cudaFuncAttributes kernel;
    int *host = suite_host<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    suite_fill_ints(host, n, 1000000, 1);
    for (int i = 0; i < n; i++) {
        int from = i / THREADS * THREADS + THREADS - 1 - i % THREADS;
        right[i] = digit_score(from < n ? host[from] : 0, offsets);
    }
    int *in = suite_upload(host, n), *out = suite_device<int>(n);
    if (n)
        SUITE_TIME(&s, all_kinds<<<suite_div_up(n, THREADS), THREADS>>>(in, out, n));
    suite_download(found, out, n);
    suite_compare_equal(&s, "out", found, right, n);
    CHECK(cudaFuncGetAttributes(&kernel, (const void *)all_kinds));
    suite_say(&s,
              "declaration               memory    found\n"
              "int automatic             register  %d registers a thread in all\n"
              "int local_bins[10]        local     %zu bytes a thread\n"
              "__shared__ int [64]       shared    %zu bytes a block\n"
              "__device__ int            global    one for all grids\n"
              "__constant__ int [4]      constant  set by the host alone\n\n",
              kernel.numRegs, kernel.localSizeBytes, kernel.sharedSizeBytes);
    suite_expect(&s, kernel.localSizeBytes >= BINS * sizeof(int), "the array is in local memory");
    suite_expect(&s, kernel.sharedSizeBytes == THREADS * sizeof(int), "the shared array's size");
    suite_figure(&s, "registers", kernel.numRegs);
    suite_figure(&s, "local_bytes", kernel.localSizeBytes);
    suite_figure(&s, "shared_bytes", kernel.sharedSizeBytes);
    suite_free_device(in, out);
    suite_free_host(host, found, right);
    return suite_end(&s);
}
