/* SPDX-License-Identifier: Apache-2.0
 *
 * strides.h: the programs of the bank calculator. A kernel puts one value a thread into shared
 * memory at PLACE(thread) and takes it out again from there; the program verifies that no two
 * threads met and prints, for every warp of the block, thread, place, bank and how many different
 * words the busiest bank has to serve. What a generation makes of it (bytes of one word,
 * half-warps) is said by `lockstep access` and `lockstep suite profile strides`.
 *
 *     #define TYPE char
 *     #define PLACE(t) ((t) * 4)
 *     #define ROOM (4 * BLOCK)
 *     #define NAME "strides/char_spaced"
 *     #define TITLE "chars, four bytes apart"
 *     #include "strides.h"
 */
#ifndef STRIDES_H
#define STRIDES_H

#include "../common/suite.h"

enum { BLOCK = 128 };

__global__ void
pass_through(const TYPE *in, TYPE *out, int n)
{
    __shared__ TYPE s[ROOM];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[PLACE(t)] = i < n ? in[i] : (TYPE)0;
    __syncthreads();
    if (i < n)
        out[i] = s[PLACE(t)];
}

/* How many different words the busiest bank has among `lanes` threads from `first` on. */
static inline int
busiest_bank(int first, int lanes, int banks)
{
    int most = 0;
    for (int b = 0; b < banks; b++) {
        int words[32], count = 0;
        for (int t = first; t < first + lanes; t++) {
            int word = (int)(PLACE(t) * sizeof(TYPE) / 4), known = word % banks != b;
            for (int k = 0; k < count; k++)
                known |= words[k] == word;
            if (!known)
                words[count++] = word;
        }
        most = count > most ? count : most;
    }
    return most;
}

static inline void
print_banks(struct suite *s)
{
    int banks = s->device.major < 2 ? 16 : 32, lanes = banks;
    suite_say(s, "%d banks of 4 bytes; element %zu bytes, %zu bytes of shared memory\n", banks,
              sizeof(TYPE), ROOM * sizeof(TYPE));
    suite_say(s, "%10s %10s %10s\n", "thread", "index", "bank");
    for (int t = 0; t < BLOCK; t = t == 11 ? 31 : t == 31 ? BLOCK - 1 : t + 1)
        suite_say(s, "%10d %10d %10d\n", t, PLACE(t), (int)(PLACE(t) * sizeof(TYPE) / 4) % banks);
    suite_figure(s, "bytes of shared memory", ROOM * sizeof(TYPE));
    for (int first = 0; first < BLOCK; first += lanes) {
        char name[40];
        int n = busiest_bank(first, lanes, banks);
        snprintf(name, sizeof name, "words of a bank, threads %d-%d", first, first + lanes - 1);
        suite_figure(s, name, n);
    }
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin(NAME, TITLE, BLOCK, NULL, 0, argc, argv);
    int n = s.size[0];
    TYPE *host = suite_host<TYPE>(n), *found = suite_host<TYPE>(n);
    for (int i = 0; i < n; i++)
        host[i] = (TYPE)(suite_random(i, 1) % 127);
    TYPE *in = suite_upload(host, n), *out = suite_device<TYPE>(n);
    if (n)
        SUITE_TIME(&s, pass_through<<<suite_div_up(n, BLOCK), BLOCK>>>(in, out, n));
    suite_download(found, out, n);
    suite_compare_equal(&s, "out", found, host, n);
    print_banks(&s);
    suite_free_device(in, out);
    suite_free_host(host, found);
    return suite_end(&s);
}

#endif
