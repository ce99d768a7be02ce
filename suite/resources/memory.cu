/* SPDX-License-Identifier: Apache-2.0
 *
 * How many blocks a multiprocessor takes, by what each block needs: shared memory asked for at
 * launch, and registers of a kernel that keeps many values at once. The runtime takes fewer blocks,
 * until all they need fits. One byte too many may cost a whole block.
 *
 * systems: B8
 * title: blocks resident, by shared memory and registers
 * rung: 2
 * sizes: 0 1 17 1000 20003
 * check: 17 300
 */
#include "resources.h"

enum { THREADS = 128, VALUES = 40 };

/* Sums of VALUES neighbours, all of them in registers before the first is used. */
__global__ void
__launch_bounds__(THREADS) many_registers(const int *in, int *out, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x, values[VALUES], sum = 0;
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        values[k] = in[(i + k) % n];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        sum = sum * 3 + values[k];
    if (i < n)
        out[i] = sum;
}

__global__ void
__launch_bounds__(THREADS) much_shared(const int *in, int *out, int n)
{
    extern __shared__ int words[];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    words[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = words[THREADS - 1 - t];
}

static void
compare_shared(struct suite *s, const int *host, int *found, int n)
{
    for (int i = 0; i < n; i++) {
        int from = i / THREADS * THREADS + THREADS - 1 - i % THREADS;
        if (found[i] != (from < n ? host[from] : 0))
            suite_wrong(s, "out[%d] is %d", i, found[i]);
        s->checked++;
    }
}

static void
compare_registers(struct suite *s, const int *host, int *found, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned sum = 0;
        for (int k = 0; k < VALUES; k++)
            sum = sum * 3 + (unsigned)host[(i + k) % n];
        if (found[i] != (int)sum)
            suite_wrong(s, "out[%d] is %d, should be %d", i, found[i], (int)sum);
        s->checked++;
    }
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("resources/memory", "blocks resident by their memory", 1000, NULL,
                                 0, argc, argv);
    int n = s.size[0], blocks = suite_div_up(n, THREADS), resident = 0;
    int *host = suite_host<int>(n), *found = suite_host<int>(n), *out = suite_device<int>(n);
    struct cudaFuncAttributes kernel;
    suite_fill_ints(host, n, 1000, 1);
    int *in = suite_upload(host, n);
    resources_heading(&s);
    CHECK(cudaFuncGetAttributes(&kernel, (const void *)much_shared));
    for (size_t bytes = 512; bytes <= s.device.sharedMemPerBlock; bytes *= 2) {
        char name[40];
        CHECK(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, much_shared, THREADS, bytes));
        resources_compare(&s, "shared", THREADS, kernel.numRegs, bytes, resident);
        snprintf(name, sizeof name, "resident_shared_%zu", bytes);
        suite_figure(&s, name, resident);
        if (n)
            SUITE_TIME(&s, much_shared<<<blocks, THREADS, bytes>>>(in, out, n));
        suite_download(found, out, n);
        compare_shared(&s, host, found, n);
    }
    CHECK(cudaFuncGetAttributes(&kernel, (const void *)many_registers));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, many_registers, THREADS, 0));
    resources_compare(&s, "registers", THREADS, kernel.numRegs, 0, resident);
    suite_figure(&s, "registers", kernel.numRegs);
    suite_figure(&s, "resident_registers", resident);
    if (n)
        SUITE_TIME(&s, many_registers<<<blocks, THREADS>>>(in, out, n));
    suite_download(found, out, n);
    compare_registers(&s, host, found, n);
    suite_say(&s, "\n");
    suite_free_device(in, out);
    suite_free_host(host, found);
    return suite_end(&s);
}
