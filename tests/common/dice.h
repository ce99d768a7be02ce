/* SPDX-License-Identifier: Apache-2.0
 *
 * dice.h: random numbers that are the same each time (splitmix64).
 */
#ifndef TESTS_COMMON_DICE_H
#define TESTS_COMMON_DICE_H

#include <stdint.h>

/* One of the numbers below n; the state goes on. */
static inline uint32_t
dice_below(uint64_t *state, uint32_t n)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % n);
}

#endif
