/* SPDX-License-Identifier: Apache-2.0
 *
 * The array lies by columns, the kernel takes it to lie by rows. With as many rows as columns it
 * adds to the mirrored element, otherwise to one that nobody meant: every access is inside the
 * array, and check has nothing to say. Only the comparison tells.
 *
 * systems: B1
 * title: by columns, taken to be by rows
 * rung: 4
 * sizes: 0 1 4 17 100x33 1000
 * check: 17 33x100
 * bench: 1000
 * result: wrong
 */
#include "flatten.h"

__global__ void
add_place(float *m, int rows, int cols)
{
    int col = blockIdx.x * WIDE + threadIdx.x, row = blockIdx.y * HIGH + threadIdx.y;
    if (row < rows && col < cols)
        m[(size_t)row * cols + col] += (float)(100 * row + col);
}

int
main(int argc, char **argv)
{
    return flatten_main("flatten/mixed_wrong", "by columns, taken to be by rows", true,
                        flatten_rows<add_place>, argc, argv);
}
