/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory read with a stride: thread t reads word (t * stride) % 1024. As many threads meet
 * in a bank as the stride and the number of banks have a common factor: odd strides are free. A
 * slide calls stride 16 on 16 banks "a broadcast": it is not, the words differ; all 16 threads
 * queue.
 *
 * systems: A7
 * title: strides 0 to 33
 * rung: 1
 * sizes: 0 1 17 100 1000 3001
 * check: 17 1100
 */
#include "banks.h"

__global__ void
read_strided(float *out, const float *in, int n, int stride)
{
    __shared__ float words[WORDS];
    banks_bring(words, in, n);
    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        banks_keep(out, i, words[i * stride % WORDS], n);
}

static int
place(int i, int stride)
{
    return i * stride % WORDS;
}

int
main(int argc, char **argv)
{
    const struct banks_pattern p = {
        "banks/stride", "shared memory by strides", 0, 33, place, read_strided, "stride"};
    return banks_main(&p, argc, argv);
}
