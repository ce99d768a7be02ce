/* SPDX-License-Identifier: Apache-2.0
 *
 * Row sums over a tile as C lays it out: when 32 lanes read one column, their words are 32 apart
 * and all of them lie in one bank: 32-way conflicts from 2.0 on, 16-way ones in each half-warp
 * of 1.x.
 *
 * systems: C3
 * title: a column of a 32 x 32 tile
 * rung: 1
 * sizes: 0 1 17 100 1000x33 257x513
 * check: 33 100x40
 * bench: 512
 */
#define TILE_WORDS (DIM * DIM)
#define PLACE(row, column) ((row)*DIM + (column))
#include "columns.h"

int
main(int argc, char **argv)
{
    return columns_main("columns/naive", "a column of a 32 x 32 tile", argc, argv);
}
