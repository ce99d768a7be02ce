/* SPDX-License-Identifier: Apache-2.0
 *
 * 32-bit numbers as sums of products of registers (products.c): what a[y * n + x + 1] is indexed
 * with, in all lanes of several warps of a block that execute the same instructions.
 */
#ifndef LOCKSTEP_PRODUCTS_H
#define LOCKSTEP_PRODUCTS_H

#include "analysis/analysis.h"

enum { INDEX_TERMS = 6 };

/* x * y so many times: in lane l of warp k times + scale * (pattern[l] + step * k); scale 0: in all
 * of them. */
struct index_term {
    uint32_t x, y; /* registers, x <= y, as they were when the way began; PTX_NO_REG: none */
    int64_t times;
    const int32_t *pattern; /* NULL: 0 */
    int32_t step, scale;
};

/* Modulo 2^32. */
struct index {
    bool known;
    unsigned count;
    struct index_term term[INDEX_TERMS];
};

struct index index_number(int64_t number);
/* A register that is kept as a scalar, whose lanes and warps differ by known numbers. */
struct index index_register(const struct warps *w, uint32_t reg);
/* a + sign * b; a * b. */
struct index index_sum(const struct index *a, const struct index *b, int sign);
struct index index_product(const struct index *a, const struct index *b);
bool index_has(const struct index *a, uint32_t reg);
/* The least and the greatest that a term's factor is. */
void index_range(const struct index_term *t, uint32_t warps, int64_t *low, int64_t *high);

#endif
