/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory read with a stride: thread t reads word (t * stride) % 256. As many threads meet in
 * a bank as the stride and the number of banks have a common factor: odd strides are free. A slide
 * calls stride 16 on 16 banks "a broadcast": it is not, the words differ; all 16 threads queue.
 *
 * systems: A7
 * title: strides 0 to 33
 * rung: 1
 * sizes: 0 1 17 100 1000 1537
 * check: 17 300
 */
#include "banks.h"

__global__ void
read_strided(float *out, const float *in, int n, int stride)
{
    __shared__ float words[THREADS];
    banks_bring(words, in, n);
    banks_keep(out, words[threadIdx.x * stride % THREADS], n);
}

static int
place(int t, int stride)
{
    return t * stride % THREADS;
}

static void
launch(float *out, const float *in, int n, int stride)
{
    read_strided<<<suite_div_up(n, THREADS), THREADS>>>(out, in, n, stride);
}

int
main(int argc, char **argv)
{
    const struct banks_pattern p = {
        "banks/stride", "shared memory by strides", 0, 33, place, launch, "stride"};
    return banks_main(&p, argc, argv);
}
