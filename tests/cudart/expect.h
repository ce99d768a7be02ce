/* SPDX-License-Identifier: Apache-2.0
 *
 * expect.h: numbers that have to be equal, calls that have to succeed; `failures` counts the
 * others.
 */
#include <cstdio>

static int failures;
#define EXPECT(what, got, want)                                                                    \
    do {                                                                                           \
        long g_ = (long)(got), w_ = (long)(want);                                                  \
        if (g_ != w_)                                                                              \
            printf("FAIL %s: %ld, not %ld (line %d)\n", what, g_, w_, __LINE__), failures++;       \
    } while (0)
#define OK(call) EXPECT(#call, call, cudaSuccess)
