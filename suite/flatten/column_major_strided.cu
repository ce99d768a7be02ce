/* SPDX-License-Identifier: Apache-2.0
 *
 * The array by columns, as FORTRAN has it, worked on as if it lay by rows: element (row, col) at
 * col * rows + row. Right, but neighbouring threads take words that lie a column apart.
 *
 * systems: B1
 * title: by columns, threads along a row
 * rung: 2
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
        m[(size_t)col * rows + row] += (float)(100 * row + col);
}

int
main(int argc, char **argv)
{
    return flatten_main("flatten/column_major_strided", "by columns, threads along a row", true,
                        flatten_rows<add_place>, argc, argv);
}
