/* SPDX-License-Identifier: Apache-2.0
 *
 * A warp's texture_fetch_lanes reads what texture_fetch reads lane by lane: all kinds of texels,
 * one to three dimensions, indices side by side, scattered and outside, some lanes absent.
 */
#include "model/texture.h"

#include <stdlib.h>
#include <string.h>

#include "common/unit.h"

enum { WIDTH = 70, HEIGHT = 5, DEPTH = 3, PITCH = 4 * 4 * WIDTH + 16 };

static uint32_t
next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Side by side from near an edge, or anywhere a little around the texture. */
static void
fill(uint64_t *random, uint32_t index[3][32])
{
    static const uint32_t size[3] = {WIDTH, HEIGHT, DEPTH};
    bool row = next(random) & 1;
    uint32_t first = next(random) % (WIDTH + 80) - 40;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t axis = 0; axis < 3; axis++)
            index[axis][lane] = next(random) % (size[axis] + 4) - 2;
    for (uint32_t lane = 0; row && lane < 32; lane++)
        index[0][lane] = first + lane;
    if (next(random) % 8 == 0)
        index[0][next(random) % 32] ^= 0x80000000;
}

static void
as_lane_by_lane(void **state)
{
    uint64_t random = 7;
    uint8_t *texels = malloc(DEPTH * HEIGHT * PITCH);
    for (size_t k = 0; k < DEPTH * HEIGHT * PITCH; k++)
        texels[k] = (uint8_t)next(&random);
    for (int round = 0; round < 20000; round++) {
        struct texture_view t = {.data = texels,
                                 .dims = 1 + next(&random) % 3,
                                 .width = WIDTH,
                                 .height = HEIGHT,
                                 .depth = DEPTH,
                                 .pitch = PITCH,
                                 .slice = HEIGHT * PITCH,
                                 .element = next(&random) % 8,
                                 .channels = 1u << next(&random) % 3,
                                 .normalized_read = next(&random) & 1};
        uint32_t index[3][32], out[4][32], one[4];
        uint32_t lanes = next(&random) & 1 ? ~0u : next(&random) * 3 | 1;
        fill(&random, index);
        memset(out, 0x5a, sizeof out);
        texture_fetch_lanes(&t, lanes, (const uint32_t(*)[32])index, out);
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(lanes >> lane & 1)) { /* another texture's, maybe */
                for (uint32_t c = 0; c < 4; c++)
                    assert_int_equal(out[c][lane], 0x5a5a5a5a);
                continue;
            }
            int32_t at[3] = {(int32_t)index[0][lane], (int32_t)index[1][lane],
                             (int32_t)index[2][lane]};
            texture_fetch(&t, at, one);
            for (uint32_t c = 0; c < 4; c++)
                assert_int_equal(out[c][lane], one[c]);
        }
    }
    free(texels);
}

/* Indices around the largest number must not count as side by side, nor as inside. */
static void
around_the_end(void **state)
{
    static const uint32_t texels[40];
    struct texture_view t = {
        .data = texels, .dims = 1, .width = 40, .element = TEXEL_U32, .channels = 1};
    uint32_t index[3][32], out[4][32];
    for (uint32_t lane = 0; lane < 32; lane++)
        index[0][lane] = lane - 16;
    memset(out, 1, sizeof out);
    texture_fetch_lanes(&t, ~0u, (const uint32_t(*)[32])index, out);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(out[0][lane], 0);
}

int
main(void)
{
    return UNIT_TESTS(as_lane_by_lane, around_the_end);
}
