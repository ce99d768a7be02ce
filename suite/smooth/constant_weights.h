/* SPDX-License-Identifier: Apache-2.0
 *
 * constant_weights.h: the weights in constant memory, for kernels that read them there.
 */
#ifndef CONSTANT_WEIGHTS_H
#define CONSTANT_WEIGHTS_H

#include "smooth.h"

__constant__ float constant_weights[MOST_WEIGHTS];

static inline void
prepare(const float *weights, const float *line, int radius)
{
    int count = (2 * radius + 1) * (2 * radius + 1);
    (void)line;
    CHECK(cudaMemcpyToSymbol(constant_weights, weights, count * sizeof *weights));
}

#endif
