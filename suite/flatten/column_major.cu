/* SPDX-License-Identifier: Apache-2.0
 *
 * The array by columns with the threads along a column: neighbours take neighbouring words again.
 * It is the row-major kernel on the transposed array, for that is what an array by columns is.
 *
 * systems: B1
 * title: by columns, threads along a column
 * rung: 3
 * sizes: 0 1 4 17 100x33 1000
 * check: 17 33x100
 * bench: 1000
 */
#include "flatten.h"

__global__ void
add_place(float *m, int rows, int cols)
{
    int row = blockIdx.x * WIDE + threadIdx.x, col = blockIdx.y * HIGH + threadIdx.y;
    if (row < rows && col < cols)
        m[(size_t)col * rows + row] += (float)(100 * row + col);
}

static void
launch(float *m, int rows, int cols)
{
    dim3 grid(suite_div_up(rows, WIDE), suite_div_up(cols, HIGH));
    add_place<<<grid, dim3(WIDE, HIGH)>>>(m, rows, cols);
}

int
main(int argc, char **argv)
{
    return flatten_main("flatten/column_major", "by columns, threads along a column", true, launch,
                        argc, argv);
}
