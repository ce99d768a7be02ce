/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory where threads share words: in pattern g, groups of g neighbours read one word, and
 * the words of the groups lie 32 apart from each other: one bank. One word for all is a broadcast.
 * Several words, each for many threads: one access a word, since all lie in one bank.
 *
 * systems: A7
 * title: broadcast: one word for many threads
 * rung: 3
 * sizes: 0 1 17 100 1000 3001
 * check: 17 1100
 */
#include "banks.h"

__global__ void
read_shared_words(float *out, const float *in, int n, int group)
{
    __shared__ float words[WORDS];
    banks_bring(words, in, n);
    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        banks_keep(out, i, words[i / group * 32 % WORDS], n);
}

static int
place(int i, int group)
{
    return i / group * 32 % WORDS;
}

int
main(int argc, char **argv)
{
    const struct banks_pattern p = {
        "banks/broadcast", "words for many threads", 1, 32, place, read_shared_words, "group"};
    return banks_main(&p, argc, argv);
}
