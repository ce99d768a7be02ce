/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep.h, as a program calls it that no tool watches: what it promises of errors and of what is
 * known after them. Under the tools: tests/python/languages_test.py.
 */
#include <stdlib.h>
#include <string.h>

#include "common/unit.h"

#include "cuda.h"
#include "lockstep.h"

static void
test_no_tool(void **state)
{
    (void)state;
    assert_int_equal(lockstep_tool(), LOCKSTEP_TOOL_NONE);
    lockstep_place("main", "prog.py", 7);
    lockstep_place(NULL, NULL, 0);
}

static void
test_arrays(void **state)
{
    (void)state;
    static float a[64], b[64];
    const struct lockstep_array both[] = {{"a", a, sizeof a, NULL}, {"b", b, sizeof b, NULL}};
    assert_int_equal(lockstep_arrays(both, 2), CUDA_SUCCESS);
    assert_int_equal(lockstep_arrays_over(both, 2), CUDA_SUCCESS);
    assert_int_equal(lockstep_arrays(both, 2), CUDA_SUCCESS); /* and again */
    assert_int_equal(lockstep_arrays_over(both, 2), CUDA_SUCCESS);
    assert_int_equal(lockstep_arrays_over(both, 2), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_non_null(strstr(lockstep_reason(), "not registered"));
}

/* The first of two is not known after the second was refused. */
static void
test_overlap(void **state)
{
    (void)state;
    static float a[64];
    const struct lockstep_array two[] = {{"a", a, sizeof a, NULL}, {"part", a + 8, 32, NULL}};
    assert_int_equal(lockstep_arrays(two, 2), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_non_null(strstr(lockstep_reason(), "already"));
    assert_int_equal(lockstep_arrays_over(two, 1), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    const struct lockstep_array empty = {"empty", a, 0, NULL};
    assert_int_equal(lockstep_arrays(&empty, 1), CUDA_ERROR_INVALID_VALUE);
}

int
main(void)
{
    setenv("LOCKSTEP_QUIET", "1", 1);
    return UNIT_TESTS(test_no_tool, test_arrays, test_overlap);
}
