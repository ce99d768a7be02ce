/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product, the top rung: register blocking with the tiles brought by asynchronous copies,
 * four stages deep: while a block multiplies one pair of tiles the next ones are on their way, with
 * one barrier a pair. A thread computes 16 x 8 elements from words it reads 16 bytes at a time: six
 * such reads for 128 multiply-adds. A's tile is turned on its way to shared memory (copies of 4
 * bytes), so that both operands of a k lie side by side.
 *
 * Few tiles leave multiprocessors idle: then tiles are smaller, and the sum over k is split among
 * several blocks a tile; each puts its part aside, and the last one to come adds them up in order
 * (the same result every time). Where a block has 16 KB of shared memory (1.x), all tiles are
 * small. The kernel itself: pipelined.h.
 *
 * systems: A6
 * title: register blocking, asynchronous copies in stages, split sums
 * since: 8.0 asynchronous copies
 * rung: 10
 * sizes: 0 1 17 100 1000 65x300x129 128x1024x96 3973x20x1032
 * check: 17 50x33x70
 * bench: 512
 * gpu: 512; 1024; 2048; 4096; 8192; 1048576x64x64; 128x262144x128
 */
#include "pipelined.h"

static struct product_room room; /* one: all launches of a run have the same size and shape */

static void
launch(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    struct product p = {a, b, c, NULL, NULL, m, k, n, k, 0, 0, 0, 0, 0};
    (void)tile;
    product_launch_any(p, &room, 0);
}

int
main(int argc, char **argv)
{
    const struct suite_product p = {"matmul/pipelined", "product with copies in stages", 0, 0,
                                    launch};
    int status = suite_product_main(&p, argc, argv);
    product_release(&room);
    return status;
}
