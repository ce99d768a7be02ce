/* SPDX-License-Identifier: Apache-2.0
 *
 * unit.h: cmocka, and the main of a program of unit tests.
 */
#ifndef TESTS_COMMON_UNIT_H
#define TESTS_COMMON_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

/* Runs the functions, each a test of its name; what main returns. In: begin and end stand around
 * all of them (NULL: nothing does). */
#define UNIT_TESTS(...) UNIT_TESTS_IN(NULL, NULL, __VA_ARGS__)
#define UNIT_TESTS_IN(begin, end, ...)                                                             \
    unit_run((const CMUnitTestFunction[]){__VA_ARGS__},                                            \
             sizeof((const CMUnitTestFunction[]){__VA_ARGS__}) / sizeof(CMUnitTestFunction),       \
             (char[]){#__VA_ARGS__}, begin, end)

enum { UNIT_MOST = 64 }; /* tests of a program */

/* names: with commas between, which are overwritten. */
static inline int
unit_run(const CMUnitTestFunction *test, size_t count, char *names, CMFixtureFunction begin,
         CMFixtureFunction end)
{
    struct CMUnitTest tests[UNIT_MOST] = {0};
    if (count > UNIT_MOST)
        return 1;
    for (size_t k = 0; k < count; k++)
        tests[k] =
            (struct CMUnitTest){.name = strtok(k ? NULL : names, ", "), .test_func = test[k]};
    return _cmocka_run_group_tests("tests", tests, count, begin, end);
}

#endif
