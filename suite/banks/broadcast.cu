/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory where threads share words: in pattern g, groups of g neighbours read one word, and
 * the words of the groups lie 32 apart from each other: one bank. One word for all is a broadcast.
 * Several words, each for many threads: since 2.0 one access a word; before, only one word an
 * access is given to many, the others' readers queue one by one.
 *
 * systems: A7
 * title: broadcast: one word for many threads
 * rung: 3
 * sizes: 0 1 17 100 1000 1537
 * check: 17 300
 */
#include "banks.h"

__global__ void
read_shared_words(float *out, const float *in, int n, int group)
{
    __shared__ float words[THREADS];
    banks_bring(words, in, n);
    banks_keep(out, words[threadIdx.x / group * 32 % THREADS], n);
}

static int
place(int t, int group)
{
    return t / group * 32 % THREADS;
}

static void
launch(float *out, const float *in, int n, int group)
{
    read_shared_words<<<suite_div_up(n, THREADS), THREADS>>>(out, in, n, group);
}

int
main(int argc, char **argv)
{
    const struct banks_pattern p = {
        "banks/broadcast", "words for many threads", 1, 32, place, launch, "group"};
    return banks_main(&p, argc, argv);
}
