/* SPDX-License-Identifier: Apache-2.0
 *
 * Row sums over a swizzled tile: the column's number is combined with the row's by exclusive or. In
 * a row and in a column every bank occurs once, and no word is wasted.
 *
 * systems: C3
 * title: columns exchanged row by row
 * rung: 4
 * sizes: 0 1 17 100 1000x33 257x513
 * check: 33 100x40
 * bench: 512
 */
#define TILE_WORDS (DIM * DIM)
#define PLACE(row, column) ((row)*DIM + ((column) ^ (row)))
#include "columns.h"

int
main(int argc, char **argv)
{
    return columns_main("columns/swizzled", "columns exchanged row by row", argc, argv);
}
