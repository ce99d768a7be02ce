/* SPDX-License-Identifier: Apache-2.0
 *
 * Row sums over a padded tile: with 33 words a row a step down is a step of one bank; rows and
 * columns are both free of conflicts. Price: one word a row that nobody uses.
 *
 * systems: C3
 * title: a column of a tile with 33 words a row
 * rung: 2
 * sizes: 0 1 17 100 1000x33 257x513
 * check: 33 100x40
 * bench: 512
 */
#define TILE_WORDS (DIM * (DIM + 1))
#define PLACE(row, column) ((row) * (DIM + 1) + (column))
#include "columns.h"

int
main(int argc, char **argv)
{
    return columns_main("columns/padded", "a column of a tile with 33 words a row", argc, argv);
}
