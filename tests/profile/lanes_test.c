/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to the addresses of 32 lanes, lane by lane and with wide vectors, against loops that
 * say the same.
 */
#include "profile/profile_priv.h"

#include "common/unit.h"

static uint64_t
next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

static void
test_within(void **unused)
{
    (void)unused;
    uint64_t seed = 7, address[JIT_LANES];
    for (int k = 0; k < 2000; k++) {
        uint64_t first = k % 3 ? next(&seed) : 1ull << 63, bytes = k % 7 ? next(&seed) % 5000 : 0;
        uint32_t within = 0;
        for (uint32_t l = 0; l < JIT_LANES; l++) {
            address[l] = first + next(&seed) % 8000 - 1500;
            within |= (uint32_t)(address[l] >= first && address[l] < first + bytes) << l;
        }
        assert_int_equal(lanes_within(false, address, first, bytes), within);
        assert_int_equal(lanes_within(lanes_wide(), address, first, bytes), within);
    }
}

static void
test_fit(void **unused)
{
    (void)unused;
    uint64_t seed = 9, address[JIT_LANES];
    int64_t distance[JIT_LANES];
    uint32_t fitting = 0;
    for (int k = 0; k < 4000; k++) {
        uint64_t first = next(&seed), step = k % 4 ? 0 : next(&seed) % 4096;
        uint32_t lanes = k % 5 ? (uint32_t)next(&seed) : ~0u,
                 stray = (uint32_t)next(&seed) % JIT_LANES;
        for (uint32_t l = 0; l < JIT_LANES; l++) {
            distance[l] = lanes >> l & 1 ? (int64_t)(next(&seed) % 9999) - 5000 : 0;
            address[l] = lanes >> l & 1 ? first + l * step + (uint64_t)distance[l] : next(&seed);
        }
        if (k % 2)
            address[stray] ^= 1ull << k % 64;
        bool fits = !(k % 2 && lanes >> stray & 1);
        fitting += fits;
        assert_int_equal(lanes_fit(false, lanes, address, first, step, distance), fits);
        assert_int_equal(lanes_fit(lanes_wide(), lanes, address, first, step, distance), fits);
    }
    assert_in_range(fitting, 2001, 3900);
}

static void
test_different(void **unused)
{
    (void)unused;
    uint64_t seed = 11, address[JIT_LANES];
    for (int k = 0; k < 4000; k++) {
        uint64_t values = 1 + next(&seed) % (k % 2 ? 40 : 5), at = k % 3 ? next(&seed) : 0;
        uint32_t lanes = k % 5 ? (uint32_t)next(&seed) : k % 10 ? ~0u : 0, different = 0;
        for (uint32_t l = 0; l < JIT_LANES; l++) {
            address[l] = at + next(&seed) % values * (k % 7 ? 4 : 1ull << 40);
            bool first = lanes >> l & 1;
            for (uint32_t m = 0; m < l; m++)
                first &= !(lanes >> m & 1 && address[m] == address[l]);
            different += first;
        }
        assert_int_equal(lanes_different(false, lanes, address), different);
        assert_int_equal(lanes_different(lanes_wide(), lanes, address), different);
    }
}

int
main(void)
{
    return UNIT_TESTS(test_within, test_fit, test_different);
}
