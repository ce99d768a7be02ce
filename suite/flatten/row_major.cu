/* SPDX-License-Identifier: Apache-2.0
 *
 * A two-dimensional array by rows, as C has it: element (row, col) at row * cols + col.
 * Neighbouring threads take neighbouring columns, which are neighbouring words.
 *
 * systems: B1
 * title: by rows, threads along a row
 * rung: 1
 * sizes: 0 1 4 17 100x33 1000
 * check: 17 33x100
 * bench: 1000
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
    return flatten_main("flatten/row_major", "by rows, threads along a row", false,
                        flatten_rows<add_place>, argc, argv);
}
