/* SPDX-License-Identifier: Apache-2.0
 *
 * ignoring.h: what a tool takes that wants to be told of accesses and keeps nothing.
 */
#ifndef TESTS_IGNORING_H
#define TESTS_IGNORING_H

#include "jit/jit.h"

static void
ignore_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
              uint32_t space, uint32_t op, uint32_t place)
{
}

static void
ignore_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
               uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
}

#endif
