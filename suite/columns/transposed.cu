/* SPDX-License-Identifier: Apache-2.0
 *
 * Row sums over the transposed tile, the lecture's exercise: now the lanes read along a row of the
 * tile, free of conflicts; but those that bring the data write down a column. The conflicts are
 * only moved. It pays where a tile is read more often than it is written; here each word is written
 * once and read once.
 *
 * systems: C3
 * title: the tile transposed
 * rung: 3
 * sizes: 0 1 17 100 1000x33 257x513
 * check: 33 100x40
 * bench: 512
 */
#define TILE_WORDS (DIM * DIM)
#define PLACE(row, column) ((column)*DIM + (row))
#include "columns.h"

int
main(int argc, char **argv)
{
    return columns_main("columns/transposed", "the tile transposed", argc, argv);
}
