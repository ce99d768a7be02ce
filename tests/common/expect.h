/* SPDX-License-Identifier: Apache-2.0
 *
 * expect.h: what a program in CUDA C says of itself that is tested by being run: what does not hold
 * is printed with its line and counted in `failures`.
 */
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include <cstdio>

static int failures;
#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("line %d: %s\n", __LINE__, #what);                                              \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

#endif
