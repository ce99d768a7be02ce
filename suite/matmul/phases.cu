/* SPDX-License-Identifier: Apache-2.0
 *
 * The phases of the tiled product: the kernel writes down, for one block, which element of M and of
 * N each thread brings into shared memory in each phase, and which places of the two tiles it then
 * multiplies. The table is printed for a small launch; the log is compared with what must happen.
 * Subscripts are row, column. --block-x and --block-y choose the block, --tile its size.
 *
 * systems: B14, A4
 * title: which thread loads and uses what, in which phase
 * rung: 22
 * sizes: 4 1 7 17 100
 * check: 4 17
 */
#include "../common/product.h"

/* Elements by their linear index in M and N, -1: beyond the edge, a zero. */
struct entry {
    int m, n;
};

__global__ void
product(const float *m, const float *n, float *p, struct entry *log, int width, int log_x,
        int log_y)
{
    extern __shared__ float shared[];
    int tile = blockDim.x, x = threadIdx.x, y = threadIdx.y, phases = (width + tile - 1) / tile;
    int row = blockIdx.y * tile + y, col = blockIdx.x * tile + x;
    float *mds = shared, *nds = shared + tile * tile, sum = 0;
    bool logged = blockIdx.x == log_x && blockIdx.y == log_y;
    for (int phase = 0; phase < phases; phase++) {
        int right = phase * tile + x, down = phase * tile + y;
        struct entry e = {row < width && right < width ? row * width + right : -1,
                          down < width && col < width ? down * width + col : -1};
        mds[y * tile + x] = e.m < 0 ? 0 : m[e.m];
        nds[y * tile + x] = e.n < 0 ? 0 : n[e.n];
        if (logged)
            log[(y * tile + x) * phases + phase] = e;
        __syncthreads();
        for (int k = 0; k < tile; k++)
            sum += mds[y * tile + k] * nds[k * tile + x];
        __syncthreads();
    }
    if (row < width && col < width)
        p[row * width + col] = sum;
}

static void
print_element(const struct suite *s, char name, int at, int width, int x, int y)
{
    if (at < 0)
        suite_say(s, "   0  -> %cds%d,%d  ", name == 'M' ? 'M' : 'N', y, x);
    else
        suite_say(s, " %c%d,%d -> %cds%d,%d  ", name, at / width, at % width, name, y, x);
}

static void
print_log(const struct suite *s, const struct entry *log, int tile, int phases, int width)
{
    for (int phase = 0; phase < phases; phase++) {
        suite_say(s, "phase %d\n", phase + 1);
        for (int t = 0; t < tile * tile; t++) {
            int x = t % tile, y = t / tile;
            suite_say(s, "  thread %d,%d ", y, x);
            print_element(s, 'M', log[t * phases + phase].m, width, x, y);
            print_element(s, 'N', log[t * phases + phase].n, width, x, y);
            suite_say(s, " P += ");
            for (int k = 0; k < tile; k++)
                suite_say(s, "%sMds%d,%d*Nds%d,%d", k ? " + " : "", y, k, k, x);
            suite_say(s, "\n");
        }
    }
    suite_say(s, "\n");
}

/* Each element that the block needs is brought exactly once. */
static void
compare_log(struct suite *s, const struct entry *log, int tile, int phases, int width, int bx,
            int by)
{
    int *count_m = suite_host<int>(width * width), *count_n = suite_host<int>(width * width);
    for (int i = 0; i < tile * tile * phases; i++) {
        if (log[i].m >= 0)
            count_m[log[i].m]++;
        if (log[i].n >= 0)
            count_n[log[i].n]++;
    }
    for (int i = 0; i < width * width; i++) {
        int row = i / width, col = i % width;
        suite_expect(s, count_m[i] == (row / tile == by), "an element of M is brought once");
        suite_expect(s, count_n[i] == (col / tile == bx), "an element of N is brought once");
    }
    suite_free_host(count_m, count_n);
}

int
main(int argc, char **argv)
{
    int tile = 2, bx = 0, by = 0;
    const struct suite_extra extra[] = {{"--tile", &tile, 1, 16, "tile size", NULL},
                                        {"--block-x", &bx, 0, 1 << 20, "block to show", NULL},
                                        {"--block-y", &by, 0, 1 << 20, "block to show", NULL}};
    struct suite s =
        suite_begin("matmul/phases", "phases of the tiled product", 4, extra, 3, argc, argv);
    int width = s.size[0], side = suite_div_up(width, tile);
    if (bx >= side || by >= side) {
        fprintf(stderr, "%s: there are %d x %d blocks\n", argv[0], side, side);
        return 2;
    }
    size_t words = (size_t)width * width, logged = (size_t)tile * tile * side;
    float *host_m = suite_host<float>(words), *host_n = suite_host<float>(words);
    float *found = suite_host<float>(words);
    struct entry *host_log = suite_host<struct entry>(logged);
    suite_fill(host_m, words, 1);
    suite_fill(host_n, words, 2);
    float *m = suite_upload(host_m, words), *n = suite_upload(host_n, words);
    float *p = suite_device<float>(words);
    struct entry *log = suite_device<struct entry>(logged);
    SUITE_TIME(&s, product<<<dim3(side, side), dim3(tile, tile), 2 * tile * tile * sizeof(float)>>>(
                       m, n, p, log, width, bx, by));
    suite_download(found, p, words);
    suite_download(host_log, log, logged);
    suite_compare_product(&s, host_m, host_n, found, width, width, width);
    compare_log(&s, host_log, tile, side, width, bx, by);
    if (width <= 8)
        print_log(&s, host_log, tile, side, width);
    suite_figure(&s, "phases", side);
    suite_figure(&s, "loads_of_the_block", 2.0 * logged);
    suite_free_device(m, n, p, log);
    suite_free_host(host_m, host_n, found, host_log);
    return suite_end(&s);
}
