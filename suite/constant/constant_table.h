/* SPDX-License-Identifier: Apache-2.0
 *
 * constant_table.h: the table in constant memory, for kernels that read it there.
 */
#ifndef CONSTANT_TABLE_H
#define CONSTANT_TABLE_H

#include "constant.h"

__constant__ float table_constant[WORDS];

static inline void
set(const float *table)
{
    CHECK(cudaMemcpyToSymbol(table_constant, table, sizeof table_constant));
}

template <void (*kernel)(float *out, const float *in, int n)>
static inline void
launch(float *out, const float *in, const float *table, int n)
{
    (void)table;
    kernel<<<suite_div_up(n, THREADS), THREADS>>>(out, in, n);
}

#endif
