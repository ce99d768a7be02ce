/* SPDX-License-Identifier: Apache-2.0
 *
 * Averaging filter, the top rung: different arrays, many iterations a pass, many blocks, in
 * registers. A warp holds 32 x EACH neighbouring elements, EACH a lane; an iteration takes the
 * word beyond either end of a lane's piece from its neighbours by shuffle. What lies beyond the
 * warp's piece is not known, so that an element more on both sides is lost in every iteration: with
 * at most EACH iterations a pass the first and the last lane's pieces, which the neighbouring warps
 * compute again.
 *
 * The mean's division is put off: sums of three only, and one factor 1 / 3^k at the end of a pass.
 * The words go through shared memory, vectors swizzled by exclusive or, so that memory sees whole
 * lines.
 *
 * systems: A9
 * title: up to sixteen iterations a pass in registers
 * since: 3.0 shuffles
 * rung: 18
 * sizes: 0 1 17 100 1000 100003
 * check: 17 300 1000
 * bench: 100003
 * gpu: 268435456 --iterations 1; 268435456 --iterations 4
 * gpu: 268435456 --iterations 8; 268435456 --iterations 16
 */
#include "passes.h"

static float *
launch(float *a, float *b, int n, int iterations)
{
    float *from = a, *to = b;
    for (int done = 0; done < iterations;) {
        done += pass<EACH>(to, from, n, iterations - done, 0);
        float *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

int
main(int argc, char **argv)
{
    const struct average_case c = {"average/vectors", "sixteen iterations a pass in registers", 6,
                                   0, launch};
    return average_main(&c, argc, argv);
}
