/* SPDX-License-Identifier: Apache-2.0
 *
 * Which stores of a launch go past the caches: those of 16 MiB and more by all threads together.
 */
#include "common/unit.h"

#include "exec/exec_priv.h"

static void
by_bytes(void **state)
{
    const uint64_t most = 16 << 20;
    (void)state;
    for (uint64_t threads = 1; threads <= 1 << 26; threads = threads * 3 / 2 + 1)
        for (uint32_t bytes = 1; bytes <= 32; bytes *= 2) {
            uint32_t least = exec_stream_bytes(threads);
            assert_int_equal(least && bytes >= least, threads * bytes >= most);
        }
    assert_int_equal(exec_stream_bytes(0), 0);
    assert_int_equal(exec_stream_bytes(1024), 0);
    assert_int_equal(exec_stream_bytes(4 << 20), 4);
    assert_int_equal(exec_stream_bytes(2 << 20), 8);
}

int
main(void)
{
    return UNIT_TESTS(by_bytes);
}
