/* SPDX-License-Identifier: Apache-2.0
 *
 * The worked example of the product, 2 x 3 by 3 x 3, three ways: a row, a column, an element a
 * thread, in integers. All three must agree with plain C; --size MxKxN takes other numbers.
 *
 * systems: B2
 * title: the worked example: 2x3 by 3x3, three ways
 * rung: 20
 * sizes: 2x3x3 1 17 100 5x70x3
 * check: 2x3x3 17
 */
#include "../common/suite.h"

enum { THREADS = 64 };

static __device__ int
inner(const int *a, const int *b, int row, int col, int k, int n)
{
    int sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + col];
    return sum;
}

__global__ void
by_rows(const int *a, const int *b, int *c, int m, int k, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int col = 0; row < m && col < n; col++)
        c[row * n + col] = inner(a, b, row, col, k, n);
}

__global__ void
by_columns(const int *a, const int *b, int *c, int m, int k, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = 0; col < n && row < m; row++)
        c[row * n + col] = inner(a, b, row, col, k, n);
}

__global__ void
by_elements(const int *a, const int *b, int *c, int m, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * n)
        c[i] = inner(a, b, i / n, i % n, k, n);
}

typedef void (*kernel)(const int *, const int *, int *, int, int, int);

static void
print(const struct suite *s, const char *name, const int *at, int rows, int cols)
{
    suite_say(s, "%s\n", name);
    for (int i = 0; i < rows * cols; i++)
        suite_say(s, i % cols == cols - 1 ? "%4d\n" : "%4d", at[i]);
    suite_say(s, "\n");
}

int
main(int argc, char **argv)
{
    static const int slide_a[6] = {2, 3, 1, 4, 5, 7}, slide_b[9] = {1, 8, 5, 4, 2, 7, 9, 6, 3};
    struct suite s = suite_begin_sized("matmul/example", "the worked example of the product",
                                       "2x3x3", NULL, 0, argc, argv);
    int m = s.size[0], k = s.size[1], n = s.size[2];
    bool slide = m == 2 && k == 3 && n == 3;
    int *host_a = suite_host<int>(m * k), *host_b = suite_host<int>(k * n);
    int *right = suite_host<int>(m * n), *found = suite_host<int>(m * n);
    suite_fill_ints(host_a, m * k, 10, 1);
    suite_fill_ints(host_b, k * n, 10, 2);
    if (slide) {
        memcpy(host_a, slide_a, sizeof slide_a);
        memcpy(host_b, slide_b, sizeof slide_b);
    }
    for (int i = 0; i < m * n; i++)
        for (int l = 0; l < k; l++)
            right[i] += host_a[i / n * k + l] * host_b[l * n + i % n];
    int *a = suite_upload(host_a, m * k), *b = suite_upload(host_b, k * n);
    const struct {
        const char *name;
        kernel run;
        int threads;
    } ways[3] = {{"a thread a row", by_rows, m},
                 {"a thread a column", by_columns, n},
                 {"a thread an element", by_elements, m * n}};
    for (int i = 0; i < 3; i++) {
        int *c = suite_device<int>(m * n), blocks = suite_div_up(ways[i].threads, THREADS);
        SUITE_TIME(&s, ways[i].run<<<blocks, THREADS>>>(a, b, c, m, k, n));
        suite_download(found, c, m * n);
        suite_compare_equal(&s, ways[i].name, found, right, m * n);
        suite_say(&s, "%s: %d threads\n", ways[i].name, ways[i].threads);
        CHECK(cudaFree(c));
    }
    if (slide) {
        print(&s, "\nA", host_a, m, k);
        print(&s, "B", host_b, k, n);
        print(&s, "C", found, m, n);
    }
    suite_free_device(a, b);
    suite_free_host(host_a, host_b, right, found);
    return suite_end(&s);
}
