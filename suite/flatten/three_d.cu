/* SPDX-License-Identifier: Apache-2.0
 *
 * Three dimensions: element (plane, row, col) at (plane * rows + row) * cols + col. A grid of 1.x
 * has two dimensions, so the threads walk over the planes; --size PLANESxROWSxCOLS.
 *
 * systems: B1
 * title: three dimensions, by rows
 * rung: 5
 * sizes: 0 1 4 17 5x100x33 40x50x60
 * check: 7 3x5x70
 */
#include "../common/suite.h"

enum { WIDE = 32, HIGH = 8 };

__global__ void
add_place(float *m, int planes, int rows, int cols)
{
    int col = blockIdx.x * WIDE + threadIdx.x, row = blockIdx.y * HIGH + threadIdx.y;
    if (row < rows && col < cols)
        for (int plane = 0; plane < planes; plane++)
            m[((size_t)plane * rows + row) * cols + col] +=
                (float)(10000 * plane + 100 * row + col);
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("flatten/three_d", "three dimensions", 17, NULL, 0, argc, argv);
    int planes = s.size[0], rows = s.size[1], cols = s.size[2];
    size_t count = (size_t)planes * rows * cols;
    float *host = suite_host<float>(count), *right = suite_host<float>(count);
    float *found = suite_host<float>(count);
    suite_fill(host, count, 1);
    for (size_t i = 0; i < count; i++) {
        size_t col = i % cols, row = i / cols % rows, plane = i / cols / rows;
        right[i] = host[i] + (float)(10000 * plane + 100 * row + col);
    }
    float *m = suite_device<float>(count);
    dim3 grid(suite_div_up(cols, WIDE), suite_div_up(rows, HIGH)), block(WIDE, HIGH);
    if (count)
        SUITE_TIME_AFTER(&s, suite_to_device(m, host, count),
                         add_place<<<grid, block>>>(m, planes, rows, cols));
    suite_download(found, m, count);
    suite_compare_equal(&s, "M", found, right, count);
    CHECK(cudaFree(m));
    suite_free_host(host, right, found);
    return suite_end(&s);
}
